"""Drivelines of the library's cars from target figures: python tools/make_drivelines.py [--check]

What most cars of a class have is stated here (power, torque, ratios, masses that turn), and library/drivelines has a
file for each car, written from it; no product is described. Licence CC0-1.0. With the speed n, the throttle u and the
mean effective pressure p:

    full load     T(n) = min(T_max s(n), P_max/n),  s from the share at idle up to 1 at the speed of full torque     (1)
                  falling beyond that of the largest power
    pedal up      T(n) = -(d0 + d1 n/n_max) V/4π,  a drag pressure of 0.7 to 2 bar                                  (2)
    part load     T(n, u) = T(n, 0) + g (T(n, 1) - T(n, 0)),  g = u (1 + k (1 - n/n_max) (1 - u))                    (3)
    consumption   BSFC = (p + p_f(n))/(p η_i H),  p_f = f0 + f1 n/n_max       a line of Willans                     (4)
                  with friction, exchange of gas and what the engine drives beside: pumps, alternator; at idle p = 0
    motors        T(ω) = min(T_max, P_max/ω),  a share of it for braking                                            (5)
    converter     k(0) = n_stall/√T, growing with the speed ratio;  torque ratio from 2 to 1 at 0.86                 (6)

(3): with a throttle the air is cut less at low speed; k is zero for diesels. (4) is [Heywood1988] chapter 13. Gears:
the first one by starting on a slope, the last one by noise and consumption, those between with steps that fall.
Automatic gearboxes shift up with the pedal up at 1750 to 1900 rpm, with the pedal down just below the largest speed;
with the pedal down they shift back (kick-down) where the engine turns, after it, at most

    n ≤ 0.85 n_up                                                                                                (7)
"""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stale import put

from jounce.core.library import LIBRARY

FOLDER = LIBRARY / "drivelines"
COMMAND = "tools/make_drivelines.py"
RPM = math.pi / 30
HEAT = {"petrol": 42.5e6, "diesel": 42.8e6}  # J/kg
DENSITY = {"petrol": 745, "diesel": 835}  # kg/m3
INDICATED = {"petrol": 0.375, "diesel": 0.415}  # η_i in (4)
RUB = {"petrol": (1.5, 1.1), "diesel": (1.65, 1.0)}  # bar, f0 and f1 in (4)
THROTTLES = (0.0, 0.3, 1.0)
KICK_DOWN = 0.85  # in (7)


@dataclass(frozen=True)
class Engine:
    """Targets of an engine."""

    power: float  # kW
    torque: float  # N.m
    displacement: float  # l
    speeds: tuple[float, float, float, float]  # rpm: idle, full torque from, of the largest power, limit
    inertia: float  # kg.m2, with flywheel
    fuel: str = "petrol"
    low: float = 0.55  # share of the torque at idle
    stops: bool = False  # where others push the car: it burns nothing while it idles

    def full(self, n: float) -> float:
        """(1), n in rpm."""
        idle, knee, best, limit = self.speeds
        share = min(1.0, self.low + (1 - self.low) * max(0.0, n - idle) / (knee - idle))
        by_power = 1e3 * self.power / (max(n, 1.0) * RPM)
        after = 1.0 if n <= best else 1 - 0.18 * ((n - best) / (limit - best)) ** 2
        if n > limit:
            after = max(0.0, 0.82 * (1 - (n - limit) / (0.08 * limit)))
        return min(self.torque * share, by_power) * after

    def drag(self, n: float) -> float:
        """(2)."""
        bar = 0.7 + 1.3 * n / self.speeds[3] if self.fuel == "petrol" else 0.9 + 1.4 * n / self.speeds[3]
        return -bar * 1e5 * self.displacement * 1e-3 / (4 * math.pi)

    def data(self) -> dict[str, Any]:
        idle, knee, best, limit = self.speeds
        speeds = sorted(
            {0.0, 0.6 * idle, idle, 0.5 * (idle + knee), knee, 0.5 * (knee + best), best, limit, 1.08 * limit}
        )
        k = 0.9 if self.fuel == "petrol" else 0.0

        def torque(n: float, u: float) -> float:
            g = u * (1 + k * max(0.0, 1 - n / limit) * (1 - u))  # (3)
            return self.drag(n) + g * (self.full(n) - self.drag(n)) if n > 0 else 0.3 * u * self.full(idle)

        pressures = [0.5, 1.0, 2.0, 4.0, 8.0, 14.0, 22.0]  # bar

        def rub(n: float) -> float:
            """p_f of (4), bar."""
            low, more = RUB[self.fuel]
            return low + more * n / limit

        def bsfc(p: float, n: float) -> float:
            """(4), g/kWh."""
            return (p + rub(n)) / (p * INDICATED[self.fuel] * HEAT[self.fuel]) * 3.6e9

        # (4) with p = 0: power of p_f at idle over η_i H, kg/s
        idling = rub(idle) * 1e5 * self.displacement * 1e-3 * idle / 120 / (INDICATED[self.fuel] * HEAT[self.fuel])

        grid = [idle, 0.5 * limit, limit]
        return {
            "kind": "engine",
            "inertia": f"{self.inertia:g} kg.m2",
            "stall_speed": f"{0.65 * idle:.0f} rpm",
            "idle_speed": f"{idle:.0f} rpm",
            "rev_limit": f"{limit:.0f} rpm",
            "torque_map": {
                "x": [round(n) for n in speeds],
                "z": list(THROTTLES),
                "y": [[round(torque(n, u), 1) for u in THROTTLES] for n in speeds],
                "units": ["rpm", "-", "N.m"],
            },
            "fuel": {
                "displacement": f"{self.displacement:g} l",
                "density": f"{DENSITY[self.fuel]} kg/m3",
                **({} if self.stops else {"idle_flow": f"{3600 * idling:.3g} kg/h"}),
                "bsfc": {
                    "x": pressures,
                    "z": [round(n) for n in grid],
                    "y": [[round(bsfc(p, n)) for n in grid] for p in pressures],
                    "units": ["bar", "rpm", "g/(kW.h)"],
                },
            },
        }


