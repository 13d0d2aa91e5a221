"""Files as other programs write them: tires, roads and paths are read with few remarks, or refused where they stand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from jounce.components.tire.figures import doubts, figures
from jounce.core.errors import FormatError
from jounce.files.crg import parse_crg
from jounce.files.gps import parse_csv
from jounce.files.library import library_file
from jounce.files.rdf import parse_rdf, read_rdf
from jounce.files.roads import load_road, read_road
from jounce.files.tir import TirFile, parse_tir
from tire_models import EXAMPLE, example_text

STIFFNESSES = ("LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS")


def mf61(*without: str, **changed: float) -> str:
    """The library's MF 6.1 tire as a text, without some keys and with others set."""
    lines = []
    for line in library_file("tires", "example_mf61").read_text().splitlines():
        key = line.split("=")[0].strip()
        if key in without:
            continue
        lines.append(f"{key} = {changed.pop(key)!r}" if key in changed else line)
    more = "".join(f"{key} = {value!r}\n" for key, value in changed.items())
    return "\n".join(lines).replace("[LATERAL_COEFFICIENTS]\n", f"[LATERAL_COEFFICIENTS]\n{more}", 1) + "\n"


def warned(file: TirFile) -> str:
    return "\n".join(str(p) for p in file.report.warnings)


# --- tires -----------------------------------------------------------------------------------------------------------


def test_a_stiffness_with_both_signs_turned_is_the_same_tire() -> None:
    """Ky = PKY1 Fz0 sin(PKY4 atan(…)): fits end up with either sign of both."""
    plain = parse_tir(mf61(PKY1=-20.0, PKY4=1.8))
    turned = parse_tir(mf61(PKY1=20.0, PKY4=-1.8))
    assert "are the axes ISO?" not in warned(plain) + warned(turned)
    assert figures(turned.tire) == figures(plain.tire)
    for wrong in (mf61(PKY1=20.0, PKY4=1.8), mf61(PKY1=-20.0, PKY4=-1.8)):
        assert "are the axes ISO?" in warned(parse_tir(wrong))


def test_relaxation_lengths_stand_in_for_missing_stiffnesses() -> None:
    lengths = {"PTX1": 1.5, "PTX2": 0.1, "PTX3": -0.2, "PTY1": 2.0, "PTY2": 1.6}
    file = parse_tir(mf61(*STIFFNESSES, **lengths, LFZO=0.9, LKX=1.1, LKY=0.8))
    values = file.tire.values
    nominal = file.tire.at_load(values["FNOMIN"] * values["LFZO"])
    radius = values["UNLOADED_RADIUS"]
    assert float(nominal.sigma_kappa) == pytest.approx(radius * 1.5, rel=1e-9)
    assert float(nominal.sigma_alpha) == pytest.approx(radius * 2.0 * math.sin(2 * math.atan(1 / 1.6)), rel=1e-9)
    text = warned(file)
    assert "LONGITUDINAL_STIFFNESS: is missing" in text and "LATERAL_STIFFNESS: is missing" in text
    assert "PTX1: 1.5 has no effect" not in text
    given = parse_tir(mf61(**lengths))  # those of the file come first
    assert not given.report.warnings
    assert all(given.tire.values[k] == parse_tir(mf61()).tire.values[k] for k in STIFFNESSES)


def test_without_stiffness_and_use_mode_a_tire_is_steady() -> None:
    file = parse_tir(mf61(*STIFFNESSES, "USE_MODE"))
    assert file.tire.model.mode == 4 and "4 is taken (steady)" in warned(file)
    assert parse_tir(mf61("USE_MODE")).tire.model.mode == 14
    with pytest.raises(FormatError, match=r"LATERAL_STIFFNESS; USE_MODE = 4 does without the last two"):
        parse_tir(mf61(*STIFFNESSES))


def test_a_radius_that_nobody_has_identified() -> None:
    file = parse_tir(mf61(Q_RE0=0))
    assert file.tire.values["Q_RE0"] == 1 and "Q_RE0: found 0: the tire would have no radius" in warned(file)
    assert "Q_RE0 = 0\n" in file.text()


