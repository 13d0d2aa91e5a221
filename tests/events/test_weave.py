"""Weave test: key figures of loops in closed form, and of cars."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce as jn
from assisted_cars import with_steering
from compliant_cars import without_friction
from jounce.core.constants import GRAVITY
from jounce.events.library.weave import OUT, weave
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from result_runs import value


def width(size: float, phase: float, peak: float) -> float:
    """Of an ellipse, mean within 0.1 g."""
    x = OUT / peak
    return size * abs(math.sin(phase)) * (math.sqrt(1 - x * x) + math.asin(x) / x)


@pytest.mark.parametrize("phase", [0.4, -0.2])
def test_figures_of_ellipses(phase: float) -> None:
    t = np.arange(0.0, 26.0, 0.01)
    w = 2 * math.pi * 0.2
    moving = t >= 1.0
    ay = np.where(moving, 2.1 * np.sin(w * (t - 1.0) - 0.3), 0.0)
    angle = np.where(moving, 0.3 * np.sin(w * (t - 1.0)), 0.0)
    torque = np.where(moving, 3.3 * np.sin(w * (t - 1.0) - 0.3 + phase), 0.0)
    found = weave(t, ay, angle, torque, 0.2, 1.0)
    # readings between rows 0.01 s apart: (w h)²/8 of the amplitudes
    assert value(found, "hand_torque_at_0g") == pytest.approx(3.3 * abs(math.sin(phase)), rel=2e-3)
    at = math.asin(OUT / 2.1)
    assert value(found, "hand_torque_at_0_1g") == pytest.approx(3.3 * abs(math.sin(at + phase)), rel=2e-3)
    assert value(found, "steering_hysteresis") == pytest.approx(width(3.3, phase, 2.1), rel=2e-3)
    assert value(found, "steering_hysteresis_angle") == pytest.approx(math.degrees(width(0.3, 0.3, 2.1)), rel=2e-3)
    assert value(found, "ay_at_no_torque") == pytest.approx(2.1 * abs(math.sin(phase)), rel=2e-3)
    stiffness = 3.3 * math.cos(phase) / 2.1 / (0.3 * math.cos(0.3) / 2.1)  # N.m/rad
    assert value(found, "steering_stiffness") == pytest.approx(math.radians(stiffness), rel=0.03)
    # slopes of both branches at the centre have the mean of in-phase parts; lines over ±0.05 g add 1 % of curvature
    assert value(found, "hand_torque_gradient") == pytest.approx(3.3 * math.cos(phase) / 2.1 * GRAVITY, rel=0.02)
    assert value(found, "steering_sensitivity") == pytest.approx(2.1 / (0.3 * math.cos(0.3)) / GRAVITY, rel=0.02)
    # of both branches the mean is the same there: cos(φ ± 0.3)/cos φ; of lines over ±0.05 g on curves that bend more
    assert value(found, "steering_sensitivity_at_0_1g") == pytest.approx(
        2.1 / (0.3 * math.cos(0.3)) / GRAVITY, rel=0.04
    )


def test_too_little_has_no_figures() -> None:
    t = np.arange(0.0, 26.0, 0.01)
    small = np.sin(2 * math.pi * 0.2 * (t - 1.0))
    found = weave(t, small, small, small, 0.2, 1.0)
    assert math.isnan(value(found, "steering_hysteresis")) and any("does not reach" in text for text in found.warnings)
    found = weave(t[:800], small[:800], small[:800], small[:800], 0.2, 1.0)
    assert any("cycles" in text for text in found.warnings)


@pytest.mark.slow
def test_without_friction_a_car_has_the_hysteresis_of_its_linear_model() -> None:
    vehicle = without_friction(with_steering("sedan", friction=1e-6, straight=True))
    run = jn.run(vehicle, jn.events.Weave(end_time=21.0, amplitude="10.5 deg"), interval=0.01)
    names = ("Steering_System.Steering_Wheel_Torque", "System_Mass_Center.Tracking_Ay")
    description = car.describe(vehicle)
    sim = car.simulation(description)
    settle(sim, description)
    run_steadily(sim, description, 100 / 3.6)
    given = ["steering_wheel", "steering_wheel.rate", "steering_wheel.acceleration"]
    model = car.lineariser(description, given, names).at(sim)
    h = model.response([0.2])[0]
    w = 2 * math.pi * 0.2
    torque, ay = (math.radians(10.5) * (h[i, 0] + 1j * w * h[i, 1] - w * w * h[i, 2]) for i in range(2))
    phase = float(np.angle(torque / ay))
    expected = width(abs(torque), phase, abs(ay))
    assert run.kpis["steering_hysteresis"][0] == pytest.approx(expected, rel=0.02)
    assert run.kpis["hand_torque_at_0g"][0] == pytest.approx(abs(torque) * abs(math.sin(phase)), rel=0.02)
