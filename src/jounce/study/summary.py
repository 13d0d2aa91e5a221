"""Summaries of a plan: ``summary.json`` for programs, ``summary.csv`` for spreadsheets, ``index.html`` for people.

They tell nothing of the time that was needed, nor of where the folder stands: two runs of a plan give equal files.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.core.errors import FormatError
from jounce.core.limits import Limits, parse_json, read_bytes, shown
from jounce.core.writing import write_atomically
from jounce.study.tolerance import Tolerance, read_tolerances

if TYPE_CHECKING:
    from jounce.study.plan import Item, Plan

SUMMARY = "summary.json"
TABLE = "summary.csv"
PAGE = "index.html"
LIMITS = Limits("a summary of a plan", size=500_000_000)
TOLD = ("run", "event", "kind", "vehicle", "variation", "changes", "status", "reason", "verdict",
        "verdict_reason", "figures", "ranges", "warnings")  # fmt: skip

Record = Mapping[str, Any]


def write(
    folder: Path, plan: Plan, items: Sequence[Item], records: Sequence[Record | None], remarks: Sequence[str]
) -> None:
    """Write all summaries of a folder."""
    from jounce.study.page import render

    rows = [_row(item, record) for item, record in zip(items, records, strict=True)]
    head = {
        "plan": plan.name,
        "tolerances": _told(plan.tolerances),
        "made": _environments(records),
        "remarks": list(remarks),
    }
    with _replacing(folder / SUMMARY) as file:  # row by row: ten thousand runs need no text of their own in memory
        file.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "runs": [\n')
        for k, row in enumerate(rows):
            file.write(json.dumps(row, ensure_ascii=False) + (",\n" if k < len(rows) - 1 else "\n"))
        file.write("]}\n")
    _table(folder / TABLE, rows)
    write_atomically(folder / PAGE, render(head, rows))


def _replacing(path: Path) -> Any:
    import contextlib

    from jounce.core.writing import replacing

    @contextlib.contextmanager
    def opened() -> Any:
        with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
            yield file

    return opened()


def _row(item: Item, record: Record | None) -> dict[str, Any]:
    if record is not None:
        return {name: record.get(name) for name in TOLD} | {"files": sorted(record["files"])}
    row: dict[str, Any] = dict.fromkeys(TOLD)
    row |= {"run": item.name, "event": item.event, "kind": item.kind, "vehicle": item.vehicle}
    row |= {"variation": item.variation, "changes": {name: str(value) for name, value in item.case.changes.items()}}
    return row | {"status": "not run", "reason": "", "figures": {}, "ranges": {}, "warnings": [], "files": []}


def _environments(records: Sequence[Record | None]) -> list[dict[str, str]]:
    found = {json.dumps(record["made"], sort_keys=True): record["made"] for record in records if record is not None}
    return [dict(found[key]) for key in sorted(found)]


def _told(tolerances: Sequence[Tolerance]) -> dict[str, Any]:
    return {item.figure: {"absolute": item.absolute, "relative": item.relative} for item in tolerances}


def _table(path: Path, rows: Sequence[Record]) -> None:
    """A line per run: what was changed, how it ended, its key figures; an empty cell is no number."""
    changed = list(dict.fromkeys(name for row in rows for name in row["changes"]))
    figures = list(dict.fromkeys((name, unit) for row in rows for name, (_, unit) in row["figures"].items()))
    with _replacing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        heads = [f"{name} [{unit}]" for name, unit in figures]
        writer.writerow(["run", "event", "vehicle", "variation", *changed, "status", "reason", "verdict", *heads])
        for row in rows:
            own = {(name, unit): value for name, (value, unit) in row["figures"].items()}
            numbers = [own.get(key) for key in figures]
            writer.writerow(
                [row["run"], row["event"], row["vehicle"], row["variation"]]
                + [row["changes"].get(name, "") for name in changed]
                + [row["status"], row["reason"], row["verdict"] or ""]
                + ["" if value is None else repr(float(value)) for value in numbers]
            )


def read_summary(place: str | os.PathLike[str]) -> dict[str, Any]:
    """The summary of a folder of results, or of its file ``summary.json``."""
    path = Path(place)
    file = path / SUMMARY if os.path.isdir(path) else path
    try:
        data: dict[str, Any] = parse_json(read_bytes(file, LIMITS), shown(file))
    except FormatError as problem:
        raise FormatError(f"{problem}; expected results of jounce plan run") from None
    runs = data.get("runs") if isinstance(data, dict) else None
    if not isinstance(runs, list) or not all(isinstance(row, dict) and "run" in row for row in runs):
        raise FormatError(f"{file}: no summary of a plan; expected the key 'runs' with its runs")
    return data


def tolerances_of(summary: Mapping[str, Any], where: str) -> list[Tolerance]:
    """Tolerances that a summary carries."""
    return read_tolerances(summary.get("tolerances") or None, where)


def as_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a table of text."""
    if not rows:
        return ""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    text = io.StringIO()
    for row in rows:
        line = "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True))
        text.write(line.rstrip() + "\n")
    return text.getvalue().rstrip("\n")
