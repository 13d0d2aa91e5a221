"""`jounce export-c`: a model, or a car with its event, as a folder of plain C that builds and runs without Python."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def export_c(
    model: Annotated[
        str,
        typer.Argument(
            help="A recipe, as module:name or file.py:name, called with its defaults; with --event a vehicle."
        ),
    ],
    folder: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="Folder to write: new, empty, or of an earlier export.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The same, as an option.")] = None,
    event: Annotated[
        str, typer.Option(help="Event that the vehicle drives through: a name (jounce list events), or a file (.yaml).")
    ] = "",
    preset: Annotated[str, typer.Option(help="With --event, values to start from: iso, vi, …")] = "",
    time: Annotated[str, typer.Option(help='End of the run, "10 s"; may be left out with a program that ends.')] = "",
    program: Annotated[str, typer.Option(help="Phase program that drives the inputs, named like the recipe.")] = "",
    method: Annotated[str, typer.Option(help="Integration method, by name or number.")] = "AB-2",
    step: Annotated[
        str, typer.Option(help='Step, "0.5 ms"; default: the usual one of the method, with --event 1 ms.')
    ] = "",
    interval: Annotated[
        str, typer.Option(help='Time between two rows, "10 ms"; default: every step, with --event 10 ms.')
    ] = "",
    half_steps: Annotated[bool, typer.Option("--half-steps", help="Record at half steps too.")] = False,
    channels: Annotated[list[str] | None, typer.Option("--channel", help="Only these outputs (repeatable).")] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--set", help='A parameter, "mass=1500 kg"; with --event as for jounce run (repeatable).'),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace exported files that were changed.")] = False,
) -> None:
    """Write the model, the runtime and the numbers of one run as C: `make`, and it runs with the same bits as here."""
    from jounce.cli._arguments import assignments, find, find_recipe, method_of
    from jounce.core.errors import ParameterError
    from jounce.runtime.export import export_c as write
    from jounce.runtime.methods import method_number
    from jounce.runtime.program import Program
    from jounce.runtime.simulation import Simulation

    if (folder is None) == (out is None):
        raise ParameterError("give the folder to write once: jounce export-c MODEL OUT, or --out OUT")
    target = folder if folder is not None else out
    assert target is not None
    if event:
        _export_car(
            target,
            model,
            event,
            preset,
            assignments(parameters),
            method,
            step,
            interval,
            channels,
            overwrite,
            {"--time": time, "--program": program, "--half-steps": half_steps},
        )
        return
    if preset:
        raise ParameterError("--preset goes with --event")
    if not time and not program:
        raise ParameterError('the run needs an end time or a program: give --time "10 s" or --program module:name')
    manoeuvre = find(program, Program, "program") if program else None
    library = find_recipe(model).build()
    number = method_number(method_of(method))
    simulation = Simulation(library, method=number, step=step or None)
    simulation.set_parameters(assignments(parameters))
    written = write(
        target,
        simulation,
        t_end=time or None,
        program=manoeuvre,
        iprint=0 if half_steps else None,
        interval=interval or None,
        channels=channels,
        overwrite=overwrite,
    )
    _tell(written, library, number)


def _export_car(
    target: Path,
    vehicle: str,
    event: str,
    preset: str,
    changes: dict[str, Any],
    method: str,
    step: str,
    interval: str,
    channels: list[str] | None,
    overwrite: bool,
    others: dict[str, Any],
) -> None:
    """A vehicle with its event."""
    from jounce.cli._arguments import method_of
    from jounce.cli._runs import event_of
    from jounce.core.errors import ParameterError
    from jounce.events.engine import make_ready
    from jounce.events.export import write_started
    from jounce.events.options import INTERVAL, Options
    from jounce.runtime.methods import METHOD_NAMES, method_number
    from jounce.sim import car as cars
    from jounce.vehicle.reading import load

    for name, value in others.items():
        if value:
            raise ParameterError(f"{name} does not go with --event, which says itself when and how the run ends")
    of_vehicle = {name: value for name, value in changes.items() if "." in name}
    manoeuvre = event_of(event, preset, {name: value for name, value in changes.items() if "." not in name})
    car = load(vehicle)
    car = car.with_(**of_vehicle) if of_vehicle else car
    number = method_number(method_of(method))
    given = {"step": step or cars.STEP, "interval": interval or INTERVAL}
    start = make_ready(car, manoeuvre, Options.of(**given, method=METHOD_NAMES[number], channels=channels))
    written = write_started(target, start, overwrite=overwrite)
    _tell(written, start.sim.library, number)


def _tell(folder: Path, library: Any, number: int) -> None:
    """What was written, what it costs, and what is left to do."""
    from jounce.runtime.work import work_per_step

    work = work_per_step(library, number)
    plural = "" if work["evaluations"] == 1 else "s"
    typer.echo(f"{folder}: {len(list(folder.iterdir()))} files; build with: make -C {folder}")
    typer.echo(
        f"per step at most {work['operations']} operations in {work['evaluations']} evaluation{plural}, "
        f"{work['table_lookups']} table look-ups, {work['library_calls']} calls of libm"
    )
    for slot in library.model.services:
        typer.echo(f"needs your function for service {slot.name!r}: see README.txt in the folder")
