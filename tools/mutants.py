"""Single faults that can be planted into a source: where, and what stands there instead.

Python is read by its syntax tree, C by its tokens; both give byte ranges of the text, so that a mutant differs from its
source in nothing else. Operators: comparisons, arithmetic, logic, numbers, functions with a counterpart (sin and cos,
min and max), conditions turned round, and statements that are left out: checks that refuse, additions, calls.
Not touched: annotations, decorators, docstrings and other text, imports, what only type checkers see.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
           ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}  # fmt: skip
ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%"}
LOGIC = {ast.And: "and", ast.Or: "or"}
INSTEAD = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in",
    "not in": "in", "+": "-", "-": "+", "*": "/", "/": "*", "**": "*", "//": "/", "%": "*", "and": "or", "or": "and",
    "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "++": "--", "--": "++",
}  # fmt: skip
FUNCTIONS = {"min": "max", "fmin": "fmax", "sin": "cos", "floor": "ceil", "any": "all"}
FUNCTIONS |= {other: name for name, other in FUNCTIONS.items()}
LARGER = 1.1  # factor on a number
SOFT = ("typical",)  # ranges of remarks, wide on purpose


@dataclass(frozen=True, order=True)
class Mutant:
    """One fault: bytes ``start`` to ``end`` of a file replaced by ``text``."""

    path: str
    start: int
    end: int
    text: str
    kind: str

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]

    def lines(self, source: bytes) -> tuple[int, str, str]:
        """Number of the first changed line, that line before and after."""
        number = source.count(b"\n", 0, self.start) + 1
        mutated = self.applied(source)
        return number, *(text.splitlines()[number - 1].decode().strip() for text in (source, mutated))


def mutants(path: str, source: bytes) -> list[Mutant]:
    """All faults of a file, in the order of their places."""
    found = _of_c(source) if Path(path).suffix in (".c", ".h") else _Python(source).found()
    return sorted(Mutant(path, *item) for item in set(found) if source[item[0] : item[1]] != item[2].encode())


Found = tuple[int, int, str, str]


# ---- Python ------------------------------------------------------------------------------------------------------


class _Python(ast.NodeVisitor):
    def __init__(self, source: bytes) -> None:
        self.source, self.items = source, list[Found]()
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def found(self) -> list[Found]:
        self.visit(ast.parse(self.source))
        return self.items

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self._span(node)
        return self.source[start:end].decode()

    def _add(self, node: ast.expr | ast.stmt, text: str, kind: str) -> None:
        self.items.append((*self._span(node), text, kind))

    def _between(self, left: ast.expr, right: ast.expr, symbol: str) -> None:
        """The operator between two expressions."""
        start, end = self._span(left)[1], self._span(right)[0]
        pattern = r"\s+".join(map(re.escape, symbol.split())).encode()
        gap = re.sub(rb"#[^\n]*", lambda m: b" " * len(m[0]), self.source[start:end])
        if (place := re.search(pattern, gap)) is not None:
            self.items.append((start + place.start(), start + place.end(), INSTEAD[symbol], "operator"))

    # what is not looked into
    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_arguments(self, node: ast.arguments) -> None:
        for item in (*node.defaults, *(d for d in node.kw_defaults if d is not None)):
            self.visit(item)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.visit(node.args)
        self._body(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._body(node.body)

    def visit_Import(self, node: ast.Import) -> None: ...

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None: ...

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None: ...

    def _body(self, body: list[ast.stmt]) -> None:
        for item in body:
            self.visit(item)

    # statements
    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._turn(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._turn(node.test)
        self.generic_visit(node)

    def _turn(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare) and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
            self._add(test, f"(not ({self._text(test)}))", "condition")

    def visit_Raise(self, node: ast.Raise) -> None:
        self._add(node, "pass", "check")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._add(node, "pass", "statement")
            self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._add(node, "pass", "statement")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._add(node, "pass", "statement")

    # expressions
    def visit_Compare(self, node: ast.Compare) -> None:
        for left, op, right in zip((node.left, *node.comparators), node.ops, node.comparators, strict=False):
            self._between(left, right, COMPARE[type(op)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        text = isinstance(node.left, ast.Constant | ast.JoinedStr) and not self._is_number(node.left)
        if type(node.op) in ARITHMETIC and not text:
            self._between(node.left, node.right, ARITHMETIC[type(node.op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, right, LOGIC[type(node.op)])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub | ast.Not):
            self._add(node, f"({self._text(node.operand)})", "sign" if isinstance(node.op, ast.USub) else "condition")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        end = self._span(node.func)[1]
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in FUNCTIONS:
            self.items.append((end - len(name), end, FUNCTIONS[name], "function"))
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in SOFT:
            self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(node, str(not node.value), "number")
        elif self._is_number(node):
            self._add(node, _other_number(node.value), "number")

    @staticmethod
    def _is_number(node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _other_number(value: object) -> str:
    assert isinstance(value, int | float)
    if isinstance(value, int):
        return str(value + 1)
    return repr(value * LARGER) if value else "1.0"


# ---- C -----------------------------------------------------------------------------------------------------------

_SILENT = re.compile(
    rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M
)
_TOKEN = re.compile(
    rb"(?P<number>\b(?:\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)\b(?![xXuUlL]))|(?P<name>[A-Za-z_]\w*)"
    rb"|(?P<operator>->|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|\+=|-=|\*=|/=|[<>+\-*/])"
)
_STATEMENT = re.compile(
    rb"^[ \t]+((?:[A-Za-z_][\w.\[\]>-]*\(|[A-Za-z_][\w.\[\]]*(?:->|\[)[^=;{}]*[-+*/]?=[^=])[^;{}]*;)", re.M
)
_DECLARED = re.compile(
    rb"^[ \t]*(?:static |const )*(?:double|float|int|char|size_t|u?int\d+_t)\b[^=()]*;", re.M
)  # sizes of arrays
_SPACED = ("+", "-", "*", "/", "<", ">")  # other uses of these have no space at both sides


def _blank(source: bytes) -> bytes:
    """C without comments, texts and lines of the preprocessor, of the same length."""
    return _SILENT.sub(lambda m: re.sub(rb"[^\n]", b" ", m[0]), source)


def _of_c(source: bytes) -> Iterator[Found]:
    text = _blank(source)
    text = _DECLARED.sub(lambda m: re.sub(rb"[^\n]", b" ", m[0]), text)
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        word = token[0].decode()
        if token["operator"] and word in INSTEAD:
            if word not in _SPACED or (text[start - 1 : start] == b" " and text[end : end + 1] == b" "):
                yield start, end, INSTEAD[word], "operator"
        elif token["name"] in (b"if", b"while") and (test := _parenthesis(text, end)) is not None and word == "if":
            yield *test, f"(!{source[test[0] : test[1]].decode()})", "condition"
        elif token["name"] and word in FUNCTIONS and text[end : end + 1] == b"(":
            yield start, end, FUNCTIONS[word], "function"
        elif token["number"]:
            value = float(word)
            yield start, end, str(int(word) + 1) if word.isdigit() else repr(value * LARGER if value else 1.0), "number"
    for statement in _STATEMENT.finditer(text):
        if not re.match(rb"(return|if|for|while|switch|sizeof)\b", statement[1]):
            yield *statement.span(1), ";", "statement"


def _parenthesis(text: bytes, after: int) -> tuple[int, int] | None:
    start = text.find(b"(", after)
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i : i + 1] == b"(") - (text[i : i + 1] == b")")
        if depth == 0:
            return start, i + 1
    return None
