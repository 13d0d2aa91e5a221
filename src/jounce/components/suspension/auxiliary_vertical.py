"""Vertical elasticity of a suspension that no spring, stop or bar has: bushings that are twisted, leaf ends, seals.

    F = scale · (force(J) + damping · ∂force/∂J · J̇)   or over own and paired travel, force(J; J_o)              (1)
    Q_J = −F                                                                                                   (2)

F is at the wheel and counts from design; it pushes the wheel down where positive, as a spring. Over two travels each
wheel has its own force, and so, in general, no energy stands behind it. Damping in proportion to the stiffness acts on
the own travel only; where the stiffness is negative it is left out, so that it never drives.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.model import WheelModel
from jounce.components.part import Level, Part, Symbols
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, part, quantity
from jounce.symbolic.ops import fmax


class AuxiliaryVertical(Part):
    """A force at the wheel over its travel:  F = scale · force(J)  or  scale · force(J; J of the paired wheel)."""

    level: ClassVar[Level] = "wheel"
    family: ClassVar[str] = "element"
    carries: ClassVar[bool] = True

    kind: Literal["auxiliary_vertical"] = choice("auxiliary_vertical", doc="kind of element")
    force: Curve = curve(
        "m",
        "N",
        z="m",
        typical=(10.0, 5e6),
        reach=(0.005, 1.0),
        doc="at the wheel over own, or own and paired, travel: a rate, or a table; pushes where positive",
    )
    scale: float = quantity("-", 1.0, ge=0, typical=(0.01, 100.0), doc="factor on the force")
    damping: float = quantity("s", 0.0, ge=0, typical=(0.0, 1.0), doc="damping force per stiffness and rate of travel")
    right: AuxiliaryVertical | None = part(None, doc="what differs on the right side")

    def connect(self, at: WheelModel, p: Symbols) -> None:
        place, end = at.place.name, at.end
        force = p.force(end.travel, at.paired.end.travel)
        force = force + p.damping * fmax(at.vehicle.slope(force, end.travel), 0.0) * end.rate  # (1)
        first = all(item.kind != self.kind for item in at.place.axle.data.suspension.elements[: at.number_of(self)])
        added, flag = (f"Auxiliary_vertical.{word}.{place}" if first else "" for word in ("force", "activity_flag"))
        doc = "auxiliary vertical force at the wheel, downwards"
        force = at.vehicle.through(p.scale * force, "N", doc, added=added, flag=flag)
        end.push(-force)  # (2)
        at.spring_forces.append(force)
        if first:
            at.channel(f"Spring.Force_Aux_At_Wheel.{place}", force, "N", doc)
