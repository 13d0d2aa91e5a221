"""Reversing a caravan along paths, the whole vehicle at walking pace."""

from __future__ import annotations

import math
from pathlib import Path as FilePath

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.events.library.follow import Follow
from jounce.files.drd import write_drd
from jounce.results.run import Run
from jounce.road.path import Path
from jounce.sim.backing import geometry_of
from reversing_rig import SPEED, bend, caravan

DISTANCE, STATION = "driving_machine_monitor.path_distance", "driving_machine_monitor.path_s"
BEND = "unit2.Articulation.yaw"


def reversed_round(folder: FilePath, side: float = 1.0, radius: float = 9.3, **changes: float) -> Run:
    event = Follow(path=bend(folder, side, radius), speed=SPEED, end_tolerance=3.0, **changes)
    return jn.run(caravan(), event)


def towed_axle(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """The middle of its contacts, world."""
    return tuple(  # type: ignore[return-value]
        0.5 * (run[f"Road.Contact_Patch_Global_{axis}.L3"] + run[f"Road.Contact_Patch_Global_{axis}.R3"])
        for axis in "XY"
    )


def test_the_caravan_is_reversed_round_a_right_angle(tmp_path: FilePath) -> None:
    heading = 0.9
    left = reversed_round(tmp_path, 1.0, x=31.0, y=-7.0, heading=heading)
    right = reversed_round(tmp_path, -1.0, x=31.0, y=-7.0, heading=heading)
    for side, run in ((1.0, left), (-1.0, right)):
        assert run.complete and run.reason == "end of the path", run.reason
        assert np.abs(run[DISTANCE]).max() < 0.5
        assert abs(run[DISTANCE][-1]) < 0.05
        assert np.all(np.diff(run[STATION]) > 0)
        assert run["chassis_velocities.longitudinal"] == pytest.approx(SPEED, abs=0.35)
        # what is told of the path is where the wheels of the caravan are: a straight way in, a bend, a straight way out
        x, y = towed_axle(run)
        ahead = np.array([math.cos(heading + math.pi), math.sin(heading + math.pi)])
        first = run[STATION] < 14.0
        across = (x - 31.0) * -ahead[1] + (y + 7.0) * ahead[0]
        assert across[first] == pytest.approx(run[DISTANCE][first], abs=5e-3)
        out = run[STATION] > run[STATION][-1] - 2.0
        way = np.array([x[-1] - x[out][0], y[-1] - y[out][0]])
        turned = math.atan2(ahead[0] * way[1] - ahead[1] * way[0], ahead @ way)
        assert turned == pytest.approx(side * math.pi / 2, abs=0.02)
        assert (side * run[BEND]).max() > 0.4
    assert right[DISTANCE] == pytest.approx(-left[DISTANCE], abs=1e-3)
    assert right[BEND] == pytest.approx(-left[BEND], abs=1e-3)


@pytest.mark.slow
def test_another_heading_changes_nothing_and_a_tighter_bend_stays_within_half_a_metre(tmp_path: FilePath) -> None:
    one, other = (reversed_round(tmp_path, -1.0, 6.1, x=5.0, y=9.0, heading=h) for h in (0.4, -2.2))
    assert one.complete and np.abs(one[DISTANCE]).max() < 0.5
    assert other[DISTANCE] == pytest.approx(one[DISTANCE], abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_start_on_a_circle_is_on_it_with_its_articulation(side: float, tmp_path: FilePath) -> None:
    """From the first moment: no swing into the turn; plane geometry says the articulation."""
    radius = 12.7
    circle = Path.from_curvature([0, 70.0], [side / radius] * 2)
    write_drd(circle, tmp_path / "circle.drd")
    event = Follow(path=str(tmp_path / "circle.drd"), speed=SPEED, station=11.0, x=3.0, y=-8.0, heading=2.4)
    run = jn.run(caravan(), event)
    assert run.complete, run.reason
    expected = geometry_of(caravan()).articulation(-side / radius)
    assert run[BEND][0] == pytest.approx(expected, rel=0.01)
    on = run[STATION] < 40.0  # further on he sees the end, behind which it is straight
    assert run[BEND][on] == pytest.approx(expected, rel=0.02)
    assert run[STATION][0] == pytest.approx(11.0, abs=0.05)
    assert np.abs(run[DISTANCE][on]).max() < 0.06
    yaw = run["unit2.chassis_displacements.yaw"][0]
    assert math.remainder(float(yaw) - 2.4, 2 * math.pi) == pytest.approx(0.0, abs=0.01)


@pytest.mark.slow
def test_a_bend_that_is_too_sharp_folds_nothing_and_a_train_that_folds_has_a_verdict(tmp_path: FilePath) -> None:
    """He stays short of what nothing leads back from, and cuts the bend; hands that are too slow let it fold."""
    run = reversed_round(tmp_path, 1.0, 2.2, leaves=3.0)
    assert run.figures["path_error_max"][0] > 0.5
    assert run["driver.jack_knife"].max() < 0
    slow = Follow(path=bend(tmp_path), speed=SPEED, leaves=50.0)
    loose = jn.run(caravan(), slow, parameters={"backing.fastest": 0.02})
    assert loose.reason == "jack-knifed" and not loose.complete


def test_a_pace_beyond_walking_and_another_driver_are_refused(tmp_path: FilePath) -> None:
    for words, change in (
        ("at most 3 m/s", {"speed": -4.0}),
        ("only the driver 'backing'", {"driver": "contour"}),
        ("only the driver 'backing'", {"skill": "expert"}),
    ):
        with pytest.raises(ParameterError, match=words):
            jn.run(caravan(), Follow(**{"path": bend(tmp_path), "speed": SPEED, **change}))
