"""Wind along a line and in time, flaps, and what runs add: what all models of the air share."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from air_rig import FLAG, MOTIONS, Seen, assert_acts, described, move, rig, simulation
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.build import build
from jounce.vehicle.assembly import assemble

CENTER = (-1.23, 0.04, 0.63)
FAN = {"x": [-2.0, 0.0, 3.0, 25.0, 28.0], "y": [0.0, 0.0, 1.0, 0.8, 0.0]}
GUST = {"x": [0.0, 1.0, 1.5, 4.0], "y": [0.2, 0.2, 1.4, 0.6]}
HEADING = 0.7
PORTS = ("Aerodynamic.wind_x", "Aerodynamic.wind_y", "Aerodynamic.wind_z", "Aerodynamic.drs")
NEUTRAL = {
    "kind": "advanced", "air_density": 1.2, "frontal_area": 2.0, "front_location": (0.1, 0, 0.3),
    "rear_location": (-2.7, 0, 0.4), "center_location": CENTER, "cz": 0.9, "balance": 0.37, "cx_body": 0.3, "cy": 1.0,
    "balance_y": 0.6, "cy_by": {"yaw": {"x": [-0.6, 0.6], "y": [1.0, -1.0]}},
    "drs": {"drag": 0.8, "front_downforce": 0.97, "rear_downforce": 0.6},
}  # fmt: skip
WINDY = {"speed": 11.0, "direction": 2.1, "z": 0.5, "profile": FAN, "heading": HEADING, "gust": GUST}


@lru_cache
def windy() -> Any:
    return described(rig({**NEUTRAL, "wind": WINDY}), *PORTS)


def expected_wind(point: Any, time: float) -> Any:
    along = point[0] * math.cos(HEADING) + point[1] * math.sin(HEADING)
    factor = np.interp(along, FAN["x"], FAN["y"]) * np.interp(time, GUST["x"], GUST["y"])
    return factor * np.array([11.0 * math.cos(2.1), 11.0 * math.sin(2.1), 0.5])


@pytest.mark.parametrize("time", [0.4, 1.3, 2.6])
@pytest.mark.parametrize(("x", "y"), [(-6.0, 2.0), (1.4, 0.9), (14.0, -3.0), (29.0, 31.0)])
def test_wind_along_a_line_and_in_time(x: float, y: float, time: float) -> None:
    """Before, at the edge, inside and behind the fans; the wind is that at the centre point."""
    motion = {**MOTIONS[0], "x": x, "y": y}
    sim = simulation(windy(), motion, time)
    seen = Seen(rig(NEUTRAL), sim, motion)
    wind = expected_wind(seen.world(CENTER), time)
    u, across, up = seen.through_air(CENTER, wind)
    found = [seen.found[f"aero_forces.{name}_velocity"] for name in ("longitudinal", "lateral", "vertical")]
    assert found == pytest.approx([u, across, up], rel=1e-9)
    assert seen.found["aero_forces.side_slip"] == pytest.approx(math.atan2(across, u), rel=1e-9)
    side = -0.5 * 1.2 * 2.0 * u * u * math.atan2(across, u) / 0.6
    assert seen.found["aero_forces.front_sideforce"] == pytest.approx(0.6 * side, rel=1e-9)


def test_wind_of_a_run_is_added() -> None:
    sim = simulation(windy(), MOTIONS[1], 2.0)
    sim.set_inputs({"Aerodynamic.wind_x": -3.0, "Aerodynamic.wind_y": 5.0, "Aerodynamic.wind_z": -1.0})
    seen = Seen(rig(NEUTRAL), sim, MOTIONS[1])
    wind = expected_wind(seen.world(CENTER), 2.0) + np.array([-3.0, 5.0, -1.0])
    u, across, up = seen.through_air(CENTER, wind)
    found = [seen.found[f"aero_forces.{name}_velocity"] for name in ("longitudinal", "lateral", "vertical")]
    assert found == pytest.approx([u, across, up], rel=1e-9)


def test_edges_of_fans_do_not_make_the_wind_swing() -> None:
    """Straight between the points also where all other tables are splines, which would pass 1 by far."""
    edges = {"x": [9.0, 11.0, 39.0, 41.0], "y": [0.0, 1.0, 1.0, 0.0]}
    aero = {**NEUTRAL, "wind": {"y": -20.0, "profile": edges, "gust": edges}}
    description = described(rig(aero, **{"system.splines.method": "akima"}))
    for x in (10.0, 25.0, 39.5):
        for time in (9.5, 24.0):
            sim = simulation(description, {**MOTIONS[0], "x": x, "yaw": 0.0, "y": 0.0}, time)
            seen = Seen(rig(NEUTRAL), sim, {**MOTIONS[0], "x": x, "yaw": 0.0, "y": 0.0})
            factor = np.interp(seen.world(CENTER)[0], edges["x"], edges["y"]) * np.interp(time, edges["x"], edges["y"])
            across = seen.through_air(CENTER, (0.0, -20.0 * factor, 0.0))[1]
            assert seen.found["aero_forces.lateral_velocity"] == pytest.approx(across, rel=1e-9)


def test_speed_and_direction_are_components() -> None:
    """180 deg is a head wind for a car along +x."""
    found = rig({**NEUTRAL, "wind": {"speed": "36 km/h", "direction": "180 deg", "y": 2.0}})
    sim = simulation(described(found), MOTIONS[0])
    known = sim.parameters
    assert known["aero.wind.x"] == pytest.approx(-10.0) and known["aero.wind.y"] == pytest.approx(2.0)


@lru_cache
def standard() -> Any:
    aero = {
        "drag": {"area": 0.7, "location": CENTER}, "front_downforce": {"area": 0.4, "location": (0.3, 0, 0.3)},
        "rear_downforce": {"area": 0.5, "location": (-2.9, 0, 0.3)}, "wind": WINDY, "pitch_compensation": True,
        "drag_arm_max": 1.4, "drs": NEUTRAL["drs"],
    }  # fmt: skip
    return described(rig(aero), *PORTS)


def test_the_front_of_a_car_meets_the_fans_first() -> None:
    """Forces of the standard model feel the wind where they act; drag is compensated at the road."""
    motion = {**MOTIONS[0], "x": 2.0, "y": 0.4}
    sim = simulation(standard(), motion, 1.6)
    seen = Seen(rig(NEUTRAL), sim, motion)
    points = {
        "drag_force": (CENTER, 0.7),
        "front_downforce": ((0.3, 0, 0.3), 0.4),
        "rear_downforce": ((-2.9, 0, 0.3), 0.5),
    }
    forces: dict[str, float] = {}
    for name, (point, area) in points.items():
        u = seen.through_air(point, expected_wind(seen.world(point), 1.6))[0]
        forces[name] = 0.5 * 1.2 * area * u * u
        assert seen.found[f"aero_forces.{name}"] == pytest.approx(forces[name], rel=1e-9)
    arm = min(seen.height(CENTER), 1.4)
    assert seen.found["aero_forces.drag_torque"] == pytest.approx(forces["drag_force"] * arm, rel=1e-9)
    total = forces["front_downforce"] + forces["rear_downforce"]
    assert seen.found["aero_forces.aero_balance"] == pytest.approx(forces["front_downforce"] / total, rel=1e-12)
    load = seen.load(
        {
            points["drag_force"][0]: (-forces["drag_force"], 0, 0),
            points["front_downforce"][0]: (0, 0, -forces["front_downforce"]),
            points["rear_downforce"][0]: (0, 0, -forces["rear_downforce"]),
        },
        (0, forces["drag_force"] * arm, 0),
    )
    assert_acts(sim, load)


@pytest.mark.parametrize("which", [windy, standard])
@pytest.mark.parametrize("opened", [0.0, 0.4, 1.0])
def test_a_flap_opens_between_its_factors(which: Any, opened: float) -> None:
    sim: Simulation = simulation(which(), MOTIONS[0], 2.0)
    names = {"drag_force": 0.8, "front_downforce": 0.97, "rear_downforce": 0.6}
    closed = {name: sim.output(f"aero_forces.{name}") for name in names}
    sim.set_inputs({"Aerodynamic.drs": opened})
    for name, factor in names.items():
        assert sim.output(f"aero_forces.{name}") == pytest.approx(closed[name] * (1 + opened * (factor - 1)), rel=1e-12)


@pytest.mark.parametrize("frame", ["road", "chassis"])
@pytest.mark.parametrize("word", ["front", "rear", "center"])
def test_a_force_of_a_run_acts_at_its_point_in_both_frames(word: str, frame: str) -> None:
    """Forces along x, y, z of the road or the body at the three points, and moments, beside a model of the air."""
    sim = simulation(added(frame), MOTIONS[1])
    seen = Seen(rig(NEUTRAL), sim, MOTIONS[1], frame)
    point = NEUTRAL[f"{word}_location"]
    force, moment = (310.0, -270.0, 190.0), (53.0, -71.0, 37.0)
    from car_models import rates

    sim.set_inputs({FLAG: 0.0})
    sim.set_inputs({f"Aerodynamic.f{axis}_{word}": value for axis, value in zip("xyz", force, strict=True)})
    sim.set_inputs({f"Aerodynamic.m{axis}": value for axis, value in zip("xyz", moment, strict=True)})
    by_port = rates(sim)
    sim.set_inputs(dict.fromkeys(ADDED, 0.0))
    sim.set_inputs(seen.load({point: force}, moment))
    for name, value in rates(sim).items():
        assert by_port[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name


ADDED = tuple(
    [f"Aerodynamic.f{axis}_{word}" for word in ("front", "rear", "center") for axis in "xyz"]
    + [f"Aerodynamic.m{axis}" for axis in "xyz"]
)


@lru_cache
def added(frame: str) -> Any:
    return described(rig({**NEUTRAL, "frame": frame}), *ADDED)


def test_power_of_the_air_is_what_the_kinetic_energy_gains() -> None:
    """T is quadratic in the speeds: with Δ what the air does to them, ½ (T(u + Δ) − T(u − Δ)) is its power, exactly."""
    vehicle = rig({**NEUTRAL, "wind": {"x": -5.0, "y": 7.0}, "cmx": 0.2})
    system = assemble([vehicle.layout], car.tires_of(vehicle), inclined=True)
    system.output("audit.kinetic", system.kinetic_energy(), "J")
    sim = Simulation(build(system))
    for motion in MOTIONS:
        move(sim, motion)
        seen = Seen(vehicle, sim, motion)
        told = {n.removeprefix("aero_forces."): v for n, v in seen.found.items() if n.startswith("aero_forces.")}
        power = 0.0
        for word in ("front", "rear", "center"):
            v = seen.through_air(NEUTRAL[f"{word}_location"], (0, 0, 0))  # over ground: the wind does no work on it
            drag = told["drag_force" if word == "center" else f"drag_force_{word}"]
            power += -drag * v[0] + told[f"{word}_sideforce"] * v[1] - told[f"{word}_downforce"] * v[2]
        for name, axis in (("roll_torque", seen.ahead), ("drag_torque", seen.left), ("yaw_torque", seen.up)):
            power += told[name] * float(seen.w @ axis)
        sim.set_parameters({"aero.active": 1.0})
        change = sim.derivatives()[0].copy()
        sim.set_parameters({"aero.active": 0.0})
        change -= sim.derivatives()[0]
        assert np.abs(change).max() > 0.1
        here, names = sim.x.copy(), [v.name for v in sim.model.outputs]
        one, other = (float(sim.outputs(x=here + s * change)[names.index("audit.kinetic")]) for s in (1.0, -1.0))
        assert 0.5 * (one - other) == pytest.approx(power, rel=1e-7)
        sim.set_parameters({"aero.active": 1.0})
