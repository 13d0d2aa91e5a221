"""Courses of cones in files, for events and searches: YAML, CSV, or a property file with the ending ``.cpp``.

    course: my_course
    cones: [[30, 1.375, -1.375], …]      x of a gate, y of its left cone, y of its right cone; x ascending, m
    control_points: [[30, 0], …]         x and y of the base trajectory; absent: the middles of the gates
    lateral_range: 2                     m, largest move of a control point to either side
    lateral_step: 1                      m, between two places of it
    speed_step: 0.5                      m/s, by which a search raises the speed
    begin_control_point: 1               first and last control point that a search moves; absent: all
    end_control_point: 4
    settling_distance: 30                m, run-up before the first gate
    abort_length: 120                    m, of x, where a run ends; absent: behind the last gate
    abort_time: 100                      s

The same names stand in a property file: the tables [CONES] {x y_left y_right} and [CONTROL_POINTS] {x y}, the numbers
in [GENERAL]. A CSV file has the columns x, y_left, y_right and nothing else. Numbers may carry their unit in YAML.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jounce.core.csv_cells import from_brackets, number_text, read_table_text, separator_of
from jounce.core.errors import FormatError, JounceError, ParameterError, did_you_mean
from jounce.core.library import LIBRARY
from jounce.core.limits import Limits, is_file, reading
from jounce.core.units import convert, parse
from jounce.core.yaml_files import load
from jounce.files.file_units import read_units
from jounce.files.problems import Report
from jounce.files.property_file import Block, PropertyFile
from jounce.road.block import Array
from jounce.road.courses import Control, Course, through

LIMITS = Limits("a course of cones", size=5_000_000)
MOST_CONES = 1000  # gates of a course
CONES, POINTS = ("x", "y_left", "y_right"), ("x", "y")
NUMBERS = {
    "lateral_range": ("m", 2.0),
    "lateral_step": ("m", 1.0),
    "speed_step": ("m/s", 0.5),
    "begin_control_point": ("-", 1.0),
    "end_control_point": ("-", 0.0),
    "settling_distance": ("m", 30.0),
    "abort_length": ("m", math.nan),
    "abort_time": ("s", 100.0),
}
RUN_OUT = 60.0  # m of path behind the last gate


@dataclass(frozen=True, eq=False)
class CourseFile:
    """A course and what a search may do on it."""

    name: str
    gates: Array
    control: Control
    speed_step: float = 0.5
    settling_distance: float = 30.0
    abort_length: float = math.nan
    abort_time: float = 100.0

    def course(self, run_out: float = RUN_OUT) -> Course:
        """The course; its path begins at x = 0, the run-up before the first gate, and goes through the control points.

        Gates behind ``abort_length`` are left out.
        """
        at = np.asarray(self.control.points, dtype=float)
        shift = self.settling_distance - float(self.gates[0, 0])
        moved = at + np.array([shift, 0.0])
        if not moved[0, 0] >= 1.0:
            raise ParameterError(
                f"course {self.name!r}: the first control point lies {1 - moved[0, 0]:.4g} m too near to the start of "
                "the run-up; give a longer settling_distance"
            )
        gates = self.gates if math.isnan(self.abort_length) else self.gates[self.gates[:, 0] <= self.abort_length]
        if not len(gates):
            raise ParameterError(f"course {self.name!r}: no gate before abort_length = {self.abort_length:g} m")
        end = max(shift + float(gates[-1, 0]), float(moved[-1, 0])) + run_out
        path = through(moved, float(moved[0, 0]), end - float(moved[-1, 0]), name=self.name)
        return Course(gates + np.array([shift, 0.0, 0.0]), path, self.name, moved)


def library_courses() -> dict[str, Path]:
    """Courses of the shipped library: name -> file."""
    return {p.stem: p for p in sorted((LIBRARY / "courses").glob("*.yaml"))}


def read_course(source: str | os.PathLike[str]) -> CourseFile:
    """A course from a file (.yaml, .csv, .cpp)."""
    text, known = os.fspath(source), library_courses()
    path = known.get(text, Path(text).expanduser())
    if not is_file(path):
        raise ParameterError(
            f"course {text!r}: no such file, and not in the library{did_you_mean(text, known)}; expected a .yaml, .csv "
            f"or .cpp file, or one of {', '.join(known)}"
        )
    ending = path.suffix.lower()
    with reading(path):
        if ending in (".yaml", ".yml"):
            return parse_yaml(read_table_text(path, LIMITS), str(path))
        if ending == ".csv":
            return parse_csv(read_table_text(path, LIMITS), str(path))
        if ending == ".cpp":
            return of_properties(PropertyFile.read(path, ("CONES", "CONTROL_POINTS", "GENERAL", "UNITS")), str(path))
    raise FormatError(f"{path}: courses are read from .yaml, .csv and .cpp")


def parse_yaml(text: str, path: str = "") -> CourseFile:
    """A course from YAML."""
    report = Report(path or "(text)")
    data = load(text, report.path, LIMITS)
    if not isinstance(data, Mapping) or "cones" not in data:
        raise FormatError(f"{report.path}: expected the key cones, with rows of {', '.join(CONES)}")
    known = ("course", "description", "author", "licence", "source", "cones", "control_points", *NUMBERS)
    lines = getattr(getattr(data, "lc", None), "data", {})

    def line(key: Any) -> int:
        return int(lines[key][0]) + 1 if key in lines else 0

    for key in data:
        if key not in known:
            report.error(line(key), str(key), f"is unknown{did_you_mean(str(key), known)}")
    numbers = {}
    for key, (unit, _) in NUMBERS.items():
        if data.get(key) is not None:
            try:
                numbers[key] = parse(data[key], unit, key)
            except JounceError as found:
                report.error(line(key), key, str(found))
    cones = _rows(data["cones"], CONES, "cones", report, line("cones"))
    points = data.get("control_points")
    at = None if points is None else _rows(points, POINTS, "control_points", report, line("control_points"))
    report.raise_if_errors()
    return _made(str(data.get("course") or Path(report.path).stem), cones, at, numbers, report)


def _rows(data: Any, names: Sequence[str], key: str, report: Report, line: int) -> Array:
    """Rows of numbers, in metres."""
    if not isinstance(data, Sequence) or isinstance(data, str) or not data:
        report.error(line, key, f"found {data!r}; expected rows of {', '.join(names)}"[:200])
        return np.zeros((0, len(names)))
    rows = []
    for k, row in enumerate(data):
        if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != len(names):
            report.error(line, key, f"row {k + 1}: found {row!r}; expected {', '.join(names)}"[:200])
            continue
        try:
            rows.append([parse(value, "m", f"{key}, row {k + 1}") for value in row])
        except JounceError as found:
            report.error(line, key, str(found))
    return np.array(rows, dtype=float).reshape(-1, len(names))


def parse_csv(text: str, path: str = "") -> CourseFile:
    """A course from a table of its gates."""
    report = Report(path or "(text)")
    lines = [(i + 1, row) for i, row in enumerate(text.splitlines()) if row.strip()]
    if len(lines) < 2:
        raise FormatError(f"{report.path}: expected a line with the names {', '.join(CONES)} and rows of numbers")
    separator = separator_of(lines[0][1])
    heads = [c.strip() for c in lines[0][1].split(separator)]
    names, units = from_brackets(heads, [""] * len(heads))
    if sorted(names) != sorted(CONES):
        raise FormatError(f"{report.path}, line {lines[0][0]}: found {', '.join(names)}; expected {', '.join(CONES)}")
    factors = {name: convert(1.0, unit, "m") if unit else 1.0 for name, unit in zip(names, units, strict=True)}
    rows = []
    for number, row in lines[1:]:
        cells = [c.strip() for c in row.split(separator)]
        numbers = [number_text(c, separator) for c in cells]
        if len(cells) != len(names) or not all(numbers):
            report.error(number, "cones", f"found {row.strip()!r}; expected {len(names)} numbers"[:200])
            continue
        values = {n: factors[n] * float(str(c)) for n, c in zip(names, numbers, strict=True)}
        rows.append([values[name] for name in CONES])
    report.raise_if_errors()
    return _made(Path(report.path).stem, np.array(rows), None, {}, report)


def of_properties(file: PropertyFile, path: str = "") -> CourseFile:
    """A course from a property file."""
    report = Report(path or "(text)")
    units = read_units(file, report)
    length = units.factor("m")
    cones = _table(file.need("CONES"), CONES, length, report)
    block = file.block("CONTROL_POINTS")
    points = None if block is None else _table(block, POINTS, length, report)
    numbers = {}
    general = file.block("GENERAL")
    for attribute in general.attributes if general is not None else ():
        key = attribute.key.lower()
        if key not in NUMBERS:
            report.error(attribute.line, attribute.key, f"is unknown{did_you_mean(key, NUMBERS)}")
        elif isinstance(attribute.value, str):
            report.error(attribute.line, attribute.key, f"found {attribute.value!r}; expected a number")
        else:
            unit = NUMBERS[key][0]
            numbers[key] = attribute.value * (1.0 if unit == "-" else units.factor(unit))
    report.raise_if_errors()
    return _made(Path(report.path).stem, cones, points, numbers, report)


def _table(block: Block, names: Sequence[str], length: float, report: Report) -> Array:
    """Columns of a table by their names."""
    table = block.table
    found = [] if table is None else [column.name.lower() for column in table.columns]
    if table is None or sorted(found) != sorted(names):
        report.error(
            block.line, f"[{block.name}]", f"found {', '.join(found) or 'no table'}; expected {', '.join(names)}"
        )
        return np.zeros((0, len(names)))
    at = [found.index(name) for name in names]
    rows = []
    for row in table.rows:
        if any(isinstance(row[k], str) for k in at):
            report.error(table.line, f"[{block.name}]", f"found {row!r}; expected numbers")
            continue
        rows.append([length * float(row[k]) for k in at])
    return np.array(rows, dtype=float).reshape(-1, len(names))


def _made(name: str, cones: Array, points: Array | None, given: Mapping[str, float], report: Report) -> CourseFile:
    """A course that can be driven; everything that is wrong with it is told at once."""
    if not 1 <= len(cones) <= MOST_CONES:
        report.error(0, "cones", f"found {len(cones)} gates; expected 1 to {MOST_CONES}")
    elif not np.isfinite(cones).all():
        report.error(0, "cones", "a number is not finite")
    else:
        for k in np.flatnonzero(np.diff(cones[:, 0]) <= 0):
            report.error(
                0, "cones", f"gates {k + 1} and {k + 2}: x = {cones[k, 0]:g}, {cones[k + 1, 0]:g}; must ascend"
            )
        for k in np.flatnonzero(cones[:, 1] <= cones[:, 2]):
            report.error(0, "cones", f"gate {k + 1}: y_left = {cones[k, 1]:g} must be above y_right = {cones[k, 2]:g}")
    numbers = {key: given.get(key, usual) for key, (_, usual) in NUMBERS.items()}
    for key in ("speed_step", "settling_distance", "abort_time"):
        if not (math.isfinite(numbers[key]) and numbers[key] > 0):
            report.error(0, key, f"found {numbers[key]:g} {NUMBERS[key][0]}; must be above 0")
    for key in ("begin_control_point", "end_control_point"):
        if numbers[key] != round(numbers[key]):
            report.error(0, key, f"found {numbers[key]:g}; expected the number of a control point")
    report.raise_if_errors()
    at = np.column_stack([cones[:, 0], 0.5 * (cones[:, 1] + cones[:, 2])]) if points is None else points
    try:
        control = Control(
            at,
            numbers["lateral_range"],
            numbers["lateral_step"],
            int(numbers["begin_control_point"]),
            int(numbers["end_control_point"]),
        )
        made = CourseFile(
            name,
            cones,
            control,
            numbers["speed_step"],
            numbers["settling_distance"],
            numbers["abort_length"],
            numbers["abort_time"],
        )
        made.course()
    except ParameterError as found:
        raise FormatError(f"{report.path}: {found}") from None
    return made
