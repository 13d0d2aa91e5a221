"""Following a path: placing, speeds, ends, refusals, key figures; and the sedan in a lane change."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.events.along import DISTANCE, STATION, TARGET_STATION
from jounce.events.library.follow import UNITS, Follow, of_run
from jounce.results.run import Run
from jounce.road.courses import iso_3888_1
from jounce.road.path import Path
from result_runs import value

SEDAN = jn.load("sedan")


def placed(**values: Any) -> tuple[Follow, Path]:
    event, (path,) = Follow(**values).placed(SEDAN, ())
    return event, path


# -- before a run ------------------------------------------------------------------------------------------------------


def test_a_car_without_a_place_starts_on_the_path() -> None:
    event, path = placed(path="handling", station=700.0)
    x, y, _ = path.at(700.0)
    assert (event.x, event.y) == pytest.approx((x, y))
    assert math.cos(event.heading - float(path.at(700.0, "heading"))) == pytest.approx(1.0)


def test_a_path_comes_to_a_car_that_has_a_place() -> None:
    event, path = placed(path="handling", station=700.0, x=31.0, y=-7.0, heading="50 deg")
    assert (event.x, event.y) == (31.0, -7.0)
    assert path.at(700.0)[:2] == pytest.approx((31.0, -7.0))
    assert float(path.at(700.0, "heading")) == pytest.approx(math.radians(50))


def test_words_for_a_speed() -> None:
    assert Follow(speed="72 km/h").speed == pytest.approx(20.0)
    assert Follow(speed="72 km/h").speed_rule == ""
    assert Follow(speed="path").speed_rule == "path"
    assert Follow.from_dict(Follow(speed="path").to_dict()).speed_rule == "path"


def test_speeds_of_a_file_become_those_of_the_path(tmp_path: FilePath) -> None:
    file = tmp_path / "v.csv"
    file.write_text("s,v\n0,20\n100,10\n")
    event, path = placed(speed=str(file), speed_factor=0.5, station=50.0)
    assert event.speed == pytest.approx(7.5)
    assert float(path.at(80.0, "speed")) == pytest.approx(6.0)
    file.write_text("t,v\n0,20\n10,10\n")
    event, path = placed(speed=str(file))
    assert event.speed == 20.0 and path.speed is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"path": "handlin"}, "'handlin': no such file, and not in the library"),
        ({"path": ""}, "path is missing"),
        ({"path": "road"}, "no line of its own"),
        ({"station": 1e4}, r"station = 10000 m; the path goes from 0 to"),
        ({"speed": "path"}, "has no speeds"),
        ({"speed": "quickly"}, "'quickly': no such file"),
    ],
)
def test_what_cannot_be_followed_is_refused_before_the_run(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        placed(**values)


def test_a_driver_of_another_kind_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"longitudinal.*does not steer along a path"):
        Follow(driver="longitudinal").parts()
    with pytest.raises(ParameterError, match="contur"):
        Follow(driver="contur").parts()


def test_who_steers_when_nobody_is_named() -> None:
    """Preview; contour for a human, whose delays its gains do not know, and where it has a preview time."""
    assert Follow().steers == "preview" and Follow().parts()[0].kind == "preview"
    assert Follow(skill="novice").steers == "contour"
    assert Follow(preview_time=1.1).steers == "contour" and Follow(preview_time=1.1).parts()[0].preview_time == 1.1
    assert Follow(driver="contour").steers == "contour"
    with pytest.raises(ParameterError, match="do not know the delays of a human"):
        Follow(driver="preview", skill="standard").parts()
    with pytest.raises(ParameterError, match="how far he looks follows from the car"):
        Follow(driver="preview", preview_time=1.0).parts()


# -- key figures -------------------------------------------------------------------------------------------------------


def test_figures_in_closed_form() -> None:
    t = np.arange(0, 20.0001, 0.01)
    data = {
        STATION: 3 + 10 * t,
        DISTANCE: 0.2 * np.sin(2 * math.pi * t / 5),
        "driver.speed_error": np.full(len(t), -0.3),
        "driver_demands.steering": 0.5 * np.sin(2 * math.pi * t / 5),
    }
    units = {STATION: "m", DISTANCE: "m", "driver.speed_error": "m/s", "driver_demands.steering": "rad"}
    metadata = {"event": {"kind": "follow"}, "follow": {"way": 150.0}, "status": "complete"}
    found = of_run(Run(t, data, units, metadata))
    values = {name: value(found, name) for name in UNITS}
    assert values["path_error_max"] == pytest.approx(0.2, rel=1e-4)
    assert values["path_error_rms"] == pytest.approx(0.2 / math.sqrt(2), rel=1e-3)
    assert values["speed_error_rms"] == pytest.approx(0.3)
    assert values["lap_time"] == pytest.approx(15.0)
    effort = math.degrees(0.5 * 2 * math.pi / 5 / math.sqrt(2))
    assert values["steering_effort"] == pytest.approx(effort, rel=1e-3)
    short = of_run(Run(t, data, units, {**metadata, "follow": {"way": 260.0}}))
    assert math.isnan(value(short, "lap_time"))
    assert any("200 m of 260 m" in text for text in short.warnings)


# -- the sedan ---------------------------------------------------------------------------------------------------------


@lru_cache
def changing_lanes(**values: Any) -> Run:
    return jn.run(SEDAN, Follow(**values))


def test_a_lane_change_at_60_km_h() -> None:
    run = changing_lanes()
    assert run.complete
    assert run.kpis["path_error_max"][0] < 0.3  # the bend of its middle line asks for 10 m/s²
    assert run.kpis["speed_error_rms"][0] < 0.2
    # an independent look at where it was
    path = iso_3888_1().path
    distance = path.project(run["chassis_displacements.longitudinal"], run["chassis_displacements.lateral"]).offset
    assert np.max(np.abs(distance - run[DISTANCE])) < 1e-6


def test_an_open_path_ends_5_m_before_the_preview_point_reaches_its_end() -> None:
    ends_before(5.0, changing_lanes(driver="contour"))


def test_an_open_path_ends_where_the_preview_point_is_within_the_tolerance() -> None:
    ends_before(31.0, changing_lanes(driver="contour", end_tolerance=31.0))


def ends_before(tolerance: float, run: Run) -> None:
    end = iso_3888_1().path.length - tolerance
    assert run.metadata["reason"] == "end of the path"
    aims = run[TARGET_STATION]
    # a row of 10 ms, one step and one sample of the driver
    assert end - 0.03 * 60 / 3.6 < aims[-1] <= end + 0.03 * 60 / 3.6
    assert aims[-1] - run[STATION][-1] == pytest.approx(0.8 * 60 / 3.6, abs=1.5)


def test_another_place_and_heading_change_nothing() -> None:
    here, there = changing_lanes(), changing_lanes(x=210.0, y=-85.0, heading=2.2)
    for name in ("path_error_max", "path_error_rms", "steering_effort"):
        assert there.kpis[name][0] == pytest.approx(here.kpis[name][0], rel=1e-3)


def test_a_car_that_leaves_its_path_ends_with_that_verdict() -> None:
    run = changing_lanes(leaves=0.02)
    assert not run.complete
    assert run.metadata["reason"].startswith("left the path")
    assert len(run.time) > 10 and run.kpis["path_error_max"][0] == pytest.approx(0.02, rel=0.2)


def test_a_speed_over_the_station_is_followed(tmp_path: FilePath) -> None:
    file = tmp_path / "v.csv"
    file.write_text("s,v\n0,15\n60,15\n120,12\n300,12\n")
    run = changing_lanes(speed=str(file))
    assert run.complete
    wanted = np.interp(run[STATION], [0, 60, 120, 300], [15, 15, 12, 12])
    # between two samples of 10 ms the speed goes on with its rate
    assert np.max(np.abs(run["driver.target_speed"] - wanted)) < 0.02
    assert run.kpis["speed_error_rms"][0] < 0.2


def test_a_path_shorter_than_the_preview_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"the driver looks .* m ahead"):
        jn.run(SEDAN, Follow(station=iso_3888_1().path.length - 9.0))


@pytest.mark.slow
def test_a_car_that_is_too_fast_ends_with_a_verdict_and_keeps_its_rows() -> None:
    run = jn.run(SEDAN, Follow(speed="150 km/h", friction=0.25, leaves=1.5))  # the course goes 3.5 m aside
    assert not run.complete
    assert run.metadata["reason"].startswith(("left the path", "spun"))
    assert len(run.time) > 10


@pytest.mark.slow
@pytest.mark.parametrize("speed", [10.0, 15.0])
def test_the_handling_track(speed: float) -> None:
    run = jn.run(SEDAN, Follow(path="handling", speed=speed))
    assert run.complete
    assert run.kpis["path_error_max"][0] < 0.05
    assert run.kpis["lap_time"][0] == pytest.approx(5000 / speed, rel=1e-3)


@pytest.mark.parametrize("friction", [0.4, 0.25, 0.15])
def test_a_slippery_road_is_followed(friction: float) -> None:
    """Steady turns of a road on which the usual first angle of the search is beyond the tires."""
    run = jn.run(
        SEDAN, Follow(speed=4.0 + 12.0 * friction, friction=friction), channels=["driving_machine*", "driver*"]
    )
    assert run.complete
    assert run.kpis["path_error_max"][0] < 0.25


@pytest.mark.slow
def test_a_part_of_the_limits_on_the_handling_track() -> None:
    """v = √(0.7 ay_max/|κ|), |ax| within 0.7 of the limits: within 0.3 m of the path."""
    run = jn.run(SEDAN, Follow(path="handling", speed="auto 0.7"))
    assert run.complete
    assert run.kpis["path_error_max"][0] < 0.3
