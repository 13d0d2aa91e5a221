"""Tolerances of key figures: how far a figure may move before `jounce plan diff` tells it.

    tolerances:
      "*": 0.1 %                                   # of the value before
      yaw_rate_t90: 5 ms
      ay_*: {absolute: 0.01 g, relative: 0.5 %}    # both, added

    |b − a| ≤ absolute + relative·|a|                                                                              (1)

A name goes before a pattern, and of patterns the first that fits holds. Without one a figure may not move at all.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jounce.core.errors import FormatError, JounceError, ParameterError, did_you_mean
from jounce.core.units import parse

PARTS = ("absolute", "relative")


@dataclass(frozen=True)
class Tolerance:
    """How far figures of a name or a pattern may move; ``absolute`` may be text with a unit."""

    figure: str
    absolute: float | str = 0.0
    relative: float = 0.0

    def allowed(self, before: float, unit: str) -> float:
        """The right side of (1), in the unit of the figure."""
        return parse(self.absolute, unit, f"tolerance of {self.figure}") + self.relative * abs(before)


def read_tolerances(raw: Any, where: str) -> list[Tolerance]:
    """Tolerances of a plan; ``where`` is told with what is wrong."""
    if raw is None:
        return []
    if not isinstance(raw, Mapping):
        raise FormatError(f"{where}: tolerances: expected figures and how far they may move, such as '\"*\": 0.1 %'")
    found = []
    for name, value in raw.items():
        try:
            found.append(_tolerance(str(name), value))
        except JounceError as problem:
            raise FormatError(f"{where}: tolerances: {problem}") from None
    return found


def tolerance_of(tolerances: Sequence[Tolerance], figure: str) -> Tolerance:
    """The tolerance of a figure; none where nothing fits."""
    exact = next((item for item in tolerances if item.figure == figure), None)
    if exact is not None:
        return exact
    fitting = (item for item in tolerances if fnmatch.fnmatchcase(figure, item.figure))
    return next(fitting, Tolerance(figure))


def _tolerance(name: str, value: Any) -> Tolerance:
    if isinstance(value, Mapping):
        for key in value:
            if key not in PARTS:
                raise ParameterError(f"{name}: {key!r} is unknown{did_you_mean(str(key), PARTS)}")
        relative = value.get("relative", 0.0)
        absolute = value.get("absolute", 0.0)
    elif isinstance(value, str) and value.strip().endswith("%"):
        absolute, relative = 0.0, value
    else:
        absolute, relative = value, 0.0
    share = parse(relative, "-", f"{name}: relative")
    return Tolerance(name, _size(name, absolute), _positive(name, share))


def _size(name: str, value: Any) -> float | str:
    """An absolute tolerance; its unit is known when the figure is."""
    if isinstance(value, str):
        number = value.strip().split(" ")[0]
        try:
            _positive(name, float(number))
        except ValueError:
            raise ParameterError(f"{name}: found {value!r}; expected a number with a unit, or '0.1 %'") from None
        return str(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ParameterError(f"{name}: found {value!r}; expected a number with a unit, or '0.1 %'")
    return _positive(name, float(value))


def _positive(name: str, value: float) -> float:
    if not (math.isfinite(value) and value >= 0):
        raise ParameterError(f"{name}: found {value:g}; a tolerance is 0 or more")
    return value
