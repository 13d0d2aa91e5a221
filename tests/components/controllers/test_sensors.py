"""Sensors of controllers: what teeth tell, what the estimate of the speed is worth, offsets and noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce as jn
import jounce.vehicle as jv
from cars import compact
from jounce import events
from jounce.components.controllers.hydraulic_abs import HydraulicABS
from jounce.runtime.recording import Recording
from jounce.sim import car

WHEELS = ("L1", "R1", "L2", "R2")
T = 0.005


@pytest.fixture(scope="module")
def described() -> car.Description:
    return car.describe(compact(), ground="inclined", parts=(HydraulicABS(),))


def rolled(described: car.Description, speed: float, seconds: float, **inputs: float) -> Recording:
    sim = car.simulation(described)
    sim.set_states({"chassis.vx": speed})
    sim.set_states({f"{c}.wheel.spin": speed / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in WHEELS})
    sim.set_inputs(inputs)
    return sim.run(seconds, interval=T)


@pytest.mark.parametrize("speed", [31.0, 6.0])
def test_a_ring_tells_the_speed_of_its_wheel(described: car.Description, speed: float) -> None:
    """By edges to within the run-out, 2π e/N of the speed, and what changes within the time between two edges."""
    run = rolled(described, speed, 1.5)
    later = run.time > 0.02
    for place in WHEELS:
        radius = run[f"Tire.Effective_Rolling_Radius.{place}"][0]  # learnt as it rolled at the start
        spin = run[f"Wheel.Omega.{place}"]
        true, told = radius * np.abs(spin), run[f"Sensed.wheel_speed.{place}"]
        between = 2 * math.pi / 48 / spin.min() + T
        slack = 2 * math.pi * 0.01 / 48 * speed + np.abs(np.gradient(true, run.time)).max() * between
        assert np.abs(told - true)[later].max() < 1.5 * slack + 1e-3
        assert np.abs(told - true)[later].max() > 1e-6 * speed, "it is no copy of the truth"


def test_a_ring_that_runs_out_swings_once_in_a_turn(described: car.Description) -> None:
    """Edges that move by e sin(2π k/N) of a tooth make a speed that swings by 2π e/N of it, once in N edges."""
    told = []
    for runout in (0.0, 0.2):
        sim = car.simulation(described)
        sim.set_parameters({"sensors.runout": runout})
        sim.set_states({"chassis.vx": 20.0})
        sim.set_states({f"{c}.wheel.spin": 20.0 / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in WHEELS})
        run = sim.run(1.0, interval=T)
        told.append(run["Sensed.wheel_speed.L2"][run.time > 0.3])
    swing, spin = told[1] / told[0] - 1, run["Wheel.Omega.L2"][-1]
    # a sample of 5 ms sees the mean over two to three edges: 1 % less
    assert np.sqrt(2) * np.std(swing) == pytest.approx(2 * math.pi * 0.2 / 48, rel=0.1)
    crossings = np.count_nonzero(np.diff(np.sign(swing - swing.mean())) != 0)
    assert crossings == pytest.approx(2 * 0.7 * spin / (2 * math.pi), abs=2)


def test_a_wheel_that_stands_is_seen_by_and_by(described: car.Description) -> None:
    """A locked wheel has no edges: what is told falls as 1/(time since the last one)."""
    sim = car.simulation(described)
    sim.set_parameters({"hydraulic_abs.active": 0.0})
    speed = 12.0
    sim.set_states({"chassis.vx": speed})
    sim.set_states({f"{c}.wheel.spin": speed / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in WHEELS})
    sim.set_inputs({"brake": 1.0})
    run = sim.run(0.6, interval=T)
    locked = np.nonzero(np.abs(run["Wheel.Omega.L1"]) < 0.1)[0][0]
    told = run["Sensed.wheel_speed.L1"][locked:]
    since = run.time[locked:] - run.time[locked] + 2 * T
    radius = run["Tire.Effective_Rolling_Radius.L1"][0]
    assert (told[5:] <= 1.05 * radius * 2 * math.pi / 48 / (since[5:] - 2 * T)).all()
    assert told[0] > 0.1, "not known at once"


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_car_in_reverse_stops_like_one_that_goes_forwards(described: car.Description, way: float) -> None:
    """Full braking from 10 m/s: the speed is known along the way, no wheel stands before the car does.

    As far from the truth as forwards: radii to 3 %, and what teeth and a body that has just begun to dive add.
    """
    run = rolled(described, way * 10.0, 6.0, brake=1.0)
    v = way * run["chassis_velocities.longitudinal"]
    fast = (v > 3.0) & (run.time < run.time[np.argmax(v < 3.0)])
    assert run["Sensed.way"][fast].tolist() == [way] * int(fast.sum())
    assert np.abs(run["Sensed.speed"] - v)[fast].max() < 0.6
    for place in WHEELS:
        assert (way * run[f"Wheel.Omega.{place}"])[fast].min() > 2.0
    stops = run.time[np.argmax(v < 0.3)]
    assert 10.0 / 11.0 < stops < 10.0 / 6.0, "wheels that swing after full pressure at once do not fool it"
    assert np.mean(run["ABS_activity.L1"][fast]) > 0.5


def test_motors_and_couplings_take_hold_again_when_the_pedal_is_released(described: car.Description) -> None:
    """Nothing of them while wheels are controlled, nor at the last metre; then within half a second."""
    sim = car.simulation(described)
    sim.set_states({"chassis.vx": 9.0})
    sim.set_states({f"{c}.wheel.spin": 9.0 / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in WHEELS})
    assert sim.output("ABS_Drive.share") == 1.0
    sim.set_inputs({"brake": 1.0})
    stopped = sim.run(6.0, interval=T)
    share, v = stopped["ABS_Drive.share"], stopped["chassis_velocities.longitudinal"]
    assert (share[(stopped.time > 0.3)] == 0.0).all() and abs(v[-1]) < 0.3
    sim.set_inputs({"brake": 0.0})
    released = sim.run(6.7, interval=T)["ABS_Drive.share"]
    assert 0.15 < released[20] < 0.25 and released[-1] == 1.0  # after 0.1 s a fifth: 0.5 s from nothing to all


@pytest.mark.slow
@pytest.mark.parametrize("friction", [1.0, 0.3])
def test_the_speed_of_the_car_is_known_while_all_wheels_slip(friction: float) -> None:
    """Full braking: between 90 % and 15 % of the first speed the estimate is within 4 % of that."""
    event = events.StraightBraking(friction=friction, speed=25.0, controller="hydraulic_abs", end_time=20.0)
    run = jn.run(jv.load("sedan"), event)
    true, told = run["chassis_velocities.longitudinal"], run["Sensed.speed"]
    rows = (true < 0.9 * 25.0) & (true > 0.15 * 25.0)
    assert np.abs(told - true)[rows].max() < 0.04 * 25.0
    rolls = [run[f"Wheel.Omega.{c}"] * run[f"Tire.Effective_Rolling_Radius.{c}"] for c in WHEELS]
    slips = [1 - v / np.maximum(true, 1.0) for v in rolls]
    assert np.mean(np.min(slips, axis=0)[rows] > 0.005) > 0.5, "most of the time even the fastest wheel slips"


def test_offsets_and_noise_are_those_that_are_given(described: car.Description) -> None:
    """At rest the mean of what is told is the offset, its spread that of filtered white noise, σ √(k/(2 − k))."""
    sim = car.simulation(described)
    sim.set_parameters({
        "sensors.yaw_rate_offset": 0.013, "sensors.yaw_rate_noise": 0.02, "sensors.ay_offset": -0.3,
        "sensors.ay_noise": 0.4, "ground.height": -50.0, "gravity": 0.0,
    })  # fmt: skip
    run = sim.run(30.0, interval=T)
    keep = T / 0.015
    samples = len(run.time)
    for name, offset, sigma in (("yaw_rate", 0.013, 0.02), ("ay", -0.3, 0.4)):
        told = run[f"Sensed.{name}"]
        spread = sigma * math.sqrt(keep / (2 - keep))
        # neighbours of a low-pass go together: some (2 - k)/k = 5 samples count as one
        assert np.mean(told) == pytest.approx(offset, abs=4 * sigma / math.sqrt(samples))
        assert np.std(told) == pytest.approx(spread, rel=4 * math.sqrt(5 / samples))


@pytest.mark.parametrize("margin", [2.0, 0.6])
def test_the_speed_of_the_car_rises_no_faster_than_its_margin(described: car.Description, margin: float) -> None:
    """In the air, unaccelerated: wheels that turn 4 m/s faster at once are believed by the margin upwards only."""
    sim = car.simulation(described)
    sim.set_parameters({
        "sensors.margin_up": margin, "sensors.ax_offset": 0.0, "sensors.ax_noise": 0.0, "ground.height": -50.0,
        "gravity": 0.0, "hydraulic_abs.active": 0.0,
    })  # fmt: skip
    radius = {c: sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in WHEELS}
    sim.set_states({"chassis.vx": 10.0})
    for speed, seconds in ((10.0, 0.2), (14.0, 0.5)):
        sim.set_states({f"{c}.wheel.spin": speed / radius[c] for c in WHEELS})
        sim.set_inputs({"brake": 0.011})  # so little that wheels go on turning: the fastest one is believed
        run = sim.run(seconds, interval=T)
    told, true = run["Sensed.speed"], run["chassis_velocities.longitudinal"]
    first, last = 20, len(told) - 1
    rise = (told[last] - told[first]) / (run.time[last] - run.time[first])
    changed = (true[last] - true[first]) / (run.time[last] - run.time[first])  # by the air
    assert run["Sensed.wheel_speed.L1"].min() > told[last] + 1.0, "the wheels are faster all the time"
    assert rise == pytest.approx(margin + changed, abs=0.02)


@pytest.mark.parametrize("error", [0.0, 0.02])
def test_a_radius_that_is_known_wrongly_makes_all_speeds_wrong(described: car.Description, error: float) -> None:
    """Free rolling at 20 m/s: what rings and the estimate tell is off by that share."""
    sim = car.simulation(described)
    sim.set_parameters({"sensors.radius_error": error})
    sim.set_states({"chassis.vx": 20.0})
    sim.set_states({f"{c}.wheel.spin": 20.0 / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in WHEELS})
    run = sim.run(0.5, interval=T)
    v = run["chassis_velocities.longitudinal"][-1]
    for told in ("Sensed.speed", "Sensed.wheel_speed.R2"):
        # run-out 0.13 %, teeth and a car that slows down by 0.3 m/s²
        assert run[told][-1] / v - 1 == pytest.approx(error, abs=4e-3)
