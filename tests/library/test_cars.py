"""The library's cars: they load, stand at design height, and show the figures of their class."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import jounce.vehicle as jv
from compliant_cars import modes, scaled
from counting import calls
from four_wheels import CORNERS
from jounce.components.suspension.guidance import MAPS
from jounce.core.constants import GRAVITY
from jounce.results.plausibility import ranges
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics, steady
from jounce.sim.stability import growth
from jounce.sim.standing import brake_shares
from jounce.vehicle import composed
from jounce.vehicle.library_figures import hash_of, stored

sys.path.insert(
    0, str(Path(__file__).resolve().parents[2] / "tools")
)  # generators and figures are no part of the package

import car_figures
import classes
import make_compliance
import make_figures
import trim_cars
from kinematics.ranges import RANGES as KINEMATIC

CARS = [*classes.CLASSES, *classes.ELECTRIFIED]


@pytest.fixture(scope="module")
def cars() -> dict[str, jv.Vehicle]:
    return {name: jv.load(name) for name in CARS}


def test_the_library_has_these_cars() -> None:
    assert sorted(jv.library_names()) == sorted([*CARS, *classes.TRUCKS])


@pytest.mark.parametrize("name", CARS)
def test_figures_are_those_of_the_class(name: str) -> None:
    print(car_figures.table(name))  # shown by pytest -rP
    print("  waiting:", *(f"{what}: {why}" for what, why in classes.WAITING.items()), sep="\n    ")
    rows = car_figures.compare(name)
    assert [row for row in rows if not row[-1]] == []


@pytest.mark.parametrize("name", CARS)
def test_every_range_has_its_figure(name: str) -> None:
    computed = {row[0] for row in car_figures.compare(name)}
    wanted = {figure for figure in (*classes.RANGES, *KINEMATIC) if classes.range_of(figure, name) is not None}
    assert wanted == computed


@pytest.mark.parametrize("name", CARS)
def test_provenance_and_symmetry(cars: dict[str, jv.Vehicle], name: str) -> None:
    car = cars[name]
    assert car.provenance is not None
    assert (car.provenance.author, car.provenance.licence) == ("the jounce authors", "CC0-1.0")
    assert car.provenance.guessed and car.provenance.source
    assert car.remarks() == []
    assert all(item.location.y == 0 for item in car.body.added_masses)
    assert car.body.cg is not None and car.body.cg.y == 0
    carried = ["driver"] if name == "bev" else ["driver", "fuel"]
    assert [item.name for item in car.body.added_masses] == carried
    assert car.body.added_masses[0].mass == 75


def test_heights_and_preloads_are_those_of_the_static_loads() -> None:
    assert {name: sorted(trim_cars.changes(name)) for name in CARS} == {name: [] for name in CARS}


def test_compliance_and_friction_are_those_of_the_targets(cars: dict[str, jv.Vehicle]) -> None:
    assert {name: sorted(make_compliance.changes(name)) for name in make_compliance.CARS} == {
        name: [] for name in make_compliance.CARS
    }
    for vehicle in cars.values():
        for axle in (1, 2):
            suspension = vehicle.suspension(axle)
            assert suspension.compliance is not None and suspension.compliance.properties == MAPS
            (friction,) = [item for item in suspension.elements if item.kind == "friction"]
            assert 15 < friction.force < 400


@pytest.mark.parametrize("name", CARS)
def test_steer_of_an_axle_does_work_whichever_way_it_is_loaded(cars: dict[str, jv.Vehicle], name: str) -> None:
    """Maxwell: what F_y turns a wheel by is what M_z shifts it by, of its own load and of that of the other wheel."""
    for axle in (1, 2):
        found = cars[name].suspension(axle).compliance
        assert found is not None and found.toe is not None and found.y is not None
        for toe, y in ((found.toe, found.y), (found.cross and found.cross.toe, found.cross and found.cross.y)):
            if toe is not None:
                # four digits in the files
                assert y.mz.curve.constant == pytest.approx(-toe.fy.curve.constant, rel=1e-3)


def test_stored_figures_are_those_of_the_files_and_inside_their_ranges() -> None:
    """By a hash of the files; that the figures themselves are up to date is a slow test."""
    known = stored()
    assert {name: item["hash"] for name, item in known.items()} == {name: hash_of(name) for name in known}
    for name in CARS:
        limits, found = ranges(jv.load(name).category), known[name]["figures"]
        assert len(found) >= 45
        outside = {
            key: item for key, item in found.items() if not limits[key].contains(item["value"], limits[key].unit)
        }
        assert outside == {}
        longitudinal = {"t_0_100", "stopping_distance", "mfdd", "brake_front_share", "drag_area", "rolling_resistance"}
        # hybrids burn less than the range of their class, single-seaters drive no cycles
        longitudinal |= set() if name in ("hybrid", "formula") else {"consumption"}
        assert longitudinal <= set(found)


@pytest.mark.parametrize("name", CARS)
def test_front_share_of_the_brakes_is_that_of_the_textbook(cars: dict[str, jv.Vehicle], name: str) -> None:
    assert 100 * brake_shares(cars[name])[1] == pytest.approx(car_figures.figures(cars[name])["brake_share"], rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", CARS)
def test_stored_figures_are_what_the_car_does(name: str) -> None:
    assert make_figures.moved(name, stored()[name], make_figures.figures(name)) == []


@pytest.mark.parametrize("name", CARS)
def test_maps_reach_as_far_as_the_stops_allow(cars: dict[str, jv.Vehicle], name: str) -> None:
    figures = car_figures.figures(cars[name])
    for axle, place in ((1, "front"), (2, "rear")):
        for curve in (getattr(cars[name].suspension(axle), m).curve for m in ("x", "y", "toe", "camber")):
            assert curve.x[0] < -1e-3 * figures[f"droop_travel_{place}"]
            assert curve.x[-1] > 1e-3 * figures[f"bump_travel_{place}"]


@pytest.mark.parametrize("name", CARS)
def test_dampers_and_stops_are_monotonic_between_their_knots(cars: dict[str, jv.Vehicle], name: str) -> None:
    car = cars[name]
    for axle in (1, 2):
        suspension = car.suspension(axle)
        assert suspension.bump_stop is not None and suspension.rebound_stop is not None
        tables = [suspension.dampers[0].force, suspension.bump_stop.force, suspension.rebound_stop.force]
        for curve in tables:
            assert curve is not None
            fine = np.linspace(curve.x[0], curve.x[-1], 2001)
            values = curve.table(method=car.system.splines.method)(fine)
            assert (np.diff(values) > 0).all()


def test_a_car_of_the_library_is_loaded_without_parsing_its_text_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser of YAML takes most of the time of a first reading; what it found is kept by content."""
    first = jv.load("sedan")

    def parsed(*_: object) -> None:
        raise AssertionError("the text was parsed again")

    monkeypatch.setattr(composed, "parser", parsed)
    again: list[jv.Vehicle] = []
    assert calls(lambda: again.append(jv.load("sedan"))) < 400_000  # 160 000 when it was written
    assert again[0] == first


