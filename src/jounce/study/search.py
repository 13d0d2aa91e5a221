"""Searches for limits: the largest or smallest value of a number for which a condition on a run's figures holds.

    found = search("sedan", "double-lane-change", "speed", "cones_hit == 0")
    found.value, found.beyond, found.trials

The number is a parameter of the event (``speed``) or a path of the vehicle (``body.mass``). From where it stands the
search steps outwards, each step twice the one before, until the condition changes, and then halves the interval between
the last value that fulfils it and the first that does not:

    n ≥ log₂((b − a)/ε) halvings for an interval a … b and a tolerance ε                                           (1)

That is the limit only where the condition changes once. So some values on both sides are tried too; one that
contradicts is told, and ``monotone`` is False. A run that does not come to its end fulfils nothing, unless the
condition asks for ``status``.

What must be found before (the hand wheel angle for 0.3 g) is a search of its own, on a car that is changed in the same
way: `First`.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.fields import meta, walk
from jounce.core.units import convert, parse
from jounce.core.writing import write_atomically
from jounce.events.base import Event
from jounce.events.batch import OF_EVENT, Case, batch
from jounce.events.options import Options
from jounce.events.procedure import Before
from jounce.events.registry import find
from jounce.study.condition import Condition
from jounce.vehicle.reading import read

if TYPE_CHECKING:
    from jounce.results.run import Run
    from jounce.vehicle.schema import Vehicle

PRECISION = 0.005  # tolerance over the value, where nobody says: 0.5 km/h at 100 km/h
FIRST_STEP = 0.1  # over the value
WIDE = 100.0  # times and parts of a number of which nothing is known: ends of its range
MOST_STEPS = 60  # outwards or inwards: doubling and halving are through with any number by then
CHECKS = 3  # further values on the side that fulfils, where it must hold, and on the other, where it must not

_FIRST = re.compile(r"\s*([\w-]+)\s*:\s*([\w.]+)\s+until\s+(.+?)(?:\s+as\s+([\w.]+))?\s*")
_BEFORE = re.compile(r"\s*([\w-]+)\s*:\s*(\w+)\s+as\s+(\w+)\s*")


@dataclass(frozen=True)
class Trial:
    """One run of a search: the value (SI), whether the condition held, what could not be told, and its figures."""

    value: float
    holds: bool
    reason: str
    status: str
    figures: Mapping[str, tuple[float, str]] = field(repr=False)


@dataclass(frozen=True)
class First:
    """A search before the search: the smallest ``parameter`` of an event for which a condition holds.

    Its value is given to the event of the search, as ``name``.
    """

    event: Event
    parameter: str
    condition: Condition
    name: str

    @classmethod
    def read(cls, text: str) -> First:
        """``step-steer: amplitude until ay_steady >= 0.3 g as amplitude``."""
        found = _FIRST.fullmatch(text)
        if found is None:
            raise ParameterError(
                f"first {text!r}: expected 'EVENT: PARAMETER until CONDITION', such as "
                "'step-steer: amplitude until ay_steady >= 0.3 g', or 'EVENT: FIGURE as PARAMETER', such as "
                "'slowly-increasing-steer: steering_at_nominal as amplitude'"
            )
        event, parameter, condition, name = found.groups()
        return cls(find(event)(), parameter, Condition.read(condition), name or parameter)


def read_first(text: str) -> First | Before:
    """What is done before a search: another search (`First.read`), or an event whose key figure is taken.

    ``slowly-increasing-steer: steering_at_nominal as amplitude`` gives that figure to the parameter ``amplitude``.
    """
    found = _BEFORE.fullmatch(text)
    return First.read(text) if found is None else Before(find(found.group(1))(), found.group(2), found.group(3))


@dataclass(frozen=True)
class Found:
    """What a search came to.

    value : the last that fulfils the condition, SI; nan where none does
    beyond : the nearest that does not; nan where all do
    """

    parameter: str
    unit: str
    condition: str
    value: float
    beyond: float
    monotone: bool
    trials: list[Trial]
    remarks: list[str]
    first: dict[str, float] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether there is a limit, and only one."""
        return math.isfinite(self.value) and self.monotone

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        trials = [
            {
                "value": one.value,
                "holds": one.holds,
                "status": one.status,
                "reason": one.reason,
                "figures": {k: [v if math.isfinite(v) else None, unit] for k, (v, unit) in one.figures.items()},
            }
            for one in self.trials
        ]
        return {
            "parameter": self.parameter,
            "unit": self.unit,
            "condition": self.condition,
            "value": self.value if math.isfinite(self.value) else None,
            "beyond": self.beyond if math.isfinite(self.beyond) else None,
            "monotone": self.monotone,
            "first": dict(self.first),
            "remarks": list(self.remarks),
            "trials": trials,
        }

    def write_log(self, path: str | os.PathLike[str]) -> Path:
        """Write the trials as CSV, in their order."""
        figures = list(dict.fromkeys((name, unit) for one in self.trials for name, (_, unit) in one.figures.items()))
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        heads = [f"{name} [{unit}]" for name, unit in figures]
        writer.writerow([f"{self.parameter} [{self.unit}]", "holds", "status", "reason", *heads])
        for one in self.trials:
            own = {(name, unit): value for name, (value, unit) in one.figures.items()}
            numbers = [own.get(key, math.nan) for key in figures]
            cells = [repr(float(x)) if math.isfinite(x) else "" for x in numbers]
            writer.writerow([repr(one.value), str(one.holds).lower(), one.status, one.reason, *cells])
        return write_atomically(path, text.getvalue())


