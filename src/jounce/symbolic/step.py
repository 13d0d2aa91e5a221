"""Forms of a first-order step: linear-implicit Euler, and ways to meet loop constraints.

A step is emitted as a function of effective rates, x_{n+1} = x_n + h F_eff(x_n), so the runtime makes an Euler step
with them: one evaluation, one linear solve with a fixed elimination order, no iteration.

**Linear-implicit Euler** with a chosen Jacobian J (a W-method: any J keeps order 1) [Burgermeister2006]:

    (I - h J) Δ = F(y_n),  y_{n+1} = y_n + h Δ,  y = (q, u)                                               (1)

written with the mass matrix, K_u = ∂f/∂u and K_q = ∂f/∂q of the chosen loads with respect to the chosen states:

    kind            matrix of u̇                    right-hand side      q̇_eff         stable on q̈ = -a q - b q̇
    explicit        M                              f                    V u_n         as explicit Euler
    J3              M                              f + h K_q V u        V u_n         hb ≤ 2 and h²a ≤ 4 - 2hb
    J1              M - h K_u                      f + h K_q V u        V u_n         h²a ≤ 2hb + 4
    J2              M - h K_u - h² K_q V           f + h K_q V u        V u_n         always
    velocity-first  M - h K_u - h² K_q V           f                    V u_{n+1}     always
    exact           (1) with the exact Jacobian of all rates of the chosen states     always

**ROS2** (kind ros2) is the second-order member, two stages of one function k(x, r) = (I - g A)⁻¹(F + r), g = γ h, with
the exact rows q̇ = V u in A [Verwer1999].  With d = k - r no product with M is needed:

    (M - g K_u - g² K_q V) d_u = f + g K_q (V (u + g r_u) + r_q) + g K_u r_u,   k_q = V (u + g k_u) + r_q        (1a)

Other states z (tire slip) among the chosen ones are solved together with the speeds, rows (1 - h g_z) ż - ... = g.
The derivatives are exact and sparse, except that values declared ``slow`` are held; what couples a unit to speeds of
another unit, other than through its root, is left explicit.

Inertia forces, gravity and the change of Gᵀ λ with the position enter J in `exact` only.

**Loop constraints**: `index-1` (acceleration level, Baumgarte; also what the explicit methods use),

    index-2:  M u̇ + Gᵀ(q_n) λ = f,   G(q_{n+1}) u_{n+1} + α g(q_{n+1}) = 0,   q_{n+1} = q_n + h V u_n        (2)
    ggl:      q_{n+1} = q_n + h V u_n - V M⁻¹ Gᵀ μ with g(q_{n+1}) = 0 by one Newton step, then (2)          (3)

and `projection` after the step, in the metric of the mass matrix, one Newton step for q and a linear one for u:

    [M Gᵀ; G 0](Δ; μ) = (0; g(q)),  q ← q - V Δ;      [M Gᵀ; G 0](Δ; μ) = (0; G u + g_t),  u ← u - Δ       (4)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from jounce.core.errors import ModelError, did_you_mean
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import Alias, CallRegistry, Differentiator, TensorCall, add_entry, key
from jounce.symbolic.kane import Equations, Form, Row, UnitKinematics, eliminate, load_projections, solve, sum_of
from jounce.symbolic.leaf import LeafCall
from jounce.symbolic.loops import Loop

if TYPE_CHECKING:
    from jounce.symbolic.generate import Equations as SystemEquations
    from jounce.symbolic.system import Declared, System, Unit

KINDS = ("explicit", "J1", "J2", "J3", "velocity-first", "exact")  # of first order
SECOND_ORDER = ("ros2",)
GAMMA = 1 - 0.5**0.5  # of ROS2: L-stable
CONSTRAINTS = ("index-1", "index-2", "ggl")


@dataclass(frozen=True)
class Step:
    """How the emitted step treats stiffness and loops.

    Parameters
    ----------
    kind : one of explicit, J1, J2, J3, velocity-first, exact (method LI-Euler), or ros2 (method ROS2)
    states : names or patterns of the states whose influence on the loads is taken implicitly
    loads : "all", or "marked" for those added under ``System.implicit_loads()``
    constraints : index-1, index-2 or ggl
    """

    kind: str = "velocity-first"
    states: tuple[str, ...] = ("*",)
    loads: str = "all"
    constraints: str = "index-1"

    def __post_init__(self) -> None:
        for what, value, known in (
            ("kind", self.kind, KINDS + SECOND_ORDER),
            ("constraints", self.constraints, CONSTRAINTS),
            ("loads", self.loads, ("all", "marked")),
        ):
            if value not in known:
                raise ModelError(f"step: {what} = {value!r} is unknown{did_you_mean(value, known)}")
        if self.kind in ("exact", "ros2") and self.constraints != "index-1":
            raise ModelError(f"step: kind={self.kind!r} goes with constraints='index-1'; use J1 or J2 with the others")
        if self.kind == "velocity-first" and self.constraints != "index-1":
            raise ModelError(
                f"step: constraints={self.constraints!r} needs the new positions before the speeds, so it does not go "
                "with kind='velocity-first'; use kind='J2', which has the same stability limits"
            )


def step_rates(equations: SystemEquations, step: Step) -> list[SX]:
    """Effective rates of all states, in the order of the states; those of ros2 read ``equations.stage_symbols``."""
    if step.kind == "exact":
        return _exact_rates(equations, step)
    return _Builder(equations, step).rates()


class _Builder:
    def __init__(self, equations: SystemEquations, step: Step) -> None:
        self.equations, self.step = equations, step
        self.system: System = equations.system
        # the length that multiplies the Jacobian
        self.h = self.system.t_dt * GAMMA if step.kind == "ros2" else self.system.t_dt
        self.r = equations.stage_symbols if step.kind == "ros2" else {}
        self.chosen = {key(s.symbol) for s in _chosen(equations.states, step.states)}
        self.coordinates = [q for q in self.system.coordinates if key(q.symbol) in self.chosen]
        explicit = step.kind in ("J3", "explicit")
        self.by_unit = _assign_states(
            self.system, [] if explicit else [z for z in self.system.states if key(z.symbol) in self.chosen]
        )

    def rates(self) -> list[SX]:
        system, step, h = self.system, self.step, self.h
        position_rates = dict(system.coordinate_rates)
        moved: dict[int, SX] = {}
        if step.constraints != "index-1":
            # (2) and (3): G and g at the new positions, which are known before the speeds
            corrections = self._ggl_corrections() if step.constraints == "ggl" else {}
            for q in system.coordinates:
                k = key(q.symbol)
                position_rates[k] = position_rates[k] - corrections.get(k, ca.SX(0)) / h
                moved[k] = q.symbol + h * position_rates[k]
            moved.update(self._later())
        shift = Shift(system.calls, moved)
        implicit = step.kind != "explicit"
        form = Form(
            symmetric=not implicit and step.constraints == "index-1",
            lower=(lambda kinematics, loop: self._index_2(kinematics, loop, shift)) if moved else None,
            extra=(lambda unit: self.by_unit.get(id(unit), [])) if implicit else None,
            extend=self._extend if implicit else None,
        )
        solved = solve(system, self.equations.dependent, form).accelerations
        if self.r:  # d -> k for what is solved, and for what is explicit
            solved = {k: value + self.r[k] for k, value in solved.items()}
        if step.kind in ("velocity-first", "ros2") and not moved:
            for unit in system.units:
                columns = UnitKinematics(system, unit, self.equations.dependent)
                for q in system.coordinates:
                    k = key(q.symbol)
                    row = columns.differentiator.rows([system.coordinate_rates[k]])[0]
                    for j, factor in row.items():
                        if j >= len(unit.root_twist):
                            position_rates[k] = position_rates[k] + h * factor * solved[key(columns.columns[j])]
        rates = []
        for state, explicit in zip(self.equations.states, self.equations.rates, strict=True):
            k = key(state.symbol)
            if k in position_rates:
                rates.append(position_rates[k] + self.r.get(k, ca.SX(0)))
            else:
                rates.append(solved[k] if k in solved else explicit + self.r.get(k, ca.SX(0)))
        return rates

    def _extend(self, kinematics: UnitKinematics, eq: Equations) -> None:
        """Add -h K to the matrix and h K_q V u to the right-hand side."""
        system, step, h = self.system, self.step, self.h
        unit = kinematics.unit
        extra = self.by_unit.get(id(unit), [])
        n_root, n_speeds = eq.n_root, len(eq.speeds)
        everything = step.states == ("*",)
        speed_columns = [
            (j, c)
            for j, c in enumerate(kinematics.columns)
            if (j >= n_root and key(c) in self.chosen) or (j < n_root and everything and not self.r)
        ]
        symbols = [q.symbol for q in self.coordinates] + [c for _, c in speed_columns] + [z.symbol for z in extra]
        # the pose of the root moves with the root twist: what the unit that carries this one does to its loads
        carried = _root_motion(unit) if everything and not self.r else {}
        n_own = len(symbols)
        symbols += [symbol for symbol, _ in carried.values()]
        changes = [change for _, change in carried.values()]
        differentiator = Differentiator(system.calls, symbols, hold_slow=True)
        n_q = len(self.coordinates)
        target = [j for j, _ in speed_columns] + [n_root + n_speeds + i for i in range(len(extra))]
        motion = kinematics.differentiator.rows([system.coordinate_rates[key(q.symbol)] for q in self.coordinates])

        def terms(expression_row: Row) -> tuple[Row, SX]:
            """K of one expression over the unit's columns, and its change along V u."""
            k_row: Row = {}
            along = ca.SX(0)
            for d, value in expression_row.items():
                if d >= n_own:
                    for j, factor in changes[d - n_own].items():
                        along = along + value * factor * unit.root_twist[j]
                        if step.kind in ("J2", "velocity-first"):
                            add_entry(k_row, j, h * value * factor)
                elif d < n_q:
                    along = along + value * system.coordinate_rates[key(self.coordinates[d].symbol)]
                    if step.kind in ("J2", "velocity-first", "ros2"):
                        for j, factor in motion[d].items():
                            add_entry(k_row, j, h * value * factor)
                    if self.r:  # (1a)
                        along = along + value * self.r[key(self.coordinates[d].symbol)]
                        for j, factor in motion[d].items():
                            if j >= n_root:
                                along = along + value * h * factor * self.r[key(kinematics.columns[j])]
                elif step.kind != "J3":
                    j = target[d - n_q]
                    add_entry(k_row, j, value)
                    if self.r:
                        along = along + value * self.r[key(symbols[d])]
            return k_row, along if step.kind != "velocity-first" else ca.SX(0)

        for rows, vector in load_projections(kinematics, implicit_only=step.loads == "marked"):
            for partial, expression_row in zip(rows, differentiator.rows(list(vector)), strict=True):
                k_row, along = terms(expression_row)
                for i, factor in partial.items():
                    for j, value in k_row.items():
                        eq.add_one(i, j, -h * factor * value)
                    if not along.is_zero():
                        eq.add_right(i, h * factor * along)
        for number, z in enumerate(extra):
            column = n_root + n_speeds + number
            rate = system.state_rates[key(z.symbol)]
            k_row, along = terms(differentiator.rows([rate])[0])
            eq.add_one(column, column, ca.SX(1))
            for j, value in k_row.items():
                eq.add_one(column, j, -h * value)
            eq.add_right(column, rate + h * along)

    def _index_2(self, kinematics: UnitKinematics, loop: Loop, shift: Shift) -> tuple[list[Row], list[SX]]:
        """(2): rows G(q_{n+1}) and right-hand sides."""
        gain = self.system.loop_gains["loops.alpha_index2"]
        rows, right = [], []
        for row, velocity, g in zip(loop.jacobian(kinematics), loop.velocity, loop.g, strict=True):
            rows.append({j: shift(value) for j, value in row.items()})
            # shifted, the velocity is G(q_{n+1}) u_n + g_t(q_{n+1}, t_{n+1}): the speeds are not moved
            right.append(-(shift(velocity) + gain * shift(g)) / self.h)
        return rows, right

    def _later(self) -> dict[int, SX]:
        """Time and the inputs that have rates, one step later."""
        system, h = self.system, self.h
        result = {key(system.time): system.time + h}
        for item in system.inputs:
            k = key(item.symbol)
            if k in system.rates:
                rate = system.rates[k]
                second = system.rates.get(key(rate), ca.SX(0))
                result[k] = item.symbol + h * (rate + h / 2 * second)
        return result

    def _ggl_corrections(self) -> dict[int, SX]:
        """(3): V M⁻¹ Gᵀ μ for every coordinate, so that g vanishes at the predicted position."""
        system, h = self.system, self.h
        predicted = {key(q.symbol): q.symbol + h * system.coordinate_rates[key(q.symbol)] for q in system.coordinates}
        predicted.update(self._later())
        shift = Shift(system.calls, predicted)
        return projection(self.equations, lambda loop: [shift(g) for g in loop.g])[0]


