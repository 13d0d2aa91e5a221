"""How large a vehicle is, seen from above: edges of its body about the reference point, for courses of cones.

From the shell of its first unit and its last where the data have one, else by the shares of usual cars that a shell
takes (``components/body/shell`` (1)), with a remark.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jounce.components.body.shell import Shell
from jounce.core.errors import ParameterError

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle

WIDE, LONG = (0.3, 5.0), (0.3, 40.0)  # m: other sizes are errors of units


@dataclass(frozen=True)
class Size:
    """Edges of a body: ahead of and behind the reference point, the ground under the first axle; and its width, m."""

    front: float
    rear: float
    width: float

    def __post_init__(self) -> None:
        length = self.front + self.rear
        for what, value, (low, high) in (("width", self.width, WIDE), ("length", length, LONG)):
            if not (math.isfinite(value) and low <= value <= high):
                raise ParameterError(f"size of the vehicle: {what} {value:g} m; expected {low:g} to {high:g} m")


def size_of(vehicle: Vehicle) -> tuple[Size, str]:
    """The size by the data of a vehicle, and a remark where they do not say it."""
    given = [contact for contact in vehicle.contacts if isinstance(contact, Shell)]
    shell, place = (given[0] if given else Shell()), vehicle.layout
    points = np.array(list(shell.points(place).values()))
    at, half = place.axles[0].x, float(np.abs(points[:, 1]).max())
    size = Size(float(points[:, 0].max()) - at, at - float(points[:, 0].min()), 2 * half)
    told = bool(given) and all(getattr(shell, name) is not None for name in ("front_end", "rear_end", "width"))
    remark = (
        ""
        if told
        else f"size of the body by shares of usual cars: {size.width:.3f} m wide, {size.front + size.rear:.3f} m long; "
        "give width, front_to_origin and rear_to_origin, or a contact of kind shell with its dimensions"
    )
    return size, remark
