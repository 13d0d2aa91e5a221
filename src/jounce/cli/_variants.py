"""`jounce run --variants`: a table of changes, one row a run.

    name,front_suspension.spring.rate,event.speed
    soft,25 N/mm,80 km/h
    stiff,35 N/mm,

Columns are paths of the vehicle, or ``event.`` and a parameter of the event; an empty cell changes nothing. A YAML file
has a list of mappings with the same keys.
"""

from __future__ import annotations

import csv
import io
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from jounce.core.errors import FormatError, JounceError
from jounce.core.limits import read_utf8, reading
from jounce.core.writing import write_atomically
from jounce.core.yaml_files import LIMITS, read_mappings

if TYPE_CHECKING:
    from jounce.results.run import Run

NAME = "name"
EXPECTED = "expected a list of mappings, each with paths of the vehicle or 'event.' and a parameter"
SUMMARY = "summary.csv"


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


def cases_of(path: Path, vehicle: Any, event: Any, common: Mapping[str, Any]) -> tuple[list[Row], list[Any]]:
    """Rows of a table and the cases they mean; every change is tried before anything runs."""
    from jounce.events.batch import Case

    rows = read_variants(path)
    cases = []
    for row in rows:
        case = Case(vehicle, event, {**common, **row.changes}, name=row.name)
        try:
            case.parts()
        except JounceError as problem:
            raise FormatError(f"{path}, line {row.line}{_column(vehicle, event, row)}: {problem}") from None
        cases.append(case)
    return rows, cases


def _column(vehicle: Any, event: Any, row: Row) -> str:
    """The column whose cell is refused on its own; nothing where only the whole row is."""
    from jounce.events.batch import Case

    for name, value in row.changes.items():
        try:
            Case(vehicle, event, {name: value}).parts()
        except JounceError:
            return f", column {name!r}"
    return ""


def drive_variants(
    path: Path, vehicle: Any, event: Any, common: Mapping[str, Any], out: Path | None, options: Mapping[str, Any]
) -> tuple[Path, list[Run]]:
    """Drive all rows of a table on all cores; write a folder for each, and a summary."""
    from jounce.events.batch import batch

    rows, cases = cases_of(path, vehicle, event, common)
    target = out if out is not None else Path(f"{path.stem}_runs")
    with _Progress(event.title, len(cases)) as progress:
        runs = batch(cases, progress=progress, **options)
    width = max(3, len(str(len(runs))))
    folders = [f"{k:0{width}d}{_slug(row.name)}" for k, row in enumerate(rows, 1)]
    for run, folder in zip(runs, folders, strict=True):
        if len(run):
            run.save(target / folder)
    target.mkdir(parents=True, exist_ok=True)
    write_atomically(target / SUMMARY, _summary(rows, runs, folders, common).encode())
    return target, runs


def _slug(name: str) -> str:
    """A name as the end of a folder's name."""
    plain = re.sub(r"[^\w.+-]+", "_", name).strip("_.")
    return f"_{plain}" if plain else ""


def _summary(rows: Sequence[Row], runs: Sequence[Run], folders: Sequence[str], common: Mapping[str, Any]) -> str:
    """A line per run: what was changed, how it ended, its key figures."""
    changed = list(dict.fromkeys([*common, *(name for row in rows for name in row.changes)]))
    units = {name: unit for run in runs if len(run) for name, (_, unit) in run.kpis.items()}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    figures = [f"{name} [{unit}]" for name, unit in units.items()]
    writer.writerow(["run", "name", *changed, "status", "reason", *figures])
    for row, run, folder in zip(rows, runs, folders, strict=True):
        values = {**common, **row.changes}
        kpis = run.kpis if len(run) else {}
        numbers = [kpis.get(name, (math.nan, ""))[0] for name in units]
        cells = [repr(float(x)) if math.isfinite(x) else "" for x in numbers]
        writer.writerow([folder, row.name, *(values.get(n, "") for n in changed), run.status, run.reason, *cells])
    return text.getvalue()


class _Progress:
    """A bar on the terminal; nothing where there is none."""

    def __init__(self, title: str, total: int) -> None:
        self._bar: Any = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(title, total=total)

    def __enter__(self) -> _Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __call__(self, done: int, _total: int) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=done)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def print_variants(folder: Path, runs: Sequence[Run], as_json: bool) -> None:
    """What came out, in some lines or as JSON."""
    import json

    bad = [run for run in runs if not run.complete]
    if as_json:
        entries = [
            {
                "name": run.metadata.get("label", ""),
                "parameters": run.metadata.get("parameters", {}),
                "status": run.status,
                "reason": run.reason,
                "kpis": {
                    name: {"value": value if math.isfinite(value) else None, "unit": unit}
                    for name, (value, unit) in (run.kpis if len(run) else {}).items()
                },
            }
            for run in runs
        ]
        typer.echo(json.dumps({"folder": str(folder), "runs": entries}))
        return
    typer.echo(f"{len(runs)} runs, {len(runs) - len(bad)} complete: {folder / SUMMARY}")
    for k, run in enumerate(runs, 1):
        if not run.complete:
            typer.echo(f"run {k} {run.metadata.get('label', '')}".rstrip() + f": {run.reason}")