def motor(power: float, torque: float, top: float, ratio: float, inertia: float, braking: float) -> dict[str, Any]:
    """A motor (5): kW, N.m, rpm, ratio to the shaft, kg.m2, share of its torque that it brakes with."""
    knee = 1e3 * power / torque / RPM
    speeds = [0.0, knee, *(knee * (top / knee) ** x for x in (0.3, 0.6, 0.8)), top, 1.05 * top]

    def full(n: float) -> float:
        return min(torque, 1e3 * power / (max(n, 1.0) * RPM)) if n <= top else 0.0

    def table(share: float) -> dict[str, Any]:
        rows = [[0, round(share * full(n), 1)] for n in speeds]
        return {"x": [round(n) for n in speeds], "z": [0, 1], "y": rows, "units": ["rpm", "-", "N.m"]}

    return {
        "kind": "motor",
        "inertia": f"{inertia:g} kg.m2",
        "ratio": ratio,
        "torque_map": table(1.0),
        "braking_map": table(braking),
        "coasting": {"x": [0, round(top)], "y": [round(-0.02 * torque, 1), round(-0.03 * torque, 1)],
                     "units": ["rpm", "N.m"]},
        "efficiency": {
            "x": [0, round(0.5 * knee), round(knee), round(top)],
            "z": [0, round(0.1 * torque), round(0.4 * torque), round(torque)],
            "y": [[0.7, 0.75, 0.74, 0.66], [0.78, 0.88, 0.91, 0.87], [0.76, 0.9, 0.945, 0.93], [0.7, 0.88, 0.93, 0.93]],
            "units": ["rpm", "N.m", "-"],
        },
        "idle_power": "60 W",
    }  # fmt: skip


def converter(stall: float, torque: float, capacity: float, shift_time: float) -> dict[str, Any]:
    """A converter (6): rpm and N.m at stall, N.m of its lock-up clutch, s."""
    k = stall * RPM / math.sqrt(torque)
    ratios = [0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.86, 0.92, 0.96, 0.98]
    grow = [1.0, 1.0, 1.01, 1.04, 1.08, 1.15, 1.22, 1.45, 1.95, 2.7]
    torques = [2.0, 1.77, 1.54, 1.31, 1.2, 1.07, 1.0, 1.0, 1.0, 1.0]
    return {
        "kind": "converter",
        "capacity_factor": {"x": ratios, "y": [round(k * g, 3) for g in grow]},
        "torque_ratio": {"x": ratios, "y": torques},
        "impeller_inertia": "0.09 kg.m2",
        "turbine_inertia": "0.03 kg.m2",
        "shift_time": f"{shift_time:g} s",
        "lock_up": {"capacity": f"{capacity:g} N.m", "closes_above": "1300 rpm", "opens_below": "1050 rpm",
                    "max_throttle": 1},
    }  # fmt: skip


