"""Tables: curves and maps given as numbers on a grid of one to three axes.

A table is a piecewise polynomial. On cell (i, j, k), between knots i and i+1 of axis 0 and so on,

    f(x0, x1, x2) = sum_abc  c[i,j,k,a,b,c] (x0 - o0[i])^a (x1 - o1[j])^b (x2 - o2[k])^c            (1)

with an origin o per cell. Every method ends as such coefficients, so one evaluator (``jn_table.c``)
serves all; `Table.__call__` is the same function in numpy, for plots and tests.

Interpolation (``linear``, ``akima``, ``cubic``; origin = knot, so c[.., 0, 0, 0] is the given value and
the data come back exactly at the knots):

- *linear*: straight between knots, C0.
- *akima*: cubic with the slopes of Akima (1970), C1, local, no overshoot far from a kink:

      s_i = (|m_{i+1} - m_i| m_{i-1} + |m_{i-1} - m_{i-2}| m_i) / (|m_{i+1} - m_i| + |m_{i-1} - m_{i-2}|)   (2)

  where m_i is the slope of the chord from knot i to i+1, two more continued linearly at each end, and the mean
  of m_{i-1} and m_i is taken where the weights vanish. The second derivative jumps at knots.
- *cubic*: the interpolating cubic spline, C2, with the not-a-knot end condition. Two knots give the
  straight line, three the parabola. (De Boor's B-spline is the same function in another basis.)

In several dimensions the slopes of each axis in turn, 0 then 1 then 2, are taken of all nodal data
found so far: f; D0 f; D1 f, D1 D0 f; ... A cell is the tensor Hermite patch of its corner data.
Neighbours share the corners, hence the surface is C1 (akima) or C2 (cubic) also across cell edges. For
*cubic* the order of the axes does not matter; for *akima*, whose slopes (2) are not linear in the data, the mixed
derivatives depend on it.

Polynomial fit (``polynomial``): least squares on all grid points, one cell over the whole range,
origin at its middle; ``residual`` holds the largest misfit per output. Terms: powers up to ``order`` along each
axis, with ``total`` only those whose powers add up to at most the (largest) order.

Outside the knots of an axis: ``flat`` clamps the argument (slope zero outside), ``linear`` continues with
value and slope of the end; the rules of several axes combine as a tensor product. An axis with one knot means no
dependence on it. At a knot the derivatives are those of the cell above; at the last knot, of the cell below.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, did_you_mean

Array = npt.NDArray[np.float64]

METHODS = ("linear", "akima", "cubic", "polynomial")
METHOD_ALIASES = {"deboor": "cubic", "bspline": "cubic"}
EXTRAPOLATIONS = ("flat", "linear", "spline")  # the index is the code in jn_table.h
MAX_AXES = 3  # JN_TABLE_MAX_AXES
MAX_DEGREE = 15  # JN_TABLE_MAX_DEGREE

# The arguments of Table, which are what makes two tables equal and what is stored.
CONTENT = (
    *("axes", "values", "method", "extrapolation", "order", "total", "name"),
    *("axis_names", "axis_units", "value_names", "value_units", "doc"),
)

# Akima's weights count as vanished below this fraction of the largest of the column: there they are
# differences of equal slopes, that is, rounding.
AKIMA_VANISHED = 1e-9

# A polynomial of which less than this fraction is independent of the lower ones on the points given is rounding.
RANK_LOST = 64 * float(np.finfo(float).eps)


class JnAxis(ctypes.Structure):
    """Mirror of ``jn_axis`` in jn_table.h."""

    _fields_ = (
        ("n_knots", ctypes.c_int32),
        ("degree", ctypes.c_int32),
        ("extrapolation", ctypes.c_int32),
        ("n_buckets", ctypes.c_int32),
        ("bucket_scale", ctypes.c_double),
        ("knots", ctypes.POINTER(ctypes.c_double)),
        ("origins", ctypes.POINTER(ctypes.c_double)),
        ("buckets", ctypes.POINTER(ctypes.c_int32)),
    )


class JnTable(ctypes.Structure):
    """Mirror of ``jn_table`` in jn_table.h."""

    _fields_ = (
        ("n_axes", ctypes.c_int32),
        ("n_out", ctypes.c_int32),
        ("axis", JnAxis * MAX_AXES),
        ("coef", ctypes.POINTER(ctypes.c_double)),
    )


class PackedTable:
    """The arrays of one table as the C evaluator reads them.

    Every structure made by `fill` points into these arrays: keep this object as long as the structure.

    Attributes
    ----------
    knots, origins, buckets : per axis; see ``jn_axis``
    bucket_scales : per axis
    degrees : per axis, of the polynomial
    coef : contiguous, [cell0]..[power0]..[output]
    """

    __slots__ = ("bucket_scales", "buckets", "coef", "degrees", "extrapolation", "knots", "n_out", "origins")

    def __init__(
        self, knots: Sequence[Array], origins: Sequence[Array], degrees: Sequence[int], extrapolation: int, coef: Array
    ) -> None:
        self.knots = tuple(knots)
        self.origins = tuple(origins)
        self.degrees = tuple(degrees)
        self.extrapolation = extrapolation
        self.coef = coef
        self.n_out = int(coef.shape[-1])
        found = [_buckets(k) for k in self.knots]
        self.bucket_scales = tuple(scale for scale, _ in found)
        self.buckets = tuple(buckets for _, buckets in found)

    def fill(self, target: JnTable) -> None:
        """Describe this table in ``target``, which stays valid while this object lives."""
        real, whole = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int32)
        target.n_axes, target.n_out = len(self.knots), self.n_out
        for i, knots in enumerate(self.knots):
            axis = target.axis[i]
            axis.n_knots, axis.degree = len(knots), self.degrees[i]
            axis.extrapolation = self.extrapolation
            axis.n_buckets, axis.bucket_scale = max(len(self.buckets[i]) - 1, 0), self.bucket_scales[i]
            axis.knots = knots.ctypes.data_as(real)
            axis.origins = self.origins[i].ctypes.data_as(real)
            axis.buckets = self.buckets[i].ctypes.data_as(whole)
        target.coef = self.coef.ctypes.data_as(real)

    def struct(self) -> JnTable:
        """Return a new C structure of this table."""
        target = JnTable()
        self.fill(target)
        return target


class Table:
    """A curve or map on a grid, with one or several outputs. Immutable; equal when all its content is.

    Parameters
    ----------
    axes : one to three strictly ascending sequences of abscissae (a bare sequence of numbers is one axis)
    values : shape (n0[, n1[, n2]]), or (.., n_out) for several outputs
    method : "linear", "akima", "cubic" (also "deboor", "bspline") or "polynomial"; upper or lower case
    extrapolation : "flat" (the end value), "linear" (with the end's slope) or "spline" (the last cell's polynomial)
    order : for "polynomial": order along every axis, or one per axis; an axis with one knot has order 0
    total : for "polynomial": keep only terms whose powers add up to at most the largest order
    name, doc : for messages and reports
    axis_names, axis_units : one per axis, or empty
    value_names, value_units : one per output, or empty

    Attributes
    ----------
    residual : per output, largest |fit - value| over the grid in the unit of the value; zero for interpolation

    Raises
    ------
    ParameterError
        Listing every problem found, with axis and index.
    """

    __slots__ = (
        "_hash",
        "_packed",
        "_pieces",
        "axes",
        "axis_names",
        "axis_units",
        "doc",
        "extrapolation",
        "method",
        "name",
        "order",
        "residual",
        "total",
        "value_names",
        "value_units",
        "values",
    )

    axes: tuple[Array, ...]
    values: Array
    method: str
    extrapolation: str
    order: int | tuple[int, ...] | None
    total: bool
    name: str
    axis_names: tuple[str, ...]
    axis_units: tuple[str, ...]
    value_names: tuple[str, ...]
    value_units: tuple[str, ...]
    doc: str
    residual: Array
    _pieces: _Pieces
    _packed: PackedTable | None
    _hash: int | None

    def __init__(
        self,
        axes: Sequence[npt.ArrayLike] | npt.ArrayLike,
        values: npt.ArrayLike,
        *,
        method: str = "linear",
        extrapolation: str = "flat",
        order: int | Sequence[int] | None = None,
        total: bool = False,
        name: str = "",
        axis_names: Sequence[str] = (),
        axis_units: Sequence[str] = (),
        value_names: Sequence[str] = (),
        value_units: Sequence[str] = (),
        doc: str = "",
    ) -> None:
        report = _Report(name, tuple(axis_names), tuple(value_names))
        axis_arrays = _read_axes(axes, report)
        value_array = _read_values(values, axis_arrays, report)
        method = _read_method(method, report)
        if extrapolation not in EXTRAPOLATIONS:
            report.add(f"extrapolation = {extrapolation!r}: unknown{did_you_mean(str(extrapolation), EXTRAPOLATIONS)}")
        orders = _read_order(order, total, method, axis_arrays, report)
        n_axes = len(axis_arrays) if axis_arrays is not None else None
        n_out = None
        if value_array is not None and n_axes is not None:
            n_out = value_array.shape[n_axes] if value_array.ndim > n_axes else 1
        for label, texts, count, noun in (
            ("axis_names", axis_names, n_axes, "axes"),
            ("axis_units", axis_units, n_axes, "axes"),
            ("value_names", value_names, n_out, "outputs"),
            ("value_units", value_units, n_out, "outputs"),
        ):
            if isinstance(texts, str):
                report.add(f"{label} = {texts!r}: must be a sequence of texts  (write [{texts!r}])")
            elif texts and count is not None and len(texts) != count:
                report.add(
                    f"{label} has {len(texts)} entries but the table has {count} {noun}  (give one each, or none)"
                )
        report.raise_if_any()
        assert axis_arrays is not None
        assert value_array is not None

        put = object.__setattr__
        put(self, "axes", axis_arrays)
        put(self, "values", value_array)
        put(self, "method", method)
        put(self, "extrapolation", extrapolation)
        put(self, "order", order if order is None else _plain_order(order))
        put(self, "total", bool(total))
        put(self, "name", name)
        put(self, "axis_names", tuple(axis_names))
        put(self, "axis_units", tuple(axis_units))
        put(self, "value_names", tuple(value_names))
        put(self, "value_units", tuple(value_units))
        put(self, "doc", doc)
        put(self, "_packed", None)
        put(self, "_hash", None)

        grid = value_array.reshape((*self.shape, self.n_out))
        # Overflow is found in the result, where it can be reported.
        with np.errstate(all="ignore"):
            if method == "polynomial":
                pieces = _fit(axis_arrays, grid, orders, max(orders) if total else None)
            else:
                pieces = _interpolate(axis_arrays, grid, method)
        put(self, "_pieces", pieces)
        if not np.isfinite(pieces.coef).all():
            report.add(
                "the coefficients cannot be represented as floating-point numbers  "
                "(abscissae too close or too far apart for these values and this method: check the units)"
            )
            report.raise_if_any()
        residual = np.zeros(self.n_out)
        if method == "polynomial":
            fitted = self(*np.meshgrid(*axis_arrays, indexing="ij")).reshape(grid.shape)
            residual = np.abs(fitted - grid).reshape(-1, self.n_out).max(axis=0)
        put(self, "residual", _frozen(residual))

    # -- constructors ------------------------------------------------------------------------------

    @classmethod
    def from_columns(
        cls, x: npt.ArrayLike, columns: Mapping[float, npt.ArrayLike], *, name: str = "", **options: Any
    ) -> Table:
        """Return the table y(x, z) whose columns y(x) are given per z.

        Parameters
        ----------
        x : abscissae shared by all columns
        columns : z -> y(x), in any order of z; a single column means no dependence on z
        name, options : as for `Table`
        """
        report = _Report(name, tuple(options.get("axis_names", ())), tuple(options.get("value_names", ())))
        n_x = np.size(np.asarray(x))
        arrays = {float(z): np.asarray(y) for z, y in columns.items()}
        if not arrays:
            report.add("no columns  (give at least one z: y(x) pair)")
        shapes = sorted({a.shape[1:] for a in arrays.values()})
        for z, a in arrays.items():
            if a.ndim == 0 or len(a) != n_x:
                found = "a single number" if a.ndim == 0 else f"{len(a)} entries"
                report.add(f"column z = {z!r}: {found}, but x has {n_x}  (give one y per x)")
        if not report.problems and len(shapes) > 1:
            report.add("columns have different numbers of outputs  (give all columns the same shape)")
        report.raise_if_any()
        # nan cannot be ordered; it is left to the checks of the axis.
        keys = sorted(arrays, key=lambda z: (z != z, z))
        return cls((x, keys), np.stack([arrays[z] for z in keys], axis=1), name=name, **options)

    def with_values(self, values: npt.ArrayLike) -> Table:
        """Return the same table with other values on the same grid."""
        return self._changed(values=values)

    def with_method(
        self,
        method: str,
        *,
        order: int | Sequence[int] | None = None,
        total: bool = False,
        extrapolation: str | None = None,
    ) -> Table:
        """Return the same data under another method (and extrapolation, when given)."""
        changes: dict[str, Any] = {"method": method, "order": order, "total": total}
        if extrapolation is not None:
            changes["extrapolation"] = extrapolation
        return self._changed(**changes)

    def with_extrapolation(self, extrapolation: str) -> Table:
        """Return the same table with another rule outside its range."""
        return self._changed(extrapolation=extrapolation)

    # -- sizes -------------------------------------------------------------------------------------

    @property
    def n_axes(self) -> int:
        return len(self.axes)

    @property
    def n_out(self) -> int:
        return int(self.values.shape[-1]) if self.values.ndim > len(self.axes) else 1

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of knots per axis."""
        return tuple(len(a) for a in self.axes)

    # -- evaluation --------------------------------------------------------------------------------

    def __call__(self, *x: npt.ArrayLike, derivative: int | Sequence[int] | None = None) -> Any:
        """Evaluate at the broadcast points ``x``, one array per axis.

        Parameters
        ----------
        x : arguments, in the unit of each axis; nan gives nan
        derivative : how often to differentiate along each axis; default: not at all

        Returns
        -------
        ndarray of the broadcast shape, with a last axis for the outputs when ``values`` has one;
        a float for scalar arguments and a single output.
        """
        n = len(self.axes)
        label = f"table {self.name!r}" if self.name else "table"
        if len(x) != n:
            raise ParameterError(f"{label}: {len(x)} arguments given, but it has {n} axes  (give one per axis)")
        orders = (0,) * n if derivative is None else tuple(np.atleast_1d(derivative).tolist())
        if len(orders) != n or any(k != int(k) or k < 0 for k in orders):
            raise ParameterError(f"{label}: derivative = {derivative!r}: must be {n} integers >= 0, one per axis")
        points = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in x))
        flat = [p.ravel() for p in points]
        pieces = self._pieces
        clamp = self.extrapolation != "spline"
        places = [_locate(k, o, v, clamp) for k, o, v in zip(pieces.knots, pieces.origins, flat, strict=True)]
        result = pieces.coef[tuple(cell for cell, _, _ in places)]
        with np.errstate(invalid="ignore", over="ignore"):
            for (_, local, beyond), k in zip(places, orders, strict=True):
                result = _along(result, local, beyond, self.extrapolation == "linear", int(k))
        result[np.any(np.isnan(flat), axis=0)] = np.nan
        if self.values.ndim > n:
            return result.reshape((*points[0].shape, self.n_out))
        result = result.reshape(points[0].shape)
        return result if result.ndim else float(result)

    def held(self, x: npt.ArrayLike) -> Callable[..., Any]:
        """The table at fixed points of its first axis, as a function of the arguments along the others.

        ``held(x)(z)`` is ``table(x, z)`` for a row x of points and z that can be broadcast to it, or rows of it. What
        belongs to the first axis is computed once: a search along the second one asks many times.
        """
        n, pieces, clamp = len(self.axes), self._pieces, self.extrapolation != "spline"
        first = np.asarray(x, dtype=float)
        if n < 2 or self.values.ndim > n or first.ndim != 1:
            raise ParameterError("held: needs a table with two axes or more and one output, and a row of points")
        cell, local, beyond = _locate(pieces.knots[0], pieces.origins[0], first, clamp)
        linear = self.extrapolation == "linear"
        with np.errstate(invalid="ignore", over="ignore"):
            kept = _along(np.moveaxis(pieces.coef[cell], n, 1), local, beyond, linear, 0)
        kept[np.isnan(first)] = np.nan
        rows = np.arange(len(first))

        def at(*others: npt.ArrayLike) -> Any:
            given = np.broadcast_arrays(rows, *(np.asarray(v, dtype=float) for v in others))
            flat = [v.ravel() for v in given]
            rest = zip(pieces.knots[1:], pieces.origins[1:], flat[1:], strict=True)
            places = [_locate(k, o, v, clamp) for k, o, v in rest]
            result = kept[(flat[0], *(cell for cell, _, _ in places))]
            with np.errstate(invalid="ignore", over="ignore"):
                for _, local, beyond in places:
                    result = _along(result, local, beyond, linear, 0)
            for v in flat[1:]:
                result[np.isnan(v)] = np.nan
            return result.reshape(given[0].shape)

        return at

    def packed(self) -> PackedTable:
        """Return the arrays for the C evaluator; made once and kept with the table."""
        if self._packed is None:
            p = self._pieces
            degrees = p.coef.shape[self.n_axes : -1]
            packed = PackedTable(
                p.knots, p.origins, [m - 1 for m in degrees], EXTRAPOLATIONS.index(self.extrapolation), p.coef
            )
            object.__setattr__(self, "_packed", packed)
            return packed
        return self._packed

    # -- content -----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; floats survive the round trip exactly."""
        return {
            "axes": [a.tolist() for a in self.axes],
            "values": self.values.tolist(),
            "method": self.method,
            "extrapolation": self.extrapolation,
            "order": list(self.order) if isinstance(self.order, tuple) else self.order,
            "total": self.total,
            "name": self.name,
            "axis_names": list(self.axis_names),
            "axis_units": list(self.axis_units),
            "value_names": list(self.value_names),
            "value_units": list(self.value_units),
            "doc": self.doc,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Table:
        """Return the table of `to_dict`; missing optional entries take their defaults."""
        report = _Report(str(data.get("name", "")), (), ())
        for key in ("axes", "values"):
            if key not in data:
                report.add(f"entry {key!r} is missing")
        for key in data:
            if key not in CONTENT:
                report.add(f"entry {key!r}: unknown{did_you_mean(str(key), CONTENT, limit=len(CONTENT))}")
        report.raise_if_any()
        return cls(**data)

    def _changed(self, **changes: Any) -> Table:
        return Table(**{**{key: getattr(self, key) for key in CONTENT}, **changes})

    def _key(self) -> tuple[Any, ...]:
        # Bytes, so that equality is exact and agrees with the hash (0.0 and -0.0 differ).
        arrays = tuple(a.tobytes() for a in self.axes), self.values.shape, self.values.tobytes()
        rest = tuple(getattr(self, key) for key in CONTENT[2:])
        return (*arrays, *rest)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self is other or (hash(self) == hash(other) and self._key() == other._key())

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(self._key()))
        assert self._hash is not None
        return self._hash

    def __setattr__(self, key: str, value: object) -> NoReturn:
        raise AttributeError(f"Table is immutable: cannot set {key!r}; use with_values() or with_method()")

    def __delattr__(self, key: str) -> NoReturn:
        raise AttributeError(f"Table is immutable: cannot delete {key!r}")

    # Immutable, and the packed form holds C pointers: copies are the object itself, pickles the content.
    def named(self, name: str) -> Table:
        """The same table under a name."""
        found = object.__new__(Table)
        for slot in self.__slots__:
            object.__setattr__(found, slot, getattr(self, slot))
        object.__setattr__(found, "name", name)
        object.__setattr__(found, "_hash", None)
        return found

    def __copy__(self) -> Table:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Table:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (Table.from_dict, (self.to_dict(),))

    def __repr__(self) -> str:
        size = " x ".join(str(n) for n in self.shape)
        outputs = f", {self.n_out} outputs" if self.n_out > 1 else ""
        label = f" {self.name!r}" if self.name else ""
        return f"<Table{label}: {size} knots{outputs}, {self.method}, {self.extrapolation} outside>"


