"""Units for people: the SI numbers of a run as a report, a plot or a table shows them.

A profile says which unit stands for which SI unit. Some depend on the size of the numbers: a wheel travel of 0.05 m
reads better as 50 mm, a position of 800 m does not. Factors are exact here so that no unit library is needed for a
plot.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.units import convert

_DEGREE = 180.0 / math.pi


@dataclass(frozen=True)
class Shown:
    """A unit for display: shown value = factor · SI value + offset, written with ``label``."""

    label: str
    factor: float = 1.0
    offset: float = 0.0


# SI unit -> choices with the size (of the largest SI value) from which each holds
_ENGINEERING: Mapping[str, tuple[tuple[float, Shown], ...]] = {
    "rad": ((0.0, Shown("deg", _DEGREE)),),
    "rad/s": ((0.0, Shown("deg/s", _DEGREE)), (20.0, Shown("rpm", 30.0 / math.pi))),
    "rad/s2": ((0.0, Shown("deg/s²", _DEGREE)),),
    "m": ((0.0, Shown("mm", 1e3)), (1.0, Shown("m"))),
    "m/s": ((0.0, Shown("m/s")), (3.0, Shown("km/h", 3.6))),
    "m/s2": ((0.0, Shown("g", 1.0 / GRAVITY)),),
    "N": ((0.0, Shown("N")), (2e4, Shown("kN", 1e-3))),
    "N/m": ((0.0, Shown("N/mm", 1e-3)),),
    "N.s/m": ((0.0, Shown("N·s/mm", 1e-3)),),
    "N.m/rad": ((0.0, Shown("N·m/deg", 1.0 / _DEGREE)),),
    "Pa": ((0.0, Shown("bar", 1e-5)),),
    "W": ((0.0, Shown("kW", 1e-3)),),
    "K": ((0.0, Shown("°C", 1.0, -273.15)),),
    "rad.s2/m": ((0.0, Shown("deg/g", _DEGREE * GRAVITY)),),
    "rad/m": ((0.0, Shown("deg/m", _DEGREE)),),
    "m/s2/rad": ((0.0, Shown("g/deg", 1.0 / (GRAVITY * _DEGREE))),),
}
PROFILES: Mapping[str, Mapping[str, tuple[tuple[float, Shown], ...]]] = {"si": {}, "engineering": _ENGINEERING}


def shown(unit: str, profile: str = "engineering", size: float | None = None) -> Shown:
    """Return how numbers in the SI unit ``unit`` are shown.

    Parameters
    ----------
    unit : SI unit as a channel carries it
    profile : "si" or "engineering" (deg, mm, N/mm, g, km/h)
    size : largest magnitude, for units that depend on it
    """
    if profile not in PROFILES:
        raise ParameterError(f"profile {profile!r}: unknown{did_you_mean(profile, PROFILES)}")
    choices = PROFILES[profile].get(_plain(unit))
    if choices is None:
        return Shown(pretty(unit))
    magnitude = 0.0 if size is None or not math.isfinite(size) else abs(size)
    return next(choice for limit, choice in reversed(choices) if magnitude >= limit)


def _plain(unit: str) -> str:
    return unit.replace("*", ".").replace("^", "").replace(" ", ".")


def pretty(unit: str) -> str:
    """Return a unit as it is printed: ``m/s2`` as m/s², ``g_0`` as g, ``-`` as nothing."""
    if unit in ("-", "1", ""):
        return ""
    text = unit.replace("g_0", "g").replace("*", "·").replace(".", "·").replace("^", "")
    return re.sub(r"(?<=[A-Za-z)])(-?\d+)", lambda m: m[1].translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")), text)


def number(value: float | None, digits: int = 4, short: bool = False) -> str:
    """Return a number as it is printed: four digits that matter, no exponent where it can be avoided.

    ``short`` leaves out zeros at the end, as in a number that someone chose; others keep them below 1.
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0.0:
        return "0"
    size = abs(value)
    if size < 1e-4 or size >= 1e7:
        text = f"{value:.{digits - 1}e}"
    else:
        places = max(0, digits - 1 - math.floor(math.log10(size)))
        text = f"{value:.{places}f}"
        if "." in text and (short or size >= 1.0):
            text = text.rstrip("0").rstrip(".")
    return text.replace("-", "−")


def in_unit(value: float, source: str, target: str) -> float:
    """Return ``value`` in another unit; what is not a number stays so."""
    return value if source == target else convert(value, source, target)


def value(item: Any, profile: str = "si") -> str:
    """Return a parameter as text: ``[27.8, "m/s"]`` as "100 km/h", a number, a word."""
    if isinstance(item, list) and len(item) == 2 and isinstance(item[1], str):
        plain = isinstance(item[0], (int, float)) and not isinstance(item[0], bool)
        if plain and item[0] and item[1]:
            scale = shown(item[1], profile, float(item[0]))
            return f"{number(scale.factor * float(item[0]) + scale.offset, 5, short=True)} {scale.label}".strip()
        return f"{value(item[0])} {pretty(item[1])}".strip()
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, (int, float)):
        return number(float(item), 5, short=True)
    if isinstance(item, list):
        return ", ".join(value(part) for part in item)
    return "–" if item is None else str(item)
