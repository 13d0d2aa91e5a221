"""The sprung mass: one rigid body or two halves, with what is on board.

The frame of the chassis has its origin in the centre of gravity of the whole sprung mass at design, with everything on
board; of a split body it belongs to the rear half (``split``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.basics import (
    Array,
    Inertia,
    MassProperties,
    Point,
    Subsystem,
    check_inertia,
    combine,
)
from jounce.components.body import motion, road_plane
from jounce.components.body.cargo import CargoBox, Payload, check_payloads
from jounce.components.body.split import FRONT, SplitChassis
from jounce.components.body.suspended import Suspended, check_suspended
from jounce.components.body.twist import FrameTwist
from jounce.components.model import UnitModel
from jounce.components.part import Level, Symbols, derived
from jounce.components.places import Place, UnitPlace
from jounce.core.fields import Data, flag, part, problem, quantity, text

CHASSIS = "chassis"  # name of the frame of the sprung mass


class AddedMass(Data):
    """A point mass fixed to the body: driver, fuel, luggage, ballast."""

    name: str = text(doc="what it is")
    mass: float = quantity("kg", ge=0, typical=(0.1, 4e4), doc="mass when running")
    location: Point = part(doc="where it is")
    active: bool = flag(True, doc="on board when running")
    setup_mass: float | None = quantity(
        "kg", None, ge=0, typical=(0.1, 4e4), doc="mass during setup; absent: as running"
    )
    setup_active: bool = flag(True, doc="on board during setup")
    max_offset: Point | None = part(
        None, numbers_only=True, doc="how far a set-up may move it along each axis to reach the loads of axles"
    )


class Sprung(Data):
    """A body with everything on board, as the model has it."""

    mass: float = quantity("kg", gt=0, doc="sprung mass with everything on board")
    ixx: float = quantity("kg.m2", doc="about its centre of gravity")
    iyy: float = quantity("kg.m2", doc="about its centre of gravity")
    izz: float = quantity("kg.m2", doc="about its centre of gravity")
    ixy: float = quantity("kg.m2", doc="matrix entry")
    ixz: float = quantity("kg.m2", doc="matrix entry")
    iyz: float = quantity("kg.m2", doc="matrix entry")
    cg: Point = part({}, doc="from the origin of its frame")

    @classmethod
    def of(cls, body: tuple[float, Array, Array], origin: Array) -> Sprung:
        """Mass, centre and inertia matrix of a body on a frame whose origin is at `origin` at design."""
        mass, centre, i = body
        x, y, z = (float(c) for c in centre - origin)
        moments = {"ixx": i[0, 0], "iyy": i[1, 1], "izz": i[2, 2], "ixy": i[0, 1], "ixz": i[0, 2], "iyz": i[1, 2]}
        return cls(mass=mass, cg=Point(x=x, y=y, z=z), **moments)


class Body(Subsystem):
    """The sprung mass: as one rigid body, or split in two."""

    level: ClassVar[Level] = "unit"
    rank: ClassVar[int] = 0
    alternatives: ClassVar = (("mass", "split"), ("cg", "split"), ("inertia", "split"))

    mass: float | None = quantity("kg", None, gt=0, typical=(10.0, 5e4), doc="sprung mass without added masses")
    cg: Point | None = part(None, doc="centre of gravity of the sprung mass")
    inertia: Inertia | None = part(None, doc="inertia about it")
    split: SplitChassis | None = part(None, doc="compliant body in two halves")
    twist: FrameTwist | None = part(None, silent=True, doc="two rails of a frame that pitch against each other")
    suspended: tuple[Suspended, ...] = part(
        (), family="suspended", each="suspended", silent=True, doc="bodies that hang on it, or are fixed: cab, engine"
    )
    added_masses: tuple[AddedMass, ...] = part((), numbers_only=True, doc="point masses fixed to the body")
    cargo: CargoBox | None = part(None, numbers_only=True, doc="box for payloads")
    payloads: tuple[Payload, ...] = part((), numbers_only=True, doc="rigid bodies on board, fixed to the body")
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
        check_suspended(self.suspended)
        check_payloads(self.payloads, self.cargo)
        if self.split is not None and self.twist is not None:
            raise problem("stands beside split; a body has halves or rails", "twist")
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
        points += [(item.mass, item.location.array, item.matrix) for item in self.payloads if item.active]
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

    # -- the model ---------------------------------------------------------------------------------

    def bodies(self, place: Place) -> Iterator[tuple[float, Array, Array]]:
        yield from self.sprung()

    def origins(self, joined: bool) -> dict[str, Array]:
        """Origins of the frames of the unit at design: of the chassis, and of the front half unless `joined`."""
        centre = self.centre()
        if self.split is None or joined:
            own = {"": centre, FRONT: centre}
        else:
            own = {"": centre, FRONT: self.split.location.array}
        return own | {item.name: item.cg.array for item in self.suspended}

    @derived(label="", at="unit")
    def whole(self, place: UnitPlace) -> Sprung:
        """Both halves in one piece."""
        return Sprung.of(combine(self.sprung()), place.origins[""])

    @derived(at="unit")
    def front(self, place: UnitPlace) -> Sprung | None:
        """The front half."""
        return None if self.split is None else Sprung.of(self.sprung()[0], place.origins[FRONT])

    @derived(at="unit")
    def rear(self, place: UnitPlace) -> Sprung | None:
        """The rear half."""
        return None if self.split is None else Sprung.of(self.sprung()[1], place.origins[""])

    @derived("m", doc="of the vehicle reference frame, from the centre of gravity", at="unit")
    def origin(self, place: UnitPlace) -> Array:
        return -place.origins[""]

    @derived("m", doc="from the origin of its body", label="reference_point", at="unit")
    def reference(self, place: UnitPlace) -> Array | None:
        return None if self.reference_point is None else place.local(self.reference_point.array)

    @derived("m", doc="from the origin of its body", label="sensor_point", at="unit")
    def sensor(self, place: UnitPlace) -> Array:
        return place.local(self.sensor_point.array)

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        if isinstance(place, UnitPlace) and self.split is not None:
            yield f"{place.own}split", self.split
        if isinstance(place, UnitPlace) and self.twist is not None:
            yield f"{place.own}twist", self.twist

    def frames(self, at: UnitModel, p: Symbols) -> None:
        centre, hitch = at.place.origins[""], at.place.data.hitch
        if hitch is None:
            at.chassis = at.scope.free(CHASSIS, initial=(centre[0], centre[1], centre[2])).frame
        else:
            at.chassis = hitch.carry(at, at.symbols(hitch, "hitch"))
        at.bodies = {"": at.chassis, FRONT: at.chassis}
        if self.split is None or at.place.settings.simplified_model != 0:
            _mass(at, p.whole, "chassis", at.chassis, in_centre=True)
            if self.twist is not None and at.place.settings.simplified_model == 0:
                self.twist.join(at, at.symbols(self.twist, "twist"))
            return
        _mass(at, p.rear, "rear", at.chassis)
        split = at.symbols(self.split, "split")
        at.bodies[FRONT] = self.split.join(at, split)
        _mass(at, p.front, "front", at.bodies[FRONT])

    def declare(self, at: UnitModel, p: Symbols) -> None:
        road_plane.choose(at)

    def tell(self, at: UnitModel, p: Symbols) -> None:
        reference = [0.0, 0.0, 0.0] if self.reference_point is None else p.reference
        heading = motion.chassis(at, reference, p.origin)
        motion.whole(at, heading)
        motion.sensor(at, p.sensor, heading)
        if at.parent is None:
            motion.norms(at)
        motion.loads(at)


def _mass(at: UnitModel, p: Symbols, name: str, frame: Any, in_centre: bool = False) -> None:
    """Mass and inertia on a frame whose origin is the centre of mass, or at ``cg`` from it."""
    moments = [p.ixx, p.iyy, p.izz, p.ixy, p.ixz, p.iyz]
    if not in_centre:
        frame = frame.fixed(f"{name}_cg", p.cg.vector)
    at.masses.append((frame, p.mass))
    at.scope.body(f"{name}_mass", frame, p.mass, moments)
