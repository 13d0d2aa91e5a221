"""What a driver follows: a path or a lateral acceleration, a speed or an acceleration.

Every path may be placed: ``x, y, z, heading`` move it (`Placement`). Numbers are SI; x of maps is the station on the
path in m or the time in s, y a speed in m/s or an acceleration in m/s².
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Literal, Self, TypeVar

from pydantic import model_validator

from jounce.core.fields import choice, flag, part, problem, quantity, text
from jounce.manoeuvre.block import Block

Placement = Literal["absolute", "automatic", "raw"]
"""absolute: coordinates as given, then moved to the reference of the path; automatic: first point at the driver's
origin, first direction that of the vehicle at the start; raw: coordinates of the file, whatever else is said."""
Interpolation = Literal["linear", "cubic", "quintic"]


# --- lateral ---------------------------------------------------------------------------------------------------------


class PathTarget(Block):
    """Base of what is followed laterally."""

    x: float = quantity("m", 0.0, doc="where the origin of the path is put, world")
    y: float = quantity("m", 0.0, doc="where the origin of the path is put, world")
    z: float = quantity("m", 0.0, doc="where the origin of the path is put, world")
    heading: float = quantity("rad", 0.0, doc="by which the path is turned about its origin, left positive")


class FilePath(PathTarget):
    kind: Literal["file"] = choice("file", doc="kind of path")
    file: str = text(doc="a path of the library or a file (DRD, CSV, KML, GPX)")
    interpolation: Literal["none", "cubic"] = choice("cubic", doc="between the points")
    min_segment: float = quantity("m", 0.25, gt=0, doc="distance of the points that the driver gets")


class PointsPath(PathTarget):
    kind: Literal["points"] = choice("points", doc="kind of path")
    px: tuple[float, ...] = part(doc="x of the points, m")
    py: tuple[float, ...] = part(doc="y of the points, m")
    pz: tuple[float, ...] = part((), doc="z of the points, m; absent: 0")
    bank: tuple[float, ...] = part((), doc="tangent of the bank at the points; absent: 0")

    @model_validator(mode="after")
    def _as_many(self) -> Self:
        if len(self.px) < 2:
            raise problem("a path has at least two points", "px")
        for name in ("py", "pz", "bank"):
            found = getattr(self, name)
            if len(found) != len(self.px) and (found or name == "py"):
                raise problem(f"has {len(found)} values for {len(self.px)} points", name)
        return self


class StraightPath(PathTarget):
    kind: Literal["straight"] = choice("straight", doc="kind of path")
    length: float = quantity("m", 20e3, gt=0, doc="of the whole")
    step: float = quantity("m", 2.0, gt=0, doc="between points")


class SkidpadPath(PathTarget):
    """A straight, a clothoid that turns by ``entry_angle``, a circle, and back; ends at the larger of the lengths."""

    kind: Literal["skidpad"] = choice("skidpad", doc="kind of path")
    radius: float = quantity("m", 100.0, gt=0, doc="of the circle")
    side: Literal["left", "right"] = choice("left", doc="to which it turns")
    entry_length: float = quantity("m", 200.0, ge=0, doc="of the straight before")
    exit_length: float = quantity("m", 0.0, ge=0, doc="of the straight behind")
    angle: float = quantity("rad", 2.1 * math.pi, gt=0, doc="by which the whole turns")
    length: float = quantity("m", 0.0, ge=0, doc="of the whole, at least")
    step: float = quantity("m", 0.1, gt=0, doc="between points")
    entry_angle: float = quantity("rad", math.radians(20), ge=0, doc="by which the first clothoid turns")
    exit_angle: float = quantity("rad", 0.0, ge=0, doc="by which the last clothoid turns; 0: none")


class LateralAccelerationTarget(PathTarget):
    """A lateral acceleration over the distance or the time of the stage, without a path."""

    kind: Literal["lateral_acceleration"] = choice("lateral_acceleration", doc="kind of target")
    over: Literal["distance", "time"] = choice("time", doc="abscissa, of the stage")
    at: tuple[float, ...] = part(doc="distances or times, SI")
    values: tuple[float, ...] = part(doc="lateral accelerations, m/s2, left positive")
    interpolation: Interpolation = choice("linear", doc="between the values")

    @model_validator(mode="after")
    def _map(self) -> Self:
        return _checked(self, "at", "values")


PATHS: tuple[type[PathTarget], ...] = (FilePath, PointsPath, StraightPath, SkidpadPath, LateralAccelerationTarget)


# --- longitudinal ----------------------------------------------------------------------------------------------------


class SpeedTarget(Block):
    """Base of what is followed longitudinally."""

    scale: float = quantity("-", 1.0, doc="factor on the target")


class ConstantSpeed(SpeedTarget):
    kind: Literal["constant"] = choice("constant", doc="kind of target")
    speed: float = quantity("m/s", doc="that is kept")


class MapTarget(SpeedTarget):
    """A speed or an acceleration over the station on the path or the time."""

    kind: Literal["map"] = choice("map", doc="kind of target")
    over: Literal["station", "time"] = choice("station", doc="abscissa")
    of: Literal["speed", "acceleration"] = choice("speed", doc="what the values are")
    x: tuple[float, ...] = part(doc="stations or times, SI")
    y: tuple[float, ...] = part(doc="speeds or accelerations, SI")
    interpolation: Interpolation = choice("linear", doc="between the values")
    smoothing: float = quantity("-", 0.0, ge=0, doc="of a spline; 0: through all values")

    @model_validator(mode="after")
    def _map(self) -> Self:
        return _checked(self, "x", "y")


class MaintainSpeed(SpeedTarget):
    kind: Literal["maintain"] = choice("maintain", doc="kind of target: the speed when the stage is entered")
    relative: bool = flag(False, doc="as a file says it; without effect")
    auto_scaling: bool = flag(True, doc="as a file says it; without effect")
    auto_saturation: bool = flag(True, doc="as a file says it; without effect")


class PathSpeed(SpeedTarget):
    kind: Literal["path_speed"] = choice("path_speed", doc="kind of target: the speeds that a path has")
    file: str = text(doc="a path with speeds; absent: that of the stage")
    interpolation: Interpolation = choice("linear", doc="between its values")
    smoothing: float = quantity("-", 0.0, ge=0, doc="of a spline; 0: through all values")


class UserTarget(SpeedTarget):
    kind: Literal["user"] = choice("user", doc="kind of target: inputs target_speed or target_acc of the run")
    of: Literal["speed", "acceleration"] = choice("speed", doc="which of the two")


class PolynomialSpeed(SpeedTarget):
    """v before ``begin``, then v + a (t − begin) + j (t − begin)²/2."""

    kind: Literal["polynomial"] = choice("polynomial", doc="kind of target")
    speed: float | None = quantity("m/s", None, doc="v; absent: the speed when the stage is entered")
    acceleration: float = quantity("m/s2", 0.0, doc="a")
    jerk: float = quantity("m/s3", 0.0, doc="j")
    begin: float = quantity("s", 0.0, ge=0, doc="in the time of the stage")


class AccelerationTarget(SpeedTarget):
    kind: Literal["acceleration"] = choice("acceleration", doc="kind of target: a constant acceleration")
    acceleration: float = quantity("m/s2", doc="along the vehicle")
    begin: float = quantity("s", 0.0, ge=0, doc="in the time of the stage; before it the speed is kept")


class LateralAccelerationSpeed(SpeedTarget):
    kind: Literal["lateral_acceleration"] = choice("lateral_acceleration", doc="kind of target: a_y kept by the speed")
    acceleration: float = quantity("m/s2", gt=0, doc="lateral")


class AutoSpeed(SpeedTarget):
    kind: Literal["auto"] = choice("auto", doc="kind of target: by the curvature of the path and the vehicle's limits")
    share: float = quantity("-", 0.8, gt=0, typical=(0.2, 1.0), doc="of the limits that is used")


SPEEDS: tuple[type[SpeedTarget], ...] = (
    ConstantSpeed, MapTarget, MaintainSpeed, PathSpeed, UserTarget, PolynomialSpeed, AccelerationTarget,
    LateralAccelerationSpeed, AutoSpeed,
)  # fmt: skip


T = TypeVar("T", bound=Any)


def _checked(target: T, x: str, y: str) -> T:
    at, values = getattr(target, x), getattr(target, y)
    if len(at) != len(values):
        raise problem(f"has {len(values)} values for {len(at)} {x}", y)
    if len(at) < 1:
        raise problem("is empty", x)
    if any(b <= a for a, b in pairwise(at)):
        raise problem("must rise", x)
    least = {"linear": 1, "cubic": 4, "quintic": 6}[target.interpolation]
    if len(at) < least:
        raise problem(f"a {target.interpolation} spline needs {least} values, here are {len(at)}", "interpolation")
    return target
