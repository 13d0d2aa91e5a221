"""A solid axle: kinematics, springs inboard of the wheels, what reacts on it; the map-guided axle as its limit."""

from __future__ import annotations

import copy
import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from axle_lists import one_axle, vehicle_of
from car_models import rates
from jounce.runtime.simulation import Simulation
from jounce.sim import car

BEAM = {
    "mass": 61.0, "ixx": 9.1, "iyy": 0.7, "izz": 9.3, "cg_x": 0.017, "cg_z": 0.011, "spring_track": 0.93,
    "damper_track": 1.21, "roll_centre": 0.13, "roll_steer": 0.07, "x_per_heave": 0.03, "wind_up_per_heave": 0.11,
    "pinion_ratio": 3.7,
}  # fmt: skip
ELASTIC = {
    "longitudinal": {"stiffness": 2.1e6, "damping": 910.0}, "lateral": {"stiffness": 1.3e6, "damping": 730.0},
    "yaw": {"stiffness": 0.9e6, "damping": 410.0}, "wind_up": {"stiffness": 51e3, "damping": 87.0},
}  # fmt: skip
TRACK = 1.47


def raw(**solid: Any) -> dict[str, Any]:
    found = one_axle()
    axle = found["axles"][0]
    axle.pop("steering")
    suspension = axle["suspension"]
    for name in ("x", "y", "toe", "camber", "side_view_angle"):
        suspension[name] = {"curve": 0}
    for name in ("anti_roll_bar", "auxiliary_anti_roll", "bump_stop", "rebound_stop"):
        suspension.pop(name, None)
    suspension |= {
        "track": TRACK, "spring": {"rate": 31e3, "preload": 3300.0}, "dampers": [{"rate": 1700.0}],
    }  # fmt: skip
    if solid:
        suspension["solid"] = solid
    return found


@lru_cache
def elastic() -> Simulation:
    return car.simulation(vehicle_of(raw(**BEAM, **ELASTIC)))


def put(sim: Simulation, **values: float) -> Simulation:
    sim.set_states({v.name: v.default for v in sim.model.states})
    sim.set_states({name.replace("__", "."): value for name, value in values.items()})
    return sim


def centres(sim: Simulation) -> np.ndarray[Any, Any]:
    return np.array([[sim.output(f"Wheel.Global_{a}.{w}") for a in "XYZ"] for w in ("L1", "R1")])


def test_wheels_stay_at_the_distance_of_the_track_and_where_their_travels_say() -> None:
    sim = put(elastic())
    design = centres(sim)
    put(sim, L1__jounce=0.071, R1__jounce=-0.043, axle1__beam__yaw=0.03, axle1__beam__lateral=0.004)
    moved = centres(sim)
    assert np.linalg.norm(moved[0] - moved[1]) == pytest.approx(TRACK, abs=1e-12)
    assert (moved - design)[:, 2] == pytest.approx([0.071, -0.043], abs=1e-12)
    s = (0.071 + 0.043) / TRACK
    middle = (moved - design).mean(axis=0)
    assert middle == pytest.approx([0.03 * 0.014, 0.13 * s + 0.004, 0.014], abs=1e-12)  # (2)
    yaw = 0.07 * math.asin(s) + 0.03
    axis = (moved[0] - moved[1]) / TRACK
    assert axis == pytest.approx(
        [-math.sin(yaw) * math.sqrt(1 - s * s), math.cos(yaw) * math.sqrt(1 - s * s), s], abs=1e-12
    )
    # the lean of the beam is the camber of its wheels, left out at the top where the right one is up
    assert sim.output("wheel_angles.camber_L1") == pytest.approx(-math.asin(s))
    assert sim.output("wheel_angles.camber_R1") == pytest.approx(math.asin(s))


def test_springs_and_dampers_work_at_their_own_tracks() -> None:
    """Roll moment of two springs at a track t_s: k t_s²/2 per radian; heave: both rates."""
    sim = elastic()
    for name, word, rate, track in (("jounce", "Spring", 31e3, 0.93), ("jounce.rate", "Damper", 1700.0, 1.21)):
        told = {}
        for left, right in ((1e-3, 1e-3), (1e-3, -1e-3)):
            values = []
            for sign in (1.0, -1.0):
                put(sim)
                sim.set_states({f"L1.{name}": sign * left, f"R1.{name}": sign * right})
                values.append([sim.output(f"{word}.Force_At_Wheel.{w}") for w in ("L1", "R1")])
            told[left == right] = (np.array(values[0]) - values[1]) / 2e-3
        assert abs(told[True]) == pytest.approx([rate] * 2, rel=1e-9)
        assert abs(told[False]) == pytest.approx([rate * track / TRACK] * 2, rel=1e-9)


