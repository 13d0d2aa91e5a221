"""What controllers of a chassis see: wheel speeds by toothed rings, accelerations, yaw rate, hand wheel, and a speed.

Made when a controller asks for it; a vehicle without controllers has none of it. All is sampled: teeth are counted at
every full step, the unit computes at its period T (5 ms).

**Wheel speed.** A ring of N teeth gives an edge per tooth. Within a step the time of the last edge is known as a timer
would have it; the unit divides the edges that came since its last sample by the time between the last ones,

    ω = (2π/N) n/(t_e − t_e,last),     without a new edge  ω = min(ω_last, (2π/N)/(t − t_e))                      (1)

so that a wheel is seen late, by half the time between its edges, and a standing one only by and by; the acceleration of
the car over that time is added. A ring that is
mounted off its centre moves the edges by the share e of a tooth, once in a turn. v_i = r_i ω_i with the rolling radius
r_i as it was learnt without brakes, its own acceleration by the difference from edge to edge and a low-pass.

**Inertial unit.** Accelerometers feel acceleration less gravity at the centre of gravity, as means over T; they and the
yaw rate have an offset and noise (uniform, of the given standard deviation, from [ParkMiller1988] generators, the same
in every run). The hand wheel has an offset and a resolution. What accelerometer and wheels tell of the slope while
nobody brakes or drives hard is taken off the first (time constant ``slope_filter``); the rest of the time it is kept.

**Speed of the car.** Wheels that slip lie. The fastest wheel, each moved to the middle of the car by the yaw rate, is
believed as far as the accelerometer allows, with margins: a braked wheel is no faster than the car, so that the one
upwards is the larger, and a car that dives feels more deceleration than it has, so that the other may be small. A wheel
whose brake opens swings beyond the car's speed for a moment: of each counts what it reached by less than 20 m/s²:

    v ← clip(max_i(v_i + ψ̇ y_i),  v + Δ − T m_−,  v + Δ + T m_+),     Δ = ∫ a_x dt over T                          (2)

The accelerometer is late by its filter, which at the first instant of a full braking would be worth 0.2 m/s; of a
low-pass with the time constant τ the integral of what comes in is known, with T/2 for the mean over T:

    Δ = T a_k/(1 + d) + c (τ + T/2) (a_k − a_k−1)                                                                   (3)

d is what it reads too much because the body dives. c is a half: on ice, where the best slip is a few thousandths, an
estimate that is rather too high is the better one.

While no wheel is braked the slowest of the wheels that are not driven takes the place of the fastest, where there are
such. Speeds count along the way the car goes: rings tell which way they turn, the sum of all wheels decides, and what
locked wheels cannot tell stays. In reverse a_x and ψ̇ y of (2) change their sign.

Nothing here knows the true slip of a tire or the side slip of the body. (2) is ours, of the kind in [Reif2014].
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from jounce.components.basics import on_side
from jounce.components.model import VehicleModel, WheelModel
from jounce.components.part import Level, Part, Symbols, derived
from jounce.components.places import WheelPlace
from jounce.core.fields import quantity
from jounce.symbolic.ops import clip, fabs, floor, fmax, fmin, fmod, if_else, logic_and, logic_or, sign, sin

DEGREE = math.pi / 180
MODULUS = 2147483647.0  # of the generators, 2^31 - 1
FACTORS = {"ax": 16807.0, "ay": 48271.0, "yaw_rate": 69621.0}  # [ParkMiller1988] and its two equals
FIRST = 1073741823.0  # noise of next to nothing at the first sample
FREELY = 20.0  # m/s2: margin where a wheel is known to roll freely
OLDEST = 0.05  # s: edges that are older tell nothing
SOONEST = 1e-4  # s between edges, at the least
SMOOTH = 0.5  # of a new sample in the acceleration of a wheel
ROLLS = 1.03  # rolling radius over height of the wheel centre, of radial tires as a rule
ASIDE = 1e3  # m/s: what takes a wheel out of a comparison
BRAKED = 0.01  # demand of the brakes
LEARNS = 0.5  # s in which a rolling radius is learnt
SETTLES = 20.0  # m/s2: wheels swing faster than that
CALM = 2.0  # m/s2: below, the slope is learnt
UNBRAKED = 0.15  # m/s2: margin while wheels roll
CAUGHT_UP = 0.5  # of what the accelerometer is late by, c
TURNS = 0.5  # rad/s of a wheel in the mean, that a ring tells the direction of


@dataclass
class Sensed:
    """What there is to see, as signals of the sensors' block; SI."""

    block: Any
    started: Any
    wheel_speed: dict[str, Any] = field(default_factory=dict)  # at its own place
    wheel_acceleration: dict[str, Any] = field(default_factory=dict)
    reference: dict[str, Any] = field(default_factory=dict)  # speed that a wheel would have without slip
    way: Any = None  # 1 while the car goes forwards, -1 backwards
    speed: Any = None  # along its way, not below zero
    ax: Any = None  # along the road, without slope
    grows: Any = None  # the same along the way: how fast the speed grows
    ay: Any = None
    yaw_rate: Any = None
    steering_wheel: Any = None


