"""`jounce step-check`: halving the step as one command, and how an exploding model is reported."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jounce.cli.main import app, main

RECIPES = """
import jounce as jn


def _oscillator(name, stiffness):
    s = jn.System(name, gravity=(0, 0, 0))
    mass = s.prismatic("mass", s.world, axis="x", initial=1.0)
    s.body("body", mass.frame, 1.0)
    s.generalized_force(mass.u[0], -stiffness * mass.q[0])
    s.output("position", mass.q[0], "m")
    s.output("still", 0 * mass.q[0], "m")
    return s


@jn.recipe
def gentle():
    return _oscillator("gentle", 4.0)


@jn.recipe
def driven():
    s = _oscillator("driven", 4.0)
    s.coordinates[0].default = 0.0
    push = s.input("push", "N")
    s.generalized_force(s.speeds[0].symbol, push)
    return s


swing = jn.Program(jn.Phase("swing", [jn.Open("push", jn.Sine(1.0, 0.5))]))


@jn.recipe
def fierce():
    return _oscillator("fierce", 1e12)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "recipes_for_step_check.py"
    path.write_text(RECIPES)
    return path


def test_digits_of_agreement_are_printed_per_channel(file: Path) -> None:
    options = ["--time", "2 s", "--method", "RK-2", "--step", "5 ms"]
    done = CliRunner().invoke(app, ["step-check", f"{file}:gentle", *options])
    assert done.exit_code == 0, done.output
    digits = float(re.search(r"position\s*│\s*([\d.]+)", done.output).group(1))  # type: ignore[union-attr]
    # RK-2 on ẍ = -ω²x has the phase error (ωh)³/6 per step, so (ωT)(ωh)²/6 after T; h/2 has a quarter of it
    expected = -math.log10(0.75 * (2 * 2.0) * (2 * 0.005) ** 2 / 6)
    assert digits == pytest.approx(expected, abs=0.2)
    assert "at rest" in done.output


def test_a_step_that_is_too_large_is_called_so(file: Path) -> None:
    done = CliRunner().invoke(app, ["step-check", f"{file}:gentle", "--method", "Euler", "--step", "10 ms"])
    assert done.exit_code == 1
    assert "try a smaller step" in done.output


def test_an_exploding_model_is_reported_by_name_and_time_without_a_traceback(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["jounce", "step-check", f"{file}:fierce", "--method", "Euler"])
    with pytest.raises(SystemExit) as stopped:
        main()
    text = capsys.readouterr()
    said = " ".join((text.out + text.err).split())
    assert stopped.value.code == 2
    assert "'mass.rate'" in said or "'mass.travel'" in said
    assert re.search(r"t = [\d.e-]+ s", said)
    assert "smaller step" in said
    assert "Traceback" not in said


def test_a_model_at_rest_is_not_called_good_and_a_program_moves_it(file: Path) -> None:
    done = CliRunner().invoke(app, ["step-check", f"{file}:driven", "--time", "1 s"])
    assert done.exit_code == 1
    assert "nothing moved" in done.output
    options = ["--time", "1 s", "--program", f"{file}:swing"]
    done = CliRunner().invoke(app, ["step-check", f"{file}:driven", *options])
    assert done.exit_code == 0, done.output
    assert "small enough" in done.output


def test_an_unknown_recipe_gets_a_hint(file: Path) -> None:
    done = CliRunner().invoke(app, ["step-check", f"{file}:gentel"])
    assert done.exit_code != 0
    assert "gentle" in str(done.exception) + done.output
