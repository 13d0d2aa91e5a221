"""A motion sensor: all that a box with gyroscopes and accelerometers on a body could tell, up to 27 channels.

With the position r, velocity v and acceleration a of its place, the axes s of the sensor and the free fall g = -g n_z:

    X Y Z            r in the world                                                           outputs 1 and more
    AVx AVy AVz      ω·s                                                                      2 and more
    Vx Vy Vz, VxN VyN VzN, V       v·s, v in the world, |v|                                   3 and more
    Ax Ay Az, AxN AyN AzN, AxG AyG AzG    a·s, a in the world, (a - g n_z)·s or (a + g n_z)·s       4 and more
    Jx Jy            rate of Ax and Ay, from one evaluation of the equations to the next      4 and more
    At Ac Rho        along the path: At = a·v/|v|, Ac = |a - At v/|v||, Rho = Ac/V²           5

The sensor is mounted with angles: roll about x of the body, pitch about the new y, yaw about the new z. An
accelerometer feels a + g n_z, +g on z at rest; the printed definition of these sensors subtracts it, hence both.
At a standstill a path has no direction: what is told along it is 0.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from jounce.components.basics import Array, Point
from jounce.components.body.attached import (
    CHASSIS,
    Motion,
    Sensor,
    about_axis,
    check_body,
    check_name,
    dot,
    local,
    motion_of,
)
from jounce.components.body.motion import STANDING
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.fields import Data, choice, part, quantity
from jounce.symbolic.ops import fmax, if_else, sqrt

GROUP = "Motion_Sensor"
POSITION, TURNING, VELOCITY, ACCELERATION, PATH = 1, 2, 3, 4, 5


class Mounting(Data):
    """How a sensor is turned on its body: roll about x, then pitch about the new y, then yaw about the new z."""

    roll: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="about x of the body")
    pitch: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="then about the new y")
    yaw: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="then about the new z")

    @property
    def turn(self) -> Array:
        """The axes of the sensor in those of the body, as columns."""
        return about_axis("x", self.roll) @ about_axis("y", self.pitch) @ about_axis("z", self.yaw)

    @property
    def seen(self) -> dict[str, float]:
        """How they look: roll from the back, pitch from the side, yaw from the top, rad."""
        x, y, _ = self.turn.T
        return {
            "roll": float(np.arctan2(y[2], y[1])),
            "pitch": float(np.arctan2(-x[2], x[0])),
            "yaw": float(np.arctan2(x[1], x[0])),
        }

    @derived("-", doc="x axis of the sensor in axes of the body", at="vehicle")
    def x_axis(self, place: VehiclePlace) -> Array:
        return np.asarray(self.turn[:, 0] + 0.0)

    @derived("-", doc="y axis of the sensor in axes of the body", at="vehicle")
    def y_axis(self, place: VehiclePlace) -> Array:
        return np.asarray(self.turn[:, 1] + 0.0)


class MotionSensor(Sensor):
    """All about the motion of a place on a body."""

    kind: Literal["motion"] = choice("motion", doc="kind of sensor")
    name: str = choice(doc="name of its channels: `Motion_Sensor.<name>.…`")
    body: str = choice(CHASSIS, doc="`chassis`, `front`, or a wheel (`L1` …) for its carrier")
    location: Point = part({}, doc="where it is at design")
    mounting: Mounting = part({}, doc="how it is turned on the body")
    outputs: Literal[1, 2, 3, 4, 5] = choice(
        5, doc="1 position, 2 also turning, 3 velocity, 4 acceleration and jerk, 5 along the path"
    )
    gravity: Literal["subtracted", "felt"] = choice(
        "subtracted", doc="in AxG, AyG, AzG: a - g n_z, -g on z at rest; or a + g n_z as an accelerometer feels it"
    )

    def check(self, place: VehiclePlace) -> None:
        check_name(self.name)
        check_body(self.body, place, "body", moving=True)

    @derived("m", doc="from the origin of its body", label="location", at="vehicle")
    def place(self, place: VehiclePlace) -> Array:
        return local(self.body, self.location.array, place)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        here = motion_of(at, self.body, p.place, p.mounting.x_axis, p.mounting.y_axis)

        def told(names: str, values: Any, unit: str, doc: str) -> None:
            for name, value in zip(names.split(), values, strict=True):
                at.channel(f"{GROUP}.{self.name}.{name}", value, unit, doc)

        told("X Y Z", here.position, "m", "of the sensor, world axes")
        if self.outputs >= TURNING:
            told("AVx AVy AVz", here.along(here.turning), "rad/s", "turning, axes of the sensor")
        if self.outputs >= VELOCITY:
            v = here.velocity
            told("Vx Vy Vz", here.along(v), "m/s", "of the sensor, its own axes")
            told("VxN VyN VzN", v, "m/s", "of the sensor, world axes")
            told("V", [sqrt(dot(v, v))], "m/s", "its speed")
        if self.outputs >= ACCELERATION:
            a = here.acceleration
            own = here.along(a)
            told("Ax Ay Az", own, "m/s2", "of the sensor, its own axes")
            told("AxN AyN AzN", a, "m/s2", "of the sensor, world axes")
            sign = 1.0 if self.gravity == "subtracted" else -1.0
            weight = here.along(at.system.world.gravity)
            told("AxG AyG AzG", [x + sign * g for x, g in zip(own, weight, strict=True)], "m/s2", "with gravity")
            told("Jx Jy", self._jerk(at, p, own[:2]), "m/s3", "rate of the acceleration, its own axes")
        if self.outputs >= PATH:
            self._along_path(here, told)

    def _jerk(self, at: VehicleModel, p: Symbols, own: list[Any]) -> list[Any]:
        """Differences from one evaluation to the next."""
        scope, elapsed = at.system.scope(p.own_name), at.system.elapsed
        rates = []
        for axis, value in zip("xy", own, strict=True):
            before = scope.memory(f"last_a{axis}", "m/s2", "acceleration at the last evaluation", role="free")
            scope.next_memory(before, value)
            rates.append(if_else(elapsed > 0, (value - before) / if_else(elapsed > 0, elapsed, 1.0), 0.0))
        return rates

    def _along_path(self, here: Motion, told: Any) -> None:
        v, a = here.velocity, here.acceleration
        squared = dot(v, v)
        speed = fmax(sqrt(squared), STANDING)
        along = dot(v, a) / speed
        rest = [x - along * y / speed for x, y in zip(a, v, strict=True)]
        moving = squared > STANDING * STANDING
        across = if_else(moving, sqrt(dot(rest, rest)), 0.0)
        told("At Ac", [if_else(moving, along, 0.0), across], "m/s2", "along and across its path")
        told("Rho", [across / (speed * speed)], "1/m", "curvature of its path")
