"""Stability limits of the linear-implicit Euler steps on q̈ = -a q - b q̇.

With A = h² a, B = h b and y = (q, h u), one step is y ← T y.  From (I - h J) Δ = F with the Jacobian J of each kind
[Burgermeister2006]:

    explicit         T = [1, 1; -A, 1 - B]                                       A ≤ B and A ≥ 2 B - 4             (1)
    J1               T = [1, 1; -A/(1 + B), (1 - A)/(1 + B)]                     A ≤ 2 B + 4                       (2)
    J2               T = [1, 1; -A/D, 1/D],          D = 1 + B + A               always                            (3)
    J3               T = [1, 1; -A, 1 - B - A]                                   B ≤ 2 and A ≤ 4 - 2 B             (4)
    velocity-first   T = [1 - A/D, (1 + A)/D; -A/D, (1 + A)/D]                   always                            (5)
    exact            T = [1 + B, 1; -A, 1]/D                                     always                            (6)

A step is stable when both eigenvalues of T lie in the unit circle: |det T| ≤ 1 and |tr T| ≤ 1 + det T.  J2 and
velocity-first have the same trace and determinant; without damping (B = 0) their determinant is 1, so they neither
excite nor damp an oscillation, while `exact` damps it by 1/(1 + A) per step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.sim.build import recipe
from jounce.verify.book import Page, case

if TYPE_CHECKING:
    from jounce.core.generated import GeneratedModel

Array = npt.NDArray[np.float64]

SOURCE = "Burgermeister, Arnold, Esterl [Burgermeister2006], section 2"
STEP = 1e-3  # s
MASS = 2.0  # kg
ALWAYS = ("J2", "velocity-first", "exact")

# closed forms (1) to (6)
MATRICES: dict[str, Callable[[float, float], Array]] = {
    "explicit": lambda A, B: np.array([[1, 1], [-A, 1 - B]]),
    "J1": lambda A, B: np.array([[1, 1], [-A / (1 + B), (1 - A) / (1 + B)]]),
    "J2": lambda A, B: np.array([[1, 1], [-A / (1 + B + A), 1 / (1 + B + A)]]),
    "J3": lambda A, B: np.array([[1, 1], [-A, 1 - B - A]]),
    "velocity-first": lambda A, B: np.array([[1 + B, 1 + A], [-A, 1 + A]]) / (1 + B + A),
    "exact": lambda A, B: np.array([[1 + B, 1], [-A, 1]]) / (1 + B + A),
}
# largest A for a given B; the table's conditions
LIMITS: dict[str, Callable[[float], float]] = {
    "explicit": lambda B: B,
    "J1": lambda B: 2 * B + 4,
    "J3": lambda B: 4 - 2 * B,
}
DAMPING = {"explicit": (0.5, 1.0, 2.0, 3.0), "J1": (0.0, 0.5, 2.0, 10.0), "J3": (0.0, 0.5, 1.0, 1.9)}
# largest B for a given A
DAMPING_LIMITS: dict[str, Callable[[float], float]] = {"explicit": lambda A: 2 + A / 2, "J3": lambda A: 2 - A / 2}


@recipe
def oscillator(kind: str) -> GeneratedModel:
    from jounce.symbolic import System
    from jounce.symbolic.step import Step

    s = System("oscillator", gravity=(0, 0, 0))
    a = s.parameter("a", 1.0, "1/s2", "stiffness over mass")
    b = s.parameter("b", 0.0, "1/s", "damping over mass")
    slide = s.prismatic("slide", s.world)
    s.body("mass", slide.frame, MASS)
    s.generalized_force(slide.u[0], -MASS * (a * slide.q[0] + b * slide.u[0]))
    return s.generate(step=Step(kind))


class Oscillator:
    """The compiled step of one kind."""

    def __init__(self, kind: str) -> None:
        from jounce.runtime.simulation import Simulation

        self.kind = kind
        self.sim = Simulation(oscillator.build(kind), method="LI-Euler", step=STEP)

    def matrix(self, A: float, B: float) -> Array:
        """T, column by column: one step from each unit state."""
        self.sim.set_parameters({"a": A / STEP**2, "b": B / STEP})
        columns = []
        for q, u in ((1.0, 0.0), (0.0, 1.0 / STEP)):
            self.sim.x[:] = q, u
            self.sim.advance()
            columns.append(self.sim.x * (1.0, STEP))
        return np.array(columns).T

    def radius(self, A: float, B: float) -> float:
        return float(np.abs(np.linalg.eigvals(self.matrix(A, B))).max())

    def limit(self, radius: Callable[[float], float], low: float, high: float) -> float:
        """Where the spectral radius leaves 1, by bisection; 1e-9 is above the rounding of an eigenvalue."""
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if radius(middle) <= 1 + 1e-9 else (low, middle)
        return (low + high) / 2


@case("stability", "Stability limits of the linear-implicit steps", chapter=10)
def stability(page: Page) -> None:
    """The compiled step of each kind is applied to unit states of a damped oscillator; the columns that come out are
    its amplification matrix. Its spectral radius leaves the unit circle where the linear theory says, for stiffness
    and for damping, and stays inside it for the kinds that are stable for every step."""
    steps = {kind: Oscillator(kind) for kind in MATRICES}
    why = "Bisection with the threshold 1 + 1e-9 on a radius that grows like half the excess or faster: 1e-8."
    found: dict[str, list[tuple[float, float]]] = {}
    for kind, limit in LIMITS.items():
        step = steps[kind]
        for B in DAMPING[kind]:
            expected = limit(B)
            low = max(2 * B - 4, 0.0) if kind == "explicit" else 0.0
            measured = step.limit(lambda A, B=B, step=step: step.radius(A, B), low + 1e-3, 3 * expected + 1)  # type: ignore[misc]
            found.setdefault(kind, []).append((B, measured))
            page.row(
                f"{kind}: largest h²a at hb = {B:g}",
                expected=expected,
                measured=measured,
                tolerance=1e-6 * expected,
                kind="published",
                source=SOURCE if kind != "explicit" else "eigenvalues of (1)",
                why=why,
            )
    for kind, limit in DAMPING_LIMITS.items():
        step = steps[kind]
        for A in (0.2, 1.0):
            page.row(
                f"{kind}: largest hb at h²a = {A:g}",
                expected=limit(A),
                measured=step.limit(lambda B, A=A, step=step: step.radius(A, B), A, 10.0),  # type: ignore[misc]
                tolerance=1e-6 * limit(A),
                kind="published",
                source=SOURCE if kind != "explicit" else "eigenvalues of (1)",
                why=why,
            )
    stiffness = [0.0, *np.logspace(-4, 6, 31)]
    damping = [0.0, *np.logspace(-4, 3, 22)]
    grid = [(A, B) for A in stiffness for B in damping]
    for kind in ALWAYS:
        page.row(
            f"{kind}: largest spectral radius for h²a up to 1e6 and hb up to 1e3",
            expected=1.0,
            measured=max(steps[kind].radius(A, B) for A, B in grid),
            tolerance=1e-9,
            kind="published",
            source=SOURCE if kind != "velocity-first" else "trace and determinant as those of J2, (5)",
            why="1 is reached at h²a = 0 and at hb = 0. Rounding 1e-16, raised by at most 1/√(h²a) = 1e2 near the "
            "double eigenvalue at h²a → 0.",
        )
    for kind, matrix in MATRICES.items():
        scale = 1.0 if kind in ALWAYS else 1e6
        page.row(
            f"{kind}: amplification matrix over the same grid, largest difference",
            expected=0.0,
            measured=max(float(np.abs(steps[kind].matrix(A, B) - matrix(A, B)).max()) for A, B in grid),
            tolerance=1e-14 * scale,
            kind="closed form",
            source="(1) to (6)",
            why=f"Some ten roundings of entries up to {scale:g}.",
        )
    _plot(page, steps, found)


def _plot(page: Page, steps: dict[str, Oscillator], found: dict[str, list[tuple[float, float]]]) -> None:
    def regions(figure: Any) -> None:
        axes = figure.subplots()
        B = np.linspace(0.0, 4.0, 81)
        axes.fill_between(B, np.maximum(2 * B - 4, 0), np.minimum(B, 12), alpha=0.25, label="explicit, (1)")
        axes.fill_between(B[B <= 2], 0, 4 - 2 * B[B <= 2], alpha=0.25, label="J3, (4)")
        axes.fill_between(B, 0, 2 * B + 4, alpha=0.12, label="J1, (2)")
        for points in found.values():
            axes.plot(*zip(*[p for p in points if p[0] <= 4], strict=True), "o", ms=5, mfc="none", mec="k", mew=0.9)
        axes.plot([], [], "o", mfc="none", mec="k", label="measured limit")
        axes.set(xlim=(0, 4), ylim=(0, 12), xlabel="hb", ylabel="h²a")
        axes.text(2.6, 10.6, "J2, velocity-first, exact: everywhere", ha="center")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))

    def radii(figure: Any) -> None:
        axes = figure.subplots()
        A = np.logspace(-2, 4, 121)
        for kind in ALWAYS:
            for B, style in ((0.0, "-"), (0.3, "--")):
                values = [steps[kind].radius(x, B) for x in A]
                width = 3.0 if kind == "J2" else 1.2
                axes.semilogx(A, values, style, lw=width, alpha=0.8, label=f"{kind}, hb = {B:g}")
        axes.set(xlabel="h²a", ylabel="spectral radius", ylim=(0, 1.05))
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))

    page.plot("Stable steps of the kinds with a limit: computed regions and measured limits.", regions, height=3.8)
    page.plot(
        "Spectral radius of the kinds without a limit: J2 and velocity-first keep an undamped oscillation.", radii
    )
