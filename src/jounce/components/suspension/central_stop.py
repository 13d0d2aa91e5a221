"""What stops between both wheels of an axle have in common: motion of ``central``, law of ``stop``."""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.model import AxleModel
from jounce.components.part import Symbols
from jounce.components.suspension.central import Central, CentralSide
from jounce.components.suspension.element import DEFAULT_RATIO, motion_ratio
from jounce.components.suspension.stop import Stop
from jounce.core.curves import Curve
from jounce.core.fields import choice, part

SHORT = {"spring": "spr", "damper": "dmp", "inerter": "ins"}


class CentralStop(Central, Stop):
    """A stop of an element between both wheels."""

    words: ClassVar[tuple[str, str]] = ("", "")  # of its channels and of its inputs

    of: Literal["spring", "damper", "inerter"] = choice("spring", doc="the element it belongs to; names its channels")
    ratio: Curve = motion_ratio("deflection", DEFAULT_RATIO)
    right: CentralSide | None = part(None, doc="what differs on the right side")  # type: ignore[assignment]

    def alike(self) -> tuple[str, ...]:
        return (*super().alike(), self.of)

    def connect(self, at: AxleModel, p: Symbols) -> None:  # type: ignore[override]
        channels, inputs = self.words
        word, first = at.place.word, self.is_first(at)
        added, flag = "", ""
        if first and self.acts == "mono" and self.of != "inerter":
            added = f"Mono_Element.{inputs}_{self.of.capitalize()}.{word}"
            flag = f"Mono_Element.{inputs}_{self.of.capitalize()}_activity_flag.{word}"
        doc = "force of the central stop, bump positive, rebound negative"
        if not self.active and not at.vehicle.is_open(added, flag):
            at.vehicle.through(0.0, "N", doc, added=added, flag=flag, on=False)  # offered all the same
            return
        moved = self.deflection_at(at, p)
        force = self.sign * p.scale * self.law(p, moved.value)
        force = at.vehicle.through(force, "N", doc, added=added, flag=flag, on=self.active)
        moved.carry(force)
        if first:
            begin = {"third": "third_", "mono": "", "roll": "roll_"}[self.acts]
            group = channels.format(f"{begin}{SHORT[self.of]}")
            at.channel(f"{group}.displacement.{word}", -moved.value, "m", "extension from design")
            at.channel(f"{group}.velocity.{word}", -moved.rate, "m/s", "its rate")
            at.channel(f"{group}.force.{word}", force, "N", "at the element, bump positive, rebound negative")
