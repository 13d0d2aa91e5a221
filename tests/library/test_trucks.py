"""The library's trucks and trains: their files are those of the targets, they stand by levers at design."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path

import pytest

import jounce.vehicle as jv
from jounce.core.constants import GRAVITY
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics
from jounce.vehicle import layout_text

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))  # generators are no part of the package

import classes
import make_trucks

LAYOUTS = {
    "box_van": "I_S",
    "car_caravan": "V_I__I",
    "rigid_truck": "S_SS",
    "tractor_semitrailer": "S_SS__SSS",
}


@lru_cache
def description(name: str) -> car.Description:
    return car.describe(jv.load(name))


def standing(name: str) -> Simulation:
    sim = car.simulation(description(name))
    statics.settle(sim, description(name))
    return sim


def test_their_files_are_those_of_the_targets() -> None:
    assert sorted(make_trucks.TRUCKS) == sorted(classes.TRUCKS)
    assert {name: sorted(make_trucks.changes(name)) for name in classes.TRUCKS} == {name: [] for name in classes.TRUCKS}


@pytest.mark.parametrize("name", classes.TRUCKS)
def test_provenance_symmetry_and_layout(name: str) -> None:
    vehicle = jv.load(name)
    assert vehicle.provenance is not None
    assert (vehicle.provenance.author, vehicle.provenance.licence) == ("the jounce authors", "CC0-1.0")
    assert vehicle.provenance.guessed and vehicle.provenance.source and vehicle.category == name
    assert vehicle.remarks() == []
    for unit in vehicle.layout.units:
        assert unit.data.body.centre()[1] == 0
    assert str(layout_text.of(vehicle)) == LAYOUTS[name]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n == "rigid_truck" else []) for n in classes.TRUCKS]
)
def test_it_stands_at_design_with_the_loads_of_levers(name: str) -> None:
    """Levers at design; at rest wheels are where tires let them, so that arms differ by 1e-4 of their lengths.

    The caravan leans on the suv, which pitches by 0.6 deg: its centre of gravity, 0.7 m up, goes 7 mm back, which moves
    50 N of its 20 kN over a wheelbase of 2.8 m. The caravan pitches as much, and less of that is on its wheels.
    """
    vehicle, sim = jv.load(name), standing(name)
    expected, total = make_trucks.loads(vehicle), 0.0
    for axle in vehicle.layout.axles:
        leans = name == "car_caravan"
        tires = [t for t, wheel in vehicle.layout.tires.items() if wheel.axle.number == axle.number]
        found = sum(sim.output(f"Tire.Ground_Surface_Force_Z.{tire}") for tire in tires)
        assert found == pytest.approx(expected[axle.number], rel=2e-4, abs=50.0 if leans else 0.0), axle.number
        total += found
        if not leans:
            # heights are written to 0.1 mm, preloads to 1 N of 20 N/mm and more
            assert all(abs(sim.state(wheel.travel)) < 3e-4 for wheel in axle.wheels)
    assert total == pytest.approx(vehicle.mass() * GRAVITY, rel=1e-6)
