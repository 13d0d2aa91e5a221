"""Compliance: what wheels that give way add to the understeer gradient.

In a steady turn the side force of an axle is its share of the mass times a_y. With the pneumatic trail t it acts behind
the contact, so that F₁ = m a_y (b + t)/L and F₂ = m a_y (a − t)/L. Each wheel takes half of it, is steered by it and by
its aligning moment M = −t F, to the outside by e_f F/2 and e_m t F/2, and needs the slip angle F/(2 C). So the axle has
the cornering compliance D, and the car the understeer gradient K [Bundorf1976],

    D = F/(m a_y) · m (1/C + e_f + e_m t)/2,     K = D₁ − D₂                                           (1)

where e_f counts positive when the side force turns the wheel out of it.

Independent: (1) by hand. The model knows no axles and no gradient: wheels move under their own forces, along maps.
"""

from __future__ import annotations

import math
from typing import Any

from jounce.core.constants import GRAVITY
from jounce.verify import reference_car as ref
from jounce.verify.book import Page, case
from jounce.verify.cases.handling import SPEED, figures, linear, response

TRAIL = 0.031  # m
DEGREES = math.degrees(GRAVITY)
GIVES = {
    "rigid": (0.0, 0.0, 0.0),
    "front gives way": (1.0, 0.0, 0.0),
    "front gives way, with trail": (1.0, 0.0, TRAIL),
    "rear gives way": (0.0, 1.0, 0.0),
    "both give way twice as much, with trail": (2.0, 2.0, TRAIL),
}


def gradient(front: float, rear: float, trail: float) -> float:
    """(1), rad per m/s²."""
    mass, a, _ = figures()
    b, total = ref.WHEELBASE - a, 0.0
    for number, factor, share in ((0, front, (b + trail) / ref.WHEELBASE), (1, rear, (a - trail) / ref.WHEELBASE)):
        toe = ref.COMPLIANCE[number]["toe"]
        gives = factor * (toe["fy"] - toe.get("mz", 0.0) * trail)
        total += (1 - 2 * number) * share * mass * (1 / ref.CORNERING[number] + gives) / 2
    return total


@case("compliance-steer", "What wheels that give way add to the understeer gradient", chapter=21)
def steer(page: Page) -> None:
    """The car on stiff springs in a steady turn at 90 km/h. Its wheels give way to side forces and aligning moments: in
    front, behind, both, once and twice as much. The understeer gradient of the exact linearisation is that of the
    cornering compliances of both axles, each term of which is switched on by itself."""
    found = {}
    for name, (front, rear, trail) in GIVES.items():
        factors = {"front_suspension__compliance__factor": front, "rear_suspension__compliance__factor": rear}
        model = linear(True, trail, **factors)
        angle = ref.STEERING / response(model, "lateral acceleration", 1e-6).real
        measured = angle - ref.WHEELBASE / SPEED**2
        expected = gradient(front, rear, trail)
        found[name] = expected * DEGREES, measured * DEGREES
        page.row(
            f"understeer gradient: {name}",
            expected=expected * DEGREES,
            measured=measured * DEGREES,
            tolerance=2e-4 * abs(gradient(0.0, 0.0, 0.0) * DEGREES)
            + 1e-4 * math.degrees(ref.WHEELBASE / SPEED**2 * GRAVITY),
            unit="deg/g",
            kind="closed form",
            source="(1) [Bundorf1976]",
            why="Springs and tires 1e4 times as stiff leave 1e-4 of the lean; steered wheels: 1e-4 of L/V².",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        at = range(len(found))
        axes.barh([i - 0.2 for i in at], [e for e, _ in found.values()], 0.38, color="0.7", label="(1)")
        axes.barh([i + 0.2 for i in at], [m for _, m in found.values()], 0.38, label="jounce")
        axes.set_yticks(list(at), list(found))
        axes.invert_yaxis()
        axes.set(xlabel="understeer gradient, deg/g")
        axes.legend()

    page.plot("Understeer gradient of one car whose wheels give way.", draw, height=2.9)
