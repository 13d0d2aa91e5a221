"""A vehicle while its model is assembled: what parts ask of their place, and how signals pass between them.

Every place of the layout (``components/places.py``) has its counterpart here, with frames, coordinates and forces as
symbols. Parts give each other quantities in three ways:

* attributes of their place: the carrier of a wheel, its travel, the frame that an axle hangs on;
* **signals**, quantities with one writer: ``provide`` says how a signal is computed, ``read`` computes it when somebody
  asks. Two writers, a signal without a source, a loop of signals: ModelError that names the parts, before anything is
  compiled. Where several want a say, one part (an arbiter) reads them and provides the result;
* **sums**: a part that owns a quantity accepts what others ``add`` to it. An addition that nobody accepts is an error;
* sums that loads are added to and that are read once all are known (phase ``close``).

**Ports** let a run give or change a quantity from outside (``through``), by the input names of the channel catalogue:

    value = flag · scale · internal + added                                                                    (1)

Which of these inputs exist is a matter of structure, chosen by the run: what is not chosen costs nothing. Parts reach
the same ports under the same names, in the phase ``provide``: ``signals.add("Brake_System.brk_pres.L1", …)`` is another
summand of what is added, and ``signals.provide("Main_Damper.activation_flag.L1", …)`` takes the place of the input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from jounce.components.part import Symbols
from jounce.components.places import AxlePlace, Place, UnitPlace, VehiclePlace, WheelPlace
from jounce.core.errors import ModelError, did_you_mean
from jounce.core.fields import Data
from jounce.core.tables import Table

if TYPE_CHECKING:
    from jounce.components.tire.base import Tire
    from jounce.components.tire.mounted import Block, Mounted, Yielding
    from jounce.road.ground import Ground
    from jounce.symbolic.system import System

Relaxation = Literal["states", "exact"]  # of tires: integrated with the vehicle, or an exact update from step to step
Mode = Literal["added", "flag", "scale", "replacing", "command"]
Vector = Sequence[Any]


@dataclass(frozen=True)
class Choices:
    """What a run chooses of the structure besides the vehicles' data."""

    inputs: frozenset[str] = frozenset()  # ports that are open, by the full names of their inputs
    relaxation: Relaxation = "states"
    tire_inputs: tuple[str, ...] = ()  # scaling factors with inputs L1.tire.LMUY …


@dataclass(frozen=True)
class Opening:
    """An input that a port offers: what it does and in which unit."""

    name: str
    mode: Mode
    unit: str
    doc: str


