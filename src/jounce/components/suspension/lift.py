"""A lift axle: an actuator that pulls the wheels of an axle up to a height and holds them there.

    F = a (k (J₀ - J) - c J̇)                                                                                     (1)

a is 1 while the axle is lifted, 0 while it carries. Springs keep pushing; the actuator is stiff enough to lift them.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.model import AxleModel
from jounce.components.part import Level, Part, Symbols
from jounce.core.fields import choice, quantity


class Lift(Part):
    """What lifts an axle."""

    level: ClassVar[Level] = "axle"
    family: ClassVar[str] = "lift"

    kind: Literal["lift"] = choice("lift", doc="kind of lift")
    active: float = quantity("-", 1.0, ge=0, le=1, doc="1 lifted, 0 down")
    height: float = quantity("m", gt=0, typical=(0.03, 0.4), doc="travel of its wheels when lifted, from design, J₀")
    stiffness: float = quantity("N/m", 2e6, gt=0, typical=(1e4, 1e8), doc="of the actuator at a wheel, k")
    damping: float = quantity("N.s/m", 2e4, ge=0, typical=(10.0, 1e6), doc="of the actuator at a wheel, c")

    def connect(self, at: AxleModel, p: Symbols) -> None:
        p.kept["forces"] = []
        for wheel in at.wheels:
            end = wheel.direct_end
            force = p.active * (p.stiffness * (p.height - end.travel) - p.damping * end.rate)  # (1)
            end.push(force)
            p.kept["forces"].append(force)

    def tell(self, at: AxleModel, p: Symbols) -> None:
        for wheel, force in zip(at.wheels, p.kept["forces"], strict=True):
            at.channel(f"Lift.Force.{wheel.place.name}", force, "N", "of the lift on the wheel, upwards")
