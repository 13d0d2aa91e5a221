"""Position and velocity kinematics of wheel suspensions from hard points.

A suspension is one or two rigid bodies (carriers, halves of a twist beam, an axle) held by constraints that are given
by points at design in the vehicle reference frame (docs/conventions.md): x forward, y left, z up, metres. The chassis
is fixed. A body is at p = p0 + (x, y, z), R = Rz(psi) Rx(phi) Ry(theta), with R = 1 at design; a point that is at P0 at
design is at

    P = p + R (P0 - p0)                                                                                            (1)

Constraints (each in metres, so that one tolerance serves all):

    rod         (|Po - Pi|^2 - L^2) / 2L = 0          two ball joints at distance L; Pi is on the rack if steered    (2)
    slider      e1.R^T (T - p), e2.R^T (T - p) const  a line of the body keeps passing through T: a strut            (3)
    ball        P - P0 = 0                            a pivot on the chassis                                       (4)
    plane       n.(P - P0) = 0                        a point keeps its plane: what a leaf spring does sideways      (5)
    cylinder    the two bodies turn about and slide along one line: a beam stiff in bending, soft in torsion         (6)

The known types are sets of these, each leaving one freedom per wheel:

    five links          5 rods; ball joints that coincide make wishbones: 2 + 2 + 1 rods are a double wishbone
    strut               a slider, 2 rods of the lower arm, 1 tie rod
    semi-trailing arm   3 + 2 rods from two points of its axis
    twist beam          per half a ball; between the halves the cylinder, its line through the shear centre of the beam
                        [Matschinsky2007]: bump is a turn about the line of the pivots, roll one about the line from
                        pivot to shear centre
    solid axle          4 rods, or 3 rods and a plane. Four longitudinal links and a Panhard rod would leave one
                        freedom, not two (real ones live on their bushings): use three, or incline the upper two.

The independent variables are those of wheel-guiding maps: travel J of the wheel centres, vertical in the chassis frame,
and rack travel u, positive to the left. With the constraints and z_i = J_i the number of equations equals that of the
coordinates q; Newton's method with the exact Jacobian solves F(q; J, u) = 0 at all points of a grid at once, led from
design in steps. Derivatives by J and u follow from the same Jacobian, dq/du = -F_q^-1 F_u, without differences.

Signs of results are those of users (docs/conventions.md): left toe = -psi, camber = -phi; right the opposite; side-view
angle = -theta on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Vector = Sequence[float] | Array

RESIDUAL = 1e-12  # m; constraints are met to this
MAX_ITERATIONS = 25
STRAY = 10.0  # m or rad; a longer step of Newton's method leads nowhere
LEAD_STEPS = 8  # from design to the ends of a grid; a step of some 15 mm stays far inside Newton's range
E_Y = np.array([0.0, 1.0, 0.0])
MAPS = ("x", "y", "toe", "camber", "side_view_angle")


class LinkageError(ValueError):
    """The linkage cannot be put together, or not in the position asked for."""


def rotation(psi: Array, phi: Array, theta: Array) -> Array:
    """R = Rz(psi) Rx(phi) Ry(theta), shape (..., 3, 3)."""
    cz, sz, cx, sx, cy, sy = np.cos(psi), np.sin(psi), np.cos(phi), np.sin(phi), np.cos(theta), np.sin(theta)
    rows = [
        [cz * cy - sz * sx * sy, -sz * cx, cz * sy + sz * sx * cy],
        [sz * cy + cz * sx * sy, cz * cx, sz * sy - cz * sx * cy],
        [-cx * sy, sx, cx * cy],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def angles_312(rot: Array) -> tuple[Array, Array, Array]:
    """(psi, phi, theta) of a rotation matrix; the inverse of `rotation` for |phi| < 90 deg."""
    psi = np.arctan2(-rot[..., 0, 1], rot[..., 1, 1])
    phi = np.arcsin(np.clip(rot[..., 2, 1], -1.0, 1.0))
    theta = np.arctan2(-rot[..., 2, 0], rot[..., 2, 2])
    return psi, phi, theta


def rate_axes(psi: Array, phi: Array) -> Array:
    """Columns: axes about which psi, phi and theta turn, so that omega = axes (psi', phi', theta')."""
    zero, one = np.zeros_like(psi), np.ones_like(psi)
    about_z = np.stack([zero, zero, one], axis=-1)
    about_x = np.stack([np.cos(psi), np.sin(psi), zero], axis=-1)
    about_y = np.stack([-np.sin(psi) * np.cos(phi), np.cos(psi) * np.cos(phi), np.sin(phi)], axis=-1)
    return np.stack([about_z, about_x, about_y], axis=-1)


@dataclass(frozen=True)
class Pose:
    """Places of the bodies at n positions: reference points (n, bodies, 3) and rotations (n, bodies, 3, 3)."""

    references: Array  # (bodies, 3), at design
    place: Array
    rot: Array

    def arm(self, body: int, point: Vector) -> Array:
        """From the reference of the body to one of its points, chassis axes."""
        out: Array = self.rot[:, body] @ (np.asarray(point, dtype=float) - self.references[body])
        return out

    def point(self, body: int, point: Vector) -> Array:
        """(1)"""
        return self.place[:, body] + self.arm(body, point)


Rows = tuple[Array, Array, Array]  # residual (n, k); by the twists (n, k, bodies, 6); by rack travel (n, k)


class Constraint(Protocol):
    """Rows of F and their derivatives by the twist (velocity of the reference point, angular velocity) of each body."""

    def rows(self, pose: Pose, rack: Array) -> Rows: ...


def _of_point(pose: Pose, body: int, normals: Array, point: Vector) -> Array:
    """Derivative of n.P by the twists: the wrench of a unit force along each normal at the point. Normals (n, k, 3)."""
    n, k, _ = normals.shape
    out = np.zeros((n, k, len(pose.references), 6))
    out[:, :, body, :3] = normals
    out[:, :, body, 3:] = np.cross(pose.arm(body, point)[:, None, :], normals)
    return out


@dataclass(frozen=True)
class Rod:
    """(2) between a point of the chassis, or of the rack, and one of a body."""

    inner: Vector
    outer: Vector
    body: int = 0
    steered: bool = False

    @property
    def length(self) -> float:
        return float(np.linalg.norm(np.subtract(self.outer, self.inner)))

    def rows(self, pose: Pose, rack: Array) -> Rows:
        inner = np.asarray(self.inner, dtype=float) + (rack[:, None] * E_Y if self.steered else 0.0)
        d = pose.point(self.body, self.outer) - inner
        residual = ((d * d).sum(axis=1) - self.length**2) / (2.0 * self.length)
        normal = d[:, None, :] / self.length
        by_rack = -normal[:, :, 1] if self.steered else np.zeros((len(rack), 1))
        return residual[:, None], _of_point(pose, self.body, normal, self.outer), by_rack


@dataclass(frozen=True)
class Slider:
    """(3): the line of the body through `top` and `below`, at design, keeps passing through the chassis point `top`."""

    top: Vector
    below: Vector
    body: int = 0

    def rows(self, pose: Pose, rack: Array) -> Rows:
        top = np.asarray(self.top, dtype=float)
        across = perpendicular(top - np.asarray(self.below, dtype=float))
        seen = top - pose.references[self.body]
        to_top = top - pose.place[:, self.body]
        normals = np.einsum("nij,kj->nki", pose.rot[:, self.body], across)
        residual = np.einsum("nki,ni->nk", normals, to_top) - across @ seen
        jac = np.zeros((len(rack), 2, len(pose.references), 6))
        jac[:, :, self.body, :3] = -normals
        jac[:, :, self.body, 3:] = np.cross(normals, to_top[:, None, :])
        return residual, jac, np.zeros((len(rack), 2))


@dataclass(frozen=True)
class Ball:
    """(4): a point of the body stays where it is."""

    point: Vector
    body: int = 0

    def rows(self, pose: Pose, rack: Array) -> Rows:
        n = len(rack)
        residual = pose.point(self.body, self.point) - np.asarray(self.point, dtype=float)
        jac = _of_point(pose, self.body, np.broadcast_to(np.eye(3), (n, 3, 3)), self.point)
        return residual, jac, np.zeros((n, 3))


@dataclass(frozen=True)
class Plane:
    """(5): a point of the body keeps its distance along `normal`."""

    point: Vector
    normal: Vector
    body: int = 0

    def rows(self, pose: Pose, rack: Array) -> Rows:
        n = len(rack)
        normal = np.asarray(self.normal, dtype=float)
        normal = normal / np.linalg.norm(normal)
        residual = (pose.point(self.body, self.point) - np.asarray(self.point, dtype=float)) @ normal
        jac = _of_point(pose, self.body, np.broadcast_to(normal, (n, 1, 3)), self.point)
        return residual[:, None], jac, np.zeros((n, 1))


@dataclass(frozen=True)
class Cylinder:
    """(6) between bodies 0 and 1: a line through `point` along `direction`, fixed in both at design."""

    point: Vector
    direction: Vector = (0.0, 1.0, 0.0)
    scale: float = 1.0  # m; makes the two angular rows lengths

    def rows(self, pose: Pose, rack: Array) -> Rows:
        n = len(rack)
        direction = np.asarray(self.direction, dtype=float)
        direction = direction / np.linalg.norm(direction)
        across = np.einsum("nij,kj->nki", pose.rot[:, 0], perpendicular(direction))  # two axes of body 0
        other = pose.rot[:, 1] @ direction
        gap = pose.point(1, self.point) - pose.point(0, self.point)
        residual = np.concatenate(
            [np.einsum("nki,ni->nk", across, gap), self.scale * np.einsum("nki,ni->nk", across, other)], axis=1
        )
        jac = np.zeros((n, 4, 2, 6))
        jac[:, :2] = _of_point(pose, 1, across, self.point) - _of_point(pose, 0, across, self.point)
        jac[:, :2, 0, 3:] += np.cross(across, gap[:, None, :])
        turning = self.scale * np.cross(across, other[:, None, :])
        jac[:, 2:, 0, 3:] = turning
        jac[:, 2:, 1, 3:] = -turning
        return residual, jac, np.zeros((n, 4))


def perpendicular(direction: Array) -> Array:
    """Two unit vectors across `direction`, as rows; the same for the same direction."""
    along = direction / np.linalg.norm(direction)
    helper = np.eye(3)[int(np.argmin(np.abs(along)))]
    first = np.cross(along, helper)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(along, first)])


