"""Rack-and-pinion steerings of the library's cars from target figures: python tools/make_steering.py [--check]

What the hand shall feel is stated per car, and <car>/rack_pinion.yaml is written from it; no product is described. With
T the hand torque, K the torsion bar, φ = T/K its twist and R the torque at the pinion that balances the rack

    R(T) = (1 + b) T + c T |T|                          b: assist on centre, c: more of it with effort              (1)
    c = (R_t - (1 + b) T_t)/T_t²                        by one pair, effort and hand torque                         (2)
    A(φ) = R - T, beyond 1.1 T_t of parking (φ_m):  A(φ_m) + A'(φ_m) w tanh((φ - φ_m)/w),  w = 0.3 φ_m              (3)

(2) holds twice: at standstill with the effort of parking, and at 100 km/h with that of 4 m/s². At 36 km/h the assist is
the mean of both, at 216 km/h 0.85 of that at 100 km/h. (3) is where a motor or a pump reaches its limit. The efforts
are those of the cars without assistance, which tests compare with what they do.

Kinds of assistance are those that most cars of a class have: small motors on the column, larger ones at the pinion or
on the rack as loads grow, hydraulics in trucks. Motors, gears and friction are those of textbooks [Harrer2017]; their
lead and damping were chosen for the margins of the assist loop.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from stale import put

from jounce.vehicle import load
from jounce.vehicle.reading import VEHICLES

COMMAND = "tools/make_steering.py"
DEG = math.pi / 180
SPEEDS = (0, 36, 100, 216)  # km/h
FAST = 0.85  # of the assist at 100 km/h
TWISTS = (0.1, 0.2, 0.32, 0.46, 0.62, 0.8, 1.0, 1.15, 1.35, 1.6, 2.0)  # of the largest
LIMIT, FADE = 1.1, 0.3
TORQUE_CONSTANT = 0.045  # N.m/A


@dataclass(frozen=True)
class Feel:
    """Targets of a steering."""

    on: str  # column, pinion, rack; hydraulic
    bar: float  # N.m/deg
    parking: tuple[float, float]  # N.m: effort at the pinion, hand torque
    road: tuple[float, float]  # the same at 4 m/s², 100 km/h
    centre: tuple[float, float]  # b: standing, at 100 km/h
    column_friction: float  # N.m
    rack_friction: float  # N
    wheel_inertia: float = 0.035  # kg.m2
    rack_mass: float = 2.6  # kg
    ratio: float = 0.0  # of the motor; on the rack rad/m
    motor_inertia: float = 0.0  # kg.m2
    lead: tuple[float, float] = (0.010, 0.0015)  # s
    damping: float = 0.0  # N.m.s/rad at column or pinion
    bar_damping: float = 0.15  # N.m.s/rad; that of a valve on the bar is larger
    rack_damping: float = 150.0  # N.s/m; with seals of a piston larger
    piston_area: float = 0.0  # m2
    stroke: float = 0.15  # m
    orifice: float = 8e-6  # m2

    @property
    def stiffness(self) -> float:
        return self.bar / DEG

    def assist(self, twist: Any, speed: int) -> Any:
        """A at the pinion over positive twist (3), at one of the speeds."""
        standing, road = self._by(twist, *self.parking, self.centre[0]), self._by(twist, *self.road, self.centre[1])
        return (standing, (standing + road) / 2, road, FAST * road)[speed]

    def _by(self, twist: Any, effort: float, hand: float, centre: float) -> Any:
        more = (effort - (1 + centre) * hand) / hand**2  # (2)
        end = LIMIT * self.parking[1]
        torque = self.stiffness * twist
        inside = np.minimum(torque, end)
        fade = (centre + 2 * more * end) * FADE * end * np.tanh((torque - inside) / (FADE * end))
        return centre * inside + more * inside**2 + fade

    def data(self, pinion_radius: float) -> dict[str, Any]:
        """As in a file; ``pinion_radius``: rack travel per turn, m/rad."""
        right = [_short(share * LIMIT * self.parking[1] / self.bar) for share in TWISTS]  # deg
        if self.on == "hydraulic":
            per = 1 / (self.piston_area * pinion_radius) * 1e-6
        elif self.on == "rack":
            per = 1 / (self.ratio * pinion_radius * TORQUE_CONSTANT)
        else:
            per = 1 / (self.ratio * TORQUE_CONSTANT)
        rows = [[_short(per * float(self.assist(x * DEG, k))) for k in range(len(SPEEDS))] for x in right]
        table = {
            "x": [*(-x for x in right[::-1]), 0, *right],
            "z": [*SPEEDS],
            "y": [*([-y for y in row] for row in rows[::-1]), [0] * len(SPEEDS), *rows],
            "units": ["deg", "km/h", "MPa" if self.on == "hydraulic" else "A"],
        }
        result: dict[str, Any] = {
            "column": {"wheel_inertia": f"{self.wheel_inertia:g} kg.m2"},
            "torsion_bar": {
                "stiffness": f"{self.bar:g} N.m/deg", "damping": f"{self.bar_damping:g} N.m.s/rad",
                "on": "upper" if self.on == "column" else "lower"
            },
            "rack": {"mass": f"{self.rack_mass:g} kg", "damping": f"{self.rack_damping:g} N.s/m"},
            "friction": {
                "column": _rubs(self.column_friction, "60 N.m/rad"), "rack": _rubs(self.rack_friction, "600 N/mm")
            },
        }  # fmt: skip
        if self.on == "hydraulic":
            result["hydraulic"] = {
                "piston_area": f"{self.piston_area * 1e6:g} mm2",
                "piston_volume": f"{self.piston_area * self.stroke * 1e6:g} cm3",
                "orifice_area": f"{self.orifice * 1e6:g} mm2",
                "pressure": table,
            }  # fmt: skip
            return result
        ratio = {"rack_ratio": f"{self.ratio:g} rad/m"} if self.on == "rack" else {"ratio": self.ratio}
        result["electric"] = {
            "on": self.on, **ratio, "torque_constant": f"{TORQUE_CONSTANT} N.m/A",
            "inertia": f"{self.motor_inertia:g} kg.m2", "lag": "1.5 ms",
            "lead": {"ahead": f"{self.lead[0]:g} s", "behind": f"{self.lead[1]:g} s"},
            "damping": f"{self.damping:g} N.m.s/rad", "current": table,
        }  # fmt: skip
        return result


def _short(value: float) -> float | int:
    found = float(f"{value:.3g}")
    return int(found) if found == int(found) else found


def _rubs(most: float, stiffness: str) -> dict[str, Any]:
    return {"spring": {"stiffness": stiffness, "maximum": f"{most:g}", "minimum": f"{-most:g}"}}


CARS = {
    "compact": Feel(
        "column", 2.6, (31.0, 4.5), (10.7, 3.2), (0.7, 1.3), 0.20, 130.0, 0.033, 2.2, 18.5, 1e-4, damping=0.6
    ),
    "sedan": Feel(
        "pinion", 2.5, (35.0, 4.8), (13.0, 3.5), (1.5, 0.7), 0.18, 160.0, 0.036, 2.7, 20.0, 1e-4, damping=0.8
    ),
    "suv": Feel(
        "rack", 2.7, (46.0, 5.2), (16.3, 3.6), (1.3, 1.1), 0.18, 190.0, 0.038, 3.2, 2400.0, 1.1e-4, damping=1.0
    ),
    "light_truck": Feel(
        "hydraulic",
        1.7,
        (47.0, 5.4),
        (19.7, 3.8),
        (2.0, 1.2),
        0.25,
        230.0,
        0.042,
        4.1,
        bar_damping=2.5,
        rack_damping=2000.0,
        piston_area=850e-6,
    ),
}


def text(data: dict[str, Any], title: str) -> str:
    """As YAML: one group, one line, but for tables."""
    lines = [f"# {title}, by {COMMAND} from the figures stated there. Made up; licence CC0-1.0."]

    def inline(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {inline(item)}" for key, item in value.items()) + "}"
        return "[" + ", ".join(inline(item) for item in value) + "]" if isinstance(value, list) else str(value)

    for key, value in data.items():
        flat = {k: v for k, v in value.items() if not (isinstance(v, dict) and "x" in v)}
        if len(flat) == len(value):
            lines.append(f"{key}: {inline(value)}")
            continue
        lines += [f"{key}:", *(f"  {k}: {inline(v)}" for k, v in flat.items())]
        for k, table in ((k, v) for k, v in value.items() if k not in flat):
            lines.append(f"  {k}:")
            for axis, items in table.items():
                if axis != "y":
                    lines.append(f"    {axis}: {inline(items)}")
            lines += ["    y:", *(f"      - {inline(row)}" for row in table["y"])]
    return "\n".join(lines) + "\n"


def changes(name: str) -> dict[Path, str]:
    """New text of the file of a car, unless it is up to date."""
    steering = load(name).steering
    assert steering is not None and steering.rack_travel is not None and steering.rack_travel.constant is not None
    path = VEHICLES / name / "rack_pinion.yaml"
    new = text(CARS[name].data(abs(steering.rack_travel.constant)), "From the hand wheel to the rack")
    return {path: new} if not path.is_file() or path.read_text(encoding="utf-8") != new else {}


def main(arguments: list[str]) -> int:
    return put({path: new for name in CARS for path, new in changes(name).items()}, VEHICLES, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
