"""Whole cars with the further elements of suspensions: they stand, run steadily, and are told as they are."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from car_models import compact
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.standing import standing
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from polynomial_cars import table

X, LOADS = [-0.12, -0.05, 0.0, 0.06, 0.12], [1500.0, 3000.0, 4500.0, 6000.0, 8000.0]


def air(x: float, load: float) -> float:
    return load * (1 + 5.0 * x + 15.0 * x**2)


@lru_cache
def elaborate() -> jv.Vehicle:
    """Air springs in front that find their load; behind a series stiffness, a third spring and damper, friction."""
    ratio = compact().front_suspension.spring.ratio
    assert ratio is not None
    return compact(**{
        "front_suspension.spring": {
            "kind": "air", "force": table(air, X, LOADS), "trim_load": 4100.0, "auto_trim": True, "ratio": 0.93,
        },
        "front_suspension.elements": [
            {"kind": "friction", "force": 70.0, "stiffness": 9e4},
            {"kind": "inerter", "inertance": 40.0, "ratio": 0.8},
        ],
        "rear_suspension.series_stiffness": {"stiffness": 310e3, "location": "wheel", "right": {"stiffness": 280e3}},
        "rear_suspension.elements": [
            {"kind": "central_spring", "rate": 9e3, "preload": 0.0, "ratio": 0.9},
            {"kind": "central_damper", "rate": 700.0, "ratio": 0.8},
            {"kind": "friction", "force": 60.0, "stiffness": 8e4},
        ],
    })  # fmt: skip


@lru_cache
def description() -> car.Description:
    return car.describe(elaborate())


def settled(mass: float = 0.0) -> Simulation:
    vehicle = elaborate()
    if mass:
        vehicle = vehicle.with_(**{"body.added_masses[0].mass": vehicle.body.added_masses[0].mass + mass})
        assert vehicle.structure_key() == elaborate().structure_key()
    found = car.describe(vehicle)
    sim = car.simulation(found)
    settle(sim, found, method="newton")
    return sim


def test_air_springs_stand_at_design_whatever_the_load() -> None:
    """d = 0 in front, and a load that grows by what the front axle takes of 200 kg; then it is held in a run."""
    one, other = settled(), settled(200.0)
    loads = []
    for sim in (one, other):
        for c in ("L1", "R1"):
            assert sim.output(f"Spring.Jounce.{c}") == pytest.approx(0.0, abs=1e-9)
            assert sim.output(f"Spring.Force_At_Spring.{c}") == pytest.approx(
                sim.output(f"Spring.Trim_Load.{c}"), rel=1e-6
            )
        loads.append(sim.output("Spring.Trim_Load.L1"))
        before = sim.state("L1.spring.trim_change")
        assert sim.parameter("L1.spring.trimming") == 0.0
        sim.advance(200)
        assert sim.state("L1.spring.trim_change") == before, "what was found stays"
        assert sim.state("L1.jounce") == pytest.approx(0.0, abs=1e-6)
    assert loads[1] > loads[0] + 300.0


def test_behind_a_series_stiffness_it_stands_in_balance() -> None:
    sim = settled()
    for c, words, k in (("L2", "rear_left", 310e3), ("R2", "rear_right", 280e3)):
        force = sim.output(f"Suspension.Inst_Stiff_Force.{words}")
        assert sim.state(f"{c}.series_stiffness.deflection") == pytest.approx(force / k, rel=1e-9)
        assert force == pytest.approx(sim.output(f"Spring.Aggregate_Force_At_Wheel.{c}"), rel=1e-9)
        weight = sim.output(f"Tire.Ground_Surface_Force_Z.{c}") - 9.80665 * sim.parameter(f"{c}.unsprung_mass")
        total = force + sim.output(f"Spring.Central_Force_At_Wheel.{c}")
        assert total == pytest.approx(weight, rel=0.02), "what the wheel carries"
    assert sim.output("Friction.Force_At_Wheel.L1") == 0.0, "sought without friction"


def test_figures_of_rates_know_them() -> None:
    """Wheel rate behind: series of spring and series stiffness, and half the third spring; in front the air spring."""
    found = standing(description())
    sim = settled()
    spring = elaborate().rear_suspension.spring
    assert spring is not None and spring.rate is not None
    slope = spring.deflection.constant
    assert slope is not None
    k_s = spring.scale * spring.rate * slope**2
    expected = k_s * 310e3 / (k_s + 310e3) + 0.5 * 9e3 * 0.9**2
    assert found["wheel_rate_rear"] * 1e3 == pytest.approx(expected, rel=1e-3)
    load = sim.output("Spring.Trim_Load.L1")
    assert found["wheel_rate_front"] * 1e3 == pytest.approx(0.93**2 * load * 5.0, rel=0.05)
    assert found["trim_load_L1"] == pytest.approx(load, rel=1e-6)
    keys = {row.key for rows in found.groups.values() for row in rows}
    assert "third_spring_force_rear" in keys


def test_it_runs_steadily_and_keeps_its_trim() -> None:
    sim = settled()
    before = [sim.state(f"{c}.spring.trim_change") for c in ("L1", "R1")]
    running = run_steadily(sim, description(), 25.0)
    assert running.residual < 1e-6
    assert [sim.state(f"{c}.spring.trim_change") for c in ("L1", "R1")] == before
    start = sim.state("chassis.vx")
    sim.advance(1000)
    assert sim.state("chassis.vx") == pytest.approx(start, rel=1e-3)
    assert all(np.isfinite(sim.x))


def test_an_empty_list_of_elements_is_the_car_without_them() -> None:
    """Nothing is paid for what is not there: the same structure, hence the same code."""
    plain: Any = compact()
    assert compact(**{"front_suspension.elements": []}).structure_key() == plain.structure_key()
