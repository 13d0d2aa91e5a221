"""Steering release: key figures of signals whose answer is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.events.library.steering_release import steering_release
from result_runs import DEG, value


@pytest.mark.parametrize("damping", [0.1, 0.3, 0.5])
def test_release_of_the_steering_wheel(damping: float) -> None:
    t = np.arange(0, 20, 0.005)
    w0 = 2 * math.pi * 0.9
    wd = w0 * math.sqrt(1 - damping**2)
    tau = np.maximum(t - 5, 0.0)
    shape = np.exp(-damping * w0 * tau) * (np.cos(wd * tau) + damping * w0 / wd * np.sin(wd * tau))
    found = steering_release(t, 5.0, yaw_rate=-0.25 * shape)
    assert value(found, "release_yaw_rate_damping") == pytest.approx(damping, rel=0.01)
    assert value(found, "release_yaw_rate_frequency") == pytest.approx(wd / (2 * math.pi), rel=0.01)
    root = math.sqrt(1 - damping**2)
    assert value(found, "release_yaw_rate_overshoot") == pytest.approx(
        100 * math.exp(-math.pi * damping / root), rel=1e-3
    )
    outside = np.flatnonzero(np.abs(shape) > 0.05)
    assert value(found, "release_yaw_rate_settling") == pytest.approx(t[outside[-1]] - 5, abs=0.006)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_where_each_signal_comes_to_rest(side: float) -> None:
    t = np.arange(0, 20, 0.005)
    falls = np.exp(-2.0 * np.maximum(t - 5, 0.0))
    found = steering_release(
        t,
        5.0,
        yaw_rate=side * (0.25 * falls + 0.004),
        lateral_acceleration=side * (3.0 * falls - 0.05),
        steering=side * (0.6 * falls + 0.02),
    )
    for name, rest, unit in (
        ("yaw_rate", 0.004 / DEG, "deg/s"),
        ("ay", -0.05, "m/s2"),
        ("steering", 0.02 / DEG, "deg"),
    ):
        assert found[f"release_{name}_rest"] == (pytest.approx(side * rest, rel=1e-9), unit)
        assert found[f"release_{name}_overshoot"] == (0.0, "%")
    # each settles to five per cent of what it was at the release, about where it comes to rest
    for name, size, rest in (("yaw_rate", 0.25, 0.004), ("ay", 3.0, -0.05), ("steering", 0.6, 0.02)):
        settled = 0.5 * math.log(size / (0.05 * (size + rest)))
        assert found[f"release_{name}_settling"] == (pytest.approx(settled, abs=1e-4), "s")


def test_figures_that_cannot_be_told_have_the_unit_of_those_that_can() -> None:
    t = np.arange(0, 20, 0.01)
    swinging = np.where(t < 5, 0.2, 0.2 * np.cos(3 * (t - 5)))
    found = steering_release(t, 5.0, yaw_rate=swinging)
    told = steering_release(t, 5.0, yaw_rate=np.where(t < 5, 0.2, 0.2 * np.exp(-(t - 5))))
    assert {name: unit for name, (_, unit) in found.items()} == {name: told[name][1] for name in found}
    assert math.isnan(value(found, "release_yaw_rate_overshoot"))


def test_release_of_a_car_that_does_not_return() -> None:
    t = np.arange(0, 20, 0.01)
    swinging = np.where(t < 5, 0.2, 0.2 * np.cos(3 * (t - 5)))
    found = steering_release(t, 5.0, yaw_rate=swinging)
    assert math.isnan(value(found, "release_yaw_rate_settling"))
    creeping = np.where(t < 5, 0.2, 0.2 * np.exp(-(t - 5)))
    found = steering_release(t, 5.0, yaw_rate=creeping)
    assert value(found, "release_yaw_rate_overshoot") == 0.0
    assert value(found, "release_yaw_rate_settling") == pytest.approx(math.log(20), abs=0.01)
    assert math.isnan(value(found, "release_yaw_rate_damping"))
