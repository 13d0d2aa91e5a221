"""The queue of runs, and questions to processes that are not runs.

Each lane of the queue has a process that stays, so that only the first run waits for Python to import what it needs.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.app import worker
from jounce.app.runs import JOB, read_job
from jounce.app.settings import OF_RUNS
from jounce.core.errors import JounceError, ParameterError
from jounce.core.process import Process
from jounce.core.writing import write_atomically

if TYPE_CHECKING:
    from jounce.app.workbench import Workbench

PATIENCE = 3.0  # s that a run has to stop by itself before its process is ended


@dataclass
class Job:
    """A run that is queued or goes on.

    Attributes
    ----------
    id : of the run
    phase : queued, building, driving, saving, then its status
    time, end : how far it is, s
    """

    id: str
    folder: Path
    label: str
    phase: str = "queued"
    time: float = 0.0
    end: float = 0.0
    stopping: bool = False
    done: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def fraction(self) -> float:
        """Between 0 and 1."""
        return min(1.0, self.time / self.end) if self.end > 0 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"id": self.id, "label": self.label, "phase": self.phase, "time": self.time, "end": self.end}


class Jobs:
    """The queue.

    Attributes
    ----------
    revision : changes with every step of every job
    """

    def __init__(self, workbench: Workbench, lanes: int = 1) -> None:
        self.workbench, self.lanes = workbench, lanes
        self.queue: list[Job] = []
        self.running: dict[str, Job] = {}
        self.revision = 0
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._processes: dict[int, Process] = {}
        self._helper: Process | None = None
        self._asking = asyncio.Lock()
        self._ended = False

    # --- life -------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to work; what an earlier server left unfinished is stored or queued again."""
        self._recover()
        self._tasks = [asyncio.create_task(self._lane(k)) for k in range(self.lanes)]

    async def close(self) -> None:
        """End the processes; runs that go on keep what they have."""
        self._ended = True
        for job in [*self.running.values()]:
            self.stop(job.id)
        if self.running:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.gather(*(j.done.wait() for j in self.running.values())), PATIENCE)
        for task in self._tasks:
            task.cancel()
        for process in (*self._processes.values(), *([self._helper] if self._helper else [])):
            process.close()

    def _recover(self) -> None:
        runs = self.workbench.runs
        for info in reversed(runs.list()):
            if info.source != "session" or info.status not in ("queued", "running"):
                continue
            if info.status == "queued":
                self._enqueue(Job(info.id, info.folder, info.label))
                continue
            with suppress(JounceError):
                worker.salvage(info.folder, "the workbench ended while it went on")
                self.workbench.log.add(
                    "warning", "was cut off when the workbench ended; what it had is kept", info.label
                )
            runs.changed(info.id)

    # --- runs -------------------------------------------------------------------------------------------------------

    def submit(
        self,
        vehicle: Mapping[str, Any],
        event: Mapping[str, Any],
        options: Mapping[str, Any] | None = None,
        label: str = "",
    ) -> Job:
        """Queue a run.

        Parameters
        ----------
        vehicle : name, source (name or place), steps (changes, one after the other), changes (what differs, for people)
        event : as `Event.to_dict`
        options : of ``jounce.run``
        """
        asked = {name: value for name in OF_RUNS if (value := self.workbench.preferences[name])}
        name = label.strip() or f"{vehicle['name']} {event.get('event', '')}".strip()
        id, folder = self.workbench.runs.new(name)
        job = {
            "label": name,
            "vehicle": dict(vehicle),
            "event": dict(event),
            "options": {**asked, **(options or {})},
            "status": "queued",
            "created": time.time(),
        }
        write_atomically(folder / JOB, json.dumps(job, ensure_ascii=False) + "\n")
        found = Job(id, folder, name)
        self._enqueue(found)
        self.workbench.runs.changed()
        return found

    def _enqueue(self, job: Job) -> None:
        self.queue.append(job)
        self.revision += 1
        self._wake.set()

    def find(self, id: str) -> Job | None:
        """A job that is not done."""
        return self.running.get(id) or next((job for job in self.queue if job.id == id), None)

    def stop(self, id: str) -> None:
        """Stop a run, which keeps what it has; one that waits is taken out of the queue."""
        job = self.find(id)
        if job is None:
            raise ParameterError(f"run {id!r}: does not go on")
        job.stopping = True
        if job in self.queue:
            self.queue.remove(job)
            worker.set_status(job.folder, "failed", "taken out of the queue")
            self._ends(job, "failed")
        else:
            (job.folder / worker.STOP).touch()
        self.revision += 1

    async def _lane(self, number: int) -> None:
        try:
            await self._warm(number)
        except (EOFError, RuntimeError):
            self._processes.pop(number, None)
        while not self._ended:
            if not self.queue:
                self._wake.clear()
                await self._wake.wait()
                continue
            job = self.queue.pop(0)
            self.running[job.id] = job
            await self._perform(number, job)

    async def _warm(self, number: int) -> None:
        await asyncio.to_thread(self._process(number).ask, worker.warm)

    def _process(self, number: int) -> Process:
        if number not in self._processes:
            self._processes[number] = Process()
        return self._processes[number]

    async def _perform(self, number: int, job: Job) -> None:
        watch = asyncio.create_task(self._watch(number, job))
        roots = [str(path) for path in self.workbench.folders.paths]
        code = [str(path) for path in self.workbench.own.folders]
        try:
            process = self._process(number)
            status = await asyncio.to_thread(process.ask, worker.perform, str(job.folder), roots, code)
        except EOFError as ended:
            self._processes.pop(number).close()
            why = "stopped" if job.stopping else f"its process ended: {ended}"
            await asyncio.to_thread(worker.salvage, job.folder, why)
            status = read_job(job.folder)["status"]
        except RuntimeError as bug:
            worker.set_status(job.folder, "failed", f"a bug of jounce: {bug}")
            status = "failed"
        finally:
            watch.cancel()
        self.running.pop(job.id, None)
        self._ends(job, status)

    def _ends(self, job: Job, status: str) -> None:
        log, link = self.workbench.log, f"/review?run={job.id}"
        job.phase = status
        self.workbench.runs.changed(job.id)
        with suppress(JounceError):
            reason = read_job(job.folder).get("reason", "")
            level = {"complete": "good", "partial": "warning"}.get(status, "error")
            log.add(level, f"{status}: {reason}" if reason else status, job.label, link)  # type: ignore[arg-type]
            for line in worker.told(job.folder):
                if line.get("phase") == "warning":
                    log.add("warning", line["text"], job.label, link)
        job.done.set()
        self.revision += 1

    async def _watch(self, number: int, job: Job) -> None:
        """Follow the files of a run, and end its process where it does not stop by itself."""
        asked = 0.0
        while True:
            lines = worker.told(job.folder) if job.phase in ("queued", "building") else []
            phase = lines[-1]["phase"] if lines else job.phase
            now, end = worker.progress_of(job.folder)
            if (phase, now, end) != (job.phase, job.time, job.end):
                if phase != job.phase:
                    self.workbench.runs.changed(job.id)
                job.phase, job.time, job.end = phase, now, end
                self.revision += 1
            if job.stopping:
                asked = asked or time.monotonic()
                if time.monotonic() - asked > PATIENCE and not self._saves(job):
                    self._process(number).kill()
                    return
            await asyncio.sleep(0.05)

    @staticmethod
    def _saves(job: Job) -> bool:
        """Whether a run that was stopped has heard it, and stores what it has."""
        lines = worker.told(job.folder)
        return bool(lines) and lines[-1]["phase"] == "saving"

    # --- other questions --------------------------------------------------------------------------------------------

    async def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function of a module returns, computed in a process of its own; one question at a time.

        Raises
        ------
        JounceError
            What the function raises; ParameterError where its process ended.
        """
        async with self._asking:
            if self._helper is None:
                self._helper = Process()
            try:
                return await asyncio.to_thread(self._helper.ask, function, *arguments)
            except EOFError as ended:
                self._helper.close()
                self._helper = None
                raise ParameterError(f"the process that computed it ended: {ended}") from None
