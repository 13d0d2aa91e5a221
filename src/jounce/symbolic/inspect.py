"""Mass matrix and bias of a system as numbers: a look into the equations before they are solved.

For all independent speeds u of a system, units included,

    M(q) u̇ = b(q, u, t),      M = Σ_k J_kᵀ A_k J_k,      b = Σ_k J_kᵀ (b_k - A_k D J_k u)            (1)

where A_k, b_k are the assembled equations of unit k in its own columns (root twist, own speeds), J_k the derivative of
those columns with respect to u, and D the time derivative along q̇ at constant u.  A simulation never forms (1): it
eliminates unit by unit.  The two ways meet only in A_k and b_k, so that comparing them checks the elimination.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jounce.core.generated import FunctionSlot, GeneratedModel
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import Differentiator, TimeDerivative, key
from jounce.symbolic.generate import ModelWriter, derive, finish
from jounce.symbolic.kane import UnitKinematics, assemble

if TYPE_CHECKING:
    from jounce.symbolic.system import System


def generate_mass_matrix(system: System) -> GeneratedModel:
    """A library with the one function ``mass_matrix``: M as a full matrix, row by row, and b (``notes["speeds"]``)."""
    equations = derive(system)
    states = {key(s.symbol) for s in equations.states}
    speeds = [s for s in system.speeds if key(s.symbol) in states]
    dependent = {key(s.symbol) for s in system.speeds} - states
    symbols = [s.symbol for s in speeds]
    n = len(symbols)

    differentiator = Differentiator(system.calls, symbols)
    forbidden = {k: why for k, why in system.unmoving.items() if k not in dependent}
    at_constant_speeds = {**system.rates, **{key(s): ca.SX(0) for s in symbols}}
    bias_rate = TimeDerivative(system.calls, at_constant_speeds, forbidden)

    matrix: dict[tuple[int, int], SX] = {}
    right: list[SX] = [ca.SX(0)] * n
    for unit in system.units:
        kinematics = UnitKinematics(system, unit, dependent)
        own = assemble(kinematics)
        rows = differentiator.rows(kinematics.columns)
        # own speeds are columns of u themselves; only the root twist changes at constant u
        bias = [bias_rate(c) if i < own.n_root else ca.SX(0) for i, c in enumerate(kinematics.columns)]
        for i, value in enumerate(own.right):
            for column, factor in rows[i].items():
                right[column] = right[column] + factor * value
        full = {**own.matrix, **{(j, i): value for (i, j), value in own.matrix.items()}}
        for (i, j), value in full.items():
            for column, factor in rows[i].items():
                right[column] = right[column] - factor * value * bias[j]
                for other, second in rows[j].items():
                    term = factor * value * second
                    k = (column, other)
                    matrix[k] = matrix[k] + term if k in matrix else term

    writer = ModelWriter(system, equations.states, suffix="_mass")
    entries = [matrix.get((i, j), ca.SX(0)) for i in range(n) for j in range(n)]
    writer.add("mass_matrix", [entries, right], low_effort=True)
    writer.add_prepare()
    slot = FunctionSlot("mass_matrix", (n * n, n))
    notes = {"speeds": [s.name for s in speeds]}
    return finish(system, equations, writer, functions=(slot,), notes=notes)
