"""Readers of roads and paths against damage: cut short, garbage, counts of astronomical size, contradictions.

Whatever is read gives a road, or an error with the place; nothing hangs, nothing takes memory for what is not there.
"""

from __future__ import annotations

import contextlib
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.core.errors import FormatError, JounceError
from jounce.files.crg import crg_bytes, parse_crg
from jounce.files.drd import drd_text, parse_drd
from jounce.files.gps import gpx_text, kml_text, parse_csv, parse_gpx, parse_kml, read_path
from jounce.files.rdf import parse_rdf
from jounce.files.roads import load_road, parse_road
from jounce.road.grid import GridRoad
from jounce.road.path import Path as Line
from road_texts import HEAD

MEASURED = """[MODEL]
TYPE = 'MEASURED'
[GLOBAL]
DISCRETIZATION_STEP = 0.5
[WIDTH]
LEFT_SIDE_WIDTH = 4
RIGHT_SIDE_WIDTH = 4
[FRICTION]
LEFT_SIDE_MU = 1
RIGHT_SIDE_MU = 1
[MEASURED_CENTERLINE]
{ x_coord y_coord z_coord bank_angle }
0 0 0 0
20 1 0 0
40 0 0.5 0.01
60 -2 1 0
"""
YAML = """road: example
line:
  - straight: 50
  - clothoid: {length: 20, from: 0, to: 0.0125}
  - arc: {radius: 80, angle: 30 deg}
width: {left: 4, right: 4}
height: [[0, 0], [60, 2]]
bank: [[0, 0], [90, 0.05]]
friction: {left: 1.0, right: 0.3}
kerbs: {left: {slope_1: 0.1, width_1: 0.5}}
features:
  - pothole: {s: 30, n: 1.0, depth: 60 mm}
  - patch: {s0: 10, s1: 20, friction: 0.4}
smoothing_time: 0.5
"""


def grid() -> GridRoad:
    u = np.arange(12)[:, None] * np.ones(5)
    return GridRoad(z=0.01 * u, du=0.5, v=np.linspace(-1, 1, 5), headings=np.linspace(0, 0.3, 11))


def asked(found: Any) -> None:
    """Use what was read: it must answer."""
    road = found.road() if hasattr(found, "road") and not isinstance(found, Line) else found
    if hasattr(road, "query"):
        road.query([0.0, 10.0, 1e6], [0.0, 1.0, -1e6])
    elif hasattr(road, "path"):
        road.path()


LINE = Line.straight(20.0, step=5.0)
READERS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "yaml": (parse_road, YAML),
    "rdf": (parse_rdf, HEAD + MEASURED),
    "drd": (parse_drd, drd_text(LINE)),
    "csv": (parse_csv, "x,y,z\n0,0,0\n5,1,0\n9,2,0\n"),
    "kml": (parse_kml, kml_text(LINE, 8, 50)),
    "gpx": (parse_gpx, gpx_text(LINE, 8, 50)),
    "crg text": (parse_crg, crg_bytes(grid(), format="LRFI")),
    "crg double text": (parse_crg, crg_bytes(grid(), format="LDFI")),
    "crg binary": (parse_crg, crg_bytes(grid(), format="KRBI")),
    "crg double binary": (parse_crg, crg_bytes(grid(), format="KDBI")),
}


