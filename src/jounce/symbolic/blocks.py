"""Sampled blocks: discrete systems with memory that run at their own rate inside the loop.

A block has *signals*, values that are held between its samples and may stand in any expression.  At a sample all
signals are replaced at once by what their updates give at that instant,

    s_j[k+1] = g_j(t_k, x(t_k), m, u(t_k), s_1[k], ..., s_n[k]),     t_k = t_0 + offset + k period               (1)

so an update that reads a signal of its own block reads its old value.  Blocks run one after the other in the order of
their declaration: a later one sees the new signals of an earlier one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from jounce.core import units
from jounce.core.errors import ModelError, ParameterError
from jounce.symbolic._casadi import SX
from jounce.symbolic.calls import key

if TYPE_CHECKING:
    from jounce.symbolic.system import Declared, Scope


class Block:
    """A sampled block of a system; made by ``Scope.block``."""

    def __init__(self, scope: Scope, name: str, period: float | str | None, offset: float | str, doc: str) -> None:
        self.scope, self.doc = scope, doc
        self.name = scope.full_name(name)
        self.default_period = _seconds(0.0 if period is None else period, f"period of block {self.name!r}")
        self.offset = _seconds(offset, f"offset of block {self.name!r}")
        if period is not None and self.default_period == 0.0:
            raise ParameterError(f"period of block {self.name!r}: must be above 0 s; leave it out to run at every step")
        self.signals: list[Declared] = []
        self.updates: dict[int, SX] = {}
        self.period_item = scope._new(f"{name}.period", "s", f"time between two samples of {name}", self.default_period)

    @property
    def period(self) -> SX:
        """The time between two samples as a symbol: what it is in the run, whatever it was declared to be."""
        return self.period_item.symbol

    def signal(self, name: str, unit: str = "-", doc: str = "", initial: float | str = 0.0) -> SX:
        """A value that this block sets at its samples and that is held in between (named ``block.name``)."""
        short = self.name[len(self.scope.prefix) :]
        item = self.scope._new(f"{short}.{name}", unit, doc, initial)
        self.scope.system.check_open(f"signal {item.name!r} is declared")
        self.scope.system.unmoving[key(item.symbol)] = (
            f"signal {item.name!r} moves a frame; it jumps at samples, so lead it through a state with a derivative"
        )
        self.signals.append(item)
        return item.symbol

    def update(self, signal: SX, expression: Any) -> None:
        """Set what a signal of this block becomes at a sample."""
        k = key(signal)
        known = next((s for s in self.signals if key(s.symbol) == k), None)
        if known is None:
            raise ModelError(f"block {self.name!r}: {signal} is no signal of this block; make it with signal()")
        if k in self.updates:
            raise ModelError(f"signal {known.name!r} already has an update")
        value = self.scope._scalar(expression, f"update of signal {known.name!r}")
        self.scope.system.check_open(f"an update of signal {known.name!r} is set")
        self.updates[k] = value

    def problems(self) -> list[str]:
        """What is missing, in words."""
        if not self.signals:
            return [f"block {self.name!r} has no signal: call signal(...)"]
        silent = [s.name for s in self.signals if key(s.symbol) not in self.updates]
        return [f"signal {name!r} has no update: call update(...)" for name in silent]


def _seconds(value: float | str, name: str) -> float:
    number = units.parse(value, "s", name=name)
    if not (number >= 0.0 and math.isfinite(number)):
        raise ParameterError(f"{name} = {value}: must be 0 s or more")
    return number
