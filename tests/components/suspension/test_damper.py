"""Dampers over speed and travel; the energy they take."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce.vehicle as jv
from car_models import rates
from element_rig import PLACES, RATIOS, alone, straight
from element_rig import put as put_axle
from jounce.runtime.simulation import Simulation
from polynomial_cars import MOVING, POSED, acts, damper_force, damper_ratio, put, rig, slope


def test_a_damper_over_speed_and_travel(independent: jv.Vehicle) -> None:
    """Q = +F(v, x) ∂d/∂J with v = −ḋ, x = −d: in extension it holds the wheel back, upwards."""
    sim = rig(independent)
    put(sim, POSED, MOVING)
    acting = acts(sim, {"L1.damper1.scale": 0.0, "R1.damper1.scale": 0.0})
    for place in ("L1", "R1"):
        j, rate = POSED[place], MOVING[place]
        ratio = slope(damper_ratio, j)
        force = damper_force(-ratio * rate, -damper_ratio(j))
        assert acting[place] == pytest.approx(force * ratio, rel=1e-6)
        assert sim.output(f"Damper.Force_At_Damper.{place}") == pytest.approx(-force, rel=1e-9)
        assert sim.output(f"Damper.Force_At_Wheel.{place}") == pytest.approx(-force * ratio, rel=1e-9)
        work = sim.output(f"Damper.Force_At_Damper.{place}") * sim.output(f"Damper.Jounce_Rate.{place}")
        assert sim.output(f"Damper.Force_At_Wheel.{place}") * rate == pytest.approx(work, rel=1e-9)
    assert acting["L1"] < 0 < acting["R1"], "the left wheel moves up, the right one down"
    assert acting["L2"] == pytest.approx(0.0, abs=1e-6)
    second = acts(sim, {"L1.damper2.scale": 0.0})
    assert second["L1"] == pytest.approx(-400.0 * 0.25 * MOVING["L1"], rel=1e-6)
    assert sim.output("secondary_damper.force.front_left") == pytest.approx(-400.0 * 0.5 * MOVING["L1"], rel=1e-9)
    assert sim.output("secondary_damper.velocity.front_left") == pytest.approx(-0.5 * MOVING["L1"], rel=1e-12)


def test_the_loop_of_a_damper_is_the_energy_it_takes(independent: jv.Vehicle) -> None:
    """A sine of the wheel: ∮ F_w dJ = ∫ F v dt > 0; with c v alone π c ω A² for a ratio r: r²."""
    sim = rig(independent)
    amplitude, omega = 0.04, 2 * math.pi * 1.5
    phases = np.linspace(0.0, 2 * np.pi, 400, endpoint=False)
    loops = {"L1": 0.0, "L2": 0.0}
    by_law = 0.0
    for phase in phases:
        j, rate = amplitude * math.sin(phase), amplitude * omega * math.cos(phase)
        put(sim, {"L1": j, "L2": j}, {"L1": rate, "L2": rate})
        for place in loops:
            loops[place] += sim.output(f"Damper.Force_At_Wheel.{place}") * rate
        v = -slope(damper_ratio, j) * rate
        by_law += damper_force(v, -damper_ratio(j)) * v
    dt = 2 * np.pi / omega / len(phases)
    assert loops["L1"] * dt == pytest.approx(by_law * dt, rel=1e-9) and by_law > 0
    assert loops["L2"] * dt == pytest.approx(math.pi * 1700.0 * 0.9**2 * omega * amplitude**2, rel=1e-9)
    put(sim, {}, {"L1": -0.3})
    assert sim.output("Damper.Force_At_Damper.L1") < 0, "compression positive: in extension it pulls"


# ---- through a filter, and several in parallel -----------------------------------------------------------------------


def swinging(frequency: float, step: float = 1e-4) -> Simulation:
    """The left wheel of the rig as a heavy mass on a spring: it swings at a frequency, whatever dampers say."""
    sim = alone("spring", "damper2", step=step)
    straight(sim)
    mass = 1e9
    rate = mass * (2 * math.pi * frequency) ** 2 / sim.parameter("L1.spring.ratio.rate") ** 2
    sim.set_parameters({"L1.unsprung_mass": mass, "L1.spring.rate": rate})
    put_axle(sim, {"L1": 1e-3})
    return sim


@pytest.mark.parametrize(("output_step", "number"), [(0.01, 5.0), (0.005, 8.0)])
def test_a_filtered_damper_has_minus_three_decibels_at_its_cut_off(output_step: float, number: float) -> None:
    """f = 1/(output step · number): there amplitude 1/√2 and 45 degrees behind c v; the work of a turn is half."""
    f = 1 / (output_step * number)
    sim = swinging(f)
    sim.set_parameters({"L1.damper2.cutoff": f})
    r, c = slope(RATIOS["lagging"][0], 0.0), 2300.0
    per_turn = round(1 / (f * 1e-4))
    sim.advance(10 * per_turn)  # what is left of the beginning: e^(−2π·10)
    passed, full = [], []
    for _ in range(per_turn):
        sim.advance(1)
        passed.append(sim.state("L1.damper2.passed_force"))
        full.append(-c * r * sim.state("L1.jounce.rate"))
    turn = np.exp(-2j * np.pi * np.arange(per_turn) / per_turn)
    gain = (np.array(passed) @ turn) / (np.array(full) @ turn)
    # ratios that vary over 1 mm by 1e-3, and steps of 0.2 % of a turn
    assert abs(gain) == pytest.approx(math.sqrt(0.5), rel=3e-3)
    assert np.angle(gain) == pytest.approx(-math.pi / 4, abs=5e-3)
    work = np.mean(np.array(passed) * np.array(full)) / np.mean(np.array(full) ** 2)
    assert work == pytest.approx(0.5, rel=5e-3)


def test_a_filtered_damper_is_a_damper_and_a_spring_in_series() -> None:
    """F ḋ = d/dt F²/2k + F²/c with k = 2πf c: stored or lost, never won."""
    sim = alone("damper2")
    for travel, speed in PLACES:
        put_axle(sim, travel, speed)
        sim.set_states({"L1.damper2.passed_force": 310.0, "R1.damper2.passed_force": -170.0})
        found = rates(sim)
        for w, ratio in zip(("L1", "R1"), RATIOS["lagging"], strict=True):
            force, v = sim.state(f"{w}.damper2.passed_force"), -slope(ratio, travel[w]) * speed[w]
            k = 2 * math.pi * 20.0 * 2300.0
            stored = force * found[f"{w}.damper2.passed_force"] / k
            assert force * v == pytest.approx(stored + force**2 / 2300.0, rel=1e-7)


def test_two_dampers_of_half_the_rate_are_one() -> None:
    """Any number stand in parallel: here four at each wheel."""
    travel, speed = PLACES[0]
    one, two = alone("damper3"), alone("damper3", "damper4")
    two.set_parameters({"L1.damper3.rate": 450.0, "R1.damper3.rate": 400.0})
    for sim in (one, two):
        put_axle(sim, travel, speed)
    expected, found = rates(one), rates(two)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12, abs=1e-12), name
    three = alone("damper3", "damper4")
    put_axle(three, travel, speed)
    assert rates(three)["L1.jounce.rate"] != pytest.approx(expected["L1.jounce.rate"], rel=1e-3)
