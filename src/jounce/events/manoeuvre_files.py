"""Manoeuvres from files: YAML here, driver files by ``jounce.files``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError, ParameterError
from jounce.core.messages import Problem, explain, raise_all
from jounce.manoeuvre import Manoeuvre

YAML = (".yaml", ".yml")
DRIVER_FILES = (".vdf",)
PLACEHOLDER = re.compile(r">>\w+<<")


def is_manoeuvre(data: Mapping[str, Any]) -> bool:
    """Whether the keys of a file are those of a manoeuvre."""
    return "stages" in data and str(data.get("event", "manoeuvre")) == "manoeuvre"


def read_manoeuvre(path: Path) -> Manoeuvre:
    """The manoeuvre of a YAML or VDF file; FormatError with file, line, key, what was found and what is allowed."""
    if path.suffix.lower() in YAML:
        from jounce.core.yaml_files import read_mapping

        data = read_mapping(path, "expected a manoeuvre, with the key 'stages'")
        return from_yaml(data, path)[0]
    if path.suffix.lower() in DRIVER_FILES:
        from jounce.files.vdf_model import load_vdf

        return load_vdf(path)[0]
    raise FormatError(f"{path}: no manoeuvre; expected one of {', '.join((*YAML, *DRIVER_FILES))}")


def from_yaml(data: Any, path: Path) -> tuple[Manoeuvre, dict[str, Any]]:
    """The manoeuvre of a mapping as read, and its other keys, which are those of the event."""
    from pydantic import ValidationError

    problems = [
        Problem(path, _line(data, keys), _dotted(keys), f"= {word!r}: a placeholder that nobody filled in")
        for keys, word in _words(data)
        if PLACEHOLDER.search(word)
    ]
    if problems:
        raise_all(problems, FormatError)
    own = {key: value for key, value in data.items() if key in Manoeuvre.model_fields}
    rest = {key: value for key, value in data.items() if key not in own and key != "event"}
    plain = _plain(own)
    try:
        return Manoeuvre.model_validate(plain), _plain(rest)
    except ParameterError as error:
        raise FormatError(f"{path}: {error}") from None
    except ValidationError as error:
        found = explain(error, Manoeuvre, plain)
        return raise_all(
            [Problem(path, _line(data, item.keys), item.text(), item.message) for item in found], FormatError
        )


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


def _words(data: Any, keys: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], str]]:
    if isinstance(data, str):
        return [(keys, data)]
    items: Any = data.items() if isinstance(data, Mapping) else enumerate(data) if isinstance(data, list) else ()
    return [found for key, item in items for found in _words(item, (*keys, key))]


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


def _dotted(keys: tuple[str | int, ...]) -> str:
    from jounce.core.paths import dotted

    return dotted(keys)
