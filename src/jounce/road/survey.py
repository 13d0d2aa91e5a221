"""Figures of a road: its line with its edges, and what an inspection along it measures.

Where a road has a line (of a path, of a grid) it is walked along that, else along the middle of its extent parallel to
x. Slopes are taken over at least a metre and banks over a track of 1.5 m, so that they are those of the road and not of
its stones:

    slope = Δz/Δs on the line,    bank = (z_left - z_right)/track,    radius = 1/|κ| of the line               (1)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from jounce.road.block import Array, Frame
from jounce.road.envelope import Envelope
from jounce.road.grid import GridRoad
from jounce.road.line import LineRoad
from jounce.road.simple import Sum
from jounce.road.surface import Road, moved

TRACK = 1.5  # m, between the wheels of an axle
SPACING = 1.0  # m between stations of slopes and banks
CLOSE = 0.02  # m between those of heights and friction: bars and holes are not missed
MOST = 20_000  # stations
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


@dataclass(frozen=True)
class Survey:
    """What a road is like, SI. Ranges are (smallest, largest)."""

    kind: str
    length: float  # of the line in plan view
    closed: bool
    width: tuple[float, float]
    height: tuple[float, float]
    slope: tuple[float, float]  # uphill positive
    steepest: float  # station of the slope that is largest in size
    bank: tuple[float, float]  # left side up positive
    radius: float  # smallest; inf when straight, nan without a line
    friction: tuple[float, float]
    extent: tuple[float, float, float, float] | None  # x0, y0, x1, y1
    holes: int  # points between the edges without ground

    def rows(self) -> list[tuple[str, str, str]]:
        """(key, what, value with its unit) for people."""
        percent = [f"{100 * v:+.1f}" for v in (*self.slope, *self.bank)]
        result = [
            ("kind", "kind", self.kind),
            ("length", "length", f"{self.length:.1f} m{', closed' if self.closed else ''}"),
            ("width", "width", _range(self.width, ".2f", "m")),
            ("height", "height", _range(self.height, ".3f", "m")),
            ("slope", "slope, uphill", f"{percent[0]} to {percent[1]} %, steepest at s = {self.steepest:.0f} m"),
            ("bank", "bank, left side up", f"{percent[2]} to {percent[3]} %"),
            ("radius", "smallest radius", _radius(self.radius)),
            ("friction", "friction", _range(self.friction, ".2f", "")),
        ]
        if self.extent is not None:
            x0, y0, x1, y1 = self.extent
            result.append(("extent", "extent", f"x {x0:.1f} to {x1:.1f} m, y {y0:.1f} to {y1:.1f} m"))
        if self.holes:
            result.append(("holes", "without ground", f"{self.holes} of the points between the edges"))
        return result


def _range(values: tuple[float, float], form: str, unit: str) -> str:
    low, high = (format(v, form) for v in values)
    return f"{low if low == high else f'{low} to {high}'} {unit}".strip()


def _radius(value: float) -> str:
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
    box = road.extent or base.extent
    if box is None or not all(map(math.isfinite, box)):
        half = 0.5 * endless
        box = (-half, -0.1 * half, half, 0.1 * half)
    s = box[0] + _stations(box[2] - box[0], spacing, most)
    side = np.full(len(s), 0.5 * (box[3] - box[1]))
    return Line(s, s, np.full(len(s), 0.5 * (box[1] + box[3])), np.zeros(len(s)), side, side)


def _stations(length: float, spacing: float, most: int) -> Array:
    count = most if spacing <= 0 else min(max(2, math.floor(length / spacing) + 1), most)
    return np.linspace(0.0, length, int(count))


def survey(road: Road) -> Survey:
    """Walk along a road and measure it."""
    fine, line = line_of(road, CLOSE), line_of(road, SPACING)
    part = np.linspace(0.0, 1.0, ACROSS)
    # edges without end are walked as far as one sees
    left, right = (np.clip(side, -ENDLESS, ENDLESS) for side in (fine.left, fine.right))
    n = -right[:, None] + part * (left + right)[:, None]
    surface = road.query(
        fine.x[:, None] - n * np.sin(fine.heading)[:, None], fine.y[:, None] + n * np.cos(fine.heading)[:, None]
    )
    # edges lie on the border itself: one side of it may be off the road
    ground = ~surface.no_ground
    z = surface.height[ground]
    mu = surface.friction[:, 1:-1][ground[:, 1:-1]]
    across = -np.sin(line.heading), np.cos(line.heading)
    middle = road.query(line.x, line.y)
    slope = np.diff(middle.height) / np.diff(line.s)
    slope = np.where(middle.no_ground[1:] | middle.no_ground[:-1], np.nan, slope)
    tracks = [road.query(line.x + side * across[0], line.y + side * across[1]) for side in (TRACK / 2, -TRACK / 2)]
    bank = (tracks[0].height - tracks[1].height) / TRACK
    bank = np.where(tracks[0].no_ground | tracks[1].no_ground, np.nan, bank)
    kappa = float(np.max(np.abs(line.curvature))) if line.curvature is not None else math.nan
    steepest = int(np.nanargmax(np.abs(slope))) if np.isfinite(slope).any() else 0
    return Survey(
        kind=type(inner(road)[0]).__name__,
        length=float(line.s[-1] - line.s[0]),
        closed=line.closed,
        width=_bounds(line.left + line.right),
        height=_bounds(z),
        slope=_bounds(slope),
        steepest=float(0.5 * (line.s[steepest] + line.s[steepest + 1])),
        bank=_bounds(bank),
        radius=math.nan if math.isnan(kappa) else 1 / kappa if kappa > 1e-9 else math.inf,
        friction=_bounds(mu),
        extent=road.extent,
        holes=int((~ground[:, 1:-1]).sum()),
    )


def _bounds(values: Array) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else (math.nan, math.nan)
