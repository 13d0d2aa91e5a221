"""What the sensors for displacements, velocities and accelerations between two markers have in common.

A sensor tells how the marker I moves against the marker J, along the axes of a third, R. All derivatives are taken in
the world:

    value_a = (u_I - u_J) · a_R,   a = x, y, z                                                                       (1)

Usually I is on the chassis, J on the ground and R the levelled axes at the sensor point.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.body.attached import GROUND, GYRO, Marker, Motion, Sensor, check_body, check_name, dot, minus
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice, part

GROUP = "User_Sensor"
Freedom = Literal["translational", "rotational"]


class UserSensor(Sensor):
    """How a marker moves against another."""

    name: str = choice(doc="name of its channels: `User_Sensor.<name>.…`")
    freedom: Freedom = choice("translational", doc="what is told: motion of the places, or turning of the axes")
    i: Marker = part({}, doc="the marker whose motion is told")
    j: Marker = part({"body": GROUND}, doc="the marker against which it moves")
    reference: Marker = part({"body": GYRO}, doc="the marker along whose axes it is told")

    def check(self, place: VehiclePlace) -> None:
        check_name(self.name)
        for name in ("i", "j", "reference"):
            check_body(getattr(self, name).body, place, name, "body")

    def markers(self, at: VehicleModel, p: Symbols) -> tuple[Motion, Motion, Motion]:
        """The three of them in a model."""
        return self.i.motion(at, p.i), self.j.motion(at, p.j), self.reference.motion(at, p.reference)

    def told(self, at: VehicleModel, component: str, value: Any, unit: str, doc: str) -> None:
        """One channel."""
        at.channel(f"{GROUP}.{self.name}.{component}", value, unit, doc)

    def along(self, one: Any, other: Any, reference: Motion) -> list[Any]:
        """Components of a difference along the axes of the reference (1)."""
        difference = minus(one, other)
        return [dot(difference, axis) for axis in reference.axes]
