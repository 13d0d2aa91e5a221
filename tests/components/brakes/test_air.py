"""Air brakes: chambers follow their lines by a second solution, later on farther axles; full pressure; statics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma

import jounce.vehicle as jv
from cars import rolling
from jounce.components.brakes.air import AirLine
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle

LINES = [{"delay": 0.08, "build": 0.09, "release": 0.13}, {"delay": 0.19, "build": 0.12, "release": 0.17}]
FULL, CRACK = 8.5e5, 3.1e4


@pytest.fixture(scope="module")
def braked(plain_car: jv.Vehicle) -> jv.Vehicle:
    return plain_car.with_(**{
        "brakes.air": {"push_out": CRACK, "lines": LINES}, "brakes.abs": None,
        "brakes.master_cylinder_pressure_gain": FULL,
    })  # fmt: skip


@pytest.fixture
def sim(braked: jv.Vehicle) -> Simulation:
    return rolling(car.simulation(braked, ground="inclined"), 20.0)


def follows(t: float, delay: float, lag: float) -> float:
    """Share of the pressure after a step: four equal volumes make a gamma distribution, the chamber weighs it."""
    scale = delay / 4
    late = quad(lambda s: np.exp(-(t - s) / lag) / lag * gamma.cdf(s, 4, scale=scale), 0.0, t, limit=200)
    return float(late[0])


def share(braked: jv.Vehicle, axle: str) -> float:
    return braked.brakes.bias_front if axle == "1" else 1 - braked.brakes.bias_front


@pytest.mark.parametrize("time", [0.05, 0.15, 0.4])
def test_after_a_push_on_the_pedal_chambers_fill_as_volumes_in_a_row(
    braked: jv.Vehicle, sim: Simulation, time: float
) -> None:
    sim.set_inputs({"brake": 0.8})
    sim.run(time)
    for place in ("L1", "R1", "L2", "R2"):
        line, asked = LINES[int(place[1]) - 1], 0.8 * FULL * share(braked, place[1])
        expected = max(asked * follows(time, line["delay"], line["build"]) - CRACK, 0.0)
        # steps of 1 ms of AB-2 beside volumes of 20 ms: 1e-3 of the pressure, most at the beginning
        assert sim.output(f"Chamber_Pressure.{place}") == pytest.approx(expected, abs=2e-3 * asked), place


def test_they_empty_slower_than_they_fill(braked: jv.Vehicle, sim: Simulation) -> None:
    sim.set_inputs({"brake": 0.8})
    sim.run(3.0)
    asked = 0.8 * FULL * share(braked, "2")
    assert sim.output("Chamber_Pressure.L2") == pytest.approx(asked - CRACK, rel=1e-5)
    sim.set_inputs({"brake": 0.0})
    sim.run(3.3)
    expected = asked * (1 - follows(0.3, LINES[1]["delay"], LINES[1]["release"])) - CRACK
    assert sim.output("Chamber_Pressure.L2") == pytest.approx(expected, rel=5e-3)
    assert sim.output("Chamber_Pressure.L1") < 0.5 * sim.output("Chamber_Pressure.L2")


def test_three_quarters_of_the_pressure_are_there_when_it_says(braked: jv.Vehicle, sim: Simulation) -> None:
    """The regulation's figure; of the axle farthest away below 0.6 s."""
    line = AirLine.model_validate(LINES[1])
    time = line.response_time()
    assert follows(time, line.delay, line.build) == pytest.approx(0.75, rel=1e-6)
    assert 0.19 < time < 0.6
    sim.set_inputs({"brake": 1.0})
    sim.run(round(time, 3))
    asked = FULL * share(braked, "2")
    assert sim.output("Chamber_Pressure.R2") + CRACK == pytest.approx(0.75 * asked, rel=5e-3)


def test_a_car_that_is_braked_at_rest_has_its_pressures_from_the_first_sample_on(braked: jv.Vehicle) -> None:
    strong = braked.with_(**{f"brakes.{end}.piston_area": 0.012 for end in ("front", "rear")})
    description = car.describe(strong, ground="inclined")
    held = car.simulation(description)
    held.set_parameters({"ground.grade": 0.1})
    held.set_inputs({"brake": 1.0})
    settle(held, description, normal=(-0.1, 0.0, 1.0))
    for axle in "12":
        expected = FULL * share(braked, axle) - CRACK
        assert held.output(f"Chamber_Pressure.L{axle}") == pytest.approx(expected, rel=1e-9)
    x = held.state("chassis.x")
    held.run(1.0)
    assert held.state("chassis.x") == pytest.approx(x, abs=1e-4)


def test_one_line_serves_all_axles_and_other_numbers_of_lines_are_refused(braked: jv.Vehicle) -> None:
    one = braked.with_(**{"brakes.air.lines": LINES[:1]})
    sim = rolling(car.simulation(one, ground="inclined"), 20.0)
    sim.set_inputs({"brake": 0.8})
    sim.run(0.2)
    asked = {a: 0.8 * FULL * share(one, a) for a in "12"}
    found = {a: (sim.output(f"Chamber_Pressure.L{a}") + CRACK) / asked[a] for a in "12"}
    assert found["1"] == pytest.approx(found["2"], rel=1e-9)
    with pytest.raises(ParameterError, match=r"brakes\.air\.lines.*3 lines; give one for all axles or 2"):
        braked.with_(**{"brakes.air.lines": [*LINES, LINES[0]]})
    with pytest.raises(ParameterError, match=r"brakes\.proportioning.*stands beside air"):
        braked.with_(**{"brakes.proportioning": {"knee": 1e6}})
