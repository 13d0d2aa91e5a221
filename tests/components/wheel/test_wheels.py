"""Wheels and the tires of their files."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from cars import FORCE
from four_wheels import CORNERS
from jounce.sim import car


def test_each_axle_has_the_tire_of_its_file(plain_car: jv.Vehicle) -> None:
    vehicle = plain_car.with_(**{"rear_wheels.tire": "sedan_225_50r17"})
    tires = car.tires_of(vehicle)
    assert tires["L1"] is tires["R1"] and tires["L2"] is tires["R2"] and tires["L1"] is not tires["L2"]
    found = car.numbers(car.describe(vehicle))
    stiffness = [found[f"tire{i}.VERTICAL_STIFFNESS"]() for i in (1, 2)]
    assert stiffness == [tires[c].values["VERTICAL_STIFFNESS"] for c in ("L1", "L2")] and stiffness[0] != stiffness[1]
    # the load that a wheel of the car has is that of its tire alone at this deflection
    sim = car.simulation(plain_car, ground="inclined")
    for place in CORNERS:
        depth = sim.output(f"Tire.Effective_Penetration.{place}")
        assert sim.output(f"{FORCE}Z.{place}") == pytest.approx(float(tires["L1"].load(depth)), rel=1e-9)
