"""Dampers over speed and travel; the energy they take."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce.vehicle as jv
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
