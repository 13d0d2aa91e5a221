"""A plain bushing: what holds one body against another, by springs and dampers along and about six axes.

With the place d and the rotation R of the marker on body I against that on body J, in axes of the marker on J, and the
projected angles of ``displacement_sensor`` (1), axis by axis:

    F = -k s (d + d₀) - c ḋ + F₀,   s(d) the curve of the axis, k its factor                                      (1)
    T = -k s (a + a₀) - c ω + T₀,   a the angles, ω the angular velocity of I against J                            (2)

F and T act on body I at its marker. Body J has -F at the same place in space, and -T: the momentum of the vehicle stays
as it was. ``active`` 0 takes all of it away; without its curve an axis has no spring. Springs that are lines keep
½ k d², dampers turn ∮ c ḋ² dt into heat. Projected angles are exact about one axis; about several at once they are no
coordinates, and the torque is that of the law, not of an energy.

Data: location and axes (body-fixed 3-1-3) are at design, in the vehicle reference frame, and the same for both markers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from jounce.components.basics import Array, Point
from jounce.components.body.attached import (
    CHASSIS,
    Force,
    about_axis,
    body_word,
    check_body,
    check_name,
    cross,
    frame_of,
    local,
    plus,
)
from jounce.components.body.displacement_sensor import projected
from jounce.components.body.point_force import ForceVector, MomentVector
from jounce.components.model import VehicleModel
from jounce.components.part import Level, Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, part, problem, quantity
from jounce.symbolic.frames import Frame, Matrix, Vector, product, sub, times, transposed_times

AXES, ANGLES = ("x", "y", "z"), ("rx", "ry", "rz")
GROUP = "Bushing"


class Damping(Data):
    """Damping along three axes; in a file also ``[x, y, z]``."""

    x: float = quantity("N.s/m", 0.0, ge=0, typical=(1.0, 1e6), doc="along x")
    y: float = quantity("N.s/m", 0.0, ge=0, typical=(1.0, 1e6), doc="along y")
    z: float = quantity("N.s/m", 0.0, ge=0, typical=(1.0, 1e6), doc="along z")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)


class TurningDamping(Data):
    """Damping about three axes; in a file also ``[x, y, z]``."""

    x: float = quantity("N.m.s/rad", 0.0, ge=0, typical=(0.01, 1e5), doc="about x")
    y: float = quantity("N.m.s/rad", 0.0, ge=0, typical=(0.01, 1e5), doc="about y")
    z: float = quantity("N.m.s/rad", 0.0, ge=0, typical=(0.01, 1e5), doc="about z")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)


class Offset(Data):
    """Deformation that is there at design; in a file also ``[x, y, z]``."""

    x: float = quantity("m", 0.0, typical=(0.0, 0.2), doc="along x")
    y: float = quantity("m", 0.0, typical=(0.0, 0.2), doc="along y")
    z: float = quantity("m", 0.0, typical=(0.0, 0.2), doc="along z")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)


class TurningOffset(Data):
    """Angles that are there at design; in a file also ``[x, y, z]``."""

    x: float = quantity("rad", 0.0, typical=(0.0, 1.0), doc="about x")
    y: float = quantity("rad", 0.0, typical=(0.0, 1.0), doc="about y")
    z: float = quantity("rad", 0.0, typical=(0.0, 1.0), doc="about z")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)


class Factors(Data):
    """A factor per axis; in a file also ``[x, y, z]``."""

    x: float = quantity("-", 1.0, ge=0, typical=(0.01, 100.0), doc="along or about x")
    y: float = quantity("-", 1.0, ge=0, typical=(0.01, 100.0), doc="along or about y")
    z: float = quantity("-", 1.0, ge=0, typical=(0.01, 100.0), doc="along or about z")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)


def _elastic(axis: str) -> Any:
    return curve("m", "N", None, typical=(1e2, 1e10), reach=(1e-4, 1.0), doc=f"force over deformation along {axis}")


def _turning(axis: str) -> Any:
    return curve("rad", "N.m", None, typical=(0.1, 1e9), reach=(1e-4, 6.3), doc=f"torque over angle about {axis}")


class BushingLaw(Data):
    """The numbers of a bushing: where it is, and what it does along and about its axes (1, 2)."""

    active: float = quantity("-", 1.0, ge=0, le=1, doc="1: it acts, 0: it is switched off")
    location: Point = part({}, doc="where it is at design")
    psi: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="first angle of its axes: about z")
    theta: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="second angle: about the new x")
    phi: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="third angle: about the new z")
    x: Curve | None = _elastic("x")
    y: Curve | None = _elastic("y")
    z: Curve | None = _elastic("z")
    rx: Curve | None = _turning("x")
    ry: Curve | None = _turning("y")
    rz: Curve | None = _turning("z")
    damping: Damping = part({}, doc="force over speed")
    turning_damping: TurningDamping = part({}, doc="torque over angular speed")
    preload: ForceVector = part({}, doc="force on body I at design")
    turning_preload: MomentVector = part({}, doc="torque on body I at design")
    offset: Offset = part({}, doc="deformation at design")
    turning_offset: TurningOffset = part({}, doc="angles at design")
    factors: Factors = part({}, doc="factors on the curves of force")
    turning_factors: Factors = part({}, doc="factors on the curves of torque")

    @property
    def turn(self) -> Array:
        """Its axes in those of the vehicle at design, as columns."""
        return about_axis("z", self.psi) @ about_axis("x", self.theta) @ about_axis("z", self.phi)

    def law(self, p: Symbols, motion: Relative) -> tuple[list[Any], list[Any]]:
        """Force and torque on body I in axes of the marker on J."""
        force, torque = [], []
        for name, d, v in zip(AXES, motion.place, motion.velocity, strict=True):
            spring = self._spring(p, name, p.factors, p.offset, name, d)
            damper = getattr(p.damping, name) * v
            force.append(p.active * (getattr(p.preload, name) - spring - damper))  # (1)
        for name, angle, a, w in zip(AXES, ANGLES, motion.angles, motion.turning, strict=True):
            spring = self._spring(p, angle, p.turning_factors, p.turning_offset, name, a)
            damper = getattr(p.turning_damping, name) * w
            torque.append(p.active * (getattr(p.turning_preload, name) - spring - damper))  # (2)
        return force, torque

    def _spring(self, p: Symbols, field: str, factors: Symbols, offsets: Symbols, axis: str, value: Any) -> Any:
        if getattr(self, field) is None:
            return 0.0
        return getattr(factors, axis) * getattr(p, field)(value + getattr(offsets, axis))


def axes_of(level: Level) -> tuple[Any, Any]:
    """Its x and y axes in those of the vehicle, as numbers of a part at a level."""

    def axis(n: int) -> Any:
        def found(self: Any, place: Any) -> Array:
            return np.asarray(self.turn[:, n] + 0.0)

        return derived("-", doc=f"its {AXES[n]} axis in axes of the vehicle", at=level, label=f"{AXES[n]}_axis")(found)

    return axis(0), axis(1)


# ---- motion of one body against another ------------------------------------------------------------------------------


@dataclass
class Side:
    """A marker on a body: its frame, its place in it."""

    frame: Frame
    place: Vector


@dataclass
class Relative:
    """Motion of the marker on I against that on J, in axes of the marker on J."""

    i: Side
    j: Side
    axes: Matrix  # of the marker on J in its body, columns
    place: Vector
    velocity: Vector
    angles: list[Any]
    turning: Vector

    def act(self, force: Sequence[Any], torque: Sequence[Any]) -> None:
        """Force and torque on I at its marker, and what they leave to J at the same place in space."""
        system = self.i.frame.system
        push, twist = times(self.axes, list(force)), times(self.axes, list(torque))
        there = plus(self.j.place, times(self.axes, self.place))
        for frame, at, sign in ((self.i.frame, self.i.place, 1.0), (self.j.frame, there, -1.0)):
            system.force(frame, [sign * x for x in push], at=at, axes=self.j.frame)
            system.torque(frame, [sign * x for x in twist], axes=self.j.frame)


def columns(x_axis: Sequence[Any], y_axis: Sequence[Any]) -> Matrix:
    """A rotation by its first two axes."""
    x, y = list(x_axis), list(y_axis)
    z = cross(x, y)
    return [[x[i], y[i], z[i]] for i in range(3)]


def relative(i: Side, j: Side, axes: Matrix) -> Relative:
    """How a marker on I moves against one on J; at design both have the same axes, given in those of the bodies."""
    system, base = i.frame.system, common(i.frame, j.frame)
    (r_i, turn_i), (r_j, turn_j) = pose_in(i.frame, base), pose_in(j.frame, base)
    gap = sub(plus(r_i, times(turn_i, i.place)), plus(r_j, times(turn_j, j.place)))
    place = transposed_times(axes, transposed_times(turn_j, gap))
    turned = product(transposed(turn_j), turn_i)
    turned = turned if turned is None else product(transposed(axes), product(turned, axes))
    angles = [0.0, 0.0, 0.0] if turned is None else list(projected(turned).values())
    w = sub(times(turn_i, turning_in(i.frame, base)), times(turn_j, turning_in(j.frame, base)))
    velocity = [system.time_derivative(x) for x in place]
    return Relative(i, j, axes, place, velocity, angles, transposed_times(axes, transposed_times(turn_j, w)))


def transposed(matrix: Matrix | None) -> Matrix | None:
    return None if matrix is None else [[matrix[j][i] for j in range(3)] for i in range(3)]


def common(i: Frame, j: Frame) -> Frame | None:
    """The frame nearest to both that carries them; None: only the world does."""
    above = list(_carriers(i))
    return next((frame for frame in _carriers(j) if any(frame is other for other in above)), None)


def _carriers(frame: Frame | None) -> Any:
    """A frame and those that carry it, the world left out: against it a body moves by speeds of its own axes."""
    while frame is not None and frame.parent is not None:
        yield frame
        frame = frame.parent


def pose_in(frame: Frame, base: Frame | None) -> tuple[Vector, Matrix | None]:
    """Place and rotation of a frame in axes of one that carries it, or of the world."""
    if base is None:
        return list(frame.position), frame.orientation
    r, turn = [0.0 * frame.r[0]] * 3, None
    while frame is not base:
        r, turn = plus(frame.r, times(frame.rotation, r)), product(frame.rotation, turn)
        assert frame.parent is not None
        frame = frame.parent
    return r, turn


def turning_in(frame: Frame, base: Frame | None) -> Vector:
    """Angular velocity of a frame against one that carries it, in own axes."""
    return frame.w if base is None else frame.turning_in(base)


def tell(at: Any, group: str, motion: Relative, force: Sequence[Any], torque: Sequence[Any], of: str) -> None:
    """Channels: motion of I against J, and what acts on I, all in axes of the marker on J."""
    doc = f"of {of}, axes of its second marker"
    for axis, d, v, f in zip("XYZ", motion.place, motion.velocity, force, strict=True):
        at.channel(f"{group}.{axis}", d, "m", f"displacement {doc}")
        at.channel(f"{group}.V{axis}", v, "m/s", f"speed {doc}")
        at.channel(f"{group}.F{axis}", f, "N", f"force on the first body {doc}")
    for axis, a, w, t in zip("XYZ", motion.angles, motion.turning, torque, strict=True):
        at.channel(f"{group}.A{axis}", a, "rad", f"rotation {doc}")
        at.channel(f"{group}.W{axis}", w, "rad/s", f"angular speed {doc}")
        at.channel(f"{group}.T{axis}", t, "N.m", f"torque on the first body {doc}")


# ---- between any two bodies ------------------------------------------------------------------------------------------


class Between(Force):
    """What acts between two bodies of the vehicle."""

    name: str = choice(doc="name of its channels")
    i: str = choice(doc="the first body: `chassis`, `front`, a wheel (`L1` …) for its carrier, or a suspended one")
    j: str = choice(CHASSIS, doc="the second body")

    def check(self, place: VehiclePlace) -> None:
        check_name(self.name)
        for key in ("i", "j"):
            check_body(getattr(self, key), place, key, moving=True)
        if body_word(self.i) == body_word(self.j):
            raise problem(f"{self.j!r}: both ends are on one body; it would do nothing", "j")

    def markers(self, at: VehicleModel, i_place: Vector, j_place: Vector, axes: Matrix) -> Relative:
        """Motion of the one against the other."""
        i, j = (Side(frame_of(at, body)[0], list(place)) for body, place in ((self.i, i_place), (self.j, j_place)))
        return relative(i, j, axes)


class Bushing(BushingLaw, Between):
    """A bushing between two bodies."""

    kind: Literal["bushing"] = choice("bushing", doc="kind of force")

    first, second = axes_of("vehicle")

    @derived("m", doc="from the origin of the first body", at="vehicle")
    def i_place(self, place: VehiclePlace) -> Array:
        return local(self.i, self.location.array, place)

    @derived("m", doc="from the origin of the second body", at="vehicle")
    def j_place(self, place: VehiclePlace) -> Array:
        return local(self.j, self.location.array, place)

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        motion = self.markers(at, p.i_place, p.j_place, columns(p.first, p.second))
        force, torque = self.law(p, motion)
        motion.act(force, torque)
        p.kept.update(motion=motion, force=force, torque=torque)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        tell(at, f"{GROUP}.{self.name}", p.kept["motion"], p.kept["force"], p.kept["torque"], f"bushing {self.name}")
