"""A point of a body that touches the ground: what skid plates and the shell of a body have in common.

With the height h of the point above the road along its normal n, its depth p and its velocity v against the road:

    p = max(0, -h)
    F_n = max(0, k p (p/1 mm)^(e-1) + S(p/ε) c ṗ)      along n, S(τ) = 3τ² - 2τ³ from 0 to 1, ε = 5 mm               (1)
    F_t = -µ F_n v_t / max(|v_t|, v_r)                 in the road plane, against the sliding v_t = v - (v·n) n      (2)
    v_r = max(v₀, 20 µ F_n T/m)                                                                                      (3)

k is the stiffness at 1 mm of depth: what other tools give in N/mm^e has here the same number in N/mm. Damping fades in
over ε, so that a touch begins without a jump; the force never pulls, hence a contact never gives back more than its
spring had, and friction only takes. (3) keeps explicit steps of length T stable on a vehicle of mass m: below v_r
friction is a damper of the rate µ F_n/v_r, at most a twentieth of m/T, which leaves room for several points at once and
for corners, behind which less than the whole mass is felt. µ is the point's own: the road's factor on the friction of
tires says nothing of steel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from jounce.components.body.attached import Vector, cross, dot, minus
from jounce.components.model import UnitModel
from jounce.symbolic.ops import fmax, fmin, sqrt

DAMPED = 0.005  # m, depth at which all the damping acts
REFERENCE = 0.001  # m, depth at which the stiffness is given
SHARE = 20.0  # of (3)
TINY = 1e-9  # m


class Touch(NamedTuple):
    """A point at the ground; vectors in axes of its frame."""

    height: Any  # above the road, along its normal
    normal: Vector
    velocity: Vector  # against the road
    pressing: Any  # force along the normal
    force: Vector  # with friction
    axes: tuple[Vector, Vector, Vector]  # of the road: x forward of the body in it, y to the left, z its normal


class Law(NamedTuple):
    """Numbers of (1) to (3), as symbols."""

    stiffness: Any
    exponent: Any
    damping: Any
    friction: Any
    slow: Any  # v₀
    mass: Any


def touch(unit: UnitModel, frame: Any, place: Vector, law: Law) -> Touch:
    """A point of a frame at the ground of its unit."""
    surface = unit.ground.under(frame, place)
    n, v = list(surface.normal), list(frame.point_velocity(place))
    if surface.velocity is not None:
        v = minus(v, surface.velocity)
    closing = -dot(v, n)
    depth = fmax(-surface.height, 0.0)
    # powers and roots stay away from 0, where their slopes are not finite: equilibria are found by slopes
    spring = law.stiffness * depth * (fmax(depth, TINY) / REFERENCE) ** (law.exponent - 1)
    grown = fmin(depth / DAMPED, 1.0)
    pressing = fmax(spring + grown * grown * (3 - 2 * grown) * law.damping * closing, 0.0)  # (1)
    sliding = [a + closing * b for a, b in zip(v, n, strict=True)]
    slow = fmax(law.slow, SHARE * law.friction * pressing * unit.system.t_dt / law.mass)  # (3)
    drag = law.friction * pressing / sqrt(fmax(dot(sliding, sliding), slow * slow))  # (2)
    force = [pressing * a - drag * b for a, b in zip(n, sliding, strict=True)]
    return Touch(surface.height, n, v, pressing, force, road_axes(n))


def road_axes(n: Vector) -> tuple[Vector, Vector, Vector]:
    """Axes of the road in those of a frame: the frame's x in its plane, to the left of that, its normal."""
    ahead = [1 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2]]
    length = fmax(sqrt(dot(ahead, ahead)), TINY)
    ahead = [x / length for x in ahead]
    return ahead, cross(n, ahead), n
