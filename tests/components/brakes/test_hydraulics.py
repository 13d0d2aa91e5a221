"""From the pedal to the brakes: booster, proportioning valve, parking brake."""

from __future__ import annotations

import math

import pytest

import jounce.vehicle as jv
from cars import rolling
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle

PEDAL = {
    "full_force": 410.0, "ratio": 3.7, "preload": 47.0, "boost": 4.3, "jump_in": 210.0, "run_out": 760.0,
    "piston_area": 4.1e-4, "lag": 0.05,
}  # fmt: skip
VALVE = {"knee": 1.1e6, "slope": 0.31}


def master(demand: float) -> float:
    """Pressure behind the booster, by the forces on its rod."""
    rod = 3.7 * 410.0 * demand - 47.0
    if rod <= 0:
        return 0.0
    jump = 210.0 * min(rod / 76.0, 1.0)
    behind = jump + 4.3 * rod if rod < 760.0 else jump + 4.3 * 760.0 + (rod - 760.0)
    return behind / 4.1e-4


@pytest.fixture(scope="module")
def braked(plain_car: jv.Vehicle) -> jv.Vehicle:
    parking = {"torque": 830.0}
    return plain_car.with_(**{
        "brakes.pedal": PEDAL, "brakes.proportioning": VALVE, "brakes.parking": parking, "brakes.abs": None,
    })  # fmt: skip


@pytest.fixture
def sim(braked: jv.Vehicle) -> Simulation:
    return rolling(car.simulation(braked, ground="inclined"), 30.0)


@pytest.mark.parametrize("demand", [0.02, 0.05, 0.3, 0.49, 0.8])
def test_pressures_behind_booster_and_valve(braked: jv.Vehicle, sim: Simulation, demand: float) -> None:
    sim.set_inputs({"brake": demand})
    sim.run(0.6)  # twelve time constants: 6e-6 is left
    line = {"1": braked.brakes.bias_front * master(demand), "2": (1 - braked.brakes.bias_front) * master(demand)}
    if line["2"] > 1.1e6:
        line["2"] = 1.1e6 + 0.31 * (line["2"] - 1.1e6)
    for place in ("L1", "R1", "L2", "R2"):
        assert sim.output(f"Chamber_Pressure.{place}") == pytest.approx(line[place[1]], rel=2e-5, abs=1.0)


def test_the_pressure_follows_with_the_lag_of_the_booster(sim: Simulation, braked: jv.Vehicle) -> None:
    """A step of the pedal: 1 - exp(-t/lag); the step of 1 ms is a fiftieth of the lag."""
    sim.set_inputs({"brake": 0.3})
    sim.run(0.05)
    share = sim.output("Chamber_Pressure.L1") / (braked.brakes.bias_front * master(0.3))
    assert share == pytest.approx(1 - math.exp(-1), rel=1e-3)


def test_the_parking_brake_adds_its_torque_at_its_wheels(sim: Simulation, braked: jv.Vehicle) -> None:
    sim.set_inputs({"parking_brake": 0.37})
    found = {place: sim.output(f"Brake_Moment.{place}") for place in ("L1", "R1", "L2", "R2")}
    assert [found["L1"], found["R1"]] == [0.0, 0.0]
    assert [found["L2"], found["R2"]] == pytest.approx([-0.37 * 830.0] * 2, rel=1e-12)
    sim.set_inputs({"parking_brake": 7.0, "brake": 0.0})
    assert sim.output("Brake_Moment.R2") == pytest.approx(-830.0, rel=1e-12), "more than fully is fully"


def test_a_pedal_that_is_pressed_holds_a_car_on_a_hill_from_the_first_sample_on(braked: jv.Vehicle) -> None:
    """Which brakes can hold is known before the pressure of the master cylinder is found."""
    description = car.describe(braked, ground="inclined")
    held = car.simulation(description)
    held.set_parameters({"ground.grade": 0.1})
    held.set_inputs({"brake": 0.8})
    settle(held, description, normal=(-0.1, 0.0, 1.0))
    x = held.state("chassis.x")
    held.run(1.0)
    assert held.state("chassis.x") == pytest.approx(x, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("grade", [0.2, -0.2])
def test_the_parking_brake_holds_a_car_on_a_hill_for_a_minute(braked: jv.Vehicle, grade: float) -> None:
    """20 %, the brake of the rear wheels alone: the car stays within a millimetre."""
    strong = braked.with_(**{"brakes.parking.torque": 1500.0})
    description = car.describe(strong, ground="inclined")
    sim = car.simulation(description)
    sim.set_parameters({"ground.grade": grade})
    sim.set_inputs({"parking_brake": 1.0, "brake": 0.0})
    length = math.hypot(1.0, grade)
    settle(sim, description, normal=(-grade / length, 0.0, 1 / length))
    sim.run(2.0)
    before = sim.output("Vehicle.CM_Global_X")
    sim.run(62.0)
    assert abs(sim.output("Vehicle.CM_Global_X") - before) < 1e-3
    sim.set_inputs({"parking_brake": 0.0})
    sim.run(64.0)
    assert abs(sim.output("Vehicle.CM_Global_X") - before) > 0.5, "nothing else holds it"


def test_the_pressure_gain_of_a_corner_is_one_unless_given_and_zero_takes_its_torque(plain_car: jv.Vehicle) -> None:
    bare = plain_car.with_(**{"brakes.abs": None})
    names = ("Brake_System.brk_pres_gain.L1", "Brake_System.brk_pres_gain.R2")
    sim = rolling(car.simulation(car.describe(bare, ground="inclined", inputs=names)), 30.0)
    closed = rolling(car.simulation(bare, ground="inclined"), 30.0)
    for each in (sim, closed):
        each.set_inputs({"brake": 0.23})
    places = ("L1", "R1", "L2", "R2")
    whole = {place: closed.output(f"Brake_Moment.{place}") for place in places}
    assert [sim.input(name) for name in names] == [1.0, 1.0]
    assert {place: sim.output(f"Brake_Moment.{place}") for place in places} == pytest.approx(whole, rel=1e-12)
    sim.set_inputs({names[0]: 0.0, names[1]: 0.4})
    left = {place: sim.output(f"Brake_Moment.{place}") for place in places}
    assert left == pytest.approx({**whole, "L1": 0.0, "R2": 0.4 * whole["R2"]}, rel=1e-12)
