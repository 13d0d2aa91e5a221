"""`jounce export-c`: from a file with a recipe to C that builds."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import jounce as jn
from jounce.cli.main import app

runner = CliRunner()

FILE = """
import jounce as jn


@jn.recipe
def swing(length: float = 1.0):
    s = jn.System("swing")
    arm = s.revolute("arm", s.world, axis="y", initial=0.5)
    mass = s.parameter("mass", 2.0, "kg")
    s.body("bob", arm.frame, mass, (0, 0.1, 0), (0, 0, -length))
    torque = s.input("torque", "N.m")
    s.generalized_force(arm.u[0], torque)
    s.output("angle", arm.q[0], "rad", watch=True)
    return s


push = jn.Program(jn.Phase("push", [jn.Open("torque", jn.Sine(1.0, 2.0))], duration="0.2 s"))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "swing.py"
    path.write_text(FILE)
    return path


def test_a_recipe_becomes_a_program(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "c"
    options = ["--program", f"{file}:push", "--method", "2", "--interval", "10 ms", "--set", "mass=3 kg"]
    result = runner.invoke(app, ["export-c", f"{file}:swing", "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    assert f"build with: make -C {out}" in result.output
    assert "2 evaluations" in result.output
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    subprocess.run(["make", "-s", "-C", str(out)], check=True)
    done = subprocess.run([out / "swing"], capture_output=True, text=True, check=True)
    assert done.stderr == "stopped at t = 0.2 s: last phase ended\n"
    lines = done.stdout.splitlines()
    assert lines[0] == '"time [s]","angle [rad]"' and len(lines) == 22
    listed = subprocess.run([out / "swing", "--parameters"], capture_output=True, text=True, check=True).stdout
    assert listed == "mass=3 kg\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], 'needs an end time or a program: give --time "10 s" or --program module:name'),
        (["--time", "1 s", "--set", "mass"], "--set mass: write NAME=VALUE"),
        (["--time", "1 s", "--set", "mas=1 kg"], "did you mean 'mass'"),
        (["--program", "{file}:pull"], "has no program 'pull'; did you mean 'push'"),
    ],
)
def test_a_wrong_request_is_explained(file: Path, tmp_path: Path, options: list[str], message: str) -> None:
    filled = [option.replace("{file}", str(file)) for option in options]
    result = runner.invoke(app, ["export-c", f"{file}:swing", "--out", str(tmp_path / "c"), *filled])
    assert result.exit_code == 1
    assert message in result.output + result.stderr
    assert not (tmp_path / "c").exists()


@pytest.mark.slow
def test_a_car_with_its_event_drives_to_the_bits_of_python(tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    out = tmp_path / "c"
    options = ["--set", "amplitude=25 deg", "--set", "end_time=2 s", "--set", "body.mass=1500 kg"]
    channels = ["chassis_velocities.*", "Tire.Ground_Surface_Force_?.L1", "driver_demands.steering"]
    chosen = [word for channel in channels for word in ("--channel", channel)]
    result = runner.invoke(app, ["export-c", "sedan", str(out), "--event", "step-steer", *options, *chosen])
    assert result.exit_code == 0, result.output
    subprocess.run(["make", "-s", "-C", str(out)], check=True)
    (program,) = (path for path in out.iterdir() if path.suffix == "" and path.name != "Makefile")
    done = subprocess.run([program, "--binary"], capture_output=True, check=True)
    event = jn.events.StepSteer(amplitude="25 deg", end_time="2 s")
    run = jn.run(jn.load("sedan").with_(**{"body.mass": "1500 kg"}), event, channels=channels)
    found = np.frombuffer(done.stdout).reshape(-1, 1 + len(run.names))
    assert len(run.names) > 6 and len(run) == 201
    assert found[:, 0].tobytes() == run.time.tobytes()
    for k, name in enumerate(run.names, 1):
        assert found[:, k].tobytes() == run[name].tobytes(), name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sedan", "--event", "step-steer"], "give the folder to write once"),
        (["sedan", "{out}", "--out", "{out}", "--event", "step-steer"], "give the folder to write once"),
        (["sedan", "{out}", "--event", "step-ster"], "did you mean 'step-steer'"),
        (["sedan", "{out}", "--event", "step-steer", "--time", "3 s"], "--time does not go with --event"),
        (["sedan", "{out}", "--preset", "iso"], "--preset goes with --event"),
    ],
)
def test_a_wrong_request_for_a_car_is_explained(tmp_path: Path, arguments: list[str], message: str) -> None:
    filled = [argument.replace("{out}", str(tmp_path / "c")) for argument in arguments]
    result = runner.invoke(app, ["export-c", *filled])
    assert result.exit_code == 1
    assert message in result.output + result.stderr
    assert not (tmp_path / "c").exists()
