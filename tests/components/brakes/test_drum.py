"""Drum brakes: the example of the specification, either way round, and data that would pull themselves tight."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from jounce.components.brakes.drum import DrumBrake
from jounce.core.errors import ParameterError
from jounce.sim import car

# panel values of the reference tool
DATA: dict[str, Any] = {
    "kind": "drum",
    "leading_shoes": 2,
    "mu": 0.35,
    "drum_radius": 0.210,
    "piston_area": 500e-6,
    "shoe_anchor_pin_to_cylinder": 0.280,
    "shoe_anchor_pin_to_shaft": 0.140,
    "shoe_anchor_pin_to_fulcrum": 0.150,
    "shoe_engagement_angle": math.radians(120),
}
PRESSURE = 6e6
HALF, LITERAL = (919.5, 358.7), (754.9, 330.5)  # N.m: leading and trailing, printed to a tenth


def rig(left: dict[str, Any], right: dict[str, Any] | None = None) -> jv.Vehicle:
    raw = one_axle()
    raw["axles"][0]["brake"] = copy.deepcopy(left) | ({} if right is None else {"right": right})
    raw["brakes"] = {"master_cylinder_pressure_gain": PRESSURE / 0.83}  # the share of this axle is 0.83
    return vehicle_of(raw)


def moments(vehicle: jv.Vehicle, spins: dict[str, float], demand: float = 1.0) -> dict[str, float]:
    sim = car.simulation(vehicle)
    sim.set_states({f"{place}.wheel.spin": spin for place, spin in spins.items()})
    sim.set_inputs({"brake": demand})
    return {place: sim.output(f"Brake_Moment.{place}") for place in spins}


@pytest.mark.parametrize(("literal", "expected"), [(False, HALF), (True, LITERAL)])
def test_moments_of_the_example_either_way_round(literal: bool, expected: tuple[float, float]) -> None:
    """Both shoes lead forwards and trail backwards; one of each is the same both ways."""
    leading, trailing = expected
    two = DATA | {"literal_engagement_angle": literal}
    found = moments(rig(two), {"L1": 31.0, "R1": -27.0})
    assert found["L1"] == pytest.approx(-2 * leading, abs=0.1)
    assert found["R1"] == pytest.approx(2 * trailing, abs=0.1)
    one = two | {"leading_shoes": 1}
    found = moments(rig(one), {"L1": 31.0, "R1": -27.0})
    assert found["L1"] == pytest.approx(-leading - trailing, abs=0.1)
    assert found["R1"] == pytest.approx(leading + trailing, abs=0.1)
    blind = moments(rig(two | {"direction": False}), {"L1": 31.0, "R1": -27.0})
    assert blind["R1"] == pytest.approx(2 * leading, abs=0.1), "without direction as the reference tool has it"


def test_moments_by_the_balance_of_a_shoe() -> None:
    """About the pin: F a ± c f = b n of a leading and a trailing shoe, with f = k mu n, M = f r."""
    left = DATA | {"mu": 0.29, "leading_shoes": 1}
    right = {"mu": 0.31, "drum_radius": 0.19, "shoe_engagement_angle": math.radians(97)}
    vehicle = rig(left, right)
    found = moments(vehicle, {"L1": 31.0, "R1": 44.0}, demand=0.37)
    for place, data in (("L1", left), ("R1", left | right)):
        half = data["shoe_engagement_angle"] / 2
        k = 4 * math.sin(half) / (2 * half + math.sin(2 * half))
        a, b, c = (data[f"shoe_anchor_pin_to_{end}"] for end in ("cylinder", "shaft", "fulcrum"))
        force, total = 0.37 * PRESSURE * data["piston_area"], 0.0
        for sign in (1, -1):  # leading, trailing: unknowns n and f
            _, f = np.linalg.solve([[b, -sign * c], [-k * data["mu"], 1.0]], [force * a, 0.0])
            total += f * data["drum_radius"]
        assert found[place] == pytest.approx(-total, rel=1e-9)
        brake = vehicle.brake(1, "L" if place == "L1" else "R")
        assert brake.full_moment(0.37 * PRESSURE) == pytest.approx(total, rel=1e-12)


def test_a_shoe_that_pulls_itself_tight_is_refused() -> None:
    k = 4 * math.sin(math.pi / 3) / (2 * math.pi / 3 + math.sin(2 * math.pi / 3))
    limit = k * 0.35 * 0.150
    DrumBrake.model_validate(DATA | {"shoe_anchor_pin_to_shaft": 1.001 * limit})
    vehicle = rig(DATA)
    with pytest.raises(ParameterError, match=r"(?s)shoe_anchor_pin_to_shaft.*pull itself tight.*0\.0614"):
        vehicle.with_(**{"axles[0].brake.shoe_anchor_pin_to_shaft": 0.999 * limit})
    with pytest.raises(ParameterError, match="leading_shoes"):
        vehicle.with_(**{"axles[0].brake.leading_shoes": 3})


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_drum_holds_a_wheel_that_is_pushed_either_way(way: float) -> None:
    """In the air, pushed with less than it bears that way, the wheel stands; with more it turns."""
    vehicle = rig(DATA)
    names = ("Wheel_driving.moment.L1", "Wheel_driving.moment.R1")
    sim = car.simulation(car.describe(vehicle, ground="inclined", inputs=names))
    sim.set_parameters({"ground.height": -50.0})
    bears = 0.5 * 2 * (HALF[0] if way > 0 else HALF[1])
    for share, stands in ((0.97, True), (1.03, False)):
        sim.restart()
        sim.set_states({"L1.wheel.spin": 0.0, "R1.wheel.spin": 0.0})
        sim.set_inputs({"brake": 0.5, **dict.fromkeys(names, way * share * bears)})
        sim.run(0.3)
        for place in ("L1", "R1"):
            assert (abs(sim.state(f"{place}.wheel.spin")) < 0.1) is stands
            assert sim.output(f"Locked_Switch.{place}") == (1.0 if stands else 0.0)
            torque = share * bears if stands else bears
            assert sim.output(f"Brake_Moment.{place}") == pytest.approx(-way * torque, rel=5e-3)
