"""Hands that push the hand wheel of a car: the torque of its steering turns it back, and they hold against it."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.components.driver.contour import Contour
from jounce.components.driver.human import Arms, Human
from jounce.road.path import Path
from jounce.road.paths import PathSet
from jounce.runtime.program import Constant, Open, Phase, Program
from jounce.sim import car as cars
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from jounce.vehicle.reading import load

DRIVE = {"max_torque": "2150 N.m", "L1": 0.25, "R1": 0.25, "L2": 0.25, "R2": 0.25}
STIFFNESS = 27.0


@pytest.mark.slow
def test_hands_hold_the_wheel_against_the_torque_of_the_steering() -> None:
    """In a steady turn the wheel stays behind the hands by the torque of the steering over their stiffness."""
    human = Human(skill="professional", arms=Arms(stiffness=STIFFNESS, damping=1.2))
    car = load("sedan").with_(driveline=None, drive=DRIVE)
    description = cars.describe(car, parts=(Contour(human=human, steering_ratio=14.6),))
    sim = cars.simulation(description)
    heading = 0.4
    path = Path.from_curvature([0, 60, 100, 700], [0, 0, 0.012, 0.012]).moved(3.0, -2.0, heading=heading)
    PathSet([path]).bind(sim)
    sim.set_parameters({"contour.human.noise": 0.0})
    (x, y, _) = path.at(8.0)
    settle(sim, description, x=x, y=y, heading=heading)
    found = run_steadily(sim, description, 17.0)
    channels = [
        Open("driver.steers", Constant(1.0)), Open("steering_release", Constant(1.0)),
        Open("throttle", Constant(found.throttle * 1.6)),
    ]  # fmt: skip
    run = sim.run(program=Program(Phase("turn", channels, duration=18.0)), interval=0.01)
    assert np.abs(run["driving_machine_monitor.path_distance"]).max() < 1.0
    late = run.time > 15.0
    wheel = run["driver_demands.steering"][late]
    wanted = run["driving_machine_monitor.driver_steering"][late]
    torque = -run["Steering_System.Steering_Wheel_Torque_load"][late]
    assert np.mean(wheel) > 0.3 and np.ptp(run["driver.offset"][late]) < 0.1
    behind = np.mean(wanted - wheel)
    assert behind * STIFFNESS == pytest.approx(np.mean(torque), abs=0.5) and abs(np.mean(torque)) > 1.0
