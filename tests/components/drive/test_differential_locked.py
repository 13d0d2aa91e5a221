"""Locked differentials, by control and rigidly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from axle_lists import one_axle, vehicle_of
from car_models import rates
from drive_rig import bench
from drivelines import ENGINE
from jounce.sim import car

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


def test_a_controller_with_a_part_for_the_acceleration() -> None:
    """ΔT = K_P δω + K_I ∫δω + K_D δω̇: (I + b) δω̇ of the difference, with speeds of wheels of equal inertia.

    ΔT/2 on both sides against a difference of loads ΔM: I δω̇ = ΔM − 2 (c δω + b δω̇) at the first instant.
    """
    sim = bench(axle(lock_inertance=0.35, lock_damping=4.0, lock_stiffness=50.0), axles=1)
    sim.set_states({"L1.spin": 20.7, "R1.spin": 20.0})
    sim.set_parameters({"L1.inertia": 1.2, "R1.inertia": 1.2})
    sim.set_inputs({"throttle": 0.3, "L1.load": -140.0, "R1.load": 60.0})
    now = rates(sim)
    expected = (-200.0 - 2 * 4.0 * 0.7) / (1.2 + 2 * 0.35)
    # spring and damper are weighted for the step (coupling (2)): h (k h + c) μ is 1e-2 here
    assert now["L1.spin"] - now["R1.spin"] == pytest.approx(expected, rel=2e-3)
    assert sim.output("Driveline.axle.stored_energy") == pytest.approx(0.5 * 0.35 * 0.7**2, rel=1e-9)


def split(**changes: Any) -> Any:
    """One axle under full throttle, its left wheel on ice: right less left shaft over 0.7 s."""
    raw = one_axle()
    chain = {"engine": QUIET, "front": {"ratio": 8.0, "inertia": 0.02, **changes}}
    raw |= {"drive": {}, "driveline": {"layout": "fwd", **chain}}
    sim = car.simulation(car.describe(vehicle_of(raw), tire_inputs=("LMUX",)))
    sim.set_states({"chassis.vx": 12.0, "L1.wheel.spin": 40.0, "R1.wheel.spin": 40.0})
    sim.set_inputs({"throttle": 0.5, "L1.tire.LMUX": 0.12})
    rows = []
    for _ in range(700):
        sim.advance(1)
        rows.append(sim.output("Differential_Speeds.halfshaft_omega_delta_front"))
    return np.array(rows), sim


def test_on_split_friction_both_wheels_turn_alike() -> None:
    """Open, the wheel on ice runs away; locked by control, the other one drives and both are within 0.01 rad/s."""
    slips, _ = split(kind="open_differential")
    assert slips[-1] < -20.0
    slips, sim = split(kind="locked_differential", lock_stiffness=5e6, lock_damping=1e4)
    assert np.abs(slips[50:]).max() < 0.01
    assert abs(slips[-1]) < 1e-3
    pushes = [sim.output(f"Differential_Torques.output_torque_{side}_front") for side in ("left", "right")]
    assert pushes[1] - pushes[0] > 300.0 and pushes[1] > 2 * abs(pushes[0])


def test_a_lock_with_uneven_shares_is_refused() -> None:
    with pytest.raises(ValueError, match=r"outputs that are locked to each other share evenly"):
        bench(axle(share=0.4), axles=1)
