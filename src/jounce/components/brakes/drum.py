"""Drum brakes: leading and trailing shoes.

A shoe turns about its anchor pin; the cylinder presses it with F = p A at the lever a. Friction on its lining, whose
resultant acts at the lever c about the pin, pulls a leading shoe into the drum and pushes a trailing one out of it:

    M_lead = k µ F a r/(b − k µ c),     M_trail = k µ F a r/(b + k µ c)                                           (1)
    k = 4 sin θ/(2 θ + sin 2θ)                                                                                  (2)

(2) is the classical result of a long shoe whose pressure follows a cosine; θ is half the angle over which the lining
touches the drum. ``literal_engagement_angle`` takes the whole angle in (2), as the reference tool prints it. With one
leading shoe M = M_lead + M_trail, either way round; with two of them M = 2 M_lead of a wheel that turns forwards, or
stands and is pushed forwards, and 2 M_trail backwards unless ``direction`` is off. With b ≤ k µ c a brake would pull
itself tight; such data are refused.

What else a brake at a wheel does: ``wheel_brake``. Inputs that add friction at run time may come near b = k µ c: the
lever b − k µ c is kept above a hundredth of b.
"""

from __future__ import annotations

import math
from typing import Any, Literal, Self

from pydantic import model_validator

from jounce.components.brakes.wheel_brake import WheelBrake
from jounce.components.model import WheelModel
from jounce.components.part import Symbols, derived
from jounce.components.places import WheelPlace
from jounce.core.fields import choice, flag, part, problem, quantity
from jounce.symbolic.ops import fmax

TIGHT = 0.01  # of b: least lever b - k mu c


class DrumBrake(WheelBrake):
    """Drum brakes of an axle, with one or two leading shoes."""

    kind: Literal["drum"] = choice("drum", doc="kind of brake")  # type: ignore[assignment]
    leading_shoes: int = choice(2, ge=1, le=2, doc="1: one leading and one trailing shoe, 2: both leading")
    mu: float = quantity("-", 0.35, ge=0, typical=(0.05, 0.8), doc="friction of the linings")
    drum_radius: float = quantity("m", gt=0, typical=(0.05, 0.4), doc="of the drum, r")
    piston_area: float = quantity("m2", gt=0, typical=(1e-5, 0.05), doc="of the cylinder that presses one shoe, A")
    shoe_anchor_pin_to_cylinder: float = quantity("m", gt=0, typical=(0.03, 0.8), doc="lever of the cylinder, a")
    shoe_anchor_pin_to_shaft: float = quantity("m", gt=0, typical=(0.02, 0.5), doc="pin to the axis of the wheel, b")
    shoe_anchor_pin_to_fulcrum: float = quantity("m", ge=0, typical=(0.01, 0.5), doc="lever of the friction, c")
    shoe_engagement_angle: float = quantity(
        "rad", math.radians(120), gt=0, lt=math.pi, typical=(0.5, 2.8), doc="over which a lining touches the drum"
    )
    literal_engagement_angle: bool = flag(False, doc="take the whole angle where the theory has half of it")
    direction: bool = choice(True, doc="whether two leading shoes trail when the wheel turns backwards")
    right: DrumBrake | None = part(None, doc="what differs on the right side")

    def _factor(self) -> float:
        """k (2)."""
        angle = self.shoe_engagement_angle * (1.0 if self.literal_engagement_angle else 0.5)
        return 4 * math.sin(angle) / (2 * angle + math.sin(2 * angle))

    @derived("-", doc="of a long shoe, k", at="wheel")
    def shoe_factor(self, place: WheelPlace) -> float:
        return self._factor()

    @model_validator(mode="after")
    def _lets_go(self) -> Self:
        friction = self._factor() * self.mu * self.shoe_anchor_pin_to_fulcrum
        if friction >= self.shoe_anchor_pin_to_shaft:
            raise problem(
                f"{self.shoe_anchor_pin_to_shaft:g} m: a leading shoe would pull itself tight; must be above "
                f"k mu shoe_anchor_pin_to_fulcrum = {friction:.4g} m",
                "shoe_anchor_pin_to_shaft",
            )
        return self

    def moment(self, at: WheelModel, p: Symbols, mu: Any, pressure: Any) -> Any:
        friction = p.shoe_factor * mu
        arm, own = p.shoe_anchor_pin_to_shaft, friction * p.shoe_anchor_pin_to_fulcrum
        drive = friction * p.piston_area * pressure * p.shoe_anchor_pin_to_cylinder * p.drum_radius
        leading, trailing = drive / fmax(arm - own, TIGHT * arm), drive / (arm + own)  # (1)
        if self.leading_shoes == 1:
            return leading + trailing
        return 2 * leading

    def backwards(self, p: Symbols, mu: Any) -> Any:
        if self.leading_shoes == 1 or not self.direction:
            return None
        arm, own = p.shoe_anchor_pin_to_shaft, p.shoe_factor * mu * p.shoe_anchor_pin_to_fulcrum
        return fmax(arm - own, TIGHT * arm) / (arm + own)  # M_trail/M_lead

    def full_moment(self, pressure: float) -> float:
        friction = self._factor() * self.mu
        arm, own = self.shoe_anchor_pin_to_shaft, friction * self.shoe_anchor_pin_to_fulcrum
        drive = friction * self.piston_area * pressure * self.shoe_anchor_pin_to_cylinder * self.drum_radius
        return drive * (1 / (arm - own) + (1 / (arm + own) if self.leading_shoes == 1 else 1 / (arm - own)))
