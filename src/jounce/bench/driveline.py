"""Figures of drivelines: the sedan with engine, converter and automatic gearbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jounce.bench.run import Row

REAL_TIME = 120.0  # loop with recording at 1 ms
CAR = "sedan"
SECONDS = 20.0


def driveline_rows() -> list[Row]:
    """× real time while it accelerates through its gears."""
    from jounce.bench.run import at_least, best
    from jounce.events import StraightAcceleration
    from jounce.events.options import Options
    from jounce.events.start import Start
    from jounce.sim import car
    from jounce.vehicle.reading import load

    event = StraightAcceleration(end_time=SECONDS, final_speed=100.0)
    description = car.describe(load(CAR), parts=event.parts())
    start = Start(description, event, Options(step=0.001))

    def factor() -> float:
        start.restart()
        return start.record(event, interval=0.01).wall_time / SECONDS

    name = f"{CAR}, automatic gearbox: × real time at 1 ms"
    return [at_least(name, 1 / best(factor, 3), "-", REAL_TIME, "full throttle, 100 Hz")]
