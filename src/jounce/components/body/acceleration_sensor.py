"""A sensor for the acceleration of a marker against another, or that of its axes (``user_sensor``).

    ACCX, ACCY, ACCZ = (r̈_I - r̈_J)·a_R            translational                                                      (1)
    ACCX, ACCY, ACCZ = (r̈_I - r̈_J - g)·a_R        with gravity, g the acceleration of free fall                      (2)
    WDTX, WDTY, WDTZ = (ω̇_I - ω̇_J)·a_R            rotational                                                         (3)

(2) is what an accelerometer feels: 1 g upwards at rest, nothing in free fall.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from jounce.components.body.attached import minus
from jounce.components.body.user_sensor import UserSensor
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, problem


class AccelerationSensor(UserSensor):
    """Acceleration of a marker against another."""

    kind: Literal["acceleration"] = choice("acceleration", doc="kind of sensor")
    gravity: bool = choice(False, doc="with gravity, as an accelerometer feels it")

    @model_validator(mode="after")
    def _turning_has_no_weight(self) -> Self:
        if self.gravity and self.freedom == "rotational":
            raise problem("an angular acceleration has no gravity", "gravity")
        return self

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        i, j, reference = self.markers(at, p)
        if self.freedom == "rotational":
            for axis, value in zip("XYZ", self.along(i.turning_rate, j.turning_rate, reference), strict=True):  # (3)
                self.told(at, f"WDT{axis}", value, "rad/s2", "of I against J, axes of the reference")
            return
        moved = i.acceleration
        if self.gravity:
            moved = minus(moved, at.system.world.gravity)  # (2)
        doc = "of I against J, axes of the reference" + (", as an accelerometer feels it" if self.gravity else "")
        for axis, value in zip("XYZ", self.along(moved, j.acceleration, reference), strict=True):  # (1)
            self.told(at, f"ACC{axis}", value, "m/s2", doc)
