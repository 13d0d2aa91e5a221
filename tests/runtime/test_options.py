"""Options of a run: one list for runs, batches and exports, checked in one place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.runtime.bindings import Library
from jounce.runtime.options import RunOptions

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
        ({"t_end": 1.0, "interval": "1 kg"}, "interval"),
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
