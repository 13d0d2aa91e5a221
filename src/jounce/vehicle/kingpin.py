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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from jounce.components.basics import SIDES, Array, Side, on_side
from jounce.components.steering.kingpin import Kingpin
from jounce.components.steering.motion import Motion, turned
from jounce.core.curves import Curve, CurveUnits
from jounce.core.errors import ParameterError
from jounce.vehicle.schema import Vehicle

QUANTITIES = ("x", "y", "psi", "camber", "side_view_angle")
TURNS = 1e-9  # rad per unit of u about the vertical: maps that turn the carrier less have no axis


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


def motion_of(vehicle: Vehicle) -> Motion:
    """How the maps move the carriers of the steered axle."""
    data = steered(vehicle)
    return Motion(data.suspension, data.steering, vehicle.system)


def steered(vehicle: Vehicle) -> Any:
    """The data of the steered axle."""
    axle = vehicle.layout.steered
    if axle is None:
        raise ParameterError("no axle of this vehicle is steered; there is no steering axis")
    return axle.data


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
    steering_deflection : g(u; J) of the springs by side, where it is not that of the steering's elements
    """
    motion = motion_of(vehicle)
    here = motion(side, u, travel, other)
    own_rate, other_rate = _locked(vehicle, motion, side, u, travel, other, steering_deflection)
    slope = {q: g[1] + g[2] * own_rate + g[3] * other_rate for q, g in here.items()}
    mirror = -1.0 if side == "L" else 1.0
    psi, phi = here["psi"][0], mirror * here["camber"][0]
    z_turn, x_turn = turned(2, psi), turned(0, phi)
    if vehicle.system.carrier_rotation == "3-2-1":
        theta = -here["side_view_angle"][0]
        second, third = z_turn[:, 1], (z_turn @ turned(1, theta))[:, 0]
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
    data = steered(vehicle)
    spring, elements = data.suspension.spring, data.steering.elements
    if added is None and elements is not None and elements.spring is not None:
        maps = {which: data.steering.of_spring(SimpleNamespace(side=which)) for which in SIDES}
        added = {which: found.curve.scaled(found.scale) for which, found in maps.items()}
    if not added:
        return 0.0, 0.0
    if spring is None:
        raise ParameterError("steering_deflection: the steered axle has no spring")
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
    over = "m" if steered(vehicle).steering.input == "rack_travel" else "rad"
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
