"""Preview points: circles and clothoids by closed form, both ways and hands, somewhere; paths that cross themselves."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.optimize import minimize_scalar
from scipy.special import fresnel

from axle_lists import one_axle, vehicle_of
from jounce.components.driver.contour import Contour
from jounce.road.path import Path
from jounce.road.paths import PathSet
from jounce.runtime.simulation import Simulation
from jounce.sim import car

NAMES = ("distance", "X", "Y", "path_X", "path_Y", "path_Z", "path_s", "offset", "heading_error", "curvature", "area")
LEAN = (0.11, -0.07)  # pitch and roll: the heading is that of the x axis in plan
RADIUS = 61.0


@lru_cache
def description() -> car.Description:
    return car.describe(vehicle_of(one_axle() | {"sensors": [{"kind": "preview_point", "name": "ahead"}]}))


def standing(path: Path, *more: Path) -> Simulation:
    sim = car.simulation(description())
    PathSet([path, *more]).bind(sim)
    return sim


def put(sim: Simulation, x: float, y: float, heading: float) -> Simulation:
    """The origin of the vehicle at a place in plan, its x axis at a heading, leaning."""
    pitch, roll = LEAN
    (cz, sz), (cy, sy), (cx, sx) = ((math.cos(a), math.sin(a)) for a in (heading, pitch, roll))
    turned = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    turned = (
        turned @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]]) @ np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    )
    centre = np.array([x, y, 0.0]) + turned @ description().vehicle.main_body.centre()
    w = 0.5 * math.sqrt(1 + np.trace(turned))
    v = (turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1])
    q = dict(zip((f"chassis.e{i}" for i in range(4)), (w, *(a / (4 * w) for a in v)), strict=True))
    sim.set_states({"chassis.x": centre[0], "chassis.y": centre[1], "chassis.z": centre[2] + 2.0, **q})
    return sim


def told(sim: Simulation) -> dict[str, float]:
    return {name: sim.output(f"Preview_Point.ahead.{name}") for name in NAMES}


def enclosed(corners: np.ndarray) -> float:
    """The area of a polygon, counterclockwise positive."""
    x, y = (corners - corners[0]).T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def wrapped(angle: float) -> float:
    return math.remainder(angle, 2 * math.pi)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("along", [1.0, -1.0])
@pytest.mark.parametrize("distance", [23.0, -9.0])
def test_a_circle(side: float, along: float, distance: float) -> None:
    """By polar coordinates; the area by a polygon of 20000 corners on the arc, which misses some 1e-7 m²."""
    centre, begin = np.array([140.0, -75.0]), 2.3  # the angle of the place of station 0, seen from the centre
    start = centre + RADIUS * np.array([math.cos(begin), math.sin(begin)])
    length = 2 * math.pi * RADIUS
    path = Path.from_curvature([0, length], [side / RADIUS] * 2, heading=begin + side * math.pi / 2, x=start[0],
                               y=start[1], z=lambda s: 7.0 + 0 * s, closed=True)  # fmt: skip
    sim = standing(path)
    angle, out = begin + side * 1.1, 2.6  # where the car is: outside of the circle
    origin = centre + (RADIUS + out) * np.array([math.cos(angle), math.sin(angle)])
    heading = wrapped(angle + side * math.pi / 2 + (0.0 if along > 0 else math.pi) + 0.17)
    put(sim, *origin, heading)
    sim.set_parameters({"sensor1.distance": distance - 4.0})
    sim.set_inputs({"sensor1.further": 4.0})
    found = told(sim)

    axis = np.array([math.cos(heading), math.sin(heading)])
    point = origin + distance * axis
    arm = point - centre
    there = math.atan2(arm[1], arm[0])
    turned = wrapped(there - angle)
    foot = centre + RADIUS * arm / np.linalg.norm(arm)
    assert found["distance"] == distance
    assert (found["X"], found["Y"]) == pytest.approx(tuple(point), abs=1e-9)
    # nodes of the path lie where an integration of the curvature puts them: some 1e-9 m
    assert (found["path_X"], found["path_Y"]) == pytest.approx(tuple(foot), abs=1e-6)
    assert found["path_Z"] == pytest.approx(7.0, abs=1e-9)
    assert found["path_s"] == pytest.approx(RADIUS * (1.1 + side * turned), abs=1e-6)
    assert found["offset"] == pytest.approx(side * (RADIUS - np.linalg.norm(arm)), abs=1e-6)
    assert found["heading_error"] == pytest.approx(wrapped(heading - there - side * math.pi / 2), abs=1e-8)
    assert found["curvature"] == pytest.approx(side / RADIUS, rel=1e-6)
    arc = angle + np.linspace(1.0, 0.0, 20001) * turned
    ring = centre + RADIUS * np.column_stack([np.cos(arc), np.sin(arc)])
    area = enclosed(np.vstack([origin, point, ring]))
    # Gauss's rule of 6th order over 8 stretches of some 3 m: (h/R)⁶ of it; the polygon: L³/(12 R N²)
    assert found["area"] == pytest.approx(area, abs=1e-5)
    assert abs(area) > 10.0


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("along", [1.0, -1.0])
def test_a_clothoid(side: float, along: float) -> None:
    """By Fresnel's integrals: κ = side s/A²."""
    spiral, heading0, at = 55.0, -2.2, np.array([-31.0, 44.0])
    scale = spiral * math.sqrt(math.pi)
    rotation = np.array([[math.cos(heading0), -math.sin(heading0)], [math.sin(heading0), math.cos(heading0)]])

    def place(s: np.ndarray | float) -> np.ndarray:
        b, a = fresnel(np.asarray(s) / scale)
        return at + scale * np.stack([a, side * b], -1) @ rotation.T

    def course(s: float) -> float:
        return heading0 + side * s * s / (2 * spiral**2)

    path = Path.from_curvature([0, 100], [0, side * 100 / spiral**2], heading=heading0, x=at[0], y=at[1])
    sim, s0 = standing(path), 37.0 if along > 0 else 81.0
    heading = wrapped(course(s0) - 0.06 + (0.0 if along > 0 else math.pi))
    origin = place(s0) + 1.3 * np.array([-math.sin(course(s0)), math.cos(course(s0))])
    put(sim, *origin, heading)
    sim.set_parameters({"sensor1.distance": 31.0})
    found = told(sim)
    point = origin + 31.0 * np.array([math.cos(heading), math.sin(heading)])
    s = float(minimize_scalar(lambda s: np.sum((place(s) - point) ** 2), bounds=(0, 100), method="bounded",
                              options={"xatol": 1e-10}).x)  # fmt: skip
    gap = point - place(s)
    assert (found["X"], found["Y"]) == pytest.approx(tuple(point), abs=1e-9)
    # the minimum of a square is found to the root of the rounding: 1e-6 m
    assert found["path_s"] == pytest.approx(s, abs=1e-5)
    assert (found["path_X"], found["path_Y"]) == pytest.approx(tuple(place(s)), abs=1e-5)
    left = math.cos(course(s)) * gap[1] - math.sin(course(s)) * gap[0]
    assert found["offset"] == pytest.approx(left, abs=1e-6) and abs(left) > 0.5
    assert found["heading_error"] == pytest.approx(wrapped(heading - course(s)), abs=1e-6)
    assert found["curvature"] == pytest.approx(side * s / spiral**2, abs=1e-7)
    area = enclosed(np.vstack([origin, point, place(np.linspace(s, s0, 20001))]))
    assert found["area"] == pytest.approx(area, abs=1e-4) and abs(area) > 1.0


