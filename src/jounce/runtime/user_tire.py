"""A user tire of a simulation: the structure that the C functions of ``jounce_sti.h`` work on, bound by name.

The tire is called from the loop of the simulation, without Python:

    exchange "evaluation"   in every evaluation (job 0), with copies of its work arrays; 5 for derivatives. A tire that
                            remembers is told at every full step (job 4), with the arrays themselves
    exchange "step"         at full steps only (jobs 0 and 4); its forces act by the exchange convention

Before that 2 (first initialisation), at the end 99; snapshots carry the work arrays and ask for 10, restoring for 11.
"""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from jounce.core.errors import ParameterError, SimulationError, did_you_mean
from jounce.runtime.bindings import EXTERNAL, SAVE, SERVICE, JnService
from jounce.runtime.blocks import BlockState
from jounce.runtime.simulation import Simulation
from jounce.runtime.tire_library import REPORT, UserTire, tire_library

P = ParamSpec("P")
R = TypeVar("R")
Solver = Callable[Concatenate[Simulation, P], R]

ANALYSES = ("statics", "dynamics", "quasi-static")  # JOUNCE_STI_...
FIRST, AGAIN, END = 2, 3, 99
OWN_ERRORS = {
    -1: "it has more differential equations than were announced (N_STATES)",
    -2: "no memory for its work arrays",
    -3: "its arguments are not finite",
    -4: "it was closed",
}

_bound: weakref.WeakKeyDictionary[Simulation, list[BoundTire]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Needs:
    """What a tire is called with: the function, and sizes of arrays."""

    function: Any  # of a ctypes library
    crt: bool = False
    n_states: int = 0
    n_outputs: int = 300
    n_real: int = 0
    n_int: int = 0
    channels: tuple[int, ...] = ()  # places in the outputs
    parameters: tuple[float, ...] = ()
    tire_file: str = ""
    road_file: str = ""
    calling_app: bool = False


class BoundTire:
    """A user tire of one simulation. It lives as long as the simulation does; ``close`` ends it before."""

    def __init__(self, simulation: Simulation, name: str, needs: Needs, tire_id: int, ground: str | None) -> None:
        c = self.c = tire_library()
        self.name, self.needs = name, needs
        n_last = 26 + needs.n_states + 1
        self.last = np.zeros(n_last)
        self.last[[4, 8, 12, 24, 25, n_last - 1]] = 1.0  # no rotation, level road, friction 1, factor 1
        self.last[0] = simulation.time
        self.initial_states = np.zeros(max(needs.n_states, 1))
        self._real, self._int = np.zeros(max(needs.n_real, 1)), np.zeros(max(needs.n_int, 1), dtype=np.int32)
        # room for what the interface promises, whatever is given
        self._parameters = np.zeros(max(1000, len(needs.parameters)))
        self._parameters[: len(needs.parameters)] = needs.parameters
        self._channels = np.array(needs.channels or (0,), dtype=np.int32)
        files = [text.encode("utf-8") for text in (needs.tire_file, needs.road_file)]
        self._files = [ctypes.create_string_buffer(text) for text in files]
        self._simulation = weakref.ref(simulation)
        self._report = REPORT(_teller(self._simulation, name))
        attachments = simulation.values.attachments
        self._services = attachments.service_structs  # the road stands there, whenever it is bound
        s = self.struct = UserTire()
        s.function = ctypes.cast(needs.function, ctypes.c_void_p).value
        s.crt, s.tire_id, s.model_switch, s.calling_app = needs.crt, tire_id, 1, needs.calling_app
        s.n_states, s.n_outputs, s.n_channels = needs.n_states, needs.n_outputs, len(needs.channels)
        s.n_parameters, s.n_real, s.n_int = len(needs.parameters), needs.n_real, needs.n_int
        s.tire_file_length, s.road_file_length = (len(text) for text in files)
        s.tire_file, s.road_file = (
            ctypes.addressof(buffer) if text else None for buffer, text in zip(self._files, files, strict=True)
        )
        s.channels, s.parameters = self._channels.ctypes.data, self._parameters.ctypes.data
        s.real_work, s.int_work = self._real.ctypes.data, self._int.ctypes.data
        s.initial_states, s.last = self.initial_states.ctypes.data, self.last.ctypes.data
        s.report = self._report
        if ground is not None:
            place = attachments.service_address(ground)
            s.ground = ctypes.cast(place, ctypes.POINTER(JnService))
            s.road_model = c.jn_tire_road_open(place)
        self._open = True
        weakref.finalize(self, _end, c, s, self._keep()).atexit = False
        self.job(FIRST)
        _bound.setdefault(simulation, []).append(self)

    def _keep(self) -> tuple[Any, ...]:
        return (self.last, self.initial_states, self._real, self._int, self._parameters, self._channels, self._files)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.struct)

    @property
    def size(self) -> int:
        """Numbers of a snapshot."""
        return int(self.c.jn_user_tire_size(self.address))

    @property
    def model(self) -> str:
        """What the tire says about itself."""
        return bytes(self.struct.tire_model).decode("utf-8", "replace").strip()

    @property
    def analysis(self) -> str:
        """What the tire is told to be called for: statics, dynamics, quasi-static."""
        return ANALYSES[self.struct.model_switch]

    @analysis.setter
    def analysis(self, kind: str) -> None:
        if kind not in ANALYSES:
            raise ParameterError(f"analysis {kind!r}{did_you_mean(kind, ANALYSES)}")
        self.struct.model_switch = ANALYSES.index(kind)

    def job(self, number: int) -> None:
        """Call the tire with a job flag, at the place of the last step; 3 initialises it again."""
        error = self.c.jn_user_tire_job(self.address, number)
        if error:
            self.struct.error = 0
            simulation = self._simulation()
            if simulation is not None:
                simulation.values.faults.clear()
            raise SimulationError(f"tire {self.name!r}: {_reason(error)} (job {number})")

    def close(self) -> None:
        """Tell the tire that it is over (99)."""
        if self._open:
            self._open = False
            _end(self.c, self.struct, self._keep())

    def _function(self, kind: Any, name: str) -> Any:
        function = kind(ctypes.cast(getattr(self.c, name), ctypes.c_void_p).value or 0)
        function.tire = self  # lives as long as the binding
        return function

    def ask_in_evaluations(self, simulation: Simulation) -> None:
        """Bind the service of the tire."""
        simulation.bind(self.name, self._function(SERVICE, "jn_user_tire_service"), self.address)

    def tell_steps(self, simulation: Simulation, reads: Sequence[str]) -> None:
        """Tell the tire when a step was taken, and put what it remembers into snapshots."""
        function = self._function(EXTERNAL, "jn_user_tire_commit")
        state, address = self._state(), self.address
        simulation.add_block(f"{self.name}.taken", function, reads=reads, state=state, context=address)

    def exchange_at_steps(self, simulation: Simulation, reads: Sequence[str], writes: Sequence[str]) -> None:
        """Ask the tire at full steps only."""
        function = self._function(EXTERNAL, "jn_user_tire_exchange")
        state = None if self.needs.crt else self._state()  # CRT has no words for it
        simulation.add_block(
            f"{self.name}.outside",
            function,
            reads=reads,
            writes=writes,
            exchange="step",
            state=state,
            context=self.address,
        )

    def _state(self) -> BlockState:
        return BlockState(
            self._function(SAVE, "jn_user_tire_save"), self._function(SAVE, "jn_user_tire_load"), self.size
        )


