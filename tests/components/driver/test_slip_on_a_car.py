"""Throttle by slip on a car whose tires are on ice: it holds the slip, and is faster than full throttle."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.components.driver.longitudinal import Longitudinal
from jounce.components.driver.tires import SlipThrottle
from jounce.runtime.program import Constant, Open, Phase, Program, Ramp
from jounce.sim import car as cars
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from jounce.vehicle.reading import load

DRIVE = {"max_torque": "2150 N.m", "L1": 0.25, "R1": 0.25, "L2": 0.25, "R2": 0.25}


@pytest.mark.slow
def test_on_ice_less_throttle_is_faster() -> None:
    """At a friction of 0.2 the slip stays below what is allowed and a tenth; without, the wheels spin."""
    description = cars.describe(
        load("sedan").with_(driveline=None, drive=DRIVE), parts=(Longitudinal(slip=SlipThrottle()),)
    )
    sim = cars.simulation(description)
    sim.set_parameters({"ground.friction": 0.2})
    speeds = {}
    for active in (1.0, 0.0):
        sim.restart(defaults=True)
        sim.set_parameters({"longitudinal.slip.active": active})
        settle(sim, description, heading=0.7)
        first = run_steadily(sim, description, 6.0)
        pressed = Ramp(1.0, 0.2, start=first.throttle)  # a foot that is quick: five pedals in a second
        channels = [Open("driver.active", Constant(0.0)), Open("throttle", pressed), Open("brake", Constant(0.0))]
        run = sim.run(program=Program(Phase("ice", channels, duration=6.0)), interval=0.01)
        slip = np.max([run[f"Tire.Longitudinal_Slip_With_Lag.{wheel}"] for wheel in description.wheels], axis=0)
        speeds[active] = float(run["chassis_velocities.longitudinal"][-1])
        if active:
            assert slip.max() < 1.1 * 0.05
            assert 0.05 < run["driver_demands.throttle"][-1] < 0.95
        else:
            assert slip.max() > 1.0
    assert speeds[1.0] > speeds[0.0] + 1.0
