"""Exchange with external software: how late the force of an external spring is.

A mass on a spring, whose force -k x is computed outside and imported, obeys ẍ(t) = -ω² x(t - τ) when the force is late
by τ.  With x = e^{st},

    s² = -ω² e^{-sτ},      so       τ = -ln(-s²/ω²)/s,      s ≈ iω + ½ ω² τ                                  (1)

and a late spring acts like a damper of -k τ: the motion grows.  (1) turns the complex s of a measured motion into the
delay.  A fixed-step method makes of forces v+ = v + h Σ b_j F_j, with weights b_j (Σ b_j = 1) for its evaluations.  If
evaluation j uses a force computed from positions that are d_j old, then to first order in h

    τ = Σ b_j d_j                                                                                            (2)

Convention 1 (no half steps): all d_j = h.  Convention 2 (kinematic values are sent before the forces are needed):
d_j = 0.  Convention 3 (half steps, exchange at full steps): d = h at full steps and 3h/2 at half steps.  Convention 4
(exchange at half steps too): d = h/2.  A sampled block is called before the evaluation at a full step and held: d = 0
and h/2.  Explicit Euler is itself late: on its own it gives (1) with τ = h.

    weights b       half step   full step   one back   two back
    Euler               -           1           -          -
    AB-2                -          3/2        -1/2         -
    RK-2, AM-2          1           0           -          -
    AM-3              20/18      -3/18        1/18         -
    AM-4              36/30     -10/30        5/30      -1/30
"""

from __future__ import annotations

import cmath
import ctypes
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.sim.build import recipe
from jounce.verify.book import Page, case

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.symbolic import System

Array = npt.NDArray[np.float64]

MASS, STIFFNESS = 2.0, 800.0  # kg, N/m
OMEGA = math.sqrt(STIFFNESS / MASS)
ANGLE = 0.02  # ω h, rad
STEP = ANGLE / OMEGA  # s
STEPS = 3000

# weights of the evaluations: at the half step, then at full steps
WEIGHTS = {
    "Euler": (0.0, 1.0),
    "AB-2": (0.0, 1.0),
    "RK-2": (1.0, 0.0),
    "AM-2": (1.0, 0.0),
    "AM-3": (20 / 18, -2 / 18),
    "AM-4": (36 / 30, -6 / 30),
}
# age of the force at the half step and at full steps, in steps; 0 stands for sampled blocks
AGE = {0: (0.5, 0.0), 1: (0.0, 1.0), 2: (0.0, 0.0), 3: (1.5, 1.0), 4: (0.5, 0.5)}

SPRING = """
#include "jounce.h"
JN_EXPORT void spring(void *context, double t, const double *in, double *out)
{
    (void)t;
    out[0] = -*(const double *)context * in[0];
}
"""


@recipe
def mass() -> System:
    """A mass that an outside force pushes."""
    from jounce.symbolic import System

    s = System("mass", gravity=(0, 0, 0))
    slide = s.prismatic("slide", s.world, axis="x", initial=1.0)
    s.body("mass", slide.frame, s.parameter("mass", MASS, "kg"))
    s.generalized_force(slide.u[0], s.input("force", "N", "from outside"))
    s.output("position", slide.q[0], "m", kinematic=True)
    return s


def configure(sim: Simulation, convention: int) -> str:
    """Set the options of a convention; return the kind of exchange."""
    sim.io_sync_fm, sim.io_update = convention == 2, convention == 4
    sim.set_inputs({"force": -STIFFNESS * sim.state("slide.travel")})
    return "step" if convention else "sampled"


def motion(method: str, convention: int, function: Any, step: float = STEP, context: int | None = None) -> Array:
    """Position at all full steps of a free oscillation on the external spring."""
    from jounce.runtime.simulation import Simulation

    sim = Simulation(mass.build(), method=method, step=step)
    sim.add_block(
        "spring",
        function,
        reads=["position"],
        writes=["force"],
        exchange=configure(sim, convention),
        stateless=True,
        context=context,
    )
    return sim.run(STEPS * step)["position"]


