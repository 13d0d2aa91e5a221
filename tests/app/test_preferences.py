"""Preferences: each field, what it is refused for, and what it does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.app.build.describe import TOWED, Shown, group_of, rows
from jounce.app.settings import SETTINGS
from jounce.app.workbench import Workbench
from jounce.core.errors import ParameterError
from jounce.results.run import Run
from jounce.vehicle.reading import read


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    found = Workbench(tmp_path / "work")
    yield found
    found._held.close()


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("plot_background", "red"), ("plot_background", "#12345"), ("trailers", "yes"), ("step", "fast"),
        ("step", "0 ms"), ("step", "-1 ms"), ("interval", "11 s"), ("interval", "1 m"), ("interval", 5),
        ("buffer", 1), ("report", None), ("stpe", "1 ms"),
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_refused_and_nothing_is_taken(bench: Workbench, name: str, bad: Any) -> None:
    before = bench.preferences.settings
    with pytest.raises(ParameterError, match=name):
        bench.preferences.set({"buffer": True, name: bad} if name != "buffer" else {"report": True, name: bad})
    assert bench.preferences.settings == before


def test_settings_stay_and_bad_ones_are_told(bench: Workbench, tmp_path: Path) -> None:
    bench.preferences.set({"step": "0.5 ms", "trailers": False, "plot_background": "#102030"})
    bench._held.close()
    again = Workbench(tmp_path / "work")
    assert again.preferences.settings == {
        **{name: item.default for name, item in SETTINGS.items()},
        "step": "0.5 ms",
        "trailers": False,
        "plot_background": "#102030",
    }
    again.preferences.set({"step": ""})
    data = json.loads(again.preferences.file.read_text())
    assert data["settings"] == {"trailers": False, "plot_background": "#102030"}  # defaults are not written
    again._held.close()
    again.preferences.file.write_text(json.dumps({**data, "settings": {"trailers": 7, "nosuch": 1, "buffer": True}}))
    third = Workbench(tmp_path / "work")
    assert third.preferences["trailers"] is True and third.preferences["buffer"] is True
    told = " ".join(entry.text for entry in third.log.entries)
    assert "trailers: found 7" in told and "nosuch" in told
    third._held.close()


def test_without_trailers_none_are_offered_and_those_that_are_there_are_shown() -> None:
    """The flag takes offers away, never data."""
    sedan = group_of(read("sedan"))
    offered = [[r["path"] for r in rows(sedan, Shown(towed=on)) if r["t"] == "absent"] for on in (True, False)]
    assert set(offered[0]) - set(offered[1]) == {"trailers"} and set(offered[1]) < set(offered[0])
    assert "trailers" in TOWED


def test_runs_take_their_step_and_interval_from_the_preferences(bench: Workbench) -> None:
    """What a run is asked for itself has the last word."""
    bench.preferences.set({"step": "0.5 ms", "interval": "5 ms", "report": True})
    vehicle = {"name": "sedan", "source": "sedan"}
    one = bench.jobs.submit(vehicle, {"event": "step-steer"})
    two = bench.jobs.submit(vehicle, {"event": "step-steer"}, {"step": "2 ms", "pace": 1.0})
    told = [json.loads((job.folder / "job.json").read_text())["options"] for job in (one, two)]
    assert told[0] == {"step": "0.5 ms", "interval": "5 ms", "report": True}
    assert told[1] == {"step": "2 ms", "interval": "5 ms", "report": True, "pace": 1.0}


def ended(server: Any, event: dict[str, Any], **more: Any) -> Path:
    id = server.json("/api/runs", {"vehicle": "sedan", "event": event, **more})["id"]
    server.until(lambda: server.json(f"/api/runs/{id}")["status"] == "complete")
    return Path(server.folder / "runs" / id)


@pytest.mark.slow
def test_each_setting_of_runs_does_what_it_says(server: Any) -> None:
    """Buffered: nothing of the results is in the folder while it goes on, and the same afterwards (WB-16)."""
    event = {"event": "step-steer", "amplitude": "20 deg", "end_time": "1.5 s"}
    plain = Run.read(ended(server, event))
    assert plain.time[1] == pytest.approx(0.01) and plain.metadata["step"] == pytest.approx(0.001)
    server.json("/api/preferences", {"buffer": True}, method="PATCH")
    id = server.json("/api/runs", {"vehicle": "sedan", "event": event, "options": {"pace": 1.0}})["id"]
    place, seen, phases = server.folder / "runs" / id, set(), set()

    def look() -> bool:
        there = {p.name for p in place.iterdir()}
        about = server.json(f"/api/runs/{id}")
        if 0.3 < about.get("time", 0.0) < 1.4:  # looked at before this was told
            phases.add("driving")
        if about.get("time", 0.0) < 1.4 and about["status"] in ("queued", "running"):
            seen.update(there)
        return bool(about["status"] == "complete")

    server.until(look)
    assert "driving" in phases and {name.partition(".")[0] for name in seen} <= {"job", "log", "progress"}, seen
    buffered = Run.read(place)
    assert buffered.names == plain.names
    for name in ("time", *plain.names):
        np.testing.assert_array_equal(buffered[name] if name != "time" else buffered.time,
                                      plain[name] if name != "time" else plain.time, err_msg=name)  # fmt: skip
    wanted = {"buffer": False, "interval": "20 ms", "step": "0.5 ms", "report": True}
    assert server.json("/api/preferences", wanted, method="PATCH")["step"] == "0.5 ms"
    other = ended(server, event)
    run = Run.read(other)
    assert run.time[1] == pytest.approx(0.02) and run.metadata["step"] == pytest.approx(0.0005)
    assert b"<html" in (other / "report.html").read_bytes()
    status, text = server.ask("/api/preferences", {"step": "quick"}, method="PATCH")
    assert status == 422 and b"step" in text
    server.json("/api/preferences", {"interval": "", "step": "", "report": False}, method="PATCH")


@pytest.mark.slow
def test_the_dialog_has_four_panels_and_what_it_changes_is_seen(server: Any, page: Any) -> None:
    page.goto(server.url("/review"))
    page.wait_for_selector(".jn-plot")

    def ground() -> str:
        return str(page.evaluate("getComputedStyle(document.querySelector('.jn-plot')).backgroundColor"))

    def ink() -> list[int]:
        text = page.evaluate("getComputedStyle(document.querySelector('.jn-plot')).color")
        return [int(float(v)) for v in text.partition("(")[2].strip(")").split(",")[:3]]

    before = ground()
    page.click("[aria-label=Session]")
    page.click("text=Preferences …")
    page.wait_for_selector("[data-setting=plot_background]")
    heads = page.locator(".jf-panels .jf-cmd").all_inner_texts()
    assert heads == ["General", "Folders", "Runs", "After a run"]
    field = page.locator("[data-setting=plot_background] input")
    field.fill("midnight")
    field.press("Enter")
    page.wait_for_selector("[data-setting=plot_background] .jf-said >> text=expected a colour")
    assert ground() == before
    for colour, wanted, dark in (("#101a30", "rgb(16, 26, 48)", True), ("#fffdf5", "rgb(255, 253, 245)", False)):
        field.fill(colour)
        field.press("Enter")
        page.wait_for_function(f"getComputedStyle(document.querySelector('.jn-plot')).backgroundColor === '{wanted}'")
        assert (min(ink()) > 180) is dark, ink()  # what is written on it can be read
    field.fill("")
    field.press("Enter")
    page.wait_for_function(f"getComputedStyle(document.querySelector('.jn-plot')).backgroundColor === '{before}'")
    page.click(".jf-panels >> text=Runs")
    page.click("[data-setting=buffer] .q-checkbox")
    server.until(lambda: server.json("/api/preferences")["settings"]["buffer"] is True)
    page.click("[data-setting=buffer] .q-checkbox")
    server.until(lambda: server.json("/api/preferences")["settings"]["buffer"] is False)
    page.click(".jf-panels >> text=After a run")
    page.wait_for_selector("text=They are run, so they are named when the server is started")
    page.click(".jf-panels >> text=Folders")
    page.wait_for_selector(".jf-list >> text=library")
    page.click(".jf-dialog >> text=Close")
    page.goto(server.url("/build"))
    page.wait_for_selector(".jb-row >> text=trailers")
    server.json("/api/preferences", {"trailers": False}, method="PATCH")
    page.wait_for_function("![...document.querySelectorAll('.jb-row')].some(r => r.innerText.startsWith('trailers'))")
    server.json("/api/preferences", {"trailers": True}, method="PATCH")
    page.wait_for_selector(".jb-row >> text=trailers")
