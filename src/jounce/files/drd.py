"""DRD: path files. One line of column names, then rows of x, y, width, lateral inclination, speed, z.

The order of the columns is fixed, whatever the first line says; numbers are SI. ``width`` is the room of the path, the
inclination the tangent of the bank angle (positive: left side up), a speed of zero means none. Distances of points
may vary.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path as FilePath

import numpy as np
import numpy.typing as npt

from jounce.core.limits import FARTHEST, Limits, read_bytes, shown
from jounce.core.writing import write_atomically
from jounce.files.problems import Report
from jounce.files.property_file import NUMBER, decode, format_value, to_number
from jounce.road.path import Path

Array = npt.NDArray[np.float64]
COLUMNS = ("x-coord", "y-coord", "width", "lat.inc", "speed", "z-coord")
LIMITS = Limits("a path", size=500_000_000)


@dataclass(frozen=True)
class DrdFile:
    """The rows of a path file, SI."""

    rows: Array  # (n, 6) in the order of COLUMNS
    name: str = ""
    report: Report = field(default_factory=lambda: Report(""))

    def path(self, *, step: float | None = None, closed: bool | None = None) -> Path:
        """The path through the points; closed when its ends are as near as neighbours, unless said."""
        x, y, width, bank, speed, z = self.rows.T
        half = 0.5 * width if np.any(width > 0) else None
        return Path.from_points(
            np.column_stack([x, y, z]),
            closed=closed,
            step=step,
            left=half,
            right=half,
            bank=bank if np.any(bank != 0) else None,
            speed=speed if np.any(speed != 0) else None,
            name=self.name,
        )

    @property
    def s(self) -> Array:
        """Way from point to point in space, m."""
        p = self.rows[:, [0, 1, 5]]
        return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])


def read_text(path: str | FilePath, limits: Limits = LIMITS) -> str:
    """The text of a file within the limits of its format."""
    return decode(read_bytes(path, limits), shown(path))


def read_drd(path: str | FilePath) -> DrdFile:
    return parse_drd(read_text(path), str(path))


def parse_drd(text: str, path: str = "") -> DrdFile:
    """Read a text; raises a FormatError that lists everything that cannot be read."""
    report = Report(path or "(text)")
    rows: list[list[float]] = []
    lines = text.splitlines()
    head = next((line for line in lines if line.strip()), "")
    if not head.lstrip().startswith("#"):
        report.warning(1, "", "the first line does not name the columns; the usual order is taken")
    else:
        names = head.lstrip("# \t").lower().split()
        if len(names) == 6 and [n[0] for n in names] != [n[0] for n in COLUMNS]:
            report.warning(1, "", f"the first line names {' '.join(names)}; the order is always {' '.join(COLUMNS)}")
    for number, line in enumerate(lines, 1):
        words = line.split("#", 1)[0].replace(",", " ").split()
        if not words:
            continue
        if len(words) != 6 or any(NUMBER.fullmatch(w) is None for w in words):
            report.error(number, "", f"found {line.strip()[:60]!r}; expected six numbers: {' '.join(COLUMNS)}")
            continue
        values = [to_number(w) for w in words]
        if not all(map(math.isfinite, values)) or max(map(abs, values)) > FARTHEST:
            report.error(number, "", f"found a number that is too large: {max(map(abs, values)):g}")
        elif values[2] < 0 or values[4] < 0:
            report.error(number, "", "found a negative width or speed")
        elif rows and values[:2] == rows[-1][:2]:
            report.error(number, "", "found the same point twice")
        else:
            rows.append(values)
    if len(rows) < 2 and not report.errors:
        report.error(0, "", f"found {len(rows)} points; a path needs at least two")
    report.raise_if_errors()
    return DrdFile(np.array(rows), FilePath(path).stem, report)


def path_rows(path: Path) -> Array:
    """The rows of a path."""
    n = len(path.s)

    def column(values: Array | None) -> Array:
        return np.zeros(n) if values is None else values

    width = np.zeros(n) if path.width is None else path.width
    return np.column_stack([path.x, path.y, width, column(path.bank), column(path.speed), path.z])


def drd_text(path: Path) -> str:
    rows = path_rows(path)
    body = "\n".join(" ".join(format_value(float(v)) for v in row) for row in rows)
    return f"# {' '.join(COLUMNS)}\n{body}\n"


def write_drd(path: Path, target: str | FilePath) -> None:
    write_atomically(target, drd_text(path))
