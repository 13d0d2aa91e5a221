"""The account of energy: every term is the integral of its power, written here from other channels."""

from __future__ import annotations

import numpy as np
import pytest

from axle_lists import one_axle, vehicle_of
from jounce.components.drive.energy import EnergyAccount
from jounce.sim import car

STEP = 0.001
WHEELS = ("L1", "R1")


def test_terms_along_the_road_are_integrals_of_force_times_speed() -> None:
    """One axle that is driven and braked at once, its wheels at different speeds; trapezoids of 1 ms against AB-2."""
    sim = car.simulation(car.describe(vehicle_of(one_axle()), parts=(EnergyAccount(),)))
    sim.set_states({"chassis.vx": 17.0, "L1.wheel.spin": 61.0, "R1.wheel.spin": 52.0})
    sim.set_inputs({"throttle": 0.31, "brake": 0.12})
    sim.advance(60)  # tires have settled
    begins = {name: sim.output(f"Energy.{name}") for name in ("drag", "rolling", "brakes", "hubs", "sources", "slip")}
    powers: dict[str, list[float]] = {name: [] for name in ("drag", "rolling", "brakes", "hubs")}
    for _ in range(401):
        spins = {w: sim.output(f"Wheel.Omega.{w}") for w in WHEELS}
        powers["drag"].append(sim.output("aero_forces.drag_force") * sim.state("chassis.vx"))
        powers["rolling"].append(-sum(sim.output(f"Tire.Ground_Surface_Moment_Y.{w}") * spins[w] for w in WHEELS))
        powers["brakes"].append(-sum(sim.output(f"Brake_Moment.{w}") * spins[w] for w in WHEELS))
        powers["hubs"].append(sum(sim.output(f"Wheel.Drive_Moment.{w}") * spins[w] for w in WHEELS))
        ends = {name: sim.output(f"Energy.{name}") for name in begins}
        sim.advance(1)
    for name, values in powers.items():
        found = ends[name] - begins[name]
        assert found == pytest.approx(np.trapezoid(values, dx=STEP), rel=1e-3), name
        assert found > 5.0, name
    assert ends["sources"] - begins["sources"] == pytest.approx(ends["hubs"] - begins["hubs"], rel=1e-12), "ideal drive"
    assert ends["slip"] > begins["slip"]
