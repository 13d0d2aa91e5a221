"""Disc brakes: pressure to torque.

    M = 2 · piston_area · mu · effective_radius · p                                                             (1)

Two pads press on a disc. What else a brake at a wheel does, how it sticks, its inputs and its heat: ``wheel_brake``.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.brakes.wheel_brake import WheelBrake
from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, part, quantity


class DiscBrake(WheelBrake):
    """The brakes of an axle:  M = 2 · piston_area · mu · effective_radius · p."""

    kind: Literal["disc"] = choice("disc", doc="kind of brake")  # type: ignore[assignment]
    mu: float = quantity("-", 0.4, ge=0, typical=(0.05, 1.2), doc="friction of the pads")
    effective_radius: float = quantity("m", gt=0, typical=(0.03, 0.4), doc="radius at which the friction force acts")
    piston_area: float = quantity("m2", gt=0, typical=(1e-5, 0.5), doc="area of the pistons that press one pad")
    right: DiscBrake | None = part(None, doc="what differs on the right side")

    def moment(self, at: WheelModel, p: Symbols, mu: Any, pressure: Any) -> Any:
        return 2 * p.piston_area * mu * p.effective_radius * pressure  # (1)

    def full_moment(self, pressure: float) -> float:
        return 2 * self.piston_area * self.mu * self.effective_radius * pressure
