"""VTT files: all kinds of tests, spellings, units, located errors, and that no text breaks the reader."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.core.errors import FormatError, ParameterError
from jounce.files.vtt import Signal, TireTest, parse_vtt, read_vtt

HEAD = """[VIGRADE_HEADER]
FILE_TYPE = 'vtt'
FILE_VERSION = 1.0
[UNITS]
LENGTH = 'meter'
FORCE = 'newton'
ANGLE = 'degrees'
MASS = 'kg'
TIME = 'second'
[MODEL]
TIRE_PROPERTY_FILE = 'my.tir'
ROAD_DATA_FILE = ''   $ flat
PRELOAD_CONSTANT = 3500
WHEEL_INERTIA = 0.15
CAMBER_ANGLE = 2
[SYSTEM]
INTEGRATION_STEP = 0.0005
[ANALYSIS]
OUTPUT_PREFIX = 'one'
OUTPUT_STEP = 0.01
END_TIME = 2
VELOCITY = 25
"""
FREE = """
TYPE = 'FREE_INPUT'
PREScribed_ROTATION = 'TRUE'
(Toe)
TOE_FUNCTION_TYPE = 'SINE'
AMPL = 10
FREQ = 2
PHASE = 90
(PRELOAD)
PRELOAD_FUNCTION_TYPE = 'STEP'
F_0 = 0
F_1 = 1000
T_0 = 0.5
T_1 = 1.5
(WHEEL_OMEGA)
WHEEL_OMEGA_FUNCTION_TYPE = 'USER'
SPLINE_NAME = 'OMEGAMAP'
[OMEGAMAP]
X_DATA = 'TIME'
Y_DATA = 'ANGULAR_VELOCITY'
(VALUES)
{x y}
0 5000
1 5100
2 4900
"""


def test_a_longitudinal_test_needs_nothing_more() -> None:
    test = parse_vtt(HEAD + "TYPE = 'LONGITUDINAL'\n", "folder/one.vtt")
    assert test.kind == "LONGITUDINAL"
    assert test.tire == str(Path("folder/my.tir"))
    assert (test.preload, test.wheel_inertia, test.speed, test.step) == (3500, 0.15, 25, 0.0005)
    assert test.camber == pytest.approx(math.radians(2))
    assert (test.start, test.side, test.formats, test.road) == (0.0, "LEFT", ("xml",), "")


def test_lateral_and_combined() -> None:
    test = parse_vtt(HEAD + "TYPE = 'LATERAL'\nTOE_AMPLITUDE = 10\nINTIAL_TIME = 1\nSIDE = 'mirrored'\n")
    assert (test.toe_amplitude, test.start, test.side) == (pytest.approx(math.radians(10)), 1.0, "MIRRORED")
    test = parse_vtt(HEAD + "TYPE = 'COMBINED'\nTOE_AMPLITUDE = 10\nLONG_SLIP = 5\n")
    assert test.slip == pytest.approx(0.05)  # percent


def test_cornering_stiffness_with_the_spellings_of_files() -> None:
    text = "TYPE = 'CORNERRING_STIFFNESS'\nTOE_VALUE = 1\n(PRELOAD)\nPRELOAD_FUNCTION_TYPE = 'STEP'\n"
    test = parse_vtt(HEAD + text + "T_0 = 0.1\nT_1 = 1.9\nF_0 = -2000\nF_1 = 2000\n")
    assert test.kind == "CORNERING_STIFFNESS"
    assert float(test.toe(0.3)) == pytest.approx(math.radians(1))
    assert np.allclose(test.load([0, 0.1, 1.0, 1.9, 5]), [-2000, -2000, 0, 2000, 2000])
    # the cubic: 5/32 after a quarter
    assert float(test.load(0.55)) == pytest.approx(-2000 + 4000 * (0.25**2 * (3 - 0.5)))


def test_free_input_has_functions_of_time() -> None:
    test = parse_vtt(HEAD + FREE)
    assert test.spin is not None
    t = np.array([0.0, 0.125, 0.25])
    assert np.allclose(test.toe(t), math.radians(10) * np.sin(2 * np.pi * 2 * t + np.pi / 2))
    assert np.allclose(test.spin([0.0, 1.0, 2.0, 3.0]), np.radians([5000, 5100, 4900, 4900]))
    free = parse_vtt(HEAD + FREE.replace("'TRUE'", "'FALSE'"))
    assert free.spin is None


def test_ramp_and_sweep() -> None:
    ramp = Signal("RAMP", {"F0": 1.0, "F1": 3.0, "T0": 1.0, "T1": 2.0}).plus(10)
    assert np.allclose(ramp([0, 1, 1.5, 2, 9]), [11, 11, 12, 13, 13])
    sweep = Signal("SWEEP", {"AMPL": 2.0, "F0": 1.0, "F1": 3.0, "T0": 0.0, "T1": 4.0})
    t = np.linspace(0, 4, 4001)
    crossings = np.count_nonzero(np.diff(np.sign(sweep(t)[1:-1])) != 0)
    assert crossings == 15  # two per period, mean frequency 2 Hz: 8 periods with their ends on zero


def test_free_wheel_and_locked_height() -> None:
    body = "MASS = 380\nIXX = 10\nIYY = 1\nIZZ = 10\nZ = 0.275\nVX = 5\nvy = 1\nWY = 90\n"
    model = HEAD.replace("PRELOAD_CONSTANT = 3500\n", "").replace("VELOCITY = 25\n", "")
    text = model + "TYPE = 'SIX_DOF'\nXML_OUTPUT=0\nCSV_OUTPUT=1\nPI_OUTPUT=1\n[SIX_DOF]\n"
    test = parse_vtt(text + body)
    assert test.body["WY"] == pytest.approx(math.pi / 2)
    assert (test.body["MASS"], test.body["VY"], test.formats) == (380, 1, ("csv",))
    assert any("PI_OUTPUT" in w for w in test.warnings)
    locked = parse_vtt(model + "TYPE = 'Z_LOCKED'\n[Z_LOCKED]\nMASS = 380\nIYY = 1\nVX = 5\n")
    assert "Z" not in locked.body
    # files are met with the block of the other test
    assert parse_vtt(model + "TYPE = 'Z_LOCKED'\n[SIX_DOF]\n" + body).body["Z"] == 0.275


def test_units_of_the_file_count() -> None:
    text = HEAD.replace("'meter'", "'mm'").replace("'newton'", "'knewton'").replace("'second'", "'ms'")
    text = text.replace("CONSTANT = 3500", "CONSTANT = 3.5").replace("VELOCITY = 25", "VELOCITY = 25")
    test = parse_vtt(text + "TYPE = 'LONGITUDINAL'\n")
    assert test.preload == pytest.approx(3500)
    assert test.speed == pytest.approx(25)  # mm per ms
    assert test.step == pytest.approx(5e-7)
    assert test.wheel_inertia == pytest.approx(0.15e-6)


def test_a_separate_step_of_the_tire() -> None:
    text = HEAD.replace("[ANALYSIS]", "TIRE_INTEGRATOR_ACTIVE = {}\nTIRE_INTEGRATION_STEP = 0.0001\n[ANALYSIS]")
    text += "TYPE = 'LONGITUDINAL'\n"
    test = parse_vtt(text.format("'TRUE'"))
    assert (test.step, test.tire_step) == (0.0005, 0.0001)
    assert parse_vtt(text.format(0)).tire_step is None
    with pytest.raises(FormatError, match=r"TIRE_INTEGRATION_STEP: is missing"):
        parse_vtt(text.format(1).replace("TIRE_INTEGRATION_STEP = 0.0001\n", ""))
    with pytest.raises(FormatError, match=r"TIRE_INTEGRATION_STEP: found 0; must be above 0"):
        parse_vtt(text.format(1).replace("STEP = 0.0001", "STEP = 0"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("TYPE = 'LATERAL'", "TYPE = 'LATERALL'"),
            r"line 23  \[ANALYSIS\] TYPE: found 'LATERALL'; unknown; did you mean",
        ),
        (("INTEGRATION_STEP = 0.0005", "INTEGRATION_STEP = 0"), r"line 17 .*must be above 0"),
        (("END_TIME = 2", "END_TIME = -1"), r"line 21 .*later than INITIAL_TIME"),
        (("VELOCITY = 25", "VELOCITY = 'fast'"), r"line 22 .*expected a number"),
        (("TOE_AMPLITUDE = 5", ""), r"\[ANALYSIS\] TOE_AMPLITUDE: is missing"),
        (("PRELOAD_CONSTANT = 3500", ""), r"\[MODEL\] PRELOAD_CONSTANT: is missing"),
        (("'vtt'", "'tir'"), r"line 2  FILE_TYPE: found 'tir'; expected 'vtt'"),
        (("[SYSTEM]", "[SISTEM]"), r"missing blocks: \[SYSTEM\]"),
        (("'my.tir'", "'mdids://lib/tires.tbl/my.tir'"), r"database 'lib' is unknown"),
        (("VELOCITY = 25", "VELOCITY = 25\nSIDE = 'UP'"), r"line 23 .*SIDE: found 'UP'"),
    ],
)
def test_errors_are_located(change: tuple[str, str], message: str) -> None:
    text = (HEAD + "TYPE = 'LATERAL'\nTOE_AMPLITUDE = 5\n").replace(*change)
    with pytest.raises(FormatError, match=message):
        parse_vtt(text, "a.vtt")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("'OMEGAMAP'", "'OMEGA'"), r"SPLINE_NAME: no block \[OMEGA\].*OMEGAMAP"),
        (("'ANGULAR_VELOCITY'", "'FORCE'"), r"Y_DATA: found 'FORCE'"),
        (("1 5100", "0 5100"), r"x must increase"),
        (("'STEP'", "'STEPP'"), r"found 'STEPP'; unknown"),
        (("T_1 = 1.5", "T_1 = 0.5"), r"T1: must be later than T0"),
        (("F_1 = 1000", ""), r"F1: is missing"),
    ],
)
def test_errors_of_functions(change: tuple[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_vtt((HEAD + FREE).replace(*change))


def test_unknown_keys_are_told_not_lost() -> None:
    test = parse_vtt(HEAD.replace("CAMBER_ANGLE", "CAMBER_ANGEL") + "TYPE = 'LONGITUDINAL'\n")
    assert any("CAMBER_ANGEL" in w and "CAMBER_ANGLE" in w for w in test.warnings)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_vtt(tmp_path / "none.vtt")


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_change_gives_a_test_or_a_located_error(data: st.DataObject) -> None:
    text = HEAD + FREE
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        until = min(len(text), at + data.draw(st.integers(0, 12)))
        text = text[:at] + data.draw(st.text(max_size=8)) + text[until:]
    try:
        assert isinstance(parse_vtt(text, "x.vtt"), TireTest)
    except FormatError as error:
        assert "x.vtt" in str(error)


def test_a_missing_key_names_the_one_that_looks_like_it() -> None:
    text = (HEAD + FREE).replace("PRELOAD_CONSTANT", "PRELOAD_CONST")
    with pytest.raises(FormatError, match=r"PRELOAD_CONSTANT: is missing; is PRELOAD_CONST in line 13 meant\?"):
        parse_vtt(text)
    with pytest.raises(FormatError, match=r"OUTPUT_PREFIX: is missing; is OUTPUT_PREFX in line \d+ meant\?"):
        parse_vtt((HEAD + FREE).replace("OUTPUT_PREFIX", "OUTPUT_PREFX"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "SIDEWAYS"}, "tire test 'SIDEWAYS': unknown"),
        ({"side": "MIDDLE"}, "side = 'MIDDLE': unknown"),
        ({"step": 0.0}, "step = 0: must be above 0"),
        ({"output_step": -1.0}, "output_step = -1: must be above 0"),
        ({"hub_mass": math.inf}, "hub_mass = inf: must be above 0"),
        ({"tire_step": 0.0}, "tire_step = 0: must be above 0"),
        ({"end": 1.0, "start": 1.0}, "end = 1 s: must be later than the start, 1 s"),
        ({"end": 1e9}, "steps are too many"),
    ],
)
def test_a_test_that_cannot_be_run_is_refused(change: dict[str, Any], message: str) -> None:
    usual = {"kind": "LATERAL", "end": 2.0, "start": 1.0}
    with pytest.raises(ParameterError, match=message):
        TireTest(**{**usual, **change})
