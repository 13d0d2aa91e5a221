"""What the posts of a rig do over time: sine and sweep, integration of data, references from measured accelerations.

    sine     ż = V sin ωt,           z = -V/ω cos ωt                                                                (1)
    sweep    f = f₀ (f₁/f₀)^(t/T),   φ = 2π f₀ T/ln(f₁/f₀) ((f₁/f₀)^(t/T) - 1),   ż = V sin φ                       (2)

The amplitude V/(2πf) falls as the frequency grows. Half waves of (2) are not alike, so that its integral drifts; with
drift compensation the displacement is that of a sine of the present frequency, less its mean over the run:

    z = -V/(2πf) cos φ - mean                                                                                     (3)

Its velocity differs from (2) by (V ln(f₁/f₀)/(2πfT)) cos φ, which is small while many waves go by. Data of rows that
are straight in between are integrated exactly: from row to row h, with velocities v and accelerations a,

    z' = z + (v + v')h/2   or   v' = v + (a + a')h/2,  z' = z + v h + (2a + a')h²/6                                 (4)

References of hubs from accelerations, or of springs from lengths, are what of them lies between two frequencies
f_l and f_h, without phase shift,

    |H| = 1/(1 + (f_l/f)⁸) · 1/(1 + (f/f_h)¹⁶)                                                                    (5)

and 2 s are dropped at either end, where a filter that looks both ways knows too little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jounce.core.errors import ParameterError
from jounce.results.signals import Array

if TYPE_CHECKING:
    from jounce.components.places import WheelPlace

DROPPED = 2.0  # s, of a measured signal at either end
FADE = 1.0  # s, in which what begins at once is led in


def instants(count: int, step: float) -> Array:
    """Instants from zero in equal steps."""
    result: Array = step * np.arange(count, dtype=np.float64)
    return result


def sine(time: Array, frequency: float, velocity: float) -> Array:
    """Displacement (1)."""
    omega = 2 * math.pi * frequency
    result: Array = -velocity / omega * np.cos(omega * time)
    return result


def sweep(time: Array, first: float, last: float, duration: float, velocity: float, *, compensated: bool) -> Array:
    """Displacement of a sweep (2), or (3) without its drift; beyond its duration it stays."""
    t = np.minimum(time, duration)
    grows = math.log(last / first)
    frequency = first * np.exp(grows * t / duration)
    phase = 2 * math.pi * duration / grows * (frequency - first)
    if compensated:
        z = -velocity / (2 * math.pi * frequency) * np.cos(phase)  # (3)
        mean = float(np.sum(0.5 * (z[1:] + z[:-1]) * np.diff(time)) / (time[-1] - time[0]))
        return np.asarray(z - mean)
    from scipy.interpolate import CubicSpline

    result: Array = CubicSpline(time, velocity * np.sin(phase)).antiderivative()(time)
    return result


def integrated(time: Array, values: Array, times: int) -> Array:
    """Values that are straight between their rows, integrated once or twice from rest at zero (4)."""
    h = np.diff(time)
    once = np.concatenate([[0.0], np.cumsum(0.5 * h * (values[1:] + values[:-1]))])
    if times == 1:
        return once
    steps = once[:-1] * h + (2 * values[:-1] + values[1:]) * h * h / 6
    return np.concatenate([[0.0], np.cumsum(steps)])


def between_rows(time: Array, values: Array, at: Array, times: int) -> Array:
    """`integrated` values at any instants: exact between the rows, too."""
    if times == 0:
        return np.asarray(np.interp(at, time, values), dtype=np.float64)
    row = np.clip(np.searchsorted(time, at, side="right") - 1, 0, len(time) - 2)
    tau = np.clip(at, time[0], time[-1]) - time[row]
    slope = np.diff(values)[row] / np.diff(time)[row]
    first = integrated(time, values, 1)
    if times == 1:
        return np.asarray(first[row] + values[row] * tau + slope * tau**2 / 2)
    second = integrated(time, values, 2)
    return np.asarray(second[row] + first[row] * tau + values[row] * tau**2 / 2 + slope * tau**3 / 6)


def signs(wheels: Sequence[WheelPlace], mode: str) -> Array:
    """Signs of the posts: pitch is + in front of the middle of the axles, roll + on the left, warp their product; a
    wheel in the middle has no part in roll and warp."""
    axles = [wheel.axle.x for wheel in wheels]
    middle = 0.5 * (min(axles) + max(axles))
    ahead = np.array([float(np.sign(x - middle)) for x in axles])
    left = np.array([0.0 if len(w.axle.wheels) < 2 else 1.0 if w.side == "L" else -1.0 for w in wheels])
    found = {"heave": np.ones(len(axles)), "pitch": ahead, "roll": left, "warp": ahead * left}
    if mode not in found:
        raise ParameterError(f"mode {mode!r}: expected one of {', '.join(found)}")
    return np.asarray(found[mode], dtype=np.float64)


def band(values: Array, step: float, low: float, high: float) -> Array:
    """What of a signal lies between two frequencies (5), along the first axis."""
    count = len(values)
    length = 2 ** math.ceil(math.log2(2 * count))
    f: Array = np.asarray(np.fft.rfftfreq(length, step), dtype=np.float64)
    gain = passes(f, low, high).reshape(-1, *[1] * (values.ndim - 1))
    spectrum = np.fft.rfft(values - np.mean(values, axis=0), length, axis=0)
    return np.asarray(np.fft.irfft(spectrum * gain, length, axis=0)[:count], dtype=np.float64)


def passes(frequency: Array, low: float, high: float) -> Array:
    """The gain (5) at frequencies in Hz."""
    safe = np.maximum(frequency, 1e-9)
    result: Array = (frequency > 0) / (1 + (low / safe) ** 8) / (1 + (frequency / high) ** 16)
    return result


def led(time: Array, fade: float = FADE, *, out: bool = True) -> Array:
    """A window that goes smoothly from 0 to 1 at the beginning, and back at the end."""
    begin = np.clip((time - time[0]) / fade, 0.0, 1.0)
    end = np.clip((time[-1] - time) / fade, 0.0, 1.0) if out else np.ones(len(time))
    result: Array = begin * begin * (3 - 2 * begin) * (end * end * (3 - 2 * end))
    return result


def tracked(time: Array, values: Array, step: float, low: float, high: float) -> tuple[Array, Array]:
    """Time from zero and the reference of measured values (rows by columns), 4 s shorter than they are."""
    if time[-1] - time[0] <= 2 * DROPPED + 2 * FADE:
        raise ParameterError(
            f"tracking: the signal lasts {time[-1] - time[0]:g} s; {2 * DROPPED:g} s are dropped and {2 * FADE:g} s "
            "are led in and out, so that more is needed"
        )
    from scipy.interpolate import CubicSpline

    grid = time[0] + instants(math.floor((time[-1] - time[0]) / step + 1e-9) + 1, step)
    found = band(np.asarray(CubicSpline(time, values, axis=0)(grid)), step, low, high)
    rows = round(DROPPED / step)
    kept = found[rows : len(grid) - rows]
    now = instants(len(kept), step)
    return now, np.asarray(kept * led(now)[:, None])
