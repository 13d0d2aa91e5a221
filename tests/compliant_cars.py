"""Cars and rigs whose wheels give way, for tests of compliance: numbers that are all different."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics, steady

Raw = dict[str, Any]
PROPERTIES = ("x", "y", "toe", "camber", "side_view_angle")
WORDS = {"x": "base", "y": "track", "toe": "toe", "camber": "camber", "side_view_angle": "side_view"}
LOADS = {"fx": "Force_X", "fy": "Force_Y", "mz": "Moment_Z", "fz": "Force_Z"}
CORNERS = ("L1", "R1", "L2", "R2")

# Slopes of the left wheel, SI: rad/N, m/N, rad/(N m), m/(N m). What a load does to its own contact dominates.
FRONT: Raw = {
    "x": {"fx": 2.9e-6, "fy": 1.1e-7, "mz": 1.3e-6, "fz": 1.7e-8},
    "y": {"fx": -0.9e-7, "fy": 0.57e-6, "mz": 0.7e-6, "fz": -2.3e-8},
    "toe": {"fx": 0.6e-6, "fy": 1.55e-6, "mz": -7.3e-5, "fz": 1.9e-7},
    "camber": {"fx": 1.2e-7, "fy": -5.3e-6, "mz": -3.1e-6, "fz": 0.8e-7},
    "side_view_angle": {"fx": 6.7e-6, "fy": 2.1e-7, "mz": 1.9e-6, "fz": -1.1e-7},
    "cross": {
        "x": {"fx": 2.7e-7, "fy": 1.9e-8, "mz": 2.2e-7},
        "y": {"fx": 1.4e-8, "fy": 0.9e-7, "mz": -1.6e-7},
        "toe": {"fx": 0.7e-7, "fy": 1.3e-7, "mz": 6.1e-6},
        "camber": {"fx": -1.5e-8, "fy": 3.7e-7, "mz": 2.6e-7},
        "side_view_angle": {"fx": 4.9e-7, "fy": -1.2e-8, "mz": 2.4e-7},
    },
}
REAR: Raw = {
    "x": {"fx": 2.3e-6, "fy": -1.4e-7, "mz": 0.9e-6, "fz": -1.3e-8},
    "y": {"fx": 1.2e-7, "fy": 0.41e-6, "mz": -0.5e-6, "fz": 1.8e-8},
    "toe": {"fx": -0.4e-6, "fy": -0.45e-6, "mz": -1.7e-5, "fz": -1.4e-7},
    "camber": {"fx": -0.8e-7, "fy": -4.6e-6, "mz": 2.2e-6, "fz": -0.6e-7},
    "side_view_angle": {"fx": 5.9e-6, "fy": -1.6e-7, "mz": -1.3e-6, "fz": 0.9e-7},
    "cross": {
        "x": {"fx": -1.9e-7, "fy": 2.9e-8, "mz": -1.8e-7},
        "y": {"fx": -2.4e-8, "fy": 1.3e-7, "mz": 1.1e-7},
        "toe": {"fx": -0.5e-7, "fy": 0.8e-7, "mz": -3.3e-6},
        "camber": {"fx": 2.5e-8, "fy": -2.9e-7, "mz": 3.4e-7},
        "side_view_angle": {"fx": -3.6e-7, "fy": 2.2e-8, "mz": -1.7e-7},
    },
}
DRIVING = 0.83  # slopes over Fx of a wheel that is not braked, over those of one that is
for _group in (FRONT, REAR, FRONT["cross"], REAR["cross"]):
    for _name in PROPERTIES:
        _slope = _group[_name].pop("fx")
        _group[_name] |= {"fx_brake": _slope, "fx_drive": DRIVING * _slope}
AXLES = {"front": FRONT, "rear": REAR}


def mirrored(name: str, load: str) -> float:
    """What the slope of the right wheel is over that of the left: signs of F_y, M_z and y turn in a mirror."""
    return (-1.0 if load in ("fy", "mz") else 1.0) * (-1.0 if name == "y" else 1.0)


def with_compliance(vehicle: jv.Vehicle, **more: Any) -> jv.Vehicle:
    """All maps of both axles as rates; one structure for all cars that share theirs without."""
    changes: Raw = {}
    for end, maps in AXLES.items():
        changes[f"{end}_suspension.compliance"] = {**copy.deepcopy(maps), "contributions": True, **more}
    return vehicle.with_(**changes)


@lru_cache
def rigid_car(name: str = "sedan") -> jv.Vehicle:
    """A car of the library whose suspensions do not give way."""
    return jv.load(name).with_(**{f"{axle}_suspension.compliance": None for axle in AXLES})


def library_car(name: str = "sedan", **more: Any) -> jv.Vehicle:
    return with_compliance(jv.load(name), **more)


def scaled(vehicle: jv.Vehicle, factor: float) -> jv.Vehicle:
    return vehicle.with_(**{f"{end}_suspension.compliance.factor": factor for end in AXLES})


def modes(vehicle: jv.Vehicle) -> Iterator[tuple[float, npt.NDArray[np.complex128]]]:
    """Speed and eigenvalues of the exact linearisation, from standstill to top speed.

    A car with an engine is not held at walking pace by its throttle (a converter creeps faster, a clutch is open), nor
    has every one of them the power for 60 m/s.
    """
    speeds = (0.0, 1.0, 20.0, 60.0) if vehicle.driveline is None else (0.0, 4.0, 20.0, 50.0)
    description = car.describe(vehicle)
    linear = car.lineariser(description)
    for speed in speeds:
        sim = car.simulation(description)
        statics.settle(sim, description)
        if speed:
            steady.run_steadily(sim, description, speed)
        yield speed, linear.at(sim).eigenvalues()


def without_friction(vehicle: jv.Vehicle) -> jv.Vehicle:
    """The car with next to no friction in its suspensions: it comes to rest in one place, whatever the way there."""
    elements = {end: axle.data.suspension.elements for end, axle in zip(AXLES, vehicle.layout.axles, strict=True)}
    rubs = [
        f"{end}_suspension.elements[{k}].force"
        for end, found in elements.items()
        for k, element in enumerate(found)
        if element.kind == "friction"
    ]
    return vehicle.with_(**dict.fromkeys(rubs, 1e-9))


@lru_cache
def rig(compliance: str) -> jv.Vehicle:
    """One axle with a compliance that is given as the text of a dictionary (hashable)."""
    raw = one_axle()
    raw["axles"][0]["suspension"]["compliance"] = ast.literal_eval(compliance)
    return vehicle_of(raw)


def rig_simulation(compliance: Raw, **options: Any) -> Simulation:
    """The rig in motion: it rolls, slips, turns, and its wheels have travel."""
    sim = car.simulation(rig(repr(compliance)), **options)
    stir(sim)
    return sim


def stir(sim: Simulation, places: tuple[str, ...] = ("L1", "R1")) -> None:
    """A state with loads of all kinds, different at every wheel."""
    sim.set_states({"chassis.vx": 17.0, "chassis.vy": 0.3, "chassis.wz": 0.11})
    sim.set_states({"chassis.z": sim.state("chassis.z") - 0.03})
    for i, place in enumerate(places):
        spin = 17.0 / sim.output(f"Tire.Effective_Rolling_Radius.{place}")
        sim.set_states(
            {
                f"{place}.jounce": 0.021 - 0.013 * i,
                f"{place}.wheel.spin": spin * (0.99 + 0.004 * i),
                f"{place}.tire.u": -0.0021 + 0.0011 * i,
                f"{place}.tire.v": 0.0043 - 0.0017 * i,
            }
        )


def loads(sim: Simulation, place: str) -> dict[str, float]:
    return {load: sim.output(f"Tire.Ground_Surface_{word}.{place}") for load, word in LOADS.items()}


def loads_of_maps(sim: Simulation, place: str) -> dict[str, float]:
    """By the names of maps: Fx is that of braking where there is a brake moment, of driving elsewhere."""
    found = loads(sim, place)
    fx, braked = found.pop("fx"), sim.output(f"Brake_Moment.{place}") != 0
    return {**found, "fx_brake": fx if braked else 0.0, "fx_drive": 0.0 if braked else fx}


def other(place: str) -> str:
    return ("R" if place[0] == "L" else "L") + place[1:]


def expected(sim: Simulation, place: str, name: str, factor: float = 1.0) -> float:
    """What the rates above say for the loads of this moment."""
    maps = FRONT if place.endswith("1") else REAR
    own, others = loads_of_maps(sim, place), loads_of_maps(sim, other(place))
    right = place.startswith("R")
    direct = sum(c * own[f] * (mirrored(name, f) if right else 1.0) for f, c in maps[name].items())
    cross = sum(c * others[f] * (mirrored(name, f) if right else 1.0) for f, c in maps["cross"][name].items())
    return float(factor * (direct + cross))
