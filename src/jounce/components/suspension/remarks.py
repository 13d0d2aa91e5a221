"""Remarks that several elements share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jounce.components.suspension.element import Element


def ratio_remarks(element: Element) -> Iterator[tuple[str, str]]:
    """A table of travel to deflection that is not zero at design."""
    ratio = element.ratio
    if ratio.is_table and abs(ratio(0.0)) > 1e-9:
        yield "ratio", f"{ratio(0.0):.6g} {ratio.units.y} at design; it is taken off everywhere"
