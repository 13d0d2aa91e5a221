"""Questions to a compiled road: the functions of ``jn_road.h`` through ctypes.

The evaluator belongs to the C runtime, on which this layer does not depend: it is looked up by name at the first
question.
"""

from __future__ import annotations

import ctypes
import importlib
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError

Array = npt.NDArray[np.float64]

PROVIDER = "jounce.runtime.road_library"
OFF_ROAD, NO_GROUND = 1, 2  # JN_ROAD_OFF, JN_ROAD_NO_GROUND
SERVICE_FUNCTIONS = {3: "jn_road_service", 5: "jn_road_patch_service"}  # by number of arguments

_pointer = ctypes.c_void_p
_CHECKS = {1: "too short", 2: "not a road", 3: "made by another version", 4: "cut short"}


class Sample(NamedTuple):
    """The road at points, as arrays."""

    height: Array  # m
    slope_x: Array  # dz/dx
    slope_y: Array  # dz/dy
    friction: Array  # 1 = as the tire was measured
    station: Array  # along the road, m; nan where the road has no line
    offset: Array  # to the left of the line, m
    direction: Array  # of the line, unit vectors (…, 2)
    curvature: Array  # of the line, 1/m
    material: npt.NDArray[np.int32]
    off_road: npt.NDArray[np.bool_]  # beside the road
    no_ground: npt.NDArray[np.bool_]  # nothing to stand on

    @property
    def normal(self) -> Array:
        """Unit normals, upwards, (…, 3)."""
        n = np.stack([-self.slope_x, -self.slope_y, np.ones_like(self.height)], axis=-1)
        unit: Array = n / np.linalg.norm(n, axis=-1, keepdims=True)
        return unit


@lru_cache(maxsize=1)
def library() -> Any:
    """The shared library with the road evaluator."""
    c = importlib.import_module(PROVIDER).road_library()
    c.jn_road_check.restype = ctypes.c_int
    c.jn_road_check.argtypes = (_pointer, ctypes.c_int64)
    c.jn_road_query_many.restype = None
    c.jn_road_query_many.argtypes = (_pointer, ctypes.c_int64, *(_pointer,) * 7)
    for name in SERVICE_FUNCTIONS.values():
        getattr(c, name).restype = None
        getattr(c, name).argtypes = (_pointer, _pointer, ctypes.c_int, _pointer)
    whole = ctypes.c_int64
    c.jn_memory_chain.restype = whole
    c.jn_memory_chain.argtypes = (_pointer, whole, whole)
    for name, arguments in (
        ("jn_mesh_tiles", (_pointer, _pointer, whole, _pointer, _pointer)),
        ("jn_mesh_leaves", (_pointer, _pointer, whole, _pointer, _pointer, _pointer)),
        ("jn_mesh_fill", (_pointer, _pointer, whole, _pointer, _pointer, _pointer, whole, *(_pointer,) * 7)),
    ):
        getattr(c, name).restype = None
        getattr(c, name).argtypes = arguments
    return c


def query(
    block: npt.NDArray[np.uint8],
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    z: npt.ArrayLike | None = None,
    heading: npt.ArrayLike | None = None,
) -> Sample:
    """Ask a compiled road at points (broadcast against each other).

    Headings of wheels, rad, matter to enveloping contacts only.
    """
    given = {"x": x, "y": y, "z": z, "heading": heading}
    parts = {name: np.asarray(a, dtype=float) for name, a in given.items() if a is not None}
    try:
        shape = np.broadcast_shapes(*(p.shape for p in parts.values()))
    except ValueError:
        found = [p.shape for p in parts.values()]
        raise ParameterError(f"road query: {', '.join(parts)} have shapes {found}, which do not fit") from None
    flat = {name: np.ascontiguousarray(np.broadcast_to(p, shape)).reshape(-1) for name, p in parts.items()}
    direction = None
    if "heading" in flat:
        direction = np.column_stack([np.cos(flat["heading"]), np.sin(flat["heading"])])
    n = flat["x"].size
    out, more, whole = np.empty((n, 4)), np.empty((n, 5)), np.empty((n, 2), dtype=np.int32)
    library().jn_road_query_many(
        block.ctypes.data,
        n,
        flat["x"].ctypes.data,
        flat["y"].ctypes.data,
        flat["z"].ctypes.data if "z" in flat else None,
        direction.ctypes.data if direction is not None else None,
        out.ctypes.data,
        more.ctypes.data,
        whole.ctypes.data,
    )
    height, slope_x, slope_y, friction = (np.ascontiguousarray(column).reshape(shape) for column in out.T)
    flags = whole[:, 1].reshape(shape)
    return Sample(
        height,
        slope_x,
        slope_y,
        friction,
        more[:, 0].reshape(shape),
        more[:, 1].reshape(shape),
        more[:, 2:4].reshape(*shape, 2),
        more[:, 4].reshape(shape),
        whole[:, 0].reshape(shape),
        (flags & OFF_ROAD) != 0,
        (flags & NO_GROUND) != 0,
    )


