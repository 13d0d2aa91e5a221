"""A drive cycle computed backwards: from the speed over the force at the wheels to machine, battery and fuel.

Over every interval of the trace, with its mean speed v and its acceleration a,

    F = (m + Σ J g²) a + ½ρ c_x A v² + Σ f_r F_z + m g s,    g = i/r                                                (1)
    slip  κ = F/Σ C_κ  of the driven wheels,    n = g v (1 + κ),    F_drive(u or b, n) = F                          (2)

The numbers are those of the vehicle: drag and loads at design height, rolling resistance and slip stiffness of its
tires at their static loads. Parts of the driveline are asked as a model asks them, with numbers in the place of
symbols: how their shafts turn together, what is lost, what turns with them, the laws of machines
(``components/drive/base``); so a part of one's own is in it. One throttle for all machines, motors before brakes. A
gear is the highest one whose speed is between those of shifting up into it and down from it, and that has the force. A
clutch that slips in a launch holds the engine at the middle of the speeds at which it closes; a converter is taken at
the speed ratio that carries the torque.
Engines that idle burn their ``idle_flow``, or what their maps say: nothing. [Guzzella2013] chapter 2. Not in it:
transients, transfer of load, tires beyond their linear slip, elastic shafts, locks, limits of the battery.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.components.basics import combine
from jounce.components.drive.base import Yielding
from jounce.components.drive.control import Control
from jounce.components.drive.driveline import Member
from jounce.components.drive.machine import Machine
from jounce.components.driver.longitudinal import LEAST, Longitudinal
from jounce.components.part import attribute, table_of
from jounce.components.places import VehiclePlace
from jounce.core.constants import GRAVITY
from jounce.core.curves import Curve
from jounce.core.errors import ParameterError
from jounce.core.fields import Data
from jounce.sim.car import tires_of
from jounce.sim.charge import Balance, balance, is_hybrid, sustained
from jounce.vehicle.assembly import bodies
from jounce.vehicle.layout import drive_shares
from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]
Rows = dict[str, tuple[Array, str]]

LONGEST = 1.0  # s, of an interval
SMALL = 0.005  # slip for the slip stiffness
KWH = 3.6e6  # J
CUTS, LOOKS = 8, 4  # of a pedal that is searched for: it is known to 2.4e-4, and linear in between
KEPT = 4  # rows of points for which a curve is known
ROUNDS = 2  # of charge and what control units make of it
BRAKING = -1  # beside the pasts 0 and 1 of control units
ALWAYS = {"neutral": 0.0}  # what nobody asks for in a cycle


@dataclass
class Way:
    """From a shaft to the wheels: speed over that of the wheels and efficiency by gear."""

    ratio: Array
    efficiency: Array


class Numbers:
    """The numbers of a part where a model has symbols of them; curves are functions of arrays."""

    def __init__(self, data: Data, place: VehiclePlace) -> None:
        self._data, self._place = data, place

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = self.__dict__[name] = self._bound(name)
        return value

    def _bound(self, name: str) -> Any:
        value = attribute(self._data, name, self._place).value
        if isinstance(value, Data):
            return Numbers(value, self._place)
        return _function(value, self._place) if isinstance(value, Curve) else value

    @property
    def own_name(self) -> str:
        return ""


def _function(curve: Curve, place: VehiclePlace) -> Callable[..., Any]:
    if curve.constant is not None:
        value, rate = curve.constant, curve.units.constant == "rate"
        return lambda *x: value * x[0] if rate else value + 0.0 * x[0]
    table = table_of(curve, "curve", False, place.settings)
    kept: list[tuple[Array, Any]] = []  # speeds of machines stay while pedals are searched

    def evaluated(*x: Any) -> Any:
        points = [np.asarray(v, float) for v in x[: curve.n_axes]]
        if points[0].ndim != 1:
            return np.asarray(table(*np.broadcast_arrays(*points)))
        found: Any = next((known for first, known in kept if np.array_equal(first, points[0])), None)
        if found is None:
            found = table(points[0]) if curve.n_axes == 1 else table.held(points[0])
            kept.insert(0, (points[0].copy(), found))
            del kept[KEPT:]
        return found.copy() if curve.n_axes == 1 else found(*points[1:])

    return evaluated


class Known:
    """A part with numbers: what its laws ask of a station in a model (``drive.base.Station``)."""

    def __init__(self, member: Member, place: VehiclePlace, signals: dict[str, Any]) -> None:
        self.part: Any = member.part
        self.name, self.shafts, self.place, self.signals = member.name, member.shafts, place, signals
        self.group, self.p = f"Driveline.{member.name}", Numbers(member.part, place)
        self.kept: dict[str, Any] = {}
        self.model = self  # inputs of a run are not there, groups inside a part have numbers as well

    def read(self, signal: str) -> Any:
        if signal not in self.signals:
            raise self.refused(f"asks for {signal}")
        return self.signals[signal]

    def read_or(self, signal: str, otherwise: Any) -> Any:
        return self.signals.get(signal, otherwise)

    def outside(self, *_: Any, **__: Any) -> None:
        return None

    def bound(self, data: Data, place: Any, prefix: str) -> Numbers:
        return Numbers(data, self.place)

    @property
    def scope(self) -> Any:
        raise self.refused("has states in its law")

    def refused(self, why: str) -> ParameterError:
        kind = getattr(self.part, "kind", "part")
        return ParameterError(f"quasi-static: {self.name} ({kind}) {why}, which only a run has; try mode: dynamic")


class Chain:
    """The driveline of a vehicle in numbers: what its parts declare."""

    def __init__(self, vehicle: Vehicle, v: Array) -> None:
        place = vehicle.layout
        assert vehicle.driveline is not None
        self.battery = vehicle.driveline.battery
        self.signals: dict[str, Any] = {**ALWAYS, "driveline.vehicle_speed": v}
        arranged = [m for m in vehicle.driveline.arranged(place) if m.shafts]  # control units turn nothing
        self.members = [Known(m, place, self.signals) for m in arranged]
        for member in self.members:
            if not getattr(member.part, "active", True):
                raise member.refused("is not active: nobody says what stands in its place")
        units = [
            Known(m, place, self.signals) for m in vehicle.driveline.arranged(place) if isinstance(m.part, Control)
        ]
        self.units = [unit for unit in units if any(name.endswith("_pedal") for name in unit.part.says)]
        for unit in self.units:
            unit.kept |= {**dict.fromkeys(unit.part.says, 0.0), "started": 0.0, "block": SimpleNamespace(period=0.0)}
        self.hubs = set(place.wheels)
        self.machines = [m for m in self.members if isinstance(m.part, Machine)]
        self.box = next((m for m in self.members if m.part.changes), None)
        self.gears = np.array([1.0]) if self.box is None else np.asarray(self.box.part.ratios.x, float)
        self.before = None if self.box is None else next(
            (m for m in self.members if isinstance(m.part, Yielding) and m.shafts[-1] == self.box.shafts[0]), None
        )  # fmt: skip
        self._ways: dict[str, Way] = {}

    def way(self, shaft: str) -> Way:
        """(1): from a shaft down to the wheels, by gear."""
        if shaft not in self._ways:
            self._ways[shaft] = self._way(shaft)
        return self._ways[shaft]

    def _way(self, shaft: str) -> Way:
        ones = np.ones(len(self.gears))
        if shaft in self.hubs:
            return Way(ones, ones)
        for member in self.members:
            found = member.part.geared(member.p, self.gears) if member.shafts[0] == shaft else None
            if found is None:
                continue
            speed, power = 0.0 * ones, 0.0 * ones  # of all shafts beyond, with wheels that turn alike
            for term, other in zip(found.terms[1:], member.shafts[1:], strict=True):
                beyond = self.way(other)
                part = -term / found.terms[0] * beyond.ratio
                speed, power = speed + part, power + part * beyond.efficiency
            return Way(speed, (1.0 if found.efficiency is None else found.efficiency) * power / speed)
        raise ParameterError(f"quasi-static: the shaft {shaft!r} leads to no wheel")

    def inertia(self, coupled: bool = True) -> Array:
        """Σ J i² by gear; without what is before an open clutch or converter unless ``coupled``."""
        total = np.zeros(len(self.gears))
        loose = None if coupled or self.before is None else self.before.shafts[0]
        for member in self.members:
            for shaft, inertia in zip(member.shafts, member.part.inertias(member.p, self.gears), strict=False):
                if inertia is not None and shaft != loose:
                    total = total + inertia * self.way(shaft).ratio ** 2
        return total


class Road:
    """Resistances of a vehicle at given speeds (1)."""

    def __init__(self, vehicle: Vehicle, v: Array, grade: float) -> None:
        place, tires, loads = vehicle.layout, tires_of(vehicle), static_loads(vehicle)
        self.climb = vehicle.mass() * GRAVITY * grade / float(np.hypot(1.0, grade))
        grid = np.linspace(1.0, max(float(v.max(initial=2.0)), 2.0), 9)
        rolling, stiffness, self.radii = np.zeros(len(grid)), {}, {}
        for name, wheel in place.tires.items():
            tire = tires[name]
            load = loads[wheel.name] / sum(1 for other in place.tires.values() if other is wheel)
            radius = float(tire.model.effective_radius(tire.values, tire.deflection(load)))
            self.radii[name] = radius
            for k, at in enumerate(grid):
                rolling[k] -= float(tire.steady(load, vx=at, spin=at / radius).my) / radius
            more, less = (float(tire.steady(load, kappa).fx) for kappa in (SMALL, -SMALL))
            stiffness[name] = max((more - less) / (2 * SMALL), 1.0)
        self.rolling = np.interp(v, grid, rolling)
        self.radius = float(np.mean(list(self.radii.values())))
        self.drag = sum((self._drag(unit, v) for unit in place.units), np.zeros(len(v)))
        turning = sum(w.axle.data.wheels_on(w.side).hub_spin_inertia for w in place.wheels.values())
        self.mass = vehicle.mass() + turning / self.radius**2
        driven = driven_wheels(vehicle)
        self._stiffness = sum(stiffness[n] for n, w in place.tires.items() if w.name in driven) or np.inf

    def _drag(self, unit: Any, v: Array) -> Array:
        aero = unit.data.aero
        if aero is None:
            return np.zeros(len(v))
        front, rear = (
            float((w.centre[2] if sensor is None else sensor.z) - w.centre[2] + self.radii[w.name])
            for w, sensor in (
                (unit.axles[0].wheels[0], aero.front_sensor),
                (unit.axles[-1].wheels[0], aero.rear_sensor),
            )
        )
        drag: Array
        if aero.ride_heights is None:
            drag = aero.still_drag(unit, v, (front, rear))
        else:
            at = [aero.ride_heights.at_speed(float(speed), (front, rear)) for speed in v]
            drag = np.array([aero.still_drag(unit, v[i : i + 1], here)[0] for i, here in enumerate(at)])
        return drag

    def slip(self, force: Any) -> Any:
        """κ (2)."""
        return force / self._stiffness


def static_loads(vehicle: Vehicle) -> dict[str, float]:
    """Loads of all wheels at rest on the level: along the car linear in x, both wheels of an axle alike."""
    place = vehicle.layout
    mass, centre, _ = combine([body.properties for body in bodies(place)])
    x = np.array([axle.x for axle in place.axles])
    off = x - x.mean()
    square = float((off**2).sum())
    share = np.full(len(x), 1 / len(x)) + (off * (float(centre[0]) - x.mean()) / square if square else 0.0)
    return {
        wheel.name: float(mass * GRAVITY * part / len(axle.wheels))
        for axle, part in zip(place.axles, share, strict=True)
        for wheel in axle.wheels
    }


def driven_wheels(vehicle: Vehicle) -> set[str]:
    """Wheels that a drive can push."""
    return {name for name, share in drive_shares(vehicle).items() if share > 0}


class Ledger:
    """Energies that grow over time."""

    def __init__(self, time: Array) -> None:
        self.dt = np.diff(time)
        self.rows: Rows = {"time": (time, "s")}

    def add(self, name: str, power: Array, unit: str = "J") -> float:
        """A row that grows with a power; returns its end."""
        grown = np.concatenate([[0.0], np.cumsum(power * self.dt)])
        self.rows[name] = (grown, unit)
        return float(grown[-1])


def quasi_static(
    vehicle: Vehicle, time: Array, speed: Array, grade: float = 0.0, sustains: bool = True
) -> tuple[dict[str, Any], Rows]:
    """A cycle backwards: sums (consumption with its unit, work of the sources, warnings) and rows over time.

    ``sustains``: a hybrid begins with the charge at which it ends (``charge``), otherwise with that of the vehicle.
    """
    count = max(1, int(np.ceil(np.diff(time).max() / LONGEST)))
    if count > 1:
        fine = np.interp(np.arange((len(time) - 1) * count + 1) / count, np.arange(len(time)), time)
        time, speed = fine, np.interp(fine, time, speed)
    v, a = 0.5 * (speed[1:] + speed[:-1]), np.diff(speed) / np.diff(time)
    road, ledger = Road(vehicle, v, grade), Ledger(time)
    moving = v > 1e-3
    rolling = np.where(moving, road.rolling, 0.0)
    resistance = road.drag + rolling + np.where(moving, road.climb, 0.0)
    found: dict[str, Any] = {"consumption": float("nan"), "unit": "l/100km"}
    warnings = []
    if vehicle.driveline is None:
        wanted = road.mass * a + resistance
        drive = np.clip(wanted, 0.0, vehicle.drive.max_torque / road.radius)
        source = drive * v * (1 + road.slip(drive))
        lacks = wanted > drive * (1 + 1e-9) + 1e-6
        kinetic = 0.0 * v
    else:
        chain = Chain(vehicle, v)
        backward = Backward(chain, road, v, a, resistance, moving)
        if is_hybrid(vehicle):
            held, times = hybrid(vehicle, backward, ledger.dt, sustains)
            found |= {"charge": asdict(held), "repetitions": times}
        else:
            backward.solve()
        drive, source, lacks, wanted = backward.drive, backward.source, backward.lacks, backward.wanted
        kinetic = backward.inertia * a * v
        if backward.volume is not None:
            litres = 1000 * ledger.add("fuel_consumption.overall", backward.volume, "m3")
            found |= {"consumption": litres / max(float((v * ledger.dt).sum()), 1e-9) * 1e5}
        if backward.electric is not None:
            ledger.add("Energy.regenerated", np.maximum(-backward.electric, 0.0))
            ledger.add("Energy.auxiliary", backward.auxiliary + 0.0 * v)
            ledger.rows["Battery.power"] = (np.concatenate([[0.0], backward.electric]), "W")
        for name, power in backward.lost.items():
            ledger.add(f"Energy.lost.{name}", power)
    work = ledger.add("Energy.sources", source)
    ledger.add("Energy.turned_over", np.abs(source))
    ledger.add("Energy.hubs", drive * v * (1 + road.slip(drive)) - kinetic)
    ledger.add("Energy.drag", road.drag * v)
    ledger.add("Energy.rolling", rolling * v)
    ledger.add("Energy.slip", drive * road.slip(drive) * v)
    ledger.add("Energy.brakes", np.maximum(drive - wanted, 0.0) * v)
    ledger.add("Energy.kinetic", kinetic + 0.0 * v)
    ledger.add("Energy.stored", 0.0 * v)
    for name in ("driver.target_speed", "chassis_velocities.longitudinal"):
        ledger.rows[name] = (speed, "m/s")
    if "Battery.power" in ledger.rows and "fuel_consumption.overall" not in ledger.rows:
        found = {"consumption": work / KWH / max(float((v * ledger.dt).sum()), 1e-9) * 1e5, "unit": "kWh/100km"}
    if lacks.any():
        warnings.append(
            f"quasi-static: the drive lacks the force for {float(ledger.dt[lacks].sum()):.0f} s of the cycle"
        )
    return {**found, "source": work, "warnings": warnings}, ledger.rows


def hybrid(vehicle: Vehicle, backward: Backward, dt: Array, sustains: bool) -> tuple[Balance, int]:
    """Solve for a vehicle whose control units ask for the charge, which follows from what they do."""
    battery = backward.chain.battery
    assert battery is not None
    p = Numbers(battery, vehicle.layout)

    def trial(begin: float) -> Balance:
        charge = np.full(len(dt), begin)
        for _ in range(ROUNDS):
            backward.chain.signals["battery.charge"] = charge
            backward.solve()
            drawn = (1 - charge) * p.capacity
            power = 0.0 * dt if backward.electric is None else backward.electric
            extra = p.exponential_voltage * np.exp(-p.exponential_capacity * drawn)
            at_rest = battery.open_voltage(p, drawn, power / p.voltage(charge), extra)
            flow = battery.current(p, at_rest, power) * dt / p.capacity
            charge = np.clip(begin - np.cumsum(flow) + 0.5 * flow, 0.0, 1.0)
        volume = 0.0 if backward.volume is None else float((backward.volume * dt).sum())
        return balance(vehicle, begin, float(begin - flow.sum()), volume)

    if not sustains:
        return trial(battery.state_of_charge), 1
    found, times = sustained(trial, battery.state_of_charge)
    return (found, times) if found.met else (trial(found.begin), times)


def searched(f: Callable[[Array], Array], value: Array) -> Array:
    """x from 0 to 1 with f(x) = value, f growing, of every element; the ends where it has no such x.

    Each look divides what is left by `CUTS`, of all elements at once: rows of many points cost little more than one.
    """
    ends = np.stack([np.full(value.shape, LEAST), np.ones(value.shape)])
    at = f(ends)
    first, last = at[0], at[1]
    shares = np.linspace(0.0, 1.0, CUTS + 1).reshape(-1, *(1,) * value.ndim)
    for _ in range(LOOKS):
        x = ends[0] + shares * (ends[1] - ends[0])
        there = np.concatenate([at[:1], f(x[1:-1]), at[1:]])
        reached = there[1:] >= value
        cell = np.where(reached.any(axis=0), np.argmax(reached, axis=0), CUTS - 1)
        both = np.stack([cell, cell + 1])
        ends, at = np.take_along_axis(x, both, 0), np.take_along_axis(there, both, 0)
    part = np.clip((value - at[0]) / np.maximum(at[1] - at[0], 1e-9), 0.0, 1.0)
    found = ends[0] + (ends[1] - ends[0]) * part
    return np.where(value <= first, 0.0, np.where(value >= last, 1.0, found))


@dataclass
class Found:
    """A pedal and the force that it gives."""

    pedal: Array
    force: Array


class Backward:
    """From forces at the wheels to machines, battery and fuel (2)."""

    def __init__(
        self, chain: Chain, road: Road, v: Array, a: Array, resistance: Array, moving: npt.NDArray[np.bool_]
    ) -> None:
        self.chain, self.road, self.v, self.moving = chain, road, v, moving
        self._known: dict[int, Found] = {}
        self.ways = [chain.way(m.shafts[0]) for m in chain.machines]
        by_gear = chain.inertia() / road.radius**2
        wanted = (road.mass + by_gear[:, None]) * a + resistance  # by gear and time
        chain.signals["battery.charge"] = 0.5 + 0.0 * v
        gear = self._place = self._gears(wanted, moving)
        at = np.arange(len(v))
        self.gear, self.inertia, self.wanted = chain.gears[gear], by_gear[gear], np.where(moving, wanted[gear, at], 0.0)
        self.speeds = self._speeds(gear, moving)

    def solve(self) -> None:
        """Pedals that give the force, and what follows from them."""
        gear, moving = self._place, self.moving
        full, up = self._force(gear, 1.0, 0.0), self._force(gear, LEAST, 0.0)
        hard = self._force(gear, 0.0, 1.0) if self._brakes else up
        drives = (self.wanted >= up) & moving
        u, b = self._throttle(), np.zeros(len(self.v))
        slows = moving & ~drives
        if self._brakes and slows.any():
            b = self._braking(slows)
        u = np.where(drives, u, 0.0)
        self.lacks = self.wanted > full + 1e-6 * np.abs(full) + 1e-6
        self.drive = np.where(moving, np.clip(self.wanted, np.minimum(hard, full), full), 0.0)
        self._account(gear, u, b)

    def _throttle(self) -> Array:
        """That gives the force; with units that have a past, the one of the past that they come to have."""
        flagged = [m for m in self.chain.units if m.part.flag]
        if not flagged:
            return self._driving(0)
        unit = flagged[0]
        pedals: list[Array] = []
        nexts: list[npt.NDArray[np.bool_]] = []
        for past in (0, 1):
            unit.kept[unit.part.flag] = float(past) + 0.0 * self.v
            pedals.append(self._driving(past))
            self._say(pedals[-1])
            nexts.append(self.chain.signals[f"driveline.{unit.part.flag}"] > 0.5)
        last = np.zeros(len(self.v), dtype=bool)
        now = False
        for k in range(len(last)):
            last[k] = now
            now = bool(nexts[1][k] if now else nexts[0][k])
        unit.kept[unit.part.flag] = np.where(last, 1.0, 0.0)
        return np.where(last, pedals[1], pedals[0])

    def _driving(self, past: int) -> Array:
        """Throttle that gives the force with units of one past.

        What was found before, in this past or in the other one, still holds where it still gives the force: between two
        rounds of charge little changes.
        """
        known = self._known.get(past) or self._known.get(0)
        asked = self.moving & (self.wanted > self._force(self._place, LEAST, 0.0))
        return self._held(past, known, asked, lambda x: self._force(self._place, x, 0.0), self.wanted)

    def _braking(self, slows: npt.NDArray[np.bool_]) -> Array:
        """Brake pedal that gives the force where the car slows, likewise."""
        known = self._known.get(BRAKING)
        return self._held(BRAKING, known, slows, lambda x: -self._force(self._place, 0.0, x), -self.wanted)

    def _held(
        self,
        key: int,
        known: Found | None,
        asked: npt.NDArray[np.bool_],
        force: Callable[[Array], Array],
        wanted: Array,
    ) -> Array:
        """A pedal where it is asked for: the known one that still gives its force, or one that is searched for."""
        pedal, given = np.zeros(len(self.v)), np.zeros(len(self.v))
        if known is not None:
            holds = asked & (known.pedal > 0)
            holds &= force(known.pedal) == known.force
            pedal[holds], given[holds] = known.pedal[holds], known.force[holds]
            asked = asked & ~holds
        if asked.any():
            with self._only(asked):
                pedal[asked] = searched(force, wanted[asked])
                given[asked] = force(pedal[asked])
        self._known[key] = Found(pedal, given)
        return pedal

    @contextlib.contextmanager
    def _only(self, rows: npt.NDArray[np.bool_]) -> Iterator[None]:
        """Some intervals alone, for what is searched for in them."""
        count, whole = len(self.v), (self.v, self.wanted, self.speeds, self._place)
        stores = [self.chain.signals, *(unit.kept for unit in self.chain.units)]
        before = [dict(store) for store in stores]
        self.v, self.wanted, self._place = self.v[rows], self.wanted[rows], self._place[rows]
        self.speeds = [speed[rows] for speed in self.speeds]
        for store in stores:
            store.update({k: x[rows] for k, x in store.items() if isinstance(x, np.ndarray) and x.shape == (count,)})
        try:
            yield
        finally:
            self.v, self.wanted, self.speeds, self._place = whole
            for store, known in zip(stores, before, strict=True):
                store.clear()
                store.update(known)

    def _say(self, throttle: Any) -> None:
        """Let the control units share a pedal."""
        self.chain.signals["throttle"] = throttle + 0.0 * self.v
        for unit in self.chain.units:
            for name, (_, without_past) in unit.part.law(unit).items():
                self.chain.signals[f"driveline.{name}"] = without_past + 0.0 * self.v

    @property
    def _brakes(self) -> bool:
        return any(getattr(m.part, "braking_map", None) is not None for m in self.chain.machines)

    def _gears(self, wanted: Array, moving: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        """The highest gear that turns fast enough and has the force."""
        chain, n = self.chain, len(self.chain.gears)
        if n == 1 or chain.box is None:
            return np.zeros(len(self.v), dtype=np.intp)
        shaft = chain.way(chain.box.shafts[0]).ratio[:, None] * self.v / self.road.radius
        driver = Longitudinal()
        said = chain.box.part.shift_speeds(chain.box.p, chain.gears)
        up, down = said or (np.full(n, driver.upshift_speed), np.full(n, driver.downshift_speed))
        ratios = np.asarray(chain.box.part.ratios.y, float)
        least = np.zeros(n)
        least[1:] = 0.5 * (down[1:] + np.maximum(up[:-1] * ratios[1:] / ratios[:-1], down[1:]))
        strong = np.stack([self._force(np.full(len(self.v), g, dtype=np.intp), 1.0, 0.0, raw=True) for g in range(n)])
        able = (shaft >= least[:, None]) & (strong >= wanted)
        able[0] |= ~able.any(axis=0) & ((strong[0] >= strong.max(axis=0)) | ~moving)
        best = np.where(able.any(axis=0), n - 1 - np.argmax(able[::-1], axis=0), np.argmax(strong, axis=0))
        return np.asarray(best, dtype=np.intp)

    def _speeds(self, gear: npt.NDArray[np.intp], moving: npt.NDArray[np.bool_]) -> list[Array]:
        """Of all machines, those before a clutch or converter as it slips."""
        wheel = self.v * (1 + self.road.slip(np.maximum(self.wanted, 0.0))) / self.road.radius
        result = []
        for member, way in zip(self.chain.machines, self.ways, strict=True):
            shaft = way.ratio[gear] * wheel
            before = self._behind(member)
            if before is not None:
                torque = self.wanted * self.road.radius / np.maximum(way.ratio[gear] * way.efficiency[gear], 1e-9)
                ratio = before.part.slipping(before, shaft, torque, self.chain.gears[gear])
                shaft = np.where(moving, np.maximum(shaft, 1.0) * ratio, member.part.idling(member))
            result.append(member.p.ratio * shaft)
        return result

    def _behind(self, member: Known) -> Known | None:
        """The clutch or converter behind a machine."""
        before = self.chain.before
        return before if before is not None and member.shafts[0] == before.shafts[0] else None

    def _force(self, gear: npt.NDArray[np.intp], throttle: Any, brake: Any, raw: bool = False) -> Array:
        """At the wheels; ``raw``: machines at the speeds of closed clutches."""
        total = np.zeros(1)
        self.chain.signals["driveline.gear"] = self.chain.gears[gear]
        self._say(throttle)
        for k, (member, way) in enumerate(zip(self.chain.machines, self.ways, strict=True)):
            ratio, eta = member.p.ratio * way.ratio[gear], way.efficiency[gear]
            speed = ratio * self.v / self.road.radius if raw else self.speeds[k]
            torque = self._torque(member, speed, throttle, brake)[1]
            total = total + torque * ratio / self.road.radius * np.where(torque > 0, eta, 1 / eta)
        return total + 0.0 * self.v

    def _torque(self, member: Known, speed: Array, throttle: Any, brake: Any) -> tuple[Array, Array]:
        """Of a machine by its own law, and what of it comes to its shaft."""
        signals = self.chain.signals
        pedal = np.clip(signals.get(f"driveline.{member.part.pedal}_pedal", throttle + 0.0 * speed), 0.0, 1.0)
        torque = member.part.law(member, speed, pedal, brake)
        if self._behind(member) is not None:
            torque = torque * signals.get("driveline.coupled", 1.0)
        return torque, member.part.delivered(member, torque, speed)

    def _account(self, gear: npt.NDArray[np.intp], u: Array, b: Array) -> None:
        """Powers of sources and losses."""
        self.lost: dict[str, Array] = {}
        self.volume: Array | None = None
        self.electric: Array | None = None
        self.source = np.zeros(len(self.v))
        lost = np.zeros(len(self.v))
        wheel = self.v * (1 + self.road.slip(self.drive)) / self.road.radius
        moving = self.moving
        self._say(u)
        for k, member in enumerate(self.chain.machines):
            part, speed, way, before = member.part, self.speeds[k], self.ways[k], self._behind(member)
            standing = 0.0 if before is None else before.part.held(before, speed)
            torque, shaft = (np.where(moving, x, standing) for x in self._torque(member, speed, u, b))
            eta = np.where(shaft > 0, way.efficiency[gear], 1 / way.efficiency[gear])
            passed = shaft * member.p.ratio * way.ratio[gear] * eta * wheel
            lost = lost + shaft * speed - np.where(moving, passed, 0.0)
            electric = part.electric(member, torque, speed)
            given = torque * speed if electric is None else electric
            self.lost[member.name] = given - shaft * speed
            volume = part.burnt(member, torque, speed)
            if electric is None:
                self.source = self.source + given
            else:
                self.electric = electric if self.electric is None else self.electric + electric
            if volume is not None:
                self.volume = volume if self.volume is None else self.volume + volume
        self.auxiliary = 0.0 if self.chain.battery is None else self.chain.battery.auxiliary_power
        if self.electric is not None:
            self.electric = self.electric + self.auxiliary
            self.source = self.source + self.electric
        self.lost["driveline"] = lost
