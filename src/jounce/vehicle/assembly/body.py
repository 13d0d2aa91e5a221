"""The sprung mass."""

from __future__ import annotations

from jounce.core.errors import ModelError
from jounce.vehicle.assembly.context import Context


def add(context: Context) -> None:
    """The body with everything on board, free in space."""
    vehicle, system = context.vehicle, context.system
    if vehicle.body.split is not None:
        raise ModelError("body.split: the split chassis is not available yet; join the halves into one body")
    mass, centre, inertia = vehicle.body.sprung()[0]
    scope = system.scope("body")
    m = scope.parameter("mass", mass, "kg", "sprung mass with everything on board", low=1e-3)
    moments = [scope.parameter(f"i{a}{a}", inertia[i, i], "kg.m2") for i, a in enumerate("xyz")]
    products = [
        scope.parameter(f"i{'xyz'[i]}{'xyz'[j]}", inertia[i, j], "kg.m2", "matrix entry")
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    joint = system.free("chassis", initial=(centre[0], centre[1], centre[2]))
    context.chassis = joint.frame
    context.masses.append((context.chassis, m))
    system.body("chassis_mass", context.chassis, m, [*moments, *products])
    context.frames = dict.fromkeys((1, 2), context.chassis)
    context.origins = dict.fromkeys((1, 2), centre)
