"""Linear models against difference quotients of the compiled equations, tangent angles included."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.core.errors import ModelError
from jounce.runtime.simulation import Simulation
from jounce.sim.linear import Lineariser, LinearModel
from jounce.symbolic import System, ops
from models import (
    Array,
    assert_close,
    compiled,
    derivative,
    guided_vehicle,
    quaternion_product,
    random_point,
    set_initial,
    smooth_table,
)


def tangent_move(sim: Simulation, x: Array, names: tuple[str, ...], direction: int, s: float) -> Array:
    """x moved by s along one tangent direction: q = q0 ∘ (1, s e/2) / norm for a quaternion."""
    moved = x.copy()
    states = [v.name for v in sim.model.states]
    name = names[direction]
    if name in states:
        moved[states.index(name)] += s
        return moved
    joint, axis = name.rsplit(".r", 1)
    first = states.index(f"{joint}.e0")
    step = np.array([1.0, *(0.5 * s * np.eye(3)["xyz".index(axis)])])
    moved[first : first + 4] = quaternion_product(x[first : first + 4], step / np.linalg.norm(step))
    return moved


def tangent_rates(
    sim: Simulation, names: tuple[str, ...], base: Array, base_rate: Array, x: Array, rate: Array
) -> Array:
    """Rates of the tangent coordinates about the motion through ``base``, from compiled state rates alone."""
    states = [v.name for v in sim.model.states]
    out = []
    for name in names:
        if name in states:
            out.append(rate[states.index(name)])
            continue
        joint, axis = name.rsplit(".r", 1)
        part = slice(first := states.index(f"{joint}.e0"), first + 4)
        conjugate = np.array([1.0, -1, -1, -1]) / (base[part] @ base[part])
        # r = q0⁻¹ ∘ q = (1, δθ/2) times a length; δθ = 2 r_v / r_0, and its time derivative
        r = quaternion_product(base[part] * conjugate, x[part])
        inverse_rate = base_rate[part] * conjugate - base[part] * conjugate * (
            2 * (base[part] @ base_rate[part]) / (base[part] @ base[part])
        )
        r_rate = quaternion_product(inverse_rate, x[part]) + quaternion_product(base[part] * conjugate, rate[part])
        vector, vector_rate = r[1:], r_rate[1:]
        out.append((2 * (vector_rate / r[0] - vector * r_rate[0] / r[0] ** 2))["xyz".index(axis)])
    return np.array(out)


def check(sim: Simulation, model: LinearModel, x: Array, u: Array, t: float = 0.0, h: float = 1e-4) -> None:
    """All of A, B, C, D against quotients; the tolerance is the bound of the quotient, column by column."""
    states = model.states
    chosen = [[v.name for v in sim.model.outputs].index(name) for name in model.outputs]
    base_rate = sim.derivatives(x=x, u=u, t=t)[0]

    def everything(point: Array, inputs: Array) -> Array:
        rate = sim.derivatives(x=point, u=inputs, t=t)[0]
        tangent = tangent_rates(sim, states, x, base_rate, point, rate)
        return np.concatenate([tangent, sim.outputs(x=point, u=inputs, t=t)[chosen]])

    for j in range(len(states)):
        slope, error = derivative(lambda s, j=j: everything(tangent_move(sim, x, states, j, s), u), h)
        # products of several hundred factors: rounding of the exact value itself
        allowed = 4 * error + 1e-10 * (1 + np.abs(slope))
        labels = [f"A[{a}, {states[j]}]" for a in states] + [f"C[{y}, {states[j]}]" for y in model.outputs]
        assert_close(np.concatenate([model.A[:, j], model.C[:, j]]), slope, allowed, labels)
    inputs = [v.name for v in sim.model.inputs]
    for j, name in enumerate(model.inputs):
        direction = np.eye(len(u))[inputs.index(name)]
        slope, error = derivative(lambda s, d=direction: everything(x, u + s * d), h)
        allowed = 4 * error + 1e-10 * (1 + np.abs(slope))
        labels = [f"B[{a}, {name}]" for a in states] + [f"D[{y}, {name}]" for y in model.outputs]
        assert_close(np.concatenate([model.B[:, j], model.D[:, j]]), slope, allowed, labels)


@pytest.fixture(scope="module")
def vehicle() -> tuple[Simulation, Lineariser]:
    system = guided_vehicle(corners=2)
    outputs = ["c0.load", "c1.side", "c1.acceleration.1", "lag", "height", "push_twice"]
    return compiled(system), Lineariser(system, outputs=outputs)


@pytest.mark.parametrize("seed", [1, 2])
def test_moving_vehicle_on_guided_carriers(vehicle: tuple[Simulation, Lineariser], seed: int) -> None:
    """Two- and three-argument cubic maps, whose third derivatives enter A; tires with a branch; inputs with rates."""
    sim, lineariser = vehicle
    x, u = random_point(sim, seed, size=0.2)
    u[[v.name for v in sim.model.inputs].index("push")] = 300.0
    model = lineariser.at(x=x, u=u)
    assert {"chassis.rx", "chassis.ry", "chassis.rz", "c0.travel", "c1.wheel.spin"} <= set(model.states)
    assert np.abs(model.A).max() > 10
    check(sim, model, x, u)


def test_a_quaternion_of_any_length_gives_the_same_linear_model(vehicle: tuple[Simulation, Lineariser]) -> None:
    sim, lineariser = vehicle
    x, u = random_point(sim, 3, size=0.2)
    first = sim.model.quaternions[0]
    scaled = x.copy()
    scaled[first : first + 4] *= 1.7
    a, b = lineariser.at(x=x, u=u), lineariser.at(x=scaled, u=u)
    for left, right in ((a.A, b.A), (a.B, b.B), (a.C, b.C), (a.D, b.D)):
        assert_close(left, right, 1e-11 * (1 + np.abs(left).max()))


def test_tangent_angles_of_a_turning_body_follow_the_identity() -> None:
    """δθ' = δω - ω × δθ, whatever the attitude."""
    system = System("turning", gravity=(0, 0, 0))
    body = system.free("body")
    system.body("body", body.frame, 2.0, (1, 2, 3))
    set_initial(system, body__wx=0.7, body__wy=-1.1, body__wz=2.0)
    model = Lineariser(system).at()
    rows = [model.states.index(f"body.r{a}") for a in "xyz"]
    speeds = [model.states.index(f"body.w{a}") for a in "xyz"]
    wx, wy, wz = 0.7, -1.1, 2.0
    assert_close(model.A[np.ix_(rows, rows)], -np.array([[0, -wz, wy], [wz, 0, -wx], [-wy, wx, 0]]), 1e-15)
    assert_close(model.A[np.ix_(rows, speeds)], np.eye(3), 1e-15)


