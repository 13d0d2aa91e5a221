"""A damper.

    F = scale · rate · v,  scale · force(v)  or  scale · force(v; x)                                             (1)

v = -ḋ and x = -d are positive in extension, F in tension.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.places import WheelPlace
from jounce.components.settings import Statics
from jounce.components.suspension.element import DEFAULT_RATIO, Element
from jounce.components.suspension.remarks import ratio_remarks
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, one_of, part, quantity, text


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
    ratio: Curve = curve(
        "m",
        "m",
        DEFAULT_RATIO,
        z="m",
        typical=(0.01, 20.0),
        reach=(0.005, 1.0),
        doc="travel to compression: a factor r, or a table over own (and paired) J",
    )
    right: Damper | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("rate", "force"))
        return self

    def connect(self, at: WheelModel, p: Symbols) -> None:
        moved, place = self.deflection_at(at, p), at.place
        v = -moved.rate
        force = p.rate * v if self.rate is not None else p.force(v, -moved.value)
        force = self.scaled(at, p, force)
        number = at.number_of(self)
        if number == 0:
            force = -at.vehicle.through(
                -force, "N", "damper force, compression positive",
                added=f"Main_Damper.force.{place.name}", flag=f"Main_Damper.activation_flag.{place.name}",
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
