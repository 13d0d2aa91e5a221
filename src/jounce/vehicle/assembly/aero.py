"""Aerodynamic forces over speed and ride heights:

    F = scale · (ρ/ρ_ref) · (force(h_front; h_rear) + shift) · (V/V_ref)²                                       (1)

V is the speed through the air along the road (or the chassis), wind included; drag is against it.
"""

from __future__ import annotations

from typing import Any

from jounce.symbolic.ops import clip, fabs, fmax, if_else
from jounce.vehicle.assembly.context import Context


def add(context: Context) -> None:
    """Drag and downforce."""
    aero = context.vehicle.aero
    if aero is None:
        return
    scope = context.system.scope("aero")
    active = scope.parameter("active", 1.0, "-", "0 without air, as in the search for equilibrium", low=0.0)
    density = active * scope.parameter("density_ratio", aero.air_density / aero.reference_density, "-", low=0.0)
    reference = scope.parameter("reference_velocity", aero.reference_velocity, "m/s", low=1e-3)
    wind = [scope.parameter(f"wind.{a}", getattr(aero.wind, a), "m/s", "where it goes to, world axes") for a in "xyz"]
    chassis = context.chassis
    wind_here = chassis.from_world(wind)
    ahead: list[Any] = [1.0, 0.0, 0.0]
    up: list[Any] = [0.0, 0.0, 1.0]
    if aero.frame == "road":
        up = list(context.ground.under(chassis, [0.0, 0.0, 0.0]).normal)
        flat = [1 - up[0] * up[0], -up[0] * up[1], -up[0] * up[2]]  # chassis x without its part along the normal
        length = (flat[0] ** 2 + flat[1] ** 2 + flat[2] ** 2) ** 0.5
        ahead = [f / length for f in flat]
    heights = []
    for name, sensor, axle in (("front", aero.front_sensor, 1), ("rear", aero.rear_sensor, 2)):
        centre = context.vehicle.wheel_centre(axle, "L")
        point = sensor.array if sensor is not None else [centre[0], 0.0, centre[2]]
        place = context.place(scope, f"{name}_sensor", point)
        height = context.ground.under(chassis, place).height
        context.channel(f"aero_forces.height_{name}", height, "m", "of the sensor above the road")
        if aero.ride_height_min is not None and aero.ride_height_max is not None:
            low = context.shared("aero.ride_height_min", aero.ride_height_min, "m", "for the maps")
            high = context.shared("aero.ride_height_max", aero.ride_height_max, "m", "for the maps")
            height = clip(height, low, high)
        heights.append(height)
    for name, direction in (("drag", [-a for a in ahead]), ("front_downforce", None), ("rear_downforce", None)):
        item = getattr(aero, name)
        if item is None or not item.active:
            continue
        own = scope.scope(name)
        place = context.place(own, "location", item.location.array)
        air = [v - w for v, w in zip(chassis.point_velocity(place), wind_here, strict=True)]
        speed = air[0] * ahead[0] + air[1] * ahead[1] + air[2] * ahead[2]
        base = context.curve(own, "force", aero.at_reference(name), heights) + own.parameter("shift", item.shift, "N")
        ratio = speed / reference
        squared = ratio * fabs(ratio) if name == "drag" else ratio * ratio  # drag turns round with the air
        force = own.parameter("scale", item.scale, "-") * density * base * squared
        time = own.parameter("smoothing_time", item.smoothing_time, "s", "of growth after the start", low=0.0)
        grown = if_else(time > 0, clip(context.system.time / fmax(time, 1e-9), 0.0, 1.0), 1.0)
        force = force * grown * grown * (3 - 2 * grown)
        direction = direction or [-n for n in up]
        context.system.force(chassis, [force * a for a in direction], at=place)
        channel = "drag_force" if name == "drag" else name
        context.channel(f"aero_forces.{channel}", force, "N", "drag rearwards, downforce downwards")
