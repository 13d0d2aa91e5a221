"""Slip control, of brakes (ABS) and drive (TCS): a factor on the torque of a wheel, with the slip κ of its motion.

    s = clip(1 − gain (|κ| − threshold), 0, 1)   while it brakes (drives) too much, above a low speed              (1)

A demand is answered by the whole axle chain; this is the specification's ideal control, which knows the true slip.
Controllers that see what sensors tell take its place where a car or a run has one (``hydraulic_abs``, ``traction``).

Where the road grips on one side only, every wheel at its own limit makes a yaw moment that turns the car round before a
driver can counter it. Two things are usual against it ([Reif2014], antilock braking systems), and off unless
they are given. With the factor s of a wheel and s_o of the other wheel of its axle, both by (1):

    select low:   s' = min(s, s_o)                          both wheels have the torque of the one that slips more   (2)
    yaw delay:    s' = min(s, s_o + x),   ẋ = (max(s − s_o, 0) − x)/T                                              (3)

In (3) the wheel that grips may have more than the other only as x grows, which takes the time T, and gives it back at
once. An axle with (2) does not have (3); an axle with one wheel has neither.

The slip of largest force goes with the friction µ of the road, since the stiffness of a tire stays and its force grows
no further than µ: with ``by_friction`` slips count relative to it, and the control, which is ideal, knows it:

    s = clip(1 − gain (|κ|/µ − threshold), 0, 1)                                                                  (4)

On the road on which the tires were measured (µ = 1) it is (1).

Motors that brake turn several wheels, and on ice they lock them without any brake: of the brake demand they see

    u_m = u min_i s_i                                         over all wheels, of the control of brakes           (5)
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.controllers.arbiter import arbiter
from jounce.components.model import VehicleModel, WheelModel
from jounce.components.part import Part, Symbols
from jounce.components.places import WheelPlace
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, fabs, fmax, fmin, if_else

LEAST = 0.02  # friction, of the road
SIGNS = {"braking": -1.0, "driving": 1.0}  # of the slip that counts


class SlipControl(Part):
    """A torque that fades where a wheel slips too much:  scale = 1 − gain · (|slip| − threshold), from 0 to 1."""

    family: ClassVar[str] = "slip_control"

    kind: Literal["ideal"] = choice("ideal", doc="kind of control")
    threshold: float = quantity("-", 0.08, gt=0, typical=(0.005, 0.6), doc="slip at which it begins")
    gain: float = quantity("-", 12.0, gt=0, typical=(0.1, 1e3), doc="how fast the torque fades with slip")
    by_friction: bool = choice(False, doc="whether slips count relative to the friction of the road")
    low_speed: float = quantity("m/s", 2.0, ge=0, typical=(0.0, 20.0), doc="below this speed it is off")
    select_low: Literal["none", "rear", "all"] = choice(
        "none", doc="axles whose wheels both have the torque of the one that slips more; rear: all but the first"
    )
    yaw_delay: float | None = quantity(
        "s", None, gt=0, typical=(0.05, 3.0), doc="on other axles, how slowly one wheel may have more than the other"
    )

    def selects(self, place: WheelPlace) -> bool:
        """Whether the wheels of this axle have one torque."""
        return self.select_low == "all" or (self.select_low == "rear" and place.axle.number > 1)

    def factor(self, at: WheelModel, prefix: str, way: str, name: str) -> Any:
        """Factor on the torque of a wheel, with what the run gives the control of that name (abs, tcs)."""
        p, other = at.symbols(self, prefix), at.paired
        own = self._alone(at, p, way, name)
        if other is at or (not self.selects(at.place) and self.yaw_delay is None):
            return own
        least = self._alone(other, other.symbols(self, prefix), way, name)
        if self.selects(at.place):
            return fmin(own, least)  # (2)
        lead = at.scope.state(f"{prefix}.lead", "-", "what it may have more than the other wheel", role="drift")
        at.scope.derivative(lead, (fmax(own - least, 0.0) - lead) / p.yaw_delay)
        return fmin(own, least + lead)  # (3)

    def _alone(self, at: WheelModel, p: Symbols, way: str, name: str) -> Any:
        """(1)"""
        vx = at.tire.motion.vx
        rolling = at.rotor.spin * at.tire.values["radius"]
        forward = if_else(vx < 0, -1.0, 1.0)
        slip = SIGNS[way] * forward * (rolling - vx) / fmax(fabs(vx), 0.1)
        word = name.upper()
        doc = f"slip at which the {word} begins"
        if self.by_friction:
            slip = slip / fmax(at.tire.friction, LEAST)  # (4)
        begins = at.vehicle.through(p.threshold, "-", doc, added=f"{word}.{word}_threshold")
        found = if_else(fabs(vx) > p.low_speed, clip(1 - p.gain * (slip - begins), 0.0, 1.0), 1.0)
        active = at.vehicle.outside(
            f"{word}.Internal_{word}_Activity", "-", f"1 keeps, 0 removes the {word}", "flag", 1.0
        )
        return found if active is None else if_else(active > 0.5, found, 1.0)


def _replaced(at: WheelModel, name: str) -> bool:
    """Whether a controller of the run does the same (``arbiter``): two of them would work against each other."""
    if name == "abs":
        return arbiter(at.vehicle).has(f"pressure.{at.place.name}", "abs")
    return arbiter(at.vehicle).has("throttle", "traction_control")


def limited(at: WheelModel, name: str, way: Literal["braking", "driving"], *, tell: bool = True) -> Any:
    """The factor of the vehicle's control of that name (abs, tcs) at a wheel; 1 without one."""
    if f"slip_control.{name}" not in at.vehicle.signals or _replaced(at, name):
        return 1.0
    control: SlipControl = at.vehicle.signals.read(f"slip_control.{name}", f"wheel {at.place.name}")
    prefix, key = {"abs": "brake.abs", "tcs": "tcs"}[name], f"slip_control.{name}.{at.place.name}"
    at.vehicle.signals.provide(key, lambda: control.factor(at, prefix, way, name), f"{name} of the vehicle", usual=True)
    value = at.vehicle.signals.read(key, f"wheel {at.place.name}")
    if name == "abs" and tell:
        at.channel(f"ABS_activity.{at.place.name}", if_else(value < 1, 1.0, 0.0), "-", "1 while it acts")
    return value


def braked_by_motors(at: VehicleModel, demand: Any) -> Any:
    """What anti-lock control leaves of the brake demand that motors see (5)."""
    found = arbiter(at).apply("regeneration", demand)
    if "slip_control.abs" not in at.signals:
        return found
    least: Any = 1.0
    for wheel in at.wheels.values():
        least = fmin(least, limited(wheel, "abs", "braking", tell=False))
    return found * least
