"""Gears of fixed ratio."""

from __future__ import annotations

import pytest

from car_models import rates
from drive_rig import bench
from drivelines import ENGINE

RAW = {
    "members": [
        {**ENGINE, "name": "engine", "idle_control": None, "overspeed_control": None, "shafts": ["in"]},
        {"kind": "gear", "name": "hub", "ratio": 4.1, "efficiency": 0.94, "inertia": 0.3, "shafts": ["in", "L1"]},
    ]
}


@pytest.mark.parametrize(("throttle", "factor"), [(0.7, 0.94), (0.0, 1 / 0.94)])
def test_torque_speed_loss_and_inertia(throttle: float, factor: float) -> None:
    sim = bench(RAW, axles=1)
    sim.set_states({"L1.spin": 31.0})
    sim.set_inputs({"throttle": throttle})
    torque = sim.output("Driveline.engine.torque")
    assert sim.output("Driveline.hub.input_omega") == pytest.approx(4.1 * 31.0)
    # rel: the fade of losses below 1 W
    assert sim.output("hub.L1") == pytest.approx(4.1 * factor * torque, rel=1e-6)
    lost = torque * 4.1 * 31.0 * (1 - factor)
    assert sim.output("Driveline.hub.lost_power") == pytest.approx(lost, rel=1e-6) and lost > 0
    inertia = 1.0 + 0.3 + 0.15 * 4.1**2
    assert rates(sim)["L1.spin"] == pytest.approx(sim.output("hub.L1") / inertia, rel=1e-12)
