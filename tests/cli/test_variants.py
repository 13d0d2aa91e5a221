"""`jounce run --variants`: a table of changes becomes folders and a summary."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import jounce as jn
from jounce.cli.main import main

FAST = ["--set", "amplitude=20 deg", "--set", "end_time=1.5 s"]


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(stopped.value.code or 0), captured.out, captured.err


def test_a_row_is_a_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table, out = tmp_path / "cars.csv", tmp_path / "out"
    table.write_text("name,body.mass,event.amplitude\nlight one,1300 kg,\n# a remark\nheavy,1.6 t,30 deg\n")
    shared = "front_suspension.anti_roll_bar.scale=0.9"
    options = ["--variants", str(table), "--out", str(out), "--set", shared]
    code, text, err = call(capsys, "run", "step-steer", *FAST, *options)
    assert code == 0, err
    assert "2 runs, 2 complete" in text
    assert sorted(path.name for path in out.iterdir()) == ["001_light_one", "002_heavy", "summary.csv"]
    rows = list(csv.DictReader((out / "summary.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == ["light one", "heavy"]
    assert [row["body.mass"] for row in rows] == ["1300 kg", "1.6 t"]
    assert [row["front_suspension.anti_roll_bar.scale"] for row in rows] == ["0.9", "0.9"]
    assert [row["event.amplitude"] for row in rows] == ["", "30 deg"]
    assert [float(row["steering_step [deg]"]) for row in rows] == pytest.approx([20.0, 30.0], abs=0.1)
    heavy = jn.Run.read(out / "002_heavy")
    assert heavy.metadata["parameters"]["body.mass"] == "1.6 t"
    car = jn.load("sedan").with_(**{"body.mass": "1.6 t", "front_suspension.anti_roll_bar.scale": 0.9})
    single = jn.run(car, jn.events.StepSteer(amplitude="30 deg", end_time="1.5 s"), interval="10 ms")
    assert heavy["chassis_velocities.yaw"].tobytes() == single["chassis_velocities.yaw"].tobytes()


def test_yaml_and_json(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cars.yaml").write_text("- {name: a, body.mass: 1400}\n- event.speed: 60 km/h\n")
    code, out, _ = call(capsys, "run", "step-steer", *FAST, "--variants", "cars.yaml", "--json")
    data = json.loads(out)
    assert code == 0 and data["folder"] == "cars_runs"
    assert [run["name"] for run in data["runs"]] == ["a", ""]
    assert [run["parameters"] for run in data["runs"]] == [{"body.mass": "1400"}, {"event.speed": "60 km/h"}]
    assert (tmp_path / "cars_runs" / "002" / "run.json").is_file()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "name,body.mass\na,1400 kg\n\nb,-3 kg\n", "t.csv, line 4, column 'body.mass': "),
        ("t.csv", "body.mas\n3 kg\n", "t.csv, line 2, column 'body.mas': "),
        ("t.csv", "body.mass,event.sped\n1400 kg,3\n", "t.csv, line 2, column 'event.sped': "),
        ("t.csv", "body.mass,\n1400 kg,3\n", "t.csv, line 1, column 2: no name"),
        ("t.csv", "body.mass,body.mass\n1,2\n", "t.csv, line 1, column 2: 'body.mass' stands there twice"),
        ("t.csv", "body.mass\n1400 kg, 3\n", "t.csv, line 2: 2 cells, but 1 columns"),
        ("t.csv", "body.mass\n", "t.csv: no rows"),
        ("t.yaml", "- body.mass: 1400\n- body.mass: 3 m\n", "t.yaml, line 2, column 'body.mass': "),
        ("t.yaml", "body.mass: 3\n", "t.yaml: expected a list of mappings"),
        ("none.csv", "", "none.csv: cannot be read"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, text: str, message: str
) -> None:
    if text:
        (tmp_path / name).write_text(text)
    out = tmp_path / "out"
    code, _, err = call(capsys, "run", "step-steer", "--variants", str(tmp_path / name), "--out", str(out))
    assert code == 1 and message in err, err
    assert not out.exists()


def test_a_run_that_fails_is_in_the_summary(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table, out = tmp_path / "t.csv", tmp_path / "out"
    table.write_text("name;event.road\ngood;\nbad;no_such_road\n")
    code, text, _ = call(capsys, "run", "step-steer", *FAST, "--variants", str(table), "--out", str(out))
    assert code == 2 and "run 2 bad: " in text and "no_such_road" in text
    rows = list(csv.DictReader((out / "summary.csv").read_text().splitlines()))
    assert [row["status"] for row in rows] == ["complete", "partial"] and "no_such_road" in rows[1]["reason"]
    assert (out / "001_good").is_dir() and not (out / "002_bad").exists()


def test_options_of_a_single_run_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("body.mass\n1400\n")
    code, _, err = call(capsys, "run", "step-steer", "--variants", str(tmp_path / "t.csv"), "--live")
    assert code == 1 and "--live goes with a single run" in err
