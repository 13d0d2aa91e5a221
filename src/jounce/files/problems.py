"""Findings about a file, gathered and told all at once: place, key, what was found, what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from jounce.core.errors import FormatError

Level = Literal["error", "warning", "info"]

_SHOWN = 40  # a broken file of a million lines still gives a message that can be read
_LONGEST = 600  # characters of a line of it


@dataclass(frozen=True)
class Problem:
    """One finding. ``line`` counts from 1; 0 means the file as a whole."""

    line: int
    key: str
    message: str
    level: Level = "error"

    def __str__(self) -> str:
        place = f"line {self.line}  " if self.line else ""
        return f"{place}{self.key + ': ' if self.key else ''}{self.message}"


@dataclass
class Report:
    """All findings about one file."""

    path: str
    problems: list[Problem] = field(default_factory=list)

    def error(self, line: int, key: str, message: str) -> None:
        self.problems.append(Problem(line, key, message))

    def warning(self, line: int, key: str, message: str) -> None:
        self.problems.append(Problem(line, key, message, "warning"))

    def info(self, line: int, key: str, message: str) -> None:
        self.problems.append(Problem(line, key, message, "info"))

    @property
    def errors(self) -> list[Problem]:
        return [p for p in self.problems if p.level == "error"]

    @property
    def warnings(self) -> list[Problem]:
        return [p for p in self.problems if p.level == "warning"]

    @property
    def infos(self) -> list[Problem]:
        return [p for p in self.problems if p.level == "info"]

    def raise_if_errors(self) -> None:
        """Raise a FormatError that lists every error, in the order of the lines."""
        if self.errors:
            raise FormatError(describe(self.path, self.errors))


def describe(path: str, problems: Iterable[Problem]) -> str:
    """``2 problems in front.tir`` and a line for each."""
    found = sorted(problems, key=lambda p: p.line)
    head = f"{len(found)} problem{'s' if len(found) != 1 else ''} in {path}"
    more = [f"  … and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return "\n".join([head, *(f"  {_cut(str(p))}" for p in found[:_SHOWN]), *more])


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 2] + " …"
