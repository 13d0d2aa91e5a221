"""Maps of the steering: pose of a carrier over the steering input u and own travel J."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from jounce.components.suspension.guidance import KinematicMap
from jounce.core.curves import Curve, CurveUnits
from jounce.core.fields import Data, curve, hidden, part, quantity

STEERING_MAPS = ("steer", "camber", "side_view_angle", "x", "y")


class SteerMap(Data):
    """An angle of the carrier over the steering input:  q = scale · curve(u[; J])."""

    over: Literal["rad", "m"] = hidden("rad", doc="unit of the input u, set by the steering")
    curve: Curve = curve(
        "rad",
        "rad",
        z="m",
        typical={"rad": (0.0, 1.5), "m": (0.0, 40.0)},
        reach={"rad": (0.1, 40.0), "m": (0.005, 0.5)},
        doc="over u, or u and own travel",
        flat=True,
        guides=True,
    )
    scale: float = quantity("-", 1.0, typical=(0.01, 100.0), doc="factor on the curve")
    right: SteerMap | None = part(None, doc="what differs on the right side")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return KinematicMap.expand(raw)

    @classmethod
    def curve_units(cls, name: str, raw: Mapping[str, Any]) -> CurveUnits:
        return replace(super().curve_units(name, raw), x=str(raw.get("over", "rad")))


class SteerLengthMap(SteerMap):
    """A displacement of the wheel centre over the steering input."""

    curve: Curve = curve(
        "rad",
        "m",
        z="m",
        typical={"rad": (0.0, 1.0), "m": (0.0, 5.0)},
        reach={"rad": (0.1, 40.0), "m": (0.005, 0.5)},
        doc="over u, or u and own travel",
        flat=True,
        guides=True,
    )
    right: SteerLengthMap | None = part(None, doc="what differs on the right side")


def mirrored(found: Curve, sign: float) -> Curve:
    """Return sign · curve(−u; J)."""
    if found.constant is not None:
        factor = -sign if found.units.constant == "rate" else sign
        return found.scaled(factor)
    values = np.flip(found.values, axis=0).reshape(-1) * sign + 0.0
    return replace(found, x=tuple(-u + 0.0 for u in reversed(found.x)), y=tuple(float(value) for value in values))