# ---- checks ----------------------------------------------------------------------------------------


class _Report:
    """Problems of one table, raised together."""

    def __init__(self, name: str, axis_names: tuple[str, ...], value_names: tuple[str, ...]) -> None:
        self.label = f"table {name!r}" if name else "table (unnamed)"
        self.axis_names, self.value_names = axis_names, value_names
        self.problems: list[str] = []

    def add(self, problem: str) -> None:
        self.problems.append(problem)

    def axis(self, i: int) -> str:
        return f"axis {i}" + (f" {self.axis_names[i]!r}" if i < len(self.axis_names) else "")

    def raise_if_any(self) -> None:
        if len(self.problems) == 1:
            raise ParameterError(f"{self.label}: {self.problems[0]}")
        if self.problems:
            raise ParameterError(f"{len(self.problems)} problems in {self.label}\n  " + "\n  ".join(self.problems))


def _frozen(array: npt.ArrayLike) -> Array:
    # A fresh copy: freezing must not reach the caller's array, nor his later changes ours.
    result = np.array(array, dtype=np.float64, order="C")
    result.flags.writeable = False
    return result


def _numbers(data: npt.ArrayLike, what: str, report: _Report) -> Array | None:
    try:
        found = np.asarray(data)
        if found.dtype.kind == "O":  # Fraction, Decimal, or a ragged list, which fails here
            found = found.astype(np.float64)
    except (TypeError, ValueError):
        report.add(f"{what}: not a regular array of numbers  (give rows of equal length, numbers only)")
        return None
    if found.dtype.kind not in "iuf":
        report.add(f"{what}: entries are of type {found.dtype}; must be real numbers")
        return None
    return _frozen(found)


