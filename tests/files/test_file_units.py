"""Units of property files: names, both spellings, tags."""

from __future__ import annotations

import math

import pytest

from jounce.core import units as core
from jounce.files.file_units import DIMENSIONS, FALLBACKS, NAMES, SI, Units, column_factor, read_units, write_units
from jounce.files.property_file import Column, PropertyFile

ADVANCED = """\
[UNITS]
(BASE)
{length force angle mass time}
'mm' 'newton' 'degrees' 'kg' 'sec'
(USER)
{unit_type length force angle mass time conversion}
'kgpm3' -3 0 0 1 0 1.0E-9
'KPH' 1 0 0 0 -1 277.77777777777777
'rpm' 0 0 1 0 -1 6.0
'torque' 1 1 0 0 0 1.0
"""


def read(text: str) -> tuple[Units, PropertyFile]:
    file = PropertyFile.parse(text)
    units = read_units(file, file.report)
    file.report.raise_if_errors()
    return units, file


def test_names_have_the_factors_of_exact_definitions() -> None:
    known = {
        "length": {"mm": "mm", "cm": "cm", "km": "km", "inch": "inch", "foot": "ft", "mile": "mile"},
        "force": {"kn": "kN", "kg_force": "kgf", "pound_force": "lbf", "dyne": "dyne", "ounce_force": "force_ounce"},
        "angle": {"deg": "deg"},
        "mass": {"gram": "g", "tonne": "tonne", "lbm": "lb", "slug": "slug", "ounce_mass": "oz"},
        "time": {"ms": "ms", "min": "min", "hour": "h"},
    }
    si = {"length": "m", "force": "N", "angle": "rad", "mass": "kg", "time": "s"}
    for base, names in known.items():
        for name, unit in names.items():
            assert float(NAMES[base][name]) == pytest.approx(core.convert(1.0, unit, si[base]), rel=1e-15), name


def test_plain_spelling() -> None:
    units, _ = read("[UNITS]\nLENGTH='mm'\nFORCE = 'KNewton'\nANGLE ='Degrees'\nMASS= 'kg'\nTIME ='second'\n")
    assert units.factor("m") == 1e-3
    assert units.factor("N/m") == 1e6
    assert units.factor("rad") == pytest.approx(math.pi / 180, rel=1e-15)
    assert units.factor("N.s/m") == 1e6
    for unit in DIMENSIONS:
        assert units.from_si(units.to_si(3.7, unit), unit) == pytest.approx(3.7, rel=1e-15)


def test_base_and_user_spelling() -> None:
    units, file = read(ADVANCED)
    factors = {name: units.tag(name, file.report, 0, "") for name in ("rpm", "torque", "kph", "KGPM3")}
    assert factors["rpm"] == pytest.approx(math.pi / 30, rel=1e-15)
    assert factors["torque"] == pytest.approx(1e-3, rel=1e-15)
    assert factors["kph"] == pytest.approx(1 / 3.6, rel=1e-15)
    assert factors["KGPM3"] == pytest.approx(1.0, rel=1e-15)
    assert units.factor("m2") == 1e-6, "a frontal area of 1e6 is one square metre"
    assert not file.report.problems


def test_undeclared_tags_have_a_usual_meaning_with_a_warning() -> None:
    units, file = read("[UNITS]\nLENGTH = 'mm'\n")
    assert units.tag("kmh", file.report, 7, "SPEED") == FALLBACKS["kmh"] == 1 / 3.6
    assert "not declared" in str(file.report.warnings[0])
    assert units.tag("inch", file.report, 7, "X") == 0.0254
    units.tag("furlong", file.report, 8, "X")
    assert "<furlong> is not declared" in str(file.report.errors[0])


def test_columns_with_and_without_tags() -> None:
    units, file = read(ADVANCED)
    assert column_factor(Column("speed", "rpm"), units, "rad/s", file.report, 1) == pytest.approx(math.pi / 30)
    assert column_factor(Column("pen"), units, "m", file.report, 1) == 1e-3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[UNITS]\nLENGTH = 'metre_'\n", "unknown unit of length; did you mean 'metre'"),
        ("[UNITS]\nLENGTH = 3\n", "unknown unit of length"),
        ("[UNITS]\n(BASE)\n", "the table is missing"),
        (ADVANCED.replace("1.0E-9", "'a'"), "five whole exponents"),
        (ADVANCED.replace("-3 0 0 1", "-3 0.5 0 1"), "whole numbers from -9 to 9"),
        (ADVANCED.replace("1.0E-9", "0"), "conversion is positive"),
    ],
)
def test_wrong_units_are_errors(text: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        read(text)


def test_pounds_as_a_mass_are_understood() -> None:
    units, file = read("[UNITS]\nMASS = 'LBF'\nCOLOUR = 'red'\n")
    assert units.factor("kg") == 0.45359237
    assert "is a force" in str(file.report.warnings[0])
    assert len(file.report.infos) == 1


def test_a_written_block_is_read_back() -> None:
    file = PropertyFile()
    write_units(file, {"length": "mm"})
    units, _ = read(file.text())
    assert units.factor("m") == 1e-3 and units.factor("N") == 1.0
    assert read("")[0].factor("N/m") == SI.factor("N/m") == 1.0
