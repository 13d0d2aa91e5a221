"""Semi-active dampers: the law by hand at every wheel, never a force that drives, a body that moves less."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from cars import compact, rolling
from jounce.components.controllers.adaptive_damping import AdaptiveDamping
from jounce.runtime.program import Open, Phase, Program, Sine
from jounce.runtime.recording import Recording
from jounce.sim import car

WHEELS = ("L1", "R1", "L2", "R2")


@lru_cache
def described() -> car.Description:
    soft = {f"{end}_suspension.dampers[0].scale": 0.4 for end in ("front", "rear")}
    return car.describe(compact(**soft), ground="inclined", road_inputs=True, parts=(AdaptiveDamping(),))


def shaken(**numbers: float) -> Recording:
    """All wheels over a wave of 1.3 Hz, near the frequency of the body."""
    sim = rolling(car.simulation(described()), 15.0)
    sim.set_parameters({f"adaptive_damping.{name}": value for name, value in numbers.items()})
    waves = [Open(f"road.{c}", Sine(0.012, 1.3)) for c in WHEELS]
    return sim.run(program=Program(Phase("waves", waves, duration=6.0)), interval=0.005)


def test_the_force_is_that_of_the_law_and_only_damps() -> None:
    run = shaken(groundhook=400.0)
    acted = False
    for place in WHEELS:
        force, rate = run[f"Adaptive_Damping.force.{place}"], run[f"Damper.Jounce_Rate.{place}"]
        # set at the step before, by the travel of the wheel: where the damper has not just turned round it only damps
        fast = np.abs(rate) > 0.02
        assert (force * rate)[fast].min() >= 0.0
        acted = acted or float(np.abs(force).max()) > 100.0
        assert np.abs(force).max() <= 3000.0
    assert acted


def test_the_body_moves_less_with_a_skyhook() -> None:
    """Vertical acceleration of the body near its frequency, over the last three seconds."""
    plain, held = shaken(active=0.0), shaken(active=1.0)
    assert np.abs(plain["Adaptive_Damping.force.L1"]).max() == 0.0
    later = plain.time > 3.0
    still, moved = (np.std(run["chassis_accelerations.vertical"][later]) for run in (held, plain))
    assert still < 0.75 * moved


@pytest.mark.parametrize("heave", [0.3, -0.3])
def test_one_step_by_hand(heave: float) -> None:
    """c_s times the vertical speed of the body where that takes energy: a rising body pulls its dampers apart."""
    sim = rolling(car.simulation(described()), 15.0)
    sim.set_parameters({"adaptive_damping.groundhook": 0.0})
    sim.set_states({"chassis.vz": heave, "L1.jounce.rate": -heave, "R1.jounce.rate": heave})
    sim.advance(1)
    assert sim.output("Adaptive_Damping.force.L1") == pytest.approx(-2500.0 * heave, rel=0.02)
    assert sim.output("Adaptive_Damping.force.R1") == 0.0
