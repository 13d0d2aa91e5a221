"""Figures that events take from the channels of a run: exact values of signals made for them, to both sides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from jounce.events.library import (
    hill_start,
    manoeuvre,
    misuse,
    parking_manoeuvre,
    sine_steer,
    sine_with_dwell,
    turning_circle,
)
from jounce.events.parking_plan import Box
from jounce.results.figures import Figures
from jounce.results.key_figures import posts
from jounce.results.key_figures.cones import _peaks
from jounce.results.run import Run
from jounce.vehicle.size import Size
from result_runs import DEG, value

T = np.arange(0.0, 6.0, 0.01)


def recorded(channels: Mapping[str, tuple[Any, str]], metadata: Mapping[str, Any] | None = None, **event: Any) -> Run:
    values = {name: np.broadcast_to(np.asarray(item[0], dtype=float), T.shape) for name, item in channels.items()}
    about = {"event": {"kind": "made", "parameters": event}, **(metadata or {})}
    return Run(T, values, {name: unit for name, (_, unit) in channels.items()}, about)


@pytest.mark.parametrize(("direction", "way"), [("forward", 1.0), ("backward", -1.0)])
def test_spin_and_the_slowest_engine_of_a_hill_start(direction: str, way: float) -> None:
    start, rate = 0.8, 2.1
    v = way * rate * np.maximum(T - start, 0.0)
    tires = {"L1": 0.03, "R1": -0.05, "L2": 0.011, "R2": -0.007}
    slips = {hill_start.SLIP.format(name): (slip, "-") for name, slip in tires.items()}
    engine = 90.0 + 5.0 * (T - 3.0) ** 2
    channels = {hill_start.SPEED: (v, "m/s"), hill_start.ENGINE: (engine, "rad/s"), **slips}
    found = hill_start.of_run(recorded(channels, start_time=[start, "s"], direction=direction))
    assert found["spin_peak"] == (pytest.approx(0.05 * rate * (T[-1] - start)), "m/s")
    assert found["engine_least"] == (pytest.approx(90.0 * 30 / math.pi), "rpm")


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_run_over_obstacles(side: float) -> None:
    channels = {
        misuse.X: (5.0 + 12.0 * T, "m"),
        misuse.ROLL: (side * 0.02 * np.sin(math.pi * T / T[-1]) + 0.001, "rad"),
        misuse.SPEED: (12.0 - 0.5 * T, "m/s"),
        "Tire.Ground_Surface_Force_Z.L1": (3000 + 100 * T, "N"),
        "Tire.Ground_Surface_Force_Z.R2": (4100 - 100 * T, "N"),
    }
    found = misuse.of_run(recorded(channels, {"misuse": {"braking_from": 2.5, "obstacle": 60.0}}))
    assert value(found, "roll_peak") == pytest.approx((0.02 + side * 0.001) / DEG, rel=1e-4)
    assert value(found, "distance") == pytest.approx(12.0 * T[-1])
    assert value(found, "end_speed") == pytest.approx(3.6 * (12 - 0.5 * T[-1]))
    assert found["load_peak"] == (pytest.approx(4.1), "kN")
    assert value(found, "braking_distance_left") == pytest.approx(60.0 - 35.0)


def test_a_manoeuvre_has_its_length_and_stages() -> None:
    run = recorded({"driver.distance": (3.0 + 7.0 * T, "m")}, {"triggers": [{"next": "a"}, {"next": "b"}]})
    found = manoeuvre.of_run(run)
    assert value(found, "duration") == pytest.approx(T[-1]) and value(found, "stages_ended") == 2.0
    assert value(found, "distance") == pytest.approx(3.0 + 7.0 * T[-1])


@pytest.mark.parametrize("heading", [0.0, 1.9])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_car_in_its_space(side: float, heading: float) -> None:
    """It goes straight into the middle of a space, 0.1 m too far to one side and turned by a degree."""
    c, s = math.cos(heading), math.sin(heading)

    def at(ahead: Any, left: Any) -> tuple[Any, Any]:
        return 7.0 + c * ahead - s * left, -3.0 + s * ahead + c * left

    def box(ahead: float, left: float, length: float, width: float) -> dict[str, float]:
        x, y = at(ahead, left)
        return asdict(Box(x, y, heading, length, width))

    size = Size(0.9, 3.8, 1.8)
    x, y = at(-10.0 + 10.0 * T / T[-1] + 1.45, side * 0.1)  # the middle of the body lies 1.45 m behind its origin
    turn = side * np.where(T[-1] > T, 0.0, DEG)
    hand = side * 0.4 * np.sin(2 * math.pi * T / T[-1])
    channels = {
        parking_manoeuvre.X: (x, "m"),
        parking_manoeuvre.Y: (y, "m"),
        parking_manoeuvre.YAW: (heading + turn, "rad"),
        "driver_demands.steering": (hand, "rad"),
        "Steering_System.Steering_Wheel_Torque": (3.0 * np.sign(hand) - 0.5 * hand, "N.m"),
    }
    space, wall = box(0.0, 0.0, 5.2, 2.4), box(0.0, side * 2.2, 5.2, 2.0)
    kept = {"space": space, "around": [wall], "size": asdict(size), "legs": ["in"], "lane": heading}
    found = parking_manoeuvre.of_run(recorded(channels, {"parking_space": kept, "triggers": [{"next": "in"}]}))
    assert (value(found, "space_length"), value(found, "space_width")) == (5.2, 2.4)
    assert value(found, "duration") == pytest.approx(T[-1])
    assert value(found, "end_angle") == pytest.approx(side * 1.0)
    # turned about the origin by a degree: its middle swings aside by 1.45 m sin 1 deg
    aside, half, wide = 0.1 - 1.45 * math.sin(DEG), 2.35, 0.9
    ahead = 1.45 * (1 - math.cos(DEG))
    assert value(found, "end_offset") == pytest.approx(max(aside, ahead), abs=1e-9)
    across = aside + half * math.sin(DEG) + wide * math.cos(DEG)
    assert value(found, "room") == pytest.approx(
        min(1.2 - across, 2.6 - ahead - half * math.cos(DEG) - wide * math.sin(DEG)), abs=1e-9
    )
    assert value(found, "least_clearance") == pytest.approx(1.2 - max(across, 1.0), abs=1e-9)
    assert value(found, "steering_travel") == pytest.approx(4 * 0.4 / DEG, rel=1e-3)
    assert found["hand_torque_max"] == (pytest.approx(float(np.max(np.abs(3.0 * np.sign(hand) - 0.5 * hand)))), "N.m")
    # 3 N.m less half a newton metre per radian, over four quarters of 0.4 rad
    assert value(found, "hand_work") == pytest.approx(4 * (3.0 * 0.4 - 0.25 * 0.4**2), rel=5e-3)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_what_a_sine_with_dwell_was_driven_with(side: float) -> None:
    wave = np.sin(2 * math.pi * 0.7 * np.clip(T - 1.0, 0.0, 1 / 0.7))
    channels = {
        "driver_demands.steering": (side * 2.0 * wave, "rad"),
        "chassis_velocities.yaw": (side * 0.4 * wave, "rad/s"),
        "System_Mass_Center.Speed": (25.0 - 0.7 * T, "m/s"),
    }
    event = {"gain": [5.5, "-"], "steering_at_nominal": [31.0, "deg"], "start_time": [1.0, "s"]}
    found = sine_with_dwell.of_run(recorded(channels, **event))
    assert value(found, "steering_gain") == 5.5
    assert value(found, "steering_at_nominal") == pytest.approx(31.0)
    assert found["speed_at_steer"] == (pytest.approx(3.6 * 24.3), "km/h")


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_gain_and_phase_of_a_lasting_sine(side: float) -> None:
    w, t = 2 * math.pi * 0.8, T - 1.0
    channels = {
        "driver_demands.steering": (0.2 * np.sin(w * t), "rad"),
        "chassis_velocities.yaw": (side * 0.07 * np.sin(w * t - 0.5), "rad/s"),
        "System_Mass_Center.Tracking_Ay": (side * 1.4 * np.sin(w * t - 0.9), "m/s2"),
        "chassis_displacements.roll": (-side * 0.03 * np.sin(w * t + 0.3), "rad"),
    }
    found = sine_steer.of_run(recorded(channels, frequency=[0.8, "Hz"], start_time=[1.0, "s"]))
    turned = math.remainder(0.0 if side > 0 else 180.0, 360.0)
    for name, gain, lag in (("yaw_rate", 0.35, -0.5), ("ay", 7.0, -0.9)):
        assert value(found, f"{name}_gain") == pytest.approx(gain, rel=1e-9)
        assert math.remainder(value(found, f"{name}_phase") - lag / DEG - turned, 360) == pytest.approx(0.0, abs=1e-6)
    assert value(found, "roll_gain") == pytest.approx(0.15, rel=1e-9)
    assert math.remainder(value(found, "roll_phase") - 0.3 / DEG - turned - 180, 360) == pytest.approx(0.0, abs=1e-6)


def test_tracking_errors_of_posts_are_told_by_wheel() -> None:
    found = posts.of_run(
        recorded({"driver.distance": (T, "m")}, {"seven_post": {"by_wheel": {"L1": 0.02, "R2": 0.03}}})
    )
    assert found["tracking_error"] == (3.0, "%")
    assert (value(found, "tracking_error_L1"), value(found, "tracking_error_R2")) == (2.0, 3.0)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_inner_and_outer_wheel_of_a_turning_circle(side: float) -> None:
    inner, outer = 0.61, 0.47
    angles = (inner, outer) if side > 0 else (-outer, -inner)
    channels = {turning_circle.STEER.format(name): (a, "rad") for name, a in zip(("L1", "R1"), angles, strict=True)}
    yaw = side * 1.5 * T
    channels |= {turning_circle.PLACE.format("X", name): (np.cos(yaw), "m") for name in ("L1", "R1")}
    channels |= {turning_circle.PLACE.format("Y", name): (np.sin(yaw), "m") for name in ("L1", "R1")}
    channels |= {"chassis_displacements.yaw": (yaw, "rad"), "System_Mass_Center.Global_X": (np.cos(yaw), "m")}
    channels |= {"System_Mass_Center.Global_Y": (np.sin(yaw), "m")}
    found = turning_circle.of_run(recorded(channels, {"turning_circle": {"lock": 8.2}}))
    assert value(found, "steer_angle_inner") == pytest.approx(inner / DEG)
    assert value(found, "steer_angle_outer") == pytest.approx(outer / DEG)
    assert value(found, "steering_turns") == pytest.approx(8.2 / math.pi)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_peaks_between_cones(side: float) -> None:
    hand = side * 0.8 * np.sin(1.1 * T)
    channels = {
        "driver_demands.steering": (hand, "rad"),
        "System_Mass_Center.Tracking_Ay": (side * (2.0 - 9.0 * np.exp(-((T - 3) ** 2))), "m/s2"),
        "System_Mass_Center.Side_Slip_Angle": (side * (0.01 - 0.07 * np.exp(-((T - 3) ** 2))), "rad"),
    }
    figures = Figures()
    _peaks(figures, recorded(channels))
    assert value(figures, "steering_peak") == pytest.approx(0.8 / DEG, rel=1e-4)
    # central differences of a sine: (w h)²/6 less
    assert figures["steering_rate_peak"] == (pytest.approx(0.8 * 1.1 / DEG, rel=3e-5), "deg/s")
    assert value(figures, "lateral_acceleration_peak") == pytest.approx(7.0)
    assert value(figures, "side_slip_peak") == pytest.approx(0.06 / DEG)
