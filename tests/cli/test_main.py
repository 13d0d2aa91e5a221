"""The command line: verbs, hints, exit codes, and a quick start."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import jounce
from jounce.cli.main import Verbs, app
from jounce.core.errors import ModelError, SimulationError

runner = CliRunner()
HEAVY = ("casadi", "scipy", "matplotlib", "pinocchio", "numpy", "pint")


def test_help_lists_the_verbs() -> None:
    result = runner.invoke(app, ["--help"])
    assert result.exit_code == 0
    for verb in ("verify", "bench"):
        assert verb in result.output


def test_without_arguments_it_shows_help() -> None:
    result = runner.invoke(app, [])
    assert result.exit_code == 0
    assert "verify" in result.output


def test_version() -> None:
    result = runner.invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.output == f"jounce {jounce.__version__}\n"


def test_nothing_heavy_is_imported_before_a_verb_runs() -> None:
    code = f"import sys, jounce.cli.main; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("verb", ["step-check", "step_check"])
def test_verbs_are_found_with_either_kind_of_dash(verb: str) -> None:
    assert runner.invoke(app, [verb, "--help"]).exit_code == 0


def test_an_unknown_verb_gets_a_hint() -> None:
    result = runner.invoke(app, ["verfy"])
    assert result.exit_code == 1
    assert "did you mean 'verify'" in result.output


def test_an_unknown_option_gets_a_hint() -> None:
    result = runner.invoke(app, ["verify", "--jsn"])
    assert result.exit_code == 1
    assert "--json" in result.output


@pytest.fixture
def failing() -> typer.Typer:
    """An application with our exit codes whose verbs fail."""
    failing = typer.Typer(cls=Verbs, pretty_exceptions_enable=False)

    @failing.command()
    def wrong_data() -> None:
        raise ModelError("mass of 'hub' is negative")

    @failing.command()
    def failed_run() -> None:
        raise SimulationError("state 'x' became nan at t = 3 s")

    @failing.command()
    def bug() -> None:
        raise ZeroDivisionError("nobody thought of this")

    @failing.command()
    def chosen() -> None:
        raise typer.Exit(1)

    return failing


@pytest.mark.parametrize(
    ("verb", "code", "text"),
    [
        ("wrong-data", 1, "mass of 'hub' is negative"),
        ("failed-run", 2, "state 'x' became nan"),
        ("bug", 3, "nobody thought of this"),
        ("chosen", 1, ""),
    ],
)
def test_exit_codes_tell_whose_fault_it_is(failing: typer.Typer, verb: str, code: int, text: str) -> None:
    result = runner.invoke(failing, [verb])
    assert result.exit_code == code
    assert text in result.output
    assert ("Traceback" in result.output) == (code == 3)
    assert ("report it" in result.output) == (code == 3)
