"""Bundles: a run in a folder that can be moved."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.errors import FormatError
from jounce.core.library import LIBRARY
from jounce.events.bundle import read_bundle, run_bundle, write_bundle
from jounce.files.crg import write_crg
from jounce.files.roads import load_road
from jounce.road.grid import GridRoad
from road_texts import HEAD

EVENT = events.StepSteer(amplitude="20 deg", end_time=2.0)


def same(a: jn.Run, b: jn.Run) -> bool:
    return a.names == b.names and all(np.array_equal(a[name], b[name]) for name in a.names)


def test_a_moved_bundle_runs_to_the_same_bits(tmp_path: Path) -> None:
    car = jn.load("sedan").with_(**{"front_suspension.anti_roll_bar.scale": 0.8})
    direct = jn.run(car, EVENT, step="0.5 ms")
    write_bundle(car, EVENT, tmp_path / "a", step="0.5 ms")
    moved = tmp_path / "elsewhere" / "b"
    moved.parent.mkdir()
    shutil.move(tmp_path / "a", moved)
    assert same(run_bundle(moved), direct)
    text = (moved / "bundle.yaml").read_text()
    assert str(tmp_path) not in text and str(LIBRARY) not in text


def test_roads_of_the_user_travel_with_the_bundle(tmp_path: Path) -> None:
    road = tmp_path / "mine"
    road.mkdir()
    shutil.copy(LIBRARY / "paths" / "handling.drd", road / "line.drd")
    (road / "track.yaml").write_text("road: mine\nline: {path: line.drd}\n")
    event = events.StraightBraking(speed="40 km/h", brake=0.3, road=str(road / "track.yaml"))
    direct = jn.run(jn.load("sedan"), event)
    bundle = write_bundle(jn.load("sedan"), event, tmp_path / "bundle")
    shutil.rmtree(road)
    assert same(run_bundle(bundle), direct)


def files_of(folder: Path) -> set[str]:
    return {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file() and "vehicle" not in f.parts}


FLAT = "road: {name}\nflat: {{friction: {mu}}}\n"


def test_roads_of_wheels_with_one_name_stay_apart(tmp_path: Path) -> None:
    names = []
    for k, mu in enumerate((0.9, 0.3, 0.8, 0.4)):
        place = tmp_path / f"w{k}"
        place.mkdir()
        (place / "flat.yaml").write_text(FLAT.format(name=f"w{k}", mu=mu))
        names.append(str(place / "flat.yaml"))
    event = events.StraightBraking(speed="40 km/h", brake=0.3, wheel_roads=names)
    bundle = write_bundle(jn.load("sedan"), event, tmp_path / "bundle")
    _, back, _ = read_bundle(bundle)
    assert [load_road(name).friction for name in back.wheel_roads] == [0.9, 0.3, 0.8, 0.4]
    event = event.changed(wheel_roads=[names[0], names[1], names[0], names[1]])
    write_bundle(jn.load("sedan"), event, bundle)
    _, back, _ = read_bundle(bundle)
    assert [load_road(name).friction for name in back.wheel_roads] == [0.9, 0.3, 0.9, 0.3]
    assert files_of(bundle) == {"bundle.yaml", "roads/1/flat.yaml", "roads/2/flat.yaml"}  # nothing of the first is left


@pytest.mark.parametrize("how", ["up", "link", "absolute"])
def test_a_road_takes_no_file_from_elsewhere_along(how: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    shutil.copy(LIBRARY / "paths" / "handling.drd", tmp_path / "secret.drd")
    named = {"up": "../secret.drd", "link": "line.drd", "absolute": str(tmp_path / "secret.drd")}[how]
    if how == "link":
        (mine / "line.drd").symlink_to(tmp_path / "secret.drd")
    (mine / "track.yaml").write_text(f"road: mine\nline: {{path: {named}}}\n")
    event = events.StraightBraking(speed="40 km/h", brake=0.3, road=str(mine / "track.yaml"))
    with pytest.raises(FormatError, match=r"names the file .*which is not below .*within="):
        write_bundle(jn.load("sedan"), event, tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()
    if how == "absolute":
        with pytest.raises(FormatError, match="by a path that cannot be moved"):
            write_bundle(jn.load("sedan"), event, tmp_path / "bundle", within=tmp_path)
    else:
        write_bundle(jn.load("sedan"), event, tmp_path / "bundle", within=tmp_path)
        _, back, _ = read_bundle(tmp_path / "bundle")
        shutil.rmtree(mine)
        (tmp_path / "secret.drd").unlink()
        assert load_road(back.road).name == "mine"


def test_what_is_no_path_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("password")
    (tmp_path / "track.yaml").write_text("road: mine\nline: {path: secret.txt}\n")
    event = events.StraightBraking(road=str(tmp_path / "track.yaml"))
    with pytest.raises(FormatError, match=r"secret\.txt"):
        write_bundle(jn.load("sedan"), event, tmp_path / "bundle")


OPEN_CRG = (
    HEAD
    + """[MODEL]
