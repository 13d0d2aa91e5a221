"""Pictures of roads: plan with height (or friction) as colour, profile along the line, slopes, friction.

The plan is drawn to scale where the road turns; a straight road is stretched across. A long road that turns is drawn as
its line. Slopes are taken over a metre, as in ``survey``, so that they are those of the road and not of its stones.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.block import Array
from jounce.road.surface import Road
from jounce.road.survey import CLOSE, ENDLESS, SPACING, TRACK, Line, line_of

_COLUMNS, _STRETCHES = 1600, 2000  # of the plan: stations of a band, pieces of a line
_ROWS = 41  # points of the plan from edge to edge
_STATIONS = 20_000
_SLENDER = 40  # a road longer than this many widths, and not straight, is drawn as a line
_WIDEST = 20.0  # m to each side
_FLAT = 1e-4  # m: heights that differ by less are one
_COLOURS = {"height": ("viridis", "height, m"), "friction": ("RdYlGn", "friction")}
_LEFT, _RIGHT, _BOTH = "#1f77b4", "#d95f02", "#333333"


def figure(road: Road, *, length: float | None = None, track: float = TRACK, title: str | None = None) -> Any:
    """Draw a road.

    Parameters
    ----------
    length : shown of a road without end, m
    track : distance of the two wheel tracks in the profile, m
    title : the name of the road by default

    Returns
    -------
    matplotlib figure with four parts: plan, profile, slopes, friction
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ParameterError('pictures need matplotlib: pip install "jounce[plot]"') from None

    line = line_of(road, CLOSE, _STATIONS, length or ENDLESS)
    s, heading = line.s, line.heading
    fig = Figure(figsize=(9, 8), layout="constrained")
    plan, profile, slopes, mu = fig.subplots(4, 1, height_ratios=[2.4, 1, 1, 1])
    name = title if title is not None else road.name or type(road).__name__
    closed = ", closed" if line.closed else ""
    plan.set_title(name, loc="left", fontsize=12, fontweight="bold")
    plan.set_title(f"{s[-1] - s[0]:.0f} m{closed}", loc="right", fontsize=9)

    across = -np.sin(heading), np.cos(heading)
    sides = [road.query(line.x + n * across[0], line.y + n * across[1]) for n in (0.5 * track, -0.5 * track)]
    middle = road.query(line.x, line.y)
    heights = [np.where(sample.no_ground, np.nan, sample.height) for sample in (*sides, middle)]
    _draw_plan(fig, plan, road, line, heights)
    _draw_pair(profile, s, heights[:2], 0.1)
    _draw_pair(mu, s, [sample.friction for sample in sides], 0.0)
    over = max(SPACING, 2 * (s[1] - s[0])) if len(s) > 1 else SPACING
    bank = np.degrees(np.arctan(_mean_over((heights[0] - heights[1]) / track, s, over)))
    uphill = np.degrees(np.arctan(_rise_over(heights[2], s, over)))
    slopes.plot(s, uphill, lw=0.9, color=_BOTH, label="slope, uphill")
    slopes.plot(s, bank, lw=0.9, color=_RIGHT, label="bank, left side up")
    _spread(slopes, np.concatenate([bank, uphill]), 1.0)
    for axes, label in ((profile, "height, m"), (slopes, f"deg over {over:.2g} m"), (mu, "friction")):
        axes.set(ylabel=label, xlim=(s[0], s[-1]))
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.99), ncols=2, fontsize=8, frameon=False, borderpad=0)
        axes.grid(alpha=0.3)
    mu.set_xlabel("s, m")
    top = max((float(np.nanmax(sample.friction)) for sample in sides), default=1.0)
    mu.set_ylim(0, max(1.1, math.ceil(10 * top + 1) / 10))
    return fig


