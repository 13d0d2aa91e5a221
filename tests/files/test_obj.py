"""Wavefront OBJ: large files quickly and from the cache, broken ones with file and line, never half read."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.core.errors import JounceError
from jounce.files import mesh_cache, obj
from jounce.files.obj import friction_by_name, mesh_of, obj_text, parse_obj, read_obj, write_obj
from jounce.files.rdf import write_rdf
from jounce.files.roads import load_road, read_road
from jounce.road.block import Frame
from jounce.road.builder import RoadBuilder
from jounce.road.mesh import MeshRoad, grid_mesh
from jounce.road.native import library
from jounce.runtime.cache import cache_info, clear_cache


def hills(n: int = 40, friction: bool = True) -> MeshRoad:
    x, y = np.linspace(0, 30, n), np.linspace(-5, 5, 17)
    points, triangles = grid_mesh(x, y, 0.3 * np.sin(x[:, None]) + 0.1 * np.cos(y[None, :]))
    mu = np.where(np.arange(len(triangles)) < 200, 0.9, 0.4) if friction else 1.0
    return MeshRoad(points=points, triangles=triangles, friction=mu)


TEXT = obj_text(hills())


def line_by_line(text: str) -> MeshRoad:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(obj._Read, "alike", lambda *_: 0)
        return parse_obj(text, "hills.obj")


def same(a: MeshRoad, b: MeshRoad) -> None:
    assert a.points.tobytes() == b.points.tobytes() and a.triangles.tobytes() == b.triangles.tobytes()
    assert np.array_equal(np.asarray(a.friction), np.asarray(b.friction))
    assert (a.material is None) == (b.material is None)
    if a.material is not None and b.material is not None:
        assert np.array_equal(a.material, b.material)
    assert a.block.tobytes() == b.block.tobytes()


def test_many_lines_at_once_are_read_as_single_ones() -> None:
    fast = parse_obj(TEXT, "hills.obj")
    same(fast, line_by_line(TEXT))
    assert fast.points.tobytes() == hills().points.tobytes()
    # negative places, a polygon, comments and texture places in between
    odd = TEXT.replace("f 1 18 19", "f 1/4/2 18//3 19 # first", 1) + "f -1 -2 -3\nf 1 18 19 2\n"
    same(parse_obj(odd, "odd.obj"), line_by_line(odd))


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("v 0.0 -5.0 ", "v 0.0 -5.0 nan ", 2, "three finite numbers"),
        ("f 1 18 19", "f 1 18 99999", None, "expected a number from 1 to 680"),
        ("f 1 18 19", "f 1 0 19", None, "expected a number from 1 to 680"),
        ("f 1 18 19", "f 1 18 1_9", None, "'1_9'"),
        ("f 1 18 19", "f 1 18", None, "a face needs three"),
        ("f 1 18 19", "f 1 18 -700", None, "'-700'"),
        ("f 1 18 19", "f 1 18 9999999999999999999999", None, "'99999999999999999999'"),
    ],
)
def test_a_fault_among_many_lines_is_found_in_its_line(old: str, new: str, line: int | None, said: str) -> None:
    number = line or 1 + next(i for i, text in enumerate(TEXT.splitlines()) if text == old)
    with pytest.raises(JounceError) as caught:
        parse_obj(TEXT.replace(old, new, 1), "hills.obj")
    assert "hills.obj" in str(caught.value) and f"line {number} " in str(caught.value) and said in str(caught.value)


WORDS = st.one_of(
    st.sampled_from(["v", "f", "usemtl", "vn", "#", "-1", "1", "2", "3", "4", "1/1", "1//2", "0", "nan", "inf"]),
    st.sampled_from(["1e999", "1_0", "-0", "+2", "٣", "0x1", "v v", "\x00", "/", "1/", "99999999999999999999"]),
    st.floats(allow_nan=False).map(repr),
    st.text(max_size=4),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=6), max_size=30), st.integers(0, 40))
def test_any_text_is_a_mesh_or_an_error_with_its_place(rows: list[list[str]], at: int) -> None:
    start = ["v 0 0 0", "v 1 0 0", "v 1 1 0.5", "v 0 1 0"] + ["f 1 2 3", "f 1 3 4"] * 20
    text = "\n".join([*start[:at], *(" ".join(row) for row in rows), *start[at:]])
    try:
        road = parse_obj(text, "any.obj")
    except JounceError as error:
        assert "any.obj" in str(error)
        return
    assert np.isfinite(road.points).all() and road.triangles.min() >= 0 and road.triangles.max() < len(road.points)
    same(road, line_by_line(text))


def test_a_far_point_is_told_with_its_file() -> None:
    text = "\n".join(["v 0 0 0", "v 1 0 0", "v 1 1 0.5", "v -1 -1 100000001.0", "f 1 2 3"])
    with pytest.raises(JounceError, match=r"any\.obj[\s\S]*point 4 is beyond 1e\+08 m"):
        parse_obj(text, "any.obj")


# --- cache ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    library()  # compiled before the cache is another one
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(mesh_cache, "WORTH_KEEPING", 100)
    path = tmp_path / "hills.obj"
    path.write_text(TEXT)
    return path


OPTIONS = {"friction": {"mu_0.9": 0.95, "mu_0.4": 0.3}, "scale": 2.0, "frame": Frame(x=3.0, heading=0.2), "hold": False}


def no_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> MeshRoad:
        raise AssertionError("the file is read again")

    monkeypatch.setattr(obj, "parse_obj", fail)


def payload(folder: Path) -> Path:
    return next(folder.glob("cache/roads/*/*.mesh"))


def test_the_second_reading_comes_from_the_cache_to_the_bit(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_obj(file, **OPTIONS)
    no_reading(monkeypatch)
    second = read_obj(file, **OPTIONS)
    same(first, second)
    assert second.frame == first.frame and second.hold is False and second.name == "hills"
    assert second.extent == first.extent
    x, y = np.random.default_rng(0).uniform(-5, 60, (2, 500))
    assert first.query(x, y).height.tobytes() == second.query(x, y).height.tobytes()
    assert cache_info().entries["roads"] == 1
    assert second.block.ctypes.data % 64 == 0
    moved = second.moved(x=1.0)  # a changed road is compiled anew
    assert moved.query(4.0, 1.0).height == second.query(3.0, 1.0).height


@pytest.mark.parametrize("uniform", [0.7, 1.0])
def test_one_friction_for_all(file: Path, uniform: float) -> None:
    roads = [read_obj(file, friction=uniform) for _ in range(2)]
    same(*roads)
    assert roads[1].friction == uniform


def test_other_content_or_options_are_another_entry(file: Path) -> None:
    read_obj(file)
    read_obj(file, scale=2.0)
    assert cache_info().entries["roads"] == 2
    file.write_text(TEXT.replace("v 0.0 -5.0", "v 0.5 -5.0", 1))
    assert read_obj(file).points[0, 0] == 0.5
    assert cache_info().entries["roads"] == 3
    assert read_obj(file, cache=False).points[0, 0] == 0.5
    assert clear_cache() > 0 and cache_info().entries["roads"] == 0


@pytest.mark.parametrize("harm", ["block", "points", "short", "empty", "manifest", "gone"])
def test_a_damaged_entry_is_built_again(file: Path, harm: str, caplog: pytest.LogCaptureFixture) -> None:
    first = read_obj(file)
    data = payload(file.parent)
    content = bytearray(data.read_bytes())
    manifest = data.parent / "manifest.json"
    if harm in ("block", "points"):
        content[-200 if harm == "block" else 40] ^= 16
        data.write_bytes(content)
    elif harm in ("short", "empty"):
        data.write_bytes(content[: len(content) // 2 if harm == "short" else 0])
    elif harm == "manifest":
        manifest.write_text(manifest.read_text()[:50])
    else:
        data.unlink()
    with caplog.at_level(logging.WARNING):
        second = read_obj(file)
    assert "damaged" in caplog.text and "building it again" in caplog.text
    same(first, second)
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        same(first, read_obj(file))
    assert not caplog.text


def test_a_cache_that_cannot_be_written_is_done_without(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(mesh_cache, "_store", full)
    same(read_obj(file), parse_obj(TEXT, "hills.obj"))


def test_a_broken_file_leaves_nothing_behind(file: Path) -> None:
    file.write_text(TEXT.replace("f 1 18 19", "f 1 18 x", 1))
    for _ in range(2):
        with pytest.raises(JounceError, match=r"hills\.obj"):
            read_obj(file)
    assert cache_info().entries["roads"] == 0


def test_a_mesh_of_a_mesh_is_itself() -> None:
    road = hills()
    assert mesh_of(road) is road


def test_a_mesh_in_a_road_file_is_kept_too(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = file.with_suffix(".rdf")
    write_rdf(read_obj(file, cache=False), place)
    first, said = read_road(place)
    assert said is not None and not said.problems
    monkeypatch.setattr("jounce.files.rdf.read_rdf", None)  # reading would fail now
    second, _ = read_road(place)
    assert isinstance(first, MeshRoad) and isinstance(second, MeshRoad)
    same(first, second)


def test_a_road_file_with_remarks_is_read_again(file: Path) -> None:
    place = file.with_suffix(".rdf")
    mesh = read_obj(file, cache=False)
    write_rdf(replace(mesh, triangles=np.delete(mesh.triangles, 60, axis=0), friction=1.0, material=None), place)
    for _ in range(2):
        _, said = read_road(place)
        assert said is not None and any("hole" in str(problem) for problem in said.warnings)


def test_friction_goes_round_without_being_told(tmp_path: Path) -> None:
    road = hills()
    write_obj(road, tmp_path / "hills.obj")
    again = load_road(tmp_path / "hills.obj")
    x, y = np.linspace(0.3, 29.7, 300), np.linspace(-4.9, 4.9, 300)
    np.testing.assert_array_equal(again.query(x, y).friction, road.query(x, y).friction)
    assert set(np.unique(again.query(x, y).friction)) == {0.4, 0.9}


def test_what_is_said_of_a_material_counts_more_than_its_name() -> None:
    text = TEXT.replace("usemtl mu_0.4", "usemtl grass")
    assert set(np.unique(parse_obj(text).friction)) == {0.9, 1.0}
    assert set(np.unique(parse_obj(text, friction={"grass": 0.5}).friction)) == {0.9, 0.5}
    assert set(np.unique(parse_obj(text, friction={"mu_0.9": 0.7}).friction)) == {0.7, 1.0}
    assert parse_obj(text, friction=0.3).friction == 0.3
    assert friction_by_name(["mu_0.25", "mu_asphalt", "mu_-1", "mu_1e999", "asphalt"]) == {"mu_0.25": 0.25}


def test_a_surface_on_edge_has_its_axes_otherwise() -> None:
    turned = [
        f"v {words[1]} {words[3]} {-float(words[2])!r}" if words[0] == "v" else line
        for line in TEXT.splitlines()
        if (words := line.split())
    ]
    text = "\n".join(turned)
    assert parse_obj(text, up="y").points.tobytes() == hills().points.tobytes()
    with pytest.raises(JounceError, match=r"hills.obj(?s:.*)stands on edge.*up=\"y\""):
        parse_obj(text, "hills.obj")


def test_writing_tells_what_is_lost(tmp_path: Path) -> None:
    road = RoadBuilder("rough").straight(50).unevenness("C", seed=3).build()
    coarse = write_obj(road, tmp_path / "coarse.obj")
    fine = write_obj(road, tmp_path / "fine.obj", tolerance=0.001)
    assert fine <= 0.001 < 0.004 < coarse
    x, y = np.linspace(1, 49, 5000), np.linspace(-3.9, 3.9, 5000)
    for place, most in (("coarse", coarse), ("fine", fine)):
        found = load_road(tmp_path / f"{place}.obj").query(x, y).height
        away = np.max(np.abs(found - road.query(x, y).height))
        assert 0.5 * most < away < 1.3 * most
