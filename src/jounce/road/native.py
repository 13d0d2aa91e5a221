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
SERVICE_FUNCTION = "jn_road_service"

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
    c.jn_road_query_many.argtypes = (_pointer, ctypes.c_int64, *(_pointer,) * 6)
    c.jn_road_service.restype = None
    c.jn_road_service.argtypes = (_pointer, _pointer, ctypes.c_int, _pointer)
    return c


def query(block: npt.NDArray[np.uint8], x: npt.ArrayLike, y: npt.ArrayLike, z: npt.ArrayLike | None = None) -> Sample:
    """Ask a compiled road at points (broadcast against each other)."""
    parts = [np.asarray(a, dtype=float) for a in ((x, y) if z is None else (x, y, z))]
    try:
        shape = np.broadcast_shapes(*(p.shape for p in parts))
    except ValueError:
        raise ParameterError(f"road query: x, y, z have shapes {[p.shape for p in parts]}, which do not fit") from None
    flat = [np.ascontiguousarray(np.broadcast_to(p, shape)).reshape(-1) for p in parts]
    n = flat[0].size
    out, more, whole = np.empty((n, 4)), np.empty((n, 5)), np.empty((n, 2), dtype=np.int32)
    library().jn_road_query_many(
        block.ctypes.data,
        n,
        flat[0].ctypes.data,
        flat[1].ctypes.data,
        flat[2].ctypes.data if z is not None else None,
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


def derivatives(block: npt.NDArray[np.uint8], x: float, y: float, z: float) -> tuple[Array, Array]:
    """What a model gets: (height, dz/dx, dz/dy, friction) and their derivatives with respect to x, y, z, (4, 3)."""
    at, out = np.array([x, y, z], dtype=float), np.empty(16)
    library().jn_road_service(block.ctypes.data, at.ctypes.data, 1, out.ctypes.data)
    return out[:4], out[4:].reshape(4, 3)


def check(block: npt.NDArray[np.uint8]) -> None:
    """Refuse bytes that are no compiled road."""
    reason = library().jn_road_check(block.ctypes.data, block.size)
    if reason:
        raise ParameterError(f"compiled road: {_CHECKS.get(reason, reason)}")
