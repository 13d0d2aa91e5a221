"""A car with a trailer that has overrun brakes, a friction strut and spring bars; with its laws."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jounce.vehicle as jv
from axle_lists import vehicle_of
from body_rig import with_laws
from jounce.runtime.simulation import Library, Simulation
from jounce.sim import car
from jounce.sim.build import build
from trains import raw_car, trailer

STRUT = {
    "kind": "sway_control", "towing": [-3.49, 0.51, 0.44], "towed": [-0.31, 0.21, 0.47], "locking_force": 1300.0,
    "friction": 0.4,
}  # fmt: skip
BARS = {
    "kind": "weight_distribution", "hinge": [-3.37, 0.2, 0.41], "bar_end": [-3.97, 0.2, 0.39],
    "chain_end": [-0.44, 0.2, 0.61], "stiffness": 9.1e5, "damping": 130.0,
}  # fmt: skip
OVERRUN = {
    "kind": "overrun", "mu": 0.37, "effective_radius": 0.17, "lower_threshold": 900.0, "upper_threshold": 4700.0,
    "largest_force": 2300.0, "reverse_share": 0.07, "lag": 0.04,
}  # fmt: skip


def raw(**changes: Any) -> dict[str, Any]:
    """The trailer, its tongue load about a twentieth of its weight."""
    found = trailer()
    found["body"]["cg"] = {"x": -3.59, "y": 0.0, "z": 0.87}
    found["hitch"]["devices"] = [STRUT, BARS]
    found["axles"][0]["brake"] = OVERRUN
    return {**raw_car(), "name": "towing", "trailers": [{**found, **changes}]}


@lru_cache
def vehicle() -> jv.Vehicle:
    return vehicle_of(raw())


@lru_cache
def description() -> car.Description:
    return car.describe(vehicle(), ground="inclined")


def towing() -> Simulation:
    return car.simulation(description())


@lru_cache
def library() -> Library:
    return build(with_laws(car.Structure(description()).system()))


def flying(**states: float) -> Simulation:
    """The train in the air, bent and in motion."""
    sim = Simulation(library())
    car.set_numbers(sim, description())
    values = {
        "chassis.z": 40.0, "chassis.vx": 9.0, "chassis.vy": 1.3, "chassis.vz": -0.7, "chassis.wx": 0.33,
        "chassis.wy": -0.21, "chassis.wz": 0.47, "unit2.hitch.yaw": 0.31, "unit2.hitch.pitch": -0.06,
        "unit2.hitch.roll": 0.05, "unit2.hitch.yaw.rate": -0.53, "unit2.hitch.pitch.rate": 0.37,
        "unit2.hitch.roll.rate": 0.29,
    }  # fmt: skip
    sim.set_states({**values, **states})
    return sim
