"""Make the roads and paths of the shipped library: `python tools/make_roads.py`; with `pictures` the documentation's.

All of it is our own: invented lines, drawn from points and waves, no measured road. Licence CC0-1.0.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from jounce.core.library import LIBRARY
from jounce.road.path import Path

HEAD = (
    "# author: the jounce authors; licence: CC0-1.0; source: made by tools/make_roads.py, invented, no measured road\n"
)

RISE = 80 / math.tan(math.radians(35))  # mm, length of the face of a kerb of 80 mm at 35 degrees

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
    # obstacles of misuse, whose names begin with the prefix of their case
    "plank_40": (
        "a plank of 40 by 200 mm across the road",
        "line: {straight: 220}\nstart: {x: -10}\nwidth: {left: 4, right: 4}\n"
        "features:\n  - cleat: {s: 50, height: 40 mm, width: 200 mm, chamfer: 10 mm}\n",
    ),
    "curb90_80": (
        "a kerb of 80 mm, upright, onto a pavement of 40 m",
        "line: {straight: 220}\nstart: {x: -10}\nwidth: {left: 4, right: 4}\n"
        "features:\n  - cleat: {s: 70, height: 80 mm, width: 40, chamfer: 10 mm}\n",
    ),
    "curb35_80": (
        "a kerb of 80 mm at 35 degrees, onto a pavement of 40 m",
        "line: {straight: 220}\nstart: {x: -10}\nwidth: {left: 4, right: 4}\n"
        f"features:\n  - cleat: {{s: 70, height: 80 mm, width: 40, chamfer: {RISE:.1f} mm}}\n",
    ),
    "drain_bs_60": (
        "a drain of 60 by 500 mm under both sides",
        "line: {straight: 220}\nstart: {x: -10}\nwidth: {left: 4, right: 4}\n"
        "features:\n  - pothole: {s: 50, n: 0.0, depth: 60 mm, length: 0.5, width: 3.0, edge: 0.1}\n",
    ),
    "drain_os_60": (
        "a drain of 60 by 500 mm under the left side",
        "line: {straight: 220}\nstart: {x: -10}\nwidth: {left: 4, right: 4}\n"
        "features:\n  - pothole: {s: 50, n: 0.8, depth: 60 mm, length: 0.5, width: 0.8, edge: 0.1}\n",
    ),
    "ramp_bs_120": (
        "a ramp of 120 mm under the left side, and one under the right side 8 m later",
        "line: {straight: 220}\nstart: {x: -10}\nwidth: {left: 4, right: 4}\nfeatures:\n"
        "  - cleat: {s: 52, n: 0.8, height: 120 mm, width: 4, chamfer: 1.9, across: 0.9}\n"
        "  - cleat: {s: 60, n: -0.8, height: 120 mm, width: 4, chamfer: 1.9, across: 0.9}\n",
    ),
    "ramp_os_120": (
        "a ramp of 120 mm under the left side",
        "line: {straight: 220}\nstart: {x: -10}\nwidth: {left: 4, right: 4}\n"
        "features:\n  - cleat: {s: 52, n: 0.8, height: 120 mm, width: 4, chamfer: 1.9, across: 0.9}\n",
    ),
    "jump_300": (
        "a platform of 300 mm that ends 40 m ahead of the origin",
        "line: {straight: 220}\nstart: {x: -20}\nwidth: {left: 4, right: 4}\n"
        "features:\n  - cleat: {s: 31, height: 300 mm, width: 58, chamfer: 20 mm}\n",
    ),
    "screw_1000": (
        "a ramp of 1 m under the left side, 10 m up and 10 m down",
        "line: {straight: 220}\nstart: {x: -10}\nwidth: {left: 6, right: 6}\n"
        "features:\n  - cleat: {s: 60, n: 0.8, height: 1.0, width: 21, chamfer: 10, across: 1.0}\n",
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
        load_road(name).figure().savefig(folder / f"{name}.png", dpi=80)
    from matplotlib.figure import Figure

    kinds().savefig(folder / "kinds.png", dpi=80)
    smoothing().savefig(folder / "smoothing.png", dpi=80)

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
    figure.savefig(folder / "envelope.png", dpi=80)


def kinds() -> Any:
    """A piece of each kind of road, heights magnified."""
    from matplotlib import colormaps
    from matplotlib.colors import LightSource
    from matplotlib.figure import Figure

    from jounce.road.builder import RoadBuilder
    from jounce.road.grid import GridRoad
    from jounce.road.line import LineRoad, Section
    from jounce.road.mesh import MeshRoad, grid_mesh
    from jounce.road.path import joined
    from jounce.road.simple import Flat, Sum, cleat, round_pothole

    bend = RoadBuilder("bend", left=4, right=4).arc(25, 80).bank(0.08).kerb("left", slope_1=0.3, width_1=0.8)
    bend = bend.kerb("right", slope_1=0.3, width_1=0.8).beside(side="none", end="none")
    u, v = np.linspace(0, 30, 121), np.linspace(-3, 3, 49)
    stones = 0.06 * np.abs(np.sin(2.1 * u[:, None]) * np.sin(2.6 * v[None, :]))
    belgian = GridRoad(z=stones, du=0.25, v=v, headings=np.linspace(0, 0.9, 120), border_u="none", border_v="none")
    x, y = np.linspace(0, 20, 41), np.linspace(-10, 10, 41)
    hills = 0.8 * np.sin(x[:, None] / 3) * np.cos(y[None, :] / 3)
    points, triangles = grid_mesh(x, y, hills)
    ditch = np.array([[-4, 0.3], [-2.5, -0.2], [0, 0.05], [2.5, -0.2], [4, 0.3]])
    section = Section(np.array([0.0, 30.0]), np.stack([ditch, ditch * [1.0, 2.5]]))
    extruded = LineRoad(path=joined([(30.0, 0.0, 0.03)]), section=section, left=4.0, right=4.0, side="none", end="none")
    bar, hole = cleat(0.1, 0.6, 0.1).moved(x=4.0), round_pothole(0.15, 0.9, -3.0, 1.5)
    shown = (
        ("Flat: an inclined plane", 4, Flat(grade=0.08, bank=-0.03), (-8, 8, -5, 5)),
        ("Sum: a bar and a hole", 5, Sum(base=Flat(), features=[bar, hole]), (-8, 8, -5, 5)),
        ("LineRoad: a banked bend with kerbs", 4, bend.build(), (-5, 32, -6, 24)),
        ("LineRoad: changing cross-sections", 3, extruded, (-1, 31, -5, 10)),
        ("GridRoad: heights along a curved line", 12, belgian, (-1, 31, -4, 17)),
        ("MeshRoad: triangles", 1.5, MeshRoad(points=points, triangles=triangles, hold=False), (0, 20, -10, 10)),
    )
    figure = Figure(figsize=(11, 6.6), layout="constrained")
    light = LightSource(315, 40)
    for i, (label, magnified, road, (x0, x1, y0, y1)) in enumerate(shown):
        axes = figure.add_subplot(2, 3, i + 1, projection="3d")
        gx, gy = np.meshgrid(np.linspace(x0, x1, 260), np.linspace(y0, y1, 200))
        sample = road.query(gx, gy)
        z = np.where(sample.no_ground, np.nan, sample.height)
        filled = np.where(np.isnan(z), np.nanmin(z), z)
        step = (x1 - x0) / 259, (y1 - y0) / 199
        vert = magnified
        colours = light.shade(filled, colormaps["viridis"], vert_exag=vert, dx=step[0], dy=step[1], blend_mode="soft")
        colours[np.isnan(z), 3] = 0.0
        options = {"rstride": 1, "cstride": 1, "lw": 0, "antialiased": False, "shade": False, "rasterized": True}
        axes.plot_surface(gx, gy, z, facecolors=colours, **options)
        axes.set_box_aspect((x1 - x0, y1 - y0, magnified * float(np.nanmax(z) - np.nanmin(z))), zoom=1.25)
        axes.view_init(38, -62)
        axes.set_title(f"{label}\nheights × {magnified:g}", fontsize=10, y=0.98)
        axes.set_axis_off()
    return figure


def smoothing() -> Any:
    """Heights under a wheel while a road grows out of the plane under the car."""
    from dataclasses import replace

    from matplotlib.figure import Figure

    import jounce as jn
    from jounce.events import StraightBraking
    from jounce.files.roads import load_road

    event = StraightBraking(speed="50 km/h", brake=0.0, start_time=2.5, end_time=3.0)
    road = load_road("iso_8608_d")
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    heights, loads = figure.subplots(2, 1, sharex=True)
    for label, time, colour in (("at once", 0.0, "#d95f02"), ("SMOOTHING_TIME 1.5 s", 1.5, "#1f77b4")):
        run = jn.run(jn.load("sedan"), event, road=replace(road, smoothing_time=time))
        heights.plot(run.time, 1000 * run["Road.Contact_Patch_Global_Z.L1"], lw=1, label=label, color=colour)
        loads.plot(run.time, run["Tire.Ground_Surface_Force_Z.L1"] / 1000, lw=1, label=label, color=colour)
    heights.set(ylabel="ground, mm", xlim=(0, 3))
    loads.set(ylabel="load L1, kN", xlabel="time, s")
    heights.legend(loc="upper left", fontsize=8, ncols=2, frameon=False)
    for axes in (heights, loads):
        axes.grid(alpha=0.3)
    return figure


if __name__ == "__main__":
    if "pictures" in sys.argv[1:]:
        pictures(FilePath(__file__).parent.parent / "docs" / "images" / "roads")
    else:
        main()
