"""Turning circle: at walking pace with the hand wheel at its end.

The last whole turn counts. A circle through the places r_k of the centre of gravity, by least squares of

    x² + y² = 2 x c_x + 2 y c_y + d                                                                               (1)

gives the middle c of the turn, from which all distances are taken: of the contacts of the wheels (centres; tires add
half their width to the outer one), and, with the outline of the body, of its corner in front.

    turning_circle        diameter on which the outermost wheel runs (kerb to kerb)
    turning_circle_inner  diameter on which the innermost wheel runs
    swept_width           half their difference
    turning_circle_walls  diameter on which the outermost corner in front of the body runs (wall to wall)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from jounce.components.driver.human import pedal_lag
from jounce.core.fields import choice, quantity
from jounce.events.base import Event
from jounce.events.follow import follow, follower
from jounce.events.straight import lock_of
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array
from jounce.results.kinds import Kind
from jounce.results.panels import path, signals, tires_of
from jounce.results.run import Run
from jounce.runtime.program import Open, Phase, Program, Ramp

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start

PLACE, STEER = "Tire.Contact_Patch_Global_{}.{}", "Wheel.Spindle_Steer.{}"
GATHERS = 0.5  # m/s², away from rest
ORIGIN = "Vehicle.Origin_Global_{}"  # between the wheel centres of the first axle
UNITS = {
    "turning_circle": "m",
    "turning_circle_inner": "m",
    "swept_width": "m",
    "turning_circle_walls": "m",
    "steer_angle_outer": "deg",
    "steer_angle_inner": "deg",
    "steering_turns": "-",
}
WORDS = {
    "turning_circle": "Turning circle of the outermost wheel",
    "turning_circle_inner": "Turning circle of the innermost wheel",
    "swept_width": "Width that the wheels sweep",
    "turning_circle_walls": "Turning circle between walls",
    "steer_angle_outer": "Steer angle of the outer front wheel",
    "steer_angle_inner": "Steer angle of the inner front wheel",
    "steering_turns": "Turns of the hand wheel from end to end",
}
FIRST = ("turning_circle", "swept_width", "steer_angle_inner", "steer_angle_outer", "steering_turns")


# --- key figures -----------------------------------------------------------------------------------------------------


def turning_circle(
    yaw: Array,
    centre: tuple[Array, Array],
    wheels: Mapping[str, tuple[Array, Array]],
    corners: list[tuple[Array, Array]],
) -> Figures:
    """Return the diameters of a car that drives in a circle.

    Parameters
    ----------
    yaw : rad, unwrapped; centre : x and y of the centre of gravity, m
    wheels : x and y of the contacts; corners : of those corners of the body that are known
    """
    figures = Figures()
    turned = np.abs(yaw[-1] - yaw)
    if turned[0] < 2 * math.pi:
        for key in ("turning_circle", "turning_circle_inner", "swept_width", "turning_circle_walls"):
            figures.missing(
                [key], "m", f"turning circle: the car turned by {turned[0] / DEGREE:.0f} deg, less than once"
            )
        return figures
    rows = np.arange(len(yaw)) >= int(np.argmax(turned <= 2 * math.pi))
    x, y = centre[0][rows], centre[1][rows]
    x0, y0 = float(x.mean()), float(y.mean())
    x, y = x - x0, y - y0
    (cx, cy, _), *_ = np.linalg.lstsq(
        np.column_stack([2 * x, 2 * y, np.ones(len(x))]), x * x + y * y, rcond=None
    )  # (1)

    def radius(place: tuple[Array, Array]) -> float:
        return float(np.mean(np.hypot(place[0][rows] - x0 - cx, place[1][rows] - y0 - cy)))

    radii = [radius(place) for place in wheels.values()]
    figures.put("turning_circle", 2 * max(radii), "m")
    figures.put("turning_circle_inner", 2 * min(radii), "m")
    figures.put("swept_width", max(radii) - min(radii), "m")
    if corners:
        figures.put("turning_circle_walls", 2 * max(radius(place) for place in corners), "m")
    else:
        figures.missing(["turning_circle_walls"], "m", "turning circle: the event has no front_overhang and body_width")
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    figures = Figures()
    wheels = tires_of(run, PLACE.format("X", "{}"))
    if not wheels or not all(run.has_signal(name) for name in ("yaw", "x", "y")):
        for key, unit in UNITS.items():
            figures.missing([key], unit, "turning circle: places of the wheels and of the car were not recorded")
        return figures
    yaw = np.unwrap(run.signal("yaw"))
    ahead, width = run.number("front_overhang", "m"), run.number("body_width", "m")
    corners: list[tuple[Array, Array]] = []
    if not math.isnan(ahead + width) and all(ORIGIN.format(axis) in run for axis in "XY"):
        c, s = np.cos(yaw), np.sin(yaw)
        for side in (0.5 * width, -0.5 * width):
            corners.append(
                (run[ORIGIN.format("X")] + ahead * c - side * s, run[ORIGIN.format("Y")] + ahead * s + side * c)
            )
    places = {name: (run[PLACE.format("X", name)], run[PLACE.format("Y", name)]) for name in wheels}
    figures.join(turning_circle(yaw, (run.signal("x"), run.signal("y")), places, corners))
    front = [float(run[STEER.format(name)][-1]) for name in ("L1", "R1") if STEER.format(name) in run]
    if len(front) == 2:
        left, right = (angle / DEGREE for angle in front)
        inner, outer = (left, right) if yaw[-1] > yaw[0] else (-right, -left)
        figures.put("steer_angle_inner", inner, "deg")
        figures.put("steer_angle_outer", outer, "deg")
    lock = run.metadata.get("turning_circle", {}).get("lock")
    if lock:
        figures.put("steering_turns", float(lock) / math.pi, "-")
    return figures


# --- the event -------------------------------------------------------------------------------------------------------


class TurningCircle(Event):
    """At walking pace the hand wheel is turned to its end, and the car drives around."""

    kind: ClassVar[str] = "turning-circle"
    title: ClassVar[str] = "Turning circle"
    results: ClassVar[Kind] = Kind(
        (of_run,), (signals("steering", "speed", "yaw_rate", "hand_torque"), path), WORDS, FIRST
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {"usual": {}}

    speed: float = quantity("m/s", 0.0, ge=0, le=0, doc="at the start, always 0")
    pace: float = quantity("m/s", 5 / 3.6, gt=0, typical=(0.5, 10.0), doc="speed in the turn")
    end_time: float = quantity("s", 60.0, gt=0, typical=(1.0, 7200.0), doc="end of the run")
    start_time: float = quantity("s", 1.0, ge=0, typical=(0.0, 600.0), doc="when the steering begins")
    turn_time: float = quantity("s", 5.0, gt=0, typical=(0.1, 60.0), doc="in which the hand wheel is turned")
    lock_share: float = quantity("-", 1.0, gt=0, le=1, typical=(0.05, 1.0), doc="of the way to the end of the steering")
    direction: Literal["left", "right"] = choice("left", doc="of the turn")
    front_overhang: float | None = quantity(
        "m", None, ge=0, typical=(0.3, 3.0), doc="of the body, from the front wheel centres; absent: no circle of walls"
    )
    body_width: float | None = quantity("m", None, gt=0, typical=(0.8, 3.0), doc="of the body in front")

    def parts(self) -> tuple[Part, ...]:
        return (follower(shifts=True, pedal_lag=pedal_lag("robot")),)

    def _angle(self, start: Start) -> float:
        return (1.0 if self.direction == "left" else -1.0) * self.lock_share * lock_of(start)

    def program(self, start: Start) -> Program:
        last = self.start_time + self.turn_time
        steering = Open("steering_wheel", Ramp(self._angle(start), self.turn_time, start=0.0, delay=self.start_time))
        target = Ramp(self.pace, self.pace / GATHERS, start=0.0, delay=last)
        return Program(Phase(self.kind, [steering, *follow(start, target, changes=True)], duration=self.end_time))

    def completed(self, start: Start, result: Run) -> Run:
        return result.with_metadata(turning_circle={"lock": lock_of(start)})
