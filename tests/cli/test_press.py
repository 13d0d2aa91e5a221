"""`jounce press`: a course that the sedan drives at once, and what is no course."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jounce.cli.main import main
from jounce.files.courses import read_course


def called(*words: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    return int(stopped.value.code or 0)


LINE = ["press", "cone-course", "--set", "speed=15", "--highest", "54 km/h", "--population", "2", "--generations", "1"]


def test_the_fastest_event_is_written_and_runs_by_its_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "fastest.yaml"
    code = called(*LINE, "--refinements", "1", "--out", str(out), "--log", str(tmp_path / "log.csv"), "--json")
    data = json.loads(capsys.readouterr().out)
    moved = read_course("offset_lane").control.moved
    assert code == 0 and data["speed"] == pytest.approx(15.0) and data["beyond"] is None
    assert data["moves"] == [0.0] * moved and data["event"]["speed"] == pytest.approx(15.0)
    rows = (tmp_path / "log.csv").read_text().splitlines()
    assert len(rows) == 1 + data["drives"] and "True" not in rows[0] and ",true," in rows[1]
    assert json.loads(out.read_text()) == data["event"]


def test_other_events_have_no_cones(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("press", "step-steer") == 1
    assert "step-steer has no cones" in capsys.readouterr().err
