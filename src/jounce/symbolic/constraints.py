"""Linear velocity constraints: rolling without slip.

Constraints c(q, u, t) = C_d u_d + c_0(q, u_i, t) = 0 define dependent speeds u_d = -C_d⁻¹ c_0.  The dependent speeds
become named intermediates, so that partial velocities and bias accelerations include the constraint exactly
(Kane's nonholonomic form); they are never integrated and cannot drift.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.core.errors import ModelError
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import Differentiator, key

if TYPE_CHECKING:
    from jounce.symbolic.system import System


def solve_dependent_speeds(system: System) -> set[int]:
    """Define every dependent speed by the others; returns the keys of the dependent speeds."""
    if not system.constraints:
        return set()
    from jounce.symbolic.generate import evaluate

    expressions = [e for _, items, _ in system.constraints for e in items]
    speeds = [s for _, _, dependent in system.constraints for s in dependent]
    keys = [key(s.symbol) for s in speeds]
    for k, speed in zip(keys, speeds, strict=True):
        if keys.count(k) > 1:
            raise ModelError(f"speed {speed.name!r} is named as dependent by two constraints")
    symbols = [s.symbol for s in speeds]
    rows = Differentiator(system.calls, symbols).rows(expressions)
    n = len(speeds)
    for row, (name, _) in zip(rows, _named(system), strict=True):
        for value in row.values():
            if system.calls.depends_on(value, [s.symbol for s in system.speeds]):
                raise ModelError(f"constraint {name!r} is not linear in the speeds")
    rest = ca.substitute([ca.vertcat(*expressions)], [ca.vertcat(*symbols)], [ca.SX.zeros(n)])[0]
    right = [-rest[i] for i in range(n)]
    numeric = np.zeros((n, n))
    positions = [(i, j) for i, row in enumerate(rows) for j in row]
    for (i, j), value in zip(positions, evaluate(system, [rows[i][j] for i, j in positions]), strict=True):
        numeric[i, j] = value
    solution = _solve(system, rows, right, numeric, [s.name for s in speeds])
    for speed, expression in zip(speeds, solution, strict=True):
        alias = system.calls.late_alias(speed.name, speed.symbol)
        alias.args = [expression]
    return set(keys)


def _named(system: System) -> list[tuple[str, SX]]:
    return [(name, e) for name, items, _ in system.constraints for e in items]


def _solve(
    system: System, rows: list[dict[int, SX]], right: list[SX], numeric: np.ndarray, names: list[str]
) -> list[SX]:
    """Gaussian elimination; pivots are chosen by size at the initial state, so no pivot vanishes near it."""
    n = len(rows)
    matrix = [dict(row) for row in rows]
    work = numeric.copy()
    order: list[tuple[int, int]] = []
    free_rows, free_columns = set(range(n)), set(range(n))
    scale = float(np.max(np.abs(numeric))) if n else 1.0
    for _ in range(n):
        # among acceptably large candidates the one with the fewest entries (Markowitz), to keep the result short
        best = max((abs(work[i, j]) for i in free_rows for j in free_columns), default=0.0)
        if not best > 1e-12 * max(scale, 1.0):
            left = ", ".join(repr(names[j]) for j in sorted(free_columns))
            raise ModelError(
                f"the constraints cannot be solved for the dependent speeds {left} at the initial state: "
                "choose other dependent speeds, or remove a redundant constraint"
            )
        candidates = [(i, j) for i in free_rows for j in free_columns if abs(work[i, j]) >= 0.1 * best]
        i, j = min(
            candidates,
            key=lambda c: (
                (sum(1 for k in free_columns if k in matrix[c[0]]) - 1)
                * (sum(1 for r in free_rows if c[1] in matrix[r]) - 1),
                c,
            ),
        )
        free_rows.discard(i)
        free_columns.discard(j)
        order.append((i, j))
        for r in sorted(free_rows):
            if j in matrix[r]:
                factor = matrix[r].pop(j) / matrix[i][j]
                ratio = work[r, j] / work[i, j]
                for c in sorted(free_columns):
                    if c in matrix[i]:
                        matrix[r][c] = matrix[r].get(c, ca.SX(0)) - factor * matrix[i][c]
                work[r, :] -= ratio * work[i, :]
                right[r] = right[r] - factor * right[i]
    solution: list[SX] = [ca.SX(0)] * n
    done: list[int] = []
    for i, j in reversed(order):
        value = right[i]
        for c in done:
            if c in matrix[i]:
                value = value - matrix[i][c] * solution[c]
        solution[j] = value / matrix[i][j]
        done.append(j)
    return solution
