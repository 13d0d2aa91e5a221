"""Equilibrium by Newton's method on the exact linearisation.

Chosen rates r(x) are brought to zero by changing chosen states (quaternions through their tangent angles):

    δ = argmin |r + (∂r/∂x) δ|,   x ← x ⊕ t δ,   t = 1, ½, ¼, … until |r| falls                              (1)

Least squares, so more unknowns than equations (a car may stand anywhere in the plane) or a redundant equation do no
harm. Memories of role ``follow``, which no linearisation contains, are found by iteration around it:

    m ← m⁺(x(m), m)                                                                                            (2)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, StaticsError, did_you_mean
from jounce.runtime.simulation import Simulation
from jounce.sim.linear import Lineariser

Array = npt.NDArray[np.float64]

FOLLOWING = 100  # most times that memories are given what they become
STAYS = 1e-13  # largest change of a memory that stays
STAGNATION = 0.9  # of the residual before: what is left is rounding
HALVINGS = 12  # shortest trial of a Newton step is 2^-12 of it


@dataclass(frozen=True)
class Equilibrium:
    """What Newton's method did: iterations, and the largest remaining rate by name."""

    iterations: int
    residual: float
    worst: str
    history: tuple[float, ...]


def find_equilibrium(
    simulation: Simulation,
    lineariser: Lineariser,
    free: Sequence[str],
    balance: Sequence[str],
    *,
    tolerance: float = 1e-9,
    iterations: int = 40,
    limits: dict[str, float] | None = None,
) -> Equilibrium:
    """Change the states that match ``free`` until the rates of those that match ``balance`` vanish.

    Parameters
    ----------
    free, balance : names or patterns of the lineariser's states (``body.rx`` … are tangent angles)
    tolerance : largest rate that counts as zero, SI
    limits : largest change of a state in one iteration, by pattern (0.05 m keeps a wheel on its map)

    The simulation is left at the equilibrium.  StaticsError says which rate is left; the best state found is kept.
    """
    names = tuple(lineariser.notes["states"])
    columns = _choose(names, free, "free")
    rows = _choose(names, balance, "balance")
    places = Places(simulation, names)
    bounds = np.array([_limit(names[c], limits or {}) for c in columns])

    class States:
        """The chosen states as unknowns, the chosen rates as equations."""

        def residual(self) -> Array:
            return places.rates(simulation.derivatives()[0])[rows]

        def jacobian(self) -> Array:
            return lineariser.at(simulation).A[np.ix_(rows, columns)]

        def save(self) -> Array:
            return simulation.x.copy()

        def move(self, start: Array, step: Array) -> None:
            simulation.x[:] = places.moved(start, columns, step)

    found = newton(States(), bounds, tolerance, iterations)
    worst = names[rows[found.worst]] if rows else ""
    if found.converged:
        return Equilibrium(found.iterations, found.size, worst, found.history)
    raise StaticsError(
        f"model {simulation.model.name!r}: no equilibrium after {found.iterations} iterations; the largest rate left "
        f"is {found.size:.3g} of {worst!r} (allowed {tolerance:g}). The best state found is kept; start closer, or "
        "leave more states free"
    )


class Unknowns(Protocol):
    """What Newton's method asks of a problem; ``move`` starts from a state that ``save`` gave."""

    def residual(self) -> Array: ...
    def jacobian(self) -> Array: ...
    def save(self) -> Any: ...
    def move(self, start: Any, step: Array) -> None: ...


@dataclass(frozen=True)
class Found:
    """How Newton's method ended."""

    converged: bool
    iterations: int
    size: float  # largest residual
    worst: int  # its row
    history: tuple[float, ...]


def newton(
    problem: Unknowns, bounds: Array, tolerance: float, iterations: int, rounding: float = 0.0, *, natural: bool = False
) -> Found:
    """Newton's method (1) in the least-squares sense, no step larger than ``bounds``.

    ``rounding`` is accepted when no step makes the residual smaller, or hardly any. ``natural``: a step counts as
    shorter by the next one that it asks for, with the same Jacobian, rather than by its residual, in which fast lags
    outweigh everything else ([Deuflhard2011] chapter 3).
    """
    r = problem.residual()
    history = [float(np.abs(r).max(initial=0.0))]
    converged = history[-1] <= tolerance
    while not converged and len(history) <= iterations and np.isfinite(history[-1]):
        jacobian = problem.jacobian()
        # columns scaled, so that metres and radians weigh alike in the least-squares solution
        scale = np.maximum(np.linalg.norm(jacobian, axis=0), 1e-12)
        step = np.linalg.lstsq(jacobian / scale, -r, rcond=1e-12)[0] / scale
        step *= min(1.0, float(np.min(bounds / np.maximum(np.abs(step), 1e-300))))
        start = problem.save()

        def size(left: Array, slopes: Array = jacobian / scale) -> float:
            if not natural:
                return float(np.linalg.norm(left))
            return float(np.linalg.norm(np.linalg.lstsq(slopes, left, rcond=1e-12)[0]))

        best = size(r)
        for k in range(HALVINGS):
            problem.move(start, step * 0.5**k)
            trial = problem.residual()
            if np.isfinite(trial).all() and size(trial) < best:
                r = trial
                break
        else:
            problem.move(start, np.zeros(len(step)))
            converged = history[-1] <= rounding
            break
        history.append(float(np.abs(r).max()))
        stays = history[-1] <= rounding and history[-1] > STAGNATION * history[-2]
        converged = history[-1] <= tolerance or stays
    worst = int(np.argmax(np.abs(r))) if len(r) else 0
    return Found(converged, len(history) - 1, history[-1], worst, tuple(history))