def search(
    vehicle: Vehicle | str,
    event: Event | str,
    parameter: str,
    condition: Condition | str,
    *,
    maximise: bool = True,
    low: float | str | None = None,
    high: float | str | None = None,
    tolerance: float | str | None = None,
    first: Iterable[First | Before | str] = (),
    told: Callable[[Trial], None] | None = None,
    **options: Any,
) -> Found:
    """Find the largest (or smallest) value of a number for which a condition holds.

    Parameters
    ----------
    vehicle, event : or their names
    parameter : of the event, or a path of the vehicle, with a number
    condition : see `jounce.study.condition`
    maximise : False for the smallest value
    low, high : ends of the range; default those of what is usual for the number
    tolerance : of the value; default 0.5 % of it
    first : searches before it, and events whose key figures become parameters; see `read_first`
    told : called with every trial
    options : of `jounce.run`
    """
    car = read(vehicle) if isinstance(vehicle, str) else vehicle
    base = find(event)() if isinstance(event, str) else event
    wanted = Condition.read(condition) if isinstance(condition, str) else condition
    given, remarks = {}, []
    for item in first:
        one = read_first(item) if isinstance(item, str) else item
        if isinstance(one, Before):
            value, unit, _ = one.find(car, Options.of(**options))
            if one.name not in type(base).model_fields:
                raise ParameterError(f"first: {base.kind} has no parameter {one.name!r}")
            given[one.name] = convert(value, unit, str(meta(type(base).model_fields[one.name]).get("unit", "-")))
            base = base.changed(**{one.name: given[one.name]})
            continue
        before = search(car, one.event, one.parameter, one.condition, maximise=False, tolerance=None, **options)
        if not math.isfinite(before.value):
            raise ParameterError(f"first: {one.event.kind}: no {one.parameter} for which {one.condition.text}")
        remarks += [f"first, {one.event.kind}: {text}" for text in before.remarks]
        given[one.name] = before.value
        base = base.changed(**{one.name: before.value})
    start, unit, bounds = _number(car, base, parameter)
    limits = [
        bounds[k] if text is None else parse(text, unit, f"{name} of {parameter}")
        for k, (name, text) in enumerate((("low", low), ("high", high)))
    ]
    if not limits[0] < limits[1]:
        raise ParameterError(f"search: {parameter}: low = {limits[0]:g} is not below high = {limits[1]:g}")
    if not limits[0] <= start <= limits[1]:
        start = min(max(start, limits[0]), limits[1])
    width = None if tolerance is None else parse(tolerance, unit, f"tolerance of {parameter}")
    if width is not None and not width > 0:
        raise ParameterError(f"search: tolerance = {tolerance}: must be above 0")
    bisection = _Bisection(_Runner(car, base, parameter, wanted, options, told), maximise, limits, width)
    good, bad = bisection.find(start)
    monotone = bisection.check(good, bad)
    remarks += bisection.remarks
    value = math.nan if good is None else good
    beyond = math.nan if bad is None else bad
    return Found(parameter, unit, wanted.text, value, beyond, monotone, bisection.run.trials, remarks, given)


def _number(car: Vehicle, event: Event, parameter: str) -> tuple[float, str, tuple[float, float]]:
    """Value, unit and ends of a number of the event or the vehicle."""
    value: Any
    info: Any
    if parameter in type(event).model_fields:
        value, info = getattr(event, parameter), type(event).model_fields[parameter]
    else:
        found = {path: (value, info) for path, value, info in walk(car) if _is_number(value)}
        if parameter not in found:
            known = [k for k in type(event).model_fields if _is_number(getattr(event, k))]
            hint = did_you_mean(parameter, [*known, *found])
            raise ParameterError(f"search: {parameter!r} is no number of {event.kind} or of the vehicle{hint}")
        value, info = found[parameter]
    if not _is_number(value):
        raise ParameterError(f"search: {parameter} = {value!r}: is no number; give it one with --set")
    return float(value), str(meta(info).get("unit", "-") if info is not None else "-") or "-", _ends(float(value), info)


def _ends(value: float, info: Any) -> tuple[float, float]:
    """Where a search ends that nobody gave ends: what is usual for the number, on its side of zero, and its bounds."""
    known = meta(info).get("typical") if info is not None else None
    small, large = known if known is not None else (abs(value) / WIDE, abs(value) * WIDE or 1.0)
    small, large = min(float(small), abs(value)), max(float(large), abs(value))
    lower, upper = (small, large) if value >= 0 else (-large, -small)
    for item in getattr(info, "metadata", ()) if info is not None else ():
        least = [float(x) for x in (getattr(item, "ge", None), getattr(item, "gt", None)) if x is not None]
        most = [float(x) for x in (getattr(item, "le", None), getattr(item, "lt", None)) if x is not None]
        lower, upper = max([lower, *least]), min([upper, *most])
    return lower, upper


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


