"""CSV: a line of names, a line of units, then numbers that come back exactly.

The metadata stand beside it in ``<name>.csv.json``, so that the table stays one that every program opens. They carry
the hash of the table they belong to, and come first: who is interrupted between the two leaves a pair that is refused.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.csv_cells import SEPARATORS, from_brackets, number_text, read_table_text, separator_of
from jounce.core.errors import FormatError
from jounce.core.limits import Limits, parse_json, read_bytes, shown
from jounce.core.writing import file_hash, replacing, write_atomically
from jounce.results.run import Run

Array = npt.NDArray[np.float64]

LIMITS = Limits("a table", size=4_000_000_000)


def write(run: Run, path: str | os.PathLike[str]) -> Path:
    """Write a run, and its metadata beside it (``a.csv`` and ``a.csv.json``)."""
    target = Path(path).expanduser()
    with replacing(target) as temporary:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["time", *run.names])
            writer.writerow(["s", *(run.unit(name) for name in run.names)])
            columns = [run.time.tolist(), *(run[name].tolist() for name in run.names)]
            file.writelines(",".join(map(repr, row)) + "\n" for row in zip(*columns, strict=True))
        note = {"table": file_hash(temporary), "metadata": run.metadata}
        write_atomically(beside(target), json.dumps(note, indent=1, ensure_ascii=False) + "\n")
    return target


def beside(path: Path) -> Path:
    """Return where the metadata of a CSV file stand."""
    return path.with_name(f"{path.name}.json")


def read(path: str | os.PathLike[str]) -> Run:
    """Read a run that `write` wrote."""
    table = load(path)
    if not table.names or table.names[0] != "time" or not table.units:
        raise FormatError(
            f"{path}: no run of jounce (its first column is 'time', its second line holds units); "
            "read it with read_run and a channel map"
        )
    metadata: dict[str, Any] = {}
    note = beside(Path(path))
    if note.exists():
        try:
            content = parse_json(read_bytes(note, LIMITS), shown(note))
            metadata, hashed = content["metadata"], content.get("table")
        except (KeyError, TypeError, AttributeError):
            raise FormatError(f"{note}: the metadata of {Path(path).name} cannot be read") from None
        if hashed is not None and hashed != file_hash(path):
            raise FormatError(
                f"{note}: belongs to other numbers than those in {Path(path).name}: its writing was interrupted, or "
                "the table was changed. Write the run again, or remove the note to read the numbers alone"
            )
    values = {name: table.values[:, k] for k, name in enumerate(table.names) if k}
    units = {name: table.units[k] or "-" for k, name in enumerate(table.names) if k}
    return Run(table.values[:, 0], values, units, metadata)


@dataclass(frozen=True)
class Table:
    """A table of numbers: names and units of its columns ("" where the file has none), rows x columns.

    ``head`` is the line of the names, ``lines`` are those of the rows.
    """

    names: list[str]
    units: list[str]
    values: Array
    head: int = 0
    lines: Sequence[int] = ()


def load(path: str | os.PathLike[str], header: str = "") -> Table:
    """Read any table of numbers: comma, semicolon or tab; decimal point or (not with commas between) decimal comma.

    With ``header``, the name of the first column, everything before the line that begins with it is left out, and
    columns may be separated by blanks alone.

    Empty lines and lines beginning with ``#`` are left out. The first line holds the names; lines that follow and hold
    no number are looked at for units, which may also stand in brackets behind the names: ``speed [km/h]``.
    """
    place = Path(path)
    text = read_table_text(place, LIMITS)
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if header:
        lines = _from_header(lines, header, place)
    if len(lines) < 2:
        raise FormatError(f"{place}: a table needs a line of names and lines of numbers; found {len(lines)} lines")
    delimiter = separator_of(lines[0][1])
    rows = [(n, [cell.strip() for cell in row]) for n, row in _split(lines, delimiter)]
    names = rows[0][1]
    if any(_number(cell, delimiter) is not None for cell in names):
        raise FormatError(f"{place}, line {rows[0][0]}: expected names of columns, found numbers")
    body = 1
    units = ["" for _ in names]
    while body < len(rows) and all(_number(cell, delimiter) is None for cell in rows[body][1] if cell):
        if body == 1 and len(rows[body][1]) == len(names):
            units = [cell.strip("[]() ") for cell in rows[body][1]]
        body += 1
    names, units = from_brackets(names, units)
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FormatError(f"{place}, line {rows[0][0]}: the column {twice!r} occurs twice")
    values = (
        _quick([line for n, line in lines if n >= rows[body][0]], delimiter, len(names)) if body < len(rows) else None
    )
    numbered = [n for n, _ in rows[body:]]
    if values is not None:
        return Table(names, units, values, rows[0][0], numbered)
    values = np.empty((len(rows) - body, len(names)))
    for k, (n, cells) in enumerate(rows[body:]):
        if len(cells) == len(names) + 1 and not cells[-1]:
            cells = cells[:-1]  # a delimiter at the end of the line
        if len(cells) != len(names):
            raise FormatError(f"{place}, line {n}: {len(cells)} values, but {len(names)} columns")
        for j, cell in enumerate(cells):
            value = _number(cell, delimiter)
            if value is None:
                raise FormatError(f"{place}, line {n}, column {names[j]!r}: {cell[:60]!r} is not a number")
            values[k, j] = value
    return Table(names, units, values, rows[0][0], numbered)


def _from_header(lines: list[tuple[int, str]], header: str, place: Path) -> list[tuple[int, str]]:
    """The lines from that of the names on, which begins with a word."""
    for k, (_, line) in enumerate(lines):
        if line.lstrip(' \t"').startswith(header):
            found = lines[k:]
            if not any(mark in line for mark in SEPARATORS):
                return [(n, "\t".join(text.split())) for n, text in found]
            return found
    raise FormatError(f"{place}: no line begins with {header!r}, the name of the first column")


def _split(lines: list[tuple[int, str]], delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader((line for _, line in lines), delimiter=delimiter)
    return [(n, row) for (n, _), row in zip(lines, reader, strict=False)]


def _quick(lines: list[str], delimiter: str, count: int) -> Array | None:
    """Numbers of a plain table by numpy's own parser; None where it finds anything unusual."""
    try:
        values: Array = np.loadtxt(lines, delimiter=delimiter, ndmin=2, comments=None)
    except ValueError:
        return None
    return values if values.shape[1] == count else None


def _number(cell: str, delimiter: str) -> float | None:
    if not cell or cell.casefold() in ("nan", "na", "null"):
        return math.nan
    if cell.casefold() in ("inf", "+inf", "-inf"):
        return float(cell)
    found = number_text(cell, delimiter)
    return None if found is None else float(found)