def mixed_system() -> System:
    """Ball and free joints on moving parents, a unit, explicit time, a guided frame with inputs, a memory, a constraint
    with a rotor as dependent speed."""
    system = System("mixed_linear")
    lift = system.input("lift", "m", rate=True, acceleration=True)
    pull = system.input("pull", "N")
    stick = system.memory("stick", "N", initial=0.4)
    system.next_memory(stick, pull * 0.5)
    base = system.world.guided("base", (0, ops.sin(system.time), lift), (("x", 0.2 * lift),))
    arm = system.revolute("arm", base, axis="y", initial=0.3)
    system.body("arm", arm.frame, 3.0, (0.1, 0.4, 0.3), (0, 0, -0.5))
    ball = system.ball("ball", arm.frame, offset=(0, 0, -1))
    system.body("bob", ball.frame, 1.0, (0.2, 0.3, 0.4, 0.01, 0.02, 0.03), (0.1, 0.1, -0.3))
    root = system.unit("tail", ball.frame.fixed("eye", (0.1, 0, -0.4), (("z", 0.3),)))
    free = system.free("loose", root)
    body = system.body("loose", free.frame, 0.8, (0.1, 0.2, 0.3))
    rotor = system.gyrostat("rotor", body, (0, 1, 0), 0.05)
    system.velocity_constraint("gear", [rotor.spin - (3 + free.q[0]) * free.u[4]], [rotor.spin])
    spring = system.two_point(ball.frame, free.frame, at_b=(0.2, 0.1, 0))
    curve = system.table("curve", smooth_table(1, 1, seed=8))
    spring.act(20 * spring.length + 2 * curve(spring.rate) + pull * free.u[0] + stick)
    lag = system.state("lag", "N")
    system.derivative(lag, -3 * lag + pull * ball.u[1])
    system.force(free.frame, (lag, 0, 0), axes=system.world)
    system.output("spin", rotor.spin)
    system.output("length", spring.length)
    system.output("rate", spring.rate)
    system.output("acceleration", system.frame_acceleration(free.frame)[1])
    system.output("constant", 3.0)
    system.output("pull", pull)
    return system