class _Runner:
    """Runs trials and remembers them."""

    def __init__(
        self,
        car: Vehicle,
        event: Event,
        parameter: str,
        condition: Condition,
        options: Mapping[str, Any],
        told: Callable[[Trial], None] | None,
    ) -> None:
        self.car, self.event, self.parameter, self.condition = car, event, parameter, condition
        self.options, self.told = dict(options), told
        self.trials: list[Trial] = []
        self.of_event = parameter in type(event).model_fields

    def case(self, value: float) -> Case:
        return Case(self.car, self.event, {f"{OF_EVENT if self.of_event else ''}{self.parameter}": value})

    def __call__(self, value: float) -> bool:
        known = next((one for one in self.trials if one.value == value), None)
        return known.holds if known is not None else self.judge(value, self.case(value).run(self.options)).holds

    def many(self, values: list[float]) -> list[Trial]:
        runs = batch([self.case(value) for value in values], **self.options)
        return [self.judge(value, run) for value, run in zip(values, runs, strict=True)]

    def judge(self, value: float, run: Run) -> Trial:
        figures = dict(run.kpis) if len(run) else {}
        if not figures and not run.complete:
            trial = Trial(value, False, run.reason, run.status, {})
        else:
            words = {"status": run.status, "reason": run.reason, "verdict": run.verdict.word}
            holds, missing = self.condition.holds(figures, words)
            if not run.complete and "status" not in self.condition.names:
                holds, missing = False, [run.reason, *missing]
            trial = Trial(value, holds, "; ".join(missing), run.status, figures)
        self.trials.append(trial)
        if self.told is not None:
            self.told(trial)
        return trial


class _Bisection:
    """The search on a line whose positive direction is the wanted one."""

    def __init__(self, run: _Runner, maximise: bool, limits: list[float], width: float | None) -> None:
        self.run, self.sign, self.width = run, 1.0 if maximise else -1.0, width
        self.inner, self.outer = limits if maximise else limits[::-1]
        self.remarks: list[str] = []

    def find(self, start: float) -> tuple[float | None, float | None]:
        """The last value that fulfils, and the first that does not."""
        good: float | None
        bad: float | None
        if self.run(start):
            good, bad = self._outwards(start, self.outer, True)
        else:
            bad, good = self._outwards(start, self.inner, False)
        if good is None:
            self.remarks.append(f"no value from {start:g} to {bad:g} fulfils the condition")
        if bad is None:
            self.remarks.append(f"all values to {good:g} fulfil the condition: the limit lies beyond, or there is none")
        if good is None or bad is None:
            return good, bad
        for _ in range(MOST_STEPS):  # (1)
            if abs(bad - good) <= self._width(good, bad):
                break
            middle = 0.5 * (good + bad)
            if middle in (good, bad):
                break
            if self.run(middle):
                good = middle
            else:
                bad = middle
        return good, bad

    def _width(self, good: float, bad: float) -> float:
        return self.width if self.width is not None else PRECISION * max(abs(good), abs(bad))

    def _outwards(self, start: float, end: float, now: bool) -> tuple[float, float | None]:
        """Step towards an end until the condition changes; the last value before, and the first after (or none)."""
        sign = self.sign if now else -self.sign
        last, step = start, FIRST_STEP * abs(start) or self.width or FIRST_STEP * abs(end - start)
        for _ in range(MOST_STEPS):
            if last == end:
                break
            value = last + sign * step
            value = min(value, end) if sign > 0 else max(value, end)
            if self.run(value) != now:
                return last, value
            last, step = value, 2.0 * step
        return last, None

    def check(self, good: float | None, bad: float | None) -> bool:
        """Try values on both sides; False, with a remark, where one contradicts."""
        if good is None or bad is None:
            return True
        tried = [one.value for one in self.run.trials]
        span = max(max(tried) - min(tried), abs(bad - good) * 4)
        inner = [good - self.sign * span * k / (CHECKS + 1) for k in range(1, CHECKS + 1)]
        outer = [bad + self.sign * span * k / (CHECKS + 1) for k in range(1, CHECKS + 1)]
        low, high = sorted((self.inner, self.outer))
        values = [v for v in (*inner, *outer) if low <= v <= high and v not in tried]
        self.run.many(values)
        late = [one for one in self.run.trials if one.holds and self.sign * (one.value - bad) >= 0]
        early = [one for one in self.run.trials if not one.holds and self.sign * (good - one.value) >= 0]
        wrong = sorted([*early, *late], key=lambda one: one.value)
        if wrong:
            told = ", ".join(f"{one.value:.6g} ({'fulfils' if one.holds else 'does not'})" for one in wrong)
            self.remarks.append(
                f"not monotone: the condition changes more than once: {told}; the limit at {good:.6g} is one of several"
            )
        return not wrong
