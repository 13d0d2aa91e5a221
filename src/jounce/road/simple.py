"""Roads in closed form and what is put on them: planes, bumps, potholes, waves, friction patches.

Bumps (``Bump``, ``Dish``) add height to the road below, patches (``Patch``) change its friction; ``Sum`` puts them
together, ``Stack`` joins several roads. Any road may be a feature of a ``Sum``: its height is added and its friction
multiplied.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.block import EXTERNAL, MAX_DEPTH, PLANE, PROFILE, REGION, STACK, SUM, Frame, Writer
from jounce.road.curve import Curve, flat_top
from jounce.road.surface import Road, box_corners, corners_extent

Extent = tuple[float, float, float, float]
_LARGE = 1e5  # m


@dataclass(frozen=True, eq=False, kw_only=True)
class Flat(Road):
    """A plane z = grade x + bank y, level by default.

    Parameters
    ----------
    friction : 1 = as the tire was measured
    grade, bank : dz/dx, dz/dy
    length, width : beyond which there is no ground, m; both centred at the origin
    drawn : size shown in pictures, m
    """

    friction: float = 1.0
    grade: float = 0.0
    bank: float = 0.0
    length: float = math.inf
    width: float = math.inf
    material: int = 0
    drawn: tuple[float, float] | None = None

    def write(self, writer: Writer) -> float:
        half = (0.5 * self.length, 0.5 * self.width)
        return writer.node(PLANE, self.frame, [self.grade, self.bank, self.friction, float(self.material), *half])

    @property
    def extent(self) -> Extent | None:
        size = self.drawn or (self.length, self.width)
        if not all(map(math.isfinite, size)):
            return None
        a, b = 0.5 * size[0], 0.5 * size[1]
        return corners_extent(self.frame, *box_corners(-a, -b, a, b))


@dataclass(frozen=True, eq=False, kw_only=True)
class Bump(Road):
    """Height p(u) w(v): a profile along the heading of the frame, times a window across (1 everywhere by default)."""

    profile: Curve
    window: Curve | None = None

    def write(self, writer: Writer) -> float:
        across = self.window.write(writer) if self.window is not None else 0.0
        return writer.node(PROFILE, self.frame, [self.profile.write(writer), across, 0.0])

    @property
    def extent(self) -> Extent | None:
        if self.profile.border != "zero" or self.window is None or self.window.border != "zero":
            return None
        p, w = self.profile, self.window
        return corners_extent(self.frame, *box_corners(p.first, w.first, p.last, w.last))


@dataclass(frozen=True, eq=False, kw_only=True)
class Dish(Road):
    """Height p(r) around a centre: a round pothole (negative) or hump; p must be level at r = 0 and end at zero."""

    profile: Curve

    def write(self, writer: Writer) -> float:
        return writer.node(PROFILE, self.frame, [self.profile.write(writer), 0.0, 1.0])

    @property
    def extent(self) -> Extent | None:
        if self.profile.border != "zero":
            return None
        r = self.profile.last
        return corners_extent(self.frame, *box_corners(-r, -r, r, r))


@dataclass(frozen=True, eq=False, kw_only=True)
class Patch(Road):
    """A region with its own friction: rectangle (``length`` × ``width``), disc (``radius``) or polygon, centred at
    the frame.

    Parameters
    ----------
    friction : inside; with ``factor`` it multiplies what is there
    edge : width over which the friction changes, m; centred at the border; 0 is a step
    """

    friction: float
    length: float = math.inf
    width: float = math.inf
    radius: float | None = None
    polygon: Sequence[tuple[float, float]] | None = None
    factor: bool = False
    edge: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.friction) and self.friction >= 0):
            raise ParameterError(f"patch: friction = {self.friction:g}; must not be negative")
        if self.polygon is not None and (len(self.polygon) < 3 or self.edge):
            raise ParameterError("patch: a polygon needs at least three points and has no blended edge")

    def write(self, writer: Writer) -> float:
        points, n, shape, a, b = 0.0, 0, 0.0, 0.5 * self.length, 0.5 * self.width
        if self.polygon is not None:
            corners = np.asarray(self.polygon, dtype=float)
            points, n, shape = writer.array(corners), len(corners), 2.0
        elif self.radius is not None:
            shape, a = 1.0, self.radius
        own = [shape, a, b, self.friction, float(self.factor), self.edge, points, float(n)]
        return writer.node(REGION, self.frame, own)

    @property
    def extent(self) -> Extent | None:
        if self.polygon is not None:
            u, v = np.asarray(self.polygon, dtype=float).T
            return corners_extent(self.frame, u, v)
        a, b = (self.radius, self.radius) if self.radius is not None else (0.5 * self.length, 0.5 * self.width)
        a, b = a + 0.5 * self.edge, b + 0.5 * self.edge
        if not (math.isfinite(a) and math.isfinite(b)):
            return None
        return corners_extent(self.frame, *box_corners(-a, -b, a, b))


@dataclass(frozen=True, eq=False, kw_only=True)
class Sum(Road):
    """A road with features on it; those of limited size are found through an index, however many there are."""

    base: Road
    features: Sequence[Road] = ()

    def write(self, writer: Writer) -> float:
        _deeper(writer)
        base = self.base.write(writer)
        nodes = [f.write(writer) for f in self.features]
        extents = [_small(f) for f in self.features]
        everywhere = [i for i, e in enumerate(extents) if e is None]
        local = [(i, e) for i, e in enumerate(extents) if e is not None]
        index = [0.0] * 7
        if local:
            # features act in the order given; those without end come first
            index = writer.box_index(np.array([e for _, e in local]), [i for i, _ in local])
        writer.depth -= 1
        places, all_ = writer.array(nodes or [0.0]), writer.array(everywhere or [0], np.int32)
        return writer.node(SUM, self.frame, [base, float(len(nodes)), places, all_, float(len(everywhere)), *index])

    @property
    def extent(self) -> Extent | None:
        inner = self.base.extent
        return None if inner is None else corners_extent(self.frame, *box_corners(*inner))


def _small(feature: Road) -> Extent | None:
    """The box of a feature that acts nowhere else; None when it has no end worth an index."""
    box = feature.extent if isinstance(feature, Bump | Dish | Patch) else None
    return None if box is None or max(box[2] - box[0], box[3] - box[1]) > _LARGE else box


@dataclass(frozen=True, eq=False, kw_only=True)
class Stack(Road):
    """Several roads as one: the first that covers a point, or (``storeys``) the uppermost that is not above the
    asking point.

    Parameters
    ----------
    tolerance : how far a storey may be above the asking point and still carry it, m
    """

    roads: Sequence[Road]
    storeys: bool = False
    tolerance: float = 0.1

    def write(self, writer: Writer) -> float:
        _deeper(writer)
        if not self.roads:
            raise ParameterError("stack of roads: needs at least one")
        nodes = writer.array([r.write(writer) for r in self.roads])
        writer.depth -= 1
        return writer.node(STACK, self.frame, [float(len(self.roads)), nodes, float(self.storeys), self.tolerance])

    @property
    def extent(self) -> Extent | None:
        parts = [e for e in (r.extent for r in self.roads) if e is not None]
        if not parts:
            return None
        a = np.array(parts)
        inner = (a[:, 0].min(), a[:, 1].min(), a[:, 2].max(), a[:, 3].max())
        return corners_extent(self.frame, *box_corners(*inner))


def _deeper(writer: Writer) -> None:
    writer.depth += 1
    if writer.depth >= MAX_DEPTH:
        raise ParameterError(f"roads nested more than {MAX_DEPTH - 1} deep")


_EXTERNAL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *(ctypes.c_double,) * 3, ctypes.POINTER(ctypes.c_double))


@dataclass(frozen=True, eq=False, kw_only=True)
class External(Road):
    """A road of someone else: ``function(x, y, z)`` returns (height, dz/dx, dz/dy, friction).

    Parameters
    ----------
    function : a Python function, or the address of a C function ``void f(void *context, double x, double y, double z,
    double *out)``
    context : handed to the C function
    """

    function: Callable[[float, float, float], Sequence[float]] | int
    context: int = 0

    def write(self, writer: Writer) -> float:
        if isinstance(self.function, int):
            address = self.function
            writer.keep.append(self)
        else:
            user, errors = self.function, writer.errors

            def call(_context: Any, x: float, y: float, z: float, out: Any) -> None:
                try:
                    values = [float(v) for v in user(x, y, z)]
                    if len(values) != 4:
                        raise ParameterError(f"outside road: returned {len(values)} numbers; expected 4")
                except Exception as error:  # nothing may cross C: a run stops at nan, a query raises afterwards
                    errors.append(error)
                    values = [math.nan] * 4
                out[0], out[1], out[2], out[3] = values

            wrapped = _EXTERNAL(call)
            writer.keep.append(wrapped)
            address = ctypes.cast(wrapped, ctypes.c_void_p).value or 0
        words = np.array([address, self.context], dtype=np.uint64).view(np.float64)
        return writer.node(EXTERNAL, self.frame, [float(words[0]), float(words[1])])


# --- ready-made features --------------------------------------------------------------------------------------------


def cleat(
    height: float = 0.02, width: float = 0.04, chamfer: float = 0.002, x: float = 0.0, across: float | None = None
) -> Bump:
    """A rectangular bar across the road, with small chamfers so that the height stays continuous."""
    window = flat_top(across, min(0.01, 0.25 * across)) if across is not None else None
    return Bump(profile=flat_top(width, chamfer, height), window=window, frame=Frame(x=x), name="cleat")


def pothole(depth: float, length: float, width: float, edge: float, x: float = 0.0, y: float = 0.0) -> Bump:
    """A rectangular hole with sloping edges."""
    return Bump(
        profile=flat_top(length, edge, -depth), window=flat_top(width, edge), frame=Frame(x=x, y=y), name="pothole"
    )


def round_pothole(depth: float, radius: float, x: float = 0.0, y: float = 0.0) -> Dish:
    """A round hole, −½ d (1 + cos(π r/R))."""
    profile = Curve(
        np.array([0.0, radius]),
        np.array([[1.0, -0.5 * depth, -0.5 * depth, 0.5 * math.pi, math.pi / radius, 0.0, 0.0]]),
        "zero",
    )
    return Dish(profile=profile, frame=Frame(x=x, y=y), name="pothole")


def mu_split(left: float, right: float, x0: float = -math.inf, x1: float = math.inf) -> list[Patch]:
    """Friction of its own left and right of the x axis, between two places along it."""
    if math.isinf(x0) or math.isinf(x1):
        x0, x1 = max(x0, -1e6), min(x1, 1e6)
    half = 1e6
    middle, length = 0.5 * (x0 + x1), x1 - x0
    return [
        Patch(friction=left, length=length, width=half, frame=Frame(x=middle, y=0.5 * half)),
        Patch(friction=right, length=length, width=half, frame=Frame(x=middle, y=-0.5 * half)),
    ]
