"""A ride over a road: seat, loads, spectra, against the motion that the run itself tells."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from jounce.components.body.seat_point import SeatPoint
from jounce.events.library.ride import Ride
from jounce.results.key_figures import ride, vibration
from jounce.results.panels import panels
from jounce.results.run import Run

PLACE = {"seat_x": -1.9, "seat_y": 0.4, "seat_z": 0.7}
MIRRORED = {"L1": "R1", "R1": "L1", "L2": "R2", "R2": "L2"}


def drive(**values: object) -> Run:
    return jounce.run(jounce.load("sedan"), Ride(**{"end_time": 5.0, **PLACE, **values}))


@pytest.fixture(scope="module")
def run() -> Run:
    return drive()


def test_the_ride_comes_to_its_end_on_its_road(run: Run) -> None:
    assert run.complete
    assert run.time[1] - run.time[0] == pytest.approx(0.002)
    assert run["System_Mass_Center.Speed"] == pytest.approx(80 / 3.6, rel=0.005)
    assert all(np.ptp(run[f"Road.Contact_Patch_Global_Z.{wheel}"]) > 1e-3 for wheel in MIRRORED)


def test_the_seat_moves_with_the_body(run: Run) -> None:
    """Its height is that of a point of a rigid body, and its acceleration the second derivative of that."""
    at = np.array([-1.9, 0.4, 0.7])
    pitch, roll = (run[f"chassis_displacements.{name}"] for name in ("pitch", "roll"))
    up = np.column_stack([-np.sin(pitch), np.cos(pitch) * np.sin(roll), np.cos(pitch) * np.cos(roll)])
    height = run["Vehicle.Origin_Global_Z"] + up @ at
    assert run["Seat_Point.Global_Z"] == pytest.approx(height, abs=1e-9)
    # in the world: the three components turned back; differences of rows h apart err by w^2 h^2/12 at frequency w
    acceleration = np.column_stack([run[f"Seat_Point.Acceleration_{axis}"] for axis in "XYZ"])
    vertical = np.sum(up * acceleration, axis=1)
    slow = [band(values) for values in (vertical[1:-1], np.diff(height, 2) / 0.002**2)]
    assert slow[1] == pytest.approx(slow[0], abs=0.01 * np.ptp(slow[0]))
    assert np.std(slow[0]) > 0.1


def band(values: np.ndarray) -> np.ndarray:
    """What is slower than 20 Hz."""
    spectrum = np.fft.rfft(values)
    spectrum[np.fft.rfftfreq(len(values), 0.002) > 20.0] = 0.0
    return np.fft.irfft(spectrum, len(values))


def test_figures_are_those_of_the_standard(run: Run) -> None:
    for axis, kind in (("x", "Wd"), ("y", "Wd"), ("z", "Wk")):
        a = run[f"Seat_Point.Acceleration_{axis.upper()}"]
        f = np.fft.rfftfreq(len(a), 0.002)
        # Parseval, with the weighting as a gain: the record taken as periodic, hence a percent or two
        power = np.abs(np.fft.rfft(a - a.mean()) * np.abs(vibration.weighting(kind, f))) ** 2  # type: ignore[arg-type]
        meant = math.sqrt(2 * np.sum(power[1:])) / len(a)
        assert run.figures[f"seat_aw_{axis}"][0] == pytest.approx(meant, rel=0.03)
    sizes = [run.figures[f"seat_aw_{axis}"][0] for axis in "xyz"]
    assert run.figures["seat_av"] == (pytest.approx(math.hypot(*sizes)), "m/s2")
    z = vibration.weighted(run.time, run["Seat_Point.Acceleration_Z"], "Wk")
    assert run.figures["seat_vdv_z"][0] == pytest.approx((np.sum(z**4) * 0.002) ** 0.25)
    assert run.figures["seat_crest_z"][0] == pytest.approx(np.max(np.abs(z)) / np.sqrt(np.mean(z * z)))
    assert run.figures["seat_mtvv_z"][0] >= 0.9 * run.figures["seat_aw_z"][0]


def test_loads_change_about_what_the_car_weighs(run: Run) -> None:
    for wheel in MIRRORED:
        load = run[f"Tire.Ground_Surface_Force_Z.{wheel}"]
        assert run.figures[f"load_variation_{wheel}"][0] == pytest.approx(100 * np.std(load) / np.mean(load))
    assert run.figures["load_variation"][0] == max(run.figures[f"load_variation_{w}"][0] for w in MIRRORED)


def test_panels_show_what_the_road_becomes(run: Run) -> None:
    found = {panel.title: panel for panel in panels([run], [""], "engineering")}
    road = found["Transmissibility: road to hubs"]
    assert [curve.name for curve in road.curves] == list(MIRRORED)
    slow = [float(np.mean(c.y[(c.x > 0.8) & (c.x < 2.0)])) for c in road.curves]
    fast = [float(np.mean(c.y[(c.x > 35.0) & (c.x < 45.0)])) for c in road.curves]
    assert slow == pytest.approx([1.0] * 4, abs=0.3)  # the hubs follow slow waves
    assert max(fast) < 0.3  # and nothing that is faster than they swing on their tires
    seat = found["Seat: root of the power spectrum"]
    as_felt = np.interp(40.0, seat.curves[0].x, seat.curves[1].y / seat.curves[0].y)
    assert as_felt == pytest.approx(0.314, rel=0.02)  # W_k at 40 Hz, as the standard prints it


def test_a_smooth_road_is_no_ride() -> None:
    still = drive(road="flat", path="road", end_time=2.0)
    assert still.complete
    assert still.figures["seat_aw_z"][0] < 0.02
    assert still["Vehicle.CM_Global_Y"][-1] == pytest.approx(0.0, abs=0.02)  # straight ahead without a line


def test_a_seat_where_nothing_is_said_is_in_the_middle() -> None:
    place = jounce.load("sedan").layout
    centres = [wheel.centre[0] for wheel in place.wheels.values()]
    middle = SeatPoint().place(place) + place.units[0].origins[""]
    assert middle == pytest.approx([(min(centres) + max(centres)) / 2, 0.35, 0.5])


@pytest.mark.slow
def test_faster_and_rougher_shakes_more(run: Run) -> None:
    assert drive(road="iso_8608_d").figures["seat_av"][0] > 3 * run.figures["seat_av"][0]  # 16 times the spectrum
    assert drive(speed="40 km/h").figures["seat_av"][0] < run.figures["seat_av"][0]


@pytest.mark.slow
def test_a_spring_seat_is_told_with_its_factor(run: Run) -> None:
    soft = drive(seat_frequency="1.5 Hz", seat_damping=0.2)
    assert soft["Seat_Point.Acceleration_Z"] == pytest.approx(run["Seat_Point.Acceleration_Z"])  # the floor is the same
    factor = soft.figures["seat_factor"][0]
    assert factor * run.figures["seat_aw_z"][0] == pytest.approx(soft.figures["seat_aw_z"][0])
    assert ride.WORDS["seat_factor"].startswith("Seat")
