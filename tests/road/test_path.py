"""Paths: curvature, closing, projection, standard courses; path files."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path as FilePath

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import make_smoothing_spline

from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.files.drd import drd_text, parse_drd, read_drd, write_drd
from jounce.files.gps import (
    from_plane,
    gpx_text,
    kml_text,
    parse_csv,
    parse_gpx,
    parse_kml,
    read_path,
    to_plane,
    write_path,
)
from jounce.files.problems import Report
from jounce.road.courses import circle, iso_3888_1, iso_3888_2, skidpad, slalom
from jounce.road.path import Path, _smoothed, joined


def ring(n: int = 60, radius: float = 50.0) -> np.ndarray:
    a = 2 * math.pi * np.arange(n) / n
    return np.column_stack([radius * np.cos(a), radius * np.sin(a), np.sin(2 * a)])


def test_a_circle_of_points_has_its_curvature() -> None:
    path = Path.from_points(ring())
    assert path.closed
    assert np.max(np.abs(path.curvature * 50 - 1)) < 1e-3
    assert path.length == pytest.approx(2 * math.pi * 50, rel=1e-6)
    assert np.max(np.abs(np.hypot(path.x, path.y) - 50)) < 1e-3
    assert path.heading[-1] - path.heading[0] == pytest.approx(2 * math.pi * (1 - 1 / len(path.s)), rel=1e-4)


def test_a_sine_has_its_curvature() -> None:
    # the second derivative of a cubic spline is right to h²/12 of its own second derivative: 0.04 % for 1 m here
    x = np.arange(0, 200.1, 1.0)
    y = 5 * np.sin(x / 15)
    path = Path.from_points(np.column_stack([x, y]), closed=False, step=0.5)
    exact = -5 / 225 * np.sin(path.x / 15) / (1 + (5 / 15 * np.cos(path.x / 15)) ** 2) ** 1.5
    inner = (path.x > 20) & (path.x < 180)
    assert np.max(np.abs(path.curvature - exact)[inner]) < 1e-3 * np.max(np.abs(exact))


def test_curvature_is_continuous_after_resampling() -> None:
    rng = np.random.default_rng(3)
    points = np.column_stack([np.arange(0, 300, 7.0), np.cumsum(rng.uniform(-1, 1, 43))])
    path = Path.from_points(points, closed=False, step=0.25)
    # the third derivative of the spline bounds the steps of curvature
    assert np.max(np.abs(np.diff(path.curvature))) < 0.02
    again = path.resampled(0.1)
    assert np.max(np.abs(np.diff(again.curvature))) < 0.01
    np.testing.assert_allclose(np.interp(again.s, path.s, path.x), again.x, atol=2e-3)


def test_clothoids_have_linear_curvature_and_fresnel_positions() -> None:
    from scipy.special import fresnel

    path = Path.from_curvature([0, 50], [0, 0.02], step=0.5)
    np.testing.assert_allclose(path.curvature, 0.02 / 50 * path.s, atol=1e-15)
    a = math.sqrt(math.pi * 50 / 0.02)  # κ = s π/a²
    s, c = fresnel(path.s / a)
    np.testing.assert_allclose(path.x, a * c, atol=1e-10)
    np.testing.assert_allclose(path.y, a * s, atol=1e-10)


@pytest.mark.parametrize("distance", [0.03, 0.2])
def test_smoothing_moves_points_by_the_distance_asked_for(distance: float) -> None:
    """Root mean square in plan view; a height that is noisier still does not count."""
    rng = np.random.default_rng(6)
    x = np.arange(0.0, 300.0, 3.0)
    points = np.column_stack([x, 8 * np.sin(x / 40), 0 * x]) + rng.normal(0.0, [0.3, 0.3, 3.0], (len(x), 3))
    found = _smoothed(x, points, distance, make_smoothing_spline)
    assert math.sqrt(np.mean(np.sum((found - points)[:, :2] ** 2, axis=1))) == pytest.approx(distance, rel=1e-3)


def test_open_and_closed_are_told_apart() -> None:
    assert not Path.from_points(ring()[:50]).closed
    assert Path.from_points(np.vstack([ring(), ring()[:1]])).closed  # the first point repeated
    assert not Path.from_points(ring(), closed=False).closed
    with pytest.raises(ParameterError, match="closed, but its end is"):
        Path.from_curvature([0, 100], [0.01, 0.01], closed=True)


def test_projection_returns_station_and_offset() -> None:
    path = joined([(50.0, 0.0, 0.02), (60.0, 0.02, 0.02), (80.0, 0.02, -0.01)])
    rng = np.random.default_rng(0)
    s, n = rng.uniform(0, path.length, 300), rng.uniform(-10, 10, 300)
    p, heading = path.at(s), path.at(s, "heading")
    # heading of the smooth line, not of straight lines between stations
    d = (path.at(s + 1e-5) - path.at(s - 1e-5))[:, :2]
    heading = np.arctan2(d[:, 1], d[:, 0])
    inner = (s > 1) & (s < path.length - 1)
    found = path.project(p[:, 0] - n * np.sin(heading), p[:, 1] + n * np.cos(heading))
    np.testing.assert_allclose(found.station[inner], s[inner], atol=1e-4)
    np.testing.assert_allclose(found.offset[inner], n[inner], atol=1e-6)


def test_a_path_that_crosses_itself() -> None:
    """An eight of two circles: everywhere but in the crossing the nearest branch is found, and a walk along the line is
    continuous there but for the branch that is as near."""
    radius = 30.0
    t = np.linspace(0, 4 * math.pi, 241)[:-1]
    first = t < 2 * math.pi
    x = radius * np.sin(t)
    y = np.where(first, radius * (1 - np.cos(t)), -radius * (1 - np.cos(t)))
    text = "x,y,speed\n" + "\n".join(f"{a:.6f},{b:.6f},{20 + c:.3f}" for a, b, c in zip(x, y, t, strict=True))
    path = parse_csv(text + "\n")
    assert path.closed and path.length == pytest.approx(4 * math.pi * radius, rel=2e-3)
    s = np.linspace(0, path.length, 2000, endpoint=False)
    p = path.at(s)
    found = path.project(p[:, 0], p[:, 1])
    np.testing.assert_allclose(found.offset, 0.0, atol=2e-3)
    away = np.abs(np.remainder(found.station - s + 0.5 * path.length, path.length) - 0.5 * path.length)
    crossing = np.hypot(p[:, 0], p[:, 1]) < 1.0
    assert away[~crossing].max() < 0.02 and crossing.sum() < 40
    assert path.speed is not None and path.at(s[500], "speed") == pytest.approx(20 + math.pi, abs=0.05)


def test_reversed_and_moved() -> None:
    path = joined([(50.0, 0.0, 0.02), (60.0, 0.02, 0.02)], z=lambda s: 0.1 * s)
    back = path.reversed()
    assert (back.x[0], back.y[0], back.z[0]) == (path.x[-1], path.y[-1], path.z[-1])
    np.testing.assert_allclose(back.curvature, -path.curvature[::-1])
    np.testing.assert_allclose(np.cos(back.heading), -np.cos(path.heading[::-1]), atol=1e-12)
    np.testing.assert_allclose(back.slope, -0.1, atol=1e-9)
    turned = path.moved(1.0, 2.0, 3.0, 0.5)
    assert turned.length == path.length and turned.heading[0] == 0.5


def uneven(closed: bool) -> Path:
    """A path whose columns are all different, on both sides, at another place and heading."""
    if closed:
        path = Path.from_points(ring() + np.array([3.0, -7.0, 1.0]))
    else:
        path = joined([(50.0, 0.0, 0.02), (60.0, 0.02, 0.02)], z=lambda s: 0.1 * s).moved(3.0, -7.0, 1.0, 0.5)
    s = path.s
    return replace(path, left=3 + 0.01 * s, right=2 + 0.02 * s, bank=0.05 - 0.001 * s, speed=20 + 0.1 * s)


@pytest.mark.parametrize("closed", [False, True])
def test_the_other_way_round_every_place_keeps_its_ground(closed: bool) -> None:
    path = uneven(closed)
    back = path.reversed()
    at = np.array([10.0, 31.25, 77.0])
    there = path.length - at
    np.testing.assert_allclose(back.at(at), path.at(there), atol=1e-9)
    np.testing.assert_allclose(np.exp(1j * back.at(at, "heading")), -np.exp(1j * path.at(there, "heading")), atol=1e-9)
    for name, other, sign in (
        ("left", "right", 1.0),  # left of one who comes back is the right of one who goes
        ("right", "left", 1.0),
        ("bank", "bank", -1.0),
        ("curvature", "curvature", -1.0),
        ("speed", "speed", 1.0),
    ):
        np.testing.assert_allclose(back.at(at, name), sign * path.at(there, other), atol=1e-9, err_msg=name)


@pytest.mark.parametrize("closed", [False, True])
def test_in_a_mirror_left_is_right(closed: bool) -> None:
    path = uneven(closed)
    other = path.mirrored()
    np.testing.assert_array_equal(other.at(path.s), path.at(path.s) * [1.0, -1.0, 1.0])
    for name, there, sign in (("heading", "heading", -1), ("curvature", "curvature", -1), ("bank", "bank", -1),
                              ("left", "right", 1), ("right", "left", 1), ("speed", "speed", 1)):  # fmt: skip
        np.testing.assert_array_equal(getattr(other, name), sign * getattr(path, there), err_msg=name)


def test_slope_and_vertical_curvature() -> None:
    path = joined([(200.0, 0.0, 0.0)], step=0.5, z=lambda s: 0.001 * s**2)
    np.testing.assert_allclose(path.slope, 0.002 * path.s, atol=1e-9)
    np.testing.assert_allclose(path.vertical_curvature, 0.002, atol=1e-7)
    assert path.s_3d[-1] > path.length


# --- courses --------------------------------------------------------------------------------------------------------


def test_iso_3888_1_is_125_m_long() -> None:
    gates = iso_3888_1(1.8).gates
    assert gates[-1, 0] - gates[0, 0] == sum([15, 30, 25, 25, 15, 15])
    clear = gates[:, 1] - gates[:, 2] - 0.3
    np.testing.assert_allclose(clear, 1.8 * np.repeat([1.1, 1.2, 1.3], 3) + 0.25, atol=1e-12)
    np.testing.assert_allclose(gates[3:6, 2] - gates[:3, 2], 3.5, atol=1e-12)
    with pytest.raises(ParameterError, match="expected 15, 30, 45"):
        iso_3888_1(last=20.0)


def test_cones_of_iso_3888_1() -> None:
    gates = iso_3888_1(2.0, last=60.0).gates
    np.testing.assert_allclose(gates[:, 0], [30, 37.5, 45, 75, 87.5, 100, 125, 140, 155, 170, 185], atol=1e-9)
    np.testing.assert_allclose(gates[:3, 1:], [[1.375, -1.375]] * 3, atol=1e-9)
    np.testing.assert_allclose(gates[3:6, 1:], [[5.075, 2.125]] * 3, atol=1e-9)
    np.testing.assert_allclose(gates[6:, 1:], [[1.775, -1.375]] * 5, atol=1e-9)


def test_cones_of_iso_3888_2() -> None:
    gates = iso_3888_2(2.0).gates
    x = [*np.arange(30, 42.1, 3), *np.arange(55.5, 66.6, 2.75), *np.arange(79, 91.1, 3)]
    np.testing.assert_allclose(gates[:, 0], x, atol=1e-9)
    for rows, y in ((slice(0, 5), (1.375, -1.375)), (slice(5, 10), (5.375, 2.075)), (slice(10, 15), (1.375, -1.925))):
        np.testing.assert_allclose(gates[rows, 1:], [y] * 5, atol=1e-9)
    assert gates[10, 0] - gates[0, 0] + 12 == pytest.approx(61)
    wide = iso_3888_2(2.4).gates[12]
    assert wide[1] - wide[2] - 0.3 == pytest.approx(1.3 * 2.4 + 0.25)


@pytest.mark.parametrize("make", [iso_3888_1, iso_3888_2, slalom])
def test_paths_go_through_their_gates(make: object) -> None:
    course = make()  # type: ignore[operator]
    y = np.interp(course.gates[:, 0], course.path.x, course.path.y)
    assert np.all(y < course.gates[:, 1]) and np.all(y > course.gates[:, 2])
    # continuous curvature: its steps shrink with those of the stations
    fine = make(step=0.25).path  # type: ignore[operator]
    assert np.max(np.abs(np.diff(fine.curvature))) < 0.65 * np.max(np.abs(np.diff(course.path.curvature)))


def test_skidpad_with_clothoids() -> None:
    path = skidpad(50.0, side="right", entry=30.0, spiral=20.0, turns=1.0, exit_length=10.0, step=0.5)
    s, kappa = path.s, path.curvature
    spiral = (s > 30) & (s < 50)
    np.testing.assert_allclose(kappa[spiral], -(s[spiral] - 30) / 20 / 50, atol=1e-12)
    a, b = path.at(np.array([50.0, 50 + 2 * math.pi * 50]))
    assert math.hypot(*(a - b)[:2]) < 1e-3  # once around
    assert circle(20.0).closed and circle(20.0).length == pytest.approx(40 * math.pi)


# --- files ----------------------------------------------------------------------------------------------------------


def test_drd_columns_have_a_fixed_order() -> None:
    text = "# z x y speed width inc\n0 0 8 0.00 20 0\n-10 0 8 0.02 18 1\n-20 0.5 8 0.02 18 2\n"
    file = parse_drd(text)
    assert any("order is always" in p.message for p in file.report.warnings)
    path = file.path()
    np.testing.assert_allclose(file.s, [0, math.sqrt(101), math.sqrt(101) + math.sqrt(101.25)])
    assert np.all(np.diff(path.s) > 0) and not path.closed
    assert path.left[0] == 4.0 and path.speed[0] == 20.0 and path.bank[-1] == pytest.approx(0.02)  # type: ignore[index]
    assert path.z[-1] == pytest.approx(2.0)


def test_drd_round_trip() -> None:
    path = Path.from_points(ring(), left=4.0, right=4.0, bank=0.05, speed=30.0)
    text = drd_text(path)
    again = parse_drd(text).path(step=path.step)
    assert again.closed and again.length == pytest.approx(path.length, abs=1e-6)
    assert np.max(np.abs(again.curvature * 50 - 1)) < 2e-3
    assert drd_text(Path.from_points(ring())).splitlines()[0] == "# x-coord y-coord width lat.inc speed z-coord"


def test_a_written_drd_holds_the_path_as_another_program_reads_it(tmp_path: FilePath) -> None:
    """By NumPy's own reader: x, y, whole width, tangent of the bank, speed, z of every station, to the last bit."""
    s = np.linspace(0.0, 90.0, 31)
    points = np.column_stack([s, -6 * np.sin(s / 20), 0.03 * s])
    path = Path.from_points(points, left=3.0, right=4.5 + 0.01 * s, bank=-0.02 + 0.001 * s, speed=12 + 0.1 * s)
    write_drd(path, tmp_path / "a.drd")
    table = np.loadtxt(tmp_path / "a.drd", comments="#")
    assert path.left is not None and path.right is not None
    wanted = [path.x, path.y, path.left + path.right, path.bank, path.speed, path.z]
    np.testing.assert_array_equal(table, np.column_stack(wanted))
    head = (tmp_path / "a.drd").read_text().splitlines()[0]
    assert head.split() == ["#", "x-coord", "y-coord", "width", "lat.inc", "speed", "z-coord"]
    again = read_drd(tmp_path / "a.drd").path(step=path.step)
    # stations between points by another spline through the same points
    for name in ("x", "y", "z"):
        np.testing.assert_allclose(getattr(again, name), getattr(path, name), atol=1e-4)