def test_every_kind_of_joint_and_constraint() -> None:
    system = mixed_system()
    sim, lineariser = compiled(system), Lineariser(system)
    x, u = random_point(sim, 4, size=0.3)
    own = lineariser.at(x=x, u=u, t=0.7)
    check(sim, own, x, u, t=0.7)
    by_name = dict(zip(own.outputs, own.D @ np.eye(len(own.inputs))[own.inputs.index("pull")], strict=True))
    assert by_name["pull"] == 1.0
    assert by_name["constant"] == 0.0


def test_chosen_inputs_and_outputs_keep_their_order() -> None:
    system = System("chosen")
    x = system.state("x")
    inputs = [system.input(n) for n in "abc"]
    system.derivative(x, sum((i + 2.0) * u for i, u in enumerate(inputs)) - x)
    for i, name in enumerate(("p", "q", "r")):
        system.output(name, (i + 3.0) * x + i * inputs[2])
    model = Lineariser(system, inputs=["c", "a"], outputs=["r", "p"]).at()
    assert (model.inputs, model.outputs) == (("c", "a"), ("r", "p"))
    assert model.B.tolist() == [[4.0, 2.0]]
    assert model.C.tolist() == [[5.0], [3.0]]
    assert model.D.tolist() == [[2.0, 0.0], [0.0, 0.0]]


def test_unknown_inputs_and_outputs_are_named() -> None:
    system = System("names")
    pull = system.input("pull")
    system.output("spin", pull)
    with pytest.raises(ModelError, match="unknown input 'pul'; did you mean 'pull'"):
        system.generate_linear(inputs=["pul"])
    with pytest.raises(ModelError, match="unknown output 'spine'; did you mean 'spin'"):
        system.generate_linear(outputs=["spine"])


def test_memories_are_held() -> None:
    system = System("held")
    x, u = system.state("x"), system.input("u")
    m = system.memory("m", initial=2.0)
    system.next_memory(m, x * u)
    system.derivative(x, m * x + u)
    sim = compiled(system)
    model = Lineariser(system).at(sim)
    assert model.A.tolist() == [[2.0]]
    sim.set_memories({"m": -1.0})
    assert Lineariser(system).at(sim).A.tolist() == [[-1.0]]


def test_linear_model_follows_parameters_and_tables() -> None:
    system = System("follows")
    x = system.state("x", initial=0.5)
    k = system.parameter("k", 2.0)
    double = system.derived("double", 2 * k)
    curve = system.table("curve", smooth_table(1, 1))
    system.derivative(x, -double * curve(x))
    sim, lineariser = compiled(system), Lineariser(system)
    slope = float(system.tables["curve"].table(0.5, derivative=(1,)))
    assert lineariser.at(sim).A[0, 0] == pytest.approx(-4 * slope, rel=1e-13)
    sim.set_parameters({"k": 5.0})
    other = smooth_table(1, 1, seed=9)
    sim.set_tables({"curve": other})
    assert lineariser.at(sim).A[0, 0] == pytest.approx(-10 * float(other(0.5, derivative=(1,))), rel=1e-13)
