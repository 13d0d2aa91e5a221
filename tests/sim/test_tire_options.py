"""Choices of a car about its tires: the exact update of relaxation, and scaling factors that change within a run."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest

from four_wheels import CORNERS
from jounce.core.errors import ParameterError, StaticsError
from jounce.runtime.program import Open, Phase, Program, Ramp, Sine
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation
from jounce.sim import car as cars
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from jounce.vehicle.reading import load
from jounce.vehicle.schema import Vehicle

YAW, SIDE = "chassis_velocities.yaw", "Tire.Ground_Surface_Force_Y.L1"


@lru_cache
def plain() -> Vehicle:
    """Without its rack, whose assist is of another order."""
    return load("sedan").with_(**{"steering.rack_pinion": None})


@lru_cache
def described(exact: bool = False) -> cars.Description:
    return cars.describe(plain(), relaxation="exact" if exact else "states")


@lru_cache
def with_factors() -> cars.Description:
    return cars.describe(plain(), tire_inputs=("LMUY", "LKY"))


def running(description: cars.Description, step: float = 0.001) -> Simulation:
    sim = cars.simulation(description, step=step)
    settle(sim, description)
    run_steadily(sim, description, 25.0)
    return sim


def steered(sim: Simulation, step: float = 0.001, **inputs: float | Ramp) -> Recording:
    channels = [Open("steering_wheel", Sine(0.5, 1.0)), *(Open(n.replace("__", "."), v) for n, v in inputs.items())]
    return sim.run(program=Program(Phase("steer", channels, duration=0.5)), step=step, interval=0.01)


@pytest.mark.slow
def test_the_exact_update_is_the_same_car_as_the_step_goes_to_zero() -> None:
    """Load and speed change within a step: the update is then of first order, the states with AB-2 of second."""
    apart = []
    for step in (0.002, 0.001, 0.0005):
        states = running(described(), step)
        exact = cars.simulation(described(True), step=step)
        cars.take_over(exact, states)
        assert exact.memory("L1.tire.v") == states.state("L1.tire.v") != 0.0
        assert exact.output(YAW) == states.output(YAW)
        one, other = steered(states, step), steered(exact, step)
        apart.append([np.abs(one[n] - other[n]).max() / np.abs(one[n]).max() for n in (YAW, SIDE)])
    assert max(apart[1]) < 1e-3  # at 1 ms
    for coarse, fine in pairwise(apart):
        assert np.array(coarse) / np.array(fine) == pytest.approx([2.0, 2.0], rel=0.15)


@pytest.mark.slow
def test_a_car_with_the_exact_update_has_two_states_less_per_tire() -> None:
    states, exact = (cars.simulation(described(e)) for e in (False, True))
    names = [{v.name for v in sim.model.states} for sim in (states, exact)]
    assert names[0] - names[1] == {f"{c}.tire.{d}" for c in CORNERS for d in "uv"} and not names[1] - names[0]
    for sim, exactly in ((states, False), (exact, True)):
        settle(sim, described(exactly))
    for c in CORNERS:
        name = f"Tire.Ground_Surface_Force_Z.{c}"
        assert exact.output(name) == pytest.approx(states.output(name), rel=1e-9)
    with pytest.raises(StaticsError, match="take_over"):
        run_steadily(exact, described(True), 20.0)


@pytest.mark.slow
def test_factors_of_tires_are_inputs_when_asked_for() -> None:
    assert not [v.name for v in cars.simulation(described()).model.inputs if ".tire." in v.name]
    plain, sim = steered(running(described())), running(with_factors())
    assert sorted(v.name for v in sim.model.inputs if ".tire." in v.name) == sorted(
        f"{c}.tire.{key}" for c in CORNERS for key in ("LMUY", "LKY")
    )
    usual = steered(sim)
    for name in (YAW, SIDE):  # factors of one: the same car
        assert usual[name] == pytest.approx(plain[name], rel=1e-9, abs=1e-9)
    # half the cornering stiffness of a wheel as an input is the parameter of that wheel
    by_input, by_parameter = running(with_factors()), running(described())
    by_parameter.set_parameters({"L1.tire.scale.LKY": 0.5})
    changed, known = steered(by_input, L1__tire__LKY=0.5), steered(by_parameter)
    for name in (YAW, SIDE):
        assert changed[name] == pytest.approx(known[name], rel=1e-6, abs=1e-6 * np.abs(known[name]).max())
    assert np.abs(changed[SIDE] - usual[SIDE]).max() > 0.1 * np.abs(usual[SIDE]).max()
    # within a run: the grip of the front tires goes
    lost = steered(running(with_factors()), L1__tire__LMUY=Ramp(-0.9, 0.2), R1__tire__LMUY=Ramp(-0.9, 0.2))
    assert np.abs(lost[SIDE][-20:]).max() < 0.7 * np.abs(usual[SIDE][-20:]).max()


def test_wrong_choices_are_told() -> None:
    with pytest.raises(ParameterError, match=r"relaxation = 'exakt'; did you mean 'exact'"):
        cars.describe(load("sedan"), relaxation="exakt")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="each once"):
        cars.describe(load("sedan"), tire_inputs="LMUY")
    with pytest.raises(ParameterError, match=r"'LMUQ' is unknown to the tire .* its scaling factors: .*LMUY"):
        cars.simulation(cars.describe(load("sedan"), tire_inputs=("LMUQ",)))
