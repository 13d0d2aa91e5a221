"""Vehicles as a system of equations: their parts, each at its place, in phases.

``placed`` says which parts a vehicle has and where they stand; ``assemble`` writes them into a ``System``; ``numbers``
gives the numbers of the same parts without a system, for a model that is compiled already. All three are walks over the
data: a new part is found by where it stands, nothing here knows it.

Numbers are parameters and tables of the system; choices of the data are structure. Outputs have the names of the
channel catalogue, values in SI and ISO 8855 signs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.components.basics import Array, on_side
from jounce.components.body.loads import Loads
from jounce.components.controllers.sensors import ChassisSensors
from jounce.components.driver.demands import Demands
from jounce.components.model import Choices, Opening, VehicleModel, tire_blocks
from jounce.components.part import Number, Part
from jounce.components.part import numbers as numbers_of
from jounce.components.places import AxlePlace, Place, UnitPlace, VehiclePlace, WheelPlace
from jounce.components.tire.base import Tire
from jounce.core.errors import ModelError, ParameterError, did_you_mean
from jounce.road.ground import Ground, Plane
from jounce.road.inputs import Raised

if TYPE_CHECKING:
    from jounce.symbolic.system import System

PHASES = ("provide", "frames", "declare", "connect", "close", "tell")
STEERING = "steering"  # prefix of the numbers of a steering, and at its wheels
LISTED = {
    "part": "parts",
    "sensor": "sensors",
    "force": "forces",
    "contact": "contacts",
}  # of a vehicle
ROAD = "Irregularity.road"  # inputs that lift the ground under a wheel


@dataclass(frozen=True)
class Placed:
    """A part at its place."""

    part: Part
    place: Place
    prefix: str  # of the names of its numbers
    below: str = ""  # what follows the prefix of a wheel in the names of those it has there
    index: int = 0  # among the parts of a list


def placed(vehicle: VehiclePlace, further: Sequence[Part] = ()) -> list[Placed]:
    """All parts of a vehicle, and further ones that a run adds to it."""
    data = vehicle.data
    result = [
        Placed(Demands(), vehicle, vehicle.prefix),
        Placed(ChassisSensors(), vehicle, f"{vehicle.prefix}sensors."),
    ]
    for unit in vehicle.units:
        result += [Placed(unit.data.body, unit, f"{unit.prefix}body."), Placed(Loads(), unit, unit.prefix)]
        if unit.data.hitch is not None:
            result.append(Placed(unit.data.hitch, unit, f"{unit.prefix}hitch."))
            result += [Placed(item, unit, f"{unit.prefix}hitch.{name}.") for name, item in unit.data.hitch.parts()]
        for inner, item in unit.data.body.parts():
            result += [Placed(item, unit, f"{unit.prefix}body.{inner}.")]
        if unit.data.aero is not None:
            result.append(Placed(unit.data.aero, unit, f"{unit.prefix}aero."))
        for axle in unit.axles:
            result += _of_axle(axle)
    for name in ("brakes", "drive" if data.driveline is None else "driveline"):
        found = getattr(data, name)
        if found is not None:
            result.append(Placed(found, vehicle, f"{vehicle.prefix}{name}."))
    listed = [(f"{word}{i + 1}", item) for word, items in LISTED.items() for i, item in enumerate(getattr(data, items))]
    kinds = [str(getattr(item, "kind", type(item).__name__)) for item in further]
    listed += [
        (kind + _again(kinds[:i], kind), item) for i, (kind, item) in enumerate(zip(kinds, further, strict=True))
    ]
    for name, item in listed:
        result += _at_level(item, name, vehicle)
    return result


@dataclass(frozen=True)
class Carried:
    """A body of a vehicle at design."""

    place: Place  # of the part that adds it
    mass: float
    centre: Array  # vehicle reference frame
    inertia: Array  # about it

    @property
    def sprung(self) -> bool:
        """Whether the springs of axles carry it."""
        return not isinstance(self.place, AxlePlace | WheelPlace)

    @property
    def properties(self) -> tuple[float, Array, Array]:
        return self.mass, self.centre, self.inertia


def bodies(vehicle: VehiclePlace, further: Sequence[Part] = ()) -> list[Carried]:
    """All bodies of a vehicle, of whatever part."""
    return [
        Carried(item.place, float(mass), np.asarray(centre, dtype=float) + _offset(item.place), inertia)
        for item in placed(vehicle, further)
        for mass, centre, inertia in item.part.bodies(item.place)
    ]


def bodies_of(unit: UnitPlace) -> list[Carried]:
    """Those of one unit; what is of the whole vehicle is of the first."""
    return [body for body in bodies(unit.vehicle) if (_unit(body.place) or unit.vehicle.units[0]) is unit]


def _unit(place: Place) -> UnitPlace | None:
    """The unit of a place, None of the whole vehicle."""
    if isinstance(place, VehiclePlace):
        return None
    return place if isinstance(place, UnitPlace) else place.unit if isinstance(place, AxlePlace) else place.axle.unit


def _offset(place: Place) -> Array:
    """Of the reference frame that a part's data are in, from that of the vehicle."""
    unit = _unit(place)
    return np.zeros(3) if unit is None else unit.offset


