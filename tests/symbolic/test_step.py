"""Linear-implicit steps against (I - h J) Δ = F solved by numpy, with Jacobians by finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import ModelError, ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic import System, ops
from jounce.symbolic.calls import key
from jounce.symbolic.generate import derive, evaluate
from jounce.symbolic.step import KINDS, Step, step_rates
from models import Array, assert_close, smooth_table

H = 0.02  # s; large, so that every term of the step is seen
# Central differences of step 1e-5 of smooth functions of size 10: h²/6 and 1e-16/1e-5, times 10.
FD = 2e-8


def rates(system: System, step: Step | None, x: Sequence[float], h: float = H) -> Array:
    """Effective rates of a step (plain rates without) at a state, without compiling."""
    equations = derive(system)
    values = {key(s.symbol): float(v) for s, v in zip(equations.states, x, strict=True)}
    values[key(system.t_dt)] = h
    expressions = equations.rates if step is None else step_rates(equations, step)
    return np.array(evaluate(system, expressions, values))


def jacobian(function: Callable[[Array], Array], x: Array, d: float = 1e-5) -> Array:
    columns = [(function(x + d * e) - function(x - d * e)) / (2 * d) for e in np.eye(len(x))]
    return np.array(columns).T


def block(kind: str, J: Array, n: int, h: float = H) -> Array:
    """The approximate Jacobian of each kind from the exact one; n coordinates with q̇ = u, then the rest."""
    J = J.copy()
    m = len(J)
    if kind == "exact":
        return J
    J[:n] = 0
    if kind == "explicit":
        J[:] = 0
    elif kind == "J3":
        J[n:, n:] = 0
        J[2 * n :] = 0  # other states stay explicit
    elif kind == "J2":
        J[n:, n : 2 * n] += h * J[n:, :n]
    assert J.shape == (m, m)
    return J


def reference(kind: str, F: Callable[[Array], Array], x: Array, n: int, J: Array | None = None, h: float = H) -> Array:
    """Effective rates by numpy."""
    J = jacobian(F, x) if J is None else J
    if kind != "velocity-first":
        return np.linalg.solve(np.eye(len(x)) - h * block(kind, J, n, h), F(x))
    rest = J[n:, n:].copy()
    rest[:, :n] += h * J[n:, :n]
    change = np.linalg.solve(np.eye(len(rest)) - h * rest, F(x)[n:])
    return np.concatenate([x[n : 2 * n] + h * change[:n], change])


# --- a nonlinear system with two degrees of freedom and constant inertia ----------------------------------------------

M1, M2 = 2.0, 0.7
MASS = np.array([[M1 + M2, M2], [M2, M2]])


def soft(q: Any, u: Any, xp: Any) -> Any:
    return -30.0 * q - 12.0 * q**3 - 2.0 * u * xp.exp(-u * u) + 1.5 * xp.sin(q * u)


def stiff(q: Any, u: Any, xp: Any) -> Any:
    return -900.0 * xp.tanh(3 * q) - 25.0 * u - 4.0 * q * u


def two_carts(marked: bool = False, states: bool = False) -> System:
    """A cart on a cart: the lower one on a soft spring, a stiff element between the two."""
    s = System("carts", gravity=(0, 0, 0))
    a = s.prismatic("a", s.world)
    b = s.prismatic("b", a.frame)
    s.body("lower", a.frame, M1)
    s.body("upper", b.frame, M2)
    s.generalized_force(a.u[0], soft(a.q[0], a.u[0], ops))
    if marked:
        with s.implicit_loads():
            s.generalized_force(b.u[0], stiff(b.q[0], b.u[0], ops))
    else:
        s.generalized_force(b.u[0], stiff(b.q[0], b.u[0], ops))
    if states:
        z = s.state("z", "-")
        s.derivative(z, 40.0 * (b.u[0] + 0.3 * a.q[0] - z) - z**3)
        s.force(b.frame, (-8.0 * ops.tanh(z), 0, 0))
    return s


def carts(x: Array) -> Array:
    """The same, written by hand: x = (qa, qb, ua, ub[, z])."""
    qa, qb, ua, ub = x[:4]
    f = np.array([soft(qa, ua, np), stiff(qb, ub, np)])
    if len(x) == 4:
        return np.concatenate([x[2:4], np.linalg.solve(MASS, f)])
    z = x[4]
    f = f - 8.0 * np.tanh(z)  # a force on the upper cart moves both coordinates
    return np.concatenate([x[2:4], np.linalg.solve(MASS, f), [40.0 * (ub + 0.3 * qa - z) - z**3]])


X = np.array([0.4, -0.15, 0.7, -1.1])
XZ = np.array([*X, 0.35])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_its_linear_system(kind: str) -> None:
    assert_close(rates(two_carts(), Step(kind), X), reference(kind, carts, X, 2), FD * 50)


@pytest.mark.parametrize("kind", KINDS)
def test_other_states_are_solved_with_the_speeds(kind: str) -> None:
    assert_close(rates(two_carts(states=True), Step(kind), XZ), reference(kind, carts, XZ, 2), FD * 50)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_becomes_explicit_for_small_steps(kind: str) -> None:
    plain = carts(XZ)
    difference = [np.abs(rates(two_carts(states=True), Step(kind), XZ, h) - plain).max() for h in (1e-6, 5e-7)]
    if kind == "explicit":
        assert max(difference) < 1e-12
    else:
        assert difference[0] / difference[1] == pytest.approx(2.0, rel=1e-2)  # O(h): a consistent W-method


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_chosen_states_are_implicit(kind: str) -> None:
    """Columns (and, for `exact`, rows) of other states leave the Jacobian."""
    J = jacobian(carts, X)
    J[:, [0, 2]] = 0  # neither a.travel nor a.rate
    if kind == "exact":
        J[[0, 2], :] = 0
        expected = np.linalg.solve(np.eye(4) - H * J, carts(X))
    else:
        expected = reference(kind, carts, X, 2, J)
    found = rates(two_carts(), Step(kind, states=("b.*",)), X)
    assert_close(found, expected, FD * 50)


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "exact"])
def test_only_the_marked_loads_are_implicit(kind: str) -> None:
    def marked(x: Array) -> Array:
        return np.concatenate([x[2:4], np.linalg.solve(MASS, [0.0, stiff(x[1], x[3], np)])])

    expected = reference(kind, carts, X, 2, jacobian(marked, X))
    assert_close(rates(two_carts(marked=True), Step(kind, loads="marked"), X), expected, FD * 50)
    # marking changes nothing when all loads are taken
    assert_close(rates(two_carts(marked=True), Step(kind), X), rates(two_carts(), Step(kind), X), 1e-12)


def test_marked_loads_that_do_not_exist_leave_the_explicit_step() -> None:
    assert_close(rates(two_carts(), Step("J2", loads="marked"), X), carts(X), 1e-12)


def test_slow_values_are_held_in_the_approximate_jacobian() -> None:
    def system(slow: bool) -> System:
        s = System("held", gravity=(0, 0, 0))
        a = s.prismatic("a", s.world)
        s.body("a", a.frame, 2.0)
        factor = ops.exp(-a.q[0])
        s.generalized_force(a.u[0], -50.0 * a.u[0] * (s.slow("factor", factor) if slow else factor))
        return s

    q, u = 0.3, 0.8
    damping = 25.0 * np.exp(-q)
    expected = -damping * u / (1 + H * damping)  # without the derivative of the factor along q
    assert rates(system(True), Step("J2"), [q, u])[1] == pytest.approx(expected, rel=1e-14)
    with_it = (-damping * u + H * damping * u * u) / (1 + H * damping - H * H * damping * u)
    assert rates(system(False), Step("J2"), [q, u])[1] == pytest.approx(with_it, rel=1e-14)


# --- inertia that depends on the position -----------------------------------------------------------------------------


def cart_pendulum() -> System:
    s = System("cart_pendulum")
    cart = s.prismatic("cart", s.world)
    hinge = s.revolute("hinge", cart.frame, axis="y")
    s.body("cart", cart.frame, 3.0)
    s.body("bob", hinge.frame, 1.2, (0, 0.1, 0), (0, 0, -0.8))
    s.generalized_force(cart.u[0], -200.0 * cart.q[0] - 9.0 * cart.u[0])
    s.generalized_force(hinge.u[0], -60.0 * ops.sin(2 * hinge.q[0]) - 3.0 * hinge.u[0] * cart.q[0])
    return s


def test_exact_is_the_jacobian_of_everything() -> None:
    """Gravity, centrifugal terms and the changing mass matrix included."""
    x = np.array([0.2, 0.6, -0.5, 1.4])
    s = cart_pendulum()
    J = jacobian(lambda y: rates(s, None, y), x)
    assert_close(rates(s, Step("exact"), x), np.linalg.solve(np.eye(4) - H * J, rates(s, None, x)), FD * 100)


@pytest.mark.parametrize("kind", ["J1", "J2", "J3", "velocity-first"])
def test_the_other_kinds_take_the_loads_and_leave_inertia_forces_explicit(kind: str) -> None:
    x = np.array([0.2, 0.6, -0.5, 1.4])
    s = cart_pendulum()
    coupling = -1.2 * 0.8 * np.cos(x[1])  # x of the bob = q - 0.8 sin(angle) about y
    mass = np.array([[4.2, coupling], [coupling, 0.1 + 1.2 * 0.64]])
    loads = lambda y: np.array([-200 * y[0] - 9 * y[2], -60 * np.sin(2 * y[1]) - 3 * y[3] * y[0]])  # noqa: E731
    K = jacobian(loads, x)
    force = mass @ rates(s, None, x)[2:]
    matrix, right = mass.copy(), force.copy()
    if kind != "J3":
        matrix -= H * K[:, 2:]
    if kind in ("J2", "velocity-first"):
        matrix -= H * H * K[:, :2]
    if kind != "velocity-first":
        right += H * K[:, :2] @ x[2:]
    expected = np.linalg.solve(matrix, right)
    found = rates(s, Step(kind), x)
    assert_close(found[2:], expected, 1e-6)
    assert_close(found[:2], x[2:] + (H * expected if kind == "velocity-first" else 0), 1e-7)


def test_velocity_first_moves_a_free_body_with_its_new_speeds() -> None:
    """q̇_eff = V(q_n) u_{n+1}, quaternion included."""
    s = System("free", gravity=(0, 0, 0))
    body = s.free("body")
    s.body("body", body.frame, 2.0, (0.3, 0.4, 0.5))
    s.force(body.frame, [-40 * v for v in body.frame.v])
    s.torque(body.frame, [-6 * w for w in body.frame.w])
    names = [x.name for x in derive(s).states]
    x = np.zeros(len(names))
    x[[names.index(f"body.{n}") for n in ("e0", "e1", "e2", "e3")]] = 0.8, 0.2, -0.4, 0.4
    speeds = [names.index(f"body.{n}") for n in ("vx", "vy", "vz", "wx", "wy", "wz")]
    x[speeds] = 1.0, -2.0, 0.5, 0.3, -0.6, 0.9
    found = rates(s, Step("velocity-first"), x)
    later = x.copy()
    later[speeds] += H * found[speeds]
    others = [i for i in range(len(x)) if i not in speeds]
    assert_close(found[others], rates(s, None, later)[others], 1e-13)


# --- calls and units --------------------------------------------------------------------------------------------------


def test_derivatives_of_loads_go_through_tables() -> None:
    table = smooth_table(2, 1, seed=3)
    s = System("table", gravity=(0, 0, 0))
    a = s.prismatic("a", s.world)
    s.body("a", a.frame, 0.5)
    s.generalized_force(a.u[0], -30 * s.table("t", table)(a.q[0], a.u[0]))
    x = np.array([0.2, -0.3])
    force = lambda y: np.array([y[1], -60 * float(table(y[0], y[1]))])  # noqa: E731
    for kind in KINDS:
        assert_close(rates(s, Step(kind), x), reference(kind, force, x, 1), FD * 50)


def train(units: bool, absolute: bool) -> System:
    """A carriage with another behind it; the second is a unit of its own or not."""
    s = System("train", gravity=(0, 0, 0))
    a = s.prismatic("a", s.world)
    s.body("a", a.frame, 3.0)
    s.generalized_force(a.u[0], -90 * ops.sin(a.q[0]) - 5 * a.u[0])
    hitch = a.frame.fixed("hitch", (-1, 0, 0), (("z", 0.4),))
    root = s.unit("second", hitch) if units else hitch
    b = s.revolute("b", root, axis="z")
    s.body("b", b.frame, 1.5, (0, 0, 0.4), (-0.6, 0.1, 0))
    slide = s.prismatic("c", b.frame, axis="y")
    s.body("c", slide.frame, 0.5)
    s.generalized_force(b.u[0], -200 * b.q[0] - 2 * b.u[0] ** 3)
    # by its velocity, which contains that of the root
    v = b.frame.point_velocity((-0.5, 0, 0))
    s.force(b.frame, (-3 * v[0], -70 * ops.tanh(v[1]), 0), at=(-0.5, 0, 0))
    s.generalized_force(slide.u[0], -400 * slide.q[0] + 8 * b.q[0] * b.u[0])
    if absolute:
        s.force(slide.frame, (0, 0, -50 * slide.frame.position[0]), axes=s.world)
        s.force(slide.frame, (0, -50 * slide.frame.position[1] ** 2, 0), axes=s.world)
    return s


TRAIN = np.array([0.3, -0.2, 0.05, 1.1, 0.7, -0.4])


@pytest.mark.parametrize("kind", KINDS)
def test_units_with_implicit_loads_equal_the_flat_system(kind: str) -> None:
    flat, joined = (rates(train(units, absolute=False), Step(kind), TRAIN) for units in (False, True))
    assert_close(joined, flat, 1e-11)
    plain = rates(train(False, absolute=False), None, TRAIN)
    assert (np.abs(flat - plain).max() > 0.1) == (kind != "explicit")


@pytest.mark.parametrize("kind", ["J1", "J3", "exact"])
def test_loads_by_absolute_positions_in_units_equal_the_flat_system(kind: str) -> None:
    """J2 and velocity-first leave explicit how such loads change with the speeds of the carrying unit."""
    flat, joined = (rates(train(units, absolute=True), Step(kind), TRAIN) for units in (False, True))
    assert_close(joined, flat, 1e-11)


def test_a_state_is_solved_in_the_unit_that_it_reads() -> None:
    """A lag on the second carriage's velocity that acts back on it, with the second carriage as unit or not."""

    def lagged(units: bool) -> System:
        s = train(units, absolute=False)
        frame = s.units[-1].bodies[-1].frame
        z = s.state("z", "m/s")
        s.derivative(z, 60 * (frame.v[1] - z))
        s.force(frame, (0, -9 * z, 0))
        return s

    x = np.array([*TRAIN, 0.2])
    for kind in ("J1", "J2", "velocity-first", "exact"):
        flat, joined = (rates(lagged(units), Step(kind), x) for units in (False, True))
        assert_close(joined, flat, 1e-11)
        assert abs(flat[-1] - rates(lagged(False), None, x)[-1]) > 1  # it is implicit


