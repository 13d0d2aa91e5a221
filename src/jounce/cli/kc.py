"""`jounce kc`: kinematics and compliance of axles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ACTIONS = ("import",)


def kc(
    action: Annotated[str, typer.Argument(help="import: sweeps of a rig into the maps of a vehicle.")],
    files: Annotated[list[Path], typer.Argument(help="import: files of sweeps, or a mapping (.yaml) that names them.")],
    axle: Annotated[str, typer.Option(help="import: front, rear, axle3, …")] = "front",
    into: Annotated[str, typer.Option(help="import: the vehicle, a file, folder or name of the library.")] = "",
    mapping: Annotated[
        Path | None, typer.Option(help="import: channels, units, signs, settings and load cases, as YAML.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="import: folder of the changed vehicle; else its own files.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML page with residuals and plots.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Measured or simulated K&C sweeps as maps of a vehicle."""
    from jounce.core.errors import ParameterError, did_you_mean

    if action != "import":
        raise ParameterError(f"kc {action}: unknown{did_you_mean(action, ACTIONS)}")
    from jounce.cli._kc_import import import_sweeps

    import_sweeps(files, axle, into, mapping, out, report, as_json)
