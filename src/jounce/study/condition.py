"""Conditions on the figures of a run: a small language that is parsed and never evaluated.

    cones_hit == 0 and side_slip_peak < 8 deg
    verdict == pass or (status == complete and distance >= 30 m)

    condition  = term { "or" term }
    term       = factor { "and" factor }
    factor     = "(" condition ")" | name operator value
    operator   = "==" | "!=" | "<" | "<=" | ">" | ">="
    value      = number [unit] | word

Names are key figures, or ``status``, ``verdict`` and ``reason``, which are compared with words by == and != only. A
number without a unit is in that of the figure. A figure that is no number fulfils nothing, not even ``!=``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.units import parse

WORDS = ("status", "verdict", "reason")
OPERATORS = ("==", "!=", "<=", ">=", "<", ">")
LONGEST = 1000  # characters
_TOKEN = re.compile(r"\s*(?:(\(|\))|(==|!=|<=|>=|<|>)|(=)|([^\s()=<>!]+))")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

Figures = Mapping[str, tuple[float, str]]


@dataclass(frozen=True)
class Comparison:
    """One comparison: name, operator, and the text behind it."""

    name: str
    operator: str
    value: str

    def holds(self, figures: Figures, words: Mapping[str, str]) -> tuple[bool, str]:
        """Whether it is fulfilled, and why it cannot be told where it cannot."""
        if self.name in WORDS:
            same = (words.get(self.name) or "none") == self.value
            return same == (self.operator == "=="), ""
        if self.name not in figures:
            hint = did_you_mean(self.name, [*figures, *WORDS])
            raise ParameterError(f"condition: {self.name!r} is no key figure of this event{hint}")
        value, unit = figures[self.name]
        limit = parse(self.value, unit or "-", f"condition {self.name} {self.operator}")
        if not math.isfinite(value):
            return False, f"{self.name} is no number"
        return {
            "==": value == limit,
            "!=": value != limit,
            "<=": value <= limit,
            ">=": value >= limit,
            "<": value < limit,
            ">": value > limit,
        }[self.operator], ""


@dataclass(frozen=True)
class Condition:
    """A condition: comparisons joined by ``and`` and ``or``."""

    text: str
    tree: Any

    @classmethod
    def read(cls, text: str) -> Condition:
        """Parse a condition; what is wrong is told with its place."""
        if len(text) > LONGEST:
            raise ParameterError(f"condition: {len(text)} characters; at most {LONGEST}")
        reader = _Reader(text)
        tree = reader.condition()
        if reader.token is not None:
            raise reader.wrong("the end, 'and' or 'or'")
        return cls(text, tree)

    @property
    def comparisons(self) -> list[Comparison]:
        """All its comparisons."""
        return list(_leaves(self.tree))

    @property
    def names(self) -> set[str]:
        return {one.name for one in self.comparisons}

    def holds(self, figures: Figures, words: Mapping[str, str] | None = None) -> tuple[bool, list[str]]:
        """Whether it is fulfilled, and what could not be told. Every name is looked at, whatever the others say."""
        missing: list[str] = []

        def value(tree: Any) -> bool:
            if isinstance(tree, Comparison):
                good, why = tree.holds(figures, words or {})
                missing.extend([why] if why else [])
                return good
            kind, parts = tree
            found = [value(part) for part in parts]
            return all(found) if kind == "and" else any(found)

        return value(self.tree), list(dict.fromkeys(missing))


def _leaves(tree: Any) -> Any:
    if isinstance(tree, Comparison):
        yield tree
    else:
        for part in tree[1]:
            yield from _leaves(part)


class _Reader:
    """The text as tokens: (kind, text, place)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        position = 0
        end = len(text.rstrip())
        while position < end:
            found = _TOKEN.match(text, position)
            if found is None or found.end() == position:
                place = position + len(text[position:]) - len(text[position:].lstrip()) + 1
                raise ParameterError(f"condition {text!r}: cannot be read at character {place}")
            kind = ("bracket", "operator", "single", "word")[found.lastindex - 1]  # type: ignore[operator]
            if kind == "single":
                raise ParameterError(f"condition {text!r}: '=' at character {found.end()}; write '=='")
            self.tokens.append((kind, found[found.lastindex], found.start(found.lastindex)))  # type: ignore[index,arg-type]
            position = found.end()
        self.next = 0

    @property
    def token(self) -> tuple[str, str, int] | None:
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def wrong(self, expected: str) -> ParameterError:
        if self.token is None:
            return ParameterError(f"condition {self.text!r}: ends too early; expected {expected}")
        return ParameterError(
            f"condition {self.text!r}: found {self.token[1]!r} at character {self.token[2] + 1}; expected {expected}"
        )

    def word(self, *texts: str) -> bool:
        """Step over a word if it is there."""
        if self.token is not None and self.token[1] in texts:
            self.next += 1
            return True
        return False

    def condition(self) -> Any:
        parts = [self.term()]
        while self.word("or"):
            parts.append(self.term())
        return parts[0] if len(parts) == 1 else ("or", parts)

    def term(self) -> Any:
        parts = [self.factor()]
        while self.word("and"):
            parts.append(self.factor())
        return parts[0] if len(parts) == 1 else ("and", parts)

    def factor(self) -> Any:
        if self.word("("):
            inner = self.condition()
            if not self.word(")"):
                raise self.wrong("')'")
            return inner
        token = self.token
        if token is None or token[0] != "word" or token[1] in ("and", "or") or not _NAME.fullmatch(token[1]):
            raise self.wrong("a key figure, such as cones_hit == 0")
        name = token[1]
        self.next += 1
        token = self.token
        if token is None or token[0] != "operator":
            raise self.wrong(f"one of {', '.join(OPERATORS)}")
        operator = token[1]
        self.next += 1
        return Comparison(name, operator, self.value(name, operator))

    def value(self, name: str, operator: str) -> str:
        token = self.token
        if token is None or token[0] != "word":
            raise self.wrong("a number or a word")
        if name in WORDS:
            if operator not in ("==", "!="):
                raise ParameterError(f"condition {self.text!r}: {name} is a word; compare it by == or !=")
            self.next += 1
            return token[1]
        if not _NUMBER.match(token[1]):
            raise self.wrong("a number")
        self.next += 1
        words = [token[1]]
        while self.token is not None and self.token[0] == "word" and self.token[1] not in ("and", "or"):
            words.append(self.token[1])
            self.next += 1
        parsed = " ".join(words)
        _check_number(self.text, parsed)
        return parsed


def _check_number(text: str, value: str) -> None:
    number = _NUMBER.match(value)
    assert number is not None
    if not math.isfinite(float(number[0])):
        raise ParameterError(f"condition {text!r}: {value!r} is no finite number")
