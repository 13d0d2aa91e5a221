"""Guidance of the wheels by their maps: places, jacking, inertia, scales, beam axles; levels of fidelity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from cars import rolling
from four_wheels import CORNERS
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from lagrange_car import LagrangeCar, anywhere, residual
from polynomial_cars import (
    ANGLE,
    ANGLED,
    BEAM,
    TRAVEL,
    WORDS,
    Array,
    dependent_guide,
    independent_guide,
    pose,
    put,
    rack,
    rig,
    silent,
    table,
)

SWEEP = [
    ({"L1": 0.05, "R1": -0.03, "L2": 0.07, "R2": -0.06}, 0.0), ({"L1": -0.07, "R1": 0.04, "L2": -0.02}, 3.1),
    ({"L1": 0.02, "R1": 0.08, "R2": 0.09}, -6.3), ({}, 0.0), ({"R1": -0.05, "R2": 0.03}, 5.2),
]  # fmt: skip


@pytest.mark.parametrize("which", ["independent", "dependent"])
def test_a_sweep_on_the_rig_returns_the_maps(which: str, request: pytest.FixtureRequest) -> None:
    vehicle = request.getfixturevalue(which)
    guide = independent_guide if which == "independent" else dependent_guide
    sim = rig(vehicle)
    for travel, angle in SWEEP:
        put(sim, travel)
        sim.set_inputs({"steering_wheel": angle})
        for place, (axle, side) in CORNERS.items():
            other = travel.get(("R" if side == "L" else "L") + place[1], 0.0)
            own = travel.get(place, 0.0)
            expected = guide(place, own, other, angle)
            assert pose(sim, place) == pytest.approx(expected, abs=1e-12), (place, travel, angle)
            # where the wheel is in the world: the chassis is at design
            where = np.add(vehicle.wheel_centre(axle, side), [expected[0], expected[1], own])
            found = [sim.output(f"Wheel.Global_{a}.{place}") for a in "XYZ"]
            assert found == pytest.approx(list(where), abs=1e-12)
            # signs: toe-in and steer to the left are one angle, ψ = −toe on the left, +toe on the right
            toe = sim.output(f"wheel_angles.toe_{place}")
            assert toe == pytest.approx((-1.0 if side == "L" else 1.0) * expected[2], abs=1e-12)
    assert sim.output("Steering_System.Rack_Displacement") == pytest.approx(
        rack(SWEEP[-1][1]) if which == "independent" else 0.05 / (2 * math.pi) * SWEEP[-1][1], abs=1e-12
    )


def test_the_other_wheel_leaves_an_independent_wheel_alone(independent: jv.Vehicle, dependent: jv.Vehicle) -> None:
    for vehicle, moves in ((independent, False), (dependent, True)):
        sim = rig(vehicle)
        for place, paired in (("L1", "R1"), ("R2", "L2")):
            put(sim, {place: 0.03})
            before = pose(sim, place)
            put(sim, {place: 0.03, paired: 0.06})
            assert (pose(sim, place) != before) is moves


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("which", ["independent", "dependent"])
def test_jacking_and_inertia_of_guided_carriers(which: str, number: int, request: pytest.FixtureRequest) -> None:
    """Lagrange's equations with the same maps: first and second derivatives, coupling of the two wheels of an axle,
    rate and acceleration of the steering, hub motors or shafts."""
    vehicle = request.getfixturevalue(which)
    own = which == "independent"
    sim = car.simulation(vehicle)
    silent(sim)
    lagrange = LagrangeCar(vehicle, independent_guide if own else dependent_guide)
    anywhere(sim, number)
    inputs = {"steering_wheel": 2.5, "steering_wheel.rate": -5.0, "throttle": 0.6, "brake": 0.1}
    if own:
        inputs["steering_wheel.acceleration"] = 30.0
    sim.set_inputs(inputs)
    assert residual(sim, lagrange, shaft=not own, acceleration=30.0 if own else 0.0) < 1e-9
    # and each of these parts is there: without it the equations do not hold
    assert residual(sim, lagrange, shaft=own, acceleration=30.0 if own else 0.0) > 1e-6
    if own:
        assert residual(sim, lagrange, shaft=False, acceleration=0.0) > 1e-6


def test_scale_factors_of_maps_act_in_position_and_jacking(independent: jv.Vehicle) -> None:
    factors = {"x": 1.5, "y": 0.6, "toe": 2.0, "camber": 1.4, "side_view_angle": 0.3}
    vehicle = independent.with_(**{f"rear_suspension.{n}.scale": f for n, f in factors.items()})

    def guide(place: str, j: Any, other: Any, angle: Any) -> tuple[Any, ...]:
        found = independent_guide(place, j, other, angle)
        if place.endswith("1"):
            return found
        return tuple(f * value for f, value in zip(factors.values(), found, strict=True))

    sim = car.simulation(vehicle)
    silent(sim)
    lagrange = LagrangeCar(vehicle, guide)
    anywhere(sim, 7)
    assert residual(sim, lagrange, shaft=False) < 1e-9
    put(sim, {"L2": 0.05})
    assert pose(sim, "L2") == pytest.approx(guide("L2", 0.05, 0.0, 0.0), abs=1e-12)
    # offsets are alignment: they are added to what is scaled
    added = {"x": 0.0, "y": 0.0, "toe": 0.007, "camber": -0.011, "side_view_angle": 0.0}
    offsets = {f"rear_suspension.{n}.offset": value for n, value in added.items() if value}
    moved = []
    for plain in (independent, vehicle):
        poses = []
        for changes in ({}, offsets):
            other = car.simulation(plain.with_(**changes))
            silent(other)
            put(other, {"L2": 0.05})
            poses.append(np.array(pose(other, "L2")))
        moved.append(poses[1] - poses[0])
    assert np.abs(moved[0]) == pytest.approx(np.abs(list(added.values())), abs=1e-12)
    assert moved[1] == pytest.approx(moved[0], abs=1e-12)


def test_velocity_of_the_hub_differentiated_is_its_acceleration(independent: jv.Vehicle) -> None:
    """On a run with steering and travel; sizes are compared, as one channel is in carrier and one in world axes."""
    # a torsion bar with preload: travels stay within the tables, at whose ends second derivatives jump
    sim = car.simulation(independent.with_(**{"rear_suspension.spring.preload": 560.0}), method="AM-4")
    rolling(sim, 20.0)
    steer = Open("steering_wheel", Ramp(3.0, 0.3, start=0.0, smooth=True))
    run = sim.run(program=Program(Phase("steer", [steer], duration=0.3)), interval=0.001, step=0.0005)
    for place in ("L1", "R1", "L2"):
        v = np.array([run[f"Wheel.Global_V{a}.{place}"] for a in "xyz"])
        told = np.linalg.norm([run[f"Wheel.hub_center_acc{a}.{WORDS[place]}"] for a in "xyz"], axis=0)
        # five points: the error is h⁴ v⁽⁵⁾/30, wheel hop of some 80 rad/s
        found = (v[:, :-4] - 8 * v[:, 1:-3] + 8 * v[:, 3:-1] - v[:, 4:]) / (12 * 0.001)
        late = slice(100, None)  # the jolt of the start has frequencies of its own
        peak = told[2:-2][late].max()
        assert np.abs(np.linalg.norm(found, axis=0) - told[2:-2])[late].max() < 1e-4 * peak


def test_wheels_of_a_beam_axle_lean_together(dependent: jv.Vehicle) -> None:
    sim = rig(dependent)
    put(sim, {"L2": 0.05, "R2": -0.03})
    lean = math.atan(0.08 / BEAM)  # left up: about +x
    assert sim.output("wheel_angles.camber_L2") == pytest.approx(-lean, abs=1e-6)
    assert sim.output("wheel_angles.camber_R2") == pytest.approx(lean, abs=1e-6)


def test_energy_of_a_beam_axle_in_the_air(dependent: jv.Vehicle) -> None:
    """Kinetic energy by Lagrange's T, gravity, rear springs: what one loses the others gain."""
    vehicle = dependent
    sim = rig(vehicle)
    silent(sim)
    # without preload, so that the wheels stay on their maps
    sim.set_parameters({f"{c}.spring.scale": 1.5 for c in ("L2", "R2")} | {"ground.height": -100.0})
    sim.set_parameters({f"{c}.spring.at_design": 0.0 for c in ("L2", "R2")})
    put(sim, {"L2": 0.04, "R2": -0.05}, {"L2": 0.5, "R2": 0.3})
    sim.set_states({"chassis.wx": 0.8, "chassis.wy": 0.3, "chassis.wz": -0.6})
    sim.set_states({f"{c}.wheel.spin": 40.0 for c in CORNERS})
    lagrange = LagrangeCar(vehicle, dependent_guide)
    spring = vehicle.rear_suspension.spring
    assert spring is not None and spring.rate is not None and spring.ratio.constant is not None

    def energy() -> tuple[float, float]:
        q, v = lagrange.coordinates(sim)
        stored = 0.0
        for place in ("L2", "R2"):
            c = sim.parameter(f"{place}.spring.at_design") + spring.ratio.constant * sim.state(f"{place}.jounce")
            stored += 1.5 * spring.rate * c * c / 2
        return float(lagrange.value(lagrange.energy + lagrange.potential, q, v)[0, 0]) + stored, stored

    (before, stored), moved = energy(), []
    for _ in range(10):
        sim.run(sim.time + 0.05, method="AM-4", step=0.0005)
        after, now = energy()
        moved.append(abs(now - stored))
        assert after == pytest.approx(before, abs=1e-7 * stored)
    assert max(moved) > 0.3 * stored, "the springs work"


