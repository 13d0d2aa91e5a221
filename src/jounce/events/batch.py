"""Many cars and events on all cores.

    cases = [Case("sedan", StepSteer(), {"body.mass": f"{m} kg"}, name=f"{m} kg") for m in (1400, 1500, 1600)]
    runs = batch(cases)
    best = min((r for r in runs if r.complete), key=lambda r: r.kpis["yaw_rate_t90"][0])

Half to three quarters of the time of a run is Python (reading tires, equilibrium, key figures), which holds the
interpreter's lock, so threads would not help much: cases go to processes of their own (`jounce.events.worker`), which
know nothing of the script that started them. Where a batch is over before a process would be up, none is started. A
case is run by `jounce.run` wherever it happens, so its numbers are the same bits.

What goes wrong in one case stays there: its run has no rows, ``complete`` is False and ``reason`` says what it was.
"""

from __future__ import annotations

import pickle
import time as clock
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from jounce.core.errors import JounceError, ParameterError, did_you_mean
from jounce.core.pool import answers
from jounce.events.base import Event
from jounce.events.engine import run as drive
from jounce.events.registry import find
from jounce.events.worker import Process, Worker
from jounce.results.run import Run
from jounce.runtime.compile import processors
from jounce.vehicle.reading import load

if TYPE_CHECKING:
    from jounce.runtime.bindings import Library
    from jounce.runtime.recording import Recording
    from jounce.runtime.simulation import Simulation
    from jounce.sim.batch import Variant
    from jounce.vehicle.schema import Vehicle

Progress = Callable[[int, int], None]

START = 2.0  # s until a process has imported what it needs: shorter batches start none
OF_EVENT = "event."  # prefix of changes that belong to the event
OPTIONS = (
    *("step", "method", "input_time", "interval", "channels"),
    *("tires", "road", "parameters", "output_map", "inputs"),
)


@dataclass(frozen=True)
class Case:
    """One run of a batch: a car, an event, and what is different in them.

    Parameters
    ----------
    vehicle : a vehicle, or the name or file of one
    event : an event, or the name of one
    changes : values by path of the vehicle, ``front_suspension.spring.rate``; with ``event.`` before it by parameter of
        the event, ``event.speed``. Kept with the result, in ``run.metadata["parameters"]``
    name : for messages and legends
    options : of `jounce.run`, instead of those of the batch: step, method, input_time, interval, channels, tires, road,
        parameters, output_map, inputs
    """

    vehicle: Vehicle | str
    event: Event | str
    changes: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def parts(self) -> tuple[Vehicle, Event]:
        """The vehicle and the event, changed."""
        vehicle = load(self.vehicle) if isinstance(self.vehicle, str) else self.vehicle
        event = find(self.event)() if isinstance(self.event, str) else self.event
        of_event = {k.removeprefix(OF_EVENT): v for k, v in self.changes.items() if k.startswith(OF_EVENT)}
        of_vehicle = {k: v for k, v in self.changes.items() if not k.startswith(OF_EVENT)}
        event = event.changed(**of_event) if of_event else event
        return (vehicle.with_(**of_vehicle) if of_vehicle else vehicle), event

    def run(self, options: Mapping[str, Any]) -> Run:
        """Drive it; what goes wrong comes back as a run without rows."""
        try:
            vehicle, event = self.parts()
            result = drive(vehicle, event, changes=self.changes, **{**options, **self.options})
        except Exception as error:  # whatever the caller's numbers, files or names can cause
            text = str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}"
            return self.empty(text)
        return result.with_metadata(label=self.name) if self.name else result

    def empty(self, reason: str) -> Run:
        """The result of a case that has none."""
        vehicle = self.vehicle if isinstance(self.vehicle, str) else getattr(self.vehicle, "name", "")
        kind = self.event if isinstance(self.event, str) else getattr(self.event, "kind", "")
        metadata = {
            "status": "partial",
            "reason": reason,
            "vehicle": {"name": vehicle},
            "event": {"kind": kind},
            "parameters": {name: str(value) for name, value in self.changes.items()},
            **({"label": self.name} if self.name else {}),
        }
        return Run(np.zeros(0), {}, {}, metadata)


