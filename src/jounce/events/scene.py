"""The scene of an event: the ground under the car, bound to a simulation.

The ground is a plane, one road or one for each wheel, or comes from outside by inputs. What differs between them is
here: how the car is described for it, where it starts, the plane that it starts on, and what was under each wheel.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.components.driver.demands import CATALOGUE
from jounce.components.driver.monitor import USER
from jounce.components.steering.outside import INPUT
from jounce.components.tire import compatibility
from jounce.core.errors import ParameterError
from jounce.events.outside_ground import check_inputs, outside_ground, plane_of_inputs, set_start
from jounce.files.roads import read_road
from jounce.road.envelope import Envelope
from jounce.road.inputs import EXTERNAL
from jounce.road.paths import FUNCTIONS, PathSet
from jounce.road.surface import plane_under
from jounce.sim import car as cars

if TYPE_CHECKING:
    from jounce.events.base import Event
    from jounce.events.options import Options
    from jounce.road.native import Sample
    from jounce.road.path import Path
    from jounce.road.surface import Road
    from jounce.runtime.program import Number, Reference
    from jounce.runtime.simulation import Simulation
    from jounce.vehicle.schema import Vehicle

OWN_INPUTS = ("steering_wheel", "throttle", "brake", "steering_release")
RUN_UP = 10.0  # m of road behind a car that is put on it
TIRE_FACTOR = re.compile(
    r"(?:\w+\.)?[LR]\d+(?:_twin)?\.tire\.([A-Z][A-Z0-9_]*)"
)  # inputs of ``describe(tire_inputs=)``


@dataclass(frozen=True)
class Plane:
    """The plane that a car starts on: normal, and height under the point where it is put."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    height: float = 0.0

    @property
    def slopes(self) -> tuple[float, float]:
        """dz/dx and dz/dy."""
        x, y, z = self.normal
        return -x / z, -y / z


@dataclass(frozen=True)
class Scene:
    """The ground of an event, and what its readers remarked."""

    ground: cars.Ground = "level"
    roads: tuple[Road, ...] = ()
    remarks: tuple[str, ...] = ()
    tires: Mapping[str, int] = field(default_factory=dict)  # all tires with the numbers of their wheels
    paths: tuple[Path, ...] = ()  # that drivers follow

    @property
    def outside(self) -> bool:
        """Whether inputs say where the ground is."""
        return self.ground in ("external", "external-points")

    @property
    def even(self) -> bool:
        """Whether the ground is a plane of the model itself."""
        return not self.roads and not self.outside

    def describe(self, vehicle: Vehicle, event: Event, options: Options) -> cars.Description:
        """The car as its equations are for this ground."""
        given = (*options.given, *event.opens(vehicle))
        return cars.describe(
            vehicle,
            options.tires,
            self.ground,
            road_inputs=any(name.startswith("road.") for name in given),
            smoothed=any(road.smoothing_time > 0 for road in self.roads),
            normals=self.roads[0].normals if self.roads else "surface",
            patch=bool(self.roads) and event.contact != "point",
            tire_inputs=tuple(dict.fromkeys(key for name in options.given if (key := factor_of(name)))),
            inputs=list(dict.fromkeys(port_of(name) for name in given if is_port(name))),
            parts=[*event.parts(), *event.controllers(), *options.parts],
        )

    def check(self, description: cars.Description) -> None:
        """Refuse tires that do not run on these roads."""
        on: Any = self.roads or ("external" if self.outside else "flat",)
        compatibility.check(description.tires, dict(zip(description.wheels, on, strict=True)) if len(on) > 1 else on)

    def bind(self, sim: Simulation, description: cars.Description) -> None:
        """Give a simulation its roads and paths."""
        self.bind_paths(sim)
        names = ["ground"] if len(self.roads) == 1 else [f"ground_{wheel}" for wheel in description.wheels]
        for name, road in zip(names, self.roads, strict=False):
            road.bind(sim, name)

    def bind_paths(self, sim: Simulation) -> None:
        """Give a simulation its paths, where it asks for any."""
        if self.paths:
            PathSet(self.paths).bind(sim)
        elif any(slot.name in FUNCTIONS for slot in sim.model.services):
            raise ParameterError(
                "a driver of a path and a preview point need one: take an event that has a path, such as follow"
            )

    def prepare(
        self,
        sim: Simulation,
        description: cars.Description,
        event: Event,
        inputs: Mapping[str, Reference | Number],
    ) -> tuple[Plane, list[str]]:
        """Set the numbers of the ground; returns the plane to start on, and warnings."""
        set_start(sim, {n: v for n, v in inputs.items() if factor_of(n) or n.startswith(f"{EXTERNAL}.")})
        at, warnings = (event.x, event.y), []
        if self.outside:
            height, grade, bank = plane_of_inputs(sim, description, *_places(event, description), at)
            if event.friction != 1.0:
                warnings.append("friction: a road from outside has a friction of its own; the event's is not used")
            return Plane((-grade, -bank, 1.0), height), warnings
        if self.roads:
            height, grade, bank = plane_under(self.roads, *_places(event, description), at, event.z)
            if description.smoothed:
                numbers = {"height": height - grade * event.x - bank * event.y, "grade": grade, "bank": bank}
                numbers["time"] = max(road.smoothing_time for road in self.roads)
                sim.set_parameters({f"smoothing.{key}": value for key, value in numbers.items()})
            if description.normals == "points":
                sim.set_parameters({"ground.spacing": self.roads[0].spacing})
            if event.friction != 1.0:
                warnings.append("friction: a road has a friction of its own; the event's is not used")
            return Plane((-grade, -bank, 1.0), height), warnings
        sim.set_parameters({"ground.friction": event.friction})
        if self.ground != "inclined":
            return Plane(), warnings
        sim.set_parameters({"ground.grade": event.grade, "ground.bank": event.bank})
        return Plane((-event.grade, -event.bank, 1.0), event.grade * event.x + event.bank * event.y), warnings

    def under(self, values: Mapping[str, Any]) -> Iterator[tuple[str, Road, Sample]]:
        """Tires whose contact is known, with their road and what it is there."""
        for tire, number in self.tires.items():
            places = [values.get(f"Road.Contact_Patch_Global_{axis}.{tire}") for axis in "XYZ"]
            if not self.roads or any(place is None for place in places):
                continue
            road = self.roads[number] if len(self.roads) > 1 else self.roads[0]
            yield tire, road, road.query(*places)  # type: ignore[arg-type]


