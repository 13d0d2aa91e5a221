"""Roll stability control: a vehicle that would turn over is slowed down before it does.

A truck lifts its inner wheels at a lateral acceleration that its drivers do not feel coming. The unit compares what its
sensors tell with a limit a_1 below that. With the sensed speed v, hand wheel angle δ, lateral acceleration a_y, the
hand wheel angle per curvature S and what a lateral acceleration adds to it U (``stability_control`` (1)),

    a_s = v² δ/(S + U v²)                                                                                         (1)
    a   = max(|a_y|, η |a_s|)                                                                                     (2)

a_s is what the steering asks for and comes before the vehicle has turned, by the share η at which it is believed: after
a quick turn of the hand wheel the brakes have begun when the trailer begins to roll. Above the limit all wheels are
braked alike and the drive has nothing,

    p = min(G (a − a_1), p_max),     u = 0                                                                        (3)

p grows as fast as the brakes can, and falls at a rate of its own, so that a quick change back does not find them empty.
Brakes of the driver count: the larger pressure of both acts. Anti-lock control has the last word (``arbiter``).

In reverse and below a low speed it looks on. The unit knows sensors with offset and noise, never the roll angle or the
load of a wheel; nor does it know what is loaded: a_1 is that of the highest load unless a run sets it. After the
descriptions of such systems in [Reif2014]; (2) with its share is ours.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from jounce.components.controllers.arbiter import arbiter
from jounce.components.controllers.controller import ReferenceController
from jounce.components.controllers.sensors import sensed
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, fabs, fmax, fmin, if_else, logic_and

NAME = "roll_stability"


class RollStability(ReferenceController):
    """Brakes all wheels when the lateral acceleration comes near to what turns the vehicle over."""

    kind: Literal["roll_stability"] = choice("roll_stability", doc="kind of controller")
    limit: float = quantity("m/s2", 3.0, gt=0, typical=(0.5, 12.0), doc="lateral acceleration from which it acts, a_1")
    anticipation: float = quantity("-", 0.8, ge=0, le=1, doc="share at which the steering is believed")
    gain: float = quantity("Pa.s2/m", 3e5, gt=0, typical=(1e4, 2e7), doc="pressure per acceleration above the limit, G")
    largest_pressure: float = quantity("Pa", 5e5, gt=0, typical=(5e4, 2e7), doc="that it asks for, p_max")
    build_rate: float = quantity("Pa/s", 4e6, gt=0, typical=(1e5, 1e9), doc="of its pressure")
    release_rate: float = quantity("Pa/s", 5e5, gt=0, typical=(1e4, 1e9), doc="of its pressure")
    low_speed: float = quantity("m/s", 4.0, gt=0, typical=(1.0, 20.0), doc="below which it leaves the vehicle alone")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for name in at.wheels:
            arbiter(at).enter(f"pressure.{name}", NAME, "raise", partial(self._signal, at, p, "pressure"))
        arbiter(at).enter("throttle", NAME, "limit", partial(self._signal, at, p, "throttle"))

    def _block(self, at: VehicleModel, p: Symbols) -> Any:
        if "block" not in p.kept:
            seen = sensed(at, self.kind)
            block = at.scope(self.kind).block("unit", seen.block.default_period, doc="watches over the tilt")
            p.kept.update(seen=seen, block=block)
            p.kept["excess"] = block.signal("excess", "m/s2", "of the lateral acceleration above the limit")
            p.kept["pressure"] = block.signal("pressure", "Pa", "that it asks for at all wheels")
            p.kept["throttle"] = block.signal("throttle", "-", "most of the demand of the drive", 1.0)
        return p.kept["block"]

    def _signal(self, at: VehicleModel, p: Symbols, name: str) -> Any:
        self._block(at, p)
        return p.kept[name]

    def close(self, at: VehicleModel, p: Symbols) -> None:
        block, s = self._block(at, p), p.kept
        seen, T = s["seen"], block.period
        v = seen.speed
        works = logic_and(logic_and(p.active > 0.5, seen.started > 0.5), seen.way * v > p.low_speed)
        asked = v * v * seen.steering_wheel / (p.steering_per_curvature + p.understeer * v * v)  # (1)
        found = fmax(fabs(seen.ay), p.anticipation * fabs(asked))  # (2)
        excess = if_else(works, fmax(found - p.limit, 0.0), 0.0)
        wanted = fmin(p.gain * excess, p.largest_pressure)  # (3)
        pressure = clip(wanted, s["pressure"] - T * p.release_rate, s["pressure"] + T * p.build_rate)
        pressure = if_else(works, fmax(pressure, 0.0), 0.0)
        block.update(s["excess"], excess)
        block.update(s["pressure"], pressure)
        block.update(s["throttle"], if_else(excess > 0, 0.0, fmin(s["throttle"] + T, 1.0)))

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        at.channel("RSC.excess", p.kept["excess"], "m/s2", "of the sensed lateral acceleration above the limit")
        at.channel("RSC.pressure", p.kept["pressure"], "Pa", "that the roll stability control asks for")
        at.channel("RSC.activity", if_else(p.kept["pressure"] > 0, 1.0, 0.0), "-", "1 while it acts")
