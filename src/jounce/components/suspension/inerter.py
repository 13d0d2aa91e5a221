"""An inerter (J-damper): it resists the acceleration between its ends.

    F = scale · inertance · d̈                                                                                   (1)

F pushes where positive, as a spring. A linear inerter without a cut-off is inertia of the model: b (∂d/∂J)² is added
to the mass that moves with the wheel, exactly, whatever the ratio does (symbolic/kane.py (3)). With a cut-off
frequency f the acceleration is taken through a low-pass filter,

    ṗ = a,   a = 2πf (ḋ − p),   F = scale · inertance · a  or  scale · force(a)                                  (2)

so that ȧ = 2πf (d̈ − a). A linear inerter is then one in series with a damper of rate 2πf · inertance: passive. That
damper limits the step: 2πf · b r² over the unsprung mass is a rate of the model. A curve over acceleration needs the
filter.

The inerter acts on the travel of the wheel, also where a series stiffness is between the wheel and other elements.
[SmithWang2004] is the source of (1); the filter is usual practice, its form is ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.suspension.element import DEFAULT_RATIO, Element, motion_ratio
from jounce.components.suspension.remarks import ratio_remarks
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, one_of, part, problem, quantity


class Inerter(Element):
    """An inerter:  F = scale · inertance · d̈  or, through a low-pass filter,  scale · force(d̈)."""

    alternatives: ClassVar = (("inertance", "force"),)
    carries: ClassVar[bool] = False

    kind: Literal["inerter"] = choice("inerter", doc="kind of element")
    inertance: float | None = quantity("kg", None, ge=0, typical=(1.0, 2000.0), doc="force per acceleration")
    force: Curve | None = curve(
        "m/s2",
        "N",
        None,
        typical=(1.0, 2000.0),
        reach=(1.0, 1000.0),
        doc="over acceleration of compression; needs `cutoff`",
    )
    cutoff: float | None = quantity(
        "Hz", None, gt=0, typical=(5.0, 500.0), doc="of a low-pass filter on the acceleration; none: exact inertia"
    )
    ratio: Curve = motion_ratio("compression", DEFAULT_RATIO)
    right: Inerter | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("inertance", "force"))
        if self.force is not None and self.cutoff is None:
            raise problem("missing; a curve over acceleration needs the filter, such as 50 Hz", "cutoff")
        return self

    def connect(self, at: WheelModel, p: Symbols) -> None:
        moved, place = self.deflection_at(at, p, direct=True), at.place.name
        first, doc = self.is_first(at), "inerter force, compression positive"
        flag, added = (f"Main_Inerter.{word}.{place}" if first else "" for word in ("activation_flag", "force"))
        force = inertia(self, at, p, moved, flag, added, doc)
        if first:
            at.channel(f"Inerter.Force_At_Inerter.{place}", force, "N", doc)
            at.channel(f"Inerter.Force_At_Wheel.{place}", force * moved.slopes[0], "N", "at the wheel, downwards")
            at.channel(f"Inerter.Jounce.{place}", moved.value, "m", "compression from design")
            at.channel(f"Inerter.Jounce_Rate.{place}", moved.rate, "m/s", "its rate")
            at.channel(f"Inerter.Jounce_Acceleration.{place}", moved.second_rate, "m/s2", "its second rate")

    def remarks(self) -> Iterator[tuple[str, str]]:
        yield from ratio_remarks(self)


def inertia(element: Any, at: Any, p: Symbols, moved: Any, flag: str, added: str, doc: str) -> Any:
    """Apply (1) or (2) to a deflection; returns the whole force, compression positive."""
    vehicle = at.vehicle
    if element.cutoff is None:
        on = None if not flag else vehicle.outside(flag, "-", f"1 keeps, 0 removes the {doc}", "flag", 1.0)
        size = p.scale * p.inertance if on is None else on * p.scale * p.inertance
        at.system.inerter(f"{p.own_name}", moved.rate, size, on=moved.frame)
        force = size * moved.second_rate  # (1)
        more = None if not added else vehicle.outside(added, "N", f"added to the {doc}", "added")
        if more is not None:
            moved.act(-more)
            force = force + more
        return force
    scope = at.system.scope(p.own_name)
    followed = scope.state("speed", "m/s", "compression speed through the low-pass filter", role="zero")
    acceleration = 2 * math.pi * p.cutoff * (moved.rate - followed)  # (2)
    scope.derivative(followed, acceleration)
    force = p.scale * (p.inertance * acceleration if element.inertance is not None else p.force(acceleration))
    force = vehicle.through(force, "N", doc, added=added, flag=flag)
    moved.act(-force)
    return force
