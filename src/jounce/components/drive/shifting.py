"""How gears change: a sampled block that chooses the gear and leads the ratio from one to the next.

By speed, with the chosen speed n and the throttle u, at most once in the time of a shift and the pause after it,

    g → g + 1 where n > n_up(g, u),   g → g − 1 where n < n_down(g, u)                                              (1)

or as demanded from outside (0 neutral, negative reverse); where a driver drives backwards (signal ``driver.backwards``)
one that chooses by speed is in reverse. The ratio goes over along a cubic, in the time T,

    i(t) = step(t; t_s, i_old; t_s + T, i_new)                                                                 (2)

with its rate, which is a part of the motion: what turns before the gearbox speeds up or slows down with it. Where the
clutch opens for a shift, it does so in the first quarter of T and closes in the last one, the throttle with it, and (2)
takes the half between. Before its first sample the block has not chosen: the gear is the lowest one whose n is below
n_up, so that a run starts in a fitting gear at any speed.
"""

from __future__ import annotations

from typing import Any

from jounce.components.drive.base import Station, step
from jounce.symbolic.ops import clip, fabs, if_else, logic_and

BACKWARDS = "driver.backwards"  # signal of one who drives: 1 while he drives backwards
LONG_AGO = 1e3  # s, since the last shift at the start


class Shifting:
    """The block of a gearbox.

    Parameters
    ----------
    ratio_of : ratio by gear
    gears : number of forward gears
    seamless : whether the clutch stays closed
    time, pause : of a shift and after it, s
    """

    def __init__(self, here: Station, ratio_of: Any, gears: Any, *, seamless: bool, time: Any, pause: Any) -> None:
        self.here, self.ratio_of, self.gears, self.time, self.pause = here, ratio_of, gears, time, pause
        self.seamless = seamless
        block = self.block = here.scope.block("shifting", doc="chooses the gear")
        self.started = self._held("started", "-", "1 once it has chosen a gear", 0.0)
        self._gear = block.signal("gear", "-", "gear in use or on its way", 1.0)
        self._old = self._held("old_ratio", "-", "ratio at the begin of the last shift", 1.0)
        self._new = self._held("new_ratio", "-", "ratio that it leads to", 1.0)
        self._begin = self._held("begin", "s", "when the last shift began", -LONG_AGO)
        # before the first sample: found from the speed, as a memory, so that speeds of shafts are linear in speeds
        self._first = here.scope.memory("first_ratio", "-", "ratio before the first sample", 1.0, role="follow")
        self._first_gear = here.scope.memory("first_gear", "-", "gear before the first sample", 1.0, role="follow")
        self._since = here.model.system.time - self._begin
        x, self._closed = self._part()
        self._ratio = step(x, 0.0, self._old, 1.0, self._new)  # (2), whose rate is that of time
        self.ratio = if_else(self.started > 0.5, self._ratio, self._first)
        self.gear = if_else(self.started > 0.5, self._gear, self._first_gear)

    def _held(self, name: str, unit: str, doc: str, initial: float) -> Any:
        """A signal that stands in speeds of shafts: it jumps where nothing hangs on it, and has no rate."""
        made = self.block.signal(name, unit, doc, initial, rate=True)
        self.block.update(self.here.model.system.rate_of(made), 0.0)
        return made

    def _part(self) -> tuple[Any, Any]:
        """From 0 to 1 over a shift, and how far the clutch is closed."""
        x = self._since / self.time
        if self.seamless:
            return x, 1.0
        return 2 * x - 0.5, clip(fabs(4 * x - 2) - 1, 0.0, 1.0)

    @property
    def engaged(self) -> Any:
        """How far the coupling before the gearbox may be closed: neutral and shifts open it."""
        in_gear = if_else(fabs(self.gear) > 0.5, 1.0, 0.0)
        return in_gear * if_else(self.started > 0.5, self._closed, 1.0)

    def choose(self, up: Any, down: Any, first: Any) -> None:
        """By speed: ``up`` and ``down`` are conditions, ``first`` the gear at the start (1)."""
        ready = self._since > self.time + self.pause
        more = logic_and(ready, logic_and(up, self._gear < self.gears - 0.5))
        less = logic_and(ready, logic_and(down, self._gear > 1.5))
        wanted = self._gear + if_else(more, 1.0, 0.0) - if_else(less, 1.0, 0.0)
        if BACKWARDS in self.here.model.signals:
            back = self.here.read(BACKWARDS) > 0.5
            wanted = if_else(back, -1.0, if_else(self._gear < 0.5, 1.0, wanted))
            first = if_else(back, -1.0, first)
        self._finish(wanted, first)

    def obey(self, demand: Any, first: Any = None) -> None:
        """By demand, a gear number; one that the gearbox does not have is the nearest one."""
        whole = clip(demand, -1.0, self.gears)
        self._finish(whole, whole if first is None else first)

    def _finish(self, wanted: Any, first: Any) -> None:
        here, block = self.here, self.block
        started = self.started > 0.5
        gear = if_else(started, wanted, first)
        changes = logic_and(started, fabs(gear - self._gear) > 0.5)
        target = self._geared(gear)
        now = here.model.system.time
        block.update(self.started, 1.0)
        block.update(self._gear, gear)
        block.update(self._old, if_else(started, if_else(changes, self._ratio, self._old), target))
        block.update(self._new, if_else(started, if_else(changes, target, self._new), target))
        block.update(self._begin, if_else(started, if_else(changes, now, self._begin), now - LONG_AGO))
        here.scope.next_memory(self._first_gear, first)
        here.scope.next_memory(self._first, self._geared(first))

    def _geared(self, gear: Any) -> Any:
        """Ratio of a gear; neutral keeps that of the first one, with nothing on it."""
        return self.ratio_of(if_else(fabs(gear) > 0.5, gear, 1.0))