@pytest.mark.parametrize("along", [1.0, -1.0])
def test_stations_count_on_and_a_crossing_is_passed_straight(along: float) -> None:
    """A line that crosses itself at right angles, twice round; the point from step to step on its own part."""
    a = 2 * math.pi * np.arange(400) / 400
    path = Path.from_points(np.column_stack([40 * np.sin(a), 40 * np.sin(a) * np.cos(a)]), closed=True, step=0.5)
    path = path.moved(13.0, -21.0, 2.0, heading=2.2)
    sim, sharpest = standing(path), float(np.max(np.abs(path.curvature)))
    sim.set_parameters({"sensor1.distance": 6.0})
    for s in 5.0 + along * np.arange(0.0, 2.2 * path.length, 2.0):
        (x, y, _), heading = path.at(s % path.length), float(path.at(s % path.length, "heading"))
        heading += 0.0 if along > 0 else math.pi
        put(sim, float(x), float(y), heading)
        sim.advance(1)
        put(sim, float(x), float(y), heading)
        # the foot of a point 6 m along the tangent of a bend
        assert math.atan(6.0 * sharpest) / sharpest - 1e-3 < along * (told(sim)["path_s"] - s) < 6.0 + 1e-3, s


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_of_a_hairpin_the_part_is_meant_that_lies_ahead(side: float) -> None:
    """Straight on 40 m, half a turn of 10 m radius, straight back: a car before the bend that looks 30 m back."""
    bend = math.pi * 10.0
    path = Path.from_curvature([0, 40, 40.0001, 40 + bend, 40.0001 + bend, 100 + bend], [0, 0, *[side / 10] * 2, 0, 0])
    sim = put(standing(path), 38.0, 1.5, math.pi)
    sim.set_parameters({"sensor1.distance": 30.0})
    found = told(sim)
    assert (found["path_s"], found["offset"], found["area"]) == pytest.approx((8.0, 1.5, 45.0), abs=1e-9)


def test_another_path_is_looked_for_as_a_whole() -> None:
    sim = standing(Path.straight(400.0), Path.straight(400.0).moved(-300.0, 11.0))
    put(sim, 20.0, 3.0, 0.0)
    sim.set_parameters({"sensor1.distance": 25.0})
    sim.advance(1)
    put(sim, 20.0, 3.0, 0.0)
    first = told(sim)
    assert (first["path_s"], first["offset"], first["area"]) == pytest.approx((45.0, 3.0, -75.0), abs=1e-9)
    sim.set_inputs({"sensor1.path": 1.0})
    second = told(sim)
    assert (second["path_s"], second["offset"], second["area"]) == pytest.approx((345.0, -8.0, 200.0), abs=1e-9)


def test_the_path_is_that_of_the_driver() -> None:
    sensors = {"sensors": [{"kind": "preview_point", "name": "ahead"}]}
    sim = car.simulation(car.describe(vehicle_of(one_axle() | sensors), parts=[Contour()]))
    PathSet([Path.straight(400.0), Path.straight(400.0).moved(-300.0, 11.0)]).bind(sim)
    put(sim, 20.0, 3.0, 0.0)
    assert "sensor1.path" not in [v.name for v in sim.model.inputs]
    for number, offset in ((0.0, 3.0), (1.0, -8.0)):
        sim.set_inputs({"driver.path": number})
        assert told(sim)["offset"] == pytest.approx(offset, abs=1e-9)


def test_a_name_is_needed_that_may_stand_in_channels() -> None:
    with pytest.raises(ValidationError, match="not a name"):
        vehicle_of(one_axle() | {"sensors": [{"kind": "preview_point", "name": "far ahead"}]})
