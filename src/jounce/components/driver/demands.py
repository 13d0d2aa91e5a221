"""What drives a vehicle: angle of the hand wheel, drive demand, brake demand.

They are inputs of the model (``steering_wheel``, ``throttle``, ``brake``, in the catalogue ``Driver_Demands.str_swa`` …)
unless a part of the family ``driver`` provides one of them.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols

# signal and input -> name in the catalogue
CATALOGUE = {
    "steering_wheel": "Driver_Demands.str_swa",
    "throttle": "Driver_Demands.throttle",
    "brake": "Driver_Demands.brake",
}


class Demands(Part):
    """Pedals and hand wheel of every vehicle."""

    rank: ClassVar[int] = 1

    def frames(self, at: VehicleModel, p: Symbols) -> None:
        if "steering_wheel" not in at.signals:
            angle = at.root.input(
                "steering_wheel",
                "rad",
                "hand wheel angle, left positive",
                rate=True,
                acceleration=at.settings.steering_acceleration,
            )
            at.signals.provide("steering_wheel", partial(_same, angle), "the input steering_wheel")
            at.demand_inputs.add("steering_wheel")
        for name, doc in (("throttle", "drive demand, 0 to 1"), ("brake", "brake demand, 0 to 1")):
            if name not in at.signals:
                demand = at.root.input(name, "-", doc)
                at.signals.provide(name, partial(_same, demand), f"the input {name}")
                at.demand_inputs.add(name)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        at.channel("driver_demands.throttle", at.signals.read("throttle", "channels"), "-", "drive demand, 0 to 1")
        at.channel("driver_demands.brake", at.signals.read("brake", "channels"), "-", "brake demand, 0 to 1")


def _same(value: Any) -> Any:
    return value