def _draw_plan(fig: Any, plan: Any, road: Road, line: Line, heights: list[Array]) -> None:
    """The road from above."""
    from matplotlib.collections import LineCollection

    half = min(float(max(np.max(line.left), np.max(line.right))), _WIDEST if line.curvature is not None else math.inf)
    x, y, heading = line.x, line.y, line.heading
    long = line.s[-1] - line.s[0] > _SLENDER * 2 * half
    turns = float(np.ptp(heading)) > 0.05
    if long and turns:
        pick = np.linspace(0, len(x) - 1, min(_STRETCHES, len(x))).astype(int)
        ends = np.column_stack([x[pick], y[pick]])
        pieces = LineCollection(list(np.stack([ends[:-1], ends[1:]], axis=1)), cmap="viridis", lw=4)
        pieces.set_array(heights[2][pick[:-1]])
        drawn, what = plan.add_collection(pieces), "height"
        plan.autoscale()
        plan.margins(0.04)
        plan.plot(*ends[0], "o", ms=8, mfc="white", mec="black", label="s = 0")
        plan.legend(loc="best", fontsize=8, frameon=False)
    else:
        pick = _telling(np.nansum(heights[:2], axis=0))
        n = np.linspace(-half, half, _ROWS)
        gx, gy = x[pick, None] - n * np.sin(heading[pick, None]), y[pick, None] + n * np.cos(heading[pick, None])
        shown = road.query(gx, gy)
        z = np.where(shown.no_ground, np.nan, shown.height)
        level = not np.any(np.isfinite(z)) or float(np.nanmax(z) - np.nanmin(z)) < _FLAT
        what = "friction" if level else "height"
        values = np.where(shown.no_ground, np.nan, shown.friction) if level else z
        limits = {"vmin": 0.0, "vmax": max(1.0, float(np.nanmax(values, initial=1.0)))} if level else {}
        cmap = _COLOURS[what][0]
        drawn = plan.pcolormesh(gx, gy, values, shading="nearest", cmap=cmap, rasterized=True, **limits)
    fig.colorbar(drawn, ax=plan, label=_COLOURS[what][1], pad=0.01)
    plan.set_aspect("equal" if turns or (not long and np.ptp(x) < 3 * half) else "auto", adjustable="datalim")
    plan.set(xlabel="x, m", ylabel="y, m")


def _draw_pair(axes: Any, s: Array, tracks: list[Any], least: float) -> None:
    """Both wheel tracks, or one curve where they are the same."""
    left, right = tracks
    if np.array_equal(left, right, equal_nan=True):
        axes.plot(s, left, lw=0.9, color=_BOTH, label="both wheel tracks")
    else:
        axes.plot(s, left, lw=0.9, color=_LEFT, label="left wheel track")
        axes.plot(s, right, lw=0.9, color=_RIGHT, label="right wheel track")
    _spread(axes, np.concatenate([left, right]), least)


def _spread(axes: Any, values: Array, least: float) -> None:
    """What hardly changes is shown as hardly changing."""
    low, high = float(np.nanmin(values, initial=0.0)), float(np.nanmax(values, initial=0.0))
    if high - low < 1e-3 * least:
        axes.set_ylim(0.5 * (low + high) - least, 0.5 * (low + high) + least)


def _mean_over(values: Array, s: Array, width: float) -> Array:
    """Moving mean."""
    count = max(1, round(width / max(float(s[1] - s[0]), 1e-9))) if len(s) > 1 else 1
    if count < 2:
        return values
    padded = np.pad(values, (count // 2, count - 1 - count // 2), mode="edge")
    return np.convolve(padded, np.full(count, 1.0 / count), mode="valid")


def _rise_over(height: Array, s: Array, width: float) -> Array:
    """Rise between half a width before and behind, by the width."""
    a, b = np.clip(s - 0.5 * width, s[0], s[-1]), np.clip(s + 0.5 * width, s[0], s[-1])
    return np.asarray((np.interp(b, s, height) - np.interp(a, s, height)) / np.maximum(b - a, 1e-9))


def _telling(height: Any) -> Any:
    """Stations for the plan: of each short part the one that differs most from its surroundings, so that nothing that
    lies on the road is lost between two of them."""
    parts = np.array_split(np.arange(len(height)), min(_COLUMNS, len(height)))
    usual = np.array([float(np.median(height[part])) for part in parts])
    around = [float(np.median(usual[max(0, i - 5) : i + 6])) for i in range(len(parts))]
    inside = [part[int(np.argmax(np.abs(height[part] - z)))] for part, z in zip(parts, around, strict=True)]
    return np.array([0, *inside[1:-1], len(height) - 1])
