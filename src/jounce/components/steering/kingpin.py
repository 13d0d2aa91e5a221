"""The steering axis of a wheel: as given, or the axis that the maps turn the carrier about.

w = ∂ω/∂ζ̇,  k̂ ∥ w upwards,  P = p + (w × ∂p/∂ζ)/|w|²                 "motion": from the maps                  (1)

Either is an axis of the guided carrier. With ``axis_gives_way`` compliance carries it along as it carries the carrier,
from the pose R_0, p_0 that the maps give it to R, p:

k̂' = R R_0ᵀ k̂,  P' = p + R R_0ᵀ (P - p_0)                                                                       (2)

(p_0 - P of a given axis, p - P of one by the motion, which is found from where the wheel is.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.core.curves import Curve, CurveUnits
from jounce.core.fields import Data, curve, hidden, part
from jounce.symbolic.frames import cross
from jounce.symbolic.ops import dot, if_else, sqrt, tan

TURNS = 1e-9  # rad per unit of ζ: maps that turn the carrier less have no axis; the vertical is taken
AXIS = ("caster", "inclination", "x", "y", "z")

Vector = Sequence[Any]


def _of_axis(unit: str, most: float, doc: str) -> Any:
    return curve("rad", unit, z="m", constant="value", guides=True, typical=(0.0, most), doc=doc)


class Kingpin(Data):
    """The steering axis, for torques: values, or maps over the steering input u and travel J."""

    over: Literal["rad", "m"] = hidden("rad", doc="unit of the input u, set by the steering")
    caster: Curve = _of_axis("rad", 0.6, "lean of the axis, top rearwards")
    inclination: Curve = _of_axis("rad", 0.7, "lean of the axis, top inwards")
    x: Curve = _of_axis("m", 1.0, "a point of the axis, from the wheel centre at design")
    y: Curve = _of_axis("m", 1.0, "the same, to the left; mirrored on the right")
    z: Curve = _of_axis("m", 2.0, "the same, upwards")
    right: Kingpin | None = part(None, doc="what differs on the right side")

    @classmethod
    def curve_units(cls, name: str, raw: Mapping[str, Any]) -> CurveUnits:
        return replace(super().curve_units(name, raw), x=str(raw.get("over", "rad")))


def axis_of_motion(at: WheelModel, turn: Vector, shift: Vector) -> tuple[Vector, Vector]:
    """Direction (upwards) and a point of the axis that the maps turn a carrier about (1), in axes of the body."""
    squared = dot(turn, turn)
    turns = squared > TURNS * TURNS
    divisor = if_else(turns, squared, 1.0)
    upwards = if_else(turn[2] < 0, -1.0, 1.0) / sqrt(divisor)
    axis = [if_else(turns, upwards * a, b) for a, b in zip(turn, (0.0, 0.0, 1.0), strict=True)]
    away = cross(list(turn), list(shift))
    return axis, [p + if_else(turns, a / divisor, 0.0) for p, a in zip(at.carrier.r, away, strict=True)]


def carried(at: WheelModel, axis: Vector, point: Vector, given: bool) -> tuple[Vector, Vector]:
    """The axis carried along by the compliance of the wheel (2)."""
    total = at.carrier.rotation
    before = at.guided_rotation
    turn = [[dot(a, b) for b in before] for a in total]  # R R_0ᵀ
    shift = [at.gives.get(name, 0.0) if given else 0.0 for name in ("x", "y")]
    lever = [c - p + s for c, p, s in zip(point, at.carrier.r, [*shift, 0.0], strict=True)]
    moved = [p + dot(row, lever) for p, row in zip(at.carrier.r, turn, strict=True)]
    return [dot(row, list(axis)) for row in turn], moved


def given_axis(at: WheelModel, p: Symbols, u: Any) -> tuple[Vector, Vector]:
    """Direction (upwards) and a point of the axis that the data give, in axes of the body."""
    values = {name: getattr(p, name)(u, at.travel) for name in AXIS}
    lean = -tan(values["caster"])
    inwards = -at.place.outwards * tan(values["inclination"])
    length = sqrt(1 + lean * lean + inwards * inwards)
    point = [d + values[name] for d, name in zip(at.design, "xyz", strict=True)]
    return [lean / length, inwards / length, 1 / length], point
