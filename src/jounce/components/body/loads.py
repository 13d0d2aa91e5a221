"""Forces and moments that a run puts on the sprung mass, at its centre of gravity, in one of three frames.

    Ext_Body      axes of the body
    Ext_Ground    axes of the world
    Ext_Tracking  levelled axes along the heading: x forward, y to the left; no z

The three add up. What a run does not give does not exist in its model.
"""

from __future__ import annotations

from typing import Any, ClassVar

from jounce.components.body.motion import angles
from jounce.components.model import UnitModel
from jounce.components.part import Level, Part, Symbols
from jounce.symbolic.ops import cos, sin

FRAMES = {"Ext_Body": "XYZ", "Ext_Ground": "XYZ", "Ext_Tracking": "XY"}


class Loads(Part):
    """Loads on the body from outside."""

    level: ClassVar[Level] = "unit"

    def connect(self, at: UnitModel, p: Symbols) -> None:
        for frame, axes in FRAMES.items():
            force, moment = (self._given(at, f"{frame}.{kind}", unit, axes) for kind, unit in KINDS)
            if force is not None:
                at.system.force(at.chassis, self._turned(at, frame, force))
            if moment is not None:
                at.system.torque(at.chassis, self._turned(at, frame, moment))

    def _given(self, at: UnitModel, name: str, unit: str, axes: str) -> list[Any] | None:
        """Three components, those that are not given being zero; None where none is."""
        doc = f"{name.split('.')[1]} on the sprung mass at its centre of gravity"
        found = [at.vehicle.outside(f"{at.place.own}{name}.{axis}", unit, doc, "added") for axis in axes]
        if all(value is None for value in found):
            return None
        return [0.0 if value is None else value for value in (*found, None)[:3]]

    def _turned(self, at: UnitModel, frame: str, vector: list[Any]) -> Any:
        """A vector in axes of the body."""
        if frame == "Ext_Body":
            return vector
        if frame == "Ext_Tracking":
            heading = angles(at.chassis.orientation)[0]
            c, s = cos(heading), sin(heading)
            vector = [c * vector[0] - s * vector[1], s * vector[0] + c * vector[1], 0.0]
        return at.chassis.from_world(vector)


KINDS = (("force", "N"), ("moment", "N.m"))
