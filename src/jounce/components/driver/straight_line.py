"""A driver who stays on a straight line.

The car aims at the line one preview distance d ahead of its centre of gravity: with the offset e of that point from the
line, left positive, the curvature that brings it back there is

    κ = -2 e/d²                                                                                               (1)

and the hand wheel turns by κ times the hand wheel angle per curvature at low speed, at every full step, beside what the
input ``steering_wheel`` gives. Pure pursuit of a line [Coulter1992].
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, cos, sin


class StraightLine(Part):
    """Steers along a line."""

    family: ClassVar[str] = "driver"

    kind: Literal["straight_line"] = choice("straight_line", doc="kind of driver")
    x: float = quantity("m", 0.0, doc="a point of the line")
    y: float = quantity("m", 0.0, doc="a point of the line")
    heading: float = quantity("rad", 0.0, doc="of the line, from the world's x axis")
    preview: float = quantity("m", 20.0, gt=0, doc="distance ahead of the centre of gravity, d")
    steering_per_curvature: float = quantity("rad.m", 40.0, doc="hand wheel angle per curvature at low speed")
    lock: float = quantity("rad", 1.0, ge=0, doc="largest hand wheel angle")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.provide("steering_wheel", lambda: self._demand(at, p), "the straight-line driver")

    def _demand(self, at: VehicleModel, p: Symbols) -> Any:
        block = at.root.block(self.kind, doc="steers along a line")
        steer = block.signal("steer", "rad", "hand wheel angle of the driver", rate=True)
        p.kept.update(block=block, steer=steer)
        return at.signals.read("given.steering_wheel", "the straight-line driver") + steer

    def declare(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.read("steering_wheel", "the straight-line driver")  # makes the block where nobody asked yet
        chassis = at.units[0].chassis
        ahead, place = chassis.to_world([1.0, 0.0, 0.0]), chassis.position
        dx, dy = place[0] + p.preview * ahead[0] - p.x, place[1] + p.preview * ahead[1] - p.y
        offset = cos(p.heading) * dy - sin(p.heading) * dx
        gain = 2.0 * p.steering_per_curvature / (p.preview * p.preview)  # (1)
        block, steer = p.kept["block"], p.kept["steer"]
        block.update(steer, clip(-gain * offset, -p.lock, p.lock))
        block.update(at.system.rate_of(steer), 0.0)  # held until the next step
        at.channel("Straight_Line.Offset_Ahead", offset, "m", "of the point aimed at, left positive")