def standing(vehicle: jv.Vehicle, friction: float = 1.0) -> Simulation:
    description = car.describe(vehicle)
    sim = car.simulation(description)
    sim.set_parameters({"ground.friction": friction})
    statics.settle(sim, description)
    return sim


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name not in ("sedan", "light_truck") else []) for name in CARS],
)
def test_the_model_stands_at_design_height(cars: dict[str, jv.Vehicle], name: str) -> None:
    vehicle = cars[name]
    sim = standing(vehicle)
    loads = trim_cars.wheel_loads(vehicle)
    found = {c: sim.output(f"Tire.Ground_Surface_Force_Z.{c}") for c in CORNERS}
    assert sum(found.values()) == pytest.approx(vehicle.mass() * GRAVITY, rel=1e-5)
    for corner, (axle, _) in CORNERS.items():
        # Static camber moves the contact point by r γ, so that the load has a moment about the map's instant axis, too:
        # r γ dγ/dJ is 0.3 % of the load, and 0.4 mm of spring travel, at the most.
        assert abs(sim.state(f"{corner}.jounce")) < 1e-3
        assert found[corner] == pytest.approx(loads[axle - 1], rel=2e-3)
    if vehicle.driveline is not None and vehicle.driveline.engine is not None:  # it idles, and pushes nothing
        assert sim.output("Engine.engine_rpm") == pytest.approx(vehicle.driveline.engine.idle_speed, rel=1e-9)
        assert [sim.output(f"Tire.Ground_Surface_Force_X.{c}") for c in CORNERS] == pytest.approx([0.0] * 4, abs=0.5)
    height = vehicle.body.sprung()[0][1][2]
    assert sim.state("chassis.z") == pytest.approx(height, abs=1e-3)
    assert found["L1"] == pytest.approx(found["R1"], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", CARS)
def test_a_load_beside_the_middle_rolls_the_model_as_the_stiffnesses_say(
    cars: dict[str, jv.Vehicle], name: str
) -> None:
    """φ = M/(K_1 + K_2 - m_s g h_r + Σ dM_x/dφ): springs, bars and tires of the model against those of the textbook.

    On ice, as camber thrust on a car that may not move sideways would push it upright. The overturning moments M_x of
    the leaning wheels remain.
    """
    vehicle, beside = cars[name], 0.3
    sim = standing(vehicle.with_(**{"body.added_masses[0].location.y": beside}), friction=1e-3)
    roll = 2 * sim.state("chassis.e1")
    upright = sum(axle.overturning_rate * axle.lean_per_roll for axle in car_figures.standing_axles(vehicle)[0])
    expected = -75 * GRAVITY * beside / (car_figures.roll_stiffness_to_ground(vehicle) + upright)
    print(f"{name}: {roll / car_figures.DEG:.4f} deg, expected {expected / car_figures.DEG:.4f} deg")
    # left out is what is of second order: the 15 mm by which the load moves the centre of gravity, bends of the maps
    assert roll == pytest.approx(expected, rel=0.01)


@pytest.mark.slow
def test_a_car_that_creeps_is_held_at_its_speed_by_its_brakes(cars: dict[str, jv.Vehicle]) -> None:
    """An idling engine with a converter pushes: slower than it creeps, and downhill, brakes keep a steady speed."""
    description = car.describe(cars["sedan"])
    sim = standing(cars["sedan"])
    found = steady.run_steadily(sim, description, 1.0)
    assert found.throttle == 0.0 and found.brake > 0.01 and found.residual < 1e-9
    sim.run(sim.time + 1.0)
    assert sim.state("chassis.vx") == pytest.approx(1.0, abs=1e-6)
    sim = standing(cars["sedan"])
    found = steady.run_steadily(sim, description, 12.0)
    assert found.throttle > 0.0 and found.brake == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("name", CARS)
def test_no_mode_grows_in_a_millisecond_whatever_gives_way(cars: dict[str, jv.Vehicle], name: str) -> None:
    """Compliance of its own times 0, 1 and 3, from standstill to top speed, by the exact linearisation.

    With the pedal held, a car with a driveline may run away from its speed slowly where its torque grows with it.
    """
    for factor in (0.0, 1.0, 3.0):
        for speed, values in modes(scaled(cars[name], factor)):
            steps = [complex(value) * 1e-3 for value in values]
            assert max(z.real for z in steps) < (1e-8 if cars[name].driveline is None else 1e-4), (factor, speed)
            worst = max(growth("AB-2", z) for z in steps if z.real < 1e-8)
            assert worst <= 1 + 1e-8, (factor, speed)  # zero to rounding: places, charge
