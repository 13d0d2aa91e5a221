"""Differentials with a table, and their filter."""

from __future__ import annotations

import math

import numpy as np
import pytest

from drive_rig import bench
from drivelines import ENGINE

RAW = {
    "layout": "rwd", "engine": {**ENGINE, "idle_control": None},
    "rear": {
        "kind": "table_differential", "ratio": 3.3, "inertia": 0.02, "cutoff": 4.0,
        "torque": {"x": [-20.0, -5.0, 0.0, 5.0, 20.0], "y": [-310.0, -120.0, 0.0, 95.0, 260.0]},
    },
}  # fmt: skip
HEAVY = {f"{n}.inertia": 1e9 for n in ("L2", "R2")}


def test_in_the_steady_state_it_is_the_table() -> None:
    sim = bench(RAW)
    sim.set_parameters(HEAVY)
    for slip, torque in ((5.0, 95.0), (-5.0, -120.0), (20.0, 260.0)):
        sim.set_states({"L2.spin": 50.0 + slip, "R2.spin": 50.0})
        sim.run(sim.time + 1.0)
        assert sim.output("hub.R2") - sim.output("hub.L2") == pytest.approx(torque, rel=1e-6)


def test_the_filter_is_3_db_down_at_its_cut_off() -> None:
    sim = bench(RAW)
    sim.set_parameters(HEAVY)
    times = np.arange(2000) * 1e-3
    seen = []
    for t in times:
        sim.set_states({"L2.spin": 50.0 + math.sin(2 * math.pi * 4.0 * t)})
        sim.set_states({"R2.spin": 50.0})
        seen.append(sim.state("driveline.rear.difference"))
        sim.advance(1)
    late = np.array(seen)[1000:]
    assert np.ptp(late) / 2 == pytest.approx(1 / math.sqrt(2), rel=0.01)
