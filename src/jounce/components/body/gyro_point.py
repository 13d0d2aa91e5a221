"""A further point of the body, told in the levelled axes: Driver, Sensor_1, Sensor_2, Sensor_3.

X = r·(cos ψ, sin ψ, 0),   Z = r_z        from the world's origin, along and above, ψ the heading                (1)
"""

from __future__ import annotations

from typing import Literal

from jounce.components.basics import Array, Point
from jounce.components.body.attached import CHASSIS, GYRO, Sensor, check_body, local, motion_of
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice, part

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


class GyroPoint(Sensor):
    """A further point of the body in levelled axes."""

    kind: Literal["gyro_point"] = choice("gyro_point", doc="kind of sensor")
    name: Literal["Driver", "Sensor_1", "Sensor_2", "Sensor_3"] = choice(doc="which of the four it is")
    body: str = choice(CHASSIS, doc="`chassis`, `front`, or a wheel (`L1` …) for its carrier")
    location: Point = part({}, doc="where it is at design")

    def check(self, place: VehiclePlace) -> None:
        check_body(self.body, place, "body", moving=True)

    @derived("m", doc="from the origin of its body", label="location", at="vehicle")
    def place(self, place: VehiclePlace) -> Array:
        return local(self.body, self.location.array, place)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        position = motion_of(at, self.body, p.place, *AXES).position
        doc = "of a further point from the ground, levelled axes"
        word = self.name if self.name == "Driver" else self.name.lower()
        if self.name == "Driver":  # the only one with an x
            along = motion_of(at, GYRO, (0.0, 0.0, 0.0), *AXES).along(position)
            at.channel(f"Gyro.{word}_X", along[0], "m", doc)
        at.channel(f"Gyro.{word}_Z", position[2], "m", doc)
