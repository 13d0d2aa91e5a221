"""Contact deflections with a step of their own: explicit Euler between the steps of the mechanism.

A sampled block holds the deflections u, v and what the wheel gave the tire at the last sample, z (deflection, speeds,
spin …). At the next sample, a period T later, it makes n steps of T/n, with z on the straight line in between:

    z_j = z[k-1] + j/n (z[k] - z[k-1]),    (u, v)_(j+1) = (u, v)_j + T/n · rates((u, v)_j; z_j),    j = 0 … n-1     (1)

so the error is of first order in T/n and of second order in T. Between samples the mechanism sees u, v held. The
smallest relaxation length follows the small step: σ ≥ 2 |Vx| T/n (``transient``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jounce.symbolic.system import Scope


MOST = 200  # small steps in a period: each is a call of the tire in the compiled code
BLOCK = "integrator"

Rates = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class SubSteps:
    """The deflections of a tire as signals of a block; ``advance`` sets what they become."""

    def __init__(self, scope: Scope, steps: int) -> None:
        self.steps = steps
        self.block = scope.block(BLOCK, doc="contact deflections with their own step")
        self.u = self.block.signal("u", "m", "longitudinal deflection of the contact")
        self.v = self.block.signal("v", "m", "lateral deflection of the contact")
        self.step = self.block.period / steps

    def advance(self, given: Mapping[str, Any], rates: Rates) -> None:
        """Declare (1).

        Parameters
        ----------
        given : what the wheel gives the tire now, without u, v and the step
        rates : the tire: from ``given`` with u, v and t_dt to ``u_rate`` and ``v_rate``
        """
        block = self.block
        started = block.signal("started", "-", "0 before the first sample, which has nothing to go on from")
        before = {key: block.signal(f"was.{key}", "-", f"{key} at the last sample") for key in given}
        u, v = self.u, self.v
        for j in range(self.steps):
            share = j / self.steps
            z = {key: before[key] + share * (now - before[key]) for key, now in given.items()}
            found = rates({**z, "u": u, "v": v, "t_dt": self.step})
            u, v = u + self.step * found["u_rate"], v + self.step * found["v_rate"]
        block.update(self.u, self.u + started * (u - self.u))
        block.update(self.v, self.v + started * (v - self.v))
        block.update(started, 1.0)
        for key, now in given.items():
            block.update(before[key], now)
