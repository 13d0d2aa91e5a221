"""A train with each kind of hitch in the same manoeuvre; what a train must not care about."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from axle_lists import as_axles, one_axle, vehicle_of
from body_rig import law_rates, with_laws
from ideal_cars import ideal
from jounce.events.options import Options
from jounce.events.record import record
from jounce.runtime.program import Open, Phase, Program, Ramp, Sine
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.build import build
from jounce.sim.statics import settle
from trains import told, trailer

SPEED = 24.0
WHEELS = [f"{side}{axle}" for axle in (1, 2, 3) for side in "LR"]


@lru_cache
def train(kind: str) -> jv.Vehicle:
    """A car and a trailer with brakes and anti-lock control on all axles."""
    raw = as_axles(ideal("compact"))
    towed = trailer(kind, yaw={"limit": 1.2})
    towed["axles"][0]["brake"] = copy.deepcopy(raw["axles"][1]["brake"])
    for axle, share in zip((*raw["axles"], towed["axles"][0]), (0.45, 0.28, 0.27), strict=True):
        axle["brake_share"] = share
    raw["brakes"]["abs"] = {"threshold": 0.09, "gain": 11.0}
    return vehicle_of({**raw, "name": f"train with a {kind}", "trailers": [towed]})


def rolling(vehicle: jv.Vehicle, **place: float) -> Simulation:
    description = car.describe(vehicle)
    sim = car.simulation(description)
    settle(sim, description, **place)  # type: ignore[arg-type]
    sim.set_states({"chassis.vx": SPEED})
    sim.set_states({f"{c}.wheel.spin": SPEED / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in WHEELS})
    return sim


def lane_change(vehicle: jv.Vehicle, sign: float = 1.0, step: float = 0.001, **place: float) -> Recording:
    """A period of a sine at the hand wheel, 4 m/s² to either side."""
    program = Program(Phase("drive", [Open("steering_wheel", Sine(sign * 0.45, 0.5, cycles=1.0))], duration=4.0))
    return rolling(vehicle, **place).run(program=program, step=step, interval=0.01)


@lru_cache
def driven(kind: str) -> Recording:
    return lane_change(train(kind))


MOTION = ("chassis_velocities.yaw", "chassis_velocities.lateral", "unit2.Articulation.yaw", "unit2.Articulation.roll")


def apart(one: Recording, other: Recording) -> float:
    """Largest difference of a channel over its largest value, the worst of all."""
    return max(float(np.abs(one[n] - other[n]).max() / np.abs(other[n]).max()) for n in MOTION)


@pytest.mark.slow
def test_the_three_kinds_agree_in_a_lane_change() -> None:
    """A constraint that is met at the end of a step is off by (α h/β)|g_qq|, 1e-5 m per m/s² (verification book, hitch
    (3)): g_qq = 3.6 m r² + 2.3 m r² at 0.3 rad/s is 0.5 m/s², 5 µm on a drawbar of 3.8 m. A spring of 40 Hz gives way
    by F/k, and lags by 2 ζ/ω = 0.8 ms of a period of 2 s: 2π · 0.8 ms/2 s = 0.25 %, and as much by its stiffness."""
    joint, spring, constraint = (driven(kind) for kind in ("joint", "spring", "constraint"))
    assert 2.0 < np.abs(joint["chassis_accelerations.lateral"]).max() < 5.0
    assert np.abs(joint["unit2.Articulation.yaw"]).max() > 0.01
    assert apart(constraint, joint) < 1e-3
    assert 1e-6 < apart(spring, joint) < 6e-3
    gives_way = np.max([np.abs(spring[f"unit2.Hitch.displacement_{axis}"]) for axis in "xyz"])
    assert 1e-5 < gives_way < 5e-3, "millimetres at most"
    drift = np.max([np.abs(constraint[f"unit2.Hitch.displacement_{axis}"]) for axis in "xyz"])
    assert drift < 2e-5
    load = np.array([joint[f"Hook_rear.Global_force_{axis}"] for axis in "XYZ"])
    for other in (spring, constraint):
        found = np.array([other[f"Hook_rear.Global_force_{axis}"] for axis in "XYZ"])
        late = joint.time > 0.3  # after what the start excites has died away
        assert np.abs(found - load)[:, late].max() < 0.03 * np.abs(load).max()


@pytest.mark.slow
def test_a_stiffer_spring_comes_closer_to_the_joint() -> None:
    """At twice the frequency it gives way by a quarter, and so is what follows from it."""
    exact = lane_change(train("joint"), step=0.0005)
    found = [
        apart(lane_change(train("spring").with_(**{"trailers[0].hitch.frequency": f}), step=0.0005), exact)
        for f in (10.0, 20.0, 40.0)
    ]
    assert found[0] > 2 * found[1] > 4 * found[2], found


def harder(sim: Simulation) -> Simulation:
    """Pads of the last two axles that make them brake as hard as the first."""
    sim.set_parameters({f"{c}.brake.mu": 3 * sim.parameter(f"{c}.brake.mu") for c in WHEELS[2:]})
    return sim


@pytest.mark.slow
def test_the_ball_of_a_spring_stays_within_a_millimetre_when_braked_with_0_8_g_and_carries_no_moment() -> None:
    sim = harder(rolling(train("spring")))
    sim.set_parameters({f"{c}.brake.abs.gain": 1e-9 for c in WHEELS})
    run = sim.run(program=Program(Phase("stop", [Open("brake", Ramp(1.0, 2.0, start=0.0))], duration=1.9)))
    deceleration = -np.asarray(run["chassis_accelerations.longitudinal"])
    first = int(np.argmax(deceleration > 0.8 * 9.81))
    assert deceleration[first] > 0.8 * 9.81
    shift = np.linalg.norm([run[f"unit2.Hitch.displacement_{axis}"] for axis in "xyz"], axis=0)
    assert 1e-5 < shift[: first + 1].max() < 1e-3
    assert np.linalg.norm(told(sim, "Local_force")) > 500.0
    assert np.abs(told(sim, "Local_Moment")).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("active", [True, False])
def test_wheels_of_a_trailer_lock_only_without_their_anti_lock_control(active: bool) -> None:
    sim = harder(rolling(train("joint")))
    if not active:
        sim.set_parameters({f"{c}.brake.abs.gain": 1e-9 for c in ("L3", "R3")})
    sim.set_parameters({"ground.friction": 0.4})
    run = sim.run(program=Program(Phase("stop", [Open("brake", Ramp(1.0, 0.1, start=0.0))], duration=2.5)))
    late = (run.time > 0.8) & (np.asarray(run["chassis_velocities.longitudinal"]) > 5.0)
    assert late.sum() > 50
    for wheel in ("L3", "R3"):
        slip = np.asarray(run[f"Tire.Longitudinal_Slip_With_Lag.{wheel}"])[late]
        if active:
            assert slip.min() > -0.35 and slip.mean() < -0.05, "between where it begins and where nothing is left"
            assert np.asarray(run[f"ABS_activity.{wheel}"])[late].mean() > 0.9
        else:
            assert slip.max() < -0.95


@pytest.mark.slow
def test_a_run_ends_where_an_angle_is_beyond_its_limit() -> None:
    sim = rolling(train("joint").with_(**{"trailers[0].hitch.yaw.limit": "0.6 deg"}))
    program = Program(
        Phase("one", [Open("steering_wheel", Sine(0.6, 0.5, cycles=1.0))], duration=0.2),
        Phase("two", [Open("steering_wheel", Ramp(0.6, 0.4))], duration=3.0),
    )
    found = record(sim, program, Options(), 3.2)
    assert not found.ok
    assert "units touch: unit2.Articulation.beyond > 0" in found.reason
    assert abs(found["unit2.Articulation.yaw"][-1]) == pytest.approx(np.radians(0.6), rel=0.02)
    assert np.abs(found["unit2.Articulation.yaw"][:-2]).max() < np.radians(0.6)


# ---- what must not matter --------------------------------------------------------------------------------------------


def lopsided(sign: float) -> jv.Vehicle:
    """Nothing is alike on both sides; with -1 in a mirror."""
    one, other = ("", ".right") if sign > 0 else (".right", "")
    changes: dict[str, Any] = {
        f"axles[0].suspension.spring{one}.rate": 27.1e3, f"axles[0].suspension.spring{other}.rate": 29.3e3,
        f"trailers[0].axles[0].suspension.spring{one}.rate": 61.0e3,
        f"trailers[0].axles[0].suspension.spring{other}.rate": 55.0e3,
        f"trailers[0].axles[0].suspension.dampers[0]{one}.rate": 2900.0,
        f"trailers[0].axles[0].suspension.dampers[0]{other}.rate": 2300.0,
        "trailers[0].body.cg.y": sign * 0.037, "trailers[0].hitch.location.y": sign * 0.11,
        "trailers[0].body.inertia.ixy": sign * 31.0, "body.cg.y": sign * -0.023,
    }  # fmt: skip
    if sign < 0:  # what is on the left is the base of the right
        changes = dict(sorted(changes.items(), key=lambda item: ".right" in item[0]))
    return train("joint").with_(**changes)


@lru_cache
def uneven() -> Recording:
    return lane_change(lopsided(1.0))


ODD = ("lateral", "roll", "yaw", "_Y")


@pytest.mark.slow
def test_the_mirrored_train_runs_the_mirrored_way() -> None:
    """Rounding of 1e-16 in 4000 steps of a stable motion, times the ratio of forces to their changes."""
    one, other = uneven(), lane_change(lopsided(-1.0), -1.0)
    assert np.abs(one["unit2.Articulation.roll"]).max() > 1e-3
    for name in (*MOTION, "Hook_rear.Local_force_X", "Hook_rear.Local_force_Y", "Hook_rear.Local_force_Z"):
        sign = -1.0 if name.endswith(ODD) else 1.0
        assert np.abs(one[name] - sign * other[name]).max() < 1e-9 * np.abs(one[name]).max(), name
    for wheel, partner in (("L3", "R3"), ("R1", "L1")):
        a, b = (run[f"Tire.Ground_Surface_Force_Z.{c}"] for run, c in ((one, wheel), (other, partner)))
        assert np.abs(a - b).max() < 1e-9 * np.abs(a).max()


@pytest.mark.slow
def test_place_and_heading_of_a_train_do_not_matter() -> None:
    one, other = uneven(), lane_change(lopsided(1.0), x=700.0, y=-1300.0, heading=2.1)
    for name in (*MOTION, "Hook_rear.Local_force_Y", "Tire.Ground_Surface_Force_Z.R3"):
        assert np.abs(one[name] - other[name]).max() < 1e-9 * np.abs(one[name]).max(), name


# ---- in the air ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["joint", "constraint"])
def test_in_the_air_without_springs_and_dampers_a_train_keeps_momentum_and_energy(kind: str) -> None:
    """Couplings pass loads on and take no power. Differences of 1e-3 s of momenta of 1e5 N s m over levers of 40 m."""
    raw = {**one_axle(), "aero": None, "trailers": [trailer(kind, location=[-3.53, 0.17, 0.43])]}
    description = car.describe(vehicle_of(raw))
    sim = Simulation(build(with_laws(car.Structure(description).system())))
    car.set_numbers(sim, description)
    off = [name for name in sim.parameters if name.endswith((".spring.scale", ".damper1.scale"))]
    assert len(off) == 8
    sim.set_parameters({**dict.fromkeys(off, 0.0), "gravity": 0.0})
    states = {
        "chassis.z": 40.0, "chassis.vx": 9.0, "chassis.vy": 1.3, "chassis.vz": -0.7, "chassis.wx": 0.33,
        "chassis.wy": -0.21, "chassis.wz": 0.47, "unit2.hitch.yaw": 0.31, "unit2.hitch.pitch": -0.06,
        "unit2.hitch.roll": 0.05, "unit2.hitch.yaw.rate": -0.53, "unit2.hitch.pitch.rate": 0.37,
        "unit2.hitch.roll.rate": 0.29, "L2.jounce.rate": 0.31, "R2.jounce.rate": -0.23, "L2.wheel.spin": 37.0,
    }  # fmt: skip
    sim.set_states(states)
    linear, angular, power = law_rates(sim)
    force = np.linalg.norm([sim.output(f"Hook_rear.Global_force_{axis}") for axis in "XYZ"])
    assert force > 300.0, "N: there is something to pass on"
    assert np.abs(linear).max() < 1e-6 * force
    assert np.abs(angular).max() < 1e-5 * force * 40.0
    assert abs(power) < 1e-5 * force * 9.0
