"""Code of one's own in the workbench: where it comes from, where it never comes from, and what it does."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jounce.app.own import Own
from jounce.app.workbench import Workbench
from jounce.core.errors import ParameterError
from jounce.results.run import Run

EVENT = '''
"""A nudge of the hand wheel."""
from typing import ClassVar
from jounce.core.fields import quantity
from jounce.events.library.step_steer import StepSteer

class Nudge(StepSteer):
    """A small step of the hand wheel, much too small."""
    kind: ClassVar[str] = "{kind}"
    title: ClassVar[str] = "Nudge of one's own"
    amplitude: float = quantity("rad", 0.15, doc="of the nudge")
    end_time: float = quantity("s", 1.5, gt=0, doc="end of the run")
'''
SCRIPT = """
EVENTS = ("nudge-page",)

def post_processing(result, output_map, vehicle, event):
    print("seen", event, vehicle.rsplit("/")[-1])
    open(result + "/seen.txt", "w").write("yes")
    return {good}
"""


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A folder of code with an event, two scripts, and files that are not to be run."""
    place = tmp_path / "code"
    place.mkdir()
    (place / "nudge.py").write_text(EVENT.format(kind="nudge-page"))
    (place / "works.py").write_text(SCRIPT.format(good=True))
    (place / "fails.py").write_text(SCRIPT.format(good=False))
    (place / "_not.py").write_text("open('trap', 'w')")
    return place


def test_only_folders_of_the_command_line_are_searched(tmp_path: Path, code: Path) -> None:
    """A registered folder with Python files stays data."""
    bench = Workbench(tmp_path / "work")
    try:
        for place in (tmp_path / "work", tmp_path / "work" / "events"):
            place.mkdir(exist_ok=True)
            (place / "trap.py").write_text(f"open({str(tmp_path / 'trap')!r}, 'w')")
        bench.register(str(tmp_path / "work" / "events"))
        bench.register(str(code))
        again = Own(())
        again.load()
        assert again.scripts() == bench.own.scripts() == [] and not again.events and not (tmp_path / "trap").exists()
        with pytest.raises(ParameterError, match="--code DIR"):
            bench.own.new("step-steer")
    finally:
        bench._held.close()
    with pytest.raises(ParameterError, match="no such folder"):
        Own([tmp_path / "gone"])


def test_events_are_known_and_what_is_broken_is_told(code: Path) -> None:
    from jounce.app.test import events
    from jounce.events.registry import _CLASSES, find

    (code / "nudge.py").write_text(EVENT.format(kind="nudge-alone"))
    (code / "broken.py").write_text("import nothing_of_this_name")
    (code / "text.py").write_text("no Python at all")
    own = Own([code])
    own.load()
    try:
        assert [text.rpartition("/")[2].partition(":")[0] for text in own.remarks] == ["broken.py", "text.py"]
        assert own.events == {"nudge-alone": code / "nudge.py"} and find("nudge-alone").title == "Nudge of one's own"
        events.listed.cache_clear()
        row = next(item for item in events.listed() if item["kind"] == "nudge-alone")
        assert row["standard"] == "own"
        assert events.check("nudge-alone", {"amplitude": "9"})[0] is not None
        assert {script.name for script in own.scripts()} == {"works", "fails"}
        assert not [script for script in own.scripts() if script.fits("drop")]
        made = own.new("drop")
        assert made.parent == code and own.find(made.stem).fits("drop") and not own.find(made.stem).fits("nudge-alone")
        assert own.new("drop") != made  # nothing is overwritten
    finally:
        _CLASSES.pop("nudge-alone", None)
        events.listed.cache_clear()


@pytest.mark.slow
def test_an_event_and_scripts_of_ones_own_from_the_page(
    start: Callable[..., Any], browse: Any, tmp_path: Path, code: Path
) -> None:
    """The event is listed and runs; its scripts are offered for it and for nothing else, and the log has their words.
    A program of others gets the files."""
    told = tmp_path / "told.json"
    player = tmp_path / "player.py"
    player.write_text(f"import json, sys; json.dump(sys.argv[1:], open({str(told)!r}, 'w'))")
    server = start(tmp_path / "own", "--code", str(code), "--external", f"{sys.executable} {player} {{files}} --full")
    page = browse(server, "/test")
    page.fill(".jn-events input", "nudge")
    page.click("[data-event='nudge-page']")
    page.wait_for_selector(".jn-about-title >> text=Nudge of one's own")
    page.click(".jn-run-button")
    run = server.until(lambda: (r := server.json("/api/runs")) and r[0]["status"] == "complete" and r[0])
    folder = server.folder / "runs" / run["id"]
    assert Run.read(folder)["driver_demands.steering"][-1] == pytest.approx(0.15)
    page.goto(server.url(f"/review?run={run['id']}"))
    page.wait_for_selector(".jn-kpis-head >> text=Nudge")
    page.click("[aria-label='Scripts of your own']")
    page.wait_for_selector(".q-menu >> text=works")
    page.click(".q-menu >> text=works")
    server.until(lambda: (folder / "seen.txt").exists())
    page.click(".jn-log-line")
    page.wait_for_selector(".jn-log-body >> text=seen nudge-page sedan")
    page.wait_for_selector(".jn-log-body >> text=--- ends: works.py")
    assert server.json(f"/api/review/scripts/fails?run={run['id']}", method="POST")["good"] == [False]
    page.wait_for_selector(".jn-entry-error >> text=says that it failed")
    names = [item["name"] for item in server.json(f"/api/review/scripts?run={run['id']}")]
    assert names == ["fails", "works"]
    page.click("[aria-label='Scripts of your own']")
    page.click(".q-menu >> text=New script for")
    page.wait_for_selector(".jn-note >> text=post_nudge_page.py")
    assert "post_nudge_page" in [i["name"] for i in server.json(f"/api/review/scripts?run={run['id']}")]
    page.click("[aria-label='Scripts of your own']")
    page.click(".q-menu >> text=Open in")
    server.until(lambda: told.exists() and told.stat().st_size)
    time.sleep(0.05)
    given = json.loads(told.read_text())
    assert given[-1] == "--full" and str(folder / "run.parquet") in given and str(folder / "run.json") in given
    for bad in ("/api/review/scripts/_not", "/api/review/scripts/..%2Fworks", "/api/review/scripts/nudge"):
        assert server.ask(f"{bad}?run={run['id']}", method="POST")[0] in (404, 405, 422)
    assert server.ask("/api/review/external?run=nothing", method="POST")[0] == 404
