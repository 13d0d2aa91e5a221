"""Speeds over a station or over time, for drivers: a CSV file with a header of two columns.

    s, v      station in m, speed in m/s
    t, v      time in s, speed in m/s

The first column ascends. Empty lines and lines that begin with # are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError
from jounce.core.limits import Limits, is_file, read_utf8, reading

Array = npt.NDArray[np.float64]

LIMITS = Limits("a file of speeds", size=20_000_000)


@dataclass(frozen=True)
class Speeds:
    """Speeds over a station (s, m) or over time (t, s)."""

    over: Literal["s", "t"]
    along: Array
    speed: Array  # m/s


def read_speeds(source: str | Path) -> Speeds:
    """Read a file of speeds."""
    place = Path(source)
    if not is_file(place):
        raise ParameterError(f"speeds {str(source)!r}: no such file; expected a number, 'path' or a CSV file")
    with reading(place):
        return parse_speeds(read_utf8(place, LIMITS), str(place))


def parse_speeds(text: str, path: str = "") -> Speeds:
    """Speeds from text; raises a FormatError that says where it is wrong."""
    rows: list[tuple[float, float]] = []
    over = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = [word.strip() for word in line.split(",")]
        where = f"{path}:{number}"
        if not over:
            if len(words) != 2 or words[0] not in ("s", "t") or words[1] != "v":
                raise FormatError(f"{where}: found the header {line.strip()[:80]!r}; expected 's,v' or 't,v'")
            over = words[0]
            continue
        try:
            along, speed = (float(word) for word in words)
        except ValueError:
            raise FormatError(f"{where}: found {line.strip()[:80]!r}; expected two numbers") from None
        if not (math.isfinite(along) and math.isfinite(speed) and speed >= 0):
            raise FormatError(f"{where}: {over} = {along:g}, v = {speed:g}; must be finite, speeds 0 or more")
        if rows and along <= rows[-1][0]:
            raise FormatError(f"{where}: {over} = {along:g} after {rows[-1][0]:g}; must ascend")
        rows.append((along, speed))
    if len(rows) < 2:
        raise FormatError(f"{path}: found {len(rows)} rows of speeds; at least 2 are needed")
    table = np.array(rows)
    return Speeds("s" if over == "s" else "t", table[:, 0], table[:, 1])
