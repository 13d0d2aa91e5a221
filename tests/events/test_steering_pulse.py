"""Steering pulse: decaying oscillations whose answer is known, both sides, and when the hand lets go."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.events.library.steering_pulse import steering_pulse
from result_runs import value


@pytest.mark.parametrize(("damping", "side"), [(0.15, 1.0), (0.3, -1.0), (0.45, 1.0)])
def test_figures_of_a_decaying_oscillation(damping: float, side: float) -> None:
    t = np.arange(0.0, 16.0, 0.002)
    w0 = 2 * math.pi * 1.1
    wd = w0 * math.sqrt(1 - damping**2)
    tau = np.maximum(t - 2.0, 0.0)
    shape = np.exp(-damping * w0 * tau) * np.sin(wd * tau)
    found = steering_pulse(t, 2.0, yaw_rate=side * 0.2 * shape + 0.003, steering=side * 0.5 * shape)
    top = math.acos(damping) / wd  # where the slope of e^(-ζω₀τ) sin ω_d τ vanishes
    highest = math.exp(-damping * w0 * top) * math.sin(wd * top)
    assert value(found, "pulse_yaw_rate_peak") == pytest.approx(math.degrees(side * 0.2 * highest + 0.003), rel=1e-4)
    assert value(found, "pulse_yaw_rate_rest") == pytest.approx(math.degrees(0.003), rel=1e-3)
    for name in ("yaw_rate", "steering"):
        assert value(found, f"pulse_{name}_damping") == pytest.approx(damping, rel=0.01)
        assert value(found, f"pulse_{name}_frequency") == pytest.approx(wd / (2 * math.pi), rel=0.01)
    outside = np.flatnonzero(np.abs(shape) > 0.05 * highest)
    assert value(found, "pulse_steering_settling") == pytest.approx(t[outside[-1]] - 2.0, abs=0.003)
    assert "pulse_ay_peak" not in found
    # what is told of one signal is told of all, each in its unit
    every = steering_pulse(
        t, 2.0, yaw_rate=side * 0.5 * shape, lateral_acceleration=side * 0.5 * shape, steering=side * 0.5 * shape
    )
    for what in ("damping", "frequency", "settling"):
        assert every[f"pulse_ay_{what}"] == every[f"pulse_yaw_rate_{what}"] == every[f"pulse_steering_{what}"]
    assert every["pulse_ay_peak"] == (pytest.approx(side * 0.5 * highest, rel=1e-4), "m/s2")
    assert value(every, "pulse_steering_peak") == pytest.approx(math.degrees(side * 0.5 * highest), rel=1e-4)
    lifted = steering_pulse(t, 2.0, lateral_acceleration=0.5 * shape - 0.02, steering=0.5 * shape + 0.01)
    assert value(lifted, "pulse_ay_rest") == pytest.approx(-0.02, rel=1e-3)
    assert value(lifted, "pulse_steering_rest") == pytest.approx(math.degrees(0.01), rel=1e-3)


def test_a_hand_wheel_that_goes_on_swinging_has_no_settling_time() -> None:
    t = np.arange(0.0, 8.0, 0.01)
    found = steering_pulse(t, 1.0, steering=0.3 * np.sin(3 * t))
    assert math.isnan(value(found, "pulse_steering_settling")) and "at the end" in found.warnings[0]
    assert abs(value(found, "pulse_steering_peak")) == pytest.approx(math.degrees(0.3), rel=1e-3)


def test_the_hand_pulls_and_lets_go_on_both_sides() -> None:
    left = jn.run(jn.load("sedan"), events.SteeringPulse())
    right = jn.run(jn.load("sedan"), events.SteeringPulse(amplitude="-30 deg", heading=2.2, y=9.0))
    for name, (found, _) in left.kpis.items():
        signed = name.endswith(("_peak", "_rest"))
        assert right.kpis[name][0] == pytest.approx(-found if signed else found, rel=1e-6, abs=1e-9), name
    steer = left.signal("steering")
    at = left.time <= 1.2
    assert steer[at][-1] == pytest.approx(math.radians(30), rel=1e-3)
    assert steer[at] == pytest.approx(math.radians(30) * np.clip((left.time[at] - 1.0) / 0.2, 0.0, 1.0), abs=1e-6)
    assert abs(steer[-1]) < math.radians(2) and left.kpis["pulse_steering_settling"][0] < 2.0


def test_the_hand_lets_go_at_the_end_of_the_pull() -> None:
    assert events.SteeringPulse(start_time="0.4 s", rise=0.3).release_time == pytest.approx(0.7)
    assert events.SteeringPulse(start_time=2.0).release_time == pytest.approx(2.2)
    assert events.SteeringPulse(rise=0.5, release_time="3 s").release_time == 3.0
