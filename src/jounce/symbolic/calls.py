"""Call nodes and derivatives through them (design: opaque calls, exact chain rule).

A call (table, service, leaf function, or a named intermediate) is opaque to the symbolic layer: its outputs
are plain symbols.  The registry knows for every such symbol the symbols of its partial derivatives, so that

    d expr/d w = ∂expr/∂w + Σ_s ∂expr/∂s · ds/dw,      ds/dw = Σ_j s_,j · da_j/dw            (1)

holds exactly through nested calls, at every order a call provides.  Asking for an order that a call does not
provide is an error, never a silent zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement
from typing import Any

from jounce.core.errors import ModelError
from jounce.symbolic._casadi import SX, ca


def key(symbol: SX) -> int:
    """Identity of a scalar symbol (stable while the symbol is alive; the registry keeps it alive)."""
    return int(symbol.element_hash())


def scalars(values: Any) -> list[SX]:
    """A flat list of scalar SX from a sequence, a column or a scalar."""
    if isinstance(values, (list, tuple)):
        return [item for value in values for item in scalars(value)]
    value = ca.SX(values)
    if value.is_scalar(True):
        return [value]
    dense = ca.densify(value)
    return [dense[i] for i in range(dense.numel())]


class Call:
    """A call with scalar arguments; subclasses say what the outputs are and how they differentiate."""

    def __init__(self, registry: CallRegistry, label: str, args: Sequence[SX]) -> None:
        self.registry = registry
        self.label = label
        self.args = list(args)
        self.symbols: dict[Any, SX] = {}  # output index -> symbol

    def symbol(self, index: Any) -> SX:
        """The symbol of one output, made at first request."""
        if index not in self.symbols:
            self.symbols[index] = self.registry.new_symbol(f"{self.label}{index}", self, index)
        return self.symbols[index]

    def partial(self, index: Any, j: int) -> SX:
        """Derivative of output ``index`` with respect to argument ``j``."""
        raise NotImplementedError


class TensorCall(Call):
    """A table or a service: n_out smooth functions of a few arguments, derivatives up to ``max_order``.

    An output index is (output, (i, j, ...)): the derivative of that output along the sorted argument axes.
    """

    def __init__(
        self, registry: CallRegistry, kind: str, slot: int, name: str, args: Sequence[SX], n_out: int, max_order: int
    ) -> None:
        super().__init__(registry, name, args)
        self.kind = kind  # "table" or "service"
        self.slot = slot
        self.n_out = n_out
        self.max_order = max_order

    def partial(self, index: Any, j: int) -> SX:
        output, axes = index
        if len(axes) >= self.max_order:
            raise ModelError(
                f"{self.kind} {self.label!r}: derivative of order {len(axes) + 1} is needed, "
                f"but it provides orders up to {self.max_order}. "
                "Use it where fewer derivatives are taken, or give it a smoother representation."
            )
        return self.symbol((output, tuple(sorted((*axes, j)))))

    def order_in_use(self, indices: Iterable[Any]) -> int:
        return max((len(axes) for _, axes in indices), default=0)

    def position(self, index: Any) -> int:
        """Place of an output in the C result (layout of jn_table.h)."""
        output, axes = index
        n, offset = len(self.args), 0
        for order in range(len(axes)):
            offset += self.n_out * len(list(combinations_with_replacement(range(n), order)))
        terms = list(combinations_with_replacement(range(n), len(axes)))
        return offset + output * len(terms) + terms.index(tuple(axes))

    def size(self, order: int) -> int:
        n = len(self.args)
        return self.n_out * sum(len(list(combinations_with_replacement(range(n), k))) for k in range(order + 1))


class Alias(Call):
    """Named intermediates: outputs equal the arguments.

    They cut the graph: partial derivatives can be taken with respect to them (the twist at a hitch, a dependent
    speed, an acceleration that is solved later), and the chain rule still sees through.  A ``slow`` alias is held in
    the approximate Jacobian of a linear-implicit step, and only there.
    """

    slow = False

    def partial(self, index: Any, j: int) -> SX:
        return ca.SX(1) if index == j else ca.SX(0)


class CallRegistry:
    """All calls of one scope of expressions, and total derivatives through them."""

    def __init__(self) -> None:
        self._owner: dict[int, tuple[Call, Any]] = {}
        self._alive: list[SX] = []
        self._tensor_calls: dict[tuple[Any, ...], TensorCall] = {}
        self.derivative_leaves: dict[int, Any] = {}  # id of a leaf function -> its derivative (see leaf.py)

    # -- making calls ---------------------------------------------------------------------------------
    def new_symbol(self, name: str, call: Call, index: Any) -> SX:
        symbol = ca.SX.sym(name)
        self._owner[key(symbol)] = (call, index)
        self._alive.append(symbol)
        return symbol

    def tensor_call(
        self, kind: str, slot: int, name: str, args: Sequence[SX], n_out: int, max_order: int
    ) -> TensorCall:
        """One call per (table, arguments): asking again gives the same symbols."""
        identity = (kind, slot, *(key(a) if not a.is_constant() else float(a) for a in args))
        if identity not in self._tensor_calls:
            self._alive.extend(args)
            self._tensor_calls[identity] = TensorCall(self, kind, slot, name, args, n_out, max_order)
        return self._tensor_calls[identity]

    def alias(self, label: str, expressions: Sequence[SX], slow: bool = False) -> list[SX]:
        """Symbols that stand for the given expressions."""
        call = Alias(self, label, expressions)
        call.slow = slow
        return [call.symbol(i) for i in range(len(call.args))]

    def late_alias(self, label: str, symbol: SX) -> Alias:
        """Turn an existing symbol into an alias; ``define`` its expression later through ``call.args[0]``."""
        call = Alias(self, label, [])
        call.symbols[0] = symbol
        self._owner[key(symbol)] = (call, 0)
        self._alive.append(symbol)
        return call

    def owner(self, symbol: SX) -> tuple[Call, Any] | None:
        return self._owner.get(key(symbol))

    # -- derivatives ----------------------------------------------------------------------------------
    def jacobian(self, expression: SX, wrt: SX) -> SX:
        """Total Jacobian of a column with respect to a column of symbols, through all calls (1)."""
        return Differentiator(self, scalars(wrt)).jacobian(ca.SX(expression))

    def depends_on(self, expression: SX, symbols: Iterable[SX]) -> bool:
        """True if the expression reads one of the symbols, directly or through calls."""
        wanted = {key(s) for s in symbols}
        return any(k in wanted for k in self.reachable(expression))

    def substituted(self, expressions: Sequence[SX], symbols: Sequence[SX], values: Sequence[Any]) -> list[SX]:
        """The expressions with other values for symbols that they read, directly or through tables."""
        table = {key(s): ca.SX(v) for s, v in zip(symbols, values, strict=True)}
        known: dict[int, list[SX]] = {}  # call -> its arguments anew

        def anew(expression: SX) -> SX:
            old = [s for s in ca.symvar(expression) if key(s) in table or self._owner.get(key(s)) is not None]
            new = [replaced(s) for s in old]
            changed = [(a, b) for a, b in zip(old, new, strict=True) if key(a) != key(b)]
            if not changed:
                return expression
            return ca.substitute([expression], [a for a, _ in changed], [b for _, b in changed])[0]

        def replaced(symbol: SX) -> SX:
            if key(symbol) in table:
                return table[key(symbol)]
            call, index = self._owner[key(symbol)]
            if not call.args or not self.depends_on(symbol, symbols):
                return symbol
            if id(call) not in known:
                known[id(call)] = [anew(argument) for argument in call.args]
            arguments = known[id(call)]
            if isinstance(call, Alias):
                return arguments[index]
            if not isinstance(call, TensorCall):
                raise ModelError(f"{call.label!r} reads what is sought here; only tables may")
            again = self.tensor_call(call.kind, call.slot, call.label, arguments, call.n_out, call.max_order)
            return again.symbol(index)

        return [anew(ca.SX(expression)) for expression in expressions]

    def reachable(self, expression: SX, cut: Iterable[SX] = ()) -> dict[int, SX]:
        """All symbols an expression reads, directly or through calls, but not through those of ``cut``."""
        stop = {key(s) for s in cut}
        found: dict[int, SX] = {}
        seen_calls: set[int] = set()
        todo = [ca.SX(expression)]
        while todo:
            for symbol in ca.symvar(todo.pop()):
                k = key(symbol)
                if k in found:
                    continue
                found[k] = symbol
                owner = None if k in stop else self._owner.get(k)
                if owner is not None and id(owner[0]) not in seen_calls:
                    seen_calls.add(id(owner[0]))
                    if owner[0].args:
                        todo.append(ca.vertcat(*owner[0].args))
        return found


class Differentiator:
    """Total derivatives with respect to one set of symbols; rows of call outputs are kept between requests."""

    def __init__(self, registry: CallRegistry, wrt: Sequence[SX], hold_slow: bool = False) -> None:
        self.registry = registry
        self.hold_slow = hold_slow  # leave out the derivatives of slow aliases
        self.columns = {key(s): i for i, s in enumerate(wrt)}
        self.n = len(wrt)
        self._rows: dict[int, dict[int, SX]] = {}  # call symbol -> {column: derivative}
        self._args: dict[int, list[dict[int, SX]]] = {}  # call -> rows of its arguments
        self._active: set[int] = set()

    def rows(self, expressions: Sequence[SX]) -> list[dict[int, SX]]:
        """For each scalar expression the nonzero derivatives {column: value}."""
        if not expressions:  # CasADi makes a numeric column of nothing, which has no symbols to ask for
            return []
        column = ca.vertcat(*expressions)
        present = ca.symvar(column)
        relevant = []
        for symbol in present:
            k = key(symbol)
            if k in self.columns or self._row_of(symbol):
                relevant.append(symbol)
        result: list[dict[int, SX]] = [{} for _ in expressions]
        if not relevant:
            return result
        jac = ca.jacobian(column, ca.vertcat(*relevant))
        row_index, col_index = jac.sparsity().get_triplet()
        nonzeros = ca.vertcat(*jac.nonzeros()) if jac.nnz() else ca.SX()
        for position, (r, c) in enumerate(zip(row_index, col_index, strict=True)):
            value = nonzeros[position]
            if value.is_zero():
                continue
            k = key(relevant[c])
            if k in self.columns:
                add_entry(result[r], self.columns[k], value)
            else:
                for j, derivative in self._rows[k].items():
                    add_entry(result[r], j, value * derivative)
        return result

    def _row_of(self, symbol: SX) -> dict[int, SX]:
        """Derivatives of a call output; empty for anything that does not depend on the wanted symbols."""
        k = key(symbol)
        if k in self._rows:
            return self._rows[k]
        owner = self.registry.owner(symbol)
        if owner is None or (self.hold_slow and isinstance(owner[0], Alias) and owner[0].slow):
            self._rows[k] = {}
            return self._rows[k]
        call, index = owner
        if isinstance(call, Alias) and not call.args:
            raise ModelError(f"{call.label!r} is used in a derivative before it is defined")
        if k in self._active:
            raise ModelError(f"{call.label!r} depends on itself: an algebraic loop")
        self._active.add(k)
        row: dict[int, SX] = {}
        if isinstance(call, Alias):
            row = self.rows([call.args[index]])[0]
        else:
            for j, argument_row in enumerate(self._argument_rows(call)):
                if argument_row:
                    partial = call.partial(index, j)
                    if not partial.is_zero():
                        for column, derivative in argument_row.items():
                            add_entry(row, column, partial * derivative)
        self._active.discard(k)
        self._rows[k] = row
        return row

    def _argument_rows(self, call: Call) -> list[dict[int, SX]]:
        if id(call) not in self._args:
            self._args[id(call)] = self.rows(call.args)
        return self._args[id(call)]

    def jacobian(self, column: SX) -> SX:
        """The same as a sparse matrix."""
        rows = self.rows(scalars(column))
        jac = ca.SX(len(rows), self.n)
        for i, row in enumerate(rows):
            for j, value in row.items():
                jac[i, j] = value
        return jac


class TimeDerivative:
    """d/dt of expressions along given rates of the base symbols, through all calls.

    ``rates`` maps symbol keys to expressions; symbols without an entry are constant, unless ``forbidden`` explains
    why they must not be differentiated.
    """

    def __init__(self, registry: CallRegistry, rates: dict[int, SX], forbidden: dict[int, str] | None = None) -> None:
        self.registry = registry
        self.rates = rates
        self.forbidden = {} if forbidden is None else forbidden  # shared: entries may come later
        self._cache: dict[int, SX | None] = {}
        self._arg_rates: dict[int, list[SX]] = {}
        self._active: set[int] = set()

    def __call__(self, expression: SX) -> SX:
        expression = ca.SX(expression)
        moving, seeds = [], []
        for symbol in ca.symvar(expression):
            rate = self._rate(symbol)
            if rate is not None and not rate.is_zero():
                moving.append(symbol)
                seeds.append(rate)
        if not moving:
            return ca.SX.zeros(*expression.shape)
        flat = ca.vec(expression)
        derivative = ca.jtimes(flat, ca.vertcat(*moving), ca.vertcat(*seeds))
        return ca.reshape(derivative, *expression.shape)

    def _rate(self, symbol: SX) -> SX | None:
        k = key(symbol)
        if k in self.rates:
            return self.rates[k]
        if k in self.forbidden:
            raise ModelError(self.forbidden[k])
        if k in self._cache:
            return self._cache[k]
        owner = self.registry.owner(symbol)
        rate: SX | None = None
        if owner is not None:
            call, index = owner
            if isinstance(call, Alias) and not call.args:
                raise ModelError(f"{call.label!r} is differentiated in time before it is defined")
            if k in self._active:
                raise ModelError(f"{call.label!r} depends on itself: an algebraic loop")
            self._active.add(k)
            if isinstance(call, Alias):
                rate = self(call.args[index])
            else:
                rate = ca.SX(0)
                if id(call) not in self._arg_rates:
                    self._arg_rates[id(call)] = [self(argument) for argument in call.args]
                for j, speed in enumerate(self._arg_rates[id(call)]):
                    if not speed.is_zero():
                        rate = rate + call.partial(index, j) * speed
            self._active.discard(k)
        self._cache[k] = rate
        return rate


def add_entry(row: dict[int, SX], column: int, value: SX) -> None:
    """Add to an entry of a sparse row."""
    row[column] = row[column] + value if column in row else value
