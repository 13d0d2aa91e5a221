"""Staying on a straight line: what straight-line events share.

The driver is a part of its own (``jounce.components.driver.straight_line``), compiled into the model; an event gives
him his line and the distance at which he looks ahead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jounce.components.driver.straight_line import StraightLine
from jounce.runtime.program import Channel, Constant, Open

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start

PREVIEW = 1.0  # s
SLOWEST = 10.0  # m/s: at lower speeds the distance stays that of this one
PREFIX = "straight_line."  # of the numbers of the driver


def driver(event: Any) -> tuple[Part, ...]:
    """The driver of a straight-line event, unless the hand wheel is held."""
    return (StraightLine(),) if event.straight_line else ()


def straight_ahead(event: Any, start: Start) -> list[Channel]:
    """Steering channel of a straight-line event."""
    if not event.straight_line:
        return [Open("steering_wheel", Constant(event.steer))]
    line = {
        "x": event.x,
        "y": event.y,
        "heading": event.heading,
        "preview": max(event.speed, SLOWEST) * PREVIEW,
        "steering_per_curvature": start.steering_per_curvature,
    }
    start.sim.set_parameters({f"{PREFIX}{name}": value for name, value in line.items()})
    return [Open("steering_wheel", Constant(0.0))]
