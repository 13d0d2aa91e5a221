"""A road as a grid of heights along a reference line: the surface of OpenCRG files, and plain height maps.

The line is straight or a chain of nodes at equal distances du; u runs along it, v to its left. Between nodes, with the
normals at both ends of a segment (each normal to the chord of its neighbours), u is shared out by the distances to
these normals, so that it is continuous across nodes; v is the distance from the segment:

    u = (i + t_a/(t_a + t_b)) du                                                                             (1)
    z = grid(u, v) + z_ref(u) + bank(u) v                                                                    (2)

The grid is bilinear (as OpenCRG defines it) or, with ``cubic``, C¹ through the same values. Beyond the grid: ``none``
(no ground), ``zero``, ``hold``, ``repeat``, ``mirror``, for u and v on their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.road.block import GRID, Array, Writer, border_code
from jounce.road.surface import Road, corners_extent, moved

GRID_BORDERS = ("none", "zero", "hold", "repeat", "mirror")
_EVEN = 1e-9  # relative deviation up to which positions count as equally spaced


@dataclass(frozen=True, eq=False, kw_only=True)
class GridRoad(Road):
    """Heights over (u, v) along a reference line.

    Parameters
    ----------
    z : (nu, nv) heights, single or double precision; nan = no ground
    du : distance of cross-sections along the line, m
    v : (nv,) offsets of the long sections to the left of the line, ascending, m
    u0 : u of the first cross-section
    x, y, heading : start of the line; its direction when it is straight
    headings : (nu − 1,) direction of each segment of a curved line, rad
    closed : the last node is the first
    reference : (nu,) height of the line, m
    bank : slope across, positive when the left side is up: one number or (nu,)
    friction : one number or (nu, nv)
    border_u, border_v : beyond the grid; offset_u, offset_v are added to the height there, m
    smooth_begin, smooth_end : lengths over which the surface comes out of the line's height at both ends, m
    cubic : a smooth surface instead of a bilinear one
    """

    z: npt.NDArray[Any]
    du: float
    v: Array
    u0: float = 0.0
    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    headings: Array | None = None
    closed: bool = False
    reference: Array | None = None
    bank: float | Array = 0.0
    friction: float | Array = 1.0
    border_u: str = "hold"
    border_v: str = "hold"
    offset_u: float = 0.0
    offset_v: float = 0.0
    smooth_begin: float = 0.0
    smooth_end: float = 0.0
    cubic: bool = False
    tolerance: float = 0.1

    def __post_init__(self) -> None:
        if self.z.ndim != 2 or min(self.z.shape) < 2:
            raise ParameterError(f"grid: z has shape {self.z.shape}; at least 2 × 2 heights are needed")
        nu, nv = self.z.shape
        if not (math.isfinite(self.du) and self.du > 0):
            raise ParameterError(f"grid: du = {self.du:g} m; must be > 0")
        if np.shape(self.v) != (nv,) or not np.all(np.diff(self.v) > 0) or not np.all(np.isfinite(self.v)):
            raise ParameterError(f"grid: v needs {nv} ascending finite positions, one per long section")
        for label, values, n in (("headings", self.headings, nu - 1), ("reference", self.reference, nu)):
            if values is not None and (np.shape(values) != (n,) or not np.all(np.isfinite(values))):
                raise ParameterError(f"grid: {label} needs {n} finite numbers; found shape {np.shape(values)}")
        if np.ndim(self.bank) and (np.shape(self.bank) != (nu,) or not np.all(np.isfinite(self.bank))):
            raise ParameterError(f"grid: bank needs one finite number or {nu}; found shape {np.shape(self.bank)}")
        if np.ndim(self.friction) and np.shape(self.friction) != (nu, nv):
            raise ParameterError(
                f"grid: friction needs one number or shape {(nu, nv)}; found {np.shape(self.friction)}"
            )
        for mode in (self.border_u, self.border_v):
            border_code(mode, GRID_BORDERS)
        if self.closed:
            gap = math.hypot(self.nodes[-1, 0] - self.nodes[0, 0], self.nodes[-1, 1] - self.nodes[0, 1])
            if gap > 0.5 * self.du:
                raise ParameterError(f"grid: said to be closed, but its last node is {gap:.4g} m from the first")

    # -- geometry -----------------------------------------------------------------------------------------
    @property
    def length(self) -> float:
        return float((self.z.shape[0] - 1) * self.du)

    @cached_property
    def nodes(self) -> Array:
        """(nu, 2) nodes of the reference line, in the frame of the road."""
        nu = self.z.shape[0]
        phi = np.full(nu - 1, self.heading) if self.headings is None else np.asarray(self.headings, dtype=float)
        x = np.cumsum(np.concatenate([[self.x], self.du * np.cos(phi)]))
        y = np.cumsum(np.concatenate([[self.y], self.du * np.sin(phi)]))
        return np.column_stack([x, y])

    @property
    def curvature(self) -> Array:
        """(nu,) of the reference line at its nodes, 1/m, positive to the left: turn from segment to segment."""
        nu = self.z.shape[0]
        if self.headings is None or nu < 3:
            return np.zeros(nu)
        turns = np.diff(np.asarray(self.headings, dtype=float), prepend=self.headings[-1])
        turns = np.mod(turns + math.pi, 2 * math.pi) - math.pi
        ends = (turns[0], turns[0]) if self.closed else (turns[1], turns[-1])
        return np.concatenate([ends[:1], turns[1:], ends[1:]]) / self.du

    @property
    def even(self) -> bool:
        """Whether the long sections lie at equal distances."""
        v = np.asarray(self.v, dtype=float)
        ideal = np.linspace(v[0], v[-1], len(v))
        return bool(np.max(np.abs(v - ideal)) <= _EVEN * (v[-1] - v[0]))

    def write(self, writer: Writer) -> float:
        nu, nv = self.z.shape
        v = np.asarray(self.v, dtype=float)
        single = self.z.dtype == np.float32
        heights = writer.array(self.z, np.float32 if single else np.float64)
        straight = self.headings is None
        frame, index, xy = self.frame, [0.0] * 7, 0.0
        ends = [1.0, 0.0, 1.0, 0.0]
        if straight:
            # the node's own frame lies on the line
            local = replace(frame, x=0.0, y=0.0, z=0.0, heading=0.0)
            local = moved(local, self.x, self.y, 0.0, self.heading)
            frame = moved(local, frame.x, frame.y, frame.z, frame.heading)
        else:
            assert self.headings is not None
            nodes = self.nodes
            xy = writer.array(nodes)
            reach = min(float(np.max(np.abs(v))) + 2.0, 200.0)
            line = nodes[:-1] if self.closed else nodes
            index = writer.line_index(line[:, 0], line[:, 1], self.du, self.closed, reach)
            first, last = self.headings[0], self.headings[-1]
            ends = [math.cos(first), math.sin(first), math.cos(last), math.sin(last)]
        bank_array = writer.array(self.bank) if np.ndim(self.bank) else 0.0
        own = [
            *(float(nu), float(nv), self.u0, self.du, float(v[0])),
            float((v[-1] - v[0]) / (nv - 1)) if self.even else 0.0,
            writer.array(v),
            heights,
            float(single),
            writer.array(self.reference) if self.reference is not None else 0.0,
            bank_array,
            0.0 if np.ndim(self.bank) else float(self.bank),
            float(straight),
            xy,
            float(self.closed),
            *index,
            float(border_code(self.border_u)),
            float(border_code(self.border_v)),
            self.offset_u,
            self.offset_v,
            self.smooth_begin,
            self.smooth_end,
            writer.array(self.friction) if np.ndim(self.friction) else 0.0,
            1.0 if np.ndim(self.friction) else float(self.friction),
            *ends,
            float(self.cubic and self.even),
            self.tolerance,
            0.0 if straight else writer.array(self.curvature),
        ]
        if self.cubic and not self.even:
            raise ParameterError("grid: a smooth surface needs long sections at equal distances")
        return writer.node(GRID, frame, own)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        nodes = self.nodes
        if self.headings is None:
            phi = np.full(len(nodes), self.heading)
        else:
            phi = np.append(self.headings, self.headings[-1])
        x = np.concatenate([nodes[:, 0] - side * np.sin(phi) for side in (self.v[0], self.v[-1])])
        y = np.concatenate([nodes[:, 1] + side * np.cos(phi) for side in (self.v[0], self.v[-1])])
        return corners_extent(self.frame, x, y)


def height_map(x: npt.ArrayLike, y: npt.ArrayLike, z: npt.ArrayLike, **options: Any) -> GridRoad:
    """A road from heights z (nx, ny) at equally spaced x and y; smooth unless ``cubic=False``."""
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    heights = np.asarray(z, dtype=None if isinstance(z, np.ndarray) and z.dtype == np.float32 else float)
    if a.ndim != 1 or len(a) < 2 or not np.allclose(np.diff(a), a[1] - a[0], rtol=1e-6, atol=0) or not a[1] > a[0]:
        raise ParameterError("height map: x must be at least two ascending, equally spaced places")
    return GridRoad(
        z=heights, du=float((a[-1] - a[0]) / (len(a) - 1)), v=b, x=float(a[0]), **{"cubic": True, **options}
    )
