"""Cells of tables: numbers with points and commas, what stands between them, units in brackets."""

from __future__ import annotations

import pytest

from jounce.core.csv_cells import from_brackets, number_text, separator_of


@pytest.mark.parametrize(
    ("names", "units", "bare", "found"),
    [
        (["speed [km/h]", "time"], ["", "s"], ["speed", "time"], ["km/h", "s"]),
        (["speed [km/h]"], ["m/s"], ["speed"], ["m/s"]),  # a line of units comes first
        (["[km/h]"], [""], ["[km/h]"], [""]),  # brackets without a name are a name
    ],
)
def test_units_in_brackets_are_taken_apart(
    names: list[str], units: list[str], bare: list[str], found: list[str]
) -> None:
    assert from_brackets(names, units) == (bare, found)


def test_commas_are_decimal_where_they_do_not_separate() -> None:
    assert separator_of("1,5;2,5") == ";" and separator_of("a,b,c") == "," and separator_of("a") == ","
    assert number_text("1,5", ";") == "1.5" and number_text("1,5", ",") is None
    assert number_text("a", ";") is None
