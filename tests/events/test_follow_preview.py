"""The preview driver on cars of the library: the handling track at parts of their limits, the double lane change."""

from __future__ import annotations

import math
from pathlib import Path as FilePath

import numpy as np
import pytest

from jounce.events.engine import run
from jounce.events.library.follow import Follow
from jounce.events.limits import limits_of
from jounce.files.drd import write_drd
from jounce.road.courses import CONE_BASE, eased, iso_3888_1
from jounce.vehicle.library_figures import stored
from jounce.vehicle.reading import load

CARS = sorted(stored())
WIDTH = 1.8  # m
CHANNELS = ["driving_machine_monitor.*", "driver.*", "driver_demands.*", "chassis_*", "Vehicle.*"]


def lane_change(name: str, folder: FilePath, x: float, y: float, heading: float) -> None:
    """Through all gates at 80 km/h: front and rear of the body, as wide as the lanes are made for."""
    course = iso_3888_1(WIDTH, start=60.0, run_out=80.0)
    path = eased(course, WIDTH)
    write_drd(path, folder / "course.drd")
    vehicle = load(name)
    event = Follow(path=str(folder / "course.drd"), speed="80 km/h", driver="preview", x=x, y=y, heading=heading)
    done = run(vehicle, event, channels=CHANNELS)
    assert done.complete, done.reason
    c, s = math.cos(heading), math.sin(heading)
    px, py = done["chassis_displacements.longitudinal"] - x, done["chassis_displacements.lateral"] - y
    ahead, left = c * px + s * py, c * py - s * px
    # of the course, whose path began at its origin with heading zero
    turned = np.unwrap(done["chassis_displacements.yaw"]) - heading
    turned = turned - 2 * math.pi * round(float(turned[0]) / (2 * math.pi))
    start = path.at(0.0)
    for corner in (1.5, 0.0, -1.5):  # m along the body from its reference point
        along, across = ahead + corner * np.cos(turned) + start[0], left + corner * np.sin(turned) + start[1]
        for gate in course.gates:
            at = float(np.interp(gate[0], along, across))
            half = 0.5 * WIDTH / math.cos(float(np.interp(gate[0], along, turned)))
            assert at + half < gate[1] - CONE_BASE, (name, gate)
            assert at - half > gate[2] + CONE_BASE, (name, gate)
    assert done.figures["speed_error_rms"][0] < 0.2
    assert np.abs(done["Vehicle.CM_Tracking_Ay"]).max() > 3.0  # it was no stroll


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CARS if stored()[name]["figures"]["mass"]["value"] <= 3500])
def test_the_double_lane_change_at_80_km_h(name, tmp_path):
    lane_change(name, tmp_path, 31.0, -12.0, 2.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", CARS)
@pytest.mark.parametrize(("part", "largest"), [(0.7, 0.3), (0.9, 0.6)])
def test_the_handling_track_at_a_part_of_the_limits(name, part, largest):
    """Reference point within 0.3 m of the path at seven tenths, 0.6 m at nine."""
    vehicle = load(name)
    done = run(vehicle, Follow(path="handling", speed=f"auto {part}", driver="preview"), channels=CHANNELS)
    assert done.complete, done.reason
    assert done.figures["path_error_max"][0] <= largest
    limits = limits_of(vehicle)
    assert np.abs(done["Vehicle.CM_Tracking_Ay"]).max() > 0.9 * part * limits.lateral  # it was used
