"""From vehicle data to a simulation: tires read, structure compiled or found in the cache, numbers set.

Which equations a car has is its structure: choices, presence of parts, kinds of curves, tire models. Cars of equal
structure share one binary; their numbers are set at run time, so that a study never compiles twice (docs/decisions).

>>> sim = simulation(load("sedan"))          # at design, not yet in equilibrium: see jounce.sim.statics
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import ref

from jounce.components.body.body import CHASSIS
from jounce.components.model import Relaxation
from jounce.components.part import Number, Part
from jounce.components.tire.base import Tire
from jounce.core.errors import ModelError, ParameterError, did_you_mean
from jounce.core.tables import Table
from jounce.files.tir import read_tir
from jounce.sim.car_model import Description, Ground, Normals, Structure, car, linear_car
from jounce.sim.linear import Lineariser
from jounce.vehicle.assembly import numbers as numbers_of
from jounce.vehicle.schema import Vehicle

if TYPE_CHECKING:
    from jounce.runtime.simulation import Library, Simulation

RELAXATIONS = ("states", "exact")
GROUNDS = ("level", "inclined", "road", "roads", "external", "external-points")

# Defaults of runs: two-step Adams-Bashforth at 1 ms.
METHOD = "AB-2"
STEP = 0.001


# linearisations asked for last, with the descriptions they are of
_linear: deque[tuple[ref[Description], tuple[tuple[str, ...] | None, tuple[str, ...]], Lineariser]] = deque(maxlen=4)


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> tuple[Tire, tuple[str, ...]]:
    """The tire of a file and what its reader warned of."""
    file = read_tir(path)
    return file.tire, tuple(f"tire {path.name}: {warning}" for warning in file.report.warnings)


def tires_of(vehicle: Vehicle) -> dict[str, Tire]:
    """Tire of each wheel, and of second tires (L2_twin …), from the files the vehicle names.

    Places of one file share one object.
    """
    return {place: _read(path, path.stat().st_mtime_ns)[0] for place, path in _tire_files(vehicle).items()}


def tire_warnings(vehicle: Vehicle) -> list[str]:
    """What the readers of these files warned of, each once."""
    files = dict.fromkeys(_tire_files(vehicle).values())
    return [text for path in files for text in _read(path, path.stat().st_mtime_ns)[1]]


def _tire_files(vehicle: Vehicle) -> dict[str, Path]:
    files = {}
    for tire, wheel in vehicle.layout.tires.items():
        data = wheel.axle.data.wheels_on(wheel.side)
        found = data.tire if tire == wheel.name else data.twin_tire
        assert found is not None
        files[tire] = Path(found.path)
    return files


def describe(
    vehicle: Vehicle | Mapping[str, Vehicle],
    tires: Mapping[str, Tire] | None = None,
    ground: Ground = "level",
    *,
    road_inputs: bool = False,
    smoothed: bool = False,
    normals: Normals = "surface",
    patch: bool = False,
    relaxation: Relaxation = "states",
    tire_inputs: Sequence[str] = (),
    inputs: Sequence[str] = (),
    parts: Sequence[Part] | Mapping[str, Sequence[Part]] = (),
) -> Description:
    """Collect what a vehicle, or several in one model, are made from.

    Parameters
    ----------
    vehicle : one, or several by the prefix of their names: ``{"lead": sedan, "behind": suv}`` has ``lead.L1.jounce`` …
    tires : by wheel instead of those the vehicle names. A second tire (``L2_twin`` …) that is not among them is as the
        first one
    ground : what they stand on
    road_inputs : whether the inputs ``road.L1`` … add a height to the ground under each wheel, on any ground
    smoothed : whether a road grows out of a plane at the start of a run (parameters ``smoothing.*``)
    normals : of roads: of their surface, of three points (``ground.spacing``), or vertical
    patch : whether wheels tell the road where they point, for enveloping contacts (``jounce.road.envelope``)
    relaxation : contact deflections of transient tires are ``states`` that are integrated with the car, or follow by
        the ``exact`` update from step to step (docs/tires.md): stable at any step and speed. Steady running is
        found with states, see ``take_over``
    tire_inputs : scaling factors of the tires that change within a run: ("LMUY",) gives the inputs ``L1.tire.LMUY`` …,
        factors on those of the file, 1 by default
    inputs : ports that a run gives or changes from outside, by the names of the catalogue (``Main_Spring.force.L1``)
    parts : further parts, such as a driver or a controller; by prefix for several vehicles
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
    vehicles = dict(vehicle) if isinstance(vehicle, Mapping) else {"": vehicle}
    for name in vehicles if len(vehicles) > 1 else ():
        if not name.isidentifier():
            raise ParameterError(f"vehicle {name!r}: several vehicles in one model need names of letters and digits")
    given = {name: tuple(items) for name, items in parts.items()} if isinstance(parts, Mapping) else {"": tuple(parts)}
    return Description(
        vehicles,
        _all_tires(vehicles, tires),
        ground,
        road_inputs,
        smoothed,
        normals,
        patch,
        relaxation,
        tuple(tire_inputs),
        tuple(dict.fromkeys(inputs)),
        {name: items for name, items in given.items() if items},
    )


