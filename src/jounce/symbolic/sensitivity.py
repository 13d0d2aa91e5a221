"""Derivatives of the accelerations, by differentiating the equations instead of their solution.

Of one unit, with its accelerations ẇ and the wrenches w_c of the units it carries held,

    r = b - A ẇ - Σ_c J_cᵀ w_c,      A dẇ + Σ_c J_cᵀ dw_c = ∂r/∂x dx                                      (1)
    dw_c = A*_c (J_c dẇ + ∂(J_c ẇ + ā_c)/∂x dx) - r*_c                                                    (2)

so the derivatives solve the same linear systems as the accelerations, with the same elimination: A⁻¹ is never
differentiated, and the number of operations stays a small multiple of that of the equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import Differentiator, add_entry, key
from jounce.symbolic.kane import Row, UnitSolution, sum_of

if TYPE_CHECKING:
    from jounce.symbolic.generate import Equations

Rows = list[dict[int, SX]]


def acceleration_rows(equations: Equations, wrt: list[SX]) -> dict[int, Row]:
    """d(u̇, λ)/d(wrt) at the solution: key of the speed or multiplier -> {column of wrt: derivative}."""
    return _Sensitivity(equations, wrt).rows()


class _Sensitivity:
    def __init__(self, equations: Equations, wrt: list[SX]) -> None:
        self.system = equations.system
        self.units = {id(s.unit): s for s in equations.solved.units}  # leaves first
        self.differentiator = Differentiator(self.system.calls, wrt)
        self.held: dict[int, list[SX]] = {}  # unit -> symbols of its accelerations, by column
        self.wrench: dict[int, list[SX]] = {}  # carried unit -> symbols of the wrench it takes
        self.definitions: list[tuple[SX, SX]] = []

    def rows(self) -> dict[int, Row]:
        for solution in self.units.values():
            self._hold(solution)
        right: dict[int, Rows] = {}
        slope: dict[int, Rows] = {}  # carried unit -> ∂(J ẇ + ā)/∂x
        for solution in self.units.values():
            right[id(solution.unit)] = self._right(solution)
            if solution.hitch is not None:
                slope[id(solution.unit)] = self._hitch_slope(solution)
        # Only now may the held symbols mean something: before, nothing was to see through them.
        for symbol, value in self.definitions:
            self.system.calls.late_alias("held acceleration", symbol).args = [value]
        for solution in self.units.values():
            own = right[id(solution.unit)]
            for child in solution.unit.children:
                self._join(own, self.units[id(child)], right[id(child)], slope[id(child)])
            _replay(solution, own)
        return self._substitute(right, slope)

    def _hold(self, solution: UnitSolution) -> None:
        """Symbols for the solution and for the wrench at the root, named intermediates later."""
        name = solution.unit.name
        symbols = [ca.SX.sym(f"held {name}[{i}]") for i in range(len(solution.reduced.names))]
        self.held[id(solution.unit)] = symbols
        self.definitions += [(symbol, solution.values[i]) for i, symbol in enumerate(symbols)]
        n_root = solution.reduced.n_root
        if n_root:
            reduced = solution.reduced
            wrench = [ca.SX.sym(f"wrench {name}[{i}]") for i in range(n_root)]
            for i, symbol in enumerate(wrench):
                terms = [reduced.entry(i, j) * symbols[j] for j in range(n_root) if reduced.entry(i, j) is not None]
                self.definitions.append((symbol, sum_of(terms) - reduced.right[i]))
            self.wrench[id(solution.unit)] = wrench

    def _right(self, solution: UnitSolution) -> Rows:
        """∂r/∂x of one unit (1)."""
        held = self.held[id(solution.unit)]
        residual = list(solution.right)
        for (i, j), value in solution.matrix.items():
            residual[i] = residual[i] - value * held[j]
            if solution.reduced.symmetric and i != j:
                residual[j] = residual[j] - value * held[i]
        for child in solution.unit.children:
            hitch = self.units[id(child)].hitch
            assert hitch is not None
            for row, force in zip(hitch[0], self.wrench[id(child)], strict=True):
                for column, factor in row.items():
                    residual[column] = residual[column] - factor * force
        return self.differentiator.rows(residual)

    def _hitch_slope(self, solution: UnitSolution) -> Rows:
        assert solution.hitch is not None and solution.unit.parent is not None
        held = self.held[id(solution.unit.parent)]
        rows, bias = solution.hitch
        return self.differentiator.rows(
            [sum_of([factor * held[j] for j, factor in row.items()]) + b for row, b in zip(rows, bias, strict=True)]
        )

    def _join(self, own: Rows, child: UnitSolution, child_right: Rows, slope: Rows) -> None:
        """Add J_cᵀ (r*_c - A*_c slope)."""
        assert child.hitch is not None
        n_root = child.reduced.n_root
        for i in range(n_root):
            total = dict(child_right[i])
            for j in range(n_root):
                entry = child.reduced.entry(i, j)
                if entry is not None:
                    for column, value in slope[j].items():
                        add_entry(total, column, -(entry * value))
            for place, factor in child.hitch[0][i].items():
                for column, value in total.items():
                    add_entry(own[place], column, factor * value)

    def _substitute(self, right: dict[int, Rows], slope: dict[int, Rows]) -> dict[int, Row]:
        """Back substitution, root first."""
        result: dict[int, Row] = {}
        values: dict[int, dict[int, Row]] = {}
        for solution in reversed(self.units.values()):
            own: dict[int, Row] = {}
            if solution.hitch is not None:
                assert solution.unit.parent is not None
                above = values[id(solution.unit.parent)]
                for i, row in enumerate(solution.hitch[0]):
                    root = dict(slope[id(solution.unit)][i])
                    for j, factor in row.items():
                        for column, value in above[j].items():
                            add_entry(root, column, factor * value)
                    own[i] = self._named(root)
            for pivot in reversed(solution.pivots):
                row = {c: pivot.inverse * value for c, value in right[id(solution.unit)][pivot.column].items()}
                for j, factor in pivot.row.items():
                    if not factor.is_zero():
                        for column, value in own[j].items():
                            add_entry(row, column, -(factor * value))
                own[pivot.column] = self._named(row)
            values[id(solution.unit)] = own
            symbols = list(solution.columns)
            for loop in solution.unit.loops:
                symbols += loop.multipliers
            for i in range(solution.reduced.n_root, len(symbols)):
                result[key(symbols[i])] = own[i]
        return result

    def _named(self, row: Row) -> Row:
        """A cut: entries are used by many rows, and stay short in the expressions that use them."""
        columns = list(row)
        return dict(zip(columns, self.system.calls.alias("sensitivity", [row[c] for c in columns]), strict=True))


def _replay(solution: UnitSolution, right: Rows) -> None:
    """Apply the elimination of the unit to other right-hand sides."""
    for pivot in solution.pivots:
        scaled = {column: pivot.inverse * value for column, value in right[pivot.column].items()}
        for i, factor in pivot.below.items():
            if not factor.is_zero():
                for column, value in scaled.items():
                    add_entry(right[i], column, -(factor * value))
