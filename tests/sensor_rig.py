"""A rig for sensors: a body over one axle that flies, leans and turns, with sensors of every kind on every body."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from jounce.runtime.simulation import Simulation
from jounce.sim import car

Array = npt.NDArray[np.float64]

SENSOR_POINT = np.array([-0.83, 0.11, 0.67])
REFERENCE = np.array([-1.21, 0.17, 0.49])
SEAT = np.array([0.0, 0.88, 0.6])  # on the chassis
MARKER = {"location": [-1.7, -0.41, 1.13], "psi": 0.41, "theta": 0.73, "phi": -1.1}
ON_WHEEL = np.array([0.13, 0.71, 0.42])  # on the left carrier
MOUNTING = {"roll": 0.31, "pitch": -0.23, "yaw": 0.57}
GROUND, WORLD = {"body": "ground"}, {"reference": {"body": "ground"}}

# bodies to look at: chassis with axes of its own, both carriers, levelled axes
BODIES: dict[str, Any] = {
    "chassis": MARKER,
    "left": {"body": "L1", "location": ON_WHEEL.tolist(), "theta": 0.37},
    "right": {"body": "front_right_suspension", "location": [0.2, -0.69, 0.33]},
    "level": {"body": "gyro", "location": [-0.3, 0.9, 1.7], "psi": 0.6},
}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "place": ("displacement", {}),
    "angles": ("displacement", {"freedom": "rotational"}),
    "euler": ("displacement", {"freedom": "rotational", "angles": "euler"}),
    "ypr": ("displacement", {"freedom": "rotational", "angles": "yaw_pitch_roll"}),
    "velocity": ("velocity", {}),
    "turning": ("velocity", {"freedom": "rotational"}),
    "acceleration": ("acceleration", {}),
    "felt": ("acceleration", {"gravity": True}),
    "turning_rate": ("acceleration", {"freedom": "rotational"}),
}


def sensors() -> list[dict[str, Any]]:
    """Of every kind on every body against the ground, along world axes; and some that look from body to body."""
    result = [
        {"kind": kind, "name": f"{name}_{body}", "i": marker, "j": GROUND, **WORLD, **more}
        for name, (kind, more) in KINDS.items()
        for body, marker in BODIES.items()
    ]
    between = {"i": BODIES["left"], "j": BODIES["right"], "reference": MARKER}
    result += [{"kind": kind, "name": f"{name}_between", **between, **more} for name, (kind, more) in KINDS.items()]
    same = {"i": BODIES["left"], "j": BODIES["left"]}
    result += [{"kind": kind, "name": f"{name}_same", **same, **more} for name, (kind, more) in KINDS.items()]
    result += [{"kind": "velocity", "name": "usual", "i": {"location": SEAT.tolist()}}]
    result += [{"kind": "acceleration", "name": "usual_g", "gravity": True}]
    motion = {"kind": "motion", "location": SEAT.tolist(), "mounting": MOUNTING}
    result += [{**motion, "name": f"box{i}", "outputs": i} for i in range(1, 6)]
    result += [{**motion, "name": "box_felt", "outputs": 4, "gravity": "felt"}]
    result += [{"kind": "motion", "name": "hub", "body": "L1", "location": ON_WHEEL.tolist()}]
    result += [{"kind": "motion", "name": "reference", "location": REFERENCE.tolist()}]
    result += [{"kind": "motion", "name": "gyro", "location": SENSOR_POINT.tolist(), "gravity": "felt"}]
    points = {"Driver": SEAT, "Sensor_1": ON_WHEEL, "Sensor_2": SENSOR_POINT, "Sensor_3": SEAT + 1.0}
    result += [{"kind": "gyro_point", "name": name, "location": r.tolist()} for name, r in points.items()]
    return result


@lru_cache
def vehicle() -> jv.Vehicle:
    raw = one_axle()
    raw["body"]["sensor_point"] = SENSOR_POINT.tolist()
    raw["body"]["reference_point"] = REFERENCE.tolist()
    raw["sensors"] = sensors()
    return vehicle_of(raw)


@lru_cache
def description() -> car.Description:
    return car.describe(vehicle())


STATE = {
    "chassis.x": 31.0,
    "chassis.y": -17.0,
    "chassis.z": 4.3,
    "chassis.vx": 11.0,
    "chassis.vy": -3.1,
    "chassis.vz": 1.7,
    "chassis.wx": 0.83,
    "chassis.wy": -0.61,
    "chassis.wz": 1.27,
    "L1.jounce": 0.031,
    "R1.jounce": -0.043,
    "L1.jounce.rate": 0.37,
    "R1.jounce.rate": -0.21,
    "L1.wheel.spin": 41.0,
    "R1.wheel.spin": 33.0,
}
QUATERNION = np.array([0.71, 0.23, -0.31, 0.44])


def flying(**states: float) -> Simulation:
    """In the air, leaning and turning about all axes, its wheels in motion; heading to the left and backwards."""
    sim = car.simulation(description(), method="AB-2", step=5e-4)
    q = QUATERNION / np.linalg.norm(QUATERNION)
    sim.set_states({**STATE, **{f"chassis.e{i}": float(x) for i, x in enumerate(q)}, **states})
    sim.set_inputs({"steering_wheel": 0.9})
    return sim


def told(sim: Simulation, group: str, names: str, values: Array | None = None) -> Array:
    """Channels ``group.name`` at the current point, or among values of all outputs."""
    known = [v.name for v in sim.model.outputs]
    found = sim.outputs() if values is None else values
    return np.array([found[known.index(f"{group}.{name}")] for name in names.split()])


# ---- the motion of the chassis once more -----------------------------------------------------------------------------


def rotation(q: Array) -> Array:
    """Of a unit quaternion, scalar part first."""
    w, v = q[0], q[1:]
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    found: Array = np.eye(3) + 2 * w * k + 2 * k @ k
    return found


class Rigid:
    """The chassis as a body of its own, integrated here: the accelerations of an instant, held in axes of the body."""

    def __init__(self, sim: Simulation, steps: int = 32) -> None:
        rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
        self.p = np.array([sim.state(f"chassis.{a}") for a in "xyz"])
        self.q = np.array([sim.state(f"chassis.e{i}") for i in range(4)])
        self.v, self.w = (np.array([sim.state(f"chassis.{k}{a}") for a in "xyz"]) for k in "vw")
        self.a, self.alpha = (np.array([rates[f"chassis.{k}{a}"] for a in "xyz"]) for k in "vw")
        self.centre, self.steps = vehicle().main_body.centre(), steps

    def pose(self, t: float) -> tuple[Array, Array]:
        """Position and rotation after a time, by Runge–Kutta steps of fourth order."""
        y = np.concatenate([self.p, self.q])

        def rate(s: float, y: Array) -> Array:
            v, w = self.v + s * self.a, self.w + s * self.alpha
            q = y[3:]
            turned = 0.5 * np.concatenate([[-q[1:] @ w], q[0] * w + np.cross(q[1:], w)])
            return np.concatenate([rotation(q / np.linalg.norm(q)) @ v, turned])

        h = t / self.steps
        for k in range(self.steps):
            s = k * h
            k1 = rate(s, y)
            k2 = rate(s + h / 2, y + h / 2 * k1)
            k3 = rate(s + h / 2, y + h / 2 * k2)
            k4 = rate(s + h, y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return y[:3], rotation(y[3:] / np.linalg.norm(y[3:]))

    def point(self, place: Array, t: float = 0.0) -> Array:
        """A place of the vehicle reference frame in the world, after a time."""
        p, r = self.pose(t)
        found: Array = p + r @ (place - self.centre)
        return found

    def second(self, place: Array, h: float = 0.01) -> Array:
        """Second derivative of the path of a place, by central differences of sixth order."""
        weights = {-3: 2, -2: -27, -1: 270, 0: -490, 1: 270, 2: -27, 3: 2}
        return np.asarray(sum(w * self.point(place, k * h) for k, w in weights.items()) / (180 * h * h))
