"""A car with a cab, an engine with a rod, a bushing and a beam between bodies, a frame that twists; with its laws."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

import jounce.vehicle as jv
from body_rig import QUATERNION, STATE, with_laws
from car_models import compact
from jounce.runtime.simulation import Library, Simulation
from jounce.sim import car
from jounce.sim.build import build

Array = npt.NDArray[np.float64]

ODD = {"x": [-0.03, -0.011, 0.0, 0.013, 0.03], "y": [-9100.0, -1700.0, 0.0, 1900.0, 7300.0]}
CAB: dict[str, Any] = {
    "kind": "cab",
    "mass": 410.0,
    "cg": [-0.41, 0.03, 1.23],
    "inertia": {"ixx": 171.0, "iyy": 149.0, "izz": 133.0, "ixy": 7.0, "ixz": -11.0, "iyz": 5.0},
    "mounts": [
        {"location": [x, y, z], "x": 5.1e5, "y": 4.3e5, "z": k, "damping": [900.0, 700.0, 1100.0], **more}
        for x, y, z, k, more in (
            (0.33, 0.52, 0.71, 1.7e5, {"rx": 910.0, "turning_damping": [3.0, 5.0, 7.0]}),
            (0.31, -0.49, 0.73, 1.9e5, {"psi": 0.4, "theta": 0.3, "phi": -0.2}),
            (-1.13, 0.47, 0.83, 1.1e5, {"ry": 730.0, "rz": 510.0}),
            (-1.17, -0.51, 0.81, 1.3e5, {"preload": [0.0, 0.0, 310.0]}),
        )
    ],
}
ENGINE: dict[str, Any] = {
    "kind": "engine",
    "mass": 190.0,
    "cg": [0.11, -0.02, 0.49],
    "inertia": {"ixx": 9.7, "iyy": 13.1, "izz": 11.3, "ixz": 0.7},
    "mounts": [
        {"location": [0.12, 0.41, 0.53], "x": 2.3e5, "y": 2.1e5, "z": 3.1e5, "damping": [210.0, 190.0, 230.0],
         "rx": 1.3e3, "ry": 2.1e4, "rz": 1.7e3, "turning_damping": [3.0, 11.0, 2.0]},
        {"location": [0.09, -0.43, 0.51], "x": 2.2e5, "y": 1.9e5, "z": 2.9e5, "damping": [200.0, 180.0, 220.0],
         "rx": 1.1e3, "ry": 1.9e4, "rz": 1.9e3},
    ],
}  # fmt: skip
ROD: dict[str, Any] = {
    "kind": "rod",
    "mass": 1.3,
    "cg": [-0.08, 0.0, 0.27],
    "inertia": {"ixx": 0.0013, "iyy": 0.0071, "izz": 0.0073},
    "mounts": [
        {"location": [0.02, 0.0, 0.28], "to": "engine", "x": 4.1e5, "y": 1.3e5, "z": 1.1e5, "damping": [90, 50, 40],
         "rx": 31.0, "ry": 37.0, "rz": 41.0},
        {"location": [-0.18, 0.0, 0.26], "x": 6.7e5, "y": 1.7e5, "z": 1.5e5, "damping": [70, 40, 30],
         "rx": 29.0, "ry": 43.0, "rz": 47.0},
    ],
}  # fmt: skip
TWIST: dict[str, Any] = {
    "stiffness": 2.1e5, "length": 2.3, "station": -1.07, "height": 0.61, "distance": 0.83, "rail_inertia": 47.0,
    "damping_ratio": 0.03,
}  # fmt: skip
BUSHING: dict[str, Any] = {
    "kind": "bushing", "name": "stay", "i": "cab", "j": "engine", "location": [0.07, 0.11, 0.77],
    "psi": -0.7, "theta": 0.5, "phi": 0.9,
    "x": ODD, "y": 2.7e4, "rz": 310.0, "damping": [310.0, 170.0, 230.0], "turning_damping": [3.1, 1.7, 2.3],
    "preload": [41.0, -53.0, 67.0], "turning_preload": [2.0, 3.0, -5.0],
    "offset": [0.0031, -0.0017, 0.0023], "turning_offset": [0.01, 0.02, 0.03],
    "factors": [1.3, 0.7, 1.1], "turning_factors": [1.0, 1.0, 0.6],
}  # fmt: skip
BEAM: dict[str, Any] = {  # a solid bar of 27 mm across the car
    "kind": "beam", "name": "bar", "i": "cab", "j": "chassis", "location": [-0.836, 0.0, 0.74], "psi": np.pi / 2,
    "length": 0.918633333332, "youngs_modulus": 207e9, "shear_modulus": 80.23255814e9, "area": 572.555261117e-6,
    "ixx": 52174.098169e-12, "iyy": 26087.049085e-12, "izz": 26087.049085e-12,
}  # fmt: skip


@lru_cache
def vehicle() -> jv.Vehicle:
    return compact().with_(**{"body.suspended": [CAB, ENGINE, ROD], "body.twist": TWIST, "forces": [BUSHING, BEAM]})


@lru_cache
def library() -> Library:
    return build(with_laws(car.Structure(car.describe(vehicle())).system()))


BODIES = ("cab", "engine", "rod")
MOVES = ("x", "y", "z", "yaw", "pitch", "roll")
SWUNG = {
    f"{body}.{move}{rate}": float(
        np.random.default_rng([i, j, len(rate)]).uniform(0.3, 1.0) * (-1) ** (i + j) * (0.006 if not rate else 0.13)
    )
    for i, body in enumerate(BODIES)
    for j, move in enumerate(MOVES)
    for rate in ("", ".rate")
}


def flying(**states: float) -> Simulation:
    """The car in the air, leaning, turning, to another heading, everything displaced and in motion."""
    sim = Simulation(library())
    q = QUATERNION / np.linalg.norm(QUATERNION)
    sim.set_states({
        **STATE, **SWUNG, "twist.angle": 0.021, "twist.rate": -0.19,
        **{f"chassis.e{i}": float(x) for i, x in enumerate(q)}, **states,
    })  # fmt: skip
    return sim


def off(sim: Simulation, *words: str) -> Simulation:
    """Bushings and beams whose names begin so do nothing."""
    known = [name for name in sim.parameters if name.endswith(".active") and name.startswith(words)]
    assert known
    sim.set_parameters(dict.fromkeys(known, 0.0))
    return sim


EVERY = ("body.suspended", "force")
