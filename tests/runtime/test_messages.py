"""Words of the runtime for those who mistype, mix up or forget; reprs in one line; a recording as text."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.runtime.bindings import Library
from jounce.runtime.recording import Recording, RunError
from jounce.runtime.simulation import Simulation


def system(name: str = "messages") -> Any:
    s = jn.System(name)
    k = s.parameter("k", 100.0, "N/m")
    s.derived("double", 2 * k, "N/m")
    push = s.input("push", "N")
    joint = s.prismatic("cart", s.world, "x", initial=1.0)
    other = s.prismatic("other", s.world, "x")
    s.body("cart", joint, 2.0)
    s.body("other", other, 1.0)
    s.generalized_force(joint.u[0], -k * joint.q[0] + push)
    s.velocity_constraint("same", [joint.u[0] - other.u[0]], [other.u[0]])
    s.memory("count")
    s.next_memory(s.system.memories[0].symbol, s.system.memories[0].symbol + 1)
    s.output("x", joint.q[0], "m")
    s.output("v", joint.u[0], "m/s", watch=True)
    return s


@pytest.fixture(scope="module")
def library() -> Library:
    return jn.build(system())


@pytest.fixture
def simulation(library: Library) -> Simulation:
    return Simulation(library)


# --- names of another kind -------------------------------------------------------------------------------------------


def test_a_state_is_not_a_channel(simulation: Simulation) -> None:
    run = simulation.run(0.01)
    with pytest.raises(
        ParameterError, match=r"'cart\.travel': not recorded; it is a state\. Declare an output.*s\.output"
    ):
        run["cart.travel"]
    with pytest.raises(ParameterError, match=r"channel 'cart\.travel': is a state, not an output; declare one"):
        simulation.run(0.02, channels=["cart.travel"])
    with pytest.raises(ParameterError, match="channel 'xx': not an output of the model; did you mean 'x'"):
        simulation.run(0.02, channels=["xx"])


def test_time_is_a_channel_of_every_recording(simulation: Simulation) -> None:
    run = simulation.run(0.01, channels=["time", "x"])
    assert run["time"] is run.time and run.unit("time") == "s" and "time" in run
    assert run.names == ("x",)


def test_one_channel_may_be_named_alone(simulation: Simulation) -> None:
    run = simulation.run(0.01, channels="v")
    assert run.names == ("v",)
    with pytest.raises(ParameterError, match="'x': an output that was not recorded; name it in channels"):
        run["x"]


@pytest.mark.parametrize(
    ("setter", "name", "message"),
    [
        ("set_parameters", "x", "parameter 'x': unknown in model 'messages'; it is an output"),
        ("set_parameters", "push", "it is an input: use set_inputs"),
        ("set_inputs", "k", "it is a parameter: use set_parameters"),
        ("set_states", "other.rate", "it is a speed computed by a velocity constraint"),
        ("set_states", "count", "it is a memory: use set_memories"),
        ("set_signals", "none", "the model has no signals"),
        ("set_parameters", "kk", "did you mean 'k'"),
    ],
)
def test_a_name_of_another_kind_is_recognised(simulation: Simulation, setter: str, name: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        getattr(simulation, setter)({name: 1.0})


def test_a_model_without_outputs_says_so() -> None:
    s = jn.System("mute")
    joint = s.prismatic("a", s.world)
    s.body("a", joint, 1.0)
    run = Simulation(jn.build(s)).run(0.01)
    assert "the model declares no outputs, so only time was recorded" in run.reason and run.ok
    with pytest.raises(ParameterError, match=r"the run has no channels: add s\.output|it is a state"):
        run["b"]


# --- programs --------------------------------------------------------------------------------------------------------


def test_an_output_that_is_not_watched_is_named(simulation: Simulation) -> None:
    for phase in (
        jn.Phase("p", jn.Feedback("push", "x", 0.0, kp=1.0)),
        jn.Phase("p", ends=jn.End(jn.When("x", ">", 1.0))),
    ):
        with pytest.raises(ParameterError, match="output 'x' exists but is not watched: declare it with watch=True"):
            simulation.set_program(jn.Program(phase))
    with pytest.raises(ParameterError, match=r"'cart\.rate': it is a state; declare a watched output"):
        simulation.set_program(jn.Program(jn.Phase("p", ends=jn.End(jn.When("cart.rate", ">", 1.0)))))


def test_one_may_stand_for_a_list_of_one(simulation: Simulation) -> None:
    opened, end, action = jn.Open("push", 3.0), jn.End(jn.When("phase_time", ">=", 0.1)), jn.SetState("cart.rate", 1.0)
    alone = jn.Program([jn.Phase("p", opened, end, action)])
    listed = jn.Program(jn.Phase("p", [opened], [end], [action]))
    assert alone.phases == listed.phases
    assert alone.pack(simulation.model).id == listed.pack(simulation.model).id


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: jn.Phase("p", "push"), "phase 'p': channels: expected Open, Feedback, Free"),  # type: ignore[arg-type]
        (lambda: jn.Phase("p", [jn.Free]), r"got the class Free; write Free\(…\)"),  # type: ignore[list-item]
        (lambda: jn.Phase("p", ends=[jn.When("v", ">", 1.0)]), "phase 'p': ends: expected End"),  # type: ignore[list-item]
        (lambda: jn.Phase("p", actions=3), "phase 'p': actions: expected SetState"),  # type: ignore[arg-type]
        (lambda: jn.Phase([jn.Free("push")]), "Phase: the first argument is its name"),  # type: ignore[arg-type]
        (lambda: jn.Program("p"), "Program: expected Phase"),  # type: ignore[arg-type]
        (lambda: jn.End("v > 3"), "End: when: expected When"),  # type: ignore[arg-type]
        (lambda: jn.End(jn.When("v", ">", 3.0), then="next"), r"give Next\(\), Goto"),  # type: ignore[arg-type]
        (lambda: jn.When("v", "=>", 3.0), "operator '=>': unknown; did you mean"),
        (lambda: jn.When(3.0, ">", 3.0), "the source is the name of a watched output"),  # type: ignore[arg-type]
    ],
)
def test_wrong_parts_of_a_program_are_refused_where_they_are_made(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


# --- simulations -----------------------------------------------------------------------------------------------------


def test_a_simulation_needs_a_compiled_model() -> None:
    with pytest.raises(
        ParameterError, match=r"expected a compiled model, got a System; call jn\.build\(system\) first"
    ):
        Simulation(system("direct"))


def test_a_misspelt_option_is_refused(simulation: Simulation) -> None:
    with pytest.raises(AttributeError, match="no option 'projekt'; did you mean 'project'"):
        simulation.projekt = True  # type: ignore[attr-defined]
    simulation.remark = "mine"  # type: ignore[attr-defined]


def test_rk4_is_explained(library: Library) -> None:
    with pytest.raises(ParameterError, match=r"method 'rk4': unknown; RK-4 only makes the first steps.*AM-4"):
        Simulation(library, method="rk4")


def test_no_smaller_step_is_advised_before_the_first_step(simulation: Simulation) -> None:
    simulation.x[0] = math.nan
    with pytest.raises(RunError) as caught:
        simulation.run(0.1)
    text = str(caught.value)
    assert "at t = 0 s" in text and "smaller step" not in text and "the step is not the cause" in text


def test_a_smaller_step_is_advised_later() -> None:
    s = jn.System("explodes")
    x = s.state("x", initial=1.0)
    s.derivative(x, x * x * x * 1e6)
    s.output("x", x)
    with pytest.raises(RunError, match="Try a smaller step"):
        Simulation(jn.build(s)).run(1.0)


def test_a_snapshot_brings_back_method_and_step(library: Library) -> None:
    simulation = Simulation(library, method="AM-2", step=0.001)
    kept = simulation.snapshot()
    simulation.set_method("Euler", 0.002)
    simulation.restore(kept)
    assert (simulation.method, simulation.step) == ("AM-2", 0.001)
    assert "Method, step" in str(Simulation.restore.__doc__)


# --- one line, and a file --------------------------------------------------------------------------------------------


def test_objects_show_themselves_in_one_line(library: Library, simulation: Simulation) -> None:
    sizes = "3 states, 1 input, 1 parameter, 2 outputs"
    assert repr(library.model) == f"<GeneratedModel messages: {sizes}>"
    assert repr(library) == f"<Library messages: {sizes}>"
    assert repr(simulation) == "<Simulation messages: t = 0 s, AB-2, h = 0.0005 s>"
    run = simulation.run(0.01, interval=0.005)
    assert repr(run) == "<Recording finished (end time reached): 3 rows, 2 channels, t = 0 to 0.01 s>"
    assert "\n" not in repr(Recording(np.zeros(0), np.zeros((0, 0)), (), (), reason="two\nlines"))


def test_a_recording_as_text_comes_back_exactly(simulation: Simulation, tmp_path: Path) -> None:
    run = simulation.run(0.02)
    path = run.to_csv(tmp_path / "run.csv")
    with path.open(encoding="utf-8") as file:
        names, units, *rows = csv.reader(file)
    assert names == ["time", "x", "v"] and units == ["s", "m", "m/s"]
    found = np.array(rows, dtype=float)
    np.testing.assert_array_equal(found[:, 0], run.time)
    np.testing.assert_array_equal(found[:, 1:], run.data)
    assert [p.name for p in tmp_path.iterdir()] == ["run.csv"]


def test_a_recording_that_cannot_be_written_leaves_nothing(simulation: Simulation, tmp_path: Path) -> None:
    run = simulation.run(0.001)
    with pytest.raises(ParameterError, match="there is no folder"):
        run.to_csv(tmp_path / "none" / "run.csv")
    (tmp_path / "taken").mkdir()
    with pytest.raises(ParameterError, match="taken: cannot be written"):
        run.to_csv(tmp_path / "taken")
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]


def test_the_text_of_an_export_counts_right(library: Library, tmp_path: Path) -> None:
    text = (jn.export_c(tmp_path / "c", library, t_end=1.0, channels="x") / "README.txt").read_text(encoding="utf-8")
    title, underline = text.splitlines()[:2]
    assert title == "messages as plain C" and underline == "=" * len(title)
    assert "the first step has 4 evaluations" in " ".join(text.split())
    assert "1 channel, a row every step." in text
    assert "(s)" not in text
