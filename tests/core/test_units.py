"""Units at the border: what is read, what is refused, and that factors are exact."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.core import units
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError

SI_UNITS = [
    *("-", "1", "m", "kg", "s", "N", "rad", "K", "Pa", "J", "W", "Hz", "V", "A"),
    *("N.s/m", "N*s/m", "kg.m2", "kg*m^2", "kg*m**2", "kg·m²", "rad/s", "1/s", "s-1", "s^-1", "m/s2", "m/s/s"),
    *("N.m/rad", "N.m.s/rad", "W/(m2.K)", "1/(N.m)", "N m", "V.s/rad", "rad/s2"),
]


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("25 N/mm", "N/m", 25e3),
        ("2.5 kN.s/m", "N*s/m", 2500.0),
        ("100 km/h", "m/s", 1000 / 36),
        ("180 deg", "rad", math.pi),
        ("90°", "rad", math.pi / 2),
        ("10 deg/s", "rad/s", math.pi / 18),
        ("3000 rpm", "rad/s", 100 * math.pi),
        ("3000 rev/min", "rad/s", 100 * math.pi),
        ("5 %", "-", 0.05),
        ("0.3 -", "1", 0.3),
        ("2.2 bar", "Pa", 2.2e5),
        ("20 degC", "K", 293.15),
        ("20 °C", "K", 293.15),
        ("1 inch", "m", 0.0254),
        ("1 lbf", "N", 0.45359237 * GRAVITY),
        ("0.4 g_0", "m/s2", 0.4 * GRAVITY),
        ("250 Nm", "N.m", 250.0),
        ("3 N.m/deg", "N.m/rad", 3 * 180 / math.pi),
        ("12 kg*cm^2", "kg.m2", 12e-4),
        ("60 1/min", "1/s", 1.0),
        ("4 ms", "s", 0.004),
        ("7 N.m", "J", 7.0),
        ("-1.5e-3 m", "m", -0.0015),
        ("  .5mm ", "m", 0.0005),
        ("3600 J", "kWh", 0.001),
    ],
)
def test_text_becomes_a_number_in_the_declared_unit(text: str, unit: str, expected: float) -> None:
    # one rounding of the exact fraction against the two or three roundings of the expression above
    assert units.parse(text, unit) == pytest.approx(expected, rel=4e-16)


@pytest.mark.parametrize(("text", "unit", "expected"), [("0.1 mm", "m", 1e-4), ("25.4 mm", "inch", 1.0)])
def test_conversion_rounds_once(text: str, unit: str, expected: float) -> None:
    assert units.parse(text, unit) == expected


def test_a_number_below_the_smallest_float_is_zero() -> None:
    assert units.parse("1e-999999999 mm", "m") == 0.0


@pytest.mark.parametrize("value", [3, 3.0, np.float64(3), np.float32(3), np.int64(3)])
def test_numbers_pass_as_si(value: float) -> None:
    result = units.parse(value, "N/m")
    assert result == 3.0
    assert type(result) is float


@pytest.mark.parametrize("unit", ["rad", "-", "N/m"])
def test_text_without_unit_is_a_number(unit: str) -> None:
    assert units.parse("0.5", unit) == 0.5


@pytest.mark.parametrize(
    ("value", "unit", "says"),
    [
        ("25 N/mm", "m", ["spring.rate = '25 N/mm'", "found N/mm (kg s-2)", "expected m (m)"]),
        ("1 m", "rad", ["found m", "expected rad"]),
        ("1 rad", "-", ["found rad", "expected - (dimensionless)"]),
        ("5 %", "N", ["found % (dimensionless)"]),
        ("5 Hz", "rad/s", ["found Hz (s-1)", "expected rad/s (rad s-1)"]),
        ("0.4 g", "m/s2", ["gram", "g_0"]),
        ("100 PS", "W", ["metric_horsepower"]),
        ("25 N/mmm", "N/m", ["unknown unit 'mmm'", "did you mean"]),
        ("25 kmh", "m/s", ["unknown unit 'kmh'", "did you mean 'km/h'"]),
        ("N/mm", "N/m", ["does not begin with a number", "1.5 N/m"]),
        ("1,5 N", "N", ["a decimal comma", "'1.5 N'"]),
        ("3 Hz", "rad/s", ["2π rad/s", "turn/s"]),
        ("nan N", "N", ["does not begin with a number"]),
        ("", "N", ["does not begin with a number"]),
        ("5 N/", "N", ["factor is missing"]),
        ("5 /s", "1/s", ["factor is missing"]),
        ("5 N//m", "N/m", ["factor is missing"]),
        ("5 W/(m.K", "W", ["')' is missing"]),
        ("5 N)", "N", ["does not belong"]),
        ("20 degC/s", "K/s", ["use 'K'"]),
        ("1e999 km", "m", ["too large"]),
        ("1e308 km", "m", ["too large"]),
        ("1e999999999", "m", ["too large"]),
        ("1 mm^999999999", "m", ["powers go from 1"]),
        ("1 m^0", "m", ["powers go from 1"]),
        ("1 ((((m))))", "m", ["too many parentheses"]),
        (None, "N", ["expected a number in N"]),
        (True, "N", ["expected a number in N"]),
        ([1.0], "N", ["expected a number in N"]),
    ],
)
def test_wrong_text_is_refused_by_name(value: object, unit: str, says: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        units.parse(value, unit, name="spring.rate")  # type: ignore[arg-type]
    for part in ["spring.rate", *says]:
        assert part in str(caught.value)


def test_lengths_are_limited_and_what_no_model_can_hold_is_refused() -> None:
    longest = "9" * units.LONGEST
    assert units.parse(longest, "m", "width") > 0
    with pytest.raises(ParameterError, match=rf"width = '9+' …: {units.LONGEST + 1} characters"):
        units.parse(longest + "9", "m", "width")
    with pytest.raises(ParameterError, match=f"a unit of {units.LONGEST + 1} characters"):
        units.dimensions("m" * (units.LONGEST + 1))
    with pytest.raises(ParameterError, match=r"unit 'm\)': '\)' does not belong here"):
        units.dimensions("m)")
    for unit in ("mm", "degC"):
        with pytest.raises(ParameterError, match=f"unit of length: '{unit}' is not SI; declare the SI unit"):
            units.check_si(unit, "length")
    assert units.check_si("N.m/rad") == "N.m/rad"


def test_a_wrong_declared_unit_says_that_it_is_the_declaration() -> None:
    with pytest.raises(ParameterError, match=r"declared unit of mass: unknown unit 'kgg'"):
        units.parse("3 kg", "kgg", name="mass")


@pytest.mark.parametrize("unit", [*SI_UNITS, "deg", "bar", "km/h", "%", "N.m/deg"])
def test_units_are_accepted(unit: str) -> None:
    assert units.check_unit(unit) == unit


@pytest.mark.parametrize("unit", ["", " ", "N/", "furlongs?", "kg,m", "--", "m 2", "metre per second", "2 m", "N..m"])
def test_wrong_units_are_refused(unit: str) -> None:
    with pytest.raises(ParameterError, match="unit of wheel rate"):
        units.check_unit(unit, "wheel rate")


def test_spellings_of_one_unit_measure_the_same() -> None:
    damping = {units.dimensions(u) for u in ("N.s/m", "N*s/m", "N s/m", "kg/s", "N.s.m-1", "N/(m/s)", "lbf.s/inch")}
    assert damping == {(("kg", 1), ("s", -1))}
    assert units.dimensions("rad/s") != units.dimensions("1/s")


@pytest.mark.parametrize("symbol", ["m", "kg", "s", "K", "A", "rad", "N", "Pa", "J", "W", "V", "Hz"])
def test_si_units_agree_with_pint(symbol: str) -> None:
    """The table written by hand against the independent one."""
    base = pint.get_application_registry().Quantity(1.0, symbol).to_base_units()
    short = {"meter": "m", "kilogram": "kg", "second": "s", "kelvin": "K", "ampere": "A", "radian": "rad"}
    assert base.magnitude == pytest.approx(1.0, rel=1e-15)
    assert dict(units.dimensions(symbol)) == {short[name]: power for name, power in base.unit_items()}


@pytest.fixture(scope="module")
def exact_registry() -> Any:
    return pint.UnitRegistry(non_int_type=Fraction)  # takes half a second to build


@pytest.mark.parametrize(
    ("symbol", "unit"),
    [
        *(("mm", "m"), ("cm", "m"), ("km", "m"), ("ms", "s"), ("min", "s"), ("h", "s"), ("kN", "N"), ("kPa", "Pa")),
        *(("MPa", "Pa"), ("bar", "Pa"), ("kW", "W"), ("deg", "rad"), ("turn", "rad"), ("percent", "-")),
        *(("rpm", "rad/s"), ("l", "m3"), ("g", "kg")),
    ],
)
def test_frequent_units_are_to_the_bit_those_of_pint(exact_registry: Any, symbol: str, unit: str) -> None:
    exact = exact_registry.Quantity(Fraction(1), symbol).to_base_units().magnitude
    assert units.convert(1.0, symbol, unit) == float(exact)
    assert units.parse(f"0.7 {symbol}", unit) == float(Fraction("0.7") * exact)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("N/mm", "lbf/inch"),
        ("km/h", "mph"),
        ("deg", "rad"),
        ("degC", "degF"),
        ("bar", "psi"),
        ("rpm", "deg/s"),
        ("kW", "hp"),
    ],
)
@given(value=st.floats(-1e6, 1e6))
@settings(max_examples=30, deadline=None)
def test_round_trip_returns_the_number(a: str, b: str, value: float) -> None:
    there = units.convert(value, a, b)
    # two roundings, of which the first is relative to the shifted value on a temperature scale
    assert units.convert(there, b, a) == pytest.approx(value, rel=4e-16, abs=1e-12 if a == "degC" else 1e-300)


def test_derived_factors_are_products_of_their_bases() -> None:
    assert units.convert(1, "psi", "Pa") == pytest.approx(
        units.convert(1, "lbf", "N") / units.convert(1, "inch", "m") ** 2, rel=4e-16
    )
    assert units.convert(1, "kWh", "J") == 3.6e6
    assert units.convert(1, "mph", "m/s") == 1609.344 / 3600


def test_convert_refuses_another_dimension_and_keeps_the_non_finite() -> None:
    with pytest.raises(ParameterError, match=r"cannot convert N \(.*\) to m"):
        units.convert(1.0, "N", "m")
    assert math.isnan(units.convert(math.nan, "mm", "m"))


def test_si_needs_no_pint() -> None:
    code = (
        "import sys; from jounce.core import units\n"
        f"for u in {SI_UNITS!r}: units.check_unit(u, 'x'); units.parse(1.0, u)\n"
        "assert units.parse('3 N.s/m', 'kg/s') == 3.0\n"
        "assert units.parse('3 mm', 'm') == 0.003\n"
        "assert 'pint' not in sys.modules\n"
        "units.parse('3 lbf', 'N'); assert 'pint' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
