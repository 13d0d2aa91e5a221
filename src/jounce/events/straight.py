"""Staying on a straight line: a steering law for straight-line events.

The car aims at the line one preview distance d ahead of its centre of gravity: with the offset e of that point from the
line, the curvature that brings it back there is

    κ = -2 e/d²                                                                                               (1)

and the hand wheel turns by κ times the hand wheel angle per curvature at low speed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jounce.runtime.program import Channel, Constant, Feedback, Open

if TYPE_CHECKING:
    from jounce.events.start import Start

PREVIEW = 1.0  # s
SLOWEST = 10.0  # m/s: at lower speeds the distance stays that of this one


def straight_ahead(event: Any, start: Start) -> list[Channel]:
    """Steering channel of a straight-line event."""
    if not event.straight_line:
        return [Open("steering_wheel", Constant(event.steer))]
    distance = max(event.speed, SLOWEST) * PREVIEW
    start.aim(event.x, event.y, event.heading, distance)
    gain = start.steering_per_curvature * 2.0 / (distance * distance)  # (1)
    return [Feedback("steering_wheel", "Straight_Line.Offset_Ahead", Constant(0.0), kp=gain, low=-1.0, high=1.0)]
