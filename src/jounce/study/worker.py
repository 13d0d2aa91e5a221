"""One run of a plan, in a process of its own: what it leaves is returned as bytes, and whoever asked writes it.

So a run whose asker was killed leaves nothing behind, and the machines of a cluster need no common folder for results.
"""

from __future__ import annotations

import hashlib
import math
import os
import platform
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jounce
from jounce.core.errors import JounceError
from jounce.core.library import LIBRARY
from jounce.core.reads import files_read, note_read
from jounce.core.units import convert
from jounce.core.writing import file_hash
from jounce.events.batch import Case
from jounce.results.plausibility import ranges_of
from jounce.vehicle.reading import read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jounce.results.run import Run
    from jounce.vehicle.schema import Vehicle

Answer = tuple[dict[str, Any], dict[str, bytes]]


def perform(case: Case, options: Mapping[str, Any], keep: str, root: str) -> Answer:
    """Drive a case; return its record and its files.

    Parameters
    ----------
    case : with the file of a vehicle
    options : of `jounce.run`
    keep : figures, runs or reports
    root : folder of the plan; files below it are told relative to it
    """
    with files_read() as noted:
        result = _driven(case, options)
    record = {**_record(result), "inputs": inputs(noted, root), "made": environment()}
    files: dict[str, bytes] = {}
    if keep != "figures" and len(result):
        files = _files(result, keep == "reports")
    return record, files


def _driven(case: Case, options: Mapping[str, Any]) -> Run:
    try:
        vehicle = vehicle_of(str(case.vehicle))
    except JounceError as problem:
        return case.empty(str(problem))
    result = Case(vehicle, case.event, case.changes, options=case.options).run(options)
    simulated = result.metadata.get("timing", {}).get("simulated")
    # how long it took is no result: two runs of a plan are the same bytes
    return result.with_metadata(timing={} if simulated is None else {"simulated": simulated})


_CARS: dict[str, tuple[Vehicle, list[Path], tuple[Any, ...]]] = {}
MOST_CARS = 32


def vehicle_of(source: str) -> Vehicle:
    """A vehicle, read once for as long as its files stay as they are; its files are noted all the same."""
    known = _CARS.get(source)
    if known is not None and known[2] == _stamps(known[1]):
        for file in known[1]:
            note_read(file)
        return known[0]
    with files_read() as noted:
        vehicle = read(source)
    files = list(dict.fromkeys(noted))
    if len(_CARS) >= MOST_CARS:
        _CARS.pop(next(iter(_CARS)))
    _CARS[source] = vehicle, files, _stamps(files)
    for file in files:
        note_read(file)
    return vehicle


def _stamps(files: list[Path]) -> tuple[Any, ...]:
    result = []
    for file in files:
        try:
            info = os.stat(file)
            result.append((info.st_size, info.st_mtime_ns))
        except OSError:
            result.append((-1, -1))
    return tuple(result)


def _record(result: Run) -> dict[str, Any]:
    """What a summary tells of a run."""
    figures: dict[str, Any] = {
        name: [value if math.isfinite(value) else None, unit] for name, (value, unit) in _kpis(result).items()
    }
    spans = {}
    if len(result):
        for name, span in ranges_of(result).items():
            if name in figures:
                unit = figures[name][1]
                spans[name] = [convert(span.low, span.unit, unit), convert(span.high, span.unit, unit)]
    return {
        "status": result.status,
        "reason": result.reason,
        "verdict": result.verdict.word or None,
        "verdict_reason": result.verdict.reason,
        "figures": figures,
        "ranges": spans,
        "warnings": list(dict.fromkeys((*result.warnings, *(result.kpi_warnings if len(result) else ())))),
    }


def _kpis(result: Run) -> dict[str, tuple[float, str]]:
    return dict(result.kpis) if len(result) else {}


def _files(result: Run, report: bool) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory(prefix="jounce-plan-") as name:
        folder = result.save(Path(name) / "run", report=report)
        return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def lost(reason: str) -> Answer:
    """What is told of a run whose process ended; it is run again when the plan goes on."""
    record: dict[str, Any] = {
        "status": "partial",
        "reason": reason,
        "lost": True,
        "verdict": None,
        "verdict_reason": "",
    }
    return {**record, "figures": {}, "ranges": {}, "warnings": [], "inputs": {}, "made": environment()}, {}


def inputs(files: list[Path], root: str) -> dict[str, str]:
    """Digests of the files that a run has read, by names that do not depend on where jounce is installed."""
    return {portable(file, root): digest(str(file)) for file in dict.fromkeys(files)}


def portable(file: Path, root: str) -> str:
    """A file as a record names it."""
    if file.is_relative_to(LIBRARY):
        return f"library:{file.relative_to(LIBRARY).as_posix()}"
    if root and file.is_relative_to(root):
        return f"plan:{file.relative_to(root).as_posix()}"
    return str(file)


def located(name: str, root: str) -> Path:
    """The file that a record names."""
    kind, _, rest = name.partition(":")
    return LIBRARY / rest if kind == "library" else Path(root) / rest if kind == "plan" else Path(name)


def digest(file: str) -> str:
    """SHA-256 of a file; text of its own where it cannot be read."""
    try:
        info = os.stat(file)
        return _digest(file, info.st_size, info.st_mtime_ns)
    except (OSError, JounceError):
        return "unreadable"


@lru_cache(maxsize=10_000)
def _digest(file: str, _size: int, _changed: int) -> str:
    return file_hash(file)


@lru_cache(maxsize=1)
def environment() -> dict[str, str]:
    """What the bits of a result depend on beside its data: versions, machine, compiler, mathematics library."""
    import numpy as np

    from jounce.runtime.compile import find_compiler

    try:
        found = find_compiler()
        compiler = f"{found.version.partition(chr(10))[0]}, {found.target}"
    except JounceError:
        compiler = "none"
    library = " ".join(part for part in platform.libc_ver() if part) or platform.platform()
    return {
        "jounce": jounce.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": f"{platform.machine()} {platform.system()}",
        "compiler": compiler,
        "mathematics": library,
    }


def same_bits(a: Mapping[str, str], b: Mapping[str, str]) -> bool:
    """Whether results made in two environments are the same bits by promise."""
    return all(a.get(name) == b.get(name) for name in ("jounce", "numpy", "machine", "compiler", "mathematics"))


def of_bytes(data: bytes) -> str:
    """SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()
