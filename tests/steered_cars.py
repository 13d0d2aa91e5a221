"""Cars and helpers for tests of the steering.

The synthetic car has front carriers that really turn about a given axis with a tie rod of constant length: the carrier
turned by ϑ about the axis has the wheel centre P + R(ϑ)(−P) and moves up by z(ϑ); its maps over rack travel follow.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

import jounce.vehicle as jv
from four_wheels import CORNERS, assemble
from jounce.components.model import Choices, VehicleModel
from jounce.components.steering.steering import Steering
from jounce.files.tir import read_tir
from jounce.road.ground import Plane
from jounce.runtime.simulation import Library, Simulation
from jounce.symbolic.system import System
from jounce.vehicle.assembly import placed, run_phases

DATA = Path(__file__).parent / "vehicle" / "data" / "compact"


CASTER, INCLINATION = math.radians(6), math.radians(12)


AXIS = np.array([-math.tan(CASTER), -math.tan(INCLINATION), 1.0])
AXIS /= np.linalg.norm(AXIS)


POINT = np.array([-0.010, -0.060, 0.020])  # of the left axis, from the wheel centre at design


OUTER, INNER = np.array([-0.120, -0.100, -0.050]), np.array([-0.120, -0.450, -0.040])


ANGLES = 0.3 * np.cos(np.pi * np.arange(61) / 60)  # dense at the ends, for polynomials


RACK = -0.058  # m/rev: behind the axle


Array = np.ndarray[Any, np.dtype[np.float64]]


def system_of(car: jv.Vehicle, **options: Any) -> System:
    front, rear = read_tir(car.front_wheels.tire.path).tire, read_tir(car.rear_wheels.tire.path).tire
    return assemble(car, {c: front if axle == 1 else rear for c, (axle, _) in CORNERS.items()}, **options)


def turned(angle: float) -> Array:
    """Rotation about the left axis (Rodrigues)."""
    skew = np.cross(AXIS, np.eye(3)).T
    return np.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew


def shift(angle: float) -> Array:
    """Displacement of the left wheel centre."""
    return POINT - turned(angle) @ POINT


def rack_at(angle: float) -> float:
    """Rack travel at which the tie rod fits."""
    end = shift(angle) + turned(angle) @ OUTER - INNER
    length = np.linalg.norm(OUTER - INNER)
    return float(end[1] - math.sqrt(length**2 - end[0] ** 2 - end[2] ** 2))


def synthetic(sequence: str = "3-1-2", **changes: Any) -> jv.Vehicle:
    rack = np.array([rack_at(a) for a in ANGLES])
    order = np.argsort(rack)
    turns = [turned(a) for a in ANGLES]
    moved = np.array([shift(a) for a in ANGLES])
    values = {
        "steer": [math.atan2(-r[0, 1], r[1, 1]) for r in turns],
        "camber": [-math.asin(r[2, 1]) for r in turns],
        "side_view_angle": [-math.atan2(-r[2, 0], r[2, 2]) for r in turns],
        "x": moved[:, 0],
        "y": moved[:, 1],
    }
    if sequence == "3-2-1":
        values |= {
            "steer": [math.atan2(r[1, 0], r[0, 0]) for r in turns],
            "side_view_angle": [math.asin(r[2, 0]) for r in turns],
            "camber": [-math.atan2(r[2, 1], r[2, 2]) for r in turns],
        }
    maps = {name: {"x": rack[order].tolist(), "y": np.array(v)[order].tolist()} for name, v in values.items()}
    travels = [-0.1, 0.1]
    rises = {
        "x": rack[order].tolist(),
        "z": travels,
        "y": [[float(POINT[2] + j - z) for j in travels] for z in moved[order, 2]],
    }
    car = jv.load(DATA)
    car = car.with_(
        **{
            "body.added_masses[0].location.y": 0.0,
            "system.carrier_rotation": sequence,
            "system.kinematic_maps.polynomial": True,
            "system.kinematic_maps.polynomial_order": 15,
            "front_suspension.toe": 0.0,
            "front_suspension.camber": 0.0,
            "front_suspension.side_view_angle": 0.0,
            "front_suspension.spring.ratio": 1.0,
            "steering": Steering.model_validate({
                "input": "rack_travel",
                "rack_travel": f"{RACK} m/rev",
                "steering_dependent_wheel_location": True,
                **maps,
                "kingpin": {
                    "caster": CASTER, "inclination": INCLINATION,
                    "x": float(POINT[0]), "y": float(POINT[1]), "z": rises,
                },
                "feedback": {"tie_rod": {"outer": OUTER.tolist(), "inner": INNER.tolist()}},
            }),
        }
    )  # fmt: skip
    return car.with_(**changes)


def carrier_pose(car: jv.Vehicle, place: str, **values: float) -> tuple[Array, Array]:
    """Place (from design) and rotation of a carrier whose maps are rates, from the symbols themselves."""
    layout, tire = car.layout, read_tir(car.rear_wheels.tire.path).tire
    system = System("carriers")
    model = VehicleModel(layout, system, dict.fromkeys(CORNERS, Plane()), dict.fromkeys(CORNERS, tire), Choices())
    run_phases(model, placed(layout), ["provide", "frames"])
    here = model.wheels[place]
    known = {p.name: p.default for p in system.parameter_list} | values
    known["steering.angle0"] = values.get("steering_wheel", 0.0) / car.steering.gear_ratio_scale
    entries = ca.vertcat(here.pose.x, here.pose.y, *(e for row in here.carrier.rotation for e in row))
    symbols = ca.symvar(entries)
    numbers = [known.get(str(s), 0.0) for s in symbols]
    found = np.array(ca.Function("pose", [ca.vertcat(*symbols)], [entries])(numbers)).ravel()
    return found[:2], found[2:].reshape(3, 3)


COMPACT = {
    "body.added_masses[0].location.y": 0.0,
    "steering.column": {"wind_up": "1e-4 rad/(N.m)"},
    "steering.release": {"inertia": 0.02, "damping": 0.3},
    "steering.feedback.servo_scaling": {"x": [0, 10, 20, 30], "y": [0.2, 0.4, 0.7, 1.0]},
    "steering.gear_ratio_scale": 1.25,
}


def slipping(sim: Simulation, speed: float = 20.0, sideways: float = -0.6, spin: float = 0.98) -> Simulation:
    """Rolling with side slip and a little braking slip."""
    sim.set_states({"chassis.vx": speed, "chassis.vy": sideways})
    sim.set_states({f"{c}.wheel.spin": spin * speed / 0.3 for c in CORNERS})
    for c in CORNERS:  # deflections that carry forces
        sim.set_states({f"{c}.tire.u": -0.002, f"{c}.tire.v": -0.004})
    return sim


def ground(sim: Simulation, place: str) -> dict[str, float]:
    names = {"x": "Force_X", "y": "Force_Y", "z": "Force_Z", "mx": "Moment_X", "mz": "Moment_Z"}
    return {n: sim.output(f"Tire.Ground_Surface_{c}.{place}") for n, c in names.items()}


def bump_steering() -> jv.Vehicle:
    """The synthetic car with steer over rack and travel."""
    car = synthetic(**WORKING)
    found = car.steering.steer.curve
    table = {"x": found.x, "z": (-0.1, 0.1), "y": [[steer_at(d, u, j) for j in (-0.1, 0.1)] for u, d in
             zip(found.x, found.y, strict=True)]}  # fmt: skip
    return car.with_(
        **{"steering.method": "steer_map", "steering.steer": {**table, "x": list(found.x), "z": [-0.1, 0.1]}}
    )


def steer_at(straight: float, rack: float, travel: float) -> float:
    return straight + travel * (0.4 + 5 * rack)


WORKING = {
    "steering.feedback.method": "virtual_work",
    "steering.feedback.inertia_terms": True,
    "system.steering_acceleration": True,
    "aero": None,
}


def in_the_air(library: Library) -> Simulation:
    """The car flies, its wheels spin, no spring or damper acts."""
    sim = Simulation(library)
    sim.set_states({"chassis.z": 30.0, "chassis.vx": 20.0, "chassis.wx": 0.1, "chassis.wz": 0.2})
    sim.set_states({f"{c}.wheel.spin": 70.0 for c in CORNERS})
    off = [p for p in sim.parameters if p.endswith((".scale", "anti_roll_bar.stiffness", "preload"))]
    sim.set_parameters(
        {p: 0.0 for p in off if p.split(".")[1] not in ("x", "y", "toe", "camber", "side_view_angle", "steering")}
    )
    return sim


def rotation(axis: str, angle: float) -> Array:
    c, s, i = math.cos(angle), math.sin(angle), "xyz".index(axis)
    m = np.eye(3)
    j, k = (i + 1) % 3, (i + 2) % 3
    m[j, j], m[j, k], m[k, j], m[k, k] = c, -s, s, c
    return m
