"""A truck whose rear axles have no springs of their own but those that their group shares."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from axle_lists import vehicle_of
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics
from trains import lead

RATE, PRELOAD = 57e3, 9100.0


def raw(kind: str = "walking_beam", axles: int = 2, **changes: Any) -> dict[str, Any]:
    """A truck whose rear axles have no springs of their own."""
    found = lead(axles + 1)
    for i, axle in enumerate(found["axles"][1:]):
        axle["group"] = i > 0
        for name in ("spring", "bump_stop", "rebound_stop", "auxiliary_anti_roll", "anti_roll_bar"):
            axle["suspension"].pop(name, None)
        for name in ("x", "y", "toe", "camber", "side_view_angle"):
            axle["suspension"][name] = {"curve": 0}  # straight up: nothing but springs between load and lever
    found["axles"][1]["equalizer"] = {"kind": kind, "rate": RATE, "preload": PRELOAD, "damping": 3000.0, **changes}
    return found


@lru_cache
def description(kind: str, axles: int) -> car.Description:
    more = {"share": 0.43} if kind == "walking_beam" else {}
    return car.describe(vehicle_of(raw(kind, axles, **more)), road_inputs=True)


def settled(kind: str, axles: int, **heights: float) -> Simulation:
    sim = car.simulation(description(kind, axles))
    sim.set_inputs({f"road.{wheel}": value for wheel, value in heights.items()})
    statics.settle(sim, description(kind, axles))
    return sim


def borne(sim: Simulation, axle: int) -> float:
    """By the springs of an axle: the load of its wheels less their weight."""
    unsprung = sum(sim.parameters[f"{side}{axle}.unsprung_mass"] for side in "LR") * sim.parameter("gravity")
    return sum(sim.output(f"Tire.Ground_Surface_Force_Z.{side}{axle}") for side in "LR") - unsprung
