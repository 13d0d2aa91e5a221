"""What controllers of the chassis have in common: a switch, and a word for what they do.

A controller is a part of the vehicle (``parts`` in its file, ``controller`` of an event, ``blocks`` of a run) with
sampled blocks. It sees what sensors tell (``sensors``), never the true slip of a tire or the side slip of the body, and
enters what it wants with the arbiter (``arbiter``). With ``active`` 0 it looks on.
"""

from __future__ import annotations

from typing import ClassVar

from jounce.components.part import Level, Part
from jounce.core.fields import choice, quantity


class Controller(Part):
    """Base of the controllers of a chassis."""

    level: ClassVar[Level] = "vehicle"
    family: ClassVar[str] = "controller"

    active: float = quantity("-", 1.0, ge=0, le=1, doc="1: it works, 0: it is switched off")


class ReferenceController(Controller):
    """Base of those that compare the car with a single-track model of it; a run may find its figures at the start."""

    own_figures: bool = choice(True, doc="whether a run finds the figures of its car at the start")
    steering_per_curvature: float = quantity(
        "rad.m", 42.0, gt=0, typical=(1.0, 300.0), doc="hand wheel angle per curvature, S"
    )
    understeer: float = quantity(
        "rad.s2/m", 0.03, ge=0, typical=(1e-4, 0.5), doc="hand wheel angle per lateral acceleration, U"
    )

    def figures_of(self, per_curvature: float, understeer: float) -> dict[str, float]:
        """Numbers of it that a run finds at the start."""
        return {"steering_per_curvature": per_curvature, "understeer": max(understeer, 0.0)} if self.own_figures else {}
