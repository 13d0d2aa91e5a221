"""Sway of a trailer: the exact linearisation against a model of three freedoms, over speed."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from linear_train import LinearTrain, flat_car

Array = np.ndarray[Any, np.dtype[np.float64]]


@lru_cache
def description() -> car.Description:
    return car.describe(flat_car())


def running(speed: float) -> Simulation:
    sim = car.simulation(description())
    settle(sim, description())
    run_steadily(sim, description(), speed)
    return sim


def three_freedoms(sim: Simulation, speed: float) -> Array:
    """Eigenvalues of the linear model in the plane."""
    return np.linalg.eigvals(LinearTrain(flat_car(), sim, speed).a)


def swaying(values: Array) -> complex:
    """The least damped of the slow swings."""
    slow = [z for z in values if 1.0 < z.imag < 12.0 and abs(z.real) < 12.0]
    return complex(max(slow, key=lambda z: z.real / abs(z)))


@pytest.mark.slow
@pytest.mark.parametrize("speed", [15.0, 22.0, 30.0, 38.0])
def test_frequency_and_damping_of_sway_are_those_of_three_freedoms(speed: float) -> None:
    sim = running(speed)
    expected = swaying(three_freedoms(sim, speed))
    found = car.lineariser(description()).at(sim).eigenvalues()
    nearest = complex(found[np.argmin(np.abs(found - expected))])
    # left out: pitch and roll on the tires, the pull that keeps the speed, turning of the contact on the spot
    assert abs(nearest - expected) < 0.005 * abs(expected), (nearest, expected)


@pytest.mark.slow
def test_faster_it_is_damped_less_and_the_least_damped_mode_is_sway() -> None:
    damping = []
    for speed in (15.0, 22.0, 30.0, 38.0):
        z = swaying(np.asarray(car.lineariser(description()).at(running(speed)).eigenvalues()))
        damping.append(-z.real / abs(z))
    assert all(b < a for a, b in pairwise(damping)), damping
