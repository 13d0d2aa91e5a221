"""Stability tests on every car of the library: they end with a verdict, or with the reason why there is none."""

from __future__ import annotations

import pytest

import jounce as jn
from jounce import events
from jounce.vehicle.reading import library_names

JUDGED = ("sine-with-dwell", "fishhook", "j-turn", "mu-split", "abs-stop")


@pytest.mark.slow
@pytest.mark.parametrize("car", library_names())
@pytest.mark.parametrize("kind", [*JUDGED, "slowly-increasing-steer"])
def test_every_car_ends_with_a_verdict_or_a_reason(kind: str, car: str) -> None:
    run = jn.run(jn.load(car), events.find(kind)())
    told = run.verdict
    print(kind, car, run.status, told.word or "-", told.reason)
    if kind not in JUDGED:
        assert told.word == "" and told.reason == "no standard gives a limit for this event"
        assert run.complete and 5.0 < run.kpis["steering_at_nominal"][0] < 120.0
        return
    assert told.word in ("pass", "fail") or told.reason
    if run.complete:
        assert told.word in ("pass", "fail"), told.reason
        assert all(item.met is not None for item in told.criteria) or told.word == "fail"
