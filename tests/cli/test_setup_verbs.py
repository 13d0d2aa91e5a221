"""`jounce setup` and `jounce trim`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import jounce as jn
from jounce.cli.main import main


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(stopped.value.code or 0), captured.out, captured.err


def test_setup_tells_targets_what_was_reached_changes_and_status(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sheet, out = tmp_path / "sheet.html", tmp_path / "car"
    arguments = ["--set", "front_ride_height=303 mm", "--set", "rear_camber=-1.3 deg", "--json"]
    code, text, _ = call(capsys, "setup", "sedan", *arguments, "--sheet", str(sheet), "--out", str(out))
    found = json.loads(text)
    assert code == 0 and found["status"] == "reached"
    assert found["targets"] == {"front_ride_height": 0.303, "rear_camber": pytest.approx(-0.022689, abs=1e-6)}
    assert found["reached"]["front_ride_height"] == pytest.approx(0.303, abs=1e-6)
    assert {c["path"] for c in found["changes"]} == {"front_suspension.spring.pushrod", "rear_suspension.camber.offset"}
    assert sheet.read_text().startswith("<!DOCTYPE html>")
    changed = jn.load(out)
    for change in found["changes"]:
        assert changed.get(change["path"]) == pytest.approx(change["to"], abs=1e-12)


def test_what_is_not_reached_is_told_and_nothing_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "car"
    code, text, _ = call(capsys, "setup", "sedan", "--set", "front_ride_height=0.1", "--json", "--out", str(out))
    found = json.loads(text)
    assert code == 1 and not out.exists() and found["changes"] == []
    assert found["status"].startswith("not reached: front_ride_height") and "pushrod_min" in found["status"]
    (problem,) = found["problems"]
    assert problem["target"] == "front_ride_height" and problem["wanted"] == 0.1 and 0.2 < problem["got"] < 0.3
    code, _, err = call(capsys, "setup", "sedan", "--set", "front_hight=0.1")
    assert code == 1 and "target 'front_hight': unknown" in err


def test_targets_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = call(capsys, "setup", "sedan", "--list")
    assert code == 0 and any(line.split()[:2] == ["rear_left_toe", "rad"] for line in text.splitlines())


def test_trim_says_what_it_changed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    light = tmp_path / "light"
    jn.load("sedan").with_(**{"front_suspension.spring.preload": "5500 N"}).save(light)
    code, text, _ = call(capsys, "trim", str(light), "--json", "--out", str(tmp_path / "trimmed"))
    found = json.loads(text)
    assert code == 0 and found["status"] == "reached"
    change = next(c for c in found["changes"] if c["path"] == "front_suspension.spring.preload")
    assert change["from"] == 5500.0 and change["to"] == pytest.approx(5988.0, abs=2.0)
    assert jn.load(tmp_path / "trimmed").front_suspension.spring.preload == pytest.approx(change["to"])
    code, text, _ = call(capsys, "trim", str(tmp_path / "trimmed"))
    assert code == 0 and "nothing changed" in text
