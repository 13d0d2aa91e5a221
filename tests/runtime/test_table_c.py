"""The C evaluator of tables: against the Python one, against scipy, and under sanitizers."""

from __future__ import annotations

import ctypes
import itertools
import math
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import make_interp_spline

import jounce.runtime
from jounce.core.tables import MAX_DEGREE, JnAxis, JnTable, Table

EPS = float(np.finfo(float).eps)
SOURCES = Path(jounce.runtime.__file__).parent / "c"
FLAGS = ["-std=c11", "-O2", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")

Evaluate = Callable[[Table, Any, int], np.ndarray]


def multi_indices(n_axes: int, order: int) -> list[tuple[int, ...]]:
    """Derivatives of one order as counts per axis, in the sequence promised by jn_table.h."""
    lists = itertools.combinations_with_replacement(range(n_axes), order)  # 00 01 02 11 12 22
    return [tuple(indices.count(i) for i in range(n_axes)) for indices in lists]


def build(folder: Path, sources: list[Path], output: str, *options: str) -> Path:
    target = folder / output
    command = ["cc", *FLAGS, *options, f"-I{SOURCES}", *map(str, sources), "-o", str(target), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("table")
    layout = folder / "layout.c"
    layout.write_text(
        '#include "jn_table.h"\n#include <stddef.h>\n'
        "void layout(size_t *at) {\n"
        + "".join(f"    *at++ = offsetof(jn_axis, {f[0]});\n" for f in JnAxis._fields_)
        + "".join(f"    *at++ = offsetof(jn_table, {f[0]});\n" for f in JnTable._fields_)
        + "    *at++ = sizeof(jn_axis); *at++ = sizeof(jn_table); *at = JN_TABLE_MAX_DEGREE;\n}\n"
    )
    path = build(folder, [SOURCES / "jn_table.c", layout], "table.so", "-shared", "-fPIC")
    loaded = ctypes.CDLL(str(path))
    loaded.jn_table_eval.restype = None
    return loaded


@pytest.fixture(scope="module")
def evaluate(library: ctypes.CDLL) -> Evaluate:
    """All derivatives up to an order at one point, in a flat array as C leaves it."""

    def call(table: Table, x: Any, order: int) -> np.ndarray:
        count = table.n_out * math.comb(order + table.n_axes, order)
        out = (ctypes.c_double * (count + 1))(*[0.0] * count, 123.0)
        point = (ctypes.c_double * table.n_axes)(*np.atleast_1d(x))
        library.jn_table_eval(ctypes.byref(table.packed().struct()), point, order, out)
        assert out[count] == 123.0  # not one number more than promised
        return np.array(out[:count])

    return call


def by_order(flat: np.ndarray, table: Table, order: int) -> dict[tuple[int, ...], np.ndarray]:
    """Split a C result: derivative -> outputs."""
    result = {}
    at = 0
    for k in range(order + 1):
        names = multi_indices(table.n_axes, k)
        block = flat[at : at + table.n_out * len(names)].reshape(table.n_out, len(names))
        at += block.size
        result.update({name: block[:, i] for i, name in enumerate(names)})
    assert at == flat.size
    return result


def size_of_terms(table: Table, x: np.ndarray, derivative: tuple[int, ...]) -> np.ndarray:
    """Sum of the magnitudes of all terms of (1) in core/tables.py: what rounding errors are relative to."""
    packed = table.packed()
    coef = packed.coef
    cells = []
    weights = []
    for i, (knots, origins) in enumerate(zip(packed.knots, packed.origins, strict=True)):
        clamped = float(np.clip(x[i], knots[0], knots[-1]))
        inside = float(x[i]) if table.extrapolation == "spline" and len(knots) > 1 else clamped
        cell = int(np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, max(len(knots) - 2, 0)))
        t = abs(inside - origins[cell])
        past = abs(x[i] - inside) if len(knots) > 1 else 0.0
        j = np.arange(packed.degrees[i] + 1)

        def power(k: int, j: np.ndarray = j, t: float = t) -> np.ndarray:
            factor = np.array([math.perm(int(p), k) for p in j], dtype=float)
            return factor * np.where(j >= k, t ** np.maximum(j - k, 0), 0.0)

        k = derivative[i]
        weights.append(power(k) + past * power(k + 1))
        cells.append(cell)
    block = np.abs(coef[tuple(cells)])
    for w in weights:
        block = np.tensordot(w, block, axes=(0, 0))
    return block


def test_structures_match_the_header(library: ctypes.CDLL) -> None:
    fields = [(JnAxis, f[0]) for f in JnAxis._fields_] + [(JnTable, f[0]) for f in JnTable._fields_]
    found = (ctypes.c_size_t * (len(fields) + 3))()
    library.layout(found)
    expected = [getattr(kind, name).offset for kind, name in fields]
    assert list(found) == [*expected, ctypes.sizeof(JnAxis), ctypes.sizeof(JnTable), MAX_DEGREE]


# ---- against the Python evaluation -------------------------------------------------------------------


@st.composite
def tables(draw: st.DrawFn, method: str, n_axes: int) -> tuple[Table, np.ndarray]:
    """A random table and points inside, outside, at knots and one rounding error beside them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    decades = draw(st.sampled_from([0.0, 1.0, 6.0]))  # spread of the spacings
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 4, 5, 9, 17]), min_size=n_axes, max_size=n_axes))
    if n_axes == 3:
        sizes = [min(n, 5) for n in sizes]
    axes = [rng.normal() + np.cumsum(10.0 ** rng.uniform(-decades, 0, n)) for n in sizes]
    n_out = draw(st.integers(1, 9))
    options: dict[str, Any] = {"method": method}
    if method == "polynomial":
        # Clustered points cannot carry a high order.
        limit = 3 if decades > 1 else 15
        axes = [np.linspace(a[0], a[-1], len(a)) for a in axes]
        options |= {"order": [min(len(a) - 1, limit) for a in axes], "total": draw(st.booleans())}
    table = Table(
        axes,
        rng.normal(size=(*sizes, n_out)) * 10.0 ** rng.uniform(-3, 3, n_out),
        extrapolation=draw(st.sampled_from(["flat", "linear", "spline"])),
        **options,
    )
    columns = []
    for a in axes:
        knot = rng.choice(a, 12)
        width = a[-1] - a[0] + 1.0
        choices = [rng.uniform(a[0], a[-1], 12), knot, np.nextafter(knot, -np.inf), np.nextafter(knot, np.inf)]
        choices += [rng.uniform(a[0] - width, a[-1] + width, 12), np.where(rng.random(12) < 0.5, a[0], a[-1])]
        columns.append(np.choose(rng.integers(0, len(choices), 12), choices))
    return table, np.stack(columns, axis=-1)


# Methods, axes and orders are listed, not drawn: each kernel gets its share of the examples.
@pytest.mark.parametrize("method", ["linear", "akima", "cubic", "polynomial"])
@pytest.mark.parametrize("n_axes", [1, 2, 3])
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_c_equals_python(evaluate: Evaluate, method: str, n_axes: int, data: st.DataObject) -> None:
    table, points = data.draw(tables(method, n_axes))
    derivatives = [d for k in range(4) for d in multi_indices(n_axes, k)]
    expected = {d: table(*points.T, derivative=d) for d in derivatives}
    for i, x in enumerate(points):
        # Per term: up to 2 * 15 roundings in each basis factor and three products; 48 sums. Twice, for both sides.
        allowed = {d: 400 * EPS * size_of_terms(table, x, d) + 1e-300 for d in expected}
        for order in range(4):
            for d, found in by_order(evaluate(table, x, order), table, order).items():
                assert np.all(np.abs(found - expected[d][i]) <= allowed[d]), (table, x, d, found, expected[d][i])


@pytest.mark.parametrize("method", ["linear", "akima", "cubic"])
@pytest.mark.parametrize("shape", [(9,), (4, 5), (3, 2, 4)])
def test_data_come_back_exactly_at_the_knots(evaluate: Evaluate, method: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    axes = [rng.normal() + np.cumsum(10 ** rng.uniform(-3, 0, n)) for n in shape]
    table = Table(axes, rng.normal(size=(*shape, 3)), method=method)
    for index in itertools.product(*(range(n - 1) for n in shape)):
        x = [a[i] for a, i in zip(axes, index, strict=True)]
        for order in range(4):
            assert np.array_equal(evaluate(table, x, order)[:3], table.values[index])


# ---- against mathematics --------------------------------------------------------------------------------


def test_derivatives_are_those_of_the_b_spline(evaluate: Evaluate) -> None:
    # A product of two curves is its own tensor spline: derivatives are products of exact 1-D ones.
    rng = np.random.default_rng(2)
    axes = [np.cumsum(rng.uniform(1, 4, n)) for n in (7, 6, 5)]
    for n_axes in (1, 2, 3):
        curves = [make_interp_spline(a, rng.normal(size=len(a)), k=3) for a in axes[:n_axes]]
        values = np.ones(())
        for a, s in zip(axes, curves, strict=False):
            values = values[..., None] * s(a)
        table = Table(axes[:n_axes], np.stack([values, -2 * values], axis=-1), method="cubic")
        for _ in range(30):
            x = [rng.uniform(a[0], a[-1]) for a in axes[:n_axes]]
            for order in range(4):
                for derivative, found in by_order(evaluate(table, x, order), table, order).items():
                    expected = math.prod(float(s(v, nu=k)) for s, v, k in zip(curves, x, derivative, strict=True))
                    # Cells are at least 1 wide, so derivatives amplify rounding by at most 6 each;
                    # two spline systems per axis, each conditioned below 10.
                    allowed = 2e3 * EPS * np.abs(values).max() * 10**n_axes * 6 ** sum(derivative)
                    np.testing.assert_allclose(found, [expected, -2 * expected], rtol=0, atol=allowed)


@pytest.mark.parametrize("method", ["akima", "cubic", "polynomial"])
@pytest.mark.parametrize("n_axes", [1, 2, 3])
def test_derivatives_are_the_differences_of_lower_ones(evaluate: Evaluate, method: str, n_axes: int) -> None:
    rng = np.random.default_rng(3)
    axes = [np.cumsum(rng.uniform(1, 3, 5)) for _ in range(n_axes)]
    options: dict[str, Any] = {"order": 4} if method == "polynomial" else {}
    table = Table(axes, rng.normal(size=(5,) * n_axes + (2,)), method=method, extrapolation="linear", **options)
    step = 1e-5
    # Inside and outside, but with the whole stencil in one cell.
    cells = [np.concatenate([[a[0] - 2.0], a, [a[-1] + 2.0]]) for a in axes]
    for _ in range(20):
        lows = [rng.integers(0, len(c) - 1) for c in cells]
        x = np.array([c[i] + (c[i + 1] - c[i]) * rng.uniform(0.1, 0.9) for c, i in zip(cells, lows, strict=True)])
        here = by_order(evaluate(table, x, 3), table, 3)
        for axis in range(n_axes):
            shift = step * np.eye(n_axes)[axis]
            above, below = (by_order(evaluate(table, x + s * shift, 2), table, 2) for s in (1, -1))
            for derivative in above:
                raised = tuple(k + (i == axis) for i, k in enumerate(derivative))
                difference = (above[derivative] - below[derivative]) / (2 * step)
                # Truncation: step^2 / 6 times the next but one derivative; rounding: eps / step times the terms.
                further = tuple(k + 2 * (i == axis) for i, k in enumerate(raised))
                allowed = step**2 * size_of_terms(table, x, further)
                allowed = allowed + 400 * EPS / step * size_of_terms(table, x, derivative)
                assert np.all(np.abs(difference - here[raised]) <= allowed)


def test_a_cubic_polynomial_is_reproduced_to_third_order(evaluate: Evaluate) -> None:
    rng = np.random.default_rng(4)
    axes = [np.cumsum(rng.uniform(0.5, 1.5, n)) - 3 for n in (4, 6, 5)]
    c = rng.normal(size=(4, 4, 4))
    values = np.polynomial.polynomial.polygrid3d(*axes, c)
    table = Table(axes, values, method="cubic")
    for _ in range(30):
        x = [rng.uniform(a[0], a[-1]) for a in axes]
        for derivative, found in by_order(evaluate(table, x, 3), table, 3).items():
            reduced = c
            for axis, k in enumerate(derivative):
                reduced = np.polynomial.polynomial.polyder(reduced, k, axis=axis)
            expected = np.polynomial.polynomial.polyval3d(*x, reduced)
            # Cells are at least 0.5 wide: a derivative amplifies rounding by at most 6 / 0.5.
            allowed = 1e4 * EPS * np.abs(values).max() * 12.0 ** sum(derivative)
            assert abs(found[0] - expected) <= allowed


# ---- search and odd arguments -----------------------------------------------------------------------------


def test_a_bucket_holds_at_most_one_knot_unless_that_took_too_many() -> None:
    rng = np.random.default_rng(5)
    for decades in (0.0, 0.5, 6.0):
        knots = np.cumsum(10.0 ** rng.uniform(-decades, 0, 40))
        buckets = Table([knots], np.zeros(40)).packed().buckets[0]
        assert len(buckets) - 1 <= 8 * 40 + 64
        if decades < 1:
            assert np.diff(buckets).max() <= 1


def test_every_cell_is_found_on_very_uneven_axes(evaluate: Evaluate) -> None:
    rng = np.random.default_rng(6)
    for _ in range(5):
        knots = np.unique(rng.normal() + np.cumsum(10.0 ** rng.uniform(-9, 0, 60)))
        # The slope of a polygon is one number per cell, and no two cells share it here.
        table = Table([knots], rng.normal(size=len(knots)))
        for x in np.concatenate([knots, np.nextafter(knots, -np.inf), np.nextafter(knots, np.inf)]):
            assert evaluate(table, x, 1)[1] == table(x, derivative=1)


@pytest.mark.parametrize("shape", [(5,), (5, 4), (5, 1), (4, 3, 5)])
@pytest.mark.parametrize("extrapolation", ["flat", "linear", "spline"])
def test_nan_makes_all_outputs_nan(evaluate: Evaluate, shape: tuple[int, ...], extrapolation: str) -> None:
    for method in ("linear", "cubic"):
        table = Table([np.arange(float(n)) for n in shape], np.ones((*shape, 2)), method=method)
        table = table.with_extrapolation(extrapolation)
        for i, order in itertools.product(range(len(shape)), range(4)):
            x = np.ones(len(shape))
            x[i] = np.nan
            assert np.all(np.isnan(evaluate(table, x, order)))


def test_infinite_arguments_are_clamped_when_flat(evaluate: Evaluate) -> None:
    rng = np.random.default_rng(8)
    table = Table([np.arange(5.0), np.arange(4.0)], rng.normal(size=(5, 4)), method="cubic")
    found = by_order(evaluate(table, [np.inf, -np.inf], 2), table, 2)
    # Along axis 1 the clamped point is a knot; along axis 0 the end of a cell, where the sum rounds.
    assert found.pop((0, 0))[0] == pytest.approx(table.values[-1, 0], abs=100 * EPS * 4)
    assert all(np.all(f == 0.0) for f in found.values())


# ---- sanitizers -------------------------------------------------------------------------------------------

DRIVER = """
int main(void)
{
    static const double odd[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, 1.0, -1.0};
    uint64_t seed = 12345;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const jn_table *t = &cases[i];
        for (int order = 0; order <= JN_TABLE_MAX_ORDER; ++order) {
            size_t count = (size_t)t->n_out;
            for (int a = 1; a <= t->n_axes; ++a) count = count * (size_t)(order + a) / (size_t)a;
            for (int point = 0; point < 400; ++point) {
                /* Exact sizes on the heap, so that one number too many is seen. */
                double *x = malloc((size_t)t->n_axes * sizeof *x), *out = malloc(count * sizeof *out);
                int poisoned = 0;
                for (int a = 0; a < t->n_axes; ++a) {
                    const jn_axis *axis = &t->axis[a];
                    seed = seed * 6364136223846793005u + 1442695040888963407u;
                    const unsigned pick = (unsigned)(seed >> 33);
                    const double first = axis->knots[0], last = axis->knots[axis->n_knots - 1];
                    if (pick % 4 == 0) x[a] = odd[(pick / 4) % (sizeof odd / sizeof *odd)];
                    else if (pick % 4 == 1) x[a] = axis->knots[(pick / 4) % (unsigned)axis->n_knots];
                    else x[a] = first + (last - first) * ((pick / 4) / 268435456.0 - 0.5);
                    poisoned |= isnan(x[a]);
                }
                jn_table_eval(t, x, order, out);
                for (size_t k = 0; k < count; ++k)
                    if (poisoned && !isnan(out[k])) return 2;
                free(x);
                free(out);
            }
        }
    }
    return 0;
}
"""


def as_c(tables: list[Table]) -> str:
    """Write packed tables as static C data, so that the sanitizer guards the ends of every array."""
    text = ['#include "jn_table.h"', "#include <math.h>", "#include <stdlib.h>"]
    rows = []
    for i, table in enumerate(tables):
        p = table.packed()

        def array(kind: str, name: str, data: np.ndarray) -> str:
            if not data.size:
                return "NULL"
            items = ", ".join(float(v).hex() if kind == "double" else str(v) for v in data.ravel())
            text.append(f"static const {kind} {name}[] = {{{items}}};")
            return name

        axes = []
        for a, knots in enumerate(p.knots):
            parts = [str(len(knots)), str(p.degrees[a]), str(p.extrapolation), str(max(len(p.buckets[a]) - 1, 0))]
            parts += [p.bucket_scales[a].hex(), array("double", f"knots_{i}_{a}", knots)]
            parts += [array("double", f"origins_{i}_{a}", p.origins[a][: max(len(knots) - 1, 1)])]
            parts += [array("int32_t", f"buckets_{i}_{a}", p.buckets[a])]
            axes.append("{" + ", ".join(parts) + "}")
        axes += ["{0}"] * (3 - len(axes))
        coef = array("double", f"coef_{i}", p.coef)
        rows.append(f"{{{table.n_axes}, {table.n_out}, {{{', '.join(axes)}}}, {coef}}}")
    text.append("static const jn_table cases[] = {" + ",\n".join(rows) + "};")
    return "\n".join(text)


@pytest.mark.slow
def test_no_undefined_behaviour_for_any_argument(tmp_path: Path) -> None:
    rng = np.random.default_rng(10)
    chosen = []
    for method, extrapolation in itertools.product(["linear", "cubic", "polynomial"], ["flat", "linear", "spline"]):
        for shape, n_out in (((30,), 1), ((2,), 3), ((1,), 2), ((9, 5), 5), ((4, 1), 7), ((3, 4, 5), 6)):
            axes = [rng.normal() + np.cumsum(10.0 ** rng.uniform(-6, 0, n)) for n in shape]
            options: dict[str, Any] = {"order": [min(n - 1, 2) for n in shape]} if method == "polynomial" else {}
            values = rng.normal(size=(*shape, n_out))
            chosen.append(Table(axes, values, method=method, extrapolation=extrapolation, **options))
    # The widest polynomial, and an axis so short that buckets would overflow.
    chosen.append(Table([np.linspace(-1, 1, 40)], rng.normal(size=40), method="polynomial", order=15))
    chosen.append(Table([np.array([0.0, 1.0, 3.0]) * 5e-324], [0.0, 0.0, 0.0]))
    driver = tmp_path / "driver.c"
    driver.write_text(as_c(chosen) + DRIVER)
    options = [
        "-g",
        "-fsanitize=address,undefined,float-cast-overflow",
        "-fno-sanitize-recover=all",
        "-Wno-overlength-strings",
    ]
    program = build(tmp_path, [SOURCES / "jn_table.c", driver], "driver", *options)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
