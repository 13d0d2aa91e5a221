"""What a run leaves behind: `Recording`, the account of a `Failure`, and the step-halving check."""

from __future__ import annotations

import fnmatch
import math
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, SimulationError, did_you_mean
from jounce.core.generated import counted

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Failure:
    """Why a run failed: the first number that was not finite or, in a batch, what kept the run from starting."""

    kind: str  # state, derivative, memory, input, output, watch, signal; in a batch also setup, outside
    name: str
    index: int
    value: float
    time: float  # s
    step: int
    message: str


@dataclass(frozen=True)
class Trigger:
    """Why a phase program went from one phase to another, or stopped.

    Attributes
    ----------
    time : s
    phase, next : names; next is "" where the program stopped
    name : of the end condition; "override" where an input of the run chose the phase
    tests : what was compared, in words, with the value that was measured
    """

    time: float
    phase: str
    next: str
    name: str
    tests: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        what = "; ".join(f"{text}, measured {value:.6g}" for text, value in self.tests)
        return f"t = {self.time:.9g} s: {self.phase} -> {self.next or 'end'}: {self.name}{f' ({what})' if what else ''}"


class RunError(SimulationError):
    """A run could not go on; what was recorded until then comes with it."""

    def __init__(self, message: str, recording: Recording, failure: Failure | None = None) -> None:
        super().__init__(message)
        self.recording = recording
        self.failure = failure


@dataclass(frozen=True)
class Recording:
    """Rows of a run.

    Attributes
    ----------
    time : s, one entry per row
    data : rows x channels
    names, units : per channel
    status : "finished" (end time reached), "stopped" (the program ended), "interrupted" (Ctrl-C),
        "failed" (a number was not finite)
    reason : why it ended, in words
    stop_failed : the program ended with a stop that counts as a failure
    failure : what went wrong, for status "failed"
    steps, method, step : full steps made in this run, name of the method, step in s
    phase : name of the phase in which it ended, "" without program
    wall_time : s
    triggers : why the phases of the program ended, the last 64
    """

    time: Array
    data: Array
    names: tuple[str, ...]
    units: tuple[str, ...]
    status: str = "finished"
    reason: str = ""
    stop_failed: bool = False
    failure: Failure | None = None
    steps: int = 0
    method: str = ""
    step: float = math.nan
    phase: str = ""
    wall_time: float = math.nan
    triggers: tuple[Trigger, ...] = ()
    _index: dict[str, int] = field(default_factory=dict, repr=False)
    _kinds: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)  # what other names are

    def __post_init__(self) -> None:
        self._index.update({name: k for k, name in enumerate(self.names)})

    @property
    def ok(self) -> bool:
        """Whether the run ended as it should."""
        return self.status in ("finished", "stopped") and not self.stop_failed

    def __repr__(self) -> str:
        span = f", t = {self.time[0]:g} to {self.time[-1]:g} s" if len(self) else ""
        why = f" ({self.reason})" if self.reason else ""
        rows = counted(len(self), "row")
        text = f"<Recording {self.status}{why}: {rows}, {counted(len(self.names), 'channel')}{span}>"
        return " ".join(text.split())

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, name: str) -> Array:
        """Values of a channel; "time" gives the time."""
        if self.failure is not None and self.failure.kind == "setup":
            raise RunError(f"there is no {name!r}, the run did not start: {self.reason}", self, self.failure)
        if name == "time" and name not in self._index:
            return self.time
        return self.data[:, self._find(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._index or name == "time"

    def unit(self, name: str) -> str:
        """Return the unit of a channel."""
        return "s" if name == "time" and name not in self._index else self.units[self._find(name)]

    def channels(self, pattern: str = "*") -> list[str]:
        """Return the channel names that match a shell pattern."""
        return fnmatch.filter(self.names, pattern)

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write all rows as text: a line of names, a line of units, then numbers that come back exactly.

        The file appears when it is complete; one that was there before is replaced.
        """
        target = Path(path).expanduser()
        if not target.parent.is_dir():
            raise ParameterError(f"{target}: there is no folder {str(target.parent)!r}; make it first")
        temporary = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}.tmp")
        own_time = "time" in self._index
        try:
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                for first, rest in (("t" if own_time else "time", self.names), ("s", self.units)):
                    file.write(",".join((first, *rest)) + "\n")
                for t, row in zip(self.time.tolist(), self.data.tolist(), strict=True):
                    file.write(",".join(map(repr, (t, *row))) + "\n")
            os.replace(temporary, target)
        except OSError as error:
            raise ParameterError(f"{target}: cannot be written: {error.strerror or error}") from error
        finally:
            temporary.unlink(missing_ok=True)
        return target

    def _find(self, name: str) -> int:
        if name not in self._index:
            kind = self._kinds.get(name)
            if kind == "an output":
                raise ParameterError(f"channel {name!r}: an output that was not recorded; name it in channels=[…]")
            if kind is not None:
                raise ParameterError(
                    f"channel {name!r}: not recorded; it is {kind}. Declare an output to record it: "
                    f"s.output({name!r}, …)"
                )
            if not self.names:
                raise ParameterError(f"channel {name!r}: not recorded; the run has no channels: add s.output(…)")
            raise ParameterError(f"channel {name!r}: not recorded{did_you_mean(name, self.names)}")
        return self._index[name]


def digits_of_agreement(a: Recording, b: Recording, channels: Iterable[str] | None = None) -> dict[str, float]:
    """Return per channel -log10(max|a - b| / max|a|) over the instants both recordings have."""
    # Times are products i*h: equal instants differ by rounding only.
    span = max(float(np.max(np.abs(a.time), initial=0.0)), 1e-300)
    keys_b = {round(float(t) / span * 1e10): k for k, t in enumerate(b.time)}
    pairs = [(k, keys_b[key]) for k, t in enumerate(a.time) if (key := round(float(t) / span * 1e10)) in keys_b]
    if not pairs:
        raise ParameterError("the two recordings have no instant in common; record both at the same interval")
    rows_a, rows_b = np.array(pairs).T
    result = {}
    for name in a.names if channels is None else channels:
        va, vb = a[name][rows_a], b[name][rows_b]
        difference, size = float(np.max(np.abs(va - vb))), float(np.max(np.abs(va)))
        if difference == 0.0:
            result[name] = math.inf
        else:
            result[name] = -math.log10(difference / size) if size > 0.0 else -math.inf
    return result


def halving_check(make_run: Callable[[float], Recording], channels: Iterable[str] | None = None) -> dict[str, float]:
    """Run with the step and with half of it; return the digits of agreement per channel.

    About four equal digits mean that the step is fine.

    Parameters
    ----------
    make_run : called with 1.0 and 0.5; makes the run with its step times that factor, on one output grid
    channels : names, default all
    """
    return digits_of_agreement(make_run(1.0), make_run(0.5), channels)
