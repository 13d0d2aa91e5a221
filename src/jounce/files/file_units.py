"""Units of property files: the [UNITS] block in both spellings, unit tags, conversion to SI.

A unit is a product of powers of five base units, those of length, force, angle, mass and time:

    x_SI = x · conversion · Π base_iᵉⁱ                                                                      (1)

The base units are chosen by the file. The plain spelling names one per key (``LENGTH = 'mm'``); the other holds a table
(BASE) and a table (USER) of further units with their exponents and the number of base units that one of them makes.
Factors are exact by definition: inch, pound and standard gravity.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from jounce.core.errors import FormatError, did_you_mean
from jounce.files.problems import Report
from jounce.files.property_file import Block, Column, PropertyFile, Section, Value

BASES = ("length", "force", "angle", "mass", "time")
Exponents = tuple[int, int, int, int, int]

_INCH = Fraction("0.0254")
_POUND = Fraction("0.45359237")
_GRAVITY = Fraction("9.80665")
_FOOT = 12 * _INCH
_POUND_FORCE = _POUND * _GRAVITY
_DEGREE = math.pi / 180

# Names as the files of the trade spell them, in lower case, with their SI factors.
NAMES: dict[str, dict[str, Fraction | float]] = {
    "length": {
        **dict.fromkeys(("meter", "meters", "metre", "m"), Fraction(1)),
        **dict.fromkeys(("mm", "millimeter", "millimetre"), Fraction(1, 1000)),
        **dict.fromkeys(("cm", "centimeter", "centimetre"), Fraction(1, 100)),
        **dict.fromkeys(("km", "kilometer", "kilometre"), Fraction(1000)),
        **dict.fromkeys(("inch", "in"), _INCH),
        **dict.fromkeys(("foot", "feet", "ft"), _FOOT),
        "mile": 5280 * _FOOT,
    },
    "force": {
        **dict.fromkeys(("newton", "newtons", "n"), Fraction(1)),
        **dict.fromkeys(("knewton", "kilonewton", "kn"), Fraction(1000)),
        **dict.fromkeys(("kg_force", "kgf"), _GRAVITY),
        **dict.fromkeys(("pound_force", "pound", "lbf"), _POUND_FORCE),
        "kpound_force": 1000 * _POUND_FORCE,
        "ounce_force": _POUND_FORCE / 16,
        "dyne": Fraction(1, 100000),
    },
    "angle": {
        **dict.fromkeys(("radian", "radians", "rad"), Fraction(1)),
        **dict.fromkeys(("degree", "degrees", "deg"), _DEGREE),
    },
    "mass": {
        **dict.fromkeys(("kg", "kilogram", "kilograms"), Fraction(1)),
        **dict.fromkeys(("gram", "g"), Fraction(1, 1000)),
        **dict.fromkeys(("tonne", "megagram"), Fraction(1000)),
        **dict.fromkeys(("pound_mass", "lbm"), _POUND),
        "slug": _POUND_FORCE / _FOOT,
        "ounce_mass": _POUND / 16,
    },
    "time": {
        **dict.fromkeys(("second", "seconds", "sec", "s"), Fraction(1)),
        **dict.fromkeys(("millisecond", "milliseconds", "ms"), Fraction(1, 1000)),
        **dict.fromkeys(("minute", "min"), Fraction(60)),
        "hour": Fraction(3600),
    },
}
# Of pressure, where a file names one beside its base units.
PRESSURES: dict[str, float] = {
    **dict.fromkeys(("pascal", "pa", "n/m2", "n/m^2", "newton/meter**2"), 1.0),
    **dict.fromkeys(("kpascal", "kilopascal", "kpa"), 1e3),
    **dict.fromkeys(("mpascal", "megapascal", "mpa", "n/mm2", "n/mm^2"), 1e6),
    "bar": 1e5,
    "psi": float(_POUND_FORCE / _INCH**2),
    "ksi": float(1000 * _POUND_FORCE / _INCH**2),
}
# Pounds written as a mass are met in files; what is meant is clear.
_MEANT_MASS = {"lbf": "lbm", "pound_force": "lbm", "pound": "lbm"}

# Tags that files use without declaring them, as SI factors.
FALLBACKS: dict[str, float] = {
    **dict.fromkeys(("kmh", "kph"), 1 / 3.6),
    **dict.fromkeys(("mps", "m_s"), 1.0),
    "rpm": math.pi / 30,
    **dict.fromkeys(("kgpm3", "kpm3"), 1.0),
    "m2": 1.0,
}

# Exponents of the quantities that keys imply, by their SI unit.
DIMENSIONS: dict[str, Exponents] = {
    "-": (0, 0, 0, 0, 0),
    "m": (1, 0, 0, 0, 0),
    "m2": (2, 0, 0, 0, 0),
    "N": (0, 1, 0, 0, 0),
    "rad": (0, 0, 1, 0, 0),
    "kg": (0, 0, 0, 1, 0),
    "s": (0, 0, 0, 0, 1),
    "m/s": (1, 0, 0, 0, -1),
    "m/s2": (1, 0, 0, 0, -2),
    "m/s3": (1, 0, 0, 0, -3),
    "1/m": (-1, 0, 0, 0, 0),
    "1/s": (0, 0, 0, 0, -1),
    "1/s2": (0, 0, 0, 0, -2),
    "rad/s": (0, 0, 1, 0, -1),
    "rad/s2": (0, 0, 1, 0, -2),
    "N/m": (-1, 1, 0, 0, 0),
    "N/m2": (-2, 1, 0, 0, 0),
    "N/rad": (0, 1, -1, 0, 0),
    "N.s/m": (-1, 1, 0, 0, 1),
    "N.m": (1, 1, 0, 0, 0),
    "N.m/rad": (1, 1, -1, 0, 0),
    "kg/m3": (-3, 0, 0, 1, 0),
    "kg.m2": (2, 0, 0, 1, 0),
}


@dataclass
class Units:
    """What the numbers of a file mean."""

    base: dict[str, Fraction | float] = field(default_factory=lambda: dict.fromkeys(BASES, Fraction(1)))
    user: dict[str, float] = field(default_factory=dict)  # lower-case tag -> SI factor
    pressure: float | None = None  # SI factor, where a file has a unit of its own for it

    def factor(self, unit: str) -> float:
        """SI value of one file unit of the quantity that is measured in the SI unit ``unit``."""
        if unit not in DIMENSIONS:
            raise FormatError(f"quantity in {unit!r}: not expected in a property file{did_you_mean(unit, DIMENSIONS)}")
        if unit == "N/m2" and self.pressure is not None:
            return self.pressure
        return self._product(DIMENSIONS[unit])

    def _product(self, exponents: Exponents) -> float:
        exact, rounded = Fraction(1), 1.0
        for base, power in zip(BASES, exponents, strict=True):
            one = self.base[base]
            if isinstance(one, Fraction):
                exact *= one**power
            else:
                rounded *= one**power
        return float(exact) * rounded

    def tag(self, name: str, report: Report, line: int, key: str) -> float:
        """SI factor of a unit tag; an undeclared one that is commonly meant is taken with a warning."""
        found = self.user.get(name.lower())
        if found is not None:
            return found
        for table in NAMES.values():
            if name.lower() in table:
                return float(table[name.lower()])
        if name.lower() in FALLBACKS:
            report.warning(line, key, f"unit <{name}> is not declared in [UNITS]; the usual meaning is taken")
            return FALLBACKS[name.lower()]
        known = [*self.user, *FALLBACKS]
        report.error(line, key, f"unit <{name}> is not declared in [UNITS]{did_you_mean(name.lower(), known)}")
        return 1.0

    def to_si(self, value: float, unit: str) -> float:
        return value * self.factor(unit)

    def from_si(self, value: float, unit: str) -> float:
        return value / self.factor(unit)


SI = Units()


def read_units(file: PropertyFile, report: Report) -> Units:
    """The units of a file; findings go into the report."""
    units = Units()
    block = file.block("UNITS")
    if block is None:
        return units
    base = block.sub_block("BASE")
    if base is None:
        _plain(block, units, report)
    else:
        _base(base, units, report)
        _user(block.sub_block("USER"), units, report)
    return units


def _name(base: str, value: Value, units: Units, report: Report, line: int, key: str) -> None:
    """Set one base unit by its name."""
    word = str(value).strip().lower() if isinstance(value, str) else ""
    table = NAMES[base]
    if base == "mass" and word in _MEANT_MASS:
        report.warning(line, key, f"{value!r} is a force; the mass {_MEANT_MASS[word]!r} is taken")
        word = _MEANT_MASS[word]
    if word not in table:
        report.error(line, key, f"found {value!r}; unknown unit of {base}{did_you_mean(word, table)}")
        return
    units.base[base] = table[word]


def _plain(block: Block, units: Units, report: Report) -> None:
    for attribute in block.attributes:
        base = attribute.key.lower()
        if base in BASES:
            _name(base, attribute.value, units, report, attribute.line, f"[UNITS] {attribute.key}")
        elif base == "pressure":
            word = str(attribute.value).strip().lower()
            units.pressure = PRESSURES.get(word)
            if word not in PRESSURES:
                rule = f"found {attribute.value!r}; unknown unit of pressure{did_you_mean(word, PRESSURES)}"
                report.error(attribute.line, f"[UNITS] {attribute.key}", rule)
        else:
            report.info(attribute.line, f"[UNITS] {attribute.key}", f"not used{did_you_mean(base, BASES)}")


def _columns(section: Section, report: Report) -> list[tuple[int, dict[str, Value]]]:
    """Rows of a sub-block of [UNITS] by column name."""
    table = section.table
    if table is None or not table.rows:
        report.error(section.line, f"[UNITS] ({section.name})", "the table is missing")
        return []
    names = [column.name.lower() for column in table.columns]
    return [(table.line, dict(zip(names, row, strict=False))) for row in table.rows]


def _base(section: Section, units: Units, report: Report) -> None:
    for line, row in _columns(section, report)[-1:]:
        for base in BASES:
            if base in row:
                _name(base, row[base], units, report, line, f"[UNITS] (BASE) {base}")


def _user(section: Section | None, units: Units, report: Report) -> None:
    for line, row in _columns(section, report) if section is not None else []:
        key = f"[UNITS] (USER) {row.get('unit_type', '')}"
        numbers = [row.get(base, 0.0) for base in (*BASES, "conversion")]
        name = row.get("unit_type")
        if not isinstance(name, str) or not name or any(isinstance(n, str) for n in numbers):
            report.error(line, key, "expected 'name', five whole exponents and a conversion factor")
            continue
        *powers, conversion = (float(n) for n in numbers)
        if any(p != int(p) or abs(p) > 9 for p in powers) or not conversion > 0:
            report.error(
                line,
                key,
                f"found exponents {powers} and conversion {conversion}; exponents are whole numbers from -9 to 9, "
                "the conversion is positive",
            )
            continue
        a, b, c, d, e = (int(p) for p in powers)
        try:
            units.user[name.lower()] = conversion * units._product((a, b, c, d, e))
        except OverflowError:
            report.error(line, key, "the factor to SI is too large for a floating-point number")


def column_factor(column: Column, units: Units, unit: str, report: Report, line: int) -> float:
    """SI factor of a table column: by its tag, else by what the column means."""
    if column.unit is not None:
        return units.tag(column.unit, report, line, f"column {column.name}")
    return units.factor(unit)


def write_units(file: PropertyFile, names: Mapping[str, str] | None = None) -> Block:
    """Append a [UNITS] block in the plain spelling (SI by default)."""
    chosen = {"length": "meter", "force": "newton", "angle": "radian", "mass": "kg", "time": "second", **(names or {})}
    block = file.add_block("UNITS")
    for base in BASES:
        block.set(base.upper(), chosen[base], width=8)
    return block
