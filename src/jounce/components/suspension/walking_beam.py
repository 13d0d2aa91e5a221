"""A walking beam: a beam on a pivot between two axles, which shares their load by its levers (``equalizer``)."""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.model import AxleModel
from jounce.components.part import Symbols
from jounce.components.places import AxlePlace
from jounce.components.suspension.equalizer import Equalizer
from jounce.core.fields import choice, problem, quantity
from jounce.core.paths import Keys


class WalkingBeam(Equalizer):
    """A beam on a pivot between two axles."""

    kind: Literal["walking_beam"] = choice("walking_beam", doc="kind of equalizer")
    share: float = quantity("-", 0.5, gt=0, lt=1, typical=(0.2, 0.8), doc="of the load that the first axle bears, w₁")

    def check(self, place: AxlePlace, keys: Keys) -> None:
        super().check(place, keys)
        if len(place.group) != 2:
            raise problem(f"a walking beam has two axles, the group has {len(place.group)}; give kind: air", *keys)

    def weights(self, at: AxleModel, p: Symbols) -> list[Any]:
        return [p.share, 1 - p.share]
