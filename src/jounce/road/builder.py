"""Roads put together from parts: a line of straights, arcs and clothoids, and what lies on and beside it.

    road = (RoadBuilder("example", left=4, right=4)
            .straight(200).clothoid(40, 0, 1/80).arc(80, 90).clothoid(40, 1/80, 0)
            .height([(0, 0), (150, 2)]).bank([(0, 0), (260, 0.05)])
            .pothole(s=100, n=1.0, depth=0.06, length=0.6, width=0.4)
            .patch(s0=120, s1=160, n0=-4, n1=0, friction=0.3)
            .build())

Signs: left is positive; angles of arcs in degrees here, as they are on drawings. Heights and banks go smoothly from
row to row (STEP5); widths and frictions go straight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.block import Frame
from jounce.road.curve import Curve, as_curve, chirp, cosine_bump, flat_top, sine
from jounce.road.irregular import DEFAULT_SEED, iso_8608, synthesise
from jounce.road.line import Kerb, LineRoad
from jounce.road.path import Path, joined
from jounce.road.simple import Bump, Patch, Sum, round_pothole
from jounce.road.surface import Road

Rows = float | Sequence[Sequence[float]]


class RoadBuilder:
    """Collects the parts of a road; `build` makes it. Every call returns the builder."""

    def __init__(
        self, name: str = "road", left: Rows = 4.0, right: Rows = 4.0, friction: Rows = 1.0, step: float = 0.5
    ) -> None:
        self.name, self.step = name, step
        self._segments: list[tuple[float, float, float]] = []
        self._path: Path | None = None
        self._options: dict[str, Any] = {"left": left, "right": right, "friction": friction}
        self._placed: list[tuple[str, dict[str, Any]]] = []
        self._start: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
        self._closed = False
        self._unevenness: dict[str, Any] | None = None

    # -- the line -----------------------------------------------------------------------------------------
    def start(self, x: float = 0.0, y: float = 0.0, z: float = 0.0, heading: float = 0.0) -> RoadBuilder:
        """Where the line begins; heading in rad."""
        self._start = (x, y, z, heading)
        return self

    def straight(self, length: float) -> RoadBuilder:
        return self.segment(length, 0.0, 0.0)

    def arc(self, radius: float, angle: float) -> RoadBuilder:
        """A circular arc; the angle in degrees, positive to the left."""
        if not (radius > 0 and angle):
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
        """The segments end where they began (checked)."""
        self._closed = True
        return self

    # -- along it -----------------------------------------------------------------------------------------
    def width(self, left: Rows, right: Rows | None = None) -> RoadBuilder:
        self._options["left"], self._options["right"] = left, left if right is None else right
        return self

    def height(self, rows: Sequence[Sequence[float]]) -> RoadBuilder:
        """Rows of (s, z)."""
        table = np.asarray(rows, dtype=float)
        self._options["height"] = Curve.step5(table[:, 0], table[:, 1], what="height")
        return self

    def bank(self, rows: Rows) -> RoadBuilder:
        """Rows of (s, tangent of the bank angle), or one number; positive: left side up."""
        if isinstance(rows, int | float):
            self._options["bank"] = Curve.constant(float(rows))
        else:
            table = np.asarray(rows, dtype=float)
            self._options["bank"] = Curve.step5(table[:, 0], table[:, 1], what="bank")
        return self

    def friction(self, left: Rows, right: Rows | None = None) -> RoadBuilder:
        """Of both sides, or of each (µ-split)."""
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
        self._options[f"kerb_{side}"] = Kerb.uniform(**{**usual, **strips})
        return self

    def crown(self, slope: float) -> RoadBuilder:
        """A roof: the surface falls by a slope from the line to both sides."""
        self._options["crown"] = slope
        return self

    def beside(self, side: str = "widen", end: str = "hold") -> RoadBuilder:
        """What lies beyond the edges and the ends; see `LineRoad`."""
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
        """ISO 8608 class A … E, or G_d(n0) in m³."""
        self._unevenness = {"class": road_class, "coherency": coherency, "seed": seed, "n_min": n_min, "n_max": n_max}
        return self

    # -- on it --------------------------------------------------------------------------------------------
    def bump(self, s: float, height: float, length: float, width: float | None = None, n: float = 0.0) -> RoadBuilder:
        """A cosine bump along the road, over its whole width by default."""
        profile = cosine_bump(height, length)
        return self._place(
            "bump", s, n, profile=profile, window=None if width is None else flat_top(width, 0.25 * width)
        )

    def cleat(
        self,
        s: float,
        height: float = 0.02,
        width: float = 0.04,
        chamfer: float = 0.002,
        across: float = 20.0,
        n: float = 0.0,
    ) -> RoadBuilder:
        """A bar across the road."""
        window = flat_top(across, min(0.01, 0.25 * across))
        return self._place("bump", s, n, profile=flat_top(width, chamfer, height), window=window)

    def pothole(
        self, s: float, n: float = 0.0, depth: float = 0.05, length: float = 0.6, width: float = 0.4, edge: float = 0.05
    ) -> RoadBuilder:
        return self._place("bump", s, n, profile=flat_top(length, edge, -depth), window=flat_top(width, edge))

    def round_pothole(self, s: float, n: float = 0.0, depth: float = 0.05, radius: float = 0.4) -> RoadBuilder:
        return self._place("dish", s, n, depth=depth, radius=radius)

    def sine(self, s: float, amplitude: float, wavelength: float, length: float, across: float = 20.0) -> RoadBuilder:
        """Waves from s on, over the whole width."""
        return self._place("bump", s, 0.0, profile=sine(amplitude, wavelength, length), window=flat_top(across, 0.5))

    def chirp(
        self, s: float, amplitude: float, first: float, last: float, length: float, across: float = 20.0
    ) -> RoadBuilder:
        """Waves whose length changes from the first to the last wavelength."""
        return self._place("bump", s, 0.0, profile=chirp(amplitude, first, last, length), window=flat_top(across, 0.5))

    def patch(
        self,
        s0: float,
        s1: float,
        friction: float,
        n0: float = -20.0,
        n1: float = 20.0,
        factor: bool = False,
        edge: float = 0.0,
    ) -> RoadBuilder:
        """Another friction between two stations and two offsets; along a bend it follows the line in short pieces."""
        if not (s1 > s0 and n1 > n0):
            raise ParameterError(f"patch: from s = {s0:g} to {s1:g} m, n = {n0:g} to {n1:g} m; both must ascend")
        self._placed.append(
            ("patch", {"s0": s0, "s1": s1, "n0": n0, "n1": n1, "friction": friction, "factor": factor, "edge": edge})
        )
        return self

    def _place(self, kind: str, s: float, n: float, **what: Any) -> RoadBuilder:
        self._placed.append((kind, {"s": s, "n": n, **what}))
        return self

    # -- the road -----------------------------------------------------------------------------------------
    def path(self) -> Path:
        """The line alone."""
        x, y, z, heading = self._start
        if self._path is not None:
            return self._path.moved(x, y, z, heading) if any(self._start) else self._path
        if not self._segments:
            raise ParameterError(f"road {self.name!r}: has no line; add straight, arc or clothoid pieces")
        return joined(
            self._segments, step=self.step, x=x, y=y, z=z, heading=heading, closed=self._closed, name=self.name
        )

    def build(self) -> Road:
        path = self.path()
        options = {k: v for k, v in self._options.items() if v is not None}
        crown = options.pop("crown", None)
        for key in ("left", "right", "friction", "friction_right"):
            if key in options:
                options[key] = as_curve(options[key], key)
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
        line = LineRoad(path=path, name=self.name, **options)
        features = [f for kind, what in self._placed for f in _features(kind, what, path)]
        return Sum(base=line, features=features, name=self.name) if features else line


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


def _features(kind: str, what: dict[str, Any], path: Path) -> list[Road]:
    if kind == "patch":
        return _patches(what, path)
    s, n = what["s"], what["n"]
    if not path.closed and not 0 <= s <= path.length:
        raise ParameterError(f"{kind}: s = {s:g} m; the road goes from 0 to {path.length:g} m")
    x, y, heading = _at(path, s, n)
    if kind == "dish":
        return [round_pothole(what["depth"], what["radius"], x, y)]
    return [Bump(profile=what["profile"], window=what["window"], frame=Frame(x=x, y=y, heading=heading))]


def _at(path: Path, s: float, n: float) -> tuple[float, float, float]:
    p, heading = path.at(s), float(path.at(s, "heading"))
    return float(p[0]) - n * math.sin(heading), float(p[1]) + n * math.cos(heading), heading


def _patches(what: dict[str, Any], path: Path) -> list[Road]:
    """A rectangle where the road is straight, else polygons along the line."""
    s0, s1, n0, n1 = what["s0"], what["s1"], what["n0"], what["n1"]
    inside = np.linspace(s0, s1, 50)
    kappa = float(np.max(np.abs(path.at(inside, "curvature"))))
    common = {"friction": what["friction"], "factor": what["factor"]}
    if kappa * (s1 - s0) < 1e-6:
        x, y, heading = _at(path, 0.5 * (s0 + s1), 0.5 * (n0 + n1))
        frame = Frame(x=x, y=y, heading=heading)
        return [Patch(length=s1 - s0, width=n1 - n0, edge=what["edge"], frame=frame, **common)]
    if what["edge"]:
        raise ParameterError("patch: a blended edge is possible on straight parts only")
    # points every metre or less, so that chords stay within a millimetre of the line
    spacing = min(1.0, math.sqrt(8e-3 / kappa))
    count = max(2, math.ceil((s1 - s0) / spacing) + 1)
    s = np.linspace(s0, s1, count)
    p, angle = path.at(s), path.at(s, "heading")
    edges = [np.column_stack([p[:, 0] - n * np.sin(angle), p[:, 1] + n * np.cos(angle)]) for n in (n0, n1)]
    pieces: list[Road] = []
    for first in range(0, count - 1, 20):
        last = min(first + 20, count - 1)
        corners = np.vstack([edges[0][first : last + 1], edges[1][first : last + 1][::-1]])
        pieces.append(Patch(polygon=[(float(a), float(b)) for a, b in corners], **common))
    return pieces
