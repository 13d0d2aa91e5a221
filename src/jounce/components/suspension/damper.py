"""A damper.

    F = scale · rate · v,  scale · force(v)  or  scale · force(v; x)                                             (1)

v = -ḋ and x = -d are positive in extension, F in tension.

A force that a run adds may follow a line between full steps (port ``Main_Damper.force_extrapolation``):

    F(ḋ) = Fₙ + (Fₙ - Fₙ₋₁) / (ḋₙ - ḋₙ₋₁) · (ḋ - ḋₙ)                                                              (2)

with what was given and the compression speed at the last two full steps. It is held where the speed did not change,
and where the force did not change at both of these steps: somebody who writes every few steps leaves no line.

With a cut-off frequency f the force passes a low-pass filter of first order,

    Ḟ_f = 2πf (F - F_f)                                                                                          (3)

for a linear damper the same as a spring of stiffness 2πf · rate in series: passive, with -3 dB at f. A filter that is
given as a number n of output steps Δt has f = 1/(n Δt).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.places import WheelPlace
from jounce.components.settings import Statics
from jounce.components.suspension.element import DEFAULT_RATIO, Element, motion_ratio
from jounce.components.suspension.remarks import ratio_remarks
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, one_of, part, quantity, text
from jounce.symbolic.ops import fabs, if_else, logic_and, logic_not

SAME_SPEED = 1e-6  # m/s: two speeds this close give no slope


class Damper(Element):
    """A damper:  F = scale · rate · v,  scale · force(v)  or  scale · force(v; x); v and x positive in extension."""

    alternatives: ClassVar = (("rate", "force"),)

    family: ClassVar[str] = "damper"
    channels: ClassVar[str] = "Damper"

    kind: Literal["passive"] = choice("passive", doc="kind of damper")
    name: str = text(doc="name, for channels")
    rate: float | None = quantity("N.s/m", None, ge=0, typical=(20.0, 3e5), doc="force per speed of a linear damper")
    force: Curve | None = curve(
        "m/s",
        "N",
        None,
        z="m",
        typical=(20.0, 3e5),
        reach=(0.02, 20.0),
        doc="over speed, or speed and extension; positive in tension",
    )
    cutoff: float | None = quantity(
        "Hz", None, gt=0, typical=(5.0, 500.0), doc="of a low-pass filter on the force; none: no filter"
    )
    ratio: Curve = motion_ratio("compression", DEFAULT_RATIO)
    right: Damper | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("rate", "force"))
        return self

    def law(self, p: Symbols, moved: Any) -> Any:
        """(1) without the scale."""
        v = -moved.rate
        return p.rate * v if self.rate is not None else p.force(v, -moved.value)

    def filtered(self, at: Any, p: Symbols, force: Any) -> Any:
        """(3), where there is a cut-off."""
        if self.cutoff is None:
            return force
        scope = at.system.scope(p.own_name)
        passed = scope.state("passed_force", "N", "damper force through the low-pass filter", role="balance")
        scope.derivative(passed, 2 * math.pi * p.cutoff * (force - passed))
        return passed

    def connect(self, at: WheelModel, p: Symbols) -> None:
        moved, place = self.deflection_at(at, p), at.place
        v = -moved.rate
        force = self.filtered(at, p, self.scaled(at, p, self.law(p, moved)))
        number = at.number_of(self)
        if number == 0:
            doc = "1: the force that is added follows the line through its last two points over speed; 0: held"
            follows = at.vehicle.outside(f"Main_Damper.force_extrapolation.{place.name}", "-", doc, "flag", 0.0)
            force = -at.vehicle.through(
                -force, "N", "damper force, compression positive",
                added=f"Main_Damper.force.{place.name}", flag=f"Main_Damper.activation_flag.{place.name}",
                shaped=None if follows is None else lambda given: if_else(follows > 0.5, _line(at, given, -v), given),
            )  # fmt: skip
        here = -moved.act(force)
        if number == 0:
            at.channel(f"Damper.Force_At_Damper.{place.name}", -force, "N", "damper force, compression positive")
            at.channel(f"Damper.Force_At_Wheel.{place.name}", here, "N", "damper force at the wheel")
            at.channel(f"Damper.Jounce.{place.name}", moved.value, "m", "compression from design")
            at.channel(f"Damper.Jounce_Rate.{place.name}", -v, "m/s", "compression speed")
        elif number == 1:
            at.channel(f"secondary_damper.force.{place.words}", force, "N", "of the second damper, tension positive")
            at.channel(f"secondary_damper.velocity.{place.words}", v, "m/s", "its lengthening speed")
            at.channel(f"secondary_damper.displacement.{place.words}", -moved.value, "m", "its extension from design")

    def at_rest(self, options: Statics, place: WheelPlace) -> dict[str, float]:  # type: ignore[override]
        return {"scale": 0.0} if options.use_linear_damper else {}

    def remarks(self) -> Iterator[tuple[str, str]]:
        yield from ratio_remarks(self)
        found = self.force
        if found is not None and found.is_table:
            power = found.values * (np.array(found.x)[:, None] if found.z else np.array(found.x))
            if (power < 0).any():
                yield "force", "force and speed differ in sign somewhere: there it drives instead of damping"


def _line(at: WheelModel, force: Any, speed: Any) -> Any:
    """A force that is given at full steps, along (2) in between."""
    begins, first = at.vehicle.stage
    scope = at.vehicle.scope(f"{at.place.name}.damper_line")
    last = scope.memory("force", "N", "given at the last full step", role="free")
    there = scope.memory("speed", "m/s", "compression speed at the last full step", role="free")
    slope = scope.memory("slope", "N.s/m", "of the line through the last two points", role="free")
    changed = scope.memory("changed", "-", "1 where the last full step gave another force", role="free")
    other, step = logic_and(logic_not(first), force != last), speed - there
    straight = logic_and(logic_and(other, changed > 0), fabs(step) > SAME_SPEED)
    found = if_else(straight, (force - last) / if_else(straight, step, 1.0), 0.0)
    for memory, value in ((last, force), (there, speed), (slope, found), (changed, if_else(other, 1.0, 0.0))):
        scope.next_memory(memory, if_else(begins, value, memory))
    return if_else(begins, force, last + slope * (speed - there))
