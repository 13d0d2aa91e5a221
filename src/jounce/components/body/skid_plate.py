"""A skid plate: a point of the body that may strike the ground (law: ``ground_contact``).

Nine channels tell of it, in road axes (z its normal, x forward): displacement from the place of the road vertically
below it, velocity against the road, force on the body.

    D = (h/(n·ẑ)) ẑ        ẑ upwards in the world, so that DZ = h                                                    (1)
"""

from __future__ import annotations

from typing import Literal

from jounce.components.basics import Array, Point
from jounce.components.body.attached import CHASSIS, Contact, check_body, check_name, dot, frame_of, local
from jounce.components.body.ground_contact import TINY, Law, touch
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice, part, quantity
from jounce.symbolic.ops import fmax


class SkidPlate(Contact):
    """A point of the body that may strike the ground."""

    kind: Literal["skid_plate"] = choice("skid_plate", doc="kind of contact")
    name: str = choice(doc="name of its channels: `<name>.DX` …")
    active: bool = choice(True, doc="whether it exists")
    body: str = choice(CHASSIS, doc="`chassis` or `front`")
    location: Point = part(doc="where it is at design")
    stiffness: float = quantity("N/m", gt=0, typical=(1e3, 1e9), doc="at 1 mm of depth")
    exponent: float = quantity("-", 1.0, ge=1, le=5, doc="of the force over the depth")
    damping: float = quantity("N.s/m", 0.0, ge=0, typical=(0.0, 1e6), doc="from 5 mm of depth on")
    friction: float = quantity("-", 0.3, ge=0, typical=(0.0, 2.0), doc="friction coefficient")
    slow: float = quantity("m/s", 0.01, gt=0, typical=(1e-4, 0.1), doc="sliding speed below which friction fades")

    def check(self, place: VehiclePlace) -> None:
        check_name(self.name)
        check_body(self.body, place, "body", moving=True)

    @derived("m", doc="from the origin of its body", label="location", at="vehicle")
    def place(self, place: VehiclePlace) -> Array:
        return local(self.body, self.location.array, place)

    @derived("kg", doc="of the vehicle", low=1e-6, at="vehicle")
    def mass(self, place: VehiclePlace) -> float:
        return float(place.data.mass())

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        if not self.active:
            return
        frame, unit = frame_of(at, self.body)
        law = Law(p.stiffness, p.exponent, p.damping, p.friction, p.slow, p.mass)
        found = p.kept["touch"] = touch(unit, frame, p.place, law)
        at.system.force(frame, found.force, at=p.place)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        if not self.active:
            return
        frame, _ = frame_of(at, self.body)
        found = p.kept["touch"]
        up = frame.from_world([0.0, 0.0, 1.0])
        rise = found.height / fmax(dot(found.normal, up), TINY)  # (1)
        for axis, e in zip("XYZ", found.axes, strict=True):
            at.channel(f"{self.name}.D{axis}", rise * dot(up, e), "m", "from the road below it, road axes")
            at.channel(f"{self.name}.V{axis}", dot(found.velocity, e), "m/s", "against the road, road axes")
            at.channel(f"{self.name}.F{axis}", dot(found.force, e), "N", "on the body, road axes")
