"""Lap and sector times."""

from __future__ import annotations

import shutil
from pathlib import Path as FilePath

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.core.library import LIBRARY
from jounce.events.laps import measure
from jounce.road.path import Path

LENGTH = 1000.0
RADIUS = LENGTH / (2 * np.pi)
ANGLES = np.linspace(0, 2 * np.pi, 721)[:-1]
CIRCLE = Path.from_points(RADIUS * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)]), closed=True)
TIME = np.arange(0.0, 160.0, 0.01)


def drive(start: float, speed: float = 20.0) -> tuple[np.ndarray, np.ndarray]:
    angle = (start + speed * TIME) / RADIUS
    return RADIUS * np.cos(angle), RADIUS * np.sin(angle)


def test_twenty_metres_a_second_around_a_kilometre_take_fifty_seconds() -> None:
    laps = measure(TIME, *drive(-5.0), CIRCLE)
    assert laps.times == pytest.approx([50.0, 50.0, 50.0], abs=1e-3)
    # rows are 10 ms apart and the speed is constant: interpolation is exact but for the length of the path
    assert np.std(laps.times) < 1e-6
    assert laps.count[0] == 0 and laps.count[-1] == 4


def test_a_lap_at_constant_speed_takes_its_circumference_over_the_speed() -> None:
    """A period is a period, whatever the length of the path's own curve: 2πR/v, rows 10 ms apart."""
    laps = measure(TIME, *drive(-5.0, speed=23.7), CIRCLE)
    assert laps.times == pytest.approx([2 * np.pi * RADIUS / 23.7] * len(laps.times), abs=1e-6)
    assert len(laps.times) == 3


def test_a_passage_is_found_between_rows_of_a_car_that_accelerates() -> None:
    """s = 2 t + 3 t² + 0.4 t³ along a straight path: a cubic, hence exact; and on a row of its own."""
    time = np.arange(0.0, 6.0, 0.25)
    s = 2 * time + 3 * time**2 + 0.4 * time**3
    straight = Path.from_points(np.column_stack([np.linspace(0, 300, 301), np.zeros(301)]))
    at = 2 * 3.1 + 3 * 3.1**2 + 0.4 * 3.1**3
    laps = measure(time, s - 1.0, np.zeros(len(time)), straight, beacons=(at - 1.0, 2 * 4.0 + 48 + 25.6 - 1.0))
    first, second = laps.beacons
    start = np.roots([0.4, 3.0, 2.0, -1.0])
    begun = float(start[np.isreal(start) & (start.real > 0)][0].real)
    assert first.time[-1] == pytest.approx(3.1 - begun, abs=1e-9)
    assert second.sector_time[-1] == pytest.approx(4.0 - 3.1, abs=1e-9)


def test_beacons_tell_of_their_last_passage() -> None:
    laps = measure(TIME, *drive(-5.0), CIRCLE, beacons=(200.0, 700.0))
    one, two = laps.beacons
    assert (one.station, two.station) == (200.0, 700.0)
    assert one.time[0] == one.count[0] == two.sector_time[0] == 0.0
    assert (one.time[-1], one.sector_time[-1]) == pytest.approx((10.0, 10.0), abs=2e-3)
    assert (two.time[-1], two.sector_time[-1]) == pytest.approx((35.0, 25.0), abs=2e-3)
    assert one.count[-1] == two.count[-1] == 3 and laps.count[-1] == 4
    # sectors of a lap add up to it: start line to first beacon, to second, to start line
    last = laps.times[-1] - two.time[-1]
    assert one.sector_time[-1] + two.sector_time[-1] + last == pytest.approx(laps.times[-1], abs=1e-6)
    assert sum(laps.sectors[-1]) == pytest.approx(laps.times[-1], abs=1e-12)
    assert laps.progressive_time[-1] == pytest.approx(TIME[-1] - 0.25, abs=1e-3)
    assert laps.progressive_time[0] == 0.0


