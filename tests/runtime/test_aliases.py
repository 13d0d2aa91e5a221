"""Other names of inputs, and what else a model says about its variables."""

from __future__ import annotations

import json

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ModelError, ParameterError
from jounce.core.generated import GeneratedModel
from jounce.runtime.bindings import Library


def cart() -> jn.System:
    s = jn.System("aliased_cart", gravity=(0, 0, 0))
    mass = s.parameter("mass", 2.0, "kg", above=0.0)
    push = s.input("push", "N", in_statics=False)
    s.alias_input("u_Push", "push")
    foot = s.scope("foot").input("place", "m", rate=True, in_statics=False)
    s.scope("foot").alias_input("z", "place")
    slide = s.prismatic("slide", s.world)
    s.body("cart", slide.frame, mass)
    s.generalized_force(slide.u[0], push - 10.0 * (slide.q[0] - foot))
    s.output("q", slide.q[0], "m", watch=True)
    s.output("push", push, "N")
    return s


@pytest.fixture(scope="module")
def library() -> Library:
    return jn.build(cart())


@pytest.fixture
def sim(library: Library) -> jn.Simulation:
    return jn.Simulation(library, step="1 ms")


def test_an_input_is_set_and_read_by_both_names(sim: jn.Simulation) -> None:
    sim.set_inputs({"u_Push": "2 kN", "foot.z": 0.1})
    assert sim.input("push") == sim.input("u_Push") == 2000.0
    assert sim.input("foot.place") == 0.1


def test_a_program_and_an_external_block_take_aliases(library: Library) -> None:
    runs = []
    for name in ("push", "u_Push"):
        program = jn.Program(jn.Phase("go", [jn.Open(name, jn.Sine(3.0, 1.0))], duration="0.2 s"))
        runs.append(jn.Simulation(library, step="1 ms").run(program=program))
    assert runs[0].data.tobytes() == runs[1].data.tobytes() and np.any(runs[0]["q"])
    blocks = []
    for name in ("push", "u_Push"):
        sim = jn.Simulation(library, step="1 ms")
        sim.add_block("b", lambda t, v: 5.0 - v[1] - v[0], reads=["q", "foot.z"], writes=[name], stateless=True)
        assert sim.blocks[0].writes == ("push",)
        blocks.append(sim.run(0.2))
    assert blocks[0].data.tobytes() == blocks[1].data.tobytes() and np.any(blocks[0]["q"])


def test_messages_name_the_alias_and_the_input(sim: jn.Simulation) -> None:
    both = r"u_Push'? \(an alias of 'push'\)"
    with pytest.raises(ParameterError, match=both):
        sim.set_inputs({"u_Push": float("nan")})
    with pytest.raises(ParameterError, match=both):
        sim.set_inputs({"u_Push": "3 m"})
    with pytest.raises(ParameterError, match="input 'push' is given twice, also by its alias"):
        sim.set_inputs({"u_Push": 1.0, "push": 2.0})
    with pytest.raises(ParameterError, match=both):
        jn.Program(jn.Phase("p", [jn.Open("push", 1.0), jn.Open("u_Push", 2.0)])).pack(sim.model)
    with pytest.raises(ParameterError, match=both):
        sim.add_block("b", lambda t, v: (0, 0), writes=["push", "u_Push"], stateless=True)
    with pytest.raises(ParameterError, match="did you mean 'u_Push'"):
        sim.set_inputs({"u_Posh": 1.0})
    with pytest.raises(ParameterError, match="it is an alias of input 'push': use set_inputs"):
        sim.set_parameters({"u_Push": 1.0})
    sim.set_program(jn.Program(jn.Phase("p", [jn.Open("u_Push", 1.0)])))
    with pytest.raises(ParameterError, match="input 'push' is driven by phase 'p' and by block 'b'"):
        sim.add_block("b", lambda t, v: 0.0, writes=["u_Push"], stateless=True)


def test_an_alias_needs_an_input_and_a_name_of_its_own() -> None:
    s = cart()
    with pytest.raises(ModelError, match=r"alias 'x': 'posh' is no input.*did you mean 'push'"):
        s.alias_input("x", "posh")
    with pytest.raises(ModelError, match="'mass' is declared twice"):
        s.alias_input("mass", "push")


def test_aliases_limits_and_roles_survive_json(library: Library) -> None:
    model = library.model
    again = GeneratedModel.from_dict(json.loads(json.dumps(model.to_dict())))
    assert again.aliases == model.aliases == {"u_Push": "push", "foot.z": "foot.place"}
    assert again.parameters == model.parameters and again.parameters[0].above == 0.0
    assert {v.name: v.in_statics for v in again.inputs} == {
        "push": False,
        "foot.place": False,
        "foot.place.rate": False,
    }
    assert all(v.role == "" and v.in_statics for v in again.states)


def test_a_strict_limit_refuses_itself(sim: jn.Simulation) -> None:
    for value in (0.0, -1.0):
        with pytest.raises(ParameterError, match=r"parameter 'mass' = .* kg: must be above 0 kg"):
            sim.set_parameters({"mass": value})
    sim.set_parameters({"mass": 1e-9})
    with pytest.raises(ModelError, match="parameter 'm': its default 0 must be above 0"):
        jn.System("light").parameter("m", 0.0, "kg", above=0.0)
