"""Cones: distances against polygons put together otherwise, what passes between samples, gates, figures of runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jounce.results.key_figures.cones import (
    BASE,
    RADIUS,
    YAW,
    Passing,
    Rectangle,
    X,
    Y,
    crossings,
    hits,
    kept,
    of_discs,
    of_run,
    of_squares,
    tires,
    verdict,
)
from jounce.results.run import Run
from jounce.road.courses import iso_3888_1

FRONT, REAR, WIDTH = 0.9, 3.7, 1.8


def standing(x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Rectangle:
    return Rectangle(np.zeros(1), np.array([x]), np.array([y]), np.array([yaw]), FRONT, REAR, WIDTH)


def corners_of(x: float, y: float, yaw: float, front: float, rear: float, width: float) -> list[complex]:
    """Counter-clockwise, as complex numbers."""
    turn = complex(math.cos(yaw), math.sin(yaw))
    half = 0.5 * width
    return [complex(x, y) + turn * c for c in (complex(front, half), complex(-rear, half), complex(-rear, -half),
                                               complex(front, -half))]  # fmt: skip


def clipped(polygon: list[complex], by: list[complex]) -> list[complex]:
    """The part of a polygon inside a convex one (Sutherland, Hodgman 1974): another way than separating normals."""
    for a, b in zip(by, by[1:] + by[:1], strict=True):

        def left_of(p: complex, a: complex = a, b: complex = b) -> float:
            return ((b - a).conjugate() * (p - a)).imag

        result = []
        for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            sp, sq = left_of(p), left_of(q)
            if sp >= 0:
                result.append(p)
            if (sp >= 0) != (sq >= 0):
                result.append(p + (q - p) * sp / (sp - sq))
        polygon = result
        if not polygon:
            break
    return polygon


def to_polygon(p: complex, polygon: list[complex]) -> float:
    """Distance of a point from a polygon's edge, negative inside, edge by edge."""
    edges = list(zip(polygon, polygon[1:] + polygon[:1], strict=True))
    nearest = math.inf
    for a, b in edges:
        share = min(max(((p - a) * (b - a).conjugate()).real / abs(b - a) ** 2, 0.0), 1.0)
        nearest = min(nearest, abs(p - a - share * (b - a)))
    inside = all(((b - a).conjugate() * (p - a)).imag >= 0 for a, b in edges)
    return -nearest if inside else nearest


def test_distance_of_a_disc_from_a_turned_rectangle() -> None:
    """Against a polygon in the plane, on all sides and corners, at four headings and places."""
    rng = np.random.default_rng(3)
    for x, y, yaw in ((0, 0, 0), (12.0, -7.0, 0.4), (-3.0, 2.0, -2.1), (5.0, 5.0, math.pi)):
        places = np.column_stack([x + rng.uniform(-6, 4, 60), y + rng.uniform(-4, 4, 60)])
        found = of_discs(standing(x, y, yaw), places).distance
        body = corners_of(x, y, yaw, FRONT, REAR, WIDTH)
        expected = [to_polygon(complex(*p), body) - RADIUS for p in places]
        np.testing.assert_allclose(found, expected, atol=1e-12)  # rounding of a few operations at 10 m


@pytest.mark.parametrize(
    ("place", "distance"),
    [
        ((FRONT + RADIUS, 0.3), 0.0),  # touches the front
        ((-REAR - RADIUS, -0.3), 0.0),  # the rear
        ((-1.0, 0.5 * WIDTH + RADIUS), 0.0),  # the left side
        ((-1.0, -0.5 * WIDTH - RADIUS), 0.0),  # the right side
        ((FRONT + 0.6 * RADIUS, 0.5 * WIDTH + 0.8 * RADIUS), 0.0),  # a corner: 3-4-5
        ((-REAR - 0.8 * RADIUS, -0.5 * WIDTH - 0.6 * RADIUS), 0.0),
        ((FRONT + RADIUS + 1e-6, 0.3), 1e-6),  # misses it by a micrometre
        ((-1.0, -0.5 * WIDTH - RADIUS - 1e-6), 1e-6),
        ((-1.0, 0.5 * WIDTH + RADIUS - 0.02), -0.02),
    ],
)
def test_touching_is_a_hit_and_a_near_miss_is_none(place: tuple[float, float], distance: float) -> None:
    for yaw in (0.0, 0.7, -1.9):
        turn = complex(math.cos(yaw), math.sin(yaw))
        at = complex(30.0, -4.0) + turn * complex(*place)
        found = of_discs(standing(30.0, -4.0, yaw), np.array([[at.real, at.imag]]))
        assert found.distance[0] == pytest.approx(distance, abs=1e-12)
        assert bool(np.isfinite(found.first[0])) is (distance <= 0.0)


