"""Numbers that nothing on the road has: a unit forgotten, or another one than the author thought of.

A field declares the magnitudes that exist (``typical`` in ``core/fields.py``), from a kart to a truck of 40 t. What
lies outside is told with the units of the same kind that would bring it inside: "27 N/m; did you mean 27 N/mm?". Zero
needs no unit and is never doubted. Of a curve the mean slope of a table (or its rate, or its largest value, as it is
declared) and the reach of its abscissa are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

import numpy as np

from jounce.core import units
from jounce.core.curves import Curve
from jounce.core.fields import Data, meta, walk

Range = tuple[float, float]

# What people write, by what it measures; the first of each is SI.
_USUAL = (
    ("m", "mm", "cm"),
    ("m2", "mm2", "cm2"),
    ("m/s", "km/h", "mm/s"),
    ("m/s2", "g_0"),
    ("s", "ms"),
    ("kg", "t"),
    ("kg.m2", "kg.mm2", "kg.cm2"),
    ("N", "kN"),
    ("N/m", "N/mm", "kN/mm"),
    ("N.s/m", "N.s/mm", "kN.s/m"),
    ("N.m", "N.mm", "kN.m"),
    ("N.m/rad", "N.m/deg", "kN.m/deg", "kN.m/rad"),
    ("N.m.s/rad", "N.m.s/deg"),
    ("Pa", "bar", "MPa"),
    ("rad", "deg"),
    ("rad/s", "deg/s"),
    ("rad/m", "deg/m", "deg/mm"),
    ("m/rad", "mm/rad", "mm/deg", "mm/turn"),
    ("rad/(N.m)", "deg/(N.m)"),
    ("-", "percent"),
)
_ONE = ("", "-")
LIKELY = 0.01  # of the largest: a unit is not proposed for less, where the smallest is zero


@dataclass(frozen=True)
class Doubt:
    """A value that nothing on the road has.

    Attributes
    ----------
    path : of the value, as in a vehicle file
    message : what was found, what was perhaps meant, what is usual
    """

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def doubts(data: Data, path: str = "") -> Iterator[Doubt]:
    """Every value of a group of data, and of all inside it, beyond its typical range."""
    told: set[tuple[str, Any]] = set()
    for inner, value, info in walk(data, path):
        if info is None or value is None:
            continue
        extra = meta(info)
        found = None
        if extra.get("kind") == "quantity" and extra.get("typical") is not None:
            found = doubt_of(value, extra["unit"], extra["typical"])
        elif isinstance(value, Curve):
            found = _of_curve(value, extra)
        shown = inner.removesuffix(".curve") if extra.get("flat") else inner
        left = shown.replace(".right.", ".")
        if found is not None and (left, value) not in told:  # the right side has most of its numbers from the left
            told.add((left, value))
            yield Doubt(shown, found)


def doubt_of(value: float, unit: str, usual: Range, what: str = "") -> str | None:
    """What is odd about a number, with the unit that was perhaps meant; None when nothing is."""
    if value == 0.0 or _inside(value, usual):
        return None
    meant = _meant(value, unit, usual)
    return f"{what}{with_unit(value, unit)}{f'; did you mean {meant}?' if meant else ''} ({usual_text(usual, unit)})"


def usual_text(usual: Range, unit: str) -> str:
    """``usual on the road: 0.6 to 3 m``."""
    low, high = (f"{limit:.4g}" for limit in usual)
    bounds = f"{low} to {high}" if usual[0] > 0 else f"at most {high}"
    return f"usual on the road: {with_unit_text(bounds, unit)}"


def _meant(value: float, unit: str, usual: Range) -> str:
    """The same digits in the units in which they are usual."""
    likely = (usual[0] or LIKELY * usual[1], usual[1])
    others = _others(unit)
    meant = [with_unit(value, other) for other, factor in others if _inside(value * factor, likely)]
    if not meant:  # a unit where none belongs: 1.5 mm for 1.5 m
        meant = [
            f"{with_unit(value / factor, unit)} instead of {with_unit(value / factor, other)}"
            for other, factor in others
            if _inside(value / factor, likely)
        ]
    return " or ".join(meant)


def accepted(path: str, accept: tuple[str, ...]) -> bool:
    """Whether somebody said that what stands at a path is as it shall be; ``*`` stands for any text."""
    return any(path == pattern or fnmatchcase(path, pattern.replace("[", "[[]")) for pattern in accept)


def with_unit(value: float, unit: str) -> str:
    """``27 N/m``."""
    return with_unit_text(f"{value:.6g}", unit)


def with_unit_text(text: str, unit: str) -> str:
    return text if unit in _ONE else f"{text} {unit}"


@lru_cache(maxsize=256)
def _others(unit: str) -> tuple[tuple[str, float], ...]:
    """Other units of the same kind, with how many of this one they are."""
    measured = units.dimensions(unit)
    for declared, *others in _USUAL:
        if units.dimensions(declared) == measured:
            found = [(other, units.exact_factor(other, unit)) for other in others]
            return tuple((other, float(factor)) for other, factor in found if factor is not None)
    return ()


def _inside(value: float, usual: Range) -> bool:
    return usual[0] <= abs(value) <= usual[1]


def _of_curve(curve: Curve, extra: Mapping[str, Any]) -> str | None:
    usual, reach = (_by_unit(extra.get(name), curve.units.x) for name in ("typical", "reach"))
    if curve.is_table and reach is not None:
        far = max(curve.x, key=abs)
        found = doubt_of(far, curve.units.x, reach, "its abscissa reaches ")
        if found is not None:
            return found
    if usual is None:
        return None
    if curve.constant is not None:
        return doubt_of(curve.constant, curve.units.of_constant, usual)
    if curve.units.constant == "value":
        return doubt_of(max(curve.y, key=abs), curve.units.y, usual, "its values reach ")
    if len(curve.x) < 2:
        return None
    values = curve.values
    slope = float(np.ptp(values, axis=0).max()) / (curve.x[-1] - curve.x[0])
    return doubt_of(slope, curve.units.of_constant, usual, "a mean slope of ")


def _by_unit(usual: Any, unit: str) -> Range | None:
    """A range; of a curve over one of two inputs that for the unit of this one."""
    found = usual.get(unit) if isinstance(usual, Mapping) else usual
    return None if found is None else (float(found[0]), float(found[1]))


__all__ = ["Doubt", "accepted", "doubt_of", "doubts", "usual_text", "with_unit"]
