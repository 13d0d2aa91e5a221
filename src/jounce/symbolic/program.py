"""Expressions as a scheduled list of operations: the form that is emitted as C, counted, or run in Python.

The expression graph is walked depth first from its outputs.  A call is placed as soon as its arguments are known,
equal operations are shared, and named intermediates disappear.  The order depends only on the expressions, so the
same model gives the same text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from jounce.core.errors import ModelError
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import Alias, Call, CallRegistry, TensorCall, key
from jounce.symbolic.leaf import Leaf, LeafCall


@dataclass
class Site:
    """One C call: which call, its argument nodes, and how many results it writes."""

    call: Call
    args: list[int]
    order: int = 0  # highest derivative in use (tables, services)
    size: int = 0


@dataclass(slots=True)
class Node:
    """kind 'const' (value), 'symbol' (key, name), 'op' (op, args), 'site' (runs here), 'result' (site, position)."""

    kind: str
    op: int = 0
    args: tuple[int, ...] = ()
    value: float = 0.0
    key: int = 0
    name: str = ""
    site: int = -1
    position: int = -1


@dataclass
class Program:
    """Nodes in execution order."""

    nodes: list[Node] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)

    @property
    def operations(self) -> int:
        """Arithmetic operations executed in one run, inside leaf functions too; a table look-up counts as one."""
        total = sum(1 for node in self.nodes if node.kind == "op")
        for site in self.sites:
            total += leaf_program(site.call.leaf).operations if isinstance(site.call, LeafCall) else 1
        return total


def leaf_program(leaf: Leaf) -> Program:
    """The program of a leaf function (made once per number of outputs)."""
    cached = leaf._program
    if cached is None or cached[0] != len(leaf.outputs):
        cached = (len(leaf.outputs), build_program(leaf.registry, leaf.outputs))
        leaf._program = cached
    return cached[1]


def build_program(registry: CallRegistry, expressions: Sequence[SX]) -> Program:
    """Schedule scalar expressions and all calls they need."""
    return _Builder(registry, expressions).program


def split(program: Program, keys: set[int]) -> tuple[Program, int]:
    """What does not depend on the symbols first, and where the rest begins; results that do not depend are zero."""
    nodes = program.nodes
    varies = [False] * len(nodes)
    for i, node in enumerate(nodes):
        varies[i] = node.key in keys if node.kind == "symbol" else any(varies[a] for a in node.args)
    order = sorted(range(len(nodes)), key=lambda i: varies[i])  # stable
    place = {old: new for new, old in enumerate(order)}

    def moved(places: Iterable[int]) -> tuple[int, ...]:
        return tuple(place[i] for i in places)

    def at_new_place(node: Node) -> Node:
        args = tuple([place[i] for i in node.args])
        return Node(node.kind, node.op, args, node.value, node.key, node.name, node.site, node.position)

    result = Program(
        [at_new_place(nodes[i]) for i in order],
        [place[i] if varies[i] else len(order) for i in program.outputs],
        [replace(site, args=list(moved(site.args))) for site in program.sites],
    )
    result.nodes.append(Node("const", value=0.0))
    return result, varies.count(False)


class _Builder:
    def __init__(self, registry: CallRegistry, expressions: Sequence[SX]) -> None:
        self.registry = registry
        self.program = Program()
        self.calls: list[Call] = []
        self.used: dict[int, set[Any]] = {}  # call -> output indices in use
        self.op_const, self.op_input, self.op_assign = ca.OP_CONST, ca.OP_INPUT, ca.OP_ASSIGN
        # exact: these are commutative in IEEE arithmetic
        self.commutative = frozenset((ca.OP_ADD, ca.OP_MUL, ca.OP_EQ, ca.OP_NE, ca.OP_AND, ca.OP_OR))
        self._collect(expressions)
        self._read_graph(expressions)
        self._schedule(len(expressions))

    def _collect(self, expressions: Sequence[SX]) -> None:
        """All calls that the expressions need, directly or through other calls' arguments."""
        seen: set[int] = set()
        todo = list(expressions)
        while todo:  # all that is new at once: calls share most of what their arguments are made of
            found, todo = ca.symvar(ca.vertcat(*todo)), []
            for symbol in found:
                k = key(symbol)
                if k in seen:
                    continue
                seen.add(k)
                owner = self.registry.owner(symbol)
                if owner is None:
                    continue
                call, index = owner
                if isinstance(call, Alias) and not call.args:
                    raise ModelError(f"{call.label!r} is used but never defined")
                if id(call) not in self.used:
                    self.used[id(call)] = set()
                    self.calls.append(call)
                    todo += call.args
                self.used[id(call)].add(index)

    def _read_graph(self, expressions: Sequence[SX]) -> None:
        """CasADi's instruction list (which reuses registers) as a plain graph of raw nodes."""
        everything = list(expressions)
        self.argument_start: dict[int, int] = {}
        for call in self.calls:
            self.argument_start[id(call)] = len(everything)
            everything += call.args
        column = ca.vertcat(*everything) if everything else ca.SX(0, 1)
        symbols = ca.symvar(column)
        self.symbol_keys = [key(s) for s in symbols]
        self.symbol_names = [str(s) for s in symbols]
        self.owners = [self.registry.owner(s) for s in symbols]
        function = ca.Function("f", [ca.vertcat(*symbols)] if symbols else [ca.SX(0, 1)], [ca.densify(column)])
        raw_op: list[int] = []
        raw_args: list[tuple[int, ...]] = []
        raw_value: list[float] = []
        register: dict[int, int] = {}
        self.raw_output = [-1] * len(everything)
        op_const, op_input, op_output = self.op_const, self.op_input, ca.OP_OUTPUT
        kind, reads, writes = function.instruction_id, function.instruction_input, function.instruction_output
        args: tuple[int, ...]
        for k in range(function.n_instructions()):
            op = kind(k)
            if op == op_output:
                self.raw_output[writes(k)[1]] = register[reads(k)[0]]
                continue
            if op == op_const:
                args, value = (), float(function.instruction_constant(k))
            elif op == op_input:
                args, value = (reads(k)[1],), 0.0
            else:
                args, value = tuple([register[i] for i in reads(k)]), 0.0
            register[writes(k)[0]] = len(raw_op)
            raw_op.append(op)
            raw_args.append(args)
            raw_value.append(value)
        self.raw_op, self.raw_args, self.raw_value = raw_op, raw_args, raw_value
        # outputs that are structurally zero never appear in the list
        missing = [i for i, r in enumerate(self.raw_output) if r < 0]
        if missing:
            zero = len(raw_op)
            raw_op.append(op_const)
            raw_args.append(())
            raw_value.append(0.0)
            for i in missing:
                self.raw_output[i] = zero

    def _children(self, raw: int) -> Sequence[int]:
        """Raw nodes that are needed before this one."""
        op = self.raw_op[raw]
        if op == self.op_const:
            return ()
        if op != self.op_input:
            return self.raw_args[raw]
        owner = self.owners[self.raw_args[raw][0]]
        if owner is None:
            return ()
        call, index = owner
        start = self.argument_start[id(call)]
        if isinstance(call, Alias):
            return (self.raw_output[start + index],)
        return self.raw_output[start : start + len(call.args)]

    def _schedule(self, n_outputs: int) -> None:
        """Depth first; on the stack a raw node that waits for its children stands as its complement."""
        final = [-1] * len(self.raw_op)  # raw -> node
        self.shared: dict[tuple[Any, ...], int] = {}
        self.site_of: dict[int, int] = {}  # call -> site
        self.sites: dict[tuple[Any, ...], int] = {}  # what is called with which arguments -> site
        self._site_node: dict[int, int] = {}
        active = bytearray(len(self.raw_op))
        for root in self.raw_output[:n_outputs]:
            stack = [root]
            while stack:
                raw = stack.pop()
                if raw < 0:
                    raw = ~raw
                    active[raw] = 0
                    final[raw] = self._finish(raw, final)
                elif final[raw] < 0:
                    if active[raw]:
                        raise self._loop(raw, [~r for r in stack if r < 0])
                    active[raw] = 1
                    stack.append(~raw)
                    # a child that is still active is reported as a loop when popped
                    stack += [child for child in reversed(self._children(raw)) if final[child] < 0]
            self.program.outputs.append(final[root])

    def _loop(self, raw: int, path: list[int]) -> ModelError:
        cycle = path[path.index(raw) :]
        owners = [self.owners[self.raw_args[r][0]] for r in cycle if self.raw_op[r] == self.op_input]
        through = ", ".join(dict.fromkeys(repr(o[0].label) for o in owners if o is not None))
        return ModelError(
            f"algebraic loop through {through}: a value depends on itself (a load that needs the "
            "acceleration it causes, for example); break it with a state or a memory"
        )

    def _finish(self, raw: int, final: list[int]) -> int:
        op = self.raw_op[raw]
        if op == self.op_input:
            return self._finish_input(raw, final)
        if op == self.op_const:
            value = self.raw_value[raw]
            return self._node(("const", value, math.copysign(1.0, value)), Node("const", value=value))
        args = tuple([final[a] for a in self.raw_args[raw]])
        if op == self.op_assign:
            return args[0]
        if op in self.commutative and args[0] > args[1]:
            args = (args[1], args[0])
        identity = (op, *args)
        found = self.shared.get(identity)
        if found is None:
            nodes = self.program.nodes
            found = self.shared[identity] = len(nodes)
            nodes.append(Node("op", op, args))
        return found

    def _finish_input(self, raw: int, final: list[int]) -> int:
        index = self.raw_args[raw][0]
        owner = self.owners[index]
        if owner is None:
            k = self.symbol_keys[index]
            return self._node(("symbol", k), Node("symbol", key=k, name=self.symbol_names[index]))
        call, output = owner
        start = self.argument_start[id(call)]
        if isinstance(call, Alias):
            return final[self.raw_output[start + output]]
        if id(call) not in self.site_of:
            args_nodes = [final[self.raw_output[start + j]] for j in range(len(call.args))]
            self.site_of[id(call)] = self._shared_site(call, args_nodes)
        site = self.site_of[id(call)]
        position = call.position(output) if isinstance(call, TensorCall) else output
        return self._node(
            ("result", site, position), Node("result", site=site, position=position, args=(self._site_node[site],))
        )

    def _shared_site(self, call: Call, args: list[int]) -> int:
        """The site of an equal call with equal arguments, or a new one."""
        if isinstance(call, LeafCall):
            identity: tuple[Any, ...] = ("leaf", id(call.leaf), *call.table_slots, *args)
        else:
            identity = (getattr(call, "kind", ""), getattr(call, "slot", -1), *args)
        if identity not in self.sites:
            self.sites[identity] = self._site(call, args)
        elif isinstance(call, TensorCall):
            site = self.program.sites[self.sites[identity]]
            site.order = max(site.order, call.order_in_use(self.used[id(call)]))
            site.size = call.size(site.order)
        return self.sites[identity]

    def _site(self, call: Call, args: list[int]) -> int:
        if isinstance(call, TensorCall):
            order = call.order_in_use(self.used[id(call)])
            site = Site(call, args, order, call.size(order))
        elif isinstance(call, LeafCall):
            site = Site(call, args, 0, len(call.leaf.outputs))
        else:
            raise ModelError(f"{call.label!r}: this kind of call cannot be scheduled")
        self.program.sites.append(site)
        index = len(self.program.sites) - 1
        self.program.nodes.append(Node("site", site=index, args=tuple(args)))
        self._site_node[index] = len(self.program.nodes) - 1
        return index

    def _node(self, identity: tuple[Any, ...], node: Node) -> int:
        if identity not in self.shared:
            self.shared[identity] = len(self.program.nodes)
            self.program.nodes.append(node)
        return self.shared[identity]


