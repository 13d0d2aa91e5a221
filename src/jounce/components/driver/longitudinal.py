"""The longitudinal driver: pedals, gears and clutch that make a vehicle follow a speed.

Wanted speed v* and its rate a* are inputs (``driver.target_speed``). With the error e = v* − v, the acceleration â = v̇
through a filter, the mass m along the road with everything that turns, the slope s (sine) and the resistance R,

    a = min(a* + P e + I ∫e dt + P_a (a* − â) + I_a ∫(a* − â) dt,  what full throttle gives)                        (1)
    F = m a + R(v*) + m g s,    R = A + B v + C v²                                                              (2)

P and I follow the speed, P_a and I_a the acceleration: with P = I = 0 speed that was lost in a shift stays lost.
Integrals by the trapezoidal rule; while the pedals are at their ends, or no torque comes through, they move only
towards them. F becomes pedals by what the drive says it can do (``drive/thrust`` (2)): with F₀ of the drive with the
pedal up, engine braking or none,

    F ≥ F₀:   F_drive(u, 0) = F;       else   F_drive(0, b) = F as far as motors go, brakes for the rest            (3)

by bisection where a map is not linear. Between the pedals are a band of force and a time. Pedals move at limited rates.

Standing: the brake holds the car where v* and v are zero; it lets go when the drive pushes with what the slope asks
for (hill start), at once on the level. Gears of a manual gearbox, where ``shifts`` says so, change at speeds of the
input shaft that rise with the throttle, not within a time after the last change. A clutch that is not automatic opens
before the engine stalls and at idle. In a launch, while it slips, the throttle gives what the wanted acceleration asks
for (of 1.5 m/s² where less is wanted and the car is behind) and holds the starting speed of the engine, and so does the
clutch, which closes until it carries what the engine gives:

    u = u_F + k_u (n_start − n),     ċ = k (n_start − n)/t_c                                                      (4)

A launch ends when the clutch has closed.

*Backwards.* One who ``reverses`` drives backwards while ``driver.backwards`` is 1: with ς = −1 then, he sees ς v*, ς v
and ς s, the drive pushes with ς F, and gearboxes are in reverse, or motors that have none turn the other way. It
changes while the car stands. Anybody else sees the same in a car whose gearbox is in reverse.

Sampled at every full step. Before ``driver.active`` is 1 the pedals are those that a run gives.
The feed-forward is that of every speed controller ([Guzzella2013] chapter 2 for the road load); integration by
conditions: [Astrom2006] chapter 3. Ours: (4), the hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Literal

from jounce.components.drive.thrust import BACKWARDS, Thrust
from jounce.components.driver.gears import DriverGears, Wants
from jounce.components.driver.monitor import shared
from jounce.components.driver.tires import SlipThrottle, TireControl
from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.constants import GRAVITY
from jounce.core.fields import choice, part, quantity
from jounce.symbolic.ops import clip, fabs, fmax, fmin, if_else, logic_and, logic_not, logic_or

RPM = math.pi / 30
HALVINGS = 14  # of the throttle, then linear in between: 6e-5 at the worst
LEAST = 1e-6  # throttle or brake that counts as given
BAND = 0.05  # m/s², half the width between the pedals
PEDAL_HOLD = 0.1  # s
STILL, STOPPING = 0.02, 0.3  # m/s: of the target, and of a car that the brake may hold
SLIPPING = 5.0  # rad/s
LAUNCH = 1.5  # m/s², of a launch whose trace asks for less
CLOSED = 0.02  # pedal: the clutch is closed
CLOSING, REVVING = 0.1, 0.01  # s/rad: clutch, over its time, and throttle by the speed that an engine lacks in a launch
STARTS: dict[str, dict[str, float]] = {  # settings of a driver who starts mildly, or in a hurry
    "mild": {"start_speed": 1500 * RPM, "clutch_time": 1.0, "throttle_rate": 5.0},
    "sporty": {"start_speed": 3500 * RPM, "clutch_time": 1.0, "throttle_rate": 10.0},
}
PEDALS = ("throttle", "brake")
CLUTCH_SHARE = "share.clutch"  # of the driver, in a manoeuvre
REVERSE = -1.0  # gear
DRAG = "Driver_Demands.drag_feedforward"  # port
SIGNALS = {
    "started": ("-", "1 once he has the pedals"),
    "throttle": ("-", "drive demand"),
    "brake": ("-", "brake demand"),
    "friction_brake": ("-", "of it what the brakes do"),
    "clutch": ("-", "pedal, 1 open"),
    "gear": ("-", "that he chose"),
    "error": ("m/s", "of speed"),
    "integral": ("m", "of the error of speed"),
    "wish": ("m/s2", "error of acceleration"),
    "felt": ("m/s", "integral of the error of acceleration"),
    "acceleration": ("m/s2", "of the car, filtered"),
    "speed": ("m/s", "at the last sample"),
    "braking": ("-", "1 while the foot is on the brake"),
    "changed": ("s", "when it last changed the pedal"),
    "holds": ("-", "1 while the brake holds the car"),
    "slope": ("-", "that he feels, sine"),
    "shifted": ("s", "when he last changed the gear"),
}


class Longitudinal(Part):
    """A driver who follows a speed."""

    family: ClassVar[str] = "driver"

    kind: Literal["longitudinal"] = choice("longitudinal", doc="kind of driver")
    shifts: bool = choice(False, doc="whether he changes the gears of a manual gearbox, rather than its own speeds")
    reverses: bool = choice(False, doc="whether he also drives backwards, while the input driver.backwards is 1")
    gears: DriverGears | None = part(None, doc="clutch, lever and throttle in shifts; absent: the gearbox does it")
    slip: SlipThrottle | None = part(None, doc="throttle by slip of the tires; absent: none")
    tires: TireControl | None = part(None, doc="what he does in the air and while tires spin; absent: nothing")
    mass: float = quantity("kg", 1500.0, gt=0, doc="along the road, with the wheels, without the driveline")
    weight: float = quantity("N", 1500.0 * GRAVITY, ge=0, doc="of the vehicle, that a slope takes part of")
    radius: float = quantity("m", 0.31, gt=0, typical=(0.1, 1.5), doc="on which the driven wheels roll")
    brake_force: float = quantity("N", 2e4, ge=0, typical=(100.0, 5e5), doc="of the brakes at full demand")
    resistance: float = quantity("N", 0.0, doc="that does not depend on the speed, A")
    resistance_linear: float = quantity("N.s/m", 0.0, doc="that grows with the speed, B")
    resistance_square: float = quantity("N.s2/m2", 0.0, doc="that grows with its square, C")
    speed_gain: float = quantity("1/s", 4.0, ge=0, typical=(0.1, 20.0), doc="P")
    speed_integral: float = quantity("1/s2", 4.0, ge=0, typical=(0.1, 50.0), doc="I")
    acceleration_gain: float = quantity("-", 0.0, ge=0, typical=(0.05, 5.0), doc="P_a")
    acceleration_integral: float = quantity("1/s", 0.0, ge=0, typical=(0.1, 50.0), doc="I_a")
    acceleration_filter: float = quantity("s", 0.05, gt=0, typical=(0.005, 1.0), doc="time constant of â")
    slope_filter: float = quantity("s", 0.3, gt=0, typical=(0.01, 5.0), doc="time constant of the slope that he feels")
    throttle_rate: float = quantity("1/s", 5.0, gt=0, typical=(0.2, 50.0), doc="fastest change of the throttle")
    brake_rate: float = quantity("1/s", 8.0, gt=0, typical=(0.2, 50.0), doc="fastest change of the brake")
    throttle_release_rate: float | None = quantity(
        "1/s", None, gt=0, typical=(0.2, 50.0), doc="fastest fall of the throttle; absent: throttle_rate"
    )
    brake_release_rate: float | None = quantity(
        "1/s", None, gt=0, typical=(0.2, 50.0), doc="fastest fall of the brake; absent: brake_rate"
    )
    pedal_lag: float | None = quantity(
        "s", None, gt=0, typical=(0.02, 1.0), doc="time constant of the foot of a human; absent: none"
    )
    hold_brake: float = quantity("-", 0.3, gt=0, le=1, doc="demand that holds the car at rest")
    upshift_speed: float = quantity("rad/s", 2400 * RPM, gt=0, doc="of the input shaft, with the pedal up")
    upshift_speed_full: float = quantity("rad/s", 5500 * RPM, gt=0, doc="the same with the pedal down")
    downshift_speed: float = quantity("rad/s", 1200 * RPM, gt=0, doc="of the input shaft, with the pedal up")
    downshift_speed_full: float = quantity("rad/s", 2600 * RPM, gt=0, doc="the same with the pedal down")
    shift_delay: float = quantity("s", 1.2, ge=0, typical=(0.0, 10.0), doc="after a change of gear, before the next")
    start_speed: float = quantity("rad/s", 1500 * RPM, gt=0, doc="of the engine in a launch, n_start")
    clutch_time: float = quantity("s", 1.0, gt=0, typical=(0.1, 5.0), doc="in which the clutch closes in a launch, t_c")
    declutch_speed: float = quantity("rad/s", 850 * RPM, gt=0, doc="of engine or input shaft, below which it opens")

    # -- signals ---------------------------------------------------------------------------------------------------

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        by = "the longitudinal driver"
        if self.reverses:
            at.signals.provide(BACKWARDS, lambda: self._block(at, p) and p.kept["backwards"], by)
        for name in PEDALS:
            at.signals.provide(name, self._pedal(at, p, name, name), by)
        if self._changes(at):
            self._provide_gears(at, p, by)
            at.signals.provide("friction_brake", self._pedal(at, p, "friction_brake", "brake"), by)
            return
        at.signals.provide("friction_brake", self._pedal(at, p, "friction_brake", "brake"), by)
        if any(_by_foot(item) for item in _members(at)):
            at.signals.provide("clutch", self._pedal(at, p, "clutch", "clutch"), by)
        if self.shifts and any(getattr(item, "by_hand", False) for item in _members(at)):
            at.signals.provide("driver.gear", lambda: self._block(at, p)["gear"], by)
            at.signals.provide("gear", self._pedal(at, p, "gear", "gear"), by)

    def _changes(self, at: VehicleModel) -> bool:
        """Whether he changes gears along a timeline: there is a gearbox that he may shift, behind a clutch."""
        manual = any(getattr(item, "by_hand", False) for item in _members(at))
        return self.gears is not None and manual

    def _provide_gears(self, at: VehicleModel, p: Symbols, by: str) -> None:
        """Gear, clutch, and what the gearbox asks of one who shifts."""

        def shifts() -> Any:
            self._block(at, p)
            return p.kept["shifts"]

        def clutch() -> Any:
            s = self._block(at, p)
            own = fmax(s["clutch"], s["shift.pedal"])
            if self.slip is not None:
                own = fmax(own, s["slip.opens"])
            if self.tires is not None:
                own = fmax(own, p.tires.clutch * (1 - s["air.share"]))
            given = at.signals.read("given.clutch", by)
            if CLUTCH_SHARE in at.signals:  # a manoeuvre says who has the clutch, whoever has pedals and lever
                return shared(at, "clutch", own, given)
            return if_else(logic_or(shifts() > 0.5, p.kept["active"] > 0.5), own, given)

        def gear() -> Any:
            return if_else(shifts() > 0.5, self._block(at, p)["shift.lever"], at.signals.read("given.gear", by))

        def first() -> Any:
            """What the run says, where it says a gear; else that which fits, from the input speeds of all gears."""
            self._block(at, p)
            given = p.kept["first_gear"]
            return lambda turns: if_else(fabs(given) > 0.5, given, self.gears.fitting(p.gears, turns))  # type: ignore[union-attr]

        at.signals.provide("clutch", clutch, by)
        at.signals.provide("gear", gear, by)
        at.signals.provide("driver.gear", gear, by)
        at.signals.provide("driver.first_gear", first, by)
        at.signals.provide("driver.shift_time", lambda: self._block(at, p)["shift.time"], by)

    def _block(self, at: VehicleModel, p: Symbols) -> dict[str, Any]:
        if "block" not in p.kept:
            scope = at.scope("driver")
            block = scope.block("pedals", doc="follows a speed")
            p.kept["block"] = block
            p.kept["active"] = scope.input("active", "-", "1: the driver has the pedals, 0: the run", in_statics=False)
            p.kept["target"] = scope.input("target_speed", "m/s", "that he follows", rate=True, in_statics=False)
            p.kept["signals"] = {
                name: block.signal(name, unit, doc, 1.0 if name == "gear" else 0.0)
                for name, (unit, doc) in SIGNALS.items()
            }
            if self.reverses:
                p.kept["backwards"] = scope.input("backwards", "-", "1: he drives backwards", in_statics=False)
            if self.slip is not None:
                for name, first in (("factor", 1.0), ("opens", 0.0)):
                    doc = "share of the throttle that slip leaves" if first else "1: slip opens the clutch"
                    p.kept["signals"][f"slip.{name}"] = block.signal(f"slip.{name}", "-", doc, first)
            if self.tires is not None:
                p.kept["signals"] |= self.tires.signals(block)
            if self._changes(at):
                assert self.gears is not None
                p.kept["signals"] |= self.gears.signals(block, at.system)
                doc = "1: the driver changes the gears, 0: the run"
                p.kept["shifts"] = scope.input("shifts", "-", doc, 1.0, in_statics=False)
                p.kept["revs"] = scope.input("revs", "-", "1: revs the engine before a start", in_statics=False)
                if CLUTCH_SHARE in at.signals:
                    p.kept["signals"]["clutch.had"] = block.signal("clutch.had", "-", "1 once he has the clutch")
                p.kept["first_gear"] = scope.input("first_gear", "-", "at the start; 0: that which fits")
        found: dict[str, Any] = p.kept["signals"]
        return found

    def _pedal(self, at: VehicleModel, p: Symbols, name: str, given: str) -> Callable[[], Any]:
        def make() -> Any:
            own = self._block(at, p)[name]
            other = at.signals.read(f"given.{given}", "the longitudinal driver")
            found = if_else(p.kept["active"] > 0.5, shared(at, given, own, other), other)
            if name == "throttle" and self._changes(at):
                found = self._cut(at, p, found)
            if name == "throttle" and self.slip is not None:
                found = found * self._block(at, p)["slip.factor"]
            if self.tires is not None and given in PEDALS:
                found = found * self.tires.pedal(p.tires, self._block(at, p), given)
            return found

        return make

    def _way(self, p: Symbols, gear: Any) -> Any:
        """1, or −1 while he drives backwards, or was put into a car that runs in reverse."""
        if self.reverses:
            return if_else(p.kept["backwards"] > 0.5, -1.0, 1.0)
        return 1.0 if gear is None else if_else(gear < -0.5, -1.0, 1.0)

    def _turned(self, thrust: Thrust, way: Any) -> Thrust:
        """The drive as one sees it who looks where he drives."""
        if not self.reverses and thrust.gear is None:
            return thrust
        return replace(thrust, force=lambda u, b, radius: way * thrust.force(u, b, radius))

    def _cut(self, at: VehicleModel, p: Symbols, throttle: Any) -> Any:
        """The throttle that a shift leaves: of the driver, and of a run where that is meant."""
        cut = self._block(at, p)["shift.cut"]
        also = fmax(p.kept["active"], p.gears.cuts_throttle)
        return throttle * if_else(logic_and(p.gears.cuts_throttle > 0.5, also > 0.5), cut, 1.0)

    # -- the law ---------------------------------------------------------------------------------------------------

    def close(self, at: VehicleModel, p: Symbols) -> None:
        s = self._block(at, p)
        block, system = p.kept["block"], at.system
        h, now = block.period, system.time
        thrust: Thrust = at.signals.read("drive.thrust", "the longitudinal driver")
        way = p.kept["way"] = self._way(p, thrust.gear)
        thrust = self._turned(thrust, way)
        starts = logic_or(s["started"] < 0.5, p.kept["active"] < 0.5)
        given = {name: at.signals.read(f"given.{name}", "the longitudinal driver") for name in PEDALS}
        last = {name: if_else(starts, given[name], s[name]) for name in PEDALS}

        v, slope = way * self.speed_of(at), way * self.slope_of(at)
        target, wanted = self._target(at, p)
        slope = if_else(starts, slope, s["slope"] + clip(h / p.slope_filter, 0.0, 1.0) * (slope - s["slope"]))
        error = target - v
        change = (v - s["speed"]) / h
        measured = if_else(starts, wanted, s["acceleration"] + clip(h / p.acceleration_filter, 0.0, 1.0)
                           * (change - s["acceleration"]))  # fmt: skip
        wish = wanted - measured
        integral = if_else(starts, 0.0, s["integral"] + 0.5 * h * (s["error"] + error))
        felt = if_else(starts, 0.0, s["felt"] + 0.5 * h * (s["wish"] + wish))

        mass = p.mass + thrust.mass(p.radius)
        resistance = p.resistance + p.resistance_linear * target + p.resistance_square * target * target
        doc = "force against the car that an outside model of the air has more, for the driver's feed-forward"
        more_drag = at.outside(DRAG, "N", doc, "added")
        resistance = resistance if more_drag is None else resistance + more_drag
        uphill = p.weight * slope

        def force(of_speed: Any, of_acceleration: Any) -> Any:
            more = p.speed_gain * error + p.speed_integral * of_speed
            more = more + p.acceleration_gain * wish + p.acceleration_integral * of_acceleration
            return mass * (wanted + more) + resistance + uphill  # (1), (2)

        full, up = thrust.force(1.0, 0.0, p.radius), thrust.force(LEAST, 0.0, p.radius)
        hardest = thrust.force(0.0, 1.0, p.radius) if thrust.braking else up
        low = hardest - p.brake_force
        wound = force(integral, felt)
        grows = p.speed_integral * (integral - s["integral"]) + p.acceleration_integral * (felt - s["felt"])
        stuck = logic_or(logic_and(wound > full, grows > 0), logic_and(wound < low, grows < 0))
        engaged = thrust.engaged * s["shift.cut"] if self._changes(at) else thrust.engaged
        stuck = logic_and(logic_not(starts), logic_or(stuck, engaged < 0.5))
        integral, felt = if_else(stuck, s["integral"], integral), if_else(stuck, s["felt"], felt)
        asked = clip(force(integral, felt), low, fmax(full, low))

        # standing, and starting on a slope
        still = logic_and(logic_and(fabs(target) < STILL, wanted < STILL), fabs(v) < STOPPING)
        # of the last step: torques at the hubs are known only with all that the vehicle does
        pushes = at.scope("driver").memory("push", "N", "force of the drive at the last step", role="free")
        at.scope("driver").next_memory(pushes, way * sum((w.drive_torque for w in at.wheels.values()), 0.0) / p.radius)
        # who takes over a car whose brakes hold it goes on holding it
        held_before = logic_and(given["brake"] > LEAST, fabs(v) < STOPPING)
        held_before = if_else(starts, held_before, s["holds"] > 0.5)
        slides = logic_and(held_before, pushes < uphill - BAND * p.mass)
        holds = if_else(logic_or(still, slides), 1.0, 0.0)
        integral, felt = if_else(holds > 0.5, 0.0, integral), if_else(holds > 0.5, 0.0, felt)

        # which pedal
        ready = now - s["changed"] > PEDAL_HOLD
        band = BAND * p.mass
        over = if_else(s["braking"] > 0.5, asked > up + band, asked < up - band)
        turns = logic_and(logic_and(ready, over), logic_not(starts))
        first = if_else(asked < up, 1.0, 0.0)
        braking = if_else(starts, first, if_else(turns, 1 - s["braking"], s["braking"]))
        drives = logic_and(braking < 0.5, logic_not(still))
        # while a clutch slips, feedback would rev the engine up: what is missing is not torque
        eager = fmax(wanted, fmin(wanted + p.speed_gain * error, LAUNCH))
        slips = self._slips(at, p, s, thrust)
        launching = clip(p.mass * eager + resistance + uphill, low, fmax(full, low))  # the engine turns as it did
        pushed = asked if slips is None else if_else(slips, launching, asked)
        throttle = if_else(drives, _throttle(thrust, pushed, full, p.radius), 0.0)
        motors, friction = self._brakes(thrust, asked, hardest, up, p)
        on = logic_and(braking > 0.5, last["throttle"] <= LEAST)  # one foot for both pedals
        held = if_else(holds > 0.5, p.hold_brake, 0.0)
        friction = fmax(if_else(on, friction, 0.0), held)
        # motors that brake do not drive: while drive and brake work together only the brakes hold
        motors = fmax(if_else(on, motors, 0.0), if_else(still, held, 0.0) if thrust.braking else held)

        throttle = self._launch(at, p, s, thrust, throttle, holds, starts, slips)
        block.update(s["started"], if_else(p.kept["active"] > 0.5, 1.0, 0.0))
        if self.pedal_lag is not None:
            throttle = last["throttle"] + h / (h + p.pedal_lag) * (throttle - last["throttle"])
        falls = p.throttle_rate if self.throttle_release_rate is None else p.throttle_release_rate
        block.update(s["throttle"], _limited(throttle, last["throttle"], p.throttle_rate * h, falls * h))
        falls = p.brake_rate if self.brake_release_rate is None else p.brake_release_rate
        for name, value in (("brake", motors), ("friction_brake", friction)):
            before = last["brake"] if name == "brake" else if_else(starts, given["brake"], s["friction_brake"])
            if self.pedal_lag is not None:
                value = before + h / (h + p.pedal_lag) * (value - before)
            block.update(s[name], _limited(value, before, p.brake_rate * h, falls * h))
        for name, value in (
            ("integral", integral), ("error", error), ("felt", felt), ("wish", wish), ("acceleration", measured),
            ("speed", v), ("braking", braking), ("changed", if_else(logic_or(turns, starts), now, s["changed"])),
            ("holds", holds), ("slope", slope),
        ):  # fmt: skip
            block.update(s[name], value)
        if self.slip is not None:
            slips = self.slips_of(at)
            block.update(s["slip.factor"], self.slip.factor(p.slip, slips))
            block.update(s["slip.opens"], self.slip.opens(p.slip, slips))
        if self.tires is not None:
            self.tires.update(p.tires, s, block, now, self.slips_of(at), self.loads_of(at))
        p.kept.update(asked=way * asked, error=way * error)

    def slips_of(self, at: VehicleModel) -> dict[str, Any]:
        """Longitudinal slip by wheel."""
        return {name: wheel.tire.values["kappa"] for name, wheel in at.wheels.items()}

    def loads_of(self, at: VehicleModel) -> dict[str, Any]:
        """Load of the tire by wheel."""
        return {name: wheel.load for name, wheel in at.wheels.items()}

    def _target(self, at: VehicleModel, p: Symbols) -> tuple[Any, Any]:
        """The speed that he follows and its rate: that of the run, or of the path that another driver steers along."""
        way = p.kept["way"]
        target, rate = way * p.kept["target"], way * at.system.rate_of(p.kept["target"])
        if "path_speed" in at.signals:
            counts, speed, change = at.signals.read("path_speed", "the longitudinal driver")
            target, rate = if_else(counts, speed, target), if_else(counts, change, rate)
        p.kept["followed"] = way * target
        return target, rate

    def speed_of(self, at: VehicleModel) -> Any:
        """Of the point whose speed is that of the vehicle's channels, along the chassis."""
        body = at.place.units[0].data.body
        point = [0.0, 0.0, 0.0] if body.reference_point is None else at.units[0].symbols(body, "body").reference
        return at.units[0].chassis.point_velocity(point)[0]

    def slope_of(self, at: VehicleModel) -> Any:
        """Sine of the slope of the road along the chassis."""
        unit = at.units[0]
        n = unit.ground.under(unit.chassis, [0.0, 0.0, 0.0]).normal
        flat = [1 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2]]
        length = (flat[0] ** 2 + flat[1] ** 2 + flat[2] ** 2) ** 0.5
        return unit.chassis.to_world(flat)[2] / length

    def _brakes(self, thrust: Thrust, asked: Any, hardest: Any, up: Any, p: Symbols) -> tuple[Any, Any]:
        """Demand of motors and of the friction brakes (3)."""
        full = fmax(p.brake_force, 1.0)
        if not thrust.braking:
            friction = clip((up - asked) / full, 0.0, 1.0)
            return friction, friction
        motors = solved(lambda b: -thrust.force(0.0, b, p.radius), -asked)
        return motors, clip((hardest - asked) / full, 0.0, 1.0)

    def _slips(self, at: VehicleModel, p: Symbols, s: dict[str, Any], thrust: Thrust) -> Any:
        """Whether a clutch with a pedal slips in a launch; None: there is none."""
        engine, shaft = thrust.machine_speed, thrust.input_speed
        if engine is None or shaft is None or not any(_by_foot(item) for item in _members(at)):
            return None
        turns = logic_or(logic_and(engine - shaft > SLIPPING, s["clutch"] > CLOSED), shaft < p.declutch_speed)
        return logic_and(shaft < 0.95 * p.start_speed, turns)

    def _launch(
        self, at: VehicleModel, p: Symbols, s: dict[str, Any], thrust: Thrust, throttle: Any, holds: Any, starts: Any,
        slips: Any,
    ) -> Any:  # fmt: skip
        """Clutch and gears; returns the throttle."""
        block, h, now = p.kept["block"], p.kept["block"].period, at.system.time
        engine, shaft = thrust.machine_speed, thrust.input_speed
        changes = self._changes(at)
        revving = p.kept["revs"] > 0.5 if changes else 0.0
        if slips is not None:
            missing = p.start_speed - engine
            launches = logic_and(throttle > LEAST, slips)
            open_ = logic_or(engine < p.declutch_speed, logic_and(shaft < p.declutch_speed, throttle <= LEAST))
            open_ = logic_or(open_, logic_and(holds > 0.5, throttle <= LEAST))
            slow = clip(CLOSING * missing, -3.0, 5.0) / p.clutch_time  # (4)
            rate = if_else(open_, 5.0 / p.clutch_time, if_else(launches, slow, -3.0 / p.clutch_time))
            given = at.signals.read("given.clutch", "the longitudinal driver")
            fresh = starts
            if "clutch.had" in s:
                fresh = s["clutch.had"] < 0.5
                has = at.signals.read(CLUTCH_SHARE, "the longitudinal driver")[0] > 0
                block.update(s["clutch.had"], if_else(has, 1.0, 0.0))
            last = if_else(fresh, if_else(shaft < p.declutch_speed, 1.0, given), s["clutch"])
            pedal = clip(last + h * rate, 0.0, 1.0)
            block.update(s["clutch"], if_else(revving, 1.0, pedal) if changes else pedal)
            throttle = if_else(launches, clip(throttle + REVVING * missing, 2 * LEAST, 1.0), throttle)
        else:
            block.update(s["clutch"], 0.0)
            if "clutch.had" in s:
                block.update(s["clutch.had"], 0.0)
        if changes:
            return self._change(at, p, s, thrust, throttle, starts, slips)
        if thrust.gear is None or not self.shifts or shaft is None:
            block.update(s["gear"], s["gear"])
            block.update(s["shifted"], s["shifted"])
            return throttle
        u = s["throttle"]
        upper = p.upshift_speed + u * (p.upshift_speed_full - p.upshift_speed)
        lower = p.downshift_speed + u * (p.downshift_speed_full - p.downshift_speed)
        ready = logic_and(now - s["shifted"] > p.shift_delay, thrust.engaged > 0.99)
        more = logic_and(ready, shaft > upper)
        less = logic_and(ready, logic_and(shaft < lower, s["gear"] > 1.5))
        moved = s["gear"] + if_else(more, 1.0, 0.0) - if_else(less, 1.0, 0.0)
        moved = if_else(holds > 0.5, 1.0, fmin(moved, thrust.gear + 1.0))
        if self.reverses:
            moved = if_else(p.kept["backwards"] > 0.5, REVERSE, fmax(moved, 1.0))
        block.update(s["gear"], if_else(starts, thrust.gear, moved))
        block.update(s["shifted"], if_else(logic_or(more, less), now, s["shifted"]))
        return throttle

    def _change(
        self, at: VehicleModel, p: Symbols, s: dict[str, Any], thrust: Thrust, throttle: Any, starts: Any, slips: Any
    ) -> Any:  # fmt: skip
        """Gears along their timeline; returns the throttle."""
        assert self.gears is not None
        block = p.kept["block"]
        pressed = if_else(p.kept["active"] > 0.5, throttle, at.signals.read("given.throttle", "the gears"))
        wants = Wants(
            starts=s["started.gears"] < 0.5,
            ready=1.0 if slips is None else if_else(logic_or(slips, s["clutch"] > CLOSED), 0.0, 1.0),
            throttle=pressed, shifts=p.kept["shifts"] > 0.5,
            given_gear=at.signals.read("given.gear", "the gears"), radius=p.radius, speed=self.speed_of(at),
            no_upshift=None if self.tires is None else s["air.held"],
        )  # fmt: skip
        self.gears.change(at, p.gears, s, block, thrust, wants)
        block.update(s["started.gears"], 1.0)
        block.update(s["gear"], s["shift.chosen"])
        block.update(s["shifted"], s["shift.begin"])
        if thrust.machine_speed is None:
            block.update(s["shift.revving"], 0.0)
            return throttle
        revs = self.gears.revs(s, block, p.kept["revs"] > 0.5, thrust.machine_speed, p.start_speed)
        return if_else(p.kept["revs"] > 0.5, revs, throttle)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        s = p.kept["signals"]
        at.channel("driver.target_speed", p.kept["followed"], "m/s", "that the longitudinal driver follows")
        at.channel("driver.speed_error", p.kept["error"], "m/s", "wanted less actual speed")
        at.channel("driver.force", p.kept["asked"], "N", "along the road that he asks for")
        at.channel("driver.friction_brake", s["friction_brake"], "-", "of the brake demand what the brakes do")
        at.channel("driver.slope", s["slope"], "-", "of the road that he feels, sine")
        if self.slip is not None:
            at.channel("driver.slip_factor", s["slip.factor"], "-", "share of the throttle that slip leaves")
        if self.tires is not None:
            at.channel("driver.airborne_share", s["air.share"], "-", "of the pedals that is back after a jump")
            at.channel("driver.no_upshift", s["air.held"], "-", "1 while spinning tires keep him from shifting up")
        if self._changes(at):
            at.channel("driver.shift", s["shift.busy"] * s["shift.way"], "-", "1 while he shifts up, -1 down")
            at.channel("driver.shift_throttle", s["shift.cut"], "-", "share of the throttle that a shift leaves")


