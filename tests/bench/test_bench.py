"""The benchmark's figures that do not depend on the machine, and its rows."""

from __future__ import annotations

import math

import pytest

from jounce.bench import run
from jounce.bench.car import step_rows
from jounce.bench.models import train, vehicle
from jounce.bench.road import size_row


def operations(system: object) -> int:
    return int(system.generate().operations["rhs"])  # type: ignore[attr-defined]


@pytest.mark.slow
def test_operations_grow_linearly_with_the_number_of_axles() -> None:
    few, many = operations(vehicle(4)), operations(vehicle(16))
    assert math.log(many / few) / math.log(4) <= run.GROWTH


@pytest.mark.slow
def test_operations_of_six_units_are_little_more_than_twice_those_of_three() -> None:
    assert operations(train(6, 3)) <= run.UNITS_RATIO * operations(train(3, 3))


def test_the_vehicle_has_fourteen_degrees_of_freedom_and_stands_on_its_wheels() -> None:
    simulation = run.rolling_vehicle()
    speeds = [s.name for s in vehicle(2).speeds]
    assert len(speeds) == 14
    loads = [simulation.output(f"{corner}.fz") for corner in ("L1", "R1", "L2", "R2")]
    weight = sum(simulation.parameter(n) for n in ("mass", "L1.mass", "R1.mass", "L2.mass", "R2.mass")) * 9.80665
    # at rest vertically after two seconds: the loads carry the weight to a newton
    assert sum(loads) == pytest.approx(weight, abs=1.0)


def test_a_budget_says_which_side_is_good(capsys: pytest.CaptureFixture[str]) -> None:
    from jounce.cli.bench import _print

    rows = [run.at_most("time", 1.0, "s", 2.0), run.at_least("speed", 1.0, "-", 3.0), run.Row("size", 1.0, "-")]
    assert [row.limit for row in rows] == ["≤", "≥", ""]
    _print(rows)
    text = capsys.readouterr().out
    assert "≤ 2" in text and "≥ 3" in text and "missed" in text


@pytest.mark.slow
def test_a_start_from_the_cache_is_measured_in_fresh_processes() -> None:
    ready, whole = run.start_rows()
    assert (ready.budget, whole.budget) == (run.READY, run.PROCESS)
    assert ready.note == "neither CasADi nor pandas imported"
    assert ready.value > 0.0 and whole.value > 0.0


@pytest.mark.slow
def test_the_real_time_factor_and_the_worst_step_are_measured() -> None:
    second, worst = step_rows()
    assert (second.budget, second.unit, second.limit) == (0.3, "s", "≤") and second.value > 0.0
    assert worst.unit == "µs" and worst.value > 0.0 and "median" in worst.note


@pytest.mark.slow
def test_suspensions_in_full_are_measured() -> None:
    """Rows with their budgets; what compliance costs is counted in operations, which no machine changes."""
    from jounce.bench import suspension
    from jounce.sim import car
    from jounce.vehicle.reading import load

    rows = suspension.suspension_rows()
    assert [(row.budget, row.limit) for row in rows] == [
        (1.25, "≤"),
        (150.0, "≥"),
        (100.0, "≥"),
        (10.0, "≤"),
        (1.0, "≤"),
    ]
    assert all(row.value > 0.0 for row in rows)
    cars = [suspension.compliance_of(load("sedan"), maps) for maps in (None, suspension.FIVE)]
    without, with_it = (car.simulation(car.describe(vehicle)).model.operations["rhs"] for vehicle in cars)
    assert without < with_it < 1.15 * without


@pytest.mark.slow
def test_a_steering_in_full_is_measured() -> None:
    """Rows with their budgets; what it costs is counted in operations."""
    from jounce.bench.steering import steering_rows
    from jounce.sim import car
    from jounce.vehicle.reading import load

    rows = steering_rows()
    assert [(row.budget, row.limit, row.unit) for row in rows] == [(1.0, "≤", "µs"), (130.0, "≥", "-")]
    sedan = load("sedan")
    cars = (sedan.with_(**{"steering.rack_pinion": None}), sedan)
    without, with_it = (car.simulation(car.describe(vehicle)).model.operations["rhs"] for vehicle in cars)
    assert without < with_it < 1.2 * without


def test_a_query_of_a_grid_is_compared_over_the_size_of_the_grid() -> None:
    row = size_row()
    assert (row.budget, row.unit, row.limit) == (1.5, "-", "≤") and row.value > 0.0


@pytest.mark.slow
def test_ten_million_triangles() -> None:
    """Built in memory, asked at random places; takes 3 GB."""
    from jounce.bench.road import huge_rows

    built, asked = huge_rows()
    assert built.value > 0.0 and asked.value > 0.0


@pytest.mark.slow
def test_every_row_is_measured() -> None:
    """Whether a machine is quick enough is what `jounce bench` says; here only that it measures something."""
    rows = run.run_bench(quick=True)
    assert len({row.name for row in rows}) == len(rows)
    least = {row.name: -1.0 if "overhead" in row.name else 0.0 for row in rows}  # a ratio less one: noise may be more
    assert [row.name for row in rows if not (math.isfinite(row.value) and row.value >= least[row.name])] == []
    assert all(row.limit in ("≤", "≥") and row.budget > 0.0 for row in rows if row.budget is not None)
