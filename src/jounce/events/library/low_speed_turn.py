"""Low-speed off-tracking: at walking pace around a corner, a driver takes the front axle along an arc.

    off_tracking_axle<n>   largest distance of an axle inwards from the way of the first axle                      (1)
    off_tracking_rest      that of the last axle when the first one is at the end of the arc; of long arcs it stays
    swept_path_width       largest width that all wheels need together, across the way of the first axle; with the
                           outline of the body in front, that of its corners too                                   (2)
    cut_in_end             how far after the end of the arc the last axle is back within 0.1 m of the way           (3)

At this speed an axle of one unit drives along the tractrix of its coupling; the axles of a group slip, and turn about
a point between them. No standard of its own: the turn by 90° is that of the performance-based rules for long vehicles,
the full circle that of turning circles in registration rules; radii differ and are parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from jounce.components.driver.human import pedal_lag
from jounce.core.fields import choice, quantity
from jounce.events.along import along, steerer
from jounce.events.base import Event, safety_ends
from jounce.events.follow import follow, follower
from jounce.results.figures import Figures
from jounce.results.key_figures import combinations
from jounce.results.key_figures.common import Array
from jounce.results.kinds import Kind
from jounce.results.panels import signals
from jounce.results.run import Run
from jounce.results.units import PLACE, Way, centres_of, tires_on, tracked, units_of
from jounce.road.path import joined
from jounce.runtime.program import Constant, Phase, Program

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.road.path import Path
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle

ORIGIN = "Vehicle.Origin_Global_{}"  # between the wheel centres of the first axle
BACK, GRID, LOOKS = 0.1, 0.05, 2.5  # m; LOOKS: how far ahead the driver looks at least
MOST_AXLES = 24  # that words are made for
WORDS = {
    "off_tracking": "Largest off-tracking of the last axle",
    "off_tracking_rest": "Off-tracking of the last axle at the end of the arc",
    "swept_path_width": "Width of the swept path",
    "cut_in_end": "Way after the arc until the last axle is back",
    **{f"off_tracking_axle{n}": f"Largest off-tracking, axle {n}" for n in range(2, MOST_AXLES + 1)},
}
FIRST = ("swept_path_width", "off_tracking", "off_tracking_rest", "cut_in_end")


# --- key figures -----------------------------------------------------------------------------------------------------


def width_along(places: Sequence[tuple[Array, Array]], low: float, high: float) -> tuple[Array, Array]:
    """(2) along a way: distances from ``low`` to ``high``, and the width between the outermost of some tracks.

    places : of each point where its foot is along the way, and how far left of it, over time
    """
    grid = np.arange(low, high, GRID)
    beside = []
    for s, left in places:
        order = np.maximum.accumulate(s)
        beside.append(np.interp(grid, order, left, left=np.nan, right=np.nan))
    rows = np.array(beside)
    known = np.isfinite(rows).all(axis=0)
    return grid[known], rows[:, known].max(axis=0) - rows[:, known].min(axis=0)


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    figures = Figures()
    found = tracked(run)
    radius, angle = run.number("radius", "m"), run.number("angle", "rad")
    begin = run.number("entry", "m")
    if found is None or math.isnan(radius + angle + begin):
        for key in ("off_tracking", "off_tracking_rest", "swept_path_width", "cut_in_end"):
            figures.missing([key], "m", "low-speed turn: places of the axles, radius or angle are missing")
        return figures
    way, axles = found
    inwards = -1.0 if run.parameter("direction") == "right" else 1.0
    spiral, reached = run.number("spiral", "m"), float(way.s[-1])
    end = begin + spiral + radius * angle
    x, y = centres_of(run)[min(centres_of(run))]
    leads = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    for axle, (_, left) in axles.items():
        figures.put(f"off_tracking_axle{axle}", float(np.max(inwards * left)), "m")
    last = max(axles)
    s, left = axles[last]
    figures.put("off_tracking", float(np.max(inwards * left)), "m")
    if reached < end:
        why = f"low-speed turn: the run ends {end - reached:.3g} m before the end of the arc"
        figures.missing(["off_tracking_rest", "cut_in_end"], "m", why)
    else:
        figures.put("off_tracking_rest", float(inwards * np.interp(end - spiral, leads, left)), "m")
        at = np.maximum.accumulate(s)
        away = np.flatnonzero((at > end) & (np.abs(left) > BACK))
        if at[-1] < end or (len(away) and away[-1] == len(at) - 1):
            figures.missing(["cut_in_end"], "m", "low-speed turn: the last axle is not back when the run ends")
        else:
            figures.put("cut_in_end", float(at[away[-1]]) - end if len(away) else 0.0, "m")
    tracks = tracks_of(run, way)
    if tracks:
        _, width = width_along(tracks, 0.0, reached)
        if len(width):
            figures.put("swept_path_width", float(width.max()), "m")
    return figures


def tracks_of(run: Run, way: Way) -> list[tuple[Array, Array]]:
    """Where all contacts, and the corners in front where the event has an outline, are along and beside the way."""
    x, y = run.signal("x"), run.signal("y")
    centre, _ = way.foot(x, y, np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))]))
    axles = [axle for unit in units_of(run) for axle in unit.axles]
    points = [
        (run[PLACE.format("X", name)], run[PLACE.format("Y", name)])
        for name in tires_on(run, axles, PLACE.format("X", "{}"))
    ]
    ahead, width = run.number("front_overhang", "m"), run.number("body_width", "m")
    if not math.isnan(ahead + width) and all(ORIGIN.format(axis) in run for axis in "XY"):
        yaw = run.signal("yaw")
        c, sn = np.cos(yaw), np.sin(yaw)
        for side in (0.5 * width, -0.5 * width):
            points.append(
                (run[ORIGIN.format("X")] + ahead * c - side * sn, run[ORIGIN.format("Y")] + ahead * sn + side * c)
            )
    yaw = run.signal("yaw")
    found = []
    for px, py in points:
        guess = centre + (px - x) * np.cos(yaw) + (py - y) * np.sin(yaw)
        found.append(way.foot(px, py, guess))
    return found


# --- the event -------------------------------------------------------------------------------------------------------


class LowSpeedTurn(Event):
    """Around a corner at walking pace: how much room does the vehicle need?"""

    kind: ClassVar[str] = "low-speed-turn"
    title: ClassVar[str] = "Low-speed off-tracking"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (combinations.ways, combinations.of_units, signals("steering", "speed", "yaw_rate")),
        {**combinations.WORDS, **WORDS},
        FIRST,
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "usual": {},
        "circle": {"angle": math.radians(360)},
    }

    speed: float = quantity("m/s", 5 / 3.6, gt=0, typical=(0.5, 5.0), doc="kept throughout")
    end_time: float = quantity("s", 120.0, gt=0, typical=(1.0, 7200.0), doc="end of the run, at the latest")
    radius: float = quantity("m", 12.5, gt=0, typical=(4.0, 100.0), doc="of the way of the front axle")
    angle: float = quantity("rad", math.radians(90), gt=0, typical=(0.2, 13.0), doc="by which it turns")
    direction: Literal["left", "right"] = choice("left", doc="of the turn")
    entry: float = quantity("m", 5.0, ge=0, typical=(0.0, 100.0), doc="straight before the arc")
    spiral: float = quantity(
        "m", 2.0, gt=0, typical=(0.1, 20.0), doc="clothoid at both ends of the arc, in which the driver turns in"
    )
    exit: float = quantity("m", 50.0, ge=0, typical=(0.0, 200.0), doc="straight after the arc")
    driver: Literal["contour", "preview"] = choice("contour", doc="kind of the driver")
    front_overhang: float | None = quantity(
        "m", None, ge=0, typical=(0.3, 3.0), doc="of the body, from the front wheel centres; absent: wheels alone"
    )
    body_width: float | None = quantity("m", None, gt=0, typical=(0.8, 3.0), doc="of the body in front")

    def parts(self) -> tuple[Part, ...]:
        return (steerer(self.driver), follower(shifts=True, pedal_lag=pedal_lag("robot")))

    @property
    def length(self) -> float:
        """Of the way until the run ends."""
        return self.entry + 2 * self.spiral + self.radius * self.angle - self.spiral + self.exit

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Path, ...]]:
        k = (1.0 if self.direction == "left" else -1.0) / self.radius
        # both clothoids turn by half of what an arc of their length would: the arc between them is shorter by that
        arc = self.radius * self.angle - self.spiral
        parts = [(self.entry, 0.0, 0.0)] if self.entry > 0 else []
        parts += [(self.spiral, 0.0, k), *([(arc, k, k)] if arc > 0 else []), (self.spiral, k, 0.0)]
        beyond = 20.0  # what the driver looks at when the run ends
        way = joined([*parts, (self.exit + beyond, 0.0, 0.0)], name="corner")
        return self, (way.moved(self.x, self.y, heading=self.heading),)

    def program(self, start: Start) -> Program:
        ends = safety_ends(start.vehicle)
        duration = min(self.end_time, self.length / self.speed)
        channels = [*along(start, self.driver, least_preview=LOOKS), *follow(start, Constant(self.speed))]
        return Program(Phase(self.kind, channels, duration=duration, ends=ends))
