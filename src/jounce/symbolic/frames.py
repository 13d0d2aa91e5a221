"""Frames: pose and velocity of moving axes, and the joints that make them.

A frame is its parent's axes, displaced by r (parent axes) and turned by R (columns = child axes in parent axes):

    ω_C = Rᵀ ω_P + ω_rel                         (child axes)                                        (1)
    v_C = v_P + ω_P × r + ṙ                      (parent axes)                                       (2)

Velocities are kept in the axes where they are cheapest (``native_axes``): (2) needs no rotation, so the mass of a
guided wheel carrier is projected without ever turning its velocity.  Rates ṙ and angle rates come from the
system's time derivative through table calls, hence exact.

Speeds of a free body are the components of its velocity and angular velocity in its own axes; its orientation is a
quaternion q used as R(q/|q|), scalar part first, so no attitude is singular.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jounce.core import units
from jounce.core.errors import ModelError
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.checks import as_expression
from jounce.symbolic.ops import cos, sin

if TYPE_CHECKING:
    from jounce.symbolic.system import System, Unit

Vector = list[SX]
Matrix = list[list[SX]]

_AXES = {"x": 0, "y": 1, "z": 2}


def vec(values: Any, what: str = "a vector", unit: str = "") -> Vector:
    """Three scalar expressions from any 3-sequence; with a ``unit``, text such as "10 cm" is read too."""
    sized = hasattr(values, "numel") or (hasattr(values, "__len__") and not isinstance(values, str | dict | set))
    if not sized:
        raise ModelError(f"{what} has three components, found {values!r}: write (x, y, z)")
    n = values.numel() if hasattr(values, "numel") else len(values)
    if n != 3:
        raise ModelError(f"{what} has three components, {n} were given: {values}")
    items = [values[i] for i in range(3)]
    if unit:
        items = [units.parse(x, unit, name=f"{what}[{i}]") if isinstance(x, str) else x for i, x in enumerate(items)]
    return [as_expression(x, f"{what}[{i}]") for i, x in enumerate(items)]


def as_frame(value: Any, where: str) -> Frame:
    """The frame meant: a frame, or what has one (a joint, a body)."""
    frame = value if isinstance(value, Frame) else getattr(value, "frame", None)
    if not isinstance(frame, Frame):
        raise ModelError(
            f"{where}: expected a frame, a joint or a body, got {type(value).__name__}; "
            "frames are made by joints (joint.frame), by Frame.fixed and Frame.guided, and System.world is one"
        )
    return frame


def add(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


def sub(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def scale(a: Vector, factor: SX) -> Vector:
    return [x * factor for x in a]


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: Vector, b: Vector) -> SX:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def times(matrix: Matrix | None, a: Vector) -> Vector:
    """matrix · a; None is the identity."""
    if matrix is None:
        return a
    return [dot(row, a) for row in matrix]


def transposed_times(matrix: Matrix | None, a: Vector) -> Vector:
    """matrixᵀ · a; None is the identity."""
    if matrix is None:
        return a
    return [matrix[0][i] * a[0] + matrix[1][i] * a[1] + matrix[2][i] * a[2] for i in range(3)]


def product(a: Matrix | None, b: Matrix | None) -> Matrix | None:
    if a is None:
        return b
    if b is None:
        return a
    columns = [times(a, [b[k][j] for k in range(3)]) for j in range(3)]
    return [[columns[j][i] for j in range(3)] for i in range(3)]


def is_zero(a: Vector) -> bool:
    return all(x.is_zero() for x in a)


def zeros() -> Vector:
    return [ca.SX(0), ca.SX(0), ca.SX(0)]


def unit_vector(axis: Any, what: str) -> Vector:
    """A direction given as 'x', 'y', 'z' or as a vector of any length."""
    if isinstance(axis, str):
        if axis not in _AXES:
            raise ModelError(f"{what}: unknown axis {axis!r}; use 'x', 'y', 'z' or a vector")
        return [ca.SX(1 if i == _AXES[axis] else 0) for i in range(3)]
    raw = vec(axis, f"{what}: the axis")
    length = dot(raw, raw) ** 0.5
    if length.is_zero():
        raise ModelError(f"{what}: the axis {axis} has no length")
    return [x / length for x in raw]


def elementary_rotation(axis: str, angle: SX) -> Matrix:
    """Rotation by ``angle`` about the x, y or z axis (right-handed)."""
    c, s, i = cos(angle), sin(angle), _AXES[axis]
    j, k = (i + 1) % 3, (i + 2) % 3
    matrix = [[ca.SX(1 if a == b else 0) for b in range(3)] for a in range(3)]
    matrix[j][j], matrix[j][k], matrix[k][j], matrix[k][k] = c, -s, s, c
    return matrix


def axis_rotation(axis: Vector, angle: SX) -> Matrix:
    """Rotation by ``angle`` about a constant unit vector (Rodrigues' formula)."""
    c, s = cos(angle), sin(angle)
    n = axis
    skew = [[ca.SX(0), -n[2], n[1]], [n[2], ca.SX(0), -n[0]], [-n[1], n[0], ca.SX(0)]]
    return [[(c if i == j else ca.SX(0)) + (1 - c) * n[i] * n[j] + s * skew[i][j] for j in range(3)] for i in range(3)]


def quaternion_rotation(q: Sequence[SX]) -> Matrix:
    """R(q/|q|), scalar part first; any length of q gives the same rotation."""
    e0, e1, e2, e3 = q
    s = 2 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
    x, y, z = s * e1, s * e2, s * e3
    xx, yy, zz, xy, xz, yz = x * e1, y * e2, z * e3, x * e2, x * e3, y * e3
    wx, wy, wz = x * e0, y * e0, z * e0
    return [
        [1 - (yy + zz), xy - wz, xz + wy],
        [xy + wz, 1 - (xx + zz), yz - wx],
        [xz - wy, yz + wx, 1 - (xx + yy)],
    ]


def quaternion_rate(q: Sequence[SX], w: Vector) -> list[SX]:
    """q̇ = ½ q ∘ (0, ω), ω in the turned axes."""
    e0, e1, e2, e3 = q
    return [
        0.5 * (-e1 * w[0] - e2 * w[1] - e3 * w[2]),
        0.5 * (e0 * w[0] - e3 * w[1] + e2 * w[2]),
        0.5 * (e3 * w[0] + e0 * w[1] - e1 * w[2]),
        0.5 * (-e2 * w[0] + e1 * w[1] + e0 * w[2]),
    ]


class Frame:
    """Axes that move with the mechanism. Made by ``System.world`` and by the joint methods below."""

    def __init__(
        self,
        name: str,
        unit: Unit,
        parent: Frame | None,
        *,
        r: Vector,
        rotation: Matrix | None,
        v: Vector,
        native_axes: Frame | None,
        w: Vector,
        gravity: Vector,
        w_rel: Vector | None = None,
    ) -> None:
        self.name = name
        self.unit = unit
        self.parent = parent
        self.r = r  # origin from the parent's origin, parent axes
        self.rotation = rotation  # child axes in parent axes; None = identity
        self.v_native = v  # velocity of the origin, in native axes
        self.native_axes: Frame = native_axes or self
        self.w = w  # angular velocity, own axes
        self.w_rel = zeros() if w_rel is None else w_rel  # that against the parent, own axes
        self.gravity = gravity  # acceleration of free fall, own axes
        self._v_own: Vector | None = None
        self._pose: tuple[Vector, Matrix | None] | None = None

    def __repr__(self) -> str:
        return f"<Frame {self.name}>"

    @property
    def system(self) -> System:
        return self.unit.system

    @property
    def v(self) -> Vector:
        """Velocity of the origin in own axes."""
        if self._v_own is None:
            self._v_own = self.v_native if self.native_axes is self else transposed_times(self.rotation, self.v_native)
        return self._v_own

    # -- pose in world axes -----------------------------------------------------------------------------
    @property
    def _world_pose(self) -> tuple[Vector, Matrix | None]:
        if self._pose is None:
            if self.parent is None:
                self._pose = (self.r, self.rotation)
            elif self is self.unit.root:
                self._pose = self.system.root_pose(self.unit)
            else:
                p, matrix = self.parent._world_pose
                self._pose = (add(p, times(matrix, self.r)), product(matrix, self.rotation))
        return self._pose

    @property
    def position(self) -> Vector:
        """Origin in world axes."""
        return self._world_pose[0]

    @property
    def orientation(self) -> Matrix:
        """Rotation matrix: own axes in world axes (columns)."""
        matrix = self._world_pose[1]
        return matrix or [[ca.SX(1 if i == j else 0) for j in range(3)] for i in range(3)]

    def point(self, offset: Any) -> Vector:
        """A point fixed in this frame, in world axes."""
        return add(self.position, times(self._world_pose[1], vec(offset)))

    def point_velocity(self, offset: Any) -> Vector:
        """Velocity of a point fixed in this frame, in own axes."""
        return add(self.v, cross(self.w, vec(offset)))

    def to_world(self, a: Any) -> Vector:
        """Components of a vector given in own axes, in world axes."""
        return times(self._world_pose[1], vec(a))

    def from_world(self, a: Any) -> Vector:
        """Components of a vector given in world axes, in own axes."""
        return transposed_times(self._world_pose[1], vec(a))

    def express(self, a: Any, axes: Frame) -> Vector:
        """Components of a vector, given in own axes, in the axes of another frame."""
        return change_axes(vec(a), self, as_frame(axes, f"axes for a vector of frame {self.name!r}"))

    # -- children ---------------------------------------------------------------------------------------
    def _child(self, name: str, r: Vector, rotation: Matrix | None, r_rate: Vector, w_rel: Vector) -> Frame:
        v = add(add(self.v, cross(self.w, r)), r_rate)
        return Frame(
            name,
            self.unit,
            self,
            r=r,
            rotation=rotation,
            v=v,
            # without a rotation own axes are the parent's: the velocity is native either way
            native_axes=None if rotation is None else self,
            w=add(transposed_times(rotation, self.w), w_rel),
            gravity=transposed_times(rotation, self.gravity),
            w_rel=w_rel,
        )

    def turning_in(self, base: Frame) -> Vector:
        """Angular velocity against a frame that carries this one, in own axes."""
        chain: list[Frame] = []
        frame: Frame | None = self
        while frame is not base:
            if frame is None:
                raise ModelError(f"frame {self.name!r} is not carried by {base.name!r}")
            chain.append(frame)
            frame = frame.parent
        w = zeros()
        for step in reversed(chain):
            w = add(transposed_times(step.rotation, w), step.w_rel)
        return w

    def fixed(
        self, name: str, offset: Any = (0, 0, 0), rotations: Sequence[tuple[str, Any]] | tuple[str, Any] = ()
    ) -> Frame:
        """Weld: a frame at a constant place (offset in own axes, then rotations in the given order).

        ``rotations`` are (axis, angle) about successive axes, as for ``guided``: ("y", 0.1) or (("z", a), ("y", b)).
        """
        return self.guided(name, offset, rotations)

    def guided(self, name: str, translation: Any, rotations: Sequence[tuple[str, Any]] | tuple[str, Any] = ()) -> Frame:
        """Curve joint: pose given by expressions of coordinates and inputs (tables included).

        ``translation`` is in this frame's axes; ``rotations`` are (axis, angle) about successive axes, first to last,
        as in (("z", toe), ("x", camber), ("y", side_view_angle)).  Velocities follow by differentiation through the
        tables, so their first and second derivatives enter the equations exactly.
        """
        r = vec(translation, f"the place of frame {name!r}", "m")
        self.system.literals.check(r, f"frame {name!r}")
        rate = self.system.time_derivative
        r_rate = [rate(x) for x in r]
        rotation: Matrix | None = None
        w_rel = zeros()
        for axis, angle in _pairs(rotations, f"frame {name!r}"):
            if axis not in _AXES:
                raise ModelError(f"frame {name!r}: unknown rotation axis {axis!r}; use 'x', 'y' or 'z'")
            if isinstance(angle, str):
                angle = units.parse(angle, "rad", name=f"rotation of frame {name!r} about {axis}")
            angle = as_expression(angle, f"frame {name!r}: angle about {axis}")
            self.system.literals.check([angle], f"frame {name!r}: angle about {axis}")
            if angle.is_zero():
                continue
            step = elementary_rotation(axis, angle)
            rotation = product(rotation, step)
            w_rel = transposed_times(step, w_rel)
            w_rel[_AXES[axis]] = w_rel[_AXES[axis]] + rate(angle)
        return self._child(self.system.full_name(name), r, rotation, r_rate, w_rel)

    def turned(self, name: str, axis: Any, angle: SX, rate: SX, offset: Any = (0, 0, 0)) -> Frame:
        """A frame turned about a constant axis ('x', 'y', 'z' or a vector) through its origin at ``offset``."""
        direction = unit_vector(axis, f"joint {name!r}")
        rotation = elementary_rotation(axis, angle) if isinstance(axis, str) else axis_rotation(direction, angle)
        r = vec(offset, f"offset of {name!r}", "m")
        r_rate = [self.system.time_derivative(x) for x in r]
        return self._child(self.system.full_name(name), r, rotation, r_rate, scale(direction, rate))


def _pairs(rotations: Any, where: str) -> list[tuple[str, Any]]:
    """(axis, angle) pairs; a single pair may stand alone."""
    if isinstance(rotations, tuple | list) and len(rotations) == 2 and isinstance(rotations[0], str):
        rotations = (rotations,)
    if not isinstance(rotations, tuple | list) or any(
        not isinstance(r, tuple | list) or len(r) != 2 for r in rotations
    ):
        raise ModelError(f'{where}: rotations = {rotations!r}; write pairs of axis and angle, (("z", a), ("y", b))')
    return [(axis, angle) for axis, angle in rotations]


def change_axes(a: Vector, start: Frame, end: Frame) -> Vector:
    """Components of a vector in another frame's axes, along the shortest path through the tree."""
    if start is end:
        return a
    if start.unit is not end.unit and start.system is end.system:
        # through the world, so that a unit sees the rest of the system by the pose of its root alone (see step.py)
        return transposed_times(end._world_pose[1], times(start._world_pose[1], a))
    ancestors: list[Frame] = []
    frame: Frame | None = start
    while frame is not None:
        ancestors.append(frame)
        frame = frame.parent
    down: list[Frame] = []
    frame = end
    while frame is not None and not any(frame is f for f in ancestors):
        down.append(frame)
        frame = frame.parent
    if frame is None:
        raise ModelError(f"frames {start.name!r} and {end.name!r} belong to different systems")
    for step in ancestors:
        if step is frame:
            break
        a = times(step.rotation, a)
    for step in reversed(down):
        a = transposed_times(step.rotation, a)
    return a