TYPE = 'OPEN_CRG'
[OPEN_CRG]
FILE = './data/grid.crg'
"""
)


def test_what_a_road_file_names_goes_with_it(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "data").mkdir(parents=True)
    z = 0.1 * np.arange(101.0)[:, None] * np.array([1.0, 1.5, 2.5])
    write_crg(GridRoad(z=z, du=1.0, v=np.array([-4.0, 0, 3])), mine / "data" / "grid.crg")
    (mine / "track.rdf").write_text(OPEN_CRG)
    shutil.copy(LIBRARY / "paths" / "handling.drd", mine / "lap.drd")
    event = events.StraightBraking(speed="40 km/h", road=str(mine / "track.rdf"), lap_path=str(mine / "lap.drd"))
    bundle = write_bundle(jn.load("sedan"), event, tmp_path / "bundle")
    before = load_road(event.road).query(40.3, 0.2).height
    shutil.rmtree(mine)
    _, back, _ = read_bundle(bundle)
    assert float(load_road(back.road).query(40.3, 0.2).height) == float(before)
    assert files_of(bundle) == {
        *("bundle.yaml", "roads/1/track.rdf", "roads/1/data/grid.crg", "roads/2/lap.drd"),
    }


def test_a_bundle_is_not_written_over_something_else(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(FormatError, match="is there already and is no bundle"):
        write_bundle(jn.load("sedan"), EVENT, tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vehicle": 5}, r"bundle\.yaml: vehicle: found 5; expected the name of a file in the bundle"),
        ({"vehicle": "../other/vehicle.yaml"}, r"vehicle: '\.\./other/vehicle\.yaml' lies outside of the bundle"),
        ({"vehicle": "/etc/passwd"}, r"vehicle: '/etc/passwd' lies outside of the bundle"),
        ({"vehicle": "gone.yaml"}, r"vehicle: 'gone\.yaml' is not in the bundle"),
        ({"event": 5}, r"event: found 5; expected a mapping"),
        ({"event": {"event": "step_steer", "road": "../x.yaml"}}, r"event\.road: '\.\./x\.yaml' lies outside"),
        ({"event": {"event": "step_steer", "speed": "fast"}}, r"bundle\.yaml: .*speed"),
        ({"step": [1]}, r"bundle\.yaml: step"),
        ({"step": 0}, r"bundle\.yaml: step"),
        ({"interval": -1}, r"bundle\.yaml: interval"),
    ],
)
def test_nonsense_in_a_bundle_is_told_with_its_key(changes: dict[str, object], message: str, tmp_path: Path) -> None:
    good = {"jounce": "0.1.0", "vehicle": "v.yaml", "event": {"event": "step_steer"}}
    good |= {"step": 0.001, "method": "AB-2", "interval": 0.01}
    (tmp_path / "bundle.yaml").write_text(json.dumps({**good, **changes}))
    with pytest.raises(FormatError, match=message):
        read_bundle(tmp_path)


def test_a_broken_bundle_says_what_is_missing(tmp_path: Path) -> None:
    bundle = write_bundle(jn.load("sedan"), EVENT, tmp_path / "a")
    (bundle / "bundle.yaml").write_text("jounce: 0.1.0\nvehicle: vehicle/vehicle.yaml\n")
    with pytest.raises(FormatError, match=r"bundle.yaml: event: missing"):
        read_bundle(bundle)


def test_absolute_and_relative_steps() -> None:
    for mode, expected in (("absolute", 50.0), ("relative", 60.0)):
        event = events.StepSteer(
            speed="10 km/h", initial_steer="10 deg", amplitude="50 deg", mode=mode, end_time=2.0
        )  # fmt: skip
        steering = jn.run(jn.load("sedan"), event)["driver_demands.steering"]
        assert np.degrees(steering[[0, -1]]) == pytest.approx([10.0, expected], abs=1e-9)


def test_statics_can_be_left_out_with_a_warning() -> None:
    settled = jn.run(jn.load("sedan"), EVENT)
    assert settled["System.Translational_Acceleration_Norm"][0] < 1e-3
    bare = jn.run(jn.load("sedan"), EVENT.changed(static_setup="none"))
    assert bare["Suspension.Jounce.L1"][0] == 0.0
    assert any("static_setup none" in warning for warning in bare.warnings)
