"""RDF: numbers and names that cannot be meant are told with their lines; what is written is read again."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import FormatError, ParameterError
from jounce.files.rdf import parse_rdf, rdf_text, read_rdf, write_rdf
from jounce.road.block import Frame
from jounce.road.builder import RoadBuilder
from jounce.road.curve import Curve
from jounce.road.grid import GridRoad
from jounce.road.line import LineRoad
from jounce.road.mesh import MeshRoad
from jounce.road.meshing import mesh_error
from jounce.road.path import Path as Line
from jounce.road.simple import Flat, Sum, cleat
from rdf_texts import ANALYTIC, COMPOSITE, CRG, EXTRUSION, MESH

HEADER = "[MDI_HEADER]\nFILE_TYPE = 'rdf'\nFILE_VERSION = 12\nFILE_FORMAT = 'ASCII'\n"
UNITS = "[UNITS]\nLENGTH = 'meter'\nANGLE = 'radian'\nFORCE = 'newton'\nMASS = 'kg'\nTIME = 'second'\n"
HEAD = HEADER + UNITS  # ten lines
FLAT = "[MODEL]\nTYPE = 'FLAT'\n[FRICTION]\nGLOBAL = 0.9\n"
MEASURED = """[MODEL]
TYPE = 'MEASURED'
[GLOBAL]
FRICTION = 'TABLE'
LEFT_EDGE = 'KERB'
[WIDTH]
LEFT_SIDE_WIDTH = 4
RIGHT_SIDE_WIDTH = 4
[FRICTION_TABLE]
{ track_s frictionL frictionR }
0 1 0.5
50 0.8 0.6
[LEFT_KERB_GEOMETRY]
{ track_s slope_1[%] width_1 friction1 slope_2[%] width_2 friction2 }
0 10 0.5 0.9 0 0.5 0.7
[MEASURED_CENTERLINE]
{ x_coord y_coord z_coord bank_angle }
0 0 0 0
50 0 0 0
100 0 0 0
"""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (MEASURED.replace("50 0.8 0.6", "50 0.8 -0.5"), r"line 22 .*\[FRICTION_TABLE\].*found the friction -0.5"),
        (MEASURED.replace("0 10 0.5 0.9 0", "0 10 0.5 -0.9 0"), "line 25 .*KERB.*found the friction -0.9"),
        (MESH.replace("2 0.5\n", "2 -0.5\n"), r"line 29 .*\[MATERIALS\].*found the friction -0.5"),
        (MESH.replace("1 3 2 1\n", "1.5 3 2 1\n"), r"line 24 .*\[ELEMENTS\].*found the node 1.5"),
        (MESH.replace("3 4 2 2\n", "3 4 2 1.5\n"), r"line 25 .*\[ELEMENTS\].*found the material 1.5"),
        (MESH.replace("2 0.5\n", "1.5 0.5\n"), r"line 29 .*\[MATERIALS\].*found the material 1.5"),
        (MESH.replace("4 100 5", "99999999999999999999 100 5"), r"line 21 .*\[NODES\].*found the node 1e\+20"),
        (
            EXTRUSION.replace("50 0 0 0 0 1 1", "1e-320 0 0 0 0 1 1"),
            r"line 25 .*found s = .* m behind 0 m; s must ascend by",
        ),
        (
            MEASURED.replace("100 0 0 0", "100 0 -1e308 0"),
            r"line 30 .*\[MEASURED_CENTERLINE\].*found -1e\+308 m; no road reaches beyond 1e\+08 m",
        ),
        (
            MEASURED.replace("50 0.8 0.6", "1e-310 0.8 0.6"),
            r"line 22 .*\[FRICTION_TABLE\].*s must ascend by at least 1e-12 m",
        ),
        (FLAT.replace("[MODEL]", "[UNITS]\nLENGTH = 'mm'\n[MODEL]"), r"line 11 .*\[UNITS\].*unit of length.*line 5"),
        (FLAT.replace("[MODEL]", "[UNITS]\nLENGTH = 'm'\nANGLE = 'deg'\n[MODEL]"), "unit of angle.*line 5"),
    ],
)
def test_numbers_that_cannot_be_meant(body: str, message: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an error of ours, and not a remark of numpy
        with pytest.raises(FormatError, match=message):
            parse_rdf(HEAD + body, "road.rdf")


ROUGH = MESH.replace("MATERIALS_MODE = 1", "MATERIALS_MODE = 1\nIRREGULARITIES = 'MEASURED'")
ROUGH += "[IRREGULARITIES]\nMODEL = 'MEASURED'\n[MEASURED_IRREGULARITIES]\n{s left_z right_z}\n0 0 0\n100 0 0\n"


def changed(text: str, before: str, after: str) -> str:
    assert before in text
    return text.replace(before, after)


@pytest.mark.parametrize(
    ("text", "before", "after", "message"),
    [
        (
            ANALYTIC,
            "OUTBOUND_SAFE = 'TRUE'",
            "OUTBOUND_SAFE = 'PERHAPS'",
            "OUTBOUND_SAFE.*found 'PERHAPS'; expected TRUE",
        ),
        (
            ANALYTIC,
            "0 1.0 1.0\n300 0.4 1.0",
            "0 1.0 1.0 1.0\n300 0.4 1.0 1.0",
            "FRICTION_TABLE.*columns|FRICTION_TABLE",
        ),
        (ANALYTIC, "[WIDTH]\nLEFT_SIDE_WIDTH = 4\nRIGHT_SIDE_WIDTH = 4\n", "", "WIDTH.*is missing; give it or"),
        (ANALYTIC, "LEFT_SIDE_WIDTH = 4", "LEFT_SIDE_WIDTH = 0", "WIDTH.*found 0 m; must be > 0"),
        (ANALYTIC, "0 10 0.5 0.9 0 1.0 0.6", "0 10 0.5 0.9 0 -1.0 0.6", "LEFT_KERB_GEOMETRY.*found a negative width"),
        (ANALYTIC, "[GLOBAL]\n", "[GLOBAL]\nDISCRETIZATION_STEP = 0\n", "DISCRETIZATION_STEP.*found 0 m; must be > 0"),
        (ANALYTIC, "LEFT_PSD_O1 = 1.0e-4", "LEFT_PSD_O1 = 0", "LEFT_PSD_O1.*found 0; must be > 0"),
        (ANALYTIC, "OMEGA_2 = 30", "OMEGA_2 = 0.1", "OMEGA_2.*must be larger than OMEGA_1"),
        (ANALYTIC, "FFT_POINTS = 256\n", "", "FFT_POINTS.*is missing"),
        (ANALYTIC, "ENDING_S = 280", "ENDING_S = 20", "ENDING_S.*found 20 m; must lie behind 20 m"),
        (
            ANALYTIC,
            "MODEL = 'ANALYTIC_PSD'\nSTARTING_S",
            "MODEL = 'ANALYTIC_PSD'\nRNG_SEED = -1\nSTARTING_S",
            "ENDING_S",
        ),
        (EXTRUSION, "(LIST)\n{ name }\n'SECTION_1'\n'SECTION_2'\n", "", "LIST.*is missing; it names the sections"),
        (EXTRUSION, "'SECTION_2'\n[", "'SECTION_3'\n[", "names 'SECTION_3', which is not there"),
        (EXTRUSION, "POINTS = 3", "POINTS = 4", r"\[SECTION_1\].*found 3 points; POINTS = 4"),
        (EXTRUSION, "0 0.03 1\n3 0 1", "4 0.03 1\n3 0 1", r"\[SECTION_1\].*u must ascend, from right to left"),
        (EXTRUSION, "POINTS = 3", "POINTS = 0", "the sections have different numbers of points"),
        (EXTRUSION, "50 0 0 0 0 1 1 0.8 2", "50 0 0 0 0 1 1 0.8 3", "found section 3; there are 2"),
        (EXTRUSION, "50 0 0 0 0 1 1 0.8 2", "50 1 0 0 0 1 1 0.8 2", "found ori = 1; known: 0, Euler angles"),
        (MESH, "2 0 5 0\n", "1 0 5 0\n", r"\[NODES\].*found a node number twice"),
        (ROUGH, "TYPE = 'NUMERIC_DATA'", "TYPE = 'DRD_FILE'", "TRACK_PATH. FILE_NAME.*is missing"),
        (CRG, "FILE = './strip.crg'\n", "", r"\[OPEN_CRG\] FILE.*is missing"),
        (CRG, "FILE = './strip.crg'", "FILE = './none.crg'", r"\[OPEN_CRG\] FILE.*none.crg"),
        (COMPOSITE, "FILE_NAME = './mesh.rdf'\n", "", r"\[ROAD_DATA\] FILE_NAME.*is missing"),
    ],
)
def test_what_a_file_lacks_or_contradicts_is_named(text: str, before: str, after: str, message: str) -> None:
    if before == "POINTS = 3" and after == "POINTS = 0":  # no number of points is asked for, and one is left out
        text = changed(text, "0 0 1\n3 0.1 0.9", "3 0.1 0.9")
    with pytest.raises(FormatError, match=message):
        parse_rdf(HEAD + changed(text, before, after), "road.rdf")


def test_spectra_that_are_not_used_are_told() -> None:
    outdated = "[PSD_COHERENCY_TABLE]\n{ omega coherency }\n0.1 1\n10 0\n"
    assert any(
        "PSD_COHERENCY_TABLE" in line and "outdated and not used" in line for line in told(HEAD + ANALYTIC + outdated)
    )
    half = changed(ANALYTIC, "COHERENCY = 0.0", "COHERENCY = 0.4")
    assert any("found 0.4; only 0 and 1 act" in line for line in told(HEAD + half))
    assert not any("COHERENCY" in line for line in told(HEAD + ANALYTIC))


def test_what_cannot_be_written_is_refused() -> None:
    line = Line.straight(10.0)
    with pytest.raises(ParameterError, match="a road with scaled heights or friction cannot be written"):
        rdf_text(Flat(frame=Frame(height_scale=2.0)))
    with pytest.raises(ParameterError, match="a grid road needs the name of its OpenCRG file"):
        rdf_text(GridRoad(z=np.zeros((3, 3)), du=1.0, v=np.arange(3.0)))
    varied = np.array([0.0, 10.0])
    widths = {"left": Curve.linear(varied, [3.0, 4.0]), "right": Curve.linear(varied, [4.0, 3.0])}
    with pytest.raises(ParameterError, match="widths that vary and differ between left and right cannot be written"):
        rdf_text(LineRoad(path=line, **widths))


def told(text: str) -> list[str]:
    return [str(p) for p in parse_rdf(text, "road.rdf").report.warnings]


def test_names_that_nobody_knows_are_told() -> None:
    (friction,) = told(HEAD + FLAT.replace("GLOBAL = ", "GLOBALL = "))
    assert "line 14" in friction and "[FRICTION] GLOBALL" in friction and "did you mean 'GLOBAL'?" in friction
    (width,) = told(HEAD + MEASURED.replace("LEFT_SIDE_WIDTH", "LEFT_WIDTH"))
    assert "[WIDTH] LEFT_WIDTH" in width and "did you mean 'LEFT_SIDE_WIDTH'?" in width
    (edge,) = told(HEAD + MEASURED.replace("LEFT_EDGE", "LEFT_EDEG"))
    assert "[GLOBAL] LEFT_EDEG" in edge and "did you mean 'LEFT_EDGE'?" in edge
    (block,) = told(HEAD + MESH + "[MATERIAL]\n{ id mu }\n1 0.1\n")
    assert "[MATERIAL]" in block and "did you mean [MATERIALS]?" in block


def test_names_that_are_known_are_not_noise() -> None:
    """Keys without effect here, blocks of others, and the same units twice."""
    silent = MEASURED.replace(
        "[GLOBAL]", "[GLOBAL]\nDISTANCE_CALC = 'STANDARD'\nSAFE_CALC = 'FALSE'\nCP_COMPUTATION_MODE = 0"
    )
    silent = silent.replace("TYPE = 'MEASURED'", "TYPE = 'MEASURED'\nLEGACY_MODE = 0\nFORMAT = 'STANDARD'")
    assert not told(HEAD + silent + "[GRAPHICS_OF_SOMEONE]\nCOLOR = 'red'\n") and not told(HEAD + MESH)
    assert len(told(HEAD + UNITS.replace("meter", "m") + FLAT)) == 1  # the block comes again


def test_units_that_are_not_said() -> None:
    report = parse_rdf(HEADER + FLAT).report
    assert [p.key for p in report.infos] == ["[UNITS]"] and not report.warnings
    report = parse_rdf(HEADER + UNITS.replace("LENGTH = 'meter'\n", "") + FLAT).report
    assert [p.key for p in report.infos] == ["[UNITS] LENGTH"] and "metres are taken" in report.infos[0].message
    assert not parse_rdf(HEAD + FLAT).report.problems


@pytest.mark.parametrize("side", ["widen", "hold", "none"])
@pytest.mark.parametrize("end", ["hold", "zero", "none", "extrapolate"])
def test_what_lies_beside_and_beyond_is_written(side: str, end: str) -> None:
    path = Line.from_points([[0, 0, 0], [50, 0, 1], [100, 0, 2]])
    road = LineRoad(path=path, left=4.0, right=4.0, side=side, end=end, smoothing_time=1.5, warns=False)
    again = parse_rdf(rdf_text(road))
    found = again.road()
    assert isinstance(found, LineRoad) and not again.report.problems
    assert (found.side, found.end, found.smoothing_time, found.warns) == (side, end, 1.5, False)
    x, y = [-3.0, 105.0, 50.0, 50.0], [0.0, 0.0, 6.0, -6.0]
    a, b = road.query(x, y), found.query(x, y)
    np.testing.assert_array_equal(a.no_ground, b.no_ground)
    np.testing.assert_allclose(a.height, b.height, atol=1e-6)


def test_keys_of_our_own_are_written_only_where_they_say_more() -> None:
    path = Line.straight(50.0)
    for side, end in (("widen", "hold"), ("none", "zero")):
        text = rdf_text(LineRoad(path=path, side=side, end=end))
        assert "BESIDE" not in text and "BEYOND_END" not in text and "SMOOTHING_TIME" not in text


def test_features_are_refused_or_become_a_mesh(tmp_path: Path) -> None:
    builder = RoadBuilder("hole", left=3, right=3).straight(40).arc(20, 180).straight(40)
    road = builder.pothole(s=20, n=1.0, depth=0.05).patch(s0=50, s1=60, friction=0.3).build()
    on_plane = Sum(base=Flat(length=20, width=6), features=[cleat()])
    for made in (road, on_plane):
        with pytest.raises(ParameterError, match=r"tolerance=0\.001"):
            rdf_text(made)
        write_rdf(made, tmp_path / "made.rdf", tolerance=0.001)
        again = read_rdf(tmp_path / "made.rdf").road()
        assert isinstance(again, MeshRoad) and mesh_error(again, made) <= 0.001
    write_rdf(road, tmp_path / "made.rdf", tolerance=0.001)
    again = read_rdf(tmp_path / "made.rdf").road()
    assert again.query(20.0, 1.0).height == pytest.approx(-0.05, abs=1e-9)
    p = road.path.at(55.0)  # type: ignore[attr-defined]
    assert again.query(p[0], p[1]).friction == 0.3
    # what can be written as it is stays so
    write_rdf(Flat(friction=0.7), tmp_path / "flat.rdf", tolerance=0.001)
    assert isinstance(read_rdf(tmp_path / "flat.rdf").road(), Flat)
