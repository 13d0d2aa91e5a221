"""One curve from the points of sweeps: the middle between up and down, without drift, on a grid.

With x scaled to ξ in [-1, 1], Chebyshev polynomials T_k, the direction s = ±1 in which x goes and the time t,

    y = Σ_k≤n a_k T_k(ξ) + s Σ_k≤m h_k T_k(ξ) + Σ_i d_i t                                                          (1)

by least squares, each point weighted by one over the number of points beside it that go the same way: the first sum
is the curve, the second one half of the hysteresis loop, the third one the drift of the sensor in file i. So uneven
branches and dwells do not pull the curve to one side. Drift is left out where t says nothing that the rest does not
say: a sweep in one direction cannot tell it from a slope. n is at most what is asked for, and less where the points do
not tell higher powers from noise [Schwarz1978] (``select``).

``spline``: the means of bins of x that go up and that go down, the middle of both, and a cubic spline through them
as smooth as their scatter allows [Reinsch1967]; for curves with corners, where a polynomial rings.

Beyond the measured interval a polynomial goes on with the slope and the curvature of its outer quarter, so that a table
through its points has no kink at the end of what was measured; everything else goes on straight, with the mean slope of
its outer tenth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from jounce.core.errors import ParameterError
from jounce.rigs.kc.cases import Settings, Sweep
from jounce.rigs.kc.channels import Array

REVERSAL = 0.02  # of the range: x goes the other way when it has come back by so much
JUMP, USUAL = 0.3, 10.0  # of the range, and times the median step: a sample that far off is no sweep
ALONE = 0.05  # share of t that the other terms must leave over, or the drift is not told apart
BINS = 40
OUTER = 0.1  # of the interval, whose slope goes on beyond it
CURVED = 0.25  # of the interval, whose curvature does
LOOP_ORDER = 4
LEAST = 8  # points of a curve
MISFIT, VISIBLE = 3.0, 0.005  # standard errors, and share of the range of y: a curve that misses its points by so much


@dataclass(frozen=True)
class Points:
    """Samples of one sweep: x, y, time, direction of x; ``source``: the file, ``name``: of the curve."""

    x: Array
    y: Array
    time: Array
    direction: Array
    source: str = ""
    key: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Fit:
    """A curve with what there is to say about it. All in SI.

    Attributes
    ----------
    low, high : measured interval of x
    rms : of the points to the curve; r2: share of the variance that it explains
    loop : largest width of the hysteresis; noise: of points about the loop; drift: of y over the sweep, largest
    error : standard error of the curve by the noise, largest within the interval
    """

    low: float
    high: float
    method: str
    inside: Callable[[Array], Array] = field(repr=False)
    points: tuple[Points, ...] = field(default=(), repr=False)
    rms: float = 0.0
    r2: float = 1.0
    loop: float = 0.0
    noise: float = 0.0
    drift: float = 0.0
    error: float = 0.0
    warnings: tuple[str, ...] = ()
    curved: bool = False  # beyond the measured interval

    def __call__(self, x: Any) -> Array:
        """The curve, continued beyond the measured interval."""
        at = np.atleast_1d(np.asarray(x, dtype=np.float64))
        values = self.inside(np.clip(at, self.low, self.high))
        for end, sign in ((self.low, -1.0), (self.high, 1.0)):
            beyond = sign * (at - end) > 0
            if np.any(beyond):
                values = np.where(beyond, self._continued(end, sign, at), values)
        return np.asarray(values)

    def _continued(self, end: float, sign: float, at: Array) -> Array:
        span = self.high - self.low
        if not self.curved:
            ends = self.inside(np.array([end, end - sign * OUTER * span]))
            return np.asarray(ends[0] + sign * (ends[0] - ends[1]) / (OUTER * span) * (at - end))
        d = np.linspace(0.0, -sign * CURVED * span, 15)
        rise = self.inside(end + d) - self.inside(np.array([end]))
        slope, bend = np.linalg.lstsq(np.column_stack([d, d * d]), rise, rcond=None)[0]
        return np.asarray(self.inside(np.array([end])) + slope * (at - end) + bend * (at - end) ** 2)

    def minus(self, at: float) -> Fit:
        """The curve with its value at a point taken off."""
        base, inside = float(self(at)[0]), self.inside
        return replace(self, inside=lambda x: inside(x) - base)


def points_of(sweep: Sweep, x: str, y: str, values: Array | None = None, smooth: int = 0) -> Points:
    """The samples of a pair of channels; those without a number are left out. ``values``: in place of y."""
    a = sweep[x]
    b = sweep[y] if values is None else values
    good = np.isfinite(a) & np.isfinite(b)
    if np.count_nonzero(good) < LEAST:
        raise ParameterError(
            f"{sweep.case.where}: only {np.count_nonzero(good)} rows have a number in both "
            f"{sweep.columns.get(x, x)!r} and {sweep.columns.get(y, y)!r}; at least {LEAST} are needed"
        )
    rows = np.flatnonzero(good)
    check_sweep(sweep, x, rows)
    a, b = a[good], b[good]
    if smooth > 2:
        from scipy.signal import savgol_filter

        begins = [row for row, _ in _zigzag(a)[1]]
        for branch in np.split(np.arange(len(a)), begins[1:]):  # the corners where it turns back are no noise
            window = min(smooth | 1, len(branch) - 1 + len(branch) % 2)
            if window > 3:
                b[branch] = savgol_filter(b[branch], window, 3)
    return Points(a, b, sweep.time[good], direction(a), sweep.case.file.name, (x, y))


def direction(x: Array) -> Array:
    """±1 for every sample: whether x is going up or down, small returns left out."""
    return _zigzag(x)[0]


def _zigzag(x: Array) -> tuple[Array, list[tuple[int, float]]]:
    """Direction by sample, and the branches: row where each begins, how far it goes."""
    least = REVERSAL * float(np.ptp(x))
    result = np.empty(len(x))
    turns: list[tuple[int, float]] = []
    low = high = begin = 0
    way = 0
    for i, value in enumerate(x.tolist()):
        if way >= 0 and value > x[high]:
            high = i
        if way <= 0 and value < x[low]:
            low = i
        if way == 0 and value - x[low] > least:
            way, high = 1, i
        elif way == 0 and x[high] - value > least:
            way, low = -1, i
        elif way > 0 and x[high] - value > least:
            result[begin:high] = 1.0
            turns.append((begin, float(x[high] - x[begin])))
            begin, low, way = high, i, -1
        elif way < 0 and value - x[low] > least:
            result[begin:low] = -1.0
            turns.append((begin, float(x[low] - x[begin])))
            begin, high, way = low, i, 1
    result[begin:] = way or 1.0
    end = high if way > 0 else low
    turns.append((begin, float(x[end] - x[begin])))
    return result, turns


def check_sweep(sweep: Sweep, key: str, rows: Any) -> None:
    """ParameterError where what should be swept is not: a jump, or nothing but forth and back."""
    x = sweep[key][rows]
    span, steps = float(np.ptp(x)), np.abs(np.diff(x))
    column = sweep.columns.get(key, key)
    if span == 0.0:
        raise ParameterError(f"{sweep.case.where}: {column!r} ({key}) does not move")
    usual = float(np.median(steps[steps > 0])) if np.any(steps > 0) else 0.0
    jumps = np.flatnonzero((steps > JUMP * span) & (steps > USUAL * usual))
    if len(jumps):
        i = int(jumps[0])
        raise ParameterError(
            f"{sweep.case.where}, {sweep.at(int(rows[i + 1]))}, column {column!r}: {key} jumps from {x[i]:.5g} to "
            f"{x[i + 1]:.5g}; a sweep goes up and down without a break. Remove the sample, or give the parts as files"
        )
    _, turns = _zigzag(x)
    short = [item for item in turns[1:-1] if abs(item[1]) < 0.5 * span]
    if len(turns) > 6 and len(short) > 0.5 * len(turns):
        raise ParameterError(
            f"{sweep.case.where}, {sweep.at(int(rows[short[0][0]]))}, column {column!r}: {key} goes forth and back "
            f"{len(turns)} times, mostly by less than half of its range: no sweep. Is it the right column?"
        )


def fit_curve(series: Sequence[Points], settings: Settings, method: str = "", order: int = 0) -> Fit:
    """The curve through the points of one or several sweeps; see the module's text."""
    method, order = method or settings.method, order or settings.order
    low = min(float(item.x.min()) for item in series)
    high = max(float(item.x.max()) for item in series)
    if method == "spline":
        return _spline(series, low, high)
    return _polynomial(series, low, high, order, settings.drift, settings.select)


