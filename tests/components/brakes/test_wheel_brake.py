"""Heat of brakes: energy is kept, friction fades, air cools."""

from __future__ import annotations

import numpy as np
import pytest

import jounce.vehicle as jv
from cars import rolling
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.sim import car

HEAT = {
    "capacity": 1900.0, "cooling": 31.0, "cooling_by_speed": 2.3, "air": 287.0, "initial": 391.0,
    "fade": {"x": [280.0, 400.0, 500.0, 700.0], "y": [0.9, 1.02, 0.85, 0.61]},
}  # fmt: skip


@pytest.fixture(scope="module")
def hot(plain_car: jv.Vehicle) -> jv.Vehicle:
    own = {**HEAT, "capacity": 2300.0, "initial": 417.0}
    return plain_car.with_(**{"brakes.front.heat": HEAT, "brakes.rear.heat": own, "brakes.abs": None})


def test_heat_is_the_work_of_the_brake_less_what_air_takes(hot: jv.Vehicle) -> None:
    """∫|M ω| dt − ∫(h₀ + h_v v)(T − T_air) dt = C ΔT, integrals by trapezoids of 1 ms against AB-2."""
    sim = rolling(car.simulation(hot, ground="inclined"), 30.0)
    program = Program(Phase("brake", [Open("brake", Ramp(0.25, 0.3, start=0.0, smooth=True))], duration=2.0))
    run = sim.run(program=program, interval=0.001)
    for place, capacity, initial in (("L1", 1900.0, 391.0), ("R2", 2300.0, 417.0)):
        power = np.abs(run[f"Brake_Moment.{place}"] * run[f"Wheel.Omega.{place}"])
        temperature = run[f"Brake_Temperature.{place}"]
        speed = np.abs(run["Vehicle.CM_Body_Fixed_Vx"])
        lost = (31.0 + 2.3 * speed) * (temperature - 287.0)
        assert temperature[0] == pytest.approx(initial, rel=1e-12)
        expected = np.trapezoid(power - lost, run.time) / capacity
        assert temperature[-1] - initial == pytest.approx(expected, rel=2e-4)
        assert np.trapezoid(power, run.time) > 2e4 and np.trapezoid(lost, run.time) > 1e4
        assert np.allclose(run[f"Brake_Heat.{place}"], power, rtol=1e-9, atol=1e-6)


def test_friction_fades_with_the_temperature(hot: jv.Vehicle) -> None:
    """At a knot of the curve the torque is its factor times that of the same brake without heat, on both sides."""
    warm = rolling(car.simulation(hot, ground="inclined"), 30.0)
    cold = rolling(car.simulation(hot.with_(**{"brakes.front.heat": None, "brakes.rear.heat": None})), 30.0)
    warm.set_states(
        {"L1.brake.warmer": 500.0 - 391.0, "R1.brake.warmer": 700.0 - 391.0, "L2.brake.warmer": 400.0 - 417.0}
    )
    for sim in (warm, cold):
        sim.set_inputs({"brake": 0.2})
    for place, factor in (("L1", 0.85), ("R1", 0.61), ("L2", 1.02)):
        ratio = warm.output(f"Brake_Moment.{place}") / cold.output(f"Brake_Moment.{place}")
        assert ratio == pytest.approx(factor, rel=1e-9)
