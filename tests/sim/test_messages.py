"""Words of batch and linearisation for those who pass the wrong thing."""

from __future__ import annotations

from typing import Any

import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.runtime.recording import RunError


def system() -> Any:
    s = jn.System("sim_messages")
    joint = s.prismatic("cart", s.world, "x", initial=1.0)
    s.body("cart", joint, 2.0)
    s.generalized_force(joint.u[0], -100.0 * joint.q[0])
    s.output("x", joint.q[0], "m", watch=True)
    s.parameter("free", 1.0)
    return s


def test_a_batch_needs_a_compiled_model() -> None:
    with pytest.raises(ParameterError, match=r"got a System; call jn\.build\(system\) first"):
        jn.batch(system(), [{}], t_end=1.0)


def test_a_lineariser_needs_the_system() -> None:
    with pytest.raises(ParameterError, match="expected the System, got a Library"):
        jn.Lineariser(jn.build(system()))  # type: ignore[arg-type]


def test_a_batch_needs_an_end() -> None:
    library = jn.build(system())
    with pytest.raises(ParameterError, match="needs an end: give t_end or a program"):
        jn.batch(library, [{}, {"free": 2.0}])
    program = jn.Program(jn.Phase("p", duration=0.1))
    for runs, options in (
        ([jn.Variant(t_end=0.1)], {}),
        ([jn.Variant(program=program)], {}),
        ([jn.Variant(setup=lambda simulation: simulation.set_program(program))], {}),
        ([{}], {"program": program}),
        ([], {}),
    ):
        assert all(r.ok for r in jn.batch(library, runs, **options))  # type: ignore[arg-type]


def test_the_channel_of_a_run_that_did_not_start_gives_the_reason() -> None:
    (run,) = jn.batch(jn.build(system()), [jn.Variant({"fre": 1.0}, name="typo")], t_end=0.1)
    with pytest.raises(RunError, match=r"no 'x', the run did not start: run 0 \(typo\): parameter 'fre': unknown"):
        run["x"]


def test_channels_of_a_batch_are_explained() -> None:
    with pytest.raises(ParameterError, match=r"channel 'cart\.travel': is a state, not an output"):
        jn.batch(jn.build(system()), [{}], t_end=0.1, channels=["cart.travel"])