class ChassisSensors(Part):
    """Sensors of every vehicle whose controllers ask for them; numbers are ``sensors.…`` of a run."""

    level: ClassVar[Level] = "vehicle"

    period: float = quantity("s", 0.005, gt=0, doc="between two samples of the unit, T")
    teeth: float = quantity("-", 48.0, ge=8, le=400, doc="of the ring at a wheel, N")
    runout: float = quantity("-", 0.01, ge=0, le=0.5, doc="of a tooth by which edges move in a turn, e")
    radius_error: float = quantity(
        "-", 0.0, typical=(-0.05, 0.05), doc="share by which rolling radii are known wrongly"
    )
    ax_offset: float = quantity("m/s2", 0.1, doc="of the longitudinal accelerometer")
    ay_offset: float = quantity("m/s2", 0.1, doc="of the lateral accelerometer")
    yaw_rate_offset: float = quantity("rad/s", 0.15 * DEGREE, doc="of the yaw rate")
    steering_offset: float = quantity("rad", 0.5 * DEGREE, doc="of the hand wheel angle")
    steering_resolution: float = quantity("rad", 0.1 * DEGREE, gt=0, doc="of the hand wheel angle")
    ax_noise: float = quantity("m/s2", 0.05, ge=0, doc="standard deviation")
    ay_noise: float = quantity("m/s2", 0.05, ge=0, doc="standard deviation")
    yaw_rate_noise: float = quantity("rad/s", 0.1 * DEGREE, ge=0, doc="standard deviation")
    inertial_filter: float = quantity("s", 0.015, gt=0, doc="time constant of accelerometers and yaw rate")
    slope_filter: float = quantity("s", 1.0, gt=0, doc="time constant in which the slope is learnt")
    dive: float = quantity(
        "-",
        0.02,
        ge=0,
        typical=(0.0, 0.06),
        doc="share of an acceleration that it reads too much as the body pitches, d",
    )
    margin: float = quantity("m/s2", 0.05, gt=0, doc="by which the speed of the car may fall faster than measured, m_-")
    margin_up: float = quantity("m/s2", 0.7, gt=0, doc="by which it may rise faster, m_+")

    @derived("m", doc="of the wheel as the sensors' unit knows it", at="wheel")
    def sensed_radius(self, place: WheelPlace) -> float:
        return ROLLS * float(place.centre[2])

    @derived("m", doc="of the wheel from the middle of the car, left positive", at="wheel")
    def sensed_y(self, place: WheelPlace) -> float:
        return float(place.centre[1])

    @derived("m", doc="of the wheel before the origin of the body that its axle hangs on", at="wheel")
    def sensed_x(self, place: WheelPlace) -> float:
        return float(place.axle.unit.local(place.centre, place.axle.on)[0])

    @derived("-", doc="1 of a wheel that the drive reaches, 0 of another", at="wheel")
    def sensed_driven(self, place: WheelPlace) -> float:
        line = place.vehicle.data.driveline
        if line is None:
            return float(place.axle.data.drive_share(place.side) > 0)
        return float(any(place.name in member.shafts for member in line.arranged(place.vehicle)))

    @derived("N/Pa", doc="force at the ground per pressure in the brake", at="wheel")
    def sensed_force_per_pressure(self, place: WheelPlace) -> float:
        brake: Any = place.axle.data.brake
        return 0.0 if brake is None else on_side(brake, place.side).full_moment(1.0) / float(place.centre[2])

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.provide("sensed", partial(self._make, at, p), "the sensors")
        at.signals.provide("sensors.part", lambda: self, "the sensors")

    # -- what is seen ------------------------------------------------------------------------------------------------

    def _make(self, at: VehicleModel, p: Symbols) -> Sensed:
        scope = at.scope("sensors")
        block = scope.block("unit", self.period, doc="sensors as their unit reads them")
        seen = Sensed(block, block.signal("started", "-", "1 once it has seen something"))
        ticks = scope.block("rings", doc="counts teeth")
        first = seen.started < 0.5
        T = block.period
        seen.way = block.signal("way", "-", "1 while the car goes forwards, -1 backwards", 1.0)
        turns = sum(wheel.rotor.spin for wheel in at.wheels.values())
        told = if_else(fabs(turns) > TURNS * len(at.wheels), sign(turns), seen.way)
        block.update(seen.way, told)
        self._kept(p)["way"] = told
        self._inertial(at, p, seen, first, T)
        for name, wheel in at.wheels.items():
            self._wheel(at, p, wheel, name, seen, ticks, first, T)
        self._speed(at, p, seen, first, T)
        block.update(seen.started, 1.0)
        p.kept["seen"] = seen
        return seen

    def _wheel(
        self, at: VehicleModel, p: Symbols, wheel: WheelModel, name: str, seen: Sensed, ticks: Any, first: Any, T: Any
    ) -> None:  # fmt: skip
        h, now = ticks.period, at.system.time
        per_tooth = 2 * math.pi / p.teeth
        spin = fabs(wheel.rotor.spin)
        phase = ticks.signal(f"phase.{name}", "-", "teeth since the last edge")
        count = ticks.signal(f"count.{name}", "-", "edges")
        edge = ticks.signal(f"edge.{name}", "s", "time of the last edge")
        passed = phase + h * spin / per_tooth
        new = floor(passed)
        ticks.update(phase, passed - new)
        ticks.update(count, count + new)
        when = now - (passed - new) * per_tooth / fmax(spin, 1e-6)
        ticks.update(edge, if_else(logic_or(count + new < 0.5, new > 0.5), when, edge))  # the ring begins at an edge

        block = seen.block
        omega = block.signal(f"omega.{name}", "rad/s", "of the wheel, by its ring")
        speed = block.signal(f"speed.{name}", "m/s", "of the wheel, by its ring")
        raw = block.signal(f"raw.{name}", "m/s", "of the wheel between its last edges")
        accel = block.signal(f"acceleration.{name}", "m/s2", "of the wheel, by its ring")
        last_count = block.signal(f"last_count.{name}", "-", "edges at the last sample")
        last_edge = block.signal(f"last_edge.{name}", "s", "last edge at the last sample")
        moved = p.runout * sin(2 * math.pi * count / p.teeth) * per_tooth / fmax(spin, 1.0)
        here, n = edge + moved, count - last_count
        fresh = n * per_tooth / fmax(here - last_edge, SOONEST)
        stale = fmin(omega, per_tooth / fmax(now - last_edge, SOONEST))
        found = if_else(first, spin, if_else(n > 0.5, fresh, stale))  # (1)
        learnt = block.signal(f"radius.{name}", "m", "of the tire, learnt as it rolls without brakes")
        rolls = if_else(at.signals.read("brake", "the sensors") > BRAKED, 0.0, T / LEARNS)
        radius = if_else(first, wheel.tire.values["radius"], learnt + rolls * (wheel.tire.values["radius"] - learnt))
        v = (1 + p.radius_error) * radius * found
        # where between its two last edges it had this speed, and that the car goes on as it does
        age = if_else(n > 0.5, now - 0.5 * (here + last_edge), T)
        current = fmax(v + self._rising(p, seen) * clip(age, 0.0, OLDEST), 0.0)
        rise = (v - raw) / fmax(here - last_edge, T)  # from edge to edge: slow wheels have none in most samples
        for signal, value in (
            (omega, found),
            (learnt, radius),
            (speed, if_else(first, v, if_else(n > 0.5, current, fmin(speed, current)))),
            (raw, v),
            (accel, if_else(first, 0.0, if_else(n > 0.5, accel + SMOOTH * (rise - accel), accel))),
            (last_count, count),
            (last_edge, if_else(logic_or(first, n > 0.5), here, last_edge)),
        ):
            block.update(signal, value)
        seen.wheel_speed[name], seen.wheel_acceleration[name] = speed, accel
        latest = self._kept(p)[name] = if_else(first, v, if_else(n > 0.5, current, fmin(speed, current)))
        settled = block.signal(f"settled.{name}", "m/s", "speed that it did not only swing up to")
        lower = self._kept(p)[f"{name}.settled"] = if_else(first, v, fmin(latest, settled + T * SETTLES))
        block.update(settled, lower)

    @staticmethod
    def _rising(p: Symbols, seen: Sensed) -> Any:
        """Acceleration of the car as it was known at the last sample."""
        return seen.way * (seen.ax - p.kept["slope"])

    @staticmethod
    def _kept(p: Symbols) -> dict[str, Any]:
        found: dict[str, Any] = p.kept.setdefault("fresh", {})
        return found

    def _inertial(self, at: VehicleModel, p: Symbols, seen: Sensed, first: Any, T: Any) -> None:
        block, chassis = seen.block, at.units[0].chassis
        v = chassis.to_world(chassis.v)
        last = [block.signal(f"velocity.{axis}", "m/s", "of the centre of gravity, world") for axis in "xyz"]
        for signal, value in zip(last, v, strict=True):
            block.update(signal, value)
        change = chassis.from_world([if_else(first, 0.0, (b - a) / T) for a, b in zip(last, v, strict=True)])
        felt = [a - g for a, g in zip(change, chassis.gravity, strict=True)]
        true = {"ax": felt[0], "ay": felt[1], "yaw_rate": chassis.w[2]}
        keep = clip(T / p.inertial_filter, 0.0, 1.0)
        for name, value in true.items():
            unit = "rad/s" if name == "yaw_rate" else "m/s2"
            random = block.signal(f"random.{name}", "-", "last number of its generator", FIRST)
            block.update(random, fmod(FACTORS[name] * random, MODULUS))
            noise = getattr(p, f"{name}_noise") * math.sqrt(12.0) * (random / MODULUS - 0.5)
            told = value + getattr(p, f"{name}_offset") + noise
            signal = block.signal(name, unit, "as its sensor tells")
            fresh = if_else(first, told, signal + keep * (told - signal))
            block.update(signal, fresh)
            setattr(seen, name, signal)
            self._kept(p)[name], self._kept(p)[f"{name}.filtered"] = told, fresh
        p.kept["slope"] = block.signal("slope", "m/s2", "of gravity that the accelerometer feels, and its offset")
        given = at.signals.read("steering_wheel", "the sensors")
        angle = block.signal("steering_wheel", "rad", "as its sensor tells")
        steps = (given + p.steering_offset) / p.steering_resolution
        block.update(angle, p.steering_resolution * floor(steps + 0.5))
        seen.steering_wheel = angle

    def _speed(self, at: VehicleModel, p: Symbols, seen: Sensed, first: Any, T: Any) -> None:
        block = seen.block
        speed = block.signal("reference", "m/s", "speed of the car")
        slope = p.kept["slope"]
        way = self._kept(p)["way"]
        ax = seen.ax - slope
        turning = way * seen.yaw_rate
        aside = {name: turning * wheel.symbols(self).sensed_y for name, wheel in at.wheels.items()}
        middle = {name: self._kept(p)[name] + of for name, of in aside.items()}
        settled = [self._kept(p)[f"{name}.settled"] + of for name, of in aside.items()]
        others = [middle[name] + ASIDE * wheel.symbols(self).sensed_driven for name, wheel in at.wheels.items()]
        freely = _most(others, fmin)
        freely = if_else(freely > 0.5 * ASIDE, freely - ASIDE, freely)  # all are driven
        braked = at.signals.read("brake", "the sensors") > BRAKED
        fastest, down = _most(settled, fmax), if_else(braked, p.margin, UNBRAKED)
        if "sensed.unbraked" in at.signals:  # a controller knows of a wheel that rolls freely: it tells the truth
            rolls = at.signals.read("sensed.unbraked", "the sensors") > 0.5
            down = if_else(rolls, FREELY, down)
            fastest = if_else(rolls, _most(list(middle.values()), fmax), fastest)
        believed = if_else(braked, fastest, freely)
        latest = self._kept(p)["ax.filtered"]
        rises = way * (
            T * (latest - slope) / (1 + p.dive) + CAUGHT_UP * (p.inertial_filter + 0.5 * T) * (latest - seen.ax)
        )  # (3)
        rises = if_else(first, 0.0, rises)
        found = clip(believed, speed + rises - T * down, speed + rises + T * p.margin_up)  # (2)
        found = if_else(first, believed, fmax(found, 0.0))
        block.update(speed, found)
        calm = logic_and(believed > 1.0, fabs(ax) < CALM)
        calm = if_else(braked, 0.0, if_else(calm, 1.0, 0.0))
        grows = way * (found - speed) / T
        learnt = slope + calm * clip(T / p.slope_filter, 0.0, 1.0) * (seen.ax - grows - slope)
        block.update(slope, if_else(first, self._kept(p)["ax"], learnt))
        seen.speed, seen.ax, seen.grows = speed, ax, seen.way * ax
        for name, wheel in at.wheels.items():
            seen.reference[name] = fmax(speed - seen.way * seen.yaw_rate * wheel.symbols(self).sensed_y, 0.0)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        seen: Sensed | None = p.kept.get("seen")
        if seen is None:
            return
        for name, signal in seen.wheel_speed.items():
            at.channel(f"Sensed.wheel_speed.{name}", signal, "m/s", "of the wheel, by its toothed ring")
        told = {
            "speed": ("m/s", "of the car, as controllers estimate it"),
            "way": ("-", "1 while the car goes forwards, -1 backwards, by the rings"),
            "ax": ("m/s2", "along the road, measured"),
            "ay": ("m/s2", "measured"),
            "yaw_rate": ("rad/s", "measured"),
            "steering_wheel": ("rad", "measured"),
        }
        for name, (unit, doc) in told.items():
            at.channel(f"Sensed.{name}", getattr(seen, name), unit, doc)


