"""Traction control by sensors: driven wheels do not spin, a wheel on ice is braked for the other's sake."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import jounce.vehicle as jv
from cars import compact
from ideal_cars import ideal
from jounce.components.controllers.traction_control import TractionControl
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.recording import Recording
from jounce.sim import car

G = 9.80665


@lru_cache
def described(controlled: bool) -> car.Description:
    """Front-wheel drive with much torque, no ideal control of it."""
    vehicle = compact(**{"drive.max_torque": 3500.0, "drive.tcs": None})
    return car.describe(vehicle, ground="inclined", parts=(TractionControl(),) if controlled else ())


def start(controlled: bool, friction: float, speed: float = 3.0, **parameters: float) -> Recording:
    sim = car.simulation(described(controlled))
    sim.set_parameters({"ground.friction": friction} | parameters)
    sim.set_states({"chassis.vx": speed})
    for c in ("L1", "R1", "L2", "R2"):
        sim.set_states({f"{c}.wheel.spin": speed / sim.output(f"Tire.Effective_Rolling_Radius.{c}")})
    program = Program(Phase("go", [Open("throttle", Ramp(1.0, 0.2, start=0.0))], duration=4.0))
    return sim.run(program=program, interval=0.01)


def ahead(run: Recording, place: str) -> np.ndarray:
    rolls = run[f"Wheel.Omega.{place}"] * run[f"Tire.Effective_Rolling_Radius.{place}"]
    return np.asarray(rolls - run["chassis_velocities.longitudinal"])


@pytest.mark.parametrize("friction", [0.9, 0.3])
def test_driven_wheels_are_held_and_the_car_is_faster(friction: float) -> None:
    wild, held = start(False, friction), start(True, friction)
    later = held.time > 1.5
    allowed = np.maximum(0.06 * held["chassis_velocities.longitudinal"], 0.5)
    # mean of both driven wheels: the unit knows radii to 3 % of the speed, half of what it allows
    excess = 0.5 * (ahead(held, "L1") + ahead(held, "R1"))
    assert (excess / allowed)[later].max() < 2.0 and 0.3 < (excess / allowed)[later].mean() < 1.8
    assert ahead(wild, "L1")[later].max() > 5 * allowed.max(), "the car would spin its wheels"
    assert held["chassis_velocities.longitudinal"][-1] > wild["chassis_velocities.longitudinal"][-1]
    shares = held["Drive_Share.driver"] + held["Drive_Share.traction_control"]
    whole = held["Wheel.Drive_Moment.L1"] + held["Wheel.Drive_Moment.R1"]
    assert np.allclose(whole, 3500.0 * shares, rtol=1e-9, atol=1e-6)
    assert held["TCS.activity"][later].mean() > 0.8


def test_the_wheel_that_spins_more_is_braked() -> None:
    """Differences of both driven wheels make a pressure at the faster one only: (2) by hand."""
    for fast in ("L1", "R1"):
        sim = car.simulation(described(True))
        sim.set_states({"chassis.vx": 8.0})
        for c in ("L1", "R1", "L2", "R2"):
            sim.set_states({f"{c}.wheel.spin": 8.0 / sim.output(f"Tire.Effective_Rolling_Radius.{c}")})
        sim.set_states({f"{fast}.wheel.spin": 1.6 * sim.state(f"{fast}.wheel.spin")})
        sim.set_inputs({"throttle": 0.2})
        sim.advance(1)
        pressures = {c: sim.output(f"Brake_Share.traction_control.{c}") for c in ("L1", "R1", "L2", "R2")}
        assert pressures[fast] == pytest.approx(4e7 * 0.005, rel=1e-9), "as fast as the pump can"
        assert [pressures[c] for c in pressures if c != fast] == [0.0] * 3
        assert sim.output("Drive_Share.traction_control") < 0, "and the drive is asked for less"


def test_it_replaces_the_ideal_control() -> None:
    plain, driven = ideal("sedan"), jv.load("sedan")
    assert plain.drive.tcs is not None and driven.driveline is not None and driven.driveline.tcs is not None
    for both in (plain, driven):
        names = [v.name for v in car.simulation(car.describe(both, parts=(TractionControl(),))).model.parameters]
        assert not [name for name in names if ".tcs." in name]
