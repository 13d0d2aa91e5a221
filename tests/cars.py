"""Cars for tests: the example car with both sides alike, and versions of it for which closed forms exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jounce.vehicle as jv
from four_wheels import CORNERS
from jounce.runtime.simulation import Simulation
from jounce.sim import car

DATA = Path(__file__).parent / "vehicle" / "data" / "compact"
FORCE = "Tire.Ground_Surface_Force_"
MOMENT = "Tire.Ground_Surface_Moment_"
AXLES = ("front", "rear")
TRUCKS = ("box_van", "car_caravan", "rigid_truck", "tractor_semitrailer")  # of the library, and trains


def library_cars() -> list[str]:
    """Cars of the library without its trucks and trains."""
    return [name for name in jv.library_names() if name not in TRUCKS]


def compact(**changes: Any) -> jv.Vehicle:
    """The example car with its driver in the middle: both sides are alike."""
    return jv.load(DATA).with_(**{"body.added_masses[0].location.y": 0.0}, **changes)


def plain(vehicle: jv.Vehicle) -> dict[str, Any]:
    """Changes after which wheels move straight up and down and stand upright, without another structure."""
    changes: dict[str, Any] = {}
    for axle in AXLES:
        for name in ("x", "y", "toe", "camber", "side_view_angle"):
            changes[f"{axle}_suspension.{name}.scale"] = 0.0
        for name in ("toe", "camber"):
            changes[f"{axle}_suspension.{name}.offset"] = 0.0
    return changes


def without_air(vehicle: jv.Vehicle) -> dict[str, Any]:
    """Changes after which the air does nothing, without another structure."""
    return {f"aero.{name}.scale": 0.0 for name in ("drag", "front_downforce", "rear_downforce")}


def balanced(vehicle: jv.Vehicle, tires: Any = None) -> jv.Vehicle:
    """The car with spring preloads and wheel heights at which it rests exactly at design.

    By the lever: the sprung weight on an axle, half of it per wheel, divided by the ratio of its spring.
    """
    tires = car.tires_of(vehicle) if tires is None else tires
    mass, centre, _ = vehicle.body.sprung()[0]
    g = vehicle.system.gravity
    x = {axle: vehicle.suspension(axle).wheel_centre_x for axle in (1, 2)}
    changes: dict[str, Any] = {}
    for axle, name in zip((1, 2), AXLES, strict=True):
        load = mass * g * abs(float(centre[0]) - x[3 - axle]) / (x[1] - x[2]) / 2
        spring = vehicle.suspension(axle).spring
        assert spring is not None and spring.ratio.constant is not None
        changes[f"{name}_suspension.spring.preload"] = load / spring.ratio.constant
        tire = tires[f"L{axle}"]
        total = load + vehicle.wheels(axle).unsprung_mass * g
        changes[f"{name}_wheels.wheel_centre_height"] = tire.values["UNLOADED_RADIUS"] - tire.deflection(total)
    return vehicle.with_(**changes)


def rolling(sim: Simulation, speed: float) -> Simulation:
    """The car at a speed, its wheels turning with it."""
    sim.set_states({"chassis.vx": speed})
    sim.set_states({f"{c}.wheel.spin": speed / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in CORNERS})
    return sim


def loads(sim: Simulation) -> dict[str, float]:
    return {c: sim.output(f"{FORCE}Z.{c}") for c in CORNERS}


def rates(sim: Simulation) -> dict[str, float]:
    """Rate of every state, by name."""
    return dict(zip((v.name for v in sim.model.states), sim.derivatives()[0], strict=True))
