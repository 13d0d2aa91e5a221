"""Small cars for the suspension rig: one axle whose wheels rub and give way, with two wheels or one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from jounce.rigs.suspension_rig import SuspensionRig

# N and N/m of the element, its ratio; the right side has less
FRICTION = {"kind": "friction", "force": 83.0, "stiffness": 9e4, "ratio": 0.9, "right": {"force": 61.0}}
LIMITS = {"L1": 83.0, "R1": 61.0}
# rad/N, rad/(N m), m/N of the left wheel
GIVES: dict[str, Any] = {
    "x": {"fx": 2.9e-6},
    "y": {"fy": 0.57e-6},
    "toe": {"fx": 0.6e-6, "fy": 1.55e-6, "mz": -7.3e-5},
    "camber": {"fy": -5.3e-6},
}


def small_car(single: bool = False) -> jv.Vehicle:
    """The body of the compact over its front axle alone."""
    raw = one_axle()
    axle = raw["axles"][0]
    friction = {key: value for key, value in FRICTION.items() if not (single and key == "right")}
    axle["suspension"] |= {"elements": [friction], "compliance": GIVES}
    if single:
        axle.pop("steering")
        axle["suspension"] |= {"anti_roll_bar": None, "auxiliary_anti_roll": None}
        axle |= {"single": True}
        raw["drive"] = {"L1": 1.0, "max_torque": 1730.0}
    return vehicle_of(raw)


@lru_cache
def small_rig(single: bool = False) -> SuspensionRig:
    """One rig for all tests of a process; reset it before use."""
    return SuspensionRig(small_car(single), radius="design")
