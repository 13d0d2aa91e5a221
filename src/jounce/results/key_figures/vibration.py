"""Vibration as people feel it (ISO 2631-1), power spectra, and how they pass from one place to another.

The frequency weightings of ISO 2631-1 are products of four transfer functions, with ω_i = 2π f_i and the numbers of its
annex A (`WEIGHTINGS`):

    H_h = s²/(s² + ω₁ s/Q₁ + ω₁²)                          high pass, Q₁ = 1/√2                                     (1)
    H_l = ω₂²/(s² + ω₂ s/Q₂ + ω₂²)                         low pass, Q₂ = 1/√2                                      (2)
    H_t = (1 + s/ω₃)/(1 + s/(Q₄ω₄) + s²/ω₄²)               from acceleration to velocity                            (3)
    H_s = (ω₅/ω₆)² (1 + s/(Q₅ω₅) + s²/ω₅²)/(1 + s/(Q₆ω₆) + s²/ω₆²)    the step upwards                              (4)

The numbers and the tables that the tests compare with are also those of the filters and their tests in Project Chrono.

A record is weighted in the frequency domain, by H(iω) itself at every line of its transform, with as many zeros behind
it as it is long: there is no warping of frequencies as a digital filter has it, and nothing runs around the end. Of the
weighted acceleration a_w over the time T,

    a_w,rms = √(1/T ∫a_w² dt),   VDV = (∫a_w⁴ dt)^¼,   crest factor = max|a_w|/a_w,rms                              (5)
    MTVV = max over t of √(1/τ ∫ a_w²(ξ) e^((ξ - t)/τ) dξ),   τ = 1 s  (exponential averaging, annex of clause 6.3)  (6)
    a_v = √(k_x² a_wx² + k_y² a_wy² + k_z² a_wz²)                                                                   (7)

A seat is, where one is asked for, a person on a spring and a damper on the floor, and adds in the vertical

    H_seat = (2ζω₀ s + ω₀²)/(s² + 2ζω₀ s + ω₀²)                                                                     (8)

The floor does not feel the person on it in (8): his mass is a part of the body's. Power spectra are one-sided means
over overlapping sections (Welch, Hann), so that their integral is the variance; transmissibility is √(S_yy/S_xx).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.results.signals import Array, sample_step

Complex = npt.NDArray[np.complex128]
Weighting = Literal["Wk", "Wd", "Wf", "Wc", "We", "Wj"]

MOST = 80.0  # Hz, of what ISO 2631-1 looks at; a record must resolve it
RUNNING = 1.0  # s, τ of (6)


@dataclass(frozen=True)
class Corners:
    """Numbers of a weighting: frequencies in Hz and quality factors; inf: the factor is 1."""

    f1: float
    f2: float
    f3: float
    f4: float
    q4: float
    f5: float = math.inf
    q5: float = 1.0
    f6: float = math.inf
    q6: float = 1.0


WEIGHTINGS: Mapping[str, Corners] = {  # ISO 2631-1:1997, tables A.1 and A.2
    "Wk": Corners(0.4, 100.0, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91),
    "Wd": Corners(0.4, 100.0, 2.0, 2.0, 0.63),
    "Wf": Corners(0.08, 0.63, math.inf, 0.25, 0.86, 0.0625, 0.80, 0.1, 0.80),
    "Wc": Corners(0.4, 100.0, 8.0, 8.0, 0.63),
    "We": Corners(0.4, 100.0, 1.0, 1.0, 0.63),
    "Wj": Corners(0.4, 100.0, math.inf, math.inf, 1.0, 3.75, 0.91, 5.32, 0.91),
}


def weighting(kind: Weighting, frequency: npt.ArrayLike) -> Complex:
    """The transfer function of a weighting at frequencies in Hz, complex: (1) … (4)."""
    if kind not in WEIGHTINGS:
        raise ParameterError(f"weighting {kind!r}: unknown; ISO 2631-1 has {', '.join(get_args(Weighting))}")
    c = WEIGHTINGS[kind]
    s = 2j * math.pi * np.asarray(frequency, dtype=np.float64)
    w1, w2, w3, w4, w5, w6 = (2 * math.pi * f for f in (c.f1, c.f2, c.f3, c.f4, c.f5, c.f6))
    result = s * s / (s * s + math.sqrt(2.0) * w1 * s + w1 * w1)  # (1)
    result = result / (1 + math.sqrt(2.0) * s / w2 + (s / w2) ** 2)  # (2)
    result = result * (1 + s / w3) / (1 + s / (c.q4 * w4) + (s / w4) ** 2)  # (3)
    if math.isfinite(c.f5):  # (4)
        rise = (1 + s / (c.q5 * w5) + (s / w5) ** 2) / (1 + s / (c.q6 * w6) + (s / w6) ** 2)
        result = result * rise * (c.f5 / c.f6) ** 2
    return np.asarray(result, dtype=np.complex128)


def seat(frequency: npt.ArrayLike, natural: float, damping: float) -> Complex:
    """The transfer function from floor to person (8) at frequencies in Hz."""
    r = np.asarray(frequency, dtype=np.float64) / natural
    return np.asarray((1 + 2j * damping * r) / (1 - r * r + 2j * damping * r), dtype=np.complex128)


def passed(time: Array, values: Array, response: object) -> Array:
    """A signal, without its mean, after a transfer function: ``response`` of frequencies in Hz."""
    step = sample_step(time)
    count = len(values)
    length = 2 ** math.ceil(math.log2(2 * count))
    spectrum = np.fft.rfft(values - np.mean(values), length)
    result: Array = np.fft.irfft(spectrum * response(np.fft.rfftfreq(length, step)), length)[:count]  # type: ignore[operator]
    return result


def weighted(time: Array, values: Array, kind: Weighting) -> Array:
    """An acceleration with a weighting."""
    _resolved(time)
    return passed(time, values, lambda f: weighting(kind, f))


def _resolved(time: Array) -> None:
    step = sample_step(time)
    if 0.5 / step < MOST:
        raise ParameterError(
            f"rows are {1e3 * step:g} ms apart: the weightings of ISO 2631-1 reach {MOST:g} Hz and need rows at most "
            f"{0.5e3 / MOST:g} ms apart"
        )


def rms(values: Array) -> float:
    """Root of the mean square (5)."""
    return float(np.sqrt(np.mean(np.square(values))))


def dose(time: Array, values: Array) -> float:
    """Vibration dose value (5), m/s^1.75 of an acceleration in m/s²."""
    return math.sqrt(math.sqrt(float(np.sum(values**4)) * sample_step(time)))


def largest_running(time: Array, values: Array, over: float = RUNNING) -> float:
    """Maximum transient vibration value (6): the largest running rms."""
    from scipy import signal

    keep = math.exp(-sample_step(time) / over)  # exact for values that are held over a row
    mean = signal.lfilter([1.0 - keep], [1.0, -keep], np.square(values))
    return float(np.sqrt(np.max(mean)))


def total(rms_values: Mapping[str, float], factors: Mapping[str, float] | None = None) -> float:
    """Vibration total value (7) of weighted rms values by axis."""
    return math.sqrt(math.fsum(((factors or {}).get(axis, 1.0) * value) ** 2 for axis, value in rms_values.items()))


@dataclass(frozen=True)
class Sections:
    """How power spectra are averaged: rows of a section, share of overlap, rows of its transform (0: as many)."""

    rows: int
    overlap: float = 0.5
    transform: int = 0


def sections(time: Array, resolution: float) -> Sections:
    """Sections for lines a resolution (Hz) apart, or as near as half of a record allows."""
    return Sections(int(min(max(8, round(1.0 / (resolution * sample_step(time)))), max(8, len(time) // 2))))


def power(time: Array, values: Array, how: Sections) -> tuple[Array, Array]:
    """One-sided power spectral density: frequencies in Hz, unit²/Hz; its integral is the variance."""
    frequency, found = cross_power(time, values, values, how)
    return frequency, np.asarray(found.real, dtype=np.float64)


def cross_power(time: Array, x: Array, y: Array, how: Sections) -> tuple[Array, Complex]:
    """One-sided cross spectral density S_xy of x and y."""
    from scipy import signal

    if len(time) < how.rows:
        raise ParameterError(f"a record of {len(time)} rows has no section of {how.rows}")
    frequency, found = signal.csd(
        x,
        y,
        fs=1.0 / sample_step(time),
        window="hann",
        nperseg=how.rows,
        noverlap=int(how.overlap * how.rows),
        nfft=max(how.transform, how.rows),
        detrend="constant",
    )
    return frequency, np.asarray(found, dtype=np.complex128)


def transmissibility(time: Array, x: Array, y: Array, how: Sections) -> tuple[Array, Array]:
    """√(S_yy/S_xx) where x has any power: that of y over that of x, whatever else shakes y."""
    frequency, below = power(time, x, how)
    above = power(time, y, how)[1]
    known = below > 1e-12 * np.max(below)
    known[0] = False
    return frequency[known], np.sqrt(above[known] / below[known])
