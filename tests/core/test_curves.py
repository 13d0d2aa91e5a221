"""Curves: the forms of a file, CSV, units, order, and that ASCII comes back bit for bit."""

from __future__ import annotations

import contextlib
import csv
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import jounce.vehicle as jv
from jounce.core import curves, units
from jounce.core.curves import (
    Curve,
    CurveProblems,
    CurveUnits,
    each_file_once,
    in_unit,
    per,
    read_csv,
    read_curve,
)
from jounce.core.errors import FormatError, JounceError, ParameterError

COMPACT = Path(__file__).parents[1] / "vehicle" / "data" / "compact"
TOE = CurveUnits("m", "rad", "m")
FORCE = CurveUnits("m", "N")
FORCE_OF_ANGLE = CurveUnits("m", "rad")


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


@pytest.mark.parametrize(
    ("raw", "place", "message"),
    [
        ({"x": [0, 1], "z": [0, 1, 2], "y": [[1, 2, 3], [4, 5]]}, ("y", 1), "2 numbers, but z has 3"),
        ({"file": "a.csv", "x": [0, 1]}, ("x",), "stands beside 'file'; give one or the other"),
        ({"file": 7}, ("file",), "found 7; expected the name of a CSV file"),
        ({"file": "a.csv", "column": 7}, ("column",), "found 7; expected the name of a column"),
        ({"x": [0, 1], "y": [0, 1], "units": {"xx": "mm"}}, ("units", "xx"), "unknown key; did you mean 'x'"),
        ({"x": 3, "y": [0, 1]}, ("x",), "found 3; expected a list of numbers"),
        ({"x": [0, True], "y": [0, 1]}, ("x", 1), "found True; expected a number in m"),
    ],
)
def test_forms_that_cannot_be_meant_are_refused_with_their_place(raw: Any, place: Any, message: str) -> None:
    with pytest.raises(CurveProblems, match=message) as caught:
        read_curve(raw, TOE)
    assert [where for where, _ in caught.value.problems] == [place]


@pytest.mark.parametrize(
    ("text", "declared", "units_given", "message"),
    [
        ("x,y\nmm,N\n0,1\n1,2\n", FORCE, ["m", "N"], "line 2: units stand here and in the vehicle file; keep one"),
        ("x,1,2\n0,1,2\n1,3,4\n", FORCE, None, "two axes, but only one is possible here"),
    ],
)
def test_csv_files_that_do_not_fit_their_place(
    text: str, declared: CurveUnits, units_given: Any, message: str, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(FormatError, match=message):
        read_csv(tmp_path / "a.csv", declared, units_given)


def test_a_csv_file_that_is_no_text_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"x,y\n0,1\x00\n" + b"\xff" * 9)
    with pytest.raises(FormatError, match=r"a\.csv"):
        read_csv(tmp_path / "a.csv", FORCE)


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


# ---- one of many columns ----------------------------------------------------------------------------------

MANY = "# comment\njounce, toe, camber, spring\nmm, deg, deg, mm\n-80, 0.3, 1.5, -50\n0, 0, 0, 0\n80, -0.4, -1.75, 52\n"
GRID = "rack,jounce,steer,x\nmm,mm,deg,mm\n10,-50,5,1\n10,0,6,2\n10,50,7,3\n-10,-50,-7,4\n-10,0,-6,5\n-10,50,-5,6\n"


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, str]:
    files = {"many": MANY, "grid": GRID, "bare": "-80,1,2\n80,3,4\n", "names": "u,toe,rest\n-1,2,3\n1,4,5\n"}
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return {name: str(tmp_path / f"{name}.csv") for name in files}


def test_a_column_is_the_table_with_the_others_left_out(tables: dict[str, str]) -> None:
    toe = read_curve({"file": tables["many"], "column": "toe"}, TOE)
    assert toe == read_curve({"x": [-80, 0, 80], "y": [0.3, 0, -0.4], "units": ["mm", "deg"]}, TOE)
    assert read_curve({"file": tables["many"], "column": "spring"}, CurveUnits("m", "m")).y == (-0.05, 0.0, 0.052)


def test_two_leading_columns_are_axes_when_the_first_repeats(tables: dict[str, str]) -> None:
    steer = read_curve({"file": tables["grid"], "column": "steer"}, TOE)
    grid = {"x": [-10, 10], "z": [-50, 0, 50], "y": [[-7, -6, -5], [5, 6, 7]], "units": ["mm", "mm", "deg"]}
    assert steer == read_curve(grid, TOE)


