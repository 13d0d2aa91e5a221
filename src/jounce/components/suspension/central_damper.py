"""A damper between both wheels of an axle: its motion is that of ``central``, its law that of ``damper``."""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.model import AxleModel
from jounce.components.part import Symbols
from jounce.components.places import AxlePlace
from jounce.components.settings import Statics
from jounce.components.suspension.central import Central, CentralSide
from jounce.components.suspension.damper import Damper
from jounce.components.suspension.element import DEFAULT_RATIO, motion_ratio
from jounce.core.curves import Curve
from jounce.core.fields import choice, part


class CentralDamper(Central, Damper):
    """A damper between both wheels; v and x are positive in extension, as those of a damper at a wheel."""

    groups_of: ClassVar = {
        "third": "das_third_damper_data", "mono": "das_ride_damper_data", "roll": "das_roll_damper_data",
    }  # fmt: skip
    ports_of: ClassVar = {
        "third": ("Third_Element.Damper_force", "Third_Element.Damper_activity_flag"),
        "mono": ("Mono_Element.Damper", "Mono_Element.Damper_activity_flag"),
        "roll": ("Mono_Element.Roll_Damper", "Mono_Element.Roll_Damper_activity_flag"),
    }

    kind: Literal["central_damper"] = choice("central_damper", doc="kind of element")  # type: ignore[assignment]
    ratio: Curve = motion_ratio("compression", DEFAULT_RATIO)
    right: CentralSide | None = part(None, doc="what differs on the right side")  # type: ignore[assignment]

    def connect(self, at: AxleModel, p: Symbols) -> None:  # type: ignore[override]
        moved = self.deflection_at(at, p)
        force = self.filtered(at, p, p.scale * self.law(p, moved))
        doc = "force of the central damper, compression positive"
        added, flag = self.inputs(at)
        force = -at.vehicle.through(-force, "N", doc, added=added, flag=flag)
        self.told(at, moved, force, -moved.act(force)[0], "tension")

    def at_rest(self, options: Statics, place: AxlePlace) -> dict[str, float]:  # type: ignore[override]
        return {"scale": 0.0} if options.use_linear_damper and isinstance(place, AxlePlace) else {}
