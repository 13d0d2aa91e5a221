"""Control units of a driveline: sampled blocks that stand between pedals and parts.

A unit has no shafts. It reads pedals, speeds and the battery, and says at its samples what share of the pedal the
engine and the motors have, how far the clutch is closed, how much the motors charge. What it says are signals
(``driveline.engine_pedal`` …), which the parts read where a unit provides them. Shifting (``shifting``) and lock-up are
blocks of their own parts. Before its first sample a unit says what it would say: steady running needs its answer.

A unit written in Python stands outside: a `jounce.OutsideBlock` that writes inputs of the parts (docs/driveline.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from jounce.components.drive.base import DrivePart, Station
from jounce.symbolic.ops import if_else


class Control(DrivePart):
    """A control unit."""

    ports: ClassVar[tuple[str, ...]] = ()
    says: ClassVar[Mapping[str, str]] = {}
    """What it says: name of the signal below ``driveline.`` -> meaning."""
    flag: ClassVar[str] = ""
    """Of what it says that which is 0 or 1 and which its own law asks for again: all the past that it has."""

    def law(self, here: Station) -> dict[str, tuple[Any, Any]]:
        """For everything it says: the next value, and that of a unit without a past; `here.kept` has the last ones."""
        raise NotImplementedError

    def join(self, here: Station) -> None:
        block = here.kept["block"] = here.scope.block("control", doc=str(type(self).__doc__).split("\n")[0])
        here.kept["started"] = block.signal("started", "-", "1 once it has said something")
        for name, doc in self.says.items():
            here.kept[name] = block.signal(name, "-", doc)
            here.model.signals.provide(f"driveline.{name}", partial(self._said, here, name), here.name)

    def _said(self, here: Station, name: str) -> Any:
        if "law" not in here.kept:
            here.kept["law"] = self.law(here)
        return if_else(here.kept["started"] > 0.5, here.kept[name], here.kept["law"][name][1])

    def prepare(self, here: Station) -> None:
        block = here.kept["block"]
        for name in self.says:
            self._said(here, name)
            block.update(here.kept[name], here.kept["law"][name][0])
        block.update(here.kept["started"], 1.0)

    def told(self, here: Station) -> None:
        for name, doc in self.says.items():
            here.channel(name, self._said(here, name), "-", doc)
