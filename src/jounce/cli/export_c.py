"""`jounce export-c`: a model as a folder of plain C that builds and runs without Python."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export_c(
    model: Annotated[str, typer.Argument(help="A recipe, as module:name or file.py:name, called with its defaults.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write: new, empty, or of an earlier export.")],
    time: Annotated[str, typer.Option(help='End of the run, "10 s"; may be left out with a program that ends.')] = "",
    program: Annotated[str, typer.Option(help="Phase program that drives the inputs, named like the recipe.")] = "",
    method: Annotated[str, typer.Option(help="Integration method, by name or number.")] = "AB-2",
    step: Annotated[str, typer.Option(help='Step, "0.5 ms"; default: the usual one of the method.')] = "",
    interval: Annotated[str, typer.Option(help='Time between two rows, "10 ms"; default: every step.')] = "",
    half_steps: Annotated[bool, typer.Option("--half-steps", help="Record at half steps too.")] = False,
    channels: Annotated[list[str] | None, typer.Option("--channel", help="Only these outputs (repeatable).")] = None,
    parameters: Annotated[
        list[str] | None, typer.Option("--set", help='A parameter, "mass=1500 kg" (repeatable).')
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace exported files that were changed.")] = False,
) -> None:
    """Write the model, the runtime and the numbers of one run as C: `make`, and it runs with the same bits as here."""
    from jounce.cli._arguments import assignments, find, find_recipe, method_of
    from jounce.core.errors import ParameterError
    from jounce.runtime.export import export_c as write
    from jounce.runtime.program import Program
    from jounce.runtime.simulation import Simulation
    from jounce.runtime.work import work_per_step

    if not time and not program:
        raise ParameterError('the run needs an end time or a program: give --time "10 s" or --program module:name')
    manoeuvre = find(program, Program, "program") if program else None
    library = find_recipe(model).build()
    number = method_of(method)
    simulation = Simulation(library, method=number, step=step or None)
    simulation.set_parameters(assignments(parameters))
    folder = write(
        out,
        simulation,
        t_end=time or None,
        program=manoeuvre,
        iprint=0 if half_steps else None,
        interval=interval or None,
        channels=channels,
        overwrite=overwrite,
    )
    work = work_per_step(library, number)
    plural = "" if work["evaluations"] == 1 else "s"
    typer.echo(f"{folder}: {len(list(folder.iterdir()))} files; build with: make -C {folder}")
    typer.echo(
        f"per step at most {work['operations']} operations in {work['evaluations']} evaluation{plural}, "
        f"{work['table_lookups']} table look-ups, {work['library_calls']} calls of libm"
    )
    for slot in library.model.services:
        typer.echo(f"needs your function for service {slot.name!r}: see README.txt in the folder")
