"""What is remarkable about a road along a line and may not be meant: bends too tight for its width, a line that meets
itself.

On the inside of a bend, lanes meet at its centre: with the room b there, the stations of the edge run backwards where
b > 1/|κ|. Two parts of a line meet on one storey where they are nearer to each other than the room between their
edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.road.block import Array
from jounce.road.line import LineRoad

CLEARANCE = 2.0  # m between two storeys
MOST = 20_000  # stations looked at
APART = 3.0  # parts of one bend: their way is up to pi/2 times their distance


def line_remarks(road: LineRoad) -> list[str]:
    """Sentences about the line of a road, with stations."""
    return [text for text in (_tight(road), _meeting(road)) if text]


def _tight(road: LineRoad) -> str:
    s, kappa = road.path.s, road.path.curvature
    left, right = (edge(s) for edge in road.edges)
    inside = np.where(kappa > 0, left, right)
    over = np.abs(kappa) * np.minimum(inside, 1e9)
    worst = int(np.argmax(over))
    if over[worst] <= 1 + 1e-9:
        return ""
    return (
        f"the bend at s = {s[worst]:.4g} m has a radius of {1 / abs(kappa[worst]):.4g} m, less than the width of "
        f"{inside[worst]:.4g} m on its inside: the surface folds there"
    )


def _meeting(road: LineRoad) -> str:
    from scipy.spatial import cKDTree

    path = road.path
    pick = slice(None, None, max(1, round(1.0 / path.step), -(-len(path.s) // MOST)))
    s, x, y, heading = path.s[pick], path.x[pick], path.y[pick], path.heading[pick]
    left, right = (np.minimum(edge(s), 50.0) for edge in road.edges)
    z = road.heights(s) if road.heights is not None else np.zeros_like(s)
    pairs = cKDTree(np.column_stack([x, y])).query_pairs(2 * float(np.max([left, right])), output_type="ndarray")
    i, j = pairs.T
    away, way = np.hypot(x[j] - x[i], y[j] - y[i]), np.abs(s[j] - s[i])
    if path.closed:
        way = np.minimum(way, path.length - way)

    def room(a: Any, b: Any) -> Array:
        """Of a on the side where b is."""
        offset = (y[b] - y[a]) * np.cos(heading[a]) - (x[b] - x[a]) * np.sin(heading[a])
        return np.asarray(np.where(offset > 0, left[a], right[a]))

    close = (way > APART * np.maximum(away, 1.0)) & (away < room(i, j) + room(j, i)) & (np.abs(z[i] - z[j]) < CLEARANCE)
    # neighbours in a bend that folds are the other remark
    close &= way > np.pi * np.maximum(room(i, j), room(j, i))
    if not close.any():
        return ""
    k = np.flatnonzero(close)[np.argmin(away[close])]
    a, b = sorted((float(s[i[k]]), float(s[j[k]])))
    return (
        f"the road meets itself: s = {a:.4g} m and s = {b:.4g} m are {away[k]:.3g} m apart on one level; a point there "
        "belongs to the nearer one"
    )
