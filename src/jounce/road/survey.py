"""Figures of a road: its line with its edges, and what an inspection along it measures.

Where a road has a line (of a path, of a grid) it is walked along that, a plane along its own x axis, all others along
the middle of their extent parallel to x. The slope is that of the surface itself, as a query gives it, in the direction
of the line on the line and on both wheel tracks; the grade is the same over a metre of the line, so that it is that of
the road and not of its stones; the bank is that over a track of 1.5 m:

    slope = ∂z/∂s,    grade = Δz/Δs on the line, Δs = 1 m,    bank = (z_left - z_right)/track,    radius = 1/|κ|    (1)

Stations are 20 mm apart (a long road: more). Where the height between two of them changes otherwise than the slopes at
both say, as at the chamfer of a bar, the slope is looked for in between.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from jounce.road.block import Array, Frame
from jounce.road.envelope import Envelope
from jounce.road.grid import GridRoad
from jounce.road.line import LineRoad
from jounce.road.simple import Flat, Sum
from jounce.road.surface import Road, moved

TRACK = 1.5  # m, between the wheels of an axle
SPACING = 1.0  # m over which a grade is taken
CLOSE = 0.02  # m between stations: bars and holes are not missed
MOST = 20_000  # stations of which all points from edge to edge are asked
MOST_ALONG = 500_000  # stations of lines
BETWEEN = 16  # parts of a distance in which the slope is looked for
MOST_BETWEEN = 20_000  # such distances
CORNER = 1e-3  # difference of slopes that tells of more in between
ACROSS = 25  # points from edge to edge
ENDLESS = 100.0  # m shown of a road without end


@dataclass(frozen=True)
class Line:
    """Stations along a road with place, heading and room on both sides; world axes."""

    s: Array
    x: Array
    y: Array
    heading: Array
    left: Array
    right: Array
    curvature: Array | None = None  # 1/m; None where the road has no line of its own
    closed: bool = False
    endless: bool = False  # the road goes on; what is walked is only what is shown of it

    def beside(self, offset: float) -> tuple[Array, Array]:
        """Places to the left of the stations."""
        return self.x - offset * np.sin(self.heading), self.y + offset * np.cos(self.heading)


@dataclass(frozen=True)
class Survey:
    """What a road is like, SI. Ranges are (smallest, largest)."""

    kind: str
    length: float  # of the line in plan view
    closed: bool
    endless: bool  # length and width are only those shown
    width: tuple[float, float]
    height: tuple[float, float]
    grade: tuple[float, float]  # over a metre of the line, uphill positive
    slope: tuple[float, float]  # of the surface along the line, there and on the wheel tracks
    steepest: float  # station of the slope that is largest in size
    bank: tuple[float, float]  # left side up positive
    radius: float  # smallest; inf when straight, nan without a line
    friction: tuple[float, float]
    extent: tuple[float, float, float, float] | None  # x0, y0, x1, y1
    holes: int  # points between the edges without ground

    def rows(self) -> list[tuple[str, str, str]]:
        """(key, what, value with its unit) for people."""
        shown = " shown; has no end" if self.endless else ", closed" if self.closed else ""
        steepest = f", steepest at s = {self.steepest:.2f} m" if self.slope[1] - self.slope[0] > 1e-6 else ""
        result = [
            ("kind", "kind", self.kind),
            ("length", "length", f"{self.length:.1f} m{shown}"),
            ("width", "width", range_text(self.width, ".2f", "m")),
            ("height", "height", range_text(self.height, ".3f", "m")),
            ("grade", f"grade over {SPACING:g} m, uphill", percent(self.grade)),
            ("slope", "slope of the surface", f"{percent(self.slope)}{steepest}"),
            ("bank", f"bank over {TRACK:g} m, left side up", percent(self.bank)),
            ("radius", "smallest radius", radius_text(self.radius)),
            ("friction", "friction", range_text(self.friction, ".2f", "")),
        ]
        if self.extent is not None:
            x0, y0, x1, y1 = self.extent
            result.append(("extent", "extent", f"x {x0:.1f} to {x1:.1f} m, y {y0:.1f} to {y1:.1f} m"))
        if self.holes:
            result.append(("holes", "without ground", f"{self.holes} of the points between the edges"))
        return result


def range_text(values: tuple[float, float], form: str, unit: str) -> str:
    low, high = (format(v, form) for v in values)
    return f"{low if low == high else f'{low} to {high}'} {unit}".strip()


def percent(values: tuple[float, float]) -> str:
    """A range of slopes for people."""
    low, high = (f"{100 * v + 0.0:+.{2 if abs(v) < 0.1 else 0 if abs(v) >= 1 else 1}f}" for v in values)
    low, high = (text[1:] if float(text) == 0 else text for text in (low, high))
    return f"{low} %" if low == high else f"{low} to {high} %"


def radius_text(value: float) -> str:
    return "no line" if math.isnan(value) else "straight" if math.isinf(value) else f"{value:.1f} m"


def inner(road: Road) -> tuple[Road, Frame]:
    """The road below features and contacts, and where those put it."""
    outer = Frame()
    while isinstance(road, Sum | Envelope):
        outer = moved(road.frame, outer.x, outer.y, outer.z, outer.heading)
        road = road.base if isinstance(road, Sum) else road.road
    return road, outer


def line_of(road: Road, spacing: float = 0.0, most: int = MOST, endless: float = ENDLESS) -> Line:
    """The line of a road at stations that are a spacing apart, but not more than a number of them.

    Parameters
    ----------
    spacing : m; 0: as close as the number of stations (or a grid) allows
    endless : length taken of roads without end, m
    """
    base, outer = inner(road)
    if isinstance(base, LineRoad):
        path = base.path
        s = _stations(path.length, spacing, most)
        p = path.at(s)
        x, y = outer.to_world(*base.frame.to_world(p[:, 0], p[:, 1]))
        heading = path.at(s, "heading") + base.frame.heading + outer.heading
        left, right = (np.asarray(edge(s), dtype=float) for edge in base.edges)
        return Line(s, x, y, heading, left, right, path.at(s, "curvature"), path.closed)
    if isinstance(base, GridRoad):
        pick = np.arange(0, len(base.nodes), max(1, math.ceil(spacing / base.du), math.ceil(len(base.nodes) / most)))
        x, y = outer.to_world(*base.frame.to_world(base.nodes[pick, 0], base.nodes[pick, 1]))
        heading = np.unwrap(np.arctan2(np.gradient(y), np.gradient(x)))
        curvature = np.gradient(heading, base.du * (pick[1] - pick[0])) if len(pick) > 2 else np.zeros(len(pick))
        sides = np.full(len(pick), float(base.v[-1])), np.full(len(pick), -float(base.v[0]))
        straight = base.headings is None
        return Line(
            np.asarray(base.u0 + base.du * pick, dtype=float),
            x,
            y,
            heading,
            *sides,
            0.0 * curvature if straight else curvature,
            base.closed,
        )
    if isinstance(base, Flat):
        return _line_of_plane(base, outer, spacing, most, endless)
    box = road.extent or base.extent
    goes_on = box is None or not all(map(math.isfinite, box))
    if box is None or goes_on:
        half = 0.5 * endless
        box = (-half, -0.1 * half, half, 0.1 * half)
    s = box[0] + _stations(box[2] - box[0], spacing, most)
    side = np.full(len(s), 0.5 * (box[3] - box[1]))
    middle = np.full(len(s), 0.5 * (box[1] + box[3]))
    return Line(s, s, middle, np.zeros(len(s)), side, side, endless=goes_on)


def _line_of_plane(base: Flat, outer: Frame, spacing: float, most: int, endless: float) -> Line:
    """A plane is walked along its own axis, however it was turned; what is drawn of it, and no more than there is."""
    shown = base.drawn or (endless, 0.1 * endless)
    size = base.length, base.width
    length, width = (b if math.isfinite(b) else a for a, b in zip(shown, size, strict=True))
    s = _stations(length, spacing, most) - 0.5 * length
    x, y = outer.to_world(*base.frame.to_world(s, 0.0 * s))
    heading = np.full(len(s), base.frame.heading + outer.heading)
    side = np.full(len(s), 0.5 * width)
    return Line(s, x, y, heading, side, side, endless=any(map(math.isinf, size)))


def _stations(length: float, spacing: float, most: int) -> Array:
    count = most if spacing <= 0 else min(max(2, math.floor(length / spacing) + 1), most)
    return np.linspace(0.0, length, int(count))


def survey(road: Road) -> Survey:
    """Walk along a road and measure it."""
    coarse, line = line_of(road, CLOSE), line_of(road, CLOSE, MOST_ALONG)
    part = np.linspace(0.0, 1.0, ACROSS)
    # edges without end are walked as far as one sees
    left, right = (np.clip(side, -ENDLESS, ENDLESS) for side in (coarse.left, coarse.right))
    n = -right[:, None] + part * (left + right)[:, None]
    surface = road.query(
        coarse.x[:, None] - n * np.sin(coarse.heading)[:, None], coarse.y[:, None] + n * np.cos(coarse.heading)[:, None]
    )
    # edges lie on the border itself: one side of it may be off the road
    ground = ~surface.no_ground
    z = surface.height[ground]
    mu = surface.friction[:, 1:-1][ground[:, 1:-1]]
    tracks = [walked(road, line, offset) for offset in (0.0, TRACK / 2, -TRACK / 2)]
    grade = rise(tracks[0].height, line.s, SPACING)
    bank = (tracks[1].height - tracks[2].height) / TRACK
    slopes = np.concatenate([track.slope for track in tracks])
    places = np.concatenate([track.s for track in tracks])
    steepest = int(np.nanargmax(np.abs(slopes))) if np.isfinite(slopes).any() else 0
    kappa = float(np.max(np.abs(coarse.curvature))) if coarse.curvature is not None else math.nan
    return Survey(
        kind=type(inner(road)[0]).__name__,
        length=float(line.s[-1] - line.s[0]),
        closed=line.closed,
        endless=line.endless,
        width=bounds(coarse.left + coarse.right),
        height=bounds(z),
        grade=bounds(grade),
        slope=bounds(slopes),
        steepest=float(places[steepest]),
        bank=bounds(bank),
        radius=math.nan if math.isnan(kappa) else 1 / kappa if kappa > 1e-9 else math.inf,
        friction=bounds(mu),
        extent=road.extent,
        holes=int((~ground[:, 1:-1]).sum()),
    )


@dataclass(frozen=True)
class Track:
    """A line on the surface: heights and friction at the stations, slopes there and at places in between."""

    height: Array  # at the stations; nan without ground
    friction: Array
    s: Array  # of the slopes, ascending
    slope: Array


def walked(road: Road, line: Line, offset: float) -> Track:
    """The surface at an offset to the left of a line, with exact slopes in the direction of the line."""
    x, y = line.beside(offset)
    height, slope, friction = _asked(road, x, y, line.heading)
    s = line.s
    if len(s) < 2:
        return Track(height, friction, s, slope)
    way = np.hypot(np.diff(x), np.diff(y))
    mean = np.diff(height) / np.maximum(way, 1e-12)
    # of a curve without a corner the chord has the mean slope of both ends, to the second order
    doubt = np.abs(mean - 0.5 * (slope[1:] + slope[:-1])) > CORNER + 0.1 * np.abs(mean)
    doubt &= np.isfinite(mean)
    where = np.flatnonzero(doubt)
    if len(where) > MOST_BETWEEN:
        where = where[np.argsort(-np.abs(mean[where]))[:MOST_BETWEEN]]
    part = (np.arange(1, BETWEEN) / BETWEEN)[None, :]
    more_s, more_x, more_y, more_heading = (
        (a[where, None] + part * (a[where + 1] - a[where])[:, None]).ravel() for a in (s, x, y, line.heading)
    )
    more = _asked(road, more_x, more_y, more_heading)[1]
    every_s, every = np.concatenate([s, more_s]), np.concatenate([slope, more])
    order = np.argsort(every_s, kind="stable")
    return Track(height, friction, every_s[order], every[order])


def _asked(road: Road, x: Array, y: Array, heading: Array) -> tuple[Array, Array, Array]:
    """Height, slope along the heading and friction; heights and slopes are nan without ground."""
    sample = road.query(x, y)
    nothing = sample.no_ground
    slope = np.cos(heading) * sample.slope_x + np.sin(heading) * sample.slope_y
    return np.where(nothing, np.nan, sample.height), np.where(nothing, np.nan, slope), sample.friction


def rise(height: Array, s: Array, base: float) -> Array:
    """Rise between half a base before and behind each station, by the base; at the ends of a road by what is there."""
    if len(s) < 2:
        return np.zeros(len(s))
    a, b = np.clip(s - 0.5 * base, s[0], s[-1]), np.clip(s + 0.5 * base, s[0], s[-1])
    return np.asarray((np.interp(b, s, height) - np.interp(a, s, height)) / np.maximum(b - a, 1e-9))


def bounds(values: Array) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else (math.nan, math.nan)
