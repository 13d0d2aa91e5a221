"""Ideal drive: a share of one torque at each wheel."""

from __future__ import annotations

from typing import Any

from jounce.vehicle.assembly.brakes import slip_control
from jounce.vehicle.assembly.context import CORNERS, Context


def add(context: Context, scope: Any, place: str) -> None:
    """Drive torque of a corner; its reaction goes to the chassis (a shaft) or to the carrier (a hub motor)."""
    vehicle, here = context.vehicle, context.corners[place]
    torque = (
        scope.parameter("drive_share", vehicle.drive.shares[place], "-", "of the drive torque")
        * context.shared("drive.max_torque", vehicle.drive.max_torque, "N.m", "at full throttle")
        * context.inputs.throttle
    )
    if vehicle.drive.tcs is not None:
        torque = torque * slip_control(context, scope.scope("tcs"), place, vehicle.drive.tcs, 1.0)
    here.drive_torque = torque
    if vehicle.system.torque_reaction == "carrier":
        here.rotor.torque(torque)
        return
    # a shaft from the chassis: external to carrier and wheel
    frame = context.frames[CORNERS[place][0]]
    vector = [torque * a for a in here.rotor.axis]
    here.rotor.external_torque(vector)
    context.system.torque(frame, [-t for t in here.carrier.express(vector, frame)])
