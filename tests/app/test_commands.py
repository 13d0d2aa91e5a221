"""What may be done where, what goes on is told, and the command line does the same as the pages."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.results import report
from jounce.results.run import Run

pytestmark = pytest.mark.slow

EVENT = {"event": "step-steer", "amplitude": "25 deg", "end_time": "1.5 s"}
COMMANDS = ["undo", "redo", "duplicate", "save", "save-as"]


def test_the_way_from_a_vehicle_to_its_tests_leads_to_this_vehicle(server: Any, page: Any) -> None:
    """The command of the Build page, the link above, and the vehicle that was chosen by hand afterwards."""
    server.json("/api/session", {"action": "new"})
    for name in ("compact", "suv"):
        server.json("/api/documents", {"source": name})
    page.goto(server.url("/build"))
    page.locator(".jb-doc", has_text="suv").click()
    page.locator(".jb-doc.on", has_text="suv").wait_for()
    page.click(".jn-nav >> text=Test")
    page.wait_for_selector(".jn-chip-on >> text=suv")
    page.goto(server.url("/build"))
    page.locator(".jb-doc", has_text="compact").click()
    page.locator(".jb-doc.on", has_text="compact").wait_for()
    page.click("text=Test ▸")
    page.wait_for_selector(".jn-chip-on >> text=compact")
    assert page.locator(".jn-chip-on").count() == 1


def test_commands_are_offered_when_they_can_be_done(server: Any, page: Any) -> None:
    """By page and state, as this table says (WB-03)."""

    def build(able: str) -> None:
        wanted = [name for name in COMMANDS if name not in able.split()]
        page.wait_for_function(
            "wanted => [...document.querySelectorAll('[data-command][disabled]')]"
            ".map(b => b.dataset.command).join() === wanted",
            arg=",".join(wanted),
        )

    server.json("/api/session", {"action": "new"})
    page.goto(server.url("/build"))
    page.wait_for_selector("[role=treeitem]")
    build("duplicate save-as")
    (document,) = server.json("/api/documents")
    place = f"/api/documents/{document['id']}"
    server.json(f"{place}/changes", {"changes": {"front_suspension.spring.rate": "33 N/mm"}})
    build("undo duplicate save save-as")
    page.click("[data-command=undo]")
    build("redo duplicate save-as")
    page.click("[data-command=redo]")
    build("undo duplicate save save-as")

    page.goto(server.url("/test"))
    page.wait_for_selector(".jn-event >> nth=20")
    page.click("[data-event='step-steer']")
    page.wait_for_selector(".jn-run-button:not([disabled]) >> text=Run")
    page.fill("#jn-f-step-steer-end_time", "-5")
    page.press("#jn-f-step-steer-end_time", "Enter")
    page.wait_for_selector(".jn-run-button[disabled]")
    page.fill("#jn-f-step-steer-end_time", "")
    page.press("#jn-f-step-steer-end_time", "Enter")
    page.wait_for_selector(".jn-run-button:not([disabled])")
    page.click(".jn-page-tab >> text=Plan")
    page.wait_for_selector(".jn-run-button[disabled] >> text=Run plan: 0 runs")
    assert not page.locator(".jn-stop-button").is_visible()

    page.goto(server.url("/review"))
    page.wait_for_selector("[aria-label='Take away'][disabled]")
    page.wait_for_selector("[aria-label='Scripts of your own'][disabled]")


def test_what_goes_on_is_told_while_it_goes_on(server: Any, page: Any) -> None:
    """A page that only looks sees the share grow in many steps, and the words of the log when it has ended (WB-27)."""
    page.goto(server.url("/build"))
    page.wait_for_selector(".jn-activity", state="attached")
    page.evaluate("""() => {
      window.seen = [];
      const bar = document.querySelector('.jn-activity .jn-progress > div');
      const words = document.querySelector('.jn-activity');
      const look = () => seen.push([parseFloat(bar.style.width) || 0, words.innerText.trim()]);
      const all = {subtree: true, attributes: true, childList: true, characterData: true};
      new MutationObserver(look).observe(words, all);
    }""")
    since = max((entry["number"] for entry in server.json("/api/log")), default=0)
    started = server.json("/api/runs", {"event": EVENT, "label": "told", "options": {"pace": 0.5}})
    shares = []

    def over() -> bool:
        about = server.json(f"/api/runs/{started['id']}")
        if about.get("end") and "phase" in about:
            shares.append((about["phase"], about["time"] / about["end"]))
        return bool(about["status"] == "complete")

    server.until(over)
    driving = [share for phase, share in shares if phase == "driving"]
    assert len(set(driving)) > 5 and driving == sorted(driving) and driving[0] < 0.5 < driving[-1] <= 1.0
    lines = [e["text"] for e in server.json(f"/api/log?since={since}") if e["source"] == "told"]
    assert lines and lines[0].startswith("complete")
    page.locator(".jn-entry", has_text="told").filter(has_text="complete").wait_for(state="attached")
    seen = [share for share, words in page.evaluate("seen") if words.startswith("told: driving")]
    assert len(set(seen)) > 5 and seen == sorted(seen), seen


def test_the_command_line_does_the_same(server: Any, tmp_path: Path) -> None:
    """A run of the workbench and the same by command: every channel to the bit, and the same report (WB-26)."""
    body = {"vehicle": "sedan", "event": EVENT, "changes": {"front_suspension.spring.rate": "33 N/mm"}, "label": "same"}
    id = server.json("/api/runs", body)["id"]
    server.until(lambda: server.json(f"/api/runs/{id}")["status"] == "complete")
    words = [f"{key}={value}" for key, value in EVENT.items() if key != "event"] + [
        "front_suspension.spring.rate=33 N/mm"
    ]
    given = [part for text in words for part in ("--set", text)]
    told = CliRunner().invoke(app, ["run", "step-steer", *given, "--out", str(tmp_path / "run")])
    assert told.exit_code == 0, told.output
    page, command = Run.read(server.folder / "runs" / id), Run.read(tmp_path / "run")
    assert page.names == command.names and page.units == command.units
    np.testing.assert_array_equal(page.time, command.time)
    for name in page.names:
        np.testing.assert_array_equal(page[name], command[name], err_msg=name)
    assert repr(page.kpis) == repr(command.kpis)
    keep = {"label": "same", "timing": None, "created": None, "source": None}
    rendered = [report.render(run.with_metadata(**keep)) for run in (page, command)]
    status, shown = server.ask(f"/api/review/report?run={id}")
    assert status == 200 and rendered[0] == rendered[1]
    tables = [re.findall(r"<td[^>]*>.*?</td>", html.unescape(text)) for text in (shown.decode(), rendered[1])]
    assert len(set(tables[1]) - set(tables[0])) <= 2 and len(tables[1]) > 100  # nothing but when and how long
    page.to_csv(tmp_path / "page.csv")
    status, table = server.ask(f"/api/review/csv?run={id}")
    assert status == 200 and table == (tmp_path / "page.csv").read_bytes()
