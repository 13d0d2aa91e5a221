"""A wheel that stands: rolling resistance that holds it on slopes, and the moment of a wheel turned on the spot."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce as jn
from every_tire import MODELS
from four_wheels import CORNERS
from ideal_cars import ideal
from jounce.components.tire.resting import ARM, ROLL_DAMPING, ROLL_LENGTH, ROLL_SPEED, TWIST, rolled, twisted
from jounce.core.constants import GRAVITY
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics
from models import compiled
from tire_models import rig

STEP = 0.001
MASS = 400.0


# --- the equations by themselves -------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.parametrize("speed", [0.01, 0.3])
def test_resistance_builds_up_over_a_way_and_not_over_a_time(way: float, speed: float) -> None:
    """dn/dx = (1 - n)/ℓ: n = 1 - exp(-x/ℓ), the other way round from there back."""
    h = 1e-5 / speed
    n = x = 0.0
    for _ in range(1700):
        n += h * rolled(way * speed, n).rate
        x += h * speed
    assert n == pytest.approx(way * (1 - math.exp(-x / ROLL_LENGTH)), rel=1e-3)  # Euler: h V/2ℓ = 5e-4
    back, turned = 0.0, n
    for _ in range(900):
        n += h * rolled(-way * speed, n).rate
        back += h * speed
    assert n == pytest.approx(-way + (turned + way) * math.exp(-back / ROLL_LENGTH), rel=2e-3)


@pytest.mark.parametrize("speed", [0.05, 3.0, 70.0, -0.05, -3.0, -70.0])
def test_a_rolling_wheel_has_its_whole_resistance(speed: float) -> None:
    way = math.copysign(1.0, speed)
    found = rolled(speed, way)
    assert (found.share, found.rate) == (way, 0.0)
    assert abs(rolled(speed, 0.0).rate) <= ROLL_SPEED / ROLL_LENGTH


def test_a_contact_twists_by_its_own_equation() -> None:
    """dr/dΨ = 1 - r³ from rest, integrated by another program; rate does not matter at rest."""
    expected = solve_ivp(lambda _, r: 1 - r**3, (0.0, 2.5), [0.0], rtol=1e-10, dense_output=True).sol
    for yaw_rate in (0.02, -1.1):
        r, angle, h = 0.0, 0.0, 1e-5 / abs(yaw_rate)
        for _ in range(14000):
            r += h * twisted(0.0, yaw_rate, r).rate
            angle += h * abs(yaw_rate)
        assert r == pytest.approx(math.copysign(expected(angle / TWIST)[0], yaw_rate), abs=2e-4)
    assert twisted(0.0, 0.0, 0.7).rate == 0.0, "what is twisted stays so"
    assert twisted(1.0, 0.0, 0.7).rate < 0.0, "unless the wheel rolls"


def test_the_contact_gives_no_work() -> None:
    """Power that is taken up less the growth of the stored energy is never negative, in a random motion."""
    rng = np.random.default_rng(5)
    h = 1e-4
    for scale in (0.02, 0.4, 3.0):
        n = r = 0.0
        speeds = np.convolve(rng.normal(0, scale, 20000), np.ones(50) / 7.0, mode="same")
        for speed in speeds:
            a, b = rolled(speed, n), twisted(0.3, speed, r)
            # moments over their largest, energies ½ n² ℓ and ½ r² T; beyond V₀ the bristle sees V₀ only
            assert a.share * speed - n * a.rate * ROLL_LENGTH >= -1e-12
            assert b.share * speed - r * b.rate * TWIST >= -1e-12
            n, r = n + h * a.rate, r + h * b.rate
            assert abs(n) <= 1 + 1e-9 and abs(r) <= 1 + 1e-9


# --- a wheel on a trolley, every model -------------------------------------------------------------------------------


def on_a_slope(name: str, part: float, **options: object) -> Simulation:
    """Released at rest on a slope that is a part of the rolling resistance, which is measured on the level."""
    t = MODELS[name](14)
    if "ROLLING_RESISTANCE" in t.values:
        t = t.with_values(ROLLING_RESISTANCE=0.004, RELAX_LENGTH_X=0.3)
    sim = compiled(rig(t, mass=MASS, **options), method="AB-2", step=STEP)  # type: ignore[arg-type]
    height = t.values["UNLOADED_RADIUS"] - t.deflection(MASS * GRAVITY)
    sim.set_states({"z.travel": height, "x.rate": 1.5, "wheel.spin": 1.5 / height})
    sim.advance(300)
    resistance = -sim.output("tire.my") / height / (MASS * GRAVITY)
    assert 0.002 < resistance < 0.05
    rest = Simulation(sim.library, method="AB-2", step=STEP)
    rest.set_parameters({"ground.grade": -part * resistance})
    rest.set_states({"z.travel": height})
    return rest


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("part", [0.6, -0.6])
def test_a_slope_below_the_rolling_resistance_is_held(name: str, part: float) -> None:
    sim = on_a_slope(name, part)
    sim.advance(30000)
    here = sim.state("x.travel")
    assert 0.3 * ROLL_LENGTH < here * math.copysign(1, part) < 8 * ROLL_LENGTH, "it rolls a little, downhill"
    sim.advance(60000)
    assert abs(sim.state("x.travel") - here) < 1e-4, "and then a minute not at all"


@pytest.mark.parametrize("part", [1.5, -1.5])
def test_a_steeper_slope_is_not_held(part: float) -> None:
    """The way of a rigid wheel with the same resistance, by another program: (m + I/R²) ẍ = m g (p - o) f."""
    sim = on_a_slope("fiala", part)
    sim.advance(10000)
    grade = abs(sim.parameter("ground.grade"))
    pull = grade / abs(part) * GRAVITY / (1 + 1.0 / (MASS * 0.3**2))

    def rates(_: float, y: np.ndarray) -> list[float]:
        follows = min(y[1], ROLL_SPEED) * (1 - y[2]) / ROLL_LENGTH
        return [y[1], pull * (abs(part) - min(y[2] + ROLL_DAMPING * follows, 1.0)), follows]

    expected = solve_ivp(rates, (0.0, 10.0), [0.0, 0.0, 0.0], rtol=1e-8, max_step=0.01).y[0, -1]
    assert sim.state("x.travel") * math.copysign(1, part) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("options", [{"exponential": True}, {"substeps": 4}], ids=["exact", "substeps"])
@pytest.mark.parametrize("part", [0.5, -0.7])
def test_other_ways_of_relaxation_hold_as_well(options: dict[str, object], part: float) -> None:
    ends = []
    for given in ({}, options):
        sim = on_a_slope("pac2002", part, **given)
        sim.advance(40000)
        ends.append(sim.state("x.travel"))
    assert ends[1] == pytest.approx(ends[0], rel=0.1)  # it swings to its place, with slips that lag otherwise


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_turning_on_the_spot_meets_a_friction_moment(name: str, side: str) -> None:
    """It grows with the angle, reaches q R0 µ Fz, stays when the wheel is held there, and turns round with it."""
    t = MODELS[name](14)
    sim = compiled(rig(t, mass=MASS, steer=True, side=side), method="AB-2", step=STEP)
    load = MASS * GRAVITY
    sim.set_states({"z.travel": t.values["UNLOADED_RADIUS"] - t.deflection(load)})
    sim.set_inputs({"brake": 2000.0})
    sim.advance(500)
    zero = sim.output("tire.mz")
    at = t.at_load(load)
    arm = (t.values.get("QCRP1", 0.0) or ARM) * t.values.get("LMP", 1.0)
    most = arm * t.values["UNLOADED_RADIUS"] * float(at.grip) * math.sqrt(load / t.values["FNOMIN"])
    assert 40.0 < most < 400.0

    def turn(to: float, rate: float) -> list[float]:
        moments, angle = [], sim.input("steer")
        steps = round(abs(to - angle) / rate / STEP)
        for k in range(1, steps + 1):
            sim.set_inputs({"steer": angle + (to - angle) * k / steps, "steer.rate": (to - angle) / (steps * STEP)})
            sim.advance(1)
            moments.append(sim.output("tire.mz") - zero)
        sim.set_inputs({"steer.rate": 0.0})
        sim.advance(2000)
        return moments

    left = turn(0.3, 0.2)
    assert np.all(np.diff(left[: len(left) // 3]) < 1e-6 * most), "against the turn, and growing"
    assert left[-1] == pytest.approx(-most, rel=0.03)
    held = sim.output("tire.mz") - zero
    sim.advance(10000)
    assert held == pytest.approx(-most, rel=0.03)
    assert sim.output("tire.mz") - zero == pytest.approx(held, rel=1e-3)
    right = turn(-0.3, 0.2)
    assert right[-1] == pytest.approx(most, rel=0.03)


def test_the_moment_is_that_of_the_rule_for_parking() -> None:
    """A round contact under an even pressure of 0.23 MPa [Sharp2003], for the sizes of the library: shapes differ."""
    for name, vehicle in (("sedan", "L1"), ("compact", "R1"), ("suv", "L2")):
        t = car.tires_of(jn.load(name))[vehicle]
        load = float(t.values["FNOMIN"])
        grip = float(t.at_load(load).grip)
        ours = ARM * t.values["UNLOADED_RADIUS"] * grip
        assert ours == pytest.approx(2 / 3 * grip * math.sqrt(load / (math.pi * 2.3e5)), rel=0.25), name


# --- a car -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def standing() -> Simulation:
    description = car.describe(ideal("sedan"))
    sim = car.simulation(description)
    statics.settle(sim, description, heading=0.7, x=3.0, y=-2.0)
    return sim


def moved(sim: Simulation, along: float, across: float, seconds: float) -> np.ndarray:
    """Ways of the body along and across its heading, in two halves of a time, with gravity that is tilted."""
    start = sim.snapshot()
    c, s = math.cos(0.7), math.sin(0.7)
    pull = GRAVITY * np.array([c * along - s * across, s * along + c * across])
    sim.set_parameters({"gravity.x": pull[0], "gravity.y": pull[1]})
    places = [np.array([sim.state("chassis.x"), sim.state("chassis.y")])]
    for _ in range(2):
        sim.advance(round(seconds / 2 / STEP))
        places.append(np.array([sim.state("chassis.x"), sim.state("chassis.y")]))
    sim.set_parameters({"gravity.x": 0.0, "gravity.y": 0.0})
    sim.restore(start)
    return np.diff(np.array(places), axis=0) @ np.array([[c, -s], [s, c]])


def test_a_car_on_the_level_does_not_creep(standing: Simulation) -> None:
    ways = moved(standing, 0.0, 0.0, 60.0)
    assert np.abs(ways).max() < 1e-4
    assert np.abs(ways[1]).max() < 1e-6


@pytest.mark.parametrize("slope", [0.005, -0.005])
def test_a_car_released_on_half_a_percent_stays(standing: Simulation, slope: float) -> None:
    """Before, it rolled 18 m."""
    ways = moved(standing, slope, 0.002, 60.0)
    assert 0.003 < ways[0, 0] * math.copysign(1, slope) < 0.05
    assert np.abs(ways[1]).max() < 1e-5
    assert abs(ways[0, 1]) < 0.002


def test_a_car_on_a_slope_above_its_resistance_rolls_away(standing: Simulation) -> None:
    assert abs(moved(standing, -0.03, 0.0, 10.0)[:, 0].sum()) > 5.0


def test_steering_at_rest_meets_the_moments_of_both_front_wheels(standing: Simulation) -> None:
    start = standing.snapshot()
    standing.set_inputs({"brake": 1.0})
    found = {}
    for sign in (1.0, -1.0):
        standing.restore(start)
        for k in range(1, 2001):
            angle = sign * 3.0 * k / 2000
            standing.set_inputs({"steering_wheel": angle, "steering_wheel.rate": sign * 1.5})
            standing.advance(1)
        standing.set_inputs({"steering_wheel.rate": 0.0})
        standing.advance(1000)
        for corner in CORNERS:
            found[corner, sign] = standing.output(f"Tire.Ground_Surface_Moment_Z.{corner}")
    standing.restore(start)
    tires = car.tires_of(ideal("sedan"))
    for (corner, sign), moment in found.items():
        if corner[1] == "2":
            assert abs(moment) < 10.0
            continue
        assert moment * sign < 0, "against the turn"
        load = standing.output(f"Tire.Ground_Surface_Force_Z.{corner}")
        t = tires[corner]
        most = ARM * t.values["UNLOADED_RADIUS"] * float(t.at_load(load).grip) * math.sqrt(load / t.values["FNOMIN"])
        assert abs(moment) == pytest.approx(most, rel=0.15)
