"""A driveline with the longitudinal driver on two flywheels that roll a mass along a slope: compiled in a second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from drive_rig import Flywheels
from jounce.components.drive.train import Hub
from jounce.components.driver.demands import Demands
from jounce.components.driver.longitudinal import Longitudinal
from jounce.components.model import Choices, VehicleModel
from jounce.components.places import AxlePlace, UnitPlace, VehiclePlace, WheelPlace
from jounce.components.settings import Settings
from jounce.core.constants import GRAVITY
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic import System
from jounce.symbolic.ops import tanh
from jounce.vehicle.assembly import Placed, run_phases

RADIUS, MASS, BRAKES = 0.31, 1430.0, 17e3  # m, kg, N
A, B, C = 140.0, 2.3, 0.41  # road load


class RoadWheels(Flywheels):
    """Hubs that bear half the car each: road load, slope and brakes act on them."""

    def hubs(self, at: VehicleModel) -> list[Hub]:
        system, found, spins = at.system, [], []
        slope = system.scope("rig").input("slope", "-", "sine")
        for name in at.wheels:
            scope = system.scope(name)
            spin = scope.declare_speed("spin", "rad/s", system.world, 0.0, role="drift")
            inertia = scope.parameter("inertia", MASS * RADIUS**2 / 2, "kg.m2")
            scope.inerter("flywheel", spin, inertia, on=system.world)
            v = RADIUS * spin
            way = tanh(v / 0.02)
            load = (A + B * v + C * v * v) * way + MASS * GRAVITY * slope
            load = load + BRAKES * at.signals.read("friction_brake", "rig") * way
            scope.generalized_force(spin, -RADIUS / 2 * load)
            spins.append(spin)
            found.append(Hub(name, spin, spin, _acting(at, name, spin), inertia))
        at.speed = RADIUS / 2 * sum(spins)  # type: ignore[attr-defined]
        at.slope = slope  # type: ignore[attr-defined]
        return found

    def vehicle_speed(self, at: VehicleModel) -> Any:
        return at.speed  # type: ignore[attr-defined]


def _acting(at: VehicleModel, name: str, spin: Any) -> Any:
    def act(torque: Any) -> None:
        at.system.generalized_force(spin, torque)
        at.wheels[name].drive_torque = torque
        at.system.output(f"hub.{name}", torque, "N.m")

    return act


class Rider(Longitudinal):
    """The driver, with the speed and the slope of the rig."""

    def speed_of(self, at: VehicleModel) -> Any:
        return at.speed  # type: ignore[attr-defined]

    def slope_of(self, at: VehicleModel) -> Any:
        return at.slope  # type: ignore[attr-defined]

    def slips_of(self, at: VehicleModel) -> dict[str, Any]:
        return _given(at, "slip", "-", 0.0)

    def loads_of(self, at: VehicleModel) -> dict[str, Any]:
        return _given(at, "load", "N", 3500.0)


def _given(at: VehicleModel, what: str, unit: str, default: float) -> dict[str, Any]:
    """Of each wheel as a test says: inputs ``rig.slip.L1`` …"""
    known = at.__dict__.setdefault(f"given_{what}", {})
    for name in at.wheels:
        if name not in known:
            known[name] = at.system.scope("rig").input(f"{what}.{name}", unit, "", default)
    return known  # type: ignore[no-any-return]


def _station(at: VehicleModel) -> Any:
    """The way since the start, as a driver who follows a path tells it."""
    scope = at.system.scope("rig")
    way = scope.state("way", "m", "since the start", role="free")
    scope.derivative(way, at.speed)  # type: ignore[attr-defined]
    return way


def rig(raw: Mapping[str, Any], inputs: Sequence[str] = (), **driver: Any) -> Simulation:
    """A simulation of a driveline, as in a vehicle file, with its driver; his pedals are on."""
    data = RoadWheels.model_validate(dict(raw))
    place = VehiclePlace("", Settings.model_validate({}), SimpleNamespace(driveline=data))
    unit = UnitPlace(place, 1, None, {})
    axle = AxlePlace(unit, 1, SimpleNamespace(steering=None), "", ("L", "R"))
    axle.wheels += [WheelPlace(axle, side) for side in ("L", "R")]
    unit.axles.append(axle)
    place.units.append(unit)
    data.check(place)
    system = System("ridden")
    model = VehicleModel(place, system, {}, dict.fromkeys(place.wheels, object()), Choices(frozenset(inputs)))
    model.signals.provide("driver.station", lambda: _station(model), "the rig")
    known = {"mass": MASS, "weight": MASS * GRAVITY, "radius": RADIUS, "brake_force": BRAKES, "resistance": A}
    known |= {"resistance_linear": B, "resistance_square": C} | driver
    parts = [Placed(Demands(), place, ""), Placed(data, place, "driveline.")]
    run_phases(model, [*parts, Placed(Rider(**known), place, "longitudinal.")])
    system.output("rig.speed", model.speed, "m/s")  # type: ignore[attr-defined]
    sim = Simulation(build(system), step=1e-3)
    sim.set_inputs({"driver.active": 1.0})
    return sim
