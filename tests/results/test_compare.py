"""Runs beside each other."""

from __future__ import annotations

import copy
import math
from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import FormatError, ParameterError
from jounce.results.compare import Band, compare, tolerance_band
from jounce.results.comparison_report import render
from jounce.results.origin import pack
from jounce.results.run import Run
from result_runs import drive


@pytest.fixture(scope="module")
def pair() -> tuple[Run, Run]:
    return drive("step_steer", label="base"), drive("step_steer", front=85.5e3, label="soft")


def test_key_figures_with_differences(pair: tuple[Run, Run]) -> None:
    found = compare(*pair)
    rows = {row.key: row for row in found.rows}
    row = rows["yaw_rate_gain"]
    a, b = (run.kpis["yaw_rate_gain"][0] for run in pair)
    assert row.values == (a, b)
    assert row.differences == (b - a,)
    assert row.relative == ((b - a) / a,)
    table = found.table()
    assert "base" in table.splitlines()[0]
    assert f"({100 * (b - a) / a:+.1f} %)" in table
    assert str(found) == table


def test_three_runs_and_their_labels(pair: tuple[Run, Run]) -> None:
    found = compare(*pair, pair[0], labels=["a", "b", "c"])
    assert found.labels == ("a", "b", "c")
    assert all(row.differences[1] == 0.0 for row in found.rows if not math.isnan(row.values[0]))
    twins = compare(pair[0], pair[0])
    assert twins.labels == ("base (A)", "base (B)")


def test_units_are_brought_together(pair: tuple[Run, Run]) -> None:
    from jounce.results.figures import Figures, register

    register("test_unit_a", lambda run: Figures({"way": (1.0, "m")}))
    register("test_unit_b", lambda run: Figures({"way": (500.0, "mm")}))
    a, b = pair[0].with_metadata(event="test_unit_a"), pair[0].with_metadata(event="test_unit_b", label="b")
    (row,) = compare(a, b).rows
    assert row.values == (1.0, 0.5)


def test_what_cannot_be_compared(pair: tuple[Run, Run]) -> None:
    with pytest.raises(ParameterError, match="at least two"):
        compare(pair[0])
    with pytest.raises(ParameterError, match="takes runs, found int"):
        compare(pair[0], 3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="2 runs, but 1 labels"):
        compare(*pair, labels=["a"])


def test_the_band_is_the_envelope_of_a_moving_rectangle() -> None:
    x = np.linspace(0, 10, 1001)
    y = np.sin(x)
    lower, upper = tolerance_band(x, y, 0.5, 0.1)
    assert np.all(upper >= y + 0.1) and np.all(lower <= y - 0.1)
    k = 300  # rising or falling: the extreme lies at an end of the window
    window = (x >= x[k] - 0.5 - 1e-9) & (x <= x[k] + 0.5 + 1e-9)
    assert upper[k] == y[window].max() + 0.1
    assert lower[k] == y[window].min() - 0.1
    assert upper[157] == pytest.approx(1.1, abs=1e-5)  # at the top


def test_a_run_inside_and_one_outside(pair: tuple[Run, Run]) -> None:
    a, b = pair
    late = a.shifted(0.03)
    band = {"chassis_velocities.yaw": Band(absolute="0.05 deg/s", across=0.035)}
    found = compare(a, late, bands=band, labels=["a", "late"])
    assert found.ok
    assert found.inside[0].share == 1.0
    found = compare(a, b, bands=band)
    assert not found.ok
    excess = np.max(np.abs(a["chassis_velocities.yaw"] - b["chassis_velocities.yaw"])) - 0.05 * math.pi / 180
    assert 0 < found.inside[0].excess <= excess
    assert "leaves it by" in str(found)


def test_alignment_before_comparing(pair: tuple[Run, Run]) -> None:
    a = pair[0]
    band = {"chassis_velocities.yaw": Band(absolute="0.2 deg/s")}
    assert not compare(a, a.shifted(0.5), bands=band, labels=["a", "b"]).ok
    aligned = compare(a, a.shifted(0.5), bands=band, labels=["a", "b"], align="driver_demands.steering")
    assert aligned.ok
    assert aligned.shifts[1] == pytest.approx(-0.5, abs=1e-3)


def test_a_band_over_lateral_acceleration() -> None:
    a = drive("ramp_steer", end=40.0, label="a")
    b = drive("ramp_steer", end=40.0, front=94e3, label="b")
    wide = Band(relative=0.05, across="0.1 m/s2", x="System_Mass_Center.Tracking_Ay")
    narrow = Band(relative=0.001, x="System_Mass_Center.Tracking_Ay")
    assert compare(a, b, bands={"driver_demands.steering": wide}).ok
    assert not compare(a, b, bands={"driver_demands.steering": narrow}).ok


def test_a_bad_band_is_refused(pair: tuple[Run, Run]) -> None:
    with pytest.raises(ParameterError, match="expected rad/s"):
        compare(*pair, bands={"chassis_velocities.yaw": Band(absolute="1 m")})
    with pytest.raises(ParameterError, match="negative"):
        compare(*pair, bands={"chassis_velocities.yaw": Band(absolute=-1.0)})
    with pytest.raises(ParameterError, match="no time in common"):
        compare(pair[0], pair[1].shifted(100.0), bands={"chassis_velocities.yaw": Band(1.0)})


