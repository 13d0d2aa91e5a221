"""Anti-roll force at the wheels, without a bar.

F = scale · (rate · ΔJ + damping · rate · ΔJ̇)  or  scale · (force(ΔJ[; mean J]) + damping · force' · ΔJ̇)      (1)
Q_L = −F,   Q_R = +F,   ΔJ = J_L − J_R − zero                                                                 (2)
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.model import AxleModel
from jounce.components.part import Level, Part, Symbols
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, one_of, quantity


class AuxiliaryAntiRoll(Part):
    """Opposite vertical forces at the wheels, with ΔJ = J_L − J_R:

    F = scale · rate · ΔJ  or  scale · force(ΔJ[; mean J])
    """

    level: ClassVar[Level] = "axle"
    family: ClassVar[str] = "auxiliary_anti_roll"
    alternatives: ClassVar = (("rate", "force"),)

    kind: Literal["wheels"] = choice("wheels", doc="kind of device")

    rate: float | None = quantity("N/m", None, ge=0, typical=(100.0, 5e6), doc="force per difference of travel")
    force: Curve | None = curve(
        "m",
        "N",
        None,
        z="m",
        typical=(100.0, 5e6),
        reach=(0.005, 2.0),
        doc="over difference, or difference and mean, of travel",
    )
    scale: float = quantity("-", 1.0, ge=0, typical=(0.01, 100.0), doc="factor on the force")
    damping: float = quantity(
        "s", 0.05, ge=0, typical=(0.0, 1.0), doc="damping force per stiffness and rate of the difference"
    )

    zero: float = quantity(
        "m", 0.0, typical=(0.0, 0.2), doc="difference of travel at which it is without force, as a set-up leaves it"
    )

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("rate", "force"))
        return self

    def connect(self, at: AxleModel, p: Symbols) -> None:
        left, right = (wheel.anti_roll_end for wheel in at.wheels)
        difference = left.travel - right.travel - p.zero
        if self.rate is not None:
            stiffness = p.rate
            force = stiffness * difference
        else:
            # a symbol of its own, so that the slope over the difference can be taken
            name = f"{at.place.prefix}difference"
            delta = at.system.calls.alias(name, [difference])[0]
            force = p.force(delta, 0.5 * (left.travel + right.travel))
            stiffness = at.vehicle.slope(force, delta)
        total = p.scale * (force + p.damping * stiffness * (left.rate - right.rate))
        word = at.place.word
        total = at.vehicle.through(
            total, "N", "anti-roll force at the left wheel, downwards; opposite at the right",
            added=f"Antiroll_Bar.force.{word}", flag=f"Antiroll_Bar.activity_flag.{word}",
        )  # fmt: skip
        left.push(-total)
        right.push(total)
        name = f"Suspension.Auxiliary_Roll_Force.SUSP{at.place.number}"
        at.channel(name, total, "N", "at the left wheel, downwards")
