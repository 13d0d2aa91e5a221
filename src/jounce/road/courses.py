"""Courses of standard tests: paths, and the cones that mark their lanes.

Lane changes of ISO 3888 go through lanes marked by cones; a path through their middle lines is offered as a start (the
standards prescribe no path). w is the width of the vehicle; x runs from the first gate of the run-up.

    ISO 3888-1: sections 15, 30, 25, 25, 15, 15 m; lane widths 1.1 w + 0.25, 1.2 w + 0.25, 1.3 w + 0.25; offset 3.5 m
    ISO 3888-2: sections 12, 13.5, 11, 12.5, 12 m; widths 1.1 w + 0.25, w + 1, max(1.3 w + 0.25, 3); offset 1 m
    Consumer Reports: 6 gates every 12.5 ft, one gate 60 ft later, 6 gates every 12 ft 60 ft later; widths 9, 13, 13 ft
        between the centres of the cones, for all vehicles; in metres 3.81, 18.29, 3.658 and 2.74, 3.96, 3.96

Cone centres of ISO 3888 stand half a base plate (0.15 m) outside the clear width.

The eased path through a course asks for the least largest second and third derivative of y over x, a linear program.
A body of the width w, which reaches from a rear to a front and points along the path, keeps the margin m to all cones:
at the place a of a gate within its reach

    y(x) + (a − x) y'(x) ± (w/2 + m) sqrt(1 + y'²)   within the clear width                                     (1)

with the slope in the root from the program before. A trajectory through a course may be moved at its control points:
`Control` is the grid of their places; the path through them is a C² spline over x, straight before and behind them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.road.block import Array
from jounce.road.path import Path, joined

CONE_RADIUS = 0.092  # of the body, m
CONE_BASE = 0.15  # half of the base plate, m
SMOOTH = 5.0  # m
MOST_STATIONS = 100_000  # of a trajectory through control points: 50 km
MOST_PLACES = 1000  # of a control point, to either side
PASSES = 3  # programs, until the slopes of (1) stay


@dataclass(frozen=True, eq=False)
class Course:
    """Gates and a path through them.

    Attributes
    ----------
    gates : (n, 3): x of a gate, y of its left cone, y of its right cone, m; centres of the cones
    path : through the middle of the lanes
    points : (m, 2): x and y of the path where it changes, m; what a search may move
    """

    gates: Array
    path: Path
    name: str
    points: Array

    def mirrored(self) -> Course:
        """The course whose left is right."""
        flip = np.array([1.0, -1.0])
        gates = np.column_stack([self.gates[:, 0], -self.gates[:, 2], -self.gates[:, 1]])
        return replace(self, gates=gates, path=self.path.mirrored(), points=self.points * flip)

    def cones(self, x: float = 0.0, y: float = 0.0, heading: float = 0.0) -> Array:
        """(k, 4): gate (from 1), side (1 left, -1 right), and place of every cone where the course begins at x, y."""
        n = len(self.gates)
        gate, side = np.repeat(np.arange(1.0, n + 1), 2), np.tile([1.0, -1.0], n)
        along, across = np.repeat(self.gates[:, 0], 2), self.gates[:, 1:].ravel()
        c, s = math.cos(heading), math.sin(heading)
        return np.column_stack([gate, side, x + c * along - s * across, y + s * along + c * across])


@dataclass(frozen=True, eq=False)
class Control:
    """Places that the control points of a trajectory may take.

    Attributes
    ----------
    points : (m, 2): x, ascending, and y of the base trajectory, m
    reach, step : largest move to either side, and the distance between two places, m
    begin, end : first and last control point that is moved, from 1; 0: the last
    """

    points: Array
    reach: float = 2.0
    step: float = 1.0
    begin: int = 1
    end: int = 0

    def __post_init__(self) -> None:
        p = np.asarray(self.points, dtype=float)
        if p.ndim != 2 or p.shape[1] != 2 or len(p) < 2 or not np.isfinite(p).all() or not np.all(np.diff(p[:, 0]) > 0):
            raise ParameterError("control points: expected at least two rows of x and y, x ascending")
        if not (0 < self.step <= self.reach < 100):
            raise ParameterError(
                f"control points: range {self.reach:g} m, step {self.step:g} m; expected 0 < step ≤ range < 100 m"
            )
        if not self.reach / self.step <= MOST_PLACES:
            raise ParameterError(
                f"control points: range {self.reach:g} m, step {self.step:g} m; at most {MOST_PLACES} steps"
            )
        if not 1 <= self.begin <= self.last <= len(p):
            raise ParameterError(
                f"control points: moved are {self.begin} to {self.last}; expected numbers from 1 to {len(p)}, in order"
            )

    @property
    def last(self) -> int:
        """The last control point that is moved, from 1."""
        return self.end or len(self.points)

    @property
    def moved(self) -> int:
        """How many control points are moved."""
        return self.last - self.begin + 1

    @property
    def levels(self) -> int:
        """How many places each of them has."""
        return 2 * math.floor(self.reach / self.step + 1e-9) + 1

    def trajectory(self, offsets: npt.ArrayLike) -> Array:
        """The control points where those that move are moved aside, m."""
        aside = np.asarray(offsets, dtype=float)
        if aside.shape != (self.moved,) or not np.isfinite(aside).all():
            raise ParameterError(f"control points: expected {self.moved} offsets, found shape {aside.shape}")
        points = np.array(self.points, dtype=float)
        points[self.begin - 1 : self.last, 1] += aside
        return points

    def halved(self, centre: npt.ArrayLike) -> Control:
        """Half the step about a trajectory, within half the range."""
        return replace(self, points=self.trajectory(centre), reach=0.5 * self.reach, step=0.5 * self.step)


def through(points: npt.ArrayLike, run_up: float, run_out: float, step: float = 0.5, name: str = "trajectory") -> Path:
    """The path through control points, straight for ``run_up`` before them and ``run_out`` behind them.

    It begins at x of the first point less the run-up.
    """
    from scipy.interpolate import CubicSpline

    p = np.asarray(points, dtype=float)
    stations = (p[-1, 0] - p[0, 0] + run_up + run_out) / step
    if not stations <= MOST_STATIONS:
        raise ParameterError(f"trajectory {name!r}: {stations * step:.4g} m long; at most {MOST_STATIONS * step:.4g} m")
    spline = CubicSpline(p[:, 0], p[:, 1], bc_type="clamped")
    x = np.arange(p[0, 0] - run_up, p[-1, 0] + run_out + 0.5 * step, step)
    return Path.from_points(
        np.column_stack([x, spline(np.clip(x, p[0, 0], p[-1, 0]))]), closed=False, step=step, name=name
    )


def _smooth(x: Array, points: list[tuple[float, float]]) -> Array:
    """y from place to place with zero slope and curvature at each."""
    a, b = np.array(points).T
    i = np.clip(np.searchsorted(a, x, side="right") - 1, 0, len(a) - 2)
    q = np.clip((x - a[i]) / (a[i + 1] - a[i]), 0.0, 1.0)
    return np.asarray(b[i] + (b[i + 1] - b[i]) * q**3 * (10 - 15 * q + 6 * q * q))


def _through(points: list[tuple[float, float]], step: float, name: str) -> Path:
    x = np.arange(points[0][0], points[-1][0] + 0.5 * step, step)
    return Path.from_points(np.column_stack([x, _smooth(x, points)]), closed=False, step=step, name=name)


def _lane(x0: float, x1: float, n: int, left: float, right: float) -> list[tuple[float, float, float]]:
    return [(float(x), left + CONE_BASE, right - CONE_BASE) for x in np.linspace(x0, x1, n)]


def _width(vehicle_width: float) -> float:
    if not (math.isfinite(vehicle_width) and 0.5 < vehicle_width < 4):
        raise ParameterError(f"lane change: vehicle width {vehicle_width:g} m; expected 0.5 to 4 m")
    return vehicle_width


def iso_3888_1(
    vehicle_width: float = 2.0, start: float = 30.0, run_out: float = 60.0, step: float = 0.5, last: float = 30.0
) -> Course:
    """Double lane change: 125 m of course.

    Parameters
    ----------
    start : x of the first gate, m
    run_out : path behind the last gate, m
    last : length of the last lane, m, with a gate every 15 m: 15 + 15 in the standard, more marks the way out
    """
    if not (15 <= last < 1e4 and math.isclose(last / 15, round(last / 15))):
        raise ParameterError(f"lane change: last = {last:g} m; expected 15, 30, 45 … m")
    w = _width(vehicle_width)
    b1, b2, b3 = 1.1 * w + 0.25, 1.2 * w + 0.25, 1.3 * w + 0.25
    x = start + np.cumsum([0.0, 15.0, 30.0, 25.0, 25.0, last])
    right = -0.5 * b1
    # the right edge of the second lane is 3.5 m left of that of the first, the third lane begins at the first's
    gates = [
        *_lane(x[0], x[1], 3, 0.5 * b1, right),
        *_lane(x[2], x[3], 3, right + 3.5 + b2, right + 3.5),
        *_lane(x[4], x[5], round(last / 15) + 1, right + b3, right),
    ]
    middle = [0.0, right + 3.5 + 0.5 * b2, right + 0.5 * b3]
    points = [
        (0.0, 0.0),
        (x[1], 0.0),
        (x[2], middle[1]),
        (x[3], middle[1]),
        (x[4], middle[2]),
        (x[5] + run_out, middle[2]),
    ]
    moving = np.array([*points[1:-1], (x[5], middle[2])])
    return Course(np.array(gates), _through(points, step, "iso_3888_1"), "iso_3888_1", moving)


def iso_3888_2(vehicle_width: float = 2.0, start: float = 30.0, run_out: float = 60.0, step: float = 0.5) -> Course:
    """Obstacle avoidance: 61 m of course."""
    w = _width(vehicle_width)
    b1, b2, b3 = 1.1 * w + 0.25, w + 1.0, max(1.3 * w + 0.25, 3.0)
    x = start + np.cumsum([0.0, 12.0, 13.5, 11.0, 12.5, 12.0])
    right, left = -0.5 * b1, 0.5 * b1
    second = left + 1.0  # right edge of the second lane: one metre left of the first lane
    gates = [
        *_lane(x[0], x[1], 5, left, right),
        *_lane(x[2], x[3], 5, second + b2, second),
        *_lane(x[4], x[5], 5, left, left - b3),
    ]
    middle = [0.0, second + 0.5 * b2, left - 0.5 * b3]
    points = [
        (0.0, 0.0),
        (x[1], 0.0),
        (x[2], middle[1]),
        (x[3], middle[1]),
        (x[4], middle[2]),
        (x[5] + run_out, middle[2]),
    ]
    moving = np.array([*points[1:-1], (x[5], middle[2])])
    return Course(np.array(gates), _through(points, step, "iso_3888_2"), "iso_3888_2", moving)


def consumer_reports(start: float = 30.0, run_out: float = 60.0, step: float = 0.5) -> Course:
    """Avoidance manoeuvre of Consumer Reports: a lane, one gate aside, a lane; the same for all vehicles."""
    first = [(start + 3.81 * k, 1.370, -1.370) for k in range(6)]
    aside = (first[-1][0] + 18.29, 5.640, 1.680)
    last = [(aside[0] + 18.29 + 3.658 * k, 1.980, -1.980) for k in range(6)]
    middle = 0.5 * (aside[1] + aside[2])
    points = [(0.0, 0.0), (first[-1][0], 0.0), (aside[0], middle), (last[0][0], 0.0), (last[-1][0], 0.0)]
    path = _through([*points, (last[-1][0] + run_out, 0.0)], step, "consumer_reports")
    return Course(np.array([*first, aside, *last]), path, "consumer_reports", np.array(points[1:]))


def slalom(
    pitch: float = 18.0,
    cones: int = 10,
    start: float = 40.0,
    line: float = 1.55,
    amplitude: float = 1.6,
    run_out: float = 60.0,
    step: float = 0.5,
) -> Course:
    """Cones in a row on y = ``line``; the far cones, 7 m away, only close the gates. The path weaves around them."""
    if not (pitch > 2 and cones >= 2 and amplitude > 0):
        raise ParameterError(f"slalom: {cones} cones every {pitch:g} m do not make a course")
    x = start + pitch * np.arange(cones)
    gates = [(float(a), line, line - 7.0) if k % 2 == 0 else (float(a), line + 7.0, line) for k, a in enumerate(x)]
    sides = [line + (-amplitude if k % 2 == 0 else amplitude) for k in range(cones)]
    points = [(0.0, sides[0]), *zip(x.tolist(), sides, strict=True), (float(x[-1]) + run_out, sides[-1])]
    return Course(np.array(gates), _through(points, step, "slalom"), "slalom", np.array(points[1:-1]))


def skidpad(
    radius: float,
    *,
    side: str = "left",
    entry: float = 50.0,
    spiral: float = 20.0,
    turns: float = 1.0,
    exit_spiral: float | None = None,
    exit_length: float = 0.0,
    step: float = 0.5,
) -> Path:
    """Straight, clothoid, circle, and (with ``exit_length``) clothoid and straight again.

    Parameters
    ----------
    turns : of the circle itself, without the clothoids
    spiral, exit_spiral : lengths of the clothoids, m; 0 goes into the circle at once
    """
    if side not in ("left", "right"):
        raise ParameterError(f"skidpad: side = {side!r}; allowed: left, right")
    if not (radius > 0 and entry >= 0 and spiral >= 0 and turns > 0):
        raise ParameterError("skidpad: radius and turns must be > 0, lengths not negative")
    k = (1.0 if side == "left" else -1.0) / radius
    parts = [(entry, 0.0, 0.0)] if entry > 0 else []
    parts += [(spiral, 0.0, k)] if spiral > 0 else []
    parts.append((2 * math.pi * radius * turns, k, k))
    last = spiral if exit_spiral is None else exit_spiral
    if exit_length > 0:
        parts += [(last, k, 0.0)] if last > 0 else []
        parts.append((exit_length, 0.0, 0.0))
    return joined(parts, step=step, name="skidpad")


def circle(radius: float, *, side: str = "left", step: float | None = None) -> Path:
    """A closed circle through the origin, heading along x."""
    if not radius > 0 or side not in ("left", "right"):
        raise ParameterError("circle: the radius must be > 0 and the side left or right")
    k = (1.0 if side == "left" else -1.0) / radius
    length = 2 * math.pi * radius
    return Path.from_curvature([0.0, length], [k, k], step=step or min(1.0, radius / 10), closed=True, name="circle")


def eased(
    course: Course, vehicle_width: float, margin: float = 0.1, step: float = 1.0, front: float = 0.0, rear: float = 0.0
) -> Path:
    """The path through the gates of a course that asks for little lateral acceleration and jerk.

    The program (1) is solved at most ``PASSES`` times, as long as there is a path; the third derivative counts in
    metres times ``SMOOTH``. In a lane, the path between two gates is within it, too.

    Parameters
    ----------
    vehicle_width, margin : w and m, m
    front, rear : reach of the body ahead of and behind the point that is on the path, m
    """
    w = _width(vehicle_width)
    x = np.arange(0.0, course.path.x[-1] + 0.5 * step, step)
    y, slope = None, np.zeros(len(x))
    for _ in range(PASSES):
        found = _least_bent(course, x, slope, 0.5 * w + margin, front, rear)
        if found is None:
            break
        y, slope = found, np.gradient(found, step)
    if y is None:
        raise ParameterError(f"{course.name}: a car of {w:g} m does not fit with a margin of {margin:g} m")
    return Path.from_points(np.column_stack([x, y]), closed=False, step=0.5 * step, name=f"{course.name}_eased")


def _least_bent(course: Course, x: Array, slope: Array, half: float, front: float, rear: float) -> Array | None:
    """y of the eased path; None where there is none."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    n, step, gates = len(x), float(x[1] - x[0]), course.gates
    ends = [(course.path.y[0], course.path.y[0])] * 3, [(course.path.y[-1], course.path.y[-1])] * 3
    within: list[tuple[float, float]] = [
        *ends[0],
        *[(-np.inf, np.inf)] * (n - 6),
        *ends[1],
        (0.0, np.inf),
        (0.0, np.inf),
    ]
    row: list[int] = []
    column: list[int] = []
    value: list[float] = []
    limit: list[float] = []

    def at_most(places: Sequence[int], factors: Sequence[float], bound: float) -> None:
        row.extend([len(limit)] * len(places))
        column.extend(places)
        value.extend(factors)
        limit.append(bound)

    for k, factors in ((0, (1.0, -2.0, 1.0)), (1, (-1.0, 3.0, -3.0, 1.0))):
        order = len(factors) - 1
        for i in range(n - order):
            for sign in (1.0, -1.0):
                scaled = [sign * f / step**order for f in factors]
                at_most([*range(i, i + order + 1), n + k], [*scaled, -1.0], 0.0)
    places = [(float(a), float(left), float(right)) for a, left, right in gates]
    for gate, after in itertools.pairwise(gates):
        if np.allclose(gate[1:], after[1:]):  # the same lane
            between = x[(x > gate[0]) & (x < after[0])]
            places += [(float(a), float(gate[1]), float(gate[2])) for a in between]
    for a, left, right in places:
        for near in np.flatnonzero((x >= a - front - 0.5 * step) & (x <= a + rear + 0.5 * step)):
            j = min(max(int(near), 1), n - 2)
            lead = 0.5 * (a - x[j]) / step  # of the difference of its neighbours
            room = half * math.sqrt(1 + slope[j] ** 2) + CONE_BASE
            at_most([j, j + 1, j - 1], [1.0, lead, -lead], left - room)
            at_most([j, j + 1, j - 1], [-1.0, -lead, lead], -right - room)
    matrix = coo_matrix((value, (row, column)), shape=(len(limit), n + 2)).tocsr()
    found = linprog(np.array([*np.zeros(n), 1.0, SMOOTH]), A_ub=matrix, b_ub=limit, bounds=within)
    return None if found.x is None else np.asarray(found.x[:n])
