"""Contact of a wheel with its tangent plane: frames, deflection, velocities, transport of forces.

The wheel is a thin disc. With the wheel centre C, the spin axis e (unit, to the left), the unit normal n of the road
and the height h of C above the plane, all in any one set of axes:

    sin γ = e·n,   cos γ = |e × n|            γ > 0: the top of the wheel leans to the right (-y)            (1)
    Xw = (e × n)/cos γ,   Yw = n × Xw,   Zw = n        contact axes (W)                                      (2)
    Xc = Xw,   Yc = e,   Zc = (n - sin γ e)/cos γ      wheel axes (C)                                        (3)
    r = h/cos γ,   ρ = R0 - r                          loaded radius and deflection                          (4)
    Cp = C - r Zc                                      contact point                                         (5)
    V = v_C + ω × (Cp - C)                             velocity of the carrier at the contact, without spin  (6)
    ρ̇ = -V·n/cos γ                                     exactly the rate of (4) on a plane                    (7)
    Vx = V·Xw,  Vsx = Vx - Ω re,  Vsy = V·Yw           Ω: spin of the wheel relative to its carrier          (8)

Forces act at Cp; at the wheel centre they are F and M + (Cp - C) × F.  The construction follows from the definitions of
the TYDEX axes [Oosten1997].  (7) has a part with dγ/dt which the usual -v_C·n/cos γ leaves out; with it the normal
force does as much work as the deflection takes up, but for a factor cos γ.

Other sign conventions: ``to_sae`` turns forces and moments from z up to z down.  The contact is lost when ρ < 0;
forces go to zero with the load (see the tire models), so lifting and landing are smooth.  A wheel that lies nearly
flat (cos γ below ``COSINE_FLOOR``) has no contact line; the divisor is kept and the disc then does not reach the
ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.symbolic.ops import asin, clip, fmax, sqrt

COSINE_FLOOR = 0.05  # of cos γ: beyond 87 degrees

Vector = Sequence[Any]


class Contact(NamedTuple):
    """Where and how the disc meets the plane; vectors in the axes of the arguments."""

    forward: Vector  # Xw = Xc
    lateral: Vector  # Yw
    normal: Vector  # Zw
    up: Vector  # Zc
    axis: Vector  # Yc
    gamma: Any  # rad
    cosine: Any  # of gamma
    radius: Any  # loaded radius, m
    arm: Vector  # from the wheel centre to the contact point, m


class Motion(NamedTuple):
    """Velocities at the contact."""

    vx: Any  # m/s
    vy: Any  # m/s
    rho_rate: Any  # m/s, growing deflection


class Wrench(NamedTuple):
    """Force and moment about the wheel centre."""

    force: list[Any]
    moment: list[Any]


def touch(axis: Vector, normal: Vector, height: Any) -> Contact:
    """Geometry of the contact (1-5)."""
    line = _cross(axis, normal)
    cosine = fmax(sqrt(_dot(line, line)), COSINE_FLOOR)
    sine = clip(_dot(axis, normal), -1.0, 1.0)
    forward = [x / cosine for x in line]
    up = _cross(forward, axis)
    radius = height / cosine
    return Contact(
        forward,
        _cross(normal, forward),
        normal,
        up,
        axis,
        asin(sine),
        cosine,
        radius,
        [-radius * x for x in up],
    )


def motion(contact: Contact, velocity: Vector, spin_of_carrier: Vector) -> Motion:
    """Velocities at the contact (6-8) from velocity of the wheel centre and angular velocity of the carrier."""
    v = [a + b for a, b in zip(velocity, _cross(spin_of_carrier, contact.arm), strict=True)]
    return Motion(_dot(v, contact.forward), _dot(v, contact.lateral), -_dot(v, contact.normal) / contact.cosine)


def wrench(contact: Contact, force: Vector, moment: Vector) -> Wrench:
    """Force and moment in contact axes, moved to the wheel centre, in the axes of the contact's vectors."""
    f, m = ([sum_of(parts, i, contact) for i in range(3)] for parts in (force, moment))
    return Wrench(f, [a + b for a, b in zip(m, _cross(contact.arm, f), strict=True)])


def sum_of(parts: Vector, i: int, contact: Contact) -> Any:
    """Component i of a vector that is given in contact axes."""
    return parts[0] * contact.forward[i] + parts[1] * contact.lateral[i] + parts[2] * contact.normal[i]


def to_wheel_axes(contact: Contact, vector: Vector) -> list[Any]:
    """Components of a vector along the wheel axes (3)."""
    return [_dot(vector, contact.forward), _dot(vector, contact.axis), _dot(vector, contact.up)]


def to_sae(forces: Vector) -> list[Any]:
    """(Fx, Fy, Fz, Mx, My, Mz) with z up as those with z down, and back."""
    fx, fy, fz, mx, my, mz = forces
    return [fx, -fy, -fz, mx, -my, -mz]


def _dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
