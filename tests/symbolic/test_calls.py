"""Calls inside expressions: exact derivatives through nested calls, in C and in the interpreter."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import ModelError
from jounce.runtime.simulation import Simulation
from jounce.symbolic import Leaf, System, ops
from jounce.symbolic.calls import key
from jounce.symbolic.program import build_program, run
from models import EPS, assert_close, compiled, derivative, smooth_table

POINT = np.array([0.21, -0.13, 0.32])  # inside cells, and so are all values that reach another table


def wave(args: Any, order: int) -> list[float]:
    """A service of two arguments: sin(a + b/2) and cos(a + b/2), with derivatives laid out as a table's."""
    phase, slopes, out = args[0] + 0.5 * args[1], (1.0, 0.5), []
    for k in range(order + 1):
        for shift in (0.0, math.pi / 2):
            for axes in combinations_with_replacement(range(2), k):
                factor = math.prod(slopes[i] for i in axes)
                out.append(factor * math.sin(phase + shift + k * math.pi / 2))
    return out


def blend() -> Leaf:
    def body(groups: dict[str, list[Any]]) -> list[Any]:
        a, b = groups["x"]
        (c,) = groups["p"]
        return [0.5 * ops.sin(a + c * b) + 0.1 * a * b, 0.4 * ops.tanh(a * b) + 0.3 * b]

    return Leaf("blend", {"x": 2, "p": 1}, body)


def chains(system: System, x: Any, y: Any, z: Any) -> dict[str, Any]:
    """Chains of three calls and more."""
    f1, f2, f3 = (system.table(f"f{i}", smooth_table(1, 1, seed=i, scale=0.6)) for i in (1, 2, 3))
    g = system.table("g", smooth_table(2, 2, seed=4, scale=0.5))
    h = system.table("h", smooth_table(3, 1, seed=5, scale=0.5))
    service = system.service("wave", 2, 2, order=3)
    leaf = blend()
    inner = system.call(leaf, {"x": [x, y * z], "p": [0.7]})
    middle = g(inner[0], inner[1] + 0.2 * z)
    outer = system.call(leaf, {"x": [middle[0], middle[1] * x], "p": [0.7]})
    return {
        "table_table_table": f1(f2(f3(x * y) + 0.1 * z)),
        "leaf_table_leaf": outer[0] * outer[1],
        "service_leaf_table": service(*system.call(leaf, {"x": g(x, z), "p": [y]}))[1],
        "three_two_one": h(g(x, y)[0], f1(z), g(y, z)[1]),
        "linear_in_between": h(x * 0.5, x + 0.3 * y, z) * f1(f2(z)) + f1(x),
    }


@pytest.fixture(scope="module")
def machine() -> tuple[System, Simulation, list[str], list[Any]]:
    system = System("chains")
    symbols = [system.input(n, default=v) for n, v in zip("xyz", POINT, strict=True)]
    wrt = ops.vector(*symbols)
    names: list[str] = []
    expressions: list[Any] = []
    for name, value in chains(system, *symbols).items():
        level = {(): value}
        for order in range(4):
            for axes, expression in level.items():
                names.append(".".join([name, "d" + "".join("xyz"[i] for i in axes)]))
                expressions.append(expression)
            if order < 3:
                deeper: dict[tuple[int, ...], Any] = {}
                for axes, expression in level.items():
                    row = system.calls.jacobian(expression, wrt)
                    # all orders of differentiation are kept: they must agree
                    deeper |= {(*axes, i): row[0, i] for i in range(3)}
                level = deeper
    for name, expression in zip(names, expressions, strict=True):
        system.output(name, expression)
    sim = compiled(system)
    sim.bind("wave", wave)
    return system, sim, names, expressions


def test_every_order_is_the_difference_quotient_of_the_one_below(
    machine: tuple[System, Simulation, list[str], list[Any]],
) -> None:
    _, sim, names, _ = machine
    at = sim.outputs(u=POINT)
    index = {name: i for i, name in enumerate(names)}
    for axis, letter in enumerate("xyz"):
        step = np.eye(3)[axis]
        slope, error = derivative(lambda s, step=step: sim.outputs(u=POINT + s * step), h=2e-3)
        for name, i in index.items():
            if len(name.rsplit(".d", 1)[1]) < 3:
                assert_close(at[index[name + letter]], slope[i], error[i] + 1e-11)


def test_mixed_derivatives_do_not_depend_on_the_order(
    machine: tuple[System, Simulation, list[str], list[Any]],
) -> None:
    _, sim, names, _ = machine
    at = dict(zip(names, sim.outputs(u=POINT), strict=True))
    for name, value in at.items():
        chain, axes = name.rsplit(".d", 1)
        same = at[f"{chain}.d{''.join(sorted(axes))}"]
        # some hundred products of numbers of order one
        assert value == pytest.approx(same, rel=1e-12, abs=1e-12)


