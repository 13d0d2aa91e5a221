"""Curves and maps of a vehicle file: a constant, numbers on one or two axes, or a CSV file; SI inside.

A curve is one of

    rate     y = rate · x           a straight line through the origin                                     (1)
    value    y = value              independent of everything                                               (2)
    table    y(x) or y(x; z)        numbers on a grid, made a smooth function by `jounce.core.tables.Table`   (3)

The place where a curve stands declares its units and how many axes it may have. In a file it is written as ::

    toe: -4 deg/m                                               # (1), or {rate: -4 deg/m}
    toe: {x: [-80, 0, 80], y: [0.3, 0, -0.4], units: [mm, deg]}  # (3); without units: SI
    toe: {x: [-80, 80], z: [-80, 80], y: [[0, 1], [1, 0]], units: [mm, mm, deg]}   # a row of y per x
    toe: {file: toe.csv}                                        # or only toe.csv
    toe: {file: front.csv, column: toe}                         # one of many columns

A CSV file has one number per cell; lines beginning with ``#`` are comments. It may begin with a row of names and a
row of units. Two columns are x, y. Three columns are x, z, y, one row per point of a full grid. A first row with a
name and then only numbers is a row of z: the rows below it are x and y(x; z) for each z, and the row of units, if there
is one, holds those of x, z and y.

With ``column`` the file has a row of names and any number of columns, and y is the one of that name. The first column
is x. If its numbers strictly rise or fall, the curve has one axis; else every x comes several times, the second column
is z, and the rows are the points of a full grid.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from jounce.core import units
from jounce.core.csv_cells import from_brackets, number_text, read_table_text, separator_of
from jounce.core.errors import FormatError, JounceError, ParameterError, did_you_mean
from jounce.core.limits import Limits, is_file
from jounce.core.tables import Table

Array = npt.NDArray[np.float64]
Constant = Literal["rate", "value"]

CURVE_KEYS = ("rate", "value", "x", "z", "y", "units", "file", "column")
LIMITS = Limits("a map", size=20_000_000)


class CurveProblems(Exception):  # noqa: N818  # never leaves this package: it becomes lines of a report
    """What is wrong with a curve: pairs of the path inside it and a message."""

    def __init__(self, *problems: tuple[tuple[str | int, ...], str]) -> None:
        super().__init__("; ".join(message for _, message in problems))
        self.problems = problems


@dataclass(frozen=True)
class CurveUnits:
    """What the place of a curve declares: units of x, z (empty: one axis only) and y, and what a constant means."""

    x: str
    y: str
    z: str = ""
    constant: Constant = "rate"

    @property
    def of_constant(self) -> str:
        """Unit of the constant: that of y, or of y per x."""
        return self.y if self.constant == "value" else per(self.y, self.x)

    @property
    def max_axes(self) -> int:
        return 2 if self.z else 1


@dataclass(frozen=True)
class Curve:
    """A constant or a table, in SI. Immutable and hashable; equal when all its content is.

    Attributes
    ----------
    units : declared units (all numbers here are in them)
    constant : the rate or value, None for a table
    x, z : ascending abscissae; z is empty for one axis
    y : values; row by row of x when there is z: y[i * len(z) + j] belongs to x[i], z[j]
    """

    units: CurveUnits
    constant: float | None = None
    x: tuple[float, ...] = ()
    z: tuple[float, ...] = ()
    y: tuple[float, ...] = ()

    @property
    def form(self) -> Literal["rate", "value", "table"]:
        return "table" if self.constant is None else self.units.constant

    @property
    def is_table(self) -> bool:
        return self.constant is None

    @property
    def n_axes(self) -> int:
        """Axes of the table; 1 for a rate, 0 for a value."""
        if self.constant is not None:
            return 1 if self.units.constant == "rate" else 0
        return 2 if self.z else 1

    @property
    def values(self) -> Array:
        """The values as an array of shape (n_x,) or (n_x, n_z)."""
        array = np.array(self.y, dtype=float)
        return array.reshape(len(self.x), len(self.z)) if self.z else array

    def table(
        self,
        name: str = "",
        *,
        method: str = "akima",
        extrapolation: str = "flat",
        order: int | None = None,
        total: bool = False,
        factor: float = 1.0,
    ) -> Table:
        """Return the curve as a table in SI, its values times `factor`.

        A rate becomes the straight line over ±1 of the abscissa, continued linearly; a value, the one knot 0.
        """
        try:
            found = _table(self, method, extrapolation, order, total, factor)
        except ParameterError as problem:
            raise ParameterError(f"table {name!r}: {problem}") if name else problem from None
        return found.named(name) if name else found

    def __call__(self, x: float, z: float = 0.0, *, method: str = "akima", extrapolation: str = "linear") -> float:
        """Evaluate, for reports and tests; models use `table`."""
        return float(self.over(x, z, method=method, extrapolation=extrapolation))

    def over(
        self, x: npt.ArrayLike, z: float = 0.0, *, method: str = "akima", extrapolation: str = "linear"
    ) -> npt.NDArray[np.float64]:
        """The same at many places."""
        at = np.asarray(x, dtype=float)
        if self.constant is not None:
            return self.constant * at if self.units.constant == "rate" else np.full_like(at, self.constant)
        table = self.table(method=method, extrapolation=extrapolation)
        return np.asarray(table(at, z) if self.z else table(at), dtype=float)

    def scaled(self, factor: float) -> Curve:
        """Return the curve with its values times `factor`."""
        if self.constant is not None:
            return replace(self, constant=_plain(self.constant * factor))
        return replace(self, y=tuple(_plain(value * factor) for value in self.y))

    @property
    def monotonic(self) -> Literal[-1, 0, 1]:
        """1 when y strictly rises with x, -1 when it strictly falls, otherwise 0."""
        if self.constant is not None:
            rate = self.constant if self.units.constant == "rate" else 0.0
            return 1 if rate > 0 else -1 if rate < 0 else 0
        steps = np.diff(self.values, axis=0)
        return 1 if (steps > 0).all() else -1 if (steps < 0).all() else 0

    # -- file form ---------------------------------------------------------------------------------

    def raw(self) -> dict[str, Any]:
        """Return the curve as a file has it, with plain SI numbers."""
        if self.constant is not None:
            return {self.units.constant: self.constant}
        if self.z:
            return {"x": list(self.x), "z": list(self.z), "y": self.values.tolist()}
        return {"x": list(self.x), "y": list(self.y)}

    def to_csv(self, columns: Sequence[str] | None = None, comment: str = "", head: str = "x,y") -> str:
        """Return the table as the text of a CSV file that reads back bit for bit.

        Parameters
        ----------
        columns : units of x, (z,) y to write in; SI when not given, or for numbers that would not come back exactly
        comment : lines put in front
        head : the row of names of a curve of one axis
        """
        if self.constant is not None:
            raise ParameterError(
                f"a constant {self.units.constant} is no table: write it in the vehicle file as it is, "
                f"{self.constant!r} {self.units.of_constant}"
            )
        declared = (self.units.x, self.units.z, self.units.y) if self.z else (self.units.x, self.units.y)
        given = tuple(columns or declared)
        if len(given) != len(declared):
            raise ParameterError(f"{len(given)} units for a curve of {len(declared)} columns: {', '.join(declared)}")
        data = (self.x, self.z, self.y) if self.z else (self.x, self.y)
        texts, used = [], []
        for numbers, unit, wanted in zip(data, declared, given, strict=True):
            found = [in_unit(number, wanted, unit) for number in numbers]
            exact = all(text is not None for text in found)
            texts.append([str(text) for text in found] if exact else [repr(number) for number in numbers])
            used.append(wanted if exact else unit)
        lines = [f"# {line}" for line in comment.splitlines()]
        if self.z:
            n = len(self.z)
            lines += [",".join(["x", *texts[1]]), ",".join(used)]
            lines += [",".join([x, *texts[2][i * n : (i + 1) * n]]) for i, x in enumerate(texts[0])]
        else:
            lines += [head, ",".join(used), *(",".join(row) for row in zip(*texts, strict=True))]
        return "\n".join(lines) + "\n"


@lru_cache(maxsize=1024)
def _table(curve: Curve, method: str, extrapolation: str, order: int | None, total: bool, factor: float) -> Table:
    """``Curve.table`` without a name; both sides of a car, and every look at a curve, share one."""
    units: dict[str, Any] = {
        "axis_units": (curve.units.x, curve.units.z) if curve.z else (curve.units.x,),
        "value_units": (curve.units.y,),
    }
    if curve.constant is not None:
        if curve.units.constant == "value":
            return Table([0.0], [curve.constant * factor], method="linear", **units)
        ends = [-curve.constant * factor, 0.0, curve.constant * factor]
        return Table([-1.0, 0.0, 1.0], ends, method="linear", extrapolation="linear", **units)
    axes: list[Sequence[float]] = [curve.x, curve.z] if curve.z else [curve.x]
    if method == "polynomial":
        units |= {"order": [min(order or 3, len(axis) - 1) for axis in axes], "total": total}
    return Table(axes, curve.values * factor, method=method, extrapolation=extrapolation, **units)


def per(numerator: str, denominator: str) -> str:
    """Return the unit of a quotient: ``per("N.m", "rad")`` is ``N.m/rad``."""
    if numerator == denominator:
        return "-"
    top = "1" if numerator == "-" else numerator
    if denominator == "-":
        return numerator
    return f"{top}/({denominator})" if any(c in denominator for c in "./*") else f"{top}/{denominator}"


def in_unit(value: float, unit: str, declared: str) -> str | None:
    """Return `value`, which is in `declared`, as digits in `unit` that read back to the same bits; None if none do."""
    if unit == declared:
        return repr(value)
    try:
        near = units.convert(value, declared, unit)
    except ParameterError:
        return None
    short = float(f"{near:.12g}")
    for candidate in (short, near, math.nextafter(near, math.inf), math.nextafter(near, -math.inf)):
        text = repr(candidate)
        if units.parse(f"{text} {unit}", declared) == value:
            return text[:-2] if text.endswith(".0") else text
    return None


def invert(found: Curve, value: float, method: str = "akima") -> float:
    """Return the x at which a strictly monotonic curve has `value`; beyond the data, along its end tangents."""
    from scipy.optimize import brentq

    if found.constant is not None:
        return value / found.constant
    table = found.table(method=method, extrapolation="linear")
    rising = found.monotonic > 0
    y = np.array(found.y) if rising else -np.array(found.y)
    target = value if rising else -value
    i = int(np.searchsorted(y, target, side="left"))
    if i < len(y) and y[i] == target:
        return found.x[i]
    if 0 < i < len(y):
        # The interpolation passes through the knots, so that the cell between them brackets the value.
        return float(brentq(lambda x: float(table(x)) - value, found.x[i - 1], found.x[i], xtol=1e-15, rtol=1e-14))
    end = found.x[0] if i == 0 else found.x[-1]
    slope = float(table(end, derivative=1))
    if slope * (1 if rising else -1) <= 0:
        raise ParameterError(f"{value!r} {found.units.y} lies beyond the data, which end at {float(table(end))!r}")
    return end + (value - float(table(end))) / slope


# ---- reading ------------------------------------------------------------------------------------------------


def read_curve(raw: Any, declared: CurveUnits, folder: Path | None = None) -> Curve:
    """Return the curve that `raw` describes; see the module's text for the forms.

    Raises
    ------
    CurveProblems
    """
    if isinstance(raw, Curve):
        return _of_units(raw, declared)
    if isinstance(raw, str) and raw.strip().lower().endswith(".csv"):
        raw = {"file": raw}
    if raw is None or isinstance(raw, bool):
        raise CurveProblems(((), f"expected {_expected(declared)}"))
    if isinstance(raw, str | float | int | np.number):
        return Curve(declared, constant=_number(raw, declared.of_constant, ()))
    if not isinstance(raw, Mapping):
        raise CurveProblems(((), f"expected {_expected(declared)}"))
    raw = {key: value for key, value in raw.items() if value is not None}
    known = (declared.constant, "x", *(("z",) if declared.z else ()), "y", "units", "file", "column")
    unknown = [((key,), f"unknown key{did_you_mean(str(key), known)}") for key in raw if key not in known]
    if unknown:
        raise CurveProblems(*unknown)
    if not raw:
        raise CurveProblems(((), f"empty; expected {_expected(declared)}"))
    if declared.constant in raw:
        others = [key for key in raw if key != declared.constant]
        if others:
            raise CurveProblems(((others[0],), f"stands beside '{declared.constant}'; give one or the other"))
        return Curve(declared, constant=_number(raw[declared.constant], declared.of_constant, (declared.constant,)))
    if "file" in raw:
        return _from_file(raw, declared, folder)
    if "column" in raw:
        raise CurveProblems((("column",), "names a column of a CSV file; 'file' is missing"))
    missing = [key for key in ("x", "y") if key not in raw]
    if missing:
        raise CurveProblems(((), f"{' and '.join(repr(key) for key in missing)} missing; {_expected(declared)}"))
    given = _unit_list(raw.get("units"), declared, "z" in raw, ("units",))
    x = _numbers(raw["x"], given[0], declared.x, "x")
    z = _numbers(raw["z"], given[1], declared.z, "z") if "z" in raw else []
    y = raw["y"].tolist() if isinstance(raw["y"], np.ndarray) else raw["y"]
    if not z:
        return _make(declared, x, [], _numbers(y, given[-1], declared.y, "y"))
    if not isinstance(y, list | tuple) or len(y) != len(x):
        raise CurveProblems((("y",), f"expected {len(x)} rows, one per x, each with one number per z"))
    rows = [_numbers(row, given[-1], declared.y, "y", i) for i, row in enumerate(y)]
    for i, row in enumerate(rows):
        if len(row) != len(z):
            raise CurveProblems((("y", i), f"{len(row)} numbers, but z has {len(z)}"))
    return _make(declared, x, z, [value for row in rows for value in row])


def read_csv(path: Path, declared: CurveUnits, given: Any = None) -> Curve:
    """Return the curve in a CSV file.

    Parameters
    ----------
    path : the file
    declared : units and axes of the place where the curve belongs
    given : units of the columns, when the file has no row of them

    Raises
    ------
    FormatError
        Saying where in the file.
    """
    try:
        return _from_file({"file": str(path), **({"units": given} if given is not None else {})}, declared, None)
    except CurveProblems as problem:
        raise FormatError(str(problem)) from None


def _from_file(raw: Mapping[str, Any], declared: CurveUnits, folder: Path | None) -> Curve:
    others = [key for key in raw if key not in ("file", "column", "units")]
    if others:
        raise CurveProblems(((others[0],), "stands beside 'file'; give one or the other"))
    if not isinstance(raw["file"], str):
        raise CurveProblems((("file",), f"found {raw['file']!r}; expected the name of a CSV file"))
    if "column" in raw and not isinstance(raw["column"], str):
        raise CurveProblems((("column",), f"found {raw['column']!r}; expected the name of a column"))
    path = (folder or Path()) / raw["file"].strip()
    try:
        file = _opened(path)
        if "column" in raw:
            return file.column(raw["column"].strip(), declared, raw.get("units"))
        return file.whole(declared, raw.get("units"))
    except CurveProblems as found:
        raise CurveProblems(*((place or ("file",), message) for place, message in found.problems)) from None


# ---- CSV files ----------------------------------------------------------------------------------------------

_shared: ContextVar[dict[Path, CsvFile] | None] = ContextVar("csv_files", default=None)


@contextmanager
def each_file_once() -> Iterator[None]:
    """While this lasts, a CSV file is read once, however many curves are columns of it."""
    token = _shared.set({})
    try:
        yield
    finally:
        _shared.reset(token)


def _opened(path: Path) -> CsvFile:
    known = _shared.get()
    if known is not None and path in known:
        return known[path]
    if not is_file(path):
        raise CurveProblems((("file",), f"no such file; searched: {path.absolute()}"))
    try:
        text = read_table_text(path, LIMITS)
    except FormatError as problem:
        raise CurveProblems((("file",), str(problem))) from None
    file = CsvFile.parse(text, path.name)
    if known is not None:
        known[path] = file
    return file


@dataclass
class CsvFile:
    """The cells of a CSV file.

    Attributes
    ----------
    name : of the file, for messages
    heads : rows of text at the top, with their lines: names, units
    rows : rows that begin with a number
    lines : where those stand
    """

    name: str
    heads: list[tuple[int, list[str]]]
    rows: list[list[str]]
    lines: list[int]
    _numbers: dict[tuple[int, str, str], list[float]] = field(default_factory=dict)
    _rows_of_grid: list[list[int]] | None = None

    @classmethod
    def parse(cls, text: str, name: str) -> CsvFile:
        heads: list[tuple[int, list[str]]] = []
        rows: list[list[str]] = []
        lines: list[int] = []
        first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
        separator = separator_of(first)
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=separator != "\t")
            for row in reader:
                cells = [cell.strip() for cell in row]
                if separator != ",":
                    cells = [number_text(cell, separator) or cell for cell in cells]
                while cells and not cells[-1]:
                    cells.pop()
                if not cells or cells[0].startswith("#"):
                    continue
                if not rows and len(heads) < 2 and not _is_number(cells[0]):
                    heads.append((reader.line_num, cells))
                else:
                    rows.append(cells)
                    lines.append(reader.line_num)
        except csv.Error as problem:
            raise CurveProblems(((), f"{name}: {problem}")) from None
        if len(heads) == 1:
            names, units_row = from_brackets(heads[0][1], [""] * len(heads[0][1]))
            if any(units_row):
                heads = [(heads[0][0], names), (heads[0][0], units_row)]
        return cls(name, heads, rows, lines)

    def column(self, wanted: str, declared: CurveUnits, given: Any) -> Curve:
        """Return the curve that a named column is."""
        names, units_row = self._named_columns(wanted)
        width = len(names)
        self._check_width(width)
        axis = self._in_si(0, "-", "-")  # as written
        one = all(b > a for a, b in pairwise(axis)) or all(b < a for a, b in pairwise(axis))
        n_axes = 1 if one else 2
        if wanted not in names:
            raise CurveProblems(
                (("column",), f"no column {wanted!r} in {self.name}{did_you_mean(wanted, names[n_axes:], limit=16)}")
            )
        place = names.index(wanted)
        if names.count(wanted) > 1:
            raise CurveProblems((("column",), f"{self.name} has {names.count(wanted)} columns {wanted!r}"))
        if n_axes == 2 and (width < 3 or not declared.z):
            raise CurveProblems(
                ((), f"{self.name}: two axes, {' and '.join(names[:2])}, but {wanted} depends on one only here")
                if width > 2
                else ((), f"{self.name}: {names[0]} must strictly rise (or fall)")
            )
        if place < n_axes:
            raise CurveProblems((("column",), f"{wanted!r} is an axis of {self.name}, not a column over it"))
        used = [0, place] if one else [0, 1, place]
        if units_row is not None:
            if given is not None:
                raise CurveProblems((("units",), f"units stand here and in {self.name}; keep one"))
            given = [units_row[i] for i in used]
        return self._curve(used, declared, given)

    def _named_columns(self, wanted: str) -> tuple[list[str], list[str] | None]:
        if not self.heads:
            raise CurveProblems((("column",), f"{self.name} has no row of names in which {wanted!r} could stand"))
        names = self.heads[0][1]
        if len(self.heads) == 1:
            return names, None
        line, row = self.heads[1]
        if len(row) != len(names):
            raise CurveProblems(((), f"{self.name} line {line}: {len(row)} units for {len(names)} columns"))
        return names, row

    def whole(self, declared: CurveUnits, given: Any) -> Curve:
        """Return the curve that the file is."""
        heads = list(self.heads)
        z_texts: list[str] | None = None
        if heads:
            _, head = heads.pop(0)
            if len(head) > 1 and all(_is_number(cell) for cell in head[1:]):
                z_texts = head[1:]
            elif not heads and given is None and all(_is_unit(cell) for cell in head):
                given = head  # one row of text only: units when it reads as units, else names
        if heads:
            line, found = heads.pop(0)
            if given is not None:
                raise CurveProblems(
                    ((), f"{self.name} line {line}: units stand here and in the vehicle file; keep one")
                )
            given = found
        width = len(z_texts) + 1 if z_texts is not None else len(self.rows[0]) if self.rows else 0
        self._check_width(width)
        if z_texts is not None:
            if not declared.z:
                raise CurveProblems(
                    ((), f"{self.name}: two axes, but only one is possible here: {_expected(declared)}")
                )
            columns = [self._checked(i) for i in range(width)]
            raw = {"x": columns[0], "z": z_texts, "y": [list(row) for row in zip(*columns[1:], strict=True)]}
            return self._read({**raw, **({"units": given} if given is not None else {})}, declared)
        if width != 2 and not (width == 3 and declared.z):
            names = self.heads[0][1] if self.heads else []
            more = "; say which: column: name" if width > 2 and len(names) == width else ""
            raise CurveProblems(((), f"{self.name}: {width} columns; expected {_expected(declared)}{more}"))
        return self._curve(list(range(width)), declared, given)

    def _check_width(self, width: int) -> None:
        if not self.rows:
            raise CurveProblems(((), f"{self.name}: no rows of numbers"))
        problems: list[tuple[tuple[str | int, ...], str]] = [
            ((), f"{self.name} line {line}: {len(cells)} columns, expected {width}")
            for line, cells in zip(self.lines, self.rows, strict=True)
            if len(cells) != width
        ]
        if problems:
            raise CurveProblems(*problems[:20])

    def _checked(self, i: int) -> list[str]:
        """Return the cells of a column after a check that all of them are numbers."""
        cells = [row[i] for row in self.rows]
        problems: list[tuple[tuple[str | int, ...], str]] = [
            ((), f"{self.name} line {line}, column {i + 1}: {cell!r} is not a number")
            for line, cell in zip(self.lines, cells, strict=True)
            if not _is_number(cell)
        ]
        if problems:
            raise CurveProblems(*problems[:20])
        return cells

    def _curve(self, used: list[int], declared: CurveUnits, given: Any) -> Curve:
        """Return y(x) or y(x; z) of the columns x, (z,) y."""
        wanted = [declared.x, declared.z, declared.y] if len(used) == 3 else [declared.x, declared.y]
        try:
            in_units = _unit_list(given, declared, len(used) == 3, ("units",))
            columns = [self._in_si(i, a, b) for i, a, b in zip(used, in_units, wanted, strict=True)]
            if len(used) == 2:
                return _make(declared, list(columns[0]), [], columns[1])
            grid, (xs, zs, ys) = self._grid(), columns
            return _make(declared, [xs[r[0]] for r in grid], [zs[i] for i in grid[0]], [ys[i] for r in grid for i in r])
        except CurveProblems as found:
            raise self._with_name(found) from None

    def _read(self, raw: Mapping[str, Any], declared: CurveUnits) -> Curve:
        try:
            return read_curve(raw, declared)
        except CurveProblems as found:
            raise self._with_name(found) from None

    def _with_name(self, found: CurveProblems) -> CurveProblems:
        return CurveProblems(
            *(
                ((), text if text.startswith(self.name) else f"{self.name}: {_place(path)}{text}")
                for path, text in found.problems
            )
        )

    def _in_si(self, i: int, unit: str, declared: str) -> list[float]:
        """Return the numbers of a column in the declared unit; those of one column serve every curve over it."""
        key = (i, unit, declared)
        if key not in self._numbers:
            cells = [row[i] for row in self.rows]
            try:
                self._numbers[key] = _converted(cells, unit, declared)
            except (ValueError, OverflowError):
                numbers = [_number(float(cell), declared, (), unit) for cell in self._checked(i)]
                self._numbers[key] = numbers
        return self._numbers[key]

    def _grid(self) -> list[list[int]]:
        """Return the rows of a full grid in its order: for each x, ascending, those of all z, ascending."""
        if self._rows_of_grid is None:
            x, z = (self._in_si(i, "-", "-") for i in (0, 1))  # as written
            rows: dict[tuple[float, float], int] = {}
            for i, point in enumerate(zip(x, z, strict=True)):
                if point in rows:
                    text = f"line {self.lines[i]}: the point x = {point[0]:g}, z = {point[1]:g} is given twice"
                    raise CurveProblems(((), f"{self.name} {text}"))
                rows[point] = i
            xs, zs = sorted(set(x)), sorted(set(z))
            for a, b in ((a, b) for a in xs for b in zs):
                if (a, b) not in rows:
                    text = f"the point x = {a:g}, z = {b:g} is missing; a map needs every pair of its x and z"
                    raise CurveProblems(((), f"{self.name}: {text}"))
            self._rows_of_grid = [[rows[a, b] for b in zs] for a in xs]
        return self._rows_of_grid


def _converted(texts: list[str], unit: str, declared: str) -> list[float]:
    """Return numbers given as digits, each exactly converted and rounded once, as `units.parse` does one by one.

    Raises
    ------
    ValueError, OverflowError
        For anything but plain digits and a point.
    """
    if "_" in "".join(texts):
        raise ValueError
    if unit == declared:
        numbers = [float(text) + 0.0 for text in texts]  # no -0.0: equal numbers are equal texts
        if not all(map(math.isfinite, numbers)):
            raise ValueError
        return numbers
    factor = units.exact_factor(unit, declared)
    if factor is None:
        raise ValueError
    top, bottom = factor.numerator, factor.denominator
    # Division of whole numbers is rounded once, however long they are.
    return [
        int(whole + decimals) * top / (bottom * 10 ** len(decimals))
        for whole, _, decimals in (text.partition(".") for text in texts)
    ]


def _make(declared: CurveUnits, x: list[float], z: list[float], y: list[float]) -> Curve:
    """Check and order the numbers of a table; one column of z means no dependence on it."""
    if not x:
        raise CurveProblems((("x",), "no numbers"))
    n_z = max(len(z), 1)
    if len(y) != len(x) * n_z:
        raise CurveProblems((("y",), f"{len(y)} numbers, but x has {len(x)}"))
    values = np.array(y, dtype=float).reshape(len(x), n_z)
    columns = list(z)
    for name, axis, numbers in (("x", 0, x), ("z", 1, columns)):
        if len(numbers) > 1 and all(b < a for a, b in pairwise(numbers)):
            numbers.reverse()
            values = np.flip(values, axis)
        for i, (a, b) in enumerate(pairwise(numbers)):
            if not b > a:
                raise CurveProblems(((name, i + 1), f"{b!r} after {a!r}: the numbers must strictly rise (or fall)"))
    if len(columns) == 1:
        columns = []
    curve = Curve(
        declared,
        x=tuple(x),
        z=tuple(columns),
        y=tuple((values.reshape(-1) + 0.0).tolist()),
    )
    try:
        curve.table(method="linear")
    except JounceError as problem:
        raise CurveProblems(((), str(problem))) from None
    return curve


def _of_units(curve: Curve, declared: CurveUnits) -> Curve:
    if curve.units == declared:
        return curve
    same = (curve.units.x, curve.units.y) == (declared.x, declared.y)
    if same and (not curve.z or curve.units.z == declared.z) and curve.form in ("table", declared.constant):
        return replace(curve, units=declared)
    raise CurveProblems(((), f"a curve of {curve.units.y} over {curve.units.x}; expected {_expected(declared)}"))


def _unit_list(given: Any, declared: CurveUnits, has_z: bool, path: tuple[str | int, ...]) -> list[str]:
    """Return the units of x, (z,) y as given, else as declared."""
    wanted = [declared.x, declared.z, declared.y] if has_z else [declared.x, declared.y]
    names = ["x", "z", "y"] if has_z else ["x", "y"]
    if given is None:
        return wanted
    if isinstance(given, Mapping):
        unknown = [key for key in given if key not in names]
        if unknown:
            raise CurveProblems(((*path, unknown[0]), f"unknown key{did_you_mean(str(unknown[0]), names)}"))
        given = [given.get(name, unit) for name, unit in zip(names, wanted, strict=True)]
    if not isinstance(given, list | tuple) or len(given) != len(wanted):
        raise CurveProblems((path, f"expected one unit each for {', '.join(names)}, such as {wanted!r}"))
    result = []
    given = [unit if text == "" else text for text, unit in zip(given, wanted, strict=True)]  # SI, as without any unit
    for i, (text, unit) in enumerate(zip(given, wanted, strict=True)):
        try:
            # An example in the unit shows at once whether it measures the right thing.
            units.parse(f"1 {text}", unit, names[i])
        except ParameterError as problem:
            raise CurveProblems(((*path, i), str(problem))) from None
        result.append(str(text))
    return result


def _numbers(raw: Any, unit: str, declared: str, name: str, row: int | None = None) -> list[float]:
    place: tuple[str | int, ...] = (name,) if row is None else (name, row)
    if isinstance(raw, np.ndarray):
        raw = raw.tolist()
    if not isinstance(raw, list | tuple):
        raise CurveProblems((place, f"found {raw!r}; expected a list of numbers"))
    if unit == declared and all(type(value) is float for value in raw) and all(map(math.isfinite, raw)):
        return [_plain(value) for value in raw]  # the usual case of large maps
    return [_number(value, declared, (*place, i), unit) for i, value in enumerate(raw)]


def _number(value: Any, declared: str, place: tuple[str | int, ...], unit: str | None = None) -> float:
    """Read one number; a plain one is in `unit`."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | np.number):
        raise CurveProblems((place, f"found {value!r}; expected a number in {declared}"))
    if isinstance(value, str):
        text = value.strip()
    else:
        try:
            text = repr(float(value))
        except OverflowError:
            raise CurveProblems((place, f"found {value!r}; too large for a floating-point number")) from None
    try:
        if unit is not None and unit != declared and _is_number(text):
            text = f"{text} {unit}"
        number = float(text) if _is_number(text) else units.parse(text, declared, "value")
    except ParameterError as problem:
        raise CurveProblems((place, _without_name(problem))) from None
    if not math.isfinite(number):
        raise CurveProblems((place, f"found {value!r}; expected a finite number"))
    return _plain(number)


def _without_name(problem: ParameterError) -> str:
    return str(problem).removeprefix("value = ").removeprefix("value: ")


def _plain(number: float) -> float:
    return number + 0.0  # -0.0 becomes 0.0, so that equal numbers are equal texts


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _is_unit(text: str) -> bool:
    try:
        units.check_unit(text)
    except ParameterError:
        return False
    return True


def _place(path: tuple[str | int, ...]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    return f"{text}: " if text else ""


def _expected(declared: CurveUnits) -> str:
    constant = (
        f"a {declared.constant} in {declared.of_constant}" if declared.of_constant != "-" else f"a {declared.constant}"
    )
    axes = "x, y or x, z, y" if declared.z else "x, y"
    columns = ", ".join([declared.x, *((declared.z,) if declared.z else ()), declared.y])
    return f"{constant}, a table ({axes} in {columns}) or a CSV file"
