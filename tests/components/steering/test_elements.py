"""What steering does to elements of its axle, and they to it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from car_models import rates
from jounce.components.steering.steering import Steering
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.vehicle.kingpin import instant_axis
from polynomial_cars import ANGLE, TRAVEL, table

SPRING = lambda u, j: 0.004 * u + 0.0011 * u**2 - 0.02 * u * j  # noqa: E731
DAMPER = lambda u, j: -0.003 * u + 0.0007 * u**2 + 0.03 * u * j  # noqa: E731
FORCE = lambda u, j: 130.0 * u - 21.0 * u**2 + 900.0 * u * j  # noqa: E731
SWING = lambda u, j: 0.006 * u + 0.002 * u**2 + 0.05 * j  # noqa: E731
ENDS = {"upright": [0.02, 0.61, 0.30], "chassis": [-0.03, 0.52, 0.85]}
KINGPIN = {"caster": math.radians(5), "inclination": math.radians(11), "x": -0.006, "y": -0.07, "z": 0.04}
WHEELS = {"L1": 1.0, "R1": -1.0}


@lru_cache
def vehicle() -> jv.Vehicle:
    raw = one_axle()
    raw["system"] = {**raw.get("system", {}), "splines": {"method": "cubic"}}
    raw["axles"][0]["steering"] |= {
        "kingpin": KINGPIN,
        "feedback": {"method": "virtual_work"},
        "elements": {
            "spring": table(SPRING, ANGLE, TRAVEL),
            "damper": table(DAMPER, ANGLE, TRAVEL),
            "anti_roll": table(FORCE, ANGLE, TRAVEL),
        },
        "attachments": {"bump_stop": {**ENDS, "y": table(SWING, ANGLE, TRAVEL), "z": {"rate": 0.004}}},
    }
    return vehicle_of(raw)


def put(**changes: float) -> Simulation:
    """The axle in the air, moving."""
    sim = car.simulation(vehicle())
    sim.set_parameters({"ground.height": -5.0, **changes})
    sim.set_inputs({"steering_wheel": 1.7, "steering_wheel.rate": -2.3})
    sim.set_states({"L1.jounce": 0.031, "R1.jounce": -0.022, "L1.jounce.rate": 0.4, "R1.jounce.rate": -0.7})
    return sim


def off(*names: str) -> dict[str, float]:
    return {f"{c}.steering.elements.{name}.scale": 0.0 for c in WHEELS for name in names}


TRAVELS = {"L1": (0.031, 0.4), "R1": (-0.022, -0.7)}


def test_steering_adds_to_deflections_and_their_rates() -> None:
    scale = put().parameter("steering.gear_ratio_scale")
    here, without = put(), put(**off("spring", "damper"))
    for wheel, side in WHEELS.items():
        u, (j, v) = side * 1.7 / scale, TRAVELS[wheel]  # on the right as the left wheel at -u
        for name, g in (("Spring", SPRING), ("Damper", DAMPER)):
            moved = here.output(f"{name}.Jounce.{wheel}") - without.output(f"{name}.Jounce.{wheel}")
            assert moved == pytest.approx(g(u, j), rel=1e-9)
        h = 1e-6
        slope_u = (DAMPER(u + h, j) - DAMPER(u - h, j)) / (2 * h)
        slope_j = (DAMPER(u, j + h) - DAMPER(u, j - h)) / (2 * h)
        rate = here.output(f"Damper.Jounce_Rate.{wheel}") - without.output(f"Damper.Jounce_Rate.{wheel}")
        assert rate == pytest.approx(slope_u * side * -2.3 / scale + slope_j * v, rel=1e-7)


def test_what_elements_do_to_the_hand_wheel_is_their_virtual_work() -> None:
    """Power of the forces along the added deflections is that at the hand wheel and at the travels."""
    scale = put().parameter("steering.gear_ratio_scale")
    torque = "Steering_System.Steering_Wheel_Torque_load"
    found = put().output(torque) - put(**off("spring", "damper")).output(torque)
    expected = 0.0
    for wheel, side in WHEELS.items():
        u, (j, _) = side * 1.7 / scale, TRAVELS[wheel]
        h = 1e-6
        for name, g in (("Spring", SPRING), ("Damper", DAMPER)):
            slope = side * (g(u + h, j) - g(u - h, j)) / (2 * h)
            expected -= put().output(f"{name}.Force_At_{name}.{wheel}") * slope / scale  # compression positive
    assert found == pytest.approx(expected, rel=1e-7)
    assert abs(expected) > 1.0


def test_anti_roll_forces_change_with_the_steering_on_each_side() -> None:
    here, without = put(), put(**off("anti_roll"))
    scale = here.parameter("steering.gear_ratio_scale")
    changed = {name: rate - rates(without)[name] for name, rate in rates(here).items()}
    for wheel, side in WHEELS.items():
        force = FORCE(side * 1.7 / scale, TRAVELS[wheel][0])
        assert here.output(f"Steering_System.Anti_Roll_Force.{wheel}") == pytest.approx(force, rel=1e-9)
        assert without.output(f"Steering_System.Anti_Roll_Force.{wheel}") == 0.0
        # upwards on the wheel; the body moves the other way, so a bit more than F/m of the carrier
        mass = vehicle().layout.axles[0].data.wheels_on("L" if side > 0 else "R").unsprung_mass
        assert 0.9 < changed[f"{wheel}.jounce.rate"] * mass / force < 1.6


def test_an_element_on_the_upright_turns_it_by_lever_times_force() -> None:
    sim = car.simulation(vehicle())
    sim.set_parameters({"ground.height": -5.0, "L1.bump_stop.clearance": -0.02, "R1.bump_stop.clearance": -0.03})
    # carriers that do not turn, so that only the J points move with the steering
    sim.set_parameters({f"{c}.steering.steer.scale": 0.0 for c in WHEELS})
    sim.set_inputs({"steering_wheel": 1.7})
    u = 1.7 / sim.parameter("steering.gear_ratio_scale")
    for wheel, side in WHEELS.items():
        place = vehicle().layout.wheels[wheel]
        mirror = np.array([1.0, side, 1.0])
        top, bottom = (mirror * np.array(ENDS[name]) for name in ("chassis", "upright"))
        top = top + mirror * np.array([0.0, SWING(side * u, 0.0), side * 0.004 * u])
        force = sim.output(f"Jounce_Bumper.Force_At_Bumper.{wheel}")
        assert force > 100.0
        pushed = force * (bottom - top) / np.linalg.norm(bottom - top)
        axis = np.array([-math.tan(KINGPIN["caster"]), -side * math.tan(KINGPIN["inclination"]), 1.0])
        on_axis = place.centre + np.array([KINGPIN["x"], side * KINGPIN["y"], KINGPIN["z"]])
        expected = axis @ np.cross(bottom - on_axis, pushed) / np.linalg.norm(axis)
        word = "Left" if side > 0 else "Right"
        found = sim.output(f"Kingpin_Contribute_Front_{word}.Bumpstop")
        assert found == pytest.approx(expected, rel=1e-6) and abs(found) > 0.1
        shares = [v.name for v in sim.model.outputs if v.name.startswith(f"Kingpin_Contribute_Front_{word}.")]
        total = sum(sim.output(name) for name in shares)
        assert sim.output(f"Wheel.Kingpin_Moment.{wheel}") == pytest.approx(total, rel=1e-12)


def test_the_axis_of_a_steered_strut_rises_with_its_spring_locked() -> None:
    """The springs' part of the steering tells how far a wheel rises: the axis from the maps has it."""
    axis = instant_axis(vehicle(), "L", 0.5, 0.01)
    assert axis is not None
    spring = vehicle().layout.axles[0].data.suspension.spring
    h = 1e-6
    slope = (SPRING(0.5 + h, 0.01) - SPRING(0.5 - h, 0.01)) / (2 * h)
    along = (SPRING(0.5, 0.01 + h) - SPRING(0.5, 0.01 - h)) / (2 * h)
    ratio = (spring.deflection(0.01 + h) - spring.deflection(0.01 - h)) / (2 * h)
    assert axis.travel == pytest.approx(-slope / (ratio + along), rel=1e-5)


def test_an_element_counts_once() -> None:
    data: Any = {"elements": {"spring": {"rate": 0.001}}, "attachments": {"spring": ENDS}, "steer": {"rate": 0.06}}
    with pytest.raises(ValidationError, match="has its load by virtual work"):
        Steering.model_validate(data)
    data |= {"elements": None, "feedback": {"method": "maps", "torque": {"rate": 0.05}}}
    assert [key for key, _ in Steering.model_validate(data).remarks()] == ["attachments"], "maps may have it as well"
