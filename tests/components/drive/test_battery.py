"""Batteries: voltages of all chemistries, charge, filter, limits."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from car_models import rates
from drive_rig import bench
from drivelines import MOTOR
from jounce.components.drive.battery import HOUR, Battery

REAR = {"kind": "open_differential", "ratio": 1.0, "inertia": 0.01}
PORT = "Generic_Engine_to_Rear_Differential"
TYPES = ("lithium_ion", "lead_acid", "nickel_cadmium", "nickel_metal_hydride")


def values(battery: Battery) -> Any:
    """The numbers of a battery, as symbols would be."""
    names = ("polarisation", "capacity", "resistance", "exponential_voltage", "exponential_capacity", "max_current")
    return SimpleNamespace(**{n: getattr(battery, n) for n in names}, voltage=lambda charge: battery.voltage(charge))


def test_voltages_of_the_example() -> None:
    """Defaults, 25 %, i = i* = ±100 A: 397.853 V and 401.107 V."""
    battery = Battery.model_validate({"state_of_charge": 0.25})
    p = values(battery)
    q = 0.75 * p.capacity
    extra = p.exponential_voltage * math.exp(-p.exponential_capacity * q)
    for i, expected in ((100.0, 397.853), (-100.0, 401.107)):
        voltage = battery.open_voltage(p, q, i, extra) - p.resistance * i
        assert float(voltage) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("chemistry", TYPES)
def test_no_charge_is_singular_and_more_current_means_less_voltage(chemistry: str) -> None:
    battery = Battery.model_validate({"chemistry": chemistry})
    p = values(battery)
    for charge in np.linspace(0.002, 1.0, 200):
        found = [
            float(battery.open_voltage(p, (1 - charge) * p.capacity, i, 1.0) - p.resistance * i)
            for i in (-200.0, -1.0, 1.0, 200.0)
        ]
        assert all(a > b for a, b in pairwise(found)) and 200.0 < found[-1] < found[0] < 500.0
    # the form of the literature is singular at 90 %
    literal = Battery.model_validate({"chemistry": chemistry, "charge_pole": "minus"})
    assert abs(float(literal.open_voltage(p, 7.21 * HOUR, -100.0, 1.0))) > 1000.0


def test_a_voltage_over_the_state_of_charge() -> None:
    table = {"x": [0.0, 0.5, 1.0], "y": [310.0, 372.0, 401.0]}
    battery = Battery.model_validate({"voltage": table, "polarisation": 0.0, "exponential_voltage": 0.0})
    p = values(battery)
    for charge, volts in ((0.5, 372.0), (1.0, 401.0)):
        assert float(battery.open_voltage(p, (1 - charge) * p.capacity, 0.0, 0.0)) == pytest.approx(volts)


def driven(**changes: Any) -> Any:
    """A motor that turns at one speed and takes what power a test gives, on a battery."""
    raw = {
        "layout": "dual_motor_awd", "front": REAR, "rear": REAR,
        "rear_motor": {**MOTOR, "efficiency": 1.0, "ratio": 1.0}, "battery": {"state_of_charge": 0.6, **changes},
    }  # fmt: skip
    sim = bench(raw)
    sim.set_parameters({"L2.inertia": 1e9, "R2.inertia": 1e9})
    sim.set_states({"L2.spin": 400.0, "R2.spin": 400.0})
    return sim


def test_charge_is_the_integral_of_the_current_and_power_is_met() -> None:
    sim = driven(auxiliary_power=700.0)
    sim.set_inputs({"throttle": 0.3})
    charge, currents = sim.output("Battery.Battery_SOC"), []
    for _ in range(1000):
        currents.append(sim.output("Battery.Battery_Current"))
        sim.advance(1)
    asked = sim.output("Motor_to_Rear_Differential.electric_power") + 700.0
    assert sim.output("Battery.power") == pytest.approx(asked, rel=1e-9)
    drawn = charge - sim.output("Battery.Battery_SOC")
    currents.append(sim.output("Battery.Battery_Current"))
    area = 1e-3 * (np.sum(currents) - (currents[0] + currents[-1]) / 2)
    assert drawn == pytest.approx(area / (72.0 * HOUR), rel=1e-6) and drawn > 0


def test_the_filtered_current_follows_in_its_response_time() -> None:
    sim = driven(response_time=0.9)
    sim.set_inputs({"throttle": 0.3})
    sim.run(0.9)
    ratio = sim.state("driveline.battery.filtered_current") / sim.output("Battery.Battery_Current")
    assert ratio == pytest.approx(1 - math.exp(-3), abs=2e-3)


@pytest.mark.parametrize("chemistry", TYPES[1:])
def test_a_loop_of_current_shows_hysteresis(chemistry: str) -> None:
    """After as much was charged as drawn the voltage is higher than before: X has gone towards A."""
    sim = driven(chemistry=chemistry, exponential_capacity=40.0 / HOUR, response_time=0.01, state_of_charge=0.5)
    sim.set_inputs({"throttle": 0.0, "rig.speed": 0.5})
    rest = sim.output("Battery.Battery_Voltage")
    for pedals in ({"throttle": 0.4}, {"throttle": 0.0, "brake": 0.62}):
        sim.set_inputs({"rig.speed": 20.0, **pedals})
        sim.run(sim.time + 3.0)
    sim.set_inputs({"throttle": 0.0, "brake": 0.0, "rig.speed": 0.5})
    sim.run(sim.time + 0.2)
    drawn = sim.state("driveline.battery.drawn")
    assert abs(drawn) < 60.0
    assert sim.output("Battery.Battery_Voltage") > rest + 0.05


def test_an_empty_battery_gives_nothing_and_a_full_one_takes_nothing() -> None:
    sim = driven(state_of_charge=0.0)
    sim.set_inputs({"throttle": 1.0})
    assert sim.output("Motor_to_Rear_Differential.torque") == 0.0
    sim.set_inputs({"throttle": 0.0, "brake": 1.0})
    assert sim.output("Motor_to_Rear_Differential.torque") < -50.0
    sim = driven(state_of_charge=1.0)
    sim.set_inputs({"throttle": 0.0, "brake": 1.0})
    assert sim.output("Motor_to_Rear_Differential.torque") == 0.0


def test_more_power_than_the_source_can_give_is_cut_at_the_peak() -> None:
    """a²/4R, with a large current allowed."""
    sim = driven(resistance=0.6, max_current=5000.0)
    sim.set_inputs({"throttle": 1.0})
    voltage, current = sim.output("Battery.Battery_Voltage"), sim.output("Battery.Battery_Current")
    assert voltage == pytest.approx(0.6 * current, rel=1e-6), "half of what it has at rest"
    assert voltage * current < 122e3


@pytest.mark.parametrize("chemistry", TYPES[1:])
@pytest.mark.parametrize("pedals", [{"throttle": 0.3}, {"brake": 0.4}])
def test_the_exponential_voltage_comes_with_charging_and_goes_with_discharging(
    chemistry: str, pedals: dict[str, float]
) -> None:
    """(3) by hand at one instant: dX/dt = B |i| (A − X) while it is charged, −B |i| X while it is discharged."""
    rate = 40.0 / HOUR
    sim = driven(chemistry=chemistry, exponential_voltage=9.0, exponential_capacity=rate)
    sim.set_inputs({"throttle": 0.0, "brake": 0.0, **pedals})
    name = "driveline.battery.hysteresis"
    sim.set_states({name: 3.5})
    x = 9.0 * math.exp(-rate * 0.4 * 72.0 * HOUR) + 3.5
    current = sim.output("Battery.Battery_Current")
    assert abs(current) > 1.0 and (current > 0) is ("throttle" in pedals)
    target = 9.0 if current < 0 else 0.0
    assert rates(sim)[name] == pytest.approx(rate * abs(current) * (target - x), rel=1e-9)


@pytest.mark.parametrize(("pedals", "sign"), [({"throttle": 1.0}, 1.0), ({"brake": 1.0}, -1.0)])
def test_a_current_stays_within_its_limit_where_motors_are_not_derated(pedals: dict[str, float], sign: float) -> None:
    sim = driven(derates=False, max_current=90.0)
    sim.set_inputs({"throttle": 0.0, "brake": 0.0, **pedals})
    assert sim.output("Battery.gives") == sim.output("Battery.takes") == 1.0
    assert sim.output("Battery.Battery_Current") == sign * 90.0
