"""The sprung mass: one rigid body, or a front and a rear half that move a little against each other.

The frame of the chassis has its origin in the centre of gravity of the whole sprung mass at design; of a split body it
belongs to the rear half, which carries sensors, aerodynamics and the channels of the chassis. The front half, with the
origin of its frame in the joint, is displaced by (x, y, z) in axes of the rear half and turned by Rx Ry Rz:

    torsion alone    a joint about x, exact                                                                   (1)
    else             six freedoms; each released one has F = -K q - c q̇, each other one is held by
                     F = -kp q - kd q̇ - ki ∫q dt                                                              (2)
    c = 2 ζ √(K m),   m = m_f m_r/(m_f + m_r), for rotations of inertias about the joint                        (3)

Forces are those of the rear half on the front half. Whole car levels without compliance (simplified_model 1, 2) join
the halves into one body.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.vehicle.assembly.context import Context
from jounce.vehicle.basics import Array, combine
from jounce.vehicle.body import SplitChassis

# name in the data -> axis, whether it is a rotation; the order of channels and of the turns
FREEDOMS = {
    "axial": (0, False),
    "lateral": (1, False),
    "vertical": (2, False),
    "torsion": (0, True),
    "vertical_bending": (1, True),
    "lateral_bending": (2, True),
}
LOCK_FREQUENCY = 2 * np.pi * 50.0  # rad/s
LOCK_DAMPING = 0.7
LOCK_INTEGRAL = LOCK_FREQUENCY / 10  # 1/s, ki over kp; stable below 2 ζ ω

GROUP = "jfs_torsional_stiffness_data"


def add(context: Context) -> None:
    """The body with everything on board, free in space."""
    vehicle = context.vehicle
    halves = vehicle.body.sprung()
    split = vehicle.body.split if vehicle.system.simplified_model == 0 else None
    centre = vehicle.body.centre()
    context.chassis = context.system.free("chassis", initial=(centre[0], centre[1], centre[2])).frame
    context.frames = dict.fromkeys((1, 2), context.chassis)
    context.origins = dict.fromkeys((1, 2), centre)
    if split is None:
        _mass(context, "body", "chassis", context.chassis, combine(halves), centre)
        return
    front, rear = halves
    where = split.location.array
    _mass(context, "body.rear", "rear", context.chassis, rear, centre)
    scope = context.system.scope("split")
    place = [scope.parameter(f"location.{a}", float(where[i] - centre[i]), "m") for i, a in enumerate("xyz")]
    joined = _torsion if split.stiffness.released == ("torsion",) else _six_freedoms
    context.frames[1] = joined(context, scope, place, split, front, rear)
    context.origins[1] = where
    _mass(context, "body.front", "front", context.frames[1], front, where)


def _mass(
    context: Context, prefix: str, name: str, frame: Any, body: tuple[float, Array, Array], origin: Array
) -> None:
    """Mass and inertia of a body on a frame whose origin is at ``origin`` at design."""
    mass, centre, inertia = body
    scope = context.system.scope(prefix)
    m = scope.parameter("mass", mass, "kg", "sprung mass with everything on board", low=1e-3)
    moments = [scope.parameter(f"i{a}{a}", inertia[i, i], "kg.m2") for i, a in enumerate("xyz")]
    products = [
        scope.parameter(f"i{'xyz'[i]}{'xyz'[j]}", inertia[i, j], "kg.m2", "matrix entry")
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    if prefix != "body":
        offset = [scope.parameter(f"cg.{a}", float(centre[i] - origin[i]), "m") for i, a in enumerate("xyz")]
        frame = frame.fixed(f"{name}_cg", offset)
    context.masses.append((frame, m))
    context.system.body(f"{name}_mass", frame, m, [*moments, *products])


def _reduced(split: SplitChassis, front: Any, rear: Any, axis: int, turning: bool) -> float:
    """Reduced mass of two halves, or reduced inertia about an axis through the joint."""
    values = []
    for mass, centre, inertia in (front, rear):
        d = np.delete(centre - split.location.array, axis)
        values.append(float(inertia[axis, axis] + mass * d @ d) if turning else mass)
    return values[0] * values[1] / (values[0] + values[1])


def _spring(context: Context, scope: Any, split: SplitChassis, name: str, reduced: float) -> tuple[Any, Any]:
    """Stiffness and damping of a released freedom (3)."""
    unit, low = ("N.m/rad", "kg.m2") if FREEDOMS[name][1] else ("N/m", "kg")
    own = scope.scope(name)
    stiffness = own.parameter("stiffness", getattr(split.stiffness, name), unit, "between the halves", low=1e-3)
    inertia = own.parameter("reduced_mass", reduced, low, "of the two halves", low=1e-6)
    ratio = context.shared("split.damping_ratio", split.damping_ratio, "-", "of released freedoms")
    return stiffness, 2 * ratio * (stiffness * inertia) ** 0.5


def _torsion(context: Context, scope: Any, place: Any, split: SplitChassis, front: Any, rear: Any) -> Any:
    """Two halves on a joint about x (1); returns the frame of the front half."""
    joint = scope.revolute("torsion", context.chassis, "x", place)
    angle, rate = joint.q[0], joint.u[0]
    stiffness, damping = _spring(context, scope, split, "torsion", _reduced(split, front, rear, 0, True))
    torque = -stiffness * angle - damping * rate
    scope.generalized_force(rate, torque)
    context.channel(f"{GROUP}.AX_1", angle, "rad", "twist of the front half against the rear half")
    context.channel(f"{GROUP}.TX_1", torque, "N.m", "of the rear half on the front half")
    return joint.frame


def _six_freedoms(context: Context, scope: Any, place: Any, split: SplitChassis, front: Any, rear: Any) -> Any:
    """Two halves with six freedoms, released or held (2); returns the frame of the front half."""
    frame = context.chassis
    moves = {
        name: scope.coordinate(f"{name}.{'angle' if turning else 'shift'}", f"{name}.rate",
                               unit="rad" if turning else "m", on=frame)
        for name, (_, turning) in FREEDOMS.items()
    }  # fmt: skip
    coordinates = [q for q, _ in moves.values()]
    shift = [p + q for p, q in zip(place, coordinates[:3], strict=True)]
    child = frame.guided("front_half", shift, tuple(zip("xyz", coordinates[3:], strict=True)))
    for name, (axis, turning) in FREEDOMS.items():
        q, u = moves[name]
        reduced = _reduced(split, front, rear, axis, turning)
        if name in split.stiffness.released:
            stiffness, damping = _spring(context, scope, split, name, reduced)
            force = -stiffness * q - damping * u
        else:
            force = _lock(context, scope.scope(name), q, u, turning, reduced)
        scope.generalized_force(u, force)
        letter = "XYZ"[axis]
        unit, force_unit = ("rad", "N.m") if turning else ("m", "N")
        context.channel(f"{GROUP}.{'A' if turning else ''}{letter}_1", q, unit, "of the front half, rear axes")
        context.channel(
            f"{GROUP}.{'T' if turning else 'F'}{letter}_1", force, force_unit, "of the rear half on the front half"
        )
    return child


def _lock(context: Context, scope: Any, q: Any, u: Any, turning: bool, reduced: float) -> Any:
    """Force of a controller that holds a freedom."""
    given = context.vehicle.system.body_compliance
    kind, per = ("rotational", "rad") if turning else ("translational", "m")
    force_unit = "N.m" if turning else "N"
    usual = {
        "kp": reduced * LOCK_FREQUENCY**2,
        "kd": 2 * LOCK_DAMPING * reduced * LOCK_FREQUENCY,
        "ki": reduced * LOCK_FREQUENCY**2 * LOCK_INTEGRAL,
    }
    units = {
        "kp": f"{force_unit}/{per}",
        "kd": f"{force_unit}.s/{per}",
        "ki": f"{force_unit}/({per}.s)",
    }
    gains = {}
    for gain, value in usual.items():
        wanted = getattr(given, f"{kind}_{gain}")
        gains[gain] = scope.parameter(gain, value if wanted is None else wanted, units[gain], "of the lock", low=0.0)
    sum_of = scope.state("integral", f"{per}.s", "time integral of the deviation")
    scope.derivative(sum_of, q)
    return -gains["kp"] * q - gains["kd"] * u - gains["ki"] * sum_of
