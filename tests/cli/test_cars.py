"""The verbs about cars: list, show, check, run, compare."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import jounce as jn
from jounce import events
from jounce.cli._runs import print_figures
from jounce.cli._terminal import waiting
from jounce.cli.main import main

FAST = ["--set", "amplitude=20 deg", "--set", "end_time=2 s"]


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(stopped.value.code or 0), captured.out, captured.err


def test_list_names_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "list", "--json")
    names = {kind: [item["name"] for item in items] for kind, items in json.loads(out).items()}
    assert code == 0
    assert {"compact", "sedan", "suv", "sports", "light_truck"} <= set(names["vehicles"])
    assert "step-steer" in names["events"] and "sedan_225_50r17" in names["tires"]
    code, _, err = call(capsys, "list", "vehicels")
    assert code == 1 and "did you mean 'vehicles'" in err


def test_list_tells_the_figures_of_the_cars_with_their_ranges(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = call(capsys, "list", "vehicles", "s*", "--figures", "--json")
    cars = {car["name"]: {row["name"]: row for row in car["figures"]} for car in json.loads(out)["vehicles"]}
    assert code == 0 and set(cars) == {"sedan", "sports", "suv"}
    row = cars["sedan"]["understeer_gradient"]
    assert row["inside"] is True and (row["low"], row["high"]) == (1.2, 2.6) and row["low"] < row["value"] < row["high"]
    assert row["unit"] == "deg/g_0" and row["from"] == "ramp-steer"
    code, out, _ = call(capsys, "list", "vehicles", "sedan", "--figures")
    assert code == 0 and "mz_steer_front" in out and "outside" not in out
    moved = {"sedan": {"hash": "", "figures": {"mass": {"value": 1499.0, "from": "show"}}}}
    monkeypatch.setattr("jounce.vehicle.library_figures.stored", lambda: moved)
    code, out, _ = call(capsys, "list", "vehicles", "sedan", "--figures")
    assert code == 0 and out.splitlines()[1].split() == [
        *["mass", "1499", "kg", "1500", "…", "1800", "show", "outside"]
    ]
    code, _, err = call(capsys, "list", "tires", "--figures")
    assert code == 1 and "jounce list vehicles --figures" in err


def test_channels_by_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "list", "channels", "*yaw*")
    assert code == 0 and "chassis_velocities.yaw" in out and "Jounce" not in out


def test_list_names_the_ports_of_a_vehicle(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "list", "ports", "Main_Spring.*", "--vehicle", "compact")
    lines = [line.split() for line in out.splitlines()]
    assert code == 0
    assert sorted(line[0] for line in lines) == sorted(
        f"Main_Spring.{name}.{c}" for name in ("force", "activity_flag") for c in ("L1", "R1", "L2", "R2")
    )
    assert ["Main_Spring.force.L1", "[N]", "added:"] in [line[:3] for line in lines]


def test_show_prints_the_standing_car(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "show", "sedan", "--json")
    data = json.loads(out)
    assert code == 0
    loads = sum(data["figures"][f"load_{c}"]["value"] for c in ("L1", "R1", "L2", "R2"))
    assert loads == pytest.approx(data["figures"]["mass"]["value"] * 9.80665, rel=1e-6)
    assert {mode["name"] for mode in data["modes"]} >= {"heave", "pitch", "roll"}
    code, out, _ = call(capsys, "show", "sedan", "--set", "front_suspension.spring.scale=1.1")
    assert code == 0 and "ride frequency, front" in out


@pytest.mark.slow
def test_tables_are_whole_in_a_narrow_terminal_and_in_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    code, out, _ = call(capsys, "show", "sedan")
    line = next(line for line in out.splitlines() if "ride_frequency_front" in line)
    assert code == 0 and "ride frequency, front" in line and "…" not in out
    hard = ["--set", "amplitude=120 deg"]  # beyond what the tires were made for: a long warning
    _, out, _ = call(capsys, "run", "step-steer", *FAST, *hard)
    row = next(line for line in out.splitlines() if "steering_step" in line)
    assert row.split()[:3] == ["steering_step", "120", "deg"]
    told = [line for line in out.splitlines() if line.startswith("warning:")]
    assert any(len(line) > 60 for line in told)  # not broken at 40 columns


def test_a_wait_has_a_line_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for terminal, seen in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr("sys.stderr", terminal)
        with waiting("sedan: building the model") as done:
            done()
        text = terminal.getvalue()
        assert ("sedan: building the model" in text and "0:00:0" in text) == seen


def test_check_says_file_line_and_what_to_do(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert call(capsys, "check", "sedan", "suv")[0] == 0
    (tmp_path / "car.yaml").write_text("name: broken\nbody: {mass: -3 kg}\n")
    code, out, _ = call(capsys, "check", str(tmp_path / "car.yaml"))
    assert code == 1 and "line 2" in out and "body.mass" in out
    code, out, _ = call(capsys, "check", "sedn")
    assert code == 1 and "searched" in out


def test_run_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "run", "step_steer", "--vehicle", "sedan", *FAST, "--json")
    data = json.loads(out)
    assert code == 0
    assert data["verdict"] is None and data["verdict_reason"] == "no standard gives a limit for this event"
    assert {
        "vehicle",
        "event",
        "parameters",
        "status",
        "reason",
        "criteria",
        "kpis",
        "warnings",
        "timing",
        "files",
    } <= set(data)
    assert data["status"] == "complete" and data["event"] == "step-steer"
    assert data["kpis"]["steering_step"]["value"] == pytest.approx(20.0, abs=0.1)


def test_the_command_and_the_function_give_the_same_bits_twice(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = [jn.run(jn.load("sedan"), events.StepSteer(amplitude="20 deg", end_time="2 s")) for _ in range(2)]
    for name in ("a", "b"):
        assert call(capsys, "run", "step-steer", *FAST, "--out", str(tmp_path / name))[0] == 0
    stored = [jn.Run.read(tmp_path / name) for name in ("a", "b")]
    for run in (own[1], *stored):
        assert run.names == own[0].names and run.time.tobytes() == own[0].time.tobytes()
        assert all(run[name].tobytes() == own[0][name].tobytes() for name in run.names)


def test_a_run_prints_extremes_times_and_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "run", "step-steer", *FAST)
    run = jn.run(jn.load("sedan"), events.StepSteer(amplitude="20 deg", end_time="2 s"))
    lines = {line.strip().partition("  ")[0]: line.split() for line in out.splitlines()}
    assert code == 0
    assert lines["steering wheel angle"][-4:] == ["0", "to", "20", "deg"]
    most = run.signal("lateral_acceleration").max() / 9.80665
    assert float(lines["lateral acceleration"][-2]) == pytest.approx(most, rel=1e-2)
    assert lines["speed"][-1] == "km/h" and "longitudinal acceleration" in lines
    assert "2.00 s simulated in" in out and "times real time" in out and "warning:" in out


def test_lap_times_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run = jn.run(jn.load("sedan"), events.StepSteer(amplitude="5 deg", end_time="2 s"))
    print_figures(run.with_metadata(laps={"times": [61.5, 60.25]}), run.kpis, {}, None)
    assert "lap times: 61.500 s, 60.250 s" in capsys.readouterr().out


def test_run_compare_and_their_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    assert call(capsys, "run", "step-steer", *FAST, "--out", str(a), "--report")[0] == 0
    change = "front_suspension.anti_roll_bar.scale=0.5"
    assert call(capsys, "run", "step-steer", *FAST, "--set", change, "--out", str(b))[0] == 0
    assert (a / "report.html").is_file() and (a / "run.parquet").is_file()
    a.rename(tmp_path / "moved")
    code, out, _ = call(capsys, "compare", str(tmp_path / "moved"), str(b), "--report", str(tmp_path / "c.html"))
    assert code == 0 and "Roll: steady value" in out and (tmp_path / "c.html").is_file()
    code, out, _ = call(capsys, "compare", str(tmp_path / "moved"), str(b), "--json")
    rows = {row["key"]: row["values"] for row in json.loads(out)["kpis"]}
    assert rows["roll_steady"][1] > 1.05 * rows["roll_steady"][0]  # half the bar in front: more roll


def test_wrong_requests_are_answered_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, text in (
        (("run", "step-ster"), "did you mean 'step-steer'"),
        (("run", "step-steer", "--set", "sped=3"), "did you mean 'speed'"),
        (("run", "step-steer", "--set", "speed=3 deg"), "expected m/s"),
        (("run", "step-steer", "--vehicle", "sedna"), "no vehicle 'sedna'"),
        (("run", "step-steer", "--set", "front_suspension.sprng.rate=3"), "did you mean 'spring'"),
        (("run", "step-steer", "--road", "handlng"), "did you mean 'handling'"),
        (("compare", "only-one"), "at least two"),
    ):
        code, _, err = call(capsys, *arguments)
        assert code == 1 and text in err and "Traceback" not in err, arguments


@pytest.mark.parametrize("name", ["bundle", "bundle.zip"])
def test_a_bundle_by_command(capsys: pytest.CaptureFixture[str], name: str, tmp_path: Path) -> None:
    assert call(capsys, "run", "step-steer", *FAST, "--files-only", str(tmp_path / name))[0] == 0
    assert [item.name for item in tmp_path.iterdir()] == [name]
    code, out, _ = call(capsys, "run", str(tmp_path / name), "--json")
    assert code == 0 and json.loads(out)["status"] == "complete"


def test_half_the_step_is_one_flag(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "run", "step-steer", *FAST, "--halve-step", "--json")
    changes = json.loads(out)["halved_step"]
    assert code == 0 and changes
    steady = {name: value for name, value in changes.items() if name.endswith(("_steady", "_gain"))}
    assert len(steady) > 4 and max(steady.values()) < 1e-3, steady
    # what gives way lags by three steps (compliance (3)), so that transients move with the step: 4 ms of 160 and less
    assert changes["yaw_rate_t90"] < 0.01


def test_the_standing_car_is_dumped_as_the_first_sample(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import jounce as jn

    assert call(capsys, "show", "sedan", "--json", "--dump", str(tmp_path / "state.json"))[0] == 0
    dumped = json.loads((tmp_path / "state.json").read_text())["channels"]
    run = jn.run(jn.load("sedan"), jn.events.Drop(height=0.0, end_time=0.1))
    for name in ("Suspension.Jounce.L1", "Tire.Ground_Surface_Force_Z.R2", "chassis_displacements.vertical"):
        assert dumped[name] == pytest.approx(run[name][0], rel=1e-9)


def test_live_lines(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--set", "amplitude=20 deg", "--set", "end_time=60 s", "--live", "--json")
    code, out, _ = call(capsys, "run", "step-steer", *arguments)
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and len(lines) >= 3 and "chassis_velocities.yaw" in lines[0] and lines[-1]["status"] == "complete"
