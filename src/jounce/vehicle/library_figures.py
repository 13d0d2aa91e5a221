"""Key figures of the library's cars, computed once by tools/make_figures.py and kept beside them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from jounce.core.library import LIBRARY
from jounce.vehicle.reading import load
from jounce.vehicle.schema import Vehicle

FILE = LIBRARY / "figures.json"


def stored() -> dict[str, dict[str, Any]]:
    """By car: the hash of its files, and its figures in the units of the ranges of its class."""
    data: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return data


def hash_of(car: str | Vehicle) -> str:
    """Of all files that a car of the library consists of: those in its folder, its driveline and its tires."""
    vehicle = load(car) if isinstance(car, str) else car
    folder = LIBRARY / "vehicles" / vehicle.name
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in (".yaml", ".csv")]
    if vehicle.driveline is not None:
        files.append(LIBRARY / "drivelines" / f"{vehicle.name}.yaml")
    tires = sorted({vehicle.wheels(axle).tire.path for axle in (1, 2)})
    total = hashlib.sha256()
    for path in [*files, *tires]:
        total.update(path.read_text(encoding="utf-8").encode())
    return total.hexdigest()[:16]
