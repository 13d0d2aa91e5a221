"""Straight acceleration: key figures of signals whose answer is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce as jn
from cars import compact
from drivelines import RWD
from jounce.core.constants import GRAVITY
from jounce.events.library.coast_down import CoastDown
from jounce.events.library.straight_acceleration import StraightAcceleration, acceleration
from jounce.sim.car import tires_of
from jounce.vehicle.schema import Vehicle
from result_runs import DEG, value


def test_acceleration_at_a_constant_rate() -> None:
    t = np.arange(0, 30, 0.01)
    a = 4.0
    v = a * np.maximum(t - 2.0, 0.0)
    found = acceleration(t, v, throttle=(t >= 2.0).astype(float), longitudinal_acceleration=np.where(t > 2, a, 0.0))
    launch = 2.0 - 0.01  # the last sample before the pedal moves
    assert value(found, "t_0_100") == pytest.approx(100 / 3.6 / a + 2 - launch, abs=1e-6)
    assert value(found, "t_80_120") == pytest.approx(40 / 3.6 / a, rel=1e-9)
    assert value(found, "quarter_mile") == pytest.approx(math.sqrt(2 * 402.336 / a) + 2 - launch, abs=1e-4)
    assert value(found, "v_402m") == pytest.approx(3.6 * math.sqrt(2 * 402.336 * a), rel=1e-4)
    assert value(found, "ax_max") == pytest.approx(a)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_squat_counts_from_the_attitude_before_the_start(sign: float) -> None:
    """Pitch is positive nose down; what a car squats is how far its nose rises, per acceleration."""
    t = np.arange(0, 20, 0.01)
    a = 3.0
    v, ax = a * np.maximum(t - 2.0, 0.0), np.where(t > 2, a, 0.0)
    pitch = 0.003 - sign * np.where(t > 2, 0.9 * DEG * a / GRAVITY, 0.0)
    found = acceleration(t, v, throttle=(t >= 2.0).astype(float), longitudinal_acceleration=ax, pitch=pitch)
    # nine tenths of the largest smoothed acceleration are there one sample before the step ends at the latest
    assert value(found, "squat_gradient") == pytest.approx(sign * 0.9, rel=2e-3)
    assert found["squat_gradient"][1] == "deg/g_0"


def test_times_and_speeds_over_a_distance() -> None:
    t = np.arange(0, 60, 0.01)
    found = acceleration(t, 2.5 * np.maximum(t - 2.0, 0.0), start=2.0)
    for name, speed in (("t_0_60", 60), ("t_0_160", 160), ("t_0_200", 200)):
        assert value(found, name) == pytest.approx(speed / 3.6 / 2.5, abs=1e-9)
    assert value(found, "t_1000m") == pytest.approx(math.sqrt(2000 / 2.5), abs=1e-4)
    assert value(found, "v_1000m") == pytest.approx(3.6 * math.sqrt(2000 * 2.5), rel=1e-5)
    assert value(found, "v_max") == pytest.approx(3.6 * 2.5 * (t[-1] - 2.0))


def test_a_rolling_start_has_no_time_from_zero() -> None:
    t = np.arange(0, 20, 0.01)
    found = acceleration(t, 5 + 3 * t)
    assert math.isnan(value(found, "t_0_100"))
    assert any("moves at the start (18.0 km/h)" in text for text in found.warnings)
    assert value(found, "t_60_100") == pytest.approx(40 / 3.6 / 3)


def test_top_speed_is_told_where_the_car_gains_no_more() -> None:
    t = np.arange(0, 60, 0.01)
    found = acceleration(t, 50 * (1 - np.exp(-t / 6)))
    assert value(found, "top_speed") == pytest.approx(180.0, rel=1e-3)
    short = acceleration(t[:2000], 50 * (1 - np.exp(-t[:2000] / 6)))
    assert math.isnan(value(short, "top_speed"))
    assert any("no top speed, it still gains 0." in text for text in short.warnings)


# ---- against a point mass with tire slip -----------------------------------------------------------------------------

FINAL, ETA = 3.7, 0.97 * 0.96


class PointMass:
    """Engine, gear and clutch before a mass on tires that slip; numbers of the car, equations written here."""

    def __init__(self, car: Vehicle, scale: float = 1.0) -> None:
        self.scale = scale
        tire = tires_of(car)["L2"]
        run = jn.run(car, CoastDown(speed="60 km/h", end_time=0.1, end_speed="1 km/h", straight_line=True))
        loads = {w: float(run[f"Tire.Ground_Surface_Force_Z.{w}"][0]) for w in ("L1", "R1", "L2", "R2")}
        self.radius = float(run["Tire.Effective_Rolling_Radius.L2"][0])
        self.mass = car.mass()
        spins = [w.axle.data.wheels_on(w.side).hub_spin_inertia for w in car.layout.wheels.values()]
        self.wheels = sum(spins) / self.radius**2
        self.rolling = -sum(float(tire.steady(load).my) for load in loads.values()) / self.radius
        slip = 0.01
        self.stiffness = sum(float(tire.steady(loads[w], slip).fx) / slip for w in ("L2", "R2"))
        aero = car.aero
        assert aero is not None and aero.drag.area is not None
        self.drag = 0.5 * aero.air_density * aero.drag.area

    def inertia(self, ratio: float, closed: bool = True) -> float:
        """Of gearbox output, differential, and with a closed clutch plate and engine, along the road."""
        crank = 0.15 if closed else 0.0
        return ((crank + 0.021) * ratio**2 * FINAL**2 + (0.013 + 0.024) * FINAL**2) / self.radius**2

    def torque(self, engine: float, throttle: float = 1.0) -> float:
        throttle = max(throttle, 0.02 * max(90.0 - engine, 0.0))  # with that of idling
        return self.scale * (-35.0 + throttle * (min(250.0, 120e3 / max(engine, 1.0)) + 35.0))

    def accelerate(self, v: float, force: float, inertia: float) -> float:
        resists = self.drag * v * v + (self.rolling if v > 0.05 else 0.0)
        return (force - resists) / (self.mass + self.wheels + inertia)

    def speed(self, v: float, force: float, ratio: float) -> float:
        """Of the engine, with the slip of the driven wheels."""
        return v * (1 + force / self.stiffness) / self.radius * FINAL * ratio


def geared(ratios: list[float], up: str, scale: float = 1.0) -> Vehicle:
    box = {**RWD["gearbox"], "ratios": ratios, "upshift_speed": up, "downshift_speed": "500 rpm"}
    return compact().with_(
        drive={}, driveline={**RWD, "gearbox": box, "engine": {**RWD["engine"], "torque_scale": scale}}
    )


@pytest.mark.slow
def test_40_to_100_in_one_gear_is_that_of_a_point_mass() -> None:
    car = geared([1.4, 1.03, 0.82, 0.7, 0.6], "6500 rpm")
    run = jn.run(car, StraightAcceleration(speed="38 km/h", final_speed="105 km/h", cruise=False, start_time=0.3))
    v = run["chassis_velocities.longitudinal"]
    t40, t100 = (float(np.interp(k / 3.6, v, run.time)) for k in (40, 100))
    mass, step, t = PointMass(car), 1e-3, 0.0
    speed, force = 40 / 3.6, 0.0
    while speed < 100 / 3.6:
        # the force at the tires is what the torque gives, less what the wheels and shafts take
        force = mass.torque(mass.speed(speed, force, 1.4)) * ETA * FINAL * 1.4 / mass.radius
        speed += step * mass.accelerate(speed, force, mass.inertia(1.4))
        t += step
    assert run["Transmission.gear"].max() == 1
    assert t100 - t40 == pytest.approx(t, rel=0.01)


@pytest.mark.slow
def test_0_to_100_is_that_of_a_point_mass_with_clutch_and_shifts() -> None:
    """With an engine that does not make the wheels spin, where a slip stiffness says nothing."""
    ratios = [3.6, 2.1, 1.4, 1.03, 0.82]
    car = geared(ratios, "5500 rpm", 0.4)
    run = jn.run(car, StraightAcceleration(end_time=40.0, final_speed="105 km/h"))
    mass, step = PointMass(car, 0.4), 1e-3
    t, v, engine, gear, force, shift = 0.0, 0.0, 90.0, 0, 0.0, -1.0
    rpm = math.pi / 30
    while v < 100 / 3.6 and t < 40.0:
        throttle = min(t / 0.2, 1.0)
        x = (t - shift) / 0.4 if shift >= 0 else 9.0
        engaged = min(max(abs(4 * x - 2) - 1, 0.0), 1.0)
        ratio = ratios[gear] if x > 0.5 else ratios[gear - 1]
        shaft = mass.speed(v, force, ratio)
        given = mass.torque(engine, throttle * engaged)
        if abs(engine - shaft) > 1.0 and (gear == 0 or x < 2):  # the clutch slips, in the launch and after a shift
            rises = min(max((engine / rpm - 1100) / 1100, 0.0), 1.0) if gear == 0 else 1.0
            carried = math.copysign(400.0 * engaged * rises * rises * (3 - 2 * rises), engine - shaft)
            engine += step * (given - carried) / 0.15
            inertia = mass.inertia(ratio, closed=False)
        else:
            engine, carried, inertia = shaft, min(given, 400.0 * engaged), mass.inertia(ratio)
        force = carried * ETA * FINAL * ratio / mass.radius
        v += step * mass.accelerate(v, force, inertia)
        if x > 1 and engine > 5500 * rpm and gear < 4:
            gear, shift = gear + 1, t
        t += step
    assert run.kpis["t_0_100"][0] == pytest.approx(t, rel=0.03)
    assert run["Transmission.gear"].max() == gear + 1 == 3
