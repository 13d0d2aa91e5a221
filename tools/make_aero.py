"""Make the aerodynamic maps and the side forces of the library's cars: python tools/make_aero.py [--check]

Maps of the cars with wings and a floor are files of their own (``SHAPES``); side force and yaw moment in a wind from
the side (``CROSSWIND``) are a line of the vehicles' files.

Areas (coefficient times frontal area, m²) over the ride heights h_f and h_r of the floor at the axles, by shapes that
wings and floors near the ground show [Katz1995]: the downforce of either rises as it comes down, up to a height h*
below which the flow through the gap chokes,

    p(h, h*) = 2 h h*/(h² + h*²)                                   1 at h*, falling on both sides                    (1)
    A_wing   = a_0 + a_1 p(h_f, h_w*)                              front wing                                       (2)
    A_floor  = a_2 p(σ h_f + (1 - σ) h_r, h_l*) (1 + e (h_r - h_f)/L)   floor and diffuser: more with rake          (3)
    A_front  = A_wing + c A_floor,   A_rear = A_tail + (1 - c) A_floor,   c = c_0 + c_1 (h_r - h_f)/L               (4)
    A_drag   = A_0 + i (A_front + A_rear)                          the lift costs drag                              (5)

so that the balance goes forward as the nose comes down.

Side forces are those of the class, C_S = −s sin β and C_Y = −½ n sin 2β (`events/library/side_wind.py`): nearly
straight up to 20 deg; s = 2.3/rad (0.04/deg) and n = 0.45/rad (0.008/deg) of a saloon are the experience of the field.
A full tail has more side force behind, and so more side force and less yaw moment than a notchback, which has the
largest yaw moment [Hucho1998]; s goes with the height of the side over the frontal area, which is by width and height.

All numbers are choices of this project; no car and no tunnel is described. Forces are at the reference speed and
density of the car's files, each at the middle of its axle. The files have a row of names, a row of units, then numbers;
the first column varies slowest. CC0-1.0.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from stale import put

Array = npt.NDArray[np.float64]
FOLDER = Path(__file__).resolve().parent.parent / "src/jounce/library/vehicles"
PRESSURE = 0.5 * 1.2 * 50.0**2  # Pa, at the reference density and speed
# mm; closer where the gap chokes
KNOTS = (0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 25.0, 30.0, 35.0, 40.0, 50.0, 60.0, 70.0, 80.0, 100.0, 120.0, 150.0)


@dataclass(frozen=True)
class Shape:
    """Numbers of (1) to (5); SI."""

    wheelbase: float
    wing: tuple[float, float, float]  # a_0, a_1, h_w*
    floor: tuple[float, float, float, float]  # a_2, σ, h_l*, e
    tail: float
    centre: tuple[float, float]  # c_0, c_1
    drag: tuple[float, float]  # A_0, i

    def areas(self, front: Array, rear: Array) -> tuple[Array, Array, Array]:
        """Areas of front and rear downforce and of drag."""
        rake = (rear - front) / self.wheelbase
        wing = self.wing[0] + self.wing[1] * _peak(front, self.wing[2])  # (2)
        most, share, height, more = self.floor
        floor = most * _peak(share * front + (1 - share) * rear, height) * (1 + more * rake)  # (3)
        ahead = self.centre[0] + self.centre[1] * rake
        at_front, at_rear = wing + ahead * floor, self.tail + (1 - ahead) * floor  # (4)
        return at_front, at_rear, self.drag[0] + self.drag[1] * (at_front + at_rear)  # (5)


SHAPES = {
    "formula": Shape(
        wheelbase=2.95,
        wing=(0.45, 0.75, 0.012),
        floor=(1.35, 0.6, 0.025, 6.0),
        tail=0.98,
        centre=(0.38, 4.0),
        drag=(0.95, 0.035),
    )
}


# m², 1/rad, 1/rad
CROSSWIND = {
    "sedan": (2.2, 2.3, 0.45),
    "hybrid": (2.2, 2.3, 0.45),
    "bev": (2.25, 2.35, 0.47),  # a smooth, rounded front
    "compact": (2.15, 2.45, 0.38),  # full tail
    "suv": (2.65, 2.7, 0.36),  # full tail, high
    "sports": (1.95, 2.0, 0.42),  # low
    "light_truck": (3.1, 3.1, 0.45),  # high, with a cab in front
}
MARK = "   # by tools/make_aero.py"


def _peak(height: Array, best: float) -> Array:
    out: Array = 2 * height * best / (height**2 + best**2)  # (1)
    return out


def text(shape: Shape) -> str:
    """The file of a car."""
    front, rear = (grid.ravel() for grid in np.meshgrid(KNOTS, KNOTS, indexing="ij"))
    forces = [PRESSURE * area for area in shape.areas(1e-3 * front, 1e-3 * rear)]
    lines = [
        "# downforce at the axles and drag at 50 m/s and 1.2 kg/m3, over the heights of the floor at the axles",
        "# made by tools/make_aero.py from a few numbers; CC0-1.0; nothing was measured",
        "front_height,rear_height,front_downforce,rear_downforce,drag",
        "mm,mm,N,N,N",
    ]
    rows = zip(front, rear, *forces, strict=True)
    lines += [f"{f:g},{r:g}," + ",".join(f"{force:.3f}" for force in found) for f, r, *found in rows]
    return "\n".join(lines) + "\n"


def with_crosswind(name: str) -> str:
    """The file of a car with its line."""
    area, side, yaw = CROSSWIND[name]
    line = f"  crosswind: {{frontal_area: {area} m2, side_slope: {side} 1/rad, yaw_slope: {yaw} 1/rad}}{MARK}"
    lines = [old for old in (FOLDER / name / "vehicle.yaml").read_text(encoding="utf-8").splitlines()
             if not old.startswith("  crosswind:")]  # fmt: skip
    after = next(i for i, old in enumerate(lines) if old.startswith("  rear_downforce:"))
    return "\n".join([*lines[: after + 1], line, *lines[after + 1 :]]) + "\n"


def changes() -> dict[Path, str]:
    """New texts of the files that are not up to date."""
    found = {FOLDER / name / "aero.csv": text(shape) for name, shape in SHAPES.items()}
    found |= {FOLDER / name / "vehicle.yaml": with_crosswind(name) for name in CROSSWIND}
    return {p: t for p, t in found.items() if not p.is_file() or p.read_text(encoding="utf-8") != t}


def main(arguments: list[str]) -> int:
    return put(changes(), FOLDER, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
