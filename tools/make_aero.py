"""Make the aerodynamic maps of the library's cars with wings and a floor: python tools/make_aero.py [--check]

Areas (coefficient times frontal area, m²) over the ride heights h_f and h_r of the floor at the axles, by shapes that
wings and floors near the ground show [Katz1995]: the downforce of either rises as it comes down, up to a height h*
below which the flow through the gap chokes,

    p(h, h*) = 2 h h*/(h² + h*²)                                   1 at h*, falling on both sides                    (1)
    A_wing   = a_0 + a_1 p(h_f, h_w*)                              front wing                                       (2)
    A_floor  = a_2 p(σ h_f + (1 - σ) h_r, h_l*) (1 + e (h_r - h_f)/L)   floor and diffuser: more with rake          (3)
    A_front  = A_wing + c A_floor,   A_rear = A_tail + (1 - c) A_floor,   c = c_0 + c_1 (h_r - h_f)/L               (4)
    A_drag   = A_0 + i (A_front + A_rear)                          the lift costs drag                              (5)

so that the balance goes forward as the nose comes down. All numbers are choices of this project; no car and no tunnel
is described. Forces are at the reference speed and density of the car's files, each at the middle of its axle. The
files have a row of names, a row of units, then numbers; the first column varies slowest. CC0-1.0.
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


def changes() -> dict[Path, str]:
    """New texts of the files that are not up to date."""
    found = {FOLDER / name / "aero.csv": text(shape) for name, shape in SHAPES.items()}
    return {p: t for p, t in found.items() if not p.is_file() or p.read_text(encoding="utf-8") != t}


def main(arguments: list[str]) -> int:
    return put(changes(), FOLDER, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
