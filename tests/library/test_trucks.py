"""The library's trucks and trains: their files are those of the targets, they stand by levers at design."""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from pathlib import Path

import pytest

import jounce.vehicle as jv
from jounce.core.constants import GRAVITY
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.standing import Standing
from jounce.sim.standing import standing as show
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
def standing(name: str) -> tuple[Simulation, Standing]:
    """At rest, with the figures of ``jounce show``."""
    description = car.describe(jv.load(name))
    sim = car.simulation(description)
    return sim, show(description, sim)


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
    assert str(layout_text.of(vehicle)) == LAYOUTS[name] == vehicle.model_layout


EVERY = pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n == "rigid_truck" else []) for n in classes.TRUCKS]
)


@EVERY
def test_it_stands_at_design_with_the_loads_of_levers(name: str) -> None:
    """Levers at design; at rest wheels are where tires let them, so that arms differ by 1e-4 of their lengths.

    The caravan leans on the suv, which pitches by 0.6 deg: its centre of gravity, 0.7 m up, goes 7 mm back, which moves
    50 N of its 20 kN over a wheelbase of 2.8 m. The caravan pitches as much, and less of that is on its wheels.
    """
    vehicle, (sim, _) = jv.load(name), standing(name)
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


@EVERY
def test_it_shows_the_figures_of_its_targets(name: str) -> None:
    """Wheel rates and roll stiffness by differences of the model, those of the targets by formulas of the tool.

    Stiffness that lies inboard of the wheels, is shared by axles or is both is that of wheels that move together.
    Preloads and rates are written with 1e-3; ratios of leaves and struts are one. Tables of stops begin far away.
    """
    vehicle, (_, report) = jv.load(name), standing(name)
    for file, target in make_trucks.TRUCKS[name].axles.items():
        (axle,) = [a for a in vehicle.layout.axles if make_trucks.is_its(a, file, target)]
        mass = make_trucks.loads(vehicle)[axle.number] / GRAVITY
        mass -= 2 * target.unsprung + (target.beam.mass if target.beam else 0.0)
        rate = (2 * math.pi * target.frequency) ** 2 * mass / 2
        # friction of leaves is stiff at rest: it adds its own stiffness to the rate
        free = target.friction == 0.0
        if free:
            assert report[f"wheel_rate_{axle.word}"] == pytest.approx(1e-3 * rate, rel=3e-3)
            assert report[f"roll_stiffness_{axle.word}"] == pytest.approx(target.roll_stiffness, rel=3e-3)
    assert report["mass"] == pytest.approx(vehicle.mass(), rel=1e-12)


def test_loads_of_axles_groups_and_coupling_are_those_of_levers() -> None:
    expected, (_, report) = make_trucks.loads(jv.load("tractor_semitrailer")), standing("tractor_semitrailer")
    assert report["load_group_rear"] == pytest.approx(expected[2] + expected[3], rel=2e-4)
    assert report["load_group_axle4"] == pytest.approx(3 * expected[5], rel=2e-4)
    towed = report["mass_unit2"] * GRAVITY
    assert report["coupling_load_unit2"] == pytest.approx(towed - 3 * expected[5], rel=2e-3)
    assert report["coupling_weight_unit2"] == pytest.approx(100 * (1 - 3 * expected[5] / towed), rel=2e-3)
    # the tractor alone, by its bodies: 9.2 t, its front axle by the lever to the middle of the tandem
    share = (3.935 - report["cg_x"]) / 3.935
    assert report["front_weight"] == pytest.approx(100 * share, rel=1e-4)
    assert report["mass_unit1"] + report["mass_unit2"] == pytest.approx(report["mass"], rel=1e-12)


def test_modes_are_told_by_what_moves_most() -> None:
    """The box on its springs in series with its tires, the fifth wheel within its lash: ½π⁻¹ √((K − m g h)/I).

    Wheels that are free to roll and tires that are free to creep hold nothing sideways: it rolls about its own centre
    of gravity, so that its inertia is that about it, and its weight topples it by its height above the road. Axles
    that roll with it on the tires, and damping of 0.14, take some per cent from it.
    """
    _, report = standing("tractor_semitrailer")
    found = {mode.name: mode for mode in report.modes}
    assert {"semitrailer roll", "semitrailer pitch", "cab roll", "cab z"} <= found.keys()
    tires = 3 * 0.5 * 2.04**2 * 1150e3
    springs = report["roll_stiffness_unit2"] * 180 / math.pi
    stiffness = springs * tires / (springs + tires)
    box, load = (4600.0, 1.55, 6300.0), (24000.0, 2.12, 24000.0 * (2.40**2 + 1.84**2) / 12)
    mass = box[0] + load[0]
    height = (box[0] * box[1] + load[0] * load[1]) / mass
    inertia = sum(i + m * (h - height) ** 2 for m, h, i in (box, load))
    expected = math.sqrt((stiffness - mass * GRAVITY * height) / inertia) / (2 * math.pi)
    assert found["semitrailer roll"].frequency == pytest.approx(expected, rel=0.04)
    assert found["semitrailer roll"].damping == pytest.approx(0.14, abs=0.03)


def test_wheels_of_a_steered_solid_axle_steer_by_the_table_and_with_its_beam() -> None:
    """Left by the table at the travel of the drag link, right by its mirror image; a beam that rolls steers both."""
    sim, _ = standing("tractor_semitrailer")
    steered = make_trucks.TRUCKS["tractor_semitrailer"].steering
    assert steered is not None
    travel, was = 0.61 * steered.most * make_trucks.DEG * steered.arm, sim.x.copy()
    for sign in (1.0, -1.0):
        sim.set_states({"steering.rack": sign * travel * steered.ratio / steered.arm})  # a turn of the gear
        left, right = (sim.output(f"Wheel.Spindle_Steer.{side}1") for side in "LR")
        # the table has steps of 4 deg: a spline of a smooth curve through them is right to 1e-4
        assert left == pytest.approx(make_trucks.steer_angle(steered, sign * travel / steered.arm), rel=1e-3)
        assert right == pytest.approx(-make_trucks.steer_angle(steered, -sign * travel / steered.arm), rel=1e-3)
    roll, half = 0.031, 2.05 / 2
    up = half * math.sin(roll)
    sim.set_states({"steering.rack": 0.0, "L1.jounce": up, "R1.jounce": -up})
    for side in "LR":  # against the body, whose axles are turned by nothing
        assert sim.output(f"Wheel.Spindle_Steer.{side}1") == pytest.approx(0.06 * roll, rel=1e-2)
    sim.x[:] = was
