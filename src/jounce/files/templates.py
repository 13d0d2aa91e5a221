"""Templates: files with places to be filled in before they are read.

    >>REPLACE_INIT_SPEED<<      a place by its name, with or without REPLACE_ in front when it is given
    param(initial_speed)        the same in the other spelling

Names are told apart without letter case. A number is put in so that reading gives the same number. Text is put into
quotes unless the place stands in quotes already. Comments are left as they are. A place without a value and a value
without a place are both errors: neither is what somebody meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from jounce.core.errors import ParameterError, did_you_mean
from jounce.files.problems import Report
from jounce.files.property_file import Value, check_value, format_value, without_comment

_PLACE = re.compile(r">>[ \t]*(\w+)[ \t]*<<|\bparam\([ \t]*(\w+)[ \t]*\)", re.IGNORECASE | re.ASCII)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_PREFIX = "replace_"


def _key(name: str) -> str:
    return name.lower().removeprefix(_PREFIX)


def places(text: str) -> dict[str, int]:
    """Names of the places of a template, each with the line where it comes first."""
    found: dict[str, int] = {}
    for number, line in enumerate(_LINE.findall(text), 1):
        for match in _PLACE.finditer(without_comment(line)):
            found.setdefault(_key(match[1] or match[2]), number)
    return found


def filled(text: str, values: Mapping[str, Value] | None = None, path: str = "") -> str:
    """The text with its places filled in.

    Parameters
    ----------
    text : of the template; one without places is given back as it is
    values : numbers or text by name
    path : of the file, for messages
    """
    given = {_key(name): value for name, value in (values or {}).items()}
    for name, value in given.items():
        check_value(name, value)
    report = Report(path or "(text)")
    used: set[str] = set()
    lines = _LINE.findall(text)
    for i, line in enumerate(lines):
        content = without_comment(line)
        out, at = [], 0
        for match in _PLACE.finditer(content):
            key = _key(match[1] or match[2])
            if key not in given:
                known = did_you_mean(key, given) if given else "; no values are given"
                report.error(i + 1, match[0], f"the place is not filled in{known}")
                continue
            used.add(key)
            value = given[key]
            quoted = content.count("'", 0, match.start()) % 2 == 1
            word = str(value) if quoted and isinstance(value, str) else format_value(value)
            out += [line[at : match.start()], word]
            at = match.end()
        lines[i] = "".join([*out, line[at:]])
    report.raise_if_errors()
    for name in given:
        if name not in used:
            raise ParameterError(
                f"{report.path}: no place {name!r} to fill in{did_you_mean(name, sorted(places(text)))}"
            )
    return "".join(lines)
