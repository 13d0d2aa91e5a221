"""Key figures: `Figures`, the mapping that key-figure functions return, and the registry event kind → functions.

A key-figure function takes a run and returns `Figures`; the functions of a kind of event are found by its name. A
figure that cannot be told is nan, and a warning says why: a run of a car that spins still has a report.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from jounce.core.errors import ParameterError
from jounce.results.catalogue import spelling

if TYPE_CHECKING:
    from jounce.results.run import Run

Function = Callable[["Run"], "Figures"]


class Figures(dict[str, tuple[float, str]]):
    """Key figures by name: value and unit, with the warnings that belong to them.

    The unit is that in which the trade quotes the figure (deg/g, %, s), spelled as `jounce.core.units` reads it.
    """

    def __init__(self, items: dict[str, tuple[float, str]] | None = None, warnings: Iterable[str] = ()) -> None:
        super().__init__(items or {})
        self.warnings: list[str] = list(warnings)

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


# Known from the start, so that a run read from a file has its key figures; each is loaded on first use.
_KNOWN: dict[str, list[Function | str]] = {
    "step_steer": ["step_steer:of_run"],
    "ramp_steer": ["steady_state:of_run"],
    "slowly_increasing_steer": ["steady_state:of_run"],
    "constant_radius_cornering": ["steady_state:of_run"],
    "constant_radius": ["steady_state:of_run"],
    "swept_steer": ["frequency:of_run"],
    "sine_steer": ["frequency:of_run_sine"],
    "random_steer": ["frequency:of_run_random"],
    "impulse_steer": ["frequency:of_run"],
    "straight_braking": ["braking:of_run"],
    "straight_acceleration": ["acceleration:of_run"],
    "coast_down": ["coast_down:of_run"],
    "steering_release": ["steering_release:of_run"],
    "sine_with_dwell": ["sine_with_dwell:of_run"],
    "drop": ["drop:of_run"],
}


def kind_of(name: str) -> str:
    """Return the key of a kind of event: ``StepSteer``, ``step-steer`` and ``step_steer`` are one."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return spelling(spaced.replace("-", "_"))


def register(kind: str, *functions: Function, replace: bool = False) -> None:
    """Add key-figure functions to a kind of event; with ``replace`` they stand alone."""
    for function in functions:
        if not callable(function):
            raise ParameterError(f"key figures of {kind!r}: {function!r} is not a function of a run")
    key = kind_of(kind)
    before = [] if replace else _KNOWN.get(key, [])
    _KNOWN[key] = [*before, *(f for f in functions if f not in before)]


def registered(kind: str) -> list[Function]:
    """Return the key-figure functions of a kind of event, none when it is unknown."""
    return [_load(item) if isinstance(item, str) else item for item in _KNOWN.get(kind_of(kind), [])]


def kinds() -> list[str]:
    """Return the kinds of events that have key figures."""
    return sorted(_KNOWN)


def _load(place: str) -> Function:
    module, _, name = place.partition(":")
    function: Function = getattr(importlib.import_module(f"jounce.results.key_figures.{module}"), name)
    return function
