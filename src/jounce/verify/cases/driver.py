"""Drivers: the law of optimal preview steering, found a second time.

A car with the motions x on a path of the curvature κ is sampled with the period T, ξ⁺ = Φ ξ + Γ w + E κ, and steered so
that Σ ξᵀQ ξ + ρ w² is least. The driver's feedback and preview gains come from a Riccati equation. The same problem
over a horizon of N periods is one system of linear equations: all w at once, by least squares,

    min |Q^½ ξ_k, ρ^½ w_k|²,   ξ_k = Φ^k ξ_0 + Σ_j Φ^(k−1−j) (Γ w_j + E κ_j)                           (1)

whose first w is that of the law: from every state, and for a curvature at any distance ahead. Preview by known
disturbances: [Tomizuka1975], of cars [Sharp2001].

Independent: (1) by `numpy.linalg.lstsq`; Φ and Γ by `scipy.integrate.solve_ivp` from the equations of motion.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.sim.preview import FURTHER, Lateral, design, sampled, weights
from jounce.verify.book import Page, case

# A single-track car: mass, yaw inertia, distances of the axles, cornering stiffnesses, ratio
MASS, INERTIA, FRONT, REAR, C_FRONT, C_REAR, RATIO = 1430.0, 2310.0, 1.21, 1.52, 71e3, 93e3, 15.7
PERIOD, OMEGA = 0.07, 4.3  # s, rad/s
LONG = 25.0  # s: the slowest pole is at about 0.1 ω, so that what comes later weighs less than e^-20


def single_track(speed: float, lateness: float = 0.0) -> Lateral:
    """Lateral motions of the car, whose hand wheel acts a little late."""
    cross = C_REAR * REAR - C_FRONT * FRONT
    a = np.array([
        [-(C_FRONT + C_REAR) / (MASS * speed), cross / (MASS * speed) - speed],
        [cross / (INERTIA * speed), -(C_FRONT * FRONT**2 + C_REAR * REAR**2) / (INERTIA * speed)],
    ])  # fmt: skip
    b = np.array([C_FRONT / MASS, C_FRONT * FRONT / INERTIA]) / RATIO
    unit = np.eye(4)
    return Lateral(a, b, -lateness * b, speed, unit[0], unit[1])


def at_once(car: Lateral, omega: float, period: float, delay: int, starts: Any, bends: Any) -> Any:
    """The first w that is best, of many cases (columns), by least squares over all w of a long horizon (1)."""
    phi, gamma, bend = sampled(car, period, delay)
    q, rho = weights(car, omega, period, car.gain, delay)
    n, size = len(bends), len(gamma)
    counted = np.flatnonzero(np.diag(q))
    root = np.sqrt(np.diag(q))[counted, None]
    free, forced = starts.copy(), np.zeros((size, n))
    rows, sides = [], []
    for k in range(n):
        rows.append(root * forced[counted])
        sides.append(-root * free[counted])
        free = phi @ free + np.outer(bend, bends[k])
        forced = phi @ forced
        forced[:, k] += gamma
    rows.append(math.sqrt(rho) * np.eye(n))
    sides.append(np.zeros((n, starts.shape[1])))
    return np.linalg.lstsq(np.vstack(rows), np.vstack(sides), rcond=None)[0][0]


def integrated(car: Lateral, period: float) -> tuple[Any, Any]:
    """Φ and Γ by SciPy: x, e, ψ, δ, ∫e under a constant rate of the hand wheel."""
    from scipy.integrate import solve_ivp

    n = len(car.B)
    size = n + FURTHER

    def rates(t: float, z: Any) -> Any:
        x, (e, psi, delta, _), w = z[:n], z[n:size], z[size]
        own = np.array([*x, delta, w])
        return np.array([
            *(car.A @ x + car.B * delta + car.R * w), car.lateral @ own + car.speed * psi, car.yaw @ own, w, e, 0.0
        ])  # fmt: skip

    columns = [
        solve_ivp(rates, (0.0, period), start, "DOP853", rtol=1e-12, atol=1e-14).y[:size, -1]
        for start in np.eye(size + 1)
    ]
    return np.array(columns[:size]).T, columns[size]


@case("preview-driver", "The law of the preview driver, found at once", chapter=26)
def preview(page: Page) -> None:
    """Feedback of every state and gains of single curvatures ahead, at three speeds, with and without delay of the
    driver: by Riccati's equation in the package, here by least squares over 25 seconds at once. And the sampled motion
    of the car, which is an exponential of a matrix in the package, by an integrator of SciPy."""
    looked = (0, 7, 31)
    shown = None
    for speed, delay, lateness in ((17.0, 0, 0.0), (33.0, 0, 0.04), (26.0, 3, 0.02)):
        car = single_track(speed, lateness)
        law = design(car, OMEGA, period=PERIOD, delay=delay, ahead=60)
        size, horizon = len(law.feedback), round(LONG / PERIOD)
        starts, bends = np.zeros((size, size + len(looked))), np.zeros((horizon, size + len(looked)))
        starts[:, :size] = np.eye(size)
        for column, j in enumerate(looked):
            bends[j, size + column] = 1.0
        found = -at_once(car, OMEGA, PERIOD, delay, starts, bends)
        where = f"{speed:g} m/s, {delay} periods late" if delay else f"{speed:g} m/s"
        names = ["v_y", "yaw rate", "offset", "heading", "hand wheel", "integral", *(f"w({i})" for i in range(delay))]
        for name, expected, measured in zip(names, found, law.feedback, strict=False):
            page.row(
                f"{where}: feedback of {name}",
                expected=float(expected),
                measured=float(measured),
                tolerance=1e-6 * float(np.abs(law.feedback).max()),
                kind="independent package",
                source="(1), numpy.linalg.lstsq",
                why="The horizon ends where weights are e^-20; condition of the least squares, 1e8.",
            )
        for j, expected in zip(looked, found[size:], strict=True):
            page.row(
                f"{where}: gain of the curvature {j} periods ahead",
                expected=float(expected),
                measured=float(law.preview[j]),
                tolerance=1e-6 * float(np.abs(law.preview).max()),
                kind="independent package",
                source="(1), numpy.linalg.lstsq",
                why="As above.",
            )
        if delay == 0:
            phi, gamma, _ = sampled(car, PERIOD)
            exact_phi, exact_gamma = integrated(car, PERIOD)
            page.row(
                f"{where}: sampled motion, largest difference",
                expected=0.0,
                measured=float(max(np.abs(phi - exact_phi).max(), np.abs(gamma - exact_gamma).max())),
                tolerance=1e-9,
                kind="independent package",
                source="scipy.integrate.solve_ivp, DOP853, rtol 1e-12",
                why="Tolerance of the integrator times entries of some 10.",
            )
            shown = law.preview, found[size:]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        assert shown is not None
        axes.plot(PERIOD * np.arange(60), shown[0], color="0.4", lw=1.0, label="Riccati")
        axes.plot([PERIOD * j for j in looked], shown[1], "o", ms=5, label="least squares")
        axes.set(xlabel="time ahead, s", ylabel="gain of the curvature, m/s", title="33 m/s")
        axes.legend()

    page.plot("What the driver makes of a bend that he sees ahead.", draw, height=2.6)
