"""`jounce show`: what is in a vehicle, and how it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def show(
    vehicle: Annotated[str, typer.Argument(help="Name of a library vehicle, or a vehicle file or folder.")],
    parameters: Annotated[
        list[str] | None, typer.Option("--set", help='A change, "front_suspension.spring.rate=32 N/mm" (repeatable).')
    ] = None,
    dump: Annotated[
        Path | None, typer.Option(help="Write states and channels of the standing car to a JSON file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Masses, static loads, heights, angles, spring forces, rates, frequencies and modes of a vehicle at rest."""
    import json

    from jounce.cli._arguments import assignments
    from jounce.cli._terminal import waiting
    from jounce.sim import car
    from jounce.sim.standing import standing, write_state
    from jounce.vehicle import layout_text
    from jounce.vehicle.reading import read

    data = read(vehicle)
    changes = assignments(parameters)
    if changes:
        data = data.with_(**changes)
    with waiting(f"{data.name}: building the model (a new structure takes a while), finding the rest", quiet=as_json):
        description = car.describe(data)
        sim = car.simulation(description)
        report = standing(description, sim)
    if dump is not None:
        write_state(sim, dump)
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "vehicle": data.name,
                    "description": data.description,
                    "layout": str(layout_text.of(data)),
                    "statics": {"method": report.settled.method, "iterations": report.settled.iterations},
                    "figures": {k: {"value": v, "unit": u} for k, (v, u) in report.figures().items()},
                    "modes": [{"name": m.name, "frequency": m.frequency, "damping": m.damping} for m in report.modes],
                    "remarks": data.remarks(),
                }
            )
        )
        return
    from rich.table import Table

    from jounce.cli._terminal import console as terminal
    from jounce.cli._terminal import show as show_table

    console = terminal()
    console.print(f"[bold]{data.name}[/bold]  {data.description}  [dim]{layout_text.of(data)}[/dim]")
    if data.provenance is not None:
        console.print(f"[dim]{data.provenance.source} ({data.provenance.licence})[/dim]")
    for group, rows in report.groups.items():
        table = Table(title=group, title_justify="left", box=None, padding=(0, 2), show_header=False)
        for column, justify in (("what", "left"), ("value", "right"), ("unit", "left"), ("key", "left")):
            table.add_column(column, justify=justify, style="dim" if column == "key" else None)  # type: ignore[arg-type]
        for row in rows:
            table.add_row(
                row.label, f"{row.value:.4g}" if abs(row.value) < 1e4 else f"{row.value:.0f}", row.unit, row.key
            )
        show_table(table)
    table = Table(title="modes", title_justify="left", box=None, padding=(0, 2), show_header=False)
    for mode in report.modes:
        table.add_row(mode.name, f"{mode.frequency:.2f} Hz", f"damping ratio {mode.damping:.2f}")
    show_table(table)
    for remark in data.remarks():
        console.print(f"[yellow]remark:[/yellow] {remark}")