def test_units_of_a_column_may_stand_beside_the_file(tables: dict[str, str]) -> None:
    found = read_curve({"file": tables["names"], "column": "toe", "units": ["mm", "deg"]}, TOE)
    assert found == read_curve({"x": [-1, 1], "y": [2, 4], "units": ["mm", "deg"]}, TOE)
    assert read_curve({"file": tables["names"], "column": "toe"}, TOE).x == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("file", "column", "place", "message"),
    [
        ("many", "tow", TOE, r"no column 'tow' in many.csv; did you mean 'toe'\?  known: toe, camber, spring"),
        ("many", "jounce", TOE, "'jounce' is an axis of many.csv"),
        ("grid", "jounce", TOE, "'jounce' is an axis of grid.csv"),
        ("grid", "x", CurveUnits("m", "m"), "grid.csv: two axes, rack and jounce, but x depends on one only here"),
        ("bare", "toe", TOE, "bare.csv has no row of names in which 'toe' could stand"),
        ("many", "spring", TOE, "many.csv: units.*expected rad"),
        ("many", 3, TOE, "found 3; expected the name of a column"),
        ("none", "toe", TOE, "no such file; searched: /"),
    ],
)
def test_bad_columns_are_refused_with_the_reason(
    tables: dict[str, str], tmp_path: Path, file: str, column: Any, place: CurveUnits, message: str
) -> None:
    path = tables.get(file, str(tmp_path / "none.csv"))
    with pytest.raises(CurveProblems, match=message):
        read_curve({"file": path, "column": column}, place)


def test_a_column_needs_a_file_and_a_wide_file_a_column(tables: dict[str, str]) -> None:
    with pytest.raises(CurveProblems, match="'file' is missing"):
        read_curve({"x": [0, 1], "y": [0, 1], "column": "toe"}, TOE)
    with pytest.raises(CurveProblems, match=r"4 columns; expected .*; say which: column: name"):
        read_curve(tables["many"], TOE)
    with pytest.raises(CurveProblems, match=r"units stand here and in many.csv; keep one"):
        read_curve({"file": tables["many"], "column": "toe", "units": ["mm", "deg"]}, TOE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("j,toe,x\nmm,deg\n1,2,3\n", "a.csv line 2: 2 units for 3 columns"),
        ("j,toe,x\n1,2,3\n2,3\n", "a.csv line 3: 2 columns, expected 3"),
        ("j,toe,x\n1,2,3\n2,a,3\n", "a.csv line 3, column 2: 'a' is not a number"),
        ("j,toe,toe\n1,2,3\n2,3,4\n", "2 columns 'toe'"),
        ("j,k,toe\n1,1,3\n1,2,4\n2,1,5\n", "the point x = 2, z = 2 is missing"),
        ("j,k,toe\n1,1,3\n1,1,4\n2,1,5\n", "a.csv line 3: the point x = 1, z = 1 is given twice"),
        ("j,toe\n1,1\n1,2\n", "j must strictly rise"),
        ("j,toe,x\n", "no rows of numbers"),
        ("j,toe,x\n1,inf,1\n2,3,1\n", "finite"),
    ],
)
def test_bad_files_of_many_columns_are_answered_with_the_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(CurveProblems, match=message):
        read_curve({"file": str(tmp_path / "a.csv"), "column": "toe"}, TOE)


