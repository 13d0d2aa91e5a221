"""Cargo: a box on the body, and payloads in it, each a rigid body fixed for the whole run.

A payload has a mass, a centre of gravity and an inertia about it; of one that is given by its size, a solid block of
even density with edges along the axes of the vehicle, that is

    Ixx = m (b² + h²)/12,   Iyy = m (l² + h²)/12,   Izz = m (l² + b²)/12                                          (1)

with its length l, width b and height h. All that is on board makes one body by the rule of parallel axes,

    I = Σ Iₖ + mₖ (|dₖ|² E − dₖ dₖᵀ),   dₖ from the common centre of gravity                                       (2)

(``components/basics.py``, ``combine``). Where there is a box, a payload stands in it: its centre of gravity, and of one
with a size all of it; else it is refused, with the wall that it passes.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from pydantic import model_validator

from jounce.components.basics import DIAGNOSED, Array, Inertia, Point
from jounce.core.fields import Data, flag, part, problem, quantity, text

WALLS = (("behind", "before"), ("right of", "left of"), ("below", "above"))
ROOM = 1e-6  # m, for rounding


class Size(Data):
    """Length, width and height; in a file also ``[l, b, h]``."""

    x: float = quantity("m", gt=0, typical=(0.05, 20.0), doc="length")
    y: float = quantity("m", gt=0, typical=(0.05, 4.0), doc="width")
    z: float = quantity("m", gt=0, typical=(0.05, 5.0), doc="height")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)

    @property
    def array(self) -> Array:
        return np.array([self.x, self.y, self.z])


class CargoBox(Data):
    """Where payloads may stand."""

    front: float = quantity("m", typical=(0.0, 30.0), doc="its front wall, at design")
    length: float = quantity("m", gt=0, typical=(0.3, 20.0), doc="from there backwards")
    width: float = quantity("m", gt=0, typical=(0.3, 4.0), doc="half of it to either side of `middle`")
    floor: float = quantity("m", typical=(0.0, 3.0), doc="height of its floor at design")
    height: float | None = quantity(
        "m", None, presence=False, gt=0, typical=(0.1, 5.0), doc="above the floor; absent: open above"
    )
    middle: float = quantity("m", 0.0, typical=(0.0, 2.0), doc="where its middle is across the vehicle, left positive")

    @property
    def walls(self) -> tuple[Array, Array]:
        """Least and largest coordinates of what is inside."""
        top = np.inf if self.height is None else self.floor + self.height
        low = np.array([self.front - self.length, self.middle - 0.5 * self.width, self.floor])
        return low, np.array([self.front, self.middle + 0.5 * self.width, top])


class Payload(Data):
    """A rigid body on board."""

    name: str = text(doc="what it is")
    mass: float = quantity("kg", ge=0, typical=(1.0, 5e4), doc="its mass")
    location: Point = part(doc="its centre of gravity at design")
    size: Size | None = part(None, doc="of a solid block, for its inertia and its place in the box")
    inertia: Inertia | None = part(None, doc="about its centre of gravity, instead of that of a block")
    active: bool = flag(True, doc="on board")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if self.size is not None and self.inertia is not None:
            raise problem("size and inertia are both given; keep one", "inertia")
        return self

    @property
    def matrix(self) -> Array:
        """Inertia about its centre of gravity; of a point zero."""
        if self.inertia is not None:
            return self.inertia.matrix
        if self.size is None:
            return np.zeros((3, 3))
        squares = self.size.array**2
        return np.diag(self.mass * (squares.sum() - squares) / 12)  # (1)

    def check(self, box: CargoBox) -> None:
        """Raise unless it is in the box."""
        half = np.zeros(3) if self.size is None else 0.5 * self.size.array
        low, high = box.walls
        for i, (axis, words) in enumerate(zip("xyz", WALLS, strict=True)):
            r = float(self.location.array[i])
            for end, wall, word in ((r - half[i], low[i], words[0]), (r + half[i], high[i], words[1])):
                beyond = wall - end if wall == low[i] else end - wall
                if beyond > ROOM + DIAGNOSED * abs(wall):
                    inside = f"expected between {low[i] + half[i]:.6g} and {high[i] - half[i]:.6g} m"
                    raise problem(
                        f"{r:.6g} m: the payload is outside its box, {beyond:.3g} m {word} its wall at {wall:.6g} m "
                        f"({inside})", "location", axis,
                    )  # fmt: skip


def check_payloads(payloads: tuple[Payload, ...], box: CargoBox | None) -> None:
    """Raise unless all payloads on board are in their box."""
    from pydantic_core import PydanticCustomError

    for i, item in enumerate(payloads):
        if box is None or not item.active:
            continue
        try:
            item.check(box)
        except PydanticCustomError as found:
            told = tuple((("payloads", i, *keys), *rest) for keys, *rest in (found.context or {})["problems"])
            raise PydanticCustomError(found.type, found.message_template, {"problems": told}) from None