def axle_mass(axle: AxlePlace) -> float:
    """Mass that an axle moves with its wheels."""
    parts = _of_axle(axle)
    return math.fsum(float(mass) for item in parts for mass, *_ in item.part.bodies(item.place))


def _again(before: Sequence[str], kind: str) -> str:
    """What tells a part from those of its kind that a run has before it: 2, 3, …"""
    return str(before.count(kind) + 1) if kind in before else ""


def _of_axle(axle: AxlePlace) -> Iterator[Placed]:
    data = axle.data
    if data.steering is not None:
        yield Placed(data.steering, axle, f"{axle.vehicle.prefix}{STEERING}.", f"{STEERING}.")
    if data.actuators is not None:
        yield Placed(data.actuators, axle, f"{axle.prefix}{STEERING}.", f"{STEERING}.")
    yield Placed(data.suspension, axle, axle.prefix)
    yield Placed(data.wheels, axle, axle.prefix)
    named = [*data.suspension.parts()]
    if data.brake is not None:
        named.append(("brake", data.brake))
    named += data.further()
    for name, item in named:
        digits = name[len(name.rstrip("0123456789")) :]
        index = int(digits) - 1 if digits else 0
        if item.level == "axle":
            yield Placed(item, axle, f"{axle.prefix}{name}.", index=index)
        else:
            for wheel in axle.wheels:
                yield Placed(on_side(item, wheel.side), wheel, f"{wheel.prefix}{name}.", index=index)


def _at_level(item: Part, name: str, vehicle: VehiclePlace) -> list[Placed]:
    """A part at every place of its level."""
    places: dict[str, Iterable[Place]] = {
        "vehicle": [vehicle],
        "unit": vehicle.units,
        "axle": vehicle.axles,
        "wheel": vehicle.wheels.values(),
    }
    return [Placed(item, place, f"{place.prefix}{name}.") for place in places[item.level]]


# ---- the model -----------------------------------------------------------------------------------------------------


def assemble(
    vehicles: Sequence[VehiclePlace],
    tires: Mapping[str, Tire],
    *,
    system: System | None = None,
    name: str = "car",
    inclined: bool = False,
    ground: Ground | Mapping[str, Ground] | None = None,
    road_inputs: bool = False,
    choices: Choices = Choices(),  # noqa: B008  # immutable
    further: Mapping[str, Sequence[Part]] | None = None,
) -> System:
    """Vehicles as a system.

    Parameters
    ----------
    vehicles : their places (``Vehicle.layout``), each with its prefix
    tires : by the full name of the tire (L1, lead.R2_twin); the same object at several places is declared once
    system : an empty system to use instead of a new one
    inclined : whether the built-in plane may be inclined (a matter of structure)
    ground : another ground than the built-in plane, or one for each tire
    road_inputs : whether inputs add a height to the ground under each wheel
    choices : what a run opens and chooses besides
    further : parts that a run adds, by the prefix of the vehicle
    """
    if system is None:
        from jounce.symbolic.system import System

        system = System(name)
    on = system
    _gravity(on, vehicles)
    plane = ground if ground is not None else Plane.declare(on, inclined=inclined)
    openings: dict[str, Opening] = {}
    bound: list[str] = []
    for place in vehicles:
        model = VehicleModel(place, on, _grounds(place, plane), _own(place, tires), choices)
        _raise_ground(model, road_inputs)
        parts = placed(place, (further or {}).get(place.prefix, ()))
        run_phases(model, parts)
        openings |= model.openings
        bound += model.bound_names
    unknown = [given for given in choices.inputs if given not in openings]
    if unknown:
        raise ParameterError(f"input {unknown[0]!r}: no port of this model has it{did_you_mean(unknown[0], openings)}")
    on.notes["bound"] = bound
    on.notes["ports"] = {o.name: [o.mode, o.unit, o.doc] for o in openings.values()}
    return on


