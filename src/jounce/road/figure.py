"""Pictures of roads: plan, a detail of what lies on it, and curves along the line: height, slopes, friction.

The plan is drawn to scale where the road turns or is compact; a straight road is stretched across. A long road that
turns is drawn as its line. What is the same everywhere gets no curve but a line of words. The detail shows the first
thing that lies on the road, or, where the whole road is uneven, the place with the most of it. A curve that goes up and
down more often than the paper can show is drawn as the band between its lowest and highest values.

Slopes are those of ``survey``: of the surface itself, the grade over a metre, the bank over the track; in percent.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.block import Array
from jounce.road.surface import Road
from jounce.road.survey import CLOSE, ENDLESS, MOST_ALONG, SPACING, TRACK, Line, Track, line_of, percent, rise, walked

_COLUMNS, _STRETCHES = 1600, 2000  # of the plan: stations of a band, pieces of a line
_BINS = 900  # parts of a curve, of which the lowest and the highest value are drawn
_WINDOW = 21  # such parts in which a curve that turns in every other one of them becomes a band
_STATIONS, _ROWS = 20_000, 41  # that are asked for the plan of a long road,
_COMPACT = 401  # and each way of a compact one
_SLENDER = 40  # a road longer than this many widths, and not straight, is drawn as a line
_SQUARE = 3  # one shorter than this many widths is compact
_WIDEST = 20.0  # m to each side
_INSIDE = 0.999  # of the way to an edge: on the edge itself a road may have ended
_FLAT = 1e-4  # m: heights that differ by less are one
_SAME = 1e-6  # slopes and frictions that differ by less are one
_UNEVEN = 0.0075  # a slope that differs by more from the grade is that of something on the road
_PART = 0.2  # of the largest such difference, which counts as well
_SPARSE = 0.1  # of the road at most is covered by single things; else all of it is uneven
_WAVES = 4.0  # m to both sides in the detail of a road that is uneven everywhere
_BASE = 10.0  # m over which a mean height is taken
_MILLIMETRES = 0.2  # m: a smaller range of heights is shown in mm
_CUT, _CUT_LEAST = 3.0, 20.0  # times the grades, and %: the slopes of small steep things go no farther up
_FRICTION, _HEIGHT, _NOTHING = "cividis", "viridis", "#c8c8c8"
_LEFT, _RIGHT, _BOTH, _PALE = "#1f77b4", "#d95f02", "#333333", "#9a9a9a"


def figure(road: Road, *, length: float | None = None, track: float = TRACK, title: str | None = None) -> Any:
    """Draw a road.

    Parameters
    ----------
    length : shown of a road without end, m
    track : distance of the two wheel tracks, m
    title : the name of the road by default

    Returns
    -------
    matplotlib figure: the plan, a detail where something lies on the road, and the curves that are not constant
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ParameterError('pictures need matplotlib: pip install "jounce[plot]"') from None

    line = line_of(road, CLOSE, MOST_ALONG, length or ENDLESS)
    middle, *sides = (walked(road, line, offset) for offset in (0.0, 0.5 * track, -0.5 * track))
    seen = _look(road, length or ENDLESS)
    detail = _first(seen)
    curves, constants = _curves(line, middle, sides, track, uneven=detail is not None)

    beside = detail is not None and seen.compact
    below = detail is not None and not seen.compact
    plan_height = 3.6 if seen.compact or seen.turns else 1.9
    heights = [plan_height, *([2.4] if below else []), *([1.45] * len(curves))]
    narrow = seen.compact and detail is None and not curves
    fig = Figure(figsize=(6 if narrow else 9, sum(heights) + 0.8), layout="constrained")
    rows = fig.add_gridspec(len(heights), 1, height_ratios=heights)
    top = rows[0].subgridspec(1, 2) if beside else None
    plan = fig.add_subplot(rows[0] if top is None else top[0])
    _draw_plan(fig, plan, seen, middle, line, detail)
    plan.set_title(title if title is not None else road.name or type(road).__name__, loc="left", fontweight="bold")
    size = f"{seen.length:{'.0f' if seen.length > 100 else '.4g'}} m"
    size += " shown" if line.endless else ", closed" if line.closed else ""
    plan.set_title(size, loc="right", fontsize=9)
    if detail is not None:
        places = top[1].subgridspec(2, 1, height_ratios=[2, 1]) if top is not None else rows[1].subgridspec(1, 2)
        _draw_detail(fig, [fig.add_subplot(places[0]), fig.add_subplot(places[1])], road, seen, detail)
    for i, curve in enumerate(curves):
        axes = fig.add_subplot(rows[1 + below + i])
        curve(axes)
        axes.set_xlim(line.s[0], line.s[-1])
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.99), ncols=3, fontsize=8, frameon=False, borderpad=0)
        axes.grid(alpha=0.3)
        if curve is curves[-1]:
            axes.set_xlabel("s, m")
    words = [f"Everywhere: {', '.join(constants)}."] if constants else []
    if not seen.drawn_as_line and seen.beside[1:-1, 1:-1].any():
        words.append("Grey: not covered by the road.")
    if words:
        fig.supxlabel(textwrap.fill(" ".join(words), 60 if narrow else 110), fontsize=9)
    return fig


