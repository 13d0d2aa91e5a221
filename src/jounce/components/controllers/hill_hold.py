"""Hill hold: the pressure with which a car came to stand is kept until it is driven away.

    p ≥ p_h,   p_h = pressure of the line when the sensed speed has been zero for a while with the brake pressed   (1)

It is let go at the rate of its valves as soon as the drive is asked for more than a threshold, or after a time.
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

NAME = "hill_hold"
PRESSED = 1e5  # Pa


class HillHold(Controller):
    """Keeps the pressure of a car that stands."""

    kind: Literal["hill_hold"] = choice("hill_hold", doc="kind of controller")
    still: float = quantity("m/s", 0.15, gt=0, typical=(0.01, 1.0), doc="sensed speed that counts as none")
    wait: float = quantity("s", 0.2, ge=0, typical=(0.0, 5.0), doc="for which it must be so")
    throttle: float = quantity("-", 0.03, gt=0, lt=1, typical=(0.002, 0.5), doc="demand of the drive that lets go")
    release_rate: float = quantity("Pa/s", 2e7, gt=0, typical=(1e6, 1e9), doc="of the pressure when it lets go")
    hold_time: float = quantity("s", 1e4, gt=0, typical=(0.1, 1e5), doc="after which it lets go")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for name in at.wheels:
            arbiter(at).enter(f"pressure.{name}", NAME, "raise", partial(self._signal, at, p, name))

    def _signal(self, at: VehicleModel, p: Symbols, name: str) -> Any:
        if "block" not in p.kept:
            seen = sensed(at, self.kind)
            block = at.scope(self.kind).block("unit", seen.block.default_period, doc="holds a car that stands")
            p.kept.update(seen=seen, block=block, stood=block.signal("stood", "s", "for how long it has stood"))
            for wheel in at.wheels:
                p.kept[wheel] = block.signal(f"pressure.{wheel}", "Pa", "that is kept")
        return p.kept[name]

    def close(self, at: VehicleModel, p: Symbols) -> None:
        self._signal(at, p, "stood")
        s, T = p.kept, p.kept["block"].period
        block, seen, stood = s["block"], s["seen"], s["stood"]
        lines = {name: arbiter(at).before(at, f"pressure.{name}", NAME) for name in at.wheels}
        held = {name: s[name] for name in at.wheels}
        pressed: Any = 0.0
        for name in at.wheels:
            pressed = fmax(pressed, fmax(lines[name], held[name]))
        drives = at.signals.read("throttle", self.kind) > p.throttle
        stands = logic_and(seen.speed < p.still, pressed > PRESSED)
        block.update(stood, if_else(stands, stood + T, 0.0))
        keeps = logic_and(logic_and(p.active > 0.5, stood >= p.wait), stood < p.wait + p.hold_time)
        lets_go = logic_or(drives, keeps < 0.5)
        for name in at.wheels:
            falls = clip(held[name] - T * p.release_rate, 0.0, 1e9)
            block.update(held[name], if_else(lets_go, falls, fmax(held[name], lines[name])))

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        acts = if_else(p.kept["stood"] >= p.wait, 1.0, 0.0)
        at.channel("Hill_Hold.activity", acts, "-", "1 while it keeps pressure")
