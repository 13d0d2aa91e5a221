"""Enveloping contacts: what cams of a given shape make of planes, steps and bars in closed form, for any heading."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce as jn
from jounce import events
from jounce.files.roads import load_road
from jounce.road.block import Frame
from jounce.road.curve import Curve, Samples, cosine_bump, sine
from jounce.road.envelope import Envelope
from jounce.road.grid import GridRoad
from jounce.road.ground import PATCH_INPUTS, PatchService, aimed
from jounce.road.inputs import Raised
from jounce.road.line import Kerb, LineRoad
from jounce.road.mesh import MeshRoad, grid_mesh
from jounce.road.path import joined
from jounce.road.simple import Bump, Flat, Patch, Sum, cleat
from jounce.road.surface import Road
from jounce.symbolic import System
from jounce.vehicle.reading import load
from models import compiled, outputs_by_name, random_point, rotation_matrix

Array = npt.NDArray[np.float64]
RNG = np.random.default_rng(8)
H, W = 0.02, 0.05  # of the bar, m
EDGE = 2e-5  # m: about that far a search for an edge ends from it


def bar(**frame: float) -> Road:
    """An upright bar across x = 0 without end to both sides."""
    profile = Curve.linear([-0.5 * W - 1e-9, -0.5 * W, 0.5 * W, 0.5 * W + 1e-9], [0, H, H, 0], "zero")
    return Sum(base=Flat(), features=[Bump(profile=profile, frame=Frame(**frame))])


def drop(cam: Envelope, d: Array) -> Array:
    """Of the superellipse, from its equation."""
    r = np.minimum(np.abs(d) / cam.cam_length, 1.0)
    return np.asarray(cam.cam_height - cam.cam_height * (1 - r**cam.exponent) ** (1 / cam.exponent))


def steepness(cam: Envelope) -> tuple[float, float]:
    """Distance at which a cam touches the edge of the bar while it stands on the ground, and its slope there."""
    d = np.linspace(0, 0.999 * cam.cam_length, 1_000_001)
    i = int(np.argmax(drop(cam, d) > H))
    return float(d[i]), float((drop(cam, d[i : i + 1]) - drop(cam, d[i - 1 : i]))[0] / (d[1] - d[0]))


@pytest.mark.parametrize("mode", ["points", "cams"])
def test_a_plane_is_felt_as_it_is(mode: str) -> None:
    contact = Envelope(road=Flat(grade=0.1, bank=-0.2, friction=0.7), mode=mode)
    heading = RNG.uniform(-math.pi, math.pi, 50)
    x, y = RNG.uniform(-9, 9, (2, 50))
    sample = contact.query(x, y, heading=heading)
    np.testing.assert_allclose(sample.height, 0.1 * x - 0.2 * y, atol=1e-12)
    np.testing.assert_allclose(sample.slope_x, 0.1, atol=1e-12)
    np.testing.assert_allclose(sample.slope_y, -0.2, atol=1e-12)
    np.testing.assert_allclose(sample.friction, 0.7, rtol=1e-12)


@pytest.mark.parametrize("degrees", [0.0, 30.0, 60.0, 90.0, 180.0, 215.0])
def test_a_bar_crossed_at_an_angle(degrees: float) -> None:
    """Each cam stands on the ground, on the bar, or leans on its edge at the distance along the wheel."""
    cam = Envelope(road=bar(), mode="cams")
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x = np.linspace(-0.4, 0.4, 401) + 1e-4  # no row is on an edge itself
    rows = []
    for b in (-0.5 * cam.width, 0.5 * cam.width):
        for a in (-0.5 * cam.length, 0.5 * cam.length):
            away = np.maximum(np.abs(x + a * c - b * s) - 0.5 * W, 0.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                along = np.where(away > 0, away / abs(c) if abs(c) > 1e-9 else np.inf, 0.0)
            rows.append(np.maximum(0.0, H - np.where(along < 0.999 * cam.cam_length, drop(cam, along), np.inf)))
    behind_right, before_right, behind_left, before_left = rows
    along_slope = 0.5 * (before_right - behind_right + before_left - behind_left) / cam.length
    across_slope = 0.5 * (before_left - before_right + behind_left - behind_right) / cam.width
    sample = cam.query(x, 3.0, heading=math.radians(degrees))
    reach = EDGE * steepness(cam)[1]
    np.testing.assert_allclose(sample.height, np.mean(rows, axis=0), atol=reach)
    np.testing.assert_allclose(sample.slope_x * c + sample.slope_y * s, along_slope, atol=2 * reach / cam.length)
    np.testing.assert_allclose(sample.slope_y * c - sample.slope_x * s, across_slope, atol=2 * reach / cam.width)
    assert sample.height.max() > 0.4 * H


@pytest.mark.parametrize("exponent", [1.8, 2.0, 2.5])
def test_length_and_height_of_the_basic_curve(exponent: float) -> None:
    """A bar of width W is felt over W + l_s + 2 d with the drop H at d; half its height when one row stands on it."""
    cam = Envelope(road=bar(), mode="cams", exponent=exponent, length=0.16)
    d, slope = steepness(cam)
    x = np.linspace(-0.4, 0.4, 80_001)
    height = cam.query(x, 0.0, heading=0.0).height
    felt = x[height > 1e-6]
    # at both ends: the edge (beyond half a cam samples are 20 mm apart), the places asked, the height that counts
    assert felt[-1] - felt[0] == pytest.approx(W + cam.length + 2 * d, abs=2 * (2 * EDGE + 1e-5 + 2e-6 / slope))
    middle = cam.query(0.0, 0.0, heading=0.0).height
    lean = max(0.0, H - float(drop(cam, np.array([0.5 * (cam.length - W)]))[0]))
    assert middle == pytest.approx(lean, abs=EDGE * slope)
    # over one row the bar carries it, the other one leans on the far edge or stands
    single = cam.query(-0.5 * cam.length, 0.0, heading=0.0)
    other = max(0.0, H - float(drop(cam, np.array([cam.length - 0.5 * W]))[0]))
    assert single.height == pytest.approx(0.5 * (H + other), abs=EDGE * slope)
    assert single.slope_x == pytest.approx((H - other) / cam.length, abs=2 * EDGE * slope / cam.length)


def rough() -> Samples:
    return Samples(0.0, 0.1, 0.004 * RNG.standard_normal(1400))


def roads() -> dict[str, Road]:
    path = joined([(30.0, 0.0, 0.0), (20.0, 0.0, 0.03), (60.0, 0.03, -0.02)], z=lambda s: 0.02 * s + np.sin(s / 15))
    u, v = 0.05 * np.arange(1200), np.linspace(-2.5, 2.5, 51)
    z = 0.01 * np.sin(u / 0.4)[:, None] * np.cos(2 * v) + 0.002 * RNG.standard_normal((1200, 51))
    curved = GridRoad(
        z=z.astype(np.float32), du=0.05, v=v, headings=0.02 * u[:-1], reference=0.03 * u, bank=0.02 * u / 60
    )
    points, triangles = grid_mesh(
        np.linspace(0, 60, 400), np.linspace(-8, 8, 110), 0.02 * RNG.standard_normal((400, 110))
    )
    bumps = [
        Bump(profile=cosine_bump(0.05, 0.8), window=cosine_bump(1.0, 3.0), frame=Frame(x=20.0, y=1.0, heading=0.4)),
        Patch(friction=0.3, length=6.0, width=3.0, edge=0.5, frame=Frame(x=18.0, heading=0.2)),
        Bump(profile=sine(0.01, 0.5, 30.0), frame=Frame(x=5.0)),
    ]
    lines = {"path": path, "bank": Curve.step5([0.0, 60.0], [0.0, 0.1]), "unevenness": (rough(), rough())}
    return {
        "features": Sum(
            base=Flat(grade=0.05), features=bumps, frame=Frame(x=1.0, z=0.5, heading=0.3, height_scale=0.8)
        ),
        "line": LineRoad(left=4.0, right=4.0, friction=[(0.0, 1.0), (100.0, 0.4)], friction_right=0.8, **lines),
        "held": LineRoad(left=0.6, right=0.4, side="hold", frame=Frame(x=2.0, heading=-0.2), **lines),
        "kerbs": LineRoad(left=0.5, right=4.0, kerb_left=Kerb.uniform(0.1, 0.5, 0.9, -0.05, 0.7, 0.6), **lines),
        "grid": curved,
        "smooth grid": GridRoad(z=z, du=0.05, v=v, cubic=True, frame=Frame(heading=0.5)),
        "mesh": MeshRoad(points=points, triangles=triangles),
    }


ROADS = roads()


def rests(road: Road, cam: Envelope, x: float, y: float, heading: float) -> tuple[float, float, float]:
    """The effective plane of cams from single questions to the road, 0.1 mm apart."""
    tx, ty = math.cos(heading), math.sin(heading)
    o, rows = cam.way, []
    n = len(o)
    d = np.arange(-2997, 2998) / 2997 * 0.999 * cam.cam_length
    below = drop(cam, d)
    for b in (-0.5 * cam.width, 0.5 * cam.width):
        z = road.query(x - b * ty + o * tx, y + b * tx + o * ty).height
        back, front = (z[n // 2] - z[0]) / (o[n // 2] - o[0]), (z[-1] - z[n // 2]) / (o[-1] - o[n // 2])
        g = 0.0 if back * front <= 0 else min(back, front, key=abs)
        for row in (-0.5 * cam.length, 0.5 * cam.length):
            fine = road.query(x - b * ty + (row + d) * tx, y + b * tx + (row + d) * ty).height
            rows.append(float(np.max(fine - g * d - below)))
    r1, f1, r2, f2 = rows
    along, across = 0.5 * (f1 - r1 + f2 - r2) / cam.length, 0.5 * (r2 - r1 + f2 - f1) / cam.width
    return float(np.mean(rows)), along * tx - across * ty, along * ty + across * tx


def places(road: Road, n: int) -> tuple[Array, Array]:
    if isinstance(road, LineRoad):
        s, o = RNG.uniform(2, road.path.length - 2, n), RNG.uniform(-1.5, 1.5, n)
        p, phi = road.path.at(s), road.path.at(s, "heading")
        return road.frame.to_world(p[:, 0] - o * np.sin(phi), p[:, 1] + o * np.cos(phi))
    if isinstance(road, GridRoad):
        i, o = RNG.integers(20, 1180, n), RNG.uniform(-2, 2, n)
        phi = np.zeros(n) if road.headings is None else road.headings[i]
        return road.frame.to_world(road.nodes[i, 0] - o * np.sin(phi), road.nodes[i, 1] + o * np.cos(phi))
    return RNG.uniform(5, 35, n), RNG.uniform(-5, 5, n)


@pytest.mark.parametrize("name", ROADS)
def test_heights_along_a_patch_are_those_of_single_points(name: str) -> None:
    road = ROADS[name]
    cam = Envelope(road=road, mode="cams")
    for x, y in zip(*places(road, 40), strict=True):
        heading = RNG.uniform(-math.pi, math.pi)
        expected = rests(road, cam, x, y, heading)
        found = cam.query(x, y, heading=heading)
        # along lines stations between three samples are those of a parabola: o³ κ² = 2e-5 m in bends of 33 m and on
        # grids, whose segments are straight, du κ o = 4e-4 m of station; times slopes of up to 0.1
        assert float(found.height) == pytest.approx(expected[0], abs=4e-5)
        assert [float(found.slope_x), float(found.slope_y)] == pytest.approx(expected[1:], abs=2 * 4e-5 / cam.length)


def obstacles() -> dict[str, tuple[Road, float]]:
    """Roads that change along x only, and how near to the exact height an answer must be, m."""

    def on(*features: Road) -> Road:
        return Sum(base=Flat(), features=features)

    def step(height: float) -> Road:
        return on(Bump(profile=Curve.linear([-1e-9, 1e-9], [0.0, height], "hold")))

    return {
        "cleat": (on(cleat()), 1e-4),
        "short bump": (on(Bump(profile=cosine_bump(0.0062, 0.1))), 2e-5),
        "high bump": (on(Bump(profile=cosine_bump(0.03, 0.1))), 2e-5),
        "long bump": (on(Bump(profile=cosine_bump(0.05, 0.4))), 2e-5),
        "up": (step(0.02), 1e-4),
        "down": (step(-0.02), 1e-4),
    }


OBSTACLES = obstacles()
PLACES = np.arange(-0.33, 0.31, 0.007) + 3.7e-4


@pytest.mark.parametrize("name", OBSTACLES)
@pytest.mark.parametrize("degrees", [0.0, 25.0, 160.0])
def test_cams_rest_where_they_would_rest_on_every_tenth_of_a_millimetre(name: str, degrees: float) -> None:
    road, near = OBSTACLES[name]
    cam, heading = Envelope(road=road, mode="cams"), math.radians(degrees)
    found = cam.query(PLACES, 0.0, heading=heading)
    expected = np.array([rests(road, cam, x, 0.0, heading) for x in PLACES])
    assert np.abs(found.height - expected[:, 0]).max() < near
    assert np.abs(found.slope_x - expected[:, 1]).max() < 4 * near / cam.length  # of rows 2/l_s, of sides 2/w


def smoothed(road: Road, patch: Envelope, x: Array, heading: float) -> Array:
    """Mean over the patch with the weight (1 - (2a/l)²)(1 - (2b/w)²): values in the middle of 800 by 400 parts."""
    a = patch.length * ((np.arange(800) + 0.5) / 800 - 0.5)
    b = patch.width * ((np.arange(400) + 0.5) / 400 - 0.5)
    wa, wb = 1 - (2 * a / patch.length) ** 2, 1 - (2 * b / patch.width) ** 2
    t = np.linspace(-0.6, 0.6, 60_001)
    z = road.query(t, 0.0).height
    along = a[None, :] * math.cos(heading) - b[:, None] * math.sin(heading)
    return np.array([wb @ np.interp(at + along, t, z) @ wa for at in x]) / (wa.sum() * wb.sum())


@pytest.mark.parametrize(
    ("name", "degrees"),
    [
        *((name, angle) for name in OBSTACLES for angle in (0.0, 25.0)),
        ("long bump", 90.0),
        ("up", 90.0),
        ("down", 90.0),
    ],
)
def test_points_are_a_mean_over_the_patch_and_its_slope(name: str, degrees: float) -> None:
    """The plane's slope is the derivative of its height, so a wheel that rolls on it feels what it climbs."""
    road, near = OBSTACLES[name]
    patch, heading = Envelope(road=road, mode="points"), math.radians(degrees)
    x = PLACES[np.abs(PLACES) < 0.2][::3]
    found = patch.query(x, 0.0, heading=heading)
    assert np.abs(found.height - smoothed(road, patch, x, heading)).max() < near
    h = 2e-3
    less, more = (smoothed(road, patch, x + step, heading) for step in (-h, h))
    # the second derivative of a mean over a step jumps by 12 H/l²·h/4 where one of the ends comes to it
    jump = 3 * 0.02 / min(patch.length, patch.width) ** 2 * h
    assert np.abs(found.slope_x - (more - less) / (2 * h)).max() < jump + 4 * near / patch.width