def test_cones_have_the_size_of_those_of_the_courses() -> None:
    """Bodies of 0.184 m across at the height of a car on base plates of 0.3 m."""
    beside = 0.5 * WIDTH
    for aside, disc, base in (
        (0.0915, True, True),
        (0.0925, False, True),
        (0.1495, False, True),
        (0.1505, False, False),
    ):
        places = np.array([[-1.0, beside + aside]])
        assert bool(of_discs(standing(), places).distance[0] < 0) is disc
        assert bool(of_squares(standing(), places, 0.0).distance[0] < 0) is base


def test_squares_and_contacts_overlap_as_polygons_do() -> None:
    """Hit or not as clipping the polygons says, for 400 places; those within a micrometre of the edge are left out."""
    rng = np.random.default_rng(11)
    patch = Rectangle(np.zeros(1), np.zeros(1), np.zeros(1), np.array([0.35]), 0.09, 0.07, 0.22)
    own = corners_of(0, 0, 0.35, 0.09, 0.07, 0.22)
    for heading in (0.0, 0.5, -2.7):
        places = rng.uniform(-0.5, 0.5, (400, 2))
        found = of_squares(patch, places, heading)
        for p, distance, first in zip(places, found.distance, found.first, strict=True):
            square = corners_of(p[0], p[1], heading, BASE, BASE, 2 * BASE)
            if abs(distance) > 1e-6:
                assert bool(clipped(own, square)) is bool(distance < 0) is bool(np.isfinite(first))


def test_the_depth_of_an_overlap_is_the_least_way_out() -> None:
    patch = Rectangle(np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1), 0.1, 0.1, 0.2)
    found = of_squares(patch, np.array([[0.24, 0.05], [0.03, -0.23], [0.25, 0.0]]), 0.0)
    np.testing.assert_allclose(found.distance, [-0.01, -0.02, 0.0], atol=1e-12)


def test_nothing_passes_between_samples() -> None:
    """A row every metre; a side touches a cone for some centimetres between two of them, or misses it by as little."""
    time, dense = np.linspace(0, 1, 31), np.linspace(0, 1, 30001)
    out = 0.1 + RADIUS

    def passing(time: np.ndarray, depth: float) -> Passing:
        car = Rectangle(time, 30 * time, 0.01 * np.abs(time - 0.35), 0.2 * (time - 0.35), 0.2, 0.2, 0.2)
        return of_discs(car, np.array([[10.5, out - depth]]))

    for depth in (0.016, -0.004):
        found, fine = passing(time, depth), passing(dense, depth)
        # a piece of 0.1 m turns by 0.7 mrad: the way of the cone in it departs from a straight line by less than the
        # product; and the corner of |t| in the second row lies between two rows of the first, 0.01 * 0.017 m away
        assert found.distance[0] == pytest.approx(fine.distance[0], abs=0.1 * 0.7e-3 + 0.01 * 0.017)
        assert bool(np.isfinite(found.first[0])) is (depth > 0)
        if depth > 0:
            assert found.first[0] == pytest.approx(fine.first[0], abs=1e-4)
            assert found.first[0] < found.when[0]
            assert not np.any(np.abs(time - found.when[0]) < 1e-3)  # no row is there


