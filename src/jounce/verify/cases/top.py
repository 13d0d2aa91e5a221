"""The heavy symmetric top in steady precession.

A top with moments A, A, C about the fixed point, weight m g at distance l, tilted by θ and spinning with ω3 about its
axis, precesses steadily with Ω if [Goldstein2002] §5.7

    A cos θ Ω² - C ω3 Ω + m g l = 0,     Ω = (C ω3 ± sqrt(C² ω3² - 4 A m g l cos θ)) / (2 A cos θ)             (1)

a fast and a slow root.  Started exactly there (body axes: ω = (0, Ω sin θ, ω3)), the tilt must not change and the
axis must turn about the vertical with Ω.

With a rotor in a casing (gyrostat) the angular momentum along the axis is  C_case Ω cos θ + C_rotor (Ω cos θ + s)
where s is the spin relative to the casing, which itself only precesses.  Chosen equal to C ω3 of the top, (1) gives
the same precession of another mechanism.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.sim.build import recipe
from jounce.verify.book import Page, case
from jounce.verify.truncation import am4_phase

if TYPE_CHECKING:
    from jounce.symbolic import System

MASS, LENGTH = 1.2, 0.25  # kg, m
ACROSS, ALONG = 0.02, 0.03  # kg.m2, about the centre of mass
ROTOR = 0.02  # kg.m2, the rotor's part of ALONG
TILT = 0.6  # rad
SPIN = 40.0  # rad/s, ω3
TURNS = 5
STEP = {"slow": 0.0005, "fast": 0.0002}  # s
SOURCE = "steady precession, Goldstein, Poole, Safko 2002 [Goldstein2002] §5.7"


def precession(root: str) -> float:
    """(1), rad/s."""
    a = ACROSS + MASS * LENGTH**2
    h = ALONG * SPIN
    weight = MASS * GRAVITY * LENGTH
    cosine = math.cos(TILT)
    discriminant = math.sqrt(h * h - 4 * a * weight * cosine)
    if root == "fast":
        return (h + discriminant) / (2 * a * cosine)
    return 2 * weight / (h + discriminant)  # the product of the roots; no cancellation


@recipe
def top(rotor: bool) -> System:
    from jounce.symbolic import System
    from jounce.symbolic.ops import acos, atan2

    s = System("top_rotor" if rotor else "top")
    joint = s.ball("pivot", s.world)
    body = s.body("top", joint.frame, MASS, (ACROSS, ACROSS, ALONG), (0.0, 0.0, LENGTH))
    if rotor:
        s.gyrostat("rotor", body, (0, 0, 1), ROTOR)
    axis = [row[2] for row in joint.frame.orientation]
    s.output("tilt", acos(axis[2]), "rad")
    s.output("azimuth", atan2(axis[0], -axis[1]), "rad")
    s.output("energy", s.kinetic_energy() + s.potential_energy(), "J")
    return s


@case("top", "Heavy symmetric top: steady precession", chapter=3)
def heavy_top(page: Page) -> None:
    """A spinning top on a ball joint starts exactly in steady precession, at the slow and at the fast root of the
    classical quadratic equation, and must stay there for five turns: the precession rate is measured and the tilt
    must not change. The same precession is then made with a rotor in a casing that does not spin (a gyrostat), as
    wheels are modelled."""
    from jounce.runtime.simulation import Simulation

    tilts: dict[str, Any] = {}
    for rotor in (False, True):
        library = top.build(rotor)
        mechanism = "rotor in a casing" if rotor else "top"
        for root in ("slow", "fast"):
            rate = precession(root)
            step = STEP[root]
            sim = Simulation(library, method="AM-4", step=step)
            along = SPIN
            if rotor:
                along = rate * math.cos(TILT)
                spin = (ALONG * SPIN - ALONG * along) / ROTOR
                sim.set_states({"rotor.spin": spin})
            sim.set_states({"pivot.e0": math.cos(TILT / 2), "pivot.e1": math.sin(TILT / 2)})
            sim.set_states({"pivot.wy": rate * math.sin(TILT), "pivot.wz": along})
            end = TURNS * 2 * math.pi / rate
            run = sim.run(end, iprint=4)
            azimuth = np.unwrap(run["azimuth"])
            measured = float((azimuth[-1] - azimuth[0]) / (run.time[-1] - run.time[0]))
            # In body axes the angular velocity turns with ψ̇ = ω3 - Ω cos θ; the quaternion with (ψ̇ + Ω)/2, which counts
            # twice.
            turning = along - rate * math.cos(TILT)
            slip = am4_phase(1.0, turning, step) + 2 * am4_phase(1.0, (turning + rate) / 2, step)
            rounding = 1e-16 / step * math.sqrt(run.steps)
            why = (
                f"Phase that AM-4 loses, C (ψ̇⁵ + 2 ((ψ̇ + Ω)/2)⁵) h⁴ = {slip:.1e} rad/s (jounce.verify.truncation), "
                "and rounding."
            )
            page.row(
                f"{mechanism}, {root} precession rate",
                expected=rate,
                measured=measured,
                tolerance=slip + rounding,
                unit="rad/s",
                kind="closed form",
                source=SOURCE,
                why=why,
            )
            page.row(
                f"{mechanism}, {root} precession: largest change of the tilt",
                expected=0.0,
                measured=float(np.abs(run["tilt"] - TILT).max()),
                tolerance=(slip + rounding) * end,
                unit="rad",
                kind="closed form",
                source=SOURCE,
                why=why,
            )
            tilts[f"{mechanism}, {root}"] = run.time * rate / (2 * math.pi), run["tilt"] - TILT

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, (turns, change) in tilts.items():
            axes.semilogy(turns, np.maximum(np.abs(change), 1e-17), lw=0.9, label=name)
        axes.set(xlabel="turns of precession", ylabel="|change of tilt|, rad", ylim=(1e-17, 1e-6), xlim=(0, TURNS))
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))

    page.plot("The tilt stays: what is left is the error of the integration.", draw, height=2.8)
