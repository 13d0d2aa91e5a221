"""A vehicle with three axles, each with numbers of its own: files, equilibrium, runs; the two spellings of a car."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
import jounce.vehicle as jv
from axle_lists import Raw, as_axles, as_units, even_truck, one_axle, small_truck, truck, vehicle_of
from car_models import COMPACT, rates
from jounce import events
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics
from jounce.sim.equilibrium import Places
from jounce.sim.standing import standing
from jounce.sim.steady import run_steadily
from jounce.vehicle.layout import spelling

WHEELS = ("L1", "R1", "L2", "R2", "L3", "R3")
TWINS = ("L1_twin", "R1_twin", "L2_twin", "R2_twin")


@lru_cache
def vehicle(form: str = "axles") -> jv.Vehicle:
    return vehicle_of(truck() if form == "axles" else as_units(truck()))


@lru_cache
def small(form: str = "axles") -> jv.Vehicle:
    """One whose files are short."""
    return vehicle_of(small_truck() if form == "axles" else as_units(small_truck()))


@lru_cache
def description(even: bool = False) -> car.Description:
    return car.describe(vehicle_of(even_truck()) if even else vehicle())


def settled(even: bool = False) -> tuple[Simulation, statics.Settled]:
    sim = car.simulation(description(even))
    return sim, statics.settle(sim, description(even))


# ---- data ------------------------------------------------------------------------------------------------------------


def test_both_lists_mean_the_same_layout() -> None:
    a, b = vehicle().layout, vehicle("units").layout
    assert list(a.wheels) == list(b.wheels) == list(WHEELS)
    assert list(a.tires) == list(b.tires) == [*WHEELS, *TWINS]
    for one, other in zip(a.axles, b.axles, strict=True):
        assert one.x == other.x and one.word == other.word
        for name in ("suspension", "wheels", "brake", "steering", "drive", "brake_share"):
            assert getattr(one.data, name) == getattr(other.data, name), name
    assert a.units[0].data.body == b.units[0].data.body
    assert vehicle().mass() == vehicle("units").mass()


@pytest.mark.parametrize("form", ["axles", "units"])
@pytest.mark.parametrize("where", ["one.yaml", "folder"])
def test_files_keep_the_form_and_every_number(form: str, where: str, tmp_path: Path) -> None:
    car_of_form = small(form)
    file = car_of_form.save(tmp_path / where)
    text = file.read_text()
    assert f"\n{form}:" in text and "front_suspension" not in text
    again = jv.load(file)
    assert again == car_of_form and spelling(again) == form
    again.save()
    assert file.read_text() == text, "nothing changed, so that nothing is written anew"
    changed = again.with_(**{"axles[2].suspension.spring.rate": "35.5 N/mm"})
    changed.save()
    assert jv.load(file).suspension(3).spring.rate == 35.5e3  # type: ignore[union-attr]
    assert spelling(jv.load(file)) == form


def test_numbers_of_the_model_are_those_of_each_axle_and_side() -> None:
    known = car.simulation(description()).parameters
    expected = {
        "L1.spring.rate": 106.4e3, "R1.spring.rate": 104.9e3,
        "L2.spring.rate": 37.3e3, "R2.spring.rate": 37.3e3, "L3.spring.rate": 33.9e3, "R3.spring.rate": 35.2e3,
        "L2.spring.at_design": 3610 / 37.3e3, "R2.spring.at_design": 3680 / 37.3e3,
        "R3.spring.at_design": 3490 / 35.2e3, "R2.damper1.scale": 1.07, "L3.damper1.scale": 0.93,
        "L1.spin_inertia": 2 * 2.1, "L2.spin_inertia": 2.2, "L3.spin_inertia": 2.05,
        "L1_twin.offset": 0.29, "R2_twin.offset": 0.31, "R2.unsprung_mass": 87.0, "L2.unsprung_mass": 84.0,
        "axle1.brake_share": 0.47, "axle2.brake_share": 0.31, "axle3.brake_share": 0.22,
        "R3.brake.mu": 0.37, "L3.brake.mu": 0.4, "L3.brake.piston_area": 1.63e-3,
        "L1.drive_share": 0.0, "L2.drive_share": 0.33, "R2.drive_share": 0.29, "L3.drive_share": 0.21,
        "R3.drive_share": 0.17, "axle3.track": 1.66, "R3.toe.offset": 0.0013, "L3.toe.offset": 0.0,
    }  # fmt: skip
    for name, value in expected.items():
        assert known[name] == pytest.approx(value, rel=1e-14), name


@pytest.mark.parametrize("form", ["axles", "units"])
def test_errors_name_the_path_in_the_form_used(form: str, tmp_path: Path) -> None:
    start = "axles" if form == "axles" else "units[0].axles"
    found = small(form)
    for path in ("axles[2].suspension.spring.rate", "units[0].axles[2].suspension.spring.rate"):
        with pytest.raises(
            ParameterError, match=re.escape(f"  {start}[2].suspension.spring.rate = -1 N/m: must be > 0")
        ):
            found.with_(**{path: -1})
    raw = small_truck() if form == "axles" else as_units(small_truck())
    axles = raw["axles"] if form == "axles" else raw["units"][0]["axles"]
    del axles[2]["brake_share"]
    with pytest.raises(ValueError, match="share of the pressure, needed unless there are two axles"):
        vehicle_of(raw)
    axles[2] |= {"brake_share": 0.22, "drive_left": 0.29}
    with pytest.raises(ValueError, match=r"the drive shares of all wheels add up to 1\.08"):
        vehicle_of(raw)


def test_an_axle_that_is_not_behind_the_one_before_is_told_with_its_place(tmp_path: Path) -> None:
    file = small().save(tmp_path / "truck.yaml")
    text = file.read_text()
    file.write_text(text.replace("wheel_centre_x: -4.37 m", "wheel_centre_x: -3.1 m"))
    line = next(i for i, row in enumerate(text.splitlines(), 1) if "wheel_centre_x: -4.37 m" in row)
    with pytest.raises(ParameterError, match=rf"line {line}  axles\[2\]\.suspension\.wheel_centre_x.*must be behind"):
        jv.load(file)


# ---- equilibrium -----------------------------------------------------------------------------------------------------


def vector(sim: Simulation, name: str, place: str = "") -> np.ndarray:
    return np.array([sim.output(f"{name}_{axis}{'.' if place else ''}{place}") for axis in "XYZ"])


def test_the_wheels_carry_the_weight_and_all_moments_balance() -> None:
    """Forces and moments of all tires about the centre of mass, which is found here from the bodies themselves."""
    sim, found = settled()
    assert found.method == "newton" and found.held == ("lateral",) and not found.unstable
    tires = vehicle().layout.tires
    loads = {tire: sim.output(f"Tire.Ground_Surface_Force_Z.{tire}") for tire in tires}
    weight = vehicle().mass() * vehicle().system.gravity
    # by hand: light truck 1787 + 75 + 32 kg, load 690 kg, wheels 2 · 56 + 84 + 87 + 2 · 79 kg
    assert vehicle().mass() == pytest.approx(1787 + 75 + 32 + 690 + 2 * 56 + 84 + 87 + 2 * 79, rel=1e-14)
    assert math.fsum(loads.values()) == pytest.approx(weight, rel=1e-9)
    assert min(loads.values()) > 1000 and len(set(loads.values())) == 10, "every tire carries, each its own load"
    # the whole mass: the body, of which the chassis frame is in the centre, and the wheels where they are
    masses = [
        (1787.0, (-1.289, 0.0, 0.755)), (75.0, (-1.45, 0.0, 0.98)), (32.0, (-2.3, 0.0, 0.55)),
        (690.0, (-3.97, 0.043, 0.91)),
    ]  # fmt: skip
    sprung = sum(m for m, _ in masses)
    centre = sum(m * np.array(r) for m, r in masses) / sprung
    assert vehicle().main_body.centre() == pytest.approx(centre, abs=1e-12)
    origin = np.array([sim.state(f"chassis.{a}") for a in "xyz"])  # centre of the sprung mass
    bodies = [(sprung, origin)]
    for wheel in WHEELS:
        mass = {"L1": 56, "R1": 56, "L2": 84, "R2": 87, "L3": 79, "R3": 79}[wheel]
        bodies.append((mass, vector(sim, "Wheel.Global", wheel)))
    middle = sum(m * r for m, r in bodies) / sum(m for m, _ in bodies)
    force, moment, along = np.zeros(3), np.zeros(3), 0.0
    for tire, wheel in tires.items():
        data = wheel.axle.data.wheels_on(wheel.side)
        carrier = vector(sim, "Wheel.Global", wheel.name)
        f = vector(sim, "Tire.Hub_Carrier_Force_Global", tire)
        contact = vector(sim, "Road.Contact_Patch_Global", tire)
        # about the contact a tire has its own moments: overturning, aligning and, at rest, none about its axis
        local = [sim.output(f"Tire.Ground_Surface_Moment_{a}.{tire}") for a in "XYZ"]
        heading = sim.output("Vehicle.Yaw") + sim.output(f"Wheel.Spindle_Steer.{wheel.name}")
        c, s = math.cos(heading), math.sin(heading)
        own = np.array([c * local[0] - s * local[1], s * local[0] + c * local[1], local[2]])
        moment += np.cross(contact - middle, f) + own
        force += f
        along += abs(f[0])
        assert np.linalg.norm(contact[:2] - carrier[:2]) < 0.06 + (
            data.twin.offset if data.twin and tire != wheel.name else 0
        )
    # Along the road nothing holds: what each tire's force leaves there (hundredths of a newton) turns its wheel and is
    # about to roll the truck, with a moment of that force about the centre of mass, less than a metre above the
    # ground. Everything else is in balance to 1e-9 m/s², that is 3e-6 N and, by two metres, 6e-6 N.m.
    assert abs(force[1]) < 6e-6 and force[2] == pytest.approx(weight, rel=1e-9)
    assert np.abs(moment[[0, 2]]).max() < 6e-6
    assert abs(moment[1]) < along * 1.0 + 6e-6 < 0.1


def test_loads_of_axles_are_those_of_springs_and_wheels() -> None:
    """Of a solid axle that moves as a whole: loads = forces of its springs + weight of its wheels.

    The auxiliary forces of an axle are opposite. Its maps are not quite lines: a wheel rate of 36.0 by springs of 36.1.
    """
    sim, _ = settled()
    g = vehicle().system.gravity
    for axle, mass in ((2, 84 + 87), (3, 2 * 79)):
        tires = [t for t in vehicle().layout.tires if t[1] == str(axle)]
        load = sum(sim.output(f"Tire.Ground_Surface_Force_Z.{t}") for t in tires)
        springs = sum(sim.output(f"Spring.Force_At_Spring.{side}{axle}") for side in "LR")
        assert load == pytest.approx(springs + mass * g, rel=0.01)


def test_standing_has_a_figure_for_each_axle() -> None:
    found = standing(description())
    assert found["mass"] == pytest.approx(vehicle().mass(), rel=1e-12)
    for word in ("front", "rear", "axle3"):
        assert 0.5 < found[f"ride_frequency_{word}"] < 3.0
        assert found[f"roll_stiffness_{word}"] > 0
    assert found["wheelbase"] == 4.37
    assert found["track_axle3"] == 1.66
    # twin tires carry twice as stiffly as the single ones of the axle behind
    assert found["tire_rate_rear"] == pytest.approx(2 * found["tire_rate_axle3"], rel=0.1)
    assert any("axle3 wheel hop" in mode.name for mode in found.modes)
    loads = [found[f"load_{wheel}"] for wheel in WHEELS]
    assert sum(loads) == pytest.approx(found["load_total"], rel=1e-12)


def test_steady_running_keeps_the_speed() -> None:
    sim, _ = settled()
    running = run_steadily(sim, description(), 20.0)
    assert running.residual < 1e-9 and 0 < running.throttle < 0.5
    sim.advance(1000)
    assert sim.state("chassis.vx") == pytest.approx(20.0, abs=1e-6)
    torque = {c: sim.output(f"Wheel.Drive_Moment.{c}") for c in WHEELS}
    for wheel, share in (("L1", 0.0), ("R1", 0.0), ("L2", 0.33), ("R2", 0.29), ("L3", 0.21), ("R3", 0.17)):
        assert torque[wheel] == pytest.approx(share * 2510.0 * running.throttle, rel=1e-12)


# ---- runs ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_step_steer_turns_it_to_the_left() -> None:
    run = jn.run(vehicle(), events.StepSteer(amplitude="40 deg", speed=15.0, end_time=4.0))
    yaw = run["chassis_velocities.yaw"]
    assert yaw[-1] > 0.05 and abs(yaw[0]) < 0.01
    assert run["Tire.Ground_Surface_Force_Z.R3"][-1] > run["Tire.Ground_Surface_Force_Z.R3"][0]
    assert run["Tire.Ground_Surface_Force_Y.L3"].shape == yaw.shape


@pytest.mark.slow
def test_braking_straight_stops_it_by_the_shares_of_its_axles() -> None:
    run = jn.run(vehicle(), events.StraightBraking(brake=0.2, speed=15.0, end_time=3.0))
    at = -1
    gain = vehicle().brakes.master_cylinder_pressure_gain  # type: ignore[union-attr]
    for axle, share in ((1, 0.47), (2, 0.31), (3, 0.22)):
        for side in "LR":
            assert run[f"Chamber_Pressure.{side}{axle}"][at] == pytest.approx(share * gain * 0.2, rel=1e-9)
    assert run["chassis_velocities.longitudinal"][at] < 14.0


def mirrored_name(name: str) -> str:
    return name.translate(str.maketrans("LR", "RL")) if name[:1] in "LR" and name[1:2].isdigit() else name


def test_an_even_truck_steered_to_the_right_mirrors_one_steered_to_the_left() -> None:
    """Two seconds of steering; rounding of 1e-16 in 2000 steps of a stable motion, over changes of forces: 1e-9."""
    ends = []
    for sign in (1.0, -1.0):
        sim, _ = settled(even=True)
        run_steadily(sim, description(even=True), 18.0)
        sim.set_inputs({"steering_wheel": sign * 0.7, "brake": 0.03})
        sim.advance(2000)
        ends.append({v.name: sim.state(v.name) for v in sim.model.states})
    assert abs(ends[0]["chassis.wz"]) > 0.03
    odd = ("chassis.y", "chassis.e1", "chassis.e3", "chassis.vy", "chassis.wx", "chassis.wz")
    odd += (".tire.v", ".twist", ".compliance.y")
    for name, value in ends[0].items():
        expected = -value if name.endswith(odd) else value
        assert ends[1][mirrored_name(name)] == pytest.approx(expected, rel=1e-8, abs=1e-9), name


def test_the_exact_linearisation_is_that_of_differences() -> None:
    sim, _ = settled()
    run_steadily(sim, description(), 17.0)
    sim.advance(3)
    groups = {name.rpartition(".")[0] for name in sim.parameters if name.endswith(".damping")}
    rub = [f"{group}.scale" for group in groups if ".element" in group and f"{group}.stiffness" in sim.parameters]
    sim.set_parameters(dict.fromkeys(rub, 0.0))  # friction has a kink at rest
    linear = car.lineariser(description())
    model = linear.at(sim)
    places = Places(sim, model.states)
    for name in ("L3.jounce", "R2.jounce.rate", "chassis.vy", "L3.wheel.spin", "L1_twin.tire.v", "R3.tire.u"):
        column = model.states.index(name)
        width, was, values = 1e-6, sim.x[places.state[column]], []
        for side in (1.0, -1.0):
            sim.x[places.state[column]] = was + side * width
            values.append(places.rates(sim.derivatives()[0]))
        sim.x[places.state[column]] = was
        differences = (values[0] - values[1]) / (2 * width)
        rows = list(places.state)
        size = np.abs(model.A[rows, column]).max()
        # central: h² of the third derivative, 1e-12 of slopes over millimetres squared; rounding 1e-16/1e-6 of rates
        assert np.abs(model.A[rows, column] - differences[rows]).max() < 1e-6 * size, name


# ---- the two spellings of a car --------------------------------------------------------------------------------------


@lru_cache
def both(name: str | Path) -> tuple[jv.Vehicle, jv.Vehicle, jv.Vehicle]:
    friendly = jv.load(name)
    return friendly, vehicle_of(as_axles(friendly)), vehicle_of(as_units(as_axles(friendly)))


def moved(sim: Simulation) -> Simulation:
    """A state in which nothing is zero."""
    rng = np.random.default_rng(7)
    for i, v in enumerate(sim.model.states):
        sim.x[i] += {"m": 0.004, "m/s": 0.2, "rad/s": 0.3, "-": 0.01}.get(v.unit, 0.0) * rng.uniform(-1.0, 1.0)
    sim.set_states({"chassis.vx": 13.0})
    sim.set_inputs({"steering_wheel": 0.3, "throttle": 0.2, "brake": 0.1})
    return sim


@pytest.mark.parametrize("name", [COMPACT, "light_truck"], ids=["compact", "light truck"])
def test_a_car_in_any_spelling_has_the_same_rates(name: str | Path) -> None:
    sims = [moved(car.simulation(item)) for item in both(name)]
    first = rates(sims[0])
    for other in sims[1:]:
        there = rates(other)
        assert first.keys() == there.keys()
        for state, value in first.items():
            assert there[state] == pytest.approx(value, rel=1e-13, abs=1e-13), state


def test_changes_take_both_spellings_in_every_form() -> None:
    paths = {
        "front_suspension.spring.rate": "axles[0].suspension.spring.rate",
        "rear_suspension.dampers[0].scale": "axles[1].suspension.dampers[0].scale",
        "rear_wheels.unsprung_mass": "axles[1].wheels.unsprung_mass",
        "brakes.front.mu": "axles[0].brake.mu",
        "steering.gear_ratio_scale": "axles[0].steering.gear_ratio_scale",
        "body.mass": "units[0].body.mass",
    }
    values = (61e3, 1.3, 47.0, 0.44, 1.02, 1401.0)
    for item in both(COMPACT):
        changed = [item.with_(**dict(zip(names, values, strict=True))) for names in (list(paths), list(paths.values()))]
        assert changed[0] == changed[1] != item
        assert spelling(changed[0]) == spelling(item)
        for path, listed, value in zip(paths, paths.values(), values, strict=True):
            assert changed[0].get(path) == changed[0].get(listed) == value, path
        for path in (*paths, *paths.values()):
            with pytest.raises(ParameterError, match="does not begin with a number"):
                item.with_(**{path: "none at all"})


def test_one_axle_alone_is_a_vehicle_that_can_be_built() -> None:
    raw: Raw = one_axle()
    sim = moved(car.simulation(vehicle_of(raw)))
    found: dict[str, Any] = rates(sim)
    assert all(math.isfinite(value) for value in found.values()) and {"L1.jounce", "R1.jounce"} <= found.keys()
    assert "L2.jounce" not in found
