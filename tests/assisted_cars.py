"""Cars of the library with another assist or friction in their steering: other numbers, the same structure."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jounce.vehicle as jv
from jounce.core.curves import Curve

PART = "steering.rack_pinion"


def scaled(curve: Curve, factor: float, *, straight: bool = False) -> dict[str, Any]:
    """A map times a factor; ``straight``: proportional to its abscissa, with its slope at the end."""
    end = curve.values[-1] / curve.x[-1]
    rows = [end * x for x in curve.x] if straight else list(curve.values)
    return {"x": list(curve.x), "z": list(curve.z), "y": [[float(factor * y) for y in row] for row in rows]}


@lru_cache
def with_steering(
    name: str, *, assist: float = 1.0, friction: float = 1.0, straight: bool = False, rack_damping: float | None = None
) -> jv.Vehicle:
    """A car with its assist and friction times factors."""
    car = jv.load(name)
    assert car.steering is not None and car.steering.rack_pinion is not None
    data = car.steering.rack_pinion
    where, curve = ("electric.current", data.electric.current) if data.electric else ("hydraulic.pressure", None)
    if curve is None:
        assert data.hydraulic is not None
        curve = data.hydraulic.pressure
    changes: dict[str, Any] = {f"{PART}.{where}": scaled(curve, assist, straight=straight)}
    for place in ("column", "rack"):
        spring = getattr(data.friction, place).spring
        changes[f"{PART}.friction.{place}.spring.maximum"] = friction * spring.maximum
        changes[f"{PART}.friction.{place}.spring.minimum"] = friction * spring.minimum
    if rack_damping is not None:
        changes[f"{PART}.rack.damping"] = rack_damping
    return car.with_(**changes)
