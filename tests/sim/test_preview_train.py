"""Preview steering with a towed unit: gains from the whole linearisation, against a second solution and the train."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from jounce.runtime.simulation import Simulation
from jounce.sim import car, preview, preview_schedule
from jounce.sim.preview import design, lateral_of
from jounce.sim.preview_schedule import GAINS, PARTS, SLOWLY, TOWED, Schedule
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from jounce.sim.turns import Turns
from trains import car_trailer

RATIO, FRONT = 15.6, 1.1


class Ready(NamedTuple):
    sim: Simulation
    description: car.Description
    found: Schedule


@pytest.fixture(scope="module")
def ready() -> Ready:
    description = car.describe(car_trailer())
    sim = car.simulation(description)
    settle(sim, description)
    before = sim.x.copy(), sim.u.copy(), sim.m.copy()
    found = preview_schedule.schedule(sim, description, length=2.65, ratio=RATIO, steered=FRONT, top=40.0)
    for was, now in zip(before, (sim.x, sim.u, sim.m), strict=True):
        assert np.array_equal(was, now)
    return Ready(sim, description, found)


def swing(values: Any) -> float:
    """The damping ratio of the least damped slow swing."""
    return float(min(-z.real / abs(z) for z in values if z.imag > 0.5 and abs(z) < 12))


def test_the_whole_train_is_stable_with_the_gains_and_sways_less(ready: Ready) -> None:
    """All states of the exact linearisation under the sampled law; without the driver the trailer sways on for long."""
    from scipy.linalg import expm

    sim, description, found = ready
    here, middle, improved = sim.snapshot(), PARTS.index(0.0), 0
    turns = Turns(sim, description)
    assert found.gains.shape[2] == len(GAINS) + 2 + len(TOWED)
    for i, speed in enumerate(found.speeds):
        if speed <= max(SLOWLY):
            continue
        sim.restore(here)
        run_steadily(sim, description, float(speed))
        turn = turns.here()
        order = [*turns.kept, *turns.others]
        a, b = turn.model.A[np.ix_(order, order)], turn.model.B[order, turns.inputs.index("steering_wheel")]
        n = len(order)
        flow = np.zeros((n + 5, n + 5))  # z, e, ψ, δ, η, w
        flow[:n, :n], flow[:n, n + 2] = a, b
        flow[n, 0], flow[n, n + 1], flow[n + 1, 1] = 1.0, speed, 1.0
        flow[n + 2, n + 4], flow[n + 3, n] = 1.0, 1.0
        step = expm(flow * preview.PERIOD)
        row, law = found.gains[i, middle], np.zeros(n + 4)
        law[[0, 1, n, n + 1, n + 2, n + 3]] = row[: len(GAINS)]
        law[[2, 3]] = row[len(GAINS) + 2 :][:2]
        poles = np.linalg.eigvals(step[:-1, :-1] - np.outer(step[:-1, -1], law))
        assert np.abs(poles[np.abs(poles - 1) > 1e-7]).max() < 1 - 1e-4, speed
        alone, driven = swing(np.linalg.eigvals(a)), swing(np.log(poles[np.abs(poles) > 1e-9]) / preview.PERIOD)
        assert driven > min(alone, 0.1) - 0.01, speed
        improved += driven > alone + 0.02
    sim.restore(here)
    assert improved >= 1


def test_gains_are_those_of_the_recursion_backwards_in_time(ready: Ready) -> None:
    """Riccati's equation by repetition for the train's own motions, and with those gains in the schedule."""
    sim, description, found = ready
    here = sim.snapshot()
    turns = Turns(sim, description)
    i = int(np.flatnonzero(found.speeds == 24.0)[0])
    run_steadily(sim, description, 24.0)
    turn = turns.here()
    one = lateral_of(
        turn.model.A, turn.model.B[:, turns.inputs.index("steering_wheel")], 24.0, turns.kept, turns.others
    )
    sim.restore(here)
    assert len(one.B) == 4
    omega = preview.bandwidth(24.0, 2.65)
    phi, gamma, _ = preview.sampled(one, preview.PERIOD)
    q, rho = preview.weights(one, omega, preview.PERIOD, one.gain)
    value = q.copy()
    for _ in range(6000):
        gain = (gamma @ value @ phi) / (rho + gamma @ value @ gamma)
        value = q + phi.T @ value @ (phi - np.outer(gamma, gain))
    assert design(one, omega).feedback == pytest.approx(gain, rel=1e-5)
    row = found.gains[i, PARTS.index(0.0)]
    expected = [*gain[:2], *gain[4:8], *gain[2:4]]
    assert [*row[: len(GAINS)], *row[len(GAINS) + 2 :][:2]] == pytest.approx(expected, rel=1e-4)
    assert abs(row[len(GAINS) + 2]) > 0.02 * abs(row[3])  # the articulation counts


def test_articulations_of_turns_are_those_of_plane_geometry_where_it_is_slow(ready: Ready) -> None:
    """Per curvature: −(h + D), less what the tires' slip adds with the speed squared."""
    found, column = ready.found, len(GAINS) + 2 + 2
    middle = PARTS.index(0.0)
    rows = [i for i, v in enumerate(found.speeds) if v > max(SLOWLY)][:2]
    squares = found.speeds[rows] ** 2
    told = found.gains[rows, middle, column]
    at_rest = told[0] - (told[1] - told[0]) / (squares[1] - squares[0]) * squares[0]
    assert at_rest == pytest.approx(-(3.53 - 2.65 + 3.79), rel=0.02)
    assert math.isfinite(found.gains[0, middle, column])


def test_a_car_without_units_has_none_of_their_columns() -> None:
    """The layout of a schedule of a car: six gains, two of the turn."""
    row = preview_schedule._row(np.arange(6.0), 2, (7.0, 8.0), np.zeros(0))
    assert row == pytest.approx([0, 1, 2, 3, 4, 5, 7, 8])
    train = preview_schedule._row(np.arange(9.0), 4, (17.0, 18.0), np.array([-5.0]))
    assert train == pytest.approx([0, 1, 4, 5, 6, 7, 17, 18, 8, 2, 3, -5.0])
