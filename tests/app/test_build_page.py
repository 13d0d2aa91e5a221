"""The Build page in a browser: change, be refused, undo, filter, curves, two tabs, and what stands beside the data."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jounce as jn
from jounce.app.pages import pages

SPRING, RATE, TOE = "front_suspension.spring", "front_suspension.spring.rate", "front_suspension.toe"


class Build:
    """The page as somebody who uses it sees it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.wait_for_selector("[role=treeitem]")

    def select(self, path: str) -> None:
        for k in range(len(path)):
            if path[k] == ".":
                around = self.page.locator(f"[role=treeitem][data-path='{path[:k]}']")
                if around.get_attribute("aria-expanded") == "false":
                    around.locator(".jb-tree-mark").click()
        self.page.locator(f"[role=treeitem][data-path='{path}']").click()
        self.page.wait_for_selector(f"[role=treeitem][data-path='{path}'].on")

    def field(self, path: str) -> Any:
        return self.page.locator(f"[id='row-{path}']")

    def said(self, path: str) -> Any:
        return self.page.locator(f".jb-row[data-path='{path}'] .jb-row-doc")

    def change(self, path: str, text: str) -> None:
        self.field(path).fill(text)
        self.field(path).press("Enter")

    def shows(self, path: str, text: str) -> None:
        self.page.wait_for_function(
            "([id, text]) => document.getElementById(id)?.value === text", arg=[f"row-{path}", text]
        )

    def says(self, path: str, text: str) -> None:
        self.said(path).filter(has_text=re.compile(text)).wait_for()


@pytest.fixture
def desk(server: Any, page: Any) -> Build:
    server.json("/api/session", {"action": "new"})
    page.goto(server.url("/build"))
    return Build(page)


def test_an_invalid_value_is_refused_with_its_reason_and_the_one_before_stays(server: Any, desk: Build) -> None:
    desk.select(SPRING)
    desk.field(RATE).fill("-5")
    desk.says(RATE, "must be > 0 N/m")  # while it is typed
    desk.field(RATE).press("Enter")
    desk.shows(RATE, "66.9")
    desk.says(RATE, "must be > 0 N/m")
    desk.field(RATE).fill("66.9 N/m")
    desk.says(RATE, "did you mean 66.9 N/mm")
    desk.field(RATE).press("Escape")
    desk.shows(RATE, "66.9")
    assert desk.page.locator(".jb-doc.dirty").count() == 0
    desk.change(RATE, "60")
    desk.page.wait_for_selector(".jb-doc.dirty")
    desk.says(RATE, r"66\.9 N/mm")  # what it was
    (document,) = server.json("/api/documents")
    assert [(d["path"], d["theirs"]) for d in document["differences"]] == [(RATE, 60000.0)]
    desk.page.keyboard.press("Control+z")
    desk.shows(RATE, "66.9")
    desk.page.keyboard.press("Control+y")
    desk.shows(RATE, "60")
    desk.page.locator(".jb-row-was").click()
    desk.shows(RATE, "66.9")


def test_two_tabs_show_the_same_and_a_reload_restores(server: Any, desk: Build, browse: Callable[..., Any]) -> None:
    other = Build(browse(server, "/build"))
    desk.select(SPRING)
    other.select(SPRING)
    desk.change(RATE, "55")
    other.shows(RATE, "55")
    other.field(RATE).fill("5")  # still typing, while the other tab goes on
    desk.change(f"{SPRING}.scale", "0.9")
    other.shows(f"{SPRING}.scale", "0.9")
    assert other.field(RATE).input_value() == "5"
    other.field(RATE).press("Escape")
    other.shows(RATE, "55")
    desk.page.reload()
    desk = Build(desk.page)
    desk.shows(RATE, "55")  # the group that was chosen is chosen again
    assert desk.page.locator(".jb-doc").inner_text().startswith("sedan •")


@pytest.mark.slow
def test_units_are_chosen_and_other_ones_typed(desk: Build) -> None:
    desk.select(SPRING)
    row = desk.page.locator(f".jb-row[data-path='{RATE}']")
    row.locator("select").select_option("kN/m")
    desk.shows(RATE, "66.9")
    assert row.locator("select").input_value() == "kN/m"
    row.locator("select").select_option("N/m")
    desk.shows(RATE, "66900")
    desk.change(RATE, "400 lbf/inch")
    desk.page.wait_for_function("id => Math.abs(document.getElementById(id).value - 70050.7) < 0.1", arg=f"row-{RATE}")
    row.locator("select").select_option("N/mm")
    desk.page.keyboard.press("Control+z")


