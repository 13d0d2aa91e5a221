"""`jounce kc CAR --cases FILE`: load cases of a file on the suspension rig."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from jounce.core.errors import ParameterError

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle

WRITERS = (".csv", ".parquet", ".mat", ".mf4", ".xml", ".tab")


def hold_cases(data: Vehicle, path: Path, start: str, out: Path | None, as_json: bool) -> None:
    """Hold every step of a file, print what the wheels do, write all channels."""
    import json

    from jounce.cli._terminal import console, show, waiting
    from jounce.rigs.load_cases import as_run, read_load_cases
    from jounce.rigs.suspension_rig import SuspensionRig

    if out is not None and out.suffix.lower() not in WRITERS:
        raise ParameterError(f"--out {out}: unknown kind of file {out.suffix!r}; known: {', '.join(WRITERS)}")
    cases = read_load_cases(path)
    with waiting(f"{data.name}: on the suspension rig (a new structure takes a while)", quiet=as_json):
        rig = SuspensionRig(data, start=start)  # type: ignore[arg-type]
        held = rig.run(list(cases.points(rig)), friction=True)
        if out is not None:
            _write(as_run(rig, held), out)
    rows: list[dict[str, Any]] = [
        {
            "step": k,
            "wheel": w,
            "travel": h.travel[w],
            "vertical_force": h.jack[w],
            "toe": h.toe(w),
            "camber": h.camber(w),
            "side_view_angle": h.caster(w),
        }
        for k, h in enumerate(held, 1)
        for w in rig.wheels
    ]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    from rich.table import Table

    console().print(f"[bold]{data.name}[/bold]  {len(held)} load cases of {path.name}, {rig.started}")
    table = Table(box=None, padding=(0, 2))
    shown = (("travel", 1e3, "mm"), ("vertical_force", 1.0, "N"), *((n, math.degrees(1.0), "deg") for n in ANGLES))
    for name in ("step", "wheel"):
        table.add_column(name)
    for name, _, unit in shown:
        table.add_column(f"{name.replace('_', ' ')}, {unit}", justify="right")
    for row in rows:
        table.add_row(str(row["step"]), str(row["wheel"]), *(f"{f * float(row[n]):.4g}" for n, f, _ in shown))
    show(table)
    if out is not None:
        console().print(f"[dim]wrote {out}[/dim]")


ANGLES = ("toe", "camber", "side_view_angle")


def _write(run: Any, out: Path) -> None:
    from jounce.rigs.result_files import write_tab, write_xml

    kind = out.suffix.lower()
    writers = {".csv": run.to_csv, ".parquet": run.to_parquet, ".mat": run.to_mat, ".mf4": run.to_mdf4}
    if kind in writers:
        writers[kind](out)
    else:
        (write_xml if kind == ".xml" else write_tab)(run, out)