def test_a_start_anywhere_still_finds_the_first_lap() -> None:
    laps = measure(TIME, *drive(400.0), CIRCLE)
    assert laps.times == pytest.approx([50.0, 50.0], abs=1e-3)
    assert TIME[np.argmax(laps.count > 0)] == pytest.approx(30.0, abs=0.011)


def test_beacons_divide_a_lap_into_sectors() -> None:
    laps = measure(TIME, *drive(-5.0), CIRCLE, beacons=(200.0, 700.0))
    assert laps.sectors[0] == pytest.approx((10.0, 25.0, 15.0), abs=2e-3)
    assert sum(laps.sectors[1]) == pytest.approx(laps.times[1], abs=1e-12)
    assert laps.sector_time.max() == pytest.approx(25.0, abs=0.02)
    with pytest.raises(ParameterError, match="beacon at 1200 m"):
        measure(TIME, *drive(0.0), CIRCLE, beacons=(1200.0,))


@pytest.mark.parametrize("begin", [0.3, 1000.3])
def test_a_run_that_starts_within_the_tolerance_beyond_the_start_line_has_passed_it(begin: float) -> None:
    """0.3 m beyond it at 20 m/s: its first lap is 15 ms shorter than 50 s; without, that lap has no beginning."""
    near, far = (measure(TIME, *drive(begin), CIRCLE, tolerance=tolerance) for tolerance in (0.31, 0.29))
    assert near.times == pytest.approx([50.0 - 0.015, 50.0, 50.0], abs=1e-6)
    assert far.times == pytest.approx([50.0, 50.0], abs=1e-6)
    assert (near.count[0], far.count[0]) == (1, 0)
    assert (near.progressive_time[-1], far.progressive_time[-1]) == pytest.approx((TIME[-1], TIME[-1] - 49.985))


def test_a_run_that_starts_within_the_tolerance_beyond_a_beacon_has_passed_it() -> None:
    near, far = (measure(TIME, *drive(200.3), CIRCLE, (200.0, 700.0), tolerance) for tolerance in (0.31, 0.29))
    there = int(np.searchsorted(TIME, 499.7 / 20 + 0.01))  # the next one is passed
    assert near.beacons[1].sector_time[there] == pytest.approx(25.0 - 0.015, abs=1e-6)
    assert far.beacons[1].sector_time[there] == 0.0  # nothing before it
    assert near.times == pytest.approx(far.times, abs=1e-12) and near.count[there] == 0


def test_a_run_that_ends_within_the_tolerance_before_a_line_has_passed_it() -> None:
    """0.2 m before the start line, 0.2 m before a beacon; 10 ms at 20 m/s."""
    for end, beacons in ((1000.0 - 0.2, ()), (700.0 - 0.2, (700.0,))):
        rows = (end + 5.0) / 20.0 + 1e-9 >= TIME
        x, y = (v[rows] for v in drive(-5.0))
        near, far = (measure(TIME[rows], x, y, CIRCLE, beacons, tolerance) for tolerance in (0.21, 0.19))
        if beacons:
            assert near.beacons[0].time[-1] == pytest.approx(35.0 - 0.01, abs=1e-6)
            assert (near.beacons[0].time[-2], far.beacons[0].time[-1]) == (0.0, 0.0)
        else:
            assert near.times == pytest.approx([50.0 - 0.01], abs=1e-6) and far.times == ()


