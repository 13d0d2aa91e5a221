"""Following a path: a lateral driver steers along it, the longitudinal driver keeps its speed.

The path is of the library, a file, the middle of a course, or the line of the road (``path: road``). Without a place
of its own (x, y, heading) the car starts on the path, at ``station``; with one, and on a plane, the path is moved so
that it does so there. The speed is a number, ``path`` (what the path says), ``auto 0.7``
(that part of the car's limits, by the bends of the path), or a CSV file with the columns s, v or t, v in metres,
seconds and metres per second. At a number below zero the car reverses along the path, its rear ahead, if its gearbox
has a reverse gear.

    path_error_max, path_error_rms    distance of the car's reference point from the path
    speed_error_rms                   wanted less actual speed
    lap_time                          of a closed path: of the first whole lap; of an open one: until its end
    steering_effort                   effective rate of the hand wheel, √(mean δ̇_H²)                                 (1)

An open path ends when the preview point comes within 5 m of its end, a closed one after its laps. A car that spins,
rolls over or comes farther from the path than ``leaves`` ends the event with that verdict; what was recorded is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from jounce.core.errors import JounceError, ParameterError
from jounce.core.fields import quantity, text
from jounce.core.tables import Table
from jounce.core.units import parse
from jounce.events.along import DISTANCE, STATION, TARGET_STATION, along, steerer
from jounce.events.base import Event, safety_ends
from jounce.events.follow import follow, follower
from jounce.files.roads import load_path
from jounce.files.speeds import read_speeds
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE
from jounce.results.kinds import Kind
from jounce.results.panels import signals
from jounce.results.run import Run
from jounce.road.block import Frame
from jounce.road.courses import Course, iso_3888_1, iso_3888_2, slalom
from jounce.road.line import LineRoad
from jounce.road.path import Path
from jounce.runtime.program import Constant, End, FromTable, Phase, Program, Reference, Stop, When
from jounce.sim.speed_profile import automatic, with_speed

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle

COURSES: dict[str, Callable[[], Course]] = {"iso_3888_1": iso_3888_1, "iso_3888_2": iso_3888_2, "slalom": slalom}
RUN_OUT = 10.0  # s after the time that the way should take
STRAIGHT = 1e-6  # 1/m: less is no bend
SLOWEST = 1.0  # m/s, for that time
SPEED_ERROR, HAND = "driver.speed_error", "steering"
UNITS = {
    "path_error_max": "m",
    "path_error_rms": "m",
    "speed_error_rms": "m/s",
    "lap_time": "s",
    "steering_effort": "deg/s",
}
WORDS = {
    "path_error_max": "Largest distance from the path",
    "path_error_rms": "Distance from the path, effective",
    "speed_error_rms": "Speed error, effective",
    "lap_time": "Lap time",
    "steering_effort": "Rate of the steering wheel, effective",
}
FIRST = ("path_error_max", "path_error_rms", "speed_error_rms", "lap_time", "steering_effort")


# --- key figures -----------------------------------------------------------------------------------------------------


def of_run(run: Run) -> Figures:
    """Key figures of a run along a path."""
    figures = Figures()
    if STATION not in run or DISTANCE not in run or len(run.time) < 2:
        figures.missing(UNITS, "-", "follow: the run has no path")
        return figures
    time, station, distance = run.time, run[STATION], run[DISTANCE]
    figures.put("path_error_max", float(np.max(np.abs(distance))), "m")
    figures.put("path_error_rms", float(np.sqrt(np.mean(distance**2))), "m")
    if SPEED_ERROR in run:
        figures.put("speed_error_rms", float(np.sqrt(np.mean(run[SPEED_ERROR] ** 2))), "m/s")
    else:
        figures.missing(["speed_error_rms"], "m/s", "follow: the run has no speed to follow")
    kept = run.metadata.get("follow")
    way = float(kept["way"]) if isinstance(kept, Mapping) and kept.get("way") is not None else math.inf
    last, spacing = float(station[-1] - station[-2]), float(time[-1] - time[-2])
    missing = way - float(station[-1] - station[0])  # the run ends where the line is passed, up to a row after the last
    if np.all(np.diff(station) > 0) and missing <= last:
        end = time[-1] + missing / last * spacing if missing > 0 else np.interp(station[0] + way, station, time)
        figures.put("lap_time", float(end - time[0]), "s")
    else:
        figures.missing(["lap_time"], "s", f"follow: {station[-1] - station[0]:.4g} m of {way:.4g} m were driven")
    if run.has_signal(HAND):
        rate = np.gradient(run.signal(HAND), time)
        figures.put("steering_effort", float(np.sqrt(np.mean(rate**2))) / DEGREE, "deg/s")  # (1)
    else:
        figures.missing(["steering_effort"], "deg/s", "follow: the run has no hand wheel")
    return figures


# --- the event -------------------------------------------------------------------------------------------------------


class Follow(Event):
    """A path, followed by two drivers: one steers, one has the pedals."""

    kind: ClassVar[str] = "follow"
    title: ClassVar[str] = "Following a path"
    results: ClassVar[Kind] = Kind(
        (of_run,), (signals("forward_speed", "steering", "lateral_acceleration", "yaw_rate"),), WORDS, FIRST
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso-3888-1": {"speed": 80 / 3.6},
        "handling": {"path": "handling", "speed": 15.0},
        "mountain": {"path": "mountain", "speed": 10.0},
    }

    path: str = text(
        "iso_3888_1",
        doc="of the library, a file, a course (iso_3888_1, iso_3888_2, slalom), or 'road' for the line of the road",
    )
    driver: str = text(
        doc="kind of the driver who steers; absent: preview, or contour where a human drives or preview_time is given; "
        "backing where a vehicle with a towed unit reverses"
    )
    skill: str = text("robot", doc="of the driver")
    speed: float = quantity(
        "m/s",
        60 / 3.6,
        typical=(0.0, 75.0),
        doc="a number (below 0: in reverse), 'path', 'auto 0.7', or a file; here the speed at the start",
    )
    speed_rule: str = text("", doc="where the speed comes from: absent: a number; 'path', 'auto 0.7', or a CSV file")
    speed_factor: float = quantity("-", 1.0, gt=0, typical=(0.2, 2.0), doc="on the speeds of a path or a file")
    station: float = quantity("m", 0.0, typical=(0.0, 1e5), doc="of the path at which the car starts")
    initial_curvature: float | None = quantity(
        "1/m",
        None,
        typical=(0.0, 0.2),
        doc="of a steady turn in which the run begins; absent: straight ahead, of a train that of the path there",
    )
    laps: float = quantity("-", 1.0, gt=0, typical=(1.0, 100.0), doc="of a closed path")
    preview_time: float | None = quantity("s", None, gt=0, typical=(0.1, 3.0), doc="of the driver; absent: his own")
    leaves: float = quantity(
        "m", 5.0, gt=0, typical=(0.5, 50.0), doc="distance from the path at which the run ends: the car has left it"
    )
    end_tolerance: float = quantity(
        "m",
        5.0,
        ge=0,
        typical=(0.0, 50.0),
        doc="the run ends where the preview point is this near the end of an open path",
    )
    end_time: float = quantity(
        "s", 600.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run; absent: what the way should take, and 10 s"
    )

    @model_validator(mode="before")
    @classmethod
    def _a_speed_in_words(cls, raw: Any) -> Any:
        """A speed that is no number says where it comes from."""
        if not isinstance(raw, Mapping) or not isinstance(raw.get("speed"), str):
            return raw
        try:
            parse(raw["speed"], "m/s", "speed")
        except JounceError:
            values = {key: value for key, value in raw.items() if key != "speed"}
            return {**values, "speed_rule": raw["speed"].strip()}
        return raw

    @property
    def steers(self) -> str:
        """Kind of the driver who steers."""
        return self.driver or ("preview" if self.skill == "robot" and self.preview_time is None else "contour")

    @property
    def reverses(self) -> bool:
        """Whether the car reverses along the path."""
        return not self.speed_rule and self.speed < 0

    @property
    def initial_gear(self) -> int | None:
        return -1 if self.reverses else None

    # -- the path and its speed -----------------------------------------------------------------------------------

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Path, ...]]:
        path = self._path(roads)
        if not path.closed and not 0 <= self.station < path.length:
            raise ParameterError(f"follow: station = {self.station:g} m; the path goes from 0 to {path.length:g} m")
        (x, y, _), heading = path.at(self.station), float(path.at(self.station, "heading"))
        heading += math.pi if self.reverses else 0.0
        given = self.x != 0.0 or self.y != 0.0 or self.heading != 0.0
        if given and not roads:  # the path comes to the car
            turn = self.heading - heading
            c, s = math.cos(turn), math.sin(turn)
            path = path.moved(self.x - c * x + s * y, self.y - s * x - c * y, heading=turn)
        elif not given:
            heading = math.remainder(heading, 2 * math.pi)
        speeds = self._speeds(vehicle, path)
        if isinstance(speeds, Path):
            path = speeds
        first = self._first(path, speeds)
        changes: dict[str, Any] = {"speed": first}
        if not given:
            changes |= {"x": float(x), "y": float(y), "heading": heading}
        if len(vehicle.layout.units) > 1:
            changes |= self._train(vehicle, path, first)
        if "end_time" not in self.model_fields_set:
            changes["end_time"] = self._long_enough(path, first)
        return self.changed(**changes), (path,)

    def _train(self, vehicle: Vehicle, path: Path, first: float) -> dict[str, Any]:
        """How a train starts: on the circle of the path; in reverse with its towed axle on the path."""
        curvature = float(path.at(self.station, "curvature"))
        if not self.reverses:
            bends = self.initial_curvature is None and first > 0 and abs(curvature) > STRAIGHT
            return {"initial_curvature": curvature} if bends else {}
        from jounce.sim.backing import FASTEST, check_units, geometry_of

        check_units(vehicle)
        if self.driver not in ("", "backing") or self.skill != "robot" or self.preview_time is not None:
            found = f"driver = {self.driver!r}, skill = {self.skill!r}, preview_time = {self.preview_time}"
            raise ParameterError(
                f"follow: in reverse with a towed unit only the driver 'backing' steers, without delays of a human; "
                f"found {found}; leave them out"
            )
        if abs(first) > FASTEST:
            raise ParameterError(
                f"follow: speed = {first:g} m/s in reverse with a towed unit; at most {FASTEST:g} m/s: at walking pace"
            )
        own = -curvature if self.initial_curvature is None else self.initial_curvature
        (x, y, _), heading = path.at(self.station), float(path.at(self.station, "heading")) + math.pi
        x, y, course, turning = geometry_of(vehicle).begin(float(x), float(y), heading, own)
        where = {"x": x, "y": y, "heading": math.remainder(course, 2 * math.pi)}
        return {**where, "driver": "backing", "initial_curvature": turning if abs(own) > STRAIGHT else None}

    def _path(self, roads: Sequence[Road]) -> Path:
        if not self.path:
            raise ParameterError("follow: path is missing; give the name or file of a path, or 'road'")
        if self.path in COURSES:
            return COURSES[self.path]().path
        if self.path != "road":
            return load_path(self.path)
        found = next((r.path for r in roads if isinstance(r, LineRoad) and r.frame == Frame()), None)
        if found is None:
            raise ParameterError("follow: path 'road': the road has no line of its own, or it was moved; name a path")
        return found

    def _speeds(self, vehicle: Vehicle, path: Path) -> Path | Table | None:
        """The path with its speeds, speeds over time, or None: a number."""
        if not self.speed_rule:
            return None
        if self.speed_rule == "path":
            if path.speed is None or not np.any(path.speed > 0):
                raise ParameterError(f"follow: speed 'path': path {self.path!r} has no speeds; give a number or a file")
            return replace(path, speed=self.speed_factor * path.speed)
        part = automatic(self.speed_rule)
        if part is not None:
            from jounce.events.limits import limits_of

            found_path = with_speed(path, limits_of(vehicle), part)
            assert found_path.speed is not None
            return replace(found_path, speed=self.speed_factor * found_path.speed)
        table = self._table()
        if table is not None:
            return table
        found = read_speeds(self.speed_rule)
        return replace(path, speed=self.speed_factor * np.interp(path.s, found.along, found.speed))

    def _first(self, path: Path, speeds: Path | Table | None) -> float:
        if isinstance(speeds, Path):
            return float(path.at(self.station, "speed"))
        return self.speed if speeds is None else float(speeds(0.0))

    def _way(self, path: Path) -> float:
        """That is to be driven, m."""
        return self.laps * path.length if path.closed else path.length - self.station - self.end_tolerance

    def _long_enough(self, path: Path, first: float) -> float:
        if self.speed_rule and path.speed is not None:
            return 1.5 * float(self.laps * np.sum(path.step / np.maximum(path.speed, SLOWEST))) + RUN_OUT
        if self.speed_rule:
            return 600.0
        return 1.5 * self._way(path) / max(abs(first), SLOWEST) + RUN_OUT

    # -- the run --------------------------------------------------------------------------------------------------

    def parts(self) -> tuple[Part, ...]:
        settings: dict[str, Any] = {} if self.preview_time is None else {"preview_time": self.preview_time}
        from jounce.components.driver.human import pedal_lag

        if self.steers == "preview" and self.skill != "robot":
            raise ParameterError(
                f"follow: skill {self.skill!r} with driver 'preview': his gains do not know the delays of a human; "
                "leave driver out, or take contour"
            )
        if self.steers == "preview" and settings:
            raise ParameterError(
                "follow: preview_time with driver 'preview': how far he looks follows from the car; leave one of the "
                "two out"
            )
        if self.skill != "robot":
            settings["human"] = {"skill": self.skill}
        pedals: dict[str, Any] = {"gears": {}} if self.reverses else {}  # he has the lever
        return (steerer(self.steers, **settings), follower(shifts=True, pedal_lag=pedal_lag(self.skill), **pedals))

    def program(self, start: Start) -> Program:
        path = start.scene.paths[0]
        names = [v.name for v in start.sim.model.watches]
        aims = TARGET_STATION in names
        begin = start.sim.output(STATION)  # of the reference point, which may be a little behind the start line
        hand = along(start, self.steers, speed_from_path=self._over_station(path))
        self._check_preview(start, path)
        jack_knife = "driver.jack_knife" in names
        pedals = follow(start, self._reference(start), changes=True)
        ends = [
            *safety_ends(start.vehicle),
            End(When(DISTANCE, "abs>", self.leaves), then=Stop("left the path", failed=True)),
        ]
        if jack_knife:
            ends.append(End(When("driver.jack_knife", ">", 0.0), then=Stop("jack-knifed", failed=True)))
        if path.closed:
            ends.append(End(When(STATION, ">=", begin + self._way(path)), then=Stop("path completed")))
        else:
            last = path.length - self.end_tolerance
            ends.append(End(When(TARGET_STATION if aims else STATION, ">=", last), then=Stop("end of the path")))
        return Program(Phase(self.kind, [*hand, *pedals], duration=self.end_time, ends=ends))

    def _over_station(self, path: Path) -> bool:
        return bool(self.speed_rule) and path.speed is not None and not isinstance(self._table(), Table)

    def _table(self) -> Table | None:
        if not self.speed_rule or self.speed_rule == "path" or automatic(self.speed_rule) is not None:
            return None
        found = read_speeds(self.speed_rule)
        if found.over != "t":
            return None
        return Table([found.along], self.speed_factor * found.speed, method="linear", extrapolation="flat")

    def _reference(self, start: Start) -> Reference:
        table = self._table()
        return Constant(self.speed) if table is None else FromTable(table)

    def _check_preview(self, start: Start, path: Path) -> None:
        known = start.sim.parameters
        time, least = (known.get(f"{self.steers}.{name}", 0.0) for name in ("preview_time", "least_preview"))
        speed = abs(self.speed)
        looks = max(speed * time, least)
        if self.steers in ("preview", "backing") and speed > 0:  # the middle of what he looks at
            from jounce.sim.preview import NODES, SPACING, bandwidth

            looks = speed * (NODES // 2) * SPACING / bandwidth(speed, start.vehicle.wheelbase)
        if self._way(path) <= looks and not path.closed:
            raise ParameterError(
                f"follow: path {self.path!r}: {path.length - self.station:.4g} m are left of it, the driver looks "
                f"{looks:.4g} m ahead and stops {self.end_tolerance:g} m before its end; give a longer path or less "
                "preview"
            )

    def completed(self, start: Start, result: Run) -> Run:
        path = start.scene.paths[0]
        way = (
            path.length
            if path.closed
            else result[STATION][-1] - result[STATION][0]
            if result.metadata.get("status") == "complete"
            else None
        )
        kept = {
            "path": self.path,
            "driver": self.steers,
            "closed": path.closed,
            "way": None if way is None else float(way),
        }
        return result.with_metadata(follow=kept)
