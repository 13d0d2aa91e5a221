"""Many runs of one model on all cores.

Each run is a simulation of its own in a thread of its own; threads are enough because the time goes into C, and C runs
without Python's lock. A run is made by exactly the calls that make a single run, so its numbers are the same bits.

    recordings = batch(library, [Variant({"mass": m}) for m in masses], t_end="10 s", interval="10 ms")
    best = min((r for r in recordings if r.ok), key=lambda r: abs(r["roll"]).max())

What goes wrong in one run stays there: its recording has ``ok`` False, and ``failure`` and ``reason`` say what it was.
"""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from jounce.core.errors import JounceError, ParameterError
from jounce.core.tables import Table
from jounce.runtime.compile import processors
from jounce.runtime.duplicate import duplicate
from jounce.runtime.methods import Number
from jounce.runtime.options import IN_A_LOOP, RunKeywords, RunOptions
from jounce.runtime.program import Program
from jounce.runtime.recording import Failure, Recording, RunError
from jounce.runtime.simulation import Library, Simulation

LOOK = 0.1  # s between two looks at Ctrl-C while all workers are busy


@dataclass(frozen=True)
class Variant:
    """What one run of a batch has of its own; everything else is that of the batch.

    Parameters
    ----------
    parameters, states, memories, inputs : numbers by name (SI, or text with a unit)
    tables : tables by name
    services : by name, as for `Simulation.bind`; a Python callable holds Python's lock, a C function does not
    program, t_end, step, method : instead of the batch's
    setup : called with the simulation when all else is set: blocks, options, whatever a simulation offers
    name : for messages
    """

    parameters: Mapping[str, Number] = field(default_factory=dict)
    states: Mapping[str, Number] = field(default_factory=dict)
    memories: Mapping[str, Number] = field(default_factory=dict)
    inputs: Mapping[str, Number] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    services: Mapping[str, Any] = field(default_factory=dict)
    program: Program | None = None
    t_end: Number | None = None
    step: Number | None = None
    method: str | int | None = None
    setup: Callable[[Simulation], object] | None = None
    name: str = ""


def batch(
    source: Library | Simulation,
    runs: Iterable[Variant | Mapping[str, Number]],
    *,
    t_end: Number | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Unpack[RunKeywords],
) -> list[Recording]:
    """Make all runs and return their recordings in the order of ``runs``.

    Parameters
    ----------
    source : the model; given a simulation, every run starts from its numbers and state as they are now
    runs : what is different in each; a mapping stands for ``Variant(parameters=...)``
    t_end : as for `Simulation.run`
    workers : threads, default one per processor
    progress : called in the calling thread with (runs done, runs in all) after every run
    options : program, step, method, iprint, interval, channels, check_outputs, input_time as for `Simulation.run`

    Returns
    -------
    One `Recording` per run. Where ``ok`` is False, ``reason`` says why; with ``status`` "failed" there is a ``failure``
    too, whose ``kind`` is "setup" for a run that could not start (an unknown name, a bad number) and "outside" for an
    exception in a service or block; with "interrupted" (Ctrl-C) the rows until then are kept, as are all runs that
    were finished.

    Raises
    ------
    ParameterError
        When an argument of the batch itself is wrong; nothing has run then.
    """
    items = [run if isinstance(run, Variant) else Variant(parameters=run) for run in runs]
    plan = _Plan(source, RunOptions.of("batch", {"t_end": t_end, **options}, without=IN_A_LOOP))
    ends = t_end is not None or plan.source.program is not None
    if items and not ends and not any(r.t_end is not None or r.program is not None or r.setup for r in items):
        raise ParameterError("batch() needs an end: give t_end or a program, for the batch or for each Variant")
    count = processors() if workers is None else workers
    if count < 1:
        raise ParameterError(f"workers = {workers}: must be 1 or more")
    return _Pool(plan, items, min(count, max(len(items), 1))).results(progress)


