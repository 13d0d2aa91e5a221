"""Running a compiled model: `Simulation` holds the numbers of one run, `Library` the compiled code.

Time stands at a full step between two calls. `Simulation.advance` leaves the instant it reached
unprocessed (its program decisions and its row come with the next step, so inputs set in between are seen by both);
`Simulation.run` processes it, so that the last row is there when it is due.
"""

from __future__ import annotations

import ctypes
import difflib
import math
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, SimulationError, did_you_mean
from jounce.core.generated import ServiceSlot, Variable
from jounce.core.tables import JnTable, PackedTable, Table
from jounce.core.units import parse
from jounce.runtime.bindings import (
    HEADER_SIZE,
    SERVICE,
    SIM_ABI,
    Header,
    JnEnv,
    JnLayout,
    JnPoint,
    JnRecorder,
    JnService,
    JnSim,
    Library,
    Status,
)
from jounce.runtime.blocks import (
    EXCHANGES,
    INPUT,
    KINEMATICS,
    OUTPUT,
    WATCH,
    BlockInfo,
    BlockState,
    External,
    Externals,
    make,
)
from jounce.runtime.recording import Failure, Recording, RunError, digits_of_agreement, halving_check

if TYPE_CHECKING:
    from jounce.runtime.program import PackedProgram, Program

__all__ = [
    "METHODS",
    "BlockInfo",
    "BlockState",
    "Failure",
    "Library",
    "Recording",
    "RunError",
    "Simulation",
    "default_step",
    "digits_of_agreement",
    "halving_check",
    "method_number",
]

Array = npt.NDArray[np.float64]
Number = float | str
ServiceFunction = Callable[[Array, int], npt.ArrayLike]

METHODS = {"Euler": -1, "AB-2": 0, "RK-2": 1, "AM-2": 2, "AM-3": 3, "AM-4": 4}
"""Names and OPT_INT_METHOD numbers."""

LINEAR_IMPLICIT = {"LI-Euler": 10, "ROS2": 11}
"""Steps with the generated linear-implicit form (``generate(step=...)``): first order; second order in two stages."""

_ALL_METHODS = METHODS | LINEAR_IMPLICIT
_METHOD_NAMES = {number: name for name, number in _ALL_METHODS.items()}
_KINDS = ("", "state", "derivative", "memory", "input", "output", "watch", "signal")

_C_FUNCTION: Any = SERVICE.__mro__[1]  # the base of all ctypes functions

OPEN_LOOP = 1e-6  # relative change of a coordinate by which a loop counts as open
_SETTERS = {
    "a state": "set_states",
    "a memory": "set_memories",
    "an input": "set_inputs",
    "a parameter": "set_parameters",
    "a signal of a block": "set_signals",
}

CHUNK_SECONDS = 0.05  # wall time between two looks at Ctrl-C and progress
PROGRAM_TIME_LIMIT = 3600.0  # s of simulated time for a program without end time
BUFFER_BYTES = 1 << 23  # size of one recorder buffer


def method_number(method: str | int) -> int:
    """Return the OPT_INT_METHOD number of a method given by name ("AB-2", "ab2") or number."""
    if isinstance(method, str):
        key = "".join(c for c in method.lower() if c.isalnum())
        for name, number in _ALL_METHODS.items():
            if key == name.lower().replace("-", ""):
                return number
    elif method in _METHOD_NAMES:
        return int(method)
    numbers = ", ".join(f"{name} ({number})" for name, number in _ALL_METHODS.items())
    hint = did_you_mean(str(method), _ALL_METHODS)
    if "".join(c for c in str(method).lower() if c.isalnum()) in ("rk4", "rungekutta4", "rungekutta"):
        hint = "; RK-4 only makes the first steps of the multi-step methods, AM-4 has the same order"
    raise ParameterError(f"method {method!r}: unknown{hint}  by number: {numbers}")


def default_step(method: str | int) -> float:
    """Return the usual step in s: 0.0005 for Euler and AB-2, 0.001 for the half-step methods."""
    return 0.0005 if method_number(method) <= 0 else 0.001


def check_limits(variable: Variable, value: float) -> None:
    """Raise when a number lies outside what its declaration allows."""
    for limit, beyond, word in ((variable.low, -1, "at least"), (variable.high, 1, "at most")):
        if limit is not None and (value - limit) * beyond > 0:
            unit = "" if variable.unit == "-" else f" {variable.unit}"
            raise ParameterError(f"parameter {variable.name!r} = {value:g}{unit}: must be {word} {limit:g}{unit}")


