"""What all models of the air share: wind, ride heights, angles and speeds through the air, and how forces act.

Axes are those of the road (``frame: road``: z along its normal, x where the chassis points, in its plane) or of the
chassis. With the velocity v of the centre point, there, and the wind w,

    u = (v − w)·x,   across = (v − w)·y,   side slip β = atan2(across, u)                                           (1)
    pitch θ = atan2(−n_x, √(n_y² + n_z²)),   roll φ = atan2(n_y, n_z)         n: normal of the road, chassis axes  (2)

as ISO 8855 has them: nose down, right side down. Ride heights are distances of points of the body from the road along
its normal, held within given limits; with an auxiliary sensor the front one is the mean of two.

A model finds up to twelve components: drag (rearwards), side force (to the left) and downforce (downwards) at a front,
a rear and a centre point, and moments about x, y and z. Each is modified, and grows after the start of a run,

    F' = s²(3 − 2s) · scale · (F + shift),   s = clip(t/smoothing time, 0, 1)                                       (3)

Wind varies along a line of the world and in time: w = (x, y, z)·profile(r·e)·gust(t), r the point that is asked for;
profile and gust are straight lines between their points, as edges of fans would make a spline swing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.basics import Array, Point, Subsystem
from jounce.components.model import UnitModel
from jounce.components.part import Level, Symbols, derived
from jounce.components.places import Place, UnitPlace
from jounce.components.settings import Statics
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, part, problem, quantity
from jounce.symbolic.frames import cross
from jounce.symbolic.ops import atan2, clip, cos, fmax, fmin, if_else, sin, sqrt

STILL = 1e-3  # m/s: slower air has no direction
FLAG = "Subsystem_Activation.Internal_Aero_Activity"
DRS = "Aerodynamic.drs"
FORCES = tuple(f"{place}_{what}" for what in ("downforce", "drag", "side") for place in ("front", "rear", "center"))
MOMENTS = ("roll", "pitch", "yaw")
# channels of the components, in the names of the catalogue
CHANNELS = {
    "center_drag": "drag_force",
    "front_drag": "drag_force_front",
    "rear_drag": "drag_force_rear",
    "front_side": "front_sideforce",
    "rear_side": "rear_sideforce",
    "center_side": "center_sideforce",
    "roll": "roll_torque",
    "pitch": "drag_torque",
    "yaw": "yaw_torque",
}
SIGNS = {
    "downforce": "downwards",
    "drag": "rearwards",
    "side": "to the left",
    "roll": "about x, right side down",
    "pitch": "about y: positive moves load from rear to front",
    "yaw": "about z, to the left",
}


class Wind(Data):
    """Wind over ground, where it goes to; what is given by components and by speed and direction is added."""

    x: float = quantity("m/s", 0.0, typical=(0.0, 60.0), doc="along world x")
    y: float = quantity("m/s", 0.0, typical=(0.0, 60.0), doc="along world y")
    z: float = quantity("m/s", 0.0, typical=(0.0, 60.0), doc="along world z")
    speed: float = quantity("m/s", 0.0, typical=(0.0, 60.0), doc="along `direction`")
    direction: float = quantity(
        "rad", 0.0, typical=(0.0, 7.0), doc="where it goes to, from world x to the left; 180 deg: against +x"
    )
    profile: Curve | None = curve(
        "m",
        "-",
        None,
        constant="value",
        how="lines",
        typical=(0.0, 10.0),
        reach=(0.1, 1e5),
        doc="factor along a line, as behind fans beside a track; straight between its points",
    )
    heading: float = quantity(
        "rad", 0.0, typical=(0.0, 7.0), doc="of that line, which begins at the origin of the world"
    )
    gust: Curve | None = curve(
        "s",
        "-",
        None,
        constant="value",
        how="lines",
        typical=(0.0, 10.0),
        reach=(0.01, 1e5),
        doc="factor over time; straight between its points",
    )

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)

    @derived("m/s", doc="along world x", label="x")
    def along_x(self, place: Place) -> float:
        return self.x + self.speed * math.cos(self.direction)

    @derived("m/s", doc="along world y", label="y")
    def along_y(self, place: Place) -> float:
        return self.y + self.speed * math.sin(self.direction)


class Drs(Data):
    """A flap that a run opens by its input: factors on what it changes, from closed to open."""

    drag: float = quantity("-", 1.0, ge=0, typical=(0.3, 3.0), doc="factor on drag when it is open")
    front_downforce: float = quantity("-", 1.0, typical=(0.1, 3.0), doc="factor on front downforce when it is open")
    rear_downforce: float = quantity("-", 1.0, typical=(0.1, 3.0), doc="factor on rear downforce when it is open")


def _height(x: str, reach: tuple[float, float], doc: str) -> Any:
    return curve(x, "m", None, constant="value", how="held", typical=(0.001, 2.0), reach=reach, doc=doc)


class RideHeightMaps(Data):
    """Ride heights of the sensors in equilibrium, for models without suspension (`jounce.rigs.ride_heights`)."""

    front: Curve | None = _height("m/s", (0.0, 150.0), "front, over speed")
    rear: Curve | None = _height("m/s", (0.0, 150.0), "rear, over speed")
    front_by_load: Curve | None = _height("N", (0.0, 1e6), "front, over axle load")
    rear_by_load: Curve | None = _height("N", (0.0, 1e6), "rear, over axle load")

    def at_speed(self, speed: float, usual: tuple[float, float]) -> tuple[float, float]:
        """Front and rear ride height at a speed; those that are usual where there is no map."""
        found = tuple(
            height if map_ is None else map_(speed, extrapolation="flat")
            for map_, height in zip((self.front, self.rear), usual, strict=True)
        )
        return found[0], found[1]


class ForceModifier(Data):
    """What becomes of a force: F' = growth · scale · (F + shift)."""

    scale: float = quantity("-", 1.0, typical=(0.01, 100.0), doc="factor; 0 takes it away")
    shift: float = quantity("N", 0.0, typical=(0.0, 1e5), doc="added to it")
    smoothing_time: float = quantity("s", 0.0, ge=0, typical=(0.0, 60.0), doc="time of growth after the start of a run")


