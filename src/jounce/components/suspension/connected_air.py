"""Air springs of a group of axles that are connected: one pressure on each side (``equalizer``)."""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.model import AxleModel
from jounce.components.part import Symbols
from jounce.components.suspension.equalizer import Equalizer
from jounce.core.fields import choice


class ConnectedAir(Equalizer):
    """Connected air springs; rate and preload are those of all springs of one side together."""

    kind: Literal["air"] = choice("air", doc="kind of equalizer")

    def weights(self, at: AxleModel, p: Symbols) -> list[Any]:
        n = len(at.place.group)
        return [1.0 / n] * n
