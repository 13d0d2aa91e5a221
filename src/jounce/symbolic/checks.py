"""What the user writes into a system, checked when it is declared: expressions, vectors, frames, inertias."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from jounce.core.errors import ModelError
from jounce.symbolic._casadi import SX, ca, is_symbolic


class Literals:
    """Refuses expressions that hold nan or an infinity as a literal; every node is looked at once."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._alive: list[SX] = []  # a node that was freed could give its identity to a new one

    def check(self, expressions: Iterable[SX], where: str) -> None:
        """Raise ModelError when a number in one of the scalar expressions is not finite."""
        roots = list(expressions)
        seen: set[int] = set()
        stack = list(roots)
        while stack:
            node = stack.pop()
            k = node.element_hash()
            if k in seen or k in self._seen:
                continue
            seen.add(k)
            n = node.n_dep()
            if n:
                stack += [node.dep(i) for i in range(n)]
            elif node.is_constant() and not math.isfinite(float(node)):
                value = float(node)
                hint = (
                    "was a function of Python's math applied to a symbol? Use jn.ops (jn.ops.tanh) instead"
                    if math.isnan(value)
                    else "was a number divided by zero? Expressions take finite numbers only"
                )
                raise ModelError(f"{where}: {value} in the expression; {hint}")
        self._seen |= seen
        self._alive += roots


def as_expression(value: Any, where: str) -> SX:
    """One scalar expression, or a column of them, from what the user gave."""
    if isinstance(value, str):
        raise ModelError(f"{where}: {value!r} is text; give a number in SI, or a parameter, which may have a unit")
    try:
        return ca.SX(value)
    except (NotImplementedError, TypeError, RuntimeError):
        raise ModelError(
            f"{where}: expected an expression or a number, got {_shown(value)}"
            + ("; take one of them, for example [0]" if isinstance(value, tuple | list) else "")
        ) from None


def inertia_tensor(values: Any, where: str = "inertia") -> list[list[SX]]:
    """(Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or a symmetric 3x3 matrix, as a tensor of expressions."""
    allowed = "give (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) with Ixy = -∫xy dm, or a symmetric 3x3 matrix"
    if is_symbolic(values):
        shape = tuple(int(n) for n in values.shape)
        rows = [[values[i, j] for j in range(shape[1])] for i in range(shape[0])]
        entries: list[Any] = rows if shape == (3, 3) else [x for row in rows for x in row]
    else:
        if isinstance(values, str) or not hasattr(values, "__len__") or not hasattr(values, "__getitem__"):
            raise ModelError(f"{where} = {_shown(values)}: {allowed}")
        entries = [values[i] for i in range(len(values))]
    matrix = len(entries) == 3 and all(hasattr(row, "__len__") and not is_symbolic(row) for row in entries)
    if matrix and all(len(row) == 3 for row in entries):
        items = [[as_expression(x, where) for x in row] for row in entries]
        if all(x.numel() == 1 for row in items for x in row):
            return [[_same(items, i, j, where) for j in range(3)] for i in range(3)]
    if len(entries) not in (3, 6) or matrix:
        raise ModelError(f"{where}: {_size(entries)} given; {allowed}")
    flat = [as_expression(v, where) for v in entries]
    if any(item.numel() != 1 for item in flat):
        raise ModelError(f"{where}: entries must be scalars; {allowed}")
    flat += [ca.SX(0)] * (6 - len(flat))
    xx, yy, zz, xy, xz, yz = flat
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


ROUNDING = 1e-9  # relative difference of two entries that counts as the same number


def _same(items: list[list[SX]], i: int, j: int, where: str) -> SX:
    """Entry (i, j), after a look at (j, i); one expression for both."""
    i, j = min(i, j), max(i, j)
    a, b = items[i][j], items[j][i]
    if a.is_constant() and b.is_constant():
        size = max(abs(float(x)) for row in items for x in row if x.is_constant())
        equal = abs(float(a) - float(b)) <= ROUNDING * size
        a = a if float(a) == float(b) else 0.5 * (a + b)
    else:
        equal = bool(ca.is_equal(a, b, 10)) or bool(ca.simplify(a - b).is_zero())
    if not equal:
        raise ModelError(f"{where}: the matrix is not symmetric: entry ({i}, {j}) is {a}, entry ({j}, {i}) is {b}")
    return a


def _size(entries: list[Any]) -> str:
    nested = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 1 for row in entries]
    return f"{len(entries)} rows of {nested[0]}" if any(n != 1 for n in nested) else f"{len(entries)} numbers"


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '…'} ({type(value).__name__})"
