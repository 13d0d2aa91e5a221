"""From a car and an event to a run: statics, steady running at the start, the manoeuvre, the result.

>>> run(load("sedan"), StepSteer())
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import time as clock
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

import jounce
from jounce.components.tire import compatibility
from jounce.core.errors import ParameterError, SimulationError, StaticsError
from jounce.core.units import parse
from jounce.events.base import Event, Steered
from jounce.events.laps import measure
from jounce.events.outside_ground import check_inputs, outside_ground, plane_of_inputs, set_start
from jounce.files.roads import load_path, read_road
from jounce.results.run import Run
from jounce.road.block import Frame
from jounce.road.envelope import Envelope
from jounce.road.inputs import EXTERNAL
from jounce.road.line import LineRoad
from jounce.road.surface import plane_under
from jounce.runtime.program import Number, Open, Program, Reference
from jounce.sim import car as cars
from jounce.sim.statics import Settled, place, settle
from jounce.sim.steady import Running, roll, run_steadily
from jounce.vehicle.assembly import CORNERS, TWINS

if TYPE_CHECKING:
    from jounce.components.tire.base import Tire
    from jounce.results.output_map import OutputMap
    from jounce.road.native import Sample
    from jounce.road.surface import Road
    from jounce.runtime.options import RunKeywords
    from jounce.runtime.recording import Recording
    from jounce.runtime.simulation import Simulation
    from jounce.vehicle.schema import Vehicle

INTERVAL = 0.01  # s, between recorded rows
UNWRAPPED = ("chassis_displacements.yaw", "Vehicle.Yaw", "Vehicle_States.yaw_angle")
TIRE_FACTOR = re.compile(r"[LR]\d(?:_twin)?\.tire\.([A-Z][A-Z0-9_]*)")  # inputs of ``describe(tire_inputs=)``
CRAWL = 0.1  # m/s: below this speed a car starts at rest

# What a viewer gets when no output map says otherwise.
LIVE_CHANNELS = (
    *("chassis_displacements.longitudinal", "chassis_displacements.lateral", "chassis_displacements.yaw"),
    *("chassis_velocities.longitudinal", "chassis_velocities.yaw", "driver_demands.steering"),
)
RUN_UP = 10.0  # m of road behind a car that is put on it
CREEP = 3.0  # m/s: slips of slower wheels say little
MARGIN = 0.05  # of a range: how far beyond its ends a tire may go without a word
DEGREES = 180 / math.pi
TIRE_RANGES = (
    ("load", "Tire.Ground_Surface_Force_Z", "FZMIN", "FZMAX", "N", 1.0),
    ("slip", "Tire.Longitudinal_Slip_With_Lag", "KPUMIN", "KPUMAX", "", 1.0),
    ("slip angle", "Tire.Lateral_Slip_With_Lag", "ALPMIN", "ALPMAX", "deg", DEGREES),
    ("inclination", "Wheel.Inclination", "CAMMIN", "CAMMAX", "deg", DEGREES),
)

NO_COMPLIANCE = (
    "suspensions have no compliance yet: the car understeers 0.5 to 1.5 deg/g less and answers with more gain than one "
    "of its class"
)

Progress = Callable[[float, float], None]


class Start:
    """A car ready to start an event, and what events ask about it."""

    def __init__(
        self,
        description: cars.Description,
        event: Event,
        method: str,
        step: float,
        roads: Sequence[Road] = (),
        inputs: Mapping[str, Reference | Number] | None = None,
        parameters: Mapping[str, Number] | None = None,
    ) -> None:
        self.description, self.event, self.method, self.step = description, event, method, step
        self.parameters = dict(parameters or {})
        self.roads, self.inputs = tuple(roads), dict(inputs or {})
        self.vehicle = description.vehicle
        self.warnings: list[str] = []
        self.outside = description.ground in ("external", "external-points")
        on = self.roads or ("external" if self.outside else "flat",)
        compatibility.check(description.tires, dict(zip(CORNERS, on, strict=True)) if len(on) > 1 else on)
        self.sim = cars.simulation(description, method=method, step=step)
        self.sim.set_parameters(self.parameters)
        self._bind(self.sim)
        self.settled: Settled
        self.running: Running | None = None
        self._ready()
        self._first = self.sim.snapshot()

    def _bind(self, sim: Simulation) -> None:
        names = ["ground"] if len(self.roads) == 1 else [f"ground_{c}" for c in CORNERS]
        for name, road in zip(names, self.roads, strict=False):
            road.bind(sim, name)

    def _ready(self) -> None:
        sim, event = self.sim, self.event
        normal, height = (0.0, 0.0, 1.0), 0.0
        set_start(sim, {n: v for n, v in self.inputs.items() if _factor(n) or n.startswith(f"{EXTERNAL}.")})
        if self.outside:
            ground, around = self.description.ground, (event.x, event.y)
            height, grade, bank = plane_of_inputs(sim, ground, *self._wheel_places(), around)
            normal = (-grade, -bank, 1.0)
            if event.friction != 1.0:
                self.warnings.append("friction: a road from outside has a friction of its own; the event's is not used")
        elif self.roads:
            height, grade, bank = plane_under(self.roads, *self._wheel_places(), (event.x, event.y), event.z)
            normal = (-grade, -bank, 1.0)
            if self.description.smoothed:
                numbers = {"height": height - grade * event.x - bank * event.y, "grade": grade, "bank": bank}
                numbers["time"] = max(road.smoothing_time for road in self.roads)
                sim.set_parameters({f"smoothing.{key}": value for key, value in numbers.items()})
            if self.description.normals == "points":
                sim.set_parameters({"ground.spacing": self.roads[0].spacing})
            if event.friction != 1.0:
                self.warnings.append("friction: a road has a friction of its own; the event's is not used")
        else:
            sim.set_parameters({"ground.friction": event.friction})
        if self.description.ground == "inclined":
            sim.set_parameters({"ground.grade": event.grade, "ground.bank": event.bank})
            normal = (-event.grade, -event.bank, 1.0)
            height = event.grade * event.x + event.bank * event.y
        steer = float(getattr(event, "initial_steer", 0.0))
        sim.set_inputs({"steering_wheel": steer, "throttle": 0.0, "brake": 0.0})
        where: dict[str, Any] = {"x": event.x, "y": event.y, "heading": event.heading}
        if event.static_setup == "none":
            place(sim, self.description, normal=normal, height=height, **where)
            self.settled = Settled("none", 0, math.nan, ())
            self.warnings.append("static_setup none: the car starts at design, not in equilibrium; nothing is adjusted")
        else:
            self.settled = settle(sim, self.description, normal=normal, height=height, **where)
        if abs(event.speed) > CRAWL:
            if event.static_setup == "none":
                roll(sim, event.speed)
                return
            try:
                self.running = run_steadily(sim, self.description, event.speed, normal)
            except StaticsError:
                if not self.roads and not self.outside:
                    raise
                self._run_on_a_plane(normal, height)

    def _wheel_places(self) -> tuple[Any, Any]:
        """x and y of the wheels where the car starts, world."""
        event = self.event
        at = np.array([self.vehicle.wheel_centre(axle, side)[:2] for axle, side in CORNERS.values()])
        c, s = math.cos(event.heading), math.sin(event.heading)
        return event.x + c * at[:, 0] - s * at[:, 1], event.y + s * at[:, 0] + c * at[:, 1]

    def _run_on_a_plane(self, normal: tuple[float, float, float], height: float) -> None:
        """Steady running does not exist on an uneven road: take that on the plane under its wheels."""
        flat = cars.describe(self.vehicle, self.description.tires, "inclined", tire_inputs=self.description.tire_inputs)
        event = self.event
        sim = cars.simulation(flat, method=self.method, step=self.step)
        sim.set_parameters(self.parameters)
        grade, bank = (-normal[0] / normal[2], -normal[1] / normal[2])
        sim.set_parameters(
            {"ground.grade": grade, "ground.bank": bank, "ground.height": height - grade * event.x - bank * event.y}
        )
        set_start(sim, {name: value for name, value in self.inputs.items() if _factor(name)})
        sim.set_inputs({"steering_wheel": self.sim.input("steering_wheel")})
        settle(sim, flat, normal=normal, height=height, x=event.x, y=event.y, heading=event.heading)
        self.running = run_steadily(sim, flat, event.speed, normal)
        self.sim.x[:], self.sim.m[:] = sim.x, sim.m
        self.sim.set_inputs({"throttle": sim.input("throttle")})

    def restart(self) -> None:
        """Back to the beginning of the event."""
        self.sim.set_program(None)
        self.sim.restore(self._first)

    # -- what events ask -----------------------------------------------------------------------------------------

    @property
    def throttle(self) -> float:
        """Demand that keeps the speed at the start."""
        return self.running.throttle if self.running is not None else 0.0

    @property
    def throttle_per_acceleration(self) -> float:
        """Drive demand per acceleration, s²/m; 0 without drive."""
        torque = self.vehicle.drive.max_torque if any(self.vehicle.drive.shares.values()) else 0.0
        return self.vehicle.mass() * self._radius() / torque if torque > 0 else 0.0

    @property
    def brake_per_deceleration(self) -> float:
        """Brake demand per deceleration, s²/m, while no wheel locks."""
        brakes = self.vehicle.brakes
        torque = 0.0
        for axle, side in CORNERS.values():
            data = self.vehicle.brake(axle, side)
            share = brakes.bias_front if axle == 1 else 1 - brakes.bias_front
            pressure = share * brakes.master_cylinder_pressure_gain
            torque += 2 * data.piston_area * data.mu * data.effective_radius * pressure
        return self.vehicle.mass() * self._radius() / torque if torque > 0 else 0.0

    @property
    def steering_ratio(self) -> float:
        """Hand wheel angle per mean steer angle of the front wheels, straight ahead."""
        angle = math.radians(1.0)
        here, was = {}, self.sim.input("steering_wheel")
        for sign in (1.0, -1.0):
            self.sim.set_inputs({"steering_wheel": sign * angle})
            here[sign] = np.mean([self.sim.output(f"Wheel.Spindle_Steer.{c}") for c in ("L1", "R1")])
        self.sim.set_inputs({"steering_wheel": was})
        moved = float(here[1.0] - here[-1.0])
        return 2 * angle / moved if moved else math.inf

    @property
    def steering_per_curvature(self) -> float:
        """Hand wheel angle per curvature of the path at low speed, rad m."""
        return self.steering_ratio * self.vehicle.wheelbase

    def steering_for(self, lateral_acceleration: float) -> float:
        """A first guess of the hand wheel angle: that of a neutral car, and half as much again."""
        curvature = lateral_acceleration / max(self.event.speed, 1.0) ** 2
        return 1.5 * self.steering_per_curvature * curvature

    def steady_lateral_acceleration(self, event: Event) -> float:
        """Mean lateral acceleration over the last second of an event, levelled axes, less that at the start."""
        self.restart()
        every = max(1, round(0.05 / self.step)) * self.step
        recorded = self.record(event, interval=every, channels=["System_Mass_Center.Tracking_Ay"])
        if not recorded.ok:
            raise SimulationError(f"the run ended with {recorded.reason!r}")
        last = recorded.time >= recorded.time[-1] - 1.0
        self.restart()
        values = recorded["System_Mass_Center.Tracking_Ay"]
        return float(np.mean(values[last]) - values[0])

    def lift(self, height: float) -> None:
        """Raise the car by a height."""
        self.sim.set_states({"chassis.z": self.sim.state("chassis.z") + height})

    def aim(self, x: float, y: float, heading: float, preview: float) -> None:
        """Set the line that straight-line events follow."""
        self.sim.set_parameters({"line.x": x, "line.y": y, "line.heading": heading, "line.preview": preview})

    @property
    def rotating_mass(self) -> float:
        """What the spin inertias of the wheels add to the mass along the road, kg."""
        return sum(self.vehicle.wheels(a, s).hub_spin_inertia for a, s in CORNERS.values()) / self._radius() ** 2

    def _radius(self) -> float:
        return float(np.mean([self.sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in CORNERS]))

    # -- running -------------------------------------------------------------------------------------------------

    def record(
        self,
        event: Event,
        *,
        interval: float = INTERVAL,
        channels: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Recording:
        """Run an event from here; a run that fails or is interrupted returns what it has."""
        call = None if progress is None else lambda _, now: progress(now, event.end_time)
        options = self.options(event, interval=interval, channels=channels)
        return self.sim.run(progress=call, on_error="return", **options)

    def options(self, event: Event, *, interval: float, channels: Sequence[str] | None) -> RunKeywords:
        """How the simulation runs an event from here, wherever it does so."""
        return {
            "program": _driven(event.program(self), self.inputs),
            "method": self.method,
            "step": self.step,
            "interval": interval,
            "channels": _matching(self.sim, channels),
        }


def run(
    vehicle: Vehicle,
    event: Event,
    *,
    step: float | str = cars.STEP,
    method: str = cars.METHOD,
    interval: float | str = INTERVAL,
    channels: Sequence[str] | None = None,
    tires: Mapping[str, Tire] | None = None,
    progress: Progress | None = None,
    road: Road | str | None = None,
    parameters: Mapping[str, Number] | None = None,
    changes: Mapping[str, Any] | None = None,
    output_map: OutputMap | None = None,
    inputs: Mapping[str, Reference | Number] | None = None,
    live: Callable[[float, dict[str, float]], None] | None = None,
) -> Run:
    """Drive a vehicle through an event.

    A run that cannot go on, or is interrupted, returns what it has: ``run.complete`` is False, ``run.reason`` says why.

    Parameters
    ----------
    step, method : of integration
    interval : between recorded rows; rounded down to a multiple of the step, as long as one fits
    channels : names or patterns to record; default all
    tires : by corner, instead of those the vehicle names
    road : a road, its name or file, instead of what the event says
    progress : called with time and end time now and then
    parameters : numbers of the compiled model to set, such as ``L1.tire.scale.LMUY``; `Simulation.parameters` has all
    changes : of the vehicle, only kept with the result (``vehicle`` has them already)
    output_map : which channels are kept, under which names and scaled how
    inputs : references of inputs that the event leaves alone, over the time of each of its phases; ``road.L1`` … add
        a height to the ground under a wheel, ``L1.tire.LMUY`` … are factors on scaling factors of a tire,
        ``Road_External.L1.z`` … say where the ground of a road file of TYPE EXTERNAL is
    live : called now and then while the run goes on, with the time and the live channels of the output map
    """
    begun = clock.perf_counter()
    start = make_ready(
        vehicle, event, step=step, method=method, tires=tires, road=road, parameters=parameters, inputs=inputs
    )
    ready = clock.perf_counter()
    event, prepared = start.event, start.event.prepared(start)
    start.restart()
    if live is not None:
        progress = _streaming(start, progress, live, output_map.live if output_map is not None else LIVE_CHANNELS)
    every = recording_interval(interval, start.step)
    recorded = start.record(prepared, interval=every, channels=channels, progress=progress)
    done = clock.perf_counter()
    metadata = _metadata(start, prepared, recorded, {**(changes or {}), **(parameters or {})})
    simulated = float(recorded.time[-1] - recorded.time[0]) if len(recorded.time) else 0.0
    metadata["timing"] = {
        "simulated": simulated,
        "wall": recorded.wall_time,
        "real_time_factor": simulated / recorded.wall_time if recorded.wall_time > 0 else math.inf,
        "ready": ready - begun,
        "total": done - begun,
    }
    result = Run.from_recording(_unwrapped(recorded), metadata)
    result = _with_road_flags(result, start.roads)
    if event.lap_path:
        result = _with_laps(result, event, start.roads)
    return output_map.apply(result) if output_map is not None else result


def recording_interval(interval: float | str, step: float) -> float:
    """A recording interval as the next multiple of the step, in s."""
    return max(1, round(parse(interval, "s", "interval") / step)) * step


def make_ready(
    vehicle: Vehicle,
    event: Event,
    *,
    step: float | str = cars.STEP,
    method: str = cars.METHOD,
    tires: Mapping[str, Tire] | None = None,
    road: Road | str | None = None,
    parameters: Mapping[str, Number] | None = None,
    inputs: Mapping[str, Reference | Number] | None = None,
) -> Start:
    """A car at the start of an event: settled, or running steadily; arguments as for `run`."""
    if not isinstance(event, Event):
        raise ParameterError(f"run: expected an event such as jounce.events.StepSteer(), got {type(event).__name__}")
    vehicle = event.adapted(vehicle)
    if isinstance(road, str):
        event, road = event.changed(road=road), None
    outside = outside_ground(event.road) if road is None and event.road else None
    roads, remarks = ([road], []) if road is not None else _roads_of(event) if outside is None else ([], [])
    if tires is None:
        remarks += cars.tire_warnings(vehicle)
    ground: cars.Ground = "inclined" if event.inclined else "level"
    if outside is not None:
        check_inputs(event.road, outside, vehicle, inputs or {})
        ground = outside
    if roads:
        ground = "road" if len(roads) == 1 else "roads"
        event = _on_the_road(event, roads[0])
        if event.contact != "point":
            roads = [_enveloped(item, event.contact) for item in roads]
    if len({(item.normals, item.spacing) for item in roads}) > 1:
        raise ParameterError("wheel_roads: the roads differ in how their normals are found (MPC_ACTIVE); use one way")
    description = cars.describe(
        vehicle,
        tires,
        ground,
        road_inputs=any(name.startswith("road.") for name in inputs or ()),
        smoothed=any(item.smoothing_time > 0 for item in roads),
        normals=roads[0].normals if roads else "surface",
        patch=bool(roads) and event.contact != "point",
        tire_inputs=tuple(dict.fromkeys(key for name in inputs or () if (key := _factor(name)))),
    )
    start = Start(description, event, method, parse(step, "s", "step"), roads, inputs, parameters)
    start.warnings[:0] = remarks
    return start


def _streaming(
    start: Start, progress: Progress | None, live: Callable[[float, dict[str, float]], None], names: Sequence[str]
) -> Progress:
    """Progress that also sends channels to a viewer; what it sends is what is recorded, unscaled."""

    def call(now: float, end: float) -> None:
        live(now, {name: start.sim.output(name) for name in names})
        if progress is not None:
            progress(now, end)

    return call


def _matching(sim: Simulation, channels: Sequence[str] | None) -> list[str] | None:
    """Names of the channels that match names or patterns; a name without a match stays, to be complained about."""
    if channels is None:
        return None
    known = [v.name for v in sim.model.outputs]
    result: dict[str, None] = {}
    for pattern in channels:
        found = [name for name in known if fnmatchcase(name, pattern)]
        result.update(dict.fromkeys(found or [pattern]))
    return list(result)


def _unwrapped(recorded: Recording) -> Recording:
    """Headings without jumps by a full turn."""
    for name in UNWRAPPED:
        if name in recorded.names:
            column = recorded.names.index(name)
            recorded.data[:, column] = np.unwrap(recorded.data[:, column])
    return recorded


def _metadata(start: Start, event: Event, recorded: Recording, changes: Mapping[str, Any]) -> dict[str, Any]:
    vehicle = start.vehicle
    key = hashlib.sha256(json.dumps(_raw(vehicle), sort_keys=True, default=str).encode()).hexdigest()
    mass, centre, height = _centre_of_gravity(vehicle)
    front, rear = vehicle.front_suspension, vehicle.rear_suspension
    ratio = start.steering_ratio
    to_rear = centre - rear.wheel_centre_x
    summary = {
        "mass": [mass, "kg"],
        "front axle share": [100 * to_rear / vehicle.wheelbase, "%"],
        "height of the centre of gravity": [height, "m"],
        "wheelbase": [vehicle.wheelbase, "m"],
        "track, front": [front.track, "m"],
        "track, rear": [rear.track, "m"],
        "steering ratio": [ratio, "-"],
        "tires, front": [start.description.tires["L1"].name, ""],
        "tires, rear": [start.description.tires["L2"].name, ""],
    }
    warnings = list(start.warnings)
    if vehicle.category and isinstance(event, Steered):
        warnings.append(NO_COMPLIANCE)
    if recorded.reason and not recorded.ok:
        warnings.append(f"ended early: {recorded.reason}")
    warnings += _beyond_tire_data(start.description, recorded)
    warnings += _beside_the_road(start.roads, recorded)
    return {
        "vehicle": {
            "name": vehicle.name,
            "class": vehicle.category,
            "summary": summary,
            "quantities": {
                "steering_ratio": ratio,
                "wheelbase": vehicle.wheelbase,
                "cg_to_rear": to_rear,
                "mass": mass,
                "effective_mass": mass + start.rotating_mass,
                "air_density": vehicle.aero.air_density if vehicle.aero is not None else 1.2,
            },
        },
        "event": {"kind": event.kind, "name": event.title, "parameters": event.parameters()},
        "parameters": {name: str(value) for name, value in changes.items()},
        "version": jounce.__version__,
        "hashes": {"vehicle": key},
        "statics": {"method": start.settled.method, "iterations": start.settled.iterations},
        "warnings": warnings,
    }


def _beyond_tire_data(description: cars.Description, recorded: Recording) -> list[str]:
    """One warning per tire and quantity that left the range of its file while the car moved."""
    result = []
    for corner, tire in description.tires.items():
        moving = _signal(recorded, f"Tire.Ground_Surface_Contact_Patch_Vx.{corner}")
        if moving is None:
            continue
        for what, channel, low, high, unit, factor in TIRE_RANGES:
            values = _signal(recorded, f"{channel}.{corner}")
            if values is None or low not in tire.values or high not in tire.values:
                continue
            bounds = float(tire.values[low]), float(tire.values[high])
            found = values[np.abs(moving) > CREEP]
            if what == "load":  # a wheel in the air is no question of data
                bounds = 0.0, bounds[1]
            room = MARGIN * (bounds[1] - bounds[0])
            if len(found) and room > 0 and (found.min() < bounds[0] - room or found.max() > bounds[1] + room):
                seen = f"{factor * found.min():.4g} to {factor * found.max():.4g}"
                known = f"{factor * bounds[0]:.4g} to {factor * bounds[1]:.4g}"
                result.append(
                    f"tire {corner} ({tire.name}): {what} {seen} {unit}, its data end at {known} {unit}".rstrip()
                )
    return result


def _with_laps(result: Run, event: Event, roads: Sequence[Road]) -> Run:
    """The run with the channels and times of a lap sensor at the chassis' reference point."""
    if event.lap_path == "road":
        path = next((r.path for r in roads if isinstance(r, LineRoad) and r.frame == Frame()), None)
        if path is None:
            raise ParameterError("lap_path 'road': the road has no line of its own, or it was moved; name a path")
    else:
        path = load_path(event.lap_path)
    laps = measure(
        result.time,
        result["chassis_displacements.longitudinal"],
        result["chassis_displacements.lateral"],
        path,
        event.beacons,
    )
    channels = {
        "Lap_Sensor.path_s": (laps.station, "m"),
        "Lap_Sensor.path_distance": (laps.offset, "m"),
        "Lap_Sensor.lap_count": (laps.count, "-"),
        "Lap_Sensor.lap_time": (laps.lap_time, "s"),
        "Lap_Sensor.sector_time": (laps.sector_time, "s"),
    }
    for name, (values, unit) in channels.items():
        result = result.with_channels({name: values}, {name: unit})
    return result.with_metadata(laps={"times": list(laps.times), "sectors": [list(s) for s in laps.sectors]})


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


