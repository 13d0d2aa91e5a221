"""A rig for limits of tires: a body over one axle that slides sideways on the road."""

from __future__ import annotations

from functools import lru_cache

from axle_lists import one_axle, vehicle_of
from jounce.runtime.simulation import Simulation
from jounce.sim import car


@lru_cache
def rig() -> car.Description:
    raw = one_axle()
    raw["sensors"] = [{"kind": "tire_limits"}]
    raw["forces"] = [{"kind": "tire_scrub", "slip_threshold": 0.5, "full_load": 2500.0}]
    return car.describe(vehicle_of(raw))


def cornering(slip: float = 0.1) -> Simulation:
    """The axle on the road at a speed, sliding to the left: forces to the right."""
    sim = car.simulation(rig())
    sim.set_states({"chassis.vx": 20.0, "chassis.vy": 20.0 * slip})
    for c in ("L1", "R1"):
        sim.set_states(
            {f"{c}.jounce": 0.012, f"{c}.wheel.spin": 20.0 / sim.output(f"Tire.Effective_Rolling_Radius.{c}")}
        )
        sim.set_states({f"{c}.tire.v": 0.02})
    sim.set_states({"chassis.z": sim.state("chassis.z") - 0.02})
    return sim
