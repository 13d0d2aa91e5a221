"""`jounce post`: a script of one's own works on runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def post(
    script: Annotated[
        Path, typer.Argument(help="Python file with post_processing(result, output_map, vehicle, event).")
    ],
    runs: Annotated[list[Path] | None, typer.Argument(help="Run folders or files.")] = None,
    output_map: Annotated[
        Path | None, typer.Option("--output-map", help="Output map by which the results were written.")
    ] = None,
    vehicle: Annotated[Path | None, typer.Option(help="Vehicle file or folder, for the script.")] = None,
    event: Annotated[str, typer.Option(help="Event, for the script; default what the run says.")] = "",
    new: Annotated[bool, typer.Option("--new", help="Write a script to begin with, for --event or for all.")] = False,
) -> int:
    """Run a script of your own on runs; exit code 1 where it says that it failed. The file is run: trust it."""
    from jounce.core.errors import ParameterError
    from jounce.core.writing import write_atomically
    from jounce.events import find
    from jounce.results.run import Run
    from jounce.results.scripts import run_script, template

    if new:
        if script.exists():
            raise ParameterError(f"{script}: exists already")
        typer.echo(f"script: {write_atomically(script, template(find(event).kind if event else ''))}")
        return 0
    if not runs:
        raise ParameterError("post: name at least one run")
    good = True
    for place in runs:
        kind = event or Run.read(place).event
        good &= run_script(script, place, output_map, vehicle, kind or None, told=typer.echo)
    return 0 if good else 1