class MomentModifier(Data):
    """What becomes of a moment: M' = growth · scale · (M + shift)."""

    scale: float = quantity("-", 1.0, typical=(0.01, 100.0), doc="factor; 0 takes it away")
    shift: float = quantity("N.m", 0.0, typical=(0.0, 1e5), doc="added to it")
    smoothing_time: float = quantity("s", 0.0, ge=0, typical=(0.0, 60.0), doc="time of growth after the start of a run")


class Modifiers(Data):
    """Modifiers of all components."""

    front_downforce: ForceModifier = part({}, doc="downforce at the front point")
    rear_downforce: ForceModifier = part({}, doc="downforce at the rear point")
    center_downforce: ForceModifier = part({}, doc="downforce at the centre point")
    front_drag: ForceModifier = part({}, doc="drag at the front point")
    rear_drag: ForceModifier = part({}, doc="drag at the rear point")
    center_drag: ForceModifier = part({}, doc="drag at the centre point")
    front_side: ForceModifier = part({}, doc="side force at the front point")
    rear_side: ForceModifier = part({}, doc="side force at the rear point")
    center_side: ForceModifier = part({}, doc="side force at the centre point")
    roll: MomentModifier = part({}, doc="roll moment; what side forces at a height do is not part of it")
    pitch: MomentModifier = part({}, doc="pitch moment")
    yaw: MomentModifier = part({}, doc="yaw moment")


@dataclass
class Flow:
    """The air as a model of forces sees it; vectors in chassis axes."""

    ahead: list[Any]
    up: list[Any]
    front: Any  # ride heights within their limits
    rear: Any
    speed: Any  # u, along x through the air
    across: Any
    rising: Any
    side_slip: Any
    pitch: Any
    roll: Any
    steer: Any

    @property
    def left(self) -> list[Any]:
        return cross(self.up, self.ahead)


