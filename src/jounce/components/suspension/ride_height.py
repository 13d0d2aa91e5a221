"""Where the ride heights of an axle are measured: two points of the body it hangs on, a channel for each.

    h = (p − p_road) · n        distance of the point from the road below it, along its normal                      (1)

The points stand at given places of the vehicle frame at design. Where nothing is given they stand beside those at which
aerodynamics measure, or above the wheel centres, half a track to either side.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from jounce.components.basics import Array
from jounce.components.model import AxleModel
from jounce.components.part import Level, Part, Symbols, derived
from jounce.components.places import AxlePlace, WheelPlace
from jounce.core.fields import quantity


class RideHeight(Part):
    """Where the ride heights of an axle are measured: a point on either side, at the same x and z."""

    level: ClassVar[Level] = "axle"

    x: float | None = quantity(
        "m", None, presence=False, typical=(0.0, 30.0), doc="forward from the front wheel centres; absent: see text"
    )
    left: float | None = quantity(
        "m", None, presence=False, typical=(0.0, 3.0), doc="of the left point, to the left; absent: half the track"
    )
    right_hand: float | None = quantity(
        "m", None, presence=False, typical=(0.0, 3.0), doc="of the right point, to the right; absent: as on the left"
    )
    z: float | None = quantity(
        "m", None, presence=False, typical=(0.0, 5.0), doc="above the ground at design; absent: see text"
    )

    def point(self, place: WheelPlace) -> Array:
        """The point beside a wheel at design, vehicle reference frame."""
        axle = place.axle
        usual = _usual(axle)
        half = abs(float(place.centre[1]))
        out = half if self.left is None else self.left
        if place.side == "R" and self.right_hand is not None:
            out = self.right_hand
        x = float(usual[0]) if self.x is None else self.x
        return np.array([x, place.outwards * out, float(usual[2]) if self.z is None else self.z])

    @derived("m", doc="from the origin of its body", at="wheel")
    def ride_height_sensor(self, place: WheelPlace) -> Array:
        return place.axle.unit.local(self.point(place), place.axle.on)

    def tell(self, at: AxleModel, p: Symbols) -> None:
        heights = []
        for wheel in at.wheels:
            point = wheel.symbols(self).ride_height_sensor
            height = at.unit.ground.under(at.frame, point).height  # (1)
            heights.append(height)
            at.channel(f"Suspension.Ride_Height.{wheel.place.name}", height, "m", "of its sensor above the road")
        if len(heights) == 2 and at.place.word == "front":
            for name, height in zip(("rhl", "rhs"), heights, strict=True):
                at.channel(f"{name}_front_setup_sensor_data.ride_height", height, "m", "of the sensor above the road")
        elif len(heights) == 2:
            mean = 0.5 * (heights[0] + heights[1])
            at.channel(f"rhs_{at.place.word}_setup_sensor_data.ride_height", mean, "m", "mean of both sensors")


def _usual(axle: AxlePlace) -> Array:
    """Where aerodynamics measure at the first and the last axle; the wheel centres of any other."""
    axles = axle.unit.axles
    aero = axle.unit.data.aero
    given = None
    if aero is not None and axle in (axles[0], axles[-1]):
        given = aero.front_sensor if axle is axles[0] else aero.rear_sensor
    return axle.wheels[0].centre if given is None else given.array
