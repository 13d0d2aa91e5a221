"""DCD: what a driver did, as columns over time, over the distance travelled or over the station on a path.

    [MDI_HEADER]    FILE_TYPE = 'dcd'
    [UNITS]         of the columns; steering is an angle, pedals, gear and clutch are numbers
    [OPEN_LOOP]     ORDINAL = 'time', 'distance' or 'path_s'
    (DATA)          {time steering throttle brake gear clutch} and rows; the first column is the abscissa

All five controls are there. Rows rise in the abscissa, which may begin below zero. Written in SI.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Literal

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.limits import read_bytes, reading
from jounce.files.file_units import read_units, write_units
from jounce.files.problems import Report
from jounce.files.property_file import LIMITS, PropertyFile, decoded, shown
from jounce.results.run import Run

Ordinal = Literal["time", "distance", "path_s"]
ORDINALS: dict[str, str] = {"time": "s", "distance": "m", "path_s": "m"}
ABSCISSAS = {"time": "time", "distance": "travel", "path_s": "path_s"}  # names of the first column
CONTROLS = ("steering", "throttle", "brake", "gear", "clutch")
_OTHER_NAMES = {"braking": "brake", "steer": "steering"}


@dataclass(frozen=True)
class Dcd:
    """Controls in SI: ``columns`` by name, all as long as ``x``."""

    ordinal: Ordinal
    x: tuple[float, ...]
    columns: Mapping[str, tuple[float, ...]]
    path: str = ""
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.ordinal not in ORDINALS:
            raise ParameterError(f"ordinal {self.ordinal!r}: unknown{did_you_mean(self.ordinal, ORDINALS)}")
        for name in CONTROLS:
            if len(self.columns.get(name, ())) != len(self.x):
                raise ParameterError(f"{name}: {len(self.columns.get(name, ()))} values for {len(self.x)} rows")
        if any(b <= a for a, b in pairwise(self.x)):
            raise ParameterError(f"{ABSCISSAS[self.ordinal]}: must rise from row to row")

    def column(self, channel: str) -> tuple[float, ...]:
        """Values of a channel of a manoeuvre; the second brake is the brake."""
        name = channel.lower().removesuffix("2")
        return self.columns[_OTHER_NAMES.get(name, name)]


# Channels of a run in which the controls are recorded, and those over which they may be written.
RECORDED = {
    "steering": "driver_demands.steering",
    "throttle": "driver_demands.throttle",
    "brake": "driver_demands.brake",
    "gear": "driver_demands.gear",
    "clutch": "driver_demands.clutch",
}
ABSENT = {"gear": 1.0, "clutch": 0.0}  # cars without a gearbox have neither


def dcd_of_run(run: Run, ordinal: Ordinal = "time", over: str = "") -> Dcd:
    """The controls of a run, so that it can be driven again.

    Parameters
    ----------
    run : with the channels of the driver's demands
    ordinal : what the rows are over
    over : channel of the distance or station; time needs none. Rows in which it does not rise are left out.
    """
    if (ordinal == "time") == bool(over):
        raise ParameterError(
            f"ordinal {ordinal!r}: {'needs no channel' if over else 'give the channel of the distance'}"
        )
    x = [float(v) for v in (run[over] if over else run.time)]
    columns: dict[str, list[float]] = {}
    for name, channel in RECORDED.items():
        if channel in run.names or name not in ABSENT:
            columns[name] = [float(v) for v in run[channel]]
        else:
            columns[name] = [ABSENT[name]] * len(x)
    rows: list[int] = []
    for i, value in enumerate(x):
        if not rows or value > x[rows[-1]]:
            rows.append(i)
    picked = {name: tuple(values[i] for i in rows) for name, values in columns.items()}
    return Dcd(ordinal, tuple(x[i] for i in rows), picked)


def read_dcd(path: str | Path) -> Dcd:
    """Read a file."""
    with reading(path):
        return parse_dcd(decoded(read_bytes(path, LIMITS), str(path))[0], str(path))


def parse_dcd(text: str, path: str = "") -> Dcd:
    """Read a text; raises a FormatError that lists everything that is wrong with it."""
    file = PropertyFile.programme(text, path)
    report = Report(file.report.path, list(file.report.problems))
    units = read_units(file, report)
    header = file.block("MDI_HEADER")
    kind = header.get("FILE_TYPE") if header is not None else None
    if kind is None or str(kind.value).lower() != "dcd":
        line = kind.line if kind is not None else header.line if header is not None else 0
        found = f"found {shown(str(kind.value))}" if kind is not None else "missing"
        report.error(line, "[MDI_HEADER] FILE_TYPE", f"{found}; expected 'dcd'")
    block = file.need("OPEN_LOOP")
    given = block.get("ORDINAL")
    word = str(given.value).strip().lower() if given is not None else ""
    if word not in ORDINALS:
        hint = "missing" if given is None else f"found {shown(str(given.value))}"
        report.error(
            given.line if given is not None else block.line,
            "[OPEN_LOOP] ORDINAL",
            f"{hint}{did_you_mean(word, ORDINALS)}",
        )
    data = block.sub_block("DATA")
    table = data.table if data is not None else block.table
    if table is None:
        report.error(block.line, "[OPEN_LOOP] (DATA)", f"the table {{time {' '.join(CONTROLS)}}} is missing")
    report.raise_if_errors()
    assert table is not None
    names = [_OTHER_NAMES.get(c.name.lower(), c.name.lower()) for c in table.columns]
    key = "[OPEN_LOOP] (DATA)"
    for name in CONTROLS:
        if names[1:].count(name) != 1:
            count = "missing" if name not in names[1:] else "there more than once"
            report.error(table.line, f"{key} {name}", f"the column is {count}; all of {', '.join(CONTROLS)} are needed")
    if names[0] in CONTROLS:
        report.error(table.line, f"{key} {names[0]}", "the first column is the time, distance or station")
    others = [name for name in names[1:] if name not in CONTROLS]
    if others:
        report.warning(table.line, key, f"columns not used: {', '.join(others)}")
    rows: list[list[float]] = []
    for row in table.lines:
        numbers = [v for v in row.values if isinstance(v, float)]
        if len(numbers) != len(names) or len(row.values) != len(names):
            report.error(row.line, key, f"found {len(numbers)} numbers; the table has {len(names)} columns")
        elif rows and not numbers[0] > rows[-1][0]:
            report.error(row.line, f"{key} {names[0]}", f"found {numbers[0]:g} after {rows[-1][0]:g}; must rise")
        else:
            rows.append(numbers)
    if not rows:
        report.error(table.line, key, "the table is empty")
    report.raise_if_errors()
    factors = [units.factor("rad") if name == "steering" else 1.0 for name in names]
    factors[0] = units.factor(ORDINALS[word])
    columns = {
        name: tuple(one[i] * factors[i] for one in rows) for i, name in enumerate(names) if i and name in CONTROLS
    }
    for name, values in columns.items():
        if not all(math.isfinite(v) for v in values):
            report.error(table.line, f"{key} {name}", "holds numbers that are too large")
    for gear, row in zip(columns["gear"], table.lines, strict=True):
        if gear != round(gear):
            report.error(row.line, f"{key} gear", f"found {gear:g}; expected a whole number")
    report.raise_if_errors()
    x = tuple(one[0] * factors[0] for one in rows)
    return Dcd(word, x, columns, path, tuple(str(w) for w in report.warnings))  # type: ignore[arg-type]


def dcd_text(dcd: Dcd, comment: str = "") -> str:
    """The text of a file, in SI."""
    file = PropertyFile()
    if comment:
        file.add_comment(comment)
    header = file.add_block("MDI_HEADER")
    header.set("FILE_TYPE", "dcd")
    header.set("FILE_VERSION", 1.0)
    header.set("FILE_FORMAT", "ASCII")
    write_units(file)
    block = file.add_block("OPEN_LOOP")
    block.set("ORDINAL", dcd.ordinal)
    columns: Sequence[tuple[float, ...]] = [dcd.x, *(dcd.columns[name] for name in CONTROLS)]
    block.add_sub_block("DATA").add_table([ABSCISSAS[dcd.ordinal], *CONTROLS], zip(*columns, strict=True))
    return file.text()


def write_dcd(dcd: Dcd, path: str | Path, comment: str = "") -> None:
    """Write a file."""
    from jounce.core.writing import write_atomically

    write_atomically(path, dcd_text(dcd, comment))