def _plain_order(order: int | Sequence[int]) -> int | tuple[int, ...]:
    return int(order) if isinstance(order, int | np.integer) else tuple(int(p) for p in order)


def _read_axes(axes: Sequence[npt.ArrayLike] | npt.ArrayLike, report: _Report) -> tuple[Array, ...] | None:
    if isinstance(axes, np.ndarray) and axes.ndim == 1 and axes.dtype.kind != "O":
        given: list[Any] = [axes]
    elif isinstance(axes, Sequence) and axes and all(np.ndim(a) == 0 for a in axes):
        given = [axes]
    else:
        given = list(axes) if np.iterable(axes) else [axes]
    if not given or len(given) > MAX_AXES:
        advice = "give one sequence of abscissae per axis"
        report.add(f"{len(given)} axes; must be 1 to {MAX_AXES}  ({advice})")
        return None
    arrays = []
    ok = True
    for i, entry in enumerate(given):
        label = report.axis(i)
        axis = _numbers(entry, label, report)
        if axis is None:
            ok = False
            continue
        if axis.ndim != 1 or not len(axis):
            found = "is empty" if axis.size == 0 else f"has shape {axis.shape}"
            report.add(f"{label} {found}; must be one-dimensional with at least one abscissa")
            ok = False
            continue
        arrays.append(axis)
        bad = np.flatnonzero(~np.isfinite(axis))
        if len(bad):
            report.add(f"{label}[{bad[0]}] = {axis[bad[0]]}: must be finite{_more(len(bad))}")
            continue
        with np.errstate(over="ignore"):
            steps, span = np.diff(axis), axis[-1] - axis[0]
        bad = np.flatnonzero(~(steps > 0))
        if len(bad):
            j = int(bad[0])
            pair = f"{label}[{j}] = {float(axis[j])!r}, [{j + 1}] = {float(axis[j + 1])!r}"
            if steps[j] == 0:
                text = "repeated abscissa  (remove or merge one of the two points)"
            elif len(bad) == len(steps):
                text = "descending  (reverse this axis together with the values)"
            else:
                text = "not ascending  (sort the points by this axis, values along)"
            report.add(f"{pair}: {text}{_more(len(bad))}")
        elif not np.isfinite(span):
            report.add(f"{label}: from {axis[0]!r} to {axis[-1]!r} is too far for floating-point numbers")
    return tuple(arrays) if ok else None


