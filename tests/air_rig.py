"""A body over one axle in the air, and what it should feel there: kinematics and forces in plain numpy.

Nothing here is taken from the package but the states of a simulation, the steer angles of its wheels and the place of
the centre of gravity. Forces become one force and one moment at the centre of gravity, which the loads of a run
(``Ext_Body``) put on the body of the same model without built-in air: the rates of all states must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from axle_lists import one_axle, vehicle_of
from car_models import outputs, rates
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.vehicle import Vehicle
from models import rotation_matrix

Array = npt.NDArray[np.float64]

FLAG = "Subsystem_Activation.Internal_Aero_Activity"
LOADS = tuple(f"Ext_Body.{kind}.{axis}" for kind in ("force", "moment") for axis in "XYZ")
AXES = "xyz"
GRADE, BANK, HEIGHT = 0.07, -0.043, 0.013

# both directions, another heading, turned, all numbers different; speeds m/s and rad/s in axes of the body
MOTIONS: tuple[dict[str, float], ...] = (
    {"x": 3.1, "y": -2.3, "z": 0.61, "roll": 0.031, "pitch": 0.022, "yaw": 0.6, "vx": 47.0, "vy": 3.9, "vz": 0.7,
     "wx": 0.3, "wy": -0.2, "wz": 0.41, "steering_wheel": 0.7},
    {"x": -13.0, "y": 7.7, "z": 0.57, "roll": -0.024, "pitch": -0.017, "yaw": -2.2, "vx": 33.0, "vy": -4.6, "vz": -0.5,
     "wx": -0.4, "wy": 0.17, "wz": -0.29, "steering_wheel": -0.9},
    {"x": 0.7, "y": 1.9, "z": 0.66, "roll": -0.011, "pitch": 0.009, "yaw": 1.9, "vx": -9.0, "vy": 1.3, "vz": 0.2,
     "wx": 0.1, "wy": 0.23, "wz": 0.13, "steering_wheel": 0.3},
)  # fmt: skip


def turned(motion: Mapping[str, float]) -> Array:
    """Quaternion of yaw, then pitch (nose down), then roll."""

    def about(axis: int, angle: float) -> Array:
        q = np.zeros(4)
        q[0], q[1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
        return q

    def times(a: Array, b: Array) -> Array:
        return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])

    return times(times(about(2, motion["yaw"]), about(1, motion["pitch"])), about(0, motion["roll"]))


def rig(aero: Mapping[str, Any], **changes: Any) -> Vehicle:
    raw = one_axle()
    raw["aero"] = dict(aero)
    raw.setdefault("system", {}).setdefault("splines", {})["method"] = "linear"
    vehicle = vehicle_of(raw)
    return vehicle.with_(**changes) if changes else vehicle


def described(vehicle: Vehicle, *inputs: str) -> car.Description:
    return car.describe(vehicle, ground="inclined", inputs=(*LOADS, FLAG, *inputs))


def simulation(description: car.Description, motion: Mapping[str, float], time: float = 0.0) -> Simulation:
    """The rig in a motion over an inclined plane."""
    sim = car.simulation(description)
    sim.restart(time)
    move(sim, motion)
    return sim


def place(motion: Mapping[str, float]) -> Array:
    """Where the centre of gravity is: ``z`` of a motion is above the plane below it."""
    x, y = motion["x"], motion["y"]
    return np.array([x, y, HEIGHT + GRADE * x + BANK * y + motion["z"]])


def move(sim: Simulation, motion: Mapping[str, float]) -> None:
    sim.set_parameters({"ground.grade": GRADE, "ground.bank": BANK, "ground.height": HEIGHT})
    states = {f"chassis.{name}": motion[name] for name in ("vx", "vy", "vz", "wx", "wy", "wz")}
    states |= {f"chassis.{axis}": float(value) for axis, value in zip(AXES, place(motion), strict=True)}
    states |= {f"chassis.e{i}": float(e) for i, e in enumerate(turned(motion))}
    sim.set_states(states)
    sim.set_inputs({"steering_wheel": motion["steering_wheel"]})


class Seen:
    """What the air does see of a rig: axes, heights, speeds, angles."""

    def __init__(self, vehicle: Vehicle, sim: Simulation, motion: Mapping[str, float], frame: str = "road") -> None:
        self.found = outputs(sim)
        self.r = rotation_matrix(turned(motion))
        self.at = place(motion)
        self.v, self.w = (np.array([motion[f"{k}{a}"] for a in AXES]) for k in ("v", "w"))
        self.centre = vehicle.main_body.sprung()[0][1]
        normal = np.array([-GRADE, -BANK, 1.0])
        self.world_normal = normal / np.linalg.norm(normal)
        self.n = self.r.T @ self.world_normal  # axes of the body
        self.up, self.ahead = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
        if frame == "road":
            self.up = self.n
            along = self.ahead - self.n[0] * self.n
            self.ahead = along / np.linalg.norm(along)
        self.left = np.cross(self.up, self.ahead)
        self.pitch = -np.arcsin(self.n[0])
        self.roll = np.arctan(self.n[1] / self.n[2])
        self.steer = np.mean([self.found[f"Wheel.Spindle_Steer.{side}1"] for side in "LR"])

    def world(self, point: Any) -> Array:
        """A point of the vehicle frame at design, where it is now."""
        place: Array = self.at + self.r @ (np.asarray(point) - self.centre)
        return place

    def height(self, point: Any) -> float:
        """Over the road, along its normal."""
        return float((self.world(point) - np.array([0.0, 0.0, HEIGHT])) @ self.world_normal)

    def height_level(self, point: Any) -> float:
        """The same over the level ground z = 0."""
        return float(self.world(point)[2])

    def through_air(self, point: Any, wind: Any) -> Array:
        """Velocity of a point less the wind (world axes), along x, y, z of the frame."""
        v = self.v + np.cross(self.w, np.asarray(point) - self.centre) - self.r.T @ np.asarray(wind, dtype=float)
        return np.array([v @ self.ahead, v @ self.left, v @ self.up])

    def load(self, forces: Mapping[Any, Any], moment: Any) -> dict[str, float]:
        """Forces by their points, and a moment, along the frame, as the load at the centre of gravity."""
        axes = np.column_stack([self.ahead, self.left, self.up])
        total, turning = np.zeros(3), axes @ np.asarray(moment, dtype=float)
        for point, force in forces.items():
            here = axes @ np.asarray(force, dtype=float)
            total, turning = total + here, turning + np.cross(np.array(point) - self.centre, here)
        return dict(zip(LOADS, map(float, (*total, *turning)), strict=True))


def assert_acts(sim: Simulation, load: Mapping[str, float], least: float = 10.0) -> None:
    """Built-in air does what the load does; forces of kN on a tonne, rounded some thousand times: 1e-10 of 10 m/s²."""
    with_air = rates(sim)
    sim.set_inputs({FLAG: 0.0})
    without = rates(sim)
    sim.set_inputs(dict(load))
    by_load = rates(sim)
    sim.set_inputs({FLAG: 1.0, **dict.fromkeys(load, 0.0)})
    assert max(abs(with_air[n] - without[n]) for n in with_air) > least / 1000.0, "the air does something"
    for name, value in with_air.items():
        assert by_load[name] == close(value), name


def close(value: float) -> Any:
    import pytest

    return pytest.approx(value, rel=1e-9, abs=1e-9)


Check = Callable[[Seen], None]