def _most(values: list[Any], of: Any) -> Any:
    found = values[0]
    for value in values[1:]:
        found = of(found, value)
    return found


def sensed(at: VehicleModel, by: str) -> Sensed:
    """The sensors of a vehicle, for a controller."""
    found: Sensed = at.signals.read("sensed", by)
    return found


# ---- what units know of their car ------------------------------------------------------------------------------------


def _known(wheel: WheelModel) -> Symbols:
    """Numbers of the sensors at a wheel, under the names that every vehicle has."""
    part: ChassisSensors = wheel.vehicle.signals.read("sensors.part", "a controller")
    return wheel.symbols(part)


def radius(wheel: WheelModel) -> Any:
    """Rolling radius of a wheel as units know it."""
    return _known(wheel).sensed_radius


def side(wheel: WheelModel) -> Any:
    """Place of a wheel across the car, left positive."""
    return _known(wheel).sensed_y


def along(wheel: WheelModel) -> Any:
    """Place of a wheel along the body that its axle hangs on, forwards positive."""
    return _known(wheel).sensed_x


def driven(wheel: WheelModel) -> Any:
    """1 of a wheel that the drive reaches, 0 of another."""
    return _known(wheel).sensed_driven


def force_per_pressure(wheel: WheelModel) -> Any:
    """Force at the ground per pressure in the brake, N/Pa."""
    return _known(wheel).sensed_force_per_pressure


def mean_radius(at: VehicleModel) -> Any:
    """Mean rolling radius of all wheels."""
    return sum(radius(wheel) for wheel in at.wheels.values()) / len(at.wheels)