@pytest.mark.parametrize("name", READERS)
def test_a_file_cut_short_anywhere_is_a_road_or_refused(name: str) -> None:
    read, whole = READERS[name]
    asked(read(whole))
    for end in np.unique(np.linspace(0, len(whole) - 1, 20 if name == "yaml" else 60).astype(int)):
        with contextlib.suppress(JounceError):
            asked(read(whole[:end]))


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_a_road_or_refused(name: str, data: st.DataObject) -> None:
    read, whole = READERS[name]
    binary = isinstance(whole, bytes)
    parts = bytearray(whole) if binary else list(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        if not parts:
            break
        at = data.draw(st.integers(0, len(parts) - 1))
        kind = data.draw(st.sampled_from(["change", "delete", "insert", "repeat"]))
        if kind == "delete":
            del parts[at : at + data.draw(st.integers(1, 40))]
        elif kind == "repeat":
            parts[at:at] = parts[at : at + data.draw(st.integers(1, 80))]
        else:
            piece = data.draw(st.binary(max_size=8)) if binary else list(data.draw(st.text(max_size=8)))
            parts[at : at + (kind == "change")] = piece
    with contextlib.suppress(JounceError):
        asked(read(bytes(parts) if binary else "".join(parts)))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("garbage", ["", "\0" * 300, "hello\n" * 50, "{" * 2000, "[[[[" * 500, "\ufeff", "1 " * 5000])
def test_garbage_is_refused(name: str, garbage: str) -> None:
    read, whole = READERS[name]
    with pytest.raises(JounceError):
        asked(read(garbage.encode() if isinstance(whole, bytes) else garbage))


ANALYTIC = """[MODEL]
TYPE = 'ANALYTIC'
[GLOBAL]
DISCRETIZATION_STEP = 0.5
[WIDTH]
LEFT_SIDE_WIDTH = 4
RIGHT_SIDE_WIDTH = 4
[FRICTION]
LEFT_SIDE_MU = 1
[PLANT_PATH]
{ s curvature }
0 0
1e15 0
[VERTICAL_PATH]
{ s height }
0 0
[BANK_ANGLE_PATH]
{ s angle }
0 0
"""
EXTRUSION = """[MODEL]
TYPE = 'EXTRUSION'
[MEASURED_CENTERLINE]
{ x_coord y_coord z_coord bank_angle }
0 0 0 0
100 0 0 0
[CENTERLINE_PROPERTIES]
SEGMENTATION = 'STEP'
INTERPOLATION = 'CUBIC_SPLINE'
SEGMENT = 1e12
(PROPERTIES)
{ s ori a1 a2 a3 scale1 scale2 friction section }
0 0 0 0 0 1 1 1 1
50 0 0 0 0 1 2 1 1
100 0 0 0 0 1 1 1 1
[SECTION_PROPERTIES]
SEGMENTATION = 'DIMENSION'
INTERPOLATION = 'CUBIC_SPLINE'
SEGMENT = 1e-12
POINTS = 3
(LIST)
{ name }
'SECTION_1'
[SECTION_1]
{ u v friction }
-3 0 1
0 0.03 1
3 0 1
"""
PSD = """[IRREGULARITIES]
MODEL = 'PSD'
FFT_POINTS = 1e12
OMEGA_1 = 0.1
OMEGA_2 = 30
LEFT_PSD_O1 = 1e-5
LEFT_PSD_O2 = 1e-9
RIGHT_PSD_O1 = 1e-5
RIGHT_PSD_O2 = 1e-9
COHERENCY = 1
"""
CRG_HUGE = crg_bytes(grid(), format="LRFI").replace(b"end_u       = 5.5", b"end_u       = 2e8")
HUGE = {
    "a road of 1e15 m": lambda: parse_rdf(HEAD + ANALYTIC),
    "steps of 1e-12 m": lambda: parse_rdf(HEAD + MEASURED.replace("STEP = 0.5", "STEP = 1e-12")),
    "sections divided 1e12 times": lambda: parse_rdf(HEAD + EXTRUSION),
    "1e12 waves": lambda: parse_rdf(
        HEAD + MEASURED.replace("STEP = 0.5", "STEP = 0.5\nIRREGULARITIES = 'ANALYTIC_PSD'") + PSD
    ),
    "waves of 1e-12 m": lambda: parse_rdf(
        HEAD
        + MEASURED.replace("STEP = 0.5", "STEP = 0.5\nIRREGULARITIES = 'ANALYTIC_PSD'")
        + PSD.replace("FFT_POINTS = 1e12", "FFT_POINTS = 10").replace("OMEGA_2 = 30", "OMEGA_2 = 1e12")
    ),
    "a straight of 1e12 m": lambda: parse_road("road: a\nline: {straight: 1e12}\n"),
    "unevenness down to 1e-9 m": lambda: parse_road(
        "road: a\nline: {straight: 1000}\nunevenness: {iso_8608: C, n_max: 1e9}\n"
    ),
    "1e9 cross-sections that are not there": lambda: parse_crg(CRG_HUGE),
    "points 1e300 m apart": lambda: parse_csv("x,y\n0,0\n1e300,0\n2e300,1\n"),
    "a path of 1e12 m": lambda: parse_drd("# x y w i v z\n0 0 6 0 20 0\n1e12 0 6 0 20 0\n2e12 5 6 0 20 0\n").path(),
}


@pytest.mark.parametrize("name", HUGE)
def test_astronomical_numbers_take_no_memory(name: str) -> None:
    """Refused, before much is made of them."""
    tracemalloc.start()
    try:
        with pytest.raises(JounceError) as caught:
            asked(HUGE[name]())
        assert tracemalloc.get_traced_memory()[1] < 500e6
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 2000


# -- contradictions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ("LENGTH = 'meter'\nLENGTH = 'mm'", "LENGTH"),
        ("LENGTH = 'second'", "LENGTH"),
        ("LENGTH = 'furlong'", "furlong"),
        ("ANGLE = 'kg'", "ANGLE"),
    ],
)
def test_units_that_contradict_each_other(units: str, message: str) -> None:
    key = units.split(" ", 1)[0]
    text = "".join(line + "\n" for line in HEAD.splitlines() if not line.startswith(key))
    text = text.replace("[UNITS]\n", f"[UNITS]\n{units}\n")
    with pytest.raises(FormatError, match=rf"line \d+ .*{message}"):
        parse_rdf(text + MEASURED)


@pytest.mark.parametrize("value", ["4 kg", "3 s", "2 m/s", "1 deg"])
def test_units_that_do_not_fit_in_yaml(value: str) -> None:
    with pytest.raises(FormatError, match=r"line 3 +width"):
        parse_road(f"road: a\nline: {{straight: 100}}\nwidth: {value}\n")


def test_nothing_of_a_bad_file_is_left(tmp_path: Path) -> None:
    """All that is wrong is named at once, with lines; a good file read afterwards is not affected."""
    bad = YAML.replace("radius: 80", "radius: eighty").replace("left: 4, right: 4", "left: 4, rigt: 4")
    (tmp_path / "bad.yaml").write_text(bad)
    with pytest.raises(FormatError) as caught:
        load_road(tmp_path / "bad.yaml")
    text = str(caught.value)
    assert "bad.yaml" in text and "line 5" in text and "line 6" in text and "did you mean" in text
    (tmp_path / "good.yaml").write_text(YAML)
    np.testing.assert_array_equal(load_road(tmp_path / "good.yaml").block, parse_road(YAML).block)


@pytest.mark.parametrize("ending", [".drd", ".csv", ".kml", ".gpx"])
def test_paths_with_a_single_or_doubled_point(ending: str, tmp_path: Path) -> None:
    rows = {
        ".drd": "# x y w i v z\n0 0 6 0 20 0\n",
        ".csv": "x,y\n0,0\n",
        ".kml": "<kml><LineString><coordinates>8,50</coordinates></LineString></kml>",
        ".gpx": "<gpx><trk><trkseg><trkpt lat='50' lon='8'/></trkseg></trk></gpx>",
    }
    (tmp_path / f"one{ending}").write_text(rows[ending])
    with pytest.raises(JounceError, match=f"one{ending}"):
        read_path(tmp_path / f"one{ending}")
