"""Hydraulic anti-lock control: valves build, hold and dump pressure by what wheel-speed sensors tell.

At every sample (5 ms) each channel has an estimate of the slip of its wheel and of how it goes on, from the sensed
speed v_w, the speed v_r that the wheel would have without slip (``sensors`` (2)), and both accelerations:

    s = 1 − v_w/v_r,     s_p = s + t_p (a_x − a_w)/v_r                                                             (1)

and compares with what a tire bears. The slip of largest force grows with the grip of the road, since the stiffness of a
tire does not; what the car decelerates by tells the grip:

    s* = s_0 + s_1 |a_x|/g + v_0/v_r,     e = s_p − s*                                                             (2)

A wheel is controlled from the first e > 0 on for which the grip in (2) is that of the best road, |a_x| = g: before, the
car has not yet felt what the road bears.

e > band: the outlet opens, by the share d = (e − band)/w of the time, and beyond e > s_l, where the wheel is about to
lock, more and more; e < −band: the inlet, by b = (−e − band)/w; between them both are shut. The width of the outlet is
given, that of the inlet is a share of s*; w = width (1 + v_1/v_r) grows as the car slows down, since a tire answers
after a way, not after a time. v_0/v_r is what teeth resolve. Pressure behind the valves, with the pressure p_l before
them, by the flow through orifices into a caliper whose stiffness is in k; pulses are shorter where pressures are low:

    ṗ = b min(k_b √(p_l − p), g_b (p + p_0)),     ṗ = −d min(k_d √p, g_d (p + p_0)),  towards −k_d √p beyond s_l   (3)

A wheel that does not slip too much has its line; one that did has it again when p has come back to p_l. A car slower
than ``low_speed`` gives too few edges to tell slips by: the pressure of a wheel that was controlled goes to a share of
what it bore in the mean, and from there to p_l so slowly that the last metre has no jerk:

    ṗ = (c_h p̄ − p)/60 ms,   t_h dp̄/dt = p − p̄  while it is controlled                                            (4)

On ice the best slip is a few thousandths, and an estimate of the speed that is too high by a percent makes a control
that goes round in circles: less pressure, less deceleration, less slip that is wanted (2). A wheel that turns with the
car and has less than half of what it bore in the last second cannot slip: it is believed (``sensed.unbraked``).

Both wheels of an axle are one channel with ``select_low``: what slips more decides. On other axles, while one wheel is
controlled and has less pressure than the other, that one builds no faster than ``split_rate``: the yaw moment on a road
that grips on one side grows as slowly as a driver can steer against it.

Motors do not brake while a wheel is controlled: their torque cannot be dumped. A gearbox behind a converter opens
meanwhile, since an idling engine pushes: on ice as hard as a tenth of what the tires bear; so does a clutch that works
by itself, as a driver's foot would, since gears and engine pull wheels that slip with them. They take hold again when
no wheel is controlled, after a stop when the pedal is released.

The unit sees sensors only. Control by slip and acceleration of the wheel, valves and yaw moment delay: [Reif2014],
antilock braking systems; (2) and the law of the shares are ours. Not modelled: the pump, which has always fluid to
spare.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from jounce.components.controllers.arbiter import UNLIMITED, arbiter
from jounce.components.controllers.controller import Controller
from jounce.components.controllers.sensors import Sensed, sensed
from jounce.components.model import VehicleModel, WheelModel
from jounce.components.part import Symbols
from jounce.components.places import WheelPlace
from jounce.core.constants import GRAVITY
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, fabs, fmax, fmin, if_else, logic_and, logic_or, sqrt

NAME = "abs"  # for the arbiter
PERIOD = 0.005  # s
RECOVERED = 0.04  # s without pressure after which a wheel rolls freely
EASED = 0.5  # of the pressure that it bore in the last seconds, likewise
BORE = 1.0  # s, of that mean
WITH_THE_CAR = 2.0  # m/s2: difference of accelerations of a wheel that rolls freely
NEARLY = 0.75  # of the speed of the car, that such a wheel has at least
RETURN = 0.5  # s in which motors may brake again after a control
PRESSED = 2e5  # Pa: less in a line is no braking
PEDAL = 0.01  # demand of the brake, the same where motors brake
SLOWEST = 0.5  # m/s, in slips
RATED = 1e7  # Pa: pressure at which flows of valves are given
AT_FIRST = 0.4  # of the preview: pressure that grows fast slows the wheel for a moment before its tire answers
HOLDS = 0.06  # s in which a pressure goes to what is held
RELEASE = 0.02  # share of the inlet below the low speed: slow enough that nobody feels it
FORESEEN = 0.1  # slip that may be foreseen: of slow wheels few edges tell
APART = 5e5  # Pa between the wheels of an axle that is no split road


class HydraulicABS(Controller):
    """Anti-lock control by valves and wheel-speed sensors."""

    kind: Literal["hydraulic_abs"] = choice("hydraulic_abs", doc="kind of controller")
    select_low: Literal["none", "rear", "all"] = choice(
        "rear", doc="axles whose wheels are one channel, that of the wheel that slips more; rear: all but the first"
    )
    slip: float = quantity("-", 0.006, ge=0, typical=(0.0, 0.3), doc="that is wanted on a road without grip, s_0")
    slip_per_grip: float = quantity("-", 0.085, ge=0, typical=(0.0, 0.5), doc="what a deceleration of 1 g adds, s_1")
    slip_speed: float = quantity("m/s", 0.08, ge=0, typical=(0.0, 1.0), doc="what slow teeth add, v_0")
    preview: float = quantity("s", 0.025, ge=0, typical=(0.0, 0.2), doc="for which the slip is foreseen, t_p")
    band: float = quantity("-", 0.003, ge=0, typical=(0.0, 0.1), doc="half the range of slip in which pressure is held")
    width: float = quantity("-", 0.06, gt=0, typical=(0.005, 0.5), doc="of slip beyond it, for the outlet")
    build_width: float = quantity("-", 1.0, gt=0, typical=(0.05, 5.0), doc="the same for the inlet, of the wanted slip")
    build_rate: float = quantity(
        "Pa/s", 1e8, gt=0, typical=(1e6, 1e9), doc="through the inlet at 10 MPa, k_b sqrt(10 MPa)"
    )
    dump_rate: float = quantity(
        "Pa/s", 1.2e8, gt=0, typical=(1e6, 1e9), doc="through the outlet at 10 MPa, k_d sqrt(10 MPa)"
    )
    build_share: float = quantity("1/s", 8.0, gt=0, typical=(0.5, 50.0), doc="fastest relative build, g_b")
    dump_share: float = quantity("1/s", 10.0, gt=0, typical=(0.5, 100.0), doc="fastest relative dump of pulses, g_d")
    locking: float = quantity(
        "-", 0.15, gt=0, typical=(0.02, 0.5), doc="slip beyond the wanted one from which it is open"
    )
    slow: float = quantity("m/s", 15.0, ge=0, typical=(0.0, 50.0), doc="speed at which the width has doubled, v_1")
    build_least: float = quantity("Pa", 5e5, gt=0, typical=(1e4, 5e6), doc="p_0")
    split_rate: float = quantity("Pa/s", 1.5e7, gt=0, typical=(1e5, 1e8), doc="of the wheel that grips on a split road")
    low_speed: float = quantity("m/s", 4.5, ge=0, typical=(0.0, 10.0), doc="below which pressures are held")
    hold_share: float = quantity("-", 0.95, gt=0, le=1, typical=(0.5, 1.0), doc="of the mean that is held, c_h")
    hold_time: float = quantity("s", 0.2, gt=0, typical=(0.02, 2.0), doc="of that mean, t_h")

    def selects(self, place: WheelPlace) -> bool:
        return self.select_low == "all" or (self.select_low == "rear" and place.axle.number > 1)

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for name, wheel in at.wheels.items():
            arbiter(at).enter(f"pressure.{name}", NAME, "limit", partial(self._limit, at, p, wheel))
        for what in ("regeneration", "coupling"):
            arbiter(at).enter(what, NAME, "scale", partial(self._motors, at, p))
        at.signals.provide("sensed.unbraked", lambda: self._logic(at, p)[0], self.kind)

    # -- signals -----------------------------------------------------------------------------------------------------

    def _logic(self, at: VehicleModel, p: Symbols) -> tuple[Any, Any, Any]:
        """Its blocks and signals; before sensors, which ask whether a wheel rolls freely."""
        if "logic" not in p.kept:
            scope = at.scope(self.kind)
            logic = scope.block("logic", PERIOD, doc="decides what the valves do")
            valves = scope.block("valves", doc="pressure behind the valves")
            freely = logic.signal("freely", "-", "1 while a wheel is known to roll freely")
            p.kept["logic"] = (freely, logic, valves)
            p.kept["motors"] = logic.signal(
                "motors", "-", "share that motors brake, converters and clutches carry", 1.0
            )
            for name in at.wheels:
                p.kept[name] = {
                    "acts": logic.signal(f"acts.{name}", "-", "1 while it is controlled"),
                    "share": logic.signal(f"share.{name}", "-", "of the time: builds above zero, dumps below"),
                    "bore": logic.signal(f"bore.{name}", "Pa", "mean pressure while it is controlled"),
                    "empty": logic.signal(f"empty.{name}", "s", "since when it has no pressure"),
                    "limit": valves.signal(f"limit.{name}", "Pa", "pressure behind the valves", UNLIMITED),
                    "held": valves.signal(f"held.{name}", "Pa", "pressure that is held at the end of a stop"),
                }
        found: tuple[Any, Any, Any] = p.kept["logic"]
        return found

    def _motors(self, at: VehicleModel, p: Symbols) -> Any:
        """What is left of the brake demand to motors."""
        sensed(at, self.kind)
        self._logic(at, p)
        return p.kept["motors"]

    def _limit(self, at: VehicleModel, p: Symbols, wheel: WheelModel) -> Any:
        sensed(at, self.kind)  # first: what they tell is used at the same instant
        self._logic(at, p)
        return p.kept[wheel.place.name]["limit"]

    # -- the law -----------------------------------------------------------------------------------------------------

    def close(self, at: VehicleModel, p: Symbols) -> None:
        freely, logic, valves = self._logic(at, p)
        seen = sensed(at, self.kind)
        empty = [p.kept[name]["empty"] for name in at.wheels]
        logic.update(freely, if_else(sum(if_else(time > RECOVERED, 1.0, 0.0) for time in empty) > 0.5, 1.0, 0.0))
        errors, firsts = ({name: self._error(p, seen, name, first) for name in at.wheels} for first in (False, True))
        lines = {name: arbiter(at).before(at, f"pressure.{name}", NAME) for name in at.wheels}
        on = logic_and(logic_and(p.active > 0.5, seen.started > 0.5), seen.speed > p.low_speed)
        motors: Any = 0.0  # they brake before the lines have pressure
        if "drive.thrust" in at.signals and at.signals.read("drive.thrust", self.kind).braking:
            motors = at.signals.read("brake", self.kind) > PEDAL
        begins, braked = {}, motors
        for name, wheel in at.wheels.items():
            own, other = p.kept[name], wheel.paired.place.name
            pressed = logic_or(fmax(lines[name], lines[other]) > PRESSED, motors)
            braked = logic_or(braked, pressed)
            too_much = fmax(firsts[name], firsts[other]) > 0  # one wheel of an axle takes the other along
            stays = logic_and(own["acts"] > 0.5, lines[name] > 1.001 * own["limit"])
            stays = logic_or(stays, p.kept[other]["acts"] > 0.5)
            begins[name] = if_else(logic_and(logic_and(on, pressed), logic_or(too_much, stays)), 1.0, 0.0)
        # once they have let go they do not pull at the last metre: not before the pedal is released
        ends = logic_and(logic_and(braked, p.kept["motors"] < 0.5), seen.speed <= p.low_speed)
        controlled = logic_or(sum(begins.values()) > 0.5, ends)
        back = fmin(p.kept["motors"] + logic.period / RETURN, 1.0)
        logic.update(p.kept["motors"], if_else(controlled, 0.0, back))
        for name, wheel in at.wheels.items():
            own, other = p.kept[name], wheel.paired.place.name
            error = fmax(errors[name], errors[other]) if self.selects(wheel.place) else errors[name]
            slows = 1 + p.slow / fmax(seen.speed, SLOWEST)
            builds = p.build_width * self._wanted(p, seen.speed, fabs(seen.ax) / GRAVITY)
            opens = clip((fabs(error) - p.band) / (slows * if_else(error > 0, p.width, builds)), 0.0, 1.0)
            flows = clip((error - p.locking) / p.locking, 0.0, 1.0)
            logic.update(own["acts"], begins[name])
            # a wheel that was locked takes its time to spin up: until it moves with the car it tells nothing
            along = fabs(seen.wheel_acceleration[name] - seen.grows) < WITH_THE_CAR
            along = logic_and(along, seen.wheel_speed[name] > NEARLY * seen.reference[name])
            # less than half of what it bore: whatever the slip seems to be, there is next to none
            bore, here = own["bore"], fmin(own["limit"], lines[name])
            mean = bore + logic.period / BORE * (here - bore)
            logic.update(bore, if_else(own["acts"] > 0.5, mean, 0.0))
            dry = logic_and(logic_and(own["acts"] > 0.5, own["limit"] < fmax(PRESSED, EASED * bore)), along)
            logic.update(own["empty"], if_else(dry, own["empty"] + logic.period, 0.0))
            logic.update(own["share"], if_else(error > 0, -opens - flows, opens))
            slow = seen.speed <= p.low_speed
            self._valve(p, valves, own, p.kept[other], lines[name], slow, split=not self.selects(wheel.place))

    def _error(self, p: Symbols, seen: Sensed, name: str, first: bool) -> Any:
        """e (2); the ``first`` time with the grip of the best road, and foreseen by less."""
        fast = fmax(seen.reference[name], SLOWEST)
        slip = 1 - seen.wheel_speed[name] / fast
        ahead = p.preview * (seen.grows - seen.wheel_acceleration[name]) / fast
        foreseen = slip + (AT_FIRST if first else 1.0) * clip(ahead, -FORESEEN, FORESEEN)  # (1)
        grip = 1.0 if first else fabs(seen.ax) / GRAVITY
        return foreseen - self._wanted(p, fast, grip)

    def _wanted(self, p: Symbols, speed: Any, grip: Any) -> Any:
        """s* (2)."""
        return p.slip + p.slip_per_grip * grip + p.slip_speed / fmax(speed, SLOWEST)

    def _valve(self, p: Symbols, valves: Any, own: Any, other: Any, line: Any, slow: Any, split: bool) -> None:
        """(3), the line where nothing is controlled, and (4)."""
        h, acts = valves.period, own["acts"] > 0.5
        here = fmin(own["limit"], line)
        gentle = p.build_share * (here + p.build_least)
        inlet = fmin(p.build_rate * sqrt(fmax(line - here, 0.0) / RATED), gentle)
        if split:
            lower = logic_and(other["acts"] > 0.5, here > other["limit"] + APART)
            inlet = if_else(lower, fmin(inlet, p.split_rate), inlet)
        share = if_else(acts, own["share"], 1.0)
        outlet = p.dump_rate * sqrt(fmax(here, 0.0) / RATED)
        pulsed = fmin(outlet, p.dump_share * (here + p.build_least))
        falls = fmin(-share, 1.0) * pulsed + fmax(-share - 1.0, 0.0) * (outlet - pulsed)
        rate = if_else(share > 0, share * inlet, -falls)
        # (4)
        held, was = own["held"], own["limit"] < UNLIMITED
        follows = if_else(acts, held + h / p.hold_time * (p.hold_share * here - held), p.hold_share * here)
        grows = fmin(held + h * RELEASE * p.build_share * (held + p.build_least), line)
        ends = logic_and(slow, was)
        valves.update(held, if_else(ends, grows, follows))
        rate = if_else(ends, (held - here) / HOLDS, rate)
        moved = fmax(here + h * rate, 0.0)
        done = logic_and(own["acts"] < 0.5, moved >= 0.98 * line)
        valves.update(own["limit"], if_else(done, UNLIMITED, moved))

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        at.channel("ABS_Drive.share", p.kept["motors"], "-", "that motors brake, converters and clutches carry")
        for name in at.wheels:
            at.channel(f"ABS_activity.{name}", p.kept[name]["acts"], "-", "1 while it acts")
            at.channel(f"ABS_Valve.{name}", p.kept[name]["share"], "-", "builds above zero, dumps below, by its share")
