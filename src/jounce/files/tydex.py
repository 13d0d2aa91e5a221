"""TYDEX: measurements of tires in a text file of sections, release 1.3 of the format.

    **HEADER                                          name (columns 1-10), text (11-40), value (from 41)
    **CONSTANTS                                       name, text, unit (41-50), value (from 51)
    **MEASURCHANNELS                                  name, text, unit, factor a, offsets b, c (51-60, 61-70, 71-80)
    **MEASURDATA                                      rows of numbers, one per channel, between blanks
    **END                                             a line that begins with ! is a comment

    value = a (raw + b) + c                                                                                     (1)

Files that do not keep to the columns are read by their words: the numbers at the end, the unit before them. Sections
of models (**MODEL…) and others are kept as text. Names of channels say the axis system by their last letter: FYW is in
contact axes (W: z along the road normal), FYC in wheel axes (C), FYH in H, which has the directions of W but its origin
in the wheel centre. ``Tydex.channel`` gives values in any unit; axes are turned in ``jounce.rigs.tire_data``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, JounceError, ParameterError, did_you_mean
from jounce.core.limits import Limits, read_bytes, reading, shown
from jounce.core.units import convert
from jounce.files.problems import Report
from jounce.files.property_file import NUMBER, decode

Array = npt.NDArray[np.float64]

LIMITS = Limits("a measurement in TYDEX", size=2_000_000_000)
# Units as files of this format write them -> as ``core.units`` does.
UNITS = {
    **dict.fromkeys(("", "-", "1", "none", "n/a"), "-"),
    **dict.fromkeys(("%", "percent"), "%"),
    **dict.fromkeys(("deg", "degree", "degrees", "grad", "°"), "deg"),
    **dict.fromkeys(("rad", "radian"), "rad"),
    **dict.fromkeys(("nm", "n*m", "n.m", "n-m"), "N.m"),
    "n": "N",
    "kn": "kN",
    "m": "m",
    "mm": "mm",
    "s": "s",
    "sec": "s",
    "kg": "kg",
    "bar": "bar",
    "kpa": "kPa",
    "pa": "Pa",
    "km/h": "km/h",
    "kph": "km/h",
    "kmh": "km/h",
    "m/s": "m/s",
    "hz": "1/s",
    "1/s": "1/s",
    "rad/s": "rad/s",
    "1/min": "rpm",
    "rpm": "rpm",
    "deg/s": "deg/s",
    "n/mm": "N/mm",
    "n/m": "N/m",
    **dict.fromkeys(("degc", "c", "°c", "deg c"), "degC"),
}


@dataclass(frozen=True)
class Constant:
    """A number or word that holds for the whole measurement."""

    name: str
    text: str
    unit: str
    value: float | str
    line: int


@dataclass(frozen=True)
class Channel:
    """A column of the measurement."""

    name: str
    text: str
    unit: str
    factor: float
    before: float
    after: float
    line: int


@dataclass
class Tydex:
    """A file that was read."""

    path: str
    header: dict[str, str] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    constants: dict[str, Constant] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    raw: Array = field(default_factory=lambda: np.zeros((0, 0)))
    other: dict[str, list[str]] = field(default_factory=dict)  # sections that are not understood
    report: Report = field(default_factory=lambda: Report(""))

    def __len__(self) -> int:
        return len(self.raw)

    def channel(self, name: str, unit: str = "") -> Array:
        """Values (1) of a channel, in a unit or (default) in its own."""
        key = name.upper()
        if key not in self.channels:
            raise ParameterError(f"{self.path}: no channel {name!r}{did_you_mean(key, self.channels)}")
        channel = self.channels[key]
        column = self.raw[:, list(self.channels).index(key)]
        with reading(self.path):
            values = channel.factor * (column + channel.before) + channel.after
            factor = _factor(channel.unit, unit, f"{self.path}: line {channel.line}  {channel.name}")
            return np.asarray(factor * values, dtype=np.float64)

    def constant(self, name: str, unit: str = "") -> float:
        """A constant, in a unit or (default) in its own."""
        key = name.upper()
        if key not in self.constants:
            raise ParameterError(f"{self.path}: no constant {name!r}{did_you_mean(key, self.constants)}")
        found = self.constants[key]
        if isinstance(found.value, str):
            raise ParameterError(f"{self.path}: line {found.line}  {found.name}: found {found.value!r}; not a number")
        return _factor(found.unit, unit, f"{self.path}: line {found.line}  {found.name}") * found.value


def read_tydex(path: str | Path) -> Tydex:
    """Read a file."""
    return parse_tydex(decode(read_bytes(path, LIMITS), shown(path)), str(path))


def parse_tydex(text: str, path: str = "(text)") -> Tydex:
    """The same from a text; raises a FormatError that lists what is wrong."""
    result = Tydex(path, report=Report(path))
    report = result.report
    section, data_line = "", 0
    rows: list[list[float]] = []
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if words.startswith("**"):
            section = words[2:].split()[0].upper() if words[2:].split() else ""
            if section == "END":
                break
            if section == "MEASURDATA":
                data_line = number
            if section not in ("HEADER", "COMMENTS", "CONSTANTS", "MEASURCHANNELS", "MEASURDATA"):
                result.other.setdefault(section, [])
            continue
        if not words or words.startswith("!"):
            continue
        if section == "":
            report.error(number, "", f"found {words[:40]!r} before the first section; expected **HEADER")
        elif section == "HEADER":
            name = line[:10].split()[0] if line[:10].split() else words.split()[0]
            result.header[name.upper()] = line[40:].strip() or words.removeprefix(name).strip()
        elif section == "COMMENTS":
            result.comments.append(line.rstrip())
        elif section == "CONSTANTS":
            constant = _constant(line, number)
            result.constants[constant.name] = constant
            if isinstance(constant.value, float) and not math.isfinite(constant.value):
                report.error(number, constant.name, "the number is too large")
        elif section == "MEASURCHANNELS":
            _add_channel(result, line, number)
        elif section == "MEASURDATA":
            _add_row(words, number, rows, lines, report, len(result.channels))
        else:
            result.other[section].append(line.rstrip())
    if not result.channels:
        report.error(0, "**MEASURCHANNELS", "the section is missing or empty")
    if not data_line or (not rows and not report.errors):
        report.error(data_line, "**MEASURDATA", "the section is missing or empty")
    report.raise_if_errors()
    result.raw = np.array(rows, dtype=np.float64)
    return result


def _numbers_at_end(words: list[str], most: int) -> tuple[list[str], list[float]]:
    """Words and the numbers that stand behind them, at most so many."""
    numbers: list[float] = []
    rest = list(words)
    while rest and len(numbers) < most and NUMBER.fullmatch(rest[-1]):
        numbers.insert(0, float(rest.pop().replace("d", "e").replace("D", "E")))
    return rest, numbers


def _constant(line: str, number: int) -> Constant:
    padded = line.expandtabs(8)
    name, text, unit, value = (padded[a:b].strip() for a, b in ((0, 10), (10, 40), (40, 50), (50, None)))
    if not (name and value and " " not in name and _is_unit(unit)):
        rest, numbers = _numbers_at_end(line.split(), 1)
        name = rest[0] if rest else line.split()[0]
        unit = rest[-1] if len(rest) > 1 and _is_unit(rest[-1]) else ""
        end = -1 if unit else None
        text = " ".join(rest[1:end])
        value = repr(numbers[0]) if numbers else (rest[-1] if len(rest) > 1 else "")
    known = NUMBER.fullmatch(value)
    found: float | str = float(value.replace("d", "e").replace("D", "E")) if known else value
    return Constant(name.upper(), text, unit, found, number)


def _add_channel(result: Tydex, line: str, number: int) -> None:
    rest, numbers = _numbers_at_end(line.split(), 3)
    if not rest:
        result.report.error(number, "**MEASURCHANNELS", f"found {line.strip()[:40]!r}; expected a name first")
        return
    padded = line.expandtabs(8)
    name, text, unit = (padded[a:b].strip() for a, b in ((0, 10), (10, 40), (40, 50)))
    if not (name and " " not in name and _is_unit(unit) and len(padded) > 40):
        name = rest[0]
        unit = rest[-1] if len(rest) > 1 and _is_unit(rest[-1]) else "-"
        text = " ".join(rest[1 : -1 if unit != "-" or rest[-1] == "-" else None])
    factor, before, after = [*numbers, *(1.0, 0.0, 0.0)[len(numbers) :]]
    if name.upper() in result.channels:
        result.report.error(number, name, "this channel is declared twice")
        return
    if not all(math.isfinite(x) for x in (factor, before, after)):
        result.report.error(number, name, "factor or offset is too large")
    result.channels[name.upper()] = Channel(name.upper(), text, unit, factor, before, after, number)


def _add_row(words: str, number: int, rows: list[list[float]], lines: list[int], report: Report, expected: int) -> None:
    parts = words.split()
    if len(parts) != expected:
        report.error(number, "**MEASURDATA", f"found {len(parts)} numbers; there are {expected} channels")
        return
    try:
        row = [float(part.replace("d", "e").replace("D", "E")) for part in parts]
    except ValueError:
        bad = next(part for part in parts if not _is_float(part))
        report.error(number, "**MEASURDATA", f"found {bad[:40]!r}; expected a number")
        return
    if any(map(math.isinf, row)):
        report.error(number, "**MEASURDATA", "found a number that is too large")
        return
    rows.append(row)
    lines.append(number)


def _is_float(text: str) -> bool:
    try:
        float(text.replace("d", "e").replace("D", "E"))
    except ValueError:
        return False
    return True


def _is_unit(text: str) -> bool:
    """Whether a word of a line is a unit: one of the known ones, or a fraction."""
    return text.lower() in UNITS or (bool(text) and "/" in text and NUMBER.fullmatch(text) is None)


def _factor(given: str, wanted: str, where: str) -> float:
    name = UNITS.get(given.lower(), given)
    if not wanted:
        return 1.0
    try:
        return convert(1.0, name, wanted)
    except JounceError as error:
        raise FormatError(f"{where}: {error}") from None