class Signals:
    """Quantities with one writer, computed when they are asked for."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self._sources: dict[str, tuple[Callable[[], Any], str]] = {}
        self._usual: set[str] = set()  # sources that give way to any other
        self._values: dict[str, Any] = {}
        self._asking: list[str] = []
        self._added: dict[str, list[tuple[Callable[[], Any], str]]] = {}
        self._sums: dict[str, Any] = {}  # of what was added, where somebody accepts it

    def provide(self, name: str, value: Callable[[], Any], by: str, *, usual: bool = False) -> None:
        """Say how a signal is computed, and which part says so; ``usual``: unless another part does."""
        if name in self._sources and usual:
            return
        if name in self._sources and name not in self._usual:
            raise ModelError(
                f"{self.owner}{name}: written by {self._sources[name][1]} and by {by}; one quantity has one writer. "
                "Let a part of its own read both and provide the result"
            )
        self._sources[name] = (value, by)
        self._usual = self._usual | {name} if usual else self._usual - {name}

    def read(self, name: str, by: str) -> Any:
        """The value of a signal for a part."""
        if name not in self._values:
            if name not in self._sources:
                known = ", ".join(sorted(self._sources)) or "none"
                raise ModelError(f"{self.owner}{name}: read by {by}, but no part provides it; there are: {known}")
            if name in self._asking:
                loop = " -> ".join((*self._asking[self._asking.index(name) :], name))
                raise ModelError(
                    f"{self.owner}{name}: a loop of signals, {loop}; a sampled block in it breaks the loop"
                )
            self._asking.append(name)
            self._values[name] = self._sources[name][0]()
            self._asking.pop()
        return self._values[name]

    def is_read(self, name: str) -> bool:
        """Whether a part has asked for a signal."""
        return name in self._values

    def writer(self, name: str) -> str:
        """The part that provides a signal."""
        return self._sources[name][1]

    def add(self, name: str, value: Callable[[], Any], by: str) -> None:
        """Add to a quantity that another part owns, such as that of a port; in the phase ``provide``."""
        if name in self._sums:
            raise ModelError(f"{self.owner}{name}: {by} adds to it when it is known already; add in the phase provide")
        self._added.setdefault(name, []).append((value, by))

    def accept(self, name: str) -> Any:
        """For the owner of a quantity: the sum of what other parts add to it, None where nobody does."""
        if name not in self._sums:
            self._sums[name] = None  # nothing is added from here on
            for value, by in self._added.get(name, ()):
                more = value()
                if more is None:
                    raise ModelError(f"{self.owner}{name}: what {by} adds to it has no value")
                self._sums[name] = more if self._sums[name] is None else self._sums[name] + more
        return self._sums[name]

    def check_accepted(self) -> None:
        """Raise where a part adds to something that no part accepts; once all phases are over."""
        for name, items in self._added.items():
            if name not in self._sums:
                by = " and ".join(by for _, by in items)
                near = did_you_mean(name, list(self._sums))
                raise ModelError(f"{self.owner}{name}: {by} adds to it, but no part of the vehicle accepts that{near}")

    def __contains__(self, name: str) -> bool:
        return name in self._sources

    def is_added(self, name: str) -> bool:
        """Whether a part adds to a quantity."""
        return name in self._added


def tire_blocks(place: VehiclePlace, tires: Mapping[str, Tire]) -> dict[int, str]:
    """Names of the numbers of tires, each object once: ``tire1`` … in the order of the tires of a vehicle."""
    known: dict[int, str] = {}
    for name in place.tires:
        known.setdefault(id(tires[name]), f"tire{len(known) + 1}")
    return known


class VehicleModel:
    """A vehicle under construction."""

    def __init__(
        self,
        place: VehiclePlace,
        system: System,
        grounds: Mapping[str, Ground],
        tires: Mapping[str, Tire],
        choices: Choices,
    ) -> None:
        self.place, self.system, self.choices = place, system, choices
        self.grounds = dict(grounds)  # by tire
        self.unraised = dict(grounds)  # without heights that inputs add under single wheels
        self.tires = dict(tires)  # by tire
        self.blocks: dict[int, Block] = {}  # numbers of tires, shared by the wheels that have them
        self.block_names = tire_blocks(place, self.tires)
        self.signals = Signals(place.prefix)
        self.openings: dict[str, Opening] = {}  # all inputs that the ports of this vehicle offer
        self._inputs: dict[str, Any] = {}
        self._tables: dict[str, Any] = {}
        self._parameters: dict[str, Any] = {}
        self._symbols: dict[tuple[int, str], Symbols] = {}
        self.units = [UnitModel(self, unit) for unit in place.units]
        for wheel in self.wheels.values():
            wheel.paired = self.wheels[wheel.place.paired.name]

    @property
    def settings(self) -> Any:
        return self.place.settings

    @property
    def bound_names(self) -> list[str]:
        """Names of all parameters and tables that come from data."""
        return [*self._parameters, *self._tables]

    @property
    def axles(self) -> list[AxleModel]:
        return [axle for unit in self.units for axle in unit.axles]

    @property
    def wheels(self) -> dict[str, WheelModel]:
        """All wheels by name."""
        return {wheel.place.name: wheel for axle in self.axles for wheel in axle.wheels}

    # -- names -----------------------------------------------------------------------------------------------------

    @property
    def root(self) -> Any:
        """The scope of the vehicle itself."""
        return self.system.scope(self.place.prefix[:-1]) if self.place.prefix else self.system

    def scope(self, name: str) -> Any:
        """A scope of the system below the vehicle's own prefix."""
        return self.system.scope(f"{self.place.prefix}{name}")

    def parameter(
        self,
        full: str,
        value: float,
        unit: str = "-",
        doc: str = "",
        **limits: float,
    ) -> Any:
        """A parameter by its full name, declared at first use; ``limits``: low, high, above."""
        if full not in self._parameters:
            self._parameters[full] = self.system.parameter(full, value, unit, doc, **limits)
        return self._parameters[full]

    def table(self, full: str, table: Table) -> Any:
        """A table by its full name, declared at first use."""
        if full not in self._tables:
            self._tables[full] = self.system.table(full, table)
        return self._tables[full]

    def channel(self, name: str, value: Any, unit: str, doc: str, watch: bool = False) -> None:
        """An output of the vehicle, under its name in the channel catalogue."""
        self.system.output(f"{self.place.prefix}{name}", value, unit, doc, watch=watch)

    def slope(self, value: Any, over: Any) -> Any:
        """∂value/∂over, through tables."""
        return self.system.calls.jacobian(value, over)[0, 0]

    def symbols(self, data: Data, name: str = "") -> Symbols:
        """The numbers of a part of the whole vehicle, under a name below its prefix."""
        return self.bound(data, self.place, f"{self.place.prefix}{name}.")

    def bound(self, data: Data, place: Place, prefix: str) -> Symbols:
        """Numbers as symbols; one object for each group of data and name."""
        key = (id(data), prefix)
        if key not in self._symbols:
            self._symbols[key] = Symbols(data, place, self, prefix)
        return self._symbols[key]

    # -- ports -----------------------------------------------------------------------------------------------------

    def outside(
        self,
        name: str,
        unit: str,
        doc: str,
        mode: Mode,
        default: float = 0.0,
        rate: bool = False,
        shaped: Callable[[Any], Any] | None = None,
    ) -> Any:
        """What the run or parts give a port; None where nobody does. The run's input does not act in statics.

        shaped : what becomes of the run's input before it acts
        """
        full = f"{self.place.prefix}{name}"
        self.openings.setdefault(full, Opening(full, mode, unit, doc))
        given = None
        if full in self.choices.inputs:
            if full not in self._inputs:
                self._inputs[full] = self.system.input(full, unit, doc, default, rate=rate, in_statics=False)
            given = self._inputs[full] if shaped is None else shaped(self._inputs[full])
        if mode == "added":
            more = self.signals.accept(name)
            return given if more is None else more if given is None else given + more
        if name in self.signals:
            if given is not None:
                raise ModelError(
                    f"{full}: given by the run and by {self.signals.writer(name)}; let one of them write it"
                )
            return self.signals.read(name, f"the port {full}")
        return given

    def through(
        self,
        value: Any,
        unit: str,
        doc: str,
        *,
        added: str = "",
        flag: str = "",
        scale: str = "",
        on: bool = True,
        rate: bool = False,
        shaped: Callable[[Any], Any] | None = None,
    ) -> Any:
        """A quantity after what is given from outside (1).

        on : whether it is there where nobody gives the flag; a flag that is given wins
        rate : whether it moves a frame, so that what is given needs a rate
        shaped : what becomes of the run's input that is added
        """
        if scale and (factor := self.outside(scale, "-", f"factor on the {doc}", "scale", 1.0, rate)) is not None:
            value = factor * value
        if (
            flag
            and (active := self.outside(flag, "-", f"1 keeps, 0 removes the {doc}", "flag", float(on), rate))
            is not None
        ):
            value = active * value
        elif not on:
            value = 0.0
        if added and (more := self.outside(added, unit, f"added to the {doc}", "added", 0.0, rate, shaped)) is not None:
            value = value + more
        return value

    @cached_property
    def stage(self) -> tuple[Any, Any]:
        """Whether an evaluation is the first of its full step, and whether it is the first of a run (conditions).

        Memories change at every evaluation, signals of blocks at full steps: where they differ, a full step has begun.
        """
        scope = self.scope("full_step")
        block = scope.block("clock", doc="turns at every full step")
        turn = block.signal("turn", "-", "0 and 1 in turns")
        block.update(turn, 1 - turn)
        seen = scope.memory("seen", "-", "turn at the last evaluation; -1 before any", initial=-1.0, role="free")
        scope.next_memory(seen, turn)
        return turn != seen, seen < 0

    def is_open(self, *names: str) -> bool:
        """Whether the run or a part gives one of these inputs."""
        return any(
            f"{self.place.prefix}{name}" in self.choices.inputs or name in self.signals or self.signals.is_added(name)
            for name in names
            if name
        )


