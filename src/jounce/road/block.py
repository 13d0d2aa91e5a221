"""The flat block of numbers that ``jn_road.c`` reads: writer of nodes, curves and spatial indices.

    header    8 doubles: magic, version, length in bytes, offset of the root node, …
    node      a row of doubles: kind, frame (x0, y0, z0, cos, sin), scales, then its own numbers
    arrays    doubles, floats or 32-bit integers at byte offsets from the start of the block, each aligned to 8

Names and order are those of ``jn_road.c``. An offset of zero means "not there".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError

Array = npt.NDArray[np.float64]
Block = npt.NDArray[np.uint8]

MAGIC, VERSION = 1246647364.0, 4.0
LINE_OF_CACHE = 64  # bytes
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

    def array(self, values: npt.ArrayLike, kind: Any = np.float64, align: int = 8) -> float:
        """Append an array; returns its offset. Large arrays read at random are aligned to lines of the cache (64)."""
        data = np.ascontiguousarray(np.asarray(values, dtype=kind)).reshape(-1)
        self._fill(align)
        offset = self._size
        self._parts.append(data)
        self._size += data.nbytes
        self._fill(8)
        return float(offset)

    def _fill(self, align: int) -> None:
        rest = -self._size % align
        if rest:
            self._parts.append(np.zeros(rest, dtype=np.uint8))
            self._size += rest

    def node(self, kind: int, frame: Frame, own: Sequence[float]) -> float:
        return self.array([float(kind), *frame.numbers(), *own])

    def finish(self, root: float) -> Block:
        """The block; its memory is aligned to 64 bytes (8 are enough, 64 are quicker)."""
        memory = np.empty(self._size + LINE_OF_CACHE, dtype=np.uint8)
        block = memory[-memory.ctypes.data % LINE_OF_CACHE :][: self._size]
        head = np.zeros(8)
        head[:4] = MAGIC, VERSION, float(self._size), root
        block[:64] = head.view(np.uint8)
        at = 64
        for part in self._parts:
            block[at : at + part.nbytes] = part.view(np.uint8)
            at += part.nbytes
        self._parts.clear()
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
        count = len(p)
        step = float(k[-1] - k[0]) / count
        # to some rounding errors: knots at equal distances need not be looked up
        if np.max(np.abs(k - (k[0] + step * np.arange(count + 1)))) <= 8 * np.finfo(float).eps * np.max(np.abs(k)):
            own = [PIECES, count, k[0], step, k[-1], border_code(border), self.array(p), 0.0, 0.0, 1 / step, 0.0]
            return self.array(own)
        n, scale, bucket = self.buckets(k)
        data, places = self.array(p), self.array(k)
        own = [PIECES, count, k[0], 0.0, k[-1], border_code(border), data, places, n, scale, bucket]
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
        there. Cells belong to tiles of 16 by 16; tiles far from the line have one entry, so that the index grows with
        the length of the line and not with the area around it.

        Within ``reach`` a cell holds every part of the line that is as near, on any storey; beyond it only the nearest.
        """
        from scipy.spatial import cKDTree

        n = len(x)
        low = np.array([x.min(), y.min()]) - reach
        span = np.array([x.max(), y.max()]) + reach - low
        size = float(max(_LINE_CELL, np.sqrt(np.prod(span) / _MOST_TILES) / TILE))
        shape = np.maximum(np.ceil(span / (TILE * size)), 1).astype(np.int64)  # tiles
        step = max(1, int(size / 4 / spacing))
        chosen = np.arange(0, n, step)
        if not closed and chosen[-1] != n - 1:
            chosen = np.append(chosen, n - 1)
        places = np.column_stack([x[chosen], y[chosen]])
        nodes = _Nodes(cKDTree(places), places, chosen, n, step, spacing, closed)
        i, j = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]))
        corner = low + TILE * size * np.column_stack([i.ravel(), j.ravel()])
        middle = corner + 0.5 * TILE * size
        limit = reach + (TILE + 1) * size * _HALF + nodes.gap
        close = nodes.tree.query(middle, distance_upper_bound=limit)[0] <= limit
        nearest = _nearest_occupied(((places - low) / (TILE * size)).astype(np.int64), shape)
        distance = np.linalg.norm(middle - places[nearest], axis=1)
        tiles = np.zeros(len(middle), dtype=np.int64)
        # near tiles first, 256 records each, then one record per far tile, then parts of cells that have several
        tiles[close] = TILE * TILE * np.arange(close.sum())
        tiles[~close] = ~(TILE * TILE * close.sum() + np.arange((~close).sum()))
        q, p = np.divmod(np.arange(TILE * TILE), TILE)
        centres = (corner[close][:, None, :] + size * (np.column_stack([p, q]) + 0.5)).reshape(-1, 2)
        # known to a tile only: twice its size
        whole = nodes.nearest(distance, nearest, 2 * TILE * size * _HALF)
        cells = nodes.parts(centres, size * _HALF, reach, np.repeat(whole[close], TILE * TILE, axis=0))
        own = np.concatenate([cells.records, whole[~close]])
        own[own[:, 0] > 1, 3] += len(own)
        records = np.concatenate([own, cells.more])
        index = [*map(float, low), 1 / size, *map(float, TILE * shape), self.array(tiles, np.int32)]
        return [*index, self.array(records, np.int32, align=64)]