def _members(at: VehicleModel) -> Iterator[Part]:
    """The parts of the driveline, by data."""
    line = getattr(at.place.data, "driveline", None)
    if line is not None:
        yield from (item for _, item in line.parts_by_key())


def _by_foot(item: Part) -> bool:
    """Whether a part is a clutch that its driver opens and closes."""
    return getattr(item, "automatic", True) is False


def _throttle(thrust: Thrust, asked: Any, full: Any, radius: Any) -> Any:
    """F_drive(u, 0) = F (3)."""
    if thrust.linear:
        up = thrust.force(0.0, 0.0, radius)
        return clip((asked - up) / fmax(full - up, 1.0), 0.0, 1.0)
    return solved(lambda u: thrust.force(u, 0.0, radius), asked)


def solved(f: Callable[[Any], Any], value: Any) -> Any:
    """x from 0 to 1 with f(x) = value, f growing; the ends where it has no such x. Of symbols, or of numbers."""
    low: Any = LEAST
    high: Any = 1.0
    below, above = f(low), f(high)
    first, last = below, above
    for _ in range(HALVINGS):  # motors jump between coasting and braking: lines instead of halves are slow there
        middle = 0.5 * (low + high)
        there = f(middle)
        smaller = there < value
        low, below = if_else(smaller, middle, low), if_else(smaller, there, below)
        high, above = if_else(smaller, high, middle), if_else(smaller, above, there)
    found = low + (high - low) * clip((value - below) / fmax(above - below, 1e-9), 0.0, 1.0)
    return if_else(value <= first, 0.0, if_else(value >= last, 1.0, found))


def _limited(value: Any, last: Any, most: Any, falls: Any) -> Any:
    return clip(value, last - falls, last + most)