@pytest.mark.parametrize("mode", ["points", "cams"])
@pytest.mark.parametrize("name", OBSTACLES)
def test_nothing_jumps_while_a_wheel_rolls_on(mode: str, name: str) -> None:
    road, near = OBSTACLES[name]
    contact = Envelope(road=road, mode=mode)
    x = np.arange(-0.35, 0.35, 1e-4)
    height = contact.query(x, 0.0, heading=0.1).height
    # nothing is steeper than the weight of an edge, 3/(2l) H, a cam at its edge, or the bump itself
    steepest = 1.0 if name == "high bump" else 0.5
    assert np.abs(np.diff(height)).max() < steepest * 1e-4 + 0.5 * near


def test_friction_of_points_changes_steadily() -> None:
    ice = Patch(friction=0.1, length=2.0, width=50.0, frame=Frame(x=1.0))
    contact = Envelope(road=Sum(base=Flat(), features=[ice]))
    x = np.linspace(-0.08, 0.08, 161)
    q = np.clip(2 * x / contact.length, -1, 1)
    expected = 1 - 0.9 * (0.5 + 0.75 * (q - q**3 / 3))
    np.testing.assert_allclose(contact.query(x, 0.0, heading=0.0).friction, expected, atol=2e-3)


def test_friction_is_that_where_the_contact_is() -> None:
    ice = Patch(friction=0.1, length=2.0, width=50.0, frame=Frame(x=3.0))
    contact = Envelope(road=Sum(base=Flat(), features=[ice]), mode="cams")
    assert contact.query([0.0, 3.0], 0.0, heading=0.5).friction.tolist() == [1.0, 0.1]
    assert contact.query(2.0, 0.0, heading=0.0).friction == pytest.approx(0.55)  # one row on it


