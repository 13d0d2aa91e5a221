"""Parking: a car is driven into a space at walking pace, forwards and backwards; does it fit, and what does it cost?

A lateral driver steers along the way that `jounce.events.parking_plan` makes for the car: backwards into a bay beside
other cars (``bay``), or between two cars at a kerb (``parallel``), with a stop between legs, in which the hand wheel
turns to where the next leg begins. The longitudinal driver drives at ``pace``, from stop to stop, in reverse where a
leg leads back. Where the event says no size, the space is the least that the way needs with ``clearance``.

The body is a rectangle seen from above. With its distance d from the cars, the wall or kerb around the space, and the
room r of its corners within the space at the end,

    least_clearance   min d over the run,      room   min r                                                         (1)
    moves             legs that were driven to their ends
    hand_work         ∫|T_H dδ_H|,   steering_travel   ∫|dδ_H|                                                      (2)
    lane_width        from the line of the parked cars to the farthest corner of the body, on the lane

    pass              min d > 0,  r ≥ 0,  and all legs driven                                                       (3)

The limits are ours; no standard gives any.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.core.fields import choice, problem, quantity
from jounce.events.along import DISTANCE, PATH, STATION, STEERS, along, steerer
from jounce.events.base import Event, safety_ends
from jounce.events.follow import BACKWARDS, TARGET, follow, follower
from jounce.events.parking_plan import PLANS, Box, Leg, Plan, Wishes, body, clearance, end_of, in_axes, inside, poses
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE
from jounce.results.kinds import Kind
from jounce.results.panels import Curve, Panel, View, over, signals
from jounce.results.plots import COLOURS
from jounce.results.run import Run
from jounce.results.verdict import Criterion, Verdict, judge
from jounce.runtime.program import Channel, Constant, End, Open, Phase, Program, Ramp, Stop, When
from jounce.vehicle.size import Size, size_of

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.road.path import Path
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle

DRIVER = "contour"
# of a driver in narrow bends, who is not moved by a body that sways on its tires
SETTINGS = {"preview_time": 0.8, "least_preview": 2.0, "advanced": 1.0, "smoothing": 0.2, "side_slip_from": 10.0}
LEAVES = 2.0  # m of the first axle from the way of the rear one; in the narrowest bends it is half of that
LATE = 5.0  # s that a leg may take longer
STANDS = 0.7  # s after a stop
USUAL_RADIUS = 2.0  # wheelbases: 27 deg of the wheels
X, Y, YAW = "Vehicle.Origin_Global_X", "Vehicle.Origin_Global_Y", "chassis_displacements.yaw"
OUTLINES = 14  # of the body in the plot
UNITS = {
    "least_clearance": "m",
    "room": "m",
    "moves": "-",
    "end_offset": "m",
    "end_angle": "deg",
    "lane_width": "m",
    "space_length": "m",
    "space_width": "m",
    "duration": "s",
    "hand_work": "J",
    "hand_torque_max": "N.m",
    "steering_travel": "deg",
}
WORDS = {
    "least_clearance": "Least distance from what stands around",
    "room": "Room around the car in its space",
    "moves": "Moves",
    "end_offset": "Offset from the middle of the space",
    "end_angle": "Angle to the space",
    "lane_width": "Width of the lane that the car needs",
    "space_length": "Length of the space",
    "space_width": "Width of the space",
    "duration": "Duration",
    "hand_work": "Work of the hands",
    "hand_torque_max": "Largest hand torque",
    "steering_travel": "Way of the hand wheel",
}
FIRST = ("moves", "least_clearance", "room", "hand_work", "steering_travel", "duration")


# --- key figures -----------------------------------------------------------------------------------------------------


def _kept(run: Run) -> dict[str, Any] | None:
    """What the event says of space and body."""
    kept = run.metadata.get("parking_space")
    if not isinstance(kept, Mapping) or not all(name in run for name in (X, Y, YAW)) or len(run) < 2:
        return None
    return {
        "space": Box(**kept["space"]),
        "around": [Box(**item) for item in kept["around"]],
        "size": Size(**kept["size"]),
        "legs": list(kept["legs"]),
        "lane": float(kept["lane"]),
    }


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    figures = Figures()
    kept = _kept(run)
    if kept is None:
        for key, unit in UNITS.items():
            figures.missing([key], unit, "parking: the run has no space, or no place of the car")
        return figures
    size, space = kept["size"], kept["space"]
    x, y, yaw = run[X], run[Y], run[YAW]
    last = (float(x[-1]), float(y[-1]), float(yaw[-1]))
    figures.put("least_clearance", min(float(np.min(clearance(size, x, y, yaw, box))) for box in kept["around"]), "m")
    figures.put("room", inside(size, *last, space), "m")  # (1)
    figures.put("moves", float(_driven(run, kept["legs"])), "-")
    middle = body(size, x[-1:], y[-1:], yaw[-1:]).mean(axis=1)
    aside = in_axes(middle, *(np.array([v]) for v in (space.x, space.y, space.heading)))[0, 0]
    figures.put("end_offset", float(np.max(np.abs(aside))), "m")
    figures.put("end_angle", math.remainder(last[2] - space.heading, 2 * math.pi) / DEGREE, "deg")
    figures.put("lane_width", _lane(run, kept), "m")
    figures.put("space_length", space.length, "m")
    figures.put("space_width", space.width, "m")
    figures.put("duration", float(run.time[-1] - run.time[0]), "s")
    if run.has_signal("steering"):
        hand = run.signal("steering")
        figures.put("steering_travel", float(np.sum(np.abs(np.diff(hand)))) / DEGREE, "deg")
        if run.has_signal("hand_torque"):
            torque = np.abs(run.signal("hand_torque"))
            figures.put(
                "hand_work", float(np.sum(0.5 * (torque[1:] + torque[:-1]) * np.abs(np.diff(hand)))), "J"
            )  # (2)
            figures.put("hand_torque_max", float(np.max(torque)), "N.m")
    return figures


def _driven(run: Run, legs: Sequence[str]) -> int:
    """Legs that came to their ends: the phases of their stops began."""
    begun = {str(item["next"]) for item in run.metadata.get("triggers", [])}
    return sum(leg in begun for leg in legs)


def _lane(run: Run, kept: Mapping[str, Any]) -> float:
    """Across the lane, whose heading is that of the start, from the parked cars to the farthest corner."""
    corners = body(kept["size"], run[X], run[Y], run[YAW]).reshape(-1, 2)
    c, s = math.cos(kept["lane"]), math.sin(kept["lane"])
    across = c * corners[:, 1] - s * corners[:, 0]
    box = kept["around"][0].corners
    edge = c * box[:, 1] - s * box[:, 0]
    # the space is on the side of the first box
    start = c * run[Y][0] - s * run[X][0]
    return float(across.max() - edge.max() if edge.mean() < start else edge.min() - across.min())


def verdict(run: Run) -> Verdict:
    """(3)."""
    kept = _kept(run)
    if kept is None:
        return judge()
    of = {key: value for key, (value, _) in run.figures.items()}
    legs = len(kept["legs"])
    gone = of["moves"] >= legs and run.complete
    return judge(
        Criterion(
            f"all {legs} moves driven" + ("" if gone else f": {of['moves']:.0f}, {run.reason}"), gone, of["moves"], legs
        ),
        Criterion("touches nothing", of["least_clearance"] > 0, of["least_clearance"], 0.0, "m"),
        Criterion("stands in the space", of["room"] >= 0, of["room"], 0.0, "m"),
    )


def seen_from_above(view: View) -> list[Panel]:
    """What stands around, the space, and the body now and then."""
    kept = None if view.many else _kept(view.runs[0])
    if kept is None:
        return []
    run = view.runs[0]

    def closed(corners: Any) -> tuple[Any, Any]:
        around = np.vstack([corners, corners[:1]])
        return around[:, 0], around[:, 1]

    curves = [
        Curve("stands around" if i == 0 else "", *closed(box.corners), "#6b7580")
        for i, box in enumerate(kept["around"])
    ]
    curves.append(Curve("space", *closed(kept["space"].corners), "#2f8f5b", (4, 3)))
    rows = np.unique(np.linspace(0, len(run) - 1, OUTLINES).astype(int))
    for i, corners in enumerate(body(kept["size"], run[X][rows], run[Y][rows], run[YAW][rows])):
        curves.append(Curve("body" if i == 0 else "", *closed(corners), "#a9c3e0"))
    curves.append(Curve("way of the first axle", run[X], run[Y], COLOURS[0]))
    return [Panel("Seen from above", "x / m", "y / m", curves, "path", "m", False, equal=True, wide=True)]


# --- the event -------------------------------------------------------------------------------------------------------


class ParkingManoeuvre(Event):
    """A car is driven into a space at walking pace, forwards and backwards: does it fit, and what do the hands do?"""

    kind: ClassVar[str] = "parking-manoeuvre"
    title: ClassVar[str] = "Parking manoeuvre"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (
            seen_from_above,
            signals("steering", "forward_speed", "hand_torque", "yaw_rate"),
            over("steering", "hand_torque"),
        ),
        WORDS,
        FIRST,
        (),
        verdict,
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {"bay": {}, "parallel": {"variant": "parallel"}}

    speed: float = quantity("m/s", 0.0, ge=0, le=0, doc="at the start, always 0")
    end_time: float = quantity("s", 120.0, gt=0, typical=(1.0, 7200.0), doc="end of the run, at the latest")
    variant: Literal["bay", "parallel"] = choice(
        "bay", doc="bay: backwards at a right angle to the lane; parallel: backwards between two cars at a kerb"
    )
    side: Literal["left", "right"] = choice("right", doc="of the lane on which the space is")
    pace: float = quantity("m/s", 1.0, gt=0, le=4, typical=(0.3, 3.0), doc="walking pace, of all legs")
    acceleration: float = quantity("m/s2", 0.6, gt=0, typical=(0.1, 3.0), doc="at the ends of the legs")
    pause: float = quantity("s", 1.2, ge=0, typical=(0.0, 10.0), doc="at rest before a leg, in which the hands turn")
    hand_speed: float = quantity(
        "rad/s", math.radians(450), gt=0, typical=(0.5, 20.0), doc="fastest rate of the hand wheel"
    )
    radius: float | None = quantity(
        "m", None, gt=0, typical=(3.0, 30.0), doc="of the bends, of the rear axle; absent: 2 wheelbases"
    )
    spiral: float = quantity("m", 2.0, gt=0, typical=(0.2, 5.0), doc="of way over which a bend begins or ends")
    approach: float = quantity("m", 4.0, gt=0.5, typical=(1.0, 50.0), doc="length of the first leg, straight ahead")
    gap: float = quantity("m", 0.6, gt=0, typical=(0.2, 3.0), doc="parallel: beside the car in front")
    clearance: float = quantity("m", 0.25, gt=0, typical=(0.05, 1.0), doc="that the way keeps from what stands around")
    space_length: float | None = quantity("m", None, gt=0, typical=(2.5, 15.0), doc="absent: the least that does")
    space_width: float | None = quantity(
        "m", None, gt=0, typical=(1.5, 5.0), doc="absent: 0.7 m (bay), 0.4 m (parallel) more than the car"
    )
    width: float | None = quantity("m", None, gt=0, typical=(0.5, 4.0), doc="of the body; absent: by the vehicle")
    front_to_origin: float | None = quantity(
        "m", None, typical=(0.0, 5.0), doc="front of the body ahead of the first axle; absent: by the vehicle"
    )
    rear_to_origin: float | None = quantity(
        "m", None, gt=0, typical=(0.5, 30.0), doc="rear of the body behind the first axle; absent: by the vehicle"
    )

    @model_validator(mode="after")
    def _on_a_plane(self) -> Self:
        if self.road or self.wheel_roads:
            raise problem("parking takes place on a plane: leave road and wheel_roads out", "road")
        if self.radius is not None and 0.25 * math.pi * self.radius < self.spiral:
            raise problem(f"too long for bends of {self.radius:g} m", "spiral")
        return self

    # -- the plan -------------------------------------------------------------------------------------------------

    def size(self, vehicle: Vehicle) -> tuple[Size, str]:
        """The body seen from above, and a remark."""
        given = (self.front_to_origin, self.rear_to_origin, self.width)
        if None not in given:
            return Size(*(float(value) for value in given if value is not None)), ""
        found, remark = size_of(vehicle)
        sizes = (found.front, found.rear, found.width)
        return Size(*(own if value is None else value for value, own in zip(given, sizes, strict=True))), remark

    def plan(self, vehicle: Vehicle) -> Plan:
        """Legs and space, in the world."""
        rear = _unsteered(vehicle)
        wheelbase = vehicle.layout.units[0].axles[0].x - rear
        radius = USUAL_RADIUS * wheelbase if self.radius is None else self.radius
        wishes = Wishes(
            self.size(vehicle)[0], wheelbase, radius, self.spiral, self.approach, self.gap, self.clearance,
            self.space_length, self.space_width,
        )  # fmt: skip
        found = PLANS[self.variant](wishes)
        found = found.mirrored() if self.side == "left" else found
        c, s = math.cos(self.heading), math.sin(self.heading)
        return found.moved(self.x + c * rear, self.y + s * rear, self.heading)

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Path, ...]]:
        return self, tuple(leg.path for leg in self.plan(vehicle).legs)

    # -- the run --------------------------------------------------------------------------------------------------

    def parts(self) -> tuple[Part, ...]:
        return (steerer(DRIVER, **SETTINGS), follower(shifts=True, reverses=True))

    def program(self, start: Start) -> Program:
        legs = self.plan(start.vehicle).legs
        ahead = _followed(start.vehicle) - _unsteered(start.vehicle)
        hands = [item for item in along(start, DRIVER, fastest=self.hand_speed) if item.input not in (PATH, STEERS)]
        pedals = [item for item in follow(start, Constant(0.0), changes=True) if item.input != TARGET]
        ends = [
            *safety_ends(start.vehicle),
            End(When("time", ">=", self.end_time), then=Stop("end time", failed=True)),
            End(When(DISTANCE, "abs>", LEAVES), then=Stop("left the path", failed=True)),
        ]
        phases: list[Phase] = []
        for number, leg in enumerate(legs):
            way = -1.0 if leg.backwards else 1.0
            length = leg.end - leg.begin
            v = min(self.pace, 0.95 * math.sqrt(self.acceleration * length))
            common: list[Channel] = [
                *hands, *pedals, Open(STEERS, Constant(1.0)), Open(PATH, Constant(float(number))),
                Open(BACKWARDS, Constant(float(leg.backwards))),
            ]  # fmt: skip
            spell = v / self.acceleration
            slows = End(When(STATION, ">=", _station(leg, leg.end - 0.5 * v * spell, ahead)))
            goes = Open(TARGET, Ramp(way * v, spell, start=0.0))
            stops = Open(TARGET, Ramp(0.0, spell, start=way * v))
            names = f"move {number + 1}"
            phases += [
                Phase(f"{names}: turn", [*common, Open(TARGET, Constant(0.0))], duration=max(self.pause, 1e-3)),
                Phase(names, [*common, goes], duration=length / v + spell + LATE, ends=[*ends, slows]),
                Phase(f"{names}: stop", [*common, stops], duration=spell + STANDS, ends=ends),
            ]
        return Program(*phases)

    def completed(self, start: Start, result: Run) -> Run:
        plan = self.plan(start.vehicle)
        size, remark = self.size(start.vehicle)
        kept = {
            "space": vars(plan.space),
            "around": [vars(box) for box in plan.around],
            "size": {"front": size.front, "rear": size.rear, "width": size.width},
            "legs": [f"move {number + 1}: stop" for number in range(len(plan.legs))],
            "lane": self.heading,
        }
        warnings = [*result.warnings, *([remark] if remark else [])]
        return result.with_metadata(parking_space=kept, warnings=warnings)


def _unsteered(vehicle: Vehicle) -> float:
    """x of the point that moves along the car: the middle of the axles that do not steer."""
    axles = vehicle.layout.units[0].axles
    still = [axle.x for axle in axles if axle.data.steering is None] or [axles[-1].x]
    return sum(still) / len(still)


def _followed(vehicle: Vehicle) -> float:
    """x of the point whose station on the path the drivers tell."""
    unit = vehicle.layout.units[0]
    point = unit.data.body.reference_point
    return float(unit.origins[""][0]) + (0.0 if point is None else float(point.x))


def _station(leg: Leg, at: float, ahead: float) -> float:
    """Of a point so far ahead on the way of the rear axle, where that is at a station."""
    x, y, heading = end_of(Leg(leg.path, leg.backwards, leg.begin, at))
    return float(leg.path.project(x + ahead * math.cos(heading), y + ahead * math.sin(heading)).station)


__all__ = ["ParkingManoeuvre", "of_run", "poses", "verdict"]
