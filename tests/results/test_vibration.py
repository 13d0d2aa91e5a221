"""Weightings of ISO 2631-1, their figures, spectra: against the printed tables and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.results.key_figures import ride, vibration
from jounce.results.key_figures.vibration import Sections

# ISO 2631-1:1997, table 3: W_k and W_d (x 1000) at the nominal frequencies of third-octave bands. The test of the
# filters in Project Chrono (utest of ChISO2631) has the same numbers, and those below and above, from ISO 8041.
NOMINAL = [0.5, 0.63, 0.8, 1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8, 10, 12.5, 16, 20, 25, 31.5, 40, 50, 63, 80]
WK = [418, 459, 477, 482, 484, 494, 531, 631, 804, 967, 1039, 1054, 1036, 988, 902, 768, 636, 513, 405, 314, 246, 186,
      132]  # fmt: skip
WD = [853, 944, 992, 1011, 1008, 968, 890, 776, 642, 512, 409, 323, 253, 202, 161, 125, 100, 80, 63.2, 49.4, 38.8, 29.5,
      21.1]  # fmt: skip
WF = {0.1: 695, 0.125: 895, 0.16: 1006, 0.2: 992, 0.25: 854, 0.315: 619, 0.4: 384, 0.5: 224}


@pytest.mark.parametrize(("kind", "printed"), [("Wk", WK), ("Wd", WD)])
def test_weightings_are_those_of_the_standard(kind: vibration.Weighting, printed: list[float]) -> None:
    f = np.array(NOMINAL)
    found = 1000 * np.abs(vibration.weighting(kind, f))
    # the table is rounded to three digits (0.3 % of 0.132). It prints W_d at 10 Hz as 212, which is 202 by its own
    # formula and in ISO 8041. The standard lets real filters differ by 1 dB.
    assert found == pytest.approx(np.array(printed), rel=0.004)


def test_weightings_go_on_beyond_the_bands_as_the_filters_do() -> None:
    """At 10^(n/10) Hz, which third-octave bands stand for; nominal frequencies are 1 % beside, gains there 3 %."""
    low = 10 ** (np.arange(-10, -3) / 10)
    high = 10 ** (np.arange(20, 27) / 10)
    wk = [31.2, 48.6, 79, 121, 182, 263, 352], [88.7, 54, 28.5, 15.2, 7.9, 3.98, 1.95]
    wd = [62.4, 97.3, 158, 243, 365, 530, 713], [14.1, 8.63, 4.55, 2.43, 1.26, 0.64, 0.31]
    for kind, (below, above) in (("Wk", wk), ("Wd", wd)):
        for f, printed in ((low, below), (high, above)):
            found = 1000 * np.abs(vibration.weighting(kind, f))  # type: ignore[arg-type]
            assert found == pytest.approx(np.array(printed), rel=0.03, abs=0.006)


def test_motion_sickness_is_weighted_as_printed() -> None:
    f = np.array([*WF])
    assert 1000 * np.abs(vibration.weighting("Wf", f)) == pytest.approx(np.array([*WF.values()]), rel=0.004)


@pytest.mark.parametrize(("f", "step"), [(1.0, 0.002), (8.0, 0.002), (31.5, 0.005), (63.0, 0.001)])
def test_a_sine_is_weighted_by_its_gain_and_phase(f: float, step: float) -> None:
    """Also near half of the sampling rate, where a digital filter would be warped."""
    t = np.arange(0.0, 40.0, step)
    found = vibration.weighted(t, 1.3 * np.sin(2 * math.pi * f * t), "Wk")
    h = complex(vibration.weighting("Wk", f))
    middle = (t > 10) & (t < 30)  # the high pass of 0.4 Hz has forgotten its start by e^(-17)
    meant = 1.3 * abs(h) * np.sin(2 * math.pi * f * t + np.angle(h))
    # 0.2 %: the sine is cut to a record, whose spectrum beyond half of the sampling rate folds back
    assert np.max(np.abs(found - meant)[middle]) < 2e-3 * 1.3


def test_dose_and_running_value_of_a_burst() -> None:
    t = np.arange(0.0, 20.0, 0.001)
    a = np.where((t >= 5) & (t < 7), 2.0 * np.sin(2 * math.pi * 10 * t), 0.0)
    # mean of sin^4 is 3/8: VDV^4 = 2^4 3/8 2 s
    assert vibration.dose(t, a) == pytest.approx((16 * 3 / 8 * 2) ** 0.25, rel=1e-4)
    # after 2 s of mean square 2 the running mean is 2 (1 - e^-2), rippling by 1/(2 w tau) at most
    assert vibration.largest_running(t, a) == pytest.approx(math.sqrt(2 * (1 - math.exp(-2))), rel=1 / (40 * math.pi))
    assert vibration.rms(a) == pytest.approx(math.sqrt(2 * 2 / 20), rel=1e-4)
    assert vibration.total({"x": 3.0, "y": 4.0}, {"x": 2.0}) == pytest.approx(math.sqrt(36 + 16))


def test_a_seat_passes_its_resonance_and_nothing_fast() -> None:
    f0, zeta = 1.8, 0.25
    at = np.array([0.0, f0, 1e4])
    found = np.abs(vibration.seat(at, f0, zeta))
    assert found[0] == 1.0
    assert found[1] == pytest.approx(math.sqrt(1 + 4 * zeta**2) / (2 * zeta), rel=1e-12)  # closed form at r = 1
    assert found[2] == pytest.approx(2 * zeta * f0 / 1e4, rel=1e-3)  # the damper alone
    t = np.arange(0.0, 60.0, 0.005)
    noise = np.random.default_rng(3).normal(size=len(t))
    rigid = ride.comfort(t, {"z": noise})
    soft = ride.comfort(t, {"z": noise}, natural=f0, damping=zeta)
    assert soft["seat_factor"][0] == pytest.approx(soft["seat_aw_z"][0] / rigid["seat_aw_z"][0], rel=1e-12)
    f = np.linspace(0.05, 100, 40000)  # closed form: |W|²|S|² over |W|² of white noise
    w = np.abs(vibration.weighting("Wk", f)) ** 2
    meant = math.sqrt(np.sum(w * np.abs(vibration.seat(f, f0, zeta)) ** 2) / np.sum(w))
    # of a record of T = 60 s with a resonance of bandwidth B = 2 zeta f0: spread of the rms 1/(2 sqrt(B T)) = 7 %
    assert soft["seat_factor"][0] == pytest.approx(meant, rel=0.1)


def test_the_spectrum_of_white_noise_is_its_variance_over_the_band() -> None:
    rng = np.random.default_rng(11)
    step, sigma = 0.004, 1.7
    x = rng.normal(scale=sigma, size=200_000)
    t = step * np.arange(len(x))
    f, density = vibration.power(t, x, Sections(512))
    # one-sided: 2 sigma² step; 780 sections with half overlap: spread of a line some 4 %, of the mean of 250 0.3 %
    assert np.mean(density[2:-2]) == pytest.approx(2 * sigma**2 * step, rel=0.01)
    assert np.sum(density) * (f[1] - f[0]) == pytest.approx(sigma**2, rel=0.01)
    padded = vibration.power(t, x, Sections(400, 0.75, 512))
    assert len(padded[0]) == 257
    assert np.mean(padded[1][2:-2]) == pytest.approx(2 * sigma**2 * step, rel=0.01)


def test_transmissibility_of_a_gain_and_of_a_delay() -> None:
    rng = np.random.default_rng(5)
    t = 0.005 * np.arange(40_000)
    x = rng.normal(size=len(t))
    found = vibration.transmissibility(t, x, -2.5 * np.roll(x, 3), Sections(256))[1]
    assert found == pytest.approx(2.5, rel=0.05)  # the delay moves 3 of 256 rows out of a section


def test_loads_of_wheels() -> None:
    t = np.arange(0.0, 10.0, 0.01)
    loads = {"L1": 4000 + 400 * np.sin(2 * math.pi * t), "R1": 3000 + 1500 * math.sqrt(2) * np.sin(4 * math.pi * t)}
    loads["L3"] = np.where(t < 1.0, -0.0, 5000.0)
    found = ride.contact(loads)
    assert found["load_variation_L1"][0] == pytest.approx(100 * 0.1 / math.sqrt(2), rel=1e-6)
    assert found["load_variation_R1"][0] == pytest.approx(50.0, rel=1e-6)
    assert found["load_variation"][0] == found["load_variation_R1"][0]
    assert found["load_least"][0] == 0.0
    assert found["load_off"][0] == pytest.approx(10.0)
    assert math.isnan(ride.contact({"L1": loads["L1"], "R1": np.zeros(5)})["load_variation"][0])


def test_what_cannot_be_weighted_is_told() -> None:
    t = np.arange(0.0, 10.0, 0.01)
    with pytest.raises(ParameterError, match=r"rows are 10 ms apart.*6\.25 ms"):
        vibration.weighted(t, np.sin(t), "Wk")
    with pytest.raises(ParameterError, match="'Wq': unknown"):
        vibration.weighting("Wq", [1.0])  # type: ignore[arg-type]
    found = ride.comfort(t, {"z": np.sin(t)})
    assert math.isnan(found["seat_aw_z"][0])
    assert "10 ms" in found.warnings[0]
