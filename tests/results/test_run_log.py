"""The log of a run against the numbers of the run."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.results.run import Run
from result_runs import drive


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_statistics_are_those_of_the_channels_and_the_speed_is_that_of_the_run(side: float) -> None:
    run = drive("step_steer", end=5.0, timing={"simulated": 5.0, "wall": 0.4}, warnings=["something odd"])
    names = {
        "yaw rate": "chassis_velocities.yaw",
        "steering": "driver_demands.steering",
        "roll": "chassis_displacements.roll",
    }
    values = {name: side * run[name] if name in names.values() else run[name] for name in run.names}
    text = Run(run.time, values, run.units, run.metadata).log()
    for word, channel in names.items():
        for kind, wanted, where in (
            ("smallest", values[channel].min(), values[channel].argmin()),
            ("largest", values[channel].max(), values[channel].argmax()),
        ):
            found = re.search(rf"{word}, {kind}\s+(\S+) \S+\s+at (\S+) s", text)
            assert found is not None, text
            assert float(found[1].replace("−", "-")) == pytest.approx(wanted, rel=6e-4, abs=1e-9)
            assert float(found[2]) == pytest.approx(run.time[where], abs=1e-3) or wanted == 0
    mean = re.search(r"yaw rate, mean\s+(\S+)", text)
    wanted = np.trapezoid(values["chassis_velocities.yaw"], run.time) / (run.time[-1] - run.time[0])
    assert mean is not None and float(mean[1].replace("−", "-")) == pytest.approx(wanted, rel=6e-4)
    assert re.search(r"simulated 5 s in 0\.4\S* s: 12\.5 times real time", text), text
    assert "something odd" in text and f"recorded {len(run)} rows of {len(run.names)} channels" in text
    assert re.search(rf"last time\s+{run.time[-1]:g} s", text)


def test_a_run_without_rows_has_a_log_too() -> None:
    text = Run([0.0], np.zeros((1, 1)), ["m"], {"status": "partial", "reason": "fell over"}, names=["a"]).log()
    assert "partial: fell over" in text and "statistics" not in text and "recorded 1 rows of 1 channels" in text


@pytest.mark.slow
def test_the_command_writes_it_beside_the_run(tmp_path: Path) -> None:
    told = CliRunner().invoke(
        app, ["run", "step-steer", "--set", "amplitude=30 deg", "--set", "end_time=1.5 s", "--out", str(tmp_path / "a")]
    )
    assert told.exit_code == 0, told.output
    text, run = (tmp_path / "a" / "run.log").read_text(), Run.read(tmp_path / "a")
    assert text == run.log("engineering") and "times real time" in text and "sedan" in text
