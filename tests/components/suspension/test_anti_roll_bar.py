"""Anti-roll bars."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from polynomial_cars import BAR_PRELOAD, acts, bar_ratio, bar_torque, put, rig, slope


def test_anti_roll_bar(independent: jv.Vehicle) -> None:
    """T = T0 + T(α), α = a(J_L) − a(J_R); at the wheels T ∂α/∂J."""
    sim = rig(independent)
    for left, right in ((0.04, -0.04), (0.06, 0.01), (-0.05, 0.03)):
        put(sim, {"L1": left, "R1": right, "L2": 0.01, "R2": 0.01})
        twist = bar_ratio(left) - bar_ratio(right)
        torque = BAR_PRELOAD + bar_torque(twist)
        assert sim.output("Suspension.Auxiliary_Roll_deformation_at_element.SUSP1") == pytest.approx(twist, rel=1e-9)
        assert sim.output("Suspension.Auxiliary_Roll_Force_at_element.SUSP1") == pytest.approx(torque, rel=1e-9)
        acting = acts(sim, {"axle1.anti_roll_bar.scale": 0.0, "axle1.anti_roll_bar.preload": 0.0})
        assert acting["L1"] == pytest.approx(-torque * slope(bar_ratio, left), rel=1e-6)
        assert acting["R1"] == pytest.approx(torque * slope(bar_ratio, right), rel=1e-6)
