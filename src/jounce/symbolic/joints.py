"""Joints: frames whose pose has its own coordinates and speeds.

Each function declares the coordinates in the given scope, named ``joint.coordinate``, and returns an object with the
child frame and the symbols.  The weld is ``Frame.fixed``, the curve joint ``Frame.guided``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jounce.core.errors import ModelError
from jounce.core.roles import Role
from jounce.symbolic._casadi import SX
from jounce.symbolic.frames import (
    Frame,
    Vector,
    add,
    as_frame,
    cross,
    quaternion_rate,
    quaternion_rotation,
    scale,
    times,
    transposed_times,
    unit_vector,
    vec,
    zeros,
)

if TYPE_CHECKING:
    from jounce.symbolic.system import Scope


# Of a body that moves freely over the ground: it stands and heads where it is put, its height balances its weight.
POSITION_ROLES: tuple[Role, Role, Role] = ("place", "place", "balance")
VELOCITY_ROLES: tuple[Role, Role, Role] = ("speed", "drift", "drift")
TURNING_ROLES: tuple[Role, Role, Role] = ("zero", "zero", "drift")
TILT_ROLES: tuple[Role, Role, Role] = ("balance", "balance", "place")  # of its tangent angles


@dataclass(frozen=True)
class Joint:
    """The child frame, the coordinates and the speeds of a joint."""

    frame: Frame
    q: tuple[SX, ...]
    u: tuple[SX, ...]


def revolute(
    scope: Scope,
    name: str,
    parent: Frame,
    axis: Any = "y",
    offset: Any = (0, 0, 0),
    initial: float | str = 0.0,
    role: Role = "",
) -> Joint:
    """One rotation about a constant axis; coordinates ``name.angle``, ``name.rate``."""
    parent = as_frame(parent, f"parent of joint {name!r}")
    q, u = scope.coordinate(f"{name}.angle", f"{name}.rate", unit="rad", initial=initial, on=parent, role=role)
    return Joint(parent.turned(name, axis, q, u, offset), (q,), (u,))


def prismatic(
    scope: Scope,
    name: str,
    parent: Frame,
    axis: Any = "x",
    offset: Any = (0, 0, 0),
    initial: float | str = 0.0,
    role: Role = "",
) -> Joint:
    """One translation along a constant axis; coordinates ``name.travel``, ``name.rate``."""
    parent = as_frame(parent, f"parent of joint {name!r}")
    q, u = scope.coordinate(f"{name}.travel", f"{name}.rate", unit="m", initial=initial, on=parent, role=role)
    direction = unit_vector(axis, f"joint {name!r}")
    start = vec(offset, f"offset of {name!r}", "m")
    r = add(start, scale(direction, q))
    r_rate = add([parent.system.time_derivative(x) for x in start], scale(direction, u))
    return Joint(parent._child(scope.full_name(name), r, None, r_rate, zeros()), (q,), (u,))


def universal(
    scope: Scope, name: str, parent: Frame, axes: tuple[str, str] = ("z", "y"), offset: Any = (0, 0, 0)
) -> Joint:
    """Two rotations about successive axes; coordinates ``name.angle1``, ``name.angle2``."""
    parent = as_frame(parent, f"parent of joint {name!r}")
    if len(axes) != 2:
        raise ModelError(f"joint {name!r}: axes = {axes!r}; give two of 'x', 'y', 'z', as in ('z', 'y')")
    q1, u1 = scope.coordinate(f"{name}.angle1", f"{name}.rate1", unit="rad", on=parent)
    q2, u2 = scope.coordinate(f"{name}.angle2", f"{name}.rate2", unit="rad", on=parent)
    frame = parent.guided(name, offset, ((axes[0], q1), (axes[1], q2)))
    return Joint(frame, (q1, q2), (u1, u2))


def ball(scope: Scope, name: str, parent: Frame, offset: Any = (0, 0, 0)) -> Joint:
    """Free rotation by a quaternion; speeds are the relative angular velocity in child axes."""
    parent = as_frame(parent, f"parent of joint {name!r}")
    q, w = _quaternion(scope, name, parent)
    r = vec(offset, f"offset of {name!r}", "m")
    r_rate = [parent.system.time_derivative(x) for x in r]
    return Joint(parent._child(scope.full_name(name), r, quaternion_rotation(q), r_rate, w), tuple(q), tuple(w))


def free(scope: Scope, name: str, parent: Frame, initial: Any = (0.0, 0.0, 0.0)) -> Joint:
    """Six degrees of freedom: position in parent axes and quaternion; velocity and angular velocity in child axes."""
    parent = as_frame(parent, f"parent of joint {name!r}")
    if isinstance(initial, str) or not hasattr(initial, "__len__") or len(initial) != 3:
        raise ModelError(f"joint {name!r}: initial = {initial!r}; the position has three components, (x, y, z)")
    r = [
        scope.declare_coordinate(f"{name}.{axis}", unit="m", initial=value, on=parent, role=role)
        for axis, value, role in zip("xyz", initial, POSITION_ROLES, strict=True)
    ]
    v = [
        scope.declare_speed(f"{name}.v{axis}", unit="m/s", on=parent, role=role)
        for axis, role in zip("xyz", VELOCITY_ROLES, strict=True)
    ]
    q, w = _quaternion(scope, name, parent, TURNING_ROLES)
    if parent is scope.system.world:
        scope.system.register_free_body(scope.full_name(name), r, q, v, w)
    rotation = quaternion_rotation(q)
    for coordinate, rate in zip(r, times(rotation, v), strict=True):
        scope.system.set_coordinate_rate(coordinate, rate)
    carried = transposed_times(rotation, add(parent.v, cross(parent.w, r)))
    frame = Frame(
        scope.full_name(name),
        parent.unit,
        parent,
        r=r,
        rotation=rotation,
        v=add(carried, v),
        native_axes=None,  # own axes: the speeds themselves, no rotation enters the mass matrix
        w=add(transposed_times(rotation, parent.w), w),
        gravity=transposed_times(rotation, parent.gravity),
    )
    return Joint(frame, (*r, *q), (*v, *w))


def _quaternion(
    scope: Scope, name: str, parent: Frame, roles: tuple[Role, Role, Role] = ("", "", "")
) -> tuple[list[SX], Vector]:
    q = [
        scope.declare_coordinate(f"{name}.e{i}", unit="-", initial=1.0 if i == 0 else 0.0, on=parent) for i in range(4)
    ]
    w = [
        scope.declare_speed(f"{name}.w{axis}", unit="rad/s", on=parent, role=role)
        for axis, role in zip("xyz", roles, strict=True)
    ]
    for coordinate, rate in zip(q, quaternion_rate(q, w), strict=True):
        scope.system.set_coordinate_rate(coordinate, rate)
    scope.system.register_quaternion(q, w)
    return q, w
