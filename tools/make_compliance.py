"""Compliance and friction of the library's cars from target figures: python tools/make_compliance.py [--check]

What a K&C rig shows of most cars of a class (`classes.RANGES`, docs/kc.md) is stated here per axle, and the files
<axle>_compliance.yaml and <axle>_friction.yaml of every car are written from it; no product is described. All maps are
rates: within the loads of a dry road bushings are taken as linear. With the left wheel's steer ψ = -toe and understeer
positive, s = -1 in front and +1 at the rear:

    toe by F_y = -s c_y,  toe by M_z = -c_z               both wheels loaded alike, the hand wheel held            (1)
    toe by F_x braking = -c_b,  driving = c_d             toe-in by the force of a brake, of a drive               (2)
    y by M_z = -toe by F_y                                an elastic axle: work does not depend on the way         (3)
    toe by F_x = c_x/T,  by the other wheel's -c_x/T      an axle that turns as one body, track T                  (4)
    F = p F_z,  stiffness = F/d                           friction at the wheel: share of the load, travel         (5)

(3) is Maxwell's reciprocity with the loads (F_y, M_z) and (y, ψ). A share q of the steer belongs to the axle as a
whole, 1 - q to the wheel: own rates are 1 - q times those of (1), those of the other wheel (`cross`) q times. In front
q is what rack, housing and column give way, where the steering has no torsion bar of its own; where it has one
(make_steering), q is housing and rack alone, and a rig shows what the bar gives way on top of (1). A twist beam and a
solid axle turn as one body: q = 1/2, and (4) in the place of (2).

Targets stay inside the ranges of the class and were chosen, with the relaxation lengths of the tires (make_tires), so
that all figures of handling are inside theirs at once. What decides is the damping of the yaw motion: it falls as the
understeer of the front axle grows, so that steer by F_y and M_z is in the lower half of its ranges.

Shares of friction are stated, not sought: 1.6 to 2 % of the load with ball joints and slim rods, 2.5 % of a strut
whose rod takes side forces, 8 % of leaves. Friction is along the wheel's travel: piston rod, seals, ball joints and
bushings together, of leaf springs also that between their leaves.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stale import put
from trim_cars import wheel_loads

from jounce.vehicle import load
from jounce.vehicle.reading import VEHICLES

STEER, TURN, SHIFT, PUSH = "deg/kN", "deg/(kN.m)", "mm/kN", "mm/(kN.m)"
DEG = math.pi / 180
RIGID = 0.5
COMMAND = "tools/make_compliance.py"


@dataclass(frozen=True)
class Give:
    """Targets of an axle; rates with both wheels loaded alike."""

    fy_steer: float  # deg/kN, understeer positive
    mz_steer: float  # deg per kN.m
    fy_camber: float  # deg/kN
    fy_shift: float  # mm/kN, of the wheel centre
    fx_shift: float  # mm/kN, of the wheel centre
    brake_steer: float  # deg/kN of brake force, toe-in positive
    drive_steer: float  # deg/kN of drive force, toe-in positive
    wind_up: float  # deg/kN of brake force, top of the carrier forward
    friction: float  # of the wheel load
    shared: float = 0.0  # of the steer: what turns the axle as a whole
    slides: float = 0.6  # mm: friction over its stiffness

    @property
    def rigid(self) -> bool:
        """Whether both wheels sit on one body."""
        return self.shared == RIGID

    def maps(self, front: bool, track: float) -> dict[str, Any]:
        """The maps of the left wheel as raw data (1-4)."""
        sense = -1.0 if front else 1.0
        steer, turn = -sense * self.fy_steer, -self.mz_steer
        own, other = 1 - self.shared, self.shared
        toe = {"fy": _rate(own * steer, STEER), "mz": _rate(own * turn, TURN)}
        turned = self.fx_shift / track / DEG * 1e-3  # (4)
        if self.rigid:
            toe["fx"] = _rate(turned, STEER)
        else:
            toe["fx_brake"], toe["fx_drive"] = _rate(-self.brake_steer, STEER), _rate(self.drive_steer, STEER)
        result: dict[str, Any] = {
            "x": {"fx": _rate(self.fx_shift, SHIFT)},
            "y": {"fy": _rate(self.fy_shift, SHIFT), "mz": _rate(-own * steer * DEG * 1e3, PUSH)},
            "toe": toe,
            "camber": {"fy": _rate(-self.fy_camber, STEER)},
            "side_view_angle": {"fx_brake": _rate(self.wind_up, STEER)},
        }
        if other:
            result["cross"] = {
                "y": {"mz": _rate(-other * steer * DEG * 1e3, PUSH)},
                "toe": {"fy": _rate(other * steer, STEER), "mz": _rate(other * turn, TURN)},
            }
        if self.rigid:
            result["cross"]["toe"]["fx"] = _rate(-turned, STEER)
        return result

    def friction_at(self, wheel_load: float) -> dict[str, Any]:
        """The element as raw data (5), to 5 N and 5 N/mm."""
        force = 5 * round(self.friction * wheel_load / 5)
        stiffness = 5 * round(force / self.slides / 5)
        return {"kind": "friction", "force": f"{force} N", "stiffness": f"{stiffness} N/mm"}


def _rate(value: float, unit: str) -> str:
    return f"{value:.4g} {unit}"


# Steer by F_y of a front wheel is about its mechanical trail times the steer by M_z, less what links in front of or
# behind the axis take back; understeer budgets by `jounce kc` say how much of each a car needs.
CARS: dict[str, dict[str, Give]] = {
    "compact": {
        "front": Give(0.0515, 3.90, 0.20, 0.50, 4.0, 0.02, 0.05, 0.45, 0.025, shared=0.10),
        "rear": Give(-0.0795, 2.8, 0.05, 0.60, 3.0, 0.00, 0.00, 0.40, 0.018, shared=RIGID),
    },
    "sedan": {
        "front": Give(0.045, 2.95, 0.18, 0.45, 3.5, 0.02, 0.02, 0.40, 0.018, shared=0.10),
        "rear": Give(-0.010, 1.0, 0.12, 0.40, 2.5, 0.05, 0.03, 0.30, 0.018),
    },
    "suv": {
        "front": Give(0.040, 3.10, 0.13, 0.40, 3.5, 0.02, 0.03, 0.35, 0.018, shared=0.10),
        "rear": Give(-0.027, 1.35, 0.06, 0.35, 3.0, 0.04, 0.03, 0.30, 0.018),
    },
    "sports": {
        "front": Give(0.058, 3.3, 0.09, 0.20, 1.5, 0.01, 0.01, 0.20, 0.016, shared=0.35),
        "rear": Give(-0.005, 0.6, 0.08, 0.18, 1.2, 0.02, 0.02, 0.15, 0.016),
    },
    "light_truck": {
        "front": Give(0.063, 4.05, 0.20, 0.40, 2.5, 0.02, 0.02, 0.35, 0.020, shared=0.10),
        "rear": Give(-0.010, 0.35, 0.04, 0.60, 1.5, 0.00, 0.00, 0.80, 0.080, shared=RIGID, slides=1.5),
    },
}

# on links of the sedan; more mass asks for stiffer bushings
CARS["hybrid"] = {
    "front": Give(0.064, 4.15, 0.18, 0.45, 3.5, 0.02, 0.02, 0.40, 0.018, shared=0.35),
    "rear": Give(-0.004, 0.8, 0.10, 0.40, 2.5, 0.05, 0.03, 0.30, 0.018),
}
CARS["bev"] = {
    "front": Give(0.058, 3.8, 0.18, 0.45, 3.5, 0.02, 0.02, 0.40, 0.018, shared=0.35),
    "rear": Give(0.002, 0.6, 0.10, 0.35, 2.5, 0.05, 0.03, 0.30, 0.018),
}


def text(data: dict[str, Any], title: str) -> str:
    """As YAML: groups in lines of their own, rates in braces."""
    lines = [f"# {title}, by {COMMAND} from the figures stated there. Made up; licence CC0-1.0."]

    def inline(rates: dict[str, Any]) -> str:
        return "{" + ", ".join(f"{key}: {value}" for key, value in rates.items()) + "}"

    for key, value in data.items():
        if not isinstance(value, dict):
            lines.append(f"{key}: {value}")
        elif any(isinstance(item, dict) for item in value.values()):
            lines += [f"{key}:", *(f"  {name}: {inline(rates)}" for name, rates in value.items())]
        else:
            lines.append(f"{key}: {inline(value)}")
    return "\n".join(lines) + "\n"


def files(name: str) -> dict[Path, str]:
    """Files of a car and what they should hold."""
    result = {}
    car = load(name)
    for (axle, give), wheel_load in zip(CARS[name].items(), wheel_loads(car), strict=True):
        track = car.suspension(1 if axle == "front" else 2).track
        compliance = text(give.maps(axle == "front", track), f"How the {axle} wheels give way, rates of the left one")
        friction = text(
            give.friction_at(wheel_load), f"Friction of a {axle} wheel, {100 * give.friction:g} % of its load"
        )
        result[VEHICLES / name / f"{axle}_compliance.yaml"] = compliance
        result[VEHICLES / name / f"{axle}_friction.yaml"] = friction
    return result


def changes(name: str) -> dict[Path, str]:
    """New texts of the files of a car that are not up to date."""
    wanted = files(name)
    return {path: new for path, new in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != new}


def main(arguments: list[str]) -> int:
    return put({path: new for name in CARS for path, new in changes(name).items()}, VEHICLES, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
