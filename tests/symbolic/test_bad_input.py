"""Wrong descriptions are refused before anything is compiled, by name and with advice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import JounceError, ModelError, ParameterError
from jounce.core.tables import Table
from jounce.symbolic import Leaf, System, ops
from models import compiled, smooth_table


def cart(system: System, name: str = "cart", mass: Any = 1.0) -> Any:
    joint = system.prismatic(name, system.world)
    system.body(name, joint.frame, mass)
    return joint


@pytest.fixture(autouse=True)
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is refused here is refused before a compiler is looked for."""
    import jounce.runtime.compile as compiling

    def forbidden(*_: Any, **__: Any) -> None:
        raise AssertionError("the compiler was called")

    monkeypatch.setattr(compiling.subprocess, "run", forbidden)
    monkeypatch.setattr(compiling.subprocess, "Popen", forbidden)


Describe = Callable[[System], Any]

DECLARATIONS: list[tuple[str, type[JounceError], str, Describe]] = [
    # names
    (
        "parameter twice",
        ModelError,
        r"'k' is declared twice: use another name or scope",
        lambda s: [s.parameter("k") for _ in "12"],
    ),
    ("state and parameter", ModelError, r"'k' is declared twice", lambda s: (s.parameter("k"), s.state("k"))),
    ("input and memory", ModelError, r"'k' is declared twice", lambda s: (s.input("k"), s.memory("k"))),
    (
        "rate of an input",
        ModelError,
        r"'u\.rate' is declared twice",
        lambda s: (s.state("u.rate"), s.input("u", rate=True)),
    ),
    ("derived", ModelError, r"'k' is declared twice", lambda s: (s.parameter("k"), s.derived("k", 1.0))),
    ("joint twice", ModelError, r"'cart\.travel' is declared twice", lambda s: (cart(s), cart(s))),
    ("output twice", ModelError, r"output 'y' is declared twice", lambda s: [s.output("y", 1.0) for _ in "12"]),
    (
        "table twice",
        ModelError,
        r"table 't' is declared twice",
        lambda s: [s.table("t", smooth_table(1, 1)) for _ in "12"],
    ),
    ("service twice", ModelError, r"service 'r' is declared twice", lambda s: [s.service("r", 1, 1) for _ in "12"]),
    (
        "scopes that meet",
        ModelError,
        r"'a\.b\.c' is declared twice",
        lambda s: (s.scope("a").parameter("b.c"), s.scope("a.b").parameter("c")),
    ),
    (
        "space in a name",
        ModelError,
        r"name 'my mass': use letters, digits and underscores",
        lambda s: s.parameter("my mass"),
    ),
    ("empty name", ModelError, r"name '': use letters", lambda s: s.parameter("")),
    ("two dots", ModelError, r"name 'a\.\.b'", lambda s: s.state("a..b")),
    ("empty scope", ModelError, r"name ''", lambda s: s.scope("")),
    ("bad output", ModelError, r"name 'a-b'", lambda s: s.output("a-b", 1.0)),
    ("bad table", ModelError, r"name 't/1'", lambda s: s.table("t/1", smooth_table(1, 1))),
    ("comment in a name", ModelError, r"name 'a\*/'", lambda s: s.input("a*/")),
    # units and numbers
    (
        "unit mismatch",
        ParameterError,
        r"mass = '25 m': found m .*expected kg",
        lambda s: s.parameter("mass", "25 m", "kg"),
    ),
    (
        "unknown unit",
        ParameterError,
        r"mass.*unknown unit 'kgg'; did you mean",
        lambda s: s.parameter("mass", 1.0, "kgg"),
    ),
    (
        "unknown unit of a value",
        ParameterError,
        r"mass = '3 qq'.*unknown unit 'qq'",
        lambda s: s.parameter("mass", "3 qq", "kg"),
    ),
    (
        "unknown unit of a state",
        ParameterError,
        r"unit of x.*unknown unit 'metre_s'",
        lambda s: s.state("x", "metre_s"),
    ),
    ("unknown unit of an output", ParameterError, r"unit of y.*unknown unit 'qq'", lambda s: s.output("y", 1.0, "qq")),
    (
        "initial state",
        ParameterError,
        r"x = '25 kg': found kg .*expected m",
        lambda s: s.state("x", "m", initial="25 kg"),
    ),
    (
        "text without number",
        ParameterError,
        r"mass = 'heavy': does not begin with a number",
        lambda s: s.parameter("mass", "heavy", "kg"),
    ),
    (
        "nan",
        ParameterError,
        r"mass = nan: the default must be a finite number",
        lambda s: s.parameter("mass", float("nan"), "kg"),
    ),
    ("infinite input", ParameterError, r"u = inf", lambda s: s.input("u", default=float("inf"))),
    ("no number", ParameterError, r"mass = None: expected a number", lambda s: s.parameter("mass", None, "kg")),  # type: ignore[arg-type]
    # shapes and symbols
    (
        "vector output",
        ModelError,
        r"output 'v' must be a scalar, it has 3 components",
        lambda s: s.output("v", ops.vector(s.time, 1.0, 2.0)),
    ),
    (
        "rate of a parameter",
        ModelError,
        r"k is not a state made by state\(\)",
        lambda s: s.derivative(s.parameter("k"), 1.0),
    ),
    (
        "rate of a coordinate",
        ModelError,
        r"cart\.travel is not a state made by state\(\)",
        lambda s: s.derivative(cart(s).q[0], 1.0),
    ),
    (
        "update of a state",
        ModelError,
        r"x is not a memory made by memory\(\)",
        lambda s: s.next_memory(s.state("x"), 1.0),
    ),
    (
        "force on a coordinate",
        ModelError,
        r"cart\.travel is not a speed",
        lambda s: s.generalized_force(cart(s).q[0], 1.0),
    ),
    (
        "speed of another system",
        ModelError,
        r"other\.rate is not a speed of this system",
        lambda s: s.generalized_force(cart(System("b"), "other").u[0], 1.0),
    ),
    (
        "inertia of two numbers",
        ModelError,
        r"body 'b': inertia: 2 numbers given; give \(Ixx, Iyy, Izz\)",
        lambda s: s.body("b", s.world, 1.0, (1, 2)),
    ),
    (
        "inertia as a matrix that is not symmetric",
        ModelError,
        r"body 'b': inertia: the matrix is not symmetric: entry \(0, 1\)",
        lambda s: s.body("b", s.world, 1.0, np.eye(3) + np.eye(3, k=1)),
    ),
    ("mass as text", ModelError, r"body 'b': mass = '25 kg'", lambda s: s.body("b", s.world, "25 kg")),
    ("two components", ModelError, r"has three components, 2 were given", lambda s: s.force(s.world, (1, 2))),
    (
        "four components",
        ModelError,
        r"force on frame 'world' has three components, 4 were given",
        lambda s: s.force(s.world, (1, 2, 3, 4)),
    ),
    (
        "rotor without axis",
        ModelError,
        r"gyrostat 'g': the axis \(0, 0, 0\) has no length",
        lambda s: s.gyrostat("g", s.body("b", s.world, 1.0), (0, 0, 0), 1.0),
    ),
    (
        "rotor about nothing",
        ModelError,
        r"gyrostat 'g': unknown axis 'q'",
        lambda s: s.gyrostat("g", s.body("b", s.world, 1.0), "q", 1.0),
    ),
    ("service without arguments", ModelError, r"service 'r': n_in = 0", lambda s: s.service("r", 0, 1)),
    ("service without results", ModelError, r"service 'r'.*n_out = 0", lambda s: s.service("r", 1, 0)),
    (
        "derived from a state",
        ModelError,
        r"derived parameter 'd' depends on 'x', which is no parameter",
        lambda s: s.derived("d", 2 * s.state("x")),
    ),
    (
        "derived from a state through a table",
        ModelError,
        r"derived parameter 'd' depends on 'x'",
        lambda s: s.derived("d", s.table("t", smooth_table(1, 1))(s.state("x"))),
    ),
    (
        "derived from a service",
        ModelError,
        r"derived parameter 'd' asks service 'r'",
        lambda s: s.derived("d", s.service("r", 1, 1)(s.parameter("p"))),
    ),
    # what may move a frame
    (
        "pose of a speed",
        ModelError,
        r"speed 'cart\.rate' is used in a pose: use coordinates there",
        lambda s: s.world.guided("f", (cart(s).u[0], 0, 0)),
    ),
    (
        "angle of a state",
        ModelError,
        r"state 'x' moves a frame; only coordinates",
        lambda s: s.world.guided("f", (0, 0, 0), (("x", s.state("x")),)),
    ),
    (
        "pose of an input",
        ModelError,
        r"input 'u' moves a frame but has no rate: declare it with rate=True",
        lambda s: s.world.guided("f", (0, 0, s.input("u"))),
    ),
    (
        "pose of an input in a table",
        ModelError,
        r"input 'u' moves a frame but has no rate",
        lambda s: s.world.guided("f", (0, s.table("t", smooth_table(1, 1))(s.input("u")), 0)),
    ),
    (
        "pose of a speed in a leaf",
        ModelError,
        r"speed 'cart\.rate' is used in a pose",
        lambda s: s.world.fixed(
            "f", (s.call(Leaf("g", {"x": 1}, lambda g: [2 * g["x"][0]]), {"x": [cart(s).u[0]]})[0], 0, 0)
        ),
    ),
    (
        "offset of a state",
        ModelError,
        r"state 'x' moves a frame",
        lambda s: s.revolute("j", s.world, offset=(s.state("x"), 0, 0)),
    ),
    (
        "offset of a slider",
        ModelError,
        r"state 'x' moves a frame",
        lambda s: s.prismatic("j", s.world, offset=(s.state("x"), 0, 0)),
    ),
    (
        "place of an acceleration",
        ModelError,
        r"acceleration of cart\.rate.*before it is defined",
        lambda s: s.world.fixed("f", (s.acceleration(cart(s).u[0]), 0, 0)),
    ),
    # tables
    (
        "repeated abscissae",
        ParameterError,
        r"curve.*repeated|curve.*ascending",
        lambda s: s.table("t", Table([0, 1, 1, 2], [0, 1, 2, 3], name="curve")),
    ),
    (
        "unsorted abscissae",
        ParameterError,
        r"curve.*ascending",
        lambda s: s.table("t", Table([0, 2, 1], [0, 1, 2], name="curve")),
    ),
    (
        "nan in values",
        ParameterError,
        r"curve.*nan",
        lambda s: s.table("t", Table([0, 1, 2], [0, np.nan, 2], name="curve")),
    ),
    (
        "nan in abscissae",
        ParameterError,
        r"curve.*nan",
        lambda s: s.table("t", Table([0, np.nan, 2], [0, 1, 2], name="curve")),
    ),
    (
        "unknown interpolation",
        ParameterError,
        r"curve.*'quadratic': unknown.*linear, akima, cubic",
        lambda s: s.table("t", Table([0, 1], [0, 1], method="quadratic", name="curve")),
    ),
]


