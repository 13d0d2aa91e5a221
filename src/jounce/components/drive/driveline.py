"""A driveline: engines, motors, clutch, gearbox, differentials, shafts.

It is a graph of parts joined by shafts (``train``), given in one of two ways. ``members`` lists them with the names of
the shafts at their ports; hubs have the names of their wheels (L1, R2 …). Or a ``layout`` with parts at named places:

    layout               gearbox output goes to       further differentials
    fwd                  front
    rwd                  rear
    awd                  central, then front, rear
    none                 nothing: motors at wheels only
    dual_motor_awd       nothing                      front and rear, each with its motor
    fwd_with_rear_diff   front                        rear, with its motor
    rwd_with_front_diff  rear                         front, with its motor

Front is the first axle of the first unit, rear its last one. A clutch or gearbox that is left out passes torque and
speed as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Literal, NamedTuple, Self

from pydantic import model_validator

from jounce.components.basics import Subsystem
from jounce.components.controllers.arbiter import decided_throttle
from jounce.components.controllers.slip_control import SlipControl, limited
from jounce.components.drive.base import DrivePart, Energy, Seen, Station, Yielding
from jounce.components.drive.battery import Battery
from jounce.components.drive.differential import ENDS, OpenDifferential
from jounce.components.drive.engine_control import RUNNING
from jounce.components.drive.hub import hub
from jounce.components.drive.joints import Joint, ShaftJoints
from jounce.components.drive.machine import Machine
from jounce.components.drive.thrust import of_train
from jounce.components.drive.train import Hub, Shaft, Train
from jounce.components.model import Opening, VehicleModel
from jounce.components.part import Level, Part, Symbols
from jounce.components.places import Place, VehiclePlace
from jounce.components.settings import Statics
from jounce.core.errors import ModelError, did_you_mean
from jounce.core.fields import Data, choice, part, problem
from jounce.core.library import LIBRARY
from jounce.symbolic.ops import fmax, fmin, if_else

Layout = Literal[
    "fwd", "rwd", "awd", "none", "dual_motor_awd", "fwd_with_rear_diff", "rwd_with_front_diff", "members"
]  # fmt: skip
# layout -> place that the gearbox drives, places of differentials
LAYOUTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fwd": ("front", ("front",)),
    "rwd": ("rear", ("rear",)),
    "awd": ("central", ("front", "central", "rear")),
    "none": ("", ()),
    "dual_motor_awd": ("", ("front", "rear")),
    "fwd_with_rear_diff": ("front", ("front", "rear")),
    "rwd_with_front_diff": ("rear", ("front", "rear")),
}
PLACES = ("front", "central", "rear")
CHAIN = ("engine", "clutch", "gearbox")
WHEEL_MOTORS = {
    "front_left_motor": ("front", "L"),
    "front_right_motor": ("front", "R"),
    "rear_left_motor": ("rear", "L"),
    "rear_right_motor": ("rear", "R"),
}
GROUPS = {"engine": "Engine", "gearbox": "Transmission", **ENDS}
GROUPS |= {f"{place}_motor": f"Motor_to_{place.capitalize()}_Differential" for place in PLACES}
GROUPS |= {name: f"Motor_to_{place.capitalize()}_{'Left' if side == 'L' else 'Right'}_Wheel"
           for name, (place, side) in WHEEL_MOTORS.items()}  # fmt: skip
DEMANDS = {"clutch": "clutch pedal, 0 closed to 1 open", "gear": "gear, 0 neutral, negative reverse",
           "neutral": "1 opens what is before the gearbox and lets motors turn freely"}  # fmt: skip


class Member(NamedTuple):
    """A part with its name, the key of its data and its shafts."""

    name: str
    key: str
    part: DrivePart
    shafts: tuple[str, ...]


def slot(doc: str) -> Any:
    """A place for a part of a driveline."""
    return part(None, family="driveline", silent=True, doc=doc)


class Driveline(Subsystem):
    """What drives the wheels, part by part."""

    level: ClassVar[Level] = "vehicle"

    layout: Layout = choice("members", doc="where torque goes; `members`: as the list of them says")
    engine: DrivePart | None = slot("engine or motor at the clutch")
    clutch: DrivePart | None = slot("clutch or converter; absent: fixed")
    gearbox: DrivePart | None = slot("gearbox; absent: fixed")
    front: DrivePart | None = slot("differential of the first axle")
    central: DrivePart | None = slot("differential between the axles")
    rear: DrivePart | None = slot("differential of the last axle")
    front_shafts: DrivePart | None = part(
        None, family="driveline", silent=True, doc="both drive shafts of the first axle"
    )
    rear_shafts: DrivePart | None = part(
        None, family="driveline", silent=True, doc="both drive shafts of the last axle"
    )
    main_motor: DrivePart | None = slot("motor at the gearbox or the clutch")
    main_motor_at: Literal["gearbox", "clutch"] = choice("gearbox", doc="where the main motor is")
    central_motor: DrivePart | None = part(
        None, family="driveline", silent=True, doc="motor at the central differential"
    )
    front_motor: DrivePart | None = slot("motor at the front differential")
    rear_motor: DrivePart | None = slot("motor at the rear differential")
    front_left_motor: DrivePart | None = slot("motor at that wheel")
    front_right_motor: DrivePart | None = slot("motor at that wheel")
    rear_left_motor: DrivePart | None = slot("motor at that wheel")
    rear_right_motor: DrivePart | None = slot("motor at that wheel")
    members: tuple[DrivePart, ...] = part((), family="driveline", each="member", doc="any parts, with their shafts")
    angles: bool = choice(False, doc="angles of all shafts as channels, from where they are at the start")
    joints: tuple[ShaftJoints, ...] = part((), doc="joints of drive shafts, by axle; absent: shafts without loads")
    controls: tuple[DrivePart, ...] = part((), family="driveline", each="control", doc="control units, without shafts")
    battery: Battery | None = part(None, family="battery", silent=True, doc="what feeds the motors; absent: anything")
    tcs: SlipControl | None = part(None, family="slip_control", silent=True, doc="traction control, on the throttle")

    # -- data ------------------------------------------------------------------------------------------------------

    @classmethod
    def expand(cls, raw: Any) -> Any:
        """A name that the library does not know; those it knows are read with the vehicle."""
        if not isinstance(raw, str):
            return raw
        if raw in library_drivelines():
            raise problem(f"{raw!r} is read with a vehicle, not by itself")
        known = did_you_mean(raw, library_drivelines(), limit=12).replace("  known:", "  in the library:")
        raise problem(f"no such driveline{known}")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for i, unit in enumerate(self.controls):
            if unit.ports:
                raise problem(f"{getattr(unit, 'kind', 'part')} has shafts: it is no control unit", "controls", i)
        given = [name for name in (*CHAIN, *PLACES, *MOTORS, *SHAFTS) if getattr(self, name) is not None]
        if self.layout == "members":
            if given:
                raise problem("stands beside members; give a layout, or put it into the list with its shafts", given[0])
            return self
        if self.members:
            raise problem(f"stand beside layout: {self.layout}; give one or the other", "members")
        self._check_layout(given)
        return self

    def _check_layout(self, given: list[str]) -> None:
        driven, places = LAYOUTS[self.layout]
        for place in places:
            if getattr(self, place) is None:
                raise problem(f"missing; layout {self.layout} has a differential there", place)
        for name in given:
            found: Any = getattr(self, name)
            kind = getattr(found, "kind", "part")
            if name in PLACES and name not in places:
                fits = [layout for layout, (_, known) in LAYOUTS.items() if name in known]
                raise problem(
                    f"layout {self.layout} has no differential there; layouts with one: {', '.join(fits)}", name
                )
            if name in PLACES and found.ports != OpenDifferential.ports:
                raise problem(f"{kind} is no differential", name)
            if name in (*CHAIN, "main_motor") and not driven:
                raise problem(f"layout {self.layout}: there is nothing that it could drive", name)
            if (name == "engine" or name in MOTORS) and not isinstance(found, Machine):
                raise problem(f"{kind} is no engine or motor", name)
            at = name.removesuffix("_motor").removesuffix("_shafts")
            if at in PLACES and at not in places:
                raise problem(f"layout {self.layout} has no {at} differential that it could stand at", name)
        for name in (*CHAIN[1:], *SHAFTS):
            found = getattr(self, name)
            if found is not None and len(found.ports) != 2:
                raise problem(f"{getattr(found, 'kind', 'part')} does not stand between two shafts", name)

    def arranged(self, place: VehiclePlace) -> list[Member]:
        """All parts with their shafts, control units first: what they say others ask for."""
        units = [
            Member(unit.name or str(getattr(unit, "kind", "control")), f"control{i + 1}", unit, ())
            for i, unit in enumerate(self.controls)
        ]
        return units + self._joined(place)

    def _joined(self, place: VehiclePlace) -> list[Member]:
        if self.layout == "members":
            return [
                Member(item.name or f"member{i + 1}", f"member{i + 1}", item, item.shafts)
                for i, item in enumerate(self.members)
            ]
        axles = place.units[0].axles  # what is towed is driven by members only
        wheels = {"front": [w.name for w in axles[0].wheels], "rear": [w.name for w in axles[-1].wheels]}
        result: list[Member] = []

        def add(name: str, *shafts: str, key: str = "") -> None:
            found = getattr(self, key or name)
            if found is not None:
                result.append(Member(name, key or name, found, shafts))

        driven, places = LAYOUTS[self.layout]
        output = f"{driven}_in"
        gear_in = "input" if self.gearbox is not None else output
        crank = "crank" if self.clutch is not None else gear_in
        if driven:
            add("engine", crank)
            if self.main_motor_at == "clutch":
                add("main_motor", crank)
            add("clutch", crank, gear_in)
            if self.main_motor_at == "gearbox":
                add("main_motor", gear_in)
            add("gearbox", gear_in, output)
        add("central_motor", "central_in")
        add("central", "central_in", "front_in", "rear_in")
        for end in ("front", "rear"):
            if end not in places:
                continue
            add(f"{end}_motor", f"{end}_in")
            inner = wheels[end]
            if getattr(self, f"{end}_shafts") is not None:
                inner = [f"{end}_left", f"{end}_right"]
            add(end, f"{end}_in", *inner)
            for side, shaft, wheel in zip(("left", "right"), inner, wheels[end], strict=False):
                add(f"{end}_{side}_shaft", shaft, wheel, key=f"{end}_shafts")
        for name, (end, side) in WHEEL_MOTORS.items():
            axle = axles[0 if end == "front" else -1]
            for there in axle.wheels:
                if there.side == side:
                    add(name, there.name)
        return result

    def wheel_torques(self, place: VehiclePlace) -> dict[str, float]:
        """Torque of every wheel, driving off: the largest of all machines, without losses, slip and locks."""
        members = [m for m in self.arranged(place) if m.shafts]
        found = dict.fromkeys(place.wheels, 0.0)

        def pass_on(shaft: str, torque: float) -> None:
            if shaft in found:
                found[shaft] += torque
                return
            for member in (m for m in members if len(m.shafts) > 1 and m.shafts[0] == shaft):
                geared = member.part.geared(member.part, 1.0)
                factors = [1.0] * (len(member.shafts) - 1) if geared is None else geared.terms[1:]
                for output, factor in zip(member.shafts[1:], factors, strict=True):
                    pass_on(output, abs(factor) * torque)

        for member in members:
            if isinstance(member.part, Machine):
                pass_on(member.shafts[0], member.part.ratio * member.part.largest_torque())
        return found

    def check(self, place: VehiclePlace) -> None:
        """Raise unless the parts of this driveline can turn the wheels of a vehicle."""
        members = self.arranged(place)
        for member in members:
            if len(member.shafts) != len(member.part.ports):
                kind = getattr(member.part, "kind", "part")
                ports = ", ".join(member.part.ports)
                i = int(member.key.removeprefix("member")) - 1 if self.layout == "members" else None
                where: tuple[Any, ...] = (member.key,) if i is None else ("members", i, "shafts")
                raise problem(f"{len(member.shafts)} shafts; {kind} has the ports {ports}", *where)
        train = Train([Hub(name, 0.0, None, lambda torque: None, 1.0) for name in place.wheels], None, None)
        for member in members:
            if member.shafts:
                train.join(member.name, str(getattr(member.part, "kind", "part")), member.shafts)
        self._check_housings(place, members)
        names = [member.name for member in members]
        twice = next((name for name in names if names.count(name) > 1), None)
        try:
            if twice:
                raise train.refused(f"two parts are called {twice!r}")
            train.check_ends()
            if not any(isinstance(member.part, Machine) for member in members):
                raise train.refused("nothing in it drives: no engine, no motor")
        except ModelError as why:
            raise problem(str(why)) from None

    def _check_housings(self, place: VehiclePlace, members: Sequence[Any]) -> None:
        """A differential in the block of an engine needs a suspended engine, and shafts without joints."""
        from jounce.components.body.engine_part import ENGINE

        for member in members:
            if getattr(member.part, "housing", "") != ENGINE:
                continue
            where = ("members", int(member.key.removeprefix("member")) - 1) if "member" in member.key else (member.key,)
            if ENGINE not in [item.name for item in place.units[0].data.body.suspended]:
                raise problem("'engine': the body has no suspended engine", *where, "housing")
            wheels = [place.wheels[name] for name in member.shafts[1:] if name in place.wheels]
            if any(item.axle == wheel.axle.number for item in self.joints for wheel in wheels):
                raise problem("'engine': not available yet with joints of its shafts", *where, "housing")

    # -- the model -------------------------------------------------------------------------------------------------

    def inputs_at_rest(self, options: Statics, place: Place) -> dict[str, float]:
        return {"neutral": 1.0}  # a converter would push a car that nothing holds

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        if not isinstance(place, VehiclePlace):
            return
        for key, found in self.parts_by_key():
            yield f"driveline.{key}", found
            if isinstance(found, DrivePart):
                yield from ((f"driveline.{key}.{name}", item) for name, item in found.inner())
        for wheel in place.wheels.values():
            if self.tcs is not None:
                yield f"{wheel.name}.tcs", self.tcs
            for group in self.joints:
                if group.axle == wheel.axle.number:
                    yield f"{wheel.name}.shaft_joints", group.at(wheel)

    def parts_by_key(self) -> Iterator[tuple[str, Part]]:
        """All parts with the keys of their numbers."""
        for name in type(self).model_fields:
            found = getattr(self, name)
            if isinstance(found, DrivePart | Battery):
                yield name, found
        for word, listed in (("control", self.controls), ("member", self.members)):
            yield from ((f"{word}{i + 1}", item) for i, item in enumerate(listed))

    def hubs(self, at: VehicleModel) -> list[Hub]:
        """Ends of the train: where joints are, or what bears the differential, changes them."""
        housings = {
            name: str(getattr(member.part, "housing", "chassis"))
            for member in self.arranged(at.place)
            if member.part.ports == OpenDifferential.ports
            for name in member.shafts[1:]
        }
        made = []
        for name, wheel in at.wheels.items():
            group = next((item for item in self.joints if item.axle == wheel.place.axle.number), None)
            joint = None
            if group is not None:
                joint = Joint(wheel, at.bound(group.at(wheel.place), wheel.place, f"{name}.shaft_joints."))
            made.append(hub(wheel, housings.get(name, "chassis"), joint))
        return made

    def frame(self, at: VehicleModel) -> Any:
        return at.units[0].chassis

    def vehicle_speed(self, at: VehicleModel) -> Any:
        return at.units[0].chassis.v[0]

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for name, doc in DEMANDS.items():
            made = cache(_demand(at, name, doc))
            at.signals.provide(f"given.{name}", made, f"the input {name}")
            at.signals.provide(name, made, f"the input {name}", usual=True)
        at.signals.provide("drive.thrust", lambda: of_train(p.kept["train"], p.kept["stations"], Machine), "driveline")
        at.signals.provide("drive.energies", lambda: self.energies(at, p), "driveline")
        at.signals.provide("driveline.vehicle_speed", lambda: self.vehicle_speed(at), "the driveline")
        if self.tcs is not None:
            at.signals.provide("slip_control.tcs", lambda: self.tcs, "driveline.tcs")
            at.signals.provide("driveline.traction", lambda: _traction(at), "driveline.tcs")

    def declare(self, at: VehicleModel, p: Symbols) -> None:
        train = Train(self.hubs(at), at.scope("driveline"), self.frame(at))
        stations = []
        for member in self.arranged(at.place):
            group = self._group(member)
            kind = str(getattr(member.part, "kind", "part"))
            shafts = train.join(member.name, kind, member.shafts) if member.shafts else []
            symbols = at.symbols(member.part, f"driveline.{member.key}")
            stations.append(Station(member.part, member.name, group, at, train, symbols, shafts))
        p.kept.update(train=train, stations=stations)
        for station in stations:  # a gearbox asks whether what is before it opens for a shift
            before = [
                s
                for s in stations
                if isinstance(s.part, Yielding) and station.shafts and s.shafts[-1] is station.shafts[0]
            ]
            if before and before[0] is not station:
                station.kept["coupling"] = before[0]
        for station in stations:
            station.part.join(station)
        running = {id(s.shafts[0]) for s in stations if getattr(s.part, "runs", False)}
        train.solve(lambda shaft: RUNNING if id(shaft) in running else 0.0)
        self._start_rolling(at, train, stations)
        for shaft in train.shafts.values() if self.angles else ():
            shaft.angle = train.scope.state(f"{shaft.name}.angle", "rad", f"turned by shaft {shaft.name}", role="free")
            train.scope.derivative(shaft.angle, shaft.speed)
        engines = [s for s in stations if getattr(s.part, "runs", False)]
        if engines:
            first = engines[0]
            at.signals.provide("driveline.engine_speed", lambda: first.part.speed(first), first.name)  # type: ignore[attr-defined]
        if self.battery is not None:
            self.battery.declare_in(at, at.symbols(self.battery, "driveline.battery"))
        for station in stations:
            station.part.prepare(station)

    def _start_rolling(self, at: VehicleModel, train: Train, stations: Sequence[Station]) -> None:
        """Where a search for steady running begins: freedoms as fast as the shafts that couplings join them to.

        Engines no slower than they idle: from below, the search might end at one that has stalled, a balance as well.
        """
        known: dict[int, Any] = {id(s): s.rolling for s in train.shafts.values() if s.symbol is None}
        for _ in train.edges:
            for _, _, names in train.edges:
                ends = [train.shafts[name] for name in names]
                if len(ends) == 2 and id(ends[0]) not in known and id(ends[1]) in known:
                    known[id(ends[0])] = known[id(ends[1])]
        idling = {id(s.shafts[0]): s.part.idling(s) for s in stations if isinstance(s.part, Machine) and s.part.runs}
        for shaft in train.shafts.values():
            if shaft.symbol is not None and id(shaft) in known:
                rolling, least = known[id(shaft)], idling.get(id(shaft))
                at.root.rolls(shaft.symbol, rolling if least is None else fmax(rolling, least))

    def _group(self, member: Member) -> str:
        if self.layout == "members":
            return f"Driveline.{member.name}"
        if member.key == "main_motor":
            return "Motor_to_Gearbox" if self.main_motor_at == "gearbox" else "Motor_to_Clutch"
        if member.key == "clutch":
            return member.part.word
        return GROUPS.get(member.name, f"Driveline.{member.name}")

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        train: Train = p.kept["train"]
        stations: list[Station] = p.kept["stations"]
        for station in stations:
            station.part.act(station)
        if self.battery is not None:
            self.battery.act_in(at, at.symbols(self.battery, "driveline.battery"))
        train.flow()

    def happened(self, place: VehiclePlace, seen: Seen) -> Iterator[str]:
        """What a run did to its parts: stall, overspeed, an empty battery."""
        for member in self.arranged(place):
            yield from member.part.happened(self._group(member), seen)
        if self.battery is not None:
            yield from self.battery.happened(seen)

    def energies(self, at: VehicleModel, p: Symbols) -> dict[str, Energy]:
        """What the parts do to the energy, by place; with a battery, power comes in by its terminals alone."""
        found = {s.group.removeprefix("Driveline."): s.part.energy(s) for s in p.kept["stations"]}
        if self.battery is not None:
            found = {place: replace(energy, electric=None) for place, energy in found.items()}
            found["Battery"] = self.battery.energy_in(at.symbols(self.battery, "driveline.battery"))
        return found

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        for station in p.kept["stations"]:
            station.part.told(station)
            station.tell_energy()
        if self.battery is not None:
            self.battery.tell_in(at, at.symbols(self.battery, "driveline.battery"))
        decided_throttle(at, at.signals.read("throttle", "channels"))  # channels of shares
        for name in DEMANDS:
            if at.signals.is_read(name):
                at.channel(f"driver_demands.{name}", at.signals.read(name, "channels"), "-", DEMANDS[name])


def library_drivelines() -> list[str]:
    """Names of the drivelines in the library: those of its cars."""
    return sorted(path.stem for path in (LIBRARY / "drivelines").glob("*.yaml"))


MOTORS = ("main_motor", "central_motor", "front_motor", "rear_motor", *WHEEL_MOTORS)
SHAFTS = ("front_shafts", "rear_shafts")


def _demand(at: VehicleModel, name: str, doc: str) -> Any:
    """A demand of the driver as an input, made when a part asks for it."""

    def make() -> Any:
        symbol = at.root.input(name, "-", doc, 1.0 if name == "gear" else 0.0)
        catalogued = f"Driver_Demands.{name}"
        at.root.alias_input(catalogued, name)
        full = f"{at.place.prefix}{catalogued}"
        at.openings[full] = Opening(full, "command", "-", doc)
        return symbol

    return make


def _traction(at: VehicleModel) -> Any:
    """The least factor of the traction control over all wheels."""
    found: Any = 1.0
    for wheel in at.wheels.values():
        found = fmin(found, limited(wheel, "tcs", "driving"))
    if "driveline.engaged" not in at.signals:
        return found
    return if_else(at.signals.read("driveline.engaged", "tcs") > 0, found, 1.0)  # not in neutral, not while shifting


__all__ = ["LAYOUTS", "Driveline", "Member", "Shaft"]
