"""Programs as C11 text: readable, deterministic, split into functions of bounded size.

A function is cut into chunks of some hundred statements, because compile time grows faster than the length of one
function.  Values used in a later chunk live in the scratch array ``w`` (slots are reused), all others are locals.
Operations used once are written into the expression that uses them; the arithmetic and its order do not change.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from jounce.core.errors import ModelError
from jounce.symbolic._casadi import ca
from jounce.symbolic.calls import TensorCall, key
from jounce.symbolic.leaf import Leaf, LeafCall
from jounce.symbolic.program import Node, Program, Site, leaf_program, undeclared

CHUNK = 300  # statements in one C function
CHUNKS_PER_FILE = 16
INLINE_LENGTH = 72  # longest text that is written into its only user


@dataclass(frozen=True)
class Access:
    """How C reads a symbol: array text and index, the local name, and the model's name for the comment."""

    array: str
    index: int
    local: str
    name: str

    @property
    def text(self) -> str:
        return f"{self.array}[{self.index}]" if self.index >= 0 else self.array


@dataclass
class CFunction:
    """One emitted function: its chunks, its wrapper, its need of scratch memory."""

    name: str
    chunks: list[str] = field(default_factory=list)  # definitions
    chunk_names: list[str] = field(default_factory=list)
    wrapper: str = ""
    prototype: str = ""
    chunk_prototypes: list[str] = field(default_factory=list)
    n_work: int = 0
    operations: int = 0
    n_shared: int = 0  # chunks that are run once for all directions


@dataclass(frozen=True)
class Directions:
    """A function that is evaluated along ``n`` directions, the unit vectors of ``at->r``; ``sizes`` of a column.

    ``first``: of the nodes that depend on the direction; those before are evaluated once.
    """

    n: int
    sizes: tuple[int, ...]
    first: int

    def wrapped(self, once: Sequence[str], each: Sequence[str]) -> list[str]:
        columns = ", ".join(f"out[{a}] + c*{size}" for a, size in enumerate(self.sizes))
        return [
            f"double along[{max(self.n, 1)}] = {{0.0}};",
            "jn_point here = *at;",
            "here.r = along;",
            *once,
            f"for (int c = 0; c < {self.n}; ++c) {{",
            f"    double *const column[] = {{{columns}}};",
            "    along[c] = 1.0;",
            *(f"    {chunk}(env, &here, env->w, column);" for chunk in each),
            "    along[c] = 0.0;",
            "}",
        ]