def test_without_a_heading_the_patch_lies_along_the_road() -> None:
    line = ROADS["line"]
    assert isinstance(line, LineRoad)
    s = np.array([20.0, 60.0, 90.0])
    p, phi = line.path.at(s), line.path.at(s, "heading")
    contact = Envelope(road=line, mode="cams")
    told, own = contact.query(p[:, 0], p[:, 1], heading=phi), contact.query(p[:, 0], p[:, 1])
    np.testing.assert_allclose(own.height, told.height, atol=1e-9)
    np.testing.assert_allclose(own.slope_x, told.slope_x, atol=1e-6)


@pytest.mark.parametrize("mode", ["points", "cams"])
@pytest.mark.parametrize("size", [1.0, 3.0])
def test_derivatives_are_those_of_the_values(mode: str, size: float) -> None:
    waves = Sum(base=Flat(), features=[Bump(profile=sine(0.03, 4.0, 40.0), frame=Frame(x=-20.0, heading=0.3))])
    contact = Envelope(road=waves, mode=mode)
    h = 1e-3
    for x, y, heading in RNG.uniform(-3, 3, (10, 3)):
        u, v = size * math.cos(heading), size * math.sin(heading)
        values, rates = contact.derivatives(x, y, 0.0, (u, v))
        point = contact.query(x, y, heading=heading)
        assert values[:3] == pytest.approx([float(point.height), float(point.slope_x), float(point.slope_y)], abs=1e-15)
        assert not rates[:, 2].any()
        for column, step in ((0, (h, 0, 0, 0)), (1, (0, h, 0, 0)), (3, (0, 0, h, 0)), (4, (0, 0, 0, h))):
            more, less = (
                contact.derivatives(x + i * step[0], y + i * step[1], 0.0, (u + i * step[2], v + i * step[3]))[0]
                for i in (1, -1)
            )
            tolerance = 2e-3 if mode == "points" else 0.03
            assert rates[:, column] == pytest.approx((more - less) / (2 * h), abs=tolerance)
        # the length of the direction does not matter
        assert rates[:, 3] * u + rates[:, 4] * v == pytest.approx(np.zeros(4), abs=1e-12)


