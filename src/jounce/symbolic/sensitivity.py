"""Derivatives of the accelerations along a direction, by differentiating the equations instead of their solution.

Of one unit, with its accelerations ẇ and the wrenches w_c of the units it carries held,

    r = b - A ẇ - Σ_c J_cᵀ w_c,      A dẇ + Σ_c J_cᵀ dw_c = ∂r/∂x dx                                      (1)
    dw_c = A*_c (J_c dẇ + ∂(J_c ẇ + ā_c)/∂x dx) - r*_c                                                    (2)

so the derivatives solve the same linear systems as the accelerations, with the same elimination: A⁻¹ is never
differentiated, and the number of operations stays a small multiple of that of the equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import TimeDerivative, key, scalars
from jounce.symbolic.kane import UnitSolution, sum_of

if TYPE_CHECKING:
    from jounce.symbolic.generate import Equations

Slopes = list[SX]


def acceleration_slopes(equations: Equations, direction: dict[int, SX]) -> dict[int, SX]:
    """d(u̇, λ) at the solution, by the key of the speed or multiplier; ``direction``: dx by the key of the symbol."""
    return _Sensitivity(equations, direction).slopes()


class _Sensitivity:
    def __init__(self, equations: Equations, direction: dict[int, SX]) -> None:
        self.system = equations.system
        self.units = {id(s.unit): s for s in equations.solved.units}  # leaves first
        self.along = TimeDerivative(self.system.calls, direction)
        self.held: dict[int, list[SX]] = {}  # unit -> symbols of its accelerations, by column
        self.wrench: dict[int, list[SX]] = {}  # carried unit -> symbols of the wrench it takes
        self.definitions: list[tuple[SX, SX]] = []

    def slopes(self) -> dict[int, SX]:
        for solution in self.units.values():
            self._hold(solution)
        right: dict[int, Slopes] = {}
        slope: dict[int, Slopes] = {}  # carried unit -> ∂(J ẇ + ā)/∂x dx
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

    def _right(self, solution: UnitSolution) -> Slopes:
        """∂r/∂x dx of one unit (1)."""
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
        return self._slopes(residual)

    def _hitch_slope(self, solution: UnitSolution) -> Slopes:
        assert solution.hitch is not None and solution.unit.parent is not None
        held = self.held[id(solution.unit.parent)]
        rows, bias = solution.hitch
        return self._slopes(
            [sum_of([factor * held[j] for j, factor in row.items()]) + b for row, b in zip(rows, bias, strict=True)]
        )

    def _slopes(self, expressions: list[SX]) -> Slopes:
        return scalars(self.along(ca.vertcat(*expressions))) if expressions else []

    def _join(self, own: Slopes, child: UnitSolution, child_right: Slopes, slope: Slopes) -> None:
        """Add J_cᵀ (r*_c - A*_c slope)."""
        assert child.hitch is not None
        n_root = child.reduced.n_root
        for i in range(n_root):
            entries = ((j, child.reduced.entry(i, j)) for j in range(n_root))
            total = sum_of([child_right[i], *(-(entry * slope[j]) for j, entry in entries if entry is not None)])
            for place, factor in child.hitch[0][i].items():
                own[place] = own[place] + factor * total

    def _substitute(self, right: dict[int, Slopes], slope: dict[int, Slopes]) -> dict[int, SX]:
        """Back substitution, root first."""
        result: dict[int, SX] = {}
        values: dict[int, dict[int, SX]] = {}
        for solution in reversed(self.units.values()):
            own: dict[int, SX] = {}
            if solution.hitch is not None:
                assert solution.unit.parent is not None
                above = values[id(solution.unit.parent)]
                for i, row in enumerate(solution.hitch[0]):
                    own[i] = sum_of([slope[id(solution.unit)][i], *(factor * above[j] for j, factor in row.items())])
            for pivot in reversed(solution.pivots):
                value = pivot.inverse * right[id(solution.unit)][pivot.column]
                for j, factor in pivot.row.items():
                    if not factor.is_zero():
                        value = value - factor * own[j]
                own[pivot.column] = value
            # a cut: the slopes are used by many expressions, and stay short in them
            columns = list(own)
            own = dict(zip(columns, self.system.calls.alias("sensitivity", [own[c] for c in columns]), strict=True))
            values[id(solution.unit)] = own
            symbols = list(solution.columns)
            for loop in solution.unit.loops:
                symbols += loop.multipliers
            for i in range(solution.reduced.n_root, len(symbols)):
                result[key(symbols[i])] = own[i]
        return result


def _replay(solution: UnitSolution, right: Slopes) -> None:
    """Apply the elimination of the unit to another right-hand side."""
    for pivot in solution.pivots:
        scaled = pivot.inverse * right[pivot.column]
        for i, factor in pivot.below.items():
            if not factor.is_zero():
                right[i] = right[i] - factor * scaled
