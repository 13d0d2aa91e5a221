"""`jounce convert`: runs, points, load cases and events in the signs, units, axes and formats of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            help="Run folder or file (parquet, csv, mat, mf4), a table of points (csv: name, x, y, z), load cases of "
            "the suspension rig (csv, xml), or an event (sdf, dcf, xml, vdf)."
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(help="File to write; its suffix says the format. Of a run also .spc, for the seven-post rig."),
    ],
    convention: Annotated[
        str, typer.Option(help="compat: the reference tool's signs, units, names and axes; ours: back to jounce's.")
    ] = "compat",
    track: Annotated[str, typer.Option(help="What a rig shall follow by a .spc file: hubs or springs.")] = "hubs",
) -> None:
    """Write a run or hard points in the signs, units and axes of the reference tool, or bring such a file back.

    Events of older driving machines become VDF, in SI; what they say and a VDF cannot is listed.
    """
    from jounce.core.errors import ParameterError, did_you_mean
    from jounce.core.limits import reading
    from jounce.files.point_tables import COLUMNS, FRAMES, read_points, write_points
    from jounce.results.run import REFERENCE, Run

    if source.suffix.lower() in (".sdf", ".dcf", ".vdf") or target.suffix.lower() == ".vdf":
        _event(source, target)
        return
    if {source.suffix.lower(), target.suffix.lower()} == {".csv", ".xml"}:
        _load_cases(source, target)
        return
    if target.suffix.lower() == ".spc":
        _rig(source, target, track)
        return
    frames = {"compat": "reference", "ours": "ours"}
    if convention not in frames:
        raise ParameterError(f"convention {convention!r}: unknown{did_you_mean(convention, frames)}")
    if source.is_file() and source.suffix.lower() == ".csv" and _first_cells(source) == COLUMNS:
        if target.suffix.lower() != ".csv":
            raise ParameterError(f"{target}: points are written as .csv")
        with reading(source):
            points = read_points(source).turned(frames[convention])
        write_points(points, target)
        typer.echo(f"{len(points.points)} points, {FRAMES[points.frame]}: {target}")
        return
    writers = {".parquet": Run.to_parquet, ".csv": Run.to_csv, ".mat": Run.to_mat, ".mf4": Run.to_mdf4}
    if target.suffix.lower() not in writers:
        raise ParameterError(f"{target}: unknown kind of file; known: {', '.join(writers)}")
    given = Run.read(source)
    theirs = given.metadata.get("convention") == REFERENCE
    if convention == "compat" and theirs:
        raise ParameterError(f"{source}: it has the signs and units of the reference tool already")
    if convention == "compat":
        result = given.compat.run()
    else:
        if not theirs and not any(":" in name for name in given.names):
            raise ParameterError(f"{source}: nothing says that it has the signs and units of the reference tool")
        found = given.compat.back(given.time, {name: given[name] for name in given.names})
        kept = {key: value for key, value in given.metadata.items() if key not in ("convention", "kpis", "verdict")}
        result = found.with_metadata(**kept)
    writers[target.suffix.lower()](result, target)
    left = len(given.names) - len(result.names)
    typer.echo(f"{len(result.names)} channels: {target}" + (f"; {left} are not in its catalogue" if left else ""))


def _load_cases(source: Path, target: Path) -> None:
    from jounce.rigs.load_cases import read_load_cases, write_load_cases

    cases = read_load_cases(source)
    write_load_cases(cases, target)
    typer.echo(f"{len(cases)} load cases, {len(cases.columns)} columns: {target}")


def _rig(source: Path, target: Path, track: str) -> None:
    """What a rig needs to repeat the ride of a run."""
    from jounce.core.errors import ParameterError, did_you_mean
    from jounce.files.spc import spc_of_run, write_spc
    from jounce.results.run import Run

    if track == "hubs":
        found = spc_of_run(Run.read(source), "TRACK_HUBACC")
    elif track == "springs":
        found = spc_of_run(Run.read(source), "TRACK_SPRING")
    else:
        raise ParameterError(f"track {track!r}: unknown{did_you_mean(track, ['hubs', 'springs'])}")
    write_spc(found, target)
    typer.echo(f"{len(found.time)} rows, the rig follows the {track}: {target}")


def _event(source: Path, target: Path) -> None:
    from jounce.core.errors import ParameterError
    from jounce.files.events import convert_to_vdf

    if target.suffix.lower() != ".vdf":
        raise ParameterError(f"{target}: events are written as .vdf")
    report = convert_to_vdf(source, target)
    typer.echo(f"event: {target}")
    for remark in report.warnings:
        typer.echo(f"      remark: {remark}")


def _first_cells(path: Path) -> list[str]:
    """Cells of the first line that is no remark."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for _ in range(100):
            line = file.readline(200)
            if line.strip() and not line.lstrip().startswith("#"):
                return [cell.strip().lower() for cell in line.split(",")]
    return []
