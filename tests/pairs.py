"""Few combinations in which every pair of values of two options comes together at least once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, get_args, get_origin

from jounce.core.fields import Data


def pairwise_rows(options: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Rows made one after the other: each begins with a pair that is missing and takes what covers most others."""
    names = list(options)
    missing = {
        ((a, x), (b, y))
        for a, b in combinations(names, 2)
        for x in range(len(options[a]))
        for y in range(len(options[b]))
    }
    rows = []
    while missing:
        first = min(missing)
        row = dict(first)
        for name in names:
            if name not in row:
                row[name] = max(range(len(options[name])), key=lambda x: _covered(missing, row, name, x))
        rows.append(row)
        missing -= {((a, row[a]), (b, row[b])) for a, b in combinations(names, 2)}
    if len(names) == 1:
        rows = [{names[0]: x} for x in range(len(options[names[0]]))]
    return [{name: options[name][x] for name, x in row.items()} for row in rows]


def _covered(missing: set[Any], row: Mapping[str, int], name: str, x: int) -> int:
    """How many missing pairs a value makes with those that are chosen."""
    return sum(((o, y), (name, x)) in missing or ((name, x), (o, y)) in missing for o, y in row.items())


def choices(cls: type[Data]) -> dict[str, list[Any]]:
    """Options of a class of data: switches, and names out of a few; what may be left out, too."""
    found = {}
    for name, info in cls.model_fields.items():
        values = list(_values(info.annotation))
        if name != "kind" and len(values) > 1:
            found[name] = values
    return found


def _values(annotation: Any) -> Iterator[Any]:
    if annotation is bool:
        yield from (False, True)
    elif get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif any(get_origin(part) is Literal for part in get_args(annotation)):
        for part in get_args(annotation):
            yield from _values(part) if part is not type(None) else (None,)
