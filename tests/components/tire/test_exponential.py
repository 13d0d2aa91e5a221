"""Relaxation by the exact update: closed forms at any step and speed, standstill, agreement with the states."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.components.tire.base import AtLoad
from jounce.components.tire.pac2002 import symmetrised
from jounce.components.tire.transient import Updated, lag, update
from jounce.core.constants import GRAVITY
from jounce.core.errors import ModelError
from jounce.runtime.simulation import Simulation
from models import compiled
from tire_models import EXAMPLE, rig, tire

VALUES = {**symmetrised(EXAMPLE), "PHX1": 0.0}
MASS = 400.0
SIGMA = 0.1  # m


def short(sigma: float = SIGMA) -> AtLoad:
    """The tire at 4000 N with other relaxation lengths."""
    t = tire(VALUES)
    return t.model.at_load(t.values, 4000.0, 0.0)._replace(sigma_kappa=sigma, sigma_alpha=sigma)


def after(steps: int, h: float, speed: float, kappa: float, tangent: float, at: AtLoad) -> list[Updated]:
    """A step of slip from zero, as the runtime calls the update: evaluation by evaluation."""
    t = tire(VALUES)
    vsx, vsy = -kappa * abs(speed), tangent * abs(speed)
    before, found = (0.0, 0.0, vsx, vsy), []
    for _ in range(steps):
        new = update(t.values, at, 4000.0, before, speed, vsx, vsy, h)
        before = (new.u, new.v, vsx, vsy)
        found.append(new)
    return found


@pytest.mark.parametrize("h", [1e-6, 1e-4, 1e-3, 1e-2, 0.1, 5.0])
@pytest.mark.parametrize("speed", [80.0, -30.0, 5.0])
def test_a_step_of_slip_is_exact_at_every_step_size(h: float, speed: float) -> None:
    """1 - exp(-s/σ) after the distance s, whatever the step; at 80 m/s and 10 ms a step is eight lengths."""
    kappa, tangent = 0.03, 0.05
    for i, new in enumerate(after(6, h, speed, kappa, tangent, short()), start=1):
        reached = -math.expm1(-abs(speed) * i * h / SIGMA)
        assert new.kappa == pytest.approx(kappa * reached, rel=1e-13)
        assert math.tan(new.alpha) == pytest.approx(tangent * reached, rel=1e-13)


def test_63_percent_after_the_relaxation_length_in_one_step() -> None:
    for speed in (10.0, 80.0):
        (new,) = after(1, SIGMA / speed, speed, 0.03, 0.05, short())
        assert new.kappa / 0.03 == pytest.approx(1 - math.exp(-1), rel=1e-14)


def test_a_slip_speed_that_changes_linearly_is_followed_exactly() -> None:
    """v̇ = a + b t - c v has the solution by hand; steps of any size lie on it."""
    t, at, speed = tire(VALUES), short(), 20.0
    a, b, c = 0.3, 5.0, speed / SIGMA

    def exact(time: float) -> float:
        return (a / c - b / c**2) * -math.expm1(-c * time) + b * time / c

    for h in (1e-4, 2e-3, 0.02):
        before = (0.0, 0.0, 0.0, a)
        for i in range(1, 8):
            vsy = a + b * i * h
            new = update(t.values, at, 4000.0, before, speed, 0.0, vsy, h)
            before = (new.u, new.v, 0.0, vsy)
            assert new.v == pytest.approx(exact(i * h), rel=1e-12)


@pytest.mark.parametrize("speed", [0.0, 1e-12, 1e-9, 1e-6])
def test_at_rest_it_is_a_spring_that_keeps_its_deflection(speed: float) -> None:
    t, at = tire(VALUES), short()
    before = (0.002, -0.003, 0.0, 0.0)
    for _ in range(100):
        new = update(t.values, at, 4000.0, before, speed, 0.0, 0.0, 0.01)
        before = (new.u, new.v, 0.0, 0.0)
    r = 2 * math.hypot(0.002 / (at.sigma_kappa * at.kappa_slide), 0.003 / (at.sigma_alpha * at.alpha_slide))
    stretch = 1 + min(r * r, 1.0)
    leak = math.exp(-stretch * speed / SIGMA * 1.0)
    # the stretch falls with the deflection: by parts in 1e5 of a leak of parts in 1e5
    assert new.u == pytest.approx(0.002 * leak, rel=1e-9) and new.v == pytest.approx(-0.003 * leak, rel=1e-9)
    assert new.kappa == pytest.approx(stretch * 0.02 * leak, rel=1e-5)
    # moved by hand: the trapezium of the slip speeds
    moved = update(t.values, at, 4000.0, (0.0, 0.0, 0.0, 0.01), speed, 0.0, 0.03, 0.002)
    assert moved.v == pytest.approx(0.5 * (0.01 + 0.03) * 0.002, rel=1e-6)


@pytest.mark.parametrize("h", [1e-3, 0.02])
def test_a_contact_dragged_at_rest_slides_at_its_largest_deflection(h: float) -> None:
    """The leak of a sliding contact is held within a step; it ends where the states end, with steps of any size."""
    t = tire(VALUES)
    at = t.model.at_load(t.values, 4000.0, 0.0)
    before = (0.0, 0.0, 0.4, 0.3)
    for _ in range(4000):
        new = update(t.values, at, 4000.0, before, 0.0, 0.4, 0.3, h)
        before = (new.u, new.v, 0.4, 0.3)
    rx, ry = new.u / (at.sigma_kappa * at.kappa_slide), new.v / (at.sigma_alpha * at.alpha_slide)
    assert 2 * math.hypot(rx, ry) == pytest.approx(1.0, rel=0.01)
    assert new.u < 0 < new.v


# --- a wheel on a trolley --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def libraries() -> dict[bool, Any]:
    return {e: compiled(rig(tire(VALUES), mass=MASS, steer=True, exponential=e)).library for e in (False, True)}


def rolling(library: Any, step: float, speed: float, method: str = "AB-2") -> Simulation:
    sim = Simulation(library, method=method, step=step)
    t = tire(VALUES)
    rho = t.deflection(MASS * GRAVITY)
    radius = float(t.model.effective_radius(t.values, rho))
    sim.set_states({"z.travel": t.values["UNLOADED_RADIUS"] - rho, "x.rate": speed, "wheel.spin": speed / radius})
    return sim


def test_it_agrees_with_the_states_to_second_order(libraries: dict[bool, Any]) -> None:
    """Steered by a sine: the difference to the states with a tiny step falls with the square of the step."""

    def steered(exponential: bool, step: float) -> np.ndarray:
        sim = rolling(libraries[exponential], step, 20.0)
        sine = jn.Phase("steer", [jn.Open("steer", jn.Sine(0.02, 30 / (2 * math.pi)))], duration=0.2)
        return sim.run(program=jn.Program(sine), interval=1e-3)["tire.alpha"]

    known = steered(False, 1e-5)
    errors = [np.abs(steered(True, h) - known).max() for h in (1e-3, 5e-4, 2.5e-4)]
    assert errors[0] < 1e-3 * np.abs(known).max()
    assert 3.5 < errors[0] / errors[1] < 4.5 and 3.5 < errors[1] / errors[2] < 4.6, errors
    assert errors[0] < np.abs(steered(False, 1e-3) - known).max(), "closer than the states with the same step"


def swings(sim: Simulation, seconds: float, times: int) -> list[float]:
    """Largest speed in each of some intervals."""
    return [float(np.abs(sim.run(sim.time + seconds, iprint=10)["v"]).max()) for _ in range(times)]


@pytest.mark.parametrize("step", [0.0005, 0.001])
def test_a_stop_without_oscillation(libraries: dict[bool, Any], step: float) -> None:
    """The trolley swings out on its contact: ever slower, as with the states, and no limit cycle."""
    ways, speeds = {}, {}
    for exponential in (False, True):
        sim = rolling(libraries[exponential], step, 15.0)
        sim.set_inputs({"brake": 900.0})
        sim.advance(round(4.0 / step))
        speeds[exponential] = swings(sim, 2.0, 5)
        ways[exponential] = sim.state("x.travel")
    assert all(later < 0.1 * sooner for sooner, later in pairwise(speeds[True]))
    assert speeds[True][-1] < 1e-9
    assert ways[True] == pytest.approx(ways[False], rel=1e-4)


def test_it_stands_on_a_slope(libraries: dict[bool, Any]) -> None:
    sim = rolling(libraries[True], 0.001, 0.0)
    sim.set_parameters({"ground.grade": 0.1})
    sim.set_inputs({"brake": 1500.0})
    speeds = swings(sim, 4.0, 8)
    assert all(later < 0.5 * sooner for sooner, later in pairwise(speeds)), "it swings out"
    assert speeds[-1] < 1e-6
    assert sim.output("tire.fx") == pytest.approx(MASS * GRAVITY * math.sin(math.atan(0.1)), rel=1e-5)


def test_fast_and_light_it_is_stable_where_the_states_need_a_longer_length(libraries: dict[bool, Any]) -> None:
    """250 km/h: the step is a good part of the relaxation length, and the lag is still that of the tire."""
    speed, step = 70.0, 0.005
    sim = rolling(libraries[True], step, speed, "Euler")
    angle = 0.005
    sim.set_inputs({"steer": angle})
    record = sim.run(sim.time + 0.1, iprint=1)
    t = tire(VALUES)
    at = t.at_load(MASS * GRAVITY)
    n = np.arange(1, 10)
    # the first evaluation sees the steered wheel with no time elapsed
    expected = math.tan(angle) * -np.expm1(-n * step * speed / at.sigma_alpha)
    found = -np.tan(record["tire.alpha"][1 : 1 + len(n)])
    assert np.abs(found - expected).max() < 0.02 * angle  # the load changes by parts in a hundred
    slow = lag(t.values, at, 4000.0, 0.0, 0.0, speed, 0.0, angle * speed, step)
    assert slow.v_rate == pytest.approx(angle * speed)


def test_what_it_does_not_go_with_is_told() -> None:
    with pytest.raises(ModelError, match="does not go with relaxation lengths that fall with slip"):
        replace(tire(VALUES).model, nonlinear=True).leaf((), True)  # type: ignore[type-var]
    with pytest.raises(ModelError, match="does not go with a use mode without relaxation"):
        tire(VALUES, mode=4).model.leaf((), True)
    with pytest.raises(ModelError, match="needs no steps of its own"):
        rig(tire(VALUES), exponential=True, substeps=4)
