"""The dual clutch: no gap in the torque."""

from __future__ import annotations

import numpy as np
import pytest

from drive_rig import bench
from drivelines import CLUTCH, ENGINE, GEARBOX, REAR

RAW = {
    "layout": "rwd", "engine": ENGINE, "clutch": {**CLUTCH, "kind": "dual_clutch", "shift_time": 0.23},
    "gearbox": GEARBOX, "rear": REAR,
}  # fmt: skip


def test_gears_change_without_a_gap_in_their_time() -> None:
    sim = bench(RAW)
    sim.set_parameters({"L2.inertia": 21.0, "R2.inertia": 24.0})
    sim.set_states({"L2.spin": 30.0, "R2.spin": 30.0, "driveline.crank.speed": 30.0 * 3.6 * 3.7})
    sim.set_inputs({"throttle": 1.0})
    gears, torques, ratios = [], [], []
    for _ in range(2000):
        sim.advance(1)
        gears.append(sim.output("Transmission.gear"))
        torques.append(sim.output("hub.R2"))
        ratios.append(sim.output("Transmission.ratio"))
    k = int(np.flatnonzero(np.diff(gears))[0]) + 1
    assert min(torques[k - 100 : k + 400]) > 100.0
    moving = np.flatnonzero(np.abs(np.diff(ratios[k - 1 : k + 500])) > 1e-9)
    assert len(moving) == pytest.approx(230, abs=2)
    assert ratios[k + 240] == pytest.approx(2.1, abs=1e-9)