def _all_tires(vehicles: Mapping[str, Vehicle], given: Mapping[str, Tire] | None) -> dict[str, Tire]:
    """Every tire by its full name, those of wheels before second ones."""
    result: dict[str, Tire] = {}
    for name, vehicle in vehicles.items():
        prefix = f"{name}." if name else ""
        own = {f"{prefix}{tire}": found for tire, found in tires_of(vehicle).items()} if given is None else dict(given)
        wheels = vehicle.layout.tires
        missing = [f"{prefix}{w.name}" for w in wheels.values() if f"{prefix}{w.name}" not in own]
        if missing:
            expected = ", ".join(f"{prefix}{wheel}" for wheel in vehicle.layout.wheels)
            raise ParameterError(f"tires: {missing[0]!r} is missing; expected one for each of {expected}")
        for tire, wheel in wheels.items():
            result[f"{prefix}{tire}"] = own.get(f"{prefix}{tire}", own[f"{prefix}{wheel.name}"])
    return result


def ports(vehicle: Vehicle | Description, parts: Sequence[Part] = ()) -> dict[str, tuple[str, str, str]]:
    """Inputs that a run may give a vehicle, by name: mode, unit and what it does. Nothing is compiled for it.

    Modes: ``added`` to what the model computes, ``flag`` (1 keeps, 0 removes), ``scale`` (a factor), ``replacing``,
    ``command`` (a demand of the driver). ``parts``: further ones that the run has.
    """
    description = vehicle if isinstance(vehicle, Description) else describe(vehicle, parts=parts)
    found = Structure(description.changed(inputs=())).system().notes["ports"]
    return {name: (mode, unit, doc) for name, (mode, unit, doc) in sorted(found.items())}


def numbers(description: Description) -> dict[str, Number]:
    """Parameters and tables of the vehicles by name, each computed when it is called; more than a model declares."""
    return numbers_of(description.places, description.tires, description.further)


def library(description: Description) -> Library:
    """The compiled model of cars of this structure, from the cache when it is there."""
    return car.build(Structure(description))


def lineariser(
    description: Description, inputs: Sequence[str] | None = None, outputs: Sequence[str] = ()
) -> Lineariser:
    """The exact linearisation of cars of this structure, over the demands of their drivers unless inputs are given.

    Inputs may name parameters, too: what a set-up adjusts.
    """
    chosen = None if inputs is None else tuple(inputs), tuple(outputs)
    for known, key, found in _linear:  # a description does not change; finding its key takes longer than a search
        if known() is description and key == chosen:
            return found
    made = Lineariser(linear_car.generate(Structure(description), *chosen))
    _linear.append((ref(description), chosen, made))
    return made


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
    model = library(description)
    found = numbers(description)
    sim = Simulation(model, method=method, step=step, tables=_tables(model, found))
    _set(sim, description, found)
    if any(hasattr(tire.model, "exchange") for tire in description.tires.values()):  # tires from outside
        from jounce.components.tire.sti import bind_tires

        bind_tires(sim, description.tires)
    return sim


def set_numbers(sim: Simulation, description: Description) -> None:
    """Give a simulation the numbers of a car of its structure; the bodies go to their places at design."""
    found = numbers(description)
    sim.set_tables(_tables(sim.library, found))
    _set(sim, description, found)


def _tables(library: Library, found: Mapping[str, Number]) -> dict[str, Table]:
    return {name: found[name]() for name in library.model.tables if name in found}  # type: ignore[misc]


def _set(sim: Simulation, description: Description, found: Mapping[str, Number]) -> None:
    lost = [name for name in sim.model.notes["bound"] if name not in found]
    if lost:
        raise ModelError(f"the number {lost[0]!r} is not among the data of the vehicle; this is a bug of its part")
    # what comes from no data is the same in all vehicles: its default
    values = {v.name: found[v.name]() if v.name in found else v.default for v in sim.model.parameters}
    sim.set_parameters(values)  # type: ignore[arg-type]
    for place in description.places:
        first = place.units[0]  # the others stand where they are coupled
        names = [f"{first.prefix}{CHASSIS}.{axis}" for axis in "xyz"]
        sim.set_states(dict(zip(names, map(float, first.origins[""]), strict=True)))


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
    "ports",
    "simulation",
    "take_over",
    "tire_warnings",
    "tires_of",
]
