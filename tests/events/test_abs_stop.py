"""Stops after ISO 21994: figures of exact stops, the verdict of UN R13-H from both sides of its limits, the series."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.core.constants import GRAVITY
from jounce.events.library.abs_stop import AbsStop, longest_way
from jounce.results.run import Run
from jounce.results.trials import kept

BEGIN = 1.0
TIRES = ("L1", "R1", "L2", "R2", "L3", "R3")


def stop(
    rate: float = 8.0, v0: float = 100.0, adhesion: float = 0.9, turn: float = 0.0, locked: float = 0.0,
    nominal: float = 100.0, status: str = "complete", reason: str = "", **parameters: Any,
) -> Run:  # fmt: skip
    """v = v0 − a (t − 1 s): all figures in closed form. Speeds in km/h; ``locked``: how long R3 stands still."""
    t = np.arange(0, BEGIN + v0 / 3.6 / rate + 0.5, 0.005)
    v = np.maximum(v0 / 3.6 - rate * np.maximum(t - BEGIN, 0.0), 0.0)
    yaw = np.radians(turn) * np.clip(t - BEGIN, 0.0, 1.0)
    data = {
        "System_Mass_Center.Tracking_Vx": v,
        "chassis_displacements.yaw": yaw,
        "driver_demands.brake": 1.0 * (t >= BEGIN),
    }
    for tire in TIRES:
        still = (t >= 1.5 - 1e-9) & (t <= 1.5 + locked + 1e-9) if tire == "R3" and locked else t < 0
        data[f"Tire.Longitudinal_Slip_Without_Lag.{tire}"] = np.where(still | (v < 3.0), -1.0, -0.1)
    units = {"System_Mass_Center.Tracking_Vx": "m/s", "chassis_displacements.yaw": "rad"}
    own = {"start_time": [BEGIN, "s"], "speed": [v0 / 3.6, "m/s"], "friction": [1.0, "-"], **parameters}
    own["nominal_speed"] = [nominal / 3.6, "m/s"]
    meta: dict[str, Any] = {"event": {"kind": "abs-stop", "parameters": own}, "status": status, "reason": reason}
    return Run(t, data, {name: units.get(name, "-") for name in data}, meta | {"adhesion": adhesion})


@pytest.mark.parametrize("v0", [100.0, 98.0, 40.0])
def test_figures_of_a_stop_at_a_constant_rate(v0: float) -> None:
    run = stop(7.0, v0, locked=0.32, turn=-3.0, nominal=v0 + 1)
    assert run.kpis["braking_rate"][0] == pytest.approx(7.0 / GRAVITY, rel=1e-3)
    assert run.kpis["mfdd"][0] == pytest.approx(7.0, rel=2e-3)
    s = (v0 / 3.6) ** 2 / 14.0
    row = v0 / 3.6 * 0.005 * 1.2  # the pedal moves between two rows
    assert run.kpis["stopping_distance_nominal"] == (pytest.approx(s * ((v0 + 1) / v0) ** 2, abs=row), "m")
    assert run.kpis["locked_time"] == (pytest.approx(0.32, abs=1e-6), "s"), "not the standstill below 15 km/h"
    assert run.kpis["yaw_peak"] == (pytest.approx(3.0, rel=1e-6), "deg")


def test_the_way_that_the_rule_allows() -> None:
    assert longest_way(100 / 3.6) == pytest.approx(70.0) and longest_way(80 / 3.6) == pytest.approx(46.4)


@pytest.mark.parametrize(
    ("changes", "word", "why"),
    [
        ({"rate": 6.5, "adhesion": 0.8}, "pass", ""),  # 59 m
        ({"rate": 6.4, "adhesion": 0.8}, "fail", "mean fully developed deceleration at least 6.43"),
        ({"rate": 6.6, "adhesion": 0.89}, "pass", ""),  # 6.6/9.81/0.89 = 0.756
        ({"rate": 6.6, "adhesion": 0.91}, "fail", "utilisation of adhesion at least 0.75: 0.73"),
        ({"rate": 8.0, "turn": 14.5}, "pass", ""),
        ({"rate": 8.0, "turn": -15.5}, "fail", "turned from the line by at most 15 deg: 15.5"),
        ({"rate": 1.7, "adhesion": 0.2, "friction": [0.2, "-"]}, "pass", ""),  # on ice the way is not asked for
        ({"rate": 1.4, "adhesion": 0.2, "friction": [0.2, "-"]}, "fail", "utilisation of adhesion"),
        ({"rate": 8.0, "road": ["wet_patch", ""]}, "pass", ""),
        ({"rate": 8.0, "status": "partial", "reason": "spun"}, "fail", "comes to a stop on its line (this stop): spun"),
        ({"rate": 8.0, "status": "partial", "reason": "interrupted"}, "", "interrupted"),
        ({"rate": 8.0, "adhesion": np.nan}, "", "utilisation of adhesion at least 0.75: not known"),
    ],
)  # fmt: skip
def test_the_verdict_of_one_stop(changes: dict[str, Any], word: str, why: str) -> None:
    told = stop(**changes).verdict
    assert told.word == word and why in told.reason
    asked = any("stopping distance from 100 km/h at most 70 m" in item.text for item in told.criteria)
    assert asked == ("friction" not in changes and "road" not in changes)


@pytest.mark.parametrize(("force", "word"), [(480.0, "pass"), (520.0, "fail")])
def test_the_force_at_the_pedal(force: float, word: str) -> None:
    assert stop().with_metadata(pedal_force=force).verdict.word == word


def test_a_distance_that_is_too_long_fails() -> None:
    """Pressure that builds up in 2 s: the fully developed deceleration is fine, the way is not."""
    t = np.arange(0, 9, 0.005)
    a = 7.6 * np.clip((t - BEGIN) / 2.4, 0.0, 1.0)
    v = np.maximum(100 / 3.6 - np.cumsum(a) * 0.005, 0.0)
    base = stop()
    data = {
        "System_Mass_Center.Tracking_Vx": v,
        "chassis_displacements.yaw": 0 * t,
        "driver_demands.brake": 1.0 * (t >= BEGIN),
    }
    told = Run(t, data, {n: "m/s" if "Vx" in n else "-" for n in data}, base.metadata | {"adhesion": 0.8})
    assert told.kpis["mfdd"][0] > 6.43 and told.verdict.word == "fail"
    assert "not met: stopping distance from 100 km/h at most 70 m" in told.verdict.reason


@pytest.mark.parametrize("odd", [0, 2])
def test_every_stop_of_a_series_counts(odd: int) -> None:
    rates = [8.0, 8.2, 8.4]
    good = [kept(f"stop {k + 1}", stop(a), {}) for k, a in enumerate(rates)]
    whole = stop().with_metadata(trials=good)
    assert whole.verdict.word == "pass"
    ways = [(100 / 3.6) ** 2 / 2 / a for a in rates]
    assert whole.kpis["stopping_distance_nominal"][0] == pytest.approx(np.mean(ways), abs=0.14)
    assert whole.kpis["stopping_distance_spread"][0] == pytest.approx(ways[0] - ways[2], rel=0.03)
    assert whole.kpis["stopping_distance_longest"][0] == pytest.approx(ways[0], abs=0.14)
    assert whole.kpis["mfdd_least"][0] == pytest.approx(8.0, rel=2e-3)
    assert whole.kpis["adhesion_utilisation_least"][0] == pytest.approx(8.0 / 9.80665 / 0.9, rel=2e-3)
    bad = [*good]
    bad[odd] = kept(f"stop {odd + 1}", stop(6.2, adhesion=0.7), {})
    told = stop().with_metadata(trials=bad).verdict
    assert told.word == "fail" and f"(stop {odd + 1})" in told.reason
    cut = stop().with_metadata(trials=good[:1], status="partial", reason="interrupted in run 1").verdict
    assert cut.word == "" and "all stops driven: interrupted in run 1" in cut.reason


# --- the event -------------------------------------------------------------------------------------------------------


@lru_cache
def sedan() -> Any:
    return jn.load("sedan")


def test_a_series_of_the_sedan() -> None:
    run = jn.run(sedan(), AbsStop(stops=3))
    assert run.complete and run.verdict.word == "pass"
    assert [t.figure("initial_speed") for t in run.trials] == pytest.approx([98.5, 100.0, 101.5], abs=0.02)
    each = [t.figure("stopping_distance_nominal") for t in run.trials]
    raw = [t.figure("stopping_distance") for t in run.trials]
    assert max(each) - min(each) < 0.2 < raw[2] - raw[0], "referred to 100 km/h they are alike"
    assert run.kpis["stopping_distance_nominal"][0] == pytest.approx(np.mean(each))
    assert run.metadata["decisive"] == f"stop {1 + int(np.argmax(each))}"
    alone = jn.run(sedan(), AbsStop(stops=1))
    assert not alone.trials and alone.kpis["stopping_distance"][0] == pytest.approx(raw[1], rel=1e-9)
    assert AbsStop().end_time == 20.0, "that of a stop"


def test_trucks_are_judged_by_a_rule_of_their_own() -> None:
    assert longest_way(60 / 3.6, "UN R13") == pytest.approx(0.15 * 60 + 60**2 / 130)
    event = AbsStop.preset("trucks", stops=1)
    run = jn.run(jn.load("light_truck"), event)
    limits = {item.text.split(" from")[0].split(" at least")[0]: item.limit for item in run.verdict.criteria}
    assert limits["mean fully developed deceleration"] == 5.0
    assert limits["stopping distance"] == pytest.approx(36.6923, abs=1e-3)
    cars = jn.run(jn.load("light_truck"), event.changed(rule="UN R13-H"))
    limits = {item.text.split(" from")[0].split(" at least")[0]: item.limit for item in cars.verdict.criteria}
    assert limits["mean fully developed deceleration"] == 6.43 and limits["stopping distance"] == pytest.approx(27.6)
