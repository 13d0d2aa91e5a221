"""A run as a folder: ``run.parquet`` (or another format), ``run.json`` and, if asked, ``report.html``.

``run.json`` is for people and other programs: metadata, key figures, channels and units. Nothing in the folder says
where it stands, so that it can be moved.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.writing import write_atomically
from jounce.results.files import SUFFIXES, read_as
from jounce.results.run import Run, plain

FORMATS = {"parquet": "run.parquet", "csv": "run.csv", "mat": "run.mat", "mdf4": "run.mf4"}


def write(
    run: Run, folder: str | os.PathLike[str], formats: Sequence[str] = ("parquet",), report: bool = False
) -> Path:
    """Write the folder; data first, ``run.json`` last."""
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise ParameterError(f"format {unknown[0]!r}: unknown{did_you_mean(unknown[0], FORMATS)}")
    if not formats:
        raise ParameterError(f"formats: at least one of {', '.join(FORMATS)}")
    place = Path(folder).expanduser()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FormatError(f"{place}: cannot be made ({problem.strerror})") from None
    for name in formats:
        target = place / FORMATS[name]
        importlib.import_module(f"jounce.results.files.{SUFFIXES[target.suffix]}").write(run, target)
    if report:
        run.report(place / "report.html")
    write_atomically(place / "run.json", json.dumps(summary(run), indent=1, ensure_ascii=False) + "\n")
    return place


def summary(run: Run) -> dict[str, Any]:
    """Return what ``run.json`` holds."""
    return {
        "metadata": run.metadata,
        "key_figures": {name: {"value": plain(value), "unit": unit} for name, (value, unit) in run.kpis.items()},
        "key_figure_warnings": run.kpi_warnings,
        "rows": len(run),
        "channels": {name: run.unit(name) for name in run.names},
    }


def read(folder: str | os.PathLike[str]) -> Run:
    """Read the run of a folder, from whichever format is there."""
    place = Path(folder)
    for file in FORMATS.values():
        if (place / file).exists():
            return read_as(SUFFIXES[Path(file).suffix], place / file)
    raise FormatError(f"{place}: no run in this folder; expected one of {', '.join(FORMATS.values())}")
