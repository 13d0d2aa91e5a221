"""The sprung mass: one rigid body or two halves, with what is on board."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.core.fields import Data, flag, part, problem, quantity, text
from jounce.vehicle.basics import (
    Array,
    Inertia,
    MassProperties,
    Point,
    Subsystem,
    check_inertia,
    combine,
)


class AddedMass(Data):
    """A point mass fixed to the body: driver, fuel, luggage, ballast."""

    name: str = text(doc="what it is")
    mass: float = quantity("kg", ge=0, doc="mass when running")
    location: Point = part(doc="where it is")
    active: bool = flag(True, doc="on board when running")
    setup_mass: float | None = quantity("kg", None, ge=0, doc="mass during setup; absent: as running")
    setup_active: bool = flag(True, doc="on board during setup")


class SplitStiffness(Data):
    """Stiffness between the halves; a freedom without one is locked."""

    torsion: float | None = quantity("N.m/rad", None, gt=0, doc="about x")
    vertical_bending: float | None = quantity("N.m/rad", None, gt=0, doc="about y")
    lateral_bending: float | None = quantity("N.m/rad", None, gt=0, doc="about z")
    axial: float | None = quantity("N/m", None, gt=0, doc="along x")
    lateral: float | None = quantity("N/m", None, gt=0, doc="along y")
    vertical: float | None = quantity("N/m", None, gt=0, doc="along z")

    @property
    def released(self) -> tuple[str, ...]:
        """Names of the freedoms that are not locked."""
        return tuple(name for name in type(self).model_fields if getattr(self, name) is not None)

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.released:
            raise problem("no freedom is released; give at least one stiffness, or no split")
        return self


class SplitChassis(Data):
    """The body cut into a front and a rear half."""

    location: Point = part(doc="where the halves join")
    front: MassProperties = part(doc="front half")
    rear: MassProperties = part(doc="rear half")
    stiffness: SplitStiffness = part(doc="stiffness per released freedom")
    damping_ratio: float = quantity("-", 0.02, ge=0, le=2, doc="damping of each released freedom relative to critical")


class Body(Subsystem):
    """The sprung mass: as one rigid body, or split in two."""

    alternatives: ClassVar = (("mass", "split"), ("cg", "split"), ("inertia", "split"))

    mass: float | None = quantity("kg", None, gt=0, doc="sprung mass without added masses")
    cg: Point | None = part(None, doc="centre of gravity of the sprung mass")
    inertia: Inertia | None = part(None, doc="inertia about it")
    split: SplitChassis | None = part(None, doc="compliant body in two halves")
    added_masses: tuple[AddedMass, ...] = part((), numbers_only=True, doc="point masses fixed to the body")
    sensor_point: Point = part({}, doc="origin of the levelled frame and of the standard sensors")
    reference_point: Point | None = part(None, doc="point of the chassis channels; absent: centre of gravity")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        given = [name for name in ("mass", "cg", "inertia") if getattr(self, name) is not None]
        if self.split is not None and given:
            raise problem(f"{given[0]} and split are both given; a split body has the mass of its halves", given[0])
        if self.split is None and len(given) < 3:
            missing = [name for name in ("mass", "cg", "inertia") if name not in given]
            raise problem(f"missing: {', '.join(missing)} (or split, with both halves)")
        check_inertia(self.rigid()[2])
        return self

    def halves(self) -> list[MassProperties]:
        """The rigid bodies: one, or front and rear."""
        if self.split is not None:
            return [self.split.front, self.split.rear]
        assert self.mass is not None and self.cg is not None and self.inertia is not None
        return [MassProperties(mass=self.mass, cg=self.cg, inertia=self.inertia)]

    def rigid(self) -> tuple[float, Array, Array]:
        """Mass, centre of gravity and inertia matrix of the whole sprung mass without added masses."""
        return combine([(half.mass, half.cg.array, half.inertia.matrix) for half in self.halves()])

    def added(self, state: Literal["running", "setup"] = "running") -> list[tuple[float, Array]]:
        """Mass and place of what is on board."""
        if state == "running":
            return [(item.mass, item.location.array) for item in self.added_masses if item.active]
        return [
            (item.mass if item.setup_mass is None else item.setup_mass, item.location.array)
            for item in self.added_masses
            if item.setup_active
        ]

    def sprung(self, state: Literal["running", "setup"] = "running") -> list[tuple[float, Array, Array]]:
        """Mass, centre of gravity and inertia with the added masses, of the body or of its two halves."""
        points = [(m, r, np.zeros((3, 3))) for m, r in self.added(state)]
        halves = [(half.mass, half.cg.array, half.inertia.matrix) for half in self.halves()]
        if self.split is None:
            return [combine([*halves, *points])]
        cut = self.split.location.x
        front = [item for item in points if item[1][0] >= cut]
        rear = [item for item in points if item[1][0] < cut]
        return [combine([halves[0], *front]), combine([halves[1], *rear])]

    def centre(self, state: Literal["running", "setup"] = "running") -> Array:
        """Centre of gravity of the whole sprung mass with the added masses, at design."""
        return combine(self.sprung(state))[1]
