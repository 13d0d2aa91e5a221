"""`jounce check` knows what a file is: vehicles, tires, roads in every format, paths."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import jounce.vehicle as jv
from jounce.cli.main import app
from jounce.files.rdf import write_rdf
from jounce.road.mesh import MeshRoad, grid_mesh

runner = CliRunner()
PATH = "lon,lat,ele\n11,48,500\n11.001,48,501\n11.002,48,502\n"


def checked(*names: str | Path, code: int = 0) -> list[dict[str, object]]:
    result = runner.invoke(app, ["check", *map(str, names), "--json"])
    assert result.exit_code == code, result.output
    found: list[dict[str, object]] = json.loads(result.output)
    return found


def test_roads_and_paths_are_recognised(tmp_path: Path) -> None:
    texts = {
        "own.yaml": "# a road\nroad: own\nline: {straight: 100}\n",
        "plane.yml": "flat: {friction: 0.5}\n",
        "a.drd": "# x y w i v z\n0 0 6 0 20 0\n50 0 6 0 20 0\n",
        "a.csv": PATH,
        "a.kml": "<kml><LineString><coordinates>11,48 11.001,48</coordinates></LineString></kml>",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = checked(*(tmp_path / name for name in texts), "handling", "mu_split")
    assert [str(f["about"]) for f in found] == [
        "road own (LineRoad)",
        "road plane (Flat)",
        "path a (50.0 m, open)",
        "path a (149.3 m, open)",
        "path a (74.6 m, open)",
        "road handling (LineRoad)",
        "road mu_split (LineRoad)",
    ]


def test_remarks_and_faults_of_paths_and_roads(tmp_path: Path) -> None:
    track = "<trk><trkseg><trkpt lat='48' lon='11'/><trkpt lat='48' lon='11.001'/></trkseg></trk>"
    (tmp_path / "two.gpx").write_text(f"<gpx>{track}{track}</gpx>")
    (tmp_path / "bad.yaml").write_text("road: bad\nline: {straight: 100}\nwidht: 4\n")
    (tmp_path / "bad.csv").write_text("x,y\n0,0\noops,1\n")
    two, road, path = checked(*(tmp_path / n for n in ("two.gpx", "bad.yaml", "bad.csv")), code=1)
    assert two["ok"] and two["remarks"] == ["trk: found 2 tracks; the first is taken"]
    assert not road["ok"] and "line 3" in str(road["about"]) and "did you mean 'width'" in str(road["about"])
    assert not path["ok"] and "line 3" in str(path["about"])


@pytest.mark.parametrize("ending", ["rdf", "obj"])
def test_a_hole_is_told_once(ending: str, tmp_path: Path) -> None:
    from jounce.files.obj import write_obj

    points, triangles = grid_mesh(range(5), range(5), np.zeros((5, 5)))
    road = MeshRoad(points=points, triangles=triangles[[i for i in range(len(triangles)) if i != 11]])
    (write_rdf if ending == "rdf" else write_obj)(road, tmp_path / f"hole.{ending}")
    result = runner.invoke(app, ["road", "check", str(tmp_path / f"hole.{ending}"), "--json"])
    (found,) = json.loads(result.output)
    (hole,) = [r for r in found["remarks"] if "border of 3 points" in r]
    assert hole.removeprefix("[ELEMENTS]: ").startswith("hole: border of 3 points about x = ")


def test_warnings_of_tire_files_are_shown_for_the_tire_and_for_the_vehicle(tmp_path: Path) -> None:
    folder = tmp_path / "car"
    sedan = jv.load("sedan")
    sedan.save(folder)
    text = Path(sedan.wheels(1, "left").tire.path).read_text()
    (folder / "odd.tir").write_text(text.replace("[ROLLING_COEFFICIENTS]", "[ROLING_COEFFICIENTS]"))
    main = folder / "vehicle.yaml"
    main.write_text(main.read_text().replace("tire: sedan_225_50r17", "tire: odd.tir"))
    alone, plain, car = checked(folder / "odd.tir", "sedan", folder)
    said = [str(remark) for remark in alone["remarks"]]  # type: ignore[attr-defined]
    assert len(said) == 1 and "block is not known; read as [ROLLING_COEFFICIENTS]" in said[0]
    assert car["remarks"] == [*plain["remarks"], f"tire odd.tir: {said[0]}"]  # type: ignore[misc]


def test_events_are_explained_and_templates_name_their_places(tmp_path: Path) -> None:
    from jounce.core.library import LIBRARY
    from smart_driver_texts import DCF

    events = LIBRARY / "events"
    (tmp_path / "low.dcf").write_text(DCF)
    names = (events / "step_steer.vdf", events / "sine_template.vdf", events / "replay.dcd", tmp_path / "low.dcf")
    step, template, data, older = checked(*names)
    assert "1. SETTLE (at most 5 s):" in str(step["about"])
    assert "hand wheel goes from 0° to 34.38° from where it is between 0.5 s and 0.7 s" in str(step["about"])
    assert template["about"] == (
        "template of an event with the places initial_speed (line 14), duration (line 18), amplitude (line 47), "
        "frequency (line 48)"
    )
    assert data["about"] == "controls over time, 8 rows from -0.1 to 3.5 s"
    assert "go from 8 m/s (28.8 km/h) with 0.5 m/s² and -0.1 m/s³ from 1 s on" in str(older["about"])
    broken = (events / "step_steer.vdf").read_text().replace("'STEP5'", "'STEP6'")
    (tmp_path / "broken.vdf").write_text(broken)
    found = checked(tmp_path / "broken.vdf", code=1)[0]
    assert "line 103  [WHEEL_STEP] TYPE: found 'STEP6'" in str(found["about"])


MANOEUVRE = """
name: slalom
begin: {speed: 60 km/h}
friction: 0.8
stages:
- name: settle
  path: {kind: straight, length: 200}
  speed: 60 km/h
  ends: ["traveled_distance >= 30 m"]
