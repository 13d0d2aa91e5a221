"""What `jounce run` and `jounce compare` share: events by name or file, progress, figures on the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import typer

ENOUGH = 1e-3  # relative change of a key figure by a halved step that is not remarked


def event_of(name: str, preset: str, changes: Mapping[str, Any]) -> Any:
    """An event by name, or from a file (YAML, VDF, SDF, DCF, XML), changed."""
    from jounce import events
    from jounce.core.limits import reading

    path = Path(name)
    if path.suffix.lower() in (".vdf", ".sdf", ".dcf", ".xml"):
        return events.find("manoeuvre")(file=name, **changes)
    if path.suffix.lower() in (".yaml", ".yml"):
        from jounce.events.manoeuvre_files import from_yaml, is_manoeuvre, read_yaml

        with reading(path):
            data = read_yaml(path)
            if is_manoeuvre(data):
                made, rest = from_yaml(data, path)
                return events.find("manoeuvre")(**{"file": name, "manoeuvre": made, **rest, **changes})
            return events.Event.from_dict({**data, **changes})
    kind = events.find(name)
    return kind.preset(preset, **changes) if preset else kind(**changes)


def with_progress(event: Any, *, quiet: bool, function: Callable[[Any], Any]) -> Any:
    """Call a function that takes a progress callback: a line while a model is built, a bar while it runs."""
    if quiet or not sys.stderr.isatty():
        return function(None)
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from jounce.cli._terminal import waiting

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    task = progress.add_task(event.title, total=None, visible=False)
    with waiting(f"{event.title}: building the model (a new structure takes a while), finding the start") as done:

        def call(now: float, end: float) -> None:
            done()
            progress.start()
            progress.update(task, completed=now, total=end, visible=True)

        try:
            return function(call)
        finally:
            progress.stop()


def halved(drive: Any, vehicle: Any, result: Any, options: Mapping[str, Any]) -> dict[str, float]:
    """Relative change of every key figure when the step is halved; the event as it was prepared."""
    from jounce.core.units import parse
    from jounce.events import Event

    event = result.metadata["event"]
    values = {name: value for name, (value, _) in event["parameters"].items()}
    again = drive(
        vehicle,
        Event.from_dict({"event": event["kind"], **values}),
        **{**options, "step": parse(options["step"], "s") / 2},
    )
    finer = again.kpis
    changes = {}
    for name, (value, _) in result.kpis.items():
        other = finer.get(name, (math.nan, ""))[0]
        if math.isfinite(value) and math.isfinite(other):
            changes[name] = abs(value - other) / max(abs(other), 1e-12)
    return changes


def summary(
    result: Any, changes: Mapping[str, Any], files: Mapping[str, str], seconds: float, check: Mapping[str, float] | None
) -> dict[str, Any]:
    """The result as plain data."""
    meta = result.metadata
    vehicle, event = meta.get("vehicle", {}), meta.get("event", {})
    figures = {
        name: {"value": value if math.isfinite(value) else None, "unit": unit}
        for name, (value, unit) in result.kpis.items()
    }
    data = {
        "vehicle": vehicle.get("name", ""),
        "event": event.get("kind", ""),
        "parameters": {**event.get("parameters", {}), **{k: str(v) for k, v in changes.items()}},
        "status": meta["status"],
        "reason": meta.get("reason", ""),
        "verdict": result.verdict.word or None,
        "verdict_reason": result.verdict.reason,
        "criteria": result.verdict.to_dict()["criteria"],
        "kpis": figures,
        "warnings": list(dict.fromkeys((*result.warnings, *result.kpi_warnings))),
        "timing": {**meta.get("timing", {}), "process": seconds},
        "files": dict(files),
    }
    if check is not None:
        data["halved_step"] = dict(check)
    return data


def print_figures(
    result: Any, figures: Mapping[str, tuple[float, str]], files: Mapping[str, str], check: Mapping[str, float] | None
) -> None:
    """Key figures on the terminal."""
    from rich.markup import escape
    from rich.table import Table

    from jounce.cli._terminal import console as terminal
    from jounce.cli._terminal import show
    from jounce.core.units import convert
    from jounce.results.display import pretty
    from jounce.results.plausibility import ranges_of

    meta = result.metadata
    console = terminal()
    timing = meta.get("timing", {})
    console.print(
        f"[bold]{meta['vehicle'].get('name', '')}[/bold], {meta['event'].get('name', '')}: {meta['status']}"
        f" ({meta.get('reason', '')})"
    )
    console.print(
        f"[dim]{timing.get('simulated', 0):.2f} s simulated in {timing.get('wall', 0):.3f} s, "
        f"{timing.get('real_time_factor', 0):.0f} times real time; ready after {timing.get('ready', 0):.2f} s[/dim]"
    )
    expected = ranges_of(result)
    table = Table(box=None, padding=(0, 2), show_header=False)
    for column, justify in (
        ("name", "left"),
        ("value", "right"),
        ("unit", "left"),
        ("range", "left"),
        ("step", "left"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for name, (value, unit) in figures.items():
        text = "–" if not math.isfinite(value) else f"{value:.4g}"
        note = ""
        if check is not None and name in check:
            note = f"half step: {100 * check[name]:.3f} %" + ("" if check[name] <= ENOUGH else "  !")
        span = ""
        if name in expected and math.isfinite(value):
            low, high = (convert(x, expected[name].unit, unit) for x in (expected[name].low, expected[name].high))
            inside = low <= value <= high
            span = f"[{'green' if inside else 'yellow'}]{low:.3g} … {high:.3g}{'' if inside else ' outside'}[/]"
        table.add_row(name, text, pretty(unit), span, note)
    show(table)
    _print_verdict(result.verdict)
    show(_extremes(result))
    laps = meta.get("laps", {}).get("times", [])
    if laps:
        console.print(f"lap times: {', '.join(f'{seconds:.3f} s' for seconds in laps)}")
    for warning in (*result.warnings, *result.kpi_warnings):
        console.print(f"[yellow]warning:[/yellow] {escape(warning)}")
    for what, file in files.items():
        typer.echo(f"{what}: {file}")


def _print_verdict(verdict: Any) -> None:
    """Every criterion of the standard, and what follows from them; nothing where there is no standard."""
    from rich.markup import escape

    from jounce.cli._terminal import console as terminal

    if not verdict.criteria and not verdict.word:
        return
    console = terminal()
    marks = {True: "[green]met[/green]", False: "[red]not met[/red]", None: "[yellow]cannot be told[/yellow]"}
    for item in verdict.criteria:
        console.print(f"  {marks[item.met]}: {escape(item.text)}")
    word = {"pass": "[bold green]pass[/bold green]", "fail": "[bold red]fail[/bold red]"}
    console.print(f"verdict: {word.get(verdict.word, 'none')}, {escape(verdict.reason)}")


def _extremes(result: Any) -> Any:
    """Smallest and largest values of the signals that there are."""
    from rich.table import Table

    from jounce.results.display import number
    from jounce.results.report import extremes
    from jounce.results.words import signal

    table = Table(box=None, padding=(0, 2), show_header=False, style="dim")
    for item in extremes(result):
        low, high = number(item.low, 3), number(item.high, 3)
        table.add_row(signal(item.signal, item.channel).lower(), low, "to", high, item.unit)
    return table