@dataclass(frozen=True)
class Coupling:
    """How a towed unit moves against the unit that tows it; other parts read it from the phase `declare` on."""

    frame: Any  # of the towing unit, origin in the coupling
    turned: Any  # of the towed unit, the same origin but for what a hitch gives way
    angles: dict[str, tuple[Any, Any]]  # yaw, pitch, roll with their rates, as far as they are free
    force: Vector  # on the towing unit, axes of ``frame``: known after all accelerations, for channels and for states
    moment: Vector  # the same, about the coupling


class UnitModel:
    """A body with its axles under construction."""

    def __init__(self, vehicle: VehicleModel, place: UnitPlace) -> None:
        self.vehicle, self.place = vehicle, place
        self.chassis: Any = None  # frame of the sprung mass (of its rear half, when split)
        self.coupling: Coupling | None = None  # how it moves against the unit that tows it
        self.bodies: dict[str, Any] = {}  # frames by name; "" is the chassis
        self.rails: dict[int, Any] = {}  # frames of axles by their numbers, where the rails of a frame twist
        self.masses: list[tuple[Any, Any]] = []  # frame with its origin in the centre of mass, mass
        self.axles = [AxleModel(self, axle) for axle in place.axles]
        self._ground: Any = None
        self.find_ground: Callable[[], Ground] | None = None  # another ground for the body than that of a wheel

    @property
    def ground(self) -> Any:
        """What heights and directions of the body refer to; known once wheels have their contacts."""
        if self._ground is None:
            first = next(iter((self.wheels or self.vehicle.wheels).values()))
            own = self.vehicle.unraised[first.place.name]
            self._ground = own if self.find_ground is None else self.find_ground()
        return self._ground

    @property
    def wheels(self) -> dict[str, WheelModel]:
        return {wheel.place.name: wheel for axle in self.axles for wheel in axle.wheels}

    @property
    def system(self) -> Any:
        return self.vehicle.system

    @property
    def scope(self) -> Any:
        """Names of this unit: those of the vehicle for the first one, else ``unit2.`` …"""
        return self.vehicle.scope(self.place.own[:-1]) if self.place.own else self.vehicle.root

    def channel(self, name: str, value: Any, unit: str, doc: str, watch: bool = False) -> None:
        """An output of this unit; of a towed one with its name before it."""
        self.vehicle.channel(f"{self.place.own}{name}", value, unit, doc, watch)

    @property
    def signals(self) -> Signals:
        return self.vehicle.signals

    @property
    def parent(self) -> UnitModel | None:
        """The unit that tows it."""
        parent = self.place.parent
        return None if parent is None else self.vehicle.units[parent.number - 1]

    def symbols(self, data: Data, name: str = "") -> Symbols:
        """The numbers of a part of this unit, under a name below its prefix."""
        return self.vehicle.bound(data, self.place, f"{self.place.prefix}{name}.")


