"""The Review page in a real browser: curves, cursor and poses against the channels of the runs."""

from __future__ import annotations

import csv
import fnmatch
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.results.run import Run
from wildcards import NAMES, PATTERNS

pytestmark = pytest.mark.slow

BAR = "front_suspension.anti_roll_bar.scale"
BOARD = "Object.values(window.jouncePlots)[0]"
READY = f"window.jouncePlots && {BOARD}.panels.length && {BOARD}.panels.every(p => p.plot || !p.curves.length)"


def run_of(server: Any, label: str, event: dict[str, Any], **changes: Any) -> str:
    """A run of the sedan through the interface for programs."""
    started = server.json("/api/runs", {"vehicle": "sedan", "event": event, "label": label, "changes": changes})
    id = str(started["id"])
    status = server.until(lambda: (s := server.json(f"/api/runs/{id}")["status"]) not in ("queued", "running") and s)
    assert status == "complete"
    return id


@pytest.fixture(scope="module")
def runs(server: Any) -> tuple[str, str]:
    """A sedan in a step to the left, and with half of its front anti-roll bar."""
    event = {"event": "step-steer", "amplitude": "40 deg", "end_time": "4 s"}
    return run_of(server, "base", event), run_of(server, "half bar", event, **{BAR: 0.5})


def stored(server: Any, id: str) -> Run:
    return Run.read(server.folder / "runs" / id)


def board(page: Any) -> list[dict[str, Any]]:
    """What the plots of a page show."""
    found: list[dict[str, Any]] = page.evaluate(f"{BOARD}.told()")
    return found


def opened(page: Any, server: Any, *ids: str) -> None:
    """The Review page with these runs."""
    page.goto(server.url("/review?" + "&".join(f"run={id}" for id in ids)))
    count = len(ids)
    page.wait_for_function(
        f"{READY} && {BOARD}.sources.length === {count} && {BOARD}.panels[0].curves.length >= {count}"
    )


def test_two_runs_lie_over_each_other_with_their_own_numbers(server: Any, page: Any, runs: tuple[str, str]) -> None:
    opened(page, server, *runs)
    page.evaluate(f"{BOARD}.setCursor(2.345)")
    page.wait_for_function(f"{BOARD}.told()[1].curves[1].value !== 0")
    shown = board(page)
    assert [panel["title"] for panel in shown][:3] == ["Steering wheel angle", "Lateral acceleration", "Yaw rate"]
    for panel in shown:
        assert [curve["run"] for curve in panel["curves"]] == list(runs), panel["title"]
    data = [stored(server, id) for id in runs]
    for k, run in enumerate(data):
        rate = shown[2]["curves"][k]
        assert rate["unit"] == "deg/s"
        wanted = np.degrees(np.interp(2.345, run.time, run["chassis_velocities.yaw"]))
        assert rate["value"] == pytest.approx(wanted, rel=1e-9)
        drawn = page.evaluate(f"{BOARD}.points(2, {k})")
        np.testing.assert_allclose(drawn["x"], run.time, rtol=0, atol=1e-12)
        np.testing.assert_allclose(drawn["y"], np.degrees(run["chassis_velocities.yaw"]), rtol=1e-12, atol=1e-15)
    roll = next(panel["curves"] for panel in shown if panel["title"].startswith("Roll"))
    assert roll[1]["value"] > 1.05 * roll[0]["value"] > 0  # a softer bar rolls more; to the left it rolls right


def test_runs_with_other_instants_keep_their_own(server: Any, page: Any, runs: tuple[str, str]) -> None:
    event = {"event": "step-steer", "amplitude": "40 deg", "end_time": "3 s"}
    started = server.json(
        "/api/runs", {"vehicle": "sedan", "event": event, "label": "coarse", "options": {"interval": 0.037}}
    )
    server.until(lambda: server.json(f"/api/runs/{started['id']}")["status"] == "complete")
    opened(page, server, runs[0], started["id"])
    page.evaluate(f"{BOARD}.setCursor(1.5)")
    page.wait_for_function(f"{BOARD}.cursor === 1.5 && {BOARD}.told()[2].curves[1].value > 1")
    for k, id in enumerate((runs[0], started["id"])):
        run = stored(server, id)
        wanted = np.degrees(np.interp(1.5, run.time, run["chassis_velocities.yaw"]))
        assert board(page)[2]["curves"][k]["value"] == pytest.approx(wanted, rel=1e-9)
        assert len(page.evaluate(f"{BOARD}.points(2, {k})")["x"]) == len(run)
    page.evaluate(f"{BOARD}.setCursor(3.5)")  # after the end of the second
    page.wait_for_function(f"{BOARD}.cursor === 3.5 && Number.isNaN({BOARD}.panels[2].curves[1].value)")
    assert page.evaluate(f"Number.isFinite({BOARD}.panels[2].curves[0].value)")