def projection(equations: SystemEquations, target: Any) -> tuple[dict[int, SX], dict[int, SX]]:
    """(4): M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹ target, as changes of the coordinates and of the speeds (by key)."""
    system = equations.system
    form = Form(dynamics=False, lower=lambda kinematics, loop: (loop.jacobian(kinematics), target(loop)))
    change = solve(system, equations.dependent, form).accelerations
    coordinates: dict[int, SX] = {}
    for unit in system.units:
        kinematics = UnitKinematics(system, unit, equations.dependent)
        for q in system.coordinates:
            k = key(q.symbol)
            for j, factor in kinematics.differentiator.rows([system.coordinate_rates[k]])[0].items():
                if j >= len(unit.root_twist):
                    coordinates[k] = coordinates.get(k, ca.SX(0)) + factor * change[key(kinematics.columns[j])]
    return coordinates, change


def projected_states(equations: SystemEquations, of: str) -> list[SX]:
    """All states after (4) for the positions or for the velocities."""
    if of == "position":
        change = projection(equations, lambda loop: loop.g)[0]
    else:
        change = projection(equations, lambda loop: loop.velocity)[1]
    return [s.symbol - change[key(s.symbol)] if key(s.symbol) in change else s.symbol for s in equations.states]


class Shift:
    """Expressions at another place: base symbols replaced, calls made again with the new arguments."""

    def __init__(self, registry: CallRegistry, replacements: dict[int, SX]) -> None:
        self.registry, self.replacements = registry, replacements
        self._calls: dict[int, Any] = {}

    def __call__(self, expression: SX) -> SX:
        old, new = [], []
        for symbol in ca.symvar(expression):
            value = self._value(symbol)
            if value is not symbol:
                old.append(symbol)
                new.append(value)
        if not old:
            return expression
        return ca.substitute([expression], [ca.vertcat(*old)], [ca.vertcat(*new)])[0]

    def _value(self, symbol: SX) -> SX:
        k = key(symbol)
        if k in self.replacements:
            return self.replacements[k]
        owner = self.registry.owner(symbol)
        if owner is None:
            return symbol
        call, index = owner
        if isinstance(call, Alias):
            return self(call.args[index])
        if id(call) not in self._calls:
            args = [self(a) for a in call.args]
            if isinstance(call, TensorCall):
                self._calls[id(call)] = self.registry.tensor_call(
                    call.kind, call.slot, call.label, args, call.n_out, call.max_order
                )
            elif isinstance(call, LeafCall):
                self._calls[id(call)] = LeafCall(self.registry, call.leaf, args, call.table_slots)
        return self._calls[id(call)].symbol(index)


