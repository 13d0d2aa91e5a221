"""One axle whose wheels have a longitudinal freedom; left and right differ."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from element_rig import WHEELS, straight
from jounce.runtime.simulation import Simulation
from jounce.sim import car

X = "x_dof.displacement"
# x over longitudinal force, m and N; the right wheel is another
ALONG = {"x": [-6000.0, -2000.0, 0.0, 2500.0, 6000.0], "y": [-0.0139, -0.0055, 0.0, 0.0064, 0.0131]}
ALONG_RIGHT = {"x": [-5000.0, -1500.0, 0.0, 2000.0, 7000.0], "y": [-0.0117, -0.0041, 0.0, 0.0051, 0.0147]}
RATE, RATE_RIGHT = 2.9e-6, 3.3e-6  # m/N
BY_SIDE, BY_SIDE_RIGHT = 1.3e-7, -1.7e-7  # m/N, x by the lateral force
FREEDOMS: dict[str, dict[str, Any]] = {
    "force": {
        "kind": "dynamic", "mass": 51.0, "damping": 0.0013, "right": {"mass": 44.0, "damping": 0.0017, "share": 0.8},
    },
    "base": {
        "kind": "dynamic", "excitation": "base", "mass": 53.0, "damping_rate": 410.0,
        "right": {"mass": 46.0, "damping_rate": 530.0, "share": 0.9},
    },
    "table": {"kind": "dynamic", "mass": 49.0, "damping": 0.002, "cutoff": 37.0, "right": {"mass": 57.0}},
    "static": {"kind": "static", "share": 1.0, "right": {"share": 0.7}},
    "first": {"kind": "transfer_function", "mass": 41.0, "a0": 6100.0, "a1": 71.0, "right": {"a1": 83.0}},
    "second": {
        "kind": "transfer_function", "mass": 39.0, "b0": 0.9, "b1": 0.0021, "a0": 7300.0, "a1": 19.0, "a2": 1.1,
        "right": {"b1": 0.0017, "mass": 37.0, "share": 0.85},
    },
    "third": {
        "kind": "transfer_function", "mass": 47.0, "b0": 1.1, "b1": 0.0031, "a0": 8100.0, "a1": 43.0, "a2": 1.05,
        "a3": 0.0019, "right": {"a0": 7700.0},
    },
    "fourth": {
        "kind": "transfer_function", "mass": 43.0, "b0": 0.97, "b1": 0.003, "b2": 4.1e-6, "a0": 9100.0, "a1": 57.0,
        "a2": 1.3, "a3": 0.0039, "a4": 2.3e-5, "right": {"b2": 3.7e-6, "a3": 0.0043},
    },
}  # fmt: skip


@lru_cache
def vehicle(name: str) -> jv.Vehicle:
    """With one of the freedoms, or without ("")."""
    raw = one_axle()
    table = name in ("table", "no table")
    raw["axles"][0]["suspension"]["compliance"] = {
        "x": {
            "fx": {"curve": ALONG, "right": {"curve": ALONG_RIGHT}} if table else {"rate": RATE, "right": RATE_RIGHT},
            "fy": {"rate": BY_SIDE, "right": BY_SIDE_RIGHT},
        },
        "toe": {"mz": -7.1e-5},
    }
    if name in FREEDOMS:
        raw["axles"][0]["suspension"]["x_dof"] = FREEDOMS[name]
    return vehicle_of(raw)


def data(name: str, wheel: str) -> dict[str, Any]:
    """The numbers of a freedom at a wheel."""
    found = {"share": 1.0, **FREEDOMS[name]}
    other = found.pop("right", {})
    return found | (other if wheel == "R1" else {})


def slope(wheel: str) -> float:
    """m/N, of x by the longitudinal force."""
    return RATE if wheel == "L1" else RATE_RIGHT


def in_the_air(name: str, *, heavy: bool = True, step: float = 1e-3) -> Simulation:
    """Without gravity and springs; ``heavy``: under a body that does not move, wheels going straight up and down."""
    sim = car.simulation(vehicle(name), step=step)
    sim.set_parameters({"ground.height": -5.0, "gravity": 0.0})
    off = [n for n in sim.parameters if n.endswith(".scale") and n.split(".")[1].rstrip("0123456789") in ELEMENTS]
    sim.set_parameters(dict.fromkeys(off, 0.0))
    if heavy:
        straight(sim)
    else:
        sim.set_parameters({f"{c}.spring.at_design": 0.0 for c in WHEELS if f"{c}.spring.at_design" in sim.parameters})
    return sim


ELEMENTS = ("spring", "damper", "bump_stop", "rebound_stop", "auxiliary_anti_roll", "anti_roll_bar")
