"""Through a course of cones: what the events with cones share.

Two drivers take the car along a path through the gates: one steers, one keeps the speed or lets go of the throttle. The
course begins where the car starts, its x axis ahead; ``side: right`` mirrors it. Lanes and verdict depend on the size
of the body seen from above: given (``width``, ``front_to_origin``, ``rear_to_origin``), the bounding box of a mesh
(``body_mesh``), or by the data of the vehicle (``vehicle/size``). The origin is the ground under the first axle.

The path leads through the middle of the lanes, or (``line: eased``) asks for the least lateral acceleration and jerk
with ``margin`` to all cones; ``moves`` takes the control points of the course aside instead, which is what a search
for the best trajectory does. Cones do not hold the car up; what it hits is found afterwards (``key_figures/cones``).

The run ends when the car is behind the last gate. One that drove past a gate did not do what the event is about: its
run is partial, with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.core.fields import choice, part, problem, quantity, text
from jounce.events.along import DISTANCE, STATION, along, steerer
from jounce.events.base import Event, safety_ends
from jounce.events.follow import follow, follower, released
from jounce.results import cone_drawing
from jounce.results.key_figures import cones as figures
from jounce.results.kinds import Kind
from jounce.results.panels import path as path_panel
from jounce.results.panels import signals
from jounce.road.courses import Control, Course, eased, through
from jounce.runtime.program import Constant, End, Open, Phase, Program, Ramp, Stop, When
from jounce.vehicle.size import Size, size_of

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.results.run import Run
    from jounce.road.path import Path
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle

AFTER = 5.0  # m behind the last gate, of the rear of the car
LET_GO = 0.1  # s in which a foot leaves the throttle
LOOKS = 2.0  # s of path that no driver looks beyond, behind the end
RUN_UP = 30.0  # m before the first gate
PREVIEW = 0.5  # s, less than on a road: lanes are short
MOST_PATHS = 64  # that are kept

RESULTS = Kind(
    (figures.of_run,),
    (signals("steering", "forward_speed", "lateral_acceleration", "yaw_rate", "side_slip", "roll"), path_panel),
    figures.WORDS,
    figures.FIRST,
    (cone_drawing.drawing,),
    figures.verdict,
)


class ConeEvent(Event):
    """Base of events with cones: a course, a path through it, and two drivers."""

    results: ClassVar[Kind] = RESULTS

    driver: str = text("contour", doc="kind of the driver who steers")
    skill: str = text("robot", doc="of the driver")
    preview_time: float | None = quantity(
        "s", None, gt=0, typical=(0.1, 3.0), doc="of the driver; absent: 0.5 s of the contour driver, others their own"
    )
    side: Literal["left", "right"] = choice("left", doc="to which the course first turns; right: the mirrored course")
    throttle: Literal["standard", "speed", "release"] = choice(
        "standard", doc="speed: it is held throughout; release: the throttle is let go; standard: as the course asks"
    )
    release_distance: float = quantity(
        "m",
        2.0,
        ge=0,
        typical=(0.0, 50.0),
        doc="of the front beyond the first gate where the throttle is let go",
    )
    line: Literal["middle", "eased"] = choice(
        "eased", doc="path: through the middle of the lanes, or the one that asks for least lateral acceleration"
    )
    margin: float = quantity("m", 0.1, ge=0, typical=(0.0, 1.0), doc="that an eased path keeps from all cones")
    moves: tuple[float, ...] = part((), doc="of the control points of the course to the left, m, instead of line")
    width: float | None = quantity("m", None, gt=0, typical=(0.5, 4.0), doc="of the body; absent: by the vehicle")
    front_to_origin: float | None = quantity(
        "m", None, typical=(0.0, 5.0), doc="front of the body ahead of the first axle; absent: by the vehicle"
    )
    rear_to_origin: float | None = quantity(
        "m", None, gt=0, typical=(0.5, 30.0), doc="rear of the body behind the first axle; absent: by the vehicle"
    )
    body_mesh: str = text(doc="file (.obj) of the body, in the axes of the vehicle reference, for its size")
    leaves: float = quantity(
        "m", 5.0, gt=0, typical=(0.5, 50.0), doc="distance from the path at which the run ends: the car has left it"
    )
    end_time: float = quantity(
        "s", 100.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run; absent: what the way should take, and 10 s"
    )

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        if self.body_mesh and None not in (self.width, self.front_to_origin, self.rear_to_origin):
            raise problem("stands beside width, front_to_origin and rear_to_origin; give one or the other", "body_mesh")
        if self.speed <= 0:
            raise problem("a course of cones is driven at a speed above 0", "speed")
        return self

    # -- what an event says ---------------------------------------------------------------------------------------

    def course(self, width: float, run_out: float) -> Course:
        """The course for a body of this width, to the left, with so much path behind the last gate."""
        raise NotImplementedError

    def control(self, course: Course) -> Control:
        """Where the control points may go."""
        return Control(course.points)

    def lets_go(self) -> bool:
        """Whether the throttle is let go in the course."""
        return self.throttle == "release"

    # -- the course and its path ----------------------------------------------------------------------------------

    def size(self, vehicle: Vehicle) -> tuple[Size, str]:
        """The body seen from above, and a remark."""
        given = (self.front_to_origin, self.rear_to_origin, self.width)
        if self.body_mesh:
            from jounce.files.obj import corners

            low, high = corners(self.body_mesh)
            found, remark = Size(float(high[0]), -float(low[0]), 2 * float(max(-low[1], high[1]))), ""
        elif all(value is not None for value in given):
            found, remark = Size(*(float(value) for value in given if value is not None)), ""
        else:
            found, remark = size_of(vehicle)
        sizes = (found.front, found.rear, found.width)
        front, rear, width = (b if a is None else a for a, b in zip(given, sizes, strict=True))
        return Size(front, rear, width), remark

    def laid(self, vehicle: Vehicle) -> tuple[Course, Size]:
        """The course with the path that is driven, in its own axes, mirrored where it is."""
        size, _ = self.size(vehicle)
        run_out = size.front + size.rear + AFTER + LOOKS * self.speed + RUN_UP
        course = self.course(size.width, run_out)
        if self.moves:
            points = self.control(course).trajectory(self.moves)
            end = float(course.gates[-1, 0]) + run_out
            path = through(points, float(points[0, 0]), end - float(points[-1, 0]), name=course.name)
            course = replace(course, path=path)
        elif self.line == "eased":
            course = replace(course, path=_eased(course, size, self._reference(vehicle), self.margin))
        return (course.mirrored() if self.side == "right" else course), size

    def _reference(self, vehicle: Vehicle) -> float:
        """How far behind the first axle the point is that the driver keeps on the path, m."""
        place = vehicle.layout
        from_origin = steerer(self.driver).frame(place) - place.units[0].local(np.zeros(3))
        return float(place.axles[0].x - from_origin[0])

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Path, ...]]:
        course, size = self.laid(vehicle)
        path = course.path.moved(self.x, self.y, heading=self.heading)
        if "end_time" in self.model_fields_set:
            return self, (path,)
        way = float(course.gates[-1, 0]) + size.rear + AFTER
        return self.changed(end_time=1.5 * way / self.speed + 10.0), (path,)

    # -- the run --------------------------------------------------------------------------------------------------

    def parts(self) -> tuple[Part, ...]:
        from jounce.components.driver.human import pedal_lag

        preview = PREVIEW if self.preview_time is None and self.driver == "contour" else self.preview_time
        settings: dict[str, Any] = {} if preview is None else {"preview_time": preview}
        if self.skill != "robot":
            settings["human"] = {"skill": self.skill}
        return (steerer(self.driver, **settings), follower(shifts=True, pedal_lag=pedal_lag(self.skill)))

    def program(self, start: Start) -> Program:
        course, size = self.laid(start.vehicle)
        begin = start.sim.output(STATION)  # of the reference point of the driver, which may be behind that of the car
        hand = along(start, self.driver)
        last = self._station(course, -1) + size.rear + AFTER + begin
        ends = [
            *safety_ends(start.vehicle),
            End(When(DISTANCE, "abs>", self.leaves), then=Stop("left the path", failed=True)),
            End(When(STATION, ">=", last), then=Stop("end of the course")),
        ]
        pedals = follow(start, Constant(self.speed))
        if not self.lets_go():
            return Program(Phase(self.kind, [*hand, *pedals], duration=self.end_time, ends=ends))
        entry = self._station(course, 0) + self.release_distance - size.front + begin
        up = Phase(
            "approach", [*hand, *pedals], duration=self.end_time, ends=[*ends[:2], End(When(STATION, ">=", entry))]
        )
        off = [Open("throttle", Ramp(0.0, LET_GO)), Open("brake", Constant(0.0)), *released()]
        return Program(up, Phase(self.kind, [*hand, *off], duration=self.end_time, ends=ends))

    @staticmethod
    def _station(course: Course, gate: int) -> float:
        """Of the path where it goes through a gate."""
        x, left, right = course.gates[gate]
        found = course.path.project(float(x), 0.5 * float(left + right))
        return float(found.station)

    def completed(self, start: Start, result: Run) -> Run:
        course, size = self.laid(start.vehicle)
        _, remark = self.size(start.vehicle)
        tires = {
            wheel: {
                "radius": float(tire.values["UNLOADED_RADIUS"]),
                "width": float(tire.sizes.get("WIDTH", tire.values.get("WIDTH", math.nan))),
            }
            for wheel, tire in start.description.tires.items()
        }
        unknown = [wheel for wheel, tire in tires.items() if math.isnan(tire["width"])]
        remarks = [remark] if remark else []
        if unknown:
            remarks.append(f"tires {', '.join(unknown)}: their files have no WIDTH; they are not tested against cones")
        kept = {
            "name": course.name,
            "variant": course.name,
            "heading": self.heading,
            "cones": course.cones(self.x, self.y, self.heading).tolist(),
            "size": {"front": size.front, "rear": size.rear, "width": size.width},
            "tires": {wheel: tire for wheel, tire in tires.items() if wheel not in unknown},
        }
        result = result.with_metadata(cones=kept, warnings=[*result.warnings, *remarks])
        missed = figures.gates_missed(result)
        if missed and result.complete:
            gates = f"gate{'s' if len(missed) > 1 else ''} {', '.join(map(str, missed))} missed"
            result = result.with_metadata(status="partial", reason=f"{result.reason or 'the end'}, {gates}")
        return result


def _eased(course: Course, size: Size, behind: float, margin: float) -> Path:
    key = (course.name, size, behind, margin, course.gates.tobytes(), float(course.path.x[-1]))
    found = _PATHS.get(key)
    if found is None:
        if len(_PATHS) > MOST_PATHS:
            _PATHS.clear()
        found = eased(course, size.width, margin, front=size.front + behind, rear=size.rear - behind)
        _PATHS[key] = found
    return found


_PATHS: dict[Any, Path] = {}
