"""Springs: preload, virtual work, ratio, force over length."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from four_wheels import CORNERS
from polynomial_cars import (
    MOVING,
    POSED,
    PRELOAD,
    TORSION,
    TRAVEL,
    acts,
    put,
    rig,
    root,
    slope,
    spring_force,
    spring_ratio,
    table,
)


def test_at_design_a_spring_has_its_preload(independent: jv.Vehicle, dependent: jv.Vehicle) -> None:
    """Given over deflection, over length, and as a rate with a scale."""
    sim = rig(independent)
    assert sim.output("Spring.Force_At_Spring.L1") == pytest.approx(PRELOAD, rel=1e-9)
    assert sim.output("Spring.Force_At_Spring.L2") == 0.0
    sim = rig(dependent)
    assert sim.output("Spring.Force_At_Spring.R1") == pytest.approx(3900.0, rel=1e-9)
    assert sim.output("Spring.Force_At_Spring.R2") == pytest.approx(2822.0, rel=1e-9)


def test_a_spring_acts_by_virtual_work(independent: jv.Vehicle) -> None:
    """Q = −F(c0 + d) ∂d/∂J, and F_w J̇ = F ḋ."""
    sim = rig(independent)
    start = root(lambda c: spring_force(c) - PRELOAD, 0.0, 0.3)
    put(sim, POSED, MOVING)
    acting = acts(sim, {f"{c}.spring.scale": 0.0 for c in CORNERS})
    for place in ("L1", "R1"):
        j = POSED[place]
        force = spring_force(start + spring_ratio(j))
        assert sim.output(f"Spring.Force_At_Spring.{place}") == pytest.approx(force, rel=1e-9)
        assert acting[place] == pytest.approx(-force * slope(spring_ratio, j), rel=1e-6)
    for place in ("L2", "R2"):
        assert acting[place] == pytest.approx(-TORSION * 4.0**2 * POSED[place], rel=1e-6)
    for place in CORNERS:
        at_wheel = sim.output(f"Spring.Force_At_Wheel.{place}")
        assert acting[place] == pytest.approx(-at_wheel, rel=1e-6)
        work = sim.output(f"Spring.Force_At_Spring.{place}") * sim.output(f"Spring.Jounce_Rate.{place}")
        assert at_wheel * MOVING[place] == pytest.approx(work, rel=1e-12)


def test_a_ratio_without_a_knot_at_design_is_zero_there(independent: jv.Vehicle) -> None:
    """In the interpolation that the car uses; so the preload is the force at design."""
    sim = rig(independent.with_(**{"front_suspension.spring.ratio": table(spring_ratio, TRAVEL)}))
    assert sim.output("Spring.Force_At_Spring.L1") == pytest.approx(PRELOAD, rel=1e-9)


def test_a_spring_over_length(dependent: jv.Vehicle) -> None:
    sim = rig(dependent)

    def law(x: float) -> float:
        return 3500.0 - 2.5e4 * x + 4e4 * x**2

    start = root(lambda x: law(x) - 3900.0, -0.15, 0.15)
    put(sim, {"L1": 0.06})
    assert sim.output("Spring.Force_At_Spring.L1") == pytest.approx(law(start - 0.95 * 0.06), rel=1e-9)


def test_a_longer_push_rod_shifts_the_travel_at_which_the_spring_is(independent: jv.Vehicle) -> None:
    """d = m(J + Δ), left and right unlike; its force on the wheel by virtual work, with the slope there."""
    rods = {"L1": 0.013, "R1": -0.021}
    car = independent.with_(
        **{"front_suspension.spring.pushrod": rods["L1"], "front_suspension.spring.right.pushrod": rods["R1"]}
    )
    sim = rig(car)
    start = root(lambda c: spring_force(c) - PRELOAD, 0.0, 0.3)
    put(sim, POSED, MOVING)
    acting = acts(sim, {f"{c}.spring.scale": 0.0 for c in CORNERS})
    for place, rod in rods.items():
        j = POSED[place] + rod
        force = spring_force(start + spring_ratio(j))
        assert sim.output(f"Spring.Jounce.{place}") == pytest.approx(spring_ratio(j), abs=1e-12)
        assert sim.output(f"Spring.Force_At_Spring.{place}") == pytest.approx(force, rel=1e-9)
        assert acting[place] == pytest.approx(-force * slope(spring_ratio, j), rel=1e-6)
