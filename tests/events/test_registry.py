"""An event is one file: in the package, beside it by a call, in an installed package; stored runs find its figures."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import jounce as jn
from jounce import events
from jounce.core import registry
from jounce.core.errors import ParameterError
from jounce.events.base import Steered
from jounce.results.kinds import Kind, find, known
from jounce.results.report import render
from jounce.results.run import Run
from result_runs import drive

ONE_FILE = '''"""Swerve: the hand wheel is turned and turned back."""

from __future__ import annotations

from typing import Any, ClassVar

import jounce as jn
from jounce.core.fields import quantity
from jounce.events.base import Steered
from jounce.results.figures import Figures
from jounce.results.kinds import Kind
from jounce.results.panels import USUAL, Curve, Panel, View
from jounce.results.run import Run


def furthest(run: Run) -> Figures:
    return Figures({"furthest": (float(run.signal("y").max()), "m")})


def aside(view: View) -> list[Panel]:
    curves = [Curve(label, run.time, run.signal("y"), colour) for run, label, colour in view.having("y")]
    return [Panel("How far aside", "time / s", "m", curves)]


class Swerve(Steered):
    """The hand wheel is turned and turned back, with a pause."""

    kind: ClassVar[str] = "swerve"
    title: ClassVar[str] = "Swerve"
    results: ClassVar[Kind] = Kind((furthest,), (aside, *USUAL), {"furthest": "Furthest to the side"})

    end_time: float = quantity("s", 3.0, gt=0, doc="end of the run")
    amplitude: float = quantity("rad", 0.3, doc="of the hand wheel angle")

    def reference(self, start: Any) -> Any:
        return jn.Pulse(self.amplitude, plateau=0.2, rise=0.1, fall=0.1, delay=self.start_time)
'''


def python(script: str, *arguments: Any, path: Path | None = None) -> str:
    """What a process prints that knows nothing of this one."""
    places = [str(path)] if path is not None else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*places, os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def test_an_event_from_outside_is_one_file(tmp_path: Path) -> None:
    file = tmp_path / "swerve_of_mine.py"
    file.write_text(ONE_FILE, encoding="utf-8")
    swerve = events.register(loaded(file).Swerve)
    assert events.find("swerve") is swerve and "swerve" in events.names()
    event = events.Event.from_dict({"event": "swerve", "amplitude": "20 deg"})
    run = jn.run(jn.load("sedan"), event)
    assert run.complete
    assert run.kpis == {"furthest": (float(run.signal("y").max()), "m")}
    again = Run.read(run.save(tmp_path / "stored"))
    assert again.kpis == run.kpis
    page = again.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Furthest to the side" in page and "How far aside" in page and "Yaw rate" in page
    # where the file is not, the run is still a run
    script = (
        "import sys; from jounce.results.run import Run; from jounce.results.report import render\n"
        "run = Run.read(sys.argv[1]); assert run.event == 'swerve' and run.kpis == {}\n"
        "page = render(run); assert 'How far aside' not in page and 'Yaw rate' in page; print(run.kpi_warnings)"
    )
    assert python(script, tmp_path / "stored").strip() == "[]"


def test_an_event_of_an_installed_package(tmp_path: Path) -> None:
    (tmp_path / "their_swerve.py").write_text(ONE_FILE, encoding="utf-8")
    (tmp_path / "their_broken.py").write_text("raise RuntimeError('not today')\n", encoding="utf-8")
    package = tmp_path / "theirs-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n", encoding="utf-8")
    (package / "entry_points.txt").write_text(
        "[jounce.events]\nswerve = their_swerve:Swerve\nbroken = their_broken\n", encoding="utf-8"
    )
    run = drive("step_steer")
    for kind in ("swerve", "broken"):
        run.with_metadata(event={"kind": kind}).to_parquet(tmp_path / f"{kind}.parquet")
    script = (
        "import sys; from jounce.results.run import Run; run = Run.read(sys.argv[1]); print(run.kpis['furthest'][0])\n"
        "run = Run.read(sys.argv[2]); assert run.kpis == {}; assert 'not today' in run.kpi_warnings[0]\n"
        "run.report(sys.argv[2] + '.html')\n"
        "from jounce import events; assert events.find('swerve').__module__ == 'their_swerve'\n"
        "assert {'swerve', 'broken', 'step-steer'} <= set(events.names())\n"
        "from jounce.core.errors import ModelError\n"
        "try:\n    events.find('broken')\nexcept ModelError as problem:\n    assert 'not today' in str(problem)\n"
        "else:\n    raise AssertionError\n"
    )
    printed = python(script, tmp_path / "swerve.parquet", tmp_path / "broken.parquet", path=tmp_path)
    assert float(printed) == float(run.signal("y").max())


def test_a_stored_run_has_its_figures_where_events_were_never_imported(tmp_path: Path) -> None:
    run = drive("step_steer")
    file = run.to_parquet(tmp_path / "run.parquet")
    script = (
        "import json, sys; from jounce.results.run import Run; run = Run.read(sys.argv[1])\n"
        "assert not [name for name in sys.modules if name.startswith('jounce.events')]\n"
        "print(json.dumps({'kpis': run.kpis, 'page': run.report(sys.argv[1] + '.html').read_text(encoding='utf-8')}))\n"
        "assert 'casadi' not in sys.modules and 'jounce.sim' not in sys.modules"
    )
    printed = json.loads(python(script, file))
    assert {name: tuple(item) for name, item in printed["kpis"].items()} == run.kpis
    assert run.kpis and printed["page"] == render(run)


def test_files_are_named_as_their_kinds_and_hand_over_what_results_need() -> None:
    for file in registry.files("events"):
        assert find(file).figures, file
        assert file in known()
    for cls in map(events.find, events.names()):
        if cls.__module__.startswith("jounce.events.library."):
            assert cls.__module__.rsplit(".", 1)[1] == cls.kind.replace("-", "_")
            assert getattr(events, cls.__name__) is cls and cls.__name__ in dir(events)


def test_names_of_the_package_are_not_taken_by_accident() -> None:
    class Mine(Steered):
        kind = "step-steer"
        results = Kind()

    assert events.find("step-steer") is events.StepSteer and find("step-steer").figures
    with pytest.raises(ParameterError, match=r"'step-steer': is jounce\.events\.library\.step_steer\.StepSteer"):
        events.register(Mine)
    try:
        assert events.register(Mine, replace=True) is Mine is events.find("step_steer")
    finally:
        events.register(events.StepSteer, replace=True)
    assert events.find("step-steer") is events.StepSteer and find("step-steer").figures


def test_what_is_no_event_is_refused() -> None:
    with pytest.raises(ParameterError, match="derives from"):
        events.register(dict)  # type: ignore[type-var]
    with pytest.raises(ParameterError, match="has no kind"):
        events.register(Steered)
    with pytest.raises(AttributeError, match="did you mean 'StepSteer'"):
        _ = events.StepStear
    with pytest.raises(AttributeError, match="RandomSteer"):
        _ = events.RandomSteer  # measured, not driven yet
