"""The largest step with which a method of integration is stable, from the exact linearisation.

A method turns a mode x' = λ x into a recursion x_{k+1} = ρ x_k, with the largest root ρ(λ h) of

    x_h  = x_0 + z (a_0 x_0 + a_1 x_-1 + …)                  z = λ h, the half step of methods that have one      (1)
    x_+  = x_0 + z (b_h x_h + b_0 x_0 + b_1 x_-1 + …)                                                             (2)

The step is beyond its limit where a mode that decays, Re λ < 0, grows in the recursion:

    ln |ρ(λ h)| / h > GROWTH                                                                                      (3)

Modes that grow by themselves say nothing about the step. Coefficients are those of ``runtime/c/jn_integrate.c``; the
linear-implicit methods have no limit of this kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jounce.runtime.methods import METHOD_NAMES, method_number
from jounce.runtime.simulation import Simulation
from jounce.sim.linear import Lineariser

GROWTH = 1.0  # 1/s: slower growth is not what a run breaks up by
FAR = 1.0  # s: no step is longer

# a of the half step (empty: there is none), b_h, b of the full step
_COEFFICIENTS: dict[str, tuple[Sequence[float], float, Sequence[float]]] = {
    "Euler": ((), 0.0, (1.0,)),
    "AB-2": ((), 0.0, (3 / 2, -1 / 2)),
    "RK-2": ((1 / 2,), 1.0, ()),
    "AM-2": ((5 / 8, -1 / 8), 1.0, ()),
    "AM-3": ((17 / 24, -7 / 24, 2 / 24), 20 / 18, (-3 / 18, 1 / 18)),
    "AM-4": ((297 / 384, -187 / 384, 107 / 384, -25 / 384), 36 / 30, (-10 / 30, 5 / 30, -1 / 30)),
}


@dataclass(frozen=True)
class StepLimit:
    """The largest stable step of a method at a point of a run.

    Attributes
    ----------
    step : s; infinite for a method without a limit
    eigenvalue : of the mode that sets it, 1/s
    state : what moves most in that mode
    """

    method: str
    step: float
    eigenvalue: complex = 0j
    state: str = ""

    def note(self, step: float) -> str:
        """What a step beyond the limit means; nothing for one within it."""
        if step <= self.step:
            return ""
        return (
            f"the step of {1e3 * step:.4g} ms is beyond the stability limit of {self.method} for this car, "
            f"{1e3 * self.step:.3g} ms (by {self.state}, {abs(self.eigenvalue):.4g} 1/s): what breaks is the method, "
            "not the car. Take a smaller step, or softer data"
        )


def growth(method: str, z: complex) -> float:
    """|ρ| of (1, 2): what the recursion of a method multiplies a mode with in one step."""
    half, weight, full = _COEFFICIENTS[method]
    size = max(len(half), len(full), 1)
    after = np.zeros(size, dtype=complex)  # of x_+ over x_0, x_-1, …
    after[: len(full)] = z * np.asarray(full)
    middle = np.zeros(size, dtype=complex)
    middle[: len(half)] = z * np.asarray(half)
    middle[0] += 1.0
    after += z * weight * middle
    after[0] += 1.0
    recursion = np.eye(size, k=-1, dtype=complex)
    recursion[0] = after
    return float(np.abs(np.linalg.eigvals(recursion)).max())


def _grows(method: str, eigenvalue: complex, step: float) -> bool:
    return math.log(max(growth(method, eigenvalue * step), 1e-300)) > GROWTH * step


def limit_of(method: str, eigenvalue: complex) -> float:
    """The largest step, s, with which a decaying mode decays (3)."""
    low, high = 0.0, 0.1 / abs(eigenvalue)
    while not _grows(method, eigenvalue, high):
        low, high = high, 1.2 * high
        if high > FAR:
            return math.inf
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _grows(method, eigenvalue, middle) else (middle, high)
    return low


def step_note(sim: Simulation, linear: Lineariser) -> str:
    """What is wrong with the step of a simulation where it is now; nothing when it is small enough."""
    name = METHOD_NAMES[method_number(sim.method)]
    if name not in _COEFFICIENTS:
        return ""
    values = [complex(value) for value in np.linalg.eigvals(linear.at(sim).A)]
    decaying = [value for value in values if value.real < 0 and value.imag >= 0]
    if not any(_grows(name, value, sim.step) for value in decaying):
        return ""
    return step_limit(sim, linear).note(sim.step)


def step_limit(sim: Simulation, linear: Lineariser, method: str | int | None = None) -> StepLimit:
    """The largest stable step of a method where a simulation is now; default: its own method."""
    name = METHOD_NAMES[method_number(sim.method if method is None else method)]
    if name not in _COEFFICIENTS:
        return StepLimit(name, math.inf)
    model = linear.at(sim)
    values, vectors = np.linalg.eig(model.A)
    found = StepLimit(name, math.inf)
    for k in np.argsort(-np.abs(values)):  # fast ones first: a mode far slower than the limit cannot set it
        value = complex(values[k])
        if value.real >= 0 or value.imag < 0 or abs(value) * min(found.step, FAR) < 0.01:
            continue
        step = limit_of(name, value)
        if step < found.step:
            found = StepLimit(name, step, value, model.states[int(np.argmax(np.abs(vectors[:, k])))])
    return found
