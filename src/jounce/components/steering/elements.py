"""What steering does to springs, dampers, stops and anti-roll devices, and what they do to the steering.

A strut turns with its wheel, a drop link swings. The deflection of an element is then that of its axle and a part of
the steering,

    d = m(J, …) + g(u; J)                                                                                        (1)

and by virtual work its force, tension positive, is a load on the steering angle ζ as well as on the travels:

    Q_ζ = F ∂g/∂ζ                                                                                                (2)

With a rack that has inertia (``rack_pinion``) (2) moves it; otherwise it is part of the hand torque by virtual work
(``feedback`` (4)). Where the feedback goes by kingpin axes, these have the load of the springs already, and (2) is left
out there. Instead an element that is fixed to the upright may pull on it, from the point I on it to the point J:

    M_K = k̂·((I - P) × F (J - I)/|J - I|)                                                                       (3)

An anti-roll force may change with the steering: a force per side over u and J, added at its wheel, upwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from jounce.components.basics import Point
from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.steering.maps import SteerLengthMap
from jounce.core.curves import Curve, CurveUnits
from jounce.core.fields import Data, curve, hidden, part, quantity

ELEMENTS = {"Spring": "spring", "Damper": "damper", "Bumpstop": "bump_stop", "Reboundstop": "rebound_stop"}


def _deflection(what: str) -> Any:
    return part(None, doc=f"what steering adds to the deflection of the {what}, over u, or u and J")


class SteerForce(Data):
    """A force over the steering input u, or u and travel J."""

    over: Literal["rad", "m"] = hidden("rad", doc="unit of the input u, set by the steering")
    curve: Curve = curve(
        "rad", "N", z="m", typical=(0.0, 1e5), reach={"rad": (0.1, 40.0), "m": (0.005, 0.5)},
        doc="over u, or u and own travel", flat=True, guides=True,
    )  # fmt: skip
    scale: float = quantity("-", 1.0, typical=(0.01, 100.0), doc="factor on the curve")
    right: SteerForce | None = part(None, doc="what differs on the right side")

    @classmethod
    def curve_units(cls, name: str, raw: Mapping[str, Any]) -> CurveUnits:
        return replace(super().curve_units(name, raw), x=str(raw.get("over", "rad")))


class Attachment(Data):
    """Ends of an element, of the left side, at design in the vehicle reference frame; mirrored on the right."""

    upright: Point = part(doc="I, on the wheel carrier")
    chassis: Point = part(doc="J, on the body, a drop link or elsewhere")
    x: SteerLengthMap | None = part(None, doc="how J moves forward, over u, or u and J of the wheel")
    y: SteerLengthMap | None = part(None, doc="the same to the left; mirrored on the right")
    z: SteerLengthMap | None = part(None, doc="the same upwards")


class Attachments(Data):
    """Elements that pull on the upright (3)."""

    spring: Attachment | None = part(None, doc="main spring")
    damper: Attachment | None = part(None, doc="main damper")
    bump_stop: Attachment | None = part(None, doc="bump stop")
    rebound_stop: Attachment | None = part(None, doc="rebound stop")


class SteeredElements(Data):
    """What steering does to elements of its axle (1)."""

    spring: SteerLengthMap | None = _deflection("main spring")
    damper: SteerLengthMap | None = _deflection("main damper")
    bump_stop: SteerLengthMap | None = _deflection("bump stop")
    rebound_stop: SteerLengthMap | None = _deflection("rebound stop")
    anti_roll: SteerForce | None = part(None, doc="force added at the left wheel, upwards")


@dataclass
class SteeredDeflection:
    """The part of the steering in the deflection of an element."""

    at: WheelModel
    p: Symbols  # numbers of its map

    def value(self, travel: Any) -> Any:
        self.found = self.p.scale * self.p.curve(self.at.axle.steering, travel)
        self.slope = self.at.vehicle.slope(self.found, self.at.axle.linkage.angle)
        return self.found

    @property
    def rate(self) -> Any:
        linkage = self.at.axle.linkage
        speed = linkage.angle_rate
        return self.slope * (self.at.system.time_derivative(linkage.angle) if speed is None else speed)

    def act(self, force: Any) -> None:
        """(2)."""
        linkage = self.at.axle.linkage
        linkage.by_elements.append(force * self.slope)
        if linkage.angle_rate is not None:
            self.at.system.generalized_force(linkage.angle_rate, force * self.slope)
