"""`jounce kc`: a car on the suspension rig."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def kc(
    vehicle: Annotated[str, typer.Argument(help="Name of a library vehicle, or a vehicle file or folder.")],
    parameters: Annotated[
        list[str] | None, typer.Option("--set", help='A change, "front_suspension.toe.scale=1.2" (repeatable).')
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML page with figures and curves.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Kinematics and compliance of every axle: bump steer, camber, roll centre, anti features, compliance, steering."""
    import json

    from jounce.cli._arguments import assignments
    from jounce.cli._terminal import waiting
    from jounce.rigs.kc_figures import kc as measure
    from jounce.rigs.suspension_rig import SuspensionRig
    from jounce.vehicle.reading import read

    data = read(vehicle)
    changes = assignments(parameters)
    if changes:
        data = data.with_(**changes)
    with waiting(f"{data.name}: on the suspension rig (a new structure takes a while)", quiet=as_json):
        rig = SuspensionRig(data, radius="design")
        found = measure(data, rig)
        if report is not None:
            from jounce.rigs.kc_report import sweeps, write_page

            write_page(report, found, sweeps(rig))
    if as_json:
        typer.echo(json.dumps(found.raw()))
        return
    from rich.table import Table

    from jounce.cli._terminal import console as terminal
    from jounce.cli._terminal import show as show_table

    terminal().print(f"[bold]{data.name}[/bold]  kinematics and compliance at design height")
    table = Table(box=None, padding=(0, 2))
    for column, justify in (("figure", "left"), ("axle", "left"), ("value", "right"), ("unit", "left")):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    table.add_column("usual for its class", justify="left")
    table.add_column("key", style="dim")
    for m in found.metrics:
        usual = "" if m.low is None or m.high is None else f"{m.low:.4g} to {m.high:.4g}"
        style = "yellow" if m.inside is False else None
        table.add_row(m.text, m.axle, f"{m.value:.4g}", m.unit, usual, m.name, style=style)
    show_table(table)
    if report is not None:
        terminal().print(f"[dim]wrote {report}[/dim]")
