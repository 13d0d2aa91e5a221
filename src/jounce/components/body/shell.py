"""The shell of a body, so that a car that has rolled over lies on its side or its roof (law: ``ground_contact``).

Twelve points: the corners of a box from sill to waist, and the four of a smaller roof. Where a dimension is not given
it follows from the wheelbase L, the largest track t, the height of the wheel centres r and that of the centre of
gravity z; the shares are those of usual cars, ours, and good for lying on, not for crash:

    front end 0.31 L ahead of the front wheels, rear end 0.36 L behind the last; width t + 0.25 m; sill 0.6 r;       (1)
    roof 2.65 z high, 0.75 of the width wide, from 0.35 L to 0.85 L behind the front wheels; waist 0.6 of the height

Stiffness and damping of a corner are such that a car of 1350 kg that falls on two of them at 4 m/s is stopped by some
7 g on 0.12 m.
"""

from __future__ import annotations

from itertools import product
from typing import Any, ClassVar, Literal

import numpy as np

from jounce.components.basics import Array
from jounce.components.body.attached import CHASSIS, Contact, plus
from jounce.components.body.ground_contact import Law, touch
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice, problem, quantity
from jounce.symbolic.ops import fmin, if_else

GROUP = "Body_Shell"
# corners by name: height, end, side
LEVELS, ENDS, SIDES = ("sill", "waist", "roof"), ("front", "rear"), ("left", "right")
CORNERS = tuple("_".join(item) for item in product(LEVELS, ENDS, SIDES))


def _corner(name: str) -> Any:
    def found(self: Shell, place: VehiclePlace) -> Array:
        unit = place.units[0]
        return unit.local(self.points(place)[name])

    return derived("m", doc="from the centre of gravity of the body", at="vehicle")(found)


def _dimension(doc: str, typical: tuple[float, float]) -> Any:
    return quantity("m", None, presence=False, typical=typical, doc=doc)


