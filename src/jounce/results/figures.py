"""Key figures: `Figures`, the mapping that key-figure functions return, and which functions a kind of event has.

A key-figure function takes a run and returns `Figures`; the functions of a kind of event are found by its name
(`jounce.results.kinds`). A figure that cannot be told is nan, and a warning says why: a run of a car that spins still
has a report.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from jounce.core.errors import ParameterError, did_you_mean
from jounce.results.kinds import Function, add_figures, find, kind_of

__all__ = ["Figures", "Function", "kind_of", "register", "registered"]


class Figures(dict[str, tuple[float, str]]):
    """Key figures by name: value and unit, with the warnings that belong to them.

    The unit is that in which the trade quotes the figure (deg/g, %, s), spelled as `jounce.core.units` reads it.
    """

    def __init__(self, items: dict[str, tuple[float, str]] | None = None, warnings: Iterable[str] = ()) -> None:
        super().__init__(items or {})
        self.warnings: list[str] = list(warnings)

    def __missing__(self, name: str) -> tuple[float, str]:
        raise ParameterError(f"key figure {name!r}: not among those of this run{did_you_mean(str(name), self, 40)}")

    def put(self, name: str, value: float, unit: str) -> None:
        """Add a figure."""
        self[name] = (float(value), unit)

    def missing(self, names: Iterable[str], unit: str, why: str) -> None:
        """Add figures that could not be told: nan, with the reason as a warning."""
        for name in names:
            self[name] = (math.nan, unit)
        self.warn(why)

    def warn(self, text: str) -> None:
        """Add a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def join(self, other: Figures) -> None:
        """Take over the figures and warnings of another."""
        self.update(other)
        for text in other.warnings:
            self.warn(text)


def register(kind: str, *functions: Function, replace: bool = False) -> None:
    """Add key-figure functions to a kind of event; with ``replace`` they stand alone."""
    add_figures(kind, *functions, alone=replace)


def registered(kind: str) -> list[Function]:
    """Return the key-figure functions of a kind of event, none when it is unknown."""
    return list(find(kind).figures)
