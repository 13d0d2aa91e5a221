"""The flat block of numbers that ``jn_road.c`` reads: writer of nodes, curves and spatial indices.

    header    8 doubles: magic, version, length in bytes, offset of the root node, …
    node      a row of doubles: kind, frame (x0, y0, z0, cos, sin), scales, then its own numbers
    arrays    doubles, floats or 32-bit integers at byte offsets from the start of the block, each aligned to 8

Names and order are those of ``jn_road.c``. An offset of zero means "not there".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError

Array = npt.NDArray[np.float64]
Block = npt.NDArray[np.uint8]

MAGIC, VERSION = 1246647364.0, 1.0
NO_HEIGHT = -1e3  # JN_ROAD_VOID
MAX_DEPTH = 8  # JN_ROAD_DEPTH

PLANE, PROFILE, REGION, SUM, STACK, LINE, GRID, MESH, EXTERNAL, ENVELOPE = range(1, 11)
PIECES, LINEAR, CUBIC = 0, 1, 2
# border modes: what lies beyond the ends
BORDERS = {"none": 0, "zero": 1, "hold": 2, "repeat": 3, "mirror": 4, "extrapolate": 5}
_BUCKETS_FROM = 8  # shorter lists are searched by halving


def border_code(name: str, allowed: Sequence[str] = tuple(BORDERS)) -> int:
    if name not in allowed:
        raise ParameterError(f"border mode {name!r}: unknown; allowed: {', '.join(allowed)}")
    return BORDERS[name]


@dataclass(frozen=True)
class Frame:
    """Where a part of a road lies: origin, heading, and scales of height and friction."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    heading: float = 0.0
    height_scale: float = 1.0
    friction_scale: float = 1.0

    @property
    def plain(self) -> bool:
        return self == Frame()

    def numbers(self) -> list[float]:
        if not abs(self.height_scale) > 0:
            raise ParameterError("height scale of a road: must not be zero")
        c, s = np.cos(self.heading), np.sin(self.heading)
        return [self.x, self.y, self.z, c, s, self.height_scale, self.friction_scale, float(self.plain)]

    def to_local(self, x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Array, Array]:
        dx, dy = np.asarray(x, dtype=float) - self.x, np.asarray(y, dtype=float) - self.y
        c, s = np.cos(self.heading), np.sin(self.heading)
        return c * dx + s * dy, c * dy - s * dx

    def to_world(self, u: npt.ArrayLike, v: npt.ArrayLike) -> tuple[Array, Array]:
        a, b = np.asarray(u, dtype=float), np.asarray(v, dtype=float)
        c, s = np.cos(self.heading), np.sin(self.heading)
        return self.x + c * a - s * b, self.y + s * a + c * b


