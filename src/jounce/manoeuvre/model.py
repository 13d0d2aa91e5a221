"""A manoeuvre: stages that say what drives each channel, and when they are over.

    Manoeuvre(
        name="step",
        begin={"speed": "100 km/h"},
        stages=[
            {"name": "settle", "speed": "maintain", "ends": ["time >= 1 s"]},
            {"name": "turn", "steering": {"kind": "step", "end": 0.2, "last": "45 deg"}, "speed": "maintain",
             "ends": ["lat_accel abs> 8 m/s2", "time >= 4 s"]},
        ],
    )

Plain data, without any knowledge of a vehicle: from a VDF or YAML file, or made by a program. Signals, paths, speeds,
conditions and controllers stand where they are used, or under a name in a mapping of the manoeuvre.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal, Self, TypeVar

from pydantic import ValidationError, model_validator

from jounce.core import units
from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.fields import choice, flag, part, problem, quantity, text
from jounce.core.messages import Finding, explain
from jounce.manoeuvre.block import Block, group
from jounce.manoeuvre.conditions import Condition
from jounce.manoeuvre.measures import MEASURES, measure
from jounce.manoeuvre.settings import (
    Begin,
    Clutch,
    Controller,
    Debug,
    EarlyDownshift,
    Gears,
    Global,
    Human,
    Limits,
    Prediction,
    ScheduledGears,
    SlipControl,
    SteeringLimits,
    ThrottleLimits,
    TireControl,
)
from jounce.manoeuvre.signals import SIGNALS, Signal
from jounce.manoeuvre.targets import (
    PATHS,
    SPEEDS,
    AutoSpeed,
    ConstantSpeed,
    FilePath,
    MaintainSpeed,
    PathTarget,
    Placement,
    SpeedTarget,
)

CHANNELS = ("steering", "throttle", "braking", "braking2", "gear", "clutch")
UNITS = {"steering": "rad"}
B = TypeVar("B", bound=Block)


class Channel(Block):
    """What drives one channel in one stage."""

    method: Literal["machine", "open", "user"] = choice(
        "machine", doc="the driver, a signal, or an input of the run (user_input_steering …)"
    )
    signal: str | Signal | None = group(None, of=SIGNALS, doc="of an open channel: a signal or the name of one")
    smoothing: float = quantity("s", 0.0, ge=0, doc="time over which the value at the switch is left; 0: at once")
    name: str = text(doc="under which a file keeps it")

    @classmethod
    def short(cls, word: str) -> bool:
        return True

    @classmethod
    def expand(cls, raw: Any) -> Any:
        """``machine``, ``user``, ``maintain``, the name or the data of a signal, a value."""
        if isinstance(raw, Channel):
            return raw
        if isinstance(raw, str) and raw in ("machine", "user"):
            return {"method": raw}
        if raw == "maintain":
            return {"method": "open", "signal": {"kind": "maintain"}}
        if isinstance(raw, Signal | str | float | int) or (isinstance(raw, Mapping) and "kind" in raw):
            number = isinstance(raw, float | int) or (isinstance(raw, str) and raw[:1] in "+-.0123456789")
            return {"method": "open", "signal": {"kind": "constant", "value": raw} if number else raw}
        if isinstance(raw, Mapping) and "signal" in raw and "method" not in raw:
            return {"method": "open", **raw}
        return raw

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.method == "open" and self.signal is None:
            raise problem("missing: an open channel follows a signal", "signal")
        if self.method != "open" and self.signal is not None:
            raise problem(f"method {self.method} and a signal contradict each other; keep one", "signal")
        return self


class StageOptions(Block):
    """Of one stage."""

    connect_path: bool = flag(
        False, doc="the path continues that of the stage before, whose last 100 m are its beginning"
    )
    follow_target_speed: bool = flag(False, doc="begin from the last target speed instead of the speed")
    absolute_time: bool = flag(False, doc="maps over time are over that of the run")
    global_station: bool = flag(False, doc="maps over the station are over that of the run")
    end_of_path_check: bool = flag(True, doc="end where the preview point is near the end of the path")
    end_tolerance: float = quantity(
        "m", 5.0, ge=0, typical=(0.0, 50.0), doc="how near the end of the path the preview point is there"
    )
    placement: Placement | None = choice(None, doc="of the path; absent: as for all")


class Stage(Block):
    """A stretch of a manoeuvre."""

    many = ("ends",)

    name: str = text(doc="by which others find it")
    active: bool = flag(True, doc="whether it is driven at all")
    abort_time: float | None = quantity("s", None, gt=0, doc="longest duration; absent: none")
    sample_time: float = quantity("s", 0.01, gt=0, doc="of the driver and his conditions")
    task: Literal["standard", "standing_start"] = choice("standard", doc="what the driver does")
    controller: str | Controller | None = group(None, of=Controller, doc="settings, or the name of some")
    steering: Channel = group(Channel(), of=Channel, doc="hand wheel")
    throttle: Channel = group(Channel(), of=Channel, doc="drive demand")
    braking: Channel = group(Channel(), of=Channel, doc="brake demand")
    braking2: Channel | None = group(None, of=Channel, doc="second brake demand, of motorcycles")
    gear: Channel = group(Channel(), of=Channel, doc="gear")
    clutch: Channel = group(Channel(), of=Channel, doc="clutch pedal")
    steering_by: Literal["angle", "torque", "rack_force", "rack_displacement"] = choice(
        "angle", doc="what the steering channel is"
    )
    path: str | PathTarget | None = group(None, of=PATHS, doc="that is followed: its data or its name")
    speed: str | SpeedTarget | None = group(None, of=SPEEDS, doc="that is followed: its data or its name")
    options: StageOptions = group(StageOptions(), of=StageOptions, doc="")
    tire: str | TireControl | None = group(None, of=TireControl, doc="")
    slip: str | SlipControl | None = group(None, of=SlipControl, doc="")
    scheduled_gears: str | ScheduledGears | None = group(None, of=ScheduledGears, doc="")
    early_downshift: str | EarlyDownshift | None = group(None, of=EarlyDownshift, doc="")
    human: str | Human | None = group(None, of=Human, doc="")
    ends: tuple[str | Condition, ...] = group((), of=Condition, doc="conditions, or their names")

    def channel(self, name: str) -> Channel:
        """A channel by name; the second brake is the user's where the stage does not say."""
        found = getattr(self, name)
        return found if found is not None else Channel(method="user")


