"""Paths: lines in space with continuous curvature, and the way from a point to its place on the line.

A path is a list of stations at equal distances in plan view: s, x, y, z, heading ψ and curvature κ (positive to the
left). Between stations it is the quintic that keeps position, tangent and curvature, so that the line is smooth:

    x' = cos ψ,   y' = sin ψ,   ψ' = κ                                                                       (1)

Made from points, the path is the C² cubic spline over chord length, resampled by its own arc length; made from
curvature (lines, arcs, clothoids), (1) is integrated. s is measured in plan view; ``s_3d`` follows the height.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.core.limits import FARTHEST
from jounce.road.block import Array

if TYPE_CHECKING:
    from jounce.road.native import Sample

# An end nearer to the start than this many mean distances between points closes a path, when the piece that closes it
# turns no more than this from its neighbours: the ends of a U are near too, but nothing leads from one to the other.
CLOSED_WITHIN = 1.5
CLOSED_TURN = math.radians(60)
MOST_STATIONS = 1e6  # of a path: 100 km at 0.1 m, a day's drive at a metre
_AT_REST = 1e-6  # of a line whose parameter is its chord: one is usual
_GAUSS_X, _GAUSS_W = np.polynomial.legendre.leggauss(5)


@dataclass(frozen=True, eq=False)
class Path:
    """A line in space at equally spaced stations.

    Attributes
    ----------
    s : station in plan view, m, from 0; the last station of a closed path is one step before its end
    x, y, z : m
    heading : rad, unwrapped; curvature : 1/m, positive to the left
    closed : whether the end is the start
    left, right : room on both sides, m
    bank : tangent of the bank angle, positive when the left side is up
    speed : m/s, 0 = none
    """

    s: Array
    x: Array
    y: Array
    z: Array
    heading: Array
    curvature: Array
    closed: bool = False
    left: Array | None = None
    right: Array | None = None
    bank: Array | None = None
    speed: Array | None = None
    name: str = ""

    def __post_init__(self) -> None:
        n = len(self.s)
        if n < 2:
            raise ParameterError(f"path: needs at least 2 stations, found {n}")
        for label in ("x", "y", "z", "heading", "curvature", "left", "right", "bank", "speed"):
            values = getattr(self, label)
            if values is None:
                continue
            if np.shape(values) != (n,) or not np.all(np.isfinite(values)):
                raise ParameterError(
                    f"path: {label} needs {n} finite numbers, one per station; found {np.shape(values)}"
                )
        steps = np.diff(self.s)
        if self.s[0] != 0 or not np.allclose(steps, steps[0], rtol=1e-6, atol=0) or not steps[0] > 0:
            raise ParameterError("path: stations must start at 0 and lie at equal distances; use Path.from_points")

    # -- sizes --------------------------------------------------------------------------------------------
    @property
    def step(self) -> float:
        return float(self.s[-1] / (len(self.s) - 1))

    @property
    def length(self) -> float:
        """In plan view, m."""
        return float(self.s[-1]) + (self.step if self.closed else 0.0)

    @property
    def slope(self) -> Array:
        """dz/ds."""
        if self.closed:
            return np.asarray((np.roll(self.z, -1) - np.roll(self.z, 1)) / (2 * self.step))
        return np.gradient(self.z, self.step, edge_order=2 if len(self.z) > 2 else 1)

    @property
    def vertical_curvature(self) -> Array:
        """d²z/ds², positive in a dip."""
        if self.closed:
            return np.asarray((np.roll(self.z, -1) - 2 * self.z + np.roll(self.z, 1)) / self.step**2)
        slope = np.gradient(self.z, self.step, edge_order=2 if len(self.z) > 2 else 1)
        return np.gradient(slope, self.step, edge_order=2 if len(self.z) > 2 else 1)

    @property
    def s_3d(self) -> Array:
        """Way along the line in space, by chords, m."""
        chords = np.sqrt(np.diff(self.x) ** 2 + np.diff(self.y) ** 2 + np.diff(self.z) ** 2)
        return np.concatenate([[0.0], np.cumsum(chords)])

    @property
    def width(self) -> Array | None:
        return None if self.left is None or self.right is None else self.left + self.right

    # -- makers -------------------------------------------------------------------------------------------
    @classmethod
    def from_points(
        cls,
        points: npt.ArrayLike,
        *,
        closed: bool | None = None,
        step: float | None = None,
        smoothing: float = 0.0,
        left: npt.ArrayLike | None = None,
        right: npt.ArrayLike | None = None,
        bank: npt.ArrayLike | None = None,
        speed: npt.ArrayLike | None = None,
        name: str = "",
    ) -> Path:
        """Through points (n, 2) or (n, 3), by a spline of continuous curvature.

        Parameters
        ----------
        closed : what is said counts. By default closed when the first point is repeated at the end (it is left out),
            or when the ends are as near as neighbours (1.5 mean distances) and the piece between them goes on in the
            direction of the line, with turns of at most 60 degrees
        step : distance of stations, m; chosen from the points by default
        smoothing : root mean square distance that the line may keep from the points, m; open paths only
        left, right, bank, speed : one number or one per point
        """
        p = np.asarray(points, dtype=float)
        if p.ndim != 2 or p.shape[1] not in (2, 3) or len(p) < 2:
            raise ParameterError(f"path: needs at least two points of two or three coordinates; found shape {p.shape}")
        if not np.all(np.isfinite(p)):
            raise ParameterError(f"path: point {int(np.argmax(~np.isfinite(p).all(axis=1))) + 1} is not finite")
        far = np.abs(p).max(axis=1) > FARTHEST
        if far.any():
            i = int(np.argmax(far))
            raise ParameterError(f"path: point {i + 1} is {np.abs(p[i]).max():.4g} m from the origin; check its units")
        extra = {"left": left, "right": right, "bank": bank, "speed": speed}
        given = {k: np.broadcast_to(np.asarray(v, dtype=float), (len(p),)) for k, v in extra.items() if v is not None}
        if p.shape[1] == 2:
            p = np.column_stack([p, np.zeros(len(p))])
        chords = np.hypot(*np.diff(p[:, :2], axis=0).T)
        gap = float(math.hypot(*(p[0, :2] - p[-1, :2])))
        if closed is None:
            closed = len(p) > 3 and gap <= CLOSED_WITHIN * float(chords.mean()) and _leads_on(p[:, :2], gap)
        if closed and gap < 1e-9 * max(1.0, float(chords.sum())):
            p, chords = p[:-1], chords[:-1]
            given = {k: v[:-1] for k, v in given.items()}
        if not np.all(chords > 0):
            i = int(np.argmax(chords <= 0))
            raise ParameterError(f"path: points {i + 1} and {i + 2} are the same")
        if closed and len(p) < 3:
            raise ParameterError("path: a closed path needs at least three points")
        t, curve = _spline(p, chords, closed, smoothing)
        return _resampled(t, curve, p, given, closed, step, name)

    @classmethod
    def from_curvature(
        cls,
        s: npt.ArrayLike,
        curvature: npt.ArrayLike,
        *,
        step: float | None = None,
        x: float = 0.0,
        y: float = 0.0,
        heading: float = 0.0,
        z: Callable[[Array], Array] | float = 0.0,
        closed: bool = False,
        name: str = "",
    ) -> Path:
        """From a curvature that is straight between rows: lines, arcs and clothoids, by integration of (1).

        Two rows at the same place are a jump of curvature.
        """
        k, kappa = np.asarray(s, dtype=float), np.asarray(curvature, dtype=float)
        if k.ndim != 1 or len(k) < 2 or k.shape != kappa.shape or not np.all(np.diff(k) >= 0) or not k[-1] > k[0]:
            raise ParameterError("path: needs at least two rows of ascending place and curvature")
        if not (np.all(np.isfinite(k)) and np.all(np.isfinite(kappa))):
            raise ParameterError("path: places and curvatures must be finite")
        length = float(k[-1] - k[0])
        largest = float(np.max(np.abs(kappa)))
        step = step or min(1.0, length / 4, 0.1 / largest if largest > 0 else 1.0)
        _check_size(length, step)
        n = max(2, math.ceil(length / step - 1e-9))
        stations = np.linspace(0.0, length, n + 1)
        psi, dx, dy = _integrate(k - k[0], kappa, stations)
        c, sn = math.cos(heading), math.sin(heading)
        xs, ys, psi = x + c * dx - sn * dy, y + sn * dx + c * dy, heading + psi
        kappas = _interp_right(k - k[0], kappa, stations)
        heights = np.full(n + 1, z) if isinstance(z, int | float) else np.asarray(z(stations), dtype=float)
        if closed:
            turn = float(psi[-1] - psi[0])
            miss = math.hypot(xs[-1] - xs[0], ys[-1] - ys[0])
            if miss > 1e-3 + 1e-6 * length or abs(turn - 2 * math.pi * round(turn / (2 * math.pi))) > 1e-4:
                raise ParameterError(
                    f"path: said to be closed, but its end is {miss:.4g} m from its start and turned by "
                    f"{math.degrees(math.remainder(turn, 2 * math.pi)):.4g} deg"
                )
            cut = slice(0, -1)
            stations, xs, ys, psi, kappas, heights = (a[cut] for a in (stations, xs, ys, psi, kappas, heights))
        return cls(stations, xs, ys, heights, psi, kappas, closed, name=name)

    @classmethod
    def straight(cls, length: float, *, step: float = 1.0, name: str = "straight") -> Path:
        return cls.from_curvature([0.0, length], [0.0, 0.0], step=step, name=name)

    # -- use ----------------------------------------------------------------------------------------------
    def at(self, s: npt.ArrayLike, what: str = "xyz") -> Array:
        """Values at stations: ``xyz`` (…, 3) on the smooth line, else an attribute, linear between stations."""
        q = np.asarray(s, dtype=float)
        q = np.mod(q, self.length) if self.closed else np.clip(q, 0.0, self.length)
        n = len(self.s)
        i = np.clip((q / self.step).astype(int), 0, n - 1 if self.closed else n - 2)
        j = (i + 1) % n
        u = q / self.step - i
        if what != "xyz":
            values = getattr(self, what)
            if values is None:
                raise ParameterError(f"path: has no {what}")
            after = values[j]
            if what == "heading" and self.closed:
                turn = round((values[-1] - values[0]) / (2 * math.pi)) or round(
                    (values[-1] + (values[-1] - values[-2]) - values[0]) / (2 * math.pi)
                )
                after = np.where(j == 0, after + 2 * math.pi * turn, after)
            return np.asarray(values[i] + u * (after - values[i]))
        out = [_quintic(self, axis, i, j, u) for axis in (0, 1)]
        heights = self._height_spline(q)
        return np.stack([*out, heights], axis=-1)

    @cached_property
    def _height_spline(self) -> Any:
        from scipy.interpolate import CubicSpline

        if self.closed:
            s, z = np.append(self.s, self.length), np.append(self.z, self.z[0])
            return CubicSpline(s, z, bc_type="periodic")
        return CubicSpline(self.s, self.z) if len(self.s) > 2 else lambda s: np.interp(s, self.s, self.z)

    def project(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Sample:
        """The nearest place on the line, in constant time: ``station``, ``offset`` to the left, ``direction``, …"""
        from jounce.road.native import query

        return query(self._block, x, y)

    @cached_property
    def _block(self) -> Any:
        from jounce.road.line import LineRoad

        return LineRoad(path=self, end="extrapolate", use_path=False).block

    def resampled(self, step: float) -> Path:
        """The same line with other distances of stations."""
        if not step > 0:
            raise ParameterError(f"path: step = {step:g} m; must be > 0")
        n = max(3 if self.closed else 1, math.ceil(self.length / step - 1e-9))
        s = np.linspace(0.0, self.length, n + 1)
        if self.closed:
            s = s[:-1]
        p = self.at(s)
        there = [k for k in ("left", "right", "bank", "speed") if getattr(self, k) is not None]
        extra: dict[str, Any] = {k: self.at(s, k) for k in there}
        heading, curvature = self.at(s, "heading"), self.at(s, "curvature")
        # tangent and curvature of the smooth line itself, not of straight lines between stations
        i = np.clip((s / self.step).astype(int), 0, len(self.s) - (1 if self.closed else 2))
        j, u = (i + 1) % len(self.s), s / self.step - i
        d = [_quintic(self, axis, i, j, u, 1) for axis in (0, 1)]
        dd = [_quintic(self, axis, i, j, u, 2) for axis in (0, 1)]
        exact = np.arctan2(d[1], d[0])
        heading = heading + np.remainder(exact - heading + math.pi, 2 * math.pi) - math.pi
        curvature = (d[0] * dd[1] - d[1] * dd[0]) / np.hypot(*d) ** 3
        return replace(self, s=s, x=p[:, 0], y=p[:, 1], z=p[:, 2], heading=heading, curvature=curvature, **extra)

    def reversed(self) -> Path:
        """The same line the other way round."""

        def back(a: Array | None, sign: float = 1.0) -> Any:
            return None if a is None else np.asarray(sign * (np.roll(a[::-1], 1) if self.closed else a[::-1]))

        return replace(
            self,
            x=back(self.x),
            y=back(self.y),
            z=back(self.z),
            heading=np.unwrap(back(self.heading) + math.pi),
            curvature=back(self.curvature, -1.0),
            left=back(self.right),
            right=back(self.left),
            bank=back(self.bank, -1.0),
            speed=back(self.speed),
        )

    def mirrored(self) -> Path:
        """The line whose left is right: reflected in the x axis."""
        return replace(
            self,
            y=-self.y,
            heading=-self.heading,
            curvature=-self.curvature,
            left=self.right,
            right=self.left,
            bank=None if self.bank is None else -self.bank,
        )

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0, heading: float = 0.0) -> Path:
        """Turned about the origin, then shifted."""
        c, s = math.cos(heading), math.sin(heading)
        return replace(
            self,
            x=x + c * self.x - s * self.y,
            y=y + s * self.x + c * self.y,
            z=self.z + z,
            heading=self.heading + heading,
        )

    def road(self, **options: Any) -> Any:
        """A road along this path, with its widths, banks and heights; see ``jounce.road.line.LineRoad``."""
        from jounce.road.line import LineRoad

        return LineRoad(path=self, **options)


def joined(segments: Sequence[tuple[float, float, float]], **options: Any) -> Path:
    """A path of segments (length, curvature at its start, curvature at its end)."""
    s, kappa, at = [], [], 0.0
    for i, (length, first, last) in enumerate(segments):
        if not length > 0:
            raise ParameterError(f"path: segment {i + 1} has length {length:g} m; must be > 0")
        s += [at, at + length]
        kappa += [first, last]
        at += length
    return Path.from_curvature(s, kappa, **options)


# --- inside ---------------------------------------------------------------------------------------------------------


def _leads_on(p: Array, gap: float) -> bool:
    """Whether the line goes on from its last point over the gap to its first one without a sharp turn."""
    before, after = p[-1] - p[-2], p[1] - p[0]
    if gap < 1e-9 * max(1.0, float(np.abs(p - p[0]).max())):
        return True  # the first point again
    # across a short gap the noise of the two points gives the direction, not the line; both turns are then one
    short = gap < 0.25 * min(math.hypot(*before), math.hypot(*after))
    pieces = [before, after] if short else [before, p[0] - p[-1], after]
    turns = [math.atan2(a[0] * b[1] - a[1] * b[0], float(a @ b)) for a, b in itertools.pairwise(pieces)]
    return max(map(abs, turns)) <= (2 if short else 1) * CLOSED_TURN + 1e-6


def _quintic(path: Path, axis: int, i: Any, j: Any, u: Array, order: int = 0) -> Array:
    """A coordinate between stations i and j at u = 0 … 1, or its derivative along s."""
    h = path.step
    p = (path.x, path.y)[axis]
    angle = path.heading - axis * 0.5 * math.pi  # cos ψ, sin ψ
    d = np.cos(angle)
    dd = -path.curvature * np.sin(angle)
    e, a0, a1, b0, b1 = p[j] - p[i], h * d[i], h * d[j], h * h * dd[i], h * h * dd[j]
    c3 = 10 * e - 6 * a0 - 4 * a1 - 1.5 * b0 + 0.5 * b1
    c4 = -15 * e + 8 * a0 + 7 * a1 + 1.5 * b0 - b1
    c5 = 6 * e - 3 * (a0 + a1) - 0.5 * (b0 - b1)
    if order == 1:
        return np.asarray((a0 + u * (b0 + u * (3 * c3 + u * (4 * c4 + u * 5 * c5)))) / h)
    if order == 2:
        return np.asarray((b0 + u * (6 * c3 + u * (12 * c4 + u * 20 * c5))) / h**2)
    return np.asarray(p[i] + u * (a0 + u * (0.5 * b0 + u * (c3 + u * (c4 + u * c5)))))


def _interp_right(k: Array, values: Array, s: Array) -> Array:
    """Straight between rows; at a jump the value behind it."""
    i = np.clip(np.searchsorted(k, s, side="right") - 1, 0, len(k) - 2)
    width = k[i + 1] - k[i]
    u = np.divide(s - k[i], width, out=np.ones_like(s), where=width > 0)
    return np.asarray(values[i] + u * (values[i + 1] - values[i]))


def _integrate(k: Array, kappa: Array, stations: Array) -> tuple[Array, Array, Array]:
    """Heading and position at stations, by Gauss quadrature between all stations and rows."""
    cuts = np.unique(np.concatenate([stations, k]))
    # the heading is exact: κ is straight between rows
    rows_psi = np.concatenate([[0.0], np.cumsum(0.5 * (kappa[1:] + kappa[:-1]) * np.diff(k))])

    def psi_at(s: Array) -> Array:
        i = np.clip(np.searchsorted(k, s, side="right") - 1, 0, len(k) - 2)
        width = k[i + 1] - k[i]
        d = s - k[i]
        rate = np.divide(kappa[i + 1] - kappa[i], width, out=np.zeros_like(d), where=width > 0)
        return np.asarray(rows_psi[i] + d * (kappa[i] + 0.5 * d * rate))

    a, h = cuts[:-1], np.diff(cuts)
    nodes = a[:, None] + 0.5 * h[:, None] * (1 + _GAUSS_X)
    angles = psi_at(nodes)
    x = np.concatenate([[0.0], np.cumsum(0.5 * h * (np.cos(angles) @ _GAUSS_W))])
    y = np.concatenate([[0.0], np.cumsum(0.5 * h * (np.sin(angles) @ _GAUSS_W))])
    at = np.searchsorted(cuts, stations)
    return psi_at(stations), x[at], y[at]


def _check_apart(t: Array) -> None:
    if not (np.isfinite(t).all() and np.all(np.diff(t) > 0)):
        k = int(np.argmin(np.diff(t) > 0)) if np.isfinite(t).all() else 0
        raise ParameterError(f"path: points {k} and {k + 1} cannot be told apart beside the length of the path")


def _spline(p: Array, chords: Array, closed: bool, smoothing: float) -> tuple[Array, Any]:
    """Parameters of the points and the spline through (or near) them."""
    from scipy.interpolate import CubicSpline, make_smoothing_spline

    if closed:
        gap = math.hypot(*(p[0, :2] - p[-1, :2]))
        t = np.concatenate([[0.0], np.cumsum(chords), [float(chords.sum()) + gap]])
        p = np.vstack([p, p[:1]])
        if smoothing > 0:
            raise ParameterError("path: smoothing is for open paths only")
        _check_apart(t)
        return t, CubicSpline(t, p, bc_type="periodic")
    t = np.concatenate([[0.0], np.cumsum(chords)])
    _check_apart(t)
    if len(p) == 2:
        return t, CubicSpline(t, p, bc_type="natural")
    if smoothing > 0:
        if len(p) < 5:
            raise ParameterError("path: smoothing needs at least five points")
        p = _smoothed(t, p, smoothing, make_smoothing_spline)
    return t, CubicSpline(t, p)


def _smoothed(t: Array, p: Array, distance: float, make: Any) -> Array:
    """Points moved onto the smoothing spline that keeps the wanted root mean square distance from them."""
    scale = t[-1] / t.size

    def fitted(log_lambda: float) -> tuple[Array, float]:
        weight = 10.0**log_lambda * scale**3
        found = np.column_stack([make(t, column, lam=weight)(t) for column in p.T])
        return found, float(np.sqrt(np.mean(np.sum((found - p)[:, :2] ** 2, axis=1))))

    low, high = -9.0, 9.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        _found, away = fitted(middle)
        if away > distance:
            high = middle
        else:
            low = middle
    return fitted(low)[0]


def _check_size(length: float, step: float) -> None:
    if not length / step <= MOST_STATIONS:
        raise ParameterError(
            f"path: {length:.4g} m long with stations every {step:.4g} m: more than {MOST_STATIONS:.0e} of them; "
            "check its units, or give a larger step"
        )


def _resampled(
    t: Array, curve: Any, p: Array, given: dict[str, Array], closed: bool, step: float | None, name: str
) -> Path:
    """Stations at equal arc length of a parametric spline."""
    rate, bend = curve.derivative(1), curve.derivative(2)
    # arc length at fine knots by Gauss quadrature
    fine = np.unique(np.concatenate([np.linspace(a, b, 9) for a, b in itertools.pairwise(t)]))
    a, h = fine[:-1], np.diff(fine)
    nodes = a[:, None] + 0.5 * h[:, None] * (1 + _GAUSS_X)
    speed = np.hypot(*np.moveaxis(rate(nodes)[..., :2], -1, 0))
    arc = np.concatenate([[0.0], np.cumsum(0.5 * h * (speed @ _GAUSS_W))])
    length = float(arc[-1])
    d, dd = rate(fine)[:, :2].T, bend(fine)[:, :2].T
    kappa = np.abs(d[0] * dd[1] - d[1] * dd[0]) / np.maximum(np.hypot(*d), 1e-12) ** 3
    if step is None:
        spacing = length / (len(t) - 1)
        step = float(np.clip(min(spacing / 4, 0.1 / max(float(kappa.max()), 1e-9)), 0.02, 2.0))
    _check_size(length, step)
    n = max(4 if closed else 2, math.ceil(length / step - 1e-9))
    s = np.linspace(0.0, length, n + 1)
    at = np.interp(s, arc, fine)
    if float(np.hypot(*d).min()) < _AT_REST:
        i = min(int(np.argmin(np.hypot(*d))) // 8, len(p) - 1)
        raise ParameterError(f"path: turns back on itself near point {i + 1}; a line must go on")
    for _ in range(4):  # Newton: arc length of the parameter against the station
        i = np.clip(np.searchsorted(fine, at, side="right") - 1, 0, len(fine) - 2)
        half = 0.5 * (at - fine[i])
        inner = fine[i][:, None] + half[:, None] * (1 + _GAUSS_X)
        way = arc[i] + half * (np.hypot(*np.moveaxis(rate(inner)[..., :2], -1, 0)) @ _GAUSS_W)
        at = np.clip(at - (way - s) / np.maximum(np.hypot(*rate(at)[:, :2].T), _AT_REST), t[0], t[-1])
    if closed:
        s, at = s[:-1], at[:-1]
    xyz, d, dd = curve(at), rate(at), bend(at)
    heading = np.unwrap(np.arctan2(d[:, 1], d[:, 0]))
    curvature = (d[:, 0] * dd[:, 1] - d[:, 1] * dd[:, 0]) / np.maximum(np.hypot(d[:, 0], d[:, 1]), _AT_REST) ** 3
    extra = {}
    for key, values in given.items():
        extra[key] = np.interp(at, t, np.append(values, values[0]) if closed else values)
    return Path(s, xyz[:, 0], xyz[:, 1], xyz[:, 2], heading, curvature, closed, name=name, **extra)
