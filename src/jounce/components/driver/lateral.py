"""What drivers who steer along a path have in common: what they see, the hand wheel, channels; and how to add a law.

A lateral driver is a part of the family ``driver`` and a subclass of ``Lateral`` with one method, ``law``: from what he
perceives (``View``) to the angle of the hand wheel. Everything else is here.

*Place.* The driver frame F is in the road plane under the car, in the middle of the axle that does not steer (of
several their mean), x ahead, y to the left. Its foot on the path gives station s, offset d (left positive) and, with
the headings ψ of the car and ψ_p of the path, the error of heading

    ε = ψ − ψ_p(s)                                                                                               (1)

Vectors in plan are lifted vertically into the road plane, whose normal is that under the car: the law works in the
plane of the road, whatever its slope and bank.

*Ways.* A car may stand on a path either way round, and may move along it or back. With c = sgn cos ε (the car faces
along the path) and a = sgn(c v_x) (moves along it), both kept where they change at will (|cos ε| < 0.2, |v_x| < 0.5
m/s; of one who drives backwards where he is told to, so that he knows it at rest, a follows from that), the car moves
forwards where a c > 0. A law sees the *frame of motion*: turned by half a turn when the car
reverses, and a path that leads where the car goes. Reversing a kinematic car is then the same task with the other sign
of the steer angle.

*Seams.* ``measured`` → ``perceived`` → ``law`` → ``acted`` → limits: ``measured`` are five signals (``MEASURED``), and
the view is made from what ``perceived`` leaves of them; ``acted`` gets one demand. Both leave everything as it is here.

A ``human`` stands in both (``human``); a robot, or nobody, leaves the code as it is without him.

*Hand.* The driver has a rhythm of his own (10 ms). Between two samples the hand wheel turns at a constant rate, to
where the law wants it at the next one. With the period T,

    δ̇_H = clip((clip(demand, ±lock) − δ_H)/T, ±fastest)                                                           (2)

While ``driver.steers`` is 0 the hand wheel is the run's, and his own follows it, so that he begins where it is. (A
state would be late by the history of a multi-step method; this is exact.)

*Speed.* Where the path has a speed, it is a signal that the longitudinal driver may take
(``driver.speed_from_path``): v_p at the station of the reference point, ``speed_anticipation`` seconds ahead, with its
rate v_p' ṡ.

Inputs: ``driver.steers``, ``driver.path`` (number), ``driver.steering_ratio`` (0: that of the car's data),
``driver.speed_from_path``. Paths: ``jounce.road.paths``. Ours: (1), (2), the ways.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from jounce.components.basics import Array
from jounce.components.drive.thrust import BACKWARDS
from jounce.components.driver.human import Human
from jounce.components.model import UnitModel, VehicleModel
from jounce.components.part import Part, Symbols, derived
from jounce.components.places import AxlePlace, VehiclePlace
from jounce.core.fields import part, quantity
from jounce.road.paths import ANYWHERE, PathService, Place
from jounce.symbolic.ops import atan2, clip, cos, fabs, fmax, if_else, logic_or, sin

PERIOD = 0.01  # s
FASTEST = 1200 * math.pi / 180  # rad/s: what good hands reach
FACING = 0.2  # cosine of the error of heading, below which a car may face both ways
MOVING = 0.5  # m/s, below which it may move both ways
SLOW = 1.0  # m/s: below it side slip is that of a car of this speed, and vanishes at rest
MEASURED = {
    "speed": ("m/s", "along the car, of the driver frame"),
    "side_slip": ("rad", "direction of its velocity, in the frame of motion, left positive"),
    "yaw_rate": ("rad/s", "about the normal of the road"),
    "offset": ("m", "of the driver frame from the path, left positive"),
    "heading_error": ("rad", "of the car against the path, left positive"),
}
Vector = tuple[Any, Any, Any]


@dataclass(frozen=True)
class Car:
    """What a driver senses of a car, as symbols; world axes."""

    place: Vector  # of the driver frame, m
    heading: Any  # rad, in plan
    speed: Any  # m/s, along the car, in the plane of the road
    side_speed: Any  # to its left
    yaw_rate: Any  # rad/s, about the normal
    normal: Vector  # of the road, unit
    reference: Vector  # the point whose distance from the path is told


@dataclass(frozen=True)
class View:
    """What a law works with, at a sample; distances and directions in the frame of motion."""

    paths: PathService
    number: Any  # of the path
    station: Any  # of the foot of the driver frame, m
    along: Any  # 1: the car moves along the path, -1: against it
    direction: Any  # 1: it moves forwards, -1: it reverses
    speed: Any  # of motion, m/s; negative only where a car moves against what it was doing
    side_slip: Any  # rad
    yaw_rate: Any  # rad/s
    left_of_path: Any  # m, as perceived
    heading_error: Any  # rad, of the car against the path, as perceived
    normal: Vector  # of the road
    wheelbase: Any
    ratio: Any  # hand wheel angle per steer angle
    starts: Any  # whether he begins to steer at this sample
    last: Any  # angle of the hand wheel now, rad
    period: Any  # s

    @cached_property
    def here(self) -> Place:
        """The path at the foot."""
        return self.paths.at(self.number, self.station)

    @property
    def offset(self) -> Any:
        """From the path, to the left of the motion, m."""
        return self.along * self.left_of_path

    @cached_property
    def place(self) -> tuple[Any, Any]:
        """The driver frame in plan, m, as perceived."""
        here, d = self.here, self.left_of_path
        return here.x - d * sin(here.heading), here.y + d * cos(here.heading)

    @cached_property
    def axes(self) -> tuple[Vector, Vector]:
        """Unit vectors ahead and to the left of the motion, in the plane of the road."""
        heading, n = self.here.heading + self.heading_error, self.normal
        c, s = cos(heading), sin(heading)
        ahead = _unit((c, s, -(n[0] * c + n[1] * s) / n[2]))
        left = _cross(n, ahead)
        return _times(self.direction, ahead), _times(self.direction, left)

    def later(self, way: Any) -> View:
        """The same error of place and heading, so much further along the path."""
        return replace(self, station=self.station + self.along * way)

    def seen(self, dx: Any, dy: Any) -> tuple[Any, Any]:
        """A vector in plan as distances ahead and to the left, in the plane of the road."""
        lifted = (dx, dy, -(self.normal[0] * dx + self.normal[1] * dy) / self.normal[2])
        ahead, left = self.axes
        return _dot(lifted, ahead), _dot(lifted, left)

    def in_plan(self, forward: Any, sideways: Any) -> tuple[Any, Any]:
        """The place in plan of a point ahead and to the left of the car."""
        (x, y), (ahead, left) = self.place, self.axes
        return x + forward * ahead[0] + sideways * left[0], y + forward * ahead[1] + sideways * left[1]

    def on_path(self, way: Any) -> Place:
        """The path so far ahead of the foot; heading and curvature as its travel sees them."""
        return self.travelled(self.station + self.along * way)

    def curvature(self, way: Any) -> Any:
        """That of ``on_path``, for who asks at many places."""
        return self.along * self.paths.curvature(self.number, self.station + self.along * way)

    def travelled(self, station: Any) -> Place:
        """The path at a station; heading and curvature as a travel in the direction of the car sees them."""
        place = self.paths.at(self.number, station)
        turned = place.heading + if_else(self.along > 0, 0.0, math.pi)
        return place._replace(heading=turned, curvature=self.along * place.curvature, slope=self.along * place.slope)


class Lateral(Part):
    """Base of drivers who steer along a path."""

    family: ClassVar[str] = "driver"

    steering_ratio: float = quantity(
        "-", 15.0, typical=(2.0, 40.0), doc="hand wheel angle per mean angle of the steered wheels"
    )
    front_slip: float = quantity(
        "rad.s2/m", 0.0, typical=(0.0, 0.05), doc="slip angle of the steered axle per lateral acceleration"
    )
    lock: float = quantity("rad", 4 * math.pi, ge=0, doc="largest hand wheel angle")
    fastest: float = quantity("rad/s", FASTEST, gt=0, typical=(0.5, 1e3), doc="largest rate of the hand wheel")
    human: Human | None = part(None, doc="how a human sees and acts; absent, or of the skill robot: exactly")
    side_slip_from: float | None = quantity(
        "m/s",
        None,
        gt=0,
        typical=(0.5, 10.0),
        doc="below this speed side slip fades, as that of a car that goes so; 1 m/s",
    )
    speed_anticipation: float = quantity(
        "s", 0.0, typical=(-1.0, 2.0), doc="by which the speed of the path comes early"
    )

    @derived("m", doc="from the axle that does not steer to the one that does", low=0.1, at="vehicle")
    def wheelbase(self, place: VehiclePlace) -> float:
        return max(abs(steered_at(place) - turning_at(place)), 0.1)

    @derived("m", doc="origin of the driver frame, from that of the body", at="vehicle")
    def frame(self, place: VehiclePlace) -> Array:
        import numpy as np

        return place.units[0].local(np.array([turning_at(place), 0.0, 0.0]))

    # -- what a law adds -------------------------------------------------------------------------------------------

    def law(self, at: VehicleModel, p: Symbols, view: View) -> Any:
        """The angle of the hand wheel that he wants, rad."""
        raise NotImplementedError

    def perceived(self, at: VehicleModel, p: Symbols, measured: dict[str, Any]) -> dict[str, Any]:
        """What he takes for the measured signals, by name (``MEASURED``)."""
        if self.person is None:
            return measured
        ratio = if_else(p.kept["given_ratio"] == 0, p.steering_ratio, p.kept["given_ratio"])

        def answer(v: Any) -> Any:
            return v / (ratio * (p.wheelbase + p.front_slip * v * v))

        return self.person.perceive(p.human, p.kept["block"], measured, p.kept["foot"].curvature, answer)

    def acted(self, at: VehicleModel, p: Symbols, demand: Any) -> Any:
        """What his arms make of a demand, before the limits."""
        if self.person is None:
            return demand
        starts = logic_or(p.kept["started"] < 0.5, p.kept["steers"] < 0.5)
        given = at.signals.read("given.steering_wheel", "the driver of a path")
        return self.person.act(p.human, p.kept["block"], demand, starts, given)

    @property
    def person(self) -> Human | None:
        """Who sees and acts like a human; None: a robot."""
        return None if self.human is None or self.human.skill == "robot" else self.human

    # -- phases ----------------------------------------------------------------------------------------------------

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        by = f"the {self.kind} driver"  # type: ignore[attr-defined]
        at.signals.provide("steering_wheel", lambda: self._hand(at, p), by)
        at.signals.provide("path_speed", lambda: self._path_speed(at, p), by)
        at.signals.provide("driver.station", lambda: self._station(at, p), by)
        at.signals.provide("driver.path", lambda: self._begin(at, p)["path"], by)
        if self.person is not None and self.person.arms is not None:
            self.person.push(at, p.human, by)

    def _begin(self, at: VehicleModel, p: Symbols) -> dict[str, Any]:
        if "block" not in p.kept:
            scope = at.scope("driver")
            block = scope.block("steering", period=PERIOD, doc="steers along a path")
            p.kept.update(
                block=block,
                # its rate is nought: who has the hand wheel changes at once
                steers=scope.input(
                    "steers", "-", "1: the driver has the hand wheel, 0: the run", rate=True, in_statics=False
                ),
                path=scope.input("path", "-", "number of the path in use, from 0", in_statics=False),
                given_ratio=scope.input(
                    "steering_ratio",
                    "-",
                    "hand wheel angle per steer angle; 0: that of the car's data",
                    in_statics=False,
                ),
                speed_from_path=scope.input(
                    "speed_from_path", "-", "1: the speed is that of the path", in_statics=False
                ),
                hand=block.signal("hand", "rad", "hand wheel angle of the driver at the last sample", rate=True),
                sampled=block.signal("sampled", "s", "time of the last sample", rate=True),
                turns=block.signal("turns", "rad/s", "rate of the hand wheel", rate=True),
                station=block.signal("station", "m", "of the driver frame on the path", initial=ANYWHERE),
                reference=block.signal("reference", "m", "station of the reference point", initial=ANYWHERE),
                on=block.signal("on", "-", "the path that the stations belong to", initial=-1.0),
                facing=block.signal("facing", "-", "1: the car faces along the path, -1: against it"),
                along=block.signal("along", "-", "1: the car moves along the path, -1: against it", initial=1.0),
                started=block.signal("started", "-", "1 once he has the hand wheel"),
                told={
                    name: block.signal(name, unit, doc)
                    for name, (unit, doc) in {
                        "demand": ("rad", "angle of the hand wheel that he wants"),
                        "path_speed": ("m/s", "of the path at the station of the reference point"),
                        "path_acceleration": ("m/s2", "its rate at this speed"),
                    }.items()
                },
            )
        return p.kept

    def _station(self, at: VehicleModel, p: Symbols) -> Any:
        """Of the reference point at the last sample; 0 before the first."""
        kept = self._begin(at, p)
        return if_else(kept["on"] < -0.5, 0.0, kept["reference"])

    def _hand(self, at: VehicleModel, p: Symbols) -> Any:
        kept = self._begin(at, p)
        given = at.signals.read("given.steering_wheel", "the driver of a path")
        return if_else(kept["steers"] > 0.5, self._now(at, p), given)

    def _now(self, at: VehicleModel, p: Symbols) -> Any:
        """His hand wheel: from where it was at the last sample at a constant rate."""
        return p.kept["hand"] + p.kept["turns"] * (at.system.time - p.kept["sampled"])

    def _path_speed(self, at: VehicleModel, p: Symbols) -> tuple[Any, Any, Any]:
        """Whether it counts, the speed of the path and its rate; continued from the last sample."""
        kept = self._begin(at, p)
        told = kept["told"]
        since = at.system.time - kept["sampled"]
        return (
            kept["speed_from_path"] > 0.5,
            told["path_speed"] + since * told["path_acceleration"],
            told["path_acceleration"],
        )

    def declare(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.read("steering_wheel", "the driver of a path")  # makes the block where nobody asked yet

    def close(self, at: VehicleModel, p: Symbols) -> None:
        kept, car, paths = p.kept, self.car(at, p), PathService.of(at.system)
        block, number = kept["block"], kept["path"]
        other = kept["on"] != number  # another path: looked for as a whole
        near = if_else(other, ANYWHERE, kept["station"])
        foot = paths.project(number, *car.place, near)
        error = _wrapped(car.heading - foot.heading)
        c = cos(error)
        facing = if_else(logic_or(c > FACING, c < -FACING), _sign(c), kept["facing"])
        facing = if_else(kept["facing"] == 0, _sign(c), facing)
        way = facing * car.speed
        along = if_else(way > MOVING, 1.0, if_else(way < -MOVING, -1.0, kept["along"]))
        if BACKWARDS in at.signals:  # he knows which way he will go
            back = at.signals.read(BACKWARDS, "the driver of a path") > 0.5
            along = if_else(fabs(car.speed) > MOVING, along, facing * if_else(back, -1.0, 1.0))
        direction = facing * along
        least = SLOW if self.side_slip_from is None else p.side_slip_from
        slip = atan2(direction * car.side_speed, fmax(direction * car.speed, least))
        measured = {"speed": car.speed, "side_slip": slip, "yaw_rate": car.yaw_rate}
        measured |= {"offset": foot.offset, "heading_error": error}
        p.kept["foot"] = foot
        felt = self.perceived(at, p, measured)
        starts = logic_or(kept["started"] < 0.5, kept["steers"] < 0.5)
        given = at.signals.read("given.steering_wheel", "the driver of a path")
        last = if_else(starts, given, self._now(at, p))
        ratio = if_else(kept["given_ratio"] == 0, p.steering_ratio, kept["given_ratio"])
        view = View(
            paths, number, foot.station, along, direction, direction * felt["speed"], felt["side_slip"],
            felt["yaw_rate"], felt["offset"], felt["heading_error"], car.normal, p.wheelbase, ratio, starts, last,
            block.period,
        )  # fmt: skip
        wanted = self.acted(at, p, self.law(at, p, view))
        steers = kept["steers"] > 0.5
        demand = if_else(steers, clip(wanted, -p.lock, p.lock), given)
        rate = clip((demand - last) / block.period, -p.fastest, p.fastest)  # (2)
        block.update(kept["turns"], if_else(steers, rate, 0.0))
        block.update(kept["hand"], last)
        block.update(kept["sampled"], at.system.time)
        for name in ("turns", "hand", "sampled"):
            block.update(at.system.rate_of(kept[name]), 0.0)
        block.update(kept["station"], foot.station)
        block.update(kept["on"], number)
        block.update(kept["facing"], facing)
        block.update(kept["along"], along)
        block.update(kept["started"], if_else(kept["steers"] > 0.5, 1.0, 0.0))

        near = if_else(other, ANYWHERE, kept["reference"])
        point = paths.project(number, *car.reference, near)
        block.update(kept["reference"], point.station)
        told = kept["told"]
        early = paths.at(number, point.station + car.speed * facing * p.speed_anticipation)
        block.update(told["demand"], demand)
        block.update(told["path_speed"], early.speed)
        block.update(told["path_acceleration"], early.speed_slope * car.speed * facing)
        p.kept.update(car=car, view=view, measured=measured, felt=felt)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        kept, car = p.kept, p.kept["car"]
        paths, number = PathService.of(at.system), kept["path"]
        near = if_else(kept["on"] == number, kept["reference"], ANYWHERE)
        x, y, z = car.reference
        point = paths.project(number, x, y, z, near)
        there = paths.at(number, point.station)
        monitor = "driving_machine_monitor."
        at.channel(f"{monitor}path_s", point.station, "m", "of the reference point along the path in use", watch=True)
        at.channel(
            f"{monitor}path_distance",
            point.offset,
            "m",
            "of the reference point from the path, left positive",
            watch=True,
        )
        at.channel(f"{monitor}path_curvature", there.curvature, "1/m", "of the path at path_s")
        for axis in "xyz":
            at.channel(f"{monitor}path_{axis}", getattr(there, axis), "m", "of the path at path_s")
        at.channel(f"{monitor}driver_steering", kept["told"]["demand"], "rad", "angle of the hand wheel that he wants")
        for name, (unit, doc) in MEASURED.items():
            at.channel(f"driver.{name}", kept["measured"][name], unit, doc, watch=name in ("offset", "heading_error"))

    # -- the car ---------------------------------------------------------------------------------------------------

    def sensed(self, at: VehicleModel) -> UnitModel:
        """The unit that he guides."""
        return at.units[0]

    def car(self, at: VehicleModel, p: Symbols) -> Car:
        """What he senses of the car."""
        unit = self.sensed(at)
        chassis, body = unit.chassis, unit.place.data.body
        n = unit.ground.under(chassis, p.frame).normal
        forward = _unit((1 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2]))
        left = _cross(n, forward)
        v = chassis.point_velocity(p.frame)
        world = chassis.to_world(forward)
        point = [0.0, 0.0, 0.0] if body.reference_point is None else unit.symbols(body, "body").reference
        point = p.frame if unit is not at.units[0] else point  # who guides another unit is told of its axle
        return Car(
            tuple(chassis.point(p.frame)),
            atan2(world[1], world[0]),
            _dot(v, forward),
            _dot(v, left),
            _dot(chassis.w, n),
            tuple(chassis.to_world(n)),
            tuple(chassis.point(point)),
        )


def swinging(at: VehicleModel) -> list[tuple[Any, Any]]:
    """Articulation angle and its rate of every towed unit that may turn behind the one that tows it."""
    couplings = [unit.coupling for unit in at.units if unit.coupling is not None]
    return [coupling.angles["yaw"] for coupling in couplings if "yaw" in coupling.angles]


def steered_at(place: VehiclePlace) -> float:
    """Where the axle that steers stands along the chassis, of several their mean."""
    steered = [axle.x for axle in place.units[0].axles if axle not in _unsteered(place)]
    return sum(steered) / len(steered) if steered else place.units[0].axles[0].x


def _unsteered(place: VehiclePlace) -> list[AxlePlace]:
    """Axles of the first unit that do not steer; the last one where all do."""
    axles = place.units[0].axles
    return [axle for axle in axles if axle.data.steering is None] or axles[-1:]


def turning_at(place: VehiclePlace) -> float:
    """Where the axles that do not steer stand along the chassis, in the mean."""
    axles = _unsteered(place)
    return sum(axle.x for axle in axles) / len(axles)


def _dot(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Any, b: Any) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _times(factor: Any, a: Any) -> Vector:
    return (factor * a[0], factor * a[1], factor * a[2])


def _unit(a: Any) -> Vector:
    size = _dot(a, a) ** 0.5
    return tuple(v / size for v in a)


def _wrapped(angle: Any) -> Any:
    return atan2(sin(angle), cos(angle))


def _sign(value: Any) -> Any:
    return if_else(value < 0, -1.0, 1.0)