def test_overlays_and_tables(pair: tuple[Run, Run]) -> None:
    pytest.importorskip("matplotlib")
    found = compare(*pair)
    figure = found.plot("chassis_velocities.yaw")
    assert len(figure.axes[0].lines) == 2
    assert "chassis_velocities.yaw" in found.common("*yaw*")
    pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert frame.loc["yaw_rate_gain", "base"] == pair[0].kpis["yaw_rate_gain"][0]


def of(vehicle: dict[str, object], event: dict[str, object] | None = None, **metadata: object) -> Run:
    """A run that carries its data."""
    tires = {wheel: {"values": {"LMUY": 1.0 if wheel == "R2" else 0.9}} for wheel in ("L1", "R1", "R2")}
    units = {"front.bar.stiffness": "N.m/rad", "rear.bar.stiffness": "N.m/rad", "body.mass": "kg"}
    data = {"vehicle": vehicle, "units": units, "tires": tires, "event": event or {}, **metadata}
    packed, hashes = pack(data)
    return drive("step_steer", data=packed, hashes=hashes)


CAR = {
    "name": "a",
    "body": {"mass": 1500.0},
    "front": {"bar": {"stiffness": 1000.0}, "dampers": [{"scale": 1.0}, {"scale": 1.0}]},
    "rear": {"bar": {"stiffness": 700.0}, "map": [float(k) for k in range(10)]},
}


def changed(path: str, value: object) -> dict[str, object]:
    car = copy.deepcopy(CAR)
    *parents, last = path.split(".")
    place: dict[str, object] = car
    for key in parents:
        place = place[key]  # type: ignore[assignment]
    place[last] = value
    return car


def test_what_differs_between_runs_is_named_and_labels_them() -> None:
    found = compare(of(CAR), of(changed("front.bar.stiffness", 500.0)))
    (item,) = found.differences
    assert item.key == "front.bar.stiffness"
    assert item.values == ("17.453 N·m/deg", "8.7266 N·m/deg")
    assert found.labels == ("bar.stiffness 17.453 N·m/deg", "bar.stiffness 8.7266 N·m/deg")
    assert "different: front.bar.stiffness: 17.453 N·m/deg | 8.7266 N·m/deg" in str(found)
    assert "front.bar.stiffness" in render(found)


def test_labels_name_the_axle_where_both_differ() -> None:
    both = changed("front.bar.stiffness", 500.0)
    both["rear"]["bar"]["stiffness"] = 350.0  # type: ignore[index]
    found = compare(of(CAR), of(both), of(changed("body.mass", 1400.0)))
    assert [item.key for item in found.differences] == ["body.mass", "front.bar.stiffness", "rear.bar.stiffness"]
    assert found.labels[2] == "body.mass 1400 kg, front.bar.stiffness 17.453 N·m/deg, 1 more"


def test_lists_words_and_tires_that_differ() -> None:
    other = changed("rear.map", [0.0, 1.0, 2.5, *range(3, 10)])
    (item,) = compare(of(CAR), of(other)).differences
    assert (item.key, item.values) == ("rear.map", ("10 values", "1 of 10 values differ"))
    (item,) = compare(of(CAR), of(changed("front.dampers", [{"scale": 1.0}, {"scale": 0.5}]))).differences
    assert (item.key, item.values) == ("front.dampers[1].scale", ("1", "0.5"))
    worn = {wheel: {"values": {"LMUY": 0.7 if wheel in ("L1", "R1") else 1.0}} for wheel in ("L1", "R1", "R2")}
    (item,) = compare(of(CAR), of(CAR, tires=worn)).differences
    assert (item.key, item.values) == ("tire L1, R1.values.LMUY", ("0.9", "0.7"))
    assert compare(of(CAR), of(changed("name", "b"))).differences == []


def test_the_table_of_three_runs_fits_a_terminal_and_a_page(pair: tuple[Run, Run]) -> None:
    long = [f"a rather long label of the run number {k}" for k in range(3)]
    found = compare(*pair, pair[0], labels=long)
    lines = found.table().splitlines()
    assert lines[:3] == [f"{letter}: {label}" for letter, label in zip("ABC", long, strict=True)]
    assert lines[3].split() == ["key", "figure", "unit", "A", "B", "C"]
    assert max(map(len, lines)) <= 120
    page = render(found)
    figures = page[page.index("Key figures") :].partition("</table>")[0]
    assert figures.count("<th>") + figures.count("<th class") == 5  # figure, unit, and a column for each run
    assert all(label in figures for label in long)
    assert render(compare(*pair)).count(">Difference<") == 1


def test_runs_that_do_not_differ_are_told_apart_by_letters() -> None:
    assert compare(of(CAR), of(CAR)).labels == ("sedan · step steer (A)", "sedan · step steer (B)")


def test_data_of_a_run_are_read_back_and_damage_is_told(tmp_path: Path) -> None:
    run = of(CAR)
    back = Run.read(run.to_csv(tmp_path / "a.csv"))
    assert back.data["vehicle"] == CAR and drive("step_steer").data == {}
    for broken in ("x", "eJw=", "AAAA", run.metadata["data"][:-8]):
        with pytest.raises(FormatError, match="that the run carries are damaged"):
            _ = run.with_metadata(data=broken).data
