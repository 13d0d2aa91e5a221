"""An electric motor in four quadrants.

The torque is that of the shaft. With the speed ω, the throttle u and the brake demand b,

    b > 0:           T = −r |braking(|ω|, b)| s           r: share that is recovered, or map(|ω|, T)
    else u > 0:      T = motoring(|ω|, u)                                                                       (1)
    else:            T = −|coasting(|ω|)| s               fading out over the first hundredths of the throttle
    a control unit asks for charging with a share c of the largest torque:   T = −c motoring(|ω|, 1) s

s fades braking and coasting out at a low speed of the vehicle, to nothing below the threshold, and has the sign of the
speed, so that both brake whichever way the motor turns. In reverse motoring is turned around.

Electric power, with the efficiency η constant or over speed and torque:

    P_el = T ω/η  while T ω > 0,   T ω η  else;    what is lost is P_el − T ω ≥ 0 both ways                          (2)

A battery that cannot give or take as much scales torque and electric power alike (``battery`` (5)). By choice the
efficiency scales the torque instead, and the electric power is that of the maps.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.controllers.slip_control import braked_by_motors
from jounce.components.drive.base import Energy, Station, constant
from jounce.components.drive.engine import check_map
from jounce.components.drive.machine import Machine
from jounce.components.drive.shifting import BACKWARDS
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, problem, quantity
from jounce.symbolic.ops import clip, fabs, if_else

TOUCHED = 0.02  # throttle at which nothing is left of coasting: a jump would leave speeds without a steady throttle
FADE = 0.5  # of the threshold: width above it over which braking fades in


class Motor(Machine):
    """An electric motor."""

    linear: ClassVar[bool] = False

    kind: Literal["motor"] = choice("motor", doc="kind of part")
    torque_map: Curve = curve(
        "rad/s",
        "N.m",
        z="-",
        constant="value",
        typical=(0.5, 5e3),
        doc="driving, over speed and throttle, 0 to 1",
    )
    braking_map: Curve | None = curve(
        "rad/s",
        "N.m",
        None,
        z="-",
        constant="value",
        typical=(0.5, 5e3),
        doc="braking, over speed and brake demand, 0 to 1",
    )
    coasting: Curve | None = curve(
        "rad/s", "N.m", None, constant="value", typical=(0.05, 500.0), doc="with both pedals up, over speed"
    )
    regeneration: float = quantity("-", 1.0, ge=0, le=1, doc="share of the braking map that is used")
    regeneration_map: Curve | None = curve(
        "rad/s", "-", None, z="N.m", constant="value", doc="the same over speed and torque, instead"
    )
    threshold: float = quantity("m/s", 1.0, gt=0, typical=(0.05, 10.0), doc="speed below which it does not brake")
    efficiency: Curve = curve(  # type: ignore[assignment]
        "rad/s", "-", constant(0.93, "rad/s", "-", "N.m"), z="N.m", constant="value", typical=(0.5, 1.0),
        doc="shaft over electric power while driving, or the inverse while braking",
    )  # fmt: skip
    efficiency_scales: Literal["power", "torque"] = choice("power", doc="electric power, or the torque of the maps")
    idle_power: float = quantity("W", 0.0, ge=0, typical=(1.0, 2e3), doc="electric power that it always takes")

    @model_validator(mode="after")
    def _covers(self) -> Self:
        for name in ("torque_map", "braking_map"):
            if getattr(self, name) is not None:
                check_map(getattr(self, name), name)
        low = self.efficiency.constant if self.efficiency.constant is not None else min(self.efficiency.y)
        high = self.efficiency.constant if self.efficiency.constant is not None else max(self.efficiency.y)
        if not 0 < low <= high <= 1:
            raise problem(f"from {low:g} to {high:g}; expected above 0, at most 1", "efficiency")
        return self

    # -- torque ----------------------------------------------------------------------------------------------------

    def _way(self, here: Station) -> Any:
        """1, or −1 where the run reverses it, or who drives: through a gearbox that does it."""
        word = self._ports(here)[0]
        back = here.model.outside(f"{word}.reverse_mode", "-", "0 forwards, 1 backwards", "command", 0.0)
        way = 1.0 if back is None else if_else(back > 0.5, -1.0, 1.0)
        if BACKWARDS in here.model.signals and "driveline.gear" not in here.model.signals:
            way = way * if_else(here.read(BACKWARDS) > 0.5, -1.0, 1.0)
        return way

    def torque(self, here: Station, speed: Any, demand: Any) -> Any:
        """(1), before the battery."""
        brake = braked_by_motors(here.model, here.read("brake"))
        return self._quadrants(here, speed, demand, brake)

    def law(self, here: Station, speed: Any, demand: Any, brake: Any) -> Any:
        return here.p.torque_scale * self._quadrants(here, speed, demand, brake)

    def _quadrants(self, here: Station, speed: Any, demand: Any, brake: Any) -> Any:
        p = here.p
        size = fabs(speed)
        fades = clip((fabs(here.read("driveline.vehicle_speed")) / p.threshold - 1) / FADE, 0.0, 1.0)
        against = -fades * if_else(speed < 0, -1.0, 1.0)
        drives = self._way(here) * p.torque_map(size, demand)
        coasts = 0.0 if self.coasting is None else against * fabs(p.coasting(size)) * (1 - here.read("neutral"))
        fading = if_else(demand < TOUCHED, 1 - demand / TOUCHED, 0.0)
        found = drives + fading * coasts
        share = here.read_or("driveline.motor_pedal", 0.0)  # below zero a control unit has it charge
        if "driveline.motor_pedal" in here.model.signals:
            found = if_else(share < 0, against * fabs(share) * fabs(p.torque_map(size, 1.0)), found)
        if self.braking_map is None or (isinstance(brake, float) and brake == 0):  # nobody brakes
            return found
        full = fabs(p.braking_map(size, brake))
        share = p.regeneration if self.regeneration_map is None else p.regeneration_map(size, full)
        given = here.model.outside(
            f"{self._ports(here)[0]}.regeneration_factor", "-", "share of the braking map, instead", "replacing", 1.0
        )
        share = share if given is None else given
        return if_else(brake > 0, against * share * full, found)

    def prepare(self, here: Station) -> None:
        speed = self.speed(here)
        demand = self.demanded(here)
        wanted = here.p.torque_scale * self.torque(here, speed, demand)
        electric = self._electric(here, wanted, speed)
        here.kept.update(wanted=wanted, electric=electric)
        if "battery.gives" not in here.model.signals:
            return
        name = here.name
        here.model.signals.add("battery.drawn", lambda: if_else(electric > 0, electric, 0.0), name)
        here.model.signals.add("battery.returned", lambda: if_else(electric > 0, 0.0, electric), name)
        here.model.signals.add("battery.always", lambda: here.p.idle_power, name)

    def _electric(self, here: Station, torque: Any, speed: Any) -> Any:
        """P_el (2)."""
        power = torque * speed
        if self.efficiency_scales == "torque":
            return power
        eta = here.p.efficiency(fabs(speed), fabs(torque))
        return if_else(power > 0, power / eta, power * eta)

    def electric(self, here: Any, torque: Any, speed: Any) -> Any:
        return self._electric(here, torque, speed) + here.p.idle_power

    def delivered(self, here: Station, torque: Any, speed: Any) -> Any:
        if self.efficiency_scales == "power":
            return torque
        eta = here.p.efficiency(fabs(speed), fabs(torque))
        return if_else(torque * speed > 0, eta * torque, torque / eta)

    def act(self, here: Station) -> None:
        p, model, kept = here.p, here.model, here.kept
        word, given, flag = self._ports(here)
        speed = self.speed(here)
        share = if_else(kept["electric"] > 0, here.read_or("battery.gives", 1.0), here.read_or("battery.takes", 1.0))
        torque = share * kept["wanted"]
        mode = model.outside(f"{word}.control_mode", "-", "0: the torque given rules, 1: the throttle", "command", 1.0)
        if mode is not None:
            torque = if_else(mode > 0.5, torque, 0.0)
        doc = "torque of this machine"
        torque = model.through(torque, "N.m", doc, added=f"{word}.{given}", flag=flag, on=self.active)
        shaft = self.delivered(here, torque, speed)
        kept.update(speed=speed, demand=self.demanded(here), torque=shaft, theory=torque * speed)
        kept["drawn"] = share * kept["electric"] + p.idle_power
        kept["lost"] = kept["drawn"] - shaft * speed
        here.train.push(here.shafts[0], p.ratio * shaft)
        here.react(-shaft)

    def limits(self, here: Station, speed: Any) -> tuple[Any, Any]:
        p = here.p
        most = p.torque_scale * p.torque_map(fabs(speed), 1.0)
        least = 0.0 if self.braking_map is None else -p.torque_scale * fabs(p.braking_map(fabs(speed), 1.0))
        return least, most

    def told(self, here: Station) -> None:
        super().told(here)
        here.channel("Theoretical_Power_KW", here.kept["theory"], "W", "its power before the efficiency")
        here.channel("electric_power", here.kept["drawn"], "W", "from the battery, negative: to it")

    def energy(self, here: Station) -> Energy:
        return Energy(electric=here.kept["drawn"], lost=here.kept["lost"])