def test_interpreter_and_compiled_code_agree(machine: tuple[System, Simulation, list[str], list[Any]]) -> None:
    system, sim, names, expressions = machine
    values = {key(i.symbol): float(v) for i, v in zip(system.inputs, POINT, strict=True)}
    tables = [t.table for t in system.tables.values()]
    found = run(build_program(system.calls, expressions), values, lambda slot: tables[slot], lambda slot: wave)
    compiled_values = sim.outputs(u=POINT)
    # sums of up to some hundred terms, in another order of multiplication inside the tables
    assert_close(compiled_values, found, 1e-12 * (1 + np.abs(found)), names)


def one_table(order: int) -> tuple[System, Any, Any]:
    system = System("one")
    x = system.input("x")
    table = system.table("curve", smooth_table(1, 1))
    expression = table(ops.sin(x))
    for _ in range(order):
        expression = system.calls.jacobian(expression, x)
    return system, x, expression


def test_fourth_derivative_of_a_table_is_refused_by_name() -> None:
    one_table(3)
    with pytest.raises(ModelError, match=r"table 'curve': derivative of order 4 .* up to 3"):
        one_table(4)


def test_order_a_service_does_not_give_is_refused_by_name() -> None:
    system = System("low_order")
    x = system.input("x")
    road = system.service("road", 1, 1, order=1)
    slope = system.calls.jacobian(road(x * x), x)
    with pytest.raises(ModelError, match=r"service 'road': derivative of order 2 .* up to 1"):
        system.calls.jacobian(slope, x)
    flat = system.service("flat", 1, 1, order=0)
    with pytest.raises(ModelError, match=r"service 'flat': derivative of order 1"):
        system.calls.jacobian(flat(x), x)
    system.calls.jacobian(flat(3.0), x)  # does not depend on x: nothing is asked


def test_missing_order_inside_a_leaf_names_leaf_and_table() -> None:
    leaf = Leaf("carrier", {"x": 1}, lambda g, tables: tables[0](g["x"][0]), tables=[(1, 1)])
    system = System("deep")
    x = system.input("x")
    value = system.call(leaf, {"x": [x]}, [system.table("t", smooth_table(1, 1))])[0]
    for _ in range(3):
        value = system.calls.jacobian(value, x)
    with pytest.raises(ModelError, match=r"carrier\.table0.*order 4"):
        system.calls.jacobian(value, x)


def source(system: System, part: str = "") -> str:
    return "\n".join(text for name, text in system.generate().sources.items() if name.endswith(".c") and part in name)


def test_one_c_call_for_one_table_and_one_argument() -> None:
    system = System("sharing")
    x = system.input("x")
    table = system.table("t", smooth_table(1, 3))
    first, again = table(2 * x), None
    state = system.state("s")
    again = table(first[0])
    system.derivative(state, first[0] + first[1] + again[2] + table(first[0])[1])
    text = source(system)
    assert text.count("jn_table_eval(") == 2


def test_equal_arguments_written_twice_are_one_call() -> None:
    system = System("sharing_equal")
    x = system.input("x")
    table = system.table("t", smooth_table(1, 1))
    state = system.state("s")
    system.derivative(state, table(2 * x + 1) + 3 * system.calls.jacobian(table(2 * x + 1), x))
    assert source(system).count("jn_table_eval(") == 1


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_only_the_orders_in_use_are_asked_for(order: int) -> None:
    system, _, expression = one_table(order)
    state = system.state("s")
    system.derivative(state, expression)
    text = source(system)
    assert text.count("jn_table_eval(") == 1
    assert f", {order}, y" in text


def test_derivatives_that_were_taken_but_not_used_cost_nothing() -> None:
    system, x, expression = one_table(0)
    system.calls.jacobian(system.calls.jacobian(expression, x), x)
    state = system.state("s")
    system.derivative(state, expression)
    assert ", 0, y" in source(system)


def test_aliases_cut_and_are_seen_through() -> None:
    system = System("aliases")
    x, y = system.input("x"), system.input("y")
    (a,) = system.calls.alias("a", [ops.sin(x) * y])
    (b,) = system.calls.alias("b", [a * a + x])
    expression = b * a
    total = system.calls.jacobian(expression, ops.vector(x, y))
    cut = system.calls.jacobian(expression, ops.vector(a))  # at constant x
    for name, value in (("value", expression), ("dx", total[0, 0]), ("dy", total[0, 1]), ("da", cut)):
        system.output(name, value)
    sim = compiled(system)
    X, Y = 0.4, 1.3
    A = math.sin(X) * Y
    slope = 3 * A * A + X
    expected = [(A * A + X) * A, slope * math.cos(X) * Y + A, slope * math.sin(X), slope]
    assert sim.outputs(u=[X, Y]).tolist() == pytest.approx(expected, rel=8 * EPS)
    assert "/* a */" not in source(system)


def test_a_value_that_needs_itself_is_an_algebraic_loop() -> None:
    system = System("loop")
    joint = system.prismatic("cart", system.world)
    system.body("cart", joint.frame, 2.0)
    system.force(joint.frame, (3.0 - 0.5 * system.acceleration(joint.u[0]), 0, 0))
    with pytest.raises(ModelError, match=r"algebraic loop.*cart\.rate.*break it with a state or a memory"):
        system.generate()