def test_geographic_coordinates_keep_lengths() -> None:
    # one degree of latitude and of longitude at 48 degrees, from the radii of curvature of WGS 84
    x, y = to_plane([11.0, 11.1, 11.0], [48.0, 48.0, 48.1], 11.0, 48.0)
    e2, a = 0.00669437999014, 6378137.0
    w = 1 - e2 * math.sin(math.radians(48)) ** 2
    assert x[1] == pytest.approx(math.radians(0.1) * a / math.sqrt(w) * math.cos(math.radians(48)), rel=1e-5)
    middle = 1 - e2 * math.sin(math.radians(48.05)) ** 2
    assert y[2] == pytest.approx(math.radians(0.1) * a * (1 - e2) / middle**1.5, rel=1e-5)
    lon, lat = from_plane(x, y, 11.0, 48.0)
    np.testing.assert_allclose(lon, [11.0, 11.1, 11.0], atol=1e-9)
    np.testing.assert_allclose(lat, [48.0, 48.0, 48.1], atol=1e-9)


@pytest.mark.parametrize("ending", ["drd", "csv", "kml", "gpx"])
def test_paths_are_written_and_read_again(ending: str, tmp_path: FilePath) -> None:
    path = Path.from_points(ring() - ring()[0])
    place = tmp_path / f"ring.{ending}"
    write_path(path, place, 11.0, 48.0)
    again = read_path(place, step=path.step)
    assert again.closed and again.length == pytest.approx(path.length, abs=2e-3)
    # kml and gpx have nine decimals of a degree: 0.1 mm
    np.testing.assert_allclose(again.at(np.linspace(0, 300, 50)), path.at(np.linspace(0, 300, 50)), atol=2e-3)


