"""J-turn: rates of the hand wheel, the brake pulse by roll rate and by time, mirrored."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.events.library.j_turn import JTurn
from jounce.results.run import Run
from result_runs import DEG

A = 23 * DEG
TOP = 8 * A
TURN = TOP / (1000 * DEG)


@lru_cache
def sedan() -> Any:
    return jn.load("sedan")


def drive(**changes: Any) -> Run:
    return jn.run(sedan(), JTurn(**{"steering_at_nominal": A, "end_time": 6.0, **changes}), interval="1 ms")


@pytest.mark.parametrize(("direction", "sign"), [("left", 1.0), ("right", -1.0)])
def test_the_hand_wheel_is_turned_held_and_returned(direction: str, sign: float) -> None:
    """17.45 rad/s to 8 A, 4 s, 8.25 rad/s back; by hand."""
    run = drive(direction=direction, end_time=7.0)
    corners = np.cumsum([1.0, TOP / 17.4532925, 4.0, TOP / 8.25])
    assert run.signal("steering") == pytest.approx(sign * np.interp(run.time, corners, [0, TOP, TOP, 0.0]), abs=1e-6)
    assert np.all(run.signal("throttle")[run.time > 1.001] == 0.0)


@pytest.mark.parametrize(("direction", "limit"), [("left", 1.5), ("right", 5.0)])
def test_the_brake_comes_when_the_car_stops_to_roll(direction: str, limit: float) -> None:
    run = drive(direction=direction, roll_rate=limit * DEG)
    rate = np.abs(run.signal("roll_rate")) / DEG
    wanted = run.time[int(np.argmax((run.time >= 1.0 + TURN) & (rate < limit)))]
    on = run.time[run.signal("brake") > 0.0]
    assert np.all(run.signal("brake")[run.signal("brake") > 0.0] == 1.0)
    assert 0 <= on[0] - wanted <= 0.0021
    assert on[-1] - on[0] == pytest.approx(0.5, abs=0.0021)
    assert run.kpis["brake_delay"][0] == pytest.approx(wanted - 1.0 - TURN, abs=0.003)
    assert run.kpis["roll_rate_at_brake"][0] == pytest.approx(limit, abs=1.0)


def test_the_brake_comes_when_it_was_asked_for() -> None:
    run = drive(brake_delay=0.83, brake_time=0.3, brake=0.6)
    on = run.time[run.signal("brake") > 0.0]
    assert on[0] == pytest.approx(1.0 + TURN + 0.83, abs=0.0021)
    assert on[-1] - on[0] == pytest.approx(0.3, abs=0.0021)
    assert run.signal("brake").max() == 0.6


def test_a_car_that_does_not_stop_to_roll_brakes_at_the_end_of_the_hold() -> None:
    run = drive(roll_rate=0.49)  # 28 deg/s: it never rolls that fast
    on = run.time[run.signal("brake") > 0.0]
    assert on[0] == pytest.approx(1.0 + TURN + 4.0 - 0.5, abs=0.0021)
    assert run.complete and run.verdict.word == "pass"


def test_mirrored_and_turned_it_is_the_same() -> None:
    left, right, turned = drive(), drive(direction="right"), drive(heading=-1.2, x=5.0, y=9.0)
    for name in ("brake_delay", "roll_peak", "ay_peak", "side_slip_peak"):
        assert right.kpis[name][0] == pytest.approx(left.kpis[name][0], rel=1e-3)
        assert turned.kpis[name][0] == pytest.approx(left.kpis[name][0], rel=1e-3)


def test_a_series_of_speeds() -> None:
    run = jn.run(sedan(), JTurn(steering_at_nominal=A, end_time=2.5, first_speed=15.0, speed=20.0, speed_step=3.0))
    assert [trial.parameter("speed") for trial in run.trials] == [15.0, 18.0, 20.0]
    assert [t.figure("entry_speed", "m/s") for t in run.trials] == pytest.approx([15.0, 18.0, 20.0], rel=1e-3)
    assert run.verdict.word == "pass" and run.kpis["tip_up"][0] == 0.0
    assert "lowest_tip_up_speed" not in run.kpis
