"""From the pedal to the pressures in the brakes.

    p_axle = share · (pressure_gain · demand + added)                                                           (1)
    p      = gain · (p_axle + added)                                         at a wheel, never below zero       (2)

Gain (1) and what is added (0) are those of a run. The share of an axle is ``bias_front`` in front and the rest at the
rear of a vehicle with two axles, and its own ``brake_share`` where axles are listed. Between (1) and (2) stand the
demands of controllers (``controllers/arbiter``).

A pedal with a booster (``pedal``) takes the place of the gain. With the force F = demand · F_full at the pedal, its
ratio i and the area A of the master cylinder, the rod is pushed by i F, less what the spring F_0 takes; the booster
multiplies by b up to its run-out, from which on only the foot adds:

    F_in = max(i F − F_0, 0),   p = (F_jump + b min(F_in, F_out) + max(F_in − F_out, 0))/A                          (3)

F_jump, the jump-in, grows over the first tenth of F_out, so that (3) has no step. The pressure follows with the time
constant of hoses and booster: τ ṗ = p(F) − p ([Reif2014], brake boosters).

A proportioning valve (``proportioning``) in the lines of all axles but the first lets less through above its knee:

    p_rear = min(p, p_k + s (p − p_k))                                                                          (4)

Air brakes (``air``) take the place of the hydraulics between (1) and the demands of controllers: ``brakes/air``.

A parking brake (``parking``) pulls at the pads of its axles with a torque of its own, by the input ``parking_brake``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.basics import Subsystem
from jounce.components.brakes.air import AirBrakes
from jounce.components.brakes.disc import DiscBrake
from jounce.components.controllers.arbiter import decided_pressure
from jounce.components.controllers.slip_control import SlipControl
from jounce.components.model import VehicleModel
from jounce.components.part import Level, Symbols, derived
from jounce.components.places import AxlePlace, Place, VehiclePlace, WheelPlace
from jounce.components.settings import Statics
from jounce.core.fields import Data, choice, part, problem, quantity
from jounce.symbolic.ops import clip, fmax, fmin


class Pedal(Data):
    """Pedal, booster and master cylinder."""

    full_force: float = quantity("N", 500.0, gt=0, typical=(50.0, 3e3), doc="of the foot at full demand, F_full")
    ratio: float = quantity("-", 3.5, gt=0, typical=(1.0, 10.0), doc="of the pedal, i")
    preload: float = quantity("N", 60.0, ge=0, typical=(0.0, 500.0), doc="of its spring at the rod, F_0")
    boost: float = quantity("-", 5.0, ge=1, typical=(1.0, 15.0), doc="force behind over force before the booster, b")
    jump_in: float = quantity("N", 300.0, ge=0, typical=(0.0, 2e3), doc="that the booster gives at once, F_jump")
    run_out: float = quantity("N", 1000.0, gt=0, typical=(100.0, 1e4), doc="at the rod, where it gives all, F_out")
    piston_area: float = quantity("m2", 4.5e-4, gt=0, typical=(1e-4, 2e-3), doc="of the master cylinder, A")
    lag: float = quantity("s", 0.04, gt=0, typical=(0.005, 0.5), doc="time constant of booster and hoses")

    def pressure(self, p: Any, demand: Any) -> Any:
        """What the pedal asks for (3), of symbols or of numbers."""
        force = fmax(p.ratio * p.full_force * demand - p.preload, 0.0)
        jump = p.jump_in * clip(10 * force / p.run_out, 0.0, 1.0)
        return (jump + p.boost * fmin(force, p.run_out) + fmax(force - p.run_out, 0.0)) / p.piston_area


class Proportioning(Data):
    """A valve that keeps pressure from the rear brakes."""

    knee: float = quantity("Pa", gt=0, typical=(1e5, 2e7), doc="pressure from which on less comes through, p_k")
    slope: float = quantity("-", 0.4, ge=0, le=1, doc="pressure behind over pressure before it above the knee, s")

    def behind(self, p: Any, pressure: Any) -> Any:
        """(4), of symbols or of numbers."""
        return fmin(pressure, p.knee + p.slope * (pressure - p.knee))


class ParkingBrake(Data):
    """A parking brake."""

    torque: float = quantity("N.m", gt=0, typical=(50.0, 2e4), doc="at each of its wheels when it is fully applied")
    axles: Literal["first", "others", "all"] = choice(
        "others", doc="on whose wheels it acts; others: all but the first"
    )

    def acts_on(self, axle: AxlePlace) -> bool:
        return self.axles == "all" or (axle.number == 1) == (self.axles == "first")


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
    pedal: Pedal | None = part(
        None, silent=True, doc="pedal, booster and master cylinder, in place of master_cylinder_pressure_gain"
    )
    proportioning: Proportioning | None = part(None, silent=True, doc="valve in the lines of all axles but the first")
    air: AirBrakes | None = part(None, silent=True, doc="air brakes, in place of hydraulics: neither pedal nor valve")
    parking: ParkingBrake | None = part(None, silent=True, doc="parking brake")

    def share_of(self, axle: AxlePlace) -> float:
        """Share of an axle in the pressure of the master cylinder."""
        own = axle.data.brake_share
        if own is not None:
            return float(own)
        return self.bias_front if axle.number == 1 else 1 - self.bias_front

    def line_pressure(self, axle: AxlePlace) -> float:
        """Pressure in the line of an axle at full demand, Pa."""
        full = self.master_cylinder_pressure_gain if self.pedal is None else self.pedal.pressure(self.pedal, 1.0)
        line = self.share_of(axle) * float(full)
        if self.air is not None:
            line = max(line - self.air.push_out, 0.0)
        if self.proportioning is not None and axle.number > 1:
            line = float(self.proportioning.behind(self.proportioning, line))
        return line

    @derived("Pa", doc="at full demand", label="pressure_gain", at="vehicle")
    def full_pressure(self, place: VehiclePlace) -> float:
        return self.master_cylinder_pressure_gain

    def inputs_at_rest(self, options: Statics, place: Place) -> dict[str, float]:
        return {"brake": 1.0} if options.use_brakes else {}

    def at_rest(self, options: Statics, place: Place) -> dict[str, float]:
        """Pressures are there at once: which brakes can hold is asked before any state is found."""
        late = isinstance(place, VehiclePlace) and (self.pedal is not None or self.air is not None)
        return {"at_once": 1.0} if late else {}

    @staticmethod
    def _at_once(p: Symbols) -> Any:
        return p.constant("at_once", 0.0, "-", "1 while an equilibrium is sought: pressures do not lag")

    @model_validator(mode="after")
    def _air_alone(self) -> Self:
        for name in ("pedal", "proportioning"):
            if self.air is not None and getattr(self, name) is not None:
                raise problem("stands beside air; brakes have one of both", name)
        return self

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        if isinstance(place, VehiclePlace) and self.air is not None:
            yield from ((f"brakes.air.line{n + 1}", line) for n, line in enumerate(self.air.lines))
        if isinstance(place, WheelPlace) and self.abs is not None:
            yield f"{place.name}.brake.abs", self.abs

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        if self.abs is not None:
            at.signals.provide("slip_control.abs", lambda: self.abs, "brakes.abs")

        for wheel in at.place.wheels.values():
            at.signals.provide(f"brake_pressure.{wheel.name}", partial(self._pressure, at, p, wheel), "brakes")
            if self.parking is not None and self.parking.acts_on(wheel.axle):
                at.signals.provide(f"parking_brake.{wheel.name}", partial(self._parked, at, p), "brakes")
        if self.parking is not None:
            at.signals.provide("given.parking_brake", partial(_lever, at), "the input parking_brake")

    def _parked(self, at: VehicleModel, p: Symbols) -> Any:
        pulled: Any = p.parking.torque * clip(at.signals.read("given.parking_brake", "brakes"), 0.0, 1.0)
        return pulled

    def _master(self, at: VehicleModel, p: Symbols, demand: Any) -> Any:
        """Pressure of the master cylinder by the pedal: (1) or (3)."""
        if self.pedal is None:
            return p.full_pressure * demand
        if "master" not in p.kept:
            asked = self.pedal.pressure(p.pedal, demand)
            scope = at.scope("brakes")
            master = scope.state("master_pressure", "Pa", "in the master cylinder", role="balance")
            scope.derivative(master, (asked - master) / p.pedal.lag)
            p.kept["master"] = fmax(master + self._at_once(p) * (asked - master), 0.0)
        return p.kept["master"]

    def _pressure(self, at: VehicleModel, p: Symbols, wheel: WheelPlace) -> Any:
        """Pressure in the brake of a wheel (1, 2)."""
        axle, general = wheel.axle, "Brake_System_General"
        if axle.data.brake_share is None:
            front = at.through(p.bias_front, "-", "share of the front brakes", added=f"{general}.brk_bias_front")
            share = front if axle.number == 1 else 1 - front
        else:
            share = at.bound(axle.data.listed, axle, axle.prefix).brake_share
        word = "friction_brake" if "friction_brake" in at.signals else "brake"  # where motors brake first
        full = self._master(at, p, at.signals.read(word, "brakes"))
        master = f"{general}.brk_mast_cyl_pres"
        line = share * at.through(full, "Pa", "pressure of the master cylinder", added=master)
        if self.proportioning is not None and axle.number > 1:
            line = self.proportioning.behind(p.proportioning, line)
        if self.air is not None:
            line = self._chamber(at, p, wheel, line)
        line = decided_pressure(at, wheel.name, line)
        added, gain = f"Brake_System.brk_pres.{wheel.name}", f"Brake_System.brk_pres_gain.{wheel.name}"
        found = at.through(line, "Pa", "pressure in the brake", added=added)
        found = at.through(found, "Pa", "pressure in the brake", scale=gain)
        return fmax(found, 0.0) if at.is_open(added, gain, master, f"{general}.brk_bias_front") else found

    def _chamber(self, at: VehicleModel, p: Symbols, wheel: WheelPlace, asked: Any) -> Any:
        """Pressure in the chambers of the axle of a wheel."""
        key = f"chamber of axle {wheel.axle.number}"
        if key not in p.kept:
            assert self.air is not None
            p.kept[key] = self.air.chamber(at, p.air, wheel.axle, asked, self._at_once(p))
        return p.kept[key]


def _lever(at: VehicleModel) -> Any:
    return at.root.input("parking_brake", "-", "demand of the parking brake, 0 to 1")
