"""Drive cycles: speed over time, from a table (CSV) or from the library by name.

A line of names, among them ``time`` and ``speed``, a line of units, or units in brackets behind the names, then
numbers. Between the rows the speed is linear.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jounce.core.csv_cells import from_brackets, number_text, read_table_text, separator_of
from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.library import LIBRARY
from jounce.core.limits import Limits, is_file, reading
from jounce.core.units import convert

Array = npt.NDArray[np.float64]

LIMITS = Limits("a drive cycle", size=20_000_000)
KMH, MPH = 1 / 3.6, 0.44704  # m/s
AMERICAN = ("udds", "hwfet", "us06")  # whose tolerance is in miles per hour
COLUMNS = {"time": "s", "speed": "m/s"}


@dataclass(frozen=True)
class DriveCycle:
    """Speed over time, with the tolerance of its rules."""

    name: str
    time: Array  # s
    speed: Array  # m/s
    tolerance: float  # m/s


def library_cycles() -> dict[str, Path]:
    """Cycles of the shipped library: name -> file."""
    return {p.stem: p for p in sorted((LIBRARY / "cycles").glob("*.csv"))}


def load_cycle(source: str | os.PathLike[str]) -> DriveCycle:
    """A cycle from a file (.csv), or from the library by its name."""
    text = os.fspath(source)
    known = library_cycles()
    path = known.get(text, Path(text).expanduser())
    if not is_file(path):
        raise ParameterError(
            f"cycle {text!r}: no such file, and not in the library{did_you_mean(text, known)}; "
            f"the library has {', '.join(known)}"
        )
    with reading(path):
        time, speed = _parsed(path, read_table_text(path, LIMITS))
    tolerance = 2 * (MPH if path.stem.lower() in AMERICAN else KMH)
    return DriveCycle(path.stem, time, speed, tolerance)


@functools.lru_cache(maxsize=8)
def _parsed(path: Path, text: str) -> tuple[Array, Array]:
    """Times and speeds; a run asks for its cycle several times, and the same text is read once."""
    lines = [(i + 1, line) for i, line in enumerate(text.splitlines()) if line.strip()]
    if not lines:
        raise FormatError(f"{path}: empty; expected a table with the columns time and speed")
    separator = separator_of(lines[0][1])
    cells = [(number, [c.strip() for c in line.split(separator)]) for number, line in lines]
    names = cells[0][1]
    units, first = [""] * len(names), 1
    if len(cells) > 1 and not any(number_text(c, separator) for c in cells[1][1]):
        units, first = cells[1][1], 2
        if len(units) != len(names):
            raise FormatError(f"{path}, line {cells[1][0]}: {len(units)} units for {len(names)} columns")
    names, units = from_brackets(names, units)
    columns: dict[str, Array] = {}
    for wanted, unit in COLUMNS.items():
        if wanted not in names:
            raise FormatError(f"{path}, line {cells[0][0]}: found the columns {', '.join(names)}; expected {wanted!r}")
        at = names.index(wanted)
        values, known = [], {}  # numbers of a table come again and again
        for number, row in cells[first:]:
            found = number_text(row[at], separator) if at < len(row) else None
            if found is None:
                shown = row[at] if at < len(row) else "nothing"
                raise FormatError(f"{path}, line {number}: {wanted}: found {shown[:80]!r}, expected a number")
            if found not in known:
                try:
                    known[found] = convert(float(found), units[at] or unit, unit)
                except ParameterError as why:
                    raise FormatError(f"{path}, line {number}: {wanted}: {why}") from None
            values.append(known[found])
        columns[wanted] = np.array(values)
    time, speed = columns["time"], columns["speed"]
    if len(time) < 2:
        raise FormatError(f"{path}: {len(time)} rows; a cycle needs two at least")
    endless = np.flatnonzero(~(np.isfinite(time) & np.isfinite(speed)))
    if len(endless):
        raise FormatError(f"{path}, line {cells[first + int(endless[0])][0]}: a number without end")
    late = np.flatnonzero(np.diff(time) <= 0)
    if len(late):
        raise FormatError(f"{path}, line {cells[first + int(late[0]) + 1][0]}: time: does not grow from the row before")
    back = np.flatnonzero(speed < 0)
    if len(back):
        raise FormatError(f"{path}, line {cells[first + int(back[0])][0]}: speed: below zero; a cycle runs forwards")
    time = time - time[0]
    for column in (time, speed):
        column.setflags(write=False)
    return time, speed
