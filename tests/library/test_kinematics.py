"""Maps from hard points: linkages against closed forms, figures against constructions, files against their source."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial.transform import Rotation

from jounce.core.tables import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))  # the generator is no part of the package

import make_maps
from kinematics import elements, figures, linkages
from kinematics.cars import CARS, Axle, Car

Array = npt.NDArray[np.float64]
MIRROR = np.array([1.0, -1.0, 1.0])
DEGREES = 180.0 / np.pi
PLACES = [(name, place) for name in CARS for place in ("front", "rear")]


@pytest.fixture(scope="module")
def cars() -> dict[str, Car]:
    return {name: make() for name, make in CARS.items()}


@pytest.fixture(scope="module")
def files(cars: dict[str, Car]) -> dict[str, dict[str, make_maps.MapFile]]:
    return {name: make_maps.map_files(car) for name, car in cars.items()}


def axle_of(cars: dict[str, Car], name: str, place: str) -> Axle:
    found: Axle = getattr(cars[name], place)
    return found


def grid_of(axle: Axle) -> tuple[Array, Array]:
    """Travels (n, wheels) and rack travels (n,) of all points of an axle's maps."""
    if axle.rack is not None:
        rack, travel = np.meshgrid(axle.rack, axle.travel, indexing="ij")
        return travel.reshape(-1, 1), rack.ravel()
    if axle.dependent:
        own, paired = np.meshgrid(axle.travel, axle.travel, indexing="ij")
        return np.stack([own.ravel(), paired.ravel()], axis=1), np.zeros(own.size)
    return axle.travel[:, None], np.zeros(len(axle.travel))


def some_points(axle: Axle, count: int, seed: int = 4) -> tuple[Array, Array]:
    """Points between the knots."""
    rng = np.random.default_rng(seed)
    travel = rng.uniform(axle.travel[0], axle.travel[-1], (count, len(axle.linkage.wheels)))
    rack = np.zeros(count) if axle.rack is None else rng.uniform(axle.rack[0], axle.rack[-1], count)
    return travel, rack


def rotations(maps: dict[str, Array], side: int) -> Rotation:
    """The carrier's rotation from the angles users see, by SciPy's own Euler sequence (intrinsic z, x, y)."""
    angles = np.stack([-side * maps["toe"], -side * maps["camber"], -maps["side_view_angle"]], axis=1)
    return Rotation.from_euler("ZXY", angles)


def carried(motion: linkages.Motion, point: Sequence[float] | Array, wheel: int) -> Array:
    """A carrier-fixed point, from nothing but the five maps and the travel of its wheel."""
    found = motion.linkage.wheels[wheel]
    maps = motion.maps(wheel)
    centre = np.asarray(found.centre)
    place = centre + np.stack([maps["x"], maps["y"], motion.travel[:, wheel]], axis=1)
    return place + rotations(maps, found.side).apply(np.asarray(point) - centre)


