"""From maps to the files of a vehicle: CSV tables beside its YAML files, which name them.

The vehicle is written and read as a whole in a folder of its own first: what is wrong is told before anything changes.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from jounce.components.basics import SIDES, Side
from jounce.components.steering.maps import mirrored
from jounce.core.curves import Curve
from jounce.core.errors import ParameterError
from jounce.core.library import LIBRARY
from jounce.core.paths import Keys
from jounce.core.writing import write_atomically
from jounce.rigs.kc.channels import PROPERTIES, Array
from jounce.rigs.kc.compliance import Compliance, on_loads
from jounce.rigs.kc.elastic import AntiRoll, Spring
from jounce.rigs.kc.fitting import grid
from jounce.rigs.kc.kinematics import Grid, Kinematics
from jounce.rigs.kc.steering import NAMES, SteeringMaps
from jounce.rigs.kc.steering import mirrored as steered_mirror
from jounce.vehicle.reading import read
from jounce.vehicle.schema import Vehicle
from jounce.vehicle.writing import dumped, edited

FOLDER = "maps"
MILLIMETRES, DEGREES = 1e3, math.degrees(1.0)
_WRITTEN = {"m": ("mm", MILLIMETRES), "rad": ("deg", DEGREES), "N": ("N", 1.0), "N.m": ("N.m", 1.0)}
_UNIT = {"x": "m", "y": "m", "toe": "rad", "camber": "rad", "side_view_angle": "rad", "steer": "rad"}
SAME = 1e-12


@dataclass
class Changes:
    """What is to be written: values by their path in the vehicle, and files by their name beside it.

    ``tables`` and ``groups`` (YAML) are in the folder of the file that holds the suspension.
    """

    values: dict[Keys, Any] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def table_text(comment: str, axes: Sequence[tuple[str, str, Array]], columns: Mapping[str, tuple[str, Array]]) -> str:
    """A CSV file of columns over one or two axes; ``axes``: name, SI unit, values."""
    heads = [(name, *_WRITTEN[unit]) for name, unit, _ in axes]
    grids = [a.ravel() for a in np.meshgrid(*(values for _, _, values in axes), indexing="ij")]
    texts = [[_digits(factor * v) for v in values] for (_, _, factor), values in zip(heads, grids, strict=True)]
    names, units = [name for name, *_ in heads], [unit for _, unit, _ in heads]
    for name, (unit, values) in columns.items():
        shown, factor = _WRITTEN[unit]
        names.append(name)
        units.append(shown)
        texts.append([_digits(factor * v) for v in values.ravel()])
    lines = [f"# {line}" for line in comment.splitlines()]
    lines += [",".join(names), ",".join(units), *(",".join(row) for row in zip(*texts, strict=True))]
    return "\n".join(lines) + "\n"


def _digits(value: float) -> str:
    text = f"{value + 0.0:.9g}"
    return "0" if text == "-0" else text


def alike(left: Grid, right: Grid) -> bool:
    """Whether two maps are the same but for rounding."""
    if left.y.shape != right.y.shape or not np.allclose(left.x, right.x, rtol=0, atol=SAME):
        return False
    size = max(float(np.max(np.abs(left.y))), 1e-300)
    return bool(np.allclose(left.y, right.y, rtol=0, atol=1e-9 * size))


# ---- what goes into the files -------------------------------------------------------------------------------


class Writer:
    """Collects changes of one axle.

    ``base``: path of the suspension in the vehicle; ``word``: of the axle, in names of files; ``now``: what stands
    there in the files, for what is kept; ``comment``: where the numbers come from.
    """

    def __init__(self, vehicle: Vehicle, axle: int, word: str, comment: str) -> None:
        self.vehicle, self.axle, self.word, self.comment = vehicle, axle, word, comment
        self.changes = Changes()
        self.suspension = _keys(vehicle, axle, "suspension")
        self.steering = _keys(vehicle, axle, "steering")

    def _file(self, what: str, side: Side, text: str) -> str:
        tail = f"_{what}" if what else ""
        name = f"{FOLDER}/kc_{self.word}{tail}{'_right' if side == 'R' else ''}.csv"
        self.changes.tables[name] = text
        return name

    def _sides(self, side: Side) -> str:
        return f"{self.comment}\n{'left' if side == 'L' else 'right'} wheel; signs: docs/conventions.md of jounce"

    def kinematics(self, found: Kinematics, alignment: str) -> None:
        """Maps of the guidance."""
        symmetric = all(
            alike(found.maps["R"][name], found.maps["L"][name].times(-1.0 if name == "y" else 1.0))
            for name in PROPERTIES
        )
        files: dict[Side, str] = {}
        for side in SIDES[: 1 if symmetric else 2]:
            first = found.maps[side]["x"]
            axes = [("jounce", "m", first.x), *([] if first.z is None else [("paired_jounce", "m", first.z)])]
            columns = {name: (_UNIT[name], found.maps[side][name].y) for name in PROPERTIES}
            files[side] = self._file("", side, table_text(self._sides(side), axes, columns))
        for name in PROPERTIES:
            value: dict[str, Any] = {"file": files["L"], "column": name}
            right: dict[str, Any] = {} if symmetric else {"file": files["R"], "column": name}
            if name in ("toe", "camber"):
                old = getattr(self.vehicle.suspension(self.axle), name)
                offsets = {"L": old.offset, "R": old.offset if old.right is None else old.right.offset}
                if alignment == "measured":
                    offsets = {side: found.design[name, side] for side in SIDES}
                if offsets["L"]:
                    value["offset"] = _degrees(offsets["L"])
                if offsets["R"] != offsets["L"]:
                    right["offset"] = _degrees(offsets["R"])
            if right:
                value["right"] = right
            self.changes.values[*self.suspension, name] = value

    def steering_maps(self, found: SteeringMaps) -> None:
        """Maps of the steering, and the rack."""
        axis = "rack" if found.over == "m" else "hand_wheel"
        symmetric = all(alike(found.maps["R"][n], steered_mirror(n, found.maps["L"][n])) for n in NAMES)
        files: dict[Side, str] = {}
        for side in SIDES[: 1 if symmetric else 2]:
            first = found.maps[side]["steer"]
            axes = [(axis, found.over, first.x), *([] if first.z is None else [("jounce", "m", first.z)])]
            columns = {name: (_UNIT[name], found.maps[side][name].y) for name in NAMES}
            files[side] = self._file("steering", side, table_text(self._sides(side), axes, columns))
        for name in NAMES:
            value: dict[str, Any] = {"file": files["L"], "column": name}
            if not symmetric:
                value["right"] = {"file": files["R"], "column": name}
            self.changes.values[*self.steering, name] = value
        self.changes.values[*self.steering, "method"] = "steer_map"
        self.changes.values[*self.steering, "steering_dependent_wheel_location"] = True
        if found.rack is not None:
            text = table_text(self.comment, [("hand_wheel", "rad", found.rack.x)], {"rack": ("m", found.rack.y)})
            self.changes.tables[f"{FOLDER}/kc_{self.word}_rack.csv"] = text
            self.changes.values[*self.steering, "rack_travel"] = {
                "file": f"{FOLDER}/kc_{self.word}_rack.csv",
                "column": "rack",
            }

    def kingpin(self, kingpin: Any, over: str) -> None:
        """Steering axes of both sides, as `jounce.vehicle.kingpin.refresh` makes them."""
        files: dict[Side, str] = {}
        units = {"caster": "rad", "inclination": "rad", "x": "m", "y": "m", "z": "m"}
        symmetric = all(_mirror_images(getattr(kingpin, n), getattr(kingpin.right, n), n == "y") for n in units)
        sides: list[tuple[Side, Any]] = [("L", kingpin), ("R", kingpin.right)]
        for side, data in sides[: 1 if symmetric else 2]:
            first = data.caster
            axes = [
                ("rack" if over == "m" else "hand_wheel", over, np.array(first.x)),
                ("jounce", "m", np.array(first.z)),
            ]
            columns = {name: (unit, np.array(getattr(data, name).y)) for name, unit in units.items()}
            files[side] = self._file("kingpin", side, table_text(self._sides(side), axes, columns))
        self.changes.values[*self.steering, "kingpin"] = {
            **{name: {"file": files["L"], "column": name} for name in units},
            **({} if symmetric else {"right": {name: {"file": files["R"], "column": name} for name in units}}),
        }

    def spring(self, found: Spring) -> None:
        """Springs at the wheel, whose curve has the stops in it."""
        symmetric = alike(found.maps["L"], found.maps["R"])
        value: dict[str, Any] = {"axis": "length"}
        for side in SIDES[: 1 if symmetric else 2]:
            length = -found.maps[side].x[::-1] + 0.0
            force = found.maps[side].y[::-1]
            text = table_text(self._sides(side), [("length", "m", length)], {"force": ("N", force)})
            here: dict[str, Any] = {"force": {"file": self._file("spring", side, text), "column": "force"}}
            if not found.kept and bool(np.all(np.diff(force) < 0)):
                # the force at design as the table has it, so that no length is searched for
                here["preload"] = f"{_digits(float(np.interp(0.0, length, force)))} N"
            if side == "L":
                value |= here
            else:
                value["right"] = here
        self.changes.values[*self.suspension, "spring"] = value
        for name in ("bump_stop", "rebound_stop"):
            if getattr(self.vehicle.suspension(self.axle), name) is not None:
                self.changes.values[*self.suspension, name] = None
                self.changes.remarks.append(f"{name.replace('_', ' ')} taken away: its force is in the measured spring")

    def anti_roll(self, found: AntiRoll) -> None:
        """Anti-roll forces at the wheels in place of a bar."""
        if found.single is not None:
            axes = [("difference", "m", found.single.x)]
            axes += [] if found.single.z is None else [("mean", "m", found.single.z)]
            text = table_text(self.comment, axes, {"force": ("N", found.single.y)})
            value: dict[str, Any] = {"force": {"file": self._file("anti_roll", "L", text), "column": "force"}}
        else:
            value = {"kind": "dual"}
            for side in SIDES[: 1 if alike(found.dual["L"], found.dual["R"]) else 2]:
                grid_ = found.dual[side]
                assert grid_.z is not None
                axes = [("jounce", "m", grid_.x), ("paired_jounce", "m", grid_.z)]
                text = table_text(self._sides(side), axes, {"force": ("N", grid_.y)})
                here = {"force": {"file": self._file("anti_roll", side, text), "column": "force"}}
                if side == "L":
                    value |= here
                else:
                    value["right"] = here
        self.changes.values[*self.suspension, "auxiliary_anti_roll"] = value
        if self.vehicle.suspension(self.axle).anti_roll_bar is not None:
            self.changes.values[*self.suspension, "anti_roll_bar"] = None
            self.changes.remarks.append("anti-roll bar taken away: the measured force takes its place")

    def compliance(self, found: Compliance) -> None:
        """Maps of compliance in a file of their own (`write_compliance`), which the suspension names."""
        name = f"kc_{self.word}_compliance.yaml"
        document, tables = write_compliance(found, self.word, self._sides)
        self.changes.tables |= tables
        self.changes.groups[name] = dumped(document)
        self.changes.values[*self.suspension, "compliance"] = name


def _mirror_images(left: Curve, right: Curve, odd: bool) -> bool:
    """Whether curves over the steering input are those of a symmetric axle, but for rounding."""
    other = mirrored(left, -1.0 if odd else 1.0)
    size = max(map(abs, left.y), default=0.0)
    return np.allclose(other.x, right.x, rtol=0, atol=1e-9) and np.allclose(other.y, right.y, rtol=0, atol=1e-6 * size)


def _degrees(angle: float) -> str:
    return f"{_digits(DEGREES * angle)} deg"


def _keys(vehicle: Vehicle, axle: int, part: str) -> Keys:
    """Where a part of an axle stands in the vehicle, in the spelling of its files."""
    if not vehicle.axles and not vehicle.units:
        return ("steering",) if part == "steering" else (f"{'front' if axle == 1 else 'rear'}_{part}",)
    if vehicle.axles:
        return ("axles", axle - 1, part)
    number = axle
    for i, unit in enumerate(vehicle.units):
        if number <= len(unit.axles):
            return ("units", i, "axles", number - 1, part)
        number -= len(unit.axles)
    raise ParameterError(f"axle {axle}: the vehicle has fewer")


def write_compliance(found: Compliance, word: str, comment: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The group ``compliance`` of a suspension as plain data, and the tables that it names.

    The form: property -> load -> {file, column, right}, and the same under ``cross``; loads fx_brake, fx_drive, fy, mz.
    """
    document: dict[str, Any] = {}
    tables: dict[str, str] = {}
    for slot, maps in found.slots.items():
        unit = "N.m" if slot == "mz" else "N"
        for cross, sides in ((False, maps.direct), (True, maps.cross)):
            moved = {key for grids in sides.values() for key, item in grids.items() if np.any(item.y != 0.0)}
            kept = {side: {k: g for k, g in grids.items() if k in moved} for side, grids in sides.items()}
            present = {side: _aligned(grids) for side, grids in kept.items() if grids}
            for side, grids in present.items():
                first = next(iter(grids.values()))
                axes = [(slot, unit, first.x), *([] if first.z is None else [("jounce", "m", first.z)])]
                tail = f"{'_cross' if cross else ''}{'_right' if side == 'R' else ''}"
                name = f"{FOLDER}/kc_{word}_compliance_{slot}{tail}.csv"
                columns = {key: (_UNIT[key], item.y) for key, item in grids.items()}
                tables[name] = table_text(comment(side), axes, columns)
                target = document.setdefault("cross", {}) if cross else document
                for key in grids:
                    row = target.setdefault(key, {})
                    entry = {"file": name, "column": key}
                    if side == "L" or "L" not in present:
                        row[slot] = entry
                    if side == "R":
                        row[slot] = {**row[slot], "right": entry} if "L" in present else {**_zero(), "right": entry}
    return document, tables