def _weights(series: Sequence[Points], low: float, high: float) -> list[Array]:
    """One over the number of points in the same bin that go the same way."""
    found = []
    bins = [np.minimum(((p.x - low) / (high - low) * BINS).astype(int), BINS - 1) for p in series]
    count = np.zeros((2, BINS))
    for p, where in zip(series, bins, strict=True):
        np.add.at(count, ((p.direction > 0).astype(int), where), 1.0)
    for p, where in zip(series, bins, strict=True):
        found.append(1.0 / count[(p.direction > 0).astype(int), where])
    return found


def _polynomial(series: Sequence[Points], low: float, high: float, order: int, drift: bool, select: bool) -> Fit:
    scaled = [2.0 * (p.x - low) / (high - low) - 1.0 for p in series]
    xi, y = np.concatenate(scaled), np.concatenate([p.y for p in series])
    s = np.concatenate([p.direction for p in series])
    distinct = len(np.unique(np.round(xi, 6)))
    warnings = []
    if order >= distinct / 3:
        warnings.append(f"order {order} with {distinct} different abscissae: at most a third of them are safe")
        order = max(min(order, distinct - 1), 1)
    columns = [chebyshev.chebvander(xi, order)]
    if np.any(s > 0) and np.any(s < 0):
        columns.append(s[:, None] * chebyshev.chebvander(xi, min(order, LOOP_ORDER)))
    base = np.hstack(columns)
    root = np.sqrt(np.concatenate(_weights(series, low, high)))
    times = _drifts(series, np.asarray(base), root) if drift else np.empty((len(y), 0))
    if select:
        ordered = np.hstack([base[:, order + 1 :], times, base[:, : order + 1]])
        order = _least_order(root[:, None] * ordered, root * y, order)
        base = np.hstack([columns[0][:, : order + 1], *columns[1:]])
    matrix = np.hstack([base, times])
    solution, *_ = np.linalg.lstsq(root[:, None] * matrix, root * y, rcond=1e-10)
    a = solution[: order + 1]
    curve = chebyshev.chebval(xi, a)
    size = float(np.max(np.abs(times @ solution[base.shape[1] :]))) if times.shape[1] else 0.0
    clean = y - times @ solution[base.shape[1] :]
    half = base[:, order + 1 :] @ solution[order + 1 : base.shape[1]] * s if base.shape[1] > order + 1 else 0.0 * s
    noise = float(np.std(clean - curve - s * half, ddof=min(matrix.shape[1], len(y) - 1)))
    # of the estimate A⁺y with independent errors of y: A⁺ A⁺ᵀ σ²
    grid = chebyshev.chebvander(np.linspace(-1.0, 1.0, 41), order)
    inverse = np.linalg.pinv(root[:, None] * matrix, rcond=1e-10)[: order + 1] * root
    error = noise * float(np.sqrt(np.max(np.sum((grid @ inverse) ** 2, axis=1))))

    def inside(x: Array) -> Array:
        return np.asarray(chebyshev.chebval(2.0 * (x - low) / (high - low) - 1.0, a))

    rms, r2 = _quality(clean, curve)
    loop = 2.0 * float(np.max(np.abs(half)))
    fit = Fit(
        low, high, f"polynomial of order {order}", inside, tuple(series), rms, r2, loop, noise, 2.0 * size, error,
        tuple(warnings), True,
    )  # fmt: skip
    return replace(fit, warnings=(*fit.warnings, *_doubts(fit, clean, a)))