def _root_motion(unit: Unit) -> dict[int, tuple[SX, Row]]:
    """Pose and gravity symbols of a unit's root, each with its rate per component of the root twist (own axes):

    ṗ = R v,   Ṙ = R ω̃,   ġ = -ω × g.
    """
    result: dict[int, tuple[SX, Row]] = {}
    skew = ((1, 2), (2, 0), (0, 1))  # ω × e: component i of ω turns axis j into axis k
    if unit.root_pose:
        matrix = [unit.root_pose[3 + 3 * i : 6 + 3 * i] for i in range(3)]
        for i in range(3):
            result[key(unit.root_pose[i])] = (unit.root_pose[i], {j: matrix[i][j] for j in range(3)})
            for column in range(3):
                # (R ω̃)_ic = Σ_m R_im ε_mjc ω_j: column c of ω̃ is ω × e_c
                row: Row = {}
                for j, (a, b) in enumerate(skew):
                    if column == a:
                        row[3 + j] = matrix[i][b]
                    elif column == b:
                        row[3 + j] = -matrix[i][a]
                symbol = unit.root_pose[3 + 3 * i + column]
                result[key(symbol)] = (symbol, row)
    for i, symbol in enumerate(unit.root_gravity):
        a, b = skew[i]  # (ω × g)_i = ω_a g_b - ω_b g_a
        result[key(symbol)] = (symbol, {3 + a: -unit.root_gravity[b], 3 + b: unit.root_gravity[a]})
    return result


