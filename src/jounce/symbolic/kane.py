"""Equations of motion: Kane's method by automatic differentiation, units joined recursively.

For every unit (a body with its axles) the speeds w = (root twist, own speeds) give partial velocities

    V = ∂v/∂w,  Ω = ∂ω/∂w,     a = V ẇ + ā,   ā = D v + ω_axes × v                                      (1)

with D the time derivative along q̇ at constant w.  Projecting Newton-Euler of every body and every load,

    Σ_b [ m VᵀV + ΩᵀIΩ ] ẇ = Σ Vᵀ(F - m(ā - g)) + Ωᵀ(T - I ω̄ - ω × H)                                   (2)

is a symmetric system A ẇ = b.  Own speeds are eliminated leaf first (minimum degree, so that an arrow matrix has no
fill-in); what remains on the root, A* and b*, is the unit's articulated inertia and bias wrench, added to the carrying
unit at its hitch frame: A += JᵀA*J, b += Jᵀ(b* - A* ā_hitch).  The number of operations grows linearly with the number
of units and, within a unit, with the number of its axles.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jounce.core.errors import ModelError
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import Differentiator, TimeDerivative, key
from jounce.symbolic.frames import Frame, Vector, cross, dot, times

if TYPE_CHECKING:
    from jounce.symbolic.system import Speed, System, Unit

Row = dict[int, SX]  # column -> entry


@dataclass
class Equations:
    """A w' = b of one unit; columns 0..n_root-1 are the root twist, the rest own independent speeds."""

    unit: Unit
    speeds: list[Speed]
    n_root: int
    matrix: dict[tuple[int, int], SX] = field(default_factory=dict)  # lower triangle (i >= j)
    right: list[SX] = field(default_factory=list)

    def add_matrix(self, i: int, j: int, value: SX) -> None:
        if value.is_zero():
            return
        k = (i, j) if i >= j else (j, i)
        self.matrix[k] = self.matrix[k] + value if k in self.matrix else value

    def add_right(self, i: int, value: SX) -> None:
        self.right[i] = self.right[i] + value


@dataclass
class Pivot:
    column: int
    inverse: SX
    row: Row  # entries of the pivot row on columns not yet eliminated
    right: SX  # right-hand side divided by the pivot
    diagonal: SX  # inertia before elimination: the scale of the pivot's rounding


@dataclass
class Solved:
    """Derivatives of the independent speeds, and what is needed to check or inspect the equations."""

    accelerations: dict[int, SX]  # key of speed -> expression
    pivots: list[tuple[str, SX, SX]]  # speed name, pivot of the elimination (must be > 0), inertia before elimination
    equations: list[Equations]


class UnitKinematics:
    """Partial velocities and bias accelerations within one unit."""

    def __init__(self, system: System, unit: Unit, dependent: set[int]) -> None:
        self.system = system
        self.unit = unit
        self.speeds = [s for s in unit.speeds if key(s.symbol) not in dependent]
        self.columns = [*unit.root_twist, *(s.symbol for s in self.speeds)]
        self.differentiator = Differentiator(system.calls, self.columns)
        independent = {key(s.symbol): ca.SX(0) for s in system.speeds if key(s.symbol) not in dependent}
        root = {key(s): ca.SX(0) for s in unit.root_twist}
        # dependent speeds are aliases by now: their bias follows from their definition
        forbidden = {k: why for k, why in system.unmoving.items() if k not in dependent}
        self.bias_rate = TimeDerivative(system.calls, {**system.rates, **independent, **root}, forbidden)
        self._own = {key(c) for c in self.columns}
        self._foreign = {
            key(s.symbol): s.name
            for s in system.speeds
            if key(s.symbol) not in self._own and key(s.symbol) not in dependent
        }
        self._all_speeds = {key(s.symbol): s.name for s in system.speeds}

    def partials(self, velocity: Vector, frame: Frame) -> list[Row]:
        """∂velocity/∂w, one row per component."""
        for symbol in ca.symvar(ca.vertcat(*velocity)):
            if key(symbol) in self._foreign:
                raise ModelError(
                    f"frame {frame.name!r} of unit {self.unit.name!r} moves with speed "
                    f"{self._foreign[key(symbol)]!r} of another unit; put both in one unit"
                )
        rows = self.differentiator.rows(velocity)
        entries = [e for row in rows for e in row.values()]
        if entries:
            for symbol in ca.symvar(ca.vertcat(*entries)):
                if key(symbol) in self._all_speeds:
                    raise ModelError(
                        f"the velocity of frame {frame.name!r} is not linear in speed {self._all_speeds[key(symbol)]!r}"
                    )
        return rows

    def bias(self, velocity: Vector) -> Vector:
        column = self.bias_rate(ca.vertcat(*velocity))
        return [column[i] for i in range(3)]


