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

A tire with a cross-section (motorcycles): the table ``profile`` gives for γ where the section touches a plane that is
inclined so, d(γ) to the left of the wheel plane and y(γ) below the crown; then

    ρ = (R0 - y) cos γ - d sin γ - h                   along the normal                                      (9)
    Cp = C - h n + s Yw,   s = (R0 - y) sin γ + d cos γ,   r = |Cp - C|                                     (10)
    ρ̇ = -V·n                                           exactly the rate of (9): ∂ρ/∂γ = -s                  (11)

and the radius on which it rolls is smaller by y.  For a section that is a circle of radius c:  d = -c sin γ,
y = c (1 - cos γ).  Forces act at Cp of (10), or of (5) where a file asks for it (``disc_point``).

Other sign conventions: ``to_sae`` turns forces and moments from z up to z down.  The contact is lost when ρ < 0;
forces go to zero with the load (see the tire models), so lifting and landing are smooth.  A wheel that lies nearly
flat (cos γ below ``COSINE_FLOOR``) has no contact line; the divisor is kept and the disc then does not reach the
ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.symbolic.ops import asin, clip, fmax, sin, sqrt

COSINE_FLOOR = 0.05  # of cos γ: beyond 87 degrees
SECTION_POINTS = 80  # of the table made from a cross-section, on one side

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


def touch_section(disc: Contact, height: Any, radius: Any, shift: Any, drop: Any) -> tuple[Contact, Any]:
    """Geometry of the contact of a cross-section (10), and its deflection (9); ``disc``: that of the disc."""
    sine = sin(disc.gamma)
    rho = (radius - drop) * disc.cosine - shift * sine - height
    lateral = (radius - drop) * sine + shift * disc.cosine
    arm = [-height * n + lateral * y for n, y in zip(disc.normal, disc.lateral, strict=True)]
    # the cosine of (7) does not stand in (11)
    return disc._replace(radius=sqrt(height * height + lateral * lateral), arm=arm, cosine=1.0), rho


def section_profile(x: npt.ArrayLike, y: npt.ArrayLike) -> Table:
    """The table ``profile``: where a cross-section touches the plane, over γ.

    Parameters
    ----------
    x, y : half of the section from the crown on, m: distance from the wheel plane, rising from 0, and drop below the
        crown. The section must be convex. It is continued evenly to the other side by a cubic spline; a plane that is
        steeper than its last point touches it there. A flat section would touch along its whole width and jump from
        edge to edge when the wheel leans over; the slightest curve makes that a fast but steady change
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(x) != len(y) or len(x) < 3 or x[0] != 0 or y[0] != 0 or np.any(np.diff(x) <= 0):
        raise ParameterError("cross-section: expected three points (x, y) or more, x rising from 0, y = 0 at x = 0")
    even = Table(np.concatenate([-x[:0:-1], x]), np.concatenate([y[:0:-1], y]), method="cubic")
    points = np.linspace(0.0, x[-1], SECTION_POINTS)
    slope = np.asarray(even(points, derivative=1), dtype=float)
    slope[0] = 0.0  # of an even function
    if np.all(y == 0):
        raise ParameterError(
            "cross-section: is flat; give it a slight curve, such as y = x²/(2 R) with R of some metres"
        )
    if np.any(np.diff(slope) <= 0):
        where = points[1:][np.diff(slope) <= 0][0]
        raise ParameterError(f"cross-section: must be convex; its slope falls near x = {where:.4g} m")
    gamma, drop = np.arctan(slope), np.asarray(even(points), dtype=float)
    values = np.column_stack([-points, drop])
    mirrored = np.column_stack([points, drop])[:0:-1]
    return Table(
        np.concatenate([-gamma[:0:-1], gamma]),
        np.concatenate([mirrored, values]),
        method="cubic",
        extrapolation="flat",
        name="profile",
    )


def motion(contact: Contact, velocity: Vector, spin_of_carrier: Vector) -> Motion:
    """Velocities at the contact (6-8) from velocity of the wheel centre and angular velocity of the carrier."""
    v = [a + b for a, b in zip(velocity, _cross(spin_of_carrier, contact.arm), strict=True)]
    return Motion(_dot(v, contact.forward), _dot(v, contact.lateral), -_dot(v, contact.normal) / contact.cosine)


def contact_speeds(contact: Contact, rates: Vector) -> tuple[Any, Any]:
    """Along and across the wheel, of a carrier that gives way forward, to the left, and about the wheel's x axis."""
    x, y, lean = rates
    along = x * contact.forward[0] + y * contact.forward[1]
    return along, x * contact.lateral[0] + y * contact.lateral[1] + contact.radius * lean


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
