"""Settings of a manoeuvre: the driver's controllers, limits of channels, gears, clutch, what a run starts with.

Absent rate limits are off. Rotational speeds are rad/s, angles rad, pedals shares of the whole.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal, Self

from pydantic import model_validator

from jounce.core.fields import choice, flag, part, problem, quantity, text
from jounce.manoeuvre.block import Block, group
from jounce.manoeuvre.targets import Placement

RPM = math.pi / 30


class Global(Block):
    """Of the whole manoeuvre."""

    model: Literal["car", "motorcycle"] = choice("car", doc="what is driven")
    interface: str = text(doc="as a file says it; without effect")
    placement: Placement = choice("absolute", doc="of paths")
    on_stop: Literal["next", "stop"] = choice(
        "next", doc="what an end condition without a next stage does: go on, or end the run"
    )


class Debug(Block):
    """What is written besides."""

    active: bool = flag(False, doc="write the settings in use")
    dump: bool = flag(True, doc="those that are not the usual ones")


class Controller(Block):
    """How the driver follows his targets."""

    driver: str = text("contour", doc="kind of lateral driver: contour, preview")
    preview_time: float = quantity("s", 0.5, gt=0, doc="how far ahead he looks")
    min_preview_distance: float = quantity("m", 5.0, gt=0, doc="at least")
    lateral_anticipation: float = quantity("s", 0.0, doc="by which he steers early")
    longitudinal_anticipation: float = quantity("s", 0.0, doc="by which he takes the target speed early")
    path_compensation: bool = flag(True, doc="remove a residual distance from the path")
    path_compensation_distance: float = quantity("m", 0.1, gt=0, doc="below which that acts")
    yaw_correction: bool = flag(True, doc="correct the yaw rate")
    feed_forward: bool = flag(True, doc="take the pedals from a model of the vehicle")
    limit_acceleration: bool = flag(True, doc="ask for no more acceleration than there is")
    throttle_limited: bool = flag(False, doc="whether the rates of the throttle are limited")
    throttle_press_rate: float = quantity("1/s", 0.4, gt=0, doc="at most, pressing")
    throttle_release_rate: float = quantity("1/s", 0.4, gt=0, doc="at most, releasing")
    braking_limited: bool = flag(False, doc="whether the rates of the brake are limited")
    braking_press_rate: float = quantity("1/s", 0.4, gt=0, doc="at most, pressing")
    braking_release_rate: float = quantity("1/s", 0.4, gt=0, doc="at most, releasing")
    steering_limited: bool = flag(False, doc="whether the rate of the hand wheel is limited")
    steering_rate: float = quantity("rad/s", 0.4, gt=0, doc="at most")
    straight_line_smoothing: bool = flag(False, doc="calm steering on a rough straight")
    variable_ratio: bool = flag(False, doc="the steering ratio is an input of the run")
    preview: Literal["standard", "advanced"] = choice("standard", doc="where the preview point is")
    speed_control: Literal["speed", "acceleration"] = choice("speed", doc="what the pedals close the loop on")
    kick_down: bool = flag(False, doc="take the gear with most acceleration")
    lift_control: bool = flag(False, doc="throttle off while driven tires are in the air")
    sample_time: float | None = quantity("s", None, gt=0, doc="of the driver; absent: that of the stage")


class Gains(Block):
    """Of a PID controller."""

    proportional: float = quantity("-", 0.0, doc="P")
    integral: float = quantity("-", 0.0, doc="I")
    derivative: float = quantity("-", 0.0, doc="D")


class Limits(Block):
    """Of a channel: demand = clip(scale · share, minimum, maximum), and ``full`` is the whole pedal.

    Of a file in per cent scale, maximum and full are 100. Of the hand wheel, limits are angles.
    """

    minimum: float = quantity("-", 0.0, doc="of the demand")
    maximum: float = quantity("-", 1.0, doc="of the demand")
    scale: float = quantity("-", 1.0, doc="demand of a share of one")
    full: float = quantity("-", 1.0, gt=0, doc="demand that is the whole pedal")

    @model_validator(mode="after")
    def _order(self) -> Self:
        if not self.minimum <= self.maximum:
            raise problem(f"is below minimum ({self.minimum:g})", "maximum")
        return self

    def remarks(self, name: str) -> list[str]:
        """What disagrees."""
        if not math.isclose(self.scale, self.maximum):
            return [
                f"{name}: a share of one makes a demand of {self.scale:g}, the limit is {self.maximum:g}; "
                "scale and maximum usually agree"
            ]
        return []


class SteeringLimits(Block):
    """Of the hand wheel."""

    minimum: float = quantity("rad", -4 * math.pi, doc="of the angle")
    maximum: float = quantity("rad", 4 * math.pi, doc="of the angle")

    @model_validator(mode="after")
    def _order(self) -> Self:
        if not self.minimum <= self.maximum:
            raise problem(f"is below minimum ({self.minimum:g} rad)", "maximum")
        return self


class ThrottleLimits(Limits):
    speed_gains: Gains = group(Gains(proportional=100, integral=50), of=Gains, doc="while a speed is followed")
    acceleration_gains: Gains = group(
        Gains(proportional=30, integral=200), of=Gains, doc="while an acceleration is followed"
    )


class ShiftTiming(Block):
    """Of one shift."""

    duration: float = quantity("s", 0.3, gt=0, doc="of the whole, sftT")
    throttle_release: float = quantity("s", 0.05, ge=0, doc="tfallT")
    clutch_open: float = quantity("s", 0.05, ge=0, doc="criseT")
    clutch_close: float = quantity("s", 0.15, ge=0, doc="cfallT")
    throttle_press: float = quantity("s", 0.2, ge=0, doc="triseT")
    throttle_release_delay: float = quantity("s", 0.0, doc="after the clutch begins to open, dt1")
    throttle_press_delay: float = quantity("s", 0.05, doc="after the clutch begins to close, dt2")


class GearRow(Block):
    """Of one gear."""

    gear: int = choice(doc="its number; negative: reverse")
    option: float = quantity("-", 0.0, doc="as a file says it; without effect")
    upshift: float = quantity("rad/s", 5500 * RPM, doc="engine speed above which the next gear is taken")
    downshift: float = quantity("rad/s", 1500 * RPM, doc="engine speed below which the one before is taken")
    up: ShiftTiming = group(ShiftTiming(), of=ShiftTiming, doc="times of shifting up")
    down: ShiftTiming | None = group(None, of=ShiftTiming, doc="times of shifting down; absent: those of shifting up")


class Gears(Block):
    """When and how gears are changed."""

    many = ("table",)

    minimum: int = choice(0, doc="lowest gear that may be used")
    maximum: int = choice(99, doc="highest gear that may be used")
    table: tuple[GearRow, ...] = group((), of=GearRow, doc="of every gear; absent: as the vehicle shifts")
    up_after_up: float = quantity("s", 0.0, ge=0, doc="least time between")
    up_after_down: float = quantity("s", 0.0, ge=0, doc="least time between")
    down_after_up: float = quantity("s", 0.0, ge=0, doc="least time between")
    down_after_down: float = quantity("s", 0.0, ge=0, doc="least time between")

    @model_validator(mode="after")
    def _listed(self) -> Self:
        numbers = [row.gear for row in self.table]
        if len(set(numbers)) != len(numbers):
            raise problem(f"a gear stands twice: {numbers}", "table")
        missing = sorted({self.minimum, self.maximum} - set(numbers)) if numbers else []
        if missing:
            raise problem(f"has no gear {missing[0]}, which the limits name; its gears: {numbers}", "table")
        return self


class Clutch(Limits):
    """Clutch pedal (1 open), idling, standing start."""

    active: bool = flag(True, doc="on")
    kind_of_model: str = text("standard", doc="as a file says it")
    min_speed: float = quantity("rad/s", 500 * RPM, ge=0, doc="of the engine, below which the clutch opens")
    start_speed: float = quantity("rad/s", 4000 * RPM, ge=0, doc="of the engine before a standing start")
    start_time: float = quantity("s", 3.0, ge=0, doc="from the beginning of the stage until the clutch moves")
    start_acceleration: float = quantity("m/s2", 0.0, doc="of a standing start")
    close_time: float = quantity("s", 2.0, gt=0, doc="of the clutch in a standing start")
    clutch_gains: Gains = group(
        Gains(proportional=0.0008, integral=0.005), of=Gains, doc="clutch by engine speed, 1/rpm"
    )
    throttle_gains: Gains = group(Gains(proportional=4, integral=10), of=Gains, doc="throttle by relative engine speed")
    throttle_in_shifts: bool = flag(True, doc="release the throttle in shifts, that of an open signal too")


class EarlyDownshift(Block):
    """Gears of the whole path, planned before the run."""

    active: bool = flag(True, doc="on")
    roll_threshold: float = quantity("rad", math.radians(20), gt=0, doc="above which no gear is changed")
    max_speed: float = quantity("rad/s", 10500 * RPM, gt=0, doc="of the engine")
    min_speed: float = quantity("rad/s", 2000 * RPM, ge=0, doc="of the engine")
    min_time: float = quantity("s", 1.0, ge=0, doc="that a gear stays")
    safety: float = quantity("-", 2.0, gt=1, doc="factor on the time of a shift")
    optimal: dict[str, float] = part({}, doc="best engine speed at an apex by gear, rad/s")


class ScheduledRow(GearRow):
    """Of one gear at one place; ``gear`` is that of its table."""

    at: float = quantity("-", doc="station in m, or time in s")


class ScheduledGears(Block):
    """Shift tables that change along the path or in time."""

    many = ("rows",)

    active: bool = flag(True, doc="on")
    kind_of_model: str = text("standard", doc="as a file says it")
    minimum: int = choice(0, doc="lowest gear")
    maximum: int = choice(5, doc="highest gear")
    over: Literal["station", "time"] = choice("station", doc="abscissa")
    rows: tuple[ScheduledRow, ...] = group((), of=ScheduledRow, doc="per gear and place")


class Human(Block):
    """A driver who is no robot."""

    active: bool = flag(True, doc="on")
    kind_of_model: str = text("basic", doc="as a file says it")
    skill: Literal["robot", "professional", "standard", "novice"] = choice("robot", doc="how well he drives")


class TireControl(Block):
    """What the driver does in the air, and while wheels spin."""

    active: bool = flag(True, doc="on")
    throttle: bool = flag(False, doc="release the throttle in the air")
    braking: bool = flag(False, doc="release the brake in the air")
    clutch: bool = flag(False, doc="open the clutch in the air")
    filter_frequency: float = quantity("Hz", 3.1831, gt=0, doc="with which they come back")
    min_load: float = quantity("N", 5.0, ge=0, doc="below which a tire is in the air")
    gear: bool = flag(True, doc="no shifting up while a tire spins")
    slip_threshold: float = quantity("-", 0.2, gt=0, doc="above which it spins")
    inhibition: float = quantity("s", 0.1, ge=0, doc="at least")
    max_inhibition: float = quantity("s", 3.0, ge=0, doc="at most")
    lateral_slip: bool = flag(False, doc="of motorcycles")
    lateral_slip_time: float = quantity("s", 0.1, ge=0, doc="of motorcycles")


class SlipControl(Block):
    """Throttle by slip."""

    active: bool = flag(True, doc="on")
    max_slip: float = quantity("-", 0.05, gt=0, doc="above which it acts fully, x2")
    min_slip: float = quantity("-", -1.0, doc="below which the clutch opens")
    wheels: tuple[int, ...] = part((1, 2, 3, 4), doc="that are looked at, counted from the front left")
    gain: float = quantity("-", 100.0, gt=0, doc="slope p1")
    share_1: float = quantity("-", 0.85, gt=0, doc="x0 over x2")
    share_2: float = quantity("-", 0.9, gt=0, doc="x1 over x2")


class Begin(Block):
    """What a run starts with."""

    speed: float = quantity("m/s", 0.0, doc="of the vehicle")
    steering: float = quantity("rad", 0.0, doc="hand wheel angle")
    throttle: float = quantity("-", 0.0, doc="demand of the throttle, in the numbers of the channel")
    braking: float = quantity("-", 0.0, doc="demand of the brake, in the numbers of the channel")
    braking2: float = quantity("-", 0.0, doc="demand of the second brake, in the numbers of the channel")
    gear: int | None = choice(None, doc="absent: as the vehicle chooses")
    clutch: float = quantity("-", 0.0, doc="pedal, 1 open")
    time: float = quantity("s", 0.0, doc="of the clock")
    setup: Literal["off", "straight"] = choice(
        "straight", doc="straight: running steadily at the speed; off: in equilibrium, with these demands"
    )


class Prediction(Block):
    """Hints for a static prediction of speeds."""

    grip_lateral: float = quantity("-", 1.0, gt=0, doc="guessed")
    grip_longitudinal: float = quantity("-", 0.7, gt=0, doc="guessed")
    x: tuple[float, ...] = part((), doc="stations of a map of grip, m")
    y: tuple[float, ...] = part((), doc="factors on the grip there, for speed auto")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.x) != len(self.y):
            raise problem(f"{len(self.y)} factors for {len(self.x)} stations", "y")
        if any(b <= a for a, b in pairwise(self.x)):
            raise problem("must rise", "x")
        if any(not value > 0 for value in self.y):
            raise problem("a grip must be above 0", "y")
        return self