def _zero() -> dict[str, Any]:
    """The left side of a map that was measured on the right only: it does not give way."""
    return {"rate": 0.0}


def _aligned(grids: Mapping[str, Grid]) -> dict[str, Grid]:
    """Maps of one load on the same loads."""
    first = next(iter(grids.values()))
    if all(len(g.x) == len(first.x) and np.allclose(g.x, first.x, rtol=0, atol=SAME) for g in grids.values()):
        return dict(grids)
    low, high = max(g.x[0] for g in grids.values()), min(g.x[-1] for g in grids.values())
    loads = grid(float(low), float(high), len(first.x))
    return {name: Grid(loads, on_loads(found, loads), found.z) for name, found in grids.items()}


# ---- files --------------------------------------------------------------------------------------------------


class Stage:
    """A vehicle with changes in a folder beside the one it is to have; put in place when all is well, else removed.

    ``out``: a new folder; None: the files of the vehicle itself.
    """

    def __init__(self, vehicle: Vehicle, out: Path | None) -> None:
        source = vehicle._source
        if out is None and (source is None or source.detached or source.root.is_relative_to(LIBRARY)):
            raise ParameterError(
                "a vehicle of the library is not changed; say where the changed one goes: --out FOLDER"
            )
        if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise ParameterError(
                f"{out}: is there already; choose a new folder, or change the vehicle in it: --into {out}"
            )
        assert out is not None or source is not None
        self.vehicle, self.out, self.changes = vehicle, out, Changes()
        self.root = out if out is not None else source.root  # type: ignore[union-attr]

    def __enter__(self) -> Stage:
        try:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            # beside the folder itself, so that what the files refer to lies where it will lie
            self.folder = Path(tempfile.mkdtemp(dir=self.root.parent, prefix=f".{self.root.name}."))
        except OSError as problem:
            raise ParameterError(f"{self.root}: cannot be written ({problem.strerror})") from None
        self.folder.chmod(0o755)
        self.main = self.vehicle.save(self.folder)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def change(self, changes: Changes) -> Vehicle:
        """The vehicle with changes, as it reads."""
        _change(self.main, changes)
        return read(self.main)

    def commit(self, changes: Changes) -> tuple[Vehicle, list[Path]]:
        """Put everything in place; the vehicle, and the files that are new or changed."""
        files = _change(self.main, changes)
        vehicle = read(self.main)
        if self.out is None:
            assert self.vehicle._source is not None
            main = self.vehicle._source.main
            return vehicle, _change(main, changes)
        if self.out.exists():
            self.out.rmdir()  # it is empty
        self.folder.rename(self.out)
        moved = [self.out / path.relative_to(self.folder) for path in files]
        return read(self.out / self.main.name), moved


