"""Every kind of road: heights against geometry, slopes and their derivatives against differences, borders, storeys."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.road.block import NO_HEIGHT, Frame
from jounce.road.curve import Curve, Samples, chirp, cosine_bump, flat_top, ramp, sine
from jounce.road.envelope import Envelope
from jounce.road.grid import GridRoad, height_map
from jounce.road.line import Kerb, LineRoad, Section
from jounce.road.mesh import MeshRoad, check_mesh, grid_mesh
from jounce.road.path import Path, joined
from jounce.road.simple import Bump, Dish, External, Flat, Patch, Stack, Sum, cleat, mu_split, pothole, round_pothole
from jounce.road.surface import Road

RNG = np.random.default_rng(1)
TURNED = Frame(x=3.0, y=-2.0, z=0.5, heading=0.7, height_scale=0.8, friction_scale=0.9)


def s_bend() -> Path:
    parts = [(30.0, 0.0, 0.0), (20.0, 0.0, 0.03), (30.0, 0.03, 0.03), (30.0, 0.03, -0.02), (20.0, -0.02, 0.0)]
    return joined(parts, z=lambda s: 0.02 * s + 0.3 * np.sin(s / 15))


def rough(n: int = 400) -> np.ndarray:
    return 0.01 * RNG.standard_normal(n)


def curved_grid(**options: object) -> GridRoad:
    n = 121
    phi = np.cumsum(np.linspace(0.0, 0.02, n - 1))
    u, v = np.arange(n) * 0.5, np.linspace(-3, 3, 13)
    z = 0.05 * np.sin(u[:, None] / 3) * np.cos(v[None, :]) + 0.01 * v[None, :] ** 2
    settings = {"bank": 0.02 * np.sin(u / 20), "reference": 0.01 * u, "headings": phi, "du": 0.5, "v": v, **options}
    return GridRoad(z=z, **settings)  # type: ignore[arg-type]


def hills() -> MeshRoad:
    x, y = np.linspace(-20, 20, 41), np.linspace(-10, 10, 21)
    z = 0.3 * np.sin(x[:, None] / 4) + 0.1 * np.cos(y[None, :] / 2)
    points, triangles = grid_mesh(x, y, z)
    return MeshRoad(points=points, triangles=triangles, friction=np.linspace(0.5, 1.0, len(triangles)))


ROADS: dict[str, Road] = {
    "plane": Flat(grade=0.1, bank=-0.05, friction=0.7, frame=TURNED),
    "sine": Sum(base=Flat(), features=[Bump(profile=sine(0.03, 2.0, 20.0), frame=TURNED)]),
    "chirp": Sum(base=Flat(grade=0.01), features=[Bump(profile=chirp(0.02, 5.0, 0.5, 30.0), frame=Frame(x=-5.0))]),
    "bumps": Sum(
        base=Flat(),
        features=[
            Bump(profile=cosine_bump(0.1, 3.0), window=cosine_bump(1.0, 4.0), frame=Frame(x=4.0, y=1.0, heading=0.4)),
            round_pothole(0.08, 1.5, x=-3.0, y=2.0),
            Bump(profile=ramp(0.2, 4.0), frame=Frame(x=8.0)),
            Patch(friction=0.3, radius=4.0, edge=1.0, frame=Frame(x=1.0)),
            Patch(friction=0.5, length=6.0, width=3.0, edge=0.5, factor=True, frame=Frame(x=2.0, y=-3.0, heading=0.3)),
        ],
    ),
    "line": LineRoad(
        path=s_bend(),
        left=[(0.0, 4.0), (130.0, 5.0)],
        right=4.0,
        bank=Curve.step5([20.0, 60.0, 110.0], [0.0, 0.1, -0.05]),
        friction=[(0.0, 1.0), (130.0, 0.5)],
        friction_right=0.8,
        kerb_left=Kerb.uniform(0.1, 0.5, 0.9, -0.05, 0.7, 0.6),
        unevenness=(Samples(0.0, 0.3, rough()), Samples(0.0, 0.3, rough())),
        frame=TURNED,
    ),
    "sections": LineRoad(
        path=s_bend(),
        section=Section(
            np.array([0.0, 40.0, 130.0]),
            np.array(
                [
                    [[-3, 0.1], [-1, 0], [2, 0.1], [4, 0.3]],
                    [[-4, 0.2], [-2, 0], [1, 0], [3, 0.1]],
                    [[-3, 0], [0, 0.1], [2, 0], [5, 0]],
                ]
            ),
        ),
        side="hold",
    ),
    "ring": Path.from_points(
        np.array([[60 * math.cos(a), 40 * math.sin(a), 2 * math.sin(2 * a)] for a in np.linspace(0, 2 * math.pi, 25)]),
        left=5.0,
        right=5.0,
        bank=0.05,
    ).road(friction=0.9),
    "grid": curved_grid(),
    "smooth grid": curved_grid(cubic=True, frame=TURNED),
    "grid, borders": curved_grid(border_u="mirror", border_v="mirror", smooth_begin=5.0, smooth_end=4.0),
    "height map": height_map(np.arange(-10, 11.0), np.arange(-8, 9.0), 0.2 * RNG.standard_normal((21, 17))),
    "mesh": hills(),
    "outside": External(
        function=lambda x, y, z: (0.1 * math.sin(x), 0.1 * math.cos(x), 0.0, 0.8), frame=Frame(heading=0.3)
    ),
}


def places(road: Road, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(road, LineRoad):
        s, side = RNG.uniform(2, road.path.length - 2, n), RNG.uniform(-4.5, 4.5, n)
        p, heading = road.path.at(s), road.path.at(s, "heading")
        return road.frame.to_world(p[:, 0] - side * np.sin(heading), p[:, 1] + side * np.cos(heading))
    if isinstance(road, GridRoad) and road.headings is not None:
        i = RNG.integers(2, len(road.nodes) - 3, n)
        side = RNG.uniform(-3.3, 3.3, n)
        p, phi = road.nodes[i], road.headings[i] + RNG.uniform(-0.01, 0.01, n)
        return road.frame.to_world(p[:, 0] - side * np.sin(phi), p[:, 1] + side * np.cos(phi))
    return RNG.uniform(-12, 12, n), RNG.uniform(-6, 6, n)


@pytest.mark.parametrize("name", ROADS)
def test_slopes_are_the_derivatives_of_heights(name: str) -> None:
    road, h = ROADS[name], 1e-5
    x, y = places(road)
    at = road.query(x, y)
    for slope, dx, dy in ((at.slope_x, h, 0.0), (at.slope_y, 0.0, h)):
        plus, minus = road.query(x + dx, y + dy), road.query(x - dx, y - dy)
        difference = (plus.height - minus.height) / (2 * h)
        # a kink between the two points (edge of a cell, strip or triangle) shows as one-sided differences that differ
        bend = np.abs(plus.height - 2 * at.height + minus.height) / h
        smooth = bend < 1e-3
        assert smooth.mean() > 0.9
        np.testing.assert_allclose(slope[smooth], difference[smooth], atol=2e-5 + 0.5e-3)
        exact = bend < 2e-5
        # rounding of heights of some metres over 2 h, and h² of the third derivative
        np.testing.assert_allclose(slope[exact], difference[exact], atol=2e-6 + 1e-5)


@pytest.mark.parametrize("name", [n for n in ROADS if n not in ("outside",)])
def test_derivatives_for_linearisation_are_those_of_the_values(name: str) -> None:
    road, h = ROADS[name], 1e-5
    checked = 0
    for x, y in zip(*places(road, 60), strict=True):
        values, gradient = road.derivatives(x, y)
        sides = [[road.derivatives(x + i * dx, y + i * dy)[0] for i in (-1, 1)] for dx, dy in ((h, 0.0), (0.0, h))]
        difference = np.array([(b - a) / (2 * h) for a, b in sides]).T
        jumps = np.array([np.abs(a - 2 * values + b) for a, b in sides]).T
        if (jumps[1:] > 1e-6).any():
            continue  # slopes or friction step here
        checked += 1
        np.testing.assert_allclose(gradient[:, :2], difference, atol=2e-3, rtol=1e-3)
        assert not gradient[:, 2].any()
    assert checked > 30


@pytest.mark.parametrize("name", [n for n in ROADS if n != "outside"])
def test_heights_are_continuous(name: str) -> None:
    road = ROADS[name]
    x, y = places(road, 40)
    for a, b in zip(range(0, 40, 2), range(1, 40, 2), strict=True):
        way = math.hypot(x[b] - x[a], y[b] - y[a])
        if isinstance(road, LineRoad | GridRoad) and way > 15:
            continue  # other sides of a bend: the foot may jump far from the line
        q = np.linspace(0, 1, 20001)
        z = road.query(x[a] + q * (x[b] - x[a]), y[a] + q * (y[b] - y[a])).height
        # no slope in these roads is steeper than 3
        assert np.max(np.abs(np.diff(z))) < 3.0 * way / 20000 + 1e-9


# --- closed form ----------------------------------------------------------------------------------------------------


def test_plane() -> None:
    sample = Flat(grade=0.1, bank=-0.05, friction=0.7, frame=Frame(z=2.0)).query([1.0, -4.0], [3.0, 10.0])
    np.testing.assert_allclose(sample.height, [2.0 + 0.1 - 0.15, 2.0 - 0.4 - 0.5], atol=1e-15)
    np.testing.assert_allclose(sample.normal[0], np.array([-0.1, 0.05, 1]) / math.sqrt(1 + 0.01 + 0.0025))
    assert sample.friction.tolist() == [0.7, 0.7]
    edge = Flat(length=10.0, width=4.0).query([4.9, 5.1], [0.0, 0.0])
    assert edge.no_ground.tolist() == [False, True] and edge.height[1] == NO_HEIGHT


def test_a_turned_road_is_the_road_turned() -> None:
    road = curved_grid()
    turned = road.moved(10.0, -5.0, 2.0, 0.9)
    x, y = places(road, 50)
    c, s = math.cos(0.9), math.sin(0.9)
    a, b = road.query(x, y), turned.query(10.0 + c * x - s * y, -5.0 + s * x + c * y)
    np.testing.assert_allclose(b.height, a.height + 2.0, atol=1e-12)
    np.testing.assert_allclose(b.slope_x, c * a.slope_x - s * a.slope_y, atol=1e-10)


def test_features_have_their_shape() -> None:
    road = Sum(base=Flat(), features=[cleat(0.02, 0.04, 0.002, x=3.0), pothole(0.05, 1.0, 0.6, 0.1, x=8.0, y=1.0)])
    x = [3.0, 2.981, 2.979, 8.0, 8.0, 8.0, 7.55]
    y = [50.0, 0.0, 0.0, 1.0, 1.25, 1.31, 1.0]
    np.testing.assert_allclose(road.query(x, y).height, [0.02, 0.01, 0.0, -0.05, -0.025, 0.0, -0.025], atol=1e-12)
    wave = Bump(profile=sine(0.03, 2.0, 20.0))
    np.testing.assert_allclose(wave.query([0.5, 1.5, 25.0], 0.0).height, [0.03, -0.03, 0.0], atol=1e-15)
    up = Bump(profile=ramp(0.2, 4.0)).query([-1.0, 2.0, 9.0], 0.0).height
    np.testing.assert_allclose(up, [0.0, 0.1, 0.2], atol=1e-15)


def test_chirp_ends_at_zero_and_has_the_wavelengths_asked_for() -> None:
    curve = chirp(1.0, 4.0, 0.5, 40.0)
    x = np.linspace(0, curve.last, 400001)
    z = Bump(profile=curve).query(x, 0.0).height
    assert abs(z[-1]) < 1e-9
    crossings = x[1:][(z[:-1] <= 0) & (z[1:] > 0)]
    waves = np.diff(crossings)
    # the first and last whole waves are a little shorter and longer than the limits
    assert 3.0 < waves[0] < 4.0 and 0.5 < waves[-1] < 0.53
    number = 1 / waves
    fit = np.polyfit(0.5 * (crossings[1:] + crossings[:-1]), number, 1)
    assert np.max(np.abs(np.polyval(fit, 0.5 * (crossings[1:] + crossings[:-1])) - number)) < 0.02


def test_friction_patches_and_split() -> None:
    road = Sum(
        base=Flat(), features=[*mu_split(1.0, 0.3, 0.0, 100.0), Patch(friction=0.1, radius=2.0, frame=Frame(x=50))]
    )
    assert road.query([10, 10, 50, -5], [1, -1, 1, -1]).friction.tolist() == [1.0, 0.3, 0.1, 1.0]
    box = Patch(friction=0.5, polygon=[(0, 0), (4, 0), (4, 2), (2, 1), (0, 2)])
    inside = Sum(base=Flat(), features=[box]).query([1, 2, 2, 5], [0.5, 0.5, 1.5, 1]).friction
    assert inside.tolist() == [0.5, 0.5, 1.0, 1.0]


def test_a_thousand_features_act_where_they_are() -> None:
    x, y = RNG.uniform(0, 500, 1000), RNG.uniform(-5, 5, 1000)
    holes = [round_pothole(0.05, 0.3, a, b) for a, b in zip(x, y, strict=True)]
    road = Sum(base=Flat(), features=holes)
    qx, qy = RNG.uniform(0, 500, 300), RNG.uniform(-5, 5, 300)
    r = np.hypot(qx[:, None] - x, qy[:, None] - y)
    expected = np.where(r < 0.3, -0.025 * (1 + np.cos(math.pi * r / 0.3)), 0.0).sum(axis=1)
    np.testing.assert_allclose(road.query(qx, qy).height, expected, atol=1e-12)


# --- lines ----------------------------------------------------------------------------------------------------------


def test_stations_and_offsets_on_a_circle() -> None:
    path = joined([(0.5 * math.pi * 50, 0.02, 0.02)])
    angle, radius = np.array([0.1, 0.7, 1.5]), np.array([46.0, 50.0, 53.0])
    # a left turn about (0, 50) from the origin
    sample = path.project(radius * np.sin(angle), 50 - radius * np.cos(angle))
    np.testing.assert_allclose(sample.station, 50 * angle, atol=1e-8)
    np.testing.assert_allclose(sample.offset, 50 - radius, atol=1e-8)
    np.testing.assert_allclose(sample.direction, np.column_stack([np.cos(angle), np.sin(angle)]), atol=1e-9)
    np.testing.assert_allclose(sample.curvature, 0.02, atol=1e-7)


def test_bank_and_kerbs_by_hand() -> None:
    road = LineRoad(
        path=Path.straight(100.0),
        left=4.0,
        right=3.0,
        bank=Curve.constant(0.05),
        friction=1.0,
        friction_right=0.8,
        kerb_left=Kerb.uniform(0.1, 0.5, 0.9, 0.0, 1.0, 0.6),
    )
    n = np.array([2.0, -2.0, 4.25, 5.0, 7.0])
    sample = road.query(50.0, n)
    np.testing.assert_allclose(sample.height, 0.05 * n + [0, 0, 0.025, 0.05, 0.05], atol=1e-12)
    assert sample.friction.tolist() == [1.0, 0.8, 0.9, 0.6, 0.6]
    assert sample.off_road.tolist() == [False, False, False, False, True]


def test_kerbs_whose_slopes_and_widths_change_along_the_road() -> None:
    """Slope and width of both strips are linear in s, on both sides; the height is their product, not straight."""
    table = {
        "left": ((0.10, 0.5, 0.9, -0.04, 1.0, 0.6), (0.20, 0.7, 0.8, 0.04, 1.4, 0.5)),
        "right": ((0.12, 0.4, 0.95, 0.03, 0.9, 0.65), (0.06, 0.6, 0.85, -0.05, 0.5, 0.55)),
    }
    ends = np.array([0.0, 300.0])
    kerbs = {f"kerb_{side}": Kerb(ends, *np.array(rows).T) for side, rows in table.items()}
    road = LineRoad(path=Path.straight(300.0), left=[(0, 3), (300, 5)], right=2.5, **kerbs)  # type: ignore[arg-type]
    rng = np.random.default_rng(8)
    s = np.concatenate([[150.0], rng.uniform(1.0, 299.0, 400)])
    part = s / 300.0
    for side, sign, edge in (("left", 1.0, 3 + 2 * part), ("right", -1.0, 2.5 + 0 * part)):
        first, last = (np.array(row)[:, None] for row in table[side])
        p1, w1, mu1, p2, w2, mu2 = first + part * (last - first)
        d = np.concatenate([[0.6], rng.uniform(0.0, 1.0, 400) * (w1 + w2)[1:]])
        inner = d <= w1
        height = np.where(inner, d * p1, w1 * p1 + (d - w1) * p2)
        sample = road.query(s, sign * (edge + d))
        # one micrometre for each strip between the stations that are put in
        np.testing.assert_allclose(sample.height, height, rtol=0, atol=2e-6)
        np.testing.assert_allclose(sample.friction[1:], np.where(inner, mu1, mu2)[1:], rtol=1e-9)  # first: at the edge
        assert not sample.off_road.any()
        assert road.query(s, sign * (edge + w1 + w2 + 1e-6)).off_road.all()
        if side == "left":
            assert sample.height[0] == pytest.approx(0.6 * 0.15, abs=1e-6)


@pytest.mark.parametrize(("side", "height"), [("widen", 0.5), ("hold", 0.2), ("none", NO_HEIGHT)])
def test_beside_the_road(side: str, height: float) -> None:
    road = LineRoad(path=Path.straight(100.0), left=4.0, right=4.0, bank=Curve.constant(0.05), side=side)
    sample = road.query(50.0, 10.0)
    assert sample.height == pytest.approx(height) and sample.off_road
    assert sample.no_ground == (side == "none")


@pytest.mark.parametrize(("end", "height"), [("hold", 1.0), ("zero", 0.0), ("extrapolate", 1.2), ("none", NO_HEIGHT)])
def test_beyond_the_end(end: str, height: float) -> None:
    road = LineRoad(path=Path.straight(100.0), height=Curve.linear([0, 100], [0, 1], "extrapolate"), end=end)
    sample = road.query(120.0, 0.0)
    assert sample.height == pytest.approx(height) and sample.off_road


def test_a_crossing_on_two_storeys() -> None:
    # a figure of eight whose second arm passes 6 m above the first
    t = np.linspace(0, 2 * math.pi, 161)[:-1]
    points = np.column_stack([100 * np.sin(t), 60 * np.sin(t) * np.cos(t), 3 - 3 * np.cos(t)])
    road = Path.from_points(points, closed=True, left=4.0, right=4.0).road()
    below, above = road.query(0.0, 0.0, 1.0), road.query(0.0, 0.0, 6.5)
    assert below.height == pytest.approx(0.0, abs=1e-6) and above.height == pytest.approx(6.0, abs=1e-6)
    assert road.query(0.0, 0.0).height == pytest.approx(6.0, abs=1e-6)
    near = road.query(1.0, 2.0, 1.0), road.query(1.0, 2.0, 6.5)
    assert near[0].height < 0.1 < 5.9 < near[1].height


def test_the_nearest_part_of_a_line_is_found_everywhere() -> None:
    rng = np.random.default_rng(5)
    angle = np.linspace(0, 2 * math.pi, 41)[:-1]
    radius = 200 * (1 + 0.3 * np.sin(3 * angle) + 0.15 * rng.standard_normal(40))
    path = Path.from_points(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), closed=True)
    fine = path.at(np.linspace(0, path.length, 200001))
    i = rng.integers(0, len(fine), 500)
    x, y = fine[i, 0] + rng.uniform(-6, 6, 500), fine[i, 1] + rng.uniform(-6, 6, 500)
    from scipy.spatial import cKDTree

    distance, _ = cKDTree(fine[:, :2]).query(np.column_stack([x, y]))
    # the fine points are 1 cm apart
    np.testing.assert_allclose(np.abs(path.project(x, y).offset), distance, atol=5e-3)


@pytest.mark.parametrize("radius", [3.0, 8.0])
def test_the_nearest_part_of_a_hairpin_is_found_on_both_sides(radius: float) -> None:
    """Inside of it a point has several feet; both arms belong to one part of the line."""
    path = joined([(30.0, 0.0, 0.0), (math.pi * radius, 1 / radius, 1 / radius), (30.0, 0.0, 0.0)])
    fine = path.at(np.linspace(0, path.length, 40001))[:, :2]
    rng = np.random.default_rng(3)
    x, y = rng.uniform(15, 30 + 2 * radius, 800), rng.uniform(-radius, 3 * radius, 800)
    from scipy.spatial import cKDTree

    distance, _ = cKDTree(fine).query(np.column_stack([x, y]))
    known = distance < 9.0  # beyond the reach of the index the nearest part is not promised
    # the fine points are 2 mm apart
    np.testing.assert_allclose(np.abs(path.project(x, y).offset)[known], distance[known], atol=2e-3)


# --- grids ----------------------------------------------------------------------------------------------------------


def test_a_straight_grid_is_bilinear() -> None:
    z = np.array([[0.0, 1.0, 0.0], [1.0, 3.0, 0.0]])
    road = GridRoad(z=z, du=2.0, v=np.array([-1.0, 0.0, 2.0]), x=10.0, heading=math.pi / 2)
    # u runs along +y from (10, 0), v to the left: −x
    u, v = np.array([1.0, 0.5, 1.0]), np.array([-0.5, 1.0, 2.0])
    sample = road.query(10.0 - v, u)
    np.testing.assert_allclose(sample.height, [1.25, 0.75, 0.0], atol=1e-12)
    # dz/du = 0.5 (3 − 1 + 1)/2 in the middle, along +y
    assert sample.slope_y[0] == pytest.approx(0.75) and sample.slope_x[0] == pytest.approx(-1.5)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("none", [NO_HEIGHT, NO_HEIGHT, NO_HEIGHT]),
        ("zero", [0.0, 0.0, 0.0]),
        ("hold", [4.0, 1.0, 4.0]),
        ("repeat", [2.0, 3.0, 3.5]),
        ("mirror", [3.0, 2.0, 1.5]),
    ],
)
def test_border_modes(mode: str, expected: list[float]) -> None:
    z = np.repeat(np.array([[1.0], [2.0], [3.0], [4.0]]), 2, axis=1)  # z = 1 + u over 0 … 3
    road = GridRoad(z=z, du=1.0, v=np.array([-1.0, 1.0]), border_u=mode)
    np.testing.assert_allclose(road.query([4.0, -1.0, 5.5], 0.0).height, expected, atol=1e-12)
    across = GridRoad(z=z.T.copy(), du=1.0, v=np.arange(4.0), border_v=mode)
    np.testing.assert_allclose(across.query(0.5, [4.0, -1.0, 5.5]).height, expected, atol=1e-12)
    uneven = GridRoad(z=np.array([[1, 2.5, 4]] * 2), du=1.0, v=np.array([0, 1.5, 3]), border_v=mode)
    np.testing.assert_allclose(uneven.query(0.5, [4.0, -1.0, 5.5]).height, expected, atol=1e-12)


@pytest.mark.parametrize("mode", ["hold", "repeat", "mirror", "zero"])
def test_uneven_columns_say_the_same_as_even_ones(mode: str) -> None:
    """A further column on the straight line between its neighbours changes nothing, also beyond the borders."""
    v = np.linspace(-1.5, 1.5, 7)
    u = 0.5 * np.arange(61)
    z = 0.05 * np.random.default_rng(4).standard_normal((61, 7))
    options = {"du": 0.5, "reference": 2 + 0.01 * u, "bank": 0.02 * np.sin(u / 20), "border_u": mode, "border_v": mode}
    even = GridRoad(z=z, v=v, **options)  # type: ignore[arg-type]
    between = 0.6 * z[:, 2] + 0.4 * z[:, 3]
    uneven = GridRoad(z=np.insert(z, 3, between, axis=1), v=np.insert(v, 3, -0.3), **options)  # type: ignore[arg-type]
    x, y = np.random.default_rng(5).uniform([-20, -4], [50, 4], (300, 2)).T
    a, b = even.query(x, y), uneven.query(x, y)
    np.testing.assert_allclose(a.height, b.height, rtol=0, atol=1e-12)
    assert np.array_equal(a.off_road, b.off_road) and (np.abs(y) > 1.5).sum() > 100
    if mode == "repeat":  # heights and bank by hand, where the columns begin again
        inside = even.query(10.3, 0.4)
        np.testing.assert_allclose(uneven.query(10.3, [3.4, -2.6]).height, inside.height, rtol=0, atol=1e-12)


def test_a_curved_grid_by_hand() -> None:
    # two segments of 1 m, the second turned to the left by 90 degrees: the normal between them is the diagonal
    z = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    road = GridRoad(z=z, du=1.0, v=np.array([-2.0, 2.0]), headings=np.array([0.0, math.pi / 2]))
    # on the first segment, half a metre to the left: from x = 0 to the diagonal at x = 0.5
    assert road.query(0.25, 0.5).height == pytest.approx(0.5, abs=1e-12)
    assert road.query(0.25, 0.5).offset == pytest.approx(0.5, abs=1e-12)
    # to the right the way is longer: to x = 1.5
    assert road.query(0.75, -0.5).height == pytest.approx(0.5, abs=1e-12)
    assert road.query(1.2, 0.5).height == pytest.approx(1.0 + (0.5 + 0.2) / (1 + 0.2), abs=1e-12)


def test_nan_in_a_grid_is_no_ground() -> None:
    z = np.zeros((4, 4))
    z[2, 2] = np.nan
    sample = GridRoad(z=z, du=1.0, v=np.arange(4.0)).query([0.5, 1.5], [0.5, 1.5])
    assert sample.no_ground.tolist() == [False, True]


def test_a_smooth_grid_passes_through_its_values_and_is_c1() -> None:
    x, y = np.arange(6.0), np.arange(5.0)
    z = RNG.standard_normal((6, 5))
    road = height_map(x, y, z)
    gx, gy = np.meshgrid(x, y, indexing="ij")
    np.testing.assert_allclose(road.query(gx, gy).height, z, atol=1e-12)
    for eps in (1e-9,):
        a, b = road.query(2.0 - eps, np.linspace(0, 4, 50)), road.query(2.0 + eps, np.linspace(0, 4, 50))
        np.testing.assert_allclose(a.slope_x, b.slope_x, atol=1e-7)
    plane = height_map(x, y, 0.3 * gx - 0.2 * gy)
    sample = plane.query(RNG.uniform(0, 5, 50), RNG.uniform(0, 4, 50))
    np.testing.assert_allclose(sample.slope_x, 0.3, atol=1e-12)
    np.testing.assert_allclose(sample.slope_y, -0.2, atol=1e-12)


# --- meshes ---------------------------------------------------------------------------------------------------------


def test_a_mesh_of_a_plane_is_the_plane() -> None:
    x, y = np.linspace(0, 50, 37), np.linspace(-4, 4, 11)
    points, triangles = grid_mesh(x, y, 0.1 * x[:, None] - 0.03 * y[None, :] + 1)
    road = MeshRoad(points=points, triangles=triangles[RNG.permutation(len(triangles))])
    qx, qy = RNG.uniform(0, 50, 1000), RNG.uniform(-4, 4, 1000)
    qx[:100], qy[:100] = RNG.choice(x, 100), RNG.choice(y, 100)  # also on edges and corners
    sample = road.query(qx, qy)
    np.testing.assert_allclose(sample.height, 0.1 * qx - 0.03 * qy + 1, atol=1e-9)
    np.testing.assert_allclose(sample.slope_x, 0.1, atol=1e-9)
    np.testing.assert_allclose(sample.slope_y, -0.03, atol=1e-9)
    assert not sample.off_road.any()


def test_the_winding_of_triangles_does_not_matter() -> None:
    road = hills()
    flipped = MeshRoad(points=road.points, triangles=road.triangles[:, ::-1].copy())
    x, y = places(road)
    np.testing.assert_allclose(flipped.query(x, y).height, road.query(x, y).height, atol=1e-12)


def test_beside_a_mesh() -> None:
    points = np.array([[0, 0, 1.0], [10, 0, 1.0], [10, 10, 2.0], [0, 10, 2.0]])
    triangles = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    held = MeshRoad(points=points, triangles=triangles).query([5.0, 15.0, 5.0], [-3.0, 5.0, 30.0])
    np.testing.assert_allclose(held.height, [1.0, 1.5, 2.0], atol=1e-12)
    np.testing.assert_allclose(held.slope_y, [0.0, 0.1, 0.0], atol=1e-12)
    assert held.off_road.all() and not held.no_ground.any()
    assert MeshRoad(points=points, triangles=triangles, hold=False).query(5.0, -3.0).no_ground


def test_a_bridge_carries_what_is_on_it() -> None:
    def plate(z: float) -> np.ndarray:
        return np.array([[0, 0, z], [10, 0, z], [10, 10, z], [0, 10, z]], dtype=float)

    points = np.vstack([plate(0.0), plate(5.0)])
    triangles = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]], dtype=np.int32)
    road = MeshRoad(points=points, triangles=triangles, material=np.array([1, 1, 2, 2], dtype=np.int32))
    sample = road.query(5.0, 4.0, [0.3, 4.0, 4.95, 6.0, -1.0])
    assert sample.height.tolist() == [0.0, 0.0, 5.0, 5.0, 0.0]
    assert sample.material.tolist() == [1, 1, 2, 2, 1]
    stacked = Stack(roads=[Flat(), Flat(frame=Frame(z=5.0), length=20.0, width=20.0)], storeys=True)
    assert stacked.query(0.0, 0.0, [1.0, 6.0]).height.tolist() == [0.0, 5.0]
    assert stacked.query(50.0, 0.0, [6.0]).height.tolist() == [0.0]


def test_mesh_check_finds_what_is_wrong() -> None:
    x, y = np.arange(6.0), np.arange(5.0)
    points, triangles = grid_mesh(x, y, np.zeros((6, 5)))
    assert check_mesh(points, triangles) == []
    assert next(f.kind for f in check_mesh(points, np.vstack([triangles, [[0, 0, 1]]]))) == "degenerate"
    assert "duplicate" in [f.kind for f in check_mesh(points, np.vstack([triangles, triangles[:1]]))]
    turned = triangles.copy()
    turned[7] = turned[7][::-1]
    assert [(f.kind, f.places) for f in check_mesh(points, turned)] == [("flipped", (7,))]
    inner = np.delete(triangles, [12, 13], axis=0)
    assert [f.kind for f in check_mesh(points, inner)] == ["hole"]


# --- the first that covers, outside roads, enveloping contact ---------------------------------------------------------


def test_the_first_road_that_covers_a_point() -> None:
    small = Flat(length=10.0, width=10.0, friction=0.2, frame=Frame(z=0.1))
    road = Stack(roads=[small, Flat(friction=0.9)])
    sample = road.query([0.0, 20.0], 0.0)
    assert sample.friction.tolist() == [0.2, 0.9] and sample.height.tolist() == [0.1, 0.0]


def test_an_outside_road_that_fails_says_so() -> None:
    def broken(x: float, y: float, z: float) -> list[float]:
        raise ValueError("no data here")

    with pytest.raises(ParameterError, match="no data here"):
        External(function=broken).query(0.0, 0.0)


def test_several_points_make_the_plane_between_them() -> None:
    plane = Flat(grade=0.1, bank=-0.2)
    for mode in ("points", "cams"):
        sample = Envelope(road=plane, mode=mode, heading=0.4, cam_length=1e-3, exponent=2.0).query(2.0, 1.0)
        assert sample.slope_x == pytest.approx(0.1, abs=1e-6) and sample.slope_y == pytest.approx(-0.2, abs=1e-6)
        assert sample.height == pytest.approx(0.0, abs=1e-4)
    # over a parabola z = x²: the mean of o² with the weight 3/(2l) (1 - (2o/l)²) is l²/20; slope 2 x
    parabola = Bump(profile=Curve(np.array([-9.0, 9.0]), np.array([[0, 81.0, -18.0, 1.0, 0, 0, 0]]), "hold"))
    sample = Envelope(road=parabola, length=0.4, n_long=5, n_wide=2).query(1.0, 0.0)
    assert sample.height == pytest.approx(1 + 0.4**2 / 20) and sample.slope_x == pytest.approx(2.0)


def test_tandem_cams_climb_a_step_before_they_reach_it() -> None:
    # a step of 2 cm: a circular cam of radius b touches its edge at a distance d with b − √(b² − d²) = 2 cm below it
    step = Bump(profile=Curve.linear([0.0, 1e-6], [0.0, 0.02]))
    b, spacing = 0.3, 0.1
    reach = math.sqrt(b**2 - (b - 0.02) ** 2)
    road = Envelope(
        road=step, mode="cams", length=spacing, n_long=60, n_wide=1, cam_length=b, cam_height=b, exponent=2.0
    )
    one = b / 60  # distance of the samples of a cam
    assert road.query(-0.5 * spacing - reach - one, 0.0).height == 0.0
    assert road.query(-0.5 * spacing - reach + 2 * one, 0.0).height > 0.0
    assert road.query(0.5, 0.0).height == pytest.approx(0.02)
    x = np.linspace(-0.4, 0.3, 2001)
    sample = road.query(x, 0.0)
    assert np.all(np.diff(sample.height) > -1e-3) and sample.slope_x.max() == pytest.approx(0.02 / spacing, rel=0.2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: GridRoad(z=np.zeros((1, 3)), du=1.0, v=np.arange(3.0)),
        lambda: GridRoad(z=np.zeros((3, 3)), du=0.0, v=np.arange(3.0)),
        lambda: GridRoad(z=np.zeros((3, 3)), du=1.0, v=np.array([0.0, 2.0, 1.0])),
        lambda: GridRoad(z=np.zeros((3, 3)), du=1.0, v=np.arange(3.0), border_u="loop"),
        lambda: MeshRoad(points=np.zeros((3, 3)), triangles=np.array([[0, 1, 3]], dtype=np.int32)),
        lambda: LineRoad(path=Path.straight(10.0), side="soft"),
        lambda: Patch(friction=-1.0),
        lambda: flat_top(1.0, 0.7),
        lambda: Curve.linear([0.0, 0.0], [1.0, 2.0]),
        lambda: Dish(profile=cosine_bump(0.1, -1.0)),
    ],
)
def test_nonsense_is_refused(make: object) -> None:
    with pytest.raises(ParameterError):
        make()  # type: ignore[operator]


def test_points_nowhere_give_nan_and_nothing_else() -> None:
    for road in ROADS.values():
        if isinstance(road, External):
            continue
        sample = road.query([math.nan, math.inf, 1e300, 1e9], [0.0, 0.0, 0.0, -1e9])
        assert np.isnan(sample.height[:3]).all() and np.isfinite(sample.height[3])


# --- grids along a line ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_grid_along_a_line_knows_its_curvature(sign: float) -> None:
    """A clothoid from κ = 0.004 to 0.03 1/m: by the turn of its segments, and zero beyond its ends."""
    du, n = 0.5, 121
    u = du * np.arange(n)
    kappa = sign * (0.004 + 0.026 * u / u[-1])
    middle = 0.5 * (u[1:] + u[:-1])
    headings = 0.8 + sign * (0.004 * middle + 0.013 * middle**2 / u[-1])
    road = GridRoad(z=np.zeros((n, 3)), du=du, v=np.array([-2.0, 0.0, 3.0]), headings=headings, x=40.0, y=-7.0)
    at = np.array([1, 30, 60, 90, 119])
    for offset in (-1.5, 2.5):
        x = road.nodes[at, 0] - offset * np.sin(0.5 * (headings[at - 1] + headings[at]))
        y = road.nodes[at, 1] + offset * np.cos(0.5 * (headings[at - 1] + headings[at]))
        # the curvature is straight between nodes; the foot of a point is at its node but for du² κ'
        np.testing.assert_allclose(road.query(x, y).curvature, kappa[at], atol=1e-5)
    ends = [road.nodes[0] - 9 * np.array([math.cos(0.8), math.sin(0.8)]), road.nodes[-1] + 9 * _unit(headings[-1])]
    assert [float(road.query(*p).curvature) for p in ends] == [0.0, 0.0]
    straight = GridRoad(z=np.zeros((n, 3)), du=du, v=np.array([-2.0, 0.0, 3.0]), heading=0.8)
    assert float(straight.query(3.0, 4.0).curvature) == 0.0


def _unit(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle)])


def test_a_closed_grid_is_curved_at_its_seam() -> None:
    n, du = 200, 1.0
    turn = 2 * math.pi / n
    headings = 3.1 + turn * np.arange(n)  # through ±π
    road = GridRoad(z=np.zeros((n + 1, 2)), du=du, v=np.array([-1.0, 1.0]), headings=headings, closed=True)
    for i in (0, 1, 57, n - 1):
        p = 0.5 * (road.nodes[i] + road.nodes[i + 1])
        assert float(road.query(*p).curvature) == pytest.approx(turn / du, rel=1e-9)
