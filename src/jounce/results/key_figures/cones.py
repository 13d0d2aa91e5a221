"""Cones: which of them a vehicle hits, with what and when, and how near it comes to the others.

Seen from above the vehicle is a rectangle about its reference point (the ground under the front wheel centres), as
wide as its body, from ``rear`` behind the point to ``front`` ahead of it; roll and pitch are left out. A cone is a disc
of the radius r = 0.092 m at the height of the body, on a square base of 0.30 m, which the contacts of the tires may
touch. In the axes of the rectangle with the half sides h the centre p of a disc has the signed distance

    d(p) = |max(q, 0)| + min(max(q_x, q_y), 0) − r,   q = |p| − h                                                (1)

and a square of the half side b, with the normals e, against a tire's contact is separated along the four normals of
both rectangles by at most

    d(p) = max_i(|p·n_i| − h_x |n_ix| − h_y |n_iy| − b (|n_i·e_x| + |n_i·e_y|))                                  (2)

which is negative where they overlap, and then the least way out. Touching, d = 0, is a hit. Both are convex in p.
Between two rows positions and headings go on straight; with pieces of at most 0.1 m of travel, in which the cone passes
the rectangle on a straight line, the least d of a piece is found by golden section: nothing passes between samples.

A wheel that is lifted counts as if it were on the ground. A gate is passed where the reference point crosses the line
between its two cones, from before to behind it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array
from jounce.results.verdict import Criterion, Verdict, judge

if TYPE_CHECKING:
    from jounce.results.run import Run

RADIUS = 0.092  # m, of a cone at the height of the body
BASE = 0.15  # m, half side of its base plate
TRAVEL = 0.1  # m, of the longest piece between two samples
TOUCHING = 1e-9  # m: rounding of distances
NARROWING = 40  # steps of the golden section: 0.618^40 of 0.1 m is less than TOUCHING
GOLDEN = 0.5 * (math.sqrt(5) - 1)
SPEED_BAND = 3 / 3.6  # m/s, of ISO 3888-1 about its entry speed

X, Y, YAW = "Vehicle.Origin_Global_X", "Vehicle.Origin_Global_Y", "chassis_displacements.yaw"
PATCH_X, PATCH_Y = "Road.Contact_Patch_Global_X", "Road.Contact_Patch_Global_Y"
STEER, DEPTH = "Wheel.Spindle_Steer", "Tire.Effective_Penetration"
STANDARD = ("iso_3888_1",)  # courses whose standard asks for an entry speed

UNITS = {
    "cones_hit": "-",
    "gates_missed": "-",
    "cone_clearance": "m",
    "entry_speed": "km/h",
    "exit_speed": "km/h",
    "side_slip_peak": "deg",
    "lateral_acceleration_peak": "m/s2",
    "steering_peak": "deg",
    "steering_rate_peak": "deg/s",
}
WORDS = {
    "cones_hit": "Cones hit",
    "gates_missed": "Gates missed",
    "cone_clearance": "Least distance of the body from a cone",
    "entry_speed": "Speed at the first gate",
    "exit_speed": "Speed behind the last gate",
    "side_slip_peak": "Largest side slip angle",
    "lateral_acceleration_peak": "Largest lateral acceleration",
    "steering_peak": "Largest steering wheel angle",
    "steering_rate_peak": "Largest rate of the steering wheel",
}
FIRST = ("cones_hit", "cone_clearance", "entry_speed", "exit_speed", "side_slip_peak", "lateral_acceleration_peak")


@dataclass(frozen=True)
class Hit:
    """A cone that was hit: its number, gate and side, when first, by what, and how deep."""

    cone: int
    gate: int
    side: str
    time: float
    by: str
    depth: float

    def __str__(self) -> str:
        return f"cone {self.cone} (gate {self.gate}, {self.side}) by {self.by} at {self.time:.2f} s"


@dataclass(frozen=True, eq=False)
class Rectangle:
    """A rectangle that moves in the plane: place and heading of its reference point over time, and its edges."""

    time: Array
    x: Array
    y: Array
    heading: Array
    front: float
    rear: float
    width: float


@dataclass(frozen=True, eq=False)
class Passing:
    """How near a rectangle comes to every cone: least distance, when that is, and when they first touch, or nan."""

    distance: Array
    when: Array
    first: Array


# --- the test --------------------------------------------------------------------------------------------------------


def of_discs(moving: Rectangle, places: Array, radius: float = RADIUS) -> Passing:
    """Distance (1) of discs with the centres ``places`` (k, 2) from a rectangle."""
    half = np.array([0.5 * (moving.front + moving.rear), 0.5 * moving.width])

    def distance(px: Array, py: Array, _: Array) -> Array:
        qx, qy = np.abs(px) - half[0], np.abs(py) - half[1]
        outside = np.hypot(np.maximum(qx, 0.0), np.maximum(qy, 0.0))
        return np.asarray(outside + np.minimum(np.maximum(qx, qy), 0.0) - radius)  # (1)

    return _nearest(moving, places, distance, half)


def of_squares(moving: Rectangle, places: Array, heading: float, half_side: float = BASE) -> Passing:
    """Separation (2) of squares with a heading of their own from a rectangle."""
    half = np.array([0.5 * (moving.front + moving.rear), 0.5 * moving.width])

    def distance(px: Array, py: Array, turned: Array) -> Array:
        c, s = np.cos(heading - turned), np.sin(heading - turned)
        reach = half_side * (np.abs(c) + np.abs(s))
        own = np.maximum(np.abs(px) - half[0], np.abs(py) - half[1]) - reach  # normals of the rectangle
        along = np.abs(px * c + py * s) - half[0] * np.abs(c) - half[1] * np.abs(s)
        across = np.abs(py * c - px * s) - half[0] * np.abs(s) - half[1] * np.abs(c)
        return np.asarray(np.maximum(own, np.maximum(along, across) - half_side))  # (2)

    return _nearest(moving, places, distance, half)


def _nearest(
    moving: Rectangle, places: Array, distance: Callable[[Array, Array, Array], Array], half: Array
) -> Passing:
    """Least distance over all pieces of the way; only those pieces are searched that can hold it, or a touch."""
    time, x, y, heading = _refined(moving, 2.0 * float(np.hypot(*half)))
    middle = 0.5 * (moving.front - moving.rear)  # of the rectangle, ahead of its reference point
    c, s = np.cos(heading), np.sin(heading)
    dx, dy = places[:, :1] - x, places[:, 1:] - y
    px, py = c * dx + s * dy - middle, c * dy - s * dx  # a row for each cone
    at_rows = distance(px, py, heading)
    nearest = at_rows.argmin(axis=1)
    everyone = np.arange(len(places))
    least, when = at_rows[everyone, nearest], time[nearest]
    first = np.where(at_rows[:, 0] <= TOUCHING, time[0], np.nan)
    if len(time) == 1:
        return Passing(least, when, first)
    # a distance changes by no more than the way of the cone in the axes of the rectangle, and what turning adds
    way = np.hypot(np.diff(px), np.diff(py)) + (float(half.sum()) + 2 * BASE) * np.abs(np.diff(heading))
    bound = 0.5 * (at_rows[:, :-1] + at_rows[:, 1:] - way)
    cone, piece = np.nonzero(bound <= np.maximum(least, TOUCHING)[:, None])
    a = np.stack([px[cone, piece], py[cone, piece], heading[piece]])
    b = np.stack([px[cone, piece + 1], py[cone, piece + 1], heading[piece + 1]]) - a

    def inside(u: Array) -> Array:
        return distance(*(a + u * b))

    low, high = np.zeros(len(cone)), np.ones(len(cone))
    for _ in range(NARROWING):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        nearer = inside(left) <= inside(right)
        low, high = np.where(nearer, low, left), np.where(nearer, right, high)
    u = 0.5 * (low + high)
    for end in (0.0, 1.0):
        u = np.where(inside(np.full(len(u), end)) <= inside(u), end, u)
    values = inside(u)
    # when each piece is entered: its distance is convex, and falls up to its least
    low, high = np.zeros(len(u)), u
    for _ in range(NARROWING):
        half_way = 0.5 * (low + high)
        touches = inside(half_way) <= TOUCHING
        low, high = np.where(touches, low, half_way), np.where(touches, half_way, high)
    spacing = time[piece + 1] - time[piece]
    for k, value, best, enters in zip(
        cone, values, time[piece] + u * spacing, time[piece] + high * spacing, strict=True
    ):
        if value < least[k]:
            least[k], when[k] = value, best
        if value <= TOUCHING and not first[k] <= enters:
            first[k] = enters
    return Passing(least, when, first)


def _refined(moving: Rectangle, size: float) -> tuple[Array, Array, Array, Array]:
    """Rows with others between them where a corner of the rectangle travels more than ``TRAVEL``."""
    time, rows = moving.time, (moving.x, moving.y, np.unwrap(moving.heading))
    if len(time) < 2:
        return time, *rows
    way = np.hypot(np.diff(rows[0]), np.diff(rows[1])) + size * np.abs(np.diff(rows[2]))
    parts = np.maximum(np.ceil(way / TRAVEL).astype(int), 1)
    at = np.concatenate([[0.0], np.cumsum(np.repeat(1.0 / parts, parts))])
    at[-1] = len(time) - 1
    index = np.arange(len(time), dtype=float)
    return tuple(np.interp(at, index, values) for values in (time, *rows))


# --- of a run --------------------------------------------------------------------------------------------------------


def kept(run: Run) -> Mapping[str, Any] | None:
    """The course that a run says it drove: cones in the world, and the size of the vehicle."""
    found = run.metadata.get("cones")
    return found if isinstance(found, Mapping) else None


def body(run: Run, course: Mapping[str, Any]) -> Rectangle:
    """The rectangle of the vehicle of a run."""
    size = course["size"]
    return Rectangle(run.time, run[X], run[Y], run[YAW], size["front"], size["rear"], size["width"])


def tires(run: Run, course: Mapping[str, Any]) -> dict[str, Rectangle]:
    """The contact of every tire with the road: as wide as its tread, as long as the chord of its deflection."""
    found = {}
    for wheel, tire in course.get("tires", {}).items():
        names = [f"{name}.{wheel}" for name in (PATCH_X, PATCH_Y)]
        if not all(name in run for name in names):
            continue
        depth = f"{DEPTH}.{wheel}"
        pressed = float(np.max(run[depth])) if depth in run and len(run) else 0.0
        radius = float(tire["radius"])
        half = math.sqrt(max(2 * radius * pressed - pressed**2, 0.0))
        steer = f"{STEER}.{wheel}"
        turned = run[steer] if steer in run else np.zeros(len(run))
        heading = run[YAW] + turned
        found[wheel] = Rectangle(run.time, run[names[0]], run[names[1]], heading, half, half, float(tire["width"]))
    return found


def hits(run: Run) -> list[Hit]:
    """The cones that a run hit, in the order of time."""
    return _examined(run)[0]


def _examined(run: Run) -> tuple[list[Hit], float]:
    """Cones hit, and the least distance of the body from a cone."""
    course = kept(run)
    if course is None or not len(run) or not all(name in run for name in (X, Y, YAW)):
        return [], math.nan
    cones = np.asarray(course["cones"], dtype=float).reshape(-1, 4)
    places, heading = cones[:, 2:], float(course["heading"])
    by = {"the body": of_discs(body(run, course), places)}
    by |= {f"tire {wheel}": of_squares(tire, places, heading) for wheel, tire in tires(run, course).items()}
    found = []
    for k, (gate, side, _, _) in enumerate(cones):
        touched = [(p.first[k], name, p.distance[k]) for name, p in by.items() if not math.isnan(p.first[k])]
        if touched:
            when, name, _ = min(touched)
            depth = max(0.0, -min(distance for _, _, distance in touched))
            found.append(Hit(k + 1, int(gate), "left" if side > 0 else "right", float(when), name, float(depth)))
    least = float(by["the body"].distance.min()) if len(cones) else math.nan
    return sorted(found, key=lambda hit: (hit.time, hit.cone)), least


def crossings(x: Array, y: Array, left: Array, right: Array) -> tuple[Array, Array]:
    """Where a way crosses the lines between pairs of cones, from behind to ahead: row (nan: never), share from the
    right cone (0) to the left one (1)."""
    row, share = np.full(len(left), np.nan), np.full(len(left), np.nan)
    for k, (a, b) in enumerate(zip(left, right, strict=True)):
        across = (a - b) / np.hypot(*(a - b))
        ahead = np.array([across[1], -across[0]])  # left of it is the left cone
        before = (x - b[0]) * ahead[0] + (y - b[1]) * ahead[1]
        at = np.flatnonzero((before[:-1] < 0) & (before[1:] >= 0))
        for i in at:
            part = before[i] / (before[i] - before[i + 1])
            px, py = x[i] + part * (x[i + 1] - x[i]), y[i] + part * (y[i + 1] - y[i])
            where = ((px - b[0]) * across[0] + (py - b[1]) * across[1]) / np.hypot(*(a - b))
            if math.isnan(row[k]) or abs(where - 0.5) < abs(share[k] - 0.5):
                row[k], share[k] = i + part, where
    return row, share


def of_run(run: Run) -> Figures:
    """Key figures of a run through a course of cones."""
    figures = Figures()
    course = kept(run)
    if course is None or len(run) < 2 or not all(name in run for name in (X, Y, YAW)):
        for name, unit in UNITS.items():
            figures.missing([name], unit, "cones: the run does not say which course it drove, or has no positions")
        return figures
    found, least = _examined(run)
    row, _ = _gates(run, course)
    size, speed = course["size"], run.signal("speed")
    done = _passes(run, course, -1, -size["rear"])
    through = not math.isnan(done)
    if found or through:
        figures.put("cones_hit", len(found), "-")
    else:
        figures.missing(["cones_hit"], "-", f"cones: {_reached(row)}, and none was hit until then")
    if through:
        figures.put("gates_missed", len(gates_missed(run)), "-")
    else:
        figures.missing(["gates_missed"], "-", f"cones: {_reached(row)}")
    figures.put("cone_clearance", least, "m")
    for name, when in (("entry_speed", _passes(run, course, 0, size["front"])), ("exit_speed", done)):
        if math.isnan(when):
            figures.missing([name], "km/h", f"cones: {_reached(row)}")
        else:
            figures.put(name, 3.6 * float(np.interp(when, run.time, speed)), "km/h")
    _peaks(figures, run)
    return figures


def _peaks(figures: Figures, run: Run) -> None:
    signals = (("side_slip_peak", "side_slip", DEGREE), ("lateral_acceleration_peak", "lateral_acceleration", 1.0),
               ("steering_peak", "steering", DEGREE))  # fmt: skip
    for name, signal, unit in signals:
        if run.has_signal(signal):
            figures.put(name, float(np.max(np.abs(run.signal(signal)))) / unit, UNITS[name])
        else:
            figures.missing([name], UNITS[name], f"cones: the run has no {signal.replace('_', ' ')}")
    if run.has_signal("steering"):
        rate = np.gradient(run.signal("steering"), run.time)
        figures.put("steering_rate_peak", float(np.max(np.abs(rate))) / DEGREE, "deg/s")
    else:
        figures.missing(["steering_rate_peak"], "deg/s", "cones: the run has no steering")


def gates_missed(run: Run) -> list[int]:
    """Numbers of the gates that a run did not pass."""
    course = kept(run)
    if course is None or len(run) < 2 or not all(name in run for name in (X, Y)):
        return []
    _, share = _gates(run, course)
    return [k + 1 for k, s in enumerate(share) if not 0 < s < 1]


def _pairs(course: Mapping[str, Any]) -> tuple[Array, Array]:
    cones = np.asarray(course["cones"], dtype=float).reshape(-1, 4)
    return cones[cones[:, 1] > 0, 2:], cones[cones[:, 1] < 0, 2:]


def _gates(run: Run, course: Mapping[str, Any]) -> tuple[Array, Array]:
    return crossings(run[X], run[Y], *_pairs(course))


def _passes(run: Run, course: Mapping[str, Any], gate: int, ahead: float) -> float:
    """When a point of the body, ``ahead`` of the reference point, crosses the line of a gate, however far aside."""
    x, y, yaw = run[X], run[Y], run[YAW]
    left, right = _pairs(course)
    row, _ = crossings(x + ahead * np.cos(yaw), y + ahead * np.sin(yaw), left[[gate]], right[[gate]])
    return math.nan if math.isnan(row[0]) else float(np.interp(row[0], np.arange(len(run)), run.time))


def _reached(row: Array) -> str:
    passed = int(np.count_nonzero(~np.isnan(row)))
    return f"the run ended between gate {passed} and {passed + 1} of {len(row)}" if passed else "no gate was reached"


def verdict(run: Run) -> Verdict:
    """Passed: through all gates, no cone touched; of ISO 3888-1 also that the entry speed was the one asked for."""
    course = kept(run)
    if course is None:
        return judge(Criterion("no cone is touched: the run does not say which course it drove", None))
    figures = run.kpis
    unknown = math.nan, "-"
    missed = figures.get("gates_missed", unknown)[0]
    count = figures.get("cones_hit", unknown)[0]
    found = hits(run) if count > 0 else []
    told = ", ".join(map(str, found[:3])) + (f" and {len(found) - 3} more" if len(found) > 3 else "")
    text = "no cone is touched" + (f"; hit: {told}" if found else "")
    ended = "; " + (run.reason or "the run ended before the course did")
    criteria = [
        Criterion(text + (ended if math.isnan(count) else ""), None if math.isnan(count) else count == 0, count, 0.0),
        Criterion(
            "all gates are passed" + (ended if math.isnan(missed) else ""),
            None if math.isnan(missed) else missed == 0,
            missed,
            0.0,
        ),
    ]
    wanted = run.number("speed", "m/s")
    entry = figures.get("entry_speed", unknown)[0]
    if course.get("variant") in STANDARD and not math.isnan(wanted):
        met = None if math.isnan(entry) else abs(entry / 3.6 - wanted) <= SPEED_BAND
        limit = 3.6 * wanted
        criteria.append(Criterion(f"entry speed {limit:.4g} ± 3 km/h", met, entry, limit, "km/h"))
    if not run.complete and missed == 0 and not math.isnan(count):
        criteria.append(Criterion(f"the run comes to its end: {run.reason}", False))
    return judge(*criteria)


def table(found: Sequence[Hit]) -> list[tuple[str, ...]]:
    """Rows for people: cone, gate, side, by, time, depth."""
    return [
        (str(h.cone), str(h.gate), h.side, h.by, f"{h.time:.3f} s", f"{1000 * h.depth:.0f} mm" if h.depth > 0 else "0")
        for h in found
    ]
