"""Signals: filtering without phase shift, resampling, and bringing two runs to one time.

The low-pass is a Butterworth filter of order n run forwards and backwards. Two passes have the gain

    |H|² = 1 / (1 + (w/w₀)²ⁿ)²,  w = tan(π f / f_s)                                                                (1)

which would be −6 dB at the design frequency; w₀ is therefore raised by (√2 − 1)^(−1/2n), so that the cutoff asked for
is where the result has −3 dB.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError

if TYPE_CHECKING:
    from jounce.results.run import Run

Array = npt.NDArray[np.float64]


def sample_step(time: Array, tolerance: float = 1e-3) -> float:
    """Return the step of a uniform time base (s), or raise when it is not uniform."""
    if len(time) < 2:
        raise ParameterError("a time base of fewer than two instants has no step")
    steps = np.diff(time)
    step = float(time[-1] - time[0]) / (len(time) - 1)
    if float(np.max(np.abs(steps - step))) > tolerance * step:
        raise ParameterError(
            f"the time base is not uniform (steps from {steps.min():g} to {steps.max():g} s); resample it first"
        )
    return step


def low_pass(time: Array, values: Array, cutoff: float, order: int = 4) -> Array:
    """Return ``values`` without what lies above ``cutoff`` (Hz, −3 dB), no phase shift; `order` per pass."""
    step = sample_step(time)
    highest = 0.5 / step
    if not 0.0 < cutoff < highest:
        raise ParameterError(f"cutoff = {cutoff:g} Hz: must lie between 0 and {highest:g} Hz, half the sampling rate")
    warped = math.tan(math.pi * cutoff * step) * (math.sqrt(2.0) - 1.0) ** (-0.5 / order)
    design = math.atan(warped) / (math.pi * step)
    from scipy import signal

    sections = signal.butter(order, min(design, 0.999 * highest), fs=1.0 / step, output="sos")
    pad = min(len(values) - 1, round(3.0 / (cutoff * step)))
    result: Array = signal.sosfiltfilt(sections, values, padtype="odd" if pad else None, padlen=pad)
    return result


def uniform(start: float, end: float, step: float) -> Array:
    """Return instants from ``start`` in equal steps, not beyond ``end``."""
    count = math.floor((end - start) / step * (1 + 1e-12) + 1e-9) + 1
    result: Array = start + step * np.arange(count, dtype=np.float64)
    return result


def delay(
    reference: tuple[Array, Array], other: tuple[Array, Array], max_shift: float | None = None
) -> tuple[float, float]:
    """Return by how much ``other`` comes later than ``reference`` (s), and their correlation there (−1 to 1).

    Both are (time, values). Looked for is the shift with the largest correlation coefficient over the part in which the
    two overlap, at least half of the shorter one; a gain or an offset between them does not matter. A parabola through
    the top gives the shift between samples.
    """
    time_a, a = reference
    time_b, b = other
    step = min(float(np.median(np.diff(time_a))), float(np.median(np.diff(time_b))))
    grid_a = uniform(float(time_a[0]), float(time_a[-1]), step)
    grid_b = uniform(float(time_b[0]), float(time_b[-1]), step)
    u, v = np.interp(grid_a, time_a, a), np.interp(grid_b, time_b, b)
    if np.ptp(u) == 0.0 or np.ptp(v) == 0.0:
        raise ParameterError("align: a signal is constant; choose a channel that moves")
    u, v = (u - u.mean()) / np.ptp(u), (v - v.mean()) / np.ptp(v)
    from scipy import signal

    def sums(x: Array, y: Array) -> Array:
        """Σ x(k) y(k + shift) over the overlap, for every shift."""
        result: Array = signal.correlate(y, x, mode="full", method="fft")
        return result

    one_u, one_v = np.ones_like(u), np.ones_like(v)
    count = np.maximum(np.rint(sums(one_u, one_v)), 1.0)
    mean_u, mean_v = sums(u, one_v) / count, sums(one_u, v) / count
    spread_u, spread_v = sums(u * u, one_v) / count - mean_u**2, sums(one_u, v * v) / count - mean_v**2
    shifts = (np.arange(len(count)) - (len(u) - 1)) * step + (grid_b[0] - grid_a[0])
    allowed = (count >= 0.5 * min(len(u), len(v))) & (spread_u > 1e-9) & (spread_v > 1e-9)
    if max_shift is not None:
        allowed &= np.abs(shifts) <= max_shift
    if not allowed.any():
        raise ParameterError("align: no shift brings the moving parts of the two together")
    scale = np.sqrt(np.where(allowed, spread_u * spread_v, 1.0))
    correlation = np.where(allowed, (sums(u, v) / count - mean_u * mean_v) / scale, -np.inf)
    top = int(np.argmax(correlation))
    best = float(shifts[top])
    if 0 < top < len(correlation) - 1 and allowed[top - 1] and allowed[top + 1]:
        left, mid, right = correlation[top - 1 : top + 2]
        bend = left - 2 * mid + right
        if bend < 0:
            best += 0.5 * float((left - right) / bend) * step
    return best, float(correlation[top])


def align(
    reference: Run,
    run: Run,
    channel: str = "driver_demands.steering",
    method: Literal["correlation", "threshold"] = "correlation",
    *,
    level: float | None = None,
    max_shift: float | None = None,
) -> tuple[Run, float]:
    """Return ``run`` shifted in time so that it matches ``reference``, and the shift in s that was added to its time.

    Parameters
    ----------
    channel : by which they are matched
    method : "correlation" (best overlap) or "threshold" (first crossing of ``level``)
    level : SI, for "threshold"; default half of the reference's largest deviation from its start
    max_shift : largest shift looked at by "correlation", s
    """
    if method == "correlation":
        late, _ = delay((reference.time, reference[channel]), (run.time, run[channel]), max_shift)
        return run.shifted(-late), -late
    if method != "threshold":
        raise ParameterError(f"method {method!r}: expected 'correlation' or 'threshold'")
    values = reference[channel]
    if level is None:
        deviation = values - values[0]
        level = float(values[0] + 0.5 * deviation[int(np.argmax(np.abs(deviation)))])
    instants = [crossing(each.time, each[channel], level) for each in (reference, run)]
    if any(math.isnan(t) for t in instants):
        which = "the reference" if math.isnan(instants[0]) else "the run"
        raise ParameterError(f"align: {channel} of {which} never passes {level:g} {reference.unit(channel)}")
    shift = instants[0] - instants[1]
    return run.shifted(shift), shift


def crossing(time: Array, values: Array, level: float, after: float = -math.inf, rising: bool | None = None) -> float:
    """Return the first time at which ``values`` passes ``level``, interpolated; nan when it never does.

    ``rising`` True or False asks for that direction; None takes either.
    """
    above = values - level
    before, now = above[:-1], above[1:]
    passed = np.zeros(len(before), dtype=bool)
    if rising is not False:
        passed |= (before < 0.0) & (now >= 0.0)
    if rising is not True:
        passed |= (before > 0.0) & (now <= 0.0)
    for k in np.flatnonzero(passed & (time[1:] >= after)):
        t = float(time[k] + (time[k + 1] - time[k]) * before[k] / (before[k] - now[k]))
        if t >= after:
            return t
    return math.nan
