"""The blocks of one run: their rhythm, external ones as they come and go, who writes what, and how they exchange."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.units import parse
from jounce.runtime.bindings import Header, Status
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
from jounce.runtime.methods import Number
from jounce.runtime.values import Values

if TYPE_CHECKING:
    from jounce.runtime.program import PackedProgram

Array = npt.NDArray[np.float64]


class BlockSet:
    """Blocks compiled into the model and external ones, numbered in this order."""

    def __init__(self, values: Values) -> None:
        self.values, self.model = values, values.model
        self.externals = Externals([])
        self.rhythm: dict[int, tuple[float, float]] = {}  # of the model's blocks, where it is not the default

    # -- what there is -----------------------------------------------------------------------------

    def infos(self) -> tuple[BlockInfo, ...]:
        """All blocks: compiled and sampled ones in the order in which they run, then those that exchange by steps."""
        found: list[BlockInfo] = []
        for k in range(len(self.model.blocks) + 1):
            found += [self._info(b.name) for b in self.externals.blocks if b.exchange == 0 and b.before == k]
            found += [self._info(b.name) for b in self.model.blocks[k : k + 1]]
        return (*found, *(self._info(b.name) for b in self.externals.blocks if b.exchange))

    def _info(self, name: str) -> BlockInfo:
        k = self._index(name)
        period, after = self._slot(k)[:2]
        due, period = self.values.time_of(after), float(period) or self.values.step
        if k < len(self.model.blocks):
            return BlockInfo(name, "compiled", period, due)
        block = self.externals.blocks[k - len(self.model.blocks)]
        return BlockInfo(name, EXCHANGES[block.exchange], period, due, block.reads, block.writes)

    def _names(self) -> list[str]:
        return [*(b.name for b in self.model.blocks), *(b.name for b in self.externals.blocks)]

    def _index(self, name: str) -> int:
        names = self._names()
        if name not in names:
            raise ParameterError(f"block {name!r}: unknown in model {self.model.name!r}{did_you_mean(name, names)}")
        return names.index(name)

    def _slot(self, k: int) -> Array:
        own, values = len(self.model.blocks), self.values
        if k < own:
            return values.view(values.layout.block + 2 * k, 2)
        block = self.externals.blocks[k - own]
        return values.view(values.layout.n_state + block.place, block.size)

    def writer_of(self, name: str) -> str | None:
        """The external block that writes an input."""
        return next((b.name for b in self.externals.blocks if name in b.writes), None)

    # -- rhythm ------------------------------------------------------------------------------------

    def set_period(self, name: str, period: Number | None, offset: Number | None) -> None:
        """Change the period of a block; its next sample stays, unless ``offset`` moves it."""
        k = self._index(name)
        seconds, wait = _period(name, period), -1.0
        if offset is not None:
            wait = _span(name, "offset", offset)
        if self._set(k, seconds, wait) != Status.OK:
            raise ParameterError(f"block {name!r}: cannot use period {period!r} with offset {offset!r}")
        own = len(self.model.blocks)
        if k < own:
            default = self.model.blocks[k].offset
            self.rhythm[k] = (seconds, self.rhythm.get(k, (0.0, default))[1] if offset is None else wait)
        else:
            block = self.externals.blocks[k - own]
            block.period, block.offset = seconds, block.offset if offset is None else wait
            block.fill(block.record)

    def begin(self) -> None:
        """Periods that were changed, after the loop was started anew."""
        for k, (period, offset) in self.rhythm.items():
            self._set(k, period, offset)

    def _set(self, k: int, period: float, offset: float) -> int:
        values = self.values
        return int(values.library.c.jn_set_block(ctypes.byref(values.struct), k, period, offset))

    # -- external blocks ---------------------------------------------------------------------------

    def add(
        self,
        name: str,
        function: Any,
        period: Number | None,
        *,
        reads: Sequence[str],
        writes: Sequence[str],
        offset: Number,
        exchange: str,
        before: str | None,
        state: BlockState | None,
        stateless: bool,
        context: int | None,
    ) -> None:
        """Bind outside code; see `Simulation.add_block`."""
        if name in self._names():
            raise ParameterError(f"block {name!r}: the name is taken; choose another")
        blocks = self.externals.blocks
        place, position = self._place(name, before, exchange)
        wait = _span(name, "offset", offset)
        block = make(
            self.model,
            name,
            function,
            reads=reads,
            writes=writes,
            period=_period(name, period),
            offset=wait,
            exchange=exchange,
            before=place,
            state=state,
            stateless=stateless,
            context=context,
            on_error=self._failed,
        )
        self.check_writers(self.values.packed, [*blocks, block])
        self._replace([*blocks[:position], block, *blocks[position:]])
        self._set(len(self.model.blocks) + position, block.period, wait)

    def _place(self, name: str, before: str | None, exchange: str) -> tuple[int, int]:
        """Before which compiled block, and where among the external ones."""
        own, blocks = len(self.model.blocks), self.externals.blocks
        place, position = own, len(blocks)
        if before is None:
            return place, position
        k = self._index(before)
        if k < own:
            place = k
        else:
            position = k - own
            place = blocks[position].before
            if blocks[position].exchange != 0:
                raise ParameterError(f"block {name!r}: {before!r} exchanges by steps and has no place in the order")
        if exchange != "sampled":
            raise ParameterError(f"block {name!r}: before={before!r} goes with exchange='sampled' only")
        return place, position

    def remove(self, name: str) -> None:
        """Unbind an external block; the inputs it wrote keep their values."""
        blocks = [b for b in self.externals.blocks if b.name != name]
        if len(blocks) == len(self.externals.blocks):
            raise ParameterError(f"block {name!r}: no external block{did_you_mean(name, [b.name for b in blocks])}")
        self._replace(blocks)

    def _replace(self, blocks: Sequence[External]) -> None:
        values = self.values
        old, base = values.state, values.layout.n_state
        parts = {b.name: old[base + b.place : base + b.place + b.size] for b in self.externals.blocks}
        self.externals = Externals(blocks)
        values.faults.blocks = self.externals.blocks
        values.allocate(values.packed, self.externals)
        s = values.state
        s[:base] = old[:base]
        for block in blocks:
            if block.name in parts:
                s[base + block.place : base + block.place + block.size] = parts[block.name]
        s[Header.SIZE], s[Header.EXTERNAL_ID] = len(s), self.externals.id

    def _failed(self, block: External, error: BaseException) -> None:
        self.values.faults.keep(error, f"block {block.name!r}")

    # -- their states ------------------------------------------------------------------------------

    def check_states(self, what: str) -> None:
        """Raise when an external block cannot give and take its state."""
        silent = [b.name for b in self.externals.blocks if b.saved is None]
        if silent:
            raise ParameterError(
                f"block {silent[0]!r} {what}: it cannot give and take its state. Add it with "
                "state=BlockState(get, set), or with stateless=True if it keeps nothing between two calls"
            )

    def save(self) -> None:
        """Let external blocks write their states into the state array."""
        for block in self.externals.blocks:
            if block.saved:
                block.save(self._saved(block))

    def load(self) -> None:
        """Give external blocks their states from the state array."""
        for block in self.externals.blocks:
            if block.saved:
                block.load(self._saved(block))

    def load_initial(self) -> None:
        """Give external blocks the states they had when they were added."""
        for block in self.externals.blocks:
            if block.saved:
                block.load(block.initial)

    def _saved(self, block: External) -> Array:
        end = self.values.layout.n_state + block.place + block.size
        return self.values.state[end - (block.saved or 0) : end]

    # -- checks ------------------------------------------------------------------------------------

    def check_writers(self, packed: PackedProgram | None, blocks: Sequence[External] | None = None) -> None:
        """Raise when two write one input: phases of a program, external blocks."""
        model = self.model
        driven: dict[int, str] = {}
        for phase, k in packed.channels if packed is not None else ():
            mode = packed.struct.channels[packed.channels[phase, k]].mode if packed is not None else 0
            for i in (k, model.input_rate[k], model.input_acceleration[k]) if mode else ():
                driven.setdefault(i, f"phase {packed.phase_names[phase]!r}" if packed is not None else "")
        for block in self.externals.blocks if blocks is None else blocks:
            for k in block.input.tolist():
                name = model.inputs[k].name
                if k in driven:
                    raise ParameterError(
                        f"input {name!r} is driven by {driven[k]} and by block {block.name!r}; let one of them write it"
                    )
                driven[k] = f"block {block.name!r}"

    def check(self) -> None:
        """Periods fit the step, and what is read is known when it is read."""
        if not self.model.blocks and not self.externals.blocks:
            return
        values = self.values
        k = values.library.c.jn_misfit(ctypes.byref(values.struct))
        if k >= 0:
            name, (period, after) = self._names()[k], self._slot(k)[:2]
            steps = period / values.step
            if period and (steps < 0.5 or abs(steps - round(steps)) > 1e-6):
                raise ParameterError(
                    f"block {name!r}: period {period:.9g} s is no multiple of the step, {values.step:.9g} s; "
                    "change the step or use set_block_period"
                )
            raise ParameterError(
                f"block {name!r}: its next sample at t = {values.time_of(after):.9g} s is no full step of "
                f"{values.step:.9g} s; choose another offset, or change the step at one of its samples"
            )
        if self.convention == 2:
            self._check_kinematic()

    def _check_kinematic(self) -> None:
        blocks = [b for b in self.externals.blocks if b.exchange]
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
    def convention(self) -> int:
        """How blocks with ``exchange="step"`` are served, from method and options: 1 to 4."""
        s = self.values.state
        if self.values.half_steps:
            return 4 if s[Header.IO_UPDATE] else 3
        return 2 if s[Header.IO_SYNC_FM] else 1


def _period(name: str, period: Number | None) -> float:
    seconds = 0.0 if period is None else _span(name, "period", period)
    if period is not None and seconds == 0.0:
        raise ParameterError(f"block {name!r}: period = {period}: must be above 0 s; None means every full step")
    return seconds


def _span(name: str, what: str, value: Number) -> float:
    seconds = parse(value, "s", f"block {name!r}: {what}")
    if not (seconds >= 0.0 and math.isfinite(seconds)):
        raise ParameterError(f"block {name!r}: {what} = {value}: must be 0 s or more")
    return seconds
