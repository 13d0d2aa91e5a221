"""Searches: limits in closed form, conditions that are parsed, and conditions that are not monotone."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

import jounce as jn
import plan_events
from jounce.cli.main import main
from jounce.core.errors import ParameterError, SimulationError
from jounce.study.condition import Condition
from jounce.study.search import First, search

FIGURES = {"a": (3.0, "deg"), "b": (-1.0, "m"), "n": (math.nan, "s")}
WORDS = {"status": "complete", "verdict": "pass"}


@pytest.fixture(scope="module")
def sedan() -> jn.Vehicle:
    return jn.load("sedan")


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main([str(word) for word in arguments])
    captured = capsys.readouterr()
    return int(stopped.value.code or 0), captured.out, captured.err


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("a == 3", True),
        ("a != 3", False),
        ("a < 0.0523 rad", False),  # 3 deg = 0.05236 rad
        ("a < 0.0524 rad", True),
        ("b >= -100 cm", True),
        ("b > -1", False),
        ("a == 3 and b == 2 or b < 0", True),  # "and" binds closer
        ("a == 4 and (b == 2 or b < 0)", False),
        ("(a == 3)and((b<=-1))", True),
        ("verdict == pass and status != partial", True),
        ("n < 1e9", False),
        ("n != 1", False),
        ("n < 1 or a > 2e0", True),
    ],
)
def test_conditions(text: str, holds: bool) -> None:
    found, missing = Condition.read(text).holds(FIGURES, WORDS)
    assert found is holds and missing == (["n is no number"] if "n " in text.split("a")[0] and text[0] == "n" else [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends too early; expected a key figure"),
        ("a = 3", "'=' at character 3; write '=='"),
        ("a == ", "ends too early; expected a number or a word"),
        ("a == x", "found 'x' at character 6; expected a number"),
        ("a == 3 b == 4", "found '==' at character 10"),
        ("(a == 3", r"expected '\)'"),
        ("a == 3)", r"found '\)' at character 7"),
        ("and == 3", "found 'and' at character 1"),
        ("__import__('os')", "expected one of"),
        ("status < 3", "status is a word"),
        ("a == 1e999", "no finite number"),
        ("a ! 3", "cannot be read at character 3"),
        ("a" * 2000, "2000 characters"),
    ],
)
def test_what_is_no_condition(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Condition.read(text)


def test_names_and_units_are_checked_by_the_run() -> None:
    with pytest.raises(ParameterError, match="'bb' is no key figure of this event; did you mean 'b'"):
        Condition.read("bb > 1").holds(FIGURES)
    with pytest.raises(ParameterError, match="expected deg"):
        Condition.read("a == 1 or a > 1 kg").holds(FIGURES)


def test_the_largest_and_the_smallest_value_are_those_of_the_closed_form(sedan: jn.Vehicle) -> None:
    event = plan_events.Throw(angle="30 deg", speed="5 m/s")
    limit = math.sqrt(7.5 * plan_events.GRAVITY / math.sin(math.radians(60)))  # distance 7.5 m
    up = search(sedan, event, "speed", "distance <= 750 cm", tolerance="1 mm/s")
    assert up.ok and up.value <= limit < up.beyond and up.beyond - up.value <= 1e-3
    down = search(sedan, event, "speed", "distance >= 7.5", maximise=False, tolerance=1e-3, high="12 m/s")
    assert down.ok and down.beyond < limit <= down.value and down.value - down.beyond <= 1e-3
    # from above: the start does not fulfil it; and without a tolerance half a percent
    above = search(sedan, event.changed(speed=14.0), "speed", "distance <= 7.5")
    assert above.ok and above.value <= limit < above.beyond and above.beyond - above.value <= 0.005 * above.beyond


def test_a_number_of_the_vehicle(sedan: jn.Vehicle) -> None:
    event = plan_events.Throw(speed=10.0)
    found = search(sedan, event, "body.mass", "energy < 90", high="2 t", tolerance="60 kg")
    assert found.ok and found.unit == "kg" and found.value < 1800.0 <= found.beyond  # m v²/2 = 90 kJ
    assert found.beyond - found.value <= 60.0


def test_a_condition_that_changes_twice_is_told(sedan: jn.Vehicle) -> None:
    """Cones are hit above 20 m/s, except between 30 and 32 m/s."""
    found = search(sedan, plan_events.Throw(speed=31.0), "speed", "cones_hit == 0", low=10.0, high=40.0, tolerance=0.1)
    assert not found.monotone and not found.ok and found.value == pytest.approx(32.1, abs=0.1)
    assert "not monotone" in found.remarks[-1] and "does not" in found.remarks[-1]
    plain = search(sedan, plan_events.Throw(speed=11.0), "speed", "cones_hit == 0", low=10.0, high=29.0, tolerance=0.1)
    assert plain.ok and plain.value == pytest.approx(20.0, abs=0.1) and plain.value <= 20.0 < plain.beyond


def test_no_limit_and_no_value(sedan: jn.Vehicle) -> None:
    every = search(sedan, plan_events.Throw(speed=3.0), "speed", "distance >= 0", high=7.0)
    assert every.value == 7.0 and math.isnan(every.beyond) and "all values to 7" in every.remarks[0]
    none = search(sedan, plan_events.Throw(speed=3.0), "speed", "distance < 0", low=1.0)
    assert math.isnan(none.value) and not none.ok and "no value from 3 to 1" in none.remarks[0]


def test_a_run_that_ends_early_or_has_no_figure_fulfils_nothing(sedan: jn.Vehicle) -> None:
    spun = search(sedan, plan_events.Throw(speed=50.0), "speed", "distance > 0", high=70.0, tolerance=0.5)
    assert spun.ok and 59.5 <= spun.value <= 60.0 and any(t.reason == "spun" for t in spun.trials)
    asked = search(sedan, plan_events.Throw(speed=50.0), "speed", "distance > 0 and status != x", high=70.0)
    assert asked.value == 70.0
    no = search(sedan, plan_events.Throw(speed=30.0), "speed", "energy > 0", high=50.0, tolerance=0.1)
    assert no.ok and no.value == pytest.approx(40.0, abs=0.1)
    assert any("energy is no number" in t.reason for t in no.trials)


def test_what_is_found_first_is_given_to_the_event(sedan: jn.Vehicle) -> None:
    """The angle for a distance at 100 km/h, then the speed for another distance at this angle."""
    first = First(plan_events.Throw(angle=0.02), "angle", Condition.read("distance >= 20 m"), "angle")
    event = plan_events.Throw(speed=10.0, angle=1.0)
    found = search(sedan, event, "speed", "distance <= 5 m", first=[first], tolerance=1e-3)
    angle = 0.5 * math.asin(20 * plan_events.GRAVITY / (100 / 3.6) ** 2)
    assert found.first["angle"] == pytest.approx(angle, rel=0.005) and found.first["angle"] >= angle
    limit = math.sqrt(5 * plan_events.GRAVITY / math.sin(2 * found.first["angle"]))
    assert found.value <= limit < found.beyond
    with pytest.raises(ParameterError, match="expected 'EVENT: PARAMETER until CONDITION'"):
        First.read("throw angle")
    assert First.read("throw: angle until distance >= 3 m as bank").name == "bank"


def test_a_figure_of_an_event_before_is_given_to_the_event(sedan: jn.Vehicle) -> None:
    """The energy of a throw (kJ) as the angle of another: figures come with their unit, and a wrong one is told."""
    with pytest.raises(ParameterError, match="kJ"):
        search(sedan, plan_events.Throw(), "speed", "distance <= 5 m", first=["throw: energy as angle"])
    event = plan_events.Throw(speed=10.0, angle=0.3)
    found = search(sedan, event, "angle", "distance <= 5 m", first=["throw: distance as x"], tolerance=1e-3)
    usual = plan_events.Throw()
    far = usual.speed**2 * math.sin(2 * usual.angle) / plan_events.GRAVITY
    assert found.first["x"] == pytest.approx(far, rel=1e-9)
    with pytest.raises(ParameterError, match="throw has no parameter 'range'"):
        search(sedan, event, "angle", "distance <= 5 m", first=["throw: distance as range"])
    with pytest.raises(SimulationError, match="the pre-event throw failed: it gives no height"):
        search(sedan, event, "angle", "distance <= 5 m", first=["throw: height as x"])


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = ["search", "throw", "--vehicle", "sedan", "--maximise", "speed", "--while", "cones_hit == 0"]
    line += ["--set", "speed=10", "--to", "100 km/h", "--tolerance", "0.1 km/h"]
    code, out, err = call(capsys, *line, "--log", tmp_path / "log.csv")
    assert (code == 0 and "speed = 19.9" in out) or "speed = 20 " in out, out + err
    rows = list(csv.DictReader((tmp_path / "log.csv").read_text().splitlines()))
    assert {row["holds"] for row in rows} == {"true", "false"}
    assert all((float(row["speed [m/s]"]) <= 20.0) == (row["holds"] == "true") for row in rows)
    code, out, _ = call(capsys, *line, "--json")
    data = json.loads(out)
    assert (
        code == 0 and data["value"] <= 20.0 < data["beyond"] and data["monotone"] and len(data["trials"]) == len(rows)
    )
    code, _, err = call(capsys, *line[:-6], "--minimise", "speed")
    assert code == 1 and "one of --maximise and --minimise" in err
    code, _, err = call(capsys, "search", "throw", "--maximise", "sped", "--while", "cones_hit == 0")
    assert code == 1 and "'sped' is no number of throw or of the vehicle; did you mean 'speed'" in err
    code, _, err = call(capsys, "search", "throw", "--maximise", "speed", "--while", "cone_hit == 0")
    assert code == 1 and "did you mean 'cones_hit'" in err
