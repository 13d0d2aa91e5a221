"""What controllers know of their car: figures of the single-track model, found by a turn at the start of a run.

With a small hand wheel angle ±δ held for some seconds the car runs on circles; both ways together,

    S + U v² = 2 v δ/(ψ̇_l − ψ̇_r)                                                                                  (1)

S, the hand wheel angle per curvature at low speed, follows from the steering; so U. Controllers are off meanwhile, and
the simulation is left as it was.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from jounce.core.errors import JounceError
from jounce.sim.steady import roll

if TYPE_CHECKING:
    from jounce.events.start import Start

SPEED = 22.0  # m/s
SMALL = 1.5  # m/s2, of the lateral acceleration of a neutral car
SECONDS = 3.0
CHANNELS = ("chassis_velocities.yaw", "chassis_velocities.longitudinal")


def identify(start: Start) -> None:
    """Give every controller that asks for it the figures of its car."""
    asking = {name: part for name, part in _controllers(start) if getattr(part, "own_figures", False)}
    if not asking or start.description.places[0].steered is None:
        return
    per_curvature = start.steering_per_curvature
    if math.isnan(per_curvature):
        start.warnings.append("controllers have the steering ratio and understeer of a usual car")
        return
    try:
        understeer = _understeer(start, per_curvature, [f"{name}.active" for name in asking])
    except JounceError as found:
        start.warnings.append(f"controllers have the understeer of a usual car: {found}")
        return
    for name, part in asking.items():
        numbers = part.figures_of(per_curvature, understeer)
        given = {f"{name}.{key}": value for key, value in numbers.items()}
        start.sim.set_parameters({key: v for key, v in given.items() if key not in start.options.parameters})


def _controllers(start: Start) -> list[tuple[str, Any]]:
    """Controllers of the car and of the run, with the names of their numbers."""
    from jounce.vehicle.assembly import placed

    place = start.description.places[0]
    items = placed(place, start.description.further.get(place.prefix, ()))
    return [(item.prefix.rstrip("."), item.part) for item in items if getattr(item.part, "family", "") == "controller"]


def _understeer(start: Start, per_curvature: float, switches: list[str]) -> float:
    """U (1)."""
    sim = start.sim
    here = sim.snapshot()
    active = {name: sim.parameters[name] for name in switches if name in sim.parameters}
    turned = per_curvature * SMALL / SPEED**2
    found = []
    try:
        sim.set_parameters(dict.fromkeys(active, 0.0))
        for side in (1.0, -1.0):
            sim.restore(here)
            roll(sim, start.description, SPEED)
            run = start.held(SECONDS, {"steering_wheel": side * turned}, channels=CHANNELS)
            found.append([float(run[name][-1]) for name in CHANNELS])
    finally:
        sim.restore(here)
        sim.set_parameters(active)
    (left, v_left), (right, v_right) = found
    v = 0.5 * (v_left + v_right)
    if left <= right:
        raise JounceError("the car does not turn as it is steered")
    return float((2 * v * turned / (left - right) - per_curvature) / v**2)