def derivatives(
    block: npt.NDArray[np.uint8], x: float, y: float, z: float, direction: tuple[float, float] | None = None
) -> tuple[Array, Array]:
    """What a model gets: (height, dz/dx, dz/dy, friction) and their derivatives with respect to x, y, z, (4, 3).

    With the direction of a wheel in plan also with respect to that, (4, 5).
    """
    at = np.array([x, y, z, *(direction or ())], dtype=float)
    out = np.empty(4 + 4 * len(at))
    getattr(library(), SERVICE_FUNCTIONS[len(at)])(block.ctypes.data, at.ctypes.data, 1, out.ctypes.data)
    return out[:4], out[4:].reshape(4, len(at))


def check(block: npt.NDArray[np.uint8]) -> None:
    """Refuse bytes that are no compiled road."""
    reason = library().jn_road_check(block.ctypes.data, block.size)
    if reason:
        raise ParameterError(f"compiled road: {_CHECKS.get(reason, reason)}")


class MeshIndex(NamedTuple):
    """A mesh as ``jn_road.c`` reads it; the layout is explained in ``jn_mesh_build.c``."""

    tiles: npt.NDArray[np.int32]  # (ny, nx, 2)
    records: npt.NDArray[np.int32]  # (n, 8)
    more: npt.NDArray[np.int32]
    triangles: Array  # (m, 10)


_LEAVES = 32  # most leaves along the side of a tile
_INLINE = 7  # triangles that a leaf holds itself


def mesh_index(
    points: Array,
    triangles: npt.NDArray[np.int32],
    grid: Array,
    friction: npt.NDArray[Any] | None,
    material: npt.NDArray[Any] | None,
    cell: float | None = None,
) -> MeshIndex:
    """Build the index of a mesh.

    Parameters
    ----------
    grid : x0, y0, size and border of tiles, their numbers along x and y
    friction, material : one whole number per triangle, or None for zeros
    cell : largest wanted size of leaves, m
    """
    c = library()
    xyz = np.ascontiguousarray(points, dtype=np.float64)
    tri = np.ascontiguousarray(triangles, dtype=np.int32)
    kinds = [np.ascontiguousarray(k, dtype=np.int32) if k is not None else None for k in (friction, material)]
    nx, ny, m = int(grid[4]), int(grid[5]), len(tri)
    mesh = (xyz.ctypes.data, tri.ctypes.data, m, grid.ctypes.data)
    count = np.zeros((ny, nx), dtype=np.int32)
    c.jn_mesh_tiles(*mesh, count.ctypes.data)
    side = np.clip(np.sqrt(0.8 * count) + 0.5, 1, _LEAVES).astype(np.int64)
    if cell is not None:
        with np.errstate(over="ignore"):  # a cell so small that their number is none: as many as there may be
            side = np.clip(np.ceil(grid[2] / cell), side, _LEAVES).astype(np.int64)
    side[count == 0] = 0
    taken = (side * side + (side + 7) // 8).reshape(-1)
    total = int(taken.sum())
    if total >= 2**31 or m >= 2**31 // 3:
        raise ParameterError(f"mesh: {m} triangles in {total} cells are more than the index can name")
    tiles = np.zeros((ny, nx, 2), dtype=np.int32)
    tiles[:, :, 0] = (np.cumsum(taken) - taken).reshape(ny, nx)
    tiles[:, :, 0][count == 0] = 0
    tiles[:, :, 1] = side
    per_leaf = np.zeros(total, dtype=np.int32)
    c.jn_mesh_leaves(*mesh, tiles.ctypes.data, per_leaf.ctypes.data)
    more = np.zeros(max(1, int(per_leaf[per_leaf > _INLINE].sum(dtype=np.int64))), dtype=np.int32)
    records, rows = np.zeros((total, 8), dtype=np.int32), np.empty((m, 10))
    names, done = np.empty(m, dtype=np.int32), np.zeros(total, dtype=np.int32)
    c.jn_mesh_fill(
        *mesh,
        tiles.ctypes.data,
        per_leaf.ctypes.data,
        total,
        *(k.ctypes.data if k is not None else None for k in kinds),
        *(a.ctypes.data for a in (records, more, rows, names, done)),
    )
    return MeshIndex(tiles, records, more, rows)