def test_a_file_is_read_once_for_all_its_columns(tables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    real = curves.read_table_text

    def counted(path: Path, *args: Any) -> str:
        read.append(path)
        return real(path, *args)

    monkeypatch.setattr(curves, "read_table_text", counted)
    with each_file_once():
        read_curve({"file": tables["many"], "column": "toe"}, TOE)
        read_curve({"file": tables["many"], "column": "camber"}, TOE)
    assert len(read) == 1
    read_curve({"file": tables["many"], "column": "toe"}, TOE)
    assert len(read) == 2  # the next one looks at the file again


@given(
    numbers=st.lists(st.decimals(-1000, 1000, places=9).map(str) | st.floats(-1e9, 1e9).map(repr), min_size=1),
    unit=st.sampled_from(["mm", "m", "inch"]),
)
def test_numbers_of_a_column_are_converted_as_single_ones(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[str], unit: str
) -> None:
    file = tmp_path_factory.mktemp("columns") / "a.csv"
    rows = "".join(f"{i},{number},0\n" for i, number in enumerate(numbers))
    file.write_text(f"i,y,rest\nm,{unit},m\n{rows}")
    found = read_curve({"file": str(file), "column": "y"}, CurveUnits("m", "m"))
    # a decimal of more than 17 digits is rounded once here and twice there
    expected = [units.parse(f"{number} {unit}", "m") for number in numbers]
    assert list(found.y) == approx(expected, rel=3e-16, abs=0.0)
    short = [i for i, number in enumerate(numbers) if len(number.strip("-")) < 16]
    assert [found.y[i] for i in short] == [expected[i] + 0.0 for i in short]


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
    with pytest.raises(FormatError, match=r"the point x = 1, z = 1 is missing"):
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


@pytest.mark.parametrize("columns", [None, ("mm", "cm", "mrad")])
def test_an_exported_map_is_what_another_program_reads_and_comes_back(
    columns: tuple[str, str, str] | None, tmp_path: Path
) -> None:
    """Two axes, by Python's own reader of CSV and factors written here: a mistake of both ways would not cancel."""
    x, z, y = [-0.08, 0.01, 0.1], [-0.03, 0.05], [[0.01, -0.02], [0.003, 0.004], [-0.05, 0.07]]
    curve = read_curve({"x": x, "z": z, "y": y}, TOE)
    file = tmp_path / "toe.csv"
    file.write_text(curve.to_csv(columns))
    found = [row for row in csv.reader(file.read_text().splitlines()) if row and not row[0].startswith("#")]
    factor = {"m": 1.0, "cm": 100.0, "mm": 1000.0, "rad": 1.0, "mrad": 1000.0}
    assert found[1] == list(columns or ("m", "m", "rad")) and len(found) == 2 + len(x)
    of_x, of_z, of_y = (factor[unit] for unit in found[1])
    # a row of z, then a row for every x
    assert [float(cell) for cell in found[0][1:]] == approx([of_z * b for b in z], rel=1e-15)
    for row, a, values in zip(found[2:], x, y, strict=True):
        assert [float(cell) for cell in row] == approx([of_x * a, *(of_y * v for v in values)], rel=1e-15)
    assert read_csv(file, TOE) == curve


FORMS = {
    "commas": "travel,toe\nmm,deg\n-80,0.5\n40,-1.25\n",
    "semicolons and decimal commas": "travel;toe\nmm;deg\n-80;0,5\n40;-1,25\n",
    "tabs and decimal commas": "travel\ttoe\nmm\tdeg\n-80\t0,5\n40\t-1,25\n",
    "units in brackets": "travel [mm],toe [deg]\n-80,0.5\n40,-1.25\n",
    "semicolons and brackets": "# of the rig\ntravel [mm];toe [deg]\n-80,0;0,5\n40,0;-1,25\n",
    "no names": "-0,08;0,008726646259971648\n0,04;-0,02181661564992912\n",
    "western letters": "travel [mm];toe [deg]\n-80;0,5 \n40;-1,25\n# f\xfcr vorn\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_maps_are_read_as_measurements_are(form: str, tmp_path: Path) -> None:
    """Whatever separator, decimal sign and place of units: the same map, and the same numbers as ``read_run`` finds."""
    file = tmp_path / "toe.csv"
    file.write_bytes(FORMS[form].encode("latin-1"))
    curve = read_csv(file, FORCE_OF_ANGLE)
    assert curve.x == approx((-0.08, 0.04), rel=1e-15)
    assert curve.y == approx((math.radians(0.5), math.radians(-1.25)), rel=1e-15)
    if form != "no names":
        from jounce.results.files.text import load

        table = load(file)
        assert (table.names, table.units) == (["travel", "toe"], ["mm", "deg"])
        assert table.values.tolist() == [[-80.0, 0.5], [40.0, -1.25]]
        named = read_curve({"file": str(file), "column": "toe"}, FORCE_OF_ANGLE)
        assert named == curve


def test_a_vehicle_with_maps_from_a_spreadsheet_of_another_country_is_the_same_vehicle(tmp_path: Path) -> None:
    car = jv.load(COMPACT)
    shutil.copytree(COMPACT, tmp_path / "car")
    changed = 0
    for file in (tmp_path / "car").rglob("*.csv"):
        lines = file.read_text().splitlines()
        turned = [line if line.startswith("#") else line.replace(",", ";").replace(".", ",") for line in lines]
        file.write_bytes("\n".join([*turned, "# Stra\xdfe"]).encode("latin-1"))
        changed += 1
    assert changed and jv.load(tmp_path / "car") == car


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
