"""Figures of a steering in full: rack and pinion with electric assist and friction against a ratio alone.

× real time is that of a whole run: the loop with recording at 100 Hz, a step of 1 ms (``timing.real_time_factor``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jounce.bench.run import Row

ADDED = 1.0  # µs per evaluation
REAL_TIME = 130.0


def steering_rows() -> list[Row]:
    """What the steering of the sedan adds to an evaluation, measured in turns, and its runs."""
    from jounce.bench.run import at_least, at_most, best
    from jounce.events import StepSteer
    from jounce.events.engine import run
    from jounce.events.start import Start
    from jounce.sim import car
    from jounce.vehicle.reading import load

    sedan = load("sedan").with_(driveline=None, drive="rear")  # what drives has a row of its own
    event = StepSteer(amplitude="20 deg", end_time=10.0)
    starts = [Start(car.describe(v), event) for v in (sedan.with_(**{"steering.rack_pinion": None}), sedan)]
    times = [float("inf")] * 2
    for _ in range(25):  # in turns, so that both see the same machine
        times = [min(t, start.sim.time_rhs(2000)) for t, start in zip(times, starts, strict=True)]
    count = [start.sim.model.operations["rhs"] for start in starts]

    def factor() -> float:
        return -float(run(sedan, event).metadata["timing"]["real_time_factor"])

    return [
        at_most("sedan: evaluation, what its steering adds", 1e6 * (times[1] - times[0]), "µs", ADDED,
                f"assist and friction; {count[1]} operations for {count[0]}, {times[1] * 1e6:.2f} µs"),
        at_least("sedan with its steering: × real time", -best(factor, 5), "-", REAL_TIME,
                 "step steer at 1 ms, 100 Hz"),
    ]  # fmt: skip
