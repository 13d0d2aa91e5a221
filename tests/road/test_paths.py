"""Paths of a run: two questions in C, from Python, from a model, from its snapshot and from its export."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.road.path import Path
from jounce.road.paths import ANYWHERE, AT, CURVATURE, PROJECT, REACH, PathService, PathSet
from jounce.runtime.compile import STRICT_FLAGS, find_compiler
from jounce.runtime.export import export_c
from jounce.runtime.simulation import Simulation

EIGHT = 40.0  # m, half its length


def eight() -> Path:
    """A closed line that crosses itself; its total turn is nought."""
    a = 2 * math.pi * np.arange(400) / 400
    return Path.from_points(
        np.column_stack([EIGHT * np.sin(a), EIGHT * np.sin(a) * np.cos(a)]), closed=True, step=0.5
    ).moved(13.0, -21.0, 2.0, heading=2.2)


def hill() -> Path:
    """An open bend uphill, with bank and speed, elsewhere and turned."""
    path = Path.from_curvature(
        [0, 30, 60, 140], [0, 0, -0.03, -0.03], heading=-2.5, x=-70.0, y=33.0, z=lambda s: 4 + 1.5e-4 * s**2
    )
    return Path(
        **{k: getattr(path, k) for k in ("s", "x", "y", "z", "heading", "curvature")},
        bank=0.001 * path.s,
        speed=20 - 0.05 * path.s,
    )


def ring() -> Path:
    return Path.from_curvature([0, 2 * math.pi * 55], [1 / 55, 1 / 55], x=7.0, y=9.0, heading=0.6, closed=True)


@pytest.fixture(scope="module")
def paths() -> PathSet:
    return PathSet([eight(), hill(), ring()])


def test_places_are_those_of_the_path(paths: PathSet) -> None:
    for number, path in enumerate(paths.paths):
        s = np.linspace(0, path.length * 0.999, 97)
        place = paths.at(number, s)
        assert np.allclose(np.stack([place.x, place.y, place.z], -1), path.at(s), rtol=0, atol=1e-9)
        # the tangent of the line, by differences of places half a millimetre on both sides
        before, after = (path.at(s + h) for h in (-5e-4, 5e-4))
        d = (after - before)[(s > 1e-3) & (s < path.length - 1e-3)] / 1e-3
        inside = (s > 1e-3) & (s < path.length - 1e-3)
        assert np.allclose(np.cos(place.heading)[inside], d[:, 0], atol=2e-6)
        assert np.allclose(np.sin(place.heading)[inside], d[:, 1], atol=2e-6)
        assert np.allclose(place.slope[inside], d[:, 2], atol=2e-6)


def test_a_curvature_asked_for_alone_is_that_of_the_place(paths: PathSet) -> None:
    """To the bit, over laps and beyond the ends."""
    for number, path in enumerate(paths.paths):
        s = np.linspace(-1.3 * path.length, 2.4 * path.length, 907)
        assert np.array_equal(paths.curvature(number, s), paths.at(number, s).curvature)
        assert np.abs(paths.curvature(number, s)).max() > 1e-3


def test_bank_and_speed_come_along_and_a_path_without_them_has_none(paths: PathSet) -> None:
    place = paths.at(1, [0.0, 33.3, 140.0])
    assert np.allclose(place.bank, [0.0, 0.0333, 0.14], atol=1e-12)
    assert np.allclose(place.speed, [20.0, 18.335, 13.0], atol=1e-12)
    assert np.allclose(place.speed_slope, -0.05, atol=1e-12)
    assert paths.at(2, 10.0).speed == 0.0 == paths.at(2, 10.0).bank


@pytest.mark.parametrize("offset", [-3.0, 0.0, 4.0])
def test_a_point_beside_a_path_is_found_there(paths: PathSet, offset: float) -> None:
    for number, path in enumerate(paths.paths):
        s = np.linspace(0.3, path.length - 0.3, 61)
        place = paths.at(number, s)
        x, y = place.x - offset * np.sin(place.heading), place.y + offset * np.cos(place.heading)
        foot = paths.project(number, x, y, place.z, s + 3.0)
        assert np.allclose(foot.station, s, atol=1e-8)
        assert np.allclose(foot.offset, offset, atol=1e-10)
        assert np.allclose(foot.heading, place.heading, atol=1e-9)
        assert np.allclose(foot.curvature, place.curvature, atol=1e-8)


def test_the_foot_of_any_point_is_the_nearest_one(paths: PathSet) -> None:
    rng = np.random.default_rng(8)
    path = paths.paths[1]
    for x, y in rng.uniform([-150, -60], [20, 60], (25, 2)):
        foot = paths.project(1, x, y)

        def distance(s: float, x: float = x, y: float = y) -> float:
            place = paths.at(1, s)
            return math.hypot(x - float(place.x), y - float(place.y))

        tried = np.linspace(-100, path.length + 100, 500)
        around = float(tried[np.argmin([distance(s) for s in tried])])
        found = minimize_scalar(distance, bounds=(around - 1, around + 1), method="bounded", options={"xatol": 1e-9})
        assert distance(float(foot.station)) <= found.fun + 1e-9
        assert abs(foot.offset) <= found.fun + 1e-9


def test_a_crossing_is_passed_on_the_branch_that_one_is_on(paths: PathSet) -> None:
    path = paths.paths[0]
    middle = 0.5 * path.length  # the eight is at its crossing at 0 and there
    x, y = float(path.x[0]), float(path.y[0])
    for s in (0.0, middle, path.length, -middle):
        foot = paths.project(0, x, y, 2.0, s + 4.0)
        assert float(foot.station) == pytest.approx(s, abs=2e-3)
    turned = paths.project(0, x, y, 2.0, 0.0).heading - paths.project(0, x, y, 2.0, middle).heading
    assert abs(math.remainder(float(turned), math.pi)) > 1.0  # two directions


def test_stations_count_on_over_laps_both_ways(paths: PathSet) -> None:
    s = np.linspace(-1.7, 2.4, 1500) * paths.paths[2].length
    place = paths.at(2, s)
    foot = paths.followed(2, place.x, place.y)
    first = foot.station[0] - s[0]
    assert abs(math.remainder(first, paths.paths[2].length)) < 1e-8
    assert np.allclose(foot.station - first, s, atol=1e-8)
    assert np.allclose(place.heading, 0.6 + s / 55, atol=1e-8)  # turns are counted too
    assert np.allclose(foot.heading - foot.heading[0], (s - s[0]) / 55, atol=1e-8)


def test_the_heading_of_an_eight_comes_back_after_a_lap(paths: PathSet) -> None:
    length = paths.paths[0].length
    assert float(paths.at(0, 5.0 + 3 * length).heading) == pytest.approx(float(paths.at(0, 5.0).heading), abs=1e-9)


@pytest.mark.parametrize(("end", "way"), [(0.0, -40.0), (140.0, 250.0)])
def test_an_open_path_goes_straight_on(paths: PathSet, end: float, way: float) -> None:
    last, place = paths.at(1, end), paths.at(1, end + way)
    c, s = math.cos(float(last.heading)), math.sin(float(last.heading))
    assert float(place.x) == pytest.approx(float(last.x) + way * c, abs=1e-9)
    assert float(place.z) == pytest.approx(float(last.z) + way * float(last.slope), abs=1e-9)
    assert float(place.curvature) == 0.0
    foot = paths.project(1, float(place.x) - 6 * s, float(place.y) + 6 * c, 0.0, end)
    assert float(foot.station) == pytest.approx(end + way, abs=1e-9)
    assert float(foot.offset) == pytest.approx(6.0, abs=1e-9)


def test_the_station_given_decides_how_far_is_looked() -> None:
    line = PathSet([Path.straight(1000.0).moved(heading=0.7)])
    place = line.at(0, 700.0)
    assert float(line.project(0, place.x, place.y).station) == pytest.approx(700.0)
    assert float(line.project(0, place.x, place.y, 0.0, 700 - REACH + 1).station) == pytest.approx(700.0)
    assert float(line.project(0, place.x, place.y, 0.0, 300.0).station) == pytest.approx(300 + REACH, abs=1.0)


def test_storeys_are_told_apart_where_nobody_knows_the_station() -> None:
    angle = np.linspace(0, 3 * 2 * math.pi, 700)
    helix = PathSet(
        [Path.from_points(np.column_stack([20 * np.cos(angle), 20 * np.sin(angle), angle]), closed=False, step=0.5)]
    )
    for turn in (0.5, 1.5, 2.5):
        foot = helix.project(0, -20.0, 0.0, 2 * math.pi * turn)
        assert float(foot.station) == pytest.approx(40 * math.pi * turn, abs=0.1)


def test_derivatives_are_those_of_the_answers(paths: PathSet) -> None:
    h = 1e-5
    for number, s, offset in ((0, 31.7, 2.0), (1, 51.2, -3.0), (2, 77.7, 5.0), (1, 170.0, 3.0)):
        place = paths.at(number, s)
        x, y = (float(place.x - offset * np.sin(place.heading)), float(place.y + offset * np.cos(place.heading)))
        exact = paths.derivatives(PROJECT, number, x, y, 0.0, s)
        for k, (dx, dy) in enumerate(((h, 0.0), (0.0, h))):
            ends = [np.ravel(paths.project(number, x + f * dx, y + f * dy, 0.0, s)) for f in (-1, 1)]
            # third derivatives of a foot are of the order of curvature squared: h² of them, and rounding over h
            assert np.allclose(exact[:, k + 1], (ends[1] - ends[0]) / (2 * h), atol=1e-6)
        assert not exact[:, [0, 3, 4]].any()
        ends = [np.ravel(paths.at(number, s + f)) for f in (-h, h)]
        assert np.allclose(paths.derivatives(AT, number, s)[:, 1], (ends[1] - ends[0]) / (2 * h), atol=1e-6)
        alone = paths.derivatives(CURVATURE, number, s)
        assert alone.shape == (1, 2) and alone[0].tolist() == paths.derivatives(AT, number, s)[4].tolist()


def test_what_is_nowhere_is_nan_and_what_is_no_path_is_refused(paths: PathSet) -> None:
    assert all(np.isnan(v) for v in paths.project(0, np.nan, 1.0))
    assert all(np.isnan(v) for v in paths.project(0, 1.0, np.inf))
    assert all(np.isnan(v) for v in paths.at(1, np.inf))
    assert np.isnan(paths.curvature(1, np.inf)) and np.isnan(paths.derivatives(CURVATURE, 1, np.inf)).all()
    with pytest.raises(ParameterError, match="path 3: there are 3"):
        paths.at(3, 0.0)
    with pytest.raises(ParameterError, match="at least one"):
        PathSet([])


# -- in a model --------------------------------------------------------------------------------------------------------


def walker() -> jn.System:
    """A point that follows a path at 20 m/s, two metres to its left, by the station that a block remembers."""
    s = jn.System("walker")
    paths = PathService.declare(s)
    number = s.input("number", "-")
    x, y = s.state("x", "m"), s.state("y", "m")
    block = s.block("walk", period=0.01)
    station = block.signal("station", "m", initial=ANYWHERE)
    foot = paths.project(number, x, y, 2.0, station)
    block.update(station, foot.station)
    here = paths.project(number, x, y, 2.0, station)
    s.derivative(x, 20 * jn.ops.cos(here.heading) + (here.offset - 2) * jn.ops.sin(here.heading))
    s.derivative(y, 20 * jn.ops.sin(here.heading) - (here.offset - 2) * jn.ops.cos(here.heading))
    s.output("station", here.station, "m", watch=True)
    s.output("offset", here.offset, "m")
    s.output("x", x, "m")
    s.output("y", y, "m")
    return s


@pytest.fixture(scope="module")
def walking() -> Any:
    return jn.build(walker())


def walk(walking: Any, paths: PathSet, number: int) -> Simulation:
    sim = Simulation(walking, step=0.005)
    paths.bind(sim)
    place = paths.at(number, 3.0)
    sim.set_states({"x": float(place.x), "y": float(place.y)})
    sim.set_inputs({"number": float(number)})
    return sim


@pytest.mark.parametrize("number", [0, 2])
def test_a_block_walks_over_crossings_and_laps(walking: Any, paths: PathSet, number: int) -> None:
    sim, path = walk(walking, paths, number), paths.paths[number]
    run = sim.run(2.5 * path.length / 20)
    assert run["station"][0] == pytest.approx(3.0, abs=1e-6)
    assert np.all(np.diff(run["station"]) > 0)
    assert np.max(np.diff(run["station"])) < 0.2  # no jump to another branch: 0.1 m in a step
    assert run["station"][-1] > 2.3 * path.length
    assert run["offset"][-1] == pytest.approx(2.0, abs=1e-3)


def test_paths_are_chosen_and_changed_without_another_model(walking: Any, paths: PathSet) -> None:
    one = walk(walking, paths, 1)
    one.run(2.0)
    assert one.output("offset") == pytest.approx(2 * (1 - math.exp(-2)), rel=1e-3)  # ḋ = 2 − d along any path
    PathSet([Path.straight(500.0)]).bind(one)
    one.set_inputs({"number": 0.0})
    one.set_states({"x": 30.0, "y": -1.0})
    assert one.output("offset") == pytest.approx(-1.0)


def test_a_model_without_paths_is_refused_and_one_that_asks_for_none_is_left_alone(
    walking: Any, paths: PathSet
) -> None:
    with pytest.raises(ParameterError, match="not bound"):
        Simulation(walking, step=0.005).run(0.1)
    plain = jn.System("plain")
    plain.derivative(plain.state("x", "m"), 1.0)
    paths.bind(Simulation(jn.build(plain), step=0.01))


def test_a_snapshot_goes_on_with_the_same_bits(walking: Any, paths: PathSet) -> None:
    sim = walk(walking, paths, 0)
    sim.run(1.5)
    kept = sim.snapshot()
    first = sim.run(4.0)
    sim.restore(kept)
    again = sim.run(4.0)
    assert np.array_equal(first["x"], again["x"])
    assert np.array_equal(first["station"], again["station"])


def test_the_export_takes_the_paths_along(walking: Any, paths: PathSet, tmp_path: FilePath) -> None:
    run = walk(walking, paths, 0).run(3.0)
    folder = export_c(tmp_path / "walker", walk(walking, paths, 0), t_end=3.0)
    assert not list(folder.glob("*_services*"))
    target = folder / "program"
    strict = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
    sources = sorted(map(str, folder.glob("*.c")))
    command = [
        *find_compiler().command,
        *STRICT_FLAGS,
        *strict,
        "-O1",
        "-I",
        str(folder),
        *sources,
        "-o",
        str(target),
        "-lm",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = subprocess.run([str(target)], capture_output=True, text=True, check=True).stdout
    table = np.array([row.split(",") for row in told.splitlines()[1:]], dtype=float)
    names = told.splitlines()[0].split(",")
    column = next(k for k, name in enumerate(names) if name.split()[0].strip('"') == "station")
    assert np.array_equal(table[:, column], run["station"])
