"""Runs of the workbench: folders below ``runs`` of its main folder, and others that were opened.

runs/<id>/   job.json       what was asked for, and what became of it
             run.parquet, run.json, log.jsonl
             live.json, live.bin        while it goes on
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from jounce.app.live import LiveRows
from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.core.limits import Limits, parse_json, read_bytes
from jounce.core.reads import only_from
from jounce.core.writing import write_atomically

if TYPE_CHECKING:
    from jounce.app.folders import Folders
    from jounce.app.session import Session
    from jounce.results.run import Run

Array = npt.NDArray[np.float64]
JOB = "job.json"
LIMITS = Limits("the note of a run", size=200_000_000)
CACHE = 600_000_000  # bytes of channels that are kept in memory
SUFFIXES = (".parquet", ".csv", ".mat", ".mf4")

Source = Literal["session", "disk", "measured"]


@dataclass(frozen=True)
class RunInfo:
    """What a list tells of a run.

    Attributes
    ----------
    id : by which it is asked for
    status : queued, running, complete, partial or failed
    reason : why it is not complete
    created : s since 1970
    folder : where it stands; of a single file that file
    source : of this workbench, opened from disk, or measured
    figures : key figures, (value, unit) by name
    """

    id: str
    label: str
    vehicle: str
    event: str
    status: str
    reason: str
    created: float
    folder: Path
    source: Source = "session"
    changes: tuple[tuple[str, str], ...] = ()
    figures: tuple[tuple[str, float | None, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "id": self.id,
            "label": self.label,
            "vehicle": self.vehicle,
            "event": self.event,
            "status": self.status,
            "reason": self.reason,
            "created": self.created,
            "source": self.source,
            "changes": dict(self.changes),
        }


class StoredRun:
    """A run on disk, read channel by channel; one that still goes on gives what it has so far."""

    def __init__(self, info: RunInfo, cache: ChannelCache) -> None:
        self.info, self._cache = info, cache
        self.id, self.label = info.id, info.label
        parquet = info.folder / "run.parquet" if info.folder.is_dir() else info.folder
        self._parquet = parquet if parquet.suffix == ".parquet" and parquet.is_file() else None
        self._live = LiveRows(info.folder) if self._parquet is None and (info.folder / "live.json").exists() else None
        self._sizes: dict[str, float] = {}

    @property
    def running(self) -> bool:
        """Whether its rows are still those of a run that goes on, or was cut off."""
        return self._live is not None

    @property
    def whole(self) -> bool:
        """Whether it has ended and stands on disk as it will stay."""
        return self._parquet is not None or self.info.status not in ("queued", "running")

    @cached_property
    def run(self) -> Run:
        """All of it."""
        if self._live is not None:
            from jounce.results.run import Run

            rows = self._live.read()
            last = int(np.argmin(np.diff(rows[:, 0]) > 0)) + 1 if np.any(np.diff(rows[:, 0]) <= 0) else 0
            rows = rows[last:]
            meta = {"status": "partial", "reason": "it goes on, or was cut off", "label": self.label}
            return Run(rows[:, 0], rows[:, 1:], list(self._live.units.values()), meta, names=self._live.names)
        return read_any(self.info.folder)

    @cached_property
    def _schema(self) -> Any:
        from pyarrow import parquet

        return parquet.ParquetFile(self._parquet).schema_arrow

    @cached_property
    def units(self) -> dict[str, str]:
        """Units by name, in the order of the channels."""
        if self._parquet is None:
            return self.run.units
        found = {}
        for field in self._schema:
            if field.name != "time":
                found[field.name] = (field.metadata or {}).get(b"unit", b"-").decode()
        return found

    @property
    def names(self) -> list[str]:
        """Its channels."""
        return list(self.units)

    @property
    def time(self) -> Array:
        """Instants, s."""
        return self.channel("time")

    def find(self, name: str) -> str:
        """The channel of a name in any of its spellings."""
        if name == "time" or name in self.units:
            return name
        return self.run.find(name)

    def channel(self, name: str) -> Array:
        """Values of a channel; only this one is read."""
        if self._parquet is None:
            return self.run.time if name == "time" else self.run[name]
        found = self.find(name)
        return self._cache.get((self.id, found), lambda: self._column(found))

    def load(self, names: Iterable[str]) -> None:
        """Read several channels in one go, so that `channel` has them."""
        if self._parquet is None:
            return
        lacking = [name for name in dict.fromkeys(names) if (self.id, name) not in self._cache]
        if lacking:
            for name, values in self.columns(lacking).items():
                self._cache.get((self.id, name), lambda values=values: values)

    def size(self, name: str) -> float:
        """The largest magnitude of a channel; 0 where it has no numbers."""
        if name not in self._sizes:
            values = self.channel(name)
            low, high = (np.nanmin(values), np.nanmax(values)) if np.isfinite(values).any() else (0.0, 0.0)
            if self.running:
                return float(max(abs(low), abs(high)))
            self._sizes[name] = float(max(abs(low), abs(high)))
        return self._sizes[name]

    @property
    def note(self) -> dict[str, Any]:
        """What ``run.json`` tells; empty where there is none."""
        return _note(self.info.folder)

    @property
    def figure_warnings(self) -> list[str]:
        """What was noticed while its key figures were computed."""
        return [str(text) for text in self.note.get("key_figure_warnings", [])]

    @cached_property
    def signals(self) -> dict[str, str]:
        """Channels by signal where this run says which (``metadata["signals"]``)."""
        told = self.note.get("metadata", {}).get("signals", {})
        return {str(name): str(channel) for name, channel in told.items()} if isinstance(told, dict) else {}

    def columns(self, names: Iterable[str]) -> dict[str, Array]:
        """Values of several channels, read in one go."""
        wanted = list(dict.fromkeys(names))
        if self._parquet is None:
            return {name: self.channel(name) for name in wanted}
        from pyarrow import parquet

        table = parquet.ParquetFile(self._parquet).read(columns=[self.find(name) for name in wanted])
        return {name: np.asarray(table.column(self.find(name)), dtype=np.float64) for name in wanted}

    def _column(self, name: str) -> Array:
        from pyarrow import parquet

        table = parquet.ParquetFile(self._parquet).read(columns=[name])
        values: Array = np.asarray(table.column(name), dtype=np.float64)
        return values


class ChannelCache:
    """Channels that were read, the last used ones."""

    def __init__(self, size: int = CACHE) -> None:
        self.size, self._used = size, 0
        self._held: OrderedDict[tuple[str, str], Array] = OrderedDict()

    def __contains__(self, key: tuple[str, str]) -> bool:
        return key in self._held

    def get(self, key: tuple[str, str], make: Any) -> Array:
        """The channel of a key, made where it is not there."""
        found = self._held.pop(key, None)
        if found is None:
            found = make()
            self._used += found.nbytes
        self._held[key] = found
        while self._used > self.size and len(self._held) > 1:
            self._used -= self._held.popitem(last=False)[1].nbytes
        return found

    def forget(self, id: str) -> None:
        """Drop what is held of a run."""
        for key in [key for key in self._held if key[0] == id]:
            self._used -= self._held.pop(key).nbytes


class RunStore:
    """All runs that the workbench knows.

    Attributes
    ----------
    revision : changes whenever the list does
    """

    def __init__(self, folders: Folders, session: Session) -> None:
        self.folders, self.session = folders, session
        self.folder = folders.main / "runs"
        self.revision = 0
        self._cache = ChannelCache()
        self._infos: dict[Path, tuple[tuple[float, ...], RunInfo]] = {}
        self._stored: dict[str, StoredRun] = {}

    def changed(self, id: str = "") -> None:
        """Something about the runs, or about one, is no longer as it was."""
        self.revision += 1
        if id:
            self._stored.pop(id, None)
            self._cache.forget(id)

    def new(self, label: str) -> tuple[str, Path]:
        """Make the folder of a new run; its id begins with the time, so that names sort by it."""
        stem = time.strftime("%Y%m%d-%H%M%S") + "-" + "".join(c if c.isalnum() else "-" for c in label.lower())[:60]
        name, n = stem, 2
        while True:
            try:
                (self.folder / name).mkdir(parents=True)
            except FileExistsError:
                name, n = f"{stem}-{n}", n + 1
            else:
                return name, self.folder / name

    def list(self) -> list[RunInfo]:
        """All runs, the newest first."""
        found = []
        places = [p for p in self.folder.iterdir() if (p / JOB).exists()] if self.folder.is_dir() else []
        for place in [*places, *(Path(text) for text in self.session.data["runs"])]:
            try:
                found.append(self._info(place))
            except JounceError:
                continue
        return sorted(found, key=lambda info: info.created, reverse=True)

    def info(self, id: str) -> RunInfo:
        """What is known of a run."""
        place = self.folder / id
        if id and "/" not in id and "\\" not in id and (place / JOB).exists():
            return self._info(place)
        for text in self.session.data["runs"]:
            if outside_id(Path(text)) == id:
                return self._info(Path(text))
        raise ParameterError(f"run {id!r}: not known")

    def get(self, id: str) -> StoredRun:
        """A run."""
        info = self.info(id)
        known = self._stored.get(id)
        if known is None or known.info != info or not known.whole:
            known = self._stored[id] = StoredRun(info, self._cache)
        return known

    def live(self, id: str) -> LiveRows:
        """The rows of a run that goes on."""
        return LiveRows(self.info(id).folder)

    def add(self, path: str | Path) -> str:
        """Open a run of a registered folder: a folder that `Run.save` made, or a file; returns its id."""
        place = self.folders.resolve(str(path))
        if place.is_dir() and not any((place / f"run{suffix}").exists() for suffix in SUFFIXES):
            raise FormatError(f"{self.folders.shown(place)}: no run in this folder")
        if place.parent == self.folder:
            return place.name
        with only_from(self.folders.paths):
            read_any(place)  # refused now, not later
        if str(place) not in self.session.data["runs"]:
            self.session.data["runs"].append(str(place))
            self.session.changed()
        self.changed()
        return outside_id(place)

    def rename(self, id: str, label: str) -> None:
        """Give a run of this workbench another label."""
        info = self.info(id)
        if info.source != "session":
            raise ParameterError(f"{info.label}: only runs of this workbench are renamed")
        job = read_job(info.folder)
        write_atomically(info.folder / JOB, json.dumps({**job, "label": label.strip() or info.label}) + "\n")
        self.changed(id)

    def remove(self, id: str) -> None:
        """Remove a run of this workbench from disk; one that was opened is only forgotten."""
        info = self.info(id)
        if info.status in ("queued", "running"):
            raise ParameterError(f"{info.label}: still goes on; stop it first")
        if info.source == "session":
            shutil.rmtree(info.folder, ignore_errors=True)
        else:
            self.session.data["runs"].remove(str(info.folder))
            self.session.changed()
        self.changed(id)

    def _info(self, place: Path) -> RunInfo:
        stamps = _stamps(place)
        known = self._infos.get(place)
        if known is not None and known[0] == stamps:
            return known[1]
        try:
            info = self._read(place)
            if not math.isfinite(info.created):
                raise ValueError("created: no time")
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError, OSError) as problem:
            raise FormatError(f"{place}: its note is none of a run ({problem!r:.200})") from None
        self._infos[place] = stamps, info
        return info

    def _read(self, place: Path) -> RunInfo:
        if place.parent == self.folder:
            job = read_job(place)
            note = _note(place)
            figures = _figures(note)
            changes = tuple((k, str(v)) for k, v in job.get("vehicle", {}).get("changes", {}).items())
            return RunInfo(
                id=place.name,
                label=str(job["label"]),
                vehicle=str(job["vehicle"]["name"]),
                event=str(job["event"].get("event", "")),
                status=str(job["status"]),
                reason=str(job.get("reason", "")),
                created=float(job["created"]),
                folder=place,
                changes=changes,
                figures=figures,
            )
        if not place.exists():
            raise FormatError(f"{place}: is no longer there")
        if place.is_dir():
            note = _note(place)
            meta = note.get("metadata", {})
            vehicle = str(dict(meta.get("vehicle", {})).get("name", ""))
            event = str(dict(meta.get("event", {})).get("kind", ""))
            figures = _figures(note)
            label = str(meta.get("label") or place.name)
            status, reason = str(meta.get("status", "complete")), str(meta.get("reason") or "")
            created = place.stat().st_mtime
            return RunInfo(
                outside_id(place), label, vehicle, event, status, reason, created, place, "disk", (), figures
            )
        measured: Source = "disk" if place.suffix == ".parquet" else "measured"
        return RunInfo(outside_id(place), place.stem, "", "", "complete", "", place.stat().st_mtime, place, measured)


def read_any(place: Path) -> Run:
    """A run from a folder or a file; a file of somebody's measurements too."""
    from jounce.results.measured import read_run
    from jounce.results.run import Run

    if place.is_dir() or place.suffix == ".parquet":
        return Run.read(place)
    try:
        return Run.read(place)
    except JounceError:
        return read_run(place)


