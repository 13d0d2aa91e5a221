"""Signals of the posts of a rig: closed forms of sine, sweep, integration, references."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.events import post_signals as posts
from jounce.events.post_tracking import relative_errors, without_tilt

FIRST, LAST, T, V = 0.5, 25.0, 20.0, 0.1
TIME = 0.001 * np.arange(20_001)


def phase(t: np.ndarray) -> np.ndarray:
    grows = math.log(LAST / FIRST)
    return 2 * math.pi * FIRST * T / grows * ((LAST / FIRST) ** (t / T) - 1)


def test_a_sine_has_its_velocity_and_no_mean() -> None:
    t = 0.001 * np.arange(4001)
    z = posts.sine(t, 1.25, 0.3)  # whole periods
    assert np.gradient(z, t)[1:-1] == pytest.approx(0.3 * np.sin(2 * math.pi * 1.25 * t[1:-1]), abs=1e-5)
    assert np.max(np.abs(z)) == pytest.approx(0.3 / (2 * math.pi * 1.25))
    assert np.mean(z[:-1]) == pytest.approx(0.0, abs=1e-12)


def test_the_velocity_of_a_sweep_has_constant_peaks() -> None:
    v = np.gradient(posts.sweep(TIME, FIRST, LAST, T, V, compensated=False), TIME)
    # central differences of a sine of 25 Hz: (w h)^2/6 = 0.4 %
    assert v[1:-1] == pytest.approx(V * np.sin(phase(TIME))[1:-1], abs=0.005 * V)
    compensated = np.gradient(posts.sweep(TIME, FIRST, LAST, T, V, compensated=True), TIME)
    peaks = [np.max(np.abs(compensated[k : k + 2000])) for k in range(0, 20_000, 2000)]
    # the amplitude that falls adds V ln(f1/f0)/(2 pi f T) across: 6 % of V at 0.5 Hz, 0.2 % in the peak
    assert peaks == pytest.approx([V] * 10, rel=0.006)


def test_drift_compensation_leaves_no_mean_and_the_falling_amplitude() -> None:
    drifting = posts.sweep(TIME, FIRST, LAST, T, V, compensated=False)
    z = posts.sweep(TIME, FIRST, LAST, T, V, compensated=True)
    amplitude = V / (2 * math.pi * FIRST)
    # of the specification, one per cent; of (3), nothing but rounding
    assert abs(np.trapezoid(z, TIME)) / T < 1e-9 * amplitude
    assert abs(np.mean(drifting)) > 0.5 * amplitude  # what it is there for
    late = TIME > 10.0  # by the second half the amplitude is a seventh
    f = FIRST * (LAST / FIRST) ** (TIME / T)
    envelope = V / (2 * math.pi * f)
    middle = np.mean(z[late])
    assert np.all(np.abs(z - middle)[late] <= 1.001 * envelope[late] + abs(middle))
    assert abs(middle) < 0.01 * amplitude


def test_a_sweep_may_go_down() -> None:
    up = posts.sweep(TIME, FIRST, LAST, T, V, compensated=True)
    down = posts.sweep(TIME, LAST, FIRST, T, V, compensated=True)
    assert np.ptp(down[-4000:]) > 5 * np.ptp(down[:4000])
    assert np.ptp(up[-4000:]) < np.ptp(up[:4000]) / 5


def test_rows_are_integrated_exactly() -> None:
    t = np.array([0.0, 0.7, 1.0, 2.5])
    a = np.array([1.0, -2.0, 4.0, 0.5])  # straight in between
    at = np.linspace(0.0, 2.5, 41)
    fine = np.linspace(0.0, 2.5, 250_001)
    values = np.interp(fine, t, a)
    once = np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(fine))])
    twice = np.concatenate([[0.0], np.cumsum(0.5 * (once[1:] + once[:-1]) * np.diff(fine))])
    assert posts.between_rows(t, a, at, 0) == pytest.approx(np.interp(at, t, a))
    assert posts.between_rows(t, a, at, 1) == pytest.approx(np.interp(at, fine, once), abs=1e-9)
    assert posts.between_rows(t, a, at, 2) == pytest.approx(np.interp(at, fine, twice), abs=1e-9)


def wheels(*axles: tuple[float, str]) -> Any:
    found = []
    for x, sides in axles:
        axle = SimpleNamespace(x=x, wheels=list(sides))
        found += [SimpleNamespace(axle=axle, side=side) for side in sides]
    return found


def test_modes_have_their_signs_on_any_axles() -> None:
    four = wheels((0.0, "LR"), (-2.7, "LR"))
    assert {mode: posts.signs(four, mode).tolist() for mode in ("heave", "pitch", "roll", "warp")} == {
        "heave": [1, 1, 1, 1],
        "pitch": [1, 1, -1, -1],
        "roll": [1, -1, 1, -1],
        "warp": [1, -1, -1, 1],
    }
    three = wheels((0.0, "L"), (-4.0, "LR"), (-5.0, "LR"))  # one wheel in front
    assert posts.signs(three, "pitch").tolist() == [1, -1, -1, -1, -1]
    assert posts.signs(three, "warp").tolist() == [0, -1, 1, -1, 1]
    with pytest.raises(ParameterError, match="'bounce'"):
        posts.signs(four, "bounce")


def test_a_reference_is_four_seconds_shorter_and_keeps_its_band() -> None:
    t = 0.01 * np.arange(2001)
    meant = np.sin(2 * math.pi * 3.0 * t)
    measured = 0.8 + 0.1 * t + meant + 0.2 * np.sin(2 * math.pi * 0.05 * t)
    time, found = posts.tracked(t, measured[:, None], 0.002, 0.3, 25.0)
    assert time[-1] == pytest.approx(20.0 - 4.0)
    rows = (time > 2) & (time < 14)
    # in the band, and in phase; the bias, the slope and the slow wave are gone
    assert found[rows, 0] == pytest.approx(np.sin(2 * math.pi * 3.0 * (time[rows] + 2.0)), abs=0.02)
    assert found[0, 0] == 0.0
    with pytest.raises(ParameterError, match=r"lasts 5 s; 4 s are dropped"):
        posts.tracked(t[:501], measured[:501, None], 0.002, 0.3, 25.0)


def test_slow_tilt_is_taken_from_the_pads_and_nothing_else() -> None:
    t = 0.002 * np.arange(10_001)
    places = np.array([[0.0, 0.8], [0.0, -0.8], [-2.5, 0.7], [-2.5, -0.7]])
    ahead, left = places[:, 0] - places[:, 0].mean(), places[:, 1] - places[:, 1].mean()
    slow, fast = np.sin(2 * math.pi * 0.15 * t), np.sin(2 * math.pi * 4.0 * t)
    pads = 0.01 * slow[:, None] + 0.004 * slow[:, None] * ahead + 0.006 * slow[:, None] * left
    warp = np.array([1, -1, -1, 1]) / np.abs(left)  # no part of it is a plane
    kept = 0.003 * fast[:, None] * left + 0.002 * fast[:, None] * ahead + 0.001 * slow[:, None] * warp
    rows = slice(2500, 7500)

    def tilts(values: np.ndarray) -> list[float]:
        plane = np.linalg.pinv(np.column_stack([np.ones(4), ahead, left])) @ values[rows].T
        return [float(np.std(part)) for part in plane]

    level = without_tilt(pads, places, 0.002, 0.8, roll=True, pitch=True)
    before, after = tilts(pads), tilts(level)
    assert after[0] == pytest.approx(before[0], rel=1e-6)  # heave stays
    assert after[1] < 0.02 * before[1] and after[2] < 0.02 * before[2]
    only = tilts(without_tilt(pads, places, 0.002, 0.8, roll=True, pitch=False))
    assert only[1] == pytest.approx(before[1], rel=1e-6) and only[2] < 0.02 * before[2]
    assert without_tilt(pads, places, 0.002, 0.8, roll=False, pitch=False) is pads
    same = without_tilt(kept, places, 0.002, 0.8, roll=True, pitch=True)
    assert same[rows] == pytest.approx(kept[rows], abs=1e-4 * np.max(np.abs(kept)))


def test_errors_of_tracking_are_relative_and_by_post() -> None:
    t = 0.002 * np.arange(5001)
    wanted = np.column_stack([np.sin(2 * math.pi * 5 * t), 3 * np.sin(2 * math.pi * 7 * t)])
    answer = wanted * np.array([0.9, 1.02])
    assert relative_errors(wanted, answer, 0.002) == pytest.approx([0.1, 0.02], rel=1e-3)
    slow = wanted + np.sin(2 * math.pi * 0.05 * t)[:, None]  # out of the band that is judged
    assert np.max(relative_errors(wanted, slow, 0.002)) < 0.01