def test_when_a_moving_car_first_touches() -> None:
    """Straight ahead at 20 m/s: the front meets the disc when it is RADIUS before its centre."""
    time = np.linspace(0, 2, 201)
    car = Rectangle(time, 20 * time, np.zeros(201), np.zeros(201), FRONT, REAR, WIDTH)
    found = of_discs(car, np.array([[25.0, 0.2], [25.0, -0.95], [25.0, 1.2]]))
    assert found.first[0] == pytest.approx((25 - RADIUS - FRONT) / 20, abs=1e-7)
    # beside the side by 0.05 m the corner meets the disc where its chord begins
    assert found.first[1] == pytest.approx((25 - math.sqrt(RADIUS**2 - 0.05**2) - FRONT) / 20, abs=1e-7)
    assert math.isnan(found.first[2])
    assert found.distance[2] == pytest.approx(1.2 - 0.9 - RADIUS, abs=1e-9)


def test_gates_are_passed_between_their_cones() -> None:
    left, right = np.array([[10.0, 1.5], [20.0, 1.5], [30.0, 1.0]]), np.array([[10.0, -1.5], [20.0, -1.5], [30.0, 0.5]])
    x = np.linspace(0, 25, 101)
    row, share = crossings(x, 0.1 * x, left, right)
    assert share[:2] == pytest.approx([2.5 / 3, 3.5 / 3])
    assert math.isnan(row[2])
    back, _ = crossings(x[::-1], 0.1 * x, left, right)  # the wrong way round
    assert np.isnan(back).all()


# --- figures of a run -------------------------------------------------------------------------------------------------


def driven(
    offset: float = 0.0, *, mirror: bool = False, at: tuple[float, float, float] = (0.0, 0.0, 0.0), until: float = 240.0
) -> Run:
    """A run along the middle of ISO 3888-1 for a car of 1.9 m, moved to its left, without dynamics."""
    course = iso_3888_1(1.9, run_out=100.0)
    course = course.mirrored() if mirror else course
    path = course.path.moved(at[0], at[1], heading=at[2])
    keep = path.s <= until
    aside = -offset if mirror else offset
    x, y = path.x - aside * np.sin(path.heading), path.y + aside * np.cos(path.heading)
    time = path.s / 20.0
    channels = {
        X: x, Y: y, YAW: path.heading, "chassis_velocities.longitudinal": np.full(len(time), 20.0),
        "chassis_velocities.lateral": np.zeros(len(time)), "Vehicle_States.speed": np.full(len(time), 20.0),
    }  # fmt: skip
    wheels = {"L1": (0.0, 0.8), "R1": (0.0, -0.8)}
    for wheel, (ahead, side) in wheels.items():
        c, s = np.cos(path.heading), np.sin(path.heading)
        channels[f"Road.Contact_Patch_Global_X.{wheel}"] = x + c * ahead - s * side
        channels[f"Road.Contact_Patch_Global_Y.{wheel}"] = y + s * ahead + c * side
        channels[f"Tire.Effective_Penetration.{wheel}"] = np.full(len(time), 0.02)
    units = dict.fromkeys(channels, "m") | {YAW: "rad"}
    units |= {name: "m/s" for name in channels if "velocit" in name or "speed" in name}
    kept = {
        "name": "iso_3888_1", "variant": "iso_3888_1", "heading": at[2], "cones": course.cones(*at).tolist(),
        "size": {"front": 0.9, "rear": 3.7, "width": 1.9},
        "tires": {wheel: {"radius": 0.33, "width": 0.22} for wheel in wheels},
    }  # fmt: skip
    metadata: dict[str, Any] = {
        "event": {"kind": "double-lane-change", "parameters": {"speed": [20.0, "m/s"]}},
        "status": "complete",
        "cones": kept,
    }
    return Run(time[keep], {k: v[keep] for k, v in channels.items()}, units, metadata)


def test_a_run_in_the_middle_hits_nothing() -> None:
    run = driven()
    figures = of_run(run)
    assert figures["cones_hit"] == (0.0, "-")
    assert figures["gates_missed"] == (0.0, "-")
    # the first lane is the narrowest beside the body: half of 1.1 w + 0.25 + 0.30 less half the body and the disc
    assert 0 < figures["cone_clearance"][0] < 0.5 * (1.1 * 1.9 + 0.55) - 0.95 - RADIUS + 1e-9
    assert figures["entry_speed"][0] == pytest.approx(72.0)
    assert figures["exit_speed"][0] == pytest.approx(72.0)
    assert verdict(run).word == "pass"


