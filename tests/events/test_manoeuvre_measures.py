"""Measures of end conditions against the motion of the car, which the test works out from places and angles alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jounce.files import vdf_schema as schema
from jounce.manoeuvre.measures import MEASURES
from shifting_car import drive

STEP = 1e-3
HEADING = 2.3
PLACE = (70.0, -40.0)
NAMES = list(MEASURES)
GROUPS = [NAMES[k : k + 3] for k in range(0, len(NAMES), 3)]  # a log holds four values
RATE = -0.6  # rad/s, of the hand wheel
CLUTCH = 0.02  # of the pedal: what it does not open yet
FINAL, SECOND, EFFICIENCY, INERTIA = 3.94, 2.05, 0.97, 0.13  # of the car: gears, each of them, of the engine


@pytest.fixture(scope="module")
def run() -> Any:
    """A turn to the right that gets tighter, in second gear; three measures and a time end each stage."""
    signals = {
        "steering": {"kind": "ramp", "slope": RATE, "relative": True}, "throttle": {"kind": "maintain"},
        "braking": 0, "clutch": CLUTCH, "gear": 2,
    }  # fmt: skip
    stages: list[dict[str, Any]] = [{**signals, "name": "in", "throttle": 0.6, "abort_time": 0.8}]
    for k, group in enumerate(GROUPS):
        ends = [{"measure": name, "test": ">", "reference": -1e9, "group": "all"} for name in group]
        ends.append({"measure": "time", "test": ">=", "reference": 0.05, "group": "all"})
        stages.append({**signals, "name": f"m{k}", "ends": ends})
    stages.append({**signals, "name": "out", "abort_time": 0.02})
    return drive(*stages, interval=STEP, x=PLACE[0], y=PLACE[1], heading=HEADING, begin={"speed": 12, "gear": 2})


class Seen:
    """The motion by numerical derivatives of what was recorded of places and angles."""

    def __init__(self, run: Any) -> None:
        self.t = run.time
        self.x, self.y, self.z = (run[f"chassis_displacements.{a}"] for a in ("longitudinal", "lateral", "vertical"))
        self.yaw = np.unwrap(run["chassis_displacements.yaw"])
        self.pitch, self.roll = run["chassis_displacements.pitch"], run["chassis_displacements.roll"]
        self.cx, self.cy = run["Vehicle.CM_Global_X"], run["Vehicle.CM_Global_Y"]

    def rate(self, values: Any) -> Any:
        return np.gradient(values, self.t)

    def ahead(self) -> Any:
        """Forward axis of the chassis: by yaw and pitch, the nose down where pitch is positive."""
        return np.array(
            [np.cos(self.yaw) * np.cos(self.pitch), np.sin(self.yaw) * np.cos(self.pitch), -np.sin(self.pitch)]
        )

    def left(self) -> Any:
        c, s = np.cos, np.sin
        a, b, r = self.yaw, self.pitch, self.roll
        return np.array([c(a) * s(b) * s(r) - s(a) * c(r), s(a) * s(b) * s(r) + c(a) * c(r), c(b) * s(r)])

    def turning(self, axis: int) -> Any:
        """Rate of turning about an axis of the chassis, from the rates of the 3-2-1 angles."""
        da, db, dr = (self.rate(v) for v in (self.yaw, self.pitch, self.roll))
        if axis == 0:
            return dr - da * np.sin(self.pitch)
        return da * np.cos(self.pitch) * np.cos(self.roll) - db * np.sin(self.roll)


def expected(run: Any, name: str, begin: float) -> Any:
    """What a measure is at every row, and how well that is known; ``begin``: when its stage began."""
    m = Seen(run)
    k = int(np.argmin(np.abs(m.t - begin)))
    velocity = np.array([m.rate(v) for v in (m.x, m.y, m.z)])
    acceleration = np.array([m.rate(v) for v in velocity])
    along = np.sum(m.ahead() * velocity, axis=0)
    across = np.sum(m.left() * velocity, axis=0)
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(m.cx), np.diff(m.cy)))])
    c, s = math.cos(HEADING), math.sin(HEADING)
    out = run["driving_machine_monitor.path_s"][0]
    engine = run["Engine.clutch_inputplate_omega"]
    load = (run["Wheel.Drive_Moment.L1"] + run["Wheel.Drive_Moment.R1"]) / (FINAL * SECOND * EFFICIENCY**2)
    values: dict[str, tuple[Any, float]] = {
        "time": (m.t - begin, 1e-9),  # ticks, to the rounding of the clock
        "global_time": (m.t, 1e-9),
        # the way is that of the step before, 14 mm at 14 m/s; of a stretch both ends are late alike
        "traveled_distance": (way - way[k], 2e-3),
        "global_traveled_distance": (way, 0.016),
        # along and across the line that it started on, from the place itself: rounding
        "path_s": (out + c * (m.x - m.x[0]) + s * (m.y - m.y[0]), 1e-6),
        "path_distance": (c * (m.y - m.y[0]) - s * (m.x - m.x[0]), 1e-6),
        # of the centre of gravity, whose speed differs from the forward one by 1 - cos 0.5°, and central differences
        "curvature": (m.rate(m.yaw) / m.rate(way), 2e-5),
        "radius": (m.rate(way) / m.rate(m.yaw), 0.2),
        "gyro_dx": (m.x - m.x[k], 1e-9),
        "gyro_dy": (m.y - m.y[k], 1e-9),
        # central differences over 2 ms, h²/6 of a third derivative below 100/s³
        "velocity": (along, 2e-5),
        "lon_accel": (np.sum(m.ahead() * acceleration, axis=0), 1e-3),
        "lat_accel": (np.sum(m.left() * acceleration, axis=0), 1e-3),
        "yaw_angle": (m.yaw, 1e-9),
        "yaw_rate": (m.turning(2), 2e-5),
        "yaw_accel": (m.rate(m.turning(2)), 1e-3),
        "pitch_angle": (m.pitch, 1e-9),
        "roll_angle": (m.roll, 1e-9),
        "roll_vel": (m.turning(0), 2e-5),
        # in the plane of the chassis here, in that of the road there: pitch and roll of 1° with velocities of 0.1 m/s
        "side_slip_ang": (np.arctan2(across, along), 4e-4),
        "steering_ang": (RATE * m.t, 1e-9),
        "steer_ang_vel": (RATE + 0 * m.t, 1e-9),
        # wheels, gears and a clutch that is closed: it twists by torque over stiffness, which changes slowly
        "engine_speed": (0.5 * (run["Wheel.Omega.L1"] + run["Wheel.Omega.R1"]) * FINAL * SECOND, 0.05),
        "engine_acc": (m.rate(engine), 0.02),
        "engine_torque": (load + INERTIA * m.rate(engine), 0.01),
        "clutch_torque": (load, 1e-6),
        "clutch_demand": (CLUTCH + 0 * m.t, 1e-12),
    }
    return values[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_is_that_of_the_motion(run: Any, name: str) -> None:
    number = next(k for k, group in enumerate(GROUPS) if name in group)
    log = run.metadata["triggers"]
    begin, own = log[number]["time"], log[number + 1]
    k = int(np.argmin(np.abs(run.time - own["time"])))
    values, accuracy = expected(run, name, begin)
    measured = own["tests"][GROUPS[number].index(name)][1]
    assert measured == pytest.approx(values[k], abs=accuracy)
    assert own["phase"] == f"m{number}" and own["time"] == pytest.approx(begin + 0.05, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_has_the_unit_of_its_channel(run: Any, name: str) -> None:
    """In data and in driver files; clock and distances are those of the driver."""
    item = MEASURES[name]
    unit = "s" if item.source else run.unit(item.channel)
    assert item.unit == unit and schema.MEASURES[name.upper()] == unit
