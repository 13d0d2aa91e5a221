"""Figures of the library's sedan: K&C maps, four Magic Formula tires, recording at 100 Hz."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jounce.bench.run import Row

EVALUATION = 4.5  # µs
REAL_TIME = 100.0
STATICS = 0.2  # s
BUILD = 10.0  # s
SECOND = 0.3  # s, of a simulated one at 1 ms
MEMORY = 1.0  # MB
WHOLE_RUN = 2.0  # s, `jounce run` of a 10 s manoeuvre on a warm cache
WARM_RUN = 0.3  # s, the same in a warm Python
CAR = "sedan"


def car_rows() -> list[Row]:
    """First build, evaluation, × real time, statics, memory, whole runs."""
    from jounce.bench.run import Row, at_least, at_most, best
    from jounce.events import StepSteer
    from jounce.events.engine import make_ready, run
    from jounce.events.options import Options
    from jounce.sim import car
    from jounce.sim.statics import settle
    from jounce.vehicle.reading import load

    vehicle = load(CAR)
    description = car.describe(vehicle)
    begin = time.perf_counter()
    sim = car.simulation(description, method="AB-2", step=0.0005)
    first = time.perf_counter() - begin
    begin = time.perf_counter()
    settle(sim, description)
    linear = time.perf_counter() - begin

    def statics() -> float:
        start = time.perf_counter()
        settle(sim, description)
        return time.perf_counter() - start

    rows = [
        Row(f"{CAR}: operations per evaluation", sim.model.operations["rhs"], "-"),
        at_most(f"{CAR}: first build", first, "s", BUILD, "derive, emit, compile"),
        at_most(f"{CAR}: first statics", linear, "s", BUILD, "with the build of the exact Jacobians"),
        at_most(f"{CAR}: statics", best(statics), "s", STATICS),
    ]
    event = StepSteer(amplitude="30 deg", end_time=10.0)
    start = make_ready(vehicle, event, Options(step=0.0005))
    evaluation = best(lambda: start.sim.time_rhs(5000), 15) * 1e6
    rows.append(at_most(f"{CAR}: evaluation at 100 km/h", evaluation, "µs", EVALUATION))

    def factor() -> float:
        start.restart()
        recorded = start.record(event, interval=0.01)
        return recorded.wall_time / 10.0

    rows.append(
        at_least(f"{CAR}: × real time, AB-2 at 0.5 ms", 1 / best(factor, 5), "-", REAL_TIME, "step steer, 100 Hz")
    )
    c, layout = start.sim.library.struct.contents, start.sim.layout
    memory = 8 * (layout.n_state + layout.n_work + c.n_work + c.n_p) / 1e6
    rows.append(at_most(f"{CAR}: memory of a running car", memory, "MB", MEMORY, "besides road and tables"))

    def whole() -> float:
        start = time.perf_counter()
        run(vehicle, event)
        return time.perf_counter() - start

    run(vehicle, event)
    rows.append(at_most(f"{CAR}: 10 s manoeuvre in a warm Python", best(whole, 5), "s", WARM_RUN))
    rows.append(at_most(f"{CAR}: jounce run, 10 s manoeuvre", best(_process, 3), "s", WHOLE_RUN, "whole process"))
    return rows


def step_rows() -> list[Row]:
    """A simulated second at 1 ms, and the worst of its steps one by one, as a host takes them."""
    from jounce.bench.run import Row, at_most
    from jounce.events import StepSteer
    from jounce.events.engine import make_ready
    from jounce.events.options import Options
    from jounce.vehicle.reading import load

    event = StepSteer(amplitude="20 deg", end_time=2.0)
    start = make_ready(load(CAR), event, Options())
    second = start.record(event).wall_time / event.end_time
    start.restart()
    steps = []
    for _ in range(1000):
        begin = time.perf_counter()
        start.sim.advance(1)
        steps.append(time.perf_counter() - begin)
    note = f"median {sorted(steps)[500] * 1e6:.0f} µs"
    return [
        at_most(f"{CAR}: a simulated second, recorded", second, "s", SECOND, "step steer at 1 ms"),
        Row(f"{CAR}: worst of a thousand single steps", max(steps) * 1e6, "µs", note=note),
    ]


def _process() -> float:
    command = [sys.executable, "-m", "jounce.cli.main", "run", "step-steer", "--vehicle", CAR, "--json"]
    command += ["--set", "amplitude=30 deg", "--set", "end_time=10 s"]
    begin = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - begin