def program(ratios: list[float], calm: float, full: float, low: float, high: float) -> dict[str, Any]:
    """Shift speeds, rpm: up with the pedal up and down, down with it up and at 0.8; (7); pedals between by lines."""

    def table(rest: float, most: float, last: dict[int, float]) -> dict[str, Any]:
        pedals = [0, 0.3, 0.8, 1]
        row = [round(rest), round(rest + 0.22 * (most - rest)), round(most)]
        rows = [[*row, round(n)] for n in last.values()]
        return {"x": list(last), "z": pedals, "y": rows, "units": ["-", "-", "rpm"]}

    kicks = {g + 2: KICK_DOWN * full * now / before for g, (before, now) in enumerate(itertools.pairwise(ratios))}
    return {"up": table(calm, full, {1: full, 9: full}), "down": table(low, high, kicks)}  # (7)


def gears(kind: str, ratios: list[float], efficiency: float, inertia: float, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "ratios": ratios, "reverse_ratio": -3.3, "efficiency": efficiency,
            "inertia": f"{inertia:g} kg.m2", **more}  # fmt: skip


def differential(ratio: float, inertia: float = 0.03, kind: str = "open_differential", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "ratio": ratio, "efficiency": 0.97, "inertia": f"{inertia:g} kg.m2", **more}


def clutch(capacity: float, inertia: float, start: tuple[float, float], **more: Any) -> dict[str, Any]:
    """N.m, kg.m2; rpm of the engine between which it closes at a start."""
    return {"kind": "clutch", "capacity": f"{capacity:g} N.m", "inertia": f"{inertia:g} kg.m2",
            "stiffness": f"{4 * capacity:g} N.m/rad", "damping": f"{0.04 * capacity:g} N.m.s/rad",
            "engages_from": f"{start[0]:g} rpm", "engaged_at": f"{start[1]:g} rpm", **more}  # fmt: skip


def battery(voltage: float, amperes: float, resistance: float, current: float, charge: float) -> dict[str, Any]:
    """V, A.h, ohm, A, state of charge at the start."""
    return {"kind": "battery", "voltage": f"{voltage:g} V", "capacity": f"{amperes:g} A.h", "resistance": resistance,
            "polarisation": f"{0.1 / amperes:.3g} V/(A.h)", "exponential_voltage": f"{0.03 * voltage:g} V",
            "exponential_capacity": f"{3 / amperes * 10:.3g} 1/(A.h)", "max_current": f"{current:g} A",
            "state_of_charge": charge, "auxiliary_power": "400 W"}  # fmt: skip


def stepped(first: float, last: float, number: int) -> list[float]:
    """Gears of a truck: equal steps."""
    return [float(f"{last * (first / last) ** (1 - i / (number - 1)):.3g}") for i in range(number)]


def tandem(engine: Engine, first: float, final: float, brake: float | None = None) -> dict[str, Any]:
    """A truck: twelve gears shifted by their speeds, two driven axles with a differential between them.

    ``brake``: N.m of a retarder at the gearbox output, which most has from 500 rpm on.
    """
    idle, knee, best, limit = engine.speeds
    axle = {"housing": "suspension", "inertia": "0.25 kg.m2"}
    members: list[dict[str, Any]] = [
        {"name": "engine", "shafts": ["crank"], **engine.data()},
        {"name": "clutch", "shafts": ["crank", "input"], **clutch(2.0 * engine.torque, 0.35, (idle + 150, knee + 100))},
        {"name": "gearbox", "shafts": ["input", "prop"],
         **gears("manual_gearbox", stepped(first, 1.0, 12), 0.97, 0.25, upshift_speed=f"{0.5 * (best + limit):.0f} rpm",
                 downshift_speed=f"{knee - 50:.0f} rpm", shift_time="0.45 s", pause="0.6 s")},
        {"name": "interaxle", "shafts": ["prop", "second", "third"], **differential(1.0, 0.05)},
        {"name": "second", "shafts": ["second", "L2", "R2"], **differential(final), **axle},
        {"name": "third", "shafts": ["third", "L3", "R3"], **differential(final), **axle},
    ]  # fmt: skip
    if brake is not None:
        table = {"x": [0, 200, 500, 1500, 2800], "y": [0, 0.35 * brake, brake, brake, brake], "units": ["rpm", "N.m"]}
        members.append({"name": "retarder", "shafts": ["prop"], "kind": "retarder", "torque": table, "power": "320 kW",
                        "inertia": "0.12 kg.m2", "lag": "0.35 s", "off_below": "15 rad/s"})  # fmt: skip
    return {"members": members, "tcs": {"threshold": "10 %", "gain": 10}}