class Air(Subsystem):
    """Base of all models of the air: where ride heights are measured, wind, frame, limits."""

    level: ClassVar[Level] = "unit"
    family: ClassVar[str] = "aero"

    air_density: float = quantity("kg/m3", 1.2, ge=0, typical=(0.4, 2.0), doc="air density during the run")
    front_sensor: Point | None = part(None, doc="where the front ride height is measured; absent: mid front axle")
    rear_sensor: Point | None = part(None, doc="where the rear ride height is measured; absent: mid rear axle")
    auxiliary_sensor: Point | None = part(
        None, silent=True, doc="second front sensor, on the right; the front ride height is the mean of both"
    )
    ride_height_min: float | None = quantity(
        "m", None, typical=(0.0, 2.0), doc="ride heights are held above this before the maps"
    )
    ride_height_max: float | None = quantity(
        "m", None, typical=(0.0, 2.0), doc="ride heights are held below this before the maps"
    )
    front_ride_height_min: float | None = quantity("m", None, typical=(0.0, 2.0), doc="the same of the front one alone")
    front_ride_height_max: float | None = quantity("m", None, typical=(0.0, 2.0), doc="the same of the front one alone")
    rear_ride_height_min: float | None = quantity("m", None, typical=(0.0, 2.0), doc="the same of the rear one alone")
    rear_ride_height_max: float | None = quantity("m", None, typical=(0.0, 2.0), doc="the same of the rear one alone")
    drag_arm_min: float | None = quantity("m", None, typical=(0.0, 3.0), doc="the drag arm is held above this")
    drag_arm_max: float | None = quantity("m", None, typical=(0.0, 3.0), doc="the drag arm is held below this")
    frame: Literal["road", "chassis"] = choice("road", doc="frame in which velocity and forces are taken")
    in_statics: bool = choice(False, doc="act during the search for equilibrium")
    wind: Wind = part({}, doc="wind")
    ride_heights: RideHeightMaps | None = part(
        None, numbers_only=True, doc="ride heights over speed and axle load, for models without suspension"
    )
    drs: Drs | None = part(None, silent=True, doc="a flap that the input `Aerodynamic.drs` opens, 0 to 1")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        for name in ("ride_height", "front_ride_height", "rear_ride_height", "drag_arm"):
            low, high = getattr(self, f"{name}_min"), getattr(self, f"{name}_max")
            if low is not None and high is not None and low >= high:
                raise problem(f"must be above {name}_min, which is {low:g} m", f"{name}_max")
        front, other = self.front_sensor, self.auxiliary_sensor
        if other is not None and (0.0 if front is None else front.y) * other.y > 0:
            raise problem("stands on the same side as front_sensor; put one left and one right", "auxiliary_sensor")
        return self

    @derived("m", doc="from the origin of its body", label="front_sensor", at="unit")
    def front_point(self, place: UnitPlace) -> Array:
        return _sensor(self._front_pair()[0], place, 0)

    @derived("m", doc="from the origin of its body", label="rear_sensor", at="unit")
    def rear_point(self, place: UnitPlace) -> Array:
        return _sensor(self.rear_sensor, place, -1)

    @derived("m", doc="from the origin of its body", label="auxiliary_sensor", at="unit")
    def auxiliary_point(self, place: UnitPlace) -> Array | None:
        found = self._front_pair()[1]
        return None if self.auxiliary_sensor is None else _sensor(found, place, 0)

    def _front_pair(self) -> tuple[Point | None, Point | None]:
        """Front and auxiliary sensor: the auxiliary one is that on the right, whichever is called so in the data."""
        front, other = self.front_sensor, self.auxiliary_sensor
        swapped = other is not None and other.y > (0.0 if front is None else front.y)
        return (other, front) if swapped else (front, other)

    def at_rest(self, options: Statics, place: Place) -> dict[str, float]:
        return {} if self.in_statics else {"active": 0.0}

    def remarks(self) -> Iterator[tuple[str, str]]:
        other = self.auxiliary_sensor
        if other is not None and other.y > (0.0 if self.front_sensor is None else self.front_sensor.y):
            yield "auxiliary_sensor", "stands left of the front sensor: the channels of both are exchanged"

    def still_drag(self, place: UnitPlace, speeds: Array, heights: tuple[float, float]) -> Array:
        """Drag without wind at speeds, straight ahead and level, with these front and rear ride heights, N."""
        raise NotImplementedError

    def within(self, heights: tuple[float, float]) -> list[float]:
        """Front and rear ride height within their limits."""
        found = []
        for word, height in zip(("front", "rear"), heights, strict=True):
            for limits in ("ride_height", f"{word}_ride_height"):
                low, high = getattr(self, f"{limits}_min"), getattr(self, f"{limits}_max")
                height = height if low is None else max(height, low)
                height = height if high is None else min(height, high)
            found.append(height)
        return found

    # -- what models ask for ---------------------------------------------------------------------------------------

    def active(self, p: Symbols) -> Any:
        """0 where there is no air."""
        return p.constant("active", 1.0, "-", "0 without air, as in the search for equilibrium", low=0.0)

    def axes(self, at: UnitModel) -> tuple[list[Any], list[Any]]:
        """x and z of the frame of the forces, in chassis axes."""
        ahead: list[Any] = [1.0, 0.0, 0.0]
        up: list[Any] = [0.0, 0.0, 1.0]
        if self.frame == "road":
            up = list(at.ground.under(at.chassis, [0.0, 0.0, 0.0]).normal)
            flat = [1 - up[0] * up[0], -up[0] * up[1], -up[0] * up[2]]  # chassis x without its part along the normal
            length = (flat[0] ** 2 + flat[1] ** 2 + flat[2] ** 2) ** 0.5
            ahead = [f / length for f in flat]
        return ahead, up

    def heights(self, at: UnitModel, p: Symbols) -> list[Any]:
        """Front and rear ride height within their limits."""
        found = []
        for name, point in (("front", p.front_point), ("rear", p.rear_point)):
            height = at.ground.under(at.chassis, point).height
            at.channel(f"aero_forces.height_{name}", height, "m", "of the sensor above the road")
            if name == "front" and self.auxiliary_sensor is not None:
                other = at.ground.under(at.chassis, p.auxiliary_point).height
                at.channel("aero_forces.height_auxiliary", other, "m", "of the right front sensor above the road")
                height = 0.5 * (height + other)
            for limits in ("ride_height", f"{name}_ride_height"):
                if getattr(self, f"{limits}_min") is not None:
                    height = fmax(height, getattr(p, f"{limits}_min"))
                if getattr(self, f"{limits}_max") is not None:
                    height = fmin(height, getattr(p, f"{limits}_max"))
            found.append(height)
        return found

    def wind_at(self, at: UnitModel, p: Symbols, place: Any) -> list[Any]:
        """Wind at a point of the chassis, chassis axes."""
        wind, vehicle = [p.wind.along_x, p.wind.along_y, p.wind.z], at.vehicle
        factor: Any = 1.0
        if self.wind.profile is not None:
            point, heading = at.chassis.point(place), p.wind.heading
            factor = p.wind.profile(point[0] * cos(heading) + point[1] * sin(heading))
        if self.wind.gust is not None:
            factor = factor * p.wind.gust(at.system.time)
        if self.wind.profile is not None or self.wind.gust is not None:
            wind = [factor * w for w in wind]
        for i, axis in enumerate("xyz"):
            more = vehicle.outside(f"Aerodynamic.wind_{axis}", "m/s", f"added to the wind along world {axis}", "added")
            if more is not None:
                wind[i] = wind[i] + more
        return list(at.chassis.from_world(wind))

    def flow(self, at: UnitModel, p: Symbols, centre: Any) -> Flow:
        """The air at the centre point."""
        ahead, up = self.axes(at)
        front, rear = self.heights(at, p)
        return Flow(ahead, up, front, rear, *self.motion(at, p, centre, ahead, up))

    def motion(self, at: UnitModel, p: Symbols, centre: Any, ahead: list[Any], up: list[Any]) -> tuple[Any, ...]:
        """Speeds through the air along x, y, z, side slip (1), pitch, roll (2), steer."""
        wind = self.wind_at(at, p, centre)
        air = [v - w for v, w in zip(at.chassis.point_velocity(centre), wind, strict=True)]
        u, across, rising = (air[0] * e[0] + air[1] * e[1] + air[2] * e[2] for e in (ahead, cross(up, ahead), up))
        slip = atan2(across, if_else(u * u + across * across > STILL**2, u, STILL))
        n = at.ground.under(at.chassis, [0.0, 0.0, 0.0]).normal
        pitch, roll = atan2(-n[0], sqrt(n[1] * n[1] + n[2] * n[2])), atan2(n[1], n[2])
        wheels = at.axles[0].wheels
        steer = sum((wheel.pose.psi for wheel in wheels), 0.0) / len(wheels)
        return u, across, rising, slip, pitch, roll, steer

    def tell_motion(self, at: UnitModel, motion: tuple[Any, ...]) -> None:
        u, across, rising, slip, pitch, roll, steer = motion
        doc = "of the centre point of the air forces, less the wind; axes of the road or the body, as `frame` says"
        for name, value in (("longitudinal", u), ("lateral", across), ("vertical", rising)):
            at.channel(f"aero_forces.{name}_velocity", value, "m/s", doc)
        at.channel("aero_forces.side_slip", slip, "rad", "of the centre point through the air")
        at.channel("aero_forces.pitch", pitch, "rad", "of the chassis against the road, nose down")
        at.channel("aero_forces.roll", roll, "rad", "of the chassis against the road, right side down")
        at.channel("aero_forces.steer", steer, "rad", "mean of the front wheels, against the chassis")

    def arm(self, at: UnitModel, p: Symbols, place: Any) -> Any:
        """Height of a point over the road, within the limits of the drag arm."""
        height = at.ground.under(at.chassis, place).height
        if self.drag_arm_min is not None:
            height = fmax(height, p.drag_arm_min)
        if self.drag_arm_max is not None:
            height = fmin(height, p.drag_arm_max)
        return height

    def opened(self, at: UnitModel, p: Symbols, name: str) -> Any:
        """Factor of the flap on drag, front_downforce or rear_downforce; None where no run moves it."""
        if self.drs is None:
            return None
        given = at.vehicle.outside(DRS, "-", "the flap: 0 closed, 1 open", "command")
        return None if given is None else 1.0 + given * (getattr(p.drs, name) - 1.0)

    def add(self, at: UnitModel, ahead: list[Any], up: list[Any], points: Mapping[str, Any]) -> dict[str, Any]:
        """Forces and moments that the run adds, at points by their words; returns those that are given, by name."""
        axes = (ahead, cross(up, ahead), up)
        told: dict[str, Any] = {}

        def given(names: list[str], unit: str, doc: str) -> list[Any] | None:
            found = [at.vehicle.outside(f"Aerodynamic.{name}", unit, doc, "added") for name in names]
            told.update({name: value for name, value in zip(names, found, strict=True) if value is not None})
            if all(value is None for value in found):
                return None
            turned: list[Any] = [0.0, 0.0, 0.0]
            for value, axis in zip(found, axes, strict=True):
                if value is not None:
                    turned = [t + value * a for t, a in zip(turned, axis, strict=True)]
            return turned

        for word, place in points.items():
            doc = f"force of the air at the {word} point, x forward, y to the left, z upwards"
            force = given([f"f{axis}_{word}" for axis in "xyz"], "N", doc)
            if force is not None:
                at.system.force(at.chassis, force, at=place)
        moment = given(["mx", "my", "mz"], "N.m", "moment of the air on the body")
        if moment is not None:
            at.system.torque(at.chassis, moment)
        return told


