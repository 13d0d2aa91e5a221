"""How the maps move the carriers of a steered axle, in numbers: poses with their derivatives over u, J and J_o."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from jounce.components.basics import Array, Side
from jounce.components.settings import Settings
from jounce.core.curves import Curve

if TYPE_CHECKING:
    from jounce.components.steering.steering import Steering
    from jounce.components.suspension.axle import Suspension

# value and derivatives along u, J, J_o
Gradient = tuple[float, float, float, float]


class Motion:
    """Displacement and angles of the carriers of a steered axle by the maps, with their derivatives."""

    def __init__(self, suspension: Suspension, steering: Steering, settings: Settings) -> None:
        self.suspension, self.steering, self.settings = suspension, steering, settings

    def evaluator(self, curve: Curve, kinematic: bool = True) -> Callable[[float, float], tuple[float, float, float]]:
        """Value and both first derivatives of a curve, interpolated as in the model."""
        if curve.constant is not None:
            c, rate = curve.constant, curve.units.constant == "rate"
            return lambda a, b: (c * a, c, 0.0) if rate else (c, 0.0, 0.0)
        maps = self.settings.kinematic_maps
        polynomial = kinematic and maps.polynomial
        table = curve.table(
            method="polynomial" if polynomial else self.settings.splines.method,
            extrapolation=maps.extrapolation if kinematic else self.settings.splines.element_extrapolation,
            order=maps.polynomial_order if polynomial else None,
        )
        if curve.n_axes == 1:
            return lambda a, b: (float(table(a)), float(table(a, derivative=1)), 0.0)
        return lambda a, b: (
            float(table(a, b)), float(table(a, b, derivative=(1, 0))), float(table(a, b, derivative=(0, 1))),
        )  # fmt: skip

    def own(self, name: str, side: Side, travel: float, other: float) -> Gradient:
        """A map of the suspension."""
        found = self.suspension.map(name, side)
        value, d_own, d_other = self.evaluator(found.curve)(travel, other)
        return found.offset + found.scale * value, 0.0, found.scale * d_own, found.scale * d_other

    def steered(self, name: str, side: Side, u: float, travel: float) -> Gradient | None:
        """A map of the steering, if it is there."""
        found = self.steering.map(name, side)
        if found is None:
            return None
        value, d_u, d_own = self.evaluator(found.curve)(u, travel)
        return found.scale * value, found.scale * d_u, found.scale * d_own, 0.0

    def __call__(self, side: Side, u: float, travel: float, other: float = 0.0) -> dict[str, Gradient]:
        """x, y, ψ, camber, side-view angle: which map counts for which quantity, as in the model."""
        steering, dependent = self.steering, self.suspension.dependent
        result: dict[str, Gradient] = {}
        for name in ("x", "y", "camber", "side_view_angle"):
            by_steering = self.steered(name, side, u, travel)
            if name in ("x", "y") and not steering.steering_dependent_wheel_location:
                by_steering = None
            own = self.own(name, side, travel, other)
            result[name] = own if by_steering is None else _sum(own, by_steering) if dependent else by_steering
        steer = self.steered("steer", side, u, travel)
        assert steer is not None
        if steering.method == "toe_table" or dependent:
            steer = _sum(steer, self.own("toe", side, travel, other), -1.0 if side == "L" else 1.0)
        result["psi"] = steer
        return result

    def design_rotation(self, side: Side) -> Array:
        """Rotation matrix of a carrier at design, u = J = 0."""
        here = self(side, 0.0, 0.0)
        phi = (-1.0 if side == "L" else 1.0) * here["camber"][0]
        z, x, y = turned(2, here["psi"][0]), turned(0, phi), turned(1, -here["side_view_angle"][0])
        rotation: Array = z @ y @ x if self.settings.carrier_rotation == "3-2-1" else z @ x @ y
        return rotation


def _sum(a: Gradient, b: Gradient, factor: float = 1.0) -> Gradient:
    first, second, third, fourth = (x + factor * y for x, y in zip(a, b, strict=True))
    return first, second, third, fourth


def turned(axis: int, angle: float) -> Array:
    """Rotation matrix about an axis."""
    c, s = math.cos(angle), math.sin(angle)
    matrix = np.eye(3)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix[j, j], matrix[j, k], matrix[k, j], matrix[k, k] = c, -s, s, c
    return matrix
