"""Straight acceleration: key figures of signals whose answer is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.events.library.straight_acceleration import acceleration
from result_runs import value


def test_acceleration_at_a_constant_rate() -> None:
    t = np.arange(0, 30, 0.01)
    a = 4.0
    v = a * np.maximum(t - 2.0, 0.0)
    found = acceleration(t, v, throttle=(t >= 2.0).astype(float), longitudinal_acceleration=np.where(t > 2, a, 0.0))
    launch = 2.0 - 0.01  # the last sample before the pedal moves
    assert value(found, "t_0_100") == pytest.approx(100 / 3.6 / a + 2 - launch, abs=1e-6)
    assert value(found, "t_80_120") == pytest.approx(40 / 3.6 / a, rel=1e-9)
    assert value(found, "t_402m") == pytest.approx(math.sqrt(2 * 402.336 / a) + 2 - launch, abs=1e-4)
    assert value(found, "v_402m") == pytest.approx(3.6 * math.sqrt(2 * 402.336 * a), rel=1e-4)
    assert value(found, "ax_max") == pytest.approx(a)


def test_a_rolling_start_has_no_time_from_zero() -> None:
    t = np.arange(0, 20, 0.01)
    found = acceleration(t, 5 + 3 * t)
    assert math.isnan(value(found, "t_0_100"))
    assert any("moves at the start (18.0 km/h)" in text for text in found.warnings)
    assert value(found, "t_60_100") == pytest.approx(40 / 3.6 / 3)