class _Plan:
    """What all runs share, checked once."""

    def __init__(self, source: Library | Simulation, options: RunOptions) -> None:
        # A copy: the caller may go on with his own while the batch runs.
        self.source = duplicate(source)
        if options.program is not None and options.program is not self.source.program:
            self.source.set_program(options.program)
        if options.method is not None or options.step is not None:
            self.source.set_method(options.method, options.step)
        chosen = self.source.recorded(options.channels)
        self.channels = [v.name for v in chosen]
        self.units = tuple(v.unit for v in chosen)
        # what stands in the source already is left out: a run of its own step or program keeps that
        self.options = replace(options, program=None, method=None, step=None, channels=self.channels, on_error="return")

    def prepare(self, run: Variant) -> tuple[Simulation, RunOptions]:
        """Return the simulation of a run and the options of its `run`."""
        simulation = duplicate(self.source)
        if run.program is not None:
            simulation.set_program(run.program)
        if run.method is not None or run.step is not None:
            simulation.set_method(run.method, run.step)
        if run.parameters:
            simulation.set_parameters(run.parameters)
        simulation.set_tables(run.tables)
        simulation.set_memories(run.memories)
        if run.states:
            simulation.reset_state(run.states)
        simulation.set_inputs(run.inputs)
        for name, function in run.services.items():
            simulation.bind(name, function)
        if run.setup is not None:
            run.setup(simulation)
        return simulation, self.options if run.t_end is None else replace(self.options, t_end=run.t_end)

    def empty(self, status: str, reason: str, failure: Failure | None = None) -> Recording:
        """The recording of a run that did not start."""
        names, source = tuple(self.channels), self.source
        return Recording(
            np.zeros(0),
            np.zeros((0, len(names))),
            names,
            self.units,
            status=status,
            reason=reason,
            failure=failure,
            method=source.method,
            step=source.step,
            wall_time=0.0,
            _kinds=source.library.kinds,
        )


class _Pool:
    """Threads that take runs in order; results come back by number."""

    def __init__(self, plan: _Plan, items: Sequence[Variant], count: int) -> None:
        self.plan, self.items = plan, items
        self.done: list[Recording | None] = [None] * len(items)
        self.finished: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self.next = 0
        self.stop = threading.Event()
        # Setting up is Python throughout and could not overlap anyway; one at a time, nobody waits for a half-done one.
        self.lock = threading.Lock()
        names = [f"jounce-batch-{k}" for k in range(count)]
        self.threads = [threading.Thread(target=self._work, name=name, daemon=True) for name in names]

    def results(self, progress: Callable[[int, int], None] | None) -> list[Recording]:
        total = len(self.items)
        try:
            for thread in self.threads:
                thread.start()
            self._wait(total, progress)
        except KeyboardInterrupt:
            pass
        finally:
            self.stop.set()
            for thread in self.threads:
                if thread.ident is not None:
                    thread.join()
        none = self.plan.empty("interrupted", "interrupted before it started")
        return [none if recording is None else recording for recording in self.done]

    def _wait(self, total: int, progress: Callable[[int, int], None] | None) -> None:
        for done in range(1, total + 1):
            while True:
                try:
                    error = self.finished.get(timeout=LOOK)  # with a limit, so that Ctrl-C is seen on every system
                    break
                except queue.Empty:
                    continue
            if error is not None:
                raise error
            if progress is not None:
                progress(done, total)

    def _work(self) -> None:
        while not self.stop.is_set():
            with self.lock:
                k, self.next = self.next, self.next + 1
            if k >= len(self.items):
                return
            try:
                self.done[k] = self._one(self.items[k], k)
            except BaseException as error:  # a bug: the caller's thread raises it
                self.finished.put(error)
                return
            self.finished.put(None)

    def _one(self, run: Variant, number: int) -> Recording:
        label = f"run {number}" + (f" ({run.name})" if run.name else "")
        try:
            with self.lock:
                simulation, options = self.plan.prepare(run)
        except Exception as error:  # whatever the caller's numbers, tables or names can cause
            return _failed(self.plan.empty("failed", ""), "setup", run, f"{label}: {_text(error)}")
        try:
            return simulation.run_with(replace(options, progress=self._look))
        except RunError as error:  # an exception in a service or block: what was recorded comes with it
            return _failed(error.recording, "outside", run, f"{label}: {error}")
        except JounceError as error:  # found when the run began: an interval that does not fit its step
            return _failed(self.plan.empty("failed", ""), "setup", run, f"{label}: {error}")

    def _look(self, _fraction: float, _time: float) -> None:
        # Several times a second, between two stretches of C; a run ends on this with the rows it has.
        if self.stop.is_set():
            raise KeyboardInterrupt


def _failed(recording: Recording, kind: str, run: Variant, message: str) -> Recording:
    failure = Failure(kind, run.name, -1, math.nan, math.nan, recording.steps, message)
    return replace(recording, status="failed", reason=message, failure=failure, _index={})


def _text(error: Exception) -> str:
    return str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}"
