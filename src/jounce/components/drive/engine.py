"""An engine by a map of torque over speed and throttle.

T = map(ω, u),    T_max = map(ω, 1),   T_min = map(ω, 0)                                                     (1)
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import model_validator

from jounce.components.drive.base import Station
from jounce.components.drive.engine_control import Engine
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, problem


class MapEngine(Engine):
    """An engine by its map."""

    kind: Literal["engine"] = choice("engine", doc="kind of part")
    torque_map: Curve = curve("rad/s", "N.m", z="-", doc="torque over speed and throttle, 0 to 1")

    @model_validator(mode="after")
    def _covers(self) -> Self:
        check_map(self.torque_map, "torque_map", self.rev_limit)
        return self

    def torque(self, here: Station, speed: Any, demand: Any) -> Any:
        return self.boosted(here, here.p.torque_map(speed, demand))


def check_map(found: Curve, key: str, limit: Curve | None = None) -> None:
    """Raise unless a map of torque covers the throttle from 0 to 1 and the speeds up to the limit."""
    if not found.is_table or not found.z:
        raise problem("a torque over speed and throttle needs both axes: x, z and y", key)
    if found.z[0] > 0 or found.z[-1] < 1:
        raise problem(f"covers throttles from {found.z[0]:g} to {found.z[-1]:g}; expected 0 to 1", key)
    if limit is not None:
        largest = limit.constant if limit.constant is not None else max(limit.y)
        if found.x[-1] < largest:
            raise problem(f"ends at {found.x[-1]:.6g} rad/s, below the speed limit, {largest:.6g} rad/s", key)