# ---- maps against constraints ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_the_maps_keep_every_link_at_its_length(cars: dict[str, Car], name: str, place: str) -> None:
    axle = axle_of(cars, name, place)
    travel, rack = grid_of(axle)
    motion = axle.linkage.solve(travel, rack)
    assert motion.residual <= linkages.RESIDUAL
    checked = 0
    for constraint in axle.linkage.constraints:
        if isinstance(constraint, linkages.Rod):
            inner = np.asarray(constraint.inner) + np.outer(rack if constraint.steered else 0 * rack, [0, 1, 0])
            length = np.linalg.norm(carried(motion, constraint.outer, constraint.body) - inner, axis=1)
            # positions of some metres carry 1e-15 of rounding each; 1e-12 leaves room for the chain of rotations
            assert np.ptp(length) < 1e-12
        elif isinstance(constraint, linkages.Slider):
            ends = [carried(motion, np.asarray(p), 0) for p in (constraint.top, constraint.below)]
            line = (ends[0] - ends[1]) / np.linalg.norm(ends[0] - ends[1], axis=1)[:, None]
            off = np.cross(np.asarray(constraint.top) - ends[1], line)
            assert np.linalg.norm(off, axis=1).max() < 1e-12
        elif isinstance(constraint, linkages.Ball):
            stays = carried(motion, constraint.point, constraint.body)
            assert np.abs(stays - np.asarray(constraint.point)).max() < 1e-12
        elif isinstance(constraint, linkages.Cylinder):
            along = [rotations(motion.maps(i), (1, -1)[i]).apply([0.0, 1.0, 0.0]) for i in range(2)]
            gap = carried(motion, constraint.point, 1) - carried(motion, constraint.point, 0)
            assert np.linalg.norm(np.cross(along[0], along[1]), axis=1).max() < 1e-12
            assert np.linalg.norm(np.cross(along[0], gap), axis=1).max() < 1e-12
        elif isinstance(constraint, linkages.Plane):
            assert np.abs(carried(motion, constraint.point, 0)[:, 1]).max() < 1e-12
        checked += 1
    assert checked == len(axle.linkage.constraints)


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_slopes_are_those_of_the_maps_and_of_an_instant_screw(cars: dict[str, Car], name: str, place: str) -> None:
    axle = axle_of(cars, name, place)
    travel, rack = some_points(axle, 30)
    motion = axle.linkage.solve(travel, rack)
    h = 1e-5  # m; central differences: truncation about h² q''' = 1e-10 · 1e2 at most, rounding 1e-15/h
    wheels = travel.shape[1]
    for k in range(wheels + (axle.rack is not None)):
        near = []
        for sign in (1, -1):
            shifted, racked = travel.copy(), rack.copy()
            if k < wheels:
                shifted[:, k] += sign * h
            else:
                racked += sign * h
            near.append(axle.linkage.solve(shifted, racked))
        for wheel in range(wheels):
            exact, ends = motion.slopes(wheel), [moved.maps(wheel) for moved in near]
            for q in linkages.MAPS:
                assert exact[q][:, k] == pytest.approx((ends[0][q] - ends[1][q]) / (2 * h), abs=1e-7), (q, k)
            # The screw: velocity of the wheel centre and spin of the rotation found from the maps, unit travel upwards.
            side = axle.linkage.wheels[wheel].side
            spin = (rotations(ends[0], side) * rotations(ends[1], side).inv()).as_rotvec() / (2 * h)
            v = np.stack([exact["x"][:, k], exact["y"][:, k], np.full(30, float(k == wheel))], axis=1)
            body = axle.linkage.wheels[wheel].body
            assert motion.velocity(body, axle.linkage.wheels[wheel].centre)[:, :, k] == pytest.approx(v, abs=1e-12)
            assert motion.twists[:, body, 3:, k] == pytest.approx(spin, abs=1e-7)
            for rod in axle.linkage.constraints:
                if isinstance(rod, linkages.Rod) and rod.body == body:
                    inner = np.asarray(rod.inner) + np.outer(rack if rod.steered else 0 * rack, [0, 1, 0])
                    outer = carried(motion, rod.outer, wheel)
                    at = carried(motion, axle.linkage.wheels[wheel].centre, wheel)
                    speed = v + np.cross(motion.twists[:, body, 3:, k], outer - at)
                    driven = np.array([0.0, float(rod.steered and k == wheels), 0.0])
                    along = ((speed - driven) * (outer - inner)).sum(axis=1)
                    assert np.abs(along).max() < 1e-12


# ---- closed forms --------------------------------------------------------------------------------------------------


