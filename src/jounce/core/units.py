"""Units at the border: text such as ``"25 N/mm"`` in, SI numbers out.

Inside jounce every number is SI (docs/conventions.md). A declared unit is a product of symbols with whole powers:

    N.s/m   N*s/m   kg.m2   kg*m^2   rad/s   1/s   W/(m2.K)   -

A dot, an asterisk or a space multiplies; a slash divides by the one factor that follows it; ``-`` and ``1`` mean
dimensionless. Coherent SI and the units of every vehicle file (``mm``, ``deg``, ``kN``, ``bar``) are known here; every
other symbol (``lbf``, ``mph``, ``hp``) is looked up in pint, imported on first need because it takes half a second.
Factors are exact fractions of pint's definitions and are rounded once, at the end.

The radian counts as a dimension of its own: ``deg`` converts to ``rad``, but neither ``m`` nor ``-`` does, nor ``Hz``
to ``rad/s``. A number without unit, as float or as text, is taken as it is, in the declared unit.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from numbers import Real
from typing import Any

from jounce.core.errors import ParameterError, did_you_mean

Dimensions = tuple[tuple[str, int], ...]
"""Base symbols with their powers, sorted, zero powers left out: N is ``(("kg", 1), ("m", 1), ("s", -2))``."""

_SI: dict[str, dict[str, int]] = {
    "1": {},
    "m": {"m": 1},
    "kg": {"kg": 1},
    "s": {"s": 1},
    "K": {"K": 1},
    "A": {"A": 1},
    "rad": {"rad": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "Hz": {"s": -1},
}
_PI = Fraction("3.1415926535897932384626433832795028841971693993751")
# The same as in pint (a test compares), so that reading an ordinary file does not wait for its import.
_FREQUENT: dict[str, tuple[str, Fraction]] = {
    "mm": ("m", Fraction(1, 1000)),
    "cm": ("m", Fraction(1, 100)),
    "km": ("m", Fraction(1000)),
    "ms": ("s", Fraction(1, 1000)),
    "min": ("s", Fraction(60)),
    "h": ("s", Fraction(3600)),
    "kN": ("N", Fraction(1000)),
    "kPa": ("Pa", Fraction(1000)),
    "MPa": ("Pa", Fraction(10**6)),
    "bar": ("Pa", Fraction(10**5)),
    "kW": ("W", Fraction(1000)),
    "deg": ("rad", _PI / 180),
    "turn": ("rad", 2 * _PI),
    "percent": ("1", Fraction(1, 100)),
    "rpm": ("rad/s", 2 * _PI / 60),
    "l": ("m3", Fraction(1, 1000)),
    "g": ("kg", Fraction(1, 1000)),
}
_PINT_BASE = {"meter": "m", "kilogram": "kg", "second": "s", "kelvin": "K", "ampere": "A", "radian": "rad"}

# Spellings of the trade that pint lacks or reads as something else ("Nm" as a thread count).
_SPELLINGS = {
    "Nm": "N.m",
    "Nmm": "N.mm",
    "kNm": "kN.m",
    "Ns": "N.s",
    "rev": "turn",
    "°": "deg",
    "°C": "degC",
    "%": "percent",
}
_COMMON = (
    *(symbol for symbol in _SI if symbol != "1"),
    *("mm", "cm", "km", "kN", "N.m", "N/mm", "N.s/m", "kg.m2", "m/s", "m/s2", "km/h", "deg", "deg/s", "rad/s"),
    *("rpm", "bar", "kPa", "MPa", "kW", "kWh", "degC", "ms", "min", "h", "g_0", "lbf", "inch", "ft", "psi", "mph", "%"),
)
_HINTS = {
    "g": "'g' is the gram; write 'g_0' for standard gravity",
    "PS": "'PS' is the petasiemens; write 'metric_horsepower'",
    "C": "'C' is the coulomb; write 'degC'",
}

LONGEST = 200  # characters of a quantity or a unit
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*", re.DOTALL)
_TOKEN = re.compile(
    r"\s*(?:(?P<symbol>[A-Za-zµμΩ°%]+(?:_[A-Za-z0-9]+)*)|(?P<one>1)|(?P<times>\*|\.|·|⋅)|(?P<slash>/)|(?P<open>\()|(?P<close>\)))"
)
_POWER = re.compile(r"(?:\^|\*\*)?([+-]?\d+)|([⁺⁻]?[⁰¹²³⁴-⁹]+)")
_PLAIN_DIGITS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_MAX_POWER, _MAX_DEPTH = 9, 3  # beyond any physics; they bound the work that a text can cause


class _UnknownUnitError(Exception):
    """Why a unit text cannot be read; turned into a ParameterError by the caller, who knows the quantity."""


@dataclass(frozen=True)
class _Unit:
    """SI value = factor × number + offset; the offset is that of a temperature scale."""

    dimensions: Dimensions
    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)


def parse(value: float | str, unit: str, name: str = "value") -> float:
    """Return `value` as a number in `unit`.

    Parameters
    ----------
    value : a number, taken as it is, or text with a unit: ``"25 N/mm"``
    unit : the declared unit, normally SI
    name : what the number is, for the message

    Raises
    ------
    ParameterError
        The text is not a number with a unit, the unit is unknown, or it measures something else.
    """
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        raise ParameterError(f"{name} = {value!r}: expected a number in {unit} or text such as {_example(unit)!r}")
    if len(value) > LONGEST:
        raise ParameterError(f"{name} = {value[:40]!r} …: {len(value)} characters; write such as {_example(unit)!r}")
    match = _NUMBER.fullmatch(value)
    if match is None:
        raise ParameterError(f"{name} = {value!r}: does not begin with a number; write for example {_example(unit)!r}")
    number, text = match.groups()
    if re.match(r",\s*\d", text):
        raise ParameterError(
            f"{name} = {value!r}: a decimal comma; write a point, {value.strip().replace(',', '.', 1)!r}"
        )
    plain = float(number)
    if math.isinf(plain):
        raise ParameterError(f"{name} = {value!r}: too large for a floating-point number")
    if not text:
        return plain
    declared = _read(unit, f"declared unit of {name}")
    given = _read(text, f"{name} = {value!r}")
    if given.dimensions != declared.dimensions:
        hint = _hint(text) or _turns(given, declared)
        raise ParameterError(
            f"{name} = {value!r}: found {_describe(text, given)}, expected {_describe(unit, declared)}{hint}"
        )
    exact = Fraction(number) if plain else Fraction(0)  # a tiny number is zero before it becomes a huge denominator
    return _finite((exact * given.factor + given.offset - declared.offset) / declared.factor, name, value)


def convert(value: float, source: str, target: str) -> float:
    """Return `value`, given in unit `source`, in unit `target`."""
    if not math.isfinite(value):
        return value
    given, wanted = _read(source, "source unit"), _read(target, "target unit")
    if given.dimensions != wanted.dimensions:
        raise ParameterError(f"cannot convert {_describe(source, given)} to {_describe(target, wanted)}{_hint(source)}")
    return _finite((Fraction(value) * given.factor + given.offset - wanted.offset) / wanted.factor, "value", value)


def exact_factor(source: str, target: str) -> Fraction | None:
    """Return the exact number of units `target` in one `source`; None when that is not all (degrees Celsius)."""
    given, wanted = _read(source, "source unit"), _read(target, "target unit")
    if given.dimensions != wanted.dimensions or given.offset or wanted.offset:
        return None
    return given.factor / wanted.factor


def check_unit(unit: str, name: str = "") -> str:
    """Return `unit` when it is one, else raise a ParameterError naming the quantity `name`."""
    _read(unit, f"unit of {name}" if name else "unit")
    return unit


def check_si(unit: str, name: str = "") -> str:
    """Return `unit` when it is coherent SI, else raise: inside a model every number is SI."""
    found = _read(unit, f"unit of {name}" if name else "unit")
    if found.factor != 1 or found.offset != 0:
        raise ParameterError(
            f"unit of {name or 'a quantity'}: {unit!r} is not SI; declare the SI unit, and give values as text with "
            f"any unit, such as {'90 ' + unit!r}"
        )
    return unit


def dimensions(unit: str) -> Dimensions:
    """Return what `unit` measures: equal results mean that two units can be converted into each other."""
    return _read(unit, "unit").dimensions


def _read(text: str, where: str) -> _Unit:
    if len(text) > LONGEST:
        raise ParameterError(f"{where[:LONGEST]}: a unit of {len(text)} characters: {text[:40]!r} …")
    try:
        return _parse_unit(text)
    except _UnknownUnitError as problem:
        raise ParameterError(f"{where}: {problem}") from None


@lru_cache(maxsize=1024)
def _parse_unit(text: str) -> _Unit:
    """Read products and quotients, left to right; parentheses group."""
    if not isinstance(text, str) or not text.strip():
        raise _UnknownUnitError("the unit is empty; write '-' for a dimensionless number")
    if text.strip() == "-":
        return _Unit(())
    factors, position = _product(text, 0, depth=0)
    if position != len(text):
        raise _UnknownUnitError(f"unit {text!r}: unexpected {text[position:]!r}")
    return _combine(text, factors)


def _product(text: str, position: int, depth: int) -> tuple[list[tuple[_Unit, int]], int]:
    """Return the factors from `position` to the end or to the closing parenthesis, and where that is."""
    factors: list[tuple[_Unit, int]] = []
    operator: str | None = ""  # "" at the start, None right after a factor
    while text[position:].strip():
        token = _TOKEN.match(text, position)
        if token is None:
            raise _UnknownUnitError(f"unit {text!r}: cannot read {text[position:].strip()!r}")
        kind = token.lastgroup
        if kind == "close" and depth and operator is None:
            return factors, token.end()
        if kind in ("times", "slash"):
            if operator is not None:
                raise _UnknownUnitError(f"unit {text!r}: a factor is missing before {token.group().strip()!r}")
            operator, position = kind, token.end()
            continue
        sign = -1 if operator == "slash" else 1
        if kind == "open":
            if depth == _MAX_DEPTH:
                raise _UnknownUnitError(f"unit {text!r}: too many parentheses")
            inner, position = _product(text, token.end(), depth + 1)
            power, position = _power(text, position)
            factors += [(unit, sign * power * exponent) for unit, exponent in inner]
        elif kind in ("symbol", "one"):
            power, position = _power(text, token.end()) if kind == "symbol" else (1, token.end())
            factors.append((_symbol(token[kind]), sign * power))
        else:
            raise _UnknownUnitError(f"unit {text!r}: ')' does not belong here")
        operator = None
    if operator is not None:
        raise _UnknownUnitError(f"unit {text!r}: a factor is missing at the end")
    if depth:
        raise _UnknownUnitError(f"unit {text!r}: ')' is missing")
    return factors, len(text)


def _power(text: str, position: int) -> tuple[int, int]:
    match = _POWER.match(text, position)
    if match is None:
        return 1, position
    power = int((match[1] or match[2])[:4].translate(_PLAIN_DIGITS))
    if not 1 <= abs(power) <= _MAX_POWER:
        raise _UnknownUnitError(f"unit {text!r}: powers go from 1 to {_MAX_POWER}")
    return power, match.end()


def _combine(text: str, factors: list[tuple[_Unit, int]]) -> _Unit:
    if len(factors) == 1 and factors[0][1] == 1:
        return factors[0][0]
    powers: dict[str, int] = {}
    factor = Fraction(1)
    for unit, exponent in factors:
        if unit.offset:
            raise _UnknownUnitError(f"unit {text!r}: a temperature scale with an offset cannot be multiplied; use 'K'")
        factor *= unit.factor**exponent
        for base, power in unit.dimensions:
            powers[base] = powers.get(base, 0) + power * exponent
    return _Unit(_sorted(powers), factor)


@lru_cache(maxsize=1024)
def _symbol(symbol: str) -> _Unit:
    if symbol in _SI:
        return _Unit(_sorted(_SI[symbol]))
    spelled = _SPELLINGS.get(symbol, symbol)
    if spelled in _FREQUENT:
        base, factor = _FREQUENT[spelled]
        return _Unit(_parse_unit(base).dimensions, factor)
    return _parse_unit(spelled) if "." in spelled else _from_pint(spelled, symbol)


def _from_pint(name: str, shown: str) -> _Unit:
    import pint

    registry = _registry()
    try:
        zero = registry.Quantity(Fraction(0), name).to_base_units()
        one = registry.Quantity(Fraction(1), name).to_base_units()
    except (pint.errors.PintError, AttributeError):
        raise _UnknownUnitError(f"unknown unit {shown!r}{did_you_mean(shown, _COMMON)}") from None
    base = {_PINT_BASE.get(str(key), str(key)): power for key, power in one.unit_items()}
    if any(int(power) != power for power in base.values()):
        raise _UnknownUnitError(f"unit {shown!r} has broken powers")
    offset = Fraction(zero.magnitude)
    return _Unit(_sorted({key: int(power) for key, power in base.items()}), Fraction(one.magnitude) - offset, offset)


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    # Fractions keep every definition exact: 1 inch is 127/5000 m, not 0.0254 rounded.
    return pint.UnitRegistry(non_int_type=Fraction)


def _sorted(powers: dict[str, int]) -> Dimensions:
    return tuple(sorted((base, power) for base, power in powers.items() if power))


def _finite(exact: Fraction, name: str, value: float | str) -> float:
    try:
        return float(exact)
    except OverflowError:
        raise ParameterError(f"{name} = {value!r}: too large for a floating-point number") from None


def _example(unit: str) -> str:
    return "1.5" if unit in ("-", "1") else f"1.5 {unit}"


def _describe(text: str, unit: _Unit) -> str:
    """``N/mm (kg s-2)``: the unit as written and what it measures."""
    base = " ".join(symbol if power == 1 else f"{symbol}{power}" for symbol, power in unit.dimensions)
    return f"{text} ({base or 'dimensionless'})"


def _turns(given: _Unit, declared: _Unit) -> str:
    """Hint where a number of turns (Hz, 1/s) meets an angle (rad/s)."""
    difference = {*given.dimensions} ^ {*declared.dimensions}
    if difference == {("rad", 1)} and any(base == "s" for base, _ in given.dimensions):
        return "; 1 Hz is one turn per second, 2π rad/s: write 'turn/s' for turns, 'rad/s' for radians"
    return ""


def _hint(text: str) -> str:
    hints = [hint for symbol, hint in _HINTS.items() if re.search(rf"(?<![A-Za-z_]){symbol}(?![A-Za-z_])", text)]
    return f"; {hints[0]}" if hints else ""


def rate_unit(unit: str) -> str:
    """Unit of a time derivative: m -> m/s -> m/s2."""
    if unit.endswith("/s2"):
        return unit[:-1] + "3"
    if unit.endswith("/s"):
        return unit + "2"
    return "1/s" if unit in ("-", "1") else f"{unit}/s"
