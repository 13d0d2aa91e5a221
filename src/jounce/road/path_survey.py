"""Figures and a picture of a path: length, turns, heights, and what it knows about room, bank and speed.

Curvature and slope are those of the stations: κ is positive to the left, slope = dz/ds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.block import Array
from jounce.road.path import Path
from jounce.road.survey import bounds, percent, radius_text, range_text

Range = tuple[float, float]
STRAIGHT = 1e-9  # 1/m


@dataclass(frozen=True)
class PathSurvey:
    """What a path is like, SI. Ranges are (smallest, largest); None where the path does not say."""

    length: float  # in plan view
    closed: bool
    stations: int
    step: float
    turn: float  # heading at the end less that at the start, rad
    curvature: Range  # 1/m, left positive
    radius: float  # smallest; inf when straight
    tightest: float  # station of the smallest radius
    height: Range
    slope: Range  # uphill positive
    width: Range | None
    left: Range | None
    right: Range | None
    bank: Range | None
    speed: Range | None  # m/s
    extent: tuple[float, float, float, float]  # x0, y0, x1, y1

    def rows(self) -> list[tuple[str, str, str]]:
        """(key, what, value with its unit) for people."""
        tightest = f" at s = {self.tightest:.1f} m" if math.isfinite(self.radius) else ""
        closed = ", closed" if self.closed else ""
        result = [
            ("kind", "kind", "path"),
            ("length", "length", f"{self.length:.1f} m{closed}"),
            ("stations", "stations", f"{self.stations}, {self.step:.4g} m apart"),
            ("radius", "smallest radius", radius_text(self.radius) + tightest),
            ("curvature", "curvature, to the left", range_text(self.curvature, ".5f", "1/m")),
            ("turn", "turns by", f"{math.degrees(self.turn):.1f} deg"),
            ("height", "height", range_text(self.height, ".3f", "m")),
            ("slope", "slope, uphill", percent(self.slope)),
            ("width", "width", range_text(self.width, ".2f", "m") if self.width else "not said"),
        ]
        if self.bank is not None:
            result.append(("bank", "bank, left side up", percent(self.bank)))
        speed = range_text((3.6 * self.speed[0], 3.6 * self.speed[1]), ".1f", "km/h") if self.speed else "not said"
        x0, y0, x1, y1 = self.extent
        return [
            *result,
            ("speed", "speed", speed),
            ("extent", "extent", f"x {x0:.1f} to {x1:.1f} m, y {y0:.1f} to {y1:.1f} m"),
        ]


def survey_path(path: Path) -> PathSurvey:
    """Measure a path."""
    kappa = np.abs(path.curvature)
    tightest = int(np.argmax(kappa))
    most = float(kappa[tightest])
    turn = float(path.at(path.length, "heading") - path.heading[0])
    if path.closed:
        # the end is the start: whole turns
        turn = (
            2 * math.pi * round(float(path.heading[-1] + path.step * path.curvature[-1] - path.heading[0]) / math.tau)
        )
    return PathSurvey(
        length=path.length,
        closed=path.closed,
        stations=len(path.s),
        step=path.step,
        turn=turn,
        curvature=bounds(path.curvature),
        radius=1 / most if most > STRAIGHT else math.inf,
        tightest=float(path.s[tightest]),
        height=bounds(path.z),
        slope=bounds(path.slope),
        width=_known(path.width),
        left=_known(path.left),
        right=_known(path.right),
        bank=_known(path.bank),
        speed=_known(path.speed) if path.speed is not None and np.any(path.speed > 0) else None,
        extent=(float(path.x.min()), float(path.y.min()), float(path.x.max()), float(path.y.max())),
    )


def _known(values: Array | None) -> Range | None:
    return None if values is None else bounds(values)


def path_figure(path: Path, title: str | None = None) -> Any:
    """A picture of a path: plan to scale, curvature, and what else is not the same everywhere."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ParameterError('pictures need matplotlib: pip install "jounce[plot]"') from None

    found = survey_path(path)
    curves: list[tuple[str, list[tuple[str, Array]]]] = [("curvature, 1/m\n(left)", [("", path.curvature)])]
    constants: list[str] = []
    _curve_or_word(curves, constants, "height, m", [("", path.z)])
    if path.left is not None and path.right is not None:
        _curve_or_word(curves, constants, "room, m", [("left", path.left), ("right", path.right)])
    if path.bank is not None:
        _curve_or_word(curves, constants, "bank, %", [("", 100 * path.bank)])
    if found.speed is not None and path.speed is not None:
        _curve_or_word(curves, constants, "speed, km/h", [("", 3.6 * path.speed)])
    fig = Figure(figsize=(9, 4.4 + 1.4 * len(curves)), layout="constrained")
    axes = fig.subplots(1 + len(curves), 1, height_ratios=[3.6] + [1.4] * len(curves))
    plan = axes[0]
    p = path.at(np.linspace(0.0, path.length, max(len(path.s) + 1, 400)))
    plan.plot(p[:, 0], p[:, 1], lw=1.6, color="#1f77b4")
    plan.plot(path.x[0], path.y[0], "o", ms=8, mfc="white", mec="black", label="s = 0")
    plan.legend(loc="best", fontsize=8, frameon=False)
    plan.set_aspect("equal", adjustable="datalim")
    plan.set(xlabel="x, m", ylabel="y, m")
    plan.set_title(title if title is not None else path.name or "path", loc="left", fontweight="bold")
    plan.set_title(f"{path.length:.1f} m{', closed' if path.closed else ''}", loc="right", fontsize=9)
    for place, (label, values) in zip(axes[1:], curves, strict=True):
        for (name, row), colour in zip(values, ("#1f77b4", "#d95f02"), strict=False):
            place.plot(path.s, row, lw=0.9, color=colour, label=name)
        if len(values) > 1:
            place.legend(loc="lower right", bbox_to_anchor=(1.0, 0.99), ncols=2, fontsize=8, frameon=False)
        place.set(ylabel=label, xlim=(0.0, path.length))
        place.grid(alpha=0.3)
    axes[-1].set_xlabel("s, m")
    if constants:
        fig.supxlabel(f"Everywhere: {', '.join(constants)}.", fontsize=9)
    return fig


def _curve_or_word(curves: list[Any], constants: list[str], label: str, values: list[tuple[str, Array]]) -> None:
    """What is the same everywhere gets words, not a curve."""
    if all(float(np.ptp(row)) < 1e-9 * max(1.0, float(np.abs(row).max())) for _, row in values):
        name, unit = label.split(", ")
        constants.append(f"{name} " + ", ".join(f"{row[0]:.4g} {unit} {side}".strip() for side, row in values))
    else:
        curves.append((label, values))
