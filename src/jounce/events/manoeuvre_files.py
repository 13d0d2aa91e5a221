"""Manoeuvres from files: YAML here, driver files by ``jounce.files``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError
from jounce.core.messages import Problem, raise_all
from jounce.files.events import READ, read_event
from jounce.manoeuvre import Manoeuvre, ManoeuvreError

YAML = (".yaml", ".yml")
DRIVER_FILES = READ
PLACEHOLDER = re.compile(r">>\w+<<")


def is_manoeuvre(data: Mapping[str, Any]) -> bool:
    """Whether the keys of a file are those of a manoeuvre."""
    return "stages" in data and str(data.get("event", "manoeuvre")) == "manoeuvre"


def read_manoeuvre(path: Path) -> Manoeuvre:
    """The manoeuvre of a file; FormatError with file, line, key, what was found and what is allowed."""
    return manoeuvre_and_remarks(path)[0]


def manoeuvre_and_remarks(path: Path) -> tuple[Manoeuvre, tuple[str, ...]]:
    """The manoeuvre of a YAML, VDF, SDF, DCF or XML file, and what its reader remarks."""
    if path.suffix.lower() in YAML:
        return from_yaml(read_yaml(path), path)[0], ()
    if path.suffix.lower() in DRIVER_FILES:
        found, report = read_event(path)
        return found, tuple(f"{path.name}: {warning}" for warning in report.warnings)
    raise FormatError(f"{path}: no manoeuvre; expected one of {', '.join((*YAML, *DRIVER_FILES))}")


def from_yaml(data: Any, path: Path) -> tuple[Manoeuvre, dict[str, Any]]:
    """The manoeuvre of a mapping as read, and its other keys, which are those of the event."""
    own = {key: value for key, value in data.items() if key in Manoeuvre.model_fields}
    rest = {key: value for key, value in data.items() if key not in own and key != "event"}
    try:
        return Manoeuvre(**_plain(own)), _plain(rest)
    except ManoeuvreError as error:
        problems = [Problem(path, _line(data, item.keys), item.text(), item.message) for item in error.findings]
    return raise_all(problems, FormatError)


def read_yaml(path: Path) -> Any:
    """The mapping of a file; a placeholder that nobody filled in is refused with its line."""
    from jounce.core.limits import read_utf8
    from jounce.core.yaml_files import LIMITS, read_mapping

    lines = read_utf8(path, LIMITS).splitlines()
    left = [(k, found.group()) for k, line in enumerate(lines, 1) if (found := PLACEHOLDER.search(line))]
    if left:
        raise_all([Problem(path, k, word, "a placeholder that nobody filled in") for k, word in left], FormatError)
    return read_mapping(path, "expected keys such as 'event: step-steer', or a manoeuvre with its 'stages'")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    return str(value)


def _line(data: Any, keys: tuple[str | int, ...]) -> int:
    """The line of the last key that the file has of a path, from 1; 0: none."""
    line = 0
    for key in keys:
        place = getattr(data, "lc", None)
        if isinstance(data, Mapping) and key in data:
            line = place.key(key)[0] + 1 if place is not None else line
        elif isinstance(data, list) and isinstance(key, int) and 0 <= key < len(data):
            line = place.item(key)[0] + 1 if place is not None else line
        else:
            break
        data = data[key]
    return line