def _gravity(system: System, vehicles: Sequence[VehiclePlace]) -> None:
    values = {place.settings.gravity for place in vehicles}
    if len(values) > 1:
        raise ModelError(
            f"vehicles of one model have one gravity; found {', '.join(f'{v:g}' for v in sorted(values))} m/s²"
        )
    gravity = system.parameter("gravity", values.pop(), "m/s2", "acceleration of gravity, downwards", low=0.0)
    system.world.gravity[2] = -gravity
    for i, axis in enumerate("xy"):
        system.world.gravity[i] = system.parameter(
            f"gravity.{axis}", 0.0, "m/s2", "further gravity along a world axis, for tilt tests and statics"
        )


def _grounds(place: VehiclePlace, ground: Ground | Mapping[str, Ground]) -> dict[str, Ground]:
    """The ground of each tire; a second tire has that of its wheel, unless it is given one of its own."""
    result: dict[str, Ground] = {}
    for tire, wheel in place.tires.items():
        if isinstance(ground, Mapping):
            first = ground[f"{place.prefix}{wheel.name}"]
            result[tire] = ground.get(f"{place.prefix}{tire}", first)
        else:
            result[tire] = ground
    return result


def _own(place: VehiclePlace, tires: Mapping[str, Tire]) -> dict[str, Tire]:
    """Tires of one vehicle by their names in it; a second tire that is not given is as the first."""
    return {
        tire: tires.get(f"{place.prefix}{tire}", tires[f"{place.prefix}{wheel.name}"])
        for tire, wheel in place.tires.items()
    }


def _raise_ground(model: VehicleModel, wanted: bool) -> None:
    """Inputs that lift the ground under the wheels, each with its rate."""
    for wheel in model.wheels.values():
        name = f"{ROAD}.{wheel.place.name}"
        doc = "height added to the ground, upwards"
        model.openings[f"{model.place.prefix}{name}"] = Opening(f"{model.place.prefix}{name}", "added", "m", doc)
        if not wanted and not model.is_open(name):
            continue
        own = f"road.{wheel.place.name}"
        height = model.root.input(own, "m", doc, rate=True)
        model.root.alias_input(name, own)
        wheel.road_height = height
        for tire in (wheel.place.name, wheel.place.twin):
            if tire:
                model.grounds[tire] = Raised(model.grounds[tire], height, model.system.rate_of(height))


def run_phases(model: VehicleModel, parts: Sequence[Placed], phases: Sequence[str] = PHASES) -> None:
    """Phases of a model, each over all parts."""
    sites = {item: _site(model, item.place) for item in parts}
    for item, site in sites.items():
        if isinstance(item.place, WheelPlace | AxlePlace):
            site.numbers[id(item.part)] = item.index
    by_rank = sorted(parts, key=lambda item: item.part.rank)  # within one rank any order does
    for phase in phases:
        for item in by_rank if phase == "frames" else parts:
            getattr(item.part, phase)(sites[item], model.bound(item.part, item.place, item.prefix))
    if phases[-1] == PHASES[-1]:
        model.signals.check_accepted()


def _site(model: VehicleModel, place: Place) -> Any:
    """The counterpart of a place in the model."""
    if isinstance(place, VehiclePlace):
        return model
    if isinstance(place, UnitPlace):
        return next(unit for unit in model.units if unit.place is place)
    if isinstance(place, AxlePlace):
        return next(axle for axle in model.axles if axle.place is place)
    return model.wheels[place.name]


# ---- numbers without a model --------------------------------------------------------------------------------------


