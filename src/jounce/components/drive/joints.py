"""Joints of drive shafts: moments and forces of a shaft that is not in line with what it joins.

A shaft runs from the inner joint P_i on the body to the outer one P_o on the carrier, both of constant velocity. With
its direction u, the axis w of the wheel and d = (0, 1, 0) of the differential, all to the left, and the torque T

    m_o = (w + u)/(1 + w·u),   m_i = (d + u)/(1 + d·u)       couples of the joints per T, size 1/cos(β/2)            (1)
    r × f = m_o − m_i,   f·u = 0,   r = P_o − P_i            shaft balance:  f = (m_o − m_i) × u/(r·u)               (2)

Carrier and wheel have T m_o, of which T w turns the wheel, and the force −T f at P_o; the body has −T m_i and T f at
P_i. The loads have the power T ω with

    ω = Ω + m_o·(ω_carrier − ω_body) − f·Ṗ_o,                 Ṗ_o against the body                                  (3)

which is the speed of the shaft at the differential: of constant-velocity joints it differs from that of the wheel while
their angles change, and energy is kept exactly. The shaft has no mass and slides without force.

P_o is held in axes of the carrier as if these were those of the body at design: static toe and camber move it by less
than a millimetre. Couples of joints: [Seherr2006] chapter 1; (3) is ours.
"""

from __future__ import annotations

from typing import Any

from jounce.components.basics import Point
from jounce.components.drive.train import Hub
from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.places import WheelPlace
from jounce.core.fields import Data, choice, part
from jounce.symbolic.frames import add, cross, dot, scale, sub
from jounce.symbolic.ops import sqrt

Vector = list[Any]
LEFT: Vector = [0.0, 1.0, 0.0]


class ShaftJoints(Data):
    """Where the joints of the drive shafts of an axle are, those of the left one; the right one is its mirror image."""

    axle: int = choice(1, ge=1, doc="axle, counted from the front")
    inner: Point = part(doc="joint at the differential, at design")
    outer: Point = part(doc="joint at the wheel, at design")

    def at(self, place: WheelPlace) -> Ends:
        """Both ends as the model has them."""
        ends = {}
        for name in ("inner", "outer"):
            point = getattr(self, name)
            x, y, z = (a - b for a, b in zip((point.x, place.outwards * point.y, point.z), place.centre, strict=True))
            ends[name] = Point(x=x, y=y, z=z)
        return Ends(**ends)


class Ends(Data):
    """Joints of one shaft, from the wheel centre at design."""

    inner: Point = part(doc="on the body")
    outer: Point = part(doc="on the carrier, in its axes")


class Joint:
    """A shaft with its joints in a model: loads per torque, in axes of the body."""

    def __init__(self, at: WheelModel, p: Symbols) -> None:
        self.wheel, self.p = at, p
        carrier, frame, system = at.carrier, at.axle.frame, at.system
        self.inner: Vector = [d + i for d, i in zip(at.design, p.inner.vector, strict=True)]
        lever = carrier.express(p.outer.vector, frame)
        self.outer: Vector = add(carrier.r, lever)
        r = sub(self.outer, self.inner)
        length = at.place.outwards * sqrt(dot(r, r))  # negative on the right: u is to the left
        u = scale(r, 1 / length)
        w = carrier.express(at.rotor.axis, frame)
        self.m_outer = scale(add(w, u), 1 / (1 + dot(w, u)))  # (1)
        self.m_inner = scale(add(LEFT, u), 1 / (1 + dot(LEFT, u)))
        self.force = scale(cross(sub(self.m_outer, self.m_inner), u), 1 / length)  # (2)
        turning = carrier.express(carrier.turning_in(frame), frame)
        moving = [system.time_derivative(x) for x in self.outer]
        self.speed = at.rotor.spin + dot(self.m_outer, turning) - dot(self.force, moving)  # (3)
        self.axis = w

    def act(self, torque: Any) -> None:
        """Apply a drive torque."""
        at = self.wheel
        carrier, frame, system = at.carrier, at.axle.frame, at.system
        at.drive_torque = torque
        at.rotor.external_torque([torque * a for a in at.rotor.axis])
        bends = scale(sub(self.m_outer, self.axis), torque)
        system.torque(carrier, bends, axes=frame)
        pull = scale(self.force, torque)
        system.force(carrier, scale(pull, -1.0), at=self.p.outer.vector, axes=frame)
        system.torque(frame, scale(self.m_inner, -torque))
        system.force(frame, pull, at=self.inner)
        self._tell(torque, pull)

    def _tell(self, torque: Any, pull: Vector) -> None:
        """Loads on the shaft at both ends: they add up to nothing."""
        at = self.wheel
        axles = at.place.axle.unit.axles
        word = {id(axles[-1]): "rear", id(axles[0]): "front"}.get(id(at.place.axle))
        group = f"UserOut_differential_{word}" if word else f"Driveline.joints_{at.place.axle.number}"
        side = "left" if at.place.side == "L" else "right"
        ends = {"Outer": (self.outer, pull, scale(self.m_outer, -torque)),
                "Inner": (self.inner, scale(pull, -1.0), scale(self.m_inner, torque))}  # fmt: skip
        for end, (place, force, moment) in ends.items():
            for i, axis in enumerate("XYZ"):
                joint = f"{end.lower()} joint, {axis} in axes of the body"
                at.channel(f"{group}.{axis}_{end}_{side}", place[i], "m", joint)
                at.channel(f"{group}.F{axis}_{end}_Convel_{side}", force[i], "N", f"force on the shaft at its {joint}")
                at.channel(
                    f"{group}.M{axis}_{end}_Convel_{side}", moment[i], "N.m", f"torque on the shaft at its {joint}"
                )

    def hub(self, through: Any, rolling: Any) -> Hub:
        """The end of a train at this shaft."""
        at = self.wheel
        rotor = at.rotor
        return Hub(at.place.name, self.speed, rotor.spin, lambda t: self.act(through(at, t)), rotor.inertia, rolling)
