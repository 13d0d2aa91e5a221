"""Following a path at walking pace, forwards and in reverse, with a car that has tires, a clutch and a reverse gear."""

from __future__ import annotations

import math
from pathlib import Path as FilePath

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import StaticsError
from jounce.events.library.follow import Follow
from jounce.files.drd import write_drd
from jounce.road.path import Path


def winding(folder: FilePath) -> str:
    """Straight, 12.5 m to the left, to the right, straight."""
    s = [0, 12, 17, 27, 35, 45, 50, 70]
    k = [0, 0, 0.08, 0.08, -0.08, -0.08, 0, 0]
    write_drd(Path.from_curvature(s, k, step=0.5), folder / "winding.drd")
    return str(folder / "winding.drd")


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["contour", "preview"])
@pytest.mark.parametrize(("car", "speed"), [("compact", -3.0), ("compact", 2.0), ("bev", 0.8)])
def test_a_car_follows_a_winding_path_either_way(car: str, driver: str, speed: float, tmp_path: FilePath) -> None:
    """Who reverses has his rear ahead: he faces against the path, and its station grows all the same."""
    event = Follow(path=winding(tmp_path), driver=driver, speed=speed, x=31.0, y=-7.0, heading=0.9)
    done = jn.run(jn.load(car), event)
    assert done.complete and done.reason == "end of the path", done.reason
    v = done["chassis_velocities.longitudinal"]
    assert v == pytest.approx(speed, abs=0.3)
    assert np.all(np.diff(done["driving_machine_monitor.path_s"]) > 0)
    assert math.remainder(float(done["chassis_displacements.yaw"][0]) - 0.9, 2 * math.pi) == pytest.approx(0, abs=1e-6)
    # the point that he guides: the reference point of the car, or the middle of the axle that does not steer
    offset = done["driving_machine_monitor.path_distance" if driver == "preview" else "driver.offset"]
    assert np.abs(offset).max() < 0.3
    assert np.abs(offset[-1]) < 0.05
    hand = done["driver_demands.steering"]
    assert np.abs(hand).max() > 2.0  # rad: it was steered, to both sides
    assert hand.min() < -1.0 < 1.0 < hand.max()
    late = done.time > done.time[-1] - 1.0
    assert np.ptp(hand[late]) < 2.0  # and is calm on the straight
    if car != "bev":
        assert np.all(done["Transmission.gear"] == (-1 if speed < 0 else 1))


@pytest.mark.slow
def test_a_car_without_a_reverse_gear_says_that_it_does_not_run_backwards(tmp_path: FilePath) -> None:
    with pytest.raises(StaticsError, match="no steady running at -3 m/s"):
        jn.run(jn.load("bev"), Follow(path=winding(tmp_path), speed=-3.0))
