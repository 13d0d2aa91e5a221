"""Numbers of many cars are what they were: points of every kind of car, whole runs of those of the library.

The references are in tests/references, their cases in tests/reference_cases.py, the tolerances in
tests/reference_data.py.
"""

from __future__ import annotations

from itertools import islice

import pytest

from reference_cases import BY_NAME, CASES, CHANNELS, QUICK, QUICK_POINTS, RUNS, Whole
from reference_data import FOLDER, Points, Rows, differences, parameter_differences, run_differences

SHOWN = 25  # differences in a message


@pytest.mark.parametrize(
    "name",
    [pytest.param(c.name, marks=() if c.name in QUICK_POINTS else pytest.mark.slow) for c in CASES],
)
def test_points(name: str) -> None:
    points = Points.load(FOLDER / "points" / f"{name}.npz")
    sim = BY_NAME[name].simulation()
    changed, gone = parameter_differences(sim.parameters, points.parameters)
    found = [*changed, *islice(differences(sim, points), 1000)]
    assert not found, "\n".join(
        [
            f"{len(found)} differences",
            *found[:SHOWN],
            f"parameters that are no longer there: {', '.join(gone) or 'none'}",
        ]
    )


@pytest.mark.parametrize(
    "whole", [pytest.param(r, id=r.name, marks=() if r.name in QUICK else pytest.mark.slow) for r in RUNS]
)
def test_whole_runs(whole: Whole) -> None:
    then = Rows.load(FOLDER / "runs" / f"{whole.name}.npz")
    now = Rows.of(whole.run(), CHANNELS, whole.every, whole.gains)
    found = list(run_differences(now, then))
    assert not found, "\n".join([f"{len(found)} differences", *found[:SHOWN]])


def test_every_reference_has_its_case() -> None:
    assert {p.stem for p in (FOLDER / "points").glob("*.npz")} == {case.name for case in CASES}
    assert {p.stem for p in (FOLDER / "runs").glob("*.npz")} == {whole.name for whole in RUNS}
