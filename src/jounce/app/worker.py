"""What other processes do for the workbench; each function here is asked for by `jounce.core.process.Process`.

A run tells how far it is by files in its folder, so that anybody can watch and nothing is lost when the server ends:
``progress`` (two float64: time and end time), ``log.jsonl``, and the rows (`jounce.app.live`). It stops when there is a
file ``stop``, or when the process that asked for it is gone, and stores what it has.
"""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.app.live import LiveWriter, clear
from jounce.app.runs import JOB, read_job
from jounce.core.errors import JounceError
from jounce.core.reads import only_from
from jounce.core.units import parse
from jounce.core.writing import write_atomically

if TYPE_CHECKING:
    from jounce.results.run import Run
    from jounce.vehicle.schema import Vehicle

PROGRESS, LOG, STOP = "progress", "log.jsonl", "stop"
_PAIR = struct.Struct("<dd")


def progress_of(folder: Path) -> tuple[float, float]:
    """Time and end time of a run that goes on; zeros before it does."""
    try:
        with (folder / PROGRESS).open("rb") as file:
            now, end = _PAIR.unpack(file.read(_PAIR.size))
            return now, end
    except (OSError, struct.error):
        return 0.0, 0.0


def tell(folder: Path, phase: str, text: str = "") -> None:
    """Add a line to the log of a run."""
    with (folder / LOG).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"time": time.time(), "phase": phase, "text": text}, ensure_ascii=False) + "\n")


def told(folder: Path) -> list[dict[str, Any]]:
    """The log of a run."""
    try:
        text = (folder / LOG).read_text(encoding="utf-8")
    except OSError:
        return []
    found = []
    for line in text.splitlines():
        with suppress(ValueError):
            found.append(json.loads(line))
    return found


def set_status(folder: Path, status: str, reason: str = "") -> None:
    """Write what became of a run."""
    job = read_job(folder)
    write_atomically(folder / JOB, json.dumps({**job, "status": status, "reason": reason}, ensure_ascii=False) + "\n")


def warm(vehicle: str = "sedan") -> float:
    """Import what a run needs and bring a vehicle up to the start, so that the next run begins at once."""
    begun = time.perf_counter()
    import jounce
    import jounce.results.files.parquet
    from jounce.events.engine import Options, make_ready

    with suppress(JounceError):
        make_ready(jounce.load(vehicle), jounce.events.find("step-steer")(), Options())
    return time.perf_counter() - begun


def vehicle_of(source: str, steps: Iterable[Mapping[str, Any]]) -> Vehicle:
    """A vehicle as it was read, changed step by step."""
    from jounce.vehicle.reading import read

    vehicle = read(source)
    for step in steps:
        vehicle = vehicle.with_(**step)
    return vehicle


def perform(folder: str, roots: list[str], code: Sequence[str] = ()) -> str:
    """Drive what ``job.json`` of a folder asks for; returns the status. Files are read from ``roots`` only.

    Parameters
    ----------
    code : folders of Python files with events of the user's own, which are loaded before
    """
    from jounce.app import own
    from jounce.runtime.cache import cache_root

    place = Path(folder)
    writer: LiveWriter | None = None
    own.load(code)
    try:
        with only_from([*roots, str(cache_root())]):
            job = read_job(place)
            tell(place, "building", "reading the vehicle, building the model, finding the start")
            set_status(place, "running")
            run, writer = _driven(place, job)
            tell(place, "saving", run.reason)
            run = run.with_metadata(label=job["label"])
            run.save(place, report=bool(job.get("options", {}).get("report")))
            write_atomically(place / "run.log", run.log("engineering"))
        status, reason = run.status, run.reason
        for text in dict.fromkeys((*run.warnings, *run.kpi_warnings)):
            tell(place, "warning", text)
    except (JounceError, OSError, ArithmeticError) as problem:
        status, reason = "failed", str(problem)
    except KeyboardInterrupt:
        status, reason = "failed", "stopped before it had anything to keep"
    if writer is not None:
        writer.close()
    if (place / "run.parquet").exists():
        clear(place)
    for name in (PROGRESS, STOP):
        (place / name).unlink(missing_ok=True)
    tell(place, status, reason)
    set_status(place, status, reason)
    return status


def _driven(place: Path, job: Mapping[str, Any]) -> tuple[Run, LiveWriter | None]:
    from jounce.events.base import Event
    from jounce.events.engine import run

    about = job["vehicle"]
    vehicle = vehicle_of(about["source"], about.get("steps", ()))
    event = Event.from_dict(job["event"])
    options = dict(job.get("options", {}))
    options.pop("report", None)
    buffered = bool(options.pop("buffer", False))
    interval = parse(options.get("interval", 0.01), "s", "interval")
    writer = None if buffered else LiveWriter(place, event.end_time / interval)
    parent = os.getppid()
    file = (place / PROGRESS).open("wb", buffering=0)
    driving = False

    def progress(now: float, end: float) -> None:
        nonlocal driving
        if not driving:
            driving = True
            tell(place, "driving")
        file.seek(0)
        file.write(_PAIR.pack(now, end))
        if (place / STOP).exists() or os.getppid() != parent:
            raise KeyboardInterrupt

    with file:
        return run(vehicle, event, progress=progress, stream=writer, changes=about.get("changes"), **options), writer


def salvage(folder: Path, reason: str) -> None:
    """Store what is there of a run whose process is gone."""
    from jounce.app.live import LiveRows
    from jounce.results.run import Run

    rows = LiveRows(folder)
    data = rows.read()
    if len(data) > 1:
        job = read_job(folder)
        restart = [k + 1 for k in range(len(data) - 1) if data[k + 1, 0] <= data[k, 0]]
        data = data[restart[-1] :] if restart else data
        event = {"kind": job["event"].get("event", "")}
        meta = {"status": "partial", "reason": reason, "label": job["label"], "event": event}
        meta["vehicle"] = {"name": job["vehicle"]["name"]}
        Run(data[:, 0], data[:, 1:], list(rows.units.values()), meta, names=rows.names).save(folder)
        clear(folder)
        set_status(folder, "partial", reason)
    else:
        set_status(folder, "failed", reason)
