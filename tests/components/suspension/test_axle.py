"""Where an axle is: track, wheelbase, inclination to the road."""

from __future__ import annotations

import math

import pytest

import jounce.vehicle as jv
from cars import plain
from four_wheels import CORNERS
from jounce.sim import car


def test_contacts_are_a_track_and_a_wheelbase_apart(plain_car: jv.Vehicle) -> None:
    vehicle = plain_car.with_(**plain(plain_car))
    sim = car.simulation(vehicle, ground="inclined")
    at = {c: [sim.output(f"Road.Contact_Patch_Global_{a}.{c}") for a in "XYZ"] for c in CORNERS}
    for axle in (1, 2):
        assert at[f"L{axle}"][1] - at[f"R{axle}"][1] == pytest.approx(vehicle.suspension(axle).track, abs=1e-12)
        assert at[f"L{axle}"][2] == pytest.approx(0.0, abs=1e-12)
    assert at["L1"][0] - at["L2"][0] == pytest.approx(vehicle.wheelbase, abs=1e-12)


def test_a_bank_appears_in_the_inclination_of_the_wheels(plain_car: jv.Vehicle) -> None:
    """A road whose left side is up by β: upright wheels lean to the left of its normal."""
    sim = car.simulation(plain_car, ground="inclined")
    before = {c: sim.output(f"Wheel.Inclination.{c}") for c in CORNERS}
    bank = math.radians(4.0)
    sim.set_parameters({"ground.bank": math.tan(bank)})
    for place, value in before.items():
        assert sim.output(f"Wheel.Inclination.{place}") == pytest.approx(value - bank, abs=1e-5)  # toe of some mrad
        outward = 1.0 if place.startswith("L") else -1.0  # camber: top outwards
        gain = sim.output(f"wheel_angles.camber_wrt_road_{place}") - sim.output(f"wheel_angles.camber_{place}")
        assert gain == pytest.approx(outward * bank, abs=1e-5)
