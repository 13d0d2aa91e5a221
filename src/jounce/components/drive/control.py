"""Control units of a driveline: sampled blocks that stand between pedals and parts.

A unit has no shafts. It reads pedals, speeds and the battery, and says at its samples what share of the pedal the
engine and the motors have, how far the clutch is closed, how much the motors charge. What it says are signals
(``driveline.engine_pedal`` …), which the parts read where a unit provides them. Shifting (``shifting``) and lock-up are
blocks of their own parts.

A unit written in Python stands outside: a `jounce.OutsideBlock` that writes inputs of the parts (docs/driveline.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from jounce.components.drive.base import DrivePart, Station


class Control(DrivePart):
    """A control unit."""

    ports: ClassVar[tuple[str, ...]] = ()

    def block(self, here: Station, doc: str, said: Mapping[str, tuple[str, float]]) -> dict[str, Any]:
        """The block of this unit with its signals, name -> (doc, initial value)."""
        made = here.kept["block"] = here.scope.block("control", doc=doc)
        found = here.kept["said"] = {name: made.signal(name, "-", what, first) for name, (what, first) in said.items()}
        return found

    def says(self, here: Station, **signals: Any) -> None:
        """Make ``driveline.<name>`` of this unit; a second unit that says the same is an error."""
        for name, value in signals.items():
            here.model.signals.provide(f"driveline.{name}", _constant(value), here.name)

    def told(self, here: Station) -> None:
        for name, value in here.kept["said"].items():
            here.channel(name, value, "-", f"as {here.name} says")


def _constant(value: Any) -> Callable[[], Any]:
    return lambda: value