@pytest.mark.parametrize("offset", [0.4, -0.4])
def test_a_run_aside_hits_cones_of_that_side(offset: float) -> None:
    found = hits(driven(offset))
    assert found and {h.side for h in found if h.gate <= 3} == {"left" if offset > 0 else "right"}
    # deepest is the tire, 0.8 + 0.11 m out, in the plate: 0.15 m of it stand inside the centres of 1.1 w + 0.55
    beside = [h for h in found if h.gate == 2]
    assert beside[0].depth == pytest.approx(0.4 + 0.91 + 0.15 - 0.5 * (1.1 * 1.9 + 0.55), abs=2e-3)
    told = verdict(driven(offset))
    assert told.word == "fail" and f"cone {found[0].cone} (gate {found[0].gate}, {found[0].side})" in told.reason


def test_tires_touch_base_plates_before_the_body_touches_cones() -> None:
    """The tire reaches 0.91 m out, the body 0.95 m; plates reach 0.15 m in, discs 0.092 m."""
    half = 0.5 * (1.1 * 1.9 + 0.55)
    plate, disc = half - 0.15 - 0.91, half - RADIUS - 0.95
    assert plate < disc
    found = hits(driven(0.5 * (plate + disc)))
    assert {h.by for h in found if h.gate <= 3} == {"tire L1"}
    assert not [h for h in hits(driven(plate - 1e-3)) if h.gate <= 2]


def test_heading_place_and_mirror_change_nothing() -> None:
    base = hits(driven(0.35))
    here = hits(driven(0.35, at=(310.0, -40.0, 2.3)))
    other = hits(driven(0.35, mirror=True))
    assert base
    for a, b, c in zip(base, here, other, strict=True):
        assert (a.cone, a.gate, a.side, a.by) == (b.cone, b.gate, b.side, b.by)
        assert a.time == pytest.approx(b.time, abs=1e-6) and a.depth == pytest.approx(b.depth, abs=1e-6)
        assert (c.gate, c.side) == (a.gate, {"left": "right", "right": "left"}[a.side])
        assert c.by == a.by.replace("L1", "?").replace("R1", "L1").replace("?", "R1")
        assert c.time == pytest.approx(a.time, abs=1e-6) and c.depth == pytest.approx(a.depth, abs=1e-6)


def test_a_run_that_ends_early_tells_no_count() -> None:
    run = driven(until=100.0)
    figures = of_run(run)
    assert math.isnan(figures["cones_hit"][0]) and math.isnan(figures["gates_missed"][0])
    assert any("between gate 5 and 6 of 9" in text for text in figures.warnings)
    assert verdict(run).word == ""
    hit = of_run(driven(0.4, until=100.0))  # what was hit was hit
    assert hit["cones_hit"][0] > 0


def test_a_run_around_the_cones_misses_gates() -> None:
    run = driven(4.0)
    assert of_run(run)["gates_missed"][0] == 9
    assert verdict(run).word == "fail"


def test_the_wrong_speed_is_no_iso_3888_1() -> None:
    run = driven()
    event = {"kind": "double-lane-change", "parameters": {"speed": [80 / 3.6, "m/s"]}}
    told = verdict(run.with_metadata(event=event))
    assert told.word == "fail" and "entry speed 80 ± 3 km/h" in told.reason


def test_contacts_turn_with_their_wheels_and_grow_with_their_deflection() -> None:
    run = driven()
    steered = run.with_channels({"Wheel.Spindle_Steer.L1": np.full(len(run), 0.3)}, {"Wheel.Spindle_Steer.L1": "rad"})
    course = kept(steered)
    assert course is not None
    left, right = tires(steered, course)["L1"], tires(steered, course)["R1"]
    np.testing.assert_allclose(left.heading - right.heading, 0.3)
    np.testing.assert_allclose(right.heading, run[YAW])
    # the chord of a circle of 0.33 m that is pressed in by 20 mm
    assert left.front == left.rear == pytest.approx(math.sqrt(0.33**2 - 0.31**2))
    assert left.width == 0.22
