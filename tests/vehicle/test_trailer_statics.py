"""Statics of a train by relaxation, from 200 mm too high, with helpers; what hangs on the body of a trailer."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from axle_lists import vehicle_of
from jounce.core.errors import StaticsError
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from suspended_rig import CAB, TWIST
from trains import car_trailer, raw_car, trailer

WHEELS = ("L1", "R1", "L2", "R2", "L3", "R3")
LOAD = "Tire.Ground_Surface_Force_Z"


def loads(sim: Simulation) -> np.ndarray:
    return np.array([sim.output(f"{LOAD}.{wheel}") for wheel in WHEELS])


@lru_cache
def exact() -> np.ndarray:
    description = car.describe(car_trailer())
    sim = car.simulation(description)
    settle(sim, description)
    return loads(sim)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"use_linear_damper": True, "linear_damper_rate_rear": 5000.0},
        {"brake_damping": 50.0},
        {"time_step": 0.0005},
    ],
    ids=["as it is", "linear dampers", "brake damping", "own step"],
)
def test_from_200_mm_too_high_it_comes_to_rest_within_the_abort_time(options: dict[str, Any]) -> None:
    changes = {f"system.statics.{name}": value for name, value in options.items()}
    description = car.describe(car_trailer().with_(**{"system.statics.abort_time": 60.0, **changes}))
    sim = car.simulation(description)
    found = settle(sim, description, method="relaxation", height=0.2)
    assert found.method == "relaxation"
    # at 1e-3 m/s2 of 3 t a load is known to some N of thousands; a slow roll or pitch is left
    assert loads(sim) == pytest.approx(exact(), rel=5e-3)


def test_an_abort_time_that_is_too_short_is_told() -> None:
    description = car.describe(car_trailer().with_(**{"system.statics.abort_time": 0.1}))
    with pytest.raises(StaticsError, match=r"0\.1 s of relaxation"):
        settle(car.simulation(description), description, method="relaxation", height=0.2)


def test_a_trailer_may_have_a_frame_that_twists_a_body_on_mounts_and_payloads() -> None:
    """Their weight is carried by its axle and the coupling, by the lever; no name of the car's is touched."""
    towed = trailer()
    towed["body"]["twist"] = {**TWIST, "station": -2.9}
    mounts = [{**m, "location": np.add(m["location"], [-3.5, 0.0, 0.5]).tolist()} for m in CAB["mounts"]]
    towed["body"]["suspended"] = [{**CAB, "cg": [-3.9, 0.03, 1.7], "mounts": mounts}]
    towed["body"]["cargo"] = {"front": -2.0, "length": 3.0, "width": 1.9, "floor": 0.6}
    towed["body"]["payloads"] = [
        {"name": "crate", "mass": 140.0, "location": [-2.7, 0.0, 1.0], "size": [0.6, 0.8, 0.5]}
    ]
    vehicle = vehicle_of({**raw_car(), "trailers": [towed]})
    description = car.describe(vehicle)
    sim = car.simulation(description)
    settle(sim, description)
    assert vehicle.mass() == pytest.approx(car_trailer().mass() + CAB["mass"] + 140.0, rel=1e-12)
    assert loads(sim).sum() == pytest.approx(vehicle.mass() * sim.parameter("gravity"), rel=1e-6)
    carried = sum(sim.output(f"unit2.bgs_data_{n}.FZ") for n in range(1, 5))
    assert carried == pytest.approx(CAB["mass"] * sim.parameter("gravity"), rel=0.03), "one mount leans by its axes"
    # moments about the coupling, all forces where they act now: axle load times its distance
    ball = sim.output("Hook_rear.Hook_X")
    arm = ball - 0.5 * (sim.output("Road.Contact_Patch_Global_X.L3") + sim.output("Road.Contact_Patch_Global_X.R3"))
    centre = ball - sim.output("unit2.System_Mass_Center.Global_X")
    mass = vehicle.mass() - _towing()
    weight = mass * sim.parameter("gravity")
    # its springs lean its wheels, so that the train rolls away by 1e-4 m/s2: what that takes acts above the ball
    above = sim.output("unit2.System_Mass_Center.Global_Z") - sim.output("Hook_rear.Hook_Z")
    rolls = mass * sim.output("unit2.System_Mass_Center.Global_Ax") * above
    assert abs(rolls) < 1e-5 * weight
    assert loads(sim)[4:].sum() == pytest.approx((weight * centre + rolls) / arm, rel=1e-6)


def _towing() -> float:
    return vehicle_of(raw_car()).mass()