def test_csv_with_names_and_separators() -> None:
    text = "# x_m; y_m; w_tr_right_m; w_tr_left_m\n0;0;3;4\n10;0;3;4\n20;1;3;5\n30;2;3;5\n"
    path = parse_csv(text)
    assert path.left[0] == 4.0 and path.right[0] == 3.0 and path.left[-1] == 5.0  # type: ignore[index]
    assert parse_csv("0 0\n10 0\n20 0\n").length == pytest.approx(20)
    assert parse_csv("lon,lat\n11,48\n11.001,48\n11.002,48\n").length == pytest.approx(149.18, abs=0.2)


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (parse_drd, "# x\n1 2 3\n", "line 2.*six numbers"),
        (parse_drd, "# x\n0 0 1 0 0 0\n0 0 1 0 0 0\n", "line 3.*same point"),
        (parse_drd, "", "at least two"),
        (parse_csv, "a,b\n1,2\n", "x and y"),
        (parse_csv, "x,y\n1,2\n3,oops\n", "line 3"),
        (parse_kml, "<kml><Placemark/></kml>", "no LineString"),
        (parse_kml, "<kml><LineString><coordinates>1,2 x,y</coordinates></LineString></kml>", "longitude,latitude"),
        (parse_gpx, "<gpx><trkpt lat='1' lon='a'/></gpx>", "expected numbers"),
        (parse_gpx, "<gpx", "not well-formed"),
        (parse_gpx, "<!DOCTYPE a [<!ENTITY b 'c'>]><gpx/>", "document type"),
    ],
)
def test_damaged_path_files(parse: object, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"(?s){message}"):
        parse(text, "a.txt")  # type: ignore[operator]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([parse_drd, parse_csv, parse_kml, parse_gpx]), st.data())
