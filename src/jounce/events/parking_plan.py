"""How a car is parked: the way of its rear axle, leg by leg, and the space that it parks in.

The middle of the axle that does not steer moves along the car, whatever the wheelbase. Its way is made of straights,
arcs of the radius R and clothoids of the length l between them; backwards it turns by θ over

    arc = θ R − l,   R ≥ l/θ                                                                                       (1)

    bay        a straight past the bay; backwards a quarter turn and a straight into it
    parallel   a straight beside the car in front; backwards two turns by θ, one each way, as far aside as it takes
               (by bisection over θ); forwards to the middle of the space

Where the space lies follows from the way: as near as leaves ``clearance`` between the body, seen from above, and what
stands around, all along the way. All lengths are in the axes of the lane: x ahead, y to the left, the space on the
right; a space on the left is the mirror image.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from jounce.core.errors import ParameterError
from jounce.core.tables import Array
from jounce.road.path import Path
from jounce.vehicle.size import Size

STEP = 0.05  # m, of the ways
AROUND = 6.0  # m of straight before and behind a leg: what a driver looks at
SEARCHED = 0.02  # m, of the place of the space
LONGEST = 6.0  # m, that a space may be longer than the car
WALL = 0.5  # m, thickness of what stands behind
BESIDE = 0.3  # m, by which cars in bays beside are narrower than these
KERB = 0.05  # m, that corners keep from a kerb
TOUCHES = 1e-6  # m


@dataclass(frozen=True)
class Box:
    """A rectangle seen from above: its middle, heading, length and width."""

    x: float
    y: float
    heading: float
    length: float
    width: float

    @property
    def corners(self) -> Array:
        half = 0.5 * np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]) * [self.length, self.width]
        c, s = math.cos(self.heading), math.sin(self.heading)
        return np.asarray(half @ np.array([[c, s], [-s, c]]) + [self.x, self.y])

    def mirrored(self) -> Box:
        return replace(self, y=-self.y, heading=-self.heading)

    def moved(self, x: float, y: float, heading: float) -> Box:
        c, s = math.cos(heading), math.sin(heading)
        return replace(
            self, x=x + c * self.x - s * self.y, y=y + s * self.x + c * self.y, heading=self.heading + heading
        )


@dataclass(frozen=True)
class Leg:
    """A way of the rear axle between two stops; ``path`` leads where the car goes, ``begin`` and ``end`` on it."""

    path: Path
    backwards: bool
    begin: float
    end: float


@dataclass(frozen=True)
class Plan:
    """Legs, the space, and what stands around it."""

    legs: tuple[Leg, ...]
    space: Box
    around: tuple[Box, ...]

    def mirrored(self) -> Plan:
        legs = tuple(replace(leg, path=leg.path.mirrored()) for leg in self.legs)
        return Plan(legs, self.space.mirrored(), tuple(box.mirrored() for box in self.around))

    def moved(self, x: float, y: float, heading: float) -> Plan:
        legs = tuple(replace(leg, path=leg.path.moved(x, y, heading=heading)) for leg in self.legs)
        return Plan(legs, self.space.moved(x, y, heading), tuple(box.moved(x, y, heading) for box in self.around))


# --- bodies seen from above ------------------------------------------------------------------------------------------


def in_axes(points: Array, x: Array, y: Array, heading: Array) -> Array:
    """Points (m, 2) in the axes of n poses: (n, m, 2)."""
    d = points[None, :, :] - np.stack([x, y], axis=-1)[:, None, :]
    c, s = np.cos(heading)[:, None], np.sin(heading)[:, None]
    return np.stack([c * d[..., 0] + s * d[..., 1], c * d[..., 1] - s * d[..., 0]], axis=-1)


def _outside(points: Array, low: Sequence[float], high: Sequence[float]) -> Array:
    """Distance of points (…, 2) from a rectangle along its axes; inside it less than nought, how deep."""
    over = np.maximum(np.asarray(low) - points, points - np.asarray(high))
    inside = np.minimum(np.max(over, axis=-1), 0.0)
    return np.asarray(np.hypot(*np.moveaxis(np.maximum(over, 0.0), -1, 0)) + inside)


def body(size: Size, x: Array, y: Array, yaw: Array, behind: float = 0.0) -> Array:
    """Corners (n, 4, 2) of a body whose origin is ``behind`` its place: where first axle and origin differ."""
    front, rear, half = size.front + behind, -size.rear + behind, 0.5 * size.width
    own = np.array([[front, half], [front, -half], [rear, -half], [rear, half]])
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    return np.stack([x[:, None] + c * own[:, 0] - s * own[:, 1], y[:, None] + s * own[:, 0] + c * own[:, 1]], axis=-1)


def clearance(size: Size, x: Array, y: Array, yaw: Array, box: Box, behind: float = 0.0) -> Array:
    """Distance of the body from a box at every pose; less than nought: a corner of one is inside the other."""
    corners = body(size, x, y, yaw, behind)
    turned = in_axes(corners.reshape(-1, 2), *(np.array([v]) for v in (box.x, box.y, box.heading)))[0]
    half = (0.5 * box.length, 0.5 * box.width)
    of_body = _outside(turned, (-half[0], -half[1]), half).reshape(len(x), 4)
    low, high = (-size.rear + behind, -0.5 * size.width), (size.front + behind, 0.5 * size.width)
    of_box = _outside(in_axes(box.corners, x, y, yaw), low, high)
    return np.asarray(np.minimum(of_body.min(axis=1), of_box.min(axis=1)))


def inside(size: Size, x: float, y: float, yaw: float, space: Box, behind: float = 0.0) -> float:
    """Least distance of the corners of a body from the edges of a space around it; less than nought: one is outside."""
    corners = body(size, np.array([x]), np.array([y]), np.array([yaw]), behind)[0]
    turned = in_axes(corners, *(np.array([v]) for v in (space.x, space.y, space.heading)))[0]
    room = 0.5 * np.array([space.length, space.width]) - np.abs(turned)
    return float(np.min(room))


# --- ways ------------------------------------------------------------------------------------------------------------


def _turn(angle: float, radius: float, spiral: float) -> list[tuple[float, float]]:
    """Pieces of length and curvature at their ends that turn by an angle (1)."""
    side = math.copysign(1.0, angle)
    arc = abs(angle) * radius - spiral
    return [(spiral, side / radius), (arc, side / radius), (spiral, 0.0)]


def _leg(start: tuple[float, float, float], pieces: Iterable[tuple[float, float]], backwards: bool) -> Leg:
    """A leg from a place and a heading of the car, with straights before and behind it."""
    s, kappa = [0.0, AROUND], [0.0, 0.0]
    for length, curvature in pieces:
        if length > 1e-9:
            s.append(s[-1] + length)
            kappa.append(curvature)
    end = s[-1]
    x, y, heading = start
    travel = heading + (math.pi if backwards else 0.0)
    path = Path.from_curvature(
        [*s, end + AROUND], [*kappa, 0.0], step=STEP, heading=travel,
        x=x - AROUND * math.cos(travel), y=y - AROUND * math.sin(travel), name="parking",
    )  # fmt: skip
    return Leg(path, backwards, AROUND, end)


def poses(leg: Leg) -> tuple[Array, Array, Array]:
    """Place of the rear axle and heading of the car along a leg."""
    s = np.linspace(leg.begin, leg.end, max(2, math.ceil((leg.end - leg.begin) / STEP)))
    place, heading = leg.path.at(s), leg.path.at(s, "heading")
    return place[:, 0], place[:, 1], heading - (math.pi if leg.backwards else 0.0)


def end_of(leg: Leg) -> tuple[float, float, float]:
    """Pose at its end."""
    x, y, heading = poses(leg)
    return float(x[-1]), float(y[-1]), float(heading[-1])


def least(size: Size, legs: Sequence[Leg], boxes: Sequence[Box], wheelbase: float) -> float:
    """Clearance of the planned ways; the size counts from the first axle, the ways from the rear one."""
    found = math.inf
    for leg in legs:
        x, y, yaw = poses(leg)
        for box in boxes:
            found = min(found, float(np.min(clearance(size, x, y, yaw, box, wheelbase))))
    return found


# --- plans -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wishes:
    """What a plan is made for; None: the least that does."""

    size: Size
    wheelbase: float
    radius: float
    spiral: float
    approach: float
    gap: float
    clearance: float
    length: float | None
    width: float | None


def bay(w: Wishes) -> Plan:
    """Backwards into a bay at a right angle to the lane."""
    width = w.size.width + 0.7 if w.width is None else w.width
    length = w.size.front + w.size.rear + 2 * w.clearance if w.length is None else w.length
    _long_enough(w, length, width)
    rear = w.size.rear - w.wheelbase  # of the body, behind the rear axle
    straight = _leg((0.0, 0.0, 0.0), [(w.approach, 0.0)], False)

    def plan(tail: float) -> Plan:
        back = _leg(end_of(straight), [*_turn(0.5 * math.pi, w.radius, w.spiral), (tail, 0.0)], True)
        x, y, heading = end_of(back)
        low = y - rear - 0.5 * (length - (w.size.front + w.size.rear))  # as much room at both ends
        space = Box(x, low + 0.5 * length, heading, length, width)
        sides = [Box(x + side * width, space.y, heading, length, width - BESIDE) for side in (-1.0, 1.0)]
        return Plan((straight, back), space, (*sides, Box(x, low - 0.5 * WALL, heading, WALL, 3 * width)))

    found = _least(
        plan, lambda p: least(w.size, p.legs, p.around, w.wheelbase) >= w.clearance - TOUCHES, 0.2, length + 2
    )
    if found is not None:
        return found
    raise ParameterError(
        f"parking: no way into a bay of {length:.2f} x {width:.2f} m at a radius of {w.radius:.2f} m leaves "
        f"{w.clearance:.2f} m; give more space_width or less clearance"
    )


def parallel(w: Wishes) -> Plan:
    """Backwards between two cars that stand along the lane."""
    long = w.size.front + w.size.rear
    width = w.size.width + 0.4 if w.width is None else w.width
    _long_enough(w, long if w.length is None else w.length, width)
    aside = w.size.width + w.gap
    straight = _leg((0.0, 0.0, 0.0), [(w.approach, 0.0)], False)
    back = _leg(end_of(straight), _double_turn(w, aside), True)
    x, y, heading = end_of(back)
    rear = w.size.rear - w.wheelbase

    def plan(length: float) -> Plan:
        low = x - rear - w.clearance
        space = Box(low + 0.5 * length, y, heading, length, width)
        # neighbours are as long and wide as this car, in line with it
        places = (low + length + 0.5 * long, low - 0.5 * long)
        near = [Box(place, y, heading, long, w.size.width) for place in places]
        kerb = Box(space.x, y - 0.5 * width - 0.5 * WALL, heading, 3 * length, WALL)
        ahead = 0.5 * (length - long) - w.clearance
        centre = [_leg((x, y, heading), [(ahead, 0.0)], False)] if ahead > SEARCHED else []
        return Plan((straight, back, *centre), space, (*near, kerb))

    def fits(p: Plan) -> bool:
        cars, kerb = p.around[:2], p.around[2:]
        free = least(w.size, p.legs, cars, w.wheelbase) >= w.clearance - TOUCHES
        return free and least(w.size, p.legs, kerb, w.wheelbase) >= KERB

    ends = (w.length, w.length) if w.length is not None else (long + 2 * w.clearance, long + LONGEST)
    found = _least(plan, fits, *ends)
    if found is not None:
        return found
    said = f"of {w.length:.2f} m" if w.length is not None else f"up to {long + LONGEST:.2f} m long"
    raise ParameterError(
        f"parking: a space {said} is too small for one move backwards at a radius of {w.radius:.2f} m with "
        f"{w.clearance:.2f} m of clearance; give more space_length or space_width, or less gap or clearance"
    )


def _least(plan: Callable[[float], Plan], fits: Callable[[Plan], bool], low: float, high: float) -> Plan | None:
    """The plan with the least length that fits, by halves; None: not even the longest does."""
    best = plan(high)
    if not fits(best):
        return None
    while high - low > SEARCHED:
        middle = 0.5 * (low + high)
        found = plan(middle)
        low, high, best = (low, middle, found) if fits(found) else (middle, high, best)
    return best


def _double_turn(w: Wishes, aside: float) -> list[tuple[float, float]]:
    """Two turns that lead so far to the right of a car that goes backwards."""

    def pieces(angle: float) -> list[tuple[float, float]]:
        return [*_turn(angle, w.radius, w.spiral), *_turn(-angle, w.radius, w.spiral)]

    low, high = w.spiral / w.radius, 0.5 * math.pi
    for _ in range(40):
        angle = 0.5 * (low + high)
        y = end_of(_leg((0.0, 0.0, 0.0), pieces(angle), True))[1]
        low, high = (angle, high) if -y < aside else (low, angle)
    return pieces(0.5 * (low + high))


def _long_enough(w: Wishes, length: float, width: float) -> None:
    long = w.size.front + w.size.rear
    if length < long or width < w.size.width:
        raise ParameterError(
            f"parking: the space has {length:.2f} x {width:.2f} m, the car {long:.2f} x {w.size.width:.2f} m"
        )


PLANS = {"bay": bay, "parallel": parallel}