def undeclared(node: Node) -> ModelError:
    """The error for a symbol that the system (or leaf function) does not know."""
    return ModelError(
        f"an expression uses the symbol {node.name!r}, which was not declared here: it belongs to another system or "
        "leaf function, or was made without declaring it; declare it, or pass it as an argument"
    )


def run(
    program: Program,
    symbols: Mapping[int, float],
    tables: Callable[[int], Any],
    services: Callable[[int], Any] | None = None,
) -> list[float]:
    """Execute a program in Python with numbers (checks before compiling, tests of the emitted C).

    ``symbols`` maps symbol keys to numbers, ``tables`` gives the Table of a slot, ``services`` a Python function
    ``f(args, order) -> results in the layout of jn_table.h``.
    """
    functions = _numeric_functions()
    values: list[float] = []
    results: dict[int, list[float]] = {}
    for node in program.nodes:
        if node.kind == "const":
            values.append(node.value)
        elif node.kind == "symbol":
            if node.key not in symbols:
                raise undeclared(node)
            values.append(float(symbols[node.key]))
        elif node.kind == "op":
            try:
                values.append(functions[node.op](*(values[a] for a in node.args)))
            except (ValueError, OverflowError, ZeroDivisionError):
                values.append(math.nan)
        elif node.kind == "site":
            site = program.sites[node.site]
            results[node.site] = _run_site(site, [values[a] for a in site.args], tables, services)
            values.append(math.nan)
        else:
            values.append(results[node.site][node.position])
    return [values[i] for i in program.outputs]


