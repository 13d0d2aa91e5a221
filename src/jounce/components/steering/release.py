"""A hand wheel that can be let go: it then moves by itself, and the hand goes on from where it finds it.

I θ̈ + b θ̇ = torque of the steering                                                                         (1)
"""

from __future__ import annotations

from typing import Any

from jounce.components.part import Symbols
from jounce.core.fields import Data, quantity
from jounce.symbolic.ops import if_else

HELD_FOLLOWS = 0.005  # s, in which the rate of a free hand wheel follows that of the hand before it is let go


class Release(Data):
    """A hand wheel that can be let go:  I θ̈ + b θ̇ = torque of the steering."""

    inertia: float = quantity("kg.m2", 0.02, gt=0, typical=(1e-3, 5.0), doc="of hand wheel and column, I")
    damping: float = quantity("N.m.s/rad", 0.0, ge=0, typical=(0.0, 100.0), doc="b")

    def moving(self, p: Symbols, speed: Any, torque: Any) -> Any:
        """Acceleration of the hand wheel by the torque of the steering (1)."""
        return (torque - p.damping * speed) / p.inertia


def let_go(scope: Any, root: Any, rate: Any) -> tuple[Any, Any, Any]:
    """Whether the hand wheel is let go, what it has then added to the angle of the hand, and its rate."""
    system = scope.system
    release = root.input("steering_release", "-", "1: the hand wheel is let go, 0: held")
    loose = scope.memory("released", "-", "whether the hand wheel is let go", role="held")
    scope.next_memory(loose, if_else(release > 0.5, 1.0, 0.0))
    offset = scope.declare_coordinate(
        "free.offset", "rad", system.world, doc="what the free wheel has added", role="held"
    )
    speed = scope.declare_coordinate("free.rate", "rad/s", system.world, doc="rate of the free hand wheel", role="zero")
    system.set_coordinate_rate(offset, loose * (speed - rate))
    return loose, offset, speed


def move(scope: Any, loose: Any, speed: Any, rate: Any, moving: Any) -> None:
    """Let it accelerate by ``moving``, or follow the hand."""
    scope.system.set_coordinate_rate(speed, loose * moving + (1 - loose) * (rate - speed) / HELD_FOLLOWS)
