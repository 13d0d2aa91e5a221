"""Inerters: inertia of the model, or force through a filter."""

from __future__ import annotations

import math

import numpy as np
import pytest

from car_models import rates
from element_rig import PLACES, RATIOS, TRAVEL, WHEELS, alone, matrix_of, pushes, put, scale_names, slope, straight
from jounce.components.suspension.inerter import Inerter
from series_rig import hung, progressive

OFF = dict.fromkeys(scale_names("inerter"), 0.0)
FOLLOWED = "element2"


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_it_resists_the_acceleration_between_its_ends_by_virtual_work(
    travel: dict[str, float], speed: dict[str, float]
) -> None:
    """F = b d̈ with d̈ = r J̈ + r' J̇², at the wheel F r; what it does is that force, not more mass that falls."""
    sim = alone("inerter", "spring")
    put(sim, travel, speed)
    acceleration, acting = rates(sim), pushes(sim, OFF)
    for c, ratio in zip(WHEELS, RATIOS["inerter"], strict=True):
        j, u = travel[c], speed[c]
        r = slope(ratio, j)
        # the second derivative of a polynomial of second order by differences: rounding 1e-16/1e-6
        curved = (ratio(j + 1e-3) - 2 * ratio(j) + ratio(j - 1e-3)) / 1e-6
        force = 61.0 * (r * acceleration[f"{c}.jounce.rate"] + curved * u**2)
        assert sim.output(f"Inerter.Force_At_Inerter.{c}") == pytest.approx(force, rel=1e-7)
        assert sim.output(f"Inerter.Force_At_Wheel.{c}") == pytest.approx(force * r, rel=1e-7)
        assert sim.output(f"Inerter.Jounce_Rate.{c}") == pytest.approx(r * u, rel=1e-8)
        assert acting[c] == pytest.approx(-force * r, rel=1e-6) and abs(force) > 50.0
    # power: what it takes is the growth of ½ b ḋ²
    taken = -sum(acting[c] * speed[c] for c in WHEELS)
    stored = sum(
        61.0 * sim.output(f"Inerter.Jounce_Rate.{c}") * sim.output(f"Inerter.Jounce_Acceleration.{c}") for c in WHEELS
    )
    assert taken == pytest.approx(stored, rel=1e-6)


def test_the_frequency_is_that_of_mass_and_inertance_on_the_spring() -> None:
    """√(k r_s² / (m + b r²)) of a wheel on its spring against a heavy body."""
    sim = alone("inerter", "spring")
    straight(sim)
    put(sim, {})
    for c, ratio in zip(WHEELS, RATIOS["inerter"], strict=True):
        spring, r = sim.parameter(f"{c}.spring.ratio.rate"), slope(ratio, 0.0)
        stiffness = sim.parameter(f"{c}.spring.rate") * spring**2
        mass = sim.parameter(f"{c}.unsprung_mass")
        for b in (0.0, 61.0, 240.0):
            sim.set_parameters({f"{c}.element1.inertance": b})
            a = matrix_of(sim, f"{c}.jounce", f"{c}.jounce.rate")
            # 1e-6: rounding of the differences, 1e-16 · 1e4/1e-6
            assert -a[1, 0] == pytest.approx(stiffness / (mass + b * r**2), rel=1e-6)


def test_a_run_with_an_inerter_keeps_its_energy() -> None:
    sim = alone("inerter", "spring", step=1e-4)
    straight(sim)
    put(sim, TRAVEL, {"L1": 0.5, "R1": -0.3})

    def energy() -> float:
        total = 0.0
        for c in WHEELS:
            k = sim.parameter(f"{c}.spring.rate") * sim.parameter(f"{c}.spring.ratio.rate") ** 2
            moving = sim.parameter(f"{c}.unsprung_mass") * sim.state(f"{c}.jounce.rate") ** 2
            total += 0.5 * (k * sim.state(f"{c}.jounce") ** 2 + moving)
            total += 0.5 * 61.0 * sim.output(f"Inerter.Jounce_Rate.{c}") ** 2
        return total

    before = energy()
    travels = []
    for _ in range(30):
        sim.advance(100)
        travels.append(sim.state("L1.jounce"))
        # the second-order step loses (ω h)³/8 of the amplitude per step: 1e-8 · 3000 at ω = 20
        assert energy() == pytest.approx(before, rel=1e-4)
    assert min(travels) < -0.02 < 0.02 < max(travels), "it swings"


