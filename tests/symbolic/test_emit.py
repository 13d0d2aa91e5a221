"""Emitted C: deterministic, the same bits for every chunk size, no warnings; outputs and derived parameters."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.core.generated import GeneratedModel
from jounce.runtime.compile import RUNTIME
from jounce.runtime.simulation import Simulation
from jounce.symbolic import System, emit, ops
from jounce.symbolic.calls import key
from jounce.symbolic.generate import evaluate
from models import EPS, assert_close, chain, compiled, guided_vehicle, random_point, smooth_table

HASH = """
import hashlib, sys
from models import chain, guided_vehicle
model = guided_vehicle("same", corners=2)
parts = [model.generate().sources, chain(2, units=True).generate().sources]
if "linear" in sys.argv:
    parts.append(model.generate_linear().sources)
print(hashlib.sha256(repr(parts).encode()).hexdigest())
"""


def hash_in_new_process(seed: str) -> str:
    tests = Path(__file__).parents[1]
    source = Path(jounce.__file__).parents[1]
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(source), str(tests)])}
    done = subprocess.run([sys.executable, "-c", HASH], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_same_model_gives_the_same_bytes_in_every_process() -> None:
    assert hash_in_new_process("1") == hash_in_new_process("2718")


def test_generating_twice_gives_the_same_bytes() -> None:
    system = guided_vehicle("again", corners=1)
    first = system.generate()
    assert system.generate() == first
    other = guided_vehicle("again", corners=1)
    other.generate_linear(inputs=["push"], outputs=["speed"])  # asks for derivatives that a run does not need
    assert other.generate().sources == first.sources


def test_nothing_can_be_added_after_the_equations_are_derived() -> None:
    from jounce.core.errors import ModelError

    system = System("closed")
    cart = system.prismatic("cart", system.world)
    system.body("cart", cart.frame, 1.0)
    system.generate()
    for late in (
        lambda: system.force(cart.frame, (1, 0, 0)),
        lambda: system.torque(cart.frame, (1, 0, 0)),
        lambda: system.body("b", cart.frame, 1.0),
        lambda: system.generalized_force(cart.u[0], 1.0),
        lambda: system.velocity_constraint("c", [cart.u[0]], [cart.u[0]]),
        lambda: system.coordinate("q"),
        lambda: system.state("x"),
        lambda: system.memory("m"),
        lambda: system.unit("u", cart.frame),
    ):
        with pytest.raises(ModelError, match=r"system 'closed': .* after the equations were derived"):
            late()
    system.output("late", 2 * cart.q[0])  # outputs may come later
    assert [o.name for o in system.generate().outputs] == ["late"]


@pytest.fixture(scope="module")
def whole() -> tuple[System, Simulation]:
    system = chain(3, units=False, name="whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emit, "CHUNK", 10**9)
        generated = system.generate()
        assert all("_rhs_1(" not in text for text in generated.sources.values())
        return system, compiled(system)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [37, 300])
def test_chunks_do_not_change_a_bit(
    whole: tuple[System, Simulation], monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    _, uncut = whole
    monkeypatch.setattr(emit, "CHUNK", chunk)
    system = chain(3, units=False, name=f"cut{chunk}")
    generated = system.generate()
    assert generated.operations["rhs"] > 3000
    assert any("_rhs_9(" in text for text in generated.sources.values())
    cut = compiled(system)
    for seed in range(5):
        x, u = random_point(cut, seed)
        assert cut.derivatives(x=x, u=u)[0].tolist() == uncut.derivatives(x=x, u=u)[0].tolist()
        assert cut.outputs(x=x, u=u).tolist() == uncut.outputs(x=x, u=u).tolist()


def test_powers_do_not_depend_on_where_the_base_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """A base in another chunk, inlined, or a table's result: the same arithmetic."""

    def make(name: str) -> System:
        system = System(name)
        x = system.input("x", default=0.7)
        bases = [
            x,
            ops.sin(x),
            system.table("t", smooth_table(1, 1))(x) + 2.0,
            system.table("r", smooth_table(1, 1))(x),
        ]
        for i, base in enumerate(bases):
            for j, e in enumerate((-4, -3, -1.5, 1.5, 2.5, 3, 4)):
                system.output(f"o{i}_{j}", ops.fabs(base) ** e + base**3)
        return system

    uncut = compiled(make("powers"))
    monkeypatch.setattr(emit, "CHUNK", 3)
    cut = compiled(make("powers_cut"))
    for x in np.random.default_rng(1).uniform(0.1, 1, 50):
        assert cut.outputs(u=[x]).tolist() == uncut.outputs(u=[x]).tolist()


