"""Small trains for tests: flywheels instead of wheels, compiled in a second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from jounce.components.drive.driveline import Driveline
from jounce.components.drive.train import Hub, Shaft, Train
from jounce.components.driver.demands import Demands
from jounce.components.model import Choices, VehicleModel
from jounce.components.part import Part
from jounce.components.places import AxlePlace, UnitPlace, VehiclePlace, WheelPlace
from jounce.components.settings import Settings
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic import System
from jounce.vehicle.assembly import Placed, run_phases


class Bench:
    """A system with flywheels as hubs: speeds ``L1.spin`` …, inertias and outside torques ``L1.torque`` as inputs."""

    def __init__(self, inertias: Mapping[str, float], name: str = "bench", drag: float = 0.0) -> None:
        self.system = System(name)
        self.hubs = {}
        for wheel, inertia in inertias.items():
            scope = self.system.scope(wheel)
            spin = scope.declare_speed("spin", "rad/s", self.system.world, 0.0, role="drift")
            size = scope.parameter("inertia", inertia, "kg.m2")
            scope.inerter("rotor", spin, size, on=self.system.world)
            scope.generalized_force(spin, scope.input("torque", "N.m") - drag * spin)
            self.hubs[wheel] = Hub(wheel, spin, spin, self._act(wheel, spin), size)
        self.train = Train(self.hubs.values(), self.system, self.system.world)

    def _act(self, name: str, spin: Any) -> Any:
        def act(torque: Any) -> None:
            self.system.generalized_force(spin, torque)
            self.system.output(f"hub.{name}", torque, "N.m")

        return act

    def shaft(self, name: str) -> Shaft:
        return self.train.shafts[name]

    def given(self, shaft: str) -> Any:
        """A torque on a shaft that a test gives: input ``<shaft>.torque``."""
        torque = self.system.input(f"{shaft}.torque", "N.m")
        self.train.push(self.shaft(shaft), torque)
        return torque


class Flywheels(Driveline):
    """A driveline whose wheels are flywheels that roll a mass along: no car, a second to compile."""

    def hubs(self, at: VehicleModel) -> list[Hub]:
        system = at.system
        found = []
        for name in at.wheels:
            scope = system.scope(name)
            spin = scope.declare_speed("spin", "rad/s", system.world, 0.0, role="drift")
            inertia = scope.parameter("inertia", 1.0, "kg.m2")
            scope.inerter("flywheel", spin, inertia, on=system.world)
            scope.generalized_force(spin, scope.input("load", "N.m"))
            found.append(Hub(name, spin, spin, _acting(at, name, spin), inertia))
        at.system.scope("rig").input("speed", "m/s", "of the vehicle", 20.0)
        return found

    def frame(self, at: VehicleModel) -> Any:
        return at.system.world

    def vehicle_speed(self, at: VehicleModel) -> Any:
        return next(i.symbol for i in at.system.inputs if i.name == "rig.speed")


def _acting(at: VehicleModel, name: str, spin: Any) -> Any:
    def act(torque: Any) -> None:
        at.system.generalized_force(spin, torque)
        at.system.output(f"hub.{name}", torque, "N.m")

    return act


def line(
    raw: Mapping[str, Any], axles: int = 2, inputs: Sequence[str] = (), name: str = "line", parts: Sequence[Part] = ()
) -> System:
    """The system of a driveline on flywheels; `raw` as in a vehicle file."""
    data = Flywheels.model_validate(dict(raw))
    place = VehiclePlace("", Settings.model_validate({}), None)
    unit = UnitPlace(place, 1, None, {})
    for number in range(1, axles + 1):
        axle = AxlePlace(unit, number, SimpleNamespace(steering=None), "", ("L", "R"))
        axle.wheels += [WheelPlace(axle, side) for side in ("L", "R")]
        unit.axles.append(axle)
    place.units.append(unit)
    data.check(place)
    system = System(name)
    model = VehicleModel(place, system, {}, dict.fromkeys(place.wheels, object()), Choices(frozenset(inputs)))
    others = [Placed(part, place, f"{type(part).__name__}.") for part in parts]
    run_phases(model, [Placed(Demands(), place, ""), Placed(data, place, "driveline."), *others])
    total = system.kinetic_energy()
    system.output("rig.kinetic_energy", total, "J")
    return system


def bench(
    raw: Mapping[str, Any], axles: int = 2, inputs: Sequence[str] = (), step: float = 1e-3, parts: Sequence[Part] = ()
) -> Simulation:
    """A simulation of a driveline on flywheels."""
    return Simulation(build(line(raw, axles, inputs, parts=parts)), step=step)
