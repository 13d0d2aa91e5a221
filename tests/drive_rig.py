"""Small trains for tests: flywheels instead of wheels, compiled in a second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jounce.components.drive.train import Hub, Shaft, Train
from jounce.symbolic import System


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
