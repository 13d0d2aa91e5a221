"""A spring between both wheels of an axle: its motion is that of ``central``, its law that of ``spring``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Literal

from jounce.components.model import AxleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import AxlePlace
from jounce.components.settings import Statics
from jounce.components.suspension.central import Central, CentralSide
from jounce.components.suspension.element import DEFAULT_RATIO, Element, motion_ratio
from jounce.components.suspension.spring import Spring
from jounce.core.curves import Curve
from jounce.core.fields import choice, part


class CentralSpring(Central, Spring):
    """A spring between both wheels; its length, preload and table are those of a spring at a wheel."""

    groups_of: ClassVar = {
        "third": "ues_third_spring_data", "mono": "nss_ride_spring_data", "roll": "roll_spring_data",
    }  # fmt: skip
    ports_of: ClassVar = {
        "third": ("Third_Element.Spring", "Third_Element.Spring_activity_flag"),
        "mono": ("Mono_Element.Spring", "Mono_Element.Spring_activity_flag"),
    }

    kind: Literal["central_spring"] = choice("central_spring", doc="kind of element")  # type: ignore[assignment]
    ratio: Curve = motion_ratio("compression", DEFAULT_RATIO)
    right: CentralSide | None = part(None, doc="what differs on the right side")  # type: ignore[assignment]

    @derived("m", doc="compression (or length) of the spring at design", at="axle")
    def at_design(self, place: AxlePlace) -> float:
        return self.abscissa_at_design(place.settings.splines.method)

    def connect(self, at: AxleModel, p: Symbols) -> None:  # type: ignore[override]
        moved = self.deflection_at(at, p)
        force = p.scale * self.law(p, moved.value)
        (added, flag), doc = self.inputs(at), "force of the central spring, compression positive"
        force = at.vehicle.through(force, "N", doc, added=added, flag=flag)
        self.told(at, moved, force, moved.carry(force), "compression")

    def at_rest(self, options: Statics, place: AxlePlace) -> dict[str, float]:  # type: ignore[override]
        return {"scale": 0.0} if options.use_linear_spring and isinstance(place, AxlePlace) else {}

    def figures(  # type: ignore[override]
        self, place: AxlePlace, told: Callable[[str], float]
    ) -> Iterator[tuple[str, str, str, float, str]]:
        alike = [e for e in place.data.suspension.elements if isinstance(e, Element) and e.alike() == self.alike()]
        if alike[0] is self:
            force = told(f"{self.groups_of[self.acts]}.force.{place.word}")
            yield "loads", f"{self.acts}_spring_force_{place.word}", f"{self.acts} spring, {place.word}", force, "N"

    def remarks(self) -> Iterator[tuple[str, str]]:
        yield from super().remarks()
        if self.acts == "roll" and self.force_at_design() != 0:
            yield "preload", "a roll spring that pushes at design leans the body"
