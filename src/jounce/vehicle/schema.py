"""The data of a vehicle: a system and its subsystems, in the signs users know (docs/conventions.md).

Points are in the vehicle reference frame: x forward from the front wheel centres, y left, z up from the ground at
design. Wheel travel (jounce) J is positive upwards and zero at design. Where a group has ``right``, the data
describe the left side and, mirrored, the right one; ``right`` holds what differs there, in the same signs, and is not
mirrored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import PrivateAttr, model_validator

from jounce.components.aero.maps import Aero, AeroForce, Wind
from jounce.components.basics import (
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
from jounce.components.body.attached import Contact, Force, Sensor
from jounce.components.body.body import AddedMass, Body
from jounce.components.body.split import SplitChassis, SplitStiffness
from jounce.components.brakes.disc import DiscBrake
from jounce.components.brakes.hydraulics import Brakes
from jounce.components.brakes.wheel_brake import WheelBrake
from jounce.components.drive.ideal import Drive
from jounce.components.part import Part
from jounce.components.places import VehiclePlace
from jounce.components.settings import KinematicMaps, Settings, Splines, Statics
from jounce.components.setup import Setup
from jounce.components.steering.kingpin import Kingpin
from jounce.components.steering.maps import STEERING_MAPS, SteerLengthMap, SteerMap, mirrored
from jounce.components.steering.steering import Steering
from jounce.components.suspension.anti_roll_bar import AntiRollBar, AntiRollBarSide
from jounce.components.suspension.auxiliary_anti_roll import AuxiliaryAntiRoll
from jounce.components.suspension.axle import Suspension
from jounce.components.suspension.damper import Damper
from jounce.components.suspension.element import Element
from jounce.components.suspension.guidance import MAPS, AngleMap, KinematicMap
from jounce.components.suspension.lift import Lift
from jounce.components.suspension.spring import Spring
from jounce.components.suspension.stop import Stop
from jounce.components.suspension.torsion_spring import TorsionSpring
from jounce.components.suspension.walking_beam import WalkingBeam
from jounce.components.towing.joint import JointHitch
from jounce.components.wheel.wheels import TwinTire, Wheels
from jounce.core.curves import Curve
from jounce.core.fields import Bad, Data, choice, flag, meta, part, problem, quantity, text

if TYPE_CHECKING:
    from jounce.components.drive.driveline import Driveline
    from jounce.components.steering.actuated import ActuatedSteering
    from jounce.vehicle.source import Source
else:
    Driveline = Subsystem  # these are imported with the first vehicle that has one
    ActuatedSteering = Steering

ACTUATED = "jounce.components.steering.actuated:ActuatedSteering"

SUBSYSTEMS = (
    "body",
    "front_suspension",
    "rear_suspension",
    "steering",
    "front_wheels",
    "rear_wheels",
    "brakes",
    "drive",
    "driveline",
    "aero",
)
FRIENDLY_NEEDS = ("body", "front_suspension", "rear_suspension", "steering", "front_wheels", "rear_wheels", "brakes")
FORMAT = 1  # of vehicle files; a file that does not say is of the first


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


class Axle(Data):
    """One axle of a list: what the two axles of a car have under ``front_…`` and ``rear_…``."""

    suspension: Suspension = part(doc="where its wheels are, how they are guided, what holds them")
    wheels: Wheels = part(doc="wheels and tires")
    brake: DiscBrake | None = part(None, family="brake", doc="brakes; absent: none")
    steering: Steering | None = part(None, doc="steering, where its wheels are steered")
    actuators: ActuatedSteering | None = part(
        None, late=ACTUATED, doc="actuators that steer its wheels one by one", silent=True
    )
    on: Literal["", "front"] = choice("", doc="the body it hangs on: the main one, or the front half of a split body")
    single: bool = choice(False, doc="one wheel in the middle instead of two")
    group: bool = choice(False, doc="in a tandem or tridem with the axle before it")
    equalizer: WalkingBeam | None = part(
        None, family="equalizer", doc="springs that its group shares, at the first axle of the group", silent=True
    )
    lift: Lift | None = part(None, family="lift", doc="what lifts the axle; absent: it always carries", silent=True)
    brake_share: float | None = quantity("-", None, ge=0, le=1, doc="share of the master cylinder pressure")
    drive_left: float | None = quantity(
        "-", None, presence=False, ge=0, le=1, doc="share of the left wheel in the drive"
    )
    drive_right: float | None = quantity("-", None, presence=False, ge=0, le=1, doc="share of the right wheel in it")
    linear_damper_rate: float | None = quantity(
        "N.s/m",
        None,
        presence=False,
        ge=0,
        typical=(20.0, 3e5),
        doc="of linear dampers in the search for equilibrium, at a wheel",
    )
    linear_spring_rate: float | None = quantity(
        "N/m",
        None,
        presence=False,
        ge=0,
        typical=(1e3, 5e6),
        doc="of linear springs in the search for equilibrium, at a wheel",
    )


class Unit(Data):
    """A body with its axles. Points of a towed one are from the ground under its coupling, x forward, at design."""

    name: str = text(doc="name of the unit")
    body: Body = part(doc="sprung mass")
    axles: tuple[Axle, ...] = part(doc="its axles, from front to rear")
    aero: Aero | None = part(None, family="aero", doc="aerodynamics")
    hitch: JointHitch | None = part(None, family="hitch", doc="how it is coupled to the unit that tows it", silent=True)


class Vehicle(Data):
    """A vehicle. Immutable: `with_` and its relatives return changed copies. Load one with `jounce.vehicle.load`.

    The axles of a car stand under ``front_suspension``, ``rear_suspension``, ``front_wheels``, ``rear_wheels``,
    ``brakes.front``, ``brakes.rear`` and ``steering``. Any number of them stands in a list, ``axles``, or with their
    body in ``units``. Both spellings mean the same; ``layout`` has what is meant.
    """

    format: int = flag(FORMAT, doc="version of the file format")
    name: str = text(doc="name of the vehicle")
    description: str = text(doc="what it is")
    category: str = text(
        doc="class of vehicle whose plausible ranges apply: compact, sedan, suv, sports, light_truck, …"
    )
    model_layout: str = text(
        doc="its layout as a text such as S_SS__SSS, which its axles are compared with; absent: not"
    )
    provenance: Provenance | None = part(None, doc="where the data come from")
    accept: tuple[str, ...] = part(
        (), numbers_only=True, doc="paths whose unusual values are meant so; `*` stands for any text"
    )
    system: Settings = part({}, doc="settings of the whole model")
    setup: Setup | None = part(None, numbers_only=True, doc="how the car is set up, and cross weight")
    body: Body | None = part(None, doc="sprung mass")
    front_suspension: Suspension | None = part(None, doc="front axle")
    rear_suspension: Suspension | None = part(None, doc="rear axle")
    steering: Steering | None = part(None, doc="steering")
    rear_steering: ActuatedSteering | None = part(
        None, late=ACTUATED, doc="actuators that steer the rear wheels", silent=True
    )
    front_wheels: Wheels | None = part(None, doc="front wheels and tires")
    rear_wheels: Wheels | None = part(None, doc="rear wheels and tires")
    axles: tuple[Axle, ...] = part((), doc="any number of axles, from front to rear, instead of front and rear ones")
    units: tuple[Unit, ...] = part((), doc="bodies with their axles, instead of body and axles")
    trailers: tuple[Unit, ...] = part((), silent=True, doc="units that are towed, where the first one is not in a list")
    brakes: Brakes | None = part(None, doc="brakes")
    drive: Drive = part({}, doc="drive torque")
    driveline: Driveline | None = part(
        None,
        silent=True,
        late="jounce.components.drive.driveline:Driveline",
        library="drivelines",
        doc="engines, gearbox, differentials, instead of `drive`",
    )
    aero: Aero | None = part(None, family="aero", doc="aerodynamics")
    parts: tuple[Part, ...] = part(
        (), family="controller", each="part", doc="controllers and further parts, by their kind"
    )
    sensors: tuple[Sensor, ...] = part(
        (), family="sensor", each="sensor", silent=True, doc="what is measured besides, by its kind"
    )
    forces: tuple[Force, ...] = part(
        (), family="force", each="force", silent=True, doc="what acts on bodies from outside, by its kind"
    )
    contacts: tuple[Contact, ...] = part(
        (), family="contact", each="contact", silent=True, doc="what touches the ground besides tires, by its kind"
    )

    alternatives = (("drive", "driveline"),)

    _source: Source | None = PrivateAttr(default=None)
    _setup_report: Any = PrivateAttr(default=None)

    @classmethod
    def expand(cls, raw: Any) -> Any:
        """Read parts that are named, and mark what is missing: it is told with everything else that is wrong."""
        if not isinstance(raw, Mapping):
            return raw
        raw = {**raw, **cls._named(raw)}
        if raw.get("axles") or raw.get("units"):
            return raw
        missing = [name for name in FRIENDLY_NEEDS if raw.get(name) is None]
        docs = {name: str(cls.model_fields[name].description) for name in missing}
        return {**raw, **{name: Bad(None, (((), f"missing; {docs[name]}", "", True),)) for name in missing}}

    @classmethod
    def _named(cls, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Parts of the library that are given by their names alone; the rest says that nobody knows it."""
        from jounce.vehicle.reading import of_library

        found = {}
        for name, info in cls.model_fields.items():
            if isinstance(raw.get(name), str) and meta(info).get("library"):
                found[name] = of_library(str(meta(info)["library"]), raw[name])
        return {name: data for name, data in found.items() if data is not None}

    @model_validator(mode="after")
    def _complete(self) -> Self:
        from jounce.vehicle.layout import check

        if self.format != FORMAT:
            raise problem(f"{self.format!r}: not known; this version reads format {FORMAT}", "format")
        check(self)
        return self

    @property
    def layout(self) -> VehiclePlace:
        """Units, axles and wheels of the vehicle, whichever way its data are spelled."""
        from jounce.vehicle.layout import layout

        return layout(self)

    @property
    def main_body(self) -> Body:
        """The body of the first unit."""
        if self.body is not None:
            return self.body
        return self.units[0].body

    @property
    def wheelbase(self) -> float:
        """Distance of the wheel centres of the first and the last axle of the first unit at design, m."""
        axles = self.layout.units[0].axles
        return axles[0].x - axles[-1].x

    def _axle(self, axle: int) -> Any:
        axles = self.layout.axles
        if not 1 <= axle <= len(axles):
            raise IndexError(f"axle {axle}: the vehicle has {len(axles)}")
        return axles[axle - 1].data

    def suspension(self, axle: int) -> Suspension:
        """Suspension of an axle, counted from 1 at the front."""
        found: Suspension = self._axle(axle).suspension
        return found

    def wheels(self, axle: int, side: Side = "L") -> Wheels:
        """Wheel data of an axle on one side."""
        found: Wheels = on_side(self._axle(axle).wheels, side)
        return found

    def brake(self, axle: int, side: Side = "L") -> WheelBrake:
        """Brake data of an axle on one side."""
        found: WheelBrake = on_side(self._axle(axle).brake, side)
        return found

    def wheel_centre(self, axle: int, side: Side) -> Array:
        """Wheel centre at design in the vehicle reference frame, m."""
        found: Array = self._axle(axle).wheel_centre(side)
        return found

    def mass(self) -> float:
        """Mass of the whole vehicle when running, kg."""
        from jounce.vehicle.assembly import bodies

        return math.fsum(body.mass for body in bodies(self.layout))

    @property
    def setup_report(self) -> Any:
        """What `jounce.setup` or `jounce.trim` did to make this car (`jounce.sim.setup.Report`); None of any other."""
        return self._setup_report

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

    def doubts(self) -> list[str]:
        """Return what nothing on the road has, numbers and what follows from them, with file, line, key and a hint.

        ``accept`` names the paths that are meant so.
        """
        from jounce.vehicle.plausible import remarks_of

        return remarks_of(self)

    def remarks(self) -> list[str]:
        """Return what is allowed but looks unusual: doubts, a damper that drives, a ratio not zero at design"""
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
    "Axle",
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
    "Settings",
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
    "TorsionSpring",
    "TwinTire",
    "Unit",
    "Vehicle",
    "Wheels",
    "Wind",
    "combine",
    "mirrored",
    "on_side",
]