class AxleModel:
    """An axle under construction."""

    def __init__(self, unit: UnitModel, place: AxlePlace) -> None:
        self.unit, self.place = unit, place
        self.wheels = [WheelModel(self, wheel) for wheel in place.wheels]
        self.steering: Any = None  # input of the steering maps, where the axle is steered
        self.linkage: Any = None  # hand wheel to rack, see steering
        self.beam: Any = None  # frame of the beam of a solid axle
        self.numbers: dict[int, int] = {}  # of parts that stand in lists

    @property
    def vehicle(self) -> VehicleModel:
        return self.unit.vehicle

    @property
    def system(self) -> Any:
        return self.vehicle.system

    @property
    def frame(self) -> Any:
        """The frame of the body it hangs on; of rails, as they are turned where it is."""
        return self.unit.rails.get(self.place.number, self.unit.bodies[self.place.on])

    @property
    def channel(self) -> Callable[..., None]:
        return self.vehicle.channel

    def symbols(self, data: Data, name: str = "") -> Symbols:
        """The numbers of a part of this axle."""
        return self.vehicle.bound(data, self.place, f"{self.place.prefix}{name}." if name else self.place.prefix)

    def number_of(self, part: Data) -> int:
        """Which of several parts of a list this is, from 0."""
        return self.numbers[id(part)]


@dataclass
class Pose:
    """Displacement and angles of a carrier from design, in the signs of users."""

    x: Any
    y: Any
    psi: Any  # rotation about the z axis of the body, left positive
    camber: Any
    side_view_angle: Any


@dataclass(frozen=True)
class End:
    """What elements hang on: the travel of a wheel, or that behind a series stiffness."""

    travel: Any  # a symbol
    rate: Any
    push: Callable[[Any], None]  # a force along the travel, upwards


