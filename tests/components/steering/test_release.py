"""A hand wheel that is let go."""

from __future__ import annotations

import numpy as np

from four_wheels import CORNERS
from jounce.runtime.program import Constant, Open, Phase, Program
from jounce.runtime.simulation import Library, Simulation


def test_a_wheel_let_go_follows_its_equation_and_is_caught_where_it_is(compact: Library) -> None:
    sim = Simulation(compact)
    sim.set_states({"chassis.vx": 20.0, **{f"{c}.wheel.spin": 20.0 / 0.3 for c in CORNERS}})
    turn = Open("steering_wheel", Constant(0.4))
    phases = [
        Phase("turn", [turn, Open("steering_release", Constant(0.0))], duration=2.0),
        Phase("free", [turn, Open("steering_release", Constant(1.0))], duration=0.5),
        Phase("held", [turn, Open("steering_release", Constant(0.0))], duration=0.2),
    ]
    run = sim.run(program=Program(*phases), method="AB-2", step=0.0005, interval=0.0005)
    t, angle = run.time, run["driver_demands.steering"]
    assert np.abs(angle[t < 2.0] - 0.4).max() < 1e-12
    inside = (t > 2.01) & (t < 2.49)
    h = t[1] - t[0]
    rate, second = np.gradient(angle, h), np.gradient(np.gradient(angle, h), h)
    torque = run["Steering_System.Steering_Wheel_Torque_load"]
    left = 0.02 * second[inside] + 0.3 * rate[inside]
    assert np.abs(torque[inside]).max() > 0.5
    # differences of second order of a motion with some 10 rad/s over steps of 0.5 ms
    assert np.abs(left - torque[inside]).max() < 2e-3 * np.abs(torque[inside]).max()
    assert angle[t < 2.495][-1] < 0.3, "it returns towards the middle"
    assert np.ptp(angle[t > 2.502]) < 1e-12, "held where it was caught"
