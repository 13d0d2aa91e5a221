"""Disc brakes: pressure to torque, and a brake that sticks.

    M = 2 · piston_area · mu · effective_radius · p                                                             (1)

A wheel that stands is held by the spring and the damper of its pads (``symbolic/friction``), given by the natural
frequency and the damping ratio of the spin inertia on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from jounce.components.controllers.slip_control import limited
from jounce.components.model import WheelModel
from jounce.components.part import Level, Part, Symbols
from jounce.core.fields import choice, part, quantity
from jounce.symbolic.friction import coulomb
from jounce.symbolic.ops import pi


class DiscBrake(Part):
    """The brakes of an axle:  M = 2 · piston_area · mu · effective_radius · p."""

    level: ClassVar[Level] = "wheel"
    family: ClassVar[str] = "brake"
    aliases: ClassVar[Mapping[str, str]] = {"model": "kind"}

    kind: Literal["disc"] = choice("disc", doc="kind of brake")
    mu: float = quantity("-", 0.4, ge=0, doc="friction of the pads")
    effective_radius: float = quantity("m", gt=0, doc="radius at which the friction force acts")
    piston_area: float = quantity("m2", gt=0, doc="area of the pistons that press one pad")
    lockup_natural_frequency: float = quantity(
        "Hz", 30.0, gt=0, doc="of the spin inertia on the spring of a locked brake"
    )
    lockup_damping_ratio: float = quantity("-", 1.0, ge=0, doc="its damping relative to critical")
    lockup_speed: float = quantity("m/s", 0.139, gt=0, doc="rolling speed below which the brake may lock")
    right: DiscBrake | None = part(None, doc="what differs on the right side")

    def connect(self, at: WheelModel, p: Symbols) -> None:
        place = at.place.name
        pressure = at.vehicle.signals.read(f"brake_pressure.{place}", f"the brake of {place}")
        control = limited(at, "abs", "braking")
        omega, inertia = 2 * pi * p.lockup_natural_frequency, at.rotor.inertia
        limit = 2 * p.piston_area * p.mu * p.effective_radius * pressure * control
        stiffness, damping = inertia * omega * omega, 2 * p.lockup_damping_ratio * inertia * omega
        torque = coulomb(at.scope.scope("brake"), "pad", at.rotor.spin, limit, stiffness, damping, unit="rad")
        at.rotor.torque(-torque)
        at.brake_torque = -torque
        at.channel(f"Chamber_Pressure.{place}", pressure, "Pa", "pressure in the brake")
        at.channel(f"Brake_Moment.{place}", -torque, "N.m", "brake torque on the wheel, about its axis")
