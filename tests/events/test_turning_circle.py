"""Turning circle: exact circles, and the geometry of steered wheels."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.events.library.turning_circle import turning_circle
from result_runs import value


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_figures_of_a_car_on_a_circle(side: float) -> None:
    yaw = side * np.linspace(0.0, 8.0, 801) + 0.4
    centre, radius = (31.0, -12.0), 4.7

    def place(ahead: float, left: float) -> tuple[np.ndarray, np.ndarray]:
        """Of a point of a car whose origin runs on the circle, heading along it."""
        x = centre[0] + side * radius * np.sin(yaw) + ahead * np.cos(yaw) - left * np.sin(yaw)
        y = centre[1] - side * radius * np.cos(yaw) + ahead * np.sin(yaw) + left * np.cos(yaw)
        return x, y

    wheels = {"L1": place(1.3, 0.7), "R1": place(1.3, -0.8), "L2": place(-1.5, 0.75), "R2": place(-1.5, -0.65)}
    found = turning_circle(yaw, place(0.0, 0.0), wheels, [place(2.2, 0.9), place(2.2, -0.9)])
    radii = [math.hypot(radius - side * y, x) for x, y in ((1.3, 0.7), (1.3, -0.8), (-1.5, 0.75), (-1.5, -0.65))]
    assert value(found, "turning_circle") == pytest.approx(2 * max(radii), rel=1e-9)
    assert value(found, "turning_circle_inner") == pytest.approx(2 * min(radii), rel=1e-9)
    assert value(found, "swept_width") == pytest.approx(max(radii) - min(radii), rel=1e-9)
    assert value(found, "turning_circle_walls") == pytest.approx(2 * math.hypot(radius + 0.9, 2.2), rel=1e-9)
    less = turning_circle(yaw[:500], (yaw[:500], yaw[:500]), wheels, [])
    assert math.isnan(value(less, "turning_circle")) and "less than once" in less.warnings[0]


@pytest.mark.parametrize("direction", ["left", "right"])
def test_the_circle_lies_between_those_of_the_inner_and_the_outer_wheel(direction: str) -> None:
    """At walking pace the middle of the turn is beside the rear axle, where one of the front wheels points."""
    event = events.TurningCircle(direction=direction, lock_share=0.6, heading=1.0, x=4.0, body_width=1.8,
                                 front_overhang=0.9)  # fmt: skip
    run = jn.run(jn.load("sedan"), event)
    assert run.complete
    wheelbase, track = run.quantity("wheelbase"), 1.57
    inner, outer = (math.radians(run.kpis[f"steer_angle_{which}"][0]) for which in ("inner", "outer"))
    assert inner > outer > 0
    middles = sorted([wheelbase / math.tan(inner) + track / 2, wheelbase / math.tan(outer) - track / 2])
    found = math.sqrt((run.kpis["turning_circle"][0] / 2) ** 2 - wheelbase**2) - track / 2
    # 0.4 m/s² sideways take some 0.1 deg of slip at the front, 1 % of the radius; contacts stand centimetres aside
    assert 0.98 * middles[0] < found < 1.02 * middles[1]
    assert middles[1] / middles[0] < 1.15
    assert run.kpis["turning_circle_walls"][0] > run.kpis["turning_circle"][0]
    assert np.sign(run.signal("yaw_rate")[-1]) == (1 if direction == "left" else -1)
    assert run.signal("speed")[-1] == pytest.approx(5 / 3.6, abs=0.1)
    assert run.kpis["steering_turns"][0] == pytest.approx(2.56, abs=0.01)  # of the data: 923 deg from end to end
