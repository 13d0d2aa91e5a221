"""PWR: torque maps of engines and motors, as a property file (see ``property_file``).

    [ENGINE]            (Z_DATA) {throttle} and (XY_DATA) {engine_speed <rpm> torque@throttle <torque>}: rows of speed
                        and torque at each throttle, 0 to 1
    [ENGINE_MAP_LIST]   GEAR_DEPENDENCY = 'TRUE', GENERIC_MAP, REVERSE_GEAR, GEAR_1 …: names of blocks like [ENGINE];
                        the generic one is for gears that are not listed
    [ENGINE_BRAKING]    of electric motors: the same over the brake demand
    [COASTING]          of electric motors: {engine_speed <rpm> torque <torque>}, with both pedals up

A file without [ENGINE], or without a block that a list names, cannot be used. A motor without braking or coasting has
none, with a warning. Speeds rise, throttles rise from 0 to 1. ``Pwr.engine`` and ``Pwr.motor`` are the keys of these
maps for a vehicle file (``components/drive/engine.py``, ``components/drive/motor.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from jounce.core.curves import Curve, CurveUnits
from jounce.core.limits import reading
from jounce.files.file_units import Units, column_factor, read_units
from jounce.files.problems import Report
from jounce.files.property_file import Block, PropertyFile, Table, as_flag

MAIN, LIST, BRAKING, COASTING = "ENGINE", "ENGINE_MAP_LIST", "ENGINE_BRAKING", "COASTING"
GEAR, REVERSE, GENERIC, DEPENDS = "GEAR_", "REVERSE_GEAR", "GENERIC_MAP", "GEAR_DEPENDENCY"
MAP_UNITS, COAST_UNITS = CurveUnits("rad/s", "N.m", "-"), CurveUnits("rad/s", "N.m")


@dataclass
class Pwr:
    """What a file holds, in SI: torque over speed and throttle."""

    path: str
    torque: Curve  # the generic one
    gears: dict[int, Curve] = field(default_factory=dict)  # by gear, -1 reverse, where they differ
    braking: Curve | None = None
    coasting: Curve | None = None
    warnings: list[str] = field(default_factory=list)

    def engine(self) -> dict[str, Any]:
        """Keys of an engine by its map."""
        listed = [{"gear": float(gear), "torque_map": curve} for gear, curve in sorted(self.gears.items())]
        return {"kind": "engine", "torque_map": self.torque, **({"gear_maps": listed} if listed else {})}

    def motor(self) -> dict[str, Any]:
        """Keys of an electric motor."""
        found = {"kind": "motor", "torque_map": self.torque, "braking_map": self.braking, "coasting": self.coasting}
        return {key: value for key, value in found.items() if value is not None}


def read_pwr(path: str | Path, *, electric: bool = False) -> Pwr:
    """Read a file; ``electric``: warn where the maps of an electric motor are missing."""
    with reading(path):
        return _read(PropertyFile.read(path), electric)


def _read(file: PropertyFile, electric: bool) -> Pwr:
    report = Report(file.report.path)
    units = read_units(file, report)
    listed = file.block(LIST)
    names: dict[int, str] = {}
    generic, line = MAIN, 0
    if listed is not None:
        flag = listed.get(DEPENDS)
        if flag is None or as_flag(flag.value):
            for item in listed.attributes:
                key = item.key.upper()
                if key == GENERIC:
                    generic, line = str(item.value), item.line
                elif key == REVERSE:
                    names[-1] = str(item.value)
                elif key.startswith(GEAR) and key[len(GEAR) :].isdigit() and int(key[len(GEAR) :]) > 0:
                    names[int(key[len(GEAR) :])] = str(item.value)
                elif key != DEPENDS:
                    report.warning(item.line, f"[{LIST}] {item.key}", "not known; expected GEAR_1, GEAR_2 …")
    main = _map(file, generic, "throttle", units, report, line)
    gears: dict[int, Curve] = {}
    for gear, name in names.items():
        assert listed is not None
        attribute = listed.get(REVERSE if gear < 0 else f"{GEAR}{gear}")
        found = _map(file, name, "throttle", units, report, attribute.line if attribute is not None else listed.line)
        if found is not None and name.upper() != generic.upper():
            gears[gear] = found
    braking = _map(file, BRAKING, "brake", units, report) if file.block(BRAKING) is not None else None
    coasting = _coasting(file.block(COASTING), units, report)
    if electric:
        for name, there in ((BRAKING, braking), (COASTING, coasting)):
            if there is None:
                report.warning(0, f"[{name}]", "missing; taken as zero")
    report.raise_if_errors()
    assert main is not None
    return Pwr(report.path, main, gears, braking, coasting, [str(p) for p in (*file.report.warnings, *report.warnings)])


def _map(file: PropertyFile, name: str, over: str, units: Units, report: Report, line: int = 0) -> Curve | None:
    """A map over speed and throttle (or brake)."""
    block = file.block(name)
    if block is None:
        there = ", ".join(b.name for b in file.blocks)
        report.error(line, f"[{name}]", f"the block is missing; there are: {there}")
        return None
    key = f"[{block.name}]"
    levels, rows = block.sub_block("Z_DATA"), block.sub_block("XY_DATA")
    if levels is None or levels.table is None or rows is None or rows.table is None:
        report.error(block.line, key, f"expected (Z_DATA) {{{over}}} and (XY_DATA) {{engine_speed torque@{over}}}")
        return None
    z = [value for row in levels.table.rows for value in row]
    numbers = _numbers(rows.table, len(z) + 1, key, report)
    if any(isinstance(value, str) for value in z) or numbers is None:
        report.error(levels.line, f"{key} (Z_DATA)", "expected numbers") if numbers is not None else None
        return None
    levels_of = [float(value) for value in z]
    if not _rising(levels_of) or levels_of[0] != 0.0 or levels_of[-1] != 1.0:
        report.error(levels.line, f"{key} (Z_DATA)", f"found {levels_of[:6]}; {over} rises from 0 to 1")
        return None
    return _curve(rows.table, numbers, tuple(levels_of), units, key, report)


def _coasting(block: Block | None, units: Units, report: Report) -> Curve | None:
    if block is None:
        return None
    key = f"[{block.name}]"
    table = block.table or (block.sub_block("XY_DATA") or block).table
    if table is None:
        report.error(block.line, key, "expected a table {engine_speed torque}")
        return None
    numbers = _numbers(table, 2, key, report)
    return None if numbers is None else _curve(table, numbers, (), units, key, report)


def _numbers(table: Table, width: int, key: str, report: Report) -> list[list[float]] | None:
    """Rows of numbers, each as wide as it must be."""
    if len(table.rows) < 2:
        report.error(table.line, key, f"found {len(table.rows)} rows; a map has at least two")
        return None
    for row, line in zip(table.rows, table.lines, strict=False):
        if len(row) != width or any(isinstance(value, str) for value in row):
            report.error(line.line, key, f"found {len(row)} values; expected {width} numbers, speed and torques")
            return None
    return [[float(value) for value in row] for row in table.rows]


def _curve(
    table: Table, rows: list[list[float]], z: tuple[float, ...], units: Units, key: str, report: Report
) -> Curve | None:
    factors = [
        column_factor(column, units, unit, report, table.line)
        for column, unit in zip(table.columns, ("rad/s", "N.m"), strict=False)
    ]
    if len(factors) < 2:
        report.error(table.line, key, "expected the columns engine_speed and torque")
        return None
    x = tuple(row[0] * factors[0] for row in rows)
    y = tuple(value * factors[1] for row in rows for value in row[1:])
    if not _rising(x):
        report.error(table.line, key, "the speeds must rise from row to row")
        return None
    if any(abs(value) == float("inf") for value in (*x, *y)):
        report.error(table.line, key, "a number is too large for its unit")
        return None
    return Curve(MAP_UNITS if z else COAST_UNITS, x=x, z=z, y=y)


def _rising(values: list[float] | tuple[float, ...]) -> bool:
    return bool(values) and all(a < b for a, b in pairwise(values))
