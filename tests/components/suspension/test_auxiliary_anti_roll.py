"""Auxiliary anti-roll: a rate, a table over difference and mean."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from jounce.sim import car
from polynomial_cars import acts, auxiliary_force, put, rig, slope


def test_roll_stiffness_of_the_auxiliary_rate(plain_car: jv.Vehicle) -> None:
    """Opposite travels j are a roll of 2 j/t; the moment is k t² times it."""
    sim = car.simulation(plain_car, ground="inclined")
    k, track, j = 4000.0, plain_car.rear_suspension.track, 0.02
    put(sim, {"L1": 0.01, "R1": 0.01, "L2": j, "R2": -j})
    acting = acts(sim, {"axle2.auxiliary_anti_roll.scale": 0.0})
    moment = (acting["R2"] - acting["L2"]) * track / 2
    assert moment == pytest.approx(k * track**2 * (2 * j / track), rel=1e-6)
    assert acting["L2"] == pytest.approx(-acting["R2"], rel=1e-9) and acting["L2"] < 0, (
        "the left wheel is up: pushed down"
    )
    # damping: per stiffness, times the rate of the difference
    put(sim, {"L1": 0.01, "R1": 0.01, "L2": j, "R2": -j}, {"L2": 0.1, "R2": -0.3})
    acting = acts(sim, {"axle2.auxiliary_anti_roll.scale": 0.0})
    assert acting["L2"] == pytest.approx(-k * (2 * j + 0.02 * 0.4), rel=1e-6)


def test_auxiliary_table_over_difference_and_mean(independent: jv.Vehicle) -> None:
    sim = rig(independent)
    for left, right in ((0.04, -0.04), (0.06, -0.01), (-0.05, 0.03)):
        put(sim, {"L1": 0.01, "R1": 0.01, "L2": left, "R2": right})
        expected = auxiliary_force(left - right, (left + right) / 2)
        assert sim.output("Suspension.Auxiliary_Roll_Force.SUSP2") == pytest.approx(expected, rel=1e-9)
        acting = acts(sim, {"axle2.auxiliary_anti_roll.scale": 0.0})
        assert (acting["L2"], acting["R2"]) == pytest.approx((-expected, expected), rel=1e-6)


def test_damping_is_in_proportion_to_the_stiffness_and_dissipates(independent: jv.Vehicle) -> None:
    """β ∂F/∂ΔJ ΔJ̇ is added, with the slope of the table where it is."""
    sim = rig(independent)
    beta = sim.parameter("axle2.auxiliary_anti_roll.damping")
    name = "Suspension.Auxiliary_Roll_Force.SUSP2"
    for left, right, fast, slow in ((0.04, -0.04, 0.3, -0.1), (0.06, -0.01, -0.5, 0.2), (-0.05, 0.03, 0.1, 0.4)):
        travel = {"L1": 0.01, "R1": 0.01, "L2": left, "R2": right}
        put(sim, travel)
        still = sim.output(name)
        put(sim, travel, {"L2": fast, "R2": slow})
        added = sim.output(name) - still
        stiffness = slope(lambda d, mean=(left + right) / 2: auxiliary_force(d, mean), left - right)
        assert added == pytest.approx(beta * stiffness * (fast - slow), rel=1e-6) and beta == 0.02
        assert added * (fast - slow) > 0


def test_it_is_without_force_where_a_set_up_left_it(independent: jv.Vehicle) -> None:
    sim = rig(independent.with_(**{"rear_suspension.auxiliary_anti_roll.zero": -0.017}))
    put(sim, {"L1": 0.01, "R1": 0.01, "L2": 0.011, "R2": 0.028})
    assert sim.output("Suspension.Auxiliary_Roll_Force.SUSP2") == pytest.approx(auxiliary_force(0.0, 0.0195), abs=1e-9)
    put(sim, {"L1": 0.01, "R1": 0.01, "L2": 0.04, "R2": -0.02})
    expected = auxiliary_force(0.077, 0.01)
    assert sim.output("Suspension.Auxiliary_Roll_Force.SUSP2") == pytest.approx(expected, rel=1e-9)
