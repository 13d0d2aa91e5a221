"""Where parts stand: the layout of a vehicle as data, without a model.

A vehicle has units (a body with its axles), each but the first coupled to one before it. A unit has axles, an axle
has one or two wheels and hangs on a body of its unit. Points of a unit are in its own frame of reference: that of the
vehicle, of a towed unit with its origin on the ground under its coupling; ``offset`` says where that is at design.
Axles are numbered through all units; the wheels of axle n are Ln and Rn, a single wheel is Ln. A place has the prefix
of its names in the model: ``L1.``, ``axle1.``, ``unit2.`` of the second unit (none of the first), with the prefix of
the vehicle before it where several vehicles are in one model (``lead.L1.``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jounce.components.basics import Array, Side
from jounce.components.part import Level
from jounce.components.settings import Settings

FRONT, REAR = "front", "rear"
TRAVEL = "jounce"


@dataclass(eq=False)
class VehiclePlace:
    """A whole vehicle."""

    level: Level = field(default="vehicle", init=False)
    prefix: str  # of all names, with its dot; empty for the only vehicle of a model
    settings: Settings
    data: Any  # the Vehicle
    units: list[UnitPlace] = field(default_factory=list)

    @property
    def axles(self) -> list[AxlePlace]:
        return [axle for unit in self.units for axle in unit.axles]

    @property
    def steered(self) -> AxlePlace | None:
        """The steered axle, if there is one."""
        return next((axle for axle in self.axles if axle.data.steering is not None), None)

    @property
    def wheels(self) -> dict[str, WheelPlace]:
        """All wheels by name, axle by axle, left before right."""
        return {wheel.name: wheel for axle in self.axles for wheel in axle.wheels}

    @property
    def tires(self) -> dict[str, WheelPlace]:
        """All tires by name, second tires after all first ones; and the wheels they are on."""
        twins = {wheel.twin: wheel for wheel in self.wheels.values() if wheel.twin}
        return {**self.wheels, **twins}


@dataclass(eq=False)
class UnitPlace:
    """A body with its axles: a car, a tractor, a trailer."""

    level: Level = field(default="unit", init=False)
    vehicle: VehiclePlace
    number: int  # from 1
    data: Any  # body, aero, hitch, …
    origins: Mapping[str, Array]  # by body: origin of its frame at design, reference frame of the unit
    parent: UnitPlace | None = None  # the unit that tows it
    offset: Array = field(default_factory=lambda: np.zeros(3))  # of its reference frame from that of the vehicle
    axles: list[AxlePlace] = field(default_factory=list)

    @property
    def settings(self) -> Settings:
        return self.vehicle.settings

    @property
    def own(self) -> str:
        """What its names begin with below those of the vehicle; nothing for the first unit."""
        return "" if self.number == 1 else f"unit{self.number}."

    @property
    def prefix(self) -> str:
        return f"{self.vehicle.prefix}{self.own}"

    @property
    def towed(self) -> list[UnitPlace]:
        """The units that it tows."""
        return [unit for unit in self.vehicle.units if unit.parent is self]

    def local(self, point: Any, body: str = "") -> Array:
        """A point of its reference frame, from the origin of a body."""
        result: Array = point - self.origins[body]
        return result


@dataclass(eq=False)
class AxlePlace:
    """One or two wheels that hang on a body of a unit."""

    level: Level = field(default="axle", init=False)
    unit: UnitPlace
    number: int  # from 1, through all units
    data: Any  # suspension, wheels, brake, … of this axle
    on: str  # the body it hangs on
    sides: tuple[Side, ...]
    wheels: list[WheelPlace] = field(default_factory=list)

    @property
    def vehicle(self) -> VehiclePlace:
        return self.unit.vehicle

    @property
    def settings(self) -> Settings:
        return self.unit.settings

    @property
    def prefix(self) -> str:
        return f"{self.vehicle.prefix}axle{self.number}."

    @property
    def group(self) -> list[AxlePlace]:
        """The axles of its tandem or tridem, itself alone where it is in none."""
        axles = self.unit.axles
        starts = [i for i, axle in enumerate(axles) if i == 0 or not axle.data.grouped]
        first = max(i for i in starts if i <= axles.index(self))
        last = min((i for i in starts if i > first), default=len(axles))
        return axles[first:last]

    @property
    def word(self) -> str:
        """Its word in the names of channels: front, rear, axle3, …"""
        return {1: FRONT, 2: REAR}.get(self.number, f"axle{self.number}")

    @property
    def x(self) -> float:
        """Its wheel centres at design, along its unit."""
        return float(self.data.suspension.wheel_centre_x)


@dataclass(eq=False)
class WheelPlace:
    """One wheel, with a second tire or without."""

    level: Level = field(default="wheel", init=False)
    axle: AxlePlace
    side: Side
    twin: str = ""  # name of the second tire

    @property
    def vehicle(self) -> VehiclePlace:
        return self.axle.vehicle

    @property
    def settings(self) -> Settings:
        return self.axle.settings

    @property
    def name(self) -> str:
        return f"{self.side}{self.axle.number}"

    @property
    def prefix(self) -> str:
        return f"{self.vehicle.prefix}{self.name}."

    @property
    def travel(self) -> str:
        """Name of the coordinate of its travel."""
        return f"{self.prefix}{TRAVEL}"

    @property
    def words(self) -> str:
        """Its words in the names of channels: front_left, …"""
        return f"{self.axle.word}_{'left' if self.side == 'L' else 'right'}"

    @property
    def outwards(self) -> float:
        """+1 on the left, -1 on the right: the direction away from the middle, along y."""
        return 1.0 if self.side == "L" else -1.0

    @property
    def paired(self) -> WheelPlace:
        """The other wheel of the axle; itself where it is alone."""
        return next((wheel for wheel in self.axle.wheels if wheel is not self), self)

    @property
    def centre(self) -> Array:
        """Wheel centre at design, reference frame of its unit."""
        centre: Array = self.axle.data.wheel_centre(self.side)
        return centre


Place = VehiclePlace | UnitPlace | AxlePlace | WheelPlace
