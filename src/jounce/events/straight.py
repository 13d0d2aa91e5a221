"""Staying on a straight line: what straight-line events share.

The driver is a part of its own (``jounce.components.driver.straight_line``), compiled into the model; an event gives
him his line and the distance at which he looks ahead.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.components.driver.straight_line import StraightLine
from jounce.core.errors import ParameterError
from jounce.core.fields import quantity
from jounce.runtime.program import Channel, Constant, Open

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.runtime.recording import Recording

SLOWEST = 10.0  # m/s: at lower speeds the distance stays that of this one
USUAL_LOCK = math.radians(35)  # of the wheels, where the data of the steering have no end
TURNED_ROUND = math.radians(30)
YAW = "chassis_displacements.yaw"
PREFIX = "straight_line."  # of the numbers of the driver


def preview_time(usual: float = 1.0) -> Any:
    """Declare how far ahead the driver of a straight-line event looks."""
    return quantity("s", usual, gt=0, typical=(0.1, 5.0), doc="how far ahead the driver of the line looks")


def driver(event: Any) -> tuple[Part, ...]:
    """The driver of a straight-line event, unless the hand wheel is held."""
    return (StraightLine(),) if event.straight_line else ()


def lock_of(start: Start) -> float:
    """The whole lock of the steering: as far as its data go, or to a usual angle of the wheels."""
    steered = start.description.places[0].steered
    found = None if steered is None else steered.data.steering.lock
    usual = abs(start.steering_ratio) * USUAL_LOCK
    return float(found) if found else usual if math.isfinite(usual) else 0.0


def turned_round(event: Any, recorded: Recording) -> Recording:
    """A car that ends far from the direction of its line did not do what a straight-line event is about."""
    meant = not event.straight_line and event.steer != 0.0
    if meant or not recorded.ok or YAW not in recorded.names or not len(recorded):
        return recorded
    yaw = np.unwrap(recorded[YAW])
    turned = math.degrees(abs(float(yaw[-1] - yaw[0])))
    if turned <= math.degrees(TURNED_ROUND):
        return recorded
    return replace(recorded, stop_failed=True, reason=f"{recorded.reason}, turned by {turned:.0f} deg from its line")


def straight_ahead(event: Any, start: Start) -> list[Channel]:
    """Steering channel of a straight-line event."""
    if not event.straight_line:
        return [Open("steering_wheel", Constant(event.steer))]
    if start.outside_problem:
        raise ParameterError(
            f"the driver on a straight line needs the ratio of the steering: {start.outside_problem}. Or take "
            "straight_line=False"
        )
    line = {
        "x": event.x,
        "y": event.y,
        "heading": event.heading,
        "preview": max(event.speed, SLOWEST) * event.preview,
        "steering_per_curvature": start.steering_per_curvature,
        "lock": lock_of(start),
    }
    start.sim.set_parameters({f"{PREFIX}{name}": value for name, value in line.items()})
    return [Open("steering_wheel", Constant(0.0))]
