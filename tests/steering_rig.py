"""A rack-and-pinion steering alone: hand wheel, chain and rack on the bench, with a given force of the tie rods."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import jounce.vehicle as jv
from jounce.components.part import Symbols
from jounce.components.steering.rack_pinion import Given, RackPinion
from jounce.components.steering.recirculating_ball import RecirculatingBall
from jounce.components.steering.release import let_go, move
from jounce.runtime.simulation import Library, Simulation
from jounce.sim.build import build
from jounce.symbolic.system import System

SETTINGS = jv.load("sedan").system
MASS = 60.0  # kg, what the wheels add to the rack
RADIUS = 0.0078  # m/rad, rack travel per turn of the pinion; a rack behind the axle: to the right with the hand wheel


class Bench:
    """What numbers of a part ask of a model."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.known: dict[str, Any] = {}

    def parameter(self, full: str, value: float, unit: str = "-", doc: str = "", **limits: float) -> Any:
        if full not in self.known:
            self.known[full] = self.system.parameter(full, value, unit, doc, **limits)
        return self.known[full]

    def table(self, full: str, table: Any) -> Any:
        if full not in self.known:
            self.known[full] = self.system.table(full, table)
        return self.known[full]


def described(data: RackPinion | RecirculatingBall, *, scale: float = 1.0, bend: float = 0.0) -> System:
    """The bench as a system; ``bend``: x = σ r (ζ + bend ζ³)."""
    system = System("bench")
    scope = system.scope("steering")
    hand = system.input("steering_wheel", "rad", "hand wheel", rate=True, acceleration=True)
    rate = system.time_derivative(hand)
    loose, offset, speed = let_go(scope, system, rate)
    here = rate + loose * (speed - rate)
    zeta, u = scope.coordinate("rack", unit="rad", doc="rack", role="balance")
    r = system.parameter("r", RADIUS, "m/rad")
    travel = -r * (zeta + bend * zeta**3)
    slope = -r * (1 + 3 * bend * zeta**2)
    ratio = system.parameter("scale", scale)
    p = Symbols(data, SimpleNamespace(settings=SETTINGS, level="axle"), Bench(system), "steering.")  # type: ignore[arg-type]
    if isinstance(data, RecirculatingBall):
        travel = data.drawn(p, zeta, ratio)
        slope = system.calls.jacobian(travel, zeta)[0, 0]
    wheels = system.parameter("wheels", MASS, "kg", "of the wheels, at the rack")
    system.inerter("wheels", slope * u, wheels, on=system.world)
    force = system.input("rods", "N", "force of the tie rods along the rack")
    stiffness = system.parameter("aligning", 0.0, "N/m", "of a spring that returns the rack")
    rods = force - stiffness * travel
    system.generalized_force(u, rods * slope)
    given = Given(
        scope, system.calls.alias("hand", [hand + offset])[0], here, system.time_derivative(rate), loose,
        ratio, zeta, u, travel, slope, -1.0 if isinstance(data, RackPinion) else 1.0, system.input("speed", "m/s"),
        system.world, rods,
        lambda name, unit, doc, mode="added": system.input(name, unit, doc, float(mode == "flag")),
        lambda name, value, unit, doc: system.output(name, value, unit, doc),
    )  # fmt: skip
    told = data.mechanism(p, given)
    move(scope, loose, speed, rate, told.moving)
    system.output("kinetic", system.kinetic_energy(), "J")
    for kind in ("energy", "losses", "work"):
        found = getattr(told, kind)
        for name, value in found.items():
            system.output(f"{kind}.{name}", value, "J" if kind == "energy" else "W")
    system.output("hand", hand + offset, "rad")
    system.output("hand.rate", here, "rad/s")
    return system


def raw(**changes: Any) -> dict[str, Any]:
    """A usual steering without friction and assist, with changes by dotted keys (``__`` for a dot)."""
    data: dict[str, Any] = {
        "column": {"wheel_inertia": 0.037, "upper_inertia": 0.003, "lower_inertia": 0.0013},
        "torsion_bar": {"stiffness": 118.0},
        "rack": {"mass": 2.7, "pinion_inertia": 6e-5},
    }
    for name, value in changes.items():
        keys, inside = name.split("__"), data
        for key in keys[:-1]:
            inside = inside.setdefault(key, {})
        inside[keys[-1]] = value
    return data


@lru_cache
def _library(text: str, scale: float, bend: float) -> Library:
    found = json.loads(text)
    kind = RecirculatingBall if "gear" in found else RackPinion
    return build(described(kind.model_validate(found), scale=scale, bend=bend))


def bench(data: Mapping[str, Any], *, scale: float = 1.0, bend: float = 0.0) -> Simulation:
    """A simulation of the bench."""
    return Simulation(_library(json.dumps(data, sort_keys=True), scale, bend))
