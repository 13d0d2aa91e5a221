"""Loop constraints: closed forms, joint forces, numpy solves, initialisation, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from jounce.core.constants import GRAVITY
from jounce.core.errors import ModelError, ParameterError
from jounce.runtime.program import Open, Phase, Program, Sine
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic import System, ops
from jounce.symbolic.calls import key
from jounce.symbolic.generate import derive, evaluate
from jounce.symbolic.step import Step, projected_states, step_rates
from models import Array, assert_close, compiled, outputs_by_name, set_initial, smooth_table

H = 0.02


def state_values(system: System, x: Sequence[float]) -> dict[int, float]:
    values = {key(s.symbol): float(v) for s, v in zip(derive(system).states, x, strict=True)}
    values[key(system.t_dt)] = H
    return values


def step(system: System, kind: str, constraints: str, x: Array, t: float = 0.0, **gains: float) -> Array:
    """The next state."""
    values = state_values(system, x)
    values[key(system.time)] = t
    for name, value in gains.items():
        values[key(system.loop_gains[f"loops.{name}"])] = value
    rates = evaluate(system, step_rates(derive(system), Step(kind, constraints=constraints)), values)
    return x + H * np.array(rates)


def project(system: System, of: str, x: Array) -> Array:
    return np.array(evaluate(system, projected_states(derive(system), of), state_values(system, x)))


# --- joint forces -----------------------------------------------------------------------------------------------------

MASS, LENGTH = 2.0, 1.5


def rod() -> System:
    """A point mass on a massless rod, as a constraint of its place."""
    s = System("rod")
    x, _ = s.coordinate("x")
    z, _ = s.coordinate("z", initial=-LENGTH)
    s.body("bob", s.world.guided("bob", (x, 0, z)), MASS)
    (force,) = s.loop("rod", [ops.sqrt(x * x + z * z) - LENGTH])
    s.output("tension", force, "N")
    s.output("g", ops.sqrt(x * x + z * z) - LENGTH, "m")
    return s


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_the_multiplier_of_a_rod_is_its_tension(angle: float) -> None:
    sim = compiled(rod())
    sin, cos, rate = math.sin(angle), math.cos(angle), 1.3
    x = np.array([LENGTH * sin, -LENGTH * cos, LENGTH * rate * cos, LENGTH * rate * sin])
    tension = MASS * (GRAVITY * cos + LENGTH * rate**2)
    assert sim.outputs(x=x)[0] == pytest.approx(tension, rel=1e-13)
    acceleration = -GRAVITY / LENGTH * sin  # of the angle
    along, across = np.array([sin, -cos]), np.array([cos, sin])
    expected = LENGTH * acceleration * across - LENGTH * rate**2 * along
    assert_close(sim.derivatives(x=x)[0][2:], expected, 1e-13 * GRAVITY * 10)


def compound(closed: bool) -> System:
    """A compound pendulum: on a revolute joint, or a free planar body held in a point."""
    s = System("closed" if closed else "open")
    centre = (0.2, 0.0, -0.7)
    if closed:
        x, _ = s.coordinate("x")
        z, _ = s.coordinate("z")
        hinge = s.revolute("hinge", s.world.guided("place", (x, 0, z)), axis="y")
        force = s.coincide("pin", hinge.frame, s.world, directions="xz")
    else:
        hinge = s.revolute("hinge", s.world, axis="y")
        force = []
    body = s.body("body", hinge.frame, 3.0, (0, 0.4, 0), centre)
    s.torque(hinge.frame, (0, 2.0, 0))
    s.output("acceleration", s.acceleration(hinge.u[0]), "rad/s2")
    if not force:  # Newton's law for the body
        a = hinge.frame.to_world(s.frame_acceleration(hinge.frame, centre))
        force = [body.mass * a[0], body.mass * (a[2] + GRAVITY)]
    for name, value in zip("xz", force, strict=True):
        s.output(f"force.{name}", value, "N")
    return s


def test_multipliers_of_a_coincidence_are_the_force_of_the_joint() -> None:
    closed, tree = compiled(compound(True)), compiled(compound(False))
    for angle, rate in ((0.0, 0.0), (0.8, -1.7), (-2.1, 3.0)):
        joint = outputs_by_name(tree, tree.outputs(x=[angle, rate]))
        loop = outputs_by_name(closed, closed.outputs(x=[0, 0, angle, 0, 0, rate]))
        for name, value in joint.items():
            assert loop[name] == pytest.approx(value, rel=1e-12, abs=1e-11), name


def test_the_two_pendulums_move_alike() -> None:
    closed, tree = (compiled(compound(c), method="AM-4", step=1e-3) for c in (True, False))
    for sim in (closed, tree):
        sim.set_states({"hinge.angle": 0.5, "hinge.rate": 2.0})
    closed.project = True
    closed.run(3.0, iprint=100)
    tree.run(3.0, iprint=100)
    # both are truncated at fourth order: 3 s · ω⁵ h⁴ · 59/2880 with ω = 5 rad/s and its harmonics
    assert closed.state("hinge.angle") == pytest.approx(tree.state("hinge.angle"), abs=1e-9)
    assert abs(closed.state("x")) < 1e-14


def test_a_loop_within_a_unit_equals_that_of_the_flat_system() -> None:
    def build_one(units: bool) -> System:
        s = System("crane")
        cart = s.prismatic("cart", s.world)
        s.body("cart", cart.frame, 5.0)
        s.force(cart.frame, (3.0, 0, 0))
        root = s.unit("arm", cart.frame) if units else cart.frame
        a = s.revolute("a", root, axis="y", initial=0.4)
        b = s.revolute("b", root, axis="y", offset=(0.5, 0, 0), initial=0.3)
        s.body("a", a.frame, 1.0, (0, 0.1, 0), (0, 0, -0.5))
        s.body("b", b.frame, 2.0, (0, 0.2, 0), (0, 0, -0.4))
        link = s.two_point(a.frame, b.frame, at_a=(0, 0, -1), at_b=(0, 0, -0.8))
        (force,) = s.loop("link", [link.length - 0.6], on=a.frame)
        s.output("force", force, "N")
        return s

    flat, joined = compiled(build_one(False)), compiled(build_one(True))
    x = flat.x + np.array([0.2, 0.1, -0.2, 0.7, -0.3, 0.9])
    assert_close(joined.derivatives(x=x)[0], flat.derivatives(x=x)[0], 1e-11)
    assert_close(joined.outputs(x=x), flat.outputs(x=x), 1e-10)
    for of in ("position", "velocity"):
        assert_close(project(build_one(True), of, x), project(build_one(False), of, x), 1e-12)
    for constraints in ("index-1", "index-2", "ggl"):
        one, other = (step(build_one(u), "J1", constraints, x) for u in (True, False))
        assert_close(one, other, 1e-12)


# --- steps against numpy ----------------------------------------------------------------------------------------------
# Two coordinates with a full, constant mass matrix: x moves both bodies, y the second only.

M = np.array([[3.0, 1.2], [1.2, 1.2]])


def g_of(q: Array, t: float) -> float:
    return float(q[0] ** 2 * q[1] + 0.4 * q[1] ** 3 - math.sin(0.8 * t) - 0.3)


def gradient(q: Array) -> Array:
    return np.array([2 * q[0] * q[1], q[0] ** 2 + 1.2 * q[1] ** 2])


def g_t(t: float) -> float:
    return -0.8 * math.cos(0.8 * t)


def load(q: Array, u: Array) -> Array:
    return np.array([-60 * q[0] ** 3 - 5 * u[0], -30 * math.sin(q[1]) - 2 * u[1] * q[0]])


def stiffness(q: Array, u: Array) -> tuple[Array, Array]:
    """K_q and K_u of the load."""
    by_q = np.array([[-180 * q[0] ** 2, 0], [-2 * u[1], -30 * math.cos(q[1])]])
    return by_q, np.array([[-5.0, 0], [0, -2 * q[0]]])


def curved() -> System:
    s = System("curved", gravity=(0, 0, 0))
    a = s.prismatic("a", s.world)
    b = s.prismatic("b", a.frame)
    s.body("a", a.frame, 1.8)
    s.body("b", b.frame, 1.2)
    x, y, u, v = a.q[0], b.q[0], a.u[0], b.u[0]
    s.generalized_force(u, -60 * x**3 - 5 * u)
    s.generalized_force(v, -30 * ops.sin(y) - 2 * v * x)
    s.loop("curve", [x * x * y + 0.4 * y**3 - ops.sin(0.8 * s.time) - 0.3])
    set_initial(s, a__travel=0.6, b__travel=0.5)
    return s


X = np.array([0.62, 0.55, 0.8, -0.5])  # neither position nor velocity fulfils the constraint
T = 0.3
GAINS = {"alpha": 7.0, "beta": 30.0, "alpha_index2": 11.0}


def system_of(kind: str, q: Array, u: Array) -> tuple[Array, Array]:
    """Matrix and right-hand side of u̇ without constraint."""
    by_q, by_u = stiffness(q, u)
    matrix, right = M.copy(), load(q, u)
    if kind in ("J1", "J2", "velocity-first"):
        matrix = matrix - H * by_u
    if kind in ("J2", "velocity-first"):
        matrix = matrix - H * H * by_q
    if kind in ("J1", "J2", "J3"):
        right = right + H * by_q @ u
    return matrix, right


def bordered(matrix: Array, upper: Array, lower: Array, right: Array, last: float) -> Array:
    """First part of the solution of [A Gᵀ; G 0](x; λ) = (b; c)."""
    full = np.zeros((3, 3))
    full[:2, :2], full[:2, 2], full[2, :2] = matrix, upper, lower
    return np.linalg.solve(full, [*right, last])[:2]


@pytest.mark.parametrize("kind", ["explicit", "J1", "J2", "J3", "velocity-first"])
def test_index_1_is_the_bordered_system(kind: str) -> None:
    q, u = X[:2], X[2:]
    G = gradient(q)
    second = np.array([[2 * q[1], 2 * q[0]], [2 * q[0], 2.4 * q[1]]])
    bias = u @ second @ u + 0.64 * math.sin(0.8 * T)
    last = -(bias + 2 * GAINS["alpha"] * (G @ u + g_t(T)) + GAINS["beta"] * g_of(q, T))
    matrix, right = system_of(kind, q, u)
    rate = bordered(matrix, G, G, right, last)
    later = u + H * rate
    expected = np.concatenate([q + H * (later if kind == "velocity-first" else u), later])
    assert_close(step(curved(), kind, "index-1", X, T, **GAINS), expected, 1e-13)


@pytest.mark.parametrize("kind", ["explicit", "J1", "J2", "J3"])
@pytest.mark.parametrize("constraints", ["index-2", "ggl"])
def test_index_2_and_ggl_are_the_bordered_systems(kind: str, constraints: str) -> None:
    q, u = X[:2], X[2:]
    G = gradient(q)
    new = q + H * u
    if constraints == "ggl":
        new = new - bordered(M, G, G, np.zeros(2), g_of(new, T + H))
    matrix, right = system_of(kind, q, u)
    lower = gradient(new)
    last = -(lower @ u + g_t(T + H) + GAINS["alpha_index2"] * g_of(new, T + H)) / H
    later = u + H * bordered(matrix, G, lower, right, last)
    found = step(curved(), kind, constraints, X, T, **GAINS)
    assert_close(found, np.concatenate([new, later]), 1e-12)
    # which is made so that the velocity fulfils the stabilised constraint at the new position
    assert lower @ found[2:] + g_t(T + H) == pytest.approx(-GAINS["alpha_index2"] * g_of(new, T + H), abs=1e-12)


def test_index_2_with_dependent_speeds_fulfils_the_velocity_constraint() -> None:
    """A dependent speed is a function of the others and of the new position."""
    s = System("both", gravity=(0, 0, 0))
    x, vx = s.coordinate("x", initial=0.6)
    y, _ = s.coordinate("y", initial=0.8)
    z, vz = s.coordinate("z", initial=0.3)
    s.body("mass", s.world.guided("point", (x, y, z)), 1.0)
    s.velocity_constraint("helix", [vz - x * vx], [vz])
    s.loop("surface", [x * x + y * y + 0.3 * z * z - 1.027])
    start = np.array([0.6, 0.8, 0.3, 0.4, -0.327])  # consistent
    for constraints in ("index-2", "ggl"):
        nx, ny, nz, u, v = step(s, "explicit", constraints, start, alpha_index2=0.0)
        assert 2 * nx * u + 2 * ny * v + 0.6 * nz * nx * u == pytest.approx(0.0, abs=1e-13)
        assert abs(v + 0.327) < 0.01


@pytest.mark.parametrize("constraints", ["index-2", "ggl"])
def test_constraints_that_follow_inputs_are_met_at_their_next_values(constraints: str) -> None:
    s = System("driven", gravity=(0, 0, 0))
    a = s.prismatic("a", s.world)
    s.body("a", a.frame, 2.0)
    drive = s.input("drive", "m", rate=True, acceleration=True)
    s.loop("follow", [a.q[0] - drive])
    names = {i.name: key(i.symbol) for i in s.inputs}
    values = {names["drive"]: 0.2, names["drive.rate"]: 0.5, names["drive.acceleration"]: -3.0}
    equations = derive(s)
    values |= state_values(s, [0.2, 0.5]) | {key(s.loop_gains["loops.alpha_index2"]): 0.0}
    q, u = np.array([0.2, 0.5]) + H * np.array(
        evaluate(s, step_rates(equations, Step("explicit", constraints=constraints)), values)
    )
    assert u == pytest.approx(0.5 - 3.0 * H, abs=1e-14)
    expected = 0.2 + 0.5 * H - (1.5 * H * H if constraints == "ggl" else 0.0)
    assert q == pytest.approx(expected, abs=1e-14)


def test_loops_inside_tables_are_shifted_with_their_arguments() -> None:
    """g is a map of both coordinates: its calls are made again at the new position."""
    table = smooth_table(2, 1, seed=5)

    def system() -> System:
        s = System("map", gravity=(0, 0, 0))
        a, b = s.prismatic("a", s.world), s.prismatic("b", s.world)
        s.body("a", a.frame, 1.0)
        s.body("b", b.frame, 0.4)
        s.loop("map", [s.table("map", table)(a.q[0], b.q[0]) - 0.1 * a.q[0]])
        return s

    x = np.array([0.1, -0.2, 0.9, 0.3])
    mass = np.diag([1.0, 0.4])

    def g(q: Array) -> float:
        return float(table(q[0], q[1])) - 0.1 * q[0]

    def G(q: Array) -> Array:
        return np.array([float(table(*q, derivative=(1, 0))) - 0.1, float(table(*q, derivative=(0, 1)))])

    q, u = x[:2], x[2:]
    new = q + H * u
    last = -(G(new) @ u + 11.0 * g(new)) / H
    later = u + H * bordered(mass, G(q), G(new), np.zeros(2), last)
    assert_close(step(system(), "explicit", "index-2", x, alpha_index2=11.0), np.concatenate([new, later]), 1e-12)
    new = new - bordered(mass, G(q), G(q), np.zeros(2), g(new))
    found = step(system(), "explicit", "ggl", x, alpha_index2=0.0)
    assert_close(found[:2], new, 1e-13)
    assert G(found[:2]) @ found[2:] == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize(
    ("kind", "constraints", "stable"),
    [
        ("J1", "index-1", lambda a, b: b <= 2 * a and 4 * a <= 4 + b),
        ("velocity-first", "index-1", lambda a, b: a <= 1 and 4 * a + b <= 4),
        ("J1", "index-2", lambda a, b: a <= 2),
    ],
)
def test_gains_are_stable_within_their_limits(
    kind: str, constraints: str, stable: Callable[[float, float], bool]
) -> None:
    """Errors (w, h v) of a linear constraint go through a matrix; a = α h and b = β h² decide about its eigenvalues."""
    s = System("pair", gravity=(0, 0, 0))
    a, b = s.prismatic("a", s.world), s.prismatic("b", s.world)
    s.body("a", a.frame, 1.0)
    s.body("b", b.frame, 2.0)
    s.loop("together", [a.q[0] - b.q[0]])
    equations = derive(s)
    rates = step_rates(equations, Step(kind, constraints=constraints))

    def radius(ah: float, bhh: float) -> float:
        gains = {"loops.alpha": ah / H, "loops.beta": bhh / H**2, "loops.alpha_index2": ah / H}
        columns = []
        for x in (np.array([1.0, 0, 0, 0]), np.array([0, 0, 1 / H, 0])):
            values = state_values(s, x) | {key(s.loop_gains[n]): v for n, v in gains.items()}
            new = x + H * np.array(evaluate(s, rates, values))
            columns.append([new[0] - new[1], H * (new[2] - new[3])])
        return float(np.abs(np.linalg.eigvals(np.array(columns).T)).max())

    grid = [(ah, bhh) for ah in (0.05, 0.3, 0.6, 0.95, 1.1, 1.9, 2.1) for bhh in (0.01, 0.3, 0.9, 1.5, 3.7, 4.5)]
    for ah, bhh in grid:
        assert (radius(ah, bhh) <= 1 + 1e-9) == stable(ah, bhh), (ah, bhh)
    best = {"J1": (1.0, 1.0), "velocity-first": (0.5, 1.0)}[kind]
    assert radius(*best) < 1e-7  # square root of rounding: a double eigenvalue zero


# --- projection -------------------------------------------------------------------------------------------------------


def nearest(target: Callable[[Array], float], start: Array) -> Array:
    """Point of target = 0 nearest to the start in the norm of the mass matrix, by SciPy."""
    from scipy.optimize import minimize

    result = minimize(
        lambda x: (x - start) @ M @ (x - start) * 1e6,
        start,
        constraints={"type": "eq", "fun": target},
        method="SLSQP",
        options={"ftol": 1e-16, "maxiter": 200},
    )
    return np.asarray(result.x)


def test_velocities_are_projected_to_the_nearest_ones() -> None:
    s = curved()
    found = project(s, "velocity", X)
    expected = nearest(lambda u: float(gradient(X[:2]) @ u + g_t(0.0)), X[2:])
    assert_close(found[2:], expected, 1e-7)  # SciPy's gradients are differences
    assert_close(found[:2], X[:2], 1e-300)
    assert gradient(X[:2]) @ found[2:] + g_t(0.0) == pytest.approx(0.0, abs=1e-14)
    G = gradient(X[:2])
    exact = X[2:] - bordered(M, G, G, np.zeros(2), float(G @ X[2:] + g_t(0.0)))
    assert_close(found[2:], exact, 1e-14)


def test_positions_are_projected_by_one_newton_step() -> None:
    """The nearest point up to the square of the distance."""
    s = curved()
    on = nearest(lambda q: g_of(q, 0.0), X[:2])
    misses, left = [], []
    for distance in (0.04, 0.02, 0.01):
        start = np.array([*(on + distance * np.array([0.3, 0.9])), *X[2:]])
        found = project(s, "position", start)
        misses.append(np.linalg.norm(found[:2] - nearest(lambda q: g_of(q, 0.0), start[:2])))
        left.append(abs(g_of(found[:2], 0.0)))
        assert_close(found[2:], start[2:], 1e-300)
    for errors in (misses, left):
        assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
        assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.15)


def test_projection_holds_the_constraint_in_any_method() -> None:
    library = build(rod().generate(step=Step("J2")))
    for method, gap in (("Euler", 1e-4), ("AB-2", 1e-6), ("RK-2", 1e-6), ("AM-4", 1e-10), ("LI-Euler", 1e-4)):
        sim = Simulation(library, method=method, step=0.01)
        sim.set_parameters({"loops.alpha": 0.0, "loops.beta": 0.0})
        sim.set_states({"x.rate": 3.0})
        plain = np.abs(sim.run(5.0, iprint=1)["g"]).max()
        sim.restart(defaults=True)
        sim.set_states({"x.rate": 3.0})
        sim.project = True
        held = np.abs(sim.run(5.0, iprint=1)["g"]).max()
        assert held < gap, method
        assert held < plain / 100, method


@pytest.mark.parametrize("moved_by", ["input", "time"])
def test_projection_meets_what_moves_where_it_is_at_the_end_of_the_step(moved_by: str) -> None:
    """One Newton step is exact for a linear constraint: no gap is left but rounding, in place and speed."""
    s = System(f"moved_by_{moved_by}", gravity=(0, 0, 0))
    a = s.prismatic("a", s.world)
    s.body("a", a.frame, 2.0)
    if moved_by == "input":
        place: Any = s.input("drive", "m", rate=True, acceleration=True)
    else:
        place = 0.3 * ops.sin(2 * s.time)
    s.loop("follow", [a.q[0] - place])
    s.output("q", a.q[0], "m")
    s.output("u", a.u[0], "m/s")
    program = Program(Phase("p", [Open("drive", Sine(0.3, 1 / math.pi))])) if moved_by == "input" else None
    for method in ("Euler", "RK-2"):
        sim = Simulation(build(s.generate(step=Step("J2"))), method=method, step=0.02)
        sim.set_states({"a.rate": 0.6})
        sim.project = True
        run = sim.run(1.0, iprint=1, program=program)
        np.testing.assert_allclose(run["q"], 0.3 * np.sin(2 * run.time), atol=1e-13)
        np.testing.assert_allclose(run["u"], 0.6 * np.cos(2 * run.time), atol=1e-13)


# --- initialisation ---------------------------------------------------------------------------------------------------


def test_a_rough_start_is_made_consistent() -> None:
    sim = compiled(rod())
    sim.set_states({"x": 0.4, "z": -1.1, "x.rate": 2.0, "z.rate": -0.3})
    change = sim.make_consistent()
    x, z, u, w = sim.x
    assert math.hypot(x, z) == pytest.approx(LENGTH, rel=1e-14)
    assert x * u + z * w == pytest.approx(0.0, abs=1e-14)
    assert 0 <= change < 1e-10
    # in the metric of a point mass: along the rod, and the velocity across it stays
    assert x / z == pytest.approx(0.4 / -1.1, rel=1e-12)
    across = np.array([z, -x]) / LENGTH
    assert across @ [u, w] == pytest.approx(across @ [2.0, -0.3], rel=1e-12)


def test_a_consistent_start_is_left_alone() -> None:
    sim = compiled(rod())
    before = sim.x.copy()
    sim.make_consistent()
    assert_close(sim.x, before, 1e-15)


def test_a_start_that_cannot_be_closed_is_refused() -> None:
    s = System("apart", gravity=(0, 0, 0))
    hinge = s.revolute("hinge", s.world, axis="y", initial=0.3)
    s.body("arm", hinge.frame, 1.0, (0, 0.1, 0), (1, 0, 0))
    far = s.two_point(hinge.frame, s.world, at_a=(1, 0, 0), at_b=(5, 0, 0))
    s.loop("link", [far.length - 1.0])  # the arm reaches to 4 m from the point
    sim = compiled(s)
    with pytest.raises(ParameterError, match="cannot be moved onto the loop constraints"):
        sim.make_consistent()


def test_a_model_without_loops_needs_no_initialisation_and_refuses_projection() -> None:
    s = System("free_of_loops")
    s.body("mass", s.prismatic("a", s.world).frame, 1.0)
    sim = compiled(s)
    assert sim.make_consistent() == 0.0
    with pytest.raises(ParameterError, match="has no loop constraints to project onto"):
        sim.project = True


# --- what is refused --------------------------------------------------------------------------------------------------


def parallel_bars(end: str = "xy") -> System:
    """Three parallel cranks under one coupler: of the last loop one direction follows from the others."""
    s = System("parallel", gravity=(0, 0, 0))
    cranks = [s.revolute(f"crank{i}", s.world, axis="z", offset=(i, 0, 0), initial=0.5) for i in range(3)]
    for i, crank in enumerate(cranks):
        s.body(f"crank{i}", crank.frame, 1.0, (0, 0, 0.1), (0.5, 0, 0))
    coupler = s.revolute("coupler", cranks[0].frame, axis="z", offset=(1, 0, 0), initial=-0.5)
    s.body("coupler", coupler.frame, 2.0, (0, 0, 0.3), (1, 0, 0))
    s.coincide("middle", coupler.frame, cranks[1].frame, at_a=(1, 0, 0), at_b=(1, 0, 0), directions="xy")
    s.coincide("end", coupler.frame, cranks[2].frame, at_a=(2, 0, 0), at_b=(1, 0, 0), directions=end)
    return s


def test_redundant_loops_are_named() -> None:
    with pytest.raises(ModelError, match=r"redundant loop constraints at the initial state: end\[\d\] follow") as error:
        parallel_bars().generate()
    assert "middle" not in str(error.value)


def test_without_the_redundant_equation_the_parallel_bars_move() -> None:
    s = parallel_bars(end="x")
    rates = evaluate(s, derive(s).rates, state_values(s, [0.5, 0.5, 0.5, -0.5, 1.0, 1.0, 1.0, -1.0]))
    # the coupler moves in a circle without turning: no moment acts on the cranks, their rate is constant
    assert_close(rates, [1.0, 1.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0], 1e-12)


def test_a_loop_written_twice_and_one_that_moves_nothing_are_named() -> None:
    s = System("twice", gravity=(0, 0, 0))
    a, b = s.prismatic("a", s.world), s.prismatic("b", s.world)
    s.body("a", a.frame, 1.0)
    s.body("b", b.frame, 1.0)
    s.loop("one", [a.q[0] - b.q[0], 2 * b.q[0] - 2 * a.q[0]])
    s.loop("none", [ops.sin(s.time)])
    with pytest.raises(ModelError, match=r"one\[1\], none\[0\] follow from those before"):
        s.generate()


@pytest.mark.parametrize("first", ["world", "trailer"])
def test_a_loop_across_units_is_refused(first: str) -> None:
    s = System("across")
    a = s.prismatic("a", s.world)
    s.body("a", a.frame, 1.0)
    b = s.revolute("b", s.unit("trailer", a.frame), axis="y")
    s.body("b", b.frame, 2.0, center=(0, 0, -1))
    post = s.world.fixed("post", (0, 0, -1))
    frames = (post, b.frame, (0, 0, 0), (0, 0, -1)) if first == "world" else (b.frame, post, (0, 0, -1), (0, 0, 0))
    s.coincide("hook", *frames, directions="x")
    unit, speed = ("base", "b.rate") if first == "world" else ("trailer", "a.rate")
    with pytest.raises(ModelError, match=rf"loop constraint 'hook' of unit '{unit}' contains speed '{speed}' of"):
        s.generate()


def test_a_loop_with_speeds_is_refused() -> None:
    s = System("speeds")
    a = s.prismatic("a", s.world)
    s.body("a", a.frame, 1.0)
    with pytest.raises(ModelError, match=r"loop 'rolling' contains the speed 'a\.rate'.*use velocity_constraint"):
        s.loop("rolling", [a.u[0] - 1.0])


def test_a_loop_after_the_equations_is_refused() -> None:
    s = System("late")
    a = s.prismatic("a", s.world)
    s.body("a", a.frame, 1.0)
    s.generate()
    with pytest.raises(ModelError, match="loop 'late' is declared after the equations were derived"):
        s.loop("late", [a.q[0]])


def test_an_input_without_rate_in_a_loop_is_refused() -> None:
    s = System("unmoving")
    a = s.prismatic("a", s.world)
    s.body("a", a.frame, 1.0)
    s.loop("follow", [a.q[0] - s.input("drive", "m")])
    with pytest.raises(ModelError, match="declare it with rate=True"):
        s.generate()


def test_a_run_does_not_start_with_open_loops() -> None:
    s = System("open_rod")
    x, _ = s.coordinate("x", initial=0.3)
    z, _ = s.coordinate("z", initial=-1.0)
    s.body("bob", s.world.guided("bob", [x, 0, z]), 2.0)
    s.loop("rod", [x * x + z * z - 1])
    sim = Simulation(build(s))
    with pytest.raises(ParameterError, match="make_consistent"):
        sim.run(0.1)
    sim.make_consistent()
    assert sim.run(0.1).ok


def test_limits_of_parameters_hold_at_run_time() -> None:
    s = System("limited", gravity=(0, 0, 0))
    mass = s.parameter("mass", "2 kg", "kg", low=0.1, high=10.0)
    cart = s.prismatic("cart", s.world, axis="x")
    s.body("cart", cart.frame, mass)
    sim = Simulation(build(s))
    sim.set_parameters({"mass": "9 kg"})
    with pytest.raises(ParameterError, match=r"'mass' = -1 kg: must be at least 0\.1 kg"):
        sim.set_parameters({"mass": -1.0})
    assert sim.parameter("mass") == 9.0
    with pytest.raises(ModelError, match="outside"):
        s2 = System("limited2")
        s2.parameter("mass", 20.0, "kg", high=10.0)
