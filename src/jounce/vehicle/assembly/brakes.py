"""Disc brakes: pressure to torque, M = 2 A µ R p, and a brake that sticks: spring and damper of the locked wheel.

Slip control, of brakes (ABS) and drive (TCS), is a factor on the torque of a wheel, with the slip κ of its motion:

    s = clip(1 - gain (|κ| - threshold), 0, 1)   while it brakes (drives) too much, above a low speed              (1)
"""

from __future__ import annotations

from typing import Any

from jounce.symbolic.friction import coulomb
from jounce.symbolic.ops import clip, fabs, fmax, if_else, pi
from jounce.vehicle.assembly.context import CORNERS, Context
from jounce.vehicle.equipment import SlipControl


def slip_control(context: Context, scope: Any, place: str, data: SlipControl, sign: float) -> Any:
    """Factor on a torque (1); ``sign`` of the slip that counts: -1 braking, +1 driving."""
    here = context.corners[place]
    threshold = scope.parameter("threshold", data.threshold, "-", "slip at which it begins", low=0.0)
    gain = scope.parameter("gain", data.gain, "-", "fading with slip", low=0.0)
    low_speed = scope.parameter("low_speed", data.low_speed, "m/s", "below this it is off", low=0.0)
    vx = here.tire.motion.vx
    rolling = here.rotor.spin * here.tire.values["radius"]
    forward = if_else(vx < 0, -1.0, 1.0)
    slip = sign * forward * (rolling - vx) / fmax(fabs(vx), 0.1)
    return if_else(fabs(vx) > low_speed, clip(1 - gain * (slip - threshold), 0.0, 1.0), 1.0)


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
    control: Any = 1.0
    if brakes.abs is not None:
        control = slip_control(context, own.scope("abs"), place, brakes.abs, -1.0)
        context.channel(f"ABS_activity.{place}", if_else(control < 1, 1.0, 0.0), "-", "1 while it acts")
    torque = coulomb(
        own, "pad", spin, 2 * area * mu * radius * pressure * control, spin_inertia * omega * omega,
        2 * damping * spin_inertia * omega, unit="rad",
    )  # fmt: skip
    here.rotor.torque(-torque)
    here.brake_torque = -torque
    context.channel(f"Chamber_Pressure.{place}", pressure, "Pa", "pressure in the brake")
    context.channel(f"Brake_Moment.{place}", -torque, "N.m", "brake torque on the wheel, about its axis")