class FunctionEmitter:
    """Writes one program as C."""

    def __init__(self, prefix: str, access: Mapping[int, Access]) -> None:
        self.prefix = prefix
        self.access = access
        self.leaves: dict[str, Leaf] = {}

    # -- public -----------------------------------------------------------------------------------------
    def model_function(
        self, name: str, program: Program, places: Sequence[tuple[int, int]], directions: Directions | None = None
    ) -> CFunction:
        """A jn_fn: results go to out[array][position]; with ``directions`` to columns, one after the other."""
        parameters = "const jn_env *env, const jn_point *at, double *const *out"
        chunk_parameters = "const jn_env *env, const jn_point *at, double *restrict w, double *const *out"
        full = f"{self.prefix}_{name}"
        function = CFunction(full, prototype=f"void {full}({parameters});", operations=program.operations)
        arrays = sorted({a for a, _ in places})
        opening = [f"double *restrict out{a} = out[{a}];" for a in arrays]
        targets = [f"out{a}[{i}]" for a, i in places]
        cut = directions.first if directions else 0
        bodies = self._chunks(program, targets, function, "&env->tables[{}]", cut)
        for i, (body, unused) in enumerate(bodies):
            chunk = f"{full}_{i}"
            lines = [*opening, *body]
            lines += [f"(void){u};" for u in ("env", "at", "w", "out") if u in unused]
            lines += [f"(void)out{a};" for a in arrays if not any(f"out{a}[" in line for line in body)]
            function.chunk_names.append(chunk)
            function.chunk_prototypes.append(f"void {chunk}({chunk_parameters});")
            function.chunks.append(_definition(f"JN_NOINLINE void {chunk}({chunk_parameters})", lines))
        calls = [f"{c}(env, at, env->w, out);" for c in function.chunk_names]
        if directions:
            calls = directions.wrapped(calls[: function.n_shared], function.chunk_names[function.n_shared :])
        function.wrapper = _definition(f"void {full}({parameters})", calls or ["(void)env; (void)at; (void)out;"])
        return function

    def leaf_function(self, leaf: Leaf) -> CFunction:
        """A leaf: results go to y[position]."""
        arguments = [_argument(g) for g in leaf.groups]
        groups = ", ".join(f"const double *restrict {a}" for a in arguments)
        tables = ", const jn_table *const *tab" if leaf.tables else ""
        full = self.leaf_name(leaf)
        program = leaf_program(leaf)
        function = CFunction(full, operations=program.operations)
        signature = f"void {full}({groups}{tables}, double *restrict y)"
        function.prototype = signature + ";"
        bodies = self._chunks(program, [f"y[{i}]" for i in range(len(leaf.outputs))], function, "tab[{}]")
        names = [*arguments, *(["tab"] if leaf.tables else []), "y"]
        if len(bodies) == 1:
            body = bodies[0][0]
            used = set(re.findall(r"\w+", "\n".join(body)))
            body += [f"(void){name};" for name in names if name not in used]
            function.wrapper = _definition(signature, body)
            return function
        for i, (body, _) in enumerate(bodies):
            chunk = f"{full}_{i}"
            chunk_signature = f"void {chunk}({groups}{tables}, double *restrict w, double *restrict y)"
            body += [f"(void){g};" for g in [*names, "w"]]
            function.chunk_names.append(chunk)
            function.chunk_prototypes.append(chunk_signature + ";")
            function.chunks.append(_definition("JN_NOINLINE " + chunk_signature, body))
        passed = ", ".join([*arguments, *(["tab"] if leaf.tables else [])])
        lines = [f"double w[{max(function.n_work, 1)}];"]
        lines += [f"{c}({passed}, w, y);" for c in function.chunk_names]
        function.wrapper = _definition(signature, lines)
        function.n_work = 0  # lives on the stack of the leaf
        return function

    def leaf_name(self, leaf: Leaf) -> str:
        known = self.leaves.setdefault(leaf.name, leaf)
        if known is not leaf:
            raise ModelError(f"two different leaf functions are named {leaf.name!r}: rename one")
        return f"{self.prefix}_leaf_{leaf.name}"

    # -- body -------------------------------------------------------------------------------------------
    def _chunks(
        self, program: Program, targets: Sequence[str], function: CFunction, table_text: str, cut: int = 0
    ) -> list[tuple[list[str], set[str]]]:
        """``cut``: a node at which a chunk begins; what was computed before stays where it is until the end."""
        nodes = program.nodes
        chunk_of = _assign_chunks(nodes, cut)
        n_chunks = max(chunk_of, default=0) + 1
        function.n_shared = n_kept = chunk_of[cut] if cut else 0
        written: dict[int, list[str]] = {}
        for output, target in zip(program.outputs, targets, strict=True):
            written.setdefault(output, []).append(target)
        # users of each node: chunk of every consumer (result nodes stand for their site)
        use_count = [0] * len(nodes)
        last_use = [-1] * len(nodes)
        for i, node in enumerate(nodes):
            if node.kind in ("op", "site"):
                for a in node.args:
                    use_count[a] += 1
                    last_use[a] = max(last_use[a], chunk_of[i])
        home = [0] * len(nodes)
        for i, node in enumerate(nodes):
            home[i] = chunk_of[node.args[0]] if node.kind == "result" else chunk_of[i]
        for i in written:
            use_count[i] += 2  # never inlined away: it is stored
            if nodes[i].kind in ("const", "symbol"):
                chunk_of[i] = home[i] = n_chunks - 1
            last_use[i] = max(last_use[i], home[i])
        storage = _Storage()
        site_last: dict[int, int] = {}
        for i, node in enumerate(nodes):
            if node.kind == "result":
                site_last[node.site] = max(site_last.get(node.site, -1), last_use[i])
        release: dict[int, list[int]] = {}
        site_text: dict[int, str] = {}
        text: dict[int, str] = {}  # node -> text valid in every chunk that may use it
        bodies: list[list[str]] = [[] for _ in range(n_chunks)]
        loaded: dict[tuple[int, int], str] = {}

        def ref(i: int, chunk: int) -> str:
            node = nodes[i]
            if node.kind == "const":
                return _number(node.value)
            if node.kind == "symbol":
                if (i, chunk) not in loaded:
                    access = self._access(node)
                    bodies[chunk].append(f"const double {access.local} = {access.text}; /* {access.name} */")
                    loaded[i, chunk] = access.local
                return loaded[i, chunk]
            if node.kind == "result":
                return f"{site_text[node.site]}[{node.position}]"
            return text[i]

        def operand(i: int) -> str:
            return inline.pop(i) if i in inline else ref(i, current)

        current = 0
        inline: dict[int, str] = {}
        counter = 0
        for i, node in enumerate(nodes):
            chunk = chunk_of[i]
            if node.kind in ("op", "site") and chunk != current:
                for slot in release.pop(current, []):
                    storage.free(slot)
                current = chunk
            if node.kind == "site":
                site = program.sites[node.site]
                size = max(site.size, 1)
                if site_last.get(node.site, chunk) > chunk:
                    start = storage.array(size)
                    site_text[node.site] = f"(w + {start})"
                else:
                    site_text[node.site] = f"y{counter}"
                    bodies[chunk].append(f"double y{counter}[{size}];")
                self._call(bodies[chunk], site, nodes, operand, site_text[node.site], counter, table_text)
                counter += 1
            elif node.kind == "op":
                operands = [operand(a) for a in node.args]
                expression = _operation(node, operands, [nodes[a] for a in node.args])
                if use_count[i] == 1 and last_use[i] == chunk and len(expression) <= INLINE_LENGTH:
                    inline[i] = expression if node.op in _FUNCTION_LIKE else f"({expression})"
                    text[i] = inline[i]
                    continue
                if last_use[i] > chunk:
                    slot = storage.scalar()
                    if i >= cut or last_use[i] < n_kept:
                        release.setdefault(last_use[i], []).append(slot)
                    text[i] = f"w[{slot}]"
                    bodies[chunk].append(f"const double v{counter} = {expression};")
                    bodies[chunk].append(f"w[{slot}] = v{counter};")
                    local = f"v{counter}"
                else:
                    text[i] = local = f"v{counter}"
                    bodies[chunk].append(f"const double {local} = {expression};")
                counter += 1
                for target in written.get(i, ()):
                    bodies[chunk].append(f"{target} = {local};")
            elif node.kind == "result":
                for target in written.get(i, ()):
                    bodies[home[i]].append(f"{target} = {ref(i, home[i])};")
        for i, targets_of in written.items():
            if nodes[i].kind in ("const", "symbol"):
                for target in targets_of:
                    bodies[n_chunks - 1].append(f"{target} = {ref(i, n_chunks - 1)};")
        function.n_work = storage.size
        result = []
        for body in bodies:
            joined = "\n".join(body)
            unused = {
                name
                for name, probe in (("env", "env->"), ("at", "at->"), ("w", "w["), ("out", "out"))
                if probe not in joined
            }
            if "(w + " in joined:
                unused.discard("w")
            result.append((body, unused))
        return result

    def _access(self, node: Node) -> Access:
        if node.key not in self.access:
            raise undeclared(node)
        return self.access[node.key]

    def _call(
        self,
        body: list[str],
        site: Site,
        nodes: Sequence[Node],
        operand: Callable[[int], str],
        target: str,
        counter: int,
        table_text: str,
    ) -> None:
        call = site.call
        if isinstance(call, TensorCall):
            args = ", ".join(operand(a) for a in site.args)
            body.append(f"const double a{counter}[] = {{{args}}}; /* {call.label} */")
            if call.kind == "table":
                function, first = "jn_table_eval", table_text.format(call.slot)
            else:
                service = f"env->services[{call.slot}]"
                function, first = f"{service}.call", f"{service}.context"
            body.append(f"{function}({first}, a{counter}, {site.order}, {target});")
            return
        assert isinstance(call, LeafCall)
        leaf = call.leaf
        passed: list[str] = []
        start = 0
        for group, n in leaf.groups.items():
            members = site.args[start : start + n]
            pointer = self._consecutive([nodes[a] for a in members])
            if pointer is None:
                name = f"a{counter}_{group}"
                args = ", ".join(operand(a) for a in members)
                body.append(f"const double {name}[] = {{{args or '0.0'}}};")
                passed.append(name)
            else:
                passed.append(pointer)
            start += n
        if leaf.tables:
            pointers = ", ".join(table_text.format(s) for s in call.table_slots)
            body.append(f"const jn_table *const t{counter}[] = {{{pointers}}};")
            passed.append(f"t{counter}")
        body.append(f"{self.leaf_name(leaf)}({', '.join([*passed, target])});")

    def _consecutive(self, nodes: Sequence[Node]) -> str | None:
        """Pointer text when the nodes are consecutive elements of one array."""
        if len(nodes) < 2 or any(n.kind != "symbol" for n in nodes):
            return None
        access = [self._access(n) for n in nodes]
        first = access[0]
        if first.index < 0:
            return None
        if all(a.array == first.array and a.index == first.index + i for i, a in enumerate(access)):
            return f"&{first.text}"
        return None


