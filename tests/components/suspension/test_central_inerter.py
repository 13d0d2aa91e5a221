"""Inerters between both wheels of an axle."""

from __future__ import annotations

import math

import pytest

from car_models import rates
from element_rig import PLACES, RATIOS, WHEELS, alone, pushes, put, scale_names, slope
from series_rig import hung


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_it_resists_heave_by_virtual_work(travel: dict[str, float], speed: dict[str, float]) -> None:
    """F = b d̈, d̈ = Σ ½ (m' J̈ + m'' J̇²); the power is the growth of ½ b ḋ²."""
    sim = alone("third_inerter", "spring")
    put(sim, travel, speed)
    found = rates(sim)
    second = rate = 0.0
    for f, c in zip(RATIOS["third_inerter"], WHEELS, strict=True):
        curved = (f(travel[c] + 1e-3) - 2 * f(travel[c]) + f(travel[c] - 1e-3)) / 1e-6
        second += 0.5 * (slope(f, travel[c]) * found[f"{c}.jounce.rate"] + curved * speed[c] ** 2)
        rate += 0.5 * slope(f, travel[c]) * speed[c]
    group = "third_inerter_data"
    assert sim.output(f"{group}.acceleration.front") == pytest.approx(-second, rel=1e-7)
    assert sim.output(f"{group}.velocity.front") == pytest.approx(-rate, rel=1e-8)
    assert sim.output(f"{group}.force.front") == pytest.approx(-83.0 * second, rel=1e-7)
    acting = pushes(sim, dict.fromkeys(scale_names("third_inerter"), 0.0))
    for f, c in zip(RATIOS["third_inerter"], WHEELS, strict=True):
        assert acting[c] == pytest.approx(-83.0 * second * 0.5 * slope(f, travel[c]), rel=1e-5)
    assert -sum(acting[c] * speed[c] for c in WHEELS) == pytest.approx(83.0 * second * rate, rel=1e-5)
    assert sim.output(f"{group}.force_at_wheel.front") == pytest.approx(-acting["L1"], rel=1e-5)


def test_opposite_ends_do_not_feel_it() -> None:
    """Forces that move the ends alike but opposite: no acceleration of the inerter, no force."""
    sim = alone("third_inerter")
    put(sim, {"L1": 1e-9, "R1": 1e-9})
    left, right = (0.5 * slope(f, 0.0) for f in RATIOS["third_inerter"])
    before = pushes(sim, dict.fromkeys(scale_names("third_inerter"), 0.0))
    assert all(abs(value) < 1e-9 for value in before.values()), "nothing accelerates"
    assert left != pytest.approx(right)


def test_a_mono_inerter_through_a_filter_takes_what_is_stored_or_lost() -> None:
    """F ḋ = d/dt ½ b p² + F²/c, c = 2πf b; a damper beside it, filtered, likewise with k = 2πf c."""
    sim = hung("dynamic", "axle1.element3", "axle1.element4")
    for travel, speed in PLACES:
        put(sim, travel, speed)
        sim.set_states({"axle1.element3.speed": 0.09, "axle1.element4.passed_force": -140.0})
        found = rates(sim)
        rate = 0.35 * (speed["L1"] + speed["R1"])
        force = 52.0 * found["axle1.element3.speed"]
        assert sim.output("ins_inerter_data.force.front") == pytest.approx(-force, rel=1e-9)
        lost = force**2 / (52.0 * 2 * math.pi * 23.0)
        assert force * rate == pytest.approx(52.0 * 0.09 * found["axle1.element3.speed"] + lost, rel=1e-9)
        v = -0.4 * (speed["L1"] + speed["R1"])
        stored = -140.0 * found["axle1.element4.passed_force"] / (2 * math.pi * 17.0 * 1250.0)
        assert -140.0 * v == pytest.approx(stored + 140.0**2 / 1250.0, rel=1e-9)
        assert sim.output("das_ride_damper_data.force.front") == -140.0
