"""Roads: what all of them can do.

A road is data. It is compiled to one flat block (``block``), which the C function ``jn_road_query`` reads; a vehicle is
never compiled again for another road, and an exported one takes the block along.

    z, ∂z/∂x, ∂z/∂y, µ = road(x, y, z)      world axes; z of the asking point chooses between storeys

Heights are continuous wherever the data are. Slopes are the exact derivatives of the heights.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.core.writing import write_atomically
from jounce.road.block import Array, Block, Frame, Writer
from jounce.road.native import SERVICE_FUNCTIONS, Sample, derivatives, library, query


class Binds(Protocol):
    """A simulation: what a road asks of it."""

    @property
    def model(self) -> Any: ...
    def bind(self, name: str, function: Any, context: int | None = None) -> None: ...


HERE = Frame()


@dataclass(frozen=True, eq=False, kw_only=True)
class Road:
    """Base of all roads.

    Parameters
    ----------
    frame : where the road lies
    name : for pictures and messages
    smoothing_time : s over which an event lets the road grow out of the plane under the car; 0: it is there at once
    warns : whether an event says when a wheel leaves the road
    normals : what a car feels as the normal: that of the ``surface``, of three ``points``, or ``vertical``
    spacing : of the three points, m
    """

    frame: Frame = HERE
    name: str = ""
    smoothing_time: float = 0.0
    warns: bool = True
    normals: Literal["surface", "points", "vertical"] = "surface"
    spacing: float = 0.05

    def write(self, writer: Writer) -> float:
        """Append this road to a block; returns the offset of its node."""
        raise NotImplementedError

    @cached_property
    def _compiled(self) -> tuple[Block, list[Any], list[Exception]]:
        writer = Writer()
        return writer.finish(self.write(writer)), writer.keep, writer.errors

    @property
    def block(self) -> Block:
        """The road as ``jn_road.c`` reads it."""
        return self._compiled[0]

    def save_block(self, path: str | PathLike[str]) -> None:
        """Write the compiled block to a file, for C programs.

        Read it into memory that is aligned to 8 bytes, and ask ``jn_road_query``.
        """
        if self._compiled[1]:
            raise ParameterError("this road asks an outside function: it cannot be saved")
        write_atomically(path, self.block.tobytes())

    def query(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        z: npt.ArrayLike | None = None,
        heading: npt.ArrayLike | None = None,
    ) -> Sample:
        """Height, slopes and friction at points; without z on the uppermost storey.

        The heading of a wheel, rad, matters to an enveloping contact: it lies along it.
        """
        sample = query(self.block, x, y, z, heading)
        errors = self._compiled[2]
        if errors:
            first = errors[0]
            errors.clear()
            raise ParameterError(f"outside road failed: {first}") from first
        return sample

    def derivatives(
        self, x: float, y: float, z: float = float("nan"), direction: tuple[float, float] | None = None
    ) -> tuple[Array, Array]:
        """(height, dz/dx, dz/dy, friction) and their derivatives by x, y, z, as a model gets them.

        With the direction of a wheel in plan also by its two parts.
        """
        return derivatives(self.block, x, y, z, direction)

    def bind(self, simulation: Binds, name: str = "ground") -> None:
        """Let a simulation drive here. Its model must have been assembled with the ground ``Service``.

        Roads without outside functions may be bound to any number of simulations, also in parallel.
        """
        # a model that says where its wheels point asks with five arguments; a name it does not know is refused by bind
        asked = next((slot.n_in for slot in simulation.model.services if slot.name == name), 3)
        call = getattr(library(), SERVICE_FUNCTIONS[asked])
        address = ctypes.cast(call, ctypes.c_void_p).value or 0
        function = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 2, ctypes.c_int, ctypes.c_void_p)(address)
        function.road = self  # type: ignore[attr-defined]  # the block lives as long as the binding
        simulation.bind(name, function, self.block.ctypes.data)

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0, heading: float = 0.0) -> Self:
        """The same road elsewhere: turned about its origin, then shifted."""
        return replace(self, frame=moved(self.frame, x, y, z, heading))

    @property
    def extent(self) -> tuple[float, float, float, float] | None:
        """(x0, y0, x1, y1) of what the data cover, in world axes; None when there is no end."""
        return None

    def figure(self, **options: Any) -> Any:
        """Plan, profile, bank and friction as a matplotlib figure; see ``jounce.road.figure``."""
        from jounce.road.figure import figure

        return figure(self, **options)


def moved(frame: Frame, x: float, y: float, z: float, heading: float) -> Frame:
    """A frame turned by a heading about the origin of the world, then shifted."""
    c, s = np.cos(heading), np.sin(heading)
    return replace(
        frame,
        x=x + float(c * frame.x - s * frame.y),
        y=y + float(s * frame.x + c * frame.y),
        z=z + frame.z,
        heading=frame.heading + heading,
    )


def plane_under(
    roads: Sequence[Road], x: npt.ArrayLike, y: npt.ArrayLike, at: tuple[float, float], z: float | None = None
) -> tuple[float, float, float]:
    """Height at a place, dz/dx and dz/dy of the plane nearest (least squares) to the ground at several points.

    Where wheels stand this is what a car rests on: the tangent at one point of a rough road says little about it.
    A point without ground is an error: a car cannot be put there.

    Parameters
    ----------
    roads : one for all points, or one per point
    x, y : of the points, m
    at : where the height is wanted, m
    z : height from which the ground is looked for: storeys above it do not count; absent: the uppermost, m
    """
    places = np.column_stack([np.ravel(x), np.ravel(y)]).astype(float)
    asked = [roads[i if len(roads) > 1 else 0].query(px, py, z) for i, (px, py) in enumerate(places)]
    on = np.array([not bool(sample.no_ground) for sample in asked])
    if not on.all():
        name = f" of road {roads[0].name!r}" if roads[0].name else ""
        wheels = "" if not on.any() else f": {(~on).sum()} of {len(on)} wheels hang over nothing"
        raise ParameterError(f"no ground under the car at x = {at[0]:g} m, y = {at[1]:g} m{name}{wheels}")
    heights = np.array([float(sample.height) for sample in asked])
    middle = places.mean(axis=0)
    slopes = np.linalg.lstsq(places - middle, heights - heights.mean(), rcond=1e-9)[0]
    return float(heights.mean() + slopes @ (np.asarray(at) - middle)), float(slopes[0]), float(slopes[1])


def corners_extent(frame: Frame, u: npt.ArrayLike, v: npt.ArrayLike) -> tuple[float, float, float, float]:
    """Extent in world axes of points given in a frame."""
    x, y = frame.to_world(u, v)
    return float(np.min(x)), float(np.min(y)), float(np.max(x)), float(np.max(y))


def box_corners(u0: float, v0: float, u1: float, v1: float) -> tuple[Array, Array]:
    return np.array([u0, u1, u1, u0]), np.array([v0, v0, v1, v1])