def least_squares(matrix: Array, *sides: Array) -> Sequence[Array]:
    """Solutions with scaled columns: metres and radians weigh alike, and what nothing holds stays where it is."""
    scale = np.maximum(np.linalg.norm(matrix, axis=0), 1e-12)
    found = np.linalg.lstsq(matrix / scale, np.column_stack(sides), rcond=1e-12)[0] / scale[:, None]
    return list(found.T)


def followed(sim: Simulation, solve: Callable[[], Found], *, holds: bool = False) -> Found:
    """Solve with memories of role ``follow`` held, give them what they become, and again, until they stay (2).

    ``holds``: where there is no solution with what they become (a gear that would change), they stay as they are.
    """
    names = [i for i, v in enumerate(sim.model.memories) if v.role == "follow"]
    found = solve()
    for _ in range(FOLLOWING if names else 0):
        if not found.converged:
            break
        becomes = sim.derivatives()[1][names]
        change = np.abs(becomes - sim.m[names])
        if not np.isfinite(change).all() or change.max() <= STAYS * max(1.0, float(np.abs(becomes).max())):
            break
        last = found, sim.x.copy(), sim.m.copy(), sim.u.copy()
        sim.m[names] = becomes
        found = solve()
        if holds and not found.converged:
            found, sim.x[:], sim.m[:], sim.u[:] = last
            break
    return found


class Places:
    """Between the model's states and the lineariser's tangent states."""

    def __init__(self, simulation: Simulation, names: Sequence[str]) -> None:
        model = simulation.model
        index = {v.name: i for i, v in enumerate(model.states)}
        self.quaternion: dict[int, tuple[int, int]] = {}  # tangent -> (first of four states, axis)
        self.state: dict[int, int] = {}
        for first in model.quaternions:
            prefix = model.states[first].name.rsplit(".", 1)[0]
            for axis, letter in enumerate("xyz"):
                self.quaternion[names.index(f"{prefix}.r{letter}")] = (first, axis)
        for t, name in enumerate(names):
            if t not in self.quaternion:
                self.state[t] = index[name]
        self.n = len(names)

    def rates(self, xdot: Array) -> Array:
        """Rates by tangent state; those of tangent angles are not needed here and stay zero."""
        result = np.zeros(self.n)
        for t, i in self.state.items():
            result[t] = xdot[i]
        return result

    def moved(self, x: Array, columns: Sequence[int], step: Array) -> Array:
        result = x.copy()
        turns: dict[int, Array] = {}
        for c, value in zip(columns, step, strict=True):
            if c in self.state:
                result[self.state[c]] += value
            else:
                first, axis = self.quaternion[c]
                turns.setdefault(first, np.zeros(3))[axis] = value
        for first, turn in turns.items():
            result[first : first + 4] = _turned(result[first : first + 4], turn)
        return result


def _turned(q: Array, turn: Array) -> Array:
    """q ∘ (1, δθ/2), brought back to length one."""
    w, v = q[0], q[1:]
    half = 0.5 * turn
    scalar = w - v @ half
    vector = w * half + v + np.cross(v, half)
    result: Array = np.array([scalar, *vector])
    return result / np.linalg.norm(result)


def rotation(q: Array) -> Array:
    """Rotation matrix of a quaternion, scalar first, of any length."""
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _choose(names: Sequence[str], patterns: Sequence[str], what: str) -> list[int]:
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ParameterError(f"{what}: no state matches {pattern!r}{did_you_mean(pattern, names)}")
    return [i for i, name in enumerate(names) if any(fnmatchcase(name, pattern) for pattern in patterns)]


def _limit(name: str, limits: dict[str, Any]) -> float:
    return min((float(v) for pattern, v in limits.items() if fnmatchcase(name, pattern)), default=np.inf)
