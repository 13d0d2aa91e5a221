"""One axle in the air with every further element of a suspension, for tests of one of them at a time.

All elements are there, so that one compiled model serves all tests; ``alone`` switches off all but some. Left and right
differ in every number, ratios are curves. What an element does to the motion is measured by the accelerations with and
without it, in units of known forces on the travels (``pushes``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

import jounce.vehicle as jv
from axle_lists import Raw, one_axle, vehicle_of
from car_models import rates
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from polynomial_cars import DEFLECTION, Poly, table

WHEELS = ("L1", "R1")
STOP = {"x": [0.0, 0.011, 0.026, 0.04], "y": [0.0, 800.0, 4100.0, 15000.0]}


def curved(a: float, b: float) -> Poly:
    """A ratio as travel to deflection; a cubic spline has it exactly."""
    return lambda j: a * j + b * j**2


# by element: ratio left, ratio right
RATIOS: dict[str, tuple[Poly, Poly]] = {
    "inerter": (curved(0.83, 0.6), curved(0.71, -0.4)),
    "followed": (curved(0.64, 0.3), curved(0.57, 0.5)),
    "third_spring": (curved(0.91, 0.7), curved(0.86, -0.5)),
    "third_damper": (curved(0.77, -0.6), curved(0.69, 0.2)),
    "roll_damper": (curved(0.62, 0.5), curved(0.66, -0.3)),
    "third_inerter": (curved(0.93, 0.4), curved(0.88, 0.6)),
    "roll_spring": (curved(0.58, 0.2), curved(0.52, 0.7)),
    "bump": (curved(0.95, 0.3), curved(0.97, -0.2)),
    "rebound": (curved(0.82, 0.6), curved(0.79, 0.1)),
    "friction": (curved(0.74, 0.5), curved(0.81, -0.6)),
    "lagging": (curved(0.73, -0.5), curved(0.78, 0.4)),
}


def ratio(name: str) -> dict[str, Any]:
    left, right = (table(f, DEFLECTION) for f in RATIOS[name])
    return {"ratio": left, "right": {"ratio": right}}


def roll_spring_force(c: Any) -> Any:
    return 31e3 * c + 4e5 * c**3


def third_damper_force(v: Any) -> Any:
    return 2100.0 * v + 350.0 * v**3


def vertical_force(j: Any, o: Any) -> Any:
    return 1900.0 * j - 700.0 * o + 2e4 * j**2 + 3e4 * j * o


def dual_left(j: Any, o: Any) -> Any:
    return 9100.0 * j - 8300.0 * o + 4e4 * j**2


def dual_right(j: Any, o: Any) -> Any:
    return 7700.0 * j - 7200.0 * o - 3e4 * j * o


SPEED_TABLE = [-2.0, -0.7, 0.1, 0.9, 2.0]
FORCE_TABLE = [-0.2, -0.07, 0.02, 0.1, 0.2]
NAMES = (
    "inerter", "followed", "third_spring", "third_damper", "roll_damper", "third_inerter", "roll_spring", "bump",
    "rebound", "friction", "vertical",
)  # fmt: skip
ELEMENTS: list[Raw] = [
    {"kind": "inerter", "inertance": 61.0, **ratio("inerter")},
    {"kind": "inerter", "inertance": 47.0, "cutoff": 31.0, **ratio("followed")},
    {"kind": "central_spring", "rate": 43e3, "preload": 1300.0, **ratio("third_spring")},
    {"kind": "central_damper", "force": table(third_damper_force, SPEED_TABLE), **ratio("third_damper")},
    {"kind": "central_damper", "acts": "roll", "rate": 1700.0, **ratio("roll_damper")},
    {"kind": "central_inerter", "inertance": 83.0, **ratio("third_inerter")},
    {
        "kind": "central_spring", "acts": "roll", "axis": "deflection", "preload": 0.0,
        "force": table(roll_spring_force, FORCE_TABLE), **ratio("roll_spring"),
    },
    {"kind": "central_bump_stop", "clearance": 0.019, "force": STOP, "scale": 1.3, **ratio("bump")},
    {"kind": "central_rebound_stop", "clearance": 0.023, "force": STOP, "scale": 0.7, **ratio("rebound")},
    {"kind": "friction", "force": 97.0, "stiffness": 1.6e5, **ratio("friction")},
    {"kind": "auxiliary_vertical", "force": table(vertical_force, DEFLECTION, DEFLECTION), "right": {"scale": 1.1}},
]  # fmt: skip
PREFIX = {name: f"element{i + 1}" for i, name in enumerate(NAMES)}
AXLE = {name for name, raw in zip(NAMES, ELEMENTS, strict=True) if raw["kind"].startswith("central")}


@lru_cache
def vehicle() -> jv.Vehicle:
    raw = one_axle()
    suspension = raw["axles"][0]["suspension"]
    raw["system"] = {**raw.get("system", {}), "splines": {"method": "cubic"}}
    suspension.pop("anti_roll_bar", None)
    suspension |= {
        "elements": ELEMENTS,
        "auxiliary_anti_roll": {
            "kind": "dual", "damping": 0.013, "force": table(dual_left, DEFLECTION, DEFLECTION),
            "right": {"force": table(dual_right, DEFLECTION, DEFLECTION)},
        },
    }  # fmt: skip
    suspension["dampers"] = [
        *suspension["dampers"],
        {"name": "lagging", "rate": 2300.0, "cutoff": 20.0, **ratio("lagging")},
    ]
    suspension["dampers"].append({"name": "plain", "rate": 900.0, "ratio": 0.7, "right": {"rate": 800.0}})
    suspension["dampers"].append({"name": "half", "rate": 450.0, "ratio": 0.7, "right": {"rate": 400.0}})
    return vehicle_of(raw)


def scale_names(name: str) -> list[str]:
    """Parameters that switch an element off where they are zero."""
    if name == "dual":
        return ["axle1.auxiliary_anti_roll.scale"]
    if name in PREFIX:
        return [f"axle1.{PREFIX[name]}.scale"] if name in AXLE else [f"{c}.{PREFIX[name]}.scale" for c in WHEELS]
    return [f"{c}.{name}.scale" for c in WHEELS]


def alone(*names: str, step: float = 1e-3) -> Simulation:
    """The axle in the air without gravity, nothing acting but the named elements."""
    sim = car.simulation(vehicle(), step=step)
    keep = {scale for name in names for scale in scale_names(name)}
    off = {n: 0.0 for n in sim.parameters if n.endswith(".scale") and is_element(n) and n not in keep}
    sim.set_parameters({**off, "ground.height": -5.0, "gravity": 0.0})
    return sim


def is_element(name: str) -> bool:
    word = name.split(".")[1].rstrip("0123456789")
    return word in ("element", "spring", "damper", "bump_stop", "rebound_stop", "auxiliary_anti_roll")


def put(sim: Simulation, travel: Mapping[str, float], speed: Mapping[str, float] | None = None) -> None:
    sim.set_states({f"{c}.jounce": travel.get(c, 0.0) for c in WHEELS})
    sim.set_states({f"{c}.jounce.rate": (speed or {}).get(c, 0.0) for c in WHEELS})


def pushes(sim: Simulation, off: Mapping[str, float]) -> dict[str, float]:
    """Generalised forces on the travels by what the parameters ``off`` switch off; no travel may be zero."""
    on = np.array(list(rates(sim).values()))
    was = sim.parameters
    sim.set_parameters(dict(off))
    without = np.array(list(rates(sim).values()))
    columns = []
    for place in WHEELS:
        name = f"{place}.statics.spring_rate"
        sim.set_parameters({name: 1e4})
        columns.append((np.array(list(rates(sim).values())) - without) / (-1e4 * sim.state(f"{place}.jounce")))
        sim.set_parameters({name: was[name]})
    sim.set_parameters({name: was[name] for name in off})
    names = list(rates(sim))
    moving = [i for i, n in enumerate(names) if n.endswith((".jounce.rate", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"))]
    change, matrix = (on - without)[moving], np.column_stack(columns)[moving]
    found, *_ = np.linalg.lstsq(matrix, change, rcond=None)
    left = change - matrix @ found
    assert np.abs(left).max() <= 1e-6 * max(np.abs(change).max(), 1e-3), "it acts on the travels alone"
    return dict(zip(WHEELS, map(float, found), strict=True))


def slope(f: Callable[[float], float], x: float, width: float = 1e-5) -> float:
    return (f(x + width) - f(x - width)) / (2 * width)


TRAVEL = {"L1": 0.043, "R1": -0.037}
SPEED = {"L1": 0.52, "R1": -0.31}
PLACES = [
    (TRAVEL, SPEED),
    ({"L1": -0.051, "R1": 0.028}, {"L1": -0.7, "R1": 0.45}),
    ({"L1": 0.034, "R1": 0.041}, {"L1": -0.4, "R1": -0.6}),
    ({"L1": -0.029, "R1": -0.046}, {"L1": 0.33, "R1": 0.21}),
]


def straight(sim: Simulation) -> None:
    """A body that does not move, wheels that go straight up and down: one freedom per wheel."""
    sim.set_parameters({n: 0.0 for n in sim.parameters if n.endswith(".scale") and not is_element(n) and n[2] == "."})
    sim.set_parameters({n: 1e12 * sim.parameter(n) for n in ("body.mass", "body.ixx", "body.iyy", "body.izz")})
    sim.set_parameters({f"{c}.spring.at_design": 0.0 for c in WHEELS if f"{c}.spring.at_design" in sim.parameters})


def matrix_of(sim: Simulation, *names: str) -> Any:
    """Slopes of the rates of some states over the same states, by differences around where the simulation is."""
    was = {name: sim.state(name) for name in names}
    columns = []
    for name in names:
        ends = []
        for step in (1e-6, -1e-6):
            sim.set_states({name: was[name] + step})
            found = rates(sim)
            ends.append(np.array([found[n] for n in names]))
        sim.set_states({name: was[name]})
        columns.append((ends[0] - ends[1]) / 2e-6)
    return np.column_stack(columns)
