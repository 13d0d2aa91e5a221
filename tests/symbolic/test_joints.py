"""Joints in motion: closed forms, and no attitude that is special."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.runtime.simulation import Simulation
from jounce.sim.linear import Lineariser
from jounce.symbolic import System
from models import assert_close, compiled, outputs_by_name, quarter_car, rotation_matrix, set_initial


@pytest.fixture(scope="module")
def tumbling() -> Simulation:
    system = System("tumbling", gravity=(0, 0, 0))
    body = system.free("body")
    system.body("body", body.frame, 2.0, (1.0, 2.0, 3.0), (0.1, -0.2, 0.3))
    for i in range(3):
        for j in range(3):
            system.output(f"r{i}{j}", body.frame.orientation[i][j])
    return compiled(system)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_body_turns_through_all_attitudes(tumbling: Simulation, axis: int) -> None:
    sim = tumbling
    sim.restart(defaults=True)
    w = np.zeros(3)
    w[axis] = 3.0
    # turning about the centre of mass: the origin moves around it
    v = -np.cross(w, [0.1, -0.2, 0.3])
    sim.set_states({f"body.v{a}": value for a, value in zip("xyz", v, strict=True)})
    sim.set_states({f"body.w{a}": value for a, value in zip("xyz", w, strict=True)})
    record = sim.run(2 * math.pi / 3.0 * 2, method="AM-4", step=0.001, iprint=1)
    found = record.data.reshape(-1, 3, 3)
    for t, matrix in list(zip(record.time, found, strict=True))[::97]:
        q = np.array([math.cos(1.5 * t), *(math.sin(1.5 * t) * w / 3.0)])
        # AM-4 at h w = 0.003: error of the angle below (h w)^4 per radian
        assert_close(matrix, rotation_matrix(q), 1e-8)


def test_turning_about_the_middle_axis_flips_and_keeps_energy(tumbling: Simulation) -> None:
    sim = tumbling
    sim.restart(defaults=True)
    w = np.array([0.01, 4.0, 0.02])
    v = -np.cross(w, [0.1, -0.2, 0.3])
    sim.set_states({f"body.v{a}": value for a, value in zip("xyz", v, strict=True)})
    sim.set_states({f"body.w{a}": value for a, value in zip("xyz", w, strict=True)})
    inertia = np.array([1.0, 2.0, 3.0])
    # L = I w in world axes and 2T = w I w, about the centre of mass
    L0, T0 = inertia * w, w @ (inertia * w)
    record = sim.run(8.0, method="AM-4", step=0.0005, iprint=100)
    w1 = np.array([sim.state(f"body.w{a}") for a in "xyz"])
    R = record.data[-1].reshape(3, 3)
    assert min(record["r11"]) < -0.9, "the unstable axis turned over"
    assert_close(R @ (inertia * w1), L0, 1e-8 * np.linalg.norm(L0))
    assert w1 @ (inertia * w1) == pytest.approx(T0, rel=1e-9)


def test_free_fall_and_projectile() -> None:
    system = System("projectile")
    body = system.free("ball", initial=(0, 0, 10))
    system.body("ball", body.frame, 0.5, (0.1, 0.1, 0.1))
    set_initial(system, ball__vx=3.0, ball__vz=4.0)
    sim = compiled(system, method="RK-2", step=0.01)
    sim.advance(100)
    assert sim.state("ball.x") == pytest.approx(3.0, rel=1e-12)
    # second order is exact for a parabola
    assert sim.state("ball.z") == pytest.approx(10 + 4 - 9.80665 / 2, rel=1e-12)


def test_free_body_on_a_turntable_keeps_its_place_in_the_world() -> None:
    system = System("turntable", gravity=(0, 0, 0))
    table = system.revolute("table", system.world, axis="z")
    system.body("disc", table.frame, 5.0, (1, 1, 2))
    puck = system.free("puck", table.frame, initial=(1.0, 0, 0))
    system.body("puck", puck.frame, 1.0, (0.1, 0.1, 0.1))
    for i, value in enumerate(puck.frame.position):
        system.output(f"p{i}", value)
    # at rest in the world: relative to the turning disc it moves backwards
    set_initial(system, table__rate=2.0, puck__vy=-2.0, puck__wz=-2.0)
    sim = compiled(system, method="AM-4", step=0.001)
    sim.advance(1500)
    at = outputs_by_name(sim, sim.outputs())
    assert [at["p0"], at["p1"], at["p2"]] == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)
    assert sim.state("table.angle") == pytest.approx(3.0, rel=1e-12)


def test_quarter_car_has_its_two_frequencies() -> None:
    model = Lineariser(quarter_car()).at()
    ms, mu, k, kt, c = 400.0, 40.0, 25e3, 200e3, 1500.0
    matrix = np.zeros((4, 4))
    matrix[0, 2] = matrix[1, 3] = 1.0
    # states: wheel travel, body travel, wheel rate, body rate
    matrix[2] = [-(k + kt) / mu, k / mu, -c / mu, c / mu]
    matrix[3] = [k / ms, -k / ms, c / ms, -c / ms]
    assert model.states == ("wheel.travel", "body.travel", "wheel.rate", "body.rate")
    assert_close(model.A, matrix, 1e-12 * np.abs(matrix).max())
    assert_close(model.B[:, 0], [0, 0, kt / mu, 0], 1e-12 * kt / mu)
    gain = model.response([1e-6])[0, 0, 0]
    assert abs(gain) < 1e-6, "a slow road does not move the strut"
