"""What the driver does when tires spin or leave the ground: on the rig slips and loads are inputs."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from drivelines import CLUTCH, RWD
from driver_rig import RADIUS, rig
from jounce.components.driver.gears import DriverGears
from jounce.components.driver.tires import SlipThrottle, TireControl
from jounce.core.tables import Table
from jounce.runtime.program import Constant, FromTable, Open, Phase, Program
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation

WHEELS = ("L1", "R1")


@lru_cache
def careful() -> Simulation:
    gears = DriverGears(upshift={"x": [1.0, 5.0], "y": [240.0, 280.0]}, downshift=60.0)
    return rig(
        {**RWD, "clutch": {**CLUTCH, "automatic": False}},
        gears=gears, tires=TireControl(throttle=1.0, braking=1.0, clutch=1.0), slip=SlipThrottle(wheels=("R1",)),
    )  # fmt: skip


def over_time(points: list[tuple[float, float]]) -> FromTable:
    t, y = zip(*points, strict=True)
    return FromTable(Table([np.array(t)], np.array(y), method="linear", extrapolation="flat"))


def run(seconds: float, first: float = 4.0, numbers: dict[str, float] | None = None, **inputs: Any) -> Recording:
    sim = careful()
    sim.set_program(None)
    sim.restart(defaults=True)
    sim.set_states(dict.fromkeys(("L1.spin", "R1.spin"), first / RADIUS))
    numbers = {f"longitudinal.{name}": value for name, value in (numbers or {}).items()}
    kept = {name: sim.parameters[name] for name in numbers}
    sim.set_parameters(numbers)
    given = {"driver.active": 0.0} | {name.replace("__", "."): value for name, value in inputs.items()}
    channels = [Open(name, Constant(v) if isinstance(v, float) else v) for name, v in given.items()]
    try:
        return sim.run(program=Program(Phase("run", channels, duration=seconds)), interval=0.001)
    finally:
        sim.set_parameters(kept)


@pytest.mark.parametrize(
    ("slip", "factor"),
    [(0.0, 1.0), (0.0424, 1.0), (0.04375, 0.875), (0.045, 0.75), (0.046, 0.45), (0.0475, 0.0), (0.3, 0.0), (-0.2, 1.0)],
)
def test_the_throttle_fades_with_slip(slip: float, factor: float) -> None:
    """By hand from x_2 = 0.05, shares 0.85 and 0.9, slopes 100 and 300."""
    found = run(0.02, throttle=0.4, rig__slip__R1=slip, driver__shifts=0.0, gear=1.0)
    assert found["driver_demands.throttle"][-1] == pytest.approx(0.4 * factor, abs=1e-9)
    assert found["driver.slip_factor"][-1] == pytest.approx(factor, abs=1e-9)
    other = run(0.02, throttle=0.4, rig__slip__L1=slip, driver__shifts=0.0, gear=1.0)
    assert other["driver_demands.throttle"][-1] == 0.4, "a wheel that is not looked at"


def test_slip_below_the_least_opens_the_clutch() -> None:
    found = run(0.02, numbers={"slip.min_slip": -0.3}, throttle=0.4, rig__slip__R1=-0.31, driver__shifts=1.0)
    assert found["driver_demands.clutch"][-1] == 1.0
    assert run(0.02, numbers={"slip.min_slip": -0.3}, rig__slip__R1=-0.29)["driver_demands.clutch"][-1] == 0.0


def test_in_the_air_pedals_are_released_and_come_back_with_their_filter() -> None:
    """1 − exp(−t/0.05 s) after the landing; a car with one wheel on the ground does not fly."""
    jump = over_time([(0.0, 3500.0), (0.3, 3500.0), (0.3005, 4.9), (0.5, 4.9), (0.5005, 3000.0), (1.0, 3000.0)])
    found = run(0.9, throttle=0.5, brake=0.2, rig__load__L1=jump, rig__load__R1=jump)
    t = found.time
    for name, level in (("throttle", 0.5), ("brake", 0.2)):
        pedal = found[f"driver_demands.{name}"]
        assert np.all(pedal[(t > 0.303) & (t < 0.5)] == 0.0)
        assert np.all(pedal[t < 0.3] == level)
        for later in (0.02, 0.05, 0.15):
            back = level * (1 - math.exp(-later / 0.05))
            assert np.interp(0.5005 + later, t, pedal) == pytest.approx(back, abs=0.02 * level)
    assert np.all(found["driver_demands.clutch"][(t > 0.303) & (t < 0.5)] == 1.0)
    one = run(0.6, throttle=0.5, rig__load__L1=jump)
    assert np.all(one["driver_demands.throttle"] == 0.5)
    kept = run(0.6, numbers={"tires.throttle": 0.0}, throttle=0.5, rig__load__L1=jump, rig__load__R1=jump)
    assert np.all(kept["driver_demands.throttle"] == 0.5)


def upshift(found: Recording) -> float:
    moved = np.flatnonzero(found["driver.shift"] > 0.5)
    return float(found.time[moved[0]]) if len(moved) else math.inf


def test_no_shifting_up_while_a_tire_spins_for_a_least_and_a_most_time() -> None:
    free = upshift(run(1.5, throttle=0.6))
    assert 0.05 < free < 0.7
    # spins from before the shift on, for a moment: held for 0.1 s
    begins = free - 0.02
    moment = over_time(
        [(0.0, 0.0), (begins, 0.0), (begins + 1e-4, -0.25), (begins + 0.03, -0.25), (begins + 0.031, 0.0)]
    )
    held = run(1.5, throttle=0.6, rig__slip__L1=moment)
    assert upshift(held) == pytest.approx(begins + 0.1, abs=0.004)
    # as long as it spins
    long = over_time([(0.0, 0.0), (begins, 0.0), (begins + 1e-4, 0.25), (begins + 0.7, 0.25), (begins + 0.701, 0.0)])
    assert upshift(run(2.0, throttle=0.6, rig__slip__L1=long)) == pytest.approx(begins + 0.7, abs=0.004)
    # but not for ever, and no second time
    always = run(5.0, throttle=0.4, rig__slip__L1=0.9)
    assert upshift(always) == pytest.approx(3.0, abs=0.004)
    assert np.all(always["driver.no_upshift"][always.time > 3.01] == 0.0)
    # one light wheel keeps it, too
    light = run(2.5, throttle=0.6, rig__load__R1=3.0)
    assert upshift(light) == math.inf
    assert upshift(run(1.0, numbers={"tires.gear": 0.0}, throttle=0.6, rig__load__R1=3.0)) < 0.7


def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValidationError, match="must not be below share_1"):
        SlipThrottle(share_1=0.9, share_2=0.8)
    with pytest.raises(Exception, match="no wheel is called 'L9'"):
        SlipThrottle(wheels=("L9",)).chosen({"L1": 0.0, "R1": 0.0})
