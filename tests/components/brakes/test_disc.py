"""Disc brakes: torque of either side, locking, slipping."""

from __future__ import annotations

import numpy as np
import pytest

import jounce.vehicle as jv
from cars import FORCE, plain, rolling
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.sim import car


def test_more_friction_on_one_side_turns_the_car(plain_car: jv.Vehicle) -> None:
    """ΔT = 2 A Δµ R p on one wheel is a force ΔT/r at half the track: statics of the car as it brakes straight."""
    sim = car.simulation(plain_car, ground="inclined")
    mu = sim.parameter("L1.brake.mu")
    sim.set_parameters({"L1.brake.mu": 1.1 * mu})
    rolling(sim, 30.0)
    brake = Open("brake", Ramp(0.2, 0.1, start=0.0, smooth=True))
    run = sim.run(program=Program(Phase("brake", [brake], duration=0.5)), interval=0.001)
    data = plain_car.brakes.front
    pressure = plain_car.brakes.bias_front * plain_car.brakes.master_cylinder_pressure_gain * 0.2
    torque = 2 * data.piston_area * mu * data.effective_radius * pressure
    assert run["Brake_Moment.L1"][-1] == pytest.approx(-1.1 * torque, rel=1e-9)
    assert run["Brake_Moment.R1"][-1] == pytest.approx(-torque, rel=1e-9)
    radius = run["Tire.Effective_Rolling_Radius.L1"][-1]  # the arm of F_x with the part of M_y that goes with it
    difference = run[f"{FORCE}X.L1"][-1] - run[f"{FORCE}X.R1"][-1]
    # the car has begun to turn: one wheel slows down more than the other
    assert difference == pytest.approx(-0.1 * torque / radius, rel=0.03)
    moment = -difference * plain_car.front_suspension.track / 2
    assert moment > 0, "to the left"
    assert run["chassis_velocities.yaw"][-1] > 0


def test_a_locked_wheel_swings_at_its_frequency(plain_car: jv.Vehicle) -> None:
    vehicle = plain_car.with_(**plain(plain_car), **{"brakes.front.lockup_damping_ratio": 0.0})
    sim = car.simulation(vehicle, ground="inclined")
    sim.set_parameters({"ground.height": -50.0})
    sim.set_inputs({"brake": 1.0})
    sim.set_states({"L1.wheel.spin": 0.5})
    run = sim.run(0.5, interval=0.0005, step=0.0001, method="AM-2")
    spin = run["Wheel.Omega.L1"]
    crossings = run.time[1:][(spin[:-1] > 0) & (spin[1:] <= 0)]
    # the reaction turns the body a little the other way: half a permille
    assert 1 / np.diff(crossings).mean() == pytest.approx(data_frequency(vehicle), rel=0.005)


def data_frequency(vehicle: jv.Vehicle) -> float:
    return float(vehicle.brakes.front.lockup_natural_frequency)


def test_a_brake_slips_at_its_capacity(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car, ground="inclined")
    sim.set_parameters({"ground.height": -50.0, "drive.max_torque": 2000.0, "L1.drive_share": 1.0})
    data = plain_car.brakes.front
    pressure = plain_car.brakes.bias_front * plain_car.brakes.master_cylinder_pressure_gain
    for demand, slips in ((0.3, True), (1.0, False)):
        sim.set_inputs({"brake": demand, "throttle": 0.5})
        sim.set_states({"L1.wheel.spin": 0.0})
        sim.restart()
        sim.run(0.5)
        capacity = 2 * data.piston_area * data.mu * data.effective_radius * pressure * demand
        assert (capacity < 1000.0) is slips
        assert -sim.output("Brake_Moment.L1") == pytest.approx(capacity if slips else 1000.0, rel=1e-6)
        assert (abs(sim.state("L1.wheel.spin")) > 1.0) is slips
        assert sim.output("Locked_Switch.L1") == (0.0 if slips else 1.0)
        assert sim.output("Locked_Moment.L1") == pytest.approx(0.0 if slips else -1000.0, rel=1e-6)
        parts = [sim.output(f"Locked_{part}_Moment.L1") for part in ("Spring", "Damper")]
        assert parts == pytest.approx([0.0 if slips else -1000.0, 0.0], abs=1e-3), "it hangs on the spring"
        assert (sim.output("Lockup_Rotation.L1") > 0) is not slips
        assert sim.output("Locked_Switch.R2") == 1.0 and abs(sim.output("Locked_Moment.R2")) < 1.0, "it hangs still"
    sim.set_inputs({"brake": 0.0})
    assert [sim.output(f"Locked_Switch.{c}") for c in ("L1", "R2")] == [0.0, 0.0], "nothing locks without pressure"


@pytest.mark.parametrize(("place", "spin"), [("L1", 0.8), ("R1", -0.5), ("R2", 0.3)])
def test_moments_and_rotation_of_a_locked_brake(plain_car: jv.Vehicle, place: str, spin: float) -> None:
    """In the air the wheel swings on the pads: I (2π f)² θ, 2 ζ I 2π f ω, and θ is the integral of ω, either way."""
    sim = car.simulation(plain_car, ground="inclined")
    end = "front" if place[1] == "1" else "rear"
    frequency, ratio = 2 * np.pi * 11.0, 0.3
    numbers = {"lockup_natural_frequency": 11.0, "lockup_damping_ratio": ratio}
    sim.set_parameters({f"{place}.brake.{name}": value for name, value in numbers.items()} | {"ground.height": -50.0})
    sim.set_inputs({"brake": 1.0})
    sim.set_states({f"{place}.wheel.spin": spin})
    run = sim.run(0.12, interval=0.0005, step=0.0001, method="AM-2")
    inertia = getattr(plain_car, f"{end}_wheels").spin_inertia
    omega, turned = run[f"Wheel.Omega.{place}"], run[f"Lockup_Rotation.{place}"]
    assert omega.min() < -0.1 * abs(spin) and omega.max() > 0.1 * abs(spin), "there and back"
    integral = np.concatenate([[0.0], np.cumsum(0.5 * (omega[1:] + omega[:-1]) * np.diff(run.time))])
    # trapezoids of 0.5 ms: (ω h)²/12 of the amplitude
    assert turned == pytest.approx(integral, abs=2e-4 * np.abs(turned).max())
    spring, damper = run[f"Locked_Spring_Moment.{place}"], run[f"Locked_Damper_Moment.{place}"]
    assert spring == pytest.approx(-inertia * frequency**2 * turned, rel=1e-9, abs=1e-9)
    assert damper == pytest.approx(-2 * ratio * inertia * frequency * omega, rel=1e-9, abs=1e-9)
    assert spring + damper == pytest.approx(run[f"Locked_Moment.{place}"], rel=1e-9, abs=1e-9)
    assert np.all(run[f"Locked_Switch.{place}"] == 1.0)
    other = {"L1": "R1", "R1": "L1", "R2": "L2"}[place]
    assert np.abs(run[f"Lockup_Rotation.{other}"]).max() < 0.1 * np.abs(turned).max(), "its own"