def on_a_plane(sim: Simulation, plane: Plane, event: Event, inputs: Mapping[str, Reference | Number]) -> None:
    """Put a plane under a car on inclined ground, and the factors of its tires to their start."""
    grade, bank = plane.slopes
    height = plane.height - grade * event.x - bank * event.y
    sim.set_parameters({"ground.grade": grade, "ground.bank": bank, "ground.height": height})
    set_start(sim, {name: value for name, value in inputs.items() if factor_of(name)})


def set_scene(vehicle: Vehicle, event: Event, options: Options) -> tuple[Scene, Event]:
    """The scene of an event, and the event where it takes place."""
    road = options.road
    if isinstance(road, str):
        event, road = event.changed(road=road), None
    outside = outside_ground(event.road) if road is None and event.road else None
    if outside is not None:
        check_inputs(event.road, outside, vehicle, options.inputs)
        event, paths = event.placed(vehicle, ())
        return Scene(outside, paths=paths), event
    roads, remarks = ([road], []) if road is not None else _roads_of(event)
    roads = roads or list(event.roads())
    event, paths = event.placed(vehicle, roads)
    if not roads:
        return Scene("inclined" if event.inclined else "level", paths=paths), event
    event = event if paths else _on_the_road(event, roads[0])
    if event.contact != "point":
        roads = [_enveloped(item, event.contact) for item in roads]
    if len({(item.normals, item.spacing) for item in roads}) > 1:
        raise ParameterError("wheel_roads: the roads differ in how their normals are found (MPC_ACTIVE); use one way")
    place = vehicle.layout
    wheels = list(place.wheels)
    if len(roads) not in (1, len(wheels)):
        raise ParameterError(f"wheel_roads: {len(roads)} roads; expected one for each of {', '.join(wheels)}")
    numbers = {tire: wheels.index(wheel.name) for tire, wheel in place.tires.items()}
    return Scene("road" if len(roads) == 1 else "roads", tuple(roads), tuple(remarks), numbers, paths), event


def is_port(name: str) -> bool:
    """Whether an input opens a port of a vehicle; others are there anyway, or belong to ground, tires or rigs."""
    always = (*OWN_INPUTS, *CATALOGUE.values(), *USER)
    return not (factor_of(name) or name.startswith(("road.", "posts.", f"{EXTERNAL}.")) or name in always)


def port_of(name: str) -> str:
    """The port that an input belongs to: its own, or that whose rate it is."""
    return name.removesuffix(".rate").replace(f".{INPUT}Velocity", f".{INPUT}")


def factor_of(name: str) -> str:
    """The scaling factor of a tire that an input such as ``L1.tire.LMUY`` changes; else nothing."""
    found = TIRE_FACTOR.fullmatch(name)
    return found.group(1) if found else ""


def _roads_of(event: Event) -> tuple[list[Road], list[str]]:
    """The roads that an event names, and what their readers warned of."""
    roads, remarks = [], []
    for name in (event.road, *event.wheel_roads):
        if name:
            road, report = read_road(name)
            roads.append(road)
            remarks += [f"road {name}: {warning}" for warning in report.warnings] if report is not None else []
    return roads, list(dict.fromkeys(remarks))


def _on_the_road(event: Event, road: Road) -> Event:
    """An event that does not say where: on the line of the road, near the origin, some metres after its start."""
    if event.x != 0.0 or event.y != 0.0 or event.heading != 0.0:
        return event
    x = y = dx = dy = 0.0
    for _ in range(5):
        here = road.query(x, y, event.z)
        if not math.isfinite(float(here.station)):
            return event
        dx, dy = (float(d) for d in np.ravel(here.direction))
        offset = float(here.offset)
        ahead = max(RUN_UP - float(here.station), 0.0)
        x, y = x + offset * dy + ahead * dx, y - offset * dx + ahead * dy
    return event.changed(x=x, y=y, heading=math.atan2(dy, dx))


def _enveloped(road: Road, mode: str) -> Envelope:
    """A road as a contact patch feels it."""
    return Envelope(road=road, mode=mode, name=road.name, smoothing_time=road.smoothing_time, warns=road.warns)


def _places(event: Event, description: cars.Description) -> tuple[Any, Any]:
    """x and y of the wheels where the car starts, world."""
    at = np.array([wheel.centre[:2] for wheel in description.wheels.values()])
    c, s = math.cos(event.heading), math.sin(event.heading)
    return event.x + c * at[:, 0] - s * at[:, 1], event.y + s * at[:, 0] + c * at[:, 1]
