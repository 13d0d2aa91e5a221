"""What a driver does with pedals and gears when tires spin or leave the ground.

**Slip.** With the largest slip s of the wheels that are looked at, x_2 the most allowed, x_0 and x_1 shares of it, the
throttle is multiplied by

    f = 1                                       s ≤ x_0
    f = 1 − p (s − x_0)                         x_0 < s ≤ x_1
    f = max(0, 1 − p (x_1 − x_0) − 3p (s − x_1))   x_1 < s                                                          (1)

and below the least slip allowed the clutch opens.

**In the air.** While every tire bears less than the least load, throttle and brake are released and the clutch is open,
each where it is chosen; afterwards they come back with a share r,

    r = 0 in the air,    τ ṙ = 1 − r                                                                             (2)

by τ = 1/(2π f_c). **No shifting up** while a tire slips more than a threshold or bears less than the least load, for a
least time once that has begun and no longer than a most time; then not again before it is over.

Both act on the pedals of a run, too. They see the true slip and load of the tires, which no driver does. Rules of the
reference tool's driver files.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

from pydantic import model_validator

from jounce.core.fields import Data, choice, problem, quantity
from jounce.symbolic.ops import clip, fabs, fmax, fmin, if_else, logic_and, logic_or

if TYPE_CHECKING:
    from jounce.components.part import Symbols


class SlipThrottle(Data):
    """Throttle by slip (1)."""

    wheels: tuple[str, ...] = choice((), doc="names of those that are looked at; none: all")
    active: float = quantity("-", 1.0, ge=0, le=1, doc="1 on, 0 off")
    max_slip: float = quantity("-", 0.05, gt=0, typical=(0.005, 0.5), doc="most slip allowed, x_2")
    min_slip: float = quantity("-", -1.0, doc="slip below which the clutch opens")
    gain: float = quantity("-", 100.0, gt=0, typical=(1.0, 1e4), doc="by which the throttle fades with slip, p")
    share_1: float = quantity("-", 0.85, gt=0, doc="x_0 over x_2")
    share_2: float = quantity("-", 0.9, gt=0, doc="x_1 over x_2")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.share_2 < self.share_1:
            raise problem(f"{self.share_2:g}: must not be below share_1, {self.share_1:g}", "share_2")
        return self

    def chosen(self, values: dict[str, Any]) -> list[Any]:
        """Of the wheels that are looked at."""
        unknown = [name for name in self.wheels if name not in values]
        if unknown:
            raise problem(f"no wheel is called {unknown[0]!r}; there are {', '.join(values)}", "wheels")
        return [values[name] for name in (self.wheels or values)]

    def factor(self, p: Symbols, slips: dict[str, Any]) -> Any:
        """f (1)."""
        slip = most(self.chosen(slips), fmax)
        x0, x1 = p.share_1 * p.max_slip, p.share_2 * p.max_slip
        c = p.gain * fmax(fmin(slip, x1) - x0, 0.0) + 3 * p.gain * fmax(slip - x1, 0.0)
        return if_else(p.active > 0.5, clip(1 - c, 0.0, 1.0), 1.0)

    def opens(self, p: Symbols, slips: dict[str, Any]) -> Any:
        """1 where the clutch opens."""
        slip = most(self.chosen(slips), fmin)
        return if_else(logic_and(p.active > 0.5, slip < p.min_slip), 1.0, 0.0)


class TireControl(Data):
    """In the air, and while tires spin (2)."""

    active: float = quantity("-", 1.0, ge=0, le=1, doc="1 on, 0 off")
    throttle: float = quantity("-", 0.0, ge=0, le=1, doc="1: release the throttle in the air")
    braking: float = quantity("-", 0.0, ge=0, le=1, doc="1: release the brake in the air")
    clutch: float = quantity("-", 0.0, ge=0, le=1, doc="1: open the clutch in the air")
    filter_frequency: float = quantity("Hz", 1 / (2 * math.pi * 0.05), gt=0, doc="with which they come back, f_c")
    min_load: float = quantity("N", 5.0, ge=0, doc="below which a tire is in the air")
    gear: float = quantity("-", 1.0, ge=0, le=1, doc="1: no shifting up while a tire spins")
    slip_threshold: float = quantity("-", 0.2, gt=0, doc="above which it spins")
    inhibition: float = quantity("s", 0.1, ge=0, doc="no shifting up for this time at least")
    max_inhibition: float = quantity("s", 3.0, ge=0, doc="and at most")

    def signals(self, block: Any) -> dict[str, Any]:
        """What the driver's block keeps for it."""
        return {
            "air.share": block.signal("air.share", "-", "of the pedals that is back after a jump", 1.0),
            "air.held": block.signal("air.held", "-", "1 while he does not shift up"),
            "air.begin": block.signal("air.begin", "s", "since when"),
            "air.spent": block.signal("air.spent", "-", "1 when he has waited long enough"),
        }

    def update(
        self, p: Symbols, s: dict[str, Any], block: Any, now: Any, slips: dict[str, Any], loads: dict[str, Any]
    ) -> None:  # fmt: skip
        heaviest, lightest = most(list(loads.values()), fmax), most(list(loads.values()), fmin)
        flies = logic_and(heaviest < p.min_load, p.active > 0.5)
        back = clip(block.period * 2 * math.pi * p.filter_frequency, 0.0, 1.0)
        block.update(s["air.share"], if_else(flies, 0.0, s["air.share"] + back * (1 - s["air.share"])))  # (2)
        spins = most([fabs(slip) for slip in slips.values()], fmax) > p.slip_threshold
        bad = logic_and(logic_or(spins, lightest < p.min_load), logic_and(p.gear > 0.5, p.active > 0.5))
        begins = logic_and(logic_and(bad, s["air.held"] < 0.5), s["air.spent"] < 0.5)
        begin = if_else(begins, now, s["air.begin"])
        since = now - begin
        waits = logic_and(logic_or(bad, since < p.inhibition), since < p.max_inhibition)
        held = logic_and(logic_or(s["air.held"] > 0.5, begins), waits)
        block.update(s["air.begin"], begin)
        block.update(s["air.held"], if_else(held, 1.0, 0.0))
        spent = logic_and(bad, logic_or(s["air.spent"] > 0.5, since >= p.max_inhibition))
        block.update(s["air.spent"], if_else(spent, 1.0, 0.0))

    def pedal(self, p: Symbols, s: dict[str, Any], name: str) -> Any:
        """Factor on a pedal."""
        return 1 - {"throttle": p.throttle, "brake": p.braking}[name] * (1 - s["air.share"])


def most(values: list[Any], of: Any) -> Any:
    """The largest or the smallest of some values."""
    found = values[0]
    for value in values[1:]:
        found = of(found, value)
    return found
