"""Frequency response to the steering wheel, after ISO 7401: gain, phase and coherence from sweep, impulse or noise.

With the cross spectrum S_uy of steering u and answer y and the power spectrum S_uu,

    H(f) = S_uy / S_uu,   coherence γ² = |S_uy|² / (S_uu S_yy)                                                     (1)

For noise the spectra are means over overlapping sections of the record (Welch). A sweep or an impulse is one event and
has no sections: there the spectra of the whole record are averaged over neighbouring frequencies instead.

    bandwidth          where the gain has fallen by 3 dB from that at the lowest frequency
    equivalent time    1/(2π f) at the frequency f where the phase is −45 degrees
    natural frequency, damping   of the fit (b₁s + b₀)/(s² + 2ζω₀s + ω₀²), which is the yaw answer of the linear car;
                       told when ω₀ lies in the range of the fit: of a slow car it lies beyond
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.results.figures import Figures
from jounce.results.key_figures.common import Array, unsound
from jounce.results.run import Run
from jounce.results.signals import sample_step

RANGE = (0.2, 2.0)  # Hz, the least that the standard asks for
COHERENT = 0.9
USABLE = 0.5  # coherence below which a gain means nothing
TIMED = ("yaw_rate", "ay")  # answers whose bandwidth and equivalent time are quoted

WORDS = {"yaw_natural_frequency": "Yaw: natural frequency", "yaw_damping": "Yaw: damping ratio"}
FIRST = ("yaw_rate_bandwidth", "yaw_rate_equivalent_time", "yaw_natural_frequency", "yaw_damping", "ay_phase_1hz")


@dataclass(frozen=True)
class FrequencyResponse:
    """A frequency response: frequency in Hz, complex response, coherence."""

    frequency: Array
    response: npt.NDArray[np.complex128]
    coherence: Array

    @property
    def gain(self) -> Array:
        result: Array = np.abs(self.response)
        return result

    @property
    def phase(self) -> Array:
        """rad, continuous over frequency and within ±π at the lowest."""
        result: Array = np.unwrap(np.angle(self.response))
        return result

    def between(self, low: float, high: float) -> FrequencyResponse:
        """Return the part of a range of frequencies."""
        rows = (self.frequency >= low) & (self.frequency <= high)
        return FrequencyResponse(self.frequency[rows], self.response[rows], self.coherence[rows])

    def at(self, frequency: float) -> complex:
        """Return the response at a frequency, interpolated; nan outside."""
        if len(self.frequency) < 2 or not self.frequency[0] <= frequency <= self.frequency[-1]:
            return complex(math.nan, math.nan)
        gain = np.interp(frequency, self.frequency, self.gain)
        return complex(gain * np.exp(1j * np.interp(frequency, self.frequency, self.phase)))


def frequency_response(
    time: Array,
    steering: Array,
    answer: Array,
    method: Literal["transient", "random"] = "transient",
    *,
    resolution: float = 0.1,
) -> FrequencyResponse:
    """Return the frequency response from ``steering`` to ``answer``.

    Parameters
    ----------
    time, steering, answer : a uniform time base, s, and two signals
    method : "transient" for a sweep or an impulse that is wholly in the record, "random" for lasting noise
    resolution : Hz, width over which spectra are averaged ("transient") or spacing of the lines ("random")
    """
    why = unsound(time, steering, answer, least=16)
    if why:
        raise ParameterError(f"frequency response: {why}")
    step = sample_step(time)
    u, y = steering - steering[0], answer - answer[0]
    if not np.any(u) or not np.any(y):
        raise ParameterError("frequency response: the steering wheel or the answer does not move")
    if method == "random":
        from scipy import signal

        length = min(len(u), max(8, round(1.0 / (resolution * step))))
        options: dict[str, Any] = {"fs": 1.0 / step, "nperseg": length, "detrend": "constant"}
        frequency, cross = signal.csd(u, y, **options)
        power, answered = signal.welch(u, **options)[1], signal.welch(y, **options)[1]
    elif method == "transient":
        # the ends are led to zero, for both signals alike, where the record does not begin and end at rest
        ramp = min(round(0.05 * len(u)), round(1.0 / step))
        window = np.ones(len(u))
        fade = 0.5 - 0.5 * np.cos(np.pi * np.arange(ramp) / max(ramp, 1))
        if abs(u[-1]) > 1e-3 * np.max(np.abs(u)) or abs(y[-1]) > 1e-3 * np.max(np.abs(y)):
            window[len(u) - ramp :] = fade[::-1]
        # zeros at the end: no wrap-around, and lines close enough to average over
        count = 2 ** math.ceil(math.log2(max(2 * len(u), 10.0 / (resolution * step))))
        a, b = np.fft.rfft(u * window, count), np.fft.rfft(y * window, count)
        frequency = np.fft.rfftfreq(count, step)
        width = 2 * round(0.5 * resolution / (frequency[1] - frequency[0])) + 1  # odd: no shift
        cross, power, answered = (_averaged(x, width) for x in (np.conj(a) * b, np.abs(a) ** 2, np.abs(b) ** 2))
    else:
        raise ParameterError(f"method {method!r}: expected 'transient' or 'random'")
    excited = power > 1e-12 * np.max(power)
    excited[0] = False
    coherence = np.abs(cross[excited]) ** 2 / (power[excited] * np.maximum(answered[excited], 1e-300))
    return FrequencyResponse(frequency[excited], cross[excited] / power[excited], np.minimum(coherence, 1.0))


def _averaged(values: Any, width: int) -> Any:
    width = min(width, len(values))
    kernel = np.ones(width) / width
    return np.convolve(values, kernel, mode="same")


def second_order(response: FrequencyResponse) -> tuple[float, float, float]:
    """Return natural frequency (Hz), damping ratio and static gain of (b₁s + b₀)/(s² + a₁s + a₀) fitted to a response.

    Linear least squares on H·(s² + a₁s + a₀) = b₁s + b₀, repeated with the weight 1/|denominator| of the last round, so
    that in the end the error of H itself is least.
    """
    if len(response.frequency) < 4:
        return math.nan, math.nan, math.nan
    s = 2j * math.pi * response.frequency
    h = response.response
    scale = float(2 * math.pi * response.frequency[-1])
    z = s / scale
    weight = np.ones(len(z))
    x = np.zeros(4)
    for _ in range(20):
        columns = np.stack([h * z, h, -z, -np.ones_like(z)], axis=1) * weight[:, None]
        right = -h * z * z * weight
        real = np.concatenate([columns.real, columns.imag])
        new = np.linalg.lstsq(real, np.concatenate([right.real, right.imag]), rcond=None)[0]
        done = bool(np.allclose(new, x, rtol=1e-10, atol=1e-14))
        x = new
        weight = 1.0 / np.maximum(np.abs(z * z + x[0] * z + x[1]), 1e-12)
        if done:
            break
    a1, a0, _, b0 = (float(value) for value in x)
    if a0 <= 0.0:
        return math.nan, math.nan, math.nan
    natural = math.sqrt(a0)
    return natural * scale / (2 * math.pi), a1 / (2 * natural), b0 / a0


def steering_response(
    time: Array,
    steering: Array,
    *,
    yaw_rate: Array | None = None,
    lateral_acceleration: Array | None = None,
    roll: Array | None = None,
    side_slip: Array | None = None,
    method: Literal["transient", "random"] = "transient",
    band: tuple[float, float] = RANGE,
    resolution: float = 0.1,
) -> Figures:
    """Return the key figures of a frequency-response test.

    Parameters
    ----------
    time, steering : s, rad at the steering wheel
    yaw_rate, lateral_acceleration, roll, side_slip : rad/s, m/s², rad, rad; what is left out is not told
    band : Hz, range that is looked at

    Returns
    -------
    For each of yaw_rate, ay, roll, side_slip: _gain_low (at the lowest frequency), _phase_1hz (deg), _coherence (least
    in the range); for yaw_rate and ay _bandwidth (Hz) and _equivalent_time (s); for yaw_rate also _natural_frequency
    (Hz), _damping (1), _peak_frequency (Hz) and _peak_ratio (1)
    """
    figures = Figures()
    named = (
        ("yaw_rate", yaw_rate, "1/s"),
        ("ay", lateral_acceleration, "m/s2/rad"),
        ("roll", roll, "-"),
        ("side_slip", side_slip, "-"),
    )
    for name, signal, unit in named:
        if signal is None:
            continue
        try:
            whole = frequency_response(time, steering, signal, method, resolution=resolution)
        except ParameterError as problem:
            figures.missing([f"{name}_gain_low"], unit, str(problem))
            continue
        part = whole.between(*band)
        if len(part.frequency) < 4 or part.frequency[-1] < 0.9 * band[1] or part.frequency[0] > 1.2 * band[0]:
            figures.missing(
                [f"{name}_gain_low"], unit, f"frequency response: {band[0]:g} to {band[1]:g} Hz are not all excited"
            )
            continue
        _put(figures, name, unit, part)
        if name in TIMED:
            _bandwidth(figures, name, _coherent(whole.between(band[0], math.inf)))
            _equivalent_time(figures, name, part)
    return figures


def _coherent(whole: FrequencyResponse) -> FrequencyResponse:
    """The part up to where the coherence is lost for good reasons: no excitation, noise."""
    lost = np.flatnonzero(whole.coherence < USABLE)
    return whole if len(lost) == 0 else whole.between(0.0, float(whole.frequency[max(int(lost[0]) - 1, 0)]))


def _bandwidth(figures: Figures, name: str, part: FrequencyResponse) -> None:
    f, gain = part.frequency, part.gain
    limit = gain[0] / math.sqrt(2.0)
    below = np.flatnonzero(gain < limit)
    if len(below) and below[0] > 0:
        k = int(below[0])
        share = (gain[k - 1] - limit) / (gain[k - 1] - gain[k])
        figures.put(f"{name}_bandwidth", float(f[k - 1] + share * (f[k] - f[k - 1])), "Hz")
    else:
        why = f"frequency response: the gain of {name} falls by 3 dB nowhere up to {f[-1]:.3g} Hz"
        figures.missing([f"{name}_bandwidth"], "Hz", why)


def _equivalent_time(figures: Figures, name: str, part: FrequencyResponse) -> None:
    f, late = part.frequency, part.phase + math.pi / 4
    through = np.flatnonzero((late[:-1] > 0) & (late[1:] <= 0))
    if len(through):
        k = int(through[0])
        at = float(f[k] + (f[k + 1] - f[k]) * late[k] / (late[k] - late[k + 1]))
        figures.put(f"{name}_equivalent_time", 1.0 / (2 * math.pi * at), "s")
    else:
        why = f"frequency response: the phase of {name} passes −45° nowhere in the range"
        figures.missing([f"{name}_equivalent_time"], "s", why)


def _put(figures: Figures, name: str, unit: str, part: FrequencyResponse) -> None:
    f, gain, phase = part.frequency, part.gain, part.phase
    least = float(np.min(part.coherence))
    figures.put(f"{name}_coherence", least, "-")
    if least < COHERENT:
        figures.warn(f"frequency response: coherence of {name} falls to {least:.2f}; figures there are uncertain")
    figures.put(f"{name}_gain_low", float(gain[0]), unit)
    figures.put(f"{name}_phase_1hz", math.degrees(float(np.interp(1.0, f, phase))) if f[-1] >= 1.0 else math.nan, "deg")
    if name == "yaw_rate":
        _peak(figures, part)
        _natural(figures, part)


def _peak(figures: Figures, part: FrequencyResponse) -> None:
    """Where the gain of yaw rate is largest, if that is inside of the range."""
    f, gain = part.frequency, part.gain
    top = int(np.argmax(gain))
    names = ["yaw_rate_peak_frequency", "yaw_rate_peak_ratio"]
    if 0 < top < len(f) - 1:
        figures.put(names[0], float(f[top]), "Hz")
        figures.put(names[1], float(gain[top] / gain[0]), "-")
        return
    edge = f"lowest of {f[0]:.2g}" if top == 0 else f"highest of {f[-1]:.2g}"
    figures.missing(names[:1], "Hz", f"frequency response: the gain of yaw_rate is largest at the {edge} Hz: no peak")
    figures.put(names[1], 1.0 if top == 0 else math.nan, "-")


def _natural(figures: Figures, part: FrequencyResponse) -> None:
    """Natural frequency and damping of the yaw answer; a fit says nothing about a mode that it has not seen."""
    natural, damping, _ = second_order(part)
    low, high = float(part.frequency[0]), float(part.frequency[-1])
    if low <= natural <= high:
        figures.put("yaw_natural_frequency", natural, "Hz")
        figures.put("yaw_damping", damping, "-")
        return
    found = "no such pair of poles fits" if math.isnan(natural) else f"the fit puts it at {natural:.3g} Hz"
    why = f"yaw natural frequency and damping: not within the {low:.2g} to {high:.2g} Hz that were looked at ({found})"
    figures.missing(["yaw_natural_frequency"], "Hz", why)
    figures.missing(["yaw_damping"], "-", why)


def sine_response(time: Array, steering: Array, answer: Array, frequency: float, start: float) -> complex:
    """Return the response at one frequency from a lasting sine: least squares over whole periods at the end."""
    period = 1.0 / frequency
    count = math.floor((float(time[-1]) - start - period) / period)  # the first period is left to the transient
    if count < 1:
        return complex(math.nan, math.nan)
    rows = time > time[-1] - count * period
    angle = 2 * math.pi * frequency * time[rows]
    basis = np.stack([np.cos(angle), np.sin(angle), np.ones_like(angle)], axis=1)
    u, y = (np.linalg.lstsq(basis, x[rows], rcond=None)[0] for x in (steering, answer))
    if math.hypot(u[0], u[1]) <= 1e-6 * max(float(np.abs(steering).max()), 1e-12):  # the sine is over
        return complex(math.nan, math.nan)
    return complex((y[0] - 1j * y[1]) / (u[0] - 1j * u[1]))


def of_run(run: Run, method: Literal["transient", "random"] = "transient") -> Figures:
    """Key figures of a sweep or an impulse, or of random steering."""
    given = run.given("yaw_rate", "lateral_acceleration", "roll", "side_slip")
    return steering_response(run.time, run.signal("steering"), **given, method=method)