def test_no_direction_asks_for_the_point() -> None:
    road = ROADS["line"]
    contact = Envelope(road=road, mode="cams")
    for x, y in zip(*places(road, 5), strict=True):
        a, b = contact.derivatives(x, y, 50.0, (0.0, 0.0)), road.derivatives(x, y, 50.0)
        assert np.array_equal(a[0], b[0]) and np.array_equal(a[1][:, :3], b[1]) and not a[1][:, 3:].any()


# --- models -----------------------------------------------------------------------------------------------------------

PLACE, AXIS = (0.3, 0.7, -0.2), (0.1, 0.98, 0.17)


def test_a_wheel_says_where_it_points_also_through_what_wraps_the_ground() -> None:
    system = System("patch")
    body = system.free("body")
    system.body("body", body.frame, 1.0, (1.0, 1.0, 1.0))
    ground = PatchService.declare(system)
    raised = Raised(ground, 0.1)
    for name, used in (("wheel", aimed(raised, body.frame, AXIS)), ("body", raised)):
        surface = used.under(body.frame, PLACE)
        system.output(name, surface.height, "m")
    sim = compiled(system)
    assert (ground.handle.n_in, ground.handle.n_out) == (len(PATCH_INPUTS), 4)
    asked: list[Array] = []

    def road(at: Array, order: int) -> Array:
        asked.append(at)
        return np.array([100.0 * at[3] + 10.0 * at[4], 0.0, 0.0, 1.0])

    sim.bind("ground", road)
    x, u = random_point(sim, 3, 1.0)
    found = outputs_by_name(sim, sim.outputs(x=x, u=u))
    names = [v.name for v in sim.model.states]
    start = names.index("body.x")
    turned = rotation_matrix(x[sim.model.quaternions[0] : sim.model.quaternions[0] + 4])
    z = (x[start : start + 3] + turned @ PLACE)[2]
    left = turned @ AXIS
    forward = np.cross(left, [0.0, 0.0, 1.0])  # in plan
    assert found["wheel"] == pytest.approx(z - 0.1 - (100.0 * forward[0] + 10.0 * forward[1]), abs=1e-11)
    assert found["body"] == pytest.approx(z - 0.1, abs=1e-12)
    assert len(asked) == 2