def numbers(
    vehicles: Sequence[VehiclePlace], tires: Mapping[str, Tire], further: Mapping[str, Sequence[Part]] | None = None
) -> dict[str, Number]:
    """Parameters and tables of vehicles by name, each computed when it is asked for; more than a model needs."""
    found = _Found()
    found.add([("gravity", lambda: vehicles[0].settings.gravity)], "settings")
    for place in vehicles:
        own = _own(place, tires)
        for item in placed(place, (further or {}).get(place.prefix, ())):
            owner = f"{type(item.part).__name__} {item.prefix.rstrip('.')}"
            found.add(numbers_of(item.part, item.place, item.prefix), owner)
            if isinstance(item.place, WheelPlace):
                found.add(item.part.tire_numbers(item.place, own[item.place.name], item.prefix), owner)
            found.add(_groups(item.part, item.place), owner)
            # the axle itself and its steering have numbers at their wheels; of other parts only what they derive there
            whole = isinstance(item.place, AxlePlace) and (item.prefix == item.place.prefix or bool(item.below))
            for wheel in _wheels_of(item.place):
                here = _side_of(item.part, wheel)
                found.add(numbers_of(here, wheel, f"{wheel.prefix}{item.below}", fields=whole), owner)
                found.add(_groups(here, wheel), owner)
        for axle in place.axles:
            if axle.data.listed is not None:
                found.add(numbers_of(axle.data.listed, axle, axle.prefix), f"axle {axle.number}")
        found.add(_tire_numbers(place, own), "tires")
    return found.numbers


class _Found:
    """Numbers by name, each of one part."""

    def __init__(self) -> None:
        self.numbers: dict[str, Number] = {}
        self._owners: dict[str, str] = {}

    def add(self, items: Iterable[tuple[str, Number]], owner: str) -> None:
        for name, number in items:
            known = self._owners.setdefault(name, owner)
            if known != owner:
                raise ModelError(f"the number {name!r} is of {known} and of {owner}; give one of them another name")
            self.numbers[name] = number


def _groups(part: Part, place: Place) -> Iterator[tuple[str, Number]]:
    prefix = place.vehicle.prefix if not isinstance(place, VehiclePlace) else place.prefix
    for name, data in part.groups(place):
        yield from numbers_of(data, place, f"{prefix}{name}.")


def _side_of(part: Part, wheel: WheelPlace) -> Part:
    """A part of an axle as it is at one of its wheels."""
    found = on_side(part, wheel.side)
    return found if isinstance(found, type(part)) else part


def _wheels_of(place: Place) -> list[WheelPlace]:
    """The wheels below a place."""
    if isinstance(place, WheelPlace):
        return []
    if isinstance(place, AxlePlace):
        return place.wheels
    return [wheel for axle in place.axles for wheel in axle.wheels]


def _tire_numbers(place: VehiclePlace, tires: Mapping[str, Tire]) -> Iterator[tuple[str, Number]]:
    blocks = tire_blocks(place, tires)
    for name, wheel in place.tires.items():
        tire = tires[name]
        yield from tire.numbers(f"{place.prefix}{blocks[id(tire)]}")
        side = "left" if wheel.side == "L" else "right"
        yield f"{place.prefix}{name}.tire.side", partial(tire.sign_on, side)


def inputs_at_rest(
    vehicles: Sequence[VehiclePlace], further: Mapping[str, Sequence[Part]] | None = None
) -> dict[str, float]:
    """Inputs that have a value of their own while an equilibrium is sought."""
    return {
        f"{place.prefix}{name}": value
        for place in vehicles
        for item in placed(place, (further or {}).get(place.prefix, ()))
        for name, value in item.part.inputs_at_rest(place.settings.statics, item.place).items()
    }


def at_rest(vehicles: Sequence[VehiclePlace], further: Mapping[str, Sequence[Part]] | None = None) -> dict[str, float]:
    """Numbers of the model that differ while an equilibrium is sought."""
    result: dict[str, float] = {}
    for place in vehicles:
        options = place.settings.statics
        for item in placed(place, (further or {}).get(place.prefix, ())):
            found = {f"{item.prefix}{name}": v for name, v in item.part.at_rest(options, item.place).items()}
            for wheel in _wheels_of(item.place):
                more = _side_of(item.part, wheel).at_rest(options, wheel)
                found |= {f"{wheel.prefix}{item.below}{name}": v for name, v in more.items()}
            result |= found
    return result
