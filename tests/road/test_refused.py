"""What no road can be made of is refused by a check that says what was found: one case for every check."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.core.limits import FARTHEST
from jounce.road.block import Frame
from jounce.road.builder import RoadBuilder
from jounce.road.courses import circle, iso_3888_1, skidpad, slalom
from jounce.road.curve import LARGEST, Curve, Samples, as_curve
from jounce.road.envelope import Envelope
from jounce.road.grid import GridRoad, height_map
from jounce.road.inputs import external_inputs as external
from jounce.road.irregular import iso_8608, synthesise
from jounce.road.line import Kerb, LineRoad, Section
from jounce.road.mesh import MeshRoad
from jounce.road.path import Path, joined
from jounce.road.simple import Flat, Patch, Stack

NAN, INF = math.nan, math.inf
THREE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
ONE = np.array([[0, 1, 2]], dtype=np.int32)
LINE = Path.straight(10.0)


def builder() -> RoadBuilder:
    return RoadBuilder("example").straight(100.0)


def grid(**changes: Any) -> GridRoad:
    return GridRoad(**{"z": np.zeros((3, 4)), "du": 1.0, "v": np.array([-1.5, -0.5, 0.5, 1.5]), **changes})


def path(**changes: Any) -> Path:
    return replace(LINE, **changes)


def section(**changes: Any) -> Section:
    usual = {"stations": np.array([0.0, 5.0]), "points": np.tile([[-2.0, 0.0], [2.0, 0.1]], (2, 1, 1))}
    return Section(**{**usual, **changes})


def deep(n: int) -> Any:
    road: Any = Flat()
    for _ in range(n):
        road = Stack(roads=[road])
    return road


CASES: list[tuple[Callable[[], Any], str]] = [
    # builder
    (lambda: RoadBuilder("a").start(heading=NAN), "start: heading = nan; must be a finite number"),
    (lambda: RoadBuilder("a").arc(0.0, 90.0), "the radius must be > 0, the angle not 0"),
    (lambda: RoadBuilder("a").arc(20.0, 0.0), "the radius must be > 0, the angle not 0"),
    (lambda: builder().straight(0.0), "segment 2: length 0 m; must be > 0"),
    (lambda: builder().clothoid(10.0, 0.0, INF), "segment 2: curvature 0 to inf 1/m; must be finite"),
    (lambda: builder().kerb("middle"), "kerb: side = 'middle'; allowed: left, right"),
    (lambda: builder().kerb("left", slope=0.1), "kerb: 'slope' is unknown; known: slope_1"),
    (lambda: builder().unevenness("C", n_min=2.0, n_max=1.0), "n_min, n_max: found 2 and 1 1/m; must ascend"),
    (lambda: builder().patch(30.0, 20.0, friction=0.5), "patch: from s = 30 to 20 m"),
    (lambda: builder().patch(20.0, 30.0, n0=1.0, n1=-1.0, friction=0.5), "n = 1 to -1 m; both must ascend"),
    (lambda: RoadBuilder("a").path(), "road 'a': has no line"),
    (lambda: RoadBuilder("a", left=[[0.0, 1.0, 2.0]]), "expected a number or rows of .s, value.; found shape .1, 3."),
    # courses
    (lambda: iso_3888_1(0.4), "lane change: vehicle width 0.4 m; expected 0.5 to 4 m"),
    (lambda: slalom(0.0), "slalom: 10 cones every 0 m do not make a course"),
    (lambda: skidpad(20.0, side="up"), "skidpad: side = 'up'; allowed: left, right"),
    (lambda: skidpad(-1.0), "skidpad: radius and turns must be > 0"),
    (lambda: circle(0.0), "circle: the radius must be > 0"),
    (lambda: circle(9.0, side="up"), "circle: the radius must be > 0 and the side left or right"),
    # curves
    (lambda: Curve.linear([], []), "needs at least . places, found 0"),
    (lambda: Curve.linear([0.0, NAN], [1.0, 1.0]), "places must be finite numbers"),
    (lambda: Curve.linear([0.0, 1.0], [1.0, INF]), "needs 2 finite values, one per place"),
    (lambda: Curve.linear([0.0, 1.0], [1.0]), "needs 2 finite values, one per place; found shape .1,."),
    (lambda: Curve.linear([0.0, 1.0], [1.0, -2 * LARGEST]), "found the value -2e.15; no road has such a number"),
    (lambda: Samples(0.0, 0.0, np.zeros(3)), "samples: step 0 m, 3 values; needs a positive step and 2 values"),
    (lambda: Samples(0.0, 1.0, np.zeros(1)), "samples: step 1 m, 1 values; needs a positive step and 2 values"),
    (lambda: as_curve([[0.0, 1.0, 2.0]], "width"), "width: expected a number or rows of .place, value."),
    # contacts that envelop
    (lambda: Envelope(road=Flat(), mode="belt"), "mode = 'belt'; allowed: "),
    (lambda: Envelope(road=Envelope(road=Flat())), "the road below is one already"),
    (lambda: Envelope(road=Flat(), frame=Frame(x=1.0)), "move the road below instead"),
    (lambda: Envelope(road=Flat(), n_long=257), "257 × .* points; 2 to 256 by 1 to 64 are possible"),
    (lambda: Envelope(road=Flat(), width=0.0), "enveloping contact: width = 0; must be > 0"),
    (lambda: Stack(roads=[Envelope(road=Flat())]).block, "must be the outermost part of a road"),
    # grids
    (lambda: grid(headings=np.zeros(3)), "grid: headings needs 2 finite numbers; found shape .3,."),
    (lambda: grid(reference=np.zeros(2)), "grid: reference needs 3 finite numbers; found shape .2,."),
    (lambda: grid(bank=np.zeros(2)), "grid: bank needs one finite number or 3; found shape .2,."),
    (lambda: grid(friction=np.ones((4, 3))), "grid: friction needs one number or shape .3, 4.; found .4, 3."),
    (lambda: grid(closed=True), "grid: said to be closed, but its last node is 2 m from the first"),
    (lambda: grid(cubic=True, v=np.array([-1.5, -0.5, 0.7, 1.5])).block, "needs long sections at equal distances"),
    (lambda: height_map([0.0, 1.0, 3.0], [0.0, 1.0], np.zeros((3, 2))), "height map: x must be at least two ascending"),
    # what comes from outside
    (lambda: external("L1", [0.0, 0.0]), "external road under L1: a point and a normal have three numbers each"),
    (lambda: external("L1", [0.0, NAN, 0.0]), "external road under L1: .* = nan; expected a finite number"),
    (lambda: external("L1", [0.0, 0.0, 0.0], [0.0, 0.1, -1.0]), "it points upwards"),
    (lambda: external("L1", [0.0, 0.0, 0.0], friction=-0.1), "friction = -0.1; must not be negative"),
    # unevenness
    (lambda: iso_8608(0.0), "must be > 0"),
    (lambda: synthesise(iso_8608("A"), 100.0, seed=-1), "seed: found -1; must be a whole number, 0 or larger"),
    (lambda: synthesise(iso_8608("A"), 100.0, n_min=0.0151, n_max=0.0152), "no wave fits between the smallest"),
    # cross-sections
    (lambda: section(points=np.zeros((2, 1, 2))), "points have shape .2, 1, 2.; expected .2, 2 or more, 2."),
    (lambda: section(stations=np.array([0.0, 0.0])), "stations must ascend by at least"),
    (lambda: section(points=np.tile([[1.0, 0.0], [-1.0, 0.0]], (2, 1, 1))), "finite and go from right to left"),
    (lambda: section(friction=np.ones((2, 2))), "friction has shape .2, 2.; one per strip is needed"),
    # meshes
    (lambda: MeshRoad(points=THREE[:2], triangles=ONE), "mesh: points have shape .2, 3.; expected .3 or more, 3."),
    (lambda: MeshRoad(points=THREE * [1, NAN, 1], triangles=ONE), "mesh: point 0 is not finite"),
    (lambda: MeshRoad(points=THREE * 2 * FARTHEST, triangles=ONE), "mesh: point 1 is .* m from the origin; check its"),
    (lambda: MeshRoad(points=THREE, triangles=ONE[:0]), "mesh: triangles have shape .0, 3.; expected .1 or more, 3."),
    (lambda: MeshRoad(points=THREE, triangles=-ONE), "mesh: triangle 0 names point 0; there are 3"),
    (
        lambda: MeshRoad(points=THREE, triangles=ONE, friction=np.ones(2)),
        "friction needs one number per triangle",
    ),
    # paths
    (lambda: path(s=LINE.s[:1]), "path: needs at least 2 stations, found 1"),
    (lambda: path(bank=np.zeros(2)), "path: bank needs .* finite numbers, one per station; found .2,."),
    (lambda: path(s=LINE.s + 1.0), "path: stations must start at 0 and lie at equal distances"),
    (lambda: path(s=LINE.s**1.2), "path: stations must start at 0 and lie at equal distances"),
    (lambda: Path.from_points([[0.0, 0.0]]), "path: needs at least two points of two or three coordinates"),
    (lambda: Path.from_points([[0.0, 0.0], [1.0, NAN]]), "path: point 2 is not finite"),
    (lambda: Path.from_points([[0.0, 0.0], [1.0, 0.0]], closed=True), "a closed path needs at least three points"),
    (lambda: Path.from_curvature([0.0, 1.0], [0.0]), "needs at least two rows of ascending place and curvature"),
    (lambda: Path.from_curvature([0.0, 1.0], [0.0, INF]), "places and curvatures must be finite"),
    (lambda: LINE.at([1.0], "speed"), "path: has no speed"),
    (lambda: LINE.resampled(0.0), "path: step = 0 m; must be > 0"),
    (lambda: joined([(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]), "path: segment 2 has length 0 m; must be > 0"),
    (lambda: Path.from_points(THREE[:, :2], closed=True, smoothing=0.1), "smoothing is for open paths only"),
    (lambda: Path.from_points(THREE[:, :2], closed=False, smoothing=0.1), "smoothing needs at least five points"),
    # others
    (
        lambda: LineRoad(path=LINE, section=section(), kerb_left=kerb()),
        "give a cross-section or kerbs, not both",
    ),
    (lambda: Patch(friction=0.5, polygon=[(0.0, 0.0), (1.0, 0.0)]), "a polygon needs at least three points"),
    (lambda: Patch(friction=0.5, polygon=[(0, 0), (1, 0), (0, 1)], edge=0.1), "and has no blended edge"),
    (lambda: Stack(roads=[]).block, "stack of roads: needs at least one"),
    (lambda: deep(100).block, "roads nested more than"),
    (lambda: Flat(frame=Frame(height_scale=0.0)).block, "height scale of a road: must not be zero"),
]


def kerb() -> Any:

    return Kerb.uniform(0.1, 0.5, 0.9, 0.0, 0.5, 0.7)


@pytest.mark.parametrize(("make", "message"), CASES, ids=[message[:40] for _, message in CASES])
def test_what_no_road_is_made_of_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_what_the_cases_change_is_a_road_without_the_change() -> None:
    assert grid().block is not None and path().length == LINE.length
    assert section().points.shape == (2, 2, 2) and builder().path().length == 100.0
    assert MeshRoad(points=THREE, triangles=ONE).block is not None and deep(2).block is not None
    assert external("L1", [1.0, 2.0, 3.0], [0.0, 0.1, 1.0], 0.7)
