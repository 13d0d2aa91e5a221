"""The equations of a car as recipes: what of vehicle data, tires and ground is structure.

This module imports what describes a car and nothing else: all it reaches is in the key of the cache (``sim.reach``).
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from jounce.components.driver.demands import CATALOGUE
from jounce.components.model import Choices, Relaxation
from jounce.components.part import Part
from jounce.components.places import VehiclePlace, WheelPlace
from jounce.components.tire.base import Tire
from jounce.core.errors import ParameterError
from jounce.core.generated import GeneratedModel
from jounce.road.ground import PatchService, Service
from jounce.road.inputs import Given, Growing, Probed
from jounce.sim.build import recipe
from jounce.symbolic.ops import clip, fmax, if_else
from jounce.vehicle.assembly import assemble
from jounce.vehicle.editing import structure
from jounce.vehicle.layout import layout
from jounce.vehicle.schema import Vehicle

if TYPE_CHECKING:
    from jounce.symbolic.system import System

# level and inclined: the built-in plane; road: an outside function, bound by name "ground"; roads: one per wheel,
# "ground_L1" …; external: a plane per wheel by the inputs "Road_External.L1.x" …, external-points: contact points, one
# for each tire (also "Road_External.L2_twin.x" …)
Ground = Literal["level", "inclined", "road", "roads", "external", "external-points"]
Normals = Literal["surface", "points", "vertical"]


@dataclass(frozen=True)
class Description:
    """What the equations of one vehicle, or of several in one model, are made from."""

    vehicles: Mapping[str, Vehicle]  # by prefix without its dot; the only one has none
    tires: Mapping[str, Tire]  # by full name
    ground: Ground = "level"
    road_inputs: bool = False  # inputs road.L1 … add heights to the ground
    smoothed: bool = False  # a road grows out of a plane, see ``jounce.road.inputs``
    normals: Normals = "surface"
    patch: bool = False  # wheels tell the road where they point
    relaxation: Relaxation = "states"
    tire_inputs: tuple[str, ...] = ()  # scaling factors with inputs L1.tire.LMUY …
    inputs: tuple[str, ...] = ()  # ports that are open, by the full names of their inputs
    parts: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)  # what a run adds, by prefix

    @property
    def vehicle(self) -> Vehicle:
        """The only vehicle."""
        if len(self.vehicles) != 1:
            raise ParameterError(f"one vehicle is asked for, the model has {', '.join(self.vehicles)}")
        return next(iter(self.vehicles.values()))

    @cached_property
    def places(self) -> tuple[VehiclePlace, ...]:
        """The layout of each vehicle, with its prefix."""
        return tuple(layout(vehicle, f"{name}." if name else "") for name, vehicle in self.vehicles.items())

    @cached_property
    def wheels(self) -> dict[str, WheelPlace]:
        """All wheels by full name."""
        return {f"{place.prefix}{name}": wheel for place in self.places for name, wheel in place.wheels.items()}

    @cached_property
    def tire_wheels(self) -> dict[str, WheelPlace]:
        """All tires by full name, with the wheels they are on."""
        return {f"{place.prefix}{name}": wheel for place in self.places for name, wheel in place.tires.items()}

    @property
    def further(self) -> dict[str, tuple[Part, ...]]:
        """Parts that a run adds, by the prefix of names."""
        return {f"{name}." if name else "": parts for name, parts in self.parts.items()}

    def changed(self, **changes: Any) -> Description:
        """A copy with other choices."""
        return replace(self, **changes)


class Structure:
    """A description as the argument of a recipe: known to the cache by its structure only."""

    def __init__(self, description: Description) -> None:
        self.description = description

    def to_dict(self) -> dict[str, Any]:
        d = self.description
        first: dict[int, str] = {}
        shared = [first.setdefault(id(tire), place) for place, tire in d.tires.items()]
        models = [f"{type(t.model).__module__} {t.model!r}" for t in d.tires.values()]
        choices: dict[str, Any] = {name: True for name in ("road_inputs", "smoothed", "patch") if getattr(d, name)}
        if d.normals != "surface":
            choices["normals"] = d.normals
        if d.relaxation != "states":
            choices["relaxation"] = d.relaxation
        for name in ("tire_inputs", "inputs"):
            if getattr(d, name):
                choices[name] = sorted(getattr(d, name)) if name == "inputs" else list(getattr(d, name))
        if d.parts:
            choices["parts"] = {name: [shape(part) for part in parts] for name, parts in d.parts.items()}
        vehicles = {name: vehicle.structure_key() for name, vehicle in d.vehicles.items()}
        return {"vehicles": vehicles, "tires": shared, "models": models, "ground": d.ground} | choices

    def made_of(self) -> Iterable[type]:
        """Classes of tire models and of parts of the vehicles: loaded by name, so no import statement tells of them."""
        d = self.description
        parts = [*d.vehicles.values(), *(part for parts in d.parts.values() for part in parts)]
        return {*(type(tire.model) for tire in d.tires.values()), *(kind for part in parts for kind in _classes(part))}

    def system(self) -> System:
        from jounce.symbolic.system import System

        d = self.description
        on = System("car")
        return assemble(
            d.places,
            d.tires,
            system=on,
            inclined=d.ground == "inclined",
            ground=self._ground(on),
            road_inputs=d.road_inputs,
            choices=Choices(frozenset(d.inputs), d.relaxation, d.tire_inputs),
            further=d.further,
        )

    def _ground(self, system: Any) -> Any:
        """Another ground than the built-in plane, if any."""
        d = self.description
        if d.ground == "external":
            return {c: Given.declare(system, c) for c in d.wheels}
        if d.ground == "external-points":  # a point is the contact of one tire only
            return {c: Given.declare(system, c, as_given=True) for c in d.tire_wheels}
        if d.ground not in ("road", "roads"):
            return None
        names = [f"ground_{c}" for c in d.wheels] if d.ground == "roads" else ["ground"]
        kind = PatchService if d.patch else Service
        services: list[Any] = [kind.declare(system, name) for name in names]
        if d.normals != "surface":
            spacing = None
            if d.normals == "points":
                spacing = system.parameter("ground.spacing", 0.05, "m", "of the points that make the normal", low=1e-6)
            services = [Probed(road.handle, spacing) for road in services]
        if d.smoothed:
            services = list(Growing.declare(system, services, *_growth(system)))
        return dict(zip(d.wheels, services, strict=True)) if d.ground == "roads" else services[0]


def _classes(part: Any) -> set[type]:
    """The classes of the data of a part and of all parts in it."""
    found = {type(part)}
    for value in vars(part).values():
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else (value,)
        for item in items:
            if hasattr(type(item), "model_fields"):
                found |= _classes(item)
    return found


def shape(part: Part) -> str:
    """What shapes the code of a part that a run adds: its class and its structure."""
    return f"{type(part).__module__} {type(part).__qualname__}\n{structure(part)}"


def _growth(system: Any) -> tuple[Any, Any]:
    """σ = 3τ² - 2τ³ over τ = t/T from 0 to 1, and its rate: height and speed of the ground are continuous."""
    time = system.parameter("smoothing.time", 0.0, "s", "over which the road grows out of the plane; 0: it is there")
    known = fmax(time, 1e-9)
    tau = if_else(time > 0, clip(system.time / known, 0.0, 1.0), 1.0)
    return tau * tau * (3 - 2 * tau), 6 * tau * (1 - tau) / known


# The system described last, for the other of the two models of it: both take the same description, and derive from it
# without changing it. Taken out while somebody derives.
_described: dict[tuple[str, frozenset[type]], System] = {}


@recipe
def car(structure: Structure) -> GeneratedModel:
    with _system(structure) as system:
        return system.generate()


@recipe
def linear_car(structure: Structure, inputs: tuple[str, ...] | None, outputs: tuple[str, ...]) -> GeneratedModel:
    with _system(structure) as system:
        if inputs is None:
            known = {u.name for u in system.inputs}
            demands = [f"{place.prefix}{name}" for place in structure.description.places for name in CATALOGUE]
            inputs = tuple(name for name in demands if name in known)
        return system.generate_linear(inputs=list(inputs), outputs=list(outputs))


@contextlib.contextmanager
def _system(structure: Structure) -> Iterator[System]:
    key = json.dumps(structure.to_dict(), sort_keys=True), frozenset(structure.made_of())
    system = _described.pop(key, None) or structure.system()
    yield system
    _described.clear()
    _described[key] = system
