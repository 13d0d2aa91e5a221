"""From vehicle data to a simulation: tires read, structure compiled or found in the cache, numbers set.

Which equations a car has is its structure: choices, presence of parts, kinds of curves, tire models. Cars of equal
structure share one binary; their numbers are set at run time, so that a study never compiles twice (docs/decisions).

>>> sim = simulation(load("sedan"))          # at design, not yet in equilibrium: see jounce.sim.statics
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jounce.components.tire.base import Tire
from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.generated import GeneratedModel
from jounce.files.tir import read_tir
from jounce.road.ground import Service
from jounce.sim.build import recipe
from jounce.sim.linear import Lineariser
from jounce.symbolic.numbers import Numbers
from jounce.vehicle.assembly import CORNERS, assemble
from jounce.vehicle.schema import Vehicle

if TYPE_CHECKING:
    from jounce.runtime.simulation import Library, Simulation
    from jounce.symbolic.system import System

# level and inclined: the built-in plane; road: an outside function, bound by name "ground"; roads: one per wheel,
# "ground_L1" …
Ground = Literal["level", "inclined", "road", "roads"]
GROUNDS = ("level", "inclined", "road", "roads")

# Defaults of runs: two-step Adams-Bashforth at 1 ms.
METHOD = "AB-2"
STEP = 0.001


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> Tire:
    return read_tir(path).tire


def tires_of(vehicle: Vehicle) -> dict[str, Tire]:
    """Tire of each corner, from the files the vehicle names; corners of one file share one object."""
    found = {}
    for corner, (axle, side) in CORNERS.items():
        path = Path(vehicle.wheels(axle, side).tire.path)
        found[corner] = _read(path, path.stat().st_mtime_ns)
    return found


@dataclass(frozen=True)
class Description:
    """What a car's equations are made from."""

    vehicle: Vehicle
    tires: Mapping[str, Tire]
    ground: Ground = "level"


class Structure:
    """A description as the argument of a recipe: known to the cache by its structure only."""

    def __init__(self, description: Description) -> None:
        self.description = description

    def to_dict(self) -> dict[str, Any]:
        d = self.description
        first: dict[int, str] = {}
        shared = [first.setdefault(id(d.tires[corner]), corner) for corner in CORNERS]
        models = [f"{type(t.model).__module__} {t.model!r}" for t in (d.tires[c] for c in CORNERS)]
        return {"vehicle": d.vehicle.structure_key(), "tires": shared, "models": models, "ground": d.ground}

    def system(self, system: Any = None) -> System:
        d = self.description
        target = {} if system is None else {"system": system}
        if d.ground in ("road", "roads"):
            declare_on = system if system is not None else _new_system()
            names = [f"ground_{c}" for c in CORNERS] if d.ground == "roads" else ["ground"]
            services = [Service.declare(declare_on, name) for name in names]
            ground: Any = dict(zip(CORNERS, services, strict=True)) if d.ground == "roads" else services[0]
            return assemble(d.vehicle, d.tires, ground=ground, system=declare_on)
        return assemble(d.vehicle, d.tires, inclined=d.ground == "inclined", **target)


def _new_system() -> System:
    from jounce.symbolic.system import System

    return System("car")


@recipe
def _car(structure: Structure) -> System:
    return structure.system()


@recipe
def _linear_car(structure: Structure, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> GeneratedModel:
    return structure.system().generate_linear(inputs=list(inputs), outputs=list(outputs))


def describe(vehicle: Vehicle, tires: Mapping[str, Tire] | None = None, ground: Ground = "level") -> Description:
    """Collect what a car is made from; ``tires`` by corner instead of those the vehicle names."""
    if ground not in GROUNDS:
        raise ParameterError(f"ground = {ground!r}{did_you_mean(str(ground), GROUNDS)}")
    found = dict(tires) if tires is not None else tires_of(vehicle)
    missing = [corner for corner in CORNERS if corner not in found]
    if missing:
        raise ParameterError(f"tires: {missing[0]!r} is missing; expected one for each of {', '.join(CORNERS)}")
    return Description(vehicle, found, ground)


def numbers(description: Description) -> Numbers:
    """Parameters and tables of a car, by name, without deriving anything."""
    result = Numbers()
    Structure(description).system(result)
    return result


def library(description: Description) -> Library:
    """The compiled model of cars of this structure, from the cache when it is there."""
    return _car.build(Structure(description))


DRIVER_INPUTS = ("steering_wheel", "throttle", "brake")


def lineariser(
    description: Description, inputs: Sequence[str] = DRIVER_INPUTS, outputs: Sequence[str] = ()
) -> Lineariser:
    """The exact linearisation of cars of this structure."""
    return Lineariser(_linear_car.generate(Structure(description), tuple(inputs), tuple(outputs)))


def simulation(
    vehicle: Vehicle | Description,
    *,
    tires: Mapping[str, Tire] | None = None,
    ground: Ground = "level",
    method: str = METHOD,
    step: float = STEP,
) -> Simulation:
    """A simulation of a car with its numbers set, at design; put it on the ground with ``statics.settle``."""
    from jounce.runtime.simulation import Simulation

    description = vehicle if isinstance(vehicle, Description) else describe(vehicle, tires, ground)
    sim = Simulation(library(description), method=method, step=step)
    set_numbers(sim, description)
    return sim


def set_numbers(sim: Simulation, description: Description) -> None:
    """Give a simulation the numbers of a car of its structure; the body goes to its place at design."""
    found = numbers(description)
    sim.set_parameters(found.parameters)
    sim.set_tables(found.tables)
    centre = description.vehicle.body.centre()
    sim.set_states({f"chassis.{axis}": float(centre[i]) for i, axis in enumerate("xyz")})


__all__ = ["Description", "describe", "library", "lineariser", "numbers", "simulation", "tires_of"]
