"""YAML files as data, with the line in the message when one cannot be read. Untrusted text: parsed, never evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError


def read_mapping(path: Path, expected: str) -> Any:
    """Return the mapping in a YAML file; its ``lc`` knows the lines of its keys.

    Parameters
    ----------
    path : the file
    expected : what stands in such a file, for the message when it holds something else; nothing is an empty mapping
    """
    from ruamel.yaml.comments import CommentedMap

    document = _read(path)
    if document is None:
        return CommentedMap()
    if not isinstance(document, Mapping):
        raise FormatError(f"{path}: {expected}")
    return document


def read_mappings(path: Path, expected: str) -> Any:
    """Return the list of mappings in a YAML file; the ``lc`` of each knows its lines. ``expected`` as above."""
    document = _read(path)
    entries = [] if document is None else document
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise FormatError(f"{path}: {expected}")
    return entries


def _read(path: Path) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return YAML(typ="rt", pure=True).load(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read ({problem.strerror})") from None
    except MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 0
        raise FormatError(f"{path}, line {line}: no YAML: {problem.problem}") from None
    except (YAMLError, UnicodeDecodeError) as problem:
        raise FormatError(f"{path}: no YAML: {problem}") from None
    except RecursionError:
        raise FormatError(f"{path}: nested too deeply") from None
