"""Transition test: lines whose place is known, both sides, and the linear car."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.constants import GRAVITY
from jounce.events.library.transition import UNITS, transition
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from result_runs import value

T = np.arange(0.0, 9.0, 0.01)
ANGLE = 0.04 * np.maximum(T - 1.3, 0.0)
AY = 11.3 * np.maximum(ANGLE - 0.007, 0.0)
TORQUE = np.where(AY > 0, 0.83 + 1.7 * AY, 0.83 * ANGLE / 0.007)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_figures_of_lines(side: float) -> None:
    found = transition(T, side * ANGLE, side * AY, side * TORQUE, 1.3)
    assert not found.warnings
    # straight lines are their own means
    assert value(found, "transition_dead_band") == pytest.approx(math.degrees(0.007), rel=1e-6)
    assert value(found, "transition_sensitivity") == pytest.approx(11.3 / GRAVITY, rel=1e-6)
    assert value(found, "transition_torque_at_start") == pytest.approx(0.83, rel=1e-6)
    assert value(found, "transition_torque_gradient") == pytest.approx(1.7 * GRAVITY, rel=1e-6)
    assert value(found, "transition_torque_at_0_1g") == pytest.approx(0.83 + 1.7 * 0.1 * GRAVITY, rel=1e-6)


def test_what_cannot_be_told_is_nan_with_the_reason() -> None:
    found = transition(T, ANGLE, 0.1 * AY, TORQUE)
    assert set(found) == set(UNITS) and all(math.isnan(number) for number, _ in found.values())
    assert "too little between 0.49 and 1.5" in found.warnings[0]
    found = transition(T, ANGLE, AY)
    assert math.isfinite(value(found, "transition_sensitivity")) and math.isnan(
        value(found, "transition_torque_at_0_1g")
    )
    assert found.warnings == ["transition: the hand torque was not recorded"]


def test_the_other_side_is_the_same() -> None:
    left = jn.run(jn.load("sedan"), events.Transition())
    right = jn.run(jn.load("sedan"), events.Transition(slope="-2 deg/s", heading=1.2, x=40.0))
    assert left.complete and left.signal("lateral_acceleration")[-1] > 0 > right.signal("lateral_acceleration")[-1]
    for name, (found, _) in left.kpis.items():
        assert math.isfinite(found) and right.kpis[name][0] == pytest.approx(found, rel=1e-6), name
    turned = left.signal("steering")
    assert turned[-1] == pytest.approx(math.radians(2.0 * 10.0), rel=2e-3)  # from 1 s to 11 s, and a row before the end
    assert np.ptp(left.signal("forward_speed")) < 0.05


@pytest.mark.slow
def test_sensitivity_is_that_of_a_steady_turn() -> None:
    """Of a car whose steering has no friction; a slow ramp is late, which moves its line and not the slope."""
    bev, v = jn.load("bev"), 100 / 3.6
    found = jn.run(bev, events.Transition()).kpis
    description = car.describe(bev)
    sim, curvature = car.simulation(description), 0.1 * GRAVITY / v**2
    settle(sim, description)
    turn = run_steadily(sim, description, v, curvature=curvature)
    # the slope around 0.1 g against the chord from zero: tires bend the line by less than 2 % there
    assert found["transition_sensitivity"][0] == pytest.approx(0.1 / turn.steering, rel=0.02)
    assert 0.0 < found["transition_dead_band"][0] < 2.0 * 0.2  # deg: 2 deg/s, and a car that answers within 0.2 s
