"""Steps and rows: `Runner` advances a simulation, records it, and says why a run ended."""

from __future__ import annotations

import ctypes
import math
import os
import time as clock
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, SimulationError
from jounce.runtime.bindings import TRIGGER_SLOTS, TRIGGERS, Header, JnRecorder, Status
from jounce.runtime.options import MOST_STEPS, RunOptions, input_time_number
from jounce.runtime.program import When
from jounce.runtime.recording import Failure, Recording, RunError, Trigger
from jounce.runtime.stepping import Stepping
from jounce.runtime.values import KINDS, Values

Array = npt.NDArray[np.float64]

CHUNK_SECONDS = 0.05  # wall time between two looks at Ctrl-C and progress
PROGRAM_TIME_LIMIT = 3600.0  # s of simulated time for a program without end time
BUFFER_BYTES = 1 << 23  # size of one recorder buffer


def memory_limit() -> float:
    """Bytes that one recording may take: half of the memory of the machine, since reading it out makes a copy."""
    try:
        return 0.5 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not known everywhere
        return 4e9


def check_size(step: float, n_steps: float, every: int, n_columns: int) -> None:
    """Refuse a run of more steps, or with more to record, than anybody can want; ``every`` 0 records half steps too."""
    if n_steps > MOST_STEPS:
        raise ParameterError(
            f"the run would take {n_steps:.3g} steps of {step:g} s; at most {MOST_STEPS:.0e} are made in one run: "
            "choose a larger step or a nearer end"
        )
    rows = (n_steps // every if every else 2 * n_steps) + 1
    size, limit = 8.0 * rows * (1 + n_columns), memory_limit()
    if size > limit:
        raise ParameterError(
            f"the run would record {rows:.3g} rows of {1 + n_columns} numbers, {size / 1e9:.3g} GB; this machine has "
            f"room for {limit / 1e9:.3g} GB: choose a longer interval, or fewer channels"
        )


@dataclass(frozen=True)
class Plan:
    """What options mean for a simulation as it stands."""

    n_steps: int  # to make at most
    limit: str  # what it means to have made them all
    columns: tuple[int, ...]  # outputs to record


class Runner:
    """The loop of one simulation."""

    def __init__(self, values: Values, stepping: Stepping) -> None:
        self.values, self.stepping, self.blocks = values, stepping, stepping.blocks

    def advance(self, steps: int) -> Status:
        """Make full steps without recording."""
        values = self.values
        values.attachments.check()
        self.blocks.check()
        values.struct.recorder = None
        first = values.step_count
        status = Status(values.library.c.jn_advance(ctypes.byref(values.struct), steps))
        if values.faults.error is not None:
            values.faults.raise_kept(values.time)
        if status not in (Status.OK, Status.STOPPED):
            raise self._error(status, values.step_count - first)
        return status

    def apply_program(self) -> Status:
        """Let the program act on the current instant, if it has not yet, without making a step."""
        values = self.values
        values.attachments.check()
        self.blocks.check()
        values.struct.recorder = None
        s = values.state
        written = int(s[Header.DONE]) & 2
        status = Status(values.library.c.jn_instant(ctypes.byref(values.struct)))
        # nobody recorded: the row of this instant is still to come
        s[Header.DONE] = float(int(s[Header.DONE]) & ~2 | written)
        if values.faults.error is not None:
            values.faults.raise_kept(values.time)
        if status == Status.NONFINITE:
            raise self._error(status, 0)
        return status

    def _error(self, status: Status, steps: int) -> RunError:
        """A failure outside of a recorded run."""
        sink = Sink(self.values, [], True, 1)
        self.values.struct.recorder = None
        recording = self._recording(sink, status, "failed", "", steps, 0.0)
        return RunError(recording.reason, recording, recording.failure)

    def plan(self, options: RunOptions) -> Plan:
        """Attach the program, change method, step and recording interval; return what is left to do."""
        if options.program is not None and options.program is not self.stepping.program:
            self.stepping.set_program(options.program)
        if options.method is not None or options.step is not None:
            self.stepping.set_method(options.method, options.step)
        self.blocks.check()
        if options.input_time is not None:
            self.values.state[Header.INPUT_TIME] = float(input_time_number(options.input_time))
        rows = options.rows(self.values.step)
        if rows is not None:
            self.values.state[Header.IPRINT] = float(rows)
        columns = tuple(self.values.columns(options.channels))
        plan = Plan(*self._steps_to(options.end), columns)
        if options.end is not None:
            check_size(self.values.step, plan.n_steps, int(self.values.state[Header.IPRINT]), len(columns))
        return plan

    def run(self, options: RunOptions) -> Recording:
        """Run on from the current state and record."""
        values, faults = self.values, self.values.faults
        values.attachments.check()
        values.need("rhs")
        plan = self.plan(options)
        self.stepping.check_loops()
        rows = self._rows_expected(plan.n_steps, len(plan.columns), options.buffer_rows)
        sink = Sink(values, plan.columns, options.check_outputs, rows)
        begin, first = clock.perf_counter(), values.step_count
        try:
            status = self._loop(sink, plan.n_steps, options)
            ended, reason = self._ending(status, plan.limit)
        except KeyboardInterrupt:
            status, ended, reason = Status.OK, "interrupted", f"interrupted at t = {values.time:.9g} s"
        finally:
            values.struct.recorder = None
        done = values.step_count - first
        recording = self._recording(sink, status, ended, reason, done, clock.perf_counter() - begin)
        if faults.error is not None:
            try:
                faults.raise_kept(values.time)
            except KeyboardInterrupt:
                return self._recording(sink, Status.OK, "interrupted", "interrupted", done, recording.wall_time)
            except SimulationError as error:
                if recording.failure is None:
                    recording = replace(recording, reason=str(error))
                raise RunError(str(error), recording, recording.failure) from error.__cause__
        if ended == "failed" and options.on_error == "raise":
            raise RunError(recording.reason, recording, recording.failure)
        return recording

    def _steps_to(self, end: float | None) -> tuple[int, str]:
        """Full steps to make, and what it means to have made them all."""
        values = self.values
        if end is None:
            if values.packed is None:
                raise ParameterError("run() needs an end time or a program")
            return math.ceil(PROGRAM_TIME_LIMIT / values.step), (
                f"the program had not ended after {PROGRAM_TIME_LIMIT:g} s; give it an end condition, "
                "or give run() an end time"
            )
        # a millionth of a step: i*h is a rounding error away from the decimal number the user wrote
        n = math.ceil((end - values.time) / values.step - 1e-6)
        if n < 0:
            raise ParameterError(f"t_end = {end:g} s lies before the current time {values.time:g} s")
        return n, "end time reached"

    def _rows_expected(self, n_steps: int, n_columns: int, buffer_rows: int | None) -> int:
        if buffer_rows is not None:
            return max(1, buffer_rows)
        most = max(BUFFER_BYTES // (8 * (1 + n_columns)), 16)
        every = int(self.values.state[Header.IPRINT])
        expected = n_steps // every + 2 if every else 2 * n_steps + 2
        return min(expected, most)

    def _loop(self, sink: Sink, n_steps: int, options: RunOptions) -> Status:
        values, faults, progress = self.values, self.values.faults, options.progress
        pacer = Pacer(options.pace, values.step)
        c, sim = values.library.c, ctypes.byref(values.struct)
        first = before = values.step_count
        last, chunk = first + n_steps, 256
        while before < last:
            n = min(chunk, last - before, pacer.most)
            begin = clock.perf_counter()
            status = Status(c.jn_advance(sim, n))
            spent = clock.perf_counter() - begin
            now = values.step_count
            if status == Status.FULL:
                sink.next_buffer()
            elif status != Status.OK or faults.error is not None:
                return status
            # as many steps as fit the wall time; growth is bounded because the first chunks are noisy
            rate = max(now - before, 1) / max(spent, 1e-9)
            chunk = int(min(max(rate * CHUNK_SECONDS, 1), 4 * chunk, 1 << 40))
            before = now
            pacer.wait(now - first)
            self._tell(sink, options)
            if progress is not None:
                progress((now - first) / n_steps, values.time)
        while (status := Status(c.jn_instant(sim))) == Status.FULL:
            sink.next_buffer()
        return status

    def _tell(self, sink: Sink, options: RunOptions) -> None:
        """Hand on the rows that were recorded since the last time."""
        if options.stream is not None and len(fresh := sink.fresh()):
            outputs = self.values.model.outputs
            options.stream({outputs[k].name: outputs[k].unit for k in sink.columns}, fresh)

    def _ending(self, status: Status, limit: str) -> tuple[str, str]:
        values = self.values
        if status == Status.STOPPED:
            assert values.packed is not None
            return "stopped", values.packed.reasons[int(values.state[Header.REASON])]
        if status == Status.OK:
            nothing = "" if values.model.outputs else "; the model declares no outputs, so only time was recorded"
            return "finished", limit + nothing
        return "failed", ""

    def _recording(self, sink: Sink, status: Status, ended: str, reason: str, steps: int, wall: float) -> Recording:
        values, failure = self.values, None
        if status == Status.NONFINITE:
            failure = self._failure()
            reason = failure.message
        elif status == Status.BAD_CALL:
            raise SimulationError("the C runtime refused the state array; it does not fit the model and program")
        rows = sink.rows()
        variables = [values.model.outputs[k] for k in sink.columns]
        return Recording(
            time=rows[:, 0],
            data=rows[:, 1:],
            names=tuple(v.name for v in variables),
            units=tuple(v.unit for v in variables),
            status=ended,
            reason=reason,
            stop_failed=status == Status.STOPPED and bool(values.state[Header.FAILED]),
            failure=failure,
            steps=steps,
            method=values.method,
            step=values.step,
            phase=values.phase,
            wall_time=wall,
            triggers=self.triggers(),
            _kinds=values.library.kinds,
        )

    def triggers(self) -> tuple[Trigger, ...]:
        """Why the phases of the program ended, the last ones."""
        values, packed = self.values, self.values.packed
        if packed is None:
            return ()
        count, first = int(values.state[Header.TRIGGERS]), values.layout.trigger
        rows = values.state[first : first + TRIGGERS * TRIGGER_SLOTS].reshape(TRIGGERS, TRIGGER_SLOTS)
        names, found = packed.phase_names, []
        for k in range(max(0, count - TRIGGERS), count):
            time, phase, to, group, *measured = rows[k % TRIGGERS]
            before = names[int(phase)] if phase >= 0 else ""
            after = names[int(to)] if to < len(names) else ""
            name, tests = "override", []
            if group >= 0:
                end = packed.ends[int(group)]
                when = [end.when] if isinstance(end.when, When) else list(end.when)
                tests = [(item.text(), float(v)) for item, v in zip(when, measured, strict=False)]
                name = end.name or " and ".join(item.text() for item in when)
            found.append(Trigger(float(time), before, after, name, tuple(tests)))
        return tuple(found)

    def _failure(self) -> Failure:
        values, s = self.values, self.values.state
        kind, index = KINDS[int(s[Header.BAD_KIND])], int(s[Header.BAD_INDEX])
        name, value = values.variable(kind, index).name, float(s[Header.BAD_VALUE])
        time, step = float(s[Header.BAD_TIME]), int(s[Header.BAD_STEP])
        what = f"derivative of {name!r}" if kind == "derivative" else f"{kind} {name!r}"
        where = f" in phase {values.phase!r}" if values.phase else ""
        writer = self.blocks.writer_of(name) if kind == "input" else None
        if writer is not None:
            what += f", written by block {writer!r},"
        advice = (
            f"Try a smaller step, h = {values.step / 2:g} s; if that does not help, look at the last rows recorded and "
            "at the parameters and initial values that act there"
        )
        if step == 0 and time <= s[Header.T0]:  # before any step: no step could cure it
            advice = (
                "This is the start, so the step is not the cause: look for a division by zero, for the root or "
                "logarithm of a number that is not positive, and at the parameters, initial values and inputs there"
            )
        message = (
            f"{what} became {value} at t = {time:.9g} s{where} (step {step}, {values.method}, h = {values.step:g} s). "
            f"{advice}"
        )
        return Failure(kind, name, index, value, time, step, message)


class Pacer:
    """Keeps a run from being faster than so many times real time."""

    def __init__(self, pace: float | None, step: float) -> None:
        self.begun = clock.perf_counter()
        self.seconds = 0.0 if pace is None else step / pace  # of wall time, for one step
        self.most = MOST_STEPS if pace is None else max(1, round(CHUNK_SECONDS / self.seconds))

    def wait(self, steps: int) -> None:
        """Wait until so many steps are due."""
        if self.seconds:
            clock.sleep(max(0.0, self.begun + steps * self.seconds - clock.perf_counter()))


class Sink:
    """The recorder's buffers; hands a new one to C when the last is full."""

    def __init__(self, values: Values, columns: Sequence[int], check: bool, rows: int) -> None:
        self.columns = list(columns)
        self.full: list[Array] = []
        self.told = 0  # rows that `fresh` has given
        self.n_rows = rows
        self.record = JnRecorder()
        self.record.n_columns = len(self.columns)
        self.record.check = int(check)
        if self.columns != list(range(len(values.model.outputs))):
            self._columns = np.array(self.columns, dtype=np.int32)
            self.record.columns = self._columns.ctypes.data or None
        self._fresh()
        values.struct.recorder = ctypes.pointer(self.record)

    def _fresh(self) -> None:
        # Ctrl-C may come between any two lines: rows() must be right after each of them
        self.record.n_rows = 0
        self.buffer = np.empty((self.n_rows, 1 + len(self.columns)))
        self.record.rows, self.record.capacity = self.buffer.ctypes.data, self.n_rows

    def next_buffer(self) -> None:
        self.full.append(self.buffer[: self.record.n_rows])
        self._fresh()

    def fresh(self) -> Array:
        """Rows that were recorded since the last call."""
        parts, skip = [], self.told
        current = [] if self.full and self.full[-1].base is self.buffer else [self.buffer[: self.record.n_rows]]
        for part in (*self.full, *current):
            if skip < len(part):
                parts.append(part[skip:])
                self.told += len(part) - skip
            skip = max(0, skip - len(part))
        return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else self.buffer[:0]

    def rows(self) -> Array:
        if self.full and self.full[-1].base is self.buffer:
            return np.concatenate(self.full)
        return np.concatenate([*self.full, self.buffer[: self.record.n_rows]])
