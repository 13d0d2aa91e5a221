"""Leaf functions: emitted once, called often, differentiated by further leaf functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import ModelError
from jounce.symbolic import Leaf, System, emit, ops
from jounce.symbolic.calls import key
from jounce.symbolic.generate import evaluate
from models import EPS, assert_close, compiled, derivative, smooth_table


def sources(system: System) -> str:
    return "\n".join(text for name, text in system.generate().sources.items() if name.endswith(".c"))


def product() -> Leaf:
    return Leaf("product", {"x": 2}, lambda g: [g["x"][0] * ops.sin(g["x"][1]), g["x"][1] ** 2])


def test_a_leaf_called_many_times_is_defined_once() -> None:
    system = System("many")
    x = system.state("x")
    leaf = product()
    total = sum(system.call(leaf, {"x": [x, float(i)]})[0] for i in range(5))
    system.derivative(x, total)
    text = sources(system)
    assert text.count("void many_leaf_product(") == 1
    assert text.count("many_leaf_product(") == 6


def test_equal_calls_are_made_once() -> None:
    system = System("twice")
    x = system.state("x")
    leaf = product()
    system.derivative(x, system.call(leaf, {"x": [x, 2.0]})[0] + system.call(leaf, {"x": [x, 2.0]})[1])
    assert sources(system).count("twice_leaf_product(") == 2  # definition and one call


def test_consecutive_parameters_are_passed_by_pointer() -> None:
    system = System("pointers")
    x = system.state("x")
    before = system.parameter("before", 1.0)
    block = [system.parameter(f"p{i}", 0.5 + i) for i in range(4)]
    leaf = Leaf("polynomial", {"x": 1, "p": 4}, lambda g: [sum(c * g["x"][0] ** i for i, c in enumerate(g["p"]))])
    straight = system.call(leaf, {"x": [x], "p": block})[0]
    turned = system.call(leaf, {"x": [x], "p": block[::-1]})[0]
    gap = system.call(leaf, {"x": [x], "p": [before, *block[1:]]})[0]
    system.derivative(x, straight)
    system.output("turned", turned)
    system.output("gap", gap)
    text = sources(system)
    assert text.count("&env->p[1]") == 1
    assert "const double p1 = " not in text.split("pointers_outputs_0")[0], "a value passed by pointer is not loaded"
    sim = compiled(system)
    X = 0.7
    values = np.array([0.5, 1.5, 2.5, 3.5])
    powers = X ** np.arange(4)
    assert sim.derivatives(x=[X])[0][0] == pytest.approx(values @ powers, rel=8 * EPS)
    assert sim.outputs(x=[X]).tolist() == pytest.approx([values[::-1] @ powers, values @ powers + 0.5], rel=8 * EPS)


def test_names_of_groups_never_clash_with_c() -> None:
    system = System("clash")
    x = system.state("x", initial=2.0)
    groups = {"y": 1, "w": 2, "tab": 1, "double": 1, "v0": 1, "a0": 1, "env": 1, "sin": 1}
    leaf = Leaf("clash", groups, lambda g: [sum(v * (i + 1) for i, (v, *_) in enumerate(g.values())) + g["w"][1]])
    system.derivative(x, system.call(leaf, {name: [x] * n for name, n in groups.items()})[0])
    assert compiled(system).derivatives()[0][0] == 2.0 * (36 + 1)


def nested() -> tuple[Leaf, Leaf]:
    inner = Leaf("inner", {"x": 2}, lambda g, tables: tables[0](ops.sin(g["x"][0]) * g["x"][1]), tables=[(1, 1)])

    def body(g: Any, tables: Any) -> list[Any]:
        (first,) = g.call(inner, {"x": g["x"]}, [tables[1]])
        (second,) = g.call(inner, {"x": [first, g["x"][1]]}, [tables[0]])
        return [first * second, g["x"][0] + second]

    return inner, Leaf("outer", {"x": 2}, body, tables=[(1, 1), (1, 1)])


def test_leaf_inside_leaf_with_tables_at_orders_up_to_three() -> None:
    _, outer = nested()
    system = System("nested")
    x, y = system.input("x"), system.input("y")
    tables = [system.table(f"t{i}", smooth_table(1, 1, seed=i, scale=0.5)) for i in range(3)]
    value = system.call(outer, {"x": [x, ops.cos(y)]}, [tables[2], tables[1]])[0]
    expressions, names = [value], ["f"]
    for name, parent in (("fx", 0), ("fy", 0), ("fxx", 1), ("fxy", 1), ("fyy", 2), ("fxxy", 3), ("fyyy", 5)):
        expressions.append(system.calls.jacobian(expressions[parent], {"x": x, "y": y}[name[-1]]))
        names.append(name)
    for name, expression in zip(names, expressions, strict=True):
        system.output(name, expression)
    sim = compiled(system)
    at = np.array([0.3, 0.4])
    found = dict(zip(names, sim.outputs(u=at), strict=True))
    for axis, letter in enumerate("xy"):
        direction = np.eye(2)[axis]
        slope, error = derivative(lambda s, d=direction: sim.outputs(u=at + s * d), h=2e-3)
        by_name, allowed = dict(zip(names, slope, strict=True)), dict(zip(names, error, strict=True))
        for name in names:
            if (deeper := name + letter) in found:
                assert_close(found[deeper], by_name[name], allowed[name] + 1e-11)
    # both tables, in the order given
    t = [h.table for h in tables]
    first = float(t[1](math.sin(0.3) * math.cos(0.4)))
    assert found["f"] == pytest.approx(first * float(t[2](math.sin(first) * math.cos(0.4))), rel=1e-13)
    values = {key(x): at[0], key(y): at[1]}
    assert_close(evaluate(system, expressions, values), [found[n] for n in names], 1e-12)


def test_long_leaves_are_cut_into_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    def body(g: Any, tables: Any) -> list[Any]:
        a, b = g["x"]
        for i in range(40):
            a, b = ops.sin(a + 0.1 * i * b), ops.cos(a - b) + tables[0](0.1 * a)[0]
        return [a, b, a, g["x"][0], 3.0]

    def make(name: str) -> System:
        system = System(name)
        x = system.input("x", default=0.3)
        table = system.table("t", smooth_table(1, 1))
        leaf = Leaf("long", {"x": 2}, body, tables=[(1, 1)])
        for i, value in enumerate(system.call(leaf, {"x": [x, 0.2]}, [table])):
            system.output(f"o{i}", value)
        return system

    whole = compiled(make("uncut"))
    monkeypatch.setattr(emit, "CHUNK", 25)
    cut_system = make("cut")
    cut = compiled(cut_system)
    assert "cut_leaf_long_5(" in sources(cut_system)
    assert cut.outputs().tolist() == whole.outputs().tolist()
    assert cut.outputs()[[0, 3, 4]].tolist() == [cut.outputs()[2], 0.3, 3.0]


def test_one_leaf_in_two_systems_gives_the_same_c_as_alone() -> None:
    def make(leaf: Leaf, both: bool) -> dict[str, str]:
        system = System("shared")
        q, _ = system.coordinate("q")
        r, _ = system.coordinate("r")
        place = system.call(leaf, {"x": [q, r if both else 2.0]})[0]
        system.body("b", system.world.guided("f", (place, r, q)), 1.0)
        return system.generate().sources

    leaf = product()
    alone = make(leaf, False)
    make(leaf, True)  # asks for more derivatives
    assert make(leaf, False) == alone


@pytest.mark.parametrize(
    ("groups", "tables", "message"),
    [
        ({"x": [1.0]}, 1, r"'f': group 'x' takes 2 arguments, 1 were given"),
        ({}, 1, r"'f': argument group 'x' is missing"),
        ({"x": [1.0, 2.0], "X": [1.0]}, 1, r"'f': argument group 'X' is unknown.*known: x"),
        ({"x": [1.0, 2.0]}, 0, r"'f' takes 1 tables, 0 were given"),
        ({"x": [1.0, 2.0]}, 2, r"'f': table 0 must have 2 axes and 1 outputs; 'wrong' has 1 and 1"),
    ],
)
def test_wrong_arguments_name_leaf_and_group(groups: dict[str, Any], tables: int, message: str) -> None:
    system = System("wrong_leaf")
    right = system.table("right", smooth_table(2, 1))
    wrong = system.table("wrong", smooth_table(1, 1))
    leaf = Leaf("f", {"x": 2}, lambda g, t: t[0](*g["x"]), tables=[(2, 1)])
    with pytest.raises(ModelError, match=message):
        system.call(leaf, groups, {0: [], 1: [right], 2: [wrong]}[tables])


def test_wrong_leaves_are_refused_when_made() -> None:
    for name, groups, message in (
        ("a b", {"x": 1}, "leaf function 'a b': the name must be"),
        ("f", {"x y": 1}, "group name 'x y'"),
        ("f", {"x": 0}, "'f' has no arguments"),
    ):
        with pytest.raises(ModelError, match=message):
            Leaf(name, groups, lambda g: [1.0])
    with pytest.raises(ModelError, match="table 0 takes 2 arguments, 1 were given"):
        Leaf("f", {"x": 1}, lambda g, t: t[0](g["x"][0]), tables=[(2, 1)])


def test_two_leaves_of_one_name_are_refused() -> None:
    system = System("same_name")
    x = system.state("x")
    system.derivative(x, system.call(product(), {"x": [x, x]})[0] + system.call(product(), {"x": [x, 1.0]})[0])
    with pytest.raises(ModelError, match="two different leaf functions are named 'product'"):
        system.generate()


def test_a_symbol_from_outside_a_leaf_is_named() -> None:
    system = System("leak")
    x = system.state("x")
    leaf = Leaf("leaky", {"a": 1}, lambda g: [g["a"][0] * x])
    system.derivative(x, system.call(leaf, {"a": [x]})[0])
    with pytest.raises(ModelError, match=r"uses the symbol 'x', which was not declared here.*pass it as an argument"):
        system.generate()
