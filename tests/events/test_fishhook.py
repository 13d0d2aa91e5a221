"""Fishhook: timing, the reversal against the trace, lift of synthetic wheels and of a truck, mirrored and turned."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.errors import ParameterError
from jounce.events.library.fishhook import Fishhook
from jounce.events.rollover import lift
from jounce.results.run import Run
from result_runs import DEG, value

A = 23 * DEG
LOAD, DEPTH = "Tire.Ground_Surface_Force_Z.{}", "Tire.Effective_Penetration.{}"


@lru_cache
def sedan() -> Any:
    return jn.load("sedan")


def drive(car: Any = None, interval: str = "10 ms", **changes: Any) -> Run:
    event = Fishhook(**{"steering_at_nominal": A, "end_time": 4.0, **changes})
    return jn.run(sedan() if car is None else car, event, interval=interval)


# --- lift ------------------------------------------------------------------------------------------------------------


def wheels(side: str, height: float, span: float, axles: int = 2, late: float = 0.0) -> Run:
    """Wheels of a side in the air for a span; the last one rises later. The others bear all."""
    t = np.arange(0, 3, 0.005)
    data: dict[str, Any] = {}
    for axle in range(1, axles + 1):
        begin = 1.0 + (late if axle == axles else 0.0)
        for place in "LR":
            up = (place == side) & (t > begin - 1e-9) & (t < 1.0 + span + 1e-9)
            data[LOAD.format(f"{place}{axle}")] = np.where(up, 0.0, 4000.0)
            data[DEPTH.format(f"{place}{axle}")] = np.where(up, -height * (1 + 0.3 * (axle - 1)), 0.02)
    return Run(t, data, {n: "N" if "Force" in n else "m" for n in data}, {"event": "fishhook"})


@pytest.mark.parametrize("side", ["L", "R"])
@pytest.mark.parametrize("axles", [2, 3])
@pytest.mark.parametrize(
    ("height", "span", "late", "lifted", "tipped"),
    [
        (0.0515, 0.5, 0.0, 1.0, 1.0),
        (0.0505, 0.5, 0.0, 1.0, 0.0),  # below 51 mm
        (0.01, 0.015, 0.0, 0.0, 0.0),  # 20 ms are not passed
        (0.01, 0.025, 0.0, 1.0, 0.0),
        (0.06, 0.4, 0.4, 0.0, 1.0),  # together in the air for an instant only
        (0.06, 0.4, 0.41, 0.0, 0.0),  # never all of a side
    ],
)
def test_lift_and_tip_up(
    side: str, axles: int, height: float, span: float, late: float, lifted: float, tipped: float
) -> None:
    run = wheels(side, height, span, axles, late)
    assert (run.kpis["two_wheel_lift"][0], run.kpis["tip_up"][0]) == (lifted, tipped)
    together = lifted or tipped
    assert run.kpis["lift_height"] == (pytest.approx(1000 * height if together or late == 0 else 0.0), "mm")
    assert run.verdict.word == ("fail" if tipped else "pass")
    if tipped:
        assert f"all wheels of a side {1000 * height:.3g} mm above the ground" in run.verdict.reason


def test_one_wheel_of_each_side_in_the_air_is_no_lift() -> None:
    t = np.arange(0, 1, 0.005)
    loads = {"L1": 0 * t, "R1": 0 * t + 4e3, "L2": 0 * t + 4e3, "R2": 0 * t}
    found = lift(t, loads, {name: np.where(load == 0, 0.1, -0.02) for name, load in loads.items()})
    assert value(found, "two_wheel_lift") == value(found, "tip_up") == value(found, "lift_height") == 0.0


def test_rows_too_far_apart_tell_nothing() -> None:
    coarse = wheels("L", 0.06, 0.5).resampled(np.arange(0, 2.9, 0.02))
    assert math.isnan(coarse.kpis["tip_up"][0]) and coarse.verdict.word == ""
    assert "rows are further apart than 10.1 ms" in coarse.verdict.reason


# --- the manoeuvre ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("direction", "sign"), [("left", 1.0), ("right", -1.0)])
def test_with_a_fixed_time_every_corner_is_where_it_was_asked_for(direction: str, sign: float) -> None:
    """0 → 6.5 A at 720 deg/s, 0.25 s, → −6.5 A, 3 s, → 0 in 2 s; by hand, to the step."""
    run = drive(direction=direction, reversal="time", end_time=8.0, interval="1 ms")
    top, turn = 6.5 * A, 6.5 * A / (720 * DEG)
    corners = np.cumsum([1.0, turn, 0.25, 2 * turn, 3.0, 2.0])
    expected = sign * np.interp(run.time, corners, [0.0, top, top, -top, -top, 0.0])
    assert run.signal("steering") == pytest.approx(expected, abs=1e-9)
    assert run.kpis["dwell"] == (pytest.approx(0.25, abs=1e-9), "s")
    assert np.all(run.signal("throttle")[run.time > 1.001] == 0.0), "coasting"


@pytest.mark.parametrize(("direction", "sign"), [("left", 1.0), ("right", -1.0)])
@pytest.mark.parametrize("limit", [1.5, 6.0])
def test_it_turns_back_when_the_car_stops_to_roll(direction: str, sign: float, limit: float) -> None:
    """The first instant after the hand wheel has come to 6.5 A at which |p| is below the limit, in the trace."""
    run = drive(direction=direction, roll_rate=limit * DEG, interval="1 ms")
    top, turn = 6.5 * A, 6.5 * A / (720 * DEG)
    rate = np.abs(run.signal("roll_rate")) / DEG
    there = run.time >= 1.0 + turn
    reversal = run.time[int(np.argmax(there & (rate < limit)))]
    assert rate[(run.time > 1.0) & (run.time < reversal)].max() > 15.0, "the car did roll"
    steering = sign * run.signal("steering")
    back = run.time[int(np.argmax((steering < top - 1e-9) & there))]
    assert 0 < back - reversal <= 0.0021  # the step after, and its row
    assert run.kpis["dwell"][0] == pytest.approx(reversal - 1.0 - turn, abs=0.0011)
    assert run.kpis["roll_rate_at_reversal"][0] == pytest.approx(limit, abs=0.5)  # p changes by 0.4 deg/s in a step
    after = (run.time > back) & (run.time < 4.0)
    assert steering[after].min() == pytest.approx(-top, rel=1e-9)


def test_mirrored_and_turned_it_is_the_same() -> None:
    left, right, turned = drive(), drive(direction="right"), drive(heading=1.9, x=12.0, y=-30.0)
    for name in ("dwell", "roll_peak", "ay_peak", "side_slip_peak", "roll_rate_peak"):
        assert right.kpis[name][0] == pytest.approx(left.kpis[name][0], rel=1e-3)
        assert turned.kpis[name][0] == pytest.approx(left.kpis[name][0], rel=1e-3)
    assert right.signal("roll") == pytest.approx(-left.signal("roll"), abs=1e-4)


def test_a_car_that_does_not_roll_has_no_verdict() -> None:
    run = drive(roll_rate=0.49)  # 28 deg/s: it never rolls that fast
    assert not run.complete and "did not roll and stop to roll" in run.reason and run.verdict.word == ""


def test_presets_name_both_variants() -> None:
    nhtsa, vi = Fishhook.preset("nhtsa"), Fishhook.preset("vi")
    assert (nhtsa.factor, vi.factor) == (6.5, 8.0)
    assert [round(3.6 * v) for v in nhtsa.speeds] == [56, 64, 72, 80] and nhtsa.direction == "both"
    assert vi.speed == 22.5 and vi.end_time == 30.0 and vi.reversal == "roll_rate" and not vi.several
    with pytest.raises(ParameterError, match="first_speed = '90 km/h': must not be above speed"):
        Fishhook(first_speed="90 km/h")


@pytest.mark.parametrize("direction", ["left", "right"])
def test_a_sedan_with_a_high_centre_of_gravity_tips_up(direction: str) -> None:
    """Half the track over the height is 0.78 with 1 m: the tires hold more, so that the inner wheels rise."""
    low = drive(direction=direction)
    high = drive(sedan().with_(**{"body.cg.z": 1.0, "accept": ["body.cg.z"]}), direction=direction)
    assert low.kpis["tip_up"][0] == low.kpis["two_wheel_lift"][0] == 0.0 and low.verdict.word == "pass"
    assert high.kpis["tip_up"][0] == high.kpis["two_wheel_lift"][0] == 1.0 and high.verdict.word == "fail"
    loads = [high[LOAD.format(name)].min() for name in ("L1", "L2", "R1", "R2")]
    assert min(loads) == 0.0


def tall(by: float) -> Any:
    """The light truck with its centre of gravity raised: it tips before its tires slide."""
    truck = jn.load("light_truck")
    return truck.with_(**{"body.cg.z": truck.body.cg.z + by})


@pytest.mark.slow
def test_a_tall_truck_tips_up_and_a_series_ends_there() -> None:
    low = jn.run(jn.load("light_truck"), Fishhook(speed="60 km/h"))
    assert low.kpis["tip_up"][0] == 0.0 and low.verdict.word == "pass"
    run = jn.run(tall(0.6), Fishhook(first_speed="40 km/h", speed="80 km/h", speed_step="20 km/h", direction="both"))
    assert run.kpis["tip_up"][0] == run.kpis["two_wheel_lift"][0] == 1.0 and run.verdict.word == "fail"
    for side in ("left", "right"):
        mine = [trial for trial in run.trials if trial.name.startswith(side)]
        assert [trial.figure("tip_up") for trial in mine] == [0.0] * (len(mine) - 1) + [1.0]
    tipped = [trial.figure("entry_speed") for trial in run.trials if trial.figure("tip_up") == 1.0]
    assert run.kpis["lowest_tip_up_speed"] == (pytest.approx(min(tipped)), "km/h")
    assert run.metadata["decisive"] in [t.name for t in run.trials if t.figure("tip_up") == 1.0]


def test_the_amplitude_comes_from_its_pre_event() -> None:
    run = jn.run(sedan(), Fishhook(end_time=2.0))
    angle = jn.run(sedan(), events.SlowlyIncreasingSteer()).kpis["steering_at_nominal"][0]
    assert run.kpis["steering_amplitude"][0] == pytest.approx(6.5 * angle, rel=1e-9)
