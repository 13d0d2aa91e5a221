"""Steady turns and even changes of speed: what the search found goes on by itself."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from jounce import events
from jounce.components.driver.gears import DriverGears
from jounce.components.driver.longitudinal import Longitudinal
from jounce.core.errors import ParameterError, StaticsError
from jounce.events.options import Options
from jounce.events.start import Start
from jounce.runtime.simulation import Simulation
from jounce.sim import car as cars
from jounce.sim.statics import settle
from jounce.sim.steady import roll, run_steadily
from jounce.vehicle.reading import load

DRIVE = {"max_torque": "2150 N.m", "L1": 0.25, "R1": 0.25, "L2": 0.25, "R2": 0.25}


@lru_cache
def described(ground: Any = "level") -> cars.Description:
    return cars.describe(load("sedan").with_(driveline=None, drive=DRIVE), ground=ground)


@lru_cache
def simulation(step: float = 1e-3) -> Simulation:
    return cars.simulation(described(), step=step)


def rested(heading: float = 0.0, step: float = 1e-3, **where: float) -> Simulation:
    sim = simulation(step)
    sim.restart(defaults=True)
    settle(sim, described(), heading=heading, **where)
    return sim


def circle(x: Any, y: Any) -> tuple[float, float, float]:
    """Centre and radius by least squares."""
    a = np.column_stack([x, y, np.ones(len(x))])
    cx, cy, c = np.linalg.lstsq(a, x * x + y * y, rcond=None)[0]
    return cx / 2, cy / 2, math.sqrt(c + cx * cx / 4 + cy * cy / 4)


@pytest.mark.parametrize(
    ("speed", "curvature", "course"), [(20.0, 0.013, 0.0), (24.0, -0.011, 2.2), (5.5, 0.09, -1.3), (-4.5, -0.06, 0.4)]
)
def test_a_car_on_a_circle_stays_on_it(speed: float, curvature: float, course: float) -> None:
    """Two seconds with all inputs as found: the same yaw rate, the circle asked for, along the course at first."""
    sim = rested(course, x=31.0, y=-7.0)
    found = run_steadily(sim, described(), speed, curvature=curvature, course=course)
    names = [v.name for v in sim.model.states]
    chassis = [names.index("chassis.x"), names.index("chassis.y")]
    first = sim.output("chassis_velocities.yaw")
    places = [sim.x[chassis].copy()]
    for _ in range(40):
        sim.advance(50)
        places.append(sim.x[chassis].copy())
    x, y = np.array(places).T
    cx, cy, radius = circle(x, y)
    assert radius * abs(curvature) == pytest.approx(1.0, rel=1e-5)
    assert sim.output("chassis_velocities.yaw") == pytest.approx(first, rel=1e-7)
    # the centre is at a right angle to the course
    centre = np.array([-math.sin(course), math.cos(course)]) / curvature
    assert np.array([cx - x[0], cy - y[0]]) == pytest.approx(centre, rel=1e-5, abs=1e-4)
    way = np.array([x[1] - x[0], y[1] - y[0]])
    assert way @ [math.cos(course), math.sin(course)] * speed > 0
    assert found.yaw_rate == pytest.approx(curvature * math.hypot(1, math.tan(found.side_slip)) * speed, rel=0.01)


def test_the_start_turns_with_the_yaw_rate_asked_for_at_any_step() -> None:
    """No step of acceleration at the first samples (allowed 0.05 m/s²), whatever the step of the simulation."""
    for step in (5e-4, 1e-3, 2e-3):
        event = events.StraightBraking(speed=19.0, heading=1.1)
        object.__setattr__(event, "initial_curvature", -0.014)
        options = Options(step=step)
        start = Start(described(), event, options)
        sim = start.sim
        told = {
            name: [sim.output(name)]
            for name in ("System_Mass_Center.Tracking_Ax", "System_Mass_Center.Tracking_Ay", "chassis_velocities.yaw")
        }
        for _ in range(50):
            sim.advance(1)
            for name, rows in told.items():
                rows.append(sim.output(name))
        for name in list(told)[:2]:
            assert np.ptp(told[name]) < 1e-4, name
        assert start.running is not None
        v = math.hypot(19.0, 19.0 * math.tan(start.running.side_slip))
        assert told["chassis_velocities.yaw"][0] == pytest.approx(-0.014 * v, rel=1e-3)
        assert start.steering < 0 and start.throttle > 0


def test_a_start_on_the_straight_has_no_ripple() -> None:
    """Against a car whose wheels roll freely at first: a hundredth of its ripple of acceleration and slip at most."""
    ripple: dict[str, dict[str, float]] = {}
    for how in ("steady", "cold"):
        sim = rested(0.6)
        found = run_steadily(sim, described(), 27.0)
        if how == "cold":
            sim = rested(0.6)
            roll(sim, described(), 27.0)
            sim.set_inputs({"throttle": found.throttle})
        names = (
            "System_Mass_Center.Tracking_Ax",
            "Tire.Longitudinal_Slip_With_Lag.L1",
            "Tire.Longitudinal_Slip_With_Lag.R2",
        )
        rows: dict[str, list[float]] = {name: [sim.output(name)] for name in names}
        for _ in range(500):
            sim.advance(1)
            for name in names:
                rows[name].append(sim.output(name))
        ripple[how] = {name: float(np.ptp(values)) for name, values in rows.items()}
    for name, value in ripple["cold"].items():
        assert value > 0 and ripple["steady"][name] < 0.01 * value, name


@pytest.mark.parametrize("growth", [1.7, -3.3])
def test_a_speed_that_grows_does_so_from_the_first_step_on(growth: float) -> None:
    """Of the acceleration nothing is missing, spins included; drag takes 0.1 m/s² in the half second."""
    sim = rested(-0.4)
    found = run_steadily(sim, described(), 21.0, acceleration=growth)
    assert found.throttle > 0 if growth > 0 else found.brake > 0
    rows = [sim.output("System_Mass_Center.Tracking_Ax")]
    speeds = [sim.state("chassis.vx")]
    for _ in range(100):
        sim.advance(1)
        rows.append(sim.output("System_Mass_Center.Tracking_Ax"))
        speeds.append(sim.state("chassis.vx"))
    assert rows[0] == pytest.approx(growth, abs=0.02)  # pitched by 0.01, of lateral and vertical nothing
    assert np.ptp(rows) < 0.05
    assert speeds[100] - speeds[0] == pytest.approx(0.1 * growth, rel=0.02)


def test_what_no_car_does_is_refused_with_the_reason() -> None:
    sim = rested()
    with pytest.raises(StaticsError, match=r"no steady turn with a curvature of 0.03 1/m at 25 m/s \(18.8 m/s2"):
        run_steadily(sim, described(), 25.0, curvature=0.03)
    sim = rested()
    with pytest.raises(StaticsError, match="no even change of speed by 25 m/s2"):
        run_steadily(sim, described(), 25.0, acceleration=25.0)


@pytest.mark.slow
@pytest.mark.parametrize("speed", [60 / 3.6, 80 / 3.6, 100 / 3.6])
@pytest.mark.parametrize("load_of", [1.0, 420.0])
def test_a_filter_of_forces_does_not_outweigh_the_search(speed: float, load_of: float) -> None:
    """The overrun brake of a trailer filters the push of the drawbar: its rate is a thousand times any other."""
    car = load("car_caravan").with_(**{"trailers[0].body.payloads[0].mass": load_of})
    description = cars.describe(car)
    sim = cars.simulation(description)
    settle(sim, description)
    found = run_steadily(sim, description, speed)
    # what the drawbar pulls is what the caravan's air and wheels take
    wheels = sum(sim.output(f"Tire.Ground_Surface_Force_X.{side}3") for side in "LR")
    taken = sim.output("unit2.aero_forces.drag_force") - wheels
    assert sim.output("Hook_rear.Global_force_X") == pytest.approx(-taken, rel=1e-3)
    assert 0.1 < found.throttle < 0.6


@pytest.mark.slow
def test_a_banked_turn_needs_less_steering() -> None:
    """Where the bank bears the car the tires push sideways with less: g·bank of v²κ."""
    flat = run_steadily(rested(), described(), 20.0, curvature=0.01, course=0.0)
    banked = described("inclined")
    sim = cars.simulation(banked)
    bank = 0.08  # falls to the left, where the centre is
    normal = (0.0, bank / math.hypot(1, bank), 1 / math.hypot(1, bank))
    sim.set_parameters({"ground.bank": -bank})
    settle(sim, banked, normal=normal)
    found = run_steadily(sim, banked, 20.0, normal, curvature=0.01, course=0.0)
    rates = sim.derivatives()[0]
    names = [v.name for v in sim.model.states]
    for name in ("chassis.vx", "chassis.vy", "chassis.wz", "chassis.vz"):
        assert abs(rates[names.index(name)]) < 1e-6, name
    assert 0 < found.steering < flat.steering
    sideways = sum(sim.output(f"Tire.Ground_Surface_Force_Y.{c}") for c in ("L1", "R1", "L2", "R2"))
    mass = load("sedan").mass()
    expected = mass * (4.0 * normal[2] - 9.81 * normal[1])
    assert sideways == pytest.approx(expected, rel=0.05)


@pytest.mark.slow
def test_a_car_starts_in_the_gear_asked_for_backwards_too() -> None:
    """A manual gearbox in reverse, in the second and in the third gear: no speed is lost or won in a second."""
    description = cars.describe(load("compact"), parts=(Longitudinal(gears=DriverGears()),))
    for speed, gear, curvature in ((-2.5, -1, 0.05), (12.0, 3, None), (11.0, 2, -0.02)):
        event = events.StraightBraking(speed=20.0, heading=0.4)
        for name, value in {"speed": speed, "initial_gear": gear, "initial_curvature": curvature}.items():
            object.__setattr__(event, name, value)
        start = Start(description, event)
        sim = start.sim
        assert sim.output("Transmission.gear") == gear and start.throttle > 0
        sim.run(sim.time + 1.0)
        assert sim.output("Transmission.gear") == gear
        assert sim.output("chassis_velocities.longitudinal") == pytest.approx(speed, abs=1e-5)
        assert sim.output("Engine.engine_rpm") > 80.0
    object.__setattr__(event, "initial_gear", 7)
    with pytest.raises(ParameterError, match="the gearbox has the gears 1 to"):
        Start(description, event)
