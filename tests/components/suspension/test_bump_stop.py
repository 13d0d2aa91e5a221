"""Bump stops."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from jounce.sim import car
from polynomial_cars import acts, put


def test_a_bump_stop_engages_after_its_clearance(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car, ground="inclined")
    clearance = plain_car.front_suspension.bump_stop.clearance  # type: ignore[union-attr]
    for beyond, force in ((-0.01, 0.0), (0.0, 0.0), (0.010, 500.0), (0.030, 4000.0)):
        put(sim, {"L1": clearance + beyond})
        assert sim.output("Jounce_Bumper.Force_At_Bumper.L1") == pytest.approx(force, abs=1e-9)
        assert sim.output("Jounce_Bumper.Force_At_Wheel.L1") == pytest.approx(force, abs=1e-9)
        assert sim.output("Rebound_Bumper.Force_At_Bumper.L1") == 0.0
    put(sim, {"L1": clearance + 0.03, "R1": 0.02, "L2": 0.01, "R2": 0.01})
    assert acts(sim, {"L1.bump_stop.scale": 0.0})["L1"] == pytest.approx(-4000.0, rel=1e-6)
