"""`jounce trim`: preloads of springs that hold a car at design."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def trim(
    vehicle: Annotated[str, typer.Argument(help="Name of a library vehicle, or a vehicle file or folder.")],
    out: Annotated[Path | None, typer.Option(help="Write the changed car to a folder or .yaml file.")] = None,
    sheet: Annotated[list[Path] | None, typer.Option(help="Write the sheet: .html, .yaml or .json.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> int:
    """Change the preloads of springs so that the car stands at design with running masses, and tell the changes."""
    from jounce.cli._terminal import waiting
    from jounce.cli.setup import print_report
    from jounce.core.errors import SetupError
    from jounce.sim.setup import trim as trimmed
    from jounce.vehicle.reading import read

    data = read(vehicle)
    car = None
    with waiting(f"{data.name}: building the model (a new structure takes a while), trimming", quiet=as_json):
        try:
            car = trimmed(data)
            report = car.setup_report
        except SetupError as missed:
            report = missed.report
    for path in sheet or ():
        report.save(path)
    if car is not None and out is not None:
        car.save(out)
    print_report(report, as_json)
    return 0 if car is not None else 1
