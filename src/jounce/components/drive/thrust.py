"""What a drive does along the road, for a driver: force by pedal, inertia that it adds, whether it is coupled.

With the radius r of the wheels, a shaft at rolling speed v turns with g v, and a torque on it pushes with g T,

    g = 1/r  at a hub,    g_s = Σ a_k g_k  over a relation (``train`` (1)),    g of the other shaft over a coupling  (1)
    F(u, b) = Σ_machines f g T(ω, u, b),     m = Σ_shafts J g²                                                     (2)

f: efficiencies on the way, one way or the other; over a converter its torque ratio in force. The same with the ratio of
another gear says what full throttle would give there, where nothing slips.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jounce.symbolic.ops import if_else

if TYPE_CHECKING:
    from jounce.components.drive.base import Station
    from jounce.components.drive.train import Shaft, Train

BACKWARDS = "driver.backwards"  # signal of one who drives: 1 while he drives backwards


@dataclass(frozen=True)
class Thrust:
    """The drive of a vehicle as its driver sees it."""

    force: Callable[[Any, Any, Any], Any]  # of throttle, brake demand and radius of the wheels, N
    mass: Callable[[Any], Any] = lambda radius: 0.0  # what it adds to the mass along the road, kg
    braking: bool = False  # whether machines answer the brake demand
    linear: bool = True  # in the throttle
    engaged: Any = 1.0  # whether torque comes through: gears change, neutral
    machine_speed: Any = None  # of the engine
    input_speed: Any = None  # of the shaft behind its clutch
    gear: Any = None
    gears: int = 0  # forward gears
    # of gear, radius and speed: force with full throttle there, N, and speed of the gearbox's input shaft
    in_gear: Callable[[Any, Any, Any], tuple[Any, Any]] | None = None
    kinetic: Any = 0.0  # energy of what turns before the hubs, J
    inertial_power: Any = 0.0  # that what turns with the hubs takes, W


def of_train(train: Train, stations: Sequence[Station], machine: type) -> Thrust:
    """The thrust of a driveline (2); ``machine``: the class of what drives it."""
    machines = [s for s in stations if isinstance(s.part, machine) and s.part.present(s)]  # type: ignore[attr-defined]

    box = next((s for s in stations if "shifting" in s.kept), None)

    def gain(shaft: Shaft, radius: Any, power: int, seen: tuple[int, ...] = (), gear: Any = None) -> Any:
        """g (1) with the efficiency to a power: 1 driving, −1 driven, 0 without; in the gear in use, or in another."""
        if shaft.hub is not None:
            return 1 / radius
        if gear is not None and box is not None and shaft is box.shafts[0] and shaft.relation is box.relation:
            geared = box.part.geared(box.p, gear)
            assert geared is not None
            f = 1.0 if geared.efficiency is None or power == 0 else geared.efficiency**power
            return -geared.terms[1] * f * gain(box.shafts[1], radius, power, seen)
        if shaft.relation is not None:
            f = 1.0 if shaft.relation.efficiency is None or power == 0 else shaft.relation.efficiency**power
            return sum(a * f * gain(other, radius, power, seen, gear) for a, other in shaft.relation.followed)
        for station in stations:
            if len(station.shafts) == 2 and shaft in station.shafts and id(station) not in seen:
                before, after = station.shafts
                other = after if shaft is before else before
                carried = station.kept.get("torque_ratio", 1.0) if power == 1 and shaft is before else 1.0
                return carried * gain(other, radius, power, (*seen, id(station)), gear)
        return 0.0

    def force(throttle: Any, brake: Any, radius: Any) -> Any:
        total: Any = 0.0
        for here in machines:
            speed = here.part.speed(here)  # type: ignore[attr-defined]
            torque = here.p.ratio * here.part.law(here, speed, throttle, brake)  # type: ignore[attr-defined]
            drives, driven = (gain(here.shafts[0], radius, power) for power in (1, -1))
            total = total + torque * if_else(torque > 0, drives, driven)
        return total

    def in_gear(gear: Any, radius: Any, speed: Any) -> tuple[Any, Any]:
        """Force with full throttle in a gear, at the speeds that shafts have there, and that of the input shaft."""
        assert box is not None
        total: Any = 0.0
        for here in machines:
            turns = here.p.ratio * gain(here.shafts[0], radius, 0, (), gear) * speed
            torque = here.p.ratio * here.part.limits(here, turns)[1]  # type: ignore[attr-defined]
            drives, driven = (gain(here.shafts[0], radius, power, (), gear) for power in (1, -1))
            total = total + torque * if_else(torque > 0, drives, driven)
        return total, gain(box.shafts[0], radius, 0, (), gear) * speed

    def mass(radius: Any) -> Any:
        """Σ J g² (2); hubs are wheels, which the vehicle counts itself."""
        return sum(shaft.inertia * gain(shaft, radius, 0) ** 2 for shaft in heavy)

    signals, rate = stations[0].model.signals, stations[0].model.system.second_rate
    heavy = [shaft for shaft in train.shafts.values() if shaft.inertias]
    clutched = next((s for s in stations if hasattr(s.part, "seamless") and "coupling" not in s.kept), None)

    def read(name: str, otherwise: Any) -> Any:
        return signals.read(name, "the thrust") if name in signals else otherwise

    return Thrust(
        force,
        mass,
        braking=any(getattr(s.part, "braking_map", None) is not None for s in machines),
        linear=all(s.part.linear for s in machines),  # type: ignore[attr-defined]
        engaged=read("driveline.engaged", 1.0),
        machine_speed=read("driveline.engine_speed", None),
        input_speed=None if clutched is None else clutched.shafts[1].speed,
        gear=read("driveline.gear", None),
        gears=0 if box is None else len(box.part.ratios.x),  # type: ignore[attr-defined]
        in_gear=None if box is None else in_gear,
        kinetic=sum((0.5 * s.inertia * s.speed * s.speed for s in heavy), 0.0),
        inertial_power=sum((s.inertia * s.speed * rate(s.speed) for s in heavy if s.symbol is None), 0.0),
    )
