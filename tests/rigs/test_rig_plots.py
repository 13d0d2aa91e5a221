"""Pictures of rig tests: what they mark is what the numbers say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.results.run import Run
from jounce.rigs.rig_plots import _styles, event_span, first_order, relaxation_point
from jounce.rigs.tire_plots import rig_figure

SIGMA, SPEED, STIFFNESS = 0.5, 10.0, 6e4


def run(label: str, time: np.ndarray, load: float = 4000.0, kind: str = "tire-free-input", **more: np.ndarray) -> Run:
    """A result as the rig makes it, with the channels that pictures ask for."""
    zero = np.zeros_like(time)
    data = {
        "tire.fz": zero + load, "tire.fx": zero, "tire.fy": zero, "tire.mz": zero, "tire.mx": zero, "tire.my": zero,
        "tire.slip": zero, "tire.slip_angle": zero, "wheel.spin": zero + 30.0, "hub.x": SPEED * time, **more,
    }  # fmt: skip
    about = {
        "label": label,
        "vehicle": {"name": "mine"},
        "event": {
            "kind": kind,
            "name": "test",
            "parameters": {"speed": [SPEED, "m/s"], "highest_frequency": [8.0, "Hz"]},
        },
        "status": "complete",
    }
    return Run(time, data, dict.fromkeys(data, "-"), about)


def step() -> Run:
    time = np.linspace(0.0, 12 * SIGMA / SPEED, 4001)
    return run("relaxation", time, **{"tire.fy": 60.0 - 50.0 * np.exp(-SPEED * time / SIGMA)})


def test_the_length_is_marked_where_the_force_has_63_percent() -> None:
    length, force = relaxation_point(step())
    # the last value is short of the limit by exp(-12)
    assert length == pytest.approx(SIGMA, rel=1e-4)
    assert force == pytest.approx(60 - 50 * math.exp(-1), rel=1e-4)
    axis = rig_figure([step()]).axes[0]
    marks = [line for line in axis.lines if line.get_marker() == "o"]
    assert marks[0].get_xdata()[0] == pytest.approx(SIGMA, rel=1e-4)
    assert axis.texts[0].get_text() == "σ = 0.5 m"
    assert axis.get_ylabel() == "Fy, N"  # small forces


def test_a_lag_of_first_order_is_found_from_its_gain() -> None:
    f = np.linspace(0.3, 9.0, 40)
    gain = STIFFNESS / np.hypot(1.0, 2 * np.pi * f * SIGMA / SPEED)
    lag = first_order(f, gain, SPEED)
    assert lag.stiffness == pytest.approx(STIFFNESS, rel=1e-9)
    assert lag.length == pytest.approx(SIGMA, rel=1e-9)
    assert np.interp(lag.bandwidth, f, gain) == pytest.approx(STIFFNESS / math.sqrt(2), rel=2e-3)
    assert math.isnan(first_order(f, gain[::-1], SPEED).length)


def test_a_frequency_response_shows_gain_and_phase_over_frequency() -> None:
    time = np.arange(0.0, 40.0, 0.002)
    alpha = 0.01 * np.sin(2 * np.pi * (0.1 * time + 0.5 * 7.9 / 40 * time**2))
    fy, lag = np.zeros_like(time), SIGMA / SPEED
    for k in range(1, len(time)):  # σ/v Fy' + Fy = -K α, exact for a slip angle that is linear within a step
        e = math.exp(-0.002 / lag)
        a, b = alpha[k - 1], alpha[k]
        slope = (b - a) / 0.002
        fy[k] = e * fy[k - 1] - STIFFNESS * (b - slope * lag - e * (a - slope * lag))
    swept = run("frequency_response", time, **{"tire.slip_angle": alpha, "tire.fy": fy})
    gain, phase, *_ = rig_figure([swept]).axes
    f, size = gain.lines[0].get_data()
    # as in the test of the rig: a band of 0.2 Hz
    use = (f > 0.8) & (f < 7.0)
    assert np.allclose(size[use] * np.hypot(1, 2 * np.pi * f[use] * lag), STIFFNESS / 1e3, rtol=0.01)
    turned = phase.lines[0].get_ydata()
    assert np.allclose(turned[use], -np.degrees(np.arctan(2 * np.pi * f[use] * lag)), atol=1.0)
    text = gain.figure.legends[0].get_texts()[0].get_text()
    assert "σ = 0.5 m" in text
    assert "bandwidth 3.1" in text  # v/(2π σ) = 3.18 Hz


def test_a_cleat_is_shown_where_it_is() -> None:
    time = np.linspace(0.0, 6.0, 6001)
    bump = 2000.0 * np.exp(-(((SPEED * time - 50.0) / 0.05) ** 2))
    over = run("cleat", time, kind="tire-z-locked", **{"tire.fz": 4000.0 + bump})
    low, high = event_span([over])
    # one percent is left at sqrt(ln 100) of the width, and half a metre is shown around
    assert low == pytest.approx(50 - 0.05 * math.sqrt(math.log(100)) - 0.5, abs=0.011)
    assert high == pytest.approx(50 + 0.05 * math.sqrt(math.log(100)) + 0.5, abs=0.011)
    shown = rig_figure([over]).axes[0].lines[0].get_xdata()
    assert shown.min() >= low and shown.max() <= high


def test_legends_cover_nothing_and_lines_differ() -> None:
    time = np.linspace(0.0, 1.0, 11)
    alpha = np.linspace(-0.2, 0.2, 11)
    runs = [
        run(f"lateral_{k}", time, 100.0 * k, "tire-lateral", **{"tire.slip_angle": alpha, "tire.fy": -500 * k * alpha})
        for k in range(1, 31)
    ]
    figure = rig_figure(runs)
    assert not [axis for axis in figure.axes if axis.get_legend() is not None]
    texts = [t.get_text() for t in figure.legends[0].get_texts()]
    assert len(texts) == 24
    assert texts[-1] == "… 7 more"
    assert len(set(_styles(24))) == 24
    spin = figure.axes[5]
    assert spin.get_ylim()[0] > 25  # the range of the data, not from 0 on
    assert figure.axes[0].get_ylabel() == "Fy, kN"
    with pytest.raises(ParameterError, match="no runs"):
        rig_figure([])
