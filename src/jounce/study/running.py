"""Running a plan: one folder per run, an index, and a way to go on after an interruption.

    results/
      plan.yaml           the plan as it was run
      index.json          its runs in order: names, keys, folders
      runs/<name>/        record.json; with keep: runs also run.json, run.parquet; with reports report.html
      summary.json, summary.csv, index.html

A folder of a run appears whole, by one renaming, and only the process that runs the plan puts it there. A run counts as
done when its record has the key of the plan's run and every file that it read is as it was; it is not run again. What a
killed process left half written begins with a dot and is removed. A lock keeps a second process out.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError, ParameterError
from jounce.core.locking import hold
from jounce.core.pool import answers
from jounce.core.writing import write_atomically
from jounce.runtime.compile import processors
from jounce.study import summary as summaries
from jounce.study.plan import Item, Plan
from jounce.study.worker import Answer, digest, environment, located, lost, of_bytes, perform, same_bits

RECORD = "record.json"
RUNS = "runs"
INDEX = "index.json"
LOCK = ".lock"

Progress = Callable[[int, int], None]
Executor = Callable[[Sequence[tuple[Any, ...]]], Iterator[tuple[int, Answer]]]


@dataclass
class Outcome:
    """What a plan came to.

    folder : of its results
    records : of its runs in order; None for one that was not run
    fresh : how many were run now; the others were there
    remarks : what is to be told beside the runs
    """

    folder: Path
    items: list[Item]
    records: list[dict[str, Any] | None]
    fresh: int = 0
    remarks: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether all runs came to their proper end."""
        return all(record is not None and record["status"] == "complete" for record in self.records)

    @property
    def outputs(self) -> list[Path]:
        """Folders of the runs that have been run, in order."""
        pairs = zip(self.items, self.records, strict=True)
        return [self.folder / RUNS / item.name for item, record in pairs if record is not None]

    @property
    def failed(self) -> list[tuple[Item, str]]:
        """Runs that did not come to their end, with the reason."""
        pairs = zip(self.items, self.records, strict=True)
        bad = ((item, record) for item, record in pairs if record is None or record["status"] != "complete")
        return [(item, "not run" if record is None else str(record["reason"])) for item, record in bad]


def run_plan(
    plan: Plan,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    told: Callable[[Item, Mapping[str, Any]], None] | None = None,
    executor: Executor | None = None,
) -> Outcome:
    """Run what is not done yet of a plan, and write its summaries.

    Parameters
    ----------
    plan : with or without a selection
    out : folder of results: new, empty, or of the same plan
    workers : processes at a time, default one per processor
    progress : called with (runs done, runs in all), those that were there included
    told : called with each run that is done now and its record, in the order in which they end
    executor : does the work in place of processes here (`jounce.study.cluster.dask`)

    Returns
    -------
    An `Outcome`. After Ctrl-C it has what is done; the next call goes on.
    """
    count = processors() if workers is None else workers
    if count < 1:
        raise ParameterError(f"workers = {workers}: must be 1 or more")
    plan.check()
    items = plan.items
    for item in items:
        if type(item.case.event).__module__ == "__main__":
            raise ParameterError(
                f"event {item.event!r}: its class stands in a script, which other processes do not run; put it into a "
                "module beside the script"
            )
    folder = _folder(Path(out))
    with _alone(folder):
        _sweep(folder)
        write_atomically(folder / "plan.yaml", plan.text())
        outcome = Outcome(folder, items, [_done(folder, item, plan) for item in items])
        _index(folder, plan, items)
        left = [k for k, record in enumerate(outcome.records) if record is None]
        already = len(items) - len(left)
        if progress is not None:
            progress(already, len(items))
        questions = [(items[k].case, plan.options, plan.keep, str(plan.folder)) for k in left]
        work = executor if executor is not None else _here(count)
        try:
            for number, (record, files) in work(questions):
                k = left[number]
                outcome.records[k] = _commit(folder, items[k], record, files)
                outcome.fresh += 1
                if told is not None:
                    told(items[k], record)
                if progress is not None:
                    progress(already + outcome.fresh, len(items))
        except KeyboardInterrupt:
            outcome.remarks.append("interrupted; run it again to go on")
        outcome.remarks += _environments(outcome.records)
        summaries.write(folder, plan, items, outcome.records, outcome.remarks)
    return outcome


