"""A road as triangles: any shape, also with bridges, found through a uniform grid of cells.

Of the triangles above and below a point the uppermost counts that is not above the asking point (by more than the
tolerance); when all are above, the lowest. Height and slopes are those of the plane of the triangle. Which side of a
triangle is up does not matter; one that stands on edge carries nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.road.block import MESH, Array, Writer
from jounce.road.surface import Road, corners_extent

_CELLS_PER_TRIANGLE = 6


@dataclass(frozen=True, eq=False, kw_only=True)
class MeshRoad(Road):
    """Triangles.

    Parameters
    ----------
    points : (n, 3), m
    triangles : (m, 3) places in ``points``, from 0
    friction : one number or one per triangle
    material : one number per triangle, or None
    hold : beside the triangles the height of the nearest one is held; otherwise there is no ground
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
        if t.ndim != 2 or t.shape[1] != 3 or len(t) < 1:
            raise ParameterError(f"mesh: triangles have shape {t.shape}; expected (1 or more, 3)")
        if t.min() < 0 or t.max() >= len(p):
            bad = int(np.argmax(((t < 0) | (t >= len(p))).any(axis=1)))
            raise ParameterError(f"mesh: triangle {bad} names point {int(t[bad].max())}; there are {len(p)}")
        for label, values in (("friction", self.friction), ("material", self.material)):
            if values is not None and np.ndim(values) and np.shape(values) != (len(t),):
                raise ParameterError(f"mesh: {label} needs one number per triangle; found shape {np.shape(values)}")

    def write(self, writer: Writer) -> float:
        corners = self.points[self.triangles][:, :, :2]
        low, high = corners.min(axis=1), corners.max(axis=1)
        boxes = np.hstack([low, high])
        all_low, all_high = low.min(axis=0), high.max(axis=0)
        m = len(self.triangles)
        area = float(np.prod(np.maximum(all_high - all_low, 1e-3)))
        typical = float(np.sqrt(np.mean((high - low)[:, 0] * (high - low)[:, 1])))
        size = max(min(typical, self.cell or typical), float(np.sqrt(area / (_CELLS_PER_TRIANGLE * m + 1000))), 1e-3)
        index, start, _ = writer.cells(all_low, all_high, size, boxes)
        nearest = self._nearest(start, int(index[3]), int(index[4])) if self.hold else np.zeros(1, dtype=np.int32)
        mu = np.broadcast_to(np.asarray(self.friction, dtype=float), (m,))
        uniform = not np.ndim(self.friction) and float(np.asarray(self.friction)) == 1.0
        own = [
            float(m),
            writer.array(self.points),
            writer.array(self.triangles, np.int32),
            0.0 if uniform else writer.array(mu),
            writer.array(self.material, np.int32) if self.material is not None else 0.0,
            *index,
            float(self.hold),
            writer.array(nearest, np.int32),
            self.tolerance,
        ]
        return writer.node(MESH, self.frame, own)

    @staticmethod
    def _nearest(start: npt.NDArray[np.int64], nx: int, ny: int) -> npt.NDArray[np.int32]:
        """For each cell the nearest one that holds triangles."""
        from scipy.ndimage import distance_transform_edt

        empty = (np.diff(start) == 0).reshape(ny, nx)
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
    t = np.asarray(triangles)
    found: list[MeshFinding] = []
    p = np.asarray(points, dtype=float)[t]
    cross = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    longest = np.max(np.linalg.norm(p - np.roll(p, 1, axis=1), axis=2), axis=1)
    thin = np.linalg.norm(cross, axis=1) <= 1e-9 * np.maximum(longest, 1e-300) ** 2
    if thin.any():
        found.append(_finding("degenerate", np.flatnonzero(thin), "triangles without area"))
    key = np.sort(t, axis=1)
    _, first, counts = np.unique(key, axis=0, return_index=True, return_counts=True)
    repeated = np.setdiff1d(np.arange(len(t)), first) if (counts > 1).any() else np.zeros(0, dtype=int)
    if len(repeated):
        found.append(_finding("duplicate", repeated, "triangles that are there twice"))
    down = (cross[:, 2] < 0) & ~thin
    if down.any() and not down[~thin].all():
        minority = down if down.sum() <= (~down).sum() else ~down & ~thin
        found.append(_finding("flipped", np.flatnonzero(minority), "triangles wound against the others"))
    edges = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    owner = np.tile(np.arange(len(t)), 3)
    unique, inverse, count = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    if (count > 2).any():
        bad = np.unique(owner[(count > 2)[inverse]])
        found.append(_finding("edge shared by more than two", bad, "triangles at an edge that more than two share"))
    loops = _loops(unique[count == 1])
    if len(loops) > 1:
        # the longest border is the outside; the others are holes or separate parts
        sizes = [_extent(np.asarray(points, dtype=float)[loop]) for loop in loops]
        for k in np.argsort(sizes)[:-1]:
            message = f"border of {len(loops[k])} points: a hole, or a part of its own"
            found.append(MeshFinding("hole", tuple(int(i) for i in loops[k][:20]), message))
    return found


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
