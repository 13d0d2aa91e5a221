"""A course of cones from above, in true proportions: cones, the way of the car, its outline, what it hit; and the car
driving through it.

The course is cut into strips of `STRIP` metres, one below the other, each in the axes of the course; the outline of
the body stands every `EVERY` seconds, and in red where a cone is being hit. Below them a window follows the car in
real time (SVG animation, no script).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jounce.results.key_figures.common import Array
from jounce.results.key_figures.cones import BASE, RADIUS, YAW, Hit, X, Y, hits, kept, table
from jounce.results.page import escape
from jounce.results.plots import COLOURS
from jounce.results.run import Run

WIDTH = 1100  # of the drawing, in pixels
STRIP = 60.0  # m
EVERY = 0.2  # s
BESIDE = 1.0  # m around what is drawn
FRAMES = 0.04  # s, of the animation
WINDOW = 36.0  # m
LISTED = 20
RED, ORANGE, GREY, BLUE = "#b3432b", "#d98324", "#9aa3ad", COLOURS[0]


def on_course(run: Run, course: Mapping[str, Any]) -> tuple[Array, Array, Array, Array]:
    """Cones, and place and heading of the car, in axes with the x of the course and its first gate as origin."""
    cones = np.asarray(course["cones"], dtype=float).reshape(-1, 4).copy()
    heading = float(course["heading"])
    first = cones[cones[:, 0] == 1.0, 2:].mean(axis=0)
    c, s = math.cos(heading), math.sin(heading)
    turn = np.array([[c, s], [-s, c]])
    cones[:, 2:] = (cones[:, 2:] - first) @ turn.T
    way = (np.column_stack([run[X], run[Y]]) - first) @ turn.T
    return cones, way[:, 0], way[:, 1], run[YAW] - heading


def outline(course: Mapping[str, Any], x: float, y: float, yaw: float) -> Array:
    """Corners of the body."""
    size = course["size"]
    half = 0.5 * size["width"]
    corners = np.array([[size["front"], half], [size["front"], -half], [-size["rear"], -half], [-size["rear"], half]])
    c, s = math.cos(yaw), math.sin(yaw)
    return np.asarray(corners @ np.array([[c, s], [-s, c]]) + [x, y])


def drawing(run: Run) -> str:
    """The drawing as SVG, with a table of the cones that were hit; "" for a run that says no course."""
    course = kept(run)
    if course is None or len(run) < 2 or not all(name in run for name in (X, Y, YAW)):
        return ""
    found = hits(run)
    cones, x, y, yaw = on_course(run, course)
    parts = [
        "<h2>Course</h2>",
        *_strips(run, course, found, cones, x, y, yaw),
        _moving(run, course, found, cones, x, y, yaw),
    ]
    return "\n".join([*parts, _listed(found), ""])


def _cone(hit: bool, x: float, y: float, change: str = "") -> str:
    """Base plate and body of a cone, and what changes their colour."""
    colour = RED if hit else ORANGE
    return (
        f'<rect x="{x - BASE:.3f}" y="{-y - BASE:.3f}" width="{2 * BASE}" height="{2 * BASE}" fill="{colour}" '
        f'fill-opacity="0.35">{change}</rect><circle cx="{x:.3f}" cy="{-y:.3f}" r="{RADIUS}" fill="{colour}">'
        f"{change}</circle>"
    )


def _polygon(corners: Array, style: str) -> str:
    points = " ".join(f"{px:.3f},{-py:.3f}" for px, py in corners)
    return f'<polygon points="{points}" {style}/>'


def _strips(
    run: Run, course: Mapping[str, Any], found: Sequence[Hit], cones: Array, x: Array, y: Array, yaw: Array
) -> list[str]:
    hit = {h.cone: h for h in found}
    edge = 0.5 * course["size"]["width"] + BESIDE
    low = min(float(cones[:, 3].min()), float(y.min()) - edge) - BESIDE
    high = max(float(cones[:, 3].max()), float(y.max()) + edge) + BESIDE
    begin, end = float(cones[:, 2].min()) - 10.0, float(cones[:, 2].max()) + 12.0
    number = max(1, math.ceil((end - begin) / STRIP))
    length = (end - begin) / number
    shown = np.arange(run.time[0], run.time[-1] + 1e-9, EVERY)
    outlines = [outline(course, *(float(np.interp(t, run.time, v)) for v in (x, y, yaw))) for t in shown]
    struck = [
        (outline(course, *(float(np.interp(h.time, run.time, v)) for v in (x, y, yaw))), h) for h in found[:LISTED]
    ]
    corners = np.stack([outline(course, *place) for place in zip(x, y, yaw, strict=True)])
    result = []
    for k in range(number):
        a, b = begin + k * length, begin + (k + 1) * length
        near = (x > a - 8) & (x < b + 8)
        lines = [
            f'<svg viewBox="{a:.2f} {-high:.2f} {length:.2f} {high - low:.2f}" width="{WIDTH}" '
            f'height="{WIDTH * (high - low) / length:.0f}" '
            f'style="max-width:100%;height:auto;background:#fafbfc;display:block;margin:2px 0" role="img" '
            f'aria-label="course from {a:.0f} m to {b:.0f} m">'
        ]
        for wheel in range(4):
            trace = " ".join(f"{px:.2f},{-py:.2f}" for px, py in corners[near][:, wheel])
            lines.append(f'<polyline points="{trace}" fill="none" stroke="{GREY}" stroke-width="0.03"/>')
        for body in outlines:
            if a - 8 < body[:, 0].mean() < b + 8:
                lines.append(_polygon(body, f'fill="{BLUE}" fill-opacity="0.05" stroke="{BLUE}" stroke-width="0.04"'))
        for body, _ in struck:
            lines.append(_polygon(body, f'fill="{RED}" fill-opacity="0.12" stroke="{RED}" stroke-width="0.06"'))
        way = " ".join(f"{px:.2f},{-py:.2f}" for px, py in zip(x[near], y[near], strict=True))
        lines.append(f'<polyline points="{way}" fill="none" stroke="{BLUE}" stroke-width="0.08"/>')
        for j, (gate, side, cx, cy) in enumerate(cones, 1):
            if not a - 1 < cx < b + 1:
                continue
            lines.append(_cone(j in hit, cx, cy))
            if side > 0:
                lines.append(
                    f'<text x="{cx:.2f}" y="{-cy - 0.4:.2f}" font-size="0.8" text-anchor="middle" fill="#667">'
                    f"{gate:.0f}</text>"
                )
        lines.append(
            f'<path d="M{b - 6:.2f},{-low - 0.5:.2f} h5" stroke="#333" stroke-width="0.06"/>'
            f'<text x="{b - 3.5:.2f}" y="{-low - 0.7:.2f}" font-size="0.8" text-anchor="middle" fill="#333">5 m</text>'
        )
        result.append("".join([*lines, "</svg>"]))
    return result


def _moving(
    run: Run, course: Mapping[str, Any], found: Sequence[Hit], cones: Array, x: Array, y: Array, yaw: Array
) -> str:
    """The car in a window that goes with it, in real time, again and again; cones turn red when they are hit."""
    begin, end = float(run.time[0]), float(run.time[-1])
    times = np.arange(begin, end, FRAMES)
    place = [np.interp(times, run.time, values) for values in (x, y, yaw)]
    lasts = end - begin
    tall = WIDTH * (float(np.ptp(cones[:, 3])) + 6) / WINDOW
    low, high = float(cones[:, 3].min()) - 3, float(cones[:, 3].max()) + 3
    view = ";".join(f"{a - 0.35 * WINDOW:.2f} {-high:.2f} {WINDOW} {high - low:.2f}" for a in place[0])
    clock = f'dur="{lasts:.3f}s" repeatCount="indefinite"'
    first = f"{place[0][0] - 0.35 * WINDOW:.2f} {-high:.2f} {WINDOW} {high - low:.2f}"
    hit = {h.cone: (h.time - begin) / lasts for h in found}
    lines = [
        f'<svg viewBox="{first}" width="{WIDTH}" height="{tall:.0f}" '
        'style="max-width:100%;height:auto;background:#f1f3f5;display:block;'
        'margin:8px 0" role="img" aria-label="the car on the course, in real time">',
        f'<animate attributeName="viewBox" values="{view}" {clock}/>',
    ]
    for j, (_, _, cx, cy) in enumerate(cones, 1):
        at = f"{min(max(hit[j], 1e-6), 1 - 1e-6):.6f}" if j in hit else ""
        change = (
            f'<animate attributeName="fill" values="{ORANGE};{RED}" keyTimes="0;{at}" calcMode="discrete" {clock}/>'
        )
        lines.append(_cone(False, cx, cy, change if at else ""))
    moves = ";".join(f"{a:.3f} {-b:.3f}" for a, b in zip(place[0], place[1], strict=True))
    turns = ";".join(f"{-math.degrees(c):.3f}" for c in place[2])
    body = _polygon(
        outline(course, 0.0, 0.0, 0.0), f'fill="{BLUE}" fill-opacity="0.3" stroke="{BLUE}" stroke-width="0.06"'
    )
    return "".join(
        [
            *lines,
            f'<g transform="translate({place[0][0]:.3f} {-place[1][0]:.3f})">'
            f'<animateTransform attributeName="transform" type="translate" values="{moves}" {clock}/>'
            f'<g><animateTransform attributeName="transform" type="rotate" values="{turns}" {clock}/>{body}</g></g>',
            "</svg>",
        ]
    )


def _listed(found: Sequence[Hit]) -> str:
    """The table of the cones that were hit."""
    if not found:
        return "<p>No cone was hit.</p>"
    heads = "".join(f"<th>{head}</th>" for head in ("cone", "gate", "side", "hit by", "at", "depth"))
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table(found[:LISTED]))
    more = f"<p>and {len(found) - LISTED} more</p>" if len(found) > LISTED else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}"
