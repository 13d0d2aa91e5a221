"""Library cars with a torque at the wheels instead of their drivelines: for tests that mean a plain car."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jounce.vehicle as jv

REAR, FRONT = {"L2": 0.5, "R2": 0.5}, {"L1": 0.5, "R1": 0.5}
TCS = {"tcs": {"threshold": "8 %", "gain": 12}}
DRIVES: dict[str, dict[str, Any]] = {
    "compact": FRONT | TCS | {"max_torque": "1200 N.m"},
    "sedan": REAR | TCS | {"max_torque": "2150 N.m"},
    "suv": dict.fromkeys(("L1", "R1", "L2", "R2"), 0.25) | TCS | {"max_torque": "2500 N.m"},
    "sports": REAR | TCS | {"max_torque": "3850 N.m"},
    "light_truck": REAR | TCS | {"max_torque": "2450 N.m"},
    "formula": REAR | {"max_torque": "1900 N.m"},
}


@lru_cache
def ideal(name: str) -> jv.Vehicle:
    """A car of the library with an ideal drive at the same wheels."""
    return jv.load(name).with_(driveline=None, drive=DRIVES[name])
