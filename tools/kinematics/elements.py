"""What hangs on a linkage: springs, dampers, anti-roll bars, and its steering axis.

An element deflects by d, zero at design and positive when the wheel goes up (compression); its ratio dd/d(input)
follows from the velocity of its mount, without differences. Push-rods turn rockers, on which springs and dampers may be
mounted. The steering axis is the instant screw of the carrier,

    P = p + (omega x v)/|omega|^2,   pitch = v.omega/|omega|^2                                                     (1)

with v, omega per unit of rack travel: either at constant travel of the wheel, or with the spring locked, by adding
dJ/du = -(dd/du)/(dd/dJ) of travel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinematics.linkages import Array, LinkageError, Motion, Vector, perpendicular


class Mount(Protocol):
    """Where an element is fixed to the moving side."""

    def at(self, motion: Motion) -> Array:
        """Its place, (n, 3)."""
        ...

    def velocity(self, motion: Motion) -> Array:
        """Its velocity per unit of each input, (n, 3, inputs)."""
        ...


@dataclass(frozen=True)
class OnBody:
    """A point of a carrier, of a half of a twist beam, of an axle."""

    point: Vector
    body: int = 0

    def at(self, motion: Motion) -> Array:
        return motion.point(self.body, self.point)

    def velocity(self, motion: Motion) -> Array:
        return motion.velocity(self.body, self.point)


@dataclass(frozen=True)
class OnArm:
    """A point of a wishbone, which turns about the line of its two chassis points as its ball joint demands."""

    point: Vector
    front: Vector
    rear: Vector
    joint: Vector
    body: int = 0

    def _frame(self, joint: Array) -> tuple[Array, Array, Array, Array]:
        """Axis of the arm; radial and tangential unit vectors and radius of the joint."""
        front = np.asarray(self.front, dtype=float)
        axis = np.asarray(self.rear, dtype=float) - front
        axis = axis / np.linalg.norm(axis)
        radial = joint - front
        radial = radial - (radial @ axis)[:, None] * axis
        radius = np.linalg.norm(radial, axis=1)
        radial = radial / radius[:, None]
        return axis, radial, np.cross(axis, radial), radius

    def at(self, motion: Motion) -> Array:
        axis, radial0, tangent0, _ = self._frame(np.asarray(self.joint, dtype=float)[None, :])
        _, radial, tangent, _ = self._frame(motion.point(self.body, self.joint))
        r = np.asarray(self.point, dtype=float) - np.asarray(self.front, dtype=float)
        turned = (r @ radial0[0]) * radial + (r @ tangent0[0]) * tangent
        out: Array = np.asarray(self.front, dtype=float) + (r @ axis) * axis + turned
        return out

    def velocity(self, motion: Motion) -> Array:
        axis, _, tangent, radius = self._frame(motion.point(self.body, self.joint))
        v = motion.velocity(self.body, self.joint)
        rate = np.einsum("ni,nik->nk", tangent, v) / radius[:, None]
        arm = self.at(motion) - np.asarray(self.front, dtype=float)
        out: Array = np.cross(axis, arm)[:, :, None] * rate[:, None, :]
        return out


@dataclass(frozen=True)
class OnRod:
    """A point on the line of a link, at a fraction of its length from the chassis end."""

    inner: Vector
    outer: Vector
    fraction: float
    body: int = 0

    def at(self, motion: Motion) -> Array:
        inner = np.asarray(self.inner, dtype=float)
        out: Array = inner + self.fraction * (motion.point(self.body, self.outer) - inner)
        return out

    def velocity(self, motion: Motion) -> Array:
        out: Array = self.fraction * motion.velocity(self.body, self.outer)
        return out


class Element(Protocol):
    """Something that deflects: zero at design, positive when the wheels go up (compression)."""

    def deflection(self, motion: Motion) -> Array: ...

    def ratio(self, motion: Motion) -> Array:
        """Derivatives of the deflection by the inputs, (n, inputs)."""
        ...


@dataclass(frozen=True)
class TwoPoint:
    """A spring or damper between the chassis and a mount: deflection = length at design - length."""

    chassis: Vector
    mount: Mount

    def _line(self, motion: Motion) -> Array:
        out: Array = self.mount.at(motion) - np.asarray(self.chassis, dtype=float)
        return out

    def deflection(self, motion: Motion) -> Array:
        length, at_design = (np.linalg.norm(self._line(m), axis=1) for m in (motion, motion.linkage.at_design))
        out: Array = at_design[0] - length
        return out

    def ratio(self, motion: Motion) -> Array:
        line = self._line(motion)
        line = line / np.linalg.norm(line, axis=1)[:, None]
        out: Array = -np.einsum("ni,nik->nk", line, self.mount.velocity(motion))
        return out


@dataclass(frozen=True)
class Seat:
    """A leaf spring: its deflection is the rise of the seat."""

    mount: Mount

    def deflection(self, motion: Motion) -> Array:
        out: Array = self.mount.at(motion)[:, 2] - self.mount.at(motion.linkage.at_design)[0, 2]
        return out

    def ratio(self, motion: Motion) -> Array:
        return self.mount.velocity(motion)[:, 2]


@dataclass(frozen=True)
class Rocker:
    """A lever that turns about a fixed line, driven by a rod of constant length between `joint` on it and a mount.

    Deflection is its angle, rad, positive about `axis`: choose that so that the wheel goes up. With a the unit vector
    of the axis, p and q from the pivot to joint (at design) and mount, l the length of the rod:

        |q - R(b) p| = l:   p.q⊥ cos b + (a x p).q sin b = (|p|² + |q|² - l²)/2 - (a.p)(a.q)
    """

    pivot: Vector
    axis: Vector
    joint: Vector
    foot: Mount

    def _unit(self) -> Array:
        axis = np.asarray(self.axis, dtype=float)
        return np.asarray(axis / np.linalg.norm(axis), dtype=np.float64)

    def _arm(self) -> Array:
        return np.asarray(self.joint, dtype=float) - np.asarray(self.pivot, dtype=float)

    def _toward(self, at: Array) -> tuple[Array, Array]:
        """Parts of a point seen from the pivot along the arm at design and along its way."""
        axis, arm = self._unit(), self._arm()
        return at @ (arm - (arm @ axis) * axis), at @ np.cross(axis, arm)

    def turned(self, point: Vector, motion: Motion) -> Array:
        """Where a point of the lever is, (n, 3)."""
        axis, pivot = self._unit(), np.asarray(self.pivot, dtype=float)
        r = np.asarray(point, dtype=float) - pivot
        along, angle = (r @ axis) * axis, self.deflection(motion)[:, None]
        out: Array = pivot + along + np.cos(angle) * (r - along) + np.sin(angle) * np.cross(axis, r)
        return out

    def deflection(self, motion: Motion) -> Array:
        axis, arm, pivot = self._unit(), self._arm(), np.asarray(self.pivot, dtype=float)
        start = self.foot.at(motion.linkage.at_design) - pivot
        length2 = float(((start[0] - arm) ** 2).sum())
        at = self.foot.at(motion) - pivot
        c = ((at * at).sum(axis=1) + arm @ arm - length2) / 2.0 - (arm @ axis) * (at @ axis)
        along, across = self._toward(at)
        reach = c / np.hypot(along, across)
        if (np.abs(reach) > 1.0).any():
            raise LinkageError("the rod of a rocker or of an anti-roll bar does not reach")
        first = self._toward(start)
        branch = -np.sign(np.arctan2(first[1], first[0]))[0]
        return _wrapped(np.arctan2(across, along) + branch * np.arccos(reach))

    def ratio(self, motion: Motion) -> Array:
        pivot = np.asarray(self.pivot, dtype=float)
        joint = self.turned(self.joint, motion)
        rod = self.foot.at(motion) - joint
        along = np.einsum("ni,nik->nk", rod, self.foot.velocity(motion))
        per_angle = np.einsum("ni,ni->n", rod, np.cross(self._unit(), joint - pivot))
        out: Array = along / per_angle[:, None]
        return out


class BarEnd(Rocker):
    """End of an anti-roll bar: an arm that turns about the lateral line through `bearing`, driven by a drop link.

    Deflection is the angle of the arm, rad, positive when the wheel goes up; the bar is twisted by left minus right.
    """

    def __init__(self, bearing: Vector, end: Vector, mount: Mount) -> None:
        # a bar whose arm points rearwards turns the other way when its end goes up
        axis = (0.0, -1.0 if end[0] > bearing[0] else 1.0, 0.0)
        super().__init__((bearing[0], end[1], bearing[2]), axis, end, mount)


@dataclass(frozen=True)
class OnRocker:
    """A point of a rocker."""

    point: Vector
    rocker: Rocker

    def at(self, motion: Motion) -> Array:
        return self.rocker.turned(self.point, motion)

    def velocity(self, motion: Motion) -> Array:
        arm = self.at(motion) - np.asarray(self.rocker.pivot, dtype=float)
        out: Array = np.cross(self.rocker._unit(), arm)[:, :, None] * self.rocker.ratio(motion)[:, None, :]
        return out


@dataclass(frozen=True)
class ToMirror:
    """An element across the car, from a mount to its mirror image: its deflection when both wheels travel alike."""

    mount: Mount

    def deflection(self, motion: Motion) -> Array:
        out: Array = 2.0 * (self.mount.at(motion.linkage.at_design)[0, 1] - self.mount.at(motion)[:, 1])
        return out

    def ratio(self, motion: Motion) -> Array:
        return -2.0 * self.mount.velocity(motion)[:, 1]


@dataclass(frozen=True)
class Twist:
    """Angle between the halves of a twist beam about its line, rad, positive when the left wheel is higher.

    Not even in the two travels: like that of an anti-roll bar it belongs to the axle, not to a wheel.
    """

    direction: Vector = (0.0, 1.0, 0.0)

    def deflection(self, motion: Motion) -> Array:
        rot = motion.pose.rot
        relative = np.einsum("nji,njk->nik", rot[:, 1], rot[:, 0])  # half 0 seen from half 1
        across = perpendicular(np.asarray(self.direction, dtype=float))
        first = np.einsum("nij,j->ni", relative, across[0])
        angle: Array = np.arctan2(first @ across[1], first @ across[0])
        return self._sign() * angle

    def ratio(self, motion: Motion) -> Array:
        along = motion.pose.rot[:, 1] @ (np.asarray(self.direction, dtype=float) / np.linalg.norm(self.direction))
        relative = motion.twists[:, 0, 3:] - motion.twists[:, 1, 3:]
        out: Array = self._sign() * np.einsum("ni,nik->nk", along, relative)
        return out

    def _sign(self) -> float:
        """A wheel behind the pivots goes up when its half turns nose-down, positive about +y."""
        return 1.0 if self.direction[1] > 0 else -1.0


def _wrapped(angle: Array) -> Array:
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


# ---- steering axis -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SteeringAxis:
    """The instant screw axis of the carrier under steering.

    Angles in rad; the point nearest to the wheel centre, relative to the wheel centre at design, (n, 3); the pitch of
    the screw in m/rad, zero for a true axis; the unit vector upwards along it, (n, 3).
    """

    caster: Array
    inclination: Array
    point: Array
    pitch: Array
    direction: Array


def steering_axis(motion: Motion, locked: Element | None = None, wheel: int = 0) -> SteeringAxis:
    """Find the axis about which a small rack travel turns the carrier.

    Parameters
    ----------
    motion : of a steered linkage with one wheel
    locked : this element, normally the spring, keeps its deflection: then the arms stand still and the axis is the one
        through the ball joints. None: the wheel centre keeps its height.
    """
    found = motion.linkage.wheels[wheel]
    twist = motion.twists[:, found.body]
    turn = twist[:, :, -1]
    if locked is not None:
        ratio = locked.ratio(motion)
        turn = turn - twist[:, :, wheel] * (ratio[:, -1] / ratio[:, wheel])[:, None]
    v, omega = turn[:, :3], turn[:, 3:]
    omega2 = (omega * omega).sum(axis=1)
    at = motion.point(found.body, found.centre) - np.asarray(found.centre, dtype=float)
    direction = omega * (np.sign(omega[:, 2]) / np.sqrt(omega2))[:, None]
    return SteeringAxis(
        caster=-np.arctan2(direction[:, 0], direction[:, 2]),
        inclination=-found.side * np.arctan2(direction[:, 1], direction[:, 2]),
        point=at + np.cross(omega, v) / omega2[:, None],
        pitch=(v * omega).sum(axis=1) / omega2,
        direction=direction,
    )
