"""A run as a folder: ``run.parquet`` (or another format), ``run.json`` and, if asked, ``report.html``.

``run.json`` is for people and other programs: metadata, key figures, channels and units. It also names the files of the
run with their hashes: a folder holds one run, and what an interrupted writer left of another is never taken for it.
Nothing in the folder says where it stands, so that it can be moved.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.limits import Limits, parse_json, read_bytes, shown
from jounce.core.writing import file_hash, write_atomically
from jounce.results.files import SUFFIXES, read_as
from jounce.results.files.text import beside
from jounce.results.run import Run, plain

FORMATS = {"parquet": "run.parquet", "csv": "run.csv", "mat": "run.mat", "mdf4": "run.mf4"}
REPORT = "report.html"
NOTE = "run.json"
LIMITS = Limits("the note of a run", size=200_000_000)


def write(
    run: Run, folder: str | os.PathLike[str], formats: Sequence[str] = ("parquet",), report: bool = False
) -> Path:
    """Write the folder; data first, ``run.json`` next, and what was there of another run goes last."""
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
    files = [FORMATS[name] for name in FORMATS if name in formats]
    # a report in a folder without a run is somebody's own; beside a run it tells of that one
    stale = [name for name in FORMATS.values() if name not in files]
    stale += [beside(Path(name)).name for name in stale if name == FORMATS["csv"]]
    stale += [REPORT] if (place / NOTE).exists() and not report else []
    for name in files:
        _module(name).write(run, place / name)
    if report:
        run.report(place / REPORT)
        files.append(REPORT)
    content = {**summary(run), "files": {name: file_hash(place / name) for name in files}}
    write_atomically(place / NOTE, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    for name in stale:
        try:
            (place / name).unlink(missing_ok=True)
        except OSError as problem:
            raise FormatError(
                f"{place / name}: belongs to another run and cannot be removed ({problem.strerror})"
            ) from None
    return place


def summary(run: Run) -> dict[str, Any]:
    """Return what ``run.json`` tells about a run."""
    return {
        "metadata": run.metadata,
        "key_figures": {name: {"value": plain(value), "unit": unit} for name, (value, unit) in run.kpis.items()},
        "key_figure_warnings": run.kpi_warnings,
        "rows": len(run),
        "channels": {name: run.unit(name) for name in run.names},
    }


def read(folder: str | os.PathLike[str]) -> Run:
    """Read the run of a folder: of the files that ``run.json`` names the first, which must be as it was written."""
    place = Path(folder)
    there = [file for file in FORMATS.values() if (place / file).exists()]
    if not there:
        raise FormatError(f"{place}: no run in this folder; expected one of {', '.join(FORMATS.values())}")
    hashes = _hashes(place / NOTE)
    if hashes is None:
        if len(there) > 1:
            raise FormatError(
                f"{place}: {' and '.join(there)}, and no {NOTE} that says which of them is the run; read one of them, "
                "or save the run again"
            )
        hashes = {there[0]: file_hash(place / there[0])}
    found = next((file for file in there if file in hashes), None)
    if found is None or file_hash(place / found) != hashes[found]:
        what = f"{found} is not the file" if found else f"{', '.join(there)}: none is a file"
        raise FormatError(
            f"{place}: {what} that {NOTE} tells about; the folder holds parts of two runs, since its writing was "
            "interrupted or a file was changed. Save the run again, or read the file itself"
        )
    return read_as(SUFFIXES[Path(found).suffix], place / found)


def _module(file: str) -> Any:
    return importlib.import_module(f"jounce.results.files.{SUFFIXES[Path(file).suffix]}")


def _hashes(note: Path) -> dict[str, str] | None:
    """The files of a folder and their hashes; None where nobody noted them."""
    if not note.exists():
        return None
    try:
        files = parse_json(read_bytes(note, LIMITS), shown(note)).get("files")
        return None if files is None else {str(name): str(value) for name, value in files.items()}
    except (FormatError, AttributeError):
        raise FormatError(f"{note}: cannot be read as the note of a run; read the data file itself") from None
