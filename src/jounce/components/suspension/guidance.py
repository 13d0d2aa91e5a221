"""Guidance of a wheel carrier by maps.

The pose of a carrier in the frame of its body is (signs of docs/conventions.md)

    p = p_design + (x, y, J),     R = Rz(ψ) Rx(φ) Ry(θ)                                                      (1)
    left:  ψ = -toe (or steer),  φ = -camber,  θ = -side view angle;    right:  ψ = +toe (or steer),  φ = +camber

with every map a function of own travel J, of the paired wheel's travel, or of the steering input.  Inertia and jacking
forces follow from (1) by differentiation (symbolic/kane.py); nothing of them is written here.
"""

from __future__ import annotations

from typing import Any

from jounce.components.model import Pose, WheelModel
from jounce.components.part import Symbols
from jounce.core.curves import Curve
from jounce.core.fields import Data, curve, part, quantity

MAPS = ("x", "y", "toe", "camber", "side_view_angle")
# words of the inputs that scale what a map says
SCALED = {"x": "Base", "y": "Track", "toe": "Toe", "camber": "Camber", "side_view_angle": "Sva"}


def _over_travel(unit: str) -> Any:
    doc = "over own travel, or own and paired travel"
    return curve("m", unit, z="m", typical=(0.0, 3.0), reach=(0.005, 1.0), doc=doc, flat=True, guides=True)


class KinematicMap(Data):
    """One coordinate of the carrier over wheel travel:  q = offset + scale · curve(J[; J of the paired wheel])."""

    curve: Curve = _over_travel("m")
    scale: float = quantity("-", 1.0, typical=(0.01, 100.0), doc="factor on the curve")
    offset: float = quantity("m", 0.0, typical=(0.0, 0.3), doc="value at design, besides that of the curve")
    right: KinematicMap | None = part(None, doc="what differs on the right side")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        if isinstance(raw, Curve):
            return {"curve": raw}
        if isinstance(raw, str) and raw.strip().lower().endswith(".csv"):
            return {"file": raw}
        return {"rate": raw} if isinstance(raw, str | float | int) and not isinstance(raw, bool) else raw

    @property
    def dependent(self) -> bool:
        """Whether either side depends on a second variable."""
        return self.curve.n_axes == 2 or (self.right is not None and self.right.curve.n_axes == 2)


class AngleMap(KinematicMap):
    """An angle of the carrier."""

    curve: Curve = _over_travel("rad")
    offset: float = quantity("rad", 0.0, typical=(0.0, 0.35), doc="value at design, besides that of the curve")
    right: AngleMap | None = part(None, doc="what differs on the right side")


def pose(at: WheelModel, p: Symbols, steered: Symbols | None, steering: Any, dependent: bool) -> Pose:
    """Which map counts for which quantity.

    ``p``: numbers of the suspension at this wheel; ``steered``, ``steering``: those of the steering, and its data,
    where the axle is steered; ``dependent``: whether maps depend on the paired wheel.
    """
    toe_to_psi = -at.place.outwards
    travel, other = at.travel, at.paired.travel

    def changed(name: str, of: Any, *arguments: Any) -> Any:
        """A map, where the run scales how it changes with the travel of wheels."""
        word = f"External_Kinematic_Scaling.{at.axle.place.word}.{SCALED[name]}"
        doc = f"factor on the change of {name.replace('_', ' ')} with travel"
        factor = at.vehicle.outside(word, "-", doc, "scale", 1.0, rate=True)
        if factor is None:
            return of(*arguments)
        design = of(*(0.0 if item is travel or item is other else item for item in arguments))
        return design + factor * (of(*arguments) - design)

    def own(name: str) -> Any:
        found = getattr(p, f"map_{name}")
        return found.offset + found.scale * changed(name, found.curve, travel, other)

    if steered is None:
        return Pose(own("x"), own("y"), toe_to_psi * own("toe"), own("camber"), own("side_view_angle"))

    def by_steering(name: str) -> Any:
        if getattr(steering, name) is None:
            return None
        found = getattr(steered, f"map_{name}")
        return found.scale * changed("toe" if name == "steer" else name, found.curve, at.steering_input, travel)

    result = {}
    for name in ("x", "y", "camber", "side_view_angle"):
        value = by_steering(name)
        if name in ("x", "y") and not steering.steering_dependent_wheel_location:
            value = None
        if value is None:
            result[name] = own(name)
        elif dependent:
            result[name] = own(name) + value
        else:  # maps of an independent axle already contain what the suspension's say, but for the alignment
            result[name] = value + p.map_camber.offset if name == "camber" else value
    psi = by_steering("steer")
    if steering.method == "toe_table" or dependent:
        psi = psi + toe_to_psi * own("toe")
    else:
        psi = psi + toe_to_psi * p.map_toe.offset
    return Pose(result["x"], result["y"], psi, result["camber"], result["side_view_angle"])
