"""Figures of drivelines and controllers: the sedan with its automatic gearbox, and with all controllers on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jounce.bench.run import Row

REAL_TIME = 120.0  # loop with recording at 1 ms
CONTROLLED = 110.0  # the same with all controllers
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


def controller_rows() -> list[Row]:
    """× real time with every controller of the package, in a step of steering."""
    from jounce.bench.run import at_least, best
    from jounce.core.part_registry import PARTS
    from jounce.events import StepSteer
    from jounce.events.engine import make_ready
    from jounce.events.options import Options
    from jounce.vehicle.reading import load

    kinds = sorted(PARTS.kinds("controller"))
    event = StepSteer(amplitude=0.5, end_time=SECONDS, controller=",".join(kinds))
    start = make_ready(load(CAR), event, Options(step=0.001))

    def factor() -> float:
        start.restart()
        return start.record(event, interval=0.01).wall_time / SECONDS

    name = f"{CAR}, all controllers: × real time at 1 ms"
    return [at_least(name, 1 / best(factor, 3), "-", CONTROLLED, f"step steer, 100 Hz; {len(kinds)} controllers")]
