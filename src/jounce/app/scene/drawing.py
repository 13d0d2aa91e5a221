"""What bodies look like, from the data of a vehicle: plain data that a scene shows.

    {"bodies": {name: [shape, …]}, "tires": [name, …], "links": [[name, name], …], "road": mesh, "cones": […], …}

Shapes are in the axes of their body: of ``body`` those of the vehicle reference frame, of a wheel its centre, y along
its axle. Kinds: ``mesh`` (points, triangles), ``wheel`` (radius, width), ``centre`` (of gravity), ``point`` (a hard
point), ``measure`` (a dimension with its words), ``axes``. A key ``label`` is shown with the pointer over it, ``path``
is where the data say it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.core.errors import JounceError
from jounce.core.paths import dotted

if TYPE_CHECKING:
    from jounce.components.places import AxlePlace, UnitPlace
    from jounce.core.fields import Data
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle

USUAL = {"radius": 0.31, "width": 0.2}  # m, of wheels that no data describe
MOST_POINTS = 200_000  # of a road
RELATIVE = ("split.front.cg", "split.rear.cg", "max_offset")  # points that are not places in the vehicle
# corners of a shell by level, end and side, as (level, end, side) bits of 0 and 1; roof is level 2
_FACES = (
    # sides of the lower and the upper half, ends, bottom; each a quadrangle of (level, end, side)
    *(((lo, 0, s), (lo, 1, s), (lo + 1, 1, s), (lo + 1, 0, s)) for lo in (0, 1) for s in (0, 1)),
    *(((lo, e, 0), (lo, e, 1), (lo + 1, e, 1), (lo + 1, e, 0)) for lo in (0, 1) for e in (0, 1)),
    ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)),
    ((2, 0, 0), (2, 0, 1), (2, 1, 1), (2, 1, 0)),
)


def drawing_of(vehicle: Vehicle, *, details: bool = True) -> dict[str, Any]:
    """A vehicle from its data; ``details``: with centre of gravity, hard points and dimensions."""
    body = _bodywork(vehicle)
    if details:
        first = vehicle.layout.units[:1]
        body += [{"kind": "axes", "size": 0.5}, *_centres(vehicle, first), *_points(vehicle), *_measures(vehicle)]
    sizes = wheel_sizes(vehicle)
    bodies: dict[str, list[dict[str, Any]]] = {"body": body}
    for name, wheel in vehicle.layout.tires.items():
        owner = wheel.name
        shape = {"kind": "wheel", **sizes[name], "label": f"{name}: {_about(sizes[name])}"}
        if name != owner:
            twin = wheel.axle.data.wheels_on(wheel.side).twin
            shape["offset"] = wheel.outwards * float(twin.offset)
        bodies.setdefault(owner, []).append(shape)
    for unit in vehicle.layout.units[1:]:
        cargo = _cargo(unit)
        boxes = [_box(unit)] if cargo is None else [_rails(unit), cargo]
        bodies[name_of(unit)] = [*boxes, *(_centres(vehicle, [unit]) if details else ())]
    links = [[w.name for w in axle.wheels] for axle in vehicle.layout.axles if len(axle.wheels) == 2]
    return {"name": vehicle.name, "bodies": bodies, "tires": list(vehicle.layout.tires), "links": links}


def places_of(vehicle: Vehicle) -> dict[str, Any]:
    """Where the bodies of a vehicle are at design."""
    found = {"body": np.zeros(3)}
    found |= {name: wheel.centre + wheel.axle.unit.offset for name, wheel in vehicle.layout.wheels.items()}
    return found | {name_of(unit): np.asarray(unit.offset) for unit in vehicle.layout.units[1:]}


def name_of(unit: UnitPlace) -> str:
    """The body of a unit that is towed."""
    return f"unit{unit.number}"


def wheel_sizes(vehicle: Vehicle) -> dict[str, dict[str, float]]:
    """Radius and width of every tire, m."""
    from jounce.sim.car import tires_of

    try:
        tires = tires_of(vehicle)
    except (JounceError, OSError):
        return {name: {**USUAL, "radius": float(wheel.centre[2])} for name, wheel in vehicle.layout.tires.items()}
    found = {}
    for name, tire in tires.items():
        radius = float(tire.values.get("UNLOADED_RADIUS", math.nan))
        width = float(tire.sizes.get("WIDTH", tire.values.get("WIDTH", math.nan)))
        found[name] = {
            "radius": radius if math.isfinite(radius) and radius > 0 else USUAL["radius"],
            "width": width if math.isfinite(width) and width > 0 else USUAL["width"],
        }
    return found


def usual(wheels: list[str]) -> dict[str, Any]:
    """A drawing of bodies that nothing is known of but their names: wheels, and no body."""
    shapes: dict[str, list[dict[str, Any]]] = {"body": [{"kind": "axes", "size": 0.5}]}
    return {"name": "", "bodies": shapes | {w: [{"kind": "wheel", **USUAL}] for w in wheels}, "tires": [], "links": []}


def road_of(road: Road, reach: tuple[float, float, float, float] | None = None) -> dict[str, Any]:
    """A road as triangles, coarse enough to be drawn; of one that is larger than ``reach`` what lies within."""
    from jounce.road.meshing import mesh_of

    step = 1.0
    mesh = mesh_of(road, step)
    while len(mesh.points) > MOST_POINTS:
        step *= 2.0
        mesh = mesh_of(road, step)
    vertices, faces = mesh.points, np.asarray(mesh.triangles, dtype=int)
    if reach is not None:
        x0, x1, y0, y1 = reach
        inside = (vertices[:, 0] >= x0) & (vertices[:, 0] <= x1) & (vertices[:, 1] >= y0) & (vertices[:, 1] <= y1)
        faces = faces[inside[faces].any(axis=1)]
        used, again = np.unique(faces, return_inverse=True)
        vertices, faces = vertices[used], again.reshape(faces.shape)
    return {"points": np.round(vertices, 4).ravel().tolist(), "triangles": faces.ravel().tolist()}


def _shell(vehicle: Vehicle) -> dict[str, Any]:
    """The body between the corners of its shell, or of a usual one."""
    from jounce.components.body.shell import CORNERS, Shell

    given = [contact for contact in vehicle.contacts if isinstance(contact, Shell)]
    place = replace(vehicle.layout, units=vehicle.layout.units[:1])  # those that are towed have boxes
    points = (given[0] if given else Shell()).points(place)
    return _mesh([points[name] for name in CORNERS], usual=not given)


def _box(unit: UnitPlace) -> dict[str, Any]:
    """What is towed: a box over its axles, as far as the data say where it might be."""
    ends = [axle.x for axle in unit.axles] or [float(unit.data.body.centre()[0])]
    wide = max((abs(float(w.centre[1])) for axle in unit.axles for w in axle.wheels), default=0.9)
    tall = max((float(w.centre[2]) for axle in unit.axles for w in axle.wheels), default=0.5)
    front, rear = 0.3 * max(ends), min(ends) - 0.25 * abs(min(ends))
    high = 2.0 * float(unit.data.body.centre()[2]) - tall
    levels = ((tall, wide), (0.5 * (tall + high), wide), (max(high, tall + 0.4), wide))
    corners = [np.array([x, side * w, z]) for z, w in levels for x in (front, rear) for side in (1.0, -1.0)]
    return _mesh(corners, usual=True)


def _bodywork(vehicle: Vehicle) -> list[dict[str, Any]]:
    """Of the first unit: its shell; of a truck the frame, the cab over its mounts, and the box for payloads."""
    unit = vehicle.layout.units[0]
    cabs = [item for item in unit.data.body.suspended if item.kind == "cab" and item.mounts]
    cargo = _cargo(unit)
    if not cabs and cargo is None:
        return [_shell(vehicle)]
    tall = max(float(w.centre[2]) for axle in unit.axles for w in axle.wheels)
    wide = max(abs(float(w.centre[1])) for axle in unit.axles for w in axle.wheels)
    rear = min(axle.x for axle in unit.axles) - 1.6 * tall
    if not cabs:  # a cab ahead of its box
        box = unit.data.body.cargo
        rear, start = min(rear, box.front - box.length), 2.2 * tall
        walls = (1.2 * tall, 1.2 * tall + 1.55)
        return [
            _block((start, rear), 0.4, (0.8 * tall, box.floor)),
            _block((start, box.front), wide + 0.1, walls),
            *([cargo] if cargo else ()),
        ]
    places = [mount.location for cab in cabs for mount in cab.mounts]
    ahead, back = max(p.x for p in places) + 0.15, min(p.x for p in places) - 0.1
    low, high = min(p.z for p in places), max(2.0 * float(cab.cg.z) - min(p.z for p in places) for cab in cabs)
    frame = _block((ahead, rear), 0.45, (0.9 * tall, low))
    return [frame, _block((ahead, back), wide + 0.2, (low, high + 0.2)), *([cargo] if cargo else ())]


def _cargo(unit: UnitPlace) -> dict[str, Any] | None:
    """The box that payloads stand in; one without a roof is as high as it is usual."""
    box = unit.data.body.cargo
    if box is None:
        return None
    high = box.floor + (2.4 if box.height is None else box.height)
    return _block((box.front, box.front - box.length), 0.5 * box.width, (box.floor, high), box.middle, usual=False)


def _rails(unit: UnitPlace) -> dict[str, Any]:
    """What carries the box of a towed unit: from its coupling, or its front, over its axles."""
    box, axles = unit.data.body.cargo, unit.axles
    tall = max((float(w.centre[2]) for axle in axles for w in axle.wheels), default=0.5)
    rear = min(axle.x for axle in axles) - 1.6 * tall if axles else box.front - box.length
    before = [axle.x + axle.unit.offset[0] - unit.offset[0] for axle in unit.parent.axles] if unit.parent else []
    start = min(box.front, min(before, default=0.0) - 1.2 * tall)
    return _block((start, rear), 0.45, (min(0.9 * tall, box.floor - 0.02), box.floor))


def _block(
    along: tuple[float, float], half: float, heights: tuple[float, float], middle: float = 0.0, *, usual: bool = True
) -> dict[str, Any]:
    """A body with straight walls."""
    low, high = heights
    levels = (low, 0.5 * (low + high), high)
    corners = [np.array([x, middle + side * half, z]) for z in levels for x in along for side in (1.0, -1.0)]
    return _mesh(corners, usual=usual)


def _mesh(corners: list[Any], *, usual: bool) -> dict[str, Any]:
    """A body between corners by level, end and side."""
    triangles = []
    for a, b, c, d in ([4 * level + 2 * end + side for level, end, side in face] for face in _FACES):
        triangles += [a, b, c, a, c, d]
    flat = [round(float(v), 4) for place in corners for v in place]
    return {"kind": "mesh", "points": flat, "triangles": triangles, "role": "body", "usual": usual}


def _centres(vehicle: Vehicle, units: Sequence[UnitPlace]) -> Iterator[dict[str, Any]]:
    for unit in units:
        place = unit.data.body.centre()
        several = len(vehicle.layout.units) > 1
        what = "centre of gravity of the sprung mass" + (f", unit {unit.number}" if several else "")
        path = dotted((*unit.data.keys, "body", "cg"))
        yield {"kind": "centre", "at": _three(place), "label": f"{what}: {_coordinates(place)}", "path": path}


def _points(vehicle: Vehicle) -> Iterator[dict[str, Any]]:
    """All points of the data that are places in the vehicle."""
    for path, point in points_of(vehicle):
        if path.rpartition(".")[2] == "cg" or path.endswith(RELATIVE):
            continue
        owner = [unit for unit in vehicle.layout.units if path.startswith(dotted(unit.data.keys) or "*")]
        point = point + owner[0].offset if owner else point
        yield {"kind": "point", "at": _three(point), "label": f"{path}: {_coordinates(point)}", "path": path}


def points_of(data: Data, path: str = "") -> Iterator[tuple[str, Any]]:
    """Points within some data, by path."""
    from jounce.components.basics import Point
    from jounce.core.fields import Data

    for name in type(data).model_fields:
        value = getattr(data, name)
        here = f"{path}.{name}" if path else name
        for item, at in (
            [(value, here)] if not isinstance(value, tuple) else [(one, f"{here}[{k}]") for k, one in enumerate(value)]
        ):
            if isinstance(item, Point):
                yield at, item.array
            elif isinstance(item, Data):
                yield from points_of(item, at)


def _measures(vehicle: Vehicle) -> Iterator[dict[str, Any]]:
    """Tracks, and distances between axles, on the ground."""
    axles = vehicle.layout.axles
    side = max((abs(float(w.centre[1])) for w in vehicle.layout.wheels.values()), default=0.8) + 0.45
    for axle in axles:
        if len(axle.wheels) == 2:
            left, right = (w.centre for w in axle.wheels)
            words = f"track {abs(float(left[1] - right[1])):.3f} m"
            yield {
                "kind": "measure",
                "from": [_along(axle), float(left[1]), 0],
                "to": [_along(axle), float(right[1]), 0],
                "label": words,
            }
    for one, other in pairwise(axles):
        a, b = _along(one), _along(other)
        words = f"{'wheelbase' if len(axles) == 2 else 'distance'} {abs(a - b):.3f} m"
        yield {"kind": "measure", "from": [a, side, 0], "to": [b, side, 0], "label": words}


def _along(axle: AxlePlace) -> float:
    """Where an axle is along the whole vehicle."""
    return float(axle.x + axle.unit.offset[0])


def _three(values: Any) -> list[float]:
    return [round(float(v), 5) for v in values]


def _coordinates(place: Any) -> str:
    return "x {:.3f}, y {:.3f}, z {:.3f} m".format(*(float(v) for v in place))


def _about(size: Mapping[str, float]) -> str:
    return f"radius {size['radius']:.3f} m, width {size['width']:.3f} m"