# --- compiled ---------------------------------------------------------------------------------------------------------


def test_the_runtime_makes_an_euler_step_with_the_effective_rates() -> None:
    s = two_carts(states=True)
    sim = Simulation(build(s.generate(step=Step("J2"))), method="LI-Euler", step=H)
    sim.x[:] = XZ
    sim.advance()
    assert_close(sim.x, XZ + H * rates(s, Step("J2"), XZ), 1e-13)
    assert sim.method == "LI-Euler"
    # the same library still runs the explicit methods
    sim.set_method("Euler", H)
    sim.x[:] = XZ
    sim.advance()
    assert_close(sim.x, XZ + H * carts(XZ), 1e-13)


def test_a_stiff_system_runs_at_steps_where_explicit_euler_fails() -> None:
    library = build(two_carts(states=True).generate(step=Step("velocity-first")))
    ends = {}
    for method in ("Euler", "LI-Euler"):
        sim = Simulation(library, method=method, step=0.05)
        sim.x[:] = XZ
        run = sim.run(20.0, on_error="return")
        ends[method] = np.abs(sim.x).max() if run.status == "finished" else np.inf
    assert ends["LI-Euler"] < 1e-2  # at rest
    assert ends["Euler"] > 1


def test_the_linear_implicit_method_needs_a_step() -> None:
    with pytest.raises(ParameterError, match="was built without a linear-implicit step"):
        Simulation(build(two_carts()), method="LI-Euler")


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "J4"}, r"step: kind = 'J4' is unknown; did you mean 'J"),
        ({"kind": "velocity_first"}, r"did you mean 'velocity-first'"),
        ({"loads": "some"}, r"step: loads = 'some' is unknown"),
        ({"constraints": "index-3"}, r"step: constraints = 'index-3' is unknown; did you mean 'index-"),
        ({"kind": "exact", "constraints": "index-2"}, r"goes with constraints='index-1'"),
        ({"kind": "velocity-first", "constraints": "ggl"}, r"does not go with kind='velocity-first'; use kind='J2'"),
    ],
)
def test_unknown_and_impossible_choices_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Step(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["J1", "exact"])
def test_a_pattern_that_matches_no_state_is_refused(kind: str) -> None:
    s = two_carts()
    with pytest.raises(ModelError, match=r"step: no state matches 'c\.rate'; did you mean 'b\.rate'"):
        step_rates(derive(s), Step(kind, states=("a.*", "c.rate")))


