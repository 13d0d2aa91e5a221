"""A start from the cache: a car is read, run and saved without what only deriving and converting need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jounce.core.library import LIBRARY

HEAVY = ("casadi", "pandas", "scipy", "pint", "matplotlib")

READY = """
    import jounce as jn
    from jounce.sim.car import simulation
    sim = simulation(jn.load("sedan"))
    assert sim.model.sources
"""
COMMAND = """
    from jounce.cli.main import main
    try:
        main(["run", {event!r}, "--vehicle", "sedan", "--out", {out!r}])
    except SystemExit as end:
        assert not end.code, end.code
"""
READ = """
    from jounce.results.files import read
    assert len(read({out!r}).time) > 100
"""


def imported(code: str) -> set[str]:
    """The heavy ones among the packages that a fresh process imports for this code."""
    lines = "\n".join(line[4:] for line in code.strip("\n").splitlines())
    last = f"\nimport sys\nprint(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", lines + last], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def test_a_known_car_is_ready_without_casadi_and_pandas() -> None:
    imported(READY)  # derived and compiled here, unless an earlier run did
    assert imported(READY) == set()


def test_a_known_event_runs_and_is_saved_without_casadi_and_pandas(tmp_path: Path) -> None:
    imported(COMMAND.format(event="step-steer", out=str(tmp_path / "first")))
    assert imported(COMMAND.format(event="step-steer", out=str(tmp_path / "run"))) == set()
    assert list((tmp_path / "run").glob("*.parquet"))
    assert imported(READ.format(out=str(tmp_path / "run"))) == set()


@pytest.mark.slow
@pytest.mark.parametrize("event", ["follow", str(LIBRARY / "events" / "step_steer.vdf"), "straight-braking"])
def test_drivers_manoeuvres_and_controllers_of_a_known_car_neither(event: str, tmp_path: Path) -> None:
    """The sedan has a driveline, a rack with a motor and slip control; here drivers steer it and change gear."""
    imported(COMMAND.format(event=event, out=str(tmp_path / "first")))
    assert not imported(COMMAND.format(event=event, out=str(tmp_path / "run"))) & {"casadi", "pandas"}
