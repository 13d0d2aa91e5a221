"""The nodes of YAML texts, kept by content: the parser is written in Python and takes longer than all else in a file.

A node has what the reader asks for: its kind (``id``), its line, its value and its style. What is kept is found by the
digest of the text, so that it can never be out of date; texts that refuse to parse, or that refer to parts of
themselves, are parsed every time.
"""

from __future__ import annotations

import contextlib
from typing import Any

from jounce.core.yaml_files import LIMITS, parser

# Raised when what is kept changes its meaning.
_FORMAT = 1


class Node:
    """A node as it was kept; the names are those of the parser's nodes."""

    __slots__ = ("id", "line", "style", "value")

    def __init__(self, kept: list[Any]) -> None:
        self.id, self.line, self.style, value = kept
        self.value: Any = value
        if self.id == "sequence":
            self.value = [Node(item) for item in value]
        elif self.id == "mapping":
            self.value = [(Node(key), Node(item)) for key, item in value]

    @property
    def start_mark(self) -> Node:
        return self


def compose(text: str) -> Any:
    """Return the root node of a YAML text, None when it is empty; raises what the parser raises."""
    from jounce.runtime.cache import digest, recall, remember

    key = digest("yaml", str(_FORMAT), text)
    known = recall("yaml", key)
    if known is not None:
        return Node(known["root"])
    node = parser("safe", LIMITS).compose(text)
    if node is not None:
        with contextlib.suppress(_SharedError):
            remember("yaml", key, {"root": _kept(node, set())})
    return node


class _SharedError(Exception):
    """A node that stands at several places."""


def _kept(node: Any, seen: set[int]) -> list[Any]:
    if id(node) in seen:
        raise _SharedError
    seen.add(id(node))
    value = node.value
    if node.id == "sequence":
        value = [_kept(item, seen) for item in value]
    elif node.id == "mapping":
        value = [[_kept(key, seen), _kept(item, seen)] for key, item in value]
    return [node.id, node.start_mark.line, node.style if node.id == "scalar" else None, value]
