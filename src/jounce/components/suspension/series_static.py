"""A series elasticity without mass: it gives way as far as the force of the elements behind it says.

    c ż + k z = F(J − z, J̇ − ż),   c = lag · (k + ∂F/∂x),   x = J − z                                            (1)

with k at the wheel (``series_stiffness`` (2)). At rest this is k z = F(J − z): 1/k_total = 1/k_elements + 1/k. z is a
state; its rate is what (1) says of it: F contains the dampers, which move with J̇ − ż, so that (1) is an equation for
ż. It is solved by Newton's method for both wheels of an axle together: in one step, exactly, where dampers are linear
or do not pass; else in a few steps from the last rate. ``lag`` is small: 1/lag is the fastest rate that the massless
end has where no damper slows it, and a step must resolve it. c grows with the stiffness of the elements, so that a
hard stop does not make it faster. The power that goes into (1) is stored in ½ k z² or lost in c ż².
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.suspension.series_stiffness import SeriesStiffness, is_rigid
from jounce.core.fields import choice, part, quantity
from jounce.symbolic.ops import fmax

STEPS = 3  # of Newton's method from the last rate, where dampers are curves


class SeriesStatic(SeriesStiffness):
    """Elasticity in series with springs, dampers and stops, without mass:  k z = F(J − z, J̇ − ż)."""

    kind: Literal["static"] = choice("static", doc="static, or dynamic with a mass")
    lag: float = quantity("s", 0.002, gt=0, typical=(1e-4, 0.1), doc="in which it follows where no damper slows it")
    right: SeriesStatic | None = part(None, doc="what differs on the right side")

    def frames(self, at: WheelModel, p: Symbols) -> None:
        if is_rigid(at):
            return
        scope = at.system.scope(p.own_name)
        z = scope.state("deflection", "m", "what the series elasticity gives way, at the wheel", role="balance")
        # ż is used by the elements before it is known; it is defined in `close`
        rate = at.system.later(f"{p.own_name}.deflection.rate", sought=True)
        p.kept.update(z=z, rate=rate, forces=[])
        self.hang(at, at.travel - z, at.travel_rate - rate, p.kept["forces"])

    def close(self, at: WheelModel, p: Symbols) -> None:
        if is_rigid(at):
            return
        p.kept["force"] = -sum(p.kept["forces"])
        p.kept["stiffness"] = p.stiffness * p.to_wheel
        assert at.behind_series is not None
        slope = at.vehicle.slope(p.kept["force"], at.behind_series.travel)
        p.kept["damping"] = p.lag * (p.kept["stiffness"] + fmax(slope, 0.0))
        at.series = p.kept
        if at is at.axle.wheels[-1]:  # the last: all of the axle are known
            solve(at)
        at.system.scope(p.own_name).derivative(p.kept["z"], p.kept["rate"])

    def tell(self, at: WheelModel, p: Symbols) -> None:
        if not is_rigid(at):
            self.told(at, p.kept["z"], p.kept["force"])


def solve(at: WheelModel) -> None:
    """Define the rates ż of an axle by (1)."""
    items = [wheel.series for wheel in at.axle.wheels]
    calls, rates = at.system.calls, [item["rate"] for item in items]
    left = [i["damping"] * i["rate"] + i["stiffness"] * i["z"] - i["force"] for i in items]
    jacobian = [[calls.jacobian(g, w)[0, 0] for w in rates] for g in left]
    straight = not any(calls.depends_on(entry, rates) for row in jacobian for entry in row)
    known: list[Any] = [0.0] * len(items)
    if not straight:
        scope = at.vehicle.scope(f"axle{at.axle.place.number}.series_stiffness")
        known = [
            scope.memory(f"rate_{wheel.place.side}", "m/s", "rate of the series deflection, last", role="zero")
            for wheel in at.axle.wheels
        ]
        memories = list(known)
    for _ in range(1 if straight else STEPS):
        flat = [*left, *(entry for row in jacobian for entry in row)]
        values = calls.substituted(flat, rates, known)
        n = len(items)
        g, j = values[:n], [values[n + n * i : n + n * (i + 1)] for i in range(n)]
        known = [w - step for w, step in zip(known, _solved(j, g), strict=True)]
    for rate, value in zip(rates, known, strict=True):
        at.system.define(rate, value)
    if not straight:
        for memory, rate in zip(memories, rates, strict=True):
            scope.next_memory(memory, rate)


def _solved(matrix: list[list[Any]], right: list[Any]) -> list[Any]:
    """The solution of one or two equations."""
    if len(right) == 1:
        return [right[0] / matrix[0][0]]
    (a, b), (c, d) = matrix
    if b.is_zero() and c.is_zero():
        return [right[0] / a, right[1] / d]
    det = a * d - b * c
    return [(d * right[0] - b * right[1]) / det, (a * right[1] - c * right[0]) / det]
