"""Meshes: heights and nearest points against a search through all triangles, whatever their sizes and order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.core.errors import ParameterError
from jounce.road.block import Frame
from jounce.road.mesh import MeshRoad, check_mesh, grid_mesh

Array = npt.NDArray[np.float64]


def all_heights(road: MeshRoad, x: float, y: float) -> Array:
    """Heights of every triangle that holds a point in plan, by the areas of its parts."""
    a, b, c = (road.points[road.triangles[:, k]] for k in range(3))

    def area(p: Array, q: Array) -> Array:
        return (p[:, 0] - x) * (q[:, 1] - y) - (p[:, 1] - y) * (q[:, 0] - x)

    parts = np.stack([area(b, c), area(c, a), area(a, b)])
    whole = parts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = parts / whole
    inside = np.all(share >= -1e-12, axis=0)
    heights: Array = (share[:, inside] * np.stack([a, b, c])[:, inside, 2]).sum(axis=0)
    return heights


def nearest_height(road: MeshRoad, x: float, y: float) -> tuple[float, float]:
    """Distance to the nearest edge of all triangles, and the height there."""
    best = (np.inf, 0.0)
    for k in range(3):
        a, b = road.points[road.triangles[:, k]], road.points[road.triangles[:, (k + 1) % 3]]
        e = b - a
        t = np.clip(((x - a[:, 0]) * e[:, 0] + (y - a[:, 1]) * e[:, 1]) / (e[:, :2] ** 2).sum(axis=1), 0, 1)
        p = a + t[:, None] * e
        d = np.hypot(p[:, 0] - x, p[:, 1] - y)
        i = int(np.argmin(d))
        best = min(best, (float(d[i]), float(p[i, 2])))
    return best


def triangulated(points: Array) -> MeshRoad:
    from scipy.spatial import Delaunay

    triangles = Delaunay(points[:, :2]).simplices.astype(np.int32)
    return MeshRoad(points=points, triangles=triangles)


def mixed(seed: int = 2) -> MeshRoad:
    """A fine strip in coarse ground: areas of triangles from 1 cm² to 1000 m²."""
    rng = np.random.default_rng(seed)
    fine = np.column_stack([rng.uniform(-10, 10, 3000), rng.uniform(-0.5, 0.5, 3000)])
    coarse = rng.uniform(-300, 300, (60, 2))
    plan = np.concatenate([fine, coarse])
    return triangulated(np.column_stack([plan, rng.standard_normal(len(plan))]))


@pytest.mark.parametrize("cell", [None, 0.05])
def test_heights_among_triangles_of_all_sizes(cell: float | None) -> None:
    made = mixed()
    road = MeshRoad(points=made.points, triangles=made.triangles, cell=cell)
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-10, 10, 150), rng.uniform(-250, 250, 150)])
    y = np.concatenate([rng.uniform(-0.5, 0.5, 150), rng.uniform(-250, 250, 150)])
    found = road.query(x, y)
    checked = 0
    for i in range(len(x)):
        heights = all_heights(road, x[i], y[i])
        if len(heights):
            checked += 1
            assert found.height[i] == pytest.approx(heights.max(), abs=1e-9)
            assert not found.off_road[i]
        else:
            assert found.off_road[i]
    assert checked > 250


def test_beside_a_mesh_the_nearest_point_counts() -> None:
    rng = np.random.default_rng(4)
    x, y = np.linspace(0, 40, 60), np.linspace(0, 9, 14)
    points, triangles = grid_mesh(x, y, rng.standard_normal((60, 14)))
    c, s = np.cos(0.6), np.sin(0.6)
    points[:, :2] = points[:, :2] @ np.array([[c, s], [-s, c]])
    holes = rng.choice(len(triangles), 40, replace=False)
    road = MeshRoad(points=points, triangles=np.delete(triangles, holes, axis=0))
    qx, qy = rng.uniform(-5, 40, 600), rng.uniform(-5, 40, 600)
    found = road.query(qx, qy)
    beside = [i for i in range(len(qx)) if not len(all_heights(road, qx[i], qy[i]))]
    assert len(beside) > 200 and bool(np.all(found.off_road[beside])) and not found.no_ground.any()
    near = 0
    for i in beside:
        distance, height = nearest_height(road, qx[i], qy[i])
        if distance < 2.0:  # farther away than a tile the nearest one is searched in the nearest tile only
            near += 1
            assert found.height[i] == pytest.approx(height, abs=1e-9)
    assert near > 30


def test_the_order_of_triangles_does_not_matter() -> None:
    road = mixed()
    order = np.random.default_rng(1).permutation(len(road.triangles))
    mu = np.linspace(0.2, 1.0, len(order))
    kinds = np.arange(len(order), dtype=np.int32)
    one = MeshRoad(points=road.points, triangles=road.triangles, friction=mu, material=kinds)
    other = MeshRoad(points=road.points, triangles=road.triangles[order], friction=mu[order], material=kinds[order])
    x, y = np.random.default_rng(2).uniform(-9, 9, 2000), np.random.default_rng(3).uniform(-0.4, 0.4, 2000)
    a, b = one.query(x, y), other.query(x, y)
    assert a.height.tobytes() == b.height.tobytes()
    assert np.array_equal(a.material, b.material) and np.array_equal(a.friction, b.friction)
    assert np.array_equal(a.friction, mu[a.material])


def test_many_storeys_in_one_place() -> None:
    points, triangles = [], []
    for floor in range(12):  # more than a leaf holds itself
        at = len(points)
        points += [[0, 0, 3.0 * floor], [4, 0, 3.0 * floor], [4, 4, 3.0 * floor], [0, 4, 3.0 * floor]]
        triangles += [[at, at + 1, at + 2], [at, at + 2, at + 3]]
    road = MeshRoad(points=np.array(points, dtype=float), triangles=np.array(triangles, dtype=np.int32))
    asked = 3.0 * np.arange(12) + 0.5
    assert road.query(1.0, 2.5, asked).height.tolist() == (3.0 * np.arange(12)).tolist()
    assert road.query(1.0, 2.5).height == 33.0


def test_the_index_grows_with_the_triangles_and_not_with_the_area() -> None:
    """A strip of 2 m by 4 km across a square of 2.8 km: 4 million cells of its own size would lie in that."""
    x, y = np.linspace(0, 4000, 8001), np.linspace(-1, 1, 3)
    points, triangles = grid_mesh(x, y, 0.01 * x[:, None] + 0 * y[None, :])
    c = np.sqrt(0.5)
    turned = MeshRoad(points=np.column_stack([points[:, :2] @ [[c, c], [-c, c]], points[:, 2]]), triangles=triangles)
    small = MeshRoad(points=points[:300], triangles=triangles[: 4 * 99])
    per_triangle = [road.block.nbytes / len(road.triangles) for road in (turned, small)]
    # 80 bytes of a triangle, some leaves and tiles
    assert max(per_triangle) < 300
    s, n = np.random.default_rng(0).uniform(1, 3999, 500), np.random.default_rng(1).uniform(-1, 1, 500)
    found = turned.query(c * (s - n), c * (s + n))
    np.testing.assert_allclose(found.height, 0.01 * s, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(*(st.floats(-20, 20, width=32) for _ in range(3))), min_size=3, max_size=12),
    st.lists(st.tuples(*(st.integers(0, 30) for _ in range(3))), min_size=1, max_size=20),
    st.sampled_from([1.0, 1e-3, 1e5]),
    st.booleans(),
)
def test_any_triangles_are_built_and_found(
    points: list[tuple[float, ...]], triangles: list[tuple[int, ...]], scale: float, hold: bool
) -> None:
    """Also those without area, on edge, twice there, one upon the other."""
    xyz = scale * np.array(points)
    t = (np.array(triangles) % len(points)).astype(np.int32)
    road = MeshRoad(points=xyz, triangles=t, hold=hold)
    check_mesh(xyz, t)
    corners = xyz[t].reshape(-1, 3)
    x, y = np.append(corners.mean(axis=0)[0], corners[:3, 0]), np.append(corners.mean(axis=0)[1], corners[:3, 1])
    x, y = np.append(x, 2 * x[0] - x[1]), np.append(y, 2 * y[0] - y[1])
    x, y = np.append(x, xyz[t].mean(axis=1)[:, 0]), np.append(y, xyz[t].mean(axis=1)[:, 1])  # middles of all
    found = road.query(x, y)
    low, high = corners[:, 2].min(), corners[:, 2].max()
    size = float(np.ptp(corners[:, :2], axis=0).max())
    for i in range(len(x)):
        heights = all_heights(road, x[i], y[i])
        if _well_shaped(xyz, t, size) and deep_inside(road, x[i], y[i], size):
            assert not found.off_road[i] and not found.no_ground[i]
        if found.no_ground[i]:
            assert not hold
        elif len(heights) and not found.off_road[i] and _well_shaped(xyz, t, size):
            assert found.height[i] == pytest.approx(heights.max(), abs=1e-6 * max(scale, size))
        elif found.off_road[i] and _well_shaped(xyz, t, size):
            assert low - 1e-6 * scale <= found.height[i] <= high + 1e-6 * scale


def deep_inside(road: MeshRoad, x: float, y: float, size: float) -> bool:
    """Whether a point lies in a triangle, farther from its edges than rounding may move them."""
    for corners in road.points[road.triangles][:, :, :2]:
        turn = np.sign(np.linalg.det(corners[1:] - corners[0]))
        edges = np.roll(corners, -1, axis=0) - corners
        side = edges[:, 0] * (y - corners[:, 1]) - edges[:, 1] * (x - corners[:, 0])
        if np.all(turn * side > 1e-6 * size * np.hypot(edges[:, 0], edges[:, 1])):
            return True
    return False


def _well_shaped(xyz: Array, t: npt.NDArray[np.int32], size: float) -> bool:
    """Whether every triangle is wide enough in plan for its plane to be known to six digits."""
    p = xyz[t][:, :, :2]
    area = np.abs(
        (p[:, 1, 0] - p[:, 0, 0]) * (p[:, 2, 1] - p[:, 0, 1]) - (p[:, 1, 1] - p[:, 0, 1]) * (p[:, 2, 0] - p[:, 0, 0])
    )
    return bool(np.all(area > 1e-6 * size * size))


def test_faults_are_found_where_they_are() -> None:
    x, y = np.linspace(0, 50, 101), np.linspace(0, 20, 41)
    points, triangles = grid_mesh(x, y, np.zeros((101, 41)))
    rng = np.random.default_rng(0)
    flipped, removed = rng.choice(np.arange(1000, 3000), 5, replace=False), 5000
    broken = triangles.copy()
    broken[flipped] = broken[flipped][:, ::-1]
    twice, flat = broken[4041].copy(), [500, 500, 501]
    broken = np.vstack([np.delete(broken, [removed, removed + 1], axis=0), [twice[[1, 2, 0]]], [flat]]).astype(np.int32)
    found = {f.kind: f for f in check_mesh(points, broken)}
    assert set(found) == {"degenerate", "duplicate", "flipped", "hole", "edge shared by more than two"}
    assert found["degenerate"].places == (len(broken) - 1,)
    assert found["duplicate"].places == (len(broken) - 2,)
    assert set(found["flipped"].places) == set(flipped.tolist())
    corners = points[triangles[[removed, removed + 1]]].reshape(-1, 3)
    assert set(found["hole"].places) == set(triangles[[removed, removed + 1]].ravel().tolist())
    middle = np.unique(corners, axis=0).mean(axis=0)
    assert f"about x = {middle[0]:.6g}, y = {middle[1]:.6g}" in found["hole"].message


def test_a_moved_mesh_is_the_mesh_moved() -> None:
    road = mixed()
    moved = road.moved(100.0, -50.0, 3.0, 0.7)
    x, y = np.random.default_rng(5).uniform(-9, 9, 200), np.random.default_rng(6).uniform(-0.4, 0.4, 200)
    gx, gy = Frame(x=100.0, y=-50.0, heading=0.7).to_world(x, y)
    np.testing.assert_allclose(moved.query(gx, gy).height, road.query(x, y).height + 3.0, atol=1e-9)


def test_points_that_are_not_there() -> None:
    with pytest.raises(ParameterError, match="triangle 1 names point 5"):
        MeshRoad(points=np.zeros((4, 3)), triangles=np.array([[0, 1, 2], [0, 1, 5]], dtype=np.int32))


def test_cells_of_no_size_are_as_small_as_they_may_be() -> None:
    """A damaged file may ask for so many cells that their number overflows; warnings are errors here."""
    road = mixed()
    x, y = np.random.default_rng(7).uniform(-20, 20, (2, 200))
    for cell in (1e-320, 5e-324, 1e-9):
        found = MeshRoad(points=road.points, triangles=road.triangles, cell=cell).query(x, y)
        assert found.height.tobytes() == road.query(x, y).height.tobytes(), cell