- name: stop
  steering: maintain
  throttle: 0
  braking: {signal: {kind: ramp, slope: 0.5, end: 1}, smoothing: 0.2 s}
  ends: [velocity < 0.5]
"""


def test_a_manoeuvre_in_yaml_is_explained_like_a_driver_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(MANOEUVRE)
    (tmp_path / "b.yaml").write_text("event: step-steer\nspeed: 90 km/h\n")
    whole, event = checked(tmp_path / "a.yaml", tmp_path / "b.yaml")
    assert str(whole["about"]).startswith("event slalom\n")
    assert "The hand wheel keeps its value." in str(whole["about"])
    assert "Over when velocity is below 0.5 m/s." in str(whole["about"])
    assert event["about"] == "event step-steer"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("length: 200", "length: 12", "stage 'settle': path: 12 m long, shorter than the preview distance of 8.333 m"),
        (
            "velocity <",
            "velocty <",
            r"line 10  stages.*'velocty' is no measure.*did you mean 'velocity'",
        ),
        ("steering: maintain", "steering: hold", r"line 10  .*steering.signal = 'hold': there is none of this name"),
        ("60 km/h\n  ends", ">>SPEED<<\n  ends", "line 8  >>SPEED<<: a placeholder that nobody filled in"),
        ("friction", "frictoin", "unknown key; did you mean 'friction'"),
    ],
)
def test_what_is_wrong_with_a_manoeuvre_in_yaml_is_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in MANOEUVRE
    (tmp_path / "a.yaml").write_text(MANOEUVRE.replace(old, new, 1))
    found = checked(tmp_path / "a.yaml", code=1)[0]
    assert re.search(message, str(found["about"]) + str(found)), found


def test_a_path_shorter_than_the_preview_is_told_of_a_driver_file(tmp_path: Path) -> None:
    from jounce.core.library import LIBRARY

    text = (LIBRARY / "events" / "step_steer.vdf").read_text()
    assert "OVERALL_LENGTH = 2000" in text
    (tmp_path / "short.vdf").write_text(text.replace("OVERALL_LENGTH = 2000", "OVERALL_LENGTH = 19"))
    found = checked(tmp_path / "short.vdf", code=1)[0]
    assert "short.vdf: stage 'SETTLE': path: 19 m long, shorter than the preview distance of 15 m" in str(
        found["about"]
    )


def test_plans_events_engines_aerodynamics_and_tire_data_are_recognised(tmp_path: Path) -> None:
    from aer_texts import V2
    from pwr_texts import PWR
    from tire_texts import TDX, VTT

    texts = {
        "plan.yaml": "plan: two\nvehicles: [sedan]\nevents: [step-steer, weave]\n",
        "event.yaml": "event: step-steer\nspeed: 80 km/h\namplitude: 30 deg\n",
        "a.pwr": PWR,
        "a.aer": V2,
        "a.vtt": VTT,
        "a.tdx": TDX,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    words = [str(f["about"]).split(" (")[0] for f in checked(*(tmp_path / name for name in texts))]
    assert words == ["plan two", "event step-steer", "engine a", "aerodynamics a", "tire test a", "tire data a"]


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("plan.yaml", "weave]", "wave]", "weave"),
        ("event.yaml", "amplitude", "amplitued", "amplitude"),
        ("a.pwr", "GENERIC_MAP = 'ENGINE'", "GENERIC_MAP = 'ENGIEN'", "line 15  [ENGIEN]"),
    ],
)
def test_what_is_wrong_with_them_is_theirs(name: str, old: str, new: str, told: str, tmp_path: Path) -> None:
    from pwr_texts import PWR

    texts = {
        "plan.yaml": "plan: two\nvehicles: [sedan]\nevents: [step-steer, weave]\n",
        "event.yaml": "event: step-steer\nspeed: 80 km/h\namplitude: 30 deg\n",
        "a.pwr": PWR,
    }
    assert old in texts[name]
    (tmp_path / name).write_text(texts[name].replace(old, new, 1))
    (found,) = checked(tmp_path / name, code=1)
    assert not found["ok"]
    assert name in str(found["about"]) and told in str(found["about"]) and "body: missing" not in str(found["about"])


@pytest.mark.parametrize("verb", [["check"], ["road", "check"], ["tire", "check"], ["plan", "run"], ["run"]])
def test_a_name_that_no_file_can_have_is_a_wrong_request(verb: list[str]) -> None:
    done = runner.invoke(app, [*verb, f"{400 * 'a'}.yaml"])
    assert done.exit_code == 1, done.output
    assert "bug of jounce" not in done.output
