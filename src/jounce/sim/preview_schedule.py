"""The schedule of a preview driver: gains and steady turns of a car over speed and cornering.

Speed by speed the car runs steadily, straight ahead and in sharper and sharper turns to both sides (``sim/turns.py``);
its exact linearisation in each of them gives the law (``sim/preview.py``).

**Towed units.** Each adds its articulation γ and the rate of it to the motions x, and the articulation of the turn to
ξ₀; nothing else changes. Below the slowest speed the guided unit goes where its wheels point, whatever it tows.

**Steered axle.** Beyond the slip angle at which a car reaches its largest lateral acceleration there is no more force.
With the ratio i of the steering and the axle l ahead of the guided point, the slip angle of a turn of curvature κ is

    α(κ) = |δ₀ κ/i − atan((v_y₀ + l v) κ/v)|,    α_max = ½ (α at 0.9 of the largest + α at the largest)            (7)

where the lateral acceleration, a parabola near its top, is 0.975 of the largest one: more has to be taken back later.

Ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jounce.core.constants import GRAVITY
from jounce.core.errors import StaticsError
from jounce.sim.preview import (
    FURTHER,
    NODES,
    PERIOD,
    SPACING,
    Lateral,
    bandwidth,
    circle,
    design,
    lateral_of,
    rolling_slowly,
    shares,
)

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.sim.car import Description
    from jounce.sim.turns import Turn, Turns

Array = npt.NDArray[np.float64]

SPEEDS = (6.0, 10.0, 16.0, 24.0, 36.0, 54.0, 80.0)  # m/s
SLOWLY = (-8.0, -3.0, -1.0, 1.0, 3.0)  # where a car goes where its wheels point
FREE = 12.0  # m/s, above which tires end a turn, not the lock
NEARLY = 0.9  # of the largest lateral acceleration, where a slip angle is looked at (7)
PARTS = (-1.0, -0.9, -0.7, -0.4, 0.0, 0.4, 0.7, 0.9, 1.0)  # of the largest lateral acceleration found
STEER = (0.6, 0.95, 1.4, 2.1, 3.1, 4.6)  # hand wheel angles, in that which gives g in the linear car
MISSES = 4  # steps that are halved: a road of little friction has turns below the first angle
LITTLE = 0.05  # m/s²: less is no turn
BENT = 0.72  # of the lateral acceleration of the linear car: near enough to the largest
WHOLE = 0.7  # of the usual largest lateral acceleration: less is a search that stopped early
LEAST = 0.2  # of the steering gain on the straight: with less the car hardly answers
LOW = 2.0  # m/s²: of turns that the lock ends
MIRROR = 1e-5  # relative: both sides of the car are alike
GAINS = ("lateral_velocity", "yaw_rate", "offset", "heading", "hand_wheel", "integral")
STRAIGHT = 4  # columns of the straight before the slip
CIRCLE = ("hand_wheel_per_curvature", "lateral_velocity_per_curvature")
TOWED = ("articulation", "articulation_rate", "articulation_per_curvature")  # of each towed unit


@dataclass(frozen=True)
class Schedule:
    """Numbers of a preview driver over the speed (m/s) and the part of the largest lateral acceleration.

    ``gains`` [speed, part, …]: of ``GAINS``, then ξ₀ of ``CIRCLE``, then of the w still to act, then ``TOWED`` of each
    unit. ``straight`` [speed, …]: the largest lateral acceleration, time between nodes, hand wheel angle and lateral
    velocity straight ahead, largest slip angle of the steered axle, shares, articulations straight ahead.
    """

    speeds: Array
    parts: Array
    gains: Array
    straight: Array
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Point:
    """A steady turn: lateral acceleration, curvature, hand wheel angle, lateral velocity of the guided point, gains.

    Gains as in a row of ``Schedule.gains``.
    """

    lateral_acceleration: float
    curvature: float
    steering: float
    lateral: float
    gains: Array


def schedule(
    sim: Simulation,
    description: Description,
    *,
    length: float,
    ratio: float,
    steered: float,
    ahead: float = 0.0,
    top: float = np.inf,
    period: float = PERIOD,
    delay: int = 0,
) -> Schedule:
    """Gains of a car; the simulation stands in equilibrium on a level road and is left as it was.

    ``length``: wheelbase; ``ratio``: of the steering; ``steered``: from the guided point ahead to the axle that steers;
    ``ahead``: of the guided point before the one whose velocity the body has; ``top``: speed.
    """
    from jounce.sim.steady import run_steadily
    from jounce.sim.turns import Turns

    here = sim.snapshot()
    rows: list[tuple[float, list[_Point], Array]] = []
    warnings = []
    try:
        turns = Turns(sim, description)
        for speed in [v for v in SPEEDS if v < 0.97 * top] + ([0.97 * top] if top < SPEEDS[-1] else []):
            sim.restore(here)
            try:
                run_steadily(sim, description, speed)
            except StaticsError as why:
                if not _slowing(turns, here, speed):
                    warnings.append(f"preview driver: no gains at {speed:.3g} m/s: {why}")
                    continue
            rows.append(_at_speed(turns, speed, length, ahead, period, delay))
    finally:
        sim.restore(here)
    if not rows:
        raise StaticsError("preview driver: the car runs steadily at no speed; " + "; ".join(warnings))
    return _tabled(rows, length, ratio, steered, period, delay, tuple(warnings))


def _largest_slip(gains: Array, speed: float, most: float, ratio: float, steered: float) -> float:
    """α_max (7), the mean of both sides; ``gains`` by parts."""
    n, slips = len(GAINS), []
    for part in (-1.0, -NEARLY, NEARLY, 1.0):
        curvature = part * most / speed**2
        angle, sideways = gains[PARTS.index(part), n : n + 2] * curvature
        slips.append(abs(float(angle / ratio - np.arctan(sideways / speed + steered * curvature))))
    return float(np.mean(slips))


def _slowing(turns: Turns, here: Array, speed: float) -> bool:
    """Bring the car to a speed that its drive does not keep, the pedal down; false where it does not run straight."""
    from jounce.sim.steady import THROTTLE, roll

    sim = turns.sim
    sim.restore(here)
    sim.set_inputs({THROTTLE: 1.0})
    roll(sim, turns.description, speed)
    return turns.steer(sim.input("steering_wheel"), keeps=False) is not None


def _at_speed(
    turns: Turns, speed: float, length: float, ahead: float, period: float, delay: int
) -> tuple[float, list[_Point], Array]:
    """Turns to both sides at a speed, and the numbers of the straight."""
    sim = turns.sim
    kept, others = turns.kept, turns.others
    column = turns.inputs.index("steering_wheel")
    omega = bandwidth(speed, length)

    def lateral(turn: Turn) -> Lateral:
        return lateral_of(turn.model.A, turn.model.B[:, column], speed, kept, others, ahead)

    first = turns.here()
    straight, towed = lateral(first), len(first.articulations)
    law = design(straight, omega, period=period, delay=delay, ahead=round(NODES * SPACING / omega / period))
    begin = sim.x.copy(), sim.m.copy(), sim.u.copy()
    own = circle(straight)
    n = len(straight.B)
    bent = np.zeros(towed) if n == 0 else own[:n] if n == towed else own[2:n:2]
    zero = _row(law.feedback, n, (own[n + 2], -own[n + 1] * speed), bent)
    left = _to_one_side(turns, 1.0, first, straight, lateral, omega, ahead, period, delay)
    sim.x[:], sim.m[:], sim.u[:] = begin
    right = _to_one_side(turns, -1.0, first, straight, lateral, omega, ahead, period, delay, left)
    at_rest = _Point(first.yaw_rate * speed, 0.0, first.steering, first.lateral, zero)
    points = [*reversed(right), at_rest, *left]
    seen = shares(law.preview, period, SPACING / omega)
    told = np.array([SPACING / omega, first.steering, first.lateral, *seen, *first.articulations])
    return speed, points, told


def _to_one_side(
    turns: Turns,
    side: float,
    first: Turn,
    straight: Lateral,
    lateral: Callable[[Turn], Lateral],
    omega: float,
    ahead: float,
    period: float,
    delay: int,
    other: Sequence[_Point] = (),
) -> list[_Point]:
    """Turns from the straight to one side, as far as the car gains lateral acceleration; ``other``: the other's."""
    points: list[_Point] = []
    last, keeps, speed = first, True, first.speed
    parts, before, misses = list(STEER), 0.0, 0
    sim = turns.sim
    begin = sim.x.copy(), sim.m.copy(), sim.u.copy()
    while parts:
        part = parts[0]
        angle = first.steering + side * part * GRAVITY / straight.gain
        more = angle - last.steering
        found = turns.steer(angle, turns.guess(last, more, keeps), keeps)
        if found is None and keeps:
            keeps = False
            found = turns.steer(angle, turns.guess(last, more, keeps), keeps)
        spent = found is not None and not points and lateral(found).gain <= LEAST * straight.gain
        if (found is None or spent) and misses < MISSES:  # not so far: there the tires are at their end
            misses += 1
            parts.insert(0, 0.5 * (before + part))
            keeps = True
            if spent:
                sim.x[:], sim.m[:], sim.u[:] = begin
            continue
        before = parts.pop(0)
        acceleration = 0.0 if found is None else found.yaw_rate * speed
        if found is None or acceleration * side <= last.yaw_rate * speed * side:
            break
        curvature = found.yaw_rate / math.hypot(speed, found.lateral)
        sideways = found.lateral + ahead * found.yaw_rate
        car = lateral(found)
        if car.gain > LEAST * straight.gain:
            near = design(car, omega, period=period, gain=straight.gain, delay=delay).feedback
            gains = _row(near, len(car.B), (0.0, 0.0), np.zeros_like(first.articulations))
        elif points:
            gains = points[-1].gains.copy()  # steering has no effect there: as before
        else:
            break
        gains[[len(GAINS), len(GAINS) + 1]] = (
            (found.steering - first.steering) / curvature,
            (sideways - first.lateral) / curvature,
        )
        bent = (found.articulations - first.articulations) / curvature
        gains[len(gains) - len(TOWED) * len(bent) + 2 :: len(TOWED)] = bent
        points.append(_Point(acceleration, curvature, found.steering, sideways, gains))
        if len(points) == 1 and other and _mirrored(points[0], other[0]):
            return [_Point(-p.lateral_acceleration, -p.curvature, -p.steering, -p.lateral, p.gains) for p in other]
        last = found
        if acceleration * side < BENT * part * GRAVITY or car.gain <= LEAST * straight.gain:
            break
    return points


