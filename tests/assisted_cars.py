"""The sedan with a rack-and-pinion steering: electric assist on its column, friction at two places."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jounce.vehicle as jv

TWISTS = (0.008, 0.018, 0.030, 0.045, 0.060, 0.090)
AMPS = (1.0, 4.0, 10.0, 22.0, 38.0, 70.0)
SPEEDS = {0.0: 1.0, 15.0: 0.9, 30.0: 0.8, 60.0: 0.6}  # share of the currents


def current(linear: bool) -> dict[str, Any]:
    """Over twist and speed, the same to both sides; ``linear``: proportional to the twist."""
    right = [(x, 300.0 * x if linear else y) for x, y in zip(TWISTS, AMPS, strict=True)]
    sides = [*((-x, -y) for x, y in right[::-1]), (0.0, 0.0), *right]
    return {"x": [x for x, _ in sides], "z": list(SPEEDS), "y": [[y * s for s in SPEEDS.values()] for _, y in sides]}


def rubbing(stiffness: float, most: float) -> dict[str, Any]:
    return {"spring": {"stiffness": stiffness, "maximum": most, "minimum": -most}}


def steering(*, assist: bool = True, friction: float = 1.0, linear: bool = False) -> dict[str, Any]:
    """Data of the steering; ``friction`` is a factor."""
    data: dict[str, Any] = {
        "column": {"wheel_inertia": 0.035},
        "torsion_bar": {"stiffness": "2.1 N.m/deg", "damping": 0.15, "on": "upper"},
        "rack": {"mass": 2.6, "damping": 150.0},
        "friction": {"column": rubbing(60.0, 0.22 * friction), "rack": rubbing(6e5, 150.0 * friction)},
    }
    if assist:
        data["electric"] = {
            "on": "column", "current": current(linear), "torque_constant": 0.045, "ratio": 20.0, "lag": 0.003,
            "inertia": 6e-5, "lead": {"ahead": 0.02, "behind": 0.004}, "damping": 0.3,
        }  # fmt: skip
    return data


@lru_cache
def sedan(*, assist: bool = True, friction: float = 1.0, linear: bool = False) -> jv.Vehicle:
    """Cars of one structure where ``assist`` is equal."""
    return jv.load("sedan").with_(**{"steering.rack_pinion": steering(assist=assist, friction=friction, linear=linear)})
