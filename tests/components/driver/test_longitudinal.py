"""The longitudinal driver on a small rig: a mass on two flywheels, with engines and motors before it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from drivelines import BATTERY, CLUTCH, MAP, MOTOR, REAR, RWD
from driver_rig import BRAKES, MASS, RADIUS, A, B, C, rig
from jounce.components.drive.driveline import Driveline, library_drivelines
from jounce.components.driver.longitudinal import STARTS, solved
from jounce.components.part import table_of
from jounce.components.settings import Settings
from jounce.core.constants import GRAVITY
from jounce.core.tables import Table
from jounce.runtime.program import Constant, FromTable, Open, Phase, Program
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation
from jounce.vehicle import load

FOOT = {"automatic": False}  # a clutch with a pedal
ELECTRIC = {
    "layout": "dual_motor_awd", "front": {**REAR, "ratio": 1.0}, "rear": {**REAR, "ratio": 1.0, "inertia": 0.0},
    "front_motor": MOTOR, "battery": BATTERY,
}  # fmt: skip


@lru_cache
def manual() -> Simulation:
    return rig({**RWD, "clutch": {**CLUTCH, **FOOT}}, shifts=True)


@lru_cache
def mapped() -> Simulation:
    """An engine by its map in one gear, fixed to the wheels: the map is not linear in the throttle."""
    engine = {"kind": "engine", "torque_map": MAP, "rev_limit": 700.0, "idle_control": None, "overspeed_control": None}
    return rig({"layout": "rwd", "engine": engine, "rear": {**REAR, "ratio": 6.1, "efficiency": 0.93}})


@lru_cache
def electric() -> Simulation:
    return rig(ELECTRIC)


def drive(sim: Simulation, times: list[float], speeds: list[float], first: float = 0.0, **inputs: float) -> Recording:
    """Follow a trace of straight lines from a speed on."""
    sim.set_program(None)
    sim.restart(defaults=True)
    spins = dict.fromkeys(("L1.spin", "R1.spin"), first / RADIUS)
    sim.set_states(spins)
    table = Table([np.array(times)], np.array(speeds), method="linear", extrapolation="flat")
    given = [Open(name.replace("__", "."), Constant(value)) for name, value in inputs.items()]
    channels = [Open("driver.active", Constant(1.0)), Open("driver.target_speed", FromTable(table)), *given]
    return sim.run(program=Program(Phase("follow", channels, duration=times[-1])), interval=0.01)


def at(run: Recording, name: str, time: float) -> float:
    return float(np.interp(time, run.time, run[name]))


@pytest.mark.parametrize("slope", [0.06, -0.012, 0.0])
def test_feed_forward_alone_keeps_the_speed_on_a_slope(slope: float) -> None:
    """Torque by the throttle within 2 % of what drag, rolling and slope ask for, without feedback."""
    sim = mapped()
    names = ("longitudinal.speed_gain", "longitudinal.speed_integral")
    kept = {name: sim.parameters[name] for name in names}
    sim.set_parameters(dict.fromkeys(names, 0.0))
    try:
        run = drive(sim, [0.0, 4.0], [17.0, 17.0], 17.0, rig__slope=slope)
    finally:
        sim.set_parameters(kept)
    needed = A + B * 17 + C * 17**2 + MASS * GRAVITY * slope
    pushed = (at(run, "hub.L1", 3.0) + at(run, "hub.R1", 3.0)) / RADIUS
    assert needed > 100.0 and pushed == pytest.approx(needed, rel=0.02)
    assert at(run, "rig.speed", 4.0) == pytest.approx(17.0, abs=0.05)


def test_feedback_keeps_the_speed_where_the_driver_knows_the_car_badly() -> None:
    """A resistance that is wrong by 300 N: 0.2 m/s² at once, nothing in the end."""
    sim = mapped()
    sim.set_parameters({"longitudinal.resistance": A - 300.0})
    try:
        run = drive(sim, [0.0, 14.0], [17.0, 17.0], 17.0)
    finally:
        sim.set_parameters({"longitudinal.resistance": A})
    # P = I = 4: e'' + 4 e' + 4 e = 0 after a step of 300 N/m has its largest error at t = 1/2 s
    mass = MASS + 0.07 * (6.1 / RADIUS) ** 2 + 0.024 * (6.1 / RADIUS) ** 2
    assert np.max(run["driver.speed_error"]) == pytest.approx(300.0 / mass * 0.5 * np.exp(-1.0), rel=0.05)
    assert abs(at(run, "driver.speed_error", 13.0)) < 1e-3


def test_no_wind_up_at_full_throttle() -> None:
    """A speed beyond the car for ten seconds; when it falls back, the throttle follows at once."""
    run = drive(mapped(), [0.0, 0.01, 10.0, 10.5, 16.0], [10.0, 45.0, 45.0, 24.0, 24.0], 10.0)
    v = run["rig.speed"]
    assert np.max(run["driver_demands.throttle"]) > 0.999 and v.max() < 40.0
    late = run.time > 12.5
    assert np.max(np.abs(v[late] - 24.0)) < 0.6 and abs(v[-1] - 24.0) < 0.1


def test_a_foot_that_changed_pedals_stays_a_tenth_of_a_second() -> None:
    """A trace that asks for drive and brake in turns, 60 ms each."""
    sim, times = mapped(), np.arange(0.0, 3.0, 0.06)
    sim.set_program(None)
    sim.restart(defaults=True)
    sim.set_states(dict.fromkeys(("L1.spin", "R1.spin"), 20.0 / RADIUS))
    trace = Table([times], 20.0 + 0.3 * (np.arange(len(times)) % 2), method="linear", extrapolation="flat")
    channels = [Open("driver.active", Constant(1.0)), Open("driver.target_speed", FromTable(trace))]
    sim.set_program(Program(Phase("zigzag", channels)))
    pedal = []
    for _ in range(280):
        sim.advance(10)
        pedal.append(sim.signal("driver.pedals.braking"))
    changes = np.flatnonzero(np.diff(pedal))
    assert len(changes) > 8
    assert np.diff(changes).min() >= 10  # samples of 10 ms


def test_a_manual_car_follows_a_trace_with_launch_gears_and_stop() -> None:
    run = drive(manual(), [0.0, 2.0, 17.0, 30.0, 45.0, 52.0], [0.0, 0.0, 20.0, 20.0, 0.0, 0.0])
    v, wanted = run["rig.speed"], run["driver.target_speed"]
    assert np.sqrt(np.mean((v - wanted) ** 2)) < 0.2
    gear, engine = run["Transmission.gear"], run["Engine.engine_rpm"]
    assert gear[0] == 1 and gear.max() >= 4 and gear[-1] == 1
    changes = run.time[np.flatnonzero(np.diff(gear))]
    assert np.all(np.diff(changes[changes < 30]) > 1.2)  # not within the time after the last one
    assert engine.min() > 60.0  # it idles at 90, stalls at 70 rad/s with the clutch closed
    still = run.time > 49.0
    assert np.all(np.abs(v[still]) < 1e-3) and np.all(run["driver_demands.brake"][still] == pytest.approx(0.3))
    assert np.all(run["driver_demands.clutch"][still] > 0.99)
    driving = (run.time > 20) & (run.time < 29)
    assert np.all(run["driver_demands.clutch"][driving] == 0.0)
    # one foot: never both pedals while it drives
    rolling = v > 0.5
    both = (run["driver_demands.throttle"] > 1e-3) & (run["driver_demands.brake"] > 1e-3) & rolling
    assert not both.any()
    braking = (run.time > 31) & (run.time < 36)
    assert np.all(run["driver_demands.throttle"][braking] == 0.0) and np.all(run["driver_demands.brake"][braking] > 0.0)


@pytest.mark.parametrize(("kind", "acceleration"), [("mild", 1.5), ("sporty", 3.5)])
def test_a_start_holds_the_engine_while_the_clutch_slips(kind: str, acceleration: float) -> None:
    """Within 10 % of its starting speed from the second tenth of the slip on, and near the wanted acceleration."""
    sim, numbers = manual(), STARTS[kind]
    sim.set_parameters({f"longitudinal.{name}": value for name, value in numbers.items()})
    run = drive(sim, [0.0, 1.0, 7.0], [0.0, 0.0, 6 * acceleration])
    sim.set_parameters({f"longitudinal.{name}": value for name, value in STARTS["mild"].items()})
    engine, clutch, v = run["Engine.engine_rpm"], run["driver_demands.clutch"], run["rig.speed"]
    slip = engine - run["Clutch.clutch_rpm"]
    begins = int(np.argmax(v > 0.02))
    ends = begins + int(np.argmax(slip[begins:] < 5.0))
    assert ends - begins > 100, "a second at least"
    held = slice(begins + (ends - begins) // 5, ends)
    assert np.abs(engine[held] / numbers["start_speed"] - 1).max() < 0.1
    found = np.polyfit(run.time[held], v[held], 1)[0]
    assert found == pytest.approx(acceleration, rel=0.1)
    assert engine.min() > 70.0, "it does not stall"
    after = run.time > run.time[ends] + 1.0
    assert (clutch[after] == 0.0).all(), "closed, also while gears change"
    assert abs(v[-1] - 6 * acceleration) < 0.5


@pytest.mark.parametrize("name", sorted(library_drivelines()))
def test_the_pedal_that_gives_a_torque_is_found_for_all_maps_of_the_library(name: str) -> None:
    """Over speeds and throttles: what the pedal found gives is the torque asked for, to 2e-9 of the largest one."""
    line = load(name).driveline
    assert isinstance(line, Driveline)
    settings = Settings.model_validate({})
    for _, part in line.parts_by_key():
        curve = getattr(part, "torque_map", None)
        if curve is None:
            continue
        table = table_of(curve, "map", False, settings)
        speed, throttle = (
            x.ravel() for x in np.meshgrid(np.linspace(40.0, 0.9 * curve.x[-1], 23), np.linspace(0, 1, 61))
        )
        wanted = np.asarray(table(speed, throttle))
        found = solved(lambda u, n=speed, f=table: np.asarray(f(n, u + 0.0 * n)), wanted)
        assert np.abs(np.asarray(table(speed, found)) - wanted).max() < 2e-9 * np.abs(wanted).max()
        assert np.allclose(solved(lambda u, n=speed, f=table: np.asarray(f(n, u + 0.0 * n)), wanted * 0 + 1e9), 1.0)


def test_engine_braking_comes_before_the_brake() -> None:
    """Slowing down by 0.1 m/s² is less than the drag of air and engine: the brake stays off."""
    run = drive(manual(), [0.0, 12.0, 26.0, 34.0], [0.0, 15.0, 15.0, 14.6])
    late = run.time > 27.0
    assert np.all(run["driver_demands.brake"][late] == 0.0)
    assert 0.0 < at(run, "driver_demands.throttle", 33.0) < at(run, "driver_demands.throttle", 25.0)


@pytest.mark.parametrize("slope", [0.16, 0.08])
def test_hill_start_holds_the_brake_until_the_engine_pushes(slope: float) -> None:
    run = drive(manual(), [0.0, 3.0, 9.0], [0.0, 0.0, 6.0], rig__slope=slope)
    way = np.concatenate([[0.0], np.cumsum(np.diff(run.time) * run["rig.speed"][1:])])
    before = way[run.time < 3.0].min()
    assert way.min() > before - 0.02  # it does not roll back
    pushes = (run["hub.L1"] + run["hub.R1"]) / RADIUS
    released = np.flatnonzero((run.time > 3.0) & (run["driver_demands.brake"] < 0.29))[0]
    assert pushes[released] > MASS * (GRAVITY * slope - 0.06)  # all but what the band between the pedals allows
    assert at(run, "rig.speed", 9.0) == pytest.approx(6.0, abs=0.3)


def test_speed_that_was_lost_in_shifts_comes_back_only_where_speed_is_followed() -> None:
    sim = manual()
    trace = [0.0, 14.0], [4.0, 24.0]
    by_speed = drive(sim, *trace, 4.0)
    gains = {"speed_gain": 0.0, "speed_integral": 0.0, "acceleration_gain": 0.3, "acceleration_integral": 2.0}
    kept = {f"longitudinal.{name}": sim.parameters[f"longitudinal.{name}"] for name in gains}
    sim.set_parameters({f"longitudinal.{name}": value for name, value in gains.items()})
    try:
        by_acceleration = drive(sim, *trace, 4.0)
    finally:
        sim.set_parameters(kept)
    assert by_speed["Transmission.gear"].max() > 1 and by_acceleration["Transmission.gear"].max() > 1
    end = 7.0
    assert abs(at(by_speed, "driver.speed_error", end)) < 0.25
    assert at(by_acceleration, "driver.speed_error", 13.9) > 0.4
    slope = np.gradient(by_acceleration["rig.speed"], by_acceleration.time)
    quiet = (by_acceleration.time > 1.0) & (np.abs(slope - 20 / 14) < 5.0)
    assert np.median(slope[quiet]) == pytest.approx(20 / 14, rel=0.05)


def test_motors_brake_first_and_the_brakes_do_the_rest() -> None:
    """Motor at 9:1, 200 N.m: 5.8 kN at the wheels, 4 m/s²; a stop at 2 m/s² needs no brake, one at 6 m/s² both."""
    gently = drive(electric(), [0.0, 1.0, 6.0], [15.0, 15.0, 5.0], 15.0)
    slowing = (gently.time > 1.6) & (gently.time < 5.5)
    assert np.all(gently["driver.friction_brake"][slowing] == 0.0)
    assert np.all(gently["driver_demands.brake"][slowing] > 0.1)
    assert np.all(gently["Battery.power"][slowing] < -5e3)
    assert np.max(np.abs(gently["driver.speed_error"][slowing])) < 0.05
    hard = drive(electric(), [0.0, 1.0, 3.0, 5.0], [20.0, 20.0, 8.0, 8.0], 20.0)
    slowing = (hard.time > 1.6) & (hard.time < 2.9)
    assert np.all(hard["driver_demands.brake"][slowing] > 0.999)
    mass = MASS + 0.024 / RADIUS**2 + 0.05 * 81 / RADIUS**2
    for time in (2.0, 2.5):
        v = at(hard, "rig.speed", time)
        motors = -(at(hard, "hub.L1", time) + at(hard, "hub.R1", time)) / RADIUS
        by_brakes = mass * 6.0 - A - B * v - C * v * v - motors
        assert BRAKES * at(hard, "driver.friction_brake", time) == pytest.approx(by_brakes, rel=0.05)


def test_pedals_are_those_of_the_run_until_the_driver_is_active() -> None:
    sim = electric()
    sim.set_program(None)
    sim.restart(defaults=True)
    sim.set_states({"L1.spin": 30.0, "R1.spin": 30.0})
    sim.set_inputs({"driver.active": 0.0, "throttle": 0.37, "brake": 0.0})
    sim.advance(5)
    assert sim.output("driver_demands.throttle") == 0.37
    sim.set_inputs({"driver.active": 1.0, "driver.target_speed": 9.3})
    sim.advance(1)
    first: Any = sim.output("driver_demands.throttle")
    assert abs(first - 0.37) <= 0.005 + 1e-12  # from there at the fastest rate of the pedal, 5/s


def test_pedals_roll_on_and_off_at_their_own_rates() -> None:
    """Full throttle after 2.5 s at 0.4/s, up again after 1.25 s at 0.8/s; the brake full after 2 s, off after 1 s."""
    rates = {"throttle_rate": 0.4, "throttle_release_rate": 0.8, "brake_rate": 0.5, "brake_release_rate": 1.0}
    sim = rig(ELECTRIC, **rates)
    fast = drive(sim, [0.0, 0.01, 6.0, 6.01, 9.0], [10.0, 99.0, 99.0, 1.0, 1.0], 10.0)
    throttle = fast["driver_demands.throttle"]
    full = float(fast.time[np.argmax(throttle > 0.9995)])
    begin = float(fast.time[np.argmax(throttle > 0.0)])
    level = throttle[np.argmax(throttle > 0.0)]
    assert full - begin == pytest.approx((1 - level) / 0.4, abs=0.02) and full == pytest.approx(2.5, abs=0.1)
    off = float(fast.time[np.flatnonzero((throttle <= 0.0005) & (fast.time > 6.0))[0]])
    assert off - 6.0 == pytest.approx(1.25, abs=0.15)
    slow = drive(sim, [0.0, 0.01, 4.0, 4.01, 8.0], [38.0, 2.0, 2.0, 45.0, 45.0], 38.0)
    brake = slow["driver.friction_brake"]
    rises = (slow.time > 0.5) & (slow.time < 1.5)
    assert np.polyfit(slow.time[rises], brake[rises], 1)[0] == pytest.approx(0.5, rel=0.02)
    falls = (brake < brake.max() - 0.05) & (brake > 0.05) & (slow.time > slow.time[np.argmax(brake)])
    assert falls.sum() > 20 and np.polyfit(slow.time[falls], brake[falls], 1)[0] == pytest.approx(-1.0, rel=0.02)


def test_drag_of_an_outside_air_is_known_before_it_acts() -> None:
    """Without feedback: 400 N more in the feed-forward push by 400 N more; nothing given is as without the port."""
    name, gains = "Driver_Demands.drag_feedforward", {"speed_gain": 0.0, "speed_integral": 0.0}
    pushes = []
    for inputs, given in (((), None), ((name,), 0.0), ((name,), 400.0)):
        sim = rig(ELECTRIC, inputs=inputs, **gains)
        sim.set_states(dict.fromkeys(("L1.spin", "R1.spin"), 15.0 / RADIUS))
        sim.set_inputs({"driver.target_speed": 15.0} | ({} if given is None else {name: given}))
        sim.advance(150)
        pushes.append((sim.output("hub.L1") + sim.output("hub.R1")) / RADIUS)
    assert pushes[0] == pushes[1]
    assert pushes[2] - pushes[0] == pytest.approx(400.0, rel=0.02)
