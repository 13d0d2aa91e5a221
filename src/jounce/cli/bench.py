"""`jounce bench`: speed on this machine."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from jounce.bench.run import Row


def bench(
    as_json: Annotated[bool, typer.Option("--json", help="Print name, value, unit, budget, limit, ok.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the peer and the growth with size.")] = False,
) -> None:
    """Measure speed: evaluations, steps, × real time, build times, growth with size, next to a peer."""
    from rich.console import Console

    from jounce.bench.run import run_bench

    console = Console(stderr=True)
    with console.status("measuring") as status:
        rows = run_bench(quick=quick, progress=lambda text: status.update(text))
    if as_json:
        typer.echo(json.dumps([_plain(row) for row in rows], indent=2, ensure_ascii=False))
    else:
        _print(rows)
    missed = [row for row in rows if not row.ok]
    if missed:
        if not as_json:
            typer.echo("budget missed: " + "; ".join(row.name for row in missed), err=True)
        raise typer.Exit(1)


def _plain(row: Row) -> dict[str, object]:
    data = row.to_dict()
    if math.isnan(row.value):
        data["value"] = None  # JSON has no nan
    return data


def _print(rows: list[Row]) -> None:
    from rich.table import Table

    from jounce.cli._terminal import show

    table = Table(title="jounce bench", title_justify="left")
    table.add_column("figure", overflow="fold")
    for column in ("value", "unit", "budget"):
        table.add_column(column, justify="right" if column != "unit" else "left", no_wrap=True)
    table.add_column("")
    table.add_column("note", overflow="fold", style="dim")
    for row in rows:
        budget = "" if row.budget is None else f"{row.limit} {row.budget:g}".strip()
        mark = "" if row.budget is None else ("[green]ok[/green]" if row.ok else "[red]missed[/red]")
        table.add_row(row.name, _number(row.value), "" if row.unit == "-" else row.unit, budget, mark, row.note)
    show(table)


def _number(value: float) -> str:
    if math.isnan(value):
        return "–"
    if value == int(value) and value >= 100:
        return f"{int(value)}"
    return f"{value:.4g}" if value < 1000 else f"{value:.0f}"
