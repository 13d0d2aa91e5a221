"""Linear models of a system at a point of a run: A, B, C, D with names.

>>> lineariser = Lineariser(system, inputs=["steer"], outputs=["yaw_rate"])
>>> model = lineariser.at(simulation)
>>> model.eigenvalues()
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.generated import GeneratedModel
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build

if TYPE_CHECKING:
    from jounce.symbolic.system import System

Array = npt.NDArray[np.float64]
BENT = 1e-6  # m or rad, of a bristle, far below where it gives way


@dataclass(frozen=True)
class LinearModel:
    """δẋ = A δx + B δu, δy = C δx + D δu; quaternions appear as three tangent angles (``body.rx`` …).

    With loop constraints A also has the modes of their stabilisation, two per equation near -``loops.alpha``.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    S: Array = field(default_factory=lambda: np.zeros((0, 0)))  # slopes of the speeds that strain contacts
    T: Array = field(default_factory=lambda: np.zeros((0, 0)))  # slopes of the speeds that friction opposes

    def eigenvalues(self, states: Sequence[str] | None = None) -> npt.NDArray[np.complex128]:
        """Eigenvalues of A, or of its part on the named states when these are decoupled from the others."""
        matrix = self.A if states is None else self.part(states)
        return np.asarray(np.linalg.eigvals(matrix), dtype=np.complex128)

    def part(self, states: Sequence[str]) -> Array:
        """Rows and columns of A for the named states."""
        for name in states:
            if name not in self.states:
                raise ParameterError(f"state {name!r} is unknown{did_you_mean(name, self.states)}")
        index = [self.states.index(name) for name in states]
        return self.A[np.ix_(index, index)]

    def response(self, frequencies: npt.ArrayLike) -> npt.NDArray[np.complex128]:
        """Frequency response C (iω - A)⁻¹ B + D at frequencies in Hz; shape (n, outputs, inputs)."""
        identity = np.eye(len(self.states))
        return np.array(
            [
                self.C @ np.linalg.solve(2j * np.pi * f * identity - self.A, self.B.astype(complex)) + self.D
                for f in np.atleast_1d(np.asarray(frequencies, dtype=float))
            ]
        )