def solve(system: System, dependent: set[int]) -> Solved:
    """Derivatives of all independent speeds as expressions of states, inputs and parameters."""
    equations: dict[int, Equations] = {}
    pivots: dict[int, list[Pivot]] = {}
    hitch: dict[int, tuple[list[Row], Vector]] = {}  # unit -> (J of its hitch in the carrying unit, bias)
    named_pivots: list[tuple[str, SX, SX]] = []

    for unit in _leaves_first(system.units[0]):
        kinematics = UnitKinematics(system, unit, dependent)
        eq = assemble(kinematics)
        for child in unit.children:
            rows, bias = _join(kinematics, eq, child, equations[id(child)])
            hitch[id(child)] = (rows, bias)
        pivots[id(unit)] = eliminate(eq)
        equations[id(unit)] = eq
        own = {eq.n_root + i: s.name for i, s in enumerate(eq.speeds)}
        named_pivots += [(own[p.column], 1 / p.inverse, p.diagonal) for p in pivots[id(unit)]]

    accelerations: dict[int, SX] = {}
    solved: dict[int, dict[int, SX]] = {}  # unit -> values by column
    for unit in _root_first(system.units[0]):
        eq = equations[id(unit)]
        values: dict[int, SX] = {}
        if unit.parent is not None:
            rows, bias = hitch[id(unit)]
            root = [_row_times(row, solved[id(unit.parent)]) + bias[i] for i, row in enumerate(rows)]
            # A named cut: the root acceleration is used by every row of the back substitution.
            for i, symbol in enumerate(system.calls.alias(f"{unit.name}.root acceleration", root)):
                values[i] = symbol
        for pivot in reversed(pivots[id(unit)]):
            values[pivot.column] = pivot.right - _row_times(pivot.row, values)
        solved[id(unit)] = values
        for i, speed in enumerate(eq.speeds):
            accelerations[key(speed.symbol)] = values[eq.n_root + i]
    return Solved(accelerations, named_pivots, list(equations.values()))


def assemble(kinematics: UnitKinematics) -> Equations:
    """(2) for the bodies and loads of one unit."""
    unit, system = kinematics.unit, kinematics.system
    n = len(kinematics.columns)
    eq = Equations(unit, kinematics.speeds, len(unit.root_twist), right=[ca.SX(0)] * n)
    angular: dict[int, tuple[list[Row], Vector]] = {}

    def angular_of(frame: Frame) -> tuple[list[Row], Vector]:
        if id(frame) not in angular:
            angular[id(frame)] = (kinematics.partials(frame.w, frame), kinematics.bias(frame.w))
        return angular[id(frame)]

    for body in unit.bodies:
        if not body.mass.is_zero():
            v, axes_w, gravity = body.velocity
            rows = kinematics.partials(v, body.frame)
            a = [x + y - g for x, y, g in zip(kinematics.bias(v), cross(axes_w, v), gravity, strict=True)]
            _add_gram(eq, rows, rows, body.mass)
            _add_projection(eq, rows, [-body.mass * x for x in a])
        has_inertia = any(not e.is_zero() for row in body.inertia for e in row)
        if not has_inertia and not body.rotors:
            continue
        rows, w_bias = angular_of(body.frame)
        w = body.frame.w
        momentum = times(body.inertia, w)
        for rotor in body.rotors:
            momentum = [h + rotor.inertia * rotor.spin * s for h, s in zip(momentum, rotor.axis, strict=True)]
        if has_inertia:
            columns = sorted({j for row in rows for j in row})
            turned = [
                {j: sum_of([body.inertia[i][k] * rows[k][j] for k in range(3) if j in rows[k]]) for j in columns}
                for i in range(3)
            ]
            _add_gram(eq, rows, turned, ca.SX(1))
        torque = [-x - y for x, y in zip(times(body.inertia, w_bias), cross(w, momentum), strict=True)]
        _add_projection(eq, rows, torque)
        for rotor in body.rotors:
            # one row and a bias as for any velocity: the spin may be a dependent speed (a wheel that rolls)
            spin = kinematics.differentiator.rows([rotor.spin])[0]
            spin_bias = kinematics.bias_rate(rotor.spin)
            along = {
                j: sum_of([rotor.axis[k] * rows[k][j] for k in range(3) if j in rows[k]])
                for j in sorted({j for row in rows for j in row})
            }
            _add_gram(eq, [spin, spin, along], [spin, along, spin], rotor.inertia)
            _add_projection(eq, [spin], [-rotor.inertia * (dot(rotor.axis, w_bias) + spin_bias)])
            _add_projection(eq, [along], [-rotor.inertia * spin_bias])

    for frame, force, moment in unit.forces.values():
        if any(not f.is_zero() for f in force):
            own_axes = frame.native_axes is frame
            native = force if own_axes else times(frame.rotation, force)
            _add_projection(eq, kinematics.partials(frame.v_native, frame), native)
        if any(not m.is_zero() for m in moment):
            _add_projection(eq, angular_of(frame)[0], moment)

    positions = {key(c): i for i, c in enumerate(kinematics.columns)}
    for k, value in system.generalized.items():
        owner = next((s for s in unit.speeds if key(s.symbol) == k), None)
        if owner is None:
            continue
        if k in positions:
            eq.add_right(positions[k], value)
        else:  # a dependent speed: project through its definition
            _add_projection(eq, kinematics.differentiator.rows([owner.symbol]), [value])
    return eq