@overload
def batch(
    source: Iterable[Case], *, workers: int | None = ..., progress: Progress | None = ..., **options: Any
) -> list[Run]: ...
@overload
def batch(
    source: Library | Simulation,
    runs: Iterable[Variant | Mapping[str, float | str]],
    *,
    workers: int | None = ...,
    progress: Progress | None = ...,
    **options: Any,
) -> list[Recording]: ...
def batch(
    source: Any,
    runs: Any = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Any:
    """Make many runs on all cores and return their results in order.

    Parameters
    ----------
    source : a list of `Case`: cars and events; or a compiled model or a simulation, with ``runs``
    runs : of one model: what is different in each (`Variant`, or parameters by name)
    workers : how many at a time, default one per processor
    progress : called in the calling thread with (runs done, runs in all) after every run
    options : for cases those of `jounce.run`: step, method, input_time, interval, channels, tires, road, parameters,
        output_map, inputs; for one model those of `Simulation.run`: t_end, program, step, method, iprint, interval,
        channels, check_outputs, input_time

    Returns
    -------
    For cases one `Run` each; where ``complete`` is False, ``reason`` says why: the run ended early, could not start, or
    Ctrl-C came. For one model one `Recording` each, see `jounce.sim.batch.batch`.
    """
    if runs is not None or not isinstance(source, Iterable):
        from jounce.sim.batch import batch as of_one_model

        if runs is None:
            raise ParameterError(
                f"batch: a {type(source).__name__} needs its runs: jn.batch(model, [jn.Variant(…), …]); "
                "cars need none: jn.batch([jn.Case(vehicle, event), …])"
            )
        return of_one_model(source, runs, workers=workers, progress=progress, **options)
    return run_cases(source, workers=workers, progress=progress, options=options)


def run_cases(
    source: Iterable[Case], *, workers: int | None, progress: Progress | None, options: Mapping[str, Any]
) -> list[Run]:
    """Drive all cases; see `batch`."""
    cases = list(source)
    for k, case in enumerate(cases):
        if not isinstance(case, Case):
            raise ParameterError(
                f"batch: entry {k} is a {type(case).__name__}; expected jn.Case(vehicle, event), or give a compiled "
                "model and its runs"
            )
        _check_options(case.options, f"case {k}")
    _check_options(options, "batch")
    count = processors() if workers is None else workers
    if count < 1:
        raise ParameterError(f"workers = {workers}: must be 1 or more")
    done: list[Run | None] = [None] * len(cases)
    told = _Count(len(cases), progress)
    try:
        left = _here(cases, options, done, told, START if count > 1 else float("inf"))
        if left:
            questions = [(cases[k], dict(options)) for k in left]
            for number, result in answers(Worker.run, questions, count, _lost(cases, left), lambda: Process()):
                done[left[number]] = result
                told.one_more()
    except KeyboardInterrupt:
        pass  # what is done is kept
    return [
        case.empty("interrupted before it was done") if result is None else result
        for case, result in zip(cases, done, strict=True)
    ]


def _lost(cases: Sequence[Case], left: Sequence[int]) -> Callable[[int, str], Run]:
    return lambda number, why: cases[left[number]].empty(f"the process that ran it ended: {why}")


def _check_options(options: Mapping[str, Any], where: str) -> None:
    for name in options:
        if name not in OPTIONS:
            hint = "; give it to the Case" if name == "changes" else did_you_mean(name, OPTIONS)
            raise ParameterError(f"{where}: jounce.run in a batch has no option {name!r}{hint}")


class _Count:
    """Tells how many runs are done."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.total, self.progress, self.done = total, progress, 0

    def one_more(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _here(
    cases: Sequence[Case], options: Mapping[str, Any], done: list[Run | None], told: _Count, limit: float
) -> list[int]:
    """Drive cases in this process while that is the quicker way; return the numbers of those left.

    The first one always: it compiles the model if that is not in the cache, and the others find it there.
    """
    for k, case in enumerate(cases):
        begin = clock.perf_counter()
        done[k] = case.run(options)
        told.one_more()
        spent = clock.perf_counter() - begin
        left = len(cases) - k - 1
        if left > 1 and left * spent > limit:
            if _portable(cases, options):
                return list(range(k + 1, len(cases)))
            limit = float("inf")
    return []


def _portable(cases: Sequence[Case], options: Mapping[str, Any]) -> bool:
    """Whether cases can be sent to another process; what a script defines itself cannot."""
    if not Process.possible():
        return False
    try:
        data = pickle.dumps((tuple(cases), dict(options)))
    except Exception:  # pickle raises whatever an object raises
        return False
    return b"__main__" not in data