# --- what is seen ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Seen:
    """The surface at stations (first index) and offsets from the right to the left edge (second)."""

    line: Line
    n: Array  # (stations, offsets), m
    x: Array
    y: Array
    height: Array  # nan where there is none
    friction: Array
    slope: Array  # along the line
    beside: Any  # not covered by the road, or no ground

    @property
    def length(self) -> float:
        return float(self.line.s[-1] - self.line.s[0])

    @property
    def width(self) -> float:
        return float(np.max(self.n[:, -1] - self.n[:, 0]))

    @property
    def turns(self) -> bool:
        return float(np.ptp(self.line.heading)) > 0.05

    @property
    def compact(self) -> bool:
        return not self.turns and self.length < _SQUARE * self.width

    @property
    def drawn_as_line(self) -> bool:
        return self.turns and self.length > _SLENDER * self.width

    @cached_property
    def uneven(self) -> Array:
        """How much slopes differ from the grade over a metre, and so do those from station to station."""
        s, z = self.line.s, self.height
        grade = np.column_stack([rise(row, s, SPACING) for row in z.T])
        found = np.abs(self.slope - grade)
        found[:-1] = np.fmax(found[:-1], np.abs(np.diff(z, axis=0) / np.diff(s)[:, None] - grade[:-1]))
        # what is missing is no feature, nor is its border, where the grade is unknown, nor an end of the road
        whole = (s - s[0] >= 0.5 * SPACING) & (s[-1] - s >= 0.5 * SPACING)
        return np.where(np.isfinite(grade) & whole[:, None], np.nan_to_num(found), 0.0)


def _look(road: Road, endless: float) -> _Seen:
    line = line_of(road, CLOSE, _STATIONS, endless)
    limit = _WIDEST if line.curvature is not None else endless if line.endless else math.inf
    left, right = (_INSIDE * np.minimum(side, limit) for side in (line.left, line.right))
    rows = _ROWS
    if line.s[-1] - line.s[0] < _SQUARE * float(np.max(left + right)):
        line, rows = line_of(road, CLOSE, _COMPACT, endless), _COMPACT
        left, right = (_INSIDE * np.minimum(side, limit) for side in (line.left, line.right))
    n = -right[:, None] + np.linspace(0.0, 1.0, rows) * (left + right)[:, None]
    sine, cosine = np.sin(line.heading)[:, None], np.cos(line.heading)[:, None]
    x, y = line.x[:, None] - n * sine, line.y[:, None] + n * cosine
    sample = road.query(x, y)
    beside = sample.no_ground | sample.off_road
    slope = cosine * sample.slope_x + sine * sample.slope_y
    return _Seen(line, n, x, y, np.where(beside, np.nan, sample.height), sample.friction, slope, beside)