class Lineariser:
    """The compiled exact linearisation of a system (built once, evaluated anywhere)."""

    def __init__(
        self,
        system: System | GeneratedModel,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> None:
        if not isinstance(system, GeneratedModel) and not callable(getattr(system, "generate_linear", None)):
            raise ParameterError(
                f"Lineariser: expected the System, got a {type(system).__name__}; a compiled model has no equations to "
                "differentiate: pass the system it was built from"
            )
        generated = (
            system if isinstance(system, GeneratedModel) else system.generate_linear(inputs=inputs, outputs=outputs)
        )
        if "rows" not in generated.notes:
            raise ParameterError(
                f"model {generated.name!r} has no linearisation: pass a System, or what generate_linear() gives"
            )
        self.library = build(generated)
        self.notes: dict[str, Any] = generated.notes
        self._copies: WeakKeyDictionary[Simulation, Simulation] = WeakKeyDictionary()

    def at(
        self,
        simulation: Simulation | None = None,
        *,
        x: npt.ArrayLike | None = None,
        u: npt.ArrayLike | None = None,
        t: float | None = None,
    ) -> LinearModel:
        """Linear model at the current point of a simulation of the same system (default: the initial state)."""
        found = self._call("linearise", simulation, x=x, u=u, t=t)
        states, inputs, outputs = (tuple(self.notes[kind]) for kind in ("states", "inputs", "outputs"))
        n, size = len(states), len(states) + len(inputs)
        # columns one after the other
        rates, told, strains, sticks = (
            np.array(values).reshape(size, rows).T
            for values, rows in zip(found, self.notes["rows"].values(), strict=True)
        )
        return LinearModel(
            A=rates[:, :n],
            B=rates[:, n:],
            C=told[:, :n],
            D=told[:, n:],
            S=strains[:, :n],
            T=sticks[:, :n],
            states=states,
            inputs=inputs,
            outputs=outputs,
        )

    def with_sticking(self, simulation: Simulation) -> LinearModel:
        """Linear model at the current point, with friction that sticks as the spring it is: wheels held by brakes.

        `at` knows the force of a bristle with its deflection z as a memory that stays (`symbolic/friction.py` (2)).
        Here the deflections are further states; with T the slopes of the speeds that strain them,

            ẋ = A x + B u + P z,   y = C x + D u + Q z,   ż = T x                                                (1)

        P (``pushed``) and Q (``seen``) are central differences, exact where the force is a straight line; at its limit
        it has no slope, and holds nothing.
        """
        one, memories = self.at(simulation), self.rest["sticks"]
        place = {name: row for row, name in enumerate(one.states)}
        rows = [(k, place[v.name]) for k, v in enumerate(simulation.model.states) if v.name in place]
        channels = [v.name for v in simulation.model.outputs]
        told = [channels.index(name) for name in one.outputs]
        pushed, seen = np.zeros((len(one.states), len(memories))), np.zeros((len(told), len(memories)))
        for column, memory in enumerate(memories):
            for sign in (1.0, -1.0):
                m = simulation.m.copy()
                m[memory] += sign * BENT
                rates = simulation.derivatives(m=m, elapsed=0.0)[0]
                for k, row in rows:
                    pushed[row, column] += sign * rates[k] / (2 * BENT)
                seen[:, column] += sign * simulation.outputs(m=m)[told] / (2 * BENT)
        none = np.zeros((len(memories), len(memories)))
        return LinearModel(
            A=np.block([[one.A, pushed], [one.T, none]]),  # (1)
            B=np.vstack([one.B, np.zeros((len(memories), len(one.inputs)))]),
            C=np.hstack([one.C, seen]),
            D=one.D,
            states=(*one.states, *(simulation.model.memories[k].name for k in memories)),
            inputs=one.inputs,
            outputs=one.outputs,
            S=np.hstack([one.S, np.zeros((len(one.S), len(memories)))]),
            T=np.hstack([one.T, none]),
        )

    @property
    def rest(self) -> dict[str, Any]:
        """Roles of the states and what belongs to them (``core/roles.py``), by the numbers of the states."""
        found: dict[str, Any] = self.notes["rest"]
        return found

    def limits_and_rolling(self, simulation: Simulation) -> tuple[Array, Array]:
        """The most that each friction element bears now, and the speeds that wheels have when they roll freely."""
        if not self.rest["sticks"] and not self.rest["rolling"]:
            return np.zeros(0), np.zeros(0)
        limits, rolling = self._call("rest", simulation)
        return limits, rolling

    def _call(self, function: str, simulation: Simulation | None, **point: Any) -> tuple[Array, ...]:
        if simulation is None:
            return Simulation(self.library, method="Euler").call(function, **point)
        own = self._copies.get(simulation)
        if own is None:
            own = self._copies[simulation] = self._copy(simulation)
        # A call changes nothing, and all that it sees is taken over here: nothing of an earlier call is left.
        own.adopt(simulation)
        own.set_method("Euler", simulation.t_dt)  # Euler: T_DT is its step
        now: dict[str, Any] = {"x": simulation.x, "m": simulation.m, "u": simulation.u, "b": simulation.b}
        now["t"] = simulation.time
        point = now | {name: value for name, value in point.items() if value is not None}
        return own.call(function, **point)

    def _copy(self, simulation: Simulation) -> Simulation:
        model = self.library.model
        if [v.name for v in simulation.model.states] != [v.name for v in model.states]:
            raise ParameterError(
                f"the simulation is of model {simulation.model.name!r}, whose states differ from those of "
                f"{model.name!r}"
            )
        tables = {name: table for name, table in simulation.tables.items() if name in model.tables}
        return Simulation(self.library, method="Euler", tables=tables)
