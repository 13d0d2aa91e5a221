"""Order of convergence of the six integration methods, on large swings of a pendulum.

A compound pendulum (mass m, centre of mass at l from the hinge, inertia I about it) released at rest from the angle
θ0 has the closed form

    sin(θ/2) = k cn(τ)/dn(τ),    θ̇ = -2 k k' ω0 sn(τ)/dn(τ),    τ = ω0 t                                  (1)
    ω0² = m g l / (I + m l²),    k = sin(θ0/2),    k'² = 1 - k²                                             (2)

with Jacobi's elliptic functions of parameter k² [WhittakerWatson1927] chapter 22, taken from SciPy.  A method of
order p has the error e(h) = C h^p + O(h^(p+1)) at a fixed time; p is the slope of log e over log h.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.sim.build import recipe
from jounce.verify.book import Page, case

if TYPE_CHECKING:
    from jounce.core.generated import GeneratedModel
    from jounce.symbolic import System

MASS, LENGTH, INERTIA = 2.0, 0.7, 0.15  # kg, m, kg.m2
START = 2.0  # rad
END = 2.0  # s, about one period
ORDERS = {"Euler": 1, "AB-2": 2, "RK-2": 2, "AM-2": 2, "AM-3": 3, "AM-4": 4}
LINEAR_IMPLICIT = {"LI-Euler": (1, "exact"), "ROS2": (2, "ros2")}  # order, kind of the generated step
# steps per run: so many that the leading term rules, so few that rounding (1e-15 per step) is far below
STEPS = {
    1: (4000, 8000, 16000, 32000),
    2: (1000, 2000, 4000, 8000),
    3: (500, 1000, 2000, 4000),
    4: (500, 1000, 2000, 4000),
}


@recipe
def pendulum() -> System:
    from jounce.symbolic import System

    s = System("pendulum")
    hinge = s.revolute("hinge", s.world, axis="y", initial=START)
    s.body("bob", hinge.frame, MASS, (0.0, INERTIA, 0.0), (0.0, 0.0, -LENGTH))
    return s


@recipe
def implicit_pendulum(kind: str) -> GeneratedModel:
    from jounce.symbolic.step import Step

    return pendulum().generate(step=Step(kind))


def natural_frequency() -> float:
    return math.sqrt(MASS * GRAVITY * LENGTH / (INERTIA + MASS * LENGTH**2))  # (2)


def exact(t: float) -> tuple[float, float]:
    """Angle and rate by (1)."""
    from scipy.special import ellipj

    k = math.sin(START / 2)
    sn, cn, dn, _ = ellipj(natural_frequency() * t, k * k)
    rate = -2 * k * math.sqrt(1 - k * k) * natural_frequency() * sn / dn
    return 2 * math.asin(k * cn / dn), rate


@case("order", "Order of the integration methods", chapter=1)
def order(page: Page) -> None:
    """A pendulum swings through 2 rad to both sides, far from the linear range, and is compared after 2 s with the
    closed form in elliptic functions. Halving the step must divide the error by 2 to the order of the method. The
    slope is a sharp test of every coefficient: one wrong digit costs a whole order."""
    from jounce.runtime.simulation import Simulation

    angle, rate = exact(END)
    found: dict[str, tuple[list[float], list[float]]] = {}
    models = {method: (p, pendulum.build()) for method, p in ORDERS.items()}
    models |= {method: (p, implicit_pendulum.build(kind)) for method, (p, kind) in LINEAR_IMPLICIT.items()}
    for method, (p, library) in models.items():
        steps, errors = [], []
        for n in STEPS[p]:
            sim = Simulation(library, method=method, step=END / n)
            sim.advance(n)
            miss = math.hypot(sim.state("hinge.angle") - angle, (sim.state("hinge.rate") - rate) / natural_frequency())
            steps.append(END / n)
            errors.append(miss)
        found[method] = steps, errors
        page.row(
            f"order of {method}",
            expected=p,
            measured=float(np.polyfit(np.log(steps), np.log(errors), 1)[0]),
            tolerance=0.1,
            kind="order",
            source="order of the formula; error against elliptic functions [WhittakerWatson1927]",
            why="The next term of the error is smaller by about ω h < 1e-2 to 3e-2, which moves the slope by less "
            "than 0.05.",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for (method, (steps, errors)), marker in zip(found.items(), "osD^v>PX", strict=True):
            axes.loglog(steps, errors, f"{marker}-", ms=5, lw=1.2, label=f"{method}, order {models[method][0]}")
        axes.set(xlabel="step, s", ylabel="error after 2 s, rad")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))

    page.plot("Error over step. LI-Euler lies on Euler, AM-2 near ROS2.", draw, height=3.8)
