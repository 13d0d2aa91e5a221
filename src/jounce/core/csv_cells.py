"""Tables as programs write them: separators, decimal commas, units behind names. Measurements and maps read the same.

Between cells stand commas, semicolons or tabs, whichever the first line has most of; where it is not the comma, a
number may have a decimal comma. Units stand in a line of their own, or in brackets behind the names: ``speed [km/h]``.
"""

from __future__ import annotations

import os
import re

from jounce.core.limits import Limits, read_bytes

SEPARATORS = ";\t,"
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?", re.ASCII)
_DECIMAL = re.compile(r"(?<=\d),(?=\d)")
_BRACKETS = re.compile(r"(.*?)\s*\[([^\]]*)\]")


def read_table_text(path: str | os.PathLike[str], limits: Limits) -> str:
    """The text of a table: UTF-8, else the letters of Western Europe."""
    raw = read_bytes(path, limits)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def separator_of(line: str) -> str:
    """What stands between the cells of a line."""
    line = _DECIMAL.sub("", line)  # a comma between digits may be a decimal one
    found = max(SEPARATORS, key=line.count)
    return found if found in line else ","


def number_text(cell: str, separator: str) -> str | None:
    """A number with a decimal point, of a cell that may have a decimal comma; None when it is no number."""
    if not _NUMBER.fullmatch(cell) or (separator == "," and "," in cell):
        return None
    return cell.replace(",", ".")


def from_brackets(names: list[str], units: list[str]) -> tuple[list[str], list[str]]:
    """Take ``speed [km/h]`` apart; a line of units comes first."""
    bare, found = [], []
    for name, unit in zip(names, units, strict=True):
        match = _BRACKETS.fullmatch(name)
        bare.append(match[1] if match and match[1] else name)
        found.append(unit or (match[2] if match and match[1] else ""))
    return bare, found