def _more(count: int) -> str:
    return f"  and {count - 1} more" if count > 1 else ""


def _read_values(values: npt.ArrayLike, axes: tuple[Array, ...] | None, report: _Report) -> Array | None:
    array = _numbers(values, "values", report)
    if array is None or axes is None:
        return None
    shape, n = tuple(len(a) for a in axes), len(axes)
    if array.shape[:n] != shape or array.ndim > n + 1:
        text = ", ".join(str(m) for m in shape)
        report.add(
            f"values have shape {array.shape}, but the axes ask for ({text}) or ({text}, n_out)  "
            "(first index along axis 0; transpose the values if they are turned)"
        )
        return None
    if array.size == 0:
        report.add(f"values are empty, shape {array.shape}; must hold at least one output")
        return None
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        index = tuple(int(i) for i in bad[0])
        output = ""
        if array.ndim > n and index[-1] < len(report.value_names):
            output = f" (output {report.value_names[index[-1]]!r})"
        where = ", ".join(str(i) for i in index)
        report.add(f"values[{where}]{output} = {array[index]}: must be finite{_more(len(bad))}")
    return array


def _read_method(method: str, report: _Report) -> str:
    found = str(method).lower()
    found = METHOD_ALIASES.get(found, found)
    if found not in METHODS:
        report.add(f"method = {method!r}: unknown{did_you_mean(found, [*METHODS, *METHOD_ALIASES])}")
    return found


