"""A steering that is modelled elsewhere: recorded values given to the ports give the same again."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from car_models import outputs, rates
from jounce.runtime.program import Open, Phase, Program, Sine
from jounce.runtime.simulation import Simulation
from jounce.sim import car

COLUMN = "Subsystem_Activation.Internal_Steering_Column_Activity"
OWN = {
    "Steering.L1.SuspensionSplinesInput": "Steering_System.Rack_Displacement",
    "Steering.L1.KingpinMomentLeft": "Wheel.Kingpin_Moment.L1",
    "Steering.L1.KingPinMomentRight": "Wheel.Kingpin_Moment.R1",
    "Steering.L1.LeftTierodForceOnRackDirection": "Steering_System.Steering_System_TieRod_Force_Left.y",
    "Steering.L1.RightTierodForceOnRackDirection": "Steering_System.Steering_System_TieRod_Force_Right.y",
    "Steering.L1.RackForce": "Steering_System.Rack_Force",
    "Steering.L1.SteeringTorque": "Steering_System.Steering_Wheel_Torque",
    "Steering.Hand_Wheel_Torque": "Steering_System.Steering_Wheel_Torque",
    "Driver_Demands.rack_displacement": "Steering_System.Rack_Displacement",
    "Steering.L1.RackDisplacement": "Steering_System.Rack_Displacement",
}
FLAGS = {
    "Steering.L1.InternalSteeringColumnFlag", "Steering.L1.InternalKingpinMomentFlag",
    "Steering.L1.InternalForceAndMomentFeedbackFlag", "Steering.Internal_Hand_Wheel_Torque_Computation", COLUMN,
}  # fmt: skip


@lru_cache
def described() -> car.Description:
    raw = one_axle()
    steering = jv.load("sedan").steering
    assert steering is not None
    raw["axles"][0]["steering"] = steering.model_copy(update={"kingpin": None, "rack_pinion": None})
    names = [*OWN, *FLAGS, "Steering.L1.SteeringCompliance"]
    return car.describe(vehicle_of(raw), inputs=names)


def put(**inputs: float) -> Simulation:
    sim = car.simulation(described())
    sim.set_parameters({"ground.height": -5.0})
    sim.set_inputs({"steering_wheel": 1.3, "steering_wheel.rate": 0.9, **inputs})
    sim.set_states(
        {"L1.jounce": 0.021, "R1.jounce": -0.013, "L1.wheel.spin": 60.0, "R1.wheel.spin": 57.0, "chassis.wx": 0.8}
    )
    return sim


def off(*names: str) -> dict[str, float]:
    return dict.fromkeys(names, 0.0)


def test_internal_values_given_from_outside_change_nothing() -> None:
    base = outputs(put())
    assert abs(base["Steering_System.Steering_Wheel_Torque"]) > 0.1
    given: dict[str, Any] = {name: base[channel] for name, channel in OWN.items()}
    rate = 0.9 * base["Steering_System.Rack_Displacement"] / 1.3  # a constant ratio
    given |= {f"{name}.rate": rate for name, channel in OWN.items() if channel == "Steering_System.Rack_Displacement"}
    found = outputs(put(**given, **off(*FLAGS), **{"steering_wheel": -0.4, "steering_wheel.rate": 0.0}))
    for name, value in base.items():
        if not name.startswith("driver_demands."):
            assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name


def test_flags_decide_what_counts() -> None:
    kept = outputs(put(**dict.fromkeys(OWN, 0.01)))
    assert kept == pytest.approx(outputs(put()), rel=1e-12, abs=1e-12), "while flags are 1 nothing is read"
    rack = put(**{"Driver_Demands.rack_displacement": 0.017, **off(COLUMN)})
    assert rack.output("Steering_System.Rack_Displacement") == pytest.approx(0.017, rel=1e-12)
    wound = put(**{"Steering.L1.SteeringCompliance": 0.2}).output("Steering_System.Rack_Displacement")
    assert wound == pytest.approx(put().output("Steering_System.Rack_Displacement") * 1.5 / 1.3, rel=1e-12)
    torque = put(**{"Steering.Hand_Wheel_Torque": 4.4, **off("Steering.Internal_Hand_Wheel_Torque_Computation")})
    assert torque.output("Steering_System.Steering_Wheel_Torque") == 4.4
    forces = put(**{"Steering.L1.RackForce": 900.0, **off("Steering.L1.InternalForceAndMomentFeedbackFlag")})
    assert forces.output("Steering_System.Rack_Force") == pytest.approx(900.0)
    moments = put(**{"Steering.L1.KingpinMomentLeft": 33.0, **off("Steering.L1.InternalKingpinMomentFlag")})
    assert moments.output("Suspension.Kingpin_Moment.SUSP1") == pytest.approx(33.0)


def test_a_copy_of_the_column_in_a_block_moves_the_wheels_as_the_column_does() -> None:
    """Sampled with the evaluation that it acts on; the acceleration of the rack is not given."""
    written = "Steering.L1.SuspensionSplinesInput"
    ratio = outputs(put())["Steering_System.Rack_Displacement"] / 1.3
    turn = Open("steering_wheel", Sine(1.1, 0.9))
    runs = []
    for outside in (False, True):
        sim = put()
        if outside:
            sim.set_inputs(off("Steering.L1.InternalSteeringColumnFlag"))
            sim.add_block(
                "column", lambda t, x: (ratio * x[0], ratio * x[1]), reads=("steering_wheel", "steering_wheel.rate"),
                writes=(written, f"{written}.rate"), stateless=True,
            )  # fmt: skip
        program = Program(Phase("a", [turn], duration=0.4))
        runs.append(sim.run(program=program, method="AB-2", step=0.001, interval=0.01))
    inside, copied = runs
    assert np.abs(inside["Steering_System.Rack_Displacement"]).max() > 0.008
    for name in ("Steering_System.Rack_Displacement", "Wheel.Spindle_Steer.L1", "Wheel.Spindle_Steer.R1"):
        assert copied[name] == pytest.approx(inside[name], abs=1e-9), name


MOMENTS, TRAVELS = [-400.0, -150.0, 60.0, 350.0], [-0.03, 0.004, 0.035]
PULLS = [[2900.0, 2600.0, 2500.0], [1300.0, 1100.0, 950.0], [-420.0, -510.0, -530.0], [-2400.0, -2700.0, -3100.0]]
WOUND = {"x": [-800.0, -200.0, 100.0, 700.0], "y": [-0.031, -0.012, 0.004, 0.045]}


@lru_cache
def mapped() -> car.Description:
    raw = one_axle()
    raw["axles"][0]["steering"] |= {
        "rack_travel": {"rate": 0.009},
        "feedback": {"tie_rod_force": {"x": MOMENTS, "z": TRAVELS, "y": PULLS}},
        "column": {"wind_up": WOUND, "lag": 0.008},
    }
    names = ["Steering.L1.KingpinMomentLeft", "Steering.L1.KingPinMomentRight", "Steering.L1.RackDisplacement"]
    return car.describe(vehicle_of(raw), inputs=names)


def test_maps_of_tie_rods_and_of_the_column_are_exact_at_their_nodes() -> None:
    """Moments and the travel of the rack are given from outside, so that they are those of the nodes."""
    sim = car.simulation(mapped())
    for i, moment in enumerate(MOMENTS):
        for k, travel in enumerate(TRAVELS):
            sim.set_inputs({"Steering.L1.RackDisplacement": travel, "Steering.L1.KingpinMomentLeft": moment})
            assert sim.output("Steering_System.Rack_Displacement") == pytest.approx(travel, rel=1e-12)
            force = sim.output("Steering_System.Steering_System_TieRod_Force_Left.y")
            assert force == pytest.approx(PULLS[i][k], rel=1e-12)
            sim.set_inputs({"Steering.L1.RackDisplacement": -travel, "Steering.L1.KingPinMomentRight": -moment})
            force = sim.output("Steering_System.Steering_System_TieRod_Force_Right.y")
            assert force == pytest.approx(-PULLS[i][k], rel=1e-12), "as in a mirror"
    for moment, angle in zip(WOUND["x"], WOUND["y"], strict=True):
        sim.set_inputs({"Steering.L1.KingpinMomentLeft": moment + 70.0, "Steering.L1.KingPinMomentRight": -70.0})
        rate = rates(sim)["steering.column.follower"]
        assert rate == pytest.approx(angle / 0.004, rel=1e-12)
