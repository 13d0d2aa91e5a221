"""RDF in detail: orientation, division and interpolation of sections, track paths by file, what is told to events."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import FormatError
from jounce.files.crg import write_crg
from jounce.files.rdf import parse_rdf, read_rdf
from jounce.road.grid import GridRoad
from jounce.road.mesh import MeshRoad
from jounce.road.simple import Sum
from road_texts import HEAD

STRAIGHT = "0 0 0 0\n50 0 0 0\n100 0 0 0"


def extrusion(
    rows: str,
    *,
    line: str = STRAIGHT,
    absolute: str = "FALSE",
    along: str = "SEGMENTATION = 'NONE'\nINTERPOLATION = 'BASIC'\nSEGMENT = 0",
    across: str = "SEGMENTATION = 'NONE'\nINTERPOLATION = 'BASIC'\nSEGMENT = 0",
    section: str = "-3 0 1\n0 0.03 1\n3 0 0.5",
) -> str:
    points = len(section.splitlines())
    return f"""{HEAD}[MODEL]
TYPE = 'EXTRUSION'
[GLOBAL]
DISCRETIZATION_STEP = 0.5
[MEASURED_CENTERLINE]
{{ x_coord y_coord z_coord bank_angle }}
{line}
[CENTERLINE_PROPERTIES]
{along}
(PROPERTIES)
{{ s ori a1 a2 a3 scale1 scale2 friction section }}
{rows}
[SECTION_PROPERTIES]
{across}
ABSOLUTE_ORIENTATION = '{absolute}'
POINTS = {points}
VARIABLE_SECTION = 'TRUE'
(LIST)
{{ name }}
'SECTION_1'
[SECTION_1]
{{ u v friction }}
{section}
"""


# -- orientation of sections -----------------------------------------------------------------------------------------


def turned(a1: float, a2: float, a3: float) -> np.ndarray:
    """Rz(a3) Ry(a2) Rx(a1), by products of matrices."""
    c, s = np.cos([a1, a2, a3]), np.sin([a1, a2, a3])
    x = np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    y = np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    z = np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    return z @ y @ x


@pytest.mark.parametrize("angles", [(0.1, 0.0, 0.0), (0.05, 0.04, 0.3), (-0.08, 0.1, -0.5), (0.0, 0.0, 0.2)])
def test_sections_with_absolute_angles_are_where_these_say(angles: tuple[float, float, float]) -> None:
    a1, a2, a3 = angles
    rows = f"0 0 {a1} {a2} {a3} 1 1 1 1\n100 0 {a1} {a2} {a3} 1 1 1 1"
    road = parse_rdf(extrusion(rows, absolute="TRUE")).road()
    assert isinstance(road, MeshRoad)
    for s in (0.0, 20.25, 61.0, 100.0):
        for u, v in ((-3.0, 0.0), (0.0, 0.03), (3.0, 0.0), (1.5, 0.015)):
            point = np.array([s, 0.0, 0.0]) + turned(*angles) @ [0.0, u, v]
            inside = point - 1e-9 * np.array([np.sign(point[0] - 50), np.sign(point[1]), 0.0])
            assert float(road.query(inside[0], inside[1]).height) == pytest.approx(point[2], abs=1e-8)


def test_absolute_sections_do_not_turn_with_the_line() -> None:
    """A quarter of a circle whose sections all lie along y: shifted copies; relative ones fan out."""
    phi = np.linspace(0.0, 0.25 * math.pi, 30)
    radius = 100.0
    line = "\n".join(f"{radius * math.sin(p):.9f} {radius * (1 - math.cos(p)):.9f} 0 0" for p in phi)
    end = radius * 0.25 * math.pi
    rows = f"0 0 0.05 0 0 1 1 1 1\n{end:.6f} 0 0.05 0 0 1 1 1 1"
    absolute, relative = (parse_rdf(extrusion(rows, line=line, absolute=a)).road() for a in ("TRUE", "FALSE"))
    for p in (0.1, 0.4, 0.7):
        x, y = radius * math.sin(p), radius * (1 - math.cos(p))
        for u in (-2.0, 2.0):
            v = 0.03 * (1 - abs(u) / 3)
            dy, z = math.cos(0.05) * u - math.sin(0.05) * v, math.sin(0.05) * u + math.cos(0.05) * v
            # chords of half a metre on a radius of 100 m: 0.3 mm beside, times the slope of 0.06
            assert float(absolute.query(x, y + dy).height) == pytest.approx(z, abs=5e-5)
            nx, ny = -math.sin(p), math.cos(p)
            assert float(relative.query(x + dy * nx, y + dy * ny).height) == pytest.approx(z, abs=5e-5)


@pytest.mark.parametrize("bank", [0.05, -0.03])
def test_skew_sections_lie_on_the_bank_of_the_line(bank: float) -> None:
    """Relative angles count from the banked line, absolute ones from the level."""
    line = f"0 0 0 {bank}\n50 0 0 {bank}\n100 0 0 {bank}"
    rows = "0 0 0.02 0.04 0.3 1 1 1 1\n100 0 0.02 0.04 0.3 1 1 1 1"
    for absolute, roll in (("FALSE", 0.02 + bank), ("TRUE", 0.02)):
        road = parse_rdf(extrusion(rows, line=line, absolute=absolute)).road()
        assert isinstance(road, MeshRoad)
        for u, v in ((-1.5, 0.015), (0.0, 0.03), (2.0, 0.01)):
            point = np.array([61.0, 0.0, 0.0]) + turned(roll, 0.04, 0.3) @ [0.0, u, v]
            # sections every half metre, straight in between: the ridge at u = 0 is one of their points
            assert float(road.query(point[0], point[1]).height) == pytest.approx(point[2], abs=1e-6), (absolute, u)


def test_relative_sections_may_be_skew() -> None:
    rows = "0 0 0 0 0.4 1 1 1 1\n100 0 0 0 0.4 1 1 0.8 1"
    road = parse_rdf(extrusion(rows)).road()
    assert isinstance(road, MeshRoad)
    ahead = np.array([math.cos(0.4), math.sin(0.4)])
    left = np.array([-ahead[1], ahead[0]])
    at = np.array([40.0, 0.0]) + 1.5 * left
    here = road.query(*at)
    assert float(here.height) == pytest.approx(0.015, abs=1e-9)
    assert float(here.friction) == pytest.approx((1.0 * (1 + 0.5) + 0.8 * (1 + 0.5)) / 4)


def test_sections_that_cross_each_other_are_refused() -> None:
    rows = "0 0 0 0 1.2 1 1 1 1\n2 0 0 0 -1.2 1 1 1 1"
    with pytest.raises(FormatError, match=r"sections cross each other near s = \d"):
        parse_rdf(extrusion(rows, absolute="TRUE"))
    with pytest.raises(FormatError, match="found ori = 1; known: 0"):
        parse_rdf(extrusion("0 1 0 0 0 1 1 1 1\n100 0 0 0 0 1 1 1 1"))


# -- division and interpolation --------------------------------------------------------------------------------------

STATIONS = np.array([0.0, 20.0, 45.0, 60.0, 80.0, 100.0])
SCALES = np.array([1.0, 3.0, 0.5, 2.0, 4.0, 1.0])
DIVISIONS = {"NONE": 0.0, "AUTO": 0.0, "DIMENSION": 0.5, "STEP": 40.0}


def keys(division: str, shape: str, segment: float | None = None) -> str:
    value = DIVISIONS[division] if segment is None else segment
    return f"SEGMENTATION = '{division}'\nINTERPOLATION = '{shape}'\nSEGMENT = {value}"


@pytest.mark.parametrize("shape", ["BASIC", "LINEAR", "CUBIC_SPLINE", "QUINTIC_SPLINE"])
@pytest.mark.parametrize("division", DIVISIONS)
def test_sections_along_the_line(division: str, shape: str) -> None:
    """Heights of the crown: exact at the stations whatever lies between; between them straight or the spline."""
    from scipy.interpolate import CubicSpline, make_interp_spline

    rows = "\n".join(f"{s} 0 0 0 0 1 {k} 1 1" for s, k in zip(STATIONS, SCALES, strict=True))
    road = parse_rdf(extrusion(rows, along=keys(division, shape))).road()
    np.testing.assert_allclose(road.query(STATIONS, 0.0).height, 0.03 * SCALES, atol=1e-9)
    s = np.linspace(0.3, 99.7, 300)
    expected = np.interp(s, STATIONS, SCALES)
    tolerance = 1e-9
    if division != "NONE" and shape in ("CUBIC_SPLINE", "QUINTIC_SPLINE"):
        spline = CubicSpline(STATIONS, SCALES) if shape[0] == "C" else make_interp_spline(STATIONS, SCALES, k=5)
        expected = spline(s)
        step = {"AUTO": 15 / 8, "DIMENSION": 0.5, "STEP": 25 / 40}[division]
        bend = np.abs(spline.derivative(2)(np.linspace(0, 100, 2000))).max()
        tolerance = 0.03 * bend * step**2 / 8 + 1e-9  # straight between the divisions
        assert 0.03 * np.abs(expected - np.interp(s, STATIONS, SCALES)).max() > 10 * tolerance
    np.testing.assert_allclose(road.query(s, 0.0).height, 0.03 * expected, atol=tolerance)


@pytest.mark.parametrize("shape", ["BASIC", "LINEAR", "CUBIC_SPLINE", "QUINTIC_SPLINE"])
@pytest.mark.parametrize("division", DIVISIONS)
def test_points_across_the_line(division: str, shape: str) -> None:
    from scipy.interpolate import CubicSpline, make_interp_spline

    u = np.array([-4.0, -2.5, -1.0, 0.5, 2.0, 4.0])
    v = np.array([0.0, 0.3, 0.1, 0.4, 0.2, 0.5])
    section = "\n".join(f"{a} {b} 1" for a, b in zip(u, v, strict=True))
    segment = {"DIMENSION": 0.1, "STEP": 20.0}.get(division)
    road = parse_rdf(extrusion("0 0 0 0 0 1 1 1 1", section=section, across=keys(division, shape, segment))).road()
    np.testing.assert_allclose(road.query(30.0, u[1:-1]).height, v[1:-1], atol=1e-9)
    n = np.linspace(-3.9, 3.9, 200)
    expected, tolerance = np.interp(n, u, v), 1e-9
    if division != "NONE" and shape in ("CUBIC_SPLINE", "QUINTIC_SPLINE"):
        spline = CubicSpline(u, v) if shape[0] == "C" else make_interp_spline(u, v, k=5)
        expected = spline(n)
        step = {"AUTO": 1.5 / 8, "DIMENSION": 0.1, "STEP": 2.0 / 20}[division]
        tolerance = np.abs(spline.derivative(2)(np.linspace(-4, 4, 2000))).max() * step**2 / 8 + 1e-9
    np.testing.assert_allclose(road.query(30.0, n).height, expected, atol=tolerance)


# -- the track of a mesh ---------------------------------------------------------------------------------------------

MESH = """[MODEL]
TYPE = 'MESH'
[GLOBAL]
IRREGULARITIES = 'MEASURED'
ORIGIN_X = 7
ORIGIN_A3 = 1.5707963267948966
[NODES]
{ id x_coord y_coord z_coord }
1 0 -50 0
2 0 50 0
3 200 -50 0
4 200 50 0
[ELEMENTS]
{ n1 n2 n3 mu }
1 3 2 1
3 4 2 1
[IRREGULARITIES]
MODEL = 'MEASURED_STD'
[MEASURED_IRREGULARITIES]
{s left_z right_z}
0 0 0
50 0.02 0.01
100 0 0
[TRACK_PATH]
TYPE = 'DRD_FILE'
FILE_NAME = './track.drd'
REFERENCE = 'RELATIVE'
"""


def test_the_track_of_a_mesh_by_a_path_file(tmp_path: Path) -> None:
    """Along x in the file. Relative it turns and moves with the road, to y at x = 7; absolute it stays along x."""
    rows = "\n".join(f"{x:.1f} 0.0 6.0 0.0 20.0 0.0" for x in np.linspace(0, 100, 51))
    (tmp_path / "track.drd").write_text(f"# x-coord y-coord width lat.inc speed z-coord\n{rows}\n")
    (tmp_path / "relative.rdf").write_text(HEAD + MESH)
    (tmp_path / "absolute.rdf").write_text(HEAD + MESH.replace("'RELATIVE'", "'ABSOLUTE'"))
    relative, absolute = (read_rdf(tmp_path / f"{n}.rdf").road() for n in ("relative", "absolute"))
    assert isinstance(relative, Sum)
    # left of +y is -x
    np.testing.assert_allclose(relative.query([6.0, 8.0], 50.0).height, [0.02, 0.01], atol=1e-6)
    np.testing.assert_allclose(relative.query([6.0, 8.0], [25.0, 75.0]).height, [0.01, 0.005], atol=1e-6)
    # left of +x is +y; the mesh covers x from -43 to 57 after its turn
    np.testing.assert_allclose(absolute.query(50.0, [1.0, -1.0]).height, [0.02, 0.01], atol=1e-6)
    np.testing.assert_allclose(absolute.query([-20.0, -40.0], 50.0).height, 0.0, atol=1e-12)
    (tmp_path / "missing.rdf").write_text(HEAD + MESH.replace("track.drd", "trak.drd"))
    with pytest.raises(FormatError, match=r"missing.rdf\n +line \d+ +\[TRACK_PATH\] FILE_NAME"):
        read_rdf(tmp_path / "missing.rdf")


# -- what is told to events ------------------------------------------------------------------------------------------

FLAT = "[MODEL]\nTYPE = 'FLAT'\n[GLOBAL]\n{}\n[FRICTION]\nGLOBAL = 1\n"


def test_a_road_carries_what_events_ask() -> None:
    usual = parse_rdf(HEAD + FLAT.format("ORIGIN_Z = 1")).road()
    assert (usual.smoothing_time, usual.warns, usual.normals) == (0.0, True, "surface")
    told = parse_rdf(HEAD + FLAT.format("SMOOTHING_TIME = 0.8\nEVENT_CHECK = 'FALSE'"))
    assert (told.road().smoothing_time, told.road().warns) == (0.8, False) and not told.report.warnings
    with pytest.raises(FormatError, match=r"line 14 +\[GLOBAL\] SMOOTHING_TIME: found -1 s"):
        parse_rdf(HEAD + FLAT.format("SMOOTHING_TIME = -1"))


def test_smoothing_time_of_a_rough_mesh(tmp_path: Path) -> None:
    table = "TYPE = 'NUMERIC_DATA'\n(TABLE)\n{ x_coord y_coord z_coord }\n0 0 0\n100 0 0\n"
    body = MESH.partition("TYPE = 'DRD_FILE'")[0].replace("ORIGIN_X = 7", "SMOOTHING_TIME = 2") + table
    road = parse_rdf(HEAD + body).road()
    assert isinstance(road, Sum) and road.smoothing_time == 2.0
    (tmp_path / "mesh.rdf").write_text(HEAD + body)
    (tmp_path / "all.rdf").write_text(HEAD + "[MODEL]\nTYPE = 'COMPOSITE'\n[ROAD_DATA]\nFILE_NAME = './mesh.rdf'\n")
    assert read_rdf(tmp_path / "all.rdf").road().smoothing_time == 2.0  # of the road below


def test_normals_of_open_crg(tmp_path: Path) -> None:
    u, v = np.arange(0, 20.01, 0.2), np.linspace(-2, 2, 21)
    write_crg(GridRoad(z=0.1 * u[:, None] + 0.05 * v[None, :], du=0.2, v=v), tmp_path / "tilted.crg")
    text = "[MODEL]\nTYPE = 'OPEN_CRG'\n[OPEN_CRG]\nFILE = './tilted.crg'\n"
    for key, normals in (("", "points"), ("MPC_ACTIVE = 'TRUE'\n", "points"), ("MPC_ACTIVE = 'FALSE'\n", "vertical")):
        (tmp_path / "road.rdf").write_text(HEAD + text + key)
        road = read_rdf(tmp_path / "road.rdf").road()
        assert road.normals == normals and road.spacing == pytest.approx(0.2)


def test_outside_roads_say_how_their_points_are_meant() -> None:
    body = "[MODEL]\nTYPE = 'EXTERNAL'\n"
    assert parse_rdf(HEAD + body).ground == "external"
    assert parse_rdf(HEAD + body + "OPERATING_MODE = 0\n").ground == "external-points"
    assert parse_rdf(HEAD + FLAT.format("ORIGIN_X = 0")).ground == "road"
    with pytest.raises(FormatError, match=r"line 13 +\[MODEL\] OPERATING_MODE: found 2; allowed: 1"):
        parse_rdf(HEAD + body + "OPERATING_MODE = 2\n")
