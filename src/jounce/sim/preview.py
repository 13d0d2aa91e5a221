"""Steering by optimal preview control: gains from the exact linearisation of a car, over speed and cornering.

**Reduction.** With the lateral motions x that the driver feels (lateral velocity and yaw rate of the guided unit), all
other states z that come to rest by themselves, and the hand wheel angle δ,

    ẋ = A₁₁ x + A₁₂ z + b₁ δ,    ż = A₂₁ x + A₂₂ z + b₂ δ                                                          (1)

Tires, roll, suspension and steering follow fast: z = h_x x + h_δ δ with A₂₂ (h_x, h_δ) = −(A₂₁, b₂), and to first order
in how late they are z = h_x x + h_δ δ + A₂₂⁻¹ (h_x ẋ + h_δ δ̇). So

    M ẋ = (A₁₁ + A₁₂ h_x) x + (b₁ + A₁₂ h_δ) δ + A₁₂ A₂₂⁻¹ h_δ δ̇,    M = 1 − A₁₂ A₂₂⁻¹ h_x                         (2)

which has exact gains at rest and the exact delay of first order. No single-track model is assumed.

**Problem.** e is the offset of the guided point from the path, left positive, ψ the heading less that of the path, κ
the curvature of the path, w what the hand turns with, and τ its delay:

    ė = c·x + v ψ,    ψ̇ = r − v κ,    δ̇ = w(t − τ),    η̇ = e                                                        (3)
    ∫ e² + ω_i² η² + (g w/ω³)² dt → min,    g the lateral acceleration per hand wheel angle, straight ahead          (4)

g w is the lateral jerk that the hand asks for. A car without any dynamics, e⃛ = g w, has its poles on a circle of radius
ω, 60° apart, at (4) with ω_i = 0: ω is the only thing to choose. It is the same for all cars; at low speed ω = v/ℓ, so
that the way in which an offset is taken back does not become shorter than the car.

**Solution.** Sampled with the period T, ξ⁺ = Φ ξ + Γ w + E κ, the Riccati equation gives P and the feedback k; with
Φ_c = Φ − Γ k the curvatures ahead, κ_j at the times j T, are known disturbances, and

    w = −k ξ − Σ_j f_j κ_j,    f_j = (ρ + Γᵀ P Γ)⁻¹ Γᵀ (Φ_cᵀ)^j P E                                                  (5)

On a circle without errors nothing moves: Σ f_j = −k·ξ₀, with the motion ξ₀ per curvature in which the car runs on it.
(5) is therefore the same as feedback of the distance from a circle whose curvature is a mean of those ahead,

    w = −k (ξ − ξ₀ κ̄),    κ̄ = Σ f_j κ_j / Σ f_j                                                                     (6)

which is also right where the car is not linear: ξ₀ is then the exact steady turn of the car at its speed, and k is
found from its linearisation there. That is the schedule: f over the speed; ξ₀ and k over the speed and the lateral
acceleration, as a part of the largest one that was found.

**Steered axle.** Beyond the slip angle at which a car reaches its largest lateral acceleration there is no more force.
With the ratio i of the steering and the axle l ahead of the guided point, the slip angle of a turn of curvature κ is

    α(κ) = |δ₀ κ/i − atan((v_y₀ + l v) κ/v)|,    α_max = ½ (α at 0.9 of the largest + α at the largest)            (7)

where the lateral acceleration, a parabola near its top, is 0.975 of the largest one: more has to be taken back later.

Preview as disturbances that are known ahead: [Tomizuka1975], for cars [Sharp2001], [Cole2006]; equivalence with
[MacAdam1981] there. The slow manifold (2): [Kokotovic1999] chapter 2. Ours: (6). A unit that is towed adds its motions
to x, and nothing else changes.
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

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.sim.car import Description
    from jounce.sim.turns import Turn, Turns

Array = npt.NDArray[np.float64]

PERIOD = 0.01  # s, of the driver
BANDWIDTH = 5.0  # rad/s, ω
OFFSETS = 0.1  # ω_i/ω
NODES = 33  # curvatures ahead that are asked for
SPACING = 0.25  # between them, in 1/ω
SLOW = 0.5  # largest eigenvalue of M − 1: above it lateral motions follow at once
FURTHER = 4  # integrals and errors after the motions: e, ψ, δ, η


@dataclass(frozen=True)
class Lateral:
    """Lateral motions of a car at a speed (2): ẋ = A x + B δ + R δ̇.

    ``lateral`` and ``yaw`` say what of x, δ and δ̇ is the lateral velocity of the guided point and the yaw rate. Where x
    follows at once as well, at low speed, it is empty.
    """

    A: Array
    B: Array
    R: Array
    speed: float
    lateral: Array  # c
    yaw: Array

    @property
    def turn(self) -> Array:
        """x, δ and δ̇ per hand wheel angle when all has come to rest."""
        return np.array([*np.linalg.solve(self.A, -self.B), 1.0, 0.0])

    @property
    def gain(self) -> float:
        """Lateral acceleration per hand wheel angle, g."""
        return float(self.speed * (self.yaw @ self.turn))


@dataclass(frozen=True)
class Law:
    """Feedback and preview of a linear car (5); ``feedback`` of x, e, ψ, δ, η and of the w that are still to act."""

    feedback: Array
    preview: Array
    period: float
    circle: Array  # ξ₀


def reduced(a: Array, b: Array, kept: Sequence[int], others: Sequence[int]) -> tuple[Array, Array, Array]:
    """Slow motions of a linear model (2): matrices of x, δ and δ̇; ``b`` is the column of δ."""
    kept, others = list(kept), list(others)
    n = len(kept)
    fast = a[np.ix_(others, others)]
    follow = -_solved(fast, np.column_stack([a[np.ix_(others, kept)], b[others]]))  # h_x, h_δ
    late = _solved(fast, follow)
    into = a[np.ix_(kept, others)]
    mass = np.eye(n) - into @ late[:, :n]
    sides = np.column_stack(
        [a[np.ix_(kept, kept)] + into @ follow[:, :n], b[kept] + into @ follow[:, n], into @ late[:, n]]
    )
    found: Array = np.asarray(np.linalg.solve(mass, sides), dtype=float)
    return found[:, :n], found[:, n], found[:, n + 1]


def lateral_of(
    a: Array, b: Array, speed: float, kept: Sequence[int], others: Sequence[int], ahead: float = 0.0
) -> Lateral:
    """The reduced model of a car, guided at a point so far ahead of that whose velocity is ``kept`` first.

    At low speed lateral velocity and yaw rate settle faster than the tires build up force, and the expansion (2) does
    not hold: there they follow the hand wheel as all other states do.
    """
    to = np.array([[1.0, ahead], [0.0, 1.0]])
    fast = a[np.ix_(others, others)]
    late = a[np.ix_(kept, others)] @ _solved(fast, _solved(fast, a[np.ix_(others, kept)]))  # M − 1
    if np.abs(np.linalg.eigvals(late)).max() < SLOW:
        slow, by_hand, by_rate = reduced(a, b, kept, others)
        back = np.linalg.inv(to)
        unit = np.eye(4)
        return Lateral(to @ slow @ back, to @ by_hand, to @ by_rate, speed, unit[0], unit[1])
    every = [*kept, *others]
    follow = -_solved(a[np.ix_(every, every)], b[every][:, None])
    late = _solved(a[np.ix_(every, every)], follow)
    none = np.zeros(0)
    rows = to @ np.column_stack([follow[:2, 0], late[:2, 0]])
    return Lateral(np.zeros((0, 0)), none, none, speed, rows[0], rows[1])


def rolling_slowly(speed: float, per_curvature: float, lateral: float) -> Lateral:
    """A car that goes where its wheels point: hand wheel angle and lateral velocity over speed, per curvature."""
    none = np.zeros(0)
    yaw = speed / per_curvature
    return Lateral(np.zeros((0, 0)), none, none, speed, np.array([lateral * yaw, 0.0]), np.array([yaw, 0.0]))


def _solved(matrix: Array, sides: Array) -> Array:
    """Least squares with scaled columns: what nothing holds stays where it is."""
    scale = np.maximum(np.linalg.norm(matrix, axis=0), 1e-12)
    found: Array = np.linalg.lstsq(matrix / scale, sides, rcond=1e-12)[0] / scale[:, None]
    return found


def sampled(car: Lateral, period: float, delay: int = 0) -> tuple[Array, Array, Array]:
    """Φ, Γ and E of (3) over a period, with w that acts ``delay`` periods late."""
    from scipy.linalg import expm

    n = len(car.B)
    size = n + FURTHER
    e, psi, delta, eta = range(n, size)
    flow = np.zeros((size + 2, size + 2))
    motions = [*range(n), delta, size]
    flow[:n, :n], flow[:n, delta], flow[:n, size] = car.A, car.B, car.R
    flow[e, motions], flow[psi, motions] = car.lateral, car.yaw
    flow[e, psi], flow[psi, size + 1] = car.speed, -car.speed
    flow[delta, size], flow[eta, e] = 1.0, 1.0
    step = expm(flow * period)
    total = size + delay
    phi, gamma, bend = np.zeros((total, total)), np.zeros(total), np.zeros(total)
    phi[:size, :size], bend[:size] = step[:size, :size], step[:size, size + 1]
    if delay == 0:
        gamma[:size] = step[:size, size]
        return phi, gamma, bend
    phi[:size, size] = step[:size, size]  # the oldest acts now
    for i in range(size, total - 1):
        phi[i, i + 1] = 1.0
    gamma[total - 1] = 1.0
    return phi, gamma, bend


def weights(car: Lateral, omega: float, period: float, gain: float, delay: int = 0) -> tuple[Array, float]:
    """Q and ρ of (4) over a period."""
    size = len(car.B) + FURTHER
    q = np.zeros((size + delay, size + delay))
    q[size - 4, size - 4] = period
    q[size - 1, size - 1] = period * (OFFSETS * omega) ** 2
    return q, period * (gain / omega**3) ** 2


def design(
    car: Lateral, omega: float, *, period: float = PERIOD, gain: float | None = None, delay: int = 0, ahead: int = 0
) -> Law:
    """The optimal law of a car (5), with ``ahead`` gains of curvatures; ``gain``: g, if not the car's own."""
    from scipy.linalg import solve_discrete_are

    phi, gamma, bend = sampled(car, period, delay)
    q, rho = weights(car, omega, period, car.gain if gain is None else gain, delay)
    column = gamma[:, None]
    value = solve_discrete_are(phi, column, q, np.array([[rho]]))
    inverse = 1.0 / float(rho + gamma @ value @ gamma)
    feedback = inverse * (gamma @ value @ phi)
    closed = phi - np.outer(gamma, feedback)
    preview = np.empty(ahead)
    carried = value @ bend
    for j in range(ahead):
        preview[j] = inverse * (gamma @ carried)
        carried = closed.T @ carried
    return Law(feedback, preview, period, circle(car, delay))


