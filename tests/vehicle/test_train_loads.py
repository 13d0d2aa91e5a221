"""Loads of the axles of trains at rest: by levers where they decide, by a second model of springs where they do not."""

from __future__ import annotations

import copy
import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import root

import jounce.vehicle as jv
from axle_lists import as_axles, vehicle_of
from ideal_cars import ideal
from jounce.components.basics import combine
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from trains import plain_axle

Raw = dict[str, Any]
FIFTH_WHEEL = {"coupling": "fifth_wheel", "roll": {"stiffness": 4.1e5, "damping": 900.0, "lash": 0.004}}


def unit(name: str, mass: float, x: float, axles: list[float], location: list[float], **hitch: Any) -> Raw:
    return {
        "name": name,
        "hitch": {"location": location, **hitch},
        "body": {
            "mass": mass,
            "cg": {"x": x, "z": 1.13},
            "inertia": {"ixx": 0.6 * mass, "iyy": 2.9 * mass, "izz": 3.1 * mass},
        },
        "axles": [plain_axle(at) for at in axles],
    }


def lead() -> Raw:
    """A car whose wheels move straight up and down."""
    raw = as_axles(ideal("compact"))
    raw["name"], raw["aero"] = "lead", None
    for axle in raw["axles"]:
        axle["brake_share"] = 0.5
        axle["suspension"] = plain_axle(axle["suspension"]["wheel_centre_x"])["suspension"]
    steering = raw["axles"][0]["steering"]
    for name in ("rack_pinion", "x", "y", "camber", "side_view_angle"):
        del steering[name]
    steering["steering_dependent_wheel_location"] = False
    raw["body"]["mass"] = 1490.0
    return raw


# A drawbar with an eye, a dolly of one axle with a fifth wheel ahead of it, a semitrailer of one axle on that.
DOLLY = {
    **lead(),
    "trailers": [
        unit("dolly", 530.0, -2.11, [-2.23], [-3.53, 0.0, 0.43]),
        unit("semi", 1720.0, -2.87, [-4.31], [-2.01, 0.0, 0.97], **FIFTH_WHEEL),
    ],
}
TRIDEM = {
    **lead(),
    "name": "tridem",
    "trailers": [unit("semi", 2710.0, -3.17, [-4.31, -5.29, -6.41], [-2.31, 0.0, 0.97], **FIFTH_WHEEL)],
}


@lru_cache
def settled(which: str) -> tuple[jv.Vehicle, Simulation]:
    vehicle = vehicle_of(copy.deepcopy({"dolly": DOLLY, "tridem": TRIDEM}[which]))
    description = car.describe(vehicle)
    sim = car.simulation(description)
    settle(sim, description)
    return vehicle, sim


def axle_loads(vehicle: jv.Vehicle, sim: Simulation) -> np.ndarray:
    return np.array([
        sum(sim.output(f"Tire.Ground_Surface_Force_Z.{wheel.name}") for wheel in axle.wheels)
        for axle in vehicle.layout.axles
    ])  # fmt: skip


@pytest.mark.slow
def test_loads_of_a_train_with_a_dolly_are_those_of_levers() -> None:
    """From the last unit forwards: moments about its coupling, then that of the unit before, which bears the rest."""
    vehicle, sim = settled("dolly")
    found, gravity = axle_loads(vehicle, sim), sim.parameter("gravity")
    least = 1e-6 * vehicle.mass() * gravity
    rest, at, loads = 0.0, 0.0, []  # what the unit behind presses with, and where
    for number in (3, 2):
        place = vehicle.layout.units[number - 1]
        mass = whole_mass(place)
        prefix = "" if number == 2 else "unit2."
        ball = sim.output(f"{prefix}Hook_rear.Hook_X")
        axle = patch(sim, place.axles[0])
        centre = sim.output(f"unit{number}.System_Mass_Center.Global_X")
        load = (mass * gravity * (ball - centre) + rest * (ball - at)) / (ball - axle)
        loads.insert(0, load)
        rest, at = rest + mass * gravity - load, ball
        assert sim.output(f"{prefix}Hook_rear.Global_force_Z") == pytest.approx(-rest, abs=least)
    weight = gravity * vehicle_of(copy.deepcopy({**lead()})).mass()
    front, rear = (patch(sim, axle) for axle in vehicle.layout.units[0].axles)
    centre = sim.output("System_Mass_Center.Global_X")
    second = (weight * (front - centre) + rest * (front - at)) / (front - rear)
    assert found == pytest.approx([weight + rest - second, second, *loads], abs=least)
    assert min(found) > 2000.0 and rest > 300.0


