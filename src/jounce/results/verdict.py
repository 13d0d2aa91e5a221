"""Verdicts: what a standard says of a run, criterion by criterion.

The file of an event hands its judge over with its key figures (`jounce.results.kinds.Kind`). A run passes when every
criterion is met, and fails when one is not. Where a criterion cannot be told there is no verdict but a reason; nor is
there one where no standard gives a limit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from jounce.core.errors import ParameterError

PASS: Literal["pass"] = "pass"
FAIL: Literal["fail"] = "fail"
NONE: Literal[""] = ""


@dataclass(frozen=True)
class Criterion:
    """What a standard asks for.

    text : in words, with the limit
    met : whether it is; None: cannot be told, and the text says why
    value, limit, unit : found and asked for, where both are numbers
    """

    text: str
    met: bool | None
    value: float = math.nan
    limit: float = math.nan
    unit: str = "-"


@dataclass(frozen=True)
class Verdict:
    """A word ("pass", "fail", or "" for none), what decided it, and all criteria."""

    word: Literal["pass", "fail", ""] = NONE
    reason: str = ""
    criteria: tuple[Criterion, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data; numbers that are none are left out."""
        told = [
            {key: value for key, value in asdict(item).items() if not (isinstance(value, float) and math.isnan(value))}
            for item in self.criteria
        ]
        return {"word": self.word, "reason": self.reason, "criteria": told}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Verdict:
        """Make a verdict from plain data."""
        word = data.get("word", NONE)
        if word not in (PASS, FAIL, NONE):
            raise ParameterError(f"verdict: found {word!r}; allowed: {PASS}, {FAIL}, or nothing")
        criteria = data.get("criteria", ())
        return Verdict(word, str(data.get("reason", "")), tuple(Criterion(**item) for item in criteria))


def judge(*criteria: Criterion) -> Verdict:
    """The verdict that follows from all criteria."""
    missed = [item.text for item in criteria if item.met is False]
    if missed:
        return Verdict(FAIL, "not met: " + "; ".join(missed), criteria)
    untold = [item.text for item in criteria if item.met is None]
    if untold or not criteria:
        return Verdict(NONE, "cannot be told: " + "; ".join(untold) if untold else "no criterion applies", criteria)
    return Verdict(PASS, "all criteria met" if len(criteria) > 1 else f"met: {criteria[0].text}", criteria)