def circle(car: Lateral, delay: int = 0) -> Array:
    """The motion ξ₀ per curvature in which a car runs on a circle without errors."""
    n = len(car.B)
    motions = car.turn * (car.speed / float(car.yaw @ car.turn))  # of r = v
    found = np.zeros(n + FURTHER + delay)
    found[:n], found[n + 2] = motions[:n], motions[n]
    found[n + 1] = -float(car.lateral @ motions) / car.speed
    return found


def shares(preview: Array, period: float, spacing: float, nodes: int = NODES) -> Array:
    """Shares of curvatures at nodes, straight between them, in the mean curvature κ̄ (6)."""
    times = (np.arange(len(preview)) + 0.5) * period / spacing
    i = np.minimum(times.astype(int), nodes - 2)
    u = np.clip(times - i, 0.0, 1.0)
    found = np.zeros(nodes)
    np.add.at(found, i, (1 - u) * preview)
    np.add.at(found, i + 1, u * preview)
    total: Array = found / found.sum()
    return total


def bandwidth(speed: float, length: float) -> float:
    """ω at a speed, for a car of a wheelbase."""
    return min(BANDWIDTH, abs(speed) / length)


# ---- the schedule ----------------------------------------------------------------------------------------------------

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


@dataclass(frozen=True)
class Schedule:
    """Numbers of a preview driver over the speed (m/s) and the part of the largest lateral acceleration.

    ``gains`` [speed, part, …]: of ``GAINS``, then ξ₀ of ``CIRCLE``, then of the w still to act. ``straight``
    [speed, …]: the largest lateral acceleration, time between nodes, hand wheel angle and lateral velocity straight
    ahead, largest slip angle of the steered axle, shares.
    """

    speeds: Array
    parts: Array
    gains: Array
    straight: Array
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Point:
    """A steady turn: lateral acceleration, curvature, hand wheel angle, lateral velocity of the guided point, gains."""

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
    straight = lateral(first)
    law = design(straight, omega, period=period, delay=delay, ahead=round(NODES * SPACING / omega / period))
    begin = sim.x.copy(), sim.m.copy(), sim.u.copy()
    own = circle(straight)
    n = len(straight.B)
    zero = np.array([*_padded(law.feedback, n), own[n + 2], -own[n + 1] * speed, *law.feedback[n + FURTHER :]])
    left = _to_one_side(turns, 1.0, first, straight, lateral, omega, ahead, period, delay)
    sim.x[:], sim.m[:], sim.u[:] = begin
    right = _to_one_side(turns, -1.0, first, straight, lateral, omega, ahead, period, delay, left)
    at_rest = _Point(first.yaw_rate * speed, 0.0, first.steering, first.lateral, zero)
    points = [*reversed(right), at_rest, *left]
    told = np.array([SPACING / omega, first.steering, first.lateral, *shares(law.preview, period, SPACING / omega)])
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
            n = len(car.B)
            gains = np.array([*_padded(near, n), 0.0, 0.0, *near[n + FURTHER :]])
        elif points:
            gains = points[-1].gains.copy()  # steering has no effect there: as before
        else:
            break
        gains[[len(GAINS), len(GAINS) + 1]] = (
            (found.steering - first.steering) / curvature,
            (sideways - first.lateral) / curvature,
        )
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


def _padded(feedback: Array, n: int) -> Array:
    """Gains of lateral velocity and yaw rate, or none, and of what follows."""
    return np.array([*(feedback[:n] if n else (0.0, 0.0)), *feedback[n : n + FURTHER]])


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
    for speed in SLOWLY:
        angle, sideways = pair[0] + slope * (speed**2 - squares[0])
        car = rolling_slowly(speed, angle, sideways)
        omega = bandwidth(speed, length)
        law = design(car, omega, period=period, delay=delay, ahead=round(NODES * SPACING / omega / period))
        one = [*_padded(law.feedback, 0), angle, sideways * speed, *law.feedback[FURTHER:]]
        slow_gains.append(np.tile(one, (len(PARTS), 1)))
        given = rows[0][2][1:3] * [1.0, 0.0]
        slow_straight.append(
            [most[0], SPACING / omega, *given, slips[0], *shares(law.preview, period, SPACING / omega)]
        )
    return Schedule(
        np.array([*SLOWLY, *(row[0] for row in rows)]),
        np.array(PARTS),
        np.array([*slow_gains, *gains]),
        np.array([*slow_straight, *straight]),
        warnings,
    )
