"""Curves of one argument: heights, banks, widths and frictions along a road, profiles of bumps.

A curve is a list of pieces between ascending knots. With d the distance from the knot at which a piece starts,

    f = c0 + c1 d + c2 d² + c3 d³ + c4 d⁴ + c5 d⁵                      polynomial                              (1)
    f = c0 + c1 sin(c2 + c3 d + c4 d²)                                 sine; with c4 its wavelength changes    (2)

What lies beyond the first and last knot is the border mode: ``hold`` the end value, ``zero``, ``repeat``, ``mirror``,
or ``extrapolate`` with the slope of the end. ``Samples`` is the same for values at equal distances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.road.block import BORDERS, Array, Writer, border_code

CLOSEST = 1e-12  # m, of places on a road: slopes between closer ones are no numbers
LARGEST = 1e15  # of a value: slopes between the closest places are still numbers
CURVE_BORDERS = ("zero", "hold", "repeat", "mirror", "extrapolate")


def _ascending(s: npt.ArrayLike, what: str, least: int = 2) -> Array:
    knots = np.asarray(s, dtype=float)
    if knots.ndim != 1 or len(knots) < least:
        raise ParameterError(f"{what}: needs at least {least} places, found {knots.size}")
    if not np.all(np.isfinite(knots)):
        raise ParameterError(f"{what}: places must be finite numbers")
    steps = np.diff(knots)
    if not np.all(steps >= CLOSEST):
        i = int(np.argmax(steps < CLOSEST))
        how = "" if steps[i] <= 0 else f" by at least {CLOSEST:g} m"
        raise ParameterError(f"{what}: places must ascend{how}; found {knots[i + 1]:g} after {knots[i]:g}")
    return knots


def _values(values: npt.ArrayLike, n: int, what: str) -> Array:
    v = np.asarray(values, dtype=float)
    if v.shape != (n,) or not np.all(np.isfinite(v)):
        raise ParameterError(f"{what}: needs {n} finite values, one per place; found shape {v.shape}")
    if np.abs(v).max(initial=0.0) > LARGEST:
        raise ParameterError(f"{what}: found the value {v[np.argmax(np.abs(v))]:g}; no road has such a number")
    return v


@dataclass(frozen=True, eq=False)
class Curve:
    """A function of one argument, made of pieces (1), (2)."""

    knots: Array  # n + 1
    pieces: Array  # (n, 7): 0 and six coefficients, or 1 and c0 … c4, 0
    border: str = "hold"

    def __post_init__(self) -> None:
        border_code(self.border, CURVE_BORDERS)

    # -- makers -------------------------------------------------------------------------------------------
    @classmethod
    def constant(cls, value: float) -> Curve:
        return cls(np.array([0.0, 1.0]), np.array([[0.0, value, 0, 0, 0, 0, 0]]))

    @classmethod
    def linear(cls, s: npt.ArrayLike, values: npt.ArrayLike, border: str = "hold", what: str = "curve") -> Curve:
        """Straight lines between points."""
        if np.size(s) == 1 and np.size(values) == 1:
            return cls.constant(float(np.ravel(values)[0]))
        k = _ascending(s, what)
        v = _values(values, len(k), what)
        pieces = np.zeros((len(k) - 1, 7))
        pieces[:, 1], pieces[:, 2] = v[:-1], np.diff(v) / np.diff(k)
        return cls(k, pieces, border)

    @classmethod
    def step5(cls, s: npt.ArrayLike, values: npt.ArrayLike, border: str = "hold", what: str = "curve") -> Curve:
        """From value to value with zero slope and curvature at each: f_i + Δf ξ³ (10 − 15 ξ + 6 ξ²)."""
        if np.size(s) == 1 and np.size(values) == 1:
            return cls.constant(float(np.ravel(values)[0]))
        k = _ascending(s, what)
        v = _values(values, len(k), what)
        h, d = np.diff(k), np.diff(v)
        pieces = np.zeros((len(k) - 1, 7))
        pieces[:, 1] = v[:-1]
        pieces[:, 4], pieces[:, 5], pieces[:, 6] = 10 * d / h**3, -15 * d / h**4, 6 * d / h**5
        return cls(k, pieces, border)

    @classmethod
    def cubic(cls, s: npt.ArrayLike, values: npt.ArrayLike, border: str = "hold", what: str = "curve") -> Curve:
        """The interpolating cubic spline; ``repeat`` makes it periodic (first value = last value)."""
        from scipy.interpolate import CubicSpline

        k = _ascending(s, what)
        v = _values(values, len(k), what)
        periodic = border == "repeat"
        if periodic:
            v = np.append(v[:-1], v[0])
        end = "periodic" if periodic else "not-a-knot" if len(k) > 2 else "natural"
        spline = CubicSpline(k, v, bc_type=end)
        pieces = np.zeros((len(k) - 1, 7))
        pieces[:, 1:5] = spline.c[::-1].T
        return cls(k, pieces, border)

    # -- use ----------------------------------------------------------------------------------------------
    @property
    def first(self) -> float:
        return float(self.knots[0])

    @property
    def last(self) -> float:
        return float(self.knots[-1])

    def scaled(self, factor: float) -> Curve:
        pieces = self.pieces.copy()
        sines = pieces[:, 0] != 0
        pieces[~sines, 1:] *= factor
        pieces[sines, 1:3] *= factor
        return replace(self, pieces=pieces)

    def raised(self, height: float) -> Curve:
        pieces = self.pieces.copy()
        pieces[:, 1] += height
        return replace(self, pieces=pieces)

    def __call__(self, s: npt.ArrayLike) -> Array:
        """Values in numpy, for pictures and checks."""
        at = np.asarray(s, dtype=float)
        a, b = self.first, self.last
        inside = (at >= a) & (at <= b)
        x = at
        if self.border == "repeat":
            x = np.where(inside, at, a + np.mod(at - a, b - a))
        elif self.border == "mirror":
            r = np.mod(at - a, 2 * (b - a))
            x = np.where(inside, at, a + np.where(r > b - a, 2 * (b - a) - r, r))
        else:
            x = np.clip(at, a, b)
        i = np.clip(np.searchsorted(self.knots, x, side="right") - 1, 0, len(self.pieces) - 1)
        d, p = x - self.knots[i], self.pieces[i]
        c = np.moveaxis(p, -1, 0)
        poly = c[1] + d * (c[2] + d * (c[3] + d * (c[4] + d * (c[5] + d * c[6]))))
        value = np.where(c[0] == 0, poly, c[1] + c[2] * np.sin(c[3] + d * (c[4] + d * c[5])))
        if self.border == "zero":
            value = np.where(inside, value, 0.0)
        if self.border == "extrapolate":
            h = 1e-6 * (b - a)
            ends = Curve(self.knots, self.pieces)(np.array([a, a + h, b - h, b]))
            value = value + np.where(at < a, (ends[1] - ends[0]) / h * (at - a), 0.0)
            value = value + np.where(at > b, (ends[3] - ends[2]) / h * (at - b), 0.0)
        return np.asarray(value)

    def write(self, writer: Writer) -> float:
        return writer.pieces(self.knots, self.pieces, self.border)


@dataclass(frozen=True, eq=False)
class Samples:
    """Values at equal distances: straight lines between them, or (``cubic``) a smooth curve through them."""

    start: float
    step: float
    values: Array
    border: str = "zero"
    cubic: bool = True

    def __post_init__(self) -> None:
        border_code(self.border, CURVE_BORDERS)
        if not (self.step > 0 and len(self.values) >= 2):
            raise ParameterError(
                f"samples: step {self.step:g} m, {len(self.values)} values; needs a positive step and 2 values"
            )

    @property
    def first(self) -> float:
        return self.start

    @property
    def last(self) -> float:
        return self.start + self.step * (len(self.values) - 1)

    def write(self, writer: Writer) -> float:
        return writer.samples(self.start, self.step, self.values, self.border, self.cubic)


AnyCurve = Curve | Samples


def as_curve(value: float | Sequence[Sequence[float]] | Curve, what: str, border: str = "hold") -> Curve:
    """A number, a list of (place, value), or a curve."""
    if isinstance(value, Curve):
        return value
    if isinstance(value, int | float):
        return Curve.constant(float(value))
    rows = np.asarray(value, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ParameterError(f"{what}: expected a number or rows of (place, value); found shape {rows.shape}")
    return Curve.linear(rows[:, 0], rows[:, 1], border, what)


# --- profiles of bumps ----------------------------------------------------------------------------------------------


def _positive(**numbers: float) -> None:
    for name, value in numbers.items():
        if not (math.isfinite(value) and value > 0):
            raise ParameterError(f"profile: {name} = {value:g}; must be > 0")


def flat_top(length: float, edge: float, height: float = 1.0) -> Curve:
    """From 0 up to the height over an edge, level, and down again: total length along the base, centred at zero."""
    _positive(length=length, edge=edge)
    if 2 * edge > length * (1 + 1e-12):
        raise ParameterError(f"profile: two edges of {edge:g} m do not fit into a length of {length:g} m")
    a, b = -0.5 * length, 0.5 * length
    if 2 * edge >= length * (1 - 1e-12):
        return Curve.linear([a, 0.0, b], [0, height, 0], "zero")
    return Curve.linear([a, a + edge, b - edge, b], [0, height, height, 0], "zero")


def cosine_bump(height: float, length: float) -> Curve:
    """½ h (1 + cos(2π x/l)), centred at zero."""
    _positive(length=length)
    # as a sine: phase at the start is −π/2, where the height is zero
    pieces = [[1.0, 0.5 * height, 0.5 * height, -0.5 * math.pi, 2 * math.pi / length, 0.0, 0.0]]
    return Curve(np.array([-0.5 * length, 0.5 * length]), np.array(pieces), "zero")


def sine(amplitude: float, wavelength: float, length: float, phase: float = 0.0) -> Curve:
    """a sin(2π x/λ + phase) from 0 to the length; zero elsewhere (continuous for whole waves and no phase)."""
    _positive(wavelength=wavelength, length=length)
    pieces = [[1.0, 0.0, amplitude, phase, 2 * math.pi / wavelength, 0.0, 0.0]]
    return Curve(np.array([0.0, length]), np.array(pieces), "zero")


def chirp(amplitude: float, first_wavelength: float, last_wavelength: float, length: float) -> Curve:
    """A sine whose wave number changes linearly; the length is rounded to whole waves, so that both ends are zero."""
    _positive(first_wavelength=first_wavelength, last_wavelength=last_wavelength, length=length)
    k0, k1 = 2 * math.pi / first_wavelength, 2 * math.pi / last_wavelength
    waves = max(1, round(0.5 * (k0 + k1) * length / (2 * math.pi)))
    exact = waves * 2 * math.pi / (0.5 * (k0 + k1))
    pieces = [[1.0, 0.0, amplitude, 0.0, k0, 0.5 * (k1 - k0) / exact, 0.0]]
    return Curve(np.array([0.0, exact]), np.array(pieces), "zero")


def ramp(height: float, length: float, smooth: bool = True) -> Curve:
    """From 0 up to a height, which then stays."""
    _positive(length=length)
    make = Curve.step5 if smooth else Curve.linear
    return make([0.0, length], [0.0, height], "hold")


assert set(CURVE_BORDERS) < set(BORDERS)