def _read_order(
    order: int | Sequence[int] | None, total: bool, method: str, axes: tuple[Array, ...] | None, report: _Report
) -> tuple[int, ...]:
    """Order per axis of a polynomial fit."""
    if method != "polynomial":
        if method in METHODS and (order is not None or total):
            found = f"order = {order!r}" if order is not None else "total = True"
            report.add(f"{found} has no meaning for method {method!r}  (leave it out, or use method 'polynomial')")
        return ()
    if order is None:
        report.add("method 'polynomial' needs an order  (for example order=3)")
        return ()
    if axes is None:
        return ()
    many = not isinstance(order, int | np.integer)
    try:
        given = tuple(order) if many else (order,) * len(axes)  # type: ignore[arg-type]
    except TypeError:
        given = (order,)
    if len(given) != len(axes):
        report.add(f"order = {order!r}: must be one integer, or {len(axes)}, one per axis")
        return ()
    orders = []
    for i, (p, axis) in enumerate(zip(given, axes, strict=True)):
        if not isinstance(p, int | np.integer) or isinstance(p, bool) or not 0 <= p <= MAX_DEGREE:
            report.add(f"order = {p!r} along {report.axis(i)}: must be an integer from 0 to {MAX_DEGREE}")
        elif len(axis) == 1:
            p = 0  # no dependence, whatever the order of the other axes
        elif p >= len(axis):
            report.add(
                f"order = {p} along {report.axis(i)}: too high for its {len(axis)} points, at most {len(axis) - 1}  "
                "(lower the order, or give one per axis)"
            )
        orders.append(int(p) if isinstance(p, int | np.integer) else 0)
    return tuple(orders)