def test_a_tolerance_never_counts_a_line_twice_nor_for_a_car_that_reverses() -> None:
    """Beyond the line, behind it and over it; over it and back to just behind it; only back, over it or near it."""
    time = np.arange(0.0, 6.0, 0.01)
    to_and_fro = 0.5 * np.sin(2 * np.pi * time / 4.0 + 0.1) + 0.01 * time  # from 0.05 m beyond to 0.01 m beyond
    ways = [(to_and_fro + 0.02 * time, 1), (-to_and_fro, 1)]
    ways += [(start - rate * time, 0) for start, rate in ((0.2, 0.3), (0.25, 0.02), (-0.1, 0.02))]
    for s, wanted in ways:
        x, y = RADIUS * np.cos(s / RADIUS), RADIUS * np.sin(s / RADIUS)
        for tolerance in (0.0, 0.3):
            assert measure(time, x, y, CIRCLE, (), tolerance).count[-1] == wanted, (s[0], s[-1], tolerance)


def test_a_tolerance_is_less_than_half_the_way_between_two_lines() -> None:
    with pytest.raises(ParameterError, match="half of the 3 m"):
        measure(TIME, *drive(0.0), CIRCLE, (500.0, 503.0), 1.5)


def test_station_and_offset() -> None:
    x, y = drive(0.0)
    laps = measure(TIME, 0.99 * x, 0.99 * y, CIRCLE)
    assert laps.offset == pytest.approx(np.full(len(TIME), 0.01 * RADIUS), rel=1e-3)  # inside: to the left
    assert laps.station[100] == pytest.approx(20.0, abs=0.01)


def test_an_event_names_the_path_of_its_laps_or_has_none(tmp_path: FilePath) -> None:
    import jounce as jn

    event = jn.events.StraightBraking(speed="40 km/h", brake=0.3, road="handling")
    without = jn.run(jn.load("sedan"), event)
    assert not without.channels("Lap_Sensor.*") and "laps" not in without.metadata
    own = tmp_path / "mine.drd"
    shutil.copy(LIBRARY / "paths" / "handling.drd", own)
    named, road = (jn.run(jn.load("sedan"), event.changed(lap_path=name)) for name in (str(own), "road"))
    assert named["Lap_Sensor.path_s"] == pytest.approx(road["Lap_Sensor.path_s"], abs=1e-6)
    assert np.ptp(named["Lap_Sensor.path_s"]) > 15.0


def test_an_event_with_a_lap_sensor() -> None:
    import jounce as jn

    event = jn.events.StraightBraking(speed="40 km/h", brake=0.3, road="handling", lap_path="road", beacons=(15.0,))
    run = jn.run(jn.load("sedan"), event)
    named = jn.run(jn.load("sedan"), event.changed(lap_path="handling"))
    station = run["Lap_Sensor.path_s"]
    # the front axle is put ten metres down the road, the sensor is at the centre of gravity of the body
    behind = jn.load("sedan").body.centre()[0]
    assert station[0] == pytest.approx(10.0 + behind, abs=0.02)
    rolling = run["chassis_velocities.longitudinal"][1:] > 1.0  # at the stop the body rocks back
    assert np.all(np.diff(station)[rolling] > 0)
    assert named["Lap_Sensor.path_s"] == pytest.approx(station, abs=1e-6)
    assert len(run.channels("Lap_Sensor.*")) == 6 and len(run.channels("Beacon_1.*")) == 3
    passed = run["Lap_Sensor.sector_time"]
    assert np.any(np.diff(passed) < 0)  # the beacon five metres ahead


def test_an_event_has_a_tolerance_for_its_beacons() -> None:
    """One lies 0.05 m behind where the sensor starts: with it as passed, the next one has a sector time."""
    import jounce as jn

    begin = 10.0 + jn.load("sedan").body.centre()[0]
    event = jn.events.StraightBraking(
        speed="40 km/h", brake=0.3, road="handling", lap_path="road", beacons=(begin - 0.05, 15.0)
    )
    without, given = (jn.run(jn.load("sedan"), event.changed(beacon_tolerance=e)) for e in (0.0, 0.1))
    passed = float(np.interp(15.0, given["Lap_Sensor.path_s"], given.time))
    assert given["Beacon_2.sector_time"][-1] == pytest.approx(passed, abs=1e-3)
    assert without["Beacon_2.sector_time"][-1] == 0.0
