"""A driver that goes back in time: does a simulation give the same numbers when it is saved and restored on its way?

Optimisers and driving simulators try something, go back and try again. All that a run depends on must be in a snapshot,
also what outside code keeps for itself. ``rollback`` runs once straight on, and once more with excursions: saved, run
on for a random number of steps, restored. The two must be equal to the bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jounce.runtime.simulation import Simulation


class Rollback(NamedTuple):
    """How two runs compare."""

    excursions: int
    difference: float  # largest of any state, memory or input at any time; 0: equal to the bit
    worst: str  # where
    time: float  # when it appears first, s; nan: never

    @property
    def same(self) -> bool:
        return self.excursions > 0 and self.difference == 0.0


def rollback(
    simulation: Simulation, steps: int = 500, *, every: int = 25, longest: int = 20, seed: int = 0
) -> Rollback:
    """Compare a straight run with one that is saved and restored on its way; the simulation is then where it began.

    Parameters
    ----------
    simulation : ready to run; its program, if any, must go on for long enough
    steps : of the run
    every : steps between two looks; before each there are up to three excursions, one within another
    longest : excursion, in steps
    seed : of the random numbers
    """
    rng = np.random.default_rng(seed)
    looks = [every] * (steps // every) + ([steps % every] if steps % every else [])
    start = simulation.snapshot()
    known = []
    for n in looks:
        simulation.advance(n)
        known.append(_values(simulation))
    simulation.restore(start)
    names = [v.name for v in (*simulation.model.states, *simulation.model.memories, *simulation.model.inputs)]
    excursions, difference, worst, time = 0, 0.0, "", float("nan")
    for n, expected in zip(looks, known, strict=True):
        before = int(rng.integers(0, n))
        simulation.advance(before)
        saved = []
        for _ in range(int(rng.integers(1, 4))):
            saved.append(simulation.snapshot())
            simulation.advance(int(rng.integers(1, longest + 1)))
            excursions += 1
        for snapshot in reversed(saved):
            simulation.restore(snapshot)
        simulation.advance(n - before)
        off = np.abs(_values(simulation) - expected)
        # equal infinities and nan would be no difference, but no run goes on with them
        if off.size and not off.max() <= difference:
            if difference == 0.0:
                time = simulation.time
            difference, worst = float(off.max()), names[int(np.argmax(off))]
    simulation.restore(start)
    return Rollback(excursions, difference, worst, time)


def _values(simulation: Simulation) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.concatenate([simulation.x, simulation.m, simulation.u])
