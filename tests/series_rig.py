"""One axle in the air with a series stiffness at its wheels; left and right differ."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from element_rig import WHEELS, is_element, matrix_of, put, straight
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from polynomial_cars import table

Z = "series_stiffness.deflection"
SERIES: dict[str, dict[str, Any]] = {
    "static": {"stiffness": 270e3, "lag": 0.003, "location": "wheel", "anti_roll": True, "right": {"stiffness": 310e3}},
    "dynamic": {
        "kind": "dynamic", "stiffness": 430e3, "mass": 3.1, "damping": 0.0017,
        "right": {"mass": 2.3, "damping": 0.0021, "stiffness": 390e3},
    },
    "filtered": {"kind": "dynamic", "stiffness": 350e3, "mass": 2.7, "damping": 0.0013, "cutoff": 41.0},
}  # fmt: skip
STOP = 71e3  # N/m
MESH = [-0.1, -0.06, 0.0, 0.03, 0.1]


def both(left: Any, right: Any) -> Any:
    """Deflection of a mono spring over both travels, not alike on both sides."""
    return 0.52 * left + 0.41 * right + 0.9 * left * right + 0.3 * left**2


def progressive(a: Any) -> Any:
    """Force of an inerter over acceleration."""
    return 44.0 * a + 3e-4 * a**3


ROLL = 21e3  # N/m, anti-roll rate


@lru_cache
def vehicle(kind: str) -> jv.Vehicle:
    raw = one_axle()
    suspension = raw["axles"][0]["suspension"]
    suspension.pop("anti_roll_bar", None)
    suspension |= {
        "series_stiffness": SERIES[kind],
        "auxiliary_anti_roll": {"rate": ROLL, "damping": 0.004},
    }
    raw["system"] = {**raw.get("system", {}), "splines": {"method": "cubic"}}
    suspension["elements"] = [
        {"kind": "central_spring", "acts": "mono", "rate": 27e3, "preload": 900.0, "ratio": table(both, MESH, MESH)},
        {"kind": "central_bump_stop", "acts": "mono", "of": "damper", "clearance": 0.01, "force": STOP, "ratio": 0.9},
        {"kind": "central_inerter", "acts": "mono", "inertance": 52.0, "cutoff": 23.0, "ratio": 0.7},
        {"kind": "central_damper", "acts": "mono", "rate": 1250.0, "cutoff": 17.0, "ratio": 0.8},
    ]
    if kind == "filtered":
        inerter = {"kind": "inerter", "force": table(progressive, [-400.0, -90.0, 20.0, 150.0, 400.0]), "cutoff": 29.0}
        suspension["elements"] = [{**inerter, "ratio": 0.8, "right": {"cutoff": 37.0, "scale": 0.9, "ratio": 0.7}}]
    return vehicle_of(raw)


def hung(kind: str, *names: str, step: float = 1e-3) -> Simulation:
    """Straight wheels under a body that does not move, with the named elements alone."""
    sim = car.simulation(vehicle(kind), step=step)
    keep = tuple(f".{name}.scale" for name in names)
    off = {n: 0.0 for n in sim.parameters if n.endswith(".scale") and is_element(n) and not f".{n}".endswith(keep)}
    sim.set_parameters({**off, "ground.height": -5.0, "gravity": 0.0})
    straight(sim)
    return sim


def spring_rate(sim: Simulation, wheel: str) -> float:
    """At the wheel."""
    return sim.parameter(f"{wheel}.spring.rate") * sim.parameter(f"{wheel}.spring.ratio.rate") ** 2


def stiffness(sim: Simulation, wheel: str) -> float:
    """Of the series elasticity at the wheel."""
    return sim.parameter(f"{wheel}.series_stiffness.stiffness") * sim.parameter(f"{wheel}.series_stiffness.to_wheel")


def total_stiffness(sim: Simulation) -> Any:
    """Force on the travels per travel, with what gives way in balance: 2×2."""
    put(sim, {})
    dynamic = f"L1.{Z}.rate" in {v.name for v in sim.model.states}
    inner = [f"{c}.{Z}" for c in WHEELS]
    if dynamic:
        inner += [f"{c}.{Z}.rate" for c in WHEELS]
    names = [*(f"{c}.jounce.rate" for c in WHEELS), *(f"{c}.jounce" for c in WHEELS), *inner]
    a = matrix_of(sim, *names)
    by_travel = a[:2, 2:4] - a[:2, 4:] @ np.linalg.solve(a[4:, 4:], a[4:, 2:4])
    masses = np.diag([sim.parameter(f"{c}.unsprung_mass") for c in WHEELS])
    return -masses @ by_travel
