"""Rebound stops."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from jounce.sim import car
from polynomial_cars import acts, put


def test_a_rebound_stop_engages_in_extension_only(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car, ground="inclined")
    for travel, force in ((0.09, 0.0), (-0.08, 0.0), (-0.085, -2000.0)):  # clearance 80 mm, 400 N/mm
        put(sim, {"L2": travel})
        assert sim.output("Rebound_Bumper.Force_At_Bumper.L2") == pytest.approx(force, abs=1e-6)
    put(sim, {"L1": 0.02, "R1": 0.02, "L2": -0.085, "R2": 0.01})
    assert acts(sim, {"L2.rebound_stop.scale": 0.0})["L2"] == pytest.approx(2000.0, rel=1e-6), "it pulls the wheel up"
