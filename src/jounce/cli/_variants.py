"""`jounce run --variants`: a table of changes (`jounce.study.variants`), one row a run."""

from __future__ import annotations

import csv
import io
import math
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from jounce.core.errors import FormatError, JounceError
from jounce.core.writing import write_atomically
from jounce.study.variants import Row, read_variants

if TYPE_CHECKING:
    from jounce.results.run import Run

SUMMARY = "summary.csv"


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
    with ProgressBar(event.title, len(cases)) as progress:
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


class ProgressBar:
    """A bar on the terminal; nothing where there is none."""

    def __init__(self, title: str, total: int) -> None:
        self._bar: Any = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(title, total=total)

    def __enter__(self) -> ProgressBar:
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
