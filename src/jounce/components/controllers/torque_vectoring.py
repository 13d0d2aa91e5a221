"""Torque vectoring: drive torque is moved from one wheel of an axle to the other so that the car turns as steered.

With the yaw rate ψ̇_s of the single-track model (``stability_control`` (1)) from the car's own figures,

    M = clip(K (ψ̇_s − ψ̇), ±M_max),     T_i = −sign(y_i) M r/(2 |y_i|)                                              (1)

of both wheels of the axle: their sum is zero, their forces have the moment M. As two motors or an active differential
do it. In reverse, below a low speed and beyond the lateral acceleration of (2) of ``stability_control`` it asks
for no more.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from jounce.components.controllers.arbiter import arbiter
from jounce.components.controllers.controller import ReferenceController
from jounce.components.controllers.sensors import radius, sensed, side
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, fabs, fmax, if_else, logic_and

NAME = "torque_vectoring"
SLOWEST = 3.0  # m/s, in divisions


class TorqueVectoring(ReferenceController):
    """Moves drive torque across an axle."""

    kind: Literal["torque_vectoring"] = choice("torque_vectoring", doc="kind of controller")
    axle: Literal["first", "last"] = choice("last", doc="axle of the first unit whose wheels have other torques")
    lighter: float = quantity("-", 0.7, gt=0, typical=(0.1, 1.5), doc="of the understeer of the car that is wanted")
    gain: float = quantity("N.m.s/rad", 2e4, ge=0, typical=(100.0, 1e6), doc="moment per yaw rate, K")
    largest: float = quantity("N.m", 2000.0, ge=0, typical=(50.0, 2e4), doc="moment about the vertical, M_max")
    grows: float = quantity("m/s2", 2.0, gt=0, typical=(0.2, 10.0), doc="lateral acceleration that may still come")
    lag: float = quantity("s", 0.03, gt=0, typical=(0.005, 0.5), doc="of the torques")
    low_speed: float = quantity("m/s", 5.0, gt=0, typical=(1.0, 20.0), doc="below which it does nothing")

    def _wheels(self, at: VehicleModel) -> list[str]:
        axle = at.place.units[0].axles[0 if self.axle == "first" else -1]
        return [wheel.name for wheel in axle.wheels] if len(axle.wheels) == 2 else []

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for name in self._wheels(at):
            arbiter(at).enter(f"torque.{name}", NAME, "add", partial(self._torque, at, p, name))
            at.signals.add(f"Wheel_driving.moment.{name}", partial(self._decided, at, name), self.kind)

    def _decided(self, at: VehicleModel, name: str) -> Any:
        return arbiter(at).decide(at, f"torque.{name}", 0.0)

    def _moment(self, at: VehicleModel, p: Symbols) -> Any:
        if "moment" not in p.kept:
            seen = sensed(at, self.kind)
            block = at.scope(self.kind).block("unit", seen.block.default_period, doc="moves torque across an axle")
            p.kept.update(seen=seen, block=block, moment=block.signal("moment", "N.m", "about the vertical"))
        return p.kept["moment"]

    def _torque(self, at: VehicleModel, p: Symbols, name: str) -> Any:
        wheel, y = at.wheels[name], side(at.wheels[name])
        return -self._moment(at, p) * radius(wheel) * y / (2 * fmax(y * y, 1e-6))  # (1)

    def close(self, at: VehicleModel, p: Symbols) -> None:
        moment = self._moment(at, p)
        seen, block = p.kept["seen"], p.kept["block"]
        v = fmax(seen.speed, SLOWEST)
        most = (fabs(seen.ay) + p.grows) / v
        wanted = v * seen.steering_wheel / (p.steering_per_curvature + p.lighter * p.understeer * v * v)
        asked = clip(p.gain * (clip(wanted, -most, most) - seen.yaw_rate), -p.largest, p.largest)
        works = logic_and(logic_and(p.active > 0.5, seen.started > 0.5), seen.way * seen.speed > p.low_speed)
        asked = if_else(works, asked, 0.0)
        block.update(moment, moment + clip(block.period / p.lag, 0.0, 1.0) * (asked - moment))

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        at.channel("Torque_Vectoring.moment", self._moment(at, p), "N.m", "about the vertical, left positive")
