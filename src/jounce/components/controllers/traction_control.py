"""Traction control by the drive and by brakes, by what wheel-speed sensors tell.

A driven wheel may be faster than the car by Δ* = max(s* v, Δ_0), with the sensed speeds v_i and v (``sensors`` (2)).
With the mean excess e_m of the driven wheels of which the slower ones say what the road bears, and that e_i of each,

    u̇ = −K (e_m − Δ*)  while it acts,     u ≤ 1;     it begins with the demand in force when e_m > Δ*              (1)
    p_i = K_p (e_i − e_o − Δ*)⁺                                                                                 (2)

limits the demand of the drive and brakes the wheel that spins more than the other one of its axle, e_o, so that a
differential gives the other one as much as the brake takes. It leaves the drive when u is above what the driver asks
for. [Reif2014], traction control systems; the law (1) is ours.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from jounce.components.controllers.arbiter import arbiter
from jounce.components.controllers.controller import Controller
from jounce.components.controllers.sensors import driven, sensed
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, fmax, fmin, if_else, logic_and, logic_or

NAME = "traction_control"


class TractionControl(Controller):
    """Holds driven wheels from spinning."""

    kind: Literal["traction_control"] = choice("traction_control", doc="kind of controller")
    slip: float = quantity("-", 0.06, gt=0, typical=(0.005, 0.5), doc="that driven wheels may have, s*")
    slip_speed: float = quantity("m/s", 0.5, gt=0, typical=(0.05, 5.0), doc="that they may have at rest, Delta_0")
    gain: float = quantity("1/m", 0.6, gt=0, typical=(0.01, 20.0), doc="change of the demand per way of excess, K")
    damping: float = quantity("s/m", 0.12, ge=0, typical=(0.0, 5.0), doc="of the demand per excess that grows")
    brake_gain: float = quantity("Pa.s/m", 2.5e6, ge=0, typical=(1e4, 1e8), doc="pressure per excess, K_p")
    largest_pressure: float = quantity("Pa", 8e6, gt=0, typical=(1e5, 5e7), doc="that its pump makes")
    build_rate: float = quantity("Pa/s", 4e7, gt=0, typical=(1e6, 1e9), doc="of that pressure")
    brake_until: float = quantity("m/s", 20.0, gt=0, typical=(1.0, 80.0), doc="speed up to which brakes help")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for name in at.wheels:
            arbiter(at).enter(f"pressure.{name}", NAME, "raise", partial(self._signal, at, p, f"pressure.{name}"))
        arbiter(at).enter("throttle", NAME, "limit", partial(self._signal, at, p, "limit"))

    def _signal(self, at: VehicleModel, p: Symbols, name: str) -> Any:
        if "block" not in p.kept:
            seen = sensed(at, self.kind)
            block = at.scope(self.kind).block("unit", seen.block.default_period, doc="watches over driven wheels")
            p.kept.update(seen=seen, block=block, limit=block.signal("limit", "-", "of the demand of the drive", 1.0))
            p.kept["excess"] = block.signal("excess", "m/s", "of the driven wheels over what they may have")
            for wheel in at.wheels:
                p.kept[f"pressure.{wheel}"] = block.signal(f"pressure.{wheel}", "Pa", "that the pump makes")
        return p.kept[name]

    def close(self, at: VehicleModel, p: Symbols) -> None:
        limit, s = self._signal(at, p, "limit"), p.kept
        block, seen = s["block"], s["seen"]
        T, works = block.period, logic_and(p.active > 0.5, seen.started > 0.5)
        share = {name: driven(wheel) for name, wheel in at.wheels.items()}
        ahead = {name: seen.wheel_speed[name] - seen.reference[name] for name in at.wheels}
        allowed = fmax(p.slip * seen.speed, p.slip_speed)
        count = fmax(sum(share.values()), 1.0)
        excess = sum(share[name] * ahead[name] for name in at.wheels) / count - allowed
        demand = at.signals.read("throttle", self.kind)
        last = fmin(limit, fmax(demand, 0.0))
        grows = p.damping * (excess - s["excess"])
        moved = clip(last - T * p.gain * excess - grows, 0.0, 1.0)  # (1)
        acts = logic_and(works, logic_or(excess > 0, limit < demand))
        block.update(limit, if_else(acts, moved, 1.0))
        block.update(s["excess"], excess)
        for name, wheel in at.wheels.items():
            other = wheel.paired.place.name
            more = ahead[name] - fmax(ahead[other], 0.0) - allowed
            asked = share[name] * clip(p.brake_gain * more, 0.0, p.largest_pressure)  # (2)
            asked = if_else(logic_and(works, seen.speed < p.brake_until), asked, 0.0) if other != name else 0.0
            signal = s[f"pressure.{name}"]
            block.update(signal, fmin(asked, signal + T * p.build_rate))

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        acts = if_else(p.kept["limit"] < at.signals.read("throttle", self.kind), 1.0, 0.0)
        at.channel("TCS.activity", acts, "-", "1 while the traction control takes from the drive")
