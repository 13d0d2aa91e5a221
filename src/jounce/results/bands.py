"""Tolerance bands of a comparison as a file, as ISO 19364 (steady circle), ISO 19365 (sine with dwell) and ISO 22140
(weave, transition) surround simulated curves; `jounce.results.compare` has the equation.

    # over lateral acceleration: steady-state curves
    driver_demands.steering: {x: System_Mass_Center.Tracking_Ay, across: 0.1 m/s2, relative: 5 %}
    # over time: what follows a given steering
    chassis_velocities.yaw: {absolute: 1 deg/s, relative: 5 %, across: 20 ms}

``absolute`` is a half width along y, ``relative`` a share of the largest |y| that is added, ``across`` a half width
along x, ``x`` the channel the band lies over (time where it is absent). Widths are those of the standard at hand, or
one's own: none is assumed, and a band without width is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError, JounceError, did_you_mean
from jounce.core.limits import reading
from jounce.core.units import parse
from jounce.core.yaml_files import read_mapping
from jounce.results.compare import Band

KEYS = ("absolute", "relative", "across", "x")
EXPECTED = "expected channels with their bands, such as 'chassis_velocities.yaw: {absolute: 1 deg/s}'"


def read_bands(path: Path) -> dict[str, Band]:
    """Read bands by channel; what is wrong is told with file and line."""
    with reading(path):
        document = read_mapping(path, EXPECTED)
    if not document:
        raise FormatError(f"{path}: no bands; {EXPECTED}")
    return {str(name): _band(str(name), value, _where(path, document, name)) for name, value in document.items()}


def _where(path: Path, document: Any, name: Any) -> str:
    return f"{path}, line {document.lc.data[name][0] + 1}"


def _band(name: str, value: Any, where: str) -> Band:
    if not isinstance(value, Mapping):
        raise FormatError(f"{where}: {name}: found {value!r}; expected keys of {', '.join(KEYS)}")
    for key in value:
        if key not in KEYS:
            raise FormatError(f"{where}: {name}: {key!r} is unknown{did_you_mean(str(key), KEYS)}")
    if not any(key in value for key in ("absolute", "relative", "across")):
        raise FormatError(f"{where}: {name}: no width; give absolute, relative or across")
    try:
        share = parse(value.get("relative", 0.0), "-", "relative")
    except JounceError as problem:
        raise FormatError(f"{where}: {name}: {problem}") from None
    if share < 0:
        raise FormatError(f"{where}: {name}: relative = {value['relative']}: must be 0 or more")
    widths = {key: value[key] for key in ("absolute", "across") if key in value}
    widths = {key: str(item) if isinstance(item, str) else float(item) for key, item in widths.items()}
    return Band(relative=share, x=str(value.get("x", "time")), **widths)
