"""Slip control: the factor on brake and drive torques by hand, forwards and backwards, of wheels that differ."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from cars import rolling
from four_wheels import CORNERS
from jounce.runtime.simulation import Simulation
from jounce.sim import car

THRESHOLD, GAIN, LOW = 0.06, 11.0, 2.5
CONTROL = {"threshold": THRESHOLD, "gain": GAIN, "low_speed": LOW}
SLIPS = {"L1": -0.10, "R1": -0.03, "L2": -0.30, "R2": -0.09}


def slipping(vehicle: jv.Vehicle, speed: float, slips: dict[str, float]) -> Simulation:
    sim = rolling(car.simulation(vehicle, ground="inclined"), speed)
    for place, slip in slips.items():
        radius = sim.output(f"Tire.Effective_Rolling_Radius.{place}")
        sim.set_states({f"{place}.wheel.spin": (1 + slip) * speed / radius})
    return sim


def factor(slip: float) -> float:
    """Equation (1) of the part, of a slip that counts as positive."""
    return min(max(1 - GAIN * (slip - THRESHOLD), 0.0), 1.0)


@pytest.mark.parametrize("speed", [17.0, -17.0])
def test_brake_torque_fades_with_the_slip_of_its_wheel(plain_car: jv.Vehicle, speed: float) -> None:
    free = slipping(plain_car.with_(**{"brakes.abs": None}), speed, SLIPS)
    held = slipping(plain_car.with_(**{"brakes.abs": CONTROL}), speed, SLIPS)
    for sim in (free, held):
        sim.set_inputs({"brake": 0.4})
    for place in CORNERS:
        whole, left = (sim.output(f"Brake_Moment.{place}") for sim in (free, held))
        expected = factor(-SLIPS[place])
        assert whole * speed < 0, "against the motion"
        # the radius of the contact and the effective one differ by less than a percent: of a slip, times the gain
        assert left / whole == pytest.approx(expected, abs=GAIN * 0.01)
        assert held.output(f"ABS_activity.{place}") == (1.0 if expected < 1 else 0.0)
    assert [factor(-s) for s in SLIPS.values()] == pytest.approx([0.56, 1.0, 0.0, 0.67])


@pytest.mark.parametrize("speed", [2.4, 2.6])
def test_below_its_low_speed_it_is_off(plain_car: jv.Vehicle, speed: float) -> None:
    sim = slipping(plain_car.with_(**{"brakes.abs": CONTROL}), speed, SLIPS)
    sim.set_inputs({"brake": 0.4})
    assert (sim.output("Brake_Moment.L2") == 0.0) is (speed > LOW)


def test_too_much_drive_fades_and_too_little_does_not(plain_car: jv.Vehicle) -> None:
    """Traction control takes slips of driving only: a wheel that is braked keeps its torque."""
    slips = {"L1": 0.10, "R1": 0.03, "L2": -0.3, "R2": 0.4}
    shares = {"L1": 0.1, "R1": 0.2, "L2": 0.3, "R2": 0.4}
    four = {"drive": {"max_torque": 900.0, **shares}}
    free = slipping(plain_car.with_(**four), 12.0, slips)
    held = slipping(plain_car.with_(**four).with_(**{"drive.tcs": CONTROL}), 12.0, slips)
    for sim in (free, held):
        sim.set_inputs({"throttle": 0.8})
    for place in CORNERS:
        whole, left = (sim.output(f"Wheel.Drive_Moment.{place}") for sim in (free, held))
        assert whole == pytest.approx(0.8 * 900.0 * shares[place])
        assert left / whole == pytest.approx(factor(slips[place]), abs=GAIN * 0.01)
