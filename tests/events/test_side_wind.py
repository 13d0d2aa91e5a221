"""Side wind: figures of made-up runs, forces by their closed form, momentum, both sides, another place."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.errors import ParameterError
from jounce.events.library.side_wind import SideWind, of_run
from jounce.results.run import Run

CHANNELS = {
    "System_Mass_Center.Global_X": "m",
    "System_Mass_Center.Global_Y": "m",
    "System_Mass_Center.Tracking_Ay": "m/s2",
    "chassis_velocities.yaw": "rad/s",
    "chassis_displacements.roll": "rad",
}


@lru_cache
def driven(**changes: Any) -> Run:
    return jn.run(jn.load("sedan"), SideWind(**changes))


@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.parametrize("heading", [0.0, 2.3])
def test_figures_of_a_made_up_run(direction: str, heading: float) -> None:
    """At 20 m/s the front axle, 1.3 m before the centre of gravity, meets the fans at 31.3 m after 1.5 s."""
    t = np.arange(0.0, 5.0005, 0.001)
    down = -1.0 if direction == "left" else 1.0
    since = np.maximum(t - 1.5, 0.0)
    aside = down * (0.04 + 0.17 * since**2)  # the offset before the wind does not count
    along = 20.0 * t
    c, s = math.cos(heading), math.sin(heading)
    pulse = np.interp(t, [1.5, 2.1, 4.2, 4.6], [0.0, 1.0, 0.25, 3.0])  # 3.0 is later than 1 s after the wind
    values = {
        "System_Mass_Center.Global_X": 7.0 + c * along - s * aside,
        "System_Mass_Center.Global_Y": -3.0 + s * along + c * aside,
        "System_Mass_Center.Tracking_Ay": down * (0.02 + 1.7 * pulse),
        "chassis_velocities.yaw": down * (0.001 + 0.053 * pulse),
        "chassis_displacements.roll": -down * (0.002 + 0.011 * pulse),
    }
    event = {"kind": "side_wind", "parameters": {
        "entry": [31.3, "m"], "length": [28.0, "m"], "heading": [heading, "rad"], "direction": [direction, ""],
    }}  # fmt: skip
    vehicle = {"name": "made up", "quantities": {"wheelbase": 2.8, "cg_to_rear": 1.5}}
    found = of_run(Run(t, values, CHANNELS, {"event": event, "vehicle": vehicle}))
    # rows and instants fall together: only rounding is left, and the spacing of rows times slope in the course
    assert found["lateral_deviation_2s"][0] == pytest.approx(0.17 * 4.0, rel=1e-9)
    assert found["lateral_deviation"][0] == pytest.approx(0.17 * 3.5**2, rel=1e-9)
    assert found["ay_peak"][0] == pytest.approx(1.7, rel=1e-9)
    assert found["yaw_rate_peak"][0] == pytest.approx(math.degrees(0.053), rel=1e-9)
    assert found["roll_peak"][0] == pytest.approx(math.degrees(0.011), rel=1e-9)
    left = math.degrees(math.atan(2 * 0.17 * 1.4 / 20.0))  # 28 m later
    assert found["course_change"][0] == pytest.approx(left, rel=1e-3)  # a kink at the beginning, a row wide
    assert not found.warnings


def test_a_run_that_ends_in_the_wind_has_no_figures() -> None:
    t = np.arange(0.0, 2.0, 0.01)
    values = dict.fromkeys(CHANNELS, np.zeros_like(t)) | {"System_Mass_Center.Global_X": 20.0 * t}
    event = {"kind": "side_wind", "parameters": {"entry": [20.0, "m"], "length": [28.0, "m"]}}
    found = of_run(Run(t, values, CHANNELS, {"event": event}))
    assert all(math.isnan(value) for value, _ in found.values()) and "before the end of the fans" in found.warnings[0]


def test_both_sides_and_another_place_are_one() -> None:
    """The model is even and sees no heading: what is left is rounding, grown by the motion."""
    here, there = driven(), driven(direction="right", heading=0.7, x=120.0, y=-45.0)
    assert here.complete and set(here.kpis) == set(there.kpis)
    for name, (value, _) in here.kpis.items():
        assert there.kpis[name][0] == pytest.approx(value, rel=1e-8) and value > 0
    assert here["System_Mass_Center.Global_Y"][-1] < -1.0  # wind from the left pushes to the right
    assert not any("those of a usual car" in text for text in here.warnings), "the library's cars have their own"


def test_forces_are_those_of_the_formula_and_move_the_car() -> None:
    run = driven()
    u, v = run["aero_forces.longitudinal_velocity"], run["aero_forces.lateral_velocity"]
    beta, q = np.arctan2(v, u), 0.5 * 1.2 * (u**2 + v**2)
    full = (run["System_Mass_Center.Global_X"] > 32.0 + 1.5) & (run["System_Mass_Center.Global_X"] < 57.0)
    assert v[full] == pytest.approx(20.0, abs=1.0) and np.count_nonzero(full) > 50
    # the coefficients are straight between points 5 deg apart: below the sine by at most (0.087)²/8, 0.1 %
    side = -q * 2.2 * 2.3 * np.sin(beta)
    assert run["aero_forces.center_sideforce"][full] == pytest.approx(side[full], rel=0.01)
    wheelbase = run.quantity("wheelbase")
    yaw = -q * 2.2 * wheelbase * 0.5 * 0.45 * np.sin(2 * beta)
    assert run["aero_forces.yaw_torque"][full] == pytest.approx(yaw[full], rel=0.02)  # twice the angle: four times that
    before = run.time < 0.8
    assert run["aero_forces.drag_force"][before] == pytest.approx((0.6 * q)[before], rel=1e-6)  # as in the car's file
    assert run["aero_forces.front_downforce"][before] == pytest.approx((-0.05 * q)[before], rel=1e-6)
    assert run["aero_forces.rear_downforce"][before] == pytest.approx((-0.07 * q)[before], rel=1e-6)
    # momentum across the car; wheels are turned by half a degree at most, with 150 N each along them
    tires = sum(run[f"Tire.Ground_Surface_Force_Y.{wheel}"] for wheel in ("L1", "R1", "L2", "R2"))
    moved = run.quantity("mass") * run["System_Mass_Center.Tracking_Ay"]
    assert moved[full] == pytest.approx((run["aero_forces.center_sideforce"] + tires)[full], abs=0.01 * 2058)


def test_side_forces_of_the_car_are_taken_where_it_has_them() -> None:
    aero = {
        "kind": "wind_tunnel", "frontal_area": 2.2, "drag": 0.27, "front_lift": 0.0, "rear_lift": 0.0,
        "side": {"x": [-1.0, 0.0, 1.0], "y": [0.9, 0.0, -0.9]}, "yaw": {"x": [-1.0, 0.0, 1.0], "y": [0.1, 0.0, -0.1]},
    }  # fmt: skip
    car = jn.load("sedan").with_(aero=aero)
    run = jn.run(car, SideWind(wind=11.0))
    inside = run["System_Mass_Center.Global_X"] > 40
    peak = np.abs(run["aero_forces.center_sideforce"][inside]).max()
    beta = math.atan2(11.0, 100 / 3.6)
    assert peak == pytest.approx(0.5 * 1.2 * 2.2 * (11.0**2 + (100 / 3.6) ** 2) * 0.9 * beta, rel=0.03)
    assert not any("usual car" in text for text in run.warnings)
    with pytest.raises(ParameterError, match="side-wind: the usual side forces go with the standard model"):
        jn.run(car, SideWind(air="usual"))


def test_three_numbers_say_the_side_forces_of_a_car_and_change_no_other_run() -> None:
    car = jn.load("sedan").with_(**{"aero.crosswind": {"frontal_area": 1.9, "side_slope": 3.1, "yaw_slope": 0.3}})
    run = jn.run(car, SideWind())
    u, v = run["aero_forces.longitudinal_velocity"], run["aero_forces.lateral_velocity"]
    beta, q = np.arctan2(v, u), 0.5 * 1.2 * (u**2 + v**2)
    full = (run["System_Mass_Center.Global_X"] > 33.5) & (run["System_Mass_Center.Global_X"] < 57.0)
    side, yaw = -q * 1.9 * 3.1 * np.sin(beta), -q * 1.9 * run.quantity("wheelbase") * 0.5 * 0.3 * np.sin(2 * beta)
    assert run["aero_forces.center_sideforce"][full] == pytest.approx(side[full], rel=2e-3)
    assert run["aero_forces.yaw_torque"][full] == pytest.approx(yaw[full], rel=6e-3)
    assert run["aero_forces.drag_force"][run.time < 0.8] == pytest.approx((0.6 * q)[run.time < 0.8], rel=1e-6)
    none = jn.load("sedan").with_(**{"aero.crosswind": None})
    usual = jn.run(none, SideWind())
    assert any("those of a usual car" in text for text in usual.warnings)
    event = events.StepSteer(amplitude=0.3, end_time=1.5)
    one, other = jn.run(car, event), jn.run(none, event)
    for name in ("yaw_rate", "lateral_acceleration", "forward_speed"):
        assert np.array_equal(one.signal(name), other.signal(name))


def test_what_feels_no_side_wind_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"kind standard\) says nothing of side forces"):
        jn.run(jn.load("sedan").with_(**{"aero.crosswind": None}), SideWind(air="own"))
    with pytest.raises(ParameterError, match="no aerodynamics"):
        jn.run(jn.load("sedan").with_(aero=None), SideWind())
    assert events.find("side-wind") is SideWind


@pytest.mark.slow
def test_a_driver_keeps_the_car_nearer_to_its_line() -> None:
    held, kept = driven(), driven(straight_line=True)
    assert kept.complete and kept.kpis["lateral_deviation"][0] < 0.1 * held.kpis["lateral_deviation"][0]
    assert kept.signal("steering").max() > 0.01  # against the wind from the left
