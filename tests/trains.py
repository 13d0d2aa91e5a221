"""Vehicles of several units for tests: a car with a trailer of one axle, a tractor with a semitrailer."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

import jounce.vehicle as jv
from axle_lists import as_axles, one_axle, vehicle_of
from ideal_cars import ideal
from jounce.core.fields import to_raw
from jounce.runtime.simulation import Simulation
from jounce.sim import car

Raw = dict[str, Any]


def plain_axle(x: float, **changes: Any) -> Raw:
    """The compact's rear axle without maps, bars and brakes at another place."""
    raw = as_axles(ideal("compact"))["axles"][1]
    suspension = {
        "track": 1.71,
        "wheel_centre_x": x,
        "spring": {"rate": 61.0e3, "preload": 5900.0},
        "dampers": [{"rate": 2900.0}],
        **changes,
    }
    return {"suspension": suspension, "wheels": copy.deepcopy(raw["wheels"])}


def trailer(kind: str = "joint", **hitch: Any) -> Raw:
    """A trailer with one axle behind a car; no two numbers are the same."""
    return {
        "name": "trailer",
        "hitch": {"kind": kind, "location": [-3.53, 0.0, 0.43], **hitch},
        "body": {
            "mass": 1103.0,
            "cg": {"x": -3.61, "y": 0.0, "z": 0.87},
            "inertia": {"ixx": 620.0, "iyy": 1710.0, "izz": 1830.0},
        },
        "axles": [plain_axle(-3.79)],
    }


LOCATION = [-3.53, 0.0, 0.43]
# every kind with all that it may have; left and right are alike
HITCHES: dict[str, Raw] = {
    "joint": {
        "kind": "joint",
        "location": LOCATION,
        "height": 0.41,
        "yaw": {"damping": 370.0, "limit": 1.1},
        "pitch": {"stiffness": 730.0, "damping": 53.0},
        "roll": {"stiffness": 91e3, "damping": 710.0, "lash": 0.013},
    },
    "spring": {
        "kind": "spring",
        "location": LOCATION,
        "coupling": "fifth_wheel",
        "frequency": 37.0,
        "damping_ratio": 0.13,
        "integral": {"x": 3.1e5, "y": 2.3e5, "z": 4.7e5},
        "roll": {"stiffness": 91e3, "damping": 710.0, "integral": 1300.0},
    },
    "constraint": {"kind": "constraint", "location": LOCATION, "height": 0.42, "yaw": {"stiffness": 410.0}},
}


def raw_car() -> Raw:
    raw: Raw = to_raw(ideal("compact"))
    return raw


@lru_cache
def car_trailer(kind: str = "joint") -> jv.Vehicle:
    return vehicle_of({**raw_car(), "name": "car and trailer", "trailers": [trailer(kind)]})


# ---- a car of one axle with a trailer: small enough to be compiled for every kind of hitch ---------------------------


def rig(kind: str) -> Simulation:
    raw = {**one_axle(), "trailers": [{**trailer(), "hitch": HITCHES[kind]}]}
    return car.simulation(vehicle_of(raw))


def somewhere(sim: Simulation) -> Simulation:
    """A state in which everything moves, with large angles; no two numbers are alike."""
    values = {
        "chassis.vx": 12.3, "chassis.vy": 0.7, "chassis.vz": -0.21, "chassis.wx": 0.31, "chassis.wy": -0.17,
        "chassis.wz": 0.43, "L1.jounce": 0.011, "R1.jounce.rate": 0.23, "L2.jounce": -0.013, "L2.jounce.rate": -0.19,
        "L2.wheel.spin": 41.0, "R2.wheel.spin": 37.0, "unit2.hitch.yaw": 0.71, "unit2.hitch.pitch": -0.23,
        "unit2.hitch.roll": 0.19, "unit2.hitch.yaw.rate": -0.53, "unit2.hitch.pitch.rate": 0.37,
        "unit2.hitch.roll.rate": 0.29,
    }  # fmt: skip
    q = np.array([0.9, 0.11, -0.07, 0.33])
    values |= dict(zip((f"chassis.e{i}" for i in range(4)), map(float, q / np.linalg.norm(q)), strict=True))
    sim.set_states(values)
    sim.set_inputs({"brake": 0.2, "throttle": 0.1, "steering_wheel": 0.3})
    return sim


def trailer_mass() -> float:
    raw = trailer()
    return float(raw["body"]["mass"] + 2 * raw["axles"][0]["wheels"]["unsprung_mass"])


def newton_force(sim: Simulation) -> npt.NDArray[np.float64]:
    """What the trailer of the rig does to its car, world axes: tires and weight less what its mass takes."""
    tires = [sum(sim.output(f"Tire.Hub_Carrier_Force_Global_{a}.{w}") for w in ("L2", "R2")) for a in "XYZ"]
    mass = trailer_mass()
    taken = [mass * sim.output(f"unit2.System_Mass_Center.Global_A{a}") for a in "xyz"]
    return np.array(tires) - taken - [0.0, 0.0, mass * sim.parameter("gravity")]


def told(sim: Simulation, word: str) -> npt.NDArray[np.float64]:
    return np.array([sim.output(f"Hook_rear.{word}_{axis}") for axis in "XYZ"])


# ---- trains of any length --------------------------------------------------------------------------------------------


def towed(axles: int = 3, kind: str = "joint", back: float = -4.61, **hitch: Any) -> Raw:
    """A unit behind another one, its axles close together."""
    mass, first = 1310.0 * axles, -4.9
    return {
        "name": f"towed, {axles} axles",
        "hitch": {"kind": kind, "location": [back, 0.0, 0.93], **hitch},
        "body": {
            "mass": mass,
            "cg": {"x": -0.81 * 4.9, "z": 1.31},
            "inertia": {"ixx": 0.62 * mass, "iyy": 4.9 * mass, "izz": 5.3 * mass},
        },
        "axles": [plain_axle(first - 1.07 * i) for i in range(axles)],
    }


def lead(axles: int = 3) -> Raw:
    """A truck with one steered axle and further ones behind."""
    raw = as_axles(ideal("compact"))
    front, rear = raw["axles"]
    for axle in (front, rear):
        axle["suspension"]["spring"] = {"rate": 61.0e3, "preload": 5900.0}
    raw["axles"] = [front]
    for i in range(axles - 1):
        further = copy.deepcopy(rear)
        further["suspension"]["wheel_centre_x"] = -2.9 - 0.97 * i
        raw["axles"].append(further)
    for axle in raw["axles"]:
        axle["brake_share"] = 1 / axles
    raw["body"]["mass"] = 1490.0 + 700 * (axles - 2)
    raw["body"]["cg"]["x"] = -1.31 - 0.35 * (axles - 2)
    raw["name"] = f"lead with {axles} axles"
    return raw


def road_train(units: int, axles: int = 3, kind: str = "joint") -> jv.Vehicle:
    raw = lead(axles)
    raw["trailers"] = [
        towed(axles, kind, back=-2.9 - 0.97 * axles if i == 0 else -4.9 - 1.07 * axles) for i in range(units - 1)
    ]
    return vehicle_of(raw)
