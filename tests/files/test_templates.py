"""Templates: places filled in before a file is read."""

from __future__ import annotations

import pytest

from jounce.core.errors import FormatError, ParameterError
from jounce.core.library import LIBRARY
from jounce.files.templates import filled, places
from jounce.files.vdf_model import load_vdf

TEXT = """$ comment with >>REPLACE_NOTHING<< and param(nothing)
[STARTUP]
INITIAL_SPEED = >>REPLACE_INIT_SPEED<<
FILE = '>>REPLACE_DRD_FILE<<'   $ param(no)
OTHER = param(track)
(TABLE)
{ a b }
param(x) -param(x)
"""
VALUES = {"init_speed": 12.5, "REPLACE_DRD_FILE": "a b.drd", "Track": "one", "x": 3.0}


def test_places_of_both_spellings_are_filled_in_and_comments_are_not() -> None:
    text = filled(TEXT, VALUES)
    assert "INITIAL_SPEED = 12.5\n" in text and "FILE = 'a b.drd'   $ param(no)\n" in text
    assert "OTHER = 'one'\n" in text and "3 -3\n" in text
    assert text.splitlines()[0] == TEXT.splitlines()[0]
    assert places(TEXT) == {"init_speed": 3, "drd_file": 4, "track": 5, "x": 8}


def test_tests_of_end_conditions_are_no_places() -> None:
    row = "'VELOCITY' '>>' 3 0 '<<'\nTEST_TYPE = '>>'\n"
    assert filled(row) == row and places(row) == {}


def test_every_place_left_over_is_told_with_its_line() -> None:
    with pytest.raises(FormatError) as error:
        filled(TEXT, {"init_speed": 1.0, "trak": "x"}, "event.vdf")
    text = str(error.value)
    assert "4 problems in event.vdf" in text
    assert "line 4  >>REPLACE_DRD_FILE<<" in text and "line 5  param(track)" in text and "did you mean 'trak'" in text


def test_a_value_without_a_place_is_refused() -> None:
    with pytest.raises(ParameterError, match="no place 'speed'"):
        filled(TEXT, {**VALUES, "speed": 1.0})


@pytest.mark.parametrize("bad", ["a'b", "a\nb", float("nan"), float("inf")])
def test_values_that_would_change_the_file_around_them_are_refused(bad: float | str) -> None:
    with pytest.raises(FormatError):
        filled("A = param(x)\n", {"x": bad})


def test_a_template_of_the_library_becomes_a_manoeuvre() -> None:
    path = LIBRARY / "events" / "sine_template.vdf"
    values = {"initial_speed": 22.5, "duration": 6.0, "amplitude": 0.4, "frequency": 0.7}
    m, _ = load_vdf(path, values)
    assert m.begin.speed == 22.5 and m.stages[0].abort_time == 6.0
    assert m.signals["WAVE"].amplitude == 0.4 and m.signals["WAVE"].frequency == 0.7
    assert m.speeds["STEADY_SPEED"].x == (0.0, 6.0) and m.speeds["STEADY_SPEED"].y == (22.5, 22.5)
    with pytest.raises(FormatError, match=r"line 14  >>REPLACE_INITIAL_SPEED<<"):
        load_vdf(path)
