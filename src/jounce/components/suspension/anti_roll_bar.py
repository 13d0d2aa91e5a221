"""A torsion bar between the wheels.

α = a_L(J_L) − a_R(J_R),   T = preload + scale · stiffness · α  or  preload + scale · torque(α)              (1)
Q_L = −T ∂a_L/∂J_L,   Q_R = +T ∂a_R/∂J_R                                                                    (2)

A run may put factors in the place of the ratios, a_L = r_L J_L and a_R = r_R J_R in rad/m, each at its wheel, and a
factor on T at the left one.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.model import AxleModel
from jounce.components.part import Level, Part, Symbols, derived
from jounce.components.places import AxlePlace
from jounce.components.suspension.element import replaced_ratio, scaling
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, one_of, part, quantity

WORD = "Antirollbar"  # in inputs of the catalogue: External_Antirollbar.L1.Antirollbar_Motion_Ratio


class AntiRollBarSide(Data):
    """The right arm of a bar, when it differs."""

    ratio: Curve = curve(
        "m", "rad", typical=(0.1, 50.0), reach=(0.005, 1.0), doc="wheel travel to rotation of the bar's end"
    )


class AntiRollBar(Part):
    """A torsion bar between the wheels, with the twist α = a_L(J_L) − a_R(J_R):

    T = preload + scale · stiffness · α  or  preload + scale · torque(α)
    """

    level: ClassVar[Level] = "axle"
    family: ClassVar[str] = "anti_roll_bar"
    alternatives: ClassVar = (("stiffness", "torque"),)

    kind: Literal["torsion"] = choice("torsion", doc="kind of bar")

    ratio: Curve = curve(
        "m",
        "rad",
        typical=(0.1, 50.0),
        reach=(0.005, 1.0),
        doc="wheel travel to rotation of the bar's end: a factor, or a table",
    )
    stiffness: float | None = quantity("N.m/rad", None, ge=0, typical=(100.0, 1e7), doc="torsional stiffness")
    torque: Curve | None = curve("rad", "N.m", None, typical=(100.0, 1e7), reach=(0.005, 3.5), doc="torque over twist")
    preload: float = quantity(
        "N.m", 0.0, typical=(0.0, 2e4), doc="torque at design, positive as if the left wheel were up"
    )
    scale: float = quantity("-", 1.0, ge=0, typical=(0.01, 100.0), doc="factor on the torque, not on the preload")
    right: AntiRollBarSide | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("stiffness", "torque"))
        return self

    @derived(at="axle")
    def ratio_L(self, place: AxlePlace) -> Curve:  # L and R are the names of sides
        return self.ratio

    @derived(at="axle")
    def ratio_R(self, place: AxlePlace) -> Curve:
        return self.ratio if self.right is None else self.right.ratio

    def connect(self, at: AxleModel, p: Symbols) -> None:
        number, word = at.place.number, at.place.word
        held = [wheel.anti_roll_end for wheel in at.wheels]
        ends = [p.ratio_L(held[0].travel), p.ratio_R(held[1].travel)]
        slopes = [at.vehicle.slope(end, h.travel) for end, h in zip(ends, held, strict=True)]
        for i, wheel in enumerate(at.wheels):
            ends[i], (slopes[i],) = replaced_ratio(wheel, WORD, held[i].travel, ends[i], [slopes[i]], "rad/m")
        twist = ends[0] - ends[1]
        torque = p.stiffness * twist if self.stiffness is not None else p.torque(twist)
        torque, doc = p.preload + p.scale * torque, "torque of the bar"
        flag, factor = f"Antiroll_Bar.activity_flag.{word}", scaling(WORD, at.wheels[0].place.name)
        torque = at.vehicle.through(torque, "N.m", doc, flag=flag, scale=factor)
        at_left, at_right = torque * slopes[0], torque * slopes[1]
        given = at.vehicle.outside(
            f"Antiroll_Bar.force.{word}", "N", "added at the left wheel, opposite right", "added"
        )
        if given is not None:
            at_left, at_right = at_left + given, at_right + given
        held[0].push(-at_left)
        held[1].push(at_right)
        name = "Suspension.Auxiliary_Roll"
        at.channel(f"{name}_deformation_at_element.SUSP{number}", twist, "rad", "twist of the bar")
        at.channel(f"{name}_Force_at_element.SUSP{number}", torque, "N.m", "torque of the bar")
        at.channel(f"{name}_Force.SUSP{number}", at_left, "N", "at the left wheel, downwards")