def test_interpreter_agrees_with_the_compiled_equations(whole: tuple[System, Simulation]) -> None:
    from jounce.symbolic.generate import derive

    system, sim = whole
    equations = derive(system)
    x, _ = random_point(sim, 8)
    values = {key(s.symbol): float(v) for s, v in zip(equations.states, x, strict=True)}
    found = evaluate(system, equations.rates, values)
    expected = sim.derivatives(x=x)[0]
    # the same operations in the same order; only powers and library functions round differently
    assert_close(found, expected, 1e-11 * np.abs(expected).max())


def warnings_of(model: GeneratedModel, folder: Path, *options: str) -> str:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no gcc")
    for name, text in model.sources.items():
        (folder / name).write_text(text)
    command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only", *options]
    command += [f"-I{RUNTIME}", f"-I{folder}", *(str(folder / n) for n in model.sources if n.endswith(".c"))]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_generated_c_has_no_warnings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from models import pendulum, quarter_car

    models = {
        "guided": guided_vehicle("guided", corners=2).generate(),
        "linear": guided_vehicle("linear", corners=1).generate_linear(outputs=["speed"], inputs=["push"]),
        "pendulum": pendulum().generate(),
        "quarter": quarter_car().generate(),
        "empty": System("empty").generate(),
    }
    monkeypatch.setattr(emit, "CHUNK", 20)
    models["cut"] = guided_vehicle("cut", corners=1).generate()
    for name, model in models.items():
        folder = tmp_path / name
        folder.mkdir()
        assert warnings_of(model, folder) == "", name


def test_outputs_may_be_constants_symbols_and_doubles() -> None:
    system = System("plain")
    x, u, p = system.state("x", initial=0.5), system.input("u", default=2.0), system.parameter("p", 3.0)
    m = system.memory("m", initial=4.0)
    system.next_memory(m, m)
    system.derivative(x, 0.0)
    curve = system.table("t", smooth_table(1, 2))
    a, b = curve(x)
    outputs = {
        "zero": 0.0,
        "minus_zero": -0.0,
        "three": 3,
        "huge": 1e300,
        "tiny": -5e-324,
        "x": x,
        "x_again": x,
        "u": u,
        "p": p,
        "m": m,
        "t": system.time,
        "interval": system.t_dt,
        "sum": x + u,
        "sum_again": x + u,
        "cell": a,
        "cell_again": a,
        "both": a + b,
        "numpy": np.float64(7.25),
    }
    for name, value in outputs.items():
        system.output(name, value, watch=name in ("x", "three", "cell", "sum_again"))
    sim = compiled(system)
    values = dict(zip(outputs, sim.outputs(t=1.25), strict=True))
    cell = [float(v) for v in system.tables["t"].table(0.5)]
    expected = {
        "zero": 0.0,
        "minus_zero": 0.0,
        "three": 3.0,
        "huge": 1e300,
        "tiny": -5e-324,
        "x": 0.5,
        "x_again": 0.5,
        "u": 2.0,
        "p": 3.0,
        "m": 4.0,
        "t": 1.25,
        "interval": 0.0005,
        "sum": 2.5,
        "sum_again": 2.5,
        "cell": cell[0],
        "cell_again": cell[0],
        "both": sum(cell),
        "numpy": 7.25,
    }
    for name, value in expected.items():
        assert values[name] == pytest.approx(value, rel=4 * EPS), name
    # rates and watches of the same kinds
    assert sim.derivatives()[0].tolist() == [0.0]
    assert sim.watches().tolist() == pytest.approx([3.0, 0.5, 2.5, cell[0]], rel=4 * EPS)
    assert [w.name for w in sim.model.watches] == ["three", "x", "sum_again", "cell"]