class ManoeuvreError(ParameterError):
    """What is wrong with a manoeuvre, each with its place."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        lines = [f"{item.text()}: {item.message}".lstrip(": ") for item in findings]
        super().__init__("manoeuvre: " + "; ".join(lines))


class Manoeuvre(Block):
    """A whole manoeuvre."""

    many = (
        "stages", "signals", "paths", "speeds", "conditions", "controllers", "tire_controls", "slip_controls",
        "scheduled_gears", "early_downshifts", "humans",
    )  # fmt: skip

    name: str = text(doc="of the manoeuvre")
    comment: str = text(doc="for people")
    settings: Global = group(Global(), of=Global, doc="of the whole")
    debug: Debug = group(Debug(), of=Debug, doc="what is written besides")
    steering: SteeringLimits = group(SteeringLimits(), of=SteeringLimits, doc="limits of the hand wheel")
    throttle: ThrottleLimits = group(ThrottleLimits(), of=ThrottleLimits, doc="limits and gains")
    braking: Limits = group(Limits(), of=Limits, doc="limits of the brake")
    gears: Gears = group(Gears(), of=Gears, doc="when gears are changed")
    clutch: Clutch = group(Clutch(), of=Clutch, doc="clutch and standing start")
    begin: Begin = group(Begin(), of=Begin, doc="what the run starts with")
    stages: tuple[Stage, ...] = group(of=Stage, doc="in order")
    signals: dict[str, Signal] = group({}, of=SIGNALS, doc="by name")
    paths: dict[str, PathTarget] = group({}, of=PATHS, doc="by name")
    speeds: dict[str, SpeedTarget] = group({}, of=SPEEDS, doc="by name")
    conditions: dict[str, Condition] = group({}, of=Condition, doc="by name")
    controllers: dict[str, Controller] = group({}, of=Controller, doc="by name")
    tire_controls: dict[str, TireControl] = group({}, of=TireControl, doc="by name")
    slip_controls: dict[str, SlipControl] = group({}, of=SlipControl, doc="by name")
    scheduled_gears: dict[str, ScheduledGears] = group({}, of=ScheduledGears, doc="by name")
    early_downshifts: dict[str, EarlyDownshift] = group({}, of=EarlyDownshift, doc="by name")
    humans: dict[str, Human] = group({}, of=Human, doc="by name")
    prediction: Prediction | None = group(None, of=Prediction, doc="hints")
    file_units: dict[str, str] = part(
        {}, doc="length, angle, force, mass, time of the file: of references of channels that are no measures"
    )

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ManoeuvreError(explain(error, type(self), values)) from None

    # -- what stages name ---------------------------------------------------------------------------------------------

    def signal_of(self, stage: Stage, channel: str) -> Signal | None:
        """The signal of an open channel."""
        return _named(stage.channel(channel).signal, self.signals, f"{channel}.signal")

    def path_of(self, stage: Stage) -> PathTarget | None:
        """What is followed laterally; a word that is no name is a file or a path of the library."""
        if isinstance(stage.path, str) and stage.path not in self.paths:
            return FilePath(file=stage.path)
        return _named(stage.path, self.paths, "path")

    def speed_of(self, stage: Stage) -> SpeedTarget | None:
        """What is followed longitudinally; a word may also be ``maintain``, ``auto 0.8`` or a speed with its unit."""
        word = stage.speed
        if not isinstance(word, str) or word in self.speeds:
            return _named(word, self.speeds, "speed")
        words = word.split()
        if words == ["maintain"]:
            return MaintainSpeed()
        if words[:1] == ["auto"] and len(words) <= 2:
            return AutoSpeed(share=words[1]) if len(words) == 2 else AutoSpeed()
        try:
            return ConstantSpeed(speed=units.parse(word, "m/s", "speed"))
        except ParameterError:
            known = [*self.speeds, "maintain", "auto"]
            raise ParameterError(f"speed = {word!r}: neither a speed nor a name{did_you_mean(word, known)}") from None

    def conditions_of(self, stage: Stage) -> list[tuple[str, Condition]]:
        """Names and conditions, in order; the name of one that has none says what it compares."""
        found = []
        for item in stage.ends:
            one = _named(item, self.conditions, "ends")
            assert one is not None
            name = item if isinstance(item, str) else f"{one.measure} {one.test} {one.reference}"
            found.append((name, one))
        return found

    def controller_of(self, stage: Stage) -> Controller:
        """Settings of the driver; the first there are, or the usual ones, where the stage does not say."""
        if stage.controller is None:
            return next(iter(self.controllers.values()), Controller())
        found = _named(stage.controller, self.controllers, "controller")
        assert found is not None
        return found

    def module_of(self, stage: Stage, name: str) -> Any:
        """tire, slip, scheduled_gears, early_downshift or human of a stage; None without, or where it is off."""
        by_name: dict[str, Mapping[str, Any]] = {
            "tire": self.tire_controls,
            "slip": self.slip_controls,
            "scheduled_gears": self.scheduled_gears,
            "early_downshift": self.early_downshifts,
            "human": self.humans,
        }
        found: Any = _named(getattr(stage, name), by_name[name], name)
        return found if found is not None and found.active else None

    @property
    def driven(self) -> tuple[Stage, ...]:
        """Stages that are active."""
        return tuple(stage for stage in self.stages if stage.active)

    # -- checks -------------------------------------------------------------------------------------------------------

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [stage.name for stage in self.stages]
        if not self.driven:
            raise problem("no stage is active" if names else "a manoeuvre has at least one stage", "stages")
        for i, stage in enumerate(self.stages):
            if not stage.name:
                raise problem("missing; every stage has a name", "stages", i, "name")
            if names.index(stage.name) != i:
                raise problem("two stages have this name", "stages", i, "name")
        for i, stage in enumerate(self.stages):
            try:
                self._check(stage, names)
            except ParameterError as found:
                raise problem(f"({stage.name}) {found}", "stages", i) from None
        return self

    def _check(self, stage: Stage, names: list[str]) -> None:
        self.controller_of(stage)
        for name in ("tire", "slip", "scheduled_gears", "early_downshift", "human"):
            self.module_of(stage, name)
        for channel in CHANNELS:
            signal = self.signal_of(stage, channel)
            for name in signal.amounts if signal is not None else ():
                unit = UNITS.get(channel, "-")
                if name == "slope":
                    unit = f"{unit}/s" if unit != "-" else "1/s"
                units.parse(getattr(signal, name), unit, f"{channel}.{name}")
        if stage.task == "standard":
            if stage.steering.method == "machine" and stage.path is None:
                raise ParameterError("steering is left to the driver, but there is no path; give path, or a signal")
            if "machine" in (stage.throttle.method, stage.braking.method) and stage.speed is None:
                raise ParameterError("a pedal is left to the driver, but there is no speed; give speed, or signals")
        self.path_of(stage), self.speed_of(stage)
        for name, condition in self.conditions_of(stage):
            known = measure(condition.measure)
            near = get_close_matches(condition.measure.lower(), list(MEASURES), 1, 0.85) if known is None else []
            if near and "." not in condition.measure:  # otherwise a channel or sensor that only the vehicle knows
                raise ParameterError(f"ends, {name}: {condition.measure!r} is no measure; did you mean {near[0]!r}?")
            if known is not None:
                for value, what in ((condition.reference, "reference"), (condition.tolerance, "tolerance")):
                    units.parse(value, known.unit, f"ends, {name}: {what}")
            if condition.next and condition.next not in names:
                raise ParameterError(f"ends, {name}: next = {condition.next!r}: no such stage"
                                     f"{did_you_mean(condition.next, names)}")  # fmt: skip

    def remarks(self) -> list[str]:
        """What is odd, but no error."""
        found = [*self.throttle.remarks("throttle"), *self.braking.remarks("braking"), *self.clutch.remarks("clutch")]
        for stage in self.driven:
            for name, condition in self.conditions_of(stage):
                exact = condition.test.endswith("==") and condition.tolerance in (0, 0.0, "0")
                if exact and condition.measure.lower() not in ("time", "global_time"):
                    found.append(f"{stage.name}: {name}: a test for equality without tolerance is hardly ever true")
        return found


def _named(value: Any, known: Mapping[str, B], what: str) -> B | None:
    if not isinstance(value, str):
        return value  # type: ignore[no-any-return]
    if value not in known:
        words = ["machine", "user", "maintain"] if what.endswith(".signal") else []
        hint = did_you_mean(value, [*known, *words]) if known or words else "; the manoeuvre names none"
        raise ParameterError(f"{what} = {value!r}: there is none of this name{hint}")
    return known[value]
