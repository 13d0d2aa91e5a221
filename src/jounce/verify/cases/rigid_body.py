"""The torque-free rigid body: a triaxial body that tumbles and turns over.

With principal moments I1 < I2 < I3, energy E and angular momentum H such that H² > 2 E I2, Euler's equations have the
solution [LandauLifshitz1976] §37

    ω1 = a1 cn τ,   ω2 = a2 sn τ,   ω3 = a3 dn τ                                                          (1)
    a1² = (2 E I3 - H²) / (I1 (I3 - I1)),  a2² = (2 E I3 - H²) / (I2 (I3 - I2)),  a3² = (H² - 2 E I1) / (I3 (I3 - I1))
    τ = t sqrt((I3 - I2)(H² - 2 E I1) / (I1 I2 I3)),   k² = (I2 - I1)(2 E I3 - H²) / ((I3 - I2)(H² - 2 E I1))

with Jacobi's elliptic functions of parameter k².  The attitude, with the third space axis along the angular momentum,
is R = Rz(α) Rx(β) Rz(γ), where cos β = I3 ω3/H, tan γ = I1 ω1/(I2 ω2) and, by quadrature,

    α̇ = H (I1 ω1² + I2 ω2²) / (I1² ω1² + I2² ω2²)                                                         (2)

The body is a free joint whose origin is *not* the centre of mass, so that the six equations are coupled; without
gravity the centre of mass moves on a straight line.  Initial values for (1) at t = 0 are (a1, 0, a3).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.sim.build import recipe
from jounce.verify.book import Page, case
from jounce.verify.truncation import HARMONICS, am4_phase

if TYPE_CHECKING:
    from jounce.symbolic import System

Array = npt.NDArray[np.float64]

MASS = 3.0  # kg
MOMENTS = (1.0, 2.0, 3.0)  # kg.m2
CENTER = (0.2, -0.3, 0.5)  # m, from the origin of the frame
# (ω1, ω2, ω3) at the start; H² = 25.5 is so little above 2 E I2 = 24.1 that the second axis turns over
SPIN = (2.3, 0.0, 1.5)  # rad/s
DRIFT = (0.7, -0.4, 0.3)  # m/s, velocity of the centre of mass
END, STEP = 30.0, 0.0005  # s
SOURCE = "elliptic functions, Landau, Lifshitz 1976 [LandauLifshitz1976] §37"


@recipe
def tumbler() -> System:
    from jounce.symbolic import System
    from jounce.symbolic.frames import add, cross, times

    s = System("tumbler", gravity=(0, 0, 0))
    joint = s.free("body")
    body = s.body("body", joint.frame, MASS, MOMENTS, CENTER)
    frame = joint.frame
    v_center = frame.to_world(frame.point_velocity(CENTER))
    spin = frame.to_world(times(body.inertia, frame.w))
    # about the world's origin: H = I ω + r × m v
    total = add(spin, [MASS * c for c in cross(frame.point(CENTER), v_center)])
    for k, axis in enumerate("xyz"):
        s.output(f"w_{axis}", frame.w[k], "rad/s")
        s.output(f"center_{axis}", frame.point(CENTER)[k], "m")
        s.output(f"spin_{axis}", spin[k], "N.m.s", "angular momentum about the centre of mass, world axes")
        s.output(f"total_{axis}", total[k], "N.m.s", "angular momentum about the world's origin")
        for j in range(3):
            s.output(f"r{k}{j}", frame.orientation[k][j], "-")
    s.output("energy", s.kinetic_energy(), "J")
    return s


class Exact:
    """(1) and (2) for the given start."""

    def __init__(self) -> None:
        i1, i2, i3 = MOMENTS
        self.energy = 0.5 * sum(i * w * w for i, w in zip(MOMENTS, SPIN, strict=True))
        self.momentum = math.sqrt(sum((i * w) ** 2 for i, w in zip(MOMENTS, SPIN, strict=True)))
        low = 2 * self.energy * i3 - self.momentum**2
        high = self.momentum**2 - 2 * self.energy * i1
        self.a = np.sqrt([low / (i1 * (i3 - i1)), low / (i2 * (i3 - i2)), high / (i3 * (i3 - i1))])
        self.rate = math.sqrt((i3 - i2) * high / (i1 * i2 * i3))
        self.parameter = (i2 - i1) * low / ((i3 - i2) * high)

    def spin(self, t: Array) -> Array:
        from scipy.special import ellipj

        sn, cn, dn, _ = ellipj(self.rate * np.asarray(t), self.parameter)
        return np.stack([self.a[0] * cn, self.a[1] * sn, self.a[2] * dn], axis=-1)

    def attitude(self, t: Array) -> Array:
        """Body axes in axes whose third is the angular momentum, up to a constant turn about it: shape (.., 3, 3)."""
        i1, i2, i3 = MOMENTS
        w = self.spin(t)
        beta = np.arccos(i3 * w[:, 2] / self.momentum)
        gamma = np.arctan2(i1 * w[:, 0], i2 * w[:, 1])
        alpha = np.array([self._alpha(float(x)) for x in t])
        return _turn("z", alpha) @ _turn("x", beta) @ _turn("z", gamma)

    def _alpha(self, t: float) -> float:
        from scipy.integrate import quad

        i1, i2, _ = MOMENTS

        def integrand(x: float) -> float:
            w1, w2, _ = self.spin(np.array(x))
            return float(self.momentum * (i1 * w1**2 + i2 * w2**2) / ((i1 * w1) ** 2 + (i2 * w2) ** 2))

        # piecewise over the period, on which the integrand is smooth
        edges = np.append(np.arange(0.0, t, 0.5), t)
        return sum(quad(integrand, a, b, epsabs=1e-13, epsrel=1e-13)[0] for a, b in pairwise(edges))


def _turn(axis: str, angle: Array) -> Array:
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    rows = {
        "z": [[c, -s, zero], [s, c, zero], [zero, zero, one]],
        "x": [[one, zero, zero], [zero, c, -s], [zero, s, c]],
    }
    return np.moveaxis(np.array(rows[axis]), -1, 0)


@case("rigid-body", "Torque-free rigid body", chapter=2)
def rigid_body(page: Page) -> None:
    """A body with three different moments of inertia tumbles freely for 30 s; its middle axis turns over again and
    again. Its angular velocity is compared with the classical solution in elliptic functions, its attitude with the
    quadrature of that solution, its centre of mass with a straight line; energy and angular momentum must stay. The
    frame's origin is off the centre of mass, so that translation and rotation are coupled in the equations solved and
    separate only in the solution."""
    from jounce.runtime.simulation import Simulation

    exact = Exact()
    sim = Simulation(tumbler.build(), method="AM-4", step=STEP)
    w0, c = np.array(SPIN), np.array(CENTER)
    velocity = np.array(DRIFT) - np.cross(w0, c)
    sim.set_states({f"body.v{k}": v for k, v in zip("xyz", velocity, strict=True)})
    sim.set_states({f"body.w{k}": w for k, w in zip("xyz", w0, strict=True)})
    run = sim.run(END, interval=0.01)
    t = run.time

    # |ω| < 3 rad/s; rounding, 1e-16 at 6e4 steps, is below
    tolerance = HARMONICS * am4_phase(END, 3.0, STEP)
    why = (
        f"Phase that AM-4 loses in the run, 25 C T ω⁵ h⁴ = {tolerance:.1e} rad (jounce.verify.truncation), "
        "times the size of the quantity."
    )

    def vector(name: str) -> Array:
        return np.stack([run[f"{name}_{k}"] for k in "xyz"], axis=-1)

    def compare(name: str, error: float, unit: str, kind: str, source: str, scale: float = 1.0) -> None:
        page.row(
            name,
            expected=0.0,
            measured=error,
            tolerance=tolerance * scale,
            unit=unit,
            kind=kind,
            source=source,
            why=why,
        )

    spin = vector("w")
    wanted = exact.spin(t)
    for k in range(3):
        name = f"angular velocity {k + 1}, largest error over {END:g} s"
        compare(name, float(np.abs(spin - wanted)[:, k].max()), "rad/s", "closed form", SOURCE, 3.0)
    last = int(np.argmin(np.abs(t - END)))
    page.row(
        f"angular velocity 1 after {END:g} s",
        expected=float(wanted[last, 0]),
        measured=float(spin[last, 0]),
        tolerance=tolerance * 3.0,
        unit="rad/s",
        kind="closed form",
        source=SOURCE,
        why=why,
    )

    rotation = np.stack([[run[f"r{i}{j}"] for j in range(3)] for i in range(3)]).transpose(2, 0, 1)
    some = np.arange(0, len(t), 100)
    theory = exact.attitude(t[some])
    # the constant rotation from the axes of the angular momentum to the world, from the start
    attitude = rotation[0] @ theory[0].T @ theory
    error = float(np.abs(rotation[some] - attitude).max())
    compare(f"rotation matrix, largest error over {END:g} s", error, "-", "closed form", f"{SOURCE}, with (2)")

    line = np.array(DRIFT) * t[:, None] + c
    error = float(np.abs(vector("center") - line).max())  # the way is 26 m long
    compare("centre of mass, distance from a straight line", error, "m", "closed form", "Newton's first law", 26.0)
    energy = exact.energy + 0.5 * MASS * float(np.dot(DRIFT, DRIFT))
    page.row(
        "kinetic energy at the end",
        expected=energy,
        measured=float(run["energy"][-1]),
        tolerance=tolerance * energy,
        unit="J",
        kind="conservation",
        source="½ ω·Iω + ½ m v² of the start",
        why=why,
    )
    spin_momentum = vector("spin")
    error = float(np.abs(spin_momentum - spin_momentum[0]).max())
    name = "angular momentum in world axes, largest change"
    compare(name, error, "N.m.s", "conservation", "no torque acts", exact.momentum)
    page.row(
        "angular momentum at the end, length",
        expected=exact.momentum,
        measured=float(np.linalg.norm(spin_momentum[-1])),
        tolerance=tolerance * exact.momentum,
        unit="N.m.s",
        kind="conservation",
        source="|I ω| of the start",
        why=why,
    )
    total = vector("total")
    name = "angular momentum about the world's origin, largest change"
    # r × m v with r up to 26 m and m v = 2.6 N.s: 70 N.m.s
    compare(name, float(np.abs(total - total[0]).max()), "N.m.s", "conservation", "no torque acts", 70.0)

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(2, 1))
        for k in range(3):
            left.plot(t, spin[:, k], lw=1.3, label=f"ω{k + 1}")
        left.plot(t[::40], wanted[::40], "k.", ms=3, label=["closed form", "", ""])
        left.set(xlim=(0, 12), xlabel="time, s", ylabel="angular velocity, rad/s")
        left.legend(loc="upper center", ncols=4, bbox_to_anchor=(0.5, 1.17), columnspacing=1.0)
        right.plot(rotation[:, 0, 1], rotation[:, 2, 1], lw=0.5, color="C0")
        right.set(aspect="equal", xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), xlabel="world x", ylabel="world z")
        right.set_title("path of the second body axis")

    caption = f"Angular velocity against the closed form (dots); path of the axis that turns over, for {END:g} s."
    page.plot(caption, draw)