def test_fuzzed_path_files_are_read_or_refused(parse: object, data: st.DataObject) -> None:
    path = Path.straight(20.0, step=5.0)
    texts = {parse_drd: drd_text(path), parse_csv: "x,y,z\n0,0,0\n5,1,0\n9,2,0\n", parse_kml: kml_text(path, 8, 50)}
    text = texts.get(parse) or gpx_text(path, 8, 50)  # type: ignore[call-overload]
    letters = list(text)
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(letters) - 1))
        letters[at] = data.draw(st.text(max_size=3))
    try:
        found = parse("".join(letters))  # type: ignore[operator]
        if hasattr(found, "path"):
            found.path()
    except JounceError:
        pass


def test_the_ends_of_a_bend_back_are_near_and_the_path_is_open() -> None:
    u_turn = [[0, 0], [100, 0], [200, 0], [200, 40], [100, 40], [0, 40]]
    assert not Path.from_points(u_turn).closed
    assert Path.from_points(u_turn, closed=True).closed
    assert Path.from_points([*u_turn, u_turn[0]]).closed  # the first point repeated
    zigzag = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 3]]
    assert not Path.from_points(zigzag).closed


@pytest.mark.parametrize("n", [6, 7, 12, 60])
def test_circles_of_points_stay_closed(n: int) -> None:
    assert Path.from_points(ring(n)).closed
    assert Path.from_points(np.vstack([ring(n), ring(n)[:1] + 1e-3])).closed  # the first point nearly repeated


