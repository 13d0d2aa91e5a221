"""Options of a run: one list for runs, batches and exports, checked in one place."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import jounce as jn
from jounce.core.errors import ParameterError, SimulationError
from jounce.runtime.bindings import Library
from jounce.runtime.options import RunOptions
from jounce.runtime.program import Iprint

GO = jn.Program(jn.Phase("go", [jn.Open("push", 1.0)], duration="0.1 s"))


def cart() -> jn.System:
    s = jn.System("options_cart", gravity=(0, 0, 0))
    push = s.input("push", "N")
    slide = s.prismatic("slide", s.world)
    s.body("cart", slide.frame, 1.0)
    s.generalized_force(slide.u[0], push)
    s.output("q", slide.q[0], "m")
    s.output("u", slide.u[0], "m/s")
    return s


@pytest.fixture(scope="module")
def library() -> Library:
    return jn.build(cart())


def run(library: Library, folder: Path, **options: Any) -> Any:
    return jn.Simulation(library).run(**options)


def batch(library: Library, folder: Path, **options: Any) -> Any:
    return jn.batch(library, [{}], **options)


def export(library: Library, folder: Path, **options: Any) -> Any:
    return jn.export_c(folder / "c", library, **options)


EVERYBODY = pytest.mark.parametrize("function", [run, batch, export])


@EVERYBODY
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t_end": float("inf")}, "t_end = inf: must be finite"),
        ({"t_end": "1 m"}, "t_end"),
        ({"t_end": 1.0, "step": "-1 ms"}, "step = -1 ms: must be above 0 s"),
        ({"t_end": 1.0, "method": "AB-3"}, "did you mean"),
        ({"t_end": 1.0, "iprint": 2, "interval": "1 ms"}, "give iprint or interval, not both"),
        ({"t_end": 1.0, "iprint": -1}, "IPRINT = -1: must be 0, 1, 2"),
        ({"t_end": 1.0, "iprint": 10**20}, "IPRINT = 100000000000000000000: must be 0, 1, 2, … up to 100000000000"),
        ({"t_end": 1.0, "iprint": float("nan")}, "IPRINT = nan: must be 0, 1, 2"),
        ({"t_end": 1.0, "iprint": "2"}, "IPRINT = '2': must be 0, 1, 2"),
        ({"t_end": 1.0, "interval": "1 kg"}, "interval"),
        ({"t_end": 1.0, "step": "1 ms", "interval": -1}, "interval = -1: must be above 0 s"),
        (
            {"t_end": 1.0, "step": "1 ms", "interval": 1e300},
            "interval = 1e+300: must be a multiple of the step, 0.001 s and at most 1e+11 steps",
        ),
        ({"t_end": 1.0, "step": "1 ms", "interval": "1.5 ms"}, "a multiple of the step, 0.001 s; such as 1 ms or 2 ms"),
        ({"program": "go"}, "program: expected a Program, got a str"),
        ({"t_end": 1.0, "channels": ["qq"]}, "channel 'qq'"),
    ],
)
def test_a_wrong_option_is_refused_in_the_same_words_everywhere(
    library: Library, tmp_path: Path, function: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        function(library, tmp_path, **options)
    assert message in str(caught.value)
    assert not list(tmp_path.iterdir())


@EVERYBODY
def test_an_option_that_does_not_exist_is_named(library: Library, tmp_path: Path, function: Any) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'intervall'; did you mean 'interval'"):
        function(library, tmp_path, t_end=1.0, intervall="1 ms")


@pytest.mark.parametrize("function", [batch, export])
@pytest.mark.parametrize("name", ["on_error", "buffer_rows"])
def test_what_belongs_to_a_single_run_is_refused_elsewhere(
    library: Library, tmp_path: Path, function: Any, name: str
) -> None:
    with pytest.raises(TypeError, match=name):
        function(library, tmp_path, t_end=1.0, **{name: "return"})


def test_options_made_before_run_to_the_same_bits(library: Library) -> None:
    single = jn.Simulation(library).run("0.3 s", program=GO, method="AM-2", step="2 ms", interval="10 ms", channels="u")
    options = RunOptions("0.3 s", GO, "2 ms", "AM-2", interval="10 ms", channels="u")
    again = jn.Simulation(library).run_with(options)
    assert single.data.tobytes() == again.data.tobytes() and single.names == again.names == ("u",)


def test_an_interval_is_read_with_the_step_of_the_run() -> None:
    options = RunOptions(interval="10 ms")
    assert options.rows(0.0005) == 20 and options.rows(0.005) == 2
    assert RunOptions(iprint=3).rows(0.1) == 3 and RunOptions().rows(0.1) is None
    with pytest.raises(ParameterError, match=r"interval = 10 ms: must be a multiple of the step, 0\.003 s"):
        options.rows(0.003)


@pytest.mark.parametrize("where", ["batch", "export"])
def test_a_program_that_is_attached_goes_on_where_it_was(library: Library, tmp_path: Path, where: str) -> None:
    """As in a run: giving it again does not begin it again."""
    sim = jn.Simulation(library, program=GO, step="1 ms")
    sim.advance(40)
    if where == "batch":
        (recording,) = jn.batch(sim, [{}], program=GO)
        assert recording.time[0] == 0.04 and recording.time[-1] == pytest.approx(0.1, abs=1e-9)
    else:
        text = (jn.export_c(tmp_path / "c", sim, program=GO) / "options_cart_data.c").read_text()
        assert "0.0, /* PHASE */" in text  # in its first phase; -1 would be before it


def test_one_simulation_belongs_to_one_thread_at_a_time(library: Library) -> None:
    sim = jn.Simulation(library)
    inside, done, told = threading.Event(), threading.Event(), []

    def wait(fraction: float, time: float) -> None:
        inside.set()
        done.wait(30)

    first = threading.Thread(target=lambda: sim.run(1.0, progress=wait))
    first.start()
    assert inside.wait(30)
    for action in (lambda: sim.run(2.0), sim.advance, sim.restart, lambda: sim.restore(sim.snapshot())):
        with pytest.raises(SimulationError, match=r"another thread is running it.*one per thread") as found:
            action()
        told.append(found)
    done.set()
    first.join()
    assert len(told) == 4
    assert sim.time == pytest.approx(1.0, abs=sim.step)
    sim.run(2.0)  # and afterwards it is free


def test_the_thread_that_runs_may_look_and_act_from_its_callback(library: Library) -> None:
    sim = jn.Simulation(library)
    seen = []
    sim.run(1.0, progress=lambda fraction, time: seen.append(sim.output("q")))
    assert seen


def test_a_run_beyond_all_sense_is_refused_before_it_starts(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    sim = jn.Simulation(library, step=0.001)
    with pytest.raises(ParameterError, match=r"would take 2e\+12 steps of 1e-12 s"):
        sim.run(2.0, step=1e-12)
    sim = jn.Simulation(library, step=0.001)
    monkeypatch.setattr("jounce.runtime.running.memory_limit", lambda: 8.0 * 3 * 1001)  # three columns, 1001 rows
    with pytest.raises(ParameterError, match=r"would record 1e\+03 rows of 3 numbers.*choose a longer interval"):
        sim.run(1.001)
    assert sim.time == 0.0
    assert len(sim.run(1.0).time) == 1001
    assert len(jn.Simulation(library, step=0.001).run(2.0, channels=["q"], interval="2 ms").time) == 1001


@pytest.mark.parametrize("setter", ["set_states", "set_inputs", "set_parameters", "set_memories"])
def test_numbers_without_names_are_refused(library: Library, setter: str) -> None:
    with pytest.raises(ParameterError, match=r"found a list; expected numbers by name: \{"):
        getattr(jn.Simulation(library), setter)([1, 2])


def test_an_action_with_a_senseless_interval_names_its_phase(library: Library) -> None:
    program = jn.Program(jn.Phase("go", duration=1.0, actions=[Iprint(10**20)]))
    with pytest.raises(ParameterError, match=r"phase 'go'.*IPRINT = 10*: must be 0, 1, 2"):
        jn.Simulation(library, program=program)