def _factor(name: str) -> str:
    """The scaling factor of a tire that an input such as ``L1.tire.LMUY`` changes; else nothing."""
    found = TIRE_FACTOR.fullmatch(name)
    return found.group(1) if found else ""


def _driven(program: Program, inputs: Mapping[str, Reference | Number]) -> Program:
    """A program that also drives inputs which it leaves alone."""
    if not inputs:
        return program
    taken = {channel.input for phase in program.phases for channel in phase.channels}  # type: ignore[union-attr]
    for name in inputs:
        if name in taken:
            raise ParameterError(f"inputs: {name!r} is driven by the event itself")
    more = [Open(name, reference) for name, reference in inputs.items()]
    return Program([replace(phase, channels=(*phase.channels, *more)) for phase in program.phases])  # type: ignore[misc]


def _under(roads: Sequence[Road], values: Mapping[str, Any]) -> Iterator[tuple[str, Road, Sample]]:
    """Tires whose contact is known, with their road and what it is there."""
    numbers = {corner: i for i, corner in enumerate(CORNERS)}
    numbers |= {twin: numbers[corner] for corner, twin in TWINS.items()}
    for corner, i in numbers.items():
        places = [values.get(f"Road.Contact_Patch_Global_{axis}.{corner}") for axis in "XYZ"]
        if not roads or any(place is None for place in places):
            continue
        road = roads[i] if len(roads) > 1 else roads[0]
        yield corner, road, road.query(*places)  # type: ignore[arg-type]


