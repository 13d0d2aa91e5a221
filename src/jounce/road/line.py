"""A road along a line: heights, bank, width, kerbs, cross-sections, friction and irregularities by station and side.

With the station s and the offset n to the left of the foot on the line,

    z = z_c(s) + n tan β(s) + section(s, n) + w(n) DZ_left(s) + (1 − w(n)) DZ_right(s)                       (1)

β > 0 raises the left side. The section is straight between its points u_k(s), v_k(s), which are straight between
stations; kerbs are such points outside the edges. Slope and width of a kerb are linear in s, its height is their
product: where both change, further stations keep that within ``KERB_ERROR``. w goes smoothly from 0 to 1 over
|n| < blend, so that the surface stays continuous while each wheel track has its own unevenness.

Features (bumps, holes, patches of friction) lie in the plane of s and n: x of their frame is the station of their
origin, y its offset. So they belong to one place of the line, whatever other parts of it come near, and follow its
bends; lengths are those along the line itself, a lane at n has 1 - κ n of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.block import LINE, SUM, Array, Writer, border_code
from jounce.road.curve import CLOSEST, AnyCurve, Curve, as_curve
from jounce.road.path import Path
from jounce.road.simple import Bump, Dish, Patch
from jounce.road.surface import HERE, Road, corners_extent

SIDES = ("widen", "hold", "none")
_SIDE_CODES = {"none": 0, "hold": 2, "widen": 5}
KERB_ERROR = 1e-6  # m, of the height of a strip of a kerb between stations
KERB_PARTS = 2000  # stations at most from one of the table to the next
DEFAULT_WIDTH = 5.0  # m to each side where nothing is said
ENDS = ("hold", "none", "zero", "extrapolate")
Feature = Bump | Dish | Patch


@dataclass(frozen=True, eq=False)
class Section:
    """Cross-sections at stations.

    Attributes
    ----------
    stations : (m,) ascending, m
    points : (m, k, 2): u to the left, ascending, and v upwards, m
    friction : (m, k − 1) per strip between two points, or None; nan = that of the lane
    constant : friction of the strips multiplies that of the lane and is constant between stations
    """

    stations: Array
    points: Array
    friction: Array | None = None
    constant: bool = False

    def __post_init__(self) -> None:
        s, p = np.asarray(self.stations, dtype=float), np.asarray(self.points, dtype=float)
        if p.ndim != 3 or p.shape[0] != len(s) or p.shape[1] < 2 or p.shape[2] != 2:
            raise ParameterError(f"cross-section: points have shape {p.shape}; expected ({len(s)}, 2 or more, 2)")
        if len(s) > 1 and not np.all(np.diff(s) >= CLOSEST):
            raise ParameterError(f"cross-section: stations must ascend by at least {CLOSEST:g} m")
        if not np.all(np.isfinite(p)) or not np.all(np.diff(p[:, :, 0], axis=1) >= 0):
            raise ParameterError("cross-section: points must be finite and go from right to left")
        if self.friction is not None and np.shape(self.friction) != (len(s), p.shape[1] - 1):
            raise ParameterError(
                f"cross-section: friction has shape {np.shape(self.friction)}; one per strip is needed"
            )

    def write(self, writer: Writer) -> float:
        s = np.asarray(self.stations, dtype=float)
        buckets = writer.buckets(s) if len(s) > 1 else (0.0, 0.0, 0.0)
        places, points = writer.array(s), writer.array(self.points)
        mu = writer.array(self.friction) if self.friction is not None else 0.0
        shape = [float(np.shape(self.points)[1]), float(len(s)), places, *buckets, points, mu, float(self.constant)]
        return writer.array(shape)


@dataclass(frozen=True, eq=False)
class Kerb:
    """Two strips outside an edge by station: slope (rise per width) and width of each, m, and their friction."""

    s: Array
    slope_1: Array
    width_1: Array
    friction_1: Array
    slope_2: Array
    width_2: Array
    friction_2: Array

    @classmethod
    def uniform(
        cls, slope_1: float, width_1: float, friction_1: float, slope_2: float, width_2: float, friction_2: float
    ) -> Kerb:
        columns = (0.0, slope_1, width_1, friction_1, slope_2, width_2, friction_2)
        return cls(*(np.array([v]) for v in columns))

    def at(self, name: str, s: Array) -> Array:
        return np.asarray(np.interp(s, self.s, getattr(self, name)))

    def finer(self) -> Array:
        """Stations between which width times slope is straight within ``KERB_ERROR``.

        Over a stretch with the changes Δw and Δp the product is off the straight line by Δw Δp/4 at most, with n parts
        by Δw Δp/(4 n²).
        """
        s = np.asarray(self.s, dtype=float)
        if len(s) < 2:
            return s
        bends = [np.abs(np.diff(self.at(f"width_{i}", s)) * np.diff(self.at(f"slope_{i}", s))) for i in (1, 2)]
        parts = np.sqrt(np.maximum(*bends) / (4 * KERB_ERROR))
        counts = np.clip(np.ceil(parts), 1, KERB_PARTS).astype(int)
        pieces = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(s[:-1], s[1:], counts, strict=True)]
        return np.concatenate([*pieces, s[-1:]])


def kerbed(left: Curve, right: Curve, kerb_left: Kerb | None, kerb_right: Kerb | None) -> Section:
    """The cross-section of a level lane between kerbs."""
    stations = np.unique(
        np.concatenate([left.knots, right.knots, *(k.finer() for k in (kerb_left, kerb_right) if k is not None)])
    )
    rows: list[tuple[Array, Array]] = []
    mu: list[Array] = []
    lane = np.full(len(stations), np.nan)
    w_left, w_right = left(stations), right(stations)
    if kerb_right is not None:
        points, strips = _strips(kerb_right, stations, -w_right, -1.0)
        rows += points[::-1]
        mu += strips[::-1]
    rows.append((-w_right, np.zeros_like(stations)))
    mu.append(lane)
    rows.append((w_left, np.zeros_like(stations)))
    if kerb_left is not None:
        points, strips = _strips(kerb_left, stations, w_left, 1.0)
        rows += points
        mu += strips
    points_array = np.stack([np.column_stack([u, v]) for u, v in rows], axis=1)
    return Section(stations, points_array, np.stack(mu, axis=1))


def _strips(kerb: Kerb, s: Array, edge: Array, sign: float) -> tuple[list[tuple[Array, Array]], list[Array]]:
    w1, w2 = kerb.at("width_1", s), kerb.at("width_2", s)
    rise1 = w1 * kerb.at("slope_1", s)
    rise2 = rise1 + w2 * kerb.at("slope_2", s)
    points = [(edge + sign * w1, rise1), (edge + sign * (w1 + w2), rise2)]
    return points, [kerb.at("friction_1", s), kerb.at("friction_2", s)]


@dataclass(frozen=True, eq=False, kw_only=True)
class LineRoad(Road):
    """A road along a path, by (1).

    Parameters
    ----------
    path : the line
    left, right : widths of the lane on both sides, m: a number, rows (s, width) or a curve
    friction : on both sides, or with ``friction_right`` on the left one
    height : of the line; that of the path by default
    bank : tangent of the bank angle; that of the path by default
    section : cross-section besides the bank
    kerb_left, kerb_right : outside the lane; they replace ``section``
    unevenness : (left, right) wheel tracks; ``blend`` is half the width over which one goes into the other, m
    side : beyond the edges the road is widened, its height is held, or there is no ground
    end : beyond the ends of an open road
    use_path : take what the path says about widths and bank
    features : on it, with frames in (s, n); those of a closed line may lie across its start
    """

    path: Path
    left: float | Sequence[Sequence[float]] | Curve | None = None
    right: float | Sequence[Sequence[float]] | Curve | None = None
    friction: float | Sequence[Sequence[float]] | Curve = 1.0
    friction_right: float | Sequence[Sequence[float]] | Curve | None = None
    height: Curve | None = None
    bank: Curve | None = None
    section: Section | None = None
    kerb_left: Kerb | None = None
    kerb_right: Kerb | None = None
    unevenness: tuple[AnyCurve | None, AnyCurve | None] = (None, None)
    blend: float = 0.25
    side: str = "widen"
    end: str = "hold"
    tolerance: float = 0.1
    use_path: bool = True
    features: Sequence[Feature] = ()

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise ParameterError(f"road: side = {self.side!r}; allowed: {', '.join(SIDES)}")
        border_code(self.end, ENDS)
        if self.section is not None and (self.kerb_left is not None or self.kerb_right is not None):
            raise ParameterError("road: give a cross-section or kerbs, not both")
        for feature in self.features:
            first, last = station_range(feature)
            if self.path.closed and last - first > self.path.length:
                raise ParameterError(
                    f"road: a {type(feature).__name__.lower()} of {last - first:g} m is longer than the line, "
                    f"{self.path.length:g} m"
                )

    # -- what it is made of -------------------------------------------------------------------------------
    @property
    def border(self) -> str:
        return "repeat" if self.path.closed else "hold" if self.end != "extrapolate" else "extrapolate"

    def _from_path(self, values: Array) -> Curve:
        p = self.path
        if p.closed:
            return Curve.cubic(np.append(p.s, p.length), np.append(values, values[0]), "repeat")
        return Curve.cubic(p.s, values, self.border)

    @property
    def edges(self) -> tuple[Curve, Curve]:
        """Widths of the lane to the left and to the right."""
        found = []
        for own, of_path in ((self.left, self.path.left), (self.right, self.path.right)):
            if own is not None:
                found.append(_periodic(as_curve(own, "width of the road"), self.path))
            elif self.use_path and of_path is not None:
                p = self.path
                s = np.append(p.s, p.length) if p.closed else p.s
                v = np.append(of_path, of_path[0]) if p.closed else of_path
                found.append(Curve.linear(s, v, "repeat" if p.closed else "hold"))
            else:
                found.append(Curve.constant(DEFAULT_WIDTH))
        return found[0], found[1]

    @property
    def heights(self) -> Curve | None:
        if self.height is not None:
            return self.height
        return self._from_path(self.path.z) if self.use_path and np.any(self.path.z != 0) else None

    @property
    def banks(self) -> Curve | None:
        if self.bank is not None:
            return self.bank
        bank = self.path.bank
        return self._from_path(bank) if self.use_path and bank is not None and np.any(bank != 0) else None

    def write(self, writer: Writer) -> float:
        path = self.path
        left, right = self.edges
        section = self.section
        if self.kerb_left is not None or self.kerb_right is not None:
            section = kerbed(left, right, self.kerb_left, self.kerb_right)
        widest = [c.pieces[np.isfinite(c.pieces).all(axis=1), 1] for c in (left, right)]
        reach = max([2.0, *(float(np.max(w)) for w in widest if len(w))])
        if section is not None:
            reach = max(reach, float(np.max(np.abs(np.asarray(section.points)[:, :, 0]))))
        reach = min(reach + 5.0, 200.0)
        nodes = np.column_stack([path.x, path.y, np.cos(path.heading), np.sin(path.heading), path.curvature])
        places = writer.array(nodes)
        index = writer.line_index(path.x, path.y, path.step, path.closed, reach)
        heights, banks = self.heights, self.banks
        mu_left = _periodic(as_curve(self.friction, "friction"), path).write(writer)
        mu_right = (
            mu_left
            if self.friction_right is None
            else _periodic(as_curve(self.friction_right, "friction"), path).write(writer)
        )
        own = [
            *(float(len(path.s)), float(path.closed), path.length, path.step, places),
            *index,
            heights.write(writer) if heights is not None else 0.0,
            banks.write(writer) if banks is not None else 0.0,
            section.write(writer) if section is not None else 0.0,
            mu_left,
            mu_right,
            *(u.write(writer) if u is not None else 0.0 for u in self.unevenness),
            self.blend,
            float(border_code(self.end)),
            float(_SIDE_CODES[self.side]),
            left.write(writer),
            right.write(writer),
            self.tolerance,
            0.0,
            self._write_features(writer),
        ]
        return writer.node(LINE, self.frame, own)

    def _write_features(self, writer: Writer) -> float:
        features = [again for f in self.features for again in self._around(f)]
        if not features:
            return 0.0
        ranges = np.array([station_range(f) for f in features])
        level = np.zeros(len(features))  # the index goes by station alone
        index = writer.box_index(np.column_stack([ranges[:, 0], level, ranges[:, 1], level]), range(len(features)))
        nodes = writer.array([f.write(writer) for f in features])
        return writer.node(SUM, HERE, [0.0, float(len(features)), nodes, 0.0, 0.0, *index])

    def _around(self, feature: Feature) -> list[Feature]:
        """A feature wherever it appears: across the start of a closed line also at its other end."""
        length = self.path.length
        first, last = station_range(feature)
        if not self.path.closed:
            return [feature]
        turns = range(-int(last // length), -int(first // length) + 1)
        moved = [(feature.frame.x + k * length, first + k * length, last + k * length) for k in turns]
        return [replace(feature, frame=replace(feature.frame, x=x)) for x, a, b in moved if b >= 0 and a <= length]

    @property
    def extent(self) -> tuple[float, float, float, float]:
        left, right = (np.minimum(c(self.path.s), 50.0) for c in self.edges)
        n = (-np.sin(self.path.heading), np.cos(self.path.heading))
        x = np.concatenate([self.path.x + left * n[0], self.path.x - right * n[0]])
        y = np.concatenate([self.path.y + left * n[1], self.path.y - right * n[1]])
        return corners_extent(self.frame, x, y)


def station_range(feature: Feature) -> tuple[float, float]:
    """First and last station at which a feature does something."""
    x, straight = feature.frame.x, feature.frame.heading == 0
    if isinstance(feature, Bump) and straight and feature.profile.border == "zero":
        return x + feature.profile.first, x + feature.profile.last
    rectangle = isinstance(feature, Patch) and feature.polygon is None and feature.radius is None
    if isinstance(feature, Patch) and rectangle and straight and math.isfinite(feature.length):
        half = 0.5 * (feature.length + feature.edge)
        return x - half, x + half
    if isinstance(feature, Feature) and feature.extent is not None:
        return feature.extent[0], feature.extent[2]
    raise ParameterError(
        f"road: a {type(feature).__name__.lower()} without end, or turned and without width, does not fit on a line; "
        "put it on the road with Sum"
    )


def _periodic(curve: Curve, path: Path) -> Curve:
    """A curve along a closed path begins again at its end when it covers the whole way."""
    if path.closed and curve.border == "hold" and abs(curve.last - path.length) < 1e-6 * path.length:
        return Curve(curve.knots, curve.pieces, "repeat")
    return curve
