"""Gain and phase margin of a loop inside a linear model, cut at one of its states.

A state m that follows a command, such as the torque of an assist motor, closes a loop: it moves the others, and these
command it. With the rows and columns of A for m and for the others x,

    ẋ = A_xx x + a m,   ṁ = c x + λ m    ⇒    L(s) = - c (s - A_xx)⁻¹ a / (s - λ)                               (1)

is what comes back where the loop is cut and one enters; the loop closed has the eigenvalues of A where L(s) = -1.

    phase margin   π + arg L where |L| falls through 1       gain margin   1/|L| where arg L falls through -π     (2)

the smallest of each, angles between -π and π; infinite where there is no such frequency. ([Franklin2019] ch. 6.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jounce.core.errors import ParameterError, did_you_mean
from jounce.sim.linear import LinearModel


@dataclass(frozen=True)
class Margins:
    """How far a loop is from instability."""

    gain: float  # factor on its gain; below 1: unstable already
    phase: float  # rad
    crossover: float  # rad/s, where the gain is 1; nan where it nowhere is


def margins(
    model: LinearModel,
    state: str,
    without: Sequence[str] = (),
    frequencies: tuple[float, float] = (1.0, 5e3),
    count: int = 4000,
) -> Margins:
    """Margins of the loop that a state closes.

    Parameters
    ----------
    state : where the loop is cut
    without : beginnings of names of states that are held: what an integrator leaves undetermined
    frequencies : rad/s, between which it is looked at, at ``count`` places
    """
    names = list(model.states)
    if state not in names:
        raise ParameterError(f"state {state!r} is unknown{did_you_mean(state, names)}")
    i = names.index(state)
    others = [k for k, name in enumerate(names) if k != i and not name.startswith(tuple(without) or "\0")]
    a, b = model.A[np.ix_(others, others)], model.A[others, i]
    c, own = model.A[i, others], model.A[i, i]
    w = np.geomspace(*frequencies, count)
    values, right = np.linalg.eig(a)
    left = np.linalg.solve(right, b.astype(complex))
    modal = (c @ right) * left
    loop = -np.array([np.sum(modal / (1j * x - values)) / (1j * x - own) for x in w])  # (1)
    size, margin = np.abs(loop), np.angle(-loop)  # the angle from the negative axis, where a margin is measured
    falls = np.flatnonzero((size[:-1] > 1) & (size[1:] <= 1))
    turned = np.flatnonzero((margin[:-1] > 0) & (margin[1:] <= 0) & (margin[:-1] - margin[1:] < math.pi))
    worst = min(falls, key=lambda k: margin[k], default=None)
    return Margins(
        gain=float(min((1 / size[k] for k in turned), default=math.inf)),
        phase=math.inf if worst is None else float(margin[worst]),
        crossover=math.nan if worst is None else float(w[worst]),
    )
