"""The second-order linear-implicit step: against the formula, its order, its stability, with parts left explicit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Library, Simulation
from jounce.sim.build import build
from jounce.symbolic import System, ops
from jounce.symbolic.step import GAMMA, Step

Array = NDArray[np.float64]
START = np.array([1.0, 0.0, 0.5])


def cart(step: Step, name: str = "ros2_cart") -> Library:
    """A nonlinear spring-damper with a lagged force z on a mass of 2 kg."""
    s = System(name, gravity=(0, 0, 0))
    mass = s.prismatic("mass", s.world, axis="x", initial=START[0])
    s.body("body", mass.frame, 2.0)
    z = s.state("z", initial=START[2])
    q, u = mass.q[0], mass.u[0]
    with s.implicit_loads():
        s.generalized_force(u, -2 * (100 * q + 3 * u + 20 * ops.sin(q) * u) + z)
    s.derivative(z, -50 * (z - u) - z**3)
    return build(s.generate(step=step))


def rates(y: Array) -> Array:
    q, u, z = y
    return np.array([u, -(100 * q + 3 * u + 20 * np.sin(q) * u) + z / 2, -50 * (z - u) - z**3])


def jacobian(y: Array) -> Array:
    q, u, z = y
    return np.array([
        [0, 1, 0],
        [-100 - 20 * np.cos(q) * u, -3 - 20 * np.sin(q), 0.5],
        [0, 50, -50 - 3 * z * z],
    ])  # fmt: skip


def formula(y: Array, h: float, keep: Array) -> Array:
    """One step of ROS2 with the kept entries of the Jacobian, evaluated anew in the second stage."""
    identity = np.eye(3)
    k1 = np.linalg.solve(identity - GAMMA * h * keep * jacobian(y), rates(y))
    late = y + h * k1
    k2 = np.linalg.solve(identity - GAMMA * h * keep * jacobian(late), rates(late) - 2 * k1)
    return y + h * (1.5 * k1 + 0.5 * k2)


# position rows are always exact; columns of states that are not chosen are left out of the loads' rows
KEPT = {
    ("*",): np.ones((3, 3)),
    ("mass.rate", "z"): np.array([[1, 1, 1], [0, 1, 1], [0, 1, 1]]),
    ("mass.*",): np.array([[1, 1, 1], [1, 1, 0], [0, 0, 0]]),
}


@pytest.mark.parametrize("states", KEPT, ids=lambda s: "+".join(s))
def test_every_step_is_the_formula(states: tuple[str, ...]) -> None:
    simulation = Simulation(cart(Step("ros2", states=states)), method="ROS2", step=0.01)
    y = START.copy()
    for _ in range(20):
        simulation.advance(1)
        y = formula(y, 0.01, KEPT[states])
        # rounding of two small solves per step
        assert simulation.x == pytest.approx(y, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("states", [("*",), ("mass.rate", "z"), ("z",)], ids=lambda s: "+".join(s))
def test_it_is_of_second_order_whatever_is_implicit(states: tuple[str, ...]) -> None:
    library = cart(Step("ros2", states=states, loads="marked"))
    exact = solve_ivp(lambda t, y: rates(y), (0, 1), START, rtol=1e-12, atol=1e-14, method="DOP853").y[:, -1]
    errors = []
    for h in (0.001, 0.0005, 0.00025):
        simulation = Simulation(library, method="ROS2", step=h)
        simulation.run(1.0)
        errors.append(np.abs(simulation.x - exact).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx([2.0, 2.0], abs=0.1)


def test_it_is_stable_where_explicit_methods_explode() -> None:
    s = System("ros2_stiff", gravity=(0, 0, 0))
    mass = s.prismatic("mass", s.world, axis="x", initial=1.0)
    s.body("body", mass.frame, 1.0)
    s.generalized_force(mass.u[0], -1e10 * mass.q[0] - 2e5 * mass.u[0])  # ω h = 100 at 1 ms, critically damped
    simulation = Simulation(build(s.generate(step=Step("ros2"))), method="ROS2", step=0.001)
    simulation.run(0.2)
    assert np.abs(simulation.x).max() < 1e-12  # L-stable: a stiff mode is gone, not frozen


def test_a_snapshot_continues_to_the_bit() -> None:
    library = cart(Step("ros2"))
    one = Simulation(library, method="ROS2", step=0.002)
    one.advance(100)
    middle = one.snapshot()
    one.advance(100)
    other = Simulation(library, method="ROS2", step=0.002)
    other.restore(middle)
    other.advance(100)
    assert one.snapshot().tobytes() == other.snapshot().tobytes()


def test_a_loop_is_held_as_by_the_other_methods() -> None:
    s = System("ros2_pendulum")
    x, _ = s.coordinate("x")
    z, _ = s.coordinate("z", initial=-1.0)
    s.body("bob", s.world.guided("bob", [x, 0, z]), 2.0)
    s.loop("rod", [x * x + z * z - 1])
    s.output("gap", x * x + z * z - 1)
    s.output("energy", s.kinetic_energy() + s.potential_energy(), "J")
    library = build(s.generate(step=Step("ros2")))
    drift = []
    for h in (0.002, 0.001):
        simulation = Simulation(library, method="ROS2", step=h)
        simulation.set_states({"x.rate": 2.0})
        simulation.project = True
        run = simulation.run(2.0)
        assert np.abs(run["gap"]).max() < 1e-9
        drift.append(np.abs(run["energy"] - run["energy"][0]).max())
    assert np.log2(drift[0] / drift[1]) == pytest.approx(2.0, abs=0.25)


def test_the_two_kinds_of_step_are_not_mixed_up() -> None:
    with pytest.raises(ParameterError, match=r"LI-Euler.*Step\('velocity-first'\)"):
        Simulation(cart(Step("ros2")), method="LI-Euler")
    with pytest.raises(ParameterError, match=r"ROS2.*Step\('ros2'\)"):
        Simulation(cart(Step("J2"), "ros2_none"), method="ROS2")