# ---- coefficients ------------------------------------------------------------------------------------


class _Pieces:
    """The piecewise polynomial (1)."""

    __slots__ = ("coef", "knots", "origins")

    def __init__(self, knots: Sequence[Array], origins: Sequence[Array], coef: Array) -> None:
        self.knots = tuple(knots)
        self.origins = tuple(origins)
        self.coef = _frozen(coef)


def _interpolate(axes: tuple[Array, ...], grid: Array, method: str) -> _Pieces:
    """The pieces of a table; equal content is worked out once (both sides of a car, a car and its copies)."""
    return _interpolated(tuple(a.tobytes() for a in axes), grid.shape, grid.tobytes(), method)


@functools.lru_cache(maxsize=1024)
def _interpolated(abscissae: tuple[bytes, ...], shape: tuple[int, ...], values: bytes, method: str) -> _Pieces:
    axes = tuple(np.frombuffer(a) for a in abscissae)
    grid = np.frombuffer(values).reshape(shape)
    n = len(axes)
    slopes = {"linear": None, "akima": _akima_slopes, "cubic": _spline_slopes}[method]
    # nodal[i0, .., h0, .., output]: h = 1 holds the derivative along that axis, if the method has one.
    nodal = grid.reshape(grid.shape[:n] + (1,) * n + grid.shape[n:])
    for i, x in enumerate(axes):
        if slopes is not None and len(x) > 2:
            found = np.moveaxis(slopes(x, np.moveaxis(nodal, i, 0)), 0, i)
            nodal = np.concatenate([nodal, found], axis=n + i)
    for i, x in enumerate(axes):
        if len(x) > 1:
            nodal = _cells_along(x, nodal, i, n + i)
    return _Pieces(axes, axes, nodal)


