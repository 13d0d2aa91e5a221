"""Steering along paths: what events share whose driver follows one.

The drivers are parts (``jounce.components.driver``), compiled into the model; an event binds the paths and gives the
driver what he knows of the car.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.sim.preview_schedule import CIRCLE, GAINS, TOWED, Schedule

if TYPE_CHECKING:
    from jounce.events.start import Start

PREVIEW = "preview."  # of the numbers of the driver
BACKING = "backing"  # kind of the driver who reverses with a towed unit


def preview_tables(found: Schedule, prefix: str = PREVIEW) -> dict[str, Table]:
    """The schedule of a preview driver as the tables of his part."""
    return {
        f"{prefix}gains": Table((found.speeds, found.parts), found.gains, method="akima"),
        f"{prefix}straight": Table(found.speeds, found.straight, method="akima"),
    }


def know_preview(start: Start, prefix: str = PREVIEW) -> Schedule:
    """Give the preview driver of a run the gains for its car."""
    from jounce.sim.preview_memory import known_schedule
    from jounce.sim.statics import settle

    if start.steered_outside:
        raise ParameterError(
            "a driver by optimal preview knows the equations of his car, and not those of a steering from outside; "
            "take driver: contour"
        )
    sim, description = start.sim, start.description
    towed = sum("yaw" in unit.data.hitch.free for unit in start.vehicle.layout.units[1:])
    delay = sim.model.tables[f"{prefix}gains"].n_out - len(GAINS) - len(CIRCLE) - len(TOWED) * towed
    body = start.vehicle.layout.units[0].data.body
    point = body.reference(start.vehicle.layout.units[0])
    here = sim.snapshot()
    try:
        inputs = {v.name for v in sim.model.inputs}
        ahead_gears = {"driver.first_gear": 0.0, "driver.shifts": 1.0}  # gains are those of driving ahead
        forwards = ahead_gears if start.event.speed < 0 and set(ahead_gears) <= inputs else {}
        sim.set_inputs({"steering_wheel": 0.0, "throttle": 0.0, "brake": 0.0} | forwards)
        settle(sim, description, x=start.event.x, y=start.event.y, heading=start.event.heading)
        ahead = 0.0 if point is None else float(np.asarray(point)[0])
        found = known_schedule(
            sim,
            description,
            without=(f"{prefix}gains", f"{prefix}straight"),
            length=start.vehicle.wheelbase,
            ratio=start.steering_ratio,
            steered=sim.parameter(f"{prefix}steered"),
            ahead=ahead,
            delay=delay,
        )
    finally:
        sim.restore(here)
    sim.set_tables(preview_tables(found, prefix))
    return found


def know_backing(start: Start, prefix: str) -> None:
    """Give the driver who reverses with a towed unit the gains for it, found at the speed of the event."""
    from jounce.sim.backing import geometry_of, schedule, shown
    from jounce.sim.statics import settle
    from jounce.sim.steady import run_steadily

    sim, description, event = start.sim, start.description, start.event
    if start.steered_outside:
        raise ParameterError("a driver in reverse knows the equations of his train, and not a steering from outside")
    here = sim.snapshot()
    try:
        sim.set_inputs({"steering_wheel": 0.0, "throttle": 0.0, "brake": 0.0})
        settle(sim, description, x=event.x, y=event.y, heading=event.heading)
        run_steadily(sim, description, event.speed)
        found = schedule(sim, description, geometry=geometry_of(start.vehicle), lock=sim.parameter(f"{prefix}lock"))
    finally:
        sim.restore(here)
    ends = np.array([0.0, 1.0])
    tables = {
        "gains": Table(found.articulations, found.gains, method="akima"),
        "turns": Table(found.curvatures, found.turns, method="akima"),
        "ahead": Table(ends, np.tile(shown(found), (2, 1)), method="linear"),
    }
    sim.set_tables({f"{prefix}{name}": table for name, table in tables.items()})
