"""Pictures of roads: plan with height as colour, profile along the line, bank or slope, friction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.grid import GridRoad
from jounce.road.line import LineRoad
from jounce.road.simple import Sum
from jounce.road.surface import Road

_MAX_POINTS = 400


def _way(road: Road, length: float | None) -> tuple[Any, Any, Any, Any, float]:
    """Stations, places and headings along the middle of a road, and half of its width."""
    inner = road
    while isinstance(inner, Sum):
        inner = inner.base
    if isinstance(inner, LineRoad):
        path = inner.path
        s = np.linspace(0, path.length, 2000)
        p, heading = path.at(s), path.at(s, "heading") + inner.frame.heading
        x, y = inner.frame.to_world(p[:, 0], p[:, 1])
        left, right = (float(np.max(c(s))) for c in inner.edges)
        return s, x, y, heading, min(max(left, right), 20.0)
    if isinstance(inner, GridRoad):
        nodes = inner.nodes
        x, y = inner.frame.to_world(nodes[:, 0], nodes[:, 1])
        heading = np.arctan2(np.gradient(y), np.gradient(x))
        return inner.u0 + inner.du * np.arange(len(x)), x, y, heading, float(np.max(np.abs(inner.v)))
    box = road.extent
    if box is None:
        half = 0.5 * (length or 100.0)
        box = (-half, -0.1 * half, half, 0.1 * half)
    s = np.linspace(box[0], box[2], 2000)
    middle = 0.5 * (box[1] + box[3])
    return s, s, np.full(len(s), middle), np.zeros(len(s)), 0.5 * (box[3] - box[1])


def figure(road: Road, *, length: float | None = None, track: float = 1.5, title: str | None = None) -> Any:
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

    s, x, y, heading, half = _way(road, length)
    fig = Figure(figsize=(9, 8), layout="constrained")
    plan, profile, slopes, mu = fig.subplots(4, 1, height_ratios=[2.2, 1, 1, 1])
    fig.suptitle(title if title is not None else road.name or type(road).__name__)

    pick = np.linspace(0, len(s) - 1, min(_MAX_POINTS, len(s))).astype(int)
    n = np.linspace(-half, half, 9)
    gx = x[pick, None] - n * np.sin(heading[pick, None])
    gy = y[pick, None] + n * np.cos(heading[pick, None])
    shown = road.query(gx, gy)
    z = np.where(shown.no_ground, np.nan, shown.height)
    dots = plan.scatter(gx, gy, c=z, s=4, cmap="viridis", linewidths=0)
    fig.colorbar(dots, ax=plan, label="height, m")
    plan.set_aspect("equal" if np.ptp(gy) > 0.05 * np.ptp(gx) else "auto")
    plan.set(xlabel="x, m", ylabel="y, m")

    for side, label in ((0.5 * track, "left track"), (-0.5 * track, "right track")):
        a, b = x - side * np.sin(heading), y + side * np.cos(heading)
        sample = road.query(a, b)
        height = np.where(sample.no_ground, np.nan, sample.height)
        profile.plot(s, height, lw=0.9, label=label)
        mu.plot(s, sample.friction, lw=0.9, label=label)
    middle = road.query(x, y)
    c, sn = np.cos(heading), np.sin(heading)
    slopes.plot(s, np.degrees(np.arctan(middle.slope_y * c - middle.slope_x * sn)), lw=0.9, label="bank, left side up")
    slopes.plot(s, np.degrees(np.arctan(middle.slope_x * c + middle.slope_y * sn)), lw=0.7, label="slope, uphill")
    for axes, label in ((profile, "height, m"), (slopes, "deg"), (mu, "friction")):
        axes.set(ylabel=label, xlim=(s[0], s[-1]))
        axes.legend(loc="upper right", fontsize=7)
        axes.grid(alpha=0.3)
    mu.set_xlabel("s, m")
    mu.set_ylim(0, max(1.1, math.ceil(10 * float(np.nanmax(middle.friction))) / 10))
    return fig
