"""Equations of motion: Kane's method by automatic differentiation, units joined recursively.

For every unit (a body with its axles) the speeds w = (root twist, own speeds) give partial velocities

    V = ∂v/∂w,  Ω = ∂ω/∂w,     a = V ẇ + ā,   ā = D v + ω_axes × v                                      (1)

with D the time derivative along q̇ at constant w.  Projecting Newton-Euler of every body and every load,

    Σ_b [ m VᵀV + ΩᵀIΩ ] ẇ = Σ Vᵀ(F - m(ā - g)) + Ωᵀ(T - I ω̄ - ω × H)                                   (2)

is a symmetric system A ẇ = b.  An inerter between two points whose distance changes with ḋ resists d̈ with its
inertance b, and so adds to (2)

    b rᵀr ẇ = - b rᵀ r̄,   ḋ = r w,   r̄ = D ḋ                                                            (3)

Own speeds are eliminated leaf first (minimum degree, so that an arrow matrix has no
fill-in); what remains on the root, A* and b*, is the unit's articulated inertia and bias wrench, added to the carrying
unit at its hitch frame: A += JᵀA*J, b += Jᵀ(b* - A* ā_hitch).  The number of operations grows linearly with the number
of units and, within a unit, with the number of its axles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jounce.core.errors import ModelError
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import Differentiator, TimeDerivative, add_entry, key
from jounce.symbolic.frames import Frame, Vector, cross, dot, times

if TYPE_CHECKING:
    from jounce.symbolic.loops import Loop
    from jounce.symbolic.system import Declared, Speed, System, Unit

Row = dict[int, SX]  # column -> entry


@dataclass
class Equations:
    """A w' = b of one unit.

    Columns: root twist, own independent speeds, other states solved with them, multipliers of loop constraints.
    A symmetric system keeps its lower triangle only.
    """

    unit: Unit
    speeds: list[Speed]
    n_root: int
    names: list[str]  # of all columns
    n_multipliers: int = 0
    symmetric: bool = True
    matrix: dict[tuple[int, int], SX] = field(default_factory=dict)
    right: list[SX] = field(default_factory=list)

    def entry(self, i: int, j: int) -> SX | None:
        return self.matrix.get((j, i) if self.symmetric and i < j else (i, j))

    def add_matrix(self, i: int, j: int, value: SX) -> None:
        """Add to (i, j) and, off the diagonal, to (j, i)."""
        if i < j:
            i, j = j, i
        self._add(i, j, value)
        if not self.symmetric and i != j:
            self._add(j, i, value)

    def add_one(self, i: int, j: int, value: SX) -> None:
        """Add to (i, j) only: not in a symmetric system."""
        assert not self.symmetric
        self._add(i, j, value)

    def _add(self, i: int, j: int, value: SX) -> None:
        if not value.is_zero():
            self.matrix[i, j] = self.matrix[i, j] + value if (i, j) in self.matrix else value

    def add_right(self, i: int, value: SX) -> None:
        self.right[i] = self.right[i] + value


@dataclass
class Pivot:
    column: int
    inverse: SX
    row: Row  # entries of the pivot row, divided by the pivot, on columns not yet eliminated
    right: SX  # right-hand side divided by the pivot
    below: Row  # entries of the pivot column on rows not yet eliminated
    diagonal: SX  # inertia before elimination: the scale of the pivot's rounding


@dataclass
class Form:
    """Which linear system is solved. The default is the dynamics with loop constraints on acceleration level."""

    symmetric: bool = True
    dynamics: bool = True  # False: no inertia forces and loads, only the right-hand sides of the constraints
    # rows below the mass matrix: (G of the lower row, right-hand side) of each constraint equation
    lower: Callable[[UnitKinematics, Loop], tuple[list[Row], list[SX]]] | None = None
    extra: Callable[[Unit], list[Declared]] | None = None  # other states solved together with the speeds
    extend: Callable[[UnitKinematics, Equations], None] | None = None  # implicit terms


@dataclass
class UnitSolution:
    """What is left of a unit after ``solve``, so that the same elimination can be applied to other right-hand sides."""

    unit: Unit
    columns: list[SX]  # root twist, own speeds, other states
    matrix: dict[tuple[int, int], SX]  # own part, before units were joined and anything was eliminated
    right: list[SX]
    reduced: Equations  # after elimination: A*, b* on the root
    pivots: list[Pivot]
    hitch: tuple[list[Row], Vector] | None = None  # J of its hitch in the carrying unit, and bias
    values: dict[int, SX] = field(default_factory=dict)  # solution by column

    @property
    def load(self) -> list[SX]:
        """What the unit does to its carrier at its root: b* - A* (a, α)."""
        result = []
        for i in range(self.reduced.n_root):
            entries = ((j, self.reduced.entry(i, j)) for j in range(self.reduced.n_root))
            result.append(self.reduced.right[i] - sum_of([e * self.values[j] for j, e in entries if e is not None]))
        return result


@dataclass
class Solved:
    """Derivatives of the independent speeds, and what is needed to check or inspect the equations."""

    accelerations: dict[int, SX]  # key of speed (and of other states solved with them) -> expression
    pivots: list[tuple[str, SX, SX]]  # speed name, pivot of the elimination (must be > 0), inertia before elimination
    units: list[UnitSolution]  # leaves first
    multipliers: dict[int, SX] = field(default_factory=dict)  # key of multiplier symbol -> expression


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
        return self.rows_linear(velocity, f"the velocity of frame {frame.name!r}")

    def check_own(self, expressions: Sequence[SX], what: str) -> None:
        """Refuse expressions that read speeds of other units, other than through the root."""
        found = self.system.calls.reachable(ca.vertcat(*expressions), cut=self.unit.root_twist)
        for k, name in self._foreign.items():
            if k in found:
                raise ModelError(
                    f"{what} of unit {self.unit.name!r} contains speed {name!r} of another unit; put both in one unit"
                )

    def rows_linear(self, expressions: Sequence[SX], what: str) -> list[Row]:
        """Derivatives of expressions that must be linear in the speeds, one row each."""
        rows = self.differentiator.rows(expressions)
        entries = [e for row in rows for e in row.values()]
        if entries:
            for symbol in ca.symvar(ca.vertcat(*entries)):
                if key(symbol) in self._all_speeds:
                    raise ModelError(f"{what} is not linear in speed {self._all_speeds[key(symbol)]!r}")
        return rows

    def bias(self, velocity: Sequence[SX]) -> list[SX]:
        """Time derivative at constant speeds."""
        column = self.bias_rate(ca.vertcat(*velocity))
        return [column[i] for i in range(len(velocity))]


def solve(system: System, dependent: set[int], form: Form | None = None) -> Solved:
    """Derivatives of all independent speeds as expressions of states, inputs and parameters."""
    form = form or Form()
    units: dict[int, UnitSolution] = {}
    named_pivots: list[tuple[str, SX, SX]] = []

    for unit in _leaves_first(system.units[0]):
        kinematics = UnitKinematics(system, unit, dependent)
        extra = form.extra(unit) if form.extra else []
        eq = assemble(kinematics, form, extra)
        own_matrix, own_right = dict(eq.matrix), list(eq.right)
        for child in unit.children:
            units[id(child)].hitch = _join(kinematics, eq, child, units[id(child)].reduced, form)
        pivots = eliminate(eq)
        columns = [*kinematics.columns, *(z.symbol for z in extra)]
        units[id(unit)] = UnitSolution(unit, columns, own_matrix, own_right, eq, pivots)
        n_mechanical = eq.n_root + len(eq.speeds)
        named_pivots += [(eq.names[p.column], 1 / p.inverse, p.diagonal) for p in pivots if p.column < n_mechanical]

    accelerations: dict[int, SX] = {}
    multipliers: dict[int, SX] = {}
    for unit in _root_first(system.units[0]):
        solution = units[id(unit)]
        values = solution.values
        if unit.parent is not None:
            assert solution.hitch is not None
            rows, bias = solution.hitch
            above = units[id(unit.parent)].values
            root = [_row_times(row, above) + bias[i] for i, row in enumerate(rows)]
            # A named cut: the root acceleration is used by every row of the back substitution.
            for i, symbol in enumerate(system.calls.alias(f"{unit.name}.root acceleration", root)):
                values[i] = symbol
        for pivot in reversed(solution.pivots):
            values[pivot.column] = pivot.right - _row_times(pivot.row, values)
        for i in range(solution.reduced.n_root, len(solution.columns)):
            accelerations[key(solution.columns[i])] = values[i]
        column = len(solution.columns)
        for loop in unit.loops:
            for symbol in loop.multipliers:
                multipliers[key(symbol)] = values[column]
                column += 1
    return Solved(accelerations, named_pivots, list(units.values()), multipliers)


def assemble(kinematics: UnitKinematics, form: Form | None = None, extra: Sequence[Declared] = ()) -> Equations:
    """(2) for the bodies, loads and loop constraints of one unit."""
    form = form or Form()
    unit = kinematics.unit
    names = [f"{unit.name}.root"] * len(unit.root_twist) + [s.name for s in (*kinematics.speeds, *extra)]
    multipliers = [f"multiplier {i} of {loop.name}" for loop in unit.loops for i in range(len(loop.multipliers))]
    eq = Equations(
        unit,
        kinematics.speeds,
        len(unit.root_twist),
        names + multipliers,
        n_multipliers=len(multipliers),
        symmetric=form.symmetric,
        right=[ca.SX(0)] * (len(names) + len(multipliers)),
    )
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
            if form.dynamics:
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
        if form.dynamics:
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
            if form.dynamics:
                _add_projection(eq, [spin], [-rotor.inertia * (dot(rotor.axis, w_bias) + spin_bias)])
                _add_projection(eq, [along], [-rotor.inertia * spin_bias])

    for inerter in unit.inerters:
        rows = kinematics.rows_linear([inerter.rate], f"the rate of inerter {inerter.name!r}")
        _add_gram(eq, rows, rows, inerter.inertance)
        if form.dynamics:
            _add_projection(eq, rows, [-inerter.inertance * x for x in kinematics.bias([inerter.rate])])  # (3)
    _add_loops(kinematics, eq, form)
    if form.dynamics:
        for rows, vector in load_projections(kinematics, angular_of):
            _add_projection(eq, rows, vector)
    if form.extend is not None:
        form.extend(kinematics, eq)
    return eq


def load_projections(
    kinematics: UnitKinematics,
    angular_of: Callable[[Frame], tuple[list[Row], Vector]] | None = None,
    implicit_only: bool = False,
) -> Iterator[tuple[list[Row], list[SX]]]:
    """Loads of a unit as (partial velocities, vector): their part of b is rowsᵀ vector."""
    unit, system = kinematics.unit, kinematics.system
    for (_, implicit), (frame, force, moment) in unit.forces.items():
        if implicit_only and not implicit:
            continue
        if any(not f.is_zero() for f in force):
            yield kinematics.partials(frame.v_native, frame), force
        if any(not m.is_zero() for m in moment):
            yield (angular_of(frame)[0] if angular_of else kinematics.partials(frame.w, frame)), moment

    for (k, implicit), value in system.generalized.items():
        owner = next((s for s in unit.speeds if key(s.symbol) == k), None)
        if owner is not None and (implicit or not implicit_only):
            # a dependent speed is projected through its definition, an independent one is its own column
            yield kinematics.differentiator.rows([owner.symbol]), [value]


def _add_loops(kinematics: UnitKinematics, eq: Equations, form: Form) -> None:
    """Borders [A Gᵀ; G 0] of the loop constraints."""
    column = len(eq.names) - eq.n_multipliers
    for loop in kinematics.unit.loops:
        upper = loop.jacobian(kinematics)
        lower, right = form.lower(kinematics, loop) if form.lower else loop.on_acceleration_level(kinematics)
        for up, low, value in zip(upper, lower, right, strict=True):
            if eq.symmetric:
                for j, factor in up.items():
                    eq.add_matrix(column, j, factor)
            else:
                for j, factor in up.items():
                    eq.add_one(j, column, factor)
                for j, factor in low.items():
                    eq.add_one(column, j, factor)
            eq.add_right(column, value)
            column += 1


def eliminate(eq: Equations) -> list[Pivot]:
    """Eliminate everything but the root, leaf first; the root part of ``eq`` becomes A* and b*.

    Multipliers come last: their pivots exist only after the speeds they act on are gone.
    """
    n = len(eq.names)
    first_multiplier = n - eq.n_multipliers
    neighbours: dict[int, set[int]] = {i: set() for i in range(n)}
    for i, j in eq.matrix:
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    remaining = set(range(eq.n_root, n))
    diagonal = {k: eq.matrix.get((k, k), ca.SX(0)) for k in remaining}
    pivots: list[Pivot] = []

    def value(i: int, j: int) -> SX:
        found = eq.entry(i, j)
        return ca.SX(0) if found is None else found

    while remaining:
        # Minimum degree; among equals the last declared, which is farthest from the root.
        k = min(remaining, key=lambda c: (c >= first_multiplier, len(neighbours[c]), -c))
        remaining.discard(k)
        if (k, k) not in eq.matrix:
            if k >= first_multiplier:
                raise ModelError(f"{eq.names[k]}: the constraint moves nothing that has inertia; remove it")
            raise ModelError(
                f"singular mass matrix: speed {eq.names[k]!r} moves no mass and no inertia; "
                "give a body that moves with it mass or inertia, or remove the coordinate"
            )
        inverse = 1 / eq.matrix[k, k]
        around = sorted(neighbours[k])
        row = {i: inverse * value(k, i) for i in around}
        below = {i: value(i, k) for i in around}
        scaled = inverse * eq.right[k]
        for a, i in enumerate(around):
            if below[i].is_zero():
                continue
            for j in around[: a + 1] if eq.symmetric else around:
                if not row[j].is_zero():
                    eq._add(i, j, -(below[i] * row[j]))
            eq.add_right(i, -(below[i] * scaled))
        for i in around:
            neighbours[i].discard(k)
            neighbours[i].update(x for x in around if x != i)
        pivots.append(Pivot(k, inverse, row, scaled, below, diagonal[k]))
    return pivots


def _join(
    kinematics: UnitKinematics, eq: Equations, child: Unit, child_eq: Equations, form: Form
) -> tuple[list[Row], Vector]:
    """Add a child's articulated inertia and bias wrench at its hitch frame."""
    frame = child.hitch
    assert frame is not None
    rows = kinematics.partials(frame.v, frame) + kinematics.partials(frame.w, frame)
    bias = kinematics.bias(frame.v) + kinematics.bias(frame.w) if form.dynamics else [ca.SX(0)] * 6
    wrench = []
    product: list[Row] = []
    for i in range(6):
        entries = {j: child_eq.entry(i, j) for j in range(6)}
        present = {j: value for j, value in entries.items() if value is not None}
        wrench.append(child_eq.right[i] - sum_of([value * bias[j] for j, value in present.items()]))
        row: Row = {}
        for j, value in present.items():
            for column, factor in rows[j].items():
                add_entry(row, column, value * factor)
        product.append(row)
    if eq.symmetric:
        _add_gram(eq, rows, product, ca.SX(1))
    else:
        for left, right in zip(rows, product, strict=True):
            for i, x in left.items():
                for j, y in right.items():
                    eq.add_one(i, j, x * y)
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