def _reason(error: int) -> str:
    return OWN_ERRORS.get(error, f"it told error {error}")


def _teller(place: weakref.ref[Simulation], name: str) -> Any:
    """What C calls at an error. Nothing may be raised across C: nan stops the run, and this is raised afterwards."""

    def told(error: int, time: float) -> None:
        simulation = place()
        if simulation is not None:
            problem = SimulationError(f"tire {name!r}: {_reason(error)}, t = {time:.9g} s")
            simulation.values.faults.keep(problem, "a user tire")

    return told


def _end(c: Any, struct: UserTire, _keep: Any) -> None:
    if struct.function:
        c.jn_user_tire_job(ctypes.addressof(struct), END)
        if struct.road_model:
            c.jn_tire_road_close(struct.road_model)
        struct.function, struct.road_model = None, 0


def bound_tires(simulation: Simulation) -> tuple[BoundTire, ...]:
    """User tires of a simulation, in the order in which they were bound."""
    return tuple(_bound.get(simulation, ()))


@contextmanager
def analysis(simulation: Simulation, kind: str) -> Iterator[None]:
    """Tell the user tires of a simulation what it is used for meanwhile: statics, dynamics, quasi-static.

    Quasi-static is told to those that asked for it (CALLING_APP_CHECK), statics to the others.
    """
    tires = bound_tires(simulation)
    before = [tire.analysis for tire in tires]
    for tire in tires:
        tire.analysis = kind
    try:
        yield
    finally:
        for tire, was in zip(tires, before, strict=True):
            tire.analysis = was


def in_analysis(kind: str) -> Callable[[Solver[P, R]], Solver[P, R]]:
    """Decorates a solver whose first argument is a simulation: ``analysis`` while it works."""

    def decorate(solve: Solver[P, R]) -> Solver[P, R]:
        @functools.wraps(solve)
        def solved(sim: Simulation, /, *args: P.args, **kwargs: P.kwargs) -> R:
            with analysis(sim, kind):
                return solve(sim, *args, **kwargs)

        return solved

    return decorate
