"""Plausible ranges of key figures by class of vehicle: engineering experience, neither standard nor measurement.

Figures of steering feel are read as [Norman1984] and ISO 13674-1 do, which state no ranges; those here are what
engineers call usual for cars with power assistance. Parking torque has no event: hand torque at standstill, brakes on,
the hand wheel turned by 300 deg within 5 s ([Sharp2003] has what it is made of).

Trucks and trains: masses and axle loads are those that directive 96/53/EC allows; figures of bodies, axles and their
roll are the usual ones of [Fancher1986]. Loaded articulated trucks tip between 0.25 and 0.5 g on a tilt table
[Winkler1999]. They stop with 5 m/s² at least by UN R13, a car with 5.8 m/s² (UN R13-H, brakes cold, engine
disconnected: 6.43); a trailer with overrun brakes brakes itself with about half of its weight (UN R13, annex 12). Of
the load of a caravan 4 to 8 % stand on the coupling. Understeer of laden trucks is small and may vanish before they
tip [Fancher1986].
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from jounce.results.display import in_unit

if TYPE_CHECKING:
    from jounce.results.run import Run


@dataclass(frozen=True)
class Range:
    """What most vehicles of a class show, in ``unit``."""

    low: float
    high: float
    unit: str

    def contains(self, value: float, unit: str) -> bool | None:
        """Return whether a value lies inside, None when it is not a number."""
        if math.isnan(value):
            return None
        return self.low <= in_unit(value, unit, self.unit) <= self.high


# Figures whose ranges hold at one speed, m/s; and what is another figure in an event: a gain at the frequency of a sine
SPEEDS = {"steering_at_0_3g": 80 / 3.6, "yaw_rate_gain": 100 / 3.6, "hand_torque_at_4ms2": 100 / 3.6}
NEAR = 1.0  # m/s
DRY = "Friction.Force_At_"  # channels of dry friction in suspensions
OTHERS = {
    "sine-steer": ("yaw_rate_gain",),
    "mu-split": ("stopping_distance", "mfdd", "dive_gradient"),
    "steady-circle": ("ay_max", "understeer_gradient", "characteristic_speed"),  # ranges: ramp steer at 100 km/h
}
# Figures that mean another thing outside their event
ONLY = {"hand_torque_gradient": "weave"}
MIXED = ("wltc_3a", "wltc_3b")  # cycles for which a consumption has a range
FUEL, BATTERY = "fuel_consumption.overall", "Battery."
ASSIST = "Steering_column.steering_assist"  # channels of power assistance; without it other ranges hold, or none
ASSISTED = ("hand_torque_at_0g", "hand_torque_at_0_1g", "hand_torque_gradient", "steering_hysteresis",
            "steering_stiffness", "hand_torque_at_4ms2", "parking_torque")  # fmt: skip
UNASSISTED = "_unassisted"


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Mapping[str, Range]]:
    text = resources.files("jounce.results").joinpath("plausibility.csv").read_text(encoding="utf-8")
    table: dict[str, dict[str, Range]] = {}
    for row in csv.DictReader(text.splitlines()):
        table.setdefault(row["class"], {})[row["key"]] = Range(float(row["low"]), float(row["high"]), row["unit"])
    return table


def ranges(vehicle_class: str) -> dict[str, Range]:
    """Return the ranges of a class (compact, sedan, suv, sports, light_truck, bev, formula) by key figure."""
    return dict(_table().get(vehicle_class, {}))


def ranges_of(run: Run) -> dict[str, Range]:
    """Return the ranges of the class of a run's vehicle that hold for its event and speed."""
    vehicle = run.metadata.get("vehicle")
    found = ranges(str(vehicle.get("class", ""))) if isinstance(vehicle, dict) else {}
    speed = run.number("speed", "m/s")
    elsewhere = {key for key, at in SPEEDS.items() if abs(speed - at) > NEAR}
    elsewhere |= {*OTHERS.get(run.event, ())} | {key for key, event in ONLY.items() if event != run.event}
    if not any(name.startswith(ASSIST) for name in run.names):
        alone = {key: found.get(key + UNASSISTED) for key in ASSISTED}
        found |= {key: item for key, item in alone.items() if item is not None}
        elsewhere |= {key for key, item in alone.items() if item is None}
    if any(name.startswith(DRY) for name in run.names):
        elsewhere.add("heave_damping")  # that of the dampers; dry friction ends small motions within a stroke or two
    if "consumption" in found and not _usual_consumption(run, found["consumption"].unit):
        elsewhere.add("consumption")
    return {key: item for key, item in found.items() if key not in elsewhere}


def _usual_consumption(run: Run, unit: str) -> bool:
    """Whether a run burns what the range of its class is about, on a whole mixed cycle; hybrids have none."""
    cycle = run.metadata.get("cycle")
    if not isinstance(cycle, Mapping) or run.time[-1] < cycle["time"][-1] - 1.0:
        return False
    burns = any(name.endswith(FUEL) for name in run.names)
    stores = any(name.startswith(BATTERY) for name in run.names)
    about = "l/100km" if burns else "kWh/100km"
    return cycle.get("name") in MIXED and burns is not stores and about == unit


def classes() -> list[str]:
    """Return the classes that have ranges."""
    return list(_table())