def test_the_scene_follows_the_data(desk: Build) -> None:
    places = "() => window.jounceScene?.poses().L2?.position"
    desk.page.wait_for_function("() => window.jounceScene?.poses().L2")
    assert desk.page.evaluate(places)[1] == pytest.approx(0.79, abs=1e-6)
    desk.select("rear_suspension")
    desk.change("rear_suspension.track", "1700")
    desk.page.wait_for_function("() => Math.abs(jounceScene.poses().L2.position[1] - 0.85) < 1e-6")
    assert desk.page.evaluate("() => jounceScene.poses().R2.position[1]") == pytest.approx(-0.85, abs=1e-6)
    assert desk.page.locator(".jn-scene-labels > div", has_text="track 1.700 m").count() == 1


@pytest.mark.slow
def test_colours_turn_stay_and_can_be_read(server: Any, desk: Build) -> None:
    brightness = """(at) => {
        const [fore, back] = ["color", "backgroundColor"].map((k) => {
            for (let e = document.querySelector(at); e; e = e.parentElement) {
                const found = getComputedStyle(e)[k].match(/[\\d.]+/g).map(Number);
                if (k === "color" || found.length < 4 || found[3] > 0) return found.slice(0, 3);
            }
        });
        const light = (c) => [0.2126, 0.7152, 0.0722].reduce((s, w, k) => s + w * (c[k] / 255) ** 2.2, 0);
        return [light(fore), light(back)];
    }"""
    for theme in ("light", "dark"):
        desk.page.locator("[aria-label=Colours]").click()
        desk.page.wait_for_function(
            "(dark) => document.body.classList.contains('body--dark') === dark", arg=theme == "dark"
        )
        for at in (".jb-row > label", ".jb-row > input", ".jn-muted", "[role=treeitem] .jb-tree-label", ".jf-cmd"):
            fore, back = desk.page.evaluate(brightness, at)
            high, low = max(fore, back), min(fore, back)
            assert (back > 0.5) == (theme == "light"), at
            assert (high + 0.05) / (low + 0.05) > 4.5, (theme, at)  # WCAG 2.1, AA
    assert server.json("/api/session")["settings"]["theme"] == "dark"
    desk.page.reload()
    desk.page.wait_for_function("() => document.body.classList.contains('body--dark')")
    desk.page.locator("[aria-label=Colours]").click()


@pytest.mark.slow
def test_the_tree_is_filtered_and_turned(desk: Build) -> None:
    page = desk.page
    page.fill("#jn-filter", "*suspension.SPRING.rate")
    page.wait_for_selector(f".jb-row[data-path='{RATE}']")
    page.wait_for_function("() => document.querySelectorAll('.jb-row').length === 2")
    page.fill("#jn-filter", "")
    page.wait_for_function("() => document.querySelectorAll('[role=treeitem]').length > 8")
    page.get_by_text("⇄ subsystem").click()
    group = page.locator("[role=treeitem]", has_text="anti roll bar").first
    group.click()
    assert page.locator("[role=treeitem]", has_text="front suspension · anti roll bar").count() == 1
    page.get_by_text("⇄ component").click()


@pytest.mark.slow
def test_a_curve_is_dragged_typed_and_refused(server: Any, desk: Build) -> None:
    page = desk.page
    desk.select(TOE)
    before = jn.load("sedan").get(f"{TOE}.curve")
    desk.field(f"{TOE}.curve").click()
    point = page.locator(".jb-curve circle").nth(20)
    point.wait_for()
    box = point.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 5, box["y"] - 25, steps=3)
    page.mouse.up()
    page.wait_for_selector(".jb-doc.dirty")
    (document,) = server.json("/api/documents")
    now = server.json(f"/api/documents/{document['id']}/value?path={TOE}.curve")
    assert now["x"] == list(before.x)
    moved = [k for k, (a, b) in enumerate(zip(now["y"], before.y, strict=True)) if a != b]
    assert moved == [20] and now["y"][20] > before.y[20]
    cell = page.locator(".jb-curve td.x input").nth(3)
    cell.fill("500")  # no longer in order
    cell.press("Tab")
    page.locator(".jb-curve .said", has_text="ascend").or_(page.locator(".jb-curve .said", has_text="ris")).wait_for()
    assert float(cell.input_value()) == pytest.approx(1e3 * before.x[3])
    page.get_by_title("A row after the marked one").click()
    page.wait_for_function("n => document.querySelectorAll('.jb-curve circle').length === n", arg=len(before.x) + 1)


