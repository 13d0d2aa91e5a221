"""Roads from parts, in Python and YAML; the library; driving on them; pictures."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import FormatError, ParameterError
from jounce.files.roads import library_paths, library_roads, load_path, load_road, parse_road
from jounce.road.builder import RoadBuilder
from jounce.road.envelope import Envelope
from jounce.road.figure import _mean
from jounce.road.ground import Service
from jounce.road.line import LineRoad
from jounce.road.simple import External, Flat
from jounce.road.surface import Road
from jounce.runtime.simulation import Simulation
from jounce.symbolic import System
from models import compiled, outputs_by_name

TEXT = """
road: example
line:
  - straight: 100
  - clothoid: {length: 40, from: 0, to: 0.02}
  - arc: {radius: 50, angle: 90 deg}
width: {left: 4, right: 5}
height: [[0, 0], [100, 1]]
bank: [[0, 0], [100, 0.05]]
friction: {left: 1.0, right: 0.3}
kerbs: {left: {slope_1: 0.2, width_1: 0.5}}
features:
  - pothole: {s: 50, n: 1.0, depth: 60 mm, length: 0.6, width: 0.4}
  - patch: {s0: 20, s1: 30, n0: -5, n1: 4, friction: 0.1}
"""


def built() -> Road:
    return (
        RoadBuilder("example", left=4.0, right=5.0)
        .straight(100)
        .clothoid(40, 0.0, 0.02)
        .arc(50, 90)
        .height([(0, 0), (100, 1)])
        .bank([(0, 0), (100, 0.05)])
        .friction(1.0, 0.3)
        .kerb("left", slope_1=0.2, width_1=0.5)
        .pothole(s=50, n=1.0, depth=0.06, length=0.6, width=0.4)
        .patch(s0=20, s1=30, n0=-5, n1=4, friction=0.1)
        .build()
    )


def test_python_and_yaml_make_the_same_road() -> None:
    x, y = np.meshgrid(np.linspace(0, 160, 200), np.linspace(-6, 30, 40))
    a, b = built().query(x, y), parse_road(TEXT).query(x, y)
    np.testing.assert_allclose(a.height, b.height, atol=1e-9)
    np.testing.assert_array_equal(a.friction, b.friction)


def test_parts_lie_where_they_were_put() -> None:
    road = built()
    s5 = lambda q: q**3 * (10 - 15 * q + 6 * q * q)  # noqa: E731
    base = s5(0.5) + 1.0 * 0.05 * s5(0.5)
    assert road.query(50.0, 1.0).height == pytest.approx(base - 0.06)
    assert road.query([25.0, 15.0, 15.0], [1.0, 1.0, -1.0]).friction.tolist() == [0.1, 1.0, 0.3]
    kerb = road.query(80.0, 4.25).height - road.query(80.0, 4.0).height
    assert kerb == pytest.approx(0.25 * 0.2 + 0.25 * 0.05 * s5(0.8))


def test_a_patch_follows_a_bend() -> None:
    road = RoadBuilder("bend", left=5.0, right=5.0).arc(50, 180).patch(s0=40, s1=80, n0=-1, n1=3, friction=0.2).build()
    s, n = np.meshgrid(np.linspace(1, 150, 150), np.linspace(-4.9, 4.9, 50))
    x, y = (50 - n) * np.sin(s / 50), 50 - (50 - n) * np.cos(s / 50)
    inside = (s > 40.05) & (s < 79.95) & (n > -0.99) & (n < 2.99)
    outside = (s < 39.95) | (s > 80.05) | (n < -1.01) | (n > 3.01)
    found = road.query(x, y).friction
    assert np.all(found[inside] == 0.2) and np.all(found[outside] == 1.0)


def test_a_crowned_road_sheds_water() -> None:
    road = RoadBuilder("roof").straight(50).crown(0.025).build()
    np.testing.assert_allclose(road.query(20.0, [-2.0, 0.0, 2.0]).height, [-0.05, 0.0, -0.05], atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("straight: 100", "straight: fast"), r"line\[0\]"),
        (("arc:", "ark:"), "did you mean 'arc'"),
        (("depth: 60 mm", "depth: 60 kg"), "pothole.depth"),
        (("depth:", "deepness:"), "pothole.deepness: unknown"),
        (("width: {left: 4, right: 5}", "width: {left: 4}"), "expected left and right"),
        (("road: example", "roads: example"), "line 2  roads: unknown; did you mean 'road'"),
        (("[100, 1]]\nbank", "[100]]\nbank"), r"height\[1\]"),
        (("{s: 50,", "{s: 5000,"), "the road goes from 0 to"),
        (("line:", "lime:"), "either line or flat"),
        (("road: example", "road: [example"), "line 3: no YAML"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(change: tuple[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_road(TEXT.replace(*change), "a.yaml")


# --- library --------------------------------------------------------------------------------------------------------


def test_the_library_is_complete() -> None:
    wanted = {"flat", "mu_split", "wet_patch", "cleat", "potholes", "sine", "chirp", "handling", "mountain"}
    assert wanted | {f"iso_8608_{c}" for c in "abcde"} <= set(library_roads())
    assert {"handling", "mountain"} <= set(library_paths())
    for place in (*library_roads().values(), *library_paths().values()):
        assert "CC0-1.0" in place.read_text()


@pytest.mark.parametrize("name", library_roads())
def test_every_road_of_the_library_loads(name: str) -> None:
    road = load_road(name)
    box = road.extent
    assert box is not None
    x, y = np.linspace(box[0], box[2], 200), np.linspace(box[1], box[3], 200)
    sample = road.query(x, y)
    assert np.all(np.isfinite(sample.height)) and np.all((sample.friction >= 0) & (sample.friction <= 1.2))


def test_the_tracks_have_their_length_and_close() -> None:
    for name, length in (("handling", 5000.0), ("mountain", 20000.0)):
        road = load_road(name)
        assert isinstance(road, LineRoad)
        path = road.path
        assert path.closed and path.length == pytest.approx(length, rel=1e-3)
        assert 1 / np.max(np.abs(path.curvature)) > 15
        sample = road.query(path.x, path.y)
        assert not sample.off_road.any()
        np.testing.assert_allclose(np.mod(sample.station - path.s + 10, path.length), 10, atol=1e-3)
        assert load_path(name).length == pytest.approx(path.length)


def test_an_unknown_road_is_named() -> None:
    with pytest.raises(ParameterError, match="did you mean 'cleat'"):
        load_road("cleet")


# --- driving --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def probe() -> Simulation:
    system = System("road_probe")
    body = system.free("body")
    system.body("body", body.frame, 1.0, (1.0, 1.0, 1.0))
    surface = Service.declare(system).under(body.frame, (0.0, 0.0, 0.0))
    system.output("height", surface.height, "m")
    system.output("friction", surface.friction)
    for j in range(3):
        system.output(f"normal{j}", surface.normal[j])
    return compiled(system)


def at(simulation: Simulation, x: float, y: float, z: float) -> dict[str, float]:
    simulation.set_states({"body.x": x, "body.y": y, "body.z": z})
    return outputs_by_name(simulation, simulation.outputs())


@pytest.mark.parametrize(
    "road",
    [built(), Flat(grade=0.1, friction=0.5), Envelope(road=Flat(bank=0.2))],
    ids=["built", "plane", "envelope"],
)
def test_a_model_sees_the_road_that_is_bound(probe: Simulation, road: Road) -> None:
    road.bind(probe)
    for x, y in ((10.0, 1.0), (50.0, 1.0), (120.0, -2.0)):
        sample = road.query(x, y, 5.0)
        found = at(probe, x, y, 5.0)
        normal = sample.normal
        assert found["height"] == pytest.approx((5.0 - float(sample.height)) * normal[2])
        assert found["friction"] == float(sample.friction)
        np.testing.assert_allclose([found[f"normal{j}"] for j in range(3)], normal, atol=1e-12)


def test_the_binding_keeps_the_road_alive(probe: Simulation) -> None:
    import gc

    Flat(friction=0.123).bind(probe)
    gc.collect()
    assert at(probe, 0.0, 0.0, 1.0)["friction"] == 0.123


def test_an_outside_road_can_be_driven_on(probe: Simulation) -> None:
    External(function=lambda x, y, z: (0.1 * x, 0.1, 0.0, 0.6)).bind(probe)
    assert at(probe, 2.0, 0.0, 1.0)["friction"] == 0.6


def test_many_threads_ask_one_road() -> None:
    road = load_road("handling")
    assert isinstance(road, LineRoad)
    x, y = road.path.x + 1.0, road.path.y - 1.0
    expected = road.query(x, y).height
    found: list[bool] = []

    def ask() -> None:
        found.extend(np.array_equal(road.query(x, y).height, expected) for _ in range(5))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20 and all(found)


def test_a_block_is_saved_for_c_programs(tmp_path: Path) -> None:
    from jounce.road.native import check, query

    road = built()
    road.save_block(tmp_path / "road.bin")
    words = np.fromfile(tmp_path / "road.bin", dtype=np.float64)
    block = words.view(np.uint8)
    check(block)
    assert query(block, 50.0, 1.0).height == road.query(50.0, 1.0).height
    with pytest.raises(ParameterError, match="not a road"):
        check(np.zeros(100).view(np.uint8))
    with pytest.raises(ParameterError, match="cut short"):
        check(block[:-80].copy())
    with pytest.raises(ParameterError, match="outside function"):
        External(function=lambda x, y, z: (0, 0, 0, 1)).save_block(tmp_path / "no.bin")


def test_what_is_constant_along_a_road_is_said_with_its_value() -> None:
    pytest.importorskip("matplotlib")
    assert (_mean(np.array([np.nan, 2.0, -5.0])), _mean(np.array([np.nan]))) == (-1.5, 0.0)
    drawn = Flat(grade=0.03, bank=-0.02, length=100.0, width=8.0).figure()
    said = " ".join(text.get_text() for part in (drawn, *drawn.axes) for text in part.texts)
    said += " ".join(axes.get_title() for axes in drawn.axes) + (drawn.get_suptitle() or "")
    assert "slope 3 %" in said and "bank -2 %" in said, said


@pytest.mark.parametrize(("name", "parts"), [("flat", 1), ("potholes", 7), ("handling", 4)])
def test_pictures(name: str, parts: int) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    assert matplotlib
    figure = load_road(name).figure()
    # plan, with its scale of colours; of the holes a detail with its scale and a profile; heights, slopes
    assert len(figure.axes) == parts