def _mirrored(a: _Point, b: _Point) -> bool:
    """Whether a turn to one side is that to the other side in a mirror."""
    return all(math.isclose(x, -y, rel_tol=MIRROR) for x, y in ((a.curvature, b.curvature), (a.lateral, b.lateral)))


def _row(feedback: Array, n: int, turn: Sequence[float], bent: Array) -> Array:
    """A row of ``Schedule.gains`` from the feedback of n motions and a turn per curvature: δ, v_y, articulations."""
    towed = np.zeros((len(bent), len(TOWED)))
    towed[:, 2] = bent
    velocities = np.zeros(2)
    if n == 2 * len(bent) + 2:
        velocities = feedback[:2]
        towed[:, :2] = feedback[2:n].reshape(-1, 2)
    elif n:  # articulations only
        towed[:, 0] = feedback[:n]
    return np.array([*velocities, *feedback[n : n + FURTHER], *turn, *feedback[n + FURTHER :], *towed.ravel()])


def _tabled(
    rows: list[tuple[float, list[_Point], Array]],
    length: float,
    ratio: float,
    steered: float,
    period: float,
    delay: int,
    warnings: tuple[str, ...],
) -> Schedule:
    most = [min(max(p.lateral_acceleration for p in points), -min(p.lateral_acceleration for p in points))
            for _, points, _ in rows]  # fmt: skip
    # a search that stopped early: what its straight says, and the turns of a neighbour
    whole = [
        i
        for i in range(len(rows))
        if most[i] > max(LITTLE, WHOLE * float(np.median(most))) or (i == 0 and most[0] > LOW)  # the lock ends it
    ]
    if not whole:
        raise StaticsError("preview driver: no steady turns were found")
    gains, straight, middle = [np.zeros((0, 0))] * len(rows), [np.zeros(0)] * len(rows), PARTS.index(0.0)
    for i in whole:
        _, points, told = rows[i]
        at, values = np.array([p.lateral_acceleration for p in points]), np.array([p.gains for p in points])
        wanted = np.array(PARTS) * most[i]
        gains[i] = np.column_stack([np.interp(wanted, at, column) for column in values.T])
        straight[i] = np.array([most[i], *told])
    n = len(GAINS)
    for i in set(range(len(rows))) - set(whole):
        near = min(whole, key=lambda j: abs(j - i))
        own = next(p.gains for p in rows[i][1] if p.curvature == 0.0)
        gains[i] = np.tile(own, (len(PARTS), 1))
        more = gains[near] - gains[near][middle]
        gains[i][:, n] *= gains[near][:, n] / gains[near][middle, n]
        gains[i][:, n + 1] += more[:, n + 1] * (rows[i][0] / rows[near][0]) ** 2
        straight[i] = np.array([most[near], *rows[i][2]])
        most[i] = most[near]
    slips = [_largest_slip(g, row[0], m, ratio, steered) for g, row, m in zip(gains, rows, most, strict=True)]
    first = next((i for i, row in enumerate(rows) if row[0] > FREE), len(rows) - 1)
    slips[:first] = [slips[first]] * first
    straight = [np.insert(told, STRAIGHT, slip) for told, slip in zip(straight, slips, strict=True)]
    # below the slowest: hand wheel and side slip per curvature as at rest, from the two slowest over the speed squared
    squares = np.array([row[0] ** 2 for row in rows[:2]])
    pair = np.array([g[middle, [len(GAINS), len(GAINS) + 1]] for g in gains[:2]])
    pair[:, 1] /= [row[0] for row in rows[:2]]
    slope = (pair[1] - pair[0]) / (squares[1] - squares[0]) if len(rows) > 1 else np.zeros(2)
    slow_gains, slow_straight = [], []
    articulated = rows[0][2][3 + NODES :]
    bent = gains[0][middle, gains[0].shape[1] - len(TOWED) * len(articulated) + 2 :: len(TOWED)]
    for speed in SLOWLY:
        angle, sideways = pair[0] + slope * (speed**2 - squares[0])
        car = rolling_slowly(speed, angle, sideways)
        omega = bandwidth(speed, length)
        law = design(car, omega, period=period, delay=delay, ahead=round(NODES * SPACING / omega / period))
        one = _row(law.feedback, 0, (angle, sideways * speed), bent)
        slow_gains.append(np.tile(one, (len(PARTS), 1)))
        given = rows[0][2][1:3] * [1.0, 0.0]
        slow_straight.append(
            [most[0], SPACING / omega, *given, slips[0], *shares(law.preview, period, SPACING / omega), *articulated]
        )
    return Schedule(
        np.array([*SLOWLY, *(row[0] for row in rows)]),
        np.array(PARTS),
        np.array([*slow_gains, *gains]),
        np.array([*slow_straight, *straight]),
        warnings,
    )
