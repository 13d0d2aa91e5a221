"""Stability control: one wheel is braked when the car turns otherwise than its driver steers.

What the driver wants is the yaw rate of the single-track model with the car's own figures: hand wheel angle per
curvature at low speed S (ratio times wheelbase) and what a lateral acceleration adds to it U (understeer gradient at
the hand wheel). With the sensed speed v, hand wheel angle δ and lateral acceleration a_y,

    ψ̇_s = v δ*/(S + U v²),     δ* = δ − U g_b                                                                     (1)
    ψ̇_r = clip(ψ̇_s, ±(|a_y| + m)/v)                                                                                (2)

(2): a car cannot turn faster for long than its tires carry; m is what may still grow. g_b is the part of a_y that a
bank makes, learnt slowly from a_y − v ψ̇ while nothing is wrong. ψ̇_r follows through a lag, as a car does. How fast
the car turns out of its way is told by the same sensors; with a time τ in which it is forgotten,

    dβ/dt = a_y/v − ψ̇ − β/τ                                                                                      (3)

is its estimate of the side slip. With e = ψ̇ − ψ̇_r, and dead zones d_e, d_β taken off,

    M = −K_e e − K_β β̃,        β̃: where it has the sign that more turning would make worse                        (4)

A moment to the left is made by brakes on the left. A car that turns too much has the brake of its first axle there,
outside of its turn, one that turns too little that of its last axle. p = |M|/(y · F/p), as fast as the pump can, and
the arbiter lets anti-lock control have the last word. The drive has nothing while a wheel is braked.

In reverse it looks on. The unit sees sensors with offset and noise, never the true side slip. [Reif2014],
electronic stability program; (2), (3) with what is forgotten, and the dead zones are ours.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

from jounce.components.controllers.arbiter import arbiter
from jounce.components.controllers.controller import ReferenceController
from jounce.components.controllers.sensors import force_per_pressure, sensed, side
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, fabs, fmax, fmin, if_else, logic_and, sign

NAME = "stability_control"
DEGREE = math.pi / 180
STEEPEST = 2.5  # m/s2: gravity of a bank that is believed
SLOWEST = 3.0  # m/s, in divisions


class StabilityControl(ReferenceController):
    """Brakes single wheels so that the car turns as it is steered."""

    kind: Literal["stability_control"] = choice("stability_control", doc="kind of controller")
    grows: float = quantity("m/s2", 2.0, gt=0, typical=(0.2, 10.0), doc="lateral acceleration that may still come, m")
    lag: float = quantity("s", 0.06, gt=0, typical=(0.01, 0.5), doc="of the yaw rate that is wanted")
    bank_filter: float = quantity("s", 1.5, gt=0, typical=(0.2, 20.0), doc="time constant in which a bank is learnt")
    forgets: float = quantity("s", 0.8, gt=0, typical=(0.1, 10.0), doc="time constant of the side slip, tau")
    dead_yaw_rate: float = quantity(
        "rad/s", 4.0 * DEGREE, ge=0, typical=(0.0, 0.3), doc="error that is left alone, d_e"
    )
    dead_share: float = quantity(
        "-", 0.15, ge=0, le=1, doc="of the yaw rate that is wanted, that is left alone besides"
    )
    dead_side_slip: float = quantity("rad", 3.0 * DEGREE, ge=0, typical=(0.0, 0.3), doc="that is left alone, d_b")
    yaw_gain: float = quantity("N.m.s/rad", 6e4, ge=0, typical=(1e3, 1e6), doc="moment per yaw rate, K_e")
    side_slip_gain: float = quantity("N.m/rad", 1.2e5, ge=0, typical=(1e3, 1e7), doc="moment per side slip, K_b")
    least_moment: float = quantity("N.m", 300.0, ge=0, typical=(1.0, 1e4), doc="moment below which no wheel is braked")
    build_rate: float = quantity("Pa/s", 6e7, gt=0, typical=(1e6, 1e9), doc="of the pressure that its pump makes")
    largest_pressure: float = quantity("Pa", 1.5e7, gt=0, typical=(1e6, 5e7), doc="that its pump makes")
    low_speed: float = quantity("m/s", 5.0, gt=0, typical=(1.0, 20.0), doc="below which it leaves the car alone")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for name in at.wheels:
            arbiter(at).enter(f"pressure.{name}", NAME, "raise", partial(self._signal, at, p, f"pressure.{name}"))
        arbiter(at).enter("throttle", NAME, "limit", partial(self._signal, at, p, "throttle"))

    def _block(self, at: VehicleModel, p: Symbols) -> Any:
        if "block" not in p.kept:
            seen = sensed(at, self.kind)
            block = at.scope(self.kind).block("unit", seen.block.default_period, doc="watches over the yaw rate")
            p.kept["seen"], p.kept["block"] = seen, block
            for name, unit, doc, first in (
                ("reference", "rad/s", "yaw rate that is wanted", 0.0),
                ("side_slip", "rad", "estimated", 0.0),
                ("bank", "m/s2", "of gravity in the lateral acceleration", 0.0),
                ("moment", "N.m", "that is asked for", 0.0),
                ("throttle", "-", "most of the demand of the drive", 1.0),
            ):
                p.kept[name] = block.signal(name, unit, doc, first)
            for name in at.wheels:
                p.kept[f"pressure.{name}"] = block.signal(f"pressure.{name}", "Pa", "that the pump makes")
        return p.kept["block"]

    def _signal(self, at: VehicleModel, p: Symbols, name: str) -> Any:
        self._block(at, p)
        return p.kept[name]

    def close(self, at: VehicleModel, p: Symbols) -> None:
        block, s = self._block(at, p), p.kept
        seen, T = s["seen"], block.period
        v, yaw = fmax(seen.speed, SLOWEST), seen.yaw_rate
        works = logic_and(logic_and(p.active > 0.5, seen.started > 0.5), seen.way * seen.speed > p.low_speed)
        steered = seen.steering_wheel - p.understeer * s["bank"]
        single = v * steered / (p.steering_per_curvature + p.understeer * v * v)  # (1)
        most = (fabs(seen.ay - s["bank"]) + p.grows) / v
        wanted = clip(single, -most, most)  # (2)
        reference = s["reference"] + clip(T / p.lag, 0.0, 1.0) * (wanted - s["reference"])
        reference = if_else(works, reference, yaw)
        error = yaw - reference
        slip_rate = (seen.ay - s["bank"]) / v - yaw - s["side_slip"] / p.forgets  # (3)
        side_slip = if_else(works, s["side_slip"] + T * slip_rate, 0.0)
        calm = logic_and(fabs(error) < 0.5 * p.dead_yaw_rate, fabs(side_slip) < 0.5 * p.dead_side_slip)
        bank = s["bank"] + clip(T / p.bank_filter, 0.0, 1.0) * (seen.ay - v * yaw - s["bank"])
        block.update(s["bank"], if_else(logic_and(works, calm), clip(bank, -STEEPEST, STEEPEST), s["bank"]))
        block.update(s["reference"], reference)
        block.update(s["side_slip"], side_slip)

        moment = -p.yaw_gain * _beyond(
            error, p.dead_yaw_rate + p.dead_share * fabs(reference)
        ) + p.side_slip_gain * _worse(_beyond(side_slip, p.dead_side_slip), yaw)  # (4)
        moment = if_else(logic_and(works, fabs(moment) > p.least_moment), moment, 0.0)
        block.update(s["moment"], moment)
        too_much = moment * yaw < 0  # the moment is against the turn
        first, last = at.units[0].axles[0], at.units[0].axles[-1]
        braked: Any = 0.0
        for name, wheel in at.wheels.items():
            y = side(wheel)
            here = 0.0
            if wheel.axle is first or wheel.axle is last:
                chosen = too_much if wheel.axle is first else too_much < 0.5
                chosen = 1.0 if first is last else if_else(chosen, 1.0, 0.0)
                per_pressure = fmax(fabs(y) * force_per_pressure(wheel), 1e-9)
                asked = if_else(moment * y > 0, fabs(moment) / per_pressure, 0.0)
                here = fmin(chosen * asked, p.largest_pressure)
            signal = s[f"pressure.{name}"]
            found = clip(here, signal - 2 * T * p.build_rate, signal + T * p.build_rate)
            block.update(signal, fmax(if_else(works, found, 0.0), 0.0))
            braked = fmax(braked, signal)
        block.update(s["throttle"], if_else(braked > 0, 0.0, fmin(s["throttle"] + T, 1.0)))

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        s = p.kept
        at.channel("ESC.reference_yaw_rate", s["reference"], "rad/s", "that the stability control wants")
        at.channel("ESC.moment", s["moment"], "N.m", "that the stability control asks for, left positive")
        at.channel("ESC.activity", fabs(sign(s["moment"])), "-", "1 while it acts")


def _beyond(value: Any, dead: Any) -> Any:
    """What is left of a value beyond a dead zone."""
    return value - clip(value, -dead, dead)


def _worse(side_slip: Any, yaw_rate: Any) -> Any:
    """Side slip of a car whose tail goes out: against the turn."""
    return if_else(side_slip * yaw_rate < 0, side_slip, 0.0)