@pytest.mark.parametrize(
    ("kind", "message", "describe"), [d[1:] for d in DECLARATIONS], ids=[d[0] for d in DECLARATIONS]
)
def test_wrong_declarations(kind: type[JounceError], message: str, describe: Describe) -> None:
    with pytest.raises(kind, match=message):
        describe(System("wrong"))


def no_rate(s: System) -> None:
    s.state("temperature", "K")


def no_update(s: System) -> None:
    s.memory("gear")


def massless(s: System) -> None:
    s.prismatic("cart", s.world)


def massless_leaf(s: System) -> None:
    j = cart(s)
    s.revolute("hinge", j.frame)


def zero_mass(s: System) -> None:
    cart(s, mass=s.parameter("m", 0.0, "kg"))


def negative_mass(s: System) -> None:
    cart(s, mass=-1.0)


def same_direction(s: System) -> None:
    """Three sliders in a plane: the pivot that should vanish is a rounding error of either sign."""
    frame = s.world
    for i, axis in enumerate([(1, 0.3, 0), (0.2, 1, 0), (0.7, 1, 0)]):
        frame = s.prismatic(f"slide{i}", frame, axis=axis).frame
    s.body("mass", frame, s.parameter("m", 1234.5, "kg"))


def gimbal_lock(s: System) -> None:
    """Three successive rotations whose first and last axis coincide at the start."""
    frame = s.world
    for i, axis in enumerate("xyx"):
        frame = s.revolute(f"turn{i}", frame, axis=axis).frame
    s.body("body", frame, 1.0, (1, 2, 3))