class _Storage:
    """Slots of the scratch array."""

    def __init__(self) -> None:
        self.size = 0
        self._free: list[int] = []

    def scalar(self) -> int:
        if self._free:
            return self._free.pop()
        self.size += 1
        return self.size - 1

    def array(self, n: int) -> int:
        self.size += n
        return self.size - n

    def free(self, slot: int) -> None:
        self._free.append(slot)


def _assign_chunks(nodes: Sequence[Node], cut: int = 0) -> list[int]:
    chunk, statements, result = 0, 0, []
    for i, node in enumerate(nodes):
        if cut and i == cut:
            chunk += 1
            statements = 0
        if node.kind in ("op", "site"):
            statements += 1 if node.kind == "op" else 3
            if statements > CHUNK:
                chunk += 1
                statements = 0
        result.append(chunk)
    return result


def _argument(group: str) -> str:
    """C name of a leaf's argument group; the prefix keeps it apart from locals and keywords."""
    return f"in_{group}"


def _definition(signature: str, lines: Sequence[str]) -> str:
    return signature + "\n{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


def _number(value: float) -> str:
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text


def _power(base: str, exponent: float) -> str | None:
    """Small constant exponents without pow()."""
    if exponent == 0.5:
        return f"sqrt({base})"
    if exponent == -0.5:
        return f"1.0/sqrt({base})"
    # by helper functions, so that the arithmetic does not depend on how the base is written
    helper = {2.0: "jn_square", 3.0: "jn_cube", 4.0: "jn_fourth", 1.5: "jn_three_halves"}.get(abs(exponent))
    if helper is None:
        return None
    return f"{helper}({base})" if exponent > 0 else f"1.0/{helper}({base})"


