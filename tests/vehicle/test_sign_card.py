"""The sign card of docs/conventions.md: a left turn at 80 km/h and 0.4 g, and braking, each as one test."""

from __future__ import annotations

import numpy as np
import pytest

from cars import FORCE, compact, loads, rolling
from four_wheels import CORNERS
from jounce.core.constants import GRAVITY
from jounce.runtime.program import Constant, Feedback, Open, Phase, Program, Ramp
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics

SPEED = 80 / 3.6
HAND_TORQUE = "Steering_System.Steering_Wheel_Torque"


@pytest.fixture(scope="module")
def description() -> car.Description:
    return car.describe(compact(), ground="inclined")


def standing(description: car.Description) -> Simulation:
    sim = car.simulation(description)
    statics.settle(sim, description)
    return sim


def turn(description: car.Description, angle: float) -> Simulation:
    """The car after four seconds at 80 km/h and a hand wheel angle."""
    sim = rolling(standing(description), SPEED)
    steer = Open("steering_wheel", Ramp(angle, 0.5, start=0.0, smooth=True))
    hold = Feedback("throttle", "chassis_velocities.longitudinal", Constant(SPEED), kp=0.5, ki=0.3, low=0.0, high=1.0)
    sim.run(program=Program(Phase("turn", [steer, hold], duration=4.0)))
    return sim


@pytest.fixture(scope="module")
def left_turn(description: car.Description) -> Simulation:
    """At 0.4 g: the angle by the secant method."""
    wanted = 0.4 * GRAVITY
    angles, found = [0.2, 0.4], []
    sim = turn(description, angles[0])
    found.append(sim.output("System_Mass_Center.Tracking_Ay"))
    for _ in range(8):
        sim = turn(description, angles[-1])
        found.append(sim.output("System_Mass_Center.Tracking_Ay"))
        if abs(found[-1] - wanted) < 1e-3:
            break
        slope = (found[-1] - found[-2]) / (angles[-1] - angles[-2])
        angles.append(angles[-1] + (wanted - found[-1]) / slope)
    return sim


def test_sign_card_of_a_left_turn(description: car.Description, left_turn: Simulation) -> None:
    sim = left_turn
    before = loads(standing(description))
    assert sim.output("System_Mass_Center.Tracking_Ay") == pytest.approx(0.4 * GRAVITY, abs=1e-3)
    assert sim.output("chassis_velocities.longitudinal") == pytest.approx(SPEED, rel=0.01)
    assert sim.output("driver_demands.steering") > 0
    for name in ("chassis_velocities.yaw", "Sensor.YawRate_gyro", "Vehicle.Global_Omega_Z"):
        assert sim.output(name) == pytest.approx(0.4 * GRAVITY / SPEED, rel=0.05), name
    for name in ("chassis_accelerations.lateral", "Vehicle.CM_Tracking_Ay", "System_Mass_Center.Normal_Acceleration"):
        assert sim.output(name) > 0, name
    assert sim.output("System_Mass_Center.Path_Curvature") == pytest.approx(0.4 * GRAVITY / SPEED**2, rel=0.05)
    for name in ("Vehicle.Euler_Roll", "chassis_displacements.roll", "chassis_displacements.roll_wrt_road"):
        assert 0.01 < sim.output(name) < 0.08, name  # right side down: 2 to 5 degrees per g
    for name in ("Suspension.Roll.SUSP1", "Suspension.Roll.SUSP2"):
        assert sim.output(name) > 0, name
    for name in ("System_Mass_Center.Side_Slip_Angle", "Vehicle.Side_Slip_Angle"):
        assert sim.output(name) < 0, name
    for corner in CORNERS:
        assert sim.output(f"{FORCE}Y.{corner}") > 0, corner
        gained = loads(sim)[corner] - before[corner]
        assert gained > 0 if corner.startswith("R") else gained < 0, corner
    # wheels on the outside go up against the chassis
    assert sim.output("Suspension.Jounce.R1") > sim.output("Suspension.Jounce.L1")
    # what an accelerometer fixed to the body feels is more than the horizontal acceleration
    ay, roll = 0.4 * GRAVITY, sim.output("Vehicle.Euler_Roll")
    assert sim.output("Sensor.Ay") == pytest.approx(ay * np.cos(roll) + GRAVITY * np.sin(roll), rel=0.03)
    assert sim.output("Sensor.Ay_Without_Gravity") == pytest.approx(ay, rel=0.03)


def test_sign_of_the_required_hand_torque(left_turn: Simulation) -> None:
    if HAND_TORQUE not in [v.name for v in left_turn.model.outputs]:
        pytest.skip(f"the channel {HAND_TORQUE} is not there yet")
    assert left_turn.output(HAND_TORQUE) > 0


def test_sign_card_of_braking(description: car.Description) -> None:
    sim = standing(description)
    before, pitch = loads(sim), sim.output("Vehicle.Pitch")
    rolling(sim, SPEED)
    sim.run(program=Program(Phase("brake", [Open("brake", Ramp(0.3, 0.3, start=0.0))], duration=1.5)))
    assert sim.output("chassis_velocities.longitudinal") > 10.0
    for name in ("chassis_accelerations.longitudinal", "System_Mass_Center.Tracking_Ax", "Sensor.Ax"):
        assert sim.output(name) < -2.0, name
    assert sim.output("System_Mass_Center.Tangential_Acceleration") < -2.0
    assert sim.output("Vehicle.Pitch") > pitch + 0.005, "nose down"
    assert sim.output("chassis_displacements.pitch") == sim.output("Vehicle.Pitch")
    for corner in CORNERS:
        gained = loads(sim)[corner] - before[corner]
        assert gained > 0 if corner.endswith("1") else gained < 0, corner
        assert sim.state(f"{corner}.wheel.spin") > 0
        assert sim.output(f"Brake_Moment.{corner}") < 0
        assert sim.output(f"{FORCE}X.{corner}") < 0
        assert sim.output(f"Tire.Longitudinal_Slip_With_Lag.{corner}") < 0
        assert sim.output(f"Tire.Longitudinal_Slip_Without_Lag.{corner}") < 0
