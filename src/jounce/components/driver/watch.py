"""Lets the conditions of a manoeuvre look at channels that they do not see otherwise, such as the roll rate.

It adds no equation; a model without it is the smaller for it.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.fields import choice


class Watch(Part):
    """Channels that end conditions look at."""

    family: ClassVar[str] = "driver"

    kind: Literal["watch"] = choice("watch", doc="kind of part")
    channels: tuple[str, ...] = choice((), doc="their names")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        at.system.also_watched |= {f"{at.place.prefix}{name}" for name in self.channels}
