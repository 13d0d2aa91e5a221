"""`jounce run`: drive a vehicle through an event."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

# Vehicle changes and event parameters share --set: a path with a dot belongs to the vehicle.


def run(
    context: typer.Context,
    event: Annotated[
        str,
        typer.Argument(
            help="Name of an event (jounce list events), an event file (.yaml, .vdf), or a bundle (folder or .zip)."
        ),
    ],
    vehicle: Annotated[str, typer.Option(help="Name of a library vehicle, or a vehicle file or folder.")] = "sedan",
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help='A change: of the event ("speed=80 km/h") or of the vehicle ("front_suspension.spring.rate=32 N/mm").',
        ),
    ] = None,
    preset: Annotated[str, typer.Option(help="Values to start from: iso, vi, …")] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
    step: Annotated[str, typer.Option(help="Step of integration.")] = "1 ms",
    method: Annotated[str, typer.Option(help="Method of integration.")] = "AB-2",
    interval: Annotated[str, typer.Option(help="Between recorded rows.")] = "10 ms",
    output_map: Annotated[
        Path | None, typer.Option("--output-map", help="YAML file: which channels are kept, their names and factors.")
    ] = None,
    road: Annotated[str, typer.Option(help="Name or file of a road.")] = "",
    imports: Annotated[
        list[str] | None,
        typer.Option("--import", help="A Python file that is run first: it registers parts of one's own."),
    ] = None,
    variants: Annotated[
        Path | None,
        typer.Option(
            help="Table of changes, .csv or .yaml: a row a run, columns are paths of the vehicle or event.<parameter>."
        ),
    ] = None,
    files_only: Annotated[
        Path | None,
        typer.Option("--files-only", help="Write a bundle that runs anywhere, and do not run; one file if .zip."),
    ] = None,
    report: Annotated[bool, typer.Option("--report", help="Also write report.html.")] = False,
    template: Annotated[
        Path | None, typer.Option(help="HTML file with places for the pieces of the report; with --report.")
    ] = None,
    halve: Annotated[
        bool, typer.Option("--halve-step", help="Repeat with half the step and compare key figures.")
    ] = False,
    live: Annotated[
        bool, typer.Option("--live", help="Print live channels as lines of JSON while the run goes on.")
    ] = False,
    pace: Annotated[
        float | None, typer.Option(help="Times real time that the run takes at most; 1 is real time.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Drive a vehicle through an event, print its key figures and keep the results."""
    import json
    import time

    from jounce.cli._runs import event_of, halved, print_figures, summary, with_progress
    from jounce.core.errors import ParameterError
    from jounce.core.writing import write_atomically
    from jounce.events.bundle import is_bundle, opened, read_bundle, write_bundle
    from jounce.events.engine import run as drive
    from jounce.results.output_map import OutputMap
    from jounce.vehicle.reading import read

    begun = time.perf_counter()
    from jounce.cli._arguments import assignments, load_file

    for place in imports or ():
        load_file(place)
    changes = assignments(parameters)
    of_vehicle = {name: value for name, value in changes.items() if "." in name}
    of_event = {name: value for name, value in changes.items() if "." not in name}
    if road:
        of_event["road"] = road
    if is_bundle(event):
        data, manoeuvre, stored = read_bundle(context.with_resource(opened(event)))
        manoeuvre = manoeuvre.changed(**of_event) if of_event else manoeuvre
        step, method, interval = stored["step"], stored["method"], stored["interval"]
    else:
        data, manoeuvre = read(vehicle), event_of(event, preset, of_event)
    plain = data
    if of_vehicle:
        data = data.with_(**of_vehicle)
    if files_only is not None:
        typer.echo(f"bundle: {write_bundle(data, manoeuvre, files_only, step=step, method=method, interval=interval)}")
        return
    kept = OutputMap.read(output_map) if output_map is not None else None
    options: dict[str, Any] = {"step": step, "method": method, "interval": interval, "changes": of_vehicle}
    options["output_map"] = kept
    if pace is not None:
        options["pace"] = pace
    if variants is not None:
        from jounce.cli._variants import drive_variants, print_variants

        for given, name in (
            (live, "--live"),
            (halve, "--halve-step"),
            (report, "--report"),
            (pace is not None, "--pace"),
        ):
            if given:
                raise ParameterError(f"{name} goes with a single run, not with --variants")
        of_batch = {name: value for name, value in options.items() if name != "changes"}
        folder, results = drive_variants(variants, plain, manoeuvre, of_vehicle, out, of_batch)
        print_variants(folder, results, as_json)
        if not all(result.complete for result in results):
            raise typer.Exit(2)
        return
    if live:
        options["live"] = lambda now, values: typer.echo(json.dumps({"time": now, **values}))
    result = with_progress(
        manoeuvre, quiet=as_json, function=lambda call: drive(data, manoeuvre, progress=call, **options)
    )
    files: dict[str, str] = {}
    if out is not None:
        folder = result.save(out)
        files["folder"] = str(folder)
        files["log"] = str(write_atomically(folder / "run.log", result.log("engineering")))
    if report:
        target = (out or Path()) / "report.html"
        files["report"] = str(result.report(target, template=template))
    figures = dict(result.kpis)
    check = halved(drive, data, result, options) if halve else None
    text = summary(result, changes, files, time.perf_counter() - begun, check)
    if as_json:
        typer.echo(json.dumps(text))
    else:
        print_figures(result, figures, files, check)
    if text["status"] != "complete":
        raise typer.Exit(2)
