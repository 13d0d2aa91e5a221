"""Tables against scipy, against mathematics, and what they refuse."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    NdBSpline,
    RegularGridInterpolator,
    make_interp_spline,
)

from jounce.core.errors import ParameterError
from jounce.core.generated import GeneratedModel
from jounce.core.tables import Table

EPS = float(np.finfo(float).eps)
METHODS = ("linear", "akima", "cubic")


def uneven(rng: np.random.Generator, n: int, ratio: float = 5.0) -> np.ndarray:
    """Knots whose spacings differ by up to ``ratio``."""
    return rng.normal() + np.cumsum(rng.uniform(1.0, ratio, n))


def tensor_spline(axes: list[np.ndarray], values: np.ndarray, n_axes: int) -> NdBSpline:
    """The interpolating tensor spline, built by scipy one axis after the other."""
    coefficients, knots = values, []
    for i in range(n_axes):
        spline = make_interp_spline(axes[i], coefficients, k=3, axis=i)
        knots.append(spline.t)
        coefficients = np.moveaxis(spline.c, 0, i)
    return NdBSpline(tuple(knots), coefficients, 3)


def rounding(values: np.ndarray, smallest_cell: float, derivative: int, growth: float = 200.0) -> float:
    """Rounding in spline coefficients: each derivative divides by a cell width; ``growth`` counts operations.

    With spacings within a factor of 5 the systems are well conditioned (below 10 per axis).
    """
    return growth * EPS * float(np.abs(values).max()) * (6.0 / smallest_cell) ** derivative


# ---- interpolation ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2,), (3,), (9,), (1, 4), (5, 6), (7, 1), (4, 2, 5)])
@pytest.mark.parametrize("method", METHODS)
def test_data_come_back_exactly_at_the_knots(method: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    axes = [uneven(rng, n, 1e3) for n in shape]
    values = rng.normal(size=(*shape, 2))
    found = Table(axes, values, method=method)(*np.meshgrid(*axes, indexing="ij"))
    inner = tuple(slice(0, max(n - 1, 1)) for n in shape)
    assert np.array_equal(found[inner], values[inner])
    # The last knot is the end of a cell, not the start of one: rounding of sums of 4 terms per axis.
    np.testing.assert_allclose(found, values, rtol=0, atol=1e3 * EPS * np.abs(values).max())


@pytest.mark.parametrize("n", [4, 5, 8, 30])
def test_cubic_is_the_interpolating_b_spline(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = uneven(rng, n), rng.normal(size=n)
    table, reference = Table([x], y, method="cubic"), make_interp_spline(x, y, k=3)
    points = rng.uniform(x[0], x[-1], 200)
    for k in range(4):
        allowed = rounding(y, np.diff(x).min(), k)
        np.testing.assert_allclose(table(points, derivative=k), reference(points, nu=k), rtol=0, atol=allowed)


def test_cubic_through_two_and_three_points_is_line_and_parabola() -> None:
    line = Table([[1.0, 3.0]], [5.0, 9.0], method="cubic")
    assert line(2.5) == 8.0
    assert line(2.5, derivative=1) == 2.0
    x = np.array([-1.0, 0.5, 4.0])
    parabola = Table([x], 2 - 3 * x + 0.5 * x**2, method="cubic")
    points = np.linspace(-1, 4, 23)
    # A few operations on numbers up to 14; third derivative relative to f / h^3.
    np.testing.assert_allclose(parabola(points), 2 - 3 * points + 0.5 * points**2, rtol=0, atol=50 * EPS * 14)
    np.testing.assert_allclose(parabola(points, derivative=2), 1.0, rtol=0, atol=50 * EPS * 14)
    np.testing.assert_allclose(parabola(points, derivative=3), 0.0, rtol=0, atol=50 * EPS * 14)


@pytest.mark.parametrize("shape", [(6, 5), (5, 4, 6)])
def test_cubic_map_is_the_tensor_b_spline(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(7)
    axes = [uneven(rng, n) for n in shape]
    values = rng.normal(size=shape)
    table, reference = Table(axes, values, method="deboor"), tensor_spline(axes, values, len(shape))
    points = np.stack([rng.uniform(a[0], a[-1], 100) for a in axes], axis=-1)
    smallest = min(np.diff(a).min() for a in axes)
    for orders in itertools.product(range(3), repeat=len(shape)):
        # make_interp_spline per axis and our elimination both lose up to a factor of ten per axis.
        allowed = rounding(values, smallest, sum(orders), 200.0 * 10.0 ** len(shape))
        expected = reference(points, nu=orders)
        np.testing.assert_allclose(table(*points.T, derivative=orders), expected, rtol=0, atol=allowed)


def test_cubic_map_reproduces_a_cubic_polynomial_with_all_mixed_derivatives() -> None:
    rng = np.random.default_rng(3)
    axes = [uneven(rng, n) - 6.0 for n in (5, 4, 7)]
    c = rng.normal(size=(4, 4, 4))
    values = np.polynomial.polynomial.polygrid3d(*axes, c)
    table = Table(axes, values, method="cubic")
    points = [rng.uniform(a[0], a[-1], 50) for a in axes]
    smallest = min(np.diff(a).min() for a in axes)
    for orders in itertools.product(range(4), repeat=3):
        derivative = c
        for axis, k in enumerate(orders):
            derivative = np.polynomial.polynomial.polyder(derivative, k, axis=axis)
        expected = np.polynomial.polynomial.polyval3d(*points, derivative)
        allowed = rounding(values, smallest, sum(orders), 1e4)
        np.testing.assert_allclose(table(*points, derivative=orders), expected, rtol=0, atol=allowed)


def test_cubic_is_c2_and_not_a_knot_for_very_uneven_knots() -> None:
    rng = np.random.default_rng(11)
    h = 10.0 ** rng.uniform(-6, 0, 12)
    h[[0, 1, -2, -1]] = 1.0, 1e-3, 1e-3, 1.0
    x = np.concatenate([[0.0], np.cumsum(h)])
    y = np.sin(2 * x)
    table = Table([x], y, method="cubic")
    below, at = np.nextafter(x[1:-1], -1), x[1:-1]
    for k in range(3):
        a, b = table(below, derivative=k), table(at, derivative=k)
        # One step of rounding in x moves nothing; what is left is eps f / h^k of the smaller cell beside the knot.
        h_min = np.minimum(np.diff(x)[:-1], np.diff(x)[1:])
        assert np.all(np.abs(a - b) <= 100 * EPS / h_min**k)
    third = table(0.5 * (x[1:] + x[:-1]), derivative=3)
    for i, j in ((0, 1), (-1, -2)):
        # The same cubic on both sides: third derivatives agree up to eps f / h^3 with the narrower h = 1e-3.
        assert abs(third[i] - third[j]) <= 100 * EPS / 1e-9


@pytest.mark.parametrize("n", [3, 4, 5, 25])
def test_akima_has_the_slopes_of_akima(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = uneven(rng, n), rng.normal(size=(n, 3))
    y[:, 1] *= 1e-9  # a small output beside large ones keeps its own slopes
    table = Table([x], y, method="AKIMA")
    points = rng.uniform(x[0], x[-1], 200)
    for column in range(3):
        reference = Akima1DInterpolator(x, y[:, column], method="akima")
        for k in range(4):
            allowed = rounding(y[:, column], np.diff(x).min(), k)
            found = table(points, derivative=k)[:, column]
            np.testing.assert_allclose(found, reference(points, nu=k), rtol=0, atol=allowed)


def test_akima_keeps_straight_parts_straight() -> None:
    # A plateau, a ramp, a plateau: two knots away from a kink nothing of it is felt.
    x = np.arange(12.0)
    table = Table([x], np.clip(x - 4, 0, 3), method="akima")
    assert np.all(table(np.linspace(0, 3, 31)) == 0.0)
    assert np.all(table(np.linspace(8, 11, 31)) == 3.0)


def test_akima_map_is_the_hermite_patch_of_slopes_taken_axis_by_axis() -> None:
    rng = np.random.default_rng(5)
    x0, x1 = uneven(rng, 6), uneven(rng, 7)
    f = rng.normal(size=(6, 7))

    def slopes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.array([Akima1DInterpolator(x, c, method="akima")(x, nu=1) for c in y.T]).T

    f0, f1 = slopes(x0, f), slopes(x1, f.T).T
    f10 = slopes(x1, f0.T).T
    table = Table([x0, x1], f, method="akima")
    for a, b in zip(rng.uniform(x0[0], x0[-1], 50), rng.uniform(x1[0], x1[-1], 50), strict=True):
        for k0, k1 in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)):
            values = CubicHermiteSpline(x0, f, f0, axis=0)(a, nu=k0)
            along = CubicHermiteSpline(x0, f1, f10, axis=0)(a, nu=k0)
            expected = CubicHermiteSpline(x1, values, along)(b, nu=k1)
            allowed = rounding(f, 1.0, k0 + k1)  # cells are at least 1 wide
            assert abs(table(a, b, derivative=(k0, k1)) - expected) <= allowed


@pytest.mark.parametrize("method", ["akima", "cubic"])
def test_slopes_are_continuous_across_cell_edges_of_a_map(method: str) -> None:
    rng = np.random.default_rng(8)
    axes = [uneven(rng, 5), uneven(rng, 6), uneven(rng, 4)]
    table = Table(axes, rng.normal(size=(5, 6, 4)), method=method)
    for axis in range(3):
        points = [rng.uniform(a[0], a[-1], 40) for a in axes]
        points[axis] = rng.choice(axes[axis][1:-1], 40)
        below = list(points)
        below[axis] = np.nextafter(points[axis], -np.inf)
        for orders in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)):
            # A step of one rounding error in x changes the result by eps |x| f' at most: x < 40 here.
            allowed = 40 * rounding(table.values, 1.0, sum(orders), 1e3)
            difference = table(*points, derivative=orders) - table(*below, derivative=orders)
            assert np.abs(difference).max() <= allowed


@pytest.mark.parametrize("shape", [(8,), (4, 6), (3, 5, 2)])
def test_linear_is_multilinear(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    axes = [uneven(rng, n, 100.0) for n in shape]
    values = rng.normal(size=(*shape, 2))
    points = np.stack([rng.uniform(a[0], a[-1], 100) for a in axes], axis=-1)
    expected = RegularGridInterpolator(axes, values, method="linear")(points)
    # Sums of at most eight products of numbers below 4; x - knot is off by eps |x| / h < 300 eps.
    np.testing.assert_allclose(Table(axes, values)(*points.T), expected, rtol=0, atol=4e3 * EPS)


def test_a_single_column_means_no_dependence() -> None:
    x, y = np.linspace(-0.1, 0.1, 9), np.sin(np.linspace(-0.1, 0.1, 9))
    for method in METHODS:
        for extrapolation in ("flat", "linear"):
            options: dict[str, Any] = {"method": method, "extrapolation": extrapolation}
            alone, column = Table([x], y, **options), Table.from_columns(x, {0.02: y}, **options)
            points = np.linspace(-0.15, 0.15, 41)
            for z in (-5.0, 0.02, 7.0):
                assert np.array_equal(column(points, z), alone(points))
                assert np.array_equal(column(points, z, derivative=(1, 0)), alone(points, derivative=1))
                assert np.all(column(points, z, derivative=(0, 1)) == 0.0)


def test_columns_may_come_in_any_order() -> None:
    x = np.array([0.0, 1.0, 3.0])
    columns = {2.0: x**2, -1.0: x, 0.5: np.cos(x)}
    table = Table.from_columns(x, columns, method="cubic", name="toe", axis_units=["m", "m"])
    assert np.array_equal(table.axes[1], [-1.0, 0.5, 2.0])
    for z, y in columns.items():
        np.testing.assert_allclose(table(x, z), y, rtol=0, atol=100 * EPS * 9)
    many = Table.from_columns(x, {0.0: np.ones((3, 2)), 1.0: np.zeros((3, 2))})
    assert many.n_out == 2
    assert np.array_equal(many(1.0, 0.25), [0.75, 0.75])


# ---- polynomial fit -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "order", "total"),
    [((12,), 4, False), ((9, 7), 3, False), ((9, 7), 3, True), ((5, 6, 4), 2, True), ((9, 3), (5, 2), True)],
)
def test_polynomial_is_the_least_squares_fit(shape: tuple[int, ...], order: Any, total: bool) -> None:
    rng = np.random.default_rng(9)
    axes = [uneven(rng, n) / 10 for n in shape]
    values = rng.normal(size=(*shape, 2))
    table = Table(axes, values, method="polynomial", order=order, total=total)
    orders = np.broadcast_to(order, len(shape))
    terms = [
        p for p in itertools.product(*(range(m + 1) for m in orders)) if not total or sum(p) <= int(np.max(orders))
    ]
    grid = np.meshgrid(*axes, indexing="ij")

    def columns(points: list[np.ndarray]) -> np.ndarray:
        scaled = [(p - a.mean()) / np.ptp(a) for p, a in zip(points, axes, strict=True)]
        return np.stack([np.prod([s**e for s, e in zip(scaled, t, strict=True)], axis=0) for t in terms], axis=-1)

    system = columns([g.ravel() for g in grid])
    best = np.linalg.lstsq(system, values.reshape(-1, 2), rcond=None)[0]
    points = [rng.uniform(a[0], a[-1], 60) for a in axes]
    # Both solutions lose the condition of their basis; the monomials here are the worse.
    allowed = 10 * EPS * np.linalg.cond(system) * np.abs(values).max()
    np.testing.assert_allclose(table(*points), columns(points) @ best, rtol=0, atol=allowed)
    misfit = np.abs(system @ best - values.reshape(-1, 2)).max(axis=0)
    np.testing.assert_allclose(table.residual, misfit, rtol=0, atol=allowed)


def test_polynomial_of_high_order_stays_accurate() -> None:
    # 1 / (1 + x^2 / 4): the Chebyshev series converges like (2 + sqrt 5)^-n, 4e-10 at order 15; points at
    # Chebyshev nodes keep the fit within a small factor of that.
    nodes = np.sort(np.cos((np.arange(60) + 0.5) * np.pi / 60))
    x = 0.1 + 0.05 * nodes
    table = Table([x], 1 / (1 + nodes**2 / 4), method="polynomial", order=15)
    points = np.linspace(x[0], x[-1], 301)
    expected = 1 / (1 + ((points - 0.1) / 0.05) ** 2 / 4)
    assert np.abs(table(points) - expected).max() < 4e-9
    assert table.residual[0] < 4e-9


def test_polynomial_of_highest_degree_is_reproduced() -> None:
    # T15 about the middle has coefficients that add up to |T15(i)| = (1 + sqrt 2)^15 / 2 = 2.8e5, times 30 roundings;
    # about an end it would be T15(3) = 1.5e11.
    x = 0.1 + 0.05 * np.linspace(-1, 1, 80)
    t15 = np.polynomial.Chebyshev.basis(15, domain=[0.05, 0.15])
    table = Table([x], t15(x), method="polynomial", order=15)
    points = np.linspace(x[0], x[-1], 301)
    assert np.abs(table(points) - t15(points)).max() < 30 * EPS * 2.8e5


def test_interpolation_has_no_residual() -> None:
    assert np.array_equal(Table([[0, 1, 2]], [[1, 2], [3, 4], [0, 1]], method="akima").residual, [0.0, 0.0])


# ---- outside ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["linear", "akima", "cubic", "polynomial"])
def test_flat_and_linear_rules_outside(method: str) -> None:
    rng = np.random.default_rng(4)
    x, y = uneven(rng, 6), rng.normal(size=6)
    options: dict[str, Any] = {"method": method} | ({"order": 3} if method == "polynomial" else {})
    flat = Table([x], y, **options)
    linear = flat.with_extrapolation("linear")
    for end, outside in ((x[0], x[0] - 2.5), (x[-1], x[-1] + 2.5)):
        value, slope = flat(end), flat(end, derivative=1)
        assert slope != 0.0  # an argument equal to the end knot is still inside
        assert flat(outside) == value
        assert linear(outside) == value + slope * (outside - end)
        assert linear(outside, derivative=1) == slope
        assert [flat(outside, derivative=k) for k in (1, 2, 3)] == [0, 0, 0]
        assert [linear(outside, derivative=k) for k in (2, 3)] == [0, 0]
        assert flat(np.inf) == flat(x[-1])


def test_the_spline_rule_continues_the_last_polynomial() -> None:
    from scipy.interpolate import CubicSpline

    rng = np.random.default_rng(8)
    x, y = uneven(rng, 7), rng.normal(size=7)
    table = Table([x], y, method="cubic", extrapolation="spline")
    other = CubicSpline(x, y, bc_type="not-a-knot", extrapolate=True)
    for outside in (x[0] - 0.4, x[-1] + 0.4):
        for k in range(4):
            size = max(1.0, abs(float(other(outside, k))))
            assert table(outside, derivative=k) == pytest.approx(float(other(outside, k)), abs=1e-10 * size)
    # two axes: a cubic polynomial is one everywhere
    grid = np.meshgrid(np.linspace(0, 1, 5), np.linspace(-1, 1, 6), indexing="ij")
    surface = Table([np.linspace(0, 1, 5), np.linspace(-1, 1, 6)], grid[0] ** 3 * grid[1] ** 2, method="cubic",
                    extrapolation="spline")  # fmt: skip
    assert surface(1.5, -1.5) == pytest.approx(1.5**3 * 1.5**2, rel=1e-11)


def test_rules_outside_combine_as_a_tensor_product() -> None:
    rng = np.random.default_rng(6)
    axes = [uneven(rng, 5), uneven(rng, 4)]
    table = Table(axes, rng.normal(size=(5, 4)), method="cubic", extrapolation="linear")
    a, b, da, db = axes[0][0], axes[1][-1], -0.7, 1.3
    f, f0, f1, f01 = (table(a, b, derivative=k) for k in ((0, 0), (1, 0), (0, 1), (1, 1)))
    # The same sum in another order: a few roundings of its largest term.
    scale = abs(f) + abs(da * f0) + abs(db * f1) + abs(da * db * f01)
    assert table(a + da, b + db) == pytest.approx(f + da * f0 + db * f1 + da * db * f01, abs=20 * EPS * scale)
    # Inside along axis 0, the curvature along it follows the continued column.
    x = axes[0][2] + 0.3
    expected = table(x, b, derivative=(2, 0)) + db * table(x, b, derivative=(2, 1))
    assert table(x, b + db, derivative=(2, 0)) == pytest.approx(expected, rel=1e-12)


def test_nan_arguments_give_nan() -> None:
    table = Table([[0, 1, 2], [5]], [[1], [2], [0]], method="cubic")
    assert np.isnan(table(np.nan, 5))
    assert np.isnan(table(1, np.nan))  # also on an axis without dependence: never hide a nan
    assert np.isnan(table(np.nan, 5, derivative=(2, 1)))


def test_results_take_the_broadcast_shape() -> None:
    one = Table([[0, 1, 2], [0, 1]], np.ones((3, 2)))
    many = Table([[0, 1, 2], [0, 1]], np.ones((3, 2, 4)))
    assert isinstance(one(0.5, 0.5), float)
    assert one(np.zeros((5, 1)), np.zeros(3)).shape == (5, 3)
    assert many(0.5, 0.5).shape == (4,)
    assert many(np.zeros((5, 1)), np.zeros(3)).shape == (5, 3, 4)


# ---- content ------------------------------------------------------------------------------------------


def full_table() -> Table:
    rng = np.random.default_rng(0)
    return Table(
        [uneven(rng, 4), uneven(rng, 3)],
        rng.normal(size=(4, 3, 2)),
        method="polynomial",
        extrapolation="linear",
        order=(3, 2),
        total=True,
        name="toe",
        axis_names=["jounce", "paired jounce"],
        axis_units=["m", "m"],
        value_names=["toe", "camber"],
        value_units=["rad", "rad"],
        doc="measured",
    )


def test_json_keeps_every_bit() -> None:
    table = full_table()
    again = Table.from_dict(json.loads(json.dumps(table.to_dict())))
    assert again == table
    assert hash(again) == hash(table)
    assert np.array_equal(again.values, table.values)
    assert again.to_dict() == table.to_dict()


def test_tables_differ_when_any_content_does() -> None:
    table = full_table()
    values = table.values.copy()
    values[1, 1, 1] = np.nextafter(values[1, 1, 1], 9)
    others = [table.with_values(values), table.with_method("cubic"), table.with_extrapolation("flat")]
    others += [Table.from_dict(table.to_dict() | {"doc": "guessed"})]
    assert len({table, full_table(), *others}) == 5
    assert table != "toe"


def test_copies_and_pickles_survive_packing() -> None:
    table = full_table()
    assert table.packed() is table.packed()
    assert copy.deepcopy(table) is table
    assert copy.copy(table) is table
    assert pickle.loads(pickle.dumps(table)) == table
    model = GeneratedModel("m", tables={"toe": table})
    assert GeneratedModel.from_dict(model.to_dict()).tables["toe"] == table


def test_tables_cannot_be_changed() -> None:
    x, y = np.array([0.0, 1.0]), np.array([2.0, 3.0])
    table = Table([x], y)
    y[0] = 7.0
    assert table(0.0) == 2.0
    with pytest.raises(ValueError, match="read-only"):
        table.values[0] = 1.0
    with pytest.raises(AttributeError, match="immutable"):
        table.method = "cubic"
    with pytest.raises(AttributeError, match="immutable"):
        del table.method


def test_changed_tables_keep_the_rest() -> None:
    table = full_table()
    akima = table.with_method("Akima", extrapolation="flat")
    assert (akima.method, akima.order, akima.total, akima.extrapolation) == ("akima", None, False, "flat")
    assert akima.axis_names == table.axis_names
    assert table.with_values(np.zeros((4, 3, 2))).residual.max() == 0.0
    assert repr(akima) == "<Table 'toe': 4 x 3 knots, 2 outputs, akima, flat outside>"


def test_numbers_of_other_kinds_are_read() -> None:
    assert Table([0, 1, 2], [1, 2, 4])(1.5) == 3.0  # a bare sequence is one axis
    assert Table(np.array([0, 1, 2]), [Fraction(1, 4), 2, 4])(0) == 0.25


def test_import_needs_neither_scipy_nor_a_compiler() -> None:
    code = "import sys, jounce.core.tables as t; t.Table([0,1,2,5],[1,2,0,1],method='cubic').packed(); "
    code += "sys.exit(any(m == 'scipy' or m.startswith('scipy.') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- refusals -----------------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (([[0, 1, 1, 2]], [0] * 4), ["axis 0[1] = 1.0, [2] = 1.0: repeated abscissa  (remove or merge"]),
        (([[0, 2, 1, 3]], [0] * 4), ["axis 0[1] = 2.0, [2] = 1.0: not ascending  (sort the points"]),
        (([[3, 2, 1]], [0] * 3), ["axis 0[0] = 3.0, [1] = 2.0: descending  (reverse this axis", "and 1 more"]),
        (([[0, 1], [0, NAN, 2]], np.zeros((2, 3))), ["axis 1[1] = nan: must be finite"]),
        (([[0, INF]], [0, 0]), ["axis 0[1] = inf: must be finite"]),
        (([[-1.7e308, 0, 1.7e308]], [0, 0, 0]), ["axis 0: from ", "too far"]),
        (([[0, 1], [0, 1]], [[0, 0], [NAN, INF]]), ["values[1, 0] = nan: must be finite  and 1 more"]),
        (([[0, 1], [0, 1, 2]], np.zeros((3, 2))), ["values have shape (3, 2)", "(2, 3) or (2, 3, n_out)", "transpose"]),
        (([[0, 1]], np.zeros((2, 1, 1))), ["values have shape (2, 1, 1)"]),
        (([[0, 1]], np.zeros((2, 0))), ["values are empty"]),
        (([[0, 1]], 3.0), ["values have shape ()"]),
        (([[0, 1]] * 4, np.zeros((2, 2, 2, 2))), ["4 axes; must be 1 to 3"]),
        (([], []), ["0 axes; must be 1 to 3"]),
        (([[]], []), ["axis 0 is empty; must be one-dimensional with at least one abscissa"]),
        (([[[0, 1]]], [0, 1]), ["axis 0 has shape (1, 2)"]),
        ((5, [0, 1]), ["axis 0 has shape ()"]),
        (([[0, 1]], ["a", "b"]), ["values: entries are of type <U1; must be real numbers"]),
        (([[0, 1]], [[1, 2], [3]]), ["values: not a regular array of numbers"]),
        (([[0, 1e-300, 1]], [0, 1e10, 0]), ["cannot be represented", "check the units"]),
    ],
)
def test_bad_data_are_named_with_index_and_remedy(arguments: tuple[Any, Any], texts: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        Table(*arguments, name="toe")
    message = str(caught.value)
    assert message.startswith("table 'toe': ")
    for text in texts:
        assert text in message


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"method": "cubik"}, "method = 'cubik': unknown; did you mean 'cubic'?"),
        ({"method": "qqq"}, "known: linear, akima, cubic, polynomial, deboor, bspline"),
        ({"extrapolation": "flatt"}, "extrapolation = 'flatt': unknown; did you mean 'flat'?"),
        ({"method": "polynomial"}, "method 'polynomial' needs an order"),
        ({"method": "polynomial", "order": 3}, "order = 3 along axis 0: too high for its 3 points, at most 2"),
        ({"method": "polynomial", "order": 16}, "order = 16 along axis 0: must be an integer from 0 to 15"),
        ({"method": "polynomial", "order": -1}, "order = -1 along axis 0: must be an integer from 0 to 15"),
        ({"method": "polynomial", "order": 1.5}, "order = 1.5 along axis 0: must be an integer"),
        ({"method": "polynomial", "order": (1, 1)}, "order = (1, 1): must be one integer, or 1, one per axis"),
        ({"order": 2}, "order = 2 has no meaning for method 'linear'"),
        ({"total": True}, "total = True has no meaning for method 'linear'"),
        ({"axis_names": ["a", "b"]}, "axis_names has 2 entries but the table has 1 axes"),
        ({"value_units": ["N", "N"]}, "value_units has 2 entries but the table has 1 outputs"),
        ({"axis_units": "m"}, "axis_units = 'm': must be a sequence of texts  (write ['m'])"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Table([[0, 1, 2]], [0, 1, 4], **options)
    assert str(caught.value).startswith("table (unnamed): ")
    assert text in str(caught.value)


def test_all_problems_come_in_one_message() -> None:
    with pytest.raises(ParameterError) as caught:
        Table(
            [[0, 0, 1], [2, 1]],
            [[[1, NAN]] * 2] * 3,
            method="akimo",
            name="camber",
            axis_names=["jounce", "steer"],
            value_names=["left", "right"],
        )
    lines = str(caught.value).splitlines()
    assert lines[0] == "4 problems in table 'camber'"
    assert lines[1].startswith("  axis 0 'jounce'[0] = 0.0, [1] = 0.0: repeated")
    assert lines[2].startswith("  axis 1 'steer'[0] = 2.0, [1] = 1.0: descending")
    assert lines[3].startswith("  values[0, 0, 1] (output 'right') = nan: must be finite")
    assert lines[4].startswith("  method = 'akimo': unknown; did you mean 'akima'?")


def test_points_too_close_for_a_polynomial_are_refused() -> None:
    with pytest.raises(ParameterError, match="abscissae too close"):
        Table([[-1.0, 0.0, 1e-20, 2e-20, 1.0]], np.zeros(5), method="polynomial", order=4)


def test_bad_columns_are_named() -> None:
    with pytest.raises(ParameterError, match=r"table 'toe': column z = 0\.5: 2 entries, but x has 3"):
        Table.from_columns([0, 1, 2], {0.0: [0, 1, 2], 0.5: [1, 2]}, name="toe")
    with pytest.raises(ParameterError, match="no columns"):
        Table.from_columns([0, 1, 2], {})
    with pytest.raises(ParameterError, match="different numbers of outputs"):
        Table.from_columns([0, 1], {0.0: [0, 1], 1.0: [[0, 1], [0, 1]]})
    with pytest.raises(ParameterError, match=r"axis 1\[1\] = nan"):
        Table.from_columns([0, 1], {NAN: [0, 1], 1.0: [0, 1]})


def test_bad_stored_data_are_named() -> None:
    with pytest.raises(ParameterError) as caught:
        Table.from_dict({"axes": [[0, 1]], "name": "toe", "methode": "cubic"})
    assert "entry 'values' is missing" in str(caught.value)
    assert "entry 'methode': unknown; did you mean 'method'?" in str(caught.value)


def test_bad_calls_are_named() -> None:
    table = Table([[0, 1], [0, 1]], np.zeros((2, 2)), name="toe")
    with pytest.raises(ParameterError, match="table 'toe': 1 arguments given, but it has 2 axes"):
        table(0.5)
    with pytest.raises(ParameterError, match=r"derivative = \(1,\): must be 2 integers"):
        table(0.5, 0.5, derivative=(1,))


@pytest.mark.parametrize("method", ["linear", "akima", "cubic"])
@pytest.mark.parametrize("extrapolation", ["flat", "linear", "spline"])
def test_held_at_points_of_the_first_axis_it_is_the_same_table(method: str, extrapolation: str) -> None:
    """Inside, beyond both ends of both axes, and for several rows at once."""
    rng = np.random.default_rng(5)
    axes = [np.array([-1.0, 0.2, 0.9, 2.5, 3.0]), np.array([0.0, 0.3, 0.4, 1.0])]
    table = Table(axes, rng.normal(size=(5, 4)), method=method, extrapolation=extrapolation)
    x = np.array([-1.7, -1.0, 0.5, 2.6, 3.4, np.nan])
    rows = rng.uniform(-0.4, 1.3, (3, 6))
    held = table.held(x)
    assert np.allclose(held(rows), table(np.broadcast_to(x, rows.shape), rows), rtol=1e-13, atol=1e-13, equal_nan=True)
    assert np.allclose(held(0.35), table(x, np.full(6, 0.35)), rtol=1e-13, atol=1e-13, equal_nan=True)
    with pytest.raises(ParameterError, match="two axes or more"):
        Table([axes[0]], axes[0]).held(x)