class Simulation:
    """One run of a library: parameters, tables, services, state, program. Independent of all others.

    Parameters
    ----------
    library : the compiled model
    method, step : integration method and step in s (default AB-2, and the usual step of the method)
    t0 : start time, s
    program : phase program that drives the inputs, or None
    tables : by name, in place of the default ones; sooner than ``set_tables``, as those are not even made
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
        self.library = library
        self.model = model = library.model
        c = library.struct.contents
        self._p = np.zeros(max(c.n_p, 1))
        self._w = np.zeros(max(c.n_work, 1))
        self._x0 = np.array([v.default for v in model.states], dtype=float)
        self._m0 = np.array([v.default for v in model.memories], dtype=float)
        self._u0 = np.array([v.default for v in model.inputs], dtype=float)
        self._table_structs = (JnTable * max(c.n_tables, 1))()
        self._tables: dict[str, Table] = {}
        self._packed_tables: dict[str, PackedTable] = {}
        self._services = (JnService * max(c.n_services, 1))()
        self._callbacks: dict[str, Any] = {}
        self._bound: dict[str, tuple[Any, int | None]] = {}
        self._service_error: BaseException | None = None
        self._failed_part = "a service"
        self._externals = Externals([])
        self._rhythm: dict[int, tuple[float, float]] = {}  # of the model's blocks, where it is not the default
        self._env = JnEnv(
            self._p.ctypes.data, self._table_structs, ctypes.cast(self._services, ctypes.c_void_p), self._w.ctypes.data
        )
        self._index = {
            kind: {v.name: k for k, v in enumerate(variables)}
            for kind, variables in (
                ("state", model.states),
                ("memory", model.memories),
                ("input", model.inputs),
                ("parameter", model.parameters + model.derived),
                ("output", model.outputs),
                ("watch", model.watches),
                ("signal", model.signals),
            )
        }
        self._program: Program | None = None
        self._packed: PackedProgram | None = None
        self._layout = JnLayout()
        self._state = np.zeros(0)
        self._allocate(None)
        self._p[: c.n_p_free] = [v.default for v in model.parameters]
        given = dict(tables or {})
        self._set_tables(given | {name: model.tables[name] for name in model.tables if name not in given})
        number = method_number(method)
        self._step_chosen = step is not None
        self._start(self._seconds(t0, "t0"), self._step(step, number), number)
        self._set_defaults()
        self._prepare()
        if program is not None:
            self.set_program(program)

    def __repr__(self) -> str:
        driven = f", phase {self.phase!r}" if self.phase else ""
        return f"<Simulation {self.model.name}: t = {self.time:g} s, {self.method}, h = {self.step:g} s{driven}>"

    def __setattr__(self, name: str, value: Any) -> None:
        # A misspelt option (sim.projekt = True) would do nothing, silently; other names are the caller's own.
        if not name.startswith("_") and not hasattr(type(self), name):
            options = [k for k, v in vars(Simulation).items() if isinstance(v, property)]
            close = difflib.get_close_matches(name, options, n=1, cutoff=0.7)
            if close:
                raise AttributeError(f"Simulation has no option {name!r}; did you mean {close[0]!r}?", name=name)
        super().__setattr__(name, value)

    # -- memory ------------------------------------------------------------------------------------

    def _set_defaults(self) -> None:
        self.x[:], self.m[:], self.u[:] = self._x0, self._m0, self._u0
        n = len(self.model.signals)
        self.b[:n] = [v.default for v in self.model.signals]
        if not self.model.blocks:  # a library of extra functions: nobody else knows the periods there
            self.b[n:] = [period or self.step for period in self.model.block_periods]

    def _allocate(self, packed: PackedProgram | None) -> None:
        """Make state and scratch for a program; the state is empty afterwards."""
        c = self.library.c
        pointer = ctypes.pointer(packed.struct) if packed is not None else None
        c.jn_sim_layout(self.library.struct, pointer, ctypes.byref(self._layout))
        self._state = np.zeros(self._layout.n_state + self._externals.n_state)
        self._state[Header.MODEL_ID] = self.library.model_id
        self._work = np.zeros(max(self._layout.n_work, 1))
        self._packed = packed
        self._recorder = JnRecorder()
        self._sim = JnSim(
            self.library.struct,
            ctypes.pointer(self._env),
            pointer,
            None,
            self._state.ctypes.data,
            self._work.ctypes.data,
            ctypes.pointer(self._externals.struct) if self._externals.blocks else None,
        )

    def _view(self, offset: int, size: int) -> Array:
        return self._state[offset : offset + size]

    @property
    def x(self) -> Array:
        """States, a view into the state array."""
        return self._view(self._layout.x, len(self.model.states))

    @property
    def m(self) -> Array:
        """Memories, a view into the state array."""
        return self._view(self._layout.m, len(self.model.memories))

    @property
    def u(self) -> Array:
        """Inputs, a view into the state array."""
        return self._view(self._layout.u, len(self.model.inputs))

    @property
    def b(self) -> Array:
        """Signals of the model's sampled blocks, then their periods; a view into the state array."""
        return self._view(self._layout.b, len(self.model.signals) + len(self.model.block_periods))

    @property
    def p(self) -> Array:
        """Parameters, free ones then derived ones (a copy; change them with `set_parameters`)."""
        return self._p[: self.library.struct.contents.n_p].copy()

    @property
    def layout(self) -> JnLayout:
        """Offsets into a snapshot: ``x``, ``m``, ``u``, ``b``, ``history``, ``block``, ``channel``, ``held``,
        ``counter``; external blocks follow at ``n_state``."""
        return self._layout

    @property
    def time(self) -> float:
        """Current time, s."""
        s = self._state
        return float(s[Header.T0] + (s[Header.STEP] - s[Header.I0]) * s[Header.H])

    @property
    def step_count(self) -> int:
        """Full steps since the start."""
        return int(self._state[Header.STEP])

    @property
    def step(self) -> float:
        """Step h, s."""
        return float(self._state[Header.H])

    @property
    def t_dt(self) -> float:
        """Nominal interval between evaluations, s: the step, or half of it for half-step methods."""
        return self.step / 2 if int(self._state[Header.METHOD]) in range(1, 5) else self.step

    @property
    def method(self) -> str:
        """Name of the integration method."""
        return _METHOD_NAMES[int(self._state[Header.METHOD])]

    @property
    def phase(self) -> str:
        """Name of the running phase; "" without program, before its start and after its end."""
        k = int(self._state[Header.PHASE])
        names = self._packed.phase_names if self._packed is not None else ()
        return names[k] if 0 <= k < len(names) else ""

    # -- numbers by name ---------------------------------------------------------------------------

    def _find(self, kind: str, name: str) -> int:
        index = self._index[kind]
        if name not in index:
            found = self.library.kinds.get(name)
            hint = did_you_mean(name, index)
            if found is not None:
                setter = _SETTERS.get(found)
                hint = f"; it is {found}" + (f": use {setter}" if setter else "")
            elif not index:
                hint = f"; the model has no {kind}s" if kind != "memory" else "; the model has no memories"
            raise ParameterError(f"{kind} {name!r}: unknown in model {self.model.name!r}{hint}")
        return index[name]

    def _columns(self, channels: Sequence[str] | str | None) -> list[int]:
        """Numbers of the outputs to record; time is recorded anyway."""
        if channels is None:
            return list(range(len(self.model.outputs)))
        index = self._index["output"]
        names = [channels] if isinstance(channels, str) else list(channels)
        for name in names:
            if name not in index and name != "time":
                raise ParameterError(f"channel {name!r}: {self.library.no_output(name)}")
        return [index[name] for name in names if name in index]

    def _assign(self, kind: str, variables: Sequence[Variable], target: Array, values: Mapping[str, Number]) -> None:
        # all names and units are checked before anything changes
        found = []
        for name, value in values.items():
            k = self._find(kind, name)
            if k >= len(variables):
                raise ParameterError(f"{kind} {name!r}: derived from other parameters, it cannot be set")
            number = parse(value, variables[k].unit, name)
            if not math.isfinite(number):
                raise ParameterError(f"{kind} {name!r} = {number}: must be finite")
            check_limits(variables[k], number)
            found.append((k, number))
        for k, number in found:
            target[k] = number

    @property
    def parameters(self) -> dict[str, float]:
        """All parameters by name, derived ones included."""
        return dict(zip(self._index["parameter"], self.p.tolist(), strict=True))

    def parameter(self, name: str) -> float:
        """Return a parameter (SI)."""
        return float(self._p[self._find("parameter", name)])

    def set_parameters(self, values: Mapping[str, Number]) -> None:
        """Set free parameters; numbers are SI, text carries a unit. Derived ones follow at once."""
        self._assign("parameter", self.model.parameters, self._p, values)
        self._prepare()

    def set_states(self, values: Mapping[str, Number]) -> None:
        """Set initial states. During a run use `reset_state`, which knows about the history."""
        self._assign("state", self.model.states, self.x, values)

    def set_memories(self, values: Mapping[str, Number]) -> None:
        """Set memories."""
        self._assign("memory", self.model.memories, self.m, values)

    def set_inputs(self, values: Mapping[str, Number]) -> None:
        """Set inputs; they hold until changed by the caller or by the program."""
        self._assign("input", self.model.inputs, self.u, values)

    def set_signals(self, values: Mapping[str, Number]) -> None:
        """Set signals of sampled blocks; they hold until the block's next sample."""
        self._assign("signal", self.model.signals, self.b, values)

    def signal(self, name: str) -> float:
        """Return a signal of a sampled block."""
        return float(self.b[self._find("signal", name)])

    def state(self, name: str) -> float:
        """Return a state."""
        return float(self.x[self._find("state", name)])

    def memory(self, name: str) -> float:
        """Return a memory."""
        return float(self.m[self._find("memory", name)])

    def input(self, name: str) -> float:
        """Return an input."""
        return float(self.u[self._find("input", name)])

    def reset_state(self, values: Mapping[str, Number], *, restart_history: bool = True) -> None:
        """Set states (or memories) at the current full step.

        With ``restart_history`` multi-step methods forget old derivatives and start again with RK-4; without, the old
        ones stay in use for one to three steps.
        """
        states = {k: v for k, v in values.items() if k not in self._index["memory"]}
        memories = {k: v for k, v in values.items() if k in self._index["memory"]}
        # states first: their names are the ones that can be unknown, and nothing is to change then
        self._assign("state", self.model.states, self.x, states)
        self._assign("memory", self.model.memories, self.m, memories)
        if restart_history:
            self._state[Header.HISTORY] = 0.0

    # -- tables and services -----------------------------------------------------------------------

    @property
    def tables(self) -> dict[str, Table]:
        """The tables in use, by name."""
        return dict(self._tables)

    def set_tables(self, tables: Mapping[str, Table]) -> None:
        """Replace tables by name; number of axes and outputs must stay. Derived parameters follow at once."""
        self._set_tables(tables)
        self._prepare()

    def _set_tables(self, tables: Mapping[str, Table]) -> None:
        slots = list(self.model.tables)
        for name, table in tables.items():
            if name not in slots:
                raise ParameterError(f"table {name!r}: unknown in model {self.model.name!r}{did_you_mean(name, slots)}")
            n_axes, n_out = self.model.table_shape(name)
            if (table.n_axes, table.n_out) != (n_axes, n_out):
                raise ParameterError(
                    f"table {name!r}: has {table.n_axes} axes and {table.n_out} outputs; "
                    f"the model needs {n_axes} and {n_out}"
                )
        for name, table in tables.items():
            packed = table.packed()
            packed.fill(self._table_structs[slots.index(name)])
            self._tables[name], self._packed_tables[name] = table, packed

    def bind(self, name: str, function: Any, context: int | None = None) -> None:
        """Bind a service.

        Parameters
        ----------
        name : of the service
        function : a C function of type ``jn_service_fn`` (ctypes function or address), or a Python callable
            ``f(arguments, order)`` that returns values and derivatives up to ``order``, laid out as a table's
        context : address handed to a C function
        """
        names = [s.name for s in self.model.services]
        if name not in names:
            raise ParameterError(f"service {name!r}: unknown in model {self.model.name!r}{did_you_mean(name, names)}")
        k = names.index(name)
        self._bound[name] = (function, context)  # as given: a copy of this simulation wraps it anew
        if isinstance(function, int):
            pointer: Any = function
        elif isinstance(function, _C_FUNCTION):
            pointer = ctypes.cast(function, ctypes.c_void_p).value
        else:
            function = self._callback(self.model.services[k], function)
            pointer = ctypes.cast(function, ctypes.c_void_p).value
        self._callbacks[name] = function
        self._services[k].call = pointer
        self._services[k].context = context

    def adopt(self, other: Simulation) -> None:
        """Take over parameters, tables and services of a simulation whose model declares the same ones."""
        self.set_parameters({v.name: other.parameter(v.name) for v in self.model.parameters})
        self.set_tables({name: other.tables[name] for name in self.model.tables})
        for slot in self.model.services:
            if slot.name in other._bound:
                self.bind(slot.name, *other._bound[slot.name])

    def _callback(self, slot: ServiceSlot, function: ServiceFunction) -> Any:
        # an exception cannot cross C: it is kept, nan stops the run, and the exception is raised afterwards
        def call(_context: Any, arguments: Any, order: int, out: Any) -> None:
            size = sum(slot.n_out * math.comb(slot.n_in + k - 1, k) for k in range(order + 1))
            result = np.ctypeslib.as_array(out, (size,))
            try:
                values = np.ctypeslib.as_array(arguments, (slot.n_in,)).copy() if slot.n_in else np.zeros(0)
                result[:] = np.asarray(function(values, order), dtype=float).reshape(size)
            except BaseException as error:
                self._service_error = self._service_error or error
                result[:] = math.nan

        return SERVICE(call)

    def _check_services(self) -> None:
        missing = [s.name for s in self.model.services if s.name not in self._callbacks]
        if missing:
            raise ParameterError(f"services not bound: {', '.join(missing)}; call bind(name, function) before a run")

    def _raise_service_error(self) -> None:
        error, self._service_error = self._service_error, None
        part, self._failed_part = self._failed_part, "a service"
        for block in self._externals.blocks:
            block.record.failed = 0
        if isinstance(error, Exception):
            raise SimulationError(f"{part} failed at t = {self.time:.9g} s: {error}") from error
        if error is not None:
            raise error

    # -- start, step, method, program --------------------------------------------------------------

    def _seconds(self, value: Number, name: str) -> float:
        return parse(value, "s", name)

    def _step(self, step: Number | None, method: int) -> float:
        h = default_step(method) if step is None else self._seconds(step, "step")
        if not (h > 0.0 and math.isfinite(h)):
            raise ParameterError(f"step = {step}: must be above 0 s")
        return h

    def _check_step_function(self, method: int) -> None:
        if method not in LINEAR_IMPLICIT.values():
            return
        c = self.library.struct.contents
        stages = 2 if method == LINEAR_IMPLICIT["ROS2"] else 1
        if not c.step or c.step_stages != stages:
            kind = "ros2" if stages == 2 else "velocity-first"
            raise ParameterError(
                f"method {_METHOD_NAMES[method]}: model {self.model.name!r} was built without a linear-implicit step "
                f"of this order; build(system.generate(step=Step({kind!r}))) makes one"
            )

    @property
    def project(self) -> bool:
        """Whether every step ends with a projection onto the loop constraints."""
        return bool(self._state[Header.PROJECT])

    @project.setter
    def project(self, on: bool) -> None:
        if on and not self.library.struct.contents.project_position:
            raise ParameterError(f"model {self.model.name!r} has no loop constraints to project onto")
        self._state[Header.PROJECT] = float(bool(on))

    def _check_loops(self) -> None:
        """A run must not start with open loops: their stabilisation would slam them shut."""
        c = self.library.struct.contents
        if not c.project_position or self.step_count > 0:
            return
        moved = np.zeros(len(self.x))
        self._call(c.project_position, [moved])
        change = np.abs(moved - self.x)
        worst = int(np.argmax(change))
        if not change[worst] <= OPEN_LOOP * (1.0 + abs(float(self.x[worst]))):
            raise ParameterError(
                f"model {self.model.name!r}: the loop constraints are not met at the start, closing them would move "
                f"{self.model.states[worst].name!r} by {change[worst]:.3g}; call make_consistent() first"
            )

    def make_consistent(self, tolerance: float = 1e-12, iterations: int = 50) -> float:
        """Move positions onto the loop constraints (Newton, in the metric of the mass), then the velocities.

        Returns the size of the last position change; raises ParameterError when it does not converge.
        """
        c = self.library.struct.contents
        if not c.project_position:
            return 0.0
        change = math.inf
        start = self.x.copy()
        moved = np.zeros(len(self.x))
        for _ in range(iterations):
            self._call(c.project_position, [moved])
            change = float(np.max(np.abs(moved - self.x)))
            if not math.isfinite(change):
                break
            self.x[:] = moved
            if change <= tolerance * (1.0 + float(np.max(np.abs(moved)))):
                self._call(c.project_velocity, [moved])
                self.x[:] = moved
                return change
        self.x[:] = start
        raise ParameterError(
            f"model {self.model.name!r}: the initial position cannot be moved onto the loop constraints "
            f"(last change {change:g}); start closer to a closed position. Where the lengths allow none (a bar that is "
            "too short to reach), no start helps: check offsets and lengths"
        )

    def _start(self, t0: float, h: float, method: int) -> None:
        self._check_step_function(method)
        if self.library.c.jn_start(ctypes.byref(self._sim), t0, h, method) != Status.OK:
            raise ParameterError(f"cannot start at t0 = {t0} s with step = {h} s")
        for k, (period, offset) in self._rhythm.items():
            self.library.c.jn_set_block(ctypes.byref(self._sim), k, period, offset)

    def restart(self, t0: Number = 0.0, *, defaults: bool = False) -> None:
        """Go back to step 0 at ``t0``: no history, program before its first phase.

        States, memories, inputs and signals stay, unless ``defaults`` puts the model's own values back (and those that
        external blocks had when they were added). Parameters, tables, method, step and options stay.
        """
        if defaults:
            self._check_states("cannot go back to its start")
        s = self._state
        options = [Header.IPRINT, Header.OPT_WRITE, Header.PROJECT, Header.IO_SYNC_FM, Header.IO_UPDATE]
        values = s[options]
        self._start(self._seconds(t0, "t0"), self.step, int(s[Header.METHOD]))
        s[options] = values
        if defaults:
            self._set_defaults()
            for block in self._externals.blocks:
                if block.saved:
                    block.load(block.initial)

    def set_method(self, method: str | int | None = None, step: Number | None = None) -> None:
        """Change method and/or step at the current instant; a real change restarts the history.

        A step once chosen stays; otherwise a new method comes with its usual one.
        """
        number = int(self._state[Header.METHOD]) if method is None else method_number(method)
        keep = self._step_chosen or method is None or number == int(self._state[Header.METHOD])
        h = self.step if step is None and keep else self._step(step, number)
        self._step_chosen = self._step_chosen or step is not None
        self._check_step_function(number)
        if self.library.c.jn_set_step(ctypes.byref(self._sim), h, number) != Status.OK:
            raise ParameterError(f"cannot use method {method!r} with step {step!r}")

    def set_program(self, program: Program | None) -> None:
        """Attach a phase program (None = none); it starts at the current instant."""
        packed = program.pack(self.model) if program is not None else None
        self._check_writers(self._externals.blocks, packed)
        if packed is not None and not self.library.struct.contents.watch and self.model.watches:
            raise ParameterError(f"model {self.model.name!r} has watches but no watch function; build it again")
        old, layout = self._state, self._layout
        shared, end = layout.channel, layout.n_state  # what stands before the channels does not depend on the program
        self._allocate(packed)
        self._state[:shared] = old[:shared]
        self._state[self._layout.n_state :] = old[end:]
        s = self._state
        s[Header.SIZE] = len(s)
        s[Header.PROGRAM_ID] = packed.id if packed is not None else 0.0
        s[Header.PHASE], s[Header.PHASE_STEP], s[Header.PHASE_TIME] = -1.0, 0.0, 0.0
        s[Header.TRANSITIONS] = s[Header.STATUS] = s[Header.REASON] = s[Header.FAILED] = 0.0
        # the new program has not seen this instant yet; rows and samples that are done stay done
        s[Header.DONE] = float(int(s[Header.DONE]) & (2 | 8 | 16))
        self._program = program

    # -- blocks ------------------------------------------------------------------------------------

    @property
    def blocks(self) -> tuple[BlockInfo, ...]:
        """All blocks: compiled and sampled ones in the order in which they run, then those that exchange by steps."""
        found: list[BlockInfo] = []
        for k in range(len(self.model.blocks) + 1):
            found += [self._info(b.name) for b in self._externals.blocks if b.exchange == 0 and b.before == k]
            found += [self._info(b.name) for b in self.model.blocks[k : k + 1]]
        return (*found, *(self._info(b.name) for b in self._externals.blocks if b.exchange))

    def _info(self, name: str) -> BlockInfo:
        k = self._block_index(name)
        period, after = self._slot(k)[:2]
        due = float(self._state[Header.T0] + (after - self._state[Header.I0]) * self.step)
        if k < len(self.model.blocks):
            return BlockInfo(name, "compiled", float(period) or self.step, due)
        block = self._externals.blocks[k - len(self.model.blocks)]
        kind = EXCHANGES[block.exchange]
        return BlockInfo(name, kind, float(period) or self.step, due, block.reads, block.writes)

    def _block_names(self) -> list[str]:
        return [*(b.name for b in self.model.blocks), *(b.name for b in self._externals.blocks)]

    def _block_index(self, name: str) -> int:
        names = self._block_names()
        if name not in names:
            raise ParameterError(f"block {name!r}: unknown in model {self.model.name!r}{did_you_mean(name, names)}")
        return names.index(name)

    def _slot(self, k: int) -> Array:
        own = len(self.model.blocks)
        if k < own:
            return self._view(self._layout.block + 2 * k, 2)
        block = self._externals.blocks[k - own]
        return self._view(self._layout.n_state + block.place, block.size)

    def _saved(self, block: External) -> Array:
        end = self._layout.n_state + block.place + block.size
        return self._state[end - (block.saved or 0) : end]

    def set_block_period(self, name: str, period: Number | None, offset: Number | None = None) -> None:
        """Change the period of a block (None = every full step).

        Its next sample stays where it is, unless ``offset`` puts it so long after the current instant.
        """
        k = self._block_index(name)
        seconds, wait = self._period(name, period), -1.0
        if offset is not None:
            wait = self._span(name, "offset", offset)
        if self.library.c.jn_set_block(ctypes.byref(self._sim), k, seconds, wait) != Status.OK:
            raise ParameterError(f"block {name!r}: cannot use period {period!r} with offset {offset!r}")
        own = len(self.model.blocks)
        if k < own:
            default = self.model.blocks[k].offset
            self._rhythm[k] = (seconds, self._rhythm.get(k, (0.0, default))[1] if offset is None else wait)
        else:
            block = self._externals.blocks[k - own]
            block.period, block.offset = seconds, block.offset if offset is None else wait
            block.fill(block.record)

    def _period(self, name: str, period: Number | None) -> float:
        seconds = 0.0 if period is None else self._span(name, "period", period)
        if period is not None and seconds == 0.0:
            raise ParameterError(f"block {name!r}: period = {period}: must be above 0 s; None means every full step")
        return seconds

    def _span(self, name: str, what: str, value: Number) -> float:
        seconds = self._seconds(value, f"block {name!r}: {what}")
        if not (seconds >= 0.0 and math.isfinite(seconds)):
            raise ParameterError(f"block {name!r}: {what} = {value}: must be 0 s or more")
        return seconds

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
        writes : names of inputs; nobody else may drive them
        offset : s from now to the first sample
        exchange : "sampled" runs it as a block compiled into the model: what it writes acts on the evaluation of the
            same instant. "step" exchanges as co-simulation does, by one of four conventions (`exchange_convention`)
        before : sampled: run before this block instead of after all
        state : how it gives and takes its state; not needed for an object with methods ``get_state``, ``set_state``
        stateless : the promise that it keeps nothing between two calls
        context : address handed to a C function
        """
        if name in self._block_names():
            raise ParameterError(f"block {name!r}: the name is taken; choose another")
        own, blocks = [b.name for b in self.model.blocks], self._externals.blocks
        place, position = len(own), len(blocks)
        if before is not None:
            k = self._block_index(before)
            if k < len(own):
                place = k
            else:
                position = k - len(own)
                place = blocks[position].before
                if blocks[position].exchange != 0:
                    raise ParameterError(f"block {name!r}: {before!r} exchanges by steps and has no place in the order")
            if exchange != "sampled":
                raise ParameterError(f"block {name!r}: before={before!r} goes with exchange='sampled' only")
        wait = self._span(name, "offset", offset)
        block = make(
            self.model,
            name,
            function,
            reads=reads,
            writes=writes,
            period=self._period(name, period),
            offset=wait,
            exchange=exchange,
            before=place,
            state=state,
            stateless=stateless,
            context=context,
            on_error=self._block_failed,
        )
        self._check_writers([*blocks, block], self._packed)
        self._set_externals([*blocks[:position], block, *blocks[position:]])
        self.library.c.jn_set_block(ctypes.byref(self._sim), len(own) + position, block.period, wait)

    def remove_block(self, name: str) -> None:
        """Unbind an external block; the inputs it wrote keep their values."""
        blocks = [b for b in self._externals.blocks if b.name != name]
        if len(blocks) == len(self._externals.blocks):
            raise ParameterError(f"block {name!r}: no external block{did_you_mean(name, [b.name for b in blocks])}")
        self._set_externals(blocks)

    def _set_externals(self, blocks: Sequence[External]) -> None:
        old, base = self._state, self._layout.n_state
        parts = {b.name: old[base + b.place : base + b.place + b.size] for b in self._externals.blocks}
        self._externals = Externals(blocks)
        self._allocate(self._packed)
        s = self._state
        s[:base] = old[:base]
        for block in blocks:
            if block.name in parts:
                s[base + block.place : base + block.place + block.size] = parts[block.name]
        s[Header.SIZE], s[Header.EXTERNAL_ID] = len(s), self._externals.id

    def _block_failed(self, block: External, error: BaseException) -> None:
        if self._service_error is None:
            self._service_error, self._failed_part = error, f"block {block.name!r}"

    def _check_writers(self, blocks: Sequence[External], packed: PackedProgram | None) -> None:
        model = self.model
        driven: dict[int, str] = {}
        for phase, k in packed.channels if packed is not None else ():
            mode = packed.struct.channels[packed.channels[phase, k]].mode if packed is not None else 0
            for i in (k, model.input_rate[k], model.input_acceleration[k]) if mode else ():
                driven.setdefault(i, f"phase {packed.phase_names[phase]!r}" if packed is not None else "")
        for block in blocks:
            for k in block.input.tolist():
                name = model.inputs[k].name
                if k in driven:
                    raise ParameterError(
                        f"input {name!r} is driven by {driven[k]} and by block {block.name!r}; let one of them write it"
                    )
                driven[k] = f"block {block.name!r}"

    def _check_states(self, what: str) -> None:
        silent = [b.name for b in self._externals.blocks if b.saved is None]
        if silent:
            raise ParameterError(
                f"block {silent[0]!r} {what}: it cannot give and take its state. Add it with "
                "state=BlockState(get, set), or with stateless=True if it keeps nothing between two calls"
            )

    def _check_blocks(self) -> None:
        """Periods fit the step, and what is read is known when it is read."""
        if not self.model.blocks and not self._externals.blocks:
            return
        k = self.library.c.jn_misfit(ctypes.byref(self._sim))
        if k >= 0:
            name, (period, after) = self._block_names()[k], self._slot(k)[:2]
            steps = period / self.step
            if period and (steps < 0.5 or abs(steps - round(steps)) > 1e-6):
                raise ParameterError(
                    f"block {name!r}: period {period:.9g} s is no multiple of the step, {self.step:.9g} s; "
                    "change the step or use set_block_period"
                )
            due = self._state[Header.T0] + (after - self._state[Header.I0]) * self.step
            raise ParameterError(
                f"block {name!r}: its next sample at t = {due:.9g} s is no full step of {self.step:.9g} s; choose "
                "another offset, or change the step at one of its samples"
            )
        if self.exchange_convention == 2:
            self._check_kinematic()

    def _check_kinematic(self) -> None:
        blocks = [b for b in self._externals.blocks if b.exchange]
        imported = {k for b in blocks for k in b.input.tolist()}
        inputs = [v.name for v in self.model.inputs]
        for block in blocks:
            for name, source, index in zip(block.reads, block.source.tolist(), block.index.tolist(), strict=True):
                needs: Sequence[int] = ()
                if source == KINEMATICS:
                    needs = self.model.kinematic_inputs[index]
                elif source == INPUT:
                    needs = (index,)
                elif source in (WATCH, OUTPUT):
                    raise ParameterError(
                        f"block {block.name!r} reads {name!r}, which may depend on forces that are imported only "
                        "afterwards. Declare it with output(..., kinematic=True), read a state, or set io_sync_fm = 0"
                    )
                late = [inputs[k] for k in needs if k in imported]
                if late:
                    raise ParameterError(
                        f"block {block.name!r} reads {name!r}, which depends on the imported input {late[0]!r}; "
                        "read something else, or set io_sync_fm = 0"
                    )

    @property
    def io_sync_fm(self) -> bool:
        """OPT_IO_SYNC_FM: with Euler and AB-2, external blocks get kinematic values before the forces are computed."""
        return bool(self._state[Header.IO_SYNC_FM])

    @io_sync_fm.setter
    def io_sync_fm(self, on: bool) -> None:
        self._state[Header.IO_SYNC_FM] = float(bool(on))

    @property
    def io_update(self) -> bool:
        """OPT_IO_UPDATE: with half-step methods, external blocks are called at half steps too."""
        return bool(self._state[Header.IO_UPDATE])

    @io_update.setter
    def io_update(self, on: bool) -> None:
        self._state[Header.IO_UPDATE] = float(bool(on))

    @property
    def exchange_convention(self) -> int:
        """How blocks with ``exchange="step"`` are served, from method and options.

        1. without half steps: values of the instant are sent, what comes back acts one step later;
        2. without half steps, `io_sync_fm`: kinematic values are sent before the evaluation; the results act on it;
        3. with half steps: as 1, and the half step sees what the full step saw;
        4. with half steps, `io_update`: exchange every half step, what comes back acts half a step later.
        """
        half = 1 <= int(self._state[Header.METHOD]) <= 4
        return (4 if self.io_update else 3) if half else (2 if self.io_sync_fm else 1)

    # -- recording ---------------------------------------------------------------------------------

    @property
    def iprint(self) -> int:
        """Rows every so many full steps; 0 = also at half steps."""
        return int(self._state[Header.IPRINT])

    @iprint.setter
    def iprint(self, steps: int) -> None:
        if steps < 0 or steps != int(steps):
            raise ParameterError(f"IPRINT = {steps}: must be 0, 1, 2, …")
        self._state[Header.IPRINT] = float(steps)

    @property
    def opt_write(self) -> bool:
        """Whether rows are written."""
        return bool(self._state[Header.OPT_WRITE])

    @opt_write.setter
    def opt_write(self, on: bool) -> None:
        self._state[Header.OPT_WRITE] = float(bool(on))

    # -- snapshots ---------------------------------------------------------------------------------

    def snapshot(self) -> Array:
        """Return everything that changes during a run as one array; parameters and tables are not in it."""
        self._check_states("cannot be part of a snapshot")
        for block in self._externals.blocks:
            if block.saved:
                block.save(self._saved(block))
        return self._state.copy()

    def restore(self, snapshot: npt.ArrayLike) -> None:
        """Go back to a snapshot of the same model and program, exactly.

        Method, step and the options of recording and exchange are part of a snapshot and come back with it; parameters
        and tables are not and stay as they are.
        """
        array = np.asarray(snapshot, dtype=float)
        if array.ndim != 1 or len(array) < HEADER_SIZE:
            raise ParameterError("not a snapshot: expected the array that snapshot() returned")
        expected = {
            Header.ABI: (SIM_ABI, "made by another version of the runtime"),
            Header.MODEL_ID: (self.library.model_id, "of another model"),
            Header.PROGRAM_ID: (
                self._packed.id if self._packed is not None else 0.0,
                "made with another phase program; attach the same one first",
            ),
            Header.EXTERNAL_ID: (self._externals.id, "made with other external blocks; add the same ones first"),
            Header.SIZE: (len(self._state), "of another size"),
        }
        for place, (value, text) in expected.items():
            if array[place] != value:
                raise ParameterError(f"the snapshot is {text}")
        if len(array) != len(self._state):
            raise ParameterError(f"the snapshot has {len(array)} numbers, expected {len(self._state)}")
        method, h = array[Header.METHOD], array[Header.H]
        if method not in _METHOD_NAMES or not (h > 0.0 and math.isfinite(h)):
            raise ParameterError(f"the snapshot is damaged: method {method:g}, step {h:g} s")
        self._check_step_function(int(method))
        self._check_states("cannot be restored")
        self._state[:] = array
        self._step_chosen = True
        for block in self._externals.blocks:
            if block.saved:
                block.load(self._saved(block))

    # -- evaluation without effect -----------------------------------------------------------------

    def _prepare(self) -> None:
        c = self.library.struct.contents
        if c.prepare and c.n_p > c.n_p_free:
            derived = np.zeros(c.n_p - c.n_p_free)
            self._call(c.prepare, [derived])
            self._p[c.n_p_free : c.n_p] = derived

    def _call(self, function: Any, results: Sequence[Array], **point: npt.ArrayLike | float | None) -> None:
        at = JnPoint()
        if self.library.c.jn_point_now(ctypes.byref(self._sim), ctypes.byref(at)) != Status.OK:
            raise ParameterError(f"model {self.model.name!r}: its state is damaged; restart() or restore a snapshot")
        keep = []
        for name, size in (("x", len(self.x)), ("m", len(self.m)), ("u", len(self.u)), ("b", len(self.b))):
            value = point.get(name)
            if value is not None:
                array = np.ascontiguousarray(value, dtype=float)
                if array.shape != (size,):
                    raise ParameterError(f"{name}: expected {size} numbers, got an array of shape {array.shape}")
                keep.append(array)
                setattr(at, name, array.ctypes.data)
        time = point.get("t")
        if time is not None:
            at.t = float(time)  # type: ignore[arg-type]
        out = (ctypes.c_void_p * max(len(results), 1))(*(r.ctypes.data for r in results))
        function(ctypes.byref(self._env), ctypes.byref(at), out)
        if self._service_error is not None:
            self._raise_service_error()

    def derivatives(
        self,
        *,
        x: npt.ArrayLike | None = None,
        m: npt.ArrayLike | None = None,
        u: npt.ArrayLike | None = None,
        t: float | None = None,
    ) -> tuple[Array, Array]:
        """Return dx/dt and the next memories at the current point, or at the one given; nothing changes."""
        self._check_services()
        f, m_next = np.zeros(len(self.x)), np.zeros(len(self.m))
        self._call(self._need("rhs"), [f, m_next], x=x, m=m, u=u, t=t)
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
        self._check_services()
        y = np.zeros(len(self.model.outputs))
        if len(y):
            self._call(self._need("outputs"), [y], x=x, m=m, u=u, t=t)
        return y

    def output(self, name: str) -> float:
        """Return one channel at the current point."""
        return float(self.outputs()[self._find("output", name)])

    def watches(self) -> Array:
        """Return the watch values at the current point."""
        self._check_services()
        values = np.zeros(len(self.model.watches))
        if len(values):
            self._call(self._need("watch"), [values])
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
        self._check_services()
        results = tuple(np.zeros(size) for size in slots[function].sizes)
        self._call(self.library.functions[function], results, x=x, m=m, u=u, b=b, t=t)
        return results

    def _need(self, name: str) -> Any:
        function = getattr(self.library.struct.contents, name)
        if not function:
            raise ParameterError(f"model {self.model.name!r} has no {name} function")
        return function

    def time_rhs(self, n: int = 10000) -> float:
        """Return the wall time of one right-hand side evaluation at the current point, s."""
        self._check_services()
        self._need("rhs")
        begin = clock.perf_counter()
        self.library.c.jn_repeat_rhs(ctypes.byref(self._sim), n)
        return (clock.perf_counter() - begin) / n

    # -- running -----------------------------------------------------------------------------------

    def advance(self, steps: int = 1) -> Status:
        """Make full steps without recording. A failure raises `RunError`.

        Returns
        -------
        Status.OK, or Status.STOPPED when the program ended before.
        """
        self._check_services()
        self._check_blocks()
        self._sim.recorder = None
        first = self.step_count
        status = Status(self.library.c.jn_advance(ctypes.byref(self._sim), steps))
        if self._service_error is not None:
            self._raise_service_error()
        if status not in (Status.OK, Status.STOPPED):
            sink = _Sink(self, [], True, 1)
            self._sim.recorder = None
            recording = self._recording(sink, status, "failed", "", self.step_count - first, 0.0)
            raise RunError(recording.reason, recording, recording.failure)
        return status

    def apply_program(self) -> Status:
        """Let the program act on the current instant, if it has not yet, without making a step.

        Inputs, `outputs` and `watches` are then those the next evaluation will use.
        """
        self._check_services()
        self._check_blocks()
        self._sim.recorder = None
        written = int(self._state[Header.DONE]) & 2
        status = Status(self.library.c.jn_instant(ctypes.byref(self._sim)))
        # nobody recorded: the row of this instant is still to come
        self._state[Header.DONE] = float(int(self._state[Header.DONE]) & ~2 | written)
        if self._service_error is not None:
            self._raise_service_error()
        if status == Status.NONFINITE:
            failure = self._failure()
            sink = _Sink(self, [], True, 1)
            self._sim.recorder = None
            raise RunError(failure.message, self._recording(sink, status, "failed", "", 0, 0.0), failure)
        return status

    def run(
        self,
        t_end: Number | None = None,
        *,
        program: Program | None = None,
        step: Number | None = None,
        method: str | int | None = None,
        iprint: int | None = None,
        interval: Number | None = None,
        channels: Sequence[str] | str | None = None,
        on_error: str = "raise",
        check_outputs: bool = True,
        progress: Callable[[float, float], None] | None = None,
        buffer_rows: int | None = None,
    ) -> Recording:
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
        progress : called with (fraction done, time) several times a second
        buffer_rows : rows of one recorder buffer, for those who must know
        """
        if on_error not in ("raise", "return"):
            raise ParameterError(f"on_error = {on_error!r}: must be 'raise' or 'return'")
        self._check_services()
        self._need("rhs")
        if program is not None and program is not self._program:
            self.set_program(program)
        if method is not None or step is not None:
            self.set_method(method, step)
        self._check_blocks()
        if interval is not None:
            if iprint is not None:
                raise ParameterError("give iprint or interval, not both")
            iprint = self._interval_steps(interval)
        if iprint is not None:
            self.iprint = iprint
        columns = self._columns(channels)
        self._check_loops()
        n_steps, limit = self._steps_to(t_end)
        sink = _Sink(self, columns, check_outputs, self._rows_expected(n_steps, len(columns), buffer_rows))
        begin, first = clock.perf_counter(), self.step_count
        try:
            status = self._loop(sink, n_steps, progress)
            ended, reason = self._ending(status, limit)
        except KeyboardInterrupt:
            status, ended, reason = Status.OK, "interrupted", f"interrupted at t = {self.time:.9g} s"
        finally:
            self._sim.recorder = None
        done = self.step_count - first
        recording = self._recording(sink, status, ended, reason, done, clock.perf_counter() - begin)
        if self._service_error is not None:
            try:
                self._raise_service_error()
            except KeyboardInterrupt:
                return self._recording(sink, Status.OK, "interrupted", "interrupted", done, recording.wall_time)
            except SimulationError as error:
                if recording.failure is None:
                    recording = replace(recording, reason=str(error))
                raise RunError(str(error), recording, recording.failure) from error.__cause__
        if ended == "failed" and on_error == "raise":
            raise RunError(recording.reason, recording, recording.failure)
        return recording

    def _interval_steps(self, interval: Number) -> int:
        seconds = self._seconds(interval, "interval")
        steps = seconds / self.step
        if not steps >= 0.5 or abs(steps - round(steps)) > 1e-6 * steps:
            raise ParameterError(f"interval = {interval}: must be a multiple of the step, {self.step:g} s")
        return round(steps)

    def _steps_to(self, t_end: Number | None) -> tuple[int, str]:
        """Full steps to make, and what it means to have made them all."""
        if t_end is None:
            if self._packed is None:
                raise ParameterError("run() needs an end time or a program")
            return math.ceil(PROGRAM_TIME_LIMIT / self.step), (
                f"the program had not ended after {PROGRAM_TIME_LIMIT:g} s; give it an end condition, "
                "or give run() an end time"
            )
        end = self._seconds(t_end, "t_end")
        if not math.isfinite(end):
            raise ParameterError(f"t_end = {end}: must be finite")
        # a millionth of a step: i*h is a rounding error away from the decimal number the user wrote
        n = math.ceil((end - self.time) / self.step - 1e-6)
        if n < 0:
            raise ParameterError(f"t_end = {end:g} s lies before the current time {self.time:g} s")
        return n, "end time reached"

    def _rows_expected(self, n_steps: int, n_columns: int, buffer_rows: int | None) -> int:
        if buffer_rows is not None:
            return max(1, buffer_rows)
        most = max(BUFFER_BYTES // (8 * (1 + n_columns)), 16)
        expected = n_steps // self.iprint + 2 if self.iprint else 2 * n_steps + 2
        return min(expected, most)

    def _loop(self, sink: _Sink, n_steps: int, progress: Callable[[float, float], None] | None) -> Status:
        c, sim = self.library.c, ctypes.byref(self._sim)
        first = before = self.step_count
        last, chunk = first + n_steps, 256
        while before < last:
            n = min(chunk, last - before)
            begin = clock.perf_counter()
            status = Status(c.jn_advance(sim, n))
            spent = clock.perf_counter() - begin
            now = self.step_count
            if status == Status.FULL:
                sink.next_buffer()
            elif status != Status.OK or self._service_error is not None:
                return status
            # as many steps as fit the wall time; growth is bounded because the first chunks are noisy
            rate = max(now - before, 1) / max(spent, 1e-9)
            chunk = int(min(max(rate * CHUNK_SECONDS, 1), 4 * chunk, 1 << 40))
            before = now
            if progress is not None:
                progress((now - first) / n_steps, self.time)
        while (status := Status(c.jn_instant(sim))) == Status.FULL:
            sink.next_buffer()
        return status

    def _ending(self, status: Status, limit: str) -> tuple[str, str]:
        if status == Status.STOPPED:
            assert self._packed is not None
            return "stopped", self._packed.reasons[int(self._state[Header.REASON])]
        if status == Status.OK:
            nothing = "" if self.model.outputs else "; the model declares no outputs, so only time was recorded"
            return "finished", limit + nothing
        return "failed", ""

    def _recording(self, sink: _Sink, status: Status, ended: str, reason: str, steps: int, wall: float) -> Recording:
        failure = None
        if status == Status.NONFINITE:
            failure = self._failure()
            reason = failure.message
        elif status == Status.BAD_CALL:
            raise SimulationError("the C runtime refused the state array; it does not fit the model and program")
        rows = sink.rows()
        variables = [self.model.outputs[k] for k in sink.columns]
        return Recording(
            time=rows[:, 0],
            data=rows[:, 1:],
            names=tuple(v.name for v in variables),
            units=tuple(v.unit for v in variables),
            status=ended,
            reason=reason,
            stop_failed=status == Status.STOPPED and bool(self._state[Header.FAILED]),
            failure=failure,
            steps=steps,
            method=self.method,
            step=self.step,
            phase=self.phase,
            wall_time=wall,
            _kinds=self.library.kinds,
        )

    def _failure(self) -> Failure:
        s = self._state
        kind = _KINDS[int(s[Header.BAD_KIND])]
        index = int(s[Header.BAD_INDEX])
        model = self.model
        variables = {
            "state": model.states,
            "derivative": model.states,
            "memory": model.memories,
            "input": model.inputs,
            "output": model.outputs,
            "watch": model.watches,
            "signal": model.signals,
        }[kind]
        name, value = variables[index].name, float(s[Header.BAD_VALUE])
        time, step = float(s[Header.BAD_TIME]), int(s[Header.BAD_STEP])
        what = f"derivative of {name!r}" if kind == "derivative" else f"{kind} {name!r}"
        where = f" in phase {self.phase!r}" if self.phase else ""
        writer = next((b.name for b in self._externals.blocks if kind == "input" and name in b.writes), None)
        if writer is not None:
            what += f", written by block {writer!r},"
        advice = (
            f"Try a smaller step, h = {self.step / 2:g} s; if that does not help, look at the last rows recorded and "
            "at the parameters and initial values that act there"
        )
        if step == 0 and time <= s[Header.T0]:  # before any step: no step could cure it
            advice = (
                "This is the start, so the step is not the cause: look for a division by zero, for the root or "
                "logarithm of a number that is not positive, and at the parameters, initial values and inputs there"
            )
        message = (
            f"{what} became {value} at t = {time:.9g} s{where} (step {step}, {self.method}, h = {self.step:g} s). "
            f"{advice}"
        )
        return Failure(kind, name, index, value, time, step, message)


class _Sink:
    """The recorder's buffers; hands a new one to C when the last is full."""

    def __init__(self, sim: Simulation, columns: Sequence[int], check: bool, rows: int) -> None:
        self.sim, self.columns = sim, list(columns)
        self.full: list[Array] = []
        self.n_rows = rows
        self.record = JnRecorder()
        self.record.n_columns = len(self.columns)
        self.record.check = int(check)
        if self.columns != list(range(len(sim.model.outputs))):
            self._columns = np.array(self.columns, dtype=np.int32)
            self.record.columns = self._columns.ctypes.data or None
        self._fresh()
        sim._sim.recorder = ctypes.pointer(self.record)

    def _fresh(self) -> None:
        # Ctrl-C may come between any two lines: rows() must be right after each of them
        self.record.n_rows = 0
        self.buffer = np.empty((self.n_rows, 1 + len(self.columns)))
        self.record.rows, self.record.capacity = self.buffer.ctypes.data, self.n_rows

    def next_buffer(self) -> None:
        self.full.append(self.buffer[: self.record.n_rows])
        self._fresh()

    def rows(self) -> Array:
        if self.full and self.full[-1].base is self.buffer:
            return np.concatenate(self.full)
        return np.concatenate([*self.full, self.buffer[: self.record.n_rows]])
