"""Steering maps of cars whose maps are polynomials: input by angle and by rack, ratio, sums with toe."""

from __future__ import annotations

import math

import pytest

import jounce.vehicle as jv
from jounce.components.steering.steering import Steering
from jounce.runtime.simulation import Library, Simulation
from jounce.sim import car
from polynomial_cars import ANGLE, pose, put, rack, rig, table
from steered_cars import DATA, RACK, carrier_pose, rack_at, shift, steer_at, turned


def test_a_rack_that_moves_the_other_way_still_steers_left(independent: jv.Vehicle) -> None:
    sim = rig(independent)
    sim.set_inputs({"steering_wheel": 4.0})
    assert sim.output("Steering_System.Rack_Displacement") == pytest.approx(rack(4.0), abs=1e-12) and rack(4.0) < 0
    assert sim.output("Wheel.Spindle_Steer.L1") > 0.1 and sim.output("Wheel.Spindle_Steer.R1") > 0.1


def test_input_by_hand_wheel_or_by_rack_gives_the_same_angles(independent: jv.Vehicle, dependent: jv.Vehicle) -> None:
    """The same steering entered over rack travel with τ(ζ), and over ζ itself."""
    by_rack = rig(independent.with_(**{"steering.rack_travel": table(lambda a: -0.008 * a, ANGLE)}))
    by_wheel = rig(dependent)
    for angle in (-7.0, -2.0, 0.5, 6.0):
        for sim in (by_rack, by_wheel):
            sim.set_inputs({"steering_wheel": angle})
        for place in ("L1", "R1"):
            here, there = (sim.output(f"Wheel.Spindle_Steer.{place}") for sim in (by_rack, by_wheel))
            assert here == pytest.approx(there, abs=1e-12) and abs(here) > 0.01


def test_the_ratio_scale_divides_the_angle(independent: jv.Vehicle) -> None:
    sim, scaled = rig(independent), rig(independent.with_(**{"steering.gear_ratio_scale": 2.0}))
    sim.set_inputs({"steering_wheel": 2.5})
    scaled.set_inputs({"steering_wheel": 5.0})
    for place in ("L1", "R1"):
        assert pose(scaled, place) == pytest.approx(pose(sim, place), abs=1e-14)


def test_steer_and_toe_tables_add_up(plain_car: jv.Vehicle) -> None:
    """δ = δ(u) − toe(J) on the left, + toe(J) on the right, and camber and the like from the suspension."""
    sim = car.simulation(plain_car, ground="inclined")
    sim.set_inputs({"steering_wheel": 1.2})
    suspension = plain_car.front_suspension
    for travel in (-0.05, 0.0, 0.04):
        put(sim, {"L1": travel, "R1": travel})
        toe = suspension.toe.offset + suspension.toe.curve(travel)
        assert travel == 0.0 or abs(toe) > 1e-4
        assert sim.output("Wheel.Spindle_Steer.L1") == pytest.approx(0.0645 * 1.2 - toe, abs=1e-12)
        assert sim.output("Wheel.Spindle_Steer.R1") == pytest.approx(0.0645 * 1.2 + toe, abs=1e-12)
        camber = suspension.camber.offset + suspension.camber.curve(travel)
        assert sim.output("wheel_angles.camber_L1") == pytest.approx(camber, abs=1e-12)
        assert sim.output("wheel_angles.camber_R1") == pytest.approx(camber, abs=1e-12)
        assert sim.output("Wheel.wheel_center_dispy.front_left") == pytest.approx(0.08 * travel, abs=1e-12)
        assert sim.output("Wheel.wheel_center_dispy.front_right") == pytest.approx(-0.08 * travel, abs=1e-12)


def test_a_sweep_of_the_model_returns_the_maps(working: Library) -> None:
    sim = Simulation(working)
    for angle in (-0.2, 0.1, 0.25):
        u = rack_at(angle)
        sim.set_inputs({"steering_wheel": u / RACK * 2 * math.pi})
        for travel in (-0.05, 0.0, 0.03):
            sim.set_states({"L1.jounce": travel, "R1.jounce": travel})
            r, moved = turned(angle), shift(angle)
            expected = steer_at(math.atan2(-r[0, 1], r[1, 1]), u, travel)
            assert sim.output("Wheel.Spindle_Steer.L1") == pytest.approx(expected, abs=1e-9)
            assert math.sin(sim.output("wheel_angles.camber_L1")) == pytest.approx(-r[2, 1], abs=1e-9)
            assert math.tan(sim.output("wheel_angles.caster_L1")) == pytest.approx(r[2, 0] / r[2, 2], abs=1e-9)
            found = [sim.output(f"Wheel.wheel_center_disp{a}.front_left") for a in "xyz"]
            assert found == pytest.approx([moved[0], moved[1], travel], abs=1e-9)


RATES = {
    "front_suspension.toe": 0.3,
    "front_suspension.camber": {"rate": -0.2, "offset": -0.01},
    "steering.camber": 0.02,
    "steering.x": 0.001,
    "steering.y": 0.002,
}


def test_steering_by_angle_and_by_rack_are_the_same() -> None:
    car = jv.load(DATA).with_(**RATES)
    per_rack = 2 * math.pi / 0.05
    raw = {"input": "rack_travel", "rack_travel": "50 mm/rev", "steer": 0.0645 * per_rack, "camber": 0.02 * per_rack}
    other = car.with_(steering=Steering.model_validate(raw))
    state = {"steering_wheel": 1.2, "L1.jounce": 0.03, "R1.jounce": -0.02}
    for place in ("L1", "R1"):
        assert carrier_pose(other, place, **state)[1] == pytest.approx(carrier_pose(car, place, **state)[1], abs=1e-15)


def test_the_scale_of_the_gear_divides_and_toe_is_added_by_side() -> None:
    car = jv.load(DATA).with_(**{**RATES, "steering.camber": None, "front_suspension.camber": 0.0})
    state = {"steering_wheel": 1.2, "L1.jounce": 0.03, "R1.jounce": 0.03}
    for scale in (1.0, 2.0):
        scaled = car.with_(**{"steering.gear_ratio_scale": scale})
        for place, side in (("L1", -1.0), ("R1", 1.0)):
            r = carrier_pose(scaled, place, **state)[1]
            steer = 0.0645 * 1.2 / scale + side * 0.3 * 0.03
            assert math.atan2(-r[0, 1], r[1, 1]) == pytest.approx(steer, abs=1e-15)


def test_wheel_location_by_the_steering_only_where_it_is_asked_for() -> None:
    state = {"steering_wheel": 1.2, "L1.jounce": 0.03}
    car = jv.load(DATA).with_(**RATES)
    by_suspension = [0.03 * 0.03, 0.08 * 0.03]
    assert carrier_pose(car, "L1", **state)[0] == pytest.approx(by_suspension, abs=1e-15)
    asked = car.with_(**{"steering.steering_dependent_wheel_location": True})
    assert carrier_pose(asked, "L1", **state)[0] == pytest.approx([0.0012, 0.0024], abs=1e-15)
