"""Slip control, of brakes (ABS) and drive (TCS): a factor on the torque of a wheel, with the slip κ of its motion.

    s = clip(1 − gain (|κ| − threshold), 0, 1)   while it brakes (drives) too much, above a low speed              (1)

A demand is answered by the whole axle chain; this is the specification's ideal control, which knows the true slip.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.model import WheelModel
from jounce.components.part import Part, Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, fabs, fmax, if_else

SIGNS = {"braking": -1.0, "driving": 1.0}  # of the slip that counts


class SlipControl(Part):
    """A torque that fades where a wheel slips too much:  scale = 1 − gain · (|slip| − threshold), from 0 to 1."""

    family: ClassVar[str] = "slip_control"

    kind: Literal["ideal"] = choice("ideal", doc="kind of control")
    threshold: float = quantity("-", 0.08, gt=0, typical=(0.005, 0.6), doc="slip at which it begins")
    gain: float = quantity("-", 12.0, gt=0, typical=(0.1, 1e3), doc="how fast the torque fades with slip")
    low_speed: float = quantity("m/s", 2.0, ge=0, typical=(0.0, 20.0), doc="below this speed it is off")

    def factor(self, at: WheelModel, p: Symbols, way: str, name: str) -> Any:
        """Factor on the torque of a wheel (1), with what the run gives the control of that name (abs, tcs)."""
        vx = at.tire.motion.vx
        rolling = at.rotor.spin * at.tire.values["radius"]
        forward = if_else(vx < 0, -1.0, 1.0)
        slip = SIGNS[way] * forward * (rolling - vx) / fmax(fabs(vx), 0.1)
        word = name.upper()
        doc = f"slip at which the {word} begins"
        begins = at.vehicle.through(p.threshold, "-", doc, added=f"{word}.{word}_threshold")
        found = if_else(fabs(vx) > p.low_speed, clip(1 - p.gain * (slip - begins), 0.0, 1.0), 1.0)
        active = at.vehicle.outside(
            f"{word}.Internal_{word}_Activity", "-", f"1 keeps, 0 removes the {word}", "flag", 1.0
        )
        return found if active is None else if_else(active > 0.5, found, 1.0)


def limited(at: WheelModel, name: str, way: Literal["braking", "driving"]) -> Any:
    """The factor of the vehicle's control of that name (abs, tcs) at a wheel; 1 without one."""
    if f"slip_control.{name}" not in at.vehicle.signals:
        return 1.0
    control: SlipControl = at.vehicle.signals.read(f"slip_control.{name}", f"wheel {at.place.name}")
    prefix = {"abs": "brake.abs", "tcs": "tcs"}[name]
    value = control.factor(at, at.symbols(control, prefix), way, name)
    if name == "abs":
        at.channel(f"ABS_activity.{at.place.name}", if_else(value < 1, 1.0, 0.0), "-", "1 while it acts")
    return value