class Writer:
    """Collects the parts of a block."""

    def __init__(self) -> None:
        self._parts: list[npt.NDArray[Any]] = []
        self._size = 64
        self.depth = 0
        self.keep: list[Any] = []  # objects that must live as long as the block (callbacks)
        self.errors: list[Exception] = []  # of callbacks: nothing can be raised through C

    def array(self, values: npt.ArrayLike, kind: Any = np.float64) -> float:
        """Append an array; returns its offset."""
        data = np.ascontiguousarray(np.asarray(values, dtype=kind)).reshape(-1)
        offset = self._size
        self._parts.append(data)
        self._size += data.nbytes
        rest = -self._size % 8
        if rest:
            self._parts.append(np.zeros(rest, dtype=np.uint8))
            self._size += rest
        return float(offset)

    def node(self, kind: int, frame: Frame, own: Sequence[float]) -> float:
        return self.array([float(kind), *frame.numbers(), *own])

    def finish(self, root: float) -> Block:
        """The block; its memory is aligned to 8 bytes."""
        words = np.zeros(self._size // 8, dtype=np.float64)
        words[:4] = MAGIC, VERSION, float(self._size), root
        block = words.view(np.uint8)
        at = 64
        for part in self._parts:
            block[at : at + part.nbytes] = part.view(np.uint8)
            at += part.nbytes
        return block

    # -- curves -------------------------------------------------------------------------------------------
    def buckets(self, knots: Array) -> tuple[float, float, float]:
        """Number, scale and offset of the buckets of n + 1 knots: bucket b holds pieces bucket[b] … bucket[b + 1]."""
        n = len(knots) - 1
        span = float(knots[-1] - knots[0]) if n > 0 else 0.0
        if n < _BUCKETS_FROM or not span > 0:
            return 0.0, 0.0, 0.0
        count = 2 * n
        edges = knots[0] + span / count * np.arange(count + 1)
        first = np.clip(np.searchsorted(knots, edges, side="right") - 1, 0, n - 1)
        return float(count), count / span, self.array(first, np.int32)

    def pieces(self, knots: npt.ArrayLike, pieces: npt.ArrayLike, border: str) -> float:
        """A curve of pieces, each [type, six coefficients] in the distance from its knot."""
        k, p = np.asarray(knots, dtype=float), np.asarray(pieces, dtype=float)
        n, scale, bucket = self.buckets(k)
        data, places = self.array(p), self.array(k)
        own = [PIECES, len(p), k[0], 0.0, k[-1], border_code(border), data, places, n, scale, bucket]
        return self.array(own)

    def samples(self, s0: float, ds: float, values: npt.ArrayLike, border: str, cubic: bool) -> float:
        v = np.asarray(values, dtype=float)
        own = [CUBIC if cubic else LINEAR, len(v), s0, ds, s0 + ds * (len(v) - 1), border_code(border), self.array(v)]
        return self.array([*own, 0.0, 0.0, 0.0, 0.0])

    # -- places -------------------------------------------------------------------------------------------
    def box_index(self, boxes: Array, names: Sequence[int]) -> list[float]:
        """Index of boxes (n, 4: x0, y0, x1, y1): uniform cells with the names of the boxes that touch each."""
        low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
        n = len(boxes)
        typical = float(np.median(np.maximum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])))
        area = float(np.prod(np.maximum(high - low, 1e-6)))
        size = max(typical, float(np.sqrt(area / max(4 * n, 16))), 1e-6)
        size = max(size, float(np.max(high - low)) / 4000)
        return self.cells(low, high, size, boxes, np.asarray(names))[0]

    def cells(
        self, low: Array, high: Array, size: float, boxes: Array, names: npt.NDArray[Any] | None = None
    ) -> tuple[list[float], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Index of boxes with cells of a given size; also first item per cell and the items."""
        shape = np.maximum(np.ceil((high - low) / size * (1 + 1e-12) + 1e-9), 1).astype(np.int64)
        nx, ny = int(shape[0]), int(shape[1])
        # a hair wider than the boxes: a point on a border is found on both sides
        pad = 1e-9 * (1.0 + float(np.max(np.abs([low, high]))))
        first = np.clip(((boxes[:, :2] - pad - low) / size).astype(np.int64), 0, shape - 1)
        last = np.clip(((boxes[:, 2:] + pad - low) / size).astype(np.int64), 0, shape - 1)
        count = last - first + 1
        per_box = count[:, 0] * count[:, 1]
        owner = np.repeat(np.arange(len(boxes)), per_box)
        local = np.arange(int(per_box.sum())) - np.repeat(np.cumsum(per_box) - per_box, per_box)
        cells = (first[owner, 1] + local // count[owner, 0]) * nx + first[owner, 0] + local % count[owner, 0]
        order = np.argsort(cells, kind="stable")
        start = np.zeros(nx * ny + 1, dtype=np.int64)
        np.cumsum(np.bincount(cells, minlength=nx * ny), out=start[1:])
        items = (owner if names is None else names[owner])[order].astype(np.int32)
        index = [*map(float, low), 1 / size, float(nx), float(ny), self.array(start, np.int32)]
        index.append(self.array(items, np.int32))
        return index, start, items

    def line_index(self, x: Array, y: Array, spacing: float, closed: bool, reach: float) -> list[float]:
        """Index of a line of nodes at equal spacing: cells with the parts of the line that can be nearest to a point
        there.

        Beyond ``reach`` from the line a cell holds only the part nearest to its middle.
        """
        from scipy.spatial import cKDTree

        n = len(x)
        low = np.array([x.min(), y.min()]) - reach
        high = np.array([x.max(), y.max()]) + reach
        area = float(np.prod(high - low))
        length = n * spacing
        # about as many cells as metres of road, but at least 2 m and at most two million
        size = float(max(2.0, np.sqrt(area / max(4 * length, 4096)), np.sqrt(area / 2e6)))
        shape = np.maximum(np.ceil((high - low) / size), 1).astype(int)
        nx, ny = int(shape[0]), int(shape[1])
        step = max(1, int(size / 4 / spacing))
        chosen = np.arange(0, n, step)
        if not closed and chosen[-1] != n - 1:
            chosen = np.append(chosen, n - 1)
        tree = cKDTree(np.column_stack([x[chosen], y[chosen]]))
        cx = low[0] + size * (np.arange(nx) + 0.5)
        cy = low[1] + size * (np.arange(ny) + 0.5)
        centres = np.column_stack([a.ravel() for a in np.meshgrid(cx, cy)])
        distance, nearest = tree.query(centres)
        half = size / np.sqrt(2)
        gap = 0.5 * step * spacing  # how far a point of the line is from the nearest chosen one
        radius = np.maximum(distance + 2 * (half + gap), reach + half + gap)
        near = np.flatnonzero(distance <= reach + half + gap)
        found = tree.query_ball_point(centres[near], radius[near], return_sorted=True)
        parts = [_runs(np.asarray(indices), chosen, n, step, closed) for indices in found]
        count = np.ones(nx * ny, dtype=np.int64)
        count[near] = [len(runs) for runs in parts]
        start = np.concatenate([[0], np.cumsum(count)])
        ranges = np.zeros((int(start[-1]), 2), dtype=np.int64)
        far = np.flatnonzero(distance > reach + half + gap)
        middle = chosen[nearest[far]]
        if closed:
            first = (middle - step) % n
            ranges[start[far]] = np.column_stack([first, first + min(2 * step, n)])
        else:
            ranges[start[far]] = np.column_stack([np.maximum(middle - step, 0), np.minimum(middle + step, n - 1)])
        if len(near):
            places = np.concatenate([start[c] + np.arange(len(runs)) for c, runs in zip(near, parts, strict=True)])
            ranges[places] = np.concatenate([np.asarray(runs) for runs in parts])
        return [
            *map(float, low),
            1 / size,
            float(nx),
            float(ny),
            self.array(start, np.int32),
            self.array(ranges, np.int32),
        ]


def _runs(
    indices: npt.NDArray[Any], chosen: npt.NDArray[Any], n: int, step: int, closed: bool
) -> list[tuple[int, int]]:
    """Consecutive places among the chosen nodes as (first, last) node; a run over the seam of a closed line is one."""
    breaks = np.flatnonzero(np.diff(indices) > 1)
    starts = indices[np.concatenate([[0], breaks + 1])]
    ends = indices[np.concatenate([breaks, [len(indices) - 1]])]
    runs = [(int(chosen[a]) - step, int(chosen[b]) + step) for a, b in zip(starts, ends, strict=True)]
    if closed:
        if len(runs) > 1 and starts[0] == 0 and ends[-1] == len(chosen) - 1:
            first, last = runs[0], runs.pop()
            runs[0] = (last[0], first[1] + n)
        # within 0 … 2 n, and never more than once around
        return [(a % n, a % n + min(b - a, n)) for a, b in runs]
    return [(max(a, 0), min(b, n - 1)) for a, b in runs]
