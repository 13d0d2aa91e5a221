"""Step steer: key figures of signals whose answer is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.events.library.step_steer import step_steer
from result_runs import DEG, step_response, value


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("damping", [0.35, 0.6, 0.75])
def test_step_steer_of_a_second_order_system(damping: float, side: float) -> None:
    t = np.arange(0, 8, 0.002)
    # a jump between two samples: half of it is passed in the middle
    steering = side * 45 * DEG * (t > 0.999)
    yaw = side * 0.3 * step_response(t, 0.999, 1.3, damping)
    found = step_steer(t, steering, yaw_rate=yaw, speed=np.full_like(t, 27.8))
    w0 = 2 * math.pi * 1.3
    root = math.sqrt(1 - damping**2)
    # closed forms of the second-order step response
    assert value(found, "yaw_rate_overshoot") == pytest.approx(100 * math.exp(-math.pi * damping / root), abs=0.02)
    assert value(found, "yaw_rate_t_peak") == pytest.approx(math.pi / (w0 * root), abs=0.0015)
    fine = np.linspace(0, 1, 400_001)
    t90 = fine[np.argmax(step_response(fine, 0.0, 1.3, damping) >= 0.9)]
    assert value(found, "yaw_rate_t90") == pytest.approx(t90, abs=0.0015)  # where within the sample the jump is
    assert value(found, "yaw_rate_steady") == pytest.approx(side * 0.3 / DEG, rel=1e-4)
    assert value(found, "yaw_rate_gain") == pytest.approx(0.3 / (45 * DEG), rel=1e-4)
    assert value(found, "steering_step") == pytest.approx(side * 45)
    assert value(found, "speed_change") == pytest.approx(0.0)
    assert found["yaw_rate_overshoot"][1] == "%"
    assert not found.warnings


def test_time_zero_is_half_of_the_steering_step() -> None:
    t = np.arange(0, 6, 0.01)
    rate = 250 * DEG
    size = 50 * DEG
    steering = np.clip((t - 1.0) * rate, 0, size)  # half at 1.0 + 0.1 s
    ay = 4.0 * np.clip((t - 1.2) / 0.5, 0, 1)  # a ramp: 90 % at 1.65 s
    found = step_steer(t, steering, lateral_acceleration=ay)
    assert value(found, "ay_t90") == pytest.approx(0.55, abs=1e-6)
    assert value(found, "steering_rate") == pytest.approx(250, rel=1e-6)
    assert math.isnan(value(found, "ay_t_peak"))
    assert value(found, "ay_overshoot") == 0.0
    assert any("no peak" in text for text in found.warnings)


def test_a_slow_step_and_a_falling_speed_are_remarked() -> None:
    t = np.arange(0, 8, 0.01)
    steering = np.clip((t - 1.0) * 50 * DEG, 0, 40 * DEG)
    speed = np.where(t < 1, 28.0, 28.0 - 0.5 * (t - 1))
    found = step_steer(t, steering, yaw_rate=0.2 * step_response(t, 1.4, 1.5, 0.7), speed=speed)
    assert any("50 deg/s" in text for text in found.warnings)
    assert any("speed changes by -12.5%" in text for text in found.warnings)


def test_a_response_that_never_settles_has_no_figures() -> None:
    t = np.arange(0, 8, 0.01)
    steering = 45 * DEG * (t > 1)
    swinging = np.where(t > 1, 0.2 + 0.1 * np.sin(6 * (t - 1)), 0.0)
    rising = np.where(t > 1, 0.5 * (t - 1), 0.0)
    found = step_steer(t, steering, yaw_rate=swinging, lateral_acceleration=rising)
    for name in ("yaw_rate_t90", "yaw_rate_overshoot", "yaw_rate_gain", "ay_t90", "ay_steady"):
        assert math.isnan(value(found, name)), name
    assert any("yaw_rate is not settled" in text for text in found.warnings)
    assert any("ay is still changing" in text for text in found.warnings)


def test_noise_does_not_make_an_overshoot() -> None:
    t = np.arange(0, 8, 0.01)
    rng = np.random.default_rng(1)
    steering = 45 * DEG * (t > 1)
    first_order = 0.3 * (1 - np.exp(-np.maximum(t - 1, 0) / 0.1)) + 0.003 * rng.standard_normal(len(t))
    found = step_steer(t, steering, yaw_rate=first_order)
    assert value(found, "yaw_rate_overshoot") == 0.0
    # 90 % of a first-order lag: 0.1·ln 10; the crossing of a noisy signal wanders by its noise over its slope
    assert value(found, "yaw_rate_t90") == pytest.approx(0.1 * math.log(10), abs=0.01 + 3 * 0.003 / 0.3)


def test_a_steering_wheel_at_rest_has_no_step() -> None:
    t = np.arange(0, 2, 0.01)
    found = step_steer(t, np.zeros_like(t), yaw_rate=np.zeros_like(t))
    assert math.isnan(value(found, "steering_step"))
    assert found.warnings == ["step steer: the steering wheel does not move"]


def test_tb_factor_is_peak_time_times_side_slip() -> None:
    t = np.arange(0, 8, 0.002)
    steering = 45 * DEG * (t > 0.999)
    yaw = 0.3 * step_response(t, 0.999, 1.3, 0.5)
    slip = -1.5 * DEG * step_response(t, 0.999, 1.0, 0.8)
    found = step_steer(t, steering, yaw_rate=yaw, side_slip=slip)
    assert value(found, "side_slip_steady") == pytest.approx(-1.5, rel=1e-3)
    assert value(found, "tb_factor") == pytest.approx(1.5 * value(found, "yaw_rate_t_peak"), rel=1e-3)