def over_a_bar(heading: float, contact: str) -> Any:
    """A car runs over a bar; both turned by the same angle."""
    c, s = math.cos(heading), math.sin(heading)
    road = Sum(
        base=Flat(), features=[Bump(profile=cosine_bump(0.03, 0.1), frame=Frame(x=3 * c, y=3 * s, heading=heading))]
    )
    event = events.StepSteer(
        amplitude="0 deg", speed="30 km/h", start_time=0.1, end_time=0.6, heading=heading, contact=contact
    )
    return jn.run(load("sedan"), event, road=road, step=5e-4, interval=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("contact", ["points", "cams"])
def test_a_car_feels_the_same_whatever_its_heading(contact: str) -> None:
    """On a plane no direction of a road tells how the patch lies: only the wheel does."""
    name = "Tire.Ground_Surface_Force_Z.L1"
    run = over_a_bar(0.0, contact)
    straight, turned = run[name], over_a_bar(math.radians(50.0), contact)[name]
    assert np.ptp(straight) > 2000.0
    # a patch feels the bar, which begins at 2.95 m, before the middle of the wheel is there
    early = run["Wheel.Global_X.L1"] < 2.93
    assert np.ptp(straight[early]) > 200.0
    # samples see the bar at places that differ by rounding only; a maximum may change its sample: 40 µm by 250 N/mm
    assert np.abs(straight - turned).max() < 0.01 * np.ptp(straight)


def test_a_road_by_name_is_smoothed() -> None:
    """The chamfered bar of the library is felt over a longer way and lower than it is."""
    cleat = load_road("cleat")
    x = np.linspace(49.5, 50.5, 2001)
    plain, felt = cleat.query(x, 0.0).height, Envelope(road=cleat, mode="cams").query(x, 0.0, heading=0.0).height
    assert (felt > 1e-4).sum() > 2 * (plain > 1e-4).sum() and felt.max() < plain.max()
