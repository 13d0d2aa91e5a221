"""The order in which blocks run that read from each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def run_order(reads: Sequence[Mapping[int, Any]]) -> tuple[list[int], list[tuple[int, int]]]:
    """Order in which blocks run, from the blocks whose signals each of them reads, numbered by declaration.

    Returns the order, and the pairs (reader, owner) that were cut to open loops: of each group of blocks that read each
    other, directly or through others, the first sees old values of the rest; then again, while loops are left.
    """
    needs = [set(found) for found in reads]
    cuts: list[tuple[int, int]] = []
    while groups := _loops(needs):
        for group in groups:
            first = min(group)
            cuts += [(first, owner) for owner in sorted(needs[first] & group)]
            needs[first] -= group
    order: list[int] = []
    while len(order) < len(needs):
        order.append(next(k for k, wanted in enumerate(needs) if k not in order and wanted <= set(order)))
    return order, cuts


def _loops(needs: Sequence[set[int]]) -> list[set[int]]:
    """Groups of blocks each of which needs every other one, by whatever way."""
    reach = [set(found) for found in needs]
    for k in range(len(needs)):
        for found in reach:
            if k in found:
                found |= reach[k]
    groups = [{j for j in found if k in reach[j]} for k, found in enumerate(reach) if k in found]
    return [group for i, group in enumerate(groups) if group not in groups[:i]]
