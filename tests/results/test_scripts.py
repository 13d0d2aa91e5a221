"""Scripts of the user on runs: what they are given, how they end, and the functions that they may use."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.core.errors import FormatError, ParameterError
from jounce.results.output_map import OutputMap
from jounce.results.run import Run
from jounce.results.scripts import add_plot, add_row, look, page, run_script, stored_name, template, values
from result_runs import drive

YAW = "chassis_velocities.yaw"


@pytest.fixture(scope="module")
def run() -> Run:
    """The linear car in a step of the hand wheel."""
    return drive("step_steer")


def script(folder: Path, body: str, name: str = "mine.py", head: str = "") -> Path:
    file = folder / name
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    file.write_text(f"{head}\n\ndef post_processing(result, output_map, vehicle, event):\n{lines}\n")
    return file


# --- the script ------------------------------------------------------------------------------------------------------


def test_it_gets_four_arguments_between_two_banners(tmp_path: Path) -> None:
    told: list[str] = []
    file = script(tmp_path, "print([result, output_map, vehicle, event])\nprint('more')\nreturn True")
    assert run_script(file, tmp_path / "a", "map.yaml", "car.yaml", "step-steer", told.append)
    assert told[0].startswith("--- begins: mine.py, output map map.yaml") and told[-1].startswith("--- ends: mine.py")
    assert told[1:-1] == [str([str(tmp_path / "a"), "map.yaml", "car.yaml", "step-steer"]), "more"]
    told.clear()
    assert run_script(file, "a", told=told.append)
    assert told[1] == str(["a", None, None, None]) and "output map none" in told[0]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("print('half done')\nreturn False", "says that it failed"),
        ("return 1 / 0", r"failed, line 4: ZeroDivisionError"),
        ("return None", "returned None; expected True or False"),
        ("raise SystemError('gone')", "SystemError: gone"),
    ],
)
def test_a_failure_is_told_and_raises_nothing(tmp_path: Path, body: str, said: str) -> None:
    told: list[str] = []
    assert run_script(script(tmp_path, body), "a", told=told.append) is False
    assert re.search(said, told[-1]), told
    assert ("half done" in told) == ("half done" in body)


def test_a_file_without_the_function_or_with_a_fault_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    (tmp_path / "none.py").write_text("x = 1\n")
    (tmp_path / "bad.py").write_text("def post_processing(:\n")
    assert not run_script(tmp_path / "none.py", "a", told=told.append)
    assert "has no function post_processing" in told[-1]
    assert not run_script(tmp_path / "bad.py", "a", told=told.append) and "SyntaxError" in told[-1]
    assert not run_script(tmp_path / "gone.py", "a", told=told.append) and "no such file" in told[-1]


def test_looking_at_a_script_does_not_run_it(tmp_path: Path) -> None:
    file = script(tmp_path, "return True", head="EVENTS = ('step_steer', 'ramp-steer')\nopen('trap', 'w')")
    found = look(file)
    assert found is not None and found.events == ("step-steer", "ramp-steer") and found.name == "mine"
    assert found.fits("ramp-steer") and not found.fits("drop")
    assert not (tmp_path / "trap").exists() and not Path("trap").exists()
    everything = look(script(tmp_path, "return True", "all.py"))
    assert everything is not None and everything.fits("anything")
    (tmp_path / "event.py").write_text("class A: pass\n")
    assert look(tmp_path / "event.py") is None
    (tmp_path / "text.py").write_text("this is no Python")
    with pytest.raises(FormatError, match=r"text\.py: is no Python"):
        look(tmp_path / "text.py")


def test_the_command_runs_it_on_several_runs_and_its_code_says_how_it_went(tmp_path: Path, run: Run) -> None:
    for name in ("a", "b"):
        run.save(tmp_path / name)
    good = script(tmp_path, "print('got', event, result[-1:])\nreturn result.endswith('a')")
    places = [str(tmp_path / "a"), str(tmp_path / "b")]
    found = CliRunner().invoke(app, ["post", str(good), *places], standalone_mode=False)
    assert found.return_value == 1 and "got step_steer a" in found.output and "got step_steer b" in found.output
    assert CliRunner().invoke(app, ["post", str(good), places[0]], standalone_mode=False).return_value == 0


def test_a_new_script_runs_as_it_is(tmp_path: Path, run: Run) -> None:
    folder = run.save(tmp_path / "run")
    file = tmp_path / "new.py"
    CliRunner().invoke(app, ["post", str(file), "--new", "--event", "step-steer"], standalone_mode=False)
    found = look(file)
    assert found is not None and found.events == ("step-steer",)
    told: list[str] = []
    assert run_script(file, folder, told=told.append), told
    text = (folder / "post.html").read_text()
    assert "data:image/png" in text and "last time" in text and next(iter(run.kpis)) in text
    again = CliRunner().invoke(app, ["post", str(file), "--new"], standalone_mode=False)
    assert isinstance(again.exception, ParameterError) and "exists already" in str(again.exception)
    compile(template(), "all", "exec")


# --- what a script may use -------------------------------------------------------------------------------------------


def test_a_script_goes_on_to_work_when_the_results_are_named_otherwise(tmp_path: Path, run: Run) -> None:
    """A channel renamed, scaled and shifted by an output map comes back by its own name."""
    renamed = OutputMap().set(YAW, name="rate", scale=180 / math.pi, offset=3.0, unit="deg/s")
    place = renamed.write(tmp_path / "map.yaml")
    other = renamed.apply(run)
    assert YAW not in other and np.max(np.abs(other["rate"] - 3)) > 50 * np.max(np.abs(run[YAW]))
    np.testing.assert_allclose(values(other, YAW, place), run[YAW], rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(values(run, YAW), run[YAW])
    assert stored_name(YAW, renamed) == "rate" and stored_name(YAW) == YAW and stored_name("x", place) == "x"
    text = (
        "from jounce.results.run import Run\nfrom jounce.results.scripts import values\n"
        f"print(repr(float(values(Run.read(result), {YAW!r}, output_map)[-1])))\nreturn True"
    )
    file, told = script(tmp_path, text), []
    for result, given in ((run.save(tmp_path / "a"), None), (other.save(tmp_path / "b"), place)):
        said: list[str] = []
        assert run_script(file, result, given, told=said.append), said
        told.append(float(said[1]))
    assert told[1] == pytest.approx(told[0], rel=1e-12) and told[0] == run[YAW][-1] != 0


def test_what_an_output_map_left_out_does_not_come_back(run: Run) -> None:
    with pytest.raises(ParameterError, match="leaves it out"):
        values(run, YAW, OutputMap().set(YAW, active=False))
    with pytest.raises(ParameterError, match="factor of 0"):
        values(run, YAW, OutputMap().set(YAW, scale=0.0))


@pytest.mark.parametrize("kind", ["plot", "scatter", "multicolor"])
def test_three_kinds_of_plots_are_drawn(tmp_path: Path, kind: Any) -> None:
    from matplotlib import image

    t = np.linspace(0.0, 6.0, 61)
    file = add_plot(tmp_path / "sub" / "a.png", t, np.sin(t), t if kind != "plot" else "#c0392b", kind=kind)
    pixels = image.imread(file)[..., :3]
    colours = {tuple(np.round(p, 1)) for p in pixels.reshape(-1, 3) if p.max() - p.min() > 0.3}
    if kind == "plot":  # one red line
        assert colours and all(r > b and r > g for r, g, b in colours)
    else:  # from one end of the colours to the other
        assert any(b > r for r, _, b in colours) and any(r > b for r, _, b in colours)


def test_a_plot_of_lists_that_do_not_fit_is_refused(tmp_path: Path) -> None:
    for y, colour, kind in (([1.0], None, "plot"), ([1.0, 2.0], [1.0], "multicolor"), ([1.0, 2.0], None, "pie")):
        with pytest.raises(ParameterError):
            add_plot(tmp_path / "a.png", [0.0, 1.0], y, colour, kind=kind)  # type: ignore[arg-type]
    assert not (tmp_path / "a.png").exists()


def test_rows_and_a_page_that_needs_nothing_beside_it(tmp_path: Path) -> None:
    rows: list[list[Any]] = []
    assert add_row(rows, ["last <time>", 12.345678, "s"]) is rows and add_row(rows, ["runs", 3, ""]) is rows
    picture = add_plot(tmp_path / "a.png", [0.0, 1.0], [2.0, 5.0])
    told: dict[str, Any] = {"title": "T & U", "summary": "all", "header": [("File", "r<1")], "rows": rows}
    file = page(tmp_path / "p", pictures=[picture], captions=["a < b"], **told)
    text = file.read_text()
    assert file == tmp_path / "p.html"
    for piece in ("T &amp; U", "last &lt;time&gt;", "12.35", "r&lt;1", "a &lt; b", "data:image/png;base64,"):
        assert piece in text, piece
    assert "http" not in text.partition("</head>")[2]
    (tmp_path / "own.html").write_text("<html>{{ title }}|{{ figures }}|{{ pictures }}</html>")
    own = page(tmp_path / "q", tmp_path / "own.html", pictures=[picture], **told).read_text()
    assert own.startswith("<html>T &amp; U|<section>") and "data:image" in own and "all" not in own
    with pytest.raises(ParameterError, match="1 pictures and 2 captions"):
        page(tmp_path / "r", pictures=[picture], captions=["a", "b"])
    with pytest.raises(ParameterError, match="expected a picture"):
        page(tmp_path / "r", pictures=[tmp_path / "own.html"])
