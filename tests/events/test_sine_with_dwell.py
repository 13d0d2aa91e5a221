"""Sine with dwell: key figures of signals whose answer is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.events.library.sine_with_dwell import sine_with_dwell
from result_runs import DEG, value


def dwell(t: np.ndarray, start: float, frequency: float = 0.7, hold: float = 0.5) -> np.ndarray:
    tau = t - start
    period = 1 / frequency
    wave = np.where((tau >= 0) & (tau <= 0.75 * period), np.sin(2 * math.pi * frequency * tau), 0.0)
    wave = np.where((tau > 0.75 * period) & (tau <= 0.75 * period + hold), -1.0, wave)
    last = (tau > 0.75 * period + hold) & (tau <= period + hold)
    return np.where(last, np.sin(2 * math.pi * frequency * (tau - hold)), wave)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_sine_with_dwell(side: float) -> None:
    t = np.arange(0, 8, 0.005)
    amplitude = 270 * DEG
    steering = side * amplitude * dwell(t, 1.0)
    cos = 1.0 + 1 / 0.7 + 0.5
    # the yaw rate follows the wheel and decays from the completion of steer on, from 0.5 rad/s
    yaw = np.where(t < cos, 0.6 * dwell(t, 1.0), -0.6 * np.exp(-(t - cos) / 0.8))
    yaw = side * np.where((t > cos - 0.4) & (t < cos), -0.6, yaw)
    x, y = 22.2 * t, side * np.where(t > 1, 1.9 * ((t - 1) / 1.07) ** 2, 0.0)
    found = sine_with_dwell(t, steering, yaw, x=x, y=y, mass=1600.0, amplitude_ratio=6.5, filtered=False)
    assert value(found, "steering_amplitude") == pytest.approx(270, rel=1e-6)
    assert value(found, "yaw_rate_peak") == pytest.approx(0.6 / DEG, rel=1e-3)
    # COS is told when the wheel is within 1 % of its amplitude of zero: asin(0.01)/(2π 0.7) s early
    early = math.asin(0.01) / (2 * math.pi * 0.7)
    assert value(found, "yaw_rate_ratio_1_00") == pytest.approx(100 * math.exp(-(1.0 - early) / 0.8), rel=2e-3)
    assert value(found, "yaw_rate_ratio_1_75") == pytest.approx(100 * math.exp(-(1.75 - early) / 0.8), rel=2e-3)
    # BOS is when the wheel passes 5 degrees
    bos = math.asin(5 / 270) / (2 * math.pi * 0.7)
    assert value(found, "lateral_displacement") == pytest.approx(1.9 * ((bos + 1.07) / 1.07) ** 2, rel=5e-3)
    assert value(found, "swd_pass") == 1.0
    assert math.exp(-1.25) < 0.35 < math.exp(-1.0)  # the margin of this example


def test_sine_with_dwell_fails_a_spinning_car() -> None:
    t = np.arange(0, 8, 0.005)
    yaw = np.where(t < 2.2, 0.6 * dwell(t, 1.0), -0.6)
    found = sine_with_dwell(t, 4.0 * dwell(t, 1.0), yaw)
    assert value(found, "swd_pass") == 0.0
    assert value(found, "yaw_rate_ratio_1_75") == pytest.approx(100, abs=5)


def test_sine_with_dwell_of_a_short_record_is_nan() -> None:
    t = np.arange(0, 3.6, 0.005)
    found = sine_with_dwell(t, 4.0 * dwell(t, 1.0), 0.5 * dwell(t, 1.0))
    assert math.isnan(value(found, "yaw_rate_ratio_1_75"))
    assert math.isnan(value(found, "swd_pass"))
    still = sine_with_dwell(t, np.zeros_like(t) + 1e-9, np.zeros_like(t))
    assert math.isnan(value(still, "yaw_rate_ratio_1_00"))
