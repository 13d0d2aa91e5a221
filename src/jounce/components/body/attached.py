"""What is attached to the bodies of a vehicle: places on them, and what sensors, forces and contacts have in common.

A body is named by a word: ``chassis`` (of a split body its rear half), ``front`` (the front half of a split body), a
wheel (``L1``, ``R2`` …) for its carrier, a suspended body by its name (``cab``, ``engine``), ``gyro`` for the levelled
axes at the sensor point, that turn with the heading and stay horizontal, ``ground`` for the world. Words of other tools
are understood, too: ``rear_chassis``, ``front_left_suspension`` …

Places are given at design in the vehicle reference frame. With the place r₀ and the turn R₀ of a marker on a body of
position p, rotation R, velocity v and angular velocity ω, all in world axes:

    r = p + R r₀,   ṙ = v + ω × R r₀,   r̈ = v̇ + ω̇ × R r₀ + ω × (ω × R r₀)                                           (1)

On a carrier r₀ counts from its wheel centre, in its own axes: static toe and camber turn it along. The heading ψ of the
levelled axes follows the x axis e of the chassis:

    ψ = atan2(e_y, e_x),   ψ̇ = ω_z - e_z (ω_x e_x + ω_y e_y)/(e_x² + e_y²)                                          (2)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from jounce.components.basics import Array, Point
from jounce.components.body.split import FRONT
from jounce.components.part import Part, Symbols, derived
from jounce.core.errors import did_you_mean
from jounce.core.fields import Data, choice, part, problem, quantity
from jounce.symbolic.ops import fmax, sqrt

if TYPE_CHECKING:
    from jounce.components.model import UnitModel, VehicleModel
    from jounce.components.places import VehiclePlace
    from jounce.core.paths import Keys

Vector = Sequence[Any]

CHASSIS, GYRO, GROUND = "chassis", "gyro", "ground"
ENDS = {"front": 1, "rear": 2}
SUSPENSION = re.compile(r"(front|rear|axle\d+)_(left|right)_suspension")
NAME = re.compile(r"[A-Za-z]\w*")
STILL = (0.0, 0.0, 0.0)
LEAST = 1e-12  # of the horizontal part of an axis: a car on its tail has no heading


# ---- names of bodies -------------------------------------------------------------------------------------------------


def body_word(given: str) -> str:
    """A body by our word for it."""
    if given in ("rear_chassis", ""):
        return CHASSIS
    if given == "front_chassis":
        return FRONT
    found = SUSPENSION.fullmatch(given)
    if found is None:
        return given
    number = ENDS.get(found[1]) or int(found[1].removeprefix("axle"))
    return f"{'L' if found[2] == 'left' else 'R'}{number}"


def check_body(given: str, place: VehiclePlace, *where: str, moving: bool = False) -> None:
    """Raise unless a vehicle has a body of this name; ``moving``: the world and levelled axes carry no forces."""
    known = [CHASSIS, FRONT, *suspended(place), *place.wheels, *(() if moving else (GYRO, GROUND))]
    if body_word(given) not in known:
        raise problem(f"{given!r}: no body of this vehicle{did_you_mean(given, known, limit=len(known))}", *where)


def suspended(place: VehiclePlace) -> tuple[str, ...]:
    """Names of the bodies that hang on the first unit: a cab, an engine."""
    return tuple(item.name for item in place.units[0].data.body.suspended)


def check_name(name: str) -> None:
    """Raise unless a name may stand in those of channels."""
    if not NAME.fullmatch(name):
        raise problem(f"{name!r}: not a name; a letter, then letters, digits and underscores", "name")


def frame_of(at: VehicleModel, body: str) -> tuple[Any, UnitModel]:
    """The frame of a body that moves, and the unit it belongs to."""
    word = body_word(body)
    if word in at.wheels:
        wheel = at.wheels[word]
        return wheel.carrier, wheel.axle.unit
    unit = at.units[0]
    return unit.bodies[word if word in suspended(at.place) or word == FRONT else ""], unit


def local(body: str, point: Array, place: VehiclePlace) -> Array:
    """A place of the vehicle reference frame at design, from the origin of a body."""
    word, unit = body_word(body), place.units[0]
    if word in place.wheels:
        found: Array = point - place.wheels[word].centre
        return found
    if word == GROUND:
        return point
    if word == GYRO:
        return point - unit.data.body.sensor_point.array
    return unit.local(point, word if word in suspended(place) or word == FRONT else "")


# ---- markers ---------------------------------------------------------------------------------------------------------


class Marker(Data):
    """A place on a body with axes of its own."""

    body: str = choice(CHASSIS, doc="`chassis`, `front`, a wheel (`L1` …) for its carrier, `gyro` or `ground`")
    location: Point = part({}, doc="where it is at design; of the ground in the world")
    psi: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="first angle of its axes: about z")
    theta: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="second angle: about the new x")
    phi: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="third angle: about the new z")

    @property
    def turn(self) -> Array:
        """Its axes in those of its body, as columns: body-fixed 3-1-3."""
        return about_axis("z", self.psi) @ about_axis("x", self.theta) @ about_axis("z", self.phi)

    @derived("m", doc="from the origin of its body", label="location", at="vehicle")
    def place(self, place: VehiclePlace) -> Array:
        return local(self.body, self.location.array, place)

    @derived("-", doc="its x axis in axes of the body", at="vehicle")
    def x_axis(self, place: VehiclePlace) -> Array:
        return np.asarray(self.turn[:, 0] + 0.0)

    @derived("-", doc="its y axis in axes of the body", at="vehicle")
    def y_axis(self, place: VehiclePlace) -> Array:
        return np.asarray(self.turn[:, 1] + 0.0)

    def motion(self, at: VehicleModel, p: Symbols) -> Motion:
        """How it moves in a model; ``p``: its numbers there."""
        return motion_of(at, self.body, p.place, p.x_axis, p.y_axis)


def motion_of(at: VehicleModel, body: str, place: Vector, x_axis: Vector, y_axis: Vector) -> Motion:
    """How a place on any body moves, with axes given in those of the body."""
    word = body_word(body)
    if word == GROUND:
        return Fixed(at, place, x_axis, y_axis)
    if word == GYRO:
        return OnLevel(at, place, x_axis, y_axis)
    return OnFrame(at, frame_of(at, body)[0], place, x_axis, y_axis)


def about_axis(axis: str, angle: float) -> Array:
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    result = np.eye(3)
    result[j, j] = result[k, k] = np.cos(angle)
    result[k, j] = np.sin(angle)
    result[j, k] = -result[k, j]
    return result


class Motion:
    """Position, velocity and acceleration of a marker, and of its axes; all in world axes, each made when asked for."""

    def __init__(self, at: VehicleModel, place: Vector, x_axis: Vector, y_axis: Vector) -> None:
        self.at, self.place, self._x, self._y = at, place, x_axis, y_axis

    def to_world(self, vector: Vector) -> Vector:
        """A vector in axes of the body, in the world's."""
        raise NotImplementedError

    @cached_property
    def position(self) -> Vector:
        """Where it is."""
        raise NotImplementedError

    @cached_property
    def velocity(self) -> Vector:
        """Its rate."""
        raise NotImplementedError

    @cached_property
    def acceleration(self) -> Vector:
        """That of its velocity, without gravity."""
        raise NotImplementedError

    @cached_property
    def turning(self) -> Vector:
        """Angular velocity of its axes."""
        raise NotImplementedError

    @cached_property
    def turning_rate(self) -> Vector:
        """Angular acceleration of its axes."""
        raise NotImplementedError

    @cached_property
    def axes(self) -> tuple[Vector, Vector, Vector]:
        """Its unit vectors."""
        x, y = self.to_world(self._x), self.to_world(self._y)
        return x, y, cross(x, y)

    def along(self, vector: Vector) -> list[Any]:
        """Components of a world vector along its axes."""
        return [dot(vector, axis) for axis in self.axes]


