"""Dry friction: a block on an incline that sticks, slides, and comes to rest.

A block of mass m on an incline α with friction coefficient µ (x down the slope),

    sticks          if tan α <= µ,  displaced by the bristle only:  x = m g sin α / k                           (1)
    slides with     ẍ = g (sin α - µ cos α)   if tan α > µ                                                   (2)
    pushed up with v0 it stops after  T = v0 / (g (sin α + µ cos α))  at  s = v0²/(2 g (sin α + µ cos α))          (3)

Coulomb's law; k is the stiffness of the bristle of the element in `jounce.symbolic.friction`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.sim.build import recipe
from jounce.verify.book import Page, case

if TYPE_CHECKING:
    from jounce.symbolic import System

MASS, FRICTION = 10.0, 0.3  # kg, -
STIFFNESS = 1e5  # N/m
DAMPING = 2.0 * math.sqrt(STIFFNESS * MASS)  # N.s/m, critical
GENTLE, STEEP = math.atan(0.2), math.atan(0.5)  # rad; 20 % and 50 % grade
PUSH = 2.0  # m/s
STEP = 0.0005  # s
SOURCE = "Coulomb's law, equation"


@recipe
def block() -> System:
    from jounce.symbolic import System
    from jounce.symbolic.friction import coulomb
    from jounce.symbolic.ops import cos, sin

    s = System("block")
    slope = s.parameter("slope", GENTLE, "rad", "inclination, x points down")
    joint = s.prismatic("block", s.world, axis=(cos(slope), 0.0, -sin(slope)))
    s.body("block", joint.frame, MASS)
    normal = MASS * GRAVITY * cos(slope)
    force = coulomb(s, "friction", joint.u[0], FRICTION * normal, STIFFNESS, DAMPING)
    s.generalized_force(joint.u[0], -force)
    s.output("travel", joint.q[0], "m")
    s.output("speed", joint.u[0], "m/s")
    return s


@case("friction", "Dry friction: block on an incline", chapter=8)
def friction(page: Page) -> None:
    """The kernel's stick-slip element holds a block on a 20 % grade without creeping, lets it slide down a 50 % grade
    with the acceleration of Coulomb's law, and brings a block that was pushed uphill to rest where it must. A
    friction law smoothed by a tanh would creep in the first and third of these."""
    from jounce.runtime.simulation import Simulation

    library = block.build()
    hold = Simulation(library, method="AB-2", step=STEP).run(100.0, interval=0.1)
    deflection = MASS * GRAVITY * math.sin(GENTLE) / STIFFNESS
    late = hold.time >= 10.0
    # settled by exp(-c t/(2 m)) = exp(-100 t); what can remain is rounding in the balance of forces: eps m g/k per look
    rounding = 1e-12
    page.row(
        "sticking on a 20 % grade: displacement after 100 s",
        expected=deflection,
        measured=float(hold["travel"][-1]),
        tolerance=GRAVITY * math.sin(GENTLE) * STEP**2,
        unit="m",
        kind="closed form",
        source=f"{SOURCE} (1)",
        why="Bristle and block integrate the same speed with rules that differ in the first step only; there both "
        "find a "
        "way between 0 and a h², a = g sin α.",
    )
    page.row(
        "sticking on a 20 % grade: creep from 10 s to 100 s",
        expected=0.0,
        measured=float(np.ptp(hold["travel"][late])),
        tolerance=rounding,
        unit="m",
        kind="closed form",
        source="Coulomb's law: a block at rest stays",
        why="Rounding in the balance of forces, 1e-14 N over the stiffness, at 9e4 steps.",
    )

    sim = Simulation(library, method="AB-2", step=STEP)
    sim.set_parameters({"slope": STEEP})
    slide = sim.run(3.0, interval=0.01)
    acceleration = GRAVITY * (math.sin(STEEP) - FRICTION * math.cos(STEEP))
    ends = np.searchsorted(slide.time, (0.9999, 2.9999))
    page.row(
        "sliding down a 50 % grade: acceleration from 1 s to 3 s",
        expected=acceleration,
        measured=float(np.diff(slide["speed"][ends])[0] / np.diff(slide.time[ends])[0]),
        tolerance=1e-11,
        unit="m/s2",
        kind="closed form",
        source=f"{SOURCE} (2)",
        why="The force is constant in sliding: every method is exact but for rounding, 1e-15 per step at 2e3 steps.",
    )

    sim = Simulation(library, method="AB-2", step=STEP)
    sim.set_states({"block.rate": -PUSH})
    up = sim.run(5.0, interval=0.01)
    braking = GRAVITY * (math.sin(GENTLE) + FRICTION * math.cos(GENTLE))
    distance = PUSH**2 / (2 * braking)
    # the bristle at its limit is µ N/k = 0.3 mm long: so much lies between sliding and rest
    elastic = FRICTION * MASS * GRAVITY / STIFFNESS
    page.row(
        "pushed up a 20 % grade: distance to rest",
        expected=distance,
        measured=float(-up["travel"].min()),
        tolerance=elastic,
        unit="m",
        kind="closed form",
        source=f"{SOURCE} (3)",
        why="Length of the bristle at the limit, µ m g/k.",
    )
    page.row(
        "pushed up a 20 % grade: stays at rest afterwards, travel over the last 2 s",
        expected=0.0,
        measured=float(np.ptp(up["travel"][up.time >= 3.0])),
        tolerance=rounding,
        unit="m",
        kind="closed form",
        source="Coulomb's law: a block at rest stays",
        why="Rounding, as above.",
    )

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        left.plot(up.time, -up["travel"], lw=1.4)
        left.axhline(distance, color="k", lw=0.8, ls="--")
        left.text(4.9, distance * 0.93, "closed form", ha="right", va="top")
        left.set(xlabel="time, s", ylabel="way uphill, m", title="pushed up a 20 % grade")
        right.plot(slide.time, slide["speed"], lw=1.4)
        right.plot(slide.time[::20], acceleration * slide.time[::20], "k.", ms=4, label="closed form")
        right.set(xlabel="time, s", ylabel="speed, m/s", title="sliding down a 50 % grade")
        right.legend()

    page.plot("Stopping for good, and sliding with constant acceleration.", draw, height=2.9)
