"""Pictures of the layouts of the library's trucks and trains: python tools/make_layout_pictures.py

Side and top views of what the workbench draws of each (`jounce.app.scene.drawing`), in docs/images/layouts.png.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

import matplotlib.pyplot as plt
from classes import TRUCKS
from matplotlib.patches import Circle, Polygon, Rectangle

from jounce.app.scene.drawing import drawing_of, name_of, places_of
from jounce.vehicle import Vehicle, layout_text, load

FILE = Path(__file__).resolve().parent.parent / "docs/images/layouts.png"
INK, BODY, GLASS, TIRE, HITCH = "#10294a", "#dbe6f4", "#b9cfe9", "#33373d", "#c2410c"
DPI = 130


def hull(points: Any) -> Any:
    """Corners of the convex hull of points in a plane, one after the other."""
    points = sorted({(float(x), float(y)) for x, y in points})

    def half(items: Any) -> list[Any]:
        found: list[Any] = []
        for p in items:
            while len(found) > 1:
                (ax, ay), (bx, by) = found[-2], found[-1]
                if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                    break
                found.pop()
            found.append(p)
        return found[:-1]

    return np.array(half(points) + half(points[::-1]))


def draw(ax: Any, vehicle: Vehicle, view: int) -> None:
    """From the side (view 2: z upwards) or from above (view 1: y upwards)."""
    look, places = drawing_of(vehicle, details=False), places_of(vehicle)
    for name, shapes in look["bodies"].items():
        for shape in shapes:
            if shape["kind"] == "mesh":
                points = np.reshape(shape["points"], (-1, 3)) + places[name]
                color = GLASS if shape["usual"] else BODY
                ax.add_patch(Polygon(hull(points[:, [0, view]]), fc=color, ec=INK, lw=0.9, alpha=0.85, zorder=2))
    for name, shapes in look["bodies"].items():
        for shape in (item for item in shapes if item["kind"] == "wheel"):
            at, r, w = places[name], shape["radius"], shape["width"]
            if view == 2:
                ax.add_patch(Circle((at[0], at[2]), r, fc=TIRE, ec="white", lw=0.8, zorder=3))
                ax.add_patch(Circle((at[0], at[2]), 0.52 * r, fc="#c9ced6", ec="white", lw=0.5, zorder=3))
            else:
                y = at[1] + shape.get("offset", 0.0)
                ax.add_patch(Rectangle((at[0] - r, y - w / 2), 2 * r, w, fc=TIRE, ec="white", lw=0.6, zorder=4))
    for left, right in look["links"]:
        a, b = places[left], places[right]
        if view == 1:
            ax.plot([a[0], b[0]], [a[1], b[1]], color=TIRE, lw=2.2, zorder=3)
    for unit in vehicle.layout.units[1:]:
        at, height = places[name_of(unit)], unit.data.hitch.location.z
        axle = unit.axles[0]
        near = axle.x + unit.offset[0]
        level = height if view == 2 else 0.0
        if near < at[0] - 2.5 and unit.data.hitch.coupling == "ball":  # a drawbar to the box
            front = unit.data.body.cargo.front if unit.data.body.cargo else 0.3 * axle.x
            ax.plot([at[0], at[0] + front], [level, level], color=INK, lw=2.5, zorder=1)
        ax.plot([at[0]], [level], "o", color=HITCH, ms=5, zorder=6)
    if view == 2:
        ax.axhline(0.0, color="#8a8f98", lw=1.0, zorder=1)


def main() -> int:
    figure, axes = plt.subplots(2 * len(TRUCKS), 1, figsize=(10.0, 16.9), height_ratios=[4.55, 3.2] * len(TRUCKS))
    for i, name in enumerate(TRUCKS):
        vehicle = load(name)
        for ax, view, limits in ((axes[2 * i], 2, (-0.15, 4.4)), (axes[2 * i + 1], 1, (-1.6, 1.6))):
            draw(ax, vehicle, view)
            ax.set(xlim=(2.1, -16.4), ylim=limits, aspect="equal")
            ax.axis("off")
        title = f"{layout_text.of(vehicle)}   {name}, {vehicle.mass() / 1e3:.1f} t"
        axes[2 * i].set_title(title, loc="left", fontsize=11, color=INK, fontweight="bold", y=0.93)
    figure.subplots_adjust(0.01, 0.005, 0.99, 0.985, hspace=0.02)
    figure.savefig(FILE, dpi=DPI)
    return 0


if __name__ == "__main__":
    sys.exit(main())