def _least_order(matrix: Array, y: Array, highest: int) -> int:
    """The order with the least N ln(sum of squares) + k ln N [Schwarz1978]; the powers are the last columns."""
    q, _ = np.linalg.qr(matrix)
    total, n = float(y @ y), len(y)
    left = np.maximum(total - np.cumsum((q.T @ y) ** 2), 1e-24 * total + 1e-300)[-(highest + 1) :]
    return int(np.argmin(n * np.log(left) + np.log(n) * np.arange(highest + 1)))


def _drifts(series: Sequence[Points], base: Array, root: Array) -> Array:
    """A column of time for each file where it can be told from everything else."""
    columns, begin = [], 0
    for p in series:
        t = np.zeros(len(base))
        span = float(np.ptp(p.time))
        if span > 0:
            t[begin : begin + len(p.x)] = (p.time - np.mean(p.time)) / span
        begin += len(p.x)
        if span > 0:
            rest = root * t - (root[:, None] * base) @ np.linalg.lstsq(root[:, None] * base, root * t, rcond=1e-10)[0]
            if np.linalg.norm(rest) > ALONE * np.linalg.norm(root * t):
                columns.append(t)
    return np.column_stack(columns) if columns else np.empty((len(base), 0))


def _middle(series: Sequence[Points], low: float, high: float, y: Array) -> tuple[Array, Array, Array, Array, float]:
    """Means of bins between up and down: x, y, standard error, half loop; and the noise within bins."""
    x = np.concatenate([p.x for p in series])
    up = (np.concatenate([p.direction for p in series]) > 0).astype(int)
    bins = int(np.clip(len(x) // 10, 16, 2 * BINS))
    where = np.minimum(((x - low) / (high - low) * bins).astype(int), bins - 1)

    def summed(values: Array) -> Array:
        total = np.zeros((2, bins))
        np.add.at(total, (up, where), values)
        return total

    count = summed(np.ones(len(x)))
    both, some = np.all(count > 0, axis=0), np.any(count > 0, axis=0)
    used = both if np.count_nonzero(both) >= 0.5 * np.count_nonzero(some) else some
    number = np.maximum(count, 1.0)
    mean, centre = summed(y) / number, summed(x) / number
    spread_x = np.maximum(summed(x * x) / number - centre**2, 0.0)
    share = np.where(count > 0, 1.0, 0.0) / np.maximum(np.count_nonzero(count, axis=0), 1)
    at = np.sum(share * centre, axis=0)
    # the mean of a bin is that of its middle but for slope and curvature: found from the means, then taken off
    first = np.sum(share * mean, axis=0)[used]
    slope, bend = np.zeros(bins), np.zeros(bins)
    if len(first) > 4:
        rises = np.gradient(first, at[used])
        slope[used], bend[used] = rises, np.gradient(rises, at[used])
    mean = mean + slope * (at - centre) - 0.5 * bend * spread_x
    middle = np.sum(share * mean, axis=0)
    half = np.where(both, 0.5 * (mean[1] - mean[0]), 0.0)
    rest = y - mean[up, where] - slope[where] * (x - at[where]) - 0.5 * bend[where] * (x - at[where]) ** 2
    inner = used[where]
    freedom = max(int(np.count_nonzero(inner)) - int(np.count_nonzero(count[:, used])), 1)
    spread = float(np.sqrt(np.sum(rest[inner] ** 2) / freedom))
    error = spread / np.sqrt(np.maximum(np.sum(count, axis=0), 1.0))
    return at[used], middle[used], error[used], half[used], spread


def _spline(series: Sequence[Points], low: float, high: float) -> Fit:
    y = np.concatenate([p.y for p in series])
    x = np.concatenate([p.x for p in series])
    at, middle, error, half, noise = _middle(series, low, high, y)
    if len(at) < 6:
        raise ParameterError(f"{series[0].source}: {len(at)} bins of {series[0].key[0]} have points; a spline needs 6")
    found = smoothed(at, middle, error)
    first, last = at[0], at[-1]
    slopes = found(np.array([first, last]), 1)

    def inside(points: Array) -> Array:
        kept = np.clip(points, first, last)
        return np.asarray(found(kept) + np.where(points < first, slopes[0], slopes[1]) * (points - kept))

    rms, r2 = _quality(y, inside(x))
    loop = 2.0 * float(np.max(np.abs(half)))
    return Fit(
        low, high, "smoothing spline", inside, tuple(series), rms, r2, loop, noise, 0.0, float(np.max(error)), ()
    )


def smoothed(x: Array, y: Array, error: Array) -> Callable[..., Array]:
    """The smoothest cubic spline that leaves as much as the errors explain: Σ ((y - s)/error)² = n [Reinsch1967]."""
    from scipy.interpolate import make_interp_spline, make_smoothing_spline

    if not np.all(error > 1e-9 * max(float(np.ptp(y)), 1e-300)):
        exact: Callable[..., Array] = make_interp_spline(x, y, k=3)
        return exact
    unit = (x[-1] - x[0]) / len(x)  # abscissae of order one: the search for the stiffness needs a scale
    scaled, weights = (x - x[0]) / unit, (float(np.mean(error)) / error) ** 2

    def left(power: float) -> float:
        return float(np.sum(((y - make_smoothing_spline(scaled, y, weights, 10.0**power)(scaled)) / error) ** 2))

    low, high = -6.0, 8.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if left(middle) < len(x) else (low, middle)
    found = make_smoothing_spline(scaled, y, weights, 10.0**low)

    def spline(points: Array, derivative: int = 0) -> Array:
        return np.asarray(found((points - x[0]) / unit, derivative) / unit**derivative)

    return spline


def _quality(y: Array, curve: Array) -> tuple[float, float]:
    rms = float(np.sqrt(np.mean((y - curve) ** 2)))
    variance = float(np.var(y))
    return rms, 1.0 - rms**2 / variance if variance > 0 else 1.0


def _doubts(fit: Fit, y: Array, a: Array) -> list[str]:
    """Whether a polynomial misses its points, oscillates between them, or smooths what is no hysteresis."""
    found: list[str] = []
    at, middle, error, _, _ = _middle(fit.points, fit.low, fit.high, y)
    size = float(np.ptp(middle))
    if size == 0.0 or len(at) < 8:
        return found
    missed = middle - fit.inside(at)
    share = float(np.sqrt(np.mean(missed**2))) / size
    systematic = float(np.sqrt(np.mean(missed**2))) > MISFIT * float(np.median(error))
    if systematic and share > VISIBLE:
        found.append(
            f"misses the middle of its points by {100 * share:.1f} % of their range: it rings; try method: spline"
        )
    bends = _bends(np.asarray(chebyshev.chebval(np.linspace(-1, 1, 201), chebyshev.chebder(a, 2)))) if len(a) > 3 else 0
    usual = _bends(np.diff(np.diff(np.convolve(middle, np.ones(5) / 5, "valid"))))
    if systematic and bends > usual + 1:
        found.append(f"oscillates: {bends} inflections, the points have {usual}; try a lower order, or method: spline")
    if fit.noise > max(0.5 * fit.loop, 0.05 * size) and size > 5.0 * fit.noise:  # what hardly moves does not matter
        text = f"noise of {100 * fit.noise / size:.0f} % of the range, more than the half width of the loop"
        found.append(f"{text}; is the channel the right one?")
    return found


def _bends(second: Array) -> int:
    """Changes of sign of a second derivative, small values left out."""
    large = second[np.abs(second) > 0.1 * float(np.max(np.abs(second)))] if len(second) else second
    return int(np.count_nonzero(np.diff(np.sign(large))))


# ---- grids --------------------------------------------------------------------------------------------------


def grid(low: float, high: float, points: int) -> Array:
    """An even grid from low to high that has 0 where it lies between."""
    if not low < 0.0 < high:
        return np.linspace(low, high, points)
    below = min(max(round((points - 1) * -low / (high - low)), 1), points - 2)
    return np.concatenate([np.linspace(low, 0.0, below + 1)[:-1], np.linspace(0.0, high, points - below)])


def covered(fit: Fit, low: float, high: float, limit: float, sweep: Sweep, key: str, what: str) -> list[str]:
    """Remarks about what is continued; ParameterError where more than a share of the measured range is."""
    span = fit.high - fit.low
    missing = (max(fit.low - low, 0.0), max(high - fit.high, 0.0))
    measured = f"{1e3 * fit.low:.1f} to {1e3 * fit.high:.1f} mm, but {what} is {1e3 * low:.1f} to {1e3 * high:.1f} mm"
    if max(missing) > limit * span:
        raise ParameterError(
            f"{sweep.case.where}: {sweep.columns.get(key, key)!r} ({key}) goes from {measured}; more than "
            f"{100 * limit:.0f} % of what was measured would be a guess. Give a sweep that covers it, or settings: "
            f"travel: [{1e3 * fit.low:.0f} mm, {1e3 * fit.high:.0f} mm], or a larger extrapolate"
        )
    if max(missing) > 0.01 * span:
        return [f"{sweep.case.file.name}: {key} goes from {measured}; continued"]
    return []