def turned(angle: float, vector: Array) -> Array:
    """In the (y, z) plane, about +x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


LOWER_INNER, LOWER_OUTER = np.array([0.35, 0.20]), np.array([0.74, 0.19])
UPPER_INNER, UPPER_OUTER = np.array([0.42, 0.44]), np.array([0.70, 0.47])
PLANAR_CENTRE = np.array([0.78, 0.31])


def planar_wishbone() -> linkages.Linkage:
    def at(x: float, yz: Array) -> tuple[float, float, float]:
        return (x, float(yz[0]), float(yz[1]))

    lower = (at(0.15, LOWER_INNER), at(-0.15, LOWER_INNER), at(0.0, LOWER_OUTER))
    upper = (at(0.10, UPPER_INNER), at(-0.10, UPPER_INNER), at(0.0, UPPER_OUTER))
    # A tie rod beside the lower arm and equal to it: it turns with the arm and leaves toe at zero.
    tie = (at(0.12, LOWER_INNER), at(0.12, LOWER_OUTER))
    return linkages.double_wishbone(at(0.0, PLANAR_CENTRE), lower, upper, tie, steered=False)


def test_a_planar_double_wishbone_is_a_four_bar() -> None:
    # Freudenstein (1955): lower arm as the crank; the coupler's end is where two circles meet.
    rows = []
    for crank in np.linspace(-0.3, 0.3, 13):
        joint = LOWER_INNER + turned(crank, LOWER_OUTER - LOWER_INNER)
        coupler, rocker = np.linalg.norm(UPPER_OUTER - LOWER_OUTER), np.linalg.norm(UPPER_OUTER - UPPER_INNER)
        base = UPPER_INNER - joint
        d = np.linalg.norm(base)
        angle = np.arccos((coupler**2 + d**2 - rocker**2) / (2 * coupler * d))
        top = joint + coupler * turned(-angle, base / d)
        design, now = UPPER_OUTER - LOWER_OUTER, top - joint
        roll = np.arctan2(now[1], now[0]) - np.arctan2(design[1], design[0])
        rows.append([*(joint + turned(roll, PLANAR_CENTRE - LOWER_OUTER) - PLANAR_CENTRE), roll])
    y, jounce, roll = np.array(rows).T
    maps = planar_wishbone().solve(jounce).maps()
    # rounding of coordinates of order 1, amplified by at most some ten in the intersection of circles
    assert maps["y"] == pytest.approx(y, abs=1e-13)
    assert maps["camber"] == pytest.approx(-roll, abs=1e-13)
    for q in ("x", "toe", "side_view_angle"):
        assert maps[q] == pytest.approx(0.0, abs=1e-13)


def test_the_roll_centre_is_where_the_construction_puts_it() -> None:
    def meet(a: Array, b: Array, c: Array, d: Array) -> Array:
        s = np.linalg.solve(np.stack([b - a, c - d], axis=1), c - a)
        return a + s[0] * (b - a)

    pole = meet(LOWER_INNER, LOWER_OUTER, UPPER_INNER, UPPER_OUTER)
    contact = np.array([PLANAR_CENTRE[0], 0.0])
    height = meet(contact, pole, np.zeros(2), np.array([0.0, 1.0]))[1]
    layout = figures.Layout(wheelbase=2.7, cg_height=0.5, brake_front=0.7, drive_front=1.0)
    found = figures.axle_figures(planar_wishbone(), layout, front=True)
    assert found["roll_centre"] == pytest.approx(1e3 * height, rel=1e-10)
    assert found["camber_gain"] == pytest.approx(-DEGREES / (PLANAR_CENTRE[0] - pole[0]), rel=1e-10)
    assert found["anti_dive"] == pytest.approx(0.0, abs=1e-10)


def test_a_planar_strut_is_a_line_through_its_top_mount() -> None:
    top, below = np.array([0.58, 0.85]), np.array([0.63, 0.42])
    inner, joint0, centre = np.array([0.36, 0.21]), np.array([0.73, 0.185]), np.array([0.77, 0.296])
    lower = ((0.1, *inner), (-0.2, *inner), (0.0, *joint0))
    tie = ((-0.13, *inner), (-0.13, *joint0))
    linkage = linkages.strut((0.0, *centre), lower, (0.0, *top), (0.0, *below), tie, steered=False)
    line = top - below

    def lean(joint: Array) -> float:
        """Direction of the damper line, which passes the joint at a constant distance and goes through the top."""
        d = np.linalg.norm(top - joint)
        return float(np.arctan2(*(top - joint)[::-1]) - np.arcsin(offset / d))

    offset = (line[1] * (joint0 - below)[0] - line[0] * (joint0 - below)[1]) / np.linalg.norm(line)
    assert lean(joint0) == pytest.approx(np.arctan2(line[1], line[0]), abs=1e-14)
    rows = []
    for crank in np.linspace(-0.28, 0.28, 11):
        joint = inner + turned(crank, joint0 - inner)
        roll = lean(joint) - lean(joint0)
        rows.append([*(joint + turned(roll, centre - joint0) - centre), roll])
    y, jounce, roll = np.array(rows).T
    maps = linkage.solve(jounce).maps()
    assert maps["y"] == pytest.approx(y, abs=1e-13)
    assert maps["camber"] == pytest.approx(-roll, abs=1e-13)
    assert maps["toe"] == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((-2.45, 0.60, 0.34), (-2.60, 0.25, 0.30)),  # semi-trailing, skew in all directions
        ((-2.40, 0.60, 0.33), (-2.40, 0.20, 0.33)),  # trailing
        ((-2.60, 0.10, 0.40), (-3.00, 0.10, 0.38)),  # swing axle
    ],
)
def test_an_arm_turns_about_its_axis(first: tuple[float, float, float], second: tuple[float, float, float]) -> None:
    centre = np.array([-2.80, 0.76, 0.31])
    linkage = linkages.semi_trailing_arm(centre, first, second)
    axis = np.subtract(second, first) / np.linalg.norm(np.subtract(second, first))
    # sense: travel grows with the angle
    axis *= np.sign(np.cross(axis, centre - first)[2])
    turn = Rotation.from_rotvec(np.outer(np.linspace(-0.2, 0.2, 21), axis))
    moved = turn.apply(centre - first) + first - centre
    psi, phi, theta = turn.as_euler("ZXY").T
    maps = linkage.solve(moved[:, 2]).maps()
    for q, exact in zip(linkages.MAPS, (moved[:, 0], moved[:, 1], -psi, -phi, -theta), strict=True):
        assert maps[q] == pytest.approx(exact, abs=1e-10), q
    if first[2] == second[2] and first[0] == second[0]:
        # trailing arm: the contact point moves across the line to the pivot
        layout = figures.Layout(wheelbase=2.8, cg_height=0.55, brake_front=0.7, drive_front=1.0)
        found = figures.axle_figures(linkage, layout, front=False)
        exact_lift = 0.3 * 2.8 / 0.55 * first[2] / (first[0] - centre[0])
        assert found["anti_lift"] == pytest.approx(100 * exact_lift, rel=1e-10)


# ---- dependent axles ---------------------------------------------------------------------------------------------


def test_a_solid_axle_leans_with_the_difference_of_travel(cars: dict[str, Car]) -> None:
    axle = cars["light_truck"].rear
    track = cars["light_truck"].tracks[1]
    travel, _ = grid_of(axle)
    motion = axle.linkage.solve(travel)
    left, right = motion.maps(0), motion.maps(1)
    # A rod of length t between the wheel centres, exactly; atan(ΔJ/t) differs from it in the third order.
    lean = np.arcsin((travel[:, 0] - travel[:, 1]) / track)
    assert left["camber"] == pytest.approx(-lean, abs=1e-13)
    assert right["camber"] == pytest.approx(lean, abs=1e-13)
    assert left["toe"] == pytest.approx(-right["toe"], abs=1e-13)
    assert left["side_view_angle"] == pytest.approx(right["side_view_angle"], abs=1e-13)
    small = axle.linkage.solve([[1e-3, -1e-3]])
    assert small.maps(0)["camber"][0] == pytest.approx(-np.arctan(2e-3 / track), rel=1e-6)
    assert small.maps(1)["camber"][0] == pytest.approx(np.arctan(2e-3 / track), rel=1e-6)


def test_the_roll_centre_of_a_solid_axle_is_its_lateral_guide(cars: dict[str, Car]) -> None:
    car = cars["light_truck"]
    found = figures.axle_figures(car.rear.linkage, car.layout, front=False, solid=True)
    assert found["roll_centre"] == pytest.approx(420.0, abs=1e-9)
    # two parallel links: roll steer is their slope
    assert found["roll_steer"] == pytest.approx(100 * 24.0 / 470.0, rel=1e-9)


def test_a_panhard_rod_pulls_the_axle_sideways() -> None:
    trailing, panhard, x = 0.5, 0.9, -2.9
    rods = [linkages.Rod((x + trailing, y, z), (x, y, z)) for y, z in ((0.5, 0.3), (-0.5, 0.3), (0.0, 0.5))]
    rods.append(linkages.Rod((x, -panhard / 2, 0.35), (x, panhard / 2, 0.35)))
    linkage = linkages.solid_axle((x, 0.75, 0.32), rods)
    jounce = np.linspace(-0.1, 0.1, 9)
    maps = linkage.solve(np.stack([jounce, jounce], axis=1)).maps(0)
    # Parallel links: pure translation on two spheres, (x - a)² + y² + J² = a² and x² + (y + b)² + J² = b².
    k = panhard / trailing
    y = (-panhard + np.sqrt(panhard**2 - (1 + k**2) * jounce**2)) / (1 + k**2)
    assert maps["y"] == pytest.approx(y, abs=1e-12)
    assert maps["x"] == pytest.approx(-k * y, abs=1e-12)
    for q in ("toe", "camber", "side_view_angle"):
        assert maps[q] == pytest.approx(0.0, abs=1e-12)


def test_a_twist_beam_bounces_about_its_pivots_and_rolls_about_the_shear_centre(cars: dict[str, Car]) -> None:
    axle = cars["compact"].rear
    centre = np.asarray(axle.linkage.wheels[0].centre)
    ball, cylinder = axle.linkage.constraints[0], axle.linkage.constraints[2]
    assert isinstance(ball, linkages.Ball)
    assert isinstance(cylinder, linkages.Cylinder)
    pivot, shear_centre = np.asarray(ball.point), np.asarray(cylinder.point)
    arm = centre - pivot
    angle = np.linspace(-0.18, 0.18, 9)  # about +y
    moved = Rotation.from_rotvec(np.outer(angle, [0, 1, 0])).apply(arm) - arm
    maps = axle.linkage.solve(np.stack([moved[:, 2]] * 2, axis=1)).maps(0)
    assert maps["x"] == pytest.approx(moved[:, 0], abs=1e-12)
    assert maps["side_view_angle"] == pytest.approx(-angle, abs=1e-12)
    for q in ("y", "toe", "camber"):
        assert maps[q] == pytest.approx(0.0, abs=1e-12)
    twist = axle.linkage.solve([[0.0, 0.0]]).twists[0, 0]
    spin = twist[3:, 0] - twist[3:, 1]
    across = np.cross(spin / np.linalg.norm(spin), (pivot - shear_centre) / np.linalg.norm(pivot - shear_centre))
    assert np.abs(across).max() < 1e-12
    # hence the height of the roll centre from camber and toe of the same motion
    found = make_maps.key_figures(cars["compact"])
    height = -centre[1] * found["roll_camber_rear"] / DEGREES * pivot[2]
    height += (pivot[0] - centre[0]) * found["roll_steer_rear"] / 100
    assert found["roll_centre_rear"] == pytest.approx(1e3 * height, rel=1e-9)


# ---- symmetry ------------------------------------------------------------------------------------------------------


def test_the_right_wheel_mirrors_the_left(cars: dict[str, Car]) -> None:
    for car in cars.values():
        linkage = car.front.linkage
        mirrored: list[linkages.Constraint] = []
        for c in linkage.constraints:
            if isinstance(c, linkages.Rod):
                mirrored.append(
                    linkages.Rod(np.asarray(c.inner) * MIRROR, np.asarray(c.outer) * MIRROR, steered=c.steered)
                )
            else:
                assert isinstance(c, linkages.Slider)
                mirrored.append(linkages.Slider(np.asarray(c.top) * MIRROR, np.asarray(c.below) * MIRROR))
        right = linkages.Linkage(tuple(mirrored), (linkages.Wheel(np.asarray(linkage.wheels[0].centre) * MIRROR),))
        travel, rack = some_points(car.front, 50)
        a, b = linkage.solve(travel, rack).maps(), right.solve(travel, -rack).maps()
        for q in linkages.MAPS:
            assert b[q] == pytest.approx(-a[q] if q == "y" else a[q], abs=1e-12), q


@pytest.mark.parametrize("name", ["compact", "light_truck"])
def test_both_sides_of_a_dependent_axle_follow_one_map(cars: dict[str, Car], name: str) -> None:
    axle = cars[name].rear
    travel, _ = some_points(axle, 50)
    left, right = axle.linkage.solve(travel).maps(0), axle.linkage.solve(travel[:, ::-1]).maps(1)
    for q in linkages.MAPS:
        assert right[q] == pytest.approx(-left[q] if q == "y" else left[q], abs=1e-12), q


# ---- steering axis, elements ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CARS)
def test_with_the_spring_locked_the_wheel_steers_about_its_ball_joints(cars: dict[str, Car], name: str) -> None:
    axle = cars[name].front
    travel, rack = grid_of(axle)
    motion = axle.linkage.solve(travel, rack)
    axis = elements.steering_axis(motion, axle.elements["spring"])
    rods = [c for c in axle.linkage.constraints if isinstance(c, linkages.Rod)]
    ends = [carried(motion, rods[0].outer, 0)]
    slider = next((c for c in axle.linkage.constraints if isinstance(c, linkages.Slider)), None)
    if slider is None:
        ends.append(carried(motion, rods[2].outer, 0))
    else:
        ends.append(np.broadcast_to(np.asarray(slider.top), ends[0].shape))
    line = ends[1] - ends[0]
    # Divided by 1/(angle per rack travel), some 0.15 m, and by the ratio of the spring: rounding 1e-13 at the end.
    assert np.abs(axis.pitch).max() < 1e-10
    assert axis.direction == pytest.approx(line / np.linalg.norm(line, axis=1)[:, None], abs=1e-10)
    point = np.asarray(axle.linkage.wheels[0].centre) + axis.point
    assert np.linalg.norm(np.cross(point - ends[0], axis.direction), axis=1).max() < 1e-10
    assert axis.caster == pytest.approx(-np.arctan(line[:, 0] / line[:, 2]), abs=1e-10)
    assert axis.inclination == pytest.approx(-np.arctan(line[:, 1] / line[:, 2]), abs=1e-10)


def test_with_the_travel_locked_the_wheel_centre_keeps_its_height(cars: dict[str, Car]) -> None:
    axle = cars["sedan"].front
    motion = axle.linkage.solve([0.02], [0.03])
    axis = elements.steering_axis(motion)
    near = [axle.linkage.solve([0.02], [0.03 + h]) for h in (1e-5, -1e-5)]
    spin = (rotations(near[0].maps(), 1) * rotations(near[1].maps(), 1).inv()).as_rotvec()[0]
    assert axis.direction[0] == pytest.approx(np.sign(spin[2]) * spin / np.linalg.norm(spin), abs=1e-8)
    assert axis.caster[0] != pytest.approx(elements.steering_axis(motion, axle.elements["spring"]).caster[0], abs=1e-4)


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_element_ratios_are_slopes_of_the_deflections(cars: dict[str, Car], name: str, place: str) -> None:
    axle = axle_of(cars, name, place)
    travel, rack = some_points(axle, 20)
    motion = axle.linkage.solve(travel, rack)
    h = 1e-5  # m, as above
    for what, element in axle.elements.items():
        start = axle.linkage.solve(np.zeros((1, travel.shape[1])))
        assert element.deflection(start) == pytest.approx(0.0, abs=1e-15)
        if what != "twist":
            assert element.ratio(start)[0, 0] > 0  # compression positive
        for k in range(travel.shape[1] + (axle.rack is not None)):
            ends = []
            for sign in (1, -1):
                shifted, racked = travel.copy(), rack.copy()
                if k < travel.shape[1]:
                    shifted[:, k] += sign * h
                else:
                    racked += sign * h
                ends.append(element.deflection(axle.linkage.solve(shifted, racked)))
            assert element.ratio(motion)[:, k] == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-6), (what, k)


def test_a_point_of_an_arm_keeps_its_distances(cars: dict[str, Car]) -> None:
    axle = cars["sedan"].front
    spring = axle.elements["spring"]
    assert isinstance(spring, elements.TwoPoint)
    mount = spring.mount
    assert isinstance(mount, elements.OnArm)
    motion = axle.linkage.solve(*grid_of(axle))
    at = mount.at(motion)
    joint = carried(motion, mount.joint, 0)
    for other in (mount.front, mount.rear, joint):
        assert np.ptp(np.linalg.norm(at - np.asarray(other), axis=1)) < 1e-12


@pytest.mark.parametrize("place", ["front", "rear"])
def test_a_rocker_turns_as_its_push_rod_says(cars: dict[str, Car], place: str) -> None:
    """Rods keep their lengths, points of the rocker their distances; the third element spans both rockers."""
    axle = axle_of(cars, "formula", place)
    motion = axle.linkage.solve(*grid_of(axle))
    rocker, bar, damper, third = (axle.elements[name] for name in ("spring", "anti_roll_bar", "damper", "third"))
    assert isinstance(rocker, elements.Rocker) and isinstance(bar, elements.BarEnd)
    assert isinstance(damper, elements.TwoPoint) and isinstance(third, elements.ToMirror)
    for lever in (rocker, bar):
        rod = lever.foot.at(motion) - lever.turned(lever.joint, motion)
        assert np.ptp(np.linalg.norm(rod, axis=1)) < 1e-12
    points = [rocker.turned(rocker.joint, motion), damper.mount.at(motion), third.mount.at(motion)]
    for i, point in enumerate(points):
        assert np.ptp(np.linalg.norm(point - np.asarray(rocker.pivot), axis=1)) < 1e-12
        assert np.ptp(np.linalg.norm(point - points[i - 1], axis=1)) < 1e-12
        assert np.ptp(point @ np.asarray(rocker.axis)) < 1e-12
    across = np.linalg.norm(points[2] - MIRROR * points[2], axis=1)
    start = np.linalg.norm((1 - MIRROR) * third.mount.at(axle.linkage.at_design)[0])
    assert third.deflection(motion) == pytest.approx(start - across, abs=1e-12)


# ---- bad input -----------------------------------------------------------------------------------------------------


def test_a_linkage_with_a_link_too_few_is_refused() -> None:
    links = [((0.0, 0.3, 0.2 + 0.1 * i), (0.0, 0.7, 0.2 + 0.1 * i)) for i in range(4)]
    with pytest.raises(linkages.LinkageError, match="5 equations with those of travel, 6 coordinates"):
        linkages.five_link((0.0, 0.75, 0.3), links).solve([0.0])


def test_a_position_out_of_reach_is_named() -> None:
    with pytest.raises(linkages.LinkageError, match=r"travel \[0\.6\] m"):
        planar_wishbone().solve([0.0, 0.6])


def test_travel_of_both_wheels_is_asked_for(cars: dict[str, Car]) -> None:
    with pytest.raises(linkages.LinkageError, match="2 wheels"):
        cars["compact"].rear.linkage.solve([0.0, 0.01])


# ---- the files -----------------------------------------------------------------------------------------------------


def read(path: Path) -> tuple[list[str], list[str], Array]:
    """Names, units and numbers of a map file."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = list(csv.reader(lines))
    return rows[0], rows[1], np.array([[float(cell) for cell in row] for row in rows[2:]])


