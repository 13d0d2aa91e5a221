"""Make the roads and paths of the shipped library: `python tools/make_roads.py`; with `pictures` the documentation's.

All of it is our own: invented lines, drawn from points and waves, no measured road. Licence CC0-1.0.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path as FilePath

import numpy as np

from jounce.core.library import LIBRARY
from jounce.road.path import Path

HEAD = (
    "# author: the jounce authors; licence: CC0-1.0; source: made by tools/make_roads.py, invented, no measured road\n"
)

SIMPLE = {
    "flat": ("a level plane", "flat: {friction: 1.0, length: 200, width: 200}\n"),
    "mu_split": (
        "straight, dry on the left and wet ice on the right from 50 m on",
        "line: {straight: 400}\nwidth: {left: 6, right: 6}\n"
        "features:\n  - patch: {s0: 50, s1: 400, n0: -20, n1: 0, friction: 0.2}\n",
    ),
    "wet_patch": (
        "straight with 30 m of wet surface",
        "line: {straight: 300}\nwidth: {left: 6, right: 6}\n"
        "features:\n  - patch: {s0: 100, s1: 130, friction: 0.4, edge: 1.0}\n",
    ),
    "cleat": (
        "a bar of 20 by 40 mm across the road",
        "line: {straight: 100}\nwidth: {left: 4, right: 4}\n"
        "features:\n  - cleat: {s: 50, height: 20 mm, width: 40 mm}\n",
    ),
    "potholes": (
        "potholes for the left wheels, the right wheels, and both",
        "line: {straight: 200}\nwidth: {left: 4, right: 4}\nfeatures:\n"
        "  - pothole: {s: 50, n: 0.8, depth: 60 mm, length: 0.7, width: 0.5}\n"
        "  - pothole: {s: 80, n: -0.8, depth: 60 mm, length: 0.7, width: 0.5}\n"
        "  - pothole: {s: 110, n: 0.0, depth: 40 mm, length: 0.6, width: 3.0}\n"
        "  - round_pothole: {s: 140, n: 0.8, depth: 50 mm, radius: 0.45}\n",
    ),
    "sine": (
        "waves of 2 m and 10 mm from 20 m on",
        "line: {straight: 200}\nwidth: {left: 4, right: 4}\n"
        "features:\n  - sine: {s: 20, amplitude: 10 mm, wavelength: 2, length: 160}\n",
    ),
    "chirp": (
        "waves of 10 mm that shorten from 10 m to 0.5 m",
        "line: {straight: 250}\nwidth: {left: 4, right: 4}\n"
        "features:\n  - chirp: {s: 20, amplitude: 10 mm, first: 10, last: 0.5, length: 200}\n",
    ),
    **{
        f"iso_8608_{c}": (
            f"straight of 1 km, ISO 8608 class {c.upper()}, coherency 0.7 of both tracks",
            "line: {straight: 1000}\nwidth: {left: 4, right: 4}\n"
            f"unevenness: {{iso_8608: {c.upper()}, coherency: 0.7, seed: {20 + i}}}\n",
        )
        for i, c in enumerate("abcde")
    },
}

# the handling track: corners of a polygon, then a smooth closed line, scaled to its length
HANDLING = [
    (0, 0), (160, -6), (330, 4), (470, 0), (530, 12), (565, 50), (560, 95), (520, 112), (470, 100), (425, 112),
    (398, 150), (412, 192), (455, 205), (515, 195), (570, 215), (585, 262), (550, 298), (490, 300), (440, 318),
    (425, 356), (450, 390), (510, 400), (590, 405), (640, 440), (636, 492), (590, 512), (530, 500), (470, 470),
    (400, 455), (350, 475), (330, 520), (290, 545), (240, 530), (222, 488), (245, 450), (275, 415), (262, 372),
    (215, 355), (165, 372), (130, 415), (85, 430), (42, 405), (35, 355), (70, 320), (125, 300), (165, 262),
    (150, 215), (95, 200), (20, 215), (-60, 210), (-120, 170), (-138, 105), (-110, 40), (-60, 8),
]  # fmt: skip


def scaled(points: np.ndarray, length: float) -> np.ndarray:
    """Plan view scaled to a length; heights stay."""
    first = Path.from_points(points, closed=True)
    return points * np.array([length / first.length, length / first.length, 1.0])


def banked(path: Path, per_curvature: float, most: float) -> np.ndarray:
    """Bank that leans into bends, smoothed over about 30 m."""
    wanted = np.clip(-per_curvature * path.curvature, -most, most)
    k = np.fft.rfftfreq(len(path.s), path.step)
    return np.fft.irfft(np.fft.rfft(wanted) * np.exp(-0.5 * (2 * math.pi * k * 15) ** 2), len(path.s))


def write(path: Path, name: str, spacing: float, width: float, bank: np.ndarray) -> None:
    """A DRD file with rounded numbers: millimetres are enough."""
    count = round(path.length / spacing)
    s = np.arange(count) * path.length / count
    p = path.at(s)
    banks = np.interp(s, path.s, bank)
    rows = "\n".join(f"{x:.3f} {y:.3f} {width:g} {b:.4f} 0 {z:.3f}" for (x, y, z), b in zip(p, banks, strict=True))
    text = "# x-coord y-coord width lat.inc speed z-coord\n" + HEAD + rows + "\n"
    (LIBRARY / "paths" / f"{name}.drd").write_text(text, encoding="utf-8")


def handling() -> Path:
    points = np.column_stack([np.array(HANDLING, dtype=float), np.zeros(len(HANDLING))])
    points = scaled(points, 5000.0)
    path = Path.from_points(points, closed=True, step=2.0)
    a = 2 * math.pi * path.s / path.length
    z = 9 * np.sin(a) + 4 * np.sin(3 * a + 1.0) + 1.5 * np.sin(7 * a + 2.0)
    return Path(path.s, path.x, path.y, z - z[0], path.heading, path.curvature, True, name="handling")


def mountain(seed: int = 7) -> Path:
    """A lap of 20 km up a valley and down again: a ring whose radius wanders, with many bends."""
    rng = np.random.Generator(np.random.PCG64(seed))
    angle = 2 * math.pi * np.arange(1440) / 1440
    radius = np.full(1440, 1.0)
    for k in range(2, 120):
        size = 0.30 / k if k < 12 else 3.4 / k**1.85
        radius += 0.55 * size * rng.uniform(0.5, 1.0) * np.sin(k * angle + rng.uniform(0, 2 * math.pi))
    points = np.column_stack([1.7 * radius * np.cos(angle), radius * np.sin(angle), np.zeros(1440)])
    points = scaled(1000 * points, 20000.0)
    path = Path.from_points(points, closed=True, step=2.0)
    a = 2 * math.pi * path.s / path.length
    z = 220 * (1 - np.cos(a))
    for k in range(2, 40):
        z += 14 / k**1.4 * np.sin(k * a + rng.uniform(0, 2 * math.pi))
    return Path(path.s, path.x, path.y, z - z[0], path.heading, path.curvature, True, name="mountain")


def main() -> None:
    for folder in ("roads", "paths"):
        (LIBRARY / folder).mkdir(exist_ok=True)
    for name, (what, body) in SIMPLE.items():
        text = f"{HEAD}road: {name}\ndescription: {what}\n{body}"
        (LIBRARY / "roads" / f"{name}.yaml").write_text(text, encoding="utf-8")
    for path, spacing, width, rate, most, text in (
        (handling(), 8.0, 10.0, 2.0, 0.06, "a handling track of 5 km with hills, banked bends and kerbs"),
        (mountain(), 12.5, 7.0, 2.5, 0.07, "a lap of 20 km over a mountain, class B surface"),
    ):
        write(path, path.name, spacing, width, banked(path, rate, most))
        body = f"{HEAD}road: {path.name}\ndescription: {text}\nline: {{path: ../paths/{path.name}.drd}}\n"
        if path.name == "handling":
            strips = "slope_1: 0.1, width_1: 0.4, friction_1: 0.9, slope_2: 0.02, width_2: 0.8, friction_2: 0.7"
            body += f"kerbs:\n  left: {{{strips}}}\n  right: {{{strips}}}\n"
        else:
            body += "unevenness: {iso_8608: B, coherency: 0.7, seed: 3, n_max: 2.0}\n"
        (LIBRARY / "roads" / f"{path.name}.yaml").write_text(body, encoding="utf-8")
        print(path.name, f"{path.length:.1f} m, tightest radius {1 / np.max(np.abs(path.curvature)):.1f} m, "
              f"steepest {100 * np.max(np.abs(path.slope)):.1f} %")  # fmt: skip


def pictures(folder: FilePath) -> None:
    """The pictures of docs/roads.md."""
    from jounce.files.roads import load_road
    from jounce.road.envelope import Envelope
    from jounce.road.simple import Flat, Sum, cleat

    folder.mkdir(parents=True, exist_ok=True)
    for name in ("handling", "mountain", "potholes", "iso_8608_c", "mu_split"):
        load_road(name).figure().savefig(folder / f"{name}.png", dpi=60)
    from matplotlib.figure import Figure

    base = Sum(base=Flat(), features=[cleat(0.02, 0.05)])
    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    x = np.linspace(-0.4, 0.4, 1601)
    for label, road in (
        ("one point", base),
        ("25 × 3 points", Envelope(road=base, n_long=25)),
        ("tandem cams", Envelope(road=base, mode="cams", length=0.1, n_long=200, n_wide=1)),
    ):
        axes.plot(x, 1000 * road.query(x, 0.0).height, label=label)
    axes.set(xlabel="x, m", ylabel="effective height, mm")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(folder / "envelope.png", dpi=60)


if __name__ == "__main__":
    if "pictures" in sys.argv[1:]:
        pictures(FilePath(__file__).parent.parent / "docs" / "images" / "roads")
    else:
        main()
