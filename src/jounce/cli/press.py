"""`jounce press`: the highest speed through a course of cones, over all trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def press(
    event: Annotated[
        str, typer.Argument(help="A course of cones: double-lane-change, slalom, cone-course, or a file.")
    ],
    vehicle: Annotated[str, typer.Option(help="Name of a library vehicle, or a vehicle file or folder.")] = "sedan",
    parameters: Annotated[
        list[str] | None, typer.Option("--set", help='A change of the event ("speed=50 km/h") or of the vehicle.')
    ] = None,
    preset: Annotated[str, typer.Option(help="Values of the event to start from.")] = "",
    speed_step: Annotated[str, typer.Option(help="By which the speed grows, with unit.")] = "0.5 m/s",
    highest: Annotated[str, typer.Option(help="Speed at which the search ends, with unit; default 100 m/s.")] = "",
    refinements: Annotated[int, typer.Option(help="How often both steps are halved, and one.")] = 2,
    population: Annotated[int, typer.Option(help="Trajectories of a generation.")] = 12,
    generations: Annotated[int, typer.Option(help="Generations at one speed.")] = 6,
    seed: Annotated[int, typer.Option(help="One seed gives one result.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Write the fastest event to a YAML file for jounce run.")] = None,
    log: Annotated[Path | None, typer.Option(help="Write all drives to a CSV file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Find the highest speed through a course of cones, with a genetic search of the trajectory.

    Exit codes: 0 found; 1 the request is wrong; 2 no trajectory is without a cone.
    """
    import json
    import math

    from jounce.cli._arguments import assignments
    from jounce.cli._runs import event_of
    from jounce.core.errors import ParameterError
    from jounce.core.units import parse
    from jounce.core.writing import write_atomically
    from jounce.events.cones import ConeEvent
    from jounce.study.press import HIGHEST, Trial
    from jounce.study.press import press as find
    from jounce.vehicle.reading import read

    changes = assignments(parameters)
    course = event_of(event, preset, {name: value for name, value in changes.items() if "." not in name})
    if not isinstance(course, ConeEvent):
        raise ParameterError(f"press: {course.kind} has no cones; take double-lane-change, slalom or cone-course")
    of_car = {name: value for name, value in changes.items() if "." in name}
    car = read(vehicle).with_(**of_car) if of_car else read(vehicle)

    def told(trial: Trial) -> None:
        if not as_json and trial.feasible:
            typer.echo(f"  {3.6 * trial.speed:.2f} km/h: {' '.join(f'{x:g}' for x in trial.moves)}")

    found = find(
        car,
        course,
        speed_step=parse(speed_step, "m/s", "speed_step"),
        highest=parse(highest, "m/s", "highest") if highest else HIGHEST,
        refinements=refinements,
        population=population,
        generations=generations,
        seed=seed,
        told=told,
    )
    if log is not None:
        found.write_log(log)
    if out is not None and found.ok:
        write_atomically(out, json.dumps(found.event.to_dict(), indent=1) + "\n")  # which is YAML, too
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
    elif found.ok:
        beyond = f", none at {3.6 * found.beyond:.2f} km/h" if math.isfinite(found.beyond) else ""
        typer.echo(f"{3.6 * found.speed:.2f} km/h{beyond}; {len(found.trials)} drives")
    if not as_json:
        for remark in found.remarks:
            typer.echo(f"{typer.style('note:', fg='yellow')} {remark}", err=True)
    if not found.ok:
        raise typer.Exit(2)
