"""A simple engine: largest torque, largest power, drag, and a lag.

T_full = min(T_max, P_max/ω),   T_cmd = T_min + u (T_full − T_min),   τ Ṫ = T_cmd − T                          (1)
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.drive.base import Station
from jounce.components.drive.engine_control import Engine
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import fmax, fmin

SLOWEST = 1.0  # rad/s: below it the power says nothing


class SimpleEngine(Engine):
    """An engine by its largest torque and power."""

    kind: Literal["simple_engine"] = choice("simple_engine", doc="kind of part")
    min_torque: float = quantity("N.m", 0.0, le=0, typical=(1.0, 1e3), doc="with the pedal up")
    max_torque: float = quantity("N.m", gt=0, typical=(5.0, 5e3), doc="with the pedal down, at low speed")
    max_power: float = quantity("W", gt=0, typical=(1e3, 1.5e6), doc="with the pedal down, at high speed")
    lag: float | None = quantity("s", None, gt=0, typical=(0.01, 2.0), doc="time constant; absent: none")

    def largest_torque(self) -> float:
        return self.torque_scale * self.max_torque

    def _law(self, here: Station, speed: Any, demand: Any) -> Any:
        p = here.p
        full = fmin(p.max_torque, p.max_power / fmax(speed, SLOWEST))
        return self.boosted(here, p.min_torque + demand * (full - p.min_torque))

    def limits(self, here: Station, speed: Any) -> tuple[Any, Any]:
        least, most = (here.p.torque_scale * self._law(here, speed, u) for u in (0.0, 1.0))
        return least, most

    def torque(self, here: Station, speed: Any, demand: Any) -> Any:
        wanted = self._law(here, speed, demand)
        if self.lag is None:
            return wanted
        torque = here.scope.state("torque", "N.m", "of the engine, before scaling", role="balance")
        here.scope.derivative(torque, (wanted - torque) / here.p.lag)
        return torque
