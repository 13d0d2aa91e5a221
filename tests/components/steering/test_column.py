"""Wind-up of the column."""

from __future__ import annotations

import pytest

from four_wheels import CORNERS
from jounce.runtime.program import Constant, Open, Phase, Program
from jounce.runtime.simulation import Library, Simulation
from steered_cars import slipping


def test_the_column_winds_up_by_its_rate(compact: Library) -> None:
    sim = slipping(Simulation(compact))
    moment = sim.output("Suspension.Kingpin_Moment.SUSP1")
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    assert rates["steering.column.follower"] == pytest.approx(1e-4 * moment / 0.0025, rel=1e-12)
    sim = Simulation(compact)  # a car turning left at speed comes to rest in its turn
    sim.set_states({"chassis.vx": 20.0, **{f"{c}.wheel.spin": 20.0 / 0.3 for c in CORNERS}})
    program = Program(Phase("turn", [Open("steering_wheel", Constant(0.4))], duration=3.0))
    run = sim.run(program=program, method="AB-2", step=0.001, interval=0.01)
    wound, load = run["Steering_System.Steering_column_deformation"], run["Suspension.Kingpin_Moment.SUSP1"]
    assert load[-1] < -20 and wound[-1] == pytest.approx(1e-4 * load[-1], rel=1e-3)
    # the map is entered with the hand wheel over the scale of the gear, plus the wind-up
    sim = Simulation(compact)
    before = sim.output("Wheel.Spindle_Steer.L1")
    sim.set_inputs({"steering_wheel": 0.4})
    sim.set_states({"steering.column.wind_up": 0.03})
    assert sim.output("Wheel.Spindle_Steer.L1") - before == pytest.approx(0.0645 * (0.4 / 1.25 + 0.03), rel=1e-12)
