"""`jounce verify`: the verification book."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jounce.core.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from jounce.verify.book import Case, Page, Row

DIGITS = 10


def verify(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="CASE", help="Cases to run; all without a name.", show_default=False)
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print a list of name, expected, measured, unit, tolerance, kind, source, ok."),
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots.", show_default=False)
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Print every check of every case.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the cases.")] = False,
) -> None:
    """Compare with closed forms, published numbers and other packages. Exit code 1 when a check fails."""
    from rich.console import Console

    from jounce.verify import book

    chosen = book.select(names or ())
    if listing:
        _list(chosen, as_json)
        return
    if html is not None:
        _check_target(html)
    pages = _compute(chosen, html, Console(stderr=True))
    if as_json:
        typer.echo(json.dumps(book.to_dicts(pages), indent=2, ensure_ascii=False))
    else:
        _print(pages, html, details)
    if not all(page.ok for page in pages):
        raise typer.Exit(1)


def _list(chosen: list[Case], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([{"name": case.name, "title": case.title} for case in chosen], indent=2))
        return
    width = max(len(case.name) for case in chosen)
    for case in chosen:
        typer.echo(f"{case.name:{width}}  {case.title}")


def _check_target(file: Path) -> None:
    """Find out before the computation, not after it, that the page cannot be written."""
    from jounce.verify.html import check_available

    check_available()
    if file.is_dir():
        raise ParameterError(f"--html {file}: is a folder; give the name of a file")
    if not file.absolute().parent.is_dir():
        raise ParameterError(f"--html {file}: the folder {file.parent} does not exist; create it first")


def _compute(chosen: list[Case], html: Path | None, console: Console) -> list[Page]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    total = len(chosen) * (2 if html is not None else 1)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total)

        def begin(title: str) -> None:
            progress.update(task, description=title)

        pages = []
        for case in chosen:
            begin(case.title)
            pages.append(case.run())
            progress.advance(task)
        if html is not None:
            from jounce.verify.html import render

            def drawing(page: Page) -> None:
                begin(f"plots: {page.case.title}")
                progress.advance(task)

            text = render(pages, drawing)
            try:
                html.write_text(text, encoding="utf-8")
            except OSError as error:
                raise ParameterError(f"--html {html}: cannot be written: {error.strerror}") from error
    return pages


def _print(pages: list[Page], html: Path | None, details: bool) -> None:
    from rich.markup import escape

    from jounce.cli._terminal import console as terminal
    from jounce.cli._terminal import show

    console = terminal()
    if details:
        for page in pages:
            show(_table(page, page.rows))
    else:
        width = max((len(page.case.name) for page in pages), default=0)
        for page in pages:
            mark = "[green]ok  [/green]" if page.ok else "[bold red]FAIL[/bold red]"
            count = f"{len(page.rows)} check{'s' if len(page.rows) != 1 else ''}"
            console.print(f"{mark}  {page.case.name:{width}}  {escape(page.case.title)} ({count})")
            if not page.ok:
                show(_table(page, [row for row in page.rows if not row.ok]))
    rows = [row for page in pages for row in page.rows]
    failed = [row for row in rows if not row.ok]
    cases = f"{len(pages)} case{'s' if len(pages) != 1 else ''}"
    if failed:
        console.print(f"[bold red]{len(failed)} of {len(rows)} checks failed[/bold red] in {cases}:")
        for row in failed:
            console.print(f"  {escape(row.name)}", soft_wrap=True)
    else:
        console.print(f"[bold green]all {len(rows)} checks pass[/bold green] in {cases}")
    if html is not None:
        console.print(f"page written to {escape(str(html))}", soft_wrap=True)


def _table(page: Page, rows: list[Row]) -> Any:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from jounce.verify.html import number_text, size_text

    title = f"[bold]{escape(page.case.title)}[/bold]  [dim]{page.case.name}[/dim]"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("check")
    for column in ("expected", "measured"):
        table.add_column(column, justify="right")
    table.add_column("unit")
    for column in ("off by", "allowed"):
        table.add_column(column, justify="right")
    table.add_column("")
    for row in rows:
        mark = "[green]ok[/green]" if row.ok else "[bold red]FAIL[/bold red]"
        label = escape(row.label)
        if row.measured is None:
            label += f"\n[red]{escape(row.source)}[/red]"
        table.add_row(
            label,
            number_text(row.expected, DIGITS),
            number_text(row.measured, DIGITS),
            "" if row.unit == "-" else row.unit,
            size_text(row.difference),
            size_text(row.tolerance),
            mark,
        )
    return table
