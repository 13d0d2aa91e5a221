"""Reaction in a turn (ISO 7975, ISO 9816): key figures of signals with exact answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.results.key_figures.turn_reaction import UNITS, turn_reaction
from result_runs import value

START, SPEED, RADIUS, SLOWER = 2.5, 21.0, 90.0, 3.1
T = np.arange(0.0, 6.0, 0.005)
TAU = np.maximum(T - START, 0.0)
V = SPEED - SLOWER * TAU
RATIO = 1 + 0.17 * TAU - 0.05 * TAU**2  # greatest at 1.7 s


def signals(side: float, heading: float = 0.0, x0: float = 0.0, y0: float = 0.0) -> dict[str, np.ndarray]:
    """A circle to the side, left along its tangent: way and place in closed form."""
    way = SPEED * T - 0.5 * SLOWER * TAU**2
    at = SPEED * START  # where the circle is left
    turned = np.minimum(way, at) / RADIUS
    beyond = np.maximum(way - at, 0.0)
    x = RADIUS * np.sin(turned) + beyond * np.cos(turned)
    y = side * (RADIUS * (1 - np.cos(turned)) + beyond * np.sin(turned))
    c, s = math.cos(heading), math.sin(heading)
    return {
        "yaw_rate": side * RATIO * V / RADIUS,
        "speed": V,
        "lateral_acceleration": side * (RATIO - 0.02 * TAU) * V**2 / RADIUS,
        "side_slip": side * (-0.02 - 0.013 * TAU),
        "x": x0 + c * x - s * y,
        "y": y0 + s * x + c * y,
    }


@pytest.mark.parametrize(("side", "heading", "x0", "y0"), [(1.0, 0.0, 0.0, 0.0), (-1.0, 2.1, -340.0, 55.0)])
def test_figures_of_a_car_that_leaves_its_circle_along_the_tangent(
    side: float, heading: float, x0: float, y0: float
) -> None:
    found = turn_reaction(T, START, **signals(side, heading, x0, y0))
    assert not found.warnings
    assert value(found, "initial_speed") == pytest.approx(3.6 * SPEED, rel=1e-9)
    assert value(found, "initial_radius") == pytest.approx(RADIUS, rel=1e-9)
    assert value(found, "initial_lateral_acceleration") == pytest.approx(SPEED**2 / RADIUS, rel=1e-9)
    # polynomials far from a corner pass the filter but for what it takes from their bend:
    # y'' over (2π 12 Hz)², 2e-5 of these signals, and what is left of the corner after half a second
    near = 1e-4
    for n in (1.0, 2.0):
        ratio, v = 1 + 0.17 * n - 0.05 * n * n, SPEED - SLOWER * n
        assert value(found, f"yaw_rate_ratio_{n:g}s") == pytest.approx(ratio, rel=near)
        assert value(found, f"lateral_acceleration_ratio_{n:g}s") == pytest.approx(ratio - 0.02 * n, rel=near)
        assert value(found, f"side_slip_change_{n:g}s") == pytest.approx(math.degrees(-0.013 * n), rel=1e-3)
        # at t₀ itself the filter rounds the corner of the speed by less than SLOWER times 12 ms
        assert value(found, f"mean_deceleration_{n:g}s") == pytest.approx(SLOWER, abs=SLOWER * 0.012 / n)
        d = SPEED * n - 0.5 * SLOWER * n * n
        # differences of positions over 5 ms: the course is late by (v h/R)²/6 of a radian, and R times that
        assert value(found, f"path_deviation_{n:g}s") == pytest.approx(RADIUS - math.hypot(RADIUS, d), abs=1e-3)
        assert v > 1.0
    assert value(found, "yaw_rate_ratio_max") == pytest.approx(1 + 0.17 * 1.7 - 0.05 * 1.7**2, rel=near)
    assert value(found, "t_yaw_rate_max") == pytest.approx(1.7, abs=0.01)
    assert value(found, "side_slip_change_max") == pytest.approx(math.degrees(-0.026), rel=1e-3)
    # the largest change of yaw rate is at the end: d/dt (ratio v)/R, 2 s after t₀
    change = ((0.17 - 0.2) * (SPEED - 2 * SLOWER) - SLOWER * 1.14) / RADIUS
    first = (0.17 * SPEED - SLOWER) / RADIUS
    assert abs(change) > abs(first)
    assert value(found, "yaw_acceleration_max") == pytest.approx(math.degrees(change), rel=2e-3)


def test_what_cannot_be_told_is_nan_with_the_reason() -> None:
    found = turn_reaction(T, 1.0, **signals(1.0))
    assert set(found) == set(UNITS) and all(math.isnan(v) for v, _ in found.values())
    assert "1.3 s of steady running" in found.warnings[0]
    whole = signals(1.0)
    short = {name: values[T < START + 1.5] for name, values in whole.items()}
    found = turn_reaction(T[T < START + 1.5], START, **short)
    assert math.isfinite(value(found, "yaw_rate_ratio_1s")) and math.isnan(value(found, "yaw_rate_ratio_2s"))
    assert any("the run ends before" in text for text in found.warnings)
    straight = whole | {"yaw_rate": 0.0 * T}
    found = turn_reaction(T, START, **straight)
    assert math.isnan(value(found, "yaw_rate_ratio_1s")) and "does not turn" in found.warnings[0]
    stands = whole | {"speed": np.where(T < START + 0.5, SPEED, 0.5)}
    found = turn_reaction(T, START, **stands)
    assert math.isnan(value(found, "yaw_rate_ratio_1s")) and any("stands" in text for text in found.warnings)
    restless = whole | {"yaw_rate": whole["yaw_rate"] * (1 + 0.2 * np.sin(9 * T) * (T < START))}
    assert any("not settled" in text or "changing" in text for text in turn_reaction(T, START, **restless).warnings)
    coarse = {name: values[::20] for name, values in whole.items()}  # 10 Hz
    assert any("not filtered" in text for text in turn_reaction(T[::20], START, **coarse).warnings)
