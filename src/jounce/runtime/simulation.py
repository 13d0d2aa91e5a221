"""Running a compiled model: `Simulation` holds the numbers of one run, `Library` the compiled code.

Time stands at a full step between two calls. `Simulation.advance` leaves the instant it reached
unprocessed (its program decisions and its row come with the next step, so inputs set in between are seen by both);
`Simulation.run` processes it, so that the last row is there when it is due.

A simulation is made of parts, each with its own data: `Values` (arrays and names) with its `Attachments` (tables and
services), `BlockSet`, `Stepping` (start, method, program, snapshots), `Runner` (steps and rows).
"""

from __future__ import annotations

import ctypes
import difflib
import time as clock
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.generated import Variable
from jounce.core.tables import Table
from jounce.runtime.bindings import Header, JnLayout, Library, Status
from jounce.runtime.block_set import BlockSet
from jounce.runtime.blocks import BlockInfo, BlockState
from jounce.runtime.methods import LINEAR_IMPLICIT, METHODS, Number, default_step, method_number
from jounce.runtime.options import INPUT_TIMES, LoopKeywords, RunOptions, check_iprint, input_time_number
from jounce.runtime.recording import Failure, Recording, RunError, digits_of_agreement, halving_check
from jounce.runtime.running import Runner
from jounce.runtime.stepping import Stepping
from jounce.runtime.values import Values

if TYPE_CHECKING:
    from jounce.runtime.program import Program

__all__ = [
    "LINEAR_IMPLICIT",
    "METHODS",
    "BlockInfo",
    "BlockState",
    "Failure",
    "Library",
    "Number",
    "Recording",
    "RunError",
    "Simulation",
    "default_step",
    "digits_of_agreement",
    "halving_check",
    "method_number",
]

Array = npt.NDArray[np.float64]


