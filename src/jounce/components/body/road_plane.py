"""The plane of the road under the car: what heights over the road, road axes and aerodynamics refer to.

By default it is the ground's own tangent plane under the asking point. A car whose wheels lift off may use a plane
through its contact points Cᵢ instead (``system.road_plane`` of the vehicle):

    contacts    through the points in contact: the plane nearest to them (least squares along the chassis' z axis) when
                there are three or more; with the two wheels of one axle in contact through both, as steep along the
                car as the road under the left one; otherwise the last plane there was
    estimated   through the points of three wheels, in contact or where they would be: continuous at take-off
    heights     through the points of three wheels with the world heights they had when the wheel last touched

In chassis axes a plane is z = c + a x + b y; with weights wᵢ (1 in contact, 0 in the air) and centred coordinates
x̃ = x - Σwx/Σw … the normal equations of the fit are 2 × 2:

    [Σw x̃²  Σw x̃ỹ; Σw x̃ỹ  Σw ỹ²] (a, b) = (Σw x̃z̃, Σw ỹz̃)                                                      (1)

A plane that is kept is kept in the world: n·r = d. A wheel with two tires touches when one of them does; its point is
that of the tire in contact, the middle of both points when both are. ``estimated`` takes the inner tire's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.components.model import UnitModel, WheelModel
from jounce.core.errors import ModelError
from jounce.road.ground import Axes, Surface
from jounce.symbolic.ops import fmax, if_else, sqrt

Vector = Sequence[Any]


class WorldPlane:
    """A plane n·r = d in the world, as a ground for what is not a wheel."""

    def __init__(self, normal: Vector, distance: Any, friction: Any) -> None:
        self.normal, self.distance, self.friction = normal, distance, friction

    def under(self, axes: Axes, place: Vector) -> Surface:
        return Surface(
            _dot(self.normal, axes.point(place)) - self.distance, axes.from_world(self.normal), self.friction
        )


def choose(at: UnitModel) -> None:
    """Make the plane through the contact points the ground of the body, where the vehicle says so."""
    if at.place.settings.road_plane != "ground":
        at.find_ground = lambda: _plane(at)


def _plane(at: UnitModel) -> WorldPlane:
    mode = at.place.settings.road_plane
    friction = next(iter(at.wheels.values())).tire.friction
    if mode == "estimated":
        normal, distance = _through(at, [_contact(wheel, False) for wheel in _first(at)])
        return WorldPlane(normal, distance, friction)
    points = {name: _contact(wheel) for name, wheel in at.wheels.items()}
    touching = {name: _touches(wheel) for name, wheel in at.wheels.items()}
    if mode == "heights":
        normal, distance = _through(at, _kept_heights(at, points, touching))
    else:
        normal, distance = _kept(at, *_of_contacts(at, points, touching))
    return WorldPlane(normal, distance, friction)


def _first(at: UnitModel) -> list[WheelModel]:
    """Three wheels that make a plane: those of the first axle, and the left one of the last."""
    wheels = [*at.axles[0].wheels, *at.axles[-1].wheels][:3]
    if len(wheels) < 3 or len(at.axles) < 2:
        raise ModelError(f"road_plane {at.place.settings.road_plane!r}: needs three wheels on two axles")
    return wheels


def _contact(here: WheelModel, both: bool = True) -> Vector:
    """Contact point of a wheel, world axes; ``both``: of those tires of a twin wheel that touch."""
    local = [c + a for c, a in zip(here.tire.centre, here.tire.contact.arm, strict=True)]
    if both and here.twin is not None:
        outer = zip(here.twin.centre, here.twin.contact.arm, local, strict=True)
        share = _outer_share(here)
        local = [own + share * (c + a - own) for (c, a, own) in outer]
    point: Vector = here.carrier.native_axes.point(local)
    return point


def _touches(here: WheelModel) -> Any:
    """1 when a tire of a wheel is in contact, else 0."""
    deflection = here.tire.rho if here.twin is None else fmax(here.tire.rho, here.twin.rho)
    return if_else(deflection > 0, 1.0, 0.0)


def _outer_share(here: WheelModel) -> Any:
    """Of the outer tire in the contact of a twin wheel: 1 when it alone touches, 1/2 when both do, else 0."""
    assert here.twin is not None
    return if_else(here.twin.rho > 0, if_else(here.tire.rho > 0, 0.5, 1.0), 0.0)


def _through(at: UnitModel, points: Sequence[Vector]) -> tuple[Vector, Any]:
    """The plane through three points."""
    a, b, c = points
    normal = _upwards(at, _cross(_minus(b, a), _minus(c, a)))
    return normal, _dot(normal, a)


def _upwards(at: UnitModel, vector: Vector) -> Vector:
    """A unit vector along it or against it, on the side of the chassis' z axis."""
    length = fmax(sqrt(_dot(vector, vector)), 1e-12)
    up = at.chassis.to_world([0.0, 0.0, 1.0])
    sign = if_else(_dot(vector, up) < 0, -1.0, 1.0)
    return [sign * v / length for v in vector]


