"""Schedules of preview drivers are found once for what they follow from; found again they are the same to the bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.core.tables import Table
from jounce.events.engine import make_ready
from jounce.events.library.follow import Follow
from jounce.events.options import Options
from jounce.events.steering import know_preview
from jounce.runtime import cache
from jounce.sim import preview_memory
from jounce.sim.preview_schedule import Schedule
from jounce.vehicle.reading import load


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Schedule]]:
    """What was searched for: the first time for real, then as if there was something else to find."""
    found: list[Schedule] = []
    real = preview_memory.schedule

    def counted(*arguments: Any, **more: Any) -> Schedule:
        first = found[0] if found else real(*arguments, **more)
        found.append(replace(first, gains=first.gains * (1 + len(found))))
        return found[-1]

    def here(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            with monkeypatch.context() as patch:
                patch.setattr(cache, "cache_root", lambda: tmp_path)
                return function(*arguments)

        return call

    monkeypatch.setattr(preview_memory, "schedule", counted)
    monkeypatch.setattr(preview_memory, "recall", here(cache.recall))
    monkeypatch.setattr(preview_memory, "remember", here(cache.remember))
    preview_memory.forget()
    yield found
    preview_memory.forget()


def same(a: Schedule, b: Schedule) -> bool:
    return a.warnings == b.warnings and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("speeds", "parts", "gains", "straight")
    )


def test_it_is_found_once_for_what_it_follows_from(searches: list[Schedule], tmp_path: Path) -> None:
    start = make_ready(load("sedan"), Follow(path="iso_3888_1", speed="60 km/h"), Options.of())
    first = know_preview(start)
    assert len(searches) == 1
    assert same(know_preview(start), first)  # its own tables, which the first set, do not count
    assert len(searches) == 1
    preview_memory.forget()  # as another process
    again = know_preview(start)
    assert len(searches) == 1 and again is not first and same(again, first)
    assert np.array_equal(start.sim.tables["preview.gains"].values, first.gains)

    # what is damaged counts as not there
    (file,) = (tmp_path / "memo" / preview_memory.KIND).glob("*.json")
    text = file.read_text()
    for number, damaged in enumerate(
        [text[: len(text) // 2], text.replace('"speeds": [', '"speeds": [NaN, ', 1), "[]"]
    ):
        file.write_text(damaged)
        preview_memory.forget()
        know_preview(start)
        assert len(searches) == 2 + number

    # a number of the car, a table: another answer; as it was: the answer of then
    known, last = len(searches), know_preview(start)
    mass = next(name for name in start.sim.parameters if name.endswith("body.mass"))
    before = start.sim.parameter(mass)
    start.sim.set_parameters({mass: 1.2 * before})
    assert not same(know_preview(start), last) and len(searches) == known + 1
    start.sim.set_parameters({mass: before})
    assert same(know_preview(start), last) and len(searches) == known + 1
    name, table = next((n, t) for n, t in start.sim.tables.items() if "L1" in n and "damper" in n)
    start.sim.set_tables({name: Table(table.axes, 1.3 * table.values, method=table.method)})
    know_preview(start)
    assert len(searches) == known + 2


def test_what_follows_from_code_outside_has_no_key() -> None:
    """A block of the caller may do anything; arguments are part of a key."""
    start = make_ready(load("sedan"), Follow(path="iso_3888_1", speed="60 km/h"), Options.of())
    sim, none = start.sim, frozenset[str]()
    key = preview_memory.key_of(sim, start.description, none, {})
    assert key is not None and key == preview_memory.key_of(sim, start.description, none, {})
    assert key != preview_memory.key_of(sim, start.description, none, {"delay": 3})
    sim.add_block("outside", lambda _t, _u: [0.0], 0.1, writes=["throttle"])
    assert preview_memory.key_of(sim, start.description, none, {}) is None
