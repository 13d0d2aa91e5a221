"""What stands around a combustion engine: idle and overspeed control, ram air, fuel.

Idle and overspeed, with the demand u of the pedal and the speed n:

    u₁ = max(u, clip(K_i (n_idle − n), 0, u_i))                                                                 (1)
    u₂ = u₁ − clip(K_m (n − n_lim), 0, u₁)                                                                      (2)

Ram air: with the pressure and temperature of the air, and the efficiency ε of the intake over the speed v,

    p_ram = p + ½ ρ ε v²,   ρ = p/(R T),   α = p_ram/(R T ρ_ref),   torque ← α torque                              (3)

Fuel: with the brake mean effective pressure of a four-stroke engine of displacement V,

    p_me = 4π T/V,   ṁ = BSFC(p_me, n) T n   while T n > 0, else 0                                               (4)

and, where the consumption ṁ_i of the idling engine is given, never less than

    ṁ_i n/n_idle   while T > 0 or n < 1.3 n_idle, and the engine runs                                            (6)

what it takes to turn itself: friction grows in proportion to the speed, faster engines that are dragged have their
fuel cut off.

An engine behind a clutch may stall. Below the share 0.3 of its stall speed n_s it burns nothing, and what drags it
opposes its turning:

    T > 0:  T clip(n/0.3 n_s, 0, 1),    else  T clip(n/0.3 n_s, −1, 1)                                              (5)

[Heywood1988] chapter 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal, Self

from pydantic import model_validator

from jounce.components.drive.base import Seen, Station, constant, first_time
from jounce.components.drive.machine import Machine
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, part, problem, quantity
from jounce.symbolic.ops import clip, fmax, if_else, logic_and, logic_or

RPM = math.pi / 30
GAS = 287.05  # J/(kg K), dry air
RUNNING = 90.0  # rad/s: a running engine at the start of a run, some 860 rpm
CUT_OFF = 1.3  # of the idle speed: faster, a dragged engine burns nothing (6)
STOPPED = 0.3  # of the stall speed: where torque fades out, in (5)
STALLED = 0.6  # of the stall speed: no engine runs that slowly
OVERSPEED = 0.05  # above the limit: control of the throttle overshoots by less
SLOW = 0.1  # m/s: below this consumption per distance means nothing


class IdleControl(Data):
    """Throttle that keeps an engine from stalling."""

    gain: float = quantity("s/rad", 0.02, gt=0, typical=(1e-3, 1.0), doc="throttle per speed below idle, K_i")
    max_throttle: float = quantity("-", 0.4, gt=0, le=1, doc="most throttle that it gives, u_i")


class OverspeedControl(Data):
    """Throttle is taken away above the speed limit."""

    gain: float = quantity("s/rad", 0.05, gt=0, typical=(1e-3, 1.0), doc="throttle per speed above the limit, K_m")


class RamAir(Data):
    """More air at speed."""

    reference_density: float = quantity(
        "kg/m3", 1.225, gt=0, typical=(0.5, 2.0), doc="of the air that the torque was measured with"
    )
    pressure: float = quantity("Pa", 101325.0, gt=0, typical=(3e4, 1.2e5), doc="of the air around")
    temperature: float = quantity("K", 288.15, gt=0, typical=(220.0, 330.0), doc="of the air around")
    efficiency: Curve = curve(
        "m/s", "-", constant(1.0, "m/s", "-"), constant="value", doc="of the intake, over the vehicle's speed"
    )
    acts_on: Literal["all", "positive"] = choice("all", doc="torques that it scales: all, or those above zero only")

    def factor(self, p: Any, speed: Any) -> Any:
        """α (3)."""
        density = p.pressure / (GAS * p.temperature)
        ram = p.pressure + 0.5 * density * p.efficiency(speed) * speed * speed
        return ram / (GAS * p.temperature * p.reference_density)


class Fuel(Data):
    """Consumption by a map of brake specific fuel consumption."""

    displacement: float = quantity("m3", gt=0, typical=(5e-5, 0.03), doc="of all cylinders, V")
    density: float = quantity("kg/m3", 745.0, gt=0, typical=(500.0, 1000.0), doc="of the fuel")
    heating_value: float = quantity(
        "J/kg", 43e6, gt=0, typical=(1e7, 1.3e8), doc="net, of the fuel: what a change of a battery is compared to"
    )
    bsfc: Curve = curve(
        "Pa",
        "kg/J",
        z="rad/s",
        constant="value",
        typical=(4e-8, 5e-7),
        doc="over mean effective pressure and speed",
    )

    idle_flow: float | None = quantity(
        "kg/s", None, gt=0, typical=(1e-6, 1e-2), doc="burnt by the idling engine; absent: what the map says"
    )

    def pressure(self, p: Any, torque: Any) -> Any:
        return 4 * math.pi * torque / p.displacement

    def flow(self, engine: Any, torque: Any, speed: Any) -> Any:
        """ṁ (4), kg/s; ``engine``: the numbers of the engine."""
        p, power = engine.fuel, torque * speed
        found = if_else(power > 0, p.bsfc(self.pressure(p, torque), speed) * power, 0.0)
        if self.idle_flow is None:
            return found
        burns = logic_or(torque > 0, speed < CUT_OFF * engine.idle_speed)
        burns = logic_and(burns, speed > STALLED * engine.stall_speed)
        return fmax(found, if_else(burns, p.idle_flow * speed / engine.idle_speed, 0.0))  # (6)


class Engine(Machine):
    """What combustion engines have."""

    stall_speed: float = quantity(
        "rad/s", 800 * RPM, gt=0, typical=(20.0, 300.0), doc="below it the driver opens the clutch"
    )
    idle_speed: float = quantity("rad/s", 1000 * RPM, gt=0, typical=(20.0, 400.0), doc="when it idles")
    rev_limit: Curve = curve(
        "-",
        "rad/s",
        constant(7000 * RPM, "-", "rad/s"),
        constant="value",
        typical=(100.0, 2500.0),
        doc="largest speed, also over the gear",
    )
    idle_control: IdleControl | None = part({}, doc="what keeps it idling; null: nothing")
    overspeed_control: OverspeedControl | None = part({}, doc="what keeps it below its largest speed; null: nothing")
    ram_air: RamAir | None = part(None, doc="more air at speed; absent: none")
    fuel: Fuel | None = part(None, doc="consumption; absent: not computed")

    runs = True
    pedal = "engine"

    @model_validator(mode="after")
    def _speeds(self) -> Self:
        if self.stall_speed >= self.idle_speed:
            text = f"{self.stall_speed:g} rad/s: must be below idle_speed, {self.idle_speed:g} rad/s"
            raise problem(text, "stall_speed")
        return self

    def prepare(self, here: Station) -> None:
        p = here.p
        if here.shafts[0].symbol is not None:  # behind a clutch: it may stall
            here.model.signals.provide("driveline.stall_speed", lambda: p.stall_speed / p.ratio, here.name, usual=True)

    def shaped(self, here: Station, speed: Any, demand: Any) -> Any:
        p = here.p
        found = demand * here.read_or("driveline.shift_throttle", 1.0) * here.read_or("driveline.launch", 1.0)
        active = here.model.outside(
            "Subsystem_Activation.Internal_Engine_Idle_MaxRev_Controls_Activity", "-",
            "1 keeps, 0 removes idle and overspeed control", "flag", 1.0,
        )  # fmt: skip
        if self.idle_control is not None:
            found = fmax(found, clip(p.idle_control.gain * (p.idle_speed - speed), 0.0, p.idle_control.max_throttle))
        if self.overspeed_control is not None:
            limit = p.rev_limit(here.read_or("driveline.gear", 1.0))
            found = found - clip(p.overspeed_control.gain * (speed - limit), 0.0, found)  # (2)
        return found if active is None else if_else(active > 0.5, found, demand)

    def idling(self, here: Station) -> Any:
        return here.p.idle_speed / here.p.ratio

    def alive(self, here: Station, torque: Any, speed: Any) -> Any:
        if here.shafts[0].symbol is None:  # it turns with the wheels
            return torque
        x = speed / (STOPPED * here.p.stall_speed)
        return torque * if_else(torque > 0, clip(x, 0.0, 1.0), clip(x, -1.0, 1.0))  # (5)

    def boosted(self, here: Station, torque: Any) -> Any:
        """A torque with ram air (3)."""
        if self.ram_air is None:
            return torque
        factor = self.ram_air.factor(here.p.ram_air, here.read("driveline.vehicle_speed"))
        return factor * torque if self.ram_air.acts_on == "all" else if_else(torque > 0, factor * torque, torque)

    def act(self, here: Station) -> None:
        super().act(here)
        if self.fuel is None:
            return
        kept = here.kept
        flow = kept["flow"] = self.fuel.flow(here.p, kept["torque"], kept["speed"])
        used = kept["used"] = here.scope.state("fuel.used", "kg", "fuel that was burnt", role="free")
        here.scope.derivative(used, flow)

    def burnt(self, here: Any, torque: Any, speed: Any) -> Any:
        return None if self.fuel is None else self.fuel.flow(here.p, torque, speed) / here.p.fuel.density

    def happened(self, group: str, seen: Seen) -> Iterator[str]:
        speed = seen(f"{group}.engine_rpm")
        if speed is None:
            return
        stalled = first_time(seen, speed < STALLED * self.stall_speed)
        if stalled is not None:
            yield f"{group}: the engine stalled at {stalled:.3f} s, slower than {self.stall_speed / RPM:.0f} rpm"
        limit = self.rev_limit.constant if self.rev_limit.constant is not None else max(self.rev_limit.y)
        over = first_time(seen, speed > (1 + OVERSPEED) * limit)
        if over is not None:
            yield (
                f"{group}: the engine turned too fast from {over:.3f} s on, up to {speed.max() / RPM:.0f} rpm; "
                f"its limit is {limit / RPM:.0f} rpm"
            )

    def told(self, here: Station) -> None:
        super().told(here)
        if self.fuel is None:
            return
        kept, p = here.kept, here.p.fuel
        pressure = self.fuel.pressure(p, kept["torque"])
        speed = here.read("driveline.vehicle_speed")
        litres = kept["flow"] / p.density
        word = "fuel_consumption" if here.group == "Engine" else f"{here.group}.fuel_consumption"
        channel = here.model.channel
        channel(f"{word}.BSFC", p.bsfc(pressure, kept["speed"]), "kg/J", "fuel per work at this point of the map")
        channel(f"{word}.instantaneous", litres, "m3/s", "volume flow of fuel")
        per_way = if_else(speed > SLOW, litres / fmax(speed, SLOW), 0.0)
        channel(f"{word}.instantaneous_Liter_100Km", per_way, "m3/m", "fuel per distance, zero at rest")
        channel(f"{word}.overall", kept["used"] / p.density, "m3", "volume of fuel burnt")
