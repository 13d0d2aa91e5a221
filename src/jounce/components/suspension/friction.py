"""Dry friction of a strut, a damper or bushings, along an element.

    dF/dd = stiffness · (1 − F/F_max · sign ḋ),   F_max = scale · force                                          (1)

(symbolic/friction.py (4), after [Dahl1968]): around a point of return the friction is a spring of that stiffness, over
a travel of some F_max/stiffness it goes over to sliding with F_max, against the motion. It dissipates: F ḋ − d/dt
F²/(2 stiffness) = F² |ḋ|/F_max ≥ 0. Small motions meet a stiffer suspension than large ones, which is why a car rides
harder on a good road than its springs say.

``damping`` acts beside it, F = … + damping · ḋ. Equilibria are sought without friction: a car that was rocked stands
in the middle of the band that friction leaves. Linear models have the springs and dampers alone, without the friction.
The element acts on the travel of the wheel, past a series stiffness.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.suspension.element import DEFAULT_RATIO, Element, motion_ratio
from jounce.components.suspension.remarks import ratio_remarks
from jounce.core.curves import Curve
from jounce.core.fields import choice, part, quantity
from jounce.symbolic.friction import rounded

SOFT = 0.02  # m: friction that needs more travel than this to slide is a spring to whoever looks for friction


class Friction(Element):
    """Dry friction along an element:  dF/dd = stiffness · (1 − F/F_max · sign ḋ),  F_max = scale · force."""

    carries: ClassVar[bool] = False

    kind: Literal["friction"] = choice("friction", doc="kind of element")
    force: float = quantity("N", gt=0, typical=(1.0, 2e4), doc="largest friction force")
    stiffness: float = quantity("N/m", gt=0, typical=(1e3, 1e8), doc="at a point of return, before it slides")
    damping: float = quantity("N.s/m", 0.0, ge=0, typical=(0.0, 1e5), doc="force per speed beside the friction")
    ratio: Curve = motion_ratio("compression", DEFAULT_RATIO)
    right: Friction | None = part(None, doc="what differs on the right side")

    def connect(self, at: WheelModel, p: Symbols) -> None:
        moved, place = self.deflection_at(at, p, direct=True), at.place.name
        # friction is remembered without the scale, so that a scale of zero leaves nothing to divide by
        dry = rounded(at.system.scope(p.own_name), "friction", moved.rate, p.force, p.stiffness)
        force = p.scale * (dry + p.damping * moved.rate)
        at_wheel = -moved.act(-force)
        if self.is_first(at):
            at.channel(f"Friction.Force_At_Element.{place}", force, "N", "compression positive")
            at.channel(f"Friction.Force_At_Wheel.{place}", at_wheel, "N", "at the wheel, downwards")

    def remarks(self) -> Iterator[tuple[str, str]]:
        yield from ratio_remarks(self)
        if self.force / self.stiffness > SOFT:
            travel = 1e3 * self.force / self.stiffness
            yield "stiffness", f"slides after some {travel:.3g} mm of travel only; is the stiffness too small?"
