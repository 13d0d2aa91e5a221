"""Torque vectoring: no sum, the moment that is asked for, a car that turns more readily."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from cars import compact, rolling
from jounce.components.controllers.torque_vectoring import TorqueVectoring
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.recording import Recording
from jounce.sim import car


@lru_cache
def described() -> car.Description:
    return car.describe(compact(), ground="inclined", parts=(TorqueVectoring(understeer=0.06, lighter=0.2),))


def turn(active: float, side: float) -> Recording:
    sim = rolling(car.simulation(described()), 22.0)
    sim.set_parameters({"torque_vectoring.active": active, "sensors.yaw_rate_offset": 0.0})
    program = Program(Phase("turn", [Open("steering_wheel", Ramp(side * 0.5, 0.3, start=0.0))], duration=2.0))
    return sim.run(program=program, interval=0.01)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_torques_of_an_axle_make_the_moment_and_no_push(side: float) -> None:
    run, plain = turn(1.0, side), turn(0.0, side)
    left, right = (run[f"Torque_Share.torque_vectoring.{c}"] for c in ("L2", "R2"))
    assert np.allclose(left, -right, rtol=1e-12, atol=1e-9)
    track, radius = compact().rear_suspension.track, 1.03 * compact().wheel_centre(2, "L")[2]
    moment = (right - left) / radius * track / 2
    assert np.allclose(moment, run["Torque_Vectoring.moment"], rtol=1e-6, atol=1e-6)
    early = (run.time > 0.1) & (run.time < 0.5)
    assert (side * moment[early] > 50.0).all(), "into the turn"
    assert np.allclose(run["Wheel.Drive_Moment.L2"], left, atol=1e-6), "the rear wheels are not driven otherwise"
    assert (
        np.abs(run["chassis_velocities.yaw"][-50:]).mean() > 1.02 * np.abs(plain["chassis_velocities.yaw"][-50:]).mean()
    )
    assert np.abs(run["Torque_Vectoring.moment"]).max() <= 2000.0
