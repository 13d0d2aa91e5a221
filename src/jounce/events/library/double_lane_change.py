"""Double lane change: ISO 3888-1, obstacle avoidance after ISO 3888-2, or the course of Consumer Reports.

    iso_3888_1    80 km/h, held; lanes by the width of the vehicle
    iso_3888_2    as fast as it goes, in the highest gear; the throttle is let go 2 m after the entry
    cr            as fast as it goes, lanes of 9 and 13 ft

The largest speed without a cone is a search:

    jounce search double-lane-change --maximise speed --while "cones_hit == 0"

What the event is made of: ``jounce.events.cones``; lanes and cones: ``jounce.road.courses``.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.core.fields import choice, quantity
from jounce.events.cones import ConeEvent
from jounce.road.courses import Course, consumer_reports, iso_3888_1, iso_3888_2


class DoubleLaneChange(ConeEvent):
    """Into the next lane and back, between cones: ISO 3888-1, ISO 3888-2 or Consumer Reports."""

    kind: ClassVar[str] = "double-lane-change"
    title: ClassVar[str] = "Double lane change"
    standard: ClassVar[str] = "ISO 3888-1, ISO 3888-2"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "iso_3888_2": {"variant": "iso_3888_2", "speed": 60 / 3.6},
        "cr": {"variant": "cr", "speed": 70 / 3.6},
    }

    variant: Literal["iso_3888_1", "iso_3888_2", "cr"] = choice(
        "iso_3888_1", doc="course: ISO 3888-1, ISO 3888-2 (obstacle avoidance) or Consumer Reports"
    )
    speed: float = quantity("m/s", 80 / 3.6, gt=0, typical=(5.0, 75.0), doc="on the way to the first gate, and in it")

    def course(self, width: float, run_out: float) -> Course:
        if self.variant == "cr":
            return consumer_reports(run_out=run_out)
        return (iso_3888_1 if self.variant == "iso_3888_1" else iso_3888_2)(width, run_out=run_out)

    def lets_go(self) -> bool:
        return self.throttle == "release" or (self.throttle == "standard" and self.variant == "iso_3888_2")
