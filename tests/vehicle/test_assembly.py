"""The 14-DOF car from vehicle data: statics, symmetry, signs, brakes, standstill."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from four_wheels import CORNERS, assemble
from jounce.core.constants import GRAVITY
from jounce.files.tir import read_tir
from jounce.runtime.program import Constant, Feedback, Open, Phase, Program, Ramp
from jounce.runtime.simulation import Library, Simulation
from jounce.sim.build import build
from jounce.sim.equilibrium import find_equilibrium
from jounce.sim.linear import Lineariser

DATA = Path(__file__).parent / "data" / "compact"
FREE = ["chassis.z", "chassis.rx", "chassis.ry", "*.jounce"]
FORCE = "Tire.Ground_Surface_Force_"
BALANCE = ["chassis.vz", "chassis.wx", "chassis.wy", "*.jounce.rate"]


def system_of(car: jv.Vehicle, **options: Any) -> Any:
    front, rear = read_tir(car.front_wheels.tire.path).tire, read_tir(car.rear_wheels.tire.path).tire
    return assemble(car, {c: front if axle == 1 else rear for c, (axle, _) in CORNERS.items()}, **options)


@pytest.fixture(scope="module")
def symmetric() -> jv.Vehicle:
    return jv.load(DATA).with_(**{"body.added_masses[0].location.y": 0.0})


@pytest.fixture(scope="module")
def library(symmetric: jv.Vehicle) -> Library:
    return build(system_of(symmetric))


@pytest.fixture(scope="module")
def lineariser(symmetric: jv.Vehicle) -> Lineariser:
    return Lineariser(system_of(symmetric), inputs=[], outputs=[])


@pytest.fixture
def standing(library: Library, lineariser: Lineariser) -> Simulation:
    sim = Simulation(library)
    find_equilibrium(sim, lineariser, FREE, BALANCE, limits={"*.jounce": 0.02})
    return sim


def rolling(sim: Simulation, speed: float) -> Simulation:
    """The car at a speed, its wheels turning with it."""
    sim.set_states({"chassis.vx": speed})
    sim.set_states({f"{c}.wheel.spin": speed / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in CORNERS})
    return sim


def test_it_has_fourteen_degrees_of_freedom(symmetric: jv.Vehicle) -> None:
    assert len(system_of(symmetric).speeds) == 14


def test_tire_loads_carry_the_weight_by_the_law_of_the_lever(standing: Simulation, symmetric: jv.Vehicle) -> None:
    loads = {c: standing.output(f"{FORCE}Z.{c}") for c in CORNERS}
    sprung_mass, centre, _ = symmetric.body.sprung()[0]
    # along the road nothing is balanced: rolling resistance of free wheels at rest is zero, slips are a few 1e-5
    assert sum(loads.values()) == pytest.approx(symmetric.mass() * GRAVITY, rel=1e-5)
    masses = [(sprung_mass, centre[0])]
    masses += [
        (symmetric.wheels(a, s).unsprung_mass, symmetric.wheel_centre(a, s)[0] + standing_x(standing, a, s))
        for a, s in CORNERS.values()
    ]
    front_x = symmetric.front_suspension.wheel_centre_x + standing_x(standing, 1, "L")
    rear_x = symmetric.rear_suspension.wheel_centre_x + standing_x(standing, 2, "L")
    lever = sum(m * (x - rear_x) for m, x in masses) / (front_x - rear_x) * GRAVITY
    # heights times the static pitch angle are left out: some mrad times some tenths of a metre over the wheelbase
    assert loads["L1"] + loads["R1"] == pytest.approx(lever, rel=1e-3)
    assert loads["L1"] == pytest.approx(loads["R1"], rel=1e-12)


def standing_x(sim: Simulation, axle: int, side: str) -> float:
    """Longitudinal displacement of a wheel centre by its map, a rate in these data."""
    return sim.parameter(f"{side}{axle}.x.rate") * sim.state(f"{side}{axle}.jounce")


def test_without_springs_everything_falls_alike(symmetric: jv.Vehicle) -> None:
    bare = symmetric
    for axle in ("front", "rear"):
        bare = bare.with_(**{
            f"{axle}_suspension.{name}": None for name in ("spring", "bump_stop", "rebound_stop", "anti_roll_bar")
            if getattr(bare.get(f"{axle}_suspension"), name) is not None
        })  # fmt: skip
    sim = Simulation(build(system_of(bare, name="bare")))
    sim.set_states({"chassis.z": 50.0})
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    assert rates.pop("chassis.vz") == pytest.approx(-GRAVITY, rel=1e-12)
    assert max(abs(v) for v in rates.values()) < 1e-12


def drive(sim: Simulation, *channels: Any, time: float = 2.0) -> Any:
    program = Program(Phase("drive", list(channels), duration=time))
    return sim.run(program=program, method="AB-2", step=0.0005, interval=0.01)


def test_mirrored_steering_gives_the_mirrored_car(library: Library, lineariser: Lineariser) -> None:
    runs = []
    for sign in (1.0, -1.0):
        sim = Simulation(library)
        find_equilibrium(sim, lineariser, FREE, BALANCE, limits={"*.jounce": 0.02})
        rolling(sim, 25.0)
        runs.append(drive(sim, Open("steering_wheel", Ramp(sign * 0.6, 0.2, start=0.0, smooth=True))))
    left, right = runs
    yaw = left["chassis_velocities.yaw"]
    assert yaw[-1] > 0.1
    assert np.abs(yaw + right["chassis_velocities.yaw"]).max() < 1e-9 * np.abs(yaw).max()
    for here, there in (("L1", "R1"), ("R2", "L2")):
        assert left[f"{FORCE}Z.{here}"] == pytest.approx(right[f"{FORCE}Z.{there}"], rel=1e-9)
        assert left[f"{FORCE}Y.{here}"] == pytest.approx(-right[f"{FORCE}Y.{there}"], rel=1e-9, abs=1e-6)


def test_signs_of_a_left_turn_and_of_braking(standing: Simulation) -> None:
    rolling(standing, 22.0)
    run = drive(standing, Open("steering_wheel", Ramp(0.5, 0.3, start=0.0, smooth=True)), time=3.0)
    last = {name: run[name][-1] for name in run.channels()}
    assert last["chassis_velocities.yaw"] > 0 < last["chassis_accelerations.lateral"]
    assert last[f"{FORCE}Z.R1"] > last[f"{FORCE}Z.L1"] and last[f"{FORCE}Z.R2"] > last[f"{FORCE}Z.L2"]
    assert all(last[f"{FORCE}Y.{c}"] > 0 for c in CORNERS)


def test_braking_loads_the_front_and_stops_the_car(standing: Simulation) -> None:
    rolling(standing, 20.0)
    before = {c: standing.output(f"{FORCE}Z.{c}") for c in CORNERS}
    run = drive(standing, Open("brake", Ramp(0.25, 0.2, start=0.0)), time=1.5)
    last = {name: run[name][-1] for name in run.channels()}
    assert last["chassis_accelerations.longitudinal"] < -2.0
    assert all(last[f"{FORCE}Z.{c}1"] > before[f"{c}1"] for c in "LR")
    assert all(last[f"{FORCE}Z.{c}2"] < before[f"{c}2"] for c in "LR")
    assert all(last[f"Brake_Moment.{c}"] < 0 for c in CORNERS)


def test_brake_torque_is_two_pads_times_area_friction_radius_and_pressure(symmetric: jv.Vehicle) -> None:
    changes = {
        "brakes.bias_front": 0.6,
        "brakes.master_cylinder_pressure_gain": "10 MPa",
        "brakes.front.effective_radius": "177 mm",
        "brakes.rear.effective_radius": "167 mm",
        "brakes.front.piston_area": "2300 mm2",
        "brakes.rear.piston_area": "2300 mm2",
    }
    sim = Simulation(build(system_of(symmetric.with_(**changes))))
    sim.set_inputs({"brake": 1.0})
    sim.set_states({f"{c}.wheel.spin": 80.0 for c in CORNERS})
    # the published example: 1954.1 and 1229.1 N.m
    assert [round(-sim.output(f"Brake_Moment.{c}"), 1) for c in CORNERS] == [1954.1, 1954.1, 1229.1, 1229.1]


def test_it_holds_on_a_grade_of_twenty_percent(symmetric: jv.Vehicle) -> None:
    sim = Simulation(build(system_of(symmetric, inclined=True, name="car_on_a_grade")), method="AM-2", step=0.001)
    sim.set_parameters({"ground.grade": 0.2})
    pitch = -math.atan(0.2)  # nose up
    sim.set_states({"chassis.e0": math.cos(pitch / 2), "chassis.e2": math.sin(pitch / 2)})
    x, z = sim.state("chassis.x"), sim.state("chassis.z")
    sim.set_states({
        "chassis.x": math.cos(pitch) * x + math.sin(pitch) * z,
        "chassis.z": -math.sin(pitch) * x + math.cos(pitch) * z,
    })  # fmt: skip
    sim.set_inputs({"brake": 1.0})
    sim.run(8.0, interval=1.0)
    before = np.array([sim.state(f"chassis.{a}") for a in "xyz"])
    run = sim.run(68.0, interval=0.5)
    after = np.array([sim.state(f"chassis.{a}") for a in "xyz"])
    assert np.abs(after - before).max() < 1e-3, "drift of a minute"
    assert np.abs(run["chassis_velocities.longitudinal"][-40:]).max() < 1e-5, "no chatter"
    down = symmetric.mass() * GRAVITY * math.sin(math.atan(0.2))
    assert sum(run[f"{FORCE}X.{c}"][-1] for c in CORNERS) == pytest.approx(down, rel=1e-3)


def test_a_speed_can_be_held_by_feedback(standing: Simulation) -> None:
    rolling(standing, 20.0)
    run = drive(
        standing,
        Feedback("throttle", "chassis_velocities.longitudinal", Constant(22.0), kp=0.2, ki=0.1, low=0.0, high=1.0),
        time=15.0,
    )
    assert run["chassis_velocities.longitudinal"][-1] == pytest.approx(22.0, abs=0.05)


def test_toe_in_points_the_fronts_of_the_wheels_inwards(symmetric: jv.Vehicle) -> None:
    toed = symmetric.with_(**{"rear_suspension.toe.offset": "1 deg"})
    sim = Simulation(build(system_of(toed, name="toed")))
    rolling(sim, 20.0)
    # a wheel whose front points to the right (the left one) meets air from its left: it is pushed to the right
    run = sim.run(0.3, interval=0.01)
    assert run[f"{FORCE}Y.L2"][-1] < 0 < run[f"{FORCE}Y.R2"][-1]


@pytest.mark.parametrize("level", [1, 2])
def test_levels_of_fidelity_build_and_turn_left(symmetric: jv.Vehicle, level: int) -> None:
    car = symmetric.with_(**{"system.simplified_model": level})
    sim = rolling(Simulation(build(system_of(car, name=f"level{level}"))), 20.0)
    run = drive(sim, Open("steering_wheel", Ramp(0.4, 0.3, start=0.0)), time=1.5)
    assert run["chassis_velocities.yaw"][-1] > 0.05
    if level == 1:
        assert np.abs(run["wheel_angles.camber_L2"]).max() == 0.0


def bits(car: jv.Vehicle) -> bytes:
    """A short run of a car, as bytes."""
    sim = rolling(Simulation(build(system_of(car, name="bits"))), 20.0)
    return bytes(drive(sim, Open("steering_wheel", Ramp(0.3, 0.2, start=0.0)), time=0.5).data.tobytes())


def test_a_car_saved_and_loaded_again_runs_to_the_same_bits(symmetric: jv.Vehicle, tmp_path: Path) -> None:
    symmetric.save(tmp_path / "car")
    assert bits(jv.load(tmp_path / "car")) == bits(symmetric)


@pytest.mark.slow
def test_a_subsystem_swapped_and_swapped_back_restores_the_run(symmetric: jv.Vehicle) -> None:
    stiff = symmetric.with_(**{"rear_suspension.spring.rate": "60 N/mm"})
    other = symmetric.with_subsystem("rear_suspension", stiff)
    assert bits(other) != bits(symmetric)
    assert bits(other.with_subsystem("rear_suspension", symmetric)) == bits(symmetric)


def test_it_runs_straight_when_both_sides_are_alike(standing: Simulation) -> None:
    rolling(standing, 25.0)
    run = drive(standing, Open("throttle", Constant(0.1)), time=3.0)
    assert np.abs(run["chassis_velocities.yaw"]).max() < 1e-12
    assert np.abs(run["chassis_displacements.lateral"]).max() < 1e-9