@pytest.mark.slow
def test_a_curve_goes_to_a_file_and_comes_back(server: Any, desk: Build, tmp_path: Path) -> None:
    page = desk.page
    desk.select(TOE)
    desk.field(f"{TOE}.curve").click()
    with page.expect_download() as download:
        page.get_by_title("Write as CSV").click()
    file = tmp_path / "toe.csv"
    download.value.save_as(file)
    text = file.read_text()
    assert "mm,deg" in text
    page.locator(".jb-curve input[type=file]").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"x,y\nmm,deg\n-80,0.4\n0,0\n80,-0.5\n"}
    )
    page.wait_for_function("() => document.querySelectorAll('.jb-curve circle').length === 3")
    page.locator(".jb-curve input[type=file]").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"x,y\nmm,deg\n0,0.4\n0,kg\n"}
    )
    page.locator(".jb-curve .said", has_text="not a number").wait_for()
    page.locator(".jb-curve input[type=file]").set_input_files(file)
    page.wait_for_function("() => document.querySelectorAll('.jb-doc.dirty').length === 1")
    (document,) = server.json("/api/documents")
    now = server.json(f"/api/documents/{document['id']}/value?path={TOE}.curve")
    assert now["y"] == list(jn.load("sedan").get(f"{TOE}.curve").y)


@pytest.mark.slow
def test_how_it_stands_and_its_axles_stand_beside_it(desk: Build) -> None:
    page = desk.page
    page.set_default_timeout(120_000)
    page.locator(".jb-figures td", has_text="wheel rate, front").wait_for()
    desk.select(SPRING)
    desk.change(RATE, "40")
    moved = page.locator(".jb-figures tr.moved", has_text="wheel rate, front")
    moved.wait_for()
    now, before = (float(moved.locator("td.n").nth(k).inner_text()) for k in (0, 1))
    assert now < 0.8 * before
    page.locator("[data-tab=kc]").click()
    page.locator(".jb-chart[data-title='vertical force, parallel travel'] polyline").nth(
        1
    ).wait_for()  # now, and before
    desk.select("rear_suspension")
    page.locator(".jb-tabs .on", has_text="rear").wait_for()
    page.locator("[data-tab=changes]").click()
    page.locator(".jb-figures td.path", has_text=RATE).click()
    desk.shows(RATE, "40")


@pytest.mark.slow
def test_parts_are_added_and_taken_away(server: Any, desk: Build) -> None:
    page = desk.page
    desk.select("front_suspension")
    page.locator(".jb-row-absent[title^='front_suspension.dampers ']").locator("button").click()
    box = page.locator(".jf-dialog textarea")
    box.fill("rate: stiff")
    page.locator(".jf-dialog .jf-said", has_text="does not begin with a number").wait_for()
    box.fill("name: helper\nrate: 300 N.s/m\n")
    page.locator(".jf-dialog footer button", has_text="Add").click()
    (document,) = server.json("/api/documents")
    head = page.locator(".jb-row-head[data-head='front_suspension.dampers[1]']", has_text="damper 2")
    head.wait_for(state="attached")
    head.scroll_into_view_if_needed()
    head.hover()
    head.locator("button").click()
    head.wait_for(state="detached")
    assert server.json(f"/api/documents/{document['id']}")["differences"] == []


@pytest.mark.slow
def test_a_copy_is_saved_under_its_own_name(server: Any, desk: Build) -> None:
    page = desk.page
    page.locator("[data-command=duplicate]").click()
    page.locator(".jb-doc.on", has_text="sedan copy •").wait_for()
    desk.select("front_suspension")
    desk.change("front_suspension.track", "1600")
    page.keyboard.press("Control+s")
    field = page.locator(".jf-dialog input").first
    field.fill("../bad")
    page.locator(".jf-dialog footer button", has_text="Save").click()
    page.locator(".jf-dialog .jf-said", has_text="letters").wait_for()
    field.fill("wider")
    page.locator(".jf-dialog footer button", has_text="Save").click()
    page.locator(".jb-doc.on:not(.dirty)", has_text="wider").wait_for()
    place = server.folder / "vehicles" / "wider"
    assert jn.load(place).front_suspension.track == 1.6
    assert jn.load("sedan").front_suspension.track == 1.57


@pytest.mark.slow
def test_going_through_the_pages_changes_nothing(server: Any, desk: Build) -> None:
    page = desk.page
    desk.select(SPRING)
    desk.change(RATE, "60")
    page.wait_for_selector(".jb-doc.dirty")
    page.locator("[data-tab=changes]").click()
    page.locator(".jb-figures td.path", has_text=RATE).wait_for()
    before = server.json("/api/session")
    for item in [*pages()[1:], pages()[0]]:
        page.keyboard.press(f"Alt+{item.key}")
        page.wait_for_selector(f".jn-nav a.jn-here[data-key='{item.key}']")
    Build(page).shows(RATE, "60")
    page.locator(".jb-tabs .on", has_text="Changes 1").wait_for()
    after = server.json("/api/session")
    assert {**after["pages"], **before["pages"]} == after["pages"] and after["documents"] == before["documents"]
