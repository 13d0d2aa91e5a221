"""Accelerations of the steering; the sequence of the carrier's rotations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from jounce.runtime.program import Open, Phase, Program, Sine
from jounce.runtime.simulation import Library
from steered_cars import DATA, Array, carrier_pose, in_the_air, rotation, system_of


def test_acceleration_of_the_steering_accelerates_the_wheel_centres(working: Library) -> None:
    """On a body too heavy to answer: difference of hub accelerations = q_u ü, q_u by differences of the place."""
    sim = in_the_air(working)
    sim.set_states({"chassis.wx": 0.0, "chassis.wz": 0.0})
    sim.set_parameters({"body.mass": 1e12, "body.ixx": 1e12, "body.iyy": 1e12, "body.izz": 1e12, "body.ixz": 0.0})
    hand, second = 2.0, 30.0
    names = [f"Wheel.hub_center_acc{a}.front_left" for a in "xyz"]
    found = []
    for value in (0.0, second):
        sim.set_inputs({"steering_wheel": hand, "steering_wheel.acceleration": value})
        found.append(np.array([sim.output(n) for n in names]))
    angles = {n: sim.output(f"wheel_angles.{n}_L1") for n in ("toe", "camber", "caster")}
    r = rotation("z", -angles["toe"]) @ rotation("x", -angles["camber"]) @ rotation("y", -angles["caster"])
    moved = []
    for h in (hand - 1e-4, hand + 1e-4):
        sim.set_inputs({"steering_wheel": h})
        moved.append(np.array([sim.output(f"Wheel.Global_{a}.L1") for a in "XYZ"]))
    slope = (moved[1] - moved[0]) / 2e-4
    difference = r @ (found[1] - found[0])
    assert np.linalg.norm(slope * second) > 0.01
    # along z the wheel answers by its travel: the map of steer knows it
    assert difference[:2] == pytest.approx(slope[:2] * second, abs=1e-6 * np.linalg.norm(slope * second))


def test_accelerations_are_rates_of_velocities_while_the_hand_moves(working: Library) -> None:
    sim = in_the_air(working)
    program = Program(Phase("wave", [Open("steering_wheel", Sine(3.0, 2.0, phase=0.4))], duration=0.1))
    run = sim.run(program=program, method="AM-4", step=0.0005, interval=0.0005)
    h = run.time[1] - run.time[0]
    for axis in "xy":
        v = run[f"Wheel.Global_V{axis}.L1"]
        rate = (v[:-4] - 8 * v[1:-3] + 8 * v[3:-1] - v[4:]) / (12 * h)
        a = np.array([run[f"Wheel.hub_center_acc{c}.front_left"] for c in "xyz"])[:, 2:-2]
        world = np.array([matrix @ column for matrix, column in zip(orientation(run, slice(2, -2)), a.T, strict=True)])
        # fourth-order differences: h⁴ ω⁵ v/30 is 1e-9 of v ω; wheels' spin and body add less
        assert np.abs(world[:, "xy".index(axis)] - rate).max() < 1e-5 * np.abs(rate).max()


def orientation(run: Any, part: slice) -> list[Array]:
    """Of the left front carrier in the world."""
    columns = [run[n][part] for n in (
        "chassis_displacements.yaw", "chassis_displacements.pitch", "chassis_displacements.roll",
        "wheel_angles.toe_L1", "wheel_angles.camber_L1", "wheel_angles.caster_L1",
    )]  # fmt: skip
    return [
        rotation("z", y) @ rotation("y", p) @ rotation("x", r)
        @ rotation("z", -toe) @ rotation("x", -camber) @ rotation("y", -sva)
        for y, p, r, toe, camber, sva in zip(*columns, strict=True)
    ]  # fmt: skip


def test_without_the_switch_there_is_no_such_input() -> None:
    names = [i.name for i in system_of(jv.load(DATA)).inputs]
    assert "steering_wheel.rate" in names and "steering_wheel.acceleration" not in names


@pytest.mark.parametrize(("sequence", "order"), [("3-1-2", "zxy"), ("3-2-1", "zyx")])
def test_carrier_rotations_by_explicit_matrices(sequence: str, order: str) -> None:
    zero = {f"rear_suspension.{n}": 0.0 for n in ("x", "y", "toe", "camber", "side_view_angle")}
    car = jv.load(DATA).with_(**zero, **{"system.carrier_rotation": sequence})
    car = car.with_(**{"rear_suspension.camber": 0.5, "rear_suspension.side_view_angle": 0.7})  # rad/m
    for place, side in (("L2", -1.0), ("R2", 1.0)):
        found = carrier_pose(car, place, **{"L2.jounce": 0.1, "R2.jounce": 0.1})[1]
        turns = {"z": rotation("z", 0.0), "x": rotation("x", side * 0.05), "y": rotation("y", -0.07)}
        expected = turns[order[0]] @ turns[order[1]] @ turns[order[2]]
        assert found == pytest.approx(expected, abs=1e-15)
        # the wheel plane meets the ground along ŝ × e_z: with 3-2-1 camber and side-view angle make 3.5 mrad of toe
        s = found[:, 1]
        steer = math.atan2(-s[0], s[1])
        assert abs(steer) == pytest.approx(0.0 if order == "zxy" else 3.5e-3, abs=5e-6 if order == "zyx" else 1e-15)
