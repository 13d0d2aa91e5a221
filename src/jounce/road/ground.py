"""The ground under a wheel: height, normal and friction, asked per wheel.

A ground answers for a point of a moving frame with its *tangent plane* there (all in the axes of that frame, so that no
wheel needs a rotation into the world and back):

    h = (C - P)·n       height of the point C above the plane, along the normal; P any point of the plane      (1)
    n                   unit normal, upwards
    µ                   friction of the road, 1 = as the tire was measured

``Plane`` is built in: level or inclined, in closed form; per vehicle it costs one rotation of the normal.
``Service`` asks an outside function, declared here once for all roads to come:

    (height, ∂z/∂x, ∂z/∂y, µ) = ground(x, y, z)        world axes; z of the asking point chooses between storeys     (2)
    n = (-∂z/∂x, -∂z/∂y, 1)/|…|,   h = (z - height) n_z

with its first derivatives, as linearisation needs them. ``PatchService`` is the same for an enveloping contact, whose
answer depends on where the wheel points; the direction of a wheel in plan follows from its spin axis a (to the left):

    (height, ∂z/∂x, ∂z/∂y, µ) = ground(x, y, z, a_y, -a_x)                                                           (3)

and (0, 0), for whoever is no wheel, asks for the point alone.

This module knows frames and scopes only by what it asks of them, hence it depends on nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

SERVICE_INPUTS = ("x", "y", "z")
PATCH_INPUTS = (*SERVICE_INPUTS, "direction_x", "direction_y")
SERVICE_OUTPUTS = ("height", "slope_x", "slope_y", "friction")
SERVICE_ORDER = 1


class Axes(Protocol):
    """A frame: what the ground asks of it."""

    @property
    def position(self) -> Any: ...
    def point(self, offset: Any) -> Any: ...
    def from_world(self, a: Any) -> Any: ...
    def to_world(self, a: Any) -> Any: ...


class Declares(Protocol):
    """A scope: what the ground asks of it."""

    def parameter(self, name: str, default: float | str = 0.0, unit: str = "-", doc: str = "") -> Any: ...
    def service(self, name: str, n_in: int, n_out: int, order: int = 1, doc: str = "") -> Any: ...


class Surface(NamedTuple):
    """The tangent plane under a point, in the axes of the asking frame."""

    height: Any  # of the point above the plane, along the normal, m
    normal: Sequence[Any]  # unit vector, upwards
    friction: Any
    velocity: Sequence[Any] | None = None  # of a ground that moves, m/s; None: at rest
    arm: Sequence[Any] | None = None  # from the asking point to a contact point that is given; None: to be found


class Ground(Protocol):
    """Anything wheels can stand on."""

    def under(self, axes: Axes, place: Sequence[Any]) -> Surface:
        """The ground under a point given in the axes of a frame, from its origin."""


@dataclass
class Plane:
    """A plane z = height + grade x + bank y. Without slopes: level."""

    height: Any = 0.0
    friction: Any = 1.0
    grade: Any = None  # dz/dx
    bank: Any = None  # dz/dy
    _known: dict[int, tuple[Axes, Any, Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def declare(cls, scope: Declares, *, inclined: bool = False, name: str = "ground") -> Plane:
        """A plane whose numbers are parameters; ``inclined`` is a matter of structure: a level one is cheaper."""
        height = scope.parameter(f"{name}.height", 0.0, "m", "of the plane at x = y = 0")
        friction = scope.parameter(f"{name}.friction", 1.0, "-", "factor on the friction of tires")
        if not inclined:
            return cls(height, friction)
        grade = scope.parameter(f"{name}.grade", 0.0, "-", "dz/dx of the plane")
        bank = scope.parameter(f"{name}.bank", 0.0, "-", "dz/dy of the plane")
        return cls(height, friction, grade, bank)

    def world_normal(self) -> tuple[Any, Any, Any]:
        if self.grade is None and self.bank is None:
            return (0.0, 0.0, 1.0)
        a, b = (0.0 if slope is None else slope for slope in (self.grade, self.bank))
        n_z = 1.0 / (1.0 + a * a + b * b) ** 0.5
        return (-a * n_z, -b * n_z, n_z)

    def under(self, axes: Axes, place: Sequence[Any]) -> Surface:
        if id(axes) not in self._known:  # once per frame: all wheels of a vehicle share it
            n = self.world_normal()
            origin = axes.position
            h = n[0] * origin[0] + n[1] * origin[1] + n[2] * (origin[2] - self.height)
            self._known[id(axes)] = (axes, h, axes.from_world(n))
        _, h, normal = self._known[id(axes)]
        above = h + normal[0] * place[0] + normal[1] * place[1] + normal[2] * place[2]  # (1)
        return Surface(above, normal, self.friction)


@dataclass
class Service:
    """Ground by an outside function (2)."""

    handle: Any

    @classmethod
    def declare(cls, scope: Declares, name: str = "ground") -> Service:
        doc = f"({', '.join(SERVICE_OUTPUTS)}) at ({', '.join(SERVICE_INPUTS)}), world axes"
        return cls(scope.service(name, len(SERVICE_INPUTS), len(SERVICE_OUTPUTS), SERVICE_ORDER, doc))

    def at(self, x: Any, y: Any, z: Any) -> tuple[Any, Any, Any, Any]:
        """Height, slopes and friction at a point of the world."""
        height, a, b, friction = self.handle(x, y, z)
        return height, a, b, friction

    def under(self, axes: Axes, place: Sequence[Any]) -> Surface:
        point = axes.point(place)
        height, a, b, friction = self.at(*point)
        n_z = 1.0 / (1.0 + a * a + b * b) ** 0.5  # (2)
        return Surface((point[2] - height) * n_z, axes.from_world((-a * n_z, -b * n_z, n_z)), friction)


@dataclass
class PatchService(Service):
    """Ground by an outside function that is told where a wheel points (3)."""

    direction: tuple[Any, Any] = (0.0, 0.0)

    @classmethod
    def declare(cls, scope: Declares, name: str = "ground") -> PatchService:
        doc = f"({', '.join(SERVICE_OUTPUTS)}) at ({', '.join(PATCH_INPUTS)}), world axes; direction (0, 0): a point"
        return cls(scope.service(name, len(PATCH_INPUTS), len(SERVICE_OUTPUTS), SERVICE_ORDER, doc))

    def at(self, x: Any, y: Any, z: Any) -> tuple[Any, Any, Any, Any]:
        height, a, b, friction = self.handle(x, y, z, *self.direction)
        return height, a, b, friction

    def along(self, axes: Axes, axis: Sequence[Any]) -> PatchService:
        """The same, asked by a wheel whose spin axis is given in the axes of a frame."""
        left = axes.to_world(axis)
        return replace(self, direction=(left[1], -left[0]))


def aimed(ground: Ground, axes: Axes, axis: Sequence[Any]) -> Ground:
    """A ground as a wheel asks it: told where the wheel points when it wants to know, also below what wraps it."""
    if isinstance(ground, PatchService):
        return ground.along(axes, axis)
    for name in ("ground", "road"):
        below = getattr(ground, name, None)
        told = below if below is None else aimed(below, axes, axis)
        if told is not below:
            return replace(ground, **{name: told})  # type: ignore[type-var]
    return ground
