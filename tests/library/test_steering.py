"""Steerings of the library's cars: targets, the loop of assist, parking, hands off."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
import jounce.vehicle as jv
from assisted_cars import with_steering
from jounce.results.plausibility import ranges
from jounce.runtime.program import Constant, Open, Phase, Program, Sine
from jounce.sim import car
from jounce.sim.margins import margins
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import make_steering

NAMES = sorted(make_steering.CARS)
TORQUE = "Steering_System.Steering_Wheel_Torque"
FREE = ("chassis.x", "chassis.y", "chassis.rz", "steering.free")  # what nothing returns
CREEPS = 3e5  # N.s/m: some 25 N.m.s/rad at the pinion, far beyond what a rack under aligning torque swings with
NOTHING = 1e-9  # of an assist or a friction that is left out: the structure stays
EVERY = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "sedan" else [pytest.mark.slow]) for name in NAMES]
)


def radius(name: str) -> float:
    """Rack travel per turn of the pinion, m/rad."""
    steering = jv.load(name).steering
    assert steering is not None and steering.rack_travel is not None and steering.rack_travel.constant is not None
    return abs(steering.rack_travel.constant)


def compressed(name: str, twist: float, speed: float) -> float:
    """Way by which the fluid of a hydraulic assist is compressed, m, where the pressure is that of its map."""
    data = jv.load(name).get("steering.rack_pinion.hydraulic")
    return float(data.piston_volume / (2 * data.piston_area * data.bulk_modulus) * data.pressure(twist, speed))


def inside(name: str, key: str, value: float) -> bool | None:
    return ranges(name)[key].contains(value, "N.m")


def test_files_are_those_of_the_targets_and_every_kind_of_assist_is_there() -> None:
    assert {name: make_steering.changes(name) for name in NAMES} == {name: {} for name in NAMES}
    kinds = {}
    for name in NAMES:
        steering = jv.load(name).steering
        assert steering is not None and steering.rack_pinion is not None
        data = steering.rack_pinion
        kinds[name] = "hydraulic" if data.electric is None else data.electric.on
    assert kinds == {"compact": "column", "sedan": "pinion", "suv": "rack", "light_truck": "hydraulic"}


@EVERY
def test_the_loop_of_assist_is_stable_with_margins(name: str) -> None:
    """By the exact linearisation at the step of a car: standing and at 100 km/h, on centre and with the hand at work.

    Not in equilibrium where the hand works: what counts is the slope of the map at its twist, and 1.1 times the torque
    of parking is where it is steepest.
    """
    feel = make_steering.CARS[name]
    description = car.describe(jv.load(name))
    linear = car.lineariser(description, ["steering_wheel"], [])
    state = "steering.assist.fluid" if feel.on == "hydraulic" else "steering.motor.torque"
    slopes = []
    for speed, torques in ((0.0, (0.0, 1.1 * feel.parking[1])), (100 / 3.6, (0.0, 4.5))):
        sim = car.simulation(description, method="AB-2", step=0.001)
        settle(sim, description)
        if speed:
            run_steadily(sim, description, speed)
        for torque in torques:
            twist = torque / feel.stiffness
            sim.set_inputs({"steering_wheel": sim.input("steering_wheel") + twist})
            if feel.on == "hydraulic":
                sim.set_states({state: compressed(name, twist, speed)})
            else:
                sim.set_states({"steering.lead.follower": twist})
            model = linear.at(sim)
            found = margins(model, state, without=FREE)
            assert found.gain > 2.0 and found.phase > math.radians(20), (speed, torque)
            assert found.crossover < 400, "a step of 1 ms resolves it"
            kept = [n for n in model.states if not n.startswith(FREE)]
            assert model.eigenvalues(kept).real.max() < 1e-6, "no margin says otherwise than the eigenvalues"
            slopes.append(found.gain)
            sim.set_inputs({"steering_wheel": sim.input("steering_wheel") - twist})
    assert slopes[1] < slopes[0] and slopes[3] < slopes[2], "steeper with effort"


def parked(name: str, assist: float) -> Any:
    """The hand wheel turned by 300 deg within 5 s and back, brakes on."""
    description = car.describe(with_steering(name, assist=assist))
    sim = car.simulation(description)
    settle(sim, description)
    turn = [Open("steering_wheel", Sine(math.radians(300), 0.05)), Open("brake", Constant(0.3))]
    return sim.run(program=Program(Phase("park", turn, duration=6.0)), step=0.001, interval=0.01)


@EVERY
def test_parking_is_heavy_and_assist_makes_it_light(name: str) -> None:
    """At standstill the contacts twist and slide, and the hand turns them through the gear."""
    light, heavy = parked(name, 1.0), parked(name, NOTHING)
    late = light.time > 0.5  # the hand wheel starts with a jump of its speed
    assert inside(name, "parking_torque", float(np.abs(light[TORQUE][late]).max()))
    assert inside(name, "parking_torque_unassisted", float(np.abs(heavy[TORQUE][late]).max()))
    feel = make_steering.CARS[name]
    # without assist the hand bears the rack through the gear, friction, and damping of rack and motor
    turning = (heavy.time > 1.5) & (heavy.time < 4.5)
    side = math.copysign(1.0, jv.load(name).steering.rack_travel.constant)  # type: ignore[union-attr, arg-type]
    rack = side * heavy["Steering_System.Rack_Force"][turning] * radius(name)
    speed = heavy["Steering_Rack_Pinion.pinion_rotational_velocity"][turning]
    damping = (feel.rack_damping * radius(name) ** 2 + feel.damping) * speed
    expected = rack + damping + feel.column_friction + feel.rack_friction * radius(name)
    assert heavy[TORQUE][turning] == pytest.approx(expected, rel=0.01)
    # the effort that the targets were made from, and what it is made of: mostly twist of the contacts
    effort = float(np.abs(heavy["Steering_System.Rack_Force"]).max()) * radius(name)
    assert effort + feel.rack_friction * radius(name) == pytest.approx(feel.parking[0], rel=0.1)
    for wheel, word in (("L1", "Left"), ("R1", "Right")):
        moment = heavy[f"Wheel.Kingpin_Moment.{wheel}"][turning]
        twist = heavy[f"Kingpin_Contribute_Front_{word}.Tire_Force_Mz"][turning]
        assert np.abs(twist).mean() > 0.5 * np.abs(moment).mean()


@EVERY
def test_a_turn_needs_the_effort_of_the_targets(name: str) -> None:
    feel = make_steering.CARS[name]
    run = jn.run(with_steering(name, assist=NOTHING), jn.events.StepSteer())
    torque = float(run[TORQUE][-1])
    assert inside(name, "hand_torque_at_4ms2_unassisted", torque)
    effort = float(np.abs(run["Steering_System.Rack_Force"][-1])) * radius(name)
    assert effort == pytest.approx(feel.road[0], rel=0.03)
    assisted = jn.run(jv.load(name), jn.events.StepSteer())
    # what the hand turns into a curve, friction is on top of, or holds part of it
    rubs = feel.column_friction + feel.rack_friction * radius(name) / (1 + feel.centre[1])
    assert abs(float(assisted[TORQUE][-1]) - feel.road[1]) < rubs


@EVERY
def test_hands_off_it_returns_but_for_what_friction_keeps(name: str) -> None:
    """A steady turn at 100 km/h is let go.

    With a rack that is damped so much that it creeps back without a return, all friction is at its limit at last. What
    the column's friction T keeps in the bar, and the assist A of its twist, hold the rack as well:

        |F_rack| r = F r + T + A(T/K)
    """
    feel = make_steering.CARS[name]
    event = jn.events.SteeringRelease(end_time=14.0)
    ends, held = [], []
    for changes in ({"rack_damping": CREEPS}, {}, {"friction": 1e-3}):
        step = 0.0005 if changes and feel.on == "hydraulic" else 0.001  # lighter without a motor
        run = jn.run(with_steering(name, **changes), event, step=step)  # type: ignore[arg-type]
        before = run.time < 4.9
        angle, yaw = run["driver_demands.steering"], run["chassis_velocities.yaw"]
        ends.append(max(abs(float(x[-1] / x[before][-1])) for x in (angle, yaw)))
        held.append(abs(float(run["Steering_System.Rack_Force"][-1])) * radius(name))
        assert np.abs(run[TORQUE][run.time > 5.05]).max() < 1e-9, "nobody turns it"
    column = feel.column_friction
    limit = feel.rack_friction * radius(name) + column + float(feel.assist(column / feel.stiffness, 2))
    assert held[0] == pytest.approx(limit, rel=0.05)
    assert held[1] < limit and ends[1] < 0.3
    assert ends[2] < 0.01 < ends[1]
