"""Make the kinematic maps of the library's cars: python tools/make_maps.py [--check] [--split FOLDER]

From hard points (`kinematics.cars`) it writes src/jounce/library/vehicles/<car>/maps/ and prints the key figures with
the range of their class. ``--check`` writes nothing and says what is not up to date; ``--split`` writes, instead, one
file per curve (columns x, y or x, z, y).

Files of a car, for the left side (the right one is its mirror image):

    front.csv            over jounce, rack straight: x, y, toe, camber, side_view_angle; spring, damper, anti_roll_bar
    front_steering.csv   over rack and jounce: x, y, steer, camber, side_view_angle; and by how much the deflection of
                         the elements there exceeds that of front.csv (*_increment)
    front_kingpin.csv    over rack and jounce: caster, inclination, and x, y, z of the point of the axis nearest to the
                         wheel centre, from the wheel centre at design; the axis of steering with the spring locked
    rear.csv             over jounce, for dependent axles over jounce and paired_jounce: as front.csv
    rear_twist.csv       of a twist beam, over jounce: twist with the paired wheel at design. That of any two travels
                         is the difference of two such angles, as of an anti-roll bar, to 4e-3 deg in 22 deg
    key_figures.json     figures at design

A row of names, a row of units, then numbers; the first column varies slowest; lines with # are remarks. Signs:
docs/conventions.md. Jounce is the rise of the wheel centre in the chassis frame, rack travel is positive to the left,
deflections are zero at design and positive in compression; that of an anti-roll bar is the angle of its end.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from kinematics.cars import CARS, Axle, Car
from kinematics.elements import Rocker, Twist, steering_axis
from kinematics.figures import axle_figures, motion_ratio, steering_figures
from kinematics.linkages import MAPS, Array
from kinematics.ranges import RANGES, range_of

FOLDER = Path(__file__).resolve().parent.parent / "src/jounce/library/vehicles"
COMMAND = "python tools/make_maps.py"
LICENCE = "CC0-1.0"
# Per unit: factor from SI and decimals. 1e-10 m and 2e-10 rad are far below what interpolation adds.
UNITS = {"mm": (1e3, 7), "deg": (180.0 / math.pi, 8)}
LENGTHS = ("x", "y")


@dataclass(frozen=True)
class MapFile:
    """A file of maps: axes and columns, in the units written."""

    title: str
    axes: dict[str, Array]  # name -> knots, mm
    columns: dict[str, tuple[str, Array]]  # name -> unit, values over the grid

    def text(self) -> str:
        grid = np.meshgrid(*self.axes.values(), indexing="ij")
        names = [*self.axes, *self.columns]
        units = ["mm"] * len(self.axes) + [unit for unit, _ in self.columns.values()]
        cells = [[f"{value:g}" for value in axis.ravel()] for axis in grid]
        cells += [[_number(v, UNITS[unit][1]) for v in values.ravel()] for unit, values in self.columns.values()]
        head = [
            f"# {self.title}",
            f"# made by tools/make_maps.py from hard points; {LICENCE}; signs: docs/conventions.md",
        ]
        rows = [",".join(row) for row in zip(*cells, strict=True)]
        return "\n".join([*head, ",".join(names), ",".join(units), *rows]) + "\n"

    def split(self) -> dict[str, str]:
        """One text per column."""
        return {
            name: MapFile(f"{self.title}: {name}", self.axes, {name: column}).text()
            for name, column in self.columns.items()
        }


def _number(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _column(unit: str, values: Array, shape: tuple[int, ...]) -> tuple[str, Array]:
    return unit, UNITS[unit][0] * values.reshape(shape)


def _element_unit(element: object) -> str:
    return "deg" if isinstance(element, Rocker | Twist) else "mm"


def axle_file(car: Car, axle: Axle, place: str) -> MapFile:
    """Maps and deflections over jounce, or over both jounces of a dependent axle."""
    axes = {"jounce": 1e3 * axle.travel}
    travel = axle.travel[:, None]
    if axle.dependent:
        axes["paired_jounce"] = axes["jounce"]
        travel = np.stack([g.ravel() for g in np.meshgrid(axle.travel, axle.travel, indexing="ij")], axis=1)
    shape = tuple(len(knots) for knots in axes.values())
    motion = axle.linkage.solve(travel)
    maps = motion.maps(0)
    columns = {name: _column("mm" if name in LENGTHS else "deg", maps[name], shape) for name in MAPS}
    for name, element in axle.elements.items():
        columns[name] = _column(_element_unit(element), element.deflection(motion), shape)
    return MapFile(f"{car.name}, {place} axle ({axle.type}), left wheel", axes, columns)


def steering_files(car: Car) -> dict[str, MapFile]:
    """Maps and steering axis over rack and jounce."""
    axle = car.front
    assert axle.rack is not None
    axes = {"rack": 1e3 * axle.rack, "jounce": 1e3 * axle.travel}
    shape = (len(axle.rack), len(axle.travel))
    rack, travel = (grid.ravel() for grid in np.meshgrid(axle.rack, axle.travel, indexing="ij"))
    motion = axle.linkage.solve(travel[:, None], rack)
    straight = axle.linkage.solve(axle.travel[:, None])
    maps = motion.maps(0)
    steer = {"x": maps["x"], "y": maps["y"], "steer": -maps["toe"], "camber": maps["camber"]}
    steer["side_view_angle"] = maps["side_view_angle"]
    columns = {name: _column("mm" if name in LENGTHS else "deg", values, shape) for name, values in steer.items()}
    for name, element in axle.elements.items():
        more = element.deflection(motion).reshape(shape) - element.deflection(straight)
        columns[f"{name}_increment"] = _column(_element_unit(element), more, shape)
    axis = steering_axis(motion, axle.elements["spring"])
    kingpin = {
        "caster": _column("deg", axis.caster, shape),
        "inclination": _column("deg", axis.inclination, shape),
        **{name: _column("mm", axis.point[:, i], shape) for i, name in enumerate("xyz")},
    }
    return {
        "front_steering": MapFile(f"{car.name}, front axle ({axle.type}) steered, left wheel", axes, columns),
        "front_kingpin": MapFile(f"{car.name}, steering axis, left wheel, spring locked", axes, kingpin),
    }


def twist_file(car: Car, axle: Axle) -> MapFile:
    """Twist of a beam over the travel of one wheel, the other one at design."""
    travel = np.stack([axle.travel, np.zeros_like(axle.travel)], axis=1)
    twist = axle.elements["twist"].deflection(axle.linkage.solve(travel))
    title = f"{car.name}, rear axle ({axle.type}), twist by the left wheel"
    return MapFile(title, {"jounce": 1e3 * axle.travel}, {"twist": _column("deg", twist, twist.shape)})


def map_files(car: Car) -> dict[str, MapFile]:
    """All files of a car by name."""
    files = {
        "front": axle_file(car, car.front, "front"),
        **steering_files(car),
        "rear": axle_file(car, car.rear, "rear"),
    }
    if "twist" in car.rear.elements:
        files["rear_twist"] = twist_file(car, car.rear)
    return files


def key_figures(car: Car) -> dict[str, float]:
    """Figures at design, in mm, deg, deg/m and %."""
    out: dict[str, float] = {"wheelbase": 1e3 * car.layout.wheelbase}
    for place, axle, track in zip(("front", "rear"), (car.front, car.rear), car.tracks, strict=True):
        out[f"track_{place}"] = 1e3 * track
        out[f"wheel_centre_height_{place}"] = 1e3 * float(axle.linkage.wheels[0].centre[2])
        found = axle_figures(axle.linkage, car.layout, front=place == "front", solid=axle.solid)
        out |= {f"{name}_{place}": value for name, value in found.items()}
        for name, element in axle.elements.items():
            parallel, opposite = motion_ratio(axle.linkage, element)
            scale = 180.0 / math.pi if _element_unit(element) == "deg" else 1.0  # deg/m, or mm/mm
            if not isinstance(element, Twist):
                out[f"{name}_ratio_{place}"] = scale * parallel
            if axle.dependent:
                out[f"{name}_ratio_roll_{place}"] = scale * opposite
    out |= steering_figures(car.front.linkage, car.front.elements["spring"], car.front.rack_per_turn)
    return out


def key_file(car: Car) -> str:
    """The summary of a car as JSON text."""
    data = {
        "car": car.name,
        "source": "made by tools/make_maps.py from hard points",
        "licence": LICENCE,
        "units": "mm, deg, deg/m, %; ratios mm/mm, of anti-roll bars and twist deg/m; steering_ratio -",
        "assumed": {
            "cg_height": 1e3 * car.layout.cg_height,
            "brake_front": 100.0 * car.layout.brake_front,
            "drive_front": 100.0 * car.layout.drive_front,
        },
        "front": car.front.type,
        "rear": car.rear.type,
        "figures": {name: _rounded(value) for name, value in key_figures(car).items()},
    }
    return json.dumps(data, indent=2) + "\n"


def _rounded(value: float) -> float:
    return round(value, 4) + 0.0  # no minus zero


def compare(car: Car) -> list[tuple[str, float, float, float, bool]]:
    """Every figure with a range: name, value, lower, upper, inside."""
    figures = key_figures(car)
    rows = []
    for name in RANGES:
        limits = range_of(name, car.name)
        if limits is not None:
            rows.append((name, figures[name], *limits, limits[0] <= figures[name] <= limits[1]))
    return rows


def table(car: Car) -> str:
    """`compare` as text."""
    lines = [f"{car.name}: {car.front.type} / {car.rear.type}"]
    for name, value, low, high, inside in compare(car):
        lines.append(f"  {name:22s} {value:9.2f}   {low:g} … {high:g}   {'inside' if inside else 'OUTSIDE'}")
    return "\n".join(lines)


def texts(car: Car) -> dict[str, str]:
    """What the folder of a car holds: file name -> text."""
    out = {f"{name}.csv": file.text() for name, file in map_files(car).items()}
    return {**out, "key_figures.json": key_file(car)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the kinematic maps of the library's cars.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is not up to date")
    parser.add_argument("--split", type=Path, metavar="FOLDER", help="write one file per curve to this folder instead")
    options = parser.parse_args()
    stale = []
    for make in CARS.values():
        car = make()
        print(table(car))
        if options.split is not None:
            folder = options.split / car.name
            folder.mkdir(parents=True, exist_ok=True)
            for name, file in map_files(car).items():
                for column, text in file.split().items():
                    (folder / f"{name}_{column}.csv").write_text(text, encoding="utf-8")
            continue
        folder = FOLDER / car.name / "maps"
        for name, text in texts(car).items():
            path = folder / name
            if options.check:
                if not path.exists() or path.read_text(encoding="utf-8") != text:
                    stale.append(str(path))
            else:
                folder.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if stale:
        print(f"not up to date; run {COMMAND}:", *stale, sep="\n  ", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
