"""Where somebody sits: what the floor under him does, for the comfort of a ride.

A point of the sprung mass, given at design. Its acceleration is told in axes of the chassis, which are those of the
seat (ISO 2631-1: x out of the back, y to the left, z along the spine), without gravity: a slow roll of the body shakes
nobody.

    a = R^T r̈     r: the point in the world, R: axes of the chassis                                              (1)
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from jounce.components.basics import Array
from jounce.components.body.attached import CHASSIS, local, motion_of
from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice, quantity

GROUP = "Seat_Point"


class SeatPoint(Part):
    """The acceleration of a seat."""

    kind: Literal["seat_point"] = choice("seat_point", doc="kind of part")
    x: float | None = quantity(
        "m", None, typical=(0.0, 10.0), doc="of the seat at design; absent: half way of all axles"
    )
    y: float = quantity("m", 0.35, typical=(0.0, 2.0), doc="of the seat at design")
    z: float = quantity("m", 0.5, typical=(0.0, 3.0), doc="of the seat at design")

    @derived("m", doc="from the origin of the chassis", label="location", at="vehicle")
    def place(self, place: VehiclePlace) -> Array:
        axles = [float(wheel.centre[0]) for axle in place.units[0].axles for wheel in axle.wheels]
        x = 0.5 * (min(axles) + max(axles)) if self.x is None else self.x
        return local(CHASSIS, np.array([x, self.y, self.z]), place)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        here = motion_of(at, CHASSIS, p.place, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
        for axis, value in zip("XYZ", here.along(here.acceleration), strict=True):  # (1)
            at.channel(f"{GROUP}.Acceleration_{axis}", value, "m/s2", "of the seat, axes of the chassis, no gravity")
        at.channel(f"{GROUP}.Global_Z", here.position[2], "m", "of the seat, world axes")
