"""Sampled blocks: discrete systems with memory that run at their own rate inside the loop.

A block has *signals*, values that are held between its samples and may stand in any expression.  At a sample all
signals are replaced at once by what their updates give at that instant,

    s_j[k+1] = g_j(t_k, x(t_k), m, u(t_k), s_1[k], ..., s_n[k]),     t_k = t_0 + offset + k period               (1)

so an update that reads a signal of its own block reads its old value.  Blocks run one after the other, in the order of
their ports: a block whose updates read signals of another one runs after it and sees its new signals; where this leaves
a choice, in the order of declaration.  Where blocks read each other in a loop, the one that was declared first runs
first and sees the old values, one sample late (`run_order`).  Only what an update reads in its expressions, through
calls and tables, is a port; a signal that comes back through accelerations is not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from jounce.core import units
from jounce.core.errors import ModelError, ParameterError
from jounce.core.ordering import run_order
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import key

if TYPE_CHECKING:
    from jounce.symbolic.system import Declared, Scope, System


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

    def signal(
        self, name: str, unit: str = "-", doc: str = "", initial: float | str = 0.0, *, rate: bool = False
    ) -> SX:
        """A value that this block sets at its samples and that is held in between (named ``block.name``).

        One that moves a frame needs its ``rate``, a second signal ``block.name.rate`` with an update of its own;
        ``system.rate_of(signal)`` is its symbol. The frame has this velocity, and jumps where value and rate disagree.
        """
        short, system = self.name[len(self.scope.prefix) :], self.scope.system
        item = self.scope._new(f"{short}.{name}", unit, doc, initial)
        system.check_open(f"signal {item.name!r} is declared")
        self.signals.append(item)
        if rate:
            companion = self.scope._new(f"{short}.{name}.rate", units.rate_unit(unit), f"rate of {name}")
            self.signals.append(companion)
            system.rates[key(item.symbol)] = companion.symbol
        else:
            system.unmoving[key(item.symbol)] = (
                f"signal {item.name!r} moves a frame; it jumps at samples, so declare it with rate=True and update its "
                "rate, or lead it through a state with a derivative"
            )
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


def arrange(system: System) -> list[str]:
    """Put the blocks of a system into the order in which they run; return the delays, as "signal -> block"."""
    blocks = system.blocks
    owners = {key(s.symbol): (k, s.name) for k, block in enumerate(blocks) for s in block.signals}
    reads: list[dict[int, list[str]]] = []
    for k, block in enumerate(blocks):
        found: dict[int, list[str]] = {}
        for symbol in system.calls.reachable(ca.vertcat(*block.updates.values())):
            owner, name = owners.get(symbol, (k, ""))
            if owner != k:
                found.setdefault(owner, []).append(name)
        reads.append(found)
    order, cuts = run_order(reads)
    delays = [f"{name} -> {blocks[reader].name}" for reader, owner in cuts for name in sorted(reads[reader][owner])]
    blocks[:] = [blocks[k] for k in order]
    return delays


def _seconds(value: float | str, name: str) -> float:
    number = units.parse(value, "s", name=name)
    if not (number >= 0.0 and math.isfinite(number)):
        raise ParameterError(f"{name} = {value}: must be 0 s or more")
    return number
