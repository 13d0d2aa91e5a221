"""A hitch held by constraints: the coupling has coordinates d along the axes of the towed unit, and multipliers keep

    g = d = 0                                                                                                    (1)

stabilised after Baumgarte (``symbolic/loops.py`` (2), parameters ``loops.alpha``, ``loops.beta``). The multipliers are
the force on the towing unit along these axes. At d = 0 the motion is that of the joint.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.model import UnitModel
from jounce.components.part import Symbols
from jounce.components.towing.hitch import Hitch
from jounce.components.towing.spring import displacement
from jounce.core.fields import choice


class ConstraintHitch(Hitch):
    """A hitch held by Lagrange multipliers."""

    kind: Literal["constraint"] = choice("constraint", doc="kind of hitch")

    def gives_way(self, at: UnitModel, p: Symbols, turned: Any) -> list[Any]:
        shift = displacement(at, turned)
        d = [q for q, _ in shift]
        p.kept["shift"] = shift
        p.kept["multipliers"] = at.scope.scope("hitch").loop("place", d, on=turned)  # (1)
        return d

    def tell(self, at: UnitModel, p: Symbols) -> None:
        super().tell(at, p)
        for axis, (d, _), value in zip("xyz", p.kept["shift"], p.kept["multipliers"], strict=True):
            at.channel(f"Hitch.displacement_{axis}", d, "m", "of its coupling from the towing one, its axes")
            at.channel(f"Hitch.multiplier_{axis}", value, "N", "force that keeps the coupling together, its axes")
