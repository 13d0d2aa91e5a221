"""`jounce compare`: runs beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def compare(
    runs: Annotated[
        list[Path], typer.Argument(help="Run folders or files (parquet, csv, mat, mf4); the first is the reference.")
    ],
    mapping: Annotated[
        Path | None, typer.Option("--map", help="YAML file that names the columns of measured files by channel.")
    ] = None,
    align: Annotated[
        str, typer.Option(help="Channel by which the others are shifted in time to match the first.")
    ] = "",
    bands: Annotated[
        Path | None,
        typer.Option(help="YAML file with tolerance bands by channel; exit code 1 where a run leaves one."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page with the curves laid over each other.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Compare key figures and curves of two or more runs, simulated or measured."""
    import json
    import math

    from jounce.core.errors import ParameterError
    from jounce.results.bands import read_bands
    from jounce.results.compare import compare as beside
    from jounce.results.measured import read_run
    from jounce.results.run import Run

    if len(runs) < 2:
        raise ParameterError(f"compare: {len(runs)} run given, at least two are needed")
    loaded: list[Run] = []
    for path in runs:
        if mapping is not None and path.is_file():  # a measurement of the same event, unless it says otherwise
            same: dict[str, Any] = {
                key: loaded[0].metadata[key] for key in ("event", "vehicle") if loaded and key in loaded[0].metadata
            }
            loaded.append(read_run(path, mapping, metadata={**same, "label": path.stem}))
        else:
            loaded.append(Run.read(path))
    found = beside(*loaded, bands=read_bands(bands) if bands is not None else None, align=align or None)
    if as_json:
        rows = [
            {"key": r.key, "unit": r.unit, "values": [v if math.isfinite(v) else None for v in r.values]}
            for r in found.rows
        ]
        inside = [
            {"channel": i.channel, "run": i.label, "inside": i.ok, "share": i.share, "excess": i.excess, "at": i.at}
            for i in found.inside
        ]
        typer.echo(json.dumps({"runs": list(found.labels), "kpis": rows, "bands": inside}))
    else:
        typer.echo(str(found))
    if report is not None:
        typer.echo(f"report: {found.report(report)}", err=as_json)
    if not found.ok:
        raise typer.Exit(1)
