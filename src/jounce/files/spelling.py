"""Names with a slip of the pen in them."""

from __future__ import annotations

from collections.abc import Iterable


def close(name: str, known: Iterable[str]) -> str:
    """The name that is meant by one with a slip of the pen in it, or nothing.

    Two letters in wrong order; in names of five letters and more one wrong, missing or too much, in those of ten and
    more two. Digits must be right: coefficients differ by them.
    """
    digits = [c for c in name if c.isdigit()]
    allowed = 1 if len(name) < 10 else 2
    found = []
    for other in known:
        if other == name or abs(len(other) - len(name)) > allowed or [c for c in other if c.isdigit()] != digits:
            continue
        distance = _slips(name, other)
        if distance <= allowed and (len(name) > 4 or sorted(name) == sorted(other)):
            found.append((distance, other))
    return min(found)[1] if found else ""


def _slips(a: str, b: str) -> int:
    """How many letters must be changed, added, left out or exchanged with their neighbour to get from a to b."""
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 2 : i] == b[j - 1] + b[j - 2]:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
