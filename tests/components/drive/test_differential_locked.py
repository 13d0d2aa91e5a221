"""Locked differentials, by control and rigidly."""

from __future__ import annotations

from typing import Any

import pytest

from car_models import rates
from drive_rig import bench
from drivelines import ENGINE

QUIET = {**ENGINE, "idle_control": None, "overspeed_control": None}


def axle(**changes: Any) -> dict[str, Any]:
    return {
        "members": [
            {**QUIET, "name": "engine", "shafts": ["in"]},
            {"kind": "locked_differential", "name": "axle", "ratio": 2.9, "inertia": 0.02,
             "shafts": ["in", "L1", "R1"], **changes},
        ]
    }  # fmt: skip


def test_by_control_both_wheels_turn_alike() -> None:
    """One wheel held by 900 N.m, the other by nothing: the speeds are those of one shaft, the lock bears the rest."""
    sim = bench(axle(), axles=1)
    sim.set_states({"L1.spin": 20.0, "R1.spin": 20.0})
    sim.set_parameters({"L1.inertia": 0.9, "R1.inertia": 1.4})
    sim.set_inputs({"throttle": 0.8, "L1.load": -500.0, "R1.load": 0.0})
    sim.run(1.0)
    assert abs(sim.state("L1.spin") - sim.state("R1.spin")) < 1e-3
    torque = sim.output("Driveline.engine.torque")
    shaft = 2.9 * torque
    expected = (shaft - 500.0) / (0.9 + 1.4 + (0.02 + 0.15) * 2.9**2)
    assert rates(sim)["L1.spin"] == pytest.approx(expected, rel=1e-3)
    assert rates(sim)["R1.spin"] == pytest.approx(expected, rel=1e-3)


def test_rigidly_it_is_exact() -> None:
    sim = bench(axle(lock="rigid"), axles=1)
    sim.set_states({"L1.spin": 20.0})
    sim.set_parameters({"L1.inertia": 0.9, "R1.inertia": 1.4})
    sim.set_inputs({"throttle": 0.8, "L1.load": -500.0, "R1.load": 130.0})
    torque = sim.output("Driveline.engine.torque")
    expected = (2.9 * torque - 370.0) / (0.9 + 1.4 + (0.02 + 0.15) * 2.9**2)
    assert rates(sim)["L1.spin"] == pytest.approx(expected, rel=1e-9)
    assert sim.output("Driveline.axle.input_omega") == pytest.approx(58.0)


def test_a_lock_with_uneven_shares_is_refused() -> None:
    with pytest.raises(ValueError, match=r"outputs that are locked to each other share evenly"):
        bench(axle(share=0.4), axles=1)
