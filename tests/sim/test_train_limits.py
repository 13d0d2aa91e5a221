"""How fast and how sharply a train may be driven: against the weight on its wheels, and its own sway."""

from __future__ import annotations

from itertools import pairwise

import pytest

import jounce.vehicle as jv
from jounce.core.constants import GRAVITY
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.train_limits import DAMPED, TrainLimits, limits_of_train, swing_damping
from trains import car_trailer


def standing(vehicle: jv.Vehicle) -> tuple[Simulation, car.Description]:
    description = car.describe(vehicle)
    sim = car.simulation(description)
    settle(sim, description)
    return sim, description


def limits(vehicle: jv.Vehicle, top: float = 25.0) -> TrainLimits:
    return limits_of_train(*standing(vehicle), top)


def test_a_high_trailer_rolls_over_first() -> None:
    """Below the threshold of a rigid trailer on its track, and not far below: tires give way."""
    height, mass = 1.93, 1103.0
    stiff = {"trailers[0].axles[0].suspension.spring.rate": 2.4e6}
    vehicle = car_trailer().with_(**{"trailers[0].body.cg.z": height, **stiff})
    trailer = vehicle.trailers[0]  # type: ignore[index]
    unsprung = 2 * float(trailer.axles[0].wheels.unsprung_mass)
    wheel = 0.3  # m, about the height of the wheels' own mass
    behind = 3.61 / 3.79  # share of the axle in weight and in lateral force
    raised = (mass * (height - (1 - behind) * 0.43) + unsprung * wheel) / (mass * behind + unsprung)
    threshold = GRAVITY * 0.5 * 1.71 / raised
    found = limits(vehicle).lateral
    assert 0.8 * threshold < found < threshold
    assert limits(car_trailer()).lateral > found + 1.0


def test_a_fast_train_is_not_driven_faster_than_its_sway_is_damped() -> None:
    """More load behind the axle: the speed at which damping is 0.05 falls; there it is 0.05."""
    from jounce.sim.steady import run_steadily
    from jounce.sim.turns import Turns

    vehicle = car_trailer().with_(**{"trailers[0].body.cg.x": -3.93, "trailers[0].body.inertia.izz": 2250.0})
    sim, description = standing(vehicle)
    before = sim.x.copy(), sim.u.copy(), sim.m.copy()
    found = limits_of_train(sim, description, 45.0)
    for was, now in zip(before, (sim.x, sim.u, sim.m), strict=True):
        assert (was == now).all()
    assert found.speeds[-2] < found.fastest < found.speeds[-1]
    assert all(b < a for a, b in pairwise(found.damping))
    run_steadily(sim, description, found.fastest)
    turns = Turns(sim, description)
    assert swing_damping(turns, turns.here()) == pytest.approx(DAMPED, abs=0.01)