class PointedAir(Air):
    """Base of models whose forces act at three points and are modified one by one."""

    front_location: Point = part(doc="where the front forces act")
    rear_location: Point = part(doc="where the rear forces act")
    center_location: Point = part(doc="where drag and further forces of the centre act")
    modifiers: Modifiers = part({}, doc="factor, shift and growth of every component")
    pitch_compensation: bool = choice(
        True, doc="a moment as large as drag times its arm: the drag acts as if it were at the road"
    )
    side_arm: Literal["compensate", "manual", "none"] = choice(
        "compensate",
        doc="moment of side forces F at heights h: F h, as if they acted at the road; manual: against that; or none",
    )

    @derived("m", doc="from the origin of its body", label="front_location", at="unit")
    def front_place(self, place: UnitPlace) -> Array:
        return place.local(self.front_location.array)

    @derived("m", doc="from the origin of its body", label="rear_location", at="unit")
    def rear_place(self, place: UnitPlace) -> Array:
        return place.local(self.rear_location.array)

    @derived("m", doc="from the origin of its body", label="center_location", at="unit")
    def center_place(self, place: UnitPlace) -> Array:
        return place.local(self.center_location.array)

    def components(self, at: UnitModel, p: Symbols, flow: Flow) -> dict[str, Any]:
        """The components that the model knows, by name; others are zero."""
        raise NotImplementedError

    def connect(self, at: UnitModel, p: Symbols) -> None:
        places = {"front": p.front_place, "rear": p.rear_place, "center": p.center_place}
        flow = self.flow(at, p, places["center"])
        found = self.components(at, p, flow)
        for name, factor in (("drag", "center_drag"), ("front_downforce",) * 2, ("rear_downforce",) * 2):
            opened = self.opened(at, p, name)
            if opened is not None and factor in found:
                found[factor] = opened * found[factor]
        done = {name: self._modified(at, p, name, found.get(name, 0.0)) for name in (*FORCES, "roll", "yaw")}
        arm = self.arm(at, p, places["center"])
        done["pitch"] = self._modified(at, p, "pitch", found.get("pitch", 0.0))
        if self.pitch_compensation:  # of a drag that is modified already
            own = p.modifiers.pitch
            done["pitch"] = done["pitch"] + grown(at, own.scale * done["center_drag"] * arm, own.smoothing_time)
        if self.side_arm != "none":
            sign = 1.0 if self.side_arm == "compensate" else -1.0
            for word in ("front", "rear"):
                height = at.ground.under(at.chassis, places[word]).height
                done["roll"] = done["roll"] + sign * done[f"{word}_side"] * height
        for word, place in places.items():
            parts = (-done[f"{word}_drag"], done[f"{word}_side"], -done[f"{word}_downforce"])
            at.system.force(at.chassis, _sum(parts, flow), at=place)
        at.system.torque(at.chassis, _sum(tuple(done[name] for name in MOMENTS), flow))
        self.add(at, flow.ahead, flow.up, places)
        p.kept |= {"flow": flow, "arm": arm, "done": done}

    def _modified(self, at: UnitModel, p: Symbols, name: str, value: Any) -> Any:
        """(3)"""
        own = getattr(p.modifiers, name)
        value = grown(at, self.active(p) * own.scale * (value + own.shift), own.smoothing_time)
        unit = "N.m" if name in MOMENTS else "N"
        return at.vehicle.through(value, unit, "built-in aerodynamic forces", flag=FLAG)

    def tell(self, at: UnitModel, p: Symbols) -> None:
        flow, done = p.kept["flow"], p.kept["done"]
        self.tell_motion(at, (flow.speed, flow.across, flow.rising, flow.side_slip, flow.pitch, flow.roll, flow.steer))
        at.channel("aero_forces.drag_arm", p.kept["arm"], "m", "height over the road at which the drag acts")
        for name in (*FORCES, *MOMENTS):
            unit = "N.m" if name in MOMENTS else "N"
            at.channel(f"aero_forces.{CHANNELS.get(name, name)}", done[name], unit, SIGNS[name.rpartition("_")[2]])
        front, rear, centre = (done[f"{word}_downforce"] for word in ("front", "rear", "center"))
        tell_balance(at, front, front + rear + centre)


def tell_balance(at: UnitModel, front: Any, total: Any) -> None:
    """Front share of the downforce; 0 where there is none."""
    share = front / if_else(total * total > 0, total, 1.0)
    at.channel("aero_forces.aero_balance", share, "-", "front downforce over all downforce; 0 without downforce")


def grown(at: UnitModel, force: Any, time: Any) -> Any:
    """What there is of a force after the start of a run (3)."""
    share = if_else(time > 0, clip(at.system.time / fmax(time, 1e-9), 0.0, 1.0), 1.0)
    return force * share * share * (3 - 2 * share)


def _sum(parts: tuple[Any, ...], flow: Flow) -> list[Any]:
    """Parts along x, y and z of the frame of the forces, in chassis axes."""
    axes = (flow.ahead, flow.left, flow.up)
    return [sum((value * axis[i] for value, axis in zip(parts, axes, strict=True)), 0.0) for i in range(3)]


def _sensor(given: Point | None, place: UnitPlace, axle: int) -> Array:
    """Where a ride height is measured, from the origin of the body: as given, or in the middle of an axle."""
    if given is not None:
        return place.local(given.array)
    centre = place.axles[axle].wheels[0].centre
    return place.local(np.array([centre[0], 0.0, centre[2]]))