TCS = {"threshold": "8 %", "gain": 12}
EIGHT = [4.7, 3.1, 2.1, 1.67, 1.29, 1.0, 0.84, 0.67]
SIX = [4.2, 2.6, 1.72, 1.24, 1.0, 0.78]
CARS: dict[str, tuple[str, dict[str, Any]]] = {
    "compact": (
        "turbocharged petrol engine of 96 kW across, six gears by hand, front-wheel drive",
        {
            "layout": "fwd",
            "engine": Engine(96, 205, 1.4, (850, 1600, 5000, 6400), 0.13).data(),
            "clutch": clutch(320, 0.02, (1100, 2300)),
            "gearbox": gears("manual_gearbox", [3.75, 2.05, 1.32, 0.97, 0.78, 0.65], 0.97, 0.01,
                             upshift_speed="5400 rpm", downshift_speed="1300 rpm", shift_time="0.4 s"),
            "front": differential(3.94),
            "tcs": TCS,
        },
    ),
    "sedan": (
        "turbocharged petrol engine of 165 kW, converter, eight gears, rear-wheel drive",
        {
            "layout": "rwd",
            "engine": Engine(165, 330, 2.0, (750, 1500, 5200, 6600), 0.17).data(),
            "clutch": converter(2300, 300, 500, 0.3),
            "gearbox": gears("automatic_gearbox", EIGHT, 0.95, 0.03, speed="input",
                             comfort=program(EIGHT, 1750, 6000, 950, 1900),
                             sport=program(EIGHT, 2600, 6300, 1250, 2300)),
            "rear": differential(2.81),
            "tcs": TCS,
        },
    ),
    "suv": (
        "turbocharged petrol engine of 170 kW, converter, eight gears, all-wheel drive by a central differential",
        {
            "layout": "awd",
            "engine": Engine(170, 360, 2.0, (750, 1550, 5200, 6500), 0.18).data(),
            "clutch": converter(2350, 330, 540, 0.3),
            "gearbox": gears("automatic_gearbox", EIGHT, 0.95, 0.035, speed="input",
                             comfort=program(EIGHT, 1750, 6000, 950, 1900),
                             sport=program(EIGHT, 2600, 6200, 1250, 2300)),
            "central": differential(1.0, 0.01, share=0.4),
            "front": differential(3.2),
            "rear": differential(3.2),
            "tcs": TCS,
        },
    ),
    "sports": (
        "petrol engine of 365 kW in the rear, dual clutch, seven gears, limited slip",
        {
            "layout": "rwd",
            "engine": Engine(365, 560, 3.8, (850, 2200, 6500, 7700), 0.15, low=0.6).data(),
            "clutch": {**clutch(850, 0.03, (1800, 4200)), "kind": "dual_clutch", "shift_time": "0.1 s"},
            "gearbox": gears("manual_gearbox", [3.75, 2.38, 1.72, 1.34, 1.08, 0.88, 0.72], 0.97, 0.02,
                             upshift_speed="7400 rpm", downshift_speed="2200 rpm", pause="0.2 s"),
            "rear": differential(3.45, 0.03, "limited_slip_differential", preload="60 N.m", ramp=0.25),
            "tcs": TCS,
        },
    ),
    "light_truck": (
        "diesel engine of 150 kW, six gears by hand, rear-wheel drive, limited slip",
        {
            "layout": "rwd",
            "engine": Engine(150, 450, 2.4, (750, 1600, 3500, 4400), 0.28, "diesel", 0.5).data(),
            "clutch": clutch(650, 0.04, (1000, 1900)),
            "gearbox": gears("manual_gearbox", [4.75, 2.6, 1.63, 1.15, 0.86, 0.7], 0.96, 0.02,
                             upshift_speed="3900 rpm", downshift_speed="1100 rpm", shift_time="0.45 s"),
            "rear": differential(
                3.7, 0.05, "limited_slip_differential", preload="100 N.m", ramp=0.35, housing="suspension"
            ),
            "tcs": TCS,
        },
    ),
    "formula": (
        "turbocharged petrol engine of 280 kW, six gears in sequence, limited slip",
        {
            "layout": "rwd",
            "engine": Engine(280, 400, 2.0, (1600, 4000, 7200, 8600), 0.05, low=0.4).data(),
            "clutch": clutch(600, 0.008, (3000, 6000)),
            "gearbox": gears("manual_gearbox", [2.3, 1.83, 1.52, 1.3, 1.13, 1.0], 0.98, 0.006,
                             upshift_speed="8300 rpm", downshift_speed="3300 rpm", shift_time="0.05 s", pause="0.1 s"),
            "rear": differential(3.2, 0.012, "limited_slip_differential", preload="40 N.m", ramp=0.35),
            "controls": [{"kind": "launch_control", "engine_speed": "4300 rpm", "until": "14 m/s"}],
            "tcs": {"threshold": "10 %", "gain": 10},  # for the foot of a driver who feels the rear wheels
        },
    ),
    "box_van": (
        "diesel engine of 125 kW, six gears by hand, rear-wheel drive",
        {
            "layout": "rwd",
            "engine": Engine(125, 400, 2.3, (800, 1500, 3500, 4400), 0.28, "diesel", 0.5).data(),
            "clutch": clutch(640, 0.04, (1050, 1900)),
            "gearbox": gears("manual_gearbox", [5.1, 2.75, 1.7, 1.2, 0.92, 0.77], 0.96, 0.02,
                             upshift_speed="3700 rpm", downshift_speed="1150 rpm", shift_time="0.45 s"),
            "rear": differential(4.1, 0.05, housing="suspension"),
            "tcs": TCS,
        },
    ),
    "rigid_truck": (
        "diesel engine of 260 kW, twelve gears, two driven axles",
        tandem(Engine(260, 1700, 9.3, (600, 1050, 1600, 2100), 2.6, "diesel", 0.55), 14.0, 3.08),
    ),
    "tractor_semitrailer": (
        "diesel engine of 355 kW, twelve gears, retarder, two driven axles",
        tandem(Engine(355, 2350, 12.8, (550, 950, 1550, 2000), 3.6, "diesel", 0.55), 14.5, 2.71, 3200.0),
    ),
    "bev": (
        "an electric motor of 120 kW in front and one of 200 kW at the rear, 75 kW.h",
        {
            "layout": "dual_motor_awd",
            "front_motor": motor(120, 240, 15000, 9.1, 0.02, 0.45),
            "rear_motor": motor(200, 380, 15000, 9.1, 0.035, 0.25),
            "front": differential(1.0, 0.01),
            "rear": differential(1.0, 0.01),
            "battery": battery(370, 205, 0.06, 1100, 0.8),
            "tcs": TCS,
        },
    ),
    "hybrid": (
        "petrol engine of 105 kW, a motor of 75 kW between its clutch and six gears, 8 kW.h",
        {
            "layout": "rwd",
            "engine": Engine(105, 185, 2.0, (850, 2000, 5600, 6300), 0.14, stops=True).data(),
            "clutch": clutch(400, 0.02, (950, 1300), opens_below="950 rpm"),
            "main_motor": motor(75, 270, 6500, 1.0, 0.06, 0.6),
            "gearbox": gears("automatic_gearbox", SIX, 0.96, 0.03, speed="input",
                             comfort=program(SIX, 1900, 5700, 950, 1900)),
            "rear": differential(3.3),
            "battery": battery(300, 26, 0.08, 350, 0.6),
            "controls": [{"kind": "parallel_hybrid", "torque_ratio": 1.7}],
            "tcs": TCS,
        },
    ),
}  # fmt: skip


