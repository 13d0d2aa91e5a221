"""Hill start: roll-back in closed form, what a foot that goes over costs, in reverse as forwards."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.errors import ParameterError
from jounce.events.library.hill_start import HillStart, hill_start
from jounce.results.run import Run
from jounce.vehicle.reading import library_names
from result_runs import value

SPEED = "chassis_velocities.longitudinal"
G = 9.80665


@lru_cache
def drive(car: str = "bev", **changes: Any) -> Run:
    return jn.run(jn.load(car), HillStart(**changes))


# --- figures ---------------------------------------------------------------------------------------------------------


def test_figures_of_a_car_that_rolls_back_and_comes_again() -> None:
    """Back with −a for T, then with b: s = −aT²/2 − (aT)²/(2b) at the worst, and back at T + aT/b (1 + √(1 + b/a))."""
    a, b, spell, start = 1.3, 2.1, 0.6, 0.8
    t = np.arange(0.0, 6.0, 0.001)
    tau = np.clip(t - start, 0.0, None)
    v = np.where(tau < spell, -a * tau, -a * spell + b * (tau - spell))
    found = hill_start(t, v, start)
    least = 0.5 * a * spell**2 + (a * spell) ** 2 / (2 * b)
    assert value(found, "rollback") == pytest.approx(1e3 * least, rel=1e-5)
    assert value(found, "rollback_speed") == pytest.approx(1e3 * a * spell, rel=1e-9)
    back = spell + a * spell / b + math.sqrt(2 * least / b)
    assert value(found, "launch_time") == pytest.approx(back, abs=1e-3)
    assert value(found, "t_10") == pytest.approx(spell + (10 / 3.6 + a * spell) / b, abs=1e-6)


def test_a_car_that_does_not_come_back_has_no_times() -> None:
    t = np.arange(0.0, 3.0, 0.01)
    found = hill_start(t, -np.clip(t - 1, 0, None), 1.0)
    assert value(found, "rollback") == pytest.approx(2e3, rel=0.01) and math.isnan(value(found, "launch_time"))
    assert math.isnan(value(hill_start(t, t, 4.0), "rollback"))
    assert value(hill_start(t, np.clip(t - 1, 0, None), 1.0), "rollback") == 0.0


# --- the event -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_brake_and_drive_together_hold_the_car(direction: str) -> None:
    run = drive(direction=direction, grade=0.12 if direction == "forward" else -0.12)
    way = 1.0 if direction == "forward" else -1.0
    assert run.complete and run.reason == "final speed reached"
    # no more than the brush of its tires and the wind-up of its suspension give
    assert run.kpis["rollback"][0] < 3.0
    assert way * run[SPEED][-1] == pytest.approx(20 / 3.6, abs=0.02)
    # the driver asks for 1.5 m/s²
    rows = way * run[SPEED] > 2.0
    assert np.polyfit(run.time[rows], way * run[SPEED][rows], 1)[0] == pytest.approx(1.5, rel=0.05)
    # as far forward as backward: the slope and the drive are the same
    other = drive(direction="forward", grade=0.12)
    assert run.kpis["t_10"][0] == pytest.approx(other.kpis["t_10"][0], rel=0.03)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_foot_that_goes_over_lets_the_car_roll_as_far_as_gravity_takes_it(direction: str) -> None:
    """With the brake gone ẍ = g sin α − resistance, for the time of the foot."""
    sign = 1.0 if direction == "forward" else -1.0
    run = drive(technique="foot", direction=direction, grade=0.12 * sign, foot_time=0.6)
    v = sign * run[SPEED]
    rows = (run.time > 1.4) & (run.time < 1.78)
    pull = G * math.sin(math.atan(0.12))
    back = -float(np.polyfit(run.time[rows], v[rows], 1)[0])
    # wheels and rotors of the motors turn with it (some 6 % of this car), the tires roll with 0.01 of its weight
    assert 0.88 * pull < back < 0.97 * pull
    short = drive(technique="foot", direction=direction, grade=0.12 * sign, foot_time=0.3)
    assert run.kpis["rollback"][0] > short.kpis["rollback"][0] + 60.0
    assert short.kpis["rollback"][0] > drive(direction=direction, grade=0.12 * sign).kpis["rollback"][0] + 20.0


def test_a_hill_hold_keeps_the_car_while_the_foot_goes_over() -> None:
    assert drive(technique="foot", controller="hill_hold").kpis["rollback"][0] < 5.0
    assert drive(technique="foot").kpis["rollback"][0] > 100.0


def test_a_slope_too_steep_is_no_start() -> None:
    run = drive(friction=0.1, end_time=5.0)
    assert not run.complete and "does not come to 5.56 m/s" in run.reason
    assert math.isnan(run.kpis["t_10"][0])


@pytest.mark.parametrize("values", [{"grade": 0.0}, {"grade": -0.1}, {"direction": "backward"}, {"heading": math.pi}])
def test_downhill_is_no_hill_start(values: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=r"the car is to drive \w+ where that leads down or is level"):
        HillStart(**values)


def test_uphill_is_where_the_car_looks() -> None:
    here = drive()
    there = drive(heading=math.pi, grade=-0.12)
    for name in ("rollback", "t_10", "launch_time"):
        assert there.kpis[name][0] == pytest.approx(here.kpis[name][0], rel=1e-6, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("car", library_names())
def test_every_drive_starts_on_a_hill_forwards_and_backwards(car: str) -> None:
    """Manual gearbox, converter, dual clutch, hybrid and motors; engines that stand still would be no start."""
    for direction, grade in (("forward", 0.12), ("backward", -0.12)):
        held = jn.run(jn.load(car), events.HillStart(direction=direction, grade=grade))
        foot = jn.run(jn.load(car), events.HillStart(direction=direction, grade=grade, technique="foot"))
        assert held.complete and foot.complete, (held.reason, foot.reason)
        assert held.kpis["rollback"][0] < 3.0 and foot.kpis["rollback"][0] < 400.0
        if "engine_least" in held.kpis:
            assert held.kpis["engine_least"][0] > 500.0 and foot.kpis["engine_least"][0] > 500.0
        if "Transmission.gear" in held:
            gear = held["Transmission.gear"][-1]
            assert gear >= 1.0 if direction == "forward" else gear == -1.0
