"""The math operations: compiled C, the Python interpreter and numpy give the same numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from jounce.runtime.simulation import Simulation
from jounce.symbolic import System, ops
from jounce.symbolic.calls import key
from jounce.symbolic.generate import evaluate
from models import EPS, assert_close, compiled

UNARY = [
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
    *("exp", "log", "sqrt", "fabs", "floor", "ceil", "sign"),
]
BINARY = ["atan2", "fmin", "fmax", "fmod", "hypot", "copysign"]
EXPONENTS = (-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.3)


def expressions(x: Any, y: Any) -> dict[str, Any]:
    """Every operation, of symbols or of numbers."""
    found = {name: getattr(ops, name)(x, y) for name in BINARY}
    for name in UNARY:
        domain = {"asin": 0.9 * ops.tanh(x), "acos": 0.9 * ops.tanh(x), "log": ops.fabs(x), "sqrt": ops.fabs(x)}
        found[name] = getattr(ops, name)(domain.get(name, x))
    found |= {
        "if_else": ops.if_else(x > y, x * 2, y * 3),
        "if_else_equal": ops.if_else(x == y, x, -1.0),
        "if_else_number": ops.if_else(x <= 0, 1.0, 2.0),
        "and": ops.if_else(ops.logic_and(x > 0, y > 0), x, y),
        "or": ops.if_else(ops.logic_or(x >= 0, y < 0), x, y),
        "not": ops.if_else(ops.logic_not(x != y), x, 7.0),
        "clip": ops.clip(x, -0.5, 0.75),
        "smooth_abs": ops.smooth_abs(x, 0.1),
        "smooth_max": ops.smooth_max(x, y, 0.1),
        "norm": ops.norm(ops.vector(x, y, 1.0)),
        "dot": ops.dot(ops.vector(x, y, 1.0), ops.vector(y, 2.0, x)),
        "cross": ops.cross(ops.vector(x, y, 1.0), ops.vector(y, 2.0, x))[1],
        "arithmetic": (x + y) * (x - y) / (1.0 + x * x) - -y,
        "twice": x + x,
        "inverse": 1 / (2.0 + x * x),
    }
    for e in EXPONENTS:
        found[f"power_{e}".replace(".", "p").replace("-", "m")] = (ops.fabs(x) + 0.1) ** e
        if e == int(e) and e > 0:
            found[f"signed_power_{e}"] = (x + y) ** e
    return found


POINTS = [
    (0.0, 0.0),
    (-0.0, 0.0),
    (0.0, -0.0),
    *((x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)),
    *((x, y) for x in (-2.5, 0.0, 2.5) for y in (-0.75, 0.75)),
    (7.3, 2.0),
    (-7.3, 2.0),
    (7.3, -2.0),
    (3.0, 3.0),
    (1e-300, -1e300),
    (-12.75, 1e-3),
    (0.5, 0.5),
]


@pytest.fixture(scope="module")
def machine() -> tuple[System, Simulation]:
    system = System("operations")
    x, y = system.input("x"), system.input("y")
    for name, value in expressions(x, y).items():
        system.output(name, value)
    return system, compiled(system)


def reference(x: float, y: float) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        return np.array([float(v) for v in expressions(np.float64(x), np.float64(y)).values()])


@pytest.mark.parametrize(("x", "y"), POINTS)
def test_compiled_operations_equal_numpy(machine: tuple[System, Simulation], x: float, y: float) -> None:
    _, sim = machine
    names = [v.name for v in sim.model.outputs]
    found, expected = sim.outputs(u=[x, y]), reference(x, y)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    # numpy's functions and the C library's are each within 2 units in the last place; products round once per factor
    tolerance = np.where(same, 1.0, 8 * EPS * np.abs(expected) + 1e-323)
    assert_close(np.where(same, 0.0, found), np.where(same, 0.0, expected), tolerance, names)


def test_random_arguments_agree_in_c_numpy_and_the_interpreter(machine: tuple[System, Simulation]) -> None:
    system, sim = machine
    rng = np.random.default_rng(5)
    names = [v.name for v in sim.model.outputs]
    for x, y in rng.normal(0, 3, (50, 2)):
        expected = reference(x, y)
        tolerance = 8 * EPS * np.abs(expected) + 1e-300
        # sums may cancel: (x + y)**e is as good as its base
        for i, name in enumerate(names):
            if name.startswith("signed_power") or name in ("arithmetic", "dot", "cross", "smooth_max"):
                tolerance[i] += 60 * EPS * (abs(x) + abs(y) + 1) ** 5
        assert_close(sim.outputs(u=[x, y]), expected, tolerance, names)
        values = {key(i.symbol): v for i, v in zip(system.inputs, (x, y), strict=True)}
        assert_close(evaluate(system, [o.symbol for o in system.outputs], values), expected, tolerance, names)


def test_sign_of_zero_is_zero_and_quadrants_are_right(machine: tuple[System, Simulation]) -> None:
    _, sim = machine
    names = [v.name for v in sim.model.outputs]
    at = {(x, y): dict(zip(names, sim.outputs(u=[x, y]), strict=True)) for x, y in POINTS}
    assert at[0.0, 0.0]["sign"] == 0.0
    assert at[-1.0, -1.0]["atan2"] == pytest.approx(-3 * math.pi / 4)
    assert at[1.0, -1.0]["atan2"] == pytest.approx(3 * math.pi / 4)
    assert at[-7.3, 2.0]["fmod"] == pytest.approx(-1.3)  # sign of the dividend
    assert at[7.3, -2.0]["fmod"] == pytest.approx(1.3)
    assert at[3.0, 3.0]["fmin"] == at[3.0, 3.0]["fmax"] == 3.0
    assert at[7.3, -2.0]["copysign"] == -7.3


def test_the_branch_not_taken_does_no_harm(machine: tuple[System, Simulation]) -> None:
    system = System("guards")
    x = system.input("x")
    root = ops.if_else(x > 0, ops.sqrt(x) + x, 0.0)
    ratio = ops.if_else(x == 0, 1.0, ops.sin(x) / x)
    system.output("root", root)
    system.output("ratio", ratio)
    system.output("slope", system.calls.jacobian(root, x))
    sim = compiled(system)
    assert sim.outputs(u=[-1.0]).tolist() == [0.0, math.sin(1.0), 0.0]
    assert sim.outputs(u=[0.0])[:2].tolist() == [0.0, 1.0]
    assert sim.outputs(u=[4.0]).tolist() == pytest.approx([6.0, math.sin(4.0) / 4, 1.25], rel=4 * EPS)


def test_clip_does_not_hide_a_nan() -> None:
    system = System("nan_through_clip")
    x = system.input("x")
    system.output("clipped", ops.clip(ops.sqrt(x), -1.0, 1.0))
    sim = compiled(system)
    assert math.isnan(sim.outputs(u=[-1.0])[0])
    assert math.isnan(float(ops.clip(np.float64(np.nan), -1.0, 1.0)))
    assert math.isnan(evaluate(system, [system.outputs[0].symbol], {key(x): -1.0})[0])


def test_arrays_go_through_component_functions() -> None:
    x = np.linspace(-2, 2, 9)
    assert np.all(ops.clip(x, -1.0, 1.0) == np.clip(x, -1, 1))
    assert np.all(ops.if_else(x > 0, x, -x) == np.abs(x))
    assert np.all(ops.smooth_abs(x, 0.0) == np.abs(x))
    assert np.allclose(ops.cross(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])), [0, 0, 1])


def test_numpy_numbers_and_symbols_mix() -> None:
    system = System("mix")
    x = system.input("x")
    mixed = np.float64(2.0) * x + ops.fmin(np.float64(2.0), x) + ops.atan2(1, x) + np.array([3.0])[0] / x
    assert evaluate(system, [mixed], {key(x): np.float64(1.0)}) == [2.0 + 1.0 + math.pi / 4 + 3.0]
