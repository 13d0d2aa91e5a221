"""Stories of brakes: a car on ice under one side, with and without anti-lock control."""

from __future__ import annotations

import numpy as np
import pytest

import jounce as jn
from jounce import events

WHEELS = ("L1", "R1", "L2", "R2")
LANE, WIDTH = 3.5, 1.85  # m, of the lane and the car


@pytest.mark.slow
def test_on_a_road_that_is_ice_on_one_side_a_car_spins_without_and_stops_in_its_lane_with_abs() -> None:
    """From 80 km/h, friction 1 on the left and 0.2 on the right: locked wheels and 45° of yaw, or none of both."""
    car = jn.load("sedan").with_(**{"brakes.abs": None})
    off, on = (
        jn.run(car, events.StraightBraking(road="mu_split", x=55.0, speed=80 / 3.6, controller=name, end_time=30.0))
        for name in ("", "hydraulic_abs")
    )
    yaw = [np.degrees(np.abs(run["chassis_displacements.yaw"])).max() for run in (off, on)]
    assert yaw[0] > 45.0 and yaw[1] < 5.0
    for run, locks in ((off, True), (on, False)):
        v = np.hypot(run["chassis_velocities.longitudinal"], run["chassis_velocities.lateral"])
        rows = (v > 2.0) & (run.time > 1.3)
        slowest = [np.abs(run[f"Wheel.Omega.{w}"][rows]).min() for w in WHEELS]
        assert max(slowest) < 0.05 if locks else min(slowest) > 1.0
    aside = on["chassis_displacements.lateral"]
    assert on.complete and np.abs(aside - aside[0]).max() < 0.5 * (LANE - WIDTH)
    braking = (on.time > 1.3) & (on["chassis_velocities.longitudinal"] > 4.0)
    for wheel in WHEELS:
        share = on[f"ABS_Valve.{wheel}"][braking]
        assert (share > 0.01).any() and (share < -0.01).any(), "builds and dumps"
    left, right = (on[f"Chamber_Pressure.{w}"][braking].mean() for w in ("L1", "R1"))
    assert left > 1.5 * right
