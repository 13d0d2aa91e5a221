"""What docs/controllers.md prints runs as it stands, and the ABS of a user does what the page says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import jounce as jn

PAGE = Path(__file__).parent.parent / "docs" / "controllers.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def executed(beginning: str) -> dict[str, Any]:
    text = next(block for block in BLOCKS if beginning in block)
    names: dict[str, Any] = {}
    exec(compile(text, str(PAGE), "exec"), names)  # the page of this repository
    return names


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    return executed("class MyABS")


def test_the_abs_of_a_user_has_thirty_lines() -> None:
    text = next(block for block in BLOCKS if "class MyABS" in block)
    body = text[text.index("class MyABS") : text.index("event =")]
    assert len([line for line in body.splitlines() if line.strip()]) <= 30


@pytest.mark.slow
def test_it_stops_earlier_than_locked_wheels(page: dict[str, Any]) -> None:
    locked, mine = (float(page[name].kpis["stopping_distance"][0]) for name in ("locked", "mine"))
    assert mine < locked - 2.0
    repeated = jn.run(page["car"], page["event"], blocks=[again(page)])
    assert float(repeated.kpis["stopping_distance"][0]) == mine


def again(page: dict[str, Any]) -> jn.OutsideBlock:
    """The same block with a controller that has seen nothing yet."""
    known = page["my_abs"]
    return jn.OutsideBlock(page["MyABS"](), reads=known.reads, writes=known.writes, period=known.period)


def test_it_never_sees_the_true_slip(page: dict[str, Any]) -> None:
    assert all(name.startswith("Wheel.Omega.") for name in page["my_abs"].reads)


@pytest.mark.slow
def test_the_first_example_of_the_page() -> None:
    run = executed("hydraulic_abs")["run"]
    assert float(run.kpis["adhesion_utilisation"][0]) >= 0.75
