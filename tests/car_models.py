"""The example car, and what tests of whole cars share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import jounce.vehicle as jv
from four_wheels import CORNERS
from jounce.components.tire.base import Tire
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.symbolic.bodies import Body
from jounce.symbolic.system import System

Array = npt.NDArray[np.float64]

COMPACT = Path(__file__).parent / "vehicle" / "data" / "compact"
FORCE = "Tire.Ground_Surface_Force_"


def compact(**changes: Any) -> jv.Vehicle:
    """The example car with its driver in the middle, hence alike on both sides."""
    return jv.load(COMPACT).with_(**{"body.added_masses[0].location.y": 0.0, **changes})


def bodies(system: System) -> dict[str, Body]:
    """The rigid bodies of a system by name: chassis_mass, L1.carrier, …"""
    return {body.name: body for unit in system.units for body in unit.bodies}


def tires_with(vehicle: jv.Vehicle, **values: float) -> dict[str, Tire]:
    """The tires of a car with other numbers; corners of one file still share one tire."""
    found = car.tires_of(vehicle)
    changed = {id(t): t.with_values(**values) for t in found.values()}
    return {corner: changed[id(t)] for corner, t in found.items()}


def rolling(sim: Simulation, speed: float) -> Simulation:
    """The car at a speed, its wheels turning with it."""
    sim.set_states({"chassis.vx": speed})
    sim.set_states({f"{c}.wheel.spin": speed / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in CORNERS})
    return sim


def rates(sim: Simulation) -> dict[str, float]:
    """Time derivatives of the states, by name."""
    return dict(zip([v.name for v in sim.model.states], map(float, sim.derivatives()[0]), strict=True))


def outputs(sim: Simulation, **point: Any) -> dict[str, float]:
    """All channels at the current point, by name."""
    return dict(zip([v.name for v in sim.model.outputs], map(float, sim.outputs(**point)), strict=True))


def drop_everything(vehicle: jv.Vehicle, *names: str) -> jv.Vehicle:
    """Remove parts of both suspensions, those that are there."""
    for axle in ("front_suspension", "rear_suspension"):
        found = [n for n in names if getattr(getattr(vehicle, axle), n)]
        vehicle = vehicle.with_(**{f"{axle}.{n}": None for n in found})
    return vehicle
