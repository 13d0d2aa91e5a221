"""Where one run stands: its start, method and step, the program attached, the loops closed, snapshots."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.core.units import parse
from jounce.runtime.bindings import HEADER_SIZE, SIM_ABI, Header, Status
from jounce.runtime.block_set import BlockSet
from jounce.runtime.methods import METHOD_NAMES, Number, check_step_function, method_number, step_of
from jounce.runtime.options import INPUT_TIMES, MOST_STEPS
from jounce.runtime.values import KINDS, Values

if TYPE_CHECKING:
    from jounce.runtime.program import Program

Array = npt.NDArray[np.float64]

OPEN_LOOP = 1e-6  # relative change of a coordinate by which a loop counts as open
JN_HISTORY = 3  # old derivatives kept, as in jn_sim.h
OPTIONS = [Header.IPRINT, Header.OPT_WRITE, Header.PROJECT, Header.IO_SYNC_FM, Header.IO_UPDATE, Header.INPUT_TIME]


class Stepping:
    """Start, method, step and program of one run."""

    def __init__(self, values: Values, blocks: BlockSet) -> None:
        self.values, self.blocks, self.model = values, blocks, values.model
        self.program: Program | None = None
        self._chosen = False  # whether somebody chose the step

    def begin(self, t0: Number, step: Number | None, method: str | int) -> None:
        """The first start, with the defaults of the model."""
        number = method_number(method)
        self._chosen = step is not None
        self._start(parse(t0, "s", "t0"), step_of(step, number), number)
        self.values.set_defaults()
        self.values.prepare()

    def _start(self, t0: float, h: float, method: int) -> None:
        values = self.values
        check_step_function(values.library, method)
        if values.library.c.jn_start(ctypes.byref(values.struct), t0, h, method) != Status.OK:
            raise ParameterError(f"cannot start at t0 = {t0} s with step = {h} s")
        self.blocks.begin()

    def restart(self, t0: Number, *, defaults: bool) -> None:
        """Go back to step 0 at ``t0``; options stay."""
        if defaults:
            self.blocks.check_states("cannot go back to its start")
        s = self.values.state
        options = s[OPTIONS]
        self._start(parse(t0, "s", "t0"), self.values.step, self.values.method_number)
        s[OPTIONS] = options
        self.values.give_back_parameters()
        if defaults:
            self.values.set_defaults()
            self.blocks.load_initial()

    def set_method(self, method: str | int | None, step: Number | None) -> None:
        """Change method and/or step at the current instant; a real change restarts the history."""
        values = self.values
        number = values.method_number if method is None else method_number(method)
        keep = self._chosen or method is None or number == values.method_number
        h = values.step if step is None and keep else step_of(step, number)
        self._chosen = self._chosen or step is not None
        check_step_function(values.library, number)
        if values.library.c.jn_set_step(ctypes.byref(values.struct), h, number) != Status.OK:
            raise ParameterError(f"cannot use method {method!r} with step {step!r}")

    def set_program(self, program: Program | None) -> None:
        """Attach a phase program (None = none); it starts at the current instant."""
        values, model = self.values, self.model
        packed = program.pack(model) if program is not None else None
        values.give_back_parameters()
        self.blocks.check_writers(packed)
        if packed is not None and not values.library.struct.contents.watch and model.watches:
            raise ParameterError(f"model {model.name!r} has watches but no watch function; build it again")
        # what stands before the channels does not depend on the program
        old, shared, end = values.state, values.layout.channel, values.layout.n_state
        values.allocate(packed, self.blocks.externals)
        s = values.state
        s[:shared] = old[:shared]
        s[values.layout.n_state :] = old[end:]
        s[Header.SIZE] = len(s)
        s[Header.PROGRAM_ID] = packed.id if packed is not None else 0.0
        s[Header.PHASE], s[Header.PHASE_STEP], s[Header.PHASE_TIME] = -1.0, 0.0, 0.0
        s[Header.TRIGGERS] = 0.0
        if packed is not None:
            values.keep_parameters()
        s[Header.TRANSITIONS] = s[Header.STATUS] = s[Header.REASON] = s[Header.FAILED] = 0.0
        # the new program has not seen this instant yet; rows and samples that are done stay done
        s[Header.DONE] = float(int(s[Header.DONE]) & (2 | 8 | 16))
        self.program = program

    # -- snapshots ---------------------------------------------------------------------------------

    def snapshot(self) -> Array:
        """Everything that changes during a run as one array."""
        self.blocks.check_states("cannot be part of a snapshot")
        self.blocks.save()
        return self.values.state.copy()

    def restore(self, snapshot: npt.ArrayLike) -> None:
        """Go back to a snapshot of the same model and program, exactly."""
        values, state = self.values, self.values.state
        try:
            array = np.asarray(snapshot, dtype=float)
        except (TypeError, ValueError):
            array = np.zeros(0)
        if array.ndim != 1 or len(array) < HEADER_SIZE:
            raise ParameterError("not a snapshot: expected the array that snapshot() returned")
        expected = {
            Header.ABI: (SIM_ABI, "made by another version of the runtime"),
            Header.MODEL_ID: (values.library.model_id, "of another model"),
            Header.PROGRAM_ID: (
                values.packed.id if values.packed is not None else 0.0,
                "made with another phase program; attach the same one first",
            ),
            Header.EXTERNAL_ID: (self.blocks.externals.id, "made with other external blocks; add the same ones first"),
            Header.SIZE: (len(state), "of another size"),
        }
        for place, (value, text) in expected.items():
            if array[place] != value:
                raise ParameterError(f"the snapshot is {text}")
        if len(array) != len(state):
            raise ParameterError(f"the snapshot has {len(array)} numbers, expected {len(state)}")
        method, h = array[Header.METHOD], array[Header.H]
        if method not in METHOD_NAMES or not (h > 0.0 and math.isfinite(h)):
            raise ParameterError(f"the snapshot is damaged: method {method:g}, step {h:g} s")
        check_step_function(values.library, int(method))
        self._check_content(array)
        self.blocks.check_states("cannot be restored")
        state[:] = array
        self._chosen = True
        self.blocks.load()

    def _check_content(self, array: Array) -> None:
        """Refuse numbers that no run can have written: they would be indices in C, or nan that nobody notices."""
        values, model = self.values, self.model
        phases = len(values.packed.phase_names) if values.packed is not None else 0
        reasons = len(values.packed.reasons) if values.packed is not None else 1
        sizes = {Header.N_X: len(model.states), Header.N_M: len(model.memories), Header.N_U: len(model.inputs)}
        ranges = {place: (size, size) for place, size in sizes.items()} | {
            **dict.fromkeys(
                (Header.STEP, Header.I0, Header.PHASE_STEP, Header.TRANSITIONS, Header.ROWS, Header.TRIGGERS),
                (0, 2**53),
            ),
            **dict.fromkeys((Header.EVALUATED, Header.OPT_WRITE, Header.FAILED), (0, 1)),
            **dict.fromkeys((Header.IO_SYNC_FM, Header.IO_UPDATE, Header.PROJECT), (0, 1)),
            Header.INPUT_TIME: (0, len(INPUT_TIMES) - 1),
            Header.LAST: (-1, 2**53),
            Header.HISTORY: (0, JN_HISTORY),
            Header.HEAD: (0, JN_HISTORY - 1),
            Header.DONE: (0, 31),
            Header.IPRINT: (0, MOST_STEPS),
            Header.PHASE: (-1, phases),
            Header.STATUS: (0, int(max(Status))),
            Header.REASON: (0, max(reasons - 1, 0)),
            Header.BAD_KIND: (0, 7),
        }
        for place, (low, high) in ranges.items():
            value = array[place]
            if not low <= value <= high or value != int(value):
                raise ParameterError(
                    f"the snapshot is damaged: {place.name} is {value:g}; expected a whole number from {low} to {high}"
                )
        failed = array[Header.STATUS] == Status.NONFINITE
        own = array[: values.layout.n_state].copy()
        own[[Header.BAD_VALUE, Header.BAD_TIME]] = 0.0
        bad = np.flatnonzero(~np.isfinite(own))
        if len(bad) and not failed:
            k = int(bad[0]) - values.layout.x
            name = f"state {model.states[k].name!r}" if 0 <= k < len(model.states) else f"number {int(bad[0])}"
            raise ParameterError(f"the snapshot is damaged: {name} is {own[bad[0]]}, and the run had not failed")
        if failed:
            kind = KINDS[int(array[Header.BAD_KIND])]
            most = len(values.variables(kind)) if kind else 1
            if not 0 <= array[Header.BAD_INDEX] < most:
                raise ParameterError(f"the snapshot is damaged: BAD_INDEX is {array[Header.BAD_INDEX]:g}")

    # -- loops -------------------------------------------------------------------------------------

    def set_projection(self, on: bool) -> None:
        """Whether every step ends with a projection onto the loop constraints."""
        if on and not self.values.library.struct.contents.project_position:
            raise ParameterError(f"model {self.model.name!r} has no loop constraints to project onto")
        self.values.state[Header.PROJECT] = float(bool(on))

    def check_loops(self) -> None:
        """A run must not start with open loops: their stabilisation would slam them shut."""
        values = self.values
        c = values.library.struct.contents
        if not c.project_position or values.step_count > 0:
            return
        moved, x = np.zeros(len(values.x)), values.x
        values.call(c.project_position, [moved])
        change = np.abs(moved - x)
        worst = int(np.argmax(change))
        if not change[worst] <= OPEN_LOOP * (1.0 + abs(float(x[worst]))):
            raise ParameterError(
                f"model {self.model.name!r}: the loop constraints are not met at the start, closing them would move "
                f"{self.model.states[worst].name!r} by {change[worst]:.3g}; call make_consistent() first"
            )

    def make_consistent(self, tolerance: float, iterations: int) -> float:
        """Move positions onto the loop constraints (Newton, in the metric of the mass), then the velocities."""
        values = self.values
        c = values.library.struct.contents
        if not c.project_position:
            return 0.0
        change, x = math.inf, values.x
        start, moved = x.copy(), np.zeros(len(x))
        for _ in range(iterations):
            values.call(c.project_position, [moved])
            change = float(np.max(np.abs(moved - x)))
            if not math.isfinite(change):
                break
            x[:] = moved
            if change <= tolerance * (1.0 + float(np.max(np.abs(moved)))):
                values.call(c.project_velocity, [moved])
                x[:] = moved
                return change
        x[:] = start
        raise ParameterError(
            f"model {self.model.name!r}: the initial position cannot be moved onto the loop constraints "
            f"(last change {change:g}); start closer to a closed position. Where the lengths allow none (a bar that is "
            "too short to reach), no start helps: check offsets and lengths"
        )
