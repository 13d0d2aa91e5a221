"""A course of cones from a file: YAML, CSV or a property file (``jounce.files.courses``), or of the library.

The run-up is as long as the file says. Gates behind its ``abort_length`` do not count, and ``abort_time`` is the end of
the run where the event says none. What the event is made of: ``jounce.events.cones``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from jounce.core.fields import quantity, text
from jounce.events.cones import ConeEvent
from jounce.files.courses import CourseFile, read_course
from jounce.road.courses import Control, Course

if TYPE_CHECKING:
    from jounce.road.path import Path
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle


class ConeCourse(ConeEvent):
    """Through the cones of a file, along its control points."""

    kind: ClassVar[str] = "cone-course"
    title: ClassVar[str] = "Course of cones"

    speed: float = quantity("m/s", 60 / 3.6, gt=0, typical=(3.0, 75.0), doc="held throughout")
    file: str = text("offset_lane", doc="file of the course (.yaml, .csv, .cpp), or a name of the library")

    def _laid_out(self) -> CourseFile:
        return read_course(self.file)

    def course(self, width: float, run_out: float) -> Course:
        return self._laid_out().course(run_out=run_out)

    def control(self, course: Course) -> Control:
        return replace(self._laid_out().control, points=course.points)

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Path, ...]]:
        event, paths = super().placed(vehicle, roads)
        if "end_time" in self.model_fields_set:
            return event, paths
        return event.changed(end_time=min(event.end_time, self._laid_out().abort_time)), paths
