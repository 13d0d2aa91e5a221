"""Drift from a loop constraint, and what stops it: a point mass on a circular track.

A point mass is held on g = x₁² + x₂² - 1 = 0 by a loop constraint; a PI controller of its speed acts along the track,
a constant force pushes it outward [Burgermeister2006].  The motion is known: the speed v obeys

    m v̇ = kp (v0 - v) + ki z,    ż = v0 - v,    z(0) = v(0) = 0                                           (1)

Since g is a quadratic form, its value w_n and its rate v_n = G u change in one explicit Euler step exactly by

    w ← w + h v_n + h² |u|²,    v_n ← v_n + h (G u̇ + g_qq(u, u)) + 2 h² u·u̇                                (2)

With each way to meet the constraint, to leading order in h:

    index 1                                G u̇ + g_qq(u, u) = 0:  v_n = h v²,        w = 2 h ∫ v² dt        (3)
    index 2                                v_n = 0:                                   w = h ∫ v² dt          (4)
    index 1, Baumgarte α = 1/h, β = 1/h²   both errors are gone after two steps:      w = 2 h² v²            (5)
    index 2, Baumgarte α = 1/h                                                        w = h² v²              (6)
    projection, Gear-Gupta-Leimkuhler      one Newton step leaves g̃²/4, g̃ = h² v²:    w = h⁴ v⁴/4            (7)

(7) is one order better than the bound C h³ of [Burgermeister2006] for a Newton step with an old Jacobian, because on
a circle the change of the Jacobian along the motion has no part along the correction.  The general case is the car
axle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.sim.build import recipe
from jounce.verify.book import Page, case

if TYPE_CHECKING:
    from jounce.core.generated import GeneratedModel
    from jounce.runtime.recording import Recording

MASS, SPEED, KP, KI, PUSH = 1.0, 1.0, 4.0, 3.0, 2.0  # kg, m/s, N.s/m, N/m, N
END = 8.0  # s
STEPS = (8e-3, 4e-3, 2e-3, 1e-3)  # s
LONG, LONG_STEP = 1e4, 1e-2  # s, about 1600 laps


@recipe
def track(constraints: str) -> GeneratedModel:
    from jounce.symbolic import System, ops
    from jounce.symbolic.step import Step

    s = System("track", gravity=(0, 0, 0))
    x1, u1 = s.coordinate("x1", initial=1.0)
    x2, u2 = s.coordinate("x2")
    point = s.world.guided("point", (x1, x2, 0))
    s.body("mass", point, MASS)
    r = ops.sqrt(x1 * x1 + x2 * x2)
    v = (x1 * u2 - x2 * u1) / r
    z = s.state("z", "m", "integral of the speed error")
    s.derivative(z, SPEED - v)
    drive = KP * (SPEED - v) + KI * z
    s.force(point, ((PUSH * x1 - drive * x2) / r, (PUSH * x2 + drive * x1) / r, 0))
    (force,) = s.loop("track", [x1 * x1 + x2 * x2 - 1])
    s.output("g", x1 * x1 + x2 * x2 - 1, "m2")
    s.output("radius", r, "m")
    s.output("speed", v, "m/s")
    s.output("force", 2 * r * force, "N", "of the track on the mass, inward")
    return s.generate(step=Step("explicit", constraints=constraints))


@dataclass(frozen=True)
class Way:
    """One way to meet the constraint, the order of its error and its leading term over h^order."""

    name: str
    constraints: str
    order: int
    leading: str
    project: bool = False
    alpha_h: float = 0.0  # gains times h and h²
    beta_hh: float = 0.0
    alpha2_h: float = 0.0

    def run(self, h: float, end: float, rows: int = 4000) -> Recording:
        from jounce.runtime.simulation import Simulation

        sim = Simulation(track.build(self.constraints), method="LI-Euler", step=h)
        gains = {
            "loops.alpha": self.alpha_h / h,
            "loops.beta": self.beta_hh / h**2,
            "loops.alpha_index2": self.alpha2_h / h,
        }
        sim.set_parameters(gains)
        sim.project = self.project
        return sim.run(end, iprint=max(1, round(end / h / rows)))


WAYS = (
    Way("index 1", "index-1", 1, "(3)"),
    Way("index 2", "index-2", 1, "(4)"),
    Way("index 1, Baumgarte", "index-1", 2, "(5)", alpha_h=1.0, beta_hh=1.0),
    Way("index 2, Baumgarte", "index-2", 2, "(6)", alpha2_h=1.0),
    Way("index 1, projection", "index-1", 4, "(7)", project=True),
    Way("index 2, projection", "index-2", 4, "(7)", project=True),
    Way("Gear-Gupta-Leimkuhler", "ggl", 4, "(7)"),
)


def speed_history() -> tuple[float, float]:
    """∫ v² dt and the largest v of (1) up to END, by SciPy."""
    from scipy.integrate import solve_ivp

    def rates(_: float, y: Any) -> list[float]:
        v, z, _distance = y
        return [(KP * (SPEED - v) + KI * z) / MASS, SPEED - v, v * v]

    solution = solve_ivp(rates, (0, END), [0.0, 0.0, 0.0], method="DOP853", rtol=1e-11, atol=1e-12, max_step=0.01)
    return float(solution.y[2, -1]), float(solution.y[0].max())


@case("drift", "Drift from a loop constraint: circular track", chapter=11)
def drift(page: Page) -> None:
    """A controlled point mass runs on a circle that a loop constraint holds, starting from rest. Without stabilisation
    the circle is left in proportion to step and time, twice as fast on acceleration level as on velocity level. With
    Baumgarte's terms the error is bounded by the square of the step, with projection by its fourth power, for any
    duration: 1600 laps are run. Besides the orders, the size of each error is compared with its leading term, which is
    known because the constraint is a quadratic form."""
    squares, fastest = speed_history()
    leading = {
        "(3)": 2 * squares,
        "(4)": squares,
        "(5)": 2 * fastest**2,
        "(6)": fastest**2,
        "(7)": fastest**4 / 4,
    }
    found: dict[str, list[float]] = {}
    for way in WAYS:
        errors = [float(np.abs(way.run(h, END)["g"]).max()) for h in STEPS]
        found[way.name] = errors
        page.row(
            f"{way.name}: order of max |g|",
            expected=way.order,
            measured=float(np.polyfit(np.log(STEPS), np.log(errors), 1)[0]),
            tolerance=0.15,
            kind="order",
            source=f"{way.leading}; [Burgermeister2006] sections 3 and 4",
            why="The next term is smaller by about 4 h ω with ω = kp/m, 3 % at the largest step.",
        )
        page.row(
            f"{way.name}: max |g| at h = 1 ms over its leading term",
            expected=1.0,
            measured=errors[-1] / (leading[way.leading] * STEPS[-1] ** way.order),
            tolerance=0.02,
            kind="closed form",
            source=way.leading,
            why="The next term: about 4 h ω with h ω = 4e-3.",
        )
    ratio = found["index 1"][-1] / found["index 2"][-1]
    page.row(
        "drift of index 1 over that of index 2 at h = 1 ms",
        expected=2.0,
        measured=ratio,
        tolerance=0.04,
        kind="closed form",
        source="(3) over (4)",
        why="As above.",
    )
    steady = {"(5)": 2 * SPEED**2, "(6)": SPEED**2, "(7)": SPEED**4 / 4}
    long = {way: way.run(LONG_STEP, LONG) for way in WAYS if way.order > 1}
    for way, run in long.items():
        late = np.abs(run["g"][run.time > 0.9 * LONG])
        page.row(
            f"{way.name}: max |g| in the last tenth of {LONG:g} s over its leading term, h = 10 ms",
            expected=1.0,
            measured=float(late.max()) / (steady[way.leading] * LONG_STEP**way.order),
            tolerance=0.02,
            kind="published",
            source=f"{way.leading}; bounded for any duration by [Burgermeister2006] (13)",
            why="At constant speed the next term is smaller by some (h v/r)², 1e-4; a drift of 1e-3 of "
            "the bound per lap would more than double it.",
        )
    page.row(
        "force of the track after the start, projection",
        expected=MASS * SPEED**2 + PUSH,
        measured=float(long[WAYS[4]]["force"][-1]),
        tolerance=1e-6,
        kind="closed form",
        source="m v²/r + push",
        unit="N",
        why="The integral part of the controller holds the speed; radius and speed are off by (7), 1e-9.",
    )
    _plot(page, found)


def _plot(page: Page, found: dict[str, list[float]]) -> None:
    def histories(figure: Any) -> None:
        axes = figure.subplots()
        for way, style in ((WAYS[0], "-"), (WAYS[1], "-"), (WAYS[2], "--"), (WAYS[4], "-")):
            run = way.run(0.01, 40.0)
            axes.plot(run.time, run["radius"], style, lw=1.4, label=way.name)
        axes.set(xlabel="time, s", ylabel="radius, m")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))

    def orders(figure: Any) -> None:
        axes = figure.subplots()
        for (name, errors), marker in zip(found.items(), "osD^v>x", strict=True):
            axes.loglog(STEPS, errors, f"{marker}-", ms=5, lw=1.2, mfc="none", label=name)
        axes.set(xlabel="step, s", ylabel="max |g|, m²")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))

    page.plot("Radius of the track at a step of 10 ms.", histories)
    page.plot("Largest violation of the constraint over the step.", orders, height=3.8)
