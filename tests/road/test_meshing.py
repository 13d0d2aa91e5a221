"""Any road as triangles or as a grid: as near as asked for, with its edges, along its line, not finer than needed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.files.crg import crg_bytes, parse_crg
from jounce.road.block import Frame
from jounce.road.builder import RoadBuilder
from jounce.road.grid import GridRoad
from jounce.road.line import LineRoad
from jounce.road.mesh import check_mesh
from jounce.road.meshing import grid_of, mesh_error, mesh_of
from jounce.road.path import Path
from jounce.road.simple import Flat, Patch, Sum, cleat, pothole
from jounce.road.surface import Road


def bend() -> RoadBuilder:
    """A straight, half a circle, a straight: its box is much larger than the road."""
    return RoadBuilder("bend", left=3, right=4).straight(60).arc(40, 180).straight(60)


def places(path: Path, room: float, count: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Places on a road by chance, which are no nodes of any lattice."""
    draw = np.random.default_rng(7)
    s, n = draw.uniform(0.5, path.length - 0.5, count), draw.uniform(-room, room, count)
    p, heading = path.at(s), path.at(s, "heading")
    return p[:, 0] - n * np.sin(heading), p[:, 1] + n * np.cos(heading)


def line(road: Road) -> LineRoad:
    assert isinstance(road, LineRoad)
    return road


def test_a_road_with_features_is_within_the_tolerance_and_not_larger_than_it_needs() -> None:
    builder = bend().height([(0, 0), (100, 3)]).kerb("left", slope_1=0.1, width_1=0.5)
    road = line(builder.pothole(s=30, n=1.0, depth=0.06).cleat(s=50).bump(s=100, height=0.05, length=0.8).build())
    mesh = mesh_of(road, tolerance=0.002)
    x, y = places(road.path, 3.4)
    s = np.concatenate([np.linspace(a, b, 400) for a, b in ((29.5, 30.5), (49.9, 50.1), (99.5, 100.5))])
    p, heading = road.path.at(s), road.path.at(s, "heading")
    for n in (-0.9, 0.83, 1.1):
        x, y = np.append(x, p[:, 0] - n * np.sin(heading)), np.append(y, p[:, 1] + n * np.cos(heading))
    away = np.abs(mesh.query(x, y).height - road.query(x, y).height)
    assert away.max() <= 0.002 and mesh_error(mesh, road) <= 0.002
    # a lattice of 0.5 m over the box would have 2 (104 m) (88 m) / 0.25 m² = 73 000 triangles, and miss the cleat
    assert len(mesh.triangles) < 50_000
    # a coarser tolerance needs fewer; without one the step decides, and the loss is measured
    assert len(mesh_of(road, tolerance=0.02).triangles) < len(mesh.triangles)
    assert mesh_error(mesh_of(road, step=1.0), road) > 0.002


def test_unevenness_needs_a_tolerance() -> None:
    road = line(RoadBuilder("rough").straight(100).unevenness("C", seed=3).build())
    coarse, fine = mesh_of(road), mesh_of(road, tolerance=0.001)
    x, y = places(road.path, 3.9)
    lost = [float(np.max(np.abs(m.query(x, y).height - road.query(x, y).height))) for m in (coarse, fine)]
    assert lost[0] > 0.005 and lost[1] <= 0.001
    assert mesh_error(coarse, road) == pytest.approx(lost[0], rel=0.3)


def test_kerbs_and_friction_are_part_of_the_mesh() -> None:
    road = RoadBuilder("kerbs", left=3, right=3).straight(50).friction(1.0, 0.4)
    built = line(road.kerb("left", slope_1=0.2, width_1=0.5, friction_1=0.8, slope_2=0, width_2=0.5).build())
    mesh = mesh_of(built)
    assert mesh.extent == pytest.approx((0.0, -3.0, 50.0, 4.0), abs=1e-6)
    sample = mesh.query([20.0, 20.0, 20.0, 20.0], [2.0, -2.0, 3.25, 3.9])
    np.testing.assert_allclose(sample.height, [0, 0, 0.05, 0.1], atol=1e-9)
    np.testing.assert_array_equal(sample.friction, [1.0, 0.4, 0.8, 0.7])
    narrow = mesh_of(built, width=2.0)
    assert narrow.extent == pytest.approx((0.0, -1.0, 50.0, 1.0), abs=1e-6)


def test_borders_of_patches_and_bars_are_rows_and_columns() -> None:
    things = [Patch(friction=0.2, length=3.3, width=1.7, frame=Frame(x=5.15, y=1.0)), cleat(x=11.0)]
    flat = Sum(base=Flat(length=30, width=10), features=things, frame=Frame(x=100.0, heading=0.0))
    mesh = mesh_of(flat)
    sample = mesh.query([100 + 5.15 + 1.64, 100 + 5.15 + 1.66, 111.0, 111.019], [1.84, 1.84, 3.0, -3.0])
    np.testing.assert_array_equal(sample.friction, [0.2, 1.0, 1.0, 1.0])
    # the lattice ends a hair (1e-9 of 30 m) before the road does, where the slope of the bar is 10
    np.testing.assert_allclose(sample.height, [0, 0, 0.02, 0.02 * 0.5], atol=1e-6)


