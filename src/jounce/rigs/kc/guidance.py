"""Where the maps of a vehicle put its wheels, in numbers: for whole sweeps at once.

The rules are those of ``components/suspension/guidance`` (which map counts for which quantity); values are the channels
of a rig: x, y, toe, camber, side view angle and steer of a wheel, with its alignment.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.components.basics import SIDES, Side
from jounce.core.curves import Curve
from jounce.rigs.kc.channels import PROPERTIES, Array
from jounce.rigs.kc.fitting import grid
from jounce.rigs.kc.kinematics import Grid, Kinematics


def evaluated(curve: Curve, settings: Any, a: Array, b: Array) -> Array:
    """A curve of a vehicle at arrays, interpolated as in the model."""
    if curve.constant is not None:
        return np.asarray(curve.constant * a if curve.units.constant == "rate" else np.full(len(a), curve.constant))
    maps = settings.kinematic_maps
    table = curve.table(
        method="polynomial" if maps.polynomial else settings.splines.method,
        extrapolation=maps.extrapolation,
        order=maps.polynomial_order if maps.polynomial else None,
    )
    return np.asarray(table(a) if curve.n_axes == 1 else table(a, b))


def pose(axle: Any, side: Side, u: Array, own: Array, other: Array) -> dict[str, Array]:
    """Channels of a wheel of an axle (a place of a layout), over steering input, own and paired travel."""
    suspension, steering, settings = axle.data.suspension, axle.data.steering, axle.settings
    dependent = suspension.dependent

    def guided(name: str) -> Array:
        found = suspension.map(name, side)
        return np.asarray(found.offset + found.scale * evaluated(found.curve, settings, own, other))

    result = {name: guided(name) for name in PROPERTIES}
    inwards = -1.0 if side == "L" else 1.0
    if steering is not None:

        def steered(name: str) -> Array | None:
            found = steering.map(name, side)
            return None if found is None else np.asarray(found.scale * evaluated(found.curve, settings, u, own))

        for name in ("x", "y", "camber", "side_view_angle"):
            value = steered(name)
            if value is None or (name in ("x", "y") and not steering.steering_dependent_wheel_location):
                continue
            if dependent:
                result[name] = result[name] + value
            else:
                result[name] = value + (suspension.map("camber", side).offset if name == "camber" else 0.0)
        steer = steered("steer")
        assert steer is not None
        if steering.method == "toe_table" or dependent:
            steer = steer + inwards * result["toe"]
        else:
            steer = steer + inwards * suspension.map("toe", side).offset
        result["toe"] = inwards * steer
    result["steer"] = inwards * result["toe"]
    return result


def travel_of(axle: Any) -> tuple[float, float] | None:
    """The travel that the maps of an axle cover; None where they are no tables."""
    found = [getattr(axle.data.suspension, name).curve for name in PROPERTIES]
    tables = [curve for curve in found if curve.is_table and len(curve.x) > 1]
    if not tables:
        return None
    return max(curve.x[0] for curve in tables), min(curve.x[-1] for curve in tables)


def present(axle: Any, travel: tuple[float, float], points: int, columns: int) -> Kinematics:
    """The guidance that an axle has straight ahead, as maps of the change from design."""
    own = grid(*travel, points)
    dependent = axle.data.suspension.dependent
    paired = grid(*travel, columns) if dependent else np.zeros(1)
    a, b = (item.ravel() for item in np.meshgrid(own, paired, indexing="ij"))
    result = Kinematics("present", {side: {} for side in SIDES}, {})
    for side in SIDES:
        here = pose(axle, side, 0.0 * a, a, b)
        zero = pose(axle, side, np.zeros(1), np.zeros(1), np.zeros(1))
        for name in PROPERTIES:
            values = (here[name] - zero[name]).reshape(len(own), len(paired))
            found = Grid(own, values, paired) if dependent else Grid(own, values[:, 0])
            result.maps[side][name], result.design[name, side] = found, float(zero[name][0])
    return result
