"""What events have in common: parameters with units, where the car starts, how it is kept at its speed.

An event is immutable data. Its `program` turns it into a phase program (jounce.runtime.program), which the C loop runs
without Python; what must be found first (a steering amplitude) is found by `prepared`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

from pydantic import ValidationError, field_validator, model_validator

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.fields import Data, choice, flag, meta, part, problem, quantity, text, to_raw
from jounce.core.messages import explain
from jounce.core.plausible import accepted, doubts
from jounce.events.follow import follow, follower
from jounce.events.registry import defined, find, names
from jounce.results.kinds import Kind
from jounce.runtime.program import Channel, Constant, End, Open, Phase, Program, Ramp, Stop, When

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.options import Options
    from jounce.events.start import Start
    from jounce.results.run import Run
    from jounce.road.path import Path
    from jounce.road.surface import Road
    from jounce.runtime.recording import Recording
    from jounce.vehicle.schema import Vehicle

KMH_100 = 100 / 3.6
HOLDING = 0.2  # brake demand of a car that waits
# Of a steering that does not say. Friction of rack and column, which this model lacks, is lumped into the damping;
# without any, the hand wheel of most cars flutters at speed.
HAND_WHEEL_INERTIA = 0.035  # kg.m2
HAND_WHEEL_DAMPING = 2.0  # N.m.s/rad
ROLLED_OVER = math.radians(60)
SPUN = math.radians(60)  # side slip at which an event ends
FOLDED = math.radians(75)  # of a hitch


class Event(Data):
    """Base of all events.

    kind : its name, by which it is found; with it a class is known from its definition on
    title, standard : for people
    presets : sets of values by name
    results : its key figures, panels and words
    """

    kind: ClassVar[str] = ""
    title: ClassVar[str] = ""
    standard: ClassVar[str] = ""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    results: ClassVar[Kind] = Kind()

    speed: float = quantity("m/s", KMH_100, typical=(0.0, 75.0), doc="speed at the start")
    end_time: float = quantity("s", 6.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    friction: float = quantity(
        "-", 1.0, gt=0, typical=(0.02, 2.5), doc="friction of the road relative to that of the tires' data"
    )
    grade: float = quantity("-", 0.0, typical=(0.0, 1.0), doc="slope of the road along x, rise over run")
    bank: float = quantity("-", 0.0, typical=(0.0, 1.5), doc="slope of the road along y, rise over run")
    road: str = text(doc="name or file of a road; absent: a plane")
    wheel_roads: tuple[str, ...] = part((), doc="one road for each wheel: L1, R1, L2, R2, …")
    contact: Literal["point", "points", "cams"] = choice(
        "point", doc="how a road is felt: under one point, or smoothed over the contact by points or cams"
    )
    lap_path: str = text(doc="name or file of a path for lap times, or 'road' for the line of the road; absent: none")
    beacons: tuple[float, ...] = part((), doc="stations of the lap path that begin a sector, m")
    beacon_tolerance: float = quantity(
        "m",
        0.0,
        ge=0,
        typical=(0.0, 10.0),
        doc="a start line or beacon counts as passed at the start or end of the run if the car is this near it",
    )
    static_setup: Literal["settle", "none"] = choice("settle", doc="settle: start in equilibrium; none: at design")
    x: float = quantity("m", 0.0, doc="start, world")
    y: float = quantity("m", 0.0, doc="start, world")
    z: float | None = quantity("m", None, doc="start, world: a road under bridges below it; absent: the uppermost road")
    heading: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="start, from the world's x axis, left positive")

    controller: str = text(
        doc="controllers that the run adds to the car, by their kind, with commas between them: hydraulic_abs, …"
    )

    accept: tuple[str, ...] = part((), doc="parameters whose unusual values are meant so")

    @field_validator("road", "lap_path", "controller", mode="before")
    @classmethod
    def _absent(cls, value: Any) -> Any:
        return "" if value is None else value

    @model_validator(mode="after")
    def _one_ground(self) -> Self:
        if self.wheel_roads and self.road:
            raise problem("stands beside road; give one or the other", "wheel_roads")
        if (self.road or self.wheel_roads) and self.inclined:
            raise problem("a road has slopes of its own; leave grade and bank out", "grade")
        return self

    @model_validator(mode="after")
    def _order(self) -> Self:
        start = getattr(self, "start_time", None)  # of events that begin to act later than they start
        if start is not None and self.end_time <= start:
            raise problem(f"must be after start_time ({start:g} s)", "end_time")
        return self

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.kind:
            defined(cls)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ParameterError(_message(type(self), error, values)) from None

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """An event with the values of a preset, changed."""
        if name not in cls.presets:
            raise ParameterError(f"{cls.kind}: unknown preset {name!r}{did_you_mean(name, cls.presets)}")
        return cls(**{**cls.presets[name], **changes})

    @property
    def inclined(self) -> bool:
        return self.grade != 0.0 or self.bank != 0.0

    @property
    def uphill(self) -> float:
        """Slope of the plane along the heading, rise over run."""
        return self.grade * math.cos(self.heading) + self.bank * math.sin(self.heading)

    def parameters(self) -> dict[str, list[Any]]:
        """Name -> [value, unit] of every parameter that is set; SI."""
        result = {}
        for name, info in type(self).model_fields.items():
            value = getattr(self, name)
            if value is not None and value != () and value != "":
                result[name] = [list(value) if isinstance(value, tuple) else value, meta(info).get("unit", "")]
        return result

    def doubts(self) -> list[str]:
        """What no driver does, with a hint: a speed of 80 m/s; ``accept`` names what is meant so."""
        return [str(item) for item in doubts(self) if not accepted(item.path, self.accept)]

    def to_dict(self) -> dict[str, Any]:
        """The event as plain data, SI; `from_dict` makes it again."""
        return {"event": self.kind, **to_raw(self)}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Event:
        """Make an event from plain data; numbers may be text with units."""
        if "event" not in data:
            raise ParameterError(f"event: the key 'event' is missing; expected one of {', '.join(names())}")
        values = {key: value for key, value in data.items() if key != "event"}
        unnamed = [key for key in values if not isinstance(key, str)]
        if unnamed:
            raise ParameterError(f"event: found the key {unnamed[0]!r}; keys are names of its parameters")
        return find(str(data["event"]))(**values)

    def changed(self, **changes: Any) -> Self:
        """A copy with other values."""
        return type(self)(**{**{name: getattr(self, name) for name in type(self).model_fields}, **changes})

    # -- what the engine asks ---------------------------------------------------------------------------------

    def refuses(self, vehicle: Vehicle) -> str:
        """Why the event says nothing about a vehicle; nothing where it applies."""
        return ""

    def adapted(self, vehicle: Vehicle) -> Vehicle:
        """The vehicle with what the event needs of it."""
        return vehicle

    def parts(self) -> tuple[Part, ...]:
        """Parts that the event adds to the vehicle: a driver."""
        return ()

    def opens(self, vehicle: Vehicle) -> Mapping[str, float]:
        """Inputs that the event needs (ports, ``road.L1`` …), with their values while the start is sought."""
        return {}

    def controllers(self) -> tuple[Part, ...]:
        """Controllers that `controller` names, as they are without further data."""
        from jounce.core.part_registry import PARTS

        kinds = [kind.strip() for kind in self.controller.split(",") if kind.strip()]
        try:
            return tuple(cast("Part", PARTS.find("controller", kind)()) for kind in kinds)
        except ParameterError as found:
            raise ParameterError(f"{self.kind}: controller = {self.controller!r}: {found}") from None

    def roads(self) -> Sequence[Road]:
        """Roads that the event makes itself, in place of a plane."""
        return ()

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Path, ...]]:
        """The event where it takes place, and the paths that its drivers follow."""
        return self, ()

    def prepared(self, start: Start) -> Self:
        """The event with everything found that depends on the car; may simulate."""
        return self

    def judged(self, recorded: Recording) -> Recording:
        """The rows of a run; one that did not do what the event is about is no success."""
        return recorded

    def program(self, start: Start) -> Program:
        """The manoeuvre for a car that is ready to start."""
        raise NotImplementedError

    def computed(self, vehicle: Vehicle, options: Options) -> Run | None:
        """The result of an event that needs no simulation; None: it is simulated."""
        return None

    def recording(self, start: Start, options: Options) -> Options:
        """Options with the channels and rows that are kept where the caller does not say."""
        return options

    def completed(self, start: Start, result: Run) -> Run:
        """The result with what the event adds to it."""
        return result


class Driven(Event):
    """An event at a speed that may be kept by cruise control."""

    cruise: bool = flag(True, doc="hold the speed; otherwise the throttle stays where it was at the start")

    def parts(self) -> tuple[Part, ...]:
        return (follower(),) if self.cruise else ()

    def pedals(self, start: Start) -> list[Channel]:
        """Pedals that keep the speed, or stay as they are."""
        return follow(start, Constant(self.speed)) if self.cruise else self.as_they_are(start)

    def as_they_are(self, start: Start) -> list[Channel]:
        """Throttle of the start, brake off. An engine may creep: at rest the brakes hold it."""
        waits = self.speed == 0 and start.vehicle.driveline is not None
        throttle, brake = (0.0, HOLDING) if waits else (start.throttle, 0.0)
        return [Open("throttle", Constant(throttle)), Open("brake", Constant(brake))]


class Steered(Driven):
    """An open-loop steering event."""

    start_time: float = quantity("s", 1.0, ge=0, typical=(0.0, 600.0), doc="when the steering begins")
    initial_steer: float = quantity("rad", 0.0, typical=(0.0, 20.0), doc="hand wheel angle before that")
    release_time: float | None = quantity(
        "s", None, gt=0, typical=(1e-3, 7200.0), doc="when the hand wheel is let go; absent: never"
    )

    def reference(self, start: Start) -> Any:
        """The hand wheel angle over time."""
        raise NotImplementedError

    def program(self, start: Start) -> Program:
        channels = [Open("steering_wheel", self.reference(start)), *self.pedals(start)]
        if self.release_time is not None:
            channels.append(Open("steering_release", Ramp(1.0, 0.0, start=0.0, delay=self.release_time)))
        ends = [*self.ends(), *ends_of_units(start.vehicle)]
        return Program(Phase(self.kind, channels, duration=self.end_time, ends=ends))

    def adapted(self, vehicle: Vehicle) -> Vehicle:
        steered = vehicle.layout.steered
        if self.release_time is None or steered is None or steered.data.steering.releases:
            return vehicle
        return vehicle.with_(**{"steering.release": {"inertia": HAND_WHEEL_INERTIA, "damping": HAND_WHEEL_DAMPING}})

    def ends(self) -> list[End]:
        return safety_ends()


def safety_ends(vehicle: Vehicle | None = None) -> list[End]:
    """A car that lies on its side or has spun is not simulated further; nor is one whose towed units have."""
    return [
        End(When("chassis_displacements.roll", "abs>", ROLLED_OVER), then=Stop("rolled over", failed=True)),
        End(
            [When("Vehicle.Side_Slip_Angle", "abs>", SPUN), When("chassis_velocities.lateral", "abs>", 3.0)],
            then=Stop("spun", failed=True),
        ),
        *(() if vehicle is None else ends_of_units(vehicle)),
    ]


def ends_of_units(vehicle: Vehicle) -> list[End]:
    """A towed unit that lies on its side, or has folded against the one that tows it, ends a run."""
    ends = []
    for unit in vehicle.layout.units[1:]:
        rolls = When(f"{unit.own}chassis_displacements.roll", "abs>", ROLLED_OVER)
        ends.append(End(rolls, then=Stop(f"unit {unit.number} rolled over", failed=True)))
        if "yaw" in unit.data.hitch.free:
            folds = [
                When(f"{unit.own}Articulation.yaw", "abs>", FOLDED),
                When("chassis_velocities.longitudinal", "abs>", 3.0),  # slower it is meant so: limits of hitches tell
            ]
            ends.append(End(folds, then=Stop(f"unit {unit.number} folded", failed=True)))
    return ends


def _message(cls: type[Event], error: ValidationError, values: Mapping[str, Any]) -> str:
    lines = [f"{item.text()}: {item.message}".lstrip(": ") for item in explain(error, cls, dict(values))]
    return f"{cls.kind}: " + "; ".join(lines)