def eliminate(eq: Equations) -> list[Pivot]:
    """Eliminate all own speeds leaf first; the root part of ``eq`` becomes A* and b*."""
    n = eq.n_root + len(eq.speeds)
    neighbours: dict[int, set[int]] = {i: set() for i in range(n)}
    for i, j in eq.matrix:
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    remaining = set(range(eq.n_root, n))
    diagonal = {k: eq.matrix.get((k, k), ca.SX(0)) for k in remaining}
    pivots: list[Pivot] = []

    def entry(i: int, j: int) -> SX:
        return eq.matrix.get((i, j) if i >= j else (j, i), ca.SX(0))

    while remaining:
        # Minimum degree; among equals the last declared, which is farthest from the root.
        k = min(remaining, key=lambda c: (len(neighbours[c]), -c))
        remaining.discard(k)
        if (k, k) not in eq.matrix:
            raise ModelError(
                f"singular mass matrix: speed {eq.speeds[k - eq.n_root].name!r} moves no mass and no inertia; "
                "give a body that moves with it mass or inertia, or remove the coordinate"
            )
        inverse = 1 / eq.matrix[k, k]
        around = sorted(neighbours[k])
        row = {i: inverse * entry(i, k) for i in around}
        scaled = inverse * eq.right[k]
        for a, i in enumerate(around):
            for j in around[: a + 1]:
                eq.add_matrix(i, j, -(entry(i, k) * row[j]))
            eq.add_right(i, -(entry(i, k) * scaled))
        for i in around:
            neighbours[i].discard(k)
            neighbours[i].update(x for x in around if x != i)
        pivots.append(Pivot(k, inverse, row, scaled, diagonal[k]))
    return pivots


def _join(kinematics: UnitKinematics, eq: Equations, child: Unit, child_eq: Equations) -> tuple[list[Row], Vector]:
    """Add a child's articulated inertia and bias wrench at its hitch frame."""
    frame = child.hitch
    assert frame is not None
    rows = kinematics.partials(frame.v, frame) + kinematics.partials(frame.w, frame)
    bias = kinematics.bias(frame.v) + kinematics.bias(frame.w)
    wrench = []
    product: list[Row] = []
    for i in range(6):
        entries = {j: child_eq.matrix.get((i, j) if i >= j else (j, i)) for j in range(6)}
        present = {j: value for j, value in entries.items() if value is not None}
        wrench.append(child_eq.right[i] - sum_of([value * bias[j] for j, value in present.items()]))
        row: Row = {}
        for j, value in present.items():
            for column, factor in rows[j].items():
                row[column] = row[column] + value * factor if column in row else value * factor
        product.append(row)
    _add_gram(eq, rows, product, ca.SX(1))
    _add_projection(eq, rows, wrench)
    return rows, bias


def _add_gram(eq: Equations, left: list[Row], right: list[Row], factor: SX) -> None:
    """A += factor · leftᵀ right (symmetric), lower triangle only."""
    columns = sorted({j for row in left for j in row} | {j for row in right for j in row})
    for a, i in enumerate(columns):
        for j in columns[: a + 1]:
            terms = [x[i] * y[j] for x, y in zip(left, right, strict=True) if i in x and j in y]
            if terms:
                eq.add_matrix(i, j, factor * sum_of(terms))


def _add_projection(eq: Equations, rows: list[Row], vector: Vector | list[SX]) -> None:
    """b += rowsᵀ vector."""
    for row, value in zip(rows, vector, strict=True):
        if value.is_zero():
            continue
        for column, factor in row.items():
            eq.add_right(column, factor * value)


def sum_of(terms: list[SX]) -> SX:
    total = ca.SX(0)
    for term in terms:
        total = total + term
    return total


def _row_times(row: Row, values: dict[int, SX]) -> SX:
    return sum_of([factor * values[column] for column, factor in row.items()])


def _leaves_first(unit: Unit) -> list[Unit]:
    order: list[Unit] = []
    for child in unit.children:
        order += _leaves_first(child)
    return [*order, unit]


def _root_first(unit: Unit) -> list[Unit]:
    return list(reversed(_leaves_first(unit)))
