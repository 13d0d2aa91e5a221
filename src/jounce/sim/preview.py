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

Preview as disturbances that are known ahead: [Tomizuka1975], for cars [Sharp2001], [Cole2006]; equivalence with
[MacAdam1981] there. The slow manifold (2): [Kokotovic1999] chapter 2. Ours: (6). A unit that is towed adds its motions
to x, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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

    ``lateral`` and ``yaw`` say what of x, δ and δ̇ is the lateral velocity of the guided point and the yaw rate. Where
    velocities follow at once as well, at low speed, x has the articulations only, or nothing.
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

    ``kept``: lateral velocity, yaw rate, then articulation and its rate of each towed unit. At low speed velocities
    settle faster than the tires build up force, and the expansion (2) does not hold: there they follow the hand wheel
    and the articulations as all other states do.
    """
    to = np.eye(len(kept))
    to[0, 1] = ahead
    fast = a[np.ix_(others, others)]
    late = a[np.ix_(kept, others)] @ _solved(fast, _solved(fast, a[np.ix_(others, kept)]))  # M − 1
    if np.abs(np.linalg.eigvals(late)).max() < SLOW:
        slow, by_hand, by_rate = reduced(a, b, kept, others)
        back = np.linalg.inv(to)
        unit = np.eye(len(kept) + 2)
        return Lateral(to @ slow @ back, to @ by_hand, to @ by_rate, speed, unit[0], unit[1])
    angles = [*kept[2::2]]
    every = [*kept[:2], *kept[3::2], *others]
    slow, by_hand, by_rate = reduced(a, b, angles, every)
    rows = to[:2, :2] @ following(a, b, angles, every, slow, by_hand, by_rate)[:2]
    return Lateral(slow, by_hand, by_rate, speed, rows[0], rows[1])


def following(
    a: Array, b: Array, kept: Sequence[int], others: Sequence[int], slow: Array, by_hand: Array, by_rate: Array
) -> Array:
    """What z is of x, δ and δ̇ in a reduced model, to first order."""
    n = len(kept)
    fast = a[np.ix_(others, others)]
    follow = -_solved(fast, np.column_stack([a[np.ix_(others, kept)], b[others]]))  # h_x, h_δ
    late = _solved(fast, follow)
    late_x, late_hand = late[:, :n], late[:, n]
    found: Array = np.column_stack(
        [follow[:, :n] + late_x @ slow, follow[:, n] + late_x @ by_hand, late_hand + late_x @ by_rate]
    )
    return found


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
