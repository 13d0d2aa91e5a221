"""Cruise control: the speed that is set, uphill and downhill, and a driver who brakes."""

from __future__ import annotations

from functools import lru_cache

import pytest

from cars import compact, rolling
from jounce.components.controllers.cruise_control import CruiseControl
from jounce.runtime.simulation import Simulation
from jounce.sim import car


@lru_cache
def described() -> car.Description:
    return car.describe(compact(), ground="inclined", parts=(CruiseControl(speed=21.0),))


def simulation(speed: float, grade: float = 0.0) -> Simulation:
    sim = car.simulation(described())
    sim.set_parameters({"ground.grade": grade})
    return rolling(sim, speed)


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "grade"), [(17.0, 0.04), (25.0, -0.06), (21.0, 0.0)])
def test_the_set_speed_is_reached_and_kept(speed: float, grade: float) -> None:
    """To the error of the sensed radius, 1.03 of the height of the wheel centre against that which rolls: 1 %."""
    sim = simulation(speed, grade)
    run = sim.run(40.0, interval=0.1)
    assert run["Sensed.speed"][-50:].mean() == pytest.approx(21.0, abs=0.1)
    assert run["chassis_velocities.longitudinal"][-50:].mean() == pytest.approx(21.0, rel=0.02)
    braked = run["Brake_Share.cruise_control.L1"].max() > 0
    assert bool(braked) is (grade < 0)


def test_the_driver_has_the_last_word() -> None:
    sim = simulation(20.3)
    sim.set_inputs({"throttle": 0.9})
    sim.advance(20)
    assert sim.output("Drive_Share.cruise_control") == pytest.approx(0.0), "he gives more than it asks for"
    sim.set_inputs({"throttle": 0.0})
    sim.advance(20)
    # (1) by hand, of what it sees; the integral of 40 ms is 1 % of it
    expected = 0.8 * (21.0 - sim.output("Sensed.speed")) / 4.0
    assert expected > 0.03 and sim.output("Drive_Share.cruise_control") == pytest.approx(expected, rel=0.03)
    sim.set_inputs({"brake": 0.1})
    sim.advance(20)
    assert sim.output("Drive_Share.cruise_control") == 0.0, "he brakes"
