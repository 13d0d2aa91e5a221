"""What all parts of a driveline have: ports that join shafts, and their stages within the phases of a model.

    join      relations of speeds and inertias, before speeds are known
    prepare   states and blocks, with the speeds of all shafts
    act       torques on shafts
    told      channels, once torques have passed the train

What it is to others it declares: how its shafts turn together and what is lost on the way (``Geared``), what turns with
them, what work it brings in, makes heat and keeps (``Energy``). The first two also hold for numbers instead of symbols,
for whoever computes without a model (``sim/quasi_static``).

A part knows the shafts at its ports, nothing of what is beyond them. What else passes between parts are signals
(``driveline.…``), as everywhere in a vehicle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from jounce.components.body.engine_part import ENGINE
from jounce.components.drive.train import Relation, Shaft, Train
from jounce.components.part import Part, Symbols
from jounce.core.curves import Curve, CurveUnits
from jounce.core.fields import Data, choice, text
from jounce.symbolic.ops import clip

if TYPE_CHECKING:
    from jounce.components.model import VehicleModel

Direction = Literal["none", "X+", "X-", "Y+", "Y-"]
DIRECTIONS: dict[str, tuple[float, float, float]] = {
    "X+": (1.0, 0.0, 0.0),
    "X-": (-1.0, 0.0, 0.0),
    "Y+": (0.0, 1.0, 0.0),
    "Y-": (0.0, -1.0, 0.0),
}


Seen = Callable[[str], Any]


def first_time(seen: Seen, condition: Any) -> float | None:
    """When something was so for the first time in a run."""
    return float(seen("time")[condition.argmax()]) if condition.any() else None


@dataclass(frozen=True)
class Energy:
    """What a part does to the energy of a driveline, each by itself; None: it does no such thing."""

    source: Any = None  # power that comes in by it: of a crankshaft, W
    electric: Any = None  # electric power that comes in by it, W: of a battery, or of motors without one
    auxiliary: Any = None  # of it what goes elsewhere than into motors, W
    lost: Any = None  # power that becomes heat, W
    stored: Any = None  # energy of its springs, J


@dataclass(frozen=True)
class Geared:
    """How the shafts of a part turn together: Σ c_k ω_k = 0, with what is lost by power that passes."""

    terms: tuple[Any, ...]  # c_k, in the order of its ports
    efficiency: Any = None  # None: nothing is lost
    rigid: bool = True  # otherwise only while nothing slips or winds up


class DrivePart(Part):
    """A part of a driveline."""

    family: ClassVar[str] = "driveline"
    ports: ClassVar[tuple[str, ...]] = ("input", "output")
    changes: ClassVar[bool] = False
    """Whether it is a gearbox: with ``ratios`` by gear, and ``shift_speeds``."""
    by_hand: ClassVar[bool] = False
    """Whether it is a gearbox whose driver chooses the gear."""
    word: ClassVar[str] = "Clutch"
    """Group of its channels where it stands between engine and gearbox."""

    name: str = text(doc="name of the part; of its numbers and channels, where it stands in a list")
    shafts: tuple[str, ...] = choice((), doc="where it stands in a list: names of the shafts at its ports, in order")
    reaction: Direction = choice("none", doc="axis of the body about which its housing pushes the body, by its torque")

    def inner(self) -> Iterator[tuple[str, Data]]:
        """Lists of groups inside it, with the names of their numbers below its own."""
        yield from ()

    def geared(self, p: Any, gear: Any) -> Geared | None:
        """How its shafts turn together in a gear; ``p``: its numbers, or symbols of them."""
        return None

    def inertias(self, p: Any, gear: Any) -> tuple[Any, ...]:
        """Of what turns with its shafts, in the order of its ports; None: nothing of it does."""
        return ()

    def join(self, here: Station) -> None:
        """Relations and inertias."""
        found = self.geared(here.p, None)
        if found is not None and found.rigid:
            here.relate(found)
        here.turn(self.inertias(here.p, None))

    def prepare(self, here: Station) -> None:
        """States and blocks."""

    def act(self, here: Station) -> None:
        """Torques."""

    def told(self, here: Station) -> None:
        """Channels."""

    def energy(self, here: Station) -> Energy:
        """Its powers, for the account of energy and the channels ``lost_power`` and ``stored_energy``."""
        return Energy()

    def happened(self, group: str, seen: Seen) -> Iterator[str]:
        """What a run did to it that its driver should know; ``seen``: recorded channels, None where they are not."""
        yield from ()


class Yielding(DrivePart):
    """A part that lets an engine turn while the wheels stand: clutch, converter."""

    seamless: ClassVar[bool] = False  # whether gears change without opening it

    def slipping(self, here: Any, speed: Any, torque: Any, gear: Any) -> Any:
        """Speed of its first shaft over that of the second, in numbers; the second turns so and has this torque."""
        return 1.0

    def held(self, here: Any, speed: Any) -> Any:
        """Torque on its first shaft while the second stands, in numbers."""
        return 0.0 * speed


@dataclass
class Station:
    """A part at its shafts in a model under construction."""

    part: DrivePart
    name: str
    group: str  # of its channels
    model: VehicleModel
    train: Train
    p: Symbols
    shafts: list[Shaft]
    kept: dict[str, Any] = field(default_factory=dict)
    relation: Relation | None = None

    @property
    def scope(self) -> Any:
        """Names of this part: ``driveline.engine.`` …"""
        return self.model.scope(f"driveline.{self.name}")

    def read(self, signal: str) -> Any:
        return self.model.signals.read(signal, f"driveline.{self.name}")

    def read_or(self, signal: str, otherwise: Any) -> Any:
        """A signal, or what stands for it where no part provides it."""
        return self.read(signal) if signal in self.model.signals else otherwise

    def acting(self, flag: str, doc: str, *, rate: bool = False) -> Any:
        """1 while the part acts, 0 while it does not; None: it always does. A flag that is given wins over its data."""
        own = bool(getattr(self.part, "active", True))
        given = self.model.outside(flag, "-", doc, "flag", float(own), rate)
        return given if given is not None else None if own else 0.0

    def channel(self, name: str, value: Any, unit: str, doc: str) -> None:
        self.model.channel(f"{self.group}.{name}", value, unit, doc)

    def relate(self, found: Geared) -> None:
        """Let its shafts turn together."""
        self.relation = self.train.relate(self.name, list(zip(found.terms, self.shafts, strict=True)), found.efficiency)

    def turn(self, inertias: Sequence[Any]) -> None:
        """Put inertias on its shafts."""
        several = sum(inertia is not None for inertia in inertias) > 1
        for port, shaft, inertia in zip(self.part.ports, self.shafts, inertias, strict=False):
            if inertia is not None:
                shaft.inertias.append((f"{self.name}.{port}" if several else self.name, inertia))

    def tell_shaft(self, name: str, shaft: Shaft) -> None:
        """Speed and acceleration of a shaft, its angle where that is known."""
        self.channel(f"{name}_omega", shaft.speed, "rad/s", "speed of the shaft")
        self.channel(f"{name}_alpha", self.model.system.second_rate(shaft.speed), "rad/s2", "its acceleration")
        if shaft.angle is not None:
            self.channel(f"{name}_angle", shaft.angle, "rad", "turned by the shaft since the start")

    def tell_energy(self) -> None:
        """Channels of what it loses and keeps."""
        found = self.part.energy(self)
        if found.lost is not None:
            self.channel("lost_power", found.lost, "W", "what becomes heat")
        if found.stored is not None:
            self.channel("stored_energy", found.stored, "J", "energy of its springs")

    def react(self, torque: Any) -> None:
        """Push the body about the chosen axis: the torque between what turns and the housing."""
        if self.part.reaction == "none":
            return
        unit = self.model.units[0]
        if unit.chassis is not None:
            vector = [torque * a for a in DIRECTIONS[self.part.reaction]]
            self.model.system.torque(unit.bodies.get(ENGINE, unit.chassis), vector)
        self.channel("reaction", torque, "N.m", f"on what bears it, about {self.part.reaction}")


def constant(value: float, x: str, y: str, z: str = "") -> Curve:
    """A curve that has one value, as a default."""
    return Curve(CurveUnits(x, y, z, "value"), constant=value)


def step(x: Any, x0: Any, h0: Any, x1: Any, h1: Any) -> Any:
    """From h0 at x0 to h1 at x1, either way round, along a cubic with level ends."""
    d = clip((x - x0) / (x1 - x0), 0.0, 1.0)
    return h0 + (h1 - h0) * d * d * (3 - 2 * d)
