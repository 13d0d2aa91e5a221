"""Key figures of anything: sensors that are unplugged, cars that spin, runs that failed."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.events.library.coast_down import coast_down
from jounce.events.library.drop import drop
from jounce.events.library.sine_with_dwell import sine_with_dwell
from jounce.events.library.steering_release import steering_release
from jounce.events.library.step_steer import step_steer
from jounce.events.library.straight_acceleration import acceleration
from jounce.results.key_figures.braking import braking
from jounce.results.key_figures.frequency import steering_response
from jounce.results.key_figures.steady_state import steady_state


def anything(rng: np.random.Generator, t: np.ndarray) -> np.ndarray:
    """A signal as it may come from a sensor that is unplugged, a car that spins or a run that failed."""
    kind = rng.integers(8)
    if kind == 0:
        return np.zeros_like(t)
    if kind == 1:
        return np.full_like(t, rng.standard_normal())
    if kind == 2:
        return rng.standard_normal(len(t))
    if kind == 3:
        return rng.standard_normal() * (t > t[-1] * rng.random())
    if kind == 4:
        return rng.standard_normal() * t + rng.standard_normal()
    if kind == 5:
        return np.where(rng.random(len(t)) < 0.1, np.nan, t)
    if kind == 6:
        return 1e12 * np.sin(rng.random() * 20 * t)
    return np.sin(rng.random() * 20 * t) * np.exp(-t)


@pytest.mark.parametrize("seed", range(60))
def test_no_signal_makes_a_key_figure_crash(seed: int) -> None:
    rng = np.random.default_rng(seed)
    t = np.linspace(0, rng.choice([0.05, 3.0, 20.0]), rng.choice([2, 3, 7, 60, 600]))

    def x() -> np.ndarray:
        return anything(rng, t)

    named = {"yaw_rate": x(), "lateral_acceleration": x()}
    results = [
        step_steer(t, x(), **named, roll=x(), side_slip=x(), speed=x()),
        steady_state(t, x(), x(), x(), yaw_rate=x(), roll=x(), side_slip=x(), steering_ratio=15, wheelbase=2.8),
        braking(t, x(), brake=x(), longitudinal_acceleration=x(), pitch=x(), nominal_speed=30.0),
        acceleration(t, x(), throttle=x(), longitudinal_acceleration=x(), pitch=x()),
        coast_down(t, x(), 1500.0, mass=1400.0, air_density=1.2),
        steering_release(t, float(t[len(t) // 3]), **named, steering=x()),
        sine_with_dwell(t, x(), x(), x=x(), y=x()),
        drop(t, x(), pitch=x()),
        steering_response(t, x(), **named),
        steering_response(t, x(), **named, method="random"),
    ]
    for figures in results:
        for name, (number, unit) in figures.items():
            assert isinstance(number, float), name
            assert unit
