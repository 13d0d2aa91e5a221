"""Grounds beyond a plane and a road: heights given under single wheels, planes from outside, a road that grows.

Each wraps or replaces a ground of ``road.ground`` and answers in the same way. A ground that moves says how fast: its
velocity w acts on the slips and on the rate of the deflection through V - w.

    Raised      a height d(t) added under a wheel, on any ground:  h' = h - d n_z,  w = ḋ e_z; a contact point that
                is given moves along                                                                              (1)
    Given       a point P, a normal n and a friction µ from outside, per wheel:  h = (C - P)·n                    (2)
    Growing     a road that grows out of a plane: z = z_p + σ(t) (z_r - z_p), slopes alike, w = σ̇ (z_r - z_p) e_z  (3)
    Probed      a road whose normal is that of three points, δ apart: ∂z/∂x = (z(x + δ, y) - z(x, y))/δ …, or
                vertical: slopes of zero. Where one of them has no ground, the slope is that of the surface       (4)

n_z is the share of the normal along the world's z axis. What σ and ḋ are is said by who declares these grounds: this
module knows expressions only by what it does with them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from jounce.core.errors import ParameterError
from jounce.road.block import NO_HEIGHT
from jounce.road.ground import Axes, Ground, Plane, Service, Surface

UP = (0.0, 0.0, 1.0)
EXTERNAL = "Road_External"  # name of the inputs (2), as in the channel catalogue
LEAST_NORMAL = 1e-6  # length of a normal that says something
_EXTERNAL_PARTS: tuple[tuple[str, str, str, float], ...] = (
    *((axis, "m", "of the contact point, world axes", 0.0) for axis in "xyz"),
    *((f"normal_{axis}", "-", "of the road's normal, world axes", float(axis == "z")) for axis in "xyz"),
    ("friction", "-", "of the road, 1 = as the tire was measured", 1.0),
)


class TakesInputs(Protocol):
    """A scope: what these grounds ask of it."""

    def input(self, name: str, unit: str = "-", doc: str = "", default: float = 0.0, *, rate: bool = False) -> Any: ...
    def parameter(self, name: str, default: float | str = 0.0, unit: str = "-", doc: str = "") -> Any: ...


@dataclass
class Raised:
    """A ground with a height added (1)."""

    ground: Ground
    height: Any
    rate: Any = 0.0

    def under(self, axes: Axes, place: Sequence[Any]) -> Surface:
        below = self.ground.under(axes, place)
        level = isinstance(self.ground, Plane) and self.ground.grade is None and self.ground.bank is None
        up = below.normal if level else axes.from_world(UP)
        share = 1.0 if level else sum(a * b for a, b in zip(up, below.normal, strict=True))
        velocity = [self.rate * u for u in up]
        if below.velocity is not None:
            velocity = [a + b for a, b in zip(below.velocity, velocity, strict=True)]
        arm = below.arm
        if arm is not None:
            arm = [a + self.height * u for a, u in zip(arm, up, strict=True)]
        return below._replace(height=below.height - self.height * share, velocity=velocity, arm=arm)


@dataclass
class Given:
    """A tangent plane from outside (2).

    The normal may have any length. Both its directions mean the same plane: the one upwards is taken; without a
    length it says nothing, and the plane is level.

    Parameters
    ----------
    as_given : the point itself is the contact; otherwise it is any point of the plane, and the contact is where the
        wheel meets that
    """

    point: Sequence[Any]
    normal: Sequence[Any]
    friction: Any
    as_given: bool = False

    @classmethod
    def declare(cls, scope: TakesInputs, wheel: str, *, as_given: bool = False) -> Given:
        """Seven inputs of a wheel; without values a level plane at height zero."""
        names = f"{EXTERNAL}.{wheel}"
        found = [scope.input(f"{names}.{name}", unit, doc, default) for name, unit, doc, default in _EXTERNAL_PARTS]
        return cls(found[:3], found[3:6], found[6], as_given)

    def under(self, axes: Axes, place: Sequence[Any]) -> Surface:
        n = self.normal
        said = n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > LEAST_NORMAL**2
        side = said * (1.0 - 2.0 * (n[2] < 0))
        n = [side * n[0], side * n[1], side * n[2] + (1.0 - said)]
        length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) ** 0.5
        n = [part / length for part in n]
        away = [a - b for a, b in zip(axes.position, self.point, strict=True)]
        normal = axes.from_world(n)
        height = n[0] * away[0] + n[1] * away[1] + n[2] * away[2]
        height = height + normal[0] * place[0] + normal[1] * place[1] + normal[2] * place[2]
        arm = None
        if self.as_given:
            arm = [-a - b for a, b in zip(axes.from_world(away), place, strict=True)]
        return Surface(height, normal, self.friction, arm=arm)


def external_inputs(
    wheel: str, point: Sequence[float], normal: Sequence[float] = UP, friction: float = 1.0
) -> dict[str, float]:
    """The seven inputs of a wheel on an external road, by name: for ``Simulation.set_inputs`` and ``jounce.run``."""
    where = f"external road under {wheel}"
    place, upwards, mu = [*map(float, point)], [*map(float, normal)], float(friction)
    if len(place) != 3 or len(upwards) != 3:
        raise ParameterError(f"{where}: a point and a normal have three numbers each")
    values = [*place, *upwards, mu]
    for (name, *_), value in zip(_EXTERNAL_PARTS, values, strict=True):
        if not math.isfinite(value):
            raise ParameterError(f"{where}: {name} = {value}; expected a finite number")
    if math.hypot(*upwards) < LEAST_NORMAL or upwards[2] <= 0:
        raise ParameterError(f"{where}: normal {tuple(upwards)}; it points upwards (z > 0), with any length")
    if mu < 0:
        raise ParameterError(f"{where}: friction = {mu:g}; must not be negative")
    return {f"{EXTERNAL}.{wheel}.{name}": value for (name, *_), value in zip(_EXTERNAL_PARTS, values, strict=True)}


@dataclass
class Probed(Service):
    """Ground by an outside function whose slopes are not those of the surface but found otherwise (4).

    Parameters
    ----------
    distance : of the points, m; None: the ground counts as level everywhere
    """

    distance: Any = None

    def at(self, x: Any, y: Any, z: Any) -> tuple[Any, Any, Any, Any]:
        height, *own, friction = super().at(x, y, z)
        if self.distance is None:
            return height, 0.0, 0.0, friction
        ahead = super().at(x + self.distance, y, z)[0] - height
        beside = super().at(x, y + self.distance, z)[0] - height
        return height, self._slope(ahead, own[0]), self._slope(beside, own[1]), friction

    def _slope(self, rise: Any, own: Any) -> Any:
        """By a difference of heights, unless that is one to nothing."""
        ground = rise * rise < (0.5 * NO_HEIGHT) ** 2
        return own + ground * (rise / self.distance - own)


@dataclass
class Growing:
    """Ground by an outside function that grows out of a plane (3)."""

    road: Service
    height: Any  # of the plane at x = y = 0
    grade: Any
    bank: Any
    share: Any  # σ: 0 the plane, 1 the road
    share_rate: Any

    @classmethod
    def declare(cls, scope: TakesInputs, roads: Sequence[Service], share: Any, share_rate: Any) -> list[Growing]:
        """All roads grow out of one plane, whose numbers are parameters ``smoothing.*``."""
        height = scope.parameter("smoothing.height", 0.0, "m", "of the plane the road grows out of, at x = y = 0")
        grade = scope.parameter("smoothing.grade", 0.0, "-", "its dz/dx")
        bank = scope.parameter("smoothing.bank", 0.0, "-", "its dz/dy")
        return [cls(road, height, grade, bank, share, share_rate) for road in roads]

    def under(self, axes: Axes, place: Sequence[Any]) -> Surface:
        point = axes.point(place)
        height, a, b, friction = self.road.at(*point)
        flat = self.height + self.grade * point[0] + self.bank * point[1]
        more = height - flat
        height = flat + self.share * more
        a, b = self.grade + self.share * (a - self.grade), self.bank + self.share * (b - self.bank)
        n_z = 1.0 / (1.0 + a * a + b * b) ** 0.5
        velocity = [self.share_rate * more * u for u in axes.from_world(UP)]
        return Surface(
            (point[2] - height) * n_z, axes.from_world((-a * n_z, -b * n_z, n_z)), friction, velocity=velocity
        )
