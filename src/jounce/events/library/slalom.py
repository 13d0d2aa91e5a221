"""Slalom: cones in a row, passed on the right and the left in turn, at a constant speed.

The row stands w/2 + 0.55 m to the left of the car's way, so that the first cone is passed on its right and the same
room is left at every cone; a far cone, 7 m away, closes each gate. Usual rows: 10 × 18 m, 7 × 30.5 m, 10 × 36 m.
What the event is made of: ``jounce.events.cones``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from jounce.core.fields import choice, quantity
from jounce.events.cones import ConeEvent
from jounce.road.courses import Course, slalom

ROOM = 0.55  # m between the side of a car and the line of the cones


class Slalom(ConeEvent):
    """Around cones in a row, on the right and the left in turn."""

    kind: ClassVar[str] = "slalom"
    title: ClassVar[str] = "Slalom"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "10x18": {},
        "7x30.5": {"pitch": 30.5, "cones": 7, "speed": 70 / 3.6},
        "10x36": {"pitch": 36.0, "cones": 10, "speed": 80 / 3.6},
    }

    speed: float = quantity("m/s", 45 / 3.6, gt=0, typical=(3.0, 60.0), doc="held throughout")
    pitch: float = quantity("m", 18.0, gt=2, typical=(8.0, 60.0), doc="between two cones")
    cones: int = choice(10, ge=2, le=200, doc="number of cones in the row")
    room: float = quantity(
        "m", ROOM, gt=0, typical=(0.1, 3.0), doc="between the side of the car and the line of the cones, on its path"
    )

    def course(self, width: float, run_out: float) -> Course:
        aside = 0.5 * width + self.room
        return slalom(self.pitch, self.cones, line=aside, amplitude=aside, run_out=run_out)
