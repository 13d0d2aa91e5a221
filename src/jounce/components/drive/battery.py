"""A battery: voltage by charge and current, limits, derating.

With the current i (positive: discharge), its filtered value i*, the charge q drawn since full, capacity Q, and K in
V/(A h), which with i* is a resistance in ohm [TremblayDessaint2009]:

    discharge (i* ≥ 0):  V = E0 − R i − K Q/(Q − q) (q + i*) + X                                                 (1)
    charge:              V = E0 − R i − K Q/(q + 0.1 Q) i* − K Q/(Q − q) q + X                                   (2)
    lithium ion:   X = A exp(−B q);      others:   Ẋ = B |i| (A u − X),   u = 1 while charging, else 0               (3)
    q̇ = i,   τ di*/dt = i − i*,   τ = t_r/3                                                                     (4)

In (2) the literature has −0.1 Q, which is singular at 90 % of charge; +0.1 Q is the form of the block that is in use
everywhere. By choice −0.1 Q. Coupling: with q, i* and X as they are, V = a − R i, and the power P at the terminals
takes

    i = (a − √(a² − 4 R P))/(2R),   P ≤ (a − R i_d) i_d,   i_d = min(i_max, a/2R),   P ≥ −(a + R i_max) i_max      (5)

and no power out of an empty or into a full battery: it fades over the last thousandth of the charge. Motors that ask
for more, or give back more, are scaled alike so that the limit holds; the auxiliary load is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from jounce.components.drive.base import Energy, Seen, constant, first_time
from jounce.components.part import Part, Symbols
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, quantity
from jounce.symbolic.ops import clip, exp, fabs, fmax, fmin, if_else, sqrt

HOUR = 3600.0  # s
LAST = 1e-3  # of the charge: where power fades out


class Battery(Part):
    """A battery with one voltage."""

    family: ClassVar[str] = "battery"

    kind: Literal["battery"] = choice("battery", doc="kind of battery")
    chemistry: Literal["lithium_ion", "lead_acid", "nickel_cadmium", "nickel_metal_hydride"] = choice(
        "lithium_ion", doc="how its voltage answers"
    )
    voltage: Curve = curve(
        "-", "V", constant(400.0, "-", "V"), constant="value", typical=(10.0, 1200.0),
        doc="constant part E0, also over the state of charge from 0 to 1",
    )  # fmt: skip
    polarisation: float = quantity(
        "V/(A.s)", 0.0014563 / HOUR, ge=0, typical=(1e-9, 1e-3), doc="K; as a resistance in ohm its value in V/(A.h)"
    )
    capacity: float = quantity("A.s", 72.0 * HOUR, gt=0, typical=(3600.0, 4e6), doc="charge when full, Q")
    response_time: float = quantity("s", 10.0, gt=0, typical=(0.1, 300.0), doc="to 95 % of a step of current, t_r")
    response: Literal["third", "whole"] = choice("third", doc="time constant: a third of `response_time`, or all of it")
    resistance: float = quantity("V/A", 0.0125, gt=0, typical=(1e-4, 2.0), doc="R")
    state_of_charge: float = quantity("-", 0.8, ge=0, le=1, doc="at the start of a run")
    exponential_voltage: float = quantity("V", 3.9883, ge=0, typical=(0.01, 100.0), doc="A")
    exponential_capacity: float = quantity("1/(A.s)", 1.6667 / HOUR, ge=0, typical=(1e-6, 0.1), doc="B")
    max_current: float = quantity("A", 1500.0, gt=0, typical=(10.0, 5000.0), doc="largest current either way")
    charge_pole: Literal["plus", "minus"] = choice("plus", doc="sign of 0.1 Q in (2); minus is singular at 90 % charge")
    derates: bool = choice(True, doc="whether motors are scaled down to what it can give and take")
    auxiliary_power: float = quantity("W", 0.0, ge=0, typical=(10.0, 2e4), doc="constant load besides the motors")

    # -- its law, also for numbers ---------------------------------------------------------------------------------

    def open_voltage(self, p: Any, drawn: Any, filtered: Any, extra: Any) -> Any:
        """a in V = a − R i: (1) and (2) without R i."""
        left = fmax(p.capacity - drawn, LAST * p.capacity)
        k = p.polarisation * p.capacity
        at_rest = p.voltage(1 - drawn / p.capacity) - k / left * drawn + extra
        tenth = 0.1 * p.capacity if self.charge_pole == "plus" else -0.1 * p.capacity
        size = drawn if self.chemistry in ("lithium_ion", "lead_acid") else fabs(drawn)
        discharging = k * HOUR / left * filtered
        charging = k * HOUR / (size + tenth) * filtered
        return at_rest - if_else(filtered >= 0, discharging, charging)

    def limits(self, p: Any, a: Any, charge: Any) -> tuple[Any, Any]:
        """Least and most power at the terminals (5)."""
        largest = fmin(p.max_current, a / (2 * p.resistance))
        most = (a - p.resistance * largest) * largest
        least = -(a + p.resistance * p.max_current) * p.max_current
        return least * clip((1 - charge) / LAST, 0.0, 1.0), most * clip(charge / LAST, 0.0, 1.0)

    def current(self, p: Any, a: Any, power: Any) -> Any:
        inside = fmax(a * a - 4 * p.resistance * power, 0.0)
        return (a - sqrt(inside)) / (2 * p.resistance)

    # -- the model -------------------------------------------------------------------------------------------------

    def declare_in(self, model: Any, p: Symbols) -> None:
        """States, and the signals that motors read."""
        scope = model.scope("driveline.battery")
        drawn = scope.state("drawn", "A.s", "charge drawn since the start", role="free")
        filtered = scope.state("filtered_current", "A", "current through the filter", role="free")
        begin = (1 - p.state_of_charge) * p.capacity
        q = begin + drawn
        if self.chemistry == "lithium_ion":
            hysteresis, extra = None, p.exponential_voltage * exp(-p.exponential_capacity * q)
        else:
            hysteresis = scope.state("hysteresis", "V", "of the voltage, from that of a full discharge", role="free")
            extra = p.exponential_voltage * exp(-p.exponential_capacity * begin) + hysteresis
        a = self.open_voltage(p, q, filtered, extra)
        charge = 1 - q / p.capacity
        least, most = self.limits(p, a, charge)

        def shares() -> tuple[Any, Any, Any]:
            if "shares" not in p.kept:
                found = [model.signals.accept(f"battery.{word}") for word in ("drawn", "returned", "always")]
                drawing, returning, always = (0.0 if value is None else value for value in found)
                always = p.auxiliary_power + always
                gives: Any = 1.0
                takes: Any = 1.0
                if self.derates:
                    gives = clip((most - always - returning) / fmax(drawing, 1.0), 0.0, 1.0)
                    takes = clip((least - always - drawing) / fmin(returning, -1.0), 0.0, 1.0)
                p.kept["shares"] = (gives, takes, gives * drawing + takes * returning + always)
            kept: tuple[Any, Any, Any] = p.kept["shares"]
            return kept

        model.signals.provide("battery.charge", lambda: charge, "the battery")
        model.signals.provide("battery.gives", lambda: shares()[0], "the battery")
        model.signals.provide("battery.takes", lambda: shares()[1], "the battery")
        p.kept.update(
            scope=scope, drawn=drawn, filtered=filtered, hysteresis=hysteresis, extra=extra, a=a, charge=charge,
            shares_of=shares,
        )  # fmt: skip

    def act_in(self, model: Any, p: Symbols) -> None:
        """Current, and what follows from it."""
        kept = p.kept
        power = kept["shares_of"]()[2]
        i = self.current(p, kept["a"], power)
        i = clip(i, -p.max_current, p.max_current)
        scope = kept["scope"]
        scope.derivative(kept["drawn"], i)  # (4)
        tau = p.response_time / 3 if self.response == "third" else p.response_time
        scope.derivative(kept["filtered"], (i - kept["filtered"]) / tau)
        if kept["hysteresis"] is not None:
            target = if_else(i < 0, p.exponential_voltage, 0.0)
            scope.derivative(kept["hysteresis"], p.exponential_capacity * fabs(i) * (target - kept["extra"]))  # (3)
        kept.update(i=i, power=power)

    def happened(self, seen: Seen) -> Iterator[str]:
        """What a run did to it; see ``DrivePart``."""
        charge = seen("Battery.Battery_SOC")
        if charge is None:
            return
        for word, reached in (("empty", charge <= LAST), ("full", charge >= 1 - LAST)):
            when = first_time(seen, reached)
            if when is not None and not reached[0]:
                what = "motors have no power" if word == "empty" else "motors cannot brake"
                yield f"Battery: {word} at {when:.3f} s; {what} from then on"

    def energy_in(self, p: Symbols) -> Energy:
        """What comes in at its terminals; its own losses are behind them."""
        kept = p.kept
        return Energy(electric=(kept["a"] - p.resistance * kept["i"]) * kept["i"], auxiliary=p.auxiliary_power)

    def tell_in(self, model: Any, p: Symbols) -> None:
        kept = p.kept
        voltage = kept["a"] - p.resistance * kept["i"]
        model.channel("Battery.Battery_SOC", kept["charge"], "-", "state of charge, 0 to 1")
        model.channel("Battery.Battery_Current", kept["i"], "A", "current, discharge positive")
        model.channel("Battery.Battery_Voltage", voltage, "V", "voltage at the terminals")
        model.channel("Battery.power", voltage * kept["i"], "W", "power at the terminals, discharge positive")
        model.channel("Battery.demand", kept["power"], "W", "power that motors and auxiliaries ask for, after limits")
        gives, takes, _ = kept["shares_of"]()
        model.channel("Battery.gives", gives, "-", "share of the power asked for that it gives")
        model.channel("Battery.takes", takes, "-", "share of the power returned that it takes")
