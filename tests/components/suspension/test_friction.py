"""Friction of struts and bushings."""

from __future__ import annotations

import math

import numpy as np
import pytest

from element_rig import RATIOS, WHEELS, alone, pushes, put, scale_names, slope, straight
from jounce.components.suspension.friction import Friction
from jounce.runtime.simulation import Simulation

LIMIT, STIFFNESS = 97.0, 1.6e5


def run(sim: Simulation, seconds: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rate of the element and friction at the left wheel, step by step, in free motion."""
    rate, force, travel = [], [], []
    for _ in range(round(seconds / sim.step)):
        sim.advance(1)
        travel.append(sim.state("L1.jounce"))
        rate.append(sim.state("L1.jounce.rate") * slope(RATIOS["friction"][0], travel[-1]))
        force.append(sim.output("Friction.Force_At_Element.L1"))
    return np.array(rate), np.array(force), np.array(travel)


def test_sliding_it_is_the_limit_against_the_motion_by_virtual_work() -> None:
    """After some travel in one direction; at the wheel it is force times ratio."""
    for way in (1.0, -1.0):
        sim = alone("friction")
        straight(sim)
        put(sim, {"L1": -0.03 * way, "R1": 0.02 * way}, {"L1": 0.6 * way, "R1": -0.5 * way})
        sim.advance(60)
        speeds = {c: sim.state(f"{c}.jounce.rate") for c in WHEELS}
        acting = pushes(sim, dict.fromkeys(scale_names("friction"), 0.0))
        for c, f, sign in (("L1", RATIOS["friction"][0], way), ("R1", RATIOS["friction"][1], -way)):
            r = slope(f, sim.state(f"{c}.jounce"))
            assert math.copysign(1.0, speeds[c]) == sign
            assert sim.output(f"Friction.Force_At_Element.{c}") == pytest.approx(sign * LIMIT, rel=1e-6)
            assert acting[c] == pytest.approx(-sign * LIMIT * r, rel=1e-5)
            assert acting[c] * speeds[c] < 0.0


def test_it_follows_the_law_of_dahl_after_a_point_of_return() -> None:
    """F = −F_max + (F_0 + F_max) e^(−k s/F_max) over the way s back."""
    sim = alone("friction", "spring", step=2e-4)
    straight(sim)
    put(sim, {"L1": 0.05, "R1": 1e-6})
    rate, force, travel = run(sim, 0.6)
    turn = next(i for i in range(50, len(rate) - 1) if rate[i] < 0 <= rate[i + 1])
    deflection = np.array([RATIOS["friction"][0](j) for j in travel])
    assert force[turn] == pytest.approx(-LIMIT, rel=1e-3)
    back = slice(turn + 1, turn + 60)
    way = deflection[back] - deflection[turn : turn + 2].min()
    expected = LIMIT - (LIMIT - force[turn]) * np.exp(-STIFFNESS * way / LIMIT)
    # the turn lies between two evaluations: the way is uncertain by the travel of a step there, 1e-6 m of 0.6 mm
    assert force[back] == pytest.approx(expected, abs=0.01 * LIMIT)
    assert force[back][0] < -0.9 * LIMIT and force[turn + 59] > 0.3 * LIMIT


def test_it_dissipates_at_every_moment_of_a_run() -> None:
    """F ḋ less what is stored, d/dt F²/2k, is never negative; over the run the energy lost is ∫ F² |ḋ|/F_max."""
    sim = alone("friction", "spring", step=2e-4)
    straight(sim)
    put(sim, {"L1": 0.02, "R1": 1e-6}, {"L1": 0.4})
    k = sim.parameter("L1.spring.rate") * sim.parameter("L1.spring.ratio.rate") ** 2
    mass = sim.parameter("L1.unsprung_mass")

    def energy() -> float:
        return 0.5 * (k * sim.state("L1.jounce") ** 2 + mass * sim.state("L1.jounce.rate") ** 2)

    before = energy()
    rate, force, _ = run(sim, 1.0)
    stored = 0.5 * force**2 / STIFFNESS
    work = np.cumsum(force * rate) * sim.step
    lost = work - stored
    # a step of the sum is exact to its own size: 0.2 ms · 100 N · 0.4 m/s
    assert np.diff(lost).min() > -1e-3 and lost[-1] > 0.5
    assert before - energy() == pytest.approx(work[-1], rel=0.01)
    assert lost[-1] == pytest.approx((force**2 * np.abs(rate)).sum() * sim.step / LIMIT, rel=0.01)


def test_a_wheel_comes_to_rest_within_the_band_and_does_not_creep() -> None:
    sim = alone("friction", "spring")
    straight(sim)
    sim.set_parameters({f"{c}.element10.damping": 400.0 for c in WHEELS})
    put(sim, {"L1": 0.015, "R1": -0.02})
    sim.advance(4000)
    here = sim.state("L1.jounce")
    k = sim.parameter("L1.spring.rate") * sim.parameter("L1.spring.ratio.rate") ** 2
    r = slope(RATIOS["friction"][0], here)
    assert abs(k * here) <= LIMIT * r and abs(here) > 1e-4, "away from equilibrium, held by friction"
    sim.advance(2000)
    assert sim.state("L1.jounce") == pytest.approx(here, abs=1e-7)  # the last of the swing dies away


def test_around_a_point_it_is_a_spring() -> None:
    """Small motions meet k r² more: the frequency of a small swing."""
    sim = alone("friction", "spring", step=2e-4)
    straight(sim)
    put(sim, {"L1": 1e-5})
    _, force, travel = run(sim, 0.25)
    k = sim.parameter("L1.spring.rate") * sim.parameter("L1.spring.ratio.rate") ** 2
    # friction counts from where the motion began
    r = slope(RATIOS["friction"][0], 0.0)
    omega = math.sqrt((k + STIFFNESS * r**2) / sim.parameter("L1.unsprung_mass"))
    middle = STIFFNESS * r**2 * 1e-5 / (k + STIFFNESS * r**2)
    swing = travel - middle
    cross = [i + swing[i] / (swing[i] - swing[i + 1]) for i in range(len(swing) - 1) if swing[i] * swing[i + 1] < 0]
    half = float(np.mean(np.diff(cross))) * sim.step
    assert math.pi / half == pytest.approx(omega, rel=0.01) and np.abs(force).max() < 0.1 * LIMIT


def test_a_soft_one_is_remarked() -> None:
    data = {"kind": "friction", "force": 100.0, "stiffness": 2000.0}
    assert [key for key, _ in Friction.model_validate(data).remarks()] == ["stiffness"]
    assert not list(Friction.model_validate({**data, "stiffness": 1e5}).remarks())
