"""Cruise control: drive and brakes that keep a speed, by the sensed speed of the car.

With e = v_set − v, sampled,

    a = K e + I ∫e dt,     u ≥ a/a_u,     p ≥ p_b (−a − a_d)⁺                                                      (1)

The demand of the drive is raised to u, so that the driver may give more; brakes help beyond the deceleration a_d that
the drive makes by itself. The integral stops while u is at its ends. The driver switches it off by braking; in
reverse it is off.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from jounce.components.controllers.arbiter import arbiter
from jounce.components.controllers.controller import Controller
from jounce.components.controllers.sensors import sensed
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, fmax, if_else, logic_and, logic_or

NAME = "cruise_control"
PRESSED = 0.01  # brake demand with which the driver switches it off


class CruiseControl(Controller):
    """Keeps a speed."""

    kind: Literal["cruise_control"] = choice("cruise_control", doc="kind of controller")
    speed: float = quantity("m/s", 27.0, ge=0, typical=(1.0, 80.0), doc="that is kept, v_set")
    gain: float = quantity("1/s", 0.8, gt=0, typical=(0.05, 10.0), doc="acceleration per error, K")
    integral: float = quantity("1/s2", 0.15, ge=0, typical=(0.0, 5.0), doc="I")
    full_acceleration: float = quantity("m/s2", 4.0, gt=0, typical=(0.2, 15.0), doc="that a full demand gives, a_u")
    coasting: float = quantity("m/s2", 0.5, ge=0, typical=(0.0, 3.0), doc="that the car decelerates by itself, a_d")
    brake_gain: float = quantity("Pa.s2/m", 6e5, ge=0, typical=(1e4, 1e7), doc="pressure per deceleration, p_b")
    largest_deceleration: float = quantity("m/s2", 2.0, gt=0, typical=(0.2, 6.0), doc="that it asks for")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        arbiter(at).enter("throttle", NAME, "raise", partial(self._signal, at, p, "throttle"))
        for name in at.wheels:
            arbiter(at).enter(f"pressure.{name}", NAME, "raise", partial(self._signal, at, p, "pressure"))

    def _signal(self, at: VehicleModel, p: Symbols, name: str) -> Any:
        if "block" not in p.kept:
            seen = sensed(at, self.kind)
            block = at.scope(self.kind).block("unit", seen.block.default_period, doc="keeps a speed")
            p.kept.update(seen=seen, block=block)
            for signal, unit, doc in (
                ("throttle", "-", "demand of the drive"),
                ("pressure", "Pa", "in the brakes"),
                ("sum", "m/s2", "integral part of the acceleration"),
            ):
                p.kept[signal] = block.signal(signal, unit, doc)
        return p.kept[name]

    def close(self, at: VehicleModel, p: Symbols) -> None:
        self._signal(at, p, "throttle")
        s = p.kept
        block, seen = s["block"], s["seen"]
        error = p.speed - seen.speed
        asked = p.gain * error + s["sum"]
        works = logic_and(p.active > 0.5, logic_and(seen.started > 0.5, seen.way > 0))
        works = logic_and(works, at.signals.read("brake", self.kind) < PRESSED)
        low = -p.largest_deceleration
        ended = logic_or(logic_and(asked > p.full_acceleration, error > 0), logic_and(asked < low, error < 0))
        total = if_else(ended, s["sum"], s["sum"] + block.period * p.integral * error)
        block.update(s["sum"], if_else(works, total, 0.0))
        asked = clip(asked, low, p.full_acceleration)
        block.update(s["throttle"], if_else(works, clip(asked / p.full_acceleration, 0.0, 1.0), 0.0))  # (1)
        block.update(s["pressure"], if_else(works, p.brake_gain * fmax(-asked - p.coasting, 0.0), 0.0))

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        at.channel("Cruise_Control.error", p.speed - p.kept["seen"].speed, "m/s", "wanted less sensed speed")
