"""Procedures: events of several runs that follow from each other, with one result.

A rule asks for a series: amplitudes that grow, entry speeds that grow until a car lifts its wheels, both directions,
several stops. Such an event is a `Procedure`. It says which run comes next, from those that are done; each is the same
event with other parameters, which make it a single one:

    def following(self, done):
        return Planned(f"left, {gain:g} A", {"gain": gain, "direction": "left"})

Everything else is here: a car is made ready once for all runs that start alike, the progress, what is kept of every
run, which run is kept in full (the one with the largest `severity`), what happens when the user interrupts (the runs
that are done are the result, and say so), and what must be found before the runs (`before`), whose failure is told as
that of the event.

The result is a `Run`: the rows of the run that decides; ``run.trials`` has all of them (`jounce.results.trials`).
Figures and verdict of the kind follow from the trials where there are any.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from jounce.core.errors import JounceError, ParameterError, SimulationError
from jounce.core.fields import meta
from jounce.core.units import convert
from jounce.events.base import Event
from jounce.results.origin import pack, unpack
from jounce.results.trials import Trial, kept, trials_of

if TYPE_CHECKING:
    from jounce.events.options import Options
    from jounce.events.start import Start
    from jounce.results.run import Run
    from jounce.vehicle.schema import Vehicle

MOST_RUNS = 1000
INTERRUPTED = "interrupted"


def ladder(first: float, last: float, step: float) -> list[float]:
    """From the first to the last one in steps, of which the last may be shorter."""
    return [*(first + k * step for k in range(math.ceil((last - first) / step - 1e-9))), last]


@dataclass(frozen=True)
class Planned:
    """The next run: its name, and the parameters that are its own."""

    name: str
    changes: Mapping[str, Any]


@dataclass(frozen=True)
class Before:
    """A pre-event: an event whose key figure becomes a parameter of another event.

    event : what is driven before
    figure : its key figure
    name : the parameter that takes its value
    """

    event: Event
    figure: str
    name: str

    def find(self, vehicle: Vehicle, options: Options) -> tuple[float, str, Run]:
        """The figure, its unit, and the run that it comes from.

        Raises
        ------
        SimulationError : the run ended early, or has no such figure; the message says what it was
        """
        from jounce.events.engine import drive

        quiet = replace(
            options, progress=None, live=None, stream=None, pace=None, channels=None, output_map=None, changes={}
        )
        try:
            run = drive(vehicle, self.event, quiet)
        except JounceError as problem:
            raise SimulationError(f"the pre-event {self.event.kind} failed: {problem}") from problem
        if run.reason.startswith(INTERRUPTED):
            raise KeyboardInterrupt
        value, unit = run.figures.get(self.figure, (math.nan, "-"))
        if not math.isnan(value):
            return value, unit, run
        why = [text for text in (*run.kpi_warnings, "" if run.complete else run.reason) if text]
        raise SimulationError(
            f"the pre-event {self.event.kind} failed: it gives no {self.figure}: {'; '.join(why) or 'no such figure'}"
        )


class Procedure(Event):
    """An event that may be a series of runs; see the module. Beside another event it is the last base, so that the
    default values are those of the other: ``class Pairs(StepSteer, Procedure)``.

    moves : names of parameters that change neither the car nor how it starts: runs that differ in these only share
        their start
    watches : channels that are kept of every run beside the usual signals
    """

    moves: ClassVar[tuple[str, ...]] = ()
    watches: ClassVar[tuple[str, ...]] = ()

    @property
    def several(self) -> bool:
        """Whether the event is a series; otherwise it is an event like any other."""
        return False

    def following(self, done: Sequence[Trial]) -> Planned | None:
        """The next run; None when the series is over."""
        raise NotImplementedError

    def expected(self, done: Sequence[Trial]) -> int:
        """How many runs there will be, as far as one can tell: for the progress."""
        return len(done) + 1

    def severity(self, run: Run) -> float:
        """How near a run comes to missing the criteria: the largest is kept in full."""
        return 0.0

    def before(self) -> Before | None:
        """What is driven before; None: everything is known."""
        return None

    # -- what the engine asks ---------------------------------------------------------------------------------

    def found_before(self, vehicle: Vehicle, options: Options) -> tuple[Self, dict[str, Any]]:
        """The event with what its pre-event finds, and what is kept of that."""
        wanted = self.before()
        if wanted is None:
            return self, {}
        try:
            value, unit, run = wanted.find(vehicle, options)
        except SimulationError as problem:
            raise SimulationError(f"{self.kind}: {problem}") from problem
        own = str(meta(type(self).model_fields[wanted.name]).get("unit", "-"))
        told = {
            "event": wanted.event.kind,
            "parameters": run.metadata["event"]["parameters"],
            "figures": {name: list(item) for name, item in run.kpis.items()},
            "warnings": run.kpi_warnings,
        }
        return self.changed(**{wanted.name: convert(value, unit, own)}), told

    def prepared(self, start: Start) -> Self:
        if self.several:
            raise ParameterError(f"{self.kind}: is a series of runs here; say which one: {', '.join(self.moves[:3])} …")
        found, told = self.found_before(start.vehicle, start.options)
        if told:
            start.notes["before"] = told
        return found

    def computed(self, vehicle: Vehicle, options: Options) -> Run | None:
        return _driven(self, vehicle, options) if self.several else None


def _driven(event: Procedure, vehicle: Vehicle, options: Options) -> Run:
    """All runs of a procedure, as one result."""
    begun = clock.perf_counter()
    whole, told = event.found_before(vehicle, options)
    series = _Series(whole, vehicle, options)
    interrupted = False
    try:
        while not interrupted and (planned := whole.following(series.trials)) is not None:
            if len(series.trials) >= MOST_RUNS:
                raise SimulationError(f"{event.kind}: more than {MOST_RUNS} runs; take larger steps")
            interrupted = series.drive(planned)
    except KeyboardInterrupt:  # between two runs
        if not series.trials:
            raise
        interrupted = True
    return series.result(told, interrupted, clock.perf_counter() - begun)


class _Series:
    """The runs of a procedure that are done, and the one that decides."""

    def __init__(self, event: Procedure, vehicle: Vehicle, options: Options) -> None:
        self.event, self.vehicle, self.options = event, vehicle, options
        self.kept: list[dict[str, Any]] = []
        self.trials: tuple[Trial, ...] = ()
        self.worst: tuple[float, str, Run] | None = None
        self.starts: dict[str, Start] = {}
        self.warnings: dict[str, None] = {}
        self.simulated = self.wall = 0.0

    def drive(self, planned: Planned) -> bool:
        """Drive the next run; returns whether it was interrupted."""
        from jounce.events.engine import driven

        single = self.event.changed(**planned.changes)
        start = self._start(single)
        single = cast("Procedure", start.event).changed(**planned.changes)  # where it takes place
        run = driven(start, replace(self._quiet(), progress=self._progress(single)), single)
        own = {name: item for name, item in single.parameters().items() if name in planned.changes}
        self.kept.append(kept(planned.name, run, own, self.event.watches))
        self.trials = (*self.trials, *trials_of({"trials": self.kept[-1:]}))
        self.warnings |= dict.fromkeys(run.warnings)
        self.simulated += run.metadata["timing"]["simulated"]
        self.wall += run.metadata["timing"]["wall"]
        severity = self.event.severity(run)
        if self.worst is None or severity > self.worst[0]:
            self.worst = severity, planned.name, run
        return not run.complete and run.reason.startswith(INTERRUPTED)

    def _start(self, single: Procedure) -> Start:
        """A car ready to start, the same for all runs that start alike."""
        from jounce.events.engine import make_ready

        key = repr(sorted((n, v) for n, v in single.to_dict().items() if n not in self.event.moves))
        if key not in self.starts:
            self.starts.clear()  # series go on from one start to the next
            self.starts[key] = make_ready(self.vehicle, single, self._quiet())
        return self.starts[key]

    def _quiet(self) -> Options:
        return replace(self.options, channels=None, output_map=None)

    def _progress(self, single: Procedure) -> Any:
        told, number = self.options.progress, len(self.trials)
        if told is None:
            return None
        total = max(self.event.expected(self.trials), number + 1)
        return lambda now, end: told(number * single.end_time + now, total * single.end_time)

    def result(self, before: Mapping[str, Any], interrupted: bool, seconds: float) -> Run:
        assert self.worst is not None
        event, (_, name, run) = self.event, self.worst
        data, hashes = pack({**unpack(run.metadata["data"]), "event": event.to_dict()})
        count = len(self.trials)
        metadata = {
            "event": {"kind": event.kind, "name": event.title, "parameters": event.parameters()},
            "data": data,
            "hashes": {key: hashes[key] for key in run.metadata["hashes"]},
            "status": "partial" if interrupted else "complete",
            "reason": f"{INTERRUPTED} in run {count}" if interrupted else f"{count} runs",
            "warnings": [text for text in self.warnings if not text.startswith("ended early")],
            "timing": run.metadata["timing"]
            | {"simulated": self.simulated, "wall": self.wall, "total": seconds}
            | {"real_time_factor": self.simulated / self.wall if self.wall > 0 else float("inf")},
            "trials": self.kept,
            "decisive": name,
        }
        if before:
            metadata["before"] = before
        whole = run.with_metadata(**metadata)
        whole = _only(whole, self.options.channels) if self.options.channels is not None else whole
        return self.options.output_map.apply(whole) if self.options.output_map is not None else whole


def _only(run: Run, wanted: Sequence[str]) -> Run:
    """A run with the channels that match names or patterns; a name without a match is complained about."""
    from jounce.results.run import Run

    names: dict[str, None] = {}
    for pattern in wanted:
        matching = [name for name in run.names if fnmatchcase(name, pattern)]
        names |= dict.fromkeys(matching or [run.find(pattern)])
    return Run(run.time, {n: run[n] for n in names}, {n: run.unit(n) for n in names}, run.metadata)
