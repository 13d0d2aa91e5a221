"""Tables of changes, one row a run.

    name,front_suspension.spring.rate,event.speed
    soft,25 N/mm,80 km/h
    stiff,35 N/mm,

Columns are paths of the vehicle, or ``event.`` and a parameter of the event; an empty cell changes nothing. A YAML file
has a list of mappings with the same keys.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError
from jounce.core.limits import read_utf8, reading
from jounce.core.yaml_files import LIMITS, read_mappings

NAME = "name"
EXPECTED = "expected a list of mappings, each with paths of the vehicle or 'event.' and a parameter"


@dataclass(frozen=True)
class Row:
    """One run of a table: its changes, and where they stand."""

    line: int
    name: str
    changes: dict[str, Any]


def read_variants(path: Path) -> list[Row]:
    """Read a table of changes, .csv or .yaml; what is wrong with it is told with line and column."""
    with reading(path):
        rows = _from_yaml(path) if path.suffix.lower() in (".yaml", ".yml") else _from_csv(path)
    if not rows:
        raise FormatError(f"{path}: no rows; expected a line of paths, then a line for every run")
    return rows


def _from_yaml(path: Path) -> list[Row]:
    rows = []
    for entry in read_mappings(path, EXPECTED):
        changes = {str(key): value for key, value in entry.items() if key != NAME and value is not None}
        rows.append(Row(entry.lc.line + 1, str(entry.get(NAME) or ""), changes))
    return rows


def _from_csv(path: Path) -> list[Row]:
    text = read_utf8(path, LIMITS)
    separator = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    head: list[str] = []
    rows: list[Row] = []
    for cells in reader:
        values = [cell.strip() for cell in cells]
        if not any(values) or values[0].startswith("#"):
            continue
        line = reader.line_num
        if not head:
            head = values
            _check_head(path, line, head)
            continue
        if len(values) > len(head):
            raise FormatError(f"{path}, line {line}: {len(values)} cells, but {len(head)} columns in the first line")
        found = {name: value for name, value in zip(head, values, strict=False) if value}
        rows.append(Row(line, found.pop(NAME, ""), found))
    return rows


def _check_head(path: Path, line: int, head: Sequence[str]) -> None:
    for k, name in enumerate(head):
        if not name:
            raise FormatError(f"{path}, line {line}, column {k + 1}: no name; expected a path such as 'body.mass'")
        if name in head[:k]:
            raise FormatError(f"{path}, line {line}, column {k + 1}: {name!r} stands there twice")