def test_loaded_radius_in_a_block_of_its_own() -> None:
    own = "[LOADED_RADIUS_COEFFICIENTS]\nQV1 = 7e-4\nQFZ2 = 14.5\nQFCX = 0.1\nQFCY = 0.2\nQFCG = 0.3\n"
    keys = ("Q_V1", "Q_FZ2", "Q_FCX", "Q_FCY")
    file = parse_tir(mf61(*keys) + own)
    assert [file.tire.values[k] for k in keys] == [7e-4, 14.5, 0.1, 0.2]
    assert file.tire.model.softening
    assert warned(file).endswith("QFCG: 0.3 has no effect here; a program that knows it gives other forces")
    assert len(file.report.warnings) == 1


def test_an_old_and_a_new_spelling_with_the_same_value_are_no_matter() -> None:
    text = mf61(LKYC=1.0)
    assert not parse_tir(text.replace("LKYC = 1.0\n", "LKYC = 1.0\nLGAY = 1\n")).report.warnings
    assert "another spelling" in warned(parse_tir(text.replace("LKYC = 1.0\n", "LKYC = 1.0\nLGAY = 0.9\n")))


def test_notes_are_few() -> None:
    """What is the same for many keys of a block is said once; lines of a block that is left out are not told."""
    text = example_text() + "[SHAPE]\n 1.0 0.0\n 1.0 0.5\n 0.9 1.0\n[NOTES]\nfree words\nmore words\n"
    text = text.replace("[MODEL]\n", "[MODEL]\nMFSAFE1 = 1\nMFSAFE2 = 2\nROAD_INCREMENT =\nROAD_DIRECTION =\n")
    infos = [str(p) for p in parse_tir(text).report.infos]
    line = text.splitlines().index("MFSAFE1 = 1") + 1
    assert f"line {line}  [MODEL] MFSAFE1, MFSAFE2, ROAD_INCREMENT, ROAD_DIRECTION: not used; kept as it is" in infos
    assert sum("ROAD_DIRECTION" in i for i in infos) == 2  # and that it has no value
    assert sum("[SHAPE]" in i for i in infos) == 1 and sum("[NOTES]" in i for i in infos) == 1


@pytest.mark.parametrize("header", ["MDI_HEADER", "ALTAIR_HEADER", "HEADER"])
def test_fiala_tires_in_millimetres_and_degrees(header: str) -> None:
    text = f"""[{header}]
 FILE_TYPE     =  'tir'
 FILE_VERSION  =  2.0
(COMMENTS)
{{comment_string}}
'Tire - made up'
'Pressure - none'
[UNITS]
 LENGTH   = 'mm'
 FORCE    = 'newton'
 ANGLE    = 'degree'
 MASS     = 'kg'
 TIME     = 'sec'
[MODEL]
 PROPERTY_FILE_FORMAT = 'USER'
 FUNCTION_NAME        = 'mbdtire::USER_FIALA'
 TYRESIDE             = 'SYMMETRIC'
[DIMENSION]
 UNLOADED_RADIUS      = 320.0
 WIDTH                = 215.0
 ASPECT_RATIO         = 0.5
[PARAMETER]
 VERTICAL_STIFFNESS   = 250.0
 VERTICAL_DAMPING     = 0.4
 ROLLING_RESISTANCE   = 3.0
 CSLIP                = 80000
 CALPHA               = 1100
 UMIN                 = 0.8
 UMAX                 = 1.0
 RLENX                = 120
 RLENY                = 450
"""
    file = parse_tir(text)
    values = file.tire.values
    assert file.family == "FIALA" and file.tire.model.transient and not file.report.warnings
    expected = {
        "UNLOADED_RADIUS": 0.32, "VERTICAL_STIFFNESS": 250e3, "VERTICAL_DAMPING": 400.0, "ROLLING_RESISTANCE": 3e-3,
        "CSLIP": 80e3, "CALPHA": math.degrees(1100), "RELAX_LENGTH_X": 0.12, "RELAX_LENGTH_Y": 0.45, "WIDTH": 0.215,
    }  # fmt: skip
    assert {k: values[k] for k in expected} == pytest.approx(expected, rel=1e-12)


def test_a_tire_measured_while_braking_shows_how_it_brakes() -> None:
    both, one = (parse_tir(example_text({**EXAMPLE, "KPUMIN": -0.8, "KPUMAX": top})).tire for top in (0.8, 0.0))
    for key in ("braking_friction", "locked_share"):
        assert figures(one)[key].value == pytest.approx(figures(both)[key].value) != 0
    found = {d.key: d.message for d in doubts(one)}
    assert found["KPUMIN, KPUMAX"].endswith("so that it cannot drive a car")
    one = parse_tir(example_text({**EXAMPLE, "KPUMIN": 0.0})).tire
    assert {d.key: d.message for d in doubts(one)}["KPUMIN, KPUMAX"].endswith("so that it cannot brake a car")