def _cells_along(x: Array, nodal: Array, node_axis: int, kind_axis: int) -> Array:
    """Turn values (and slopes) at knots into powers per cell, along one axis."""
    data = np.moveaxis(nodal, (node_axis, kind_axis), (0, 1))
    h = np.diff(x).reshape((-1,) + (1,) * (data.ndim - 2))
    f0, chord = data[:-1, 0], np.diff(data[:, 0], axis=0) / h
    if data.shape[1] == 1:
        powers = [f0, chord]
    else:
        s0, s1 = data[:-1, 1], data[1:, 1]
        # Differences to the chord first: nothing large is left to cancel where the curve is nearly straight.
        e0, e1 = s0 - chord, s1 - chord
        powers = [f0, s0, -(2.0 * e0 + e1) / h, (e0 + e1) / h / h]
    return np.moveaxis(np.stack(powers, axis=1), (0, 1), (node_axis, kind_axis))


def _akima_slopes(x: Array, y: Array) -> Array:
    """Akima's slopes (2) along axis 0, each column on its own; at least three knots."""
    chord = np.diff(y, axis=0) / np.diff(x).reshape((-1,) + (1,) * (y.ndim - 1))
    before1 = 2.0 * chord[0] - chord[1]
    before2 = 2.0 * before1 - chord[0]
    after1 = 2.0 * chord[-1] - chord[-2]
    after2 = 2.0 * after1 - chord[-1]
    m = np.concatenate([before2[None], before1[None], chord, after1[None], after2[None]])
    change = np.abs(np.diff(m, axis=0))
    ahead, behind = change[2:], change[:-2]
    weight = ahead + behind
    # Per column, not over all: outputs differ in unit and size and must not disturb each other.
    vanished = weight <= AKIMA_VANISHED * weight.max(axis=0)
    left, right = m[1:-2], m[2:-1]
    share = np.where(vanished, 0.5, ahead / np.where(vanished, 1.0, weight))
    slopes: Array = share * left + (1.0 - share) * right
    return slopes


def _spline_slopes(x: Array, y: Array) -> Array:
    """Slopes at the knots of the C2 cubic spline along axis 0, not-a-knot ends; at least three knots."""
    n = len(x)
    h = np.diff(x)
    column = (-1,) + (1,) * (y.ndim - 1)
    chord = np.diff(y, axis=0) / h.reshape(column)
    if n == 3:
        # The parabola through three points: slope at the middle, and the chords reflected at it.
        middle = (h[1] * chord[0] + h[0] * chord[1]) / (h[0] + h[1])
        return np.stack([2.0 * chord[0] - middle, middle, 2.0 * chord[1] - middle])
    # Continuity of f'' at knot i:  h_i s_{i-1} + 2 (h_{i-1} + h_i) s_i + h_{i-1} s_{i+1} = r_i.
    # Not-a-knot: continuity of f''' at knot 1 gives  h_1 s_0 + (h_0 + h_1) s_1 = r_0, likewise at the end.
    # s_0 and s_{n-1} are eliminated by hand, which leaves a strictly diagonally dominant system
    # for s_1 .. s_{n-2}: elimination without pivoting is then safe for any spacing.
    below, diagonal, above = h[1:], 2.0 * (h[:-1] + h[1:]), h[:-1]
    right = 3.0 * (h[1:].reshape(column) * chord[:-1] + h[:-1].reshape(column) * chord[1:])
    for row, a, b, near, far in ((0, h[0], h[1], chord[0], chord[1]), (-1, h[-1], h[-2], chord[-1], chord[-2])):
        diagonal[row] = a + b
        right[row] = (b * b * near + a * (2.0 * a + 3.0 * b) * far) / (a + b)
    for i in range(1, n - 2):
        factor = below[i] / diagonal[i - 1]
        diagonal[i] -= factor * above[i - 1]
        right[i] -= factor * right[i - 1]
    inner = right
    inner[-1] /= diagonal[-1]
    for i in range(n - 4, -1, -1):
        inner[i] = (inner[i] - above[i] * inner[i + 1]) / diagonal[i]

    def end(a: float, b: float, near: Array, far: Array, slope: Array) -> Array:
        return (((3.0 * a + 2.0 * b) * b * near + a * a * far) / (a + b) - (a + b) * slope) / b

    first = end(h[0], h[1], chord[0], chord[1], inner[0])
    last = end(h[-1], h[-2], chord[-1], chord[-2], inner[-1])
    return np.concatenate([first[None], inner, last[None]])


