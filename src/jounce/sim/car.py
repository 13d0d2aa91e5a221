"""From vehicle data to a simulation: tires read, structure compiled or found in the cache, numbers set.

Which equations a car has is its structure: choices, presence of parts, kinds of curves, tire models. Cars of equal
structure share one binary; their numbers are set at run time, so that a study never compiles twice (docs/decisions).

>>> sim = simulation(load("sedan"))          # at design, not yet in equilibrium: see jounce.sim.statics
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from jounce.components.tire.base import Tire
from jounce.components.tire.sti import bind_tires
from jounce.core.errors import ParameterError, did_you_mean
from jounce.files.tir import read_tir
from jounce.sim.car_model import Description, Ground, Normals, Structure, car, linear_car
from jounce.sim.linear import Lineariser
from jounce.symbolic.numbers import Numbers
from jounce.vehicle.assembly import CORNERS, Relaxation, twins
from jounce.vehicle.schema import Vehicle

if TYPE_CHECKING:
    from jounce.runtime.simulation import Library, Simulation

RELAXATIONS = ("states", "exact")
GROUNDS = ("level", "inclined", "road", "roads", "external", "external-points")

# Defaults of runs: two-step Adams-Bashforth at 1 ms.
METHOD = "AB-2"
STEP = 0.001


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> tuple[Tire, tuple[str, ...]]:
    """The tire of a file and what its reader warned of."""
    file = read_tir(path)
    return file.tire, tuple(f"tire {path.name}: {warning}" for warning in file.report.warnings)


def tires_of(vehicle: Vehicle) -> dict[str, Tire]:
    """Tire of each corner, and of second tires (L2_twin, R2_twin), from the files the vehicle names.

    Places of one file share one object.
    """
    return {place: _read(path, path.stat().st_mtime_ns)[0] for place, path in _tire_files(vehicle).items()}


def tire_warnings(vehicle: Vehicle) -> list[str]:
    """What the readers of these files warned of, each once."""
    files = dict.fromkeys(_tire_files(vehicle).values())
    return [text for path in files for text in _read(path, path.stat().st_mtime_ns)[1]]


def _tire_files(vehicle: Vehicle) -> dict[str, Path]:
    files = {corner: Path(vehicle.wheels(axle, side).tire.path) for corner, (axle, side) in CORNERS.items()}
    for corner, twin in twins(vehicle).items():
        second = vehicle.wheels(*CORNERS[corner]).twin_tire
        assert second is not None
        files[twin] = Path(second.path)
    return files


def describe(
    vehicle: Vehicle,
    tires: Mapping[str, Tire] | None = None,
    ground: Ground = "level",
    *,
    road_inputs: bool = False,
    smoothed: bool = False,
    normals: Normals = "surface",
    patch: bool = False,
    relaxation: Relaxation = "states",
    tire_inputs: Sequence[str] = (),
) -> Description:
    """Collect what a car is made from.

    Parameters
    ----------
    tires : by corner instead of those the vehicle names. A second tire (``L2_twin``, ``R2_twin``) that is not among
        them is as the first one
    ground : what it stands on
    road_inputs : whether the inputs ``road.L1`` … add a height to the ground under each wheel, on any ground
    smoothed : whether a road grows out of a plane at the start of a run (parameters ``smoothing.*``)
    normals : of roads: of their surface, of three points (``ground.spacing``), or vertical
    patch : whether wheels tell the road where they point, for enveloping contacts (``jounce.road.envelope``)
    relaxation : contact deflections of transient tires are ``states`` that are integrated with the car, or follow by
        the ``exact`` update from step to step (docs/tires.md): stable at any step and speed. Steady running is
        found with states, see ``take_over``
    tire_inputs : scaling factors of the tires that change within a run: ("LMUY",) gives the inputs ``L1.tire.LMUY`` …,
        factors on those of the file, 1 by default
    """
    if ground not in GROUNDS:
        raise ParameterError(f"ground = {ground!r}{did_you_mean(str(ground), GROUNDS)}")
    if smoothed and ground not in ("road", "roads"):
        raise ParameterError(f"smoothed: a road grows out of a plane; the ground is {ground!r}")
    if patch and (ground not in ("road", "roads") or normals != "surface"):
        raise ParameterError(f"patch: for the surfaces of roads; the ground is {ground!r}, its normals {normals!r}")
    if relaxation not in RELAXATIONS:
        raise ParameterError(f"relaxation = {relaxation!r}{did_you_mean(str(relaxation), RELAXATIONS)}")
    if isinstance(tire_inputs, str) or len(set(tire_inputs)) != len(tuple(tire_inputs)):
        raise ParameterError(f"tire_inputs = {tire_inputs!r}; expected names of scaling factors, each once")
    found = dict(tires) if tires is not None else tires_of(vehicle)
    missing = [corner for corner in CORNERS if corner not in found]
    if missing:
        raise ParameterError(f"tires: {missing[0]!r} is missing; expected one for each of {', '.join(CORNERS)}")
    for corner, twin in twins(vehicle).items():
        found.setdefault(twin, found[corner])
    return Description(vehicle, found, ground, road_inputs, smoothed, normals, patch, relaxation, tuple(tire_inputs))


def numbers(description: Description) -> Numbers:
    """Parameters and tables of a car, by name, without deriving anything."""
    result = Numbers()
    Structure(description).system(result)
    return result


def library(description: Description) -> Library:
    """The compiled model of cars of this structure, from the cache when it is there."""
    return car.build(Structure(description))


DRIVER_INPUTS = ("steering_wheel", "throttle", "brake")


def lineariser(
    description: Description, inputs: Sequence[str] = DRIVER_INPUTS, outputs: Sequence[str] = ()
) -> Lineariser:
    """The exact linearisation of cars of this structure."""
    return Lineariser(linear_car.generate(Structure(description), tuple(inputs), tuple(outputs)))


def simulation(
    vehicle: Vehicle | Description,
    *,
    tires: Mapping[str, Tire] | None = None,
    ground: Ground = "level",
    method: str = METHOD,
    step: float = STEP,
    road_inputs: bool = False,
    relaxation: Relaxation = "states",
    tire_inputs: Sequence[str] = (),
) -> Simulation:
    """A simulation of a car with its numbers set, at design; put it on the ground with ``statics.settle``.

    ``road_inputs``: with the inputs ``road.L1`` …, heights added to the ground under the wheels; the others as in
    ``describe``.
    """
    from jounce.runtime.simulation import Simulation

    description = vehicle
    if not isinstance(description, Description):
        description = describe(
            description, tires, ground, road_inputs=road_inputs, relaxation=relaxation, tire_inputs=tire_inputs
        )
    found = numbers(description)
    sim = Simulation(library(description), method=method, step=step, tables=found.tables)
    _set(sim, description, found)
    bind_tires(sim, description.tires)
    return sim


def set_numbers(sim: Simulation, description: Description) -> None:
    """Give a simulation the numbers of a car of its structure; the body goes to its place at design."""
    found = numbers(description)
    sim.set_tables(found.tables)
    _set(sim, description, found)


def _set(sim: Simulation, description: Description, found: Numbers) -> None:
    sim.set_parameters(found.parameters)
    centre = description.vehicle.body.centre()
    sim.set_states({f"chassis.{axis}": float(centre[i]) for i, axis in enumerate("xyz")})


def take_over(sim: Simulation, source: Simulation) -> None:
    """Bring a car to the state of another simulation of it that differs in how its tires relax.

    Statics and steady running are found with deflections that are states; a car with the ``exact`` update starts from
    there. States and memories are matched by their names; what the source does not have stays.
    """
    known = {v.name: source.state(v.name) for v in source.model.states}
    known |= {v.name: source.memory(v.name) for v in source.model.memories}
    sim.set_states({v.name: known[v.name] for v in sim.model.states if v.name in known})
    sim.set_memories({v.name: known[v.name] for v in sim.model.memories if v.name in known})
    given = {v.name: source.input(v.name) for v in source.model.inputs}
    sim.set_inputs({v.name: given[v.name] for v in sim.model.inputs if v.name in given})


__all__ = [
    "Description",
    "Ground",
    "Structure",
    "describe",
    "library",
    "lineariser",
    "numbers",
    "simulation",
    "take_over",
    "tire_warnings",
    "tires_of",
]