def _operation(node: Node, a: Sequence[str], operands: Sequence[Node]) -> str:
    if node.op in (ca.OP_POW, ca.OP_CONSTPOW) and operands[1].kind == "const":
        special = _power(a[0], operands[1].value)
        if special is not None:
            return special
    if node.op == ca.OP_IF_ELSE_ZERO and a[0].startswith(_TRUTH) and a[0].endswith("))"):
        return f"{a[0][len(_TRUTH) : -2]} ? {a[1]} : 0.0"  # a comparison written in place
    table = _c_operations()
    if node.op not in table:
        raise ModelError(f"operation {node.op} cannot be written as C")
    return table[node.op](*a)


_C_OPERATIONS: dict[int, Callable[..., str]] = {}
_FUNCTION_LIKE: set[int] = set()  # written as f(x): no parentheses needed around them
_TRUTH = "((double)("


def _c_operations() -> dict[int, Callable[..., str]]:
    if not _C_OPERATIONS:
        names = "exp log sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf log1p expm1"
        for name in names.split():
            _C_OPERATIONS[getattr(ca, "OP_" + name.upper())] = lambda x, name=name: f"{name}({x})"
        for name, function in (("POW", "pow"), ("CONSTPOW", "pow"), ("FMOD", "fmod"), ("COPYSIGN", "copysign")):
            _C_OPERATIONS[getattr(ca, "OP_" + name)] = lambda x, y, f=function: f"{f}({x}, {y})"
        _C_OPERATIONS.update(
            {
                ca.OP_ADD: lambda x, y: f"{x} + {y}",
                ca.OP_SUB: lambda x, y: f"{x} - {y}",
                ca.OP_MUL: lambda x, y: f"{x}*{y}",
                ca.OP_DIV: lambda x, y: f"{x}/{y}",
                ca.OP_NEG: lambda x: f"-{x}",
                ca.OP_SQ: lambda x: f"jn_square({x})",
                ca.OP_TWICE: lambda x: f"2.0*{x}",
                ca.OP_INV: lambda x: f"1.0/{x}",
                ca.OP_LT: lambda x, y: f"(double)({x} < {y})",
                ca.OP_LE: lambda x, y: f"(double)({x} <= {y})",
                ca.OP_EQ: lambda x, y: f"(double)({x} == {y})",
                ca.OP_NE: lambda x, y: f"(double)({x} != {y})",
                ca.OP_NOT: lambda x: f"(double)({x} == 0.0)",
                ca.OP_AND: lambda x, y: f"(double)({x} != 0.0 && {y} != 0.0)",
                ca.OP_OR: lambda x, y: f"(double)({x} != 0.0 || {y} != 0.0)",
                ca.OP_FLOOR: lambda x: f"floor({x})",
                ca.OP_CEIL: lambda x: f"ceil({x})",
                ca.OP_FABS: lambda x: f"fabs({x})",
                ca.OP_SIGN: lambda x: f"jn_sign({x})",
                ca.OP_IF_ELSE_ZERO: lambda c, x: f"{c} != 0.0 ? {x} : 0.0",
                ca.OP_FMIN: lambda x, y: f"jn_min({x}, {y})",
                ca.OP_FMAX: lambda x, y: f"jn_max({x}, {y})",
                ca.OP_ATAN2: lambda x, y: f"atan2({x}, {y})",
                ca.OP_HYPOT: lambda x, y: f"hypot({x}, {y})",
            }
        )
        names = "SQ FLOOR CEIL FABS SIGN FMIN FMAX ATAN2 HYPOT FMOD COPYSIGN EXP LOG SIN COS TAN ASIN ACOS ATAN"
        names += " SINH COSH TANH ASINH ACOSH ATANH ERF LOG1P EXPM1"
        _FUNCTION_LIKE.update(getattr(ca, "OP_" + name) for name in names.split())
    return _C_OPERATIONS


def leaf_access(leaf: Leaf) -> dict[int, Access]:
    """How a leaf's C code reads its arguments."""
    result: dict[int, Access] = {}
    i = 0
    for group, n in leaf.groups.items():
        for j in range(n):
            result[key(leaf.args[i])] = Access(_argument(group), j, f"{group}_{j}", f"{group}[{j}]")
            i += 1
    return result
