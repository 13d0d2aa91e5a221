"""What drives a vehicle: angle of the hand wheel, drive demand, brake demand.

Each is an input of the model (``steering_wheel``, ``throttle``, ``brake``; in the catalogue ``Driver_Demands.str_swa``
…). A part of the family ``driver`` may stand between: it reads the signal ``given.steering_wheel`` and provides
``steering_wheel``, which is what the vehicle gets.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from jounce.components.model import Opening, VehicleModel
from jounce.components.part import Part, Symbols

# signal and input -> name in the catalogue
CATALOGUE = {
    "steering_wheel": "Driver_Demands.str_swa",
    "throttle": "Driver_Demands.throttle",
    "brake": "Driver_Demands.brake",
}
DOCS = {
    "steering_wheel": "hand wheel angle, left positive",
    "throttle": "drive demand, 0 to 1",
    "brake": "brake demand, 0 to 1",
}
UNITS = {"steering_wheel": "rad"}


class Demands(Part):
    """Pedals and hand wheel of every vehicle."""

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for name in CATALOGUE:
            made = cache(_input(at, name))
            at.signals.provide(f"given.{name}", made, f"the input {name}")
            at.signals.provide(name, made, f"the input {name}", usual=True)

    def declare(self, at: VehicleModel, p: Symbols) -> None:
        for name, catalogued in CATALOGUE.items():
            at.signals.read(f"given.{name}", "demands")
            at.root.alias_input(catalogued, name)
            full = f"{at.place.prefix}{catalogued}"
            at.openings[full] = Opening(full, "command", UNITS.get(name, "-"), DOCS[name])

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        for name in ("throttle", "brake"):
            doc = DOCS[name]
            at.channel(f"driver_demands.{name}", at.signals.read(name, "channels"), "-", doc)


def _input(at: VehicleModel, name: str) -> Callable[[], Any]:
    def make() -> Any:
        if name == "steering_wheel":
            steered = at.place.steered  # the torque of a hand that holds a wheel with inertia needs its acceleration
            inert = steered is not None and steered.data.steering.gear is not None
            more = at.settings.steering_acceleration or inert
            return at.root.input(name, UNITS[name], DOCS[name], rate=True, acceleration=more)
        return at.root.input(name, "-", DOCS[name])

    return make
