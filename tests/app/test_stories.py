"""What an engineer does from the first click to the answer, over all pages: half the anti-roll bar at the front."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.results.run import Run

pytestmark = pytest.mark.slow

BAR = "front_suspension.anti_roll_bar"
BOARD = "Object.values(window.jouncePlots)[0]"


def test_half_the_anti_roll_bar(start: Callable[..., Any], browse: Any, tmp_path: Path) -> None:
    """Copy the car, change one value, run both, lay them over each other: the softer front understeers less (WF-07),
    and the car that was copied is as it was (WF-06)."""
    server = start(tmp_path / "own")
    page = browse(server, "/build")
    page.wait_for_selector("[role=treeitem]")
    page.click("text=+ Open")
    page.locator(".jf-dialog").get_by_text("sports", exact=True).click()
    page.locator(".jb-doc.on", has_text="sports").wait_for()
    page.locator("[data-command=duplicate]").click()
    page.locator(".jb-doc.on", has_text="sports copy •").wait_for()
    for path in ("front_suspension", BAR):
        item = page.locator(f"[role=treeitem][data-path='{path}']")
        if path != BAR and item.get_attribute("aria-expanded") == "false":
            item.locator(".jb-tree-mark").click()
    page.locator(f"[role=treeitem][data-path='{BAR}']").click()
    field = page.locator(f"[id='row-{BAR}.scale']")
    field.fill("0.5")
    field.press("Enter")
    page.locator(f".jb-row.changed[data-path='{BAR}.scale']").wait_for()

    page.click(".jn-nav >> text=Test")
    page.wait_for_selector(".jn-event >> nth=20")
    page.click("[data-event='ramp-steer']")
    page.wait_for_selector(".jn-about-title >> text=Ramp steer")
    page.click("[aria-label='Choose vehicles']")
    rows = page.locator(".q-menu .q-item")
    rows.filter(has_text="sports copy (changed)").click()
    page.wait_for_selector(".jn-chip-on >> text=sports copy (changed)")
    page.click("[aria-label='Choose vehicles']")
    page.locator(".q-menu .q-item", has=page.get_by_text("sports", exact=True)).first.locator("button").click()
    page.wait_for_selector(".jn-run-button >> text=Run 2 vehicles")
    page.keyboard.press("Escape")
    page.click(".jn-run-button")

    def both() -> Any:
        found = server.json("/api/runs")
        return len(found) == 2 and all(r["status"] == "complete" for r in found) and found

    second, first = server.until(both)
    changed, base = (first, second) if first["changes"] else (second, first)
    assert list(changed["changes"]) == [f"{BAR}.scale"] and not base["changes"]

    page.click(".jn-nav >> text=Review")
    page.wait_for_selector(f"[data-run='{base['id']}']")
    page.click(f"[data-run='{base['id']}'] .jn-run-label")
    page.wait_for_function(f"{BOARD}?.sources.length === 1 && {BOARD}.sources[0].id === '{base['id']}'")
    page.click(f"[data-run='{changed['id']}'] .jn-run-mark")
    page.click(".jn-page-tab >> text=Handling")
    page.wait_for_function(f"{BOARD}.panels.length === 4 && {BOARD}.panels[0].curves.length === 2")
    cars = [Run.read(server.folder / "runs" / run["id"]) for run in (base, changed)]
    for k, run in enumerate(cars):  # lateral acceleration over the steering wheel, each car's own
        drawn = page.evaluate(f"{BOARD}.points(0, {k})")
        np.testing.assert_allclose(drawn["x"], np.degrees(run["driver_demands.steering"]), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(drawn["y"], run.signal("lateral_acceleration") / 9.80665, rtol=1e-12, atol=1e-15)
    page.wait_for_selector(".jn-kpis [data-key='understeer_gradient']")
    told = [
        float(text.replace("−", "-"))
        for text in page.locator(".jn-kpis [data-key='understeer_gradient']").all_inner_texts()
    ]
    wanted = [run.kpis["understeer_gradient"][0] for run in cars]
    assert told == [pytest.approx(value, rel=6e-4) for value in wanted]
    limits = [run.kpis["ay_max"][0] for run in cars]
    assert (
        wanted[1] < 0.995 * wanted[0]
    )  # the softer front understeers less (−0.7 %; of the car's own roll steer the rest)
    assert limits[1] > 1.015 * limits[0]  # and the car corners faster (+2.5 %)
    assert f"{BAR}.scale" in page.inner_text(".jn-review-kpis")
    page.wait_for_function("Object.keys(window.jounceScene?.ghosts() ?? {}).length > 4")  # and rides along as a ghost
    assert jn.load("sports").front_suspension.anti_roll_bar.scale == 1.0
    page.click(".jn-nav >> text=Build")
    page.locator(".jb-doc", has_text="sports copy •").wait_for()
    assert page.locator(".jb-doc:not(.dirty)", has_text="sports").count() == 1
