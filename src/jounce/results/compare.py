"""Two or more runs beside each other: key figures with differences, channels laid over each other, tolerance bands.

A tolerance band in the manner of ISO 19364 and ISO 22140 surrounds the curve y(x) of the first run by a rectangle of
half widths e_x and e_y moved along it:

    upper(x) = max { y(ξ) : |ξ − x| ≤ e_x } + e_y,   lower(x) = min { y(ξ) : |ξ − x| ≤ e_x } − e_y                   (1)

The other runs are inside or outside. How wide a band is belongs to the test; nothing is assumed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.core.units import parse
from jounce.results import origin, words
from jounce.results.display import in_unit, number, pretty
from jounce.results.run import Run
from jounce.results.signals import align as align_runs

Array = npt.NDArray[np.float64]

LONGEST_HEAD = 16  # letters of a label above a column
MOST_TOLD = 8  # differences that are told below a table


@dataclass(frozen=True)
class Band:
    """Width of a tolerance band.

    Attributes
    ----------
    absolute : half width in y, SI or text with a unit
    relative : share of the largest |y| that is added to it
    across : half width in x, SI or text with a unit: time by default
    x : channel the band is drawn over, "time" by default
    """

    absolute: float | str = 0.0
    relative: float = 0.0
    across: float | str = 0.0
    x: str = "time"


@dataclass(frozen=True)
class Inside:
    """How a run lies in the band of the reference: share inside, and by how much it leaves it (SI)."""

    channel: str
    label: str
    share: float
    excess: float
    at: float
    x: Array = field(repr=False)
    lower: Array = field(repr=False)
    upper: Array = field(repr=False)

    @property
    def ok(self) -> bool:
        """Whether the run never leaves the band."""
        return self.share == 1.0


@dataclass(frozen=True)
class Row:
    """A key figure of several runs, in one unit; differences are to the first."""

    key: str
    unit: str
    values: tuple[float, ...]

    @property
    def differences(self) -> tuple[float, ...]:
        return tuple(value - self.values[0] for value in self.values[1:])

    @property
    def relative(self) -> tuple[float, ...]:
        first = self.values[0]
        return tuple(d / abs(first) if first else math.nan for d in self.differences)


class Comparison:
    """Runs beside each other; the first is the reference."""

    def __init__(self, runs: Sequence[Run], labels: Sequence[str], bands: Mapping[str, Band], shifts: Sequence[float]):
        self.runs = tuple(runs)
        self.labels = tuple(labels)
        self.shifts = tuple(shifts)
        self.bands = dict(bands)
        self.inside = [
            check(self.runs[0], run, name, band, label)
            for name, band in bands.items()
            for run, label in zip(self.runs[1:], self.labels[1:], strict=True)
        ]

    @property
    def rows(self) -> list[Row]:
        """Key figures that at least two runs have."""
        keys = list(dict.fromkeys(key for run in self.runs for key in run.kpis))
        rows = []
        for key in keys:
            having = [run.kpis[key] for run in self.runs if key in run.kpis]
            if len(having) < 2:
                continue
            unit = having[0][1]
            values = tuple(
                in_unit(run.kpis[key][0], run.kpis[key][1], unit) if key in run.kpis else math.nan for run in self.runs
            )
            rows.append(Row(key, unit, values))
        return rows

    @property
    def ok(self) -> bool:
        """Whether all runs lie inside all bands."""
        return all(item.ok for item in self.inside)

    @property
    def differences(self) -> list[origin.Difference]:
        """What is not the same in all runs: data of vehicles, tires and events, step, method, version."""
        return origin.differences(self.runs)

    def common(self, pattern: str = "*") -> list[str]:
        """Return the channels that all runs have."""
        return [name for name in self.runs[0].channels(pattern) if all(name in run for run in self.runs[1:])]

    def word(self, key: str) -> str:
        """Return the name of a key figure, as the events of the runs call it."""
        return words.figure(key, *dict.fromkeys(run.event for run in self.runs))

    def table(self) -> str:
        """Return the key figures as text; long labels of three runs or more stand above it, with letters."""
        lettered = len(self.labels) > 2 and max(map(len, self.labels)) > LONGEST_HEAD
        heads = [chr(65 + k % 26) for k in range(len(self.labels))] if lettered else list(self.labels)
        above = [f"{letter}: {label}" for letter, label in zip(heads, self.labels, strict=True)] if lettered else []
        head = ["key figure", "unit", *heads]
        lines = []
        for row in self.rows:
            cells = [self.word(row.key), pretty(row.unit), number(row.values[0])]
            for value, share in zip(row.values[1:], row.relative, strict=True):
                change = "" if math.isnan(share) else f" ({100 * share:+.1f} %)"
                cells.append(f"{number(value)}{change}")
            lines.append(cells)
        if not lines:
            return "no key figure in common"
        widths = [max(len(line[k]) for line in [head, *lines]) for k in range(len(head))]

        def text(line: list[str]) -> str:
            first = [cell.ljust(w) for cell, w in zip(line[:2], widths[:2], strict=True)]
            return "  ".join([*first, *(cell.rjust(w) for cell, w in zip(line[2:], widths[2:], strict=True))]).rstrip()

        return "\n".join([*above, text(head), *(text(line) for line in lines)])

    def to_pandas(self) -> Any:
        """Return the key figures as a pandas DataFrame. Needs pandas."""
        try:
            import pandas
        except ImportError:
            raise ParameterError("to_pandas needs pandas, which is not installed: pip install pandas") from None
        data = {label: [row.values[k] for row in self.rows] for k, label in enumerate(self.labels)}
        return pandas.DataFrame({"unit": [row.unit for row in self.rows], **data}, index=[row.key for row in self.rows])

    def plot(self, *names: str, x: str = "time", profile: str = "engineering") -> Any:
        """Return a matplotlib figure with the runs laid over each other, and their bands."""
        from jounce.results.plots import plot

        labelled = [run.with_metadata(label=label) for run, label in zip(self.runs, self.labels, strict=True)]
        return plot(labelled, names or tuple(self.bands) or tuple(self.common())[:4], x=x, profile=profile)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write a self-contained HTML page."""
        from jounce.results.comparison_report import write

        return write(self, path, **options)

    def __str__(self) -> str:
        lines = [self.table()]
        found = self.differences
        lines += [f"different: {other.key}: {' | '.join(other.values)}" for other in found[:MOST_TOLD]]
        if len(found) > MOST_TOLD:
            lines.append(f"and {len(found) - MOST_TOLD} more differences; the report has them all")
        for item in self.inside:
            verdict = "inside" if item.ok else f"{item.share:.1%} inside, leaves it by {number(item.excess)}"
            lines.append(f"{item.channel}, {item.label}: {verdict}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.labels)}: {len(self.rows)} key figures>"


def compare(
    *runs: Run,
    labels: Sequence[str] | None = None,
    bands: Mapping[str, Band] | None = None,
    align: str | None = None,
) -> Comparison:
    """Compare runs; the first is the reference.

    Parameters
    ----------
    runs : two or more
    labels : names for tables and legends; default those of the runs, or what differs between them
    bands : tolerance bands by channel
    align : channel by which the others are shifted in time to match the first (cross-correlation)
    """
    if len(runs) < 2:
        raise ParameterError(f"compare needs at least two runs, found {len(runs)}")
    for run in runs:
        if not isinstance(run, Run):
            raise ParameterError(f"compare takes runs, found {type(run).__name__}")
    if labels is not None and len(labels) != len(runs):
        raise ParameterError(f"{len(runs)} runs, but {len(labels)} labels")
    shifts = [0.0]
    aligned = [runs[0]]
    for run in runs[1:]:
        moved, shift = align_runs(runs[0], run, align) if align is not None else (run, 0.0)
        aligned.append(moved)
        shifts.append(shift)
    return Comparison(aligned, labels or origin.labels(runs), bands or {}, shifts)


def tolerance_band(x: Array, y: Array, across: float, along: float) -> tuple[Array, Array]:
    """Return lower and upper boundary (1) of the curve y(x) at its own x; x must increase."""
    first = np.searchsorted(x, x - across * (1 + 1e-12), side="left")
    last = np.searchsorted(x, x + across * (1 + 1e-12), side="right")
    upper = np.array([y[a:b].max() for a, b in zip(first, last, strict=True)])
    lower = np.array([y[a:b].min() for a, b in zip(first, last, strict=True)])
    return lower - along, upper + along


def check(reference: Run, run: Run, name: str, band: Band, label: str) -> Inside:
    """Return how ``run`` lies in the band around a channel of ``reference``, over the x that both cover."""
    unit = reference.unit(name)
    if run.unit(name) != unit:
        raise ParameterError(f"band of {name!r}: one run has it in {unit}, the other in {run.unit(name)}")
    absolute = parse(band.absolute, unit, f"absolute width of the band of {name}")
    across = parse(band.across, reference.unit(band.x), f"width of the band of {name} along {band.x}")
    if min(absolute, across, band.relative) < 0.0:
        raise ParameterError(f"band of {name!r}: a width is negative")
    x, y = _increasing(reference[band.x], reference[name], band.x)
    other_x, other_y = _increasing(run[band.x], run[name], band.x)
    half = absolute + band.relative * float(np.max(np.abs(y)))
    lower, upper = tolerance_band(x, y, across, half)
    rows = (other_x >= x[0]) & (other_x <= x[-1])
    if not rows.any():
        raise ParameterError(f"band of {name!r}: the runs have no {band.x} in common")
    xs, ys = other_x[rows], other_y[rows]
    over = np.maximum(ys - np.interp(xs, x, upper), np.interp(xs, x, lower) - ys)
    rounding = 1e-12 * max(float(np.max(np.abs(y))), 1e-300)
    worst = int(np.argmax(over))
    share = float(np.mean(over <= rounding))
    return Inside(name, label, share, max(float(over[worst]), 0.0), float(xs[worst]), x, lower, upper)


def _increasing(x: Array, y: Array, name: str) -> tuple[Array, Array]:
    """The part of a curve over which x grows: a slow ramp up to its limit."""
    if np.all(np.diff(x) > 0):
        return x, y
    side = 1.0 if abs(float(np.max(x))) >= abs(float(np.min(x))) else -1.0
    top = int(np.argmax(side * x))
    highest = np.maximum.accumulate(side * x[: top + 1])
    keep = np.concatenate([[True], np.diff(highest) > 0])
    if np.count_nonzero(keep) < 2:
        raise ParameterError(f"a band over {name!r} needs values that grow")
    xs, ys = x[: top + 1][keep], y[: top + 1][keep]
    return (xs, ys) if side > 0 else (xs[::-1], ys[::-1])
