"""What assists of a steering share: where they act, what they read, how a map must be.

An assist is commanded by the twist of the torsion bar and the speed of the car. Its map must vanish without twist and
push with the twist: one that does not feeds energy into a steering at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jounce.components.steering.chain import Chain, Turn
from jounce.core.curves import Curve
from jounce.core.fields import problem

NOTHING = 1e-6  # of its largest value: what a map may have where it must vanish


@dataclass
class Assisted:
    """What an assist finds around it."""

    scope: Any  # for its states
    chain: Chain
    twist: Any  # of the torsion bar, as its sensor tells it
    twist_rate: Any
    pinion: Any  # turn of the pinion
    speed: Any  # of the car, forwards or backwards
    driven: Turn  # what an electric assist drives: a column, the pinion, the rack (m)
    per_turn: Any  # travel of what is driven per turn of the pinion; 1 of what turns
    rack: Turn  # travel of the rack, m, with the hand wheel
    on: Any  # frame of the car
    motor_torque: Any = None  # further torque of the motor, from outside
    active: Any = None  # 1 where it assists, 0 where a run has switched it off
    losses: dict[str, Any] = field(default_factory=dict)  # power that is lost, by part

    def switched(self, command: Any) -> Any:
        """A command of the assist, while nobody switches it off."""
        return command if self.active is None else self.active * command


def check_map(curve: Curve, name: str) -> None:
    """Raise unless an assist by this map is at rest without twist and pushes with the twist."""
    if curve.constant is not None:
        if curve.constant < 0:
            raise problem(f"{curve.constant!r}: pushes against the twist; it must not be negative", name)
        return
    values = np.asarray(curve.values, dtype=float).reshape(len(curve.x), -1)
    most = float(np.abs(values).max())
    for column in values.T:
        at_rest = float(np.interp(0.0, curve.x, column))
        if abs(at_rest) > NOTHING * most:
            raise problem(f"{at_rest:.4g} without twist: feeds energy into a steering at rest; it must be 0", name)
        for x, value in zip(curve.x, column, strict=True):
            if x * value < -NOTHING * most * abs(x):
                raise problem(
                    f"{float(value):.4g} at a twist of {x:.4g} rad: pushes against the twist and feeds energy into a "
                    "steering at rest; both must have one sign",
                    name,
                )
