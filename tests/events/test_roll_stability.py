"""J-turn with roll stability control: ladder, reference, criteria, both sides."""

from __future__ import annotations

from functools import lru_cache

import pytest

import jounce as jn
from axle_lists import as_axles, vehicle_of
from ideal_cars import ideal
from jounce.core.errors import ParameterError
from jounce.events.library.roll_stability import MILE, MOST, RollStability
from jounce.results.run import Run
from jounce.results.verdict import FAIL, NONE, PASS


@lru_cache
def controlled() -> Run:
    """From a few steps below the speed at which the control of the light truck brakes."""
    return jn.run(jn.load("light_truck"), RollStability(controller="roll_stability", first_speed=22 * MILE))


@lru_cache
def bare() -> Run:
    return jn.run(jn.load("light_truck"), RollStability(first_speed=29 * MILE, direction="left"))


@pytest.mark.slow
def test_the_ladder_ends_where_the_control_brakes_and_one_run_is_judged() -> None:
    run = controlled()
    for side in ("left", "right"):
        mine = [t for t in run.trials if t.parameter("direction") == side]
        *ladder, last = mine
        assert [t.parameter("stage") for t in mine] == ["reference"] * len(ladder) + ["performance"]
        assert [t.figure("brakes_applied") for t in ladder] == [0.0] * (len(ladder) - 1) + [1.0]
        reference = ladder[-1].parameter("speed")
        assert last.parameter("speed") == pytest.approx(min(1.3 * reference, MOST))
        assert last.figure("entry_speed") == pytest.approx(3.6 * last.parameter("speed"), abs=0.3)
        assert 0 < last.figure("brake_time") < 1.0 and last.figure("ltr_peak") > ladder[0].figure("ltr_peak") > 0
    assert run.verdict.word == PASS and len(run.verdict.criteria) == 8
    references = [
        t.parameter("speed")
        for t in run.trials
        if t.figure("brakes_applied") == 1 and t.parameter("stage") == "reference"
    ]
    assert run.kpis["reference_speed"][0] == pytest.approx(3.6 * min(references))
    assert run.kpis["speed_3s"][0] < 47 and run.kpis["speed_4s"][0] < min(45, run.kpis["speed_3s"][0])


def test_without_control_it_is_as_fast_as_before_and_fails() -> None:
    run = bare()
    assert [t.parameter("stage") for t in run.trials] == ["reference", "reference", "performance"]
    assert run.kpis["reference_speed"][0] == pytest.approx(48.28, abs=0.01) and run.verdict.word == FAIL
    missed = [item.text for item in run.verdict.criteria if item.met is False]
    assert any("the control brakes" in text for text in missed) and any("45 km/h 4 s" in text for text in missed)
    assert run.kpis["brakes_applied"][0] == 0.0


def test_a_mirror_and_another_heading_change_nothing() -> None:
    event = RollStability(stage="performance", direction="left", speed=29 * MILE)
    vehicle = jn.load("light_truck")
    one = jn.run(vehicle, event)
    turned = jn.run(vehicle, event.changed(x=12.0, y=-30.0, heading=1.9))
    for key, (value, _) in one.kpis.items():
        assert turned.kpis[key][0] == pytest.approx(value, rel=1e-5, abs=1e-5), key


def test_one_run_of_the_ladder_is_not_judged() -> None:
    run = jn.run(jn.load("light_truck"), RollStability(stage="reference", direction="right", speed="36 km/h"))
    assert run.verdict.word == NONE and "performance" in run.verdict.reason
    assert 0.5 < run.kpis["lane_margin"][0] < 1.2


def test_what_does_not_go_together_is_named() -> None:
    with pytest.raises(ParameterError, match="one run has one direction"):
        RollStability(stage="performance")
    raw = as_axles(ideal("compact"))
    for axle in raw["axles"]:
        axle.pop("brake", None)
    assert RollStability().refuses(vehicle_of(raw)).startswith("it has no brakes")