def test_a_closed_road_and_a_moved_one() -> None:
    ring = line(RoadBuilder("ring").arc(50, 360).close().pothole(s=0.1, depth=0.05).build())
    road = ring.moved(x=20.0, y=-5.0, z=2.0, heading=0.4)
    mesh = mesh_of(road, tolerance=0.001)
    assert mesh_error(mesh, road) <= 0.001
    x, y = places(ring.path, 3.9)
    wx, wy = road.frame.to_world(x, y)
    np.testing.assert_allclose(mesh.query(wx, wy).height, 2.0 + ring.query(x, y).height, atol=0.001)


def test_a_road_that_crosses_over_itself_has_both_storeys() -> None:
    loop = RoadBuilder("loop", left=3, right=3).straight(80).arc(40, 270).straight(80)
    road = line(loop.height([(0, 0), (80, 0), (250, 6)]).build())
    for made in (mesh_of(road, tolerance=0.01), grid_of(road, step=0.25)):
        for x, y in ((40.0, 0.0), (41.5, -1.0), (38.2, 2.2), (30.0, 0.0), (40.0, 10.0)):
            for z in (0.3, 7.0):
                assert made.query(x, y, z).height == pytest.approx(road.query(x, y, z).height, abs=0.01)
    assert mesh_error(mesh_of(road, tolerance=0.01), road) <= 0.01


def test_widths_that_come_to_nothing_leave_no_triangles_without_area() -> None:
    path = Path.straight(100.0)
    road = LineRoad(path=path, left=[(0, 3.0), (40, 3.0), (60, 0.0), (100, 0.0)], right=3.0)
    mesh = mesh_of(road)
    assert check_mesh(mesh.points, mesh.triangles) == []
    assert mesh.extent == pytest.approx((0.0, -3.0, 100.0, 3.0), abs=1e-6)


def test_a_grid_keeps_its_points_and_its_holes() -> None:
    draw = np.random.default_rng(0)
    z = draw.standard_normal((30, 9)) * 0.05
    z[10:12, 3] = np.nan
    grid = GridRoad(z=z, du=0.5, v=np.linspace(-2, 2, 9), border_v="none")
    mesh = mesh_of(Sum(base=grid, features=[pothole(0.05, 0.6, 0.4, 0.05, x=8.0)]))
    assert bool(mesh.query(5.2, -0.5).no_ground) and not mesh.hold
    nodes = mesh.query([2.0, 3.5], [1.0, -1.5])
    np.testing.assert_allclose(nodes.height, [z[4, 6], z[7, 1]], atol=1e-7)
    centre = mesh.query(8.0, 0.0).height
    assert centre == pytest.approx(z[16, 4] - 0.05, abs=1e-7)


def test_what_cannot_be_done_is_said() -> None:
    with pytest.raises(ParameterError, match="without end"):
        mesh_of(Flat())
    with pytest.raises(ParameterError, match="must be > 0"):
        mesh_of(Flat(length=10, width=10), step=0.0)
    with pytest.raises(ParameterError, match=r"more than 5000000 points.*larger"):
        mesh_of(RoadBuilder("rough").straight(5000).build(), step=0.05)
    with pytest.raises(ParameterError, match="larger steps"):
        grid_of(RoadBuilder("long").straight(20000).build(), step=0.01)


def test_any_road_as_a_grid_for_open_crg() -> None:
    road = bend().height([(0, 0), (100, 3)]).bump(s=100, height=0.05, length=4).build()
    with pytest.raises(ParameterError, match=r"found a LineRoad road.*grid_of"):
        crg_bytes(road)  # type: ignore[arg-type]
    grid = grid_of(road, step=0.1)
    again = parse_crg(crg_bytes(grid, format="KDBI")).road()
    x, y = places(line(road).path, 2.9)
    # bilinear between points h apart: h²/8 times the largest curvature, ½ a (2π/l)² of the bump; that of the climb,
    # 10 √3/3 · 3 m/(100 m)², is much smaller
    bound = 0.1**2 / 8 * (0.5 * 0.05 * (2 * math.pi / 4) ** 2 + 0.002)
    assert np.max(np.abs(again.query(x, y).height - road.query(x, y).height)) < bound
    plane = grid_of(Sum(base=Flat(length=20, width=6, grade=0.1), features=[cleat(x=3.0)], frame=Frame(x=50.0, y=7.0)))
    assert plane.query(55.0, 8.0).height == pytest.approx(0.5, abs=1e-9)
    assert plane.query(53.0, 8.0).height == pytest.approx(0.32, abs=1e-9)
