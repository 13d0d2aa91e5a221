"""The pages about events are those of the declared events, and name the key figures that a run has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import jounce as jn
from jounce import events

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs" / "events").glob("*.md"))

# What the sedan does not show with the default values of an event.
ELSEWHERE = {
    "straight-acceleration": {
        "top_speed",
        "t_0_160",
        "t_0_200",
        "t_80_120",
        "quarter_mile",
        "t_1000m",
        "v_402m",
        "v_1000m",
    },
    "ramp-steer": {"critical_speed"},
    "coast-down": {"drag_area"},  # needs the density of the air
    "cycle": {
        "consumption_electric",
        "consumption_quasi_static",
        "energy_auxiliary",
        "energy_lost",
        "charge_begin",
        "charge_end",
        "charge_balance",
    },
}
SHORTER: dict[str, dict[str, float]] = {"cycle": {"end_time": 130.0}}


def test_tables_pages_and_pictures_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "make_event_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# a page of each kind for every day: a manoeuvre with key figures
EVERY_DAY = [
    pytest.param(page, id=page.stem, marks=() if page.stem == "step-steer" else pytest.mark.slow) for page in PAGES
]


@pytest.mark.parametrize("page", EVERY_DAY)
def test_a_page_explains_every_key_figure(page: Path) -> None:
    text = page.read_text(encoding="utf-8").split("## Key figures")[1]
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    explained = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    run = jn.run(jn.load("sedan"), events.find(page.stem)(**SHORTER.get(page.stem, {})))
    assert run.complete
    assert set(run.kpis) <= explained
    assert explained - set(run.kpis) <= ELSEWHERE.get(page.stem, set())
