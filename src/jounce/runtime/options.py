"""What may be said about a run: one class for `Simulation.run`, `batch` and `export_c`, checked in one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import TYPE_CHECKING, Any, TypedDict

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.units import parse
from jounce.runtime.methods import Number, method_number, step_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from jounce.runtime.program import Program

IN_A_LOOP = ("on_error", "progress", "stream", "pace", "buffer_rows")
"""Options of a run that happens here and now; a batch and an export have none of them."""

Stream = Callable[[Mapping[str, str], "npt.NDArray[np.float64]"], None]

MOST_STEPS = 100_000_000_000
"""Of one run, and between two of its rows: a day of computing for the smallest model, and exact in every number."""

INPUT_TIMES = ("hold", "interpolate", "extrapolate")
"""What later stages of a step see of external blocks; numbered as JN_INPUT_... in C."""


class RunKeywords(TypedDict, total=False):
    """Keyword arguments that every run takes besides ``t_end``, for type checkers; `RunOptions` says what they mean."""

    program: Program | None
    step: Number | None
    method: str | int | None
    iprint: int | None
    interval: Number | None
    channels: Sequence[str] | str | None
    check_outputs: bool
    input_time: str | None


class LoopKeywords(RunKeywords, total=False):
    """Keyword arguments of `Simulation.run` besides ``t_end``."""

    on_error: str
    progress: Callable[[float, float], None] | None
    stream: Stream | None
    pace: float | None
    buffer_rows: int | None


@dataclass(frozen=True)
class RunOptions:
    """How far, with which program and method, and what is recorded.

    Parameters
    ----------
    t_end : s; the run ends at the first full step not before it. With a program it may be left out: then the
        program ends the run, after 3600 s at the latest.
    program : phase program; the one attached already goes on where it was
    step, method : change step (s) and method first
    iprint, interval : recording interval in full steps (0 = half steps too) or in s
    channels : names to record, default all
    check_outputs : whether a recorded channel that is not finite ends the run
    input_time : what later stages of a step see of inputs that external blocks write every full step: "hold" (at
        first), "interpolate" between the last two values, "extrapolate" beyond them; None leaves it
    on_error : "raise" a `RunError` or "return" the recording when a number is not finite
    progress : called with (fraction done, time) several times a second
    stream : called as often with the recorded channels (name: unit) and the rows since the last call, time first; they
        are a view that is overwritten later
    pace : times real time that the run takes at most, by waiting; None: as fast as it can
    buffer_rows : rows of one recorder buffer, for those who must know
    """

    t_end: Number | None = None
    program: Program | None = None
    step: Number | None = None
    method: str | int | None = None
    iprint: int | None = None
    interval: Number | None = None
    channels: Sequence[str] | str | None = None
    check_outputs: bool = True
    input_time: str | None = None
    on_error: str = "raise"
    progress: Callable[[float, float], None] | None = None
    stream: Stream | None = None
    pace: float | None = None
    buffer_rows: int | None = None

    def __post_init__(self) -> None:
        if self.on_error not in ("raise", "return"):
            raise ParameterError(f"on_error = {self.on_error!r}: must be 'raise' or 'return'")
        if self.input_time is not None:
            input_time_number(self.input_time)
        if self.program is not None:
            from jounce.runtime.program import Program

            if not isinstance(self.program, Program):
                raise ParameterError(f"program: expected a Program, got a {type(self.program).__name__}")
        number = 0 if self.method is None else method_number(self.method)
        if self.step is not None:
            step_of(self.step, number)
        if self.interval is not None:
            if self.iprint is not None:
                raise ParameterError("give iprint or interval, not both")
            seconds = parse(self.interval, "s", "interval")
            if not 0.0 < seconds < math.inf:
                raise ParameterError(f"interval = {self.interval}: must be above 0 s and finite")
            if self.step is not None:
                self.rows(step_of(self.step, number))
        if self.iprint is not None:
            check_iprint(self.iprint)
        if self.pace is not None and not 0.0 < self.pace < math.inf:
            raise ParameterError(f"pace = {self.pace}: must be above 0 and finite; 1 is real time")
        if self.end is not None and not math.isfinite(self.end):
            raise ParameterError(f"t_end = {self.end}: must be finite")

    @classmethod
    def of(cls, function: str, options: Mapping[str, Any], without: Collection[str] = ()) -> RunOptions:
        """Options from the keyword arguments of a public function; an unknown one is a TypeError that names it."""
        known = [field.name for field in fields(cls) if field.name not in without]
        for name in options:
            if name not in known:
                raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{did_you_mean(name, known)}")
        return cls(**options)

    @property
    def end(self) -> float | None:
        """End time in s, None where the program ends the run."""
        return None if self.t_end is None else parse(self.t_end, "s", "t_end")

    def rows(self, step: float) -> int | None:
        """IPRINT for a step: as given, or from the interval, which must be a multiple of the step."""
        if self.interval is None:
            return self.iprint
        return steps_of(self.interval, step)


def steps_of(interval: Number, step: float) -> int:
    """Steps from one row to the next, of an interval in s; raises where it is no multiple of the step."""
    steps = parse(interval, "s", "interval") / step
    if not 0.5 <= steps <= MOST_STEPS:
        most = f" and at most {MOST_STEPS:.0e} steps" if steps > 1 else ""
        raise ParameterError(f"interval = {interval}: must be a multiple of the step, {step:g} s{most}")
    if abs(steps - round(steps)) > 1e-6 * steps:
        near = " or ".join(f"{1e3 * n * step:g} ms" for n in (math.floor(steps), math.ceil(steps)) if n)
        raise ParameterError(f"interval = {interval}: must be a multiple of the step, {step:g} s; such as {near}")
    return round(steps)


def input_time_number(mode: str) -> int:
    """Return the number in C of what later stages see of external blocks; raises where there is no such mode."""
    if mode not in INPUT_TIMES:
        hint = did_you_mean(str(mode), INPUT_TIMES)
        raise ParameterError(f"input_time = {mode!r}: must be {', '.join(map(repr, INPUT_TIMES))}{hint}")
    return INPUT_TIMES.index(mode)


def check_iprint(steps: float) -> None:
    """Raise when a number of steps between two rows is none."""
    if isinstance(steps, bool) or not isinstance(steps, Real) or not 0 <= steps <= MOST_STEPS or steps != int(steps):
        raise ParameterError(f"IPRINT = {steps!r}: must be 0, 1, 2, … up to {MOST_STEPS}")