class Fixed(Motion):
    """A marker on the ground."""

    def to_world(self, vector: Vector) -> Vector:
        return vector

    @cached_property
    def position(self) -> Vector:
        return self.place

    @cached_property
    def velocity(self) -> Vector:
        return STILL

    @cached_property
    def acceleration(self) -> Vector:
        return STILL

    @cached_property
    def turning(self) -> Vector:
        return STILL

    @cached_property
    def turning_rate(self) -> Vector:
        return STILL


class OnFrame(Motion):
    """A marker on a body of the model (1)."""

    def __init__(self, at: VehicleModel, frame: Any, place: Vector, x_axis: Vector, y_axis: Vector) -> None:
        super().__init__(at, place, x_axis, y_axis)
        self.frame = frame

    def to_world(self, vector: Vector) -> Vector:
        found: Vector = self.frame.to_world(vector)
        return found

    @cached_property
    def position(self) -> Vector:
        found: Vector = self.frame.point(self.place)
        return found

    @cached_property
    def velocity(self) -> Vector:
        return self.to_world(self.frame.point_velocity(self.place))

    @cached_property
    def acceleration(self) -> Vector:
        return self.to_world(self.at.system.frame_acceleration(self.frame, self.place))

    @cached_property
    def turning(self) -> Vector:
        return self.to_world(self.frame.w)

    @cached_property
    def turning_rate(self) -> Vector:
        return self.to_world(self.at.system.frame_angular_acceleration(self.frame))