@pytest.mark.parametrize(
    ("head", "rows", "length"),
    [
        ("x [mm],y [mm]", "0,0\n100000,0\n200000,0\n", 200.0),
        ("x (km);y (km)", "0;0\n0.1;0\n0.2;0\n", 200.0),
        ("x [ft],y [m]", "0,0\n100,0\n200,0\n", 60.96),
        ("# x_m [m]\ty_m [m]", "0\t0\n100\t0\n200\t0\n", 200.0),
        ("x,y", "0,0\n1d2,0\n2D2,0\n", 200.0),  # numbers as Fortran writes them
    ],
)
def test_csv_units_count(head: str, rows: str, length: float) -> None:
    assert parse_csv(f"{head}\n{rows}").length == pytest.approx(length, rel=1e-12)


def test_csv_units_of_other_columns() -> None:
    text = "x [m],y [m],width [cm],bank [deg],speed [km/h],time [ms]\n0,0,600,3,36,0\n50,0,600,3,36,1\n"
    path = parse_csv(text)
    assert path.left is not None and path.bank is not None and path.speed is not None
    assert path.left[0] == pytest.approx(3.0) and path.speed[0] == pytest.approx(10.0)
    assert path.bank[0] == pytest.approx(math.tan(math.radians(3)))
    assert parse_csv("x,y,bank [%]\n0,0,5\n9,0,5\n").bank[0] == pytest.approx(0.05)  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x [kg],y [m]\n0,0\n1,1\n", r"line 1 .*x \[kg\].*fits m"),
        ("x [parsecs_],y [m]\n0,0\n1,1\n", "line 1 .*parsecs_"),
        ("x,y\n0,0\n1e999,1\n", "line 3 .*too large"),
        ("lat,lon\n101,11\n101.001,11\n", r"a.csv: point 1: found the latitude 101; allowed: -89.9 to 89.9"),
        ("lat,lon\n48,11\n48.1,400\n", "point 2: found the longitude 400"),
        ("lat,lon\n48,11\n50,11\n", "more than one degree"),
    ],
)
def test_csv_that_cannot_be_meant(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"(?s){message}"):
        parse_csv(text, "a.csv")


