"""YAML files as data, with the line in the message when one cannot be read. Untrusted text: parsed, never evaluated.

The parser is bounded while it puts nodes together (`jounce.core.limits`): depth, number of values with what aliases
repeat, digits of numbers; a group that stands within itself is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError
from jounce.core.limits import DIGITS, Limits, read_utf8, shown

LIMITS = Limits("a file of settings", size=5_000_000, depth=40, nodes=200_000)
_LONG_NUMBER = re.compile(r"[+-]?[.\d][\w.:+-]*", re.ASCII)


def read_mapping(path: Path, expected: str) -> Any:
    """Return the mapping in a YAML file; its ``lc`` knows the lines of its keys.

    Parameters
    ----------
    path : the file
    expected : what stands in such a file, for the message when it holds something else; nothing is an empty mapping
    """
    from ruamel.yaml.comments import CommentedMap

    document = load(read_utf8(path, LIMITS), shown(path), LIMITS)
    if document is None:
        return CommentedMap()
    if not isinstance(document, Mapping):
        raise FormatError(f"{path}: {expected}")
    return document


def read_mappings(path: Path, expected: str) -> Any:
    """Return the list of mappings in a YAML file; the ``lc`` of each knows its lines. ``expected`` as above."""
    document = load(read_utf8(path, LIMITS), shown(path), LIMITS)
    entries = [] if document is None else document
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise FormatError(f"{path}: {expected}")
    return entries


def load(text: str, where: str, limits: Limits) -> Any:
    """The data of a YAML text; mappings and lists have an ``lc`` that knows their lines."""
    try:
        return parser("rt", limits).load(text)
    except Exception as problem:
        line, message = explained(problem)
        raise FormatError(f"{where}, line {line}: {message}" if line else f"{where}: {message}") from None


def parser(kind: str, limits: Limits) -> Any:
    """A parser of ruamel ("rt" or "safe") that keeps to the limits."""
    from ruamel.yaml import YAML

    found: Any = YAML(typ=kind, pure=True)
    found.Composer = _composer()
    found.max_depth = limits.depth + 1
    found.most_nodes, found.named = limits.nodes, limits.what
    return found


def explained(problem: Exception) -> tuple[int, str]:
    """Return line (0: none) and message of what the parser complains about; raises what is no matter of the text."""
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    if isinstance(problem, MarkedYAMLError):
        mark = problem.problem_mark or problem.context_mark
        line = mark.line + 1 if mark is not None else 0
        reasons = [str(part).strip() for part in (problem.context, problem.problem) if part]
        return line, ("" if getattr(problem, "too_much", False) else "no YAML: ") + ", ".join(reasons)
    if isinstance(problem, YAMLError):
        first = str(problem).strip().splitlines()
        return 0, f"no YAML: {first[0] if first else 'unreadable'}"
    if isinstance(problem, RecursionError):
        return 0, "no YAML for us: nested too deeply"
    # of the YAML library on broken text
    known = (ValueError, TypeError, AttributeError, IndexError, KeyError, OverflowError, AssertionError)
    if isinstance(problem, known):
        return 0, f"no YAML: {problem}"
    raise problem


def _too_long(text: str) -> bool:
    """Whether a text is a number that takes time to read and cannot be held."""
    return len(text) > DIGITS and _LONG_NUMBER.fullmatch(text) is not None and text[:40].lstrip("+-.0x_").isalnum()


@lru_cache(maxsize=1)
def _composer() -> Any:
    """The class, made when it is first needed: ruamel is slow to import."""
    from ruamel.yaml.composer import Composer, ComposerError
    from ruamel.yaml.events import AliasEvent, ScalarEvent

    class TooMuchError(ComposerError):
        too_much = True

    class Bounded(Composer):
        """Counts what it composes. ``_sizes`` of nodes with an anchor that are whole: values in them."""

        def __init__(self, loader: Any = None) -> None:
            super().__init__(loader=loader)
            self.warn_double_anchors = False  # YAML allows them
            self._count = 0
            self._sizes: dict[int, int] = {}

        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.parser.peek_event()
            before = self._count
            if isinstance(event, AliasEvent):
                target = self.anchors.get(event.anchor)
                if target is not None and id(target) not in self._sizes:
                    raise self._refused(f"{event.anchor!r} stands within itself", event)
                self._add(1 if target is None else self._sizes[id(target)], event)
                return super().compose_node(parent, index)
            if isinstance(event, ScalarEvent) and event.style is None and _too_long(event.value):
                raise self._refused(f"found a number of {len(event.value)} digits, more than {DIGITS}", event)
            self._add(1, event)
            if self.depth >= self.loader.max_depth:
                raise self._refused(f"groups within groups, more than {self.loader.max_depth - 1} deep", event)
            node = super().compose_node(parent, index)
            if event.anchor is not None:
                self._sizes[id(node)] = self._count - before
            return node

        def _add(self, count: int, event: Any) -> None:
            self._count += count
            if self._count > self.loader.most_nodes:
                raise self._refused(f"more than {self.loader.most_nodes} values", event)

        def _refused(self, message: str, event: Any) -> Exception:
            return TooMuchError(None, None, f"{message}: too much for {self.loader.named}", event.start_mark)

    return Bounded