def test_the_mass_matrix_is_that_of_beam_and_wheels() -> None:
    """Kinetic energy in heave and roll rate about design; by hand from masses, levers and inertias."""
    data = raw(**{**BEAM, "roll_steer": 0.0, "x_per_heave": 0.0, "wind_up_per_heave": 0.0, "roll_centre": 0.0})
    wheels = data["axles"][0]["wheels"]
    sim = put(car.simulation(vehicle_of(data)))
    sim.set_parameters({"gravity": 0.0})
    base = rates(sim)
    # a unit force on the left travel, by the parameter of its spring's preload: in heave and roll halves of it each
    found = {}
    for side in ("L1", "R1"):
        put(sim, chassis__z=50.0)  # in the air
        before = rates(sim)
        known = sim.parameters
        sim.set_parameters({f"{side}.spring.at_design": known[f"{side}.spring.at_design"] + 1.0 / 31e3})
        found[side] = {k: v - before[k] for k, v in rates(sim).items()}
        sim.set_parameters({f"{side}.spring.at_design": known[f"{side}.spring.at_design"]})
    assert base
    share = 0.93 / TRACK
    body = data["body"]
    assert body["mass"] > 0
    for side, sign in (("L1", 1.0), ("R1", -1.0)):
        heave = 0.5 * (found[side]["L1.jounce.rate"] + found[side]["R1.jounce.rate"])
        roll = (found[side]["L1.jounce.rate"] - found[side]["R1.jounce.rate"]) / TRACK
        mass = 2 * wheels["unsprung_mass"] + 61.0
        inertia = 2 * (wheels["ixx"] + wheels["unsprung_mass"] * TRACK**2 / 4) + 9.1 + 61.0 * 0.011**2
        down, turn = found[side]["chassis.vz"], found[side]["chassis.wx"]
        # against the ground the beam moves with the body's point above it
        at = [sim.state("chassis.x"), sim.state("chassis.y")]
        lever = (
            -at[0]
            if "wheel_centre_x" not in data["axles"][0]["suspension"]
            else data["axles"][0]["suspension"]["wheel_centre_x"] - at[0]
        )
        pitch = found[side]["chassis.wy"]
        assert mass * (heave + down - lever * pitch) == pytest.approx(-1.0, rel=0.02), side
        assert inertia * (roll + turn) == pytest.approx(-sign * 0.5 * share * TRACK, rel=0.02), side


def test_torques_of_the_drive_stay_in_the_beam_and_a_propeller_shaft_turns_it_to_the_left() -> None:
    """A live axle: no moment about y on the body at once, the beam leans on its left wheel by Σ T/i."""
    data = raw(**BEAM)
    sim = put(car.simulation(vehicle_of(data)), chassis__z=50.0)
    before = rates(sim)
    sim.set_inputs({"throttle": 0.5})
    after = {k: v - before[k] for k, v in rates(sim).items()}
    assert after["L1.jounce.rate"] < 0 < after["R1.jounce.rate"]
    torque = data["drive"]["max_torque"] * 0.5
    roll = (after["L1.jounce.rate"] - after["R1.jounce.rate"]) / TRACK
    assert roll < 0 and torque > 0
    without = copy.deepcopy(data)
    without["axles"][0]["suspension"]["solid"].pop("pinion_ratio")
    other = put(car.simulation(vehicle_of(without)), chassis__z=50.0)
    start = rates(other)
    other.set_inputs({"throttle": 0.5})
    rest = {k: v - start[k] for k, v in rates(other).items()}
    assert rest["L1.jounce.rate"] == pytest.approx(rest["R1.jounce.rate"], rel=1e-9)
    # the body turns the other way: in the air nothing else does; the levers of roll centre and heights are small
    body, wheels = sim.parameters["body.ixx"], data["axles"][0]["wheels"]
    beam = 2 * (wheels["ixx"] + wheels["unsprung_mass"] * TRACK**2 / 4) + 9.1
    turned, rolled = after["chassis.wx"] - rest["chassis.wx"], roll
    assert body * turned == pytest.approx(-beam * (turned + rolled), rel=0.1)
    assert turned > 0


def test_a_beam_without_mass_is_the_axle_of_dependent_maps() -> None:
    """The same rigid beam as maps of both travels; what is left is their interpolation, 1e-6 of the rates."""
    light = {"mass": 1e-9, "ixx": 1e-9, "iyy": 1e-9, "izz": 1e-9, "spring_track": TRACK}
    solid = car.simulation(vehicle_of(raw(**light)))
    data = raw()
    x = [float(v) for v in np.linspace(-0.1, 0.1, 21)]
    s = np.subtract.outer(np.array(x), np.array(x)) / TRACK  # own travel by rows, paired by columns
    suspension = data["axles"][0]["suspension"]
    lean, shift = -np.arcsin(s), TRACK / 2 * (np.sqrt(1 - s * s) - 1)
    suspension["camber"] = {"x": x, "z": x, "y": lean.tolist()}
    suspension["y"] = {"x": x, "z": x, "y": shift.tolist()}
    mapped = car.simulation(vehicle_of(data))
    for sim in (solid, mapped):
        put(sim, L1__jounce=0.037, R1__jounce=-0.021, L1__jounce__rate=0.31, R1__jounce__rate=-0.17)
        sim.set_states({"chassis.vx": 11.0, "chassis.wx": 0.2, "L1.wheel.spin": 37.0, "R1.wheel.spin": 36.0})
    here, there = rates(solid), rates(mapped)
    for name, value in there.items():
        assert here[name] == pytest.approx(value, rel=1e-5, abs=1e-5), name


def test_what_does_not_go_with_a_beam_is_refused() -> None:
    data = raw(**BEAM)
    data["axles"][0]["suspension"]["camber"] = {"rate": -3.0}
    with pytest.raises(ValueError, match="stands beside solid"):
        vehicle_of(data)
    data = raw(**BEAM)
    data["axles"][0]["single"] = True
    with pytest.raises(ValueError, match="a beam is between two wheels"):
        vehicle_of(data)
