"""Manoeuvres along paths: placement, settings that change between stages, lateral acceleration, the end of a path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce as jn
from cars import compact
from jounce.components.driver.contour import Contour
from jounce.events import find
from jounce.events.manoeuvres import continued
from jounce.road.path import Path

MANOEUVRE = find("manoeuvre")
NUMBER, STATION, OFFSET = (f"driving_machine_monitor.{name}" for name in ("maneuver_ID", "path_s", "path_distance"))
CIRCLE = {"kind": "skidpad", "radius": 50, "entry_length": 20, "entry_angle": "10 deg", "angle": "100 deg"}


def drive(*stages: dict[str, Any], **more: Any) -> Any:
    data: dict[str, Any] = {"begin": {"speed": 15}, "settings": {"placement": "automatic"}, "stages": list(stages)}
    return jn.run(compact(), MANOEUVRE(**{**data, **more}))


def test_a_run_does_not_depend_on_where_it_starts() -> None:
    stage = {"name": "a", "path": CIRCLE | {"side": "right"}, "speed": "maintain", "abort_time": 4}
    here, there = drive(stage), drive(stage, x=-120.0, y=310.0, heading=2.3)
    for name, size in (("chassis_velocities.yaw", 0.3), (OFFSET, 0.1), ("driver.demand.steering_wheel", 1.0)):
        # rounding of places 300 m away, 4e-14 m, grown by some hundred samples of the driver
        np.testing.assert_allclose(there[name], here[name], atol=1e-6 * size)
    assert here["chassis_velocities.yaw"].min() < -0.2  # to the right
    assert np.abs(here[OFFSET]).max() < 0.5


def test_settings_change_between_stages_and_come_from_the_file_or_the_vehicle() -> None:
    stages = [
        {"name": "near", "path": "c", "speed": "maintain", "controller": "near", "abort_time": 0.5},
        {"name": "far", "path": "c", "speed": "maintain", "controller": "far", "abort_time": 0.5},
    ]
    more: dict[str, Any] = {
        "controllers": {"near": {"preview_time": 0.6}, "far": {"preview_time": 1.1}},
        "paths": {"c": {"kind": "straight", "length": 200}},
    }
    run = drive(*stages, **more)
    for number, time in ((1, 0.6), (2, 1.1)):
        rows = np.flatnonzero(run[NUMBER] == number)[3:]
        np.testing.assert_allclose(run["driver.preview"][rows], 15 * time, rtol=1e-3)
    own = drive(*stages, **more, parameters_from="vehicle")
    np.testing.assert_allclose(own["driver.preview"][3:], 15 * Contour().preview_time, rtol=1e-3)
    assert Contour().preview_time not in (0.6, 1.1)


def test_paths_that_continue_and_end() -> None:
    """The switch to the next path is where the preview point is 5 m before the end; the car stays on it."""
    run = drive(
        {"name": "circle", "path": CIRCLE, "speed": "maintain"},
        {
            "name": "on",
            "path": {"kind": "straight", "length": 60},
            "options": {"connect_path": True},
            "speed": "12 m/s",
        },
    )
    assert [item["name"] for item in run.metadata["triggers"]] == ["end of the path"] * 2
    first = run.metadata["triggers"][0]
    length = 20 + 2 * 50 * np.radians(10) + 50 * np.radians(90)
    assert first["tests"][0][1] == pytest.approx(length - 5, abs=0.3)  # a sample of 10 ms at 15 m/s, and the preview's
    assert np.abs(run[OFFSET]).max() < 0.5
    demand = run["driver.demand.steering_wheel"]
    k = np.flatnonzero(run[NUMBER] == 2)[0]
    assert abs(demand[k] - demand[k - 1]) < 0.1  # no jump at the switch


def test_a_path_that_continues_goes_on_at_its_height() -> None:
    """Before the seam it is the path before, beyond it its own climb from there."""
    s = np.arange(0.0, 101.0)
    before = Path.from_points(np.column_stack([s, 0 * s, 3.0 + 0.02 * s]), step=1.0)
    path = Path.from_points(np.column_stack([100 + s, 0 * s, -7.0 + 0.05 * s]), step=1.0)
    found = continued(before, path)
    seam = found.length - path.length
    assert 5.0 < seam <= before.length + 1e-9
    for way, height in ((-4.0, 4.92), (0.0, 5.0), (40.0, 7.0)):
        assert float(found.at(seam + way)[2]) == pytest.approx(height, abs=0.02), way


def test_lateral_acceleration_is_held_by_the_speed() -> None:
    speed = {"kind": "lateral_acceleration", "acceleration": 4}
    stage = {"name": "a", "path": CIRCLE | {"angle": "350 deg"}, "speed": speed, "abort_time": 14}
    run = drive(stage)
    late = run.time > 9
    found = np.abs(run["System_Mass_Center.Tracking_Ay"][late])
    np.testing.assert_allclose(found, 4.0, rtol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("over", ["time", "distance"])
def test_a_map_of_lateral_acceleration_is_followed(over: str) -> None:
    at = [0, 2, 3, 7, 8, 12]
    scale = 15 if over == "distance" else 1
    target = {"kind": "lateral_acceleration", "over": over, "at": [scale * t for t in at],
              "values": [0, 0, 3, 3, -2, -2]}  # fmt: skip
    run = drive({"name": "a", "path": target, "speed": "maintain", "abort_time": 12})
    x = run["driver.distance"] / 15 if over == "distance" else run.time
    ay = run["chassis_accelerations.lateral"]
    for first, last, value in ((5, 6.8, 3.0), (10.5, 11.9, -2.0)):
        np.testing.assert_allclose(ay[(x > first) & (x < last)], value, rtol=0.02)
