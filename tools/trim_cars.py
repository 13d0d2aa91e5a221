"""Static state of the library's cars: python tools/trim_cars.py [--check]

The cars stand at design height, travel zero, with the driver and half the fuel on board. From the masses in a car's
files follow, with the axles at x_1, x_2 and the sprung mass m at x,

    F_z1 = g [m/2 (x - x_2)/(x_1 - x_2) + m_u1],   F_z2 likewise      load of a wheel                                (1)
    z_c  = R_0 - ρ(F_z)                                               height of its centre                           (2)
    F    = (F_z - m_u g - Q) (1 + k_w/k) / (dd/dJ)                    preload of its spring                          (3)

with ρ the deflection of the tire and dd/dJ the motion ratio at design, both wheels moving alike. Cars are symmetric. Q
is what springs between both wheels carry, ½ F' dd'/dJ each; a series stiffness k gives way, so that a spring with the
rate k_w at the wheel must be that much shorter.

Without ``--check``, heights and preloads that are not those of (2) and (3), rounded to 0.1 mm and 1 N (0.1 N.m of a
torsion bar), are put into the files; with it they are only told, and the exit code is 1.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from classes import CLASSES, ELECTRIFIED
from stale import put

from jounce.components.suspension.central_spring import CentralSpring
from jounce.components.suspension.torsion_spring import TorsionSpring
from jounce.core.constants import GRAVITY
from jounce.core.curves import Curve
from jounce.files.tir import read_tir
from jounce.vehicle import Vehicle, load
from jounce.vehicle.reading import VEHICLES

NUMBER = r"[-+.\d]+"


@dataclass(frozen=True)
class AxleState:
    """What an axle of a standing car shows. SI."""

    load: float
    wheel_centre_height: float
    preload: float


def slope(curve: Curve, method: str, width: float = 1e-4) -> float:
    """Derivative at design in parallel travel; central difference of the interpolation."""
    if curve.constant is not None:
        return curve.constant
    table = curve.table(method=method, extrapolation="linear")
    up, down = ([x] * curve.n_axes for x in (width, -width))
    return float(table(*up) - table(*down)) / (2 * width)


def wheel_loads(car: Vehicle) -> tuple[float, float]:
    """Load of a front and of a rear wheel (1)."""
    mass, centre, _ = car.body.sprung()[0]
    ends = [car.suspension(axle).wheel_centre_x for axle in (1, 2)]
    share = (centre[0] - ends[1]) / (ends[0] - ends[1])
    front = GRAVITY * (mass * share / 2 + car.wheels(1).unsprung_mass)
    rear = GRAVITY * (mass * (1 - share) / 2 + car.wheels(2).unsprung_mass)
    return float(front), float(rear)


def axle_state(car: Vehicle, axle: int) -> AxleState:
    """State of axle 1 or 2 (1-3)."""
    force = wheel_loads(car)[axle - 1]
    tire = read_tir(car.wheels(axle).tire.path).tire
    suspension, method = car.suspension(axle), car.system.splines.method
    spring = suspension.spring
    assert spring is not None
    ratio = slope(spring.deflection, method)
    carried = force - car.wheels(axle).unsprung_mass * GRAVITY
    for item in suspension.elements:
        if isinstance(item, CentralSpring):
            carried -= item.force_at_design() * slope(item.deflection, method) / 2
    series = suspension.series_stiffness
    if series is not None:
        assert series.location == "wheel" and spring.rate is not None
        carried *= 1 + spring.scale * spring.rate * ratio**2 / series.stiffness
    return AxleState(force, tire.values["UNLOADED_RADIUS"] - tire.deflection(force), carried / ratio)


def decimals(car: Vehicle, axle: int) -> int:
    """Of a preload: 1 N, or 0.1 N.m of a torsion bar."""
    return 1 if isinstance(car.suspension(axle).spring, TorsionSpring) else 0


def replaced(text: str, group: str, key: str, value: str) -> str:
    """Put another number behind a key of a top-level group."""
    pattern = rf"(^{group}:\n(?:[ #].*\n)*?  {key}: ){NUMBER}"
    found, count = re.subn(pattern, rf"\g<1>{value}", text, count=1, flags=re.MULTILINE)
    assert count == 1, f"no {key} in {group}"
    return found


def changes(name: str) -> dict[Path, str]:
    """New texts of the files of a car that are not up to date."""
    car = load(name)
    texts: dict[Path, str] = {}
    for axle, place in ((1, "front"), (2, "rear")):
        state = axle_state(car, axle)
        main, suspension = VEHICLES / name / "vehicle.yaml", VEHICLES / name / f"{place}_suspension.yaml"
        for path, group, key, value in (
            (main, f"{place}_wheels", "wheel_centre_height", f"{1e3 * state.wheel_centre_height:.1f}"),
            (suspension, "spring", "preload", f"{state.preload:.{decimals(car, axle)}f}"),
        ):
            before = texts.get(path) or path.read_text(encoding="utf-8")
            texts[path] = replaced(before, group, key, value)
    return {path: text for path, text in texts.items() if path.read_text(encoding="utf-8") != text}


def main(arguments: list[str]) -> int:
    for name in (*CLASSES, *ELECTRIFIED):
        for axle, state in ((axle, axle_state(load(name), axle)) for axle in (1, 2)):
            height = 1e3 * state.wheel_centre_height
            print(f"{name:12s} axle {axle}: {state.load:7.1f} N, {height:7.2f} mm, spring {state.preload:7.1f} N")
    texts = {path: text for name in (*CLASSES, *ELECTRIFIED) for path, text in changes(name).items()}
    return put(texts, VEHICLES, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