def test_replay_moves_as_the_channels_say_and_shares_the_cursor(server: Any, page: Any, runs: tuple[str, str]) -> None:
    opened(page, server, *runs)
    page.wait_for_function("window.jounceScene?.track && Object.keys(jounceScene.ghosts()).length > 1")
    data = [stored(server, id) for id in runs]
    for time in (0.5, 2.5, 3.9):
        page.evaluate(f"{BOARD}.setCursor({time})")
        page.wait_for_function(f"Math.abs(jounceScene.time - {time}) < 1e-9")
        for run, seen in zip(data, ("poses", "ghosts"), strict=True):
            poses = page.evaluate(f"jounceScene.{seen}()")
            for name, axis in zip("XYZ", range(3), strict=True):
                wanted = np.interp(time, run.time, run[f"Vehicle.Origin_Global_{name}"])
                assert poses["body"]["position"][axis] == pytest.approx(wanted, abs=1e-3)
                for wheel in ("L1", "R1", "L2", "R2"):
                    wanted = np.interp(time, run.time, run[f"Wheel.Global_{name}.{wheel}"])
                    assert poses[wheel]["position"][axis] == pytest.approx(wanted, abs=1e-3)
            assert poses["body"]["heading"] == pytest.approx(np.interp(time, run.time, run["Vehicle.Yaw"]), abs=1e-4)
    poses = page.evaluate("jounceScene.poses()")
    assert poses["body"]["heading"] > 0.2 and poses["L1"]["position"][1] > poses["R1"]["position"][1]
    page.evaluate("jounceScene.cursor(1.25)")
    page.wait_for_function(f"{BOARD}.cursor === 1.25")
    box = page.locator(".jn-plot .u-over").nth(2).bounding_box()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 20)
    page.wait_for_function(f"{BOARD}.cursor > 2.9 && Math.abs(jounceScene.time - {BOARD}.cursor) < 1e-9")


def test_a_scene_that_comes_late_does_not_move_the_cursor(server: Any, page: Any, runs: tuple[str, str]) -> None:
    held: list[Any] = []
    page.route("**/api/scene/*/motion*", lambda route: held.append(route))
    opened(page, server, runs[0])
    page.evaluate(f"{BOARD}.setCursor(2.75)")
    page.wait_for_function(f"{BOARD}.cursor === 2.75")
    server.until(lambda: page.evaluate("1") and held)
    for route in held:
        route.continue_()
    page.wait_for_function("window.jounceScene?.track?.length > 100")
    page.wait_for_function("Math.abs(window.jounceScene.time - 2.75) < 1e-9")
    assert page.evaluate(f"{BOARD}.cursor") == 2.75


def test_space_plays_and_arrows_move(server: Any, page: Any, runs: tuple[str, str]) -> None:
    opened(page, server, runs[0])
    page.wait_for_function("window.jounceScene?.track")
    page.evaluate("jounceScene.cursor(0.5)")
    page.keyboard.press(" ")
    page.wait_for_function("jounceScene.playing && jounceScene.time > 0.9")
    page.keyboard.press(" ")
    page.wait_for_function("!jounceScene.playing")
    before = page.evaluate("jounceScene.time")
    assert page.evaluate(f"{BOARD}.cursor") == pytest.approx(before)
    page.evaluate("jounceScene.cursor(1.5)")  # a slow machine may have come to the end
    before = 1.5
    x = page.evaluate("jounceScene.poses().body.position[0]")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"jounceScene.time > {before}")
    assert page.evaluate("jounceScene.poses().body.position[0]") > x
    page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_function(f"jounceScene.time < {before}")
    page.keyboard.press("]")
    page.wait_for_selector(".jn-page-tab.jn-here:has-text('Driver')")