@pytest.mark.parametrize("kind", ["J1", "J2", "J3", "velocity-first"])
def test_what_the_carrier_does_to_the_loads_of_a_unit_is_implicit_too(kind: str) -> None:
    """Loads of a trailer that depend on its place, attitude and velocity, behind a turning and tilting carrier."""

    def train(with_unit: bool) -> System:
        s = System("carried_unit" if with_unit else "carried_flat")
        car = s.free("car", initial=(0.3, -0.2, 0.5))
        s.body("car", car.frame, 3.0, (0.5, 0.7, 0.9))
        hitch = car.frame.fixed("hitch", (-1.0, 0.1, 0.2))
        root = s.unit("behind", at=hitch) if with_unit else hitch
        trailer = s.ball("trailer", root)
        s.body("trailer", trailer.frame, 2.0, (0.3, 0.4, 0.5), (-0.8, 0.0, 0.1))
        place = trailer.frame.point((-1.2, 0.3, 0.0))
        velocity = trailer.frame.to_world(trailer.frame.point_velocity((-1.2, 0.3, 0.0)))
        ground = [-900 * x - 30 * v for x, v in zip(place, velocity, strict=True)]
        s.force(trailer.frame, ground, at=(-1.2, 0.3, 0.0), axes=s.world)
        return s

    names = [s.name for s in derive(train(False)).states]
    rng = np.random.default_rng(7)
    values = dict(zip(names, rng.normal(size=len(names)), strict=True))
    rates = []
    for with_unit in (False, True):
        system = train(with_unit)
        equations = derive(system)
        assert [s.name for s in equations.states] == names
        numbers = {key(s.symbol): values[s.name] for s in equations.states} | {key(system.t_dt): 0.01}
        rates.append(np.array(evaluate(system, step_rates(equations, Step(kind)), numbers)))
    # the same linear system, eliminated in another order: rounding times its condition
    assert rates[1] == pytest.approx(rates[0], rel=1e-10, abs=1e-10)
