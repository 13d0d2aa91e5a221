"""Vertical elasticity that no other element has."""

from __future__ import annotations

import pytest

from element_rig import PLACES, WHEELS, alone, matrix_of, pushes, put, scale_names, slope, straight, vertical_force

SCALE = {"L1": 1.0, "R1": 1.1}


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_it_is_a_force_at_the_wheel_over_both_travels(travel: dict[str, float], speed: dict[str, float]) -> None:
    sim = alone("vertical")
    put(sim, travel, speed)
    acting = pushes(sim, dict.fromkeys(scale_names("vertical"), 0.0))
    for c, other in (("L1", "R1"), ("R1", "L1")):
        force = SCALE[c] * vertical_force(travel[c], travel[other])
        assert sim.output(f"Spring.Force_Aux_At_Wheel.{c}") == pytest.approx(force, rel=1e-8)
        assert sim.output(f"Spring.Aggregate_Force_At_Wheel.{c}") == pytest.approx(force, rel=1e-8)
        assert acting[c] == pytest.approx(-force, rel=1e-6)


def test_it_adds_its_slope_to_the_wheel_rate() -> None:
    sim = alone("spring")
    straight(sim)
    put(sim, {"L1": 0.012, "R1": -0.02})
    names = [f"{c}.jounce.rate" for c in WHEELS] + [f"{c}.jounce" for c in WHEELS]
    before = matrix_of(sim, *names)
    sim.set_parameters(dict(zip(scale_names("vertical"), SCALE.values(), strict=True)))
    more = matrix_of(sim, *names) - before
    for i, (c, j, o) in enumerate((("L1", 0.012, -0.02), ("R1", -0.02, 0.012))):
        mass = sim.parameter(f"{c}.unsprung_mass")
        own = slope(lambda x, o=o: vertical_force(x, o), j)
        paired = slope(lambda x, j=j: vertical_force(j, x), o)
        assert -more[i, 2 + i] * mass == pytest.approx(SCALE[c] * own, rel=1e-6)
        assert -more[i, 3 - i] * mass == pytest.approx(SCALE[c] * paired, rel=1e-6)


def test_its_damping_is_in_proportion_to_its_stiffness_and_never_drives() -> None:
    sim = alone("vertical")
    for travel, speed in PLACES:
        put(sim, travel, speed)
        sim.set_parameters({f"{c}.element11.damping": 0.0 for c in WHEELS})
        still = {c: sim.output(f"Spring.Force_Aux_At_Wheel.{c}") for c in WHEELS}
        sim.set_parameters({"L1.element11.damping": 0.03, "R1.element11.damping": 0.02})
        for c, other, beta in (("L1", "R1", 0.03), ("R1", "L1", 0.02)):
            k = slope(lambda x, o=travel[other]: vertical_force(x, o), travel[c])
            added = sim.output(f"Spring.Force_Aux_At_Wheel.{c}") - still[c]
            assert added == pytest.approx(SCALE[c] * beta * max(k, 0.0) * speed[c], rel=1e-6, abs=1e-9)
            assert added * speed[c] >= 0.0