def test_plots_zoom_together_and_show_all_again(server: Any, page: Any, runs: tuple[str, str]) -> None:
    opened(page, server, runs[0])
    box = page.locator(".jn-plot .u-over").first.bounding_box()
    x, y = box["x"], box["y"] + 30
    page.mouse.move(x + 0.25 * box["width"], y)
    page.mouse.down()
    page.mouse.move(x + 0.5 * box["width"], y, steps=4)
    page.mouse.up()
    page.wait_for_function(f"{BOARD}.window[1] < 2.1")
    start, end = page.evaluate(f"{BOARD}.window")
    assert (start, end) == (pytest.approx(1.0, abs=0.03), pytest.approx(2.0, abs=0.03))
    assert page.evaluate(f"{BOARD}.panels.every(p => p.crossed || p.plot.scales.x.min === {start})")
    page.keyboard.down("Shift")
    page.mouse.move(x + 0.5 * box["width"], y)
    page.mouse.down()
    page.mouse.move(x + 0.25 * box["width"], y, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    page.wait_for_function(f"Math.abs({BOARD}.window[0] - {start} - 0.25) < 0.02")
    page.mouse.dblclick(x + 50, y)
    page.wait_for_function(f"{BOARD}.window[0] === 0 && {BOARD}.window[1] > 3.99")


def test_channels_are_found_and_become_plots(server: Any, page: Any, runs: tuple[str, str]) -> None:
    opened(page, server, *runs)
    names = stored(server, runs[0]).names
    for pattern in ("*roll*", "*yaw*", "tire.*_z.[lr]?", "*[!m-z]2"):
        page.fill(".jn-channels input", pattern)
        wanted = sum(fnmatch.fnmatchcase(name.lower(), pattern.lower()) for name in names)
        assert wanted > 0
        page.wait_for_selector(f".jn-channels .jn-find >> text={wanted} of {len(names)}")
    page.fill(".jn-channels input", "Tire.Ground_Surface_Force_Z.*")
    page.locator(".jn-channel .jn-plus").first.click(force=True)
    page.wait_for_function(f"{BOARD}.panels.length === 7 && {BOARD}.panels[6].curves.length === 8")
    page.fill(".jn-channels input", "chassis_velocities.yaw")
    page.locator(".jn-channel-name").first.click()  # into the plot that was made last
    page.wait_for_function(f"{BOARD}.panels[6].scales.length === 2")
    page.fill(".jn-channels input", "driver_demands.steering")
    box = page.locator(".jn-plot >> nth=2").bounding_box()
    below = {"x": 150, "y": box["height"] - 8}  # below its axis
    page.drag_and_drop(".jn-channel >> nth=0", ".jn-plot >> nth=2", target_position=below)
    page.wait_for_function(f"{BOARD}.told()[2].x === 'driver_demands.steering'")  # below its axis: plotted over it
    page.wait_for_function(f"{BOARD}.points(2, 0).y.some(v => v > 5) && {BOARD}.points(2, 0).x.some(v => v > 39)")
    drawn = page.evaluate(f"{BOARD}.points(2, 0)")
    run = stored(server, runs[0])
    np.testing.assert_allclose(drawn["x"], np.degrees(run["driver_demands.steering"]), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(drawn["y"], np.degrees(run["chassis_velocities.yaw"]), rtol=1e-12, atol=1e-15)
    page.reload()
    page.wait_for_function(f"{READY} && {BOARD}.panels.length === 7")
    assert board(page)[2]["x"] == "driver_demands.steering"


def test_the_filter_of_the_tree_is_fnmatch(server: Any, page: Any, runs: tuple[str, str]) -> None:
    opened(page, server, runs[0])
    for pattern in PATTERNS:
        if not any(c in pattern for c in "*?["):
            continue  # plain words are looked for anywhere
        found = page.evaluate(
            "async ([p, names]) => { const m = await import('/static/review/jounce_channels.js');"
            " return names.filter(m.matcher(p)); }",
            [pattern, NAMES],
        )
        assert found == [n for n in NAMES if fnmatch.fnmatchcase(n.lower(), pattern.lower())], pattern


def test_a_saved_layout_is_used_for_another_run(start: Callable[..., Any], browse: Any, tmp_path: Path) -> None:
    server = start(tmp_path / "own")
    first = run_of(server, "one", {"event": "step-steer", "end_time": "2 s"})
    second = run_of(server, "two", {"event": "straight-braking"})
    page = browse(server)
    opened(page, server, first)
    page.fill(".jn-channels input", "Suspension.Jounce.*")
    page.locator(".jn-channel .jn-plus").first.click(force=True)
    page.wait_for_function(f"{BOARD}.panels.length === 7")
    page.click("[aria-label='Layouts of plots']")
    page.click("text=Save these pages as")
    page.fill(".jn-ask input", "Jounces")
    page.click(".jn-ask >> text=OK")
    page.wait_for_selector("text=saved: own/layouts/Jounces.json")
    page.click("[aria-label='Layouts of plots']")
    page.click(".q-menu >> text=The usual pages")
    page.wait_for_function(f"{BOARD}.panels.length === 6")
    page.click(f"[data-run='{second}']")
    page.wait_for_function(f"{BOARD}.sources[0]?.id === '{second}'")
    page.click("[aria-label='Layouts of plots']")
    page.click(".q-menu >> text=Jounces")
    page.wait_for_function(f"{BOARD}.panels.length === 7 && {BOARD}.panels[6].curves.length === 4")
    assert {curve["run"] for curve in board(page)[6]["curves"]} == {second}


def test_without_animation_nothing_of_it_is_loaded(server: Any, page: Any, runs: tuple[str, str]) -> None:
    opened(page, server, runs[0])
    page.wait_for_function("window.jounceScene?.track")
    page.click("[aria-label='Replay in 3D']")
    page.wait_for_function("!document.querySelector('.jn-scene')")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_function(READY)
    page.wait_for_selector(".jn-kpis td")
    assert not [url for url in asked if "/api/scene/" in url]
    assert any("/api/plots/" in url for url in asked)  # plots are there always
    page.click("[aria-label='Replay in 3D']")
    page.wait_for_function("window.jounceScene?.track")


def test_key_figures_stand_beside_each_other_with_their_ranges(server: Any, page: Any, runs: tuple[str, str]) -> None:
    opened(page, server, *runs)
    page.wait_for_selector(".jn-kpis td")
    data = [stored(server, id) for id in runs]
    for key in ("yaw_rate_t90", "roll_gain", "ay_steady"):
        cells = page.locator(f".jn-kpis [data-key='{key}']").all_inner_texts()
        told = [run.kpis[key][0] for run in data]
        assert [float(text.replace("−", "-")) for text in cells] == [pytest.approx(v, rel=6e-4) for v in told], key
    assert page.locator(".jn-kpis .jn-span").count() >= 3
    assert BAR in page.inner_text(".jn-review-kpis")  # what differs


def test_what_must_agree_stands_below_the_figures(server: Any, runs: tuple[str, str]) -> None:
    """Distance by the path and by the speed, and the loads, computed here from the channels."""
    status, text = server.ask(f"/api/review/figures?run={runs[0]}&run={runs[1]}")
    page = text.decode()
    rows = re.findall(r"<tr><td title.*?</tr>", page[page.index("jn-identities") :])
    assert status == 200 and len(rows) == 2 * len(rows[: len(rows) // 2]) >= 4
    for k, id in enumerate(runs):
        run = stored(server, id)
        way = np.hypot(np.diff(run.signal("x")), np.diff(run.signal("y"))).sum()
        far = np.trapezoid(run.signal("speed"), run.time)
        row = next(r for r in rows if "Length of the path" in r and f">{'AB'[k]}<" in r)
        told = [float(v) for v in re.findall(r'jn-number">([\d.]+)<', row)]
        assert told == [pytest.approx(way, rel=6e-4), pytest.approx(far, rel=6e-4)]
        assert f"{100 * abs(way - far) / max(way, far):.2f} %" in row and "jn-out" not in row
        turn = next(r for r in rows if "Lateral acceleration against v" in r and f">{'AB'[k]}<" in r)
        begin, end = (float(v) for v in re.findall(r"means from ([\d.]+) to ([\d.]+) s", turn)[0])
        steady = (run.time >= begin - 0.006) & (run.time <= end + 0.006)
        means = [run.signal(name)[steady].mean() for name in ("lateral_acceleration", "speed", "yaw_rate")]
        told = [float(v) for v in re.findall(r'jn-number">([\d.]+)<', turn)]
        assert told == [
            pytest.approx(means[0] / 9.80665, abs=1e-4),
            pytest.approx(means[1] * means[2] / 9.80665, abs=1e-4),
        ]
        assert abs(told[0] - told[1]) > 3e-4  # which is which can be seen


def test_two_tabs_see_the_same_runs(server: Any, browse: Any, runs: tuple[str, str]) -> None:
    one, two = browse(server), browse(server)
    opened(one, server, runs[0])
    opened(two, server, runs[1])
    row = one.locator(f"[data-run='{runs[1]}']")
    row.hover()
    row.locator("[aria-label='Rename']").click()
    one.fill(".jn-ask input", "softer")
    one.click(".jn-ask >> text=OK")
    two.wait_for_selector(f"[data-run='{runs[1]}'] >> text=softer")
    two.wait_for_selector(".jn-kpis-head >> text=softer")
    assert [c["run"] for c in board(one)[0]["curves"]] == [runs[0]]  # each keeps what it shows
    row.hover()
    row.locator("[aria-label='Rename']").click()
    one.fill(".jn-ask input", "half bar")
    one.click(".jn-ask >> text=OK")
    two.wait_for_selector(f"[data-run='{runs[1]}'] >> text=half bar")


def test_what_is_taken_away_has_the_numbers(server: Any, page: Any, runs: tuple[str, str], tmp_path: Path) -> None:
    opened(page, server, *runs)
    page.click("[aria-label='Take away']")
    with page.expect_download() as told:
        page.click("text=These plots (PNG)")
    told.value.save_as(tmp_path / "plots.png")
    assert (tmp_path / "plots.png").read_bytes()[:4] == b"\x89PNG"
    query = f"run={runs[0]}&run={runs[1]}&channel=signal:yaw_rate&channel=Suspension.Jounce.*"
    status, text = server.ask(f"/api/review/report?{query}")
    assert status == 200 and b"Suspension.Jounce.R2" in text and b"half bar" in text and b"http://" not in text[:2000]
    status, table = server.ask(f"/api/review/csv?run={runs[0]}&channel=signal:yaw_rate&start=1&end=2")
    (tmp_path / "run.csv").write_bytes(table)
    back, run = Run.read(tmp_path / "run.csv"), stored(server, runs[0]).between(1.0, 2.0)
    np.testing.assert_allclose(back["chassis_velocities.yaw"], run["chassis_velocities.yaw"], rtol=1e-12)
    assert back.unit("chassis_velocities.yaw") == "rad/s" and len(back) == len(run)
    status, packed = server.ask(f"/api/review/csv?{query}")
    assert status == 200 and packed[:2] == b"PK"


def test_measured_data_lie_beside_a_run(server: Any, page: Any, runs: tuple[str, str]) -> None:
    run = stored(server, runs[0])
    place = server.folder / "logs" / "track day.csv"
    place.parent.mkdir(exist_ok=True)
    with place.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["time [s]", "chassis_velocities.yaw [deg/s]"])
        rows.writerows([t, 1.1 * np.degrees(v)] for t, v in zip(run.time, run["chassis_velocities.yaw"], strict=True))
    opened(page, server, runs[0])
    page.click("[aria-label='Open a run or measured data from disk']")
    page.click(".jn-open-item >> text=track day.csv")
    page.wait_for_function(f"{BOARD}.sources.length === 2")
    page.wait_for_function(f"{BOARD}.told()[2].curves.length === 2")
    page.evaluate(f"{BOARD}.setCursor(3)")
    page.wait_for_function(f"{BOARD}.cursor === 3 && {BOARD}.told()[2].curves[1].value > 1")
    rates = [curve["value"] for curve in board(page)[2]["curves"]]
    assert rates[1] == pytest.approx(1.1 * rates[0], rel=1e-6)
    page.click("[aria-label='Open a run or measured data from disk']")
    page.fill(".jn-open input", "/etc/passwd")
    page.press(".jn-open input", "Enter")
    page.wait_for_selector(".jn-bad-text >> text=outside the registered folders")


def test_a_long_run_shows_every_spike_and_details_where_one_looks(
    start: Callable[..., Any], browse: Any, tmp_path: Path
) -> None:
    rows = 1_000_000
    time = np.arange(rows) / 1000.0
    rate = 0.1 * np.sin(time)
    rate[345_678] = 2.0
    (tmp_path / "own").mkdir()
    Run(time, {"chassis_velocities.yaw": rate}, {"chassis_velocities.yaw": "rad/s"}, {"label": "long"}).save(
        tmp_path / "own" / "long"
    )
    session = {"format": "jounce-session-1", "runs": [str(tmp_path / "own" / "long")]}
    (tmp_path / "own" / ".jounce").mkdir()
    (tmp_path / "own" / ".jounce" / "session.json").write_text(json.dumps(session), encoding="utf-8")
    server = start(tmp_path / "own")
    (info,) = server.json("/api/runs")
    page = browse(server)
    page.goto(server.url(f"/review?run={info['id']}"))
    page.wait_for_function(f"{READY} && {BOARD}.panels[2].curves.length === 1")
    drawn = page.evaluate(f"{BOARD}.points(2, 0)")
    assert len(drawn["x"]) < 10_000 and max(drawn["y"]) == pytest.approx(np.degrees(2.0))
    page.evaluate(f"{BOARD}.zoom(345.6, 345.8)")
    page.wait_for_function(f"{BOARD}.sources[0].detail?.exact")
    near = page.evaluate(f"{BOARD}.points(2, 0)")
    at = int(np.argmax(near["y"]))
    assert near["x"][at] == pytest.approx(345.678, abs=1e-9) and len(near["x"]) == pytest.approx(201, abs=3)
