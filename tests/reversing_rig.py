"""A car with a gearbox and a caravan, for reversing: no two numbers are alike."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path as FilePath

import jounce.vehicle as jv
from axle_lists import vehicle_of
from jounce.core.fields import to_raw
from jounce.files.drd import write_drd
from jounce.road.path import Path
from jounce.vehicle.reading import load
from trains import trailer

SPEED = -2.2  # m/s, at which its engine does not stall
LOCK = 8.0  # rad


@lru_cache
def caravan() -> jv.Vehicle:
    towed = trailer()
    towed["body"]["cg"]["x"] = -3.71
    return vehicle_of({**to_raw(load("compact")), "name": "car and caravan", "trailers": [towed]})


def bend(folder: FilePath, side: float = 1.0, radius: float = 9.3, turn: float = 90.0) -> str:
    """Straight, a turn with short clothoids, straight."""
    arc = math.radians(turn) * radius
    run_in, eased = 15.0, 3.0
    s = [0, run_in, run_in + eased, run_in + arc, run_in + arc + eased, run_in + arc + 35.0]
    k = side / radius
    write_drd(Path.from_curvature(s, [0, 0, k, k, 0, 0], step=0.25), folder / "bend.drd")
    return str(folder / "bend.drd")
