"""Drop: key figures of signals whose answer is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.events.library.drop import drop
from result_runs import step_response, value


def test_drop_of_a_sprung_mass() -> None:
    t = np.arange(0, 8, 0.002)
    z = 0.5 + 0.08 * (1 - step_response(t, 0.5, 1.25, 0.3))
    found = drop(t, z)
    root = math.sqrt(1 - 0.09)
    assert value(found, "heave_frequency") == pytest.approx(1.25 * root, rel=0.01)
    assert value(found, "heave_damping") == pytest.approx(0.3, rel=0.01)
    assert value(found, "heave_overshoot") == pytest.approx(100 * math.exp(-math.pi * 0.3 / root), rel=1e-3)
    assert value(found, "heave_fall") == pytest.approx(80, rel=1e-3)
    outside = np.flatnonzero(np.abs(z - 0.5) > 0.05 * 0.08)
    assert value(found, "heave_settling") == pytest.approx(t[outside[-1]], abs=0.0025)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_where_a_car_let_go_comes_to_rest(side: float) -> None:
    """Also where it rises; times count from the start."""
    t = np.arange(0, 8, 0.002)
    step = step_response(t, 0.5, 1.25, 0.3)
    found = drop(t, 0.5 - side * 0.08 * step, pitch=side * 0.03 * step, start=0.5)
    assert value(found, "heave_fall") == pytest.approx(side * 80, rel=1e-3)
    assert found["pitch_rest"] == (pytest.approx(side * math.degrees(0.03), rel=1e-3), "deg")
    outside = np.flatnonzero(np.abs(step - 1) > 0.05)
    assert value(found, "heave_settling") == pytest.approx(t[outside[-1]] - 0.5, abs=0.0025)


def test_drop_of_an_overdamped_mass_is_nan_with_a_warning() -> None:
    t = np.arange(0, 8, 0.01)
    found = drop(t, 0.5 + 0.08 * np.exp(-3 * t))
    assert math.isnan(value(found, "heave_damping"))
    assert any("too few extremes" in text for text in found.warnings)
