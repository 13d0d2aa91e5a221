"""Torsion springs."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from polynomial_cars import TORSION, put, rig, slope


def test_wheel_rate_of_a_torsion_spring(independent: jv.Vehicle) -> None:
    """K MR² at design, where it is free of load."""
    sim = rig(independent)

    def at_wheel(j: float) -> float:
        put(sim, {"L2": j})
        return sim.output("Spring.Force_At_Wheel.L2")

    assert slope(at_wheel, 0.0) == pytest.approx(TORSION * 4.0**2, rel=1e-9)
