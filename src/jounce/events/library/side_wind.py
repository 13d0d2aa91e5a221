"""Side wind from fans beside the track (ISO 12021): how far it pushes a car whose hand wheel is held.

The car drives straight on, keeps its speed, and passes fans that blow across its line. It feels them where its air
forces act. Figures are positive downwind, less the values when the front axle meets the fans:

    lateral_deviation_2s   of the centre of gravity from its line, 2 s later
    lateral_deviation      largest until the end
    yaw_rate_peak, ay_peak, roll_peak    largest while the car is in the wind and for 1 s after it
    course_change          of the direction of motion, at the end of the fans

(After [ISO12021]; that the peaks are looked for until 1 s after the wind is ours.) The standard gives no limits.

Side force and yaw moment are those of the car's data. The kind ``standard`` says them by three numbers (``crosswind``):
with the side slip β through the air, per frontal area and wheelbase,

    C_S = −s sin β,   C_Y = −½ n sin 2β                                                                             (1)

to the left, nose to the left. Where the data say nothing of side forces (no ``crosswind``, ``side``, ``cy``), those of
a usual saloon take their place, and the run says so: s = 2.3 and n = 0.45 per radian, 0.04 and 0.008 per degree, are
engineering experience; a long tail has less yaw moment, a van more side force. Drag and lift stay those of the data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from jounce.core.errors import ParameterError
from jounce.core.fields import choice, flag, quantity
from jounce.events.base import Driven, safety_ends
from jounce.events.straight import driver, preview_time, straight_ahead
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE
from jounce.results.kinds import Kind
from jounce.results.panels import signals
from jounce.results.run import Run
from jounce.runtime.program import Phase, Program

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.vehicle.schema import Vehicle

LATER, AFTER = 2.0, 1.0  # s
ANGLES = tuple(range(-90, 91, 10))  # deg, of (1) for a usual car
OWN_ANGLES = tuple(range(-90, 91, 5))  # deg, the same of a car that says its own
UNITS = {
    "lateral_deviation_2s": "m",
    "lateral_deviation": "m",
    "yaw_rate_peak": "deg/s",
    "ay_peak": "m/s2",
    "roll_peak": "deg",
    "course_change": "deg",
}
WORDS = {
    "lateral_deviation_2s": "Lateral deviation 2 s after the wind begins",
    "lateral_deviation": "Largest lateral deviation",
    "yaw_rate_peak": "Largest yaw rate downwind",
    "ay_peak": "Largest lateral acceleration downwind",
    "roll_peak": "Largest roll angle downwind",
    "course_change": "Change of course at the end of the wind",
}
FIRST = ("lateral_deviation_2s", "yaw_rate_peak", "ay_peak", "course_change")
NEEDED = ("x", "y", "yaw_rate", "lateral_acceleration", "roll")


def of_run(run: Run) -> Figures:
    """Key figures of a run past fans."""
    figures = Figures()
    begin, length = run.number("entry", "m"), run.number("length", "m")
    if math.isnan(begin + length) or not all(run.has_signal(name) for name in NEEDED):
        figures.missing(UNITS, "-", f"side wind: entry, length or a signal ({', '.join(NEEDED)}) is missing")
        return figures
    down = -1.0 if run.parameter("direction") == "left" else 1.0  # of what is positive to the left
    heading = run.number("heading", "rad")
    heading = 0.0 if math.isnan(heading) else heading
    c, s = math.cos(heading), math.sin(heading)
    time, x, y = run.time, run.signal("x"), run.signal("y")
    along = c * (x - x[0]) + s * (y - y[0])
    aside = down * (c * (y - y[0]) - s * (x - x[0]))
    to_front = run.quantity("wheelbase") - run.quantity("cg_to_rear")
    way = along + (0.0 if math.isnan(to_front) else to_front)
    if way[-1] <= begin + length:
        figures.missing(UNITS, "-", f"side wind: the run ends before the end of the fans, after {way[-1]:.4g} m")
        return figures
    entered, left = (float(np.interp(at, way, time)) for at in (begin, begin + length))
    put = dict.fromkeys(UNITS, math.nan)

    def less(values: Any, at: float) -> float:
        return float(np.interp(at, time, values) - np.interp(entered, time, values))

    if entered + LATER <= time[-1]:
        put["lateral_deviation_2s"] = less(aside, entered + LATER)
    else:
        figures.warn(f"side wind: the run ends within {LATER:g} s after the wind begins")
    after = time >= entered
    put["lateral_deviation"] = float(np.max(aside[after])) - float(np.interp(entered, time, aside))
    near = after & (time <= left + AFTER)
    peaks = (("yaw_rate", "yaw_rate_peak", 1 / DEGREE), ("lateral_acceleration", "ay_peak", 1.0))
    for name, key, scale in (*peaks, ("roll", "roll_peak", -1 / DEGREE)):  # pushed to the left it rolls to the left
        values = down * scale * run.signal(name)
        put[key] = float(np.max(values[near])) - float(np.interp(entered, time, values))
    course = np.unwrap(np.arctan2(np.gradient(aside, time), np.gradient(along, time)))
    put["course_change"] = less(course, left) / DEGREE
    for key, value in put.items():
        figures.put(key, value, UNITS[key])
    return figures


class SideWind(Driven):
    """Straight past fans that blow across the track."""

    kind: ClassVar[str] = "side-wind"
    title: ClassVar[str] = "Side wind"
    standard: ClassVar[str] = "ISO 12021"
    results: ClassVar[Kind] = Kind(
        (of_run,), (signals("steering", "lateral_acceleration", "yaw_rate", "roll", "side_slip"),), WORDS, FIRST
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    end_time: float = quantity("s", 6.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    wind: float = quantity("m/s", 20.0, gt=0, typical=(1.0, 40.0), doc="speed of the wind across the line")
    direction: Literal["left", "right"] = choice("left", doc="from which side the wind blows")
    entry: float = quantity("m", 30.0, ge=0, typical=(1.0, 1000.0), doc="from the start to the fans")
    length: float = quantity("m", 30.0, gt=0, typical=(5.0, 1e4), doc="of the row of fans")
    edge: float = quantity("m", 2.0, gt=0, typical=(0.1, 20.0), doc="over which the wind grows at both ends")
    straight_line: bool = flag(False, doc="a driver keeps the car on its line; otherwise the hand wheel is held")
    steer: float = quantity("rad", 0.0, typical=(0.0, 20.0), doc="hand wheel angle that is held")
    preview: float = preview_time(0.4)
    air: Literal["auto", "own", "usual"] = choice(
        "auto", doc="side forces: the car's own, those of a usual car, or these where it has none"
    )
    frontal_area: float = quantity("m2", 2.2, gt=0, typical=(0.8, 10.0), doc="of the usual side forces")
    side_slope: float = quantity("1/rad", 2.3, ge=0, typical=(0.5, 6.0), doc="of the usual side force, over yaw")
    yaw_slope: float = quantity("1/rad", 0.45, typical=(0.0, 2.0), doc="of the usual yaw moment, over yaw")

    def adapted(self, vehicle: Vehicle) -> Vehicle:
        aero: Any = vehicle.aero
        if aero is None:
            raise ParameterError("side-wind: the vehicle has no aerodynamics (aero), and feels no wind")
        fans = {"wind": self._fans()}
        own = any(getattr(aero, name, None) is not None for name in ("side", "cy")) or aero.kind == "user"
        if own and self.air != "usual":
            return vehicle.with_(**{f"aero.{key}": value for key, value in fans.items()})
        if self.air != "usual" and getattr(aero, "crosswind", None) is not None:
            return vehicle.with_(aero={**self._even(vehicle, aero.crosswind, OWN_ANGLES), **fans})
        if self.air == "own":
            raise ParameterError(
                f"side-wind: the air of this car (kind {aero.kind}) says nothing of side forces; give crosswind, or "
                "side and yaw of a wind tunnel (kind wind_tunnel), or leave air = auto for those of a usual car"
            )
        if aero.kind != "standard":
            raise ParameterError(
                f"side-wind: the usual side forces go with the standard model of the air, and the car has {aero.kind}; "
                "give it side and yaw of its own"
            )
        return vehicle.with_(aero={**self._even(vehicle, self, ANGLES), **fans})

    def _fans(self) -> dict[str, Any]:
        """Wind across the heading, over the distance along it from the origin of the world."""
        c, s = math.cos(self.heading), math.sin(self.heading)
        to = -self.wind if self.direction == "left" else self.wind  # to the left of the heading
        begin = self.x * c + self.y * s + self.entry
        half = 0.5 * self.edge
        ends = [begin - half, begin + half, begin + self.length - half, begin + self.length + half]
        profile = {"x": ends, "y": [0.0, 1.0, 1.0, 0.0]}
        return {"x": -s * to, "y": c * to, "heading": self.heading, "profile": profile}

    def _even(self, vehicle: Vehicle, wind: Any, angles: Sequence[int]) -> dict[str, Any]:
        """The car's drag and lift with the side forces (1) that three numbers say, as data of a wind tunnel."""
        aero: Any = vehicle.aero
        if any(
            part.area is None for part in (aero.drag, aero.front_downforce, aero.rear_downforce) if part is not None
        ):
            raise ParameterError("side-wind: the drag or lift of this car is no area; give it side and yaw of its own")
        area, beta = wind.frontal_area, [math.radians(a) for a in angles]

        def share(force: Any) -> float:
            return 0.0 if force is None else force.area * force.scale / area

        def place(force: Any, x: float) -> list[float]:
            return [x, 0.0, 0.0] if force is None else [force.location.x, force.location.y, force.location.z]

        axles = vehicle.layout.units[0].axles
        middle = 0.5 * (axles[0].x + axles[-1].x)
        return {
            "kind": "wind_tunnel",
            "air_density": aero.air_density,
            "frontal_area": area,
            "drag": share(aero.drag),
            "front_lift": -share(aero.front_downforce),
            "rear_lift": -share(aero.rear_downforce),
            "side": {"x": beta, "y": [-wind.side_slope * math.sin(b) for b in beta]},
            "yaw": {"x": beta, "y": [-0.5 * wind.yaw_slope * math.sin(2 * b) for b in beta]},
            "center_location": [middle, 0.0, aero.drag.location.z],
            "front_location": place(aero.front_downforce, axles[0].x),
            "rear_location": place(aero.rear_downforce, axles[-1].x),
        }

    def parts(self) -> tuple[Part, ...]:
        return (*super().parts(), *driver(self))

    def program(self, start: Start) -> Program:
        aero: Any = start.vehicle.aero
        usual = getattr(aero, "side", None)
        if usual is not None and len(usual.y) == len(ANGLES) and aero.frontal_area == self.frontal_area:
            start.warnings.append(
                f"side wind: side force and yaw moment are those of a usual car ({self.side_slope:g} and "
                f"{self.yaw_slope:g} per radian of {self.frontal_area:g} m²): the data of this car have none"
            )
        channels = [*straight_ahead(self, start), *self.pedals(start)]
        return Program(Phase(self.kind, channels, duration=self.end_time, ends=safety_ends(start.vehicle)))