class Simulation:
    """One run of a library: parameters, tables, services, state, program. Independent of all others.

    Parameters
    ----------
    library : the compiled model
    method, step : integration method and step in s (default AB-2, and the usual step of the method)
    t0 : start time, s
    program : phase program that drives the inputs, or None
    tables : by name, in place of the default ones; sooner than ``set_tables``, as those are not even made

    Attributes
    ----------
    library, model : the compiled model and what its arrays mean
    values, block_set, stepping, runner : the parts it is made of, for modules of the runtime
    """

    def __init__(
        self,
        library: Library,
        *,
        method: str | int = "AB-2",
        step: Number | None = None,
        t0: Number = 0.0,
        program: Program | None = None,
        tables: Mapping[str, Table] | None = None,
    ) -> None:
        if not isinstance(library, Library):
            raise ParameterError(
                f"Simulation: expected a compiled model, got a {type(library).__name__}; call jn.build(system) first "
                "(or recipe.build(…)) and pass what it returns"
            )
        self.library, self.model = library, library.model
        self.values = Values(library, tables or {})
        self.block_set = BlockSet(self.values)
        self.stepping = Stepping(self.values, self.block_set)
        self.runner = Runner(self.values, self.stepping)
        self.stepping.begin(t0, step, method)
        if program is not None:
            self.set_program(program)

    def __repr__(self) -> str:
        driven = f", phase {self.phase!r}" if self.phase else ""
        return f"<Simulation {self.model.name}: t = {self.time:g} s, {self.method}, h = {self.step:g} s{driven}>"

    def __setattr__(self, name: str, value: Any) -> None:
        # A misspelt option (sim.projekt = True) would do nothing, silently; other names are the caller's own.
        if not name.startswith("_") and name not in PARTS and not hasattr(type(self), name):
            options = [k for k, v in vars(Simulation).items() if isinstance(v, property)]
            close = difflib.get_close_matches(name, options, n=1, cutoff=0.7)
            if close:
                raise AttributeError(f"Simulation has no option {name!r}; did you mean {close[0]!r}?", name=name)
        super().__setattr__(name, value)

    # -- where it stands ---------------------------------------------------------------------------

    @property
    def x(self) -> Array:
        """States, a view into the state array."""
        return self.values.x

    @property
    def m(self) -> Array:
        """Memories, a view into the state array."""
        return self.values.m

    @property
    def u(self) -> Array:
        """Inputs, a view into the state array."""
        return self.values.u

    @property
    def b(self) -> Array:
        """Signals of the model's sampled blocks, then their periods; a view into the state array."""
        return self.values.b

    @property
    def p(self) -> Array:
        """Parameters, free ones then derived ones (a copy; change them with `set_parameters`)."""
        return self.values.parameters[: self.library.struct.contents.n_p].copy()

    @property
    def layout(self) -> JnLayout:
        """Offsets into a snapshot: ``x``, ``m``, ``u``, ``b``, ``history``, ``block``, ``channel``, ``held``,
        ``counter``; external blocks follow at ``n_state``."""
        return self.values.layout

    @property
    def time(self) -> float:
        """Current time, s."""
        return self.values.time

    @property
    def step_count(self) -> int:
        """Full steps since the start."""
        return self.values.step_count

    @property
    def step(self) -> float:
        """Step h, s."""
        return self.values.step

    @property
    def t_dt(self) -> float:
        """Nominal interval between evaluations, s: the step, or half of it for half-step methods."""
        return self.step / 2 if self.values.half_steps else self.step

    @property
    def method(self) -> str:
        """Name of the integration method."""
        return self.values.method

    @property
    def program(self) -> Program | None:
        """The phase program attached, or None; `set_program` attaches one."""
        return self.stepping.program

    @property
    def phase(self) -> str:
        """Name of the running phase; "" without program, before its start and after its end."""
        return self.values.phase

    def recorded(self, channels: Sequence[str] | str | None = None) -> tuple[Variable, ...]:
        """Return the outputs that ``run(channels=...)`` records, in this order."""
        return tuple(self.model.outputs[k] for k in self.values.columns(channels))

    # -- numbers by name ---------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, float]:
        """All parameters by name, derived ones included."""
        return dict(zip(self.values.index["parameter"], self.p.tolist(), strict=True))

    def parameter(self, name: str) -> float:
        """Return a parameter (SI)."""
        return float(self.values.parameters[self.values.find("parameter", name)])

    def set_parameters(self, values: Mapping[str, Number]) -> None:
        """Set free parameters; numbers are SI, text carries a unit. Derived ones follow at once."""
        self.values.assign("parameter", self.model.parameters, self.values.parameters, values)
        self.values.prepare()
        self.values.keep_parameters([self.values.find("parameter", name) for name in values])

    def set_states(self, values: Mapping[str, Number]) -> None:
        """Set initial states. During a run use `reset_state`, which knows about the history."""
        self.values.assign("state", self.model.states, self.x, values)

    def set_memories(self, values: Mapping[str, Number]) -> None:
        """Set memories."""
        self.values.assign("memory", self.model.memories, self.m, values)

    def set_inputs(self, values: Mapping[str, Number]) -> None:
        """Set inputs, by name or alias; they hold until changed by the caller or by the program."""
        self.values.assign("input", self.model.inputs, self.u, values)

    def set_signals(self, values: Mapping[str, Number]) -> None:
        """Set signals of sampled blocks; they hold until the block's next sample."""
        self.values.assign("signal", self.model.signals, self.b, values)

    def signal(self, name: str) -> float:
        """Return a signal of a sampled block."""
        return float(self.b[self.values.find("signal", name)])

    def state(self, name: str) -> float:
        """Return a state."""
        return float(self.x[self.values.find("state", name)])

    def memory(self, name: str) -> float:
        """Return a memory."""
        return float(self.m[self.values.find("memory", name)])

    def input(self, name: str) -> float:
        """Return an input, by name or alias."""
        return float(self.u[self.values.find("input", name)])

    def reset_state(self, values: Mapping[str, Number], *, restart_history: bool = True) -> None:
        """Set states (or memories) at the current full step.

        With ``restart_history`` multi-step methods forget old derivatives and start again with RK-4; without, the old
        ones stay in use for one to three steps.
        """
        memories = {k: v for k, v in values.items() if k in self.values.index["memory"]}
        # states first: their names are the ones that can be unknown, and nothing is to change then
        self.set_states({k: v for k, v in values.items() if k not in memories})
        self.set_memories(memories)
        if restart_history:
            self.values.state[Header.HISTORY] = 0.0

    # -- tables and services -----------------------------------------------------------------------

    @property
    def tables(self) -> dict[str, Table]:
        """The tables in use, by name."""
        return dict(self.values.attachments.tables)

    def set_tables(self, tables: Mapping[str, Table]) -> None:
        """Replace tables by name; number of axes and outputs must stay. Derived parameters follow at once."""
        self.values.attachments.set_tables(tables)
        self.values.prepare()

    def bind(self, name: str, function: Any, context: int | None = None) -> None:
        """Bind a service.

        Parameters
        ----------
        name : of the service
        function : a C function of type ``jn_service_fn`` (ctypes function or address), or a Python callable
            ``f(arguments, order)`` that returns values and derivatives up to ``order``, laid out as a table's
        context : address handed to a C function
        """
        self.values.attachments.bind(name, function, context)

    def adopt(self, other: Simulation) -> None:
        """Take over parameters, tables and services of a simulation whose model declares the same ones."""
        # numbers that a simulation has are good ones: nothing to check again
        taken = [other.values.find("parameter", v.name) for v in self.model.parameters]
        self.values.parameters[: len(taken)] = other.values.parameters[taken]
        self.values.prepare()
        here, there = self.tables, other.tables
        self.set_tables({name: there[name] for name in self.model.tables if here[name] is not there[name]})
        bound = other.values.attachments.bound
        for slot in self.model.services:
            if slot.name in bound:
                self.bind(slot.name, *bound[slot.name])

    # -- start, step, method, program --------------------------------------------------------------

    def restart(self, t0: Number = 0.0, *, defaults: bool = False) -> None:
        """Go back to step 0 at ``t0``: no history, program before its first phase.

        States, memories, inputs and signals stay, unless ``defaults`` puts the model's own values back (and those that
        external blocks had when they were added). Parameters, tables, method, step and options stay.
        """
        with self.values.alone():
            self.stepping.restart(t0, defaults=defaults)

    def set_method(self, method: str | int | None = None, step: Number | None = None) -> None:
        """Change method and/or step at the current instant; a real change restarts the history.

        A step once chosen stays; otherwise a new method comes with its usual one.
        """
        with self.values.alone():
            self.stepping.set_method(method, step)

    def set_program(self, program: Program | None) -> None:
        """Attach a phase program (None = none); it starts at the current instant."""
        with self.values.alone():
            self.stepping.set_program(program)

    @property
    def project(self) -> bool:
        """Whether every step ends with a projection onto the loop constraints."""
        return bool(self.values.state[Header.PROJECT])

    @project.setter
    def project(self, on: bool) -> None:
        self.stepping.set_projection(on)

    def make_consistent(self, tolerance: float = 1e-12, iterations: int = 50) -> float:
        """Move positions onto the loop constraints (Newton, in the metric of the mass), then the velocities.

        Returns the size of the last position change; raises ParameterError when it does not converge.
        """
        return self.stepping.make_consistent(tolerance, iterations)

    # -- blocks ------------------------------------------------------------------------------------

    @property
    def blocks(self) -> tuple[BlockInfo, ...]:
        """All blocks: compiled and sampled ones in the order in which they run, then those that exchange by steps."""
        return self.block_set.infos()

    def set_block_period(self, name: str, period: Number | None, offset: Number | None = None) -> None:
        """Change the period of a block (None = every full step).

        Its next sample stays where it is, unless ``offset`` puts it so long after the current instant.
        """
        self.block_set.set_period(name, period, offset)

    def add_block(
        self,
        name: str,
        function: Any,
        period: Number | None = None,
        *,
        reads: Sequence[str] = (),
        writes: Sequence[str] = (),
        offset: Number = 0.0,
        exchange: str = "sampled",
        before: str | None = None,
        state: BlockState | None = None,
        stateless: bool = False,
        context: int | None = None,
    ) -> None:
        """Bind outside code that reads values of the model and writes inputs, which are held between its samples.

        Parameters
        ----------
        name : of the block, for messages and `set_block_period`
        function : Python callable ``f(t, inputs) -> outputs``, or a C function (ctypes function or address)
            ``void f(void *context, double t, const double *in, double *out)``
        period : s between two samples, a multiple of the step; None = at every exchange
        reads : names of outputs, states, memories, inputs or signals; watched outputs cost least
        writes : names or aliases of inputs; nobody else may drive them
        offset : s from now to the first sample
        exchange : "sampled" runs it as a block compiled into the model: what it writes acts on the evaluation of the
            same instant. "step" exchanges as co-simulation does, by one of four conventions (`exchange_convention`)
        before : sampled: run before this block instead of after all
        state : how it gives and takes its state; not needed for an object with methods ``get_state``, ``set_state``
        stateless : the promise that it keeps nothing between two calls
        context : address handed to a C function
        """
        self.block_set.add(
            name,
            function,
            period,
            reads=reads,
            writes=writes,
            offset=offset,
            exchange=exchange,
            before=before,
            state=state,
            stateless=stateless,
            context=context,
        )

    def remove_block(self, name: str) -> None:
        """Unbind an external block; the inputs it wrote keep their values."""
        self.block_set.remove(name)

    @property
    def io_sync_fm(self) -> bool:
        """OPT_IO_SYNC_FM: with Euler and AB-2, external blocks get kinematic values before the forces are computed."""
        return bool(self.values.state[Header.IO_SYNC_FM])

    @io_sync_fm.setter
    def io_sync_fm(self, on: bool) -> None:
        self.values.state[Header.IO_SYNC_FM] = float(bool(on))

    @property
    def io_update(self) -> bool:
        """OPT_IO_UPDATE: with half-step methods, external blocks are called at half steps too."""
        return bool(self.values.state[Header.IO_UPDATE])

    @io_update.setter
    def io_update(self, on: bool) -> None:
        self.values.state[Header.IO_UPDATE] = float(bool(on))

    @property
    def input_time(self) -> str:
        """What later stages of step n see of inputs that external blocks write every full step.

        With θ the fraction of the step (1/2 at half steps, 1 in the last stage of ROS2 and of the RK-4 that starts
        multi-step methods): "hold" uₙ; "interpolate" uₙ₋₁ + θ (uₙ - uₙ₋₁); "extrapolate" uₙ + θ (uₙ - uₙ₋₁). The first
        stage sees uₙ. Held anyway: a block that did not write at the step before (a longer period; the first step after
        a start or a change of step or method), and what is exchanged at half steps (convention 4).
        """
        return INPUT_TIMES[int(self.values.state[Header.INPUT_TIME])]

    @input_time.setter
    def input_time(self, mode: str) -> None:
        self.values.state[Header.INPUT_TIME] = float(input_time_number(mode))

    @property
    def exchange_convention(self) -> int:
        """How blocks with ``exchange="step"`` are served, from method and options.

        1. without half steps: values of the instant are sent, what comes back acts one step later;
        2. without half steps, `io_sync_fm`: kinematic values are sent before the evaluation; the results act on it;
        3. with half steps: as 1, and the half step sees what the full step saw;
        4. with half steps, `io_update`: exchange every half step, what comes back acts half a step later.
        """
        return self.block_set.convention

    # -- recording and snapshots -------------------------------------------------------------------

    @property
    def iprint(self) -> int:
        """Rows every so many full steps; 0 = also at half steps."""
        return int(self.values.state[Header.IPRINT])

    @iprint.setter
    def iprint(self, steps: int) -> None:
        check_iprint(steps)
        self.values.state[Header.IPRINT] = float(steps)

    @property
    def opt_write(self) -> bool:
        """Whether rows are written."""
        return bool(self.values.state[Header.OPT_WRITE])

    @opt_write.setter
    def opt_write(self, on: bool) -> None:
        self.values.state[Header.OPT_WRITE] = float(bool(on))

    def snapshot(self) -> Array:
        """Return everything that changes during a run as one array; parameters and tables are not in it."""
        return self.stepping.snapshot()

    def restore(self, snapshot: npt.ArrayLike) -> None:
        """Go back to a snapshot of the same model and program, exactly.

        Method, step and the options of recording and exchange are part of a snapshot and come back with it; parameters
        and tables are not and stay as they are.
        """
        with self.values.alone():
            self.stepping.restore(snapshot)

    # -- evaluation without effect -----------------------------------------------------------------

    def derivatives(
        self,
        *,
        x: npt.ArrayLike | None = None,
        m: npt.ArrayLike | None = None,
        u: npt.ArrayLike | None = None,
        t: float | None = None,
        elapsed: float | None = None,
    ) -> tuple[Array, Array]:
        """Return dx/dt and the next memories at the current point, or at the one given; nothing changes.

        ``elapsed``: time since the memories were, s.
        """
        self.values.attachments.check()
        f, m_next = np.zeros(len(self.x)), np.zeros(len(self.m))
        self.values.call(self.values.need("rhs"), [f, m_next], x=x, m=m, u=u, t=t, elapsed=elapsed)
        return f, m_next

    def outputs(
        self,
        *,
        x: npt.ArrayLike | None = None,
        m: npt.ArrayLike | None = None,
        u: npt.ArrayLike | None = None,
        t: float | None = None,
    ) -> Array:
        """Return all channels at the current point (inputs as they stand), in the order of ``model.outputs``."""
        self.values.attachments.check()
        y = np.zeros(len(self.model.outputs))
        if len(y):
            self.values.call(self.values.need("outputs"), [y], x=x, m=m, u=u, t=t)
        return y

    def output(self, name: str) -> float:
        """Return one channel at the current point."""
        return float(self.outputs()[self.values.find("output", name)])

    def watches(self) -> Array:
        """Return the watch values at the current point."""
        self.values.attachments.check()
        values = np.zeros(len(self.model.watches))
        if len(values):
            self.values.call(self.values.need("watch"), [values])
        return values

    def call(
        self,
        function: str,
        *,
        x: npt.ArrayLike | None = None,
        m: npt.ArrayLike | None = None,
        u: npt.ArrayLike | None = None,
        b: npt.ArrayLike | None = None,
        t: float | None = None,
    ) -> tuple[Array, ...]:
        """Evaluate one of the model's extra functions; return its result arrays."""
        slots = {f.name: f for f in self.model.functions}
        if function not in slots or function not in self.library.functions:
            raise ParameterError(
                f"function {function!r}: unknown in model {self.model.name!r}{did_you_mean(function, slots)}"
            )
        self.values.attachments.check()
        results = tuple(np.zeros(size) for size in slots[function].sizes)
        self.values.call(self.library.functions[function], results, x=x, m=m, u=u, b=b, t=t)
        return results

    def time_rhs(self, n: int = 10000) -> float:
        """Return the wall time of one right-hand side evaluation at the current point, s."""
        self.values.attachments.check()
        self.values.need("rhs")
        with self.values.alone():
            begin = clock.perf_counter()
            self.library.c.jn_repeat_rhs(ctypes.byref(self.values.struct), n)
            return (clock.perf_counter() - begin) / n

    # -- running -----------------------------------------------------------------------------------

    def advance(self, steps: int = 1) -> Status:
        """Make full steps without recording. A failure raises `RunError`.

        Returns
        -------
        Status.OK, or Status.STOPPED when the program ended before.
        """
        with self.values.alone():
            return self.runner.advance(steps)

    def apply_program(self) -> Status:
        """Let the program act on the current instant, if it has not yet, without making a step.

        Inputs, `outputs` and `watches` are then those the next evaluation will use.
        """
        with self.values.alone():
            return self.runner.apply_program()

    def run(self, t_end: Number | None = None, **options: Unpack[LoopKeywords]) -> Recording:
        """Run on from the current state and record.

        Parameters
        ----------
        t_end : s; the run ends at the first full step not before it. With a program it may be left out: then the
            program ends the run, after 3600 s at the latest.
        program : phase program; the one attached already goes on where it was
        step, method : change step (s) and method first
        iprint, interval : recording interval in full steps (0 = half steps too) or in s
        channels : names to record, default all
        on_error : "raise" a `RunError` or "return" the recording when a number is not finite
        check_outputs : whether a recorded channel that is not finite ends the run
        input_time : what later stages of a step see of external blocks, see `input_time`
        progress : called with (fraction done, time) several times a second
        buffer_rows : rows of one recorder buffer, for those who must know
        """
        return self.run_with(RunOptions.of("run", {"t_end": t_end, **options}))

    def run_with(self, options: RunOptions) -> Recording:
        """Run on from the current state and record; as `run`, with options made before."""
        with self.values.alone():
            return self.runner.run(options)


PARTS = ("library", "model", "values", "block_set", "stepping", "runner")
