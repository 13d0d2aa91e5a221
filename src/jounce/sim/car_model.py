"""The equations of a car as recipes: what of vehicle data, tires and ground is structure.

This module imports what describes a car and nothing else: all it reaches is in the key of the cache (``sim.reach``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from jounce.components.tire.base import Tire
from jounce.core.generated import GeneratedModel
from jounce.road.ground import PatchService, Service
from jounce.road.inputs import Given, Growing, Probed
from jounce.sim.build import recipe
from jounce.symbolic.ops import clip, fmax, if_else
from jounce.vehicle.assembly import CORNERS, Relaxation, assemble, twins
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
    """What a car's equations are made from."""

    vehicle: Vehicle
    tires: Mapping[str, Tire]
    ground: Ground = "level"
    road_inputs: bool = False  # inputs road.L1 … add heights to the ground
    smoothed: bool = False  # a road grows out of a plane, see ``jounce.road.inputs``
    normals: Normals = "surface"
    patch: bool = False  # wheels tell the road where they point
    relaxation: Relaxation = "states"
    tire_inputs: tuple[str, ...] = ()  # scaling factors with inputs L1.tire.LMUY …


class Structure:
    """A description as the argument of a recipe: known to the cache by its structure only."""

    def __init__(self, description: Description) -> None:
        self.description = description

    def to_dict(self) -> dict[str, Any]:
        d = self.description
        first: dict[int, str] = {}
        places = [*CORNERS, *twins(d.vehicle).values()]
        shared = [first.setdefault(id(d.tires[place]), place) for place in places]
        models = [f"{type(t.model).__module__} {t.model!r}" for t in (d.tires[place] for place in places)]
        choices: dict[str, Any] = {name: True for name in ("road_inputs", "smoothed", "patch") if getattr(d, name)}
        if d.normals != "surface":
            choices["normals"] = d.normals
        if d.relaxation != "states":
            choices["relaxation"] = d.relaxation
        if d.tire_inputs:
            choices["tire_inputs"] = list(d.tire_inputs)
        known = {"vehicle": d.vehicle.structure_key(), "tires": shared, "models": models, "ground": d.ground}
        return known | choices

    def made_of(self) -> Iterable[type]:
        """Classes of tire models and of parts of the vehicle: loaded by name, so no import statement tells of them."""
        d = self.description
        return {*(type(tire.model) for tire in d.tires.values()), *_classes(d.vehicle)}

    def system(self, system: Any = None) -> System:
        d = self.description
        on = system if system is not None else _new_system()
        return assemble(
            d.vehicle,
            d.tires,
            inclined=d.ground == "inclined",
            ground=self._ground(on),
            system=on,
            road_inputs=d.road_inputs,
            relaxation=d.relaxation,
            tire_inputs=d.tire_inputs,
        )

    def _ground(self, system: Any) -> Any:
        """Another ground than the built-in plane, if any."""
        d = self.description
        if d.ground == "external":
            return {c: Given.declare(system, c) for c in CORNERS}
        if d.ground == "external-points":  # a point is the contact of one tire only
            return {c: Given.declare(system, c, as_given=True) for c in (*CORNERS, *twins(d.vehicle).values())}
        if d.ground not in ("road", "roads"):
            return None
        names = [f"ground_{c}" for c in CORNERS] if d.ground == "roads" else ["ground"]
        kind = PatchService if d.patch else Service
        services: list[Any] = [kind.declare(system, name) for name in names]
        if d.normals != "surface":
            spacing = None
            if d.normals == "points":
                spacing = system.parameter("ground.spacing", 0.05, "m", "of the points that make the normal", low=1e-6)
            services = [Probed(road.handle, spacing) for road in services]
        if d.smoothed:
            services = list(Growing.declare(system, services, *_growth(system)))
        return dict(zip(CORNERS, services, strict=True)) if d.ground == "roads" else services[0]


def _classes(part: Any) -> set[type]:
    """The classes of the data of a part and of all parts in it."""
    found = {type(part)}
    for value in vars(part).values():
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else (value,)
        for item in items:
            if hasattr(type(item), "model_fields"):
                found |= _classes(item)
    return found


def _growth(system: Any) -> tuple[Any, Any]:
    """σ = 3τ² - 2τ³ over τ = t/T from 0 to 1, and its rate: height and speed of the ground are continuous."""
    time = system.parameter("smoothing.time", 0.0, "s", "over which the road grows out of the plane; 0: it is there")
    known = fmax(time, 1e-9)
    tau = if_else(time > 0, clip(system.time / known, 0.0, 1.0), 1.0)
    return tau * tau * (3 - 2 * tau), 6 * tau * (1 - tau) / known


def _new_system() -> System:
    from jounce.symbolic.system import System

    return System("car")


@recipe
def car(structure: Structure) -> System:
    return structure.system()


@recipe
def linear_car(structure: Structure, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> GeneratedModel:
    return structure.system().generate_linear(inputs=list(inputs), outputs=list(outputs))