def foreign_mass(s: System) -> None:
    cart(s, mass=System("b").parameter("their_mass", 2.0, "kg"))


def foreign_force(s: System) -> None:
    s.force(cart(s).frame, (System("b").parameter("their_force", 2.0), 0, 0))


def foreign_output(s: System) -> None:
    s.output("y", 2 * System("b").state("their_state"))


def rate_missing(s: System) -> None:
    q = s.declare_coordinate("q", "m", s.world)
    s.output("y", q)


SYSTEMS: list[tuple[Callable[[System], None], str]] = [
    (no_rate, r"system 'wrong': state 'temperature' has no derivative: call derivative"),
    (no_update, r"memory 'gear' has no update: call next_memory"),
    (rate_missing, r"coordinate 'q' has no rate"),
    (massless, r"singular mass matrix: speed 'cart\.rate' moves no mass.*give a body that moves with it mass"),
    (massless_leaf, r"singular mass matrix: speed 'hinge\.rate' moves no mass and no inertia"),
    (zero_mass, r"singular mass matrix: the inertia seen by speed 'cart\.rate' is 0 at the initial state"),
    (negative_mass, r"singular mass matrix: .*'cart\.rate' is -1"),
    (same_direction, r"singular mass matrix: the inertia seen by speed 'slide0\.rate'"),
    (gimbal_lock, r"singular mass matrix: .*'turn[02]\.rate'.*start from another position"),
    (foreign_mass, r"uses the symbol 'their_mass', which was not declared here"),
    (foreign_force, r"uses the symbol 'their_force', which was not declared here"),
    (foreign_output, r"uses the symbol 'their_state', which was not declared here"),
]


