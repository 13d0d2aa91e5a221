"""What a newcomer writes: accepted where the meaning is clear, refused at once and in words where it is not."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ModelError, ParameterError
from jounce.symbolic import Leaf, System
from jounce.symbolic.system import Scope
from models import compiled


def cart(s: System) -> Any:
    joint = s.prismatic("cart", s.world, "x")
    s.body("cart", joint, 2.0)
    return joint


# --- literals that are not finite ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declare", "where"),
    [
        (lambda s, j, bad: s.output("z", bad), "output 'z'"),
        (lambda s, j, bad: s.generalized_force(j.u[0], bad), r"generalized force on 'cart\.rate'"),
        (lambda s, j, bad: s.force(j, (bad, 0, 0)), "force on frame 'cart'"),
        (lambda s, j, bad: s.torque(j, (0, bad, 0)), "torque on frame 'cart'"),
        (lambda s, j, bad: s.derivative(s.state("x"), bad), "derivative of state 'x'"),
        (lambda s, j, bad: s.next_memory(s.memory("m"), bad), "next value of memory 'm'"),
        (lambda s, j, bad: (b := s.block("b")).update(b.signal("y"), bad), r"update of signal 'b\.y'"),
        (lambda s, j, bad: s.loop("l", [bad]), "loop 'l'"),
        (lambda s, j, bad: s.velocity_constraint("c", [bad], [j.u[0]]), "constraint 'c'"),
        (lambda s, j, bad: s.two_point(s.world, j, at_a=(0, 0, 1)).act(bad), "tension between 'world' and 'cart'"),
        (lambda s, j, bad: j.frame.guided("g", (bad, 0, 0)), "frame 'g'"),
        (lambda s, j, bad: s.body("b", j, bad), "body 'b': mass"),
    ],
)
def test_nan_in_an_expression_is_refused_when_declared(declare: Callable[..., Any], where: str) -> None:
    s = System("nan")
    joint = cart(s)
    # what math makes of a symbol; in the middle of an expression, and alone
    wrong = math.tanh(joint.q[0])
    assert math.isnan(wrong)
    with pytest.raises(
        ModelError, match=rf"{where}.*: nan in the expression; was a function of Python's math.*jn\.ops"
    ):
        declare(s, joint, 1.0 + joint.q[0] * wrong)
    s = System("nan")
    joint = cart(s)
    with pytest.raises(ModelError, match="nan in the expression"):
        declare(s, joint, wrong)


def test_infinity_in_an_expression_is_refused() -> None:
    s = System("infinite")
    joint = cart(s)
    with pytest.raises(ModelError, match=r"output 'z': inf in the expression; was a number divided by zero"):
        s.output("z", joint.q[0] + math.inf)


def test_nan_in_a_leaf_is_refused() -> None:
    with pytest.raises(ModelError, match="leaf function 'f': nan in the expression"):
        Leaf("f", {"x": 1}, lambda a: [a["x"][0] * math.nan])


# --- joints ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["revolute", "prismatic", "universal", "ball", "free"])
def test_joints_have_signatures_and_docs(name: str) -> None:
    method = getattr(Scope, name)
    kinds = {p.kind for p in inspect.signature(method).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert "States" in method.__doc__ and "Parameters" in method.__doc__


def test_the_states_named_in_the_docs_are_those_declared() -> None:
    s = System("joints")
    for name, make in (("a", s.revolute), ("b", s.prismatic), ("c", s.universal), ("d", s.ball), ("e", s.free)):
        joint = make(name, s.world)
        for symbol in (*joint.q, *joint.u):
            assert f"``{str(symbol).replace(name + '.', 'name.', 1)}``" in make.__doc__ or name in "de"


def test_a_misspelt_option_is_a_type_error_that_names_it() -> None:
    s = System("options")
    with pytest.raises(TypeError, match="axes"):
        s.prismatic("p", s.world, axes="z")  # type: ignore[call-arg]


def test_initial_values_and_offsets_take_units() -> None:
    s = System("units")
    box = s.free("box", initial=("10 cm", 0, 0.5))
    s.body("box", box, 1.0, (1, 1, 1))
    arm = s.revolute("arm", box, "z", offset=("20 mm", 0, 0), initial="90 deg")
    s.body("arm", arm, 1.0, (1, 1, 1))
    s.output("x", arm.frame.position[0], "m")
    simulation = compiled(s)
    assert simulation.state("box.x") == pytest.approx(0.1)
    assert simulation.state("arm.angle") == pytest.approx(math.pi / 2)
    assert simulation.output("x") == pytest.approx(0.12)


# --- frames, vectors, inertias ---------------------------------------------------------------------------------------


def test_a_joint_or_a_body_stands_for_its_frame() -> None:
    def build(direct: bool) -> System:
        s = System("frames")
        a = s.revolute("a", s.world)
        b = s.prismatic("b", a if direct else a.frame, "z", initial=1.0)
        body = s.body("m", b if direct else b.frame, 1.0, (1, 1, 1))
        s.force(body if direct else body.frame, (1, 2, 3), axes=a if direct else a.frame)
        s.torque(b if direct else b.frame, (0, 1, 0))
        s.two_point(s.world, b if direct else b.frame, at_a=(1, 0, 0)).act(10.0)
        s.output("ax", s.frame_acceleration(b if direct else b.frame)[0], "m/s2")
        return s

    found, expected = (compiled(build(direct)) for direct in (True, False))
    np.testing.assert_array_equal(found.derivatives()[0], expected.derivatives()[0])
    assert found.output("ax") == expected.output("ax")


def test_one_rotation_may_stand_alone() -> None:
    s = System("rotations")
    joint = cart(s)
    alone = joint.frame.fixed("a", rotations=("y", 0.1))
    listed = joint.frame.fixed("b", rotations=(("y", "0.1 rad"),))
    assert [str(x) for row in alone.orientation for x in row] == [str(x) for row in listed.orientation for x in row]


def test_an_inertia_may_be_a_matrix() -> None:
    def rates(inertia: Any) -> Any:
        s = System("inertia")
        box = s.free("box")
        s.body("box", box, 1.0, inertia)
        s.torque(box, (1, 2, 3))
        return compiled(s).derivatives()[0]

    matrix = np.array([[2.0, -0.1, 0.2], [-0.1, 3.0, 0.3], [0.2, 0.3, 4.0]])
    expected = rates((2.0, 3.0, 4.0, -0.1, 0.2, 0.3))
    np.testing.assert_array_equal(rates(matrix), expected)
    np.testing.assert_array_equal(rates(matrix.tolist()), expected)
    # the matrix is the inertia: M u̇ = torque
    np.testing.assert_allclose(np.linalg.solve(matrix, [1, 2, 3]), expected[-3:], rtol=1e-12)


def test_an_inertia_matrix_may_hold_symbols() -> None:
    s = System("inertia")
    box = s.free("box")
    xy = s.parameter("xy", 0.1)
    body = s.body("box", box, 1.0, [[2, xy, 0], [xy, 3, 0], [0, 0, 4]])
    assert str(body.inertia[0][1]) == str(body.inertia[1][0]) == "xy"
    with pytest.raises(ModelError, match="not symmetric"):
        s.body("other", box, 1.0, [[2, xy, 0], [0, 3, 0], [0, 0, 4]])


# --- refused, in words -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (
            lambda s, j: s.generalized_force(j.q[0], 1.0),
            r"cart\.travel is not a speed.*a coordinate; did you mean.*cart\.r",
        ),
        (lambda s, j: s.generalized_force((j.u[0], j.u[0]), 1.0), r"expected one speed, got 2: .* u\[0\]"),
        (lambda s, j: s.generalized_force(3.0, 1.0), r"expected a speed \(u\[0\] of a joint\), got 3"),
        (lambda s, j: s.generalized_force(j.u[0], "3 N"), "'3 N' is text; give a number in SI"),
        (lambda s, j: s.output("q", j.q), r"output 'q'.*: expected an expression|output 'q' must be a scalar"),
        (lambda s, j: s.body("m", 3, 1.0), "body 'm': expected a frame, a joint or a body, got int"),
        (lambda s, j: s.force(j, 9.81), r"force on frame 'cart' has three components, found 9\.81"),
        (lambda s, j: s.revolute("r", j, offset=0.3), r"offset of 'r' has three components, found 0\.3: write"),
        (
            lambda s, j: s.body("m", j, 1.0, inertia=2.0),
            r"inertia = 2\.0 \(float\): give \(Ixx, Iyy, Izz\), .* 3x3 matrix",
        ),
        (lambda s, j: s.body("m", j, 1.0, inertia=np.eye(2)), r"body 'm': inertia: 2 rows of 2 given"),
        (lambda s, j: j.frame.fixed("f", rotations=("y", 0.1, 0.2)), r"write pairs of axis and angle"),
        (lambda s, j: s.free("f", initial=1.0), r"joint 'f': initial = 1\.0; the position has three components"),
        (lambda s, j: s.coincide("c", j, s.world, directions="xw"), "directions = 'xw'; use letters of 'xyz'"),
        (lambda s, j: s.gyrostat("g", j, "y", 1.0), "gyrostat 'g': expected the body that carries it, got Joint"),
        (lambda s, j: s.loop("l", [j.u[0]]), r"loop 'l' contains the speed 'cart\.rate'.*use velocity_constraint"),
    ],
)
def test_what_cannot_be_meant_is_explained(declare: Callable[..., Any], message: str) -> None:
    s = System("wrong")
    with pytest.raises(ModelError, match=message):
        declare(s, cart(s))


def test_gravity_takes_a_vector() -> None:
    with pytest.raises(ModelError, match=r"gravity has three components, found 9\.81: write \(x, y, z\)"):
        System("g", gravity=9.81)


def test_the_speeds_of_a_joint_with_one_stand_for_it() -> None:
    s = System("tuple")
    joint = cart(s)
    s.generalized_force(joint.u, 4.0)
    assert compiled(s).derivatives()[0][1] == pytest.approx(2.0)


def test_a_system_shows_itself_in_one_line() -> None:
    s = System("shown")
    cart(s)
    assert repr(s) == "<System shown: 1 body, 2 states, 0 inputs, 0 parameters, 0 outputs>"


def test_public_names() -> None:
    assert callable(jn.coulomb) and callable(jn.find_equilibrium)
    with pytest.raises(AttributeError, match="has no attribute 'Tabel'; did you mean 'Table'"):
        jn.Tabel  # noqa: B018


def test_units_at_the_border() -> None:
    s = System("border")
    with pytest.raises(ParameterError, match=r"a decimal comma; write a point, '22\.5 N/m'"):
        s.parameter("k", "22,5 N/m", "N/m")
    with pytest.raises(ParameterError, match="1 Hz is one turn per second, 2π rad/s"):
        s.parameter("w", "2 Hz", "rad/s")