def _fit(axes: tuple[Array, ...], grid: Array, orders: tuple[int, ...], total: int | None) -> _Pieces:
    """Least squares on all points of the grid.

    Polynomials made orthonormal on the points of each axis (QR) have products that are orthonormal on the grid, and
    span the same powers degree by degree; so projection is the fit, and dropping products fits fewer terms.
    """
    from numpy.polynomial import chebyshev

    n = len(axes)
    centres = [0.5 * a[0] + 0.5 * a[-1] for a in axes]
    halves = [0.5 * (a[-1] - a[0]) if len(a) > 1 else 1.0 for a in axes]
    bases = [
        np.linalg.qr(chebyshev.chebvander((a - c) / h, p))
        for a, c, h, p in zip(axes, centres, halves, orders, strict=True)
    ]
    # Clustered points: distinct, yet not to polynomials of this order. The caller reports what is not finite.
    if any(np.abs(np.diag(r)).min() <= RANK_LOST * np.abs(np.diag(r)).max() for _, r in bases):
        return _Pieces(axes, axes, np.full(1, np.nan))
    coef = grid
    for i, (q, _) in enumerate(bases):
        coef = np.moveaxis(np.tensordot(q.T, coef, axes=(1, i)), 0, i)
    if total is not None:
        powers = np.indices(tuple(p + 1 for p in orders)).sum(axis=0)
        coef = np.where((powers <= total)[..., None], coef, 0.0)
    for i, (_, r) in enumerate(bases):
        order = orders[i]
        # Orthonormal -> Chebyshev -> powers of the scaled -> powers of the actual local abscissa.
        to_powers = np.zeros((order + 1, order + 1))
        for j in range(order + 1):
            to_powers[: j + 1, j] = chebyshev.cheb2poly(np.eye(order + 1)[j, : j + 1])
        convert = to_powers @ np.linalg.inv(r) / (halves[i] ** np.arange(order + 1))[:, None]
        coef = np.moveaxis(np.tensordot(convert, coef, axes=(1, i)), 0, i)
    knots = [_frozen(a if len(a) == 1 else a[[0, -1]]) for a in axes]
    # One cell: the cell indices come first and have length one.
    return _Pieces(knots, [_frozen([c]) for c in centres], coef.reshape((1,) * n + coef.shape))


# ---- search and evaluation -----------------------------------------------------------------------------


def _buckets(knots: Array) -> tuple[float, npt.NDArray[np.int32]]:
    """Scale and table of the uniform buckets of one axis; see ``jn_axis``.

    A bucket is no wider than the smallest cell, unless that took too many: then it may hold several knots.
    """
    n = len(knots)
    none = 0.0, np.zeros(0, dtype=np.int32)
    if n <= 2:
        return none
    span = float(knots[-1] - knots[0])
    with np.errstate(over="ignore"):
        wanted = span / float(np.diff(knots).min())
        count = int(min(np.ceil(wanted), 8 * n + 64))
        scale = float(np.divide(count, span))
    if not np.isfinite(scale):
        return none
    # The bucket of an argument, rounded as in C, never falls when the argument rises. So an argument in
    # bucket b lies above every knot of a lower bucket and below every knot of a higher one.
    bucket = np.minimum(((knots - knots[0]) * scale).astype(np.int64), count - 1)
    first = np.searchsorted(bucket, np.arange(count + 1), side="left") - 1
    return scale, np.clip(first, 0, n - 2).astype(np.int32)


def _locate(knots: Array, origins: Array, x: Array, clamp: bool) -> tuple[npt.NDArray[np.intp], Array, Array]:
    """Cell, local abscissa of the (clamped) argument, and how far the argument is beyond the knots."""
    if len(knots) == 1:
        return np.zeros(len(x), dtype=np.intp), np.zeros(len(x)), np.zeros(len(x))
    cell = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, len(knots) - 2)
    clamped = np.clip(x, knots[0], knots[-1]) if clamp else x
    return cell, clamped - origins[cell], x - clamped


def _along(coef: Array, local: Array, beyond: Array, linear: bool, derivative: int) -> Array:
    """Sum the powers of one axis; coef is [point, power, ...]."""
    column = (-1,) + (1,) * (coef.ndim - 2)
    t, past = local.reshape(column), beyond.reshape(column)

    def inside(k: int) -> Array:
        powers = range(coef.shape[1] - 1, k - 1, -1)
        if not powers:
            return np.zeros(coef.shape[:1] + coef.shape[2:])
        factors = [float(math.perm(power, k)) for power in powers]
        result = factors[0] * coef[:, powers[0]] if k else coef[:, powers[0]].copy()
        for factor, power in zip(factors[1:], powers[1:], strict=True):
            result = result * t + (factor * coef[:, power] if k else coef[:, power])
        return result

    if derivative == 0:
        return inside(0) + past * inside(1) if linear and past.any() else inside(0)
    if derivative == 1 and linear:
        return inside(1)
    return np.where(past != 0, 0.0, inside(derivative))