def _nearest_occupied(tile: npt.NDArray[np.int64], shape: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each tile a point in the nearest tile that has one; ``tile``: (n, 2) of the points."""
    from scipy.ndimage import distance_transform_edt

    nx, ny = int(shape[0]), int(shape[1])
    points = np.full((ny, nx), -1, dtype=np.int64)
    points[np.clip(tile[:, 1], 0, ny - 1), np.clip(tile[:, 0], 0, nx - 1)] = np.arange(len(tile))
    j, i = distance_transform_edt(points < 0, return_distances=False, return_indices=True)
    return np.asarray(points[j, i], dtype=np.int64).reshape(-1)


TILE = 16  # cells of a line's index along the side of a tile
_LINE_CELL = 4.0  # m
_MOST_TILES = 4e6
_AT_ONCE = 1e6  # nodes that cells of an index ask for at once
_HALF = 0.5 * 2**0.5  # half the diagonal of a square


class _Parts(NamedTuple):
    """Rows of four: 1, first and last node, 1 if it has one foot; or the number of parts, -, -, their place in more."""

    records: npt.NDArray[np.int64]
    more: npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Nodes:
    """Nodes of a line, thinned out, and which of them can be nearest to the points of a cell."""

    tree: Any
    places: Array
    chosen: npt.NDArray[np.int64]
    n: int
    step: int
    spacing: float
    closed: bool

    @property
    def gap(self) -> float:
        """How far a point of the line is from the nearest chosen one, m."""
        return 0.5 * self.step * self.spacing

    def limited(self, first: npt.NDArray[Any], last: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Records of one part: within the line, or not more than once around it."""
        if self.closed:
            begin = np.mod(first, self.n)
            end = begin + np.minimum(last - first, self.n)
        else:
            begin, end = np.maximum(first, 0), np.minimum(last, self.n - 1)
        return np.column_stack([np.ones_like(begin), begin, end, np.zeros_like(begin)])

    def nearest(self, distance: Array, nearest: npt.NDArray[Any], half: float) -> npt.NDArray[np.int64]:
        """The part nearest to the middle of a cell: as far as a straight line can be nearest to another point of it."""
        way = np.sqrt((distance + 2 * half) ** 2 - distance**2)
        more = np.minimum(np.ceil((way + self.gap) / self.spacing), self.n).astype(np.int64) + self.step
        middle = self.chosen[nearest]
        return self.limited(middle - more, middle + more)

    def parts(self, centres: Array, half: float, reach: float, records: npt.NDArray[np.int64]) -> _Parts:
        """Records of cells about centres; beyond the reach they stay as they are."""
        limit = reach + half + self.gap
        distance, _ = self.tree.query(centres, distance_upper_bound=limit)
        near = np.flatnonzero(distance <= limit)
        if not len(near):
            return _Parts(records, np.zeros((0, 4), dtype=np.int64))
        around = np.maximum(distance[near] + 2 * (half + self.gap), reach + half + self.gap)
        # as many cells at once as memory allows: each asks for the nodes along two radii or more
        asked = np.cumsum(4.0 * around / (self.step * self.spacing))
        pieces = np.split(np.arange(len(near)), np.searchsorted(asked, np.arange(_AT_ONCE, asked[-1], _AT_ONCE)))
        more: list[npt.NDArray[np.int64]] = []
        for piece in pieces:
            if len(piece):
                placed = sum(map(len, more))
                more.append(self._near(centres, half, near[piece], around[piece], records, placed))
        return _Parts(records, np.concatenate(more))

    def _near(
        self,
        centres: Array,
        half: float,
        near: npt.NDArray[Any],
        around: Array,
        records: npt.NDArray[np.int64],
        placed: int,
    ) -> npt.NDArray[np.int64]:
        """Parts of cells near the line; their records are entered, behind so many placed parts."""
        found = self.tree.query_ball_point(centres[near], around, return_sorted=True)
        count = np.array([len(f) for f in found])
        node = np.concatenate([np.asarray(f, dtype=np.int64) for f in found])
        cell = np.repeat(np.arange(len(near)), count)
        # runs of consecutive nodes; one over the seam of a closed line counts on behind its end
        m = len(self.chosen)
        if self.closed:
            first, last = np.cumsum(count) - count, np.cumsum(count) - 1
            over = (node[first] == 0) & (node[last] == m - 1) & (count < m)
            break_at = np.ones(len(node), dtype=bool)
            break_at[1:] = (np.diff(node) > 1) | (np.diff(cell) > 0)
            head = np.cumsum(break_at) == np.repeat(np.cumsum(break_at)[first], count)  # in the first run of its cell
            node = node + m * (head & np.repeat(over, count))
            order = np.lexsort([node, cell])
            node, cell = node[order], cell[order]
        begin = np.ones(len(node), dtype=bool)
        begin[1:] = (np.diff(node) > 1) | (np.diff(cell) > 0)
        starts = np.flatnonzero(begin)
        run = np.cumsum(begin) - 1
        away = np.linalg.norm(self.places[node % m] - centres[near[cell]], axis=1)
        least = np.minimum.reduceat(away, starts)
        # of each run what can be nearest to a point of the cell
        possible = away <= least[run] + 2 * (half + self.gap)
        low = np.minimum.reduceat(np.where(possible, node, 2 * m), starts)
        high = np.maximum.reduceat(np.where(possible, node, -1), starts)
        turn = (high >= m) & (low >= m)
        low, high = low - m * turn, high - m * turn
        wide = self.step * self.spacing * (high - low)
        straight = 2 * np.sqrt((least + 2 * (half + self.gap)) ** 2 - least**2) + 2 * self.gap
        # a run as long as a straight one has one foot: its surroundings are enough, the foot is found from there
        at = np.minimum.reduceat(np.where(away == least[run], node, 4 * m), starts) - m * turn
        margin = int(np.ceil((half + self.gap) / self.spacing))
        single = wide <= 1.25 * straight
        seam = self.n if self.closed else 0
        real = self.chosen[at % m] + seam * (at // m)
        first_node = np.where(single, real - margin, self.chosen[low % m] + seam * (low // m) - self.step)
        last_node = np.where(single, real + margin, self.chosen[high % m] + seam * (high // m) + self.step)
        parts = self.limited(first_node, last_node)
        parts[:, 3] = single
        owner = cell[starts]
        several = np.bincount(owner, minlength=len(near))
        offset = np.cumsum(several) - several
        records[near] = parts[offset]
        offset += placed
        records[near, 0] = several
        records[near, 3] = np.where(several > 1, offset, records[near, 3])
        return parts
