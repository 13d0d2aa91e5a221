"""A chain of pendulums: energy, a closed form of its accelerations, and units joined recursively.

Five rods (mass m, length l, inertia I about the centre, centre at l/2) hang on planar hinges.  In the absolute angles
φ_i from the vertical, Lagrange's equations are

    Σ_j a_ij cos(φ_i - φ_j) φ̈_j + Σ_j a_ij sin(φ_i - φ_j) φ̇_j² + g b_i sin φ_i = 0                            (1)
    a_ii = I + m l²/4 + (n - i) m l²,   a_ij = m l²/2 + (n - max(i, j)) m l²  (i ≠ j),   b_i = m l/2 + (n - i) m l

Our coordinates are relative angles, φ_i = q_1 + … + q_i, so φ̈ = q̈ summed.  The motion is chaotic, but over a short
time the error of the energy E is proportional to h^p for a method of order p; E itself is constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.constants import GRAVITY
from jounce.sim.build import recipe
from jounce.verify.book import Page, case
from jounce.verify.cases.order import ORDERS
from jounce.verify.truncation import HARMONICS, am4_phase

if TYPE_CHECKING:
    from jounce.symbolic import System

Array = npt.NDArray[np.float64]

LINKS = 5
MASS, LENGTH, INERTIA = 1.5, 0.6, 0.045  # kg, m, kg.m2
START = (1.2, 0.4, -0.5, 0.3, 0.6)  # rad, relative angles
END = 1.0  # s
STEPS = {
    1: (2000, 4000, 8000, 16000),
    2: (1000, 2000, 4000, 8000),
    3: (500, 1000, 2000, 4000),
    4: (500, 1000, 2000, 4000),
}


@recipe
def chain(units: bool) -> System:
    from jounce.symbolic import System

    s = System("chain_units" if units else "chain")
    frame, place = s.world, (0.0, 0.0, 0.0)
    for i, angle in enumerate(START):
        hinge = s.revolute(f"hinge{i}", frame, axis="y", offset=place, initial=angle)
        s.body(f"rod{i}", hinge.frame, MASS, (INERTIA, INERTIA, 0.001), (0.0, 0.0, -LENGTH / 2))
        # every rod but the first a unit of its own: the recursion has to pass through all of them
        frame = s.unit(f"unit{i}", at=hinge.frame) if units and i < LINKS - 1 else hinge.frame
        place = (0.0, 0.0, -LENGTH)
    s.output("energy", s.kinetic_energy() + s.potential_energy(), "J")
    return s


def lagrange(q: Array, u: Array) -> Array:
    """Accelerations of the relative angles by (1)."""
    phi, rate = np.cumsum(q), np.cumsum(u)
    n = len(q)
    below = n - 1 - np.maximum.outer(np.arange(n), np.arange(n))
    a = MASS * LENGTH**2 * (0.5 + below)
    np.fill_diagonal(a, INERTIA + MASS * LENGTH**2 * (0.25 + np.diag(below)))
    b = MASS * LENGTH * (0.5 + np.diag(below))
    difference = phi[:, None] - phi[None, :]
    right = -(a * np.sin(difference)) @ rate**2 - GRAVITY * b * np.sin(phi)
    return np.diff(np.linalg.solve(a * np.cos(difference), right), prepend=0.0)


def energy(q: Array, u: Array) -> float:
    """Kinetic and potential energy from the places of the rods."""
    phi, rate = np.cumsum(q), np.cumsum(u)
    joint = LENGTH * np.stack([-np.sin(phi), -np.cos(phi)])
    velocity = LENGTH * np.stack([-np.cos(phi) * rate, np.sin(phi) * rate])
    center = np.cumsum(joint, axis=1) - joint / 2
    speed = np.cumsum(velocity, axis=1) - velocity / 2
    kinetic = 0.5 * MASS * (speed**2).sum() + 0.5 * INERTIA * (rate**2).sum()
    return float(kinetic + MASS * GRAVITY * center[1].sum())


@case("chain", "Chain of pendulums: energy and recursive units", chapter=4)
def pendulums(page: Page) -> None:
    """Five rods on planar hinges. The accelerations are compared with Lagrange's equations in absolute angles,
    written down by hand; the same chain cut into five units that are joined recursively must give the same numbers;
    and the error of the energy, which nothing but the integration causes, must fall with the order of each method."""
    from jounce.runtime.simulation import Simulation

    flat, recursive = chain.build(units=False), chain.build(units=True)
    rng = np.random.default_rng(4)
    one, many = Simulation(flat), Simulation(recursive)
    assert [v.name for v in flat.model.states] == [v.name for v in recursive.model.states]
    closed, joined = [], []
    for _ in range(50):
        q, u = rng.uniform(-np.pi, np.pi, LINKS), rng.uniform(-5.0, 5.0, LINKS)
        x = np.concatenate([q, u])
        a, b, c = one.derivatives(x=x)[0][LINKS:], many.derivatives(x=x)[0][LINKS:], lagrange(q, u)
        closed.append(np.abs(a - c).max() / np.abs(c).max())
        joined.append(np.abs(a - b).max() / np.abs(a).max())
    rounding = "Rounding, 1e-16, times the condition of the mass matrix of five equal rods in any pose, up to 1e3."
    page.row(
        "accelerations, largest relative error at 50 random states",
        expected=0.0,
        measured=max(closed),
        tolerance=1e-12,
        kind="closed form",
        source="Lagrange's equations in absolute angles, (1)",
        why=rounding,
    )
    page.row(
        "five units joined recursively: accelerations, largest relative difference at 50 random states",
        expected=0.0,
        measured=max(joined),
        tolerance=1e-12,
        kind="cross-formulation",
        source="the same chain as one unit",
        why=rounding,
    )
    start = energy(np.array(START), np.zeros(LINKS))
    page.row(
        "energy at the start",
        expected=start,
        measured=Simulation(flat).output("energy"),
        tolerance=1e-12 * abs(start),
        unit="J",
        kind="closed form",
        source="places and velocities of the rods",
        why="Rounding of some 100 operations.",
    )

    found: dict[str, tuple[list[float], list[float]]] = {}
    for method, p in ORDERS.items():
        steps, errors = [], []
        for n in STEPS[p]:
            sim = Simulation(recursive, method=method, step=END / n)
            run = sim.run(END, iprint=n // 100)
            steps.append(END / n)
            errors.append(float(np.abs(run["energy"] - start).max()))
        found[method] = steps, errors
        page.row(
            f"{method}: order of the energy error over {END:g} s",
            expected=p,
            measured=float(np.polyfit(np.log(steps), np.log(errors), 1)[0]),
            tolerance=0.1,
            kind="order",
            source="order of the formula; energy is constant",
            why="The next term of the error is smaller by about ω h with ω < 20 rad/s: some percent, less than 0.1 "
            "in the slope.",
        )
    smallest = min(found["AM-4"][1])
    page.row(
        "AM-4 at the finest step: largest change of the energy",
        expected=0.0,
        measured=smallest,
        tolerance=30.0 * HARMONICS * am4_phase(END, 20.0, END / STEPS[4][-1]),
        unit="J",
        kind="conservation",
        source="no force but gravity acts",
        why="Truncation of AM-4, 25 C T ω⁵ h⁴ with ω = 20 rad/s (jounce.verify.truncation), of the 30 J that move.",
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for (method, (steps, errors)), marker in zip(found.items(), "osD^v>", strict=True):
            axes.loglog(steps, errors, f"{marker}-", ms=5, lw=1.2, label=f"{method}, order {ORDERS[method]}")
        axes.set(xlabel="step, s", ylabel="largest energy error, J")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))

    page.plot(f"Largest error of the energy of the chain within {END:g} s, over the step.", draw, height=3.6)
