"""A road as triangles: any shape, also with bridges, found through tiles that are divided into leaves.

The index is built by ``jn_mesh_build.c``: time and memory in proportion to the triangles, a query in constant time: one
tile, one leaf, the few triangles that touch it, each in one place.

Of the triangles above and below a point the uppermost counts that is not above the asking point (by more than the
tolerance); when all are above, the lowest. Height and slopes are those of the plane of the triangle. Which side of a
triangle is up does not matter; one that stands on edge carries nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.core.limits import FARTHEST
from jounce.road.block import MESH, Array, Writer
from jounce.road.native import mesh_index
from jounce.road.surface import Road, corners_extent

_PER_TILE = 64  # triangles of usual size in a tile
_OFF_THE_LINES = 0.137  # of a tile


@dataclass(frozen=True, eq=False, kw_only=True)
class MeshRoad(Road):
    """Triangles.

    Parameters
    ----------
    points : (n, 3), m
    triangles : (m, 3) places in ``points``, from 0
    friction : one number or one per triangle
    material : one number per triangle, or None
    hold : beside the triangles the height of the nearest one is held; otherwise there is no ground. The nearest is
        sought among the triangles of the point's own tile and its neighbours, or of the nearest tile that has any:
        farther off than a tile another one may be a little nearer
    tolerance : how far a triangle may be above the asking point and still carry it, m
    cell : wanted size of the cells of the index, m; chosen by default
    """

    points: Array
    triangles: npt.NDArray[np.int32]
    friction: float | Array = 1.0
    material: npt.NDArray[np.int32] | None = None
    hold: bool = True
    tolerance: float = 0.1
    cell: float | None = None

    def __post_init__(self) -> None:
        p, t = self.points, self.triangles
        if p.ndim != 2 or p.shape[1] != 3 or len(p) < 3:
            raise ParameterError(f"mesh: points have shape {p.shape}; expected (3 or more, 3)")
        if not np.all(np.isfinite(p)):
            raise ParameterError(f"mesh: point {int(np.argmax(~np.isfinite(p).all(axis=1)))} is not finite")
        if np.abs(p).max() > FARTHEST:
            far = int(np.argmax(np.abs(p).max(axis=1)))
            raise ParameterError(f"mesh: point {far} is {np.abs(p[far]).max():.4g} m from the origin; check its units")
        if t.ndim != 2 or t.shape[1] != 3 or len(t) < 1:
            raise ParameterError(f"mesh: triangles have shape {t.shape}; expected (1 or more, 3)")
        if t.min() < 0 or t.max() >= len(p):
            bad = int(np.argmax(((t < 0) | (t >= len(p))).any(axis=1)))
            raise ParameterError(f"mesh: triangle {bad} names point {int(t[bad].max())}; there are {len(p)}")
        for label, values in (("friction", self.friction), ("material", self.material)):
            if values is not None and np.ndim(values) and np.shape(values) != (len(t),):
                raise ParameterError(f"mesh: {label} needs one number per triangle; found shape {np.shape(values)}")

    def write(self, writer: Writer) -> float:
        mu = np.asarray(self.friction, dtype=float)
        values, friction = np.unique(mu, return_inverse=True) if mu.ndim else (mu.reshape(1), None)
        grid = self._tiling()
        index = mesh_index(self.points, self.triangles, grid, friction, self.material, self.cell)
        nearest = self._nearest(index.tiles) if self.hold else np.zeros(1, dtype=np.int32)
        own = [
            float(len(self.triangles)),
            writer.array(index.triangles, align=64),
            writer.array(values),
            *(float(grid[0]), float(grid[1]), 1.0 / float(grid[2]), float(grid[4]), float(grid[5])),
            writer.array(index.tiles, np.int32),
            writer.array(index.records, np.int32, align=64),
            writer.array(index.more, np.int32),
            float(self.hold),
            writer.array(nearest, np.int32),
            self.tolerance,
        ]
        return writer.node(MESH, self.frame, own)

    def _tiling(self) -> Array:
        """Origin, size, border and numbers of tiles: about 64 triangles each, but not many more tiles than triangles.

        The origin is moved off the mesh, so that the lines of regular meshes do not fall on borders of tiles.
        """
        p, t = self.points[:, :2], self.triangles
        a, b, c = (p[t[:, k]] for k in range(3))
        low = np.minimum(np.minimum(a, b), c)
        high = np.maximum(np.maximum(a, b), c)
        largest = float(np.max(high - low))
        b -= a
        c -= a
        area = 0.5 * np.abs(b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
        first, last = low.min(axis=0), high.max(axis=0)
        span = np.maximum(last - first, 1e-3)
        with_area = area[area > 0]
        typical = float(np.median(with_area)) if len(with_area) else 1.0
        size = math.sqrt(max(_PER_TILE * typical, float(np.prod(span)) / (len(t) + 4096)))
        size = max(size, float(np.max(span)) / 1e6)
        shift = _OFF_THE_LINES * size
        shape = np.floor((span + shift) / size) + 1
        pad = 1e-9 * (1.0 + float(np.max(np.abs([first, last])))) + 2e-9 * largest
        return np.array([first[0] - shift, first[1] - shift, size, pad, shape[0], shape[1]])

    @staticmethod
    def _nearest(tiles: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """For each tile the nearest one that holds triangles."""
        from scipy.ndimage import distance_transform_edt

        empty = tiles[:, :, 1] == 0
        ny, nx = empty.shape
        if not empty.any():
            return np.arange(nx * ny, dtype=np.int32)
        j, i = distance_transform_edt(empty, return_distances=False, return_indices=True)
        return np.asarray(j * nx + i, dtype=np.int32).reshape(-1)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        used = self.points[np.unique(self.triangles)]
        return corners_extent(self.frame, used[:, 0], used[:, 1])


@dataclass(frozen=True)
class MeshFinding:
    """Something odd about a mesh: what it is and which triangles (or points) it concerns."""

    kind: str  # "degenerate", "duplicate", "flipped", "edge shared by more than two", "hole"
    places: tuple[int, ...]
    message: str


def check_mesh(points: Array, triangles: npt.NDArray[Any]) -> list[MeshFinding]:
    """Degenerate and duplicate triangles, inconsistent winding, edges with more than two triangles, holes."""
    t, xyz = np.asarray(triangles), np.asarray(points, dtype=float)
    found: list[MeshFinding] = []
    thin, down = _thin_and_down(xyz, t)
    if thin.any():
        found.append(_finding("degenerate", np.flatnonzero(thin), "triangles without area"))
    repeated = _repeated(t)
    if len(repeated):
        found.append(_finding("duplicate", repeated, "triangles that are there twice"))
    down &= ~thin
    if down.any() and not down[~thin].all():
        minority = down if down.sum() <= (~down).sum() else ~down & ~thin
        found.append(_finding("flipped", np.flatnonzero(minority), "triangles wound against the others"))
    n = np.int64(len(xyz))
    ends = [np.sort(t[:, [i, j]], axis=1).astype(np.int64) for i, j in ((0, 1), (1, 2), (2, 0))]
    keys = np.concatenate([e[:, 0] * n + e[:, 1] for e in ends])
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    count = np.diff(np.append(first, len(keys)))
    if (count > 2).any():
        many = np.repeat(count > 2, count)
        bad = np.unique(order[many] % len(t))
        found.append(_finding("edge shared by more than two", bad, "triangles at an edge that more than two share"))
    border = keys[first[count == 1]]
    loops = _loops(np.column_stack([border // n, border % n]))
    if len(loops) > 1:
        # the longest border is the outside; the others are holes or separate parts
        sizes = [_extent(xyz[loop]) for loop in loops]
        for k in np.argsort(sizes)[:-1]:
            x, y, _ = xyz[loops[k]].mean(axis=0)
            message = f"border of {len(loops[k])} points about x = {x:.6g}, y = {y:.6g}: a hole, or a part of its own"
            found.append(MeshFinding("hole", tuple(int(i) for i in loops[k][:20]), message))
    return found


_AT_ONCE = 1_000_000  # triangles, to bound the memory


def _thin_and_down(xyz: Array, t: npt.NDArray[Any]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which triangles have no area, and which are wound clockwise seen from above."""
    thin, down = np.empty(len(t), dtype=bool), np.empty(len(t), dtype=bool)
    for begin in range(0, len(t), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        a, b, c = (xyz[t[part, k]] for k in range(3))
        cross = np.cross(b - a, c - a)
        longest2 = np.max([np.sum(e * e, axis=1) for e in (b - a, c - b, a - c)], axis=0)
        thin[part] = np.linalg.norm(cross, axis=1) <= 1e-9 * np.maximum(longest2, 1e-300)
        down[part] = cross[:, 2] < 0
    return thin, down


def _repeated(t: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Triangles whose three points, in any order, an earlier one has."""
    key = np.sort(t, axis=1).astype(np.uint64)
    with np.errstate(over="ignore"):  # a hash: what collides is compared below
        mixed = (key[:, 0] * np.uint64(0x9E3779B97F4A7C15)) ^ (key[:, 1] * np.uint64(0xC2B2AE3D27D4EB4F) + key[:, 2])
        mixed *= np.uint64(0x165667B19E3779F9)
    order = np.argsort(mixed, kind="stable")
    same = np.flatnonzero(mixed[order][1:] == mixed[order][:-1])
    if not len(same):
        return np.zeros(0, dtype=np.int64)
    chosen = np.unique(order[np.concatenate([same, same + 1])])
    _, first = np.unique(key[chosen], axis=0, return_index=True)
    return np.setdiff1d(chosen, chosen[first])


def _finding(kind: str, places: npt.NDArray[Any], message: str) -> MeshFinding:
    shown = ", ".join(map(str, places[:8].tolist())) + (", …" if len(places) > 8 else "")
    return MeshFinding(kind, tuple(places.tolist()), f"{len(places)} {message}: {shown}")


def _loops(edges: npt.NDArray[Any]) -> list[list[int]]:
    """Connected sets of border edges, as lists of points."""
    if not len(edges):
        return []
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    names, local = np.unique(edges, return_inverse=True)
    a, b = local.reshape(-1, 2).T
    n = len(names)
    graph = coo_matrix((np.ones(len(a)), (a, b)), shape=(n, n))
    count, label = connected_components(graph, directed=False)
    order = np.argsort(label, kind="stable")
    cuts = np.cumsum(np.bincount(label, minlength=count))[:-1]
    return [names[part].tolist() for part in np.split(order, cuts)]


def _extent(points: Array) -> float:
    return float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))


def grid_mesh(x: Sequence[float] | Array, y: Sequence[float] | Array, z: Array) -> tuple[Array, npt.NDArray[np.int32]]:
    """Points and triangles of a height map z (nx, ny)."""
    gx, gy = np.meshgrid(np.asarray(x, dtype=float), np.asarray(y, dtype=float), indexing="ij")
    return surface_mesh(gx, gy, np.asarray(z, dtype=float))


def surface_mesh(x: Array, y: Array, z: Array) -> tuple[Array, npt.NDArray[np.int32]]:
    """Points and triangles of a surface given as arrays (n, m), wound upwards when the second index goes left."""
    n, m = x.shape
    points = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    i, j = np.meshgrid(np.arange(n - 1), np.arange(m - 1), indexing="ij")
    a = (i * m + j).ravel()
    lower = np.column_stack([a, a + m, a + m + 1])
    upper = np.column_stack([a, a + m + 1, a + 1])
    return points, np.stack([lower, upper], axis=1).reshape(-1, 3).astype(np.int32)
