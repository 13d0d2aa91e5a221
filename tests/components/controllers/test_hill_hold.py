"""Hill hold: a car that came to stand stays, and starts."""

from __future__ import annotations

import math

import pytest

from cars import compact
from jounce.components.controllers.hill_hold import HillHold
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle


def on_a_hill(grade: float) -> Simulation:
    description = car.describe(compact(), ground="inclined", parts=(HillHold(),))
    sim = car.simulation(description)
    sim.set_parameters({"ground.grade": grade})
    sim.set_inputs({"brake": 0.5})
    length = math.hypot(1.0, grade)
    settle(sim, description, normal=(-grade / length, 0.0, 1 / length))
    sim.advance(1000)
    return sim


@pytest.mark.slow
@pytest.mark.parametrize("grade", [0.2, -0.2])
def test_a_car_is_held_for_a_minute_when_the_pedal_is_let_go(grade: float) -> None:
    """20 %, at most a millimetre; then it drives away."""
    sim = on_a_hill(grade)
    sim.set_inputs({"brake": 0.0})
    before = sim.output("Vehicle.CM_Global_X")
    pressure = sim.output("Chamber_Pressure.L1")
    sim.advance(60_000)
    assert abs(sim.output("Vehicle.CM_Global_X") - before) < 1e-3
    assert sim.output("Chamber_Pressure.L1") == pressure > 1e6
    assert sim.output("Brake_Share.hill_hold.L1") == pressure
    sim.set_inputs({"throttle": 0.9})
    sim.advance(2000)
    assert sim.output("Chamber_Pressure.L1") == 0.0
    assert sim.output("Vehicle.CM_Global_X") - before > 0.3


def test_switched_off_the_car_rolls() -> None:
    sim = on_a_hill(0.2)
    sim.set_parameters({"hill_hold.active": 0.0})
    before = sim.output("Vehicle.CM_Global_X")
    sim.set_inputs({"brake": 0.0})
    sim.advance(1500)
    assert sim.output("Vehicle.CM_Global_X") - before < -0.5