def _beside_the_road(roads: Sequence[Road], recorded: Recording) -> list[str]:
    """One warning per tire that left its road."""
    result = []
    values = {name: recorded[name] for name in recorded.names if name.startswith("Road.Contact_Patch_Global")}
    for corner, road, sample in _under(roads, values):
        off = np.asarray(sample.off_road)
        if off.any() and road.warns:
            when = float(recorded.time[int(np.argmax(off))])
            result.append(
                f"wheel {corner} left the road {road.name} at {when:.2f} s; what lies beside it follows its rule"
            )
    return result


def _with_road_flags(result: Run, roads: Sequence[Road]) -> Run:
    """The run with what the road is under each wheel: beside it or on it, and its material."""
    values = {name: result[name] for name in result.names if name.startswith("Road.Contact_Patch_Global")}
    added: dict[str, Any] = {}
    for corner, _, sample in _under(roads, values):
        added[f"Road.Off_Road_Flag.{corner}"] = sample.off_road.astype(float)
        added[f"Road.Material.{corner}"] = sample.material.astype(float)
    return result.with_channels(added, dict.fromkeys(added, "-")) if added else result


def _signal(recorded: Recording, name: str) -> Any:
    return recorded[name] if name in recorded.names else None


def _raw(vehicle: Vehicle) -> Any:
    from jounce.core.fields import to_raw

    return to_raw(vehicle)


def _centre_of_gravity(vehicle: Vehicle) -> tuple[float, float, float]:
    """Mass of the whole car, and x and z of its centre of gravity at design, vehicle reference frame."""
    parts = [(m, c) for m, c, _ in vehicle.body.sprung()]
    parts += [(vehicle.wheels(a, s).unsprung_mass, vehicle.wheel_centre(a, s)) for a, s in CORNERS.values()]
    mass = sum(m for m, _ in parts)
    centre = np.sum([m * np.asarray(c) for m, c in parts], axis=0) / mass
    return float(mass), float(centre[0]), float(centre[2])