def test_through_a_filter_it_is_an_inerter_in_series_with_a_damper() -> None:
    """m J̈ + k J + r c (r J̇ − p) = 0, b ṗ = c (r J̇ − p), c = 2πf b; and with f → ∞ that of the exact one."""
    sim = alone("followed", "spring")
    straight(sim)
    put(sim, {})
    found = {}
    for c, ratio in zip(WHEELS, RATIOS["followed"], strict=True):
        r, mass = slope(ratio, 0.0), sim.parameter(f"{c}.unsprung_mass")
        k = sim.parameter(f"{c}.spring.rate") * sim.parameter(f"{c}.spring.ratio.rate") ** 2
        for f in (31.0, 8.0, 1e4):
            sim.set_parameters({f"{c}.{FOLLOWED}.cutoff": f})
            w, b = 2 * math.pi * f, 47.0
            damper = b * w
            expected = np.array([[0, 1, 0], [-k / mass, -(r**2) * damper / mass, r * damper / mass], [0, w * r, -w]])
            names = (f"{c}.jounce", f"{c}.jounce.rate", f"{c}.{FOLLOWED}.speed")
            a = matrix_of(sim, *names)
            assert a == pytest.approx(expected, rel=1e-6, abs=1e-6 * abs(expected).max())
            found[f] = np.abs(np.linalg.eigvals(a)).min()
        assert found[1e4] == pytest.approx(math.sqrt(k / (mass + 47.0 * r**2)), rel=1e-3)
        assert abs(found[8.0] / found[1e4] - 1) > 1e-2


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_what_the_filter_takes_is_stored_or_lost(travel: dict[str, float], speed: dict[str, float]) -> None:
    """F ḋ = d/dt ½ b p² + F²/c."""
    sim = alone("followed")
    put(sim, travel, speed)
    sim.set_states({"L1.element2.speed": 0.07, "R1.element2.speed": -0.23})
    acting = pushes(sim, dict.fromkeys(scale_names("followed"), 0.0))
    found = rates(sim)
    power = 0.0
    for c in WHEELS:
        b, w = 47.0, 2 * math.pi * 31.0
        force = b * found[f"{c}.element2.speed"]
        power += b * sim.state(f"{c}.element2.speed") * found[f"{c}.element2.speed"] + force**2 / (b * w)
    assert -sum(acting[c] * speed[c] for c in WHEELS) == pytest.approx(power, rel=1e-6)
    assert abs(power) > 1.0


def test_a_curve_over_acceleration_needs_the_filter() -> None:
    table = {"x": [-50.0, 0.0, 50.0], "y": [-2000.0, 0.0, 2500.0]}
    with pytest.raises(ValueError, match="needs the filter"):
        Inerter.model_validate({"kind": "inerter", "force": table})
    assert Inerter.model_validate({"kind": "inerter", "force": table, "cutoff": "50 Hz"}).cutoff == 50.0
    with pytest.raises(ValueError, match="inertance and force are both given"):
        Inerter.model_validate({"kind": "inerter", "force": table, "inertance": 3.0, "cutoff": 50.0})
    with pytest.raises(ValueError, match="give inertance or force"):
        Inerter.model_validate({"kind": "inerter"})


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_a_curve_over_acceleration(travel: dict[str, float], speed: dict[str, float]) -> None:
    """F = scale · force(2πf (ḋ − p)), at the wheel times the ratio; past a series stiffness."""
    sim = hung("filtered", "element1")
    put(sim, travel, speed)
    sim.set_states({"L1.element1.speed": 0.11, "R1.element1.speed": -0.4})
    sim.set_states({f"{c}.series_stiffness.deflection.rate": 0.2 for c in WHEELS})
    acting = pushes(sim, {f"{c}.element1.scale": 0.0 for c in WHEELS})
    for c, ratio, f, scale in (("L1", 0.8, 29.0, 1.0), ("R1", 0.7, 37.0, 0.9)):
        acceleration = 2 * math.pi * f * (ratio * speed[c] - sim.state(f"{c}.element1.speed"))
        force = scale * progressive(acceleration)
        assert sim.output(f"Inerter.Force_At_Inerter.{c}") == pytest.approx(force, rel=1e-8)
        assert acting[c] == pytest.approx(-force * ratio, rel=1e-6)
        assert rates(sim)[f"{c}.element1.speed"] == pytest.approx(acceleration, rel=1e-12)
