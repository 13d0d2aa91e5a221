"""Bounds that a variable declares."""

from __future__ import annotations

from jounce.core.errors import ParameterError
from jounce.core.generated import Variable


def check_limits(variable: Variable, value: float) -> None:
    """Raise when a number lies outside what its declaration allows."""
    unit = "" if variable.unit == "-" else f" {variable.unit}"
    for limit, bad, word in (
        (variable.low, variable.low is not None and value < variable.low, "at least"),
        (variable.high, variable.high is not None and value > variable.high, "at most"),
        (variable.above, variable.above is not None and value <= variable.above, "above"),
    ):
        if bad:
            raise ParameterError(f"parameter {variable.name!r} = {value:g}{unit}: must be {word} {limit:g}{unit}")
