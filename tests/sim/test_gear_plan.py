"""Gears planned along a path, against a search of all plans on a small grid, and by their own rules."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.sim.gear_plan import GearPlan, _cheapest, plan_gears

PER_SPEED = np.array([3.6, 2.3, 1.65, 1.3, 1.05, 0.88]) * 3.9 / 0.32
BEST = [430.0, 440.0, 450.0, 460.0, 470.0, 480.0]


def track() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three corners, both ways; 7 m/s² sideways, 4 m/s² forwards, 7 m/s² braking."""
    s = np.arange(0.0, 1200.0, 2.0)
    k = sum(np.sign(r) / abs(r) * np.exp(-(((s - c) / (0.5 * w)) ** 2)) for c, r, w in
            ((300, 30, 60), (700, -60, 80), (1000, 25, 50)))  # fmt: skip
    v = np.sqrt(np.minimum(7 / np.maximum(abs(k), 1e-9), 60.0**2))
    for i in range(1, len(s)):
        v[i] = min(v[i], np.sqrt(v[i - 1] ** 2 + 2 * 4 * 2))
    for i in range(len(s) - 2, -1, -1):
        v[i] = min(v[i], np.sqrt(v[i + 1] ** 2 + 2 * 7 * 2))
    return s, v, k


def planned(**more: float) -> GearPlan:
    s, v, k = track()
    settings = {"most": 700.0, "least": 200.0, "stay": 1.0, "shift_time": 0.25, "yaw_rate": 0.35} | more
    return plan_gears(s, v, k, PER_SPEED, best=BEST, **settings)


def test_the_plan_keeps_its_rules() -> None:
    s, v, k = track()
    plan = planned()
    time = np.concatenate([[0.0], np.cumsum(np.diff(s) / (0.5 * (v[1:] + v[:-1])))])
    when = np.interp(plan.stations, s, time)
    assert np.all(np.abs(np.diff(plan.gears)) == 1), "one gear at a time"
    assert np.all(np.diff(when)[1:] > 1.0 - 0.05), "each for a second; the grid is 0.05 s wide"
    for t in when[1:]:
        inside = (time >= t) & (time <= t + 0.25)
        assert np.all(np.abs(v * k)[inside] <= 0.35 + 1e-3), "no shift in a corner"
    gears = np.array([plan.at(x) for x in s])
    turns = PER_SPEED[gears - 1] * v
    assert not plan.outside and turns.max() < 700.0 * 1.01 and turns.min() > 200.0 * 0.99
    # gears at the apexes, by hand: nearest to the best speed of that gear
    assert plan.apexes == pytest.approx([300.0, 700.0, 1000.0], abs=2.0)
    for apex in plan.apexes:
        speeds = PER_SPEED * np.interp(apex, s, v)
        assert plan.at(apex) == np.argmin(np.abs(speeds - BEST)) + 1


def test_downshifts_come_as_early_as_the_engine_allows() -> None:
    """Without the least time the shift down into the gear of an apex begins where the engine would just keep within."""
    s, v, _ = track()
    plan = planned(stay=0.0, shift_time=0.05, margin=1.01, yaw_rate=9.0)
    for number, (station, gear) in enumerate(zip(plan.stations, plan.gears, strict=True)):
        if number == 0 or gear > plan.gears[number - 1]:
            continue
        turns = PER_SPEED[gear - 1] * np.interp(station, s, v)
        assert 0.95 * 700 < turns < 700 * 1.001


def test_a_zone_without_shifts_moves_them_out_of_it() -> None:
    free, narrow = planned(yaw_rate=9.0, stay=0.0), planned(yaw_rate=0.1, stay=0.0)
    s, v, k = track()
    inside = [abs(np.interp(x, s, v * k)) > 0.1 for x in free.stations[1:]]
    assert any(inside), "without the zone there are shifts in it"
    assert not any(abs(np.interp(x, s, v * k)) > 0.1 for x in narrow.stations[1:])
    leaning = planned(yaw_rate=9.0, lean=0.2, stay=0.0)
    assert all(np.arctan(np.interp(x, s, v * v * np.abs(k)) / 9.80665) < 0.2 for x in leaning.stations[1:])


def test_the_search_finds_the_best_of_all_plans() -> None:
    """Three gears, nine points, gears for two points at least: all sequences by brute force."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        rate = rng.uniform(0.0, 3.0, (3, 9))
        cost = np.concatenate([np.zeros((3, 1)), np.cumsum(rate, axis=1)], axis=1)
        allowed = rng.uniform(size=9) > 0.3
        changes, gears = _cheapest(cost, allowed, 2)
        used = np.repeat(gears, np.diff([*changes, 9]))
        found = sum(rate[g, i] for i, g in enumerate(used))
        best = np.inf
        for sequence in itertools.product(range(3), repeat=9):
            jumps = [i for i in range(1, 9) if sequence[i] != sequence[i - 1]]
            fine = all(abs(sequence[i] - sequence[i - 1]) == 1 and allowed[i] for i in jumps)
            if fine and all(b - a >= 2 for a, b in itertools.pairwise(jumps)):
                best = min(best, sum(rate[g, i] for i, g in enumerate(sequence)))
        assert found == pytest.approx(best, abs=1e-12)


def test_an_engine_that_no_gear_keeps_within_its_speeds_is_told() -> None:
    plan = planned(most=300.0, least=250.0)
    assert plan.outside


def test_what_contradicts_itself_is_refused() -> None:
    s, v, k = track()
    with pytest.raises(ParameterError, match="stations must rise"):
        plan_gears(s[::-1], v, k, PER_SPEED, most=700.0, least=200.0, best=BEST)
    with pytest.raises(ParameterError, match="6 gears with 2 best speeds"):
        plan_gears(s, v, k, PER_SPEED, most=700.0, least=200.0, best=[1.0, 2.0])
    with pytest.raises(ParameterError, match="from 900 to 700"):
        plan_gears(s, v, k, PER_SPEED, most=700.0, least=900.0, best=BEST)
    with pytest.raises(ParameterError, match="must be above 1"):
        plan_gears(s, v, k, PER_SPEED, most=700.0, least=200.0, best=BEST, margin=1.0)