@dataclass(frozen=True)
class _Detail:
    """A window on the road, m."""

    s: float
    n: float
    half: float  # along; across it is 0.6 of this
    first: bool  # of single things; else the most uneven place


def _first(seen: _Seen) -> _Detail | None:
    """The first thing that lies on the road; where all of it is uneven, the place with the most of it."""
    uneven, s = seen.uneven, seen.line.s
    most = float(uneven.max(initial=0.0))
    if most < _UNEVEN or len(s) < 3:
        return None
    active = uneven > max(_PART * most, _UNEVEN)
    along = np.flatnonzero(active.any(axis=1))
    if len(along) > _SPARSE * len(s):
        half = min(_WAVES, 0.5 * seen.length)
        mean = _mean_over(uneven.max(axis=1), seen.line, 2 * half)
        place = min(max(float(s[int(np.argmax(mean))]), s[0] + half), s[-1] - half)
        return _Detail(place, 0.0, half, False)
    # nearer together than a metre is one thing
    ends = np.flatnonzero(np.diff(s[along]) > 1.0)
    run = along[: int(ends[0]) + 1] if len(ends) else along
    across = np.flatnonzero(active[run].any(axis=0))
    n = seen.n[run[0], across]
    middle, size = 0.5 * (s[run[0]] + s[run[-1]]), max(float(s[run[-1]] - s[run[0]]), 0.05)
    # over most of the width: a bar, of which a short piece in the middle is shown
    wide = float(np.ptp(n)) if np.ptp(n) < 0.7 * seen.width else 0.0
    half = min(max(2.0 * size, 1.5 * wide, 0.3), 0.5 * seen.length)
    return _Detail(float(middle), 0.5 * float(n[0] + n[-1]), half, True)


# --- plan and detail ------------------------------------------------------------------------------------------------


def _draw_plan(fig: Any, plan: Any, seen: _Seen, middle: Track, line: Line, detail: _Detail | None) -> None:
    """The road from above."""
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection
    from matplotlib.colors import ListedColormap

    level = not np.isfinite(seen.height).any() or float(np.nanmax(seen.height) - np.nanmin(seen.height)) < _FLAT
    friction = np.where(seen.beside, np.nan, seen.friction)
    same = level and float(np.nanmax(friction, initial=0.0) - np.nanmin(friction, initial=math.inf)) < _SAME
    label, limits = "height, m", {}
    cmap: Any = _HEIGHT
    if level:
        label, cmap, limits = "friction", _FRICTION, {"vmin": 0.0, "vmax": max(1.0, float(np.nanmax(friction)))}
    if same:
        cmap = ListedColormap(["#8fa9c4"])
    if seen.drawn_as_line:
        pick = np.linspace(0, len(line.s) - 1, min(_STRETCHES, len(line.s))).astype(int)
        ends = np.column_stack([line.x[pick], line.y[pick]])
        drawn = LineCollection(list(np.stack([ends[:-1], ends[1:]], axis=1)), cmap=cmap, lw=4)
        drawn.set_array((middle.friction if level else middle.height)[pick[:-1]])
        if limits:
            drawn.set_clim(**limits)
        plan.add_collection(drawn)
        plan.autoscale()
        plan.margins(0.04)
        plan.plot(*ends[0], "o", ms=8, mfc="white", mec="black", label="s = 0")
        plan.legend(loc="best", fontsize=8, frameon=False)
    else:
        values = friction if level else seen.height
        part = float((seen.uneven > _UNEVEN).any(axis=1).mean())
        if not level and not seen.turns and part > _SPARSE and len(seen.line.s) > _COLUMNS:
            # heights that change from column to column would only flicker
            pick, values = _ranges(values, seen.line.s)
            values, label = 1000 * values, f"mm within {_BASE:g} m"
            plan.set_title("highest less lowest", fontsize=9)
        else:
            pick = _telling(np.nan_to_num(np.abs(seen.height - _mean_over(seen.height, seen.line, _BASE))).max(axis=1))
            values = values[pick]
        colours = (colormaps[cmap] if isinstance(cmap, str) else cmap).with_extremes(bad=_NOTHING)
        shades = np.ma.masked_invalid(values[:-1, :-1])
        drawn = plan.pcolormesh(seen.x[pick], seen.y[pick], shades, cmap=colours, rasterized=True, **limits)
    if detail is not None:
        at = int(np.searchsorted(seen.line.s, detail.s))
        row = int(np.argmin(np.abs(seen.n[at] - detail.n)))
        plan.plot(seen.x[at, row], seen.y[at, row], "o", ms=13, mfc="none", mec=_RIGHT, mew=1.5)
    if not same:
        fig.colorbar(drawn, ax=plan, label=label, pad=0.01)
    if seen.turns or seen.compact:
        plan.set_aspect("equal", adjustable="datalim" if seen.drawn_as_line else "box")
    plan.set(xlabel="x, m", ylabel="y, m")


