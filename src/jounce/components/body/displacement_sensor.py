"""A sensor for where a marker is against another, or how its axes are turned (``user_sensor``).

Translational:  X, Y, Z = (r_I - r_J)·a_R.  Rotational, of the axes of I in those of J, R = [x_J y_J z_J]ᵀ[x_I y_I z_I]:

    AX = atan2(y_I·z_J, y_I·y_J),   AY = atan2(z_I·x_J, z_I·z_J),   AZ = atan2(x_I·y_J, x_I·x_J)                     (1)
    R = Rz(ψ) Rx(θ) Rz(φ):  ψ = atan2(R₀₂, -R₁₂),  θ = atan2(√(R₀₂² + R₁₂²), R₂₂),  φ = atan2(R₂₀, R₂₁)              (2)
    R = Rz(yaw) Ry(pitch) Rx(roll):
        yaw = atan2(R₁₀, R₀₀),  pitch = atan2(-R₂₀, √(R₀₀² + R₁₀²)),  roll = atan2(R₂₁, R₂₂)                     (3)

A turn about one axis alone has its exact angle from -180 to 180 degrees in (1). Where θ is 0 or 180 degrees only
ψ + φ, or ψ - φ, means something: then φ is 0.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.body.attached import dot
from jounce.components.body.user_sensor import UserSensor
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.core.fields import choice
from jounce.symbolic.ops import atan2, if_else, sqrt

UPRIGHT = 1e-9  # sine of an angle below which two axes are one


class DisplacementSensor(UserSensor):
    """Where a marker is against another."""

    kind: Literal["displacement"] = choice("displacement", doc="kind of sensor")
    angles: Literal["ax_ay_az", "euler", "yaw_pitch_roll"] = choice(
        "ax_ay_az", doc="of a rotational one: projected angles, body-fixed 3-1-3, or 3-2-1"
    )

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        i, j, reference = self.markers(at, p)
        if self.freedom == "translational":
            for name, value in zip("XYZ", self.along(i.position, j.position, reference), strict=True):
                self.told(at, name, value, "m", "from J to I, axes of the reference")
            return
        # columns: axes of I, in those of J
        turn = [[dot(own, axis) for own in i.axes] for axis in j.axes]
        for name, value in LAWS[self.angles](turn).items():
            self.told(at, name, value, "rad", "of the axes of I in those of J")


def projected(r: Any) -> dict[str, Any]:
    """(1)"""
    return {"AX": atan2(r[2][1], r[1][1]), "AY": atan2(r[0][2], r[2][2]), "AZ": atan2(r[1][0], r[0][0])}


def euler(r: Any) -> dict[str, Any]:
    """(2)"""
    sine = sqrt(r[0][2] * r[0][2] + r[1][2] * r[1][2])
    upright = sine < UPRIGHT
    return {
        "PSI": if_else(upright, atan2(r[1][0], r[0][0]), atan2(r[0][2], -r[1][2])),
        "THETA": atan2(sine, r[2][2]),
        "PHI": if_else(upright, 0.0, atan2(r[2][0], r[2][1])),
    }


def yaw_pitch_roll(r: Any) -> dict[str, Any]:
    """(3)"""
    flat = sqrt(r[0][0] * r[0][0] + r[1][0] * r[1][0])
    return {"YAW": atan2(r[1][0], r[0][0]), "PITCH": atan2(-r[2][0], flat), "ROLL": atan2(r[2][1], r[2][2])}


LAWS = {"ax_ay_az": projected, "euler": euler, "yaw_pitch_roll": yaw_pitch_roll}
