"""Disc brakes: pressure to torque, and a brake that sticks.

    M = 2 · piston_area · (mu + added) · effective_radius · p + added                                           (1)

and M is against the spin. What is added is that of a run: to the friction of the pads, to the moment before the brake
may stick (``brk_mmag_sign``), and a torque besides with a sign of its own (``brk_mmag_unsign``). A run may also switch
off the brake of a wheel.

A wheel that stands is held by the spring and the damper of its pads (``symbolic/friction``), given by the natural
frequency f and the damping ratio ζ of the spin inertia I on them. While they stick, with the angle θ from where their
spring has no load,

    M = -K θ - C ω,   K = I (2π f)²,   C = 2 ζ I 2π f                                                           (2)

and the channels of the lock tell M, both its parts and θ; while they slide or are off these are zero. θ at the moment
of locking is that of the sliding brake, M/K, where the reference tool begins at zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from jounce.components.controllers.slip_control import limited
from jounce.components.model import WheelModel
from jounce.components.part import Level, Part, Symbols
from jounce.core.fields import choice, part, quantity
from jounce.symbolic.friction import bristle
from jounce.symbolic.ops import fabs, fmax, if_else, pi


class DiscBrake(Part):
    """The brakes of an axle:  M = 2 · piston_area · mu · effective_radius · p."""

    level: ClassVar[Level] = "wheel"
    family: ClassVar[str] = "brake"
    aliases: ClassVar[Mapping[str, str]] = {"model": "kind"}

    kind: Literal["disc"] = choice("disc", doc="kind of brake")
    mu: float = quantity("-", 0.4, ge=0, typical=(0.05, 1.2), doc="friction of the pads")
    effective_radius: float = quantity("m", gt=0, typical=(0.03, 0.4), doc="radius at which the friction force acts")
    piston_area: float = quantity("m2", gt=0, typical=(1e-5, 0.5), doc="area of the pistons that press one pad")
    lockup_natural_frequency: float = quantity(
        "Hz", 30.0, gt=0, typical=(1.0, 300.0), doc="of the spin inertia on the spring of a locked brake"
    )
    lockup_damping_ratio: float = quantity("-", 1.0, ge=0, typical=(0.0, 10.0), doc="its damping relative to critical")
    lockup_speed: float = quantity(
        "m/s", 0.139, gt=0, typical=(1e-3, 5.0), doc="rolling speed below which the brake may lock"
    )
    right: DiscBrake | None = part(None, doc="what differs on the right side")

    def connect(self, at: WheelModel, p: Symbols) -> None:
        place = at.place.name
        pressure = at.vehicle.signals.read(f"brake_pressure.{place}", f"the brake of {place}")
        control = limited(at, "abs", "braking")
        omega, inertia = 2 * pi * p.lockup_natural_frequency, at.rotor.inertia
        through, word = at.vehicle.through, "Brake_System"
        names = {key: f"{word}.{key}.{place}" for key in ("brk_mu", "brk_mmag_sign", "brk_mmag_unsign")}
        mu = through(p.mu, "-", "friction of the pads", added=names["brk_mu"])
        limit = 2 * p.piston_area * mu * p.effective_radius * pressure * control
        limit = through(
            limit, "N.m", "moment of the brake, against the spin", added=names["brk_mmag_sign"],
            flag=f"Subsystem_Activation.Internal_Brake_System_Activity.{place}",
        )  # fmt: skip
        if at.vehicle.is_open(names["brk_mu"], names["brk_mmag_sign"]):
            limit = fmax(limit, 0.0)
        stiffness, damping = inertia * omega * omega, 2 * p.lockup_damping_ratio * inertia * omega
        pad = bristle(at.scope.scope("brake"), "pad", at.rotor.spin, limit, stiffness, damping, unit="rad")
        torque = pad.force
        sticks = if_else(fabs(torque) < limit, 1.0, 0.0)
        at.channel(f"Locked_Switch.{place}", sticks, "-", "1 while the pads stick, 0 while they slide or are off")
        at.channel(f"Locked_Moment.{place}", -sticks * torque, "N.m", "torque of the pads while they stick")
        spring, damper = -sticks * stiffness * pad.deflection, -sticks * damping * at.rotor.spin  # (2)
        at.channel(f"Locked_Spring_Moment.{place}", spring, "N.m", "part of the spring while the pads stick")
        at.channel(f"Locked_Damper_Moment.{place}", damper, "N.m", "part of the damper while the pads stick")
        turned = sticks * pad.deflection
        at.channel(f"Lockup_Rotation.{place}", turned, "rad", "of the wheel against the pads that stick, from no load")
        torque = -through(-torque, "N.m", "torque on the wheel, about its axis", added=names["brk_mmag_unsign"])
        at.rotor.torque(-torque)
        at.brake_torque = -torque
        at.channel(f"Chamber_Pressure.{place}", pressure, "Pa", "pressure in the brake")
        at.channel(f"Brake_Moment.{place}", -torque, "N.m", "brake torque on the wheel, about its axis")
