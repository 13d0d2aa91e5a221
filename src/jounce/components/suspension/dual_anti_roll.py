"""Anti-roll force at the wheels by two tables, one for each side.

    F_L = scale · (T_L(J_L; J_R) + D),   F_R = scale · (T_R(J_R; J_L) − D)                                       (1)
    D   = damping · s · (J̇_L − J̇_R),   s = ¼ (∂T_L/∂J_L − ∂T_L/∂J_R + ∂T_R/∂J_R − ∂T_R/∂J_L), at least 0
    Q_L = −F_L,   Q_R = −F_R                                                                                    (2)

Both push their wheel down where positive. They need not be opposite: the body then gets a net force. The stiffness s
that the damping is proportional to is the mean of both sides, so that the damping takes energy whatever the tables
say.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.model import AxleModel
from jounce.components.part import Level, Part, Symbols, derived
from jounce.components.places import AxlePlace
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, part, quantity
from jounce.symbolic.ops import fmax


def _both(doc: str) -> Any:
    return curve("m", "N", z="m", typical=(100.0, 5e6), reach=(0.005, 1.0), doc=doc)


class DualAntiRollSide(Data):
    """The right side of an anti-roll force by two tables, when it differs."""

    force: Curve = _both("at the right wheel, over own and paired travel")


class DualAntiRoll(Part):
    """Vertical forces at the wheels, each by its own table:  F = scale · force(J; J of the paired wheel)."""

    level: ClassVar[Level] = "axle"
    family: ClassVar[str] = "auxiliary_anti_roll"

    kind: Literal["dual"] = choice("dual", doc="kind of device")
    force: Curve = _both("at the left wheel, downwards, over own and paired travel; the same at the right wheel")
    scale: float = quantity("-", 1.0, ge=0, typical=(0.01, 100.0), doc="factor on the force")
    damping: float = quantity(
        "s", 0.05, ge=0, typical=(0.0, 1.0), doc="damping force per stiffness and rate of the difference"
    )
    right: DualAntiRollSide | None = part(None, doc="what differs on the right side")

    @derived(label="right.force", at="axle")
    def force_right(self, place: AxlePlace) -> Curve:
        return self.force if self.right is None else self.right.force

    def connect(self, at: AxleModel, p: Symbols) -> None:
        ends = [wheel.anti_roll_end for wheel in at.wheels]
        (left, right), slope = ends, at.vehicle.slope
        forces = [p.force(left.travel, right.travel), p.force_right(right.travel, left.travel)]
        own = [slope(force, end.travel) for force, end in zip(forces, ends, strict=True)]
        other = [slope(force, end.travel) for force, end in zip(forces, reversed(ends), strict=True)]
        stiffness = fmax(0.25 * (own[0] - other[0] + own[1] - other[1]), 0.0)
        damping = p.damping * stiffness * (left.rate - right.rate)
        at_left, at_right = p.scale * (forces[0] + damping), p.scale * (forces[1] - damping)  # (1)
        word = at.place.word
        flag = f"Antiroll_Bar.activity_flag.{word}"
        at_left = at.vehicle.through(at_left, "N", "anti-roll force at the left wheel, downwards", flag=flag)
        at_right = at.vehicle.through(at_right, "N", "anti-roll force at the right wheel, downwards", flag=flag)
        doc = "added at the left wheel, opposite right"
        given = at.vehicle.outside(f"Antiroll_Bar.force.{word}", "N", doc, "added")
        if given is not None:
            at_left, at_right = at_left + given, at_right - given
        left.push(-at_left)  # (2)
        right.push(-at_right)
        number = at.place.number
        at.channel(f"Suspension.Auxiliary_Roll_Force.SUSP{number}", at_left, "N", "at the left wheel, downwards")
        at.channel(
            f"Suspension.Auxiliary_Roll_Force_Right.SUSP{number}", at_right, "N", "at the right wheel, downwards"
        )