@dataclass
class WheelModel:
    """A carrier with its wheel under construction: what other parts ask of it."""

    axle: AxleModel
    place: WheelPlace
    paired: Any = None  # the other wheel of the axle, or itself
    travel: Any = None  # J
    travel_rate: Any = None
    pose: Pose = field(default_factory=lambda: Pose(0.0, 0.0, 0.0, 0.0, 0.0))
    carrier: Any = None  # frame, origin in the wheel centre
    rotor: Any = None
    tire: Mounted = None  # type: ignore[assignment]
    twin: Mounted | None = None  # second tire
    drive_torque: Any = 0.0
    brake_torque: Any = 0.0  # on the wheel, from the carrier
    spring_forces: list[Any] = field(default_factory=list)  # of springs and stops at the wheel, downwards
    road_height: Any = None  # what an input adds to the ground
    gives: dict[str, Any] = field(default_factory=dict)  # how far its carrier gives way, by the maps of the axle
    yielding: Yielding | None = None  # what that does at the contacts
    along: tuple[Any, Any] | None = None  # what a longitudinal freedom moves its centre by, and the rate (``x_dof``)
    followed: Any = None  # the same without inertia, known before its rate
    numbers: dict[int, int] = field(default_factory=dict)  # of parts that stand in lists
    inboard: dict[str, End] = field(default_factory=dict)  # where springs and dampers of a solid axle hang
    behind_series: End | None = None  # where elements hang behind a series stiffness
    anti_roll_behind: bool = False  # whether anti-roll forces pass it, too
    series: dict[str, Any] = field(default_factory=dict)  # what its equation needs, see series_static
    central_forces: list[Any] = field(default_factory=list)  # of elastic elements between both wheels, downwards
    steered_elements: dict[str, Any] = field(default_factory=dict)  # what steering adds to deflections, by their words
    guided_rotation: Any = None  # of the carrier by the maps alone, where its compliance carries a steering axis
    actuator: Any = None  # travel of the actuator that steers it, where it has one
    tensions: dict[str, Any] = field(default_factory=dict)  # of the first elements of their words, tension positive

    @property
    def vehicle(self) -> VehicleModel:
        return self.axle.vehicle

    @property
    def system(self) -> Any:
        return self.axle.system

    @property
    def steering_input(self) -> Any:
        """Input of the steering maps: that of its axle, or the travel of its own actuator."""
        return self.axle.steering if self.actuator is None else self.actuator

    @property
    def direct_end(self) -> End:
        """Where elements hang that act on the wheel itself."""
        return End(self.travel, self.travel_rate, lambda force: self.system.generalized_force(self.travel_rate, force))

    @property
    def end(self) -> End:
        """Where springs and stops hang, and dampers unless they have a place of their own."""
        return self.inboard.get("spring", self.direct_end) if self.behind_series is None else self.behind_series

    @property
    def damper_end(self) -> End:
        """Where dampers hang."""
        return self.inboard.get("damper", self.direct_end) if self.behind_series is None else self.behind_series

    @property
    def anti_roll_end(self) -> End:
        """Where bars and anti-roll forces hang."""
        return self.end if self.anti_roll_behind else self.direct_end

    @property
    def scope(self) -> Any:
        """Names of this wheel: ``L1.`` …"""
        return self.vehicle.scope(self.place.name)

    @property
    def channel(self) -> Callable[..., None]:
        return self.vehicle.channel

    def symbols(self, data: Data, name: str = "") -> Symbols:
        """The numbers of a part at this wheel: its own (``L1.``), or under a name (``L1.spring.``)."""
        prefix = self.place.prefix
        return self.vehicle.bound(data, self.place, f"{prefix}{name}." if name else prefix)

    def number_of(self, part: Data) -> int:
        """Which of several parts of a list this is, from 0."""
        return self.numbers[id(part)]

    @property
    def design(self) -> list[Any]:
        """Wheel centre at design, in axes of the body."""
        moved = (self.pose.x, self.pose.y, self.travel)
        return [p - d for p, d in zip(self.carrier.r, moved, strict=True)]

    @property
    def load(self) -> Any:
        """What its tires carry."""
        return self.tire.values["fz"] if self.twin is None else self.tire.values["fz"] + self.twin.values["fz"]
