"""Where drive torque meets a wheel: a shaft from the body, or a motor in the hub.

A shaft from the body turns with the wheel against the body: with the spin Ω of the wheel against its carrier, the axis
s and the angular velocities of carrier and body,

    ω = Ω + s·(ω_carrier − ω_body)                                                                             (1)

A torque T on the wheel is then external to carrier and wheel, and −T s acts on the body: of power T ω, both together. A
motor in the hub turns with ω = Ω, and reacts on the carrier; so does a differential in a solid axle, which the carriers
bear. That in the block of a suspended engine (``engine``) is borne by the engine, the body of (1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jounce.components.body.engine_part import ENGINE
from jounce.components.model import WheelModel
from jounce.symbolic.frames import dot

if TYPE_CHECKING:
    from jounce.components.drive.joints import Joint
    from jounce.components.drive.train import Hub


def act(at: WheelModel, torque: Any, reacts: str = "") -> None:
    """Apply a drive torque to a wheel, with its reaction on the body, the carrier, or nothing."""
    at.drive_torque = torque
    if reacts != "none" and _on_carrier(at, reacts):
        at.rotor.torque(torque)
        return
    # a shaft from the body: external to carrier and wheel
    frame = at.axle.unit.bodies[ENGINE] if reacts == ENGINE else at.axle.frame
    vector = [torque * a for a in at.rotor.axis]
    at.rotor.external_torque(vector)
    if reacts == "none":
        return
    at.system.torque(frame, [-t for t in at.carrier.express(vector, frame)])


def _on_carrier(at: WheelModel, reacts: str) -> bool:
    """Whether a drive torque reacts on what carries the wheel: so it does in a solid axle with its differential."""
    beam = at.axle.beam is not None and reacts != ENGINE
    return beam or (reacts or at.place.settings.torque_reaction) == "carrier"


def through(at: WheelModel, torque: Any) -> Any:
    """A drive torque with what a run adds to it."""
    name = f"Wheel_driving.moment.{at.place.name}"
    return at.vehicle.through(torque, "N.m", "drive torque on the wheel", added=name)


def hub(at: WheelModel, housing: str = "chassis", joint: Joint | None = None) -> Hub:
    """The end of a train at a wheel (1); ``housing``: what bears the differential, ``joint``: of its shaft."""
    from jounce.components.drive.train import Hub  # a drive without a train does not need it

    rotor = at.rotor
    rolling = next((v for s, v in at.system.rolling if s is at.system.speed_of(rotor.spin)), 0.0)
    if joint is not None:
        return joint.hub(through, rolling)
    own = housing == "suspension" or _on_carrier(at, "")
    speed = rotor.spin if own else rotor.spin + _turning(at, housing)

    def acting(torque: Any) -> None:
        act(at, through(at, torque), "carrier" if own else housing)

    return Hub(at.place.name, speed, rotor.spin, acting, rotor.inertia, rolling)


def _turning(at: WheelModel, housing: str) -> Any:
    """How fast the carrier turns about the axis of its wheel, against what bears the differential."""
    if housing != ENGINE:
        return dot(at.rotor.axis, at.carrier.turning_in(at.axle.frame))
    unit = at.axle.unit
    engine = unit.bodies[ENGINE]
    own = dot(at.carrier.express(at.rotor.axis, engine), engine.turning_in(unit.chassis))
    return dot(at.rotor.axis, at.carrier.turning_in(unit.chassis)) - own