@dataclass(frozen=True)
class Wheel:
    """A wheel centre at design, and the body that carries it."""

    centre: Vector
    body: int = 0

    @property
    def side(self) -> int:
        """+1 left, -1 right."""
        return 1 if self.centre[1] > 0 else -1


@dataclass(frozen=True)
class Linkage:
    """Constraints and wheels; inputs are the travel of each wheel and, if a rod is steered, that of the rack."""

    constraints: tuple[Constraint, ...]
    wheels: tuple[Wheel, ...]

    @property
    def steered(self) -> bool:
        return any(isinstance(c, Rod) and c.steered for c in self.constraints)

    @cached_property
    def references(self) -> Array:
        """The reference point of a body is the centre of its first wheel."""
        bodies = 1 + max(wheel.body for wheel in self.wheels)
        return np.array([next(w.centre for w in self.wheels if w.body == b) for b in range(bodies)], dtype=float)

    @cached_property
    def at_design(self) -> Motion:
        """All travels zero."""
        return self.solve(np.zeros((1, len(self.wheels))))

    def solve(self, travel: npt.ArrayLike, rack: npt.ArrayLike = 0.0) -> Motion:
        """Find the positions for wheel travels (n,) or (n, wheels) and rack travels (n,), or what broadcasts to them.

        Raises
        ------
        LinkageError
            When the linkage has not as many constraints as it needs, or does not reach a position.
        """
        j = np.atleast_1d(np.asarray(travel, dtype=float))
        if j.ndim == 1 and len(self.wheels) > 1:
            raise LinkageError(f"{len(self.wheels)} wheels: give travel as (n, {len(self.wheels)})")
        j = j.reshape(len(j), -1)
        u = np.asarray(rack, dtype=float)
        n = max(len(j), u.size)
        j = np.broadcast_to(j, (n, len(self.wheels)))
        u = np.broadcast_to(u, (n,))
        bodies = len(self.references)
        q = np.zeros((n, 6 * bodies))
        sign = None
        for part in np.linspace(0.0, 1.0, LEAD_STEPS + 1):
            q, determinant, lost = self._newton(q, part * j, part * u)
            if lost is not None:
                raise LinkageError(f"cannot be put together on the way to travel {j[lost]} m, rack {u[lost]} m")
            # Passing a singular position, where two branches meet, turns the sign of the determinant.
            sign = np.sign(determinant) if sign is None else sign
            turned = np.sign(determinant) != sign
            if turned.any():
                worst = int(np.flatnonzero(turned)[0])
                raise LinkageError(f"passes a singular position on the way to travel {j[worst]} m, rack {u[worst]} m")
        return Motion(self, j, u, q)

    def _newton(self, q: Array, j: Array, u: Array) -> tuple[Array, Array, int | None]:
        """Coordinates, determinants of the Jacobian, and the index of a position that was not found, if any."""
        residual = np.full(q.shape, np.inf)
        for _ in range(MAX_ITERATIONS):
            residual, jac, _ = self._equations(q, j, u)
            if jac.shape[1] != jac.shape[2]:
                raise LinkageError(f"{jac.shape[1]} equations with those of travel, {jac.shape[2]} coordinates")
            # One more step than the tolerance asks for: the last is quadratic, so it ends at rounding.
            met = np.abs(residual).max() <= RESIDUAL
            try:
                step = np.linalg.solve(jac, residual[..., None])[..., 0]
            except np.linalg.LinAlgError:
                raise LinkageError("singular: constraints do not determine the position") from None
            q = q - step
            if met:
                return q, np.linalg.det(jac), None
            if not np.abs(step).max() < STRAY:
                break
        worst = int(np.argmax(np.abs(np.nan_to_num(residual, nan=np.inf)).max(axis=1)))
        return q, np.zeros(len(q)), worst

    def pose(self, q: Array) -> Pose:
        """The places that coordinates (n, 6 bodies) mean."""
        c = q.reshape(len(q), -1, 6)
        return Pose(self.references, self.references + c[..., :3], rotation(c[..., 3], c[..., 4], c[..., 5]))

    def _equations(self, q: Array, j: Array, u: Array) -> Rows:
        """F, F_q, and F_u for every input: the travels, then the rack."""
        pose = self.pose(q)
        found = [c.rows(pose, u) for c in self.constraints]
        n, inputs = len(q), len(self.wheels) + 1
        lift = np.broadcast_to(np.array([[0.0, 0.0, 1.0]]), (n, 1, 3))
        by_input = [np.zeros((n, rows[0].shape[1], inputs)) for rows in found]
        for rows, by in zip(found, by_input, strict=True):
            by[:, :, -1] = rows[2]
        residual, jac = [rows[0] for rows in found], [rows[1] for rows in found]
        for i, wheel in enumerate(self.wheels):
            up = pose.point(wheel.body, wheel.centre)[:, 2] - wheel.centre[2]
            residual.append((up - j[:, i])[:, None])
            jac.append(_of_point(pose, wheel.body, lift, wheel.centre))
            by = np.zeros((n, 1, inputs))
            by[:, 0, i] = -1.0
            by_input.append(by)
        twists = np.concatenate(jac, axis=1)
        c = q.reshape(n, -1, 6)
        axes = rate_axes(c[..., 3], c[..., 4])
        twists[..., 3:] = np.einsum("nkbi,nbij->nkbj", twists[..., 3:], axes)
        return np.concatenate(residual, axis=1), twists.reshape(n, -1, q.shape[1]), np.concatenate(by_input, axis=1)