def test_loop_is_found_by_differentiation_too() -> None:
    system = System("loop")
    joint = system.prismatic("cart", system.world)
    system.body("cart", joint.frame, 2.0)
    system.force(joint.frame, (3.0 - 0.5 * system.acceleration(joint.u[0]) * joint.q[0], 0, 0))
    with pytest.raises(ModelError, match=r"acceleration of cart\.rate.*loop|algebraic loop"):
        system.generate_linear()


def test_wrong_number_of_arguments_names_the_call() -> None:
    system = System("counts")
    x = system.input("x")
    table = system.table("map", smooth_table(2, 1))
    service = system.service("road", 3, 1)
    for call, args, message in (
        (table, (x,), "table 'map' takes 2 arguments, 1 were given"),
        (table, (x, x, x), "table 'map' takes 2 arguments, 3 were given"),
        (service, (x,), "service 'road' takes 3 arguments, 1 were given"),
    ):
        with pytest.raises(ModelError, match=message):
            call(*args)


def test_reading_through_calls_finds_every_symbol() -> None:
    system = System("reach")
    x, y, z = (system.input(n) for n in "xyz")
    table = system.table("t", smooth_table(2, 1))
    value = table(x, system.calls.alias("a", [table(y, 1.0)])[0])
    assert system.calls.depends_on(value, [x])
    assert system.calls.depends_on(value, [y])
    assert not system.calls.depends_on(value, [z])


def test_other_values_are_put_through_tables_and_aliases() -> None:
    """An expression with other arguments is what it would have been, had it been written with them."""
    system = System("substituted")
    x, y = system.input("x"), system.input("y")
    f, g = system.table("f", smooth_table(1, 1, seed=6, scale=0.6)), system.table("g", smooth_table(2, 1, seed=7))

    def written(a: Any, b: Any) -> Any:
        (named,) = system.calls.alias("named", [f(a) + 0.3 * b])
        return g(named, b) * a + f(b)

    first = written(x, y)
    slope = system.calls.jacobian(first, x)[0, 0]
    other = (0.4 * y - 0.1, x * y)
    anew, anew_slope, same = system.calls.substituted([first, slope, f(y)], [x], [other[0]])
    system.output("anew", anew)
    system.output("slope", anew_slope)
    system.output("same", same)
    system.output("expected", written(other[0], y))
    (inner,) = system.calls.alias("inner", [other[0]])
    system.output("expected_slope", system.calls.jacobian(written(inner, y), inner)[0, 0])
    system.output("f_y", f(y))
    late = system.later("late", sought=True)
    system.output("by_late", late * 2.0)
    system.define(late, f(x) + 1.0)
    system.output("at_once", (f(x) + 1.0) * 2.0)
    sim = compiled(system)
    sim.set_inputs({"x": 0.21, "y": -0.17})
    for name, expected in (("anew", "expected"), ("slope", "expected_slope"), ("same", "f_y"), ("by_late", "at_once")):
        assert_close(sim.output(name), sim.output(expected), 4 * EPS)
    assert abs(sim.output("anew") - float(sim.output("f_y"))) > 1e-3


def test_a_symbol_that_is_defined_later() -> None:
    """Its expression counts as if it had been written where the symbol stands; unknown, twice or never is told."""
    from jounce.sim.build import build

    system = System("later")
    a, b = system.state("a", initial=0.7), system.state("b", initial=-0.4)
    late = system.later("late")
    system.derivative(a, 3 * late + b)
    system.define(late, a * b)
    system.derivative(b, late - 1)
    with pytest.raises(ModelError, match=r"late was not made by later\(\), or is defined already"):
        system.define(late, a)
    with pytest.raises(ModelError, match="was not made by later"):
        system.define(a, b)
    sim = Simulation(build(system.generate()))
    assert sim.derivatives()[0] == pytest.approx([3 * 0.7 * -0.4 - 0.4, 0.7 * -0.4 - 1])
    lost = System("lost")
    state = lost.state("a")
    lost.derivative(state, lost.later("nobody") + state)
    with pytest.raises(ModelError, match="nobody"):
        lost.generate()


def test_a_massless_state_moves_a_frame_without_a_speed() -> None:
    """A body on a shaft that is shifted by such a state: its lever counts, its rate does not; other states may not."""
    from jounce.sim.build import build

    system = System("shifted", gravity=(0, 0, 0))
    arm = system.state("arm", "m", initial=0.3, massless=True)
    system.derivative(arm, 5.0)
    joint = system.revolute("shaft", system.world, "z")
    frame = joint.frame.guided("end", [arm, 0, 0])
    system.body("load", frame, 2.0, [0.0, 0.0, 0.1])
    system.torque(joint.frame, [0, 0, 1.4], axes=joint.frame)
    sim = Simulation(build(system.generate()))
    sim.set_states({"shaft.rate": 2.0})
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    assert rates["arm"] == 5.0
    assert rates["shaft.rate"] == pytest.approx(1.4 / (0.1 + 2.0 * 0.3**2)), "no Coriolis force by its rate"
    other = System("moved")
    heavy = other.state("heavy", "m")
    with pytest.raises(ModelError, match="state 'heavy' moves a frame"):
        other.world.guided("end", [heavy, 0, 0])