def common_state(sim: Simulation) -> Array:
    anywhere(sim, 3)
    sim.set_states({"chassis.z": 0.9})
    sim.set_inputs({"steering_wheel": 1.5, "steering_wheel.rate": 2.0, "throttle": 0.3})
    return sim.derivatives()[0]


def test_without_compliance_the_kinematic_level_is_the_full_one(plain_car: jv.Vehicle) -> None:
    """Also: maps of the wheel location over steering count for nothing when their switch is off."""
    by_steering = {f"steering.{n}": table(f, ANGLE, TRAVEL) for n, f in ANGLED.items() if n in ("x", "y")}
    other = plain_car.with_(**by_steering, **{"system.simplified_model": 2})
    assert not other.steering.steering_dependent_wheel_location
    full, kinematic = (common_state(car.simulation(v, ground="inclined")) for v in (plain_car, other))
    assert kinematic == pytest.approx(full, rel=1e-9, abs=1e-9)


def test_wheels_of_the_simplified_level_move_straight_up(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car.with_(**{"system.simplified_model": 1}), ground="inclined")
    sim.set_inputs({"steering_wheel": 2.0})
    put(sim, {"L1": 0.06, "R1": -0.04, "L2": 0.05, "R2": 0.02})
    for place, (axle, side) in CORNERS.items():
        steer = 0.0645 * 2.0 if axle == 1 else 0.0
        assert pose(sim, place) == pytest.approx((0.0, 0.0, steer, 0.0, 0.0), abs=1e-12)
        found = [sim.output(f"Wheel.Global_{a}.{place}") for a in "XYZ"]
        where = np.add(plain_car.wheel_centre(axle, side), [0.0, 0.0, sim.state(f"{place}.jounce")])
        assert found == pytest.approx(list(where), abs=1e-12)
