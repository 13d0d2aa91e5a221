"""Which gears a vehicle has, and a word for those that it does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jounce.core.errors import ParameterError

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle


def gears_of(vehicle: Vehicle) -> int | None:
    """Number of forward gears; None without a gearbox that has a reverse gear beside them."""
    line = vehicle.driveline
    boxes = [] if line is None else [item for _, item in line.parts_by_key() if hasattr(item, "reverse_ratio")]
    return len(boxes[0].ratios.x) if boxes else None  # type: ignore[attr-defined]


def check_gear(gear: float, most: int, where: str, *, neutral: bool = True) -> None:
    """Refuse a gear that a gearbox does not have."""
    if gear not in (-1, *range(0 if neutral else 1, most + 1)):
        others = "-1 for reverse and 0 for neutral" if neutral else "-1 for reverse"
        raise ParameterError(f"{where}: the gearbox has the gears 1 to {most}, and {others}")
