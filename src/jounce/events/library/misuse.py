"""Misuse: what must not set off a restraint system, and one rollover: planks, kerbs, drains, ramps, a jump, a screw.

    testcase            driver                                           road whose name begins with     brakes
    screwed_rollover    none: steering held, drive and brakes off        screw_
    plank               straight on at constant speed                    plank_
    curb90              the same                                         curb90_                         may
    curb35              the same                                         curb35_
    drain_both          the same                                         drain_bs_                       may
    drain_one           the same                                         drain_os_
    ramps_shifted       the same                                         ramp_bs_
    ramp_single         the same                                         ramp_os_
    jump                the same                                         jump_

Roads lie along x. With ``braking`` the deceleration begins when the first axle is ``obstacle_distance`` before the
first feature of the road. Sensors end the run: roll angle, distance travelled, least speed; each may be None. In the
rollover the driveline is in neutral, where the car has one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.core.errors import ParameterError
from jounce.core.fields import choice, flag, problem, quantity, text
from jounce.events.along import STATION, STEERS, along, steerer
from jounce.events.base import Event
from jounce.events.follow import ACTIVE, ROBOT, follow, follower
from jounce.files.roads import library_roads
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE
from jounce.results.kinds import Kind
from jounce.results.panels import signals, wheels
from jounce.results.run import Run
from jounce.road.line import LineRoad, station_range
from jounce.road.path import Path as Line
from jounce.runtime.program import Constant, End, Open, Phase, Program, Rate, Stop, When

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle

PREFIXES = {
    "screwed_rollover": "screw_",
    "plank": "plank_",
    "curb90": "curb90_",
    "curb35": "curb35_",
    "drain_both": "drain_bs_",
    "drain_one": "drain_os_",
    "ramps_shifted": "ramp_bs_",
    "ramp_single": "ramp_os_",
    "jump": "jump_",
}
BRAKING = ("curb90", "drain_both")
DRIVER = "contour"
WAY = 2000.0  # m, that a run may take
X, ROLL, SPEED = "Vehicle.Origin_Global_X", "chassis_displacements.roll", "chassis_velocities.longitudinal"
UNITS = {"roll_peak": "deg", "distance": "m", "end_speed": "km/h", "braking_distance_left": "m", "load_peak": "kN"}
WORDS = {
    "roll_peak": "Largest roll angle",
    "distance": "Distance travelled",
    "end_speed": "Speed at the end",
    "braking_distance_left": "Distance from the obstacle where braking began",
    "load_peak": "Largest wheel load",
}


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    figures = Figures()
    if len(run) < 2 or X not in run:
        for name, unit in UNITS.items():
            figures.missing([name], unit, "misuse: the run has no positions")
        return figures
    figures.put("roll_peak", float(np.max(np.abs(run[ROLL]))) / DEGREE, "deg")
    figures.put("distance", float(run[X][-1] - run[X][0]), "m")
    figures.put("end_speed", 3.6 * float(run[SPEED][-1]), "km/h")
    loads = [run[name] for name in run.names if name.startswith("Tire.Ground_Surface_Force_Z.")]
    if loads:
        figures.put("load_peak", 1e-3 * float(np.max(loads)), "kN")
    kept = run.metadata.get("misuse")
    if isinstance(kept, Mapping) and kept.get("braking_from") is not None:
        when = float(kept["braking_from"])
        left = float(kept["obstacle"]) - float(np.interp(when, run.time, run[X]))
        figures.put("braking_distance_left", left, "m")
    elif isinstance(kept, Mapping):
        figures.missing(["braking_distance_left"], "m", "misuse: the run ended before the obstacle was near")
    return figures


class Misuse(Event):
    """Over obstacles that must not set off a restraint system, and a rollover, with sensors that end the run."""

    kind: ClassVar[str] = "misuse"
    title: ClassVar[str] = "Misuse"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (signals("forward_speed", "longitudinal_acceleration", "roll", "pitch"), wheels("loads", "travel")),
        WORDS,
        ("roll_peak", "load_peak", "distance", "end_speed"),
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {name: {"testcase": name} for name in PREFIXES}

    testcase: Literal[
        "screwed_rollover", "plank", "curb90", "curb35", "drain_both", "drain_one", "ramps_shifted", "ramp_single",
        "jump"
    ] = choice("plank", doc="what the car does; its road begins with the prefix of the case")  # fmt: skip
    road: str = text(doc="name or file of a road that begins with the prefix of the case; absent: of the library")
    contact: Literal["point", "points", "cams"] = choice(
        "points", doc="how a road is felt: under one point, or smoothed over the contact by points or cams"
    )
    speed: float = quantity("m/s", 20.0, gt=0, typical=(1.0, 60.0), doc="at the start, held but in the rollover")
    initial_gear: int | None = choice(None, doc="gear at the start; absent: as the drive chooses")
    end_time: float = quantity("s", 10.0, gt=0, typical=(1e-3, 600.0), doc="end of the run, at the latest")
    braking: bool = flag(False, doc="brake before the obstacle (curb90, drain_both)")
    deceleration: float = quantity("m/s2", 6.0, gt=0, typical=(0.5, 15.0), doc="with braking")
    obstacle_distance: float = quantity(
        "m", 2.0, ge=0, typical=(0.1, 100.0), doc="of the first axle before the obstacle where braking begins"
    )
    roll_sensor: float | None = quantity(
        "rad", math.radians(75), gt=0, typical=(0.1, 3.2), doc="ends the run; None: off"
    )
    distance_sensor: float | None = quantity("m", 100.0, gt=0, typical=(1.0, 1e4), doc="ends the run; None: off")
    speed_sensor: float | None = quantity("m/s", 3.0, gt=0, typical=(0.1, 60.0), doc="ends the run below; None: off")

    @model_validator(mode="before")
    @classmethod
    def _a_road_of_the_library(cls, raw: Any) -> Any:
        if not isinstance(raw, Mapping) or raw.get("road"):
            return raw
        prefix = PREFIXES.get(str(raw.get("testcase", "plank")), "")
        found = next((name for name in library_roads() if prefix and name.startswith(prefix)), "")
        return {**raw, "road": found} if found else raw

    @model_validator(mode="after")
    def _fits(self) -> Self:
        prefix = PREFIXES[self.testcase]
        if not Path(self.road).name.startswith(prefix):
            raise problem(f"the road of {self.testcase} must begin with {prefix!r}", "road")
        if self.braking and self.testcase not in BRAKING:
            raise problem(f"{self.testcase} has no braking; {' and '.join(BRAKING)} have", "braking")
        if self.heading != 0.0:
            raise problem("roads of misuse lie along x", "heading")
        return self

    def parts(self) -> tuple[Part, ...]:
        return (steerer(DRIVER), follower(shifts=True))

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Line, ...]]:
        """The way straight on."""
        return self, (Line.straight(WAY).moved(self.x, self.y),)

    def obstacle(self, start: Start) -> float:
        """x where the first feature of the road begins, ahead of the start."""
        for road in start.scene.roads:
            inner = getattr(road, "road", road)
            if isinstance(inner, LineRoad) and inner.features:
                places = [float(inner.path.at(max(station_range(f)[0], 0.0))[0]) for f in inner.features]
                ahead = [x for x in places if x > self.x]
                if ahead:
                    return min(ahead)
        raise ParameterError(f"misuse: road {self.road!r} has no feature ahead of x = {self.x:g} m to brake before")

    def sensors(self, start: Start) -> list[End]:
        """Ends of the run."""
        ends = []
        begin = start.sim.output(STATION)  # of the reference point of the driver, behind the first axle
        if self.roll_sensor is not None:
            ends.append(End(When(ROLL, "abs>", self.roll_sensor), then=Stop("sensor: roll angle")))
        if self.distance_sensor is not None:
            ends.append(End(When(STATION, ">=", begin + self.distance_sensor), then=Stop("sensor: distance")))
        if self.speed_sensor is not None:
            ends.append(End(When(SPEED, "<", self.speed_sensor), then=Stop("sensor: speed")))
        return ends

    def program(self, start: Start) -> Program:
        ends = self.sensors(start)
        if self.testcase == "screwed_rollover":
            known = {v.name for v in start.sim.model.inputs}
            thrown = [Open(name, Constant(0.0)) for name in (STEERS, ACTIVE, "steering_wheel", "throttle", "brake")]
            if "neutral" in known:
                thrown.append(Open("neutral", Constant(1.0)))
            return Program(Phase(self.kind, thrown, duration=self.end_time, ends=ends))
        hand = along(start, DRIVER)
        held = follow(start, Constant(self.speed), changes=self.braking)
        if not self.braking:
            return Program(Phase(self.kind, [*hand, *held], duration=self.end_time, ends=ends))
        way = self.obstacle(start) - self.obstacle_distance - self.x
        near = End(When(STATION, ">=", start.sim.output(STATION) + way))
        slower = follow(start, Rate(-self.deceleration, start=self.speed), changes=True, **ROBOT)
        return Program(
            Phase("approach", [*hand, *held], duration=self.end_time, ends=[*ends, near]),
            Phase("brake", [*hand, *slower], duration=self.end_time, ends=ends),
        )

    def completed(self, start: Start, result: Run) -> Run:
        if not self.braking:
            return result
        at = self.obstacle(start)
        began = [item["time"] for item in result.metadata["triggers"] if item["next"] == "brake"]
        return result.with_metadata(misuse={"obstacle": at, "braking_from": began[0] if began else None})
