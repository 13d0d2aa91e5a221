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
    from jounce.cli.setup import told
    from jounce.sim.setup import trim as trimmed
    from jounce.vehicle.reading import read

    data = read(vehicle)
    return told(data, "trimming", lambda: trimmed(data), out, sheet, as_json)
