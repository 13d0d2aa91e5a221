"""Numbers of a model that are computed from data in plain Python, declared beside the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

Level = Literal["wheel", "axle", "unit", "vehicle"]


class Derived:
    """A number, vector, curve or group computed from the data; see ``derived``."""

    def __init__(
        self,
        function: Callable[..., Any],
        unit: str | Callable[[Any], str],
        doc: str,
        low: float | None,
        guides: bool,
        at: Level | None,
        label: str | None,
    ) -> None:
        self.function, self.unit, self.doc, self.low, self.guides, self.at = function, unit, doc, low, guides, at
        self.label = label
        self.__doc__ = function.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        """Seen from an object it is the method that it was."""
        return self if owner is None else self.function.__get__(owner, kind)


def derived(
    unit: str | Callable[[Any], str] = "-",
    doc: str = "",
    *,
    low: float | None = None,
    guides: bool = False,
    at: Level | None = None,
    label: str | None = None,
) -> Callable[[Callable[..., Any]], Any]:
    """Declare a number of the model that a method ``f(self, place)`` computes from the data.

    The method returns a number, three numbers (a point), a curve, a group of data whose fields are meant, or None where
    there is no such thing. ``unit`` of a curve is its own. ``at``: the only level at which it makes sense. ``label``:
    its name among the numbers of the model instead of that of the method; empty for a group whose fields stand beside
    those of the part.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        return Derived(function, unit, doc, low, guides, at, label)

    return decorate