def _draw_detail(fig: Any, places: list[Any], road: Road, seen: _Seen, detail: _Detail) -> None:
    """A window of the road from above, to scale, and the profile through the thing it shows."""
    from matplotlib import colormaps

    view, profile = places
    half = detail.half
    s = np.linspace(max(detail.s - half, seen.line.s[0]), min(detail.s + half, seen.line.s[-1]), 321)
    at = np.interp(detail.s, seen.line.s, np.arange(len(seen.line.s)))
    edges = seen.n[int(at)]
    n = np.linspace(max(detail.n - 0.6 * half, edges[0]), min(detail.n + 0.6 * half, edges[-1]), 193)

    def heights(offset: Array) -> Array:
        x, y, heading = (np.interp(s, seen.line.s, a)[:, None] for a in (seen.line.x, seen.line.y, seen.line.heading))
        sample = road.query(x - offset * np.sin(heading), y + offset * np.cos(heading))
        return np.where(sample.no_ground | sample.off_road, np.nan, sample.height)

    z = heights(n[None, :])
    # over the plane through the ground before and behind: a small thing is seen on a hill, too
    border = np.isfinite(z)
    if detail.first:
        border[len(s) // 20 : -len(s) // 20] = False
    columns = np.stack([np.ones_like(z), np.broadcast_to(s[:, None], z.shape), np.broadcast_to(n, z.shape)], axis=-1)
    plane = np.linalg.lstsq(columns[border], z[border], rcond=None)[0] if border.any() else np.zeros(3)
    over = 1000 * (z - columns @ plane)
    colours = colormaps[_HEIGHT].with_extremes(bad=_NOTHING)
    shades = np.ma.masked_invalid(over.T)
    drawn = view.pcolormesh(s, n, shades, shading="nearest", cmap=colours, rasterized=True)
    fig.colorbar(drawn, ax=view, label="mm", pad=0.01)
    view.set_aspect("equal", adjustable="box")
    view.axhline(detail.n, color="white", lw=0.8, ls=":")
    what = "first thing on it" if detail.first else "most uneven place"
    view.set_title(f"detail: {what}, s = {detail.s:.4g} m", fontsize=9, loc="left")
    view.set(xlabel="s, m", ylabel="n (left), m")
    through = 1000 * (heights(np.array([[detail.n]]))[:, 0] - plane[0] - plane[1] * s - plane[2] * detail.n)
    profile.plot(s, through, lw=1.1, color=_BOTH)
    profile.set(xlabel="s, m", ylabel="mm", xlim=(s[0], s[-1]))
    profile.set_title(f"along n = {round(detail.n, 3) + 0.0:g} m, over the plane around", fontsize=9, loc="left")
    profile.grid(alpha=0.3)


def _ranges(values: Array, s: Array) -> tuple[Any, Array]:
    """Stations of the plan, and the highest less the lowest value within some metres around each."""
    pick = np.linspace(0, len(s) - 1, _COLUMNS // 4).astype(int)
    begin, end = np.searchsorted(s, s[pick] - 0.5 * _BASE), np.searchsorted(s, s[pick] + 0.5 * _BASE)
    parts = [values[a:b] for a, b in zip(begin, end, strict=True)]
    return pick, np.array([np.fmax.reduce(part) - np.fmin.reduce(part) for part in parts])


def _telling(over: Array) -> Any:
    """Stations for the plan: of each short part the one that differs most from its surroundings, so that nothing that
    lies on the road is lost between two of them."""
    parts = np.array_split(np.arange(len(over)), min(_COLUMNS, len(over)))
    inside = [part[int(np.argmax(over[part]))] for part in parts]
    return np.array([0, *inside[1:-1], len(over) - 1])


# --- curves along the line ------------------------------------------------------------------------------------------


def _curves(line: Line, middle: Track, sides: list[Track], track: float, uneven: bool) -> tuple[list[Any], list[str]]:
    """Functions that draw the curves which are worth it, and words for what is constant."""
    s, curves, constants = line.s, [], []
    heights = [side.height for side in sides]
    if all(not np.isfinite(height).any() for height in heights):
        return [], ["no ground below the wheel tracks"]
    low, high = _limits(heights)
    if high - low < _FLAT:
        constants.append(f"height {low + 0.0:.3g} m")
    else:
        unit, factor = ("mm", 1000.0) if high - low < _MILLIMETRES else ("m", 1.0)
        curves.append(lambda axes: _draw_pair(axes, s, [factor * z for z in heights], f"height, {unit}"))
        over = [height - _mean_over(height, line, _BASE) for height in heights]
        if uneven and _spread(over) < 0.2 * (high - low):
            name = f"over the mean\nof {_BASE:g} m, mm"
            curves.append(lambda axes: _draw_pair(axes, s, [1000 * z for z in over], name))
    grade = 100 * rise(middle.height, s, SPACING)
    bank = 100 * (heights[0] - heights[1]) / track
    steep = [100 * t.slope for t in (middle, *sides)]
    if max(_spread([grade]), _spread([bank]), _spread(steep)) < 100 * _SAME:
        constants.append(f"slope {_mean(grade):.3g} %")
        constants.append(f"bank {_mean(bank):.3g} %")
    else:
        curves.append(lambda axes: _draw_slopes(axes, s, grade, bank, (middle, *sides)))
    frictions = [side.friction for side in sides]
    low, high = _limits(frictions)
    if high - low < _SAME:
        constants.append(f"friction {low:.3g} on the wheel tracks")
    else:
        top = max(1.1, math.ceil(10 * high + 1) / 10)
        curves.append(lambda axes: _draw_pair(axes, s, frictions, "friction", (0.0, top)))
    return curves, constants


def _mean(values: Array) -> float:
    return float(np.nanmean(values)) + 0.0 if np.isfinite(values).any() else 0.0


def _limits(values: list[Array]) -> tuple[float, float]:
    known = np.concatenate(values)
    known = known[np.isfinite(known)]
    return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)


def _spread(values: list[Array]) -> float:
    low, high = _limits(values)
    return high - low


def _draw_pair(axes: Any, s: Array, tracks: list[Array], label: str, limits: tuple[float, float] | None = None) -> None:
    """Both wheel tracks, or one curve where they are the same."""
    left, right = tracks
    if np.array_equal(left, right, equal_nan=True):
        _draw(axes, s, left, _BOTH, "both wheel tracks")
    else:
        _draw(axes, s, left, _LEFT, "left wheel track")
        _draw(axes, s, right, _RIGHT, "right wheel track")
    axes.set_ylabel(label)
    if limits is not None:
        axes.set_ylim(*limits)


def _draw_slopes(axes: Any, s: Array, grade: Array, bank: Array, tracks: tuple[Track, ...]) -> None:
    """Grade and bank; behind them the slopes of the surface, as far as they do not dwarf the others."""
    steep = _limits([100 * t.slope for t in tracks])
    usual = max(map(abs, (*_limits([grade]), *_limits([bank]), 1.0)))
    reach = max(map(abs, steep))
    limit = max(_CUT * usual, _CUT_LEAST)
    cut = reach > limit
    name = f"slope of the surface: {percent((steep[0] / 100, steep[1] / 100))}{' (cut)' if cut else ''}"
    for t in tracks:
        _draw(axes, t.s, 100 * t.slope, _PALE, name if t is tracks[0] else "_")
    _draw(axes, s, grade, _BOTH, f"grade over {SPACING:g} m, uphill")
    _draw(axes, s, bank, _RIGHT, "bank, left side up")
    axes.set_ylabel("%")
    if cut:
        axes.set_ylim(-limit, limit)


def _draw(axes: Any, s: Array, values: Array, colour: str, label: str) -> None:
    """A curve; where it turns too often, the band between the lowest and the highest values nearby."""
    if len(s) <= 2 * _BINS:
        axes.plot(s, values, lw=0.9, color=colour, label=label)
        return
    borders = np.unique(np.append(np.searchsorted(s, np.linspace(s[0], s[-1], _BINS + 1)[:-1]), len(s)))
    parts = [slice(a, b) for a, b in itertools.pairwise(borders)]
    known = np.where(np.isfinite(values), values, 0.0)
    ends = np.array([[part.start + int(f(known[part])) for f in (np.argmin, np.argmax)] for part in parts])
    change = np.diff(known)
    moving = np.flatnonzero(np.abs(change) > 1e-6 * max(float(np.ptp(known)), 1e-9))
    turns = np.zeros(len(s))
    turns[moving[1:]] = np.diff(np.sign(change[moving])) != 0
    side = _WINDOW // 2
    near = np.lib.stride_tricks.sliding_window_view
    often = near(np.pad(np.add.reduceat(turns, borders[:-1]), side), _WINDOW).sum(axis=1) > 0.5 * _WINDOW
    if often.any():
        low, high = (np.pad(known[column], 2, mode="edge") for column in ends.T)
        edges = near(low, 5).min(axis=1), near(high, 5).max(axis=1)
        middle = s[ends].mean(axis=1)
        axes.fill_between(middle, *edges, where=often, color=colour, alpha=0.35, lw=0)
        for edge in edges:
            axes.plot(middle, np.where(often, edge, np.nan), lw=0.5, color=colour)
    # the lowest and the highest value of each part, in the order in which they come
    shown = np.unique(np.concatenate([ends.ravel(), [0, len(s) - 1]]))
    line = np.where(often[np.searchsorted(borders, shown, side="right") - 1], np.nan, values[shown])
    axes.plot(s[shown], line, lw=0.9, color=colour, label=label)


def _mean_over(values: Array, line: Line, width: float) -> Array:
    """Moving mean along the first axis; beyond the ends of a road its slope goes on. What is missing is left out."""
    step = float(line.s[1] - line.s[0])
    half = min(round(0.5 * width / step), (len(values) - 1) // 2)
    if half < 1:
        return values
    if values.ndim == 2:
        return np.column_stack([_mean_over(row, line, width) for row in values.T])
    known = np.isfinite(values)
    if not known.any():
        return values
    filled = np.interp(line.s, line.s[known], values[known])
    padded = np.pad(filled, half, mode="wrap") if line.closed else np.pad(filled, half, "reflect", reflect_type="odd")
    total = np.concatenate([[0.0], np.cumsum(padded)])
    return np.asarray((total[2 * half + 1 :] - total[: -2 * half - 1]) / (2 * half + 1))
