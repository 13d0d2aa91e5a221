"""Disc brakes: pressure to torque, M = 2 A µ R p, and a brake that sticks: spring and damper of the locked wheel."""

from __future__ import annotations

from typing import Any

from jounce.symbolic.friction import coulomb
from jounce.symbolic.ops import pi
from jounce.vehicle.assembly.context import CORNERS, Context


def add(context: Context, scope: Any, place: str, spin_inertia: Any) -> None:
    """The brake of a corner."""
    axle, side = CORNERS[place]
    vehicle, here = context.vehicle, context.corners[place]
    brakes, data = vehicle.brakes, vehicle.brake(axle, side)
    bias = context.shared("brakes.bias_front", brakes.bias_front, "-", "share of the pressure in front")
    gain = context.shared("brakes.pressure_gain", brakes.master_cylinder_pressure_gain, "Pa", "at full demand")
    own = scope.scope("brake")
    mu = own.parameter("mu", data.mu, "-", "friction of the pads", low=0.0)
    radius = own.parameter("effective_radius", data.effective_radius, "m", low=0.0)
    area = own.parameter("piston_area", data.piston_area, "m2", low=0.0)
    frequency = own.parameter("lockup_natural_frequency", data.lockup_natural_frequency, "Hz", low=0.1)
    damping = own.parameter("lockup_damping_ratio", data.lockup_damping_ratio, "-", low=0.0)
    pressure = (bias if axle == 1 else 1 - bias) * gain * context.inputs.brake
    omega = 2 * pi * frequency
    spin = here.rotor.spin
    torque = coulomb(
        own, "pad", spin, 2 * area * mu * radius * pressure, spin_inertia * omega * omega,
        2 * damping * spin_inertia * omega, unit="rad",
    )  # fmt: skip
    here.rotor.torque(-torque)
    here.brake_torque = -torque
    context.channel(f"Chamber_Pressure.{place}", pressure, "Pa", "pressure in the brake")
    context.channel(f"Brake_Moment.{place}", -torque, "N.m", "brake torque on the wheel, about its axis")
