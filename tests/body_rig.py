"""A car with reference points, a skid plate and a shell, and with its energy and momentum as channels."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

import jounce.vehicle as jv
from car_models import bodies, compact
from jounce.runtime.simulation import Library, Simulation
from jounce.sim import car
from jounce.sim.build import build
from jounce.symbolic.frames import add, cross, scale, times
from jounce.symbolic.system import System
from models import derivative, rotation_matrix

Array = npt.NDArray[np.float64]

PUSH = np.array([-0.61, 0.47, 1.03])  # where a reference point of the chassis is, design
HUB, STRUT = np.array([0.07, 0.66, 0.41]), np.array([-2.4, -0.81, 0.27])
HOOK = np.array([-3.61, 0.13, 0.43])
PLATE = np.array([0.31, 0.19, 0.11])
STIFFNESS, EXPONENT, DAMPING, FRICTION = 410e3, 1.3, 7300.0, 0.37
POINTS = {"centre": "chassis", "push": "chassis", "hub": "L1", "strut": "R2"}
EXT = [f"{frame}.{kind}.{a}" for frame in ("Ext_Body", "Ext_Ground") for kind in ("force", "moment") for a in "XYZ"]
PORTS = [f"Reference_Point.{p}.{kind}{a}" for p in POINTS for kind in "FM" for a in "XYZ"]

HOOKED = [f"Hook.{kind}{a}.rear" for kind in "FM" for a in "xyz"]


@lru_cache
def vehicle() -> jv.Vehicle:
    base = compact()
    centre = base.main_body.centre()
    return base.with_(
        forces=[
            {"kind": "point", "name": "centre", "location": centre.tolist()},
            {"kind": "point", "name": "push", "location": PUSH.tolist(), "axes": "world", "force": [0, 0, "0 kN"]},
            {"kind": "point", "name": "hub", "body": "front_left_suspension", "location": HUB.tolist()},
            {
                "kind": "point",
                "name": "strut",
                "body": "R2",
                "location": STRUT.tolist(),
                "axes": "chassis",
                "reaction": "chassis",
            },
            {"kind": "hook", "location": HOOK.tolist()},
        ],
        sensors=[{"kind": "handling"}],
        contacts=[
            {
                "kind": "skid_plate",
                "name": "plate",
                "location": PLATE.tolist(),
                "stiffness": STIFFNESS,
                "exponent": EXPONENT,
                "damping": DAMPING,
                "friction": FRICTION,
            },
            {"kind": "shell"},
        ],
    )


@lru_cache
def description() -> car.Description:
    return car.describe(vehicle(), inputs=[*EXT, *PORTS, *HOOKED])


def with_laws(system: System) -> System:
    """Energy and momentum of all bodies."""
    linear, angular = [0.0] * 3, [0.0] * 3
    for body in bodies(system).values():
        frame = body.frame
        p = [body.mass * x for x in frame.to_world(frame.v)]
        spin = times(body.inertia, frame.w)
        for rotor in body.rotors:
            spin = add(spin, scale(rotor.axis, rotor.inertia * rotor.spin))
        linear = add(linear, p)
        angular = add(angular, add(cross(frame.position, p), frame.to_world(spin)))
    for i, axis in enumerate("xyz"):
        system.output(f"law.p{axis}", linear[i], "kg.m/s")
        system.output(f"law.h{axis}", angular[i], "kg.m2/s")
    system.output("law.energy", system.kinetic_energy() + system.potential_energy(), "J")
    return system


@lru_cache
def library() -> Library:
    return build(with_laws(car.Structure(description()).system()))


QUATERNION = np.array([0.83, 0.11, -0.07, 0.51])
STATE = {
    "chassis.x": 7.0,
    "chassis.y": -3.0,
    "chassis.z": 1.4,
    "chassis.vx": 9.0,
    "chassis.vy": 1.3,
    "chassis.vz": -0.7,
    "chassis.wx": 0.33,
    "chassis.wy": -0.21,
    "chassis.wz": 0.47,
    "L1.jounce": 0.021,
    "R2.jounce": -0.017,
    "L1.jounce.rate": 0.23,
    "R2.jounce.rate": -0.31,
    "L1.wheel.spin": 29.0,
    "R2.wheel.spin": 21.0,
}


def moving(**states: float) -> Simulation:
    """The car in the air, leaning, turning, to another heading."""
    sim = Simulation(library())
    q = QUATERNION / np.linalg.norm(QUATERNION)
    sim.set_states({**STATE, **{f"chassis.e{i}": float(x) for i, x in enumerate(q)}, **states})
    return sim


def put(sim: Simulation, **states: Any) -> Simulation:
    """The chassis somewhere: position of the centre of gravity, rotation as a quaternion, velocities."""
    for name, letters in (("position", "xyz"), ("v", "xyz"), ("w", "xyz")):
        if name in states:
            word = "" if name == "position" else name
            sim.set_states({f"chassis.{word}{a}": float(x) for a, x in zip(letters, states[name], strict=True)})
    if "q" in states:
        q = np.asarray(states["q"], dtype=float)
        sim.set_states({f"chassis.e{i}": float(x) for i, x in enumerate(q / np.linalg.norm(q))})
    return sim


def turn(sim: Simulation) -> Array:
    """Axes of the chassis in the world."""
    return np.asarray(rotation_matrix(np.array([sim.state(f"chassis.e{i}") for i in range(4)])))


def channels(sim: Simulation, *names: str) -> Array:
    known = [v.name for v in sim.model.outputs]
    found = sim.outputs()
    return np.array([found[known.index(name)] for name in names])


def law_rates(sim: Simulation) -> tuple[Array, Array, float]:
    """Rates of momentum, of moment of momentum about the world's origin and of energy, along the motion."""
    x, f = sim.x.copy(), sim.derivatives()[0]
    known = [v.name for v in sim.model.outputs]
    which = [known.index(f"law.{n}") for n in ("px", "py", "pz", "hx", "hy", "hz", "energy")]
    found, _ = derivative(lambda t: sim.outputs(x=x + t * f)[which], h=1e-3)
    return found[:3], found[3:6], float(found[6])


def rates(sim: Simulation) -> dict[str, float]:
    return dict(zip([v.name for v in sim.model.states], map(float, sim.derivatives()[0]), strict=True))
