"""What is allowed in a vehicle but looks unusual."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jounce.vehicle.schema import Element, Suspension, Vehicle, Wheels


def remarks(vehicle: Vehicle) -> list[str]:
    """Return a sentence for everything unusual, with its path."""
    found: list[str] = []
    for name in ("front_suspension", "rear_suspension"):
        found += [f"{name}.{text}" for text in _suspension(getattr(vehicle, name))]
    if vehicle.front_suspension.wheel_centre_x != 0:
        found.append(
            "front_suspension.wheel_centre_x: not 0; the vehicle reference frame begins at the front wheel centres"
        )
    for name in ("front_wheels", "rear_wheels"):
        found += [f"{name}.{text}" for text in _wheels(getattr(vehicle, name))]
    return found


def _wheels(wheels: Wheels) -> Iterator[str]:
    for path, data in (("", wheels), ("right.", wheels.right)):
        if data is not None and data.iyy < data.hub_spin_inertia:
            both = " of both tires" if data.twin is not None else ""
            yield (
                f"{path}iyy: {data.iyy:g} kg.m2, less than the spin inertia{both}, {data.hub_spin_inertia:g} kg.m2, "
                "which is a part of it"
            )


def _suspension(suspension: Suspension) -> Iterator[str]:
    for name in ("x", "y", "side_view_angle"):
        curve = getattr(suspension, name).curve
        if curve.is_table and abs(curve(0.0)) > 1e-9:
            yield f"{name}: {curve(0.0):.6g} {curve.units.y} at design, where this coordinate is zero by definition"
    if suspension.anti_roll_bar is not None and suspension.auxiliary_anti_roll is not None:
        yield "auxiliary_anti_roll: not used, the anti-roll bar takes its place"
    if suspension.spring is not None:
        yield from _ratio("spring", suspension.spring)
        if suspension.spring.force_at_design() < 0:
            yield "spring: pulls at design"
    for i, damper in enumerate(suspension.dampers):
        yield from _ratio(f"dampers[{i}]", damper)
        curve = damper.force
        if curve is None or not curve.is_table:
            continue
        power = curve.values * (np.array(curve.x)[:, None] if curve.z else np.array(curve.x))
        if (power < 0).any():
            yield f"dampers[{i}].force: force and speed differ in sign somewhere: there it drives instead of damping"
    for name in ("bump_stop", "rebound_stop"):
        stop = getattr(suspension, name)
        if stop is not None:
            yield from _ratio(name, stop)


def _ratio(path: str, element: Element) -> Iterator[str]:
    if element.ratio.is_table and abs(element.ratio(0.0)) > 1e-9:
        yield f"{path}.ratio: {element.ratio(0.0):.6g} {element.ratio.units.y} at design; it is taken off everywhere"
