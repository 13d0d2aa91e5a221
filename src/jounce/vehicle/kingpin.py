"""The steering axis from the wheel-guiding maps: what the carrier turns about when the steering moves.

With own travel J, the paired wheel's travel J_o and steering input u, a carrier has the displacement (x, y, J) of its
wheel centre and the rotation Rz(ψ) Rx(φ) Ry(θ) (signs of docs/conventions.md). While the springs keep their lengths,
d = f(J, J_o) + g(u; J) of both wheels, where g is what the steering adds to the deflection,

    f_J J' + f_Jo J_o' + g_J J' = -g_u           for both wheels: 2 × 2 equations, ' = d/du                       (1)
    q' = q_u + q_J J' + q_Jo J_o'                 q = x, y, ψ, φ, θ                                              (2)
    v = (x', y', J'),   w = ψ' e_z + φ' Rz e_x + θ' Rz Rx e_y                                                  (3)
    P = p + (w × v)/|w|²,   h = v·w/|w|²          the point of the axis next to the wheel centre, and its pitch   (4)
    caster = -atan(w_x/w_z),   inclination = ∓atan(w_y/w_z)      left, right                                     (5)

Without g the travels stay as they are. The pitch h (m/rad) is zero for a pure rotation; (5) loses it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jounce.core.curves import Curve, CurveUnits
from jounce.core.errors import ParameterError
from jounce.vehicle.basics import SIDES, Array, Side, on_side
from jounce.vehicle.schema import Vehicle
from jounce.vehicle.steering import Kingpin

QUANTITIES = ("x", "y", "psi", "camber", "side_view_angle")
TURNS = 1e-9  # rad per unit of u about the vertical: maps that turn the carrier less have no axis

# value and derivatives along u, J, J_o
Gradient = tuple[float, float, float, float]


@dataclass(frozen=True)
class InstantAxis:
    """Axis about which a front carrier turns, in axes of the body."""

    direction: Array  # unit vector, upwards
    point: Array  # next to the wheel centre, from the wheel centre at design, m
    caster: float  # rad
    inclination: float  # rad
    pitch: float  # m/rad: motion along the axis per angle about it
    turn: float  # rad per unit of u, about the direction
    travel: float  # J', m per unit of u


class Motion:
    """Displacement and angles of the front carriers by the maps, with their derivatives."""

    def __init__(self, vehicle: Vehicle) -> None:
        self.vehicle = vehicle
        self.settings = vehicle.system

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
        found = self.vehicle.front_suspension.map(name, side)
        value, d_own, d_other = self.evaluator(found.curve)(travel, other)
        return found.offset + found.scale * value, 0.0, found.scale * d_own, found.scale * d_other

    def steered(self, name: str, side: Side, u: float, travel: float) -> Gradient | None:
        """A map of the steering, if it is there."""
        found = self.vehicle.steering.map(name, side)
        if found is None:
            return None
        value, d_u, d_own = self.evaluator(found.curve)(u, travel)
        return found.scale * value, found.scale * d_u, found.scale * d_own, 0.0

    def __call__(self, side: Side, u: float, travel: float, other: float = 0.0) -> dict[str, Gradient]:
        """x, y, ψ, camber, side-view angle: which map counts for which quantity, as in the model."""
        vehicle, steering = self.vehicle, self.vehicle.steering
        dependent = vehicle.front_suspension.dependent
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


def _sum(a: Gradient, b: Gradient, factor: float = 1.0) -> Gradient:
    first, second, third, fourth = (x + factor * y for x, y in zip(a, b, strict=True))
    return first, second, third, fourth


def instant_axis(
    vehicle: Vehicle,
    side: Side,
    u: float = 0.0,
    travel: float = 0.0,
    other: float = 0.0,
    *,
    steering_deflection: Mapping[Side, Curve] | None = None,
) -> InstantAxis | None:
    """Axis about which a front carrier turns at a steering input and travels; None where the maps do not turn it.

    Parameters
    ----------
    u : steering input of the maps, hand wheel angle or rack travel
    travel, other : travel of this wheel and of the paired one, m
    steering_deflection : g(u; J) of the springs by side: what the steering adds to their deflection
    """
    motion = Motion(vehicle)
    here = motion(side, u, travel, other)
    own_rate, other_rate = _locked(vehicle, motion, side, u, travel, other, steering_deflection)
    slope = {q: g[1] + g[2] * own_rate + g[3] * other_rate for q, g in here.items()}
    mirror = -1.0 if side == "L" else 1.0
    psi, phi = here["psi"][0], mirror * here["camber"][0]
    z_turn, x_turn = _rotation(2, psi), _rotation(0, phi)
    if vehicle.system.carrier_rotation == "3-2-1":
        theta = -here["side_view_angle"][0]
        second, third = z_turn[:, 1], (z_turn @ _rotation(1, theta))[:, 0]
        w = slope["psi"] * np.array([0.0, 0.0, 1.0]) - slope["side_view_angle"] * second
        w = w + mirror * slope["camber"] * third
    else:
        second, third = z_turn[:, 0], (z_turn @ x_turn)[:, 1]
        w = slope["psi"] * np.array([0.0, 0.0, 1.0]) + mirror * slope["camber"] * second
        w = w - slope["side_view_angle"] * third
    if not abs(w[2]) > TURNS:
        return None
    v = np.array([slope["x"], slope["y"], own_rate])
    squared = float(w @ w)
    upwards = math.copysign(1.0 / math.sqrt(squared), w[2])
    return InstantAxis(
        direction=upwards * w,
        point=np.array([here["x"][0], here["y"][0], travel]) + np.cross(w, v) / squared,
        caster=-math.atan(w[0] / w[2]),
        inclination=mirror * math.atan(w[1] / w[2]),
        pitch=float(v @ w) / squared,
        turn=float(upwards * squared),
        travel=own_rate,
    )


def _locked(
    vehicle: Vehicle,
    motion: Motion,
    side: Side,
    u: float,
    travel: float,
    other: float,
    added: Mapping[Side, Curve] | None,
) -> tuple[float, float]:
    """J' and J_o' of (1)."""
    spring = vehicle.front_suspension.spring
    if not added:
        return 0.0, 0.0
    if spring is None:
        raise ParameterError("steering_deflection: the front suspension has no spring")
    matrix, right = np.zeros((2, 2)), np.zeros(2)
    sides = (side, SIDES[1 - SIDES.index(side)])
    for i, (which, j, j_other) in enumerate(((sides[0], travel, other), (sides[1], other, travel))):
        f = motion.evaluator(on_side(spring, which).deflection, kinematic=False)(j, j_other)
        g = motion.evaluator(added[which])(u, j) if which in added else (0.0, 0.0, 0.0)
        matrix[i, i] = f[1] + g[2]
        matrix[i, 1 - i] = f[2]
        right[i] = -g[1]
    own, paired = np.linalg.solve(matrix, right)
    return float(own), float(paired)


def refresh(
    vehicle: Vehicle,
    inputs: Sequence[float],
    travels: Sequence[float],
    *,
    steering_deflection: Mapping[Side, Curve] | None = None,
) -> tuple[Vehicle, float]:
    """Return the vehicle with kingpin maps that follow from its wheel-guiding maps, and the largest pitch |h|.

    Where the maps do not turn a carrier, its last axis is kept. ParameterError where there is none at all.
    """
    if len(inputs) < 2 or len(travels) < 2:
        raise ParameterError("refresh: give at least two inputs and two travels, both ascending")
    over = "m" if vehicle.steering.input == "rack_travel" else "rad"
    maps: dict[Side, dict[str, Curve]] = {}
    worst = 0.0
    for side in SIDES:
        found = [
            [instant_axis(vehicle, side, u, j, steering_deflection=steering_deflection) for j in travels]
            for u in inputs
        ]
        last = next((axis for row in found for axis in row if axis is not None), None)
        if last is None:
            raise ParameterError("refresh: the maps do not turn the front wheels; there is no steering axis")
        rows: list[list[float]] = []
        for axis in (axis for row in found for axis in row):
            last = axis if axis is not None else last
            worst = max(worst, abs(last.pitch))
            rows.append([last.caster, last.inclination, *last.point])
        columns = np.array(rows).T
        maps[side] = {
            name: Curve(
                CurveUnits(over, unit, "m", "value"),
                x=tuple(map(float, inputs)), z=tuple(map(float, travels)), y=tuple(map(float, column)),
            )
            for (name, unit), column in zip(
                (("caster", "rad"), ("inclination", "rad"), ("x", "m"), ("y", "m"), ("z", "m")), columns, strict=True
            )
        }  # fmt: skip
    right = Kingpin(over=over, **maps["R"])
    kingpin = Kingpin(over=over, **maps["L"], right=right)
    return vehicle.with_(**{"steering.kingpin": kingpin}), worst


def design_rotation(vehicle: Vehicle, side: Side) -> Array:
    """Rotation matrix of a front carrier at design, u = J = 0."""
    here = Motion(vehicle)(side, 0.0, 0.0)
    phi = (-1.0 if side == "L" else 1.0) * here["camber"][0]
    z, x, y = _rotation(2, here["psi"][0]), _rotation(0, phi), _rotation(1, -here["side_view_angle"][0])
    rotation: Array = z @ y @ x if vehicle.system.carrier_rotation == "3-2-1" else z @ x @ y
    return rotation


def _rotation(axis: int, angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    matrix = np.eye(3)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix[j, j], matrix[j, k], matrix[k, j], matrix[k, k] = c, -s, s, c
    return matrix
