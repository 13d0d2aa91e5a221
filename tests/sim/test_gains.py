"""Acceleration per demand: by hand for a mass on a wheel, by simulation for cars."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from jounce import events
from jounce.events.start import Start
from jounce.sim import car as cars
from jounce.sim.gains import Gains, acceleration_per_demand, gains
from jounce.sim.linear import LinearModel
from jounce.vehicle.reading import load

DRIVES = ("front", "rear", "all")


@lru_cache
def start(drive: str, speed: float = 20.0) -> Start:
    driven = {"front": ("L1", "R1"), "rear": ("L2", "R2"), "all": ("L1", "R1", "L2", "R2"), "none": ()}[drive]
    shares = {"max_torque": "2150 N.m"} | {corner: 1 / len(driven) for corner in driven}
    event = events.StraightBraking(speed=speed) if drive != "none" else events.Drop()
    return Start(cars.describe(load("sedan").with_(driveline=None, drive=shares)), event)


def measured(ready: Start, pedal: str, by: float) -> float:
    """Acceleration per demand after a step of a pedal, without what the growing speed changes.

    The speed from 2 to 6 s after the step, when pitch and heave have decayed (1 s), is a parabola to within
    (λt)²/6 < 0.2 % of its slope, λ < 0.02/s being the rate at which drag slows a car; its slope at the step is meant.
    """
    ready.restart()
    sim = ready.sim
    sim.set_inputs({pedal: sim.input(pedal) + by})
    time, speed = [], []
    for _ in range(600):
        sim.advance(10)
        time.append(sim.time)
        speed.append(sim.state("chassis.vx"))
    ready.restart()
    late = np.array(time) > 2.0
    return float(np.polyfit(np.array(time)[late], np.array(speed)[late], 2)[1]) / by


@pytest.mark.parametrize("drive", DRIVES)
def test_throttle_and_brake_of_a_car_that_rolls(drive: str) -> None:
    ready = start(drive)
    found = gains(ready.sim, ready.description)
    assert found.throttle == pytest.approx(measured(ready, "throttle", 0.02), rel=0.01)
    assert found.brake == pytest.approx(-measured(ready, "brake", 0.02), rel=0.01)
    assert ready.throttle_per_acceleration == 1 / found.throttle
    assert ready.brake_per_deceleration == 1 / found.brake


def test_it_is_force_over_mass_with_turning_wheels() -> None:
    """T/(m r + I/r) to 2 %: contacts lie closer to the wheel's centre than the radius of rolling, and a car that
    squats leans on its springs."""
    ready = start("all")
    car, torque = ready.vehicle, ready.vehicle.drive.max_torque
    radius = float(np.mean([ready.sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in ("L1", "R1", "L2", "R2")]))
    expected = torque / (car.mass() + ready.rotating_mass) / radius
    assert gains(ready.sim, ready.description).throttle == pytest.approx(expected, rel=0.02)


def test_gains_hardly_depend_on_the_speed_and_exist_at_rest() -> None:
    fast, slow, rest = (gains(s.sim, s.description) for s in (start("rear"), start("rear", 5.0), start("rear", 0.0)))
    # what changes is the load on the tires, by lift and drag
    for other in (slow, rest):
        assert other.throttle == pytest.approx(fast.throttle, rel=0.01)
        assert other.brake == pytest.approx(fast.brake, rel=0.01)


def test_a_car_that_drives_backwards_is_braked_too() -> None:
    ready = start("rear", -5.0)
    found = gains(ready.sim, ready.description)
    assert found.brake == pytest.approx(gains(start("rear").sim, ready.description).brake, rel=0.01)
    assert found.throttle > 0


def test_without_drive_there_is_no_gain() -> None:
    ready = start("none")
    assert gains(ready.sim, ready.description).throttle == 0.0
    assert ready.throttle_per_acceleration == 0.0 and ready.brake_per_deceleration > 0


def test_the_simulation_stays_as_it_was() -> None:
    for ready in (start("front"), start("rear", 0.0)):
        before = ready.sim.snapshot()
        assert gains(ready.sim, ready.description) == gains(ready.sim, ready.description)
        assert np.array_equal(ready.sim.snapshot(), before)


def test_a_mass_on_a_wheel_by_hand() -> None:
    """m v̇ = k (r Ω - v), I Ω̇ = T u - r k (r Ω - v): v̇ = T u/(m r + I/r), whatever the slip stiffness k."""
    m, inertia, r, k, torque = 300.0, 1.2, 0.3, 5e3, 700.0
    names = ("chassis.x", "chassis.vx", "wheel.spin")
    a = np.array([[0, 1, 0], [0, -k / m, k * r / m], [0, r * k / inertia, -r * r * k / inertia]])
    b = np.array([[0.0], [0.0], [torque / inertia]])
    model = LinearModel(a, b, np.zeros((0, 3)), np.zeros((0, 1)), names, ("throttle",), ())
    roles = ("place", "speed", "drift")
    assert acceleration_per_demand(roles, model, "throttle") == pytest.approx(torque / (m * r + inertia / r), rel=1e-12)


def test_gains_are_plain_numbers() -> None:
    found = gains(start("rear").sim, start("rear").description)
    assert isinstance(found, Gains) and type(found.throttle) is float and type(found.brake) is float
