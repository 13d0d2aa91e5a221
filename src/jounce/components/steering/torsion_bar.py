"""The torsion bar, with which the driver's torque is measured: soft, and stiff beyond the twist of its stop.

    T = K φ + (K_lim - K) (φ - clip(φ, -φ_lim, φ_lim)) + B φ̇ + T_friction                                       (1)

φ is the twist, the upper end ahead. Assist is commanded by the twist within its limits, as a sensor would tell it.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import model_validator

from jounce.components.part import Symbols
from jounce.core.fields import Data, choice, problem, quantity
from jounce.symbolic.ops import clip


class TorsionBar(Data):
    """Torsion bar:  T = K φ within the limit, beyond it with the limit stiffness, and B φ̇."""

    on: Literal["lower", "upper"] = choice(
        "lower", doc="lower: between lower column and pinion; upper: between upper column and its joint"
    )
    stiffness: float = quantity("N.m/rad", gt=0, typical=(20.0, 2000.0), doc="K")
    damping: float = quantity("N.m.s/rad", 0.0, ge=0, typical=(0.0, 5.0), doc="B")
    limit: float | None = quantity("rad", None, gt=0, typical=(0.01, 0.5), doc="twist at which the stop is met")
    limit_stiffness: float | None = quantity("N.m/rad", None, gt=0, typical=(100.0, 5e4), doc="beyond the limit")

    @model_validator(mode="after")
    def _both(self) -> Self:
        if (self.limit is None) != (self.limit_stiffness is None):
            missing = "limit" if self.limit is None else "limit_stiffness"
            raise problem("missing; limit and limit_stiffness belong together", missing)
        return self

    def torque(self, p: Symbols, twist: Any, rate: Any) -> Any:
        """(1) without friction."""
        torque = p.stiffness * twist + p.damping * rate
        if self.limit is not None:
            torque = torque + (p.limit_stiffness - p.stiffness) * (twist - self.told(p, twist))
        return torque

    def told(self, p: Symbols, twist: Any) -> Any:
        """The twist as a sensor tells it."""
        return twist if self.limit is None else clip(twist, -p.limit, p.limit)
