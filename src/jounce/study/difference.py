"""What changed between two runs of a plan: a baseline and a later one.

Runs are paired by the names of event, vehicle and variation. A figure has changed when it moved by more than its
tolerance (`jounce.study.tolerance`, (1)), when it is a number in one and none in the other, or when its unit is
another. Runs that only one side has, and ends that differ, are changes too.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from jounce.core.errors import JounceError, ParameterError
from jounce.core.units import convert
from jounce.results.display import number, pretty
from jounce.study.summary import as_text, read_summary, tolerances_of
from jounce.study.tolerance import Tolerance, tolerance_of
from jounce.study.worker import same_bits

NAMES = ("event", "vehicle", "variation")


@dataclass(frozen=True)
class Change:
    """One thing that is not as it was; ``before`` and ``after`` are numbers of a figure, or texts."""

    event: str
    vehicle: str
    variation: str
    figure: str
    unit: str
    before: Any
    after: Any
    allowed: float | None = None

    @property
    def relative(self) -> float:
        """Change over the value before, nan where there is none."""
        numbers = isinstance(self.before, float) and isinstance(self.after, float)
        return (self.after - self.before) / abs(self.before) if numbers and self.before else math.nan


@dataclass(frozen=True)
class Difference:
    """All changes, how much was compared, and what is to be told beside them."""

    changes: list[Change]
    figures: int
    runs: int
    remarks: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing changed beyond its tolerance."""
        return not self.changes

    def __str__(self) -> str:
        rows = [["event", "vehicle", "variation", "figure", "before", "after", "", "allowed"]]
        for one in self.changes:
            share = "" if math.isnan(one.relative) else f"{100 * one.relative:+.3g} %"
            unit = f" {pretty(one.unit)}" if one.unit not in ("", "-") else ""
            shown = [_shown(one.before, one.after, unit), _shown(one.after, one.before, unit)]
            allowed = "" if one.allowed is None else f"±{number(one.allowed, 3)}{unit}"
            rows.append([one.event, one.vehicle, one.variation, one.figure, *shown, share, allowed])
        count = f"{self.figures} figures of {self.runs} runs compared, {len(self.changes)} changed"
        return "\n".join([*([as_text(rows)] if self.changes else []), *self.remarks, count])

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        changes = [
            {**asdict(one), "relative": None if math.isnan(one.relative) else one.relative} for one in self.changes
        ]
        counts = {"ok": self.ok, "runs": self.runs, "figures": self.figures}
        return {**counts, "changes": changes, "remarks": self.remarks}


def _shown(value: Any, other: Any, unit: str) -> str:
    """A value with as many digits as tell it from the other one."""
    if not isinstance(value, float):
        return "–" if value is None else str(value)
    digits = 4
    while (
        isinstance(other, float) and value != other and digits < 17 and f"{value:.{digits}g}" == f"{other:.{digits}g}"
    ):
        digits += 1
    return f"{value:.{digits}g}{unit}"


def difference(
    before: str | os.PathLike[str] | Mapping[str, Any],
    after: str | os.PathLike[str] | Mapping[str, Any],
    tolerances: Sequence[Tolerance] | None = None,
) -> Difference:
    """Compare the results of a plan with those of a baseline.

    Parameters
    ----------
    before, after : folders of results, files ``summary.json``, or summaries
    tolerances : default those of the plan of ``after``
    """
    a, b = (x if isinstance(x, Mapping) else read_summary(x) for x in (before, after))
    remarks: list[str] = []
    if tolerances is None:
        tolerances = tolerances_of(b, "tolerances of the later plan")
        if a.get("tolerances") != b.get("tolerances"):
            remarks.append("the plans have other tolerances; those of the later one are taken")
    remarks += _places(a, b)
    old, new = _by_name(a, "the baseline"), _by_name(b, "the later plan")
    changes: list[Change] = []
    compared = 0
    for key in dict.fromkeys([*old, *new]):
        if key not in new or key not in old:
            there = "there", "not there"
            changes.append(Change(*key, "run", "", *(there if key in old else there[::-1])))
            continue
        found, count = _of_run(key, old[key], new[key], tolerances)
        changes += found
        compared += count
    return Difference(changes, compared, len(old.keys() & new.keys()), remarks)


def _of_run(
    key: tuple[str, str, str], a: Mapping[str, Any], b: Mapping[str, Any], tolerances: Sequence[Tolerance]
) -> tuple[list[Change], int]:
    changes = []
    for what in ("status", "verdict"):
        if a.get(what) != b.get(what):
            changes.append(Change(*key, what, "", str(a.get(what) or "none"), str(b.get(what) or "none")))
    names = list(dict.fromkeys([*a["figures"], *b["figures"]]))
    for name in names:
        one, other = a["figures"].get(name), b["figures"].get(name)
        if one is None or other is None:
            changes.append(Change(*key, name, "", "there" if one else "not there", "there" if other else "not there"))
            continue
        found = _of_figure(key, name, one, other, tolerances)
        if found is not None:
            changes.append(found)
    return changes, len(names)


def _of_figure(
    key: tuple[str, str, str], name: str, one: Sequence[Any], other: Sequence[Any], tolerances: Sequence[Tolerance]
) -> Change | None:
    (before, unit), (after, unit_after) = one, other
    if before is None and after is None:
        return None
    if before is None or after is None:
        return Change(*key, name, unit, _number(before), _number(after))
    if unit != unit_after:
        try:
            after = convert(float(after), unit_after, unit)
        except ParameterError:
            return Change(*key, name, "", f"in {unit}", f"in {unit_after}")
    try:
        allowed = tolerance_of(tolerances, name).allowed(float(before), unit)
    except JounceError as problem:
        raise ParameterError(f"figure {name!r} of {' · '.join(filter(None, key))}: {problem}") from None
    if abs(after - before) <= allowed:
        return None
    return Change(*key, name, unit, float(before), float(after), allowed)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _by_name(summary: Mapping[str, Any], what: str) -> dict[tuple[str, str, str], Mapping[str, Any]]:
    result: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for row in summary["runs"]:
        key = (str(row.get("event", "")), str(row.get("vehicle", "")), str(row.get("variation", "")))
        if key in result:
            raise ParameterError(f"{what}: {' · '.join(filter(None, key))} stands there twice")
        result[key] = row
    return result


def _places(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """A remark where the two sides do not promise the same bits."""
    made = [*(a.get("made") or []), *(b.get("made") or [])]
    if not made or all(same_bits(made[0], other) for other in made[1:]):
        return []
    keys = [key for key in made[0] if len({other.get(key) for other in made}) > 1]
    told = "; ".join(f"{key}: {' | '.join(dict.fromkeys(str(other.get(key)) for other in made))}" for key in keys)
    return [f"made in different environments, last digits may differ: {told}"]
