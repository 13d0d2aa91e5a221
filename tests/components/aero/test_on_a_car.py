"""The air on a whole car: axle loads by hand, steady running, statics, frames."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import air_rig
import jounce.vehicle as jv
from car_models import outputs
from cars import compact, plain
from four_wheels import CORNERS
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily

FRONT, REAR, CENTER = (0.07, 0.0, 0.31), (-2.71, 0.0, 0.42), (-1.23, 0.0, 0.63)
AERO: dict[str, Any] = {
    "kind": "advanced", "air_density": 1.2, "frontal_area": 2.0, "front_location": FRONT, "rear_location": REAR,
    "center_location": CENTER, "cz": 0.9, "balance": 0.37, "cx_body": 0.3, "in_statics": True,
}  # fmt: skip
SPEED = 41.0


@lru_cache
def described(in_statics: bool = True, frame: str = "road") -> car.Description:
    base = compact()
    vehicle = base.with_(aero={**AERO, "in_statics": in_statics, "frame": frame}, **plain(base))
    return car.describe(vehicle, ground="inclined")


def running(numbers: Mapping[str, float]) -> Simulation:
    sim = car.simulation(described())
    sim.set_parameters(dict(numbers))
    settle(sim, described())
    run_steadily(sim, described(), SPEED)
    return sim


def axle_loads(sim: Simulation) -> tuple[float, float]:
    loads = {c: sim.output(f"Tire.Ground_Surface_Force_Z.{c}") for c in CORNERS}
    return loads["L1"] + loads["R1"], loads["L2"] + loads["R2"]


def by_hand(sim: Simulation) -> tuple[float, float]:
    """Loads of both axles from weight, air, and the other forces and moments at the contacts, by the lever."""
    found = outputs(sim)
    vehicle = described().vehicles[""]
    weight = vehicle.mass() * vehicle.system.gravity
    drag, torque = found["aero_forces.drag_force"], found["aero_forces.drag_torque"]
    down = {point: found[f"aero_forces.{word}_downforce"] for point, word in ((FRONT, "front"), (REAR, "rear"))}
    r = np.array([sim.state(f"chassis.e{i}") for i in range(4)])
    pitch = 2 * math.asin(r[2] / np.linalg.norm(r))
    origin = np.array([sim.state(f"chassis.{a}") for a in "xyz"])
    centre = vehicle.main_body.sprung()[0][1]
    height = sim.parameters["aero.center_location.z"]  # from the origin of the body
    along = {point: _along(origin, np.subtract(point, centre), pitch)[0] for point in down}
    above = _along(origin, np.array([CENTER[0] - centre[0], 0.0, height]), pitch)[1]
    # about the y axis of the world: z F_x − x F_z + M_y of all but the loads
    moment = torque - above * drag + weight * found["System_Mass_Center.Global_X"]
    moment += sum(along[point] * force for point, force in down.items())
    moment += sum(found[f"Tire.Ground_Surface_Moment_Y.{c}"] for c in CORNERS)
    front, rear = (0.5 * sum(found[f"Road.Contact_Patch_Global_X.{side}{axle}"] for side in "LR") for axle in (1, 2))
    total = weight + sum(down.values())
    share = (moment - rear * total) / (front - rear)
    return share, total - share


def _along(origin: Any, local: Any, pitch: float) -> tuple[float, float]:
    """x and z of a point of the body."""
    x, z = local[0], local[2]
    c, s = math.cos(pitch), math.sin(pitch)
    return origin[0] + x * c + z * s, origin[2] - x * s + z * c


def test_loads_of_steady_running_are_those_by_hand() -> None:
    """To 1e-6; and the tires push as much as the air drags."""
    sim = running({})
    found, q = outputs(sim), 0.5 * 1.2 * 2.0 * SPEED**2
    assert found["aero_forces.drag_force"] == pytest.approx(0.3 * q, rel=1e-4)  # along the road: 1/cos² of the pitch
    assert found["aero_forces.front_downforce"] == pytest.approx(0.9 * 0.37 * q, rel=1e-4)
    assert axle_loads(sim) == pytest.approx(by_hand(sim), rel=1e-6)
    pushed = sum(found[f"Tire.Ground_Surface_Force_X.{c}"] for c in CORNERS)
    assert pushed == pytest.approx(found["aero_forces.drag_force"], rel=1e-6)


def test_axle_loads_do_not_depend_on_the_height_of_the_drag_point() -> None:
    """The drag arm is compensated at the road; without compensation the arm moves load to the rear."""
    low, high = (running({"aero.center_location.z": z}) for z in (0.1, 0.5))
    assert high.output("aero_forces.drag_arm") - low.output("aero_forces.drag_arm") == pytest.approx(0.4, rel=1e-3)
    assert axle_loads(high) == pytest.approx(axle_loads(low), rel=1e-6)
    bare = running({"aero.center_location.z": 0.5, "aero.modifiers.pitch.scale": 0.0})
    vehicle = described().vehicles[""]
    moved = bare.output("aero_forces.drag_force") * bare.output("aero_forces.drag_arm") / vehicle.wheelbase
    assert axle_loads(bare)[1] - axle_loads(high)[1] == pytest.approx(moved, rel=0.05)  # the mass moves with the pitch
    assert axle_loads(bare) == pytest.approx(by_hand(bare), rel=1e-6)


def test_air_in_statics_loads_the_axles_by_the_lever() -> None:
    """A standing car in head wind without drag: downforce on both axles; none where the flag is off."""
    loads = {}
    for flag in (True, False):
        sim = car.simulation(described(flag))
        sim.set_parameters({"aero.wind.x": -33.0, "aero.cx_body.value": 0.0})
        settle(sim, described(flag))
        if flag:
            assert axle_loads(sim) == pytest.approx(by_hand(sim), rel=1e-6)
        loads[flag] = axle_loads(sim)
    q = 0.5 * 1.2 * 2.0 * 33.0**2
    base = described().vehicles[""].wheelbase
    front = q * 0.9 * (0.37 * (FRONT[0] + base) + 0.63 * (REAR[0] + base)) / base
    moved = np.subtract(loads[True], loads[False])
    assert moved.sum() == pytest.approx(q * 0.9, rel=1e-6)
    assert moved[0] == pytest.approx(front, rel=0.02)  # the mass moves with the pitch


@pytest.mark.slow
@pytest.mark.parametrize("frame", ["road", "chassis"])
def test_a_newton_at_the_front_loads_the_front_axle_by_the_lever(frame: str) -> None:
    """Added downforce at the front point of a standing car, in both frames; the body settles under it."""
    description = car.describe(described(True, frame).vehicles[""], inputs=["Aerodynamic.fz_front"])
    sim = car.simulation(description)
    settle(sim, description)
    sim.advance(2000)
    before = axle_loads(sim)
    sim.set_inputs({"Aerodynamic.fz_front": -1.0})
    sim.advance(6000)
    base = described().vehicles[""].wheelbase
    moved = np.subtract(axle_loads(sim), before)
    assert moved.sum() == pytest.approx(1.0, rel=1e-3)
    assert moved[0] == pytest.approx((FRONT[0] + base) / base, rel=0.02)  # the mass moves with the pitch


@pytest.mark.parametrize("grade", [0.0, 0.12])
def test_forces_follow_the_road_or_the_chassis(grade: float) -> None:
    """A body pitched by 5° against the road: directions of the drag differ by 5°; along the road it has no part of the
    normal. Force by the acceleration of the whole mass, tires off the ground."""
    angles = {}
    for frame in ("road", "chassis"):
        body = air_rig.rig({**AERO, "frame": frame})  # over one axle: nothing else pushes
        sim = car.simulation(air_rig.described(body))
        turn = math.radians(5.0) - math.atan(grade)  # nose down positive, uphill is nose up
        sim.set_parameters({"aero.cz.value": 0.0, "aero.modifiers.pitch.scale": 0.0, "ground.grade": grade})
        sim.set_states({"chassis.z": 5.0, "chassis.vx": 50.0})
        sim.set_states({"chassis.e0": math.cos(turn / 2), "chassis.e2": math.sin(turn / 2)})

        def acceleration() -> np.ndarray[Any, Any]:
            return np.array([sim.output(f"System_Mass_Center.Global_A{a}") for a in "xz"])  # noqa: B023

        with_air = acceleration()
        sim.set_parameters({"aero.active": 0.0})
        force = with_air - acceleration()
        size = body.mass() * np.linalg.norm(force)
        expected = 0.5 * 1.2 * 2.0 * 0.3 * (50.0 * (math.cos(math.radians(5.0)) if frame == "road" else 1.0)) ** 2
        assert size == pytest.approx(expected, rel=1e-9)
        angles[frame] = math.degrees(math.atan2(-force[1], -force[0]))  # of the direction of travel, upwards
    assert angles["road"] == pytest.approx(math.degrees(math.atan(grade)), abs=1e-9)
    assert angles["road"] - angles["chassis"] == pytest.approx(5.0, abs=1e-9)


@pytest.mark.slow
def test_a_car_with_a_wind_tunnel_table_reaches_steady_running_in_cross_wind() -> None:
    """Side force, roll and yaw moments are held by the tires: their sum is the side force of the table."""
    yaw = {"x": [-0.5, 0.0, 0.5], "y": [1.4, 0.0, -1.4]}
    turning = {"x": [-0.5, 0.0, 0.5], "y": [0.2, 0.0, -0.2]}
    lifts = {"front_lift": 0.05, "rear_lift": 0.08}
    aero = {"kind": "wind_tunnel", "frontal_area": 2.1, "drag": 0.31, "side": yaw, **lifts, "yaw": turning}
    aero["wind"] = {"y": 7.0}
    vehicle = jv.load("sedan").with_(aero=aero, **{"steering.rack_pinion": None})
    description = car.describe(vehicle)
    sim = car.simulation(description)
    settle(sim, description)
    running_at = run_steadily(sim, description, 30.0)
    found = outputs(sim)
    assert found["aero_forces.side_slip"] < 0 and found["aero_forces.center_sideforce"] > 100  # wind to the left
    across = running_at.yaw_rate * 30.0 * vehicle.mass()  # on its wide circle
    tires = sum(found[f"Tire.Ground_Surface_Force_Y.{c}"] for c in CORNERS)
    assert tires + found["aero_forces.center_sideforce"] == pytest.approx(across, rel=0.02, abs=20.0)
