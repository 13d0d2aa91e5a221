"""Tables of points, such as hard points of a suspension: ``name, x, y, z``, the next line may hold units.

The design frame of the reference tool of this field has x to the rear and y to the right, so that left wheels have a
negative y; ours has x forward and y to the left (docs/conventions.md). One is the other turned by half a turn about z:

    x' = -x,   y' = -y,   z' = z                                                                                    (1)

A first line ``# frame: …`` says which of the two a table is in, so that nothing is turned twice unseen.
"""

from __future__ import annotations

import csv
import io
import math
import os
from dataclasses import dataclass, replace

from jounce.core.csv_cells import read_table_text
from jounce.core.errors import FormatError, ParameterError
from jounce.core.limits import Limits, reading, shown
from jounce.core.units import dimensions
from jounce.core.writing import write_atomically

LIMITS = Limits("a table of points", size=10_000_000)
COLUMNS = ["name", "x", "y", "z"]
FRAMES = {"ours": "x forward, y left, z up", "reference": "x rearward, y right, z up"}


@dataclass(frozen=True)
class Points:
    """Points by name, in the unit of the file, and the frame they are in ("" where the table does not say)."""

    unit: str
    frame: str
    points: dict[str, tuple[float, float, float]]

    def turned(self, frame: str) -> Points:
        """The same points in the other frame (1)."""
        if frame == self.frame:
            raise FormatError(f"the points are in that frame already ({FRAMES[frame]})")
        # 0 - x, not -x: a point on the axis stays at 0, not at -0
        return replace(self, frame=frame, points={name: (0 - x, 0 - y, z) for name, (x, y, z) in self.points.items()})


def read_points(path: str | os.PathLike[str]) -> Points:
    """Read a table of points."""
    with reading(path):
        return _read(path)


def _read(path: str | os.PathLike[str]) -> Points:
    lines = list(enumerate(read_table_text(path, LIMITS).splitlines(), 1))
    told = [text.partition(":")[2].strip() for _, text in lines if text.replace(" ", "").startswith("#frame:")]
    frames = {text: name for name, text in FRAMES.items()}
    if told and told[0] not in frames:
        raise FormatError(f"{shown(path)}: frame {told[0][:80]!r} is unknown; known: {'; '.join(frames)}")
    rows = [(n, [c.strip() for c in next(csv.reader([t]))]) for n, t in lines if t.strip() and t.lstrip()[0] != "#"]
    if not rows or [cell.lower() for cell in rows[0][1]] != COLUMNS:
        raise FormatError(f"{shown(path)}: no table of points; its first line is {','.join(COLUMNS)}")
    unit = "m"
    if len(rows) > 1 and not rows[1][1][0]:
        number, cells = rows.pop(1)
        if not _is_length(*cells[1:]):
            raise FormatError(f"{shown(path)}, line {number}: units {_told(cells)}; expected one unit of length")
        unit = cells[1]
    points: dict[str, tuple[float, float, float]] = {}
    for number, cells in rows[1:]:
        where = f"{shown(path)}, line {number}"
        if len(cells) != len(COLUMNS):
            raise FormatError(f"{where}: {len(cells)} cells, expected {len(COLUMNS)} ({','.join(COLUMNS)})")
        try:
            x, y, z = (float(cell) for cell in cells[1:])
        except ValueError:
            raise FormatError(f"{where}: {_told(cells)}: expected three numbers") from None
        if not all(map(math.isfinite, (x, y, z))):
            raise FormatError(f"{where}: {_told(cells)}: not finite")
        if cells[0] in points:
            raise FormatError(f"{where}: point {cells[0][:40]!r} is given twice")
        points[cells[0]] = (x, y, z)
    return Points(unit, frames[told[0]] if told else "", points)


def _told(cells: list[str]) -> str:
    """Cells of a row in a message."""
    return ", ".join(cell[:40] for cell in cells[1:])


def _is_length(*units: str) -> bool:
    try:
        return len(set(units)) == 1 and dimensions(units[0]) == dimensions("m")
    except ParameterError:
        return False


def write_points(points: Points, path: str | os.PathLike[str]) -> None:
    """Write a table of points; numbers come back exactly."""
    text = io.StringIO()
    text.write(f"# frame: {FRAMES[points.frame]}\n" if points.frame else "")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerow(["", *3 * [points.unit]])
    writer.writerows([name, *map(repr, place)] for name, place in points.points.items())
    write_atomically(path, text.getvalue())
