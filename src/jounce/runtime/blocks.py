"""External blocks: outside code that is called at its sample instants, reads values of the model and writes inputs.

The function is a Python callable ``f(t, inputs) -> outputs`` or a C function
``void f(void *context, double t, const double *in, double *out)``. `Simulation.add_block` binds it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.generated import GeneratedModel
from jounce.core.ordering import run_order
from jounce.runtime.bindings import EXTERNAL, SAVE, JnExternal, JnExternals, fingerprint

Array = npt.NDArray[np.float64]
BlockFunction = Callable[[float, Array], npt.ArrayLike]

EXCHANGES = ("sampled", "step")  # JN_EXCHANGE_...
SLOTS, VALUES = 4, 3  # JN_EXTERNAL_SLOTS, JN_EXTERNAL_VALUES
KINEMATICS, WATCH, OUTPUT, INPUT = 4, 5, 6, 2  # JN_FROM_...

C_FUNCTION: Any = EXTERNAL.__mro__[1]  # the base of all ctypes functions


@dataclass(frozen=True)
class BlockState:
    """How an external block gives and takes its state.

    Parameters
    ----------
    get, set : for a Python block ``get() -> numbers`` and ``set(numbers)``; for a C block C functions (ctypes function
        or address) ``void save(void *context, double *to)`` and ``void load(void *context, const double *from)``
    size : how many numbers; may be left out for a Python block
    """

    get: Any
    set: Any
    size: int | None = None


@dataclass(frozen=True)
class OutsideBlock:
    """Outside code for a run: a Python callable or a C function that reads values and writes inputs.

    Parameters
    ----------
    function : Python callable ``f(t, inputs) -> outputs``, or a C function (ctypes function or address)
    reads : names of outputs, states, memories, inputs or signals
    writes : names of inputs, those of the ports of a vehicle among them (``Main_Damper.force.L1``)
    period : s between two samples, a multiple of the step; None = every full step
    name : for messages
    exchange, state, stateless, context : as for `Simulation.add_block`
    """

    function: Any
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    period: float | str | None = None
    name: str = ""
    exchange: str = "sampled"
    state: BlockState | None = None
    stateless: bool = False
    context: int | None = None

    @property
    def label(self) -> str:
        """Its name, or that of its function."""
        return self.name or str(getattr(self.function, "__name__", type(self.function).__name__)).strip("<>")

    @property
    def forgets(self) -> bool:
        """Whether a run can begin anew with it: it keeps nothing, or can be given its state."""
        own = hasattr(self.function, "get_state") and hasattr(self.function, "set_state")
        return self.stateless or self.state is not None or own


def in_order(blocks: Sequence[OutsideBlock], model: GeneratedModel) -> tuple[list[OutsideBlock], list[str]]:
    """Blocks of a run in the order in which they run, and the delays of loops, as "input -> block".

    A block that reads an input which another one writes runs after it. What is read through the model (an output that
    depends on an input) counts for nothing.
    """
    writers = {model.aliases.get(name, name): k for k, block in enumerate(blocks) for name in block.writes}
    reads: list[dict[int, list[str]]] = []
    for k, block in enumerate(blocks):
        found: dict[int, list[str]] = {}
        for name in block.reads:
            owner = writers.get(model.aliases.get(name, name), k)
            if owner != k:
                found.setdefault(owner, []).append(name)
        reads.append(found)
    order, cuts = run_order(reads)
    delays = [f"{name} -> {blocks[reader].label}" for reader, owner in cuts for name in sorted(reads[reader][owner])]
    return [blocks[k] for k in order], delays


@dataclass(frozen=True)
class BlockInfo:
    """A block of a simulation as `Simulation.blocks` shows it.

    Attributes
    ----------
    name : of the block
    kind : "compiled" into the model, or external: "sampled", "step"
    period : s between two samples
    next : time of the next sample, s
    reads, writes : names, for external blocks
    """

    name: str
    kind: str
    period: float
    next: float
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


@dataclass
class External:
    """One external block: its description, its buffers, and its structure for C."""

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    source: npt.NDArray[np.int32]
    index: npt.NDArray[np.int32]
    input: npt.NDArray[np.int32]
    period: float
    offset: float
    exchange: int
    before: int
    pointer: int
    context: int | None
    saved: int | None  # numbers of its own state; None: it cannot give it
    save: Callable[[Array], None]
    load: Callable[[Array], None]
    in_: Array
    out: Array
    keep: tuple[Any, ...] = ()
    initial: Array = field(default_factory=lambda: np.zeros(0))
    place: int = 0  # of its part in the state of external blocks
    record: JnExternal = field(default_factory=JnExternal)

    @property
    def size(self) -> int:
        """Doubles of its part of the state."""
        return SLOTS + VALUES * len(self.out) + (self.saved or 0)

    def fill(self, record: JnExternal) -> None:
        """Write the structure for C."""
        record.call, record.context = self.pointer, self.context
        record.period, record.offset = self.period, self.offset
        record.exchange, record.before = self.exchange, self.before
        record.n_in, record.n_out = len(self.in_), len(self.out)
        record.source, record.index, record.input = (a.ctypes.data for a in (self.source, self.index, self.input))
        record.in_, record.out = self.in_.ctypes.data, self.out.ctypes.data
        record.state = self.place
        self.record = record


class Externals:
    """All external blocks of a simulation, packed for C."""

    def __init__(self, blocks: Sequence[External]) -> None:
        self.blocks = list(blocks)
        self.array = (JnExternal * max(len(self.blocks), 1))()
        place = 0
        for block, record in zip(self.blocks, self.array, strict=False):
            block.place = place
            block.fill(record)
            place += block.size
        self.n_state = place
        text = [f"{b.name} {b.reads} {b.writes} {b.exchange} {b.before} {b.saved}".encode() for b in self.blocks]
        self.id = fingerprint(*text) if text else 0.0
        self.struct = JnExternals(self.id, len(self.blocks), self.n_state, self.array)


def resolve(model: GeneratedModel, name: str, where: str) -> tuple[int, int]:
    """Return where a value comes from (JN_FROM_...) and its index; channels come before equal names of states.

    An input is also found by an alias.
    """
    groups = (
        (KINEMATICS, model.kinematics),
        (WATCH, model.watches),
        (OUTPUT, model.outputs),
        (0, model.states),
        (1, model.memories),
        (INPUT, model.inputs),
        (3, model.signals),
    )
    for source, variables in groups:
        for k, variable in enumerate(variables):
            if variable.name == name:
                return source, k
    if name in model.aliases:
        return resolve(model, model.aliases[name], where)
    known = list(dict.fromkeys(v.name for _, variables in groups for v in variables))
    raise ParameterError(f"{where}: {name!r} cannot be read, model {model.name!r} has none{did_you_mean(name, known)}")


def make(
    model: GeneratedModel,
    name: str,
    function: Any,
    *,
    reads: Sequence[str],
    writes: Sequence[str],
    period: float,
    offset: float,
    exchange: str,
    before: int,
    state: BlockState | None,
    stateless: bool,
    context: int | None,
    on_error: Callable[[External, BaseException], None],
) -> External:
    """Check the names and wrap the function."""
    where = f"block {name!r}"
    if exchange not in EXCHANGES:
        raise ParameterError(f"{where}: exchange {exchange!r} is unknown{did_you_mean(exchange, EXCHANGES)}")
    if isinstance(reads, str) or isinstance(writes, str):
        raise ParameterError(f"{where}: reads and writes are lists of names")
    found = [resolve(model, item, where) for item in reads]
    inputs = {v.name: k for k, v in enumerate(model.inputs)}
    known = [*inputs, *model.aliases]
    written = tuple(model.aliases.get(item, item) for item in writes)
    for k, (item, name_of_input) in enumerate(zip(writes, written, strict=True)):
        if name_of_input not in inputs:
            raise ParameterError(f"{where}: {item!r} is no input of model {model.name!r}{did_you_mean(item, known)}")
        if name_of_input in written[:k]:
            raise ParameterError(f"{where}: input {item!r}{model.alias_note(item)} is written twice")
    if stateless and state is not None:
        raise ParameterError(f"{where}: stateless=True and a state; give one of them")
    in_c = isinstance(function, int | C_FUNCTION)
    if not in_c and not callable(function):
        raise ParameterError(f"{where}: needs a callable or a C function, got {type(function).__name__}")
    speaks = hasattr(function, "get_state") and hasattr(function, "set_state")
    if state is None and speaks and not stateless and not in_c:
        state = BlockState(function.get_state, function.set_state)
    block = External(
        name=name,
        reads=tuple(reads),
        writes=written,
        source=np.array([s for s, _ in found], dtype=np.int32),
        index=np.array([k for _, k in found], dtype=np.int32),
        input=np.array([inputs[item] for item in written], dtype=np.int32),
        period=period,
        offset=offset,
        exchange=EXCHANGES.index(exchange),
        before=before,
        pointer=0,
        context=context,
        saved=None,
        save=lambda to: None,
        load=lambda values: None,
        in_=np.zeros(len(reads)),
        out=np.zeros(len(writes)),
    )
    called = function if in_c else EXTERNAL(_trampoline(block, function, on_error))
    block.pointer, block.keep = _address(called), (function, called, state)
    if stateless:
        block.saved = 0
    elif state is not None:
        _bind_state(block, state, in_c, where)
    if block.saved:
        block.initial = np.zeros(block.saved)
        block.save(block.initial)
    return block


def _address(function: Any) -> int:
    if isinstance(function, int):
        return function
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def _trampoline(block: External, function: BlockFunction, on_error: Callable[[External, BaseException], None]) -> Any:
    values, out, n = block.in_, block.out, len(block.out)

    # an exception cannot cross C: it is kept, the run is told to end, and the exception is raised afterwards
    def call(_context: Any, t: float, _in: Any, _out: Any) -> None:
        try:
            result = function(t, values.copy())
            if n == 1 and isinstance(result, float):
                out[0] = result
            elif n:
                array = np.asarray(result, dtype=float)
                if array.size != n or result is None:
                    raise ParameterError(f"{array.size if result is not None else 0} values returned, {n} expected")
                out[:] = array.reshape(n)
        except BaseException as error:
            block.record.failed = 1
            on_error(block, error)

    return call


def _bind_state(block: External, state: BlockState, in_c: bool, where: str) -> None:
    if in_c:
        if state.size is None or state.size < 0:
            raise ParameterError(f"{where}: BlockState of a C function needs its size")
        save, load = SAVE(_address(state.get)), SAVE(_address(state.set))
        block.save = lambda to: save(block.context, to.ctypes.data)
        block.load = lambda values: load(block.context, values.ctypes.data)
        block.saved = state.size
        return
    size = len(_numbers(state.get())) if state.size is None else state.size

    def give(to: Array) -> None:
        values = _numbers(state.get())
        if len(values) != size:
            raise ParameterError(f"{where}: its state has {len(values)} numbers now, {size} at first; keep the size")
        to[:] = values

    block.save, block.saved = give, size
    block.load = lambda values: state.set(values.copy())


def _numbers(values: Any) -> Array:
    return np.atleast_1d(np.asarray(values, dtype=float)).ravel()
