"""A drive cycle computed backwards: from the speed over the force at the wheels to machine, battery and fuel.

Over every interval of the trace, with its mean speed v and its acceleration a,

    F = (m + Σ J g²) a + ½ρ c_x A v² + Σ f_r F_z + m g s,    g = i/r                                                (1)
    slip  κ = F/Σ C_κ  of the driven wheels,    n = g v (1 + κ),    F_drive(u or b, n) = F                          (2)

The numbers are those of the vehicle: drag and loads at design height, rolling resistance and slip stiffness of its
tires at their static loads, ratios, efficiencies and inertias of all parts between machines and wheels, maps of
machines; one throttle for all machines, motors before brakes. A gear is the highest one whose speed is between those
of shifting up into it and down from it, and that has the force. A clutch that slips in a launch holds the engine at
the middle of the speeds at which it closes; a converter is taken at the speed ratio that carries the torque. Idle
engines, which give no power, burn what their maps say: nothing. [Guzzella2013] chapter 2. Not in it: transients,
transfer of load, tires beyond their linear slip, elastic shafts, locks, limits of the battery.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.components.drive.differential import OpenDifferential
from jounce.components.drive.driveline import Member
from jounce.components.drive.gear import Gear
from jounce.components.drive.gearbox import Gearbox
from jounce.components.drive.machine import Machine
from jounce.components.driver.longitudinal import HALVINGS, Longitudinal
from jounce.components.part import table_of
from jounce.core.constants import GRAVITY
from jounce.core.curves import Curve
from jounce.core.errors import ParameterError
from jounce.sim.car import tires_of
from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]
Rows = dict[str, tuple[Array, str]]

LONGEST = 1.0  # s, of an interval
SMALL = 0.005  # slip for the slip stiffness
KWH = 3.6e6  # J
RATIOS = np.linspace(0.02, 0.98, 60)  # speed ratios of a converter that are looked at


@dataclass
class Way:
    """From a shaft to the wheels: speed over that of the wheels and efficiency by gear."""

    ratio: Array
    efficiency: Array


class Values:
    """Curves of a vehicle as functions of arrays."""

    def __init__(self, settings: Any) -> None:
        self.settings = settings
        self._tables: dict[int, Any] = {}

    def __call__(self, curve: Curve, *x: Any) -> Any:
        if curve.constant is not None:
            return curve.constant * x[0] if curve.units.constant == "rate" else curve.constant + 0.0 * x[0]
        if id(curve) not in self._tables:
            self._tables[id(curve)] = table_of(curve, "curve", False, self.settings)
        used = np.broadcast_arrays(*(np.asarray(v, float) for v in x[: curve.n_axes]))
        return np.asarray(self._tables[id(curve)](*used))


class Chain:
    """The driveline of a vehicle in numbers."""

    def __init__(self, vehicle: Vehicle, radius: float) -> None:
        self.vehicle, self.radius = vehicle, radius
        place = vehicle.layout
        self.of = Values(place.settings)
        assert vehicle.driveline is not None
        self.members = [m for m in vehicle.driveline.arranged(place) if m.shafts]  # control units turn nothing
        self.hubs = set(place.wheels)
        self.machines = [m for m in self.members if isinstance(m.part, Machine)]
        self.box = next((m for m in self.members if isinstance(m.part, Gearbox)), None)
        part: Any = None if self.box is None else self.box.part
        self.gears = np.array([1.0]) if part is None else np.asarray(part.ratios.x, float)
        self.before = None if self.box is None else next(
            (m for m in self.members if hasattr(m.part, "seamless") and m.shafts[-1] == self.box.shafts[0]), None
        )  # fmt: skip
        unknown = [m for m in self.machines if not hasattr(m.part, "max_torque") and not hasattr(m.part, "torque_map")]
        if unknown:
            kind = getattr(unknown[0].part, "kind", "part")
            raise ParameterError(f"quasi-static: {unknown[0].name} ({kind}) says no torque by map or largest torque")

    def way(self, shaft: str) -> Way:
        """(1): from a shaft down to the wheels."""
        if shaft in self.hubs:
            return Way(np.ones(len(self.gears)), np.ones(len(self.gears)))
        member = next((m for m in self.members if m.shafts[0] == shaft and not isinstance(m.part, Machine)), None)
        if member is None:
            raise ParameterError(f"quasi-static: the shaft {shaft!r} leads to no wheel")
        beyond = self.way(member.shafts[1])
        ratio, eta = self.step(member)
        return Way(beyond.ratio * ratio, beyond.efficiency * eta)

    def step(self, member: Member) -> tuple[Any, Any]:
        """Ratio and efficiency of one part."""
        part: Any = member.part
        if isinstance(part, Gearbox):
            return np.asarray(part.ratios.y, float), self.of(part.efficiency, self.gears)
        if isinstance(part, OpenDifferential | Gear):
            return part.ratio, part.efficiency
        return 1.0, getattr(part, "efficiency", 1.0)

    def inertia(self, coupled: bool = True) -> Array:
        """Σ J i² by gear; without what is before an open clutch or converter unless ``coupled``."""
        total = np.zeros(len(self.gears))
        for member in self.members:
            part: Any = member.part
            loose = not coupled and self.before is not None and member.shafts[0] == self.before.shafts[0]
            if isinstance(part, Machine):
                if loose:
                    continue
                total = total + part.inertia * part.ratio**2 * self.way(member.shafts[0]).ratio ** 2
                continue
            ends = {"impeller_inertia": 0, "turbine_inertia": 1}
            for name, end in ends.items():
                total = total + getattr(part, name, 0.0) * self.way(member.shafts[end]).ratio ** 2
            if isinstance(part, Gearbox):
                total = total + self.of(part.inertia, self.gears) * self.way(member.shafts[1]).ratio ** 2
            elif isinstance(part, OpenDifferential):
                total = total + part.inertia * self.way(member.shafts[0]).ratio ** 2
            elif hasattr(part, "inertia"):
                total = total + part.inertia * self.way(member.shafts[1]).ratio ** 2
        return total

    def torque(self, member: Member, speed: Any, throttle: Any, brake: Any) -> Any:
        """Of a machine, by its own law."""
        part: Any = member.part
        if hasattr(part, "max_torque"):
            full = np.minimum(part.max_torque, part.max_power / np.maximum(speed, 1.0))
            return part.torque_scale * (part.min_torque + throttle * (full - part.min_torque))
        brakes = hasattr(part, "braking_map") and bool(np.any(brake > 0))
        drives = 0.0 * speed if brakes and np.all(brake > 0) else self.of(part.torque_map, speed, throttle)
        if not brakes:
            return part.torque_scale * drives
        braking = 0.0 * speed
        if part.braking_map is not None:
            full = np.abs(self.of(part.braking_map, speed, brake))
            share = part.regeneration if part.regeneration_map is None else self.of(part.regeneration_map, speed, full)
            braking = -share * full
        return part.torque_scale * np.where(brake > 0, braking, drives)


def solved(f: Callable[[Array], Array], value: Array) -> Array:
    """x in 0 … 1 with f(x) = value, f growing; the ends where it has none."""
    low, high = np.full(len(value), 1e-6), np.ones(len(value))
    for _ in range(HALVINGS + 6):
        middle = 0.5 * (low + high)
        smaller = f(middle) < value
        low, high = np.where(smaller, middle, low), np.where(smaller, high, middle)
    return 0.5 * (low + high)


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
    parts = [(m, c) for unit in place.units for m, c, _ in unit.data.body.sprung()]
    parts += [(w.axle.data.wheels_on(w.side).unsprung_mass, w.centre) for w in place.wheels.values()]
    mass = sum(m for m, _ in parts)
    centre = sum(m * float(c[0]) for m, c in parts) / mass
    x = np.array([axle.x for axle in place.axles])
    off = x - x.mean()
    square = float((off**2).sum())
    share = np.full(len(x), 1 / len(x)) + (off * (centre - x.mean()) / square if square else 0.0)
    return {
        wheel.name: float(mass * GRAVITY * part / len(axle.wheels))
        for axle, part in zip(place.axles, share, strict=True)
        for wheel in axle.wheels
    }


def driven_wheels(vehicle: Vehicle) -> set[str]:
    """Wheels that a drive can push."""
    place = vehicle.layout
    if vehicle.driveline is None:
        return {w.name for w in place.wheels.values() if w.axle.data.drive_share(w.side) > 0}
    return {name for member in vehicle.driveline.arranged(place) for name in member.shafts if name in place.wheels}


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


def quasi_static(vehicle: Vehicle, time: Array, speed: Array, grade: float = 0.0) -> tuple[dict[str, Any], Rows]:
    """A cycle backwards: sums (consumption with its unit, work of the sources, warnings) and rows over time."""
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
    if vehicle.driveline is None:
        wanted = road.mass * a + resistance
        drive = np.clip(wanted, 0.0, vehicle.drive.max_torque / road.radius)
        source = drive * v * (1 + road.slip(drive))
        lacks = wanted > drive * (1 + 1e-9) + 1e-6
        kinetic = 0.0 * v
    else:
        chain = Chain(vehicle, road.radius)
        backward = Backward(chain, road, v, a, resistance, moving)
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
    warnings = []
    if lacks.any():
        warnings.append(
            f"quasi-static: the drive lacks the force for {float(ledger.dt[lacks].sum()):.0f} s of the cycle"
        )
    return {**found, "source": work, "warnings": warnings}, ledger.rows


class Backward:
    """From forces at the wheels to machines, battery and fuel (2)."""

    def __init__(
        self, chain: Chain, road: Road, v: Array, a: Array, resistance: Array, moving: npt.NDArray[np.bool_]
    ) -> None:
        self.chain, self.road, self.v = chain, road, v
        self.ways = [chain.way(m.shafts[0]) for m in chain.machines]
        by_gear = chain.inertia() / road.radius**2
        wanted = (road.mass + by_gear[:, None]) * a + resistance  # by gear and time
        gear = self._gears(wanted, moving)
        at = np.arange(len(v))
        self.gear, self.inertia, self.wanted = chain.gears[gear], by_gear[gear], np.where(moving, wanted[gear, at], 0.0)
        self.speeds, self.slipping = self._speeds(gear, moving)
        full, up = self._force(gear, 1.0, 0.0), self._force(gear, 1e-6, 0.0)
        hard = self._force(gear, 0.0, 1.0) if self._brakes else up
        drives = (self.wanted >= up) & moving
        u = solved(lambda x: self._force(gear, x, 0.0 * x), self.wanted)
        b = solved(lambda x: -self._force(gear, 0.0 * x, x), -self.wanted) if self._brakes else 0.0 * v
        u, b = np.where(drives, u, 0.0), np.where(drives | ~moving, 0.0, b)
        self.lacks = self.wanted > full + 1e-6 * np.abs(full) + 1e-6
        self.drive = np.where(moving, np.clip(self.wanted, np.minimum(hard, full), full), 0.0)
        self._account(gear, u, b)

    @property
    def _brakes(self) -> bool:
        return any(getattr(m.part, "braking_map", None) is not None for m in self.chain.machines)

    def _gears(self, wanted: Array, moving: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        """The highest gear that turns fast enough and has the force."""
        chain, n = self.chain, len(self.chain.gears)
        if n == 1 or chain.box is None:
            return np.zeros(len(self.v), dtype=np.intp)
        part: Any = chain.box.part
        way = chain.way(chain.box.shafts[0])
        shaft = way.ratio[:, None] * self.v / self.road.radius
        driver = Longitudinal()
        up, down = np.full(n, driver.upshift_speed), np.full(n, driver.downshift_speed)
        if hasattr(part, "comfort"):
            up, down = (np.array([float(chain.of(c, g, 0.2)) for g in chain.gears])
                        for c in (part.comfort.up, part.comfort.down))  # fmt: skip
            if part.speed == "output":
                up, down = up * np.asarray(part.ratios.y), down * np.asarray(part.ratios.y)
        ratios = np.asarray(part.ratios.y, float)
        least = np.zeros(n)
        least[1:] = 0.5 * (down[1:] + np.maximum(up[:-1] * ratios[1:] / ratios[:-1], down[1:]))
        strong = np.stack([self._force(np.full(len(self.v), g, dtype=np.intp), 1.0, 0.0, raw=True) for g in range(n)])
        able = (shaft >= least[:, None]) & (strong >= wanted)
        able[0] |= ~able.any(axis=0) & ((strong[0] >= strong.max(axis=0)) | ~moving)
        best = np.where(able.any(axis=0), n - 1 - np.argmax(able[::-1], axis=0), np.argmax(strong, axis=0))
        return np.asarray(best, dtype=np.intp)

    def _speeds(self, gear: npt.NDArray[np.intp], moving: npt.NDArray[np.bool_]) -> tuple[list[Array], Array]:
        """Of all machines, and of the engine over that of the shaft behind its clutch."""
        wheel = self.v * (1 + self.road.slip(np.maximum(self.wanted, 0.0))) / self.road.radius
        result, ratio = [], np.ones(len(self.v))
        for member, way in zip(self.chain.machines, self.ways, strict=True):
            part: Any = member.part
            shaft = way.ratio[gear] * wheel
            if self._slips(member):
                before: Any = self.chain.before.part  # type: ignore[union-attr]
                if hasattr(before, "capacity_factor"):
                    ratio = self._converter(before, shaft, gear, way)
                elif hasattr(before, "engages_from"):
                    least = 0.5 * (before.engages_from + before.engaged_at)
                    slow = (shaft < before.opens_below) & (self.wanted > 0) & moving
                    ratio = np.where(slow, np.maximum(least / np.maximum(shaft, 1.0), 1.0), 1.0)
                shaft = np.where(moving, np.maximum(shaft, 1.0) * ratio, getattr(part, "idle_speed", 0.0))
            result.append(part.ratio * shaft)
        return result, ratio

    def _slips(self, member: Member) -> bool:
        before = self.chain.before
        return before is not None and member.shafts[0] == before.shafts[0]

    def _converter(self, part: Any, turbine: Array, gear: npt.NDArray[np.intp], way: Way) -> Array:
        """Engine over turbine speed, at which the converter carries the torque."""
        of = self.chain.of
        torque = self.wanted * self.road.radius / np.maximum(way.ratio[gear] * way.efficiency[gear], 1e-9)
        k, tau = of(part.capacity_factor, RATIOS), of(part.torque_ratio, RATIOS)
        carried = tau * (np.maximum(turbine, 1.0)[:, None] / RATIOS / k) ** 2  # falls with the ratio
        least = np.argmax(carried <= np.maximum(torque, 0.0)[:, None], axis=1)
        none = carried[:, -1] > np.maximum(torque, 0.0)
        nu = np.where(none, RATIOS[-1], RATIOS[least])
        if part.lock_up is not None:
            locked = (turbine > part.lock_up.closes_above) & (self.chain.gears[gear] >= part.lock_up.from_gear)
            nu = np.where(locked, 1.0, nu)
        return np.asarray(1 / nu)

    def _force(self, gear: npt.NDArray[np.intp], throttle: Any, brake: Any, raw: bool = False) -> Array:
        """At the wheels; ``raw``: machines at the speeds of closed clutches."""
        total = np.zeros(len(self.v))
        for k, (member, way) in enumerate(zip(self.chain.machines, self.ways, strict=True)):
            part: Any = member.part
            ratio, eta = part.ratio * way.ratio[gear], way.efficiency[gear]
            speed = ratio * self.v / self.road.radius if raw else self.speeds[k]
            torque = self.chain.torque(member, speed, throttle + 0.0 * speed, brake + 0.0 * speed)
            total = total + torque * ratio / self.road.radius * np.where(torque > 0, eta, 1 / eta)
        return total

    def _account(self, gear: npt.NDArray[np.intp], u: Array, b: Array) -> None:
        """Powers of sources and losses."""
        chain, of = self.chain, self.chain.of
        self.lost: dict[str, Array] = {}
        self.volume: Array | None = None
        self.electric: Array | None = None
        self.source = np.zeros(len(self.v))
        lost = np.zeros(len(self.v))
        wheel = self.v * (1 + self.road.slip(self.drive)) / self.road.radius
        for k, member in enumerate(chain.machines):
            part: Any = member.part
            speed = self.speeds[k]
            moving = self.v > 1e-3
            torque = np.where(moving, chain.torque(member, speed, u, b), self._idling(member, speed))
            power = torque * speed
            way = self.ways[k]
            eta = np.where(torque > 0, way.efficiency[gear], 1 / way.efficiency[gear])
            passed = torque * part.ratio * way.ratio[gear] * eta * wheel
            lost = lost + np.where(moving, power - passed, power)
            if hasattr(part, "idle_power"):
                eta = of(part.efficiency, np.abs(speed), np.abs(torque))
                electric = np.where(power > 0, power / eta, power * eta) + part.idle_power
                self.electric = electric if self.electric is None else self.electric + electric
                self.lost[member.name] = electric - power
                continue
            self.source = self.source + power
            if part.fuel is not None:
                pressure = 4 * np.pi * torque / part.fuel.displacement
                flow = np.where(power > 0, of(part.fuel.bsfc, pressure, speed) * power, 0.0) / part.fuel.density
                self.volume = flow if self.volume is None else self.volume + flow
        battery = chain.vehicle.driveline.battery if chain.vehicle.driveline is not None else None
        self.auxiliary = 0.0 if battery is None else battery.auxiliary_power
        if self.electric is not None:
            self.electric = self.electric + self.auxiliary
            self.source = self.source + self.electric
        self.lost["driveline"] = lost

    def _idling(self, member: Member, speed: Array) -> Array:
        """Torque of an engine at rest: that of a converter that stands."""
        before: Any = None if self.chain.before is None else self.chain.before.part
        if not self._slips(member) or not hasattr(before, "capacity_factor"):
            return np.zeros(len(speed))
        residual = before.dump_residual**2 if before.dump_threshold is not None else 1.0
        torque: Array = residual * (speed / self.chain.of(before.capacity_factor, 0.0 * speed)) ** 2
        return torque