@pytest.mark.parametrize(("describe", "message"), SYSTEMS, ids=[d.__name__ for d, _ in SYSTEMS])
def test_wrong_systems(describe: Callable[[System], None], message: str) -> None:
    system = System("wrong")
    describe(system)
    with pytest.raises(ModelError, match=message):
        system.generate()


def test_all_missing_rates_are_listed_at_once() -> None:
    system = System("several")
    for name in ("a", "b"):
        system.state(name)
    system.memory("c")
    with pytest.raises(ModelError, match=r"state 'a'.*state 'b'.*memory 'c'"):
        system.generate()


@pytest.mark.parametrize("m", [0.1, 3.7, 49.0, 812.3, 2999.0])
@pytest.mark.parametrize("axis", [0.1, 0.37, 0.9])
def test_singular_within_rounding_is_found_for_any_numbers(m: float, axis: float) -> None:
    system = System("nearly")
    frame = system.world
    for i, direction in enumerate([(1, 0.3, 0), (0.2, 1, 0), (axis, 1, 0)]):
        frame = system.prismatic(f"slide{i}", frame, axis=direction).frame
    system.body("mass", frame, system.parameter("m", m, "kg"))
    with pytest.raises(ModelError, match="singular mass matrix"):
        system.generate()


def test_light_parts_on_heavy_ones_are_not_singular() -> None:
    """A gram on a train of 10 000 t."""
    system = System("light")
    heavy = system.prismatic("heavy", system.world)
    system.body("heavy", heavy.frame, 1e7)
    light = system.prismatic("light", heavy.frame)
    system.body("light", light.frame, 1e-3)
    heavier = system.prismatic("heavier", light.frame)
    system.body("heavier", heavier.frame, 1e5)
    system.generate()


def test_wrong_system_names() -> None:
    for name in ("my car", "1car", "", "a-b", "a.b"):
        with pytest.raises(ModelError, match="system name"):
            System(name)
    for name in ("jounce", "jn_table"):  # would hide files of the runtime
        with pytest.raises(ModelError, match=f"system name '{name}': files of the C runtime"):
            System(name)


def test_rates_and_updates_cannot_be_given_twice() -> None:
    system = System("twice")
    x, m = system.state("x"), system.memory("m")
    system.derivative(x, 1.0)
    system.next_memory(m, 1.0)
    with pytest.raises(ModelError, match="state 'x' already has a derivative"):
        system.derivative(x, 2.0)
    with pytest.raises(ModelError, match="memory 'm' already has an update"):
        system.next_memory(m, 2.0)


def test_a_name_refused_for_its_unit_is_free_again() -> None:
    system = System("again")
    with pytest.raises(ParameterError):
        system.parameter("mass", "25 m", "kg")
    system.parameter("mass", "25 kg", "kg")


def test_unknown_integration_method_lists_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # this one compiles
    system = System("decay")
    x = system.state("x", initial=1.0)
    system.derivative(x, -x)
    with pytest.raises(ParameterError, match=r"method 'AB-3': unknown; did you mean .*known: Euler, AB-2, RK-2"):
        compiled(system, method="AB-3")
    with pytest.raises(ParameterError, match=r"method 7: unknown"):
        compiled(system).set_method(7)
