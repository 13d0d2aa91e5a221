"""The largest stable step by the linear model, against closed forms and against the C loop itself."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

import jounce as jn
import jounce.vehicle as jv
from jounce import events
from jounce.core.errors import UnstableStepError
from jounce.runtime.methods import METHODS
from jounce.runtime.simulation import Library, Simulation
from jounce.sim.build import build
from jounce.sim.linear import Lineariser
from jounce.sim.stability import growth, limit_of, step_limit, step_note
from jounce.symbolic import System

# Interval of stability on the negative real axis, from the textbooks: 1 + z, the roots of AB-2, 1 + z + z²/2.
REAL = {"Euler": 2.0, "AB-2": 1.0, "RK-2": 2.0}
SPRINGS = {"soft": (40.0, 0.3), "hard": (900.0, 0.15), "stiff": (2500.0, 0.9)}  # rad/s, damping ratio


@lru_cache
def oscillators() -> tuple[Library, Lineariser]:
    """Three of them beside each other, of different speed and damping."""
    system = System("oscillators", gravity=(0, 0, 0))
    for name, (omega, damping) in SPRINGS.items():
        joint = system.prismatic(name, system.world, axis="z")
        system.body(f"{name}_mass", joint.frame, 1.0)
        system.generalized_force(joint.u[0], -(omega**2) * joint.q[0] - 2 * damping * omega * joint.u[0])
    return build(system), Lineariser(system)


@pytest.mark.parametrize("method", REAL)
def test_a_decaying_mode_has_the_limit_of_the_textbook(method: str) -> None:
    assert limit_of(method, -500.0 + 0j) == pytest.approx(REAL[method] / 500.0, rel=1e-2)
    assert growth(method, -0.5 * REAL[method] + 0j) < 1.0 < growth(method, -1.01 * REAL[method] + 0j)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("z", [-0.02 + 0.0j, -0.01 + 0.03j])
def test_in_one_small_step_a_mode_decays_as_it_does(method: str, z: complex) -> None:
    assert growth(method, z) == pytest.approx(abs(np.exp(z)), abs=abs(z) ** 2)


@pytest.mark.parametrize("method", METHODS)
def test_the_c_loop_breaks_up_just_beyond_the_limit(method: str) -> None:
    library, linear = oscillators()
    sim = Simulation(library, method=method, step=1e-4)
    limit = step_limit(sim, linear)
    assert limit.method == method and 0 < limit.step < math.inf
    size = {}
    for part in (0.97, 1.03):
        run = Simulation(library, method=method, step=part * limit.step)
        run.set_states({f"{name}.travel": 1.0 for name in SPRINGS})
        run.advance(2000)
        size[part] = max(abs(run.state(f"{name}.travel")) for name in SPRINGS)
    assert size[0.97] < 1.0 < 10.0 < size[1.03]
    beyond, within = (Simulation(library, method=method, step=part * limit.step) for part in (1.03, 0.97))
    assert f"stability limit of {method}" in step_note(beyond, linear) and step_note(within, linear) == ""


def test_a_blow_up_is_told_as_one_and_a_run_with_a_long_step_is_warned() -> None:
    car = jv.load("sedan")
    told = "the step of 10 ms is beyond the stability limit of AB-2"
    with pytest.raises(UnstableStepError, match=told):
        jn.run(car, events.StepSteer(end_time=3.0), step="10 ms")
    long = jn.run(car, events.RampSteer(end_time=1.1), step="10 ms")
    assert any(told in item for item in long.warnings)
    usual = jn.run(car, events.RampSteer(end_time=1.1))
    assert not any("stability limit" in item for item in usual.warnings)


def test_dampers_a_hundred_times_as_hard_are_too_fast_for_the_usual_step() -> None:
    car = jv.load("sedan").with_(**{"front_suspension.dampers[0].scale": 100, "rear_suspension.dampers[0].scale": 40})
    run = jn.run(car, events.RampSteer(end_time=1.1))
    (told,) = [item for item in run.warnings if "stability limit of AB-2" in item]
    assert "1.jounce.rate" in told