def whole_mass(place: Any) -> float:
    """Of a unit with its wheels."""
    unsprung = [axle.data.wheels_on(side).unsprung_mass for axle in place.axles for side in "LR"]
    return float(combine(place.data.body.sprung())[0]) + sum(unsprung)


def patch(sim: Simulation, axle: Any) -> float:
    return float(np.mean([sim.output(f"Road.Contact_Patch_Global_X.{wheel.name}") for wheel in axle.wheels]))


@pytest.mark.slow
def test_loads_of_a_tridem_are_those_of_a_second_model_of_springs() -> None:
    """Two bodies in the plane that heave and pitch, wheels that move along z of their body: the forces on each by hand.

    Unknown: height and pitch of both bodies, travels of all axles, force of the coupling.
    """
    vehicle, sim = settled("tridem")
    gravity = sim.parameter("gravity")
    units = vehicle.layout.units
    axles = vehicle.layout.axles
    tire = car.tires_of(vehicle)["L1"]
    stiffness, radius = (float(tire.raw()["values"][name]) for name in ("VERTICAL_STIFFNESS", "UNLOADED_RADIUS"))

    def about(place: Any) -> tuple[float, np.ndarray]:
        mass, centre, _ = combine(place.data.body.sprung())
        return float(mass), np.array([centre[0], centre[2]])

    def turned(pitch: float, point: np.ndarray) -> np.ndarray:
        c, s = math.cos(pitch), math.sin(pitch)  # front down positive
        return np.array([c * point[0] + s * point[1], -s * point[0] + c * point[1]])

    hitch = units[1].data.hitch
    coupling = [np.array([hitch.location.x, hitch.location.z]), np.array([0.0, hitch.own_height])]

    def residuals(unknown: np.ndarray) -> np.ndarray:
        z, pitch, travel, force = unknown[:2], unknown[2:4], unknown[4:-2], unknown[-2:]
        rest: list[float] = []
        up, moment = np.zeros(2), np.zeros(2)
        for axle, jounce in zip(axles, travel, strict=True):
            n = axle.unit.number - 1
            wheel = axle.wheels[0]
            own = wheel.axle.data
            arm = turned(pitch[n], np.array([axle.x, wheel.centre[2] + jounce]))
            load = 2 * stiffness * (radius - (z[n] + arm[1]))
            spring = own.suspension.spring
            unsprung = 2 * own.wheels_on("L").unsprung_mass * gravity
            rest.append(2 * (spring.preload + spring.rate * jounce) - (load - unsprung) * math.cos(pitch[n]))
            # wheels have no weight of their own here: body and wheels together
            up[n] += load - unsprung
            moment[n] += -arm[0] * (load - unsprung)
        for n, sign in ((0, 1.0), (1, -1.0)):
            mass, centre = about(units[n])
            arm = turned(pitch[n], centre)
            up[n] -= mass * gravity
            moment[n] += arm[0] * mass * gravity
            lever = turned(pitch[n], coupling[n])
            up[n] += sign * force[1]
            moment[n] += sign * (lever[1] * force[0] - lever[0] * force[1])
        ends = [turned(pitch[n], coupling[n])[1] + z[n] for n in (0, 1)]
        return np.array([*rest, *(up / 1e3), *(moment / 1e3), 1e3 * (ends[0] - ends[1]), force[0]])

    start = np.zeros(4 + len(axles) + 2)
    found = root(residuals, start, tol=1e-13)
    assert found.success, found.message
    z, pitch, travel = found.x[:2], found.x[2:4], found.x[4:-2]
    loads = []
    for axle, jounce in zip(axles, travel, strict=True):
        n = axle.unit.number - 1
        arm = turned(pitch[n], np.array([axle.x, axle.wheels[0].centre[2] + jounce]))
        loads.append(2 * stiffness * (radius - (z[n] + arm[1])))
    assert abs(pitch[1]) > 1e-3, "the semitrailer leans, so that its axles share unevenly"
    assert axle_loads(vehicle, sim) == pytest.approx(loads, abs=1e-6 * vehicle.mass() * gravity)