def test_heights_of_maps_count_from_the_first_point() -> None:
    points = [(11.0, 48.0, 500.0), (11.001, 48.0, 510.0), (11.002, 48.0, 520.0)]
    gpx = "".join(f"<trkpt lat='{b}' lon='{a}'><ele>{z}</ele></trkpt>" for a, b, z in points)
    found = [
        parse_kml(
            "<kml><LineString><coordinates>"
            + " ".join(f"{a},{b},{z}" for a, b, z in points)
            + "</coordinates></LineString></kml>"
        ),
        parse_gpx(f"<gpx><trk><trkseg>{gpx}</trkseg></trk></gpx>"),
        parse_csv("lon,lat,ele\n" + "\n".join(f"{a},{b},{z}" for a, b, z in points)),
    ]
    for path in found:
        assert path.z[0] == pytest.approx(0.0, abs=1e-12) and path.z[-1] == pytest.approx(20.0, abs=1e-9)
        assert path.length == pytest.approx(found[0].length, rel=1e-12)
    # plane coordinates stay as they are
    assert parse_csv("x,y,z\n0,0,500\n9,0,501\n").z[0] == 500.0


def test_of_several_tracks_the_first_is_taken_and_said(caplog: pytest.LogCaptureFixture, tmp_path: FilePath) -> None:
    def track(lat: float) -> str:
        points = [f"<trkpt lat='{lat}' lon='{11 + k / 1000}'/>" for k in range(4)]
        parts = "".join(points[:2]), "".join(points[2:])  # a track may be interrupted
        return f"<trk>{''.join(f'<trkseg>{p}</trkseg>' for p in parts)}</trk>"

    one, two = (f"<gpx>{''.join(map(track, lats))}</gpx>" for lats in ((48.0,), (48.0, 48.01)))
    path = parse_gpx(one)
    assert not caplog.records
    assert parse_gpx(two, "two.gpx").length == pytest.approx(path.length, rel=1e-12)
    assert "two.gpx" in caplog.text and "2 tracks" in caplog.text
    (tmp_path / "two.gpx").write_text(two)
    report = Report("two.gpx")
    read_path(tmp_path / "two.gpx", report=report)
    assert [p.message for p in report.warnings] == ["found 2 tracks; the first is taken"]
    line = "<LineString><coordinates>11,48 11.001,48 11.002,{}</coordinates></LineString>"
    caplog.clear()
    assert parse_kml(f"<kml>{line.format(48)}{line.format(48.01)}</kml>").length == pytest.approx(149.18, abs=0.2)
    assert "2 lines" in caplog.text
