"""A parallel hybrid on flywheels: who drives when, and that both ways make the same torque."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from drive_rig import bench
from drivelines import BATTERY, CLUTCH, ENGINE, MOTOR, REAR, RWD
from jounce.components.drive.driveline import Driveline
from jounce.runtime.simulation import Simulation

CONTROL: dict[str, Any] = {
    "kind": "parallel_hybrid", "on_throttle": 0.4, "off_throttle": 0.25, "on_speed": 20.0, "off_speed": 15.0,
    "low_charge": 0.3, "target_charge": 0.6, "band": 0.1, "torque_ratio": 1.8, "charging": 0.12, "time": 0.2,
}  # fmt: skip
NAME = "Driveline.parallel_hybrid."


@lru_cache
def rig() -> Simulation:
    motor = {**MOTOR, "ratio": 1.0}
    gearbox = {"kind": "manual_gearbox", "ratios": [3.6], "upshift_speed": 600.0, "downshift_speed": 10.0}
    raw = {**RWD, "main_motor": motor, "gearbox": gearbox, "battery": BATTERY, "controls": [CONTROL],
           "engine": ENGINE, "clutch": CLUTCH, "rear": REAR}  # fmt: skip
    return bench(raw)


def said(throttle: float, speed: float, charge: float, seconds: float = 0.5) -> dict[str, float]:
    sim = rig()
    sim.set_parameters({"driveline.battery.state_of_charge": charge, "L2.inertia": 4e4, "R2.inertia": 4e4})
    sim.set_states({"L2.spin": 12.0, "R2.spin": 12.0, "driveline.battery.drawn": 0.0})
    sim.set_inputs({"throttle": throttle, "rig.speed": speed})
    sim.advance(round(seconds / 1e-3))
    return {name: sim.output(NAME + name) for name in ("hybrid", "engine_pedal", "motor_pedal", "coupled")}


def test_rules_with_hysteresis() -> None:
    """Pedal, speed and charge start the engine; it stops only once all three are back beyond their lower limits."""
    assert said(0.3, 10.0, 0.7) == {"hybrid": 0, "engine_pedal": 0, "motor_pedal": pytest.approx(0.54), "coupled": 0}
    assert said(0.5, 10.0, 0.7) == {"hybrid": 1, "engine_pedal": 0.5, "motor_pedal": 0.5, "coupled": 1}
    assert said(0.3, 10.0, 0.7)["hybrid"] == 1, "above u_off"
    assert said(0.2, 10.0, 0.7) == {"hybrid": 0, "engine_pedal": 0, "motor_pedal": pytest.approx(0.36), "coupled": 0}
    assert said(0.2, 21.0, 0.7)["hybrid"] == 1
    assert said(0.2, 16.0, 0.7)["hybrid"] == 1, "above v_off"
    assert said(0.2, 14.0, 0.7)["hybrid"] == 0
    assert said(0.9, 5.0, 0.7)["motor_pedal"] == 0.9


def test_an_empty_battery_is_charged_by_the_engine() -> None:
    """Full charging at s_t - Δs and below: the engine has c₀ more, the motor (g - 1) c₀ less, down to generating."""
    found = said(0.05, 10.0, 0.25)
    assert found == {"hybrid": 1, "engine_pedal": pytest.approx(0.17), "motor_pedal": pytest.approx(0.05 - 0.8 * 0.12),
                     "coupled": 1}  # fmt: skip
    sim = rig()
    largest = sim.output("Motor_to_Gearbox.Max_Engine_torque")
    assert sim.output("Motor_to_Gearbox.torque") == pytest.approx(-0.046 * largest, rel=1e-6)
    assert sim.output("Battery.Battery_Current") < 0
    half = said(0.5, 10.0, 0.55)
    assert half["engine_pedal"] == pytest.approx(0.56, abs=1e-3)


def test_units_have_no_shafts_and_limits_are_in_order() -> None:
    with pytest.raises(ValueError, match=r"clutch has shafts: it is no control unit"):
        Driveline.model_validate({**RWD, "controls": [CLUTCH]})
    with pytest.raises(ValueError, match=r"must be below on_throttle, 0\.4"):
        Driveline.model_validate({**RWD, "controls": [{**CONTROL, "off_throttle": 0.5}]})