def _run_site(site: Site, args: list[float], tables: Any, services: Any) -> list[float]:
    call = site.call
    if isinstance(call, LeafCall):
        local = {key(s): value for s, value in zip(call.leaf.args, args, strict=True)}
        return run(leaf_program(call.leaf), local, lambda i: tables(call.table_slots[i]), services)
    assert isinstance(call, TensorCall)
    if call.kind == "service":
        if services is None:
            raise ModelError(f"service {call.label!r} cannot be asked here")
        return [float(v) for v in services(call.slot)(args, site.order)]
    from itertools import combinations_with_replacement

    table, n = tables(call.slot), len(args)
    out: list[float] = []
    for order in range(site.order + 1):
        terms = list(combinations_with_replacement(range(n), order))
        columns = []
        for axes in terms:
            derivative = tuple(axes.count(i) for i in range(n))
            columns.append([float(v) for v in _flat(table(*args, derivative=derivative))])
        for output in range(call.n_out):
            out += [column[output] for column in columns]
    return out


def _flat(value: Any) -> list[float]:
    import numpy as np

    return [float(v) for v in np.atleast_1d(np.asarray(value, dtype=float)).ravel()]


def _numeric_functions() -> dict[int, Callable[..., float]]:
    def divide(a: float, b: float) -> float:
        if b == 0.0:
            return math.nan if a == 0.0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)
        return a / b

    return {
        ca.OP_ADD: lambda a, b: a + b,
        ca.OP_SUB: lambda a, b: a - b,
        ca.OP_MUL: lambda a, b: a * b,
        ca.OP_DIV: divide,
        ca.OP_NEG: lambda a: -a,
        ca.OP_EXP: math.exp,
        ca.OP_LOG: math.log,
        ca.OP_POW: math.pow,
        ca.OP_CONSTPOW: math.pow,
        ca.OP_SQRT: math.sqrt,
        ca.OP_SQ: lambda a: a * a,
        ca.OP_TWICE: lambda a: a + a,
        ca.OP_INV: lambda a: divide(1.0, a),
        ca.OP_SIN: math.sin,
        ca.OP_COS: math.cos,
        ca.OP_TAN: math.tan,
        ca.OP_ASIN: math.asin,
        ca.OP_ACOS: math.acos,
        ca.OP_ATAN: math.atan,
        ca.OP_SINH: math.sinh,
        ca.OP_COSH: math.cosh,
        ca.OP_TANH: math.tanh,
        ca.OP_ASINH: math.asinh,
        ca.OP_ACOSH: math.acosh,
        ca.OP_ATANH: math.atanh,
        ca.OP_LT: lambda a, b: float(a < b),
        ca.OP_LE: lambda a, b: float(a <= b),
        ca.OP_EQ: lambda a, b: float(a == b),
        ca.OP_NE: lambda a, b: float(a != b),
        ca.OP_NOT: lambda a: float(not a),
        ca.OP_AND: lambda a, b: float(bool(a) and bool(b)),
        ca.OP_OR: lambda a, b: float(bool(a) or bool(b)),
        ca.OP_FLOOR: math.floor,
        ca.OP_CEIL: math.ceil,
        ca.OP_FMOD: math.fmod,
        ca.OP_FABS: abs,
        ca.OP_SIGN: lambda a: a if a != a else float((a > 0) - (a < 0)),
        ca.OP_COPYSIGN: math.copysign,
        ca.OP_IF_ELSE_ZERO: lambda c, a: a if c else 0.0,
        ca.OP_ERF: math.erf,
        ca.OP_FMIN: lambda a, b: b if b < a or b != b else a,
        ca.OP_FMAX: lambda a, b: b if b > a or b != b else a,
        ca.OP_ATAN2: math.atan2,
        ca.OP_HYPOT: math.hypot,
        ca.OP_LOG1P: math.log1p,
        ca.OP_EXPM1: math.expm1,
    }
