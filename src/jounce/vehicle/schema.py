"""The data of a vehicle: a system and its subsystems, in the signs users know (docs/conventions.md).

Points are in the vehicle reference frame: x forward from the front wheel centres, y left, z up from the ground at
design. Wheel travel (jounce) J is positive upwards and zero at design. Where a group has ``right``, the data
describe the left side and, mirrored, the right one; ``right`` holds what differs there, in the same signs, and is not
mirrored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from pydantic import PrivateAttr, model_validator

from jounce.core.curves import Curve
from jounce.core.fields import Data, part, problem, text
from jounce.vehicle.basics import (
    SIDES,
    Array,
    Inertia,
    MassProperties,
    Point,
    Provenance,
    Side,
    Subsystem,
    combine,
    on_side,
)
from jounce.vehicle.body import AddedMass, Body, SplitChassis, SplitStiffness
from jounce.vehicle.equipment import Aero, AeroForce, Brakes, DiscBrake, Drive, TwinTire, Wheels, Wind
from jounce.vehicle.steering import STEERING_MAPS, Kingpin, Steering, SteerLengthMap, SteerMap, mirrored
from jounce.vehicle.suspension import (
    MAPS,
    AngleMap,
    AntiRollBar,
    AntiRollBarSide,
    AuxiliaryAntiRoll,
    Damper,
    Element,
    KinematicMap,
    Spring,
    Stop,
    Suspension,
    TorsionSpring,
)
from jounce.vehicle.system import KinematicMaps, Splines, Statics, System

if TYPE_CHECKING:
    from jounce.vehicle.source import Source

SUBSYSTEMS = (
    "body",
    "front_suspension",
    "rear_suspension",
    "steering",
    "front_wheels",
    "rear_wheels",
    "brakes",
    "drive",
    "aero",
)


@dataclass(frozen=True)
class Difference:
    """One path at which two vehicles differ; None where one has nothing."""

    path: str
    ours: Any
    theirs: Any
    unit: str = ""

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit not in ("", "-") else ""
        return f"{self.path}: {_shown(self.ours, unit)} -> {_shown(self.theirs, unit)}"


def _shown(value: Any, unit: str) -> str:
    if value is None:
        return "(none)"
    if isinstance(value, Curve):
        if value.constant is not None:
            return f"{value.constant!r} {value.units.of_constant}".removesuffix(" -")
        size = f"{len(value.x)} × {len(value.z)}" if value.z else f"{len(value.x)}"
        return f"table of {size} points"
    return f"{value!r}{unit}" if isinstance(value, float) else str(value)


class Vehicle(Data):
    """A vehicle. Immutable: `with_` and its relatives return changed copies. Load one with `jounce.vehicle.load`."""

    name: str = text(doc="name of the vehicle")
    description: str = text(doc="what it is")
    category: str = text(
        doc="class of vehicle whose plausible ranges apply: compact, sedan, suv, sports, light_truck, …"
    )
    provenance: Provenance | None = part(None, doc="where the data come from")
    system: System = part({}, doc="settings of the whole model")
    body: Body = part(doc="sprung mass")
    front_suspension: Suspension = part(doc="front axle")
    rear_suspension: Suspension = part(doc="rear axle")
    steering: Steering = part(doc="steering")
    front_wheels: Wheels = part(doc="front wheels and tires")
    rear_wheels: Wheels = part(doc="rear wheels and tires")
    brakes: Brakes = part(doc="brakes")
    drive: Drive = part({}, doc="drive torque")
    aero: Aero | None = part(None, doc="aerodynamics")

    _source: Source | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _stands(self) -> Self:
        if not self.wheelbase > 0:
            raise problem(
                f"{self.rear_suspension.wheel_centre_x!r} m: the rear wheels must be behind the front ones "
                f"({self.front_suspension.wheel_centre_x!r} m); write -wheelbase",
                *("rear_suspension", "wheel_centre_x"),
            )
        front, rear = self.front_suspension.wheel_centre_x, self.rear_suspension.wheel_centre_x
        x = float(self.body.rigid()[1][0])
        if not rear < x < front:
            axle, other = ("ahead of the front", "rear") if x >= front else ("behind the rear", "front")
            place = ("body", "cg", "x") if self.body.split is None else ("body", "split")
            raise problem(
                f"{x!r} m: the sprung mass has its centre of gravity {axle} wheels, so that the {other} axle would "
                f"lift (x is positive forward: expected between {rear!r} and {front!r})",
                *place,
            )
        for where in ((), ("right",)):
            wheels = self.front_wheels if not where else self.front_wheels.right
            if wheels is not None and wheels.twin is not None:
                raise problem("not available: twin tires are for the rear axle", "front_wheels", *where, "twin")
        return self

    @property
    def wheelbase(self) -> float:
        """Distance of front and rear wheel centres at design, m."""
        return self.front_suspension.wheel_centre_x - self.rear_suspension.wheel_centre_x

    def suspension(self, axle: int) -> Suspension:
        """Suspension of axle 1 (front) or 2 (rear)."""
        return self.front_suspension if axle == 1 else self.rear_suspension

    def wheels(self, axle: int, side: Side = "L") -> Wheels:
        """Wheel data of axle 1 (front) or 2 (rear) on one side."""
        return on_side(self.front_wheels if axle == 1 else self.rear_wheels, side)

    def brake(self, axle: int, side: Side = "L") -> DiscBrake:
        """Brake data of axle 1 (front) or 2 (rear) on one side."""
        return on_side(self.brakes.front if axle == 1 else self.brakes.rear, side)

    def wheel_centre(self, axle: int, side: Side) -> Array:
        """Wheel centre at design in the vehicle reference frame, m."""
        suspension, wheels = self.suspension(axle), self.wheels(axle, side)
        half = suspension.track / 2
        return np.array([suspension.wheel_centre_x, half if side == "L" else -half, wheels.wheel_centre_height])

    def mass(self) -> float:
        """Mass of the whole vehicle when running, kg."""
        sprung = math.fsum(part_[0] for part_ in self.body.sprung())
        return sprung + math.fsum(self.wheels(axle, side).unsprung_mass for axle in (1, 2) for side in SIDES)

    # -- copies with changes -----------------------------------------------------------------------

    def with_(self, **changes: Any) -> Vehicle:
        """Return a copy with other values: ``car.with_(**{"front_suspension.spring.rate": "32 N/mm"})``.

        Parameters
        ----------
        changes : path -> value as in a file; lists by index, ``rear_suspension.dampers[0].scale``; None removes

        Raises
        ------
        ParameterError
            Listing every unknown path, with the nearest known ones, and every bad value.
        """
        from jounce.vehicle.editing import with_changes

        return with_changes(self, changes)

    def with_subsystem(self, name: str, source: str | Path | Subsystem | Vehicle) -> Vehicle:
        """Return a copy with another subsystem: from a file, from another vehicle, or as data."""
        from jounce.vehicle.editing import with_subsystem

        return with_subsystem(self, name, source)

    def with_symmetry(self, path: str, source: Literal["left", "right"] = "left") -> Vehicle:
        """Return a copy in which both sides of what stands at `path` are alike: those of `source`."""
        from jounce.vehicle.editing import with_symmetry

        return with_symmetry(self, path, source)

    def get(self, path: str) -> Any:
        """Return what stands at a path such as ``front_suspension.dampers[0].rate``, in SI."""
        from jounce.vehicle.editing import get

        return get(self, path)

    def export_curve(self, path: str, file: str | Path, columns: tuple[str, ...] | None = None) -> Path:
        """Write the table at a path (``front_suspension.toe``) as CSV, in the units `columns` of x, (z,) y or in SI."""
        from jounce.vehicle.editing import export_curve

        return export_curve(self, path, file, columns)

    def import_curve(self, path: str, file: str | Path, columns: tuple[str, ...] | None = None) -> Vehicle:
        """Return a copy with the table of a CSV file at a path; `columns`: its units if it has no row of them."""
        from jounce.vehicle.editing import import_curve

        return import_curve(self, path, file, columns)

    # -- comparing ---------------------------------------------------------------------------------

    def diff(self, other: Vehicle) -> list[Difference]:
        """Return every path at which `other` differs, with both values."""
        from jounce.vehicle.editing import diff

        return diff(self, other)

    def structure_key(self) -> str:
        """Return a text of all that shapes the generated code: vehicles with equal texts and tire models share it.

        It names every choice, every optional group or number that is there, and for every curve of either side
        whether it is a constant or a table and of how many axes. No number is in it, and nothing of the tire files.
        """
        from jounce.vehicle.editing import structure

        return structure(self)

    def remarks(self) -> list[str]:
        """Return what is allowed but looks unusual: a damper that drives, a ratio that is not zero at design, …"""
        from jounce.vehicle.remarks import remarks

        return remarks(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vehicle):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in Vehicle.model_fields)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in Vehicle.model_fields))

    # -- files -------------------------------------------------------------------------------------

    def save(self, path: str | Path | None = None) -> Path:
        """Write the vehicle and return its main file.

        Parameters
        ----------
        path : a folder, or a ``.yaml`` file for everything in one file; default: the files it was loaded from

        Files it was loaded from keep their comments, the order of their keys, and every text whose value is unchanged.
        """
        from jounce.vehicle.writing import save

        return save(self, path)

    def clone(self, name: str, folder: str | Path | None = None) -> Vehicle:
        """Return a copy under another name that shares no file of its own with this one.

        Tire files stay references. Nothing is written unless a folder is given, or until `save`.
        """
        from jounce.vehicle.writing import clone

        return clone(self, name, folder)

    def publish(self, folder: str | Path) -> Path:
        """Write the vehicle with everything it refers to into a folder, and return its main file."""
        from jounce.vehicle.writing import publish

        return publish(self, folder)


__all__ = [
    "MAPS",
    "SIDES",
    "STEERING_MAPS",
    "SUBSYSTEMS",
    "AddedMass",
    "Aero",
    "AeroForce",
    "AngleMap",
    "AntiRollBar",
    "AntiRollBarSide",
    "Array",
    "AuxiliaryAntiRoll",
    "Body",
    "Brakes",
    "Damper",
    "Difference",
    "DiscBrake",
    "Drive",
    "Element",
    "Inertia",
    "KinematicMap",
    "KinematicMaps",
    "Kingpin",
    "MassProperties",
    "Point",
    "Provenance",
    "Side",
    "Splines",
    "SplitChassis",
    "SplitStiffness",
    "Spring",
    "Statics",
    "SteerLengthMap",
    "SteerMap",
    "Steering",
    "Stop",
    "Subsystem",
    "Suspension",
    "System",
    "TorsionSpring",
    "TwinTire",
    "Vehicle",
    "Wheels",
    "Wind",
    "combine",
    "mirrored",
    "on_side",
]
