"""Dampers between both wheels of an axle."""

from __future__ import annotations

import numpy as np
import pytest

from element_rig import PLACES, RATIOS, WHEELS, alone, pushes, put, scale_names, slope, third_damper_force


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_a_third_damper_dissipates_by_virtual_work(travel: dict[str, float], speed: dict[str, float]) -> None:
    sim = alone("third_damper")
    put(sim, travel, speed)
    slopes = {c: 0.5 * slope(f, travel[c]) for f, c in zip(RATIOS["third_damper"], WHEELS, strict=True)}
    v = -sum(slopes[c] * speed[c] for c in WHEELS)
    force = third_damper_force(v)
    assert sim.output("das_third_damper_data.velocity.front") == pytest.approx(v, rel=1e-8)
    assert sim.output("das_third_damper_data.force.front") == pytest.approx(force, rel=1e-7)
    acting = pushes(sim, dict.fromkeys(scale_names("third_damper"), 0.0))
    for c in WHEELS:
        assert acting[c] == pytest.approx(force * slopes[c], rel=1e-6)
    power = sum(acting[c] * speed[c] for c in WHEELS)
    assert power == pytest.approx(-force * v, rel=1e-6) and power < 0
    assert sim.output("das_third_damper_data.force_at_wheel.front") == pytest.approx(-acting["L1"], rel=1e-6)


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_a_roll_damper_dissipates_by_virtual_work(travel: dict[str, float], speed: dict[str, float]) -> None:
    sim = alone("roll_damper")
    put(sim, travel, speed)
    left, right = (slope(f, travel[c]) for f, c in zip(RATIOS["roll_damper"], WHEELS, strict=True))
    v = -(left * speed["L1"] - right * speed["R1"])
    acting = pushes(sim, dict.fromkeys(scale_names("roll_damper"), 0.0))
    assert sim.output("das_roll_damper_data.force.front") == pytest.approx(1700.0 * v, rel=1e-8)
    assert acting["L1"] == pytest.approx(1700.0 * v * left, rel=1e-6)
    assert acting["R1"] == pytest.approx(-1700.0 * v * right, rel=1e-6)
    assert sum(acting[c] * speed[c] for c in WHEELS) == pytest.approx(-1700.0 * v**2, rel=1e-6)


def test_pure_heave_leaves_a_roll_damper_alone() -> None:
    """Ends that move alike: their difference does not change."""
    sim = alone("roll_damper")
    travel = {"L1": 0.021, "R1": 0.033}
    left, right = (slope(f, travel[c]) for f, c in zip(RATIOS["roll_damper"], WHEELS, strict=True))
    put(sim, travel, {"L1": 0.4, "R1": 0.4 * left / right})
    assert sim.output("das_roll_damper_data.force.front") == pytest.approx(0.0, abs=1e-5)
    put(sim, travel, {"L1": 0.4, "R1": -0.4})
    assert abs(sim.output("das_roll_damper_data.force.front")) > 100.0


def test_over_a_cycle_a_third_damper_takes_the_area_of_its_loop() -> None:
    """∮ F dd over a sine of both wheels: the integral of F(v) v over time, all of it lost."""
    sim = alone("third_damper")
    w, n = 2 * np.pi * 1.7, 200
    lost = own = 0.0
    for i in range(n):
        phase = 2 * np.pi * i / n
        put(
            sim,
            {"L1": 0.03 * np.sin(phase), "R1": 0.02 * np.sin(phase + 0.6)},
            {"L1": 0.03 * w * np.cos(phase), "R1": 0.02 * w * np.cos(phase + 0.6)},
        )
        v = sim.output("das_third_damper_data.velocity.front")
        lost += sim.output("das_third_damper_data.force.front") * v / n
        own += third_damper_force(v) * v / n
    assert lost == pytest.approx(own, rel=1e-9) and lost > 10.0
