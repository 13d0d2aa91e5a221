"""The numbers of one run: parameters, the flat state array and its layout, and all of them by name."""

from __future__ import annotations

import contextlib
import ctypes
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, SimulationError, did_you_mean
from jounce.core.generated import Variable
from jounce.core.tables import Table
from jounce.core.units import parse
from jounce.runtime.attachments import Attachments, Faults
from jounce.runtime.bindings import Header, JnEnv, JnLayout, JnPoint, JnSim, Library, Status
from jounce.runtime.blocks import Externals
from jounce.runtime.limits import check_limits
from jounce.runtime.methods import METHOD_NAMES, Number, has_half_steps

if TYPE_CHECKING:
    from jounce.runtime.program import PackedProgram

Array = npt.NDArray[np.float64]

KINDS = ("", "state", "derivative", "memory", "input", "output", "watch", "signal")  # of what was not finite, as in C
SETTERS = {
    "a state": "set_states",
    "a memory": "set_memories",
    "an input": "set_inputs",
    "a parameter": "set_parameters",
    "a signal of a block": "set_signals",
}


class Values:
    """Arrays of one run and the structure that C works on; knows neither blocks nor how a run goes on."""

    def __init__(self, library: Library, tables: Mapping[str, Table]) -> None:
        self.library = library
        self.model = library.model
        self._busy = threading.RLock()
        self.faults = Faults()
        self.attachments = Attachments(library, self.faults, tables)
        c = library.struct.contents
        self.parameters = np.zeros(max(c.n_p, 1))  # free ones, then derived ones
        self.parameters[: c.n_p_free] = library.defaults
        self._given: dict[int, float] = {}  # parameters that a program sets, as they were before
        self._work_of_model = np.zeros(max(c.n_work, 1))
        self.env = JnEnv(
            self.parameters.ctypes.data,
            self.attachments.table_structs,
            ctypes.cast(self.attachments.service_structs, ctypes.c_void_p),
            self._work_of_model.ctypes.data,
        )
        self.index = library.index
        self.layout = JnLayout()
        self.state = np.zeros(0)
        self.struct: JnSim
        self.allocate(None, Externals([]))

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other threads out while the state changes; the thread that is in may call again, from a callback."""
        if not self._busy.acquire(blocking=False):
            raise SimulationError(
                f"simulation of {self.model.name!r}: another thread is running it; a simulation belongs to one thread "
                "at a time. Make one per thread (jn.Simulation(library), which is cheap), or use jn.batch"
            )
        try:
            yield
        finally:
            self._busy.release()

    # -- memory ------------------------------------------------------------------------------------

    def allocate(self, packed: PackedProgram | None, externals: Externals) -> None:
        """Make state and scratch for a program and external blocks; the state is empty afterwards."""
        pointer = ctypes.pointer(packed.struct) if packed is not None else None
        self.library.c.jn_sim_layout(self.library.struct, pointer, ctypes.byref(self.layout))
        self.state = np.zeros(self.layout.n_state + externals.n_state)
        self.state[Header.MODEL_ID] = self.library.model_id
        self._work = np.zeros(max(self.layout.n_work, 1))
        self.packed = packed
        self.struct = JnSim(
            self.library.struct,
            ctypes.pointer(self.env),
            pointer,
            None,
            self.state.ctypes.data,
            self._work.ctypes.data,
            ctypes.pointer(externals.struct) if externals.blocks else None,
        )

    def set_defaults(self) -> None:
        """States, memories, inputs and signals as the model declares them."""
        model = self.model
        self.x[:] = [v.default for v in model.states]
        self.m[:] = [v.default for v in model.memories]
        self.u[:] = [v.default for v in model.inputs]
        n = len(model.signals)
        self.b[:n] = [v.default for v in model.signals]
        if not model.blocks:  # a library of extra functions: nobody else knows the periods there
            self.b[n:] = [period or self.step for period in model.block_periods]

    def view(self, offset: int, size: int) -> Array:
        """A part of the state array."""
        return self.state[offset : offset + size]

    @property
    def x(self) -> Array:
        return self.view(self.layout.x, len(self.model.states))

    @property
    def m(self) -> Array:
        return self.view(self.layout.m, len(self.model.memories))

    @property
    def u(self) -> Array:
        return self.view(self.layout.u, len(self.model.inputs))

    @property
    def b(self) -> Array:
        return self.view(self.layout.b, len(self.model.signals) + len(self.model.block_periods))

    # -- the head of the state array ---------------------------------------------------------------

    @property
    def step(self) -> float:
        return float(self.state[Header.H])

    @property
    def step_count(self) -> int:
        return int(self.state[Header.STEP])

    @property
    def method_number(self) -> int:
        return int(self.state[Header.METHOD])

    @property
    def method(self) -> str:
        return METHOD_NAMES[self.method_number]

    @property
    def half_steps(self) -> bool:
        """Whether the method evaluates half steps."""
        return has_half_steps(self.method_number)

    @property
    def time(self) -> float:
        return self.time_of(self.state[Header.STEP])

    def time_of(self, step: float) -> float:
        """Time of a full step by its number."""
        s = self.state
        return float(s[Header.T0] + (step - s[Header.I0]) * s[Header.H])

    @property
    def phase(self) -> str:
        k = int(self.state[Header.PHASE])
        names = self.packed.phase_names if self.packed is not None else ()
        return names[k] if 0 <= k < len(names) else ""

    # -- numbers by name ---------------------------------------------------------------------------

    def find(self, kind: str, name: str) -> int:
        """Number of a variable in its array; inputs also by an alias."""
        index = self.index[kind]
        if name not in index:
            found = self.library.kinds.get(name)
            hint = did_you_mean(name, index)
            if found is not None:
                setter = SETTERS.get("an input" if name in self.model.aliases else found)
                hint = f"; it is {found}" + (f": use {setter}" if setter else "")
            elif not index:
                hint = f"; the model has no {kind}s" if kind != "memory" else "; the model has no memories"
            raise ParameterError(f"{kind} {name!r}: unknown in model {self.model.name!r}{hint}")
        return index[name]

    def columns(self, channels: Sequence[str] | str | None) -> list[int]:
        """Numbers of the outputs to record; time is recorded anyway."""
        if channels is None:
            return list(range(len(self.model.outputs)))
        index = self.index["output"]
        names = [channels] if isinstance(channels, str) else list(channels)
        for name in names:
            if name not in index and name != "time":
                raise ParameterError(f"channel {name!r}: {self.library.no_output(name)}")
        return [index[name] for name in names if name in index]

    def assign(self, kind: str, variables: Sequence[Variable], target: Array, values: Mapping[str, Number]) -> None:
        """Set numbers by name; all names and units are checked before anything changes."""
        if not isinstance(values, Mapping):
            example = variables[0].name if variables else "name"
            raise ParameterError(
                f"{kind} values: found a {type(values).__name__}; expected numbers by name: {{{example!r}: 1.0, …}}"
            )
        found: dict[int, float] = {}
        for name, value in values.items():
            k = self.find(kind, name)
            if k >= len(variables):
                raise ParameterError(f"{kind} {name!r}: derived from other parameters, it cannot be set")
            number = parse(value, variables[k].unit, f"{name}{self.model.alias_note(name) if kind == 'input' else ''}")
            if not math.isfinite(number):
                note = self.model.alias_note(name) if kind == "input" else ""
                raise ParameterError(f"{kind} {name!r}{note} = {number}: must be finite")
            check_limits(variables[k], number)
            if k in found:
                raise ParameterError(f"input {variables[k].name!r} is given twice, also by its alias; keep one of them")
            found[k] = number
        for k, number in found.items():
            target[k] = number

    def variable(self, kind: str, index: int) -> Variable:
        """The variable of a kind (state, derivative, memory, …) and number."""
        return self.variables(kind)[index]

    def variables(self, kind: str) -> Sequence[Variable]:
        """All variables of a kind."""
        model = self.model
        return {
            "state": model.states,
            "derivative": model.states,
            "memory": model.memories,
            "input": model.inputs,
            "output": model.outputs,
            "watch": model.watches,
            "signal": model.signals,
        }[kind]

    # -- evaluation --------------------------------------------------------------------------------

    def call(self, function: Any, results: Sequence[Array], **point: npt.ArrayLike | float | None) -> None:
        """Call a function of the model at the current point, or at the one given; nothing changes."""
        at = JnPoint()
        if self.library.c.jn_point_now(ctypes.byref(self.struct), ctypes.byref(at)) != Status.OK:
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
        for name in ("t", "elapsed"):
            value = point.get(name)
            if value is not None:
                setattr(at, name, float(value))  # type: ignore[arg-type]
        out = (ctypes.c_void_p * max(len(results), 1))(*(r.ctypes.data for r in results))
        function(ctypes.byref(self.env), ctypes.byref(at), out)
        if self.faults.error is not None:
            self.faults.raise_kept(self.time)

    def need(self, name: str) -> Any:
        """A standard function of the model; an error when it has none."""
        function = getattr(self.library.struct.contents, name)
        if not function:
            raise ParameterError(f"model {self.model.name!r} has no {name} function")
        return function

    # -- parameters that a program sets --------------------------------------------------------------

    @property
    def _set_by_program(self) -> tuple[int, ...]:
        return self.packed.parameters if self.packed is not None else ()

    def keep_parameters(self, which: Sequence[int] | None = None) -> None:
        """Note what the caller gave of parameters that the program sets: their values stand in the state."""
        first = self.layout.parameter
        for k, index in enumerate(self._set_by_program):
            if which is None or index in which:
                self.state[first + k] = self._given[index] = self.parameters[index]

    def give_back_parameters(self) -> None:
        """Parameters that the program sets as the caller gave them."""
        chosen = self._set_by_program
        for k, index in enumerate(chosen):
            self.state[self.layout.parameter + k] = self.parameters[index] = self._given[index]
        if chosen:
            self.prepare()

    def prepare(self) -> None:
        """Compute the derived parameters."""
        c = self.library.struct.contents
        if c.prepare and c.n_p > c.n_p_free:
            derived = np.zeros(c.n_p - c.n_p_free)
            self.call(c.prepare, [derived])
            self.parameters[c.n_p_free : c.n_p] = derived
