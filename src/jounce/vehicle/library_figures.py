"""Key figures of the library's cars, computed once by tools/make_figures.py and kept beside them."""

from __future__ import annotations

import hashlib
import json
import re
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
    """Of all files that a car of the library consists of: those it is read from, its driveline and its tires."""
    vehicle = load(car) if isinstance(car, str) else car
    folder = LIBRARY / "vehicles" / vehicle.name
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in (".yaml", ".csv")]
    source = vehicle._source
    assert source is not None
    files += sorted({item.path for item in source.files if folder not in item.path.parents})  # of another car
    named = re.search(r"^driveline: (\w+)", source.files[0].text, re.MULTILINE)
    if named is not None:
        files.append(LIBRARY / "drivelines" / f"{named[1]}.yaml")
    wheels = [vehicle.wheels(axle.number) for axle in vehicle.layout.axles]
    tires = {tire.path for wheel in wheels for tire in (wheel.tire, wheel.twin and wheel.twin.tire) if tire}
    total = hashlib.sha256()
    for path in [*files, *sorted(tires)]:
        total.update(path.read_text(encoding="utf-8").encode())
    return total.hexdigest()[:16]