def read_job(folder: Path) -> dict[str, Any]:
    """What was asked for, and what became of it."""
    try:
        job = parse_json(read_bytes(folder / JOB, LIMITS), JOB)
        if not {"label", "vehicle", "event", "status", "created"} <= job.keys():
            raise KeyError("label, vehicle, event, status, created")
    except (FormatError, KeyError, AttributeError) as problem:
        raise FormatError(f"{folder / JOB}: cannot be read ({problem})") from None
    return dict(job)


def outside_id(place: Path) -> str:
    """The id of a run that is not below ``runs``."""
    return "x-" + hashlib.sha256(str(place).encode()).hexdigest()[:12]


def _note(place: Path) -> dict[str, Any]:
    try:
        note = place / "run.json"
        return dict(parse_json(read_bytes(note, LIMITS), note.name))
    except (FormatError, ValueError, TypeError):
        return {}


def _figures(note: dict[str, Any]) -> tuple[tuple[str, float | None, str], ...]:
    found = note.get("key_figures", {}).items()
    values = ((k, math.nan if v["value"] is None else float(v["value"]), str(v["unit"])) for k, v in found)
    return tuple((k, value if math.isfinite(value) else None, unit) for k, value, unit in values)


def _stamps(place: Path) -> tuple[float, ...]:
    found = []
    for path in (place, place / JOB, place / "run.json", place / "live.json"):
        try:
            found.append(path.stat().st_mtime_ns)
        except OSError:
            found.append(0)
    return tuple(found)
