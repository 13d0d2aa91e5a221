"""Misuse: cases and their roads, sensors that end a run, braking before an obstacle."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.events import find
from jounce.events.library.misuse import PREFIXES, X
from jounce.files.roads import library_roads, load_road
from jounce.results.run import Run

SEDAN = jn.load("sedan")


@lru_cache(maxsize=16)
def driven(testcase: str, **values: Any) -> Run:
    return jn.run(SEDAN, find("misuse")(testcase=testcase, **values))


@pytest.mark.parametrize("testcase", PREFIXES)
def test_every_case_has_a_road_of_the_library(testcase: str) -> None:
    event = find("misuse")(testcase=testcase)
    assert event.road in library_roads() and event.road.startswith(PREFIXES[testcase])
    other = "jump_300" if testcase != "jump" else "plank_40"
    with pytest.raises(ParameterError, match=PREFIXES[testcase]):
        find("misuse")(testcase=testcase, road=other)


def test_heights_of_the_roads() -> None:
    """Where the obstacle begins, how high it is, and on which side; x is 10 m less than the station."""
    left, right = 0.8, -0.8

    def height(name: str, x: float, y: float = 0.0) -> float:
        return float(load_road(name).query(x, y).height)

    assert height("plank_40", 40.0) == pytest.approx(0.04) and height("plank_40", 39.8) == pytest.approx(0.0)
    assert height("curb90_80", 40.05) == pytest.approx(0.08) and height("curb90_80", 39.99) == pytest.approx(0.0)
    rise = [height("curb35_80", 40 + d) for d in (0.02, 0.08)]
    assert math.degrees(math.atan((rise[1] - rise[0]) / 0.06)) == pytest.approx(35.0, abs=0.1)
    assert height("drain_bs_60", 40.0, left) == height("drain_bs_60", 40.0, right) == pytest.approx(-0.06)
    assert (height("drain_os_60", 40.0, left), height("drain_os_60", 40.0, right)) == pytest.approx((-0.06, 0.0))
    assert (height("ramp_bs_120", 42.0, left), height("ramp_bs_120", 42.0, right)) == pytest.approx((0.12, 0.0))
    assert (height("ramp_bs_120", 50.0, left), height("ramp_bs_120", 50.0, right)) == pytest.approx((0.0, 0.12))
    assert (height("ramp_os_120", 42.0, left), height("ramp_os_120", 50.0, right)) == pytest.approx((0.12, 0.0))
    assert (height("jump_300", 0.0), height("jump_300", 41.0)) == pytest.approx((0.3, 0.0))
    assert (height("screw_1000", 50.0, left), height("screw_1000", 50.0, right)) == pytest.approx((1.0, 0.0))


def test_braking_begins_at_its_distance_from_the_obstacle() -> None:
    for distance in (2.0, 7.5):
        run = driven("curb90", braking=True, obstacle_distance=distance)
        assert run.kpis["braking_distance_left"][0] == pytest.approx(distance, abs=0.05)
        # without the figure: the speed that the driver wants falls when the axle is there
        wanted = run["driver.target_speed"]
        begun = int(np.argmax(wanted < 20.0 - 1e-9))
        assert 40.0 - float(run[X][begun]) == pytest.approx(distance, abs=0.05 + 0.2)  # a row of 10 ms
        slope = np.polyfit(run.time[begun : begun + 50], wanted[begun : begun + 50], 1)[0]
        assert slope == pytest.approx(-6.0, rel=1e-3)


def test_sensors_end_the_run() -> None:
    assert driven("plank").reason == "sensor: distance" and driven("plank").complete
    assert driven("plank").kpis["distance"][0] == pytest.approx(100.0, abs=0.3)  # a row of 10 ms at 20 m/s
    near = driven("plank", distance_sensor=50.0)
    assert near.kpis["distance"][0] == pytest.approx(50.0, abs=0.3)
    slow = driven("curb90", braking=True)
    assert slow.reason == "sensor: speed" and slow.kpis["end_speed"][0] == pytest.approx(10.8, abs=0.3)
    early = driven("ramp_single", roll_sensor=0.03)
    assert early.reason == "sensor: roll angle" and early.kpis["roll_peak"][0] == pytest.approx(1.7, abs=0.5)
    assert driven("plank", distance_sensor=None, end_time=4.0).time[-1] == pytest.approx(4.0)


def test_a_ramp_under_the_left_side_rolls_to_the_right() -> None:
    run = driven("ramp_single")
    roll = run["chassis_displacements.roll"]
    assert roll[(run[X] > 40.5) & (run[X] < 44)].max() > 0.01  # right side down is positive


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="plank has no braking; curb90 and drain_both have"):
        find("misuse")(testcase="plank", braking=True)
    with pytest.raises(ParameterError, match="lie along x"):
        find("misuse")(heading=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("testcase", PREFIXES)
def test_every_case_runs_on_its_road(testcase: str) -> None:
    run = driven(testcase)
    assert run.complete and len(run) > 50
    if testcase == "screwed_rollover":
        assert run.kpis["roll_peak"][0] > 20
    else:
        assert run.reason == "sensor: distance"
