"""Launch control on flywheels: the engine is held while the clutch slips."""

from __future__ import annotations

import pytest

from drive_rig import bench
from drivelines import CLUTCH, RWD

HELD = 400.0  # rad/s


def test_the_engine_is_held_until_the_car_is_fast_enough() -> None:
    """Against a heavy load the clutch slips: a full pedal takes the engine to the limit of the control, not beyond."""
    weak = {**CLUTCH, "capacity": 60.0}  # slips at full throttle
    control = {"kind": "launch_control", "engine_speed": HELD, "gain": 0.05, "until": 8.0}
    sim = bench({**RWD, "clutch": weak, "controls": [control]})
    sim.set_parameters({"L2.inertia": 900.0, "R2.inertia": 700.0})
    sim.set_inputs({"throttle": 1.0, "rig.speed": 1.0})
    sim.advance(2500)
    held = sim.output("Engine.engine_rpm")
    # in balance the throttle is what the clutch takes: u T(n) - drag = 60 N.m
    assert HELD < held < HELD + 1 / 0.05
    assert sim.output("Driveline.launch_control.launch") == pytest.approx(1 - 0.05 * (held - HELD), abs=1e-6)
    sim.set_inputs({"rig.speed": 9.0})
    sim.advance(400)
    assert sim.output("Engine.engine_rpm") > HELD + 100 and sim.output("Driveline.launch_control.launch") == 1