def text(name: str) -> str:
    """As YAML: parts in lines of their own, numbers and tables in one line each."""
    title, data = CARS[name]
    lines = [
        f"# Driveline of the {name}: {title}.",
        f"# By {COMMAND} from the figures stated there. Made up, no product is described.",
        "provenance:",
        "  author: the jounce authors",
        "  source: made up from the figures that most cars of the class show",
        "  licence: CC0-1.0",
        "  measured: nothing",
        "  guessed: everything",
    ]

    def inline(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {inline(item)}" for key, item in value.items()) + "}"
        return (
            "[" + ", ".join(inline(item) for item in value) + "]"
            if isinstance(value, list | tuple)
            else {"-": "'-'"}.get(str(value), str(value))
        )

    def write(group: dict[str, Any], indent: str) -> None:
        for key, value in group.items():
            table = isinstance(value, dict) and "x" in value
            if isinstance(value, list) and value and isinstance(value[0], dict) and len(inline(value)) > 200:
                lines.append(f"{indent}{key}:")
                for item in value:
                    start = len(lines)
                    write(item, indent + "    ")
                    lines[start] = f"{indent}  - {lines[start].lstrip()}"
            elif isinstance(value, dict) and not table and len(inline(value)) > 100:
                lines.append(f"{indent}{key}:")
                write(value, indent + "  ")
            else:
                lines.append(f"{indent}{key}: {inline(value)}")

    write(data, "")
    return "\n".join(lines) + "\n"


def changes() -> dict[Path, str]:
    """New texts of the files that are not up to date."""
    wanted = {FOLDER / f"{name}.yaml": text(name) for name in CARS}
    return {path: new for path, new in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != new}


def main(arguments: list[str]) -> int:
    return put(changes(), FOLDER, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
