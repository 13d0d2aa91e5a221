"""Bundles: a run in a folder that can be moved."""

from __future__ import annotations

import io
import json
import shutil
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.errors import FormatError
from jounce.core.library import LIBRARY
from jounce.core.limits import MEGABYTE
from jounce.core.reads import files_read
from jounce.core.yaml_files import read_mapping
from jounce.events.bundle import LIMITS, UNPACKED, is_bundle, opened, read_bundle, run_bundle, write_bundle
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


@pytest.mark.slow
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


@pytest.mark.parametrize("name", ["bundle", "below/bundle.zip"])
def test_a_bundle_of_roads_by_names_relative_to_where_one_stands(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("flat.yaml").write_text(FLAT.format(name="wet", mu=0.7))
    made = write_bundle(jn.load("sedan"), events.StraightBraking(speed="40 km/h", brake=0.3, road="flat.yaml"), name)
    with opened(made) as folder:
        _, back, _ = read_bundle(folder)
        assert load_road(back.road).friction == 0.7


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


# -- in one file ------------------------------------------------------------------------------------------------------


def own_road(folder: Path) -> str:
    folder.mkdir()
    shutil.copy(LIBRARY / "paths" / "handling.drd", folder / "line.drd")
    (folder / "track.yaml").write_text("road: mine\nline: {path: line.drd}\n")
    return str(folder / "track.yaml")


@pytest.mark.slow
def test_a_bundle_in_one_file_runs_to_the_same_bits_and_reads_nothing_else(tmp_path: Path) -> None:
    event = events.StraightBraking(speed="40 km/h", brake=0.3, road=own_road(tmp_path / "mine"))
    car = jn.load("sedan").with_(**{"front_suspension.anti_roll_bar.scale": 0.8})
    direct = jn.run(car, event, step="0.5 ms")
    one = write_bundle(car, event, tmp_path / "one.zip", step="0.5 ms")
    assert one.is_file() and is_bundle(one)
    again = write_bundle(car, event, tmp_path / "again.zip", step="0.5 ms")
    assert one.read_bytes() == again.read_bytes(), "the same content is the same file"
    shutil.rmtree(tmp_path / "mine")
    moved = tmp_path / "elsewhere" / "two.zip"
    moved.parent.mkdir()
    shutil.move(one, moved)
    with files_read() as noted:
        found = run_bundle(moved)
    assert same(found, direct)
    with opened(moved) as folder:
        listed = read_mapping(folder / "bundle.yaml", "")["files"]
        assert {*listed, "bundle.yaml"} == {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file()}
    used = {str(f).partition("/two.zip/")[2] for f in noted if f != moved and not f.is_relative_to(LIBRARY)}
    assert "roads/1/line.drd" in used and used <= {*listed, "bundle.yaml"}, "what is read is in it"
    assert not folder.exists()


def archive(path: Path, *entries: tuple[str, str], link: str = "", compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as made:
        for name, text in entries:
            made.writestr(name, text)
        if link:
            info = zipfile.ZipInfo(link)
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            made.writestr(info, "/etc/passwd")
    return path


HEADER = ("bundle.yaml", "jounce: 0.1.0\nfiles: [a.yaml]\n")


@pytest.mark.parametrize(
    ("entries", "link", "message"),
    [
        ([HEADER, ("../a.yaml", "")], "", r"one\.zip: '\.\./a\.yaml' lies outside of the bundle"),
        ([HEADER, ("/etc/a.yaml", "")], "", r"'/etc/a\.yaml' lies outside"),
        ([HEADER, ("c:/a.yaml", "")], "", r"'c:/a\.yaml' lies outside"),
        ([HEADER, ("a\\b.yaml", "")], "", "lies outside|does not name"),
        ([HEADER], "a.yaml", r"'a\.yaml' is a link"),
        ([HEADER, ("a.yaml", ""), ("A.yaml", "")], "", r"holds 'A\.yaml' twice"),
        ([HEADER, ("a.yaml", ""), ("b.yaml", "")], "", r"holds 'b\.yaml', which its list of files does not name"),
        ([("a.yaml", "")], "", r"one\.zip: holds no bundle\.yaml"),
        ([("bundle.yaml", "jounce: 0.1.0\n")], "", "files: found None; expected the list"),
    ],
)
def test_what_a_bundle_in_one_file_must_not_hold(
    entries: list[tuple[str, str]], link: str, message: str, tmp_path: Path
) -> None:
    path = archive(tmp_path / "one.zip", *entries, link=link)
    with pytest.raises(FormatError, match=message), opened(path):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["one.zip"]


def test_a_file_that_the_list_names_must_be_there(tmp_path: Path) -> None:
    bundle = write_bundle(jn.load("sedan"), EVENT, tmp_path / "a")
    (bundle / "vehicle" / "body.yaml").unlink()
    with pytest.raises(FormatError, match=r"bundle\.yaml: files: 'vehicle/body\.yaml' is not in the bundle"):
        read_bundle(bundle)


def test_too_many_and_too_large_files_are_refused_before_they_are_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = archive(tmp_path / "many.zip", *((f"{k}.yaml", "") for k in range(LIMITS.nodes + 1)))
    with pytest.raises(FormatError, match=r"many\.zip: holds 10001 files; .*at most 10000"), opened(many):
        pass
    # a few kB that say they are gigabytes: the size that the directory tells is believed and refused
    raw = bytearray(archive(tmp_path / "large.zip", HEADER, ("a.yaml", "a" * 1000)).read_bytes())
    place = raw.rfind(b"PK\x01\x02") + 24
    raw[place : place + 4] = (UNPACKED + 1).to_bytes(4, "little")
    (tmp_path / "large.zip").write_bytes(raw)
    unpacked: list[str] = []
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda self, name: unpacked.append(str(name)))
    with (
        pytest.raises(FormatError, match=rf"would take more than {UNPACKED / MEGABYTE:g} MB"),
        opened(tmp_path / "large.zip"),
    ):
        pass
    assert not unpacked


def test_another_file_is_not_written_over(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as other:
        other.writestr("holiday.jpg", "")
    for raw in (content.getvalue(), b"no archive"):
        (tmp_path / "a.zip").write_bytes(raw)
        assert not is_bundle(tmp_path / "a.zip")
        with pytest.raises(FormatError, match="is there already and is no bundle; choose another name"):
            write_bundle(jn.load("sedan"), EVENT, tmp_path / "a.zip")
        assert (tmp_path / "a.zip").read_bytes() == raw
    (tmp_path / "a.zip").unlink()
    write_bundle(jn.load("sedan"), EVENT, tmp_path / "a.zip")
    write_bundle(jn.load("sedan"), EVENT.changed(end_time=3.0), tmp_path / "a.zip")
    with opened(tmp_path / "a.zip") as folder:
        assert read_bundle(folder)[1].end_time == 3.0


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