def _here(count: int) -> Executor:
    """Processes of this machine."""

    def gone(_number: int, why: str) -> Answer:
        return lost(f"the process that ran it ended: {why}")

    return lambda questions: answers(perform, questions, count, gone)


def _folder(out: Path) -> Path:
    place = out.expanduser().absolute()
    if place.exists() and not place.is_dir():
        raise FormatError(f"{out}: is a file; expected a folder for the results")
    if place.is_dir() and any(place.iterdir()) and not (place / INDEX).exists() and not (place / LOCK).exists():
        raise FormatError(f"{out}: holds other things than results of a plan; choose a new or an empty folder")
    try:
        (place / RUNS).mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FormatError(f"{out}: cannot be made ({problem.strerror})") from None
    return place


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with hold(folder / LOCK) as held:
        if not held:
            raise FormatError(f"{folder}: another process runs a plan there; wait for it, or choose another folder")
        yield


def _sweep(folder: Path) -> None:
    """Remove what was half written when a process was killed."""
    for place in (folder / RUNS).glob(".*"):
        shutil.rmtree(place, ignore_errors=True)


def _index(folder: Path, plan: Plan, items: Sequence[Item]) -> None:
    runs = [{"run": item.name, "key": item.key} for item in items]
    write_atomically(folder / INDEX, json.dumps({"plan": plan.name, "made": environment(), "runs": runs}) + "\n")


def _done(folder: Path, item: Item, plan: Plan) -> dict[str, Any] | None:
    """The record of a run that needs not be run again."""
    place = folder / RUNS / item.name
    try:
        record = json.loads((place / RECORD).read_text(encoding="utf-8"))
        if record["key"] != item.key or record.get("lost"):
            return None
        if record["made"].get("jounce") != environment()["jounce"]:
            return None
        if any(digest(str(located(name, str(plan.folder)))) != found for name, found in record["inputs"].items()):
            return None
        if any(not (place / name).is_file() for name in record["files"]):
            return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return _small(record)


def _commit(folder: Path, item: Item, record: Mapping[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """Put the folder of a run in its place; return what is kept of it in memory."""
    whole = {
        "run": item.name,
        "key": item.key,
        "event": item.event,
        "kind": item.kind,
        "vehicle": item.vehicle,
        "variation": item.variation,
        "changes": {name: str(value) for name, value in item.case.changes.items()},
        **record,
        "files": {name: of_bytes(data) for name, data in files.items()},
    }
    runs = folder / RUNS
    fresh, place, old = runs / f".{item.name}.new", runs / item.name, runs / f".{item.name}.old"
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        for name, data in files.items():
            (fresh / name).write_bytes(data)
        (fresh / RECORD).write_text(json.dumps(whole, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        if place.exists():
            place.rename(old)
        fresh.rename(place)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as problem:
        raise FormatError(f"{place}: cannot be written ({problem.strerror or problem})") from None
    return _small(whole)


def _small(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without what summaries do not tell; names that all runs share stand in memory once."""
    kept = {sys.intern(name): value for name, value in record.items() if name not in ("inputs", "key")}
    kept["figures"] = {sys.intern(name): (v, sys.intern(unit)) for name, (v, unit) in record["figures"].items()}
    kept["ranges"] = {sys.intern(name): tuple(span) for name, span in record["ranges"].items()}
    kept["made"] = _MADE.setdefault(json.dumps(record["made"], sort_keys=True), record["made"])
    return kept


_MADE: dict[str, dict[str, str]] = {}


def _environments(records: Sequence[Mapping[str, Any] | None]) -> list[str]:
    """Remarks where runs were made in places that do not promise the same bits."""
    found: dict[str, dict[str, str]] = {}
    for record in records:
        if record is not None:
            found.setdefault(json.dumps(record["made"], sort_keys=True), record["made"])
    made = list(found.values())
    if not made or all(same_bits(made[0], other) for other in made[1:]):
        return []
    names = [name for name in made[0] if len({other.get(name) for other in made}) > 1]
    told = "; ".join(f"{name}: {' | '.join(sorted({str(other.get(name)) for other in made}))}" for name in names)
    return [f"runs were made in {len(made)} environments and need not agree to the last bit: {told}"]
