"""Figures of suspensions in full: compliance, every element of a race car, the report of a rig, set-up.

× real time is that of a whole run: the loop with recording at 100 Hz, a step of 1 ms (``timing.real_time_factor``).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jounce.bench.run import Row
    from jounce.vehicle.schema import Vehicle

COMPLIANCE = 1.25  # evaluation with compliance over that without
COMPLIANT = 150.0  # × real time of the sedan with it
EVERY_ELEMENT = 100.0  # × real time of formula
REPORT = 10.0  # s, K&C report with its page
SETUP = 1.0  # s, warm
# all five directions, by every load that K&C reports quote
FIVE: dict[str, Any] = {
    "x": {"fx": "3.0 mm/kN"},
    "y": {"fy": "0.5 mm/kN"},
    "toe": {"fx_brake": "-0.03 deg/kN", "fx_drive": "0.05 deg/kN", "fy": "0.05 deg/kN", "mz": "-4.2 deg/(kN.m)"},
    "camber": {"fy": "-0.25 deg/kN", "mz": "0.2 deg/(kN.m)"},
    "side_view_angle": {"fx_brake": "0.4 deg/kN"},
}
TARGETS: dict[str, float | str | None] = {
    "front_ride_height": "36 mm",
    "rear_ride_height": "61.5 mm",
    "cross_weight": 0.505,
    "front_toe": "-0.08 deg",
    "rear_toe": "0.14 deg",
    "front_camber": "-2.8 deg",
    "rear_camber": "-1.7 deg",
    "front_bump_gap": "12.5 mm",
}


def compliance_of(vehicle: Vehicle, maps: dict[str, Any] | None) -> Vehicle:
    """The car with these maps on both axles, or without any."""
    return vehicle.with_(**{f"{end}_suspension.compliance": maps for end in ("front", "rear")})


def suspension_rows() -> list[Row]:
    """Compliance against none, in turns; formula with every element; K&C report; set-up with eight targets."""
    from jounce.bench.run import at_least, at_most, best
    from jounce.events import StepSteer
    from jounce.events.engine import run
    from jounce.events.start import Start
    from jounce.rigs.kc_figures import kc
    from jounce.rigs.kc_report import sweeps, write_page
    from jounce.rigs.suspension_rig import SuspensionRig
    from jounce.sim import car
    from jounce.sim.setup import setup
    from jounce.vehicle.reading import load

    # what drives has a row of its own
    sedan, formula = (load(name).with_(driveline=None, drive="rear") for name in ("sedan", "formula"))
    event = StepSteer(amplitude="20 deg", end_time=10.0)
    cars = [compliance_of(sedan, None), compliance_of(sedan, FIVE)]
    starts = [Start(car.describe(vehicle), event) for vehicle in cars]
    times = [float("inf")] * 2
    for _ in range(15):  # in turns, so that both see the same machine
        times = [min(t, start.sim.time_rhs(3000)) for t, start in zip(times, starts, strict=True)]

    def factor(vehicle: Vehicle, steer: StepSteer) -> float:
        return -float(run(vehicle, steer).metadata["timing"]["real_time_factor"])

    def report() -> None:
        with tempfile.TemporaryDirectory() as folder:
            rig = SuspensionRig(formula, radius="design")
            write_page(Path(folder) / "kc.html", kc(formula, rig), sweeps(rig))

    small = StepSteer(amplitude="10 deg", end_time=10.0)
    report()  # builds the rig
    setup(formula, TARGETS)
    note = "step steer at 1 ms, 100 Hz"
    return [
        at_most("sedan: evaluation with compliance over that without", times[1] / times[0], "-", COMPLIANCE,
                f"{len(FIVE)} directions on both axles; {times[1] * 1e6:.2f} µs"),
        at_least("sedan with compliance: × real time", -best(lambda: factor(cars[1], event), 5), "-", COMPLIANT, note),
        at_least("formula: × real time", -best(lambda: factor(formula, small), 5), "-", EVERY_ELEMENT,
                 f"every element; {note}"),
        at_most("formula: K&C report", best(lambda: _seconds(report), 2), "s", REPORT, "figures, sweeps and page"),
        at_most("formula: set-up with eight targets", best(lambda: _seconds(lambda: setup(formula, TARGETS)), 5), "s",
                SETUP, "from the cache"),
    ]  # fmt: skip


def _seconds(function: Callable[[], object]) -> float:
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin
