"""From the pedal to the pressures in the brakes.

    p_axle = share · pressure_gain · demand                                                                     (1)

The share of an axle is ``bias_front`` in front and the rest at the rear of a vehicle with two axles, and its own
``brake_share`` where axles are listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

from jounce.components.basics import Subsystem
from jounce.components.brakes.disc import DiscBrake
from jounce.components.controllers.slip_control import SlipControl
from jounce.components.model import VehicleModel
from jounce.components.part import Level, Symbols, derived
from jounce.components.places import AxlePlace, Place, VehiclePlace, WheelPlace
from jounce.core.fields import Data, part, quantity


class Brakes(Subsystem):
    """From the demand to brake pressures."""

    level: ClassVar[Level] = "vehicle"

    bias_front: float = quantity(
        "-", 0.6, ge=0, le=1, doc="share of the master cylinder pressure that goes to the front"
    )
    master_cylinder_pressure_gain: float = quantity("Pa", 10e6, ge=0, doc="pressure at full demand (demand = 1)")
    front: DiscBrake | None = part(None, family="brake", doc="front brakes of a vehicle with two axles")
    rear: DiscBrake | None = part(None, family="brake", doc="rear brakes of a vehicle with two axles")
    abs: SlipControl | None = part(None, family="slip_control", doc="anti-lock control of the brake torques")

    @derived("Pa", doc="at full demand", label="pressure_gain", at="vehicle")
    def full_pressure(self, place: VehiclePlace) -> float:
        return self.master_cylinder_pressure_gain

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        if isinstance(place, WheelPlace) and self.abs is not None:
            yield f"{place.name}.brake.abs", self.abs

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        if self.abs is not None:
            at.signals.provide("slip_control.abs", lambda: self.abs, "brakes.abs")

        def pressure(axle: AxlePlace) -> Any:
            own = axle.data.brake_share
            if own is None:
                share = p.bias_front if axle.number == 1 else 1 - p.bias_front
            else:
                share = at.bound(axle.data.listed, axle, axle.prefix).brake_share
            return share * p.full_pressure * at.signals.read("brake", "brakes")

        for axle in at.place.axles:
            for wheel in axle.wheels:
                name = f"brake_pressure.{wheel.name}"
                at.signals.provide(name, partial(pressure, axle), "brakes")