class OnLevel(Motion):
    """A marker on the levelled axes at the sensor point (2)."""

    @cached_property
    def _sensor(self) -> OnFrame:
        unit = self.at.units[0]
        body = unit.place.data.body
        p = self.at.bound(body, unit.place, f"{unit.place.prefix}body.")
        return OnFrame(self.at, unit.chassis, p.sensor, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))

    @cached_property
    def _ahead(self) -> tuple[Any, Any, Any]:
        """Horizontal direction of the heading, and the heading's rate."""
        e = self._sensor.axes[0]
        flat = fmax(e[0] * e[0] + e[1] * e[1], LEAST)
        w = self._sensor.turning
        rate = w[2] - e[2] * (w[0] * e[0] + w[1] * e[1]) / flat  # (2)
        length = sqrt(flat)
        return e[0] / length, e[1] / length, rate

    def to_world(self, vector: Vector) -> Vector:
        c, s, _ = self._ahead
        return [c * vector[0] - s * vector[1], s * vector[0] + c * vector[1], vector[2]]

    @cached_property
    def position(self) -> Vector:
        return plus(self._sensor.position, self.to_world(self.place))

    @cached_property
    def velocity(self) -> Vector:
        return plus(self._sensor.velocity, cross(self.turning, self.to_world(self.place)))

    @cached_property
    def acceleration(self) -> Vector:
        arm = self.to_world(self.place)
        carried = cross(self.turning, cross(self.turning, arm))
        return plus(plus(self._sensor.acceleration, cross(self.turning_rate, arm)), carried)

    @cached_property
    def turning(self) -> Vector:
        return [0.0, 0.0, self._ahead[2]]

    @cached_property
    def turning_rate(self) -> Vector:
        return [0.0, 0.0, self.at.system.second_rate(self._ahead[2])]


def dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(a: Vector, b: Vector) -> list[Any]:
    return [x + y for x, y in zip(a, b, strict=True)]


def minus(a: Vector, b: Vector) -> list[Any]:
    return [x - y for x, y in zip(a, b, strict=True)]


# ---- families --------------------------------------------------------------------------------------------------------


class Attached(Part):
    """A part of a vehicle that stands in one of its lists, under a name of its own."""

    def check(self, place: VehiclePlace) -> None:
        """Raise where it does not fit its vehicle; with the key inside it."""

    def checked_in(self, place: VehiclePlace, keys: Keys) -> None:
        """`check`, with the place of the part in the data of the vehicle."""
        from pydantic_core import PydanticCustomError

        try:
            self.check(place)
        except PydanticCustomError as found:
            items = (found.context or {})["problems"]
            told = {"problems": tuple(((*keys, *item[0]), *item[1:]) for item in items)}
            raise PydanticCustomError(found.type, found.message_template, told) from None


class Sensor(Attached):
    """What looks and never acts: channels of its own."""

    family: ClassVar[str] = "sensor"

    kind: str = choice("", doc="kind of sensor")


class Force(Attached):
    """What acts on bodies of the vehicle from outside."""

    family: ClassVar[str] = "force"

    kind: str = choice("", doc="kind of force")


class Contact(Attached):
    """What touches the ground besides tires."""

    family: ClassVar[str] = "contact"

    kind: str = choice("", doc="kind of contact")
