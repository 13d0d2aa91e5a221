"""A series elasticity with a mass of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from element_rig import PLACES, WHEELS, matrix_of, put
from jounce.components.suspension.series_dynamic import SeriesDynamic
from series_rig import ROLL, SERIES, Z, hung, spring_rate, stiffness, total_stiffness


def test_its_frequency_and_decay_are_those_of_its_mass_and_stiffness() -> None:
    """√(k/m) and ζ k: z̈ = −(k/m) z − (ζ k/m) ż, at the component as at the wheel."""
    sim = hung("dynamic")
    put(sim, {"L1": 0.01, "R1": 0.02})
    for c, data in (("L1", SERIES["dynamic"]), ("R1", SERIES["dynamic"] | SERIES["dynamic"]["right"])):
        a = matrix_of(sim, f"{c}.{Z}", f"{c}.{Z}.rate")
        square = data["stiffness"] / data["mass"]
        assert a == pytest.approx(np.array([[0, 1], [-square, -data["damping"] * square]]), rel=1e-7, abs=1e-7)


def test_it_swings_down_as_it_should_in_a_run() -> None:
    sim = hung("dynamic", step=1e-5)
    sim.set_states({f"L1.{Z}": 0.004})
    square = 430e3 / 3.1
    root = complex(-0.5 * 0.0017 * square, np.sqrt(square - (0.5 * 0.0017 * square) ** 2))
    t = 0.02
    sim.advance(round(t / 1e-5))
    expected = 0.004 * np.exp(root.real * t) * (np.cos(root.imag * t) - root.real / root.imag * np.sin(root.imag * t))
    assert sim.state(f"L1.{Z}") == pytest.approx(expected, rel=1e-3, abs=1e-8)


def test_at_rest_it_is_in_series_with_the_spring_and_anti_roll_forces_pass_it_by() -> None:
    sim = hung("dynamic", "spring", "auxiliary_anti_roll")
    series = [spring_rate(sim, c) * stiffness(sim, c) / (spring_rate(sim, c) + stiffness(sim, c)) for c in WHEELS]
    expected = np.diag(series) + ROLL * np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert total_stiffness(sim) == pytest.approx(expected, rel=1e-6)
    assert stiffness(sim, "L1") == pytest.approx(430e3 * sim.parameter("L1.spring.ratio.rate") ** 2, rel=1e-12)


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_its_force_is_that_of_the_elements(travel: dict[str, float], speed: dict[str, float]) -> None:
    sim = hung("dynamic", "spring", "damper1")
    put(sim, travel, speed)
    sim.set_states({f"L1.{Z}": 0.006, f"R1.{Z}": -0.003, f"L1.{Z}.rate": 0.11, f"R1.{Z}.rate": -0.23})
    for c, word in (("L1", "front_left"), ("R1", "front_right")):
        force = sim.output(f"Suspension.Inst_Stiff_Force.{word}")
        elements = sim.output(f"Spring.Force_At_Wheel.{c}") + sim.output(f"Damper.Force_At_Wheel.{c}")
        assert force == pytest.approx(elements, rel=1e-12)
        moved = travel[c] - sim.state(f"{c}.{Z}")
        spring = sim.parameter(f"{c}.spring.ratio.rate")
        assert sim.output(f"Spring.Jounce.{c}") == pytest.approx(spring * moved, rel=1e-12)


def test_without_damping_a_run_keeps_its_energy() -> None:
    sim = hung("dynamic", "spring", step=1e-5)
    sim.set_parameters({f"{c}.series_stiffness.damping": 0.0 for c in WHEELS})
    put(sim, {"L1": 0.03, "R1": -0.02}, {"L1": 0.4})
    sim.set_states({f"L1.{Z}": 0.002})

    def energy(c: str) -> float:
        x, z = sim.state(f"{c}.jounce") - sim.state(f"{c}.{Z}"), sim.state(f"{c}.{Z}")
        mass = sim.parameter(f"{c}.series_stiffness.mass") * sim.parameter(f"{c}.series_stiffness.to_wheel")
        kinetic = sim.parameter(f"{c}.unsprung_mass") * sim.state(f"{c}.jounce.rate") ** 2
        kinetic += mass * sim.state(f"{c}.{Z}.rate") ** 2
        return 0.5 * (kinetic + spring_rate(sim, c) * x**2 + stiffness(sim, c) * z**2)

    before = {c: energy(c) for c in WHEELS}
    for _ in range(20):
        sim.advance(500)
        # the step gains (ω h)³/4 per step at ω = 370/s: 1.3e-8 · 1e4
        assert {c: energy(c) for c in WHEELS} == pytest.approx(before, rel=1e-3)


def test_what_a_step_cannot_resolve_is_remarked() -> None:
    data = {"kind": "dynamic", "stiffness": 400e3, "mass": 0.05}
    assert [key for key, _ in SeriesDynamic.model_validate(data).remarks()] == ["mass"]
    assert not list(SeriesDynamic.model_validate({**data, "mass": 3.0}).remarks())


def test_a_filter_delays_the_force_that_moves_it() -> None:
    """m z̈ = F_f − k z − c ż,  Ḟ_f = 2πf (F − F_f),  F = k_s (J − z): as a matrix, and at rest as without the filter."""
    sim = hung("filtered", "spring")
    put(sim, {})
    for c in WHEELS:
        r, k_s = sim.parameter(f"{c}.series_stiffness.to_wheel"), spring_rate(sim, c)
        k, m, w = 350e3 * r, 2.7 * r, 2 * math.pi * 41.0
        expected = np.array([[0, 1, 0], [-k / m, -0.0013 * k / m, 1 / m], [-w * k_s, 0, -w]])
        found = matrix_of(sim, f"{c}.{Z}", f"{c}.{Z}.rate", f"{c}.series_stiffness.passed_force")
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)
