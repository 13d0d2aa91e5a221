"""`jounce kc`: a car on the suspension rig, and measured sweeps as maps of a car."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle


WHOLE = "understeer_gradient"


def kc(
    vehicle: Annotated[str, typer.Argument(help="Name of a library vehicle, a vehicle file or folder; or import.")],
    files: Annotated[
        list[Path] | None, typer.Argument(help="import: files of sweeps, or a mapping (.yaml) that names them.")
    ] = None,
    parameters: Annotated[
        list[str] | None, typer.Option("--set", help='A change, "front_suspension.toe.scale=1.2" (repeatable).')
    ] = None,
    axle: Annotated[str, typer.Option(help="import: front, rear, axle3, …")] = "front",
    into: Annotated[str, typer.Option(help="import: the vehicle, a file, folder or name of the library.")] = "",
    mapping: Annotated[
        Path | None, typer.Option(help="import: channels, units, signs, settings and load cases, as YAML.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="import: folder of the changed vehicle, else its own files; with --cases: file of channels."),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML page with curves or residuals.")] = None,
    start: Annotated[
        str, typer.Option(help="Zero of sweeps and figures: design, or standing (as it stands on the road).")
    ] = "design",
    targets: Annotated[
        list[str] | None,
        typer.Option("--setup", help='Set up before, "front_ride_height=300 mm" (repeatable); start: standing.'),
    ] = None,
    cases: Annotated[
        Path | None,
        typer.Option(help="Hold the load cases of a file (.csv, .xml) instead; --out: all channels."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Kinematics and compliance of every axle on the rig; `kc import` makes maps of measured or simulated sweeps."""
    import json

    if vehicle == "import":
        from jounce.cli._kc_import import import_sweeps

        import_sweeps(files or [], axle, into, mapping, out, report, as_json)
        return
    if files:
        from jounce.core.errors import ParameterError

        raise ParameterError(f"kc {vehicle}: {files[0]}: files belong to `jounce kc import FILE …`")
    from jounce.cli._arguments import assignments
    from jounce.cli._terminal import waiting
    from jounce.rigs.kc_figures import kc as measure
    from jounce.rigs.suspension_rig import SuspensionRig
    from jounce.vehicle.reading import read

    data = read(vehicle)
    changes = assignments(parameters)
    if changes:
        data = data.with_(**changes)
    wanted = assignments(targets)
    if wanted:
        from jounce.sim.setup import setup

        data, start = setup(data, dict(wanted)), "standing"
    if cases is not None:
        from jounce.cli._kc_cases import hold_cases

        hold_cases(data, cases, start, out, as_json)
        return
    with waiting(f"{data.name}: on the suspension rig (a new structure takes a while)", quiet=as_json):
        rig = SuspensionRig(data, radius="design", start=start)  # type: ignore[arg-type]
        found = measure(data, rig)
        budget = _budget(data)
        if report is not None:
            from jounce.rigs.kc_report import sweeps, write_page

            write_page(report, found, sweeps(rig), budget)
    if as_json:
        entries = [
            {"name": f"understeer_budget.{k}", "axle": "" if k == WHOLE else k.rpartition("_")[2], "value": v}
            for k, v in budget.items()
        ]
        typer.echo(json.dumps([*found.raw(), *({**e, "unit": "deg/g_0", "low": None, "high": None} for e in entries)]))
        return
    from rich.table import Table

    from jounce.cli._terminal import console as terminal
    from jounce.cli._terminal import show as show_table

    terminal().print(f"[bold]{data.name}[/bold]  kinematics and compliance {rig.started}")
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
    if budget:
        terminal().print("[bold]understeer budget[/bold]  at 100 km/h, deg/g, understeer positive")
        shares = Table(box=None, padding=(0, 2))
        for column, justify in (("term", "left"), ("front", "right"), ("rear", "right")):
            shares.add_column(column, justify=justify)  # type: ignore[arg-type]
        for name in dict.fromkeys(key.rpartition("_")[0] for key in budget if key != WHOLE):
            values = [budget[f"{name}_{axle}"] for axle in ("front", "rear")]
            if any(abs(value) >= 5e-4 for value in values):
                shares.add_row(name.replace("_", " "), *(f"{value:.3f}" for value in values))
        shares.add_row("understeer gradient", f"{budget[WHOLE]:.3f}", "")
        show_table(shares)
    if report is not None:
        terminal().print(f"[dim]wrote {report}[/dim]")


def _budget(data: Vehicle) -> dict[str, float]:
    """Terms of the understeer gradient, deg/g; empty for vehicles that have none."""
    from jounce.core.errors import ParameterError, StaticsError
    from jounce.rigs.understeer import understeer_budget

    try:
        return understeer_budget(data).in_degrees()
    except (ParameterError, StaticsError):
        return {}
