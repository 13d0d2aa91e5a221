"""The Test page in a real browser: forms, runs that are watched, stopped and queued, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.results.run import Run

pytestmark = pytest.mark.slow

BOARD = "Object.values(window.jouncePlots)[0]"
LIVE = f"{BOARD}.sources[0]?.whole?.length"


def at(server: Any, page: Any) -> None:
    """The Test page, ready."""
    page.goto(server.url("/test"))
    page.wait_for_selector(".jn-event >> nth=20")
    page.wait_for_function(f"window.jouncePlots && window.jounceScene && {BOARD}")


def choose(page: Any, kind: str, title: str) -> None:
    page.fill(".jn-events input", kind)
    page.click(f"[data-event='{kind}']")
    page.wait_for_selector(f".jn-about-title >> text={title}")
    page.fill(".jn-events input", "")


def set_to(page: Any, kind: str, name: str, text: str) -> None:
    page.fill(f"#jn-f-{kind}-{name}", text)
    page.press(f"#jn-f-{kind}-{name}", "Enter")


def newest(server: Any) -> dict[str, Any]:
    found: dict[str, Any] = server.json("/api/runs")[0]
    return found


def ended(server: Any, count: int) -> list[dict[str, Any]]:
    """All runs, when there are so many and none goes on."""

    def look() -> Any:
        listed = server.json("/api/runs")
        return len(listed) == count and all(r["status"] not in ("queued", "running") for r in listed) and listed

    found: list[dict[str, Any]] = server.until(look)
    return found


def test_the_first_ten_minutes(start: Callable[..., Any], browse: Any, tmp_path: Path) -> None:
    """Search an event, run it, watch it, look at it again, and lay the next run beside it (WF-01)."""
    server = start(tmp_path / "own")
    page = browse(server)
    at(server, page)
    choose(page, "step-steer", "Step steer")
    assert page.locator(".jn-chip-on").inner_text() == "sedan"
    set_to(page, "step-steer", "amplitude", "40")
    page.wait_for_selector(".jn-param-set >> text=amplitude")
    page.click(".jn-run-button")
    page.wait_for_function(f"{BOARD}.panels[0]?.curves.length === 1 && {LIVE} > 100")
    page.wait_for_selector(".jn-live-head >> text=complete")
    page.wait_for_function("window.jounceScene.track?.length > 100")
    (first,) = ended(server, 1)
    run = Run.read(server.folder / "runs" / first["id"])
    assert np.degrees(run["driver_demands.steering"][-1]) == pytest.approx(40.0)
    drawn = page.evaluate(f"{BOARD}.points(2, 0)")  # live plots end as the run that is stored
    np.testing.assert_allclose(drawn["y"], np.degrees(run["chassis_velocities.yaw"]), rtol=1e-12, atol=1e-15)
    set_to(page, "step-steer", "speed", "60")
    page.wait_for_selector(".jn-param-set >> text=speed")
    page.keyboard.press("Control+Enter")
    second = ended(server, 2)[0]
    page.wait_for_selector(".jn-live-head >> text=complete")
    page.click(".jn-live-head >> text=Review")
    page.wait_for_selector(f"[data-run='{first['id']}']")
    page.wait_for_function(f"{BOARD}?.sources[0]?.id === '{second['id']}'")
    page.click(f"[data-run='{first['id']}'] .jn-run-mark")
    page.wait_for_function(f"{BOARD}.told()[0].curves.length === 2")
    assert {curve["run"] for curve in page.evaluate(f"{BOARD}.told()[2].curves")} == {first["id"], second["id"]}
    assert "speed" in page.inner_text(".jn-review-kpis")  # what differs


def test_a_value_that_is_refused_says_why_and_is_not_run(server: Any, page: Any) -> None:
    at(server, page)
    choose(page, "weave", "Weave test")
    before = len(server.json("/api/runs"))
    set_to(page, "weave", "end_time", "-3")
    page.wait_for_selector(".jn-param-bad .jn-param-said >> text=must be > 0 s")
    assert page.locator(".jn-run-button").is_disabled()
    page.keyboard.press("Control+Enter")
    set_to(page, "weave", "frequency", "0.3 kg")
    page.wait_for_selector(".jn-param-bad >> nth=1")
    assert "kg" in page.locator(".jn-param-bad", has_text="frequency").inner_text()
    assert len(server.json("/api/runs")) == before
    for _ in range(2):
        page.locator(".jn-param-bad .jn-param-back").first.click()
        page.wait_for_timeout(300)
    page.wait_for_function("!document.querySelector('.jn-param-bad')")
    assert not page.locator(".jn-run-button").is_disabled()


def test_units_turn_and_stay(server: Any, page: Any) -> None:
    at(server, page)
    choose(page, "ramp-steer", "Ramp steer")
    set_to(page, "ramp-steer", "speed", "72")
    page.wait_for_selector(".jn-param-set >> text=speed")
    page.locator(".jn-param", has_text="speed").locator(".jn-units").first.select_option("m/s")
    page.wait_for_function("document.querySelector('#jn-f-ramp-steer-speed').value === '20'")
    page.reload()
    page.wait_for_selector("#jn-f-ramp-steer-speed")
    page.wait_for_function("document.querySelector('#jn-f-ramp-steer-speed').value === '20'")
    page.click("text=defaults")
    page.wait_for_function("document.querySelector('#jn-f-ramp-steer-speed').value === ''")


def test_stop_keeps_what_was_driven(server: Any, page: Any) -> None:
    at(server, page)
    choose(page, "weave", "Weave test")
    set_to(page, "weave", "end_time", "300")
    page.wait_for_selector(".jn-param-set >> text=end time")
    page.select_option(".jn-pace", "1")
    page.click(".jn-run-button")
    page.wait_for_function(f"{LIVE} > 30")
    page.wait_for_function("window.jounceScene.frames > 5 && jounceScene.poses().body?.position[0] > 5")
    seen = page.evaluate(f"{BOARD}.sources[0].whole.to")
    page.click(".jn-stop-button")
    page.wait_for_selector(".jn-live-head >> text=partial")
    info = newest(server)
    # by itself; on a slow machine its process is ended and the rows that it had written are kept
    assert info["status"] == "partial" and info["reason"].startswith(("interrupted", "stopped"))
    run = Run.read(server.folder / "runs" / info["id"])
    assert seen <= run.time[-1] < 200
    page.wait_for_function(f"{BOARD}.sources[0]?.whole?.exact && {BOARD}.points(2, 0).x.length === {len(run)}")
    page.select_option(".jn-pace", "")
    assert page.locator(".jn-job .jn-run-partial").count() == 1
    page.click("text=defaults")


def test_a_plan_runs_its_tests_with_its_vehicles_and_comes_back(
    start: Callable[..., Any], browse: Any, tmp_path: Path
) -> None:
    server = start(tmp_path / "own")
    page, other = browse(server), browse(server)
    at(server, page)
    at(server, other)
    choose(page, "straight-braking", "Straight braking")
    page.click("button:has-text('Add to plan')")
    page.fill(".jn-events input", "step-steer")
    page.dblclick("[data-event='step-steer']")
    other.wait_for_selector(".jn-page-tab >> text=Plan (2)")  # the other tab sees it
    page.click(".jn-page-tab >> text=Plan (2)")
    cell = page.locator("[data-test='t2'] .jn-plan-cell", has_text="speed").locator("input")
    cell.fill("70")
    cell.press("Tab")
    page.wait_for_selector("[data-test='t2'] .jn-param-set >> text=speed")
    page.click("[aria-label='Choose vehicles']")
    page.locator(".q-menu .q-item", has_text="suv").locator("[aria-label='Run with this one too']").click()
    page.wait_for_selector(".jn-run-button >> text=Run plan: 4 runs")
    page.keyboard.press("Escape")
    page.click(".jn-run-button")
    found = ended(server, 4)
    assert [(r["event"], r["vehicle"]) for r in reversed(found)] == [
        ("straight-braking", "sedan"), ("straight-braking", "suv"), ("step-steer", "sedan"), ("step-steer", "suv"),
    ]  # fmt: skip
    run = Run.read(server.folder / "runs" / found[0]["id"])
    assert run.parameter("speed") == pytest.approx(70 / 3.6)
    page.reload()
    page.wait_for_selector(".jn-page-tab.jn-here >> text=Plan (2)")
    assert page.locator("[data-test='t2'] input >> nth=1").input_value() == "70"
    assert page.locator(".jn-chip-on").count() == 2


def test_what_was_open_comes_back_after_a_crash(start: Callable[..., Any], browse: Any, tmp_path: Path) -> None:
    import signal

    folder = tmp_path / "own"
    server = start(folder)
    page = browse(server)
    at(server, page)
    choose(page, "sine-steer", "Sine steer")
    set_to(page, "sine-steer", "amplitude", "25")
    page.wait_for_selector(".jn-param-set >> text=amplitude")
    page.click(".jn-run-button")
    (info,) = ended(server, 1)
    page.forgiven = ["WebSocket", "ERR_CONNECTION", "Failed to load"]
    server.close(signal.SIGKILL)
    again = start(folder)
    fresh = browse(again)
    fresh.goto(again.url("/test"))
    fresh.wait_for_selector(".jn-about-title >> text=Sine steer")
    assert fresh.input_value("#jn-f-sine-steer-amplitude") == "25"
    fresh.wait_for_selector(f".jn-live-head >> text={info['label'].partition(' ·')[0]}")
    fresh.wait_for_function(f"{LIVE} > 100")
    page.close()