def _exact_rates(equations: SystemEquations, step: Step) -> list[SX]:
    """(1) with the exact Jacobian among the chosen states."""
    system, h = equations.system, equations.system.t_dt
    chosen = {key(s.symbol) for s in _chosen(equations.states, step.states)}
    index = [i for i, s in enumerate(equations.states) if key(s.symbol) in chosen]
    differentiator = Differentiator(system.calls, [equations.states[i].symbol for i in index])
    rows = differentiator.rows([equations.rates[i] for i in index])
    eq = Equations(
        system.units[0],
        [],
        0,
        [equations.states[i].name for i in index],
        # everything but the coordinates comes last: their rows have pivots near 1, whatever the stiffness
        n_multipliers=sum(i >= len(system.coordinates) for i in index),
        symmetric=False,
        right=[equations.rates[i] for i in index],
    )
    for r, row in enumerate(rows):
        eq.add_one(r, r, ca.SX(1))
        for c, value in row.items():
            eq.add_one(r, c, -h * value)
    values: dict[int, SX] = {}
    for pivot in reversed(eliminate(eq)):
        values[pivot.column] = pivot.right - sum_of([f * values[j] for j, f in pivot.row.items()])
    rates = list(equations.rates)
    for r, i in enumerate(index):
        rates[i] = values[r]
    return rates


def _chosen(states: Sequence[Declared], patterns: Sequence[str]) -> list[Declared]:
    names = [s.name for s in states]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ModelError(f"step: no state matches {pattern!r}{did_you_mean(pattern, names)}")
    return [s for s in states if any(fnmatchcase(s.name, pattern) for pattern in patterns)]


def _assign_states(system: System, states: Sequence[Declared]) -> dict[int, list[Declared]]:
    """The unit each state is solved in: that of the first own speed its rate reads, else the base."""
    owner = {key(s.symbol): unit for unit in system.units for s in unit.speeds}
    result: dict[int, list[Declared]] = {}
    for z in states:
        reachable = system.calls.reachable(system.state_rates[key(z.symbol)])
        # the innermost unit: speeds of carrying units are reached through the root twist
        units = [owner[k] for k in reachable if k in owner]
        unit = max(units, key=_depth, default=system.units[0])
        result.setdefault(id(unit), []).append(z)
    return result


def _depth(unit: Unit) -> int:
    return 0 if unit.parent is None else 1 + _depth(unit.parent)
