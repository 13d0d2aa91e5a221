"""Pictures of roads: plan with height as colour, profile along the line, bank or slope, friction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.surface import Road
from jounce.road.survey import CLOSE, ENDLESS, line_of

_MAX_POINTS, _MAX_DOTS = 400, 1200  # stations of the plan
_STATIONS = 20_000
_SLENDER = 40  # a road longer than this many widths is drawn with dots, which stay visible
_WIDEST = 20.0  # m to each side


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

    line = line_of(road, CLOSE, _STATIONS, length or ENDLESS)
    s, x, y, heading = line.s, line.x, line.y, line.heading
    half = min(float(max(np.max(line.left), np.max(line.right))), _WIDEST if line.curvature is not None else math.inf)
    fig = Figure(figsize=(9, 8), layout="constrained")
    plan, profile, slopes, mu = fig.subplots(4, 1, height_ratios=[2.2, 1, 1, 1])
    fig.suptitle(title if title is not None else road.name or type(road).__name__)

    across = -np.sin(heading), np.cos(heading)
    tracks = [road.query(x + side * across[0], y + side * across[1]) for side in (0.5 * track, -0.5 * track)]
    slender = s[-1] - s[0] > _SLENDER * 2 * half
    pick = np.linspace(0, len(s) - 1, min(_MAX_DOTS, len(s))).astype(int)
    if not slender:
        pick = _telling(sum(np.where(t.no_ground, 0.0, t.height) for t in tracks))
    n = np.linspace(-half, half, 25)
    gx, gy = (at[pick, None] + n * part[pick, None] for at, part in ((x, across[0]), (y, across[1])))
    shown = road.query(gx, gy)
    z = np.where(shown.no_ground, np.nan, shown.height)
    if slender:
        drawn = plan.scatter(gx, gy, c=z, s=4, cmap="viridis", linewidths=0)
    else:
        drawn = plan.pcolormesh(gx, gy, z, shading="nearest", cmap="viridis", rasterized=True)
    fig.colorbar(drawn, ax=plan, label="height, m")
    plan.set_aspect("equal" if np.ptp(gy) > 0.2 * np.ptp(gx) else "auto")
    plan.set(xlabel="x, m", ylabel="y, m")

    for sample, label in zip(tracks, ("left track", "right track"), strict=True):
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


def _telling(height: Any) -> Any:
    """Stations for the plan: of each short part the one that differs most from its surroundings, so that nothing that
    lies on the road is lost between two of them."""
    parts = np.array_split(np.arange(len(height)), min(_MAX_POINTS, len(height)))
    usual = np.array([float(np.median(height[part])) for part in parts])
    around = [float(np.median(usual[max(0, i - 5) : i + 6])) for i in range(len(parts))]
    inside = [part[int(np.argmax(np.abs(height[part] - z)))] for part, z in zip(parts, around, strict=True)]
    return np.array([0, *inside[1:-1], len(height) - 1])
