"""What bump and rebound stops have in common: they push once their element has travelled the clearance.

    F = scale · force(δ),   δ = max(± d − clearance, 0)                                                         (1)

with + for a bump stop (compression d) and − for a rebound stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

from pydantic import model_validator

from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.suspension.element import DEFAULT_RATIO, Element, motion_ratio
from jounce.components.suspension.remarks import ratio_remarks
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, part, problem, quantity
from jounce.symbolic.ops import fmax


class Stop(Element):
    """A bump or rebound stop:  F = scale · force(δ),  δ = travel of the element beyond the clearance."""

    sign: ClassVar[float] = 1.0  # of the deflection that it limits
    group: ClassVar[str] = ""  # of its channels
    port: ClassVar[str] = ""  # of its inputs

    active: bool = choice(True, doc="whether it exists")
    clearance: float = quantity("m", typical=(0.0, 0.6), doc="deflection before it engages")
    force: Curve = curve(
        "m",
        "N",
        typical=(1e3, 1e9),
        reach=(1e-4, 0.5),
        doc="over deformation after engagement: a rate, or a table; positive",
    )
    ratio: Curve = motion_ratio("deflection", DEFAULT_RATIO)
    right: Stop | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _pushes(self) -> Self:
        if self.force.constant is not None and self.force.constant < 0:
            raise problem("negative: a stop would pull", "force")
        if self.force.is_table and min(self.force.y) < 0:
            raise problem(f"{min(self.force.y)!r} N: negative, a stop would pull", "force")
        return self

    def law(self, p: Symbols, compression: Any) -> Any:
        """(1) without the scale."""
        return p.force(fmax(self.sign * compression - p.clearance, 0.0))

    def connect(self, at: WheelModel, p: Symbols) -> None:
        place, doc = at.place.name, "force of the stop, bump positive, rebound negative"
        added, flag = f"{self.port}.force.{place}", f"{self.port}.activity_flag.{place}"
        if not self.active and not at.vehicle.is_open(added, flag):
            at.vehicle.through(0.0, "N", doc, added=added, flag=flag, on=False)  # offered all the same
            return
        moved = self.deflection_at(at, p)
        force = self.sign * self.scaled(at, p, self.law(p, moved.value))
        force = at.vehicle.through(force, "N", doc, added=added, flag=flag, on=self.active)
        at_wheel = moved.press(force)
        at.channel(f"{self.group}.Force_At_Bumper.{place}", force, "N", "bump positive, rebound negative")
        at.channel(f"{self.group}.Force_At_Wheel.{place}", at_wheel, "N", "at the wheel")
        at.channel(f"{self.group}.Jounce.{place}", moved.value, "m", "compression from design")
        at.channel(f"{self.group}.Jounce_Rate.{place}", moved.rate, "m/s", "its rate")

    def remarks(self) -> Iterator[tuple[str, str]]:
        yield from ratio_remarks(self)
