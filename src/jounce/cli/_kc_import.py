"""`jounce kc import`: sweeps of a rig into the maps of a vehicle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

SHOWN = 12  # residuals, the largest first


def import_sweeps(
    files: list[Path], axle: str, into: str, mapping: Path | None, out: Path | None, report: Path | None, as_json: bool
) -> None:
    import json

    from jounce.core.errors import ParameterError
    from jounce.rigs.kc.importing import kc_import

    if not into:
        raise ParameterError("kc import: say which vehicle gets the maps: --into CAR")
    if report is not None and not report.expanduser().absolute().parent.is_dir():
        raise ParameterError(f"--report {report}: there is no folder {report.parent}; make it first")
    found = kc_import(files, into, axle, mapping=mapping, out=out)
    if report is not None:
        from jounce.rigs.kc.report import write

        write(found, report)
    if as_json:
        from jounce.rigs.kc.report import as_json as plain

        typer.echo(json.dumps(plain(found), default=str))
        return
    _tell(found)
    if report is not None:
        typer.echo(f"report: {report}")


def _tell(found: Any) -> None:
    from jounce.rigs.kc.channels import SHOWN as UNITS

    how = f", guidance by {found.kinematics.method}" if found.kinematics is not None else ""
    typer.echo(f"{typer.style(found.vehicle.name, bold=True)}  {found.word} axle{how}")
    for name, value, unit in found.figures:
        typer.echo(f"  {name:28}{value:>11.4g} {'' if unit == '-' else unit}")
    worst = sorted(found.residuals, key=lambda item: -item.rms / max(item.span, 1e-12))
    if worst:
        typer.echo("  what the vehicle differs from the sweeps by, rms (share of the range):")
    for item in worst[:SHOWN]:
        unit, factor = UNITS[item.unit]
        share = 100 * item.rms / max(item.span, 1e-12)
        typer.echo(f"    {item.file:24} {item.channel:20}{factor * item.rms:>10.3g} {unit:4} {share:6.2f} %")
    if len(worst) > SHOWN:
        typer.echo(f"    … and {len(worst) - SHOWN} smaller ones")
    for text in found.remarks:
        typer.echo(f"  remark: {text}")
    for path in found.files:
        typer.echo(str(path))
