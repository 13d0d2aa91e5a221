"""From the pedal to the pressures in the brakes.

    p_axle = share · (pressure_gain · demand + added)                                                           (1)
    p      = gain · (p_axle + added)                                         at a wheel, never below zero       (2)

Gain (1) and what is added (0) are those of a run. The share of an axle is ``bias_front`` in front and the rest at the
rear of a vehicle with two axles, and its own ``brake_share`` where axles are listed.
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
from jounce.symbolic.ops import fmax


class Brakes(Subsystem):
    """From the demand to brake pressures."""

    level: ClassVar[Level] = "vehicle"

    bias_front: float = quantity(
        "-", 0.6, ge=0, le=1, doc="share of the master cylinder pressure that goes to the front"
    )
    master_cylinder_pressure_gain: float = quantity(
        "Pa", 10e6, ge=0, typical=(1e5, 1e8), doc="pressure at full demand (demand = 1)"
    )
    front: DiscBrake | None = part(None, family="brake", doc="front brakes of a vehicle with two axles")
    rear: DiscBrake | None = part(None, family="brake", doc="rear brakes of a vehicle with two axles")
    abs: SlipControl | None = part(None, family="slip_control", doc="anti-lock control of the brake torques")

    def share_of(self, axle: AxlePlace) -> float:
        """Share of an axle in the pressure of the master cylinder."""
        own = axle.data.brake_share
        if own is not None:
            return float(own)
        return self.bias_front if axle.number == 1 else 1 - self.bias_front

    @derived("Pa", doc="at full demand", label="pressure_gain", at="vehicle")
    def full_pressure(self, place: VehiclePlace) -> float:
        return self.master_cylinder_pressure_gain

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        if isinstance(place, WheelPlace) and self.abs is not None:
            yield f"{place.name}.brake.abs", self.abs

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        if self.abs is not None:
            at.signals.provide("slip_control.abs", lambda: self.abs, "brakes.abs")

        for wheel in at.place.wheels.values():
            at.signals.provide(f"brake_pressure.{wheel.name}", partial(self._pressure, at, p, wheel), "brakes")

    def _pressure(self, at: VehicleModel, p: Symbols, wheel: WheelPlace) -> Any:
        """Pressure in the brake of a wheel (1, 2)."""
        axle, general = wheel.axle, "Brake_System_General"
        if axle.data.brake_share is None:
            front = at.through(p.bias_front, "-", "share of the front brakes", added=f"{general}.brk_bias_front")
            share = front if axle.number == 1 else 1 - front
        else:
            share = at.bound(axle.data.listed, axle, axle.prefix).brake_share
        word = "friction_brake" if "friction_brake" in at.signals else "brake"  # where motors brake first
        full = p.full_pressure * at.signals.read(word, "brakes")
        master = f"{general}.brk_mast_cyl_pres"
        line = share * at.through(full, "Pa", "pressure of the master cylinder", added=master)
        added, gain = f"Brake_System.brk_pres.{wheel.name}", f"Brake_System.brk_pres_gain.{wheel.name}"
        found = at.through(line, "Pa", "pressure in the brake", added=added)
        found = at.through(found, "Pa", "pressure in the brake", scale=gain)
        return fmax(found, 0.0) if at.is_open(added, gain, master, f"{general}.brk_bias_front") else found
