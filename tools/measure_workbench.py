"""How quick the workbench is in a real browser: pages, live plots, replay, and panning of long runs.

    tools/measure_workbench.py [--rounds 3] [--channels 50] [--rows 1000000]

A server of its own in an empty folder, Chromium without a screen, drawing by software. Figures are the best of some
rounds, since other programs use the machine too; the worst stands beside them. Exit code 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

FLAGS = ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--ignore-gpu-blocklist", "--disable-background-networking")  # fmt: skip
BOARD = "Object.values(window.jouncePlots)[0]"
READY = {
    "build": "document.querySelectorAll('[role=treeitem]').length > 5 && document.querySelector('.jb-row input')",
    "test": "document.querySelectorAll('.jn-event').length > 20 && document.querySelector('.jn-run-button')",
    "review": f"window.jouncePlots && {BOARD}.panels.length && document.querySelector('.jn-runs-host')",
}
LIMITS = {"page": 2.0, "live": 0.5, "replay": 12.0, "pan": 10.0, "pan_many": 10.0}
MORE = ("replay", "pan", "pan_many")  # the more the better
PAN = """async (seconds) => {
  const board = Object.values(window.jouncePlots)[0];
  const [low, high] = board.all();
  const span = 0.05 * (high - low);
  const begun = performance.now();
  const from = board.frames;
  let pictures = 0;
  let longest = 0;
  let last = begun;
  while (performance.now() - begun < 1000 * seconds) {
    const at = low + (0.9 * (high - low) * (performance.now() - begun)) / (1000 * seconds);
    board.zoom(at, at + span);
    await new Promise(requestAnimationFrame);
    await new Promise((done) => setTimeout(done, 0));
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    pictures += 1;
  }
  const drawn = (board.frames - from) / board.panels.length; // pictures that were drawn, not asked for
  return {rate: (1000 * Math.min(drawn, pictures)) / (last - begun), longest, pictures};
}"""


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument("--channels", type=int, default=50)
    given = asked.parse_args()
    from playwright.sync_api import sync_playwright

    chromium = next(
        found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))
    )
    with tempfile.TemporaryDirectory() as text, sync_playwright() as run:
        folder = Path(text)
        long_run(folder / "long", given.rows, given.channels)
        with subprocess.Popen(
            [sys.executable, "-m", "jounce.cli.main", "app", "--port", "0", "--no-browser", "--folder", text],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        ) as process:
            assert process.stdout is not None
            found = re.search(r"(http://\S+)/\?token=(\S+)", process.stdout.readline())
            assert found is not None
            browser = run.chromium.launch(executable_path=chromium, args=list(FLAGS))
            page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
            page.set_default_timeout(120_000)
            page.goto(f"{found[1]}/?token={found[2]}")  # the token becomes a cookie
            try:
                figures = measured(page, found[1], found[2], folder, given.rounds)
            finally:
                browser.close()
                process.terminate()
    return told(figures)


def long_run(folder: Path, rows: int, channels: int) -> None:
    """A run of many rows and channels, as `jounce.Run` writes it."""
    from jounce.results.run import Run

    time = np.arange(rows) / 1000.0
    noise = np.random.default_rng(1).standard_normal(rows)
    values = {f"group.c{k}": np.sin((0.3 + 0.01 * k) * time) + 0.1 * np.roll(noise, k) for k in range(channels)}
    values["chassis_velocities.yaw"] = 0.1 * np.sin(time) + 0.01 * noise
    units = dict.fromkeys(values, "m") | {"chassis_velocities.yaw": "rad/s"}
    Run(time, values, units, {"label": "long"}).save(folder)


def browser_time() -> float:
    """Seconds that all processors together worked for the browser: other programs do not move it much."""
    stats = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = place.read_text().rpartition(")")
        except OSError:
            continue
        words = rest.split()
        stats[int(place.parent.name)] = (int(words[1]), head, int(words[11]) + int(words[12]))
    ours, found = {os.getpid()}, 0
    for _ in range(8):
        ours |= {process for process, (parent, _, _) in stats.items() if parent in ours}
    for process in ours:
        _, head, ticks = stats.get(process, (0, "", 0))
        found += ticks if "chrom" in head else 0
    return found / os.sysconf("SC_CLK_TCK")


def measured(page: Any, address: str, token: str, folder: Path, rounds: int) -> dict[str, list[float]]:
    """All figures, one value per round."""

    def ask(path: str, body: Any = None, method: str | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(address + path, data, head, method=method)) as answer:
            return json.load(answer)

    def visit(path: str, ready: str) -> float:
        page.goto("about:blank")
        begun = time.perf_counter()
        page.goto(f"{address}/{path}", wait_until="commit")
        page.wait_for_function(ready)
        return time.perf_counter() - begun

    found: dict[str, list[float]] = {f"page {name}": [] for name in READY}
    for _ in range(rounds):
        for name, ready in READY.items():
            found[f"page {name}"].append(visit(name, ready))
    found["live"] = []
    visit("test", READY["test"])
    page.click("[data-event='step-steer']")
    page.wait_for_selector(".jn-about-title >> text=Step steer")
    for _ in range(rounds + 1):  # the first one waits for what only the first one needs
        page.evaluate(f"""() => {{
          window.firstLive = 0;
          document.querySelector('.jn-run-button').addEventListener('click', () => {{
            const begun = performance.now();
            const before = {BOARD}.sources[0];
            const look = () => {{
              const board = {BOARD};
              const source = board.sources[0];
              const rows = source && source !== before && source.whole?.length;
              if (rows && board.panels[0].curves.length && board.firstDrawn)
                requestAnimationFrame(() => (window.firstLive = performance.now() - begun));
              else requestAnimationFrame(look);
            }};
            look();
          }}, {{once: true}});
        }}""")
        page.click(".jn-run-button")
        page.wait_for_function("window.firstLive > 0")
        found["live"].append(page.evaluate("window.firstLive") / 1000.0)
        page.wait_for_selector(".jn-live-head >> text=complete")
        page.wait_for_timeout(500)
    found["live"] = found["live"][1:]
    (run,) = [ask("/api/runs")[0]]
    visit(f"review?run={run['id']}", "window.jounceScene?.track && document.querySelector('.jn-kpis td')")
    found["replay"] = []
    for _ in range(rounds):
        page.evaluate("window.jounceScene.cursor(0), window.jounceScene.play(1)")
        page.wait_for_timeout(500)
        count = page.evaluate("[window.jounceScene.frames, performance.now()]")
        page.wait_for_timeout(3000)
        now = page.evaluate("[window.jounceScene.frames, performance.now()]")
        found["replay"].append(1000.0 * (now[0] - count[0]) / (now[1] - count[1]))
        page.evaluate("window.jounceScene.pause()")
    session = ask("/api/session")
    (folder / "sessions").mkdir(exist_ok=True)
    kept = {**session, "runs": [str(folder / "long")]}
    (folder / "sessions" / "long.json").write_text(json.dumps(kept), encoding="utf-8")
    main = ask("/api/folders")[-1]["alias"]
    ask("/api/session", {"action": "open", "file": f"{main}/sessions/long.json"})
    (id,) = [item["id"] for item in ask("/api/runs") if item["label"] == "long"]
    for name, panels in (
        ("pan", [["chassis_velocities.yaw"]]),
        ("pan_many", [["group.c1*"], ["group.c2*"], ["group.c3*"], ["group.c4*"], [f"group.c{k}" for k in range(10)]]),
    ):
        layout = [{"title": "long", "columns": 2, "panels": [{"title": "", "x": "", "y": y} for y in panels]}]
        data = ask("/api/session")
        review = {**data["pages"].get("review", {}), "pages": layout, "page": 0, "runs": [id], "scene": False}
        kept = {**data, "pages": {**data["pages"], "review": review}}
        (folder / "sessions" / "next.json").write_text(json.dumps(kept), encoding="utf-8")
        ask("/api/session", {"action": "open", "file": f"{main}/sessions/next.json"})
        begun = visit(f"review?run={id}", f"{READY['review']} && {BOARD}.panels.every(p => p.plot && p.curves.length)")
        found[f"open {name}"] = [begun]
        found[name] = []
        for _ in range(rounds):
            before = browser_time()
            panned = page.evaluate(PAN, 4.0)
            found.setdefault(f"work {name}", []).append((browser_time() - before) / max(panned["pictures"], 1))
            found[name].append(panned["rate"])
            found.setdefault(f"longest {name}", []).append(panned["longest"] / 1000.0)
    return found


def told(figures: dict[str, list[float]]) -> int:
    """Print them beside their limits; 1 where one is missed."""
    missed = 0
    for name, values in figures.items():
        kind = name.partition(" ")[0]
        more = name in MORE
        best, worst = (max(values), min(values)) if more else (min(values), max(values))
        limit = LIMITS.get(kind if kind == "page" else name)
        good = limit is None or (best >= limit if more else best <= limit)
        missed += not good
        beside = (
            "" if limit is None else f"  {'at least' if more else 'at most'} {limit:g}: {'met' if good else 'MISSED'}"
        )
        print(f"{name:18} {best:8.2f}  (worst {worst:.2f}) {'frames/s' if more else 's'}{beside}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