class Shell(Contact):
    """What a car lies on after it has rolled over: twelve corners of a body and its roof."""

    kind: Literal["shell"] = choice("shell", doc="kind of contact")
    front_end: float | None = _dimension("of the body ahead of the front wheels; absent: see text", (0.0, 5.0))
    rear_end: float | None = _dimension("of the body behind the last wheels; absent: see text", (0.0, 5.0))
    width: float | None = _dimension("of the body; absent: see text", (0.5, 4.0))
    sill: float | None = _dimension("height of the lower edge above ground; absent: see text", (0.01, 1.5))
    waist: float | None = _dimension("height of the widest edge above ground; absent: see text", (0.1, 3.0))
    height: float | None = _dimension("of the roof above ground; absent: see text", (0.3, 5.0))
    roof_width: float | None = _dimension("of the roof; absent: see text", (0.1, 4.0))
    roof_front: float | None = _dimension("of the roof, behind the front wheels; absent: see text", (0.0, 20.0))
    roof_rear: float | None = _dimension("of the roof, behind the front wheels; absent: see text", (0.0, 20.0))
    stiffness: float = quantity("N/m", 3e5, gt=0, typical=(1e3, 1e9), doc="of a corner, at 1 mm of depth")
    exponent: float = quantity("-", 1.0, ge=1, le=5, doc="of the force over the depth")
    damping: float = quantity("N.s/m", 1e4, ge=0, typical=(0.0, 1e6), doc="of a corner, from 5 mm of depth on")
    friction: float = quantity("-", 0.4, ge=0, typical=(0.0, 2.0), doc="friction coefficient")
    slow: float = quantity("m/s", 0.01, gt=0, typical=(1e-4, 0.1), doc="sliding speed below which friction fades")

    sill_front_left: ClassVar[Any] = _corner("sill_front_left")
    sill_front_right: ClassVar[Any] = _corner("sill_front_right")
    sill_rear_left: ClassVar[Any] = _corner("sill_rear_left")
    sill_rear_right: ClassVar[Any] = _corner("sill_rear_right")
    waist_front_left: ClassVar[Any] = _corner("waist_front_left")
    waist_front_right: ClassVar[Any] = _corner("waist_front_right")
    waist_rear_left: ClassVar[Any] = _corner("waist_rear_left")
    waist_rear_right: ClassVar[Any] = _corner("waist_rear_right")
    roof_front_left: ClassVar[Any] = _corner("roof_front_left")
    roof_front_right: ClassVar[Any] = _corner("roof_front_right")
    roof_rear_left: ClassVar[Any] = _corner("roof_rear_left")
    roof_rear_right: ClassVar[Any] = _corner("roof_rear_right")

    def dimensions(self, place: VehiclePlace) -> dict[str, float]:
        """All of them, those that are not given by (1)."""
        axles, body = place.units[0].axles, place.units[0].data.body
        wheels = [wheel for axle in axles for wheel in axle.wheels]
        last = axles[-1].x
        base = axles[0].x - last if len(axles) > 1 else 2.7
        track = max(abs(float(wheel.centre[1])) for wheel in wheels) * 2
        radius = min(float(wheel.centre[2]) for wheel in wheels)
        found: dict[str, float] = {
            "front_end": 0.31 * base,
            "rear_end": 0.36 * base,
            "width": track + 0.25,
            "sill": 0.6 * radius,
            "height": 2.65 * float(body.centre()[2]),
            "roof_front": 0.35 * base,
            "roof_rear": 0.85 * base,
        }
        found |= {name: value for name in found if (value := getattr(self, name)) is not None}
        found["waist"] = 0.6 * found["height"] if self.waist is None else self.waist
        found["roof_width"] = 0.75 * found["width"] if self.roof_width is None else self.roof_width
        return found

    def points(self, place: VehiclePlace) -> dict[str, Array]:
        """The corners at design, vehicle reference frame."""
        d = self.dimensions(place)
        axles = place.units[0].axles
        front, rear = axles[0].x, axles[-1].x
        ends = {"front": front + d["front_end"], "rear": rear - d["rear_end"]}
        roof = {"front": front - d["roof_front"], "rear": front - d["roof_rear"]}
        heights = {"sill": d["sill"], "waist": d["waist"], "roof": d["height"]}
        result = {}
        for level, end, side in product(LEVELS, ENDS, SIDES):
            above = level == "roof"
            half = (d["roof_width"] if above else d["width"]) / 2
            x = (roof if above else ends)[end]
            result[f"{level}_{end}_{side}"] = np.array([x, half if side == "left" else -half, heights[level]])
        return result

    def check(self, place: VehiclePlace) -> None:
        d = self.dimensions(place)
        for low, high in (("sill", "waist"), ("waist", "height"), ("roof_front", "roof_rear")):
            if not d[low] < d[high]:
                raise problem(f"{low} {d[low]:g} m, {high} {d[high]:g} m: the first must be the smaller one", low)

    @derived("kg", doc="of the vehicle", low=1e-6, at="vehicle")
    def mass(self, place: VehiclePlace) -> float:
        return float(place.data.mass())

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        unit = at.units[0]
        law = Law(p.stiffness, p.exponent, p.damping, p.friction, p.slow, p.mass)
        total: Any = [0.0, 0.0, 0.0]
        lowest, touching = None, 0.0
        for name in CORNERS:
            place = getattr(p, name)
            found = touch(unit, unit.chassis, place, law)
            at.system.force(unit.chassis, found.force, at=place)
            total = plus(total, found.force)
            lowest = found.height if lowest is None else fmin(lowest, found.height)
            touching = touching + if_else(found.height < 0, 1.0, 0.0)
        p.kept.update(force=unit.chassis.to_world(total), lowest=lowest, touching=touching)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        for axis, value in zip("XYZ", p.kept["force"], strict=True):
            at.channel(f"{GROUP}.F{axis}", value, "N", f"of the ground on the {CHASSIS}, world axes")
        at.channel(f"{GROUP}.height", p.kept["lowest"], "m", "of its lowest corner above the road")
        at.channel(f"{GROUP}.touching", p.kept["touching"], "-", "number of corners that touch the ground")
