"""Curves: the forms of a file, CSV, units, order, and that ASCII comes back bit for bit."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import jounce.vehicle as jv
from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.vehicle.curves import Curve, CurveProblems, CurveUnits, in_unit, per, read_csv, read_curve

COMPACT = Path(__file__).parent / "data" / "compact"
TOE = CurveUnits("m", "rad", "m")
FORCE = CurveUnits("m", "N")


@pytest.mark.parametrize(
    ("raw", "rate"),
    [(2, 2.0), ("2", 2.0), ("2 rad/m", 2.0), ({"rate": "0.002 rad/mm"}, 2.0), (np.float64(2), 2.0)],
)
def test_constant_forms(raw: Any, rate: float) -> None:
    curve = read_curve(raw, TOE)
    assert (curve.form, curve.constant, curve.n_axes) == ("rate", rate, 1)


def test_units_of_a_table_are_those_given_or_si() -> None:
    plain = read_curve({"x": [-0.08, 0.3], "y": [0, 1]}, FORCE)
    assert read_curve({"x": [-80, 300], "y": [0, 0.001], "units": ["mm", "kN"]}, FORCE) == plain
    assert read_curve({"x": [-80, 300], "y": [0, 1], "units": {"x": "mm"}}, FORCE) == plain
    assert read_curve({"x": ["-80 mm", "30 cm"], "y": [0, "1 N"]}, FORCE) == plain


def test_uneven_and_falling_abscissae_are_fine() -> None:
    curve = read_curve({"x": [3, 1, 0.5, -7], "y": [1, 2, 3, 4]}, FORCE)
    assert curve.x == (-7, 0.5, 1, 3)
    assert curve.y == (4, 3, 2, 1)
    assert curve.monotonic == -1


def test_non_monotonic_values_load() -> None:
    assert read_curve({"x": [0, 1, 2], "y": [0, 5, 3]}, FORCE).monotonic == 0


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"x": [0, 0], "y": [1, 2]}, "must strictly rise"),
        ({"x": [0, 1], "y": [1]}, "1 numbers, but x has 2"),
        ({"x": [], "y": []}, "no numbers"),
        ({"x": [0, "a"], "y": [1, 2]}, "does not begin with a number"),
        ({"x": [0, float("nan")], "y": [1, 2]}, "finite"),
        ({"x": [0, 1], "y": [1, 2], "units": ["mm"]}, "one unit each for x, y"),
        ({"x": [0, 1], "y": [1, 2], "units": ["mm", "mm"]}, "expected N"),
        ({"x": [0, 1], "y": [1, 2], "z": [0]}, "unknown key"),
        ({"x": [0, 1]}, "'y' missing"),
        ({"rate": 1, "x": [0]}, "give one or the other"),
        ({"file": "none.csv"}, "no such file; searched: /"),
        (True, "expected a rate in N/m"),
        (None, "expected a rate in N/m"),
        ([1, 2], "expected a rate in N/m"),
        ({}, "empty"),
        ("3 kg", "expected N/m"),
        (10**400, "too large"),
    ],
)
def test_bad_curves_are_refused_with_the_reason(raw: Any, message: str) -> None:
    with pytest.raises(CurveProblems, match=message):
        read_curve(raw, FORCE)


def test_maps_as_matrix_and_as_list_of_points_are_the_same(tmp_path: Path) -> None:
    inline = read_curve(
        {"x": [-80, 80], "z": [-50, 0, 50], "y": [[1, 2, 3], [4, 5, 6]], "units": ["mm", "mm", "deg"]}, TOE
    )
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("# comment\ntoe, -50, 0, 50\nmm, mm, deg\n-80, 1, 2, 3\n80, 4, 5, 6\n")
    points = tmp_path / "points.csv"
    points.write_text(
        "own,paired,toe\nmm,mm,deg\n80,50,6\n80,0,5\n80,-50,4\n-80,-50,1\n-80,0,2\n-80,50,3\n", encoding="utf-8"
    )
    assert read_csv(matrix, TOE) == inline
    assert read_csv(points, TOE) == inline
    assert inline.table()(0.0, 0.0) == approx(np.radians(3.5))


@pytest.mark.parametrize("head", ["", "x,y\n", "mm,N\n", "x,y\nmm,N\n", "\ufeffx,y\nmm,N\n"])
def test_rows_of_names_and_units_are_optional(tmp_path: Path, head: str) -> None:
    file = tmp_path / "a.csv"
    file.write_text(f"{head}1,10\n2,20\n", encoding="utf-8")
    given = None if "mm" in head else ["mm", "N"]
    assert read_csv(file, FORCE, given).x == (0.001, 0.002)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,2\n3,abc\n", "a.csv line 3, column 2: 'abc' is not a number"),
        ("1,2\n3\n", "a.csv line 2: 1 columns, expected 2"),
        ("1,2,3,4\n", "4 columns; expected"),
        ("", "no rows of numbers"),
        ("x,y\nmm,kg\n1,2\n", "expected N"),
        ("1,2\n1,3\n", "must strictly rise"),
    ],
)
def test_bad_csv_is_answered_with_the_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.csv"
    file.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_csv(file, FORCE)


def test_a_grid_with_a_hole_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("0,0,1\n0,1,2\n1,0,3\n")
    with pytest.raises(FormatError, match=r"the point x = 1.0, z = 1.0 is missing"):
        read_csv(file, TOE)


numbers = st.floats(-1e4, 1e4).map(lambda v: v + 0.0)


@given(
    rows=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12, unique_by=lambda row: row[0]),
    columns=st.sampled_from([None, ("mm", "N"), ("mm", "kN"), ("inch", "lbf")]),
)
def test_export_then_import_is_identical(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, float]], columns: tuple[str, ...] | None
) -> None:
    x, y = zip(*sorted(rows), strict=True)
    try:
        curve = read_curve({"x": list(x), "y": list(y)}, FORCE)
    except CurveProblems:
        return  # too close together for a table
    file = tmp_path_factory.mktemp("csv") / "a.csv"
    file.write_text(curve.to_csv(columns))
    assert read_csv(file, FORCE) == curve


def test_a_curve_of_a_car_goes_out_and_comes_back(tmp_path: Path) -> None:
    car = jv.load(COMPACT)
    file = car.export_curve("front_suspension.toe", tmp_path / "toe.csv", ("mm", "deg"))
    assert "mm,deg\n-100,0.42\n" in file.read_text()
    assert car.import_curve("front_suspension.toe", file) == car
    bare = tmp_path / "bare.csv"
    bare.write_text("-10,1\n10,-1\n")
    changed = car.import_curve("rear_suspension.toe", bare, ("mm", "deg"))
    assert changed.rear_suspension.toe.curve.x == (-0.01, 0.01)
    assert changed.rear_suspension.toe.offset == car.rear_suspension.toe.offset
    damper = car.export_curve("front_suspension.dampers[0].force", tmp_path / "damper.csv")
    assert car.import_curve("front_suspension.dampers[0].force", damper) == car
    with pytest.raises(ParameterError, match="no table"):
        car.export_curve("rear_suspension.toe", tmp_path / "a.csv")
    with pytest.raises(ParameterError, match="no curve"):
        car.export_curve("body", tmp_path / "a.csv")


@given(value=st.floats(-1e9, 1e9), unit=st.sampled_from(["N/mm", "kN/m", "lbf/inch"]))
def test_digits_in_another_unit_read_back_to_the_same_bits_or_are_not_used(value: float, unit: str) -> None:
    from jounce.core import units

    digits = in_unit(value, unit, "N/m")
    if digits is not None:
        assert units.parse(f"{digits} {unit}", "N/m") == value


def test_polynomial_and_extrapolation_reach_the_table() -> None:
    curve = read_curve({"x": [-1, 0, 1, 2], "y": [1, 0, 1, 4]}, FORCE)
    fitted = curve.table(method="polynomial", order=2)
    assert fitted(1.5) == approx(2.25)
    assert curve.table(extrapolation="flat")(5.0) == 4.0
    assert curve.table(method="linear", extrapolation="linear")(3.0) == 7.0
    assert curve.table(factor=2.0)(2.0) == 8.0


def test_quotients_of_units() -> None:
    assert [per("N", "m"), per("m", "m"), per("-", "m"), per("N", "-"), per("N", "m/s")] == [
        *("N/m", "-", "1/m", "N", "N/(m/s)"),
    ]


def test_a_curve_for_another_place_is_refused() -> None:
    curve = read_curve(1, FORCE)
    with pytest.raises(CurveProblems, match="a curve of N over m"):
        read_curve(curve, TOE)
    assert isinstance(read_curve(curve, FORCE), Curve)


@given(text=st.text(max_size=60))
def test_any_text_as_csv_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.mktemp("fuzz") / "a.csv"
    file.write_text(text, encoding="utf-8", errors="surrogateescape" if text.isprintable() else "replace")
    with contextlib.suppress(JounceError):
        read_csv(file, TOE)
