"""Sway control: a friction strut between towing and towed unit, beside the coupling.

With the length l of the strut between its ball on the towing unit and that on the towed one, a force along it opposes
its rate,

    F = χ l̇/√(1 + (χ l̇/(N µ))²)                                                                                   (1)

which is χ l̇ near rest and never more than N µ, the friction of the pads that the screw of the strut presses. χ is steep
so that the strut sticks but for a creep of F/χ; explicit steps h bear it while χ h stays below a third of the mass that
the trailer has at the strut, its inertias about the coupling over the squares of the strut's levers: with 1e8, as is
usual elsewhere, a caravan chatters at 1 ms. About the coupling its moment is F times its lever.

Places are of the balls at design: on the towing unit in its frame of reference, on the towed one in its own, whose
origin is on the ground under its coupling.
"""

from __future__ import annotations

from typing import Literal

from jounce.components.basics import Array, Point
from jounce.components.model import UnitModel
from jounce.components.part import Symbols, derived
from jounce.components.places import UnitPlace
from jounce.components.towing.hitch import HitchDevice
from jounce.core.fields import choice, part, quantity
from jounce.symbolic.ops import sqrt


class SwayControl(HitchDevice):
    """A friction strut between two units."""

    kind: Literal["sway_control"] = choice("sway_control", doc="kind of device")
    active: float = quantity("-", 1.0, ge=0, le=1, doc="1: it acts, 0: it is taken off")
    towing: Point = part(doc="its ball on the towing unit, in the frame of reference of that")
    towed: Point = part(doc="its ball on the towed unit, in the frame of reference of this one")
    locking_force: float = quantity("N", 1000.0, ge=0, typical=(50.0, 2e4), doc="that presses its pads, N")
    friction: float = quantity("-", 0.5, gt=0, typical=(0.05, 1.2), doc="of its pads, µ")
    slope: float = quantity("N.s/m", 1e7, gt=0, typical=(1e3, 1e10), doc="force per speed near rest, χ")

    @derived("m", doc="from the origin of the towing body", label="towing", at="unit")
    def first(self, place: UnitPlace) -> Array:
        assert place.parent is not None
        return place.parent.local(self.towing.array)

    @derived("m", doc="from the origin of the towed body", label="towed", at="unit")
    def second(self, place: UnitPlace) -> Array:
        return place.local(self.towed.array)

    def connect(self, at: UnitModel, p: Symbols) -> None:
        assert at.parent is not None
        strut = at.system.two_point(at.parent.chassis, at.chassis, p.first, p.second)
        most = p.active * p.locking_force * p.friction
        pull = p.slope * strut.rate
        force = pull * most / sqrt(most * most + pull * pull + LEAST)  # (1)
        strut.act(force)
        p.kept.update(length=strut.length, rate=strut.rate, force=force)

    def tell(self, at: UnitModel, p: Symbols) -> None:
        at.channel("Sway_Control.length", p.kept["length"], "m", "of the strut")
        at.channel("Sway_Control.rate", p.kept["rate"], "m/s", "of its length")
        at.channel("Sway_Control.force", p.kept["force"], "N", "in the strut, tension positive")


LEAST = 1e-12  # N²: a strut without friction has no force, not a quotient of zeros