def _kept_heights(at: UnitModel, points: dict[str, Vector], touching: dict[str, Any]) -> list[Vector]:
    """Contact points of three wheels with the heights of their last contact."""
    scope = at.vehicle.scope("road_plane")
    result: list[Vector] = []
    for place in (wheel.place.name for wheel in _first(at)):
        x, y, z = points[place]
        kept = scope.memory(
            f"height.{place}", "m", "of the contact point when the wheel last touched, world", role="free"
        )
        known = scope.memory(f"known.{place}", "-", "1 once the wheel has touched the ground", role="free")
        height = if_else(touching[place] > 0, z, if_else(known > 0, kept, z))
        scope.next_memory(kept, height)
        scope.next_memory(known, if_else(touching[place] > 0, 1.0, known))
        result.append([x, y, height])
    return result


def _of_contacts(at: UnitModel, points: dict[str, Vector], touching: dict[str, Any]) -> tuple[Vector, Any, Any]:
    """The plane of the wheels in contact, and whether there is one."""
    fitted = _fit(at, points, touching)
    number = sum(touching.values())
    plane, there = fitted, if_else(number > 2.5, 1.0, 0.0)
    for axle in (axle for axle in at.axles if len(axle.wheels) == 2):
        here = axle.wheels[0]
        left, right = (wheel.place.name for wheel in axle.wheels)
        alone = touching[left] * touching[right] * if_else(number < 2.5, 1.0, 0.0)
        across = _minus(points[right], points[left])
        slope = here.tire.contact.normal
        if here.twin is not None:  # of the tire that touches, the inner one when both do
            outer = zip(here.twin.contact.normal, slope, strict=True)
            slope = [if_else(_outer_share(here) > 0.75, o, s) for o, s in outer]
        steep = here.carrier.native_axes.to_world(slope)
        share = _dot(steep, across) / fmax(_dot(across, across), 1e-12)
        normal = _upwards(at, [n - share * e for n, e in zip(steep, across, strict=True)])
        other = [*normal, _dot(normal, points[left])]
        plane = [if_else(alone > 0, o, p) for o, p in zip(other, plane, strict=True)]
        there = there + alone
    return plane[:3], plane[3], there


def _fit(at: UnitModel, points: dict[str, Vector], weights: dict[str, Any]) -> Vector:
    """Normal and distance of the plane nearest to the weighted points (1)."""
    chassis = at.chassis
    origin = chassis.position
    local = {place: chassis.from_world(_minus(point, origin)) for place, point in points.items()}
    total = fmax(sum(weights.values()), 1.0)
    middle = [sum(weights[p] * local[p][i] for p in points) / total for i in range(3)]
    centred = {p: _minus(local[p], middle) for p in points}

    def moment(i: int, j: int) -> Any:
        return sum(weights[p] * centred[p][i] * centred[p][j] for p in points)

    xx, xy, yy, xz, yz = moment(0, 0), moment(0, 1), moment(1, 1), moment(0, 2), moment(1, 2)
    # three wheels of a car span metres; with fewer the result is not used
    determinant = fmax(xx * yy - xy * xy, 1e-9)
    a, b = (xz * yy - yz * xy) / determinant, (yz * xx - xz * xy) / determinant
    length = sqrt(1.0 + a * a + b * b)
    normal = chassis.to_world([-a / length, -b / length, 1.0 / length])
    return [*normal, _dot(normal, chassis.point(middle))]


def _kept(at: UnitModel, normal: Vector, distance: Any, there: Any) -> tuple[Vector, Any]:
    """A plane that may be missing, replaced by the last there was; before any, by the level one."""
    scope = at.vehicle.scope("road_plane")
    names = (*((f"normal.{axis}", "-") for axis in "xyz"), ("distance", "m"))
    result = []
    for (name, unit), value in zip(names, (*normal, distance), strict=True):
        start = 1.0 if name == "normal.z" else 0.0
        kept = scope.memory(name, unit, "of the last plane through the wheels, world", initial=start, role="free")
        now = if_else(there > 0, value, kept)
        scope.next_memory(kept, now)
        result.append(now)
    return result[:3], result[3]


def _dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _minus(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def _cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
