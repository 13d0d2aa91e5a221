"""What shares a load among the axles of a group: a beam that walks, or air springs that are connected.

On either side one spring and one damper carry a weighted mean of the travels of the group's wheels, and push them:

    J = Σ wᵢ Jᵢ,   F = F₀ + k J + c J̇,   Fᵢ = wᵢ F,   Σ wᵢ = 1                                                  (1)

A walking beam has two axles; its pivot is at the spring, and by the lever w₁ is the distance from the pivot to the
second axle over the length of the beam. Connected air springs have one pressure, so that equal springs push with equal
forces whatever the ground under each axle: wᵢ = 1/n. Both carry no mass of their own.
"""

from __future__ import annotations

from typing import Any, ClassVar

from jounce.components.model import AxleModel
from jounce.components.part import Level, Part, Symbols
from jounce.components.places import AxlePlace
from jounce.core.fields import problem, quantity
from jounce.core.paths import Keys


class Equalizer(Part):
    """Springs that a group of axles shares; it stands at the first of them."""

    level: ClassVar[Level] = "axle"
    family: ClassVar[str] = "equalizer"

    rate: float = quantity("N/m", ge=0, typical=(1e3, 1e7), doc="of all that carries one side, k")
    preload: float = quantity("N", 0.0, typical=(1e2, 2e5), doc="of one side at design, F₀")
    damping: float = quantity("N.s/m", 0.0, ge=0, typical=(10.0, 1e6), doc="of one side, c")

    def weights(self, at: AxleModel, p: Symbols) -> list[Any]:
        """Of the axles of the group (1)."""
        raise NotImplementedError

    def check(self, place: AxlePlace, keys: Keys) -> None:
        """Raise unless there is a group to share among."""
        if len(place.group) < 2:
            text = "there is no group to share a load: the next axle is not in one with this; give it group: true"
            raise problem(text, *keys)

    def connect(self, at: AxleModel, p: Symbols) -> None:
        places = at.place.group
        axles = [axle for axle in at.unit.axles if axle.place in places]
        p.kept["forces"] = []
        for side in range(2):
            ends = [axle.wheels[side].end for axle in axles]
            weights = self.weights(at, p)
            pairs = list(zip(weights, ends, strict=True))
            travel, rate = (sum(w * getattr(end, name) for w, end in pairs) for name in ("travel", "rate"))
            force = p.preload + p.rate * travel + p.damping * rate
            for (weight, end), axle in zip(pairs, axles, strict=True):
                end.push(-weight * force)
                axle.wheels[side].spring_forces.append(weight * (p.preload + p.rate * travel))
            p.kept["forces"].append(force)

    def tell(self, at: AxleModel, p: Symbols) -> None:
        for word, force in zip(("left", "right"), p.kept["forces"], strict=True):
            name = f"Axle_Group.{word}.SUSP{at.place.number}"
            at.channel(name, force, "N", "of the spring and damper that the group shares, downwards on its wheels")


def equalizer_of(axle: AxlePlace) -> Equalizer | None:
    """The springs that the group of an axle shares; None where it has its own."""
    found: Equalizer | None = dict(axle.group[0].data.further()).get("equalizer")
    return found
