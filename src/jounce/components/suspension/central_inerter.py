"""An inerter between both wheels of an axle: its motion is that of ``central``, its law that of ``inerter``."""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.model import AxleModel
from jounce.components.part import Symbols
from jounce.components.suspension.central import Central, CentralSide
from jounce.components.suspension.element import DEFAULT_RATIO, motion_ratio
from jounce.components.suspension.inerter import Inerter, inertia
from jounce.core.curves import Curve
from jounce.core.fields import choice, part


class CentralInerter(Central, Inerter):
    """An inerter between both wheels."""

    carries: ClassVar[bool] = False
    groups_of: ClassVar = {
        "third": "third_inerter_data", "mono": "ins_inerter_data", "roll": "roll_inerter_data",
    }  # fmt: skip
    ports_of: ClassVar = {"mono": ("Mono_Element.Inerter", "Mono_Element.Inerter_activity_flag")}

    kind: Literal["central_inerter"] = choice("central_inerter", doc="kind of element")  # type: ignore[assignment]
    ratio: Curve = motion_ratio("compression", DEFAULT_RATIO)
    right: CentralSide | None = part(None, doc="what differs on the right side")  # type: ignore[assignment]

    def connect(self, at: AxleModel, p: Symbols) -> None:  # type: ignore[override]
        moved, (added, flag) = self.deflection_at(at, p), self.inputs(at)
        doc = "force of the central inerter, compression positive"
        force = inertia(self, at, p, moved, flag, added, doc)
        self.told(at, moved, -force, force * moved.slopes[0], "tension")
        if self.is_first(at):
            name = f"{self.groups_of[self.acts]}.acceleration.{at.place.word}"
            at.channel(name, -moved.second_rate, "m/s2", "second rate of extension")
