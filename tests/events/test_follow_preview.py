"""The preview driver on cars of the library: the handling track at parts of their limits, the double lane change."""

from __future__ import annotations

import math
from pathlib import Path as FilePath

import numpy as np
import pytest

from jounce.events.engine import make_ready, run
from jounce.events.library.follow import Follow
from jounce.events.limits import limits_of
from jounce.events.options import Options
from jounce.files.drd import write_drd
from jounce.road.courses import CONE_BASE, eased, iso_3888_1
from jounce.road.path import Path
from jounce.sim.car import lineariser
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
    """Reference point within 0.3 m of the path at seven tenths, 0.6 m at nine; accelerations and speed as wanted."""
    vehicle = load(name)
    done = run(vehicle, Follow(path="handling", speed=f"auto {part}", driver="preview"), channels=CHANNELS)
    assert done.complete, done.reason
    assert done.figures["path_error_max"][0] <= largest
    limits = limits_of(vehicle)
    if part < 0.8:  # nothing is saturated but, for moments, a pedal that is down while an automatic shifts
        assert done.figures["speed_error_rms"][0] < 0.2
        # means of a tenth of a second: a gearbox that shifts under load jerks the car for some 30 ms
        ahead = np.convolve(done["chassis_accelerations.longitudinal"][done.time > 0.5], np.full(10, 0.1), "valid")
        assert -part * limits.braking < ahead.min() < -0.7 * part * limits.braking  # some of it is used
        assert ahead.max() < part * limits.driving.max()
    assert np.abs(done["Vehicle.CM_Tracking_Ay"]).max() > 0.9 * part * limits.lateral  # it was used


def pushed(name, folder, speed, slip, yaw_rate, seconds):
    """A straight path, on which the car starts with a side slip and a yaw rate; along a heading of 0.7 rad."""
    write_drd(Path.straight(3000.0), folder / "straight.drd")
    event = Follow(
        path=str(folder / "straight.drd"), speed=speed, end_time=seconds, leaves=30.0, x=-25.0, y=40.0, heading=0.7
    )
    start = make_ready(load(name), event, Options.of(channels=CHANNELS))
    prepared = start.event.prepared(start)
    start.restart()
    linear = lineariser(start.description)
    names, body = linear.notes["states"], linear.rest["bodies"][0]
    ahead, left = (names[i] for i in body["velocity"][:2])
    v = start.event.speed
    start.sim.set_states({ahead: v * math.cos(slip), left: v * math.sin(slip), names[body["turning"][2]]: yaw_rate})
    done = start.record(prepared, channels=CHANNELS)
    assert done.reason == "last phase ended", (name, done.reason)
    assert done["Vehicle.Side_Slip_Angle"][0] == pytest.approx(slip, abs=0.02)
    assert done["Vehicle.Body_Fixed_Omega_Z"][0] == pytest.approx(yaw_rate, abs=0.02)
    return done


LANE = 3.5  # m
DISTANCE = "driving_machine_monitor.path_distance"


def back_in_lane(name, folder, side):
    """80 km/h, 8 degrees, 20 degrees/s, both to one side: in its lane after 5 s at the latest, and calm."""
    done = pushed(name, folder, 80 / 3.6, side * math.radians(8), side * math.radians(20), 6.0)
    room = 0.5 * (LANE - WIDTH)
    assert np.abs(done[DISTANCE][done.time >= 5.0]).max() < 0.2 * room
    assert side * done[DISTANCE].max() > 0.3 or side * done[DISTANCE].min() > 0.3  # it was thrown to that side
    assert np.abs(done["Vehicle.Side_Slip_Angle"][done.time >= 5.0]).max() < math.radians(0.5)
    return done


def test_the_sedan_comes_back_from_a_slide(tmp_path):
    left, right = (back_in_lane("sedan", tmp_path, side) for side in (1.0, -1.0))
    assert right[DISTANCE] == pytest.approx(-left[DISTANCE], abs=0.02)  # a mirror


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CARS if name != "sedan"])
def test_every_car_comes_back_from_a_slide(name, tmp_path):
    for side in (1.0, -1.0):
        back_in_lane(name, tmp_path, side)


def fast(name, folder, speed):
    """A push at speed dies away: no limit cycle of hand wheel and offset is left after 10 s."""
    done = pushed(name, folder, speed, math.radians(0.8), math.radians(3.0), 12.0)
    late = done.time >= 10.0
    assert np.abs(done[DISTANCE]).max() > 0.05
    assert np.ptp(done[DISTANCE][late]) < 0.005
    assert np.ptp(done["driver_demands.steering"][late]) < math.radians(0.05)


def test_the_sedan_runs_straight_at_a_speed_that_its_drive_does_not_keep_in_every_gear(tmp_path):
    fast("sedan", tmp_path, 63.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CARS if name != "sedan"])
def test_every_car_runs_straight_near_its_top_speed(name, tmp_path):
    """At the lower of 250 km/h and 0.95 of the top speed; automatic gearboxes start in their last gear: 0.9."""
    part = 0.9 if name == "suv" else 0.95
    fast(name, tmp_path, min(250 / 3.6, part * limits_of(load(name)).top))
