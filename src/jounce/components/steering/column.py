"""Wind-up of the steering column over the sum of the moments about the kingpins.

It follows the moments in two steps of half its lag, so that the wheels have the velocity that belongs to their motion.
"""

from __future__ import annotations

from typing import Any

from jounce.components.part import Symbols
from jounce.core.curves import Curve
from jounce.core.fields import Data, curve, quantity


class Column(Data):
    """Wind-up of the column over the sum of the moments about the kingpins."""

    wind_up: Curve = curve(
        "N.m",
        "rad",
        typical=(1e-5, 1.0),
        reach=(0.1, 500.0),
        doc="hand wheel angle added; to the left where the moment turns to the left",
    )
    lag: float = quantity("s", 0.005, gt=0, typical=(1e-4, 0.5), doc="delay of the wind-up")

    def declare(self, scope: Any, p: Symbols) -> tuple[Any, Any]:
        """The first step of the lag and the wind-up itself."""
        system = scope.system
        follower = scope.declare_coordinate(
            "column.follower", "rad", system.world, doc="first step of the lag", role="balance"
        )
        wound = scope.declare_coordinate(
            "column.wind_up", "rad", system.world, doc="wind-up of the column", role="balance"
        )
        system.set_coordinate_rate(wound, (follower - wound) / (0.5 * p.lag))
        return follower, wound

    def close(self, scope: Any, p: Symbols, follower: Any, moment: Any) -> None:
        """Let it follow the moments about the kingpins."""
        scope.system.set_coordinate_rate(follower, (p.wind_up(moment) - follower) / (0.5 * p.lag))
