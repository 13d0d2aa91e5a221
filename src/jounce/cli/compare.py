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
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page with the curves laid over each other.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Compare key figures and curves of two or more runs, simulated or measured."""
    import json
    import math

    from jounce.core.errors import ParameterError
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
    found = beside(*loaded, align=align or None)
    if as_json:
        rows = [
            {"key": r.key, "unit": r.unit, "values": [v if math.isfinite(v) else None for v in r.values]}
            for r in found.rows
        ]
        typer.echo(json.dumps({"runs": list(found.labels), "kpis": rows}))
    else:
        typer.echo(str(found))
    if report is not None:
        typer.echo(f"report: {found.report(report)}", err=as_json)
