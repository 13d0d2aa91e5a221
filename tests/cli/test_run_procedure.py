"""`jounce run` of an event of several runs: the verdict in JSON and on the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jounce.cli.main import main
from jounce.results.run import Run

# A is so large that the series is short: 1.5 A … 4.5 A and 300° to either side
SHORT = ["sine-with-dwell", "--vehicle", "sedan", "--set", "steering_at_nominal=60 deg", "--set", "end_time=5 s"]


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    return int(stopped.value.code or 0), capsys.readouterr().out


def test_the_verdict_in_json_and_in_the_stored_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out = call(capsys, "run", *SHORT, "--json", "--out", str(tmp_path))
    data = json.loads(out)
    assert code == 0 and data["status"] == "complete" and data["reason"] == "16 runs"
    assert data["verdict"] == "fail" and "yaw rate at most 35 % of its peak" in data["verdict_reason"]
    assert data["kpis"]["runs"]["value"] == 16 and data["kpis"]["swd_pass"]["value"] == 0.0
    assert [item["met"] for item in data["criteria"]].count(False) >= 1
    assert len(Run.read(tmp_path).trials) == 16


def test_one_direction_has_no_verdict_but_a_failed_one(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = call(capsys, "run", *SHORT, "--json", "--set", "gain=1.5", "--set", "direction=left")
    data = json.loads(out)
    assert code == 0 and data["verdict"] is None and "the rule asks for all amplitudes" in data["verdict_reason"]
    code, out = call(capsys, "run", *SHORT, "--set", "direction=left")
    assert code == 0 and "verdict: fail" in out
