"""A sensor for how fast a marker moves against another, or how fast its axes turn (``user_sensor``).

VX, VY, VZ = (ṙ_I - ṙ_J)·a_R        translational                                                                (1)
WX, WY, WZ = (ω_I - ω_J)·a_R        rotational                                                                   (2)
"""

from __future__ import annotations

from typing import Literal

from jounce.components.body.user_sensor import UserSensor
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.core.fields import choice


class VelocitySensor(UserSensor):
    """How fast a marker moves against another."""

    kind: Literal["velocity"] = choice("velocity", doc="kind of sensor")

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        i, j, reference = self.markers(at, p)
        letter, unit, values = "V", "m/s", (i.velocity, j.velocity)  # (1)
        if self.freedom == "rotational":
            letter, unit, values = "W", "rad/s", (i.turning, j.turning)  # (2)
        for axis, value in zip("XYZ", self.along(*values, reference), strict=True):
            self.told(at, f"{letter}{axis}", value, unit, "of I against J, axes of the reference")
