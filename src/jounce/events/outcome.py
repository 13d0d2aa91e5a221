"""What follows from a run: where it comes from, its car in numbers, its warnings, what was under its wheels."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

import jounce
from jounce.components.basics import combine
from jounce.core.constants import GRAVITY
from jounce.core.fields import meta, to_raw, walk
from jounce.events.base import Steered
from jounce.results.origin import pack
from jounce.road.envelope import Envelope
from jounce.road.line import LineRoad, station_range
from jounce.vehicle.assembly import bodies, bodies_of

if TYPE_CHECKING:
    from jounce.components.places import UnitPlace
    from jounce.events.base import Event
    from jounce.events.scene import Scene
    from jounce.events.start import Start
    from jounce.results.run import Run
    from jounce.runtime.recording import Recording
    from jounce.sim.car import Description
    from jounce.vehicle.schema import Vehicle

CREEP = 3.0  # m/s: slips of slower wheels say little
TREAD = 0.15  # m, half of the width of a contact
MARGIN = 0.05  # of a range: how far beyond its ends a tire may go without a word
DEGREES = 180 / math.pi
AIR = 1.2  # kg/m3, of a vehicle without aerodynamics
HARDEST = 20.0  # times its share of the weight: kerbs and potholes at speed make ten
STEEP = 1.0  # rise per length of an edge, 45 degrees: wheels climb edges with their tread, a point does not
CLOSE = 0.0005  # m, between places at which an edge is looked for
MOST_PLACES = 20_000
TIRE_RANGES = (
    ("load", "Tire.Ground_Surface_Force_Z", "FZMIN", "FZMAX", "N", 1.0),
    ("slip", "Tire.Longitudinal_Slip_With_Lag", "KPUMIN", "KPUMAX", "", 1.0),
    ("slip angle", "Tire.Lateral_Slip_With_Lag", "ALPMIN", "ALPMAX", "deg", DEGREES),
    ("inclination", "Wheel.Inclination", "CAMMIN", "CAMMAX", "deg", DEGREES),
)

NO_COMPLIANCE = (
    "no suspension has compliance: the car understeers 0.5 to 1.5 deg/g less and answers with more gain than one "
    "of its class"
)


def metadata_of(start: Start, event: Event, recorded: Recording) -> dict[str, Any]:
    """What is kept with a run."""
    vehicle = start.vehicle
    changes = {**start.options.changes, **start.options.parameters}
    packed, hashes = pack(
        {
            "vehicle": to_raw(vehicle),
            "units": {path: meta(info).get("unit", "") for path, _, info in walk(vehicle) if info is not None},
            "tires": {wheel: tire.raw() for wheel, tire in start.description.tires.items()},
            "event": event.to_dict(),
            "parameters": {name: str(value) for name, value in start.options.parameters.items()},
        }
    )
    mass, height = _mass_and_height(vehicle)
    place = vehicle.layout
    axles, units = place.axles, place.units
    ratio = start.steering_ratio
    masses = {unit.own: sum(body.mass for body in bodies_of(unit)) for unit in units}
    to_rear, base = _lever(units[0])
    alone = " of the first unit alone" if len(units) > 1 else ""
    summary = {
        "mass": [mass, "kg"],
        f"front axle share{alone}": [100 * to_rear / base if base else math.nan, "%"],
        "height of the centre of gravity": [height, "m"],
        "wheelbase": [vehicle.wheelbase, "m"],
        **{f"track, {axle.word}": [axle.data.suspension.track, "m"] for axle in axles},
        "steering ratio": [ratio, "-"],
        **{f"tires, {axle.word}": [start.description.tires[axle.wheels[0].name].name, ""] for axle in axles},
    }
    warnings = list(start.warnings)
    rigid = all(axle.data.suspension.compliance is None for axle in axles)
    if vehicle.category and isinstance(event, Steered) and rigid:
        warnings.append(NO_COMPLIANCE)
    if recorded.reason and not recorded.ok:
        warnings.append(f"ended early: {recorded.reason}")
    warnings += _beyond_tire_data(start.description, recorded)
    warnings += _struck(start.description, recorded, mass)
    if vehicle.driveline is not None:
        warnings += vehicle.driveline.happened(place, lambda name: _signal(recorded, name))
    warnings += _edges(start.scene, recorded)
    warnings += _beside_the_road(start.scene, recorded)
    warnings += _features_missed(start.scene, recorded)
    plane = {"roll": "chassis_displacements.roll_wrt_road", "pitch": "chassis_displacements.pitch_wrt_road"}
    inclined = start.scene.even and event.inclined and all(name in recorded.names for name in plane.values())
    towed = {name: w.axle.unit.own.rstrip(".") for name, w in place.wheels.items() if w.axle.unit.number > 1}
    return {
        **({"signals": plane} if inclined else {}),
        "vehicle": {
            "name": vehicle.name,
            "class": vehicle.category,
            "summary": summary,
            "units": _units(vehicle),
            **({"towed": towed, "masses": masses} if len(units) > 1 else {}),
            "quantities": {
                "steering_ratio": ratio,
                "wheelbase": vehicle.wheelbase,
                "cg_to_rear": to_rear,
                "mass": mass,
                "effective_mass": mass + start.rotating_mass + start.driveline_mass,
                "air_density": next((u.data.aero.air_density for u in place.units if u.data.aero is not None), AIR),
            },
        },
        "event": {"kind": event.kind, "name": event.title, "parameters": event.parameters()},
        "parameters": {name: str(value) for name, value in changes.items()},
        "triggers": [asdict(item) for item in recorded.triggers],
        "version": jounce.__version__,
        "hashes": {name: hashes[name] for name in ("vehicle", "tires", "event")},
        "data": packed,
        "statics": {"method": start.settled.method, "iterations": start.settled.iterations},
        "warnings": warnings,
    }


def _units(vehicle: Vehicle) -> list[dict[str, Any]]:
    """Units and their axles (`jounce.results.units`)."""
    return [
        {
            "name": str(getattr(unit.data, "name", "") or (vehicle.name if unit.parent is None else "")),
            "towed_by": 0 if unit.parent is None else unit.parent.number,
            "coupling": "" if unit.parent is None else unit.data.hitch.coupling,
            "groups": [list(group) for group in dict.fromkeys(tuple(a.number for a in x.group) for x in unit.axles)],
        }
        for unit in vehicle.layout.units
    ]


def timing_of(recorded: Recording) -> dict[str, float]:
    """How long a run took, and how much faster than the real car it was."""
    simulated = float(recorded.time[-1] - recorded.time[0]) if len(recorded.time) else 0.0
    factor = simulated / recorded.wall_time if recorded.wall_time > 0 else math.inf
    return {"simulated": simulated, "wall": recorded.wall_time, "real_time_factor": factor}


def with_road_flags(result: Run, scene: Scene) -> Run:
    """The run with what the road is under each wheel: beside it or on it, and its material."""
    values = {name: result[name] for name in result.names if name.startswith("Road.Contact_Patch_Global")}
    added: dict[str, Any] = {}
    for corner, _, sample in scene.under(values):
        added[f"Road.Off_Road_Flag.{corner}"] = sample.off_road.astype(float)
        added[f"Road.Material.{corner}"] = sample.material.astype(float)
    return result.with_channels(added, dict.fromkeys(added, "-")) if added else result


def _beyond_tire_data(description: Description, recorded: Recording) -> list[str]:
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


def _struck(description: Description, recorded: Recording, mass: float) -> list[str]:
    """One warning per tire hit harder than tires are: many times its share of the weight, or down to the rim."""
    result = []
    share = mass * GRAVITY / len(description.wheels)
    for corner, tire in description.tires.items():
        load = _signal(recorded, f"Tire.Ground_Surface_Force_Z.{corner}")
        if load is None or not len(load):
            continue
        worst = int(np.argmax(load))
        if load[worst] > HARDEST * share:
            result.append(
                f"tire {corner} ({tire.name}): {1e-3 * load[worst]:.3g} kN at {recorded.time[worst]:.3f} s, "
                f"{load[worst] / share:.0f} times its share of the weight; no tire bears that"
            )
            continue
        rim = tire.values.get("RIM_RADIUS", 0.0)
        depth = _signal(recorded, f"Tire.Effective_Penetration.{corner}")
        if depth is None or not rim > 0:
            continue
        deepest, room = int(np.argmax(depth)), float(tire.values["UNLOADED_RADIUS"]) - float(rim)
        if depth[deepest] > room:
            result.append(
                f"tire {corner} ({tire.name}): pressed in by {1e3 * depth[deepest]:.1f} mm at "
                f"{recorded.time[deepest]:.3f} s; its rim meets the road at {1e3 * room:.1f} mm"
            )
    return result


def _edges(scene: Scene, recorded: Recording) -> list[str]:
    """One warning per road with edges that a contact in a point does not feel as a tire does, where a wheel met them.

    Under a point the ground is a plane; on an edge it stands upright and the tire is pressed in by most of its radius,
    for as long as the wheel centre is above it: a step or two, which rows need not show.
    """
    result: dict[int, str] = {}
    values = {name: recorded[name] for name in recorded.names if name.startswith("Road.Contact_Patch_Global")}
    for _, road, sample in scene.under(values):
        if isinstance(road, Envelope) or not isinstance(road, LineRoad) or id(road) in result:
            continue
        for feature in road.features:
            first, last = station_range(feature)
            if not math.isfinite(last - first) or not _meets(
                road, feature, np.ravel(sample.station), np.ravel(sample.offset)
            ):
                continue
            s = np.linspace(first, last, min(MOST_PLACES, 2 + math.ceil((last - first) / CLOSE)))
            found = feature.query(s, np.full_like(s, feature.frame.y))
            slope = np.hypot(found.slope_x, found.slope_y)
            if np.nanmax(slope) > STEEP:
                name = feature.name or type(feature).__name__.lower()
                result[id(road)] = (
                    f"road {road.name}: the edges of its {name} at s = {feature.frame.x:g} m rise at "
                    f"{DEGREES * math.atan(np.nanmax(slope)):.0f} deg, and the contact is a point: loads there are "
                    "those of no tire, for an instant that rows may not show. Use contact='points' or 'cams'"
                )
                break
    return list(result.values())


def _beside_the_road(scene: Scene, recorded: Recording) -> list[str]:
    """One warning per tire that left its road."""
    result = []
    values = {name: recorded[name] for name in recorded.names if name.startswith("Road.Contact_Patch_Global")}
    for corner, road, sample in scene.under(values):
        off = np.asarray(sample.off_road)
        if off.any() and road.warns:
            when = float(recorded.time[int(np.argmax(off))])
            result.append(
                f"wheel {corner} left the road {road.name} at {when:.2f} s; what lies beside it follows its rule"
            )
    return result


def _features_missed(scene: Scene, recorded: Recording) -> list[str]:
    """One warning per road whose features no wheel met: the event was meant for them, or another road was."""
    values = {name: recorded[name] for name in recorded.names if name.startswith("Road.Contact_Patch_Global")}
    ways: dict[int, tuple[LineRoad, list[tuple[Any, Any]]]] = {}
    for _, road, sample in scene.under(values):
        line = road.road if isinstance(road, Envelope) else road
        if isinstance(line, LineRoad) and line.features:
            ways.setdefault(id(line), (line, []))[1].append((np.ravel(sample.station), np.ravel(sample.offset)))
    result = []
    for line, tires in ways.values():
        if not any(_meets(line, feature, *way) for feature in line.features for way in tires):
            first = line.features[0]
            stations = np.concatenate([station for station, _ in tires])
            more = f" and {len(line.features) - 1} more" if len(line.features) > 1 else ""
            result.append(
                f"road {line.name}: no wheel met any of its features ({first.name or type(first).__name__.lower()} at "
                f"s = {first.frame.x:g} m, n = {first.frame.y:g} m{more}); the wheels ran from "
                f"s = {np.nanmin(stations):.4g} m to {np.nanmax(stations):.4g} m. Start nearer (x, y, heading), or "
                "drive longer"
            )
    return result


def _meets(road: LineRoad, feature: Any, station: Any, offset: Any) -> bool:
    """Whether the way of a contact, row by row, crosses a feature."""
    first, last = station_range(feature)
    right, left = (feature.extent[1], feature.extent[3]) if feature.extent is not None else (-math.inf, math.inf)
    a, b = (np.fmin, np.fmax)
    jumped = np.abs(np.diff(station)) > 0.5 * road.path.length  # past the start of a closed line
    across = (b(offset[1:], offset[:-1]) >= right - TREAD) & (a(offset[1:], offset[:-1]) <= left + TREAD) & ~jumped
    laps = (-road.path.length, 0.0, road.path.length) if road.path.closed else (0.0,)
    low, high = a(station[1:], station[:-1]), b(station[1:], station[:-1])
    return any(bool(np.any(across & (high + lap >= first) & (low + lap <= last))) for lap in laps)


def _signal(recorded: Recording, name: str) -> Any:
    if name == "time":
        return recorded.time
    return recorded[name] if name in recorded.names else None


def _mass_and_height(vehicle: Vehicle) -> tuple[float, float]:
    """Mass of the whole vehicle, and the height of its centre of gravity at design."""
    mass, centre, _ = combine([body.properties for body in bodies(vehicle.layout)])
    return float(mass), float(centre[2])


def _lever(unit: UnitPlace) -> tuple[float, float]:
    """Of a unit alone: from its centre of gravity to the middle of its rear axles, and from its first axle to there."""
    _, centre, _ = combine([body.properties for body in bodies_of(unit)])
    rear = unit.axles[1:] or unit.axles
    middle = sum(axle.x for axle in rear) / len(rear)
    return float(centre[0]) - middle, unit.axles[0].x - middle