@dataclass(frozen=True)
class Motion:
    """Positions found by `Linkage.solve`, n of them, with derivatives. Inputs: travels of the wheels, then the rack."""

    linkage: Linkage
    travel: Array  # (n, wheels)
    rack: Array  # (n,)
    q: Array  # (n, 6 bodies)

    @cached_property
    def pose(self) -> Pose:
        return self.linkage.pose(self.q)

    @cached_property
    def residual(self) -> float:
        """Largest violation of a constraint, m."""
        return float(np.abs(self.linkage._equations(self.q, self.travel, self.rack)[0]).max())

    @cached_property
    def dq(self) -> Array:
        """dq/d(input), (n, 6 bodies, inputs)."""
        _, jac, by = self.linkage._equations(self.q, self.travel, self.rack)
        return -np.asarray(np.linalg.solve(jac, by), dtype=np.float64)

    @cached_property
    def twists(self) -> Array:
        """Velocity of the reference point and angular velocity of each body per input, (n, bodies, 6, inputs)."""
        c = self.q.reshape(len(self.q), -1, 6)
        rates = self.dq.reshape(*c.shape, -1)
        omega = np.einsum("nbij,nbjk->nbik", rate_axes(c[..., 3], c[..., 4]), rates[:, :, 3:])
        return np.concatenate([rates[:, :, :3], omega], axis=2)

    def point(self, body: int, point: Vector) -> Array:
        return self.pose.point(body, point)

    def velocity(self, body: int, point: Vector) -> Array:
        """Of a point of a body per unit of each input, (n, 3, inputs)."""
        twist = self.twists[:, body]
        arm = self.pose.arm(body, point)
        return twist[:, :3] + np.cross(twist[:, 3:], arm[:, :, None], axis=1)

    def maps(self, wheel: int = 0) -> dict[str, Array]:
        """The five functions that guide a wheel, (n,) each: x, y (m), toe, camber, side_view_angle (rad)."""
        found = self.linkage.wheels[wheel]
        moved = self.point(found.body, found.centre) - np.asarray(found.centre, dtype=float)
        psi, phi, theta = (self.q.reshape(len(self.q), -1, 6)[:, found.body, 3 + i] for i in range(3))
        side = found.side
        values = (moved[:, 0], moved[:, 1], -side * psi, -side * phi, -theta)
        return dict(zip(MAPS, values, strict=True))

    def slopes(self, wheel: int = 0) -> dict[str, Array]:
        """Exact derivatives of `maps` by the inputs, (n, inputs) each."""
        found = self.linkage.wheels[wheel]
        v = self.velocity(found.body, found.centre)
        rates = self.dq.reshape(len(self.q), -1, 6, self.dq.shape[-1])[:, found.body, 3:]
        side = found.side
        values = (v[:, 0], v[:, 1], -side * rates[:, 0], -side * rates[:, 1], -rates[:, 2])
        return dict(zip(MAPS, values, strict=True))