# --- roads and paths -------------------------------------------------------------------------------------------------

POLY_LINE = """! made by a script
[UNITS]
LENGTH = 'meter'
[MODEL]
METHOD    = '2D'
ROAD_TYPE = 'poly_line'
[PARAMETERS]
MU = 1.0
(XZ_DATA)
 -100.0  0.0  0.0
  100.0  0.0  0.1
"""
SHELL = """[MDI_HEADER]
FILE_TYPE = 'rdf'
FILE_VERSION = 5.0
[UNITS]
LENGTH = 'mm'
[MODEL]
METHOD = '3D'
FUNCTION_NAME = 'ARC904'
[NODES]
NUMBER_OF_NODES = 3
{node x_value y_value z_value}
1 0 0 0
2 1 0 0
3 0 1 0
"""


@pytest.mark.parametrize(
    ("text", "place"),
    [(POLY_LINE, r"line 6  \[MODEL\] ROAD_TYPE: found 'poly_line'"), (SHELL, r"line 7  \[MODEL\] METHOD: found '3D'")],
)
def test_roads_of_adams_are_refused_as_such(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "a.rdf"
    path.write_text(text)
    for read in (lambda: parse_rdf(text), lambda: read_rdf(path)):
        with pytest.raises(FormatError, match=rf"1 problem in .*\n  {place} and no TYPE: a road of Adams/Tire"):
            read()
    with pytest.raises(FormatError, match=r"expected KEY = value"):  # with a TYPE it is a damaged file of this format
        parse_rdf(POLY_LINE.replace("METHOD ", "TYPE = 'FLAT'\nMETHOD "))


def test_a_path_is_no_road_and_the_message_says_what_is(tmp_path: Path) -> None:
    (tmp_path / "track.csv").write_text("# x_m, y_m, w_tr_right_m, w_tr_left_m\n0, 0, 3, 4\n50, 0, 3, 4\n90, 0, 3, 4\n")
    with pytest.raises(FormatError, match=r"is a path; .* line: \{path: track\.csv\}"):
        load_road(tmp_path / "track.csv")
    (tmp_path / "track.yaml").write_text("road: track\nline: {path: track.csv}\n")
    road = read_road(tmp_path / "track.yaml")[0]
    assert road.query(50.0, 3.9).friction == 1.0


def test_columns_are_named_by_the_last_of_several_remarks() -> None:
    radius, n = 50.0, 100
    angles = [2 * math.pi * k / n for k in range(n + 1)]
    rows = [f"{radius * a:.7f}; {radius * math.sin(a):.7f}; {-radius * math.cos(a):.7f}; 14.5" for a in angles]
    path = parse_csv("# 12ab-34cd\n#\n# s_m; x_m; y_m; vx_mps\n" + "\n".join(rows) + "\n")
    assert path.closed and path.length == pytest.approx(2 * math.pi * radius, rel=1e-5)
    assert path.speed is not None and path.speed == pytest.approx(14.5)


def test_columns_without_names_are_at_most_three() -> None:
    assert parse_csv("0,0,1\n10,0,1\n20,0,1\n").z == pytest.approx(1.0)
    with pytest.raises(FormatError, match=r"line 1  found 4 columns without names"):
        parse_csv("0,0,3,4\n10,0,3,4\n20,0,3,4\n")


def test_lines_of_asterisks_between_the_sections_of_a_crg_file() -> None:
    text = (
        "$CT\nmade by hand\n$!*********\n$ROAD_CRG\nreference_line_increment = 1.0\nlong_section_v_right = -1.0\n"
        "long_section_v_left = 1.0\nlong_section_v_increment = 1.0\n$!*********\n$KD_DEFINITION\n#:LRFI\n"
        "D:long section 1,m\nD:long section 2,m\nD:long section 3,m\n$!*********\n$$$$$$$$$$\n"
    )
    rows = "".join("".join(f"{0.1 * u:10.6f}" for _ in range(3)) + "\n" for u in range(4))
    file = parse_crg((text + rows).encode())
    assert not file.report.infos and [w.key for w in file.report.warnings] == ["$ROAD_CRG_MODS"]
    assert file.road().query(2.0, 0.5).height == pytest.approx(0.2, abs=1e-6)