def exponent(x: Array, step: float = STEP) -> complex:
    """The s of a motion e^{st} + its conjugate, by a fit of x_{n+2k} = a x_{n+k} + b x_n (Prony)."""
    k = round(1.0 / (OMEGA * step))  # one radian: the fit is then well conditioned
    x = x[len(x) // 10 :]  # without the start
    a, b = np.linalg.lstsq(np.stack([x[k:-k], x[: -2 * k]], axis=1), x[2 * k :], rcond=None)[0]
    return cmath.log((a + cmath.sqrt(a * a + 4 * b)) / 2) / (k * step)


def delay(s: complex) -> float:
    """τ of (1)."""
    s = complex(s.real, abs(s.imag))
    return (-cmath.log(-s * s / OMEGA**2) / s).real


def expected(method: str, convention: int) -> float:
    """τ/h by (2), with the own delay of Euler."""
    return sum(b * d for b, d in zip(WEIGHTS[method], AGE[convention], strict=True)) + (method == "Euler")


def spring(t: float, values: Array) -> float:
    return -STIFFNESS * float(values[0])


@case("exchange", "External spring under the four exchange conventions", chapter=12)
def exchange(page: Page) -> None:
    """A spring is computed by a function outside the model, as a user's tire or suspension would be. The delay that
    each convention of exchange brings is measured from the growth of the free oscillation and compared with what the
    formula of the method and the age of the force predict. Without delay (convention 2) an external spring is as good
    as an internal one; all other conventions pump energy into it."""
    from jounce.runtime.compile import library_path

    combinations = [(c, m) for c in (1, 2) for m in ("Euler", "AB-2")]
    combinations += [(c, m) for c in (3, 4, 0) for m in ("RK-2", "AM-2", "AM-3", "AM-4")]
    curves: dict[tuple[int, str], Array] = {}
    for convention, method in combinations:
        x = curves[convention, method] = motion(method, convention, spring)
        what = f"convention {convention}" if convention else "sampled block"
        page.row(
            f"delay in steps, {what}, {method}",
            expected=expected(method, convention),
            measured=delay(exponent(x)) / STEP,
            tolerance=ANGLE**2,
            kind="closed form",
            source="weights of the formula times age of the force, (2)",
            why="(2) is the first term of a series in ω h whose real part has even powers: the next one is below "
            f"(ω h)² = {ANGLE**2:g}.",
        )
    library = ctypes.CDLL(str(library_path({"spring.c": SPRING}, name="spring")))
    constant = ctypes.c_double(STIFFNESS)
    compiled = motion("AB-2", 1, library.spring, context=ctypes.addressof(constant))
    page.row(
        "spring in C against spring in Python, largest difference",
        expected=0.0,
        measured=float(np.max(np.abs(compiled - curves[1, "AB-2"]))),
        tolerance=0.0,
        kind="cross-formulation",
        source="the same function in two languages",
        unit="m",
        why="One multiplication, rounded once in both: equal to the bit.",
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        t = STEP * np.arange(STEPS + 1)
        window = round(math.pi / ANGLE)  # half a period
        shown = {(1, "AB-2"): "C0", (2, "AB-2"): "C1", (3, "AM-2"): "C2", (3, "AM-4"): "C4", (4, "AM-2"): "C3"}
        for (convention, method), color in shown.items():
            x = np.abs(curves[convention, method])
            starts = range(0, len(x) - window, window)
            peaks = np.array([n + int(np.argmax(x[n : n + window])) for n in starts])
            label = f"{convention}, {method}: {delay(exponent(curves[convention, method])) / STEP:.3f} h"
            axes.plot(t[peaks], x[peaks], "o", ms=3, color=color, label=label)
            tau = expected(method, convention) * STEP
            axes.plot(t, np.exp(0.5 * OMEGA**2 * tau * t), "-", lw=0.8, color=color)
        axes.set(xlabel="time, s", ylabel="amplitude, m")
        axes.legend(title="convention, method: delay", loc="center left", bbox_to_anchor=(1.01, 0.5))

    page.plot("Peaks of the oscillation on an external spring (dots) and growth by the predicted delay (lines).", draw)