# ---- types -----------------------------------------------------------------------------------------------------------


def double_wishbone(
    centre: Vector,
    lower: tuple[Vector, Vector, Vector],
    upper: tuple[Vector, Vector, Vector],
    tie_rod: tuple[Vector, Vector],
    *,
    steered: bool,
) -> Linkage:
    """Two wishbones, each (front inner, rear inner, ball joint), and a tie rod (inner, outer)."""
    arms = [Rod(inner, arm[2]) for arm in (lower, upper) for inner in arm[:2]]
    return Linkage((*arms, Rod(*tie_rod, steered=steered)), (Wheel(centre),))


def strut(
    centre: Vector,
    lower: tuple[Vector, Vector, Vector],
    top: Vector,
    below: Vector,
    tie_rod: tuple[Vector, Vector],
    *,
    steered: bool,
) -> Linkage:
    """McPherson strut: lower arm (front inner, rear inner, ball joint), damper line `top` to `below`, tie rod."""
    arms = [Rod(inner, lower[2]) for inner in lower[:2]]
    return Linkage((*arms, Slider(top, below), Rod(*tie_rod, steered=steered)), (Wheel(centre),))


def five_link(centre: Vector, links: Sequence[tuple[Vector, Vector]], *, steered: int | None = None) -> Linkage:
    """Five links (inner, outer); `steered` is the index of the one that sits on a rack."""
    rods = tuple(Rod(inner, outer, steered=i == steered) for i, (inner, outer) in enumerate(links))
    return Linkage(rods, (Wheel(centre),))


