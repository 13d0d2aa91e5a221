"""Linear velocity constraints: rolling without slip.

Constraints c(q, u, t) = C_d u_d + c_0(q, u_i, t) = 0 define dependent speeds u_d = -C_d⁻¹ c_0.  The dependent speeds
become named intermediates, so that partial velocities and bias accelerations include the constraint exactly
(Kane's nonholonomic form); they are never integrated and cannot drift.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ModelError
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import Differentiator, key

if TYPE_CHECKING:
    from jounce.symbolic.system import System, Unit


def solve_dependent_speeds(system: System) -> set[int]:
    """Define every dependent speed by the others; returns the keys of the dependent speeds."""
    names: dict[int, str] = {}  # dependent speed -> constraint
    owners: dict[int, Unit] = {}
    for name, _, dependent in system.constraints:
        for speed in dependent:
            k = key(speed.symbol)
            if k in names:
                raise ModelError(
                    f"speed {speed.name!r} is named as dependent twice, in constraints {names[k]!r} and {name!r}: "
                    "name another speed in one of them"
                )
            names[k] = name
            assert speed.unit_owner is not None
            owners[id(speed.unit_owner)] = speed.unit_owner
            if speed.unit_owner is not dependent[0].unit_owner:
                raise ModelError(
                    f"constraint {name!r}: the dependent speeds {dependent[0].name!r} and {speed.name!r} belong to "
                    "different units; put both in one unit"
                )
    for unit in system.units:
        if id(unit) in owners:
            _solve_unit(system, unit)
    return set(names)


def _solve_unit(system: System, unit: Unit) -> None:
    """Define the dependent speeds of one unit by its other speeds and its root twist."""
    from jounce.symbolic.generate import evaluate

    own = [c for c in system.constraints if c[2] and c[2][0].unit_owner is unit]
    expressions = [e for _, items, _ in own for e in items]
    constraint_of = [name for name, items, _ in own for _ in items]
    speeds = [s for _, _, dependent in own for s in dependent]
    n = len(speeds)
    others = [s for s in system.speeds if not any(s is d for d in speeds)]
    wrt = [s.symbol for s in speeds] + unit.root_twist + [s.symbol for s in others]
    # rows are cut at the root twist: what moves the root is the business of the carrying unit
    all_rows = Differentiator(system.calls, wrt).rows(expressions)
    for row, name in zip(all_rows, constraint_of, strict=True):
        for column, value in row.items():
            other = others[column - n - len(unit.root_twist)] if column >= n + len(unit.root_twist) else None
            if other is not None and other.unit_owner is not unit:
                assert other.unit_owner is not None
                raise ModelError(
                    f"constraint {name!r} of unit {unit.name!r} contains speed {other.name!r} of unit "
                    f"{other.unit_owner.name!r}; put both in one unit, or use the velocities of the unit's own frames"
                )
            if system.calls.depends_on(value, wrt):
                raise ModelError(
                    f"constraint {name!r} is not linear in the speeds; write it as a sum of speeds times functions of "
                    "coordinates"
                )
    rows = [{j: value for j, value in row.items() if j < n} for row in all_rows]
    symbols = [s.symbol for s in speeds]
    rest = ca.substitute([ca.vertcat(*expressions)], [ca.vertcat(*symbols)], [ca.SX.zeros(n)])[0]
    right = [-rest[i] for i in range(n)]
    for i, name in enumerate(constraint_of):
        found = system.calls.reachable(right[i], cut=unit.root_twist)
        hidden = [s.name for s in speeds if key(s.symbol) in found]
        if hidden:
            raise ModelError(
                f"constraint {name!r}: the dependent speed {hidden[0]!r} stands inside a call (leaf function, table, "
                "named intermediate or another unit's root); write the constraint with the speed itself"
            )
    numeric = np.zeros((n, n))
    positions = [(i, j) for i, row in enumerate(rows) for j in row]
    for (i, j), value in zip(positions, evaluate(system, [rows[i][j] for i, j in positions]), strict=True):
        numeric[i, j] = value
    solution = _solve(rows, right, numeric, [s.name for s in speeds])
    for speed, expression in zip(speeds, solution, strict=True):
        alias = system.calls.late_alias(speed.name, speed.symbol)
        alias.args = [expression]


def _solve(rows: list[dict[int, SX]], right: list[SX], numeric: npt.NDArray[np.float64], names: list[str]) -> list[SX]:
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
