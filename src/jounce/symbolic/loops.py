"""Loop constraints g(q, t) = 0: closed kinematic chains and hitches.

    M u̇ + Gᵀ λ = f,   0 = g(q, t),   ġ = G u + g_t,   g̈ = G u̇ + ḡ                                      (1)

On acceleration level (index 1), stabilised after Baumgarte:

    G u̇ + ḡ + 2α ġ + β g = 0                                                                           (2)

The multipliers λ are eliminated with the speeds, after them; λ_i is the force along g_i, so that a coincidence of two
points in metres has multipliers in newtons: the joint force.  Other ways to meet the constraint (index 2, projection,
Gear-Gupta-Leimkuhler) are forms of the step, see ``step.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jounce.core.errors import ModelError
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import Differentiator, key

if TYPE_CHECKING:
    from jounce.symbolic.kane import Row, UnitKinematics
    from jounce.symbolic.system import System

# Baumgarte gains that hold a vehicle hitch at h = 1 ms without making it stiff [Burgermeister2006]; run parameters.
GAINS = {
    "loops.alpha": (100.0, "1/s", "Baumgarte gain α of loop constraints on acceleration level (2α ġ)"),
    "loops.beta": (1e4, "1/s2", "Baumgarte gain β of loop constraints on acceleration level (β g)"),
    "loops.alpha_index2": (100.0, "1/s", "Baumgarte gain α of loop constraints on velocity level (G u + α g = 0)"),
}

# Smallest singular value, relative to the largest, of a constraint Jacobian that counts as full rank.
RANK = 1e-9


@dataclass
class Loop:
    """One named group of constraint equations."""

    name: str
    system: System
    g: list[SX]
    multipliers: list[SX]

    @property
    def velocity(self) -> list[SX]:
        """ġ, linear in the speeds."""
        column = self.system.time_derivative(ca.vertcat(*self.g))
        return [column[i] for i in range(len(self.g))]

    def jacobian(self, kinematics: UnitKinematics) -> list[Row]:
        """G: derivative of ġ with respect to the unit's columns."""
        kinematics.check_own(self.velocity, f"loop constraint {self.name!r}")
        return kinematics.rows_linear(self.velocity, f"constraint {self.name!r}")

    def on_acceleration_level(self, kinematics: UnitKinematics) -> tuple[list[Row], list[SX]]:
        """(2): rows and right-hand sides."""
        gains = self.system.loop_gains
        velocity = self.velocity
        bias = kinematics.bias(velocity)
        right = [
            -(b + 2 * gains["loops.alpha"] * v + gains["loops.beta"] * g)
            for b, v, g in zip(bias, velocity, self.g, strict=True)
        ]
        return self.jacobian(kinematics), right


def check_independent(system: System, dependent: set[int]) -> None:
    """Redundant constraints are found at the initial state and named."""
    from jounce.symbolic.generate import evaluate

    loops = [loop for unit in system.units for loop in unit.loops]
    if not loops:
        return
    speeds = [s.symbol for s in system.speeds if key(s.symbol) not in dependent]
    names = [f"{loop.name}[{i}]" for loop in loops for i in range(len(loop.g))]
    rows = Differentiator(system.calls, speeds).rows([v for loop in loops for v in loop.velocity])
    places = [(i, j) for i, row in enumerate(rows) for j in row]
    matrix = np.zeros((len(rows), len(speeds)))
    for (i, j), value in zip(places, evaluate(system, [rows[i][j] for i, j in places]), strict=True):
        matrix[i, j] = value
    redundant = []
    kept = np.zeros((0, len(speeds)))
    scale = max(float(np.max(np.abs(matrix), initial=0.0)), 1e-300)
    for name, row in zip(names, matrix, strict=True):
        trial = np.vstack([kept, row])
        if np.linalg.svd(trial / scale, compute_uv=False)[-1] < RANK or len(trial) > len(speeds):
            redundant.append(name)
        else:
            kept = trial
    if redundant:
        raise ModelError(
            f"redundant loop constraints at the initial state: {', '.join(redundant)} follow from those before; "
            "remove them, or start from a position where they are independent"
        )
