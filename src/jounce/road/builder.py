"""Roads put together from parts: a line of straights, arcs and clothoids, and what lies on and beside it.

    road = (RoadBuilder("example", left=4, right=4)
            .straight(200).clothoid(40, 0, 1/80).arc(80, 90).clothoid(40, 1/80, 0)
            .height([(0, 0), (150, 2)]).bank([(0, 0), (260, 0.05)])
            .pothole(s=100, n=1.0, depth=0.06, length=0.6, width=0.4)
            .patch(s0=120, s1=160, n0=-4, n1=0, friction=0.3)
            .build())

Signs: left is positive; angles of arcs in degrees here, as they are on drawings. Heights and banks go smoothly from
row to row (STEP5); widths and frictions go straight.

Features are placed by station and offset and lie in the plane of both: they follow the line, and no other part of a
road that bends back has them. Their lengths are those along the line. Without a width they reach from edge to edge and
go on beside the road as its surface does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.block import Frame
from jounce.road.curve import Curve, as_curve, chirp, cosine_bump, flat_top, sine
from jounce.road.irregular import DEFAULT_SEED, iso_8608, synthesise
from jounce.road.line import ENDS, SIDES, Feature, Kerb, LineRoad, station_range
from jounce.road.path import Path, joined
from jounce.road.remarks import line_remarks
from jounce.road.simple import Bump, Patch, round_pothole

Rows = float | Sequence[Sequence[float]]
MOST_FRICTION = 5.0  # times that of the tire's data
STEEPEST = 5.0  # slope of banks, crowns and kerbs: 79 deg
_FAR = 1e4  # m beside the line: as far as a patch without a limit goes


class RoadBuilder:
    """Collects the parts of a road; `build` makes it. Every call returns the builder."""

    def __init__(
        self, name: str = "road", left: Rows = 4.0, right: Rows = 4.0, friction: Rows = 1.0, step: float = 0.5
    ) -> None:
        self.name, self.step = name, step
        _checked(left, "width", 0.0, math.inf)
        _checked(right, "width", 0.0, math.inf)
        _checked(friction, "friction", 0.0, MOST_FRICTION, "; 30 % is 0.3")
        self._segments: list[tuple[float, float, float]] = []
        self._path: Path | None = None
        self._options: dict[str, Any] = {"left": left, "right": right, "friction": friction}
        self.placed: list[tuple[str, Feature]] = []
        self._start: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
        self._closed = False
        self._unevenness: dict[str, Any] | None = None

    # -- the line -----------------------------------------------------------------------------------------
    def start(self, x: float = 0.0, y: float = 0.0, z: float = 0.0, heading: float = 0.0) -> RoadBuilder:
        """Where the line begins; heading in rad. Heights of `height` count from z."""
        for key, value in (("x", x), ("y", y), ("z", z), ("heading", heading)):
            if not math.isfinite(value):
                raise ParameterError(f"start: {key} = {value:g}; must be a finite number")
        self._start = (x, y, z, heading)
        return self

    def straight(self, length: float) -> RoadBuilder:
        return self.segment(length, 0.0, 0.0)

    def arc(self, radius: float, angle: float) -> RoadBuilder:
        """A circular arc; the angle in degrees, positive to the left."""
        if not (math.isfinite(radius) and radius > 0 and math.isfinite(angle) and angle):
            raise ParameterError(
                f"arc: radius {radius:g} m, angle {angle:g} deg; the radius must be > 0, the angle not 0"
            )
        kappa = math.copysign(1 / radius, angle)
        return self.segment(radius * math.radians(abs(angle)), kappa, kappa)

    def clothoid(self, length: float, first: float, last: float) -> RoadBuilder:
        """A piece whose curvature (1/m, positive to the left) changes linearly."""
        return self.segment(length, first, last)

    def segment(self, length: float, first: float, last: float) -> RoadBuilder:
        if not (math.isfinite(length) and length > 0):
            raise ParameterError(f"segment {len(self._segments) + 1}: length {length:g} m; must be > 0")
        if not (math.isfinite(first) and math.isfinite(last)):
            raise ParameterError(
                f"segment {len(self._segments) + 1}: curvature {first:g} to {last:g} 1/m; must be finite"
            )
        self._segments.append((length, first, last))
        return self

    def along(self, path: Path) -> RoadBuilder:
        """Take a path instead of segments, with its heights, widths and banks unless others are given."""
        self._path = path
        if path.left is not None:
            self._options["left"] = None
        if path.right is not None:
            self._options["right"] = None
        return self

    def close(self) -> RoadBuilder:
        """The segments, or the path, end where they began (checked)."""
        self._closed = True
        return self

    # -- along it -----------------------------------------------------------------------------------------
    def width(self, left: Rows, right: Rows | None = None) -> RoadBuilder:
        right = left if right is None else right
        for rows in (left, right):
            _checked(rows, "width", 0.0, math.inf)
        self._options["left"], self._options["right"] = left, right
        return self

    def height(self, rows: Rows) -> RoadBuilder:
        """Rows of (s, z above that of `start`), or one number."""
        self._options["height"] = _smooth(_checked(rows, "height", -math.inf, math.inf), "height")
        return self

    def bank(self, rows: Rows) -> RoadBuilder:
        """Rows of (s, tangent of the bank angle), or one number; positive: left side up."""
        table = _checked(rows, "bank", -STEEPEST, STEEPEST, "; it is the tangent of the angle")
        self._options["bank"] = _smooth(table, "bank")
        return self

    def friction(self, left: Rows, right: Rows | None = None) -> RoadBuilder:
        """Of both sides, or of each (µ-split)."""
        for rows in (left, right):
            if rows is not None:
                _checked(rows, "friction", 0.0, MOST_FRICTION, "; 30 % is 0.3")
        self._options["friction"], self._options["friction_right"] = left, right
        return self

    def kerb(self, side: str, **strips: float) -> RoadBuilder:
        """slope_1, width_1, friction_1, slope_2, width_2, friction_2 of two strips outside an edge."""
        if side not in ("left", "right"):
            raise ParameterError(f"kerb: side = {side!r}; allowed: left, right")
        usual = {"slope_1": 0.1, "width_1": 0.5, "friction_1": 0.9, "slope_2": 0.0, "width_2": 0.5, "friction_2": 0.7}
        unknown = set(strips) - set(usual)
        if unknown:
            raise ParameterError(f"kerb: {sorted(unknown)[0]!r} is unknown; known: {', '.join(usual)}")
        limits = {"slope": (-STEEPEST, STEEPEST), "width": (0.0, math.inf), "friction": (0.0, MOST_FRICTION)}
        for key, value in strips.items():
            _checked(value, f"kerb: {key}", *limits[key[:-2]])
        self._options[f"kerb_{side}"] = Kerb.uniform(**{**usual, **strips})
        return self

    def crown(self, slope: float) -> RoadBuilder:
        """A roof: the surface falls by a slope from the line to both sides."""
        _checked(slope, "crown", -STEEPEST, STEEPEST)
        self._options["crown"] = slope
        return self

    def beside(self, side: str = "widen", end: str = "hold") -> RoadBuilder:
        """What lies beyond the edges and the ends; see `LineRoad`."""
        for key, value, known in (("side", side, SIDES), ("end", end, ENDS)):
            if value not in known:
                raise ParameterError(f"beside: {key} = {value!r}; allowed: {', '.join(known)}")
        self._options["side"], self._options["end"] = side, end
        return self

    def unevenness(
        self,
        road_class: str | float,
        *,
        coherency: float = 0.7,
        seed: int = DEFAULT_SEED,
        n_min: float = 0.01,
        n_max: float = 10.0,
    ) -> RoadBuilder:
        """ISO 8608 class A … H, or G_d(n0) in m³.

        Parameters
        ----------
        coherency : γ of both tracks, 0 to 1; programs that show |G_lr|²/(G_l G_r), as scipy.signal.coherence does,
            show its square
        seed : a whole number, 0 or larger
        n_min, n_max : smallest and largest wave number, cycles per metre
        """
        iso_8608(road_class)
        _checked(coherency, "coherency", 0.0, 1.0)
        if seed != int(seed) or seed < 0:
            raise ParameterError(f"seed: found {seed:g}; must be a whole number, 0 or larger")
        if not (0 < n_min < n_max < math.inf):
            raise ParameterError(f"n_min, n_max: found {n_min:g} and {n_max:g} 1/m; must ascend and be > 0")
        self._unevenness = {
            "class": road_class,
            "coherency": coherency,
            "seed": int(seed),
            "n_min": n_min,
            "n_max": n_max,
        }
        return self

    # -- on it --------------------------------------------------------------------------------------------
    def bump(self, s: float, height: float, length: float, width: float | None = None, n: float = 0.0) -> RoadBuilder:
        """A cosine bump along the road, over its whole width by default."""
        window = None if width is None else lambda: flat_top(width, 0.25 * width)
        return self._bump("bump", s, n, lambda: cosine_bump(height, length), window)

    def cleat(
        self,
        s: float,
        height: float = 0.02,
        width: float = 0.04,
        chamfer: float = 0.002,
        across: float | None = None,
        n: float = 0.0,
    ) -> RoadBuilder:
        """A bar across the road, over its whole width by default; ``width`` is that along the road."""
        window = None if across is None else lambda: flat_top(across, min(0.01, 0.25 * across))
        return self._bump("cleat", s, n, lambda: flat_top(width, chamfer, height), window)

    def pothole(
        self, s: float, n: float = 0.0, depth: float = 0.05, length: float = 0.6, width: float = 0.4, edge: float = 0.05
    ) -> RoadBuilder:
        return self._bump("pothole", s, n, lambda: flat_top(length, edge, -depth), lambda: flat_top(width, edge))

    def round_pothole(self, s: float, n: float = 0.0, depth: float = 0.05, radius: float = 0.4) -> RoadBuilder:
        _checked(radius, "round_pothole: radius", 1e-6, math.inf)
        _checked(depth, "round_pothole: depth", -math.inf, math.inf)
        return self._place("round_pothole", s, n, round_pothole(depth, radius))

    def sine(
        self, s: float, amplitude: float, wavelength: float, length: float, across: float | None = None
    ) -> RoadBuilder:
        """Waves from s on, over the whole width by default."""
        window = None if across is None else lambda: flat_top(across, min(0.5, 0.25 * across))
        return self._bump("sine", s, 0.0, lambda: sine(amplitude, wavelength, length), window)

    def chirp(
        self, s: float, amplitude: float, first: float, last: float, length: float, across: float | None = None
    ) -> RoadBuilder:
        """Waves whose length changes from the first to the last wavelength."""
        window = None if across is None else lambda: flat_top(across, min(0.5, 0.25 * across))
        return self._bump("chirp", s, 0.0, lambda: chirp(amplitude, first, last, length), window)

    def patch(
        self,
        s0: float,
        s1: float,
        friction: float,
        n0: float | None = None,
        n1: float | None = None,
        factor: bool = False,
        edge: float = 0.0,
    ) -> RoadBuilder:
        """Another friction between two stations and two offsets; without offsets over the whole width.

        ``factor`` multiplies what is there, ``edge`` is the width over which the friction changes.
        """
        right, left = -_FAR if n0 is None else n0, _FAR if n1 is None else n1
        if not (math.isfinite(s0) and math.isfinite(s1) and s1 > s0 and left > right):
            raise ParameterError(f"patch: from s = {s0:g} to {s1:g} m, n = {right:g} to {left:g} m; both must ascend")
        _checked(friction, "patch: friction", 0.0, MOST_FRICTION, "; 30 % is 0.3")
        _checked(edge, "patch: edge", 0.0, math.inf)
        shape = Patch(friction=friction, length=s1 - s0, width=left - right, edge=edge, factor=factor)
        return self._place("patch", 0.5 * (s0 + s1), 0.5 * (right + left), shape)

    def _bump(
        self, name: str, s: float, n: float, profile: Callable[[], Curve], window: Callable[[], Curve] | None
    ) -> RoadBuilder:
        try:
            shape = Bump(profile=profile(), window=None if window is None else window())
        except ParameterError as error:
            raise ParameterError(f"{name}: {str(error).removeprefix('profile: ')}") from None
        if not np.all(np.isfinite(shape.profile.pieces)):
            raise ParameterError(f"{name}: its height must be a finite number")
        return self._place(name, s, n, shape)

    def _place(self, name: str, s: float, n: float, shape: Feature) -> RoadBuilder:
        if not (math.isfinite(s) and math.isfinite(n)):
            raise ParameterError(f"{name}: s = {s:g} m, n = {n:g} m; must be finite")
        self.placed.append((name, replace(shape, frame=Frame(x=s, y=n), name=name)))
        return self

    # -- the road -----------------------------------------------------------------------------------------
    def path(self) -> Path:
        """The line alone."""
        x, y, z, heading = self._start
        if self._path is not None:
            if self._closed and not self._path.closed:
                ends = self._path.at(np.array([0.0, self._path.length]))[:, :2]
                raise ParameterError(
                    f"road {self.name!r}: said to be closed, but its path is open: the end is "
                    f"{math.dist(*ends):.4g} m from the start"
                )
            return self._path.moved(x, y, z, heading) if any(self._start) else self._path
        if not self._segments:
            raise ParameterError(f"road {self.name!r}: has no line; add straight, arc or clothoid pieces")
        return joined(
            self._segments, step=self.step, x=x, y=y, z=z, heading=heading, closed=self._closed, name=self.name
        )

    def build(self) -> LineRoad:
        path = self.path()
        options = {k: v for k, v in self._options.items() if v is not None}
        crown = options.pop("crown", None)
        for key in ("left", "right", "friction", "friction_right"):
            if key in options:
                options[key] = as_curve(options[key], key)
        if "height" in options and self._start[2]:
            options["height"] = options["height"].raised(self._start[2])
        if crown is not None:
            options["section"] = _roof(options, float(crown), path)
        if self._unevenness is not None:
            u = self._unevenness
            tracks = synthesise(
                iso_8608(u["class"]),
                path.length,
                coherency=u["coherency"],
                seed=u["seed"],
                n_min=u["n_min"],
                n_max=u["n_max"],
            )
            options["unevenness"] = (tracks if path.closed else tracks.faded(min(10.0, 0.1 * path.length))).curves()
        for name, feature in self.placed:
            beyond_the_ends(name, feature, path)
        return LineRoad(path=path, name=self.name, features=[feature for _, feature in self.placed], **options)

    def remarks(self) -> list[str]:
        """What is remarkable about the road and may not be meant: see ``jounce.road.remarks``."""
        road = self.build()
        found = [beyond_the_ends(name, feature, road.path) for name, feature in self.placed]
        return [*(text for text in found if text), *line_remarks(road)]


def beyond_the_ends(name: str, feature: Feature, path: Path) -> str:
    """A remark about a feature that reaches over an end of an open line, or ""; one that misses it is an error."""
    first, last = station_range(feature)
    if path.closed or (first >= 0 and last <= path.length):
        return ""
    where = f"{name}: lies from s = {first:g} to {last:g} m; the road goes from 0 to {path.length:g} m"
    if last <= 0 or first >= path.length:
        raise ParameterError(where)
    return f"{where}, what is beyond is cut off"


def _smooth(table: Any, what: str) -> Curve:
    return Curve.step5(table[:, 0], table[:, 1], what=what) if table.ndim else Curve.constant(float(table))


def _checked(value: Rows | Curve, what: str, low: float, high: float, hint: str = "") -> Any:
    """A number, or a table of (s, value), whose values are finite and in a range."""
    if isinstance(value, Curve):
        return value
    table = np.asarray(value, dtype=float)
    if table.ndim and (table.ndim != 2 or table.shape[1] != 2):
        raise ParameterError(f"{what}: expected a number or rows of (s, value); found shape {table.shape}")
    if table.ndim and not (np.all(np.isfinite(table[:, 0])) and np.all(np.diff(table[:, 0]) > 0)):
        raise ParameterError(f"{what}: the stations of its rows must be finite and ascend")
    for number in np.ravel(table[:, 1] if table.ndim else table):
        if not (math.isfinite(number) and low <= number <= high):
            allowed = "a finite number" if math.isinf(low) else f"{low:g} or more" if math.isinf(high) else ""
            raise ParameterError(f"{what}: found {number:g}; must be {allowed or f'from {low:g} to {high:g}'}{hint}")
    return table


def _roof(options: dict[str, Any], slope: float, path: Path) -> Any:
    from jounce.road.line import Section

    if "kerb_left" in options or "kerb_right" in options:
        raise ParameterError("crown: cannot be combined with kerbs")
    left = options.get("left", Curve.constant(5.0))
    right = options.get("right", Curve.constant(5.0))
    s = np.unique(np.clip(np.concatenate([[0.0], left.knots, right.knots, [path.length]]), 0.0, path.length))
    a, b = left(s), right(s)
    points = [
        np.column_stack([-b, -slope * b]),
        np.column_stack([np.zeros_like(s), np.zeros_like(s)]),
        np.column_stack([a, -slope * a]),
    ]
    return Section(s, np.stack(points, axis=1))