@pytest.mark.parametrize("name", CARS)
def test_the_committed_maps_are_those_of_the_hard_points(
    cars: dict[str, Car], files: dict[str, dict[str, make_maps.MapFile]], name: str
) -> None:
    folder = make_maps.FOLDER / name / "maps"
    hint = f"run: {make_maps.COMMAND}"
    expected = ["key_figures.json", *(f"{stem}.csv" for stem in files[name])]
    assert sorted(path.name for path in folder.glob("*")) == sorted(expected), hint
    for stem, file in files[name].items():
        names, units, numbers = read(folder / f"{stem}.csv")
        assert names == [*file.axes, *file.columns], hint
        grid = [axis.ravel() for axis in np.meshgrid(*file.axes.values(), indexing="ij")]
        assert units[: len(grid)] == ["mm"] * len(grid)
        assert numbers[:, : len(grid)] == pytest.approx(np.stack(grid, axis=1), abs=1e-9), hint
        for i, (unit, values) in enumerate(file.columns.values(), len(grid)):
            assert units[i] == unit, hint
            last_digit = 10.0 ** -make_maps.UNITS[unit][1]
            assert np.abs(numbers[:, i] - values.ravel()).max() <= 1.01 * last_digit, f"{stem}, {names[i]}: {hint}"
    stored: dict[str, Any] = json.loads((folder / "key_figures.json").read_text(encoding="utf-8"))
    fresh: dict[str, Any] = json.loads(make_maps.key_file(cars[name]))
    assert stored.keys() == fresh.keys(), hint
    assert stored["figures"] == pytest.approx(fresh["figures"], abs=1.01e-4), hint
    assert stored["assumed"] == pytest.approx(fresh["assumed"]), hint


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_splines_through_the_knots_give_the_positions_between(
    cars: dict[str, Car], files: dict[str, dict[str, make_maps.MapFile]], name: str, place: str
) -> None:
    axle = axle_of(cars, name, place)
    travel, rack = some_points(axle, 600)
    motion = axle.linkage.solve(travel, rack)
    exact = {**motion.maps(), **{what: e.deflection(motion) for what, e in axle.elements.items()}}
    exact["steer"] = -exact["toe"]
    file = files[name]["front_steering" if axle.rack is not None else place]
    points = (rack, travel[:, 0]) if axle.rack is not None else tuple(travel.T)
    axes = [1e-3 * knots for knots in file.axes.values()]
    for what, (unit, values) in file.columns.items():
        found = Table(axes, values / make_maps.UNITS[unit][0], method="cubic")(*points)
        if what.endswith("_increment"):
            alone = files[name]["front"].columns[what.removesuffix("_increment")][1] / make_maps.UNITS[unit][0]
            found = found + Table([axes[1]], alone, method="cubic")(points[1])
            what = what.removesuffix("_increment")
        # 1 µm and 1 µrad where wheels are guided; the end of an anti-roll bar may be 10 µrad off, 0.005 % of its range
        limit = 1e-5 if what == "anti_roll_bar" else 1e-6
        assert np.abs(found - exact[what]).max() < limit, what


@pytest.mark.parametrize("name", CARS)
def test_every_figure_is_inside_the_range_of_its_class(cars: dict[str, Car], name: str) -> None:
    text = make_maps.table(cars[name])
    print(text)
    assert all(row[-1] for row in make_maps.compare(cars[name])), text


def test_a_hand_wheel_turned_left_steers_left_wherever_the_rack_is(cars: dict[str, Car]) -> None:
    for car in cars.values():
        turn = 0.1 * car.front.rack_per_turn
        for u in (turn, -turn):
            toe = car.front.linkage.solve([0.0], [u]).maps()["toe"][0]
            assert -toe * u / turn > 0
