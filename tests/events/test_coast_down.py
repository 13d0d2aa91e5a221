"""Coast-down: key figures of signals whose answer is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce as jn
from cars import compact
from drivelines import RWD
from jounce import events
from jounce.core.constants import GRAVITY
from jounce.events.library.coast_down import coast_down
from result_runs import value


def coasting(a: float, c: float, m: float, v0: float, t: np.ndarray) -> np.ndarray:
    """Closed form of m dv/dt = −(a + c v²)."""
    w = math.sqrt(a * c) / m
    return math.sqrt(a / c) * np.tan(np.arctan(v0 * math.sqrt(c / a)) - w * t)


def test_coast_down_recovers_the_road_load() -> None:
    a, c, m = 150.0, 0.40, 1700.0
    t = np.arange(0, 120, 0.05)
    v = coasting(a, c, m, 35.0, t)
    found = coast_down(t, v, m, mass=1600.0, air_density=1.2)
    assert value(found, "road_load_a") == pytest.approx(a, rel=1e-4)
    assert abs(value(found, "road_load_b")) < 0.01
    assert value(found, "road_load_c") == pytest.approx(c, rel=1e-4)
    assert value(found, "drag_area") == pytest.approx(2 * c / 1.2, rel=1e-4)
    assert value(found, "rolling_resistance") == pytest.approx(1000 * a / (1600 * GRAVITY), rel=1e-4)
    assert value(found, "road_load_80") == pytest.approx(a + c * (80 / 3.6) ** 2, rel=1e-4)


def test_the_standard_error_of_a_road_load_is_that_of_its_noise() -> None:
    """Of 2400 speeds with a noise of σ: m σ over the time, within three times (2 n)^-1/2."""
    t, m, sigma = np.arange(0, 120, 0.05), 1700.0, 0.02
    v = coasting(150.0, 0.40, m, 35.0, t)
    assert value(coast_down(t, v, m), "road_load_error") < 0.01
    noise = np.random.default_rng(4).normal(0.0, sigma, len(t))
    noise[0] = 0.0
    found = coast_down(t, v + noise, m)
    assert found["road_load_error"] == (pytest.approx(m * sigma / float(t[-1]), rel=0.045), "N")


def test_coast_down_over_a_narrow_range_is_refused() -> None:
    t = np.arange(0, 5, 0.05)
    found = coast_down(t, coasting(150.0, 0.4, 1700.0, 35.0, t), 1700.0)
    assert math.isnan(value(found, "road_load_a"))
    assert any("only" in text for text in found.warnings)
    assert math.isnan(value(coast_down(t, 30 - t, math.nan), "road_load_c"))


@pytest.mark.slow
def test_a_car_with_a_driveline_coasts_in_neutral() -> None:
    """Drag area of the data within 3 %, and no brake by the engine: rolling resistance as that of the ideal drive."""
    car = compact()
    geared = car.with_(drive={}, driveline=RWD)
    event = events.CoastDown(end_speed="40 km/h", speed="120 km/h")
    ideal, found = (jn.run(item, event) for item in (car, geared))
    assert found["Clutch.torque"][-1] == pytest.approx(0.0, abs=1e-6)
    for name in ("rolling_resistance", "drag_area", "road_load_80"):
        assert found.kpis[name][0] == pytest.approx(ideal.kpis[name][0], rel=0.03), name
