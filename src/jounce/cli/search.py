"""`jounce search`: the limit of a number while a condition holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def search(
    event: Annotated[str, typer.Argument(help="Name of an event (jounce list events), or an event file (.yaml).")],
    condition: Annotated[
        str, typer.Option("--while", help='Condition on key figures, "cones_hit == 0 and side_slip_peak < 8 deg".')
    ],
    vehicle: Annotated[str, typer.Option(help="Name of a library vehicle, or a vehicle file or folder.")] = "sedan",
    maximise: Annotated[
        str, typer.Option(help="The number to make as large as possible: speed, or a path of the vehicle.")
    ] = "",
    minimise: Annotated[str, typer.Option(help="The number to make as small as possible.")] = "",
    low: Annotated[str, typer.Option("--from", help="Lower end of the range, with unit.")] = "",
    high: Annotated[str, typer.Option("--to", help="Upper end of the range, with unit.")] = "",
    tolerance: Annotated[str, typer.Option(help="Of the result, with unit; default 0.5 % of it.")] = "",
    first: Annotated[
        list[str] | None,
        typer.Option(
            help='Before it: a search, "step-steer: amplitude until ay_steady >= 0.3 g as amplitude", or a figure of '
            'an event, "slowly-increasing-steer: steering_at_nominal as amplitude" (repeatable).'
        ),
    ] = None,
    parameters: Annotated[
        list[str] | None, typer.Option("--set", help='A change of the event ("friction=0.8") or of the vehicle.')
    ] = None,
    preset: Annotated[str, typer.Option(help="Values of the event to start from: iso, vi, …")] = "",
    log: Annotated[Path | None, typer.Option(help="Write all trials to a CSV file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Find the largest or smallest value of a number for which a condition holds, by bisection.

    Exit codes: 0 found; 1 the request is wrong; 2 no value fulfils the condition, or it changes more than once.
    """
    import json

    from jounce.cli._arguments import assignments
    from jounce.cli._runs import event_of
    from jounce.core.errors import ParameterError
    from jounce.study.search import Trial
    from jounce.study.search import search as find
    from jounce.vehicle.reading import read

    if bool(maximise) == bool(minimise):
        raise ParameterError("search: give one of --maximise and --minimise")
    changes = assignments(parameters)
    manoeuvre = event_of(event, preset, {name: value for name, value in changes.items() if "." not in name})
    of_car = {name: value for name, value in changes.items() if "." in name}
    car = read(vehicle).with_(**of_car) if of_car else read(vehicle)

    def told(trial: Trial) -> None:
        if not as_json:
            typer.echo(f"  {trial.value:.6g}: {'yes' if trial.holds else 'no'}  {trial.reason}".rstrip())

    found = find(
        car,
        manoeuvre,
        maximise or minimise,
        condition,
        maximise=bool(maximise),
        low=low or None,
        high=high or None,
        tolerance=tolerance or None,
        first=first or [],
        told=told,
    )
    if log is not None:
        found.write_log(log)
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
    else:
        from jounce.results.display import pretty, shown

        unit = shown(found.unit, "engineering", abs(found.value))
        for name, value in found.first.items():
            typer.echo(f"first: {name} = {value:.6g} (SI)")
        typer.echo(
            f"{found.parameter} = {found.value:.6g} {pretty(found.unit)}"
            f" ({unit.factor * found.value + unit.offset:.5g} {unit.label}), "
            f"not at {found.beyond:.6g} {pretty(found.unit)}; {len(found.trials)} trials"
        )
        for remark in found.remarks:
            typer.echo(f"{typer.style('note:', fg='yellow')} {remark}", err=True)
    if not found.ok:
        raise typer.Exit(2)
