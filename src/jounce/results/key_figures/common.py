"""What the key figures share: steady values, peaks, distances, straight lines, decaying oscillations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jounce.core.constants import GRAVITY
from jounce.results.figures import Figures

Array = npt.NDArray[np.float64]

DEGREE = math.pi / 180.0
PER_G = GRAVITY / DEGREE  # rad per m/s² in deg per g


def unsound(time: Array, *signals: Array, least: int = 5) -> str:
    """Return why signals cannot be looked at, "" when they can."""
    if len(time) < least:
        return f"{len(time)} samples are too few"
    if not all(np.all(np.isfinite(signal)) for signal in signals):
        return "a signal is not finite everywhere"
    return ""


def sound(figures: Figures, test: str, **signals: Array | None) -> dict[str, Array]:
    """Return the signals that are given and finite everywhere; the others get a warning."""
    found = {}
    for name, signal in signals.items():
        if signal is None:
            continue
        if np.all(np.isfinite(signal)):
            found[name] = signal
        else:
            figures.warn(f"{test}: {name} is not finite everywhere and was left out")
    return found


@dataclass(frozen=True)
class Steady:
    """A value that a signal has come to.

    Attributes
    ----------
    value : mean over the window
    spread : standard deviation about a straight line through the window: noise or oscillation
    why : "" when steady, else what is wrong
    """

    value: float
    spread: float
    why: str

    @property
    def ok(self) -> bool:
        return not self.why


def steady(
    time: Array, values: Array, window: tuple[float, float], scale: float | None = None, tolerance: float = 0.05
) -> Steady:
    """Return the mean of ``values`` in a window of time, and whether it may be called steady.

    It may when over the window neither the straight line through the values changes by more than ``tolerance`` times
    ``scale`` (default the mean itself) nor the standard deviation about that line exceeds it.
    """
    rows = (time >= window[0] - 1e-9) & (time <= window[1] + 1e-9)
    if np.count_nonzero(rows) < 3:
        return Steady(math.nan, math.nan, "fewer than three samples at the end")
    t, x = time[rows], values[rows]
    if not np.all(np.isfinite(x)):
        return Steady(math.nan, math.nan, "not finite")
    gradient, offset, _ = slope(t, x)
    mean, spread = float(x.mean()), float(np.std(x - offset - gradient * t))
    allowed = tolerance * abs(mean if scale is None else scale)
    drift = abs(gradient) * float(t[-1] - t[0])
    size = max(allowed / tolerance, 1e-300)
    if spread > allowed:
        return Steady(mean, spread, f"not settled (standard deviation {spread / size:.0%} of the value)")
    if drift > allowed:
        return Steady(mean, spread, f"still changing ({drift / size:.0%} over the last part)")
    return Steady(mean, spread, "")


def peak(time: Array, values: Array, after: float) -> tuple[float, float]:
    """Return time and height of the largest value from ``after`` on, refined by a parabola through three samples."""
    start = int(np.searchsorted(time, after))
    if start >= len(time):
        return math.nan, math.nan
    k = start + int(np.argmax(values[start:]))
    if 0 < k < len(time) - 1 and values[k - 1] < values[k] > values[k + 1]:
        return vertex(time[k - 1 : k + 2], values[k - 1 : k + 2])
    return float(time[k]), float(values[k])


def vertex(t: Array, x: Array) -> tuple[float, float]:
    """Return the top or bottom of the parabola through three points."""
    a = t[0] - t[1], t[2] - t[1]
    b = x[0] - x[1], x[2] - x[1]
    bend = (b[1] / a[1] - b[0] / a[0]) / (a[1] - a[0])
    if bend == 0.0:
        return float(t[1]), float(x[1])
    slope = b[0] / a[0] - bend * a[0]
    at = -slope / (2 * bend)
    return float(t[1] + at), float(x[1] + slope * at + bend * at * at)


def onset(time: Array, values: Array, fraction: float = 0.02) -> float:
    """Return when a signal begins to move: the last instant before it leaves its start by ``fraction`` of its range."""
    deviation = np.abs(values - values[0])
    size = float(deviation.max())
    if size == 0.0:
        return math.nan
    k = int(np.argmax(deviation > fraction * size))
    return float(time[max(k - 1, 0)])


def mean_before(time: Array, values: Array, until: float) -> float:
    """Return the mean up to an instant: the value a signal starts from."""
    rows = time <= until + 1e-12
    return float(values[rows].mean()) if rows.any() else float(values[0])


def travelled(time: Array, speed: Array) -> Array:
    """Return the distance since the first instant, m, by the trapezoidal rule."""
    result: Array = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(time))])
    return result


def travelled_at(time: Array, speed: Array, t: float) -> float:
    """Return the distance at an instant, exact for speeds that are linear between the samples."""
    if math.isnan(t):
        return math.nan
    s = travelled(time, speed)
    k = min(max(int(np.searchsorted(time, t, side="right")) - 1, 0), len(time) - 2)
    h, tau = time[k + 1] - time[k], t - time[k]
    return float(s[k] + speed[k] * tau + 0.5 * (speed[k + 1] - speed[k]) / h * tau * tau)


def moving_mean(time: Array, values: Array, width: float) -> Array:
    """Return the mean over ``width`` seconds around each instant (shorter at the ends), for a nearly uniform base."""
    step = float(np.median(np.diff(time)))
    half = round(0.5 * width / step)
    if half < 1:
        return values
    sums = np.concatenate([[0.0], np.cumsum(values)])
    index = np.arange(len(values))
    low, high = np.maximum(index - half, 0), np.minimum(index + half + 1, len(values))
    result: Array = (sums[high] - sums[low]) / (high - low)
    return result


def slope(x: Array, y: Array) -> tuple[float, float, float]:
    """Return slope and intercept of the straight line through points, and the share of the variation it explains."""
    dx, dy = x - x.mean(), y - y.mean()
    size = float(dx @ dx)
    if size == 0.0:
        return math.nan, math.nan, math.nan
    gradient = float(dx @ dy) / size
    total = float(dy @ dy)
    left = float(np.sum((dy - gradient * dx) ** 2))
    return gradient, float(y.mean() - gradient * x.mean()), 1.0 - left / total if total > 0.0 else 1.0


@dataclass(frozen=True)
class Decay:
    """A decaying oscillation x∞ + A e^(−ζω₀t) sin(ωt + φ), told from its extremes.

    Attributes
    ----------
    frequency : damped, Hz
    damping : ratio ζ
    overshoots : |deviation| of successive extremes relative to the first
    times : of the extremes, s
    """

    frequency: float
    damping: float
    overshoots: Array
    times: Array


def decay(time: Array, values: Array, settled: float, noise: float = 0.0) -> Decay:
    """Return frequency and damping from the extremes of a free oscillation about ``settled``.

    Successive extremes are half a period apart and each is e^(−δ/2) times the one before, δ = 2πζ/√(1−ζ²). The line
    through their logarithms gives δ. Extremes below four times ``noise`` or 0.5 % of the first are left out.
    """
    x = values - settled
    inner = np.flatnonzero((x[1:-1] - x[:-2]) * (x[2:] - x[1:-1]) <= 0.0) + 1
    found: list[tuple[float, float]] = []
    floor = 4.0 * noise
    for k in inner:
        t, v = vertex(time[k - 1 : k + 2], x[k - 1 : k + 2])
        if not time[k - 1] <= t <= time[k + 1]:
            continue
        limit = max(floor, 5e-3 * abs(found[0][1])) if found else floor
        if abs(v) <= limit:
            if found:
                break
            continue
        if found and (v > 0) == (found[-1][1] > 0):
            if abs(v) > abs(found[-1][1]):
                found[-1] = (t, v)
            continue
        found.append((t, v))
    times, sizes = np.array([t for t, _ in found]), np.array([abs(v) for _, v in found])
    if len(found) < 2:
        return Decay(math.nan, math.nan, sizes / sizes[0] if len(sizes) else sizes, times)
    count = np.arange(len(times), dtype=np.float64)
    half = slope(count, times)[0]
    drop = -2.0 * slope(count, np.log(sizes))[0]
    return Decay(0.5 / half, drop / math.hypot(2.0 * math.pi, drop), sizes / sizes[0], times)


def settling_time(time: Array, values: Array, settled: float, band: float, start: float) -> float:
    """Return how long after ``start`` the signal leaves the band settled ± band for the last time; nan if it is outside
    at the end."""
    outside = np.flatnonzero((np.abs(values - settled) > band) & (time >= start))
    if len(outside) == 0:
        return 0.0
    k = int(outside[-1])
    if k == len(time) - 1:
        return math.nan
    a, b = abs(values[k] - settled) - band, abs(values[k + 1] - settled) - band
    return float(time[k] + (time[k + 1] - time[k]) * a / (a - b)) - start


def longest(time: Array, holds: npt.NDArray[np.bool_]) -> float:
    """Return the longest time over which something holds, from its first row to its last; 0 where it never does."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], holds, [False])).astype(int)))
    return max((float(time[last - 1] - time[first]) for first, last in edges.reshape(-1, 2)), default=0.0)
