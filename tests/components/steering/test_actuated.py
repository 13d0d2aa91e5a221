"""Rear wheels that actuators steer, and the example of a controller for them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from pydantic import ValidationError

import jounce.vehicle as jv
from jounce.components.steering.actuated import ActuatedSteering
from jounce.runtime.program import Constant, Open, Phase, Program
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from polynomial_cars import RACK, table

LEFT, RIGHT = (f"Rear_Steering_Actuator_Disp.str_swa.{side}" for side in ("left", "right"))
OUTER, INNER = (0.14, -0.11, -0.03), (0.15, -0.47, -0.02)


def steer(u: float) -> float:
    return -5.2 * u + 7.0 * u**2


@lru_cache
def described() -> car.Description:
    rear = {
        "steer": table(steer, RACK),
        "feedback": {"tie_rod": {"outer": OUTER, "inner": INNER}},
    }
    vehicle = jv.load("sedan").with_(rear_steering=rear, **{"system.splines.method": "cubic"})
    return car.describe(vehicle, inputs=[LEFT, RIGHT])


def running(speed: float = 0.0) -> Simulation:
    sim = car.simulation(described())
    settle(sim, described())
    if speed:
        run_steadily(sim, described(), speed)
    return sim


@pytest.mark.slow
def test_rear_wheels_follow_the_maps_of_their_own_actuators() -> None:
    sim = running()
    before = {c: sim.output(f"Wheel.Spindle_Steer.{c}") for c in ("L1", "R1", "L2", "R2")}
    sim.set_inputs({LEFT: 0.011, RIGHT: -0.006, f"{LEFT}.rate": 0.05})
    change = {c: sim.output(f"Wheel.Spindle_Steer.{c}") - value for c, value in before.items()}
    assert change["L2"] == pytest.approx(steer(0.011), rel=1e-9)
    assert change["R2"] == pytest.approx(-steer(0.006), rel=1e-9), "as the left one in a mirror"
    assert change["L1"] == change["R1"] == 0.0
    assert sim.output("Rear_Steering_System.actuator_displacement.right") == -0.006
    assert sim.output("Rear_Steering_System.actuator_velocity.left") == 0.05


def test_the_force_of_a_tie_rod_bears_the_moment_about_the_axis() -> None:
    sim = running(22.0)
    program = Program(Phase("a", [Open("steering_wheel", Constant(0.3)), Open(LEFT, Constant(0.004)),
                                  Open(RIGHT, Constant(-0.003))], duration=1.0))  # fmt: skip
    run = sim.run(program=program, method="AB-2", step=0.001, interval=0.1)
    for side, sign, wheel in (("left", 1.0, "L2"), ("right", -1.0, "R2")):
        force = np.array([run[f"Rear_Steering_System.Rear_TieRod_Force_{side.capitalize()}.{a}"][-1] for a in "XYZ"])
        moment = run[f"Rear_Steering_System.Kingpin_Moment.{side}"][-1]
        travel = run[f"Rear_Steering_System.actuator_displacement.{side}"][-1]
        # these maps turn the carrier about the vertical through the wheel centre, by the steer angle
        outer, inner = (np.array([x, sign * y, z]) for x, y, z in (OUTER, INNER))
        angle = run[f"Wheel.Spindle_Steer.{wheel}"][-1] - run[f"Wheel.Spindle_Steer.{wheel}"][0]
        c, s = np.cos(angle), np.sin(angle)
        end = np.array([c * outer[0] - s * outer[1], s * outer[0] + c * outer[1], outer[2]])
        up = run[f"Suspension.Jounce.{wheel}"][-1]
        line = end - inner + np.array([0.0, -travel, up])
        # along the rod but for the displacement of the wheel centre, the camber and the toe by travel: some mrad
        assert np.cross(force, line) == pytest.approx(np.zeros(3), abs=1e-2 * np.linalg.norm(force))
        assert abs(moment) > 3.0
        assert np.cross(end, force)[2] == pytest.approx(-moment, rel=0.03)
    total = run["Rear_Steering_System.Kingpin_Moment.total"][-1]
    parts = [run[f"Rear_Steering_System.Kingpin_Moment.{side}"][-1] for side in ("left", "right")]
    assert total == pytest.approx(sum(parts), rel=1e-12)


def test_what_belongs_to_a_hand_wheel_is_named() -> None:
    with pytest.raises(ValidationError, match="belongs to a steering with a hand wheel"):
        ActuatedSteering.model_validate({"steer": {"rate": 5.0}, "rack_travel": {"rate": 0.01}})