def _change(main: Path, changes: Changes) -> list[Path]:
    vehicle = read(main)
    assert vehicle._source is not None
    files = [item for item in vehicle._source.files if not item.is_table]
    by_file: dict[Path, dict[Keys, Any]] = {}
    texts: dict[Path, str] = {}
    homes: set[Path] = set()
    for keys, value in changes.values.items():
        around = [item for item in files if len(item.at) < len(keys) and item.at == keys[: len(item.at)]]
        home = max(around, key=lambda item: len(item.at))
        by_file.setdefault(home.path, {})[keys[len(home.at) :]] = value
        texts[home.path] = home.text
        homes.add(home.path.parent)
    if not homes:
        homes = {main.parent}
    written: list[Path] = []
    for folder in sorted(homes):
        for name, text in {**changes.tables, **changes.groups}.items():
            if len(homes) > 1 and not _refers(by_file, folder, name, changes):
                continue
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            written.append(write_atomically(folder / name, text))
    for path, values in by_file.items():
        written.append(write_atomically(path, edited(texts[path], values)))
    return written


def _refers(by_file: Mapping[Path, Mapping[Keys, Any]], folder: Path, name: str, changes: Changes) -> bool:
    """Whether a file in a folder names a table, or a group that does."""

    def names(value: Any) -> Iterator[str]:
        if isinstance(value, Mapping):
            for item in value.values():
                yield from names(item)
        elif isinstance(value, str):
            yield value

    used = {n for path, values in by_file.items() if path.parent == folder for v in values.values() for n in names(v)}
    return name in used or any(name in text for group, text in changes.groups.items() if group in used)


__all__ = ["Changes", "Stage", "Writer", "write_compliance"]