def semi_trailing_arm(centre: Vector, first: Vector, second: Vector) -> Linkage:
    """An arm that turns about the line through two chassis points."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    c = np.asarray(centre, dtype=float)
    reach = float(np.linalg.norm(c - a))
    across = perpendicular(b - a)
    # Any three points of the arm, not in a plane with the first pivot, and two beside the second fix it.
    corners = [c, c + reach * across[0], c + reach * across[1]]
    rods = [Rod(a, p) for p in corners] + [Rod(b, p) for p in corners[:2]]
    return Linkage(tuple(rods), (Wheel(centre),))


def twist_beam(centre: Vector, pivot: Vector, shear_centre: Vector) -> Linkage:
    """Left wheel centre and pivot, mirrored for the right half; the beam twists about the lateral line of a point."""
    mirror = np.array([1.0, -1.0, 1.0])
    right_centre, right_pivot = np.asarray(centre) * mirror, np.asarray(pivot) * mirror
    scale = abs(float(centre[1]))
    return Linkage(
        (Ball(pivot, 0), Ball(right_pivot, 1), Cylinder(shear_centre, scale=scale)),
        (Wheel(centre, 0), Wheel(right_centre, 1)),
    )


def solid_axle(centre: Vector, constraints: Sequence[Constraint]) -> Linkage:
    """An axle with its left wheel centre, mirrored for the right one, on four rods, or three and a plane."""
    right = np.asarray(centre) * np.array([1.0, -1.0, 1.0])
    return Linkage(tuple(constraints), (Wheel(centre, 0), Wheel(right, 0)))