def test_derived_parameters_follow_in_chains_and_through_tables() -> None:
    system = System("derived")
    a, b = system.parameter("a", 2.0), system.parameter("b", 0.5)
    curve = system.table("curve", smooth_table(1, 1))
    first = system.derived("first", a * b)
    second = system.derived("second", curve(first) + first)
    third = system.derived("third", second * second + a)
    constant = system.derived("constant", 4.0)
    same = system.derived("same", third)
    x = system.state("x", initial=1.0)
    system.derivative(x, third * x + constant)
    sim = compiled(system)
    table = system.tables["curve"].table

    def expected(a_value: float, b_value: float) -> list[float]:
        one = a_value * b_value
        two = float(table(one)) + one
        return [one, two, two * two + a_value, 4.0, two * two + a_value]

    names = ["first", "second", "third", "constant", "same"]
    assert [sim.parameter(n) for n in names] == pytest.approx(expected(2.0, 0.5), rel=1e-14)
    sim.set_parameters({"a": 1.0, "b": -0.3})
    assert [sim.parameter(n) for n in names] == pytest.approx(expected(1.0, -0.3), rel=1e-14)
    assert sim.derivatives()[0][0] == pytest.approx(expected(1.0, -0.3)[2] + 4.0, rel=1e-14)
    assert evaluate(system, [same])[0] == pytest.approx(expected(2.0, 0.5)[2], rel=1e-14)


def test_a_mass_may_be_a_derived_parameter() -> None:
    system = System("derived_mass")
    density, volume = system.parameter("density", 1000.0, "kg/m3"), system.parameter("volume", "2 l", "m3")
    cart = system.prismatic("cart", system.world)
    system.body("cart", cart.frame, system.derived("mass", density * volume, "kg"))
    system.force(cart.frame, (6.0, 0, 0))
    sim = compiled(system)
    assert sim.derivatives()[0][1] == pytest.approx(3.0, rel=1e-14)
    sim.set_parameters({"volume": "4 l"})
    assert sim.derivatives()[0][1] == pytest.approx(1.5, rel=1e-14)


def test_operations_are_counted_with_the_leaves() -> None:
    counts = [guided_vehicle("count", corners=n).generate().operations["rhs"] for n in (2, 4, 6)]
    assert counts[1] - counts[0] == pytest.approx(counts[2] - counts[1], rel=0.05), "linear in the number of corners"


def test_model_metadata_is_complete() -> None:
    model = guided_vehicle("meta", corners=2).generate()
    assert [v.name for v in model.states][:7] == [f"chassis.{n}" for n in ("x", "y", "z", "e0", "e1", "e2", "e3")]
    assert model.quaternions == (3,)
    names = [v.name for v in model.inputs]
    assert names == ["steer", "steer.rate", "steer.acceleration", "push", "drive"]
    assert model.input_rate == (1, -1, -1, -1, -1)
    assert model.input_acceleration == (2, -1, -1, -1, -1)
    units = {v.name: v.unit for v in (*model.states, *model.inputs)}
    assert (units["steer.rate"], units["steer.acceleration"], units["rack.rate"]) == ("rad/s", "rad/s2", "m/s")
    assert list(model.tables) == ["c0.maps", "c1.maps"]
    again = GeneratedModel.from_dict(model.to_dict())
    assert (
        hashlib.sha256(repr(again.sources).encode()).digest() == hashlib.sha256(repr(model.sources).encode()).digest()
    )
